//! From files to a model: two calls of yosys, and what they made by the names of the source.

use crate::bench::Design;
use crate::code::Code;
use crate::division;
use crate::formal::{self, Formal, Kind};
use crate::instrument::Statement;
use crate::netlist::{Clocking, Netlist};
use crate::source::VerilogSource;
use crate::yosys::{self, is_literal, script_path, shown_path};
use btor2::{Begin, Model, Origin, ReadError};
use frontend::diagnostics::Diagnostics;
use frontend::source::{SourceMap, Span};
use frontend::{
    Claim, Failure, Finding, FrontEnd, InputSignal, Judge, Location, Request, Requirement, RequirementKind,
    Signal, SignalKind, Signals, Size, Topic, Translated, Unobservable,
};
use model::id::{Id, IdVec};
use model::system::{Goal, GoalId, InputRole, OriginId};
use model::term::TermId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The Verilog front end.
#[derive(Clone, Copy, Debug)]
pub struct Verilog;

impl FrontEnd for Verilog {
    fn language(&self) -> &'static str {
        "Verilog"
    }
    fn reads(&self, path: &Path) -> bool {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        ["v", "sv"].iter().any(|known| ending.eq_ignore_ascii_case(known))
    }
    fn translate(&self, request: &Request, _: &dyn Judge) -> Result<Translated, Failure> {
        let mut reading = Reading {
            request,
            sources: SourceMap::default(),
            diagnostics: Diagnostics::default(),
            findings: Vec::new(),
        };
        match reading.translate() {
            Some(translated) => {
                let Reading { sources, diagnostics, findings, .. } = reading;
                Ok(Translated { sources, diagnostics, findings, ..translated })
            }
            None => Err(Failure { diagnostics: reading.diagnostics, sources: reading.sources }),
        }
    }
}

struct Reading<'r> {
    request: &'r Request,
    sources: SourceMap,
    diagnostics: Diagnostics,
    findings: Vec<Finding>,
}

/// What yosys made of the design.
struct Made {
    netlist: Netlist,
    formal: Vec<Formal>,
    btor2: String,
    /// What yosys read beside the sources.
    others: Vec<PathBuf>,
}

/// A formal statement with its name and place.
struct Named {
    name: String,
    place: Location,
    text: String,
}

impl Reading<'_> {
    /// `None`: there are errors among the diagnostics.
    fn translate(&mut self) -> Option<Translated> {
        if let Some(what) = self.request.only_for_c() {
            let message = format!("{what} are about C code; a Verilog design says all of that itself");
            self.diagnostics.error(Code::OnlyForC, None, message);
            return None;
        }
        for path in &self.request.sources {
            self.sources.open(path);
        }
        let made = self.make()?;
        let begin = if self.request.hardware.zero_init { Begin::Zero } else { Begin::Free };
        let mut model = match btor2::read_with(&made.btor2, begin) {
            Ok(model) => model,
            Err(error) => {
                self.refuse_line(&made.btor2, &error);
                return None;
            }
        };
        let is_undefined = self.choose(&mut model, &made.netlist);
        if let Some(reset) = &self.request.hardware.reset {
            let added = match &made.netlist.clocking {
                // Each step is a cycle of it: it is no input of the step.
                Clocking::Single { port, .. } if *port == reset.input => {
                    Err(format!("`{port}` is the clock: a reset is another input"))
                }
                _ => btor2::add_reset(&mut model, reset).map(drop),
            };
            if let Err(message) = added {
                self.diagnostics.error(Code::NoReset, None, message);
                return None;
            }
        }
        let start = btor2::start_findings(
            &known_starts(&model, &made),
            &self.request.hardware,
            &mut self.diagnostics,
        );
        self.findings.extend(start);
        self.tell_clocks(&made.netlist.clocking);
        self.finish(model, made, is_undefined)
    }

    /// Calls yosys.
    fn make(&mut self) -> Option<Made> {
        let read = self.reading_commands()?;
        let folder = match tempfile::Builder::new().prefix("chaincover-yosys-").tempdir() {
            Ok(folder) => folder,
            Err(error) => {
                let message = format!("temporary files for yosys cannot be written: {error}");
                self.diagnostics.error(Code::Endless, None, message);
                return None;
            }
        };
        let file = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap_or_default();
        let first = format!("{read}proc\nflatten\nopt_clean\nwrite_json flat.json\nwrite_rtlil flat.il\n");
        self.call(&first, folder.path())?;
        let files = yosys::files_read(folder.path());
        let shown = files.iter().map(|path| shown_path(path, &self.sources));
        let others: Vec<PathBuf> = shown.filter(|path| !self.request.sources.contains(path)).collect();
        for path in &others {
            self.sources.open(path);
        }
        let Some(netlist) = Netlist::read(&file("flat.json")) else {
            self.diagnostics.error(Code::Refused, None, "there is no module in the design");
            return None;
        };
        self.check(&netlist)?;
        let (rtlil, formal) = formal::rename(&division::free_by_zero(&file("flat.il")));
        let written = std::fs::write(folder.path().join("formal.il"), rtlil)
            .and_then(|()| std::fs::write(folder.path().join("covers.v"), formal::COVERS_TO_ASSERTIONS));
        if let Err(error) = written {
            let message = format!("temporary files for yosys cannot be written: {error}");
            self.diagnostics.error(Code::Endless, None, message);
            return None;
        }
        self.call(&second_script(&netlist.clocking), folder.path())?;
        Some(Made { netlist, formal, btor2: name_ports(&file("model.btor2")), others })
    }

    fn call(&mut self, script: &str, folder: &Path) -> Option<()> {
        yosys::call(script, folder, &self.request.limit, (&mut self.sources, &mut self.diagnostics))
    }

    /// The commands that read the files and find the top module.
    fn reading_commands(&mut self) -> Option<String> {
        let mut options = String::new();
        for definition in &self.request.define {
            let _ = write!(options, " -D{}", self.literal("macro", definition)?);
        }
        for folder in &self.request.include {
            let _ = write!(options, " -I{}", self.path(folder)?);
        }
        let mut text = String::new();
        for path in &self.request.sources {
            let is_system = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("sv"));
            let language = if is_system { " -sv" } else { "" };
            let _ = writeln!(text, "read_verilog -formal{language}{options} {}", self.path(path)?);
        }
        let hardware = &self.request.hardware;
        match &hardware.top {
            Some(top) => {
                let _ = write!(text, "hierarchy -check -top {}", self.literal("module", top)?);
            }
            // Yosys passes over parameters there.
            None if !hardware.parameters.is_empty() => {
                let message = "parameters are those of the top module: name it (--top MODULE)";
                self.diagnostics.error(Code::NoTop, None, message);
                return None;
            }
            None => text.push_str("hierarchy -check -auto-top"),
        }
        for (name, value) in &hardware.parameters {
            let (name, value) = (self.literal("parameter", name)?, self.literal("value", value)?);
            let _ = write!(text, " -chparam {name} {value}");
        }
        text.push('\n');
        Some(text)
    }

    fn literal(&mut self, what: &str, word: &str) -> Option<String> {
        if !is_literal(word) {
            let message = format!("the {what} `{word}` has characters that cannot be handed to yosys");
            self.diagnostics.error(Code::OddName, None, message);
            return None;
        }
        Some(word.to_owned())
    }

    fn path(&mut self, path: &Path) -> Option<String> {
        let found = script_path(path);
        if found.is_none() {
            let message = format!(
                "the path {} has characters that cannot be handed to yosys (spaces, quotes, patterns)",
                path.display()
            );
            self.diagnostics.error(Code::OddName, None, message);
        }
        found
    }

    /// Refuses what the translation does not hold for.
    fn check(&mut self, netlist: &Netlist) -> Option<()> {
        for place in &netlist.latches {
            let span = self.span(place);
            self.diagnostics
                .error(Code::Latch, span, "a latch: an output keeps its value while its enable is off")
                .advice("assign it in every branch, or use a register");
        }
        for (name, place) in &netlist.partly_initial {
            let span = self.span(place);
            let message = format!("some bits of `{name}` have an initial value and others have none");
            self.diagnostics.error(Code::PartlyInitial, span, message).advice("initialise all bits or none");
        }
        (!self.diagnostics.has_errors()).then_some(())
    }

    /// The line of a place.
    fn span(&mut self, place: &str) -> Option<Span> {
        let (path, line, _) = first_place(place)?;
        let file = self.sources.open(&shown_path(&path, &self.sources));
        Some(Span { file, line, column: 0 })
    }

    /// Refuses what a line of BTOR2 says, at the line of the source that it was made of.
    fn refuse_line(&mut self, btor2: &str, error: &ReadError) {
        let line = error.line.checked_sub(1).and_then(|index| btor2.lines().nth(index)).unwrap_or_default();
        // A sort has no place; what uses it first mostly has.
        let number = line.split_whitespace().next().unwrap_or_default();
        let uses = |other: &&str| other.split_whitespace().nth(2) == Some(number) && other.contains(" ; ");
        let user = if line.contains(" ; ") { Some(line) } else { btor2.lines().find(uses) };
        let span = user.and_then(|line| line.rsplit_once(" ; ")).and_then(|(_, place)| self.span(place));
        let message = format!("the design has what is not supported: {}", error.message);
        self.diagnostics
            .error(Code::Netlist, span, message)
            .advice(format!("yosys made this BTOR2 of it: {line}"));
    }

    /// What nothing determines is the system's choice, which no tester has; whether there is any.
    fn choose(&mut self, model: &mut Model, netlist: &Netlist) -> bool {
        let mut count = 0;
        let is_port = |name: &str| netlist.ports.iter().any(|port| port.is_input && port.name == name);
        // Yosys makes inputs of bits that nothing drives.
        for (_, input) in model.inputs.iter().filter(|(name, _)| !is_port(name)) {
            model.system.inputs[*input].role = InputRole::Choice;
            count += 1;
        }
        for origin in &model.states {
            let (Origin::Free { inputs, .. } | Origin::Begun { inputs, .. }) = origin else { continue };
            for &input in inputs {
                model.system.inputs[input].role = InputRole::Choice;
                count += 1;
            }
        }
        if count > 0 {
            let reason = format!(
                "{count} words that Verilog leaves undefined (x, undriven) have any value in each step"
            );
            self.findings.push(Finding {
                topic: Topic::Input,
                subject: "x".to_owned(),
                reason: reason.clone(),
            });
            self.diagnostics.note(Code::Undefined, None, reason);
        }
        count > 0
    }

    fn tell_clocks(&mut self, clocking: &Clocking) {
        let (subject, reason) = match clocking {
            Clocking::None => {
                ("step".to_owned(), "nothing is clocked; a step is one set of inputs".to_owned())
            }
            Clocking::Single { port, is_rising } => {
                let edge = if *is_rising { "rising" } else { "falling" };
                (port.clone(), format!("the clock; a step is one cycle and ends with its {edge} edge"))
            }
            Clocking::Several { ports, .. } => {
                let what = "several clocks, both edges, or a clock that is used as data; a step is one tick, \
                            in which every input may change, clocks among them";
                self.diagnostics.warning(Code::Clocks, None, format!("{}: {what}", ports.join(", ")));
                (ports.join(", "), what.to_owned())
            }
        };
        self.findings.push(Finding { topic: Topic::Step, subject, reason });
    }

    /// Names and places of the formal statements, in the order of cells.
    fn named(&mut self, formal: &[Formal]) -> Vec<Named> {
        let mut taken = FxHashSet::default();
        // Of statements with one name the first in the source has it alone.
        let places: Vec<(Location, String)> = formal.iter().map(|formal| self.statement(formal)).collect();
        let mut order: Vec<usize> = (0..formal.len()).collect();
        order.sort_by(|&a, &b| {
            let key = |index: usize| (&places[index].0.file, places[index].0.line, &formal[index].cell);
            key(a).cmp(&key(b))
        });
        let mut names = vec![String::new(); formal.len()];
        for index in order {
            let place = &places[index].0;
            let file = place.file.file_name().unwrap_or_default().to_string_lossy();
            let wanted = match (formal[index].label(), formal[index].instance()) {
                (Some(label), _) => label.to_owned(),
                (None, None) => format!("{file}:{}", place.line),
                (None, Some(instance)) => format!("{}/{file}:{}", instance.replace(".\\", "."), place.line),
            };
            let mut name = wanted.clone();
            let mut count = 1;
            while !taken.insert(name.clone()) {
                count += 1;
                name = format!("{wanted}#{count}");
            }
            names[index] = name;
        }
        let named = names.into_iter().zip(places);
        named.map(|(name, (place, text))| Named { name, place, text }).collect()
    }

    /// Where the keyword of a statement stands, and the line. Yosys lets statements without a label
    /// begin behind the one before.
    fn statement(&mut self, formal: &Formal) -> (Location, String) {
        let Some((path, first, column)) = first_place(&formal.place) else {
            return (Location { file: PathBuf::new(), line: 0 }, String::new());
        };
        let path = shown_path(&path, &self.sources);
        let file = self.sources.open(&path);
        let lines = || {
            (first..first.saturating_add(MOST_LINES))
                .map_while(|line| Some((line, self.sources.files[file].line(line)?)))
        };
        let skipped = |line: u32| if line == first { column.saturating_sub(1) } else { 0 };
        let has_keyword = |&(line, text): &(u32, &str)| {
            text.get(skipped(line)..).is_some_and(|rest| rest.contains(formal.kind.keyword()))
        };
        let (line, text) = lines().find(has_keyword).unwrap_or((first, ""));
        (Location { file: path, line }, text.trim().to_owned())
    }

    /// Goals, requirements and signals.
    fn finish(&mut self, mut model: Model, made: Made, is_undefined: bool) -> Option<Translated> {
        let named = self.named(&made.formal);
        let bad: FxHashMap<String, TermId> =
            model.system.goals.values().map(|goal| (goal.name.clone(), goal.antecedent)).collect();
        let mut order: Vec<usize> = (0..named.len()).collect();
        order.sort_by_key(|&index| (&named[index].place.file, named[index].place.line, &named[index].name));
        let (mut goals, mut requirements): (IdVec<GoalId, Goal>, _) = (IdVec::new(), Vec::new());
        let mut covers = Vec::new();
        for index in order {
            let Named { name, place, text } = &named[index];
            let formal = &made.formal[index];
            if formal.kind == Kind::Assume {
                let reason = format!("{text} ({}:{})", place.file.display(), place.line);
                self.findings.push(Finding { topic: Topic::Assumption, subject: name.clone(), reason });
                continue;
            }
            let reached = if formal.kind == Kind::Assert {
                formal::reached_name(index)
            } else {
                formal::bad_name(index)
            };
            let (Some(&hit), Some(&antecedent)) = (bad.get(&formal::bad_name(index)), bad.get(&reached))
            else {
                let message = format!("yosys left out `{name}` ({}:{})", place.file.display(), place.line);
                self.diagnostics.error(Code::Refused, None, message);
                continue;
            };
            let statement = Goal {
                name: name.clone(),
                requirement: None,
                text: None,
                origin: Some(OriginId::new(index)),
                steps: 1,
                antecedent,
                expectation: None,
            };
            if formal.kind == Kind::Cover {
                covers.push(goals.push(statement));
                let is_sampled = made.netlist.sampled.contains(&formal.cell);
                self.findings.push(Finding {
                    topic: Topic::Goal,
                    subject: name.clone(),
                    reason: format!(
                        "{}:{}{}",
                        place.file.display(),
                        place.line,
                        if is_sampled { "" } else { ", not at a clock's edge" }
                    ),
                });
                continue;
            }
            let holds = model.system.terms.not(hit);
            let claim =
                Claim { fails: hit, text: text.clone(), place: Some(place.clone()), read: Vec::new() };
            requirements.push(Requirement {
                kind: RequirementKind::Assertion,
                goal: None,
                statement: Goal { expectation: Some(holds), ..statement },
                claims: vec![claim],
                observed: Err(Unobservable::Unknown),
            });
        }
        if self.diagnostics.has_errors() {
            return None;
        }
        let statements = statements(&made, &named, &goals);
        let mut system = model.system.clone();
        system.goals = goals;
        for assumption in &mut system.assumptions {
            // BTOR2 says no places of constraints.
            assumption.origin = None;
        }
        system.name = match &self.request.name {
            name if name.is_empty() => made.netlist.top.clone(),
            name => name.clone(),
        };
        let signals = signals(&system, &made.netlist);
        let sources = self.sources.files.values().filter(|file| !made.others.contains(&file.path));
        let text: String = sources.filter_map(|file| file.text.as_deref()).collect();
        let size = Size::of(&system, &text);
        let resolved = Request { name: system.name.clone(), ..self.request.clone() };
        let mut design = Design::new((&made.netlist, &model), self.request, &signals, is_undefined);
        design.others = made.others;
        Some(Translated {
            findings: Vec::new(),
            diagnostics: Diagnostics::default(),
            resolved,
            size,
            early_end: Vec::new(),
            requirements,
            observed: Vec::new(),
            costs: Vec::new(),
            start_hazards: Vec::new(),
            endless: Vec::new(),
            library_facts: Vec::new(),
            source: Box::new(VerilogSource {
                places: named.iter().map(|named| named.place.clone()).collect(),
                texts: named.into_iter().map(|named| named.text).collect(),
                origins: system.goals.values().map(|goal| goal.origin).collect(),
                btor2: made.btor2,
                design,
                statements,
            }),
            signals,
            system,
            sources: SourceMap::default(),
        })
    }
}

/// Lines behind the beginning of a statement, as yosys has it, in which its keyword is looked for.
const MOST_LINES: u32 = 200;

/// The commands that make BTOR2 of the netlist.
///
/// Registers are not merged: two that start with any value may start with different ones. Where
/// nothing is written or checked, yosys's own multiplexers choose `x`; these are removed, since no
/// value there matters, up to the first wire that has a name in the source.
fn second_script(clocking: &Clocking) -> String {
    let mut text = "read_rtlil formal.il\n".to_owned();
    text.push_str(match clocking {
        Clocking::None | Clocking::Single { .. } => "async2sync\nchformal -early\n",
        Clocking::Several { .. } => "clk2fflogic\n",
    });
    text.push_str("opt_clean\nmemory_nordff\n");
    text.push_str("select -set cells t:$memwr_v2 t:$memwr %u\n");
    text.push_str("select -set wires @cells %ci1:+$memwr_v2,$memwr[ADDR,DATA,EN] w:$* %i\n");
    text.push_str("select -set formal t:$assert t:$cover t:$assume %u %u\n");
    text.push_str("select -set checked @formal %ci1:+$assert,$cover,$assume[A] w:$* %i\n");
    text.push_str("select -set wires @wires @checked %u\nselect -set muxes t:$mux t:$pmux %u\nselect -set all w:no_such_wire_at_all\n");
    for _ in 0..UNUSED_DEPTH {
        text.push_str("select -set level @wires %ci1 @muxes %i\nselect -set all @all @level %u\n");
        text.push_str("select -set wires @level %ci1:+$mux,$pmux[A,B] w:$* %i\n");
    }
    text.push_str("opt_expr -keepdc -mux_undef @all\nopt_clean\n");
    text.push_str(
        "techmap -map covers.v\nopt_expr -keepdc\nsetundef -undriven -anyseq\nopt_clean\ndffunmap\n",
    );
    text.push_str("write_btor model.btor2\n");
    text
}

/// Yosys gives no names to registers that are ports: they get those of the outputs that show them.
fn name_ports(btor2: &str) -> String {
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let mut ports: FxHashMap<String, String> = FxHashMap::default();
    for line in btor2.lines() {
        if let [_, keyword, number, name, ..] = &words(line)[..]
            && keyword == "output"
        {
            ports.entry(number.clone()).or_insert_with(|| name.clone());
        }
    }
    let mut text = String::with_capacity(btor2.len());
    for line in btor2.lines() {
        text.push_str(line);
        if let [number, keyword, _] = &words(line)[..]
            && keyword == "state"
            && let Some(name) = ports.get(number)
        {
            text.push(' ');
            text.push_str(name);
        }
        text.push('\n');
    }
    text
}

/// Levels of multiplexers behind a write or a check.
const UNUSED_DEPTH: usize = 12;

/// Of several places that yosys names, the innermost one: those of instances stand before it. The map
/// of covers is no place of the design.
fn innermost(place: &str) -> Option<&str> {
    place.split('|').rfind(|part| !part.starts_with("covers.v:"))
}

/// Where a place (`FILE:LINE.COLUMN-...`) begins: file, line and column.
fn first_place(place: &str) -> Option<(PathBuf, u32, usize)> {
    let first = innermost(place)?;
    let (path, rest) = first.rsplit_once(':')?;
    let begin = rest.split('-').next()?;
    let (line, column) = begin.split_once('.').unwrap_or((begin, "1"));
    Some((path.into(), line.parse().ok()?, column.parse().ok()?))
}

/// Where it ends: line and column.
fn last_place(place: &str) -> Option<(u32, usize)> {
    let (_, rest) = innermost(place)?.rsplit_once(':')?;
    let (line, column) = rest.split_once('-')?.1.split_once('.')?;
    Some((line.parse().ok()?, column.parse().ok()?))
}

/// The model with those free states alone that have names in the source: what `clk2fflogic` adds
/// begins with any value, too, but nothing depends on it.
fn known_starts(model: &Model, made: &Made) -> Model {
    let mut model = model.clone();
    let is_several = matches!(made.netlist.clocking, Clocking::Several { .. });
    let is_known = |name: &String| !is_several || made.netlist.names.contains_key(name);
    model.states.retain(|origin| matches!(origin, Origin::Initial { name, .. } if is_known(name)));
    model
}

/// What the statements of the source are, for a simulator that cannot read them.
fn statements(made: &Made, named: &[Named], goals: &IdVec<GoalId, Goal>) -> Vec<Statement> {
    let goal_of = |name: &str| goals.iter().find(|(_, goal)| goal.name == name).map(|(id, _)| id);
    let is_single = matches!(made.netlist.clocking, Clocking::Single { .. });
    let statement = |(formal, named): (&Formal, &Named)| {
        let (path, line, column) = first_place(&formal.place)?;
        Some(Statement {
            file: path,
            begin: (line, column),
            end: last_place(&formal.place)?,
            keyword: formal.kind.keyword(),
            is_procedural: made.netlist.procedural.contains(&formal.cell),
            has_label: formal.label().is_some(),
            goal: goal_of(&named.name).filter(|_| is_single && made.netlist.sampled.contains(&formal.cell)),
        })
    };
    made.formal.iter().zip(named).filter_map(statement).collect()
}

/// Inputs in the order of ports without the clock, outputs, and the states that have names in the
/// source.
fn signals(system: &model::system::TransitionSystem, netlist: &Netlist) -> Signals {
    let Signals { inputs, outputs, states } = btor2::signals(system);
    let typed = |signal: Signal| {
        let name = signal.name.split('[').next().unwrap_or_default();
        let is_signed = netlist.signed.contains(&signal.name) || netlist.signed.contains(name);
        let kind = if is_signed { SignalKind::Signed } else { signal.kind };
        let range = if signal.bits == 1 { String::new() } else { format!(" [{}:0]", signal.bits - 1) };
        let sign = if is_signed { " signed" } else { "" };
        Signal { type_name: format!("logic{sign}{range}"), kind, ..signal }
    };
    let clock = match &netlist.clocking {
        Clocking::Single { port, .. } => Some(port),
        Clocking::None | Clocking::Several { .. } => None,
    };
    let position = |name: &str| netlist.ports.iter().position(|port| port.name == name);
    let mut inputs: Vec<InputSignal> = inputs
        .into_iter()
        .filter(|input| system.inputs[input.input].role == InputRole::Stimulus)
        .filter(|input| Some(&input.signal.name) != clock)
        .map(|input| InputSignal { signal: typed(input.signal), ..input })
        .collect();
    inputs.sort_by_key(|input| position(&input.signal.name));
    let mut outputs: Vec<(Signal, usize)> =
        outputs.into_iter().map(|(signal, index)| (typed(signal), index)).collect();
    outputs.sort_by_key(|(signal, _)| position(&signal.name));
    let is_shown = |name: &str| crate::bench::hierarchical(netlist, name).is_some();
    let states = states.into_iter().filter(|(signal, _)| is_shown(&signal.name));
    Signals { inputs, outputs, states: states.map(|(signal, state)| (typed(signal), state)).collect() }
}
