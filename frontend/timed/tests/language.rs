//! Texts of timed systems: what is read, printed back, and refused.

use frontend::diagnostics::Diagnostics;
use frontend::source::SourceMap;
use spec::language::TIMED;
use spec::lexer::tokens;
use spec::scope::Scope;
use timed::check::check;
use timed::parser::parse;
use timed::syntax::File;

fn parsed(text: &str) -> (File, Diagnostics) {
    let (mut sources, mut diagnostics) = (SourceMap::default(), Diagnostics::default());
    let file = sources.add_text("t.tio".as_ref(), text);
    let tokens = tokens(&sources, file, &TIMED, &mut diagnostics);
    let file = parse(&tokens, &mut diagnostics);
    (file, diagnostics)
}

fn codes(text: &str) -> Vec<&'static str> {
    let (file, mut diagnostics) = parsed(text);
    if !diagnostics.has_errors() {
        let _ = check(&file, Scope::new(), &mut diagnostics);
    }
    diagnostics.entries.iter().map(|entry| entry.code.text).collect()
}

const HEAD: &str = "timed t var x, y: 0..9 = 0 clock c input In(0..9) output Out(0..9), Tick initial a ";

#[test]
fn printing_is_a_fixed_point() {
    let texts = [
        include_str!("../../../examples/atm.tio"),
        include_str!("../../../examples/dummy.tio"),
        "timed t const N = 3 type M = {OFF, ON} define big = x > N var x: 0..9 var m: M = OFF clock c, d \
         input uncontrollable A(bool), B output C(int), D initial q final q, r timeout 5 tick 1/2 \
         edge e: q -> r when big and c <= N A?m2 reset c, d do x := x + 1, x, y := y, x \
         edge f: r -> q C!-1 edge \"g h\": q -> q D! purpose p = f.\"g h\" goal pairs goal states goal purposes goal deep when x = 3",
    ];
    for text in texts {
        let (file, diagnostics) = parsed(text);
        assert!(!diagnostics.has_errors(), "{:?}", diagnostics.entries);
        let printed = timed::print::file(&file);
        let (again, diagnostics) = parsed(&printed);
        assert!(!diagnostics.has_errors(), "{printed}\n{:?}", diagnostics.entries);
        assert_eq!((&again, timed::print::file(&again)), (&file, printed.clone()), "{printed}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    let table: [(&str, &[&str]); 22] = [
        ("edge e: a -> b when c <= 5 In?x edge f: b -> a when c >= 1 Out!x reset c", &[]),
        ("edge e: a -> a when x * y > 3 and c < 1 In?x", &["non-linear"]),
        ("edge e: a -> a when c < 3 Out!c", &["type-mismatch"]),
        ("edge e: a -> a when c * 2 + x > 3 In?x", &[]),
        ("edge e: a -> a when (if c > 2 then c else 1) > 1 In?x", &["clock-in-output"]),
        ("edge e: a -> a when c < 3 In?x do x := x + 1", &["may-leave-range"]),
        ("edge e: a -> a In?x", &["clock-unused"]),
        ("edge e: a -> b when c > 1 In?x edge f: b -> a Tick! purpose p = f.e", &["purpose-broken"]),
        ("edge e: a -> b when c > 1 In?x edge f: b -> a Tick! purpose p = e", &["purpose-ends-in-input"]),
        ("edge e: a -> b when c > 1 In?x edge e: b -> a Tick!", &["declared-twice"]),
        ("edge e: a -> b when c > 1 In?x goal g when x = 1 goal g when y = 1", &["declared-twice"]),
        ("edge e: a -> b when c > 1 In?x goal transitions goal e when y = 1", &["declared-twice"]),
        (
            "edge e: a -> b when c > 1 In?x edge f: b -> a Tick! goal transitions purpose f = e.f goal purposes",
            &["declared-twice"],
        ),
        (
            "edge e: a -> b when c > 1 In?x goal transitions goal pairs goal transitions goal g when y = 1",
            &[],
        ),
        ("edge e: a -> b when c > 1 Inn?x", &["unknown-name"]),
        ("edge e: a -> b when c > 1 In!x", &["wrong-kind"]),
        ("edge e: a -> b when c > 1 In?(x, y)", &["argument-count"]),
        ("edge e: a -> b when c > 1 In?c", &["wrong-kind"]),
        ("edge e: a -> b when c > 1 In?x reset x", &["wrong-kind"]),
        (
            "edge e: a -> b when c > 1 and false In?x edge f: a b goal nonsense edge g: -> c",
            &["unexpected", "unexpected", "unexpected"],
        ),
        ("initial b edge e: a -> b when c > 1 In?x", &["timed-declarations"]),
        ("edge e: b -> b when c > 1 In?x timeout 0", &["timed-declarations", "timed-declarations"]),
    ];
    for (text, expected) in table {
        assert_eq!(codes(&format!("{HEAD}{text}")), expected, "{text}");
    }
}

#[test]
fn mutated_texts_are_read_or_refused_without_panics() {
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};
    let text = include_str!("../../../examples/atm.tio");
    let words: Vec<&str> = text.split_inclusive([' ', '\n', '(', ')', ',']).collect();
    let mut random = SmallRng::seed_from_u64(7);
    let mut refused = 0;
    for _ in 0..3000 {
        let mut mutant = words.clone();
        for _ in 0..random.random_range(1..4) {
            let (at, other) = (random.random_range(0..mutant.len()), random.random_range(0..words.len()));
            match random.random_range(0..3) {
                0 => mutant[at] = words[other],
                1 => mutant.insert(at, words[other]),
                _ => drop(mutant.remove(at)),
            }
        }
        let text = mutant.concat();
        let (file, mut diagnostics) = parsed(&text);
        let is_good = !diagnostics.has_errors() && check(&file, Scope::new(), &mut diagnostics).is_ok();
        refused += usize::from(!is_good);
        assert!(is_good || diagnostics.has_errors(), "a refusal should say why: {text}");
    }
    assert!((500..3000).contains(&refused), "{refused}");
}
