//! Bundles of all kinds of evidence.

use super::super::claims::claims;
use super::super::enumerate::{Enumerated, LARGE, enumerate};
use super::super::invariant::{self, Excluded, Invariant};
use super::super::judge::Judge;
use super::super::manifest::{Entry, Evidence, Leg, Manifest, Pair, Query, SCHEMA, Tour};
use super::super::subject::Subject;
use super::super::tours::Distances;
use super::super::{
    apart, bounded, dimacs_text, exclusive, facts, families, fingerprint, goal_steps, parts, queries,
};
use super::random::Random;
use super::system::System;
use super::table;
use checker::families::Families;
use checker::graph::Graph;
use checker::parts::Parts;
use checker::tour::Matrix;
use engine::options::{HazardPolicy, Options};
use engine::session::{Session, Silent};
use model::validate::{Validated, validate};
use report::output::chain_file::{ChainFile, SCHEMA as RESULT_SCHEMA};
use serde_json::{Value as Json, json};
use solver::atsp::{self, Instance};
use solver::sat::{Budget, Formula, Refutation, refute};
use std::collections::BTreeMap;

pub(super) const REPORT: HazardPolicy = HazardPolicy::Report;

/// See the module text.
#[derive(Clone)]
pub(super) struct Bundle {
    pub(super) system: System,
    pub(super) validated: Validated,
    /// `chain.json`.
    pub(super) result: Json,
    /// Manifest and evidence by name.
    pub(super) files: BTreeMap<String, String>,
    pub(super) evidence: Vec<Evidence>,
}

/// A bundle with all evidence that is found for a random table.
pub(super) fn make(random: &mut Random) -> Bundle {
    loop {
        let system = table::random(random);
        let goals = system.coverable();
        if goals == 0 {
            continue;
        }
        let text = table::text(&system);
        let parsed = model::text::parse(&text).expect("text of a system");
        let validated = validate(parsed).expect("a valid system");
        let result = result(&system, goals, random);
        let files = BTreeMap::new();
        let mut bundle = Bundle { system, validated, result, files, evidence: Vec::new() };
        bundle.find(goals);
        return bundle;
    }
}

/// What a run would say that finds the best chains and proves all.
fn result(system: &System, goals: u32, random: &mut Random) -> Json {
    let entry = |goal: usize| {
        let (status, reason) = match (goals >> goal & 1 == 1, system.is_reachable(goal)) {
            (true, _) => ("covered", None),
            (false, true) => ("unreachable", Some("Final cannot be reached from any of its occurrences")),
            (false, false) => ("unreachable", Some("no execution reaches it")),
        };
        json!({ "name": format!("g{goal}"), "requirement": null, "text": null, "origin": null,
            "steps": system.goals[goal].len(), "status": status, "chain": null, "at": null,
            "expectation": "none", "reason": reason })
    };
    let fewest = system.fewest(goals).expect("each goal is coverable");
    let steps_of = |chains: u32| system.steps_of(goals, chains).expect("so many chains will do");
    let reset = random.once_in(3).then(|| random.below(6));
    let chains = match reset {
        None => fewest,
        Some(reset) => {
            let cost = |&chains: &u32| steps_of(chains) + reset * u64::from(chains - 1);
            (fewest..=goals.count_ones().max(fewest)).min_by_key(cost).unwrap_or(fewest)
        }
    };
    let mut summary = json!({ "goals": system.goals.len(), "covered": goals.count_ones(), "chains": chains,
        "length": steps_of(chains), "lower_bound": steps_of(chains), "minimal": "proven", "k": 0, "seconds": 0.0 });
    if let Some(reset) = reset {
        summary["reset_cost"] = json!(reset);
    }
    json!({ "schema": RESULT_SCHEMA, "tool": { "name": "", "version": "", "solver": "" },
        "model": { "name": "", "sources": [], "target": "", "init": "", "step": "", "period": null, "configuration": { "model": {} } },
        "inputs": [], "outputs": [], "state": [], "goals": (0..system.goals.len()).map(entry).collect::<Vec<_>>(),
        "chains": [], "summary": summary, "stages": [] })
}

/// A bound of tours through a matrix with its certificate.
pub(super) fn certified(matrix: &Matrix) -> Option<(u64, String)> {
    let instance = Instance::new(matrix.vertices(), |from, to| matrix.cost(from, to));
    let options = atsp::Options::default();
    let bound = atsp::solve(&instance, &options)
        .map_or_else(|_| matrix.more_than_any_tour(), |found| found.lower_bound);
    Some((bound, atsp::certify(&instance, bound, &options)?))
}

impl Bundle {
    pub(super) fn file(&self) -> ChainFile {
        serde_json::from_value(self.result.clone()).expect("a result")
    }

    pub(super) fn covered(&self) -> Vec<String> {
        super::super::claims::covered(&self.file())
    }

    /// Names of the evidence.
    pub(super) fn names(&self) -> Vec<String> {
        self.evidence.iter().map(|evidence| evidence.name().to_owned()).collect()
    }

    /// Queries with proofs, as files; one that has a model keeps the proof that is there, or an
    /// empty one.
    pub(super) fn prove<N>(&mut self, name: &str, needed: &[(N, Formula)]) -> (Vec<Query>, bool) {
        let (mut listed, mut all) = (Vec::new(), true);
        for (number, (_, formula)) in needed.iter().enumerate() {
            let query =
                Query { formula: format!("{name}-{number}.cnf"), proof: format!("{name}-{number}.lrat") };
            match refute(formula, &Budget::default()) {
                Refutation::Proof(proof) => drop(self.files.insert(query.proof.clone(), proof)),
                _ => {
                    all = false;
                    self.files.entry(query.proof.clone()).or_default();
                }
            }
            self.files.insert(query.formula.clone(), dimacs_text(formula));
            listed.push(query);
        }
        (listed, all)
    }

    /// Adds the evidence if all its queries have proofs.
    fn add<N>(&mut self, name: &str, needed: &[(N, Formula)], evidence: impl FnOnce(Vec<Query>) -> Evidence) {
        let (listed, all) = self.prove(name, needed);
        if all {
            self.evidence.push(evidence(listed));
        }
    }

    /// Looks for evidence of every kind.
    fn find(&mut self, goals: u32) {
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        let validated = self.validated.clone();
        let subject = Subject::new(&validated, REPORT);
        let covered = self.covered();
        let Ok(Enumerated::Whole(graph)) = enumerate(&subject, LARGE, &session) else { return };
        self.add_graph(&graph, &subject);
        for word in 0..subject.words.len() {
            if let Ok(Some(found)) = families::find(&subject, word, &session) {
                self.add_families(word, &found, &subject);
            }
        }
        if let Ok(Some(found)) = parts::find(&validated, REPORT, &session) {
            self.add_parts(&found, &subject, &covered);
        }
        let invariant_of = |system: &Validated, excluded: Excluded<'_>| {
            invariant::find(system, REPORT, excluded, &session).expect("no limit")
        };
        for goal in (0..self.system.goals.len()).map(|goal| format!("g{goal}")) {
            if let Some(found) = invariant_of(&validated, Excluded::Goal(&goal)) {
                self.add_unreachable(&goal, &found, &subject);
            }
            if let Some((whole, ending)) = exclusive::ending(&subject, &goal, REPORT)
                && let Some(found) = invariant_of(&whole, Excluded::End)
            {
                self.add_dead_end(&goal, &found, &ending);
            }
        }
        if let [a, b, ..] = &covered[..]
            && let Some((whole, both)) = exclusive::both(&subject, [a, b], REPORT)
            && let Some(found) = invariant_of(&whole, Excluded::Goal(exclusive::BOTH))
        {
            self.add_exclusive([a, b], &found, &both);
        }
        if let Some(steps) = self.system.steps_of(goals, 1).and_then(|steps| steps.checked_sub(1)) {
            let steps = u32::try_from(steps).expect("few steps");
            let needed = bounded::query(&subject, &covered, steps).expect("a query");
            let query = |mut listed: Vec<Query>| listed.remove(0);
            self.add("bounded", &[("", needed)], |listed| Evidence::Bounded {
                name: "bounded".to_owned(),
                steps,
                query: query(listed),
            });
        }
        self.add_distances(&subject, &covered, &session);
        self.add_tours(&graph, &covered);
    }

    fn add_graph(&mut self, graph: &Graph, subject: &Subject) {
        self.files.insert("graph.graph".to_owned(), graph.print());
        let needed = graph_queries(graph, subject);
        let (nodes, edges) = (graph.nodes.len(), graph.edges.len());
        self.add("graph", &needed, |queries| Evidence::Graph {
            name: "graph".to_owned(),
            file: "graph.graph".to_owned(),
            nodes,
            edges,
            queries,
        });
    }

    fn add_families(&mut self, word: usize, found: &Families, subject: &Subject) {
        let Ok(expanded) = found.expand() else { return };
        let name = format!("families-{word}");
        let file = format!("{name}.families");
        self.files.insert(file.clone(), found.print());
        let (nodes, edges) = (expanded.nodes.len(), expanded.edges.len());
        let needed = families_queries(found, subject);
        self.add(&name.clone(), &needed, |queries| Evidence::Families { name, file, nodes, edges, queries });
    }

    fn add_parts(&mut self, found: &Parts, subject: &Subject, covered: &[String]) {
        let Ok(needed) = parts::queries(subject, found) else { return };
        let chains = self.file().summary.chains;
        let Some(goals) = found.positions(covered) else { return };
        let certified: Option<Vec<_>> = found.matrices(&goals, chains).iter().map(certified).collect();
        self.files.insert("parts.parts".to_owned(), found.print());
        let tours = self.tours(certified.unwrap_or_default());
        self.add("parts", &needed, |queries| Evidence::Parts {
            name: "parts".to_owned(),
            file: "parts.parts".to_owned(),
            chains,
            tours,
            queries,
        });
    }

    /// Certificates as files.
    pub(super) fn tours(&mut self, certified: Vec<(u64, String)>) -> Vec<Tour> {
        let mut tours = Vec::new();
        for (number, (steps, certificate)) in certified.into_iter().enumerate() {
            let file = format!("parts-{number}.tour");
            self.files.insert(file.clone(), certificate);
            tours.push(Tour { steps, file });
        }
        tours
    }

    /// Writes an invariant.
    fn clauses(&mut self, name: &str, found: &Invariant, subject: &Subject) -> String {
        let file = format!("{name}.clauses");
        self.files.insert(file.clone(), found.print(&subject.system));
        file
    }

    fn add_unreachable(&mut self, goal: &str, found: &Invariant, subject: &Subject) {
        let name = format!("never-{goal}");
        let file = self.clauses(&name, found, subject);
        let needed = found.queries(subject, Excluded::Goal(goal)).expect("queries");
        let (clauses, goal) = (found.len(), goal.to_owned());
        self.add(&name.clone(), &needed, |queries| Evidence::Invariant {
            name,
            file,
            goal,
            clauses,
            queries,
        });
    }

    fn add_dead_end(&mut self, goal: &str, found: &Invariant, ending: &Subject) {
        let name = format!("dead-{goal}");
        let file = self.clauses(&name, found, ending);
        let needed = found.queries(ending, Excluded::End).expect("queries");
        let goal = goal.to_owned();
        self.add(&name.clone(), &needed, |queries| Evidence::DeadEnd {
            name,
            goal,
            invariant: Pair { file, queries },
        });
    }

    fn add_exclusive(&mut self, goals: [&String; 2], found: &Invariant, both: &Subject) {
        let file = self.clauses("exclusive", found, both);
        let needed = found.queries(both, Excluded::Goal(exclusive::BOTH)).expect("queries");
        let goals = goals.map(Clone::clone).to_vec();
        self.add("exclusive", &needed, |queries| Evidence::Exclusive {
            name: "exclusive".to_owned(),
            goals,
            pairs: vec![Pair { file, queries }],
        });
    }

    /// What is known of all states, and distances from each goal and the beginning.
    fn add_distances(&mut self, subject: &Subject, covered: &[String], session: &Session<'_>) {
        let facts = facts::find(&self.validated, REPORT, session).expect("no limit");
        if let Some(found) = &facts {
            let file = self.clauses("states", found, subject);
            let needed = found.own_queries(subject).expect("queries");
            let clauses = found.len();
            self.add("states", &needed, |queries| Evidence::States {
                name: "states".to_owned(),
                file,
                clauses,
                queries,
            });
        }
        let facts = facts.filter(|_| self.names().iter().any(|name| name == "states"));
        let sources: Vec<Option<String>> =
            std::iter::once(None).chain(covered.iter().cloned().map(Some)).collect();
        for (number, from) in sources.iter().enumerate() {
            let targets = sources.iter().filter(|to| *to != from);
            let wanted: Vec<Leg> =
                targets.map(|to| Leg { from: from.clone(), to: to.clone(), steps: 6 }).collect();
            let legs = apart::find(subject, facts.as_ref(), &wanted, session).expect("no limit");
            let Some(needed) = apart::query(subject, facts.as_ref(), &legs).expect("a query") else {
                continue;
            };
            let (name, within) = (format!("apart-{number}"), facts.as_ref().map(|_| "states".to_owned()));
            self.add(&name.clone(), &[("", needed)], |mut listed| Evidence::Apart {
                name,
                within,
                legs,
                query: listed.remove(0),
            });
        }
    }

    /// Tours through the distances on the graph, for some numbers of chains and prices of a further
    /// one.
    fn add_tours(&mut self, graph: &Graph, covered: &[String]) {
        let goals = goal_steps(&self.validated);
        let judge = Judge::new(graph, goals.clone(), covered);
        let mut distances = Distances::new(&goals, covered).expect("goals");
        distances.raise_by_graph(&judge);
        let summary = self.file().summary;
        let reset = summary.reset_cost.and_then(|reset| u32::try_from(reset).ok());
        let wanted = [(summary.chains, None), (summary.chains.saturating_sub(1), None), (1, reset)];
        for (number, (chains, reset)) in wanted.into_iter().enumerate() {
            let Ok(matrix) = distances.matrix(chains, reset) else { continue };
            let Some((steps, certificate)) = certified(&matrix) else { continue };
            let file = format!("tour-{number}.tour");
            self.files.insert(file.clone(), certificate);
            self.evidence.push(Evidence::Tour {
                name: format!("tour-{number}"),
                distances: vec!["graph".to_owned()],
                chains,
                reset,
                tour: Tour { steps, file },
            });
        }
    }

    /// With a manifest in which the graph shows all claims.
    pub(super) fn with_claims(&self) -> Self {
        let mut bundle = self.clone();
        let entries = claims(&self.file()).into_iter().map(|claim| Entry {
            claim,
            evidence: Some("graph".to_owned()),
            not_certified: None,
            instead: None,
        });
        let entries = entries.collect();
        bundle.write_manifest(entries, None);
        bundle
    }

    pub(super) fn write_manifest(&mut self, claims: Vec<Entry>, kept: Option<&[String]>) {
        let is_kept =
            |evidence: &&Evidence| kept.is_none_or(|kept| kept.iter().any(|name| name == evidence.name()));
        let manifest = Manifest {
            schema: SCHEMA.to_owned(),
            run_sha256: None,
            system_sha256: fingerprint(&self.validated),
            undefined_behaviour: REPORT.name().to_owned(),
            files: BTreeMap::new(),
            library: Vec::new(),
            evidence: self.evidence.iter().filter(is_kept).cloned().collect(),
            claims,
        };
        let text = serde_json::to_string_pretty(&manifest).expect("a manifest");
        self.files.insert("manifest.json".to_owned(), text);
    }
}

pub(super) fn graph_queries(graph: &Graph, subject: &Subject) -> Vec<(String, Formula)> {
    let made = |name: queries::Name| {
        let query = queries::query(&name, subject, graph).expect("a query");
        (name.text(), query.formula)
    };
    queries::names(subject, graph).into_iter().map(made).collect()
}

pub(super) fn families_queries(found: &Families, subject: &Subject) -> Vec<(String, Formula)> {
    let made = families::queries::queries(subject, found);
    made.map(|(name, query)| (name, query.expect("a query").formula)).collect()
}
