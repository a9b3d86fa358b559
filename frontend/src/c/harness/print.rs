//! The IR as C that means the same under any compiler: the replay of models whose data model the host does not have.
//!
//! Memory is one array of bytes; pointers are offsets into it with the width of the target. Every operator is written out on integers of fixed width,
//! with the meaning that the model gives to what C leaves undefined. So the program behaves on every host as the model's
//! code does on its target.

use super::blueprint::Blueprint;
use crate::c::exec::TextFunction;
use crate::c::exec::layout::{Kind, Layouts, Scalar};
use crate::c::exec::object::Origin;
use crate::c::ir::expr::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::c::ir::stmt::{Block, Callee, Place, PlaceBase, Projection, Stmt, StmtKind, SwitchEntry};
use crate::c::ir::types::{BitField, Type, TypeId};
use crate::c::ir::{FunctionId, LocalId, Program};
use crate::source::Span;
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

/// Prints a program.
pub(crate) struct Printer<'p> {
    program: &'p Program,
    layouts: Layouts<'p>,
    blueprint: &'p Blueprint,
    /// Where things stand.
    pub(crate) map: Map,
    hook: Option<Hook>,
    functions: BTreeSet<FunctionId>,
    text: String,
    frame: IdVec<LocalId, u64>,
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
) -> Print<(String, Map)> {
    let layouts = Layouts::new(&program.types, program.target);
    let map = place_objects(program, blueprint)?;
    let mut printer = Printer {
        program,
        layouts,
        blueprint,
        map,
        hook,
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
            crate::c::detect::walk::visit(body, &mut |stmt| match &stmt.kind {
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

    /// Gives each variable its place in the frame. Those of a driver's function that outlive a round are fixed objects.
    fn place_locals(&mut self, function: FunctionId, is_driver: bool) -> u64 {
        let declaration = &self.program.functions[function];
        self.is_static_frame = is_driver;
        let mut offset = 0;
        let mut frame = IdVec::new();
        for (local, variable) in declaration.locals.iter() {
            let fixed = self.blueprint.find(&Origin::Local(function, Some(local), 0)).filter(|_| is_driver);
            let place = match fixed {
                Some(object) => self.map.objects[&object.number],
                None => {
                    let place = offset;
                    offset = (offset + self.size(variable.ty)).next_multiple_of(8) + 8;
                    place
                }
            };
            frame.push(place);
        }
        if is_driver {
            let base = self.map.stack;
            for (local, _) in declaration.locals.iter() {
                let is_fixed = self.blueprint.find(&Origin::Local(function, Some(local), 0)).is_some();
                if !is_fixed {
                    frame[local] += base;
                }
            }
            self.text.push_str(&format!("#define DRIVER_FRAME {offset}\n"));
        }
        self.frame = frame;
        offset
    }

    fn local_address(&self, local: LocalId) -> String {
        let place = self.frame[local];
        if self.is_static_frame { format!("{place}u") } else { format!("(frame + {place}u)") }
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

    fn block(&mut self, block: &Block) -> Print<()> {
        block.iter().try_for_each(|stmt| self.statement(stmt))
    }

    fn label(&mut self) -> usize {
        self.labels += 1;
        self.labels
    }

    fn statement(&mut self, stmt: &Stmt) -> Print<()> {
        match &stmt.kind {
            StmtKind::Declare(local) => {
                let declaration =
                    &self.program.functions[self.function.expect("statements should stand in functions")];
                let size = self.size(declaration.locals[*local].ty);
                let place = self.local_address(*local);
                self.line(&format!("fill({place}, 0, {size});"));
            }
            StmtKind::Assign(place, value) => {
                let (address, bits) = self.place(place)?;
                self.assign(&address, place.ty, bits, value)?;
            }
            StmtKind::Call { result, callee, arguments } => self.call(result.as_ref(), callee, arguments)?,
            StmtKind::If { condition, then, otherwise } => {
                let condition = self.truth(condition)?;
                self.line(&format!("if ({condition}) {{"));
                self.nested(then)?;
                self.line("} else {");
                self.nested(otherwise)?;
                self.line("}");
            }
            StmtKind::Loop { body, continuing } => self.repeat(body, continuing, stmt.span)?,
            StmtKind::Switch { value, entries, body } => self.switch(value, entries, body)?,
            StmtKind::Break => {
                let (label, _) = self.scopes.last().expect("`break` should stand in a loop or switch");
                self.line(&format!("goto behind_{label};"));
            }
            StmtKind::Continue => {
                let next = self.scopes.iter().rev().find_map(|(_, next)| *next);
                self.line(&format!("goto next_{};", next.expect("`continue` should stand in a loop")));
            }
            StmtKind::Return(value) => self.return_value(value.as_ref())?,
            StmtKind::Block(block) => {
                self.line("{");
                self.nested(block)?;
                self.line("}");
            }
            StmtKind::Label(name) => self.line(&format!("user_{}: ;", identifier(name))),
            StmtKind::Goto(name) => self.line(&format!("goto user_{};", identifier(name))),
        }
        Ok(())
    }

    fn nested(&mut self, block: &Block) -> Print<()> {
        self.depth += 1;
        let result = self.block(block);
        self.depth -= 1;
        result
    }

    fn repeat(&mut self, body: &Block, continuing: &Block, span: Span) -> Print<()> {
        let (behind, next) = (self.label(), self.label());
        self.line("for (;;) {");
        if self.hook.is_some_and(|hook| Some(hook.function) == self.function && hook.span == span) {
            self.line("    before_step();");
        }
        self.scopes.push((behind, Some(next)));
        self.nested(body)?;
        self.line(&format!("next_{next}: ;"));
        self.nested(continuing)?;
        self.scopes.pop();
        self.line("}");
        self.line(&format!("behind_{behind}: ;"));
        Ok(())
    }

    fn switch(&mut self, value: &Expr, entries: &[SwitchEntry], body: &Block) -> Print<()> {
        let behind = self.label();
        let kind = value_type(self.scalar(value.ty));
        let text = self.value(value)?;
        self.line("{");
        self.depth += 1;
        self.line(&format!("const {kind} chosen = {text};"));
        for (index, entry) in entries.iter().enumerate() {
            for &(low, high) in &entry.values {
                let (low, high) = (literal(low, self.scalar(value.ty)), literal(high, self.scalar(value.ty)));
                self.line(&format!("if (chosen >= {low} && chosen <= {high}) goto case_{behind}_{index};"));
            }
        }
        match entries.iter().position(|entry| entry.is_default) {
            Some(index) => self.line(&format!("goto case_{behind}_{index};")),
            None => self.line(&format!("goto behind_{behind};")),
        }
        self.depth -= 1;
        self.line("}");
        self.scopes.push((behind, None));
        for (position, stmt) in body.iter().enumerate() {
            for (index, _) in entries.iter().enumerate().filter(|(_, entry)| entry.start == position) {
                self.line(&format!("case_{behind}_{index}: ;"));
            }
            self.statement(stmt)?;
        }
        for (index, _) in entries.iter().enumerate().filter(|(_, entry)| entry.start >= body.len()) {
            self.line(&format!("case_{behind}_{index}: ;"));
        }
        self.scopes.pop();
        self.line(&format!("behind_{behind}: ;"));
        Ok(())
    }

    fn return_value(&mut self, value: Option<&Expr>) -> Print<()> {
        let Some(value) = value else {
            self.leave();
            self.line("return;");
            return Ok(());
        };
        if self.is_aggregate(value.ty) {
            // The caller copies the record before anything else can reuse the frame.
            let address = self.aggregate(value)?;
            self.line(&format!("{{ const uint64_t result = {address};"));
            self.leave();
            self.line("return result; }");
        } else {
            let kind = value_type(self.scalar(value.ty));
            let text = self.value(value)?;
            self.line(&format!("{{ const {kind} result = {text};"));
            self.leave();
            self.line("return result; }");
        }
        Ok(())
    }

    fn assign(&mut self, address: &str, ty: TypeId, bits: Option<BitField>, value: &Expr) -> Print<()> {
        let size = self.size(ty);
        if !self.is_aggregate(ty) {
            let text = self.value(value)?;
            let store = self.store_text(address, 0, ty, bits, &text);
            self.line(&store);
        } else if matches!(value.kind, ExprKind::Zero) {
            self.line(&format!("fill({address}, 0, {size});"));
        } else {
            let source = self.aggregate(value)?;
            self.line(&format!("copy({address}, {source}, {size});"));
        }
        Ok(())
    }

    /// The address of a record-valued expression.
    fn aggregate(&mut self, value: &Expr) -> Print<String> {
        match &value.kind {
            ExprKind::Load(place) => Ok(self.place(place)?.0),
            ExprKind::Conditional(condition, then, otherwise) => {
                let condition = self.truth(condition)?;
                let (then, otherwise) = (self.aggregate(then)?, self.aggregate(otherwise)?);
                Ok(format!("({condition} ? {then} : {otherwise})"))
            }
            ExprKind::Convert(inner) => self.aggregate(inner),
            _ => Ok("ZEROS".to_owned()),
        }
    }

    fn store_text(&self, address: &str, low: u64, ty: TypeId, bits: Option<BitField>, value: &str) -> String {
        let scalar = self.layouts.scalar(ty, bits).expect("a scalar should be stored here");
        let low = low + bits.map_or(0, |bits| u64::from(bits.low));
        store_text(address, low, scalar, value)
    }

    // ---- calls ----

    fn call(&mut self, place: Option<&Place>, callee: &Callee, arguments: &[Expr]) -> Print<()> {
        let (name, result_type) = match callee {
            Callee::Function(function) => {
                let declaration = &self.program.functions[*function];
                if self.special_call(*function, place, arguments)? {
                    return Ok(());
                }
                if declaration.body.is_none() {
                    return self.outside_call(*function, place, arguments);
                }
                (self.function_name(*function), declaration.result)
            }
            Callee::Pointer(pointer) => {
                let Type::Pointer(pointee) = *self.layouts.type_of(pointer.ty) else {
                    panic!("a call should go through a pointer");
                };
                let Type::Function { result, parameters, .. } = self.layouts.type_of(pointee) else {
                    panic!("a call should go through a pointer to a function");
                };
                let name = self.dispatcher(*result, parameters);
                if name.is_empty() {
                    return Ok(());
                }
                let pointer = self.value(pointer)?;
                let given = self.arguments(arguments)?;
                let given = std::iter::once(pointer).chain(given).collect::<Vec<_>>().join(", ");
                return self.finish_call(place, *result, format!("{name}({given})"));
            }
        };
        let given = self.arguments(arguments)?.join(", ");
        self.finish_call(place, result_type, format!("{name}({given})"))
    }

    fn arguments(&mut self, arguments: &[Expr]) -> Print<Vec<String>> {
        let mut texts = Vec::new();
        for argument in arguments {
            texts.push(if self.is_aggregate(argument.ty) {
                self.aggregate(argument)?
            } else {
                self.value(argument)?
            });
        }
        Ok(texts)
    }

    /// `frexp` or `modf`, which write through their second argument.
    fn split_call(
        &mut self,
        result: Option<&Place>,
        ty: TypeId,
        name: &str,
        arguments: &[Expr],
    ) -> Print<()> {
        let given = self.arguments(arguments)?;
        let kind = value_type(self.scalar(ty));
        let part = if name.starts_with("frexp") { "int" } else { kind };
        let Type::Pointer(pointee) = *self.layouts.type_of(arguments[1].ty) else {
            return Err(Unprintable::Call(name.to_owned()));
        };
        self.line(&format!("{{ {part} part; const {kind} whole = {name}({}, &part);", given[0]));
        let store = self.store_text(&given[1], 0, pointee, None, "part");
        self.line(&store);
        self.finish_call(result, ty, "whole".to_owned())?;
        self.line("}");
        Ok(())
    }

    fn finish_call(&mut self, result: Option<&Place>, ty: TypeId, call: String) -> Print<()> {
        let Some(place) = result else {
            self.line(&format!("{call};"));
            return Ok(());
        };
        let (address, bits) = self.place(place)?;
        if self.is_aggregate(ty) {
            let size = self.size(ty);
            self.line(&format!("{{ const uint64_t result = {call}; copy({address}, result, {size}); }}"));
        } else {
            let kind = value_type(self.scalar(ty));
            let store = self.store_text(&address, 0, place.ty, bits, "result");
            self.line(&format!("{{ const {kind} result = {call}; {store} }}"));
        }
        Ok(())
    }

    /// A call of a function that no file defines: what it returns and writes is in the chain.
    fn outside_call(
        &mut self,
        function: FunctionId,
        result: Option<&Place>,
        arguments: &[Expr],
    ) -> Print<()> {
        let number = function.index();
        let declaration = &self.program.functions[function];
        let is_nondet = crate::c::exec::is_nondet(declaration);
        let mut pointers = Vec::new();
        for argument in arguments {
            let is_pointer = matches!(self.layouts.type_of(argument.ty), Type::Pointer(_));
            pointers.push(if is_pointer && !is_nondet { self.value(argument)? } else { "0".to_owned() });
        }
        pointers.push("0".to_owned());
        self.keep_passed(function, arguments)?;
        self.line("{");
        self.line(&format!("    const uint64_t pointers[] = {{ {} }};", pointers.join(", ")));
        match result {
            Some(place) => {
                let (address, bits) = self.place(place)?;
                if self.is_aggregate(declaration.result) {
                    self.line(&format!("    feed({number}, {address}, pointers);"));
                } else {
                    let scalar = self.scalar(declaration.result);
                    let size = self.size(declaration.result);
                    let load = load_text("RESULT", 0, scalar);
                    let store = self.store_text(&address, 0, place.ty, bits, &load);
                    self.line(&format!(
                        "    fill(RESULT, 0, {size}); feed({number}, RESULT, pointers); {store}"
                    ));
                }
            }
            None => self.line(&format!("    feed({number}, RESULT, pointers);")),
        }
        self.line("}");
        Ok(())
    }

    /// Keeps what a function that no file defines is given.
    fn keep_passed(&mut self, function: FunctionId, arguments: &[Expr]) -> Print<()> {
        let declaration = &self.program.functions[function];
        for ((index, &local), argument) in declaration.parameters.iter().enumerate().zip(arguments) {
            let origin = Origin::Passed(function, Some(index));
            if self.blueprint.find(&origin).is_some() {
                let (address, value) = (self.fixed(&origin), self.value(argument)?);
                let store = self.store_text(&address, 0, declaration.locals[local].ty, None, &value);
                self.line(&store);
            }
        }
        let called = Origin::Passed(function, None);
        if self.blueprint.find(&called).is_some() {
            let address = self.fixed(&called);
            self.line(&format!("store({address}, 0, 8, 1);"));
        }
        Ok(())
    }

    /// Calls that mean something of their own; whether this is one.
    fn special_call(
        &mut self,
        function: FunctionId,
        result: Option<&Place>,
        arguments: &[Expr],
    ) -> Print<bool> {
        use crate::c::exec::Meaning;
        let declaration = &self.program.functions[function];
        match crate::c::exec::meaning(declaration) {
            Meaning::Ordinary => return Ok(false),
            Meaning::Nothing => {
                if let Some(place) = result {
                    let (address, bits) = self.place(place)?;
                    let store = self.store_text(&address, 0, place.ty, bits, "0");
                    self.line(&store);
                }
            }
            Meaning::Error if declaration.body.is_some() => {
                let given = self.arguments(arguments)?.join(", ");
                let call = format!("{}({given})", self.function_name(function));
                self.line(&format!("errors++; {call}; errors--;"));
            }
            Meaning::Error | Meaning::End => self.line("end_program();"),
            Meaning::FailedAssertion => self.line("if (errors) end_program();"),
            Meaning::Copy | Meaning::Fill => {
                let given = self.arguments(arguments)?;
                let name =
                    if crate::c::exec::meaning(declaration) == Meaning::Copy { "copy" } else { "fill" };
                self.line(&format!("{name}({});", given.join(", ")));
                if let Some(place) = result {
                    let (address, bits) = self.place(place)?;
                    let store = self.store_text(&address, 0, place.ty, bits, &given[0]);
                    self.line(&store);
                }
            }
            Meaning::Compare => {
                let given = self.arguments(arguments)?.join(", ");
                self.finish_call(result, declaration.result, format!("compare({given})"))?;
            }
            Meaning::Text(text) => {
                let call = text_call(text, &self.arguments(arguments)?);
                self.finish_call(result, declaration.result, call)?;
            }
            Meaning::Math => {
                let given = self.arguments(arguments)?.join(", ");
                let name = declaration.name.trim_start_matches('_').trim_start_matches("builtin_").to_owned();
                if name.starts_with("frexp") || name.starts_with("modf") {
                    return self.split_call(result, declaration.result, &name, arguments).map(|()| true);
                }
                // The host's macros return any number that is not zero for a truth; the model returns 1.
                let is_class = ["isnan", "isinf", "isfinite", "finite", "signbit"]
                    .iter()
                    .any(|class| name.starts_with(class));
                let call = if is_class {
                    format!(
                        "({}({given}) != 0)",
                        name.trim_end_matches('f').replace("isin", "isinf").replace("isinff", "isinf")
                    )
                } else {
                    format!("{name}({given})")
                };
                self.finish_call(result, declaration.result, call)?;
            }
            Meaning::Refused => return Err(Unprintable::Call(declaration.name.clone())),
        }
        Ok(true)
    }

    // ---- places ----

    /// The address of a place, and the bit-field it is.
    fn place(&mut self, place: &Place) -> Print<(String, Option<BitField>)> {
        let mut address = match &place.base {
            PlaceBase::Global(global) => self.fixed(&Origin::Global(*global)),
            PlaceBase::Local(local) => self.local_address(*local),
            PlaceBase::Part(_) => unreachable!("only conditions should speak of parts of functions"),
            PlaceBase::Deref(pointer) => self.value(pointer)?,
        };
        let mut bits = None;
        for projection in &place.path {
            match projection {
                Projection::Field { offset, bits: field, .. } => {
                    bits = *field;
                    if *offset > 0 {
                        address = format!("within({address}, {offset})");
                    }
                }
                Projection::Index { index, element, length } => {
                    let size = self.size(*element);
                    let index_text = self.value(index)?;
                    address = match length {
                        Some(length) => {
                            let wide = if self.scalar(index.ty).signed { "int64_t" } else { "uint64_t" };
                            format!(
                                "element({address}, (uint64_t)({wide})({index_text}), {length}u, {size}u)"
                            )
                        }
                        None => format!("({address} + (uint64_t)(int64_t)({index_text}) * {size}u)"),
                    };
                }
            }
        }
        Ok((address, bits))
    }

    fn fixed(&self, origin: &Origin) -> String {
        match self.blueprint.find(origin) {
            Some(object) => format!("{}u", self.map.objects[&object.number]),
            None => "0u".to_owned(),
        }
    }

    // ---- expressions ----

    /// A truth: C's `int`.
    fn truth(&mut self, expr: &Expr) -> Print<String> {
        Ok(format!("({} != 0)", self.value(expr)?))
    }

    /// The value of a scalar expression, of its [value type](value_type).
    fn value(&mut self, expr: &Expr) -> Print<String> {
        let scalar = self.scalar(expr.ty);
        let kind = value_type(scalar);
        Ok(match &expr.kind {
            ExprKind::Integer(number) => literal(*number, scalar),
            ExprKind::Float(bits) => match scalar.kind {
                Kind::Float(FloatFormat::Single) => format!("single(0x{bits:x}u)"),
                _ => format!("double_(0x{bits:x}ull)"),
            },
            ExprKind::String(bytes) => self.fixed(&Origin::Text(bytes.clone())),
            ExprKind::Zero => format!("(({kind})0)"),
            ExprKind::Load(place) => {
                let (address, bits) = self.place(place)?;
                let stored = self.layouts.scalar(place.ty, bits).expect("a scalar should be loaded here");
                load_text(&address, bits.map_or(0, |bits| u64::from(bits.low)), stored)
            }
            ExprKind::AddressOf(place) => format!("((uint64_t){})", self.address(place)?),
            ExprKind::Function(function) => format!("{}u", function_address(*function)),
            ExprKind::Unary(op, operand) => self.unary(*op, operand, scalar)?,
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, scalar)?,
            ExprKind::Convert(inner) => self.convert(inner, scalar)?,
            ExprKind::And(left, right) => {
                format!("(({kind})({} && {}))", self.truth(left)?, self.truth(right)?)
            }
            ExprKind::Or(left, right) => {
                format!("(({kind})({} || {}))", self.truth(left)?, self.truth(right)?)
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                let condition = self.truth(condition)?;
                let (then, otherwise) = (self.value(then)?, self.value(otherwise)?);
                format!("({condition} ? {then} : {otherwise})")
            }
            ExprKind::Old(inner) => self.value(inner)?,
        })
    }

    /// The address of a place; unlike an access, it may lie behind the last element.
    fn address(&mut self, place: &Place) -> Print<String> {
        let mut start = place.clone();
        let mut text = String::new();
        let mut rest = Vec::new();
        while let Some(Projection::Index { .. }) = start.path.last() {
            rest.push(start.path.pop().expect("the last projection should be there"));
        }
        text.push_str(&self.place(&start)?.0);
        for projection in rest.into_iter().rev() {
            if let Projection::Index { index, element, .. } = projection {
                let size = self.layouts.stride(element).unwrap_or(1);
                let index = self.value(&index)?;
                text = format!("({text} + (uint64_t)({index}) * {size}u)");
            }
        }
        Ok(text)
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr, scalar: Scalar) -> Print<String> {
        let kind = value_type(scalar);
        let text = self.value(operand)?;
        Ok(match op {
            UnaryOp::Negate if matches!(scalar.kind, Kind::Float(_)) => format!("(-{text})"),
            UnaryOp::Negate => format!("(({kind})(0u - (uint64_t){text}))"),
            UnaryOp::Complement => format!("(({kind})~(uint64_t){text})"),
            UnaryOp::Not => format!("(({kind})({text} == 0))"),
        })
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr, scalar: Scalar) -> Print<String> {
        let kind = value_type(scalar);
        let operand = self.scalar(left.ty);
        let (a, b) = (self.value(left)?, self.value(right)?);
        let is_float = matches!(operand.kind, Kind::Float(_));
        let stride = match self.layouts.type_of(left.ty) {
            Type::Pointer(pointee) => self.layouts.stride(*pointee).unwrap_or(1),
            _ => 1,
        };
        let modulo = |symbol: &str| format!("(({kind})((uint64_t){a} {symbol} (uint64_t){b}))");
        let plain = |symbol: &str| format!("(({kind})({a} {symbol} {b}))");
        Ok(match op {
            BinaryOp::Add if is_float => canonical(kind, &plain("+")),
            BinaryOp::Subtract if is_float => canonical(kind, &plain("-")),
            BinaryOp::Multiply if is_float => canonical(kind, &plain("*")),
            BinaryOp::Divide if is_float => canonical(kind, &plain("/")),
            BinaryOp::Add => modulo("+"),
            BinaryOp::Subtract => modulo("-"),
            BinaryOp::Multiply => modulo("*"),
            BinaryOp::BitAnd => modulo("&"),
            BinaryOp::BitOr => modulo("|"),
            BinaryOp::BitXor => modulo("^"),
            BinaryOp::Divide if operand.signed => format!("(({kind})sdiv({a}, {b}))"),
            BinaryOp::Divide => format!("(({kind})udiv({a}, {b}))"),
            BinaryOp::Remainder if operand.signed => format!("(({kind})srem({a}, {b}))"),
            BinaryOp::Remainder => format!("(({kind})urem({a}, {b}))"),
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
                let wide = if self.scalar(right.ty).signed { "int64_t" } else { "uint64_t" };
                let name = match (op, operand.signed) {
                    (BinaryOp::ShiftLeft, _) => "shl",
                    (_, true) => "sar",
                    (_, false) => "shr",
                };
                format!("(({kind}){name}({a}, (uint64_t)({wide}){b}, {}))", operand.extent)
            }
            BinaryOp::Equal => plain("=="),
            BinaryOp::NotEqual => plain("!="),
            BinaryOp::Less => plain("<"),
            BinaryOp::LessEqual => plain("<="),
            BinaryOp::Greater => plain(">"),
            BinaryOp::GreaterEqual => plain(">="),
            BinaryOp::PointerAdd => format!("({a} + (uint64_t)(int64_t){b} * {stride}u)"),
            BinaryOp::PointerDifference => format!("(({kind})((int64_t)({a} - {b}) / {stride}))"),
        })
    }

    fn convert(&mut self, inner: &Expr, to: Scalar) -> Print<String> {
        let from = self.scalar(inner.ty);
        let text = self.value(inner)?;
        let kind = value_type(to);
        Ok(match (from.kind, to.kind) {
            (_, Kind::Word) if to.extent == 1 => format!("((uint8_t)({text} != 0))"),
            (Kind::Float(_), Kind::Word) => format!("(({kind})truncated({text}))"),
            (Kind::Float(old), Kind::Float(new)) if old != new => {
                canonical(kind, &format!("(({kind}){text})"))
            }
            _ => format!("(({kind}){text})"),
        })
    }
}

/// The result of a float operator with the one NaN that the model knows: hardware differs in sign and payload.
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

/// A call of the runtime that does what a function on texts does.
fn text_call(function: TextFunction, given: &[String]) -> String {
    let limited = |at: usize| given.get(at).map_or("~0ull", String::as_str);
    match function {
        TextFunction::Length(_) => format!("text_length({}, {})", given[0], limited(1)),
        TextFunction::Compare(_) => format!("text_compare({}, {}, {})", given[0], given[1], limited(2)),
        TextFunction::Copy(is_limited) => {
            format!("text_copy({}, {}, {}, {})", given[0], given[1], limited(2), u8::from(is_limited))
        }
        TextFunction::First => format!("text_find({}, {}, ~0ull, 1, 0)", given[0], given[1]),
        TextFunction::Last => format!("text_find({}, {}, ~0ull, 1, 1)", given[0], given[1]),
        TextFunction::FirstByte => format!("text_find({}, {}, {}, 0, 0)", given[0], given[1], given[2]),
    }
}

const RUNTIME: &str = r#"
#define ZEROS 0u
#define RESULT 16u
static uint8_t memory[MEMORY + 16];
static int errors;
static void before_step(void);
static void end_program(void);
static void feed(int function, uint64_t result, const uint64_t *pointers);
static uint64_t enter(uint64_t bytes) {
    const uint64_t frame = stack;
    if (frame + bytes > MEMORY) { fprintf(stderr, "stack overflow\n"); exit(9); }
    memset(memory + frame, 0, bytes);
    stack = frame + bytes;
    return frame;
}
/* Accesses through null pointers and beyond memory read zero and write nothing. */
static int is_valid(uint64_t address, uint64_t size) {
    return (address >= FIRST || (address >= RESULT && address + size <= FIRST)) && address <= MEMORY && size <= MEMORY - address;
}
static uint64_t load(uint64_t address, unsigned low, unsigned width) {
    uint64_t value = 0;
    unsigned first, bytes, index;
    address += low / 8;
    first = low % 8;
    bytes = (first + width + 7) / 8;
    if (!is_valid(address, bytes)) return 0;
    for (index = 0; index < bytes && index < 8; index++) value |= (uint64_t)memory[address + index] << (8 * index);
    value >>= first;
    if (first + width > 64) value |= (uint64_t)memory[address + 8] << (64 - first);
    return width < 64 ? value & ((1ull << width) - 1) : value;
}
static void store(uint64_t address, unsigned low, unsigned width, uint64_t value) {
    unsigned index;
    address += low / 8;
    low %= 8;
    if (!is_valid(address, (low + width + 7) / 8)) return;
    if (low == 0 && width % 8 == 0) {
        for (index = 0; index < width / 8; index++) memory[address + index] = (uint8_t)(value >> (8 * index));
        return;
    }
    for (index = 0; index < width; index++) {
        const unsigned bit = low + index;
        const uint8_t mask = (uint8_t)(1u << (bit % 8));
        if (value >> index & 1) memory[address + bit / 8] |= mask;
        else memory[address + bit / 8] &= (uint8_t)~mask;
    }
}
static void copy(uint64_t to, uint64_t from, uint64_t size) {
    if (!is_valid(to, size)) return;
    if (is_valid(from, size)) memmove(memory + to, memory + from, size);
    else memset(memory + to, 0, size);
}
static void fill(uint64_t to, int byte, uint64_t size) {
    if (is_valid(to, size)) memset(memory + to, byte, size);
}
static int compare(uint64_t left, uint64_t right, uint64_t size) {
    uint64_t index;
    if (!is_valid(left, size) || !is_valid(right, size)) return 0;
    for (index = 0; index < size; index++) {
        if (memory[left + index] != memory[right + index]) return memory[left + index] - memory[right + index];
    }
    return 0;
}
static uint64_t text_length(uint64_t text, uint64_t limit) {
    uint64_t index = 0;
    while (index < limit && load(text + index, 0, 8)) index++;
    return index;
}
static int text_compare(uint64_t left, uint64_t right, uint64_t limit) {
    uint64_t index;
    for (index = 0; index < limit; index++) {
        const int first = (int)load(left + index, 0, 8), second = (int)load(right + index, 0, 8);
        if (first != second || !first) return first - second;
    }
    return 0;
}
static uint64_t text_copy(uint64_t to, uint64_t from, uint64_t limit, int is_filled) {
    uint64_t index, byte = 1;
    for (index = 0; index < limit && (byte || is_filled); index++) {
        if (byte) byte = load(from + index, 0, 8);
        store(to + index, 0, 8, byte);
    }
    return to;
}
static uint64_t text_find(uint64_t text, int wanted, uint64_t limit, int ends_at_zero, int is_last) {
    uint64_t index, found = 0;
    for (index = 0; index < limit && is_valid(text + index, 1); index++) {
        const uint64_t byte = load(text + index, 0, 8);
        if (byte == (uint8_t)wanted) {
            found = text + index;
            if (!is_last) break;
        }
        if (ends_at_zero && !byte) break;
    }
    return found;
}
static uint64_t within(uint64_t address, uint64_t offset) { return address < FIRST && address != RESULT ? address : address + offset; }
static uint64_t element(uint64_t address, uint64_t index, uint64_t length, uint64_t size) {
    return index < length && (address >= FIRST || address == RESULT) ? address + index * size : 0;
}
static uint64_t widened(uint64_t bits, unsigned width) {
    return width < 64 && bits >> (width - 1) & 1 ? bits | ~0ull << width : bits;
}
static float single(uint32_t bits) { float value; memcpy(&value, &bits, 4); return value; }
static double double_(uint64_t bits) { double value; memcpy(&value, &bits, 8); return value; }
static uint64_t single_bits(float value) { uint32_t bits; memcpy(&bits, &value, 4); return bits; }
static uint64_t double_bits(double value) { uint64_t bits; memcpy(&bits, &value, 8); return bits; }
static float float_canonical(float value) { return value == value ? value : single(0x7fc00000u); }
static double double_canonical(double value) { return value == value ? value : double_(0x7ff8000000000000ull); }
static int64_t sdiv(int64_t a, int64_t b) {
    if (b == 0) return a < 0 ? 1 : -1;
    return b == -1 ? (int64_t)(0u - (uint64_t)a) : a / b;
}
static int64_t srem(int64_t a, int64_t b) { return b == 0 ? a : b == -1 ? 0 : a % b; }
static uint64_t udiv(uint64_t a, uint64_t b) { return b == 0 ? ~0ull : a / b; }
static uint64_t urem(uint64_t a, uint64_t b) { return b == 0 ? a : a % b; }
static uint64_t shl(uint64_t a, uint64_t amount, unsigned width) { return amount >= width ? 0 : a << amount; }
static uint64_t shr(uint64_t a, uint64_t amount, unsigned width) { return amount >= width ? 0 : a >> amount; }
static int64_t sar(int64_t a, uint64_t amount, unsigned width) {
    return amount >= width ? (a < 0 ? -1 : 0) : a >> amount;
}
/* The truncated value modulo 2^64; 0 for infinities and NaN. */
static uint64_t truncated(double value) {
    uint64_t bits = double_bits(value), mantissa;
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1075;
    if ((bits >> 52 & 0x7ff) == 0x7ff || exponent >= 64 || exponent <= -53) return 0;
    mantissa = (bits & 0xfffffffffffffull) | 0x10000000000000ull;
    mantissa = exponent >= 0 ? mantissa << exponent : mantissa >> -exponent;
    return bits >> 63 ? 0u - mantissa : mantissa;
}
"#;
