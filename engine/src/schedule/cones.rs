//! Goals that depend on a small part of the state, searched in that part alone.
//!
//! There is less to search through than in the whole, by far where a system is made of charts
//! beside or behind one another. What is excluded there and the bounds count here, see
//! [`cones`]. Chains that are found are run on the whole system, with zeros for the inputs that
//! the part does not read.

use super::{Schedule, Turn};
use crate::knowledge::chains::covering;
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::options::Options;
use crate::provers::part::{Part, cones, share};
use crate::session::{Session, Stop};
use crate::turn::Prover;

/// A turn takes one of so many parts of the time that is left.
const SHARE: u32 = 8;

/// See the module text.
pub(super) struct Cones<'s> {
    task: &'s Task<'s>,
    /// Parts of the system and what is known of them, from the first turn on.
    parts: Option<Vec<(Part, Knowledge)>>,
}

impl<'s> Cones<'s> {
    pub(super) fn new(task: &'s Task<'s>) -> Self {
        Self { task, parts: None }
    }

    fn search(&mut self, known: &mut Knowledge, rounds: u32, session: &Session<'_>) -> Result<(), Stop> {
        let task = self.task;
        let parts = self.parts.get_or_insert_with(|| {
            let begun = |part: Part| {
                let nothing = Knowledge::nothing(&part.task(session), session.options.reset_cost);
                (part, nothing)
            };
            cones(task).into_iter().map(begun).collect()
        });
        let end = share(session.deadline(), SHARE);
        let gap = session.options.gap;
        let count = parts.len();
        for (position, (part, of_part)) in parts.iter_mut().enumerate() {
            session.check_limits()?;
            if of_part.is_settled(gap) {
                continue;
            }
            let options =
                Options { deadline: share(end, (count - position) as u32), ..session.options.clone() };
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
        let has_open = |parts: &Vec<(Part, Knowledge)>| parts.iter().any(|(_, known)| !known.is_settled(gap));
        Ok(if self.parts.as_ref().is_some_and(has_open) { Turn::Open } else { Turn::Exhausted })
    }
}
