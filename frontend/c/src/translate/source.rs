//! The way back from a system to its source.

use super::assemble::Wording;
use crate::code::Code;
use crate::detect::Entry;
use crate::exec::object::Origin;
use crate::harness::Replay;
use crate::harness::blueprint::{Blueprint, Fixed};
use crate::ir::Program;
use frontend::coverage::Coverage;
use frontend::diagnostics::Diagnostics;
use frontend::source::Span;
use frontend::{Decision, Location, ReplayPlan, Source, Written};
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
        self.goals[goal].clone()
    }
    fn goal_parts(&self, goal: GoalId) -> &[Written] {
        &self.wording.goals[goal]
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
    fn ir_text(&self) -> String {
        format!("{:#?}", self.program.functions)
    }
}
