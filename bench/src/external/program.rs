//! A transition system as a C program of its own: what tools outside are given.
//!
//! Every term becomes a constant of a word type, in the order of the pool, so the text is
//! straight-line code. The program keeps the last steps as far as the windows of goals look back,
//! and latches each goal that occurs. Words of more than 64 bits are not supported.
//!
//! The functions are `initialise`, `admitted` (the assumptions hold of the inputs that are set),
//! `advance` (one step), `all_seen` and `may_end`; inputs are the variables `i0`, `i1`, ...,
//! initial inputs `n0`, `n1`, ..., latches `seen[]`.

use model::id::Id;
use model::sort::{FloatFormat, Sort};
use model::system::TransitionSystem;
use model::term::{BinaryOp, RoundTo, SymbolId, Term, TermId, UnaryOp};
use model::validate::{Meaning, Validated};
use std::fmt::Write;

/// Why a system cannot be written as such a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the system has words of {width} bits; programs for other tools have at most 64")]
pub(super) struct TooWide {
    /// The width.
    width: u32,
}

/// The program.
///
/// # Errors
/// [`TooWide`].
pub(super) fn program(system: &Validated) -> Result<String, TooWide> {
    let writer = Writer { system, memory: memory(system) };
    let mut text = String::from(PRELUDE);
    writer.variables(&mut text);
    writer.initialise(&mut text)?;
    writer.truth(
        &mut text,
        "initially_admitted",
        system.initial_assumptions.iter().map(|assumption| assumption.condition),
    )?;
    writer.truth(&mut text, "admitted", system.assumptions.iter().map(|assumption| assumption.condition))?;
    writer.truth(&mut text, "may_end", system.end)?;
    writer.advance(&mut text)?;
    let _ = writeln!(
        text,
        "static int all_seen(void)\n{{\n    int all = 1;\n    for (int goal = 0; goal < {0}; goal++) all &= seen[goal];\n    return all;\n}}",
        system.goals.len()
    );
    Ok(text)
}

/// Steps that windows look back.
fn memory(system: &TransitionSystem) -> u32 {
    system.goals.values().map(|goal| goal.steps - 1).max().unwrap_or(0)
}

/// The C type of values of a sort.
pub(super) fn type_name(sort: Sort) -> &'static str {
    match sort {
        Sort::Float(FloatFormat::Single) => "float",
        Sort::Float(FloatFormat::Double) => "double",
        Sort::Word(_) => match sort.width() {
            0..=8 => "uint8_t",
            9..=16 => "uint16_t",
            17..=32 => "uint32_t",
            _ => "uint64_t",
        },
    }
}

const PRELUDE: &str = r"#include <math.h>
#include <stdint.h>
#include <string.h>
static int64_t extended(uint64_t word, int width) { return (int64_t)(word << (64 - width)) >> (64 - width); }
static uint64_t signed_quotient(int64_t a, int64_t b) { return b == 0 ? (a < 0 ? 1 : ~0ull) : b == -1 ? 0 - (uint64_t)a : (uint64_t)(a / b); }
static uint64_t signed_rest(int64_t a, int64_t b) { return b == 0 ? (uint64_t)a : b == -1 ? 0 : (uint64_t)(a % b); }
static uint64_t shifted_right(int64_t a, uint64_t by) { return (uint64_t)(a >> (by > 63 ? 63 : by)); }
static uint32_t bits_of_single(float value) { uint32_t bits; memcpy(&bits, &value, sizeof bits); return bits; }
static uint64_t bits_of_double(double value) { uint64_t bits; memcpy(&bits, &value, sizeof bits); return bits; }
static float single_of_bits(uint32_t bits) { float value; memcpy(&value, &bits, sizeof value); return value; }
static double double_of_bits(uint64_t bits) { double value; memcpy(&value, &bits, sizeof value); return value; }
static uint64_t truncated(double value) { return value >= -9.2e18 && value <= 9.2e18 ? (uint64_t)(int64_t)value : 0; }
";

struct Writer<'s> {
    system: &'s Validated,
    memory: u32,
}

/// Where symbols are read: inside a window of so many steps that ends with the current step.
#[derive(Clone, Copy)]
struct Window(u32);

impl Writer<'_> {
    fn variables(&self, text: &mut String) {
        let system = self.system;
        let sort = |symbol: SymbolId| type_name(system.terms.symbol(symbol).sort);
        for (id, state) in system.states.iter() {
            let (ty, number) = (sort(state.symbol), id.index());
            let _ = writeln!(text, "static {ty} s{number}, t{number}, s{number}_old[{}];", self.memory + 1);
        }
        for (id, input) in system.inputs.iter() {
            let (ty, number) = (sort(input.symbol), id.index());
            let _ = writeln!(text, "static {ty} i{number}, i{number}_old[{}];", self.memory + 1);
        }
        for (id, input) in system.initial_inputs.iter() {
            let _ = writeln!(text, "static {} n{};", sort(input.symbol), id.index());
        }
        let _ = writeln!(text, "static uint8_t seen[{}];\nstatic uint32_t steps;", system.goals.len());
    }

    fn initialise(&self, text: &mut String) -> Result<(), TooWide> {
        let _ = writeln!(
            text,
            "static void initialise(void)\n{{\n    memset(seen, 0, sizeof seen);\n    steps = 0;"
        );
        self.terms(text, self.system.states.values().map(|state| state.init), Window(1))?;
        for (id, state) in self.system.states.iter() {
            let _ = writeln!(text, "    s{} = {};", id.index(), self.operand(state.init));
        }
        text.push_str("}\n");
        Ok(())
    }

    fn truth(
        &self,
        text: &mut String,
        name: &str,
        conditions: impl IntoIterator<Item = TermId>,
    ) -> Result<(), TooWide> {
        let conditions: Vec<TermId> = conditions.into_iter().collect();
        let _ = writeln!(text, "static int {name}(void)\n{{");
        self.terms(text, conditions.iter().copied(), Window(1))?;
        let all =
            conditions.iter().fold("1".to_owned(), |all, &condition| all + " && " + &self.operand(condition));
        let _ = writeln!(text, "    return {all};\n}}");
        Ok(())
    }

    fn advance(&self, text: &mut String) -> Result<(), TooWide> {
        let system = self.system;
        text.push_str("static void change(void)\n{\n");
        self.terms(text, system.states.values().map(|state| state.next), Window(1))?;
        for (id, state) in system.states.iter() {
            let _ = writeln!(text, "    t{} = {};", id.index(), self.operand(state.next));
        }
        text.push_str("}\n");
        let mut lengths: Vec<u32> = system.goals.values().map(|goal| goal.steps).collect();
        lengths.sort_unstable();
        lengths.dedup();
        for &length in &lengths {
            let _ =
                writeln!(text, "static void look_back_{length}(void)\n{{\n    if (steps < {length}) return;");
            let goals = || system.goals.iter().filter(|(_, goal)| goal.steps == length);
            self.terms(text, goals().map(|(_, goal)| goal.antecedent), Window(length))?;
            for (id, goal) in goals() {
                let _ =
                    writeln!(text, "    if ({}) seen[{}] = 1;", self.operand(goal.antecedent), id.index());
            }
            text.push_str("}\n");
        }
        text.push_str("static void advance(void)\n{\n    change();\n    steps++;\n");
        lengths.iter().for_each(|length| {
            let _ = writeln!(text, "    look_back_{length}();");
        });
        self.commit(text);
        text.push_str("}\n");
        Ok(())
    }

    /// The step becomes the past: `_old[k]` is what was k + 1 steps ago.
    fn commit(&self, text: &mut String) {
        let states = self.system.states.ids().map(|id| format!("s{}", id.index()));
        let names: Vec<String> =
            states.chain(self.system.inputs.ids().map(|id| format!("i{}", id.index()))).collect();
        for name in names {
            for age in (1..self.memory).rev() {
                let _ = writeln!(text, "    {name}_old[{age}] = {name}_old[{}];", age - 1);
            }
            if self.memory > 0 {
                let _ = writeln!(text, "    {name}_old[0] = {name};");
            }
        }
        for id in self.system.states.ids() {
            let _ = writeln!(text, "    s{0} = t{0};", id.index());
        }
    }

    /// Constants for all terms that these ones need.
    fn terms(
        &self,
        text: &mut String,
        roots: impl Iterator<Item = TermId>,
        window: Window,
    ) -> Result<(), TooWide> {
        let mut needed = vec![false; self.system.terms.len()];
        roots.for_each(|root| self.mark(root, &mut needed));
        for term in (0..needed.len()).filter(|&index| needed[index]).map(TermId::new) {
            let sort = self.system.terms.sort(term);
            if sort.width() > 64 {
                return Err(TooWide { width: sort.width() });
            }
            if !matches!(self.system.terms.node(term), Term::Const(_)) {
                let value = self.value(term, window);
                let _ = writeln!(text, "    const {} v{} = {value};", type_name(sort), term.index());
            }
        }
        Ok(())
    }

    fn mark(&self, root: TermId, needed: &mut [bool]) {
        let mut stack = vec![root];
        while let Some(term) = stack.pop() {
            if !std::mem::replace(&mut needed[term.index()], true) {
                stack.extend(self.system.terms.node(term).operands());
            }
        }
    }

    /// A term as an operand: a constant or its name.
    fn operand(&self, term: TermId) -> String {
        match self.system.terms.as_const(term) {
            Some(value) => match value.sort() {
                Sort::Word(_) => format!("{}ull", value.bits()),
                Sort::Float(FloatFormat::Single) => format!("single_of_bits({}u)", value.bits()),
                Sort::Float(FloatFormat::Double) => format!("double_of_bits({}ull)", value.bits()),
            },
            None => format!("v{}", term.index()),
        }
    }

    fn symbol(&self, symbol: SymbolId, window: Window) -> String {
        let (base, offset) = match self.system.meaning(symbol) {
            Meaning::Framed { base, offset } => (self.system.meaning(base), offset),
            meaning => (meaning, 0),
        };
        let name = match base {
            Meaning::State(state) if offset == window.0 => return format!("t{}", state.index()),
            Meaning::State(state) => format!("s{}", state.index()),
            Meaning::Input(input) => format!("i{}", input.index()),
            Meaning::Initial(input) => return format!("n{}", input.index()),
            Meaning::Framed { .. } | Meaning::Nothing => unreachable!("a term should read states and inputs"),
        };
        match window.0 - 1 - offset {
            0 => name,
            age => format!("{name}_old[{}]", age - 1),
        }
    }

    /// The value of a term over its operands.
    fn value(&self, term: TermId, window: Window) -> String {
        let terms = &self.system.terms;
        let width = terms.sort(term).width();
        let cut = |text: String| format!("({text}) & {}ull", u64::MAX >> (64 - width));
        match terms.node(term) {
            Term::Symbol(symbol) => self.symbol(symbol, window),
            Term::Const(_) => self.operand(term),
            Term::Unary { op, arg } => self.unary(op, arg, width),
            Term::Binary { op, lhs, rhs } => self.binary(op, lhs, rhs, width),
            Term::Ite { condition, then, otherwise } => {
                format!("{} ? {} : {}", self.operand(condition), self.operand(then), self.operand(otherwise))
            }
            Term::Extract { arg, low, .. } => cut(format!("(uint64_t){} >> {low}", self.operand(arg))),
            Term::Extend { arg, signed: false, .. } => self.operand(arg),
            Term::Extend { arg, signed: true, .. } => cut(self.extended(arg)),
            Term::FloatFma { a, b, c } => {
                let (a, b, c) = (self.operand(a), self.operand(b), self.operand(c));
                format!("{}({a}, {b}, {c})", if width == 32 { "fmaf" } else { "fma" })
            }
        }
    }

    fn extended(&self, term: TermId) -> String {
        format!("extended({}, {})", self.operand(term), self.system.terms.sort(term).width())
    }

    fn unary(&self, op: UnaryOp, arg: TermId, width: u32) -> String {
        let cut = |text: String| format!("({text}) & {}ull", u64::MAX >> (64 - width));
        let a = self.operand(arg);
        let suffix = if self.system.terms.sort(arg).width() == 32 { "f" } else { "" };
        match op {
            UnaryOp::Not => cut(format!("~(uint64_t){a}")),
            UnaryOp::Neg => cut(format!("0 - (uint64_t){a}")),
            UnaryOp::FloatToBits if width == 32 => format!("bits_of_single({a})"),
            UnaryOp::FloatToBits => format!("bits_of_double({a})"),
            UnaryOp::FloatFromBits(FloatFormat::Single) => format!("single_of_bits({a})"),
            UnaryOp::FloatFromBits(FloatFormat::Double) => format!("double_of_bits({a})"),
            UnaryOp::FloatNeg => format!("-{a}"),
            UnaryOp::FloatAbs => format!("fabs{suffix}({a})"),
            UnaryOp::FloatSqrt => format!("sqrt{suffix}({a})"),
            UnaryOp::FloatRound(to) => {
                let function = match to {
                    RoundTo::NearestEven => "nearbyint",
                    RoundTo::NearestAway => "round",
                    RoundTo::Zero => "trunc",
                    RoundTo::Up => "ceil",
                    RoundTo::Down => "floor",
                };
                format!("{function}{suffix}({a})")
            }
            UnaryOp::FloatIsNan => format!("{a} != {a}"),
            UnaryOp::FloatIsInfinite => format!("isinf({a}) != 0"),
            UnaryOp::FloatConvert(FloatFormat::Single) | UnaryOp::FloatFromUnsigned(FloatFormat::Single) => {
                format!("(float){a}")
            }
            UnaryOp::FloatConvert(FloatFormat::Double) | UnaryOp::FloatFromUnsigned(FloatFormat::Double) => {
                format!("(double){a}")
            }
            UnaryOp::FloatFromSigned(FloatFormat::Single) => format!("(float){}", self.extended(arg)),
            UnaryOp::FloatFromSigned(FloatFormat::Double) => format!("(double){}", self.extended(arg)),
            UnaryOp::FloatToUnsigned(_) | UnaryOp::FloatToSigned(_) => cut(format!("truncated({a})")),
        }
    }

    fn binary(&self, op: BinaryOp, lhs: TermId, rhs: TermId, width: u32) -> String {
        let cut = |text: String| format!("({text}) & {}ull", u64::MAX >> (64 - width));
        let (a, b) = (self.operand(lhs), self.operand(rhs));
        let plain = |operator: &str| cut(format!("(uint64_t){a} {operator} (uint64_t){b}"));
        let suffix = if self.system.terms.sort(lhs).width() == 32 { "f" } else { "" };
        match op {
            BinaryOp::And => plain("&"),
            BinaryOp::Or => plain("|"),
            BinaryOp::Xor => plain("^"),
            BinaryOp::Add => plain("+"),
            BinaryOp::Sub => plain("-"),
            BinaryOp::Mul => plain("*"),
            BinaryOp::UDiv => cut(format!("{b} ? (uint64_t){a} / {b} : ~0ull")),
            BinaryOp::URem => cut(format!("{b} ? (uint64_t){a} % {b} : {a}")),
            BinaryOp::SDiv => cut(format!("signed_quotient({}, {})", self.extended(lhs), self.extended(rhs))),
            BinaryOp::SRem => cut(format!("signed_rest({}, {})", self.extended(lhs), self.extended(rhs))),
            BinaryOp::Shl => cut(format!("{b} >= {width} ? 0 : (uint64_t){a} << {b}")),
            BinaryOp::LShr => cut(format!("{b} >= {width} ? 0 : (uint64_t){a} >> {b}")),
            BinaryOp::AShr => cut(format!("shifted_right({}, {b})", self.extended(lhs))),
            BinaryOp::Eq | BinaryOp::FloatEq => format!("{a} == {b}"),
            BinaryOp::ULt | BinaryOp::FloatLt => format!("{a} < {b}"),
            BinaryOp::ULe | BinaryOp::FloatLe => format!("{a} <= {b}"),
            BinaryOp::SLt => format!("{} < {}", self.extended(lhs), self.extended(rhs)),
            BinaryOp::SLe => format!("{} <= {}", self.extended(lhs), self.extended(rhs)),
            BinaryOp::Concat => format!("(uint64_t){a} << {} | {b}", self.system.terms.sort(rhs).width()),
            BinaryOp::FloatAdd => format!("{a} + {b}"),
            BinaryOp::FloatSub => format!("{a} - {b}"),
            BinaryOp::FloatMul => format!("{a} * {b}"),
            BinaryOp::FloatDiv => format!("{a} / {b}"),
            BinaryOp::FloatFmod => format!("fmod{suffix}({a}, {b})"),
            BinaryOp::FloatRemainder => format!("remainder{suffix}({a}, {b})"),
        }
    }
}
