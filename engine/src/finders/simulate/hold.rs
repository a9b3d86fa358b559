//! Inputs held for as long as it takes.
//!
//! Ramps, integrators and long timers need one input vector for thousands of steps, while nothing happens that a walk could see.
//! So from Init and from where known chains have covered something, input vectors are held until a goal occurs that nothing
//! covers yet: all zero, those of known chains, and their neighbours behind one guard. Where the state only counts, the wait is
//! leapt over.

use super::goals::Goals;
use super::guards::Guards;
use super::player::{Ended, Order, Player, Position};
use super::stimuli::Stimuli;
use super::vectors::bits;
use crate::finders::simulation::INITIAL_STATES;
use crate::knowledge::chains::{CheckedChain, covered_after, cut};
use crate::knowledge::known::Knowledge;
use crate::knowledge::problem::Problem;
use crate::random_simulation::Random;
use crate::session::{Engine, Session, Stop};
use crate::step::code::Program;
use crate::step::external::complete;
use crate::step::initial::initial_states;
use crate::turn::{Finder, Found, Turn};
use model::trace::{Start, Trace};
use model::value::Value;
use rustc_hash::FxHashSet;

/// Longest hold, in steps.
const LONGEST_HOLD: u64 = 1 << 16;
/// Vectors of known chains that are gone on from, at most.
const MOST_KNOWN: usize = 32;
/// Places within known chains from which inputs are held, at most.
const MOST_PLACES: usize = 24;
/// Draws for a vector that was not held from a place yet.
const DRAWS: usize = 8;
/// Places in a row, as a multiple of their number, at which no new vector was drawn before there is nothing more to try.
const MOST_STALE: usize = 4;

/// See the module text.
pub(crate) struct HeldInputs<'s> {
    problem: &'s Problem<'s>,
    turns: u64,
}

/// Where inputs are held from.
struct Place {
    start: Start,
    inputs: Vec<Vec<Value>>,
    state: Vec<u64>,
    /// Vectors that were held from here.
    tried: FxHashSet<Vec<u64>>,
}

impl<'s> HeldInputs<'s> {
    pub(crate) fn new(problem: &'s Problem<'s>) -> Self {
        Self { problem, turns: 0 }
    }

    /// The ends of chains first: what goes on from there is one chain that covers more.
    fn places(&self, chains: &[CheckedChain], session: &Session<'_>) -> Result<Vec<Place>, Stop> {
        let mut places = Vec::new();
        let place = |chain: &CheckedChain, steps: usize| Place {
            start: chain.trace.start.clone(),
            inputs: chain.trace.inputs[..steps].to_vec(),
            state: bits(&chain.run.states[steps]),
            tried: FxHashSet::default(),
        };
        places.extend(chains.iter().map(|chain| place(chain, chain.trace.inputs.len())));
        let initial = initial_states(self.problem, INITIAL_STATES, session)?.unwrap_or_default();
        places.extend(initial.into_iter().take(MOST_KNOWN).map(|initial| Place {
            start: Start::Initial(initial.inputs),
            inputs: Vec::new(),
            state: bits(&initial.state),
            tried: FxHashSet::default(),
        }));
        for chain in chains {
            let within = covered_after(self.problem, chain).into_iter().rev();
            places.extend(within.map(|steps| place(chain, steps.min(chain.trace.inputs.len()))));
        }
        places.truncate(MOST_PLACES);
        Ok(places)
    }

    /// The chain that a hold has led to; `None`: it does not end in Final.
    fn chain(
        &self,
        place: &Place,
        held: &[u64],
        steps: u64,
        program: &Program,
    ) -> Result<Option<CheckedChain>, Stop> {
        let values = held.iter().zip(&program.input_sorts);
        let row: Vec<Value> = values.map(|(&bits, &sort)| Value::new(sort, bits.into())).collect();
        let mut inputs = place.inputs.clone();
        inputs.extend(std::iter::repeat_n(row, steps as usize));
        let trace = complete(self.problem.system, &Trace { start: place.start.clone(), inputs });
        let whole = crate::knowledge::chains::longest_run(self.problem, &trace)?;
        let covered: Vec<usize> =
            self.problem.vertices().filter(|&goal| whole.covers(self.problem.goal(goal))).collect();
        Ok(cut(self.problem, &trace, &covered)?)
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
        let problem = self.problem;
        let program = Program::with_library(problem);
        if !program.fits_words() {
            return Ok(Turn::Exhausted);
        }
        let mut random = Random::new(session.options.seed.wrapping_add(self.turns));
        self.turns += 1;
        let mut chains = known.chains().to_vec();
        let mut open = known.open_goals();
        let mut player = Player::new(&program);
        player.ignore(&vec![0; program.packed_atoms.len()]);
        let stimuli = Stimuli::new(problem.system, &program);
        let mut guards = Guards::new(problem, session.options.backend);
        let mut vectors = known_vectors(&chains, &program);
        let mut places = self.places(&chains, session)?;
        let mut queries = 0;
        let (mut number, mut stale) = (0, 0);
        while player.cost + queries < work && !open.is_empty() && !places.is_empty() {
            session.check_limits()?;
            let chosen = number % places.len();
            number += 1;
            let place = &mut places[chosen];
            let mut fresh = None;
            for _ in 0..DRAWS {
                let mut inputs = vectors[random.below(vectors.len())].clone();
                match random.below(4) {
                    0 => {}
                    1 => stimuli.change(&mut inputs, &place.state, &mut random),
                    _ => {
                        guards.turn(&mut inputs, &mut random, &mut queries);
                    }
                }
                if place.tried.insert(inputs.clone()) {
                    fresh = Some(inputs);
                    break;
                }
            }
            let Some(inputs) = fresh else {
                stale += 1;
                if stale > MOST_STALE * places.len() {
                    found.offer(chains);
                    return Ok(Turn::Idle);
                }
                continue;
            };
            stale = 0;
            let mut position = Position::start(place.state.clone());
            position.covered = all_but(problem, &open);
            let before = position.covered;
            let ended = player.hold(&mut position, &inputs, Order::next_event(LONGEST_HOLD));
            if ended == Ended::Refused && position.steps == 0 || position.covered == before {
                continue;
            }
            let Some(chain) = self.chain(&places[chosen], &inputs, position.steps, &program)? else {
                continue;
            };
            open.retain(|&goal| !chain.covers(problem.goal(goal)));
            let covered = problem.len() - open.len();
            let text = format!(
                "{covered} of {} goals decided, by holding inputs for {} steps",
                problem.len(),
                position.steps
            );
            session.record(Engine::Simulation, text);
            if chosen < chains.len() {
                chains[chosen] = chain;
            } else {
                chains.push(chain);
            }
            vectors.push(inputs);
            places = self.places(&chains, session)?;
            number = 0;
        }
        found.offer(chains);
        Ok(Turn::Open)
    }
}

/// All goals but these.
fn all_but(problem: &Problem<'_>, open: &[usize]) -> Goals {
    let others: Vec<usize> = problem.vertices().filter(|goal| !open.contains(goal)).collect();
    Goals::of(&others)
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
