//! Contracts of Lustre: random interfaces mean the same when they are written and read, texts of
//! others mean what Lustre says, and what has no place is told with its line.

use crate::brute::Random;
use crate::support::{BUFFER, document, read_text};
use contracts::lustre::{Wishes, emit, import};
use contracts::monitor::{Judged, Monitor};
use contracts::runs::Goals;
use contracts::semantics::{Effort, Valuation};
use contracts::{Interface, check};
use rand::SeedableRng;
use rand::rngs::StdRng;
use spec::value::Value;
use std::collections::BTreeMap;

/// How far an observation is allowed, by steps: forbidden, or inputs that do not occur.
fn verdict(interface: &Interface, steps: &[BTreeMap<String, Value>]) -> Option<(usize, bool)> {
    let none: [&str; 0] = [];
    let mut monitor = Monitor::new(interface, Goals::first(interface, none), false);
    for (step, values) in steps.iter().enumerate() {
        let observed: Valuation =
            interface.scope.variables().iter().map(|(_, one)| values.get(&one.name).cloned()).collect();
        match monitor.observe(&observed, &mut Effort::default()).expect("few hidden values") {
            Judged::Allowed | Judged::Doomed(_) => {}
            Judged::Forbidden(_) => return Some((step, true)),
            Judged::NotOccurring => return Some((step, false)),
        }
    }
    None
}

#[test]
fn random_interfaces_mean_the_same() {
    const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];
    let (mut kept, mut broken, mut gone, mut compared) = (0, 0, 0, 0);
    for seed in 1..250 {
        let random = if seed % 3 == 0 { Random::restricted(seed) } else { Random::new(seed) };
        let Ok(original) = read_text(&random.text()) else { continue };
        let emitted = emit(&original.interface).expect("integers");
        let wishes = Wishes { hidden: emitted.hidden.clone(), ..Wishes::default() };
        let imported = import(&emitted.text, &wishes).unwrap_or_else(|why| panic!("{why}\n{}", emitted.text));
        let context = format!("seed {seed}\n{}\n{}\n{}", random.text(), emitted.text, imported.text);
        let again = read_text(&imported.text).unwrap_or_else(|why| panic!("{why}\n{context}"));
        let of = |interface: &Interface| {
            let found = check::check(interface, &mut Effort::default()).expect("a small interface");
            let names = |sets: &[Vec<usize>]| {
                sets.iter().map(|set| interface.names(set.iter().copied())).collect::<Vec<_>>()
            };
            (found.depth, names(&found.conflicts.sets), names(&found.any_depth.sets))
        };
        assert_eq!(of(&again.interface), of(&original.interface), "{context}");
        let mut chance = StdRng::seed_from_u64(seed);
        for _ in 0..6 {
            let log = random.log(&mut chance);
            let steps: Vec<BTreeMap<String, Value>> = log
                .iter()
                .map(|state| {
                    let named = NAMES.iter().zip(state).zip(&random.variables);
                    let seen = named.filter(|(_, (role, _))| *role != crate::brute::Role::Hidden);
                    seen.map(|((name, &value), _)| ((*name).to_owned(), Value::Integer(value.into())))
                        .collect()
                })
                .collect();
            let expected = verdict(&original.interface, &steps);
            assert_eq!(verdict(&again.interface, &steps), expected, "{log:?}\n{context}");
            match expected {
                None => kept += 1,
                Some((_, true)) => broken += 1,
                Some((_, false)) => gone += 1,
            }
        }
        compared += 1;
    }
    assert!(kept > 100 && broken > 200 && gone > 20 && compared > 120, "{kept} {broken} {gone} {compared}");
}

#[test]
fn the_buffer_in_lustre() {
    let emitted = emit(&document(BUFFER).interface).expect("a contract");
    assert_eq!((emitted.hidden, emitted.purposes.len()), (vec!["k".to_owned()], 4));
    for line in [
        "node imported buffer (enq: bool; deq: bool)",
        "returns (E: bool; F: bool; k: subrange [0, 2] of int; pc: subrange [0, 5] of int);",
        "  -- enq enqueues when not full.",
        "  guarantee \"r1\" true -> ((enq and (not deq) and ((pre k) < 2)) => (k = ((pre k) + 1)));",
        "  guarantee \"rb\" ((enq or deq) => (pc <= 2));",
    ] {
        assert!(emitted.text.lines().any(|found| found == line), "{line}\n{}", emitted.text);
    }
}

/// Streams in texts that others write, by the values of a log.
#[test]
fn streams_mean_what_lustre_says() {
    let text = "-- a comment, and another (* one *)
        type Mode = enum { OFF, ON };
        type Level = subrange [0, 3] of int;
        const MOST : int = 2 + 1;
        node imported lamp (press, hold: bool; level: Level) returns (shown: Mode; seen: bool; steps: Level);
        con
          const least = 1;
          var twice: bool = false -> press and pre press;
          var count: subrange [0, MOST] of int = 0 -> if press and pre count < MOST then pre count + 1 else pre count;
          assume true -> not (hold and pre hold);
          assume not (press and hold);
          guarantee \"twice seen\" seen = twice;
          guarantee steps = (0 -> pre count);
          guarantee \"two back\" true -> (pre (false -> pre (press and not hold)) => shown = ON);
          mode start (require true -> false; ensure shown = OFF; ensure steps < least;);
          mode off (require not press; require level > 2 or hold; ensure shown <> ON => seen = false;);
        noc
        ";
    let imported = import(text, &Wishes::default()).unwrap_or_else(|why| panic!("{why}"));
    let document = read_text(&imported.text).unwrap_or_else(|why| panic!("{why}\n{}", imported.text));
    assert!(!imported.text.contains("the body of"), "{}", imported.text);
    let step = |press: bool, hold: bool, mode: u32, seen: bool, steps: i128| {
        let values = [
            ("press", Value::Bool(press)),
            ("hold", Value::Bool(hold)),
            ("level", Value::Integer(0)),
            ("shown", Value::Enumerator(mode)),
            ("seen", Value::Bool(seen)),
            ("steps", Value::Integer(steps)),
        ];
        values.map(|(name, value)| (name.to_owned(), value)).into_iter().collect::<BTreeMap<String, Value>>()
    };
    let table = [
        (vec![step(false, false, 0, false, 0)], None),
        // The mode of the start asks for OFF, and for no steps.
        (vec![step(false, false, 1, false, 0)], Some((0, true))),
        (vec![step(false, false, 0, false, 1)], Some((0, true))),
        (vec![step(true, true, 0, false, 0)], Some((0, false))),
        (vec![step(true, false, 0, false, 0), step(true, false, 0, true, 0)], None),
        (vec![step(true, false, 0, false, 0), step(true, false, 0, false, 0)], Some((1, true))),
        (vec![step(false, true, 0, false, 0), step(false, true, 0, false, 0)], Some((1, false))),
        // Two presses later the count of the step before is 1, and ON is due.
        (
            vec![
                step(true, false, 0, false, 0),
                step(true, false, 0, true, 0),
                step(false, false, 1, false, 1),
            ],
            None,
        ),
        (
            vec![
                step(true, false, 0, false, 0),
                step(true, false, 0, true, 0),
                step(false, false, 0, false, 1),
            ],
            Some((2, true)),
        ),
        (
            vec![
                step(true, false, 0, false, 0),
                step(true, false, 0, true, 0),
                step(false, false, 1, false, 0),
            ],
            Some((2, true)),
        ),
    ];
    for (index, (log, expected)) in table.iter().enumerate() {
        assert_eq!(verdict(&document.interface, log), *expected, "log {index}\n{}", imported.text);
    }
}

#[test]
fn what_has_no_place_is_told() {
    let one = |items: &str| {
        format!(
            "node imported n (a: bool; i: int) returns (b: bool; k: subrange [0, 3] of int);\n(*@contract\n{items}\n*)"
        )
    };
    let typed = Wishes { types: vec![("i".to_owned(), "0..9".to_owned())], ..Wishes::default() };
    let table = [
        (String::new(), "the file has no contracts"),
        ("node n (a: bool) returns (b: bool); let b = a; tel".to_owned(), "the file has no contracts"),
        (one("guarantee b"), "expected `;`, found `noc`"),
        (one("guarantee b = ;"), "expected a name, found `;`"),
        (one("guarantee pre b;"), "`pre` has no value in step 0"),
        (one("guarantee true -> pre (pre b);"), "`pre` has no value in step 0"),
        (one("guarantee true -> pre (0 -> pre k + 1) = 1;"), "is a number that is computed with"),
        (one("guarantee f(a);"), "the call of `f` has no place in an interface"),
        (one("guarantee ::m;"), "references to modes have no place"),
        (one("guarantee k / 2 = 1;"), "`/` has no place in an interface"),
        (one("assume a -> true;"), "says other things of step 0 than of later steps"),
        (one("import c(a) returns (b);"), "`import` has no place in an interface"),
        (one("weakly assume a;"), "`weakly` has no place in an interface"),
        (one("guarantee \"b;"), "a text has no end"),
        (one("guarantee b; /* never closed"), "a comment has no end"),
        (one("guarantee b ? a;"), "`?` begins nothing in Lustre"),
        (one(&format!("guarantee {}b{};", "(".repeat(5000), ")".repeat(5000))), "nested too deeply"),
        (one(&format!("guarantee {}b;", "not ".repeat(5000))), "nested too deeply"),
        (one(&format!("guarantee {}b;", "b => ".repeat(5000))), "nested too deeply"),
        ("const N: int;".to_owned(), "the constant `N` has no value"),
        ("type T = int^3;".to_owned(), "arrays and parametrised types have no place"),
        ("type T = subrange [0, *] of int;".to_owned(), "a subrange without a bound has no place"),
        (
            "contract c (x: T) returns (b: bool); let guarantee b; tel".to_owned(),
            "the type `T` is not declared",
        ),
        (
            "type T = U; type U = T; contract c (x: T) returns (b: bool); let guarantee b; tel".to_owned(),
            "is defined by itself",
        ),
    ];
    for (text, expected) in table {
        let why = import(&text, &typed).expect_err(&text).0;
        assert!(why.contains(expected), "{expected}\n{why}");
    }
    let why = import(&one("guarantee b;"), &Wishes::default()).expect_err("no type").0;
    assert!(why.contains("`i` is an int without bounds: say which it can be (--type \"i=0..100\")"), "{why}");
    assert!(why.contains("--> line 1, column 27"), "{why}");
    let two = "contract c (a: bool) returns (b: bool); let guarantee b; tel
        contract d (a: bool) returns (b: bool); let guarantee \"not a\" b = not a; import e(a) returns (b); tel";
    let why = import(two, &typed).expect_err("two contracts").0;
    assert!(why.contains("name one (--component); there are c, d"), "{why}");
    let wishes = Wishes { component: Some("d".to_owned()), skip: true, ..Wishes::default() };
    let imported = import(two, &wishes).expect("a contract");
    assert_eq!((imported.count, imported.left_out.len()), (1, 1));
    assert!(imported.text.contains("always guarantee (b' = (not a'))"), "{}", imported.text);
    let hidden =
        Wishes { hidden: vec!["a".to_owned()], component: Some("c".to_owned()), ..Wishes::default() };
    assert!(import(two, &hidden).expect_err("an input").0.contains("only outputs can be hidden"));
}

#[test]
fn what_lustre_has_not_is_refused() {
    let table = [
        ("output n : u8\nreq x always guarantee n' = n'", "the type u8 cannot be written"),
        (
            "output n : 0..1 step 0.5\nreq x always guarantee n' = 1",
            "the type 0..1 step 0.5 cannot be written",
        ),
        ("output n : {0, 2}\nreq x always guarantee n' = 2", "the type {0, 2} cannot be written"),
        (
            "output \"a b\" : bool\nreq x always guarantee \"a b\"'",
            "the name `a b`, which is no word of ASCII letters, digits and `_`, cannot be written",
        ),
        (
            "output pre : bool\nreq x always guarantee pre'",
            "the name `pre`, a keyword of Lustre, cannot be written",
        ),
        (
            "output b : bool\nreq \"x*)\" always guarantee b'",
            "the name `x*)`, with quotes, a backslash, a line end or `*)`, cannot be written",
        ),
    ];
    for (text, expected) in table {
        let why = emit(&document(text).interface).expect_err(text).to_string();
        assert!(why.contains(expected), "{expected}\n{why}");
    }
}
