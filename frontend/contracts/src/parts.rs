//! Independent parts of an interface: requirements that share no controlled variable, by way of
//! others or at once, are answered apart from each other. A set of them is not k-consistent if and
//! only if one part is not, since inputs are given and not agreed on.

use crate::game::{Arena, Ranks, START};
use crate::interface::Interface;
use crate::semantics::{Effort, Interest, Position, Semantics, Step, Undecided, Valuation, id_index};
use crate::syntax::Role;
use rustc_hash::FxHashMap;
use spec::scope::VariableId;
use spec::typed::Expr;
use std::ops::ControlFlow;

/// The parts of some requirements; each is ascending.
pub fn parts(interface: &Interface, requirements: &[usize]) -> Vec<Vec<usize>> {
    let is_controlled = |variable: &VariableId| interface.roles[*variable] != Role::Input;
    let restrictions = interface.environment.iter().map(|restriction| &restriction.condition);
    // Inputs that depend on answers connect all.
    if restrictions.flat_map(Expr::reads).any(|read| is_controlled(&read.variable)) {
        return vec![requirements.to_vec()];
    }
    // A forest of parts (union-find): each variable belongs to the part that read it first.
    let mut above: Vec<usize> = (0..requirements.len()).collect();
    let mut owners: FxHashMap<VariableId, usize> = FxHashMap::default();
    for (place, &index) in requirements.iter().enumerate() {
        let contracts = interface.requirements[index].every_contract();
        let exprs = contracts.flat_map(|contract| contract.assumption.iter().chain([&contract.guarantee]));
        for variable in exprs.flat_map(Expr::reads).map(|read| read.variable).filter(is_controlled) {
            let owner = *owners.entry(variable).or_insert(place);
            let (root, other) = (root(&mut above, place), root(&mut above, owner));
            above[root.max(other)] = root.min(other);
        }
    }
    let mut parts: Vec<Vec<usize>> = vec![Vec::new(); requirements.len()];
    for (place, &index) in requirements.iter().enumerate() {
        parts[root(&mut above, place)].push(index);
    }
    parts.retain(|part| !part.is_empty());
    parts.iter_mut().for_each(|part| part.sort_unstable());
    parts.sort();
    parts
}

/// The first member of a part; ways to it are made shorter.
fn root(above: &mut [usize], mut place: usize) -> usize {
    while above[place] != place {
        above[place] = above[above[place]];
        place = above[place];
    }
    place
}

/// A part whose positions are known.
#[derive(Clone, Debug)]
pub(crate) struct Part<'a> {
    /// Its requirements.
    pub(crate) semantics: Semantics<'a>,
    /// Its positions.
    pub(crate) arena: Arena,
    /// Who wins from where.
    pub(crate) ranks: Ranks,
}

/// Positions of a part from which no system can go on for ever.
#[derive(Clone, Debug)]
pub struct Lost {
    /// The variables that make up the positions.
    pub variables: Vec<VariableId>,
    /// Their values.
    pub positions: Vec<Position>,
    /// For each position the steps of which no system can answer all, for some inputs.
    pub within: Vec<usize>,
    /// Whether inputs and outputs tell the position. A system whose position is lost then breaks a
    /// requirement for some inputs; else another position may fit what is seen of it.
    pub is_seen: bool,
}

impl<'a> Part<'a> {
    /// Enumerates the positions of a part.
    ///
    /// # Errors
    /// There are too many.
    pub(crate) fn new(
        interface: &'a Interface,
        requirements: Vec<usize>,
        effort: &mut Effort,
    ) -> Result<Self, Undecided> {
        let semantics = Semantics::new(interface, requirements, &Interest::default());
        let arena = Arena::new(&semantics, effort)?;
        let ranks = arena.ranks();
        Ok(Self { semantics, arena, ranks })
    }
    /// The lost positions; none where the part is lost before step 0, since all systems are then.
    pub(crate) fn lost(&self, effort: &mut Effort) -> Lost {
        let is_answered = self.ranks.lost_in[START].is_none();
        let numbers = (0..self.arena.positions.len()).filter(|_| is_answered);
        let lost = numbers
            .filter_map(|number| Some((self.arena.positions[number].clone()?, self.ranks.lost_in[number]?)));
        let (positions, within): (Vec<_>, Vec<_>) = lost.unzip();
        let is_seen = !positions.is_empty() && self.is_seen(effort).unwrap_or(false);
        Lost { variables: self.semantics.remembered.clone(), positions, within, is_seen }
    }
    /// Whether inputs and outputs determine the position in each step.
    fn is_seen(&self, effort: &mut Effort) -> Result<bool, Undecided> {
        let interface = self.semantics.interface;
        let is_hidden = |variable: &VariableId| interface.roles[*variable] == Role::Hidden;
        if !self.semantics.remembered.iter().any(is_hidden) {
            return Ok(true);
        }
        let interest = Interest { all_observable: true, ..Interest::default() };
        let seeing = Semantics::new(interface, self.semantics.selected.clone(), &interest);
        let outputs: Vec<VariableId> = interface.variables(Role::Output).collect();
        // From each position and for all inputs, equal outputs have to lead to one position.
        for before in &self.arena.positions {
            for inputs in self.semantics.occurring(before.as_ref(), effort)? {
                let mut behind: FxHashMap<Valuation, Position> = FxHashMap::default();
                let mut is_unique = true;
                let mut visit = |now: &Valuation| {
                    let seen = outputs.iter().map(|id| now[id_index(*id)].clone()).collect();
                    let position = self.semantics.position(now);
                    is_unique &= *behind.entry(seen).or_insert_with(|| position.clone()) == position;
                    if is_unique { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                };
                let step = Step { before: before.as_ref(), known: &inputs };
                let _ = seeing.answers(step, &mut visit, effort)?;
                if !is_unique {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

/// Positions from which no system can go on for ever, to ask steps for.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeadEnds(Vec<(Vec<VariableId>, FxHashMap<Position, usize>)>);

impl DeadEnds {
    /// Those of some parts.
    pub(crate) fn new<'l>(lost: impl IntoIterator<Item = &'l Lost>) -> Self {
        let somewhere = lost.into_iter().filter(|lost| !lost.positions.is_empty());
        let table = |lost: &Lost| {
            let positions = lost.positions.iter().cloned().zip(lost.within.iter().copied());
            (lost.variables.clone(), positions.collect())
        };
        Self(somewhere.map(table).collect())
    }
    /// Where a step leads to one of them, the number of steps of which, for some inputs, no system
    /// can answer all.
    pub(crate) fn within(&self, now: &Valuation) -> Option<usize> {
        let parts = self.0.iter().filter_map(|(variables, positions)| {
            let values: Option<Position> = variables.iter().map(|id| now[id_index(*id)].clone()).collect();
            positions.get(&values?).copied()
        });
        parts.min()
    }
}

/// All positions from which no system can go on for ever, of the parts that take little enough
/// work each.
pub fn lost_as_known(interface: &Interface, each: &Effort) -> Vec<Lost> {
    let all: Vec<usize> = (0..interface.requirements.len()).collect();
    let parts = parts(interface, &all).into_iter();
    let known = parts.filter_map(|part| Part::new(interface, part, &mut each.clone()).ok());
    known.map(|part| part.lost(&mut each.clone())).collect()
}

/// All positions from which no system can go on for ever.
///
/// # Errors
/// There are too many positions.
pub fn lost(interface: &Interface, effort: &mut Effort) -> Result<Vec<Lost>, Undecided> {
    let all: Vec<usize> = (0..interface.requirements.len()).collect();
    let parts = parts(interface, &all).into_iter();
    parts.map(|part| Ok(Part::new(interface, part, effort)?.lost(effort))).collect()
}
