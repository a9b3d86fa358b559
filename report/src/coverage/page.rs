//! Coverage in the HTML report: totals, decisions with the halves of their conditions, and marks in
//! the sources.

use super::{Coverage, CoverageGoal, CoverageStatus, Site};
use crate::output::chain_file::ChainFile;
use crate::output::markup::escaped;
use frontend::coverage::{Criterion, SiteKind};
use std::collections::BTreeMap;

/// Sites that are listed with their goals; further ones are in `chain.json`.
const LISTED: usize = 2_000;

/// A condition in a line of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The column of its first character, from 1.
    pub(crate) column: u32,
    /// Its text.
    pub(crate) text: String,
    /// The class that colours it.
    pub(crate) class: &'static str,
    /// What is shown beside it.
    pub(crate) title: String,
}

/// Conditions by file and line.
pub(crate) type Marks = BTreeMap<(String, u32), Vec<Mark>>;

/// The conditions on each line of each file.
pub(crate) fn marks(file: &ChainFile) -> Marks {
    let mut found = Marks::new();
    let Some(coverage) = file.coverage.as_ref().map(Coverage::of_places) else { return found };
    for (index, site) in coverage.sites.iter().enumerate().filter(|(_, site)| site.is(SiteKind::Decision)) {
        let Some(path) = &site.file else { continue };
        for (number, condition) in site.conditions.iter().enumerate() {
            let halves = halves(&coverage, index, number);
            if condition.column == 0 || halves.iter().all(Option::is_none) {
                continue;
            }
            let mark = Mark {
                column: condition.column,
                text: condition.text.clone(),
                class: class(&halves),
                title: title(&halves),
            };
            found.entry((path.clone(), condition.line)).or_default().push(mark);
        }
    }
    found.values_mut().for_each(|marks| marks.sort_by_key(|mark| mark.column));
    found
}

/// The goals of a condition at true and at false: those of the strongest criterion asked for.
fn halves(coverage: &Coverage, site: usize, condition: usize) -> [Option<&CoverageGoal>; 2] {
    [true, false].map(|value| {
        let of_part = |goal: &&CoverageGoal| {
            goal.site == site && goal.part.condition == Some(condition) && goal.part.value == Some(value)
        };
        let of = |criterion: Criterion| {
            coverage.goals.iter().filter(of_part).find(|goal| goal.criterion == criterion.name())
        };
        of(Criterion::Mcdc).or_else(|| of(Criterion::Condition))
    })
}

fn class(halves: &[Option<&CoverageGoal>; 2]) -> &'static str {
    let is_closed = |goal: &&CoverageGoal| !goal.is_uncovered() || goal.status == CoverageStatus::Dead;
    let covered = halves.iter().flatten().filter(|goal| goal.status == CoverageStatus::Covered).count();
    match (halves.iter().flatten().all(is_closed), covered) {
        (true, 2) => "whole",
        (true, _) => "closed",
        (false, 0) => "none",
        (false, _) => "half",
    }
}

fn title(halves: &[Option<&CoverageGoal>; 2]) -> String {
    let text =
        |(goal, value): (&Option<&CoverageGoal>, &str)| goal.map(|goal| format!("{value}: {}", word(goal)));
    halves.iter().zip(["true", "false"]).filter_map(text).collect::<Vec<_>>().join(", ")
}

fn word(goal: &CoverageGoal) -> String {
    match (goal.status, goal.at, &goal.justified) {
        (CoverageStatus::Covered, Some(step), _) => format!("step {step}"),
        (CoverageStatus::Covered, None, _) => "covered".to_owned(),
        (CoverageStatus::Dead, ..) => "dead (proven)".to_owned(),
        (_, _, Some(justified)) => format!("justified: {}", justified.reason),
        _ => "undecided".to_owned(),
    }
}

/// The section; empty where there are no coverage goals.
pub(crate) fn section(file: &ChainFile) -> String {
    let Some(coverage) = &file.coverage else { return String::new() };
    let mut goals: BTreeMap<usize, Vec<&CoverageGoal>> = BTreeMap::new();
    for goal in &coverage.goals {
        goals.entry(goal.site).or_default().push(goal);
    }
    let sites = coverage.sites.iter().enumerate();
    let with_goals = sites.filter_map(|(index, site)| Some((site, goals.get(&index)?)));
    let rows: String = with_goals.take(LISTED).map(|(site, goals)| row(file, site, goals)).collect();
    let constant: String = coverage.sites.iter().filter_map(constant_row).collect();
    let constants = if constant.is_empty() {
        constant
    } else {
        format!("<p>Constant, without goals:</p>\n<ul>\n{constant}</ul>\n")
    };
    let stale: String = coverage
        .stale
        .iter()
        .map(|stale| format!("<li>{}: {}</li>\n", escaped(&stale.goal), escaped(&stale.why)))
        .collect();
    let stale =
        if stale.is_empty() { stale } else { format!("<p>Stale justifications:</p>\n<ul>\n{stale}</ul>\n") };
    format!(
        "{}<div class=\"wide\"><table><thead><tr><th>Place</th><th>Text</th><th>Goals</th></tr></thead>\n\
         <tbody>\n{rows}</tbody></table></div>\n{constants}{stale}",
        totals(coverage)
    )
}

fn totals(coverage: &Coverage) -> String {
    let row = |total: &super::Total| {
        let percent = |covered: usize, of: usize| match of {
            0 => "-".to_owned(),
            of => format!("{:.1} %", covered as f64 * 100.0 / of as f64),
        };
        let rest = total.goals - total.dead - total.justified;
        format!(
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
            total.name,
            total.goals,
            total.covered,
            total.dead,
            total.justified,
            total.undecided,
            percent(total.covered, total.goals),
            percent(total.covered, rest)
        )
    };
    let rows: String = coverage.criteria.iter().map(row).collect();
    format!(
        "<div class=\"wide\"><table class=\"numbers\"><thead><tr><th></th><th>Goals</th><th>Covered</th><th>Dead (proven)</th>\
         <th>Justified</th><th>Undecided</th><th>Covered of all</th><th>of those neither dead nor justified</th></tr></thead>\n\
         <tbody>\n{rows}</tbody></table></div>\n<p class=\"hint\">{} goals, {} after merging.</p>\n",
        coverage.goals.len(),
        coverage.merged
    )
}

fn constant_row(site: &Site) -> Option<String> {
    let constant = site.constant.as_ref()?;
    let file = site.file.as_deref().unwrap_or_default();
    Some(format!(
        "<li>{}:{} <code>{}</code> is always {}</li>\n",
        escaped(file),
        site.line,
        escaped(&site.text),
        escaped(constant)
    ))
}

fn row(file: &ChainFile, site: &Site, goals: &[&CoverageGoal]) -> String {
    let place = match &site.file {
        Some(path) => {
            let anchor = crate::html::anchor(path, site.line);
            format!("<a href=\"#{anchor}\">{}:{}</a>", escaped(path), site.line)
        }
        None => "input".to_owned(),
    };
    let list: String = goals.iter().map(|goal| entry(file, site, goal)).collect();
    let calls: String = site
        .calls
        .iter()
        .rev()
        .map(|call| format!("<br>called at {}:{}", escaped(&call.file), call.line))
        .collect();
    format!(
        "<tr><th scope=\"row\">{place}{calls}</th><td><code>{}</code></td><td>{list}</td></tr>\n",
        escaped(&site.text)
    )
}

fn entry(file: &ChainFile, site: &Site, goal: &CoverageGoal) -> String {
    let class = match (goal.status, &goal.justified) {
        (CoverageStatus::Covered, _) => "whole",
        (CoverageStatus::Dead, _) | (_, Some(_)) => "closed",
        _ => "none",
    };
    let condition = goal.part.condition.and_then(|number| site.conditions.get(number));
    let subject = condition.map_or_else(String::new, |condition| format!(" {}", condition.text));
    let value = match (goal.part.value, goal.part.label, goal.part.difference, goal.part.upper) {
        (Some(value), ..) => format!(" {value}"),
        (_, Some(label), ..) => format!(" label {label}"),
        (_, _, Some(difference), _) => format!(" {difference:+}"),
        _ if goal.part.cell.is_some() => {
            goal.part.cell.map_or_else(String::new, |cell| format!(" cell {cell}"))
        }
        (.., Some(upper)) => (if upper { " upper" } else { " lower" }).to_owned(),
        _ => String::new(),
    };
    let place = match (goal.chain, goal.at) {
        (Some(chain), Some(step)) => crate::html::jump(file, chain, step),
        _ => escaped(&word(goal)),
    };
    let seen = goal.seen.as_ref().map_or_else(String::new, |seen| format!(", seen: {}", seen.text()));
    format!(
        "<div title=\"{}\"><span class=\"{class}\">{}{}{value}</span> {place}{}</div>",
        escaped(&goal.identity),
        goal.criterion,
        escaped(&subject),
        escaped(&seen)
    )
}
