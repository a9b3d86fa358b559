//! Bounded reachability by incremental SAT (Algorithm 10 of the paper).
//!
//! One unfolding from a free state serves the edges between goals, one from the initial state those out of Init. A query of
//! depth k asks for a run in which the source occurs at 0 and any of the open targets at k; the run found is replayed by
//! the evaluator, which settles every target that occurs at k, and the query is repeated without them until it fails.

use crate::chain::check::longest_run;
use crate::chain::sequence::Ladders;
use crate::pipeline::EngineError;
use crate::problem::Problem;
use crate::reach::fact::Invariant;
use crate::reach::graph::{Engine, Proof, ReachGraph};
use crate::reach::invariant::invariants;
use crate::reach::oracle::{Answer, Effort, Oracle};
use crate::reach::pdr::{Prover, Question, Verdict};
use crate::reach::unfolding::Unfolding;
use crate::stats::{Context, Halt};
use encoder::EncodeError;
use encoder::unroll::Start;
use model::trace::Trace;
use model::value::Value;
use std::sync::Arc;

/// See the module text.
pub(crate) struct Bounded<'s> {
    problem: &'s Problem<'s>,
    from_init: Runs<'s>,
    /// Made when it is first needed, when reachable states are known to guess invariants from.
    from_anywhere: Option<Runs<'s>>,
    /// By source.
    provers: Vec<Option<Prover<'s>>>,
    /// By source: queries its prover may still cost. Grows with the depth of bounded queries, so that the two engines are in
    /// balance.
    allowances: Vec<u64>,
    /// By source and target: the prover has found a run.
    hopeless: Vec<bool>,
}

/// What came of an attempt to exclude a pair.
enum Attempt {
    Proven(Proof),
    /// A run of unknown length exists.
    Hopeless,
    Unknown,
}

/// Queries of property directed reachability that a source may cost before its bounded queries have cost anything.
const FIRST_ALLOWANCE: u64 = 300;

/// An unfolding and the sequences asked of it.
struct Runs<'s> {
    unfolding: Unfolding<'s>,
    ladders: Ladders,
}

impl<'s> Runs<'s> {
    fn new(problem: &'s Problem<'s>, start: Start, context: &Context<'_>) -> Result<Self, EncodeError> {
        Ok(Self { unfolding: Unfolding::new(problem, start, context)?, ladders: Ladders::new() })
    }
}

impl<'s> Bounded<'s> {
    pub(crate) fn new(problem: &'s Problem<'s>, context: &Context<'_>) -> Result<Self, EncodeError> {
        Ok(Self {
            problem,
            from_init: Runs::new(problem, Start::Initial, context)?,
            from_anywhere: None,
            provers: (0..=problem.len()).map(|_| None).collect(),
            allowances: vec![FIRST_ALLOWANCE; problem.len() + 1],
            hopeless: vec![false; (problem.len() + 1).pow(2)],
        })
    }

    fn runs(
        &mut self,
        source: usize,
        graph: &ReachGraph,
        context: &Context<'_>,
    ) -> Result<&mut Runs<'s>, Halt> {
        if source == 0 { Ok(&mut self.from_init) } else { self.anywhere(graph, context) }
    }

    fn anywhere(&mut self, graph: &ReachGraph, context: &Context<'_>) -> Result<&mut Runs<'s>, Halt> {
        if self.from_anywhere.is_none() {
            self.guess_invariants(graph, context)?;
            self.from_anywhere = Some(Runs::new(self.problem, Start::Free, context)?);
        }
        Ok(self.from_anywhere.as_mut().expect("runs from a free state should be there by now"))
    }

    fn guess_invariants(&mut self, graph: &ReachGraph, context: &Context<'_>) -> Result<(), Halt> {
        let mut starts = Vec::new();
        for goal in self.problem.vertices() {
            if let Some(witness) = graph.witness(0, goal) {
                starts.extend(longest_run(self.problem, witness)?.run.states);
            }
        }
        let facts = context.stage("invariants", || invariants(self.problem, &starts, context))?;
        self.problem.invariants.borrow_mut().extend(facts.into_iter().map(Invariant::Fact));
        Ok(())
    }

    /// Tries to exclude a pair: by the invariants, then by property directed reachability within the source's allowance.
    fn prove(
        &mut self,
        source: usize,
        target: usize,
        graph: &ReachGraph,
        context: &Context<'_>,
    ) -> Result<Attempt, Halt> {
        let unfolding = &mut self.anywhere(graph, context)?.unfolding;
        let event = unfolding.event(target, 0)?;
        if !unfolding.ask(context, &[event])? {
            return Ok(Attempt::Proven(Proof::Invariant));
        }
        let prover = match &mut self.provers[source] {
            Some(prover) => prover,
            empty => empty.insert(Prover::new(self.problem, source, context)?),
        };
        let allowance = &mut self.allowances[source];
        let (verdict, spent) = prover.exclude(Question::Event(target), *allowance, context)?;
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

    /// One query: a run from `source` in which some target of `open` begins at `depth`.
    fn query(
        &mut self,
        source: usize,
        depth: u32,
        open: &[usize],
        graph: &ReachGraph,
        context: &Context<'_>,
    ) -> Result<Option<Trace>, Halt> {
        let longest = open.iter().map(|&target| self.problem.steps(target)).max().unwrap_or(0);
        let steps = self.problem.steps(source).max(depth + longest);
        let unfolding = &mut self.runs(source, graph, context)?.unfolding;
        let mut assumptions = unfolding.choose_among(open, depth)?;
        if source != 0 {
            assumptions.push(unfolding.event(source, 0)?);
        }
        Ok(unfolding.ask(context, &assumptions)?.then(|| unfolding.run(steps)))
    }

    /// The targets of `open` that begin at `depth` in the trace, by the evaluator.
    fn targets_at(&self, trace: &Trace, depth: u32, open: &[usize]) -> Result<Vec<usize>, EngineError> {
        let run = longest_run(self.problem, trace)?.run;
        let depth = depth as usize;
        let occurs = |&target: &usize| match target {
            0 => run.states.get(depth).is_some_and(|state| self.problem.may_end(state)),
            _ => run.occurrences[self.problem.goal(target)].iter().any(|found| found.step == depth),
        };
        Ok(open.iter().copied().filter(occurs).collect())
    }
}

impl Oracle for Bounded<'_> {
    fn solver_name(&self) -> String {
        self.from_init.unfolding.solver_name()
    }

    fn deepen(
        &mut self,
        source: usize,
        targets: &[usize],
        graph: &mut ReachGraph,
        context: &Context<'_>,
    ) -> Result<(), Halt> {
        let unsettled =
            targets.iter().filter(|&&target| target != source && !graph.is_settled(source, target));
        let lower = |target: usize| graph.lower(source, target);
        let Some(depth) = unsettled.clone().filter_map(|&target| lower(target)).min() else { return Ok(()) };
        let mut open: Vec<usize> =
            unsettled.copied().filter(|&target| lower(target) == Some(depth)).collect();
        while !open.is_empty() {
            let Some(trace) = self.query(source, depth, &open, graph, context)? else { break };
            let found = self.targets_at(&trace, depth, &open)?;
            if found.is_empty() {
                let what =
                    format!("a run of {} steps without the target it was asked for", trace.inputs.len());
                return Err(EngineError::SelfCheck(what).into());
            }
            let witness = Arc::new(trace);
            for &target in &found {
                graph.found(source, target, depth, Some(&witness), Engine::Sat);
            }
            open.retain(|target| !found.contains(target));
        }
        for &target in &open {
            graph.raise(source, target, depth + 1, Engine::Sat);
        }
        graph.asked(depth);
        self.allowances[source] += u64::from(depth);
        Ok(())
    }

    fn exclude(
        &mut self,
        source: usize,
        target: usize,
        graph: &mut ReachGraph,
        context: &Context<'_>,
    ) -> Result<bool, Halt> {
        let Some(lower) = graph.lower(source, target) else { return Ok(true) };
        let pair = source * (self.problem.len() + 1) + target;
        if graph.upper(source, target).is_some() || self.hopeless[pair] || lower < self.problem.steps(source)
        {
            return Ok(false);
        }
        let proof = context.stage("proof", || self.prove(source, target, graph, context))?;
        match proof {
            Attempt::Proven(proof) => graph.never(source, target, proof, Engine::Sat),
            Attempt::Hopeless => self.hopeless[pair] = true,
            Attempt::Unknown => {}
        }
        Ok(graph.lower(source, target).is_none())
    }

    fn sequence(
        &mut self,
        sequence: &[usize],
        steps: u32,
        graph: &ReachGraph,
        effort: Effort,
        context: &Context<'_>,
    ) -> Result<Answer, Halt> {
        let problem = self.problem;
        let Runs { unfolding, ladders } = self.runs(sequence[0], graph, context)?;
        let Some(literal) = ladders.within(sequence, steps, graph, problem, unfolding)? else {
            return Ok(Answer::None);
        };
        let last = problem.steps(*sequence.last().expect("a sequence should not be empty"));
        unfolding.look_for(context, &[literal], steps + last, effort)
    }

    fn nearest(
        &mut self,
        state: &[Value],
        targets: &[usize],
        steps: u32,
        effort: Effort,
        context: &Context<'_>,
    ) -> Result<Answer, Halt> {
        let mut unfolding = Unfolding::new(self.problem, Start::Concrete(state.to_vec()), context)?;
        for depth in 0..=steps {
            let assumptions = unfolding.choose_among(targets, depth)?;
            let longest = targets.iter().map(|&target| self.problem.steps(target)).max().unwrap_or(0);
            match unfolding.look_for(context, &assumptions, depth + longest, effort)? {
                Answer::None => {}
                answer => return Ok(answer),
            }
        }
        Ok(Answer::None)
    }
}
