//! Judging observations: belief sets, and what explains an observation that is not allowed.
//!
//! A belief is the set of all positions that hidden values may have led to. An observation is
//! allowed if some position of the belief allows it; the step in which the belief becomes empty
//! ends the shortest forbidden prefix.

mod explain;

pub use explain::{Completion, Explanation};

use crate::allowed::{Allowed, compare};
use crate::interface::Interface;
use crate::parts::{DeadEnds, Lost};
use crate::runs::Goals;
use crate::semantics::{Effort, Position, Semantics, Step, Undecided, Valuation, id_index, inputs_of};
use crate::syntax::Role;
use rustc_hash::FxHashMap;
use spec::value::Value;
use std::cmp::Ordering;
use std::ops::ControlFlow;
use std::rc::Rc;

/// The hidden values of the steps so far, last first.
#[derive(Debug)]
struct Path {
    hidden: Vec<Value>,
    before: Option<Rc<Path>>,
}

/// A position where the system may be.
#[derive(Clone, Debug)]
struct Belief {
    position: Option<Position>,
    /// Goals that are not met yet on the way there.
    missing: u128,
    /// The least hidden values that lead there; only where they are asked for.
    path: Option<Rc<Path>>,
    /// Where no system can go on for ever from there, the number of steps of which none can answer
    /// all, for some inputs.
    dead_within: Option<usize>,
}

/// Follows a run.
#[derive(Clone, Debug)]
pub struct Monitor<'a> {
    semantics: Semantics<'a>,
    goals: Goals<'a>,
    belief: Vec<Belief>,
    step: u64,
    keeps_paths: bool,
    dead_ends: DeadEnds,
    perhaps_over: Option<u64>,
}

/// What is said of an observation.
#[derive(Clone, Debug)]
pub enum Judged {
    /// It is allowed.
    Allowed,
    /// It is not, and nothing that follows can mend it.
    Forbidden(Box<Forbidden>),
    /// It is, but from here no system can go on: some inputs of so many steps have no answers.
    Doomed(usize),
    /// The inputs are such that the environment does not give them: nothing is required.
    NotOccurring,
}

/// Why an observation is not allowed.
#[derive(Clone, Debug)]
pub struct Forbidden {
    /// The step.
    pub step: u64,
    /// An output outside its type, in words.
    pub outside: Option<String>,
    /// The smallest sets of requirements that explain it.
    pub explanations: Vec<Explanation>,
    /// The ways in which hidden values could be completed and what each violates; see
    /// [`Completion`].
    pub completions: Vec<Completion>,
    /// What was allowed.
    pub allowed: Allowed,
}

impl<'a> Monitor<'a> {
    /// A monitor before step 0. `keeps_paths`: whether explanations are to name hidden values of
    /// earlier steps, which takes memory for each step.
    pub fn new(interface: &'a Interface, goals: Goals<'a>, keeps_paths: bool) -> Self {
        let semantics =
            if keeps_paths { Semantics::seeing_hidden(interface) } else { Semantics::whole(interface) };
        let start = Belief { position: None, missing: goals.all(), path: None, dead_within: None };
        let dead_ends = DeadEnds::default();
        Self { semantics, goals, belief: vec![start], step: 0, keeps_paths, dead_ends, perhaps_over: None }
    }
    /// The monitor that judges a run as soon as no system can go on from where it is, where
    /// observations tell the position (see [`Lost::is_seen`]).
    #[must_use]
    pub fn with_dead_ends(self, lost: &[Lost]) -> Self {
        Self { dead_ends: DeadEnds::new(lost.iter().filter(|lost| lost.is_seen)), ..self }
    }
    /// Number of steps observed.
    pub fn steps(&self) -> u64 {
        self.step
    }
    /// The first step whose inputs the environment does not give if outputs that were not seen have
    /// values that fit the observations. From there on perhaps nothing is required.
    pub fn perhaps_over(&self) -> Option<u64> {
        self.perhaps_over
    }
    /// Goals that some of the ways that fit the observations has not met.
    pub fn missed(&self) -> Vec<&str> {
        self.goals.names(self.belief.iter().fold(0, |all, belief| all | belief.missing))
    }
    /// Whether the inputs of a step are values of their types.
    pub fn has_inputs_inside(&self, observed: &Valuation) -> bool {
        self.outside(Role::Input, observed).is_none()
    }
    /// The positions where the system may be before inputs that may occur there.
    pub fn positions(&self, inputs: &Valuation) -> Vec<Option<&Position>> {
        let before = self.belief.iter().map(|belief| belief.position.as_ref());
        before.filter(|before| self.semantics.may_occur(*before, inputs)).collect()
    }
    /// What is allowed and known.
    pub fn semantics(&self) -> &Semantics<'a> {
        &self.semantics
    }
    /// Number of positions where the system may be.
    pub fn ambiguity(&self) -> usize {
        self.belief.len()
    }

    /// Takes the inputs and outputs of the next step; outputs may be unknown.
    ///
    /// # Errors
    /// There are too many hidden values to try; the monitor cannot go on.
    pub fn observe(&mut self, observed: &Valuation, effort: &mut Effort) -> Result<Judged, Undecided> {
        if self.outside(Role::Input, observed).is_some() {
            return Ok(Judged::NotOccurring);
        }
        let all = self.belief.len();
        self.belief.retain(|belief| self.semantics.may_occur(belief.position.as_ref(), observed));
        if self.belief.is_empty() {
            return Ok(Judged::NotOccurring);
        }
        if self.belief.len() < all {
            self.perhaps_over.get_or_insert(self.step);
        }
        if let Some(outside) = self.outside(Role::Output, observed) {
            let allowed = self.allowed(observed, effort)?;
            return Ok(Judged::Forbidden(Box::new(Forbidden {
                step: self.step,
                outside: Some(outside),
                explanations: Vec::new(),
                completions: Vec::new(),
                allowed,
            })));
        }
        let next = self.successors(observed, effort)?;
        if next.is_empty() {
            let forbidden = self.explained(observed, effort)?;
            return Ok(Judged::Forbidden(Box::new(forbidden)));
        }
        self.belief = next;
        let ends: Option<Vec<usize>> = self.belief.iter().map(|belief| belief.dead_within).collect();
        if let Some(within) = ends.and_then(|ends| ends.into_iter().max()) {
            return Ok(Judged::Doomed(within));
        }
        self.step += 1;
        Ok(Judged::Allowed)
    }

    fn successors(&self, observed: &Valuation, effort: &mut Effort) -> Result<Vec<Belief>, Undecided> {
        let mut numbers: FxHashMap<(Position, u128), usize> = FxHashMap::default();
        let mut next: Vec<Belief> = Vec::new();
        let hidden: Vec<_> = self.semantics.interface.variables(Role::Hidden).collect();
        // Beliefs are in the order of their paths, and answers come in the order of values: where
        // paths are compared, the least is kept.
        let inputs = inputs_of(self.semantics.interface, observed);
        for belief in &self.belief {
            let before = belief.position.as_ref();
            let left = match belief.missing {
                0 => 0,
                missing => missing & !self.goals.given(&self.semantics, before, &inputs, effort)?,
            };
            let mut visit = |now: &Valuation| {
                let position = self.semantics.position(now);
                let missing = left & !self.goals.shown(&self.semantics, before, now);
                let path = self.keeps_paths.then(|| {
                    let values = hidden.iter().map(|id| now[id_index(*id)].clone());
                    let values = values.map(|value| value.unwrap_or(Value::Bool(false))).collect();
                    Rc::new(Path { hidden: values, before: belief.path.clone() })
                });
                let number = *numbers.entry((position.clone(), missing)).or_insert(next.len());
                let dead_within = self.dead_ends.within(now);
                let found = Belief { position: Some(position), missing, path, dead_within };
                if number == next.len() {
                    next.push(found);
                } else if compare_paths(found.path.as_deref(), next[number].path.as_deref()).is_lt() {
                    next[number] = found;
                }
                ControlFlow::Continue(())
            };
            let _ = self.semantics.answers(Step { before, known: observed }, &mut visit, effort)?;
        }
        Ok(next)
    }

    /// A variable of a role whose value is none of its type, in words.
    fn outside(&self, role: Role, observed: &Valuation) -> Option<String> {
        let interface = self.semantics.interface;
        interface.variables(role).find_map(|id| {
            let variable = interface.scope.variable(id);
            let value = observed[id_index(id)].as_ref()?;
            let (name, ty) = (&variable.name, &variable.ty);
            (!ty.contains(value)).then(|| format!("{name} = {} is outside {ty}", ty.show(value)))
        })
    }

    /// What is allowed for the inputs of a step.
    ///
    /// # Errors
    /// There are too many values to try.
    pub fn allowed(&self, observed: &Valuation, effort: &mut Effort) -> Result<Allowed, Undecided> {
        let interface = self.semantics.interface;
        let mut known = observed.clone();
        for id in interface.variables(Role::Output) {
            known[id_index(id)] = None;
        }
        let mut allowed = Allowed::new(interface);
        for belief in &self.belief {
            let mut visit = |now: &Valuation| {
                allowed.add(now);
                ControlFlow::Continue(())
            };
            let step = Step { before: belief.position.as_ref(), known: &known };
            let _ = self.semantics.answers(step, &mut visit, effort)?;
        }
        Ok(allowed)
    }
}

/// The order of paths of one length: by steps, then by declarations.
fn compare_paths(left: Option<&Path>, right: Option<&Path>) -> Ordering {
    let steps = |path: Option<&Path>| {
        let mut steps: Vec<Vec<Value>> = Vec::new();
        let mut at = path;
        while let Some(path) = at {
            steps.push(path.hidden.clone());
            at = path.before.as_deref();
        }
        steps.reverse();
        steps
    };
    if left.is_none() && right.is_none() {
        return Ordering::Equal;
    }
    let (left, right) = (steps(left), steps(right));
    let pairs = left.iter().flatten().zip(right.iter().flatten());
    pairs.map(|(left, right)| compare(left, right)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}
