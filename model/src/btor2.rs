//! Export in BTOR2 (Niemetz, Preiner, Wolf, Biere: "Btor2, BtorMC and Boolector 3.0", CAV 2018),
//! for cross-checking with hardware model checkers.
//!
//! How a system is expressed:
//!
//! * States, inputs and `next` are what they are in BTOR2. An initial input is a state without
//!   `init` that never changes.
//! * A state whose `init` is a constant has an `init` line; others start free, and a constraint
//!   demands the value in the first step (readers differ in what they accept behind `init`).
//! * Assumptions are constraints; so are initial assumptions, over states that never change.
//! * A goal of J steps is `bad` in the last step of its window: earlier frames are read from
//!   history states that delay states and inputs, and the state after the window is expressed by
//!   the `next` terms. So the bad state of a goal that occurs at step k is reached at time k + J -
//!   1.
//! * Expectations and invariants are `bad` where they are violated. Outputs are `output` lines. End
//!   and hazards are left out.
//!
//! Names lose their white space.

use crate::sort::Sort;
use crate::system::{GoalId, Input};
use crate::term::{BinaryOp, SymbolId, Term, TermId, UnaryOp};
use crate::validate::{Meaning, Validated};
use crate::value::Value;
use crate::visit::{cone, cone_beyond};
use rustc_hash::FxHashMap;
use std::fmt::Write;
use thiserror::Error;

/// A system as BTOR2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Btor2 {
    /// The text.
    pub text: String,
    /// What each `bad` line stands for, in order.
    pub properties: Vec<Property>,
}

/// What a `bad` line of the export means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// The antecedent of the goal holds in the window that ends with the present step.
    Occurs(GoalId),
    /// The goal occurs and its expectation does not hold.
    Violated(GoalId),
    /// The invariant with this position does not hold in the present state.
    Broken(usize),
}

/// Why a system has no BTOR2 form.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Btor2Error {
    /// A float in the system.
    #[error("BTOR2 has no floats, but {place} depends on one; lower floats to words first")]
    Float {
        /// What depends on it.
        place: String,
    },
}

/// Writes a system.
///
/// # Errors
/// If something exported depends on a float.
pub fn export(system: &Validated) -> Result<Btor2, Btor2Error> {
    refuse_floats(system)?;
    let mut writer = Writer::new(system);
    writer.declare();
    writer.define();
    Ok(Btor2 { properties: writer.bad_lines(), text: writer.text })
}

fn refuse_floats(system: &Validated) -> Result<(), Btor2Error> {
    let mut roots = Vec::new();
    for (id, state) in system.states.iter() {
        let name = || format!("state `{}`", system.state_name(id));
        roots.extend([(name(), state.init), (name(), state.next)]);
    }
    for (number, assumption) in system.assumptions.iter().chain(&system.initial_assumptions).enumerate() {
        roots.push((format!("assumption {number}"), assumption.condition));
    }
    for goal in system.goals.values() {
        let terms = [Some(goal.antecedent), goal.expectation];
        roots.extend(terms.into_iter().flatten().map(|term| (format!("goal `{}`", goal.name), term)));
    }
    for (number, invariant) in system.invariants.iter().enumerate() {
        roots.push((format!("invariant {number}"), invariant.condition));
    }
    roots.extend(system.outputs.iter().map(|output| (format!("output `{}`", output.name), output.value)));
    let inputs = system.inputs.values().chain(system.initial_inputs.values());
    for Input { symbol, .. } in inputs {
        let symbol = system.terms.symbol(*symbol);
        if matches!(symbol.sort, Sort::Float(_)) {
            return Err(Btor2Error::Float { place: format!("input `{}`", symbol.name) });
        }
    }
    let has_float = |term| {
        cone(&system.terms, &[term]).iter().any(|&part| matches!(system.terms.sort(part), Sort::Float(_)))
    };
    match roots.into_iter().find(|(_, term)| has_float(*term)) {
        Some((place, _)) => Err(Btor2Error::Float { place }),
        None => Ok(()),
    }
}

/// Number of a line.
type Node = u32;

struct Writer<'a> {
    system: &'a Validated,
    text: String,
    last: Node,
    sorts: FxHashMap<u32, Node>,
    constants: FxHashMap<Value, Node>,
    /// Lines of state, input and initial input symbols.
    symbols: FxHashMap<SymbolId, Node>,
    /// Lines of terms in windows of so many steps. Terms over one step are those of windows of one
    /// step.
    terms: FxHashMap<u32, FxHashMap<TermId, Node>>,
    /// Lines of a symbol's value so many steps ago.
    delayed: FxHashMap<(SymbolId, u32), Node>,
    /// Line of the truth that at least so many steps have been made.
    ages: Vec<Node>,
}

impl<'a> Writer<'a> {
    fn new(system: &'a Validated) -> Self {
        let text = format!("; {}\n", plain(&system.name));
        Self {
            system,
            text,
            last: 0,
            sorts: FxHashMap::default(),
            constants: FxHashMap::default(),
            symbols: FxHashMap::default(),
            terms: FxHashMap::default(),
            delayed: FxHashMap::default(),
            ages: Vec::new(),
        }
    }

    fn line(&mut self, line: std::fmt::Arguments) -> Node {
        self.last += 1;
        let _ = writeln!(self.text, "{} {line}", self.last);
        self.last
    }

    fn sort(&mut self, width: u32) -> Node {
        if let Some(&known) = self.sorts.get(&width) {
            return known;
        }
        let node = self.line(format_args!("sort bitvec {width}"));
        self.sorts.insert(width, node);
        node
    }

    fn constant(&mut self, value: Value) -> Node {
        if let Some(&known) = self.constants.get(&value) {
            return known;
        }
        let sort = self.sort(value.sort().width());
        let node = self.line(format_args!("constd {sort} {}", value.bits()));
        self.constants.insert(value, node);
        node
    }

    /// A state of the export itself that starts with a constant.
    fn auxiliary(&mut self, name: &str, init: Value) -> Node {
        let (sort, init) = (self.sort(init.sort().width()), self.constant(init));
        let state = self.line(format_args!("state {sort} {}", plain(name)));
        self.line(format_args!("init {sort} {state} {init}"));
        state
    }

    fn next(&mut self, state: Node, width: u32, next: Node) {
        let sort = self.sort(width);
        self.line(format_args!("next {sort} {state} {next}"));
    }

    fn declare(&mut self) {
        let system = self.system;
        for input in system.inputs.values() {
            self.declare_symbol("input", input.symbol);
        }
        for input in system.initial_inputs.values() {
            let node = self.declare_symbol("state", input.symbol);
            self.next(node, system.terms.symbol(input.symbol).sort.width(), node);
        }
        for state in system.states.values() {
            let init = system.terms.as_const(state.init).map(|value| self.constant(value));
            let node = self.declare_symbol("state", state.symbol);
            if let Some(init) = init {
                let sort = self.sort(system.terms.width(state.init));
                self.line(format_args!("init {sort} {node} {init}"));
            }
        }
    }

    fn declare_symbol(&mut self, keyword: &str, symbol: SymbolId) -> Node {
        let known = self.system.terms.symbol(symbol);
        let sort = self.sort(known.sort.width());
        let node = self.line(format_args!("{keyword} {sort} {}", plain(&known.name)));
        self.symbols.insert(symbol, node);
        node
    }

    fn define(&mut self) {
        let system = self.system;
        for state in system.states.values() {
            let next = self.term(state.next, 1);
            let node = self.symbols[&state.symbol];
            self.next(node, system.terms.width(state.next), next);
        }
        for condition in system.initial_assumptions.iter().chain(&system.assumptions).map(|a| a.condition) {
            let condition = self.term(condition, 1);
            self.line(format_args!("constraint {condition}"));
        }
        let free = |state: &&crate::system::State| system.terms.as_const(state.init).is_none();
        for state in system.states.values().filter(free) {
            let later = self.age(1);
            let (node, init) = (self.symbols[&state.symbol], self.term(state.init, 1));
            let truth = self.sort(1);
            let equal = self.line(format_args!("eq {truth} {node} {init}"));
            let starts = self.line(format_args!("or {truth} {later} {equal}"));
            self.line(format_args!("constraint {starts}"));
        }
        for output in &system.outputs {
            let value = self.term(output.value, 1);
            self.line(format_args!("output {value} {}", plain(&output.name)));
        }
    }

    fn bad_lines(&mut self) -> Vec<Property> {
        let system = self.system;
        let truth = self.sort(1);
        let mut properties = Vec::new();
        let mut violations = Vec::new();
        for (id, goal) in system.goals.iter() {
            let mut occurs = self.term(goal.antecedent, goal.steps);
            if goal.steps > 1 {
                let age = self.age(goal.steps - 1);
                occurs = self.line(format_args!("and {truth} {age} {occurs}"));
            }
            self.line(format_args!("bad {occurs} {}", plain(&goal.name)));
            properties.push(Property::Occurs(id));
            violations.extend(goal.expectation.map(|expectation| (id, occurs, expectation)));
        }
        for (id, occurs, expectation) in violations {
            let expected = self.term(expectation, system.goals[id].steps);
            let unexpected = self.line(format_args!("not {truth} {expected}"));
            let violated = self.line(format_args!("and {truth} {occurs} {unexpected}"));
            self.line(format_args!("bad {violated} {}:violated", plain(&system.goals[id].name)));
            properties.push(Property::Violated(id));
        }
        for (number, invariant) in system.invariants.iter().enumerate() {
            let holds = self.term(invariant.condition, 1);
            let broken = self.line(format_args!("not {truth} {holds}"));
            self.line(format_args!("bad {broken} invariant:{number}"));
            properties.push(Property::Broken(number));
        }
        properties
    }

    /// The truth that at least `steps` steps were made before the present one.
    fn age(&mut self, steps: u32) -> Node {
        while self.ages.len() < steps as usize {
            let number = self.ages.len() + 1;
            let node = self.auxiliary(&format!("age:{number}"), Value::truth(false));
            let before = match self.ages.last() {
                Some(&before) => before,
                None => self.constant(Value::truth(true)),
            };
            self.next(node, 1, before);
            self.ages.push(node);
        }
        self.ages[steps as usize - 1]
    }

    /// The value of a state or input so many steps ago; 0 before there was one.
    fn delayed(&mut self, symbol: SymbolId, steps: u32) -> Node {
        let mut node = self.symbols[&symbol];
        for step in 1..=steps {
            let before = node;
            node = match self.delayed.get(&(symbol, step)) {
                Some(&known) => known,
                None => {
                    let known = self.system.terms.symbol(symbol);
                    let node = self.auxiliary(&format!("{}:{step}", known.name), Value::zero(known.sort));
                    self.next(node, known.sort.width(), before);
                    self.delayed.insert((symbol, step), node);
                    node
                }
            };
        }
        node
    }

    /// The line of a term over a window of `steps` steps, of which the present one is the last.
    fn term(&mut self, root: TermId, steps: u32) -> Node {
        let pool = &self.system.terms;
        let known = self.terms.entry(steps).or_default();
        for term in cone_beyond(pool, &[root], |term| known.contains_key(&term)) {
            let node = match pool.node(term) {
                Term::Symbol(symbol) => self.framed(symbol, steps),
                Term::Const(constant) => self.constant(pool.constant_value(constant)),
                node => self.operation(node, pool.width(term), steps),
            };
            self.terms.entry(steps).or_default().insert(term, node);
        }
        self.terms[&steps][&root]
    }

    fn framed(&mut self, symbol: SymbolId, steps: u32) -> Node {
        let (base, offset) = match self.system.meaning(symbol) {
            Meaning::Framed { base, offset } => (base, offset),
            _ => (symbol, 0),
        };
        match self.system.meaning(base) {
            Meaning::Initial(_) => self.symbols[&base],
            Meaning::State(state) if offset == steps => self.term(self.system.states[state].next, 1),
            _ => self.delayed(base, steps - 1 - offset),
        }
    }

    fn operation(&mut self, node: Term, width: u32, steps: u32) -> Node {
        let sort = self.sort(width);
        let pool = &self.system.terms;
        let operands: Vec<Node> = node.operands().map(|operand| self.terms[&steps][&operand]).collect();
        match node {
            Term::Unary { op, .. } => {
                let name = unary_name(op);
                self.line(format_args!("{name} {sort} {}", operands[0]))
            }
            Term::Binary { op, .. } => {
                let name = binary_name(op);
                self.line(format_args!("{name} {sort} {} {}", operands[0], operands[1]))
            }
            Term::Ite { .. } => {
                self.line(format_args!("ite {sort} {} {} {}", operands[0], operands[1], operands[2]))
            }
            Term::Extract { high, low, .. } => {
                self.line(format_args!("slice {sort} {} {high} {low}", operands[0]))
            }
            Term::Extend { arg, width, signed } => {
                let name = if signed { "sext" } else { "uext" };
                let added = u32::from(width) - pool.width(arg);
                self.line(format_args!("{name} {sort} {} {added}", operands[0]))
            }
            Term::Symbol(_) | Term::Const(_) | Term::FloatFma { .. } => {
                unreachable!("{node:?} should not be written as a word operation")
            }
        }
    }
}

/// A name without white space and comment signs.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_whitespace() || c == ';' { '_' } else { c }).collect()
}

fn unary_name(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Not => "not",
        UnaryOp::Neg => "neg",
        _ => unreachable!("{op:?} should have been refused"),
    }
}

fn binary_name(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::And => "and",
        BinaryOp::Or => "or",
        BinaryOp::Xor => "xor",
        BinaryOp::Add => "add",
        BinaryOp::Sub => "sub",
        BinaryOp::Mul => "mul",
        BinaryOp::UDiv => "udiv",
        BinaryOp::URem => "urem",
        BinaryOp::SDiv => "sdiv",
        BinaryOp::SRem => "srem",
        BinaryOp::Shl => "sll",
        BinaryOp::LShr => "srl",
        BinaryOp::AShr => "sra",
        BinaryOp::Eq => "eq",
        BinaryOp::ULt => "ult",
        BinaryOp::ULe => "ulte",
        BinaryOp::SLt => "slt",
        BinaryOp::SLe => "slte",
        BinaryOp::Concat => "concat",
        _ => unreachable!("{op:?} should have been refused"),
    }
}

#[cfg(test)]
mod tests;
