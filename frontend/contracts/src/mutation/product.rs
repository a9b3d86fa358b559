//! The runs of a mutant as the original sees them.

use crate::interface::Interface;
use crate::semantics::{Effort, Position, Semantics, Step, Undecided, Valuation, id_index};
use crate::syntax::Role;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::ControlFlow;

/// What is known of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Some run of it is forbidden by the original.
    Killed,
    /// All its runs are allowed, and it forbids some that the original allows.
    Conforms,
    /// It allows what the original allows.
    Equivalent,
    /// Its runs are too many to follow.
    Undecided,
}

impl Verdict {
    /// The word in texts and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Killed => "killed",
            Self::Conforms => "conforms",
            Self::Equivalent => "equivalent",
            Self::Undecided => "undecided",
        }
    }
}

/// Nodes that are followed at most.
const MOST_NODES: usize = 50_000;

/// Positions where the original may be, and the position of the mutant; ascending numbers.
type Node = (Vec<usize>, usize);

/// What happens at some inputs.
#[derive(Clone, Debug, Default)]
pub(super) struct Edge {
    /// The nodes that answers of the mutant lead to which the original allows.
    pub(super) next: Vec<usize>,
    /// Whether some answer of the mutant is forbidden.
    pub(super) reveals: bool,
}

/// All nodes that can be reached; number 0 is the beginning.
#[derive(Clone, Debug)]
pub(super) struct Product {
    /// For each node what happens at the inputs of each number.
    pub(super) edges: Vec<FxHashMap<usize, Edge>>,
}

struct Builder<'a, 'i> {
    original: Semantics<'a>,
    mutant: Semantics<'a>,
    inputs: &'i mut Inputs,
    positions: [Positions; 2],
}

/// Inputs by number.
#[derive(Clone, Debug, Default)]
pub(super) struct Inputs {
    /// The inputs.
    pub(super) all: Vec<Valuation>,
    numbers: FxHashMap<Valuation, usize>,
}

impl Inputs {
    fn number(&mut self, inputs: &Valuation) -> usize {
        let next = self.all.len();
        *self.numbers.entry(inputs.clone()).or_insert_with(|| {
            self.all.push(inputs.clone());
            next
        })
    }
}

/// Positions by number; number 0 is the place before step 0.
#[derive(Debug)]
struct Positions {
    all: Vec<Option<Position>>,
    numbers: FxHashMap<Position, usize>,
}

impl Positions {
    fn new() -> Self {
        Self { all: vec![None], numbers: FxHashMap::default() }
    }
    fn number(&mut self, position: Position) -> usize {
        let next = self.all.len();
        *self.numbers.entry(position).or_insert_with_key(|position| {
            self.all.push(Some(position.clone()));
            next
        })
    }
}

impl Product {
    /// Follows the runs of `mutant` as `original` sees them. Both have the same variables.
    pub(super) fn new(
        original: &Interface,
        mutant: &Interface,
        inputs: &mut Inputs,
        effort: &mut Effort,
    ) -> Result<Self, Undecided> {
        let mut builder = Builder {
            original: Semantics::whole(original),
            mutant: Semantics::whole(mutant),
            inputs,
            positions: [Positions::new(), Positions::new()],
        };
        let mut nodes: Vec<Node> = vec![(vec![0], 0)];
        let mut numbers: FxHashMap<Node, usize> = FxHashMap::from_iter([(nodes[0].clone(), 0)]);
        let mut edges = Vec::new();
        while edges.len() < nodes.len() {
            let node = nodes[edges.len()].clone();
            let mut found: FxHashMap<usize, Edge> = FxHashMap::default();
            for (inputs, reveals, next) in builder.moves(&node, effort)? {
                let edge = found.entry(inputs).or_default();
                edge.reveals |= reveals;
                for node in next {
                    let number = *numbers.entry(node).or_insert_with_key(|node| {
                        nodes.push(node.clone());
                        nodes.len() - 1
                    });
                    edge.next.push(number);
                }
            }
            edges.push(found);
            if nodes.len() > MOST_NODES {
                return Err(Undecided::TooLarge);
            }
        }
        Ok(Self { edges })
    }
    /// Whether some run is revealed.
    pub(super) fn reveals(&self) -> bool {
        self.edges.iter().flat_map(|edges| edges.values()).any(|edge| edge.reveals)
    }
}

impl Builder<'_, '_> {
    /// For each inputs: their number, whether the mutant answers what is forbidden, and the nodes
    /// behind its other answers.
    fn moves(
        &mut self,
        (belief, position): &Node,
        effort: &mut Effort,
    ) -> Result<Vec<(usize, bool, Vec<Node>)>, Undecided> {
        let before = self.positions[1].all[*position].clone();
        let mut found = Vec::new();
        for inputs in self.mutant.occurring(before.as_ref(), effort)? {
            let mut answers: FxHashSet<(Valuation, Position)> = FxHashSet::default();
            let mut visit = |now: &Valuation| {
                answers.insert((self.observed(now), self.mutant.position(now)));
                ControlFlow::Continue(())
            };
            let step = Step { before: before.as_ref(), known: &inputs };
            let _ = self.mutant.answers(step, &mut visit, effort)?;
            let mut reveals = false;
            let mut next: Vec<Node> = Vec::new();
            let mut seen: FxHashMap<Valuation, Vec<usize>> = FxHashMap::default();
            for (observed, position) in answers {
                let behind = match seen.get(&observed) {
                    Some(known) => known.clone(),
                    None => {
                        let behind = self.behind(belief, &observed, effort)?;
                        seen.insert(observed, behind.clone());
                        behind
                    }
                };
                match behind.is_empty() {
                    true => reveals = true,
                    false => next.push((behind, self.positions[1].number(position))),
                }
            }
            next.sort();
            next.dedup();
            found.push((self.inputs.number(&inputs), reveals, next));
        }
        Ok(found)
    }
    /// A step without hidden values.
    fn observed(&self, now: &Valuation) -> Valuation {
        let mut observed = now.clone();
        for id in self.original.interface.variables(Role::Hidden) {
            observed[id_index(id)] = None;
        }
        observed
    }
    /// Where the original may be behind an observation.
    fn behind(
        &mut self,
        belief: &[usize],
        observed: &Valuation,
        effort: &mut Effort,
    ) -> Result<Vec<usize>, Undecided> {
        let mut behind = Vec::new();
        for &number in belief {
            let before = self.positions[0].all[number].clone();
            let mut found: Vec<Position> = Vec::new();
            let mut visit = |now: &Valuation| {
                found.push(self.original.position(now));
                ControlFlow::Continue(())
            };
            let step = Step { before: before.as_ref(), known: observed };
            let _ = self.original.answers(step, &mut visit, effort)?;
            for position in found {
                behind.push(self.positions[0].number(position));
            }
        }
        behind.sort_unstable();
        behind.dedup();
        Ok(behind)
    }
}
