//! The main program of a native replay: objects of its own, what is called without a body, inputs
//! and what is printed.

use super::runtime::{COMPACT, DRIVER_MAIN, END_PROGRAM, FEED, HOSTED, MAIN, RUNTIME};
use super::{Mode, PREFIX, float_class};
use crate::detect::walk;
use crate::exec::initial_memory::Slot;
use crate::exec::layout::{Kind, Layouts, Scalar};
use crate::exec::object::Origin;
use crate::exec::{Meaning, Seen, format_position, meaning, seen};
use crate::harness::blueprint::{Argument, Given, Spot};
use crate::harness::plan::{Fed, Replay};
use crate::ir::{FunctionId, GlobalId};
use model::id::Id;
use model::term::SymbolId;
use model::trace::{Start, Trace};
use model::value::Value;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::fmt::Write;

impl Replay<'_> {
    pub(super) fn main_text(&self, mode: Mode, trace: &Trace, fed: &[Fed]) -> String {
        let mut text = String::from(RUNTIME);
        if mode == Mode::Compact {
            text.push_str(COMPACT);
        } else {
            text.push_str(HOSTED);
        }
        let _ = writeln!(text, "enum {{ STEPS = {} }};", trace.inputs.len());
        self.print_objects(&mut text);
        crate::harness::plan::print_fed_table(&mut text, fed);
        text.push_str(FEED);
        self.print_marks(&mut text, fed);
        self.print_outside(&mut text);
        self.print_forget_calls(&mut text);
        self.print_overrides(&mut text);
        self.print_memory_shown(&mut text);
        self.print_inputs_set(&mut text, fed);
        self.print_steps(&mut text);
        self.print_start(&mut text, trace);
        self.print_round(&mut text);
        text.push_str(END_PROGRAM);
        text.push_str(if self.entry.driver.is_some() { DRIVER_MAIN } else { MAIN });
        text
    }

    /// Storage for objects that no file defines, and the addresses of all.
    fn print_objects(&self, text: &mut String) {
        let mut cases = String::new();
        let hidden = self.needed_hidden();
        if !hidden.is_empty() {
            let count = 2 * self.program.globals.len() + 8;
            let names = print_weak(text, "order", &format!("{PREFIX}order"), count);
            let _ = writeln!(
                text,
                "static int is_ascending(void) {{\n    byte *const all[] = {{ {names} }};\n    byte *const first = nth(all, sizeof all / sizeof *all, 0);\n    return first && *first == 1;\n}}"
            );
        }
        let locals: BTreeSet<u32> = self.round_locals().into_iter().map(|(_, number)| number).collect();
        for object in &self.blueprint.objects {
            let number = object.number;
            let address = match &object.origin {
                Origin::Local(..) if locals.contains(&number) => {
                    let _ = writeln!(text, "static byte *local_{number};");
                    format!("local_{number}")
                }
                Origin::Global(global) => {
                    let declaration = &self.program.globals[*global];
                    if !declaration.is_defined {
                        let name = format!("{PREFIX}of_{}", declaration.name);
                        let _ = writeln!(text, "_Alignas(16) unsigned char {name}[{}];", object.size.max(1));
                        name
                    } else if declaration.function.is_some() {
                        if !hidden.contains(global) {
                            continue;
                        }
                        self.print_hidden(text, *global, number)
                    } else {
                        let _ = writeln!(text, "void *{PREFIX}address_{number}(void);");
                        format!("{PREFIX}address_{number}()")
                    }
                }
                Origin::Function(function) => {
                    let declaration = &self.program.functions[*function];
                    if declaration.body.is_none()
                        || declaration.is_builtin()
                        || self.program.units[declaration.unit].is_property_file
                    {
                        continue;
                    }
                    let _ = writeln!(text, "void *{PREFIX}address_{number}(void);");
                    format!("{PREFIX}address_{number}()")
                }
                Origin::Text(_)
                | Origin::Local(..)
                | Origin::ConditionLocal(..)
                | Origin::Outside(..)
                | Origin::Gone => {
                    continue;
                }
                Origin::Parameter(..) | Origin::Pointee(_) | Origin::Returned(_) | Origin::Passed(..) => {
                    let _ = writeln!(
                        text,
                        "static _Alignas(16) unsigned char object_{number}[{}];",
                        object.size.max(1)
                    );
                    format!("object_{number}")
                }
            };
            let _ = writeln!(cases, "    case {number}: return (byte *){address};");
        }
        self.print_unsized(text);
        let sizes = self.blueprint.objects.iter().filter(|object| !matches!(object.origin, Origin::Text(_)));
        let table: Vec<String> =
            sizes.map(|object| format!("{{ {}, {} }}", object.number, object.size.max(1))).collect();
        let _ = writeln!(
            text,
            "static byte *address(unsigned object) {{\n    switch (object) {{\n{cases}    default: return 0;\n    }}\n}}\n\
             static const unsigned objects[][2] = {{ {}{}{{ 0, 0 }} }};",
            table.join(", "),
            if table.is_empty() { "" } else { ", " },
        );
    }

    /// Storage for tables of unknown length that no file defines: only code that is never
    /// executed reads them, but the linker wants them.
    fn print_unsized(&self, text: &mut String) {
        let objects = self.blueprint.objects.iter();
        let known: BTreeSet<GlobalId> = objects
            .filter_map(|object| match object.origin {
                Origin::Global(global) => Some(global),
                _ => None,
            })
            .collect();
        for (global, declaration) in self.program.globals.iter() {
            if !declaration.is_defined && !known.contains(&global) {
                let _ = writeln!(text, "_Alignas(16) unsigned char {PREFIX}of_{}[16];", declaration.name);
            }
        }
    }

    /// What the hook in a driver's loop calls.
    fn print_round(&self, text: &mut String) {
        if self.entry.driver.is_none() {
            return;
        }
        text.push_str("static void round_begins(void);\n");
        let _ = writeln!(text, "void {PREFIX}round(void **locals) {{\n    (void)locals;");
        for (index, (_, number)) in self.round_locals().into_iter().enumerate() {
            let _ = writeln!(text, "    local_{number} = locals[{index}];");
        }
        text.push_str("    round_begins();\n}\n");
    }

    /// A static variable of a function, under its name with a number that the compiler chose:
    /// numbers ascend or descend in the order of declaration, which two variables of known order
    /// tell.
    fn print_hidden(&self, text: &mut String, global: GlobalId, number: u32) -> String {
        let declaration = &self.program.globals[global];
        let statics = self.program.globals.iter().filter(|(_, other)| other.function.is_some());
        let same: Vec<GlobalId> =
            statics.filter(|(_, other)| other.name == declaration.name).map(|(id, _)| id).collect();
        let position = same.iter().position(|&id| id == global).unwrap_or(0);
        let count = 2 * self.program.globals.len() + 8;
        let names = print_weak(text, &format!("hidden_{number}"), &declaration.name, count);
        let _ = writeln!(
            text,
            "static byte *find_{number}(void) {{\n    byte *const all[] = {{ {names} }};\n    return nth(all, sizeof all / sizeof *all, is_ascending() ? {position} : {});\n}}",
            same.len() - 1 - position
        );
        format!("find_{number}()")
    }

    /// Functions that no file defines.
    fn print_outside(&self, text: &mut String) {
        for function in walk::outside_functions(self.program) {
            let declaration = &self.program.functions[function];
            let kind = meaning(declaration);
            if let Some((class, ty)) = float_class(&declaration.name) {
                let name = &declaration.name;
                let _ = writeln!(
                    text,
                    "int {PREFIX}of_{name}({ty} value) {{ return __builtin_{class}(value) != 0; }}"
                );
                continue;
            }
            if matches!(
                kind,
                Meaning::Math | Meaning::Copy | Meaning::Fill | Meaning::Compare | Meaning::Text(_)
            ) {
                continue;
            }
            let result = self.value_type(declaration.result).unwrap_or_else(|| "void".to_owned());
            let mut parameters = Vec::new();
            let mut pointers = Vec::new();
            for (index, &local) in declaration.parameters.iter().enumerate() {
                let ty = self.value_type(declaration.locals[local].ty).unwrap_or_else(|| "int".to_owned());
                parameters.push(format!("{ty} p{index}"));
                pointers.push(if ty == "void *" { format!("p{index}") } else { "0".to_owned() });
            }
            if let Some(ty) = self.unspecified_type(function).filter(|_| seen(declaration).is_some()) {
                parameters.push(format!("{ty} p0"));
                pointers.push("0".to_owned());
            }
            let more = self.most_arguments(function).saturating_sub(parameters.len());
            let scanned = declaration.parameters.len()..declaration.parameters.len() + more;
            let is_scan = format_position(&declaration.name).is_some();
            pointers.extend(
                scanned.map(|_| if is_scan { "__builtin_va_arg(more, void *)" } else { "0" }.to_owned()),
            );
            pointers.push("0".to_owned());
            if declaration.is_variadic && !parameters.is_empty() {
                parameters.push("...".to_owned());
            }
            let list = if parameters.is_empty() && !declaration.is_variadic {
                "void".to_owned()
            } else {
                parameters.join(", ")
            };
            let _ = writeln!(text, "{result} {PREFIX}of_{}({list}) {{", declaration.name);
            self.print_seen(text, function, !parameters.is_empty());
            match kind {
                Meaning::Ordinary => {
                    self.print_passed(text, function);
                    if is_scan {
                        let last = declaration.parameters.len().saturating_sub(1);
                        let _ = writeln!(
                            text,
                            "    __builtin_va_list more;\n    __builtin_va_start(more, p{last});"
                        );
                    }
                    let _ = writeln!(text, "    void *const pointers[] = {{ {} }};", pointers.join(", "));
                    if result == "void" {
                        let _ = writeln!(text, "    feed({}, 0, pointers);", function.index());
                    } else {
                        let _ = writeln!(
                            text,
                            "    {result} value;\n    clear(&value, sizeof value);\n    feed({}, &value, pointers);\n    return value;",
                            function.index()
                        );
                    }
                }
                Meaning::End | Meaning::Error | Meaning::FailedAssertion | Meaning::Refused => {
                    text.push_str("    end_program();\n");
                    if result != "void" {
                        text.push_str("    return 0;\n");
                    }
                }
                _ if result != "void" => text.push_str("    return 0;\n"),
                _ => {}
            }
            text.push_str("}\n");
        }
    }

    /// Shows that a call is reached that says how far a step comes which does not return.
    fn print_seen(&self, text: &mut String, function: FunctionId, has_argument: bool) {
        let declaration = &self.program.functions[function];
        let truth = if has_argument { "p0 != 0" } else { "1" };
        let number = function.index();
        let _ = match seen(declaration) {
            Some(Seen::Truth) => writeln!(text, "    mark({number}u, {truth});"),
            Some(Seen::Reached) => writeln!(text, "    mark({number}u, 1);"),
            Some(Seen::Failed) => writeln!(text, "    mark_failed({number}u);"),
            Some(Seen::Assumed) => writeln!(text, "    assumed({truth});"),
            None => Ok(()),
        };
    }

    /// The type of the first argument that is passed to a function whose declaration does not say
    /// what it takes.
    fn unspecified_type(&self, function: FunctionId) -> Option<String> {
        let declaration = &self.program.functions[function];
        if !declaration.parameters.is_empty() || !declaration.is_variadic {
            return None;
        }
        let bodies = self.program.functions.values().filter_map(|caller| caller.body.as_ref());
        let mut calls = bodies.flat_map(walk::calls_in).filter(|call| call.callee == function);
        calls.find_map(|call| self.value_type(call.arguments.first()?.ty))
    }

    /// The most arguments that a call of a function has.
    fn most_arguments(&self, function: FunctionId) -> usize {
        let bodies = self.program.functions.values().filter_map(|caller| caller.body.as_ref());
        let calls = bodies.flat_map(walk::calls_in).filter(|call| call.callee == function);
        calls.map(|call| call.arguments.len()).max().unwrap_or(0)
    }

    /// Keeps what a function that no file defines is given.
    fn print_passed(&self, text: &mut String, function: FunctionId) {
        for index in 0..self.program.functions[function].parameters.len() {
            if let Some(object) = self.blueprint.find(&Origin::Passed(function, Some(index))) {
                let number = object.number;
                let _ = writeln!(text, "    __builtin_memcpy(object_{number}, &p{index}, sizeof p{index});");
            }
        }
        if let Some(object) = self.blueprint.find(&Origin::Passed(function, None)) {
            let _ = writeln!(text, "    *object_{} = 1;", object.number);
        }
    }

    /// What forgets, before a step, which functions were called.
    fn print_forget_calls(&self, text: &mut String) {
        text.push_str("static void forget_calls(void) {\n");
        for object in &self.blueprint.objects {
            if matches!(object.origin, Origin::Passed(_, None)) {
                let _ = writeln!(text, "    *object_{} = 0;", object.number);
            }
        }
        text.push_str("}\n");
    }

    /// Initial values that do not come from the model's own initialisers.
    fn print_overrides(&self, text: &mut String) {
        text.push_str("static void prepare(void) {\n");
        for (spot, value) in &self.blueprint.overrides {
            let _ = writeln!(text, "    {}", store(spot, &bits_text(spot.scalar, *value)));
        }
        text.push_str("}\n");
    }

    fn print_memory_shown(&self, text: &mut String) {
        for (name, letter, spots) in
            [("print_states", 'S', &self.blueprint.states), ("print_outputs", 'O', &self.blueprint.outputs)]
        {
            let _ = writeln!(text, "static void {name}(unsigned at) {{");
            for (index, spot) in spots.iter().enumerate() {
                let load = format!(
                    "load(address({}) + {}, {}, {})",
                    spot.object,
                    spot.bit / 8,
                    spot.bit % 8,
                    spot.scalar.extent
                );
                let load = if spot.scalar.kind == Kind::Pointer { format!("original({load})") } else { load };
                let _ = writeln!(text, "    print_line('{letter}', at, {index}, {load});");
            }
            text.push_str("}\n");
        }
    }

    fn print_inputs_set(&self, text: &mut String, fed: &[Fed]) {
        let count = self.blueprint.inputs.len().max(1);
        let _ = writeln!(text, "static const wide inputs[][{count}] = {{");
        crate::harness::plan::print_input_rows(text, fed);
        text.push_str("    { 0 }\n};\nstatic void set_inputs(unsigned at) {\n    (void)at;\n");
        for (index, (_, spot)) in self.blueprint.inputs.iter().enumerate() {
            let _ = writeln!(text, "    {}", store(spot, &format!("inputs[at][{index}]")));
        }
        text.push_str("}\n");
    }

    fn print_steps(&self, text: &mut String) {
        for scheduled in &self.entry.steps {
            let _ = writeln!(
                text,
                "void {PREFIX}call_{}(void **arguments, void *result);",
                scheduled.function.index()
            );
        }
        text.push_str("static void take_step(void) {\n");
        for scheduled in &self.entry.steps {
            let declaration = &self.program.functions[scheduled.function];
            let parameters = 0..declaration.parameters.len();
            let mut arguments: Vec<String> = parameters
                .map(|index| self.blueprint.find(&Origin::Parameter(scheduled.function, index)))
                .map(|object| format!("address({})", object.map_or(0, |object| object.number)))
                .collect();
            arguments.push("0".to_owned());
            let result = self.blueprint.find(&Origin::Returned(scheduled.function));
            let result = result.map_or("0".to_owned(), |object| format!("address({})", object.number));
            let condition = if scheduled.every > 1 {
                format!("if (step % {} == {}) ", scheduled.every, scheduled.phase)
            } else {
                String::new()
            };
            let _ = writeln!(
                text,
                "    {condition}{{ void *arguments[] = {{ {} }}; {PREFIX}call_{}(arguments, {result}); }}",
                arguments.join(", "),
                scheduled.function.index()
            );
        }
        text.push_str("}\n");
    }

    fn print_start(&self, text: &mut String, trace: &Trace) {
        let start = self.entry.driver.map(|driver| driver.start).or(self.entry.init);
        let Some(init) = start else {
            text.push_str("static void start(void) {}\n");
            return;
        };
        let initial: FxHashMap<SymbolId, Value> = match &trace.start {
            Start::Initial(values) => {
                let symbols = self.system.initial_inputs.values().map(|input| input.symbol);
                symbols.zip(values.iter().copied()).collect()
            }
            Start::State(_) => FxHashMap::default(),
        };
        let _ = writeln!(
            text,
            "void {PREFIX}call_{}(void **arguments, void *result);\nstatic void start(void) {{",
            init.index()
        );
        let layouts = Layouts::new(&self.program.types, self.program.target);
        let declaration = &self.program.functions[init];
        let mut names = Vec::new();
        for (index, argument) in self.blueprint.arguments.iter().enumerate() {
            let scalar = layouts.scalar(declaration.locals[declaration.parameters[index]].ty, None);
            let (Argument::Scalar(given), Some(scalar)) = (argument, scalar) else { continue };
            let value = match given {
                Given::Constant(value) => *value,
                Given::Initial(symbol) => initial[symbol],
            };
            let _ = writeln!(text, "    wide argument_{index} = {};", bits_text(scalar, value));
            names.push(format!("&argument_{index}"));
        }
        names.push("0".to_owned());
        let _ = writeln!(
            text,
            "    {{ void *arguments[] = {{ {} }}; {PREFIX}call_{}(arguments, 0); }}\n}}",
            names.join(", "),
            init.index()
        );
    }
}

/// The bits of a value in native memory; pointers are turned into addresses.
fn bits_text(scalar: Scalar, value: Value) -> String {
    match scalar.kind {
        Kind::Pointer => {
            let (number, offset) = (value.bits() >> 32, value.bits() as u32);
            if number == 0 {
                format!("{offset}ull")
            } else {
                format!("(wide)(size)(address({number}) + {offset}u)")
            }
        }
        _ => format!("0x{:x}ull", value.bits()),
    }
}

/// Declares the variables that a name with a number may stand for; their C names.
fn print_weak(text: &mut String, prefix: &str, name: &str, count: usize) -> String {
    let mut names = Vec::new();
    for index in 0..count {
        let _ = writeln!(
            text,
            "extern byte {prefix}_{index}[] __asm__(\"{name}.{index}\") __attribute__((weak));"
        );
        names.push(format!("{prefix}_{index}"));
    }
    names.join(", ")
}

pub(super) fn store(spot: &Spot, bits: &str) -> String {
    format!(
        "store(address({}) + {}, {}, {}, {bits});",
        spot.object,
        spot.bit / 8,
        spot.bit % 8,
        spot.scalar.extent
    )
}

impl Slot {
    /// The number of the slot in tables of fed values: 0 for the result, else 1 + index of the
    /// parameter.
    pub(crate) fn number(self) -> usize {
        match self {
            Self::Result => 0,
            Self::Parameter(index) => index + 1,
        }
    }
}
