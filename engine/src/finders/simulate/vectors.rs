//! The input vectors of a search, by number: holds refer to them. From the inputs of a chain to
//! holds, and back.

use super::archive::{Hold, join};
use model::external::Call;
use model::id::Id;
use model::sort::Sort;
use model::value::Value;
use rustc_hash::FxHashMap;

/// Input vectors, each once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vectors {
    vectors: Vec<Vec<u64>>,
    numbers: FxHashMap<Vec<u64>, u32>,
}

impl Vectors {
    /// The number of a vector; a new one is entered.
    pub(crate) fn number(&mut self, inputs: &[u64]) -> u32 {
        if let Some(&number) = self.numbers.get(inputs) {
            return number;
        }
        let number = self.vectors.len() as u32;
        self.vectors.push(inputs.to_vec());
        self.numbers.insert(inputs.to_vec(), number);
        number
    }

    /// The vector of a number.
    pub(crate) fn get(&self, number: u32) -> &[u64] {
        &self.vectors[number as usize]
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.vectors.len()
    }

    /// What these inputs, step by step, hold. Results of calls of the C library are no inputs here.
    pub(crate) fn holds(&mut self, inputs: &[Vec<Value>], calls: &[Call]) -> Vec<Hold> {
        let mut holds = Vec::new();
        for inputs in inputs {
            let mut inputs = bits(inputs);
            calls.iter().for_each(|call| inputs[call.input.index()] = 0);
            join(&mut holds, Hold { inputs: self.number(&inputs), steps: 1 });
        }
        holds
    }

    /// Holds step by step, as values of these sorts.
    pub(crate) fn inputs(&self, holds: &[Hold], sorts: &[Sort]) -> Vec<Vec<Value>> {
        let step_by_step = holds
            .iter()
            .flat_map(|hold| std::iter::repeat_n(values(self.get(hold.inputs), sorts), hold.steps as usize));
        step_by_step.collect()
    }
}

/// Values of these sorts with these bit patterns.
pub(crate) fn values(bits: &[u64], sorts: &[Sort]) -> Vec<Value> {
    bits.iter().zip(sorts).map(|(&bits, &sort)| Value::new(sort, bits.into())).collect()
}

/// Bit patterns of values of at most 64 bits.
pub(crate) fn bits(values: &[Value]) -> Vec<u64> {
    values.iter().map(|value| value.bits() as u64).collect()
}
