//! Verdicts on requirements, about all executions.
//!
//! A requirement says that wherever its antecedent holds, its consequent does. That the antecedent
//! holds and the consequent does not is a goal like any other: where no execution reaches it, the
//! requirement is proven, and the shortest chain to it is the shortest counterexample. An
//! antecedent that no execution reaches makes the requirement vacuous, which is never called
//! proven.
//!
//! Executions end anywhere here: a violation counts, whether Final can be reached from it or not.

mod append;
mod counterexample;
mod judged;
mod result;
mod search;
mod system;

pub use append::{Appended, find_chains_with_violations};
pub use counterexample::{Applied, Broken, Counterexample, ValueRead};
pub(crate) use counterexample::{occurrence, violates};
pub use judged::Judged;
pub use result::{add_verdicts, assumptions, check_violations, violation_file, violation_names};
pub(crate) use result::{counterexample_entry, described};

use crate::error::{Error, ErrorKind};
use crate::model::Model;
use engine::knowledge::status::GoalStatus;
use engine::options::Options;
use engine::outcome::Outcome;
use engine::session::Progress;
use frontend::Requirement;
use frontend::diagnostics::visible;
use model::external::Lemma;
use search::Search;
pub(crate) use system::judged_system;

/// What was found of a requirement.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No execution violates it, and some execution reaches its antecedent.
    Proven {
        /// How it was shown that no execution violates it.
        proof: String,
        /// An execution that reaches its antecedent, as far as one is at hand.
        applied: Option<Applied>,
    },
    /// An execution violates it.
    Violated(Box<Counterexample>),
    /// No execution reaches its antecedent.
    Vacuous {
        /// How that was shown.
        proof: String,
    },
    /// None of these.
    Undecided {
        /// No execution violates it within this many steps.
        steps: u64,
        /// How it was shown that no execution violates it at all, where it is only open whether the
        /// antecedent is ever reached.
        excluded: Option<String>,
    },
}

impl Verdict {
    /// `proven`, `violated`, `vacuous` or `undecided`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Proven { .. } => "proven",
            Self::Violated(_) => "violated",
            Self::Vacuous { .. } => "vacuous",
            Self::Undecided { .. } => "undecided",
        }
    }
}

/// Verdicts on requirements of a model.
#[derive(Clone, Debug, Default)]
pub struct Verdicts {
    /// For each requirement that was asked for its position among
    /// [`Model::requirements`](crate::Model::requirements) and what was found of it.
    pub all: Vec<(usize, Verdict)>,
    /// What the user should know: invariants that were trusted, limits that were reached.
    pub notes: Vec<String>,
    /// What the C library was asked for.
    pub lemmas: Vec<Lemma>,
    /// Whether a limit ended the search while something was open.
    pub is_stopped: bool,
    /// SAT queries.
    pub sat_calls: u64,
    /// Wall-clock time in seconds.
    pub seconds: f64,
}

/// What is known of a model before verdicts are asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known<'a> {
    /// Chains that cover the goals of the model, with what was proven of these.
    pub outcome: Option<&'a Outcome>,
    /// A violation that one of these chains shows needs no counterexample of its own.
    pub shows_violations: bool,
    /// Of each requirement what is known of its violation, if a search for it was made.
    pub violations: Option<&'a [GoalStatus]>,
    /// Whether what is proven needs an execution to which it applies: evidence does.
    pub with_applications: bool,
}

impl Model {
    /// What must hold in all executions.
    pub fn requirements(&self) -> &[Requirement] {
        &self.translated.requirements
    }

    /// The requirements of the names, by their positions; without names, all. A name is that of a
    /// requirement, or what several belong to (`requirement` of a goal).
    ///
    /// # Errors
    /// There is none of a name: the message lists those that there are.
    pub fn requirements_named(&self, names: &[&str]) -> Result<Vec<usize>, Error> {
        let all = self.requirements();
        if names.is_empty() {
            return Ok((0..all.len()).collect());
        }
        let mut found = Vec::new();
        for name in names {
            let name = visible(name);
            let is_meant = |required: &Requirement| {
                let statement = &required.statement;
                statement.name == name || statement.requirement.as_ref() == Some(&name)
            };
            let meant: Vec<usize> = (0..all.len()).filter(|&index| is_meant(&all[index])).collect();
            if meant.is_empty() {
                return Err(no_requirement(&name, all));
            }
            found.extend(meant);
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }
}

fn no_requirement(name: &str, all: &[Requirement]) -> Error {
    let names: Vec<&str> = all.iter().map(|required| required.statement.name.as_str()).collect();
    let message = match names.is_empty() {
        true => format!("there is no requirement `{name}`: the model has none"),
        false => format!("there is no requirement `{name}`; there are {}", names.join(", ")),
    };
    Error::new(ErrorKind::Request, message)
}

/// What holds of all executions: a verdict on each of the requirements, which are given by their
/// positions.
///
/// ```
/// # use chaincover::{Known, Options, Settings, Silent, Verdict, read, verdicts};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("lamp.c");
/// # std::fs::write(&path, "void __CPROVER_assert(int, const char *); int n;\n\
/// # void step(int up) { if (up && n < 3) n++;\n__CPROVER_assert(n <= 3, \"\");
/// # __CPROVER_assert(n < 3, \"\"); }")?;
/// let model = read([&path], &Settings::default())?;
/// let found = verdicts(&model, &[0, 1], Known::default(), &Options::default(), &Silent)?;
/// assert_eq!(found.all[0].1.name(), "proven");
/// let Verdict::Violated(counterexample) = &found.all[1].1 else { panic!("a violation") };
/// assert_eq!((counterexample.chain.length(), counterexample.is_shortest()), (3, true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Request`](crate::ErrorKind::Request): assumptions that admit no execution, a refuted
/// invariant, options that do not fit the model. [`SelfCheck`](crate::ErrorKind::SelfCheck): the
/// evaluator refuses a counterexample. A limit is no error: what was found by then is returned.
pub fn verdicts(
    model: &Model,
    requirements: &[usize],
    known: Known<'_>,
    options: &Options,
    progress: &dyn Progress,
) -> Result<Verdicts, Error> {
    if requirements.is_empty() {
        return Ok(Verdicts::default());
    }
    Search::new(model, requirements, known, options, progress).run()
}
