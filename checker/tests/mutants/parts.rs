//! Parts of the state bits, with certificates of the tours through them.

use super::Verdict;
use super::mutate::{mutated, raised};
use super::random::Random;
use super::system::{Step, System};
use super::tours::{certificate, least_tour};
use checker::parts::{Part, Parts, Value, Visits};

pub(crate) struct Case {
    system: System,
    goals: Vec<String>,
    chains: u32,
    /// Fewest steps of so many chains that cover the goals.
    steps: u64,
    text: String,
    tours: Vec<(u64, String)>,
}

/// Two words of which no step changes both; now and then a goal waits.
pub(crate) fn make(random: &mut Random) -> Case {
    loop {
        let mut system =
            System::random(&[("a", 2), ("b", 1)], random, |state, random| match random.below(4) {
                0 => state,
                1 => state ^ 4,
                2 => state & 4 | (state + 1) & 3,
                _ => state & 4 | random.index(4),
            });
        if random.below(2) == 0 {
            // The first goal only where nothing changes.
            let label = system.goals[0][0];
            for (state, steps) in system.steps.iter_mut().enumerate() {
                steps.iter_mut().filter(|(to, _)| *to != state).for_each(|(_, set)| *set &= !(1 << label));
            }
        }
        let covered = system.coverable();
        if covered != 0 {
            return of_system(system, covered, random);
        }
    }
}

fn of_system(system: System, covered: u32, random: &mut Random) -> Case {
    let words = system.words.iter().map(|(name, _)| name.clone()).collect();
    let goals: Vec<String> = (0..system.goals.len()).map(|goal| format!("g{goal}")).collect();
    let mut parts = Parts { words, goals, ..Parts::default() };
    for word in 0..2 {
        parts.parts.push(part(&system, word, random));
    }
    let begins = |goal: usize| all_begins(&system, goal);
    parts.idle =
        (0..system.goals.len()).filter(|&goal| begins(goal).iter().all(|(from, to)| from == to)).collect();
    for b in 0..system.goals.len() {
        for a in 0..b {
            if !begin_together(&system, a, b) && random.below(3) != 0 {
                parts.apart.push((a, b));
            }
        }
    }
    let covered_goals: Vec<usize> = (0..system.goals.len()).filter(|goal| covered >> goal & 1 == 1).collect();
    let fewest = system.fewest(covered).expect("each goal is coverable");
    let chains = fewest + random.below(2) as u32;
    let steps = system.steps_of(covered, chains).expect("so many chains will do");
    let certified = |matrix: &checker::tour::Matrix| {
        let bound = least_tour(matrix).expect("chains are a tour");
        (bound, certificate(matrix, bound, None, random).expect("no shorter tour"))
    };
    let tours = parts.matrices(&covered_goals, chains as usize).iter().map(certified).collect();
    let goals = covered_goals.iter().map(|goal| format!("g{goal}")).collect();
    Case { text: parts.print(), goals, chains, steps, tours, system }
}

/// All that the system does to a word, in all its states.
fn part(system: &System, word: usize, random: &mut Random) -> Part {
    let count = 1usize << system.width(word);
    let value = |state: usize| system.value(state, word) as usize;
    let marked = |marks: &[bool], number: usize| {
        (0..system.states()).any(|state| marks[state] && value(state) == number)
    };
    let values = (0..count).map(|bits| Value {
        bits: bits as u64,
        initial: marked(&system.initial, bits),
        end: marked(&system.end, bits),
    });
    let mut changes: Vec<(usize, usize)> = (0..system.states())
        .flat_map(|state| system.steps[state].iter().map(move |step| (value(state), value(step.0))))
        .filter(|(from, to)| from != to)
        .collect();
    changes.sort_unstable();
    changes.dedup();
    let mut visits = Vec::new();
    for goal in 0..system.goals.len() {
        let mut pairs: Vec<(usize, usize)> =
            all_begins(system, goal).iter().map(|&(from, to)| (value(from), value(to))).collect();
        pairs.sort_unstable();
        pairs.dedup();
        if !pairs.is_empty() && random.below(4) != 0 {
            visits.push(Visits { goal, pairs });
        }
    }
    let bits = (0..system.width(word)).map(|bit| (word, bit)).collect();
    Part { bits, values: values.collect(), changes, visits }
}

/// States before and after the first step of all windows of a goal, from any state.
fn all_begins(system: &System, goal: usize) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for state in 0..system.states() {
        for &(to, set) in &system.steps[state] {
            if has_window(system, (to, set), &system.goals[goal]) {
                found.push((state, to));
            }
        }
    }
    found
}

/// Whether a window begins with this step.
fn has_window(system: &System, (to, set): Step, labels: &[usize]) -> bool {
    set >> labels[0] & 1 == 1
        && (labels.len() == 1 || system.steps[to].iter().any(|&step| has_window(system, step, &labels[1..])))
}

/// Whether windows of two goals begin with the same step. Each may go on in its own way, which
/// makes this true more often.
fn begin_together(system: &System, a: usize, b: usize) -> bool {
    let both = |&step: &Step| {
        has_window(system, step, &system.goals[a]) && has_window(system, step, &system.goals[b])
    };
    system.steps.iter().flatten().any(both)
}

pub(crate) fn attack(case: &Case, donor: &Case, as_it_is: bool, random: &mut Random) -> Verdict {
    let (mut text, mut tours) = (case.text.clone(), case.tours.clone());
    if !as_it_is {
        change(case, donor, (&mut text, &mut tours), random);
    }
    let Ok(parts) = Parts::parse(&text) else { return Verdict::Rejected };
    let Some(goals) = parts.positions(&case.goals) else { return Verdict::Rejected };
    if !stand_for(&parts, &case.system) {
        return Verdict::Rejected;
    }
    if !as_it_is && random.below(2) == 0 {
        // Certificates to fit the parts that were forged.
        let matrices = parts.matrices(&goals, case.chains as usize);
        if matrices.iter().all(|matrix| matrix.vertices() < 6) {
            let fitting = matrices.iter().map(|matrix| {
                let bound = least_tour(matrix).unwrap_or(1_000);
                (bound, certificate(matrix, bound, None, random).unwrap_or_default())
            });
            tours = fitting.collect();
        }
    }
    match parts.check(&goals, case.chains as usize, &tours) {
        Err(_) => Verdict::Rejected,
        Ok(shown) if shown <= case.steps => Verdict::True,
        Ok(shown) => {
            Verdict::False(format!("{shown} instead of {}\n{:?}\n{text}{tours:?}", case.steps, case.system))
        }
    }
}

/// Changes parts, bounds or certificates.
fn change(
    case: &Case,
    donor: &Case,
    (text, tours): (&mut String, &mut Vec<(u64, String)>),
    random: &mut Random,
) {
    if random.below(4) == 0 {
        *text = with_another_name(text, random);
    }
    if random.below(4) != 0 {
        *text = mutated(text, &donor.text, random);
    }
    if tours.is_empty() || random.below(2) == 0 {
        return;
    }
    let place = random.index(tours.len());
    match random.below(5) {
        0 => drop(tours.remove(place)),
        1 => tours.insert(place, case.tours[place].clone()),
        2 if !donor.tours.is_empty() => tours[place] = random.of(&donor.tours).clone(),
        3 => tours[place].0 = raised(tours[place].0, random),
        _ => {
            tours[place].0 = raised(tours[place].0, random);
            let other = donor.tours.first().map_or("", |(_, certificate)| certificate);
            tours[place].1 = mutated(&tours[place].1, other, random);
        }
    }
}

/// The parts with a further number for a value, which differs in bits that the part does not have.
/// It takes changes to get there, from where all goes on as from the value itself, and goals begin
/// only there.
fn with_another_name(text: &str, random: &mut Random) -> String {
    let Ok(mut parts) = Parts::parse(text) else { return text.to_owned() };
    let place = random.index(parts.parts.len().max(1));
    let Some(part) = parts.parts.get_mut(place).filter(|part| !part.values.is_empty()) else {
        return text.to_owned();
    };
    let (value, name) = (random.index(part.values.len()), part.values.len());
    let wide = 1u64 << (part.bits.len() as u64 + random.below(3));
    part.values.push(Value { bits: part.values[value].bits + wide, ..part.values[value] });
    let onward: Vec<(usize, usize)> =
        part.changes.iter().filter(|change| change.0 == value).map(|change| (name, change.1)).collect();
    part.changes.extend(onward);
    part.changes.push((random.index(name), name));
    for visits in &mut part.visits {
        for pair in &mut visits.pairs {
            let renamed = |number: usize| if number == value { name } else { number };
            *pair = (renamed(pair.0), renamed(pair.1));
        }
    }
    parts.print()
}

/// What the queries of parts ask, by going through all states and steps. Values are compared as the
/// queries do, by as many bits as the part has.
fn stand_for(parts: &Parts, system: &System) -> bool {
    let word = |name: &String| system.words.iter().position(|(known, _)| known == name);
    let Some(words) = parts.words.iter().map(word).collect::<Option<Vec<usize>>>() else { return false };
    let is_twice = (1..words.len()).any(|place| words[..place].contains(&words[place]));
    let goal = |name: &String| (0..system.goals.len()).find(|goal| format!("g{goal}") == *name);
    let Some(goals) = parts.goals.iter().map(goal).collect::<Option<Vec<usize>>>() else { return false };
    let mut bits = parts.parts.iter().flat_map(|part| &part.bits);
    if is_twice || bits.any(|&(word, bit)| bit >= system.width(words[word])) {
        return false;
    }
    if !system.has_end && !parts.parts.iter().all(|part| part.values.iter().all(|value| value.end)) {
        return false;
    }
    let known = Known { parts, system, words };
    known.changes_are_single()
        && parts.parts.iter().all(|part| known.is_right(part))
        && goals.iter().enumerate().all(|(place, &goal)| known.visits_are_right(place, goal))
        && parts.apart.iter().all(|&(a, b)| !begin_together(system, goals[a], goals[b]))
}

struct Known<'k> {
    parts: &'k Parts,
    system: &'k System,
    words: Vec<usize>,
}

impl Known<'_> {
    /// Whether a part has the value in a state.
    fn has(&self, part: &Part, value: u64, state: usize) -> bool {
        let bit = |&(word, bit): &(usize, u32)| self.system.value(state, self.words[word]) >> bit & 1 == 1;
        part.bits.iter().enumerate().all(|(place, place_of)| (value >> place & 1 == 1) == bit(place_of))
    }

    fn is_changed(&self, part: &Part, (from, to): (usize, usize)) -> bool {
        let bit =
            |state: usize, &(word, bit): &(usize, u32)| self.system.value(state, self.words[word]) >> bit & 1;
        part.bits.iter().any(|place| bit(from, place) != bit(to, place))
    }

    fn changes_are_single(&self) -> bool {
        let steps = |state: usize| self.system.steps[state].iter().map(move |step| (state, step.0));
        let changed = |step: (usize, usize)| {
            self.parts.parts.iter().filter(move |part| self.is_changed(part, step)).count()
        };
        (0..self.system.states()).flat_map(steps).all(|step| changed(step) < 2)
    }

    /// Beginnings, ends and changes of a part.
    fn is_right(&self, part: &Part) -> bool {
        let is = |value: &Value, state: usize| self.has(part, value.bits, state);
        (0..self.system.states()).all(|state| {
            let begins = !self.system.initial[state]
                || part.values.iter().any(|value| value.initial && is(value, state));
            let ends =
                !self.system.end[state] || part.values.iter().all(|value| value.end || !is(value, state));
            let changes = (0..part.values.len()).filter(|&from| is(&part.values[from], state)).all(|from| {
                let leads = |to: usize, step: &Step| is(&part.values[to], step.0);
                self.system.steps[state].iter().all(|step| {
                    leads(from, step)
                        || part.changes.iter().any(|&(before, to)| before == from && leads(to, step))
                })
            });
            begins && ends && changes
        })
    }

    /// Where windows of a goal begin.
    fn visits_are_right(&self, place: usize, goal: usize) -> bool {
        let begins = all_begins(self.system, goal);
        let is_idle = self.parts.idle.contains(&place);
        begins.iter().all(|&(from, to)| {
            let stays = !is_idle || self.parts.parts.iter().all(|part| !self.is_changed(part, (from, to)));
            stays
                && self.parts.parts.iter().all(|part| {
                    let Some(pairs) = part.visits_of(place) else { return true };
                    let is_listed = part.values.iter().any(|value| self.has(part, value.bits, from));
                    let has = |&(before, after): &(usize, usize)| {
                        self.has(part, part.values[before].bits, from)
                            && self.has(part, part.values[after].bits, to)
                    };
                    !is_listed || pairs.iter().any(has)
                })
        })
    }
}
