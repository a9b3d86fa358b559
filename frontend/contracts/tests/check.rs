//! Consistency, conflicts and requirements without effect, of small interfaces.

mod support;

use contracts::check::check;
use contracts::semantics::Effort;
use support::{BUFFER, document};

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
        ("output b : bool  req x always guarantee b'  req y always guarantee not b'", r#"0: [["x","y"]] [["x","y"]]"#),
        // An output may depend on the input of its step.
        ("input a : bool  output b : bool  req x always guarantee b' = a'", "consistent, void [], implied []"),
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
        ("output n : 0..3  req x always guarantee n' = 2  req y always guarantee n' > 0", "consistent, void [], implied [\"y\"]"),
        (
            "input a : bool  output n : 0..3  req x always assume a' guarantee n' = 2  req y initially guarantee n' = 1 or a'  req z assume n > 3 guarantee n' = 0",
            "consistent, void [\"z\"], implied []",
        ),
        // The environment never gives what cannot be answered.
        ("input a : 0..3  output n : 0..1  environment a' < 2  req x always guarantee n' = a'", "consistent, void [], implied []"),
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
