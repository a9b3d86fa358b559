//! Concrete evaluation of terms.
//!
//! The `apply_*` functions are the reference meaning of every operator on [`Value`]s; constant
//! folding uses them. An [`Evaluator`] compiles the cone of some root terms into a flat program,
//! one instruction for each term that computes something, and runs it again and again: simulation
//! and replay spend their time there. Its fast path for words of up to 64 bits instantiates the
//! same operator code as the reference (`words`), so there is one definition of the semantics.
//! Nothing here shares code with the bit-level encoding.
//!
//! Both branches of an `Ite` are computed: operators are total, and a program without jumps is
//! faster.

mod floats;
mod words;

use crate::sort::{FloatFormat, Sort};
use crate::term::{BinaryOp, SymbolId, Term, TermId, TermPool, UnaryOp};
use crate::value::Value;
use crate::visit::cone;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use words::{narrow, wide};

/// Applies a one-operand operator.
///
/// # Panics
/// If the operand's sort does not fit the operator; so do all functions of this family.
pub fn apply_unary(op: UnaryOp, arg: Value) -> Value {
    let sort = op.result(arg.sort()).expect("an operand should fit its operator");
    let bits = match (op, arg.sort()) {
        (UnaryOp::FloatToBits | UnaryOp::FloatFromBits(_), _) => arg.bits(),
        (UnaryOp::FloatFromUnsigned(format), _) => u128::from(floats::from_unsigned(format, arg.bits())),
        (UnaryOp::FloatFromSigned(format), _) => u128::from(floats::from_signed(format, arg.signed())),
        (UnaryOp::FloatToUnsigned(_) | UnaryOp::FloatToSigned(_), Sort::Float(format)) => {
            u128::from(floats::truncate_to_word(format, arg.bits() as u64))
        }
        (_, Sort::Float(format)) => u128::from(floats::unary(op, format, arg.bits() as u64)),
        (_, Sort::Word(width)) => wide::unary(op, arg.bits(), u32::from(width)),
    };
    Value::new(sort, bits)
}

/// Applies a two-operand operator.
pub fn apply_binary(op: BinaryOp, lhs: Value, rhs: Value) -> Value {
    let sort = op.result(lhs.sort(), rhs.sort()).expect("operands should fit their operator");
    let bits = match rhs.sort() {
        Sort::Word(width) => wide::binary(op, lhs.bits(), rhs.bits(), u32::from(width)),
        Sort::Float(format) => u128::from(floats::binary(op, format, lhs.bits() as u64, rhs.bits() as u64)),
    };
    Value::new(sort, bits)
}

/// Selects a branch.
pub fn apply_ite(condition: Value, then: Value, otherwise: Value) -> Value {
    if condition.is_true() { then } else { otherwise }
}

/// Bits `low ..= high` of a word.
pub fn apply_extract(arg: Value, high: u8, low: u8) -> Value {
    Value::word(u32::from(high - low) + 1, arg.bits() >> low)
}

/// A word widened to `width` bits by copies of its top bit (`signed`) or zeros.
pub fn apply_extend(arg: Value, width: u8, signed: bool) -> Value {
    let bits = if signed { arg.signed() as u128 } else { arg.bits() };
    Value::word(u32::from(width), bits)
}

/// a*b + c with one rounding.
pub fn apply_fma(a: Value, b: Value, c: Value) -> Value {
    let format = a.sort().float_format().expect("fma should get floats");
    let bits = floats::fma(format, a.bits() as u64, b.bits() as u64, c.bits() as u64);
    Value::new(a.sort(), u128::from(bits))
}

/// Applies the operator of a node to the values of its operands, in the order of
/// [`Term::operands`]; `None` for symbols and constants, which have no operands.
pub fn apply_term(term: &Term, operands: &[Value]) -> Option<Value> {
    match *term {
        Term::Symbol(_) | Term::Const(_) => None,
        Term::Unary { op, .. } => Some(apply_unary(op, operands[0])),
        Term::Binary { op, .. } => Some(apply_binary(op, operands[0], operands[1])),
        Term::Ite { .. } => Some(apply_ite(operands[0], operands[1], operands[2])),
        Term::Extract { high, low, .. } => Some(apply_extract(operands[0], high, low)),
        Term::Extend { width, signed, .. } => Some(apply_extend(operands[0], width, signed)),
        Term::FloatFma { .. } => Some(apply_fma(operands[0], operands[1], operands[2])),
    }
}

/// The value of one term; for repeated evaluation make an [`Evaluator`].
pub fn evaluate(pool: &TermPool, root: TermId, environment: impl FnMut(SymbolId) -> Value) -> Value {
    let mut evaluator = Evaluator::new(pool, [root]);
    evaluator.run(environment);
    evaluator.value(0)
}

/// What an instruction does with the slots `a`, `b`, `c`.
#[derive(Clone, Copy, Debug)]
enum Operation {
    NarrowUnary { op: UnaryOp, width: u8 },
    NarrowBinary { op: BinaryOp, width: u8 },
    WideUnary { op: UnaryOp, width: u8 },
    WideBinary { op: BinaryOp, width: u8 },
    Ite,
    Extract { low: u8, width: u8 },
    SignExtend { from: u8, to: u8 },
    FloatUnary { op: UnaryOp, format: FloatFormat },
    FloatBinary { op: BinaryOp, format: FloatFormat },
    FloatFma { format: FloatFormat },
    FloatFromUnsigned { format: FloatFormat },
    FloatFromSigned { from: u8, format: FloatFormat },
    FloatToWord { format: FloatFormat, width: u8 },
}

#[derive(Clone, Copy, Debug)]
struct Instruction {
    operation: Operation,
    a: u32,
    b: u32,
    c: u32,
}

/// The cone of some roots as straight-line code. Slots hold, in this order: the symbols, the
/// constants, the result of each instruction.
struct Program {
    symbols: Vec<(SymbolId, Sort)>,
    constants: Vec<u128>,
    instructions: Vec<Instruction>,
    roots: Vec<(u32, Sort)>,
}

/// Evaluates a fixed list of roots under changing values of their symbols. Cloning shares the
/// program.
#[derive(Clone)]
pub struct Evaluator {
    program: Arc<Program>,
    slots: Vec<u128>,
}

impl Evaluator {
    /// Compiles the terms that `roots` depend on; each is computed once per run.
    pub fn new(pool: &TermPool, roots: impl IntoIterator<Item = TermId>) -> Self {
        let program = compile(pool, &Vec::from_iter(roots));
        let mut slots = vec![0; program.symbols.len()];
        slots.extend_from_slice(&program.constants);
        slots.resize(slots.len() + program.instructions.len(), 0);
        Self { program: Arc::new(program), slots }
    }
    /// The symbols that the roots depend on, with their sorts, in order of their ids.
    pub fn symbols(&self) -> &[(SymbolId, Sort)] {
        &self.program.symbols
    }
    /// Number of roots.
    pub fn roots(&self) -> usize {
        self.program.roots.len()
    }
    /// Number of terms computed in each run.
    pub fn instructions(&self) -> usize {
        self.program.instructions.len()
    }
    /// Asks `environment` for the value of each symbol, then computes all roots.
    pub fn run(&mut self, mut environment: impl FnMut(SymbolId) -> Value) {
        for position in 0..self.program.symbols.len() {
            let value = environment(self.program.symbols[position].0);
            self.set(position, value);
        }
        self.execute();
    }
    /// Sets the value of the symbol at `position` in [`Evaluator::symbols`] for the next
    /// [`Evaluator::execute`].
    pub fn set(&mut self, position: usize, value: Value) {
        debug_assert_eq!(value.sort(), self.program.symbols[position].1, "a value should fit its symbol");
        self.slots[position] = value.bits();
    }
    /// The value of a root, by its position in the list given to [`Evaluator::new`], as of the last
    /// run.
    pub fn value(&self, root: usize) -> Value {
        let (slot, sort) = self.program.roots[root];
        Value::new(sort, self.slots[slot as usize])
    }
    /// Whether a root of the sort of truth held in the last run.
    pub fn holds(&self, root: usize) -> bool {
        self.slots[self.program.roots[root].0 as usize] != 0
    }
    /// Computes all roots from the symbol values last set.
    pub fn execute(&mut self) {
        let base = self.program.symbols.len() + self.program.constants.len();
        for (index, instruction) in self.program.instructions.iter().enumerate() {
            let (known, rest) = self.slots.split_at_mut(base + index);
            rest[0] = execute(instruction, known);
        }
    }
}

fn execute(instruction: &Instruction, slots: &[u128]) -> u128 {
    let a = slots[instruction.a as usize];
    let b = || slots[instruction.b as usize];
    let c = || slots[instruction.c as usize];
    match instruction.operation {
        Operation::NarrowUnary { op, width } => u128::from(narrow::unary(op, a as u64, u32::from(width))),
        Operation::NarrowBinary { op, width } => {
            u128::from(narrow::binary(op, a as u64, b() as u64, u32::from(width)))
        }
        Operation::WideUnary { op, width } => wide::unary(op, a, u32::from(width)),
        Operation::WideBinary { op, width } => wide::binary(op, a, b(), u32::from(width)),
        Operation::Ite => {
            if a != 0 {
                b()
            } else {
                c()
            }
        }
        Operation::Extract { low, width } => (a >> low) & wide::mask(u32::from(width)),
        Operation::SignExtend { from, to } => {
            wide::signed(a, u32::from(from)) as u128 & wide::mask(u32::from(to))
        }
        Operation::FloatUnary { op, format } => u128::from(floats::unary(op, format, a as u64)),
        Operation::FloatBinary { op, format } => u128::from(floats::binary(op, format, a as u64, b() as u64)),
        Operation::FloatFma { format } => u128::from(floats::fma(format, a as u64, b() as u64, c() as u64)),
        Operation::FloatFromUnsigned { format } => u128::from(floats::from_unsigned(format, a)),
        Operation::FloatFromSigned { from, format } => {
            u128::from(floats::from_signed(format, wide::signed(a, u32::from(from))))
        }
        Operation::FloatToWord { format, width } => {
            u128::from(floats::truncate_to_word(format, a as u64)) & wide::mask(u32::from(width))
        }
    }
}

fn compile(pool: &TermPool, roots: &[TermId]) -> Program {
    let cone = cone(pool, roots);
    let mut slots: FxHashMap<TermId, u32> = FxHashMap::default();
    let mut symbol_terms: Vec<(SymbolId, TermId)> =
        cone.iter().filter_map(|&term| pool.as_symbol(term).map(|symbol| (symbol, term))).collect();
    symbol_terms.sort_unstable();
    let symbols = symbol_terms.iter().map(|&(symbol, term)| (symbol, pool.sort(term))).collect();
    for (_, term) in symbol_terms {
        slots.insert(term, slots.len() as u32);
    }
    let mut constants = Vec::new();
    for &term in &cone {
        if let Some(value) = pool.as_const(term) {
            slots.insert(term, slots.len() as u32);
            constants.push(value.bits());
        }
    }
    let base = slots.len();
    let mut instructions = Vec::new();
    for &term in cone.iter().filter(|&&term| pool.node(term).operands().next().is_some()) {
        let mut operands = pool.node(term).operands().map(|operand| slots[&operand]);
        let a = operands.next().expect("an operation should have an operand");
        let (b, c) = (operands.next().unwrap_or(a), operands.next().unwrap_or(a));
        let slot = match operation(pool, pool.node(term)) {
            Some(operation) => {
                instructions.push(Instruction { operation, a, b, c });
                (base + instructions.len() - 1) as u32
            }
            None => a,
        };
        slots.insert(term, slot);
    }
    let roots = roots.iter().map(|root| (slots[root], pool.sort(*root))).collect();
    Program { symbols, constants, instructions, roots }
}

/// What a node computes, or `None` where the result has the same bits as the operand.
fn operation(pool: &TermPool, term: Term) -> Option<Operation> {
    let width = |term: TermId| pool.width(term) as u8;
    Some(match term {
        Term::Symbol(_) | Term::Const(_) => unreachable!("a leaf should not be compiled to an instruction"),
        Term::Unary { op, arg } => return unary_operation(op, pool.sort(arg)),
        Term::Binary { op, lhs, rhs } => match pool.sort(rhs) {
            Sort::Float(format) => Operation::FloatBinary { op, format },
            Sort::Word(right) => {
                let result = if op == BinaryOp::Concat {
                    pool.width(lhs) + u32::from(right)
                } else {
                    u32::from(right)
                };
                let width = right as u8;
                if result <= 64 {
                    Operation::NarrowBinary { op, width }
                } else {
                    Operation::WideBinary { op, width }
                }
            }
        },
        Term::Ite { .. } => Operation::Ite,
        Term::Extract { high, low, .. } => Operation::Extract { low, width: high - low + 1 },
        Term::Extend { signed: false, .. } => return None,
        Term::Extend { arg, width: to, signed: true } => Operation::SignExtend { from: width(arg), to },
        Term::FloatFma { a, .. } => {
            Operation::FloatFma { format: pool.sort(a).float_format().expect("fma should get floats") }
        }
    })
}

fn unary_operation(op: UnaryOp, arg: Sort) -> Option<Operation> {
    let from = arg.width() as u8;
    Some(match (op, arg) {
        (UnaryOp::FloatToBits | UnaryOp::FloatFromBits(_), _) => return None,
        (UnaryOp::FloatFromUnsigned(format), _) => Operation::FloatFromUnsigned { format },
        (UnaryOp::FloatFromSigned(format), _) => Operation::FloatFromSigned { from, format },
        (UnaryOp::FloatToUnsigned(width) | UnaryOp::FloatToSigned(width), Sort::Float(format)) => {
            Operation::FloatToWord { format, width }
        }
        (_, Sort::Float(format)) => Operation::FloatUnary { op, format },
        (_, Sort::Word(width)) if width <= 64 => Operation::NarrowUnary { op, width: from },
        (_, Sort::Word(_)) => Operation::WideUnary { op, width: from },
    })
}

#[cfg(test)]
mod tests;
