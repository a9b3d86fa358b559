//! What an execution meets beside values: assumptions, assertions, goals, ends.

use super::Machine;
use super::coverage::Notes;
use super::hazard::HazardKind;
use super::initial_memory::Phase;
use super::state::State;
use super::watch::Watched;
use crate::ir::FunctionId;
use frontend::Topic;
use frontend::source::Span;
use model::sort::Sort;
use model::system::InputRole;
use model::term::TermId;

/// Why only executions count in which a condition holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Premise {
    /// The code says so (`__CPROVER_assume`).
    Said,
    /// Elsewhere it calls the function of this name, which ends the program.
    Ends(String),
    /// Elsewhere it calls the function of this name, which ends the program after an error was
    /// reported.
    Error(String),
    /// Elsewhere a loop runs, or a function calls itself, more often than this: the request says
    /// that it does not.
    Unwound(u32),
    /// What its type, or the C library's word, tells of a value from outside.
    Meant,
    /// Elsewhere an operation is undefined, and the request forbids that.
    Undefined(HazardKind),
}

impl Premise {
    /// Whether an execution that breaks it ends at that place, so that what it reached before
    /// counts. What breaks any other premise is no execution at all.
    pub(crate) fn ends_execution(&self) -> bool {
        matches!(self, Self::Said | Self::Ends(_) | Self::Error(_) | Self::Undefined(_))
    }
}

/// A condition under which an execution is considered at all.
#[derive(Clone, Debug)]
pub(crate) struct AssumptionSite {
    /// The truth that the place is reached, were there no other assumptions.
    pub(crate) path: TermId,
    /// The truth.
    pub(crate) condition: TermId,
    /// The truths of the operands of its `&&`, where they are wanted.
    pub(crate) operands: Vec<TermId>,
    /// Where it stands.
    pub(crate) span: Span,
    /// Where it comes from.
    pub(crate) premise: Premise,
}

impl AssumptionSite {
    /// What to tell of it, where it was not written as an assumption on inputs.
    pub(crate) fn told(&self) -> Option<String> {
        match &self.premise {
            Premise::Said => {
                Some("executions in which this assumption does not hold are left out".to_owned())
            }
            Premise::Ends(function) => {
                Some(format!("executions that call `{function}` here, which ends the program, are left out"))
            }
            Premise::Unwound(rounds) => Some(format!(
                "executions that come here more than {rounds} times in a row are left out, as asked for"
            )),
            Premise::Error(_) | Premise::Meant | Premise::Undefined(_) => None,
        }
    }
}

/// One time that a goal in the code is reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visit {
    /// The truth that it is reached as wanted, were there no assumptions.
    pub(crate) antecedent: TermId,
    /// What must then hold.
    pub(crate) expectation: Option<TermId>,
    /// How many assumptions stand before it in the order of execution.
    pub(crate) assumed: usize,
}

/// A call that a replay can see, of a function that makes a goal of its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    /// The function.
    pub(crate) function: FunctionId,
    /// The truth that it is called, were there no assumptions.
    pub(crate) path: TermId,
    /// Its argument is true where this implies the claim.
    pub(crate) premise: TermId,
    /// What the premise has to imply.
    pub(crate) claim: TermId,
    /// How many assumptions stand before it in the order of execution.
    pub(crate) assumed: usize,
}

/// A place that is to be reached.
#[derive(Clone, Debug)]
pub(crate) struct CoverSite {
    /// The name, where the code gives one.
    pub(crate) name: Option<String>,
    /// Where it stands.
    pub(crate) span: Span,
    /// Whether it is a call of an error function, which no execution may reach.
    pub(crate) is_error: bool,
    /// The truth that it is reached as wanted.
    pub(crate) condition: TermId,
    /// Every time that it is reached.
    pub(crate) visits: Vec<Visit>,
}

/// An assertion.
#[derive(Clone, Debug)]
pub(crate) struct AssertionSite {
    /// Where it stands.
    pub(crate) span: Span,
    /// The truth that it is reached and the premise of its formula holds.
    pub(crate) antecedent: TermId,
    /// The truth that it then holds.
    pub(crate) expectation: TermId,
    /// Every time that it is reached.
    pub(crate) visits: Vec<Visit>,
    /// What the formula reads at each of these times.
    pub(crate) read: Vec<Vec<Watched>>,
    /// Whether it says that its place is never reached: it is written as false.
    pub(crate) is_never: bool,
}

/// Everything met, each place once.
#[derive(Clone, Default)]
pub(crate) struct Events {
    /// Assumptions.
    pub(crate) assumptions: Vec<AssumptionSite>,
    /// Places to reach, in the order in which they were met.
    pub(crate) covers: Vec<CoverSite>,
    /// Assertions, likewise.
    pub(crate) assertions: Vec<AssertionSite>,
    /// Coverage goals that were reached.
    pub(crate) coverage: Notes,
    /// Calls that make goals of their places, in the order of execution.
    pub(crate) marks: Vec<Mark>,
    /// States in which the program has left the loop of its driver.
    pub(crate) leaving: Vec<State>,
    /// States in which it has ended after that.
    pub(crate) ends: Vec<State>,
    /// Whether it is executed what stands behind that loop.
    pub(crate) is_behind_loop: bool,
    /// Whether that could not be executed.
    pub(crate) skips_tail: bool,
    /// Depth of calls of error functions: that the program ends there is what it was to be brought
    /// to.
    pub(crate) error_calls: u32,
    /// Functions without a body whose calls were ignored or answered by inputs.
    pub(crate) externs: Vec<(String, Topic, String)>,
}

impl Machine<'_> {
    /// Records that only executions count in which `condition` holds in `state`.
    pub(crate) fn note_assumption(
        &mut self,
        state: &State,
        condition: TermId,
        (span, premise): (Span, Premise),
    ) {
        let path = self.paths.conjunction(state.path);
        let condition = self.system.terms.implies(path, condition);
        if self.system.terms.as_const(condition).is_none_or(|value| !value.is_true()) {
            let operands = Vec::new();
            self.events.assumptions.push(AssumptionSite { path, condition, operands, span, premise });
        }
    }

    /// Records the operands of the assumption that was noted last.
    pub(crate) fn note_operands(&mut self, state: &State, operands: &[TermId], span: Span) {
        let path = self.paths.conjunction(state.path);
        let operands = operands.iter().map(|&operand| self.system.terms.implies(path, operand)).collect();
        if let Some(site) = self.events.assumptions.last_mut().filter(|site| site.span == span) {
            site.operands = operands;
        }
    }

    /// What a branch of the step goes by: its condition, or an input where the decision is left
    /// open.
    pub(crate) fn decision(&mut self, span: Span, condition: TermId) -> TermId {
        let is_constant = self.system.terms.as_const(condition).is_some();
        let is_step =
            self.property.is_none() && matches!(self.initial_memory.phase, Phase::Step { frame: 0 });
        let is_in_model = is_step && self.library_call.is_none();
        if !self.keep_wording || !is_in_model || is_constant {
            return condition;
        }
        let line = Span { column: 0, ..span };
        if !self.decisions.contains(&line) {
            self.decisions.push(line);
        }
        if !self.open_decisions.contains(&(span.file, span.line)) {
            return condition;
        }
        let input = self.system.add_input("(decision)", Sort::TRUTH, InputRole::Choice);
        self.system.input_term(input)
    }

    /// Records a place to be reached; by a call of an error function, it is one that must not be.
    pub(crate) fn note_cover(
        &mut self,
        state: &State,
        condition: TermId,
        (name, is_error): (Option<String>, bool),
        span: Span,
    ) {
        let path = self.paths.conjunction(state.path);
        let condition = self.system.terms.and(path, condition);
        let visit =
            Visit { antecedent: condition, expectation: None, assumed: self.events.assumptions.len() };
        match self.events.covers.iter_mut().find(|site| site.span == span) {
            Some(site) => {
                if site.name != name {
                    site.name = None;
                }
                let before = site.condition;
                let joined = self.system.terms.or(before, condition);
                site.condition = joined;
                site.visits.push(visit);
            }
            None => {
                let visits = vec![visit];
                self.events.covers.push(CoverSite { name, span, is_error, condition, visits });
            }
        }
    }

    /// Records an assertion: where `premise` holds, `claim` must hold; its formula reads `read`, or
    /// is written as false.
    pub(crate) fn note_assertion(
        &mut self,
        state: &State,
        (premise, claim): (TermId, TermId),
        (read, is_never): (Vec<Watched>, bool),
        span: Span,
    ) {
        let path = self.paths.conjunction(state.path);
        let terms = &mut self.system.terms;
        let antecedent = terms.and(path, premise);
        let expectation = terms.implies(antecedent, claim);
        let assumed = self.events.assumptions.len();
        let visit = Visit { antecedent, expectation: Some(expectation), assumed };
        match self.events.assertions.iter_mut().find(|site| site.span == span) {
            Some(site) => {
                site.antecedent = terms.or(site.antecedent, antecedent);
                site.expectation = terms.and(site.expectation, expectation);
                site.visits.push(visit);
                site.read.push(read);
            }
            None => {
                let (visits, read) = (vec![visit], vec![read]);
                self.events.assertions.push(AssertionSite {
                    span,
                    antecedent,
                    expectation,
                    visits,
                    read,
                    is_never,
                });
            }
        }
    }

    /// Records a call that makes a goal of its place; its argument is true where `premise` implies
    /// `claim`.
    pub(super) fn note_mark(
        &mut self,
        state: &State,
        function: FunctionId,
        (premise, claim): (TermId, TermId),
    ) {
        let path = self.paths.conjunction(state.path);
        let assumed = self.events.assumptions.len();
        self.events.marks.push(Mark { function, path, premise, claim, assumed });
    }

    /// Records that an undefined function was met; once for each.
    pub(crate) fn note_extern(&mut self, name: &str, topic: Topic, reason: String) {
        if !self.events.externs.iter().any(|(known, ..)| known == name) {
            self.events.externs.push((name.to_owned(), topic, reason));
        }
    }
}
