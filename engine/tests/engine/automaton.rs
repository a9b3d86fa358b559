//! Explicit automata: random ones, their encoding as transition systems, and the optimum by
//! breadth-first search.
//!
//! The search shares nothing with the engine: it knows tables, not terms.

use model::id::Id;
use model::sort::Sort;
use model::system::{Assumption, Goal, GoalId, InputId, InputRole, TransitionSystem};
use model::term::TermId;
use model::validate::{Validated, validate};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use std::collections::{HashMap, VecDeque};

/// A goal: for each frame of its window the allowed (state, input) pairs, and the allowed states
/// after the last step.
#[derive(Clone, Debug)]
pub(crate) struct WindowGoal {
    /// `frames[k][state][input]`.
    pub(crate) frames: Vec<Vec<Vec<bool>>>,
    /// `after[state]`.
    pub(crate) after: Vec<bool>,
}

/// An automaton whose missing transitions are forbidden by an assumption.
#[derive(Clone, Debug)]
pub(crate) struct Automaton {
    /// Initial states, not empty.
    pub(crate) initial: Vec<usize>,
    /// `next[state][input]`.
    pub(crate) next: Vec<Vec<Option<usize>>>,
    /// Goals.
    pub(crate) goals: Vec<WindowGoal>,
    /// `end[state]`, where chains must end in certain states.
    pub(crate) end: Option<Vec<bool>>,
}

/// What kind of automata to make.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Greatest number of states.
    pub(crate) states: usize,
    /// Number of inputs, a power of two.
    pub(crate) inputs: usize,
    /// Greatest number of goals.
    pub(crate) goals: usize,
    /// Greatest window length.
    pub(crate) steps: usize,
    /// Percentage of missing transitions.
    pub(crate) missing: u32,
    /// Percentage of transitions that may lead to lower states: below 100 the automaton has one-way
    /// regions.
    pub(crate) backward: u32,
    /// Number of regions that no transition connects; only from the first one the others can be
    /// entered.
    pub(crate) regions: usize,
}

impl Automaton {
    /// A random automaton.
    pub(crate) fn random(seed: u64, shape: Shape) -> Self {
        let mut random = SmallRng::seed_from_u64(seed);
        let states = random.random_range(2..=shape.states);
        let percent = |random: &mut SmallRng, limit: u32| random.random_range(0..100) < limit;
        let next = (0..states)
            .map(|state| {
                let target = |random: &mut SmallRng| {
                    if percent(random, shape.missing) {
                        return None;
                    }
                    let low = if percent(random, shape.backward) { 0 } else { state };
                    let target = random.random_range(low..states);
                    let (here, there) = (state % shape.regions, target % shape.regions);
                    (here == 0 || here == there).then_some(target)
                };
                (0..shape.inputs).map(|_| target(&mut random)).collect()
            })
            .collect();
        let goals = (0..random.random_range(2..=shape.goals))
            .map(|_| WindowGoal::random(&mut random, states, shape))
            .collect();
        let end = percent(&mut random, 50).then(|| {
            let mut end: Vec<bool> = (0..states).map(|_| percent(&mut random, 20)).collect();
            end[random.random_range(0..states)] = true;
            end
        });
        let count = if percent(&mut random, 20) { 2 } else { 1 };
        let mut initial: Vec<usize> =
            (0..count).map(|_| random.random_range(0..states) / shape.regions * shape.regions).collect();
        initial.sort_unstable();
        initial.dedup();
        Self { initial, next, goals, end }
    }

    /// Whether some step can be made at all.
    pub(crate) fn has_execution(&self) -> bool {
        self.initial.iter().any(|&state| self.next[state].iter().any(Option::is_some))
    }

    /// The automaton that is this one and another side by side: each step is one of both.
    pub(crate) fn beside(&self, other: &Self) -> Self {
        let (states, letters) = (other.next.len(), other.next[0].len());
        let state = |one: usize, two: usize| one * states + two;
        let pairs = |one: &[usize], two: &[usize]| {
            one.iter().flat_map(|&one| two.iter().map(move |&two| (one, two))).collect::<Vec<_>>()
        };
        let all: Vec<(usize, usize)> = pairs(&Vec::from_iter(0..self.next.len()), &Vec::from_iter(0..states));
        let moves = |&(one, two): &(usize, usize)| -> Vec<Option<usize>> {
            let both = |(one, two): (Option<usize>, Option<usize>)| Some(state(one?, two?));
            let rights = |one: &Option<usize>| {
                let one = *one;
                other.next[two].iter().map(move |two| (one, *two)).collect::<Vec<_>>()
            };
            self.next[one].iter().flat_map(rights).map(both).collect()
        };
        let widened = |goal: &WindowGoal, is_first: bool| WindowGoal {
            frames: goal
                .frames
                .iter()
                .map(|frame| {
                    let row = |&(one, two): &(usize, usize)| {
                        let letters_of_first = 0..self.next[0].len();
                        letters_of_first
                            .flat_map(|a| (0..letters).map(move |b| (a, b)))
                            .map(|(a, b)| if is_first { frame[one][a] } else { frame[two][b] })
                            .collect()
                    };
                    all.iter().map(row).collect()
                })
                .collect(),
            after: all.iter().map(|&(one, two)| goal.after[if is_first { one } else { two }]).collect(),
        };
        let goals = self.goals.iter().map(|goal| widened(goal, true));
        let goals = goals.chain(other.goals.iter().map(|goal| widened(goal, false))).collect();
        let may_end = |end: &Option<Vec<bool>>, state: usize| end.as_ref().is_none_or(|end| end[state]);
        let end = all.iter().map(|&(one, two)| may_end(&self.end, one) && may_end(&other.end, two)).collect();
        let initial = pairs(&self.initial, &other.initial);
        Self {
            initial: initial.into_iter().map(|(one, two)| state(one, two)).collect(),
            next: all.iter().map(moves).collect(),
            goals,
            end: (self.end.is_some() || other.end.is_some()).then_some(end),
        }
    }

    /// The automaton in which both sides of [`beside`](Self::beside) always have the same letter.
    pub(crate) fn in_step(&self, other: &Self) -> Self {
        let letters = self.next[0].len();
        assert_eq!(letters, other.next[0].len(), "both should have the same letters");
        let mut both = self.beside(other);
        let same = |row: &[Option<usize>]| (0..letters).map(|letter| row[letter * (letters + 1)]).collect();
        both.next = both.next.iter().map(|row| same(row)).collect();
        for frame in both.goals.iter_mut().flat_map(|goal| &mut goal.frames) {
            for row in frame.iter_mut() {
                *row = (0..letters).map(|letter| row[letter * (letters + 1)]).collect();
            }
        }
        both
    }

    /// The same as terms: one state word, one input word, tables as disjunctions of equalities.
    pub(crate) fn encode(&self) -> Validated {
        Self::encode_all(&[self])
    }

    /// Several automata side by side as one system, each with words and inputs of its own.
    pub(crate) fn encode_all(automata: &[&Self]) -> Validated {
        let mut system = TransitionSystem { name: "random".to_owned(), ..TransitionSystem::default() };
        for automaton in automata {
            let input = automaton.add_input(&mut system);
            automaton.encode_into(&mut system, input);
        }
        validate(system).expect("an encoded automaton should be valid")
    }

    /// Several automata that read one input.
    pub(crate) fn encode_in_step(automata: &[&Self]) -> Validated {
        let mut system = TransitionSystem { name: "random".to_owned(), ..TransitionSystem::default() };
        let input = automata[0].add_input(&mut system);
        automata.iter().for_each(|automaton| automaton.encode_into(&mut system, input));
        validate(system).expect("an encoded automaton should be valid")
    }

    fn add_input(&self, system: &mut TransitionSystem) -> InputId {
        let width = usize::BITS - (self.next[0].len() - 1).leading_zeros();
        let name = format!("input{}", system.inputs.len());
        system.add_input(&name, Sort::word(width.max(1)), InputRole::Stimulus)
    }

    fn encode_into(&self, system: &mut TransitionSystem, input: InputId) {
        let number = system.states.len();
        let state = system.add_state(&format!("state{number}"), Sort::word(4));
        let (state_term, input_term) = (system.state_term(state), system.input_term(input));
        let mut next = state_term;
        let mut allowed = system.terms.truth(false);
        for (from, row) in self.next.iter().enumerate() {
            for (letter, to) in row.iter().enumerate() {
                let Some(to) = *to else { continue };
                let here = pair(system, state_term, input_term, from, letter);
                let target = system.terms.word(4, to as u128);
                next = system.terms.ite(here, target, next);
                allowed = system.terms.or(allowed, here);
            }
        }
        system.states[state].next = next;
        system.assumptions.push(Assumption { condition: allowed, origin: None });
        system.states[state].init = self.encode_initial(system);
        for goal in &self.goals {
            let antecedent = goal.encode(system, state_term, input_term);
            system.goals.push(Goal {
                name: format!("g{}", system.goals.len()),
                requirement: None,
                text: None,
                origin: None,
                steps: goal.frames.len() as u32,
                antecedent,
                expectation: None,
            });
        }
        if let Some(end) = &self.end {
            let end = states_term(system, state_term, end);
            system.end = Some(match system.end {
                Some(before) => system.terms.and(before, end),
                None => end,
            });
        }
    }

    fn encode_initial(&self, system: &mut TransitionSystem) -> TermId {
        let mut init = system.terms.word(4, self.initial[0] as u128);
        if let [first, second] = self.initial[..] {
            let choice = system.add_initial_input("choice", Sort::TRUTH, InputRole::Stimulus);
            let condition = system.terms.symbol_term(system.initial_inputs[choice].symbol);
            let (first, second) = (system.terms.word(4, first as u128), system.terms.word(4, second as u128));
            init = system.terms.ite(condition, first, second);
        }
        init
    }
}

impl WindowGoal {
    fn random(random: &mut SmallRng, states: usize, shape: Shape) -> Self {
        let steps = random.random_range(1..=shape.steps);
        let inputs = shape.inputs;
        let density = if steps == 1 { 100 / (states * inputs) as u32 + 6 } else { 35 };
        let mut frame = || {
            let mut cells: Vec<Vec<bool>> = (0..states)
                .map(|_| (0..inputs).map(|_| random.random_range(0..100) < density).collect())
                .collect();
            cells[random.random_range(0..states)][random.random_range(0..inputs)] = true;
            cells
        };
        let mut frames: Vec<Vec<Vec<bool>>> = (0..steps).map(|_| frame()).collect();
        if shape.regions > 1 {
            let region = random.random_range(0..shape.regions);
            let outside = |&state: &usize| state % shape.regions != region;
            for cells in &mut frames {
                (0..states).filter(outside).for_each(|state| cells[state].fill(false));
            }
        }
        let any = random.random_range(0..100) < 60;
        let after = (0..states).map(|_| any || random.random_range(0..100) < 50).collect();
        Self { frames, after }
    }

    fn encode(&self, system: &mut TransitionSystem, state: TermId, input: TermId) -> TermId {
        let state_symbol = system.terms.as_symbol(state).expect("a state should be a symbol");
        let input_symbol = system.terms.as_symbol(input).expect("an input should be a symbol");
        let mut antecedent = system.terms.truth(true);
        for (offset, cells) in self.frames.iter().enumerate() {
            let state = system.terms.framed(state_symbol, offset as u32);
            let input = system.terms.framed(input_symbol, offset as u32);
            let mut any = system.terms.truth(false);
            for (from, row) in cells.iter().enumerate() {
                for (letter, _) in row.iter().enumerate().filter(|&(_, &allowed)| allowed) {
                    let here = pair(system, state, input, from, letter);
                    any = system.terms.or(any, here);
                }
            }
            antecedent = system.terms.and(antecedent, any);
        }
        let last = system.terms.framed(state_symbol, self.frames.len() as u32);
        let after = states_term(system, last, &self.after);
        system.terms.and(antecedent, after)
    }
}

fn equals(system: &mut TransitionSystem, term: TermId, number: usize) -> TermId {
    let width = system.terms.width(term);
    let number = system.terms.word(width, number as u128);
    system.terms.equal(term, number)
}

fn pair(system: &mut TransitionSystem, state: TermId, input: TermId, from: usize, letter: usize) -> TermId {
    let (state, input) = (equals(system, state, from), equals(system, input, letter));
    system.terms.and(state, input)
}

fn states_term(system: &mut TransitionSystem, state: TermId, allowed: &[bool]) -> TermId {
    let mut any = system.terms.truth(false);
    for (number, _) in allowed.iter().enumerate().filter(|&(_, &allowed)| allowed) {
        let here = equals(system, state, number);
        any = system.terms.or(any, here);
    }
    any
}

/// The truth about an automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Optimum {
    /// For each goal: whether some execution has an occurrence.
    pub(crate) reachable: Vec<bool>,
    /// For each goal: whether some execution has an occurrence and then ends in Final.
    pub(crate) coverable: Vec<bool>,
    /// Fewest chains that cover all coverable goals, and their least total length; none for no
    /// goals.
    pub(crate) chains: Option<(usize, usize)>,
}

/// A node of the search: the last steps as far as windows look back, the state, the goals covered.
type Node = (Vec<(usize, usize)>, usize, usize);

/// Breadth-first search over history, state and covered set.
pub(crate) fn optimum(automaton: &Automaton) -> Optimum {
    let shortest = shortest_chains(automaton);
    let goals = automaton.goals.len();
    let bit = |goal: usize| 1usize << goal;
    let reachable = (0..goals).map(|goal| shortest.seen & bit(goal) != 0).collect();
    let coverable: Vec<bool> =
        (0..goals).map(|goal| shortest.ends.keys().any(|set| set & bit(goal) != 0)).collect();
    let wanted = (0..goals).filter(|&goal| coverable[goal]).map(bit).sum::<usize>();
    let mut best: Vec<Option<(usize, usize)>> = vec![None; 1 << goals];
    best[0] = Some((0, 0));
    for set in 0..1usize << goals {
        let Some((chains, total)) = best[set] else { continue };
        for (&covered, &length) in &shortest.ends {
            let union = set | covered;
            let offer = (chains + 1, total + length);
            if union != set && best[union].is_none_or(|known| offer < known) {
                best[union] = Some(offer);
            }
        }
    }
    let chains = (0..1usize << goals).filter(|set| set & wanted == wanted).filter_map(|set| best[set]).min();
    Optimum { reachable, coverable, chains: chains.filter(|&(count, _)| count > 0) }
}

/// The least cost of chains that cover all coverable goals, where each chain costs its steps and
/// every further chain `reset` more; none for no goals.
pub(crate) fn cheapest(automaton: &Automaton, reset: usize) -> Option<usize> {
    let shortest = shortest_chains(automaton);
    let wanted = shortest.ends.keys().fold(0, |all, set| all | set);
    let mut costs: Vec<Option<usize>> = vec![None; wanted + 1];
    costs[0] = Some(0);
    for set in 0..=wanted {
        let Some(cost) = costs[set] else { continue };
        for (&covered, &length) in shortest.ends.iter().filter(|&(&covered, _)| set | covered != set) {
            let offer = cost + length + if set == 0 { 0 } else { reset };
            let known = &mut costs[set | covered];
            *known = Some(known.map_or(offer, |known| known.min(offer)));
        }
    }
    costs[wanted].filter(|_| wanted != 0)
}

struct Shortest {
    /// Goals that occur in some execution.
    seen: usize,
    /// For each covered set the length of the shortest execution that has it and ends in Final.
    ends: HashMap<usize, usize>,
}

fn shortest_chains(automaton: &Automaton) -> Shortest {
    let memory = automaton.goals.iter().map(|goal| goal.frames.len()).max().unwrap_or(1) - 1;
    let mut depth: HashMap<Node, usize> = HashMap::new();
    let mut queue = VecDeque::new();
    for &state in &automaton.initial {
        let node = (Vec::new(), state, 0);
        if depth.insert(node.clone(), 0).is_none() {
            queue.push_back(node);
        }
    }
    let mut shortest = Shortest { seen: 0, ends: HashMap::new() };
    while let Some(node) = queue.pop_front() {
        let steps = depth[&node];
        let (history, state, covered) = node;
        shortest.seen |= covered;
        if automaton.end.as_ref().is_none_or(|end| end[state]) {
            shortest.ends.entry(covered).or_insert(steps);
        }
        for (letter, target) in automaton.next[state].iter().enumerate() {
            let Some(target) = *target else { continue };
            let mut history = history.clone();
            history.push((state, letter));
            let covered = covered | completed(automaton, &history, target);
            if history.len() > memory {
                history.remove(0);
            }
            let next = (history, target, covered);
            if !depth.contains_key(&next) {
                depth.insert(next.clone(), steps + 1);
                queue.push_back(next);
            }
        }
    }
    shortest
}

/// Goals whose window ends with the last step of the history.
fn completed(automaton: &Automaton, history: &[(usize, usize)], state: usize) -> usize {
    let mut covered = 0;
    for (number, goal) in automaton.goals.iter().enumerate() {
        let Some(start) = history.len().checked_sub(goal.frames.len()) else { continue };
        let window = &history[start..];
        let fits = window.iter().zip(&goal.frames).all(|(&(from, letter), frame)| frame[from][letter]);
        if fits && goal.after[state] {
            covered |= 1 << number;
        }
    }
    covered
}

/// Ids of goals by number.
pub(crate) fn goal(number: usize) -> GoalId {
    GoalId::new(number)
}

/// Added to all seeds: from the environment, so that long runs see other systems.
pub(crate) fn first_seed() -> u64 {
    std::env::var("CHAINCOVER_RANDOM_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// Number of systems for each shape: from the environment for long runs.
pub(crate) fn count(default: u64) -> u64 {
    std::env::var("CHAINCOVER_RANDOM_SYSTEMS").ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

pub(crate) const SHAPES: [Shape; 6] = [
    Shape { states: 12, inputs: 2, goals: 5, steps: 1, missing: 0, backward: 100, regions: 1 },
    Shape { states: 12, inputs: 4, goals: 5, steps: 3, missing: 15, backward: 100, regions: 1 },
    Shape { states: 12, inputs: 4, goals: 4, steps: 1, missing: 30, backward: 40, regions: 1 },
    Shape { states: 8, inputs: 2, goals: 4, steps: 2, missing: 20, backward: 20, regions: 1 },
    Shape { states: 12, inputs: 4, goals: 5, steps: 2, missing: 0, backward: 100, regions: 3 },
    Shape { states: 14, inputs: 4, goals: 5, steps: 1, missing: 0, backward: 60, regions: 4 },
];
