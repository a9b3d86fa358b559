//! The way back from a system to its source.

use super::assemble::Wording;
use crate::code::Code;
use crate::detect::Entry;
use crate::exec::initial_memory::Slot;
use crate::exec::is_nondet;
use crate::exec::layout::{Kind, Scalar};
use crate::exec::object::Origin;
use crate::harness::Replay;
use crate::harness::blueprint::{Blueprint, Call, Fixed};
use crate::ir::Program;
use frontend::coverage::Coverage;
use frontend::diagnostics::Diagnostics;
use frontend::source::Span;
use frontend::{Decision, Gives, Location, OutsideCall, ReplayPlan, SignalKind, Source, Written};
use model::id::IdVec;
use model::system::{GoalId, OriginId, TransitionSystem};
use model::trace::Trace;

/// A translated program, kept for reports and replays.
pub(crate) struct CSource {
    program: Program,
    entry: Entry,
    origins: IdVec<OriginId, Span>,
    blueprint: Blueprint,
    system: TransitionSystem,
    goals: IdVec<GoalId, String>,
    wording: Wording,
}

impl CSource {
    /// Keeps what the way back needs. `goals` are the texts of the goals.
    pub(crate) fn new(
        program: Program,
        entry: Entry,
        origins: IdVec<OriginId, Span>,
        blueprint: Blueprint,
        system: &TransitionSystem,
        wording: Wording,
    ) -> Self {
        let goals = system.goals.values().map(|goal| goal_text(&program, &origins, goal)).collect();
        Self { program, entry, origins, blueprint, system: system.clone(), goals, wording }
    }
}

/// The source line of a goal, else its name.
fn goal_text(program: &Program, origins: &IdVec<OriginId, Span>, goal: &model::system::Goal) -> String {
    let line = goal.origin.and_then(|origin| {
        let span = origins[origin];
        let text = program.sources.files[span.file].text.as_deref()?;
        text.lines().nth(span.line.checked_sub(1)? as usize)
    });
    line.map_or_else(|| goal.name.clone(), |line| line.trim().to_owned())
}

/// Whether a replay on compiled code may not know the address of an object.
fn is_hidden(program: &Program, origin: &Origin) -> bool {
    match origin {
        Origin::Global(global) => program.globals[*global].function.is_some(),
        Origin::Function(function) => {
            let declaration = &program.functions[*function];
            declaration.body.is_none()
                || declaration.is_builtin()
                || program.units[declaration.unit].is_property_file
        }
        Origin::Text(_) | Origin::Local(..) => true,
        _ => false,
    }
}

/// What the values of a scalar are that a function returns.
fn kind_of_number(scalar: Scalar) -> SignalKind {
    match scalar.kind {
        Kind::Float(_) => SignalKind::Float,
        Kind::Pointer => SignalKind::Pointer,
        Kind::Word if scalar.extent == 1 => SignalKind::Bool,
        Kind::Word if scalar.signed => SignalKind::Signed,
        Kind::Word => SignalKind::Unsigned,
    }
}

impl Source for CSource {
    fn locate(&self, origin: OriginId) -> Location {
        let span = self.origins[origin];
        let (file, line) = self.program.sources.written(span);
        Location { file: file.to_owned(), line }
    }
    fn replay_plan(&self, trace: &Trace) -> Result<ReplayPlan, Diagnostics> {
        let replay = Replay {
            program: &self.program,
            entry: &self.entry,
            blueprint: &self.blueprint,
            system: &self.system,
        };
        let plan = match replay.native(trace) {
            Ok(Some(plan)) => Ok(plan),
            Ok(None) => replay.rewritten(trace),
            Err(why) => Err(why),
        };
        plan.map_err(|why| {
            let mut diagnostics = Diagnostics::default();
            diagnostics.error(Code::NoReplay, None, why.to_string());
            diagnostics
        })
    }
    fn is_same_address(&self, computed: u128, observed: u128) -> bool {
        let is_hidden = |object: &Fixed| is_hidden(&self.program, &object.origin);
        computed == observed || self.blueprint.may_be_elsewhere(computed, observed, &is_hidden)
    }
    fn goal_text(&self, goal: GoalId) -> String {
        self.goals.get(goal).cloned().unwrap_or_default()
    }
    fn goal_parts(&self, goal: GoalId) -> &[Written] {
        self.wording.goals.get(goal).map_or(&[], |parts| &parts[..])
    }
    fn assumption_parts(&self) -> &[Written] {
        &self.wording.assumptions
    }
    fn coverage(&self) -> Option<&Coverage> {
        self.wording.coverage.as_ref()
    }
    fn decisions(&self) -> &[Decision] {
        &self.wording.decisions
    }
    fn outside_calls(&self) -> Vec<OutsideCall> {
        let call = |call: &Call| {
            let function = &self.program.functions[call.function];
            let is_any = function.name.contains("nondet") && is_nondet(function);
            let type_name = || self.program.types.name(function.result);
            let gives = match &call.parts[..] {
                [(Slot::Result, 0, scalar, symbol)] if is_any => {
                    Gives::Number(*symbol, kind_of_number(*scalar), type_name())
                }
                [] if is_any && type_name() != "void" => Gives::Unused,
                [] if type_name() == "void" => Gives::Nothing,
                _ => Gives::Other,
            };
            let (is_initial, is_called) = (call.is_initial, call.path);
            OutsideCall { function: function.name.clone(), is_initial, is_called, gives }
        };
        self.blueprint.calls.iter().map(call).collect()
    }
    fn ir_text(&self) -> String {
        format!("{:#?}", self.program.functions)
    }
}
