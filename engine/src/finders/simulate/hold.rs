//! Inputs held for as long as it takes.
//!
//! Ramps, integrators and long timers need one input vector for thousands of steps, while nothing
//! happens that a walk could see. So from Init and from where known chains have covered something,
//! input vectors are held until a goal occurs that nothing covers yet: all zero, those of known
//! chains, such with [what an open goal needs](super::aims), and their neighbours behind one guard.
//! Where the state only counts, the wait is leapt over. In part of the work inputs
//! [swing](super::swing) between two vectors.

use super::aims::{Aim, Aims, take_one};
use super::beginning::Beginning;
use super::chains::EVALUATED;
use super::goals::Goals;
use super::guards::Guards;
use super::player::{Order, Player, Position};
use super::stimuli::{Stimuli, change_few};
use super::swing::{self, Swing};
use super::vectors::{bits, values};
use crate::finders::simulation::INITIAL_STATES;
use crate::knowledge::chains::CheckedChain;
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::random_simulation::Random;
use crate::session::{Engine, Session, Stop};
use crate::step::code::Program;
use crate::step::initial::initial_states;
use crate::turn::{Finder, Found, Turn};
use model::value::Value;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Longest holds, in steps. Each gets an equal part of the work, and so do swings: where no wait can
/// be leapt over, the longest ones leave time for few others.
const LONGEST_HOLDS: [u64; 4] = [1 << 10, 1 << 12, 1 << 14, 1 << 16];
/// The class of swings, behind those of holds.
const SWINGS: usize = LONGEST_HOLDS.len();
/// Vectors of known chains that are gone on from, at most.
const MOST_KNOWN: usize = 32;
/// Places within known chains from which inputs are held, at most.
const MOST_PLACES: usize = 24;
/// Draws for a vector that was not held from a place yet.
const DRAWS: usize = 8;
/// Places in a row without a new vector, as a multiple of their number, after which nothing is left
/// to try.
const MOST_STALE: usize = 4;

/// See the module text.
pub(crate) struct HeldInputs<'s> {
    task: &'s Task<'s>,
    turns: u64,
    aims: Aims,
}

/// Where inputs are held from.
struct Place {
    beginning: Beginning,
    /// Vectors that were held from here, and for how long: the position of the longest hold.
    tried: FxHashSet<(Vec<u64>, usize)>,
    /// The inputs of the swing that has led here.
    swung: Option<Swing>,
}

impl<'s> HeldInputs<'s> {
    pub(crate) fn new(task: &'s Task<'s>) -> Self {
        Self::seeded(task, 0, Aims::default())
    }
    /// As after so many turns, each of which draws others, with what is known of inputs for goals.
    pub(crate) fn seeded(task: &'s Task<'s>, turns: u64, aims: Aims) -> Self {
        Self { task, turns, aims }
    }
    /// What it knows of inputs for goals.
    pub(crate) fn into_aims(self) -> Aims {
        self.aims
    }

    /// The ends of chains first: what goes on from there is one chain that covers more.
    fn places(&self, chains: &[CheckedChain], session: &Session<'_>) -> Result<Vec<Place>, Stop> {
        let initial = initial_states(self.task, INITIAL_STATES, session)?.unwrap_or_default();
        let chains: Vec<Arc<CheckedChain>> = chains.iter().cloned().map(Arc::new).collect();
        let ends = chains.iter().map(Beginning::end_of);
        let initial = initial.iter().take(MOST_KNOWN).map(Beginning::initial);
        let within = chains.iter().flat_map(|chain| Beginning::within(self.task, chain).rev());
        let place = |beginning| Place { beginning, tried: FxHashSet::default(), swung: None };
        Ok(ends.chain(initial).chain(within).take(MOST_PLACES).map(place).collect())
    }

    /// The chain that inputs have led to; `None`: it does not end in Final.
    fn chain(&self, place: &Place, inputs: Vec<Vec<Value>>) -> Result<Option<CheckedChain>, Stop> {
        let goals: Vec<Vertex> = self.task.vertices().collect();
        Ok(place.beginning.chain(self.task, inputs, &goals)?)
    }

    /// Holds inputs from places of these chains, which change and become more with each open goal
    /// that occurs.
    pub(crate) fn hold(
        &mut self,
        chains: &mut Vec<CheckedChain>,
        open: &mut Vec<Vertex>,
        work: u64,
        session: &Session<'_>,
    ) -> Result<Turn, Stop> {
        let task = self.task;
        let program = Program::with_library(task);
        if !program.fits_words() {
            return Ok(Turn::Exhausted);
        }
        let random = Random::new(session.options.seed.wrapping_add(self.turns));
        self.turns += 1;
        let mut player = Player::new(&program);
        player.ignore(&vec![0; program.packed_atoms.len()]);
        let places = self.places(chains, session)?;
        let queries = self.aims.ask(task, open, &mut player, session)?;
        let mut holding = Holding {
            program: &program,
            player,
            stimuli: Stimuli::new(task.system, &program),
            guards: Guards::new(task, session.options.backend),
            random,
            vectors: known_vectors(chains, &program),
            aims: self.aims.of(open),
            places,
            longest: session.longest_execution(program.cost),
            queries,
            replayed: 0,
            spent: [0; SWINGS + 1],
        };
        let (mut number, mut stale) = (0, 0);
        while holding.cost() < work && !open.is_empty() && !holding.places.is_empty() {
            session.check_limits()?;
            let chosen = number % holding.places.len();
            number += 1;
            let class = holding.cheapest_class();
            let Some(inputs) = holding.draw(chosen, class) else {
                stale += 1;
                if stale > MOST_STALE * holding.places.len() {
                    return Ok(Turn::Idle);
                }
                continue;
            };
            stale = 0;
            let Some((rows, swing)) = holding.go_on(chosen, &inputs, class, Goals::all_but(task, open))
            else {
                continue;
            };
            let steps = rows.len();
            let Some(chain) = self.chain(&holding.places[chosen], rows)? else { continue };
            open.retain(|&goal| !chain.covers(task.goal(goal)));
            holding.aims = self.aims.of(open);
            let (all, covered) = (task.len(), task.len() - open.len());
            let text = format!("{covered} of {all} goals decided, by holding inputs for {steps} steps");
            session.record(Engine::Simulation, text);
            if chosen < chains.len() {
                chains[chosen] = chain;
            } else {
                chains.push(chain);
            }
            holding.vectors.push(inputs);
            holding.places = self.places(chains, session)?;
            if let Some(place) = holding.places.get_mut(chosen.min(chains.len() - 1)) {
                place.swung = swing;
            }
            number = 0;
        }
        Ok(Turn::Open)
    }
}

/// A turn.
struct Holding<'p> {
    program: &'p Program,
    player: Player<'p>,
    stimuli: Stimuli,
    guards: Guards,
    random: Random,
    /// Input vectors to go on with.
    vectors: Vec<Vec<u64>>,
    /// What inputs open goals need.
    aims: Vec<Aim>,
    places: Vec<Place>,
    /// Most steps of an execution.
    longest: u64,
    /// Evaluated instructions that queries count for.
    queries: u64,
    /// Evaluated instructions of executions that the evaluator ran again.
    replayed: u64,
    /// By class of holds, the last of which are swings.
    spent: [u64; SWINGS + 1],
}

impl Holding<'_> {
    fn cost(&self) -> u64 {
        self.player.cost + self.queries + self.replayed
    }

    fn cheapest_class(&self) -> usize {
        (0..self.spent.len()).min_by_key(|&class| self.spent[class]).unwrap_or(0)
    }

    /// Inputs that were not held from a place yet. What has led there mostly has to go on, but for
    /// one thing or two.
    fn draw(&mut self, chosen: usize, class: usize) -> Option<Vec<u64>> {
        let place = &mut self.places[chosen];
        for _ in 0..DRAWS {
            let last = place.beginning.last_inputs().filter(|_| self.random.below(2) == 0);
            let mut inputs = match last {
                Some(last) => bits(last),
                None => self.vectors[self.random.below(self.vectors.len())].clone(),
            };
            if self.random.below(2) == 0 {
                take_one(&self.aims, &mut inputs, &mut self.random);
            }
            let means = (&self.stimuli, &mut self.guards);
            change_few(&mut inputs, &place.beginning.state, means, &mut self.random, &mut self.queries);
            if place.tried.insert((inputs.clone(), class)) {
                return Some(inputs);
            }
        }
        None
    }

    /// Holds inputs from a place on, or lets them swing. Where a goal occurs that is not among
    /// those covered, and an execution may end there: the inputs of all steps, and the swing.
    fn go_on(
        &mut self,
        chosen: usize,
        inputs: &[u64],
        class: usize,
        covered: Goals,
    ) -> Option<(Vec<Vec<Value>>, Option<Swing>)> {
        let place = &self.places[chosen];
        let mut position = Position::start(place.beginning.state.clone());
        position.covered = covered;
        let left = self.longest.saturating_sub(place.beginning.steps());
        let cost = self.player.cost;
        let mut swing = None;
        if class == SWINGS {
            let state = &place.beginning.state;
            let means = (&self.stimuli, &mut self.guards);
            let (random, queries) = (&mut self.random, &mut self.queries);
            let drawn = match place.swung.as_ref().filter(|_| random.below(2) == 0) {
                Some(before) => Some(before.changed(state, means, random, queries)),
                None => Swing::draw(inputs.to_vec(), state, means, random, queries),
            };
            swing = drawn.map(|swing| (swung(&swing, &mut self.player, &mut position, left), swing));
        } else {
            let most = left.min(LONGEST_HOLDS[class]);
            self.player.hold(&mut position, inputs, Order::next_event(most));
        }
        self.spent[class] += self.player.cost - cost;
        if position.covered == covered {
            return None;
        }
        let (_, may_end) = self.player.look(&position.state);
        if !may_end {
            return None;
        }
        self.replayed += EVALUATED * self.program.cost * (place.beginning.steps() + position.steps);
        let sorts = &self.program.input_sorts;
        Some(match swing {
            Some((periods, swing)) => (swing.rows(periods, sorts), Some(swing)),
            None => (vec![values(inputs, sorts); position.steps as usize], None),
        })
    }
}

impl Finder for HeldInputs<'_> {
    fn run(
        &mut self,
        known: &Knowledge,
        found: &mut Found,
        work: u64,
        session: &Session<'_>,
    ) -> Result<Turn, Stop> {
        let mut chains = known.chains().to_vec();
        let before = known.open_goals();
        let mut open = before.clone();
        let ended = self.hold(&mut chains, &mut open, work, session);
        if open.len() < before.len() {
            found.offer(chains);
        }
        ended
    }
}

/// Lets inputs swing from a position on, until an open goal occurs, or for long enough. The number
/// of periods.
fn swung(swing: &Swing, player: &mut Player<'_>, position: &mut Position, left: u64) -> u64 {
    let (covered, most) = (position.covered, left.min(swing::MOST_STEPS));
    let mut periods = 0;
    while position.covered == covered && position.steps + swing.period() <= most {
        if !swing.play(player, position) {
            break;
        }
        periods += 1;
    }
    periods
}

/// All inputs zero, and the input vectors of chains, those last used first.
fn known_vectors(chains: &[CheckedChain], program: &Program) -> Vec<Vec<u64>> {
    let mut vectors = vec![vec![0; program.inputs]];
    for row in chains.iter().flat_map(|chain| chain.trace.inputs.iter().rev()) {
        let row = bits(row);
        if vectors.len() < MOST_KNOWN && !vectors.contains(&row) {
            vectors.push(row);
        }
    }
    vectors
}
