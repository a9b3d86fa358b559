//! The finest parts of the state bits of which no step changes two at once.

use super::step::{FreeStep, Trouble};
use encoder::aig::Literal;

/// Parts, by positions of bits, such that a query has shown that no step changes bits of two of
/// them. Bits that no step changes are in none.
pub(super) fn split(step: &mut FreeStep<'_, '_>) -> Result<Vec<Vec<usize>>, Trouble> {
    let movable = |&bit: &usize| step.bits[bit].changed_in_graph != Literal::FALSE;
    let mut parts: Vec<Vec<usize>> = (0..step.bits.len()).filter(movable).map(|bit| vec![bit]).collect();
    let mut changed: Vec<Literal> = parts.iter().map(|part| step.bits[part[0]].changed_in_graph).collect();
    while parts.len() > 1 {
        let several = step.several(&changed);
        if !step.ask(&[step.running, several])? {
            break;
        }
        let is_changed = |part: &Vec<usize>| part.iter().any(|&bit| step.is_true(step.bits[bit].changed));
        let (together, apart): (Vec<usize>, Vec<usize>) =
            (0..parts.len()).partition(|&part| is_changed(&parts[part]));
        let mut merged: Vec<usize> = together.iter().flat_map(|&part| parts[part].clone()).collect();
        merged.sort_unstable();
        let literals: Vec<Literal> = together.iter().map(|&part| changed[part]).collect();
        let some = step.any(&literals);
        changed = apart.iter().map(|&part| changed[part]).chain([some]).collect();
        parts = apart.iter().map(|&part| std::mem::take(&mut parts[part])).chain([merged]).collect();
    }
    parts.sort_unstable();
    Ok(parts)
}
