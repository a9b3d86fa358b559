//! One step of the system as flat code over words.
//!
//! Straight-line code, one instruction for each term that computes something; its result goes to
//! the slot after the one of the instruction before. Both branches of a choice are computed, so the
//! same code runs for many executions at once ([`lanes`](super::lanes)), and over values that move
//! ([`held`](crate::step::acceleration)).
//!
//! Besides the next state the code computes what the search looks at: for each goal and each
//! transition of its window a [*label*](super::labels), and *atoms*, the comparisons over states
//! that guards and goals are made of. A conjunct of a goal that no single transition decides is in
//! no label: the evaluator judges such goals.

use super::floats::FloatCode;
use super::labels::{Labels, place};
use crate::knowledge::task::Task;
use crate::knowledge::vertex::{ByVertex, Vertex, by_vertex};
use model::eval::apply_term;
use model::external::{Call, Function};
use model::id::Id;
use model::sort::{FloatFormat, Sort};
use model::system::{InputId, TransitionSystem};
use model::term::{BinaryOp, SymbolId, Term, TermId, UnaryOp};
use model::validate::{Meaning, Validated};
use model::value::Value;
use model::visit::cone_beyond;
use rustc_hash::{FxHashMap, FxHashSet};

/// Position of a word in the file of an execution.
pub(crate) type Slot = u32;

/// Most atoms that are looked at.
const MOST_ATOMS: usize = 512;
/// Truths in a packed word.
pub(crate) const PACK: usize = 32;

/// What an instruction does with its operands. Words are zero above their width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Code {
    /// Bitwise complement within the width.
    Not,
    /// Two's complement negation.
    Neg,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Unsigned quotient; all ones where the divisor is 0.
    UDiv,
    /// Unsigned remainder; the dividend where the divisor is 0.
    URem,
    /// Signed quotient rounded towards zero; where the divisor is 0: 1 for a negative dividend,
    /// else all ones.
    SDiv,
    /// Signed remainder with the dividend's sign; the dividend where the divisor is 0.
    SRem,
    /// Left shift; 0 where the amount is the width or more.
    Shl,
    /// Logical right shift; 0 where the amount is the width or more.
    LShr,
    /// Arithmetic right shift; all sign bits where the amount is the width or more.
    AShr,
    /// Truth of equality.
    Eq,
    /// Truth of the unsigned order.
    ULt,
    /// Truth of the unsigned order or equality.
    ULe,
    /// Truth of the signed order.
    SLt,
    /// Truth of the signed order or equality.
    SLe,
    /// `a ? b : c`.
    Ite,
    /// Bits from `low` on.
    Extract {
        /// The lowest bit taken.
        low: u8,
    },
    /// From so many bits to the width, by copies of the top bit.
    SignExtend {
        /// Number of bits.
        from: u8,
    },
    /// `a` shifted left by `by`, joined with `b`.
    Join {
        /// Bits of `b`.
        by: u8,
    },
    /// Arithmetic of floats.
    Float {
        /// What is computed.
        code: FloatCode,
        /// The format of the operands, or of the result where the operand is a word.
        format: FloatFormat,
    },
    /// What the host's C library says.
    Library {
        /// The function.
        function: Function,
        /// The format of arguments and result.
        format: FloatFormat,
    },
    /// Another operator, by its number among [`Program::others`].
    Other(u32),
}

/// An instruction; `width` is that of the operands, and for `Extract`, `SignExtend` and `Join` that
/// of the result; for `Float` that of the word among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    pub(crate) code: Code,
    pub(crate) width: u8,
    pub(crate) a: Slot,
    pub(crate) b: Slot,
    pub(crate) c: Slot,
}

/// An operator that is computed as the term language defines it.
#[derive(Clone, Debug)]
pub(crate) struct Other {
    term: Term,
    sorts: [Sort; 3],
}

impl Other {
    /// Applies it.
    pub(crate) fn apply(&self, operands: [u128; 3]) -> u128 {
        let values = [0, 1, 2].map(|operand| Value::new(self.sorts[operand], operands[operand]));
        apply_term(&self.term, &values).expect("an instruction should be made of an operator").bits()
    }
    /// Number of bits of its result.
    fn result_width(&self) -> u32 {
        let zeros = self.sorts.map(Value::zero);
        apply_term(&self.term, &zeros).expect("an instruction should be made of an operator").sort().width()
    }
    /// The term.
    pub(crate) fn term(&self) -> Term {
        self.term
    }
}

/// A comparison over one state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Atom {
    /// Its truth.
    pub(crate) slot: Slot,
    /// What it says of the state before a step; `None` where it speaks about a later one.
    pub(crate) term: Option<TermId>,
}

/// The code of a step; see the module text. Slots are, in this order: state words, inputs,
/// constants, results.
pub struct Program {
    pub(crate) states: usize,
    /// Number of inputs.
    pub inputs: usize,
    /// Bits that are set, by slot from that of the first constant on.
    pub(crate) constants: Vec<u128>,
    /// The instructions, in the order of execution.
    pub instructions: Vec<Instruction>,
    /// What one step costs, in evaluated instructions, with what is done beside it: a function of the
    /// C library counts as many of them.
    pub(crate) cost: u64,
    pub(crate) others: Vec<Other>,
    /// By state word.
    pub(crate) next: Vec<Slot>,
    /// Truth: the assumptions hold.
    pub(crate) allowed: Slot,
    /// Truth: an execution may end before the step.
    pub(crate) end: Slot,
    /// The labels of the transitions of the window of each vertex; none of the depot.
    pub(crate) labels: ByVertex<Vec<Slot>>,
    pub(crate) atoms: Vec<Atom>,
    /// The first labels of all goals in words of [`PACK`] bits.
    pub(crate) packed_labels: Vec<Slot>,
    /// The atoms in words of [`PACK`] bits.
    pub(crate) packed_atoms: Vec<Slot>,
    pub(crate) state_sorts: Vec<Sort>,
    /// Sorts of the inputs.
    pub input_sorts: Vec<Sort>,
    /// Width of the widest word.
    pub(crate) width: u32,
}

impl Program {
    /// Compiles the step of a task's system. Inputs that stand for results of the C library are
    /// inputs like others.
    pub fn compile(task: &Task<'_>) -> Self {
        Compiler::new(task.system, &[]).compile(task)
    }
    /// Compiles the step so that it asks the C library: inputs that stand for its results do not
    /// matter.
    pub(crate) fn with_library(task: &Task<'_>) -> Self {
        Compiler::new(task.system, task.calls()).compile(task)
    }
    /// Whether states and inputs can be kept in words of 64 bits.
    pub(crate) fn fits_words(&self) -> bool {
        self.state_sorts.iter().chain(&self.input_sorts).all(|sort| sort.width() <= 64)
    }
    /// Number of slots.
    pub(crate) fn slots(&self) -> usize {
        self.first_result() + self.instructions.len()
    }
    /// Number of bits of an instruction's result.
    pub(crate) fn result_width(&self, instruction: &Instruction) -> u32 {
        match instruction.code {
            Code::Eq | Code::ULt | Code::ULe | Code::SLt | Code::SLe => 1,
            Code::Float { code, format } => code.result_width(format, instruction.width),
            Code::Library { format, .. } => format.width(),
            Code::Other(number) => self.others[number as usize].result_width(),
            _ => instruction.width.into(),
        }
    }
    /// The slot of the first instruction's result.
    pub(crate) fn first_result(&self) -> usize {
        self.states + self.inputs + self.constants.len()
    }
}

/// What a step costs at least, in evaluated instructions: to choose inputs, look at what came of
/// them and remember it takes longer than a short step itself.
const LEAST_COST: u64 = 64;

/// What an instruction costs for each lane, beside others: functions of the C library do not become
/// vector instructions.
fn cost(instruction: &Instruction) -> u64 {
    const LIBRARY: u64 = 128;
    if matches!(instruction.code, Code::Library { .. }) { LIBRARY } else { 1 }
}

/// Numbers of slots while their final order is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    State(usize),
    Input(usize),
    Constant(u128),
    Result(Instruction),
}

struct Compiler<'s> {
    system: &'s Validated,
    /// What is computed in the place of an input.
    calls: FxHashMap<InputId, &'s Call>,
    places: Vec<Place>,
    known: FxHashMap<Place, Slot>,
    /// By term and transition of the window.
    slots: FxHashMap<(TermId, u32), Slot>,
    others: Vec<Other>,
    other_numbers: FxHashMap<Term, u32>,
    next: Vec<Slot>,
    width: u32,
}

/// Where a symbol of a window takes its value from, seen from one transition.
enum Source<'s> {
    Here(Place),
    /// A result of the C library in the transition.
    Library(&'s Call),
    /// The state word after the transition.
    After(usize),
    /// Elsewhere in the window.
    Elsewhere,
}

/// What a term speaks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    /// It is constant.
    Nothing,
    /// The state at this frame of a window alone.
    State(u32),
    /// Inputs, or several states.
    More,
}

impl<'s> Compiler<'s> {
    fn new(system: &'s Validated, calls: &'s [Call]) -> Self {
        Self {
            system,
            calls: calls.iter().map(|call| (call.input, call)).collect(),
            places: Vec::new(),
            known: FxHashMap::default(),
            slots: FxHashMap::default(),
            others: Vec::new(),
            other_numbers: FxHashMap::default(),
            next: Vec::new(),
            width: 1,
        }
    }

    fn compile(mut self, task: &Task<'_>) -> Program {
        let system = self.system;
        for state in 0..system.states.len() {
            self.place(Place::State(state));
        }
        for input in 0..system.inputs.len() {
            self.place(Place::Input(input));
        }
        let always = self.place(Place::Constant(1));
        let next: Vec<TermId> = system.states.values().map(|state| state.next).collect();
        let next: Vec<Slot> = next.into_iter().map(|next| self.required(next)).collect();
        self.next = next;
        let mut allowed = always;
        for assumption in &system.assumptions {
            let holds = self.required(assumption.condition);
            allowed = self.both(allowed, holds);
        }
        let end = system.end.map_or(always, |end| self.required(end));
        let labels = by_vertex(task.len(), |vertex| match vertex.is_depot() {
            true => Vec::new(),
            false => self.labels(task, vertex, always),
        });
        let atoms = self.atoms(task);
        let first: Vec<Slot> = task.vertices().map(|vertex| labels[vertex][0]).collect();
        let packed_labels = self.pack(&first);
        let truths: Vec<Slot> = atoms.iter().map(|atom| atom.slot).collect();
        let packed_atoms = self.pack(&truths);
        let unordered = Unordered { allowed, end, labels, atoms, packed_labels, packed_atoms };
        self.assemble(unordered)
    }

    fn place(&mut self, place: Place) -> Slot {
        let places = &mut self.places;
        *self.known.entry(place).or_insert_with(|| {
            places.push(place);
            places.len() as Slot - 1
        })
    }

    fn result(&mut self, code: Code, width: u32, operands: [Slot; 3]) -> Slot {
        let [a, b, c] = operands;
        self.place(Place::Result(Instruction { code, width: width as u8, a, b, c }))
    }

    fn both(&mut self, left: Slot, right: Slot) -> Slot {
        match (self.places[left as usize], self.places[right as usize]) {
            (Place::Constant(1), _) => right,
            (_, Place::Constant(1)) => left,
            _ => self.result(Code::And, 1, [left, right, left]),
        }
    }

    /// Truths packed into words, the first one in the lowest bit.
    fn pack(&mut self, truths: &[Slot]) -> Vec<Slot> {
        let words = truths.chunks(PACK).map(|truths| {
            let mut truths = truths.iter().rev();
            let last = *truths.next().expect("a chunk should not be empty");
            truths.fold(last, |word, &truth| {
                self.result(Code::Join { by: 1 }, PACK as u32, [word, truth, word])
            })
        });
        words.collect()
    }

    /// The slot of a term over states and inputs.
    fn required(&mut self, term: TermId) -> Slot {
        self.slot(term, 0).expect("a term of a step should speak about this step alone")
    }

    /// The slot of a term of a window, seen from a transition; `None`: it does not speak about that
    /// transition alone.
    fn slot(&mut self, root: TermId, transition: u32) -> Option<Slot> {
        let pool = &self.system.terms;
        for term in cone_beyond(pool, &[root], |term| self.slots.contains_key(&(term, transition))) {
            let node = pool.node(term);
            let slot = match node {
                Term::Symbol(symbol) => match self.source(symbol, transition) {
                    Source::Here(place) => self.place(place),
                    Source::Library(call) => self.library(call),
                    Source::After(state) => *self.next.get(state)?,
                    Source::Elsewhere => return None,
                },
                Term::Const(constant) => self.place(Place::Constant(pool.constant_value(constant).bits())),
                _ => {
                    let mut operands = node.operands().map(|operand| self.slots[&(operand, transition)]);
                    let a = operands.next().expect("an operation should have an operand");
                    let (b, c) = (operands.next().unwrap_or(a), operands.next().unwrap_or(a));
                    self.operation(node, [a, b, c])
                }
            };
            self.width = self.width.max(pool.width(term));
            self.slots.insert((term, transition), slot);
        }
        Some(self.slots[&(root, transition)])
    }

    fn source(&self, symbol: SymbolId, transition: u32) -> Source<'s> {
        let (meaning, offset) = place(self.system, symbol);
        match meaning {
            Meaning::State(state) if offset == transition => Source::Here(Place::State(state.index())),
            Meaning::State(state) if offset == transition + 1 => Source::After(state.index()),
            Meaning::Input(input) if offset == transition => match self.calls.get(&input) {
                Some(call) => Source::Library(call),
                None => Source::Here(Place::Input(input.index())),
            },
            _ => Source::Elsewhere,
        }
    }

    /// The slot of a result of the C library. Its arguments are made of state, inputs and earlier
    /// results.
    fn library(&mut self, call: &Call) -> Slot {
        let arguments: Vec<Slot> = call.arguments.iter().map(|&argument| self.required(argument)).collect();
        let (a, b) = (arguments[0], *arguments.last().expect("a function should have an argument"));
        let code = Code::Library { function: call.function, format: call.format };
        self.result(code, call.format.width(), [a, b, a])
    }

    /// The slot of an operator's result.
    fn operation(&mut self, node: Term, operands: [Slot; 3]) -> Slot {
        let pool = &self.system.terms;
        let sort = |term: TermId| pool.sort(term);
        let (code, width) = match node {
            Term::Binary { op, lhs, rhs } => match (binary(op), sort(rhs)) {
                (Some(code), Sort::Word(width)) => (code, u32::from(width)),
                (None, Sort::Word(right)) if op == BinaryOp::Concat => {
                    (Code::Join { by: right as u8 }, u32::from(right) + pool.width(lhs))
                }
                (_, Sort::Float(format)) => match float_binary(op) {
                    Some(code) => (Code::Float { code, format }, 1),
                    None => return self.other(node, operands),
                },
                _ => return self.other(node, operands),
            },
            Term::Unary { op: UnaryOp::Not, arg } => (Code::Not, pool.width(arg)),
            Term::Unary { op: UnaryOp::Neg, arg } => (Code::Neg, pool.width(arg)),
            Term::Unary { op: UnaryOp::FloatToBits | UnaryOp::FloatFromBits(_), .. }
            | Term::Extend { signed: false, .. } => return operands[0],
            Term::Unary { op, arg } => return self.float_unary(node, op, sort(arg), operands),
            Term::Ite { then, .. } => (Code::Ite, pool.width(then)),
            Term::Extract { high, low, .. } => (Code::Extract { low }, u32::from(high - low) + 1),
            Term::Extend { arg, width, signed: true } => {
                (Code::SignExtend { from: pool.width(arg) as u8 }, u32::from(width))
            }
            _ => return self.other(node, operands),
        };
        self.result(code, width, operands)
    }

    /// The slot of the result of an operator with one operand that has to do with floats.
    fn float_unary(&mut self, node: Term, op: UnaryOp, sort: Sort, operands: [Slot; 3]) -> Slot {
        let operand = operands[0];
        let (code, format, width) = match (op, sort) {
            (UnaryOp::FloatFromUnsigned(format), _) => (FloatCode::FromUnsigned, format, sort.width()),
            (UnaryOp::FloatFromSigned(format), _) => (FloatCode::FromSigned, format, sort.width()),
            (UnaryOp::FloatToUnsigned(width) | UnaryOp::FloatToSigned(width), Sort::Float(format)) => {
                (FloatCode::ToWord, format, u32::from(width))
            }
            (UnaryOp::FloatSqrt, Sort::Float(format)) => (FloatCode::Sqrt, format, 1),
            (UnaryOp::FloatConvert(to), Sort::Float(format)) if to != format => {
                (FloatCode::Convert, format, 1)
            }
            (_, Sort::Float(format)) => return self.float_bits(node, op, format, operands),
            _ => return self.other(node, operands),
        };
        self.result(Code::Float { code, format }, width, [operand, operand, operand])
    }

    /// The same where it is a matter of bits: sign changes, tests for NaN and infinity.
    fn float_bits(&mut self, node: Term, op: UnaryOp, format: FloatFormat, operands: [Slot; 3]) -> Slot {
        let (operand, width) = (operands[0], format.width());
        let sign = 1u128 << (width - 1);
        let infinity = sign - (1 << format.fraction_bits());
        let sign_bit = self.place(Place::Constant(sign));
        if op == UnaryOp::FloatNeg {
            return self.result(Code::Xor, width, [operand, sign_bit, operand]);
        }
        let others = self.place(Place::Constant(sign - 1));
        let infinity = self.place(Place::Constant(infinity));
        let mut amount = || self.result(Code::And, width, [operand, others, operand]);
        match op {
            UnaryOp::FloatAbs => amount(),
            UnaryOp::FloatIsNan => {
                let amount = amount();
                self.result(Code::ULt, width, [infinity, amount, infinity])
            }
            UnaryOp::FloatIsInfinite => {
                let amount = amount();
                self.result(Code::Eq, width, [amount, infinity, amount])
            }
            _ => self.other(node, operands),
        }
    }

    fn other(&mut self, node: Term, operands: [Slot; 3]) -> Slot {
        let pool = &self.system.terms;
        let mut sorts = [Sort::TRUTH; 3];
        for (sort, operand) in sorts.iter_mut().zip(node.operands()) {
            *sort = pool.sort(operand);
        }
        let others = &mut self.others;
        let number = *self.other_numbers.entry(node).or_insert_with(|| {
            others.push(Other { term: node, sorts });
            others.len() as u32 - 1
        });
        self.result(Code::Other(number), 1, operands)
    }

    /// The labels of a goal; see [`Labels`].
    fn labels(&mut self, task: &Task<'_>, vertex: Vertex, always: Slot) -> Vec<Slot> {
        let mut labels = Vec::new();
        for (transition, conjuncts) in (0..).zip(Labels::of(self.system, task.target(vertex)).conjuncts) {
            let mut label = always;
            for conjunct in conjuncts {
                let holds = self.slot(conjunct, transition);
                let holds = holds.expect("a conjunct of a label should speak about its transition");
                label = self.both(label, holds);
            }
            labels.push(label);
        }
        labels
    }

    /// The comparisons over one state that guards, goals and Final are made of, each seen at the
    /// state before a step.
    fn atoms(&mut self, task: &Task<'_>) -> Vec<Atom> {
        let system = self.system;
        let mut roots: Vec<TermId> = system.end.into_iter().collect();
        roots.extend(task.vertices().map(|vertex| task.target(vertex).antecedent));
        roots.extend(system.states.values().map(|state| state.next));
        let (mut atoms, mut seen) = (Vec::new(), FxHashSet::default());
        let mut subjects: FxHashMap<TermId, Subject> = FxHashMap::default();
        for root in roots {
            for term in cone_beyond(&system.terms, &[root], |term| subjects.contains_key(&term)) {
                let subject = self.subject(term, &subjects);
                subjects.insert(term, subject);
                if atoms.len() == MOST_ATOMS || !is_atom(system, term) {
                    continue;
                }
                let Subject::State(frame) = subject else { continue };
                if let Some(slot) = self.slot(term, frame).filter(|&slot| seen.insert(slot)) {
                    atoms.push(Atom { slot, term: (frame == 0).then_some(term) });
                }
            }
        }
        atoms
    }

    /// What a term speaks about, from what its operands do.
    fn subject(&self, term: TermId, known: &FxHashMap<TermId, Subject>) -> Subject {
        let node = self.system.terms.node(term);
        if let Term::Symbol(symbol) = node {
            let (meaning, offset) = place(self.system, symbol);
            return if matches!(meaning, Meaning::State(_)) { Subject::State(offset) } else { Subject::More };
        }
        let operands = node.operands().map(|operand| known[&operand]);
        operands.fold(Subject::Nothing, |left, right| match (left, right) {
            (Subject::Nothing, subject) | (subject, Subject::Nothing) => subject,
            (left, right) if left == right => left,
            _ => Subject::More,
        })
    }

    /// Brings the places into their final order.
    fn assemble(self, found: Unordered) -> Program {
        let rank = |place: &Place| match place {
            Place::State(_) => 0,
            Place::Input(_) => 1,
            Place::Constant(_) => 2,
            Place::Result(_) => 3,
        };
        let mut order: Vec<usize> = (0..self.places.len()).collect();
        order.sort_by_key(|&place| rank(&self.places[place]));
        let mut position = vec![0 as Slot; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| position[old] = new as Slot);
        let at = |slot: &Slot| position[*slot as usize];
        let all = |slots: &[Slot]| slots.iter().map(at).collect::<Vec<Slot>>();
        let (mut constants, mut instructions) = (Vec::new(), Vec::new());
        for &old in &order {
            match self.places[old] {
                Place::State(_) | Place::Input(_) => {}
                Place::Constant(bits) => constants.push(bits),
                Place::Result(Instruction { code, width, a, b, c }) => {
                    instructions.push(Instruction { code, width, a: at(&a), b: at(&b), c: at(&c) });
                }
            }
        }
        let sort = |symbol: SymbolId| self.system.terms.symbol(symbol).sort;
        Program {
            states: self.system.states.len(),
            inputs: self.system.inputs.len(),
            constants,
            cost: instructions.iter().map(cost).sum::<u64>().max(LEAST_COST),
            instructions,
            others: self.others,
            next: all(&self.next),
            allowed: at(&found.allowed),
            end: at(&found.end),
            labels: found.labels.values().map(|labels| all(labels)).collect(),
            atoms: found.atoms.iter().map(|atom| Atom { slot: at(&atom.slot), ..*atom }).collect(),
            packed_labels: all(&found.packed_labels),
            packed_atoms: all(&found.packed_atoms),
            state_sorts: self.system.states.values().map(|state| sort(state.symbol)).collect(),
            input_sorts: self.system.inputs.values().map(|input| sort(input.symbol)).collect(),
            width: self.width.max(PACK as u32),
        }
    }
}

/// What was found before places have their final order.
struct Unordered {
    allowed: Slot,
    end: Slot,
    labels: ByVertex<Vec<Slot>>,
    atoms: Vec<Atom>,
    packed_labels: Vec<Slot>,
    packed_atoms: Vec<Slot>,
}

/// A comparison, or a state word of one bit.
fn is_atom(system: &TransitionSystem, term: TermId) -> bool {
    if system.terms.sort(term) != Sort::TRUTH {
        return false;
    }
    match system.terms.node(term) {
        Term::Symbol(_) => true,
        Term::Binary { op, .. } => !matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor),
        _ => false,
    }
}

fn binary(op: BinaryOp) -> Option<Code> {
    Some(match op {
        BinaryOp::And => Code::And,
        BinaryOp::Or => Code::Or,
        BinaryOp::Xor => Code::Xor,
        BinaryOp::Add => Code::Add,
        BinaryOp::Sub => Code::Sub,
        BinaryOp::Mul => Code::Mul,
        BinaryOp::UDiv => Code::UDiv,
        BinaryOp::URem => Code::URem,
        BinaryOp::SDiv => Code::SDiv,
        BinaryOp::SRem => Code::SRem,
        BinaryOp::Shl => Code::Shl,
        BinaryOp::LShr => Code::LShr,
        BinaryOp::AShr => Code::AShr,
        BinaryOp::Eq => Code::Eq,
        BinaryOp::ULt => Code::ULt,
        BinaryOp::ULe => Code::ULe,
        BinaryOp::SLt => Code::SLt,
        BinaryOp::SLe => Code::SLe,
        _ => return None,
    })
}

fn float_binary(op: BinaryOp) -> Option<FloatCode> {
    Some(match op {
        BinaryOp::FloatAdd => FloatCode::Add,
        BinaryOp::FloatSub => FloatCode::Sub,
        BinaryOp::FloatMul => FloatCode::Mul,
        BinaryOp::FloatDiv => FloatCode::Div,
        BinaryOp::FloatEq => FloatCode::Equal,
        BinaryOp::FloatLt => FloatCode::Less,
        BinaryOp::FloatLe => FloatCode::LessEqual,
        _ => return None,
    })
}
