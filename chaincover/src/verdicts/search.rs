//! The search for verdicts: executions that reach antecedents, executions that violate, and proofs
//! that there are none.
//!
//! Questions are asked of the engine's one door, first of all requirements together, where chains
//! and proofs are found for many at once, then of each alone, where the shortest counterexample is
//! sought. A question gets a share of the time; those that a share did not settle are asked again
//! with larger ones, until the time is up.

use super::counterexample::{Counterexample, occurrences, own_hazard};
use super::system::{system_with, validated, violation, violations};
use super::{Applied, Known, Verdict, Verdicts};
use crate::error::{Error, ErrorKind};
use crate::model::Model;
use engine::error::EngineError;
use engine::find_chains;
use engine::knowledge::status::{GoalStatus, Minimality};
use engine::options::{EngineChoice, HazardPolicy, Options, Strategy};
use engine::outcome::{Outcome, Smoothed};
use engine::session::{Progress, Silent};
use frontend::{Requirement, RequirementKind};
use model::external::Lemma;
use model::sort::Sort;
use model::system::{Assumption, Goal, GoalId, TransitionSystem};
use model::trace::Trace;
use model::validate::Validated;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Time that a question may take at first where there is no limit.
const FIRST_SHARE: Duration = Duration::from_secs(10);
/// By how much that grows from round to round.
const GROWTH: u32 = 3;
/// Rounds at most where there is no limit of time.
const MOST_ROUNDS: u32 = 4;
/// Part of the time left that a question about several antecedents may take at most: where it is
/// hard, one requirement alone is often easy.
const PARTS: u32 = 8;
/// Part of the time left that a question about several violations may take at most: where states
/// are enumerated or ranges computed, one question is as hard as any number of them.
const PARTS_FOR_VIOLATIONS: u32 = 3;
/// Part of the time left that is kept for antecedents while violations are asked for.
const PARTS_FOR_ANTECEDENTS: u32 = 4;

/// Steps up to which what is open is asked of bounded queries, one after the other.
const DEPTHS: [u32; 4] = [1, 4, 16, 64];

/// What is known of something that executions may reach.
#[derive(Clone, Debug)]
enum Reached {
    /// Some execution does.
    Yes,
    /// No execution does.
    No(String),
    /// Neither is known.
    Open,
}

/// An execution that violates a requirement.
#[derive(Clone)]
struct Witness {
    trace: Trace,
    /// First step of the window that does it.
    at: usize,
    /// The covering chain that it was taken from.
    shown_by: Option<usize>,
    smoothed: Option<Smoothed>,
    /// Whether one was sought that runs into nothing undefined beside.
    is_avoiding: bool,
}

/// A requirement and what is known of it.
struct Item<'a> {
    number: usize,
    required: &'a Requirement,
    antecedent: Reached,
    /// An execution that reaches it, as far as one is at hand.
    applied: Option<Applied>,
    /// Why no execution violates it.
    excluded: Option<String>,
    witness: Option<Witness>,
    /// No execution of fewer steps violates it.
    lower_bound: u64,
    /// Whether the engine did all that it could, alone and without reaching the end of its share.
    is_exhausted: bool,
    /// Likewise for its antecedent.
    is_antecedent_exhausted: bool,
}

impl Item<'_> {
    /// Steps of the window.
    fn steps(&self) -> u64 {
        u64::from(self.required.statement.steps)
    }
    /// Steps of the execution that violates it.
    fn length(&self) -> Option<u64> {
        self.witness.as_ref().map(|witness| witness.at as u64 + self.steps())
    }
    /// Whether more can be found out of its antecedent.
    fn is_vacuity_open(&self) -> bool {
        matches!(self.antecedent, Reached::Open) && !self.is_antecedent_exhausted
    }
    /// Whether it may be violated in a way that is not known.
    fn is_open(&self) -> bool {
        self.excluded.is_none() && self.witness.is_none()
    }
}

/// A question: whether executions reach what these terms say.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Question {
    Antecedent,
    Violation,
}

/// What a search says of a question about several requirements.
struct Answered {
    outcome: Outcome,
    /// For each of them what it says of its goals together.
    statuses: Vec<GoalStatus>,
}

/// The search; see the module text.
pub(super) struct Search<'a> {
    model: &'a Model,
    known: Known<'a>,
    options: &'a Options,
    progress: &'a dyn Progress,
    items: Vec<Item<'a>>,
    notes: Vec<String>,
    lemmas: Vec<Lemma>,
    sat_calls: u64,
    began: Instant,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        model: &'a Model,
        requirements: &[usize],
        known: Known<'a>,
        options: &'a Options,
        progress: &'a dyn Progress,
    ) -> Self {
        let item = |&number: &usize| {
            let required = &model.requirements()[number];
            Item {
                number,
                required,
                antecedent: Reached::Open,
                applied: None,
                excluded: None,
                witness: None,
                lower_bound: u64::from(required.statement.steps),
                is_exhausted: false,
                is_antecedent_exhausted: false,
            }
        };
        let items = requirements.iter().map(item).collect();
        let began = Instant::now();
        let lemmas = known.outcome.map_or_else(Vec::new, |outcome| outcome.lemmas.clone());
        Self { model, known, options, progress, items, notes: Vec::new(), lemmas, sat_calls: 0, began }
    }

    pub(super) fn run(mut self) -> Result<Verdicts, Error> {
        self.take_known()?;
        let mut share = FIRST_SHARE;
        let mut round = 0;
        let is_limited = self.options.deadline.is_some();
        while self.is_in_time() && !self.open().is_empty() && (is_limited || round < MOST_ROUNDS) {
            if round == 0 {
                let applied = self.question(|item| item.is_vacuity_open());
                self.ask_together(&applied, Question::Antecedent, share)?;
                let together = self.question(|item| item.excluded.is_none() && item.witness.is_none());
                self.ask_together(&together, Question::Violation, share)?;
            }
            self.ask_alone(share)?;
            if round == 0 {
                self.deepen(share)?;
                self.avoid_undefined()?;
            }
            let open = self.question(|item| item.excluded.is_some() && item.is_vacuity_open());
            self.ask_together(&open, Question::Antecedent, share)?;
            share = share.saturating_mul(GROWTH);
            round += 1;
        }
        let is_stopped = !self.open().is_empty();
        self.ask_for_applications(share)?;
        self.avoid_undefined()?;
        let mut all = Vec::new();
        for item in &self.items {
            all.push((item.number, self.verdict(item)?));
        }
        let seconds = self.began.elapsed().as_secs_f64();
        Ok(Verdicts {
            all,
            notes: self.notes,
            lemmas: self.lemmas,
            is_stopped,
            sat_calls: self.sat_calls,
            seconds,
        })
    }

    fn is_in_time(&self) -> bool {
        let is_late = self.options.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        !is_late && self.options.interruption().is_none()
    }

    fn question(&self, is_asked: impl Fn(&Item<'_>) -> bool) -> Vec<usize> {
        (0..self.items.len()).filter(|&index| is_asked(&self.items[index])).collect()
    }

    /// Items of which more can be found out.
    fn open(&self) -> Vec<usize> {
        self.question(|item| {
            let is_long = item.length().is_some_and(|length| length > item.lower_bound);
            let is_sought = is_long && !self.is_shown(item);
            let is_vacuity_open = item.excluded.is_some() && item.is_vacuity_open();
            !item.is_exhausted && (item.is_open() || is_sought) || is_vacuity_open
        })
    }

    /// Whether a chain that covers the goals shows the violation, and that is enough.
    fn is_shown(&self, item: &Item<'_>) -> bool {
        let witness = item.witness.as_ref();
        self.known.shows_violations && witness.is_some_and(|witness| witness.shown_by.is_some())
    }

    /// Takes over what chains that cover the goals tell of requirements.
    ///
    /// # Errors
    /// A chain reaches an antecedent of which they tell that no execution does.
    fn take_known(&mut self) -> Result<(), Error> {
        for index in 0..self.items.len() {
            let item = &mut self.items[index];
            if let Some(value) = self.model.system.terms.as_const(item.required.statement.antecedent)
                && value.is_true()
                && item.steps() == 1
            {
                // There is an execution of one step, or the engine says that there is none.
                item.antecedent = Reached::Yes;
            }
            let Some(outcome) = self.known.outcome else { continue };
            if let Some(goal) = item.required.goal {
                take_goal(self.model, item, goal, outcome);
            }
            if let Some(status) = self.known.violations.and_then(|all| all.get(item.number)) {
                take_violation(item, outcome, status, true);
            }
        }
        if let Some(outcome) = self.known.outcome {
            self.take_applications(outcome)?;
        }
        Ok(())
    }

    /// Takes over where chains that cover the goals reach antecedents, also of requirements without
    /// a goal.
    fn take_applications(&mut self, outcome: &Outcome) -> Result<(), Error> {
        for steps in self.items.iter().map(Item::steps).collect::<BTreeSet<u64>>() {
            for (chain, covering) in outcome.chains.iter().enumerate() {
                let sought = self.question(|item| item.steps() == steps && item.applied.is_none());
                let statements: Vec<&Goal> =
                    sought.iter().map(|&index| &self.items[index].required.statement).collect();
                let found = occurrences(&self.model.system, &statements, (&covering.trace, &covering.run));
                for (&index, at) in sought.iter().zip(found) {
                    let Some(at) = at else { continue };
                    let item = &mut self.items[index];
                    if matches!(item.antecedent, Reached::No(_)) {
                        let name = &item.required.statement.name;
                        let message = format!("a chain reaches the antecedent of {name}, which was excluded");
                        return Err(Error::new(ErrorKind::SelfCheck, message));
                    }
                    item.antecedent = Reached::Yes;
                    let trace = covering.trace.clone();
                    item.applied = Some(Applied { trace, at, shown_by: Some(chain) });
                }
            }
        }
        Ok(())
    }

    /// Asks about several requirements together.
    fn ask_together(&mut self, asked: &[usize], what: Question, share: Duration) -> Result<(), Error> {
        // Of one requirement it is asked alone, unless its parts may be easier than the whole.
        let is_alone = |&[index]: &[usize; 1]| self.items[index].steps() == 1;
        let alone: Option<&[usize; 1]> = asked.try_into().ok();
        let is_asked_alone = what == Question::Violation && alone.is_some_and(is_alone);
        if asked.is_empty() || is_asked_alone || !self.is_in_time() {
            return Ok(());
        }
        let parts = match what {
            Question::Antecedent => PARTS,
            Question::Violation => PARTS_FOR_VIOLATIONS,
        };
        let within = self.options_within(self.part(share, parts));
        let options = within.any_length();
        let Answered { outcome, statuses } = self.ask(asked, (what, true), &options)?;
        for (&index, status) in asked.iter().zip(&statuses) {
            let item = &mut self.items[index];
            match what {
                Question::Violation => take_violation(item, &outcome, status, false),
                Question::Antecedent => {
                    take_antecedent(item, &outcome, status, false);
                    item.is_antecedent_exhausted = outcome.stopped.is_none();
                }
            }
        }
        Ok(())
    }

    /// Asks about each requirement alone whose shortest violation is not known.
    fn ask_alone(&mut self, share: Duration) -> Result<(), Error> {
        let waiting = self.question(|item| {
            let is_long = item.length().is_some_and(|length| length > item.lower_bound);
            let is_sought = item.is_open() || is_long && !self.is_shown(item);
            !item.is_exhausted && item.excluded.is_none() && is_sought
        });
        // What is proven is no verdict before it is known that it ever applies.
        let is_reserved = waiting.iter().any(|&index| self.items[index].is_vacuity_open());
        let reserved =
            self.left().filter(|_| is_reserved).map_or(Duration::ZERO, |left| left / PARTS_FOR_ANTECEDENTS);
        for (position, &index) in waiting.iter().enumerate() {
            if !self.is_in_time() || self.left().is_some_and(|left| left <= reserved) {
                break;
            }
            let others = u32::try_from(waiting.len() - position).unwrap_or(u32::MAX);
            let left = self.left().map(|left| left.saturating_sub(reserved) / others.saturating_add(1));
            let share = left.map_or(share, |left| left.min(share));
            let options = self.options_within(share);
            // The shortest one is that to the first of all ways to violate it.
            let Answered { outcome, statuses } =
                self.ask(&[index], (Question::Violation, false), &options)?;
            let item = &mut self.items[index];
            for status in &statuses {
                take_violation(item, &outcome, status, false);
            }
            item.lower_bound = item.lower_bound.max(bound(&outcome));
            item.is_exhausted = outcome.stopped.is_none();
        }
        Ok(())
    }

    /// Asks bounded queries about what is still open, deeper and deeper, so that it can be said up
    /// to which depth nothing violates it.
    fn deepen(&mut self, share: Duration) -> Result<(), Error> {
        if !matches!(self.options.engine, EngineChoice::Auto | EngineChoice::Sat) {
            return Ok(());
        }
        let end = Instant::now() + self.part(share, PARTS);
        for depth in DEPTHS {
            let max_k = self.options.max_k.map_or(depth, |most| most.min(depth));
            let shallow = |item: &Item<'_>| item.lower_bound <= u64::from(max_k) + item.steps();
            let asked = self.question(|item| item.is_open() && shallow(item));
            let left = end.saturating_duration_since(Instant::now());
            if asked.is_empty() || left.is_zero() || !self.is_in_time() {
                break;
            }
            let within = self.options_within(left);
            let engine = EngineChoice::Sat;
            let options = Options { max_k: Some(max_k), engine, ..within }.any_length();
            let Answered { outcome, statuses } = self.ask(&asked, (Question::Violation, false), &options)?;
            for (&index, status) in asked.iter().zip(&statuses) {
                take_violation(&mut self.items[index], &outcome, status, false);
            }
        }
        Ok(())
    }

    /// Asks for executions that reach the antecedents of what is proven, where they are wanted and
    /// none is at hand.
    fn ask_for_applications(&mut self, share: Duration) -> Result<(), Error> {
        if !self.known.with_applications {
            return Ok(());
        }
        let is_proven = |item: &Item<'_>| item.excluded.is_some() && matches!(item.antecedent, Reached::Yes);
        let asked = self.question(|item| is_proven(item) && item.applied.is_none());
        self.ask_together(&asked, Question::Antecedent, share)
    }

    /// Looks for executions as short as those at hand that run into no undefined operation but the
    /// one that they are about, where those at hand do: the compiled code may end there.
    fn avoid_undefined(&mut self) -> Result<(), Error> {
        let is_sought = matches!(self.options.engine, EngineChoice::Auto | EngineChoice::Sat);
        if self.options.hazards != HazardPolicy::Avoid || !is_sought {
            return Ok(());
        }
        let waiting = self.question(|item| item.witness.is_some() && !self.is_shown(item));
        for index in waiting {
            let item = &mut self.items[index];
            let Some(length) = item.length() else { continue };
            let Some(witness) = item.witness.as_mut().filter(|witness| !witness.is_avoiding) else {
                continue;
            };
            witness.is_avoiding = true;
            let cut = (&witness.trace, witness.at);
            let found = Counterexample::cut(self.model, item.required, cut, item.lower_bound)?;
            // Nothing undefined at all is best, and what comes behind the operation in question
            // does not matter.
            let ways = [(found.has_any_others(), Others::All), (found.has_others(), Others::Before)];
            for (_, others) in ways.into_iter().filter(|(is_met, _)| *is_met) {
                if !self.is_in_time() || self.avoids(index, length, others)? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Looks for an execution of that length that violates a requirement without these undefined
    /// operations. Whether there is one.
    fn avoids(&mut self, index: usize, length: u64, others: Others) -> Result<bool, Error> {
        let item = &self.items[index];
        let statement = std::iter::once(&item.required.statement);
        let (system, _) = system_with(self.model, statement, |system, goal| vec![violation(system, goal)]);
        let system = without_others(&system, item.required, others);
        let within = self.options_within(self.part(FIRST_SHARE, PARTS));
        let max_k = u32::try_from(length).ok();
        let (engine, hazards) = (EngineChoice::Sat, HazardPolicy::Report);
        let outcome = match find_chains(&system, &Options { max_k, engine, hazards, ..within }, &Silent) {
            // Every execution runs into one of them in its first step.
            Err(EngineError::NoExecution(_)) => return Ok(false),
            outcome => outcome?,
        };
        self.account(&outcome);
        let item = &mut self.items[index];
        let found = outcome.goals.values().next().map(|goal| &goal.status);
        if let (Some(GoalStatus::Covered { at, .. }), [chain]) = (found, &outcome.chains[..])
            && u64::from(*at) + item.steps() == length
        {
            let smoothed = outcome.smoothing.first().cloned();
            let (trace, at) = (chain.trace.clone(), *at as usize);
            item.witness = Some(Witness { trace, at, shown_by: None, smoothed, is_avoiding: true });
            return Ok(true);
        }
        Ok(false)
    }

    /// Time that is left; `None`: as much as is needed.
    fn left(&self) -> Option<Duration> {
        self.options.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// The share, or that part of the time left if it is less.
    fn part(&self, share: Duration, parts: u32) -> Duration {
        self.left().map_or(share, |left| (left / parts).min(share))
    }

    fn options_within(&self, share: Duration) -> Options {
        // A search that is limited by a distance alone ends by itself, where a limit of time would
        // have it go on until then.
        let ends_itself = self.options.deadline.is_none() && self.options.max_k.is_some();
        let end = Instant::now().checked_add(share).filter(|_| !ends_itself);
        let deadline = [end, self.options.deadline].into_iter().flatten().min();
        Options { deadline, strategy: Strategy::Exact, reset_cost: None, gap: 0.0, ..self.options.clone() }
    }

    /// Asks a question; where it is about violations in parts, about each way to violate a
    /// requirement.
    fn ask(
        &mut self,
        asked: &[usize],
        (what, in_parts): (Question, bool),
        options: &Options,
    ) -> Result<Answered, Error> {
        let statements = asked.iter().map(|&index| &self.items[index].required.statement);
        let (system, places) = match what {
            Question::Antecedent => system_with(self.model, statements, |_, goal| vec![goal.antecedent]),
            Question::Violation if in_parts => system_with(self.model, statements, violations),
            Question::Violation => {
                system_with(self.model, statements, |system, goal| vec![violation(system, goal)])
            }
        };
        let outcome = find_chains(&system, options, self.progress)?;
        self.account(&outcome);
        let goals: Vec<&GoalStatus> = outcome.goals.values().map(|goal| &goal.status).collect();
        let statuses = places.into_iter().map(|place| together(&goals[place])).collect();
        Ok(Answered { outcome, statuses })
    }

    /// Keeps what a search cost, what it asked the C library for, and what a user should know of it.
    fn account(&mut self, outcome: &Outcome) {
        self.sat_calls += outcome.stages.iter().map(|stage| stage.sat_calls).sum::<u64>();
        let is_new = |lemma: &&Lemma| !self.lemmas.contains(lemma);
        let lemmas: Vec<Lemma> = outcome.lemmas.iter().filter(is_new).cloned().collect();
        self.lemmas.extend(lemmas);
        for note in &outcome.notes {
            if !self.notes.contains(note) {
                self.notes.push(note.clone());
            }
        }
    }

    fn verdict(&self, item: &Item<'_>) -> Result<Verdict, Error> {
        if let Some(witness) = &item.witness {
            if item.excluded.is_some() {
                let name = &item.required.statement.name;
                let message = format!("a violation of {name} was found and excluded");
                return Err(Error::new(ErrorKind::SelfCheck, message));
            }
            let cut = (&witness.trace, witness.at);
            let mut counterexample = Counterexample::cut(self.model, item.required, cut, item.lower_bound)?;
            counterexample.shown_by = witness.shown_by.filter(|_| self.known.shows_violations);
            counterexample.smoothed = witness
                .smoothed
                .clone()
                .filter(|smoothed| smoothed.free.len() == witness.at + item.steps() as usize);
            return Ok(Verdict::Violated(Box::new(counterexample)));
        }
        Ok(match (&item.excluded, &item.antecedent) {
            (_, Reached::No(proof)) => Verdict::Vacuous { proof: proof.clone() },
            (Some(proof), Reached::Yes) => {
                let applied = item.applied.clone().map(|applied| applied.cut(item.required));
                Verdict::Proven { proof: proof.clone(), applied }
            }
            (excluded, _) => {
                Verdict::Undecided { steps: item.lower_bound.saturating_sub(1), excluded: excluded.clone() }
            }
        })
    }
}

/// Undefined operations that a requirement is not about.
#[derive(Clone, Copy, PartialEq)]
enum Others {
    /// All of them.
    All,
    /// Those before the operation that it is about; where it is about none, all.
    Before,
}

/// The system in whose executions none of these other operations is undefined.
fn without_others(system: &Validated, required: &Requirement, others: Others) -> Validated {
    let own = own_hazard(system, required);
    let mut system: TransitionSystem = (**system).clone();
    let mut later = system.terms.truth(false);
    for (number, hazard) in std::mem::take(&mut system.hazards).into_iter().enumerate() {
        match own {
            Some(own) if number == own => {}
            Some(own) if number > own && others == Others::Before => {
                later = system.terms.or(later, hazard.condition)
            }
            _ => {
                let condition = system.terms.not(hazard.condition);
                system.assumptions.push(Assumption { condition, origin: hazard.origin });
            }
        }
    }
    // What comes behind that operation counts in the steps before it.
    let word = system.add_state("undefined.before", Sort::word(1));
    let before = system.state_term(word);
    let (init, next) = (system.terms.truth(false), system.terms.or(before, later));
    (system.states[word].init, system.states[word].next) = (init, next);
    let is_clean = system.terms.not(before);
    for goal in system.goals.ids().collect::<Vec<_>>() {
        let antecedent = system.terms.and(system.goals[goal].antecedent, is_clean);
        system.goals[goal].antecedent = antecedent;
    }
    validated(system)
}

/// What is known of whether one of some goals can be reached.
fn together(goals: &[&GoalStatus]) -> GoalStatus {
    let covered = goals.iter().filter_map(|status| match status {
        GoalStatus::Covered { at, .. } => Some((*at, *status)),
        _ => None,
    });
    if let Some((_, first)) = covered.min_by_key(|(at, _)| *at) {
        return first.clone();
    }
    let open = goals.iter().filter(|status| !matches!(status, GoalStatus::Unreachable { .. }));
    let bounds = open.map(|status| match status {
        GoalStatus::Undecided { bound } => *bound,
        _ => 0,
    });
    match (bounds.min(), goals.last()) {
        (Some(bound), _) => GoalStatus::Undecided { bound },
        (None, Some(&excluded)) => excluded.clone(),
        (None, None) => GoalStatus::Undecided { bound: 0 },
    }
}

/// No execution of fewer steps reaches the only goal of a search.
fn bound(outcome: &Outcome) -> u64 {
    match outcome.minimal {
        Minimality::Proven if outcome.chains.len() == 1 => outcome.length(),
        Minimality::Proven | Minimality::Gap if outcome.chains.len() == 1 => outcome.lower_bound,
        _ => 0,
    }
}

/// What chains that cover the goals tell of a requirement that belongs to one of them.
fn take_goal(model: &Model, item: &mut Item<'_>, goal: GoalId, outcome: &Outcome) {
    let description = &model.system.goals[goal];
    let violated = outcome.chains.iter().enumerate().find_map(|(chain, found)| {
        let mut occurrences = found.run.occurrences[goal].iter();
        occurrences.find(|found| found.expectation == Some(false)).map(|found| (chain, found.step))
    });
    if description.expectation == item.required.statement.expectation
        && let Some((chain, at)) = violated
    {
        item.offer(&outcome.chains[chain].trace, at, (Some(chain), None));
    }
    if item.required.kind == RequirementKind::Error {
        // To reach it is to violate the requirement, whether Final can be reached from there or
        // not.
        return take_violation(item, outcome, &outcome.goals[goal].status, true);
    }
    if description.antecedent != item.required.statement.antecedent {
        return;
    }
    match &outcome.goals[goal].status {
        GoalStatus::EndUnreachable { .. } | GoalStatus::EndUndecided { .. } => {
            item.antecedent = Reached::Yes;
        }
        status => take_antecedent(item, outcome, status, true),
    }
}

fn take_antecedent(item: &mut Item<'_>, outcome: &Outcome, status: &GoalStatus, is_covering: bool) {
    match status {
        GoalStatus::Covered { chain, at } => {
            item.antecedent = Reached::Yes;
            let (trace, at) = (outcome.chains[*chain].trace.clone(), *at as usize);
            item.applied = Some(Applied { trace, at, shown_by: is_covering.then_some(*chain) });
        }
        GoalStatus::Unreachable { proof } => {
            item.antecedent = Reached::No(proof.to_string());
            // What never applies is never violated.
            item.excluded = Some(proof.to_string());
        }
        _ => {}
    }
}

/// What a search for the violation tells.
fn take_violation(item: &mut Item<'_>, outcome: &Outcome, status: &GoalStatus, is_covering: bool) {
    match status {
        GoalStatus::Covered { chain, at } => {
            let shown_by = is_covering.then_some(*chain);
            let smoothed = outcome.smoothing.get(*chain).filter(|_| !is_covering).cloned();
            item.offer(&outcome.chains[*chain].trace, *at as usize, (shown_by, smoothed));
        }
        GoalStatus::Unreachable { proof } => item.excluded = Some(proof.to_string()),
        GoalStatus::Undecided { bound } if *bound > 0 => {
            // It starts behind `bound` steps at the earliest, and ends with its window.
            let least = u64::from(*bound) + 1 + item.steps();
            item.lower_bound = item.lower_bound.max(least);
        }
        _ => {}
    }
}

impl Item<'_> {
    /// Keeps an execution that violates the requirement if none as short is known.
    fn offer(&mut self, trace: &Trace, at: usize, (shown_by, smoothed): (Option<usize>, Option<Smoothed>)) {
        self.antecedent = Reached::Yes;
        if self.length().is_none_or(|length| at as u64 + self.steps() < length) {
            self.witness = Some(Witness { trace: trace.clone(), at, shown_by, smoothed, is_avoiding: false });
        }
    }
}
