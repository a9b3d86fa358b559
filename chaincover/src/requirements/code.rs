//! A model in C as the system that a test of requirements runs against.
//!
//! The evaluator executes its steps, so nothing is compiled, and what C leaves undefined is told
//! instead of done. Variables of the interface are signals of the model.

use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::old_tests::broken_assumption;
use crate::oracle::named_signal;
use crate::smoothing::{constant, default_value};
use ::replay::ending::early_end;
use contracts::Interface;
use contracts::syntax::Role;
use contracts::values::from_json;
use engine::step::external;
use frontend::{InputSignal, Signal};
use harness::{Broken, Fields, Synchronous};
use model::id::Id;
use model::system::StateId;
use model::trace::{Start, Trace, TraceError, replay};
use model::value::Value;
use report::output::number;
use serde_json::Value as Json;
use spec::scope::VariableId;
use spec::value::Value as SpecValue;

/// Where the value of an output is found behind a step.
#[derive(Clone, Copy, Debug)]
enum Shown {
    Output(usize),
    State(StateId),
}

/// See the module text.
pub(super) struct CodeSystem<'a> {
    interface: &'a Interface,
    model: &'a Model,
    /// The input that each input of the interface is.
    inputs: Vec<(VariableId, &'a InputSignal)>,
    /// Where each output of the interface is shown.
    outputs: Vec<(VariableId, Shown, &'a Signal)>,
    /// The inputs of a step of which the test gives none: defaults.
    defaults: Vec<Value>,
    /// The state before the next step.
    start: Start,
}

impl<'a> CodeSystem<'a> {
    /// `names` say which signals variables are; those left out are the signals of their names.
    ///
    /// # Errors
    /// [`ErrorKind::Request`]: the model is none in C, or a variable is no signal of it.
    pub(super) fn new(
        interface: &'a Interface,
        model: &'a Model,
        names: &[(String, String)],
    ) -> Result<Self, Error> {
        let refuse = |why: String| Error::new(ErrorKind::Request, why);
        if !crate::front_ends::is_code(&model.configuration.request) {
            return Err(refuse("--sut takes models in C; this model is none".to_owned()));
        }
        let signals = &model.translated.signals;
        let given: Vec<&Signal> = signals.inputs.iter().map(|input| &input.signal).collect();
        let outputs = signals.outputs.iter().map(|(signal, index)| (signal, Shown::Output(*index)));
        let states = signals.states.iter().map(|(signal, state)| (signal, Shown::State(*state)));
        let shown: Vec<(&Signal, Shown)> = outputs.chain(states).collect();
        let seen: Vec<&Signal> = shown.iter().map(|(signal, _)| *signal).collect();
        let variable = |id| interface.scope.variable(id).name.clone();
        let all: Vec<String> = interface.observable().map(variable).collect();
        if let Some((unknown, _)) = names.iter().find(|(name, _)| !all.contains(name)) {
            let list = all.join(", ");
            return Err(refuse(format!("the interface has no input or output {unknown}; there are {list}")));
        }
        let of = |name: &str, among: &[&Signal], role: Role| {
            let told = names.iter().find(|(known, _)| known == name).map(|(_, signal)| signal.as_str());
            named_signal(among, (name, told.unwrap_or(name)), role, "SIGNAL").map_err(refuse)
        };
        let system = &model.system;
        let sort = |input: &model::system::Input| system.terms.symbol(input.symbol).sort;
        let mut defaults: Vec<Value> = system.inputs.values().map(|input| Value::zero(sort(input))).collect();
        for input in &signals.inputs {
            let slot = &mut defaults[input.input.index()];
            *slot = default_value(input, slot.sort()).unwrap_or(*slot);
        }
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        for id in interface.variables(Role::Input) {
            inputs.push((id, &signals.inputs[of(&variable(id), &given, Role::Input)?]));
        }
        for id in interface.variables(Role::Output) {
            let (signal, place) = shown[of(&variable(id), &seen, Role::Output)?];
            outputs.push((id, place, signal));
        }
        Ok(Self { interface, model, inputs, outputs, defaults, start: beginning(model) })
    }

    /// The inputs of a step.
    fn row(&self, given: &Fields) -> Result<Vec<Value>, Broken> {
        let mut row = self.defaults.clone();
        for (id, input) in &self.inputs {
            let variable = self.interface.scope.variable(*id);
            let Some(json) = given.get(&variable.name) else { continue };
            let slot = &mut row[input.input.index()];
            let text = match from_json(&variable.ty, json) {
                Some(SpecValue::Bool(truth)) => u8::from(truth).to_string(),
                // As in monitors in C: by the position in the interface.
                Some(SpecValue::Enumerator(position)) => position.to_string(),
                Some(value) => variable.ty.show(&value),
                None => json.to_string(),
            };
            *slot = constant(input, slot.sort(), &text).ok_or_else(|| {
                let Signal { lvalue, type_name, .. } = &input.signal;
                Broken::Refuses(format!("{} = {text} is no value of {lvalue} ({type_name})", variable.name))
            })?;
        }
        Ok(row)
    }
}

/// The state in which the first step begins: what a program may begin with in any way is 0.
fn beginning(model: &Model) -> Start {
    let inputs = model.system.initial_inputs.values();
    Start::Initial(inputs.map(|input| Value::zero(model.system.terms.symbol(input.symbol).sort)).collect())
}

impl Synchronous for CodeSystem<'_> {
    fn reset(&mut self) -> Result<(), Broken> {
        self.start = beginning(self.model);
        Ok(())
    }
    fn step(&mut self, _number: u64, given: &Fields) -> Result<Fields, Broken> {
        let Model { system, translated, .. } = self.model;
        let refuse = Broken::Refuses;
        let trace = Trace { start: self.start.clone(), inputs: vec![self.row(given)?] };
        let trace = external::complete(system, trace);
        let run = replay(system, &trace).map_err(|error| match error {
            TraceError::Assumption { assumption, .. } => {
                refuse(broken_assumption(self.model, &trace.inputs[0], assumption))
            }
            error => refuse(error.to_string()),
        })?;
        if let Some(met) = run.hazards.first() {
            let hazard = &system.hazards[met.hazard];
            let place = hazard.origin.map(|origin| translated.source.locate(origin));
            let place = place
                .map_or_else(String::new, |place| format!(" at {}:{}", place.file.display(), place.line));
            return Err(refuse(format!("{}{place}: C leaves it undefined", hazard.description)));
        }
        if let Some(end) = early_end(translated, system, &trace, &run) {
            return Err(refuse(format!("{end}: the step does not return")));
        }
        let fields = self.outputs.iter().map(|(id, place, signal)| {
            let value = match place {
                Shown::Output(index) => run.outputs[0][*index],
                Shown::State(state) => run.states[1][state.index()],
            };
            let name = self.interface.scope.variable(*id).name.clone();
            (name, Json::String(number::text(value, &signal.kind)))
        });
        let fields = fields.collect();
        self.start = Start::State(run.states[1].clone());
        Ok(fields)
    }
}
