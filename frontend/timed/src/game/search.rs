//! The game over ticks: positions, moves of the tester, and who wins.

use super::moves::{Board, Delay, Label, Taken};
use super::{Force, Limit};
use crate::interpret::index;
use crate::system::{Direction, Target};
use spec::evaluate::holds;
use spec::scope::VariableId;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A run that has not won: its state, and how far it is. 0 transitions of a path and more; or
/// [`REACHED`], where only a state is missing in which a chain may end.
type Run = (usize, u32);

const REACHED: u32 = u32::MAX;

/// The runs that are possible after what the tester saw.
type Position = BTreeSet<Run>;

/// A plan of the tester: to send when a time has passed, or to wait.
type Plan = Option<(Delay, Label)>;

/// Decides who wins; first with some moves of the tester, then with all.
pub(super) fn decide(board: &mut Board<'_>, target: &Target) -> Force {
    let mut why = Limit::Positions;
    for has_all in [false, true] {
        match Game::new(board, target, has_all).play() {
            Ok(true) => return Force::CanBeForced,
            Ok(false) if has_all => return Force::NeedsCooperation { over_ticks: true },
            Ok(false) => {}
            Err(limit) => why = limit,
        }
    }
    Force::Undecided(why)
}

struct Game<'b, 's> {
    board: &'b mut Board<'s>,
    target: &'b Target,
    /// Whether the tester has all his moves.
    has_all: bool,
    positions: Vec<Position>,
    numbers: HashMap<Position, usize>,
    /// For each position that was looked at, and each move of the tester, what may follow.
    moves: Vec<Vec<Vec<usize>>>,
}

/// Events that are looked at in the time in which one transition is tried.
const LOOKS: u64 = 8;

/// How many positions become known before it is looked again at who wins, at first.
const FIRST_LOOK: usize = 64;

impl<'b, 's> Game<'b, 's> {
    fn new(board: &'b mut Board<'s>, target: &'b Target, has_all: bool) -> Self {
        Self { board, target, has_all, positions: Vec::new(), numbers: HashMap::new(), moves: Vec::new() }
    }
    fn number(&mut self, position: Position) -> usize {
        if let Some(&known) = self.numbers.get(&position) {
            return known;
        }
        let number = self.positions.len();
        self.positions.push(position.clone());
        self.numbers.insert(position, number);
        number
    }

    /// Whether the tester wins with the moves that he has.
    fn play(&mut self) -> Result<bool, Limit> {
        let most = self.board.grant();
        let starts = self.board.starts()?.into_iter().map(|state| (state, 0)).collect();
        self.number(starts);
        let mut look = FIRST_LOOK;
        let mut limit = None;
        while self.moves.len() < self.positions.len() {
            if self.positions.len() > most {
                limit = Some(Limit::Positions);
                break;
            }
            match self.moves_of(self.moves.len()) {
                Ok(moves) => self.moves.push(moves),
                Err(why) => {
                    limit = Some(why);
                    break;
                }
            }
            if self.moves.len() >= look {
                look *= 2;
                if self.is_won() {
                    return Ok(true);
                }
            }
        }
        match (self.is_won(), limit) {
            (true, _) => Ok(true),
            (false, None) => Ok(false),
            (false, Some(why)) => Err(why),
        }
    }
    /// Whether the first position is won by moves that are known.
    fn is_won(&self) -> bool {
        let mut won: Vec<bool> = self.positions.iter().map(BTreeSet::is_empty).collect();
        loop {
            let mut has_grown = false;
            for (position, moves) in self.moves.iter().enumerate().rev() {
                if !won[position] && moves.iter().any(|next| next.iter().all(|&next| won[next])) {
                    won[position] = true;
                    has_grown = true;
                }
            }
            if !has_grown || won[0] {
                return won[0];
            }
        }
    }

    /// The moves of the tester in a position that the others cannot thwart by silence.
    fn moves_of(&mut self, position: usize) -> Result<Vec<Vec<usize>>, Limit> {
        let runs = self.positions[position].clone();
        let mut found = Vec::new();
        for plan in self.plans(&runs)? {
            found.extend(self.follow(&runs, &plan)?);
        }
        Ok(found)
    }
    fn plans(&mut self, runs: &Position) -> Result<Vec<Plan>, Limit> {
        let mut plans = BTreeMap::new();
        for &(state, _) in runs {
            let location = self.board.state(state).location;
            for edge in self.board.system.edges_from(location) {
                let channel = self.board.system.edges[edge].channel;
                if self.board.system.channels[channel].direction != Direction::Input {
                    continue;
                }
                let messages = match self.has_all {
                    true => self.board.messages(channel)?,
                    false => self.board.some_messages(channel),
                };
                for message in messages {
                    let delays: BTreeSet<Delay> = match self.has_all {
                        true => (0..=self.board.longest()).collect(),
                        false => self.board.some_delays(state, edge, &message),
                    };
                    let key = (channel, format!("{message:?}"));
                    let (_, known) = plans.entry(key).or_insert_with(|| (message, BTreeSet::new()));
                    known.extend(delays);
                }
            }
        }
        let mut found = vec![None];
        for ((channel, _), (message, delays)) in plans {
            found.extend(delays.into_iter().map(|delay| Some((delay, (channel, message.clone())))));
        }
        Ok(found)
    }
    /// What may follow a plan; none where the others thwart it.
    fn follow(&mut self, runs: &Position, plan: &Plan) -> Result<Option<Vec<usize>>, Limit> {
        let mut seen: HashMap<(Delay, Label), Position> = HashMap::new();
        let mut sent = Position::new();
        let mut is_sent = false;
        for &(state, progress) in runs {
            let others = self.board.others(state)?;
            self.board.spend(1 + others.events.len() as u64 / LOOKS)?;
            let until = plan.as_ref().map(|(delay, _)| *delay);
            for (delay, label, taken) in &others.events {
                if until.is_none_or(|until| *delay <= until) {
                    let behind = seen.entry((*delay, label.clone())).or_default();
                    behind.extend(self.run(state, progress, *taken));
                }
            }
            let Some((delay, label)) = plan else {
                if others.silence.is_none() {
                    return Ok(None);
                }
                continue;
            };
            if others.silence.is_some_and(|silence| silence < *delay) {
                continue;
            }
            let taken = self.board.stimulated(state, *delay, label)?;
            if taken.is_empty() {
                return Ok(None);
            }
            is_sent = true;
            for &taken in taken.iter() {
                sent.extend(self.run(state, progress, taken));
            }
        }
        let all = seen.into_values().chain(is_sent.then_some(sent));
        let next: BTreeSet<usize> = all.map(|position| self.number(position)).collect();
        Ok(Some(next.into_iter().collect()))
    }
    /// The run behind a transition; none where it has won.
    fn run(&self, before: usize, progress: u32, (edge, behind): Taken) -> Option<Run> {
        let progress =
            if progress == REACHED { REACHED } else { self.progress(before, progress, (edge, behind)) };
        let finals = &self.board.system.finals;
        let may_end = finals.is_empty() || finals.contains(&self.board.state(behind).location);
        (progress != REACHED || !may_end).then_some((behind, progress))
    }
    fn progress(&self, before: usize, progress: u32, (edge, behind): Taken) -> u32 {
        let is_reached = match self.target {
            Target::Path(path) => {
                let longest = longest_prefix(path, progress as usize, edge);
                return if longest == path.len() { REACHED } else { longest as u32 };
            }
            Target::State(state) => {
                [before, behind].iter().any(|&number| self.board.state(number).location == *state)
            }
            Target::Condition(_) => {
                let values = &self.board.state(behind).values;
                let value = |variable: VariableId, _| values[index(variable)].clone();
                self.target.condition(self.board.system).is_some_and(|condition| holds(condition, &value))
            }
        };
        if is_reached { REACHED } else { 0 }
    }
}

/// How many transitions at the beginning of a path were taken last, where it were `known` before
/// `edge` was.
fn longest_prefix(path: &[usize], known: usize, edge: usize) -> usize {
    let taken: Vec<usize> = path[..known].iter().copied().chain([edge]).collect();
    let most = taken.len().min(path.len());
    (0..=most).rev().find(|&length| taken[taken.len() - length..] == path[..length]).unwrap_or(0)
}
