//! The steps of runs by the requirements of an interface: a matrix of both, and what is allowed in
//! each step.

use super::text::escaped;
use crate::output::chain_file::{Chain, ChainFile, Kind, Signal};
use crate::output::marks::{Mark, MarkedStep, Triggered, WrittenRequirement};
use serde_json::{Map, Value as Json};

/// Steps of a run that are shown at its beginning, and at its end.
const SHOWN: usize = 100;

/// The chains of an interface; nothing of other models.
pub(super) fn section(file: &ChainFile) -> String {
    if file.contracts.is_empty() {
        return String::new();
    }
    let run = |(number, chain): (usize, &Chain)| {
        let title = match file.chains.len() {
            1 => String::new(),
            _ => format!("<h3>Chain {}</h3>\n", number + 1),
        };
        let grade = match chain.grade.as_deref() {
            Some("certain") => "Every system that keeps the requirements meets all goals under these inputs.",
            Some("adaptive") => {
                "Inputs that depend on the outputs that are seen meet all goals; those shown meet them in some runs."
            }
            Some(_) => "A system that keeps the requirements may miss goals under these inputs.",
            None => "Whether a system that keeps the requirements may miss goals is not known.",
        };
        let steps: Vec<MarkedStep> = chain.steps.iter().enumerate().map(|one| marked(file, one)).collect();
        format!("{title}<p>{grade}</p>\n{}", steps_of(&file.contracts, &steps))
    };
    file.chains.iter().enumerate().map(run).collect()
}

fn marked(file: &ChainFile, (step, found): (usize, &crate::output::chain_file::Step)) -> MarkedStep {
    let named = |(name, value): (&String, Json)| {
        let signal = file.inputs.iter().find(|signal| signal.name == *name);
        let value = signal.map(|signal| written_value(signal, &value)).unwrap_or(value);
        (name.clone(), value)
    };
    MarkedStep {
        step,
        inputs: found.inputs.iter().map(named).collect(),
        outputs: Map::new(),
        allowed: found.allowed.clone(),
        marks: found.marks.clone(),
        shows: found.covers.clone(),
    }
}

/// A value as interfaces have it: a truth, or its name, where it has one.
fn written_value(signal: &Signal, value: &Json) -> Json {
    if signal.kind == Some(Kind::Bool)
        && let Some(number) = value.as_u64()
    {
        return Json::Bool(number != 0);
    }
    let known = signal.enumerators.iter().find(|(_, known)| *known == value);
    known.map_or_else(|| value.clone(), |(name, _)| Json::String(name.clone()))
}

/// A run: the matrix, and its steps one below the other. Steps that are not shown are counted.
pub(super) fn steps_of(requirements: &[WrittenRequirement], steps: &[MarkedStep]) -> String {
    if steps.is_empty() {
        return "<p>There are no steps.</p>\n".to_owned();
    }
    let shown: Vec<&MarkedStep> = steps
        .iter()
        .enumerate()
        .filter(|(index, _)| *index < SHOWN || index + SHOWN >= steps.len())
        .map(|(_, step)| step)
        .collect();
    matrix(requirements, &shown) + KEY + &table(&shown)
}

/// What the signs mean.
const KEY: &str = "<p class=\"hint\"><span class=\"sign decides\">&#9670;</span> the requirement decides: without it more would be \
     allowed &nbsp; <span class=\"sign held\">&#9679;</span> its assumption holds &nbsp; <span class=\"sign maybe\">&#9675;</span> \
     its assumption holds in some of the runs that are possible &nbsp; <span class=\"sign broken\">&#10005;</span> broken, or asked \
     for in vain</p>\n";

/// Requirements by steps.
fn matrix(requirements: &[WrittenRequirement], steps: &[&MarkedStep]) -> String {
    let head: String =
        with_gaps(steps, |step| format!("<th scope=\"col\">{}</th>", step.step), "<th>&#8230;</th>");
    let row = |requirement: &WrittenRequirement| {
        let cells =
            with_gaps(steps, |step| cell(&requirement.name, step.marks.get(&requirement.name)), "<td></td>");
        let about = requirement.text.as_deref().unwrap_or_default();
        format!(
            "<tr><th scope=\"row\" title=\"{}\">{}</th>{cells}</tr>\n",
            escaped(about),
            escaped(&requirement.name)
        )
    };
    let rows: String = requirements.iter().map(row).collect();
    let shows = with_gaps(
        steps,
        |step| if step.shows.is_empty() { "<td></td>" } else { "<td>&#9873;</td>" }.to_owned(),
        "<td></td>",
    );
    let shows = match steps.iter().any(|step| !step.shows.is_empty()) {
        true => format!("<tr><th scope=\"row\">shown first</th>{shows}</tr>\n"),
        false => String::new(),
    };
    format!(
        "<div class=\"wide\"><table class=\"matrix\"><thead><tr><th scope=\"col\">Step</th>{head}</tr></thead>\n\
         <tbody>\n{rows}{shows}</tbody></table></div>\n"
    )
}

fn cell(name: &str, mark: Option<&Mark>) -> String {
    let Some(mark) = mark else { return "<td></td>".to_owned() };
    let (class, sign, about) = match mark {
        Mark { broken: true, .. } => ("broken", "&#10005;", "broken"),
        Mark { triggered: Triggered::Never, .. } => return "<td></td>".to_owned(),
        Mark { deciding: Some(true), .. } => ("decides", "&#9670;", "decides"),
        Mark { triggered: Triggered::Always, deciding: None, .. } => {
            ("held", "&#9679;", "assumption holds; whether it decides is not known")
        }
        Mark { triggered: Triggered::Always, .. } => ("held", "&#9679;", "assumption holds"),
        Mark { triggered: Triggered::Sometimes, .. } => ("maybe", "&#9675;", "assumption holds in some runs"),
    };
    format!("<td class=\"{class}\" title=\"{}: {about}\">{sign}</td>", escaped(name))
}

/// A cell for each step, and one where steps are left out.
fn with_gaps(steps: &[&MarkedStep], cell: impl Fn(&MarkedStep) -> String, gap: &str) -> String {
    let mut cells = String::new();
    let mut expected = 0;
    for step in steps {
        if step.step > expected {
            cells += gap;
        }
        cells += &cell(step);
        expected = step.step + 1;
    }
    cells
}

/// The steps with inputs, what is allowed, and what was observed.
fn table(steps: &[&MarkedStep]) -> String {
    let has_outputs = steps.iter().any(|step| !step.outputs.is_empty());
    let answer = if has_outputs { "<th>Answer</th>" } else { "" };
    let row = |step: &MarkedStep| {
        let outputs = match has_outputs {
            true => format!("<td>{}</td>", values(&step.outputs, "")),
            false => String::new(),
        };
        let class = if step.marks.values().any(|mark| mark.broken) { " class=\"bad\"" } else { "" };
        let allowed = step.allowed.as_deref().map_or_else(
            || "not known".to_owned(),
            |allowed| format!("<code>{}</code>", escaped(if allowed.is_empty() { "none" } else { allowed })),
        );
        format!(
            "<tr><th scope=\"row\"{class}>{}</th><td>{}</td><td>{allowed}</td>{outputs}<td>{}</td></tr>\n",
            step.step,
            values(&step.inputs, "any"),
            escaped(&step.shows.join(", "))
        )
    };
    let count = steps.iter().map(|step| step.step + 1).max().unwrap_or(0) - steps.len();
    let rest = match count {
        0 => String::new(),
        _ => format!("<p class=\"hint\">{count} steps in the middle are left out here.</p>\n"),
    };
    let rows: String = steps.iter().map(|step| row(step)).collect();
    format!(
        "<div class=\"wide\"><table class=\"steps\"><thead><tr><th>Step</th><th>Inputs</th><th>Allowed outputs</th>{answer}\
         <th>Shown first</th></tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n{rest}"
    )
}

/// Values by name; truths as in formulas: `enq, !deq, n = 3`.
fn values(values: &Map<String, Json>, none: &str) -> String {
    let one = |(name, value): (&String, &Json)| match value {
        Json::Bool(true) => escaped(name),
        Json::Bool(false) => format!("!{}", escaped(name)),
        Json::String(text) => format!("{} = {}", escaped(name), escaped(text)),
        other => format!("{} = {}", escaped(name), escaped(&other.to_string())),
    };
    let shown: Vec<String> = values.iter().map(one).collect();
    if shown.is_empty() { none.to_owned() } else { format!("<code>{}</code>", shown.join(", ")) }
}

/// The requirements as they are written, each with a remark.
pub(super) fn written(
    requirements: &[WrittenRequirement],
    remark: impl Fn(&str) -> Option<(&'static str, String)>,
) -> String {
    let has_views = requirements.iter().any(|requirement| requirement.view.is_some());
    let has_remarks = requirements.iter().any(|requirement| remark(&requirement.name).is_some());
    let row = |requirement: &WrittenRequirement| {
        let view = requirement.view.as_deref().unwrap_or_default();
        let view = if has_views { format!("<td>{}</td>", escaped(view)) } else { String::new() };
        let contracts: Vec<String> = requirement
            .contracts
            .iter()
            .map(|contract| format!("<code>{}</code>", escaped(contract)))
            .collect();
        let text = requirement.text.as_deref().map(|text| format!("{}<br>", escaped(text)));
        let remark = match (has_remarks, remark(&requirement.name)) {
            (false, _) => String::new(),
            (true, None) => "<td></td>".to_owned(),
            (true, Some((class, remark))) => format!("<td class=\"{class}\">{}</td>", escaped(&remark)),
        };
        format!(
            "<tr><th scope=\"row\">{}</th>{view}<td>{}{}</td>{remark}</tr>\n",
            escaped(&requirement.name),
            text.unwrap_or_default(),
            contracts.join("<br>")
        )
    };
    let rows: String = requirements.iter().map(row).collect();
    let view = if has_views { "<th>View</th>" } else { "" };
    let remarks = if has_remarks { "<th>Result</th>" } else { "" };
    format!(
        "<div class=\"wide\"><table><thead><tr><th>Requirement</th>{view}<th>What it says</th>{remarks}</tr></thead>\n\
         <tbody>\n{rows}</tbody></table></div>\n"
    )
}
