//! The table of goals with verdicts and reasons.

use super::text::escaped;
use crate::output::chain_file::{ChainFile, Expectation, Goal, Status};

/// The table; covered goals lead to their step.
pub(super) fn section(file: &ChainFile) -> String {
    let rows: String = file.goals.iter().map(|goal| row(file, goal)).collect();
    format!(
        "<div class=\"wide\"><table><thead><tr><th>Goal</th><th>Requirement</th><th>Status</th><th>Expectation</th>\
         <th>Where</th><th>Meaning</th></tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n"
    )
}

fn row(file: &ChainFile, goal: &Goal) -> String {
    let (class, status) = match goal.status {
        Status::Covered => ("good", "covered"),
        Status::Unreachable => ("fair", "unreachable"),
        Status::Undecided => ("bad", "undecided"),
    };
    let (verdict_class, verdict) = match goal.expectation {
        Expectation::Held => ("good", "held"),
        Expectation::Violated => ("bad", "violated"),
        Expectation::None => ("", ""),
    };
    let place = match (goal.chain, goal.at) {
        (Some(chain), Some(step)) => {
            let text = if file.chains.len() > 1 {
                format!("chain {}, step {step}", chain + 1)
            } else {
                format!("step {step}")
            };
            format!(
                "<a href=\"#chain\" class=\"jump\" data-chain=\"{chain}\" data-step=\"{step}\">{text}</a>"
            )
        }
        _ => escaped(goal.reason.as_deref().unwrap_or_default()),
    };
    let name = escaped(&goal.name);
    let name = match &goal.origin {
        Some(origin) => {
            format!("<a href=\"#{}\">{name}</a>", super::source::anchor(&origin.file, origin.line))
        }
        None => name,
    };
    format!(
        "<tr><th scope=\"row\">{name}</th><td>{}</td><td class=\"{class}\">{status}</td><td class=\"{verdict_class}\">{verdict}</td>\
         <td>{place}</td><td>{}</td></tr>\n",
        escaped(goal.requirement.as_deref().unwrap_or_default()),
        escaped(goal.text.as_deref().unwrap_or_default()),
    )
}
