//! Consistency, conflicts and requirements without effect, of small interfaces.

use crate::support::{BUFFER, document};
use contracts::check::check;
use contracts::semantics::Effort;

/// `consistent`, or the depth and the conflicts there and at any depth; then what has no effect.
fn outcome(text: &str) -> String {
    let document = document(text);
    let interface = &document.interface;
    let found = check(interface, &mut Effort::default()).expect("it should be small");
    let json = found.to_json(interface);
    assert!(json["all_conflicts"].as_bool().expect("a truth"));
    match found.depth {
        None => format!("consistent, void {}, implied {}", json["void"], json["implied"]),
        Some(depth) => format!("{depth}: {} {}", json["conflicts"], json["conflicts_any_depth"]),
    }
}

#[test]
fn the_buffer_is_consistent() {
    assert_eq!(outcome(BUFFER), "consistent, void [], implied []");
    assert_eq!(document(BUFFER).interface.counts(), (3, 7));
    assert_eq!(document(BUFFER).interface.view_count(), 2);
}

#[test]
fn a_buffer_that_is_drained_below_zero_is_not() {
    let broken = BUFFER.replace(" and k > 0", "");
    assert_eq!(outcome(&broken), r#"1: [["r0","r2"]] [["r2"]]"#);
    let document = document(&broken);
    let found = check(&document.interface, &mut Effort::default()).expect("it should be small");
    let refutation = found.refutation.expect("a play");
    assert_eq!(refutation.describe(&document.interface), "any, then deq alone");
    let r2 = refutation.asked.iter().find(|(index, _)| document.interface.requirements[*index].name == "r2");
    assert_eq!(r2.map(|(_, clause)| clause.as_str()), Some("asks for k' = -1, outside 0..2"));
}

#[test]
fn small_interfaces() {
    let table = [
        // At once.
        (
            "output b : bool  req x always guarantee b'  req y always guarantee not b'",
            r#"0: [["x","y"]] [["x","y"]]"#,
        ),
        // An output may depend on the input of its step.
        (
            "input a : bool  output b : bool  req x always guarantee b' = a'",
            "consistent, void [], implied []",
        ),
        // A hidden value cannot foresee the next input.
        (
            "input a : bool  output b : bool  hidden h : bool  req x guarantee h = a'  req y always guarantee b'",
            r#"1: [["x"]] [["x"]]"#,
        ),
        // One requirement alone fails later.
        (
            "output n : 0..3  req x initially guarantee n' = 0  req y guarantee n' = n + 1  req z guarantee n' <= 1",
            r#"2: [["y","z"]] [["y"]]"#,
        ),
        (
            "output n : 0..3  req x always guarantee n' = 2  req y always guarantee n' > 0",
            "consistent, void [], implied [\"y\"]",
        ),
        (
            "input a : bool  output n : 0..3  req x always assume a' guarantee n' = 2  req y initially guarantee n' = 1 or a'  req z assume n > 3 guarantee n' = 0",
            "consistent, void [\"z\"], implied []",
        ),
        // The environment never gives what cannot be answered.
        (
            "input a : 0..3  output n : 0..1  environment a' < 2  req x always guarantee n' = a'",
            "consistent, void [], implied []",
        ),
        ("input a : 0..3  output n : 0..1  req x always guarantee n' = a'", r#"0: [["x"]] [["x"]]"#),
        // Parts that share inputs only are apart.
        (
            "input a : bool  output b, c : bool  req x always guarantee b' = a'  req y always guarantee c'  req z guarantee not c'",
            r#"1: [["y","z"]] [["y","z"]]"#,
        ),
        ("output n : 0..3  req x always guarantee 6 div n' = 3", "consistent, void [], implied []"),
        ("output n : 0..1  req x always guarantee 6 div n' = 3", r#"0: [["x"]] [["x"]]"#),
    ];
    for (text, expected) in table {
        assert_eq!(outcome(text), expected, "{text}");
    }
}

/// Once `n` is 3 no system can answer, so `y` is void; what the others imply is no matter of decision.
#[test]
fn what_never_decides_is_told_apart_from_what_is_implied() {
    let text = "output n : 0..3
                req x initially guarantee n' = 0
                req y assume n = 3 guarantee n' < 3 and n' > 2
                req z assume n = 0 guarantee n' != 3";
    let outcome = |text: &str| {
        let document = document(text);
        let found = check(&document.interface, &mut Effort::default()).expect("it should be small");
        (found.implied, found.never_deciding, found.void)
    };
    let (implied, never_deciding, void) = outcome(text);
    assert_eq!((implied, void), (vec![], vec![1]));
    assert_eq!(never_deciding, Vec::<usize>::new());
    let always = "output n : 0..3\nreq x always guarantee n' = 2\nreq y guarantee n' != 1";
    assert_eq!(outcome(always), (vec![1], vec![], vec![]));
}

/// The text is that of the buffer's step 0, with everything in its place; solvers agree with the
/// enumeration on random interfaces (`tests/random.rs`).
#[test]
fn consistency_is_written_as_a_question() {
    let text = "interface echo\ninput a : bool\noutput n : 0..2\nreq x always assume a' guarantee n' = 2";
    let document = document(text);
    let found = contracts::smt::consistency(&document.interface, 0).expect("a text");
    let expected = "; echo is 0-consistent if and only if this is satisfiable\n(set-logic ALL)\n(assert (forall ((|a@0| Bool))\n (=> true (exists ((|n@0| Int))\n (and (<= 0 |n@0| 2) (=> |a@0| (= |n@0| 2)))))))\n(check-sat)\n";
    assert_eq!(found, expected);
}

/// Nothing is asked where nothing occurs: that is told, since it is hardly meant.
#[test]
fn an_environment_without_inputs_is_told() {
    let found = |text: &str| {
        let document = document(text);
        let found = check(&document.interface, &mut Effort::default()).expect("it should be small");
        (found.depth, found.has_no_inputs, found.has_dead_end)
    };
    let rest = "input a : bool\noutput b : bool\nreq x always guarantee b' and not b'\n";
    assert_eq!(found(&format!("{rest}environment a' and not a'")), (None, true, true));
    assert_eq!(found(&format!("{rest}environment a'")), (Some(0), false, false));
    let kept = rest.replace(" and not b'", "");
    assert_eq!(found(&format!("{kept}environment a and a' and not a'")), (None, false, true));
}
