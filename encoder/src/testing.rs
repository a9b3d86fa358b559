//! Random transition systems for tests.

use model::sort::{FloatFormat, Sort};
use model::system::{Assumption, Goal, InputRole, Invariant, TransitionSystem};
use model::term::{BinaryOp, RoundTo, Term, TermId, UnaryOp};
use model::text;
use model::validate::{Validated, validate};
use model::value::Value;
use rand::Rng;
use rand::rngs::SmallRng;

/// What random systems look like.
pub(crate) struct Shape {
    /// Widths of states and inputs; terms in between have others, too.
    pub(crate) widths: &'static [u32],
    pub(crate) states: usize,
    pub(crate) inputs: usize,
    pub(crate) initial_inputs: usize,
    /// Number of operators applied for the terms of one scope.
    pub(crate) operators: usize,
    /// Longest window of a goal.
    pub(crate) window: u32,
    /// Whether words are read as binary32 numbers now and then.
    pub(crate) floats: bool,
}

const BINARY: [BinaryOp; 19] = [
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Xor,
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::UDiv,
    BinaryOp::URem,
    BinaryOp::SDiv,
    BinaryOp::SRem,
    BinaryOp::Shl,
    BinaryOp::LShr,
    BinaryOp::AShr,
    BinaryOp::Eq,
    BinaryOp::ULt,
    BinaryOp::ULe,
    BinaryOp::SLt,
    BinaryOp::SLe,
    BinaryOp::Concat,
];

/// Terms of one scope to draw operands from.
struct Scope<'a> {
    system: &'a mut TransitionSystem,
    rng: &'a mut SmallRng,
    shape: &'a Shape,
    terms: Vec<TermId>,
}

impl Scope<'_> {
    fn pick(&mut self) -> TermId {
        let recent = self.terms.len().min(12);
        let from = if self.rng.random_bool(0.5) { self.terms.len() - recent } else { 0 };
        self.terms[self.rng.random_range(from..self.terms.len())]
    }
    fn pick_of_width(&mut self, width: u32) -> TermId {
        if self.rng.random_bool(0.15) {
            let bits = self.rng.random::<u128>() >> self.rng.random_range(0..128);
            return self.system.terms.word(width, bits);
        }
        let term = self.pick();
        let signed = self.rng.random();
        self.system.terms.resize(term, width, signed)
    }
    fn truth(&mut self) -> TermId {
        let term = self.pick();
        self.system.terms.is_nonzero(term)
    }
    fn width(&mut self) -> u32 {
        self.shape.widths[self.rng.random_range(0..self.shape.widths.len())]
    }
    /// Applies a random operator to random operands.
    fn grow(&mut self) {
        let term = match self.rng.random_range(0..10) {
            0 => {
                let (op, arg) = (if self.rng.random() { UnaryOp::Not } else { UnaryOp::Neg }, self.pick());
                self.system.terms.unary(op, arg)
            }
            1 | 2 => {
                let (condition, then) = (self.truth(), self.pick());
                let otherwise = self.pick_of_width(self.system.terms.width(then));
                self.system.terms.ite(condition, then, otherwise)
            }
            3 => {
                let arg = self.pick();
                let high = self.rng.random_range(0..self.system.terms.width(arg));
                let low = self.rng.random_range(0..=high);
                self.system.terms.extract(arg, high, low)
            }
            4 => {
                let (arg, width) = (self.pick(), self.width());
                let signed = self.rng.random();
                self.system.terms.resize(arg, width, signed)
            }
            5 if self.shape.floats => self.grow_float(),
            _ => self.grow_binary(),
        };
        self.terms.push(term);
    }
    fn grow_binary(&mut self) -> TermId {
        let op = BINARY[self.rng.random_range(0..BINARY.len())];
        let lhs = self.pick();
        let width = self.system.terms.width(lhs);
        if op == BinaryOp::Concat {
            let rhs = self.pick();
            let fits = width + self.system.terms.width(rhs) <= 24;
            return if fits { self.system.terms.binary(op, lhs, rhs) } else { lhs };
        }
        let rhs = self.pick_of_width(width);
        self.system.terms.binary(op, lhs, rhs)
    }
}

impl Scope<'_> {
    fn pick_float(&mut self) -> TermId {
        if self.rng.random_bool(0.3) {
            let number = self.rng.random_range(-3.0..40.0f32);
            return self.system.terms.constant(Value::single(number));
        }
        let word = self.pick_of_width(32);
        let op = match self.rng.random_range(0..3) {
            0 => UnaryOp::FloatFromSigned(FloatFormat::Single),
            1 => UnaryOp::FloatFromUnsigned(FloatFormat::Single),
            _ => UnaryOp::FloatFromBits(FloatFormat::Single),
        };
        self.system.terms.unary(op, word)
    }
    /// A word computed out of random floats.
    fn grow_float(&mut self) -> TermId {
        let (lhs, rhs) = (self.pick_float(), self.pick_float());
        let terms = &mut self.system.terms;
        let binary = [BinaryOp::FloatAdd, BinaryOp::FloatSub, BinaryOp::FloatMul, BinaryOp::FloatDiv];
        let compare = [BinaryOp::FloatEq, BinaryOp::FloatLt, BinaryOp::FloatLe];
        match self.rng.random_range(0..8) {
            0..2 => terms.binary(compare[self.rng.random_range(0..3)], lhs, rhs),
            2 => terms.unary(UnaryOp::FloatIsNan, lhs),
            3 => {
                let fused = terms.fma(lhs, rhs, lhs);
                terms.unary(UnaryOp::FloatToBits, fused)
            }
            4 => {
                let rounded = terms.unary(UnaryOp::FloatRound(RoundTo::Down), lhs);
                terms.unary(UnaryOp::FloatToSigned(16), rounded)
            }
            _ => {
                let result = terms.binary(binary[self.rng.random_range(0..4)], lhs, rhs);
                terms.unary(UnaryOp::FloatToBits, result)
            }
        }
    }
}

/// A random system: each state's next term and each goal is over random terms; one assumption,
/// mostly true.
pub(crate) fn random_system(rng: &mut SmallRng, shape: &Shape) -> Validated {
    let mut system = TransitionSystem { name: "random".to_owned(), ..TransitionSystem::default() };
    let sort = |rng: &mut SmallRng| Sort::word(shape.widths[rng.random_range(0..shape.widths.len())]);
    for index in 0..shape.states {
        system.add_state(&format!("s{index}"), sort(rng));
    }
    for index in 0..shape.inputs {
        system.add_input(&format!("i{index}"), sort(rng), InputRole::Stimulus);
    }
    for index in 0..shape.initial_inputs {
        system.add_initial_input(&format!("n{index}"), sort(rng), InputRole::Choice);
    }
    fill_initial(&mut system, rng, shape);
    fill_step(&mut system, rng, shape);
    fill_goals(&mut system, rng, shape);
    validate(system)
        .unwrap_or_else(|malformed| panic!("a random system should be well-formed: {malformed:?}"))
}

fn fill_initial(system: &mut TransitionSystem, rng: &mut SmallRng, shape: &Shape) {
    let symbols: Vec<_> = system.initial_inputs.values().map(|input| input.symbol).collect();
    let mut terms: Vec<_> = symbols.into_iter().map(|symbol| system.terms.symbol_term(symbol)).collect();
    terms.push(system.terms.word(3, 5));
    let mut scope = Scope { system, rng, shape, terms };
    (0..shape.operators / 3).for_each(|_| scope.grow());
    let states: Vec<_> = scope.system.states.ids().collect();
    for state in states {
        let width = scope.system.terms.symbol(scope.system.states[state].symbol).sort.width();
        scope.system.states[state].init = scope.pick_of_width(width);
    }
    if shape.initial_inputs > 0 {
        let (left, right) = (scope.truth(), scope.truth());
        let condition = scope.system.terms.or(left, right);
        scope.system.initial_assumptions.push(Assumption { condition, origin: None });
    }
}

fn step_symbols(system: &mut TransitionSystem, offset: u32, with_inputs: bool) -> Vec<TermId> {
    let mut symbols: Vec<_> = system.states.values().map(|state| state.symbol).collect();
    if with_inputs {
        symbols.extend(system.inputs.values().map(|input| input.symbol));
    }
    symbols.into_iter().map(|symbol| system.terms.framed(symbol, offset)).collect()
}

fn fill_step(system: &mut TransitionSystem, rng: &mut SmallRng, shape: &Shape) {
    let terms = step_symbols(system, 0, true);
    let mut scope = Scope { system, rng, shape, terms };
    (0..shape.operators).for_each(|_| scope.grow());
    let states: Vec<_> = scope.system.states.ids().collect();
    for state in states {
        let width = scope.system.terms.symbol(scope.system.states[state].symbol).sort.width();
        scope.system.states[state].next = scope.pick_of_width(width);
    }
    let (left, right) = (scope.truth(), scope.truth());
    let condition = scope.system.terms.or(left, right);
    scope.system.assumptions.push(Assumption { condition, origin: None });
}

fn fill_goals(system: &mut TransitionSystem, rng: &mut SmallRng, shape: &Shape) {
    for steps in 1..=shape.window {
        let mut terms = step_symbols(system, steps, false);
        for offset in 0..steps {
            terms.extend(step_symbols(system, offset, true));
        }
        let mut scope = Scope { system, rng, shape, terms };
        (0..shape.operators / 2).for_each(|_| scope.grow());
        let antecedent = scope.truth();
        let name = format!("g{steps}");
        let goal =
            Goal { name, requirement: None, text: None, origin: None, steps, antecedent, expectation: None };
        system.goals.push(goal);
    }
    let terms = step_symbols(system, 0, false);
    let mut scope = Scope { system, rng, shape, terms };
    (0..shape.operators / 3).for_each(|_| scope.grow());
    let condition = scope.truth();
    system.invariants.push(Invariant { condition, origin: None, text: String::new() });
}

/// A random value of a sort, small ones more often.
pub(crate) fn random_value(rng: &mut SmallRng, sort: Sort) -> Value {
    Value::new(sort, rng.random::<u128>() >> rng.random_range(0..128))
}

/// Random values for symbols of these sorts.
pub(crate) fn random_values(rng: &mut SmallRng, sorts: impl Iterator<Item = Sort>) -> Vec<Value> {
    sorts.map(|sort| random_value(rng, sort)).collect()
}

/// The number of operators other than symbols and constants, to see that a random system is not
/// trivial.
pub(crate) fn operators(system: &Validated) -> usize {
    let terms = &system.terms;
    (0..terms.len())
        .filter(|&index| {
            let term: TermId = model::id::Id::new(index);
            !matches!(terms.node(term), Term::Symbol(_) | Term::Const(_))
        })
        .count()
}

/// The system that a text describes.
pub(crate) fn parsed(text: &str) -> Validated {
    let system = text::parse(text).unwrap_or_else(|error| panic!("a test's system should parse: {error}"));
    validate(system)
        .unwrap_or_else(|malformed| panic!("a test's system should be well-formed: {malformed:?}"))
}
