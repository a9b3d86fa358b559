//! Machines of xLIA: what they mean, what is refused, and that nothing panics.

use frontend::diagnostics::render;
use num_rational::BigRational;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use std::path::Path;
use timed::read::{Model, read};
use timed::smt::Solver;
use timed::testcase::generate;

/// A machine with the shape of SPTG's dummy example: an answer whose time follows from the request.
const ANSWER: &str = "@xlia< system , 1.0 >:
timed system Answering {
@composite:
    statemachine Machine {
    @public:
        port input Ask( urational amount );
        port output Answer( urational );
        port output Enough;
    @private:
        var urational total, amount; /* of all requests */
        var clock urational since;
        const uint LAST = 42;
    @region:
        state< start > idle {
            @init { total := 0; }
            transition ask --> busy {
                input Ask( amount );
                guard ( 1 <= amount <= 10 );
                total = total + amount;
                since := 0;
            }
            transition done --> over { guard total >= 15; output Enough; }
        }
        state busy {
            transition low --> idle { guard ( amount <= 5 && since == LAST - amount ); output Answer( 0 ); }
            transition high --> idle { guard ( !(amount <= 5) && since == LAST - amount ); output Answer( amount ); }
        }
        state< terminal > over;
    @com:
        connect< env >{ input Ask; output Answer; output Enough; }
    }
}
";

fn written(text: &str) -> (tempfile::TempDir, Result<Model, String>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.xlia");
    std::fs::write(&path, text).expect("a file");
    let model = read(&path, &[]).map_err(|failure| render(&failure.diagnostics, &failure.sources, false));
    (folder, model)
}

fn model(text: &str) -> Model {
    written(text).1.unwrap_or_else(|error| panic!("{error}"))
}

/// A machine with one state and a transition that has some statements.
fn machine(declarations: &str, statements: &str) -> String {
    format!(
        "@xlia<system,1.0>: system S {{ @composite: statemachine M {{ @public: port input I(int); port output O(int);
         @private: var int x; var int y; var clock urational c; {declarations}
         @region: state<start> q {{ @init {{ y := 1; }} transition t --> q {{ {statements} }} }} }} }}"
    )
}

/// The sizes that SPTG's authors published for such a machine.
#[test]
fn pruned_test_cases_have_the_sizes_of_sptg() {
    let system = model(ANSWER).system;
    let mut solver = Solver::start("z3").unwrap_or_else(|error| panic!("{error}"));
    let timeout = BigRational::from_integer(60.into());
    for (path, all, pruned) in [("ask.low", 11, 9), ("ask.low.ask.high.done", 27, 21)] {
        let edges = system.path_named(path).expect("a path");
        let mut test = generate(&system, (path, &edges), &timeout, &mut solver).expect("a test case");
        assert_eq!(test.transitions.len(), all, "{path}");
        test.prune(&mut solver).expect("answers");
        assert_eq!(test.transitions.len(), pruned, "{path}");
    }
}

/// The same system by its text in the language of this crate.
#[test]
fn statements_take_effect_in_their_order() {
    let table = [
        ("", "output O(x); x := x + 1; y := x;", "O!(x) do x := x + 1, y := x + 1"),
        ("", "x = x + 1; x := x * 2; output O(x);", "O!((x + 1) * 2) do x := (x + 1) * 2"),
        ("", "output O(x); c := 0; guard (c <= 5);", "when 0 <= 5 O!(x) reset c"),
        (
            "",
            "output O(-x); guard x > 1; guard !(y == 2 || x != 3);",
            "when x > 1 and not (y = 2 or x != 3) O!(-x)",
        ),
        ("", "input I(x); guard (x == y);", "when x = y I?(x)"),
        // The machine begins in that state, where a parameter's type is asserted.
        (
            "const urational d; const uint k = 7;",
            "output O(x); guard (d < k);",
            "when d >= 0 and d < k O!(x)",
        ),
        ("var urational d;", "input I(d);", "when d >= 0 I?(d)"),
    ];
    for (declarations, statements, expected) in table {
        let text = timed::print::file(&model(&machine(declarations, statements)).file);
        let edge = text.lines().find(|line| line.starts_with("edge")).expect("a transition");
        assert_eq!(edge, format!("edge t: q -> q {expected}"), "{statements}");
    }
}

#[test]
fn names_that_stand_in_several_states_tell_their_state() {
    let text = ANSWER
        .replace("transition high", "transition low")
        .replace("transition low --> idle { guard ( !", "transition ask --> idle { guard ( !");
    let system = model(&text).system;
    let names: Vec<&str> = system.edges.iter().map(|edge| edge.name.as_str()).collect();
    assert_eq!(names, ["idle.ask", "done", "low", "busy.ask"]);
    assert_eq!(system.path_named("idle.ask.busy.ask"), Some(vec![0, 3]));
    assert_eq!(system.path_named("idle.ask.ask"), None);
}

#[test]
fn what_is_not_supported_is_told_with_its_place() {
    let table = [
        (machine("", "guard x > 1;"), "transitions without a message, such as `t`, are not supported"),
        (machine("", "input I(x); output O(x);"), "transitions with several messages are not supported"),
        (machine("", "guard x > 1; input I(x);"), "statements before an input are not supported"),
        (machine("", "output O(x); c := 3;"), "clocks that are set to anything but 0 are not supported"),
        (machine("", "output O(x / 2);"), "division is not supported"),
        (machine("", "if (x > 1) { output O(x); }"), "statements `if` are not supported"),
        (machine("var int a[3];", "output O(x);"), "arrays are not supported"),
        (machine("", "output O(x); a[1] := 2;"), "arrays are not supported"),
        (machine("var float f;", "output O(x);"), "the type `float` is not supported"),
        (machine("", "output O(x); x == 2;"), "stands where a statement begins"),
        (machine("", "output P(x);"), "`P`"),
        (machine("", "output O(z);"), "`z`"),
        (machine("", "output O(x)"), "expected `;`"),
        (machine("", "output O(x * x);"), "terms have to be linear"),
        (
            machine("", "output O(x);").replace("@region", "@machine"),
            "a section `@machine` here is not supported",
        ),
        (
            machine("", "output O(x);").replace("state<start>", "state").replace("@init { y := 1; }", ""),
            "one state has to be `< start >`, not 0",
        ),
        (machine("", "output O(x);").replace("--> q", "--> r"), "there is no state `r`"),
        (
            machine("", "output O(x);").replace("state<start>", "state<fork>"),
            "states `< fork >` are not supported",
        ),
        (
            format!(
                "{} statemachine N {{}} }}",
                machine("", "output O(x);").trim_end_matches(['}', ' ']).to_owned() + " } } }"
            ),
            "systems of several machines are not supported",
        ),
        ("@xlia<system,1.0>".to_owned(), "expected `:`"),
        ("/* no end".to_owned(), "this comment has no end"),
        (String::new(), "expected `@` at the beginning"),
    ];
    for (text, expected) in table {
        let message = match written(&text).1 {
            Err(message) => message,
            Ok(_) => panic!("accepted: {text}"),
        };
        assert!(message.contains(expected), "{text}\n{message}");
        // An empty text has a place and no line to show.
        assert!(
            message.contains("m.xlia:") && (text.is_empty() || message.contains('|')),
            "no place: {message}"
        );
    }
}

/// Texts with pieces taken out, doubled and put elsewhere are read or refused.
#[test]
fn mutated_texts_do_not_panic() {
    let count =
        std::env::var("CHAINCOVER_MUTATED_TEXTS").ok().and_then(|text| text.parse().ok()).unwrap_or(400);
    let mut random = SmallRng::seed_from_u64(3);
    let folder = tempfile::tempdir().expect("a folder");
    let atm = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/atm.tio"));
    let texts = [("m.xlia", ANSWER.to_owned()), ("m.tio", atm.expect("an example"))];
    let mut read_anyway = 0;
    for number in 0..count {
        let (name, text) = &texts[number % 2];
        let mut characters: Vec<char> = text.chars().collect();
        for _ in 0..random.random_range(1..4) {
            let from = random.random_range(0..characters.len());
            let to = (from + random.random_range(1..12)).min(characters.len());
            let piece: Vec<char> = characters[from..to].to_vec();
            if random.random_bool(0.6) {
                characters.drain(from..to);
            }
            if random.random_bool(0.6) {
                let at = random.random_range(0..=characters.len());
                characters.splice(at..at, piece);
            }
        }
        let path = folder.path().join(name);
        std::fs::write(&path, characters.into_iter().collect::<String>()).expect("a file");
        match read(&path, &[]) {
            Ok(_) => read_anyway += 1,
            Err(failure) => assert!(failure.diagnostics.has_errors(), "refused without a message"),
        }
    }
    assert!(count < 100 || (read_anyway > 0 && read_anyway < count), "{read_anyway} of {count}");
}
