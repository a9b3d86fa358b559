//! Distances between goals, asked by several threads.
//!
//! Each lane has an unfolding from a free state of its own and is asked for the sources that fall
//! to it. Their number is always the same, and threads take whole lanes: so what each solver was
//! asked before, and with it the effort and the runs that are found, does not depend on the number
//! of threads. Which thread takes which lane is left to who is free; lanes that took the most
//! effort so far come first.

use crate::error::EngineError;
use crate::knowledge::chains::longest_run;
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::session::{Session, Stop};
use crate::step::bmc_solver::BmcSolver;
use crate::threads::in_threads;
use encoder::unroll::Start;
use model::id::Id;
use model::trace::Trace;
use std::sync::{Arc, Mutex, PoisonError};

/// Which of these targets can begin so many steps after the source?
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Question {
    pub(super) source: Vertex,
    pub(super) depth: u32,
    pub(super) open: Vec<Vertex>,
}

/// The answer: what was found, with runs, and what was refuted.
#[derive(Debug)]
pub(super) struct Distances {
    pub(super) question: Question,
    pub(super) found: Vec<(Vertex, Arc<Trace>)>,
    pub(super) refuted: Vec<Vertex>,
}

impl Question {
    /// The question for those of the targets whose bounds are least among the pairs that are not
    /// settled. `None`: all are.
    pub(super) fn new(source: Vertex, targets: &[Vertex], graph: &ReachGraph) -> Option<Self> {
        let lower = |target: Vertex| graph.lower(source, target);
        let unsettled =
            targets.iter().copied().filter(|&target| target != source && !graph.is_settled(source, target));
        let depth = unsettled.clone().filter_map(lower).min()?;
        let open = unsettled.filter(|&target| lower(target) == Some(depth)).collect();
        Some(Self { source, depth, open })
    }

    /// Asks until no target is left or the query fails.
    pub(super) fn ask(
        self,
        task: &Task<'_>,
        unfolding: &mut BmcSolver<'_>,
        session: &Session<'_>,
    ) -> Result<Distances, Stop> {
        let (mut open, mut found) = (self.open.clone(), Vec::new());
        while !open.is_empty() {
            let Some(trace) = self.query(&open, task, unfolding, session)? else { break };
            let seen = self.targets_in(&trace, &open, task)?;
            if seen.is_empty() {
                let what =
                    format!("a run of {} steps without the target it was asked for", trace.inputs.len());
                return Err(EngineError::SelfCheck(what).into());
            }
            open.retain(|target| !seen.contains(target));
            let witness = Arc::new(trace);
            found.extend(seen.into_iter().map(|target| (target, witness.clone())));
        }
        Ok(Distances { question: self, found, refuted: open })
    }

    /// One query: a run from the source in which some target of `open` begins at the depth.
    fn query(
        &self,
        open: &[Vertex],
        task: &Task<'_>,
        unfolding: &mut BmcSolver<'_>,
        session: &Session<'_>,
    ) -> Result<Option<Trace>, Stop> {
        let longest = open.iter().map(|&target| task.steps(target)).max().unwrap_or(0);
        let steps = task.steps(self.source).max(self.depth + longest);
        let mut assumptions = unfolding.choose_among(open, self.depth)?;
        if !self.source.is_depot() {
            assumptions.push(unfolding.event(self.source, 0)?);
        }
        Ok(unfolding.ask(session, &assumptions)?.then(|| unfolding.run(steps)))
    }

    /// The targets of `open` that begin at the depth in the trace, by the evaluator.
    fn targets_in(
        &self,
        trace: &Trace,
        open: &[Vertex],
        task: &Task<'_>,
    ) -> Result<Vec<Vertex>, EngineError> {
        let run = longest_run(task, trace)?.run;
        let depth = self.depth as usize;
        let occurs = |&target: &Vertex| match target.is_depot() {
            true => run.states.get(depth).is_some_and(|state| task.may_end(state)),
            false => run.occurrences[task.goal(target)].iter().any(|found| found.step == depth),
        };
        Ok(open.iter().copied().filter(occurs).collect())
    }
}

/// Number of lanes.
const LANES: usize = 4;

/// What one lane came to.
struct Share {
    lane: usize,
    /// Answers by the positions of their questions.
    answers: Vec<(usize, Distances)>,
    ended: Result<(), Stop>,
    sat_calls: u64,
    effort: u64,
}

/// What a lane is asked.
struct Work<'w, 's> {
    lane: usize,
    /// Questions with their positions.
    questions: Vec<(usize, Question)>,
    unfolding: &'w mut Option<BmcSolver<'s>>,
}

/// The lanes; see the module text.
pub(super) struct Lanes<'s> {
    task: &'s Task<'s>,
    /// Made when they are first needed.
    unfoldings: [Option<BmcSolver<'s>>; LANES],
    /// What each lane took so far.
    efforts: [u64; LANES],
}

impl<'s> Lanes<'s> {
    /// Lanes that were not asked for anything.
    pub(super) fn new(task: &'s Task<'s>) -> Self {
        Self { task, unfoldings: [const { None }; LANES], efforts: [0; LANES] }
    }

    /// Asks questions that start at goals, and returns the answers in their order as far as limits
    /// allow.
    pub(super) fn ask(
        &mut self,
        questions: Vec<Question>,
        session: &Session<'_>,
    ) -> (Vec<Distances>, Result<(), Stop>) {
        let mut parts: [Vec<(usize, Question)>; LANES] = [const { Vec::new() }; LANES];
        for (position, question) in questions.into_iter().enumerate() {
            parts[question.source.index() % LANES].push((position, question));
        }
        let lanes = parts.into_iter().zip(&mut self.unfoldings).enumerate();
        let mut work: Vec<Work<'_, 's>> = lanes
            .filter(|(_, (questions, _))| !questions.is_empty())
            .map(|(lane, (questions, unfolding))| Work { lane, questions, unfolding })
            .collect();
        work.sort_by_key(|work| self.efforts[work.lane]);
        let shares = distribute(self.task, work, session);
        shares.iter().for_each(|share| self.efforts[share.lane] += share.effort + share.sat_calls);
        merge(shares, session)
    }
}

/// Has the lanes' work done by as many threads as are wanted, this one among them: who is free
/// takes the last lane that is left. In order of lanes.
fn distribute<'s>(task: &'s Task<'s>, work: Vec<Work<'_, 's>>, session: &Session<'_>) -> Vec<Share> {
    let threads = session.options.jobs.clamp(1, work.len().max(1));
    let (options, allowance) = (session.options, session.allowance());
    let left = Mutex::new(work);
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let carry = || -> Vec<Share> {
        let share = |work| share(task, work, &Session::part(options, allowance), allowance);
        std::iter::from_fn(next).map(share).collect()
    };
    let mut shares = in_threads(threads, carry);
    shares.sort_by_key(|share| share.lane);
    shares
}

/// One lane's share of the questions, up to the first limit.
fn share<'s>(
    task: &'s Task<'s>,
    Work { lane, questions, unfolding }: Work<'_, 's>,
    session: &Session<'_>,
    allowance: Option<u64>,
) -> Share {
    let mut answers = Vec::new();
    let ask = || -> Result<(), Stop> {
        let unfolding = match unfolding {
            Some(unfolding) => unfolding,
            empty => empty.insert(BmcSolver::new(task, Start::Free, session)?),
        };
        for (position, question) in questions {
            answers.push((position, question.ask(task, unfolding, session)?));
        }
        Ok(())
    };
    let ended = ask();
    let left = session.allowance().unwrap_or(0);
    Share { lane, answers, ended, sat_calls: session.sat_calls(), effort: allowance.unwrap_or(0) - left }
}

/// All answers in order of their questions; an error comes before a limit.
fn merge(shares: Vec<Share>, session: &Session<'_>) -> (Vec<Distances>, Result<(), Stop>) {
    let (mut answers, mut ended) = (Vec::new(), Ok(()));
    for share in shares {
        answers.extend(share.answers);
        session.count(share.sat_calls, share.effort);
        ended = match (ended, share.ended) {
            (Err(Stop::Failed(error)), _) => Err(Stop::Failed(error)),
            (Err(_), Err(halt)) | (Ok(()), Err(halt)) => Err(halt),
            (ended, Ok(())) => ended,
        };
    }
    answers.sort_by_key(|&(position, _)| position);
    (answers.into_iter().map(|(_, answer)| answer).collect(), ended)
}
