//! Consistency, conflicts and requirements without effect, of small interfaces.

use crate::support::{BUFFER, document};
use contracts::check::{Consistency, Means, check, check_by};
use contracts::semantics::{Effort, Undecided};
use contracts::symbolic::{Board, Course, Kept, Runner, Selective, SelectiveBoard, Solved, Solver, Turn};
use frontend::limit::Limit;
use model::system::Input;
use model::value::Value;
use std::cell::Cell;

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
    assert_eq!(found(&format!("{rest}environment a' and not a'")), (None, Some(true), Some(true)));
    assert_eq!(found(&format!("{rest}environment a'")), (Some(0), Some(false), Some(false)));
    let kept = rest.replace(" and not b'", "");
    assert_eq!(found(&format!("{kept}environment a and a' and not a'")), (None, Some(false), Some(true)));
}

#[test]
fn long_plays_are_told_by_their_ends() {
    let told = |follows: &str| {
        let text = format!(
            "input a : 0..1  output x : 0..30  hidden p : 0..1  req r initially guarantee x' = 0 and p' = 0 {follows}"
        );
        let document = document(&text);
        let found = check(&document.interface, &mut Effort::default()).expect("a decision");
        assert_eq!(found.depth, Some(31));
        found.refutation.expect("a play").describe(&document.interface)
    };
    assert_eq!(told("guarantee x' = x + 1"), "any (32 times)");
    let alternating =
        "guarantee p' = 1 - p assume a' = p guarantee x' = x + 1 assume a' != p guarantee x' = x";
    let play = told(alternating);
    assert!(play.starts_with("any, then a = 0, then a = 1, "), "{play}");
    assert!(play.contains(", then 12 more steps, then a = 1, "), "{play}");
}

/// A solver that takes all requirements of a board for needed, and whose time is up after some
/// questions.
struct Slow {
    questions: Cell<usize>,
    /// Why it decides no game, if it does not.
    fails: Option<Undecided>,
}

impl Solver for Slow {
    fn solve(&self, board: &Board, _: Turn) -> Result<Solved, Undecided> {
        // Of parts with one requirement it finds out nothing.
        if let Some(why) = self.fails.or((board.system.assumptions.len() <= 2).then_some(Undecided::Time)) {
            return Err(why);
        }
        let zero = |input: &Input| Value::new(board.system.terms.symbol(input.symbol).sort, 0);
        Ok(Solved::Lost { depth: 0, play: vec![board.system.inputs.values().map(zero).collect()] })
    }
    fn runner<'b>(&'b self, _: &'b Course, _: &'b Kept) -> Option<Box<dyn Runner + 'b>> {
        None
    }
    fn selective<'b>(&'b self, _: &'b SelectiveBoard) -> Option<Box<dyn Selective + 'b>> {
        Some(Box::new(self))
    }
}

impl Selective for &Slow {
    fn lost(&mut self, values: &[bool]) -> Result<Option<Vec<usize>>, Undecided> {
        let left = self.questions.get().checked_sub(1).ok_or(Undecided::Time)?;
        self.questions.set(left);
        // The requirements `r0` to `r2` and nothing else contradict each other.
        let is_lost = values[..3].iter().all(|counts| *counts);
        // It names all requirements that count, needed or not.
        let counting = (0..values.len() - 2).filter(|&place| values[place]);
        Ok(is_lost.then(|| counting.collect()))
    }
}

/// Six outputs in a ring, of which three contradict each other at once.
const RING: &str = "output x, y, z, u, v : bool
    req r0 always guarantee x' = y'   req r1 always guarantee y' = z'  req r2 always guarantee z' != x'
    req r3 always guarantee z' = u'   req r4 always guarantee u' = v'";

fn limited(text: &str, questions: usize, fails: Option<Undecided>) -> Result<Consistency, Undecided> {
    let document = document(text);
    let solver = Slow { questions: Cell::new(questions), fails };
    // Whoever finds no depth leaves no time for enumeration.
    let values = if fails == Some(Undecided::Depth) { 0 } else { 20_000_000 };
    let effort = Effort::new(values, Limit::default());
    let mut means = Means { effort, solver: Some(&solver), before_solver: 0, after_solver: 0 };
    check_by(&document.interface, &mut means)
}

#[test]
fn limits_leave_the_smallest_conflict_that_is_known() {
    let sets = |questions: usize| {
        let found = limited(RING, questions, None).expect("a depth");
        assert_eq!(found.depth, Some(0));
        [found.conflicts, found.any_depth].map(|one| (one.sets, one.unfinished, one.is_complete))
    };
    let unfinished = |set: &[usize]| (vec![], Some(set.to_vec()), false);
    let all = [0, 1, 2, 3, 4];
    assert_eq!(sets(0), [unfinished(&all), unfinished(&all)]);
    // The second question leaves `r4` out, the third one `r3`.
    assert_eq!(sets(2), [unfinished(&all[..4]), unfinished(&all[..4])]);
    assert_eq!(sets(4), [unfinished(&all[..3]), unfinished(&all[..3])]);
    let minimal = |is_complete: bool| (vec![vec![0, 1, 2]], None, is_complete);
    assert_eq!(sets(100), [minimal(true), minimal(true)]);
}

#[test]
fn a_part_that_is_lost_is_told_whatever_becomes_of_others() {
    let late = format!("{RING}\nhidden late : bool\nreq r5 always guarantee late'");
    assert_eq!(limited(&late, 100, None).expect("a depth").depth, Some(0));
    assert_eq!(limited(&late, 100, Some(Undecided::Time)).map(|found| found.depth), Err(Undecided::Time));
}

#[test]
fn conflicts_are_told_where_the_depth_is_unknown() {
    let found = limited(RING, 100, Some(Undecided::Depth)).expect("conflicts");
    assert_eq!((found.depth, found.undecided()), (None, Some(Undecided::Depth)));
    assert_eq!((found.is_consistent(), found.any_depth.sets), (false, vec![vec![0, 1, 2]]));
    assert_eq!((found.conflicts.sets.len(), found.conflicts.is_complete), (0, false));
}
