//! Sets of positions as binary decision diagrams, reduced and ordered (R. E. Bryant: "Graph-based
//! algorithms for Boolean function manipulation", 1986).

use rustc_hash::FxHashMap;
use solver::sat::Budget;

/// A diagram, by the number of its root: equal functions have equal numbers.
pub(super) type Diagram = u32;

/// The function that is never true, and the one that always is.
pub(super) const NEVER: Diagram = 0;
/// See [`NEVER`].
pub(super) const ALWAYS: Diagram = 1;

/// The level of the constants: below all variables.
const BOTTOM: u32 = u32::MAX;

/// Nodes between two looks at the clock.
const PER_LOOK: usize = 1 << 12;

/// A variable by its level, and the functions where it is false and where it is true.
type Node = (u32, [Diagram; 2]);

/// More nodes than there may be, or the time is up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Full;

/// Diagrams that share their nodes.
pub(super) struct Diagrams {
    nodes: Vec<Node>,
    numbers: FxHashMap<Node, Diagram>,
    /// Results of [`choose`](Self::choose).
    chosen: FxHashMap<[Diagram; 3], Diagram>,
    most: usize,
    budget: Budget,
}

/// Results of a function on diagrams that leaves constants as they are.
type Memo = FxHashMap<Diagram, Diagram>;

/// The result for a diagram, if it needs no work.
fn known(one: Diagram, memo: &Memo) -> Option<Diagram> {
    if one <= ALWAYS { Some(one) } else { memo.get(&one).copied() }
}

impl Diagrams {
    /// No diagrams but the constants; so many nodes at most.
    pub(super) fn new(most: usize, budget: &Budget) -> Self {
        let constants = vec![(BOTTOM, [NEVER; 2]), (BOTTOM, [ALWAYS; 2])];
        let (numbers, chosen) = (FxHashMap::default(), FxHashMap::default());
        Self { nodes: constants, numbers, chosen, most, budget: budget.clone() }
    }

    /// The value of a variable.
    pub(super) fn variable(&mut self, level: u32) -> Result<Diagram, Full> {
        self.node(level, [NEVER, ALWAYS])
    }

    fn node(&mut self, level: u32, both: [Diagram; 2]) -> Result<Diagram, Full> {
        if both[0] == both[1] {
            return Ok(both[0]);
        }
        if let Some(&known) = self.numbers.get(&(level, both)) {
            return Ok(known);
        }
        let number = self.nodes.len();
        if number >= self.most || (number.is_multiple_of(PER_LOOK) && self.budget.is_spent()) {
            return Err(Full);
        }
        self.nodes.push((level, both));
        self.numbers.insert((level, both), number as Diagram);
        Ok(number as Diagram)
    }

    fn level(&self, one: Diagram) -> u32 {
        self.nodes[one as usize].0
    }

    /// What a function is where the variable of a level, which is the first of it or does not
    /// occur, has each of its values.
    fn halves(&self, one: Diagram, level: u32) -> [Diagram; 2] {
        let (first, both) = self.nodes[one as usize];
        if first == level { both } else { [one; 2] }
    }

    /// The second function where the first one is true, the third one elsewhere.
    pub(super) fn choose(&mut self, of: [Diagram; 3]) -> Result<Diagram, Full> {
        let [condition, then, otherwise] = of;
        match (condition, then, otherwise) {
            (ALWAYS, ..) => return Ok(then),
            (NEVER, ..) => return Ok(otherwise),
            (_, ALWAYS, NEVER) => return Ok(condition),
            _ if then == otherwise => return Ok(then),
            _ => {}
        }
        if let Some(&known) = self.chosen.get(&of) {
            return Ok(known);
        }
        let level = of.iter().map(|&one| self.level(one)).min().unwrap_or(BOTTOM);
        let halves = of.map(|one| self.halves(one, level));
        let clear = self.choose(halves.map(|both| both[0]))?;
        let set = self.choose(halves.map(|both| both[1]))?;
        let found = self.node(level, [clear, set])?;
        if self.chosen.len() > self.most {
            self.chosen.clear();
        }
        self.chosen.insert(of, found);
        Ok(found)
    }

    pub(super) fn and(&mut self, one: Diagram, other: Diagram) -> Result<Diagram, Full> {
        let (first, second) = (one.min(other), one.max(other));
        self.choose([first, second, NEVER])
    }

    pub(super) fn not(&mut self, one: Diagram) -> Result<Diagram, Full> {
        self.choose([one, NEVER, ALWAYS])
    }

    /// Whether some values of variables make a function true.
    pub(super) fn exists(
        &mut self,
        one: Diagram,
        is_meant: &dyn Fn(u32) -> bool,
        memo: &mut Memo,
    ) -> Result<Diagram, Full> {
        if let Some(known) = known(one, memo) {
            return Ok(known);
        }
        let (level, both) = self.nodes[one as usize];
        let clear = self.exists(both[0], is_meant, memo)?;
        let found = if is_meant(level) && clear == ALWAYS {
            ALWAYS
        } else {
            let set = self.exists(both[1], is_meant, memo)?;
            if is_meant(level) { self.choose([clear, ALWAYS, set])? } else { self.node(level, [clear, set])? }
        };
        memo.insert(one, found);
        Ok(found)
    }

    /// A function of other functions in place of its variables, by level.
    pub(super) fn compose(
        &mut self,
        one: Diagram,
        places: &[Diagram],
        memo: &mut Memo,
    ) -> Result<Diagram, Full> {
        if let Some(known) = known(one, memo) {
            return Ok(known);
        }
        let (level, both) = self.nodes[one as usize];
        let clear = self.compose(both[0], places, memo)?;
        let set = self.compose(both[1], places, memo)?;
        let found = self.choose([places[level as usize], set, clear])?;
        memo.insert(one, found);
        Ok(found)
    }

    /// Whether a function is true of some values, by level.
    pub(super) fn holds(&self, mut one: Diagram, values: &dyn Fn(u32) -> bool) -> bool {
        while one > ALWAYS {
            let (level, both) = self.nodes[one as usize];
            one = both[usize::from(values(level))];
        }
        one == ALWAYS
    }

    /// Values by level that make a function true, as far as they matter; false rather than true.
    pub(super) fn example(&self, mut one: Diagram) -> Option<Vec<(u32, bool)>> {
        let mut found = Vec::new();
        while one > ALWAYS {
            let (level, both) = self.nodes[one as usize];
            let is_set = both[0] == NEVER;
            found.push((level, is_set));
            one = both[usize::from(is_set)];
        }
        (one == ALWAYS).then_some(found)
    }

    /// Disjoint cubes that make up a function, if there are not more than that.
    pub(super) fn cubes(&self, one: Diagram, most: usize) -> Option<Vec<Vec<(u32, bool)>>> {
        let mut found = Vec::new();
        self.add_cubes(one, &mut Vec::new(), &mut found, most).then_some(found)
    }

    fn add_cubes(
        &self,
        one: Diagram,
        path: &mut Vec<(u32, bool)>,
        found: &mut Vec<Vec<(u32, bool)>>,
        most: usize,
    ) -> bool {
        match one {
            NEVER => true,
            ALWAYS => {
                found.push(path.clone());
                found.len() <= most
            }
            inner => {
                let (level, both) = self.nodes[inner as usize];
                [false, true].into_iter().all(|is_set| {
                    path.push((level, is_set));
                    let is_few = self.add_cubes(both[usize::from(is_set)], path, found, most);
                    path.pop();
                    is_few
                })
            }
        }
    }

    /// Whether most of the nodes that there may be are there.
    pub(super) fn is_nearly_full(&self) -> bool {
        self.nodes.len() > self.most - self.most / 8
    }

    /// Forgets all nodes but those of some diagrams, which get new numbers.
    pub(super) fn keep(&mut self, kept: &mut [&mut Diagram]) {
        // Each node stands behind those that it leads to.
        let mut is_kept = vec![false; self.nodes.len()];
        kept.iter().for_each(|one| is_kept[**one as usize] = true);
        for number in (2..self.nodes.len()).rev() {
            if is_kept[number] {
                self.nodes[number].1.iter().for_each(|&half| is_kept[half as usize] = true);
            }
        }
        let mut renamed = vec![NEVER; self.nodes.len()];
        renamed[ALWAYS as usize] = ALWAYS;
        let mut nodes = self.nodes[..2].to_vec();
        for number in 2..self.nodes.len() {
            if is_kept[number] {
                let (level, both) = self.nodes[number];
                renamed[number] = nodes.len() as Diagram;
                nodes.push((level, both.map(|half| renamed[half as usize])));
            }
        }
        self.nodes = nodes;
        let numbered = self.nodes.iter().enumerate().skip(2);
        self.numbers = numbered.map(|(number, node)| (*node, number as Diagram)).collect();
        self.chosen.clear();
        kept.iter_mut().for_each(|one| **one = renamed[**one as usize]);
    }
}
