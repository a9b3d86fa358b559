//! From a chain to a program that runs it.

use super::blueprint::{Argument, Blueprint, Fixed, Given, Spot};
use super::native::ROUNDING;
use super::print::{Hook, Map, Unprintable, literal, load_text, print, store_text, value_type};
use crate::detect::Entry;
use crate::exec::initial_memory::Slot;
use crate::exec::layout::{Kind, Scalar};
use crate::exec::object::Origin;
use crate::exec::{Seen, seen};
use crate::ir::types::TypeTable;
use crate::ir::{Function, FunctionId, Program};
use frontend::ReplayPlan;
use model::eval::Evaluator;
use model::id::Id;
use model::system::TransitionSystem;
use model::term::SymbolId;
use model::trace::{Start, Trace};
use model::value::Value;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Why there is no replay.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum NoPlan {
    /// The chain starts in a given state.
    #[error("only chains that start in the initial state can be replayed")]
    Start,
    /// A volatile input has several values in one step.
    #[error(
        "step {step} reads `{input}` more than once with different values, which compiled code cannot be given; copy it once (`int a = {input};`) where the reads are meant to agree"
    )]
    Volatile {
        /// The step.
        step: usize,
        /// The input.
        input: String,
    },
    /// Initialisation reads a volatile input that is not zero.
    #[error(
        "initialisation reads `{0}`, which is volatile and not zero then, and compiled code cannot be given it"
    )]
    VolatileAtStart(String),
    /// The program cannot be printed.
    #[error(transparent)]
    Unprintable(#[from] Unprintable),
}

/// What a replay is made from.
pub(crate) struct Replay<'a> {
    /// The program.
    pub(crate) program: &'a Program,
    /// Its parts.
    pub(crate) entry: &'a Entry,
    /// Its objects.
    pub(crate) blueprint: &'a Blueprint,
    /// The system.
    pub(crate) system: &'a TransitionSystem,
}

/// Where a value from outside goes, its first bit there, the scalar, and the value.
pub(crate) type FedPart = (Slot, u64, Scalar, Value);

/// Inputs and results of outside calls of one step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fed {
    /// Values of the inputs in memory, in order of the blueprint.
    pub(crate) inputs: Vec<Value>,
    /// Outside calls that happen: function and its parts.
    pub(crate) calls: Vec<(FunctionId, Vec<FedPart>)>,
    /// Where the step ends the program before it returns: the calls that are seen until then, with
    /// the truths of their arguments.
    pub(crate) end: Option<Vec<(FunctionId, bool)>>,
    /// Whether it ends there at an undefined operation.
    pub(crate) is_undefined: bool,
}

/// From so many bytes on a program is compiled without optimisation, which takes longer than
/// running it.
const LARGE: usize = 4_000_000;

impl Replay<'_> {
    /// What the environment does in a chain: before the first step, and in each step.
    pub(crate) fn feed(&self, trace: &Trace) -> Result<Vec<Fed>, NoPlan> {
        let Start::Initial(initial) = &trace.start else { return Err(NoPlan::Start) };
        let system = self.system;
        let mut environment: FxHashMap<SymbolId, Value> = FxHashMap::default();
        for (input, &value) in system.initial_inputs.values().zip(initial) {
            environment.insert(input.symbol, value);
        }
        self.check_start_reads(&environment)?;
        let calls = &self.blueprint.calls;
        let mut roots: Vec<_> = calls.iter().map(|call| call.path).collect();
        let mut fed = vec![self.calls_made(&roots, true, &environment)];
        let inits: Vec<_> = system.states.values().map(|state| state.init).collect();
        let mut state = evaluate_all(system, &inits, &environment);
        roots.extend(system.states.values().map(|state| state.next));
        let early = self.blueprint.early.as_ref();
        let first_mark = roots.len() + if early.is_some() { 2 } else { 0 };
        roots.extend(early.into_iter().flat_map(|early| [early.returns, early.is_undefined]));
        roots.extend(
            early.into_iter().flat_map(|early| &early.marks).flat_map(|&(_, called, holds)| [called, holds]),
        );
        let first_read = roots.len();
        roots.extend(self.blueprint.reads.iter().map(|&(_, path, _)| path));
        let mut evaluator = Evaluator::new(&system.terms, roots.iter().copied());
        let paths = calls.len();
        for (step, inputs) in trace.inputs.iter().enumerate() {
            for (word, &value) in system.states.values().zip(&state) {
                environment.insert(word.symbol, value);
            }
            for (input, &value) in system.inputs.values().zip(inputs) {
                environment.insert(input.symbol, value);
            }
            evaluator.run(|symbol| look_up(system, &environment, symbol));
            let made =
                calls.iter().enumerate().filter(|(index, call)| !call.is_initial && evaluator.holds(*index));
            let made =
                made.map(|(_, call)| (call.function, parts(system, &environment, &call.parts))).collect();
            let happens = |read: usize| evaluator.holds(first_read + read);
            let cells = self.input_cells(step, inputs, happens)?;
            let ends = early.filter(|_| !evaluator.holds(first_mark - 2));
            let end = ends.map(|early| {
                let marks = early.marks.iter().zip((first_mark..).step_by(2));
                let made = marks.filter(|&(_, at)| evaluator.holds(at));
                made.map(|(&(function, ..), at)| (function, evaluator.holds(at + 1))).collect()
            });
            let is_undefined = ends.is_some() && evaluator.holds(first_mark - 1);
            fed.push(Fed { inputs: cells, calls: made, end, is_undefined });
            state = (0..state.len()).map(|index| evaluator.value(paths + index)).collect();
        }
        Ok(fed)
    }

    /// What initialisation reads of volatile inputs has to be zero, as memory is then.
    fn check_start_reads(&self, environment: &FxHashMap<SymbolId, Value>) -> Result<(), NoPlan> {
        for (input, path, value) in &self.blueprint.start_reads {
            let found = evaluate_all(self.system, &[*path, *value], environment);
            if found[0].is_true() && found[1].bits() != 0 {
                return Err(NoPlan::VolatileAtStart(input.clone()));
            }
        }
        Ok(())
    }

    /// What the inputs in memory hold in a step: what is read of them. Memory holds one value, so
    /// the reads of a volatile input have to agree.
    fn input_cells(
        &self,
        step: usize,
        inputs: &[Value],
        happens: impl Fn(usize) -> bool,
    ) -> Result<Vec<Value>, NoPlan> {
        let own = self.blueprint.inputs.iter().map(|(input, _)| inputs[input.index()]);
        let mut cells: Vec<Value> = own.collect();
        let mut read: Vec<Option<Value>> = vec![None; cells.len()];
        for (number, &(index, _, input)) in self.blueprint.reads.iter().enumerate() {
            if !happens(number) {
                continue;
            }
            let value = inputs[input.index()];
            if read[index].is_some_and(|known| known != value) {
                let symbol = self.system.inputs[self.blueprint.inputs[index].0].symbol;
                return Err(NoPlan::Volatile { step, input: self.system.terms.symbol(symbol).name.clone() });
            }
            read[index] = Some(value);
            cells[index] = value;
        }
        Ok(cells)
    }

    fn calls_made(
        &self,
        paths: &[model::term::TermId],
        is_initial: bool,
        environment: &FxHashMap<SymbolId, Value>,
    ) -> Fed {
        let happens = evaluate_all(self.system, paths, environment);
        let calls = self.blueprint.calls.iter().zip(happens);
        let made = calls.filter(|(call, happens)| call.is_initial == is_initial && happens.is_true());
        let made = made.map(|(call, _)| (call.function, parts(self.system, environment, &call.parts)));
        Fed { inputs: Vec::new(), calls: made.collect(), end: None, is_undefined: false }
    }

    /// The chain on the program written out on integers of fixed width.
    pub(crate) fn rewritten(&self, trace: &Trace) -> Result<ReplayPlan, NoPlan> {
        let fed = self.feed(trace)?;
        let text = self.program_text(trace, &fed)?;
        // Calls of the library must reach the library: a compiler would compute those of constants
        // itself.
        let compile = [
            "cc",
            "-std=gnu11",
            if text.len() > LARGE { "-O0" } else { "-O1" },
            "-w",
            "-fwrapv",
            "-fno-strict-aliasing",
            "-ffp-contract=off",
            ROUNDING,
            "-fno-builtin",
        ];
        let compile = compile.into_iter().chain(["-o", "replay", "replay.c", "-lm"]).map(str::to_owned);
        Ok(ReplayPlan {
            files: vec![("replay.c".to_owned(), text)],
            commands: vec![compile.collect(), vec!["./replay".to_owned()]],
            how: "rewritten with fixed-width types".to_owned(),
            goals: Vec::new(),
            secrets: Vec::new(),
        })
    }

    fn program_text(&self, trace: &Trace, fed: &[Fed]) -> Result<String, NoPlan> {
        let mut roots: Vec<FunctionId> = self.entry.steps.iter().map(|step| step.function).collect();
        roots.extend(self.entry.init);
        roots.extend(self.entry.driver.map(|driver| driver.start));
        let hook = self.entry.driver.map(|driver| Hook { function: driver.function, span: driver.span });
        let ends = fed.last().is_some_and(|last| last.end.is_some());
        let (printed, map) = print(self.program, self.blueprint, &roots, hook, ends)?;
        let mut text = String::from(
            "#include <math.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n",
        );
        text.push_str(&printed);
        let _ = writeln!(text, "enum {{ STEPS = {} }};", trace.inputs.len());
        self.print_memory(&mut text, &map);
        text.push_str("static int step = -1;\n");
        self.print_marks(&mut text, fed);
        print_fed_table(&mut text, fed);
        text.push_str(FEED);
        self.print_observation(&mut text, &map);
        self.print_inputs(&mut text, &map, fed);
        self.print_new_step(&mut text, &map);
        text.push_str(PROTOCOL);
        self.print_main(&mut text, &map, trace);
        Ok(text)
    }

    /// Initial contents of memory.
    fn print_memory(&self, text: &mut String, map: &Map) {
        text.push_str("static void prepare(void) {\n");
        for (spot, value) in &self.blueprint.initial {
            let bits = value_text(map, spot.scalar, *value);
            let _ =
                writeln!(text, "    {}", store_text(&address(map, spot), spot.bit % 8, spot.scalar, &bits));
        }
        text.push_str("}\n");
    }

    fn print_observation(&self, text: &mut String, map: &Map) {
        for (name, letter, spots) in
            [("print_states", 'S', &self.blueprint.states), ("print_outputs", 'O', &self.blueprint.outputs)]
        {
            let _ = writeln!(text, "static void {name}(int at) {{");
            for (index, spot) in spots.iter().enumerate() {
                let (address, low) = (address(map, spot), spot.bit % 8);
                if spot.scalar.kind == Kind::Pointer {
                    let load = load_text(&address, low, spot.scalar);
                    let _ =
                        writeln!(text, "    printf(\"{letter} %d {index} %llx\\n\", at, original({load}));");
                } else {
                    let extent = spot.scalar.extent;
                    let load = format!("(unsigned long long)load({address}, {low}, {extent})");
                    let _ = writeln!(text, "    printf(\"{letter} %d {index} %llx\\n\", at, {load});");
                }
            }
            text.push_str("}\n");
            if letter == 'S' {
                print_numbers(text, map, &self.blueprint.objects);
            }
        }
        // Functions are used before their definition.
        let position = text.find("static void print_states").expect("states should be printed");
        text.insert_str(position, "static unsigned long long original(uint64_t address);\n");
    }

    /// What forgets, before a step, which functions were called.
    fn print_new_step(&self, text: &mut String, map: &Map) {
        text.push_str("static void forget_calls(void) {\n");
        for object in &self.blueprint.objects {
            if matches!(object.origin, Origin::Passed(_, None)) {
                let _ = writeln!(text, "    store({}u, 0, 8, 0);", map.objects[&object.number]);
            }
        }
        text.push_str("}\n");
    }

    fn print_inputs(&self, text: &mut String, map: &Map, fed: &[Fed]) {
        let count = self.blueprint.inputs.len();
        let _ = writeln!(text, "static const uint64_t inputs[][{}] = {{", count.max(1));
        print_input_rows(text, fed);
        text.push_str("    { 0 }\n};\nstatic void set_inputs(int at) {\n");
        for (index, (_, spot)) in self.blueprint.inputs.iter().enumerate() {
            let (address, low, extent) = (address(map, spot), spot.bit % 8, spot.scalar.extent);
            let _ = writeln!(text, "    store({address}, {low}, {extent}, inputs[at][{index}]);");
        }
        text.push_str("}\n");
    }

    fn print_main(&self, text: &mut String, map: &Map, trace: &Trace) {
        let start = self.entry.driver.map(|driver| driver.start).or(self.entry.init);
        text.push_str("int main(void) {\n    prepare();\n");
        if self.entry.driver.is_some() {
            text.push_str("    stack += DRIVER_FRAME + 16;\n");
        }
        if let Some(start) = start {
            let arguments = self.start_arguments(text, map, trace);
            let name = super::print::function_name(self.program, start);
            let _ = writeln!(text, "    {name}({arguments});");
        }
        if self.entry.driver.is_some() {
            text.push_str("    end_program();\n}\n");
            return;
        }
        text.push_str("    while (1) {\n        before_step();\n");
        for scheduled in &self.entry.steps {
            if scheduled.every > 1 {
                let _ = write!(text, "        if (step % {} == {})", scheduled.every, scheduled.phase);
            }
            let _ = writeln!(text, "        {}", self.step_call(map, scheduled.function));
        }
        text.push_str("    }\n}\n");
    }

    /// The call of a step function with its parameters' objects as arguments.
    fn step_call(&self, map: &Map, function: FunctionId) -> String {
        let declaration = &self.program.functions[function];
        let mut arguments = Vec::new();
        for (index, &local) in declaration.parameters.iter().enumerate() {
            let object = self.blueprint.find(&Origin::Parameter(function, index));
            let address = object.map_or(0, |object| map.objects[&object.number]);
            arguments.push(match scalar(&self.program.types, self.program, declaration.locals[local].ty) {
                Some(scalar) => load_text(&format!("{address}u"), 0, scalar),
                None => format!("{address}u"),
            });
        }
        let call =
            format!("{}({})", super::print::function_name(self.program, function), arguments.join(", "));
        let Some(result) = self.blueprint.find(&Origin::Returned(function)) else {
            return format!("{call};");
        };
        let address = map.objects[&result.number];
        match scalar(&self.program.types, self.program, declaration.result) {
            Some(scalar) => store_text(&format!("{address}u"), 0, scalar, &call),
            None => format!("copy({address}u, {call}, {}u);", result.size),
        }
    }

    fn start_arguments(&self, text: &mut String, map: &Map, trace: &Trace) -> String {
        let initial: FxHashMap<SymbolId, Value> = match &trace.start {
            Start::Initial(values) => {
                let symbols = self.system.initial_inputs.values().map(|input| input.symbol);
                symbols.zip(values.iter().copied()).collect()
            }
            Start::State(_) => FxHashMap::default(),
        };
        let value = |given: &Given| match given {
            Given::Constant(value) => *value,
            Given::Initial(symbol) => initial[symbol],
        };
        let mut found = Vec::new();
        let start = self.entry.driver.map(|driver| driver.start).or(self.entry.init);
        let declaration = start.map(|start| &self.program.functions[start]);
        for (index, argument) in self.blueprint.arguments.iter().enumerate() {
            let ty = declaration.map(|declaration| declaration.locals[declaration.parameters[index]].ty);
            found.push(match argument {
                Argument::Scalar(given) => {
                    let scalar = ty.and_then(|ty| scalar(&self.program.types, self.program, ty));
                    scalar.map_or_else(|| "0".to_owned(), |scalar| value_text(map, scalar, value(given)))
                }
                Argument::Record(parts) => {
                    let size: u64 = parts
                        .iter()
                        .map(|(bit, scalar, _)| bit / 8 + u64::from(scalar.extent))
                        .max()
                        .unwrap_or(0);
                    let _ = writeln!(text, "    const uint64_t argument_{index} = enter({}u);", size + 16);
                    for (bit, scalar, given) in parts {
                        let address = format!("(argument_{index} + {}u)", bit / 8);
                        let bits = value_text(map, *scalar, value(given));
                        let _ = writeln!(text, "    {}", store_text(&address, bit % 8, *scalar, &bits));
                    }
                    format!("argument_{index}")
                }
            });
        }
        found.join(", ")
    }
}

/// How a scalar type lies in memory; `None` for aggregates.
fn scalar(types: &TypeTable, program: &Program, ty: crate::ir::types::TypeId) -> Option<Scalar> {
    crate::exec::layout::Layouts::new(types, program.target).scalar(ty, None)
}

fn address(map: &Map, spot: &Spot) -> String {
    format!("{}u", map.objects.get(&spot.object).copied().unwrap_or(0) + spot.bit / 8)
}

/// A value of the model as an expression of its scalar's value type.
fn value_text(map: &Map, scalar: Scalar, value: Value) -> String {
    match scalar.kind {
        Kind::Pointer => {
            let (number, offset) = ((value.bits() >> 32) as u32, value.bits() as u32);
            match map.objects.get(&number) {
                Some(address) => format!("{}u", address.wrapping_add(u64::from(offset))),
                None => "0u".to_owned(),
            }
        }
        Kind::Float(model::sort::FloatFormat::Single) => format!("single(0x{:x}u)", value.bits()),
        Kind::Float(model::sort::FloatFormat::Double) => format!("double_(0x{:x}ull)", value.bits()),
        Kind::Word => {
            debug_assert!(!value_type(scalar).is_empty());
            literal(value.signed(), scalar)
        }
    }
}

/// What ends a step that does not return, and the calls that are seen until then, for a replay.
const MARK: &str = include_str!("mark.c");

impl Replay<'_> {
    /// Tables and functions that show how far a last step came that does not return.
    pub(super) fn print_marks(&self, text: &mut String, fed: &[Fed]) {
        let end = fed.last().and_then(|last| last.end.as_ref());
        let is_undefined = fed.last().is_some_and(|last| last.is_undefined);
        let marks: Vec<String> = end
            .into_iter()
            .flatten()
            .map(|(function, holds)| format!("{{ {}, {} }}, ", function.index(), u8::from(*holds)))
            .collect();
        let _ = writeln!(
            text,
            "enum {{ ENDS = {}, MARKS = {}, STOPS = {} }};\nstatic const unsigned marks[][2] = {{ {}{{ 0, 0 }} }};",
            u8::from(end.is_some()),
            marks.len(),
            u8::from(is_undefined || self.defines_assumptions()),
            marks.concat()
        );
        text.push_str(MARK);
    }

    /// Whether the program has functions of its own for assumptions: where these do not hold, they
    /// may do anything.
    fn defines_assumptions(&self) -> bool {
        let is_own = |function: &Function| function.body.is_some() && seen(function) == Some(Seen::Assumed);
        self.program.functions.values().any(is_own)
    }
}

/// The rows of a table of inputs: one for each step after initialisation.
pub(super) fn print_input_rows(text: &mut String, fed: &[Fed]) {
    for step in fed.iter().skip(1) {
        let values: Vec<String> =
            step.inputs.iter().map(|value| format!("0x{:x}ull", value.bits())).collect();
        let _ = writeln!(
            text,
            "    {{ {} }},",
            if values.is_empty() { "0".to_owned() } else { values.join(", ") }
        );
    }
}

/// What functions that no file defines return and write, as a table of numbers: step + 1 and
/// function of a call, the number of its parts; of each part the slot, first bit, width and bits.
pub(crate) fn print_fed_table(text: &mut String, fed: &[Fed]) {
    text.push_str("static const uint64_t fed[] = {\n");
    for (index, step) in fed.iter().enumerate() {
        for (function, parts) in &step.calls {
            let _ = write!(text, "    {}u, {}u, {}u", index, function.index(), parts.len());
            for (slot, bit, scalar, value) in parts {
                let slot = slot.number();
                let _ = write!(text, ", {slot}u, {bit}u, {}u, 0x{:x}ull", scalar.extent, value.bits());
            }
            text.push_str(",\n");
        }
    }
    text.push_str("    ~0ull\n};\n");
}

/// The function that turns an address back into the model's pointer.
fn print_numbers(text: &mut String, map: &Map, objects: &[Fixed]) {
    text.push_str("static unsigned long long original(uint64_t address) {\n");
    let placed = objects.iter().filter_map(|object| Some((object, *map.objects.get(&object.number)?)));
    text.push_str("    if (address == 0) return 0;\n");
    for (Fixed { number, size, .. }, address) in placed {
        let size = (*size).max(1);
        let _ = writeln!(
            text,
            "    if (address >= {address}u && address - {address}u < {size}u) return (unsigned long long){number} << 32 | (uint32_t)(address - {address}u);"
        );
    }
    text.push_str("    return address;\n}\n");
}

fn evaluate_all(
    system: &TransitionSystem,
    roots: &[model::term::TermId],
    environment: &FxHashMap<SymbolId, Value>,
) -> Vec<Value> {
    let mut evaluator = Evaluator::new(&system.terms, roots.iter().copied());
    evaluator.run(|symbol| look_up(system, environment, symbol));
    (0..roots.len()).map(|index| evaluator.value(index)).collect()
}

fn look_up(system: &TransitionSystem, environment: &FxHashMap<SymbolId, Value>, symbol: SymbolId) -> Value {
    let known = environment.get(&symbol).copied();
    known.unwrap_or_else(|| Value::zero(system.terms.symbol(symbol).sort))
}

fn parts(
    system: &TransitionSystem,
    environment: &FxHashMap<SymbolId, Value>,
    parts: &[(Slot, u64, Scalar, SymbolId)],
) -> Vec<FedPart> {
    let value = |symbol| look_up(system, environment, symbol);
    parts.iter().map(|&(slot, bit, scalar, symbol)| (slot, bit, scalar, value(symbol))).collect()
}

const FEED: &str = r#"
static void feed(int function, uint64_t result, const uint64_t *pointers) {
    static unsigned position;
    const uint64_t *entry = fed + position;
    uint64_t part;
    if (entry[0] != (uint64_t)(step + 1) || entry[1] != (uint64_t)function) {
        fprintf(stderr, "the program calls another function than the chain foresees\n");
        exit(8);
    }
    for (part = 0; part < entry[2]; part++) {
        const uint64_t *value = entry + 3 + 4 * part;
        const uint64_t base = value[0] == 0 ? result : pointers[value[0] - 1];
        if (base != 0) store(base + value[1] / 8, (unsigned)(value[1] % 8), (unsigned)value[2], value[3]);
    }
    position += 3 + 4 * (unsigned)entry[2];
}
"#;

const PROTOCOL: &str = r#"
static void quit(int code) { fflush(stdout); exit(code); }
static void print_end(int at) { printf("E %d\n", at); }
static void finish(void) {
    print_outputs(step);
    print_states(step + 1);
}
static void before_step(void) {
    if (ENDS && step + 1 == STEPS) quit(9);
    if (step >= 0) print_outputs(step);
    print_states(step + 1);
    step++;
    if (step == STEPS) { fflush(stdout); exit(0); }
    printf("B %d\n", step);
    fflush(stdout);
    forget_calls();
    set_inputs(step);
    step_entered();
}
static void end_program(void) {
    if (ENDS && step >= 0 && step + 1 == STEPS) end_early();
    if (step >= 0 && step + 1 == STEPS) { finish(); fflush(stdout); exit(0); }
    fflush(stdout);
    fprintf(stderr, "the program ends before the chain does\n");
    exit(7);
}
"#;
