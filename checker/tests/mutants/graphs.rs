//! Graphs, and what follows from those that stand for a system.

use super::Verdict;
use super::mutate::mutated;
use super::random::Random;
use super::system::{Step, System};
use super::tours::least_tour;
use checker::cover::{Cost, Cover};
use checker::graph::{Edge, Graph, Label, Node};

pub(crate) struct Case {
    system: System,
    truth: Truth,
    text: String,
}

/// What is true of a system, for all prices of a further chain that are tried.
pub(crate) struct Truth {
    coverable: u32,
    reachable: Vec<bool>,
    costs: Vec<(u32, u64)>,
    fewest: u32,
    steps: Vec<u64>,
}

impl Truth {
    /// `None`: no goal is coverable, so that there is nothing to bound.
    pub(crate) fn of(system: &System, random: &mut Random) -> Option<Self> {
        let coverable = Some(system.coverable()).filter(|&coverable| coverable != 0)?;
        let prices = [0, 1 + random.below(9) as u32, 1 << 20, u32::MAX - random.below(9) as u32];
        let cost = |reset: u32| Some((reset, system.cost(coverable, u64::from(reset))?));
        let fewest = system.fewest(coverable).expect("each goal is coverable");
        let steps = |chains: u32| system.steps_of(coverable, chains).expect("so many chains will do");
        Some(Self {
            coverable,
            reachable: (0..system.goals.len()).map(|goal| system.is_reachable(goal)).collect(),
            costs: prices.into_iter().filter_map(cost).collect(),
            fewest,
            steps: (fewest..fewest + 2).map(steps).collect(),
        })
    }
}

pub(crate) fn make(random: &mut Random) -> Case {
    let system = System::random(&[("s", 3)], random, |state, random| match random.below(3) {
        0 => (state + 1) % 8,
        _ => random.index(8),
    });
    let Some(truth) = Truth::of(&system, random) else { return make(random) };
    let labels = labels_in(&system).into_iter().map(|(goal, step)| Label { goal, step }).collect();
    let mut graph = Graph { words: vec!["s".to_owned()], labels, ..Graph::default() };
    for state in 0..system.states() {
        let values = vec![state as u128];
        graph.nodes.push(Node { values, initial: system.initial[state], end: system.end[state] });
        for &(to, set) in &system.steps[state] {
            graph.edges.push(Edge {
                from: state,
                to,
                labels: (0..32).filter(|label| set >> label & 1 == 1).collect(),
            });
        }
    }
    graph.edges.sort();
    graph.edges.dedup();
    Case { text: graph.print(), truth, system }
}

pub(crate) fn attack(case: &Case, donor: &Case, as_it_is: bool, random: &mut Random) -> Verdict {
    let text = if as_it_is { case.text.clone() } else { mutated(&case.text, &donor.text, random) };
    let Ok(graph) = Graph::parse(&text) else { return Verdict::Rejected };
    let nodes: Vec<_> = graph.nodes.iter().map(|node| (&node.values[..], node.end)).collect();
    if !speaks_of(&case.system, (&graph.words, &graph.labels), &nodes) || !stands_for(&graph, &case.system) {
        return Verdict::Rejected;
    }
    match false_claim(&graph, &case.system, &case.truth, random) {
        Some(what) => Verdict::False(format!("{what}\n{:?}\n{text}", case.system)),
        None => Verdict::True,
    }
}

/// Names and numbers of steps of all labels.
pub(crate) fn labels_in(system: &System) -> Vec<(String, u32)> {
    let of = |(goal, labels): (usize, &Vec<usize>)| {
        (0..labels.len() as u32).map(move |step| (format!("g{goal}"), step)).collect::<Vec<_>>()
    };
    system.goals.iter().enumerate().flat_map(of).collect()
}

/// Whether words and labels are those of the system, in its order, and values fit.
pub(crate) fn speaks_of(
    system: &System,
    (words, labels): (&[String], &[Label]),
    nodes: &[(&[u128], bool)],
) -> bool {
    let has_words = words.iter().eq(system.words.iter().map(|(name, _)| name));
    let known = labels_in(system);
    let mut left = known.iter();
    let has_labels =
        labels.iter().all(|label| left.any(|(goal, step)| *goal == label.goal && *step == label.step));
    let fits =
        |values: &[u128]| values.iter().enumerate().all(|(word, value)| value >> system.width(word) == 0);
    has_words && has_labels && nodes.iter().all(|(values, end)| fits(values) && (*end || system.has_end))
}

/// The labels of a step, as far as the graph has them, by their places there.
pub(crate) fn labels_of(step: Step, system: &System, labels: &[Label]) -> Vec<usize> {
    let known = labels_in(system);
    let has = |label: &Label| {
        let place = known.iter().position(|(goal, step)| *goal == label.goal && *step == label.step);
        place.is_some_and(|place| step.1 >> place & 1 == 1)
    };
    (0..labels.len()).filter(|&label| has(&labels[label])).collect()
}

/// What the queries of a graph ask, by going through all states and steps.
fn stands_for(graph: &Graph, system: &System) -> bool {
    let is_node = |node: &Node, state: usize| node.values == [state as u128];
    let begins = |state: usize| graph.nodes.iter().any(|node| node.initial && is_node(node, state));
    let initial = (0..system.states()).all(|state| !system.initial[state] || begins(state));
    initial
        && graph.nodes.iter().enumerate().all(|(number, node)| {
            let states = (0..system.states()).filter(|&state| is_node(node, state));
            states.into_iter().all(|state| {
                let goes = |&step: &Step| {
                    let labels = labels_of(step, system, &graph.labels);
                    graph.edges.iter().any(|edge| {
                        edge.from == number
                            && is_node(&graph.nodes[edge.to], step.0)
                            && labels.iter().all(|label| edge.labels.contains(label))
                    })
                };
                (node.end || !system.end[state]) && system.steps[state].iter().all(goes)
            })
        })
}

/// A claim that follows from a graph and is false.
pub(crate) fn false_claim(
    graph: &Graph,
    system: &System,
    truth: &Truth,
    random: &mut Random,
) -> Option<String> {
    let labels = |goal: usize| graph.labels_of(&format!("g{goal}"), system.goals[goal].len() as u32);
    for goal in 0..system.goals.len() {
        let Some(labels) = labels(goal) else { continue };
        let cover = Cover::new(graph, vec![labels]);
        if truth.reachable[goal] && !cover.is_reachable(0) {
            return Some(format!("g{goal} is reachable"));
        }
        if truth.coverable >> goal & 1 == 1 && !cover.is_coverable(0) {
            return Some(format!("g{goal} is coverable"));
        }
    }
    let covered = (0..system.goals.len()).filter(|goal| truth.coverable >> goal & 1 == 1);
    let goals: Vec<Vec<usize>> = covered.map(labels).collect::<Option<_>>()?;
    let cover = Cover::new(graph, goals.clone());
    // With few points the bound of a search that was cut short.
    let points = if random.once_in(3) { random.index(20) } else { 100_000 };
    for &(reset, least) in &truth.costs {
        match cover.least_cost(reset, points) {
            Cost::Least(shown) | Cost::AtLeast(shown) if u64::from(shown) <= least => {}
            Cost::TooGreat => {}
            shown => return Some(format!("cost {shown:?} with {reset} instead of {least}")),
        }
    }
    if let Some(price) = cover.price_beyond_steps()
        && !goals.is_empty()
    {
        let (Cost::Least(shown) | Cost::AtLeast(shown)) = cover.least_cost(price, points) else {
            return Some("there are chains".to_owned());
        };
        let (chains, steps) = (shown / price + 1, u64::from(shown % price));
        if chains > truth.fewest || (chains == truth.fewest && steps > truth.steps[0]) {
            return Some(format!("{chains} chains, {steps} steps"));
        }
    }
    false_tour(&cover, truth)
}

/// A bound of tours through the distances on the graph that is false.
fn false_tour(cover: &Cover<'_>, truth: &Truth) -> Option<String> {
    let legs = cover.legs();
    if legs.goals() == 0 {
        return None;
    }
    for (chains, &steps) in (truth.fewest..).zip(&truth.steps) {
        let matrix = legs.matrix(chains as usize, None);
        match least_tour(&matrix) {
            Some(least) if least <= steps => {}
            other => return Some(format!("tours of {other:?} with {chains} chains instead of {steps}")),
        }
    }
    for &(reset, cost) in &truth.costs {
        match least_tour(&legs.matrix(1, Some(reset))) {
            Some(least) if least <= cost => {}
            other => return Some(format!("tours that cost {other:?} with {reset} instead of {cost}")),
        }
    }
    None
}
