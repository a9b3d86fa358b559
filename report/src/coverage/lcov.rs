//! Coverage as an lcov tracefile (`geninfo(1)`): lines, branches, and MC/DC records of lcov 2.2.
//!
//! Branches are outcomes of decisions and groups of labels; what is proven dead is left out, since
//! the format has no word for it.

use super::{Coverage, CoverageGoal, CoverageStatus, Site};
use frontend::coverage::{Criterion, SiteKind};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The goals of one site, with the site.
pub(super) struct SiteGoals<'c> {
    pub(super) site: &'c Site,
    pub(super) goals: Vec<&'c CoverageGoal>,
}

/// The sites of each file, in the order of lines.
pub(super) fn by_file(coverage: &Coverage) -> BTreeMap<&str, Vec<SiteGoals<'_>>> {
    let mut goals: BTreeMap<usize, Vec<&CoverageGoal>> = BTreeMap::new();
    for goal in &coverage.goals {
        goals.entry(goal.site).or_default().push(goal);
    }
    let mut files: BTreeMap<&str, Vec<SiteGoals<'_>>> = BTreeMap::new();
    for (index, site) in coverage.sites.iter().enumerate() {
        if let Some(file) = &site.file {
            let goals = goals.remove(&index).unwrap_or_default();
            files.entry(file).or_default().push(SiteGoals { site, goals });
        }
    }
    files
}

/// Lines on which a goal stands, and whether one of them is covered there.
pub(super) fn lines(sites: &[SiteGoals<'_>]) -> BTreeMap<u32, bool> {
    let mut lines = BTreeMap::new();
    for SiteGoals { site, goals } in sites.iter().filter(|found| !found.goals.is_empty()) {
        let ran = goals.iter().any(|goal| goal.status == CoverageStatus::Covered);
        *lines.entry(site.line).or_default() |= ran;
    }
    lines
}

/// The branches of a site that are not proven dead: each with whether it is covered.
pub(super) fn branches(found: &SiteGoals<'_>) -> Vec<bool> {
    let of_decisions = found.goals.iter().filter(|goal| goal.criterion == Criterion::Decision.name());
    let possible = of_decisions.filter(|goal| goal.status != CoverageStatus::Dead);
    possible.map(|goal| goal.status == CoverageStatus::Covered).collect()
}

/// The tracefile.
pub fn tracefile(name: &str, coverage: &Coverage) -> String {
    let mut text = format!("TN:{}\n", test_name(name));
    for (file, sites) in by_file(&coverage.of_places()) {
        let _ = writeln!(text, "SF:{file}");
        functions(&mut text, &sites);
        branch_records(&mut text, &sites);
        mcdc_records(&mut text, &sites);
        let lines = lines(&sites);
        for (line, ran) in &lines {
            let _ = writeln!(text, "DA:{line},{}", u8::from(*ran));
        }
        let hit = lines.values().filter(|&&ran| ran).count();
        let _ = writeln!(text, "LF:{}\nLH:{hit}\nend_of_record", lines.len());
    }
    text
}

/// The format allows letters, digits and `_` in names of tests.
fn test_name(name: &str) -> String {
    name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect()
}

fn functions(text: &mut String, sites: &[SiteGoals<'_>]) {
    let mut found: BTreeMap<&str, (u32, bool)> = BTreeMap::new();
    for SiteGoals { site, goals } in sites.iter().filter(|found| !found.goals.is_empty()) {
        let ran = goals.iter().any(|goal| goal.status == CoverageStatus::Covered);
        let entry = found.entry(&site.function).or_insert((site.line, false));
        entry.0 = entry.0.min(site.line);
        entry.1 |= ran;
    }
    for (function, (line, _)) in &found {
        let _ = writeln!(text, "FN:{line},{function}");
    }
    for (function, (_, ran)) in &found {
        let _ = writeln!(text, "FNDA:{},{function}", u8::from(*ran));
    }
    let hit = found.values().filter(|(_, ran)| *ran).count();
    let _ = writeln!(text, "FNF:{}\nFNH:{hit}", found.len());
}

fn branch_records(text: &mut String, sites: &[SiteGoals<'_>]) {
    let (mut number, mut hit) = (0, 0);
    let mut blocks: BTreeMap<u32, usize> = BTreeMap::new();
    let mut ordered: Vec<&SiteGoals<'_>> = sites.iter().collect();
    ordered.sort_by_key(|found| found.site.line);
    for found in ordered {
        let branches = branches(found);
        if branches.is_empty() {
            continue;
        }
        let block = blocks.entry(found.site.line).or_default();
        for (branch, covered) in branches.iter().enumerate() {
            let _ = writeln!(text, "BRDA:{},{block},{branch},{}", found.site.line, u8::from(*covered));
            number += 1;
            hit += usize::from(*covered);
        }
        *block += 1;
    }
    if number > 0 {
        let _ = writeln!(text, "BRF:{number}\nBRH:{hit}");
    }
}

/// `MCDC:line,group size,sense,taken,index,expression`: a record for each half of each condition.
/// The format tells decisions of one line apart by their number of conditions alone: where that is
/// the same of two, all conditions of the line are one group.
fn mcdc_records(text: &mut String, sites: &[SiteGoals<'_>]) {
    let (mut number, mut hit) = (0, 0);
    let mut lines: BTreeMap<u32, Vec<(&Site, Vec<&CoverageGoal>)>> = BTreeMap::new();
    for SiteGoals { site, goals } in sites.iter().filter(|found| found.site.is(SiteKind::Decision)) {
        let halves = goals.iter().filter(|goal| goal.criterion == Criterion::Mcdc.name()).copied();
        let halves: Vec<&CoverageGoal> = halves.collect();
        if !halves.is_empty() {
            lines.entry(site.line).or_default().push((site, halves));
        }
    }
    for (line, decisions) in lines {
        let size = |&(site, _): &(&Site, _)| site.conditions.len();
        let sizes: BTreeSet<usize> = decisions.iter().map(size).collect();
        let whole = (sizes.len() < decisions.len()).then(|| decisions.iter().map(size).sum::<usize>());
        let mut first = 0;
        for decision in &decisions {
            let (site, halves) = decision;
            for goal in halves.iter().filter(|goal| goal.status != CoverageStatus::Dead) {
                let (Some(condition), Some(value)) = (goal.part.condition, goal.part.value) else { continue };
                let covered = goal.status == CoverageStatus::Covered;
                let sense = if value { "t" } else { "f" };
                let shown = site.conditions.get(condition).map_or("", |condition| condition.text.as_str());
                let shown = shown.replace(['\n', '\r'], " ");
                let (group, index) = (whole.unwrap_or(size(decision)), first + condition);
                let _ = writeln!(text, "MCDC:{line},{group},{sense},{},{index},{shown}", u8::from(covered));
                number += 1;
                hit += usize::from(covered);
            }
            first += whole.map_or(0, |_| size(decision));
        }
    }
    if number > 0 {
        let _ = writeln!(text, "MCF:{number}\nMCH:{hit}");
    }
}
