//! Evaluating property functions: calls of the step function stand for transitions.
//!
//! In a property function a call of the step function is not executed. It closes one transition of
//! the goal's window: from then on the memory of the model is that of the next frame. What the
//! function keeps in its own variables stays.

use super::initial_memory::{Phase, Role};
use super::object::Origin;
use super::place::Content;
use super::state::State;
use super::{Frame, Machine, Outcome};
use crate::code::Code;
use crate::ir::expr::{Expr, ExprKind};
use crate::ir::stmt::{Place, PlaceBase};
use crate::ir::types::Type;
use crate::ir::{FunctionId, LocalId};
use frontend::source::Span;
use model::term::{SymbolId, TermId};

/// A property function during its evaluation.
#[derive(Clone)]
pub(crate) struct PropertyRun {
    /// Its name.
    pub(crate) name: String,
    /// The function; `None` for conditions that call no step.
    pub(crate) function: Option<FunctionId>,
    /// Values that nobody chose yet (results of `nondet` functions).
    pub(crate) unknowns: Vec<SymbolId>,
    /// Steps called so far.
    pub(crate) calls: u32,
    /// Steps that will be called; `None` while they are being counted.
    pub(crate) total: Option<u32>,
    /// Terms that have to be equal: arguments and inputs.
    pub(crate) equations: Vec<(TermId, TermId)>,
    /// Under which conditions the steps are called.
    pub(crate) conditions: Vec<TermId>,
    /// Parameters of the property that stand for inputs of the step: the local, and function and
    /// index of the step's parameter.
    pub(crate) inputs: Vec<(LocalId, FunctionId, usize)>,
}

impl Machine<'_> {
    /// A call of the step function in a property; `result` gets what the step returns.
    pub(super) fn property_step(
        &mut self,
        frame: &Frame,
        mut state: State,
        result: Option<&Place>,
        function: FunctionId,
        (arguments, contents): (&[Expr], &[Content]),
        span: Span,
    ) -> Outcome<State> {
        let Some(run) = self.property.clone() else {
            panic!("only properties should call the step function as a transition");
        };
        if self.steps.len() > 1 {
            return Err(self.fail_with(
                Code::UnsupportedProperty,
                span,
                "a property function calls one of several step functions".to_owned(),
                "where a step consists of several functions, write goals in TOML",
            ));
        }
        self.set_inputs(&mut state, span)?;
        for (index, (argument, content)) in arguments.iter().zip(contents).enumerate() {
            self.bind_argument(frame, function, index, argument, content)?;
        }
        let condition = self.paths.conjunction(state.path);
        let calls = run.calls + 1;
        let is_last = run.total.is_some_and(|total| calls >= total);
        let property = self.property.as_mut().expect("the property should still be running");
        property.conditions.push(condition);
        property.calls = calls;
        self.initial_memory.phase = Phase::Behind { frame: calls - 1 };
        if let Some(place) = result {
            let object = self.objects.find(&Origin::Returned(function));
            let returned =
                self.whole(object.expect("a step that returns a value should have an object for it"));
            let ty = self.program.functions[function].result;
            let content = self.load_targets(&state, &[returned], ty, None, span)?;
            self.store(frame, &mut state, place, &content)?;
        }
        if !is_last {
            self.initial_memory.phase = Phase::Step { frame: calls };
        }
        if !is_last && frame.function == run.function {
            self.show_inputs(frame, &mut state, span)?;
        }
        Ok(state)
    }

    /// Takes what the property wrote into the model's memory as conditions on the inputs.
    fn set_inputs(&mut self, state: &mut State, span: Span) -> Outcome<()> {
        for (cell, value) in state.memory.values.entries() {
            let (object, _) = self.objects.owner(cell);
            if !self.objects.get(object).is_persistent {
                continue;
            }
            if self.initial_memory.role(cell) != Role::Input {
                let name = self.cell_name(cell);
                return Err(self.fail_with(
                    Code::PropertyWritesState,
                    span,
                    format!("the property changes `{name}` before the step"),
                    "a property may set inputs and its own variables only; use __CPROVER_assume to say where it starts",
                ));
            }
            let symbol = self.world_value(cell);
            if let (Some(symbol), Some(property)) = (symbol, &mut self.property) {
                property.equations.push((symbol, value));
            }
            state.memory.clear(cell);
        }
        Ok(())
    }

    fn bind_argument(
        &mut self,
        frame: &Frame,
        function: FunctionId,
        index: usize,
        argument: &Expr,
        content: &Content,
    ) -> Outcome<()> {
        let stands_for_input = self.property.as_ref().is_some_and(|run| {
            let local = plain_local(argument);
            let is_plain = |&(own, step, position): &(LocalId, FunctionId, usize)| {
                Some(own) == local && step == function && position == index
            };
            frame.function == run.function && run.inputs.iter().any(is_plain)
        });
        if stands_for_input {
            return Ok(());
        }
        let object = self.parameter(function, index, argument.span)?;
        let expected: Vec<TermId> = self.cells_of(object).filter_map(|cell| self.world_value(cell)).collect();
        let given = match content {
            Content::Scalar(term) => vec![*term],
            Content::Aggregate(parts) => parts.iter().map(|part| part.value).collect(),
        };
        let is_pointer = matches!(self.layouts.type_of(argument.ty), Type::Pointer(_));
        for (expected, given) in expected.into_iter().zip(given) {
            if expected == given {
                continue;
            }
            if is_pointer {
                let name = self.program.functions[function].name.clone();
                return Err(self.fail_with(
                    Code::PropertyArgument,
                    argument.span,
                    format!("the property gives `{name}` another object than the model does"),
                    "a property takes the parameters of the step function and passes them on",
                ));
            }
            if let Some(property) = &mut self.property {
                property.equations.push((expected, given));
            }
        }
        Ok(())
    }

    /// Lets the property's parameters show the inputs of the step that comes next.
    pub(crate) fn show_inputs(&mut self, frame: &Frame, state: &mut State, span: Span) -> Outcome<()> {
        let inputs = self.property.as_ref().map_or_else(Vec::new, |run| run.inputs.clone());
        for (local, function, index) in inputs {
            let object = self.parameter(function, index, span)?;
            let ty = self.objects.get(object).ty;
            let source = self.whole(object);
            let content = self.load_targets(state, &[source], ty, None, span)?;
            let target = self.whole(frame.locals[local]);
            self.store_targets(state, &[target], ty, None, &content, span)?;
        }
        Ok(())
    }
}

/// The variable that an expression reads, if it does nothing else.
pub(crate) fn plain_local(expr: &Expr) -> Option<LocalId> {
    match &expr.kind {
        ExprKind::Convert(inner) => plain_local(inner),
        ExprKind::Load(place) if place.path.is_empty() => match place.base {
            PlaceBase::Local(local) => Some(local),
            _ => None,
        },
        _ => None,
    }
}
