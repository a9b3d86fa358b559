//! Coverage goals: which there are in the code of the step, what they are called, and when they are
//! reached.
//!
//! What is listed follows from the text alone; what an execution met says when. A goal that no
//! execution met has the truth `false`, to be proven like any other. Goals with equal truths share a
//! goal of the system.

use super::unreached::{Code, code_of_step};
use super::{Draft, limits};
use crate::detect::walk;
use crate::exec::coverage::Aim;
use crate::exec::events::Visit;
use crate::exec::{Machine, Outcome};
use crate::ir::coverage::{CodeSite, Decision, Instruments, Node, Operator, ProbeId};
use crate::ir::expr::ExprKind;
use crate::ir::stmt::StmtKind;
use crate::ir::{FunctionId, Program};
use crate::translate::setup::Task;
use crate::translate::step::Stepped;
use frontend::Location;
use frontend::coverage::{
    Condition, Coverage, CoverageGoal, CoverageRequest, Criterion, Part, Site, SiteKind,
};
use frontend::diagnostics::visible;
use frontend::source::Span;
use model::id::Id;
use model::system::GoalId;
use model::term::TermId;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

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

/// A goal before it is named.
struct Wanted {
    criterion: Criterion,
    part: Part,
    /// What it is called within its site.
    text: String,
    aims: Vec<Aim>,
}

/// A site with its goals.
struct Found {
    span: Option<Span>,
    site: Site,
    goals: Vec<Wanted>,
    /// For goals by their positions, others that no step reaches without reaching them.
    implied_by: Vec<Vec<usize>>,
}

/// All coverage goals that the request asks for.
pub(crate) fn coverage_goals(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
    stepped: &Stepped,
    names: impl Iterator<Item = String>,
) -> Outcome<CoverageDrafts> {
    let request = &task.request.coverage;
    let mut sites = Sites::new(task.program, request);
    let code = code_of_step(task, stepped.events.skips_tail);
    code.iter().for_each(|code| sites.look(code));
    let mut found = merged(sites.found);
    found.sort_by_key(|(_, found)| found.span);
    let mut maker = Maker { taken: names.collect(), ..Maker::default() };
    for (identity, found) in found {
        maker.add(machine, stepped, &identity, found);
    }
    if request.criteria.contains(&Criterion::Boundary) {
        boundaries(task, machine, stepped, &mut maker)?;
    }
    Ok(CoverageDrafts { drafts: maker.drafts, coverage: maker.coverage })
}

// ---- what there is ----

/// Sites of code, in the order in which they are met, each with its identity.
struct Sites<'p> {
    program: &'p Program,
    request: &'p CoverageRequest,
    found: Vec<(String, Found)>,
    /// How many sites of equal tokens a function had so far.
    alike: BTreeMap<(FunctionId, &'static str, u64), usize>,
    seen: BTreeSet<FunctionId>,
}

impl<'p> Sites<'p> {
    fn new(program: &'p Program, request: &'p CoverageRequest) -> Self {
        Self { program, request, found: Vec::new(), alike: BTreeMap::new(), seen: BTreeSet::new() }
    }

    /// Adds the sites of code that a step may execute.
    fn look(&mut self, code: &Code<'_>) {
        let program = self.program;
        let (mut probes, mut blocks) = (BTreeSet::new(), BTreeSet::new());
        walk::visit(code.block, &mut |stmt| {
            if let StmtKind::Reach(block) = stmt.kind {
                blocks.insert(block);
            }
            walk::visit_expressions(stmt, &mut |expr| {
                if let ExprKind::Probe(probe, _) = expr.kind {
                    probes.insert(probe);
                }
            });
        });
        let instruments = &program.instruments;
        for block in blocks {
            self.add(SiteKind::Block, &instruments.blocks[block], |_| {
                vec![wanted(Criterion::Statement, Part::Entered, "", Aim::Block(block))]
            });
        }
        for (id, decision) in instruments.decisions.iter() {
            let root = decision.tree.probe();
            let is_here = match root {
                Some(root) => probes.contains(&root),
                None => code.function == Some(decision.site.function),
            };
            if is_here && (decision.is_controlling || !self.request.branches_only) {
                self.decision(Aim::Outcome(id, true), decision);
            }
        }
        for probe in probes {
            let looked_at = instruments.probes[probe];
            if let Some(switch) = looked_at.switch {
                self.switch(switch, instruments);
            }
            if let Some(comparison) = looked_at.comparison {
                let found = &instruments.comparisons[comparison];
                let parts: &[i8] = match (found.is_float, found.operator) {
                    (true, operator) if !is_equality(operator) => &[-1, 1],
                    _ => &[-1, 0, 1],
                };
                let goal = |&part: &i8| {
                    let text = relation_text(found.is_float, part);
                    let aim = Aim::Relation(comparison, part);
                    wanted(Criterion::Relational, Part::Relation(part), text, aim)
                };
                self.add(SiteKind::Comparison, &found.site, |_| parts.iter().map(goal).collect());
            }
        }
    }

    fn switch(&mut self, id: crate::ir::coverage::SwitchId, instruments: &Instruments) {
        let switch = &instruments.switches[id];
        self.add(SiteKind::Switch, &switch.site, |site| {
            if switch.is_constant {
                site.constant = Some(switch.site.text.clone());
                return Vec::new();
            }
            let none = (!switch.has_default).then_some("no label");
            let texts = switch.groups.iter().map(String::as_str).chain(none);
            let goal =
                |(group, text)| wanted(Criterion::Decision, Part::Label(group), text, Aim::Label(id, group));
            texts.enumerate().map(goal).collect()
        });
    }

    fn decision(&mut self, outcome: Aim, decision: &Decision) {
        let Aim::Outcome(id, _) = outcome else { return };
        let (program, request) = (self.program, self.request);
        self.add(SiteKind::Decision, &decision.site, |site| {
            if let Some(constant) = decision.constant {
                site.constant = Some(constant.to_string());
                return Vec::new();
            }
            site.conditions = decision.conditions.iter().map(|condition| shown(program, condition)).collect();
            let both = [true, false];
            let outcome = |value: bool| {
                wanted(Criterion::Decision, Part::Outcome(value), truth_text(value), Aim::Outcome(id, value))
            };
            let mut goals: Vec<Wanted> = both.into_iter().map(outcome).collect();
            for (number, condition) in decision.conditions.iter().enumerate() {
                for value in both {
                    let text = format!("{} {value}", shortened(&condition.text));
                    let probe = condition.probe;
                    let of_value = wanted(
                        Criterion::Condition,
                        Part::Value(number, value),
                        &text,
                        Aim::Value(probe, value),
                    );
                    let of_half =
                        wanted(Criterion::Mcdc, Part::Half(number, value), &text, Aim::Half(probe, value));
                    goals.extend([of_value, of_half]);
                }
            }
            // The order of criteria, not that of conditions, is what a reader looks for.
            goals.sort_by_key(|goal| goal.criterion);
            goals.retain(|goal| request.criteria.contains(&goal.criterion));
            goals
        });
        if let Some((_, found)) = self.found.last_mut()
            && found.site.kind == SiteKind::Decision
        {
            found.implied_by = implications(decision, &found.goals);
        }
    }

    fn add(&mut self, kind: SiteKind, at: &CodeSite, goals: impl FnOnce(&mut Site) -> Vec<Wanted>) {
        let program = self.program;
        let function = &program.functions[at.function];
        let (file, line) = program.sources.written(at.span);
        if !self.request.counts(&file.display().to_string(), &function.name) {
            return;
        }
        self.seen.insert(at.function);
        let hash = hash(&at.text);
        let alike = self.alike.entry((at.function, kind.name(), hash)).or_default();
        *alike += 1;
        let number = if *alike == 1 { String::new() } else { format!("#{alike}") };
        let file_name = file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let identity =
            format!("{}:{}:{}-{hash:08x}{number}", visible(&file_name), function.name, kind.name());
        let mut site = Site {
            kind,
            place: Some(Location { file: file.to_owned(), line }),
            column: at.span.column,
            function: function.name.clone(),
            text: visible(&at.text),
            conditions: Vec::new(),
            constant: None,
        };
        let mut goals = goals(&mut site);
        goals.retain(|goal| self.request.criteria.contains(&goal.criterion));
        let implied_by = vec![Vec::new(); goals.len()];
        self.found.push((identity, Found { span: Some(at.span), site, goals, implied_by }));
    }
}

fn wanted(criterion: Criterion, part: Part, text: &str, aim: Aim) -> Wanted {
    Wanted { criterion, part, text: text.to_owned(), aims: vec![aim] }
}

const fn is_equality(operator: crate::ir::expr::BinaryOp) -> bool {
    use crate::ir::expr::BinaryOp::{Equal, NotEqual};
    matches!(operator, Equal | NotEqual)
}

const fn truth_text(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

const fn relation_text(is_float: bool, part: i8) -> &'static str {
    match (is_float, part) {
        (false, ..0) => "-1",
        (false, 0) => "0",
        (false, _) => "+1",
        (true, ..0) => "just below",
        (true, 0) => "equal",
        (true, _) => "just above",
    }
}

fn shown(program: &Program, condition: &crate::ir::coverage::Condition) -> Condition {
    let (_, line) = program.sources.written(condition.span);
    Condition { text: visible(&condition.text), line, column: condition.span.column }
}

/// FNV-1a (Fowler, Noll, Vo) of the tokens, folded to 32 bits: blanks do not matter.
fn hash(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let whole = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).fold(0xcbf2_9ce4_8422_2325, step);
    (whole >> 32) ^ (whole & 0xffff_ffff)
}

/// A text as a name shows it.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

/// For each goal of a decision those of the same decision that imply it: a half its value, and the
/// outcome that it decides.
fn implications(decision: &Decision, goals: &[Wanted]) -> Vec<Vec<usize>> {
    let mut polarities = FxHashMap::default();
    note_polarities(&decision.tree, Some(true), &mut polarities);
    let implies = |half: &Part, other: &Part| {
        let Part::Half(condition, value) = *half else { return false };
        let polarity = polarities.get(&decision.conditions[condition].probe).copied().flatten();
        match *other {
            Part::Value(number, of) => number == condition && of == value,
            Part::Outcome(outcome) => polarity.is_some_and(|polarity| (value == polarity) == outcome),
            _ => false,
        }
    };
    let implying = |goal: &Wanted| {
        let others = goals.iter().enumerate().filter(|(_, other)| implies(&other.part, &goal.part));
        others.map(|(index, _)| index).collect()
    };
    goals.iter().map(implying).collect()
}

/// For each condition whether it and the outcome are equal where it is not masked; `None` where that
/// depends on others.
fn note_polarities(node: &Node, polarity: Option<bool>, found: &mut FxHashMap<ProbeId, Option<bool>>) {
    match node {
        Node::Constant(_) => {}
        Node::Condition(probe) => {
            found.insert(*probe, polarity);
        }
        Node::Not(_, inner) => note_polarities(inner, polarity.map(|polarity| !polarity), found),
        Node::Operator { operator, left, right, .. } => {
            let below = polarity.filter(|_| *operator != Operator::Parity);
            note_polarities(left, below, found);
            note_polarities(right, below, found);
        }
    }
}

/// Sites of equal identity are one: copies of a function that several files have from a header.
fn merged(found: Vec<(String, Found)>) -> Vec<(String, Found)> {
    let mut sites: Vec<(String, Found)> = Vec::new();
    let mut known: BTreeMap<(String, Option<Span>), usize> = BTreeMap::new();
    for (identity, found) in found {
        match known.get(&(identity.clone(), found.span)) {
            Some(&index) => {
                let (_, first) = &mut sites[index];
                for (goal, copy) in first.goals.iter_mut().zip(found.goals) {
                    goal.aims.extend(copy.aims);
                }
            }
            None => {
                known.insert((identity.clone(), found.span), sites.len());
                sites.push((identity, found));
            }
        }
    }
    sites
}

// ---- when it is reached ----

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
}

impl Maker {
    fn add(&mut self, machine: &mut Machine<'_>, stepped: &Stepped, identity: &str, found: Found) {
        let site = self.coverage.sites.len();
        let first = self.coverage.goals.len();
        for (Wanted { criterion, part, text, aims }, implied_by) in
            found.goals.into_iter().zip(found.implied_by)
        {
            let visits: Vec<Visit> = aims
                .iter()
                .flat_map(|aim| stepped.events.coverage.visits.get(aim).into_iter().flatten())
                .copied()
                .collect();
            let truth = reached(machine, stepped, &visits);
            let name = name(&found.site, criterion, &text);
            let implied_by = implied_by.into_iter().map(|index| first + index).collect();
            let identity = format!("{identity}:{}", part_identity(criterion, &part));
            self.goal(
                machine,
                (truth, found.span),
                CoverageGoal { criterion, site, part, identity, name, goal: GoalId::new(0), implied_by },
            );
        }
        self.coverage.sites.push(found.site);
    }

    /// Adds a goal, and one of the system unless there is one with its truth.
    fn goal(&mut self, machine: &Machine<'_>, (truth, span): (TermId, Option<Span>), goal: CoverageGoal) {
        let name = unique(&mut self.taken, goal.name);
        let identity = unique(&mut self.identities, goal.identity);
        let drafts = &mut self.drafts;
        let shared = *self.by_truth.entry(truth).or_insert_with(|| {
            let mut parts = Vec::new();
            if let (Some(span), true) = (span, machine.keep_wording) {
                parts.push(super::wording::line(machine, truth, span));
            }
            drafts.push(Draft {
                name: name.clone(),
                requirement: None,
                text: None,
                span,
                steps: 1,
                antecedent: truth,
                expectation: None,
                parts,
                kind: None,
                claims: Vec::new(),
                is_never: false,
            });
            drafts.len() - 1
        });
        self.coverage.goals.push(CoverageGoal { name, identity, goal: GoalId::new(shared), ..goal });
    }
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
    format!("{place}{}", words.join(" "))
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
        let lvalue = machine.world.inputs.iter().find(|known| known.input == input);
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
        });
    }
    Ok(())
}
