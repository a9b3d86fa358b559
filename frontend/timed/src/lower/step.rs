//! One step: an event with the delay before it.

use super::bounds::Relaxing;
use super::{Lowerer, word_for};
use crate::system::{Action, Direction};
use frontend::diagnostics::Diagnostics;
use model::id::Id;
use model::system::{Assumption, InputRole, Output};
use model::term::{BinaryOp, TermId};
use spec::check::Checker;
use spec::parser::Parsed;
use spec::scope::{Variable, VariableId};
use spec::typed::Expr;
use spec::types::Type;

/// What a transition does: when it can be taken, and new values of variables.
struct Taken {
    enabled: TermId,
    next: Vec<Option<TermId>>,
    message: Vec<TermId>,
}

impl Lowerer {
    /// Declares state words and inputs.
    pub(super) fn declare(&mut self) -> Parsed<()> {
        let zero = self.pool().word(1, 0);
        let sort = word_for(self.lowered.timed.states.len());
        let initial = self.pool().resize(zero, sort.width(), false);
        self.lowered.system.states[self.location].init = initial;
        for data in self.lowered.timed.data.clone() {
            let variable = data.variable;
            let ty = self.lowered.timed.ty(variable).clone();
            let Some(sort) = ty.sort() else { continue };
            let name = self.lowered.timed.name_of(variable).to_owned();
            let word = self.lowered.system.add_state(&name, sort);
            self.words[variable.index()] = Some(word);
            let init = match data.initial.as_ref().and_then(|value| ty.encode(value)) {
                Some(value) => self.pool().constant(value),
                None => self.unknown(variable, &name, &ty),
            };
            self.lowered.system.states[word].init = init;
        }
        for clock in self.lowered.timed.clocks.clone() {
            let ty = self.lowered.timed.ty(clock).clone();
            let Some(sort) = ty.sort() else { continue };
            let name = self.lowered.timed.name_of(clock).to_owned();
            let word = self.lowered.system.add_state(&name, sort);
            self.words[clock.index()] = Some(word);
            let zero = self.pool().word(sort.width(), 0);
            self.lowered.system.states[word].init = zero;
        }
        let (delay, delay_type) = self.lowered.delay.clone();
        let delay = self.lowered.system.input_term(delay);
        self.assume_domain(delay, &delay_type);
        for channel in self.lowered.timed.channels.clone() {
            let mut inputs = Vec::new();
            let mut variables = Vec::new();
            if channel.direction != Direction::Output {
                let role = match channel.direction {
                    Direction::Input => InputRole::Stimulus,
                    _ => InputRole::Choice,
                };
                for (position, ty) in channel.args.iter().flatten().enumerate() {
                    let name = format!("{}.{}", channel.name, position + 1);
                    let Some(sort) = ty.sort() else { continue };
                    let input = self.lowered.system.add_input(&name, sort, role);
                    let term = self.lowered.system.input_term(input);
                    self.assume_domain(term, ty);
                    inputs.push((input, ty.clone()));
                    variables.push(self.declare_variable(&name, ty, term, channel.extent)?);
                }
            }
            self.lowered.received.push(inputs);
            self.messages.push(variables);
        }
        Ok(())
    }
    /// A variable of the scope that stands for an input.
    fn declare_variable(
        &mut self,
        name: &str,
        ty: &Type,
        term: TermId,
        extent: spec::lexer::Extent,
    ) -> Parsed<VariableId> {
        let variable =
            Variable { name: name.to_owned(), ty: ty.clone(), role: "message", can_be_primed: false, extent };
        let declared = self.lowered.timed.scope.declare(variable, &mut Diagnostics::default())?;
        self.words.push(None);
        self.next.push(Some(term));
        Ok(declared)
    }
    /// The term of the unknown value of a variable at the start.
    fn unknown(&mut self, variable: VariableId, name: &str, ty: &Type) -> TermId {
        let sort = ty.sort().unwrap_or(model::sort::Sort::TRUTH);
        let role = InputRole::Stimulus;
        let input = self.lowered.system.add_initial_input(&format!("{name} at the start"), sort, role);
        let symbol = self.lowered.system.initial_inputs[input].symbol;
        let term = self.pool().symbol_term(symbol);
        self.lowered.unknown.push((input, variable));
        let condition = self.domain(term, ty);
        self.lowered.system.initial_assumptions.push(Assumption { condition, origin: None });
        term
    }
    fn domain(&mut self, term: TermId, ty: &Type) -> TermId {
        let mut said = Diagnostics::default();
        self.lowering(&[], &mut said, |lowering| Ok(lowering.domain(term, ty)))
            .unwrap_or_else(|_| panic!("a domain should need no words of variables"))
    }
    fn assume_domain(&mut self, term: TermId, ty: &Type) {
        let condition = self.domain(term, ty);
        self.lowered.system.assumptions.push(Assumption { condition, origin: None });
    }

    /// The values of all variables when the delay of the step has passed.
    fn current(&mut self) -> Vec<Option<TermId>> {
        let mut current = self.next.clone();
        for variable in 0..self.words.len() {
            if let Some(word) = self.words[variable] {
                current[variable] = Some(self.lowered.system.state_term(word));
            }
        }
        let delay = self.lowered.system.input_term(self.lowered.delay.0);
        for group in self.lowered.ticks.groups.clone() {
            let clocks: Vec<VariableId> =
                group.iter().map(|&position| self.lowered.timed.clocks[position]).collect();
            let values: Vec<TermId> = clocks.iter().filter_map(|clock| current[clock.index()]).collect();
            let widths: Vec<u32> = values.iter().map(|&value| self.pool().width(value)).collect();
            let wide = widths.iter().copied().max().unwrap_or(1).max(self.pool().width(delay)) + 1;
            let delay = self.pool().resize(delay, wide, false);
            let sums = values.iter().map(|&value| {
                let value = self.pool().resize(value, wide, false);
                self.pool().binary(BinaryOp::Add, value, delay)
            });
            let sums = sums.collect();
            let last = self.lowered.ticks.last[group[0]];
            let last = self.pool().word(wide, u128::from(last));
            let stopped = self.stopped(sums, last);
            for ((clock, value), width) in clocks.iter().zip(stopped).zip(widths) {
                current[clock.index()] = Some(self.pool().resize(value, width, false));
            }
        }
        current
    }
    /// The values of clocks that are compared with one another as
    /// [`Ticks::stop`](super::Ticks::stop) has them.
    fn stopped(&mut self, mut clocks: Vec<TermId>, last: TermId) -> Vec<TermId> {
        if let [clock] = clocks[..] {
            let is_over = self.pool().binary(BinaryOp::ULt, last, clock);
            return vec![self.pool().ite(is_over, last, clock)];
        }
        let width = self.pool().width(last);
        let zero = self.pool().word(width, 0);
        for base in std::iter::once(None).chain((0..clocks.len()).map(Some)) {
            let base = base.map_or(zero, |base: usize| clocks[base]);
            let is_above: Vec<TermId> =
                clocks.iter().map(|&clock| self.pool().binary(BinaryOp::ULt, base, clock)).collect();
            let mut distance = self.pool().word(width, u128::MAX >> (128 - width));
            for (&clock, &is_above) in clocks.iter().zip(&is_above) {
                let own = self.pool().binary(BinaryOp::Sub, clock, base);
                let is_less = self.pool().binary(BinaryOp::ULt, own, distance);
                let least = self.pool().ite(is_less, own, distance);
                distance = self.pool().ite(is_above, least, distance);
            }
            let is_far = self.pool().binary(BinaryOp::ULt, last, distance);
            let more = self.pool().binary(BinaryOp::Sub, distance, last);
            let removed = self.pool().ite(is_far, more, zero);
            for (clock, is_above) in clocks.iter_mut().zip(is_above) {
                let less = self.pool().binary(BinaryOp::Sub, *clock, removed);
                *clock = self.pool().ite(is_above, less, *clock);
            }
        }
        clocks
    }

    /// The step as assumptions, next states and outputs.
    pub(super) fn steps(&mut self, diagnostics: &mut Diagnostics) -> Parsed<()> {
        let current = self.current();
        let mut taken = Vec::new();
        for edge in 0..self.lowered.timed.edges.len() {
            taken.push(self.transition(edge, &current, diagnostics)?);
        }
        let edge = self.lowered.system.input_term(self.lowered.edge);
        let width = self.pool().width(edge);
        let count = taken.len() + usize::from(self.variant.budget.is_some());
        let last = self.pool().word(width, (count.max(1) - 1) as u128);
        let is_edge = self.pool().binary(BinaryOp::ULe, edge, last);
        self.lowered.system.assumptions.push(Assumption { condition: is_edge, origin: None });
        let choices: Vec<TermId> = (0..taken.len()).map(|index| self.is_edge(index)).collect();
        for (choice, taken) in choices.iter().zip(&taken) {
            let condition = self.pool().implies(*choice, taken.enabled);
            self.lowered.system.assumptions.push(Assumption { condition, origin: None });
        }
        let mut location = self.lowered.system.state_term(self.location);
        let width = self.pool().width(location);
        for (index, choice) in choices.iter().enumerate() {
            let to = self.lowered.timed.edges[index].to;
            let to = self.pool().word(width, to as u128);
            location = self.pool().ite(*choice, to, location);
        }
        self.next_location = location;
        for variable in 0..self.words.len() {
            if self.words[variable].is_none() {
                continue;
            }
            let mut value = current[variable];
            for (choice, taken) in choices.iter().zip(&taken) {
                if let (Some(old), Some(new)) = (value, taken.next[variable]) {
                    value = Some(self.pool().ite(*choice, new, old));
                }
            }
            self.next[variable] = value;
        }
        self.outputs(&choices, &taken);
        self.finish();
        Ok(())
    }
    /// Whether the step takes a transition.
    pub(super) fn is_edge(&mut self, edge: usize) -> TermId {
        let input = self.lowered.system.input_term(self.lowered.edge);
        let width = self.pool().width(input);
        let code = self.pool().word(width, edge as u128);
        self.pool().equal(input, code)
    }

    fn transition(
        &mut self,
        edge: usize,
        current: &[Option<TermId>],
        diagnostics: &mut Diagnostics,
    ) -> Parsed<Taken> {
        let transition = self.lowered.timed.edges[edge].clone();
        let location = self.lowered.system.state_term(self.location);
        let width = self.pool().width(location);
        let from = self.pool().word(width, transition.from as u128);
        let mut conditions = vec![self.pool().equal(location, from)];
        let mut values = current.to_vec();
        if let Action::Receive(variables) = &transition.action {
            let messages = self.messages[transition.channel].clone();
            for (&variable, message) in variables.iter().zip(messages) {
                let ty = self.lowered.timed.ty(message).clone();
                let read = Expr::variable(message, false, ty, transition.extent);
                let (value, allowed) = self.assigned(&read, variable, current, diagnostics)?;
                values[variable.index()] = Some(value);
                conditions.push(allowed);
            }
        }
        let guard = match self.relaxing() {
            Some(relaxing) => relaxing.condition(&transition.guard, true),
            None => transition.guard.clone(),
        };
        conditions.push(self.lowering(&values, diagnostics, |lowering| lowering.condition(&guard))?);
        let mut message = Vec::new();
        if let Action::Send(terms) = &transition.action {
            let types = self.message_types(transition.channel);
            for (term, ty) in terms.iter().zip(&types) {
                let is_free = self.relaxing().is_some_and(|relaxing| relaxing.reads_free(term));
                let sent = self.lowering(&values, diagnostics, |lowering| lowering.assigned(term, ty))?;
                message.push(sent.value);
                if !is_free {
                    conditions.push(sent.allowed);
                }
            }
        }
        let mut next = values.clone();
        for (variable, expr) in &transition.updates {
            let (value, allowed) = self.assigned(expr, *variable, &values, diagnostics)?;
            next[variable.index()] = Some(value);
            conditions.push(allowed);
        }
        for &reset in &transition.resets {
            let clock = self.lowered.timed.clocks[reset];
            if let Some(value) = next[clock.index()] {
                let width = self.pool().width(value);
                next[clock.index()] = Some(self.pool().word(width, 0));
            }
        }
        let enabled = self.pool().conjunction(conditions);
        Ok(Taken { enabled, next, message })
    }
    /// How conditions are weakened.
    fn relaxing(&self) -> Option<Relaxing<'_>> {
        Relaxing::of(self.variant.relaxation, &self.lowered.timed, &self.lowered.ticks)
    }
    /// A new value of a variable, and whether it is one; nothing is demanded of free variables.
    fn assigned(
        &mut self,
        expr: &Expr,
        variable: VariableId,
        values: &[Option<TermId>],
        diagnostics: &mut Diagnostics,
    ) -> Parsed<(TermId, TermId)> {
        let ty = self.lowered.timed.ty(variable).clone();
        let expr = Checker::new(&self.lowered.timed.scope, diagnostics).coerced(expr.clone(), &ty)?;
        let assigned = self.lowering(values, diagnostics, |lowering| lowering.assigned(&expr, &ty))?;
        let is_free = self.relaxing().is_some_and(|relaxing| relaxing.is_free(variable));
        let allowed = if is_free { self.pool().truth(true) } else { assigned.allowed };
        Ok((assigned.value, allowed))
    }
    /// The types of the values that are sent on a channel: as declared, or around its terms.
    pub(super) fn message_types(&self, channel: usize) -> Vec<Type> {
        let timed = &self.lowered.timed;
        let declared = timed.channels[channel].args.iter().enumerate();
        let around = |position: usize| {
            let sent = timed.edges.iter().filter(|edge| edge.channel == channel);
            let ranges = sent.filter_map(|edge| match &edge.action {
                Action::Send(terms) => terms.get(position)?.ty().range(),
                Action::Receive(_) => None,
            });
            let hull = ranges.reduce(|left, right| left.hull(&right));
            hull.map_or(Type::Bool, Type::Number)
        };
        declared.map(|(position, arg)| arg.clone().unwrap_or_else(|| around(position))).collect()
    }

    /// Values of messages that are sent, as outputs; 0 where the step sends none.
    fn outputs(&mut self, choices: &[TermId], taken: &[Taken]) {
        for channel in 0..self.lowered.timed.channels.len() {
            if self.lowered.timed.channels[channel].direction != Direction::Output {
                continue;
            }
            let name = self.lowered.timed.channels[channel].name.clone();
            for (position, ty) in self.message_types(channel).into_iter().enumerate() {
                let Some(sort) = ty.sort() else { continue };
                let mut value = self.pool().word(sort.width(), 0);
                for (index, taken) in taken.iter().enumerate() {
                    if self.lowered.timed.edges[index].channel == channel {
                        value = self.pool().ite(choices[index], taken.message[position], value);
                    }
                }
                let name = format!("{name}.{}", position + 1);
                self.lowered.system.outputs.push(Output { name, value });
            }
        }
    }

    /// Sets what state words become; adds what a budget asks for.
    fn finish(&mut self) {
        let words: Vec<_> = (0..self.words.len())
            .filter_map(|variable| Some((variable, self.words[variable]?, self.next[variable]?)))
            .collect();
        let Some(budget) = self.variant.budget else {
            self.lowered.system.states[self.location].next = self.next_location;
            for (_, word, next) in words {
                self.lowered.system.states[word].next = next;
            }
            return;
        };
        let restarts = self.is_edge(self.lowered.timed.edges.len());
        let start = self.lowered.system.states[self.location].init;
        let behind = self.next_location;
        let next = self.pool().ite(restarts, start, behind);
        self.lowered.system.states[self.location].next = next;
        for (variable, word, next) in words {
            let is_unknown = self.lowered.unknown.iter().any(|(_, known)| known.index() == variable);
            let start =
                if is_unknown { self.chosen_again(variable) } else { self.lowered.system.states[word].init };
            let next = self.pool().ite(restarts, start, next);
            self.lowered.system.states[word].next = next;
        }
        self.count_restarts(restarts, budget.restarts);
        self.count_time(restarts, budget.ticks);
    }
    /// An input for the value of a variable at a new start.
    fn chosen_again(&mut self, variable: usize) -> TermId {
        let id = <VariableId as Id>::new(variable);
        let ty = self.lowered.timed.ty(id).clone();
        let name = format!("{} at a new start", self.lowered.timed.name_of(id));
        let sort = ty.sort().unwrap_or(model::sort::Sort::TRUTH);
        let input = self.lowered.system.add_input(&name, sort, InputRole::Stimulus);
        let term = self.lowered.system.input_term(input);
        self.assume_domain(term, &ty);
        self.lowered.again.push((input, id));
        term
    }
    fn count_restarts(&mut self, restarts: TermId, most: u32) {
        let sort = word_for(most as usize + 1);
        let word = self.lowered.system.add_state("restarts", sort);
        let count = self.lowered.system.state_term(word);
        let width = self.pool().width(count);
        let (zero, one) = (self.pool().word(width, 0), self.pool().word(width, 1));
        let last = self.pool().word(width, u128::from(most));
        let more = self.pool().binary(BinaryOp::ULt, count, last);
        let condition = self.pool().implies(restarts, more);
        self.lowered.system.assumptions.push(Assumption { condition, origin: None });
        if let Some(end) = self.end() {
            let condition = self.pool().implies(restarts, end);
            self.lowered.system.assumptions.push(Assumption { condition, origin: None });
        }
        let sum = self.pool().binary(BinaryOp::Add, count, one);
        let next = self.pool().ite(restarts, sum, count);
        self.lowered.system.states[word].init = zero;
        self.lowered.system.states[word].next = next;
    }
    fn count_time(&mut self, restarts: TermId, most: u64) {
        let sort = word_for(usize::try_from(most).unwrap_or(usize::MAX - 1) + 1);
        let word = self.lowered.system.add_state("elapsed", sort);
        let elapsed = self.lowered.system.state_term(word);
        let width = self.pool().width(elapsed);
        let delay = self.lowered.system.input_term(self.lowered.delay.0);
        let wide = width.max(self.pool().width(delay)) + 1;
        let (left, right) =
            (self.pool().resize(elapsed, wide, false), self.pool().resize(delay, wide, false));
        let sum = self.pool().binary(BinaryOp::Add, left, right);
        let last = self.pool().word(wide, u128::from(most));
        let fits = self.pool().binary(BinaryOp::ULe, sum, last);
        let condition = self.pool().or(restarts, fits);
        self.lowered.system.assumptions.push(Assumption { condition, origin: None });
        let sum = self.pool().resize(sum, width, false);
        let next = self.pool().ite(restarts, elapsed, sum);
        let zero = self.pool().word(width, 0);
        self.lowered.system.states[word].init = zero;
        self.lowered.system.states[word].next = next;
    }
    /// Whether a chain may end before the step.
    pub(super) fn end(&mut self) -> Option<TermId> {
        let finals = self.lowered.timed.finals.clone();
        if finals.is_empty() {
            return None;
        }
        let location = self.lowered.system.state_term(self.location);
        let none = self.pool().truth(false);
        Some(finals.into_iter().fold(none, |any, state| {
            let is_state = self.is_state(location, state);
            self.pool().or(any, is_state)
        }))
    }
    pub(super) fn is_state(&mut self, location: TermId, state: usize) -> TermId {
        let width = self.pool().width(location);
        let code = self.pool().word(width, state as u128);
        self.pool().equal(location, code)
    }
}
