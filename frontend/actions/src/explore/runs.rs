//! The runs of a mutant behind a trace: the states in which they end, and how long ago they left the
//! original.
//!
//! A run *differs* first by its first step that the original does not have in the same state. The
//! steps of a mutant are those of its step relation, a stimulus that it ignores, and its silence; a
//! mutant that starts elsewhere differs before the first step. Until a run differs, it is a run of
//! the original.
//!
//! The *lag* of a run is the number of steps from the one by which it differs to a watch that would
//! come next, that watch included. It is 0 for a run that has not differed: where such a watch fails,
//! it is the first difference itself. An invisible step counts as part of the step of the chain
//! before it. Later steps keep the order of lags, so that the least one of the runs that end in a
//! state says what they may show in time.

use super::conform::Event;
use super::space::{LabelNo, Machine, Space, StateNo};
use crate::interpret::TooMany;
use crate::syntax::Kind;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The runs that end in one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Runs {
    /// The state.
    pub state: StateNo,
    /// The least lag of them.
    pub lag: u32,
}

/// States of the mutant after a step, and those of the original, where they matter.
type Posts = (Rc<[StateNo]>, Option<Rc<[StateNo]>>);

/// Original and mutant in motion.
pub struct Duel<'a> {
    /// Their states and labels.
    pub space: &'a mut Space,
    /// The original.
    pub original: &'a Machine,
    /// The mutant.
    pub mutant: &'a Machine,
    /// The greatest lag at which a failing watch counts; none: all lags are 0, and every such watch
    /// counts.
    pub within: Option<u32>,
}

impl Duel<'_> {
    /// The runs before the first step.
    ///
    /// # Errors
    /// If there is too much; so with all functions of this type.
    pub fn start(&mut self) -> Result<Rc<[Runs]>, TooMany> {
        let lag = u32::from(self.within.is_some() && self.mutant.initial != self.original.initial);
        self.closed(vec![Runs { state: self.mutant.initial, lag }])
    }

    /// The runs after an event; none where the mutant has none.
    pub fn after(&mut self, before: &[Runs], event: Event) -> Result<Option<Rc<[Runs]>>, TooMany> {
        let mut found = Vec::new();
        for runs in before {
            let (posts, own) = match event {
                Event::Stimulus(label) => self.posts(runs, label, true)?,
                Event::Answer(label) => self.posts(runs, label, false)?,
                Event::Quiet => self.quiet(runs)?,
                Event::Look => continue,
            };
            for &state in posts.iter() {
                let is_own = own.as_ref().is_none_or(|own| own.contains(&state));
                found.push(Runs { state, lag: self.later(runs.lag, is_own) });
            }
        }
        if found.is_empty() { Ok(None) } else { self.closed(found).map(Some) }
    }

    /// The states after a label, and those of the original, where they matter. Where there are none
    /// and the system `ignores` the label, it stays.
    fn posts(&mut self, runs: &Runs, label: LabelNo, ignores: bool) -> Result<Posts, TooMany> {
        let stay = |posts: Rc<[StateNo]>| match ignores && posts.is_empty() {
            true => Rc::from([runs.state]),
            false => posts,
        };
        let posts = stay(self.space.post(self.mutant, runs.state, label)?);
        let own = match self.looks_at(runs) {
            true => Some(stay(self.space.post(self.original, runs.state, label)?)),
            false => None,
        };
        Ok((posts, own))
    }

    /// The state itself where the mutant is quiet, and where the original is.
    fn quiet(&mut self, runs: &Runs) -> Result<Posts, TooMany> {
        let stay = |is_quiet: bool| if is_quiet { Rc::from([runs.state]) } else { Rc::default() };
        let posts = stay(self.space.is_quiet(self.mutant, runs.state)?);
        let own = match self.looks_at(runs) {
            true => Some(stay(self.space.is_quiet(self.original, runs.state)?)),
            false => None,
        };
        Ok((posts, own))
    }

    /// Whether the next step of a run may be its first difference.
    const fn looks_at(&self, runs: &Runs) -> bool {
        self.within.is_some() && runs.lag == 0
    }

    /// A lag after one more step, which the original has or has not.
    fn later(&self, lag: u32, is_own: bool) -> u32 {
        match (self.within, lag) {
            (None, _) => 0,
            (_, 0) => u32::from(!is_own),
            // All that is too late is alike.
            (Some(most), _) => lag.saturating_add(1).min(most.saturating_add(1)),
        }
    }

    /// The runs with those that invisible steps prolong, by ascending states.
    fn closed(&mut self, runs: Vec<Runs>) -> Result<Rc<[Runs]>, TooMany> {
        let mut found: FxHashMap<StateNo, Runs> = FxHashMap::default();
        let mut open = Vec::new();
        for more in runs {
            add(&mut found, &mut open, more);
        }
        while self.space.has_internal()
            && let Some(state) = open.pop()
        {
            let runs = found[&state];
            for action in self.space.allowed(self.mutant, state)? {
                if self.space.kind(action) != Kind::Internal {
                    continue;
                }
                for &label in self.space.labels_in(action, &[state])?.iter() {
                    let (posts, own) = self.posts(&runs, label, false)?;
                    for &after in posts.iter() {
                        let is_own = own.as_ref().is_none_or(|own| own.contains(&after));
                        let lag = if is_own { runs.lag } else { runs.lag.max(1) };
                        add(&mut found, &mut open, Runs { state: after, lag });
                    }
                }
            }
        }
        let mut all: Vec<Runs> = found.into_values().collect();
        all.sort_unstable();
        Ok(all.into())
    }
}

/// Adds runs, and puts their state among the open ones where they tell something new of it.
fn add(found: &mut FxHashMap<StateNo, Runs>, open: &mut Vec<StateNo>, more: Runs) {
    if found.get(&more.state).is_none_or(|known| more.lag < known.lag) {
        found.insert(more.state, more);
        open.push(more.state);
    }
}
