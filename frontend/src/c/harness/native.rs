//! The model's own code, compiled for its data model, with the chain fed into it.
//!
//! Every file of the model becomes one translation unit: its preprocessed text, unchanged, with a few functions behind it that tell
//! where its objects are and call its step. A main program sets inputs, calls init and step through these, and prints the memory. It needs no
//! C library for a 32-bit target on a 64-bit host, where there mostly is none.

use super::blueprint::{Argument, Fixed, Given, Spot};
use super::driver::with_hook;
use super::plan::{Fed, NoPlan, Replay};
use crate::c::detect::{DriverLoop, walk};
use crate::c::exec::layout::{Kind, Layouts, Scalar};
use crate::c::exec::object::Origin;
use crate::c::exec::world::Slot;
use crate::c::exec::{Meaning, meaning};
use crate::c::ir::target::DataModel;
use crate::c::ir::types::{Type, TypeId};
use crate::c::ir::{FunctionId, GlobalId, LocalId, UnitId};
use crate::c::request::ReplayPlan;
use model::id::Id;
use model::term::SymbolId;
use model::trace::{Start, Trace};
use model::value::Value;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::process::Command;
use std::sync::OnceLock;

/// How the host runs code of a data model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// The data model is the host's.
    Host,
    /// The compiler has a mode for it, and programs without a C library run.
    Compact,
}

/// Prefix of all names that a replay adds to a model.
const PREFIX: &str = "chaincover_";

impl Replay<'_> {
    /// The chain on the model's own code; `None` where the host or the model does not allow that.
    pub(crate) fn native(&self, trace: &Trace) -> Result<Option<ReplayPlan>, NoPlan> {
        let Some(mode) = self.mode() else { return Ok(None) };
        if !self.is_reachable() || self.has_clashes() {
            return Ok(None);
        }
        let fed = self.feed(trace)?;
        let mut files = Vec::new();
        let mut commands = Vec::new();
        let mut link: Vec<String> = compiler(mode);
        link.extend(["-o".to_owned(), "replay".to_owned(), "main.c".to_owned()]);
        let renames = self.renames();
        for (id, _) in self.program.units.iter().filter(|(_, unit)| !unit.is_property_file) {
            let name = format!("unit{}", id.index());
            let Some(own) = self.own_text(id) else { return Ok(None) };
            files.push((format!("{name}.c"), format!("{own}\n{}", self.accessors(id))));
            let mut compile = compiler(mode);
            compile.extend(renames.iter().cloned());
            compile.push(format!("-Dmain={PREFIX}main_of_{name}"));
            compile.extend(["-c".to_owned(), "-o".to_owned(), format!("{name}.o"), format!("{name}.c")]);
            commands.push(compile);
            let hidden = self.hidden_names(id);
            if !hidden.is_empty() {
                let mut globalize = vec!["objcopy".to_owned(), "-w".to_owned()];
                globalize.extend(hidden.iter().map(|name| format!("--globalize-symbol={name}.*")));
                globalize.push(format!("--globalize-symbol={PREFIX}order.*"));
                globalize.push(format!("{name}.o"));
                commands.push(globalize);
            }
            link.push(format!("{name}.o"));
        }
        if mode == Mode::Host {
            link.push("-lm".to_owned());
        }
        files.push(("main.c".to_owned(), self.main_text(mode, trace, &fed)));
        commands.push(link);
        commands.push(vec!["./replay".to_owned()]);
        let how = match mode {
            Mode::Host => "native",
            Mode::Compact => "native -m32",
        };
        Ok(Some(ReplayPlan { files, commands, how: how.to_owned() }))
    }

    /// The text of a unit, with the hook where it holds the driver's loop; `None` where that loop cannot be found in it.
    fn own_text(&self, id: UnitId) -> Option<Cow<'_, str>> {
        let text = &self.program.units[id].text;
        let Some(driver) = self.entry.driver else { return Some(Cow::Borrowed(text)) };
        let function = &self.program.functions[driver.function];
        if function.unit != id {
            return Some(Cow::Borrowed(text));
        }
        let addresses =
            self.round_locals().into_iter().map(|(local, _)| format!("&{}, ", function.locals[local].name));
        let hook = format!(
            " {{ extern void {PREFIX}round(void **); void *{PREFIX}locals[] = {{ {}0 }}; {PREFIX}round({PREFIX}locals); }}",
            addresses.collect::<String>()
        );
        with_hook(text, &hook).map(Cow::Owned)
    }

    /// Variables of the driver's function that are shown or set, with the numbers of their objects.
    fn round_locals(&self) -> Vec<(LocalId, u32)> {
        let Some(driver) = self.entry.driver else { return Vec::new() };
        let needed = self.needed_objects();
        let objects = self.blueprint.objects.iter().filter(|object| needed.contains(&object.number));
        let local = |object: &Fixed| match object.origin {
            Origin::Local(function, Some(local), 0) if function == driver.function => {
                Some((local, object.number))
            }
            _ => None,
        };
        objects.filter_map(local).collect()
    }

    /// The numbers of objects that are shown, set or given initial values.
    fn needed_objects(&self) -> BTreeSet<u32> {
        let spots = self.blueprint.states.iter().chain(&self.blueprint.outputs);
        let spots = spots.chain(self.blueprint.inputs.iter().map(|(_, spot)| spot));
        let spots = spots.chain(self.blueprint.overrides.iter().map(|(spot, _)| spot));
        spots.map(|spot| spot.object).collect()
    }

    fn mode(&self) -> Option<Mode> {
        let is_host = cfg!(all(target_arch = "x86_64", target_os = "linux"));
        match self.program.target.model {
            DataModel::Lp64 if is_host => Some(Mode::Host),
            DataModel::Ilp32 if is_host && !self.calls_mathematics() && runs_compact() => Some(Mode::Compact),
            _ => None,
        }
    }

    fn calls_mathematics(&self) -> bool {
        walk::outside_functions(self.program)
            .iter()
            .any(|&function| meaning(&self.program.functions[function]) == Meaning::Math)
    }

    /// Whether everything that is shown, set or called can be reached from outside the code.
    fn is_reachable(&self) -> bool {
        let spots = self.blueprint.states.iter().chain(&self.blueprint.outputs);
        let spots = spots.chain(self.blueprint.inputs.iter().map(|(_, spot)| spot));
        let mut objects: BTreeMap<u32, &Origin> = BTreeMap::new();
        for object in &self.blueprint.objects {
            objects.insert(object.number, &object.origin);
        }
        let locals: BTreeSet<u32> = self.round_locals().into_iter().map(|(_, number)| number).collect();
        let is_known = |spot: &Spot| {
            locals.contains(&spot.object)
                || matches!(
                    objects.get(&spot.object),
                    Some(
                        Origin::Global(_)
                            | Origin::Parameter(..)
                            | Origin::Pointee(_)
                            | Origin::Returned(_)
                            | Origin::Passed(..)
                    )
                )
        };
        let by_value = |function: FunctionId| {
            let declaration = &self.program.functions[function];
            declaration
                .parameters
                .iter()
                .all(|&local| self.value_type(declaration.locals[local].ty).is_some())
        };
        let outside = |function: &FunctionId| {
            let declaration = &self.program.functions[*function];
            by_value(*function)
                && (self.is_void(declaration.result) || self.value_type(declaration.result).is_some())
        };
        let mut entries = self.entry.steps.iter().map(|step| step.function).chain(self.entry.init);
        let is_plain = |driver: DriverLoop| self.program.functions[driver.start].parameters.is_empty();
        self.entry.driver.is_none_or(is_plain)
            && spots.into_iter().all(is_known)
            && entries.all(by_value)
            && walk::outside_functions(self.program).iter().all(outside)
    }

    fn is_void(&self, ty: TypeId) -> bool {
        matches!(self.program.types.types[ty], Type::Void)
    }

    /// How C writes a scalar type without names of the model; `None` for records.
    fn value_type(&self, ty: TypeId) -> Option<String> {
        let types = &self.program.types;
        match &types.types[ty] {
            Type::Integer(kind) | Type::Boolean { kind, .. } => Some(kind.name().to_owned()),
            Type::Enum(id) => Some(types.enums[*id].underlying.name().to_owned()),
            Type::Float(_) => Some(types.name(ty)),
            Type::Pointer(_) => Some("void *".to_owned()),
            _ => None,
        }
    }

    /// Options that keep names of the model apart from those of the C library.
    fn renames(&self) -> Vec<String> {
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for function in walk::outside_functions(self.program) {
            let declaration = &self.program.functions[function];
            let is_known = matches!(
                meaning(declaration),
                Meaning::Math | Meaning::Copy | Meaning::Fill | Meaning::Compare | Meaning::Text(_)
            );
            if !is_known || float_class(&declaration.name).is_some() {
                names.insert(&declaration.name);
            }
        }
        names.extend(self.undefined_globals().map(|global| self.program.globals[global].name.as_str()));
        let mut options: Vec<String> =
            names.iter().map(|name| format!("-D{name}={PREFIX}of_{name}")).collect();
        if self.overrides_constants() {
            options.push("-Dconst=".to_owned());
        }
        options
    }

    fn undefined_globals(&self) -> impl Iterator<Item = GlobalId> {
        self.program.globals.iter().filter(|(_, global)| !global.is_defined).map(|(id, _)| id)
    }

    fn overrides_constants(&self) -> bool {
        let objects: BTreeMap<u32, &Origin> =
            self.blueprint.objects.iter().map(|object| (object.number, &object.origin)).collect();
        self.blueprint.overrides.iter().any(|(spot, _)| match objects.get(&spot.object) {
            Some(Origin::Global(global)) => self.program.globals[*global].is_const,
            _ => false,
        })
    }

    /// Static variables of functions of a unit that are shown or set: their names, to which the compiler appends a number.
    fn hidden_names(&self, unit: UnitId) -> BTreeSet<&str> {
        let hidden = self.needed_hidden().into_iter().map(|global| &self.program.globals[global]);
        hidden.filter(|global| global.unit == unit).map(|global| global.name.as_str()).collect()
    }

    /// Static variables of functions that are shown or set.
    fn needed_hidden(&self) -> BTreeSet<GlobalId> {
        let needed = self.needed_objects();
        let objects = self.blueprint.objects.iter().filter(|object| needed.contains(&object.number));
        let globals = objects.filter_map(|object| match object.origin {
            Origin::Global(global) => Some(global),
            _ => None,
        });
        globals.filter(|&global| self.program.globals[global].function.is_some()).collect()
    }

    /// Whether two files have static variables in functions that would get in each other's way.
    fn has_clashes(&self) -> bool {
        let mut units: BTreeMap<&str, UnitId> = BTreeMap::new();
        let hidden = self.needed_hidden();
        let names: BTreeSet<&str> =
            hidden.iter().map(|&global| self.program.globals[global].name.as_str()).collect();
        let statics = self.program.globals.values().filter(|global| global.function.is_some());
        statics
            .filter(|global| names.contains(global.name.as_str()))
            .any(|global| units.insert(&global.name, global.unit).is_some_and(|unit| unit != global.unit))
    }

    /// Functions behind the text of a unit that lead to its objects and functions.
    fn accessors(&self, unit: UnitId) -> String {
        let mut text = String::new();
        for object in &self.blueprint.objects {
            let name = match &object.origin {
                Origin::Global(global) => {
                    let declaration = &self.program.globals[*global];
                    let is_here =
                        declaration.unit == unit && declaration.is_defined && declaration.function.is_none();
                    is_here.then(|| format!("&{}", declaration.name))
                }
                Origin::Function(function) => {
                    let declaration = &self.program.functions[*function];
                    let is_here = declaration.unit == unit && declaration.body.is_some();
                    (is_here && !declaration.is_builtin()).then(|| declaration.name.clone())
                }
                _ => None,
            };
            if let Some(name) = name {
                let _ = writeln!(
                    text,
                    "void *{PREFIX}address_{}(void) {{ return (void *)({name}); }}",
                    object.number
                );
            }
        }
        let first_hidden = self.needed_hidden().first().map(|&global| self.program.globals[global].unit);
        if first_hidden == Some(unit) {
            let _ = writeln!(
                text,
                "unsigned char *{PREFIX}first(void) {{ static unsigned char {PREFIX}order = 1; return &{PREFIX}order; }}\n\
                 unsigned char *{PREFIX}second(void) {{ static unsigned char {PREFIX}order = 2; return &{PREFIX}order; }}"
            );
        }
        let entries = self.entry.steps.iter().map(|step| step.function).chain(self.entry.init);
        let entries = entries.chain(self.entry.driver.map(|driver| driver.start));
        for function in entries.collect::<BTreeSet<_>>() {
            if self.program.functions[function].unit == unit {
                self.entry_accessor(&mut text, function);
            }
        }
        text
    }

    /// A function that calls an entry function with the values that lie at given addresses.
    fn entry_accessor(&self, text: &mut String, function: FunctionId) {
        let declaration = &self.program.functions[function];
        let mut arguments = Vec::new();
        for (index, &local) in declaration.parameters.iter().enumerate() {
            let ty = self.value_type(declaration.locals[local].ty).unwrap_or_else(|| "int".to_owned());
            arguments.push(format!("*({ty} *){PREFIX}arguments[{index}]"));
        }
        let call = format!("{}({})", declaration.name, arguments.join(", "));
        let _ = write!(
            text,
            "void {PREFIX}call_{}(void **{PREFIX}arguments, void *{PREFIX}result) {{\n    (void){PREFIX}arguments; (void){PREFIX}result;\n",
            function.index()
        );
        if self.is_void(declaration.result) {
            let _ = writeln!(text, "    {call};\n}}");
        } else {
            let _ = writeln!(
                text,
                "    __typeof__({call}) {PREFIX}value = {call};\n    if ({PREFIX}result) __builtin_memcpy({PREFIX}result, &{PREFIX}value, sizeof {PREFIX}value);\n}}"
            );
        }
    }

    // ---- the main program ----

    fn main_text(&self, mode: Mode, trace: &Trace, fed: &[Fed]) -> String {
        let mut text = String::from(RUNTIME);
        if mode == Mode::Compact {
            text.push_str(COMPACT);
        } else {
            text.push_str(HOSTED);
        }
        let _ = writeln!(text, "enum {{ STEPS = {} }};", trace.inputs.len());
        self.print_objects(&mut text);
        super::plan::print_fed_table(&mut text, fed);
        text.push_str(FEED);
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
                Origin::Text(_) | Origin::Local(..) | Origin::ConditionLocal(..) | Origin::Outside(..) => {
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

    /// A static variable of a function, under its name with a number that the compiler chose: numbers ascend or descend in the order of
    /// declaration, which two variables of known order tell.
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
            if let Some(class) = float_class(&declaration.name) {
                let name = &declaration.name;
                let _ = writeln!(
                    text,
                    "int {PREFIX}of_{name}(double value) {{ return __builtin_{class}(value) != 0; }}"
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
            match kind {
                Meaning::Ordinary => {
                    self.print_passed(text, function);
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
        super::plan::print_input_rows(text, fed);
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

/// The classification that a function of math.h asks for: libraries have these as macros, and where they are functions, any number that is
/// not zero stands for a truth.
fn float_class(name: &str) -> Option<&'static str> {
    ["isnan", "isinf", "isfinite", "signbit"].into_iter().find(|class| *class == name)
}

fn store(spot: &Spot, bits: &str) -> String {
    format!(
        "store(address({}) + {}, {}, {}, {bits});",
        spot.object,
        spot.bit / 8,
        spot.bit % 8,
        spot.scalar.extent
    )
}

fn compiler(mode: Mode) -> Vec<String> {
    let common = [
        "cc",
        "-std=gnu11",
        "-O0",
        "-w",
        "-fwrapv",
        "-fno-strict-aliasing",
        "-ffp-contract=off",
        ROUNDING,
        "-fno-builtin",
    ];
    let common = common.into_iter().chain([
        "-fno-stack-protector",
        "-Wno-implicit-function-declaration",
        "-no-pie",
        "-fno-pie",
    ]);
    let special: &[&str] = match mode {
        Mode::Host => &[],
        Mode::Compact => {
            &["-m32", "-msse2", "-mfpmath=sse", "-mno-sse3", "-nostdlib", "-static", "-ffreestanding"]
        }
    };
    let mut command: Vec<String> = common.chain(special.iter().copied()).map(str::to_owned).collect();
    if clears_locals() {
        command.push(CLEAR_LOCALS.to_owned());
    }
    command
}

/// Keeps GCC from computing `0.0 - (double)i` as a negation, which yields -0.0 where IEEE 754 says +0.0.
pub(super) const ROUNDING: &str = "-frounding-math";

/// Gives variables without an initialiser the value that they have in the model, where C leaves it open.
const CLEAR_LOCALS: &str = "-ftrivial-auto-var-init=zero";

/// Whether the host's compiler can clear local variables. Asked once.
fn clears_locals() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| {
        let Ok(folder) = tempfile::tempdir() else { return false };
        let is_written = std::fs::write(folder.path().join("probe.c"), "int chaincover_probe;\n").is_ok();
        let arguments = ["-Werror", CLEAR_LOCALS, "-c", "-o", "probe.o", "probe.c"];
        let done = Command::new("cc").args(arguments).current_dir(folder.path()).output();
        is_written && done.is_ok_and(|done| done.status.success())
    })
}

/// Whether the host's compiler makes 32-bit programs without a C library, and the host runs them. Asked once.
fn runs_compact() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| {
        let Ok(folder) = tempfile::tempdir() else { return false };
        let text = "int chaincover_probe(void) { return sizeof(void *) == 4 ? 0 : 1; }\n\
                    void _start(void) { int code = chaincover_probe(); __asm__ volatile(\"int $0x80\" : : \"a\"(1), \"b\"(code)); }\n";
        if std::fs::write(folder.path().join("probe.c"), text).is_err() {
            return false;
        }
        let mut command = compiler(Mode::Compact);
        command.extend(["-o".to_owned(), "probe".to_owned(), "probe.c".to_owned()]);
        let run = |program: &str, arguments: &[String]| {
            let done = Command::new(program).args(arguments).current_dir(folder.path()).output();
            done.is_ok_and(|done| done.status.success())
        };
        let program = folder.path().join("probe");
        run(&command[0], &command[1..]) && run(&program.to_string_lossy(), &[])
    })
}

impl Slot {
    /// The number of the slot in tables of fed values: 0 for the result, else 1 + index of the parameter.
    pub(crate) fn number(self) -> usize {
        match self {
            Self::Result => 0,
            Self::Parameter(index) => index + 1,
        }
    }
}

const RUNTIME: &str = r#"
typedef unsigned char byte;
typedef unsigned long long wide;
typedef __SIZE_TYPE__ size;
typedef __UINT64_TYPE__ uint64_t;
static int step = -1;
static void quit(int code);
static void put(const char *text, size count);
static void end_program(void);
static wide load(const byte *place, unsigned low, unsigned width) {
    wide value = 0;
    unsigned bit;
    if (!place) return 0;
    for (bit = 0; bit < width; bit++) value |= (wide)(place[(low + bit) / 8] >> (low + bit) % 8 & 1) << bit;
    return value;
}
static void store(byte *place, unsigned low, unsigned width, wide value) {
    unsigned bit;
    if (!place) return;
    for (bit = 0; bit < width; bit++) {
        byte *const target = place + (low + bit) / 8;
        const byte mask = (byte)(1u << (low + bit) % 8);
        *target = (byte)((*target & ~mask) | (value >> bit & 1 ? mask : 0));
    }
}
static void clear(void *place, size count) {
    byte *target = place;
    while (count-- > 0) *target++ = 0;
}
static byte *nth(byte *const *all, size count, unsigned wanted) {
    size index;
    for (index = 0; index < count; index++) if (all[index] && wanted-- == 0) return all[index];
    return 0;
}
"#;

const FEED: &str = r#"
static wide original(wide pointer) {
    unsigned index;
    if (pointer == 0) return 0;
    for (index = 0; objects[index][0]; index++) {
        const wide start = (wide)(size)address(objects[index][0]);
        if (start && pointer >= start && pointer - start < objects[index][1])
            return (wide)objects[index][0] << 32 | (pointer - start);
    }
    return pointer;
}
static void feed(unsigned function, void *result, void *const *pointers) {
    static unsigned position;
    const uint64_t *entry = fed + position;
    wide part;
    if (entry[0] != (wide)(step + 1) || entry[1] != function) quit(8);
    for (part = 0; part < entry[2]; part++) {
        const uint64_t *value = entry + 3 + 4 * part;
        byte *const base = value[0] == 0 ? result : pointers[value[0] - 1];
        if (base) store(base + value[1] / 8, (unsigned)(value[1] % 8), (unsigned)value[2], value[3]);
    }
    position += 3 + 4 * (unsigned)entry[2];
}
static unsigned number(char *text, wide value, unsigned base) {
    char digits[24];
    unsigned count = 0, index;
    do {
        digits[count++] = "0123456789abcdef"[(unsigned)(base == 16 ? value & 15 : (unsigned)value % 10)];
        value = base == 16 ? value >> 4 : (unsigned)value / 10;
    } while (value);
    for (index = 0; index < count; index++) text[index] = digits[count - 1 - index];
    return count;
}
static void print_line(char letter, unsigned at, unsigned index, wide value) {
    char line[80];
    unsigned count = 0;
    line[count++] = letter;
    line[count++] = ' ';
    count += number(line + count, at, 10);
    if (letter != 'B') {
        line[count++] = ' ';
        count += number(line + count, index, 10);
        line[count++] = ' ';
        count += number(line + count, value, 16);
    }
    line[count++] = '\n';
    put(line, count);
}
"#;

const END_PROGRAM: &str = r#"
static void end_program(void) {
    if (step >= 0 && step + 1 == STEPS) {
        print_outputs((unsigned)step);
        print_states((unsigned)step + 1);
        quit(0);
    }
    quit(7);
}
"#;

const MAIN: &str = r#"
int main(void) {
    prepare();
    start();
    for (step = 0; step < STEPS; step++) {
        print_states((unsigned)step);
        print_line('B', (unsigned)step, 0, 0);
        forget_calls();
        set_inputs((unsigned)step);
        take_step();
        print_outputs((unsigned)step);
    }
    print_states(STEPS);
    quit(0);
    return 0;
}
"#;

const DRIVER_MAIN: &str = r#"
static void round_begins(void) {
    if (step >= 0) print_outputs((unsigned)step);
    print_states((unsigned)(step + 1));
    step++;
    if (step == STEPS) quit(0);
    print_line('B', (unsigned)step, 0, 0);
    forget_calls();
    set_inputs((unsigned)step);
}
int main(void) {
    prepare();
    start();
    end_program();
    return 0;
}
"#;

const HOSTED: &str = r#"
extern long write(int file, const void *text, size count);
extern void _exit(int code);
static void put(const char *text, size count) { write(1, text, count); }
static void quit(int code) { _exit(code); }
"#;

const COMPACT: &str = r#"
static int call(int number, int first, int second, int third) {
    int result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(first), "c"(second), "d"(third) : "memory");
    return result;
}
static void put(const char *text, size count) {
    while (count > 0) {
        const int done = call(4, 1, (int)text, (int)count);
        if (done <= 0) quit(6);
        text += done;
        count -= (size)done;
    }
}
static void quit(int code) { for (;;) call(1, code, 0, 0); }
int main(void);
void _start(void) __attribute__((force_align_arg_pointer));
void _start(void) { quit(main()); }
/* The model may define some of these itself. */
#define LIBRARY __attribute__((weak))
LIBRARY void *memcpy(void *to, const void *from, size count) {
    size index;
    for (index = 0; index < count; index++) ((byte *)to)[index] = ((const byte *)from)[index];
    return to;
}
LIBRARY void *memmove(void *to, const void *from, size count) {
    size index;
    if ((byte *)to <= (const byte *)from) return memcpy(to, from, count);
    for (index = count; index-- > 0; ) ((byte *)to)[index] = ((const byte *)from)[index];
    return to;
}
LIBRARY void *memset(void *to, int value, size count) {
    size index;
    for (index = 0; index < count; index++) ((byte *)to)[index] = (byte)value;
    return to;
}
LIBRARY int memcmp(const void *left, const void *right, size count) {
    const byte *a = left, *b = right;
    size index;
    for (index = 0; index < count; index++) if (a[index] != b[index]) return a[index] - b[index];
    return 0;
}
LIBRARY void *memchr(const void *from, int wanted, size count) {
    const byte *at = from;
    size index;
    for (index = 0; index < count; index++) if (at[index] == (byte)wanted) return (void *)(at + index);
    return 0;
}
LIBRARY size strnlen(const char *text, size count) {
    size index = 0;
    while (index < count && text[index]) index++;
    return index;
}
LIBRARY size strlen(const char *text) { return strnlen(text, ~(size)0); }
LIBRARY int strncmp(const char *left, const char *right, size count) {
    size index;
    for (index = 0; index < count; index++) {
        const int a = ((const byte *)left)[index], b = ((const byte *)right)[index];
        if (a != b || !a) return a - b;
    }
    return 0;
}
LIBRARY int strcmp(const char *left, const char *right) { return strncmp(left, right, ~(size)0); }
LIBRARY char *strncpy(char *to, const char *from, size count) {
    const size length = strnlen(from, count);
    memcpy(to, from, length);
    memset(to + length, 0, count - length);
    return to;
}
LIBRARY char *strcpy(char *to, const char *from) { return memcpy(to, from, strlen(from) + 1); }
LIBRARY char *strchr(const char *text, int wanted) { return memchr(text, wanted, strlen(text) + 1); }
LIBRARY char *strrchr(const char *text, int wanted) {
    size index = strlen(text) + 1;
    while (index-- > 0) if (text[index] == (char)wanted) return (char *)text + index;
    return 0;
}
/* What the compiler calls to count bits. */
int __popcountdi2(wide bits) { int count = 0; for (; bits; bits &= bits - 1) count++; return count; }
int __popcountsi2(unsigned bits) { return __popcountdi2(bits); }
int __paritydi2(wide bits) { return __popcountdi2(bits) & 1; }
int __paritysi2(unsigned bits) { return __paritydi2(bits); }
int __ctzdi2(wide bits) { return __popcountdi2(~bits & (bits - 1)); }
int __ctzsi2(unsigned bits) { return __ctzdi2(bits); }
int __ffsdi2(wide bits) { return bits ? __ctzdi2(bits) + 1 : 0; }
int __clzdi2(wide bits) { int count = 64; for (; bits; bits >>= 1) count--; return count; }
int __clzsi2(unsigned bits) { return __clzdi2(bits) - 32; }
int __clrsbdi2(wide bits) { return __clzdi2(bits >> 63 ? ~bits : bits) - 1; }
int __clrsbsi2(unsigned bits) { return __clzsi2(bits >> 31 ? ~bits : bits) - 1; }
/* What the compiler calls for 64-bit numbers on a 32-bit machine. */
static wide divide(wide a, wide b, wide *rest) {
    wide quotient = 0, remainder = 0;
    int bit;
    if (b == 0) { volatile int zero = 0; (void)(1 / zero); }
    for (bit = 63; bit >= 0; bit--) {
        const int carry = (int)(remainder >> 63);
        remainder = remainder << 1 | (a >> bit & 1);
        if (carry || remainder >= b) { remainder -= b; quotient |= 1ull << bit; }
    }
    *rest = remainder;
    return quotient;
}
wide __udivdi3(wide a, wide b) { wide rest; return divide(a, b, &rest); }
wide __umoddi3(wide a, wide b) { wide rest; divide(a, b, &rest); return rest; }
static wide magnitude(long long a) { return a < 0 ? 0 - (wide)a : (wide)a; }
long long __divdi3(long long a, long long b) {
    wide rest, quotient = divide(magnitude(a), magnitude(b), &rest);
    return (long long)((a < 0) != (b < 0) ? 0 - quotient : quotient);
}
long long __moddi3(long long a, long long b) {
    wide rest;
    divide(magnitude(a), magnitude(b), &rest);
    return (long long)(a < 0 ? 0 - rest : rest);
}
wide __udivmoddi4(wide a, wide b, wide *rest) { wide r, q = divide(a, b, &r); if (rest) *rest = r; return q; }
long long __divmoddi4(long long a, long long b, long long *rest) { if (rest) *rest = __moddi3(a, b); return __divdi3(a, b); }
long long __fixdfdi(double value) {
    union { double number; wide bits; } both;
    wide mantissa;
    int exponent;
    both.number = value;
    exponent = (int)(both.bits >> 52 & 0x7ff) - 1075;
    mantissa = (both.bits & 0xfffffffffffffull) | 0x10000000000000ull;
    if (exponent < -52) return 0;
    if (exponent > 10) return (long long)(1ull << 63);
    mantissa = exponent >= 0 ? mantissa << exponent : mantissa >> -exponent;
    return (long long)(both.bits >> 63 ? 0 - mantissa : mantissa);
}
long long __fixsfdi(float value) { return __fixdfdi(value); }
wide __fixunsdfdi(double value) {
    return value >= 9223372036854775808.0 ? (wide)__fixdfdi(value - 9223372036854775808.0) + (1ull << 63) : (wide)__fixdfdi(value);
}
wide __fixunssfdi(float value) { return __fixunsdfdi(value); }
"#;
