//! The table of goals with verdicts and reasons.

use super::text::escaped;
use crate::coverage::terminal::condensed;
use crate::output::chain_file::{ChainFile, Expectation, Goal, Status, Violation};

/// The table; covered goals lead to their step.
pub(super) fn section(file: &ChainFile) -> String {
    let file = &condensed(file);
    let rows: String = file.goals.iter().map(|goal| row(file, goal)).collect();
    if rows.is_empty() {
        return rows;
    }
    format!(
        "<div class=\"wide\"><table><thead><tr><th>Goal</th><th>Requirement</th><th>Status</th><th>Expectation</th>\
         <th>Where</th><th>Meaning</th></tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n"
    )
}

/// A link to a step of a chain.
pub(crate) fn jump(file: &ChainFile, chain: usize, step: usize) -> String {
    let text = match file.chains.len() {
        0 | 1 => format!("step {step}"),
        _ => format!("chain {}, step {step}", chain + 1),
    };
    format!("<a href=\"#chain\" class=\"jump\" data-chain=\"{chain}\" data-step=\"{step}\">{text}</a>")
}

fn row(file: &ChainFile, goal: &Goal) -> String {
    let (class, status) = match goal.status {
        Status::Covered => ("good", "covered"),
        Status::Unreachable => ("fair", "unreachable"),
        Status::Undecided => ("bad", "undecided"),
    };
    let (verdict_class, verdict) = match goal.expectation {
        Expectation::Held => ("good", "held".to_owned()),
        Expectation::Violated => match goal.violation {
            Some(Violation { chain, at }) if goal.chain.zip(goal.at) != Some((chain, at)) => {
                ("bad", format!("violated at {}", jump(file, chain, at)))
            }
            _ => ("bad", "violated".to_owned()),
        },
        Expectation::None => ("", String::new()),
    };
    let (verdict_class, verdict) = match goal.verdict {
        Some(name) if goal.expectation != Expectation::Violated => {
            let along =
                if verdict.is_empty() { String::new() } else { format!("{verdict} along the chain, ") };
            (super::requirements::class(name), format!("{along}{} in all executions", name.name()))
        }
        _ => (verdict_class, verdict),
    };
    let forcing = goal.forcing.as_ref();
    let forcing = forcing.map_or_else(String::new, |forcing| format!(", {}", escaped(&forcing.words())));
    let place = match (goal.chain, goal.at) {
        (Some(chain), Some(step)) => jump(file, chain, step),
        _ => escaped(goal.reason.as_deref().unwrap_or_default()),
    };
    let seen =
        goal.seen.as_ref().map_or_else(String::new, |seen| format!(" (seen in {})", escaped(&seen.text())));
    let name = escaped(&goal.name);
    let name = match &goal.origin {
        Some(origin) => {
            format!("<a href=\"#{}\">{name}</a>", super::source::anchor(&origin.file, origin.line))
        }
        None => name,
    };
    format!(
        "<tr><th scope=\"row\">{name}</th><td>{}</td><td class=\"{class}\">{status}{forcing}</td><td class=\"{verdict_class}\">{verdict}</td>\
         <td>{place}{seen}</td><td>{}</td></tr>\n",
        escaped(goal.requirement.as_deref().unwrap_or_default()),
        escaped(goal.text.as_deref().unwrap_or_default()),
    )
}
