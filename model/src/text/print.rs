//! From system to text.

use super::lex::quote;
use super::operators::{binary_name, unary_name};
use super::parse::is_plain_name;
use crate::id::Id;
use crate::sort::{FloatFormat, Sort};
use crate::system::{Assumption, Goal, HazardEffect, Input, InputRole, OriginId, TransitionSystem};
use crate::term::{Term, TermId, TermPool};
use crate::value::Value;
use crate::visit::cone;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// Largest number of operators printed in one expression; parts beyond it are named.
const MAX_OPERATORS: u32 = 16;

/// The system as text, in the grammar of the module [`text`](super). Shared and large terms are
/// named `%1`, `%2`, ... right before the first statement that uses them.
pub fn print(system: &TransitionSystem) -> String {
    let mut printer = Printer::new(&system.terms, &roots(system));
    printer.line(&format!("system {}", plain(&system.name)));
    for input in system.initial_inputs.values() {
        printer.input("initial-input", input);
    }
    for assumption in &system.initial_assumptions {
        printer.assumption("initial-assume", assumption);
    }
    for input in system.inputs.values() {
        printer.input("input", input);
    }
    for state in system.states.values() {
        let symbol = system.terms.symbol(state.symbol);
        let head = format!("state {} {}", plain(&symbol.name), symbol.sort);
        printer.statement(&head, &[(" init", state.init), ("\n  next", state.next)], "");
    }
    for output in &system.outputs {
        printer.statement(&format!("output {}", plain(&output.name)), &[("", output.value)], "");
    }
    for assumption in &system.assumptions {
        printer.assumption("assume", assumption);
    }
    for invariant in &system.invariants {
        let text = format!(" text {}{}", quote(&invariant.text, '"'), origin(invariant.origin));
        printer.statement("invariant", &[("", invariant.condition)], &text);
    }
    for goal in system.goals.values() {
        printer.goal(goal);
    }
    if let Some(end) = system.end {
        printer.statement("end", &[("", end)], "");
    }
    for hazard in &system.hazards {
        let head = format!("hazard {}", quote(&hazard.description, '"'));
        let effect = match hazard.effect {
            HazardEffect::AsModelled => " modelled",
            HazardEffect::Open => "",
        };
        let tail = format!("{effect}{}", origin(hazard.origin));
        printer.statement(&head, &[("", hazard.condition)], &tail);
    }
    for call in &system.external_calls {
        let result = plain(system.input_name(call.input));
        let head = format!("call {} {result}", call.function.c_name(call.format));
        let clauses: Vec<(&str, TermId)> =
            ["", " with"].into_iter().zip(call.arguments.iter().copied()).collect();
        printer.statement(&head, &clauses, &origin(call.origin));
    }
    printer.text
}

/// One term as an expression, without names for shared parts: for messages and small terms, since
/// its length grows with the number of paths. Parts nested more than `depth` deep are printed as
/// `...`.
pub fn print_term(pool: &TermPool, term: TermId, depth: usize) -> String {
    let mut text = String::new();
    write_term(&mut text, pool, term, depth, &FxHashMap::default());
    text
}

fn roots(system: &TransitionSystem) -> Vec<TermId> {
    let mut roots = Vec::new();
    roots.extend(system.initial_assumptions.iter().map(|assumption| assumption.condition));
    roots.extend(system.states.values().flat_map(|state| [state.init, state.next]));
    roots.extend(system.outputs.iter().map(|output| output.value));
    roots.extend(system.assumptions.iter().map(|assumption| assumption.condition));
    roots.extend(system.invariants.iter().map(|invariant| invariant.condition));
    for goal in system.goals.values() {
        roots.push(goal.antecedent);
        roots.extend(goal.expectation);
    }
    roots.extend(system.end);
    roots.extend(system.hazards.iter().map(|hazard| hazard.condition));
    roots.extend(system.external_calls.iter().flat_map(|call| call.arguments.iter().copied()));
    roots
}

fn plain(name: &str) -> String {
    if is_plain_name(name) { name.to_owned() } else { quote(name, '|') }
}

fn origin(origin: Option<OriginId>) -> String {
    origin.map_or(String::new(), |origin| format!(" origin {}", origin.index()))
}

struct Printer<'a> {
    pool: &'a TermPool,
    /// Terms to be named when they are first needed.
    shared: FxHashSet<TermId>,
    names: FxHashMap<TermId, String>,
    printed: FxHashSet<TermId>,
    /// Number of the last name given.
    count: usize,
    text: String,
}

impl<'a> Printer<'a> {
    fn new(pool: &'a TermPool, roots: &[TermId]) -> Self {
        Self {
            pool,
            shared: shared_terms(pool, roots),
            names: FxHashMap::default(),
            printed: FxHashSet::default(),
            count: 0,
            text: String::new(),
        }
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A statement of a head, clauses with terms, and a tail.
    fn statement(&mut self, head: &str, clauses: &[(&str, TermId)], tail: &str) {
        for &(_, term) in clauses {
            self.define_parts(term);
        }
        self.text.push_str(head);
        for (clause, term) in clauses {
            let _ = write!(self.text, "{clause} ");
            write_term(&mut self.text, self.pool, *term, usize::MAX, &self.names);
        }
        self.line(tail);
    }

    /// Prints the `let` of every shared part of a term that has none yet, operands first. The order
    /// follows the structure and not the ids, so that equal systems print alike.
    fn define_parts(&mut self, root: TermId) {
        let mut open = vec![(root, false)];
        while let Some((term, operands_done)) = open.pop() {
            if operands_done {
                self.define(term);
            } else if self.printed.insert(term) {
                open.push((term, true));
                let operands: Vec<TermId> = self.pool.node(term).operands().collect();
                open.extend(operands.into_iter().rev().map(|operand| (operand, false)));
            }
        }
    }

    fn define(&mut self, term: TermId) {
        if !self.shared.contains(&term) {
            return;
        }
        let name = self.next_name();
        let _ = write!(self.text, "let {name} ");
        write_node(&mut self.text, self.pool, term, usize::MAX, &self.names);
        self.text.push('\n');
        self.names.insert(term, name);
    }

    fn next_name(&mut self) -> String {
        loop {
            self.count += 1;
            let name = format!("%{}", self.count);
            if self.pool.symbol_named(&name).is_none() {
                return name;
            }
        }
    }

    fn input(&mut self, keyword: &str, input: &Input) {
        let symbol = self.pool.symbol(input.symbol);
        let role = if input.role == InputRole::Choice { " choice" } else { "" };
        self.line(&format!("{keyword} {} {}{role}", plain(&symbol.name), symbol.sort));
    }

    fn assumption(&mut self, keyword: &str, assumption: &Assumption) {
        self.statement(keyword, &[("", assumption.condition)], &origin(assumption.origin));
    }

    fn goal(&mut self, goal: &Goal) {
        let mut head = format!("goal {} steps {}", plain(&goal.name), goal.steps);
        for (clause, text) in [("requirement", &goal.requirement), ("text", &goal.text)] {
            if let Some(text) = text {
                let _ = write!(head, " {clause} {}", quote(text, '"'));
            }
        }
        head.push_str(&origin(goal.origin));
        let mut clauses = vec![("\n  when", goal.antecedent)];
        clauses.extend(goal.expectation.map(|expectation| ("\n  expect", expectation)));
        self.statement(&head, &clauses, "");
    }
}

/// The operator terms that are used more than once or would make an expression too large.
fn shared_terms(pool: &TermPool, roots: &[TermId]) -> FxHashSet<TermId> {
    let cone = cone(pool, roots);
    let mut uses: FxHashMap<TermId, u32> = FxHashMap::default();
    for operand in cone.iter().flat_map(|&term| pool.node(term).operands()).chain(roots.iter().copied()) {
        *uses.entry(operand).or_default() += 1;
    }
    let mut shared = FxHashSet::default();
    let mut operators: FxHashMap<TermId, u32> = FxHashMap::default();
    for &term in &cone {
        let mut size = 0;
        for operand in pool.node(term).operands() {
            size += operators[&operand];
        }
        let is_operation = pool.node(term).operands().next().is_some();
        size += u32::from(is_operation);
        if is_operation && (uses[&term] > 1 || size >= MAX_OPERATORS) {
            shared.insert(term);
            size = 0;
        }
        operators.insert(term, size);
    }
    shared
}

fn write_term(
    text: &mut String,
    pool: &TermPool,
    term: TermId,
    depth: usize,
    names: &FxHashMap<TermId, String>,
) {
    match names.get(&term) {
        Some(name) => text.push_str(name),
        None => write_node(text, pool, term, depth, names),
    }
}

fn write_node(
    text: &mut String,
    pool: &TermPool,
    term: TermId,
    depth: usize,
    names: &FxHashMap<TermId, String>,
) {
    let head = match pool.node(term) {
        Term::Symbol(symbol) => {
            let symbol = pool.symbol(symbol);
            text.push_str(&match symbol.framed {
                Some(framed) => format!("{}@{}", plain(&pool.symbol(framed.base).name), framed.offset),
                None => plain(&symbol.name),
            });
            return;
        }
        Term::Const(constant) => {
            text.push_str(&constant_text(pool.constant_value(constant)));
            return;
        }
        Term::Unary { op, .. } => unary_name(op),
        Term::Binary { op, .. } => binary_name(op).to_owned(),
        Term::Ite { .. } => "ite".to_owned(),
        Term::Extract { high, low, .. } => format!("extract {high} {low}"),
        Term::Extend { width, signed, .. } => {
            format!("{} {}", if signed { "sext" } else { "zext" }, Sort::word(width.into()))
        }
        Term::FloatFma { .. } => "float-fma".to_owned(),
    };
    if depth == 0 {
        text.push_str("...");
        return;
    }
    let _ = write!(text, "({head}");
    for operand in pool.node(term).operands() {
        text.push(' ');
        write_term(text, pool, operand, depth - 1, names);
    }
    text.push(')');
}

fn constant_text(value: Value) -> String {
    let finite = match value.sort() {
        Sort::Word(1) => return if value.is_true() { "true" } else { "false" }.to_owned(),
        Sort::Word(_) => true,
        Sort::Float(FloatFormat::Single) => f32::from_bits(value.bits() as u32).is_finite(),
        Sort::Float(FloatFormat::Double) => f64::from_bits(value.bits() as u64).is_finite(),
    };
    if finite { format!("{value}:{}", value.sort()) } else { format!("{:#x}:{}", value.bits(), value.sort()) }
}
