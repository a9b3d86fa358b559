//! What requirements claim, each claim with what it reads.

use super::wording;
use crate::exec::Machine;
use crate::exec::events::{AssertionSite, CoverSite, Visit};
use crate::exec::watch::Watched;
use crate::translate::ending::Ending;
use crate::translate::signals::kind_of;
use frontend::source::Span;
use frontend::{Claim, Location, Reading};
use model::term::TermId;

/// That an error function is not called, which is broken where it is `reached`.
pub(super) fn of_error(machine: &Machine<'_>, site: &CoverSite, reached: TermId) -> Vec<Claim> {
    let line = wording::line(machine, reached, site.span);
    vec![Claim { fails: reached, text: line.text, place: line.place, read: Vec::new() }]
}

/// The claims of an assertion in the code of the step, one for each time that it is reached.
pub(super) fn of_assertion(
    machine: &mut Machine<'_>,
    site: &AssertionSite,
    ending: Option<&Ending>,
) -> Vec<Claim> {
    let times = site.visits.iter().zip(&site.read);
    let claim = |(visit, read): (&Visit, &Vec<Watched>)| {
        let visits = std::slice::from_ref(visit);
        let holds = match (ending, visit.expectation) {
            (Some(ending), _) => ending.expected(machine, visits),
            (None, Some(expectation)) => expectation,
            (None, None) => machine.system.terms.truth(true),
        };
        let (text, place) = written(machine, site.span);
        let fails = machine.system.terms.not(holds);
        Claim { fails, text, place, read: readings(machine, read, |_, term| Some(term)) }
    };
    times.map(claim).collect()
}

/// The formula of an assertion, without the text that may follow it, and its place.
pub(super) fn written(machine: &Machine<'_>, span: Span) -> (String, Option<Location>) {
    let (line, place) = wording::line_text(machine, span);
    let formula = wording::argument(machine, span).map(|text| wording::first_argument(&text).to_owned());
    (formula.filter(|text| !text.is_empty()).unwrap_or(line), Some(place))
}

/// What a claim reads, after `close` has replaced what a property left open; what stays open is
/// left out.
pub(super) fn readings(
    machine: &mut Machine<'_>,
    watched: &[Watched],
    mut close: impl FnMut(&mut Machine<'_>, TermId) -> Option<TermId>,
) -> Vec<Reading> {
    let mut found = Vec::new();
    for Watched { text, value, is_read, ty } in watched {
        let (Some(value), Some(is_read)) = (close(machine, *value), close(machine, *is_read)) else {
            continue;
        };
        let kind = kind_of(machine, *ty, machine.system.terms.width(value));
        found.push(Reading { text: text.clone(), value, is_read, kind });
    }
    found
}
