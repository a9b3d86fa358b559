//! Runs of a system that keeps some requirements of an interface and may break others, for
//! somebody who tells whether one of them comes to a step of some kind.

use super::{Kept, only, state_bits, values_of};
use crate::interface::Interface;
use crate::lower::{CourseTerms, Lowered, course};
use crate::semantics::{Interest, Position, Semantics, Undecided};
use frontend::diagnostics::Diagnostics;
use model::system::TransitionSystem;
use model::term::{TermId, TermPool};
use model::validate::{Validated, validate};
use model::value::Value;

/// The runs of an interface; what it requires is no assumption of the system.
pub struct Course {
    /// The system.
    pub system: Validated,
    /// Truth over states and stimuli: the inputs may occur.
    pub environment: TermId,
    /// What is kept where all requirements are.
    all: Keeping,
    /// For each requirement what is kept where all others are.
    others: Vec<Keeping>,
    /// For each requirement the truth over states and inputs that the step breaks it and keeps the
    /// others.
    decides: Vec<TermId>,
    /// For each requirement the truth over states and inputs that it applies.
    triggers: Vec<TermId>,
    interface: Interface,
    lowered: Lowered,
}

/// A step in which some requirements are kept.
#[derive(Clone, Copy, Debug)]
struct Keeping {
    /// Truth over states and inputs: the answer keeps them.
    allowed: TermId,
    /// Truth over states: where such steps lead.
    position: TermId,
}

/// What the last step of a run is to be like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The requirement of a number applies; the run keeps all of them.
    Applies(usize),
    /// The requirement of a number is broken and no other one; the run keeps all until then.
    Decides(usize),
    /// Likewise, where the run before does not have to keep the requirement.
    DecidesAmongOthers(usize),
    /// An allowed answer leads into lost positions.
    Dooms,
}

/// A question about runs, in terms of the system of a [`Course`].
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// Truth over states and inputs: what each step before the last one is like.
    pub allowed: TermId,
    /// Truth over states: all that such steps lead to satisfies it.
    pub position: TermId,
    /// Truth over states and inputs: what the last step is like.
    pub target: TermId,
    /// What it asks for.
    pub asked: Target,
}

/// The answer to a question about runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reached {
    /// A run does: for each step the values of all inputs of the system.
    By(Vec<Vec<Value>>),
    /// A run does.
    Somehow,
    /// No run does.
    Never,
}

/// Who answers questions about the runs of one [`Course`].
pub trait Runner {
    /// Whether a run comes to such a step.
    ///
    /// # Errors
    /// It takes too long.
    fn reach(&mut self, question: &Question) -> Result<Reached, Undecided>;
}

impl Course {
    /// The runs of some requirements of an interface.
    ///
    /// # Errors
    /// [`Undecided::TooLarge`]: there are values without words.
    pub fn new(interface: &Interface, requirements: &[usize]) -> Result<Self, Undecided> {
        let interface = only(interface, requirements);
        let made = course(&interface, &mut Diagnostics::default()).map_err(|_| Undecided::TooLarge)?;
        let CourseTerms { mut lowered, environment, domains, kept, triggers, position, invariants } = made;
        let terms = &mut lowered.system.terms;
        let (without, all) = all_but_one(terms, &kept);
        let mut place = |is_meant: &dyn Fn(&[usize]) -> bool| {
            let meant = invariants.iter().filter(|(_, owners)| is_meant(owners)).map(|(holds, _)| *holds);
            let held = terms.conjunction(meant);
            terms.and(position, held)
        };
        let everywhere = place(&|_| true);
        let elsewhere: Vec<TermId> =
            (0..kept.len()).map(|index| place(&|owners| !owners.contains(&index))).collect();
        let mut others = Vec::new();
        let mut decides = Vec::new();
        for ((without, kept), position) in without.into_iter().zip(&kept).zip(elsewhere) {
            let allowed = terms.and(domains, without);
            let broken = terms.not(*kept);
            others.push(Keeping { allowed, position });
            decides.push(terms.and(allowed, broken));
        }
        let all = Keeping { allowed: terms.and(domains, all), position: everywhere };
        let triggers = triggers.into_iter().map(|applies| terms.and(domains, applies)).collect();
        let system: TransitionSystem = lowered.system.clone();
        let system = validate(system).map_err(|_| Undecided::TooLarge)?;
        Ok(Self { system, environment, all, others, decides, triggers, interface, lowered })
    }

    /// Truth over states and inputs: the answer keeps all requirements.
    pub fn allowed(&self) -> TermId {
        self.all.allowed
    }
    /// Truth over states: where steps lead that keep all requirements.
    pub fn position(&self) -> TermId {
        self.all.position
    }

    /// A question about the runs; requirements are numbered as they were given.
    pub(crate) fn question(&self, asked: Target) -> Question {
        let (Keeping { allowed, position }, target) = match asked {
            Target::Applies(number) => (self.all, self.triggers[number]),
            Target::Decides(number) => (self.all, self.decides[number]),
            Target::DecidesAmongOthers(number) => (self.others[number], self.decides[number]),
            Target::Dooms => (self.all, self.all.allowed),
        };
        Question { allowed, position, target, asked }
    }

    /// Whether a run comes to a step that is asked for. A run that is told has passed the reference
    /// interpreter.
    ///
    /// # Errors
    /// It takes too long.
    ///
    /// # Panics
    /// If the interpreter does not agree: a defect of the solver or of the translation.
    pub(crate) fn reaches(
        &self,
        runner: &mut dyn Runner,
        (asked, kept): (Target, &Kept),
    ) -> Result<bool, Undecided> {
        match runner.reach(&self.question(asked))? {
            Reached::Never => Ok(false),
            Reached::Somehow => Ok(true),
            Reached::By(inputs) => {
                assert!(
                    self.is_run(&inputs, asked, kept),
                    "the reference interpreter should accept a run to {asked:?}"
                );
                Ok(true)
            }
        }
    }

    fn is_run(&self, inputs: &[Vec<Value>], asked: Target, kept: &Kept) -> bool {
        let Self { interface, lowered, system, .. } = self;
        let all: Vec<usize> = (0..interface.requirements.len()).collect();
        let semantics = Semantics::new(interface, all, &Interest::default());
        let steps = values_of((system, lowered, interface), inputs);
        let mut before: Option<Position> = None;
        for (number, now) in steps.iter().enumerate() {
            let is_last = number + 1 == steps.len();
            let keeps = |index: usize| {
                let contracts = interface.requirements[index].contracts(before.is_none());
                contracts.iter().all(|contract| semantics.is_kept(contract, before.as_ref(), now))
            };
            let is_right = |index: usize| match asked {
                Target::Applies(asked) if is_last => {
                    asked != index || {
                        let mut contracts = interface.requirements[index].contracts(before.is_none()).iter();
                        contracts.any(|contract| semantics.is_triggered(contract, before.as_ref(), now))
                    }
                }
                Target::Decides(asked) | Target::DecidesAmongOthers(asked) if asked == index && is_last => {
                    !keeps(index)
                }
                Target::DecidesAmongOthers(asked) => asked == index || keeps(index),
                Target::Applies(_) | Target::Decides(_) | Target::Dooms => keeps(index),
            };
            let is_known = now.iter().all(Option::is_some);
            if !is_known
                || !semantics.may_occur(before.as_ref(), now)
                || !semantics.selected.iter().all(|&index| is_right(index))
            {
                return false;
            }
            let position = semantics.position(now);
            let is_lost = self.is_lost(kept, &position);
            let may_be_lost = match asked {
                Target::DecidesAmongOthers(_) => is_lost,
                Target::Dooms => is_last,
                Target::Applies(_) | Target::Decides(_) => is_last && is_lost,
            };
            if is_lost != may_be_lost {
                return false;
            }
            before = Some(position);
        }
        before.is_some()
    }

    fn is_lost(&self, kept: &Kept, position: &Position) -> bool {
        state_bits(&self.lowered, &self.interface, position).is_some_and(|bits| kept.is_lost(&bits))
    }

    /// What is known where these positions are lost and no others are; none where a value has no
    /// word.
    pub(crate) fn kept<'p>(&self, mut lost: impl Iterator<Item = &'p Position>) -> Option<Kept> {
        let cube = |position: &Position| {
            let bits = state_bits(&self.lowered, &self.interface, position)?;
            Some(bits.into_iter().enumerate().collect())
        };
        let found = lost.try_fold(Vec::new(), |mut cubes, position| {
            cubes.push(cube(position)?);
            Some(cubes)
        });
        found.map(|lost| Kept { lost, is_exact: true, excludes_doomed: false })
    }
}

/// For each of some truths the conjunction of all others, and that of all.
fn all_but_one(terms: &mut TermPool, truths: &[TermId]) -> (Vec<TermId>, TermId) {
    let mut before = terms.truth(true);
    let mut first = Vec::with_capacity(truths.len());
    for &truth in truths {
        first.push(before);
        before = terms.and(before, truth);
    }
    let mut behind = terms.truth(true);
    for (place, &truth) in truths.iter().enumerate().rev() {
        first[place] = terms.and(first[place], behind);
        behind = terms.and(behind, truth);
    }
    (first, before)
}
