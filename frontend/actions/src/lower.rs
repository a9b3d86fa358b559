//! From action systems to transition systems, for the search.
//!
//! A step has two movers. The tester chooses `move`: a `ctr` action with its parameters, or to
//! watch. The system chooses `answer`: a branch of that action, or of one of its own, with words
//! for parameters and for `:in`. The one assumption is that the branch is enabled.

mod difference;
mod goals;

pub use difference::difference;

use crate::branches::{Branch, Step, branches};
use crate::code::Code;
use crate::syntax::Kind;
use crate::system::{Action, Block, System};
use frontend::diagnostics::Diagnostics;
use model::id::Id;
use model::sort::Sort;
use model::system::{Assumption, InputId, InputRole, StateId, TransitionSystem};
use model::term::{BinaryOp, TermId};
use spec::lower::{Encoding, Lowering};
use spec::parser::{Parsed, Reported};
use spec::scope::VariableId;
use spec::typed::Expr;
use spec::types::Type;
use spec::value::Value;

/// Values of a type that are tried where a branch is enabled if any of them enables it.
const MOST_TRIED: u128 = 256;

/// What an input is to the user.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub(crate) id: InputId,
    /// The action that reads it; none for `move` and `answer`.
    action: Option<usize>,
    pub(crate) name: String,
    pub(crate) ty: Meaning,
}

/// How the words of an input are to be read.
#[derive(Clone, Debug)]
pub(crate) enum Meaning {
    /// One of these, by number.
    Names(Vec<String>),
    /// A value of a type.
    Value(Type),
}

/// A branch with its place among all, its action, and when and to what it leads.
pub(crate) struct Lowered {
    pub(crate) system: TransitionSystem,
    pub(crate) states: Vec<StateId>,
    pub(crate) inputs: Vec<Input>,
    /// For each branch its action.
    pub(crate) branches: Vec<usize>,
    /// For each branch: it is taken.
    taken: Vec<TermId>,
    /// For each action the inputs of its parameters.
    pub(crate) parameters: Vec<Vec<InputId>>,
    /// For each action the number of its stimulus; that of watching for those of the system.
    pub(crate) moves: Vec<u128>,
}

/// The system without goals. What the search cannot express is reported.
pub(crate) fn lower(system: &System, diagnostics: &mut Diagnostics) -> Parsed<Lowered> {
    let (mut builder, states, all) = Builder::begin(system, diagnostics)?;
    let steps = builder.steps(&all)?;
    Ok(builder.finish(states, steps))
}

fn sort(ty: &Type) -> Sort {
    ty.sort().unwrap_or(Sort::TRUTH)
}

struct Builder<'a> {
    system: &'a System,
    diagnostics: &'a mut Diagnostics,
    target: TransitionSystem,
    /// The state before the step.
    now: Vec<TermId>,
    inputs: Vec<Input>,
    parameters: Vec<Vec<InputId>>,
}

/// A branch as terms.
struct Taken {
    action: usize,
    enabled: TermId,
    after: Vec<TermId>,
}

impl<'a> Builder<'a> {
    /// The words of the system and of who moves, and the branches of all actions.
    fn begin(
        system: &'a System,
        diagnostics: &'a mut Diagnostics,
    ) -> Parsed<(Self, Vec<StateId>, Vec<Vec<Branch>>)> {
        let mut target = TransitionSystem { name: system.name.clone(), ..TransitionSystem::default() };
        let mut states = Vec::new();
        for variable in &system.variables {
            let id = target.add_state(&variable.name, sort(&variable.ty));
            let initial = variable.ty.encode(&variable.initial).map(|word| target.terms.constant(word));
            target.states[id].init = initial.unwrap_or(target.states[id].init);
            states.push(id);
        }
        let mut all = Vec::new();
        for action in &system.actions {
            match branches(&action.body) {
                Ok(found) => all.push(found),
                Err(_) => {
                    let message =
                        format!("the action `{}` has too many branches for the search", action.name);
                    diagnostics.error(Code::TooMany, Some(action.extent.span), message);
                    return Err(Reported);
                }
            }
        }
        let now = states.iter().map(|&state| target.state_term(state)).collect();
        let mut builder =
            Self { system, diagnostics, target, now, inputs: Vec::new(), parameters: Vec::new() };
        builder.movers(&all);
        Ok((builder, states, all))
    }
}

impl Builder<'_> {
    fn input(&mut self, name: String, role: InputRole, ty: Meaning, action: Option<usize>) -> InputId {
        let sort = match &ty {
            Meaning::Value(ty) => sort(ty),
            Meaning::Names(names) => {
                Sort::word((usize::BITS - names.len().saturating_sub(1).leading_zeros()).max(1))
            }
        };
        let id = self.target.add_input(&name, sort, role);
        self.inputs.push(Input { id, action, name, ty });
        id
    }
    /// `move`, `answer` and parameters.
    fn movers(&mut self, all: &[Vec<Branch>]) {
        let is_stimulus = |action: &&Action| action.kind == Kind::Controllable;
        let mut moves: Vec<String> =
            self.system.actions.iter().filter(is_stimulus).map(|action| action.name.clone()).collect();
        moves.push("watch".to_owned());
        let mut answers = Vec::new();
        for (action, branches) in self.system.actions.iter().zip(all) {
            answers
                .extend((0..branches.len()).map(|number| branch_name(&action.name, number, branches.len())));
        }
        self.input("move".to_owned(), InputRole::Stimulus, Meaning::Names(moves), None);
        self.input("answer".to_owned(), InputRole::Choice, Meaning::Names(answers), None);
        for (position, action) in self.system.actions.iter().enumerate() {
            let role = if is_stimulus(&action) { InputRole::Stimulus } else { InputRole::Choice };
            let mut own = Vec::new();
            for parameter in &action.parameters {
                let name = format!("{}.{}", action.name, parameter.name);
                own.push(self.input(name, role, Meaning::Value(parameter.ty.clone()), Some(position)));
            }
            self.parameters.push(own);
        }
    }

    fn steps(&mut self, all: &[Vec<Branch>]) -> Parsed<Vec<Taken>> {
        let mut found = Vec::new();
        for (action, branches) in all.iter().enumerate() {
            found.extend(self.taken(action, branches)?);
        }
        if self.system.block.is_plain() {
            return Ok(found);
        }
        let mut enabled = Vec::new();
        for (action, branches) in all.iter().enumerate() {
            enabled.push(self.action_enabled(action, branches)?);
        }
        let mut may_move = vec![self.target.terms.truth(false); all.len()];
        let free = self.target.terms.truth(true);
        self.moves(&self.system.block.clone(), free, &enabled, &mut may_move);
        for taken in &mut found {
            taken.enabled = self.target.terms.and(taken.enabled, may_move[taken.action]);
        }
        Ok(found)
    }
    /// The branches of an action as terms.
    fn taken(&mut self, action: usize, branches: &[Branch]) -> Parsed<Vec<Taken>> {
        let args = self.arguments(action);
        let mut fits = self.target.terms.truth(true);
        for (parameter, &arg) in self.system.actions[action].parameters.iter().zip(&args) {
            let is_one = self.domain(arg, &parameter.ty);
            fits = self.target.terms.and(fits, is_one);
        }
        let mut found = Vec::new();
        for branch in branches {
            let mut after = self.now.clone();
            let enabled = self.branch(action, &branch.steps, &mut after, &args)?;
            let enabled = self.target.terms.and(fits, enabled);
            found.push(Taken { action, enabled, after });
        }
        Ok(found)
    }
    fn arguments(&mut self, action: usize) -> Vec<TermId> {
        let inputs = self.parameters[action].clone();
        inputs.into_iter().map(|input| self.target.input_term(input)).collect()
    }
    fn domain(&mut self, term: TermId, ty: &Type) -> TermId {
        let none = |_, _| panic!("a domain should have no variables");
        Lowering::new(&mut self.target.terms, &none, self.diagnostics).domain(term, ty)
    }

    /// When the block lets each action move; the result says whether any part of the block has a
    /// step.
    fn moves(&mut self, block: &Block, free: TermId, enabled: &[TermId], may_move: &mut [TermId]) -> TermId {
        match block {
            Block::Action(action) => {
                may_move[*action] = self.target.terms.or(may_move[*action], free);
                enabled[*action]
            }
            Block::Choice(parts) => {
                let mut any = self.target.terms.truth(false);
                for part in parts {
                    let has_step = self.moves(part, free, enabled, may_move);
                    any = self.target.terms.or(any, has_step);
                }
                any
            }
            Block::Prioritised(parts) => {
                let mut any = self.target.terms.truth(false);
                let mut free = free;
                for part in parts {
                    let has_step = self.moves(part, free, enabled, may_move);
                    any = self.target.terms.or(any, has_step);
                    let has_none = self.target.terms.not(has_step);
                    free = self.target.terms.and(free, has_none);
                }
                any
            }
        }
    }
    /// Whether an action has a step under any arguments.
    fn action_enabled(&mut self, action: usize, branches: &[Branch]) -> Parsed<TermId> {
        let mut tuples: Vec<Vec<TermId>> = vec![Vec::new()];
        for parameter in &self.system.actions[action].parameters.clone() {
            let values = self.tried(&parameter.ty, action)?;
            if values.len() * tuples.len() > MOST_TRIED as usize {
                return Err(self.too_many(action));
            }
            let with = |args: &Vec<TermId>, value: TermId| {
                let mut args = args.clone();
                args.push(value);
                args
            };
            tuples =
                tuples.iter().flat_map(|args| values.iter().map(|&(_, value)| with(args, value))).collect();
        }
        let mut any = self.target.terms.truth(false);
        for args in tuples {
            for branch in branches {
                let one = self.enabled(action, &branch.steps, &self.now.clone(), &args)?;
                any = self.target.terms.or(any, one);
            }
        }
        Ok(any)
    }
    fn too_many(&mut self, action: usize) -> Reported {
        let action = &self.system.actions[action];
        let message =
            format!("`//` asks whether `{}` has a step: it has too many values to try", action.name);
        self.diagnostics
            .error(Code::TooMany, Some(action.extent.span), message)
            .advice(format!("at most {MOST_TRIED} values of parameters and of `:in` are tried"));
        Reported
    }
    fn tried(&mut self, ty: &Type, action: usize) -> Parsed<Vec<(Value, TermId)>> {
        if ty.count().is_none_or(|count| count > MOST_TRIED) {
            return Err(self.too_many(action));
        }
        let values: Vec<Value> = ty.values().into_iter().flatten().collect();
        let word = |value: Value| {
            let word = ty.encode(&value)?;
            Some((value, self.target.terms.constant(word)))
        };
        Ok(values.into_iter().filter_map(word).collect())
    }

    /// Runs a branch; the result says whether it is enabled.
    fn branch(
        &mut self,
        action: usize,
        steps: &[Step],
        state: &mut [TermId],
        args: &[TermId],
    ) -> Parsed<TermId> {
        let mut enabled = self.target.terms.truth(true);
        for step in steps {
            let holds = match step {
                Step::Any { target, lo, hi } => {
                    let position = target.index();
                    let ty = self.system.variables[position].ty.clone();
                    let name = format!(
                        "{}:{}",
                        self.system.actions[action].name, self.system.variables[position].name
                    );
                    let name = self.fresh(name);
                    let input = self.input(name, InputRole::Choice, Meaning::Value(ty.clone()), Some(action));
                    let chosen = self.target.input_term(input);
                    let lies = self.between(action, chosen, &ty, (lo, hi), state, args)?;
                    state[position] = chosen;
                    lies
                }
                _ => self.simple(action, step, state, args)?,
            };
            enabled = self.target.terms.and(enabled, holds);
        }
        Ok(enabled)
    }
    fn fresh(&self, name: String) -> String {
        let known = |name: &String| self.inputs.iter().any(|input| input.name == *name);
        (1..)
            .map(|number| if number == 1 { name.clone() } else { format!("{name}#{number}") })
            .find(|name| !known(name))
            .unwrap_or(name)
    }
    /// A step without a choice.
    fn simple(
        &mut self,
        action: usize,
        step: &Step,
        state: &mut [TermId],
        args: &[TermId],
    ) -> Parsed<TermId> {
        match step {
            Step::Test(guard) => self.with(action, state, args, |lowering| lowering.condition(guard)),
            Step::Unless(others) => {
                let mut any = self.target.terms.truth(false);
                for other in others.iter() {
                    let one = self.enabled(action, &other.steps, state, args)?;
                    any = self.target.terms.or(any, one);
                }
                Ok(self.target.terms.not(any))
            }
            Step::Assign(assignments) => {
                let before = state.to_vec();
                let mut allowed = self.target.terms.truth(true);
                for (target, value) in assignments {
                    let ty = self.system.variables[target.index()].ty.clone();
                    let assigned =
                        self.with(action, &before, args, |lowering| lowering.assigned(value, &ty))?;
                    state[target.index()] = assigned.value;
                    allowed = self.target.terms.and(allowed, assigned.allowed);
                }
                Ok(allowed)
            }
            Step::Any { .. } => Ok(self.target.terms.truth(true)),
        }
    }
    /// Whether a branch is enabled from a state, for some choice of its own.
    fn enabled(
        &mut self,
        action: usize,
        steps: &[Step],
        state: &[TermId],
        args: &[TermId],
    ) -> Parsed<TermId> {
        let mut state = state.to_vec();
        let mut enabled = self.target.terms.truth(true);
        for (position, step) in steps.iter().enumerate() {
            if let Step::Any { target, lo, hi } = step {
                let ty = self.system.variables[target.index()].ty.clone();
                let mut any = self.target.terms.truth(false);
                for (_, value) in self.tried(&ty, action)? {
                    let lies = self.between(action, value, &ty, (lo, hi), &state, args)?;
                    let mut after = state.clone();
                    after[target.index()] = value;
                    let rest = self.enabled(action, &steps[position + 1..], &after, args)?;
                    let both = self.target.terms.and(lies, rest);
                    any = self.target.terms.or(any, both);
                }
                return Ok(self.target.terms.and(enabled, any));
            }
            let holds = self.simple(action, step, &mut state, args)?;
            enabled = self.target.terms.and(enabled, holds);
        }
        Ok(enabled)
    }

    /// Whether a word of a type stands for a value between two bounds.
    fn between(
        &mut self,
        action: usize,
        value: TermId,
        ty: &Type,
        (lo, hi): (&Expr, &Expr),
        state: &[TermId],
        args: &[TermId],
    ) -> Parsed<TermId> {
        let mut lies = self.domain(value, ty);
        for (bound, is_lower) in [(lo, true), (hi, false)] {
            let ranges = bound.ty().range().zip(ty.range());
            let Some((found, wanted)) = ranges.filter(|(found, wanted)| found.step() == wanted.step()) else {
                let message = "a bound of `:in` and its variable have different steps";
                self.diagnostics.error(Code::TooMany, Some(bound.extent().span), message);
                return Err(Reported);
            };
            let (term, defined) = self.with(action, state, args, |lowering| {
                Ok((lowering.term(bound)?, lowering.defined(bound)?))
            })?;
            let encodings = [Encoding::of(&found), Encoding::of(&wanted)];
            let machine = |ty: &Type, encoding: Encoding| match ty {
                Type::Machine { bits, signed } => Encoding { width: *bits, signed: *signed },
                _ => encoding,
            };
            let [found, wanted] = [machine(bound.ty(), encodings[0]), machine(ty, encodings[1])];
            let width = found.width.max(wanted.width) + 1;
            let terms = &mut self.target.terms;
            let (bound, value) =
                (terms.resize(term, width, found.signed), terms.resize(value, width, wanted.signed));
            let (low, high) = if is_lower { (bound, value) } else { (value, bound) };
            let holds = terms.binary(BinaryOp::SLe, low, high);
            let holds = terms.and(defined, holds);
            lies = terms.and(lies, holds);
        }
        Ok(lies)
    }

    fn with<T>(
        &mut self,
        action: usize,
        state: &[TermId],
        args: &[TermId],
        make: impl FnOnce(&mut Lowering<'_>) -> Parsed<T>,
    ) -> Parsed<T> {
        let first = self.system.actions[action].first_parameter;
        let variables = |variable: VariableId, _| {
            let number = variable.index();
            state.get(number).copied().unwrap_or_else(|| args[number - first])
        };
        make(&mut Lowering::new(&mut self.target.terms, &variables, self.diagnostics))
    }

    /// Assumption and next states.
    fn finish(mut self, states: Vec<StateId>, steps: Vec<Taken>) -> Lowered {
        let system = self.system;
        let controllable = |action: usize| system.actions[action].kind == Kind::Controllable;
        let count = (0..system.actions.len()).filter(|&action| controllable(action)).count() as u128;
        let numbers = (0..system.actions.len()).map(|action| match controllable(action) {
            true => (0..action).filter(|&earlier| controllable(earlier)).count() as u128,
            false => count,
        });
        let moves: Vec<u128> = numbers.collect();
        let [choice, answer] = [0, 1].map(|position: usize| self.target.input_term(self.inputs[position].id));
        let terms = &mut self.target.terms;
        let mut next = self.now.clone();
        let mut allowed = terms.truth(false);
        let mut taken = Vec::new();
        for (number, step) in steps.iter().enumerate() {
            let word = terms.word(terms.width(answer), number as u128);
            let is_answer = terms.equal(answer, word);
            let word = terms.word(terms.width(choice), moves[step.action]);
            let is_move = terms.equal(choice, word);
            let both = terms.and(is_answer, is_move);
            let is_taken = terms.and(both, step.enabled);
            allowed = terms.or(allowed, is_taken);
            for (next, &after) in next.iter_mut().zip(&step.after) {
                *next = terms.ite(is_answer, after, *next);
            }
            taken.push(is_taken);
        }
        for (&state, next) in states.iter().zip(next) {
            self.target.states[state].next = next;
        }
        self.target.assumptions.push(Assumption { condition: allowed, origin: None });
        self.rest(&steps, answer);
        Lowered {
            system: self.target,
            states,
            inputs: self.inputs,
            branches: steps.iter().map(|step| step.action).collect(),
            taken,
            parameters: self.parameters,
            moves,
        }
    }
}

impl Builder<'_> {
    /// Parameters and choices of actions that are not taken have the first value of their type, so
    /// that chains show what matters.
    fn rest(&mut self, steps: &[Taken], answer: TermId) {
        for input in self.inputs.clone() {
            let (Some(action), Meaning::Value(ty)) = (input.action, &input.ty) else { continue };
            let Some(word) = ty.range().and_then(|range| ty.encode(&range.value(range.lo()))) else {
                continue;
            };
            let value = self.target.input_term(input.id);
            let terms = &mut self.target.terms;
            let first = terms.constant(word);
            let mut allowed = terms.equal(value, first);
            for number in (0..steps.len()).filter(|&number| steps[number].action == action) {
                let word = terms.word(terms.width(answer), number as u128);
                let is_answer = terms.equal(answer, word);
                allowed = terms.or(allowed, is_answer);
            }
            self.target.assumptions.push(Assumption { condition: allowed, origin: None });
        }
    }
}

/// The name of a branch: that of its action, with a number where there are several.
fn branch_name(action: &str, number: usize, count: usize) -> String {
    if count == 1 { action.to_owned() } else { format!("{action}#{}", number + 1) }
}
