//! The examples of the paper.

use crate::cruise::Cruise;
use engine::find_chains;
use engine::knowledge::distances::EdgeEnd;
use engine::knowledge::status::Minimality;
use engine::options::GraphExtent;
use engine::options::{EngineChoice, Options, Strategy};
use engine::outcome::Outcome;
use engine::refinement::reach_graph;
use engine::session::Silent;
use model::id::Id;
use model::system::TransitionSystem;
use model::validate::{Validated, validate};

fn valid(system: TransitionSystem) -> Validated {
    validate(system).expect("a system of the tests should be valid")
}

fn options(engine: EngineChoice, strategy: Strategy) -> Options {
    Options { engine, strategy, ..Options::default() }
}

fn all_ways() -> Vec<Options> {
    vec![
        options(EngineChoice::Auto, Strategy::Exact),
        options(EngineChoice::Sat, Strategy::Exact),
        options(EngineChoice::Explicit, Strategy::Exact),
        options(EngineChoice::Sat, Strategy::Monolithic),
    ]
}

fn find(system: &Validated, options: &Options) -> Outcome {
    find_chains(system, options, &Silent).expect("the search should have an outcome")
}

fn order(outcome: &Outcome) -> Vec<usize> {
    outcome.chains[0].order.iter().map(|goal| goal.index() + 1).collect()
}

#[test]
fn figure_4_has_these_eleven_edges() {
    let system = valid(Cruise::with_four_properties().system);
    let options = options(EngineChoice::Sat, Strategy::Exact);
    let graph = reach_graph(&system, &options, &Silent, GraphExtent::CoveringPath).expect("a graph");
    let number = |vertex| match vertex {
        EdgeEnd::Init => "Init".to_owned(),
        EdgeEnd::Final => "Final".to_owned(),
        EdgeEnd::Goal(goal) => graph.name(EdgeEnd::Goal(goal)).to_owned(),
    };
    let edges: Vec<String> = graph
        .edges()
        .iter()
        .map(|edge| format!("{} {} {}", number(edge.from), number(edge.to), edge.weight))
        .collect();
    let expected = [
        "Init p1 2",
        "Init p3 2",
        "Init p4 2",
        "p1 p2 2",
        "p1 p3 1",
        "p2 p1 1",
        "p2 p3 1",
        "p3 p1 2",
        "p3 Final 2",
        "p4 p1 2",
        "p4 p3 2",
    ];
    assert_eq!(edges, expected);
    assert_eq!(graph.depth(), 2);
}

#[test]
fn the_cruise_controller_takes_nine_steps() {
    let system = valid(Cruise::with_four_properties().system);
    for options in all_ways() {
        let outcome = find(&system, &options);
        let what = (outcome.chains.len(), outcome.length(), outcome.lower_bound, outcome.minimal);
        assert_eq!(what, (1, 9, 9, Minimality::Proven), "{options:?}");
        assert!([[4, 1, 2, 3], [4, 2, 1, 3]].contains(&order(&outcome).try_into().expect("four goals")));
        assert_eq!(outcome.covered(), 4);
    }
}

#[test]
fn the_broken_chain_of_example_1_is_repaired() {
    let system = valid(Cruise::of_example_1().system);
    let graph = reach_graph(
        &system,
        &options(EngineChoice::Sat, Strategy::Exact),
        &Silent,
        GraphExtent::CoveringPath,
    )
    .expect("a graph");
    let weights: Vec<u32> = graph.edges().iter().map(|edge| edge.weight).collect();
    assert!(weights.len() >= 3, "{graph}");
    for options in all_ways() {
        let outcome = find(&system, &options);
        let what = (outcome.chains.len(), outcome.length(), outcome.lower_bound, outcome.minimal);
        assert_eq!(what, (1, 4, 4, Minimality::Proven), "{options:?}");
    }
}
