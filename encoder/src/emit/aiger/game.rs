//! Safety games as circuits, in the form of the reactive synthesis competition (S. Jacobs, *Extended
//! AIGER Format for Synthesis*, 2014).
//!
//! * Inputs whose names begin with `controllable_` are chosen by the system, in each step after the
//!   others; they are the bits of the choices. All others are chosen by the environment.
//! * The one output, `bad`, must never be true. It is true in a step whose answer is not allowed,
//!   unless the environment gave inputs that do not occur, in this step or before: the latch
//!   `environment gone` remembers that.
//!
//! A system that keeps `bad` false is one that answers for ever, so the game is realizable if and
//! only if the system wins the game of safety.

use super::{Aiger, Latch, Named, named_bits};
use crate::EncodeError;
use crate::aig::Literal;
use crate::bits::BitBuilder;
use crate::blast::Words;
use crate::one_step::OneStep;
use model::id::Id;
use model::system::InputRole;
use model::term::TermId;
use model::validate::Validated;

/// What stands before the names of the bits that the system chooses.
pub const CONTROLLABLE: &str = "controllable_";

impl Aiger {
    /// The game in which the environment chooses stimuli such that `environment` holds, and the
    /// system choices such that `allowed` does. Both are truths over states and inputs; the initial
    /// state is one and given by constants. `comments` are lines for people.
    ///
    /// # Errors
    /// A symbol has no word, or the initial state is not constant.
    pub fn game(
        system: &Validated,
        (environment, allowed): (TermId, TermId),
        comments: Vec<String>,
    ) -> Result<Self, EncodeError> {
        let mut step = OneStep::new(system)?;
        let free = step.free.clone();
        let mut words = Words::default();
        let mut symbol = |role, offset| (offset == 0).then(|| free.word(role));
        let environment = step.window(environment, &mut words, &mut symbol)?;
        let allowed = step.window(allowed, &mut words, &mut symbol)?;
        let mut latches = Vec::new();
        for (index, state) in system.states.values().enumerate() {
            let name = &system.terms.symbol(state.symbol).name;
            for (position, bit) in named_bits(name, &free.states[index]).into_iter().enumerate() {
                let reset = step.init[index][position].constant();
                let unbound = || EncodeError::UnboundSymbol {
                    name: name.clone(),
                    place: "the initial state of a game",
                };
                let reset = reset.ok_or_else(unbound)?;
                latches.push(Latch { bit, reset, next: step.next[index][position] });
            }
        }
        let gone = step.aig.input();
        let lost = step.aig.and(!gone, environment);
        let bad = step.aig.and(lost, !allowed);
        let bit = Named { name: "environment gone".to_owned(), literal: gone };
        latches.push(Latch { bit, reset: false, next: !lost });
        Ok(Self {
            inputs: inputs(system, &free.inputs),
            aig: step.aig,
            latches,
            outputs: vec![Named { name: "bad".to_owned(), literal: bad }],
            bad: Vec::new(),
            constraints: Vec::new(),
            comments,
        })
    }
}

/// The bits of all inputs of the system, those of choices with [`CONTROLLABLE`] before their names.
fn inputs(system: &Validated, words: &[Vec<Literal>]) -> Vec<Named> {
    let bits = system.inputs.iter().flat_map(|(id, input)| {
        let name = &system.terms.symbol(input.symbol).name;
        let prefix = if input.role == InputRole::Choice { CONTROLLABLE } else { "" };
        named_bits(&format!("{prefix}{name}"), &words[id.index()])
    });
    bits.collect()
}
