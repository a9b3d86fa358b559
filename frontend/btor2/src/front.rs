//! A BTOR2 file as a model that commands and reports take: signals, places, and what is known of
//! the source.

use crate::ReadError;
use crate::aiger::{from_aiger, is_aiger};
use crate::code::Code;
use crate::reader::{Begin, Model, read_with};
use crate::start::{add_reset, free_at_start};
use crate::witness::witness;
use frontend::diagnostics::Diagnostics;
use frontend::source::{SourceMap, Span};
use frontend::{
    Failure, Finding, FrontEnd, HardwareRequest, InputOption, InputSignal, Judge, Location, ReplayPlan,
    Request, Signal, SignalKind, Signals, Size, Source, Topic, Translated,
};
use model::id::Id;
use model::system::{GoalId, OriginId, TransitionSystem};
use model::trace::Trace;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The BTOR2 front end.
#[derive(Clone, Copy, Debug)]
pub struct Btor2;

impl FrontEnd for Btor2 {
    fn language(&self) -> &'static str {
        "BTOR2"
    }
    fn reads(&self, path: &Path) -> bool {
        let is_btor2 =
            |ending: &OsStr| ending.eq_ignore_ascii_case("btor2") || ending.eq_ignore_ascii_case("btor");
        is_aiger(path) || path.extension().is_some_and(is_btor2)
    }
    fn translate(&self, request: &Request, _: &dyn Judge) -> Result<Translated, Failure> {
        translate(request)
    }
}

/// Reads the one file of a request.
///
/// # Errors
/// What the file does not say in BTOR2, what is not supported, and parts of the request that only C
/// has.
fn translate(request: &Request) -> Result<Translated, Failure> {
    let mut sources = SourceMap::default();
    let mut diagnostics = Diagnostics::default();
    let [path] = &request.sources[..] else {
        diagnostics.error(Code::SeveralFiles, None, "a BTOR2 model is one file");
        return Err(Failure { diagnostics, sources });
    };
    if let Some(what) = request.only_for_c() {
        let message = format!("{what} are about C code; a BTOR2 model says all of that itself");
        diagnostics.error(Code::OnlyForC, None, message);
        return Err(Failure { diagnostics, sources });
    }
    let file = sources.open(path);
    let read = match is_aiger(path) {
        // Its gates may be written as bytes.
        true => from_aiger(&std::fs::read(path).unwrap_or_default()),
        false => Ok(sources.files[file].text.clone().unwrap_or_default()),
    };
    let hardware = &request.hardware;
    if hardware.top.is_some() || !hardware.parameters.is_empty() {
        let message = "top modules and parameters are chosen where BTOR2 is made; this model has neither";
        diagnostics.error(Code::OnlyForVerilog, None, message);
        return Err(Failure { diagnostics, sources });
    }
    let begin = if hardware.zero_init { Begin::Zero } else { Begin::Free };
    let read = read.and_then(|text| Ok((read_with(&text, begin)?, text)));
    let (mut model, text) = match read {
        Ok(read) => read,
        Err(ReadError { line, message, .. }) => {
            let line = u32::try_from(line).unwrap_or(u32::MAX);
            diagnostics.error(Code::Malformed, Some(Span { file, line, column: 0 }), message);
            return Err(Failure { diagnostics, sources });
        }
    };
    if let Some(reset) = &hardware.reset
        && let Err(message) = add_reset(&mut model, reset)
    {
        diagnostics.error(Code::NoReset, None, message);
        return Err(Failure { diagnostics, sources });
    }
    let mut system = model.system.clone();
    if !request.name.is_empty() {
        system.name = request.name.clone();
    } else if let Some(stem) = path.file_stem() {
        system.name = stem.to_string_lossy().into_owned();
    }
    let mut findings = start_findings(&model, hardware, &mut diagnostics);
    findings.push(Finding {
        topic: Topic::Step,
        subject: path.display().to_string(),
        reason: "one step of the model is one transition; there is no compiled code to replay chains on"
            .to_owned(),
    });
    Ok(Translated {
        signals: signals(&system),
        findings,
        diagnostics,
        resolved: Request { name: system.name.clone(), ..request.clone() },
        size: Size::of(&system, &text),
        early_end: Vec::new(),
        requirements: Vec::new(),
        observed: Vec::new(),
        costs: Vec::new(),
        start_hazards: Vec::new(),
        endless: Vec::new(),
        library_facts: Vec::new(),
        source: Box::new(Btor2Source { path: path.clone(), lines: lines(&text), model }),
        system,
        sources,
    })
}

/// What is to be said of how executions begin. Where nothing was asked for, a start with any values
/// is worth a warning: goals may be covered from a start that no hardware has.
pub fn start_findings(
    model: &Model,
    hardware: &HardwareRequest,
    diagnostics: &mut Diagnostics,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(reset) = &hardware.reset {
        let level = if reset.is_low { "low" } else { "high" };
        findings.push(Finding {
            topic: Topic::Start,
            subject: reset.input.clone(),
            reason: format!(
                "held {level} in the first {} steps, in which no goal counts; free behind them",
                reset.steps
            ),
        });
    }
    let free = free_at_start(model);
    for (name, bits) in &free {
        let reason = format!("starts with any value ({bits} bits)");
        findings.push(Finding { topic: Topic::Start, subject: name.clone(), reason });
    }
    if hardware.zero_init {
        let reason = "what has no initial value starts with zero".to_owned();
        findings.push(Finding { topic: Topic::Start, subject: "all registers".to_owned(), reason });
    }
    if !free.is_empty() && hardware.reset.is_none() {
        let shown = free.iter().take(SHOWN_FREE).map(|(name, bits)| format!("{name} ({bits} bits)"));
        let mut shown: Vec<String> = shown.collect();
        if free.len() > SHOWN_FREE {
            shown.push(format!("and {} more", free.len() - SHOWN_FREE));
        }
        let message = format!("free at start: {}", shown.join(", "));
        diagnostics.warning(Code::FreeStart, None, message).advice(
            "goals may be covered from a start that no hardware has; --reset NAME (!NAME for active low) \
             holds a reset first, --zero-init starts with zeros",
        );
    }
    findings
}

/// Registers that a message names.
const SHOWN_FREE: usize = 8;

/// Inputs, outputs and state of a system whose words are named as the user knows them.
pub fn signals(system: &TransitionSystem) -> Signals {
    let signal = |name: &str, bits: u32| Signal {
        name: name.to_owned(),
        lvalue: name.to_owned(),
        type_name: format!("bitvec {bits}"),
        bits,
        kind: if bits == 1 { SignalKind::Bool } else { SignalKind::Unsigned },
    };
    let of = |symbol| {
        let symbol = system.terms.symbol(symbol);
        signal(&symbol.name, symbol.sort.width())
    };
    let inputs = system.inputs.iter().map(|(input, description)| InputSignal {
        signal: of(description.symbol),
        input,
        option: InputOption::default(),
        by_type: None,
        limit: None,
    });
    let outputs = system.outputs.iter().enumerate();
    let outputs =
        outputs.map(|(index, output)| (signal(&output.name, system.terms.width(output.value)), index));
    let states = system.states.iter().map(|(state, description)| (of(description.symbol), state));
    Signals { inputs: inputs.collect(), outputs: outputs.collect(), states: states.collect() }
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

/// The way back to the lines of the file.
struct Btor2Source {
    path: PathBuf,
    lines: Vec<String>,
    model: Model,
}

impl Btor2Source {
    fn place(&self, origin: OriginId) -> usize {
        self.model.origins.get(origin.index()).copied().unwrap_or(0)
    }
}

impl Source for Btor2Source {
    fn locate(&self, origin: OriginId) -> Location {
        Location { file: self.path.clone(), line: u32::try_from(self.place(origin)).unwrap_or(u32::MAX) }
    }
    fn has_code(&self) -> bool {
        false
    }
    fn replay_plan(&self, _trace: &Trace) -> Result<ReplayPlan, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        diagnostics.error(Code::NoCode, None, "a BTOR2 model has no compiled code");
        Err(diagnostics)
    }
    fn goal_text(&self, goal: GoalId) -> String {
        let origin = self.model.system.goals.get(goal).and_then(|goal| goal.origin);
        let line = origin.map(|origin| self.place(origin));
        line.and_then(|line| self.lines.get(line.checked_sub(1)?)).cloned().unwrap_or_default()
    }
    fn witness(&self, trace: &Trace, goal: GoalId, at: usize) -> Option<String> {
        witness(&self.model, trace, goal, at)
    }
    fn ir_text(&self) -> String {
        self.lines.join("\n") + "\n"
    }
}
