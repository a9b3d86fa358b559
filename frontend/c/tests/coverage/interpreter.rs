//! Runs random step functions on numbers, and notes by the definitions of the criteria what a step
//! reaches: for each decision its conditions' values, then for each condition whether an operator
//! above it is decided by the other operand.

use crate::coverage::program::{
    COUNTER, Expr, Group, INPUTS, Kind, Line, PARAMETER, Program, Stmt, VARIABLES,
};
use std::collections::BTreeSet;

/// What a step reached: first line and text of a place, and what of it.
pub(crate) type Reached = (Line, String, String);

/// A value that gives the opposite each time: first line and text of a decision, and the number of
/// one of its conditions; none: its outcome.
pub(crate) type Inverted = (Line, String, Option<usize>);

/// Rounds of loops after which a step counts as endless.
const MOST_ROUNDS: usize = 2000;

/// A run of a step.
pub(crate) struct Run<'p> {
    program: &'p Program,
    inverted: Option<Inverted>,
    rounds: usize,
    pub(crate) variables: [i64; VARIABLES.len()],
    pub(crate) reached: BTreeSet<Reached>,
    pub(crate) statements: BTreeSet<Line>,
    /// For each evaluation of a decision its line, its text, and the values of its conditions and
    /// its outcome: `T-F T`.
    pub(crate) ways: BTreeSet<(Line, String, String)>,
}

impl Run<'_> {
    /// Whether the step did not end.
    pub(crate) fn is_endless(&self) -> bool {
        self.rounds > MOST_ROUNDS
    }

    /// Whether a loop may go on.
    fn goes_on(&mut self) -> bool {
        self.rounds += 1;
        !self.is_endless()
    }
}

/// How a statement ended.
#[derive(PartialEq)]
enum Flow {
    Next,
    Break,
    Return,
}

/// Runs one step; `state` are the variables behind the inputs.
pub(crate) fn step<'p>(program: &'p Program, state: [i64; 4], inputs: [i64; INPUTS]) -> Run<'p> {
    step_otherwise(program, state, inputs, None)
}

/// Runs one step, in which one value may be inverted.
pub(crate) fn step_otherwise<'p>(
    program: &'p Program,
    state: [i64; 4],
    inputs: [i64; INPUTS],
    inverted: Option<Inverted>,
) -> Run<'p> {
    let mut variables = [0; VARIABLES.len()];
    variables[..INPUTS].copy_from_slice(&inputs);
    variables[INPUTS..=COUNTER].copy_from_slice(&state);
    let (reached, statements, ways) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut run = Run { program, inverted, rounds: 0, variables, reached, statements, ways };
    run.block(&program.step);
    run
}

/// A decision's tree, as this file sees it.
enum Tree<'e> {
    Condition(&'e Expr),
    Not(&'e Expr, Box<Tree<'e>>),
    /// The value of one operand that decides, whether evaluation stops there, and the operands.
    Two(Option<bool>, bool, &'e Expr, Box<Tree<'e>>, Box<Tree<'e>>),
}

/// What evaluating a node gave.
enum Seen {
    Condition(bool),
    Not(Box<Seen>),
    Two(Option<bool>, Box<Seen>, Option<Box<Seen>>, bool, Option<bool>),
}

/// Whether an expression is 0 or 1 by its form or type.
fn is_truth(expr: &Expr) -> bool {
    match &expr.kind {
        Kind::Not(_) | Kind::And(..) | Kind::Or(..) | Kind::Compare(..) => true,
        Kind::Variable(variable) | Kind::Assign(variable, _) => VARIABLES[*variable].1,
        Kind::Word("+", ..) => false,
        Kind::Word(_, left, right) => is_truth(left) && is_truth(right),
        Kind::Cast(inner) => is_truth(inner),
        Kind::Comma(_, last) => is_truth(last),
        Kind::Number(_) | Kind::Choose(..) | Kind::Increment(_) | Kind::Call(_) => false,
    }
}

/// Whether an expression is a boolean operator, whose operands are conditions or operators.
fn is_operator(expr: &Expr) -> bool {
    match &expr.kind {
        Kind::Not(_) | Kind::And(..) | Kind::Or(..) => true,
        Kind::Word("&" | "|" | "^", left, right) | Kind::Compare("==" | "!=", left, right) => {
            is_truth(left) && is_truth(right)
        }
        _ => false,
    }
}

/// The expression whose operators count: behind conversions of truths, and behind commas.
fn bare(expr: &Expr) -> &Expr {
    match &expr.kind {
        Kind::Cast(inner) | Kind::Comma(_, inner) if is_root(bare(inner)) => bare(inner),
        _ => expr,
    }
}

/// Whether an expression is a decision unless an operator takes it up.
fn is_root(expr: &Expr) -> bool {
    is_operator(expr) || matches!(expr.kind, Kind::Compare(..))
}

fn tree(expr: &Expr) -> Tree<'_> {
    let two = |deciding, stops, left, right| {
        Tree::Two(deciding, stops, expr, Box::new(tree(left)), Box::new(tree(right)))
    };
    match &expr.kind {
        _ if !is_operator(bare(expr)) => Tree::Condition(bare(expr)),
        Kind::Cast(_) | Kind::Comma(..) => tree_behind(expr),
        Kind::Not(inner) => Tree::Not(inner, Box::new(tree(inner))),
        Kind::And(left, right) => two(Some(false), true, left, right),
        Kind::Or(left, right) => two(Some(true), true, left, right),
        Kind::Word("&", left, right) => two(Some(false), false, left, right),
        Kind::Word("|", left, right) => two(Some(true), false, left, right),
        Kind::Word(_, left, right) | Kind::Compare(_, left, right) => two(None, false, left, right),
        _ => Tree::Condition(expr),
    }
}

fn tree_behind(expr: &Expr) -> Tree<'_> {
    match &expr.kind {
        Kind::Cast(inner) | Kind::Comma(_, inner) => tree(inner),
        _ => tree(expr),
    }
}

impl Run<'_> {
    fn block(&mut self, block: &[Stmt]) -> Flow {
        for stmt in block {
            let flow = self.statement(stmt);
            if flow != Flow::Next {
                return flow;
            }
        }
        Flow::Next
    }

    fn statement(&mut self, stmt: &Stmt) -> Flow {
        match stmt {
            Stmt::Do(line, expr) => {
                self.statements.insert(*line);
                self.value(expr);
                Flow::Next
            }
            Stmt::If(line, condition, then, otherwise) => {
                self.statements.insert(*line);
                if self.decide(condition) { self.block(then) } else { self.block(otherwise) }
            }
            Stmt::For(line, condition, body) => {
                self.statements.insert(*line);
                self.variables[COUNTER] = 0;
                while self.decide(condition) && self.goes_on() {
                    match self.block(body) {
                        Flow::Break => break,
                        Flow::Return => return Flow::Return,
                        Flow::Next => self.variables[COUNTER] += 1,
                    }
                }
                Flow::Next
            }
            Stmt::DoWhile(line, condition, body) => {
                self.statements.insert(*line);
                self.variables[COUNTER] = 0;
                loop {
                    match self.block(body) {
                        Flow::Break => return Flow::Next,
                        Flow::Return => return Flow::Return,
                        Flow::Next if !self.decide(condition) || !self.goes_on() => return Flow::Next,
                        Flow::Next => {}
                    }
                }
            }
            Stmt::Switch(line, value, groups) => self.switch(*line, value, groups),
            Stmt::Break(line) => {
                self.statements.insert(*line);
                Flow::Break
            }
            Stmt::Return(line) => {
                self.statements.insert(*line);
                Flow::Return
            }
        }
    }

    fn switch(&mut self, line: Line, value: &Expr, groups: &[Group]) -> Flow {
        self.statements.insert(line);
        let number = self.value(value) & 3;
        let labelled = groups.iter().position(|(labels, ..)| labels.contains(&number));
        let default = groups.iter().position(|(labels, ..)| labels.is_empty());
        let chosen = labelled.or(default);
        let part = format!("label {}", chosen.unwrap_or(groups.len()));
        self.reached.insert((value.line, value.text.clone(), part));
        let Some(chosen) = chosen else { return Flow::Next };
        for (_, body, breaks) in &groups[chosen..] {
            match self.block(body) {
                Flow::Return => return Flow::Return,
                Flow::Break => return Flow::Next,
                Flow::Next => {}
            }
            if let Some(line) = breaks {
                self.statements.insert(*line);
                return Flow::Next;
            }
        }
        Flow::Next
    }

    /// A value that controls something: a decision whatever its form.
    fn decide(&mut self, expr: &Expr) -> bool {
        match &expr.kind {
            Kind::Comma(first, last) if is_root(bare(last)) => {
                self.value(first);
                self.decide(last)
            }
            Kind::Cast(inner) if is_root(bare(inner)) => self.decide(inner),
            _ => self.decision(expr),
        }
    }

    fn decision(&mut self, root: &Expr) -> bool {
        let tree = tree(root);
        let (outcome, seen) = self.evaluate(&tree, root, 0);
        let mut note = |part: String| {
            self.reached.insert((root.line, root.text.clone(), part));
        };
        note(format!("outcome {outcome}"));
        let mut number = 0;
        let mut conditions = Vec::new();
        number_conditions(&tree, &seen, &mut number, &mut conditions, false);
        let mut way = vec!['-'; number];
        for &(number, value, _) in &conditions {
            way[number] = if value { 'T' } else { 'F' };
        }
        let way: String = way.into_iter().chain([' ', if outcome { 'T' } else { 'F' }]).collect();
        self.ways.insert((root.line, root.text.clone(), way));
        let mut note = |part: String| {
            self.reached.insert((root.line, root.text.clone(), part));
        };
        for (number, value, masked) in conditions {
            note(format!("value {number} {value}"));
            if !masked {
                note(format!("half {number} {value}"));
            }
        }
        outcome != self.is_inverted(root, None)
    }

    fn is_inverted(&self, root: &Expr, condition: Option<usize>) -> bool {
        let is_it = |(line, text, number): &Inverted| {
            *line == root.line && *text == root.text && *number == condition
        };
        self.inverted.as_ref().is_some_and(is_it)
    }

    /// Evaluates a part of the decision whose conditions have numbers from `first` on.
    fn evaluate(&mut self, tree: &Tree<'_>, root: &Expr, first_number: usize) -> (bool, Seen) {
        match tree {
            Tree::Condition(expr) => {
                let value = match &expr.kind {
                    Kind::Compare(..) => self.compare(expr) != 0,
                    _ => self.value(expr) != 0,
                };
                let value = value != self.is_inverted(root, Some(first_number));
                (value, Seen::Condition(value))
            }
            Tree::Not(expr, inner) => {
                self.effects(expr);
                let (value, seen) = self.evaluate(inner, root, first_number);
                (!value, Seen::Not(Box::new(seen)))
            }
            Tree::Two(deciding, stops, expr, left, right) => {
                let [left_expr, right_expr] = operands(expr);
                self.effects(left_expr);
                let behind = first_number + conditions(left);
                let (first, left) = self.evaluate(left, root, first_number);
                if *stops && Some(first) == *deciding {
                    return (first, Seen::Two(*deciding, Box::new(left), None, first, None));
                }
                self.effects(right_expr);
                let (second, right) = self.evaluate(right, root, behind);
                let value = match &expr.kind {
                    Kind::And(..) | Kind::Word("&", ..) => first && second,
                    Kind::Or(..) | Kind::Word("|", ..) => first || second,
                    Kind::Compare("==", ..) => first == second,
                    _ => first != second,
                };
                (value, Seen::Two(*deciding, Box::new(left), Some(Box::new(right)), first, Some(second)))
            }
        }
    }

    /// What stands before commas that the tree looks behind.
    fn effects(&mut self, expr: &Expr) {
        match &expr.kind {
            Kind::Cast(inner) if is_operator(bare(expr)) || is_root(bare(expr)) => self.effects(inner),
            Kind::Comma(first, last) if is_root(bare(expr)) => {
                self.value(first);
                self.effects(last);
            }
            _ => {}
        }
    }

    fn compare(&mut self, expr: &Expr) -> i64 {
        let Kind::Compare(operator, left, right) = &expr.kind else { unreachable!("a comparison") };
        let (left, right) = (self.value(left), self.value(right));
        if (-1..=1).contains(&(left - right)) {
            self.reached.insert((expr.line, expr.text.clone(), format!("difference {}", left - right)));
        }
        i64::from(match *operator {
            "<" => left < right,
            "<=" => left <= right,
            ">" => left > right,
            ">=" => left >= right,
            "==" => left == right,
            _ => left != right,
        })
    }

    fn value(&mut self, expr: &Expr) -> i64 {
        match &expr.kind {
            _ if is_root(expr) => i64::from(self.decision(expr)),
            Kind::Number(number) => *number,
            Kind::Variable(variable) => self.variables[*variable],
            Kind::Word(operator, left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                match *operator {
                    "&" => left & right,
                    "|" => left | right,
                    "^" => left ^ right,
                    _ => left + right,
                }
            }
            Kind::Choose(condition, then, otherwise) => {
                if self.decide(condition) {
                    self.value(then)
                } else {
                    self.value(otherwise)
                }
            }
            Kind::Comma(first, last) => {
                self.value(first);
                self.value(last)
            }
            Kind::Assign(variable, value) => {
                let number = self.value(value);
                let kept = if VARIABLES[*variable].1 { i64::from(number != 0) } else { number & 3 };
                self.variables[*variable] = kept;
                kept
            }
            Kind::Increment(variable) => {
                self.variables[*variable] += 1;
                self.variables[*variable] - 1
            }
            Kind::Call(argument) => {
                self.variables[PARAMETER] = self.value(argument);
                let program = self.program;
                if self.decide(&program.helper) {
                    return 1;
                }
                self.variables[4] = (self.variables[4] + 1) & 3;
                0
            }
            Kind::Cast(inner) => self.value(inner) & 255,
            Kind::Not(_) | Kind::And(..) | Kind::Or(..) | Kind::Compare(..) => {
                unreachable!("these are decisions")
            }
        }
    }
}

fn operands(expr: &Expr) -> [&Expr; 2] {
    match &expr.kind {
        Kind::And(left, right)
        | Kind::Or(left, right)
        | Kind::Word(_, left, right)
        | Kind::Compare(_, left, right) => [left, right],
        _ => unreachable!("an operator with two operands"),
    }
}

/// Numbers the conditions of a tree in the order of evaluation; of those evaluated, value and whether
/// an operator above is decided by its other operand.
fn number_conditions(
    tree: &Tree<'_>,
    seen: &Seen,
    number: &mut usize,
    found: &mut Vec<(usize, bool, bool)>,
    masked: bool,
) {
    match (tree, seen) {
        (_, Seen::Condition(value)) => {
            found.push((*number, *value, masked));
            *number += 1;
        }
        (Tree::Not(_, tree), Seen::Not(seen)) => number_conditions(tree, seen, number, found, masked),
        (Tree::Two(_, stops, _, left, right), Seen::Two(deciding, first, second, one, other)) => {
            let is_decided = |value: Option<bool>| deciding.is_some() && value == *deciding;
            number_conditions(left, first, number, found, masked || is_decided(*other));
            match second {
                Some(second) => {
                    let by_left = !stops && is_decided(Some(*one));
                    number_conditions(right, second, number, found, masked || by_left);
                }
                None => *number += conditions(right),
            }
        }
        _ => unreachable!("what was seen has the form of the tree"),
    }
}

fn conditions(tree: &Tree<'_>) -> usize {
    match tree {
        Tree::Condition(_) => 1,
        Tree::Not(_, inner) => conditions(inner),
        Tree::Two(_, _, _, left, right) => conditions(left) + conditions(right),
    }
}
