//! Prints a lowered program as C again, in which nothing is left to conversions, evaluation order or initialisers.
//!
//! Compiled, it must do what the original does: an oracle for lowering that shares no code with it.

use frontend_c::ir::expr::{Expr, ExprKind, UnaryOp};
use frontend_c::ir::print::operator_text;
use frontend_c::ir::stmt::{Block, Callee, Place, PlaceBase, Projection, Stmt, StmtKind, SwitchEntry};
use frontend_c::ir::types::{RecordId, Type, TypeId};
use frontend_c::ir::{Function, FunctionId, GlobalId, Local, LocalId, Program};
use model::id::{Id, IdVec};
use model::sort::FloatFormat;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The whole program as one C file.
pub(crate) fn back_to_c(program: &Program) -> String {
    let mut writer =
        Writer { program, text: String::new(), done: BTreeSet::new(), loops: Vec::new(), labels: 0 };
    writer.text.push_str(PRELUDE);
    for record in program.types.records.ids() {
        writer.record(record);
    }
    for global in program.globals.ids() {
        writer.global_declaration(global);
    }
    for function in program.functions.ids() {
        let head = writer.head(function);
        let _ = writeln!(writer.text, "{head};");
    }
    writer.initialisation();
    for (id, function) in program.functions.iter() {
        if let Some(body) = &function.body {
            writer.function(id, function, body);
        }
    }
    writer.text
}

const PRELUDE: &str = "\
static inline void put_bits(void *at, int size, int low, int width, unsigned long long value) {
    unsigned long long word = 0, mask = width == 64 ? ~0ULL : (1ULL << width) - 1;
    __builtin_memcpy(&word, at, size);
    word = (word & ~(mask << low)) | ((value & mask) << low);
    __builtin_memcpy(at, &word, size);
}
static inline float f32(unsigned bits) { float value; __builtin_memcpy(&value, &bits, 4); return value; }
static inline double f64(unsigned long long bits) { double value; __builtin_memcpy(&value, &bits, 8); return value; }
";

struct Writer<'a> {
    program: &'a Program,
    text: String,
    done: BTreeSet<usize>,
    loops: Vec<usize>,
    labels: usize,
}

impl Writer<'_> {
    // ---- types ----

    fn declaration(&self, ty: TypeId, name: &str) -> String {
        let types = &self.program.types;
        match &types.types[ty] {
            Type::Void => format!("void {name}"),
            Type::Integer(kind) | Type::Boolean { kind, .. } => format!("{} {name}", kind.name()),
            Type::Enum(id) => format!("{} {name}", types.enums[*id].underlying.name()),
            Type::Float(FloatFormat::Single) => format!("float {name}"),
            Type::Float(FloatFormat::Double) => format!("double {name}"),
            Type::Pointer(to) => self.declaration(*to, &format!("(*{name})")),
            Type::Array { element, length } => {
                let length = length.map_or(String::new(), |length| length.to_string());
                self.declaration(*element, &format!("{name}[{length}]"))
            }
            Type::Record(id) => {
                let keyword = if types.records[*id].is_union { "union" } else { "struct" };
                format!("{keyword} R{} {name}", id.index())
            }
            Type::Function { result, parameters, is_variadic } => {
                let mut list: Vec<String> = parameters.iter().map(|&ty| self.declaration(ty, "")).collect();
                if *is_variadic && !list.is_empty() {
                    list.push("...".to_owned());
                } else if list.is_empty() && !is_variadic {
                    list.push("void".to_owned());
                }
                self.declaration(*result, &format!("({name})({})", list.join(", ")))
            }
        }
    }

    fn cast(&self, ty: TypeId) -> String {
        self.declaration(ty, "")
    }

    /// Unnamed bit-fields between two bits of a packed record.
    fn gap(&mut self, from: u64, to: u64) {
        let mut position = from;
        while position < to {
            let bits = (to - position).min(8 - position % 8);
            let _ = writeln!(self.text, "    unsigned char : {bits};");
            position += bits;
        }
    }

    fn record(&mut self, id: RecordId) {
        if !self.done.insert(id.index()) {
            return;
        }
        let record = &self.program.types.records[id];
        let Some(fields) = &record.fields else { return };
        for field in fields {
            let mut ty = field.ty;
            while let Type::Array { element, .. } = self.program.types.types[ty] {
                ty = element;
            }
            if let Type::Record(inner) = self.program.types.types[ty] {
                self.record(inner);
            }
        }
        let keyword = if record.is_union { "union" } else { "struct" };
        let target = self.program.target;
        let alignment = |ty| self.program.types.alignment(ty, target);
        let has_bits = fields.iter().any(|field| field.bits.is_some());
        // Gaps that unnamed bit-fields leave are not in the IR: such records are packed, with the gaps written out.
        let is_packed = has_bits || fields.iter().any(|field| alignment(field.ty) > record.alignment);
        let attribute = if is_packed {
            format!("__attribute__((packed, aligned({})))", record.alignment)
        } else {
            String::new()
        };
        let _ = writeln!(self.text, "{keyword} {attribute} R{} {{", id.index());
        let mut position = 0;
        for (index, field) in fields.iter().enumerate() {
            let start = 8 * field.offset + field.bits.map_or(0, |bits| u64::from(bits.low));
            if has_bits && !record.is_union {
                self.gap(position, start);
            }
            let width = field.bits.map(|bits| u64::from(bits.width));
            position =
                start + width.unwrap_or_else(|| 8 * self.program.types.size(field.ty, target).unwrap_or(0));
            let bits = width.map_or(String::new(), |width| format!(" : {width}"));
            let _ = writeln!(self.text, "    {}{bits};", self.declaration(field.ty, &format!("f{index}")));
        }
        if has_bits && !record.is_union {
            self.gap(position, 8 * record.size);
        }
        let _ = writeln!(self.text, "}};");
        let name = format!("{keyword} R{}", id.index());
        let size = record.size;
        let _ = writeln!(self.text, "_Static_assert(sizeof({name}) == {size}, \"{}\");", record.name);
        if !has_bits {
            for (index, field) in fields.iter().enumerate() {
                let offset = format!("__builtin_offsetof({name}, f{index}) == {}", field.offset);
                let _ = writeln!(self.text, "_Static_assert({offset}, \"{}\");", field.name);
            }
        }
    }

    // ---- globals ----

    fn global_name(&self, id: GlobalId) -> String {
        let global = &self.program.globals[id];
        if global.is_defined { format!("g{}", id.index()) } else { global.name.clone() }
    }

    fn global_declaration(&mut self, id: GlobalId) {
        let global = &self.program.globals[id];
        let storage = if global.is_defined { "static" } else { "extern" };
        let name = self.global_name(id);
        let _ = writeln!(self.text, "{storage} {};", self.declaration(global.ty, &name));
    }

    fn initialisation(&mut self) {
        self.text.push_str("__attribute__((constructor)) static void initialise(void) {\n");
        for (id, global) in self.program.globals.iter() {
            for initial in &global.initialiser {
                let at = format!("((char *)&{} + {})", self.global_name(id), initial.offset);
                let value = self.expression(&initial.value, &IdVec::new());
                let ty = initial.value.ty;
                let _ = match initial.bits {
                    Some(bits) => {
                        writeln!(
                            self.text,
                            "    put_bits({at}, sizeof({}), {}, {}, {value});",
                            self.cast(ty),
                            bits.low,
                            bits.width
                        )
                    }
                    None => writeln!(self.text, "    *({}){at} = {value};", self.declaration(ty, "(*)")),
                };
            }
        }
        self.text.push_str("}\n");
    }

    // ---- functions ----

    fn function_name(&self, id: FunctionId) -> String {
        let function = &self.program.functions[id];
        match function.body {
            Some(_) if function.name != "main" => format!("F{}_{}", id.index(), function.name),
            _ => function.name.clone(),
        }
    }

    fn head(&self, id: FunctionId) -> String {
        let function = &self.program.functions[id];
        let parameter =
            |&local: &LocalId| self.declaration(function.locals[local].ty, &format!("l{}", local.index()));
        let mut list: Vec<String> = function.parameters.iter().map(parameter).collect();
        if function.is_variadic && !list.is_empty() {
            list.push("...".to_owned());
        } else if list.is_empty() && !function.is_variadic {
            list.push("void".to_owned());
        }
        self.declaration(function.result, &format!("{}({})", self.function_name(id), list.join(", ")))
    }

    fn function(&mut self, id: FunctionId, function: &Function, body: &Block) {
        let head = self.head(id);
        let _ = writeln!(self.text, "{head} {{");
        for (local, entry) in function.locals.iter() {
            if !function.parameters.contains(&local) {
                let _ = writeln!(
                    self.text,
                    "    {};",
                    self.declaration(entry.ty, &format!("l{}", local.index()))
                );
            }
        }
        self.block(body, &function.locals);
        if function.name == "main" {
            self.text.push_str("    return 0;\n");
        }
        self.text.push_str("}\n");
    }

    fn block(&mut self, block: &Block, locals: &IdVec<LocalId, Local>) {
        for statement in block {
            self.statement(statement, locals);
        }
    }

    fn braces(&mut self, block: &Block, locals: &IdVec<LocalId, Local>) {
        self.text.push_str("{\n");
        self.block(block, locals);
        self.text.push_str("}\n");
    }

    fn statement(&mut self, statement: &Stmt, locals: &IdVec<LocalId, Local>) {
        match &statement.kind {
            StmtKind::Declare(_) | StmtKind::DeclareSet(_) => {}
            StmtKind::Assign(place, value) => self.assign(place, value, locals),
            StmtKind::Call { result, callee, arguments } => {
                let result = result
                    .as_ref()
                    .map_or(String::new(), |place| format!("{} = ", self.place(place, locals)));
                let callee = match callee {
                    Callee::Function(function) => self.function_name(*function),
                    Callee::Pointer(pointer) => self.expression(pointer, locals),
                };
                let list: Vec<String> =
                    arguments.iter().map(|argument| self.expression(argument, locals)).collect();
                let _ = writeln!(self.text, "{result}{callee}({});", list.join(", "));
            }
            StmtKind::If { condition, then, otherwise } => {
                let condition = self.expression(condition, locals);
                let _ = write!(self.text, "if ({condition}) ");
                self.braces(then, locals);
                self.text.push_str("else ");
                self.braces(otherwise, locals);
            }
            StmtKind::Loop { body, continuing } => {
                self.labels += 1;
                let label = self.labels;
                self.text.push_str("for (;;) {\n");
                self.loops.push(label);
                self.block(body, locals);
                self.loops.pop();
                let _ = writeln!(self.text, "continue{label}: ;");
                self.block(continuing, locals);
                self.text.push_str("}\n");
            }
            StmtKind::Switch { value, entries, body } => self.switch(value, entries, body, locals),
            StmtKind::Break => self.text.push_str("break;\n"),
            StmtKind::Continue => {
                let label = *self.loops.last().expect("continue should stand in a loop");
                let _ = writeln!(self.text, "goto continue{label};");
            }
            StmtKind::Return(None) => self.text.push_str("return;\n"),
            StmtKind::Return(Some(value)) => {
                let value = self.expression(value, locals);
                let _ = writeln!(self.text, "return {value};");
            }
            StmtKind::Block(block) => self.braces(block, locals),
            StmtKind::Reach(_) => {}
            StmtKind::Label(name) => {
                let _ = writeln!(self.text, "label_{}: ;", name.replace('%', "_"));
            }
            StmtKind::Goto(name) => {
                let _ = writeln!(self.text, "goto label_{};", name.replace('%', "_"));
            }
        }
    }

    fn assign(&mut self, place: &Place, value: &Expr, locals: &IdVec<LocalId, Local>) {
        let target = self.place(place, locals);
        if matches!(value.kind, ExprKind::Zero) {
            let _ = writeln!(self.text, "__builtin_memset(&{target}, 0, sizeof {target});");
            return;
        }
        let value = self.expression(value, locals);
        let _ = writeln!(self.text, "{target} = {value};");
    }

    fn switch(
        &mut self,
        value: &Expr,
        entries: &[SwitchEntry],
        body: &Block,
        locals: &IdVec<LocalId, Local>,
    ) {
        let value = self.expression(value, locals);
        let _ = writeln!(self.text, "switch ({value}) {{");
        for index in 0..=body.len() {
            for entry in entries.iter().filter(|entry| entry.start == index) {
                for (low, high) in &entry.values {
                    let _ = writeln!(self.text, "case {} ... {}:", integer(*low), integer(*high));
                }
                self.text.push_str(if entry.is_default { "default: ;\n" } else { ";\n" });
            }
            if let Some(statement) = body.get(index) {
                self.statement(statement, locals);
            }
        }
        self.text.push_str("}\n");
    }

    // ---- expressions ----

    /// Every operand is cast to the type that the IR says it has: a conversion that is missing there shows.
    fn expression(&self, value: &Expr, locals: &IdVec<LocalId, Local>) -> String {
        let text = self.bare(value, locals);
        match self.program.types.types[value.ty] {
            Type::Record(_) | Type::Array { .. } => text,
            _ => format!("(({}){text})", self.cast(value.ty)),
        }
    }

    fn bare(&self, value: &Expr, locals: &IdVec<LocalId, Local>) -> String {
        match &value.kind {
            ExprKind::Integer(number) => integer(*number),
            ExprKind::Float(bits) => match self.program.types.types[value.ty] {
                Type::Float(FloatFormat::Single) => format!("f32({bits}u)"),
                _ => format!("f64({bits}ull)"),
            },
            ExprKind::String(bytes) => {
                let escaped: String = bytes.iter().map(|byte| format!("\\{byte:03o}")).collect();
                format!("\"{escaped}\"")
            }
            ExprKind::Zero => panic!("zero should stand in assignments alone"),
            ExprKind::Load(place) => self.place(place, locals),
            ExprKind::AddressOf(place) => format!("&{}", self.place(place, locals)),
            ExprKind::Function(function) => format!("&{}", self.function_name(*function)),
            ExprKind::Unary(operator, operand) => {
                let operator = match operator {
                    UnaryOp::Negate => "-",
                    UnaryOp::Complement => "~",
                    UnaryOp::Not => "!",
                };
                format!("({operator}{})", self.expression(operand, locals))
            }
            ExprKind::Binary(operator, left, right) => {
                format!(
                    "({} {} {})",
                    self.expression(left, locals),
                    operator_text(*operator),
                    self.expression(right, locals)
                )
            }
            ExprKind::And(left, right) => {
                format!("({} && {})", self.expression(left, locals), self.expression(right, locals))
            }
            ExprKind::Or(left, right) => {
                format!("({} || {})", self.expression(left, locals), self.expression(right, locals))
            }
            ExprKind::Convert(operand) | ExprKind::Probe(_, operand) => self.expression(operand, locals),
            ExprKind::Conditional(condition, then, otherwise) => format!(
                "({} ? {} : {})",
                self.expression(condition, locals),
                self.expression(then, locals),
                self.expression(otherwise, locals)
            ),
            ExprKind::Old(_) => panic!("old values should stand in conditions alone"),
        }
    }

    fn place(&self, place: &Place, locals: &IdVec<LocalId, Local>) -> String {
        let mut text = match &place.base {
            PlaceBase::Global(global) => self.global_name(*global),
            PlaceBase::Local(local) => format!("l{}", local.index()),
            PlaceBase::Deref(pointer) => format!("(*{})", self.expression(pointer, locals)),
            PlaceBase::Part(_) => {
                panic!("parameters of other functions should stand in conditions alone")
            }
        };
        for projection in &place.path {
            let _ = match projection {
                Projection::Field { index, .. } => write!(text, ".f{index}"),
                Projection::Index { index, .. } => write!(text, "[{}]", self.expression(index, locals)),
            };
        }
        text
    }
}

/// A number as a constant of some type that holds it.
fn integer(number: i128) -> String {
    match number {
        _ if number > i128::from(i64::MAX) => format!("{number}ull"),
        _ if number == i128::from(i64::MIN) => "(-9223372036854775807ll - 1)".to_owned(),
        _ => format!("({number}ll)"),
    }
}
