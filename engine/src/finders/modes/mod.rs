//! Goals by way of modes: what is new is a combination of them.
//!
//! A burner that has lost its flame once has to start again, through all phases that it has seen,
//! before it can lose it a second time. None of these phases is new, and neither is any way between
//! them: only together with the count of losses. So a *cell* is the combination of all words that
//! tell modes: those that are only given constants, and those that count events up to a small
//! number. From states of a cell inputs are held, or swing between two vectors, until the cell
//! changes, and what happens on the way there (a timer passes a limit) makes further states to go on
//! from with other inputs. Cells that were tried least and such with rare values come first, in turns
//! with states that lack least of what [some goal needs](needs). Half of the work goes to
//! [queries](novel) that lead to states with new pairs of values, or to what a goal lacks. (After
//! A. Ecoffet, J. Huizinga, J. Lehman, K. O. Stanley, J. Clune, First return, then explore,
//! Nature 590 (2021).)

mod cells;
mod needs;
mod novel;
#[cfg(test)]
mod tests;

use crate::finders::landmarks::system::discrete_words;
use crate::finders::simulate::aims::{Aim, Aims, take_one};
use crate::finders::simulate::archive::{Hold, join};
use crate::finders::simulate::beginning::Beginning;
use crate::finders::simulate::chains::EVALUATED;
use crate::finders::simulate::goals::Goals;
use crate::finders::simulate::guards::Guards;
use crate::finders::simulate::player::{Ended, Order, Player, Position};
use crate::finders::simulate::stimuli::{Stimuli, change_few};
use crate::finders::simulate::swing::{self, Swing};
use crate::finders::simulate::vectors::{Vectors, bits, values};
use crate::finders::simulation::INITIAL_STATES;
use crate::knowledge::chains::{CheckedChain, keep_needed};
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::random_simulation::Random;
use crate::session::{Engine, Session, Stop};
use crate::step::code::{PACK, Program};
use crate::step::initial::initial_states;
use crate::step::size::Size;
use crate::turn::{Finder, Found, Turn};
use cells::{Cells, Entry, Key, Place, Way};
use model::id::Id;
use model::system::StateId;
use model::trace::Trace;
use needs::{Nearest, Needs, Purpose, count_met, next_facts};
use novel::{Lookahead, Novelty, Waiting};
use std::sync::Arc;

/// Entries near to a goal that turn out to lack more than was known, until another goal has its turn.
const CORRECTIONS: usize = 32;
/// Longest hold, in steps: of the first turn, and of any.
const LONGEST_HOLD: (u64, u64) = (1 << 12, 1 << 16);
/// Events on the way through a cell until it is left, for one hold.
const EVENTS: usize = 48;
/// Changes of an atom during one hold, after which they are no events: a divider, a blinking lamp.
const MOST_CHANGES: u8 = 6;
/// One part in so many of the work goes to holds that go on through the cells that they come to: where
/// hours and days are modes, a wait for the next week leads through many.
const PASSING: u64 = 6;
/// Events on the way of such a hold.
const EVENTS_IN_PASSING: usize = 512;
/// One part in so many of the work goes to inputs that swing.
const SWINGING: u64 = 5;
/// One part in so many of the work goes to queries.
const ASKING: u64 = 2;
/// One part in so many of the work goes to holds from states that are near to goals.
const DIRECTED: u64 = 3;
/// Of these one in so many lets inputs swing.
const DIRECTED_SWINGS: usize = 4;
/// To find out what is needed for goals may cost one part in so many of the work.
const NEEDS: u64 = 6;
/// One vector in so many has inputs that an open goal needs.
const AIMED: usize = 4;
/// Draws for a vector that was not held from a state yet.
const DRAWS: usize = 8;
/// Vectors of known chains that are gone on from, at most.
const MOST_KNOWN: usize = 32;
/// Vectors that have led to new cells and are gone on from, at most.
const MOST_USEFUL: usize = 128;
/// One hold in so many is watched step by step, to see which words count time and no events.
const WATCHED: usize = 8;
/// Holds in a row that lead to nothing new, after which a turn ends: that many at least, and one for
/// each state.
const LEAST_QUIET: usize = 4_096;
/// Holds in a row without a vector that is new, after which nothing is left to try.
const MOST_STALE: usize = 128;

/// See the module text.
pub(crate) struct ModeSearch<'s> {
    task: &'s Task<'s>,
    /// What the first turn makes, which may never come: counting gates takes time.
    begun: Option<Begun<'s>>,
    /// Where executions begin that the cells go on from.
    roots: Vec<Beginning>,
    vectors: Vectors,
    /// Numbers of vectors that have led to new cells.
    useful: Vec<u32>,
    /// Swings that have led to new states.
    swings: Vec<Swing>,
    /// Inputs, step by step, that have led to new states.
    paths: Vec<Vec<Hold>>,
    aims: Aims,
    nearest: Nearest,
    turns: u64,
}

/// The part of a search that its first turn makes.
struct Begun<'s> {
    cells: Cells,
    novelty: Novelty,
    needs: Needs<'s>,
    /// Gates of a step; `None` where queries do not suit: there are too many, or a query would choose
    /// results of the C library that may be none.
    gates: Option<u64>,
}

impl<'s> Begun<'s> {
    fn new(task: &'s Task<'s>, program: &Program) -> Self {
        let words = discrete_words(task);
        let asks = task.calls().is_empty();
        let gates = if asks { Size::of(task.system).gates.map(|gates| gates as u64) } else { None };
        Self {
            cells: Cells::new(&words, program.states),
            novelty: Novelty::new(&words, task, program),
            needs: Needs::new(task, gates),
            gates,
        }
    }
}

impl<'s> ModeSearch<'s> {
    pub(crate) fn new(task: &'s Task<'s>) -> Self {
        Self {
            nearest: Nearest::default(),
            task,
            begun: None,
            roots: Vec::new(),
            vectors: Vectors::default(),
            useful: Vec::new(),
            swings: Vec::new(),
            paths: Vec::new(),
            aims: Aims::default(),
            turns: 0,
        }
    }
}

impl Finder for ModeSearch<'_> {
    fn run(
        &mut self,
        known: &Knowledge,
        found: &mut Found,
        work: u64,
        session: &Session<'_>,
    ) -> Result<Turn, Stop> {
        let task = self.task;
        let open = known.open_goals();
        let program = Program::with_library(task);
        if !program.fits_words() {
            return Ok(Turn::Exhausted);
        }
        let begun = self.begun.get_or_insert_with(|| Begun::new(task, &program));
        let Begun { cells, novelty, needs, gates } = begun;
        if cells.has_no_modes() {
            return Ok(Turn::Exhausted);
        }
        self.nearest.keep(&open, needs);
        let mut player = Player::new(&program);
        let asked = self.aims.ask(task, &open, &mut player, session)?;
        let mut search = Search {
            task,
            player,
            stimuli: Stimuli::new(task.system, &program),
            guards: Guards::new(task, session.options.backend),
            program: &program,
            cells,
            roots: &mut self.roots,
            vectors: &mut self.vectors,
            useful: &mut self.useful,
            swings: &mut self.swings,
            paths: &mut self.paths,
            novelty,
            needs,
            nearest: &mut self.nearest,
            gates: *gates,
            wanted: self.aims.of(&open),
            aims: &self.aims,
            random: Random::new(session.options.seed.wrapping_add(self.turns)),
            covered: Goals::all_but(task, &open),
            open: open.clone(),
            found: Vec::new(),
            longest_hold: (LONGEST_HOLD.0 << (2 * self.turns).min(16)).min(LONGEST_HOLD.1),
            spent: asked,
            spent_in_passing: 0,
            spent_in_swings: 0,
            spent_in_queries: 0,
            spent_directed: 0,
            spent_in_needs: 0,
            spent_in_direct_queries: 0,
        };
        self.turns += 1;
        search.begin(known.chains(), session)?;
        let ended = search.run(work, session);
        let chains = std::mem::take(&mut search.found);
        let covered = open.len() - search.open.len();
        if covered > 0 {
            let text = format!(
                "{covered} more goals covered, by way of {} combinations of modes",
                search.cells.len()
            );
            session.record(Engine::Simulation, text);
            let mut all = [known.chains(), &chains[..]].concat();
            keep_needed(task, &mut all, &task.vertices().collect::<Vec<_>>(), 0);
            found.offer(all);
        }
        ended
    }
}

/// What a position is.
struct Met {
    /// Whether it is in another cell.
    is_elsewhere: bool,
    /// Whether an open goal was covered, and an execution may end there.
    is_chain: bool,
    /// Where it belongs, if it is worth entering.
    wanted: Option<Place>,
    /// The packed truths of its atoms.
    atoms: Vec<u32>,
}

/// How often atoms have changed during a hold.
#[derive(Default)]
struct Changes {
    /// The packed truths that were seen last.
    last: Vec<u32>,
    counts: Vec<[u8; PACK]>,
    /// The atoms whose changes are events.
    events: Vec<u32>,
}

impl Changes {
    /// Notes packed truths. Whether there are fewer events now.
    fn note(&mut self, atoms: &[u32]) -> bool {
        if self.last.is_empty() {
            self.counts = vec![[0; PACK]; atoms.len()];
            self.events = vec![u32::MAX; atoms.len()];
            self.last = atoms.to_vec();
            return false;
        }
        let mut is_less = false;
        for (number, &truths) in atoms.iter().enumerate() {
            let mut changed = truths ^ self.last[number];
            while changed != 0 {
                let place = changed.trailing_zeros() as usize;
                changed &= changed - 1;
                let count = &mut self.counts[number][place];
                *count += 1;
                if *count == MOST_CHANGES {
                    self.events[number] &= !(1 << place);
                    is_less = true;
                }
                *count = (*count).min(MOST_CHANGES);
            }
        }
        self.last.copy_from_slice(atoms);
        is_less
    }
}

/// A turn.
struct Search<'a, 'p, 's> {
    task: &'a Task<'a>,
    program: &'p Program,
    player: Player<'p>,
    stimuli: Stimuli,
    guards: Guards,
    cells: &'a mut Cells,
    roots: &'a mut Vec<Beginning>,
    vectors: &'a mut Vectors,
    useful: &'a mut Vec<u32>,
    swings: &'a mut Vec<Swing>,
    paths: &'a mut Vec<Vec<Hold>>,
    novelty: &'a mut Novelty,
    needs: &'a mut Needs<'s>,
    nearest: &'a mut Nearest,
    gates: Option<u64>,
    aims: &'a Aims,
    /// What inputs open goals need.
    wanted: Vec<Aim>,
    random: Random,
    open: Vec<Vertex>,
    /// All goals that are not open.
    covered: Goals,
    found: Vec<CheckedChain>,
    /// Most steps of one hold.
    longest_hold: u64,
    /// Evaluated instructions beside those of the player.
    spent: u64,
    /// Those of the player in holds that go on through further cells.
    spent_in_passing: u64,
    /// Those of the player while inputs swing.
    spent_in_swings: u64,
    /// What queries count for, and what they lead to.
    spent_in_queries: u64,
    /// Those of the player in holds from states that are near to goals.
    spent_directed: u64,
    /// What it costs to find out what goals need.
    spent_in_needs: u64,
    /// What queries about what a goal lacks count for, and what they lead to.
    spent_in_direct_queries: u64,
}

impl Search<'_, '_, '_> {
    /// Enters the initial states, and the last states of chains that are new.
    fn begin(&mut self, chains: &[CheckedChain], session: &Session<'_>) -> Result<(), Stop> {
        let zeros = self.vectors.number(&vec![0; self.program.inputs]);
        if self.roots.is_empty() {
            self.useful.push(zeros);
            for initial in initial_states(self.task, INITIAL_STATES, session)?.unwrap_or_default() {
                self.enter_root(Beginning::initial(&initial));
            }
        }
        for chain in chains {
            for row in chain.trace.inputs.iter().rev() {
                let number = self.vectors.number(&bits(row));
                if self.useful.len() < MOST_KNOWN && !self.useful.contains(&number) {
                    self.useful.push(number);
                }
            }
            self.enter_root(Beginning::end_of(&Arc::new(chain.clone())));
        }
        Ok(())
    }

    fn enter_root(&mut self, beginning: Beginning) {
        let state = beginning.state.clone();
        let (atoms, _) = look(&mut self.player, &state);
        let root = self.roots.len() as u32;
        let entry = Entry::root(state.clone().into(), root, beginning.steps());
        let place = Place::new(self.cells.key(&entry.state), &atoms, &entry.active);
        if self.cells.wants(&place, entry.length) {
            let number = self.cells.enter(entry, place);
            self.note(number, &state);
            self.roots.push(beginning);
        }
    }

    fn run(&mut self, work: u64, session: &Session<'_>) -> Result<Turn, Stop> {
        let longest = session.longest_execution(self.program.cost).min(1 << 22);
        let (mut stale, mut number) = (0, 0_usize);
        // Entries, and the number of the hold that has led to the last one.
        let mut news = (self.cells.entries(), 0);
        while self.player.cost + self.spent < work && !self.open.is_empty() {
            session.check_limits()?;
            if self.spent_in_queries * ASKING <= self.player.cost + self.spent && self.look_ahead(session)? {
                continue;
            }
            let Some(from) = self.cells.pick(&mut self.random) else { return Ok(Turn::Idle) };
            // Where inputs are few, all were held at some time, while more may swing.
            let swings = self.spent_in_swings * SWINGING <= self.player.cost;
            let watches = (number + 1).is_multiple_of(WATCHED);
            let is_directed = self.spent_directed * DIRECTED <= self.player.cost;
            let is_new = is_directed && self.go_directly(longest, session)?
                || !swings && self.try_hold(from, longest, watches)?
                || self.try_swing(from, longest)?;
            if !is_new {
                stale += 1;
                if stale > MOST_STALE {
                    return Ok(Turn::Idle);
                }
                continue;
            }
            stale = 0;
            number += 1;
            let entries = self.cells.entries();
            if entries > news.0 {
                news = (entries, number);
            } else if number - news.1 > LEAST_QUIET.max(entries) {
                break;
            }
        }
        // Where there is no limit of time, this would never end: others go on.
        Ok(if session.options.deadline.is_some() { Turn::Open } else { Turn::Idle })
    }

    /// A vector to go on with: mostly a useful one or the last one.
    fn base(&mut self, from: u32) -> Vec<u64> {
        let last = self.cells.entry(from).last().filter(|_| self.random.below(2) == 0);
        let mut inputs = match last {
            Some(Way::Hold(hold)) => self.vectors.get(hold.inputs).to_vec(),
            Some(Way::Swing(number, _)) => self.swings[number as usize].pair[0].clone(),
            Some(Way::Path(number)) => {
                let path = &self.paths[number as usize];
                self.vectors.get(path[path.len() - 1].inputs).to_vec()
            }
            None => self.vectors.get(self.useful[self.random.below(self.useful.len())]).to_vec(),
        };
        if self.random.below(AIMED) == 0 {
            take_one(&self.wanted, &mut inputs, &mut self.random);
        }
        inputs
    }

    /// Holds a vector that was not held from this state yet, with few changes, if one is found.
    fn try_hold(&mut self, from: u32, longest: u64, watches: bool) -> Result<bool, Stop> {
        for _ in 0..DRAWS {
            let mut inputs = self.base(from);
            let state = &self.cells.entry(from).state;
            let means = (&self.stimuli, &mut self.guards);
            change_few(&mut inputs, state, means, &mut self.random, &mut self.spent);
            if self.cells.tries(from, &inputs) {
                if watches {
                    self.watch(from, &inputs);
                }
                self.expand(from, &inputs, longest)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Holds inputs that a goal needs next from a state that is near to it, if some are found that
    /// were not held there yet.
    fn go_directly(&mut self, longest: u64, session: &Session<'_>) -> Result<bool, Stop> {
        let Some((goal, from, own)) = self.pick_near(Purpose::Hold, session)? else { return Ok(false) };
        self.nearest.note_try(goal, from);
        let state = self.cells.entry(from).state.clone();
        let before = self.player.cost;
        let aims: Vec<Aim> = self.needs.aims(goal, &own, &mut self.random).into_iter().cloned().collect();
        let aim = aims.first().cloned().unwrap_or_default();
        if self.random.below(DIRECTED_SWINGS) == 0 {
            let is_new = self.swing_directly(from, &aim, longest)?;
            self.spent_directed += self.player.cost - before;
            return Ok(is_new);
        }
        let met = self.needs.lack(goal, &own).map_or_else(Vec::new, |lack| lack.met);
        for draw in 0..DRAWS {
            let mut inputs = self.base(from);
            if draw % 2 == 0 {
                // Where several things must come about and last, all that they need is held at once.
                let all = aims.iter().rev().flatten();
                all.for_each(|&(input, value)| inputs[input] = value);
                self.keep(&state, &mut inputs, &met);
            } else {
                // What keeps the present mode may be worth more than what the aim says of an input.
                for &(input, value) in &aim {
                    if self.random.below(3) > 0 {
                        inputs[input] = value;
                    }
                }
                if self.random.below(2) == 0 {
                    let means = (&self.stimuli, &mut self.guards);
                    change_few(&mut inputs, &state, means, &mut self.random, &mut self.spent);
                }
            }
            if self.cells.tries(from, &inputs) {
                let ended = self.hold(from, &inputs, longest, false);
                self.spent_directed += self.player.cost - before;
                return ended.map(|()| true);
            }
        }
        self.spent_directed += self.player.cost - before;
        Ok(false)
    }

    /// Changes inputs, one at a time, so that the next step from a state keeps more of what is needed
    /// and is so, until it keeps all of it or no change of one input helps.
    fn keep(&mut self, state: &[u64], inputs: &mut [u64], met: &[Vec<usize>]) {
        let sorts = &self.program.input_sorts;
        let masks: Vec<u64> = sorts.iter().map(|sort| sort.mask() as u64).collect();
        let mut best = self.kept(state, inputs, met);
        let mut order: Vec<usize> = (0..inputs.len()).collect();
        self.random.shuffle(&mut order);
        for input in order {
            if best == met.len() {
                return;
            }
            let before = inputs[input];
            for value in [0, 1, masks[input]] {
                if value == before {
                    continue;
                }
                inputs[input] = value;
                let kept = self.kept(state, inputs, met);
                if kept > best {
                    best = kept;
                    break;
                }
                inputs[input] = before;
            }
        }
    }

    /// How much of what is needed and is so one step keeps.
    fn kept(&mut self, state: &[u64], inputs: &[u64], met: &[Vec<usize>]) -> usize {
        let own = next_facts(state, inputs, self.novelty, &mut self.player);
        own.map_or(0, |own| count_met(met, &own))
    }

    /// Lets inputs swing with what a goal needs next in both vectors, if such a swing is found that
    /// was not tried there yet: what counts pulses may lack nothing but these.
    fn swing_directly(&mut self, from: u32, aim: &Aim, longest: u64) -> Result<bool, Stop> {
        for _ in 0..DRAWS {
            let base = self.base(from);
            let state = &self.cells.entry(from).state;
            let means = (&self.stimuli, &mut self.guards);
            let swing = Swing::draw(base, state, means, &mut self.random, &mut self.spent);
            let swing = swing.and_then(|swing| {
                let wanted = aim.iter().filter(|_| self.random.below(3) > 0);
                swing.with(wanted.copied())
            });
            if let Some(swing) = swing.filter(|swing| self.cells.tries(from, swing)) {
                return self.swing(from, swing, longest).map(|()| true);
            }
        }
        Ok(false)
    }

    /// Asks for ways to what is new from the state that waits for it longest, and for ways to what
    /// goals lack from states that are near to them, in turns. Whether there was such a state.
    fn look_ahead(&mut self, session: &Session<'_>) -> Result<bool, Stop> {
        let before = self.player.cost + self.spent;
        let near = match self.spent_in_direct_queries * 2 <= self.spent_in_queries {
            true => self.pick_near(Purpose::Look, session)?,
            false => None,
        };
        let is_direct = near.is_some();
        let ended = match near {
            Some(near) => self.look_ahead_directly(near, session),
            None => {
                let Some(waiting) = self.novelty.next() else { return Ok(false) };
                self.look_ahead_from(waiting, session)
            }
        };
        let spent = self.player.cost + self.spent - before;
        self.spent_in_queries += spent;
        self.spent_in_direct_queries += if is_direct { spent } else { 0 };
        ended.map(|()| true)
    }

    /// A goal, each in its turn, the entry that is nearest to it, and the facts of that one.
    fn pick_near(
        &mut self,
        purpose: Purpose,
        session: &Session<'_>,
    ) -> Result<Option<(Vertex, u32, Vec<usize>)>, Stop> {
        for goal in self.nearest.in_turn(purpose) {
            for _ in 0..CORRECTIONS {
                let Some(entry) = self.nearest.best(goal, purpose) else { break };
                let state = self.cells.entry(entry).state.clone();
                let own = self.facts(&state);
                self.find_needs(goal, &own, session)?;
                if !self.nearest.correct(self.needs, (goal, entry), &own) {
                    break;
                }
                // What was found out since may tell that others are nearer.
                if self.nearest.best(goal, purpose).is_some_and(|now| now == entry) {
                    return Ok(Some((goal, entry, own)));
                }
            }
        }
        Ok(None)
    }

    /// Asks for ways from an entry to what a goal lacks there.
    fn look_ahead_directly(
        &mut self,
        (goal, from, own): (Vertex, u32, Vec<usize>),
        session: &Session<'_>,
    ) -> Result<(), Stop> {
        let Some(gates) = self.gates else { return Ok(()) };
        let frames = self.nearest.next_look(goal, from);
        let state = self.cells.entry(from).state.clone();
        let Some(lack) = self.needs.lack(goal, &own) else { return Ok(()) };
        let beginning = (frames, values(&state, &self.program.state_sorts), gates);
        let Some(mut ahead) = Lookahead::new(self.task, beginning, session, &mut self.spent)? else {
            return Ok(());
        };
        if let Some(way) = ahead.ask_for((goal, &lack), self.novelty, session, &mut self.spent)? {
            self.follow(from, &way)?;
        }
        Ok(())
    }

    /// Finds out what is needed for what a state with these facts lacks for a goal.
    fn find_needs(&mut self, goal: Vertex, own: &[usize], session: &Session<'_>) -> Result<(), Stop> {
        let allowed = ((self.player.cost + self.spent) / NEEDS).saturating_sub(self.spent_in_needs);
        let before = self.player.cost;
        let cost = self.needs.ask((goal, own), (self.novelty, &mut self.player), allowed, session)?;
        self.spent += cost;
        self.spent_in_needs += cost + self.player.cost - before;
        Ok(())
    }

    fn look_ahead_from(&mut self, waiting: Waiting, session: &Session<'_>) -> Result<(), Stop> {
        let Some(gates) = self.gates else { return Ok(()) };
        let state = self.cells.entry(waiting.entry).state.clone();
        let beginning = (waiting.frames(), values(&state, &self.program.state_sorts), gates);
        let Some(mut ahead) = Lookahead::new(self.task, beginning, session, &mut self.spent)? else {
            return Ok(());
        };
        let own = self.facts(&state);
        loop {
            let goals: Vec<Vertex> =
                self.open.iter().copied().filter(|&goal| self.task.steps(goal) == 1).collect();
            match ahead.ask((&own, self.novelty), &goals, session, &mut self.spent)? {
                Some(way) => {
                    let before = self.cells.entries();
                    self.follow(waiting.entry, &way)?;
                    // Where nothing comes of it the same would be found again.
                    if self.cells.entries() == before {
                        break;
                    }
                }
                None => break,
            }
        }
        self.novelty.put_off(waiting, ahead.goes_on());
        Ok(())
    }

    /// Goes on from a state under these inputs, step by step.
    fn follow(&mut self, from: u32, way: &Trace) -> Result<(), Stop> {
        let entry = self.cells.entry(from);
        let length = entry.length;
        let mut position = Position::start(entry.state.to_vec());
        position.active = entry.active.to_vec();
        let (mut parent, mut holds) = (from, Vec::new());
        for (step, row) in way.inputs.iter().enumerate() {
            let inputs = bits(row);
            let cell = self.cells.key(&position.state);
            position.covered = self.covered;
            let before = position.covered;
            if self.player.hold(&mut position, &inputs, Order::exactly(1)) != Ended::Done {
                return Ok(());
            }
            let vector = self.vectors.number(&inputs);
            join(&mut holds, Hold { inputs: vector, steps: 1 });
            let is_goal = position.covered != before;
            let met = self.meet(&cell, &position, (is_goal, length + position.steps));
            let is_last = step + 1 == way.inputs.len();
            let place = met.wanted.or_else(|| is_last.then(|| self.place(&position)));
            if let Some(place) = place {
                self.paths.push(std::mem::take(&mut holds));
                let way = (parent, Way::Path(self.paths.len() as u32 - 1));
                parent = self.enter(&position, place, way, length + position.steps);
                if met.is_elsewhere && self.useful.len() < MOST_USEFUL && !self.useful.contains(&vector) {
                    self.useful.push(vector);
                }
                if met.is_chain {
                    self.cover(parent)?;
                }
            }
        }
        Ok(())
    }

    /// Lets inputs swing as they did not from this state yet, if that is found: as they did before it,
    /// with few changes, or anew.
    fn try_swing(&mut self, from: u32, longest: u64) -> Result<bool, Stop> {
        for _ in 0..DRAWS {
            let base = self.base(from);
            let goes_on = self.random.below(2) == 0;
            let entry = self.cells.entry(from);
            let means = (&self.stimuli, &mut self.guards);
            let swing = match entry.last() {
                Some(Way::Swing(number, _)) if goes_on => {
                    let before = &self.swings[number as usize];
                    Some(before.changed(&entry.state, means, &mut self.random, &mut self.spent))
                }
                _ => Swing::draw(base, &entry.state, means, &mut self.random, &mut self.spent),
            };
            if let Some(swing) = swing.filter(|swing| self.cells.tries(from, swing)) {
                let before = self.player.cost;
                let ended = self.swing(from, swing, longest);
                self.spent_in_swings += self.player.cost - before;
                return ended.map(|()| true);
            }
        }
        Ok(false)
    }

    /// Finds out which words count time under held inputs: their values make no modes.
    fn watch(&mut self, from: u32, inputs: &[u64]) {
        let mut position = Position::start(self.cells.entry(from).state.to_vec());
        let mut states = vec![position.state.clone()];
        for _ in 0..cells::IN_A_ROW {
            if self.player.hold(&mut position, inputs, Order::exactly(1)) != Ended::Done {
                return;
            }
            states.push(position.state.clone());
        }
        let timers = self.cells.note_timers(&states);
        if !timers.is_empty() {
            timers.into_iter().for_each(|word| self.novelty.leave_out(StateId::new(word)));
            let player = &mut self.player;
            self.cells.sort_again(|state| look(player, state).0);
        }
    }

    /// Holds inputs from a state until its cell changes, nothing will ever happen, or enough has.
    fn expand(&mut self, from: u32, inputs: &[u64], longest: u64) -> Result<(), Stop> {
        let (passes, before) = (self.spent_in_passing * PASSING <= self.player.cost, self.player.cost);
        let ended = self.hold(from, inputs, longest, passes);
        if passes {
            self.spent_in_passing += self.player.cost - before;
        }
        ended
    }

    fn hold(&mut self, from: u32, inputs: &[u64], longest: u64, passes: bool) -> Result<(), Stop> {
        let ended = self.hold_through_events(from, inputs, longest, passes);
        self.player.ignore(&vec![u32::MAX; self.program.packed_atoms.len()]);
        ended
    }

    fn hold_through_events(
        &mut self,
        from: u32,
        inputs: &[u64],
        longest: u64,
        passes: bool,
    ) -> Result<(), Stop> {
        let events = if passes { EVENTS_IN_PASSING } else { EVENTS };
        let entry = self.cells.entry(from);
        let (mut cell, length) = (self.cells.key(&entry.state), entry.length);
        let mut position = Position::start(entry.state.to_vec());
        position.active = entry.active.to_vec();
        // The entry that was come through last, and the steps up to it.
        let (mut parent, mut entered_at) = (from, 0);
        let mut changes = Changes::default();
        for _ in 0..events {
            position.covered = self.covered;
            let (before, steps) = (position.covered, position.steps);
            let most = longest.saturating_sub(length + steps).min(self.longest_hold);
            if most == 0 {
                return Ok(());
            }
            let ended = self.player.hold(&mut position, inputs, Order::next_event(most));
            let is_goal = position.covered != before;
            if position.steps == steps || ended == Ended::Idle && !is_goal {
                return Ok(());
            }
            let met = self.meet(&cell, &position, (is_goal, length + position.steps));
            // What goes on through cells sees modes again and again.
            if !passes && changes.note(&met.atoms) {
                self.player.ignore(&changes.events);
            }
            let is_elsewhere = met.is_elsewhere;
            if let Some(place) = met.wanted {
                // Only vectors that lead somewhere are kept.
                let vector = self.vectors.number(inputs);
                let way = Way::Hold(Hold { inputs: vector, steps: position.steps - entered_at });
                parent = self.enter(&position, place, (parent, way), length + position.steps);
                entered_at = position.steps;
                if is_elsewhere && self.useful.len() < MOST_USEFUL && !self.useful.contains(&vector) {
                    self.useful.push(vector);
                }
                if met.is_chain {
                    self.cover(parent)?;
                }
            }
            if is_elsewhere && !passes || ended == Ended::Refused {
                return Ok(());
            }
            if is_elsewhere {
                cell = self.cells.key(&position.state);
            }
        }
        Ok(())
    }

    /// Lets inputs swing from a state until its cell changes, or for long enough.
    fn swing(&mut self, from: u32, swing: Swing, longest: u64) -> Result<(), Stop> {
        let entry = self.cells.entry(from);
        let (cell, length) = (self.cells.key(&entry.state), entry.length);
        let mut position = Position::start(entry.state.to_vec());
        position.active = entry.active.to_vec();
        let most = longest.saturating_sub(length).min(swing::MOST_STEPS);
        let (mut parent, mut periods, mut number) = (from, 0, None);
        let mut events = 0;
        while position.steps + swing.period() <= most && events < EVENTS {
            position.covered = self.covered;
            let before = position.covered;
            if !swing.play(&mut self.player, &mut position) {
                return Ok(());
            }
            periods += 1;
            let is_goal = position.covered != before;
            let met = self.meet(&cell, &position, (is_goal, length + position.steps));
            if let Some(place) = met.wanted {
                let number = *number.get_or_insert_with(|| {
                    self.swings.push(swing.clone());
                    self.swings.len() as u32 - 1
                });
                let way = (parent, Way::Swing(number, periods));
                parent = self.enter(&position, place, way, length + position.steps);
                (periods, events) = (0, events + 1);
                if met.is_chain {
                    self.cover(parent)?;
                }
            }
            if met.is_elsewhere {
                return Ok(());
            }
        }
        Ok(())
    }

    /// What a position is that was come to from a cell.
    fn meet(&mut self, cell: &Key, position: &Position, (is_goal, length): (bool, u64)) -> Met {
        let (atoms, may_end) = look(&mut self.player, &position.state);
        let place = Place::new(self.cells.key(&position.state), &atoms, &position.active);
        let (is_elsewhere, is_chain) = (place.cell != *cell, is_goal && may_end);
        let is_wanted = is_chain || self.cells.wants(&place, length);
        Met { is_elsewhere, is_chain, wanted: is_wanted.then_some(place), atoms }
    }

    fn place(&mut self, position: &Position) -> Place {
        let (atoms, _) = look(&mut self.player, &position.state);
        Place::new(self.cells.key(&position.state), &atoms, &position.active)
    }

    fn enter(&mut self, position: &Position, place: Place, parent: (u32, Way), length: u64) -> u32 {
        let entry = Entry {
            state: position.state.clone().into(),
            root: self.cells.entry(parent.0).root,
            parent: Some(parent),
            length,
            active: position.active.clone().into(),
        };
        let number = self.cells.enter(entry, place);
        self.note(number, &position.state);
        number
    }

    /// The facts of a state.
    fn facts(&mut self, state: &[u64]) -> Vec<usize> {
        let (truths, _) = look(&mut self.player, state);
        self.novelty.of((state, &truths))
    }

    /// Notes the facts of a new entry.
    fn note(&mut self, entry: u32, state: &[u64]) {
        let facts = self.facts(state);
        let length = self.cells.entry(entry).length;
        let is_nearer = self.nearest.note(self.needs, (entry, length), &facts);
        self.novelty.enter(entry, &facts, is_nearer);
    }

    /// Makes the chain to an entry where an open goal was covered.
    fn cover(&mut self, number: u32) -> Result<(), Stop> {
        let (mut at, mut parts) = (number, Vec::new());
        while let Some((parent, way)) = self.cells.entry(at).parent {
            parts.push(way);
            at = parent;
        }
        let mut holds: Vec<Hold> = Vec::new();
        for way in parts.into_iter().rev() {
            match way {
                Way::Hold(hold) => join(&mut holds, hold),
                Way::Swing(number, periods) => {
                    let swung = self.swings[number as usize].holds(periods, self.vectors);
                    swung.into_iter().for_each(|hold| join(&mut holds, hold));
                }
                Way::Path(number) => {
                    self.paths[number as usize].iter().for_each(|&hold| join(&mut holds, hold));
                }
            }
        }
        let entry = self.cells.entry(number);
        self.spent += EVALUATED * self.program.cost * entry.length;
        let inputs = self.vectors.inputs(&holds, &self.program.input_sorts);
        let goals: Vec<Vertex> = self.task.vertices().collect();
        let beginning = &self.roots[entry.root as usize];
        if let Some(chain) = beginning.chain(self.task, inputs, &goals)? {
            self.open.retain(|&goal| !chain.covers(self.task.goal(goal)));
            self.covered = Goals::all_but(self.task, &self.open);
            self.nearest.keep(&self.open, self.needs);
            self.wanted = self.aims.of(&self.open);
            self.found.push(chain);
        }
        Ok(())
    }
}

/// The truths of atoms in a state where all inputs are zero, and whether an execution may end in it:
/// states are told apart by what they are, not by the inputs that come next.
fn look(player: &mut Player<'_>, state: &[u64]) -> (Vec<u32>, bool) {
    let program = player.program();
    let slots = program.packed_atoms.iter().copied().chain([program.end]);
    let mut words = player.computed(state, &vec![0; program.inputs], slots);
    let may_end = words.pop().is_some_and(|end| end != 0);
    (words.into_iter().map(|word| word as u32).collect(), may_end)
}
