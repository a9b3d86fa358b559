//! Checking the evidence for the claims of a result.

use super::claims::{Claim, claims, covered};
use super::invariant::{Excluded, Invariant};
use super::library::Point;
use super::manifest::{Entry, Evidence, Leg, Manifest, Pair, Query, SCHEMA, Tour};
use super::subject::Subject;
use super::tours::Distances;
use super::{
    FOLDER, Judge, MANIFEST, RESULT, apart, bounded, dimacs_text, exclusive, families, fingerprint,
    goal_steps, parts, queries, run_digest,
};
use crate::options::HazardPolicy;
use crate::output::chain_file::ChainFile;
use crate::output::digest::sha256;
use crate::refine::with_lemmas;
use crate::report::hexadecimal;
use checker::families::Families;
use checker::graph::{Graph, Label};
use checker::lrat;
use checker::parts::Parts;
use encoder::EncodeError;
use frontend::c::libm::{Call, Lemma};
use model::validate::Validated;
use sha2::{Digest, Sha256};
use solver::sat::Formula;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What the check of a claim came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It follows from evidence that was checked; which.
    Checked(String),
    /// The manifest says that there is no evidence; why.
    NotCertified(String),
    /// The evidence does not show it; why.
    Rejected(String),
}

/// The claims of a result with their verdicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Report {
    /// In the order of [`claims`].
    pub(crate) verdicts: Vec<(Claim, Verdict)>,
    /// Files that are not as they were when the manifest was written.
    pub(crate) changed: Vec<String>,
    /// What the user should know about all of them.
    pub(crate) notes: Vec<String>,
}

/// Why the evidence could not be looked at.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unusable {
    /// A file cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The manifest has another format.
    #[error("{}: no manifest of proofs: {why}", path.display())]
    NoManifest {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
}

/// Checks the evidence below `output` for the claims of `file` about `system`, as it was just made from the source, with its calls of the C library.
///
/// # Errors
/// Where there is no manifest. Anything else that is wrong is a verdict.
pub(crate) fn check(
    output: &Path,
    system: &Validated,
    calls: &[Call],
    file: &ChainFile,
) -> Result<Report, Unusable> {
    let place = output.join(FOLDER);
    let manifest = read_manifest(&place.join(MANIFEST))?;
    let checked = refined(&manifest, system, calls)
        .and_then(|system| check_evidence(&place, &manifest, &system, &covered(file)));
    let mut judges = Vec::new();
    for (name, shown) in checked.iter().flatten() {
        let judge = match shown {
            Ok(Shown::Graph(graph)) => Some(Judge::new(graph, goal_steps(system), &covered(file))),
            _ => None,
        };
        judges.push((name, shown, judge));
    }
    let follows = |name: &str, claim: &Claim| -> Result<(), String> {
        checked.as_ref().map_err(Clone::clone)?;
        let found = judges.iter().find(|(known, ..)| *known == name);
        let (_, shown, judge) = found.ok_or_else(|| format!("the manifest has no evidence `{name}`"))?;
        match (shown.as_ref().map_err(Clone::clone)?, judge) {
            (Shown::Graph(_), Some(judge)) => judge.follows(claim),
            (Shown::Claim(shown), _) if shown.implies(claim) => Ok(()),
            (Shown::Claim(shown), _) => Err(format!("`{name}` shows only that {shown}")),
            (Shown::Graph(_) | Shown::Legs(_) | Shown::States(_), _) => {
                Err(format!("`{name}` shows no claim by itself"))
            }
        }
    };
    // Evidence is about the model: that of another run counts where both claim the same.
    let is_of_another_run = manifest.run_sha256.as_ref().is_some_and(|run| *run != run_digest(file));
    let mut verdicts = Vec::new();
    for claim in claims(file) {
        let verdict = match manifest.claims.iter().find(|entry| entry.claim == claim) {
            None if is_of_another_run => Verdict::NotCertified(ANOTHER_RUN.to_owned()),
            None => Verdict::Rejected("the manifest does not list this claim".to_owned()),
            Some(Entry { evidence: None, not_certified, .. }) => Verdict::NotCertified(
                not_certified.clone().unwrap_or_else(|| "no reason is given".to_owned()),
            ),
            Some(Entry { evidence: Some(name), .. }) => match follows(name, &claim) {
                Ok(()) => Verdict::Checked(name.clone()),
                Err(why) if is_of_another_run => Verdict::NotCertified(format!("{ANOTHER_RUN}: {why}")),
                Err(why) => Verdict::Rejected(why),
            },
        };
        verdicts.push((claim, verdict));
    }
    for entry in manifest.claims.iter().filter(|_| !is_of_another_run) {
        if !verdicts.iter().any(|(claim, _)| *claim == entry.claim) {
            let why = "chain.json does not claim this".to_owned();
            verdicts.push((entry.claim.clone(), Verdict::Rejected(why)));
        }
    }
    let forbids = manifest.undefined_behaviour == HazardPolicy::Forbid.name();
    let note = "only executions without undefined operations count (--ub forbid)".to_owned();
    let library = format!(
        "the C library was asked at {} points again; what it says there is assumed, and what docs/guarantees.md says of its functions",
        manifest.library.len()
    );
    let notes = [
        is_of_another_run.then(|| ANOTHER_RUN.to_owned()),
        forbids.then_some(note),
        (!calls.is_empty()).then_some(library),
    ];
    let mut files = manifest.files;
    if is_of_another_run {
        // Nothing else is known of the result that they belonged to.
        files.insert(RESULT.to_owned(), result_hash(output));
    }
    let changed = changed_files(output, &files, &manifest.evidence);
    Ok(Report { verdicts, changed, notes: notes.into_iter().flatten().collect() })
}

const ANOTHER_RUN: &str =
    "the proofs beside chain.json are of another run; call `chain` again with `--proofs`";

/// The hash of the result as it is.
fn result_hash(output: &Path) -> String {
    std::fs::read(output.join(RESULT)).map(sha256).unwrap_or_default()
}

/// What is wrong with the files that the manifest has hashes of: each is told, whether claims depend on the change or not.
fn changed_files(output: &Path, files: &BTreeMap<String, String>, evidence: &[Evidence]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (name, hash) in files {
        let path = if name == RESULT { output.join(name) } else { output.join(FOLDER).join(name) };
        match std::fs::read(&path) {
            Err(source) => wrong.push(format!("{name} cannot be read: {source}")),
            Ok(bytes) if hexadecimal(&Sha256::digest(&bytes)) != *hash => {
                wrong.push(format!("{name} has changed since the evidence was written"));
            }
            Ok(_) => {}
        }
    }
    let named = evidence.iter().flat_map(Evidence::files).chain([RESULT]);
    let without: BTreeSet<&str> = named.filter(|name| !files.contains_key(*name)).collect();
    wrong.extend(without.into_iter().map(|name| format!("the manifest has no hash of {name}")));
    wrong
}

fn read(path: &Path) -> Result<String, Unusable> {
    std::fs::read_to_string(path).map_err(|source| Unusable::Unreadable { path: path.to_owned(), source })
}

fn read_manifest(path: &Path) -> Result<Manifest, Unusable> {
    let no_manifest = |why: String| Unusable::NoManifest { path: path.to_owned(), why };
    let manifest: Manifest =
        serde_json::from_str(&read(path)?).map_err(|error| no_manifest(error.to_string()))?;
    if manifest.schema != SCHEMA {
        return Err(no_manifest(format!(
            "schema `{}` is not known; this version reads {SCHEMA}",
            manifest.schema
        )));
    }
    Ok(manifest)
}

/// The system with what the library says at the points of the manifest.
///
/// # Errors
/// What is wrong with these points.
fn refined(manifest: &Manifest, system: &Validated, calls: &[Call]) -> Result<Validated, String> {
    let lemmas: Vec<Lemma> = manifest.library.iter().map(Point::confirmed).collect::<Result<_, _>>()?;
    with_lemmas(system.clone(), calls, &lemmas).map_err(|error| error.to_string())
}

/// What evidence shows, once it is checked.
enum Shown {
    /// This graph stands for the system.
    Graph(Graph),
    /// All reachable states satisfy this.
    States(Invariant),
    /// No execution has less between goals.
    Legs(Vec<Leg>),
    /// This holds.
    Claim(Claim),
}

/// By name of the evidence: what it shows, or what is wrong with it.
type Checked = Vec<(String, Result<Shown, String>)>;

/// Checks all evidence of the manifest.
///
/// # Errors
/// Where none of it is about this system.
fn check_evidence(
    place: &Path,
    manifest: &Manifest,
    system: &Validated,
    covered: &[String],
) -> Result<Checked, String> {
    if manifest.evidence.is_empty() {
        return Ok(Vec::new());
    }
    if fingerprint(system) != manifest.system_sha256 {
        return Err("the proofs are about another transition system than the source describes now".to_owned());
    }
    let hazards: HazardPolicy = manifest.undefined_behaviour.parse()?;
    let subject = Subject::new(system, hazards);
    let goals = goal_steps(system);
    let covered_goals = (&goals[..], covered);
    let mut checked: Checked = Vec::new();
    for evidence in &manifest.evidence {
        let name = evidence.name();
        if checked.iter().any(|(known, _)| known == name) {
            return Err(format!("the manifest lists evidence `{name}` twice"));
        }
        let shown = match evidence {
            Evidence::Tour { distances, chains, reset, tour, .. } => {
                check_tour(place, &found(distances, &checked), (*chains, *reset), tour, covered_goals)
            }
            Evidence::Apart { within, legs, query, .. } => {
                let within = found(within.as_slice(), &checked);
                check_apart(place, within.first(), legs, query, &subject)
            }
            Evidence::Exclusive { goals, pairs, .. } => {
                check_exclusive(place, (goals, pairs), (&subject, hazards), covered)
            }
            Evidence::DeadEnd { goal, invariant, .. } => {
                check_dead_end(place, goal, invariant, (&subject, hazards))
            }
            evidence => check_one(place, evidence, &subject, covered),
        };
        checked.push((name.to_owned(), shown));
    }
    Ok(checked)
}

/// What evidence that was checked before shows, or why there is none.
type Known<'c> = Result<&'c Shown, String>;

/// The evidence of these names.
fn found<'c>(names: &[String], checked: &'c Checked) -> Vec<Known<'c>> {
    let one = |name: &String| match checked.iter().find(|(known, _)| known == name) {
        Some((_, Ok(shown))) => Ok(shown),
        Some((_, Err(why))) => Err(why.clone()),
        None => Err(format!("evidence `{name}` should be listed before what rests on it")),
    };
    names.iter().map(one).collect()
}

/// Checks a bound of tours between goals by distances that were checked before.
fn check_tour(
    place: &Path,
    sources: &[Known<'_>],
    (chains, reset): (usize, Option<u32>),
    tour: &Tour,
    (goals, covered): (&[(String, u32)], &[String]),
) -> Result<Shown, String> {
    let mut distances = Distances::new(goals, covered)?;
    for source in sources {
        match source.as_ref().map_err(Clone::clone)? {
            Shown::Graph(graph) => {
                distances.raise_by_graph(&Judge::new(graph, goals.to_vec(), covered));
            }
            Shown::Legs(legs) => legs.iter().for_each(|leg| distances.raise(leg)),
            Shown::States(_) | Shown::Claim(_) => {
                return Err("a tour needs graphs or distances".to_owned());
            }
        }
    }
    let certificate = read(&inside(place, &tour.file)?).map_err(|error| error.to_string())?;
    let shown = distances.shown((chains, reset), tour.steps, &certificate);
    shown.map(Shown::Claim).map_err(|why| format!("{}: {why}", tour.file))
}

/// Checks that no execution has shorter distances, given an invariant of all states.
fn check_apart(
    place: &Path,
    within: Option<&Known<'_>>,
    legs: &[Leg],
    query: &Query,
    subject: &Subject,
) -> Result<Shown, String> {
    let invariant = match within.map(|known| known.as_ref().map_err(Clone::clone)).transpose()? {
        None => None,
        Some(Shown::States(invariant)) => Some(invariant),
        Some(_) => return Err("distances may rest on an invariant of all states only".to_owned()),
    };
    let needed = apart::query(subject, invariant, legs).map_err(|error| error.to_string())?;
    check_query(place, &needed.ok_or("distances should be from one goal to goals of the system")?, query)?;
    Ok(Shown::Legs(legs.to_vec()))
}

/// Checks that no execution ends in Final after a goal.
fn check_dead_end(
    place: &Path,
    goal: &str,
    Pair { file, queries }: &Pair,
    (subject, hazards): (&Subject, HazardPolicy),
) -> Result<Shown, String> {
    let ending = exclusive::ending(subject, goal, hazards);
    let (_, ending) = ending.ok_or_else(|| format!("the system has no goal {goal} or no Final"))?;
    let invariant = read_invariant(place, file, &ending)?;
    let needed = invariant.queries(&ending, Excluded::End).map_err(|error| error.to_string())?;
    check_all(place, &needed, queries)?;
    Ok(Shown::Claim(Claim::NoWayToFinal { goal: goal.to_owned() }))
}

/// Checks that goals which the chains cover exclude each other.
fn check_exclusive(
    place: &Path,
    (goals, pairs): (&[String], &[Pair]),
    (subject, hazards): (&Subject, HazardPolicy),
    covered: &[String],
) -> Result<Shown, String> {
    if let Some(goal) = goals.iter().find(|goal| !covered.contains(goal)) {
        return Err(format!("no chain covers {goal}"));
    }
    let later = |first: usize| goals[first + 1..].iter().map(move |second| [&goals[first][..], second]);
    let wanted: Vec<[&str; 2]> = (0..goals.len()).flat_map(later).collect();
    if wanted.len() != pairs.len() {
        return Err(format!(
            "{} pairs of goals need an invariant each, there are {}",
            wanted.len(),
            pairs.len()
        ));
    }
    for (goals, Pair { file, queries }) in wanted.into_iter().zip(pairs) {
        let both = exclusive::both(subject, goals, hazards);
        let (_, both) =
            both.ok_or_else(|| format!("the system has no goals {} and {}", goals[0], goals[1]))?;
        let invariant = read_invariant(place, file, &both)?;
        let needed =
            invariant.queries(&both, Excluded::Goal(exclusive::BOTH)).map_err(|error| error.to_string())?;
        check_all(place, &needed, queries)?;
    }
    Ok(Shown::Claim(Claim::FewestChains { chains: goals.len() }))
}

/// The invariant of a file about a system.
fn read_invariant(place: &Path, file: &str, subject: &Subject) -> Result<Invariant, String> {
    let text = read(&inside(place, file)?).map_err(|error| error.to_string())?;
    Invariant::parse(&text, &subject.system).map_err(|why| format!("{file}: {why}"))
}

fn check_one(
    place: &Path,
    evidence: &Evidence,
    subject: &Subject,
    covered: &[String],
) -> Result<Shown, String> {
    match evidence {
        Evidence::Graph { file, nodes, edges, queries, .. } => {
            let text = read(&inside(place, file)?).map_err(|error| error.to_string())?;
            let graph = Graph::parse(&text).map_err(|error| format!("{file}: {error}"))?;
            if (graph.nodes.len(), graph.edges.len()) != (*nodes, *edges) {
                return Err(format!("{file}: the graph has another size than the manifest says"));
            }
            let values = graph.nodes.iter().map(|node| (&node.values[..], node.end));
            let subject = spoken_of(subject, (&graph.words, &graph.labels), values)
                .map_err(|why| format!("{file}: {why}"))?;
            let names = queries::names(&subject, &graph);
            let needed = names.iter().map(|name| (name.text(), queries::query(name, &subject, &graph)));
            check_queries(place, needed, queries)?;
            Ok(Shown::Graph(graph))
        }
        Evidence::Families { file, nodes, edges, queries, .. } => {
            let text = read(&inside(place, file)?).map_err(|error| error.to_string())?;
            let families = Families::parse(&text).map_err(|error| format!("{file}: {error}"))?;
            let values = families.families.iter().map(|family| (&family.values[..], family.end));
            let (ranged, highest) =
                (families.ranged, families.families.iter().map(|family| family.high).max());
            let subject = spoken_of(subject, (&families.words, &families.labels), values)
                .and_then(|subject| check_range(&subject, ranged, highest).map(|()| subject))
                .map_err(|why| format!("{file}: {why}"))?;
            let graph = families.expand().map_err(|why| format!("{file}: {why}"))?;
            if (graph.nodes.len(), graph.edges.len()) != (*nodes, *edges) {
                return Err(format!("{file}: the graph has another size than the manifest says"));
            }
            check_queries(place, families::queries::queries(&subject, &families), queries)?;
            Ok(Shown::Graph(graph))
        }
        Evidence::Invariant { file, goal, clauses, queries, .. } => {
            let invariant = read_invariant(place, file, subject)?;
            if invariant.len() != *clauses {
                return Err(format!("{file}: the invariant has another size than the manifest says"));
            }
            if !subject.labels.iter().any(|(name, _)| name == goal) {
                return Err(format!("the system has no goal {goal}"));
            }
            let needed =
                invariant.queries(subject, Excluded::Goal(goal)).map_err(|error| error.to_string())?;
            check_all(place, &needed, queries)?;
            Ok(Shown::Claim(Claim::Unreachable { goal: goal.clone() }))
        }
        Evidence::Bounded { steps, query, .. } => {
            if u64::from(*steps) > bounded::MOST_STEPS {
                return Err(format!("{steps} steps are more than one query asks about"));
            }
            let is_known = |goal: &&String| subject.labels.iter().any(|(name, _)| name == *goal);
            if let Some(goal) = covered.iter().find(|goal| !is_known(goal)) {
                return Err(format!("the system has no goal {goal}"));
            }
            let needed = bounded::query(subject, covered, *steps).map_err(|error| error.to_string())?;
            check_query(place, &needed, query)?;
            Ok(Shown::Claim(Claim::Length { chains: 1, steps: u64::from(*steps) + 1 }))
        }
        Evidence::States { file, clauses, queries, .. } => {
            let invariant = read_invariant(place, file, subject)?;
            if invariant.len() != *clauses {
                return Err(format!("{file}: the invariant has another size than the manifest says"));
            }
            let needed = invariant.own_queries(subject).map_err(|error| error.to_string())?;
            check_all(place, &needed, queries)?;
            Ok(Shown::States(invariant))
        }
        Evidence::Tour { name, .. }
        | Evidence::Apart { name, .. }
        | Evidence::DeadEnd { name, .. }
        | Evidence::Exclusive { name, .. } => Err(format!("`{name}` is no evidence by itself")),
        Evidence::Parts { file, chains, tours, queries, .. } => {
            let text = read(&inside(place, file)?).map_err(|error| error.to_string())?;
            let parts = Parts::parse(&text).map_err(|error| format!("{file}: {error}"))?;
            let needed = parts::queries(subject, &parts).map_err(|error| format!("{file}: {error}"))?;
            check_all(place, &needed, queries)?;
            let goals = parts.positions(covered).ok_or_else(|| format!("{file}: a goal is missing"))?;
            let steps = parts.check(&goals, *chains, &read_tours(place, tours)?)?;
            Ok(Shown::Claim(Claim::Length { chains: *chains, steps }))
        }
    }
}

/// The bounds and certificates of tours.
fn read_tours(place: &Path, tours: &[Tour]) -> Result<Vec<(u64, String)>, String> {
    let one = |tour: &Tour| {
        let text = read(&inside(place, &tour.file)?).map_err(|error| error.to_string())?;
        Ok((tour.steps, text))
    };
    tours.iter().map(one).collect()
}

/// Compares all stored queries with those needed, by name, and checks their proofs.
fn check_all<N>(place: &Path, needed: &[(N, Formula)], listed: &[Query]) -> Result<(), String> {
    if needed.len() != listed.len() {
        return Err(format!(
            "the evidence needs {} queries, the manifest lists {}",
            needed.len(),
            listed.len()
        ));
    }
    needed.iter().zip(listed).try_for_each(|((_, formula), query)| check_query(place, formula, query))
}

/// A file of the manifest lies in its folder.
fn inside(place: &Path, file: &str) -> Result<PathBuf, String> {
    let plain = Path::new(file).file_name().is_some_and(|name| name == file);
    if plain {
        Ok(place.join(file))
    } else {
        Err(format!("`{file}` is no name of a file beside the manifest"))
    }
}

/// The system as far as these words and labels speak of it, which must be its own, in its order. Nodes, given by values and whether chains may end
/// there, must fit it.
fn spoken_of<'g>(
    subject: &Subject,
    (words, labels): (&[String], &[Label]),
    mut nodes: impl Iterator<Item = (&'g [u128], bool)>,
) -> Result<Subject, String> {
    let labels = labels.iter().map(|label| (label.goal.clone(), label.step));
    let subject = subject.restricted(words, labels);
    let subject = subject.ok_or(
        "the graph is about other state words than the goals depend on, or its labels are not the steps of the goals",
    )?;
    let masks: Vec<u128> = (0..words.len()).map(|word| mask(&subject, word)).collect();
    let fits = |values: &[u128]| values.iter().zip(&masks).all(|(value, mask)| value & !mask == 0);
    let may_end_anywhere = subject.system.end.is_none();
    nodes.try_for_each(|(values, end)| match (fits(values), end || !may_end_anywhere) {
        (true, true) => Ok(()),
        (false, _) => Err("a node has a value that its word cannot have".to_owned()),
        (_, false) => Err("chains may end anywhere, but not in all nodes".to_owned()),
    })?;
    Ok(subject)
}

/// The values of the ranged word of families are such that it can have.
fn check_range(subject: &Subject, ranged: usize, highest: Option<u64>) -> Result<(), String> {
    let fits = ranged < subject.words.len() && u128::from(highest.unwrap_or(0)) <= mask(subject, ranged);
    if fits { Ok(()) } else { Err("a range has a value that its word cannot have".to_owned()) }
}

/// The greatest value of one of the subject's words.
fn mask(subject: &Subject, word: usize) -> u128 {
    subject.system.terms.symbol(subject.system.states[subject.words[word]].symbol).sort.mask()
}

/// Makes every query again, compares, and checks its proof.
fn check_queries(
    place: &Path,
    needed: impl Iterator<Item = (String, Result<queries::Query, EncodeError>)>,
    listed: &[Query],
) -> Result<(), String> {
    let mut listed_ones = listed.iter();
    let mut count = 0;
    for (_, made) in needed {
        count += 1;
        let Some(query) = listed_ones.next() else { continue };
        check_query(place, &made.map_err(|error| error.to_string())?.formula, query)?;
    }
    if count != listed.len() {
        return Err(format!("the graph needs {count} queries, the manifest lists {}", listed.len()));
    }
    Ok(())
}

/// Compares a stored query with the one that is needed, and checks its proof.
fn check_query(place: &Path, needed: &Formula, query: &Query) -> Result<(), String> {
    let needed = dimacs_text(needed);
    let stored = read(&inside(place, &query.formula)?).map_err(|error| error.to_string())?;
    if let Some(line) = first_difference(&needed, &stored) {
        return Err(format!("{}: not the query that the evidence needs, from line {line} on", query.formula));
    }
    let proof = read(&inside(place, &query.proof)?).map_err(|error| error.to_string())?;
    lrat::check(&stored, &proof).map_err(|why| format!("{}: {why}", query.proof))?;
    Ok(())
}

/// Number of the first line that differs.
fn first_difference(needed: &str, stored: &str) -> Option<usize> {
    if needed == stored {
        return None;
    }
    let lines = needed.lines().zip(stored.lines());
    Some(lines.take_while(|(needed, stored)| needed == stored).count() + 1)
}
