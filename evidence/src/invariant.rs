//! Evidence that a goal is unreachable where the states are too many for a graph: an inductive
//! invariant.
//!
//! The invariant is a set of clauses over state bits. Three queries without model show what it is
//! good for:
//!
//! | query | asks for |
//! |---|---|
//! | `NAME-initial` | an initial state that violates a clause |
//! | `NAME-step` | a step from a state that satisfies all clauses to one that violates a clause |
//! | `NAME-goal` | a window of the goal that begins in a state that satisfies all clauses |
//! | `NAME-end` | instead: a state of Final that satisfies all clauses |
//!
//! The clauses are found by property directed reachability; how does not matter here. The file has
//! one line for each clause: numbers of words, a point, numbers of bits, `=` and the value, at
//! least one of which the state has. What the words are called stands above.

use super::facts;
use super::subject::{Subject, sliced};
use encoder::EncodeError;
use encoder::unroll::{Start, Unrolling};
use engine::error::StopReason;
use engine::knowledge::task::{Task, all_goals};
use engine::knowledge::vertex::Vertex;
use engine::options::HazardPolicy;
use engine::provers::pdr::{BitCube, BitValue, Prover, Question, Verdict, bit_cubes};
use engine::provers::{houdini, localized};
use engine::session::{Session, Stop};
use model::id::Id;
use model::product::twins;
use model::slice::{SliceMap, StateFate};
use model::system::{StateId, TransitionSystem};
use model::validate::Validated;
use solver::sat::{ClauseSink, Formula, Lit};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Queries that the search for the invariant of one goal may ask.
const QUERIES: u64 = 30_000;
/// What these queries may cost together, in conflicts.
const EFFORT: u64 = 400_000;

/// Clauses of which every state must satisfy all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Invariant {
    clauses: Vec<Vec<BitValue>>,
}

/// What an invariant excludes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Excluded<'g> {
    /// A window of the goal of that name.
    Goal(&'g str),
    /// That an execution ends in Final.
    End,
}

/// An invariant of the system that excludes that. `None`: none was found.
pub(super) fn find(
    system: &Validated,
    hazards: HazardPolicy,
    excluded: Excluded<'_>,
    session: &Session<'_>,
) -> Result<Option<Invariant>, Stop> {
    let (small, map) = sliced(system, hazards);
    let task = Task::new(&small, &all_goals(&small), Vec::new());
    let vertex = match excluded {
        Excluded::Goal(goal) => {
            let is_asked = |&vertex: &Vertex| small.goals[task.goal(vertex)].name == goal;
            let Some(vertex) = task.vertices().find(is_asked) else { return Ok(None) };
            vertex
        }
        Excluded::End => Vertex::DEPOT,
    };
    if twins(&small).next().is_some()
        && let Some(clauses) = beside_twins(&task, vertex, session)?
    {
        return Ok(
            Invariant::moved(clauses, &small, system).map(|invariant| invariant.with_constants(&map, system))
        );
    }
    if let Excluded::Goal(_) = excluded
        && let Some(cubes) = localized::invariant(&task, vertex, EFFORT, session)?
    {
        return Ok(Invariant::of_cubes(cubes, &small, system)
            .map(|invariant| invariant.with_constants(&map, system)));
    }
    let mut prover = Prover::new(&task, Vertex::DEPOT, session)?;
    let (verdict, _) =
        session.within(EFFORT, || prover.exclude(Question::Event(vertex), QUERIES, session))?;
    Ok(match verdict {
        Verdict::Never { .. } => Invariant::of_cubes(bit_cubes(prover.invariant(), &small), &small, system)
            .map(|invariant| invariant.with_constants(&map, system)),
        Verdict::Happens | Verdict::Unknown => None,
    })
}

/// Clauses that exclude what happens at a vertex, where versions of a system stand side by side:
/// what is guessed of twins, and what property directed reachability finds in the states that
/// satisfy it. `None`: it finds nothing.
fn beside_twins(
    task: &Task<'_>,
    vertex: Vertex,
    session: &Session<'_>,
) -> Result<Option<Vec<Vec<BitValue>>>, Stop> {
    houdini::guess(task, &[], session)?;
    let mut prover = Prover::new(task, Vertex::DEPOT, session)?;
    let asked = session.within(EFFORT, || prover.exclude(Question::Event(vertex), QUERIES, session));
    Ok(match asked {
        Ok((Verdict::Never { .. }, _)) => {
            let mut clauses = bit_cubes(prover.invariant(), task.system);
            clauses.iter_mut().flatten().for_each(|literal| literal.set = !literal.set);
            clauses.extend(facts::known(task));
            Some(clauses)
        }
        Ok(_) | Err(Stop::Limit(StopReason::Effort)) => None,
        Err(stop) => return Err(stop),
    })
}

impl Invariant {
    /// The clauses that exclude these cubes of a system whose words have the same names in the
    /// whole one.
    fn of_cubes(mut cubes: Vec<BitCube>, small: &TransitionSystem, whole: &TransitionSystem) -> Option<Self> {
        cubes.iter_mut().flatten().for_each(|literal| literal.set = !literal.set);
        Self::moved(cubes, small, whole)
    }

    /// Clauses about a system whose words have the same names in the whole one.
    pub(super) fn moved(
        mut clauses: Vec<Vec<BitValue>>,
        small: &TransitionSystem,
        whole: &TransitionSystem,
    ) -> Option<Self> {
        let word_of = |word: StateId| {
            let name = small.state_name(word);
            whole.states.ids().find(|&word| whole.state_name(word) == name)
        };
        let words: Vec<StateId> = small.states.ids().map(word_of).collect::<Option<_>>()?;
        clauses.iter_mut().flatten().for_each(|literal| literal.word = words[literal.word.index()]);
        Some(Self { clauses })
    }

    /// The same and that words which never change have their values: a slice of the system leaves
    /// them out.
    pub(super) fn with_constants(mut self, map: &SliceMap, whole: &TransitionSystem) -> Self {
        for (word, fate) in map.states.iter() {
            let StateFate::Constant(value) = fate else { continue };
            let width = whole.terms.symbol(whole.states[word].symbol).sort.width();
            let bit = |bit: u32| vec![BitValue { word, bit, set: value.bits() >> bit & 1 == 1 }];
            self.clauses.extend((0..width).map(bit));
        }
        self
    }

    /// As text, with the names of the words.
    pub(super) fn print(&self, system: &TransitionSystem) -> String {
        let mut text = String::new();
        for (number, state) in system.states.ids().enumerate() {
            let _ = writeln!(text, "word {number} {}", system.state_name(state));
        }
        let number = |word: StateId| system.states.ids().position(|state| state == word).unwrap_or(0);
        for clause in &self.clauses {
            let literal = |BitValue { word, bit, set }: &BitValue| {
                format!("{}.{bit}={}", number(*word), u8::from(*set))
            };
            let literals: Vec<String> = clause.iter().map(literal).collect();
            let _ = writeln!(text, "clause {}", literals.join(" "));
        }
        text
    }

    /// The invariant of such a text about this system.
    ///
    /// # Errors
    /// What is wrong with it, and in which line.
    pub(super) fn parse(text: &str, system: &TransitionSystem) -> Result<Self, String> {
        let words: Vec<StateId> = system.states.ids().collect();
        let literal = |text: &str| {
            let (place, value) = text.split_once('=')?;
            let (word, bit) = place.split_once('.')?;
            let (word, bit): (usize, u32) = (word.parse().ok()?, bit.parse().ok()?);
            let &word = words.get(word)?;
            let width = system.terms.symbol(system.states[word].symbol).sort.width();
            let set = [("0", false), ("1", true)].into_iter().find(|(text, _)| *text == value)?.1;
            (bit < width).then_some(BitValue { word, bit, set })
        };
        let mut clauses = Vec::new();
        for (number, line) in text.lines().enumerate() {
            match line.split_once(' ') {
                Some(("word", _)) => {}
                Some(("clause", literals)) => {
                    let clause: Option<Vec<BitValue>> = literals.split_whitespace().map(literal).collect();
                    clauses.push(
                        clause.ok_or_else(|| format!("line {}: no clause over state bits", number + 1))?,
                    );
                }
                _ => return Err(format!("line {}: neither a word nor a clause", number + 1)),
            }
        }
        Ok(Self { clauses })
    }

    /// Number of clauses.
    pub(super) fn len(&self) -> usize {
        self.clauses.len()
    }

    /// The queries that show that the invariant excludes that, with their names.
    ///
    /// # Errors
    /// Where a term cannot be encoded.
    pub(super) fn queries(
        &self,
        subject: &Subject,
        excluded: Excluded<'_>,
    ) -> Result<Vec<(&'static str, Formula)>, EncodeError> {
        let mut queries = self.own_queries(subject)?;
        queries.push(match excluded {
            Excluded::Goal(goal) => ("goal", self.goal(subject, goal)?),
            Excluded::End => ("end", self.end(subject)?),
        });
        Ok(queries)
    }

    /// The queries that show that all reachable states satisfy the clauses, with their names.
    ///
    /// # Errors
    /// Where a term cannot be encoded.
    pub(super) fn own_queries(&self, subject: &Subject) -> Result<Vec<(&'static str, Formula)>, EncodeError> {
        // Without clauses every state will do.
        if self.clauses.is_empty() {
            return Ok(Vec::new());
        }
        Ok(vec![("initial", self.initial(subject)?), ("step", self.step(subject)?)])
    }

    fn initial(&self, subject: &Subject) -> Result<Formula, EncodeError> {
        let mut sink = Formula::new();
        let mut unrolling = Unrolling::new(&subject.system, Start::Initial);
        let running = unrolling.running(0, &mut sink)?;
        sink.clause(&[running]);
        self.violate(&mut unrolling, 0, &mut sink)?;
        Ok(sink)
    }

    fn step(&self, subject: &Subject) -> Result<Formula, EncodeError> {
        let mut sink = Formula::new();
        let mut unrolling = self.satisfied(subject, &mut sink)?;
        let running = unrolling.running(1, &mut sink)?;
        sink.clause(&[running]);
        self.violate(&mut unrolling, 1, &mut sink)?;
        Ok(sink)
    }

    fn goal(&self, subject: &Subject, goal: &str) -> Result<Formula, EncodeError> {
        let mut sink = Formula::new();
        let mut unrolling = self.satisfied(subject, &mut sink)?;
        let labels = subject.labels.iter().zip(subject.system.goals.values());
        for ((_, step), label) in labels.filter(|((name, _), _)| name == goal) {
            let running = unrolling.running(step + 1, &mut sink)?;
            let holds = unrolling.literal(label.antecedent, *step, &mut sink)?;
            sink.clause(&[running]);
            sink.clause(&[holds]);
        }
        Ok(sink)
    }

    fn end(&self, subject: &Subject) -> Result<Formula, EncodeError> {
        let mut sink = Formula::new();
        let mut unrolling = self.satisfied(subject, &mut sink)?;
        if let Some(end) = subject.system.end {
            let holds = unrolling.literal(end, 0, &mut sink)?;
            sink.clause(&[holds]);
        }
        Ok(sink)
    }

    /// The literals of a clause in a frame.
    fn literals(
        clause: &[BitValue],
        unrolling: &mut Unrolling<'_>,
        frame: u32,
        sink: &mut dyn ClauseSink,
    ) -> Result<Vec<Lit>, EncodeError> {
        let mut literals = Vec::new();
        for &BitValue { word, bit, set } in clause {
            let bit = unrolling.state_literals(word, frame, sink)?[bit as usize];
            literals.push(if set { bit } else { !bit });
        }
        Ok(literals)
    }

    /// From any state that satisfies all clauses. Words that are equal by them are one word there:
    /// circuits over either are the same then.
    fn satisfied<'s>(
        &self,
        subject: &'s Subject,
        sink: &mut dyn ClauseSink,
    ) -> Result<Unrolling<'s>, EncodeError> {
        let mut unrolling = Unrolling::new(&subject.system, Start::Free);
        self.equal_words(&subject.system).into_iter().for_each(|words| unrolling.identify(words));
        self.assert(&mut unrolling, sink)?;
        Ok(unrolling)
    }

    /// Pairs of words of one sort that differ in no bit by the clauses.
    fn equal_words(&self, system: &TransitionSystem) -> Vec<[StateId; 2]> {
        let mut bits: BTreeMap<[StateId; 2], BTreeSet<(u32, bool)>> = BTreeMap::new();
        for clause in &self.clauses {
            let [one, other] = clause.as_slice() else { continue };
            if one.word != other.word && one.bit == other.bit && one.set != other.set {
                let (left, right) = if one.word < other.word { (one, other) } else { (other, one) };
                bits.entry([left.word, right.word]).or_default().insert((left.bit, left.set));
            }
        }
        let sort = |word: StateId| system.terms.symbol(system.states[word].symbol).sort;
        let are_equal = |([left, right], bits): &([StateId; 2], BTreeSet<(u32, bool)>)| {
            sort(*left) == sort(*right) && bits.len() == 2 * sort(*left).width() as usize
        };
        bits.into_iter().filter(are_equal).map(|(words, _)| words).collect()
    }

    /// Demands all clauses of the first state.
    pub(super) fn assert(
        &self,
        unrolling: &mut Unrolling<'_>,
        sink: &mut dyn ClauseSink,
    ) -> Result<(), EncodeError> {
        for clause in &self.clauses {
            let literals = Self::literals(clause, unrolling, 0, sink)?;
            sink.clause(&literals);
        }
        Ok(())
    }

    /// Demands that a clause is violated in a frame.
    fn violate(
        &self,
        unrolling: &mut Unrolling<'_>,
        frame: u32,
        sink: &mut Formula,
    ) -> Result<(), EncodeError> {
        let mut one = Vec::new();
        for clause in &self.clauses {
            let violated = sink.fresh().positive();
            for literal in Self::literals(clause, unrolling, frame, sink)? {
                sink.clause(&[!violated, !literal]);
            }
            one.push(violated);
        }
        sink.clause(&one);
        Ok(())
    }
}
