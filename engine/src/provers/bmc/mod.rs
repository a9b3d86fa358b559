//! Bounded reachability by incremental SAT (Algorithm 10 of the paper).
//!
//! Unfoldings from a free state serve the edges between goals, one for each [lane](lanes), one from
//! the initial state those out of Init. A query of depth k asks for a run in which the source
//! occurs at 0 and any of the open targets at k; the run found is replayed by the evaluator, which
//! settles every target that occurs at k, and the query is repeated without them until it fails.
//!
//! Sequences of more than two vertices and proofs have an unfolding of their own: what becomes of a
//! query that is given up after so many conflicts depends on what its solver was asked before, and
//! must not depend on the number of threads.

mod lanes;

use crate::knowledge::distances::{Proof, ReachGraph};
use crate::knowledge::task::{Guessed, Task};
use crate::knowledge::vertex::{ByVertex, Vertex, by_vertex};
use crate::provers::distance_engine::DistanceEngine;
use crate::provers::houdini::TwinGuesses;
use crate::provers::intervals::{BUDGET, enter_bounds};
use crate::provers::pdr::{self, Prover, Verdict};
use crate::session::Engine;
use crate::session::{Session, Stop};
use crate::step::bmc_solver::BmcSolver;
use crate::step::bmc_solver::{Answer, Effort};
use crate::step::cases::{Cases, Modes};
use crate::step::sequence::Ladders;
use crate::step::size::Size;
use crate::step::twin_terms::TwinTerms;
use encoder::EncodeError;
use encoder::unroll::Start;
use lanes::{Distances, Lanes, Question};
use model::trace::Trace;
use model::value::Value;

/// See the module text.
pub(crate) struct Bounded<'s> {
    task: &'s Task<'s>,
    from_init: Runs<'s>,
    /// For sequences and proofs; made when it is first needed.
    from_anywhere: Option<Runs<'s>>,
    /// For distances between goals.
    lanes: Lanes<'s>,
    /// By source.
    provers: ByVertex<Option<Prover<'s>>>,
    /// By source: queries its prover may still cost. Grows with the depth of bounded queries, so
    /// that the two engines are in balance.
    allowances: ByVertex<u64>,
    /// By source and target: the prover has found a run.
    hopeless: ByVertex<ByVertex<bool>>,
    /// What is guessed about twins; made when it is first needed.
    guesses: Option<TwinGuesses>,
    deepest: u32,
}

/// What came of an attempt to exclude a pair.
enum Attempt {
    Proven(Proof),
    /// A run of unknown length exists.
    Hopeless,
    Unknown,
}

/// Bounds by ranges below this are not entered: they are seldom exact, and a query that begins
/// there, without what shallower ones have taught the solver, is harder than those are together.
const DEEP: u32 = 64;
/// Most reachable states that guessed invariants are compared with.
const MOST_STARTS: usize = 20_000;
/// Conflicts that a query about a case may cost.
const CONFLICTS_OF_CASES: u64 = 2_000;
/// Queries of property directed reachability that a source may cost before its bounded queries have
/// cost anything.
const FIRST_ALLOWANCE: u64 = 300;

/// Deepest unrolling that is worth its time, unless `max_k` asks for more.
const MOST_STEPS: u32 = 1_500;
/// Deepest unrolling that is tried however large the step is.
const FEW_STEPS: u32 = 24;
/// Most gates that an unrolling is to have: each takes some 90 bytes, with its clauses, and there
/// may be several unrollings.
const MOST_GATES: usize = 6_000_000;

/// How deep the runs of a task are unrolled at most.
fn deepest(task: &Task<'_>, session: &Session<'_>) -> u32 {
    let affordable = Size::of(task.system).gates.map_or(0, |gates| MOST_GATES / gates.max(1));
    let wanted = session.options.max_k.unwrap_or(0).max(MOST_STEPS);
    u32::try_from(affordable).unwrap_or(u32::MAX).max(FEW_STEPS).min(wanted)
}

/// An unfolding and the sequences asked of it.
struct Runs<'s> {
    unfolding: BmcSolver<'s>,
    ladders: Ladders,
}

impl<'s> Runs<'s> {
    fn new(task: &'s Task<'s>, start: Start, session: &Session<'_>) -> Result<Self, EncodeError> {
        Ok(Self { unfolding: BmcSolver::new(task, start, session)?, ladders: Ladders::new() })
    }
}

impl<'s> Bounded<'s> {
    pub(crate) fn new(task: &'s Task<'s>, session: &Session<'_>) -> Result<Self, EncodeError> {
        Ok(Self {
            task,
            from_init: Runs::new(task, Start::Initial, session)?,
            from_anywhere: None,
            lanes: Lanes::new(task),
            provers: by_vertex(task.len(), |_| None),
            allowances: by_vertex(task.len(), |_| FIRST_ALLOWANCE),
            hopeless: by_vertex(task.len(), |_| by_vertex(task.len(), |_| false)),
            guesses: None,
            deepest: deepest(task, session),
        })
    }

    fn runs(
        &mut self,
        source: Vertex,
        graph: &ReachGraph,
        session: &Session<'_>,
    ) -> Result<&mut Runs<'s>, Stop> {
        if source.is_depot() { Ok(&mut self.from_init) } else { self.anywhere(graph, session) }
    }

    fn anywhere(&mut self, graph: &ReachGraph, session: &Session<'_>) -> Result<&mut Runs<'s>, Stop> {
        self.guess_invariants(graph, session)?;
        if self.from_anywhere.is_none() {
            self.from_anywhere = Some(Runs::new(self.task, Start::Free, session)?);
        }
        Ok(self.from_anywhere.as_mut().expect("runs from a free state should be there by now"))
    }

    /// Guesses invariants and sets up runs from a free state, as far as that was not done: what
    /// each proof needs first.
    pub(crate) fn prepare_proofs(&mut self, graph: &ReachGraph, session: &Session<'_>) -> Result<(), Stop> {
        self.anywhere(graph, session).map(drop)
    }

    fn guess_invariants(&mut self, graph: &ReachGraph, session: &Session<'_>) -> Result<(), Stop> {
        if self.task.has_guessed(Guessed::All) {
            return Ok(());
        }
        let task = self.task;
        let guesses = self.guesses(graph, session)?;
        session.stage("invariants", || guesses.complete(task, session))
    }

    fn guesses(&mut self, graph: &ReachGraph, session: &Session<'_>) -> Result<&mut TwinGuesses, Stop> {
        if self.guesses.is_none() {
            let starts = self.witnessed_states(graph, session)?;
            self.guesses = Some(TwinGuesses::new(self.task, &starts, session));
        }
        Ok(self.guesses.as_mut().expect("guesses should be there by now"))
    }

    /// States on known ways to goals.
    fn witnessed_states(&self, graph: &ReachGraph, session: &Session<'_>) -> Result<Vec<Vec<Value>>, Stop> {
        // Witnesses of many goals are often beginnings of the same chain.
        let mut witnesses: Vec<&Trace> =
            self.task.vertices().filter_map(|goal| graph.witness(Vertex::DEPOT, goal)).collect();
        witnesses.sort_by_key(|witness| std::cmp::Reverse(witness.inputs.len()));
        let mut longest: Vec<&Trace> = Vec::new();
        let mut starts = Vec::new();
        for witness in witnesses {
            session.check_limits()?;
            let begins =
                |other: &&Trace| other.start == witness.start && other.inputs.starts_with(&witness.inputs);
            if starts.len() < MOST_STARTS && !longest.iter().any(begins) {
                starts.extend(self.task.states_of(witness, MOST_STARTS - starts.len()));
                longest.push(witness);
            }
        }
        Ok(starts)
    }

    /// Says how many queries of property directed reachability from a source may cost from now on.
    pub(crate) fn allow(&mut self, source: Vertex, queries: u64) {
        self.allowances[source] = queries;
    }

    /// Tries to exclude a pair: by the invariants, then by property directed reachability within
    /// the source's allowance.
    fn prove(
        &mut self,
        source: Vertex,
        target: Vertex,
        graph: &ReachGraph,
        session: &Session<'_>,
    ) -> Result<Attempt, Stop> {
        let unfolding = &mut self.anywhere(graph, session)?.unfolding;
        let event = unfolding.event(target, 0)?;
        if !unfolding.ask(session, &[event])? {
            return Ok(Attempt::Proven(Proof::Invariant));
        }
        let prover = match &mut self.provers[source] {
            Some(prover) => prover,
            empty => empty.insert(Prover::new(self.task, source, session)?),
        };
        let allowance = &mut self.allowances[source];
        let (verdict, spent) = match prover.exclude(pdr::Question::Event(target), *allowance, session) {
            Ok(answer) => answer,
            Err(halt) => {
                // It was interrupted at work: the next attempt begins anew.
                self.provers[source] = None;
                return Err(halt);
            }
        };
        *allowance -= spent;
        Ok(match verdict {
            Verdict::Never { clauses } => {
                *allowance += spent;
                Attempt::Proven(Proof::Inductive { clauses })
            }
            Verdict::Happens => Attempt::Hopeless,
            Verdict::Unknown => Attempt::Unknown,
        })
    }

    /// Excludes what cannot occur by what holds of twins, as far as that is soon told: versions
    /// that nobody can tell apart mostly need no more.
    pub(crate) fn exclude_by_twins(
        &mut self,
        targets: &[Vertex],
        graph: &mut ReachGraph,
        session: &Session<'_>,
    ) -> Result<(), Stop> {
        let task = self.task;
        let guesses = self.guesses(graph, session)?;
        let mut targets = targets.to_vec();
        while !targets.is_empty() {
            let found = session.stage("invariants", || guesses.advance(task, session))?;
            let Some(modes) = found else { break };
            let (mut open, mut is_hard) = (Vec::new(), false);
            for target in targets {
                match never_in_any_case(task, target, (modes, guesses.terms()), session)? {
                    Some(true) => graph.never(Vertex::DEPOT, target, Proof::Invariant, Engine::Sat),
                    answer => {
                        is_hard |= answer.is_none();
                        open.push(target);
                    }
                }
            }
            targets = open;
            if is_hard {
                guesses.look_closer();
            }
            guesses.go_on();
        }
        Ok(())
    }

    /// Enters the answer to a question about distances.
    fn enter(&mut self, answer: &Distances, graph: &mut ReachGraph) {
        let Distances { question: Question { source, depth, .. }, found, refuted } = answer;
        for (target, witness) in found {
            let is_kept = source.is_depot() || !self.task.calls().is_empty();
            let witness = is_kept.then_some(witness);
            graph.found(*source, *target, *depth, witness, Engine::Sat);
        }
        for &target in refuted {
            graph.raise(*source, target, depth + 1, Engine::Sat);
        }
        graph.asked(*depth);
        self.allowances[*source] += u64::from(*depth);
    }
}

/// Whether the invariants exclude a target in each of the cases that these modes tell apart; `None`
/// where that is hard to say.
fn never_in_any_case(
    task: &Task<'_>,
    target: Vertex,
    (modes, terms): (Modes, Option<&TwinTerms>),
    session: &Session<'_>,
) -> Result<Option<bool>, Stop> {
    let facts = task.facts();
    let Some(condition) = task.condition(target).filter(|_| !facts.is_empty()) else {
        return Ok(Some(false));
    };
    let mut cases = Cases::new(&facts, modes, terms);
    while let Some(mut frames) = cases.next(task, &[], session)? {
        let event = [frames.literal(condition, 0)?, frames.running(task.steps(target))?];
        match frames.ask(&event, CONFLICTS_OF_CASES, session)? {
            Some(true) => return Ok(Some(false)),
            Some(false) => {}
            None => return Ok(None),
        }
    }
    Ok(Some(true))
}

impl DistanceEngine for Bounded<'_> {
    fn solver_name(&self) -> String {
        self.from_init.unfolding.solver_name()
    }

    fn engine(&self) -> Engine {
        Engine::Sat
    }

    fn deepest(&self) -> u32 {
        self.deepest
    }

    fn raise_all(&mut self, graph: &mut ReachGraph, session: &Session<'_>) -> Result<(), Stop> {
        self.guess_invariants(graph, session)?;
        let sources: Vec<Vertex> = graph.vertices().collect();
        session.stage("ranges", || enter_bounds(self.task, graph, &sources, (DEEP, BUDGET), session))?;
        Ok(())
    }

    fn deepen(
        &mut self,
        source: Vertex,
        targets: &[Vertex],
        graph: &mut ReachGraph,
        session: &Session<'_>,
    ) -> Result<(), Stop> {
        self.deepen_each(&[(source, targets.to_vec())], graph, session)
    }

    fn deepen_each(
        &mut self,
        tasks: &[(Vertex, Vec<Vertex>)],
        graph: &mut ReachGraph,
        session: &Session<'_>,
    ) -> Result<(), Stop> {
        let questions = tasks.iter().filter_map(|(source, targets)| Question::new(*source, targets, graph));
        let (from_init, between): (Vec<Question>, Vec<Question>) =
            questions.partition(|question| question.source.is_depot());
        if !between.is_empty() {
            self.guess_invariants(graph, session)?;
        }
        for question in from_init {
            let answer = question.ask(self.task, &mut self.from_init.unfolding, session)?;
            self.enter(&answer, graph);
        }
        let (answers, ended) = self.lanes.ask(between, session);
        answers.iter().for_each(|answer| self.enter(answer, graph));
        ended
    }

    fn exclude(
        &mut self,
        source: Vertex,
        target: Vertex,
        graph: &mut ReachGraph,
        session: &Session<'_>,
    ) -> Result<bool, Stop> {
        let Some(lower) = graph.lower(source, target) else { return Ok(true) };
        let is_hopeless = self.hopeless[source][target];
        if graph.upper(source, target).is_some() || is_hopeless || lower < self.task.steps(source) {
            return Ok(false);
        }
        let proof = session.stage("proof", || self.prove(source, target, graph, session))?;
        match proof {
            Attempt::Proven(proof) => graph.never(source, target, proof, Engine::Sat),
            Attempt::Hopeless => self.hopeless[source][target] = true,
            Attempt::Unknown => {}
        }
        Ok(graph.lower(source, target).is_none())
    }

    fn sequence(
        &mut self,
        sequence: &[Vertex],
        steps: u32,
        graph: &ReachGraph,
        effort: Effort,
        session: &Session<'_>,
    ) -> Result<Answer, Stop> {
        let task = self.task;
        let Runs { unfolding, ladders } = self.runs(sequence[0], graph, session)?;
        let Some(literal) = ladders.within(sequence, steps, graph, task, unfolding, session)? else {
            return Ok(Answer::None);
        };
        let last = task.steps(*sequence.last().expect("a sequence should not be empty"));
        unfolding.look_for(session, &[literal], steps + last, effort)
    }

    fn nearest(
        &mut self,
        state: &[Value],
        targets: &[Vertex],
        steps: u32,
        effort: Effort,
        session: &Session<'_>,
    ) -> Result<Answer, Stop> {
        let mut unfolding = BmcSolver::new(self.task, Start::Concrete(state.to_vec()), session)?;
        for depth in 0..=steps {
            let assumptions = unfolding.choose_among(targets, depth)?;
            let longest = targets.iter().map(|&target| self.task.steps(target)).max().unwrap_or(0);
            match unfolding.look_for(session, &assumptions, depth + longest, effort)? {
                Answer::None => {}
                answer => return Ok(answer),
            }
        }
        Ok(Answer::None)
    }
}
