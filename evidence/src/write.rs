//! Making the evidence for the claims of a result, and writing it.

use super::claims::{Claim, unreachable};
use super::enumerate;
use super::graphs::{self, Attempt, Made};
use super::library::Point;
use super::maker::{Maker, Material};
use super::manifest::{Entry, Evidence, Leg, Manifest, SCHEMA, Weaker};
use super::subject::Subject;
use super::{Judge, MANIFEST, OF_UNREACHABLE, Part, Stored, fingerprint, goal_steps, run_digest};
use engine::error::EngineError;
use engine::error::StopReason;
use engine::knowledge::distances::{EdgeEnd, Reach, ReachGraph};
use engine::options::Options;
use engine::outcome::Chain;
use engine::session::Silent;
use engine::session::{Session, Stop};
use engine::step::lemma::with_lemmas;
use model::external::Lemma;
use model::id::Id;
use model::product::twins;
use model::system::TransitionSystem;
use model::validate::Validated;
use report::build::hexadecimal;
use report::output::digest::sha256;
use report::output::write::{WriteError, atomically, folder};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Why evidence could not be written. That there is none for a claim is no error.
#[derive(Debug, thiserror::Error)]
pub enum ProofError {
    /// A file.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// An old file that cannot be removed.
    #[error("cannot remove {path}: {source}")]
    Remove {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The queries could not be made, or contradict what was enumerated.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Number of claims.
    pub claims: usize,
    /// Those with evidence.
    pub certified: usize,
    /// Size of all files.
    pub bytes: u64,
    /// The files, by path below the folder of `chain.json`, with their digests.
    pub files: Vec<(String, String)>,
}

/// What a search found: it only says what to look for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Found<'a> {
    /// The chains.
    pub chains: &'a [Chain],
    /// Distances between goals.
    pub graph: Option<&'a ReachGraph>,
    /// What the C library was asked for.
    pub lemmas: &'a [Lemma],
}

/// Writes evidence for the claims of one part of a result about `system` into the folder of that
/// part, beside the result. The limits of `options` apply; what they cut short is not certified.
///
/// # Errors
/// Where files cannot be written, or two parts of this program disagree.
pub fn write(
    part: Part,
    stored: Stored<'_>,
    (system, found): (&Validated, Found<'_>),
    options: &Options,
) -> Result<Written, ProofError> {
    let Stored { folder: output, name: result, file } = stored;
    let claimed = Claimed {
        claims: part.claims(file),
        covered: part.covered(file),
        orders: file.chains.iter().map(|chain| chain.order.clone()).collect(),
        run: Some(run_digest(file)),
        result: Some((output.join(result), result)),
    };
    let mut written = write_bundle(&output.join(part.folder()), claimed, (system, found), options)?;
    written.files.iter_mut().for_each(|(name, _)| *name = format!("{}/{name}", part.folder()));
    Ok(written)
}

/// Writes evidence that no execution of a system reaches its goals of these names, into a folder of
/// its own. [`check_unreachable`](crate::check::check_unreachable) checks it. The limits of
/// `options` apply; what they cut short is not certified.
///
/// # Errors
/// As for [`write()`].
pub fn write_unreachable(
    place: &Path,
    (system, goals): (&Validated, &[String]),
    options: &Options,
) -> Result<Written, ProofError> {
    let options = Options { hazards: OF_UNREACHABLE, ..options.clone() };
    let claimed = Claimed { claims: unreachable(goals), ..Claimed::default() };
    write_bundle(place, claimed, (system, Found::default()), &options)
}

/// What evidence is for.
#[derive(Default)]
struct Claimed<'a> {
    claims: Vec<Claim>,
    /// The goals that chains cover.
    covered: Vec<String>,
    /// The goals of each chain in order.
    orders: Vec<Vec<String>>,
    /// Digest of the run.
    run: Option<String>,
    /// The file that claims it, and its name.
    result: Option<(PathBuf, &'a str)>,
}

/// Writes evidence for claims into a folder; the names of files are those within it.
fn write_bundle(
    place: &Path,
    Claimed { claims, covered, orders, run, result }: Claimed<'_>,
    (system, found): (&Validated, Found<'_>),
    options: &Options,
) -> Result<Written, ProofError> {
    let refined = with_lemmas(system.clone(), found.lemmas)?;
    folder(place)?;
    remove_old(place)?;
    let session = Session::new(options, &Silent);
    let subject = Subject::new(&refined, options.hazards);
    let material = Material {
        system: &refined,
        subject: &subject,
        options,
        session: &session,
        orders: &orders,
        covered: &covered,
        values: values(system, found.chains),
        wanted: found.graph.map_or_else(Vec::new, |graph| wanted(graph, &covered)),
    };
    let mut maker = Maker::new(material, Writer::new(place));
    let claims = certified(claims, &mut maker)?;
    let mut writer = maker.writer;
    writer.keep(&maker.evidence)?;
    let own = std::mem::take(&mut writer.files);
    let mut files = own.clone();
    files.extend(result.and_then(|(path, name)| Some((name.to_owned(), hash(&path)?))));
    let manifest = Manifest {
        schema: SCHEMA.to_owned(),
        run_sha256: run,
        system_sha256: fingerprint(&refined),
        undefined_behaviour: options.hazards.name().to_owned(),
        files,
        library: found.lemmas.iter().map(Point::of).collect(),
        evidence: maker.evidence,
        claims,
    };
    let text = serde_json::to_string_pretty(&manifest).expect("a manifest should be serialisable") + "\n";
    writer.file(MANIFEST, &text)?;
    let files = own.into_iter().chain([(MANIFEST.to_owned(), sha256(&text))]).collect();
    let certified = manifest.claims.iter().filter(|entry| entry.evidence.is_some()).count();
    Ok(Written { claims: manifest.claims.len(), certified, bytes: writer.bytes, files })
}

/// The claims, each with its evidence or why there is none. What is trivial comes first, and no
/// kind of evidence may take all of the time.
fn certified(claims: Vec<Claim>, maker: &mut Maker<'_, '_>) -> Result<Vec<Entry>, ProofError> {
    let mut shown: Vec<Option<String>> = vec![None; claims.len()];
    if claims.is_empty() {
        return Ok(Vec::new());
    }
    let session = maker.material.session;
    // What is said of twins costs little, and excludes most of what can be excluded of versions.
    if twins(maker.material.system).next().is_some() {
        for (number, claim) in claims.iter().enumerate() {
            shown[number] = session.share(PARTS_FOR_TWINS, || maker.exclusion(number, claim))?.ok();
        }
    }
    let is_shown = shown.iter().all(Option::is_some);
    let mut graph = if is_shown { None } else { small_graph(maker)? };
    if graph.is_none() && !is_shown {
        for (number, claim) in claims.iter().enumerate() {
            if shown[number].is_none() {
                shown[number] = session.share(PARTS_FOR_CHEAP, || maker.show_cheaply(number, claim))?;
            }
        }
        if !shown.iter().all(Option::is_some) {
            graph = Some(large_graph(maker)?);
        }
    }
    let graph = graph.unwrap_or_else(|| Err("a graph was not needed".to_owned()));
    let goals = goal_steps(maker.material.system);
    let covered = maker.material.covered;
    let judge = graph.as_ref().map(|made| Judge::new(&made.graph, goals, covered).until(session.deadline()));
    let judge = judge.as_ref().map_err(|why| (*why).clone());
    let mut left = shown.iter().filter(|shown| shown.is_none()).count() as u32;
    let mut entries = Vec::new();
    for (number, (claim, early)) in claims.into_iter().zip(shown).enumerate() {
        entries.push(match early {
            Some(name) => Entry { claim, evidence: Some(name), not_certified: None, instead: None },
            None => {
                left -= 1;
                session.share(left + 1, || entry(number, claim, judge.as_ref().copied(), maker))?
            }
        });
    }
    Ok(entries)
}

/// A claim with its evidence, or with why there is none and what is certified instead.
fn entry(
    number: usize,
    claim: Claim,
    judge: Result<&Judge<'_>, &String>,
    maker: &mut Maker<'_, '_>,
) -> Result<Entry, ProofError> {
    let others = match maker.show(number, &claim, judge.ok())? {
        Ok(name) => return Ok(Entry { claim, evidence: Some(name), not_certified: None, instead: None }),
        Err(others) => others,
    };
    let mut reasons: Vec<String> = Vec::new();
    for why in judge.err().cloned().into_iter().chain(others) {
        if !why.is_empty() && !reasons.contains(&why) {
            reasons.push(why);
        }
    }
    let weaker = maker.weaker(number, &claim, judge.ok())?;
    let instead = weaker.map(|(claim, evidence)| Weaker { claim, evidence });
    Ok(Entry { claim, evidence: None, not_certified: Some(reasons.join("; ")), instead })
}

/// Name of the graph of all states among the evidence.
pub(super) const GRAPH: &str = "graph";

/// A graph of all states with its proofs, or why there is none.
type FoundGraph = Result<Made, String>;

/// Invariants of versions beside an original may take one of so many parts of the time each.
const PARTS_FOR_TWINS: u32 = 3;
/// Looking for a graph of few nodes may take one of so many parts of the time.
const PARTS_FOR_SMALL: u32 = 4;
/// Looking for cheap evidence for one claim may take one of so many parts of the time that is left.
const PARTS_FOR_CHEAP: u32 = 8;
/// Looking for a graph of all states may take one of so many parts of the time that is left then.
const PARTS_FOR_LARGE: u32 = 2;

/// A graph of few nodes or families of them. `None`: there are too many of either, or to find them
/// takes too long.
fn small_graph(maker: &mut Maker<'_, '_>) -> Result<Option<FoundGraph>, ProofError> {
    let Material { subject, session, .. } = maker.material;
    match session.share(PARTS_FOR_SMALL, || graphs::small(subject, session)) {
        Ok(Attempt::Made(made)) => shown_graph(made, maker).map(Some),
        Ok(Attempt::TooLarge | Attempt::Doubtful) | Err(Stop::Limit(StopReason::Deadline)) => Ok(None),
        Err(Stop::Limit(reason)) => Ok(Some(Err(reason.to_string()))),
        Err(Stop::Failed(error)) => Err(error.into()),
    }
}

/// The same with more nodes.
fn large_graph(maker: &mut Maker<'_, '_>) -> Result<FoundGraph, ProofError> {
    let Material { subject, session, .. } = maker.material;
    match session.share(PARTS_FOR_LARGE, || graphs::make(subject, enumerate::LARGE, session)) {
        Ok(Attempt::Made(made)) => shown_graph(made, maker),
        Ok(Attempt::TooLarge | Attempt::Doubtful) => {
            Ok(Err("there are too many reachable states for a graph".to_owned()))
        }
        Err(Stop::Limit(_)) => Ok(Err("the time was up before there was a graph of all states".to_owned())),
        Err(Stop::Failed(error)) => Err(error.into()),
    }
}

fn shown_graph(made: Made, maker: &mut Maker<'_, '_>) -> Result<FoundGraph, ProofError> {
    let (subject, session) = (maker.material.subject, maker.material.session);
    let evidence = made.evidence((GRAPH, ""), subject, &mut maker.writer, session)?;
    Ok(evidence.map(|evidence| {
        maker.evidence.push(evidence);
        made
    }))
}

/// By name of a state word: how many values it takes on the chains.
fn values(system: &TransitionSystem, chains: &[Chain]) -> BTreeMap<String, usize> {
    let states = || chains.iter().flat_map(|chain| &chain.run.states);
    let count = |word: usize| states().map(|state| state[word].bits()).collect::<BTreeSet<u128>>().len();
    system.states.ids().map(|word| (system.state_name(word).to_owned(), count(word.index()))).collect()
}

/// The distances between goals covered that the search is said to have shown, by source.
fn wanted(graph: &ReachGraph, covered: &[String]) -> Vec<Leg> {
    let is_covered = |vertex: &EdgeEnd| covered.iter().any(|goal| goal == graph.name(*vertex));
    let goals: Vec<EdgeEnd> =
        graph.goals().iter().map(|&goal| EdgeEnd::Goal(goal)).filter(is_covered).collect();
    let name = |vertex: EdgeEnd| match vertex {
        EdgeEnd::Goal(_) => Some(graph.name(vertex).to_owned()),
        EdgeEnd::Init | EdgeEnd::Final => None,
    };
    let mut legs = Vec::new();
    for &from in std::iter::once(&EdgeEnd::Init).chain(&goals) {
        for &to in goals.iter().chain(graph.has_end().then_some(&EdgeEnd::Final)) {
            let steps = match graph.reach(from, to) {
                Some(Reach::Exactly { steps, .. } | Reach::AtLeast { steps }) => steps,
                // How far it is looked ahead does not matter then.
                Some(Reach::Never { .. }) => u32::MAX,
                None => 0,
            };
            if steps > 0 {
                legs.push(Leg { from: name(from), to: name(to), steps });
            }
        }
    }
    legs
}

/// Writes files and remembers their hashes.
pub(crate) struct Writer<'p> {
    place: &'p Path,
    bytes: u64,
    /// By name.
    files: BTreeMap<String, String>,
}

impl<'p> Writer<'p> {
    /// Into a folder that is there.
    pub(crate) fn new(place: &'p Path) -> Self {
        Self { place, bytes: 0, files: BTreeMap::new() }
    }

    /// The files with their hashes.
    pub(crate) fn into_files(self) -> BTreeMap<String, String> {
        self.files
    }

    /// Writes a file of the folder.
    pub(crate) fn file(&mut self, name: &str, text: &str) -> Result<(), WriteError> {
        self.bytes += text.len() as u64;
        self.files.insert(name.to_owned(), hexadecimal(&Sha256::digest(text)));
        atomically(&self.place.join(name), text.as_bytes())
    }

    /// Removes the files of evidence that did not come to its end.
    fn keep(&mut self, evidence: &[Evidence]) -> Result<(), ProofError> {
        let kept: BTreeSet<&str> = evidence.iter().flat_map(Evidence::files).collect();
        let is_kept = |name: &String| kept.contains(&name[..]);
        for name in self.files.keys().filter(|name| !is_kept(name)) {
            let path = self.place.join(name);
            self.bytes -= std::fs::metadata(&path).map_or(0, |found| found.len()).min(self.bytes);
            remove(&path)?;
        }
        self.files.retain(|name, _| is_kept(name));
        Ok(())
    }
}

/// Hash of a file, if it can be read.
fn hash(path: &Path) -> Option<String> {
    Some(hexadecimal(&Sha256::digest(std::fs::read(path).ok()?)))
}

/// Removes a file, if it is there.
fn remove(path: &Path) -> Result<(), ProofError> {
    match std::fs::remove_file(path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(ProofError::Remove { path: path.to_owned(), source })
        }
        _ => Ok(()),
    }
}

/// Whether a file of the folder has the name of evidence: it is removed before new evidence is
/// made.
pub fn is_evidence(path: &Path) -> bool {
    let endings = ["cnf", "lrat", "graph", "families", "clauses", "parts", "tour", "game"];
    path.file_name().is_some_and(|name| name == MANIFEST)
        || endings.iter().any(|ending| path.extension().is_some_and(|found| found == *ending))
}

/// Removes what an earlier run left, the manifest first: evidence without it means nothing.
pub(crate) fn remove_old(place: &Path) -> Result<(), ProofError> {
    remove(&place.join(MANIFEST))?;
    let listed = std::fs::read_dir(place);
    for path in listed.into_iter().flatten().flatten().map(|entry| entry.path()) {
        if is_evidence(&path) {
            remove(&path)?;
        }
    }
    Ok(())
}
