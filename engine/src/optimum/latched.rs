//! One query for a whole chain, in any order: "is there a chain of at most n steps?"
//!
//! Every goal gets a position: `begun(g, t)` says that its chosen occurrence begins at t or before
//! (order encoding). What is known about distances is added as clauses over positions, as in
//! job-shop scheduling: for two goals a, b either a begins not after b and then at least W(a, b)
//! earlier, or the other way round; for a learned sub-path likewise. These clauses are implied by
//! the system, but only by long resolution proofs: with them most refutations need no look at the
//! system at all. Without them (`Told::None`) this is the plain monolithic encoding.
//!
//! Queries with growing n share one solver. A negative answer raises the proven bound; a positive
//! answer is a chain.

use crate::knowledge::distances::ReachGraph;
use crate::knowledge::path_costs::Window;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::session::{Session, Stop};
use crate::step::bmc_solver::BmcSolver;
use crate::step::bmc_solver::{Answer, Effort};
use encoder::EncodeError;
use encoder::unroll::Start;
use rustc_hash::FxHashMap;
use solver::sat::Lit;

/// What is told to the solver besides the system.
#[derive(Clone, Copy)]
pub(crate) enum Told<'a> {
    /// Nothing.
    None,
    /// Bounds on distances and sub-paths.
    Bounds(&'a ReachGraph, &'a [Window]),
}

/// The chains of one unfolding; see the module text.
pub(crate) struct Latched<'s> {
    task: &'s Task<'s>,
    goals: Vec<Vertex>,
    unfolding: BmcSolver<'s>,
    /// For each goal (by position in `goals`) and time: the literal `begun`; `None` where it is
    /// known to be false.
    begun: Vec<Vec<Option<Lit>>>,
    /// For goals at positions a < b: true where a begins not after b.
    before: FxHashMap<(usize, usize), Lit>,
    /// For each length: a chain of at most that many steps; `None` where it is known that there is
    /// none.
    within: Vec<Option<Lit>>,
}

impl<'s> Latched<'s> {
    /// Chains that cover `goals`.
    pub(crate) fn new(
        task: &'s Task<'s>,
        goals: &[Vertex],
        session: &Session<'_>,
    ) -> Result<Self, EncodeError> {
        Ok(Self {
            task,
            goals: goals.to_vec(),
            unfolding: BmcSolver::new(task, Start::Initial, session)?,
            begun: vec![Vec::new(); goals.len()],
            before: FxHashMap::default(),
            within: Vec::new(),
        })
    }

    /// Number of time steps that are encoded.
    pub(crate) fn encoded(&self) -> u32 {
        self.within.len() as u32
    }
    /// Name of the solver.
    pub(crate) fn solver_name(&self) -> String {
        self.unfolding.solver_name()
    }

    /// Looks for a chain of at most `steps` steps. What is told may grow from call to call; what it
    /// says about times encoded before is not told again.
    pub(crate) fn within(
        &mut self,
        steps: u32,
        told: Told<'_>,
        effort: Effort,
        session: &Session<'_>,
    ) -> Result<Answer, Stop> {
        while self.within.len() <= steps as usize {
            session.check_limits()?;
            self.encode_next(told)?;
        }
        match self.within[steps as usize] {
            Some(wanted) => self.unfolding.look_for(session, &[wanted], steps, effort),
            None => Ok(Answer::None),
        }
    }

    /// Encodes one more time step.
    fn encode_next(&mut self, told: Told<'_>) -> Result<(), EncodeError> {
        let time = self.within.len() as u32;
        for position in 0..self.goals.len() {
            self.encode_position(position, time, told)?;
        }
        if let Told::Bounds(graph, windows) = told {
            self.separate_pairs(time, graph);
            self.separate_windows(time, windows);
        }
        self.encode_end(time, told)
    }

    /// `begun(g, t)` implies `begun(g, t - 1)` or an occurrence at t, and is implied by `begun(g,
    /// t - 1)`.
    fn encode_position(&mut self, position: usize, time: u32, told: Told<'_>) -> Result<(), EncodeError> {
        let goal = self.goals[position];
        let earliest = match told {
            Told::None => Some(0),
            Told::Bounds(graph, _) => graph.lower(Vertex::DEPOT, goal),
        };
        let possible = earliest.is_some_and(|earliest| earliest <= time);
        let begun = if possible {
            let occurs = self.unfolding.event(goal, time)?;
            let begun = self.unfolding.solver().fresh().positive();
            let mut clause = vec![!begun, occurs];
            if let Some(earlier) = self.begun_by(position, i64::from(time) - 1) {
                clause.push(earlier);
                self.unfolding.solver().clause(&[!earlier, begun]);
            }
            self.unfolding.solver().clause(&clause);
            Some(begun)
        } else {
            None
        };
        self.begun[position].push(begun);
        Ok(())
    }

    fn begun_by(&self, position: usize, time: i64) -> Option<Lit> {
        let time = usize::try_from(time).ok()?;
        self.begun[position].get(time).copied().flatten()
    }

    /// The literal that the goal at position `a` begins not after the one at `b`.
    fn order_literal(&mut self, a: usize, b: usize) -> Lit {
        let key = (a.min(b), a.max(b));
        let literal = match self.before.get(&key) {
            Some(&literal) => literal,
            None => {
                let literal = self.unfolding.solver().fresh().positive();
                self.before.insert(key, literal);
                literal
            }
        };
        if a < b { literal } else { !literal }
    }

    /// If a begins not after b, and b has begun by `time`, then a had begun W(a, b) steps before.
    fn separate_pairs(&mut self, time: u32, graph: &ReachGraph) {
        for a in 0..self.goals.len() {
            for b in (0..self.goals.len()).filter(|&b| b != a) {
                let order = self.order_literal(a, b);
                let gap = graph.lower(self.goals[a], self.goals[b]);
                self.separate(&[order], a, b, gap, time);
            }
        }
    }

    /// If the goals of a learned sub-path begin in its order, its ends are as far apart as was
    /// learned.
    fn separate_windows(&mut self, time: u32, windows: &[Window]) {
        for window in windows {
            let inner = window.vertices.iter().filter(|vertex| !vertex.is_depot());
            let positions = inner.map(|goal| self.goals.iter().position(|known| known == goal));
            let Some(positions) = positions.collect::<Option<Vec<usize>>>() else { continue };
            if window.vertices.last() == Some(&Vertex::DEPOT) {
                continue;
            }
            let orders: Vec<Lit> =
                positions.windows(2).map(|pair| self.order_literal(pair[0], pair[1])).collect();
            let (first, last) = (positions[0], positions[positions.len() - 1]);
            match window.vertices[0].is_depot() {
                true => self.not_before(&orders, last, window.steps, time),
                false => self.separate(&orders, first, last, window.steps, time),
            }
        }
    }

    fn separate(&mut self, orders: &[Lit], a: usize, b: usize, gap: Option<u32>, time: u32) {
        let Some(later) = self.begun_by(b, i64::from(time)) else { return };
        let mut clause: Vec<Lit> = orders.iter().map(|&order| !order).collect();
        clause.push(!later);
        if let Some(gap) = gap {
            clause.extend(self.begun_by(a, i64::from(time) - i64::from(gap)));
        }
        self.unfolding.solver().clause(&clause);
    }

    fn not_before(&mut self, orders: &[Lit], position: usize, earliest: Option<u32>, time: u32) {
        let Some(begun) = self.begun_by(position, i64::from(time)) else { return };
        if earliest.is_none_or(|earliest| time < earliest) {
            let mut clause: Vec<Lit> = orders.iter().map(|&order| !order).collect();
            clause.push(!begun);
            self.unfolding.solver().clause(&clause);
        }
    }

    /// `within(t)` implies `within(t - 1)` or that a chain ends exactly at t.
    fn encode_end(&mut self, time: u32, told: Told<'_>) -> Result<(), EncodeError> {
        let mut required = Vec::new();
        for (position, &goal) in self.goals.iter().enumerate() {
            let after = match told {
                Told::None => Some(self.task.steps(goal)),
                Told::Bounds(graph, _) => graph.lower(goal, Vertex::DEPOT),
            };
            required
                .push(after.and_then(|after| self.begun_by(position, i64::from(time) - i64::from(after))));
        }
        let required: Option<Vec<Lit>> = required.into_iter().collect();
        let earlier = self.within.last().copied().flatten();
        let within = match required {
            None => earlier,
            Some(required) => {
                let ends = self.unfolding.solver().fresh().positive();
                let event = self.unfolding.event(Vertex::DEPOT, time)?;
                let solver = self.unfolding.solver();
                solver.clause(&[!ends, event]);
                required.iter().for_each(|&begun| solver.clause(&[!ends, begun]));
                match earlier {
                    None => Some(ends),
                    Some(earlier) => {
                        let within = solver.fresh().positive();
                        solver.clause(&[!within, earlier, ends]);
                        Some(within)
                    }
                }
            }
        };
        self.within.push(within);
        Ok(())
    }
}
