use super::*;
use crate::knowledge::task::all_goals;
use crate::knowledge::vertex::Vertex;
use crate::options::Options;
use crate::session::Silent;
use model::text::parse;
use model::validate::validate;

/// A mode that is entered after others, each behind a guard that chance seldom meets and a wait.
const MODES: &str = "system s input code w16 input stay w1
    state mode w4 init 0 next (ite (and (eq mode 0) (eq code 4711)) 1
        (ite (and (eq mode 1) (and (ule 40 wait) (eq code 1234))) 2
        (ite (and (eq mode 2) (and (ule 70 wait) (eq code 31337))) 3
        (ite (eq stay 0) 0 mode))))
    state wait w8 init 0 next (ite (eq stay 0) 0 (ite (eq wait 255) wait (add wait 1)))
    state count w4 init 0 next (ite (and (eq mode 3) (eq code 9)) (add count 1) count)
    goal three when (and (ule 3 count) (eq mode 3))";

#[test]
fn modes_and_small_counts_are_landmarks() {
    let system = validate(parse(MODES).expect("a text")).expect("a system");
    let task = Task::new(&system, &all_goals(&system), Vec::new());
    let wider = WithLandmarks::new(&task).expect("no defect").expect("landmarks");
    // Modes 1, 2 and 3; waiting 40 and 70 steps; counts 1, 2 and 3. The initial values are none.
    let names = wider.system.goals.len() - system.goals.len();
    assert!((8..=12).contains(&names), "{names}");
    let task = wider.task(&task);
    assert_eq!(task.len(), 1 + names);
    assert_eq!(wider.system.goals[task.goal(Vertex::of_position(0))].name, "three");
}

#[test]
fn what_lies_behind_modes_is_found_by_way_of_them() {
    let system = validate(parse(MODES).expect("a text")).expect("a system");
    let task = Task::new(&system, &all_goals(&system), Vec::new());
    let options = Options::default();
    let session = Session::new(&options, &Silent);
    let known = Knowledge::nothing(&task, None);
    let mut found = Found::default();
    Landmarks::new(&task).run(&known, &mut found, 400_000_000, &session).expect("no limit");
    let chains = found.into_sets().pop().expect("a chain");
    assert!(chains.iter().any(|chain| chain.covers(task.goal(Vertex::of_position(0)))));
}
