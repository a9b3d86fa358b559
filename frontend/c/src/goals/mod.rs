//! From property functions, places in the code and configured conditions to goals.

mod claims;
mod configured;
mod coverage;
mod function;
mod limits;
mod unreached;
pub(crate) mod wording;

pub(crate) use configured::{
    configured_assumptions, configured_costs, configured_end, configured_goals, configured_invariants,
};
pub(crate) use coverage::coverage_goals;
pub(crate) use function::{condition_function, property_goal};
pub(crate) use limits::{Limit, input_limits, meant_values};
pub(crate) use unreached::assertions as unreached_assertions;

use crate::code::Code;
use crate::exec::{Machine, Outcome, Stop};
use crate::translate::setup::Task;
use crate::translate::step::Stepped;
use frontend::diagnostics::visible;
use frontend::source::Span;
use frontend::{Claim, Observed, RequirementKind, Unobservable, Written};
use model::term::{Term, TermId};
use std::collections::BTreeSet;

/// A goal before it is numbered.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    /// Its name.
    pub(crate) name: String,
    /// Identifier of the requirement.
    pub(crate) requirement: Option<String>,
    /// What it means, in the user's words.
    pub(crate) text: Option<String>,
    /// Where it was written, if in a file.
    pub(crate) span: Option<Span>,
    /// Transitions of the window.
    pub(crate) steps: u32,
    /// What is to be reached.
    pub(crate) antecedent: TermId,
    /// What must then hold.
    pub(crate) expectation: Option<TermId>,
    /// The antecedent as it was written, where that is wanted.
    pub(crate) parts: Vec<Written>,
    /// What the requirement is that it states, if it states one.
    pub(crate) kind: Option<RequirementKind>,
    /// What the expectation consists of.
    pub(crate) claims: Vec<Claim>,
    /// The same as it is seen between steps.
    pub(crate) observed: Result<Observed, Unobservable>,
    /// Whether it says that its place is never reached.
    pub(crate) is_never: bool,
}

impl Draft {
    /// A draft about one step, which belongs to a place in the code.
    pub(crate) fn in_step(name: String, span: Span, antecedent: TermId, expectation: Option<TermId>) -> Self {
        Self {
            name,
            requirement: None,
            text: None,
            span: Some(span),
            steps: 1,
            antecedent,
            expectation,
            parts: Vec::new(),
            kind: None,
            claims: Vec::new(),
            observed: Err(Unobservable::InStep),
            is_never: false,
        }
    }
}

/// What is stated, evaluated once more over what memory holds between steps. Messages were given
/// when it was evaluated first.
fn observed<T>(
    machine: &mut Machine<'_>,
    state: impl FnOnce(&mut Machine<'_>) -> Outcome<Option<T>>,
) -> Option<T> {
    let said = machine.diagnostics.clone();
    machine.initial_memory.is_observing = true;
    let stated = state(machine);
    machine.initial_memory.is_observing = false;
    machine.diagnostics = said;
    stated.ok().flatten()
}

/// Goals that stand in the code of the step: places to be reached, and assertions.
pub(crate) fn goals_in_step(task: &Task<'_>, machine: &mut Machine<'_>, stepped: &Stepped) -> Vec<Draft> {
    let mut found: Vec<Draft> = Vec::new();
    let ending = stepped.ending.as_ref();
    for site in &stepped.events.covers {
        let name = site.name.clone().unwrap_or_else(|| place_name(machine, site.span));
        let reached = ending.map_or(site.condition, |ending| ending.reached(machine, &site.visits));
        let kind = site.is_error.then_some(RequirementKind::Error);
        let claims = if site.is_error { claims::of_error(machine, site, reached) } else { Vec::new() };
        let draft = Draft::in_step(name, site.span, reached, None);
        found.push(Draft { kind, claims, is_never: site.is_error, ..draft });
    }
    for site in &stepped.events.assertions {
        let name = place_name(machine, site.span);
        let (reached, expected) = match ending {
            Some(ending) => (ending.reached(machine, &site.visits), ending.expected(machine, &site.visits)),
            None => (site.antecedent, site.expectation),
        };
        let claims = claims::of_assertion(machine, site, ending);
        let kind = Some(RequirementKind::Assertion);
        let draft = Draft::in_step(name, site.span, reached, Some(expected));
        found.push(Draft { kind, claims, is_never: site.is_never, ..draft });
    }
    found.extend(unreached::goals(task, machine, &found, stepped.events.skips_tail));
    found.sort_by_key(|draft| draft.span);
    let mut names: BTreeSet<String> = BTreeSet::new();
    for draft in &mut found {
        let mut count = 1;
        let mut name = draft.name.clone();
        while !names.insert(name.clone()) {
            count += 1;
            name = format!("{}#{count}", draft.name);
        }
        draft.name = name;
        if machine.keep_wording {
            let span = draft.span.expect("a goal in the code should have a place");
            draft.parts = vec![wording::line(machine, draft.antecedent, span)];
        }
    }
    found
}

/// `file:line`, without folders. Evidence has a line for each name, so a line end in it is escaped
/// like all that is not seen.
pub(crate) fn place_name(machine: &Machine<'_>, span: Span) -> String {
    let path = &machine.program.sources.files[span.file].path;
    let file = path
        .file_name()
        .map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    format!("{}:{}", visible(&file), span.line)
}

/// Reports a term over states that mentions inputs.
pub(crate) fn must_not_read_inputs(
    machine: &mut Machine<'_>,
    term: TermId,
    what: &str,
    span: Option<Span>,
) -> Outcome<()> {
    let inputs: BTreeSet<_> = machine.system.inputs.values().map(|input| input.symbol).collect();
    let mut seen = BTreeSet::from([term]);
    let mut waiting = vec![term];
    while let Some(term) = waiting.pop() {
        let node = machine.system.terms.node(term);
        if let Term::Symbol(symbol) = node
            && inputs.contains(&symbol)
        {
            let name = machine.system.terms.symbol(symbol).name.clone();
            let message = format!("{what} speaks about the state alone, but reads the input `{name}`");
            machine.diagnostics.error(Code::InputInStateCondition, span, message).advice(
                "use prev(x) in an assumption or goal, or a variable of the model that keeps the input",
            );
            return Err(Stop::Failed);
        }
        waiting.extend(node.operands().filter(|&operand| seen.insert(operand)));
    }
    Ok(())
}
