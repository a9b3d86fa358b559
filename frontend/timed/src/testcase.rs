//! The test case of a purpose: a tree whose trunk is the path, by ten rules (FACS 2023, section 5).
//!
//! | rule | for | guard | to |
//! |---|---|---|---|
//! | R1 | the path goes on by a controllable input: send | the rest of the path is possible | next context |
//! | R2, R3 | it goes on by an output, an uncontrollable input | π̃ | next context |
//! | R4 | its last event | π̃ | PASS |
//! | R5, R6 | another successor by an output, an uncontrollable input | π̃ | inconclusive |
//! | R7 | each uncontrollable channel | no successor on it has π̃ | inconclusive |
//! | R8 | silence | it is specified, or an event may yet come | inconclusive |
//! | R9 | each output channel | no successor on it has π̃ | FAIL |
//! | R10 | silence | not R8 | FAIL |
//!
//! π̃ is the path condition with its initial values bound. Silence is observed at the time-out, all
//! else before.

use crate::purpose::{Path, Walked, is_satisfiable, is_timely, other_initials, silence, walk};
use crate::smt::{SmtError, Solver};
use crate::symbolic::{Context, Execution, LATER, Role, Successor, Term, all, any, not};
use crate::system::{Direction, System};
use num_rational::BigRational;
use std::fmt;
use std::rc::Rc;

/// What a test says in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// The last event of the path was observed.
    Pass,
    /// An output that the specification allows, off the path.
    IncOut,
    /// An uncontrollable input that the specification has there, off the path.
    IncUcInSpec,
    /// An uncontrollable input that the specification does not have there.
    IncUcInUspec,
    /// Silence that is specified, or behind which an event may yet come.
    IncDur,
    /// An output that the specification does not allow.
    FailOut,
    /// Silence that the specification does not allow.
    FailDur,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Pass,
        Self::IncOut,
        Self::IncUcInSpec,
        Self::IncUcInUspec,
        Self::IncDur,
        Self::FailOut,
        Self::FailDur,
    ];
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::IncOut => "INC_out",
            Self::IncUcInSpec => "INC_ucInSpec",
            Self::IncUcInUspec => "INC_ucInUspec",
            Self::IncDur => "INC_dur",
            Self::FailOut => "FAIL_out",
            Self::FailDur => "FAIL_dur",
        }
    }
    /// The verdict of a name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.name() == name)
    }
    /// Whether it says that the specification goes on, but not on the path.
    pub fn is_deviation(self) -> bool {
        matches!(self, Self::IncOut | Self::IncUcInSpec)
    }
    /// Whether it says that the system is wrong.
    pub fn is_fail(self) -> bool {
        matches!(self, Self::FailOut | Self::FailDur)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// Where a transition leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// To the context with this number of the same part.
    Context(usize),
    /// To a context of another part of an adaptive test case.
    Part {
        /// The number of the part.
        part: usize,
        /// The number of the context on its path.
        context: usize,
    },
    /// To a verdict.
    Verdict(Verdict),
}

/// A transition of a test case.
#[derive(Clone, Debug)]
pub struct Transition {
    /// The context in which it starts.
    pub from: usize,
    /// The rule that makes it, from 1.
    pub rule: u8,
    /// The channel of its event; none: silence.
    pub channel: Option<usize>,
    /// The transition of the system that it follows, where it is one.
    pub edge: Option<usize>,
    /// The condition on the symbols of the trace. All symbols of initial values, and for rule 1 of
    /// later events, that stand free in it are bound existentially.
    pub guard: Vec<Term>,
    /// Where it leads.
    pub to: Target,
}

/// A test case.
#[derive(Debug)]
pub struct TestCase<'s> {
    /// The purpose.
    pub purpose: String,
    /// The path with its symbols.
    pub path: Path<'s>,
    /// How long to wait for an event.
    pub timeout: BigRational,
    /// What excuses a silence.
    pub excuse: Excuse,
    /// The transitions, those of one context side by side.
    pub transitions: Vec<Transition>,
    /// Whether transitions that can never be taken were dropped.
    pub is_pruned: bool,
    /// Its number among the parts of an adaptive test case; 0: the trunk.
    pub part: usize,
    /// The first context that is its own; those before are of other parts.
    pub first: usize,
}

/// Why there is no test case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TestCaseError {
    /// The path cannot be taken.
    #[error("the purpose is infeasible: only its first {0} transitions can be taken in a row")]
    Infeasible(usize),
    /// The path shares a trace with another one.
    #[error(
        "the purpose is not trace-deterministic: in context {context} `{edge}` has the trace {trace} as well"
    )]
    NotDeterministic {
        /// The context, from 0.
        context: usize,
        /// The other transition.
        edge: String,
        /// A common trace.
        trace: String,
    },
    /// No event of the path can come within the time-out.
    #[error("the time-out {timeout} ends the waiting before all events of `{purpose}` can come")]
    TimeoutTooShort {
        /// The purpose, or path.
        purpose: String,
        /// The time-out.
        timeout: String,
    },
    /// The solver does not answer.
    #[error(transparent)]
    Smt(#[from] SmtError),
}

/// Which events that may yet come excuse a silence (R8).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Excuse {
    /// Outputs and uncontrollable inputs: what the tester decides excuses nothing.
    #[default]
    Others,
    /// All inputs, too: the other way to read the paper's definition of quiescence.
    Any,
}

/// How long a tester waits for an event, and what excuses that none comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patience {
    /// The time-out.
    pub timeout: BigRational,
    /// What excuses a silence.
    pub excuse: Excuse,
}

impl From<&BigRational> for Patience {
    fn from(timeout: &BigRational) -> Self {
        Self { timeout: timeout.clone(), excuse: Excuse::Others }
    }
}

/// The test case of a path.
///
/// # Errors
/// The path is no purpose, or the solver does not answer.
pub fn generate<'s>(
    system: &'s System,
    (name, edges): (&str, &[usize]),
    patience: impl Into<Patience>,
    solver: &mut Solver,
) -> Result<TestCase<'s>, TestCaseError> {
    let Patience { timeout, excuse } = patience.into();
    let Walked { path, twin, .. } = walk(system, edges, false, solver)?;
    if path.taken.len() < edges.len() {
        return Err(TestCaseError::Infeasible(path.taken.len()));
    }
    if let Some((context, edge, trace)) = twin {
        let edge = system.edges[edge].name.clone();
        return Err(TestCaseError::NotDeterministic { context, edge, trace: trace.join("") });
    }
    if !is_timely(&path, &timeout, solver)? {
        return Err(TestCaseError::TimeoutTooShort {
            purpose: name.to_owned(),
            timeout: timeout.to_string(),
        });
    }
    let mut test = TestCase {
        purpose: name.to_owned(),
        path,
        timeout,
        excuse,
        transitions: Vec::new(),
        is_pruned: false,
        part: 0,
        first: 0,
    };
    for index in 0..edges.len() {
        test.context(index);
    }
    Ok(test)
}

impl TestCase<'_> {
    /// The transitions of the path.
    pub fn edges(&self) -> Vec<usize> {
        let taken = self.path.taken.iter().zip(&self.path.successors);
        taken.map(|(&taken, possible)| possible[taken].edge).collect()
    }
    fn system(&self) -> &System {
        self.path.execution.system
    }
    fn direction(&self, edge: usize) -> Direction {
        let system = self.system();
        system.channel(&system.edges[edge]).direction
    }

    /// All transitions that start in a context, in the order of the rules.
    fn context(&mut self, index: usize) {
        let successors = self.path.successors[index].clone();
        let taken = self.path.taken[index];
        self.on_the_path(index, &successors[taken]);
        for (position, successor) in successors.iter().enumerate() {
            if position != taken {
                self.off_the_path(index, successor);
            }
        }
        self.unexpected(index, &successors, Direction::Uncontrollable, 7, Verdict::IncUcInUspec);
        let silent = self.silent(index, &successors);
        self.add(index, 8, None, vec![silent.clone()], Target::Verdict(Verdict::IncDur));
        self.unexpected(index, &successors, Direction::Output, 9, Verdict::FailOut);
        // Durations below 0 would satisfy the negation.
        let domain = duration_domain(&self.path.execution, &self.path.contexts[index]);
        self.add(index, 10, None, vec![not(&silent), domain], Target::Verdict(Verdict::FailDur));
    }
    fn add(&mut self, from: usize, rule: u8, edge: Option<usize>, guard: Vec<Term>, to: Target) {
        let channel = edge.map(|edge| self.system().edges[edge].channel);
        self.transitions.push(Transition { from, rule, channel, edge, guard, to });
    }
    /// R1 to R4.
    fn on_the_path(&mut self, index: usize, next: &Successor) {
        let is_last = index + 1 == self.path.taken.len();
        let condition = next.context.condition.clone();
        let to = Target::Context(index + 1);
        match self.direction(next.edge) {
            Direction::Input => {
                let target = self.path.contexts[self.path.contexts.len() - 1].condition.clone();
                self.add(index, 1, Some(next.edge), target, to);
            }
            _ if is_last => {
                self.add(index, 4, Some(next.edge), condition, Target::Verdict(Verdict::Pass));
            }
            Direction::Output => self.add(index, 2, Some(next.edge), condition, to),
            Direction::Uncontrollable => self.add(index, 3, Some(next.edge), condition, to),
        }
    }
    /// R5 and R6.
    fn off_the_path(&mut self, index: usize, other: &Successor) {
        let (rule, verdict) = match self.direction(other.edge) {
            Direction::Output => (5, Verdict::IncOut),
            Direction::Uncontrollable => (6, Verdict::IncUcInSpec),
            Direction::Input => return,
        };
        let condition = other.context.condition.clone();
        self.add(index, rule, Some(other.edge), condition, Target::Verdict(verdict));
    }
    /// R7 and R9.
    fn unexpected(
        &mut self,
        index: usize,
        successors: &[Successor],
        direction: Direction,
        rule: u8,
        verdict: Verdict,
    ) {
        for channel in 0..self.system().channels.len() {
            if self.system().channels[channel].direction != direction {
                continue;
            }
            let on = |successor: &&Successor| self.system().edges[successor.edge].channel == channel;
            let context = &self.path.contexts[index];
            let mut guard: Vec<Term> = successors
                .iter()
                .filter(on)
                .map(|successor| not(&self.observed(&successor.context.condition)))
                .collect();
            // Durations are no times before now.
            guard.push(duration_domain(&self.path.execution, context));
            let to = Target::Verdict(verdict);
            self.transitions.push(Transition {
                from: index,
                rule,
                channel: Some(channel),
                edge: None,
                guard,
                to,
            });
        }
    }
    /// π̃: the condition with initial values bound.
    fn observed(&self, condition: &[Term]) -> Term {
        let execution = &self.path.execution;
        let is_initial =
            |name: &str| execution.symbols.get(name).is_some_and(|known| known.role == Role::Initial);
        execution.exists(condition, &is_initial)
    }
    /// The guard of R8: silence is specified, or an event that excuses it may come later.
    fn silent(&mut self, index: usize, successors: &[Successor]) -> Term {
        let context = self.path.contexts[index].clone();
        let specified = silence(&mut self.path.execution, &context, successors);
        let mut condition = context.condition.clone();
        condition.push(specified);
        condition.push(duration_domain(&self.path.execution, &context));
        let execution = &self.path.execution;
        let is_initial =
            |name: &str| execution.symbols.get(name).is_some_and(|known| known.role == Role::Initial);
        let mut cases = vec![execution.exists_perhaps(&condition, &is_initial)];
        for successor in successors {
            if self.excuse == Excuse::Others && self.direction(successor.edge) == Direction::Input {
                continue;
            }
            cases.push(self.possible_later(&context, successor.edge));
        }
        any(&cases)
    }
    /// That a transition is possible behind the duration of a context.
    fn possible_later(&mut self, context: &Context, edge: usize) -> Term {
        let execution = &mut self.path.execution;
        let later = execution.follow(context, edge, LATER);
        let names = [Execution::duration(context, ""), Execution::duration(context, LATER)];
        let mut after = Term::truth(format!("(< {} {})", names[0], names[1]), []);
        Rc::make_mut(&mut after.symbols).extend(names);
        let mut condition = context.condition.clone();
        condition.extend(later.guard);
        condition.push(after);
        condition.push(duration_domain(execution, context));
        let is_bound = |name: &str| {
            name.ends_with(LATER)
                || execution.symbols.get(name).is_some_and(|known| known.role == Role::Initial)
        };
        execution.exists(&condition, &is_bound)
    }

    /// Drops transitions that no run takes that keeps to the path before, with the stimulations of
    /// rule 1. The time-out is left open.
    ///
    /// # Errors
    /// If the solver does not answer.
    pub fn prune(&mut self, solver: &mut Solver) -> Result<(), SmtError> {
        let mut kept = Vec::new();
        for transition in &self.transitions {
            let is_needed = transition.rule <= 4 || self.is_possible(transition, solver)?;
            kept.push(is_needed);
        }
        let mut kept = kept.into_iter();
        self.transitions.retain(|_| kept.next().unwrap_or(true));
        self.is_pruned = true;
        Ok(())
    }
    fn is_possible(&self, transition: &Transition, solver: &mut Solver) -> Result<bool, SmtError> {
        let execution = &self.path.execution;
        let mut terms: Vec<Term> = transition.guard.clone();
        let context = &self.path.contexts[transition.from];
        terms.extend(context.condition.iter().map(|term| other_initials(execution, term, "_copy1")));
        // The guard of the last stimulation implies those before. Stimulations of other parts were
        // made for other paths.
        let last = (self.first..transition.from).rev().find(|&index| {
            let edge = self.path.successors[index][self.path.taken[index]].edge;
            self.direction(edge) == Direction::Input
        });
        if let Some(last) = last {
            let target = &self.path.contexts[self.path.contexts.len() - 1];
            terms.extend(target.condition.iter().map(|term| {
                term.renamed(&|name| {
                    let is_bound = match execution.symbols.get(name)?.role {
                        Role::Initial => true,
                        Role::Duration(event) | Role::Message { event, .. } => event > last + 1,
                    };
                    is_bound.then(|| format!("{name}_copy2"))
                })
            }));
        }
        // What is assumed of the values of messages that come.
        let channel = transition.channel.into_iter();
        let names = channel.flat_map(|channel| execution.message(context, channel, ""));
        terms.extend(names.filter_map(|name| execution.symbols.get(&name)?.domain.clone()));
        let what = format!("a transition by R{} in context {} is possible", transition.rule, transition.from);
        is_satisfiable(execution, &[all(&terms)], solver, &what)
    }

    /// How many transitions there are by a verdict, or on the path.
    pub fn summary(&self) -> String {
        let count = |wanted: &dyn Fn(&Transition) -> bool| {
            self.transitions.iter().filter(|transition| wanted(transition)).count()
        };
        let verdict = |wanted: &dyn Fn(Verdict) -> bool| {
            count(&|transition| matches!(transition.to, Target::Verdict(verdict) if wanted(verdict)))
        };
        let fail = verdict(&Verdict::is_fail);
        let pass = verdict(&|verdict| verdict == Verdict::Pass);
        let length = self.path.taken.len();
        format!(
            "{}: {length} transition{}, deterministic; test case of {} transitions: {} stimulate, {} observe, {pass} pass, {} inconclusive, {fail} fail",
            self.purpose,
            if length == 1 { "" } else { "s" },
            self.transitions.len(),
            count(&|transition| transition.rule == 1),
            count(&|transition| matches!(transition.rule, 2 | 3)),
            verdict(&|verdict| !verdict.is_fail() && verdict != Verdict::Pass),
        )
    }
}

/// That the duration of a context is at least 0.
fn duration_domain(execution: &Execution<'_>, context: &Context) -> Term {
    let name = Execution::duration(context, "");
    let known = execution.symbols.get(&name).and_then(|known| known.domain.clone());
    known.unwrap_or_else(|| all(&[]))
}
