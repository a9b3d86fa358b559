//! Forgeries of bundles.

use super::super::claims::claims;
use super::super::invariant::{Excluded, Invariant};
use super::super::manifest::{Entry, Evidence, Pair, Weaker};
use super::super::subject::Subject;
use super::super::{bounded, exclusive, parts};
use super::bundle::{Bundle, REPORT, certified, families_queries, graph_queries};
use super::mutate::{mutated, raised};
use super::random::Random;
use checker::families::Families;
use checker::graph::Graph;
use checker::parts::Parts;
use report::output::chain_file::ChainFile;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

impl Bundle {
    /// A mutant: claims, evidence or both are changed.
    pub(super) fn forged(&self, donor: &Self, random: &mut Random) -> Self {
        let mut forged = self.clone();
        if random.below(8) != 0 {
            forged.forge_result(random);
        }
        let names = forged.names();
        let target = random.of(&names).clone();
        if random.below(4) != 0 {
            forged.forge_evidence(&target, donor, random);
        }
        let Ok(file) = serde_json::from_value::<ChainFile>(forged.result.clone()) else { return forged };
        let mut kept = vec!["graph".to_owned(), "states".to_owned(), target.clone()];
        let mut entries = Vec::new();
        for claim in claims(&file) {
            let name = if random.below(4) == 0 { random.of(&names).clone() } else { target.clone() };
            kept.push(name.clone());
            let instead = random.once_in(8).then(|| Weaker { claim: claim.clone(), evidence: name.clone() });
            let evidence = if instead.is_some() { None } else { Some(name) };
            entries.push(Entry { claim, evidence, not_certified: None, instead });
        }
        forged.write_manifest(entries, Some(&kept));
        if random.below(3) == 0 {
            let text = &forged.files["manifest.json"];
            let changed = changed_json(text, &donor.files, random);
            forged.files.insert("manifest.json".to_owned(), changed);
        }
        forged
    }

    /// Raises what the result claims.
    fn forge_result(&mut self, random: &mut Random) {
        let summary = &mut self.result["summary"];
        for _ in 0..1 + random.below(2) {
            let bound = summary["lower_bound"].as_u64().unwrap_or(0);
            match random.below(8) {
                0..=3 => summary["lower_bound"] = json!(raised(bound, random)),
                4 => summary["minimal"] = json!(*random.of(&["gap", "proven", "unknown"])),
                5 => summary["chains"] = json!(random.below(5)),
                6 => {
                    let prices =
                        [0, 1, 7, u64::from(u32::MAX) - 3, u64::from(u32::MAX), u64::MAX, 1 << 63, 1 << 24];
                    summary["reset_cost"] = json!(*random.of(&prices));
                }
                _ => break,
            }
        }
        if random.below(2) == 0 {
            let goal = random.index(self.system.goals.len());
            let entry = &mut self.result["goals"][goal];
            entry["status"] = json!(*random.of(&["covered", "unreachable", "unreachable", "undecided"]));
            entry["reason"] = json!(*random.of(&["no execution reaches it", "Final cannot be reached"]));
        }
    }

    /// Changes a file of the evidence; often the queries and certificates that it needs then are
    /// made of it.
    fn forge_evidence(&mut self, name: &str, donor: &Self, random: &mut Random) {
        let Some(place) = self.evidence.iter().position(|evidence| evidence.name() == name) else { return };
        let files: Vec<String> = self.evidence[place].files().into_iter().map(str::to_owned).collect();
        let is_basis = |file: &&String| !file.ends_with(".cnf") && !file.ends_with(".lrat");
        let bases: Vec<&String> = files.iter().filter(is_basis).collect();
        let file = match bases.is_empty() || random.below(5) == 0 {
            true => random.of(&files).clone(),
            false => (*random.of(&bases)).clone(),
        };
        let text = self.files.get(&file).cloned().unwrap_or_default();
        let other = donor.files.get(&file).or_else(|| self.files.get(&file)).cloned().unwrap_or_default();
        let changed = if random.once_in(12) { other } else { mutated(&text, &other, random) };
        self.files.insert(file, changed);
        self.forge_numbers(place, random);
        if random.below(4) != 0 {
            self.prove_again(place);
        }
    }

    /// Raises what the evidence says it shows, where that is a number of the manifest.
    fn forge_numbers(&mut self, place: usize, random: &mut Random) {
        match &mut self.evidence[place] {
            Evidence::Bounded { steps, .. } => *steps += random.below(3) as u32,
            Evidence::Apart { legs, .. } if !legs.is_empty() => {
                let leg = random.index(legs.len());
                legs[leg].steps += random.below(3) as u32;
            }
            Evidence::Tour { tour, chains, .. } => {
                tour.steps = raised(tour.steps, random);
                *chains += random.index(2);
            }
            Evidence::Parts { chains, .. } => *chains = 1 + random.index(3),
            Evidence::Invariant { goal, .. } | Evidence::DeadEnd { goal, .. } if random.once_in(3) => {
                *goal = format!("g{}", random.below(3));
            }
            _ => {}
        }
    }

    /// What the evidence needs as it is now: sizes, queries with proofs, certificates.
    fn prove_again(&mut self, place: usize) {
        let subject = Subject::new(&self.validated, REPORT);
        let covered = self.covered();
        let evidence = self.evidence[place].clone();
        let files = self.files.clone();
        let text = |file: &String| files.get(file).cloned().unwrap_or_default();
        let invariant =
            |file: &String, subject: &Subject| Invariant::parse(&text(file), &subject.system).ok();
        let again = match evidence {
            Evidence::Graph { name, file, .. } => Graph::parse(&text(&file)).ok().and_then(|graph| {
                let labels = graph.labels.iter().map(|label| (label.goal.clone(), label.step));
                let subject = subject.restricted(&graph.words, labels)?;
                let fits = graph.nodes.iter().all(|node| fits(&subject, &node.values));
                let needed = fits.then(|| graph_queries(&graph, &subject))?;
                let (queries, _) = self.prove(&name, &needed);
                Some(Evidence::Graph {
                    name,
                    file,
                    nodes: graph.nodes.len(),
                    edges: graph.edges.len(),
                    queries,
                })
            }),
            Evidence::Families { name, file, .. } => Families::parse(&text(&file)).ok().and_then(|found| {
                let labels = found.labels.iter().map(|label| (label.goal.clone(), label.step));
                let subject = subject.restricted(&found.words, labels)?;
                let mut highs = found.families.iter().map(|family| {
                    let mut values = family.values.clone();
                    values[found.ranged] = u128::from(family.high);
                    values
                });
                let fits = highs.all(|values| fits(&subject, &values));
                let expanded = found.expand().ok().filter(|_| fits)?;
                let (queries, _) = self.prove(&name, &families_queries(&found, &subject));
                let (nodes, edges) = (expanded.nodes.len(), expanded.edges.len());
                Some(Evidence::Families { name, file, nodes, edges, queries })
            }),
            Evidence::Parts { name, file, chains, .. } => Parts::parse(&text(&file)).ok().and_then(|found| {
                let needed = parts::queries(&subject, &found).ok()?;
                let goals = found.positions(&covered)?;
                let (queries, _) = self.prove(&name, &needed);
                let certified: Option<Vec<_>> =
                    found.matrices(&goals, chains).iter().map(certified).collect();
                let tours = self.tours(certified.unwrap_or_default());
                Some(Evidence::Parts { name, file, chains, tours, queries })
            }),
            Evidence::Invariant { name, file, goal, .. } => invariant(&file, &subject).map(|found| {
                let needed = found.queries(&subject, Excluded::Goal(&goal)).expect("queries");
                let (queries, _) = self.prove(&name, &needed);
                Evidence::Invariant { name, file, goal, clauses: found.len(), queries }
            }),
            Evidence::States { name, file, .. } => invariant(&file, &subject).map(|found| {
                let (queries, _) = self.prove(&name, &found.own_queries(&subject).expect("queries"));
                Evidence::States { name, file, clauses: found.len(), queries }
            }),
            Evidence::DeadEnd { name, goal, invariant: Pair { file, .. } } => {
                exclusive::ending(&subject, &goal, REPORT).and_then(|(_, ending)| {
                    let needed = invariant(&file, &ending)?.queries(&ending, Excluded::End).expect("queries");
                    let (queries, _) = self.prove(&name, &needed);
                    Some(Evidence::DeadEnd { name, goal, invariant: Pair { file, queries } })
                })
            }
            Evidence::Bounded { name, steps, .. } => {
                let needed = bounded::query(&subject, &covered, steps).expect("a query");
                let (mut queries, _) = self.prove(&name, &[("", needed)]);
                Some(Evidence::Bounded { name, steps, query: queries.remove(0) })
            }
            other => Some(other),
        };
        if let Some(again) = again {
            self.evidence[place] = again;
        }
    }
}

/// Whether words can have these values.
fn fits(subject: &Subject, values: &[u128]) -> bool {
    let width = |word: usize| {
        let symbol = subject.system.states[subject.words[word]].symbol;
        subject.system.terms.symbol(symbol).sort.width()
    };
    values.iter().enumerate().all(|(word, value)| value >> width(word) == 0)
}

/// A manifest in which numbers, names or whole entries are others.
fn changed_json(text: &str, donor: &BTreeMap<String, String>, random: &mut Random) -> String {
    let mut json: Json = serde_json::from_str(text).expect("a manifest");
    let mut leaves = Vec::new();
    collect(&json, String::new(), &mut leaves);
    let names: Vec<String> =
        donor.keys().cloned().chain(["graph", "states", "g0", "g1", ""].map(str::to_owned)).collect();
    for _ in 0..1 + random.below(2) {
        let pointer = random.of(&leaves).clone();
        let other = random.of(&leaves).clone();
        let other = json.pointer(&other).cloned().unwrap_or(Json::Null);
        let Some(place) = json.pointer_mut(&pointer) else { continue };
        *place = match (&*place, random.below(4)) {
            (_, 0) => other,
            (Json::Number(number), 1) => json!(raised(number.as_u64().unwrap_or(0), random)),
            (Json::Number(number), _) => json!(number.as_u64().unwrap_or(0).wrapping_sub(1)),
            (Json::String(_), 1) => json!(random.of(&names).clone()),
            (Json::Array(all), 1) => json!([all.clone(), all.clone()].concat()),
            (Json::Array(all), 2) => json!(all.iter().skip(1).cloned().collect::<Vec<_>>()),
            (Json::Array(all), _) => json!(all.iter().rev().cloned().collect::<Vec<_>>()),
            (value, _) => value.clone(),
        };
    }
    json.to_string()
}

/// The places of all values.
fn collect(json: &Json, pointer: String, leaves: &mut Vec<String>) {
    match json {
        Json::Object(entries) => {
            entries.iter().for_each(|(key, value)| collect(value, format!("{pointer}/{key}"), leaves));
        }
        Json::Array(all) => {
            for (number, value) in all.iter().enumerate() {
                collect(value, format!("{pointer}/{number}"), leaves);
            }
            leaves.push(pointer);
        }
        _ => leaves.push(pointer),
    }
}
