//! `chaincover init`: a commented `chaincover.toml` to start from.

use super::args::InitArguments;
use super::exit::Exit;
use super::failure::Failure;
use super::{load, print};
use chaincover::{FILE_NAME, Limit, Model, Signal, SignalKind, complete, write};
use std::fmt::Write;
use std::path::PathBuf;

/// Writes the file, or to standard output for `-`; it never replaces one.
pub(crate) fn run(arguments: &InitArguments) -> Result<Exit, Failure> {
    let path = arguments.output.clone().unwrap_or_else(|| FILE_NAME.into());
    let is_printed = path.as_os_str() == "-";
    if !is_printed && path.exists() && !arguments.force {
        let why = format!("{} exists; --force replaces it", path.display());
        return Err(Failure::new(Exit::Usage, why));
    }
    let sources: Vec<String> = arguments.sources.iter().map(|path| path.display().to_string()).collect();
    let mut names = Names::default();
    let (text, next) = match load::load(&arguments.model(), Limit::default(), arguments.verbosity) {
        Ok(loaded) => {
            names = Names::of(&loaded);
            (
                found(&loaded)?,
                if loaded.system.goals.is_empty() { "uncomment a [[goal]], then" } else { "next" },
            )
        }
        // Mostly there are no goals yet: what the front end says stands above, the rest is for the
        // user to fill in. A file that is not there is a slip, and nothing is written about it.
        Err(failure) if failure.exit == Exit::Usage && is_there(&arguments.sources) => {
            super::report(&failure);
            (start(&sources, &failure.message), "fill in what could not be found, then")
        }
        Err(failure) => return Err(failure),
    };
    let text = text + &rest(&names);
    if is_printed {
        return print(&text);
    }
    write::atomically(&path, text.as_bytes())?;
    print(&format!("{} written; {next}: chaincover check {}\n", path.display(), path.display()))
}

/// Whether there are sources, and none is missing.
fn is_there(sources: &[PathBuf]) -> bool {
    !sources.is_empty() && sources.iter().all(|source| source.exists())
}

/// What the front end found, section by section.
fn found(loaded: &Model) -> Result<String, Failure> {
    let file = complete(&loaded.configuration, &loaded.translated.resolved);
    let text = file.to_toml().map_err(|why| Failure::new(Exit::Internal, why))?;
    let mut commented =
        String::from("# What chaincover found; `chaincover check` lists it with the reasons.\n");
    commented.push_str(&text);
    if loaded.configuration.period.is_none() {
        commented = commented.replacen(
            "[model]\n",
            "[model]\n# period = \"10ms\"           # time between two steps\n",
            1,
        );
    }
    Ok(commented)
}

/// The least that is needed; what could not be found stands above it.
fn start(sources: &[String], missing: &str) -> String {
    let mut text = String::new();
    for line in missing.lines().filter(|line| !line.trim().is_empty()) {
        let _ = writeln!(text, "# {}", line.replace(|letter: char| letter.is_control(), ""));
    }
    text.push_str("[model]\n");
    let list: Vec<String> = sources.iter().map(|source| format!("{source:?}")).collect();
    let _ = writeln!(text, "sources = [{}]", list.join(", "));
    text.push_str(
        "# init = \"initialize\"      # absent: found; \"\": none\n# step = \"step\"            # absent: found\n\
         # period = \"10ms\"          # time between two steps\n# target = \"ilp32\"         # ip16, ilp32, lp64\n\
         # goals = [\"props.c\"]      # C files with property functions\n# include = [\"include\"]\n\
         # inputs = [\"rtU\"]         # lvalues set by the environment; absent: found\n# outputs = [\"rtY\"]\n",
    );
    text
}

/// Names for the examples in the comments: those of the model where it is known, so that a comment
/// becomes a setting by taking away the signs before it.
struct Names {
    input: String,
    /// Another input.
    other: String,
    output: String,
    state: String,
    /// What must hold after a step.
    answer: String,
}

impl Default for Names {
    fn default() -> Self {
        let name = |text: &str| text.to_owned();
        Self {
            input: name("rtU.up"),
            other: name("rtU.down"),
            output: name("rtY.motor"),
            answer: name("rtY.motor"),
            state: name("rtDW.chart"),
        }
    }
}

impl Names {
    fn of(model: &Model) -> Self {
        let signals = &model.translated.signals;
        let usual = Self::default();
        let inputs: Vec<&Signal> = signals.inputs.iter().map(|input| &input.signal).collect();
        let first = |of: Vec<&Signal>| {
            let scalar = of.iter().find(|signal| is_number(signal));
            scalar.map(|signal| signal.lvalue.clone())
        };
        let input = first(inputs.clone()).unwrap_or(usual.input);
        let others = inputs.into_iter().filter(|signal| signal.lvalue != input).collect();
        let output = first(signals.outputs.iter().map(|(signal, _)| signal).collect());
        let state = first(signals.states.iter().map(|(signal, _)| signal).collect());
        let (answer, place) = (output.clone().or_else(|| state.clone()), state.or_else(|| output.clone()));
        Self {
            other: first(others).unwrap_or_else(|| input.clone()),
            answer: answer.unwrap_or(usual.answer),
            output: output.unwrap_or(usual.output),
            state: place.unwrap_or(usual.state),
            input,
        }
    }
}

/// Whether an expression can name the signal and compare it with a whole number.
fn is_number(signal: &Signal) -> bool {
    let is_symbolic = signal.lvalue.contains('#') || signal.lvalue.ends_with(".return");
    !is_symbolic && !matches!(signal.kind, SignalKind::Pointer | SignalKind::Float)
}

/// Everything else, as comments.
fn rest(names: &Names) -> String {
    let Names { input, other, output, state, answer } = names;
    format!(
        r#"
# --- inputs: ranges, allowed values, units, preferred values, names in files ---
# [input."{input}"]
# range = [0, 1]             # or: values = [0, 1]
# unit = "km/h"
# default = 0
# name = "Speed"

# --- outputs: units, and how far a measured value may be off ---
# [output."{output}"]
# unit = "Nm"
# abs = 0.5                  # or rel = 1e-3, ulp = 4

# --- what the environment never does; prev(x) is x of the step before ---
# [[assume]]
# expr = "!({input} && {other})"

# --- what always holds of the state: proven by induction, else reported as trusted ---
# [[invariant]]
# expr = "{state} <= 400"

# --- goals: what to reach, and what must hold there; any expression in C ---
# [[goal]]
# name = "answered"
# requirement = "REQ-12"
# text = "what the requirement says"
# when = "{input} == 1"       # before the step: state and inputs
# after = "{state} == 0"      # after it; old(x) is the value before
# expect = "{answer} == 0"    # must hold after it
# step = [{{ when = "..." }}, {{ when = "..." }}]   # several steps instead of when and after

# --- goals of the code itself, in the same chain ---
# [coverage]
# goals = ["decision", "mcdc"]

# --- where a chain must end ---
# [final]
# when = "{state} == 0"

# --- calibration fixed before init; what pointers point to ---
# [const]
# "rtP.limit" = 40
# [bind]
# "step.rtM->dwork" = "new"
"#
    )
}
