//! Evidence for what `check` says of requirements, and its check.
//!
//! A result is a list of *statements*: that the requirements are consistent, or from which step on
//! they are not, and that sets of them are minimal conflicts. Each of them follows from who wins the
//! games of sets of requirements. A game that the environment wins against some requirements is won
//! against more of them, too, and one that the system wins is won with fewer.

use super::players::{CONFLICTS, ROUNDS};
use super::{Consistency, NoDecision};
use crate::error::{Error, ErrorKind};
use crate::settings::Settings;
use crate::verification::Verification;
use contracts::semantics::{Interest, Semantics};
use contracts::symbolic::Board;
use contracts::syntax::Role;
use contracts::{Document, Interface, independent_parts};
use encoder::EncodeError;
use engine::game::{self, Game, Within};
use evidence::games::{self, Arena, Certificate, CheckedGames, Claim, Fact, GameProofs};
use frontend::limit::Limit;
use report::build::source_file;
use report::output::chain_file::SourceFile;
use report::output::digest::sha256;
use report::output::root::root_of;
use report::output::visible;
use report::output::write::{atomically, folder};
use serde_json::{Value as Json, json};
use solver::sat::{Backend, Budget};
use spec::scope::VariableId;
use std::path::{Path, PathBuf};

/// The value of the `schema` key of `check.json`.
const SCHEMA: &str = "chaincover/requirements/1";

/// What `verify` does not look at.
const UNCHECKED: &str = "of check.json these are not checked: the play, what is void, implied or never deciding (or unknown), \
     repairs, counts, names, what is said of the environment and of doomed answers, and that there are no further conflicts";

/// What was written beside a result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckProofs {
    /// Number of statements.
    pub statements: usize,
    /// For each statement without evidence what it is, and why.
    pub open: Vec<(String, String)>,
    /// The files, by path below the folder.
    pub files: Vec<String>,
}

/// Who wins the game of some requirements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Winner {
    /// The system answers so many steps; none: for ever.
    System(Option<u64>),
    /// The environment wins within so many steps; none: at some time.
    Environment(Option<u64>),
}

/// Something that a result says.
#[derive(Clone, Debug)]
struct Statement {
    text: String,
    /// Sets of requirements, ascending, and who wins their games: together they show it.
    needed: Vec<(Vec<usize>, Winner)>,
}

/// What a result says, as data.
#[derive(Clone, Debug, Default)]
struct Said {
    is_consistent: Option<bool>,
    depth: Option<u64>,
    conflicts: Vec<Vec<usize>>,
    any_depth: Vec<Vec<usize>>,
    /// Conflicts of which it is not said that they are minimal.
    unfinished: Option<Vec<usize>>,
    unfinished_any_depth: Option<Vec<usize>>,
}

/// A set of requirements, and what is shown of its game.
type Known = (Vec<usize>, Claim);

/// What `check` says of an interface, for scripts.
pub fn result(interface: &Interface, found: &Result<Consistency, NoDecision>) -> Json {
    match found {
        Ok(found) => found.to_json(interface),
        Err(undecided) => {
            json!({ "kind": "contracts", "consistent": null, "undecided": undecided.to_string() })
        }
    }
}

/// Writes what was found into `check.json` in a folder, and evidence for it beside it. What the
/// limit cuts short is not certified.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("echo.ri");
/// # std::fs::write(&path, "input a : bool  output b : bool  req x always guarantee b' = a'")?;
/// use chaincover::{Against, Finding, Limit, requirements, verify};
/// let document = requirements::read_interface(&[path.clone()], &[])?;
/// let found = requirements::consistency(&document.interface, &Limit::default());
/// let limit = Limit::default();
/// let written = requirements::write_proofs(folder.path(), &document, &[path], &found, &limit)?;
/// assert_eq!((written.statements, written.open.len()), (1, 0));
/// let checked = verify(folder.path(), Against::default())?;
/// assert_eq!((checked.count(Finding::Verified), checked.count(Finding::Rejected)), (1, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Request`]: files cannot be written. [`ErrorKind::Source`]: a requirement has no
/// circuit.
pub fn write_proofs(
    output: &Path,
    document: &Document,
    paths: &[PathBuf],
    found: &Result<Consistency, NoDecision>,
    limit: &Limit,
) -> Result<CheckProofs, Error> {
    let interface = &document.interface;
    folder(output)?;
    let mut maker = Maker { interface, limit, proofs: GameProofs::create(output)?, facts: Vec::new() };
    let said = match found {
        Ok(found) => Said::of(found),
        Err(_) => Said::default(),
    };
    let statements = said.statements(interface);
    let mut open = Vec::new();
    for statement in &statements {
        if let Err(why) = maker.show(statement)? {
            maker.proofs.leave_open(statement.text.clone(), why.clone());
            open.push((statement.text.clone(), why));
        }
    }
    let text = result_text(document, paths, found);
    atomically(&output.join(games::RESULT), text.as_bytes())?;
    let files = maker.proofs.finish(sha256(&text))?;
    Ok(CheckProofs { statements: statements.len(), open, files })
}

/// `check.json`: the files, and what was found of them.
pub(super) fn result_text(
    document: &Document,
    paths: &[PathBuf],
    found: &Result<Consistency, NoDecision>,
) -> String {
    let source = |file: SourceFile| json!({ "path": file.path, "sha256": file.sha256 });
    let mut json = json!({
        "schema": SCHEMA,
        "model": paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
        "sources": recorded(document).into_iter().map(source).collect::<Vec<_>>(),
        "define": document.define,
    });
    if let (Json::Object(json), Json::Object(found)) = (&mut json, result(&document.interface, found)) {
        json.extend(found);
    }
    visible::json(&format!("{json:#}\n"))
}

/// The files that an interface was read from.
fn recorded(document: &Document) -> Vec<SourceFile> {
    let files = document.sources.files.values().map(|file| file.path.as_path());
    files.filter(|path| path.is_file()).map(source_file).collect()
}

impl Said {
    fn of(found: &Consistency) -> Self {
        Self {
            is_consistent: Some(found.is_consistent()),
            depth: found.depth.map(|depth| depth as u64),
            conflicts: found.conflicts.sets.clone(),
            any_depth: found.any_depth.sets.clone(),
            unfinished: found.conflicts.unfinished.clone(),
            unfinished_any_depth: found.any_depth.unfinished.clone(),
        }
    }

    /// What a result says about an interface.
    ///
    /// # Errors
    /// What is wrong with it.
    fn parse(json: &Json, interface: &Interface) -> Result<Self, String> {
        let sets = |key: &str| match json.get(key) {
            None => Ok(Vec::new()),
            Some(sets) => {
                sets_of(sets, interface).ok_or_else(|| format!("`{key}` is no list of sets of requirements"))
            }
        };
        let set = |key: &str| match json.get(key).filter(|set| !set.is_null()) {
            None => Ok(None),
            Some(set) => {
                let found = set_of(set, interface).map(Some);
                found.ok_or_else(|| format!("`{key}` is no set of requirements"))
            }
        };
        let said = Self {
            is_consistent: json.get("consistent").and_then(Json::as_bool),
            depth: json.get("depth").and_then(Json::as_u64),
            conflicts: sets("conflicts")?,
            any_depth: sets("conflicts_any_depth")?,
            unfinished: set("conflict_not_minimal")?,
            unfinished_any_depth: set("conflict_any_depth_not_minimal")?,
        };
        let has_early = said.unfinished.is_some() || !said.conflicts.is_empty();
        let has_conflicts = has_early || said.unfinished_any_depth.is_some() || !said.any_depth.is_empty();
        match (said.is_consistent, said.depth) {
            (Some(false), Some(_)) => Ok(said),
            // The step may be unknown, but then nothing is said of conflicts up to it.
            (Some(false), None) if !has_early => Ok(said),
            (_, None) if !has_conflicts => Ok(said),
            _ => Err("`consistent`, `depth` and the conflicts do not fit together".to_owned()),
        }
    }

    /// All that is to be shown, in a fixed order.
    fn statements(&self, interface: &Interface) -> Vec<Statement> {
        let all: Vec<usize> = (0..interface.requirements.len()).collect();
        let one = |text: String, winner| Statement { text, needed: vec![(all.clone(), winner)] };
        match (self.is_consistent, self.depth) {
            (None, _) => Vec::new(),
            (Some(true), _) => {
                vec![one("a system can answer all inputs, at every depth".to_owned(), Winner::System(None))]
            }
            (Some(false), None) => {
                let lost = "no system can answer all inputs for ever".to_owned();
                let mut statements = vec![one(lost, Winner::Environment(None))];
                statements.extend(conflicts(interface, &self.any_depth, None));
                statements.extend(unfinished(interface, self.unfinished_any_depth.as_ref(), None));
                statements
            }
            (Some(false), Some(depth)) => {
                let within = depth.saturating_add(1);
                let lost = format!("no system can answer all inputs up to step {depth}");
                let mut statements = vec![one(lost, Winner::Environment(Some(within)))];
                if depth > 0 {
                    let kept = format!("a system can answer all inputs before step {depth}");
                    statements.push(one(kept, Winner::System(Some(depth))));
                }
                statements.extend(conflicts(interface, &self.conflicts, Some(within)));
                statements.extend(conflicts(interface, &self.any_depth, None));
                statements.extend(unfinished(interface, self.unfinished.as_ref(), Some(within)));
                statements.extend(unfinished(interface, self.unfinished_any_depth.as_ref(), None));
                statements
            }
        }
    }
}

/// That a set is a conflict, perhaps no minimal one.
fn unfinished(interface: &Interface, set: Option<&Vec<usize>>, within: Option<u64>) -> Option<Statement> {
    let set = set?;
    let text = format!("{} is a conflict {}", listed(interface, set), when(within));
    Some(Statement { text, needed: vec![(set.clone(), Winner::Environment(within))] })
}

/// A set of requirements by their identifiers.
fn set_of(json: &Json, interface: &Interface) -> Option<Vec<usize>> {
    let names = json.as_array()?.iter().map(|name| name.as_str().map(str::to_owned));
    numbers(interface, &names.collect::<Option<Vec<String>>>()?).ok()
}

/// Sets of them.
fn sets_of(json: &Json, interface: &Interface) -> Option<Vec<Vec<usize>>> {
    json.as_array()?.iter().map(|set| set_of(set, interface)).collect()
}

/// The names of some requirements.
fn listed(interface: &Interface, set: &[usize]) -> String {
    format!("{{{}}}", interface.names(set.iter().copied()).join(", "))
}

/// The steps within which the environment wins, as text.
fn when(within: Option<u64>) -> String {
    within.map_or("at some depth".to_owned(), |within| format!("up to step {}", within - 1))
}

/// Sets are conflicts, and no smaller ones are: up to a number of steps, or at any depth.
fn conflicts(interface: &Interface, sets: &[Vec<usize>], within: Option<u64>) -> Vec<Statement> {
    let when = when(within);
    let one = |set: &Vec<usize>| {
        let names = listed(interface, set);
        let without = |member: &usize| set.iter().copied().filter(|other| other != member).collect();
        let smaller = set.iter().map(|member| (without(member), Winner::System(within)));
        let conflict = (set.clone(), Winner::Environment(within));
        Statement {
            text: format!("{names} is a minimal conflict {when}"),
            needed: std::iter::once(conflict).chain(smaller).collect(),
        }
    };
    sets.iter().map(one).collect()
}

/// Makes evidence.
struct Maker<'a> {
    interface: &'a Interface,
    limit: &'a Limit,
    proofs: GameProofs,
    facts: Vec<Known>,
}

impl Maker<'_> {
    /// Shows a statement; otherwise why it cannot be shown.
    fn show(&mut self, statement: &Statement) -> Result<Result<(), String>, Error> {
        for (set, winner) in &statement.needed {
            // One part of what the environment wins is enough.
            let parts = independent_parts(self.interface, set);
            let mut failed = "its independent parts do not show it".to_owned();
            for part in parts {
                if follows(self.interface, &self.facts, set, *winner) {
                    break;
                }
                if let Err(why) = self.prove(&part, *winner)? {
                    failed = why;
                }
            }
            // A set without requirements has no parts.
            if set.is_empty() {
                let _ = self.prove(set, *winner)?;
            }
            if !follows(self.interface, &self.facts, set, *winner) {
                let names = self.interface.names(set.iter().copied()).join(", ");
                return Ok(Err(format!("{{{names}}}: {failed}")));
            }
        }
        Ok(Ok(()))
    }

    /// Adds a certificate for the game of a set, if it is won as it should be.
    fn prove(&mut self, set: &[usize], winner: Winner) -> Result<Result<(), String>, Error> {
        if follows(self.interface, &self.facts, set, winner) {
            return Ok(Ok(()));
        }
        if self.limit.reason().is_some() {
            return Ok(Err("the time was up".to_owned()));
        }
        let arena = match arena(self.interface, set) {
            Ok(arena) => arena,
            Err(why) => return Ok(Err(why)),
        };
        let Limit { deadline, stop, .. } = self.limit.clone();
        let budget = Budget { conflicts: Some(CONFLICTS), deadline, stop };
        let backend = Backend::Batsat;
        let effort = game::Effort { backend, rounds: ROUNDS, budget: budget.clone(), diagrams: false };
        let found = certificate(&arena.game(), winner, &effort)
            .map_err(|error| Error::new(ErrorKind::Source, error.to_string()))?;
        let Some(certificate) = found else {
            return Ok(Err("its game was not decided so within the limits".to_owned()));
        };
        let names = self.interface.names(set.iter().copied());
        let added = self.proofs.add(&names, arena.game(), &certificate, &budget)?;
        if added.is_ok() {
            self.facts.push((set.to_vec(), certificate.claim));
        }
        Ok(added)
    }
}

/// A certificate of what is needed, if the game is decided so.
fn certificate(
    game: &Game<'_>,
    winner: Winner,
    effort: &game::Effort,
) -> Result<Option<Certificate>, EncodeError> {
    let (Winner::System(steps) | Winner::Environment(steps)) = winner;
    if let Some(steps) = steps {
        let count = usize::try_from(steps).unwrap_or(usize::MAX);
        let (found, grounds) = game::answers_with_grounds(game, count, effort)?;
        return Ok(match (found, winner) {
            (Within::Always, Winner::System(_)) => Some(games::kept(&grounds, None)),
            (Within::Answered, Winner::System(_)) => Some(games::kept(&grounds, Some(steps))),
            (Within::Lost, Winner::Environment(_)) => Some(games::lost(&grounds, Some(steps))),
            _ => None,
        });
    }
    let (outcome, grounds) = game::winner_with_grounds(game, effort)?;
    Ok(match (outcome, winner) {
        (game::Outcome::Kept, Winner::System(_)) => Some(games::kept(&grounds, None)),
        (game::Outcome::LostSomewhere, Winner::Environment(_)) => Some(games::lost(&grounds, None)),
        _ => None,
    })
}

/// The game of some requirements.
fn arena(interface: &Interface, set: &[usize]) -> Result<Arena, String> {
    let board = Board::new(interface, set).map_err(|error| error.to_string())?;
    let Board { system, environment, allowed, position, .. } = board;
    Ok(Arena { system, environment, allowed, position })
}

/// Whether it follows from facts who wins the game of a set.
fn follows(interface: &Interface, facts: &[Known], set: &[usize], winner: Winner) -> bool {
    let is_part = |part: &[usize], whole: &[usize]| part.iter().all(|index| whole.contains(index));
    match winner {
        // More requirements leave fewer answers.
        Winner::Environment(within) => facts.iter().any(|(known, claim)| {
            let is_soon = |steps: u64| within.is_none_or(|within| steps <= within);
            let is_lost = match claim {
                Claim::LostWithin(steps) => is_soon(*steps),
                Claim::Lost => within.is_none(),
                Claim::Kept | Claim::KeptFor(_) => false,
            };
            is_lost && is_part(known, set)
        }),
        Winner::System(steps) => {
            let wanted = steps.map_or(Claim::Kept, Claim::KeptFor);
            let kept = facts.iter().filter(|(_, claim)| claim.implies(wanted));
            let kept: Vec<&[usize]> = kept.map(|(known, _)| known.as_slice()).collect();
            kept.iter().any(|known| is_part(set, known)) || is_covered(interface, &kept, set)
        }
    }
}

/// Whether each independent part of a set lies in one of these sets: parts share no controlled
/// variable, so they are answered apart from each other, unless inputs depend on answers. What is
/// answered with more requirements is answered with fewer.
fn is_covered(interface: &Interface, kept: &[&[usize]], set: &[usize]) -> bool {
    let parts = independent_parts(interface, set);
    let is_known =
        |part: &Vec<usize>| kept.iter().any(|known| part.iter().all(|index| known.contains(index)));
    let mut taken: Vec<VariableId> = Vec::new();
    let mut is_apart = |part: &Vec<usize>| {
        let controlled = Semantics::new(interface, part.clone(), &Interest::default()).controlled();
        let is_apart = !controlled.iter().any(|variable| taken.contains(variable));
        taken.extend(controlled);
        is_apart
    };
    let mut left = set.to_vec();
    left.retain(|index| !parts.iter().any(|part| part.contains(index)));
    let environment = interface.environment.iter().flat_map(|restriction| restriction.condition.reads());
    let mut environment = environment.into_iter();
    left.is_empty()
        && parts.iter().all(|part| is_known(part) && is_apart(part))
        && environment.all(|read| interface.roles[read.variable] == Role::Input)
}

/// Checks all statements of the result in a folder. Where the caller names files and settings, only
/// these count.
///
/// # Errors
/// [`ErrorKind::Request`]: there is no result or no manifest, or files are missing; reading the
/// requirements may fail.
pub(crate) fn verify(output: &Path, model: Option<(&[PathBuf], &Settings)>) -> Result<Verification, Error> {
    let path = output.join(games::RESULT);
    let unusable = |why: String| Error::new(ErrorKind::Request, format!("{}: {why}", path.display()));
    let text = std::fs::read_to_string(&path).map_err(|error| unusable(error.to_string()))?;
    let json: Json = serde_json::from_str(&text).map_err(|error| unusable(error.to_string()))?;
    if json.get("schema").and_then(Json::as_str) != Some(SCHEMA) {
        return Err(unusable(format!("no result of `check`; this version reads {SCHEMA}")));
    }
    let before = sources_of(&json).ok_or_else(|| unusable("`sources` is no list of files".to_owned()))?;
    let texts = |key: &str| texts(&json, key).ok_or_else(|| unusable(format!("`{key}` is no list of texts")));
    let (sources, define) = (texts("model")?, texts("define")?);
    let root = root_of(&sources, &before, &path);
    let (paths, define) = match model {
        Some((paths, settings)) => (paths.to_vec(), settings.define.clone()),
        None => (sources.iter().map(|source| root.join(source)).collect(), define),
    };
    crate::stored::require(&paths)?;
    let document = super::read_interface(&paths, &define)?;
    let mut report = Verification { about: about(&paths, &define), ..Verification::default() };
    if digests(&before) != digests(&recorded(&document)) {
        report.reject("the requirements are other ones than those that were checked".to_owned());
    }
    let interface = &document.interface;
    let mut game_of = |names: &[String]| numbers(interface, names).and_then(|set| arena(interface, &set));
    let checked = games::check(output, &mut game_of).map_err(|error| Error::request(&error))?;
    match Said::parse(&json, interface) {
        Ok(said) => judge(interface, &said, &checked, &mut report),
        Err(why) => report.reject(why),
    }
    checked.wrong.into_iter().for_each(|why| report.reject(why));
    report.notes = vec![UNCHECKED.to_owned()];
    Ok(report)
}

fn sources_of(json: &Json) -> Option<Vec<SourceFile>> {
    let text = |file: &Json, key: &str| Some(file.get(key)?.as_str()?.to_owned());
    let source = |file: &Json| Some(SourceFile { path: text(file, "path")?, sha256: text(file, "sha256")? });
    json.get("sources")?.as_array()?.iter().map(source).collect()
}

fn texts(json: &Json, key: &str) -> Option<Vec<String>> {
    json.get(key)?.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
}

/// The contents of files, whatever these are called.
fn digests(files: &[SourceFile]) -> Vec<&str> {
    let mut digests: Vec<&str> = files.iter().map(|file| file.sha256.as_str()).collect();
    digests.sort_unstable();
    digests
}

/// What the verdicts are about.
fn about(paths: &[PathBuf], define: &[String]) -> String {
    let sources = paths.iter().map(|path| format!("source         {}\n", path.display()));
    sources.chain(define.iter().map(|text| format!("constant       {text}\n"))).collect()
}

/// Requirements by their identifiers, ascending.
fn numbers(interface: &Interface, names: &[String]) -> Result<Vec<usize>, String> {
    let number = |name: &String| {
        let found = interface.requirements.iter().position(|requirement| requirement.name == *name);
        found.ok_or_else(|| format!("there is no requirement `{name}`"))
    };
    let mut numbers: Vec<usize> = names.iter().map(number).collect::<Result<_, _>>()?;
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}

/// The verdict on each statement.
fn judge(interface: &Interface, said: &Said, checked: &CheckedGames, report: &mut Verification) {
    let known = |fact: &Fact| Some((numbers(interface, &fact.requirements).ok()?, fact.claim));
    let facts: Vec<Known> = checked.facts.iter().filter_map(known).collect();
    if said.is_consistent.is_none() {
        report.leave_open("whether the requirements are consistent: undecided".to_owned());
    }
    for Statement { text, needed } in said.statements(interface) {
        let is_shown = needed.iter().all(|(set, winner)| follows(interface, &facts, set, *winner));
        match (is_shown, checked.open.iter().find(|open| open.what == text)) {
            (true, _) => report.hold(text),
            (false, Some(open)) => report.leave_open(format!("{text}: {}", open.why)),
            (false, None) => report.reject(format!("{text}: the evidence does not show it")),
        }
    }
}
