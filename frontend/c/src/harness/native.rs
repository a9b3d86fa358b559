//! The model's own code, compiled for its data model, with the chain fed into it.
//!
//! Every file of the model becomes one translation unit: its preprocessed text, unchanged, with a
//! few functions behind it that tell where its objects are and call its step. A main program sets
//! inputs, calls init and step through these, and prints the memory. It needs no C library for a
//! 32-bit target on a 64-bit host, where there mostly is none.

mod compiler;
mod main_text;
mod runtime;

use super::blueprint::{Fixed, Spot};
use super::driver::with_hook;
use super::plan::{Fed, NoPlan, Replay};
use crate::detect::{DriverLoop, walk};
use crate::exec::object::Origin;
use crate::exec::{Meaning, Seen, meaning, seen};
use crate::ir::stmt::StmtKind;
use crate::ir::target::DataModel;
use crate::ir::types::{Type, TypeId};
use crate::ir::{Function, FunctionId, GlobalId, LocalId, UnitId};
use crate::library;
use compiler::{compiler, runs_compact};
use frontend::ReplayPlan;
use model::id::Id;
use model::trace::Trace;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

pub(super) use compiler::ROUNDING;

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
        let mut options = self.renames();
        if let Some((declarations, definitions)) = self.library_texts(mode) {
            files.push(("library.h".to_owned(), declarations));
            files.push(("library.c".to_owned(), definitions));
            options.extend(["-include", "library.h"].map(str::to_owned));
            link.push("library.c".to_owned());
        }
        let watched = self.watched(&fed);
        for (id, _) in self.program.units.iter().filter(|(_, unit)| !unit.is_property_file) {
            let name = format!("unit{}", id.index());
            let Some(own) = self.own_text(id) else { return Ok(None) };
            files.push((format!("{name}.c"), format!("{own}\n{}", self.accessors(id))));
            let mut compile = compiler(mode);
            compile.extend(options.iter().cloned());
            compile.extend(watched.as_ref().map(|_| "-finstrument-functions".to_owned()));
            let keeps_main = self.ends_main(id);
            if keeps_main {
                compile.extend(["-fhosted".to_owned(), "-fno-builtin".to_owned()]);
            } else {
                compile.push(format!("-Dmain={PREFIX}main_of_{name}"));
            }
            compile.extend(["-c".to_owned(), "-o".to_owned(), format!("{name}.o"), format!("{name}.c")]);
            commands.push(compile);
            if keeps_main {
                let rename = format!("--redefine-sym=main={PREFIX}main_of_{name}");
                commands.push(vec!["objcopy".to_owned(), rename, format!("{name}.o")]);
            }
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
        let mut text = self.main_text(mode, trace, &fed);
        text.push_str(&watched.unwrap_or_default());
        files.push(("main.c".to_owned(), text));
        commands.push(link);
        commands.push(vec!["./replay".to_owned()]);
        let how = match mode {
            Mode::Host => "native",
            Mode::Compact => "native -m32",
        };
        Ok(Some(ReplayPlan { files, commands, how: how.to_owned(), goals: Vec::new(), secrets: Vec::new() }))
    }

    /// Whether a unit has a `main` that is called and may come to its end without `return`: only
    /// where the compiler knows it by its name it returns 0.
    fn ends_main(&self, unit: UnitId) -> bool {
        let steps = self.entry.steps.iter().map(|step| step.function);
        let called = steps.chain(self.entry.init).map(|function| &self.program.functions[function]);
        let mut mains = called.filter(|function| function.name == "main" && function.unit == unit);
        mains.any(|main| {
            let last = main.body.as_ref().and_then(|body| body.last());
            last.is_some_and(|last| matches!(last.kind, StmtKind::Return(_)) && last.span == main.span)
        })
    }

    /// Declarations and definitions of functions of the library that the host does not have, or
    /// where the program gets no C library at all; `None` where there are none.
    fn library_texts(&self, mode: Mode) -> Option<(String, String)> {
        let functions = self.program.functions.values().filter(|function| function.is_library);
        let names: BTreeSet<&str> = functions.map(|function| function.name.as_str()).collect();
        let missing = names.iter().copied().filter(|name| !library::is_in_host(name));
        let mut declarations = library::declarations(missing.clone());
        declarations
            .extend(self.program.functions.values().filter_map(|function| self.assumed_text(function)));
        for function in walk::outside_functions(self.program) {
            let name = &self.program.functions[function].name;
            if let Some((_, "float")) = float_class(name) {
                let _ = writeln!(declarations, "int {PREFIX}of_{name}(float);");
            }
        }
        let definitions = match mode {
            Mode::Host => library::definitions(missing),
            Mode::Compact => library::definitions(names.iter().copied()),
        };
        (mode == Mode::Compact && !names.is_empty() || !declarations.is_empty())
            .then_some((declarations, definitions))
    }

    /// The declaration of a function that is called without one: a compiler would take it for one
    /// that gets and returns `int`. Those with pointers may be declared otherwise elsewhere;
    /// addresses fit into `int` here.
    fn assumed_text(&self, function: &Function) -> Option<String> {
        let types = &self.program.types.types;
        let parameters: Vec<TypeId> =
            function.parameters.iter().map(|&local| function.locals[local].ty).collect();
        let all = || parameters.iter().chain([&function.result]);
        let is_float = |ty: &&TypeId| matches!(types[**ty], Type::Float(_));
        let is_number = |ty: &TypeId| matches!(types[*ty], Type::Integer(_) | Type::Float(_));
        let is_wide =
            matches!(&types[function.result], Type::Integer(kind) if kind.bits(self.program.target) > 32);
        let is_wanted =
            function.is_assumed && !function.is_variadic && (is_wide || all().any(|ty| is_float(&ty)));
        if !is_wanted || !all().all(is_number) || !library::is_in_host(&function.name) {
            return None;
        }
        let names = parameters.iter().map(|&ty| self.value_type(ty)).collect::<Option<Vec<_>>>()?;
        let list = if names.is_empty() { "void".to_owned() } else { names.join(", ") };
        Some(format!("{} {}({list});\n", self.value_type(function.result)?, function.name))
    }

    /// Where the last step does not return and functions that make goals have bodies: what shows
    /// that one is entered.
    fn watched(&self, fed: &[Fed]) -> Option<String> {
        fed.last()?.end.as_ref()?;
        let mut cases = String::new();
        for object in &self.blueprint.objects {
            let Origin::Function(id) = object.origin else { continue };
            let function = &self.program.functions[id];
            let is_here = function.body.is_some() && !self.program.units[function.unit].is_property_file;
            let act = match seen(function) {
                Some(Seen::Reached | Seen::Truth) => "mark_entered",
                Some(Seen::Failed) => "mark_failed",
                Some(Seen::Assumed) | None => continue,
            };
            if is_here {
                let (number, index) = (object.number, id.index());
                let _ = writeln!(cases, "    if (function == (void *)address({number})) {act}({index}u);");
            }
        }
        (!cases.is_empty()).then(|| {
            format!(
                "void __cyg_profile_func_enter(void *function, void *site) {{\n    (void)site;\n{cases}}}\n\
                 void __cyg_profile_func_exit(void *function, void *site) {{ (void)function; (void)site; }}\n"
            )
        })
    }

    /// The text of a unit, with the hook where it holds the driver's loop; `None` where that loop
    /// cannot be found in it.
    fn own_text(&self, id: UnitId) -> Option<Cow<'_, str>> {
        let text = &self.program.units[id].text;
        let Some(driver) = self.entry.driver else { return Some(Cow::Borrowed(text)) };
        let function = &self.program.functions[driver.function];
        if function.unit != id {
            return Some(Cow::Borrowed(text));
        }
        if !driver.is_in_text {
            return None;
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
        let classes = names.iter().filter(|name| float_class(name).is_some());
        options.extend(classes.map(|name| format!("-D__builtin_{name}={PREFIX}of_{name}")));
        if self.overrides_constants() {
            options.push("-Dconst=".to_owned());
        }
        let texts = || self.program.units.values().map(|unit| unit.text.as_str());
        let missing = CHECKER_TYPES.iter().filter(|(name, _)| texts().any(|text| lacks_type(text, name)));
        options.extend(missing.map(|(name, ty)| format!("-D{name}={ty}")));
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

    /// Static variables of functions of a unit that are shown or set: their names, to which the
    /// compiler appends a number.
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
                    "__attribute__((no_instrument_function)) void *{PREFIX}address_{}(void) {{ return (void *)({name}); }}",
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
}

/// The classification that a function of math.h asks for, and of which type: libraries have these
/// as macros, and where they are functions, any number that is not zero stands for a truth.
fn float_class(name: &str) -> Option<(&'static str, &'static str)> {
    let find =
        |name: &str| ["isnan", "isinf", "isfinite", "signbit"].into_iter().find(|class| *class == name);
    let double = find(name).map(|class| (class, "double"));
    double.or_else(|| Some((find(name.strip_suffix('f')?)?, "float")))
}

/// Types that verification tools know without a declaration, and what compilers call them.
const CHECKER_TYPES: [(&str, &str); 3] = [
    ("__CPROVER_size_t", "__SIZE_TYPE__"),
    ("__CPROVER_ssize_t", "__PTRDIFF_TYPE__"),
    ("__CPROVER_bool", "_Bool"),
];

/// Whether a text uses the name of a type that it does not declare.
fn lacks_type(text: &str, name: &str) -> bool {
    let declares = |line: &str| line.contains("typedef") && line.contains(name);
    text.contains(name) && !text.lines().any(declares)
}
