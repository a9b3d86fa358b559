//! What lines mean, against definitions that share no code with the reader, and what is refused.

use model::id::Id;
use model::simulate::Simulator;
use model::system::GoalId;
use model::text::parse;
use model::trace::{Start, Trace, replay};
use model::validate::{Validated, validate};
use model::value::Value;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

fn validated(text: &str) -> Validated {
    let model = btor2::read(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    validate(model.system).expect("a valid system")
}

fn signed(width: u32, bits: u128) -> i128 {
    if bits >> (width - 1) & 1 == 1 { bits as i128 - (1 << width) } else { bits as i128 }
}

/// The definition of a binary operator of the paper, on words of a few bits.
fn defined(keyword: &str, width: u32, a: u128, b: u128) -> u128 {
    let (x, y) = (signed(width, a), signed(width, b));
    let mask = (1 << width) - 1;
    let fits = |number: i128| (-(1 << (width - 1))..1 << (width - 1)).contains(&number);
    let result: i128 = match keyword {
        "and" => (a & b) as i128,
        "nand" => !(a & b) as i128,
        "or" => (a | b) as i128,
        "nor" => !(a | b) as i128,
        "xor" => (a ^ b) as i128,
        "xnor" => !(a ^ b) as i128,
        "eq" => i128::from(a == b),
        "neq" => i128::from(a != b),
        "ult" => i128::from(a < b),
        "ulte" => i128::from(a <= b),
        "ugt" => i128::from(a > b),
        "ugte" => i128::from(a >= b),
        "slt" => i128::from(x < y),
        "slte" => i128::from(x <= y),
        "sgt" => i128::from(x > y),
        "sgte" => i128::from(x >= y),
        "add" => x + y,
        "sub" => x - y,
        "mul" => x * y,
        "udiv" => a.checked_div(b).map_or(-1, |quotient| quotient as i128),
        "urem" => a.checked_rem(b).unwrap_or(a) as i128,
        "sdiv" if y == 0 => {
            if x < 0 {
                1
            } else {
                -1
            }
        }
        "sdiv" => x / y,
        "srem" => x.checked_rem(y).unwrap_or(x),
        "smod" if y == 0 => x,
        "smod" => ((x % y) + y) % y,
        "sll" => {
            if b >= u128::from(width) {
                0
            } else {
                (a << b) as i128
            }
        }
        "srl" => {
            if b >= u128::from(width) {
                0
            } else {
                (a >> b) as i128
            }
        }
        "sra" => x >> b.min(u128::from(width)),
        "rol" | "ror" => {
            let by = (b % u128::from(width)) as u32;
            let by = if keyword == "rol" { by } else { (width - by) % width };
            (0..width).filter(|bit| a >> bit & 1 == 1).map(|bit| 1_i128 << ((bit + by) % width)).sum()
        }
        "uaddo" => i128::from(a + b > mask),
        "usubo" => i128::from(a < b),
        "umulo" => i128::from(a * b > mask),
        "udivo" => 0,
        "saddo" => i128::from(!fits(x + y)),
        "ssubo" => i128::from(!fits(x - y)),
        "smulo" => i128::from(!fits(x * y)),
        "sdivo" => i128::from(y != 0 && !fits(x / y)),
        "concat" => (a << width | b) as i128,
        other => panic!("no definition of {other}"),
    };
    result as u128
}

const WORDS: [&str; 18] = [
    "and", "nand", "or", "nor", "xor", "xnor", "add", "sub", "mul", "udiv", "urem", "sdiv", "srem", "smod",
    "sll", "srl", "sra", "rol",
];
const TRUTHS: [&str; 18] = [
    "eq", "neq", "ult", "ulte", "ugt", "ugte", "slt", "slte", "sgt", "sgte", "uaddo", "usubo", "umulo",
    "udivo", "saddo", "ssubo", "smulo", "sdivo",
];

fn outputs(system: &Validated, row: &[Value]) -> Vec<u128> {
    let mut simulator = Simulator::new(system);
    let state = simulator.initial(&[]).state;
    simulator.step(&state, row).outputs.iter().map(|value| value.bits()).collect()
}

#[test]
fn binary_operators_are_those_of_the_definition() {
    for width in 1..=4 {
        let results = WORDS.iter().map(|&word| (word, width)).chain([("ror", width), ("concat", 2 * width)]);
        let results = results.chain(TRUTHS.iter().map(|&truth| (truth, 1)));
        let mut text = format!("1 sort bitvec 1\n2 sort bitvec {width}\n3 sort bitvec {}\n", 2 * width);
        text.push_str("4 input 2 a\n5 input 2 b\n");
        let mut keywords = Vec::new();
        for (number, (keyword, bits)) in results.enumerate() {
            let sort = if bits == 1 {
                1
            } else if bits == width {
                2
            } else {
                3
            };
            let line = 6 + 2 * number;
            text.push_str(&format!("{line} {keyword} {sort} 4 5\n{} output {line} o{number}\n", line + 1));
            keywords.push((keyword, bits));
        }
        let system = validated(&text);
        for (a, b) in (0..1_u128 << width).flat_map(|a| (0..1_u128 << width).map(move |b| (a, b))) {
            let row = [a, b].map(|bits| Value::word(width, bits));
            for (&(keyword, bits), found) in keywords.iter().zip(outputs(&system, &row)) {
                let expected = defined(keyword, width, a, b) & ((1 << bits) - 1);
                assert_eq!(found, expected, "{keyword} of {a} and {b} in {width} bits");
            }
        }
    }
}

#[test]
fn unary_operators_slices_extensions_and_constants() {
    let text = "1 sort bitvec 1\n2 sort bitvec 4\n3 sort bitvec 6\n4 sort bitvec 2\n5 input 2 a\n\
        6 not 2 5\n7 output 6\n8 neg 2 5\n9 output 8\n10 inc 2 5\n11 output 10\n12 dec 2 5\n13 output 12\n\
        14 redand 1 5\n15 output 14\n16 redor 1 5\n17 output 16\n18 redxor 1 5\n19 output 18\n\
        20 uext 3 5 2\n21 output 20\n22 sext 3 5 2\n23 output 22\n24 slice 4 5 2 1\n25 output 24\n26 output -5\n\
        27 one 2\n28 output 27\n29 ones 2\n30 output 29\n31 const 2 0110\n32 output 31\n33 constd 2 -3\n34 output 33\n\
        35 consth 2 c\n36 output 35\n37 ite 2 14 5 27\n38 output 37\n";
    let system = validated(text);
    for a in 0..16_u128 {
        let ones = a.count_ones() as u128;
        let expected = [
            15 - a,
            (16 - a) % 16,
            (a + 1) % 16,
            (a + 15) % 16,
            u128::from(a == 15),
            u128::from(a != 0),
            ones % 2,
            a,
            if a > 7 { a + 48 } else { a },
            a >> 1 & 3,
            15 - a,
            1,
            15,
            6,
            13,
            12,
            if a == 15 { a } else { 1 },
        ];
        assert_eq!(outputs(&system, &[Value::word(4, a)]), expected, "{a}");
    }
}

/// A memory of eight words, written and read in every step, against a plain array.
#[test]
fn arrays_keep_what_is_written() {
    let text = "1 sort bitvec 3\n2 sort bitvec 4\n3 sort array 1 2\n4 sort bitvec 1\n5 constd 2 7\n6 state 3 memory\n\
        7 init 3 6 5\n8 input 1 to\n9 input 2 data\n10 input 4 on\n11 input 1 from\n12 write 3 6 8 9\n13 ite 3 10 12 6\n\
        14 next 3 6 13\n15 read 2 6 11\n16 output 15 seen\n17 eq 4 6 12\n18 output 17 same\n";
    let system = validated(text);
    let mut random = SmallRng::seed_from_u64(1);
    let (mut simulator, mut memory) = (Simulator::new(&system), [7_u128; 8]);
    let mut state = simulator.initial(&[]).state;
    for _ in 0..500 {
        let (to, data, on, from) = (
            random.random_range(0..8),
            random.random_range(0..16_u128),
            random.random(),
            random.random_range(0..8),
        );
        let row = [(3, to as u128), (4, data), (1, u128::from(on)), (3, from as u128)];
        let row: Vec<Value> = row.into_iter().map(|(width, bits)| Value::word(width, bits)).collect();
        let step = simulator.step(&state, &row);
        let seen: Vec<u128> = step.outputs.iter().map(|value| value.bits()).collect();
        assert_eq!(seen, [memory[from], u128::from(memory[to] == data)]);
        if on {
            memory[to] = data;
        }
        state = step.next.to_vec();
    }
}

/// States without `init`, without `next`, without both, and initial values that follow from other states.
#[test]
fn what_is_not_said_of_a_state_is_free() {
    let text = "1 sort bitvec 4\n2 state 1 kept\n3 next 1 2 2\n4 one 1\n5 add 1 2 4\n6 state 1 more\n7 init 1 6 5\n\
        8 next 1 6 6\n9 state 1 loose\n10 zero 1\n11 state 1 begun\n12 init 1 11 10\n13 sort bitvec 1\n14 eq 13 6 9\n\
        15 bad 14 meets\n16 eq 13 11 4\n17 constraint 16\n";
    let model = btor2::read(text).expect("a model");
    let system = validate(model.system.clone()).expect("a valid system");
    assert_eq!((system.states.len(), system.inputs.len(), system.initial_inputs.len()), (3, 2, 1));
    let words = |numbers: &[u128]| numbers.iter().map(|&number| Value::word(4, number)).collect::<Vec<_>>();
    // The constraint asks `begun` for 1, and it begins with 0: no step is possible.
    let trace = Trace { start: Start::Initial(words(&[3])), inputs: vec![words(&[4, 1])] };
    assert!(replay(&system, &trace).is_err());
    let free = validated(&text.replace("10 zero 1", "10 one 1"));
    let trace = Trace { start: Start::Initial(words(&[3])), inputs: vec![words(&[2, 1]), words(&[4, 7])] };
    let run = replay(&free, &trace).expect("an execution");
    assert_eq!(run.occurrences[GoalId::new(0)].iter().map(|found| found.step).collect::<Vec<_>>(), [1]);
    let witness = btor2::witness(&model, &trace, GoalId::new(0), 1).expect("a witness");
    let expected =
        "sat\nb0\n#0\n0 0011 kept#0\n2 0010 loose#0\n@0\n#1\n2 0100 loose#1\n3 0001 begun#1\n@1\n.\n";
    assert_eq!(witness, expected);
    assert_eq!(btor2::witness(&model, &trace, GoalId::new(0), 2), None);
}

/// A system, written as BTOR2 and read again, does the same.
#[test]
fn exported_systems_come_back() {
    let text = "system pair input go w1 input by w3 state n w3 init 2 next (ite go (add n by) n)
        state flag w1 init 1 next (eq n 5) assume (ult by 6)
        goal five when (eq n 5) goal twice steps 2 when (and go (eq by@1 by) (eq n@2 0))";
    let system = validate(parse(text).expect("a text")).expect("a valid system");
    let exported = model::btor2::export(&system).expect("an export");
    let read = validated(&exported.text);
    assert_eq!(read.goals.len(), 2);
    let mut random = SmallRng::seed_from_u64(2);
    for _ in 0..300 {
        let row = |random: &mut SmallRng| {
            vec![Value::word(1, random.random_range(0..2)), Value::word(3, random.random_range(0..6))]
        };
        let inputs: Vec<Vec<Value>> = (0..8).map(|_| row(&mut random)).collect();
        let trace = Trace { start: Start::Initial(Vec::new()), inputs: inputs.clone() };
        let run = replay(&system, &trace).expect("an execution");
        let zero = |input: &model::system::Input| Value::zero(read.terms.symbol(input.symbol).sort);
        let start = Start::Initial(read.initial_inputs.values().map(zero).collect());
        let again = replay(&read, &Trace { start, inputs }).expect("an execution");
        for (goal, window) in [(0, 0), (1, 1)] {
            let steps = |run: &model::trace::Execution, more: usize| {
                run.occurrences[GoalId::new(goal)].iter().map(|found| found.step + more).collect::<Vec<_>>()
            };
            assert_eq!(steps(&run, window), steps(&again, 0));
        }
    }
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let table = [
        ("1 sort bitvec 0", 1, "at least one bit"),
        ("1 sort bitvec 129", 1, "beyond 128 bits"),
        ("1 sort float 3", 1, "no sort"),
        ("x sort bitvec 1", 1, "begins with its number"),
        ("1", 1, "ends behind its number"),
        ("1 sort bitvec 1\n2 input 3", 2, "3 is no sort"),
        ("1 sort bitvec 1\n2 and 1 3 4", 2, "is no value above"),
        ("1 sort bitvec 1\n2 input 1\n3 sort bitvec 2\n4 zero 3\n5 and 1 2 4", 5, "one sort"),
        ("1 sort bitvec 2\n2 input 1\n3 bad 2", 3, "one bit, not 2"),
        ("1 sort bitvec 1\n2 input 1\n3 justice 1 2", 3, "not supported"),
        ("1 sort bitvec 1\n2 input 1\n3 frob 1 2", 3, "`frob` is not supported"),
        ("1 sort bitvec 1\n2 input 1\n2 input 1", 3, "should ascend"),
        ("1 sort bitvec 1\n2 state 1\n3 input 1\n4 init 1 2 3", 4, "cannot depend on an input"),
        ("1 sort bitvec 1\n2 state 1\n3 next 1 2 2\n4 next 1 2 2", 4, "second `next`"),
        ("1 sort bitvec 20\n2 sort array 1 1\n3 state 2", 2, "1048576 elements with 20971520 bits"),
        ("1 sort bitvec 10\n2 sort bitvec 128\n3 sort array 1 2", 3, "1024 elements with 131072 bits"),
        ("1 sort bitvec 2\n2 constd 1 4", 2, "does not fit 2 bits"),
        ("1 sort bitvec 2\n2 const 1 12", 2, "no number to base 2"),
        ("1 sort bitvec 2\n2 input 1\n3 slice 1 2 2 1", 3, "not within the word"),
    ];
    for (text, line, message) in table {
        let error = btor2::read(text).err().unwrap_or_else(|| panic!("{text} should be refused"));
        assert!(error.line == line && error.message.contains(message), "{text}: {error}");
    }
}
