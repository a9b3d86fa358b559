//! The IR as C that means the same under any compiler: the replay of models whose data model the
//! host does not have.
//!
//! Memory is one array of bytes; pointers are offsets into it with the width of the target. Every
//! operator is written out on integers of fixed width, with the meaning that the model gives to
//! what C leaves undefined. So the program behaves on every host as the model's code does on its
//! target.

mod call;
mod expression;
mod statement;

use super::blueprint::Blueprint;
use crate::exec::layout::{Kind, Layouts, Scalar};
use crate::exec::object::Origin;
use crate::ir::stmt::{Callee, StmtKind};
use crate::ir::target::TypeSizes;
use crate::ir::types::{Type, TypeId};
use crate::ir::{FunctionId, LocalId, Program};
use frontend::source::Span;
use model::id::{Id, IdVec};
use model::sort::FloatFormat;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// First address that is not reserved: accesses below are accesses through null pointers.
const FIRST_ADDRESS: u64 = 64;

/// Bytes kept free between objects.
const GAP: u64 = 16;

/// Bytes for variables of functions, where addresses are wider than 16 bits.
const STACK: u64 = 1 << 20;

/// Why a program cannot be printed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unprintable {
    /// The objects do not fit the target's addresses.
    #[error("the model's objects do not fit 16-bit addresses")]
    TooLarge,
    /// A function is called that has no counterpart.
    #[error("`{0}` is called, which a replay cannot do")]
    Call(String),
}

type Print<T> = Result<T, Unprintable>;

/// Where things stand in the byte array.
pub(crate) struct Map {
    /// Addresses of fixed objects by their numbers.
    pub(crate) objects: BTreeMap<u32, u64>,
    /// First byte of the stack.
    stack: u64,
    /// Size of the array.
    size: u64,
}

/// The endless loop in which a hook is called before each round.
#[derive(Clone, Copy)]
pub(crate) struct Hook {
    /// Its function.
    pub(crate) function: FunctionId,
    /// Its place.
    pub(crate) span: Span,
}

/// Where a variable stands.
#[derive(Clone, Copy)]
enum Home {
    /// At an address.
    Fixed(u64),
    /// So many bytes behind the beginning of the frame of its call.
    Framed(u64),
}

/// Prints a program.
pub(crate) struct Printer<'p> {
    program: &'p Program,
    layouts: Layouts<'p>,
    blueprint: &'p Blueprint,
    /// Where things stand.
    pub(crate) map: Map,
    hook: Option<Hook>,
    /// Whether the last step does not return, so that it is shown how far it comes.
    ends: bool,
    functions: BTreeSet<FunctionId>,
    text: String,
    frame: IdVec<LocalId, Home>,
    is_static_frame: bool,
    labels: usize,
    /// Labels behind loops and switches, and before the next round of loops.
    scopes: Vec<(usize, Option<usize>)>,
    function: Option<FunctionId>,
    depth: usize,
}

/// Prints the given functions and all that they call.
pub(crate) fn print<'p>(
    program: &'p Program,
    blueprint: &'p Blueprint,
    roots: &[FunctionId],
    hook: Option<Hook>,
    ends: bool,
) -> Print<(String, Map)> {
    let layouts = Layouts::new(&program.types, program.target);
    let map = place_objects(program, blueprint)?;
    let mut printer = Printer {
        program,
        layouts,
        blueprint,
        map,
        hook,
        ends,
        functions: reachable(program, roots),
        text: String::new(),
        frame: IdVec::new(),
        is_static_frame: false,
        labels: 0,
        scopes: Vec::new(),
        function: None,
        depth: 1,
    };
    printer.prologue();
    for function in printer.functions.clone() {
        let signature = printer.signature(function);
        let _ = writeln!(printer.text, "{signature};");
    }
    printer.dispatchers();
    for function in printer.functions.clone() {
        printer.function(function)?;
    }
    Ok((printer.text, printer.map))
}

fn place_objects(program: &Program, blueprint: &Blueprint) -> Print<Map> {
    let mut objects = BTreeMap::new();
    let mut address = FIRST_ADDRESS + 2 * program.functions.len() as u64;
    for object in &blueprint.objects {
        if let Origin::Function(function) = object.origin {
            objects.insert(object.number, function_address(function));
            continue;
        }
        address = address.next_multiple_of(GAP);
        objects.insert(object.number, address);
        address += object.size + GAP;
    }
    let stack = address.next_multiple_of(GAP);
    let size = if program.target.pointer_size() == 2 { 1 << 16 } else { stack + STACK };
    if stack + 1024 > size {
        return Err(Unprintable::TooLarge);
    }
    Ok(Map { objects, stack, size })
}

fn function_address(function: FunctionId) -> u64 {
    FIRST_ADDRESS + 2 * function.index() as u64
}

/// All functions that may be called: named ones, and those whose address is taken.
fn reachable(program: &Program, roots: &[FunctionId]) -> BTreeSet<FunctionId> {
    let mut found: BTreeSet<FunctionId> = BTreeSet::new();
    let mut waiting: Vec<FunctionId> = roots.to_vec();
    let mut is_indirect = false;
    loop {
        while let Some(function) = waiting.pop() {
            if program.functions[function].body.is_none() || !found.insert(function) {
                continue;
            }
            let body = program.functions[function].body.as_ref().expect("the function should have a body");
            crate::detect::walk::visit(body, &mut |stmt| match &stmt.kind {
                StmtKind::Call { callee: Callee::Function(callee), .. } => waiting.push(*callee),
                StmtKind::Call { callee: Callee::Pointer(_), .. } => is_indirect = true,
                _ => {}
            });
        }
        if !is_indirect {
            return found;
        }
        is_indirect = false;
        waiting.extend(program.functions.ids().filter(|function| !found.contains(function)));
        waiting.retain(|&function| program.functions[function].body.is_some());
        if waiting.is_empty() {
            return found;
        }
    }
}

/// The C type of a scalar's values.
pub(crate) fn value_type(scalar: Scalar) -> &'static str {
    match (scalar.kind, scalar.signed, scalar.extent) {
        (Kind::Pointer, ..) => "uint64_t",
        (Kind::Float(FloatFormat::Single), ..) => "float",
        (Kind::Float(FloatFormat::Double), ..) => "double",
        (Kind::Word, true, ..=8) => "int8_t",
        (Kind::Word, true, ..=16) => "int16_t",
        (Kind::Word, true, ..=32) => "int32_t",
        (Kind::Word, true, _) => "int64_t",
        (Kind::Word, false, ..=8) => "uint8_t",
        (Kind::Word, false, ..=16) => "uint16_t",
        (Kind::Word, false, ..=32) => "uint32_t",
        (Kind::Word, false, _) => "uint64_t",
    }
}

impl<'p> Printer<'p> {
    fn prologue(&mut self) {
        let Map { stack, size, .. } = self.map;
        let _ = writeln!(
            self.text,
            "#define MEMORY {size}\n#define FIRST {FIRST_ADDRESS}\nstatic uint64_t stack = {stack};"
        );
        self.text.push_str(RUNTIME);
    }

    fn scalar(&self, ty: TypeId) -> Scalar {
        self.layouts.scalar(ty, None).expect("a scalar expression should have a scalar type")
    }

    fn is_aggregate(&self, ty: TypeId) -> bool {
        self.layouts.scalar(ty, None).is_none()
    }

    fn size(&self, ty: TypeId) -> u64 {
        self.layouts.size(ty).unwrap_or(0)
    }

    fn signature(&self, function: FunctionId) -> String {
        let declaration = &self.program.functions[function];
        let result = self.passed_type(declaration.result);
        let parameters: Vec<String> = declaration
            .parameters
            .iter()
            .enumerate()
            .map(|(index, &local)| format!("{} p{index}", self.passed_type(declaration.locals[local].ty)))
            .collect();
        let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
        format!("static {result} {}({parameters})", self.function_name(function))
    }

    /// Scalars are passed as they are, aggregates by their address.
    fn passed_type(&self, ty: TypeId) -> &'static str {
        match self.layouts.type_of(ty) {
            Type::Void => "void",
            _ => self.layouts.scalar(ty, None).map_or("uint64_t", value_type),
        }
    }

    /// The name of a printed function.
    pub(crate) fn function_name(&self, function: FunctionId) -> String {
        function_name(self.program, function)
    }

    /// Functions that call through a pointer, one for each signature.
    fn dispatchers(&mut self) {
        let mut groups: BTreeMap<String, Vec<FunctionId>> = BTreeMap::new();
        for &function in &self.functions {
            groups.entry(self.shape(function)).or_default().push(function);
        }
        for (index, functions) in groups.values().enumerate() {
            let declaration = &self.program.functions[functions[0]];
            let result = self.passed_type(declaration.result);
            let mut parameters = vec!["uint64_t pointer".to_owned()];
            let mut names = Vec::new();
            for (index, &local) in declaration.parameters.iter().enumerate() {
                parameters.push(format!("{} p{index}", self.passed_type(declaration.locals[local].ty)));
                names.push(format!("p{index}"));
            }
            let names = names.join(", ");
            let mut text = format!(
                "static {result} call_{index}({}) {{\n    switch (pointer) {{\n",
                parameters.join(", ")
            );
            for &function in functions {
                let name = self.function_name(function);
                let keyword = if result == "void" { "" } else { "return " };
                let end = if result == "void" { " return;" } else { "" };
                let _ =
                    writeln!(text, "    case {}: {keyword}{name}({names});{end}", function_address(function));
            }
            let otherwise = if result == "void" { "return" } else { "return 0" };
            let _ = writeln!(text, "    default: {otherwise};\n    }}\n}}");
            self.text.push_str(&text);
        }
    }

    /// What tells functions apart that can be called through one pointer type.
    fn shape(&self, function: FunctionId) -> String {
        let declaration = &self.program.functions[function];
        let mut shape = self.passed_type(declaration.result).to_owned();
        for &local in &declaration.parameters {
            shape.push(',');
            shape.push_str(self.passed_type(declaration.locals[local].ty));
        }
        shape
    }

    fn dispatcher(&self, result: TypeId, parameters: &[TypeId]) -> String {
        let mut wanted = self.passed_type(result).to_owned();
        for &parameter in parameters {
            wanted.push(',');
            wanted.push_str(self.passed_type(parameter));
        }
        let shapes: BTreeSet<String> = self.functions.iter().map(|&function| self.shape(function)).collect();
        match shapes.iter().position(|shape| *shape == wanted) {
            Some(index) => format!("call_{index}"),
            None => String::new(),
        }
    }

    fn function(&mut self, function: FunctionId) -> Print<()> {
        let declaration = &self.program.functions[function];
        self.function = Some(function);
        let is_driver = self.hook.is_some_and(|hook| hook.function == function);
        let bytes = self.place_locals(function, is_driver);
        let signature = self.signature(function);
        let _ = writeln!(self.text, "{signature} {{");
        if !is_driver {
            let _ = writeln!(self.text, "    const uint64_t frame = enter({bytes});");
        }
        for (index, &local) in declaration.parameters.iter().enumerate() {
            let ty = declaration.locals[local].ty;
            let target = self.local_address(local);
            if self.is_aggregate(ty) {
                let size = self.size(ty);
                self.line(&format!("copy({target}, p{index}, {size});"));
            } else {
                let store = self.store_text(&target, 0, ty, None, &format!("p{index}"));
                self.line(&store);
            }
        }
        let body = declaration.body.as_ref().expect("a printed function should have a body");
        self.block(body)?;
        self.leave();
        if self.passed_type(declaration.result) != "void" {
            self.line("return 0;");
        }
        self.text.push_str("}\n");
        Ok(())
    }

    /// Gives each variable its place in the frame. Those that outlive a round of a driver are fixed
    /// objects.
    fn place_locals(&mut self, function: FunctionId, is_driver: bool) -> u64 {
        let declaration = &self.program.functions[function];
        self.is_static_frame = is_driver;
        let mut offset = 0;
        let mut frame = IdVec::new();
        for (local, variable) in declaration.locals.iter() {
            let fixed = self.blueprint.find(&Origin::Local(function, Some(local), 0));
            frame.push(match fixed {
                Some(object) => Home::Fixed(self.map.objects[&object.number]),
                None => {
                    let place = offset;
                    offset = (offset + self.size(variable.ty)).next_multiple_of(8) + 8;
                    if is_driver { Home::Fixed(self.map.stack + place) } else { Home::Framed(place) }
                }
            });
        }
        if is_driver {
            self.text.push_str(&format!("#define DRIVER_FRAME {offset}\n"));
        }
        self.frame = frame;
        offset
    }

    fn local_address(&self, local: LocalId) -> String {
        match self.frame[local] {
            Home::Fixed(place) => format!("{place}u"),
            Home::Framed(place) => format!("(frame + {place}u)"),
        }
    }

    fn leave(&mut self) {
        if !self.is_static_frame {
            self.line("stack = frame;");
        }
    }

    fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.text.push_str("    ");
        }
        self.text.push_str(text);
        self.text.push('\n');
    }
}

/// The result of a float operator with the one NaN that the model knows: hardware differs in sign
/// and payload.
fn canonical(kind: &str, text: &str) -> String {
    format!("{kind}_canonical({text})")
}

/// The name of a printed function.
pub(crate) fn function_name(program: &Program, function: FunctionId) -> String {
    format!("f{}_{}", function.index(), identifier(&program.functions[function].name))
}

fn identifier(name: &str) -> String {
    name.chars().map(|character| if character.is_ascii_alphanumeric() { character } else { '_' }).collect()
}

/// An integer constant of a scalar's value type.
pub(crate) fn literal(number: i128, scalar: Scalar) -> String {
    format!("(({})0x{:x}ull)", value_type(scalar), number as u128 & u128::from(u64::MAX))
}

/// Reads the scalar that starts `low` bits behind an address.
pub(crate) fn load_text(address: &str, low: u64, scalar: Scalar) -> String {
    let kind = value_type(scalar);
    let bits = format!("load({address}, {low}, {})", scalar.extent);
    match (scalar.kind, scalar.signed) {
        (Kind::Float(FloatFormat::Single), _) => format!("single((uint32_t){bits})"),
        (Kind::Float(FloatFormat::Double), _) => format!("double_({bits})"),
        (Kind::Word, true) => format!("(({kind})widened({bits}, {}))", scalar.extent),
        _ => format!("(({kind}){bits})"),
    }
}

/// Writes the scalar that starts `low` bits behind an address.
pub(crate) fn store_text(address: &str, low: u64, scalar: Scalar, value: &str) -> String {
    let bits = match scalar.kind {
        Kind::Float(FloatFormat::Single) => format!("single_bits({value})"),
        Kind::Float(FloatFormat::Double) => format!("double_bits({value})"),
        _ => format!("(uint64_t)({value})"),
    };
    format!("store({address}, {low}, {}, {bits});", scalar.extent)
}

/// What all printed programs share: memory, loads and stores, arithmetic as C defines it for the
/// target.
const RUNTIME: &str = include_str!("print/runtime.c");
