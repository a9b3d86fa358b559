//! Evidence for who wins games of safety: certificates, and the queries that tie them to a game.
//!
//! `check --proofs DIR` writes `DIR/check.json`, and below `DIR/check-proofs` for each fact a
//! certificate (`game-N.game`, [`checker::game`]), its queries (`game-N-J.cnf`), a proof for each
//! (`game-N-J.lrat`), and a manifest. The check makes the queries again from the requirements as
//! they are now, compares them, and checks the proofs. The manifest does not say which claim rests
//! on which fact: whoever knows the claims derives them from the facts.

mod circuit;

use crate::check::{self, Unusable};
use crate::manifest::Query;
use crate::write::{ProofError, Writer, remove_old};
use crate::{MANIFEST, dimacs_text};
use checker::game::Cube;
pub use checker::game::{Certificate, Claim};
use circuit::Circuit;
use engine::error::EngineError;
use engine::game::{Game, Grounds};
use model::term::TermId;
use model::validate::Validated;
use report::output::write::folder;
use serde::{Deserialize, Serialize};
use solver::sat::{Budget, Refutation, refute};
use std::collections::BTreeMap;
use std::path::Path;

/// The folder beside `check.json`.
pub const FOLDER: &str = "check-proofs";
/// The result that the facts are for, beside the folder.
pub const RESULT: &str = "check.json";
/// The value of the `schema` key of the manifest.
const SCHEMA: &str = "chaincover/check-proofs/1";

/// A game that owns its system; see [`Game`].
pub struct Arena {
    /// State words, inputs by who chooses them, and what a step leaves behind.
    pub system: Validated,
    /// Truth over states and stimuli: the environment may give these inputs.
    pub environment: TermId,
    /// Truth over states and inputs: this answer is allowed.
    pub allowed: TermId,
    /// Truth over states: all that an allowed answer leads to satisfies it.
    pub position: TermId,
}

/// Who wins the game of some requirements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Their identifiers.
    pub requirements: Vec<String>,
    /// What is shown.
    pub claim: Claim,
}

/// The whole manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Manifest {
    schema: String,
    /// SHA-256 of every file, and of the result.
    files: BTreeMap<String, String>,
    games: Vec<Entry>,
    /// What could not be shown, with the reason.
    not_certified: Vec<Open>,
}

/// A certificate and what it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    requirements: Vec<String>,
    file: String,
    queries: Vec<Query>,
}

/// Something without evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Open {
    /// What it is.
    pub what: String,
    /// Why there is none.
    pub why: String,
}

impl Arena {
    /// The game.
    pub fn game(&self) -> Game<'_> {
        let Self { system, environment, allowed, position } = self;
        Game { system, environment: *environment, allowed: *allowed, position: *position }
    }
}

/// A certificate that the system answers for ever, or so many steps, of what a search knows.
pub fn kept(grounds: &Grounds, steps: Option<u64>) -> Certificate {
    let claim = steps.map_or(Claim::Kept, Claim::KeptFor);
    let cube = |lost: &engine::game::LostCube| Cube {
        rank: lost.level as u64,
        literals: lost.cube.clone(),
        falls: None,
        stimuli: None,
    };
    let needed = grounds.lost.iter().filter(|lost| steps.is_none_or(|steps| lost.level as u64 <= steps));
    Certificate { claim, cubes: needed.map(cube).collect(), moves: grounds.moves.clone() }
}

/// A certificate that the system loses within so many steps; without a number, in any number.
pub fn lost(grounds: &Grounds, steps: Option<u64>) -> Certificate {
    // Where levels mean nothing, each cube is lost because of those before it.
    let rank = |number: usize, level: usize| if grounds.is_eager { number as u64 + 1 } else { level as u64 };
    let ranked = grounds.lost.iter().enumerate().map(|(number, lost)| Cube {
        rank: rank(number, lost.level),
        literals: lost.cube.clone(),
        falls: lost.measure.clone(),
        stimuli: Some(lost.stimuli.clone()),
    });
    let cubes = ranked.filter(|cube| steps.is_none_or(|steps| cube.rank <= steps)).collect();
    Certificate { claim: steps.map_or(Claim::Lost, Claim::LostWithin), cubes, moves: Vec::new() }
}

/// Writes evidence into the folder [`FOLDER`].
pub struct GameProofs {
    place: std::path::PathBuf,
    files: BTreeMap<String, String>,
    manifest: Manifest,
}

impl GameProofs {
    /// Makes the folder; what an earlier run left there is removed.
    ///
    /// # Errors
    /// Files cannot be written or removed.
    pub fn create(output: &Path) -> Result<Self, ProofError> {
        let place = output.join(FOLDER);
        folder(&place)?;
        remove_old(&place)?;
        let manifest = Manifest {
            schema: SCHEMA.to_owned(),
            files: BTreeMap::new(),
            games: Vec::new(),
            not_certified: Vec::new(),
        };
        Ok(Self { place, files: BTreeMap::new(), manifest })
    }

    /// Adds a certificate with its proofs; otherwise why there are none.
    ///
    /// # Errors
    /// Files cannot be written, or the game cannot be encoded.
    pub fn add(
        &mut self,
        requirements: &[String],
        game: Game<'_>,
        certificate: &Certificate,
        budget: &Budget,
    ) -> Result<Result<(), String>, ProofError> {
        let mut circuit = Circuit::new(game).map_err(EngineError::from)?;
        let text = certificate.print();
        let read = Certificate::read(&text, circuit.shape(), circuit.initial());
        let certificate = match read {
            Ok(certificate) => certificate,
            Err(why) => return Ok(Err(format!("the certificate is refused: {why}"))),
        };
        let mut made = Vec::new();
        for query in certificate.queries() {
            let formula = circuit.formula(query, &certificate).map_err(EngineError::from)?;
            match refute(&formula, budget) {
                Refutation::Proof(proof) => made.push((dimacs_text(&formula), proof)),
                Refutation::Unknown => {
                    return Ok(Err("a query was not refuted within the limits".to_owned()));
                }
                Refutation::Satisfiable => {
                    return Ok(Err("a query of the certificate has a model".to_owned()));
                }
            }
        }
        let name = format!("game-{}", self.manifest.games.len());
        let mut writer = Writer::new(&self.place);
        let file = format!("{name}.game");
        writer.file(&file, &text)?;
        let mut queries = Vec::new();
        for (number, (formula, proof)) in made.into_iter().enumerate() {
            let query =
                Query { formula: format!("{name}-{number}.cnf"), proof: format!("{name}-{number}.lrat") };
            writer.file(&query.formula, &formula)?;
            writer.file(&query.proof, &proof)?;
            queries.push(query);
        }
        self.files.extend(writer.into_files());
        self.manifest.games.push(Entry { requirements: requirements.to_vec(), file, queries });
        Ok(Ok(()))
    }

    /// Notes what could not be shown.
    pub fn leave_open(&mut self, what: String, why: String) {
        self.manifest.not_certified.push(Open { what, why });
    }

    /// Writes the manifest, for a result of that digest. All files that were written, by path below
    /// the folder of the result.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(self, result: String) -> Result<Vec<String>, ProofError> {
        let Self { place, mut files, mut manifest } = self;
        let mut listed: Vec<String> = files.keys().map(|name| format!("{FOLDER}/{name}")).collect();
        files.insert(RESULT.to_owned(), result);
        manifest.files = files;
        let text = serde_json::to_string_pretty(&manifest).expect("a manifest should be serialisable") + "\n";
        Writer::new(&place).file(MANIFEST, &text)?;
        listed.push(format!("{FOLDER}/{MANIFEST}"));
        Ok(listed)
    }
}

/// What the evidence of a folder shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckedGames {
    /// Facts that hold.
    pub facts: Vec<Fact>,
    /// What is wrong with evidence and files.
    pub wrong: Vec<String>,
    /// What the manifest says could not be shown.
    pub open: Vec<Open>,
}

/// Checks the evidence below `output` about the games that `game_of` makes of requirements by their
/// identifiers.
///
/// # Errors
/// There is no manifest. Anything else that is wrong is part of the result.
pub fn check(
    output: &Path,
    game_of: &mut dyn FnMut(&[String]) -> Result<Arena, String>,
) -> Result<CheckedGames, Unusable> {
    let place = output.join(FOLDER);
    let manifest = read_manifest(&place)?;
    let mut checked = CheckedGames { open: manifest.not_certified, ..CheckedGames::default() };
    for entry in &manifest.games {
        match check_entry(&place, entry, game_of) {
            Ok(claim) => checked.facts.push(Fact { requirements: entry.requirements.clone(), claim }),
            Err(why) => checked.wrong.push(format!("{}: {why}", entry.file)),
        }
    }
    let files = manifest.games.iter().flat_map(Entry::files).chain([RESULT]);
    checked.wrong.extend(check::changed_since(
        (&output.join(FOLDER), output),
        RESULT,
        &manifest.files,
        files,
    ));
    Ok(checked)
}

impl Entry {
    fn files(&self) -> impl Iterator<Item = &str> {
        let queries = self.queries.iter().flat_map(|query| [&query.formula, &query.proof]);
        std::iter::once(&self.file).chain(queries).map(String::as_str)
    }
}

fn read_manifest(place: &Path) -> Result<Manifest, Unusable> {
    let no_manifest = |why: String| Unusable::NoManifest { path: place.join(MANIFEST), why };
    let path = check::inside(place, MANIFEST).map_err(no_manifest)?;
    let manifest: Manifest =
        serde_json::from_str(&check::read(&path)?).map_err(|error| no_manifest(error.to_string()))?;
    match manifest.schema == SCHEMA {
        true => Ok(manifest),
        false => Err(no_manifest(format!(
            "schema `{}` is not known; this version reads {SCHEMA}",
            manifest.schema
        ))),
    }
}

/// What a certificate shows.
fn check_entry(
    place: &Path,
    entry: &Entry,
    game_of: &mut dyn FnMut(&[String]) -> Result<Arena, String>,
) -> Result<Claim, String> {
    let arena = game_of(&entry.requirements)?;
    let mut circuit = Circuit::new(arena.game()).map_err(|error| error.to_string())?;
    let text = check::text(place, &entry.file)?;
    let certificate = Certificate::read(&text, circuit.shape(), circuit.initial());
    let certificate = certificate.map_err(|why| why.to_string())?;
    let needed = certificate.queries();
    if needed.len() != entry.queries.len() {
        let (needed, listed) = (needed.len(), entry.queries.len());
        return Err(format!("the certificate needs {needed} queries, the manifest lists {listed}"));
    }
    for (query, listed) in needed.into_iter().zip(&entry.queries) {
        let formula = circuit.formula(query, &certificate).map_err(|error| error.to_string())?;
        check::check_query(place, &formula, listed)?;
    }
    Ok(certificate.claim)
}
