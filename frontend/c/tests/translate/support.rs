//! Translating texts, executing what comes out, and running the same on the compiled code.

#![allow(dead_code)] // each test program uses its own part

use frontend::{Failure, ReplayPlan, Request, Translated};
use frontend_c::translate;
use model::id::Id;
use model::simulate::{Simulator, WindowEvaluator};
use model::trace::{Execution, Start, Trace};
use model::validate::{Validated, validate};
use model::value::Value;
use std::path::Path;
use std::process::Command;

/// A small generator of numbers: splitmix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// The next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }
    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
    /// Whether something of this chance out of 100 happens.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
    /// A value that is mostly near a border.
    pub(crate) fn value(&mut self, sort: model::sort::Sort) -> Value {
        let bits = u128::from(self.next());
        let mask = sort.mask();
        let chosen = match self.below(8) {
            0 => 0,
            1 => mask,
            2 => mask >> 1,
            3 => (mask >> 1) + 1,
            4 | 5 => bits % 8,
            _ => bits,
        };
        let chosen = match sort {
            model::sort::Sort::Float(format) if self.chance(60) => {
                let number = (self.below(400) as f64 - 200.0) / 8.0;
                match format {
                    model::sort::FloatFormat::Single => u128::from((number as f32).to_bits()),
                    model::sort::FloatFormat::Double => u128::from(number.to_bits()),
                }
            }
            _ => chosen,
        };
        Value::new(sort, chosen)
    }
}

/// Translates one text; `adjust` completes the request.
pub(crate) fn translate_with(text: &str, adjust: impl FnOnce(&mut Request)) -> Result<Translated, Failure> {
    let folder = tempfile::tempdir().expect("there should be a place for temporary files");
    let path = folder.path().join("model.c");
    std::fs::write(&path, text).expect("a temporary file should be writable");
    let mut request = Request { sources: vec![path], ..Request::default() };
    adjust(&mut request);
    translate(&request)
}

/// Translates one text.
pub(crate) fn translate_text(text: &str) -> Translated {
    match translate_with(text, |_| {}) {
        Ok(translated) => translated,
        Err(failure) => panic!("{}", messages(&failure)),
    }
}

/// The messages of a failure, one a line.
pub(crate) fn messages(failure: &Failure) -> String {
    let texts = failure.diagnostics.entries.iter().map(|entry| {
        let line = entry.span.map_or(String::new(), |span| {
            format!("{}:{}: ", failure.sources.files[span.file].path.display(), span.line)
        });
        format!("{line}{:?} {}: {}", entry.severity, entry.code, entry.message)
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// The codes of the errors that translating a text gives.
pub(crate) fn error_codes(text: &str, adjust: impl FnOnce(&mut Request)) -> Vec<&'static str> {
    match translate_with(text, adjust) {
        Ok(_) => Vec::new(),
        Err(failure) => {
            let errors = failure.diagnostics.entries.iter();
            errors
                .filter(|entry| entry.severity == frontend::diagnostics::Severity::Error)
                .map(|entry| entry.code.text)
                .collect()
        }
    }
}

/// The system, checked.
pub(crate) fn checked(translated: &Translated) -> Validated {
    validate(translated.system.clone()).unwrap_or_else(|malformed| panic!("{malformed:?}"))
}

/// A random execution of at most `steps` steps; where `is_clean`, without hazards but signed overflow, which wraps.
pub(crate) fn random_trace(system: &Validated, random: &mut Random, steps: usize, is_clean: bool) -> Trace {
    let is_harmful = |&hazard: &usize| system.hazards[hazard].description != "signed overflow";
    let mut simulator = Simulator::new(system);
    let sorts = |symbol| system.terms.symbol(symbol).sort;
    let mut initial = Vec::new();
    for _ in 0..200 {
        initial = system.initial_inputs.values().map(|input| random.value(sorts(input.symbol))).collect();
        if simulator.initial(&initial).violated.is_none() {
            break;
        }
    }
    let mut state = simulator.initial(&initial).state;
    let mut inputs = Vec::new();
    for _ in 0..steps {
        let mut found = None;
        for _ in 0..200 {
            let row: Vec<Value> =
                system.inputs.values().map(|input| random.value(sorts(input.symbol))).collect();
            let result = simulator.step(&state, &row);
            if result.violated.is_none() && !(is_clean && result.hazards.iter().any(is_harmful)) {
                found = Some((row, result.next));
                break;
            }
        }
        let Some((row, next)) = found else { break };
        inputs.push(row);
        state = next;
    }
    Trace { start: Start::Initial(initial), inputs }
}

/// Runs a plan; the lines that its last command prints.
pub(crate) fn run_plan(plan: &ReplayPlan) -> Result<String, String> {
    let folder = tempfile::tempdir().expect("there should be a place for temporary files");
    for (name, text) in &plan.files {
        std::fs::write(folder.path().join(name), text).expect("a temporary file should be writable");
    }
    let mut printed = String::new();
    for command in &plan.commands {
        printed = run_command(command, folder.path())?;
    }
    Ok(printed)
}

fn run_command(command: &[String], folder: &Path) -> Result<String, String> {
    let output = Command::new(&command[0]).args(&command[1..]).current_dir(folder).output();
    let output = output.map_err(|error| format!("{}: {error}", command[0]))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        Ok(text)
    } else {
        Err(format!(
            "{} ended with {}:\n{}",
            command.join(" "),
            output.status,
            String::from_utf8_lossy(&output.stderr)
        ))
    }
}

/// What the protocol prints for a trace, as the evaluator has it.
pub(crate) fn expected_lines(translated: &Translated, system: &Validated, trace: &Trace) -> String {
    let run = model::trace::replay(system, trace).expect("the trace should be an execution");
    let ends = ends_early(translated, system, trace, &run);
    let mut text = String::new();
    for (step, state) in run.states.iter().enumerate() {
        if ends && step == run.outputs.len() {
            break;
        }
        for (index, (_, id)) in translated.signals.states.iter().enumerate() {
            text.push_str(&format!("S {step} {index} {:x}\n", normal(state[id.index()])));
        }
        if let Some(row) = run.outputs.get(step) {
            text.push_str(&format!("B {step}\n"));
            if ends && step + 1 == run.outputs.len() {
                text.push_str(&format!("E {step}\n"));
                break;
            }
            for (index, (_, output)) in translated.signals.outputs.iter().enumerate() {
                text.push_str(&format!("O {step} {index} {:x}\n", normal(row[*output])));
            }
        }
    }
    text
}

/// Whether the last step ends the program before it returns.
fn ends_early(translated: &Translated, system: &Validated, trace: &Trace, run: &Execution) -> bool {
    let places = &translated.early_end;
    let Some(last) = trace.inputs.len().checked_sub(1) else { return false };
    let mut evaluator = WindowEvaluator::new(system, places.iter().map(|place| place.goes_on));
    evaluator.run(&run.states[last..=last], &trace.inputs[last..=last]);
    (0..places.len()).any(|place| !evaluator.holds(place))
}

/// The bits of a value, all NaNs alike.
fn normal(value: Value) -> u128 {
    match value.sort() {
        model::sort::Sort::Float(format) if value.is_nan() => format.canonical_nan(),
        _ => value.bits(),
    }
}

/// The lines of a replay with all NaNs alike, and with pointers as they are expected where they
/// point to that.
pub(crate) fn normal_lines(translated: &Translated, text: &str, expected: &str) -> String {
    let signals = &translated.signals;
    let mut lines = String::new();
    let mut expected = expected.lines();
    for line in text.lines() {
        let wanted: Vec<&str> = expected.next().unwrap_or_default().split(' ').collect();
        let words: Vec<&str> = line.split(' ').collect();
        let signal = match words.as_slice() {
            ["S", _, index, _] => Some(&signals.states[index.parse::<usize>().unwrap()].0),
            ["O", _, index, _] => Some(&signals.outputs[index.parse::<usize>().unwrap()].0),
            _ => None,
        };
        match signal {
            Some(signal) if signal.kind == frontend::SignalKind::Float => {
                let bits = u128::from_str_radix(words[3], 16).unwrap();
                let format = if signal.bits == 32 {
                    model::sort::FloatFormat::Single
                } else {
                    model::sort::FloatFormat::Double
                };
                let value = Value::new(model::sort::Sort::Float(format), bits);
                lines.push_str(&format!("{} {} {} {:x}\n", words[0], words[1], words[2], normal(value)));
            }
            Some(signal) if signal.kind == frontend::SignalKind::Pointer && words[..3] == wanted[..3] => {
                let [seen, computed] =
                    [words[3], wanted[3]].map(|bits| u128::from_str_radix(bits, 16).unwrap());
                let is_same = translated.source.is_same_address(computed, seen);
                lines.push_str(&if is_same { wanted.join(" ") } else { line.to_owned() });
                lines.push('\n');
            }
            _ => {
                lines.push_str(line);
                lines.push('\n');
            }
        }
    }
    lines
}

/// Replays a random execution on the compiled code and compares every line.
pub(crate) fn replays(translated: &Translated, seed: u64, steps: usize) -> Result<usize, String> {
    let system = checked(translated);
    let trace = random_trace(&system, &mut Random(seed), steps, false);
    let plan = translated.source.replay_plan(&trace).map_err(|why| format!("{why:?}"))?;
    let expected = expected_lines(translated, &system, &trace);
    let printed = normal_lines(translated, &run_plan(&plan)?, &expected);
    if printed == expected {
        return Ok(trace.inputs.len());
    }
    Err(differing_lines(&printed, &expected).expect("different texts should differ"))
}

/// Where two replays differ.
pub(crate) fn differing_lines(printed: &str, expected: &str) -> Option<String> {
    let differing = printed.lines().zip(expected.lines()).find(|(left, right)| left != right);
    (printed != expected).then(|| {
        format!(
            "compiled and computed: {differing:?} (of {} and {} lines)",
            printed.lines().count(),
            expected.lines().count()
        )
    })
}

/// A model and what is to be found in it.
pub(crate) struct Shape<'s> {
    /// The C text.
    pub(crate) text: &'s str,
    /// The step function.
    pub(crate) step: &'s str,
    /// The initialisation; empty: none.
    pub(crate) init: &'s str,
    /// The inputs, sorted.
    pub(crate) inputs: &'s [&'s str],
    /// The outputs, sorted.
    pub(crate) outputs: &'s [&'s str],
    /// The state that is shown, sorted.
    pub(crate) state: &'s [&'s str],
    /// Some of the findings: topic, subject, reason.
    pub(crate) findings: &'s [&'s str],
}

/// Checks what is found in a model, and that the request with everything filled in means the same system.
#[track_caller]
pub(crate) fn check_shape(shape: Shape<'_>) {
    let folder = tempfile::tempdir().expect("there should be a place for temporary files");
    let path = folder.path().join("model.c");
    std::fs::write(&path, shape.text).expect("a temporary file should be writable");
    let found =
        |request: &Request| translate(request).unwrap_or_else(|failure| panic!("{}", messages(&failure)));
    let first = found(&Request { sources: vec![path], ..Request::default() });
    let steps: Vec<&str> = first.resolved.step.iter().map(|step| step.function.as_str()).collect();
    assert_eq!(steps, [shape.step]);
    assert_eq!(first.resolved.init.as_deref().unwrap_or(""), shape.init);
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    let signals = &first.signals;
    let inputs = sorted(signals.inputs.iter().map(|input| input.signal.lvalue.clone()).collect());
    let outputs = sorted(signals.outputs.iter().map(|(output, _)| output.lvalue.clone()).collect());
    let states = sorted(signals.states.iter().map(|(state, _)| state.lvalue.clone()).collect());
    assert_eq!((inputs, outputs, states), (owned(shape.inputs), owned(shape.outputs), owned(shape.state)));
    let findings = first.findings.iter();
    let findings: Vec<String> =
        findings.map(|found| format!("{} {}: {}", found.topic.name(), found.subject, found.reason)).collect();
    for expected in shape.findings {
        assert!(
            findings.iter().any(|line| line == expected),
            "{expected} is not in\n{}",
            findings.join("\n")
        );
    }
    let second = found(&first.resolved);
    // Inputs that were found stand in the order of their first use, those of a request in that of declaration.
    let lines = |translated: &Translated| {
        sorted(model::text::print(&translated.system).lines().map(str::to_owned).collect())
    };
    assert_eq!(lines(&first), lines(&second));
    for seed in 0..3 {
        replays(&first, seed, 10).unwrap_or_else(|why| panic!("{why}"));
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}
