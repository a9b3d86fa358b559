//! Finding decisions, comparisons and blocks while expressions are lowered.
//!
//! Trees of boolean operators grow from below: each operator makes its operands' trees parts of its
//! own. What no operator takes up is a decision; what is no tree of its own is a condition. Values
//! are looked at through probes, which change nothing, so that effects may take them apart into
//! statements without the decision being lost.
//!
//! Definitions follow CAST-10 and CAST-6 (FAA, 2002, 2001): boolean operators are `!`, `&&`, `||`,
//! and on truth values also `&`, `|`, `^`, `==`, `!=`.

use super::constant;
use super::extent::{expression_text, first_of, statement_text};
use super::frame::{Lower, Lowering};
use crate::ir::coverage::{
    CodeSite, Comparison, Condition, Decision, DecisionId, Node, Operator, Probe, ProbeId, Switch,
};
use crate::ir::expr::{BinaryOp, Expr, ExprKind};
use crate::ir::stmt::{Place, PlaceBase, Projection, StmtKind, SwitchEntry};
use crate::ir::types::{IntegerKind, Type};
use crate::ir::{FunctionId, LocalId};
use crate::syntax::ast::{Expression, ExpressionKind, Statement, StatementKind};
use frontend::source::Span;
use model::id::Id;
use std::collections::BTreeMap;

/// Functions that state what is assumed or expected: their arguments are no code of the model.
const STATEMENTS_OF_INTENT: [&str; 4] = ["assert", "assume", "__chaincover_assert", "__builtin_assume"];

/// Functions behind whose calls execution may not go on.
const ENDING: [&str; 7] = ["abort", "exit", "_Exit", "_exit", "quick_exit", "reach_error", "longjmp"];

/// Beginnings of the names of functions that verifiers provide.
const OF_VERIFIERS: [&str; 3] = ["__CPROVER_", "__VERIFIER_", "__ESBMC_"];

/// What is known of the function that is being lowered.
#[derive(Default)]
pub(super) struct Found {
    /// Whether its places are wanted.
    pub(super) is_wanted: bool,
    /// Depth of expressions that are no code of the model.
    quiet: u32,
    /// Trees of boolean operators.
    trees: Vec<Tree>,
    /// The tree of which a probe is the root.
    roots: BTreeMap<ProbeId, usize>,
    /// Temporaries that hold the value of a tree.
    saved: BTreeMap<LocalId, ProbeId>,
    /// Conditions: their texts and places.
    conditions: BTreeMap<ProbeId, (String, Span)>,
}

/// A tree of boolean operators.
struct Tree {
    probe: ProbeId,
    node: Node,
    text: String,
    span: Span,
    is_controlling: bool,
    /// Whether it is part of a greater one.
    is_taken: bool,
}

impl Lowering<'_> {
    /// Whether places for coverage are wanted here.
    pub(super) fn is_instrumented(&self) -> bool {
        self.frame.found.is_wanted && self.frame.found.quiet == 0
    }

    /// Lowers what is no code of the model.
    pub(super) fn unobserved<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> T {
        self.frame.found.quiet += 1;
        let result = lower(self);
        self.frame.found.quiet -= 1;
        result
    }

    /// Whether a call states what is assumed or expected.
    pub(super) fn states_intent(callee: &Expression) -> bool {
        let ExpressionKind::Name(name) = &callee.kind else { return false };
        STATEMENTS_OF_INTENT.contains(&name.as_str())
            || OF_VERIFIERS.iter().any(|prefix| name.starts_with(prefix))
    }

    /// A value that controls a branch, a loop or a `?:`.
    pub(super) fn controlling(&mut self, expression: &Expression) -> Lower<Expr> {
        let value = self.condition(expression)?;
        Ok(self.controls(value, expression))
    }

    /// The same of a value that was lowered already.
    pub(super) fn controls(&mut self, value: Expr, expression: &Expression) -> Expr {
        if !self.is_instrumented() {
            return value;
        }
        if let Some(outcome) = constant::truth(&self.linker.types, &value) {
            self.note_constant(outcome, expression);
            return value;
        }
        if let Some(tree) = self.free_tree(&value) {
            self.frame.found.trees[tree].is_controlling = true;
            return value;
        }
        let (value, node) = self.node(value, expression);
        if let Node::Condition(probe) = node {
            self.add_tree(probe, node, expression);
            let last = self.frame.found.trees.last_mut();
            last.expect("the tree should have been added").is_controlling = true;
        }
        value
    }

    fn note_constant(&mut self, outcome: bool, expression: &Expression) {
        let (text, span) = self.shown(expression);
        let Some(function) = self.frame.function else { return };
        self.linker.program.instruments.decisions.push(Decision {
            site: CodeSite { function, span, text },
            is_controlling: true,
            tree: Node::Constant(outcome),
            conditions: Vec::new(),
            constant: Some(outcome),
            ways: Vec::new(),
        });
    }

    /// Text and place of an expression.
    fn shown(&self, expression: &Expression) -> (String, Span) {
        (expression_text(&self.text.text, expression), self.span(first_of(expression)))
    }

    // ---- trees ----

    /// What an operand of a boolean operator is in its tree.
    pub(super) fn node(&mut self, value: Expr, expression: &Expression) -> (Expr, Node) {
        if let Some(constant) = constant::truth(&self.linker.types, &value) {
            return (value, Node::Constant(constant));
        }
        if let Some(tree) = self.free_tree(&value) {
            let tree = &mut self.frame.found.trees[tree];
            tree.is_taken = true;
            return (value, tree.node.clone());
        }
        let shown = self.shown(expression);
        let (value, probe) = self.probed(value, Probe::default());
        self.frame.found.conditions.insert(probe, shown);
        (value, Node::Condition(probe))
    }

    /// The value of a boolean operator, which becomes a tree unless it is constant.
    pub(super) fn tree(
        &mut self,
        value: Expr,
        expression: &Expression,
        make: impl FnOnce(ProbeId) -> Node,
    ) -> Expr {
        if constant::truth(&self.linker.types, &value).is_some() {
            return value;
        }
        let (value, probe) = self.probed(value, Probe::default());
        self.add_tree(probe, make(probe), expression);
        value
    }

    fn add_tree(&mut self, probe: ProbeId, node: Node, expression: &Expression) {
        let (text, span) = self.shown(expression);
        let found = &mut self.frame.found;
        found.roots.insert(probe, found.trees.len());
        found.trees.push(Tree { probe, node, text, span, is_controlling: false, is_taken: false });
    }

    fn probed(&mut self, value: Expr, probe: Probe) -> (Expr, ProbeId) {
        let id = self.linker.program.instruments.probes.push(probe);
        let (ty, span) = (value.ty, value.span);
        (Expr { kind: ExprKind::Probe(id, Box::new(value)), ty, span }, id)
    }

    /// The tree whose value an expression is, or converts, if no other tree has it.
    fn free_tree(&self, value: &Expr) -> Option<usize> {
        let found = &self.frame.found;
        self.root(value).map(|probe| found.roots[&probe]).filter(|&tree| {
            let Tree { is_controlling, is_taken, .. } = found.trees[tree];
            !is_controlling && !is_taken
        })
    }

    /// The root of the tree whose value an expression is, or converts.
    fn root(&self, mut value: &Expr) -> Option<ProbeId> {
        let found = &self.frame.found;
        loop {
            match &value.kind {
                ExprKind::Probe(probe, _) if found.roots.contains_key(probe) => return Some(*probe),
                ExprKind::Convert(inner) if self.linker.types.is_arithmetic(value.ty) => value = inner,
                ExprKind::Load(Place { base: PlaceBase::Local(local), path, .. }) if path.is_empty() => {
                    return found.saved.get(local).copied();
                }
                _ => return None,
            }
        }
    }

    /// Notes that a temporary holds what may be the value of a tree.
    pub(super) fn note_saved(&mut self, place: &Place, value: &Expr) {
        if let (PlaceBase::Local(local), Some(probe)) = (&place.base, self.root(value)) {
            self.frame.found.saved.insert(*local, probe);
        }
    }

    /// Notes that a value is that of an assignment, which is a condition of its own.
    pub(super) fn forget_saved(&mut self, value: &Expr) {
        if let ExprKind::Load(Place { base: PlaceBase::Local(local), .. }) = &value.kind {
            self.frame.found.saved.remove(local);
        }
    }

    // ---- operators ----

    /// `!`.
    pub(super) fn negation(
        &mut self,
        operand: Expr,
        expression: &Expression,
        whole: &Expression,
    ) -> Lower<Expr> {
        let not = crate::ir::expr::UnaryOp::Not;
        if !self.is_instrumented() || !self.linker.types.table.is_scalar(operand.ty) {
            return self.unary(not, operand, whole.position);
        }
        let (operand, node) = self.node(operand, expression);
        let value = self.unary(not, operand, whole.position)?;
        Ok(self.tree(value, whole, |probe| Node::Not(probe, Box::new(node))))
    }

    /// An operator with two operands: a comparison, or a bitwise operator on truth values.
    pub(super) fn infix(
        &mut self,
        operator: BinaryOp,
        (left, left_text): (Expr, &Expression),
        (right, right_text): (Expr, &Expression),
        whole: &Expression,
    ) -> Lower<Expr> {
        if !self.is_instrumented() {
            return self.binary(operator, left, right, whole.position);
        }
        if let Some(operator_of_truths) = Operator::of_truths(operator)
            && self.is_truth(&left)
            && self.is_truth(&right)
        {
            let (left, first) = self.node(left, left_text);
            let (right, second) = self.node(right, right_text);
            let value = self.binary(operator, left, right, whole.position)?;
            let (left, right) = (Box::new(first), Box::new(second));
            return Ok(self.tree(value, whole, |probe| Node::Operator {
                probe,
                operator: operator_of_truths,
                left,
                right,
            }));
        }
        let value = self.binary(operator, left, right, whole.position)?;
        Ok(self.comparison(value, whole))
    }

    /// A value that may be a comparison: it is a condition then, and a decision until an operator
    /// takes it up.
    fn comparison(&mut self, value: Expr, whole: &Expression) -> Expr {
        let ExprKind::Binary(operator, left, _) = &value.kind else { return value };
        if !crate::exec::is_comparison(*operator) {
            return value;
        }
        let operator = *operator;
        let is_float = self.linker.types.format(left.ty).is_some();
        let is_number = self.linker.types.is_arithmetic(left.ty);
        let shown = self.shown(whole);
        let comparison = self.frame.function.filter(|_| is_number).map(|function| {
            let site = CodeSite { function, span: shown.1, text: shown.0.clone() };
            self.linker.program.instruments.comparisons.push(Comparison { site, operator, is_float })
        });
        let (value, probe) = self.probed(value, Probe { comparison, ..Probe::default() });
        self.frame.found.conditions.insert(probe, shown);
        self.add_tree(probe, Node::Condition(probe), whole);
        value
    }

    /// Whether a value is 0 or 1 by its form or by its type.
    fn is_truth(&mut self, mut value: &Expr) -> bool {
        if self.root(value).is_some() {
            return true;
        }
        loop {
            let is_boolean = match self.linker.types.get(value.ty) {
                Type::Boolean { .. } | Type::Integer(IntegerKind::Bool) => true,
                Type::Integer(kind) => !kind.is_signed() && is_single_bit(value),
                _ => false,
            };
            match &value.kind {
                // A constant says nothing that another operand could be independent of.
                ExprKind::Integer(_) => return false,
                _ if is_boolean => return true,
                ExprKind::Convert(inner) if self.linker.types.is_arithmetic(inner.ty) => value = inner,
                _ => return false,
            }
        }
    }

    /// The controlling value of a `switch`.
    pub(super) fn switched(&mut self, value: Expr, expression: &Expression) -> Expr {
        let Some(function) = self.frame.function.filter(|_| self.is_instrumented()) else { return value };
        let is_constant = constant::truth(&self.linker.types, &value).is_some();
        let (text, span) = self.shown(expression);
        let site = CodeSite { function, span, text };
        let switch = Switch { site, groups: Vec::new(), has_default: false, is_constant };
        let switch = self.linker.program.instruments.switches.push(switch);
        self.probed(value, Probe { switch: Some(switch), ..Probe::default() }).0
    }

    /// Completes what is known of a `switch`.
    pub(super) fn note_labels(&mut self, value: &Expr, entries: &[SwitchEntry]) {
        let ExprKind::Probe(probe, _) = &value.kind else { return };
        let instruments = &mut self.linker.program.instruments;
        let Some(switch) = instruments.probes[*probe].switch else { return };
        let switch = &mut instruments.switches[switch];
        switch.groups = entries.iter().map(group_text).collect();
        switch.has_default = entries.iter().any(|entry| entry.is_default);
    }

    // ---- blocks ----

    /// A mark in front of a statement with which a block begins.
    pub(super) fn mark_block(&mut self, statement: &Statement) {
        let Some(function) = self.frame.function.filter(|_| self.is_instrumented()) else { return };
        let text = statement_text(&self.text.text, statement);
        let site = CodeSite { function, span: self.span(statement.position), text };
        let block = self.linker.program.instruments.blocks.push(site);
        self.emit(StmtKind::Reach(block), statement.position);
    }

    // ---- the end of a function ----

    /// Makes decisions of the trees that no other tree took up.
    pub(super) fn settle_decisions(&mut self, function: FunctionId, found: Found) {
        let Found { trees, conditions, .. } = found;
        let instruments = &mut self.linker.program.instruments;
        for Tree { probe, node, text, span, is_controlling, .. } in
            trees.into_iter().filter(|tree| !tree.is_taken)
        {
            let id = DecisionId::new(instruments.decisions.len());
            let (mut nodes, mut leaves) = (Vec::new(), Vec::new());
            collect(&node, &mut nodes, &mut leaves);
            for &node in &nodes {
                instruments.probes[node].decision = Some(id);
            }
            for (number, &leaf) in leaves.iter().enumerate() {
                instruments.probes[leaf].condition = Some(number);
            }
            instruments.probes[probe].is_outcome = true;
            let condition = |probe: ProbeId| {
                let (text, span) = conditions[&probe].clone();
                Condition { text, span, probe }
            };
            let ways = node.ways(&leaves);
            instruments.decisions.push(Decision {
                site: CodeSite { function, span, text },
                is_controlling,
                ways,
                tree: node,
                conditions: leaves.into_iter().map(condition).collect(),
                constant: None,
            });
        }
    }
}

/// The probes of all nodes, and those of the conditions in the order of evaluation.
fn collect(node: &Node, nodes: &mut Vec<ProbeId>, leaves: &mut Vec<ProbeId>) {
    nodes.extend(node.probe());
    match node {
        Node::Constant(_) => {}
        Node::Condition(probe) => leaves.push(*probe),
        Node::Not(_, inner) => collect(inner, nodes, leaves),
        Node::Operator { left, right, .. } => {
            collect(left, nodes, leaves);
            collect(right, nodes, leaves);
        }
    }
}

/// Whether a value is that of a bit-field of one bit.
fn is_single_bit(value: &Expr) -> bool {
    let ExprKind::Load(place) = &value.kind else { return false };
    matches!(place.path.last(), Some(Projection::Field { bits: Some(bits), .. }) if bits.width == 1)
}

fn group_text(entry: &SwitchEntry) -> String {
    let value = |&(low, high): &(i128, i128)| match low == high {
        true => format!("case {low}"),
        false => format!("case {low} ... {high}"),
    };
    let labels: Vec<String> = entry.values.iter().map(value).collect();
    match (entry.is_default, labels.is_empty()) {
        (true, true) => "default".to_owned(),
        (true, false) => format!("default, {}", labels.join(", ")),
        (false, _) => labels.join(", "),
    }
}

/// Whether control may leave a statement otherwise than to the next one, or come to the next one
/// from elsewhere.
pub(super) fn ends_block(statement: &Statement) -> bool {
    use StatementKind::*;
    match &statement.kind {
        Break | Continue | Return(_) | Goto(_) | Label(_) | Case { .. } | Default => true,
        Block(statements) => statements.iter().any(ends_block),
        If { arms, otherwise } => {
            arms.iter().any(|(_, then)| ends_block(then)) || otherwise.as_deref().is_some_and(ends_block)
        }
        While { body, .. } | DoWhile { body, .. } | For { body, .. } | Switch { body, .. } => {
            leaves_function(body)
        }
        Expression(expression) => is_ending_call(expression),
        _ => false,
    }
}

/// Whether control may leave the function, or jump, within a loop or `switch`.
fn leaves_function(statement: &Statement) -> bool {
    use StatementKind::*;
    match &statement.kind {
        Return(_) | Goto(_) | Label(_) => true,
        Block(statements) => statements.iter().any(leaves_function),
        If { arms, otherwise } => {
            arms.iter().any(|(_, then)| leaves_function(then))
                || otherwise.as_deref().is_some_and(leaves_function)
        }
        While { body, .. } | DoWhile { body, .. } | For { body, .. } | Switch { body, .. } => {
            leaves_function(body)
        }
        Expression(expression) => is_ending_call(expression),
        _ => false,
    }
}

fn is_ending_call(expression: &Expression) -> bool {
    let ExpressionKind::Call(callee, _) = &expression.kind else { return false };
    let ExpressionKind::Name(name) = &callee.kind else { return false };
    ENDING.contains(&name.as_str()) || Lowering::states_intent(callee)
}
