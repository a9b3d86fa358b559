//! The places of the step's code that have coverage goals, and which goals these are.

use super::super::unreached::Code;
use super::calls::Ways;
use super::shortened;
use crate::detect::walk;
use crate::exec::Machine;
use crate::exec::call_paths::CallPath;
use crate::exec::coverage::{Aim, AimOfCall, TableRead};
use crate::ir::coverage::{BlockId, CodeSite, Decision, Instruments, Node, ProbeId, SwitchId, Way};
use crate::ir::expr::{BinaryOp, ExprKind};
use crate::ir::stmt::StmtKind;
use crate::ir::{FunctionId, Program};
use frontend::Location;
use frontend::coverage::{Condition, CoverageRequest, Criterion, Part, Site, SiteKind};
use frontend::diagnostics::visible;
use frontend::source::Span;
use model::id::Id;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// A goal before it is named.
#[derive(Clone)]
pub(super) struct Wanted {
    pub(super) criterion: Criterion,
    pub(super) part: Part,
    /// What it is called within its site.
    pub(super) text: String,
    pub(super) aims: Vec<AimOfCall>,
}

/// A site with its goals.
#[derive(Clone)]
pub(super) struct Found {
    /// The function that it stands in.
    function: FunctionId,
    pub(super) span: Option<Span>,
    pub(super) site: Site,
    pub(super) goals: Vec<Wanted>,
    /// For goals by their positions, others that no step reaches without reaching them.
    pub(super) implied_by: Vec<Vec<usize>>,
    /// For a decision whose pairs are wanted, the ways to evaluate it.
    pub(super) ways: Vec<(Way, Vec<AimOfCall>)>,
    /// Whether its pairs are wanted.
    pub(super) ways_are_wanted: bool,
}

impl Found {
    /// Looks for its goals in the code that a path of calls leads to.
    fn take_path(&mut self, path: CallPath) {
        let of_goals = self.goals.iter_mut().flat_map(|goal| &mut goal.aims);
        let of_ways = self.ways.iter_mut().flat_map(|(_, aims)| aims);
        of_goals.chain(of_ways).for_each(|(_, at)| *at = path);
    }
}

/// Sites of code, in the order in which they are met, each with its identity.
pub(super) struct Sites<'p> {
    program: &'p Program,
    request: &'p CoverageRequest,
    pub(super) found: Vec<(String, Found)>,
    /// How many sites of equal tokens a function had so far.
    alike: BTreeMap<(FunctionId, &'static str, u64), usize>,
    /// What was looked at: a part of a function may belong to the step, and all of it to what
    /// comes before.
    seen: BTreeSet<ProbeId>,
    seen_blocks: BTreeSet<BlockId>,
}

impl<'p> Sites<'p> {
    pub(super) fn new(program: &'p Program, request: &'p CoverageRequest) -> Self {
        Self {
            program,
            request,
            found: Vec::new(),
            alike: BTreeMap::new(),
            seen: BTreeSet::new(),
            seen_blocks: BTreeSet::new(),
        }
    }

    /// Adds the sites of code that a step may execute.
    pub(super) fn look(&mut self, code: &Code<'_>) {
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
        probes.retain(|&probe| self.seen.insert(probe));
        blocks.retain(|&block| self.seen_blocks.insert(block));
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

    /// Adds the reads of constant arrays that were met, in the order of the text. A read of several
    /// arrays is a site for each.
    pub(super) fn tables(&mut self, machine: &Machine<'_>) {
        let tables = &machine.tables;
        // What initialisation reads, the step may have turned out to write.
        let mut order: Vec<usize> =
            (0..tables.len()).filter(|&number| machine.is_constant(&tables[number])).collect();
        order.sort_by_key(|&number| tables[number].span);
        for number in order {
            let TableRead { function, span, array, cells, .. } = &tables[number];
            let at = CodeSite { function: *function, span: *span, text: array.clone() };
            let goal = |(cell, name): &(u64, String)| {
                let text = format!("reads {}", visible(name));
                wanted(Criterion::Boundary, Part::Cell(*cell), &text, Aim::Cell(number, *cell))
            };
            self.add(SiteKind::Table, &at, |_| cells.iter().map(goal).collect());
        }
    }

    fn switch(&mut self, id: SwitchId, instruments: &Instruments) {
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
            site.values = decision.tree.probe().map(|probe| probe.index()).into_iter().collect();
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
            if self.request.criteria.contains(&Criterion::McdcPairs) && decision.constant.is_none() {
                found.ways_are_wanted = true;
                let ways = decision.ways.iter().cloned().enumerate();
                found.ways =
                    ways.map(|(number, way)| (way, vec![(Aim::Way(id, number), CallPath::ROOT)])).collect();
            }
        }
    }

    fn add(&mut self, kind: SiteKind, at: &CodeSite, goals: impl FnOnce(&mut Site) -> Vec<Wanted>) {
        let program = self.program;
        let function = &program.functions[at.function];
        let (file, line) = program.sources.written(at.span);
        if !self.request.counts(&file.display().to_string(), &function.name) {
            return;
        }
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
            calls: Vec::new(),
            values: Vec::new(),
        };
        let mut goals = goals(&mut site);
        goals.retain(|goal| self.request.criteria.contains(&goal.criterion));
        let implied_by = vec![Vec::new(); goals.len()];
        self.found.push((
            identity,
            Found {
                function: at.function,
                span: Some(at.span),
                site,
                goals,
                implied_by,
                ways: Vec::new(),
                ways_are_wanted: false,
            },
        ));
    }

    /// All sites. Where several paths of calls lead to one, it becomes a site for each.
    pub(super) fn for_calls(self, ways: &Ways<'_>) -> Vec<(String, Found)> {
        if !self.request.per_call {
            return self.found;
        }
        let mut numbers: BTreeMap<(&str, Option<Span>), usize> = BTreeMap::new();
        for (identity, found) in &self.found {
            *numbers.entry((identity, found.span)).or_default() += ways.to(found.function).len();
        }
        let of_paths = self.found.iter().flat_map(|(identity, found)| {
            let is_only = numbers[&(identity.as_str(), found.span)] == 1;
            ways.to(found.function).iter().map(move |&path| {
                let mut copy = found.clone();
                copy.take_path(path);
                if is_only {
                    return (identity.clone(), copy);
                }
                copy.site.calls = ways.places(path);
                let function = &found.site.function;
                let of_call = format!(":{function}{}:", ways.identity(path));
                (identity.replacen(&format!(":{function}:"), &of_call, 1), copy)
            })
        });
        of_paths.collect()
    }
}

fn wanted(criterion: Criterion, part: Part, text: &str, aim: Aim) -> Wanted {
    Wanted { criterion, part, text: text.to_owned(), aims: vec![(aim, CallPath::ROOT)] }
}

const fn is_equality(operator: BinaryOp) -> bool {
    matches!(operator, BinaryOp::Equal | BinaryOp::NotEqual)
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
    Condition {
        text: visible(&condition.text),
        line,
        column: condition.span.column,
        values: vec![condition.probe.index()],
    }
}

/// FNV-1a (Fowler, Noll, Vo) of the tokens, folded to 32 bits: blanks do not matter.
fn hash(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let whole = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).fold(0xcbf2_9ce4_8422_2325, step);
    (whole >> 32) ^ (whole & 0xffff_ffff)
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

/// For each condition whether it and the outcome are equal where it is not masked; `None` where
/// that depends on others.
fn note_polarities(node: &Node, polarity: Option<bool>, found: &mut FxHashMap<ProbeId, Option<bool>>) {
    match node {
        Node::Constant(_) => {}
        Node::Condition(probe) => {
            found.insert(*probe, polarity);
        }
        Node::Not(_, inner) => note_polarities(inner, polarity.map(|polarity| !polarity), found),
        Node::Operator { operator, left, right, .. } => {
            let below = polarity.filter(|_| operator.controlling().is_some());
            note_polarities(left, below, found);
            note_polarities(right, below, found);
        }
    }
}

/// Sites of equal identity are one: copies of a function that several files have from a header.
pub(super) fn merged(found: Vec<(String, Found)>) -> Vec<(String, Found)> {
    let mut sites: Vec<(String, Found)> = Vec::new();
    let mut known: BTreeMap<(String, Option<Span>), usize> = BTreeMap::new();
    for (identity, found) in found {
        match known.get(&(identity.clone(), found.span)) {
            Some(&index) => {
                let (_, first) = &mut sites[index];
                for (goal, copy) in first.goals.iter_mut().zip(found.goals) {
                    goal.aims.extend(copy.aims);
                }
                for ((_, aims), (_, copy)) in first.ways.iter_mut().zip(found.ways) {
                    aims.extend(copy);
                }
                first.site.values.extend(found.site.values);
                for (condition, copy) in first.site.conditions.iter_mut().zip(found.site.conditions) {
                    condition.values.extend(copy.values);
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
