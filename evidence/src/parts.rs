//! Evidence for the length of chains where every step changes one part of the state bits at most:
//! [parts](checker::parts), certificates of the tours through them, and the queries that tie the
//! parts to the system.
//!
//! | query | asks for |
//! |---|---|
//! | `NAME-apart` | a step that changes two parts |
//! | `NAME-initial` | an initial state in which a part has no initial value |
//! | `NAME-step-N` | a step that changes part N in another way than listed |
//! | `NAME-end-N` | a state of Final in which part N has a value that no chain ends with |
//! | `NAME-goal-N` | a window of goal N that begins with another pair of values than listed, or with a change although the goal is idle |
//! | `NAME-same` | windows of two goals that never begin with the same step, beginning with the same step |
//!
//! Values that no query admits need no answer: a part begins with a listed value, and changes lead
//! to listed ones.

use super::subject::{Subject, sliced};
use checker::parts::{Part, Parts, Value, Visits};
use encoder::EncodeError;
use encoder::aig::Literal;
use encoder::bits::BitBuilder;
use encoder::unroll::{Start, Unrolling};
use engine::knowledge::task::{Task, all_goals};
use engine::knowledge::vertex::Vertex;
use engine::optimum::order::additive_abstraction as search;
use engine::options::HazardPolicy;
use engine::session::{Session, Stop};
use model::system::{StateId, TransitionSystem};
use model::validate::Validated;
use solver::sat::{ClauseSink, Formula, Lit};

/// The parts that the search finds, in terms of the whole system. `None`: there are none.
pub(super) fn find(
    system: &Validated,
    hazards: HazardPolicy,
    session: &Session<'_>,
) -> Result<Option<Parts>, Stop> {
    let (small, _) = sliced(system, hazards);
    let task = Task::new(&small, &all_goals(&small), Vec::new());
    let Some(found) = search::Parts::find(&task, session)? else { return Ok(None) };
    Ok(Some(described(&found, &task)))
}

/// What the search found as data of the checker, which has positions for vertices.
fn described(found: &search::Parts, task: &Task<'_>) -> Parts {
    let system: &TransitionSystem = task.system;
    let mut bits = Vec::new();
    for (number, state) in system.states.values().enumerate() {
        bits.extend((0..system.terms.symbol(state.symbol).sort.width()).map(|bit| (number, bit)));
    }
    let mut described = Parts {
        words: system.states.ids().map(|state| system.state_name(state).to_owned()).collect(),
        goals: task.vertices().map(|goal| system.goals[task.goal(goal)].name.clone()).collect(),
        parts: found.parts.iter().map(|part| part_of(part, &bits)).collect(),
        idle: task.vertices().filter(|&goal| found.is_idle[goal]).map(Vertex::position).collect(),
        apart: Vec::new(),
    };
    let pairs = (0..task.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
    let is_apart = |&(a, b): &(usize, usize)| {
        found.apart.get(&(Vertex::of_position(a), Vertex::of_position(b))) == Some(&true)
    };
    described.apart = pairs.filter(is_apart).filter(|&(a, b)| !described.differ(a, b)).collect();
    described
}

fn part_of(part: &search::Part, bits: &[(usize, u32)]) -> Part {
    let value = |(number, &bits): (usize, &u64)| Value {
        bits,
        initial: part.initial.contains(&(number as u32)),
        end: part.ends[number],
    };
    let followers = part.followers.iter().enumerate();
    let visits = part.visits.iter().skip(1).filter_map(|(goal, pairs)| {
        let pairs = pairs.as_ref().filter(|pairs| !pairs.is_empty())?;
        let pairs = pairs.iter().map(|&(before, after)| (before as usize, after as usize)).collect();
        Some(Visits { goal: goal.position(), pairs })
    });
    Part {
        bits: part.bits.iter().map(|&bit| bits[bit]).collect(),
        values: part.values.iter().enumerate().map(value).collect(),
        changes: followers
            .flat_map(|(from, followers)| followers.iter().map(move |&to| (from, to as usize)))
            .collect(),
        visits: visits.collect(),
    }
}

/// The queries that show that the parts are those of the system, with their names.
///
/// # Errors
/// Where the parts speak of words or goals that the system does not have, or a term cannot be
/// encoded.
pub(super) fn queries(subject: &Subject, parts: &Parts) -> Result<Vec<(String, Formula)>, Refused> {
    let words = words(subject, parts)?;
    let is_known = |goal: &&String| subject.labels.iter().any(|(name, _)| name == *goal);
    if let Some(goal) = parts.goals.iter().find(|goal| !is_known(goal)) {
        return Err(Refused::Mismatch(format!("the system has no goal {goal}")));
    }
    let asked = |start: Start| Asked {
        subject,
        parts,
        words: &words,
        sink: Formula::new(),
        unrolling: Unrolling::new(&subject.system, start),
    };
    let free = || asked(Start::Free);
    let mut queries = vec![
        ("apart".to_owned(), free().several_change()?),
        ("initial".to_owned(), asked(Start::Initial).begins_elsewhere()?),
    ];
    for (number, part) in parts.parts.iter().enumerate() {
        queries.push((format!("step-{number}"), free().changes_otherwise(part)?));
        if subject.system.end.is_some() && part.values.iter().any(|value| !value.end) {
            queries.push((format!("end-{number}"), free().ends_elsewhere(part)?));
        }
    }
    for goal in 0..parts.goals.len() {
        let speaks =
            parts.idle.contains(&goal) || parts.parts.iter().any(|part| part.visits_of(goal).is_some());
        if speaks {
            queries.push((format!("goal-{goal}"), free().occurs_otherwise(goal)?));
        }
    }
    if !parts.apart.is_empty() {
        queries.push(("same".to_owned(), free().begin_together()?));
    }
    Ok(queries)
}

/// Why parts have no queries.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refused {
    /// They are about another system.
    #[error("{0}")]
    Mismatch(String),
    /// A term cannot be encoded.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

/// The state words that the parts name.
fn words(subject: &Subject, parts: &Parts) -> Result<Vec<StateId>, Refused> {
    let system = &subject.system;
    let mut words = Vec::new();
    for name in &parts.words {
        let word = system.states.ids().find(|&word| system.state_name(word) == *name);
        words.push(word.ok_or_else(|| Refused::Mismatch(format!("the system has no state word {name}")))?);
    }
    let width = |word: usize| system.terms.symbol(system.states[words[word]].symbol).sort.width();
    let mut bits = parts.parts.iter().flat_map(|part| &part.bits);
    if let Some((word, bit)) = bits.find(|&&(word, bit)| bit >= width(word)) {
        return Err(Refused::Mismatch(format!("{} has no bit {bit}", parts.words[*word])));
    }
    if (1..words.len()).any(|word| words[..word].contains(&words[word])) {
        return Err(Refused::Mismatch("a state word is named twice".to_owned()));
    }
    if system.end.is_none() && !parts.parts.iter().all(|part| part.values.iter().all(|value| value.end)) {
        return Err(Refused::Mismatch("chains may end anywhere, but not with all values".to_owned()));
    }
    Ok(words)
}

/// A query under construction.
struct Asked<'a> {
    subject: &'a Subject,
    parts: &'a Parts,
    words: &'a [StateId],
    sink: Formula,
    unrolling: Unrolling<'a>,
}

impl Asked<'_> {
    fn several_change(mut self) -> Result<Formula, EncodeError> {
        self.run(1)?;
        let (mut one, mut two) = (Literal::FALSE, Literal::FALSE);
        for part in &self.parts.parts {
            let changed = self.changed(part)?;
            let second = self.unrolling.graph().and(one, changed);
            two = self.unrolling.graph().or(two, second);
            one = self.unrolling.graph().or(one, changed);
        }
        let two = self.unrolling.encode(two, 0, &mut self.sink);
        self.sink.clause(&[two]);
        Ok(self.sink)
    }

    fn begins_elsewhere(mut self) -> Result<Formula, EncodeError> {
        self.run(0)?;
        let mut one = Vec::new();
        for part in &self.parts.parts {
            let elsewhere = self.sink.fresh().positive();
            let bits = self.bits(part, 0)?;
            for value in part.values.iter().filter(|value| value.initial) {
                self.differs(&bits, value.bits, &[elsewhere]);
            }
            one.push(elsewhere);
        }
        self.sink.clause(&one);
        Ok(self.sink)
    }

    fn changes_otherwise(mut self, part: &Part) -> Result<Formula, EncodeError> {
        self.run(1)?;
        let (before, after) = (self.bits(part, 0)?, self.bits(part, 1)?);
        let here = self.one_of(part, &before, |_| true);
        let there: Vec<Lit> = part.values.iter().map(|value| self.equals(&after, value.bits)).collect();
        let idle = (0..part.values.len()).map(|value| (value, value));
        for (from, to) in part.changes.iter().copied().chain(idle) {
            self.sink.clause(&[!here[from], !there[to]]);
        }
        self.sink.clause(&here);
        Ok(self.sink)
    }

    fn ends_elsewhere(mut self, part: &Part) -> Result<Formula, EncodeError> {
        if let Some(end) = self.subject.system.end {
            let end = self.unrolling.literal(end, 0, &mut self.sink)?;
            self.sink.clause(&[end]);
        }
        let bits = self.bits(part, 0)?;
        let mut here = self.one_of(part, &bits, |value| !value.end);
        let mut is_no_end = part.values.iter().map(|value| !value.end);
        here.retain(|_| is_no_end.next() == Some(true));
        self.sink.clause(&here);
        Ok(self.sink)
    }

    fn occurs_otherwise(mut self, goal: usize) -> Result<Formula, EncodeError> {
        for literal in self.window(goal)? {
            self.sink.clause(&[literal]);
        }
        let mut one = Vec::new();
        if self.parts.idle.contains(&goal) {
            for part in &self.parts.parts {
                let changed = self.changed(part)?;
                one.push(self.unrolling.encode(changed, 0, &mut self.sink));
            }
        }
        for part in &self.parts.parts {
            let Some(pairs) = part.visits_of(goal) else { continue };
            let otherwise = self.sink.fresh().positive();
            let (before, after) = (self.bits(part, 0)?, self.bits(part, 1)?);
            let here = self.one_of(part, &before, |_| true);
            let somewhere: Vec<Lit> = here.into_iter().chain([!otherwise]).collect();
            self.sink.clause(&somewhere);
            for &(from, to) in pairs {
                let (from, to) = (part.values[from].bits, part.values[to].bits);
                let clause = [differs(&before, from), differs(&after, to), vec![!otherwise]].concat();
                self.sink.clause(&clause);
            }
            one.push(otherwise);
        }
        self.sink.clause(&one);
        Ok(self.sink)
    }

    fn begin_together(mut self) -> Result<Formula, EncodeError> {
        let windows: Vec<Vec<Lit>> =
            (0..self.parts.goals.len()).map(|goal| self.window(goal)).collect::<Result<_, _>>()?;
        let mut one = Vec::new();
        for &(a, b) in &self.parts.apart {
            let together = self.sink.fresh().positive();
            for &literal in windows[a].iter().chain(&windows[b]) {
                self.sink.clause(&[!together, literal]);
            }
            one.push(together);
        }
        self.sink.clause(&one);
        Ok(self.sink)
    }

    /// Demands so many steps.
    fn run(&mut self, steps: u32) -> Result<(), EncodeError> {
        let running = self.unrolling.running(steps, &mut self.sink)?;
        self.sink.clause(&[running]);
        Ok(())
    }

    /// The literals that say that a window of the goal begins.
    fn window(&mut self, goal: usize) -> Result<Vec<Lit>, EncodeError> {
        let labels = self.subject.labels.iter().zip(self.subject.system.goals.values());
        let labels: Vec<_> = labels.filter(|((name, _), _)| *name == self.parts.goals[goal]).collect();
        let mut literals = vec![self.unrolling.running(labels.len() as u32, &mut self.sink)?];
        for ((_, step), label) in labels {
            literals.push(self.unrolling.literal(label.antecedent, *step, &mut self.sink)?);
        }
        Ok(literals)
    }

    /// The bits of a part in a frame.
    fn bits(&mut self, part: &Part, frame: u32) -> Result<Vec<Lit>, EncodeError> {
        let mut bits = Vec::new();
        for &(word, bit) in &part.bits {
            bits.push(self.unrolling.state_literals(self.words[word], frame, &mut self.sink)?[bit as usize]);
        }
        Ok(bits)
    }

    /// Whether the first step changes a part, in the graph.
    fn changed(&mut self, part: &Part) -> Result<Literal, EncodeError> {
        let mut changed = Literal::FALSE;
        for &(word, bit) in &part.bits {
            let before = self.unrolling.state_word(self.words[word], 0)?[bit as usize];
            let after = self.unrolling.state_word(self.words[word], 1)?[bit as usize];
            let graph = self.unrolling.graph();
            let differs = graph.xor(before, after);
            changed = graph.or(changed, differs);
        }
        Ok(changed)
    }

    /// For each value a literal that implies that the bits have it, where it is wanted.
    fn one_of(&mut self, part: &Part, bits: &[Lit], is_wanted: impl Fn(&Value) -> bool) -> Vec<Lit> {
        let mut literals = Vec::new();
        for value in &part.values {
            let literal = self.sink.fresh().positive();
            if is_wanted(value) {
                for differs in differs(bits, value.bits) {
                    self.sink.clause(&[!literal, !differs]);
                }
            }
            literals.push(literal);
        }
        literals
    }

    /// A literal that is true where the bits have the value.
    fn equals(&mut self, bits: &[Lit], value: u64) -> Lit {
        let literal = self.sink.fresh().positive();
        self.differs(bits, value, &[!literal]);
        literal
    }

    /// Demands that the bits have another value wherever all the conditions are true.
    fn differs(&mut self, bits: &[Lit], value: u64, conditions: &[Lit]) {
        let clause: Vec<Lit> =
            differs(bits, value).into_iter().chain(conditions.iter().map(|&condition| !condition)).collect();
        self.sink.clause(&clause);
    }
}

/// The clause that the bits have another value.
fn differs(bits: &[Lit], value: u64) -> Vec<Lit> {
    let differs = |(position, &bit): (usize, &Lit)| if value >> position & 1 == 1 { !bit } else { bit };
    bits.iter().enumerate().map(differs).collect()
}
