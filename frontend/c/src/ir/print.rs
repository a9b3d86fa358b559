//! A readable, deterministic dump of programs, for `--emit ir` and tests.
//!
//! It looks like C, with everything said that C leaves unsaid: conversions (`(unsigned char)x`),
//! temporaries (`%1`), the declared type of every object.

use super::expr::{BinaryOp, Expr, ExprKind, UnaryOp};
use super::stmt::{Block, Callee, Place, PlaceBase, Projection, Stmt, StmtKind, SwitchEntry};
use super::types::{RecordId, Type, TypeId};
use super::{Condition, Function, FunctionId, Global, Linkage, Local, LocalId, Program};
use model::id::IdVec;
use model::sort::FloatFormat;
use std::fmt::{self, Display, Write};

/// Shows a program; see the module.
pub struct ProgramText<'a>(pub &'a Program);

impl Display for ProgramText<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = self.0;
        let printer = |locals| Printer { program, locals };
        let none = IdVec::new();
        for record in program.types.records.ids() {
            printer(&none).record(formatter, record)?;
        }
        for global in program.globals.values() {
            printer(&none).global(formatter, global)?;
        }
        for function in program.functions.values() {
            printer(&function.locals).function(formatter, function)?;
        }
        for condition in program.conditions.iter().flatten() {
            printer(&condition.locals).condition(formatter, condition)?;
        }
        Ok(())
    }
}

/// One function as text.
pub fn function_text(program: &Program, function: FunctionId) -> String {
    let function = &program.functions[function];
    let mut text = String::new();
    let _ = Printer { program, locals: &function.locals }.function(&mut text, function);
    text
}

/// An expression of a function as text; without a function, one that names no locals.
pub(crate) fn expression_text(program: &Program, function: Option<FunctionId>, expression: &Expr) -> String {
    let none = IdVec::new();
    let locals = function.map_or(&none, |function| &program.functions[function].locals);
    Printer { program, locals }.expression(expression)
}

/// What an expression reads, as C writes it: `s->mode` for a member behind a pointer.
pub(crate) fn read_text(program: &Program, locals: &IdVec<LocalId, Local>, expression: &Expr) -> String {
    let text = Printer { program, locals }.expression(expression);
    let mut pieces = text.split("(*");
    let mut arrows = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        // Only a plain name is followed by an arrow as it stands.
        let name = piece.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(0);
        match piece[name..].strip_prefix(").").filter(|_| name > 0) {
            Some(rest) => arrows.extend([&piece[..name], "->", rest]),
            None => arrows.extend(["(*", piece]),
        }
    }
    arrows
}

/// One condition as text.
pub fn condition_text(program: &Program, condition: &Condition) -> String {
    let mut text = String::new();
    let _ = Printer { program, locals: &condition.locals }.condition(&mut text, condition);
    text
}

struct Printer<'a> {
    program: &'a Program,
    locals: &'a IdVec<LocalId, Local>,
}

impl Printer<'_> {
    fn type_name(&self, ty: TypeId) -> String {
        self.program.types.name(ty)
    }
    fn declaration(&self, ty: TypeId, name: &str) -> String {
        self.program.types.declaration(ty, name)
    }

    fn record(&self, out: &mut impl Write, id: RecordId) -> fmt::Result {
        let record = &self.program.types.records[id];
        let keyword = if record.is_union { "union" } else { "struct" };
        let Some(fields) = &record.fields else { return writeln!(out, "{keyword} {};", record.name) };
        writeln!(
            out,
            "{keyword} {} {{ // size {}, alignment {}",
            record.name, record.size, record.alignment
        )?;
        for field in fields {
            write!(out, "    {}", self.declaration(field.ty, &field.name))?;
            match field.bits {
                Some(bits) => writeln!(out, " : {}; // at {}, bit {}", bits.width, field.offset, bits.low)?,
                None => writeln!(out, "; // at {}", field.offset)?,
            }
        }
        writeln!(out, "}}")
    }

    fn global(&self, out: &mut impl Write, global: &Global) -> fmt::Result {
        let words = [
            (!global.is_defined, "extern "),
            (global.linkage == Linkage::Internal, "static "),
            (global.is_const, "const "),
            (global.is_volatile, "volatile "),
        ];
        for (_, word) in words.iter().filter(|(is_said, _)| *is_said) {
            out.write_str(word)?;
        }
        let scope = global.function.map(|function| format!("{}::", self.program.functions[function].name));
        let name = format!("{}{}", scope.unwrap_or_default(), global.name);
        write!(out, "{}", self.declaration(global.ty, &name))?;
        if global.is_initialised {
            out.write_str(" = {")?;
            for (index, value) in global.initialiser.iter().enumerate() {
                let separator = if index == 0 { " " } else { ", " };
                write!(out, "{separator}{}", value.offset)?;
                if let Some(bits) = value.bits {
                    write!(out, "[{}+{}]", bits.low, bits.width)?;
                }
                write!(out, ": {}", self.expression(&value.value))?;
            }
            out.write_str(" }")?;
        }
        out.write_str(";\n")
    }

    fn function(&self, out: &mut impl Write, function: &Function) -> fmt::Result {
        if function.body.is_none() {
            out.write_str("extern ")?;
        }
        if function.linkage == Linkage::Internal {
            out.write_str("static ")?;
        }
        let parameter = |&local: &LocalId| self.declaration(self.locals[local].ty, &self.locals[local].name);
        let mut parameters: Vec<String> = function.parameters.iter().map(parameter).collect();
        if function.is_variadic {
            parameters.push("...".to_owned());
        } else if parameters.is_empty() {
            parameters.push("void".to_owned());
        }
        let head = format!("{}({})", function.name, parameters.join(", "));
        write!(out, "{}", self.declaration(function.result, &head))?;
        match &function.body {
            None => out.write_str(";\n"),
            Some(body) => self.braces(out, body, 0),
        }
    }

    fn condition(&self, out: &mut impl Write, condition: &Condition) -> fmt::Result {
        self.block(out, &condition.prelude, 0)?;
        writeln!(out, "{}", self.expression(&condition.value))
    }

    // ---- statements ----

    /// A block in braces, after something on the same line.
    fn braces(&self, out: &mut impl Write, block: &Block, depth: usize) -> fmt::Result {
        out.write_str(" {\n")?;
        self.block(out, block, depth + 1)?;
        indent(out, depth)?;
        out.write_str("}\n")
    }

    fn block(&self, out: &mut impl Write, block: &Block, depth: usize) -> fmt::Result {
        block.iter().try_for_each(|statement| self.statement(out, statement, depth))
    }

    fn statement(&self, out: &mut impl Write, statement: &Stmt, depth: usize) -> fmt::Result {
        indent(out, depth)?;
        match &statement.kind {
            StmtKind::Declare(local) | StmtKind::DeclareSet(local) => {
                let local = &self.locals[*local];
                writeln!(out, "{};", self.declaration(local.ty, &local.name))
            }
            StmtKind::Assign(place, value) => {
                writeln!(out, "{} = {};", self.place(place), self.expression(value))
            }
            StmtKind::Call { result, callee, arguments } => {
                if let Some(result) = result {
                    write!(out, "{} = ", self.place(result))?;
                }
                writeln!(out, "{}({});", self.callee(callee), self.list(arguments))
            }
            StmtKind::If { condition, then, otherwise } => {
                self.branch(out, condition, then, otherwise, depth)
            }
            StmtKind::Loop { body, continuing } => {
                out.write_str("loop")?;
                self.braces(out, body, depth)?;
                if !continuing.is_empty() {
                    indent(out, depth)?;
                    out.write_str("continuing")?;
                    self.braces(out, continuing, depth)?;
                }
                Ok(())
            }
            StmtKind::Switch { value, entries, body } => self.switch(out, value, entries, body, depth),
            StmtKind::Break => out.write_str("break;\n"),
            StmtKind::Continue => out.write_str("continue;\n"),
            StmtKind::Return(None) => out.write_str("return;\n"),
            StmtKind::Return(Some(value)) => writeln!(out, "return {};", self.expression(value)),
            StmtKind::Block(block) => {
                out.write_str("{\n")?;
                self.block(out, block, depth + 1)?;
                indent(out, depth)?;
                out.write_str("}\n")
            }
            StmtKind::Reach(block) => writeln!(out, "reach {block:?};"),
            StmtKind::Label(name) => writeln!(out, "{name}:"),
            StmtKind::Goto(name) => writeln!(out, "goto {name};"),
        }
    }

    fn branch(
        &self,
        out: &mut impl Write,
        condition: &Expr,
        then: &Block,
        otherwise: &Block,
        depth: usize,
    ) -> fmt::Result {
        write!(out, "if ({})", self.expression(condition))?;
        self.braces(out, then, depth)?;
        if otherwise.is_empty() {
            return Ok(());
        }
        indent(out, depth)?;
        out.write_str("else")?;
        self.braces(out, otherwise, depth)
    }

    fn switch(
        &self,
        out: &mut impl Write,
        value: &Expr,
        entries: &[SwitchEntry],
        body: &Block,
        depth: usize,
    ) -> fmt::Result {
        writeln!(out, "switch ({}) {{", self.expression(value))?;
        let mut entries = entries.iter().peekable();
        for index in 0..=body.len() {
            while let Some(entry) = entries.next_if(|entry| entry.start <= index) {
                for (low, high) in &entry.values {
                    indent(out, depth)?;
                    match low == high {
                        true => writeln!(out, "case {low}:")?,
                        false => writeln!(out, "case {low} ... {high}:")?,
                    }
                }
                if entry.is_default {
                    indent(out, depth)?;
                    out.write_str("default:\n")?;
                }
            }
            if let Some(statement) = body.get(index) {
                self.statement(out, statement, depth + 1)?;
            }
        }
        indent(out, depth)?;
        out.write_str("}\n")
    }

    fn callee(&self, callee: &Callee) -> String {
        match callee {
            Callee::Function(function) => self.program.functions[*function].name.clone(),
            Callee::Pointer(pointer) => format!("(*{})", self.expression(pointer)),
        }
    }

    // ---- expressions ----

    fn list(&self, values: &[Expr]) -> String {
        let texts: Vec<String> = values.iter().map(|value| self.expression(value)).collect();
        texts.join(", ")
    }

    fn expression(&self, value: &Expr) -> String {
        match &value.kind {
            ExprKind::Integer(number) => self.integer(*number, value.ty),
            ExprKind::Float(bits) => self.float(*bits, value.ty),
            ExprKind::String(bytes) => format!("\"{}\"", bytes.escape_ascii()),
            ExprKind::Zero => format!("({}){{0}}", self.type_name(value.ty)),
            ExprKind::Load(place) => self.place(place),
            ExprKind::AddressOf(place) => format!("&{}", self.place(place)),
            ExprKind::Function(function) => self.program.functions[*function].name.clone(),
            ExprKind::Unary(operator, operand) => {
                let operator = match operator {
                    UnaryOp::Negate => "-",
                    UnaryOp::Complement => "~",
                    UnaryOp::Not => "!",
                };
                format!("{operator}{}", self.expression(operand))
            }
            ExprKind::Binary(operator, left, right) => self.binary(operator_text(*operator), left, right),
            ExprKind::And(left, right) => self.binary("&&", left, right),
            ExprKind::Or(left, right) => self.binary("||", left, right),
            ExprKind::Convert(operand) => {
                format!("({}){}", self.type_name(value.ty), self.expression(operand))
            }
            ExprKind::Conditional(condition, then, otherwise) => format!(
                "({} ? {} : {})",
                self.expression(condition),
                self.expression(then),
                self.expression(otherwise)
            ),
            ExprKind::Probe(_, operand) => self.expression(operand),
            ExprKind::Old(operand) => format!("old({})", self.expression(operand)),
        }
    }

    fn binary(&self, operator: &str, left: &Expr, right: &Expr) -> String {
        format!("({} {operator} {})", self.expression(left), self.expression(right))
    }

    /// Numbers of type `int` as they are, others with their type.
    fn integer(&self, number: i128, ty: TypeId) -> String {
        match self.program.types.types[ty] {
            Type::Integer(super::types::IntegerKind::Int) => number.to_string(),
            _ => format!("({}){number}", self.type_name(ty)),
        }
    }

    fn float(&self, bits: u64, ty: TypeId) -> String {
        match self.program.types.types[ty] {
            Type::Float(FloatFormat::Single) => format!("{:?}f", f32::from_bits(bits as u32)),
            _ => format!("{:?}", f64::from_bits(bits)),
        }
    }

    fn place(&self, place: &Place) -> String {
        let program = self.program;
        let (mut text, mut ty) = match &place.base {
            PlaceBase::Global(global) => {
                let global = &program.globals[*global];
                let scope = global.function.map(|function| format!("{}::", program.functions[function].name));
                (format!("{}{}", scope.unwrap_or_default(), global.name), global.ty)
            }
            PlaceBase::Local(local) => (self.locals[*local].name.clone(), self.locals[*local].ty),
            PlaceBase::Deref(pointer) => {
                let text = self.expression(pointer);
                let ty = match program.types.types[pointer.ty] {
                    Type::Pointer(to) => to,
                    _ => pointer.ty,
                };
                (if place.path.is_empty() { format!("*{text}") } else { format!("(*{text})") }, ty)
            }
            PlaceBase::Part(part) => {
                let ty = program.part_type(&program.types, *part);
                (program.part_name(*part), ty.unwrap_or(place.ty))
            }
        };
        for projection in &place.path {
            match projection {
                Projection::Field { index, ty: field_type, .. } => {
                    let _ = write!(text, ".{}", self.field_name(ty, *index));
                    ty = *field_type;
                }
                Projection::Index { index, element, .. } => {
                    let _ = write!(text, "[{}]", self.expression(index));
                    ty = *element;
                }
            }
        }
        text
    }

    /// The name of a member; its number where it has none.
    fn field_name(&self, ty: TypeId, index: usize) -> String {
        let Type::Record(record) = self.program.types.types[ty] else { return format!("#{index}") };
        let fields = self.program.types.records[record].fields.as_deref().unwrap_or_default();
        match fields.get(index) {
            Some(field) if !field.name.is_empty() => field.name.clone(),
            _ => format!("#{index}"),
        }
    }
}

/// How C writes an operator; those on pointers are written as those on numbers.
pub fn operator_text(operator: BinaryOp) -> &'static str {
    match operator {
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Remainder => "%",
        BinaryOp::ShiftLeft => "<<",
        BinaryOp::ShiftRight => ">>",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::Less => "<",
        BinaryOp::LessEqual => "<=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::PointerAdd => "+",
        BinaryOp::PointerDifference => "-",
    }
}

fn indent(out: &mut impl Write, depth: usize) -> fmt::Result {
    (0..depth).try_for_each(|_| out.write_str("    "))
}
