//! How often inputs change, and what rigs allow them to do from one step to the next.

use crate::options::Limits;
use model::id::Id;
use model::sort::{FloatFormat, Sort};
use model::system::{InputId, InputRole, TransitionSystem};
use model::value::Value;

/// The inputs that the tester moves.
pub(super) fn stimuli(system: &TransitionSystem) -> impl Iterator<Item = InputId> + '_ {
    system.inputs.iter().filter(|(_, input)| input.role == InputRole::Stimulus).map(|(id, _)| id)
}

/// Number of changes of stimuli from one step to the next.
pub fn count(system: &TransitionSystem, inputs: &[Vec<Value>]) -> usize {
    let changed = |pair: &[Vec<Value>]| {
        stimuli(system).filter(|input| pair[0][input.index()] != pair[1][input.index()]).count()
    };
    inputs.windows(2).map(changed).sum()
}

/// Whether the inputs keep the limits.
pub fn respects(system: &TransitionSystem, limits: &Limits, inputs: &[Vec<Value>]) -> bool {
    if limits.is_empty() {
        return true;
    }
    let mut last_change: Vec<Option<usize>> = vec![None; system.inputs.len()];
    for step in 1..inputs.len() {
        let changed: Vec<InputId> = stimuli(system)
            .filter(|input| inputs[step - 1][input.index()] != inputs[step][input.index()])
            .collect();
        if limits.single_change && changed.len() > 1 {
            return false;
        }
        for input in changed {
            let before = last_change[input.index()].replace(step);
            if before.is_some_and(|before| step - before < limits.dwell) {
                return false;
            }
            let pair = (inputs[step - 1][input.index()], inputs[step][input.index()]);
            let slew = limits.slew.get(input).copied().flatten();
            if slew.is_some_and(|slew| difference(pair.0, pair.1, slew.signed) > slew.limit) {
                return false;
            }
        }
    }
    true
}

/// How far two values of one input are apart; infinite where one is no number.
fn difference(left: Value, right: Value, signed: bool) -> f64 {
    let number = |value: Value| match value.sort() {
        Sort::Float(FloatFormat::Single) => f64::from(f32::from_bits(value.bits() as u32)),
        Sort::Float(FloatFormat::Double) => f64::from_bits(value.bits() as u64),
        Sort::Word(_) if signed => value.signed() as f64,
        Sort::Word(_) => value.bits() as f64,
    };
    let difference = (number(left) - number(right)).abs();
    if difference.is_nan() { f64::INFINITY } else { difference }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Slew;
    use model::id::IdVec;
    use model::system::InputRole;

    fn system() -> TransitionSystem {
        let mut system = TransitionSystem::default();
        system.add_input("a", Sort::word(8), InputRole::Stimulus);
        system.add_input("b", Sort::word(1), InputRole::Stimulus);
        system
    }

    fn rows(rows: &[(u128, u128)]) -> Vec<Vec<Value>> {
        rows.iter().map(|&(a, b)| vec![Value::word(8, a), Value::word(1, b)]).collect()
    }

    #[test]
    fn limits_are_checked() {
        let system = system();
        let slew =
            |limit, signed| [Some(Slew { limit, signed }), None].into_iter().collect::<IdVec<InputId, _>>();
        let table = [
            (rows(&[(0, 0), (1, 1)]), Limits { single_change: true, ..Limits::default() }, false),
            (rows(&[(0, 0), (1, 0), (1, 1)]), Limits { single_change: true, ..Limits::default() }, true),
            (rows(&[(0, 0), (1, 0), (2, 0)]), Limits { dwell: 2, ..Limits::default() }, false),
            (rows(&[(0, 0), (1, 0), (1, 1), (2, 1)]), Limits { dwell: 2, ..Limits::default() }, true),
            (rows(&[(0, 0), (9, 0)]), Limits { slew: slew(8.0, false), ..Limits::default() }, false),
            (rows(&[(1, 0), (255, 0)]), Limits { slew: slew(2.0, true), ..Limits::default() }, true),
        ];
        for (inputs, limits, expected) in table {
            assert_eq!(respects(&system, &limits, &inputs), expected, "{limits:?}");
        }
        assert_eq!(count(&system, &rows(&[(0, 0), (1, 1), (1, 0)])), 3);
    }
}
