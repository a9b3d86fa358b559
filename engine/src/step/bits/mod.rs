//! One step of the system as a straight-line program over bits, 64 executions at a time.
//!
//! Goals become [*labels*](crate::step::labels) of transitions. A system with a goal of which no
//! single transition decides some conjunct is not for this engine.
//!
//! Inputs are not enumerated value by value. What a step does depends on its inputs only through
//! the bits at the border of the part of the circuit that no state reaches into: the comparisons
//! with constants, and what flows on as it is. Two inputs with the same border bits make the same
//! transitions, so one representative for each *class* of inputs will do; the classes are
//! enumerated once, by SAT. Where they are too many, inputs are told apart by what steps make of
//! them instead: of every state (see [`outcomes`](crate::step::bits::input_classes)), or of each
//! state that is reached (see [`image`]).
//!
//! A *projection* keeps some of the state words. The others are treated like inputs: any value in
//! every step. Each execution of the system is one of the projection, so what the projection
//! excludes or bounds from below is excluded or bounded for the system as well.

pub(crate) mod alphabet;
pub(crate) mod classes;
mod compile;
mod image;
pub(crate) mod input_classes;
pub(crate) mod transpose;

pub(crate) use compile::MOST_CONJUNCTIONS;

use crate::knowledge::task::Task;
use crate::knowledge::vertex::{ByVertex, Vertex};
use crate::session::{Session, Stop};
use crate::step::bits::transpose::transpose;
use crate::step::initial::InitialState;
use compile::Compiler;
use encoder::EncodeError;
use model::id::Id;
use model::system::{InputId, StateId};
use model::value::Value;

/// Why a system cannot be handled.
pub(crate) enum Unsuited {
    /// A goal compares states more than one step apart.
    Goal(String),
    /// There are more classes of inputs than the limit.
    Inputs,
    /// A step is too large to be computed in many states.
    Size,
    /// A term cannot be blasted.
    Encode(EncodeError),
    /// A limit or an error.
    Stop(Stop),
}

impl From<Stop> for Unsuited {
    fn from(halt: Stop) -> Self {
        Self::Stop(halt)
    }
}
impl From<EncodeError> for Unsuited {
    fn from(error: EncodeError) -> Self {
        match error {
            EncodeError::TooLarge(_) => Self::Size,
            error => Self::Encode(error),
        }
    }
}

/// The inputs that steps are computed for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Alphabet<'a> {
    /// One of each class, where there are at most so many.
    Classes {
        /// Most classes.
        most: usize,
        /// Whether inputs may be told apart by what steps make of them, where there are more
        /// classes.
        outcomes: bool,
        /// Initial states, where what steps make of the states reached from them is enough.
        reached_from: Option<&'a [InitialState]>,
    },
    /// These alone: what is found then can be done, and that something is not found means nothing.
    Among(&'a [Vec<Value>]),
}

/// A bit of a word of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BitOf<I> {
    word: I,
    bit: u32,
}

/// The program; see the module text. Its registers are: false, the state bits, the input bits that
/// matter, one for each conjunction.
pub(crate) struct Step {
    state_bits: Vec<BitOf<StateId>>,
    /// Bits of inputs, and of state words that are not kept (`None`).
    input_bits: Vec<Option<BitOf<InputId>>>,
    /// For each class of inputs a representative: the input bits that matter.
    classes: Vec<Vec<bool>>,
    /// The same by 64 classes, then by bit.
    columns: Vec<u64>,
    /// Operands of the conjunctions: register times two plus complement.
    conjunctions: Vec<[u32; 2]>,
    next: Vec<u32>,
    allowed: u32,
    labels: Vec<u32>,
    end: u32,
    /// For each vertex the position of its first label; 0 for the depot, which has none.
    first_label: ByVertex<usize>,
    state_sorts: Vec<model::sort::Sort>,
    input_sorts: Vec<model::sort::Sort>,
}

impl Step {
    /// Compiles the step of the task's system with the labels of its goals, for these inputs. Of
    /// the state words those are kept for which `kept` says so.
    pub(crate) fn compile(
        task: &Task<'_>,
        kept: &dyn Fn(StateId) -> bool,
        alphabet: Alphabet<'_>,
        session: &Session<'_>,
    ) -> Result<Self, Unsuited> {
        Compiler::new(task.system, kept).compile(task, alphabet, session)
    }

    /// The positions in a packed state of the bits of a word; empty where the word is not kept.
    pub(crate) fn positions(&self, word: StateId) -> impl Iterator<Item = usize> + '_ {
        (0..self.state_bits.len()).filter(move |&position| self.state_bits[position].word == word)
    }
    /// For each bit of a state of a projection its position among the bits of this step.
    pub(crate) fn positions_of(&self, projection: &Self) -> Vec<usize> {
        let position = |bit: &BitOf<StateId>| {
            self.state_bits
                .iter()
                .position(|known| known == bit)
                .expect("a projection should keep known bits")
        };
        projection.state_bits.iter().map(position).collect()
    }

    /// The word and the bit of it that each bit of a packed state is.
    pub(crate) fn state_bits(&self) -> Vec<(StateId, u32)> {
        self.state_bits.iter().map(|bit| (bit.word, bit.bit)).collect()
    }
    /// Number of state bits.
    pub(crate) fn state_width(&self) -> usize {
        self.state_bits.len()
    }
    /// Number of input bits that anything depends on.
    pub(crate) fn input_width(&self) -> usize {
        self.input_bits.len()
    }
    /// The input bits of these inputs, the same in 64 executions. Not for projections.
    pub(crate) fn input_columns(&self, inputs: &[Value]) -> impl Iterator<Item = u64> {
        self.input_bits.iter().map(|place| {
            let place = place.as_ref().expect("a step that keeps all words should have inputs alone");
            0u64.wrapping_sub((inputs[place.word.index()].bits() >> place.bit) as u64 & 1)
        })
    }
    /// The input bits of up to 64 rows of inputs, one row for each execution. Not for projections.
    pub(crate) fn columns_of(&self, rows: &[Vec<Value>]) -> Vec<u64> {
        let column = |place: &Option<BitOf<InputId>>| {
            let place = place.as_ref().expect("a step that keeps all words should have inputs alone");
            let bit = |inputs: &Vec<Value>| (inputs[place.word.index()].bits() >> place.bit) as u64 & 1;
            rows.iter().enumerate().fold(0, |column, (lane, inputs)| column | bit(inputs) << lane)
        };
        self.input_bits.iter().map(column).collect()
    }
    /// Number of classes of inputs.
    pub(crate) fn classes(&self) -> usize {
        self.classes.len()
    }
    /// An input bit of the representatives of 64 classes, from a class on that is a multiple of 64.
    pub(crate) fn class_bits(&self, class: usize, bit: usize) -> u64 {
        debug_assert!(class.is_multiple_of(64), "columns of classes should begin at a word");
        self.columns[class / 64 * self.input_bits.len() + bit]
    }
    /// Keeps these classes alone, in this order.
    pub(crate) fn retain(&mut self, classes: &[usize]) {
        self.classes = classes.iter().map(|&class| self.classes[class].clone()).collect();
        self.columns = columns(&self.classes, self.input_bits.len());
    }
    /// Number of conjunctions: the cost of one evaluation.
    pub(crate) fn size(&self) -> usize {
        self.conjunctions.len()
    }
    /// Number of labels.
    pub(crate) fn labels(&self) -> usize {
        self.labels.len()
    }
    /// The label of transition `offset` of an occurrence of the goal of `vertex`.
    pub(crate) fn label(&self, vertex: Vertex, offset: u32) -> usize {
        self.first_label[vertex] + offset as usize
    }

    /// Runs the program: `registers` holds the state and input bits from register 1 on.
    pub(crate) fn run(&self, registers: &mut Vec<u64>) {
        let inputs = 1 + self.state_bits.len() + self.input_bits.len();
        debug_assert_eq!(registers.len(), inputs, "state and input bits should be loaded");
        registers.reserve(self.conjunctions.len());
        for &[lhs, rhs] in &self.conjunctions {
            let value = read(registers, lhs) & read(registers, rhs);
            registers.push(value);
        }
    }
    /// After a run: bit `bit` of the next state, in all executions.
    pub(crate) fn next(&self, registers: &[u64], bit: usize) -> u64 {
        read(registers, self.next[bit])
    }
    /// After a run: whether the assumptions hold.
    pub(crate) fn allowed(&self, registers: &[u64]) -> u64 {
        read(registers, self.allowed)
    }
    /// After a run: whether the transition has the label.
    pub(crate) fn has_label(&self, registers: &[u64], label: usize) -> u64 {
        read(registers, self.labels[label])
    }
    /// After a run: whether the state before the step is in Final.
    pub(crate) fn ends(&self, registers: &[u64]) -> u64 {
        read(registers, self.end)
    }

    /// Words of a packed state and of a packed set of labels.
    pub(crate) fn row_widths(&self) -> (usize, usize) {
        (self.state_width().div_ceil(64), self.labels().div_ceil(64).max(1))
    }
    /// Turns the columns of next states and labels of an evaluation into one row for each of its 64
    /// executions: the packed successor, then the packed labels.
    pub(crate) fn rows(&self, registers: &[u64], rows: &mut [u64]) {
        let (width, label_width) = self.row_widths();
        for word in 0..width + label_width {
            let mut square = [0u64; 64];
            for (offset, column) in square.iter_mut().enumerate() {
                *column = match word.checked_sub(width) {
                    None if 64 * word + offset < self.state_width() => {
                        self.next(registers, 64 * word + offset)
                    }
                    Some(word) if 64 * word + offset < self.labels() => {
                        self.has_label(registers, 64 * word + offset)
                    }
                    _ => 0,
                };
            }
            transpose(&mut square);
            for (lane, &row) in square.iter().enumerate() {
                rows[lane * (width + label_width) + word] = row;
            }
        }
    }

    /// The bits of a state, packed.
    pub(crate) fn pack(&self, state: &[Value]) -> Vec<u64> {
        let mut packed = vec![0; self.state_bits.len().div_ceil(64)];
        for (position, place) in self.state_bits.iter().enumerate() {
            let bit = state[place.word.index()].bits() >> place.bit & 1;
            packed[position / 64] |= (bit as u64) << (position % 64);
        }
        packed
    }
    /// The state of packed bits.
    pub(crate) fn unpack(&self, packed: &[u64]) -> Vec<Value> {
        let mut bits = vec![0u128; self.state_sorts.len()];
        for (position, place) in self.state_bits.iter().enumerate() {
            bits[place.word.index()] |= u128::from(packed[position / 64] >> (position % 64) & 1) << place.bit;
        }
        self.state_sorts.iter().zip(bits).map(|(&sort, bits)| Value::new(sort, bits)).collect()
    }
    /// The representative of a class; bits that do not matter are 0.
    pub(crate) fn inputs(&self, class: u32) -> Vec<Value> {
        let mut bits = vec![0u128; self.input_sorts.len()];
        for (position, place) in self.input_bits.iter().enumerate() {
            let Some(place) = place else { continue };
            bits[place.word.index()] |= u128::from(self.classes[class as usize][position]) << place.bit;
        }
        self.input_sorts.iter().zip(bits).map(|(&sort, bits)| Value::new(sort, bits)).collect()
    }
}

fn read(registers: &[u64], operand: u32) -> u64 {
    registers[(operand >> 1) as usize] ^ 0u64.wrapping_sub(u64::from(operand & 1))
}

/// The bits of the classes by 64 classes, then by bit.
fn columns(classes: &[Vec<bool>], bits: usize) -> Vec<u64> {
    let column = |chunk: &[Vec<bool>], bit: usize| {
        chunk.iter().enumerate().fold(0, |column, (lane, class)| column | u64::from(class[bit]) << lane)
    };
    classes.chunks(64).flat_map(|chunk| (0..bits).map(move |bit| column(chunk, bit))).collect()
}
