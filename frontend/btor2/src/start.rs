//! How executions of hardware begin: what starts with any value, and resets that are held.

use crate::reader::{Model, Origin};
use frontend::Reset;
use model::sort::Sort;
use model::system::{Assumption, InputId};
use model::term::{BinaryOp, TermId};

/// Registers and memories that start with any value: names, and bits of all elements together.
pub fn free_at_start(model: &Model) -> Vec<(String, u64)> {
    let system = &model.system;
    let is_kept = |name: &str| {
        let first = format!("{name}[0]");
        system.states.ids().any(|state| system.state_name(state) == name || system.state_name(state) == first)
    };
    let free = model.states.iter().filter_map(|origin| match origin {
        Origin::Initial { name, inputs, .. } if is_kept(name) => {
            let width =
                |&input: &_| u64::from(system.terms.symbol(system.initial_inputs[input].symbol).sort.width());
            Some((name.clone(), inputs.iter().map(width).sum()))
        }
        Origin::Initial { .. }
        | Origin::Determined
        | Origin::Begun { .. }
        | Origin::Zero { .. }
        | Origin::Free { .. } => None,
    });
    free.collect()
}

/// Holds a reset in the first steps: it is assumed to be active there, and goals do not count. The
/// result is the truth over states that the reset has been released: what else is asked of the
/// model is asked where that holds.
///
/// # Errors
/// A sentence where there is no such input of one bit.
pub fn add_reset(model: &mut Model, reset: &Reset) -> Result<TermId, String> {
    let input = reset_input(model, reset)?;
    let system = &mut model.system;
    let width = u32::BITS - reset.steps.leading_zeros();
    let counter = system.add_state("reset#steps", Sort::word(width));
    let (count, active) = (system.state_term(counter), system.input_term(input));
    let terms = &mut system.terms;
    let active = if reset.is_low { terms.not(active) } else { active };
    let last = terms.word(width, reset.steps.into());
    let is_released = terms.binary(BinaryOp::Eq, count, last);
    let one = terms.word(width, 1);
    let more = terms.binary(BinaryOp::Add, count, one);
    let next = terms.ite(is_released, count, more);
    let init = terms.word(width, 0);
    let held = terms.or(is_released, active);
    system.states[counter].init = init;
    system.states[counter].next = next;
    system.assumptions.push(Assumption { condition: held, origin: None });
    for goal in system.goals.values_mut() {
        goal.antecedent = system.terms.and(is_released, goal.antecedent);
    }
    Ok(is_released)
}

fn reset_input(model: &Model, reset: &Reset) -> Result<InputId, String> {
    let width = |input: InputId| {
        let system = &model.system;
        system.terms.symbol(system.inputs[input].symbol).sort.width()
    };
    let is_meant = |(name, input): &&(String, InputId)| *name == reset.input && width(*input) == 1;
    if let Some((_, input)) = model.inputs.iter().find(is_meant) {
        return Ok(*input);
    }
    let bits = model.inputs.iter().filter(|(_, input)| width(*input) == 1);
    let names: Vec<&str> = bits.map(|(name, _)| name.as_str()).collect();
    let known = if names.is_empty() { "there are none".to_owned() } else { names.join(", ") };
    Err(format!("there is no input `{}` of one bit to reset with; inputs of one bit: {known}", reset.input))
}
