//! Values of decisions and conditions that have to be seen at outputs: goals that say so, and where
//! chains see them.
//!
//! ```text
//! each value -> the code with it inverted, read like a model
//!   -> terms over a window (model::counterfactual)
//!   -> the goal: reached, and an output differs -> searched for and proven as any other goal
//! ```

use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::observed::{Look, Observed};
use crate::threads::each;
use crate::versions::{Version, bare, goes_on};
use config::resolve::Model as Configuration;
use frontend::coverage::{Coverage, CoverageRequest, Part};
use frontend::{Inversion, SignalKind};
use model::counterfactual::{Observer, Otherwise, Sight};
use model::system::{GoalId, TransitionSystem};
use std::collections::BTreeMap;

/// Makes the coverage goals that speak of values ones whose values are seen within so many further
/// steps.
///
/// # Errors
/// [`ErrorKind::Stopped`]: the limit.
pub(super) fn demand(
    observed: &mut Observed,
    system: &mut TransitionSystem,
    model: &Model,
    depth: u32,
) -> Result<(), Error> {
    let wanted = observed.coverage.as_ref().map_or_else(Vec::new, wanted);
    if wanted.is_empty() {
        return Ok(());
    }
    let read = Reading::new(model);
    let plain = read.version(&Inversion::default())?;
    let lanes = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    for chunk in wanted.chunks(lanes) {
        let versions = each(chunk.len(), lanes, &|number| read.inverted(&chunk[number].values, &plain));
        for (value, versions) in chunk.iter().zip(versions) {
            let sights = versions?.and_then(|(inverted, own)| {
                let plain = own.as_ref().unwrap_or(&plain).as_ref().map_err(Clone::clone)?;
                sights(system, model, (&inverted, plain), depth)
            });
            for &goal in &value.goals {
                observed.demand(system, goal, depth, &sights);
            }
        }
    }
    Ok(())
}

/// A value with the goals that it has to be seen for.
struct Value {
    values: Vec<usize>,
    goals: Vec<GoalId>,
}

/// The values of decisions and conditions that have goals.
fn wanted(coverage: &Coverage) -> Vec<Value> {
    let mut found: BTreeMap<Vec<usize>, Vec<GoalId>> = BTreeMap::new();
    for goal in &coverage.goals {
        let site = &coverage.sites[goal.site];
        let values = match goal.part {
            Part::Outcome(_) => &site.values,
            Part::Value(condition, _) | Part::Half(condition, _) => &site.conditions[condition].values,
            _ => continue,
        };
        found.entry(values.clone()).or_default().push(goal.goal);
    }
    found.into_iter().map(|(values, goals)| Value { values, goals }).collect()
}

/// The configuration of versions with values inverted: the places of coverage are the same, no goal
/// is wanted.
fn with_inversions(model: &Model) -> Configuration {
    let Model { configuration, translated, .. } = model;
    let mut bare = bare(configuration.clone(), translated.resolved.clone());
    bare.request.coverage = CoverageRequest { observe: None, ..configuration.request.coverage.clone() };
    bare.request.limit = configuration.request.limit.clone();
    bare
}

/// A version that can be compared, or why there is none.
pub(super) type Read = Result<Version, String>;

/// Reads versions of a model.
pub(crate) struct Reading<'m> {
    model: &'m Model,
    configuration: Configuration,
}

impl<'m> Reading<'m> {
    pub(crate) fn new(model: &'m Model) -> Self {
        Self { model, configuration: with_inversions(model) }
    }

    /// The version with an inversion, or why there is none.
    ///
    /// # Errors
    /// [`ErrorKind::Stopped`]: the limit.
    pub(crate) fn version(&self, inversion: &Inversion) -> Result<Read, Error> {
        let mut configuration = self.configuration.clone();
        configuration.request.inversion = Some(inversion.clone());
        match Model::unobserved(configuration) {
            Err(error) if matches!(error.kind, ErrorKind::Stopped(_)) => Err(error),
            Err(error) => {
                Ok(Err(format!("with its value inverted, the code cannot be read: {}", error.brief())))
            }
            Ok(version) => Ok(Version::new(self.model, version, &[]).map_err(|refused| refused.why)),
        }
    }

    /// The version with these values inverted, and its plain step, where that differs from the one
    /// that is given: it has other words, or pointers among them.
    ///
    /// # Errors
    /// [`ErrorKind::Stopped`]: the limit.
    pub(crate) fn inverted(
        &self,
        values: &[usize],
        plain: &Read,
    ) -> Result<Result<(Version, Option<Read>), String>, Error> {
        let inverted = match self.version(&Inversion { values: values.to_vec(), is_now: true })? {
            Ok(inverted) => inverted,
            Err(why) => return Ok(Err(why)),
        };
        if plain.as_ref().is_ok_and(|plain| has_words_of(&inverted.model, &plain.model)) {
            return Ok(Ok((inverted, None)));
        }
        let own = self.version(&Inversion { values: values.to_vec(), is_now: false })?;
        Ok(Ok((inverted, Some(own))))
    }
}

/// Whether two versions have the same words, and no pointers among them.
fn has_words_of(one: &Model, other: &Model) -> bool {
    let names = |model: &Model| -> Vec<String> {
        model.system.states.ids().map(|id| model.system.state_name(id).to_owned()).collect()
    };
    let mut words = one.translated.signals.states.iter();
    names(one) == names(other) && words.all(|(signal, _)| signal.kind != SignalKind::Pointer)
}

fn sights(
    system: &mut TransitionSystem,
    model: &Model,
    (inverted, plain): (&Version, &Version),
    depth: u32,
) -> Result<Vec<Sight>, String> {
    let mut observer = Observer::new(system, &goes_on(model));
    let inverted = (&inverted.model.system, &inverted.seen);
    let plain = (&plain.model.system, &plain.seen);
    observer.sights(Otherwise { inverted, plain }, depth).map_err(|why| why.to_string())
}

impl Observed {
    /// Makes a goal one that has to be seen.
    fn demand(
        &mut self,
        system: &mut TransitionSystem,
        goal: GoalId,
        depth: u32,
        sights: &Result<Vec<Sight>, String>,
    ) {
        let never = system.terms.truth(false);
        let seen = match sights {
            Ok(sights) => {
                let look = |&sight: &Sight| Look { sight, is_seen: sight.differs, alteration: None };
                self.looks.insert(goal, sights.iter().map(look).collect());
                sights.iter().fold(never, |any, sight| system.terms.or(any, sight.differs))
            }
            Err(why) => {
                self.unknown.insert(goal, why.clone());
                never
            }
        };
        let reached = system.goals[goal].antecedent;
        let wanted = system.terms.and(reached, seen);
        let goal = &mut system.goals[goal];
        (goal.antecedent, goal.steps) = (wanted, depth + 1);
    }
}
