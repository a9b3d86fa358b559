use super::*;
use crate::knowledge::task::all_goals;
use crate::options::Options;
use crate::session::Silent;
use model::text::parse;
use model::validate::validate;

/// Each loss needs a complete start again: no phase on the way is new the second time.
const BURNER: &str = "system s input flame w1 input want w1
    state phase w2 init 0 next (ite (and (eq phase 0) (eq want 1)) 1
        (ite (and (eq phase 1) (eq flame 1)) 0
        (ite (and (eq phase 1) (ule 90 timer)) 2
        (ite (and (eq phase 2) (ule 20 timer)) (ite (eq flame 1) 3 0)
        (ite (and (eq phase 3) (eq flame 0)) 0 phase)))))
    state timer w8 init 0 next (ite (or (eq phase 0) (and (eq phase 1) (ule 90 timer))) 0
        (ite (eq timer 255) timer (add timer 1)))
    state losses w3 init 0 next (ite (and (eq phase 3) (eq flame 0)) (ite (eq losses 7) losses (add losses 1)) losses)
    goal four when (eq losses 4)";

#[test]
fn words_that_count_events_make_combinations_and_timers_do_not() {
    let system = validate(parse(BURNER).expect("a text")).expect("a system");
    let task = Task::new(&system, &all_goals(&system), Vec::new());
    let words: Vec<(usize, Option<u64>)> =
        discrete_words(&task).iter().map(|one| (Id::index(one.word), one.most)).collect();
    assert_eq!(words, [(0, None), (2, Some(7))]);
    let timed = "system s input go w1 state n w3 init 0 next (ite (eq go 1) (ite (eq n 7) n (add n 1)) 0) goal g when (eq n 6)";
    let system = validate(parse(timed).expect("a text")).expect("a system");
    let task = Task::new(&system, &all_goals(&system), Vec::new());
    let mut cells = Cells::new(&discrete_words(&task), 1);
    assert_ne!(cells.key(&[1]), cells.key(&[2]));
    assert!(cells.note_timers(&[vec![1], vec![2], vec![2]]).is_empty());
    assert_eq!(cells.note_timers(&[vec![1], vec![2], vec![3]]), [0]);
    assert!(cells.note_timers(&[vec![1], vec![2]]).is_empty());
    assert_eq!(cells.key(&[1]), cells.key(&[2]));
}

/// Whether a turn of this work finds a chain for the first goal.
fn is_found(text: &str, work: u64) -> bool {
    let system = validate(parse(text).expect("a text")).expect("a system");
    let task = Task::new(&system, &all_goals(&system), Vec::new());
    let options = Options::default();
    let session = Session::new(&options, &Silent);
    let known = Knowledge::nothing(&task, None);
    let mut found = Found::default();
    ModeSearch::new(&task).run(&known, &mut found, work, &session).expect("no limit");
    let chains = found.into_sets().pop().unwrap_or_default();
    chains.iter().any(|chain| chain.covers(task.goal(Vertex::of_position(0))))
}

#[test]
fn what_needs_the_same_phases_again_and_again_is_found() {
    assert!(is_found(BURNER, 50_000_000));
}

/// A phase ends after so many pulses, and the next one after as many more.
const DOSES: &str = "system s input pulse w1 input go w1
    state old w1 init 0 next pulse
    state phase w2 init 0 next (ite (and (eq phase 0) (eq go 1)) 1 (ite (and (eq phase 1) (ule 60 count)) 2
        (ite (and (eq phase 2) (eq go 0)) 3 phase)))
    state count w8 init 0 next (ite (or (eq phase 0) (eq phase 2)) 0
        (ite (and (eq pulse 1) (and (eq old 0) (ult count 255))) (add count 1) count))
    goal dosed when (and (eq phase 3) (ule 90 count))";

#[test]
fn phases_that_pulses_end_are_passed() {
    assert!(is_found(DOSES, 50_000_000));
}

/// Each level needs a key that depends on the step.
const KEYS: &str = "system s input key w16
    state seed w16 init 1 next (add (add seed seed) 12345)
    state level w3 init 0 next (ite (eq key (add seed 4660)) (ite (eq level 7) level (add level 1)) level)
    goal five when (eq level 5)";

#[test]
fn keys_that_depend_on_the_step_are_met() {
    assert!(is_found(KEYS, 50_000_000));
}

/// Machines that start one after the other and stay on as long as each has its feedback, no fault and
/// little load; for so many steps all of them have to be on. Loads are at most 100.
fn plant(machines: usize, steps: u32) -> String {
    use std::fmt::Write;
    let (mut inputs, mut states, mut are_on) = (String::new(), String::new(), "(eq start 1)".to_owned());
    for machine in 0..machines {
        write!(inputs, " input back{machine} w1 input fault{machine} w1 input load{machine} w8")
            .expect("a text");
        let stays = format!("(and (and (eq back{machine} 1) (eq fault{machine} 0)) (ult load{machine} 60))");
        write!(
            states,
            " state mode{machine} w2 init 0 next (ite (eq mode{machine} 0) (ite {are_on} 1 0)
                (ite (eq mode{machine} 1) (ite (eq back{machine} 1) 2 1)
                (ite (eq mode{machine} 2) (ite {stays} 2 3) (ite (eq reset 1) 0 3))))
            assume (ule load{machine} 100)"
        )
        .expect("a text");
        are_on = format!("(and {are_on} (eq mode{machine} 2))");
    }
    format!(
        "system s input start w1 input reset w1 {inputs} {states}
        state time w10 init 0 next (ite {are_on} (add time 1) 0)
        goal long when (eq time {steps})"
    )
}

#[test]
fn what_must_last_together_is_held_together() {
    assert!(is_found(&plant(8, 300), 20_000_000));
}

/// A lift that moves at full speed with a permit of the second level, which comes after the first.
const LIFT: &str = "system s input code w8 input key w1 input joy w8
    state permit w2 init 0 next (ite (eq code 58) 1 (ite (and (eq code 167) (eq permit 1)) 2 permit))
    state mode w2 init 0 next (ite (eq key 0) 0 (ite (and (eq mode 0) (ult 0 permit)) 1
        (ite (and (eq mode 1) (ult 100 joy)) 2 mode)))
    state divider w1 init 0 next (sub 1 divider)
    state speed w16 init 0 next (ite (not (and (and (eq mode 2) (eq permit 2)) (ult 100 joy))) 0
        (ite (eq divider 0) speed (ite (ult speed 900) (add speed 1) speed)))
    goal full when (and (eq speed 900) (eq mode 2))";

#[test]
fn what_goals_need_is_found_step_by_step() {
    let system = validate(parse(LIFT).expect("a text")).expect("a system");
    let task = Task::new(&system, &all_goals(&system), Vec::new());
    let options = Options::default();
    let session = Session::new(&options, &Silent);
    let program = Program::with_library(&task);
    let mut player = Player::new(&program);
    let mut novelty = Novelty::new(&discrete_words(&task), &task, &program);
    let mut needs = Needs::new(&task, Some(100));
    let goal = Vertex::of_position(0);
    let mut facts = |state: [u64; 4], novelty: &Novelty| {
        let (truths, _) = look(&mut player, &state);
        novelty.of((&state, &truths))
    };
    // Permit, mode, divider, speed: each state has more of what the goal needs.
    let states = [[0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0], [2, 1, 0, 0], [2, 2, 0, 0]];
    let states = states.map(|state| facts(state, &novelty));
    states.iter().enumerate().for_each(|(entry, own)| novelty.enter(entry as u32, own, false));
    let mut player = Player::new(&program);
    for own in &states {
        needs.ask((goal, own), (&novelty, &mut player), u64::MAX, &session).expect("no limit");
    }
    let lacks = states.each_ref().map(|own| needs.lack(goal, own).expect("it was asked about").facts());
    assert!(lacks.windows(2).all(|pair| pair[0] > pair[1]), "{lacks:?}");
    // In the first state the code of the first level is what comes next.
    let mut random = Random::new(1);
    let aims = needs.aims(goal, &states[0], &mut random);
    assert!(aims.iter().any(|aim| aim.contains(&(0, 58))), "{aims:?}");
}

#[test]
fn what_a_goal_needs_is_brought_about_and_kept_beside_a_divider() {
    assert!(is_found(LIFT, 20_000_000));
}

#[test]
fn what_changes_again_and_again_is_no_event() {
    let mut changes = Changes::default();
    let told: Vec<bool> = (0..10).map(|number| changes.note(&[number & 1 | 4])).collect();
    assert_eq!(told.iter().position(|&is_less| is_less), Some(usize::from(MOST_CHANGES)));
    assert_eq!(told.iter().filter(|&&is_less| is_less).count(), 1);
    assert_eq!(changes.events, [!1]);
}
