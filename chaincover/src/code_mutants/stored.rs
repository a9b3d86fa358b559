//! The mutants of a stored result, made again from the text as it is now.

use super::judging::{by_terms, join};
use super::reading::{Reading, TOO_LONG};
use super::{Candidate, CodeMutateOptions, Outputs, candidate, original};
use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::settings::Settings;
use crate::versions::{Refused, Version};
use engine::options::Options;
use frontend_c::mutate::{Mutation, mutations};
use model::product::Join;
use model::validate::{Validated, validate};
use report::mutation::{Mutant, MutationFile, PATCH};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Names of the goals of a system that holds original and mutant: an output that is seen differs,
/// and the mutant loses its meaning.
const GOALS: [&str; 2] = ["difference", "loss of meaning"];

/// How long a mutant may be read that was not read in the usual time.
const PATIENCE: Duration = Duration::from_secs(10);

/// See the module text.
pub(super) struct StoredMutants {
    pub(super) original: Model,
    pub(super) outputs: Outputs,
    pub(super) options: CodeMutateOptions,
    /// All that the operators make; empty where the mutants are patches.
    all: Vec<Mutation>,
    join: Join,
}

/// What a verdict says that no execution does.
pub(super) enum Excluded {
    /// Terms alone say that the mutant has this verdict.
    ByTerms(&'static str),
    /// That these goals of a system are reached.
    Goals(Box<Validated>, Vec<String>),
}

impl StoredMutants {
    /// The model that a result is about, read as the caller says, and what the result says of how
    /// its mutants are told from it.
    ///
    /// # Errors
    /// As for [`mutate_code`](super::mutate_code); [`ErrorKind::Request`]: no result of C code.
    pub(super) fn new(
        (paths, settings): (&[PathBuf], &Settings),
        file: &MutationFile,
        search: &Options,
    ) -> Result<Self, Error> {
        let refuse = |why: String| Error::new(ErrorKind::Request, format!("mutate.json: {why}"));
        let is_patched = file.operators == [PATCH];
        let options = CodeMutateOptions {
            operators: match is_patched {
                true => Default::default(),
                false => file.operators.join(",").parse().map_err(refuse)?,
            },
            kill: file.kill.parse().map_err(refuse)?,
            within: file.within,
            observe: file.observe.clone(),
            search: search.clone(),
            ..CodeMutateOptions::default()
        };
        let (original, outputs) = original(paths, settings, &options)?;
        let all = match is_patched {
            true => Vec::new(),
            false => mutations(&original.configuration.request, &options.operators)?,
        };
        let join = join(&original);
        Ok(Self { original, outputs, options, all, join })
    }

    /// What reads its mutants.
    pub(super) fn reading(&self) -> Reading<'_> {
        Reading::new((&self.original, &self.outputs), &self.options)
    }

    /// A mutant as it is read now.
    ///
    /// # Errors
    /// Why there is no such mutant.
    pub(super) fn version(
        &self,
        reading: &Reading<'_>,
        mutant: &Mutant,
    ) -> Result<Result<Version, Refused>, String> {
        let Candidate { change, .. } = self.candidate(mutant)?;
        let read = reading.mutant(&change, &|| reading.patient_until());
        Ok(match read {
            Err(refused) if refused.why == TOO_LONG => {
                reading.mutant(&change, &|| Instant::now().checked_add(PATIENCE))
            }
            read => read,
        })
    }

    /// The mutant of that number, or of those numbers, if that is the one that is described.
    fn candidate(&self, mutant: &Mutant) -> Result<Candidate, String> {
        let number = |id: &str| id.strip_prefix('m')?.parse::<usize>().ok();
        let numbered = |id: &str| {
            let number = number(id)?;
            Some((number, self.all.get(number.checked_sub(1)?)?))
        };
        let changes: Option<Vec<(usize, &Mutation)>> = mutant.id.split('+').map(numbered).collect();
        let made = candidate(&changes.ok_or("is no mutant that the operators make")?);
        match is_described(&made.described, mutant) {
            true => Ok(made),
            false => Err("is described otherwise than the operators make it".to_owned()),
        }
    }

    /// What a verdict excludes that no execution shows.
    ///
    /// # Errors
    /// The mutant cannot be compared.
    pub(super) fn excluded(&self, version: &Version, verdict: &str) -> Result<Excluded, Error> {
        let internal = |why: String| Error::new(ErrorKind::Internal, why);
        let mut join = self.join.clone();
        let difference =
            version.join(&mut join).map_err(|why| Error::new(ErrorKind::Request, why.to_string()))?;
        if let Some((verdict, _)) = by_terms((&self.original, &self.outputs), version, (&join, &difference)) {
            return Ok(Excluded::ByTerms(verdict));
        }
        let mut goals = Vec::new();
        for (name, truth) in GOALS.into_iter().zip([difference.kills, difference.leaves]) {
            let is_claimed = truth == difference.kills || verdict == "conforms";
            if is_claimed && !join.is_false(truth) {
                join.add_goal(name, truth);
                goals.push(name.to_owned());
            }
        }
        let system = validate(join.system).map_err(|malformed| {
            let first = malformed.first().map(ToString::to_string).unwrap_or_default();
            internal(format!("the joined system is malformed: {first}"))
        })?;
        Ok(Excluded::Goals(Box::new(system), goals))
    }
}

/// Whether an entry describes the mutant that was made; folders may be others.
fn is_described(made: &Mutant, told: &Mutant) -> bool {
    let file = |path: &str| Path::new(path).file_name().map(ToOwned::to_owned);
    let change = |mutant: &Mutant| {
        let Mutant { id, operator, function, file: path, line, column, old, new, .. } = mutant.clone();
        (id, operator, function, file(&path), (line, column), (old, new))
    };
    let further = |mutant: &Mutant| {
        let mut further = mutant.further.clone();
        further.iter_mut().for_each(|change| {
            change.file = file(&change.file).map_or_else(String::new, |name| name.to_string_lossy().into());
        });
        further
    };
    change(made) == change(told) && further(made) == further(told)
}
