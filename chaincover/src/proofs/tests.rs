//! Evidence of random systems against the cheapest chains: it shows as much as is true where it should, and never more.

use super::claims::Claim;
use super::enumerate::{Enumerated, LARGE, enumerate};
use super::judge::Judge;
use super::subject::Subject;
use super::tours::Distances;
use super::{families, goal_steps, parts};
use crate::options::{HazardPolicy, Options};
use crate::order::parts::tests::{cheapest, is_covered, random_text, system};
use crate::reach::sample::Random;
use crate::stats::{Context, Silent};
use checker::graph::Graph;
use model::validate::Validated;
use solver::atsp::{self, Instance};
use solver::sat::{Budget, Formula, Refutation, refute};

const SYSTEMS: usize = 60;

/// A random system with what its cheapest chains are.
struct Sample {
    text: String,
    system: Validated,
    covered: Vec<String>,
    chains: usize,
    steps: u64,
}

/// Random systems in which some goal can be covered.
fn samples(seed: u64) -> Vec<Sample> {
    let mut random = Random::new(seed);
    let sample = |text: String| {
        let system = system(&text);
        let outcome = cheapest(&system);
        let goals = system.goals.iter().filter(|&(goal, _)| is_covered(&outcome, goal));
        let covered = goals.map(|(_, goal)| goal.name.clone()).collect();
        Sample { covered, chains: outcome.chains.len(), steps: outcome.length(), text, system }
    };
    let all = (0..SYSTEMS).map(|_| sample(random_text(&mut random)));
    all.filter(|sample| sample.chains > 0).collect()
}

impl Sample {
    fn judge<'g>(&self, graph: &'g Graph) -> Judge<'g> {
        Judge::new(graph, goal_steps(&self.system), &self.covered)
    }

    /// The graph shows the number of chains and their length, and no more.
    fn expect_exact(&self, graph: &Graph, what: &str) {
        let judge = self.judge(graph);
        let Self { chains, steps, text, .. } = self;
        let follows = |claim: Claim| judge.follows(&claim).is_ok();
        assert!(follows(Claim::Length { chains: *chains, steps: *steps }), "{what}\n{text}");
        assert!(!follows(Claim::Length { chains: *chains, steps: steps + 1 }), "{what}\n{text}");
        assert!(follows(Claim::FewestChains { chains: *chains }), "{what}\n{text}");
        assert!(!follows(Claim::FewestChains { chains: chains + 1 }), "{what}\n{text}");
        for goal in self.system.goals.values() {
            let is_covered = self.covered.contains(&goal.name);
            let never = follows(Claim::NoWayToFinal { goal: goal.name.clone() });
            assert_eq!(never, !is_covered, "{what}: {}\n{text}", goal.name);
        }
    }

    /// No tour through the matrix of the graph is certified to be longer than the chains.
    fn expect_bounded(&self, graph: &Graph) -> u64 {
        let judge = self.judge(graph);
        let mut distances = Distances::new(&goal_steps(&self.system), &self.covered).expect("goals");
        distances.raise_by_graph(&judge);
        let matrix = distances.matrix(self.chains, None).expect("few goals");
        let instance = Instance::new(matrix.vertices(), |from, to| matrix.cost(from, to));
        let bound = atsp::solve(&instance, &atsp::Options::default()).expect("chains are a tour").lower_bound;
        assert!(bound <= self.steps, "{}", self.text);
        let certificate = atsp::certify(&instance, bound, &atsp::Options::default()).expect("a certificate");
        let shown = distances.shown((self.chains, None), bound, &certificate);
        assert_eq!(shown, Ok(Claim::Length { chains: self.chains, steps: bound }), "{}", self.text);
        assert!(distances.shown((self.chains, None), bound + 1, &certificate).is_err(), "{}", self.text);
        bound
    }
}

fn is_refuted(formula: &Formula) -> bool {
    matches!(refute(formula, &Budget::default()), Refutation::Proof(_))
}

#[test]
fn graphs_families_and_tours_show_what_is_true() {
    let options = Options::default();
    let context = Context::new(&options, &Silent);
    let (mut met, mut samples_of_several, all) = (0, 0, samples(3));
    for sample in &all {
        let subject = Subject::new(&sample.system, HazardPolicy::Report);
        let Ok(Enumerated::Whole(graph)) = enumerate(&subject, LARGE, &context) else {
            panic!("few states\n{}", sample.text)
        };
        sample.expect_exact(&graph, "graph");
        met += usize::from(sample.expect_bounded(&graph) == sample.steps);
        samples_of_several += usize::from(sample.chains > 1);
        for word in 0..subject.words.len() {
            let found = families::find(&subject, word, &context).expect("no limit").expect("few families");
            for (name, query) in families::queries::queries(&subject, &found) {
                assert!(is_refuted(&query.expect("a query").formula), "{name}, word {word}\n{}", sample.text);
            }
            let expanded = found.expand().expect("a graph");
            assert_eq!(expanded.nodes.len(), graph.nodes.len(), "word {word}\n{}", sample.text);
            sample.expect_exact(&expanded, "families");
        }
    }
    assert!(all.len() > 40 && met > 5 && samples_of_several > 1, "{} {met} {samples_of_several}", all.len());
}

#[test]
fn parts_never_show_more_than_is_true() {
    let options = Options::default();
    let context = Context::new(&options, &Silent);
    let (mut split, mut met) = (0, 0);
    for sample in samples(8) {
        let found = parts::find(&sample.system, HazardPolicy::Report, &context).expect("no limit");
        let Some(found) = found else { continue };
        let subject = Subject::new(&sample.system, HazardPolicy::Report);
        // The search knows words that never change; evidence does without that.
        let queries = parts::queries(&subject, &found).expect("queries");
        if !queries.iter().all(|(_, formula)| is_refuted(formula)) {
            continue;
        }
        let goals = found.positions(&sample.covered).expect("all goals");
        let options = atsp::Options::default();
        let certified = |matrix: &checker::tour::Matrix| {
            let instance = Instance::new(matrix.vertices(), |from, to| matrix.cost(from, to));
            let bound = atsp::solve(&instance, &options).map_or(0, |found| found.lower_bound);
            (bound, atsp::certify(&instance, bound, &options).expect("a certificate"))
        };
        let tours: Vec<_> = found.matrices(&goals, sample.chains).iter().map(certified).collect();
        let shown = found.check(&goals, sample.chains, &tours).expect("certificates should be accepted");
        assert!(shown <= sample.steps, "{shown} > {}\n{}", sample.steps, sample.text);
        split += 1;
        met += usize::from(shown == sample.steps);
    }
    assert!(split > 20 && met > 5, "{split} {met}");
}
