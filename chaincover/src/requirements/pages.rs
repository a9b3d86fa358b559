//! Results about requirement interfaces as files for people and for programs: the same steps as JSON
//! and as a page.

use super::proofs::result_text;
use super::{JudgedRun, combined, source_of, to_json};
use crate::model::Model;
use contracts::check::{Conflicts, Consistency, Refutation};
use contracts::marks::{Mark, Marker, Often};
use contracts::semantics::{Effort, Interest, Semantics, Step, Undecided, Valuation, id_index};
use contracts::syntax::Role;
use contracts::values::{fields, to_json as value_json};
use contracts::{Allowed, ContractsSource, Document, Interface, judge, print};
use frontend::limit::Limit;
use frontend::source::SourceMap;
use harness::{Report, Verdict};
use report::html::interface::{InterfacePage, Quality, Run};
use report::output::chain_file::{MarkedStep, Marks, Origin, Triggered, WrittenRequirement};
use report::output::visible;
use serde_json::{Map, Value as Json, json};
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Name of the page.
pub const PAGE: &str = "report.html";
/// Name of the file with the verdicts on runs.
pub const VERDICT: &str = "verdict.json";
/// Name of the file with what `check` found.
pub const CHECK: &str = "check.json";

/// Values that the interpreter may try for what is shown of a play.
const PLAY_EFFORT: u64 = 2_000_000;

/// Name and text of a file.
pub type ResultFile = (&'static str, String);

/// An interface with what stands in its files.
#[derive(Clone, Debug)]
pub struct WrittenInterface<'a> {
    interface: &'a Interface,
    /// The contracts of each requirement.
    contracts: Vec<Vec<String>>,
    sources: &'a SourceMap,
}

impl<'a> WrittenInterface<'a> {
    /// That of files that were read.
    pub fn of(document: &'a Document) -> Self {
        let contracts = print::contracts(&document.files);
        Self { interface: &document.interface, contracts, sources: &document.sources }
    }
    /// That of a model; none where it is no interface.
    pub fn of_model(model: &'a Model) -> Option<Self> {
        source_of(model).map(Self::of_source)
    }
    pub(super) fn of_source(source: &'a ContractsSource) -> Self {
        Self {
            interface: source.interface(),
            contracts: source.contracts().to_vec(),
            sources: source.places(),
        }
    }

    /// The requirements as results have them.
    pub(super) fn requirements(&self) -> Vec<WrittenRequirement> {
        let one = |(index, requirement): (usize, &contracts::Requirement)| {
            let view = &self.interface.views[requirement.view];
            let (file, line) = self.sources.written(requirement.extent.span);
            WrittenRequirement {
                name: requirement.name.clone(),
                view: (!view.is_empty() && self.interface.view_count() > 1).then(|| view.clone()),
                text: requirement.text.clone(),
                contracts: self.contracts.get(index).cloned().unwrap_or_default(),
                origin: Some(Origin { file: file.display().to_string(), line }),
            }
        };
        self.interface.requirements.iter().enumerate().map(one).collect()
    }
}

/// The marks of a step as results have them.
pub(super) fn marks(interface: &Interface, marks: &[Mark]) -> Marks {
    let one = |(requirement, mark): (&contracts::Requirement, &Mark)| {
        let triggered = match mark.triggered {
            Often::Never => Triggered::Never,
            Often::Sometimes => Triggered::Sometimes,
            Often::Always => Triggered::Always,
        };
        let deciding = mark.deciding.filter(|_| mark.triggered != Often::Never);
        let mark = report::output::chain_file::Mark { triggered, deciding, broken: mark.broken };
        (requirement.name.clone(), mark)
    };
    let said = interface.requirements.iter().zip(marks).filter(|(_, mark)| !mark.is_idle());
    said.map(one).collect()
}

/// What became of runs, for programs ([`VERDICT`]) and as a page ([`PAGE`]). `command` is the
/// command line, where it is known.
pub fn run_files(
    written: &WrittenInterface<'_>,
    runs: &[JudgedRun],
    limit: &Limit,
    command: Option<String>,
) -> [ResultFile; 2] {
    let interface = written.interface;
    let told = |run: &JudgedRun| -> Vec<MarkedStep> {
        let seen = judge::story(interface, &run.observed, limit).into_iter();
        let step = |seen: judge::Seen| MarkedStep {
            step: seen.step,
            inputs: fields(interface, Role::Input, &seen.observed),
            outputs: fields(interface, Role::Output, &seen.observed),
            allowed: seen.allowed,
            marks: marks(interface, &seen.marks),
            shows: seen.purposes,
        };
        seen.map(step).collect()
    };
    let steps: Vec<Vec<MarkedStep>> = runs.iter().map(told).collect();
    let reports: Vec<Report> = runs.iter().map(|run| run.report.clone()).collect();
    let mut json = to_json(&reports);
    let mut tests: Vec<&mut Json> = match runs.len() {
        1 => vec![&mut json],
        _ => json["tests"].as_array_mut().into_iter().flatten().collect(),
    };
    for (test, steps) in tests.iter_mut().zip(&steps) {
        test["steps"] = json!(steps);
    }
    let verdict = combined(&reports);
    let shown = runs.iter().zip(steps).enumerate().map(|(number, (run, steps))| Run {
        title: if runs.len() > 1 { format!("Run {}", number + 1) } else { String::new() },
        lines: judge::describe(&run.report).lines().map(|line| line.trim().to_owned()).collect(),
        steps,
    });
    let page = InterfacePage {
        name: interface.name.clone(),
        verdict: in_words(verdict),
        facts: Vec::new(),
        notes: Vec::new(),
        runs: shown.collect(),
        requirements: written.requirements(),
        remarks: blamed(&reports),
        command,
    };
    [(VERDICT, visible::json(&format!("{json:#}\n"))), (PAGE, page.html())]
}

fn in_words(verdict: Verdict) -> (Quality, String, String) {
    let (quality, meaning) = match verdict {
        Verdict::Pass => (Quality::Good, "everything that was observed is allowed"),
        Verdict::Fail => (Quality::Bad, "no behaviour that is allowed shows what was observed"),
        Verdict::Inconclusive => {
            (Quality::Fair, "everything that was observed is allowed, but it does not show what it should")
        }
        Verdict::Error => (Quality::Bad, "the system could not be used"),
    };
    (quality, verdict.name().to_owned(), meaning.to_owned())
}

/// The requirements that explanations name.
fn blamed(reports: &[Report]) -> Vec<(String, Quality, String)> {
    let mut found: Vec<(String, Quality, String)> = Vec::new();
    for name in reports.iter().flat_map(|report| &report.explanations).flatten() {
        if !found.iter().any(|(known, ..)| known == name) {
            found.push((name.clone(), Quality::Bad, "may be broken".to_owned()));
        }
    }
    found
}

/// What `check` found, for programs ([`CHECK`]) and as a page ([`PAGE`]).
pub fn check_files(
    document: &Document,
    paths: &[PathBuf],
    found: &Result<Consistency, Undecided>,
    limit: &Limit,
    command: Option<String>,
) -> [ResultFile; 2] {
    let interface = &document.interface;
    let (initial, update) = interface.counts();
    let (count, views) = (interface.requirements.len(), interface.view_count());
    let plural = if views == 1 { "" } else { "s" };
    let counted = format!("{count} in {views} view{plural}, {initial} initial and {update} update contracts");
    let mut page = InterfacePage {
        name: interface.name.clone(),
        verdict: (Quality::Fair, "undecided".to_owned(), String::new()),
        facts: vec![("Requirements", counted)],
        notes: Vec::new(),
        runs: Vec::new(),
        requirements: WrittenInterface::of(document).requirements(),
        remarks: Vec::new(),
        command,
    };
    match found {
        Err(undecided) => page.verdict.2 = undecided.to_string(),
        Ok(found) if found.is_consistent() => consistent(&mut page, interface, found),
        Ok(found) => inconsistent(&mut page, interface, found, limit),
    }
    [(CHECK, result_text(document, paths, found)), (PAGE, page.html())]
}

fn consistent(page: &mut InterfacePage, interface: &Interface, found: &Consistency) {
    let meaning = "a system can meet all requirements, for all inputs, at every depth";
    page.verdict = (Quality::Good, "consistent".to_owned(), meaning.to_owned());
    let kinds = [
        (&found.void, "void: its assumption never holds"),
        (&found.implied, "implied by the others"),
        (&found.never_deciding, "never decides"),
        (&found.unknown_void, "not known whether it is void"),
        (&found.unknown_effect, "not known whether it is implied"),
    ];
    for (indices, remark) in kinds {
        let names = interface.names(indices.iter().copied());
        page.remarks.extend(names.into_iter().map(|name| (name, Quality::Fair, remark.to_owned())));
    }
    let notes = [
        (
            found.has_lost_positions == Some(true),
            "Some allowed answers lead to a dead end later; a system has to avoid them.",
        ),
        (
            found.has_lost_positions.is_none(),
            "It is not known whether some allowed answers lead to a dead end later.",
        ),
        (
            found.has_no_inputs == Some(true),
            "No inputs may occur in step 0, so nothing is asked of a system.",
        ),
        (
            found.has_dead_end == Some(true) && found.has_no_inputs != Some(true),
            "After some steps the environment has no inputs left.",
        ),
        (found.has_dead_end.is_none(), "It is not known whether the environment runs out of inputs."),
    ];
    page.notes.extend(notes.into_iter().filter(|(is_so, _)| *is_so).map(|(_, note)| note.to_owned()));
}

fn inconsistent(page: &mut InterfacePage, interface: &Interface, found: &Consistency, limit: &Limit) {
    let (verdict, meaning) = match found.depth {
        Some(depth) => (
            format!("inconsistent from step {depth}"),
            format!("no system can answer all inputs of steps 0 to {depth} as required"),
        ),
        None => {
            let undecided = found.undecided().map(|why| why.to_string());
            ("inconsistent".to_owned(), undecided.unwrap_or_default())
        }
    };
    page.verdict = (Quality::Bad, verdict, meaning);
    let set = |set: &Vec<usize>| format!("{{{}}}", interface.names(set.iter().copied()).join(", "));
    let listed = |sets: &[Vec<usize>]| sets.iter().map(set).collect::<Vec<_>>().join(", ");
    let conflicts = |found: &Conflicts| match &found.unfinished {
        Some(unfinished) => format!("{} (perhaps not all of them are needed)", set(unfinished)),
        None => listed(&found.sets),
    };
    if found.depth.is_some() {
        page.facts.push(("Conflicts up to that step", conflicts(&found.conflicts)));
    }
    page.facts.extend([
        ("Conflicts at any depth", conflicts(&found.any_depth)),
        ("Consistent without", listed(&found.any_depth.repairs)),
    ]);
    if !(found.conflicts.is_complete && found.any_depth.is_complete) {
        page.notes.push("There may be more minimal conflicts: the search for them was cut short.".to_owned());
    }
    let mut named: Vec<usize> =
        found.conflicts.sets.iter().chain(&found.any_depth.sets).flatten().copied().collect();
    named.sort_unstable();
    named.dedup();
    let names = interface.names(named);
    page.remarks
        .extend(names.into_iter().map(|name| (name, Quality::Bad, "in a minimal conflict".to_owned())));
    let Some(refutation) = &found.refutation else { return };
    let mut lines =
        vec![format!("Inputs that no system can answer for ever: {}.", refutation.describe(interface))];
    let asked = refutation.asked.iter();
    lines.extend(asked.map(|(index, clause)| {
        format!("In the last step {} {clause}.", interface.requirements[*index].name)
    }));
    lines.push("The answers are those after which a system lasts longest.".to_owned());
    let mut effort = Effort::new(PLAY_EFFORT, limit.clone());
    let steps = play(interface, refutation, &found.conflicts.sets, &mut effort);
    page.runs.push(Run { title: String::new(), lines, steps });
}

/// The steps of a play; in the last one there is no answer.
fn play(
    interface: &Interface,
    refutation: &Refutation,
    conflicts: &[Vec<usize>],
    effort: &mut Effort,
) -> Vec<MarkedStep> {
    let semantics = Semantics::new(interface, refutation.part.clone(), &Interest::default());
    let marker = Marker::new(&semantics);
    let moves = &refutation.play.moves;
    let step = |(number, one): (usize, &contracts::game::PlayedMove)| {
        let mut said = marker.marks(&[one.before.as_ref()], &one.inputs, effort);
        let is_last = number + 1 == moves.len();
        for (index, mark) in said.iter_mut().enumerate().filter(|_| is_last) {
            let is_part = conflicts.is_empty() || conflicts.iter().any(|set| set.contains(&index));
            mark.broken = is_part && mark.triggered != Often::Never;
        }
        let answer = moves.get(number + 1).and_then(|next| next.before.as_ref());
        let answer = semantics.remembered.iter().zip(answer.into_iter().flat_map(|values| values.iter()));
        let answer: Map<String, Json> = answer
            .filter(|(id, _)| interface.roles[**id] != Role::Input)
            .map(|(id, value)| {
                let variable = interface.scope.variable(*id);
                (variable.name.clone(), value_json(&variable.ty, value))
            })
            .collect();
        let is_any = refutation.inputs.get(number).is_some_and(Option::is_none);
        MarkedStep {
            step: number,
            inputs: if is_any { Map::new() } else { fields(interface, Role::Input, &one.inputs) },
            outputs: answer,
            allowed: allowed(&semantics, one, effort),
            marks: marks(interface, &said),
            shows: Vec::new(),
        }
    };
    moves.iter().enumerate().map(step).collect()
}

/// The outputs that are allowed in a step of a play, in words.
fn allowed(
    semantics: &Semantics<'_>,
    one: &contracts::game::PlayedMove,
    effort: &mut Effort,
) -> Option<String> {
    let mut allowed = Allowed::new(semantics.interface);
    let mut visit = |now: &Valuation| {
        allowed.add(now);
        ControlFlow::Continue(())
    };
    let mut known = one.inputs.clone();
    semantics.interface.controlled().for_each(|id| known[id_index(id)] = None);
    let step = Step { before: one.before.as_ref(), known: &known };
    let _ = semantics.answers(step, &mut visit, effort).ok()?;
    Some(if allowed.is_empty() { String::new() } else { allowed.describe(semantics.interface) })
}
