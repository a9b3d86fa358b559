//! Which of given inputs do different things.

use crate::step::bits::Step;
use model::value::Value;
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

/// Of the classes of a step those, by number, that make of these states what none before them
/// makes.
pub(crate) fn distinct(step: &Step, states: &[&Vec<Value>]) -> Vec<usize> {
    let mut made: Vec<FxHasher> = vec![FxHasher::default(); step.classes()];
    let (width, label_width) = step.row_widths();
    let mut rows = vec![0; 64 * (width + label_width)];
    let mut registers = Vec::new();
    for state in states {
        let packed = step.pack(state);
        for first in (0..step.classes()).step_by(64) {
            load(step, &packed, first, &mut registers);
            step.run(&mut registers);
            step.rows(&registers, &mut rows);
            let allowed = step.allowed(&registers);
            for (lane, made) in made[first..].iter_mut().take(64).enumerate() {
                (allowed >> lane & 1).hash(made);
                rows[lane * (width + label_width)..][..width + label_width].hash(made);
            }
        }
    }
    let mut seen = FxHashSet::default();
    (0..made.len()).filter(|&class| seen.insert(made[class].finish())).collect()
}

/// Loads a state, with 64 classes from `first` on.
fn load(step: &Step, packed: &[u64], first: usize, registers: &mut Vec<u64>) {
    registers.clear();
    registers.push(0);
    let state = |bit: usize| 0u64.wrapping_sub(packed[bit / 64] >> (bit % 64) & 1);
    registers.extend((0..step.state_width()).map(state));
    registers.extend((0..step.input_width()).map(|bit| step.class_bits(first, bit)));
}
