//! Localizations of which all states are enumerated.
//!
//! What keeps a counter below another one is a fact about numbers, which property directed
//! reachability meets one value at a time. The states of few words may be few all the same. Where
//! none of them admits the goal, the states that are not reached are an invariant of the whole
//! system.

use crate::knowledge::vertex::Vertex;
use crate::provers::explicit::{Explicit, Limits, if_suited};
use crate::provers::part::Part;
use crate::provers::pdr::{BitCube, BitValue};
use crate::session::{Session, Stop};
use crate::step::initial::{INITIAL_STATES, initial_states};
use rustc_hash::FxHashMap;

/// Most cubes that stand for the states that are not reached.
const MOST_CUBES: usize = 20_000;

/// A localization of which all states are known.
pub(super) struct Enumeration {
    /// How many states are reached.
    pub(super) states: usize,
    /// What that says about the goal.
    pub(super) answer: Answer,
}

/// What all states of a localization say about the goal.
pub(super) enum Answer {
    /// None of them admits it. Cubes of the states that are not reached; `None`: too many, or not
    /// wanted.
    Never(Option<Vec<BitCube>>),
    /// The states of a shortest way from Init to where it begins.
    Way(Vec<BitCube>),
}

/// Enumerates the states of a localization with one goal; `None`: beyond the limits. Cubes are made
/// where they are wanted.
pub(super) fn enumerate(
    part: &Part,
    limits: Limits,
    wants_cubes: bool,
    session: &Session<'_>,
) -> Result<Option<Enumeration>, Stop> {
    let own = part.task(session);
    let Some(initial) = initial_states(&own, INITIAL_STATES, session)? else { return Ok(None) };
    let Some(explicit) = if_suited(Explicit::enumerate(&own, &initial, limits, session))? else {
        return Ok(None);
    };
    let answer = match explicit.way_to(Vertex::of_position(0)) {
        None => Answer::Never(wants_cubes.then(|| unreached(&explicit)).flatten()),
        Some(way) => Answer::Way(way.into_iter().map(|state| cube(&explicit, state)).collect()),
    };
    Ok(Some(Enumeration { states: explicit.len(), answer }))
}

/// The bits of a state.
fn cube(explicit: &Explicit<'_>, state: u32) -> BitCube {
    let row = explicit.packed(state);
    let bits = explicit.step().state_bits().into_iter().enumerate();
    bits.map(|(position, (word, bit))| BitValue { word, bit, set: is_set(row, position) }).collect()
}

/// Cubes of the states that are not among the enumerated ones.
fn unreached(explicit: &Explicit<'_>) -> Option<Vec<BitCube>> {
    let bits = explicit.step().state_bits();
    let mut rows: Vec<&[u64]> = (0..explicit.len() as u32).map(|state| explicit.packed(state)).collect();
    let mut diagram = Diagram { nodes: Vec::new(), numbers: FxHashMap::default() };
    let root = diagram.of(&mut rows, 0, bits.len());
    let mut cubes = Vec::new();
    let mut path = Vec::new();
    diagram.rejected(root, &mut path, &mut cubes).then_some(())?;
    let value = |&(position, set): &(usize, bool)| {
        let (word, bit) = bits[position];
        BitValue { word, bit, set }
    };
    Some(cubes.iter().map(|cube| cube.iter().map(value).collect()).collect())
}

fn is_set(row: &[u64], position: usize) -> bool {
    row[position / 64] >> (position % 64) & 1 == 1
}

/// A binary decision diagram of a set of states, reduced and ordered (R. E. Bryant, 1986).
struct Diagram {
    /// Position of the bit, and the nodes for both of its values.
    nodes: Vec<(usize, [Node; 2])>,
    numbers: FxHashMap<(usize, [Node; 2]), usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    /// None of the states.
    None,
    /// All of them.
    All,
    Inner(usize),
}

impl Diagram {
    /// The node of these different states, which agree in all bits before that position.
    fn of(&mut self, rows: &mut [&[u64]], position: usize, width: usize) -> Node {
        if rows.is_empty() {
            return Node::None;
        }
        if position == width {
            return Node::All;
        }
        rows.sort_unstable_by_key(|row| is_set(row, position));
        let (clear, set) = rows.split_at_mut(rows.partition_point(|row| !is_set(row, position)));
        let both = [self.of(clear, position + 1, width), self.of(set, position + 1, width)];
        if both[0] == both[1] {
            return both[0];
        }
        let next = self.nodes.len();
        let number = *self.numbers.entry((position, both)).or_insert(next);
        if number == next {
            self.nodes.push((position, both));
        }
        Node::Inner(number)
    }

    /// Adds the paths from a node to what is in no state. Whether they are few enough.
    fn rejected(
        &self,
        node: Node,
        path: &mut Vec<(usize, bool)>,
        found: &mut Vec<Vec<(usize, bool)>>,
    ) -> bool {
        match node {
            Node::All => true,
            Node::None => {
                found.push(path.clone());
                found.len() <= MOST_CUBES
            }
            Node::Inner(number) => {
                let (position, both) = self.nodes[number];
                [false, true].into_iter().all(|set| {
                    path.push((position, set));
                    let is_few = self.rejected(both[usize::from(set)], path, found);
                    path.pop();
                    is_few
                })
            }
        }
    }
}
