//! Mutants of requirement interfaces, and the chains that reveal them as tests.

use super::{JudgedRun, System, read_interface};
use crate::error::{Error, ErrorKind};
use contracts::judge::{self, Ran, Test};
use contracts::semantics::{Effort, Valuation};
use contracts::syntax::Role;
use contracts::{Document, log, mutation};
use frontend::limit::Limit;
use frontend::source::FileKind;
use harness::Synchronous;
use report::output::digest::sha256;
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};

/// The value of the key `schema` of what [`mutate`] returns.
const SCHEMA: &str = "chaincover/requirement-mutants/1";

/// Values that may be tried to follow one mutant.
const PER_MUTANT: u64 = 2_000_000;

/// Mutants of an interface and the chains that reveal them, as JSON: see `mutate` in
/// `docs/requirement-interfaces.md`.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("echo.ri");
/// # std::fs::write(&path, "input a : bool  output b : bool  req x always guarantee b' = a'")?;
/// use chaincover::{Limit, requirements};
/// let document = requirements::read_interface(&[path], &[])?;
/// let found = requirements::mutate(&document, &Limit::default());
/// let mutants = found["mutants"].as_array().expect("a list");
/// assert!(mutants.iter().any(|mutant| mutant["verdict"] == "killed"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Behind the limit mutants are undecided.
pub fn mutate(document: &Document, limit: &Limit) -> Json {
    let mutants = mutation::mutants(document, limit);
    let each = Effort::new(PER_MUTANT, limit.clone());
    let found = mutation::reveal(document, &mutants, &each);
    let rows = mutants.iter().enumerate().map(|(index, mutant)| {
        let (file, line) = document.sources.written(mutant.span);
        json!({
            "id": mutant.id,
            "operator": mutant.operator,
            "requirement": mutant.requirement,
            "file": file.display().to_string(),
            "line": line,
            "column": mutant.span.column,
            "old": mutant.old,
            "new": mutant.new,
            "verdict": found.verdicts[index].name(),
            "surely": found.surely[index],
            "chain": found.revealed[index].map(|(chain, _)| chain),
            "step": found.revealed[index].map(|(_, step)| step),
        })
    });
    let interface = &document.interface;
    let chains = found.chains.iter().map(|chain| {
        let steps = chain.iter().map(|now| contracts::values::fields(interface, Role::Input, now));
        steps.collect::<Vec<_>>()
    });
    let sources = document.sources.files.values().filter(|file| file.kind == FileKind::Disk);
    let sources = sources.map(|file| {
        let text = file.text.as_deref().unwrap_or_default();
        json!({ "path": file.path.display().to_string(), "sha256": sha256(text) })
    });
    json!({
        "schema": SCHEMA,
        "sources": sources.collect::<Vec<_>>(),
        "define": document.define,
        "mutants": rows.collect::<Vec<_>>(),
        "chains": chains.collect::<Vec<_>>(),
        "length": found.chains.iter().map(Vec::len).sum::<usize>(),
        "lower_bound": found.lower_bound,
        "kill": "output",
    })
}

/// The chains of a result of [`mutate`] as tests.
#[derive(Clone, Debug)]
pub struct MutantTests {
    /// The interface that was mutated.
    pub document: Document,
    /// Its file, and those that it includes.
    pub sources: Vec<PathBuf>,
    /// The inputs of the steps of each test.
    tests: Vec<Vec<Valuation>>,
}

/// Reads the chains that reveal mutants of an interface; none where a file is no such result. Its
/// sources are looked for where they were, and beside it.
///
/// # Errors
/// [`ErrorKind::Request`]: the result is ill-formed, or its sources are not there, or others now.
pub fn read_mutant_tests(path: &Path) -> Result<Option<MutantTests>, Error> {
    let refuse = |why: String| Error::new(ErrorKind::Request, format!("{}: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| refuse(error.to_string()))?;
    let Ok(json) = serde_json::from_str::<Json>(&text) else { return Ok(None) };
    if json["schema"] != SCHEMA {
        return Ok(None);
    }
    let ill_formed = |what: &str| refuse(format!("ill-formed: `{what}`"));
    let mut sources = Vec::new();
    for source in json["sources"].as_array().ok_or_else(|| ill_formed("sources"))? {
        let told = PathBuf::from(source["path"].as_str().ok_or_else(|| ill_formed("path"))?);
        let beside = path.parent().unwrap_or(Path::new(".")).join(&told);
        let Some(place) = [told.clone(), beside].into_iter().find(|place| place.is_file()) else {
            return Err(refuse(format!("the specification `{}` is not there", told.display())));
        };
        let bytes = std::fs::read(&place).map_err(|error| refuse(error.to_string()))?;
        if source["sha256"] != sha256(&*frontend::source::decode(&bytes)) {
            let why = format!("{} has changed since: make the mutants again", place.display());
            return Err(refuse(why));
        }
        sources.push(place);
    }
    let define: Vec<String> =
        serde_json::from_value(json["define"].clone()).map_err(|_| ill_formed("define"))?;
    // Further files are included by the first one.
    let first = sources.first().ok_or_else(|| ill_formed("sources"))?;
    let document = read_interface(std::slice::from_ref(first), &define)?;
    let mut tests = Vec::new();
    for (number, chain) in json["chains"].as_array().into_iter().flatten().enumerate() {
        let mut steps = Vec::new();
        for (step, inputs) in chain.as_array().into_iter().flatten().enumerate() {
            let inputs = inputs.as_object().ok_or_else(|| ill_formed("chains"))?;
            let inputs = log::inputs(&document.interface, inputs)
                .map_err(|why| refuse(format!("chain {}, step {step}: {why}", number + 1)))?;
            steps.push(inputs);
        }
        tests.push(steps);
    }
    match tests.is_empty() {
        true => Err(refuse("there are no chains in it".to_owned())),
        false => Ok(Some(MutantTests { document, sources, tests })),
    }
}

/// Runs tests that reveal mutants against a system: the verdict on each. A system that keeps the
/// requirements passes all of them.
///
/// # Errors
/// As for [`run`](super::run).
pub fn run_mutant_tests(
    tests: &MutantTests,
    system: &System,
    limit: &Limit,
) -> Result<Vec<JudgedRun>, Error> {
    let interface = &tests.document.interface;
    let one = |steps: &Vec<Valuation>, system: &mut dyn Synchronous| {
        let test = Test { steps: steps.clone(), goals: Vec::new() };
        let Ran { report, observed } = judge::run(interface, &test, system, None, limit);
        JudgedRun { report, observed }
    };
    let all = |system: &mut dyn Synchronous| tests.tests.iter().map(|steps| one(steps, system)).collect();
    system.with(interface, limit, all)
}
