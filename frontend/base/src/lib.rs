//! What all front ends share.
//!
//! A front end turns source text into a [`model::system::TransitionSystem`] and keeps what it takes
//! to lead results back to the source: names, places, and a program that replays a chain on the
//! compiled code.

pub mod code;
pub mod coverage;
pub mod diagnostics;
mod front_end;
mod kept;
pub mod limit;
pub mod process;
mod request;
mod requirement;
pub mod source;
mod translated;

pub use front_end::FrontEnd;
pub use kept::Kept;
pub use request::{
    AddedCost, CostRequest, DEFAULT_UNWIND, DataModel, GoalStepText, GoalText, HardwareRequest, InputOption,
    Inversion, Judge, NoJudge, OutputOption, Request, Reset, StepFunction, Target, TextEdit, TextRole,
    WordValues,
};
pub use requirement::{Claim, Observed, ObservedPlace, Reading, Requirement, RequirementKind, Unobservable};
pub use translated::{
    Benches, Decision, End, EndPlace, Failure, Finding, Gives, INTERPRETED, InputSignal, Location,
    OutsideCall, ReplayPlan, SIMULATED, Signal, SignalKind, Signals, Size, Source, StartHazard, Topic,
    Translated, Written, replayed_where,
};
