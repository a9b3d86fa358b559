//! Distances from what goals depend on alone.
//!
//! The words that a goal's antecedent speaks about, and all that these depend on, make a projection
//! that loses nothing for that goal. Where such a cone has few states it is enumerated: a goal that
//! it never reaches is unreachable, and the distances in it are lower bounds, however large the
//! rest of the system is.

use super::distances::Distances;
use super::states_in;
use crate::knowledge::abstractions::Words;
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::provers::explicit::Limits;
use crate::session::{Session, Stop};
use crate::step::initial::InitialState;
use model::id::Id;
use model::system::StateId;
use model::term::TermId;
use model::validate::Validated;

/// What the enumeration of one cone may cost.
const LIMITS: Limits = Limits { states: 60_000, classes: 1_000, outcomes: true, work: 60_000_000 };
/// Most cones that are tried.
const MOST_CONES: usize = 16;

/// Enters what cones say about distances between goals and from Init. Returns those that were
/// enumerated.
pub(super) fn enter(
    task: &Task<'_>,
    initial: &[InitialState],
    graph: &mut ReachGraph,
    session: &Session<'_>,
) -> Result<Vec<Words>, Stop> {
    let of_goals: Vec<Words> = task.vertices().map(|vertex| cone(task, vertex)).collect();
    let mut cones: Vec<&Words> = of_goals.iter().collect();
    cones.retain(|cone| !cone.is_empty() && cone.len() < task.system.states.len());
    cones.sort_unstable_by_key(|cone| (width(task, cone), *cone));
    cones.dedup();
    let (mut entered, mut too_large) = (Vec::new(), Vec::<&Words>::new());
    for cone in cones.into_iter().take(MOST_CONES) {
        session.check_limits()?;
        if too_large.iter().any(|large| large.is_subset(cone)) {
            continue;
        }
        let goals: Vec<Vertex> =
            task.vertices().filter(|&goal| of_goals[goal.position()].is_subset(cone)).collect();
        match Distances::over(task, cone, &goals, initial, LIMITS, session)? {
            Some(distances) => {
                distances.enter(graph);
                entered.push(cone.clone());
            }
            None => too_large.push(cone),
        }
    }
    Ok(entered)
}

/// The state words, by number, that decide whether a goal occurs.
fn cone(task: &Task<'_>, vertex: Vertex) -> Words {
    words_behind(task.system, &[task.target(vertex).antecedent])
}

/// The state words, by number, that decide with the inputs what becomes of some terms: those in
/// them, and all that these depend on.
pub(crate) fn words_behind(system: &Validated, terms: &[TermId]) -> Words {
    let mut open: Vec<StateId> = terms.iter().flat_map(|&term| states_in(system, term)).collect();
    let mut found = Words::new();
    while let Some(word) = open.pop() {
        if found.insert(word.index()) {
            open.extend(states_in(system, system.states[word].next));
        }
    }
    found
}

/// Bits of these words.
fn width(task: &Task<'_>, cone: &Words) -> u32 {
    let system = task.system;
    let words = system.states.values().enumerate().filter(|(number, _)| cone.contains(number));
    words.map(|(_, state)| system.terms.symbol(state.symbol).sort.width()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::task::all_goals;
    use crate::options::Options;
    use crate::session::Silent;
    use crate::step::initial::initial_states;
    use model::text::parse;
    use model::validate::validate;

    /// A timer and a mode beside a counter of 2^40 states.
    const SYSTEM: &str = "system s input x w1 input y w40
        state timer w8 init 0 next (ite x (ite (eq timer 200) 200 (add timer 1)) 0)
        state mode w2 init 0 next (ite (eq timer 150) 1 mode)
        state sum w40 init 0 next (add sum y)
        goal late when (eq timer 180)
        goal switched when (eq mode 1)
        goal never when (eq mode 2)
        goal large when (ult 1000000 sum)
        goal both when (and (eq mode 1) (ult 1000000 sum))";

    #[test]
    fn cones_give_distances_that_the_rest_does_not_hide() {
        let system = validate(parse(SYSTEM).expect("text of a system")).expect("a valid system");
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        let Ok(Some(initial)) = initial_states(&task, 10, &session) else { panic!("one initial state") };
        let mut graph = task.empty_graph();
        assert!(enter(&task, &initial, &mut graph, &session).is_ok());
        let lower = |from: usize, to: usize| graph.lower(Vertex::new(from), Vertex::new(to));
        assert_eq!([lower(0, 1), lower(0, 2), lower(0, 3)], [Some(180), Some(151), None]);
        assert_eq!([lower(0, 4), lower(0, 5), lower(1, 2)], [Some(0), Some(0), Some(0)]);
    }
}
