//! All that is known of a task while engines work on it: the one author of chains, bounds and
//! "proven".
//!
//! Facts only grow. Chains enter when they are better than the known ones, bounds and exclusions
//! when they say more. Each is compared with what is known: a chain below a proven bound or over an
//! excluded goal is a defect of the tool, and an error. Whether chains are minimal is never stored;
//! it follows from the bounds.

use crate::error::EngineError;
use crate::knowledge::bound::Bound;
use crate::knowledge::chains::{CheckedChain, first_occurrence, total};
use crate::knowledge::distances::{Proof, ReachGraph};
use crate::knowledge::facts::Fact;
use crate::knowledge::status::{GoalStatus, Minimality};
use crate::knowledge::task::Task;
use crate::knowledge::vertex::{ByVertex, Vertex, by_vertex};
use crate::session::{Engine, Session};
use model::system::GoalId;
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Who else works on the same task: other lanes, other processes.
pub(crate) trait Others: Debug + Send + Sync {
    /// Tells them what is known here, and learns what they know.
    ///
    /// # Errors
    /// If the two contradict each other.
    fn meet(&self, known: &mut Knowledge) -> Result<(), EngineError>;
    /// What is set as soon as all together know that at most so many goals are open.
    fn when_open(&self, most: usize) -> Arc<AtomicBool>;
}

/// See the module text.
#[derive(Clone, Debug)]
pub(crate) struct Knowledge {
    /// Price of a further chain in steps; `None`: more than any length.
    reset: Option<u64>,
    /// The goals in the order of their vertices.
    goals: Vec<GoalId>,
    chains: Vec<CheckedChain>,
    /// Why a goal is not covered, where that is known; the depot's entry is not used.
    statuses: ByVertex<Option<GoalStatus>>,
    bounds: Vec<Bound>,
    graph: Option<ReachGraph>,
    /// Greatest distance asked for.
    depth: u32,
    solver: String,
    notes: Vec<String>,
    others: Option<Arc<dyn Others>>,
}

/// Chains of lower rank are better: goals missed, then number and steps, or their price.
pub(crate) type Rank = (usize, u64, u64);

impl Knowledge {
    /// Nothing is known yet.
    pub(crate) fn nothing(task: &Task<'_>, reset: Option<u64>) -> Self {
        Self {
            reset,
            goals: task.goals(),
            chains: Vec::new(),
            statuses: by_vertex(task.len(), |_| None),
            bounds: Vec::new(),
            graph: None,
            depth: 0,
            solver: String::new(),
            notes: Vec::new(),
            others: None,
        }
    }

    /// The same but for what is known about distances, which finders do not ask for.
    pub(crate) fn without_distances(&self) -> Self {
        Self {
            goals: self.goals.clone(),
            chains: self.chains.clone(),
            statuses: self.statuses.clone(),
            bounds: self.bounds.clone(),
            graph: None,
            solver: String::new(),
            notes: Vec::new(),
            others: self.others.clone(),
            ..*self
        }
    }

    /// From now on these others hear of what is known here; `None`: nobody does.
    pub(crate) fn set_others(&mut self, others: Option<Arc<dyn Others>>) {
        self.others = others;
    }
    /// Who else works on the task.
    pub(crate) fn others(&self) -> Option<&Arc<dyn Others>> {
        self.others.as_ref()
    }
    /// Exchanges what is known with others, where there are any. Engines whose turns are long do so
    /// within them.
    ///
    /// # Errors
    /// If what they know contradicts what is known here.
    pub(crate) fn meet_others(&mut self) -> Result<(), EngineError> {
        match self.others.clone() {
            Some(others) => others.meet(self),
            None => Ok(()),
        }
    }

    /// The best chains.
    pub(crate) fn chains(&self) -> &[CheckedChain] {
        &self.chains
    }
    /// Why a goal is not covered, where an engine has said so; the depot's entry is not used.
    pub(crate) fn statuses(&self) -> &ByVertex<Option<GoalStatus>> {
        &self.statuses
    }
    /// What is known about distances; `None` where no engine asked for any.
    pub(crate) fn graph(&self) -> Option<&ReachGraph> {
        self.graph.as_ref()
    }
    pub(crate) fn graph_mut(&mut self) -> Option<&mut ReachGraph> {
        self.graph.as_mut()
    }
    /// Greatest distance or length asked for.
    pub(crate) fn depth(&self) -> u32 {
        self.graph.as_ref().map_or(0, ReachGraph::depth).max(self.depth)
    }
    /// Records that queries of that depth were asked.
    pub(crate) fn deepened(&mut self, depth: u32) {
        self.depth = self.depth.max(depth);
    }
    /// Name of the SAT solver that was asked.
    pub(crate) fn solver(&self) -> &str {
        &self.solver
    }
    /// What a user should know.
    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The goals that the best chains cover, ascending.
    pub(crate) fn covered(&self) -> Vec<Vertex> {
        self.covered_by(&self.chains)
    }
    /// Whether the best chains cover a goal.
    pub(crate) fn is_covered(&self, vertex: Vertex) -> bool {
        self.covers(&self.chains, vertex)
    }
    /// Whether it is proven that no chain covers a goal.
    pub(crate) fn is_excluded(&self, vertex: Vertex) -> bool {
        self.statuses[vertex].as_ref().is_some_and(is_exclusion)
    }
    /// The goals that are not excluded, ascending.
    pub(crate) fn possible_goals(&self) -> Vec<Vertex> {
        self.vertices().filter(|&vertex| !self.is_excluded(vertex)).collect()
    }
    /// The goals that are neither covered nor excluded, ascending.
    pub(crate) fn open_goals(&self) -> Vec<Vertex> {
        self.vertices().filter(|&vertex| !self.is_excluded(vertex) && !self.is_covered(vertex)).collect()
    }
    /// Number and total steps of the best chains.
    pub(crate) fn cost(&self) -> (usize, u64) {
        (self.chains.len(), total(&self.chains))
    }

    /// Takes chains that are better than the known ones: they cover more goals, or as many at a
    /// lower price. Where they cover other goals the two sets are united. Whether anything changed.
    ///
    /// # Errors
    /// If the chains contradict a proven bound or exclusion.
    pub(crate) fn offer(&mut self, chains: Vec<CheckedChain>) -> Result<bool, EngineError> {
        self.check(&chains)?;
        let misses_other = |vertex: Vertex| self.is_covered(vertex) != self.covers(&chains, vertex);
        let mut sets = Vec::new();
        if !chains.is_empty() && !self.chains.is_empty() && self.vertices().any(misses_other) {
            sets.push(self.united(&self.chains, &chains));
            sets.push(self.united(&chains, &self.chains));
        }
        sets.push(chains);
        let best = sets.into_iter().min_by_key(|set| self.rank(set)).unwrap_or_default();
        if best.is_empty() || (!self.chains.is_empty() && self.rank(&best) >= self.rank(&self.chains)) {
            return Ok(false);
        }
        self.check(&best)?;
        self.chains = best;
        Ok(true)
    }

    /// Puts other chains in the place of the best ones, whatever they cover: the caller has found
    /// out that these are what counts (executions of the whole system, with the results of the C
    /// library, with smoother inputs).
    ///
    /// # Errors
    /// If the chains contradict a proven bound or exclusion.
    pub(crate) fn replace(&mut self, chains: Vec<CheckedChain>) -> Result<(), EngineError> {
        self.check(&chains)?;
        self.chains = chains;
        Ok(())
    }

    /// Records what became of a goal that is not covered. An exclusion stays; a greater bound takes
    /// the place of a lesser one. Whether anything changed.
    pub(crate) fn decide(&mut self, vertex: Vertex, status: GoalStatus) -> Result<bool, EngineError> {
        if is_exclusion(&status) && self.is_covered(vertex) {
            return Err(EngineError::SelfCheck(format!("goal {vertex} is covered and proven unreachable")));
        }
        let is_news = match &self.statuses[vertex] {
            Some(known) => strength(known) < strength(&status),
            None => true,
        };
        if is_news {
            self.statuses[vertex] = Some(status);
        }
        Ok(is_news)
    }

    /// Records that a goal is unreachable, and tells of it as what that engine has found out.
    ///
    /// # Errors
    /// If a known chain covers it.
    pub(crate) fn exclude(
        &mut self,
        task: &Task<'_>,
        goal: Vertex,
        (engine, proof): (Engine, Proof),
        session: &Session<'_>,
    ) -> Result<(), EngineError> {
        let name = &task.system.goals[task.goal(goal)].name;
        session.record(engine, format!("{name} is unreachable: {proof}"));
        self.decide(goal, GoalStatus::Unreachable { proof }).map(drop)
    }

    /// Records a lower bound. Whether it says more than what is known.
    ///
    /// # Errors
    /// If the best chains contradict it.
    pub(crate) fn raise(&mut self, bound: Bound) -> Result<bool, EngineError> {
        let is_news = match self.bounds.iter_mut().find(|known| known.is_about_the_same(&bound)) {
            Some(known) => known.raise(&bound),
            None => {
                self.bounds.push(bound);
                true
            }
        };
        if is_news {
            self.check(&self.chains)?;
        }
        Ok(is_news)
    }

    /// Enters what is known of distances from Init: where goals occur along the best chains, and
    /// which ones are unreachable.
    pub(crate) fn enter_from_init(&self, graph: &mut ReachGraph) {
        for chain in &self.chains {
            let witness = Arc::clone(&chain.trace);
            for vertex in self.vertices() {
                if let Some(steps) = first_occurrence(&chain.run, self.goals[vertex.position()]) {
                    graph.found(Vertex::DEPOT, vertex, steps, Some(&witness), Engine::Simulation);
                }
            }
        }
        for vertex in self.vertices() {
            if let Some(GoalStatus::Unreachable { proof }) = &self.statuses[vertex] {
                graph.never(Vertex::DEPOT, vertex, proof.clone(), Engine::Sat);
            }
        }
    }
    /// Takes over bounds, witnesses and proofs about distances.
    pub(crate) fn learn_distances(&mut self, graph: &ReachGraph) {
        match &mut self.graph {
            Some(known) => known.take_all(graph),
            None => self.graph = Some(graph.clone()),
        }
    }
    /// Takes over bounds and statuses of a part of the system which has an execution for each one
    /// of the whole: `vertex` says which vertex here a goal there has. A set of chains of the
    /// system is one of as many chains of the same lengths of the part.
    ///
    /// # Errors
    /// If the best chains contradict any of it.
    pub(crate) fn learn_part(
        &mut self,
        part: &Self,
        vertex: impl Fn(Vertex) -> Vertex,
    ) -> Result<(), EngineError> {
        for own in part.vertices() {
            if let Some(status) = part.statuses[own].as_ref().filter(|_| !part.is_covered(own)) {
                self.decide(vertex(own), status.clone())?;
            }
        }
        for bound in &part.bounds {
            self.raise(bound.of_goals(&vertex))?;
        }
        self.deepened(part.depth());
        if self.solver.is_empty() {
            self.solver.clone_from(&part.solver);
        }
        for note in &part.notes {
            if !self.notes.contains(note) {
                self.note(note.clone());
            }
        }
        Ok(())
    }

    /// Takes over all that is known of the same task elsewhere, distances apart.
    ///
    /// # Errors
    /// If the two contradict each other.
    pub(crate) fn learn(&mut self, other: &Self) -> Result<(), EngineError> {
        self.learn_part(other, |vertex| vertex)?;
        if other.best_rank() < self.best_rank() || !other.covers_as_much(&self.chains) {
            self.offer(other.chains.clone())?;
        }
        Ok(())
    }

    /// Its bounds and exclusions.
    pub(crate) fn claims(&self) -> impl Iterator<Item = Fact> {
        let excluded = self.vertices().filter(|&vertex| !self.is_covered(vertex));
        let excluded = excluded.filter_map(|vertex| Fact::of_status(vertex, self.statuses[vertex].as_ref()?));
        self.bounds.iter().map(Bound::fact).chain(excluded)
    }

    /// How good the best chains are.
    pub(crate) fn best_rank(&self) -> Rank {
        self.rank(&self.chains)
    }

    /// Names the SAT solver that was asked.
    pub(crate) fn asked(&mut self, solver: String) {
        self.solver = solver;
    }
    /// Adds something that a user should know.
    pub(crate) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// The lower bound of the total length of as many chains that cover what the best ones cover.
    pub(crate) fn lower_bound(&self) -> u64 {
        self.lower_bound_of(&self.chains)
    }

    /// The lower bound for any set of as many chains that covers what these cover.
    fn lower_bound_of(&self, chains: &[CheckedChain]) -> u64 {
        let number = chains.len().max(1);
        self.bounds_about(chains).map(|bound| bound.steps(number)).max().unwrap_or(0)
    }

    /// The bounds that hold for whatever covers what these chains cover. While there is no chain and
    /// a goal is open, all bounds count: they are about the chains that are still sought.
    fn bounds_about(&self, chains: &[CheckedChain]) -> impl Iterator<Item = &Bound> {
        let covered = self.covered_by(chains);
        let is_sought = chains.is_empty() && !self.is_over();
        self.bounds.iter().filter(move |bound| is_sought || bound.is_within(&covered))
    }

    /// Whether engines have given up or excluded every goal.
    fn is_over(&self) -> bool {
        self.vertices().all(|vertex| self.statuses[vertex].is_some())
    }

    /// The lower bound of the total length of any number of chains that cover what the best ones
    /// cover.
    pub(crate) fn lower_bound_of_any(&self) -> u64 {
        self.bounds_about(&self.chains).map(Bound::steps_of_any).max().unwrap_or(0)
    }

    /// What is known about the minimality of the best chains.
    pub(crate) fn minimality(&self) -> Minimality {
        self.minimality_of(&self.chains)
    }

    /// What is known about the minimality of these chains among all that cover what they cover.
    pub(crate) fn minimality_of(&self, chains: &[CheckedChain]) -> Minimality {
        if chains.is_empty() {
            // Where no goal is left, nothing is the best there is.
            return if self.is_over() { Minimality::Proven } else { Minimality::Unknown };
        }
        let covered = self.covered_by(chains);
        let about = || self.bounds.iter().filter(|bound| bound.is_within(&covered));
        let steps = total(chains);
        let is_met = match self.reset {
            Some(reset) => {
                let price = price(chains, reset);
                about().any(|bound| bound.price(reset).is_some_and(|least| price <= least))
            }
            None => {
                let fewest = about().map(Bound::chains).max().unwrap_or(1);
                fewest >= chains.len() && steps <= self.lower_bound_of(chains)
            }
        };
        match (is_met, self.bounds.is_empty()) {
            (true, _) => Minimality::Proven,
            (false, false) => Minimality::Gap,
            (false, true) => Minimality::Unknown,
        }
    }

    /// Whether these chains cover all that the best ones cover.
    pub(crate) fn covers_as_much(&self, chains: &[CheckedChain]) -> bool {
        self.covered().into_iter().all(|vertex| self.covers(chains, vertex))
    }

    /// Whether nothing is left to find out: every goal is covered or excluded, and the chains are
    /// proven minimal or within `gap` of the bound, as a share of their steps.
    pub(crate) fn is_settled(&self, gap: f64) -> bool {
        let decided = self.open_goals().is_empty();
        let steps = total(&self.chains);
        let distance = steps.saturating_sub(self.lower_bound());
        decided
            && (self.minimality() == Minimality::Proven
                || (gap > 0.0 && !self.chains.is_empty() && distance as f64 <= gap * steps as f64))
    }

    fn vertices(&self) -> impl Iterator<Item = Vertex> + use<> {
        Vertex::goals(self.goals.len())
    }
    fn goal(&self, vertex: Vertex) -> GoalId {
        self.goals[vertex.position()]
    }
    fn covers(&self, chains: &[CheckedChain], vertex: Vertex) -> bool {
        chains.iter().any(|chain| chain.covers(self.goal(vertex)))
    }
    fn covered_by(&self, chains: &[CheckedChain]) -> Vec<Vertex> {
        self.vertices().filter(|&vertex| self.covers(chains, vertex)).collect()
    }

    /// How good chains are.
    pub(crate) fn rank(&self, chains: &[CheckedChain]) -> Rank {
        let missed = self.goals.len() - self.covered_by(chains).len();
        match self.reset {
            Some(reset) => (missed, 0, price(chains, reset)),
            None => (missed, chains.len() as u64, total(chains)),
        }
    }

    /// The chains, and those of the others that cover further goals; none that the rest makes
    /// superfluous.
    fn united(&self, chains: &[CheckedChain], others: &[CheckedChain]) -> Vec<CheckedChain> {
        let mut united = chains.to_vec();
        for other in others {
            let is_new = |vertex: Vertex| other.covers(self.goal(vertex)) && !self.covers(&united, vertex);
            if self.vertices().any(is_new) {
                united.push(other.clone());
            }
        }
        let all = self.covered_by(&united).len();
        let mut number = 0;
        while number < united.len() {
            let chain = united.remove(number);
            if self.covered_by(&united).len() < all {
                united.insert(number, chain);
                number += 1;
            }
        }
        united
    }

    /// Fails where chains contradict what is proven.
    fn check(&self, chains: &[CheckedChain]) -> Result<(), EngineError> {
        if chains.is_empty() {
            return Ok(());
        }
        let covered = self.covered_by(chains);
        if let Some(vertex) = covered.iter().find(|&&vertex| self.is_excluded(vertex)) {
            return Err(EngineError::SelfCheck(format!(
                "a chain covers goal {vertex}, which is proven unreachable"
            )));
        }
        let (number, steps) = (chains.len(), total(chains));
        for bound in self.bounds.iter().filter(|bound| bound.is_within(&covered)) {
            if number < bound.chains() || steps < bound.steps(number) {
                return Err(EngineError::SelfCheck(format!(
                    "{number} chains of {steps} steps undercut a proven bound of {} steps",
                    bound.steps(number)
                )));
            }
        }
        Ok(())
    }
}

/// What chains cost, where each after the first one costs `reset`.
pub(crate) fn price(chains: &[CheckedChain], reset: u64) -> u64 {
    total(chains).saturating_add(reset.saturating_mul((chains.len() as u64).saturating_sub(1)))
}

fn is_exclusion(status: &GoalStatus) -> bool {
    matches!(status, GoalStatus::Unreachable { .. } | GoalStatus::EndUnreachable { .. })
}

/// The greater it is the more is said.
fn strength(status: &GoalStatus) -> (u8, u32) {
    match *status {
        GoalStatus::NotChained => (0, 0),
        GoalStatus::Undecided { bound } => (1, bound),
        GoalStatus::EndUndecided { bound } => (2, bound),
        GoalStatus::EndUnreachable { .. } => (3, 0),
        GoalStatus::Unreachable { .. } => (4, 0),
        GoalStatus::Covered { .. } => (5, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::bound::Claim;
    use crate::knowledge::chains::longest_run;
    use crate::knowledge::distances::Proof;
    use crate::knowledge::task::all_goals;
    use crate::knowledge::vertex::numbered;
    use model::id::Id;
    use model::sort::Sort;
    use model::text::parse;
    use model::trace::{Start, Trace};
    use model::validate::{Validated, validate};
    use model::value::Value;

    const TEXT: &str = "system pair input go w1 state n w4 next (ite go (add n 1) n)
        goal on when go goal one when (and (not go) (eq n 1)) goal two when (eq n 2)";

    fn system() -> Validated {
        validate(parse(TEXT).expect("the text should parse")).expect("it should be well-formed")
    }

    fn chain(task: &Task<'_>, inputs: &[u128]) -> CheckedChain {
        let inputs = inputs.iter().map(|&bit| vec![Value::new(Sort::TRUTH, bit)]).collect();
        longest_run(task, &Trace { start: Start::Initial(Vec::new()), inputs }).expect("it should run")
    }

    fn numbers(goals: &[Vertex]) -> Vec<usize> {
        goals.iter().map(|goal| goal.index()).collect()
    }

    fn fewest(chains: usize, steps: u64) -> Claim {
        Claim::Fewest { chains, steps }
    }

    /// Price of a reset, chains by their inputs, claims about goals, and what follows: the bound,
    /// and minimality.
    #[test]
    fn minimality_follows_from_bounds_about_what_is_covered() {
        let system = system();
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let one: &[&[u128]] = &[&[1, 0]];
        let two: &[&[u128]] = &[&[1], &[1, 0]];
        let price = Claim::Price { reset: 10, least: 13 };
        type Row<'r> = (Option<u64>, &'r [&'r [u128]], &'r [(&'r [usize], Claim)], u64, Minimality);
        let table: &[Row<'_>] = &[
            (None, one, &[], 0, Minimality::Unknown),
            (None, one, &[(&[1, 2], fewest(1, 1))], 1, Minimality::Gap),
            (None, one, &[(&[1, 2], fewest(1, 2))], 2, Minimality::Proven),
            (
                None,
                one,
                &[(&[1], Claim::Steps(1)), (&[2], Claim::Of { chains: 1, steps: 2 })],
                2,
                Minimality::Proven,
            ),
            // What is proven of more goals than are covered says nothing.
            (None, one, &[(&[1, 2, 3], fewest(1, 2))], 0, Minimality::Gap),
            (None, two, &[(&[1, 2], fewest(1, 2))], 0, Minimality::Gap),
            (
                None,
                two,
                &[(&[1, 2], fewest(1, 2)), (&[1, 2], Claim::Of { chains: 2, steps: 3 })],
                3,
                Minimality::Gap,
            ),
            (None, two, &[(&[1, 2], fewest(2, 3))], 3, Minimality::Proven),
            (Some(10), two, &[(&[1, 2], fewest(2, 3))], 3, Minimality::Gap),
            (Some(10), two, &[(&[1, 2], price)], 3, Minimality::Proven),
            (Some(20), two, &[(&[1, 2], price)], 3, Minimality::Gap),
            (Some(10), one, &[(&[1, 2], Claim::Steps(2))], 2, Minimality::Proven),
        ];
        for (number, &(reset, chains, claims, bound, minimal)) in table.iter().enumerate() {
            let mut known = Knowledge::nothing(&task, reset);
            known.replace(chains.iter().map(|inputs| chain(&task, inputs)).collect()).expect("chains");
            for &(goals, claim) in claims {
                let goals: Vec<Vertex> = goals.iter().map(|&goal| Vertex::new(goal)).collect();
                assert!(known.raise(Bound::new(&goals, claim)).expect("a bound"), "row {number}");
                assert!(!known.raise(Bound::new(&goals, claim)).expect("a bound"), "row {number}: no news");
            }
            assert_eq!((known.lower_bound(), known.minimality()), (bound, minimal), "row {number}");
        }
    }

    #[test]
    fn only_better_chains_are_taken_and_none_is_lost() {
        let system = system();
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let mut known = Knowledge::nothing(&task, None);
        let mut offer = |chains: &[&[u128]]| {
            let taken = known.offer(chains.iter().map(|inputs| chain(&task, inputs)).collect());
            (taken.expect("no contradiction"), known.cost(), numbers(&known.open_goals()))
        };
        assert_eq!(offer(&[&[1]]), (true, (1, 1), vec![2, 3]));
        assert_eq!(offer(&[]), (false, (1, 1), vec![2, 3]));
        assert_eq!(offer(&[&[0, 0, 1]]), (false, (1, 1), vec![2, 3]));
        assert_eq!(offer(&[&[1, 1, 0]]), (true, (1, 3), vec![2]), "it covers what the first one does");
        assert_eq!(offer(&[&[1, 0]]), (true, (2, 5), vec![]), "both together cover all");
        assert_eq!(offer(&[&[1, 0, 1, 0]]), (true, (1, 4), vec![]));
        assert_eq!(offer(&[&[1, 0, 1, 0, 0]]), (false, (1, 4), vec![]));
    }

    #[test]
    fn contradictions_are_defects_of_the_tool() {
        let system = system();
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let known = |inputs: &[u128]| {
            let mut known = Knowledge::nothing(&task, None);
            known.offer(vec![chain(&task, inputs)]).expect("no contradiction");
            known
        };
        let [first, second] = numbered([1, 2]);
        let excluded = || GoalStatus::Unreachable { proof: Proof::Invariant };
        assert!(
            known(&[1, 0]).raise(Bound::new(&[first], fewest(1, 3))).is_err(),
            "a shorter chain is known"
        );
        assert!(known(&[1, 0]).raise(Bound::new(&[first], fewest(2, 0))).is_err(), "one chain does");
        assert!(known(&[1, 0]).decide(first, excluded()).is_err(), "it is covered");
        let mut known = known(&[1]);
        known.decide(second, excluded()).expect("nothing covers it");
        assert!(known.offer(vec![chain(&task, &[1, 0])]).is_err(), "it was excluded");
        assert!(!known.decide(second, GoalStatus::Undecided { bound: 9 }).expect("less"), "exclusions stay");
        assert!(known.is_excluded(second));
    }

    /// A gap that is asked for is enough where all goals are decided.
    #[test]
    fn a_gap_may_be_enough() {
        let system = system();
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let mut known = Knowledge::nothing(&task, None);
        known.offer(vec![chain(&task, &[1, 0, 1, 0])]).expect("no contradiction");
        known.raise(Bound::new(&numbered([1, 2, 3]), fewest(1, 3))).expect("no contradiction");
        assert_eq!([0.0, 0.2, 0.25].map(|gap| known.is_settled(gap)), [false, false, true]);
    }
}
