//! States and labels by numbers, and steps that are computed once.
//!
//! A mutant shares all actions but one with its original. Steps are therefore kept for each
//! *variant* of an action, not for each system; what a mutant costs is what its own variant costs.

use crate::branches::Compiled;
use crate::interpret::{Refusal, TooMany};
use crate::syntax::Kind;
use crate::system::{Action, Block, State, System};
use crate::values::Alphabet;
use rustc_hash::FxHashMap;
use spec::value::Value;
use std::hash::Hash;
use std::rc::Rc;
use std::time::Instant;

/// A state.
pub type StateNo = u32;
/// A label.
pub type LabelNo = u32;
/// A set of states.
pub type SetNo = u32;

/// Things by numbers.
#[derive(Debug)]
struct Numbered<T> {
    things: Vec<T>,
    numbers: FxHashMap<T, u32>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self { things: Vec::new(), numbers: FxHashMap::default() }
    }
}

impl<T: Clone + Eq + Hash> Numbered<T> {
    fn number(&mut self, thing: T) -> u32 {
        if let Some(&number) = self.numbers.get(&thing) {
            return number;
        }
        let number = u32::try_from(self.things.len()).unwrap_or(u32::MAX);
        self.things.push(thing.clone());
        self.numbers.insert(thing, number);
        number
    }
}

/// An action of some system.
#[derive(Debug)]
struct Variant {
    position: usize,
    action: Action,
    compiled: Compiled,
}

/// A system by numbers.
#[derive(Clone, Debug)]
pub struct Machine {
    /// For each action its variant.
    variants: Vec<u32>,
    block: Block,
    is_plain: bool,
    /// The initial state.
    pub initial: StateNo,
}

/// States, labels and steps of a system and its mutants.
#[derive(Debug)]
pub struct Space {
    kinds: Vec<Kind>,
    has_internal: bool,
    /// Whether all labels count as outputs.
    all_outputs: bool,
    states: Numbered<State>,
    labels: Numbered<(usize, Box<[Value]>)>,
    sets: Numbered<Rc<[StateNo]>>,
    variants: Vec<Variant>,
    alphabet: Alphabet,
    /// Labels of actions whose labels are the same in all states.
    fixed: Vec<Option<Rc<[LabelNo]>>>,
    posts: FxHashMap<(u32, StateNo, LabelNo), Rc<[StateNo]>>,
    enabled: FxHashMap<(u32, StateNo), bool>,
    most_states: usize,
    deadline: Option<Instant>,
}

impl Space {
    /// An empty space for systems with the actions of `system`; `alphabet` tells the labels of all
    /// of them apart.
    pub fn new(system: &System, alphabet: Alphabet, all_outputs: bool, most_states: usize) -> Self {
        let kinds: Vec<Kind> = system.actions.iter().map(|action| action.kind).collect();
        Self {
            has_internal: kinds.contains(&Kind::Internal),
            fixed: vec![None; kinds.len()],
            kinds,
            all_outputs,
            states: Numbered::default(),
            labels: Numbered::default(),
            sets: Numbered::default(),
            variants: Vec::new(),
            alphabet,
            posts: FxHashMap::default(),
            enabled: FxHashMap::default(),
            most_states,
            deadline: None,
        }
    }
    /// The space, in which searches end at a time.
    #[must_use]
    pub fn until(self, deadline: Option<Instant>) -> Self {
        Self { deadline, ..self }
    }
    /// Fails where the time is up.
    ///
    /// # Errors
    /// [`TooMany::Time`].
    pub fn check_time(&self) -> Result<(), TooMany> {
        let is_over = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if is_over { Err(TooMany::Time) } else { Ok(()) }
    }
    /// A system with the same variables, actions and parameters as that of the space.
    ///
    /// # Errors
    /// If an action has too many branches.
    pub fn machine(&mut self, system: &System) -> Result<Machine, TooMany> {
        let mut variants = Vec::new();
        for (position, action) in system.actions.iter().enumerate() {
            variants.push(self.variant(system, position, action)?);
        }
        let block = system.block.clone();
        let is_complete = {
            let mut is_used = vec![false; variants.len()];
            block.for_each_action(&mut |action| is_used[action] = true);
            is_used.into_iter().all(|is_used| is_used)
        };
        let initial = self.state(system.initial())?;
        Ok(Machine { variants, is_plain: block.is_plain() && is_complete, block, initial })
    }
    fn variant(&mut self, system: &System, position: usize, action: &Action) -> Result<u32, TooMany> {
        let is_same = |known: &Variant| known.position == position && known.action.body == action.body;
        let found = self.variants.iter().position(is_same);
        let number = match found {
            Some(number) => number,
            None => {
                let compiled = Compiled::new(system, action)?;
                self.variants.push(Variant { position, action: action.clone(), compiled });
                self.variants.len() - 1
            }
        };
        Ok(u32::try_from(number).unwrap_or(u32::MAX))
    }

    fn state(&mut self, state: State) -> Result<StateNo, TooMany> {
        let number = self.states.number(state);
        if self.states.things.len() > self.most_states { Err(TooMany::States) } else { Ok(number) }
    }
    /// The values of a state.
    pub fn values(&self, state: StateNo) -> &State {
        &self.states.things[state as usize]
    }
    /// Action and arguments of a label.
    pub fn label(&self, label: LabelNo) -> (usize, &[Value]) {
        let (action, args) = &self.labels.things[label as usize];
        (*action, args)
    }
    /// Who takes a label; all labels but invisible ones are the system's where all count as
    /// outputs.
    pub fn kind(&self, action: usize) -> Kind {
        match self.kinds[action] {
            Kind::Controllable if self.all_outputs => Kind::Observable,
            kind => kind,
        }
    }
    /// Whether there are actions that nobody sees.
    pub const fn has_internal(&self) -> bool {
        self.has_internal
    }
    /// Number of actions.
    pub fn actions(&self) -> usize {
        self.kinds.len()
    }
    /// A set of states by number.
    pub fn set(&mut self, mut states: Vec<StateNo>) -> SetNo {
        states.sort_unstable();
        states.dedup();
        self.sets.number(states.into())
    }
    /// The states of a set, ascending.
    pub fn members(&self, set: SetNo) -> Rc<[StateNo]> {
        Rc::clone(&self.sets.things[set as usize])
    }

    /// The labels of an action that have to be looked at in some states.
    ///
    /// # Errors
    /// If there are too many; so with all functions of this type.
    pub fn labels_in(&mut self, action: usize, states: &[StateNo]) -> Result<Rc<[LabelNo]>, TooMany> {
        if let Some(labels) = &self.fixed[action] {
            return Ok(Rc::clone(labels));
        }
        let values: Vec<&[Value]> =
            states.iter().map(|&state| &*self.states.things[state as usize]).collect();
        let args = self.alphabet.arguments(action, values)?;
        let labels: Rc<[LabelNo]> = args.into_iter().map(|args| self.labels.number((action, args))).collect();
        if self.alphabet.is_fixed(action) {
            self.fixed[action] = Some(Rc::clone(&labels));
        }
        Ok(labels)
    }
    /// The greatest values of parameters that a label stands for in some states, where its own are
    /// the least; no system of the space tells them apart there.
    pub fn upto(&self, label: LabelNo, states: SetNo) -> Box<[Value]> {
        let (action, args) = &self.labels.things[label as usize];
        let members = &self.sets.things[states as usize];
        let values: Vec<&[Value]> =
            members.iter().map(|&state| &*self.states.things[state as usize]).collect();
        self.alphabet.upto((*action, args), values)
    }
    /// The states after a label whether or not the block lets its action move.
    fn raw(&mut self, variant: u32, state: StateNo, label: LabelNo) -> Result<Rc<[StateNo]>, TooMany> {
        if let Some(known) = self.posts.get(&(variant, state, label)) {
            return Ok(Rc::clone(known));
        }
        let mut found: Vec<State> = Vec::new();
        let (_, args) = &self.labels.things[label as usize];
        let values = &self.states.things[state as usize];
        self.variants[variant as usize].compiled.posts(values, args, &mut |_, after| found.push(after))?;
        let mut numbers = found.into_iter().map(|after| self.state(after)).collect::<Result<Vec<_>, _>>()?;
        numbers.sort_unstable();
        numbers.dedup();
        let numbers: Rc<[StateNo]> = numbers.into();
        self.posts.insert((variant, state, label), Rc::clone(&numbers));
        Ok(numbers)
    }
    fn is_enabled(&mut self, variant: u32, action: usize, state: StateNo) -> Result<bool, TooMany> {
        if let Some(&known) = self.enabled.get(&(variant, state)) {
            return Ok(known);
        }
        let mut is_enabled = false;
        for &label in self.labels_in(action, &[state])?.iter() {
            if !self.raw(variant, state, label)?.is_empty() {
                is_enabled = true;
                break;
            }
        }
        self.enabled.insert((variant, state), is_enabled);
        Ok(is_enabled)
    }
    /// The actions with a step in a state, ascending.
    pub fn allowed(&mut self, machine: &Machine, state: StateNo) -> Result<Vec<usize>, TooMany> {
        machine.block.allowed(&mut |action| self.is_enabled(machine.variants[action], action, state))
    }
    /// The states after a label, ascending.
    pub fn post(
        &mut self,
        machine: &Machine,
        state: StateNo,
        label: LabelNo,
    ) -> Result<Rc<[StateNo]>, TooMany> {
        let (action, _) = self.labels.things[label as usize];
        if !machine.is_plain && !self.allowed(machine, state)?.contains(&action) {
            return Ok(Rc::default());
        }
        self.raw(machine.variants[action], state, label)
    }
    /// Whether two systems take the same steps by an action wherever the block lets them.
    pub fn is_same_action(&self, one: &Machine, other: &Machine, action: usize) -> bool {
        one.is_plain && other.is_plain && one.variants[action] == other.variants[action]
    }
    /// Whether only the tester can move.
    pub fn is_quiet(&mut self, machine: &Machine, state: StateNo) -> Result<bool, TooMany> {
        let allowed = self.allowed(machine, state)?;
        Ok(allowed.into_iter().all(|action| self.kind(action) == Kind::Controllable))
    }
    /// The set with all states that invisible steps lead to.
    pub fn closed(&mut self, machine: &Machine, states: Vec<StateNo>) -> Result<SetNo, TooMany> {
        let mut closed = states;
        let mut next = 0;
        while self.has_internal && next < closed.len() {
            let state = closed[next];
            next += 1;
            for action in self.allowed(machine, state)? {
                if self.kinds[action] == Kind::Internal {
                    for &label in self.labels_in(action, &[state])?.iter() {
                        for &after in self.post(machine, state, label)?.iter() {
                            if !closed.contains(&after) {
                                closed.push(after);
                            }
                        }
                    }
                }
            }
        }
        Ok(self.set(closed))
    }
    /// The set after a label, closed. None where it is empty.
    pub fn after(
        &mut self,
        machine: &Machine,
        set: SetNo,
        label: LabelNo,
        refusal: Refusal,
    ) -> Result<Option<SetNo>, TooMany> {
        let (mut found, mut refusing) = (Vec::new(), Vec::new());
        for &state in self.members(set).iter() {
            let posts = self.post(machine, state, label)?;
            found.extend_from_slice(&posts);
            if posts.is_empty() {
                refusing.push(state);
            }
        }
        if refusal.stays(!found.is_empty()) {
            found.append(&mut refusing);
        }
        if found.is_empty() { Ok(None) } else { self.closed(machine, found).map(Some) }
    }
    /// The quiet states of a set. None where there are none.
    pub fn after_quiet(&mut self, machine: &Machine, set: SetNo) -> Result<Option<SetNo>, TooMany> {
        let mut found = Vec::new();
        for &state in self.members(set).iter() {
            if self.is_quiet(machine, state)? {
                found.push(state);
            }
        }
        Ok(if found.is_empty() { None } else { Some(self.set(found)) })
    }
}

/// The states that a system reaches, and its steps.
#[derive(Clone, Debug)]
pub struct Reached {
    /// The states in the order of their depth.
    pub states: Vec<StateNo>,
    /// Fewest steps to each.
    pub depth: Vec<u32>,
    /// For each state the label and position of each next one; the last states have no entry where
    /// their steps were not looked at.
    pub steps: Vec<Vec<(LabelNo, usize)>>,
    /// Whether there may be more states.
    pub is_partial: bool,
}

impl Reached {
    /// Enumerates the states, breadth first.
    ///
    /// # Errors
    /// If there are too many.
    pub fn new(space: &mut Space, machine: &Machine) -> Result<Self, TooMany> {
        let all = Self::first(space, machine, usize::MAX)?;
        if all.is_partial { Err(TooMany::Time) } else { Ok(all) }
    }
    /// Enumerates states, breadth first, until so many are known or the time is up.
    ///
    /// # Errors
    /// If one state has too many steps, or there are more states than the space takes.
    pub fn first(space: &mut Space, machine: &Machine, count: usize) -> Result<Self, TooMany> {
        let mut positions: FxHashMap<StateNo, usize> = FxHashMap::default();
        positions.insert(machine.initial, 0);
        let mut found =
            Self { states: vec![machine.initial], depth: vec![0], steps: Vec::new(), is_partial: false };
        while let Some(&state) = found.states.get(found.steps.len()) {
            if found.states.len() >= count || space.check_time().is_err() {
                found.is_partial = true;
                break;
            }
            let depth = found.depth[found.steps.len()];
            let mut steps = Vec::new();
            for action in space.allowed(machine, state)? {
                for &label in space.labels_in(action, &[state])?.iter() {
                    for &after in space.post(machine, state, label)?.iter() {
                        let position = *positions.entry(after).or_insert_with(|| {
                            found.states.push(after);
                            found.depth.push(depth + 1);
                            found.states.len() - 1
                        });
                        steps.push((label, position));
                    }
                }
            }
            found.steps.push(steps);
        }
        Ok(found)
    }
}
