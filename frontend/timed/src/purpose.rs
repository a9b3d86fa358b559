//! Purposes: whether a path can be taken, whether its traces are its own, where silence is
//! specified.

use crate::code::Code;
use crate::smt::{Answer, SmtError, Solver};
use crate::symbolic::{Context, Execution, LATER, Role, Sort, Successor, Term, all, not};
use crate::system::{Direction, Purpose, System};
use frontend::diagnostics::Diagnostics;
use num_rational::BigRational;
use spec::value::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A path with everything that may follow each of its contexts.
#[derive(Debug)]
pub struct Path<'s> {
    /// The symbols.
    pub execution: Execution<'s>,
    /// The contexts, from the root to the last.
    pub contexts: Vec<Context>,
    /// What may follow each context but the last, in the order of the text: what can be taken.
    pub successors: Vec<Vec<Successor>>,
    /// The transition of the path in `successors` of each context.
    pub taken: Vec<usize>,
}

/// Another path with a common trace: the context in which they part, its transition there, and the
/// events of the trace.
pub type Twin = (usize, usize, Vec<String>);

/// What there is to be said of a purpose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Number of transitions of the longest feasible prefix.
    pub feasible: usize,
    /// Number of transitions.
    pub length: usize,
    /// Another path with a common trace.
    pub twin: Option<Twin>,
    /// Contexts in which silence is specified.
    pub quiescent: Vec<usize>,
    /// Whether all events can come before the time-out of the text, where it has one.
    pub is_timely: bool,
}

/// The suffix of symbols of another explanation of a trace.
const OTHER: &str = "_other";

/// A path together with a session of the solver in which its condition is asserted twice, once with
/// other initial values.
struct Walk<'s, 'v> {
    solver: &'v mut Solver,
    declared: BTreeSet<String>,
    path: Path<'s>,
}

/// What was found along a path.
#[derive(Debug)]
pub struct Walked<'s> {
    /// The path, as far as it can be taken.
    pub path: Path<'s>,
    /// Another path with a common trace.
    pub twin: Option<Twin>,
    /// Contexts in which silence is specified, where that was asked for.
    pub quiescent: Vec<usize>,
}

/// Symbolic execution along a path; the number of transitions that can be taken in a row is the
/// number of contexts less 1.
///
/// # Errors
/// If the solver does not answer.
pub fn walk<'s>(
    system: &'s System,
    edges: &[usize],
    wants_silence: bool,
    solver: &mut Solver,
) -> Result<Walked<'s>, SmtError> {
    let (execution, root) = Execution::start(system);
    let path = Path { execution, contexts: vec![root], successors: Vec::new(), taken: Vec::new() };
    let mut walk = Walk { solver, declared: BTreeSet::new(), path };
    walk.solver.push()?;
    let root = walk.path.contexts[0].condition.clone();
    walk.assert_twice(&root)?;
    let (mut twin, mut quiescent) = (None, Vec::new());
    for (index, &edge) in edges.iter().enumerate() {
        let context = walk.path.contexts[walk.path.contexts.len() - 1].clone();
        walk.path.execution.declare(&context);
        let mut possible = Vec::new();
        for from in system.edges_from(context.state) {
            let successor = walk.path.execution.follow(&context, from, "");
            let added: Vec<Term> = successor.guard.iter().chain(&successor.message).cloned().collect();
            if walk.is_possible(&added)? {
                possible.push(successor);
            }
        }
        let Some(taken) = possible.iter().position(|successor| successor.edge == edge) else { break };
        if twin.is_none() {
            twin = walk.twin(&possible, taken)?;
        }
        if wants_silence {
            let silence = silence(&mut walk.path.execution, &context, &possible);
            if walk.is_possible(&[silence])? {
                quiescent.push(index);
            }
        }
        let next = possible[taken].clone();
        let added: Vec<Term> = next.guard.iter().chain(&next.message).cloned().collect();
        walk.assert_twice(&added)?;
        walk.path.successors.push(possible);
        walk.path.taken.push(taken);
        walk.path.contexts.push(next.context);
    }
    walk.solver.pop()?;
    Ok(Walked { path: walk.path, twin, quiescent })
}

impl Walk<'_, '_> {
    /// Declares the symbols of terms; returns those that were not declared before.
    fn declare(&mut self, terms: &[Term]) -> Result<Vec<String>, SmtError> {
        let mut new = Vec::new();
        for name in terms.iter().flat_map(|term| &*term.symbols) {
            if self.declared.insert(name.clone()) {
                let base = name.strip_suffix(OTHER).unwrap_or(name);
                let sort = self.path.execution.symbols.get(base).map_or(Sort::Real, |known| known.sort);
                self.solver.tell(&declaration(name, sort))?;
                new.push(name.clone());
            }
        }
        Ok(new)
    }
    /// Declarations within a scope end with it.
    fn forget(&mut self, names: &[String]) {
        for name in names {
            self.declared.remove(name);
        }
    }
    /// Asserts conditions, and the same of other initial values.
    fn assert_twice(&mut self, terms: &[Term]) -> Result<(), SmtError> {
        let others: Vec<Term> = terms.iter().map(|term| self.other(term)).collect();
        self.declare(terms)?;
        self.declare(&others)?;
        for term in terms.iter().chain(&others) {
            self.solver.assert(&term.text)?;
        }
        Ok(())
    }
    fn other(&self, term: &Term) -> Term {
        other_initials(&self.path.execution, term, OTHER)
    }
    fn is_possible(&mut self, added: &[Term]) -> Result<bool, SmtError> {
        self.solver.push()?;
        let declared = self.declare(added)?;
        for term in added {
            self.solver.assert(&term.text)?;
        }
        let answer = self.solver.check()?;
        self.solver.pop()?;
        self.forget(&declared);
        match answer {
            Answer::Sat => Ok(true),
            Answer::Unsat => Ok(false),
            Answer::Unknown => Err(SmtError::GaveUp("a transition can be taken".to_owned())),
        }
    }
    /// Another successor on the same channel with a common trace.
    fn twin(&mut self, possible: &[Successor], taken: usize) -> Result<Option<Twin>, SmtError> {
        let system = self.path.execution.system;
        let on = &possible[taken];
        let channel = system.edges[on.edge].channel;
        for other in possible.iter().filter(|other| other.edge != on.edge) {
            if system.edges[other.edge].channel != channel {
                continue;
            }
            let mut both: Vec<Term> = on.guard.iter().chain(&on.message).cloned().collect();
            both.extend(other.guard.iter().chain(&other.message).map(|term| self.other(term)));
            if !self.is_possible(&both)? {
                continue;
            }
            let trace = self.common_trace(&both, channel)?;
            return Ok(Some((self.path.contexts.len() - 1, other.edge, trace)));
        }
        Ok(None)
    }
    /// Events of a trace that satisfies all asserted conditions and some more.
    fn common_trace(&mut self, added: &[Term], channel: usize) -> Result<Vec<String>, SmtError> {
        let system = self.path.execution.system;
        let mut events: Vec<(usize, usize)> = self
            .path
            .taken
            .iter()
            .zip(&self.path.successors)
            .enumerate()
            .map(|(index, (&taken, successors))| (index, system.edges[successors[taken].edge].channel))
            .collect();
        events.push((self.path.contexts.len() - 1, channel));
        self.solver.push()?;
        let declared = self.declare(added)?;
        for term in added {
            self.solver.assert(&term.text)?;
        }
        self.solver.check()?;
        let mut texts = Vec::new();
        for (index, channel) in events {
            let context = &self.path.contexts[index];
            let mut names = vec![Execution::duration(context, "")];
            names.extend(self.path.execution.message(context, channel, ""));
            let names: Vec<String> = names.iter().map(|name| crate::smt::symbol(name)).collect();
            let mut values = Vec::new();
            for name in names {
                // Values that no condition reads are free.
                let is_declared = self.declared.iter().any(|known| crate::smt::symbol(known) == name);
                values.push(if is_declared {
                    self.solver.values(&[name])?[0].clone()
                } else {
                    BigRational::default()
                });
            }
            let shown: Vec<String> = values.iter().map(ToString::to_string).collect();
            let name = &system.channels[channel].name;
            texts.push(format!(
                "({},{name}{}{})",
                shown[0],
                if shown.len() > 1 { " " } else { "" },
                shown[1..].join(" ")
            ));
        }
        self.solver.pop()?;
        self.forget(&declared);
        Ok(texts)
    }
}

/// A term with other symbols for initial values.
pub(crate) fn other_initials(execution: &Execution<'_>, term: &Term, suffix: &str) -> Term {
    let is_initial =
        |name: &str| execution.symbols.get(name).is_some_and(|known| known.role == Role::Initial);
    term.renamed(&|name| is_initial(name).then(|| format!("{name}{suffix}")))
}

/// The command that declares a symbol.
pub(crate) fn declaration(name: &str, sort: Sort) -> String {
    format!("(declare-const {} {})\n", crate::smt::symbol(name), sort.name())
}

/// Whether the system may stay silent for ever in a context: no output is possible at any time.
/// Over the symbols of the path and initial values.
pub fn silence(execution: &mut Execution<'_>, context: &Context, successors: &[Successor]) -> Term {
    let system = execution.system;
    let duration = Execution::duration(context, LATER);
    let is_output = |edge: usize| system.channel(&system.edges[edge]).direction == Direction::Output;
    let outputs: Vec<usize> =
        successors.iter().map(|successor| successor.edge).filter(|&edge| is_output(edge)).collect();
    let mut conditions = Vec::new();
    for edge in outputs {
        let later = execution.follow(context, edge, LATER);
        let possible = execution.exists(&later.guard, &|name| name == duration);
        conditions.push(not(&possible));
    }
    all(&conditions)
}

/// What there is to be said of a purpose.
///
/// # Errors
/// If the solver does not answer.
pub fn judge(system: &System, edges: &[usize], solver: &mut Solver) -> Result<Judged, SmtError> {
    let Walked { path, twin, quiescent } = walk(system, edges, true, solver)?;
    let is_timely = match &system.timeout {
        Some(timeout) if path.taken.len() == edges.len() => is_timely(&path, timeout, solver)?,
        _ => true,
    };
    Ok(Judged { feasible: path.taken.len(), length: edges.len(), twin, quiescent, is_timely })
}

/// Whether a path is possible with each event before a time-out.
///
/// # Errors
/// If the solver does not answer.
pub fn is_timely(path: &Path<'_>, timeout: &BigRational, solver: &mut Solver) -> Result<bool, SmtError> {
    let Some((last, before)) = path.contexts.split_last() else { return Ok(true) };
    let limit = crate::symbolic::number(timeout, Sort::Real);
    let mut terms = last.condition.clone();
    for context in before {
        let name = Execution::duration(context, "");
        let mut term = Term::truth(format!("(< {name} {limit})"), []);
        Rc::make_mut(&mut term.symbols).insert(name);
        terms.push(term);
    }
    is_satisfiable(&path.execution, &terms, solver, "the path is possible within the time-out")
}

/// Whether some values of all free symbols satisfy conditions.
///
/// # Errors
/// If the solver does not answer; `what` says what was asked.
pub fn is_satisfiable(
    execution: &Execution<'_>,
    terms: &[Term],
    solver: &mut Solver,
    what: &str,
) -> Result<bool, SmtError> {
    Ok(solution(execution, terms, &[], solver, what)?.is_some())
}

/// Values of some symbols with which conditions are satisfied, by name; symbols of which no
/// condition speaks are left out. None where no values satisfy them.
///
/// # Errors
/// If the solver does not answer; `what` says what was asked.
pub(crate) fn solution(
    execution: &Execution<'_>,
    terms: &[Term],
    wanted: &[String],
    solver: &mut Solver,
    what: &str,
) -> Result<Option<BTreeMap<String, BigRational>>, SmtError> {
    solver.push()?;
    let names: BTreeSet<&String> = terms.iter().flat_map(|term| &*term.symbols).collect();
    for name in &names {
        let known = execution.symbols.get(*name).or_else(|| {
            let (base, _) = name.rsplit_once("_copy")?;
            execution.symbols.get(base)
        });
        solver.tell(&declaration(name, known.map_or(Sort::Real, |known| known.sort)))?;
    }
    for term in terms {
        solver.assert(&term.text)?;
    }
    let answer = solver.check()?;
    let mut values = BTreeMap::new();
    if answer == Answer::Sat {
        for name in wanted.iter().filter(|name| names.contains(name)) {
            let value = solver.values(&[crate::smt::symbol(name)])?.pop();
            values.extend(value.map(|value| (name.clone(), value)));
        }
    }
    solver.pop()?;
    match answer {
        Answer::Sat => Ok(Some(values)),
        Answer::Unsat => Ok(None),
        Answer::Unknown => Err(SmtError::GaveUp(what.to_owned())),
    }
}

/// Reports what makes a purpose none: an infeasible path with the conditions that contradict each
/// other, or a trace that another path shares.
///
/// # Errors
/// If the solver does not answer.
pub fn report(
    system: &System,
    purpose: &Purpose,
    judged: &Judged,
    solver: &mut Solver,
    diagnostics: &mut Diagnostics,
) -> Result<(), SmtError> {
    let place = Some(purpose.extent.span);
    if judged.feasible < judged.length {
        let prefix = system.path_text(&purpose.edges[..=judged.feasible]);
        let message = format!("`{}` is infeasible: {prefix} cannot be taken in a row", purpose.name);
        let conflict = conflict(system, &purpose.edges, judged.feasible, solver)?;
        let error = diagnostics.error(Code::PurposeInfeasible, place, message);
        for extent in conflict.iter().filter_map(|term| term.extent) {
            error.related("this contradicts the others", extent.span);
        }
    } else if let Some((context, edge, trace)) = &judged.twin {
        let on = &system.edges[purpose.edges[*context]].name;
        let other = &system.edges[*edge];
        let message = format!(
            "`{}` is not trace-deterministic: `{on}` and `{}` share a trace",
            purpose.name, other.name
        );
        diagnostics
            .error(Code::NotDeterministic, place, message)
            .advice(format!("such as {}", trace.join("")))
            .related("the other transition", other.extent.span);
    } else {
        silent_traps(system, purpose, judged, diagnostics);
    }
    if !judged.is_timely {
        let message =
            format!("the time-out ends the waiting before all events of `{}` can come", purpose.name);
        diagnostics
            .warning(Code::TimeoutTooShort, place, message)
            .advice("a test case needs a longer one: `testcase --timeout TIME`");
    }
    Ok(())
}

/// Warns of contexts in which the system has an output to send, may be silent for ever instead, and
/// takes no input that would help.
fn silent_traps(system: &System, purpose: &Purpose, judged: &Judged, diagnostics: &mut Diagnostics) {
    for &context in &judged.quiescent {
        let Some(next) = purpose.edges.get(context).map(|&edge| &system.edges[edge]) else { continue };
        let takes_input = system
            .edges_from(next.from)
            .any(|edge| system.channel(&system.edges[edge]).direction == Direction::Input);
        if system.channel(next).direction != Direction::Output || takes_input {
            continue;
        }
        let behind = match context.checked_sub(1) {
            Some(before) => format!("behind `{}`", system.edges[purpose.edges[before]].name),
            None => "at the start".to_owned(),
        };
        let message = format!(
            "{behind} no output of `{}` may be possible any more: then `{}` waits for `{}` for ever",
            system.states[next.from], purpose.name, next.name
        );
        diagnostics
            .warning(Code::SilentTrap, Some(next.extent.span), message)
            .advice("the last time of each output has passed, or data admit none");
    }
}

/// Warns of transitions that can be taken from no values of data and clocks.
///
/// # Errors
/// If the solver does not answer.
pub fn report_never_enabled(
    system: &System,
    solver: &mut Solver,
    diagnostics: &mut Diagnostics,
) -> Result<(), SmtError> {
    for (index, edge) in system.edges.iter().enumerate() {
        let is_known = edge.guard.as_constant() == Some(&Value::Bool(false));
        let (mut execution, context) = Execution::anywhere(system, edge.from);
        let taken = execution.follow(&context, index, "").context;
        let what = "a transition can be taken";
        if !is_known && !is_satisfiable(&execution, &taken.condition, solver, what)? {
            let message =
                format!("`{}` can never be taken: no values of data and clocks admit it", edge.name);
            diagnostics.warning(Code::NeverEnabled, Some(edge.extent.span), message);
        }
    }
    Ok(())
}

/// The conditions of a path that contradict each other, where it is infeasible behind `feasible`
/// transitions: places in the text.
///
/// # Errors
/// If the solver does not answer.
pub fn conflict(
    system: &System,
    edges: &[usize],
    feasible: usize,
    solver: &mut Solver,
) -> Result<Vec<Term>, SmtError> {
    let (mut execution, mut context) = Execution::start(system);
    for &edge in edges.iter().take(feasible + 1) {
        context = execution.follow(&context, edge, "").context;
    }
    let mut kept = context.condition;
    let mut index = 0;
    while index < kept.len() {
        let mut fewer = kept.clone();
        fewer.remove(index);
        if is_satisfiable(&execution, &fewer, solver, "a part of a path is feasible")? {
            index += 1;
        } else {
            kept = fewer;
        }
    }
    Ok(kept)
}
