//! Coverage goals: which there are in the code of the step, what they are called, and when they are
//! reached.
//!
//! What is listed follows from the text alone; what an execution met says when. A goal that no
//! execution met has the truth `false`, to be proven like any other. Goals with equal truths share
//! a goal of the system.

mod calls;
mod sites;

use super::unreached::{code_of_init, code_of_step};
use super::{Draft, limits};
use crate::exec::coverage::AimOfCall;
use crate::exec::events::{Events, Visit};
use crate::exec::{Machine, Outcome};
use crate::ir::coverage::Way;
use crate::translate::setup::Task;
use crate::translate::start::Initialised;
use crate::translate::step::Stepped;
use calls::Ways;
use frontend::coverage::{Coverage, CoverageGoal, Criterion, Pair, Part, Site, SiteKind, Vector};
use frontend::diagnostics::visible;
use frontend::source::Span;
use frontend::{Location, Unobservable};
use model::id::Id;
use model::sort::Sort;
use model::system::GoalId;
use model::term::TermId;
use rustc_hash::FxHashMap;
use sites::{Found, Sites, Wanted, merged};
use std::collections::BTreeSet;

/// Characters of a text that a name shows.
const SHOWN: usize = 48;

/// Coverage goals, and the goals of the system that they share.
pub(crate) struct CoverageDrafts {
    /// The goals of the system, in order.
    pub(crate) drafts: Vec<Draft>,
    /// What there is; goals of the system are numbered as if there were no others.
    pub(crate) coverage: Coverage,
}

impl CoverageDrafts {
    /// The goals, where so many others come before them.
    pub(crate) fn behind(mut self, others: usize) -> (Vec<Draft>, Coverage) {
        for goal in &mut self.coverage.goals {
            goal.goal = GoalId::new(goal.goal.index() + others);
        }
        (self.drafts, self.coverage)
    }
}

/// All coverage goals that the request asks for.
pub(crate) fn coverage_goals(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
    (initialised, stepped): (&Initialised, &Stepped),
    names: impl Iterator<Item = String>,
) -> Outcome<CoverageDrafts> {
    let request = &task.request.coverage;
    let mut sites = Sites::new(task.program, request);
    let mut code = code_of_step(task, stepped.events.skips_tail);
    if request.init {
        code.extend(code_of_init(task));
    }
    code.iter().for_each(|code| sites.look(code));
    sites.tables(machine);
    let ways = Ways::new(task, machine, &code)?;
    let mut found = merged(sites.for_calls(&ways));
    found.sort_by_key(|(_, found)| found.span);
    let observes = request.observe.is_some();
    let mut maker = Maker { taken: names.collect(), observes, ..Maker::default() };
    for (identity, found) in found {
        maker.add(machine, (initialised, stepped), &identity, found);
    }
    if request.criteria.contains(&Criterion::Boundary) {
        boundaries(task, machine, stepped, &mut maker)?;
    }
    Ok(CoverageDrafts { drafts: maker.drafts, coverage: maker.coverage })
}

/// A text as a name shows it.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

/// Makes goals of what was found.
#[derive(Default)]
struct Maker {
    drafts: Vec<Draft>,
    coverage: Coverage,
    /// The goal of the system with a truth.
    by_truth: FxHashMap<TermId, usize>,
    /// Names that are taken.
    taken: BTreeSet<String>,
    identities: BTreeSet<String>,
    /// For truths about initialisation, the word that tells them in the first step.
    before: FxHashMap<TermId, TermId>,
    /// Whether values have to be seen at outputs.
    observes: bool,
}

impl Maker {
    fn add(
        &mut self,
        machine: &mut Machine<'_>,
        met: (&Initialised, &Stepped),
        identity: &str,
        found: Found,
    ) {
        let site = self.coverage.sites.len();
        let first = self.coverage.goals.len();
        for (Wanted { criterion, part, text, aims }, implied_by) in
            found.goals.into_iter().zip(found.implied_by)
        {
            let truth = self.reached(machine, met, &aims);
            let name = name(&found.site, criterion, &text);
            let implied_by = implied_by.into_iter().map(|index| first + index).collect();
            let identity = format!("{identity}:{}", part_identity(criterion, &part));
            self.goal(
                machine,
                (truth, found.span),
                CoverageGoal { criterion, site, part, identity, name, goal: GoalId::new(0), implied_by },
            );
        }
        let pairs = if found.ways_are_wanted { found.site.conditions.len() } else { 0 };
        for condition in 0..pairs {
            let text = shortened(&found.site.conditions[condition].text);
            let name = unique(&mut self.taken, name(&found.site, Criterion::McdcPairs, &text));
            let identity = format!("{identity}:{}:{condition}", Criterion::McdcPairs.name());
            let identity = unique(&mut self.identities, identity);
            self.coverage.pairs.push(Pair { site, condition, identity, name });
        }
        for (Way { values, outcome }, aims) in found.ways {
            let truth = self.reached(machine, met, &aims);
            self.coverage.vectors.push(Vector { site, values, outcome, truth });
        }
        self.coverage.sites.push(found.site);
    }

    /// The truth over state and inputs that one of some aims is reached, before the step ends, or,
    /// for the first step, in initialisation.
    fn reached(
        &mut self,
        machine: &mut Machine<'_>,
        (initialised, stepped): (&Initialised, &Stepped),
        aims: &[AimOfCall],
    ) -> TermId {
        let in_step = reached(machine, stepped, &visits(&stepped.events, aims));
        let before = either(machine, &visits(&initialised.events, aims));
        let before = match machine.system.terms.as_const(before) {
            Some(_) => before,
            None => *self.before.entry(before).or_insert_with(|| {
                let state = machine.system.add_state("(reached in initialisation)", Sort::TRUTH);
                let later = machine.system.terms.truth(false);
                machine.initial_memory.extras.push((state, before, later));
                machine.system.state_term(state)
            }),
        };
        machine.system.terms.or(in_step, before)
    }

    /// Adds a goal, and one of the system unless there is one with its truth.
    fn goal(&mut self, machine: &Machine<'_>, (truth, span): (TermId, Option<Span>), goal: CoverageGoal) {
        let name = unique(&mut self.taken, goal.name);
        let identity = unique(&mut self.identities, goal.identity);
        // What is seen of a value differs from value to value, whenever they are reached.
        let is_apart = self.observes && goal.part.is_of_value();
        let shared = match self.by_truth.get(&truth).filter(|_| !is_apart) {
            Some(&shared) => shared,
            None => self.draft(machine, (truth, span), &name),
        };
        if !is_apart {
            self.by_truth.insert(truth, shared);
        }
        self.coverage.goals.push(CoverageGoal { name, identity, goal: GoalId::new(shared), ..goal });
    }

    /// Adds a goal of the system; returns its number.
    fn draft(&mut self, machine: &Machine<'_>, (truth, span): (TermId, Option<Span>), name: &str) -> usize {
        let mut parts = Vec::new();
        if let (Some(span), true) = (span, machine.keep_wording) {
            parts.push(super::wording::line(machine, truth, span));
        }
        self.drafts.push(Draft {
            name: name.to_owned(),
            requirement: None,
            text: None,
            span,
            steps: 1,
            antecedent: truth,
            expectation: None,
            parts,
            kind: None,
            claims: Vec::new(),
            observed: Err(Unobservable::InStep),
            is_never: false,
        });
        self.drafts.len() - 1
    }
}

/// The visits of some aims.
fn visits(events: &Events, aims: &[AimOfCall]) -> Vec<Visit> {
    let known = &events.coverage.visits;
    aims.iter().flat_map(|aim| known.get(aim).into_iter().flatten()).copied().collect()
}

/// A name, with a number where others have it.
fn unique(taken: &mut BTreeSet<String>, name: String) -> String {
    let mut found = name.clone();
    let mut count = 1;
    while !taken.insert(found.clone()) {
        count += 1;
        found = format!("{name}#{count}");
    }
    found
}

/// The truth that one of the visits happens before the execution ends.
fn reached(machine: &mut Machine<'_>, stepped: &Stepped, visits: &[Visit]) -> TermId {
    if let Some(ending) = &stepped.ending {
        return ending.reached(machine, visits);
    }
    either(machine, visits)
}

/// The truth that one of the visits happens.
fn either(machine: &mut Machine<'_>, visits: &[Visit]) -> TermId {
    let never = machine.system.terms.truth(false);
    visits.iter().fold(never, |any, visit| machine.system.terms.or(any, visit.antecedent))
}

/// `lift.c:57 mcdc a true`.
fn name(site: &Site, criterion: Criterion, text: &str) -> String {
    let place = site.place.as_ref().map_or_else(String::new, |place| {
        let file = place.file.file_name().map(|name| name.to_string_lossy().into_owned());
        format!("{}:{} ", visible(&file.unwrap_or_default()), place.line)
    });
    let subject = match (site.kind, criterion) {
        (SiteKind::Decision, Criterion::Decision)
        | (SiteKind::Switch | SiteKind::Comparison | SiteKind::Block, _) => shortened(&site.text),
        _ => String::new(),
    };
    let words = [criterion.name(), &subject, text];
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    format!("{place}{}{}", words.join(" "), calls_text(&site.calls))
}

/// ` called at lift.c:88, lift.c:120`, from the innermost call outwards.
fn calls_text(calls: &[Location]) -> String {
    let place = |call: &Location| {
        let file = call.file.file_name().map(|name| name.to_string_lossy().into_owned());
        format!("{}:{}", visible(&file.unwrap_or_default()), call.line)
    };
    let places: Vec<String> = calls.iter().rev().map(place).collect();
    if places.is_empty() { String::new() } else { format!(" called at {}", places.join(", ")) }
}

/// A part in the identity of a goal.
fn part_identity(criterion: Criterion, part: &Part) -> String {
    let criterion = criterion.name();
    match part {
        Part::Entered => criterion.to_owned(),
        Part::Outcome(value) => format!("{criterion}:{value}"),
        Part::Label(group) => format!("{criterion}:{group}"),
        Part::Value(condition, value) | Part::Half(condition, value) => {
            format!("{criterion}:{condition}:{value}")
        }
        Part::Relation(difference) => format!("{criterion}:{difference}"),
        Part::Cell(cell) => format!("{criterion}:{cell}"),
        Part::End(is_high) => format!("{criterion}:{}", if *is_high { "high" } else { "low" }),
    }
}

/// Each input at the ends of its range.
fn boundaries(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
    stepped: &Stepped,
    maker: &mut Maker,
) -> Outcome<()> {
    for (input, ends) in limits::input_ends(task, machine)? {
        let lvalue = machine.initial_memory.inputs.iter().find(|known| known.input == input);
        let Some(lvalue) = lvalue.map(|known| visible(&known.lvalue)) else { continue };
        let site = maker.coverage.sites.len();
        let term = machine.system.input_term(input);
        for (is_high, end) in [(false, ends[0]), (true, ends[1])] {
            if is_high && ends[0] == ends[1] {
                continue;
            }
            let value = machine.system.terms.constant(end);
            let mut truth = machine.equal_bits(term, value);
            if let Some(ending) = &stepped.ending {
                let returns = ending.returns();
                truth = machine.system.terms.and(truth, returns);
            }
            let part = Part::End(is_high);
            let text = if is_high { "at its upper end" } else { "at its lower end" };
            let identity = format!("input:{lvalue}:{}", part_identity(Criterion::Boundary, &part));
            maker.goal(
                machine,
                (truth, None),
                CoverageGoal {
                    criterion: Criterion::Boundary,
                    site,
                    part,
                    identity,
                    name: format!("boundary {lvalue} {text}"),
                    goal: GoalId::new(0),
                    implied_by: Vec::new(),
                },
            );
        }
        maker.coverage.sites.push(Site {
            kind: SiteKind::Input,
            place: None,
            column: 0,
            function: String::new(),
            text: lvalue,
            conditions: Vec::new(),
            constant: None,
            calls: Vec::new(),
            values: Vec::new(),
        });
    }
    Ok(())
}
