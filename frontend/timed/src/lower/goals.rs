//! What chains are to cover.

use super::Lowerer;
use super::bounds::relaxed;
use crate::game::Target;
use crate::system::Goal as Wanted;
use frontend::diagnostics::Diagnostics;
use model::id::Id;
use model::system::{Goal, OriginId};
use model::term::TermId;
use spec::lexer::Extent;
use spec::parser::Parsed;

impl Lowerer {
    /// Adds the goals, all transitions where none are named, and where chains may end.
    pub(super) fn goals(&mut self, diagnostics: &mut Diagnostics) -> Parsed<()> {
        self.lowered.system.end = self.end();
        let mut wanted = self.lowered.timed.goals.clone();
        if wanted.is_empty() {
            let place = self.lowered.timed.edges.first().map(|edge| edge.extent);
            wanted.extend(place.map(Wanted::Transitions));
        }
        for (position, goal) in wanted.into_iter().enumerate() {
            match goal {
                Wanted::Transitions(_) => self.transitions(),
                Wanted::Pairs(_) => self.pairs(),
                Wanted::States(place) => self.states(place),
                Wanted::Purposes(_) => self.purposes(),
                Wanted::Condition(name, condition, place) => {
                    let target = Target::Condition(position);
                    let next = self.next.clone();
                    let condition = match self.variant.is_relaxed {
                        true => relaxed(&condition, &self.lowered.timed, true),
                        false => condition,
                    };
                    let holds =
                        self.lowering(&next, diagnostics, |lowering| lowering.condition(&condition))?;
                    let reached = self.behind_event(holds);
                    self.goal((name, target), 1, reached, place);
                }
            }
        }
        Ok(())
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
    fn goal(&mut self, (name, target): (String, Target), steps: u32, antecedent: TermId, place: Extent) {
        if self.lowered.system.goals.values().any(|known| known.name == name) {
            return;
        }
        let origin = Some(OriginId::new(self.lowered.origins.len()));
        self.lowered.origins.push(place);
        self.lowered.targets.push(target);
        let goal = Goal { name, requirement: None, text: None, origin, steps, antecedent, expectation: None };
        self.lowered.system.goals.push(goal);
    }
    fn transitions(&mut self) {
        for (index, edge) in self.lowered.timed.edges.clone().into_iter().enumerate() {
            let taken = self.is_edge(index);
            self.goal((edge.name, Target::Path(vec![index])), 1, taken, edge.extent);
        }
    }
    fn pairs(&mut self) {
        let edges = self.lowered.timed.edges.clone();
        for (first, before) in edges.iter().enumerate() {
            for (second, behind) in edges.iter().enumerate() {
                if before.to == behind.from {
                    let name = format!("{}.{}", before.name, behind.name);
                    self.window(name, &[first, second], before.extent);
                }
            }
        }
    }
    fn states(&mut self, place: Extent) {
        for (state, name) in self.lowered.timed.states.clone().into_iter().enumerate() {
            let before = self.lowered.system.state_term(self.location);
            let behind = self.next_location;
            let (before, behind) = (self.is_state(before, state), self.is_state(behind, state));
            let is_there = self.pool().or(before, behind);
            self.goal((format!("in {name}"), Target::State(state)), 1, is_there, place);
        }
    }
    fn purposes(&mut self) {
        for purpose in self.lowered.timed.purposes.clone() {
            self.window(purpose.name.clone(), &purpose.edges, purpose.extent);
        }
    }
    /// A goal of several transitions in a row.
    fn window(&mut self, name: String, edges: &[usize], place: Extent) {
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
        let all = self.pool().conjunction(conditions);
        self.goal((name, Target::Path(edges.to_vec())), edges.len() as u32, all, place);
    }
}
