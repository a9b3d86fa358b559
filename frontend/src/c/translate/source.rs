//! The way back from a system to its source.

use crate::c::detect::Entry;
use crate::c::ir::Program;
use crate::c::request::{Location, ReplayPlan, Request, Signals, Source};
use crate::diagnostics::Diagnostics;
use crate::source::Span;
use model::id::IdVec;
use model::system::{GoalId, OriginId, TransitionSystem};
use model::trace::Trace;

/// A translated program, kept for reports and replays.
pub(crate) struct CSource {
    program: Program,
    #[expect(dead_code)]
    request: Request,
    #[expect(dead_code)]
    entry: Entry,
    origins: IdVec<OriginId, Span>,
    goals: IdVec<GoalId, String>,
}

impl CSource {
    pub(crate) fn new(
        program: Program,
        request: Request,
        entry: Entry,
        origins: IdVec<OriginId, Span>,
        system: &TransitionSystem,
        _signals: &Signals,
    ) -> Self {
        let goals = system.goals.values().map(|goal| goal.name.clone()).collect();
        Self { program, request, entry, origins, goals }
    }
}

impl Source for CSource {
    fn locate(&self, origin: OriginId) -> Location {
        let span = self.origins[origin];
        Location { file: self.program.sources.files[span.file].path.clone(), line: span.line }
    }
    fn replay_plan(&self, _trace: &Trace) -> Result<ReplayPlan, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        diagnostics.error("no-replay", None, "this model cannot be replayed natively");
        Err(diagnostics)
    }
    fn goal_text(&self, goal: GoalId) -> String {
        self.goals[goal].clone()
    }
    fn ir_text(&self) -> String {
        String::new()
    }
}
