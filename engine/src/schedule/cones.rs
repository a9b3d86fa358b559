//! Goals that depend on a small part of the state, searched in that part alone.
//!
//! There is less to search through than in the whole, by far where a system is made of charts
//! beside or behind one another. What is excluded there and the bounds count here, see
//! [`cones`]. Chains that are found are run on the whole system, with zeros for the inputs that
//! the part does not read.
//!
//! Each search of a part begins anew, with what is known of it. One that ends early is worth
//! little: so where parts are many a turn looks at some of them alone, and the next turn at others.

use super::{Schedule, Turn};
use crate::knowledge::chains::covering;
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::options::Options;
use crate::provers::explicit::joint_price::{JointPrice, enumerated};
use crate::provers::part::{Part, cones, share};
use crate::session::{Session, Stop};
use crate::turn::Prover;
use std::cmp::Reverse;
use std::time::{Duration, Instant};

/// A turn takes one of so many parts of the time that is left.
const SHARE: u32 = 8;
/// The first search of a part may take so long, where that is more than its share of the turn; each
/// further one twice as long.
const FIRST: Duration = Duration::from_secs(1);
/// Most doublings of that.
const MOST_DOUBLINGS: u32 = 10;

/// A part of the system.
struct Searched {
    part: Part,
    known: Knowledge,
    /// How many turns have looked at it.
    turns: u32,
}

impl Searched {
    /// Learns what goals cost together that are hard to come to, where that is soon known: one of
    /// so many parts.
    fn price(&mut self, parts: usize, deadline: Option<Instant>, session: &Session<'_>) -> Result<(), Stop> {
        let options = Options { deadline, ..session.options.clone() };
        let inner = session.inner(&options);
        let own = self.part.task(&inner);
        let priced = || {
            let Some(explicit) = enumerated(&own, &inner)? else { return Ok(None) };
            let price = JointPrice::new(&own, &explicit, parts, &inner)?;
            Ok(price.and_then(|price| price.bound(&explicit)))
        };
        let priced = priced();
        session.count(inner.sat_calls(), 0);
        match priced {
            Ok(Some(bound)) => self.known.raise(bound).map(drop).map_err(Stop::from),
            Ok(None) | Err(Stop::Limit(_)) => session.check_limits(),
            Err(failed) => Err(failed),
        }
    }
}

/// See the module text.
pub(super) struct Cones<'s> {
    task: &'s Task<'s>,
    /// Parts of the system and what is known of them, from the first turn on.
    parts: Option<Vec<Searched>>,
}

impl<'s> Cones<'s> {
    pub(super) fn new(task: &'s Task<'s>) -> Self {
        Self { task, parts: None }
    }

    fn search(&mut self, known: &mut Knowledge, rounds: u32, session: &Session<'_>) -> Result<(), Stop> {
        let task = self.task;
        let is_first = self.parts.is_none();
        let parts = self.parts.get_or_insert_with(|| {
            let begun = |part: Part| {
                let known = Knowledge::nothing(&part.task(session), session.options.reset_cost);
                Searched { part, known, turns: 0 }
            };
            cones(task).into_iter().map(begun).collect()
        });
        let end = share(session.deadline(), SHARE);
        if is_first {
            let until = share(end, 2);
            let count = parts.len();
            for (position, searched) in parts.iter_mut().enumerate() {
                let deadline = share(until, (count - position) as u32);
                searched.price(count, deadline, session)?;
                searched.part.teach(known, &searched.known)?;
            }
        }
        let gap = session.options.gap;
        let mut open: Vec<&mut Searched> =
            parts.iter_mut().filter(|searched| !searched.known.is_settled(gap)).collect();
        // The bound of the whole is that of the part that needs the most steps.
        open.sort_by_key(|searched| (searched.turns, Reverse(searched.known.lower_bound())));
        let count = open.len();
        for (position, Searched { part, known: of_part, turns }) in open.into_iter().enumerate() {
            session.check_limits()?;
            let now = Instant::now();
            if position > 0 && end.is_some_and(|end| now >= end) {
                break;
            }
            let least = now + FIRST * (1 << (*turns).min(MOST_DOUBLINGS));
            let equal = share(end, (count - position) as u32);
            let deadline = end.and_then(|end| equal.map(|equal| equal.max(least).min(end)));
            *turns += 1;
            let options = Options { deadline, ..session.options.clone() };
            let inner = session.inner(&options);
            let own = part.task(&inner);
            let searched = Schedule::new(&own, &inner, |_| true).rounds(0..rounds, of_part);
            session.count(inner.sat_calls(), 0);
            match searched {
                Ok(()) | Err(Stop::Limit(_)) => {}
                Err(failed) => return Err(failed),
            }
            part.teach(known, of_part)?;
            let goals: Vec<Vertex> = task.vertices().collect();
            let raised = of_part.chains().iter().map(|chain| {
                let trace = part.map.raise(task.system, &chain.trace);
                covering(task, trace, &goals)
            });
            let chains = raised.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
            known.offer(chains)?;
        }
        Ok(())
    }
}

impl Prover for Cones<'_> {
    fn run(&mut self, known: &mut Knowledge, work: u64, session: &Session<'_>) -> Result<Turn, Stop> {
        session.stage("cones", || self.search(known, work as u32, session))?;
        let gap = session.options.gap;
        let has_open = |parts: &Vec<Searched>| parts.iter().any(|searched| !searched.known.is_settled(gap));
        Ok(if self.parts.as_ref().is_some_and(has_open) { Turn::Open } else { Turn::Exhausted })
    }
}
