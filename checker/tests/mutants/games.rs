//! Games of few bits as tables, with certificates of who wins. Their queries are answered by going
//! through all steps.

use super::Verdict;
use super::mutate::mutated;
use super::random::Random;
use checker::game::{Certificate, Claim, Cube, Query, Shape};

/// A step: whether it is allowed, and the state behind it.
type Step = (bool, usize);

struct Game {
    shape: Shape,
    initial: usize,
    /// By state: whether an answer may lead there.
    positions: Vec<bool>,
    /// By state and stimuli: whether these occur.
    occurs: Vec<Vec<bool>>,
    /// By state, stimuli and choices.
    steps: Vec<Vec<Vec<Step>>>,
}

pub(crate) struct Case {
    game: Game,
    text: String,
}

fn bits(number: usize, count: usize) -> Vec<bool> {
    (0..count).map(|bit| number >> bit & 1 == 1).collect()
}

impl Game {
    fn random(random: &mut Random) -> Self {
        let (states, stimuli, choices) = (2 + random.index(2), random.index(3), random.index(3));
        let shape = Shape { states, stimuli, choices };
        let count = 1usize << states;
        // Few answers make the environment win, many the system.
        let rarity = 2 + random.below(6);
        let mut positions = vec![false; count];
        let (mut occurs, mut steps) = (Vec::new(), Vec::new());
        for _ in 0..count {
            occurs.push((0..1usize << stimuli).map(|_| !random.once_in(4)).collect());
            let step = |random: &mut Random| (!random.once_in(rarity), random.index(count));
            let answers =
                |random: &mut Random| (0..1usize << choices).map(|_| step(random)).collect::<Vec<_>>();
            steps.push((0..1usize << stimuli).map(|_| answers(random)).collect::<Vec<_>>());
        }
        let reached = steps.iter().flatten().flatten().filter(|(is_allowed, _)| *is_allowed);
        reached.for_each(|&(_, next)| positions[next] = true);
        Self { shape, initial: random.index(count), positions, occurs, steps }
    }

    /// For each state in how many steps the environment wins, and by which stimuli.
    fn lost_in(&self) -> Vec<Option<(u64, usize)>> {
        let mut lost: Vec<Option<(u64, usize)>> = vec![None; self.steps.len()];
        for rank in 1.. {
            let wins = |state: usize, stimuli: usize| {
                let mut answers = self.steps[state][stimuli].iter();
                self.occurs[state][stimuli]
                    && answers.all(|&(is_allowed, next)| !is_allowed || lost[next].is_some())
            };
            let stimuli = |state: usize| (0..1usize << self.shape.stimuli).find(|&one| wins(state, one));
            let found: Vec<(usize, usize)> = (0..lost.len())
                .filter(|&state| lost[state].is_none())
                .filter_map(|state| stimuli(state).map(|stimuli| (state, stimuli)))
                .collect();
            if found.is_empty() {
                break;
            }
            found.into_iter().for_each(|(state, stimuli)| lost[state] = Some((rank, stimuli)));
        }
        lost
    }

    fn holds(&self, claim: Claim) -> bool {
        let lost = self.lost_in()[self.initial].map(|(rank, _)| rank);
        match claim {
            Claim::Kept => lost.is_none(),
            Claim::KeptFor(steps) => lost.is_none_or(|rank| rank > steps),
            Claim::LostWithin(steps) => lost.is_some_and(|rank| rank <= steps),
            Claim::Lost => lost.is_some(),
        }
    }

    fn has_model(&self, query: Query, certificate: &Certificate) -> bool {
        let mut states = 0..self.steps.len();
        match query {
            Query::Unanswered { from, into } => {
                states.any(|state| self.is_unanswered(state, from, into, certificate))
            }
            Query::Escape { rank } => {
                let cubes = certificate.cubes.iter().filter(|cube| cube.rank == rank);
                let escapes =
                    |cube: &Cube| states.clone().any(|state| self.escapes(state, cube, certificate));
                cubes.clone().any(escapes)
            }
        }
    }

    fn is_unanswered(&self, state: usize, from: u64, into: u64, certificate: &Certificate) -> bool {
        let is_avoided = |state: usize, most: u64| {
            let state = bits(state, self.shape.states);
            certificate.cubes.iter().any(|cube| cube.rank <= most && cube.contains(&state))
        };
        let serves = |stimuli: usize, choices: &Vec<bool>| {
            let choices = choices.iter().rev().fold(0, |sum, &bit| sum << 1 | usize::from(bit));
            let (is_allowed, next) = self.steps[state][stimuli][choices];
            is_allowed && self.positions[next] && !is_avoided(next, into)
        };
        let mut stimuli = (0..1usize << self.shape.stimuli).filter(|&one| self.occurs[state][one]);
        (state == self.initial || self.positions[state])
            && !is_avoided(state, from)
            && stimuli.any(|stimuli| !certificate.moves.iter().any(|choices| serves(stimuli, choices)))
    }

    fn escapes(&self, state: usize, cube: &Cube, certificate: &Certificate) -> bool {
        let given = cube.stimuli.as_deref().unwrap_or_default();
        let given = given.iter().rev().fold(0, |sum, &bit| sum << 1 | usize::from(bit));
        let number = |state: usize| {
            let bits = cube.falls.iter().flatten().rev();
            bits.fold(0_usize, |sum, &(bit, is_inverted)| {
                sum << 1 | usize::from((state >> bit & 1 == 1) != is_inverted)
            })
        };
        let is_lower = |next: usize| {
            let (next, falls) = (bits(next, self.shape.states), number(next) < number(state));
            certificate.cubes.iter().any(|lower| lower.rank < cube.rank && lower.contains(&next))
                || falls && cube.contains(&next)
        };
        let mut answers = self.steps[state][given].iter();
        cube.contains(&bits(state, self.shape.states))
            && (!self.occurs[state][given]
                || answers.any(|&(is_allowed, next)| is_allowed && !is_lower(next)))
    }
}

/// A game and a true claim about it.
pub(crate) fn make(random: &mut Random) -> Case {
    let game = Game::random(random);
    let lost = game.lost_in();
    let whole = |state: usize| -> Vec<(usize, bool)> {
        bits(state, game.shape.states).into_iter().enumerate().collect()
    };
    let cubes = |is_stimuli_told: bool| -> Vec<Cube> {
        let cube = |(state, lost): (usize, &Option<(u64, usize)>)| {
            lost.map(|(rank, stimuli)| Cube {
                rank,
                literals: whole(state),
                falls: None,
                stimuli: is_stimuli_told.then(|| bits(stimuli, game.shape.stimuli)),
            })
        };
        lost.iter().enumerate().filter_map(cube).collect()
    };
    let all_moves = || (0..1usize << game.shape.choices).map(|one| bits(one, game.shape.choices)).collect();
    let certificate = match lost[game.initial] {
        None => {
            let claim = if random.once_in(3) { Claim::KeptFor(random.below(4)) } else { Claim::Kept };
            Certificate { claim, cubes: cubes(false), moves: all_moves() }
        }
        Some((rank, _)) if random.once_in(3) => {
            Certificate { claim: Claim::KeptFor(rank - 1), cubes: cubes(false), moves: all_moves() }
        }
        Some((_, stimuli)) if random.once_in(3) => {
            let is_shown = |one: &Certificate| one.queries().iter().all(|query| !game.has_model(*query, one));
            let falling = (0..20).map(|_| falling(&game, cubes(true), stimuli, random)).find(is_shown);
            let ranked = || Certificate { claim: Claim::Lost, cubes: cubes(true), moves: Vec::new() };
            falling.unwrap_or_else(ranked)
        }
        Some((rank, _)) => {
            Certificate { claim: Claim::LostWithin(rank), cubes: cubes(true), moves: Vec::new() }
        }
    };
    Case { text: certificate.print(), game }
}

/// The positions without an answer, and a random cube with a random number that may fall.
fn falling(game: &Game, cubes: Vec<Cube>, stimuli: usize, random: &mut Random) -> Certificate {
    let falls = (0..game.shape.states).map(|bit| (bit, random.once_in(2))).collect();
    let whole = bits(game.initial, game.shape.states).into_iter().enumerate();
    let literals = whole.filter(|_| random.once_in(3)).collect();
    let stimuli = Some(bits(stimuli, game.shape.stimuli));
    let last = Cube { rank: 9, literals, falls: Some(falls), stimuli };
    let cubes = cubes.into_iter().filter(|cube| cube.rank == 1).chain([last]).collect();
    Certificate { claim: Claim::Lost, cubes, moves: Vec::new() }
}

/// The text changes, or is that of another game.
pub(crate) fn attack(case: &Case, donor: &Case, as_it_is: bool, random: &mut Random) -> Verdict {
    let game = &case.game;
    let text = match random.below(8) {
        _ if as_it_is => case.text.clone(),
        0 => donor.text.clone(),
        1 => reclaimed(&case.text, random),
        2 => mutated(&reclaimed(&case.text, random), &donor.text, random),
        _ => mutated(&case.text, &donor.text, random),
    };
    let Ok(certificate) = Certificate::read(&text, game.shape, &bits(game.initial, game.shape.states)) else {
        return Verdict::Rejected;
    };
    let is_refuted = |query: &Query| !game.has_model(*query, &certificate);
    match certificate.queries().iter().all(is_refuted) {
        false => Verdict::Rejected,
        true if game.holds(certificate.claim) => Verdict::True,
        true => Verdict::False(text),
    }
}

/// Another claim over the same cubes.
fn reclaimed(text: &str, random: &mut Random) -> String {
    let steps = random.below(6);
    let claim = match random.below(4) {
        0 => "kept".to_owned(),
        1 => format!("kept {steps}"),
        2 => "lost".to_owned(),
        _ => format!("lost {steps}"),
    };
    let rest = text.split_once('\n').map_or("", |(_, rest)| rest);
    format!("{claim}\n{rest}")
}
