//! What chains are to cover.

use super::Lowerer;
use super::bounds::Relaxing;
use crate::code::Code;
use crate::system::{Goal as Wanted, Target};
use frontend::diagnostics::Diagnostics;
use model::id::Id;
use model::system::{Goal, OriginId};
use model::term::TermId;
use spec::parser::{Parsed, Reported};

impl Lowerer {
    /// Adds the goals, and where chains may end.
    pub(super) fn goals(&mut self, diagnostics: &mut Diagnostics) -> Parsed<()> {
        self.lowered.system.end = self.end();
        let named = self.lowered.timed.named_goals();
        if let (true, Some(first)) = (named.is_empty(), self.lowered.timed.goals.first()) {
            let message = "there is nothing to be reached: no two transitions join, or there is no purpose";
            diagnostics.error(Code::NothingToReach, Some(first.place().span), message);
            return Err(Reported);
        }
        for goal in named {
            let (steps, antecedent) = match &goal.target {
                Target::Path(edges) => (edges.len() as u32, self.window(edges)),
                Target::State(state) => (1, self.is_in(*state)),
                Target::Condition(position) => (1, self.condition(*position, diagnostics)?),
            };
            let origin = Some(OriginId::new(self.lowered.origins.len()));
            self.lowered.origins.push(goal.extent);
            self.lowered.targets.push(goal.target);
            let (name, requirement, text, expectation) = (goal.name, None, None, None);
            let goal = Goal { name, requirement, text, origin, steps, antecedent, expectation };
            self.lowered.system.goals.push(goal);
        }
        Ok(())
    }
    /// That a condition of the text holds behind the event.
    fn condition(&mut self, position: usize, diagnostics: &mut Diagnostics) -> Parsed<TermId> {
        let timed = &self.lowered.timed;
        let Wanted::Condition(_, condition, _) = &timed.goals[position] else {
            panic!("a condition should be the goal at its position");
        };
        let relaxing = Relaxing::of(self.variant.relaxation, timed, &self.lowered.ticks);
        let condition =
            relaxing.map_or_else(|| condition.clone(), |relaxing| relaxing.condition(condition, true));
        let next = self.next.clone();
        let holds = self.lowering(&next, diagnostics, |lowering| lowering.condition(&condition))?;
        Ok(self.behind_event(holds))
    }
    /// That a condition holds behind an event: a step that begins a new chain is none, and the time
    /// that its delay lets pass is part of no chain.
    fn behind_event(&mut self, holds: TermId) -> TermId {
        if self.variant.budget.is_none() {
            return holds;
        }
        let restarts = self.is_edge(self.lowered.timed.edges.len());
        let is_event = self.pool().not(restarts);
        self.pool().and(is_event, holds)
    }
    /// That a state is the one before the event or behind it.
    fn is_in(&mut self, state: usize) -> TermId {
        let before = self.lowered.system.state_term(self.location);
        let behind = self.next_location;
        let (before, behind) = (self.is_state(before, state), self.is_state(behind, state));
        self.pool().or(before, behind)
    }
    /// That transitions are taken in a row.
    fn window(&mut self, edges: &[usize]) -> TermId {
        let symbol = self.lowered.system.inputs[self.lowered.edge].symbol;
        let mut conditions = Vec::new();
        for (offset, &edge) in (0_u32..).zip(edges) {
            let input = if offset == 0 {
                self.pool().symbol_term(symbol)
            } else {
                self.pool().framed(symbol, offset)
            };
            let width = self.pool().width(input);
            let code = self.pool().word(width, edge as u128);
            conditions.push(self.pool().equal(input, code));
        }
        self.pool().conjunction(conditions)
    }
}
