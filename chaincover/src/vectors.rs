//! What is written is replayed as it is written.
//!
//! All exports go through here. Inputs that do not matter get what the user wishes to see there,
//! and the rows that a late rig plays behind the end are added; then the evaluator runs the result
//! on the whole model, with all its assumptions. Outputs, occurrences of goals, verdicts and
//! undefined operations must be those of the chain. Where a wish breaks that, the chain keeps its
//! own value for that input and step, and a note says so.

use crate::error::{Error, ErrorKind};
use crate::export_options::ExportOptions;
use crate::model::Model;
use crate::{smoothing, stored};
use engine::options::Limits;
use engine::smooth::respects;
use engine::step::external::complete;
use frontend::InputSignal;
use model::id::Id;
use model::simulate::Simulator;
use model::slice::{Keep, SliceMap, reduce};
use model::trace::{Execution, Trace, TraceError};
use model::value::Value;
use report::build::{covers, steps_listed};
use report::export::recording::DontCare;
use report::output::chain_file::{Chain, ChainFile};
use report::output::number;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// A result as its vectors are written.
pub struct Vectors<'f> {
    /// The result, with inputs as they are written; `dont_care` names those whose cells may stay
    /// empty.
    pub file: Cow<'f, ChainFile>,
    /// What the user should know.
    pub notes: Vec<String>,
}

impl<'f> Vectors<'f> {
    /// The chains of a result as they stand there.
    pub fn own(file: &'f ChainFile) -> Self {
        Self { file: Cow::Borrowed(file), notes: Vec::new() }
    }
}

/// The vectors that options ask for, replayed on the model; `limits` are those that the search was
/// asked to keep.
///
/// # Errors
/// Where a chain does not do what the file says of it.
pub fn vectors<'f>(
    file: &'f ChainFile,
    model: &Model,
    options: &ExportOptions,
    limits: &Limits,
) -> Result<Vectors<'f>, Error> {
    let mut vectors = Vectors::own(file);
    let mut player = Player::new(model, options, limits);
    for (index, chain) in file.chains.iter().enumerate() {
        let (altered, notes) = player.play(chain, index)?;
        vectors.notes.extend(notes);
        if let Some(altered) = altered {
            vectors.file.to_mut().chains[index] = altered;
        }
    }
    Ok(vectors)
}

/// The vectors where the model is not at hand, for the reason given: those of the chain itself.
pub fn own_vectors<'f>(file: &'f ChainFile, options: &ExportOptions, why: &str) -> Vectors<'f> {
    let mut vectors = Vectors::own(file);
    vectors
        .notes
        .push(format!("the chains are written as they stand in the file and were not replayed: {why}"));
    if options.dont_care != DontCare::Hold && file.chains.iter().any(is_wished) {
        vectors.file.to_mut().chains.iter_mut().for_each(clear_marks);
        let what =
            "inputs that do not matter keep the values of the chain, since others could not be replayed";
        vectors.notes.push(what.to_owned());
    }
    vectors
}

/// Whether there are inputs that do not matter.
fn is_wished(chain: &Chain) -> bool {
    chain.steps.iter().any(|step| !step.dont_care.is_empty())
}

fn clear_marks(chain: &mut Chain) {
    chain.steps.iter_mut().for_each(|step| step.dont_care.clear());
}

/// What is to be written where an input does not matter.
#[derive(Clone, Copy)]
enum Wish {
    /// The chain's own value.
    Own,
    /// Another one.
    Value(Value),
    /// What the configuration calls its default is no number or enumerator.
    Unreadable,
}

/// Steps of each input in which its wish was left out.
type Kept = BTreeMap<String, Vec<usize>>;

/// Plays chains of one model.
struct Player<'l> {
    model: &'l Model,
    options: &'l ExportOptions,
    limits: &'l Limits,
    simulator: Simulator,
    /// Once it is needed: where everything that later steps depend on stands.
    relevant: OnceCell<SliceMap>,
}

impl<'l> Player<'l> {
    fn new(model: &'l Model, options: &'l ExportOptions, limits: &'l Limits) -> Self {
        Self { model, options, limits, simulator: Simulator::new(&model.system), relevant: OnceCell::new() }
    }

    /// The chain as it is written, where that is another one than the chain itself; and notes.
    fn play(&mut self, chain: &Chain, index: usize) -> Result<(Option<Chain>, Vec<String>), Error> {
        let trace = stored::trace(self.model, chain, index)?;
        let own = stored::execute(self.model, &trace, index)?;
        self.check_record(chain, &trace, &own, index)?;
        let mut notes = Vec::new();
        let (mut written, mut altered) = (trace, None);
        if self.options.dont_care != DontCare::Hold && is_wished(chain) {
            let (inputs, kept) = self.filled(chain, &written, &own);
            notes.extend(kept.iter().map(|(name, steps)| self.note(index, name, steps)));
            altered = Some(self.with_inputs(chain, &inputs));
            written.inputs = inputs;
        }
        notes.extend(self.behind_the_end(&written, &own).map(|why| format!("chain {}: {why}", index + 1)));
        Ok((altered, notes))
    }

    /// What the file says of a chain must be what the model does.
    fn check_record(&self, chain: &Chain, trace: &Trace, own: &Execution, index: usize) -> Result<(), Error> {
        let differs = stored::recorded_differences(self.model, chain, trace, own).into_iter().next();
        let covered = covers(&self.model.system, own);
        let moved = covered.iter().zip(&chain.steps).position(|(now, step)| *now != step.covers);
        let moved = moved.map(|step| format!("step {step} does not cover what was recorded"));
        match differs.map(|difference| difference.text).or(moved) {
            Some(what) => {
                let message = format!("chain {} does not do what was recorded: {what}", index + 1);
                Err(Error::new(ErrorKind::Deviates, message))
            }
            None => Ok(()),
        }
    }

    /// The inputs with all wishes that change nothing else, and where wishes were left out.
    fn filled(&mut self, chain: &Chain, trace: &Trace, own: &Execution) -> (Vec<Vec<Value>>, Kept) {
        // Results of the C library may depend on any input.
        let is_closed = self.model.system.external_calls.is_empty();
        for only_proven in [false, true].into_iter().filter(|_| is_closed) {
            let filled = self.stepwise(chain, trace, own, only_proven);
            if self.does_the_same(trace, own, &filled.0) {
                return filled;
            }
        }
        let mut kept = Kept::new();
        for (number, step) in chain.steps.iter().enumerate() {
            step.dont_care.iter().for_each(|name| kept.entry(name.clone()).or_default().push(number));
        }
        (trace.inputs.clone(), kept)
    }

    /// The inputs with wishes; with `only_proven` those alone that keep the step as it was, tried
    /// one after the other.
    fn stepwise(
        &mut self,
        chain: &Chain,
        trace: &Trace,
        own: &Execution,
        only_proven: bool,
    ) -> (Vec<Vec<Value>>, Kept) {
        let (mut inputs, mut kept) = (trace.inputs.clone(), Kept::new());
        for (number, step) in chain.steps.iter().enumerate() {
            for name in &step.dont_care {
                let before = number.checked_sub(1).map(|before| inputs[before].clone());
                let Some(input) = self.input(name) else { continue };
                let mut row = inputs[number].clone();
                let is_written = match self.wish(input, before.as_deref()) {
                    Wish::Own => continue,
                    Wish::Unreadable => false,
                    Wish::Value(value) => {
                        row[input.input.index()] = value;
                        row == inputs[number] || !only_proven || self.keeps_the_step(own, number, &row)
                    }
                };
                match is_written {
                    true => inputs[number] = row,
                    false => kept.entry(name.clone()).or_default().push(number),
                }
            }
        }
        (inputs, kept)
    }

    fn input(&self, name: &str) -> Option<&'l InputSignal> {
        self.model.translated.signals.inputs.iter().find(|input| input.signal.name == name)
    }

    /// What is wished for an input, given the row before.
    fn wish(&self, input: &InputSignal, before: Option<&[Value]>) -> Wish {
        let system = &self.model.system;
        let sort = system.terms.symbol(system.inputs[input.input].symbol).sort;
        match self.options.dont_care {
            DontCare::Zero => Wish::Value(Value::zero(sort)),
            DontCare::Default => input.option.default.as_deref().map_or(Wish::Own, |text| {
                smoothing::constant(input, sort, text).map_or(Wish::Unreadable, Wish::Value)
            }),
            DontCare::Hold | DontCare::Mark => {
                before.map_or(Wish::Own, |row| Wish::Value(row[input.input.index()]))
            }
        }
    }

    /// Whether a step of the chain does the same with other inputs: assumptions, outputs, undefined
    /// operations, and what comes behind it.
    fn keeps_the_step(&mut self, own: &Execution, number: usize, row: &[Value]) -> bool {
        let result = self.simulator.step(&own.states[number], row);
        let outputs = result.outputs.iter().zip(&own.outputs[number]);
        let hazards = own.hazards.iter().filter(|met| met.step == number).map(|met| met.hazard);
        result.violated.is_none()
            && outputs.into_iter().all(|(now, before)| now.agrees_with(*before))
            && result.hazards.into_iter().eq(hazards)
            && self.relevant(&result.next) == self.relevant(&own.states[number + 1])
    }

    /// The part of a state that anything depends on.
    fn relevant(&self, state: &[Value]) -> Vec<Value> {
        let keep = Keep { outputs: true, hazards: true, invariants: false, external_calls: true };
        self.relevant.get_or_init(|| reduce(&self.model.system, keep).1).lower_state(state)
    }

    /// Whether other inputs do what the chain does, and keep what limits the chain keeps.
    fn does_the_same(&mut self, trace: &Trace, own: &Execution, inputs: &[Vec<Value>]) -> bool {
        let system = &self.model.system;
        let wished = Trace { start: trace.start.clone(), inputs: inputs.to_vec() };
        let Ok(run) = model::trace::replay_with(&mut self.simulator, system, &wished) else { return false };
        let rows = run.outputs.iter().flatten().zip(own.outputs.iter().flatten());
        let outputs = rows.into_iter().all(|(now, before)| now.agrees_with(*before));
        let keeps_limits =
            !respects(system, self.limits, &trace.inputs) || respects(system, self.limits, inputs);
        outputs
            && run.occurrences == own.occurrences
            && run.hazards == own.hazards
            && run.may_end == own.may_end
            && keeps_limits
    }

    /// The chain with these inputs. Cells may stay empty where that means the value of the row
    /// before, which was replayed.
    fn with_inputs(&self, chain: &Chain, inputs: &[Vec<Value>]) -> Chain {
        let mut chain = chain.clone();
        for (number, step) in chain.steps.iter_mut().enumerate() {
            for input in &self.model.translated.signals.inputs {
                let at = input.input.index();
                let value = number::to_json(inputs[number][at], &input.signal.kind);
                step.inputs.insert(input.signal.name.clone(), value);
                let is_held = number > 0 && inputs[number][at] == inputs[number - 1][at];
                step.dont_care.retain(|name| is_held || *name != input.signal.name);
            }
        }
        chain
    }

    fn note(&self, index: usize, name: &str, steps: &[usize]) -> String {
        let (wish, option) = match self.options.dont_care {
            DontCare::Zero => ("zero", "zero"),
            DontCare::Default => ("its default", "default"),
            DontCare::Hold | DontCare::Mark => ("an empty cell", "mark"),
        };
        let listed = steps_listed(steps);
        format!(
            "chain {}: `{name}` keeps the chain's own value in {listed}: with {wish} (--dont-care {option}) the vectors would not be the chain's any more",
            index + 1
        )
    }

    /// What is to be said of the rows that a late rig plays behind the end.
    fn behind_the_end(&self, written: &Trace, own: &Execution) -> Option<String> {
        let latency = self.options.output_latency;
        let last = written.inputs.last().filter(|_| latency > 0)?;
        let length = written.inputs.len();
        let mut longer = written.clone();
        longer.inputs.extend(std::iter::repeat_n(last.clone(), latency));
        let longer = complete(&self.model.system, longer);
        let rows =
            format!("the {latency} rows behind the end (--output-latency) hold the last inputs, which");
        match model::trace::replay(&self.model.system, &longer) {
            Err(TraceError::Assumption { step, .. }) => {
                Some(format!("{rows} violates an assumption in row {step}"))
            }
            Err(error) => Some(format!("{rows} cannot be run on the model: {error}")),
            Ok(run) => {
                let met = run.hazards.iter().find(|met| met.step >= length && !own.hazards.contains(met))?;
                let what = &self.model.system.hazards[met.hazard].description;
                Some(format!("{rows} runs into {what} in row {}", met.step))
            }
        }
    }
}
