//! Benches that play a chain: for replays, as plain SystemVerilog, and for cocotb.
//!
//! In every step inputs are set and settle, outputs and states are looked at, and then the clock has
//! its active edge. Registers and memories that the chain begins with are deposited before.

use crate::netlist::{Clocking, Netlist, Port};
use btor2::{Model, Origin};
use frontend::{Benches, Request, Signals};
use model::id::Id;
use model::system::{InitialInputId, InputId};
use model::trace::{Start, Trace};
use model::value::Value;
use std::fmt::Write;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};

/// What benches need to know of a design.
pub(crate) struct Design {
    top: String,
    parameters: Vec<(String, String)>,
    ports: Vec<Port>,
    clocking: Clocking,
    pub(crate) sources: Vec<PathBuf>,
    /// What else was read: included files and contents of memories.
    pub(crate) others: Vec<PathBuf>,
    include: Vec<PathBuf>,
    define: Vec<String>,
    reset_steps: u32,
    /// Whether the design begins with values that have no name by which they could be deposited.
    has_nameless_start: bool,
    /// Whether there are words that nothing determines.
    pub(crate) is_undefined: bool,
    /// Input ports but for a single clock, with the inputs of the system.
    inputs: Vec<(Port, InputId)>,
    /// Shown outputs: port names.
    outputs: Vec<(String, usize, u32)>,
    /// Shown states: hierarchical names.
    states: Vec<String>,
    /// What begins with a chosen value or a zero that was asked for: hierarchical names.
    starts: Vec<(Vec<String>, Begin, u32)>,
}

/// Names that a design cannot know, so that it can neither reach the bench nor print what the bench
/// prints: a design may do anything where synthesis does not look.
pub(crate) struct Names {
    /// The bench. Code that runs in an instance of it can ask for this one.
    pub(crate) module: String,
    /// What the bench's lines begin with.
    pub(crate) tag: String,
}

impl Names {
    /// Names made up for one replay.
    pub(crate) fn made_up() -> Self {
        Self { module: format!("chaincover_bench_{}", unguessable()), tag: unguessable() }
    }
}

/// A word that no design guesses: what tables of hashes begin with is drawn by the system.
fn unguessable() -> String {
    format!("{:016x}", RandomState::new().build_hasher().finish())
}

/// What a word begins with.
#[derive(Clone, Copy, Debug)]
enum Begin {
    Chosen(InitialInputId),
    Zero,
}

/// A name of a flat netlist as a path from the bench, where the design can be named by it.
pub(crate) fn hierarchical(netlist: &Netlist, name: &str) -> Option<String> {
    let is_path = |name: &str| name.split('.').all(is_segment);
    let path = match netlist.names.get(name) {
        Some(_) => name.to_owned(),
        None => {
            let (memory, index) = name.strip_suffix(']')?.rsplit_once('[')?;
            let (first, size) = (*netlist.names.get(memory)?)?;
            let index: usize = index.parse().ok()?;
            // Of memories that do not begin at 0 BTOR2 tells no addresses.
            if first != 0 || index >= size {
                return None;
            }
            name.to_owned()
        }
    };
    is_path(&path).then(|| format!("dut.{path}"))
}

/// `name`, `name[3]`, `name[3][4]`.
fn is_segment(segment: &str) -> bool {
    let name = segment.split('[').next().unwrap_or_default();
    let indices = &segment[name.len()..];
    is_identifier(name)
        && indices.split('[').skip(1).all(|index| {
            index
                .strip_suffix(']')
                .is_some_and(|index| !index.is_empty() && index.chars().all(|digit| digit.is_ascii_digit()))
        })
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|character| character.is_ascii_alphanumeric() || matches!(character, '_' | '$'))
}

/// A name as Verilog writes it.
fn identifier(name: &str) -> String {
    if is_identifier(name) { name.to_owned() } else { format!("\\{name} ") }
}

impl Design {
    pub(crate) fn new(
        (netlist, model): (&Netlist, &Model),
        request: &Request,
        signals: &Signals,
        is_undefined: bool,
    ) -> Self {
        let clock = match &netlist.clocking {
            Clocking::Single { port, .. } => Some(port.as_str()),
            Clocking::None | Clocking::Several { .. } => None,
        };
        let input = |port: &Port| {
            let (_, input) = model.inputs.iter().find(|(name, _)| *name == port.name)?;
            Some((port.clone(), *input))
        };
        let ports = || netlist.ports.iter().filter(|port| port.is_input && Some(port.name.as_str()) != clock);
        let mut starts = Vec::new();
        let mut begin = |name: &str, (index, is_array): (usize, bool), begin: Begin, width: u32| {
            let names = match is_array {
                true => vec![format!("{name}[{index}]")],
                false => netlist.aliases.get(name).cloned().unwrap_or_default(),
            };
            let paths: Vec<String> = names.iter().filter_map(|name| hierarchical(netlist, name)).collect();
            if !paths.is_empty() {
                starts.push((paths, begin, width));
            }
        };
        for origin in &model.states {
            match origin {
                Origin::Initial { name, inputs, is_array } => {
                    for (index, &input) in inputs.iter().enumerate() {
                        let symbol = model.system.initial_inputs[input].symbol;
                        let width = model.system.terms.symbol(symbol).sort.width();
                        begin(name, (index, *is_array), Begin::Chosen(input), width);
                    }
                }
                Origin::Zero { name, width, elements, is_array } => {
                    (0..*elements).for_each(|index| begin(name, (index, *is_array), Begin::Zero, *width));
                }
                Origin::Determined | Origin::Begun { .. } | Origin::Free { .. } => {}
            }
        }
        Self {
            top: netlist.top.clone(),
            parameters: request.hardware.parameters.clone(),
            ports: netlist.ports.clone(),
            clocking: netlist.clocking.clone(),
            sources: request.sources.clone(),
            others: Vec::new(),
            include: request.include.clone(),
            define: request.define.clone(),
            // A reset that is held first sets them.
            has_nameless_start: netlist.has_nameless_start && request.hardware.reset.is_none(),
            is_undefined,
            reset_steps: request.hardware.reset.as_ref().map_or(0, |reset| reset.steps),
            inputs: ports().filter_map(input).collect(),
            outputs: signals
                .outputs
                .iter()
                .map(|(signal, index)| (signal.name.clone(), *index, signal.bits))
                .collect(),
            states: signals
                .states
                .iter()
                .filter_map(|(signal, _)| hierarchical(netlist, &signal.name))
                .collect(),
            starts,
        }
    }

    pub(crate) const fn reset_steps(&self) -> u32 {
        self.reset_steps
    }

    /// Macros and folders, for a compiler that runs in another folder. What includes a file beside
    /// it finds it there.
    pub(crate) fn compiler_options(&self) -> Vec<String> {
        let beside = self.sources.iter().filter_map(|path| path.parent().map(PathBuf::from));
        let folders = self.include.iter().cloned().chain(beside);
        let folder = |folder: PathBuf| {
            let folder = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
            format!("-I{}", std::path::absolute(&folder).unwrap_or(folder).display())
        };
        let macros = self.define.iter().map(|definition| format!("-D{definition}"));
        macros.chain(folders.map(folder)).collect()
    }

    /// What else was read with the names that it has beside a source: simulators look for contents
    /// of memories in their own folder.
    pub(crate) fn others_beside_sources(&self) -> Vec<(String, &Path)> {
        let folders: Vec<PathBuf> = self
            .sources
            .iter()
            .filter_map(|path| std::path::absolute(path).ok()?.parent().map(Path::to_owned))
            .collect();
        let name = |path: &Path| {
            let whole = std::path::absolute(path).ok()?;
            let beside = folders.iter().find_map(|folder| whole.strip_prefix(folder).ok());
            beside.and_then(Path::to_str).map(str::to_owned)
        };
        self.others.iter().filter_map(|path| Some((name(path)?, path.as_path()))).collect()
    }

    fn clock(&self) -> Option<(&str, bool)> {
        match &self.clocking {
            Clocking::Single { port, is_rising } => Some((port, *is_rising)),
            Clocking::None | Clocking::Several { .. } => None,
        }
    }

    fn is_one_of_several_clocks(&self, port: &str) -> bool {
        matches!(&self.clocking, Clocking::Several { ports, .. } if ports.iter().any(|clock| clock == port))
    }

    /// Inputs in the order in which a step sets them: clocks, which sample what was there before,
    /// come first.
    fn ordered_inputs(&self) -> Vec<&(Port, InputId)> {
        let mut inputs: Vec<&(Port, InputId)> = self.inputs.iter().collect();
        inputs.sort_by_key(|(port, _)| !self.is_one_of_several_clocks(&port.name));
        inputs
    }
}

/// A chain on a design.
pub(crate) struct Bench<'d> {
    design: &'d Design,
    inputs: Vec<&'d (Port, InputId)>,
    /// By step, in the order of `inputs`.
    rows: Vec<Vec<Value>>,
    /// Hierarchical names with values.
    starts: Vec<(&'d [String], Value)>,
}

fn literal(value: Value) -> String {
    format!("{}'h{:x}", value.sort().width(), value.bits())
}

fn range(width: usize) -> String {
    if width == 1 { String::new() } else { format!("[{}:0] ", width - 1) }
}

impl<'d> Bench<'d> {
    /// # Errors
    /// Why the chain cannot be played: a sentence.
    pub(crate) fn new(design: &'d Design, trace: &Trace) -> Result<Self, String> {
        if matches!(design.clocking, Clocking::Several { all_inputs: false, .. }) {
            return Err(
                "a clock is made within the design: when it ticks in a simulator is not what a step says"
                    .to_owned(),
            );
        }
        if design.has_nameless_start {
            return Err(
                "registers with an asynchronous reset have no initial value, and begin with any: a simulator's begin unknown (--reset NAME holds a reset first)"
                    .to_owned(),
            );
        }
        let Start::Initial(initial) = &trace.start else {
            return Err("the execution does not begin where the design begins".to_owned());
        };
        let inputs = design.ordered_inputs();
        let rows = trace.inputs.iter();
        let rows = rows.map(|row| inputs.iter().map(|(_, input)| row[input.index()]).collect());
        let start = |(names, begin, width): &'d (Vec<String>, Begin, u32)| {
            let value = match begin {
                Begin::Chosen(input) => initial[input.index()],
                Begin::Zero => Value::zero(model::sort::Sort::word(*width)),
            };
            (names.as_slice(), value)
        };
        Ok(Self { rows: rows.collect(), inputs, starts: design.starts.iter().map(start).collect(), design })
    }

    /// Declarations and the instance.
    fn head(&self, module: &str) -> String {
        let mut text = format!("`timescale 1ns/1ns\nmodule {module};\n");
        let first = self.rows.first();
        let value_of = |port: &Port| {
            let position = self.inputs.iter().position(|(input, _)| input.name == port.name)?;
            first.map(|row| literal(row[position]))
        };
        for port in &self.design.ports {
            let (range, name) = (range(port.width), identifier(&port.name));
            let idle = |(clock, is_rising): (&str, bool)| {
                (clock == port.name).then(|| format!("1'b{}", u8::from(!is_rising)))
            };
            // Clocks begin without an edge. Other inputs begin unknown, so that setting an
            // asynchronous reset in the first step is an event.
            let first_tick = || value_of(port).filter(|_| self.design.is_one_of_several_clocks(&port.name));
            let value = self.design.clock().and_then(idle).or_else(first_tick);
            let _ = match (port.is_input, value) {
                (false, _) => writeln!(text, "  wire {range}{name};"),
                (true, Some(value)) => writeln!(text, "  reg {range}{name} = {value};"),
                (true, None) => writeln!(text, "  reg {range}{name};"),
            };
        }
        let parameters: Vec<String> = self
            .design
            .parameters
            .iter()
            .map(|(name, value)| format!(".{}({value})", identifier(name)))
            .collect();
        let parameters =
            if parameters.is_empty() { String::new() } else { format!("#({}) ", parameters.join(", ")) };
        let ports = self.design.ports.iter();
        let ports: Vec<String> = ports.map(|port| format!(".{0}({0})", identifier(&port.name))).collect();
        let _ = writeln!(text, "  {} {parameters}dut ({});", identifier(&self.design.top), ports.join(", "));
        text
    }

    /// The task for a step; `look` is done when inputs have settled. `expected` are further
    /// arguments.
    fn step_task(&self, look: &str, expected: &[(String, usize)]) -> String {
        let mut arguments = vec!["input integer number".to_owned()];
        for (index, (port, _)) in self.inputs.iter().enumerate() {
            arguments.push(format!("input {}in_{index}", range(port.width)));
        }
        arguments.extend(expected.iter().map(|(name, width)| format!("input {}{name}", range(*width))));
        let mut text = format!("  task play({});\n    begin\n      step = number;\n", arguments.join(", "));
        for (index, (port, _)) in self.inputs.iter().enumerate() {
            // Data moves behind the edges of clocks.
            let is_clock = |(port, _): &&(Port, InputId)| self.design.is_one_of_several_clocks(&port.name);
            let is_last_clock =
                is_clock(&self.inputs[index]) && !self.inputs.get(index + 1).is_some_and(is_clock);
            let pause = if is_last_clock { " #1;" } else { "" };
            let _ = writeln!(text, "      {} = in_{index};{pause}", identifier(&port.name));
        }
        text.push_str("      #1;\n");
        text.push_str(look);
        if let Some((clock, is_rising)) = self.design.clock() {
            let (on, off) = (u8::from(is_rising), u8::from(!is_rising));
            let clock = identifier(clock);
            let _ =
                writeln!(text, "      is_edge = 1;\n      {clock} = 1'b{on};\n      #1;\n      is_edge = 0;");
            let _ = writeln!(text, "      {clock} = 1'b{off};\n      #1;");
        }
        text.push_str("    end\n  endtask\n");
        text
    }

    fn deposits(&self) -> String {
        let mut text = "    #1;\n".to_owned();
        for (names, value) in &self.starts {
            for name in *names {
                let is_element = name.ends_with(']');
                let value = literal(*value);
                let _ = match is_element {
                    true => writeln!(text, "    {name} = {value};"),
                    // A name may be that of a wire that shows the register.
                    false => writeln!(text, "    $deposit({name}, {value});"),
                };
            }
        }
        text
    }

    /// The bench that prints states and outputs as replay programs do.
    pub(crate) fn protocol(&self, names: &Names) -> String {
        let Names { module, tag } = names;
        let mut text = self.head(module);
        text.push_str("  integer step = 0;\n  reg is_edge = 0;\n");
        let shown = |kind: char, index: usize, name: &str| {
            format!(
                "      if (^{name} === 1'bx) $display(\"{tag} X {kind} %0d {index}\", step);\n      \
                 else $display(\"{tag} {kind} %0d {index} %h\", step, {name});\n"
            )
        };
        let states = self.design.states.iter().enumerate();
        let states: String = states.map(|(index, name)| shown('S', index, name)).collect();
        let outputs = self.design.outputs.iter().enumerate();
        let outputs: String =
            outputs.map(|(index, (name, ..))| shown('O', index, &identifier(name))).collect();
        let _ = write!(text, "  task show_states;\n    begin\n{states}    end\n  endtask\n");
        let look = format!("      $display(\"{tag} B %0d\", step);\n      show_states;\n{outputs}");
        text.push_str(&self.step_task(&look, &[]));
        let _ = write!(text, "  initial begin\n{}", self.deposits());
        for (number, row) in self.rows.iter().enumerate() {
            let values: Vec<String> =
                std::iter::once(number.to_string()).chain(row.iter().map(|&value| literal(value))).collect();
            let _ = writeln!(text, "    play({});", values.join(", "));
        }
        let _ = write!(
            text,
            "    step = {};\n    show_states;\n    $finish(0);\n  end\nendmodule\n",
            self.rows.len()
        );
        text
    }

    /// Benches for users, which compare with the outputs that the evaluator computed, by step.
    pub(crate) fn exported(&self, outputs: &[Vec<Value>]) -> Benches {
        Benches { verilog: self.checking(outputs), cocotb: self.cocotb(outputs) }
    }

    fn checking(&self, outputs: &[Vec<Value>]) -> String {
        let shown = &self.design.outputs;
        let mut text = format!(
            "// A test case chain of {} steps for {}: plays its inputs and compares outputs.\n\
             // Compile it with the design; the top module is `chain_bench`.\n",
            self.rows.len(),
            self.design.top
        );
        text.push_str(&self.head("chain_bench"));
        text.push_str("  integer step = 0;\n  integer errors = 0;\n  reg is_edge = 0;\n");
        let mut look = String::new();
        for (index, (name, ..)) in shown.iter().enumerate() {
            let port = identifier(name);
            let _ = write!(
                look,
                "      if ({port} !== out_{index}) begin\n        errors = errors + 1;\n        \
                 $display(\"FAIL step %0d: {name} is %h, expected %h\", step, {port}, out_{index});\n      end\n"
            );
        }
        let expected: Vec<(String, usize)> = shown
            .iter()
            .enumerate()
            .map(|(index, (_, _, bits))| (format!("out_{index}"), *bits as usize))
            .collect();
        text.push_str(&self.step_task(&look, &expected));
        let _ = write!(text, "  initial begin\n{}", self.deposits());
        for (number, (row, outputs)) in self.rows.iter().zip(outputs).enumerate() {
            let expected = shown.iter().map(|(_, index, _)| literal(outputs[*index]));
            let values: Vec<String> = std::iter::once(number.to_string())
                .chain(row.iter().map(|&value| literal(value)))
                .chain(expected)
                .collect();
            let _ = writeln!(text, "    play({});", values.join(", "));
        }
        let _ = write!(
            text,
            "    if (errors == 0) $display(\"PASS {} steps\");\n    else $fatal(1, \"FAIL %0d outputs differ\", errors);\n    \
             $finish(0);\n  end\nendmodule\n",
            self.rows.len()
        );
        text
    }

    /// A test for cocotb 2.
    fn cocotb(&self, outputs: &[Vec<Value>]) -> String {
        let mut text = format!(
            "\"\"\"A test case chain of {} steps for {}: plays its inputs and compares outputs.\"\"\"\n\n\
             import cocotb\nfrom cocotb.triggers import Timer\n\n",
            self.rows.len(),
            self.design.top
        );
        let dictionary = |entries: Vec<(String, Value)>| {
            let entries: Vec<String> =
                entries.iter().map(|(name, value)| format!("{name:?}: {:#x}", value.bits())).collect();
            format!("{{{}}}", entries.join(", "))
        };
        text.push_str("# What registers and memories begin with.\nSTART = [\n");
        for (names, value) in &self.starts {
            for name in *names {
                let _ = writeln!(text, "    ({:?}, {:#x}),", name.trim_start_matches("dut."), value.bits());
            }
        }
        text.push_str("]\n\n# Inputs, and the outputs that follow in the same step.\nSTEPS = [\n");
        for (row, outputs) in self.rows.iter().zip(outputs) {
            let inputs = self.inputs.iter().zip(row).map(|((port, _), value)| (port.name.clone(), *value));
            let shown = self.design.outputs.iter().map(|(name, index, _)| (name.clone(), outputs[*index]));
            let _ =
                writeln!(text, "    ({}, {}),", dictionary(inputs.collect()), dictionary(shown.collect()));
        }
        text.push_str("]\n\n\ndef find(dut, path):\n    \"\"\"The object of a hierarchical name.\"\"\"\n    found = dut\n    \
            for part in path.replace(\"[\", \".[\").split(\".\"):\n        \
            found = found[int(part[1:-1])] if part.startswith(\"[\") else getattr(found, part)\n    return found\n\n\n");
        // Icarus Verilog counts in seconds where no file says otherwise.
        text.push_str(
            "def settled():\n    \"\"\"A nanosecond, or a step of a simulator whose time is coarser.\"\"\"\n    \
             try:\n        return Timer(1, \"ns\")\n    except ValueError:\n        return Timer(1, \"step\")\n\n\n",
        );
        text.push_str("@cocotb.test()\nasync def chain(dut):\n");
        let clock = self.design.clock();
        if let Some((clock, is_rising)) = clock {
            let _ = writeln!(text, "    find(dut, {clock:?}).value = {}", u8::from(!is_rising));
        }
        text.push_str(
            "    for name, value in STEPS[0][0].items():\n        find(dut, name).value = value\n    \
            await settled()\n    for path, value in START:\n        find(dut, path).value = value\n    \
            await settled()\n    for number, (inputs, outputs) in enumerate(STEPS):\n",
        );
        let clocks: Vec<&str> = match &self.design.clocking {
            Clocking::Several { ports, .. } => ports.iter().map(String::as_str).collect(),
            Clocking::None | Clocking::Single { .. } => Vec::new(),
        };
        if clocks.is_empty() {
            text.push_str(
                "        for name, value in inputs.items():\n            find(dut, name).value = value\n",
            );
        } else {
            let _ = writeln!(text, "        clocks = {clocks:?}  # data moves behind the edges of clocks");
            text.push_str(
                "        for name in clocks:\n            find(dut, name).value = inputs[name]\n        \
                await settled()\n        for name, value in inputs.items():\n            \
                find(dut, name).value = value\n",
            );
        }
        text.push_str("        await settled()\n        for name, value in outputs.items():\n            \
            found = find(dut, name).value\n            \
            assert found.is_resolvable and int(found) == value, f\"step {number}: {name} is {found}, expected {value:#x}\"\n");
        if let Some((clock, is_rising)) = clock {
            let _ = write!(
                text,
                "        find(dut, {clock:?}).value = {}\n        await settled()\n        \
                 find(dut, {clock:?}).value = {}\n        await settled()\n",
                u8::from(is_rising),
                u8::from(!is_rising)
            );
        }
        text
    }
}
