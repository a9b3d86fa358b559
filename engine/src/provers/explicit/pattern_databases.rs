//! OptimalSearch costs to go for some of the goals: pattern databases of the search for chains.
//!
//! For a few goals the least number of steps from every state, with every subset of them still
//! open, to the end of the last chain is computed backwards, set by set. What it costs to cover
//! some goals bounds what it costs to cover all of them, so the table is an admissible heuristic
//! for the search over all goals (J. C. Culberson, J. Schaeffer, Pattern databases, Computational
//! Intelligence 14 (1998)). A table is grown goal by goal: each time by the goal that costs most
//! beside those it has (else the one that lies farthest off the best chains through them), until
//! these chains cover all goals or the table is too large.

use super::attempt::Attempt;
use super::cover::{Coverage, sum};
use super::distances::Space;
use crate::search::breadth_first::{FAR, spread};
use crate::session::{Session, Stop};

/// Sets between two looks at the limits.
const LOOK_AT_LIMITS: usize = 16;

/// Where goals begin and chains end.
pub(super) struct Edges {
    /// Edges along which goals begin: from, to, bits of the goals by position in the coverage.
    covering: Vec<(u32, u32, u64)>,
    ends: Vec<u32>,
    initial: u32,
    states: usize,
}

impl Edges {
    pub(super) fn new(space: &Space<'_>, coverage: &Coverage<'_>) -> Self {
        let states = space.states.len();
        let begin = space.beginnings(coverage.goals);
        let mut covering = Vec::new();
        for state in 0..states as u32 {
            let near = |position: &usize| coverage.to_goal[*position][state as usize] == 0;
            let at_hand = (0..coverage.goals.len()).filter(near).fold(0, |goals, goal| goals | 1 << goal);
            if at_hand == 0 {
                continue;
            }
            for &transition in space.states.from(state) {
                let goals = at_hand & begin[transition.labels as usize];
                if goals != 0 {
                    covering.push((state, transition.to, goals));
                }
            }
        }
        covering.sort_unstable();
        covering.dedup();
        let ends = (0..states as u32).filter(|&state| space.states.ends(state)).collect();
        Self { covering, ends, initial: space.states.initial() as u32, states }
    }
}

/// See the module text.
pub(crate) struct Table {
    /// Positions of its goals in the coverage.
    goals: Vec<usize>,
    states: usize,
    /// Cost by set of open goals, then by state.
    costs: Vec<u32>,
}

impl Table {
    /// Whether a table of more than a few goals can be afforded.
    pub(super) fn is_worthwhile(space: &Space<'_>, attempt: &Attempt) -> bool {
        space.states.len() << 5 <= attempt.entries
    }

    /// The table of no goals.
    fn empty(edges: &Edges, coverage: &Coverage<'_>) -> Self {
        Self { goals: Vec::new(), states: edges.states, costs: coverage.to_end.to_vec() }
    }

    /// Grows a table that begins with this goal. Goals in `later` are taken only when the others
    /// are covered.
    pub(super) fn grow(
        space: &Space<'_>,
        edges: &Edges,
        coverage: &Coverage<'_>,
        extras: Option<&Extras>,
        seed: usize,
        later: u64,
        session: &Session<'_>,
    ) -> Result<Self, Stop> {
        let mut table = Self::empty(edges, coverage);
        let mut next = Some(seed);
        let mut visits = 0;
        while let Some(goal) = next {
            visits += ((space.states.source_count() + edges.covering.len()) as u64) << table.goals.len();
            if table.costs.len() * 2 > coverage.attempt.entries || visits > coverage.attempt.visits {
                break;
            }
            table.add_goal(goal, space, edges, coverage, session)?;
            next = table.farthest(space, edges, coverage, extras, later);
        }
        Ok(table)
    }

    /// Computes the costs of all sets with one more goal.
    fn add_goal(
        &mut self,
        goal: usize,
        space: &Space<'_>,
        edges: &Edges,
        coverage: &Coverage<'_>,
        session: &Session<'_>,
    ) -> Result<(), Stop> {
        let sets = 1usize << self.goals.len();
        self.goals.push(goal);
        self.costs.reserve_exact(self.costs.len());
        let known = edges.covering.iter().map(|&(from, to, goals)| (from, to, self.index(goals)));
        let mut covering: Vec<(u32, u32, usize)> = known.filter(|&(.., goals)| goals != 0).collect();
        covering.dedup();
        for set in sets..2 * sets {
            if set.is_multiple_of(LOOK_AT_LIMITS) {
                session.check_limits()?;
            }
            self.add_set(set, &covering, space, edges, coverage.reset);
        }
        session.check_limits()
    }

    /// The cost from the initial states with all its goals open.
    fn whole(&self, edges: &Edges) -> u32 {
        let all = (1usize << self.goals.len()) - 1;
        let costs = &self.costs[all * self.states..][..edges.initial as usize];
        costs.iter().copied().min().unwrap_or(FAR)
    }

    /// Bits of its goals.
    pub(super) fn mask(&self) -> u64 {
        self.goals.iter().fold(0, |mask, goal| mask | 1 << goal)
    }

    /// A lower bound of the cost from a state with these goals open.
    pub(crate) fn bound(&self, state: u32, open: u64) -> u32 {
        self.costs[self.index(open) * self.states + state as usize]
    }

    /// The number of the set of those open goals that the table knows.
    fn index(&self, open: u64) -> usize {
        let bits = self.goals.iter().enumerate();
        bits.fold(0, |set, (bit, goal)| set | ((open >> goal & 1) as usize) << bit)
    }

    /// Computes the costs of one set from those of its subsets; `covering` are the edges along
    /// which goals of the table begin: from, to, and the set of them.
    fn add_set(
        &mut self,
        set: usize,
        covering: &[(u32, u32, usize)],
        space: &Space<'_>,
        edges: &Edges,
        reset: u32,
    ) {
        debug_assert_eq!(self.costs.len(), set * self.states, "sets should be added in order");
        self.costs.resize((set + 1) * self.states, FAR);
        let (smaller, costs) = self.costs.split_at_mut(set * self.states);
        let mut seeds = Vec::new();
        for &(from, to, goals) in covering.iter().filter(|&&(.., goals)| set & goals != 0) {
            let cost = sum(1, smaller[(set & !goals) * self.states + to as usize]);
            if cost < costs[from as usize] {
                costs[from as usize] = cost;
                seeds.push((cost, from));
            }
        }
        let sources = |state| space.states.sources(state).iter().copied();
        spread(costs, seeds, sources);
        let restart = (0..edges.initial).map(|state| costs[state as usize]).min().unwrap_or(FAR);
        let restart = sum(restart, reset);
        let gains = |&&end: &&u32| restart < costs[end as usize];
        let improved: Vec<_> = edges.ends.iter().filter(gains).map(|&end| (restart, end)).collect();
        improved.iter().for_each(|&(cost, end)| costs[end as usize] = cost);
        spread(costs, improved, sources);
    }

    /// The goal farthest off the best chains through the goals of the table; `None` if they pass
    /// all.
    fn farthest(
        &self,
        space: &Space<'_>,
        edges: &Edges,
        coverage: &Coverage<'_>,
        extras: Option<&Extras>,
        later: u64,
    ) -> Option<usize> {
        let all = (1usize << self.goals.len()) - 1;
        let mut off = vec![FAR; coverage.goals.len()];
        let (mut open, mut covered) = (all, 0);
        let start = |open: usize| {
            let cost = |&state: &u32| self.costs[open * self.states + state as usize];
            (0..edges.initial).min_by_key(cost)
        };
        let mut state = start(open)?;
        loop {
            for (position, off) in off.iter_mut().enumerate() {
                *off = (*off).min(coverage.to_goal[position][state as usize]);
            }
            let cost = self.costs[open * self.states + state as usize];
            if cost == 0 || cost == FAR {
                break;
            }
            match self.follow(state, open, cost, edges, space) {
                Some((next, rest, goals)) => (state, open, covered) = (next, rest, covered | goals),
                None => state = start(open)?,
            }
        }
        let missing = (0..coverage.goals.len()).filter(|&goal| (covered | self.mask()) >> goal & 1 == 0);
        let extra = |goal: usize| extras.map_or(0, |extras| extras.beside(goal, &self.goals));
        missing.max_by_key(|&goal| (later >> goal & 1 == 0, extra(goal), off[goal], std::cmp::Reverse(goal)))
    }

    /// A transition along the best way: the state after it, what is then open, and which goals
    /// begin. `None`: a new chain begins.
    fn follow(
        &self,
        state: u32,
        open: usize,
        cost: u32,
        edges: &Edges,
        space: &Space<'_>,
    ) -> Option<(u32, usize, u64)> {
        for &transition in space.states.from(state) {
            let found = edges.covering.binary_search_by_key(&(state, transition.to), |edge| (edge.0, edge.1));
            let mut along = vec![0];
            if let Ok(near) = found {
                let same = |edge: &&(u32, u32, u64)| (edge.0, edge.1) == (state, transition.to);
                let first = edges.covering[..near].iter().rev().take_while(same).count();
                along.extend(edges.covering[near - first..].iter().take_while(same).map(|edge| edge.2));
            }
            for goals in along {
                let rest = open & !self.index(goals);
                let tail = self.costs[rest * self.states + transition.to as usize];
                if sum(1, tail) == cost {
                    return Some((transition.to, rest, goals));
                }
            }
        }
        None
    }
}

/// What pairs of goals cost beyond one of them: which goals are worth a place in a table.
pub(super) struct Extras {
    goals: usize,
    /// By pair: the cost of both less that of the second one.
    costs: Vec<u32>,
}

impl Extras {
    /// `None`: too many states and pairs.
    pub(super) fn new(
        space: &Space<'_>,
        edges: &Edges,
        coverage: &Coverage<'_>,
        session: &Session<'_>,
    ) -> Result<Option<Self>, Stop> {
        let goals = coverage.goals.len();
        if (goals * goals * space.states.source_count()) as u64 > coverage.attempt.visits {
            return Ok(None);
        }
        let mut alone = vec![0; goals];
        let mut both = vec![0; goals * goals];
        for first in 0..goals {
            let mut single = Table::empty(edges, coverage);
            single.add_goal(first, space, edges, coverage, session)?;
            alone[first] = single.whole(edges);
            for second in 0..first {
                let mut pair = Table { goals: single.goals.clone(), costs: single.costs.clone(), ..single };
                pair.add_goal(second, space, edges, coverage, session)?;
                let cost = pair.whole(edges);
                (both[first * goals + second], both[second * goals + first]) = (cost, cost);
            }
        }
        let extra = |index: usize| both[index].saturating_sub(alone[index % goals]);
        Ok(Some(Self { goals, costs: (0..goals * goals).map(extra).collect() }))
    }

    /// What a goal costs beyond each of these, in total: how much it is in conflict with them.
    fn beside(&self, goal: usize, others: &[usize]) -> u32 {
        let extra = |&other: &usize| self.costs[goal * self.goals + other];
        others.iter().map(extra).fold(0, sum)
    }
}
