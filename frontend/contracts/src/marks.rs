//! What each requirement says of each step of a run: whether its assumption holds, whether it
//! decides what may be answered, and whether it is broken.
//!
//! Hidden values are not seen, so a run may be at several positions. A requirement is *deciding* in a
//! step if at one of them some answer would keep all others and break this one.

use crate::parts::parts;
use crate::runs::Runs;
use crate::semantics::{Deciding, Effort, Position, Semantics, Step, Undecided, Valuation};
use rustc_hash::FxHashSet;

/// Positions of a step that are looked at to find out whether a requirement decides.
const MOST_POSITIONS: usize = 32;

/// Values that are tried to find out whether one requirement decides one step.
const PER_MARK: u64 = 20_000;

/// In which of the runs that are possible something holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Often {
    /// In none.
    Never,
    /// In some of them.
    Sometimes,
    /// In all.
    Always,
}

/// What a requirement says of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Whether its assumption holds.
    pub triggered: Often,
    /// Whether it decides; none where that was not found out.
    pub deciding: Option<bool>,
    /// Whether one of the smallest explanations of what was observed names it.
    pub broken: bool,
}

impl Mark {
    /// Whether there is nothing to say.
    pub fn is_idle(&self) -> bool {
        self.triggered == Often::Never && !self.broken
    }
}

/// Marks the steps of runs.
#[derive(Clone, Debug)]
pub struct Marker<'a> {
    semantics: Semantics<'a>,
    /// Each requirement that counts, with its index.
    deciding: Vec<(usize, Deciding<'a>)>,
}

impl<'a> Marker<'a> {
    /// For runs whose positions are those of a semantics.
    pub fn new(semantics: &Semantics<'a>) -> Self {
        let interface = semantics.interface;
        let parts = parts(interface, &semantics.selected);
        let of = |part: &Vec<usize>| -> Vec<(usize, Deciding<'a>)> {
            part.iter().map(|&index| (index, Deciding::new(interface, index, part))).collect()
        };
        Self { semantics: semantics.clone(), deciding: parts.iter().flat_map(of).collect() }
    }

    /// The marks of a step, for each requirement of the interface: from `positions`, in which the
    /// inputs may occur, under the inputs of the step and nothing else.
    pub fn marks(
        &self,
        positions: &[Option<&Position>],
        inputs: &Valuation,
        effort: &mut Effort,
    ) -> Vec<Mark> {
        let idle = Mark { triggered: Often::Never, deciding: Some(false), broken: false };
        let mut marks = vec![idle; self.semantics.interface.requirements.len()];
        for (index, deciding) in &self.deciding {
            let is_triggered = |before: &Option<&Position>| {
                let contracts = deciding.requirement.contracts(before.is_none());
                contracts.iter().any(|contract| self.semantics.is_triggered(contract, *before, inputs))
            };
            let triggered: Vec<Option<&Position>> =
                positions.iter().filter(|before| is_triggered(before)).copied().collect();
            let mark = &mut marks[*index];
            mark.triggered = match triggered.len() {
                0 => continue,
                all if all == positions.len() => Often::Always,
                _ => Often::Sometimes,
            };
            let found = effort
                .within(PER_MARK, |effort| decides(&self.semantics, deciding, &triggered, inputs, effort));
            mark.deciding = found.ok();
        }
        marks
    }
}

/// Whether from one of some positions an answer keeps the others and breaks a requirement.
fn decides(
    semantics: &Semantics<'_>,
    deciding: &Deciding<'_>,
    positions: &[Option<&Position>],
    inputs: &Valuation,
    effort: &mut Effort,
) -> Result<bool, Undecided> {
    for &before in positions.iter().take(MOST_POSITIONS) {
        if deciding.decides(semantics, before, inputs, effort)? {
            return Ok(true);
        }
    }
    if positions.len() > MOST_POSITIONS { Err(Undecided::TooLarge) } else { Ok(false) }
}

/// The marks of each step of all allowed runs under given inputs.
///
/// # Errors
/// There are too many runs.
pub fn along(
    runs: &Runs<'_>,
    inputs: &[Valuation],
    effort: &mut Effort,
) -> Result<Vec<Vec<Mark>>, Undecided> {
    let marker = Marker::new(&runs.semantics);
    let mut positions: Vec<Option<Position>> = vec![None];
    let mut found = Vec::with_capacity(inputs.len());
    for known in inputs {
        let here: Vec<Option<&Position>> = positions.iter().map(Option::as_ref).collect();
        found.push(marker.marks(&here, known, effort));
        let (mut seen, mut next) = (FxHashSet::default(), Vec::new());
        for before in &here {
            let mut visit = |now: &Valuation| {
                let position = runs.semantics.position(now);
                if seen.insert(position.clone()) {
                    next.push(Some(position));
                }
            };
            runs.answers(Step { before: *before, known }, &mut visit, effort)?;
        }
        positions = next;
    }
    Ok(found)
}
