//! All constants of the search that experiments may set, beside what the turns of engines cost.

use super::{ENGINES, lane, situation};
use crate::finders::simulate::{annealing, search};
use crate::finders::{concatenate, simulation};
use crate::optimum::exact::{self, anytime, closing};
use crate::optimum::{enumerated, reachable};
use crate::tuning::{Constant, Tuning};

/// The list, by engine or room.
pub static CONSTANTS: &[&Constant] = &[
    &super::ROUNDS_IN_ONE_LANE,
    &lane::LONGEST_WAIT,
    &situation::SHALLOW,
    &situation::SHALLOW_PER_GOAL,
    &situation::MANY,
    &situation::MANY_OPEN,
    &situation::OPEN_SHARE,
    &situation::COVERING_PATIENCE,
    &super::ROUNDS_OF_FINDERS,
    &super::MOST_ROUNDS_OF_FINDERS,
    &super::ROUNDS_OF_PROVERS,
    &enumerated::CLASSES,
    &enumerated::LEAST_WORK,
    &simulation::IDLE_SHARE,
    &simulation::LEAST_IDLE,
    &search::STALE,
    &concatenate::IDLE_SHARE,
    &annealing::IDLE_SHARE,
    &reachable::PATIENCE,
    &exact::FIRST_LATCHED_EFFORT,
    &exact::FIRST_SETTLING,
    &exact::MOST_CONCRETISED,
    &exact::MOST_DIRECT_GOALS,
    &anytime::PARTS,
    &anytime::FIRST_IMPROVEMENT,
    &anytime::LATER_IMPROVEMENT,
    &closing::STRIDE,
];

/// What the name of an engine is followed by where its first turn is meant.
pub(super) const FIRST_TURN: &str = "first-turn";
/// What it is followed by where the growth of later turns is meant.
pub(super) const GROWTH: &str = "growth";

/// Sets the constant, or the first turn or the growth of an engine, that the text `NAME=VALUE`
/// names.
///
/// # Errors
/// Another form, an unknown name, no number: what is expected.
pub fn tune(tuning: &mut Tuning, text: &str) -> Result<(), String> {
    let Some((name, value)) = text.split_once('=') else {
        return Err(format!("`{text}` should be NAME=VALUE"));
    };
    let value: u64 = value
        .replace('_', "")
        .parse()
        .map_err(|_| format!("`{value}` should be a whole number, the value of `{name}`"))?;
    let of_engine = |(engine, what): (&str, &str)| {
        (what == FIRST_TURN || what == GROWTH) && ENGINES.iter().any(|row| row.engine.name() == engine)
    };
    let is_known =
        CONSTANTS.iter().any(|constant| constant.name == name) || name.split_once('.').is_some_and(of_engine);
    if !is_known {
        return Err(format!("no constant is called `{name}`; `chaincover engines --constants` lists them"));
    }
    tuning.set(name, value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_known_once() {
        let names: BTreeSet<&str> = CONSTANTS.iter().map(|constant| constant.name).collect();
        assert_eq!(names.len(), CONSTANTS.len());
        let mut tuning = Tuning::default();
        let cases = [
            ("optimum.stride=4", true),
            ("optimum.first-turn=60_000", true),
            ("annealing.growth=3", true),
            ("optimum.stride", false),
            ("optimum.stride=four", false),
            ("optimum.stridd=4", false),
            ("anneal.growth=3", false),
            ("annealing.width=3", false),
        ];
        for (text, is_accepted) in cases {
            assert_eq!(tune(&mut tuning, text).is_ok(), is_accepted, "{text}");
        }
        assert_eq!(tuning.value(&closing::STRIDE), 4);
        assert_eq!(tuning.get("optimum.first-turn"), Some(60_000));
    }
}
