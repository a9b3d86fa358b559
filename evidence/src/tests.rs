//! Evidence of random systems against the cheapest chains: it shows as much as is true where it
//! should, and never more.

#[path = "../../engine/tests/shared/parts.rs"]
mod shared;

use super::claims::Claim;
use super::enumerate::{Enumerated, LARGE, enumerate};
use super::invariant::{self, Excluded};
use super::judge::Judge;
use super::manifest::Leg;
use super::subject::Subject;
use super::tours::Distances;
use super::{apart, exclusive, facts, families, goal_steps, parts, projections};
use checker::graph::Graph;
use engine::options::{HazardPolicy, Options};
use engine::random_simulation::Random;
use engine::session::{Session, Silent};
use model::validate::Validated;
use shared::{cheapest, is_covered, random_text, system};
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
    let session = Session::new(&options, &Silent);
    let (mut met, mut samples_of_several, all) = (0, 0, samples(3));
    for sample in &all {
        let subject = Subject::new(&sample.system, HazardPolicy::Report);
        let Ok(Enumerated::Whole(graph)) = enumerate(&subject, LARGE, &session) else {
            panic!("few states\n{}", sample.text)
        };
        sample.expect_exact(&graph, "graph");
        met += usize::from(sample.expect_bounded(&graph) == sample.steps);
        samples_of_several += usize::from(sample.chains > 1);
        for word in 0..subject.words.len() {
            let found = families::find(&subject, word, &session).expect("no limit").expect("few families");
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
    let session = Session::new(&options, &Silent);
    let (mut split, mut met) = (0, 0);
    for sample in samples(8) {
        let found = parts::find(&sample.system, HazardPolicy::Report, &session).expect("no limit");
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

/// The legs from each source that can be shown, each checked by its query.
fn shown_legs(sample: &Sample, subject: &Subject, session: &Session<'_>) -> Vec<Leg> {
    let facts = facts::find(&sample.system, HazardPolicy::Report, session).expect("no limit");
    let sources = std::iter::once(None).chain(sample.covered.iter().cloned().map(Some));
    let mut shown = Vec::new();
    for from in sources {
        let targets = sample.covered.iter().cloned().map(Some).chain([None]);
        let wanted: Vec<Leg> =
            targets.filter(|to| *to != from).map(|to| Leg { from: from.clone(), to, steps: 12 }).collect();
        let within = facts.as_ref().filter(|_| from.is_some());
        let legs = apart::find(subject, within, &wanted, session).expect("no limit");
        if let Some(formula) = apart::query(subject, within, &legs).expect("a query") {
            assert!(is_refuted(&formula), "{legs:?}\n{}", sample.text);
        }
        shown.extend(legs);
    }
    if let Some(facts) = facts {
        for (name, formula) in facts.own_queries(subject).expect("queries") {
            assert!(is_refuted(&formula), "{name}\n{}", sample.text);
        }
    }
    shown
}

#[test]
fn distances_of_projections_and_queries_never_show_more_than_is_true() {
    let options = Options::default();
    let session = Session::new(&options, &Silent);
    let (mut projected, mut met, mut excluded) = (0, 0, 0);
    for sample in samples(21) {
        let subject = Subject::new(&sample.system, HazardPolicy::Report);
        let goals = goal_steps(&sample.system);
        let mut distances = Distances::new(&goals, &sample.covered).expect("goals");
        for projection in projections::find(&subject, |_| 2, &session).expect("no limit") {
            let judge = projection.judge(&goals, &sample.covered);
            distances.raise_by_graph(&judge);
            for (goal, _) in &goals {
                let claims =
                    [Claim::Unreachable { goal: goal.clone() }, Claim::NoWayToFinal { goal: goal.clone() }];
                let shown = claims.iter().any(|claim| judge.follows(claim).is_ok());
                assert!(!shown || !sample.covered.contains(goal), "{goal}\n{}", sample.text);
                excluded += usize::from(shown);
            }
            for (name, query) in projection.made.queries(&projection.subject) {
                assert!(is_refuted(&query.expect("a query").formula), "{name}\n{}", sample.text);
            }
            projected += 1;
        }
        shown_legs(&sample, &subject, &session).iter().for_each(|leg| distances.raise(leg));
        let matrix = distances.matrix(sample.chains, None).expect("few goals");
        let instance = Instance::new(matrix.vertices(), |from, to| matrix.cost(from, to));
        let bound = atsp::solve(&instance, &atsp::Options::default()).expect("chains are a tour").lower_bound;
        assert!(bound <= sample.steps, "{bound} > {}\n{}", sample.steps, sample.text);
        met += usize::from(bound == sample.steps);
    }
    assert!(projected > 50 && met > 4 && excluded > 5, "{projected} {met} {excluded}");
}

#[test]
fn ends_are_excluded_after_goals_that_cannot_be_covered_and_no_others() {
    let options = Options::default();
    let session = Session::new(&options, &Silent);
    let (mut shown, mut missed) = (0, 0);
    for sample in samples(34) {
        let subject = Subject::new(&sample.system, HazardPolicy::Report);
        for (goal, _) in goal_steps(&sample.system) {
            let Some((system, ending)) = exclusive::ending(&subject, &goal, HazardPolicy::Report) else {
                continue;
            };
            let found = invariant::find(&system, HazardPolicy::Report, Excluded::End, &session);
            let is_covered = sample.covered.contains(&goal);
            let Some(invariant) = found.expect("no limit") else {
                missed += usize::from(!is_covered);
                continue;
            };
            assert!(!is_covered, "{goal}\n{}", sample.text);
            for (name, formula) in invariant.queries(&ending, Excluded::End).expect("queries") {
                assert!(is_refuted(&formula), "{goal} {name}\n{}", sample.text);
            }
            shown += 1;
        }
    }
    assert!(shown > 5 && missed == 0, "{shown} {missed}");
}
