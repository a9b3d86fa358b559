//! Whether sets of requirements contradict each other, and what of a set is needed for it.

use super::super::{Known, Means};
use crate::interface::Interface;
use crate::parts::parts;
use crate::semantics::Undecided;
use crate::symbolic::{MOST_STEPS, Selective, SelectiveBoard};
use std::cell::OnceCell;

/// Values that are tried for a set before solvers have their turn: there are many sets, and those
/// of one part are mostly as large as the part.
const BEFORE_SOLVER: u64 = 50_000;

/// Sets without a contradiction that are kept at most.
const MOST_KEPT: usize = 4_000;

/// For each independent part of all requirements the game in which each of them may count or not.
pub(in super::super) struct Boards {
    /// The steps in question; none where they are too many for one game.
    steps: Option<usize>,
    parts: Vec<PartBoard>,
}

struct PartBoard {
    members: Vec<usize>,
    /// Whether it has too many positions to be enumerated.
    is_large: bool,
    board: OnceCell<Option<SelectiveBoard>>,
}

/// What is known of sets of requirements, each ascending.
#[derive(Default)]
pub(in super::super) struct Facts {
    /// Sets that can be kept for ever.
    kept: Vec<Vec<usize>>,
    /// Sets that are no conflict within the steps in question.
    kept_within: Vec<Vec<usize>>,
    /// Conflicts within the steps in question.
    lost_within: Vec<Vec<usize>>,
    /// Conflicts at any depth.
    lost: Vec<Vec<usize>>,
}

/// A conflict.
pub(super) struct Found {
    pub(super) conflict: Vec<usize>,
    /// Whether all of it is known to be needed.
    pub(super) is_minimal: bool,
}

/// A conflict among some requirements.
struct Core {
    conflict: Vec<usize>,
    /// Whether somebody has looked for what is needed.
    is_small: bool,
}

pub(super) struct Oracle<'a, 'm> {
    interface: &'a Interface,
    within: Option<usize>,
    means: &'a mut Means<'m>,
    facts: &'a mut Facts,
    boards: &'a Boards,
    /// By part, as far as they were asked for.
    selective: Vec<Option<Box<dyn Selective + 'a>>>,
    /// The smallest conflict that is known of those in question.
    best: Vec<usize>,
}

impl Boards {
    /// The boards of some parts, for questions about so many steps.
    pub(in super::super) fn new(parts: &[(Vec<usize>, Known<'_>)], steps: usize) -> Self {
        let part = |(members, known): &(Vec<usize>, Known<'_>)| PartBoard {
            members: members.clone(),
            is_large: !matches!(known, Known::Enumerated(_)),
            board: OnceCell::new(),
        };
        let steps = Some(steps).filter(|&steps| steps <= MOST_STEPS);
        Self { steps, parts: parts.iter().map(part).collect() }
    }
}

impl<'a, 'm> Oracle<'a, 'm> {
    pub(super) fn new(
        interface: &'a Interface,
        within: Option<usize>,
        means: &'a mut Means<'m>,
        boards: &'a Boards,
        facts: &'a mut Facts,
    ) -> Self {
        let selective = boards.parts.iter().map(|_| None).collect();
        Self { interface, within, means, facts, boards, selective, best: Vec::new() }
    }

    /// A conflict among some requirements.
    pub(super) fn one(&mut self, among: &[usize]) -> Result<Option<Found>, Undecided> {
        let Some(Core { conflict, is_small }) = self.conflict(among)? else { return Ok(None) };
        if is_small {
            return Ok(Some(self.without_needless(conflict)));
        }
        self.best.clone_from(&conflict);
        Ok(Some(match self.quick_explain(&[], false, &conflict) {
            Ok(mut conflict) => {
                conflict.sort_unstable();
                Found { conflict, is_minimal: true }
            }
            Err(_) => Found { conflict: std::mem::take(&mut self.best), is_minimal: false },
        }))
    }

    /// Leaves out of a conflict what is not needed, the last ones first.
    fn without_needless(&mut self, mut conflict: Vec<usize>) -> Found {
        let mut is_minimal = true;
        let mut place = conflict.len();
        while place > 0 {
            place -= 1;
            let mut smaller = conflict.clone();
            let left_out = smaller.remove(place);
            match self.conflict(&smaller) {
                Ok(None) => {}
                Ok(Some(core)) => {
                    conflict = core.conflict;
                    place = conflict.partition_point(|&member| member < left_out);
                }
                Err(Undecided::Time) => return Found { conflict, is_minimal: false },
                Err(_) => is_minimal = false,
            }
        }
        Found { conflict, is_minimal }
    }

    /// QuickXPlain: what of `among` is needed beside `background`, which has grown since it was
    /// asked of last where `has_grown`.
    fn quick_explain(
        &mut self,
        background: &[usize],
        has_grown: bool,
        among: &[usize],
    ) -> Result<Vec<usize>, Undecided> {
        if background.len() + among.len() < self.best.len() {
            self.best = [background, among].concat();
            self.best.sort_unstable();
        }
        if has_grown && self.conflict(background)?.is_some() {
            return Ok(Vec::new());
        }
        if let [single] = among {
            return Ok(vec![*single]);
        }
        let (first, last) = among.split_at(among.len() / 2);
        let with_first: Vec<usize> = background.iter().chain(first).copied().collect();
        let of_last = self.quick_explain(&with_first, !first.is_empty(), last)?;
        let with_last: Vec<usize> = background.iter().chain(&of_last).copied().collect();
        let mut of_first = self.quick_explain(&with_last, !of_last.is_empty(), first)?;
        of_first.extend(of_last);
        Ok(of_first)
    }

    /// A conflict among some requirements: one of their parts has it.
    fn conflict(&mut self, set: &[usize]) -> Result<Option<Core>, Undecided> {
        let mut undecided = None;
        for part in parts(self.interface, set) {
            match self.conflict_of_part(&part) {
                Ok(None) => {}
                Ok(found) => return Ok(found),
                Err(Undecided::Time) => return Err(Undecided::Time),
                Err(why) => undecided = Some(why),
            }
        }
        undecided.map_or(Ok(None), Err)
    }

    fn conflict_of_part(&mut self, part: &[usize]) -> Result<Option<Core>, Undecided> {
        let Facts { kept, kept_within, lost_within, lost } = &*self.facts;
        let is_within = self.within.is_some();
        // What is lost soon is lost, and what is kept for ever is kept for some steps.
        let all_lost = lost_within.iter().chain(if is_within { &[][..] } else { lost });
        if let Some(known) = all_lost.into_iter().find(|known| is_subset(known, part)) {
            return Ok(Some(Core { conflict: known.clone(), is_small: true }));
        }
        let mut all_kept = kept.iter().chain(if is_within { kept_within } else { &[][..] });
        if all_kept.any(|known| is_subset(part, known)) {
            return Ok(None);
        }
        if self.means.effort.is_over() {
            return Err(Undecided::Time);
        }
        let found = self.decide(part)?;
        let facts = &mut *self.facts;
        match (&found, is_within) {
            (Some(core), true) => facts.lost_within.push(core.conflict.clone()),
            (Some(core), false) => facts.lost.push(core.conflict.clone()),
            (None, true) if facts.kept_within.len() < MOST_KEPT => facts.kept_within.push(part.to_vec()),
            (None, false) if facts.kept.len() < MOST_KEPT => facts.kept.push(part.to_vec()),
            (None, _) => {}
        }
        Ok(found)
    }

    fn decide(&mut self, part: &[usize]) -> Result<Option<Core>, Undecided> {
        let place = self.boards.parts.iter().position(|whole| is_subset(part, &whole.members));
        // What has been too large once is so again, for most sets.
        if !place.is_some_and(|place| self.boards.parts[place].is_large) {
            let enumerated = self.means.enumerate(self.interface, part, BEFORE_SOLVER);
            if !matches!(enumerated, Err(Undecided::TooLarge)) {
                return self.judge(part, enumerated.map(|known| known.depth()));
            }
        }
        match place.map(|place| self.ask(place, part)) {
            None | Some(Err(Undecided::TooLarge | Undecided::Depth)) => {}
            Some(answer) => return answer,
        }
        let known = self.means.look(self.interface, part, BEFORE_SOLVER);
        self.judge(part, known.map(|known| known.depth()))
    }

    /// Whether a set whose depth is known is a conflict of those in question.
    fn judge(
        &self,
        part: &[usize],
        depth: Result<Option<usize>, Undecided>,
    ) -> Result<Option<Core>, Undecided> {
        let is_conflict = match (depth, self.within) {
            (Ok(None), _) => false,
            (Ok(Some(_)) | Err(Undecided::Depth), None) => true,
            (Ok(Some(depth)), Some(within)) => depth <= within,
            (Err(undecided), _) => return Err(undecided),
        };
        Ok(is_conflict.then(|| Core { conflict: part.to_vec(), is_small: false }))
    }

    /// Asks who answers questions about a part of all requirements.
    fn ask(&mut self, place: usize, part: &[usize]) -> Result<Option<Core>, Undecided> {
        let (boards, interface) = (self.boards, self.interface);
        if self.within.is_some() && boards.steps.is_none() {
            return Err(Undecided::TooLarge);
        }
        let whole = &boards.parts[place];
        let steps = boards.steps.unwrap_or(0);
        let made = || SelectiveBoard::new(interface, &whole.members, steps).ok();
        let board = whole.board.get_or_init(made).as_ref().ok_or(Undecided::TooLarge)?;
        if self.selective[place].is_none() {
            self.selective[place] = self.means.solver.and_then(|solver| solver.selective(board));
        }
        let selective = self.selective[place].as_mut().ok_or(Undecided::TooLarge)?;
        let places = selective.lost(&board.question(part, self.within.is_none()))?;
        Ok(places.map(|places| Core { conflict: board.requirements(&places), is_small: true }))
    }
}

/// Whether all members of a set belong to another one; both are ascending.
fn is_subset(part: &[usize], whole: &[usize]) -> bool {
    let mut whole = whole.iter();
    part.len() <= whole.len() && part.iter().all(|member| whole.by_ref().any(|other| other == member))
}
