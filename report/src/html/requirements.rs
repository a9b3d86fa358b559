//! Verdicts on requirements: what holds of all executions.

use super::text::escaped;
use crate::output::chain_file::{ChainFile, RequirementVerdict, VerdictName};

/// The verdict on the whole in one sentence, with its class. A violated requirement is never green,
/// and neither is what is open.
pub(super) fn overall(file: &ChainFile) -> Option<(&'static str, String)> {
    let count = |name: VerdictName| file.verdicts.iter().filter(|verdict| verdict.verdict == name).count();
    if file.verdicts.is_empty() {
        return None;
    }
    let all = file.verdicts.len();
    let [violated, vacuous, undecided] =
        [VerdictName::Violated, VerdictName::Vacuous, VerdictName::Undecided].map(count);
    let class = match (violated, vacuous + undecided) {
        (0, 0) => "good",
        (0, _) => "fair",
        _ => "bad",
    };
    let parts = [(violated, "violated"), (vacuous, "vacuous"), (undecided, "undecided")];
    let open: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}")).collect();
    let sentence = match open.is_empty() {
        true => format!("all {all} requirements hold in all executions: proven"),
        false => format!("of {all} requirements {}", open.join(", ")),
    };
    Some((class, sentence))
}

/// The class of a verdict.
pub(super) const fn class(verdict: VerdictName) -> &'static str {
    match verdict {
        VerdictName::Proven => "good",
        VerdictName::Violated => "bad",
        VerdictName::Vacuous | VerdictName::Undecided => "fair",
    }
}

/// The table; nothing where nothing is required.
pub(super) fn section(file: &ChainFile) -> String {
    if file.verdicts.is_empty() {
        return String::new();
    }
    let rows: String = file.verdicts.iter().map(row).collect();
    format!(
        "<div class=\"wide\"><table><thead><tr><th>Name</th><th>Requirement</th><th>Kind</th><th>All executions</th>\
         <th>What is wrong</th></tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n"
    )
}

fn row(verdict: &RequirementVerdict) -> String {
    let name = escaped(&verdict.name);
    let name = match &verdict.origin {
        Some(origin) => {
            format!("<a href=\"#{}\">{name}</a>", super::source::anchor(&origin.file, origin.line))
        }
        None => name,
    };
    let lines: Vec<String> = verdict.lines().iter().map(|line| escaped(line)).collect();
    let meaning = verdict.requirement.as_deref().or(verdict.text.as_deref()).unwrap_or_default();
    format!(
        "<tr><th scope=\"row\">{name}</th><td>{}</td><td>{}</td><td class=\"{}\">{}</td><td>{}</td></tr>\n",
        escaped(meaning),
        escaped(&verdict.kind),
        class(verdict.verdict),
        escaped(&verdict.words()),
        lines.join("<br>"),
    )
}
