//! Threads change the time a search takes and nothing else.

use crate::automaton::Automaton;
use crate::automaton::SHAPES;
use engine::find_chains;
use engine::options::GraphExtent;
use engine::options::{EngineChoice, Options};
use engine::outcome::Outcome;
use engine::refinement::reach_graph;
use engine::session::Silent;
use model::validate::{Validated, validate};

const JOBS: [usize; 3] = [1, 2, 4];

/// A cart on a line with a lamp, seven goals.
const LINE: &str = "
    input go w2
    state at w3 next (ite (and (eq go 1) (ult at 7)) (add at 1) (ite (and (eq go 2) (ult 0 at)) (sub at 1) at))
    state lamp w1 next (ite (eq go 3) (not lamp) lamp)
    goal a when (and (eq at 5) (eq lamp 1))
    goal b when (and (eq at 2) (eq go 3))
    goal c when (and (eq at 7) (eq lamp 0))
    goal d when (and (eq at 1) (eq lamp 1))
    goal e when (and (eq at 6) (eq go 3))
    goal f when (and (eq at 3) (eq at@1 3))
    goal g when (and (eq at 4) (eq lamp 1))
    end (eq at 0)
";

fn systems() -> Vec<Validated> {
    let line = model::text::parse(LINE).unwrap_or_else(|error| panic!("{error}"));
    let random = (0..12).map(|seed| Automaton::random(seed, SHAPES[seed as usize % SHAPES.len()]));
    let mut systems = vec![validate(line).expect("a valid system")];
    systems.extend(random.filter(Automaton::has_execution).map(|automaton| automaton.encode()));
    systems
}

/// Everything about a result but the time it took.
fn without_times(outcome: &Outcome) -> String {
    let traces: Vec<_> = outcome.chains.iter().map(|chain| (&chain.trace, &chain.order)).collect();
    let goals: Vec<_> = outcome.goals.values().collect();
    let calls: Vec<_> = outcome.stages.iter().map(|stage| (&stage.name, stage.sat_calls)).collect();
    let graph = outcome.graph.as_ref().map(ToString::to_string);
    format!(
        "{traces:?} {goals:?} {calls:?} {graph:?} {} {:?} {}",
        outcome.lower_bound, outcome.minimal, outcome.k
    )
}

#[test]
fn graphs_are_the_same() {
    for (number, system) in systems().iter().enumerate() {
        let graph = |jobs| {
            let options = Options { jobs, engine: EngineChoice::Sat, ..Options::default() };
            reach_graph(system, &options, &Silent, GraphExtent::Depth(6)).expect("a graph").to_string()
        };
        let first = graph(JOBS[0]);
        assert!(number > 0 || first.lines().count() > 20, "{first}");
        JOBS.iter().for_each(|&jobs| assert_eq!(graph(jobs), first, "{jobs} jobs"));
    }
}

#[test]
fn chains_are_the_same() {
    for (number, system) in systems().iter().enumerate() {
        for engine in [EngineChoice::Sat, EngineChoice::Auto] {
            let result = |jobs| {
                let options = Options { jobs, engine, ..Options::default() };
                without_times(&find_chains(system, &options, &Silent).expect("an outcome"))
            };
            let first = result(JOBS[0]);
            JOBS.iter().for_each(|&jobs| assert_eq!(result(jobs), first, "system {number}, {jobs} jobs"));
        }
    }
}
