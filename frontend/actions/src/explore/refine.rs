//! Refinement: in which states of the original a mutant can leave it (the paper, Definition 4.1).

use super::space::{LabelNo, Machine, Reached, Space};
use crate::interpret::TooMany;

/// A state and labels there by which the mutant's steps are others than the original's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsafe {
    /// Its position among the reached states of the original.
    pub state: usize,
    /// The labels.
    pub labels: Vec<LabelNo>,
}

/// How a mutant's steps differ from those of its original in the states that this reaches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// States with steps that the original has not, in the order of their depth.
    pub unsafe_states: Vec<Unsafe>,
    /// States with labels whose steps are not the same, and these labels.
    pub differing: Vec<Unsafe>,
    /// Whether the original has a step that the mutant has not.
    pub lacks: bool,
    /// Whether the original may reach states that were not looked at.
    pub is_partial: bool,
}

/// Compares all steps in all states that the original reaches, where its own are known.
///
/// # Errors
/// If too much would have to be enumerated.
pub fn compare(
    space: &mut Space,
    (original, reached): (&Machine, &Reached),
    mutant: &Machine,
) -> Result<Difference, TooMany> {
    let mut difference = Difference { is_partial: reached.is_partial, ..Difference::default() };
    let actions: Vec<usize> =
        (0..space.actions()).filter(|&action| !space.is_same_action(original, mutant, action)).collect();
    for (position, &state) in reached.states.iter().take(reached.steps.len()).enumerate() {
        space.check_time()?;
        let (mut labels, mut differing) = (Vec::new(), Vec::new());
        for &action in &actions {
            for &label in space.labels_in(action, &[state])?.iter() {
                let own = space.post(original, state, label)?;
                let other = space.post(mutant, state, label)?;
                if other.iter().any(|after| !own.contains(after)) {
                    labels.push(label);
                }
                if own != other {
                    differing.push(label);
                }
                difference.lacks |= own.iter().any(|after| !other.contains(after));
            }
        }
        if !differing.is_empty() {
            difference.differing.push(Unsafe { state: position, labels: differing });
        }
        if !labels.is_empty() {
            difference.unsafe_states.push(Unsafe { state: position, labels });
        }
    }
    Ok(difference)
}
