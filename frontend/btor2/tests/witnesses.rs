//! The judge of witnesses, against the reader with the evaluator of terms, and against forgeries.

use btor2::{Refused, check_witness};
use model::id::Id;
use model::simulate::Simulator;
use model::sort::Sort;
use model::system::GoalId;
use model::trace::{Start, Trace, replay_with};
use model::validate::validate;
use model::value::Value;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use std::fmt::Write;

/// A counter with a reset, a constraint, a free start, a state without `next`, and an array.
const MODEL: &str = "1 sort bitvec 1\n2 sort bitvec 3\n3 sort array 2 2\n4 input 1 up\n5 input 2 at\n6 state 2 count\n7 state 2 key\n\
    8 zero 2\n9 init 2 6 8\n10 inc 2 6\n11 ite 2 4 10 6\n12 next 2 6 11\n13 state 2 start\n14 next 2 13 13\n\
    15 state 3 memory\n16 init 3 15 8\n17 write 3 15 5 6\n18 next 3 15 17\n19 read 2 15 13\n20 state 2 drift\n21 init 2 20 8\n\
    22 eq 1 6 7\n23 constraint -22 differs\n24 constd 2 2\n25 eq 1 6 24\n26 bad 25 two\n27 eq 1 19 24\n28 bad 27 kept\n\
    29 constd 2 5\n30 eq 1 20 29\n31 bad 30 drifted\n";

/// One step up in each of two steps, then a look.
const GOOD: &str = "sat\nb0\n#0\n1 111 key#0\n2 011 start#0\n@0\n0 1 up@0\n1 000 at@0\n#1\n1 111 key#1\n@1\n0 1 up@1\n\
    1 000 at@1\n#2\n1 111 key#2\n@2\n0 0 up@2\n1 000 at@2\n.\n";

#[test]
fn a_witness_is_accepted_and_its_forgeries_are_not() {
    let accepted = check_witness(MODEL, GOOD).expect("a witness");
    assert_eq!((accepted[0].bads.clone(), accepted[0].steps), (vec![(0, "two".to_owned(), 2)], 3));
    let forged = [
        ("0 1 up@1", "0 0 up@1", "b0 (two) holds in none of its 3 steps"),
        ("1 111 key#1", "1 001 key#1", "the constraint in line 23 does not hold in step 1, before b0 does"),
        ("sat\nb0\n", "sat\nb1\n", "b1 (kept) holds in none"),
        ("sat\nb0\n", "sat\nb7\n", "the model has 3 `bad` lines, and no b7"),
        ("#1\n", "#1\n0 110 count#1\n", "`count` has another value in step 1"),
        ("#0\n", "#0\n3 [001] 100 memory#0\n", "`memory` has another value in step 0"),
        ("#0\n", "#0\n0 001 count#0\n", "`count` has another value in step 0"),
        ("#1\n", "#1\n2 000 start#1\n", "`start` has another value in step 1"),
        ("@1\n", "@2\n", "step 1 comes here"),
        ("0 1 up@1", "0 11 up@1", "this is no value of `up`"),
        ("0 1 up@1", "9 1 up@1", "there is no input 9"),
        ("1 111 key#1", "9 1 up@1", "there is no state 9"),
        ("0 1 up@1", "0 1 up@1\n0 0 up@1", "`up` has another value above"),
        ("1 111 key#1", "1 111 key#1\n1 110 key#1", "`key` has another value above"),
        ("0 1 up@1", "0 2 up@1", "a value is binary"),
        ("1 111 key#1", "1 [000] 111 key#1", "this is no value of `key`"),
        ("b0\n", "j0\n", "`j0` is no property of safety"),
        (".\n", "", "does not end with `.`"),
        ("sat\n", "", "a witness begins with `sat`"),
        ("sat\n", "unsat\n", "has no execution that could be checked"),
    ];
    for (old, new, expected) in forged {
        let text = GOOD.replacen(old, new, 1);
        assert_ne!(text, GOOD);
        let refused = check_witness(MODEL, &text).expect_err(expected).to_string();
        assert!(refused.contains(expected), "{refused}\n{text}");
    }
    // What holds without them may be left out.
    for (old, new) in [
        ("1 000 at@0\n", ""),
        ("2 011 start#0\n", ""),
        ("#1\n", "#1\n0 001 count#1\n3 [000] 000 memory#1\n"),
        ("0 0 up@2", "0 x up@2"),
    ] {
        let text = GOOD.replacen(old, new, 1);
        assert!(check_witness(MODEL, &text).is_ok(), "{text}");
    }
    assert_eq!(check_witness(MODEL, &GOOD.repeat(2)).expect("two").len(), 2);
    assert!(matches!(check_witness("1 sort bitvec 200\n", GOOD), Err(Refused::Model(_))));
    assert!(check_witness(MODEL, "").is_err());
}

/// A random model: operators of all kinds over words, an array, states of all kinds.
fn random_model(chance: &mut SmallRng) -> String {
    let width = *[1, 2, 3, 5, 8, 64, 127].get(chance.random_range(0..7)).expect("a width");
    let mut text = format!("1 sort bitvec 1\n2 sort bitvec {width}\n3 sort bitvec 2\n4 sort array 3 2\n");
    let mut words = Vec::new();
    let mut next = 5;
    let mut line = |text: &mut String, what: String| {
        let _ = writeln!(text, "{next} {what}");
        next += 1;
        next - 1
    };
    let zero = line(&mut text, "ones 2".to_owned());
    words.push(zero);
    for index in 0..3 {
        words.push(line(&mut text, format!("input 2 in{index}")));
    }
    let states: Vec<usize> = (0..5).map(|index| line(&mut text, format!("state 2 state{index}"))).collect();
    words.extend(&states);
    let memory = line(&mut text, "state 4 memory".to_owned());
    line(&mut text, format!("init 2 {} {zero}", states[0]));
    line(&mut text, format!("init 2 {} {zero}", states[1]));
    line(&mut text, format!("init 2 {} {}", states[4], states[2]));
    let small =
        |text: &mut String, word: usize, line: &mut dyn FnMut(&mut String, String) -> usize| match width {
            1 => line(text, format!("uext 3 {word} 1")),
            2 => word,
            _ => line(text, format!("slice 3 {word} 1 0")),
        };
    for _ in 0..12 {
        let mut any = || {
            let word = words[chance.random_range(0..words.len())] as i64;
            if chance.random_bool(0.2) { -word } else { word }
        };
        let (a, b) = (any(), any());
        let both = [
            "add", "sub", "mul", "udiv", "urem", "sdiv", "srem", "smod", "and", "nand", "or", "nor", "xor",
            "xnor", "sll", "srl", "sra", "rol", "ror",
        ];
        let truths = [
            "eq", "neq", "ult", "ulte", "ugt", "ugte", "slt", "slte", "sgt", "sgte", "uaddo", "saddo",
            "usubo", "ssubo", "sdivo", "umulo", "smulo",
        ];
        // Products of wide words are refused by the reader.
        let truths = if width > 64 { &truths[..15] } else { &truths[..] };
        let ones = ["not", "inc", "dec", "neg"];
        let word = match chance.random_range(0..5) {
            0 => line(&mut text, format!("{} 2 {a}", ones[chance.random_range(0..ones.len())])),
            1 => {
                let truth =
                    line(&mut text, format!("{} 1 {a} {b}", truths[chance.random_range(0..truths.len())]));
                line(&mut text, format!("ite 2 {truth} {b} {a}"))
            }
            2 => {
                let truth = line(
                    &mut text,
                    format!("{} 1 {a}", ["redand", "redor", "redxor"][chance.random_range(0..3)]),
                );
                line(&mut text, format!("ite 2 -{truth} {a} {b}"))
            }
            3 => {
                let at = small(&mut text, a.unsigned_abs() as usize, &mut line);
                line(&mut text, format!("read 2 {memory} {at}"))
            }
            _ => line(&mut text, format!("{} 2 {a} {b}", both[chance.random_range(0..both.len())])),
        };
        words.push(word);
    }
    let last = &words[words.len() - 6..];
    line(&mut text, format!("next 2 {} {}", states[0], last[0]));
    line(&mut text, format!("next 2 {} {}", states[2], last[1]));
    line(&mut text, format!("next 2 {} {}", states[4], last[2]));
    let at = small(&mut text, last[3], &mut line);
    let written = line(&mut text, format!("write 4 {memory} {at} {}", last[4]));
    line(&mut text, format!("next 4 {memory} {written}"));
    for index in 0..6 {
        let bit = line(&mut text, format!("slice 1 {} {} {}", last[index], width - 1, width - 1));
        line(&mut text, format!("bad {bit} bad{index}"));
    }
    let low = line(&mut text, format!("slice 1 {} 0 0", states[3]));
    line(&mut text, format!("constraint {low}"));
    text
}

/// Executions by the evaluator of terms have witnesses that the judge accepts, for exactly the goals
/// that the evaluator sees.
#[test]
fn judge_and_evaluator_agree_on_random_models() {
    let mut chance = SmallRng::seed_from_u64(7);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..300 {
        let text = random_model(&mut chance);
        let model = btor2::read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let system = validate(model.system.clone()).expect("a valid system");
        let mut value = |sort: Sort, is_odd: bool| {
            let bits = chance.random::<u128>() & (u128::MAX >> (128 - sort.width()));
            Value::new(sort, bits | u128::from(is_odd))
        };
        let initial =
            system.initial_inputs.values().map(|input| value(system.terms.symbol(input.symbol).sort, false));
        let initial = initial.collect();
        let steps = (0..5).map(|_| {
            let of = |input: &model::system::Input| {
                (system.terms.symbol(input.symbol).sort, &*system.terms.symbol(input.symbol).name == "state3")
            };
            system.inputs.values().map(of).map(|(sort, is_held)| value(sort, is_held)).collect()
        });
        let trace = Trace { start: Start::Initial(initial), inputs: steps.collect() };
        let run = replay_with(&mut Simulator::new(&system), &system, &trace).expect("the constraint is kept");
        for goal in (0..6).map(GoalId::new) {
            let first = run.occurrences[goal].first().map(|occurrence| occurrence.step);
            let witness = btor2::witness(&model, &trace, goal, first.unwrap_or(4)).expect("a witness");
            match (check_witness(&text, &witness), first) {
                (Ok(found), Some(at)) => {
                    assert_eq!((found[0].bads[0].2, found[0].missing), (at, 0), "{text}{witness}");
                    accepted += 1;
                }
                (Err(Refused::Rejected { .. }), None) => refused += 1,
                (found, first) => panic!("{found:?} {first:?}\n{text}{witness}"),
            }
        }
    }
    assert!(accepted > 300 && refused > 100, "{accepted} {refused}");
}
