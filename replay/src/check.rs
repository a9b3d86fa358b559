//! The third semantics: a chain on the compiled code, compared value by value with the evaluator's
//! run.
//!
//! Behind an operation that C leaves undefined, compiled code may do anything. Where it goes on
//! with other values, the comparison tells nothing ([`NativeCheck::Unavailable`]); where it dies,
//! that is a finding about the code ([`NativeCheck::Dies`]). Without such an operation, both are
//! defects of this program.

use crate::ending::early_end;
use crate::native::{self, CALL_LIMIT, Compared, Disagreement, NativeRun};
use frontend::limit::Limit;
use frontend::process::Allowance;
use frontend::{INTERPRETED, SIMULATED, Signal, SignalKind, Translated};
use model::id::Id;
use model::system::{GoalId, HazardEffect};
use model::trace::{Execution, HazardMet, Trace};
use model::validate::Validated;
use model::value::Value;
use std::fmt;
use std::time::Duration;

/// The result for one chain.
#[derive(Clone, Debug)]
pub enum NativeCheck {
    /// Every recorded state and output agrees.
    Agrees {
        /// How the compiled code was made to fit the target.
        how: String,
    },
    /// The compiled code does something else: a defect of this program, or undefined behaviour that
    /// the chain runs into.
    Disagrees {
        /// What differs first.
        differences: Vec<String>,
    },
    /// It dies, and the chain runs into operations that C leaves undefined at or before that step:
    /// a finding about the code.
    Dies {
        /// How it ended (`signal 8`) and in which step.
        end: String,
        /// The undefined operations up to there, each with step, file and line.
        causes: Vec<String>,
    },
    /// It could not be compiled or started.
    Unavailable {
        /// Why.
        reason: String,
    },
    /// It was not asked for.
    Skipped {
        /// Why.
        reason: String,
    },
}

impl fmt::Display for NativeCheck {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agrees { how } if how == INTERPRETED => {
                write!(formatter, "the interpreter of the language agrees")
            }
            Self::Agrees { how } if how.starts_with(SIMULATED) => {
                write!(formatter, "the simulator agrees ({how})")
            }
            Self::Agrees { how } => write!(formatter, "the compiled code agrees ({how})"),
            Self::Disagrees { differences } => {
                write!(formatter, "the replay disagrees with the computed chain:")?;
                differences.iter().try_for_each(|difference| write!(formatter, "\n  {difference}"))
            }
            Self::Dies { end, causes } => {
                write!(formatter, "the compiled code {end}, after what C leaves undefined:")?;
                causes.iter().try_for_each(|cause| write!(formatter, "\n  {cause}"))?;
                write!(formatter, "\n  {ADVICE}")
            }
            Self::Unavailable { reason } => {
                write!(formatter, "the chain was checked by the evaluator alone: {reason}")
            }
            Self::Skipped { reason } => {
                write!(formatter, "the chain was not run ({reason})")
            }
        }
    }
}

/// Differences and causes shown at most.
const SHOWN: usize = 10;

/// What a user can do about code that dies.
const ADVICE: &str = "exclude such inputs ([[assume]], [input]), give the file that defines what is read there, or search with --ub forbid";

/// How programs end that ask the system for what they may not: SIGSYS, by its number on Linux.
const REFUSED: &str = "signal 31";

/// What that means: nothing that a model says asks the system for anything.
const REFUSAL: &str = "the compiled code was ended since it asked the system for what no replay may do: \
    processes, network, signals, changes of files; it holds code that the model leaves out";

/// Compiles the model, runs the chain on it, and compares.
pub fn check(translated: &Translated, system: &Validated, trace: &Trace, run: &Execution) -> NativeCheck {
    check_within(translated, system, (trace, run), &Limit::default())
}

/// What one step of a replay may take; thousands take microseconds each.
const STEP_TIME: Duration = Duration::from_millis(1);

/// Bytes that an honest replay writes at most for a value of a step, and for other purposes.
const VALUE_OUTPUT: usize = 80;
const LEAST_OUTPUT: usize = 1 << 20;

/// What replaying a run may take: the time and output that its steps need.
fn allowance(translated: &Translated, run: &Execution, limit: &Limit) -> Allowance {
    let steps = run.states.len();
    let values = translated.signals.states.len() + translated.signals.outputs.len() + 1;
    let output = steps.saturating_mul(values).saturating_mul(VALUE_OUTPUT).saturating_add(LEAST_OUTPUT);
    let longest = CALL_LIMIT + STEP_TIME * u32::try_from(steps).unwrap_or(u32::MAX);
    Allowance { output, limit: limit.clone(), ..Allowance::new(longest) }
}

/// Does that within a limit for compiling and running together.
pub fn check_within(
    translated: &Translated,
    system: &Validated,
    (trace, run): (&Trace, &Execution),
    limit: &Limit,
) -> NativeCheck {
    if limit.reason().is_some() {
        return NativeCheck::Unavailable { reason: "no time was left to compile it and run it".to_owned() };
    }
    match translated.source.interpret(trace, run) {
        Some(Ok(())) => return NativeCheck::Agrees { how: INTERPRETED.to_owned() },
        Some(Err(difference)) => return NativeCheck::Disagrees { differences: vec![difference] },
        None => {}
    }
    let plan = match translated.source.replay_plan(trace) {
        Ok(plan) => plan,
        Err(diagnostics) => {
            let reasons: Vec<_> = diagnostics.entries.iter().map(|entry| entry.message.as_str()).collect();
            return NativeCheck::Unavailable { reason: reasons.join("; ") };
        }
    };
    let native = match native::run(&plan, &allowance(translated, run, limit)) {
        Ok(native) => native,
        Err(error) => {
            let told = error.to_string();
            let reason = plan.secrets.iter().fold(told, |told, secret| told.replace(secret, "..."));
            return NativeCheck::Unavailable { reason };
        }
    };
    let end = early_end(translated, system, trace, run);
    if native.crash.as_deref() == Some(REFUSED) {
        return NativeCheck::Unavailable { reason: REFUSAL.to_owned() };
    }
    if native.crash.is_none()
        && let Some(check) = simulated(translated, system, run, &native.observation)
    {
        return check;
    }
    let found = compare(translated, system, (run, end.is_some()), &native.observation);
    if let Some(crash) = &native.crash {
        return crashed(translated, system, run, &native, crash, &found);
    }
    if let Some(reason) = open_value(translated, system, run, &found) {
        return NativeCheck::Unavailable { reason };
    }
    let mut differences: Vec<String> = found.iter().map(ToString::to_string).collect();
    differences.extend(goal_differences(system, run, &plan.goals, &native.observation));
    let last = trace.inputs.len().saturating_sub(1);
    if let Some(end) = end.filter(|_| native.observation.ended_in() != Some(last)) {
        differences.push(format!("step {last} does not end as it should: {end}"));
    }
    differences.truncate(SHOWN);
    if differences.is_empty() {
        let how = native.lacks.map_or_else(|| plan.how.clone(), |lacks| format!("{}, {lacks}", plan.how));
        NativeCheck::Agrees { how }
    } else {
        NativeCheck::Disagrees { differences }
    }
}

/// What is said where a simulator of hardware has unknown bits: what the system chose there is not
/// what it shows. What differs before is a difference all the same.
fn simulated(
    translated: &Translated,
    system: &Validated,
    run: &Execution,
    observation: &native::Observation,
) -> Option<NativeCheck> {
    let (is_state, step, index) = observation.first_unknown()?;
    let is_before = |difference: &Disagreement| {
        let is_first = match difference.kind {
            Compared::State => difference.step <= step,
            Compared::Output => difference.step < step,
        };
        is_first && difference.observed.is_some()
    };
    let found = compare(translated, system, (run, false), observation);
    let before: Vec<String> = found
        .iter()
        .filter(|difference| is_before(difference))
        .take(SHOWN)
        .map(ToString::to_string)
        .collect();
    if !before.is_empty() {
        return Some(NativeCheck::Disagrees { differences: before });
    }
    let signals = &translated.signals;
    let name = match is_state {
        true => signals.states.get(index).map(|(signal, _)| &signal.name),
        false => signals.outputs.get(index).map(|(signal, _)| &signal.name),
    };
    let reason = format!(
        "the simulator has unknown bits (x) in `{}` in step {step}, where the chain has a value of the model's choice; \
         up to there both agree",
        name.map_or("", String::as_str)
    );
    Some(NativeCheck::Unavailable { reason })
}

/// Goals that were seen in other steps than those that the evaluator has.
fn goal_differences(
    system: &Validated,
    run: &Execution,
    goals: &[GoalId],
    observation: &native::Observation,
) -> Vec<String> {
    let mut differences = Vec::new();
    for &goal in goals {
        let (Some(occurrences), Some(description)) = (run.occurrences.get(goal), system.goals.get(goal))
        else {
            continue;
        };
        for step in 0..run.outputs.len() {
            let computed = occurrences.iter().any(|occurrence| occurrence.step == step);
            let observed = observation.saw_goal(step, goal.index());
            if computed != observed {
                let text = |is: bool| if is { "is covered" } else { "is not covered" };
                differences.push(format!(
                    "goal {} at step {step}: computed that it {}, in the simulation it {}",
                    description.name,
                    text(computed),
                    text(observed)
                ));
            }
        }
    }
    differences
}

/// What it means that the program did not end by itself: a finding about the code where something
/// undefined came before.
fn crashed(
    translated: &Translated,
    system: &Validated,
    run: &Execution,
    native: &NativeRun,
    crash: &str,
    differences: &[Disagreement],
) -> NativeCheck {
    let step = native.observation.entered_steps().saturating_sub(1);
    let is_seen = |difference: &&Disagreement| difference.observed.is_some();
    let causes = undefined_until(translated, system, run, step);
    let is_explained = first_open(system, run).is_some_and(|open| {
        open.step <= step
            && differences.iter().filter(is_seen).all(|difference| comes_behind(difference, open.step))
    });
    if is_explained {
        return NativeCheck::Dies { end: format!("ends with {crash} in step {step}"), causes };
    }
    let mut told = vec![format!("it ended with {crash} in step {step}")];
    told.extend(differences.iter().map(ToString::to_string));
    told.truncate(SHOWN);
    NativeCheck::Disagrees { differences: told }
}

/// The undefined operations of the steps up to this one, those of the last step first.
fn undefined_until(translated: &Translated, system: &Validated, run: &Execution, step: usize) -> Vec<String> {
    let description = |met: &HazardMet| system.hazards[met.hazard].description.as_str();
    let met = run.hazards.iter().filter(|met| met.step <= step && is_open(system, met));
    let mut met: Vec<_> = met.collect();
    met.sort_by_key(|met| std::cmp::Reverse(met.step));
    let text = |met: &HazardMet| {
        let place = system.hazards[met.hazard].origin.map_or_else(String::new, |origin| {
            let place = translated.source.locate(origin);
            format!(" at {}:{}", place.file.display(), place.line)
        });
        format!("step {}: {}{place}", met.step, description(met))
    };
    let mut texts: Vec<String> = met.iter().take(SHOWN).map(|met| text(met)).collect();
    if met.len() > SHOWN {
        texts.push(format!("and {} more", met.len() - SHOWN));
    }
    texts
}

/// Whether C does not say what the code does behind an operation.
fn is_open(system: &Validated, met: &HazardMet) -> bool {
    system.hazards[met.hazard].effect == HazardEffect::Open
}

/// The first operation of the run behind which C does not say what the code does.
fn first_open<'r>(system: &Validated, run: &'r Execution) -> Option<&'r HazardMet> {
    run.hazards.iter().filter(|met| is_open(system, met)).min_by_key(|met| met.step)
}

/// Whether what happens in a step can make this difference.
fn comes_behind(difference: &Disagreement, step: usize) -> bool {
    match difference.kind {
        Compared::State => difference.step > step,
        Compared::Output => difference.step >= step,
    }
}

/// Why differences tell nothing: all come behind an operation whose value C leaves open.
fn open_value(
    translated: &Translated,
    system: &Validated,
    run: &Execution,
    differences: &[Disagreement],
) -> Option<String> {
    let first = differences.first()?;
    if let Some(start) = translated.open_start() {
        return Some(format!(
            "initialisation runs into {start}; C leaves open which value that yields, and the compiled code has another: {first}"
        ));
    }
    let open = first_open(system, run)?;
    let step = open.step;
    differences.iter().all(|difference| comes_behind(difference, step)).then(|| {
        format!(
            "step {step} of the chain runs into {}; C leaves open which value that yields, and the compiled code goes on with another: {first}",
            system.hazards[open.hazard].description
        )
    })
}

fn compare(
    translated: &Translated,
    system: &Validated,
    (run, ends): (&Execution, bool),
    observation: &native::Observation,
) -> Vec<Disagreement> {
    let states = &translated.signals.states;
    let outputs = &translated.signals.outputs;
    // Pointers are compared by what they point to.
    let alike = |signal: &Signal, computed: Value, seen: Option<u128>| {
        let is_same = |&seen: &u128| {
            signal.kind == SignalKind::Pointer && translated.source.is_same_address(computed.bits(), seen)
        };
        if seen.as_ref().is_some_and(is_same) { Some(computed.bits()) } else { seen }
    };
    let mut all = Vec::new();
    // A last step that does not return leaves nothing that could be compared.
    let returned = run.outputs.len() - usize::from(ends);
    for (step, state) in run.states.iter().enumerate().take(returned + 1) {
        let computed: Vec<Value> = states.iter().map(|(_, id)| state[id.index()]).collect();
        let signals = states.iter().map(|(signal, _)| signal);
        all.extend(native::compare(Compared::State, step, signals, &computed, |index| {
            alike(&states[index].0, computed[index], observation.state(step, index))
        }));
        if let Some(row) = run.outputs[..returned].get(step) {
            let computed: Vec<Value> = outputs.iter().map(|(_, index)| row[*index]).collect();
            let signals = outputs.iter().map(|(signal, _)| signal);
            all.extend(native::compare(Compared::Output, step, signals, &computed, |index| {
                alike(&outputs[index].0, computed[index], observation.output(step, index))
            }));
        }
    }
    debug_assert!(run.states.iter().all(|state| state.len() == system.states.len()));
    all
}
