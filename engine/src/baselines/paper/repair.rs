//! Concretisation with chain repair (Algorithms 4, 8, 11 and 12).
//!
//! A path through the graph is checked as the paper does it: is there a run that passes its
//! vertices in order, each leg as long as its weight says? Weights begin as distances, so no leg
//! can be shorter, and asking for the total is asking for every leg. Once legs are stretched the
//! question is for the total still: what one leg was given another may use. Where there is no run,
//! the shortest failing sub-path takes the place of the unsatisfiable core, and its legs are
//! stretched: one after the other from concrete states (Algorithm 11), or, where that gets stuck,
//! for growing prefixes (Algorithm 12).

use crate::knowledge::chains::{CheckedChain, accept, longest_run};
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::provers::distance_engine::DistanceEngine;
use crate::session::{Session, Stop};
use crate::step::bmc_solver::{Answer, Effort};
use model::value::Value;
use std::ops::RangeInclusive;

/// A path with the steps of each leg.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    /// From Init over goals to Final.
    pub(crate) vertices: Vec<Vertex>,
    /// `weights[k]` belongs to the leg from `vertices[k]` to `vertices[k + 1]`.
    pub(crate) weights: Vec<u32>,
}

/// What came of a path.
#[derive(Clone, Debug)]
pub(crate) enum Repaired {
    /// A chain.
    Chain(CheckedChain),
    /// The sub-path at these positions, of three vertices or more, has no run within the cap on
    /// weights.
    Failed(RangeInclusive<usize>),
}

impl Path {
    fn total(&self, part: RangeInclusive<usize>) -> u32 {
        self.weights[*part.start()..*part.end()].iter().sum()
    }
}

/// What repair asks its questions of.
pub(crate) struct Repair<'r, 'c, 's, O> {
    pub(crate) task: &'s Task<'s>,
    pub(crate) distances: &'r mut O,
    pub(crate) graph: &'r ReachGraph,
    pub(crate) session: &'c Session<'c>,
    /// The paper's K: no leg is stretched beyond it.
    pub(crate) limit: u32,
}

impl<O: DistanceEngine> Repair<'_, '_, '_, O> {
    /// The chain along a path, stretched where that is needed; `goals` are those the chain must
    /// cover.
    pub(crate) fn chain(&mut self, mut path: Path, goals: &[Vertex]) -> Result<Repaired, Stop> {
        loop {
            let whole = 0..=path.vertices.len() - 1;
            let answer = self.ask(&path.vertices, path.total(whole))?;
            if let Answer::Run(trace) = answer {
                return Ok(Repaired::Chain(accept(self.task, &trace, goals)?));
            }
            let failed = self.failed(&path)?;
            if !self.stretch(&mut path, failed.clone())? {
                return Ok(Repaired::Failed(failed));
            }
        }
    }

    fn ask(&mut self, vertices: &[Vertex], steps: u32) -> Result<Answer, Stop> {
        self.distances.sequence(vertices, steps, self.graph, Effort::Any, self.session)
    }

    fn has_run(&mut self, path: &Path, part: RangeInclusive<usize>) -> Result<bool, Stop> {
        let steps = path.total(part.clone());
        Ok(matches!(self.ask(&path.vertices[part], steps)?, Answer::Run(_)))
    }

    /// The sub-path that ends first, and among those the one that begins last, without a run. The
    /// whole path has none.
    fn failed(&mut self, path: &Path) -> Result<RangeInclusive<usize>, Stop> {
        let mut end = 2;
        while end + 1 < path.vertices.len() && self.has_run(path, 0..=end)? {
            end += 1;
        }
        let mut begin = end - 2;
        while begin > 0 && self.has_run(path, begin..=end)? {
            begin -= 1;
        }
        Ok(begin..=end)
    }

    /// Stretches legs of the part until it has a run; `false`: it has none within the limit.
    fn stretch(&mut self, path: &mut Path, part: RangeInclusive<usize>) -> Result<bool, Stop> {
        let (begin, end) = part.clone().into_inner();
        if let Some(weights) = self.walk(path, begin, end)? {
            path.weights[begin..end].copy_from_slice(&weights);
            return Ok(true);
        }
        self.stretch_prefixes(path, begin, end)
    }

    /// Algorithm 11: leg by leg, each from the concrete state in which the one before it ended.
    fn walk(&mut self, path: &Path, begin: usize, end: usize) -> Result<Option<Vec<u32>>, Stop> {
        let first = &path.vertices[begin..=begin + 1];
        let Answer::Run(trace) = self.ask(first, path.weights[begin])? else { return Ok(None) };
        let run = longest_run(self.task, &trace)?.run;
        let after = (path.weights[begin] + self.task.steps(first[1])) as usize;
        let Some(mut state) = run.states.get(after).cloned() else { return Ok(None) };
        let mut weights = vec![path.weights[begin]];
        for leg in begin + 1..end {
            let (source, target) = (path.vertices[leg], path.vertices[leg + 1]);
            let Some((steps, reached)) = self.nearest(&state, target)? else { return Ok(None) };
            weights.push(path.weights[leg].max(self.task.steps(source) + steps));
            state = reached;
        }
        Ok((weights.iter().sum::<u32>() > path.total(begin..=end)).then_some(weights))
    }

    /// Steps from the state to the nearest occurrence of the target, and the state after it.
    fn nearest(&mut self, state: &[Value], target: Vertex) -> Result<Option<(u32, Vec<Value>)>, Stop> {
        let answer = self.distances.nearest(state, &[target], self.limit, Effort::Any, self.session)?;
        let Answer::Run(trace) = answer else { return Ok(None) };
        let run = longest_run(self.task, &trace)?.run;
        let last = run.states.len() as u32 - 1;
        let reached = run.states.last().cloned();
        Ok(last.checked_sub(self.task.steps(target)).zip(reached))
    }

    /// Algorithm 12: prefixes of growing length, the last leg stretched as little as possible.
    /// Asking for the total tries the earlier legs at the same time.
    fn stretch_prefixes(&mut self, path: &mut Path, begin: usize, end: usize) -> Result<bool, Stop> {
        for last in begin + 2..=end {
            let vertices = path.vertices[begin..=last].to_vec();
            let least = path.total(begin..=last);
            if matches!(self.ask(&vertices, least)?, Answer::Run(_)) {
                continue;
            }
            let Some(extra) = self.least_extra(&vertices, least)? else { return Ok(false) };
            path.weights[last - 1] += extra;
        }
        Ok(true)
    }

    /// The fewest steps beyond `least`, which are too few, with which the vertices can be passed.
    fn least_extra(&mut self, vertices: &[Vertex], least: u32) -> Result<Option<u32>, Stop> {
        let (mut too_few, mut enough) = (0, 1);
        while !matches!(self.ask(vertices, least + enough)?, Answer::Run(_)) {
            if enough >= self.limit {
                return Ok(None);
            }
            (too_few, enough) = (enough, self.limit.min(2 * enough));
        }
        while enough - too_few > 1 {
            let middle = too_few + (enough - too_few) / 2;
            match self.ask(vertices, least + middle)? {
                Answer::Run(_) => enough = middle,
                Answer::None | Answer::GaveUp => too_few = middle,
            }
        }
        Ok(Some(enough))
    }
}
