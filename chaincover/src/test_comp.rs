//! Test inputs in the exchange format of Test-Comp (Beyer, *Competition on software testing*).
//!
//! A file lists values in the order in which the program asks for them. A program asks by calls of
//! `__VERIFIER_nondet_int()` and the like, and not in every step for all inputs: the conditions of
//! the calls say which are made.

use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::stored::{execute, trace};
use crate::written_test::{MOST_STEPS, Misfit, Written, cell_value, choice, of_rows, row};
use frontend::{Gives, OutsideCall, SignalKind};
use model::eval::evaluate;
use model::simulate::Simulator;
use model::sort::Sort;
use model::term::{SymbolId, TermId};
use model::trace::{Start, Trace};
use model::value::Value;
use quick_xml::escape::escape;
use quick_xml::events::Event;
use report::output::chain_file::ChainFile;
use report::output::number;
use serde_json::Value as Json;
use std::collections::HashMap;
use std::fmt::Write;
use std::iter::Peekable;
use std::slice::Iter;

/// An input of a file for Test-Comp.
#[derive(Default)]
struct TestInput {
    variable: Option<String>,
    value: String,
    line: u64,
}

/// Test inputs of Test-Comp (Beyer, *Competition on software testing*, exchange format for test
/// suites). Of a program that calls functions for its inputs the results of these calls, in the
/// order of execution; of other models the inputs of the first step in the order of the model, then
/// those of the second.
pub(crate) fn test_inputs(model: &Model, text: &str) -> Result<Written, Misfit> {
    let inputs = &model.translated.signals.inputs;
    let found = inputs_of_file(text)?;
    let calls = model.translated.source.outside_calls();
    if !calls.is_empty() {
        return called_inputs(model, &calls, &found);
    }
    if inputs.is_empty() && !found.is_empty() {
        return Err(Misfit::at(found[0].line, "the model has no inputs".to_owned()));
    }
    let (mut values, mut lines) = (Vec::new(), Vec::new());
    for step in found.chunks(inputs.len().max(1)) {
        let line = step[0].line;
        for (own, given) in inputs.iter().zip(step) {
            let signal = &own.signal;
            if let Some(name) =
                given.variable.as_ref().filter(|&name| *name != signal.name && *name != signal.lvalue)
            {
                let why = format!("an input `{name}` where the model reads {}", signal.name);
                return Err(Misfit::at(given.line, why));
            }
        }
        if step.len() < inputs.len() {
            let why = format!("the last step has {} of {} inputs", step.len(), inputs.len());
            return Err(Misfit::at(line, why));
        }
        values.push(row(model, |signal| {
            let at = inputs.iter().position(|own| own.input == signal.input);
            let given = at.map(|at| &step[at]);
            let value = given.and_then(|given| cell_value(model, signal, &given.value));
            value.ok_or_else(|| {
                let (line, text) = given.map_or((0, ""), |given| (given.line, &given.value));
                let signal = &signal.signal;
                let why = format!("`{text}` is no value of type {} for {}", signal.type_name, signal.name);
                Misfit::at(line, why)
            })
        })?);
        lines.push(line);
    }
    Ok(Written { trace: of_rows(model, values)?, lines })
}

/// The inputs that a file lists.
fn inputs_of_file(text: &str) -> Result<Vec<TestInput>, Misfit> {
    let mut reader = quick_xml::Reader::from_str(text);
    let line = |at: u64| {
        let end = usize::try_from(at).unwrap_or(usize::MAX).min(text.len());
        text.as_bytes()[..end].iter().filter(|&&byte| byte == b'\n').count() as u64 + 1
    };
    let wrong = |at: u64, why: &dyn std::fmt::Display| Misfit::at(line(at), why.to_string());
    let (mut found, mut open, mut is_whole) = (Vec::new(), None::<TestInput>, false);
    loop {
        let event = reader.read_event().map_err(|error| wrong(reader.error_position(), &error))?;
        let at = reader.buffer_position();
        match event {
            Event::End(tag) if tag.name().as_ref() == b"testcase" => is_whole = true,
            Event::Empty(tag) if tag.name().as_ref() == b"testcase" => is_whole = true,
            Event::Start(tag) if tag.name().as_ref() == b"input" => {
                let mut input = TestInput { line: line(at), ..TestInput::default() };
                for attribute in tag.attributes() {
                    let attribute = attribute.map_err(|error| wrong(at, &error))?;
                    if attribute.key.as_ref() == b"variable" {
                        let raw = String::from_utf8_lossy(&attribute.value);
                        let name = quick_xml::escape::unescape(&raw).map_err(|error| wrong(at, &error))?;
                        input.variable = Some(name.into_owned());
                    }
                }
                open = Some(input);
            }
            Event::Empty(tag) if tag.name().as_ref() == b"input" => {
                return Err(wrong(at, &"an input without a value"));
            }
            Event::Text(text) => {
                if let Some(input) = &mut open {
                    input.value += String::from_utf8_lossy(&text).trim();
                }
            }
            Event::GeneralRef(_) | Event::CData(_) if open.is_some() => {
                return Err(wrong(at, &"the value of an input is plain text"));
            }
            Event::End(tag) if tag.name().as_ref() == b"input" => found.extend(open.take()),
            Event::Eof => break,
            _ => {}
        }
    }
    match is_whole && open.is_none() {
        true => Ok(found),
        false => Err(wrong(reader.buffer_position(), &"no <testcase> of Test-Comp with its end")),
    }
}

/// The name of the first element of a document.
pub(crate) fn root(text: &str) -> Option<String> {
    let mut reader = quick_xml::Reader::from_str(text);
    loop {
        match reader.read_event().ok()? {
            Event::Start(tag) | Event::Empty(tag) => {
                return Some(String::from_utf8_lossy(tag.name().as_ref()).into_owned());
            }
            Event::Eof => return None,
            _ => {}
        }
    }
}

/// Why a program that calls functions for its inputs cannot be fed by a list of values; `None`: it
/// can.
fn not_fed(model: &Model, calls: &[OutsideCall]) -> Option<String> {
    if let Some(other) = calls.iter().find(|call| call.gives == Gives::Other) {
        return Some(format!("what `{}` gives is no input of Test-Comp", other.function));
    }
    if !model.system.external_calls.is_empty() {
        return Some("the program calls functions of mathematics".to_owned());
    }
    let gives = |symbol: SymbolId| {
        calls.iter().any(|call| matches!(&call.gives, Gives::Number(own, ..) if *own == symbol))
    };
    let system = &model.system;
    let all = system.inputs.values().chain(system.initial_inputs.values());
    let other = all.map(|input| input.symbol).find(|&symbol| !gives(symbol))?;
    Some(format!("the input {} is no result of a call", system.terms.symbol(other).name))
}

/// The values that a program has taken from outside so far.
struct Taken<'m> {
    model: &'m Model,
    values: HashMap<SymbolId, Value>,
}

impl<'m> Taken<'m> {
    fn new(model: &'m Model) -> Self {
        Self { model, values: HashMap::new() }
    }

    fn state(&mut self, state: &[Value]) {
        let words = self.model.system.states.values().zip(state);
        self.values.extend(words.map(|(word, &value)| (word.symbol, value)));
    }

    /// Whether a truth holds; inputs that were not asked for are 0.
    fn holds(&self, truth: TermId) -> bool {
        let terms = &self.model.system.terms;
        let value = |symbol| {
            let known = self.values.get(&symbol).copied();
            known.unwrap_or_else(|| Value::zero(terms.symbol(symbol).sort))
        };
        evaluate(terms, truth, value).is_true()
    }

    /// Takes the values that initialisation or a step asks for from a list. False: it has too few.
    fn ask(
        &mut self,
        calls: &[OutsideCall],
        is_initial: bool,
        open: &mut Peekable<Iter<'_, TestInput>>,
    ) -> Result<bool, Misfit> {
        for call in calls.iter().filter(|call| call.is_initial == is_initial) {
            if call.gives == Gives::Nothing || !self.holds(call.is_called) {
                continue;
            }
            let Some(given) = open.next() else { return Ok(false) };
            if let Gives::Number(symbol, kind, type_name) = &call.gives {
                let sort = self.model.system.terms.symbol(*symbol).sort;
                let value = parsed(&given.value, kind, sort).ok_or_else(|| {
                    let (line, value, function) = (given.line, &given.value, &call.function);
                    let why = format!("`{value}` is no value of type {type_name} for {function}");
                    Misfit::at(line, why)
                })?;
                self.values.insert(*symbol, value);
            }
        }
        Ok(true)
    }

    /// The values of a step, or of initialisation, and none of them any longer.
    fn row(&mut self, symbols: impl Iterator<Item = SymbolId>) -> Vec<Value> {
        let terms = &self.model.system.terms;
        let mut value = |symbol: SymbolId| {
            self.values.remove(&symbol).unwrap_or_else(|| Value::zero(terms.symbol(symbol).sort))
        };
        symbols.map(&mut value).collect()
    }
}

/// The execution in which calls give the values of a list, in order, until the list or the program
/// ends. Of a step before whose end the list ends nothing is kept.
fn called_inputs(model: &Model, calls: &[OutsideCall], found: &[TestInput]) -> Result<Written, Misfit> {
    let refuse = |why: String| Misfit::from(Error::new(ErrorKind::Request, why));
    if let Some(why) = not_fed(model, calls).or_else(|| choice(model)) {
        return Err(refuse(why));
    }
    let system = &model.system;
    let mut open = found.iter().peekable();
    let mut taken = Taken::new(model);
    if !taken.ask(calls, true, &mut open)? {
        return Err(refuse("the inputs end in initialisation".to_owned()));
    }
    let initial = taken.row(system.initial_inputs.values().map(|input| input.symbol));
    let mut simulator = Simulator::new(system);
    let mut state = simulator.initial(&initial).state;
    let (mut inputs, mut lines) = (Vec::new(), Vec::new());
    while let Some(line) = open.peek().map(|input| input.line) {
        taken.state(&state);
        if !taken.ask(calls, false, &mut open)? {
            break;
        }
        let ends = model.translated.early_end.iter().any(|place| !taken.holds(place.goes_on));
        let row = taken.row(system.inputs.values().map(|input| input.symbol));
        let step = simulator.step(&state, &row);
        inputs.push(row);
        lines.push(line);
        if ends || step.violated.is_some() {
            break;
        }
        if inputs.len() >= MOST_STEPS {
            return Err(refuse(format!("a test has {MOST_STEPS} steps at most")));
        }
        state = step.next;
    }
    Ok(Written { trace: Trace { start: Start::Initial(initial), inputs }, lines })
}

/// A number as testers write it.
fn parsed(text: &str, kind: &SignalKind, sort: Sort) -> Option<Value> {
    let truth = match text {
        "true" => "1",
        "false" => "0",
        other => other,
    };
    let text = if *kind == SignalKind::Bool { truth } else { text };
    match (text.parse::<i128>(), sort) {
        (Ok(value), Sort::Word(_)) => {
            let found = number::from_json(&Json::String(text.to_owned()), sort)?;
            (number::integer(found, kind) == value).then_some(found)
        }
        (_, Sort::Float(model::sort::FloatFormat::Single)) => text.parse().ok().map(Value::single),
        (_, Sort::Float(model::sort::FloatFormat::Double)) => text.parse().ok().map(Value::double),
        _ => None,
    }
}

/// A file of test inputs for each chain of a result; or why there is none.
pub(crate) fn test_cases(file: &ChainFile, model: Option<&Model>) -> Result<Vec<String>, String> {
    let model = model.ok_or("the model is not at hand as it was")?;
    let calls = model.translated.source.outside_calls();
    if calls.is_empty() {
        return Err("the program calls no `__VERIFIER_nondet` functions for its inputs".to_owned());
    }
    if let Some(why) = not_fed(model, &calls) {
        return Err(why);
    }
    let case = |(index, chain)| {
        let trace = trace(model, chain, index).map_err(|error| error.to_string())?;
        let run = execute(model, &trace, index).map_err(|error| error.to_string())?;
        Ok(test_case(model, &calls, &trace, &run.states))
    };
    file.chains.iter().enumerate().map(case).collect()
}

fn test_case(model: &Model, calls: &[OutsideCall], trace: &Trace, states: &[Vec<Value>]) -> String {
    let system = &model.system;
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
         <!DOCTYPE testcase PUBLIC \"+//IDN sosy-lab.org//DTD test-format testcase 1.1//EN\" \
         \"https://sosy-lab.org/test-format/testcase-1.1.dtd\">\n<testcase>\n",
    );
    let mut list = |taken: &Taken<'_>, is_initial: bool| {
        for call in calls.iter().filter(|call| call.is_initial == is_initial && taken.holds(call.is_called)) {
            let _ = match &call.gives {
                Gives::Number(symbol, kind, type_name) => {
                    let value = number::text(taken.values[symbol], kind);
                    let name = &system.terms.symbol(*symbol).name;
                    let (name, type_name) = (escape(name), escape(type_name));
                    writeln!(text, "  <input variable=\"{name}\" type=\"{type_name}\">{value}</input>")
                }
                Gives::Unused => writeln!(text, "  <input>0</input>"),
                Gives::Nothing | Gives::Other => Ok(()),
            };
        }
    };
    let mut taken = Taken::new(model);
    if let Start::Initial(values) = &trace.start {
        let initial = system.initial_inputs.values().zip(values);
        taken.values.extend(initial.map(|(input, &value)| (input.symbol, value)));
    }
    list(&taken, true);
    for (row, state) in trace.inputs.iter().zip(states) {
        taken.state(state);
        taken.values.extend(system.inputs.values().zip(row).map(|(input, &value)| (input.symbol, value)));
        list(&taken, false);
    }
    text + "</testcase>\n"
}
