//! From text to system: trees, then statements, then declarations, then terms.

use super::lex::{Content, Tree, is_delimiter, read};
use super::operators::{binary_named, conversion_named, is_conversion, sort_named, unary_named};
use crate::external::{Call, Function};
use crate::id::Id;
use crate::sort::{FloatFormat, Sort};
use crate::system::{
    Assumption, Goal, Hazard, HazardEffect, Input, InputRole, Invariant, OriginId, Output, State,
    TransitionSystem,
};
use crate::term::{BinaryOp, SymbolId, Term, TermId, UnaryOp};
use crate::value::Value;
use rustc_hash::FxHashMap;
use thiserror::Error;

/// What is wrong with a text, and on which line (counted from 1).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct ParseError {
    /// Line where the offending tree starts.
    pub line: usize,
    /// What is wrong there.
    pub problem: Problem,
}

/// The kinds of errors.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Problem {
    /// An opening parenthesis without its closing one, or the other way round.
    #[error("unmatched parenthesis")]
    UnmatchedParenthesis,
    /// A string or name in bars that does not end.
    #[error("missing closing {0}")]
    UnterminatedQuote(char),
    /// Nesting beyond the reader's limit.
    #[error("more than {} nested parentheses; name parts with `let`", super::lex::MAX_DEPTH)]
    TooDeep,
    /// The text ends inside a statement.
    #[error("`{0}` is not complete")]
    Incomplete(String),
    /// Something else was needed here.
    #[error("expected {what}, found `{found}`")]
    Expected {
        /// What was needed.
        what: &'static str,
        /// What stands there.
        found: String,
    },
    /// A clause that must not or must be written once.
    #[error("`{clause}` is {}", if *.missing { "missing" } else { "written twice" })]
    Clause {
        /// The clause.
        clause: String,
        /// Whether it is missing rather than repeated.
        missing: bool,
    },
    /// A second declaration of a name.
    #[error("`{0}` is declared twice")]
    DeclaredTwice(String),
    /// A name without declaration.
    #[error("`{0}` is not declared")]
    Undeclared(String),
    /// A constant in a place that does not determine its sort.
    #[error("the sort of `{0}` is not determined; write `{0}:w8` or the like")]
    SortUnknown(String),
    /// A constant outside its sort.
    #[error("`{constant}` is no constant of sort {sort}")]
    BadConstant {
        /// The constant.
        constant: String,
        /// The sort it should have.
        sort: Sort,
    },
    /// A term of another sort than its place needs.
    #[error("expected a term of sort {expected}, found one of sort {found}")]
    SortMismatch {
        /// Sort needed.
        expected: Sort,
        /// Sort found.
        found: Sort,
    },
    /// An unknown operator.
    #[error("`{0}` is no operator")]
    UnknownOperator(String),
    /// An operator with the wrong number of operands.
    #[error("`{operator}` does not take {found} operands")]
    OperandCount {
        /// The operator.
        operator: String,
        /// Number of operands written.
        found: usize,
    },
    /// Operands whose sorts an operator does not take.
    #[error("`{operator}` does not take operands of sort {sorts}")]
    OperandSorts {
        /// The operator.
        operator: String,
        /// Sorts of the operands.
        sorts: String,
    },
}

type Result<T> = std::result::Result<T, ParseError>;

fn fail<T>(tree: &Tree, problem: Problem) -> Result<T> {
    Err(ParseError { line: tree.line, problem })
}

fn expected<T>(tree: &Tree, what: &'static str) -> Result<T> {
    fail(tree, Problem::Expected { what, found: shown(tree) })
}

fn shown(tree: &Tree) -> String {
    match &tree.content {
        Content::Atom(text) | Content::Name(text, _) | Content::Text(text) => text.clone(),
        Content::List(_) => "( ... )".to_owned(),
    }
}

/// Reads a system; the module [`text`](super) has the grammar.
///
/// The result is well-sorted but not validated: windows of goals, for instance, are checked by
/// [`validate`](crate::validate::validate).
///
/// # Errors
/// The first problem found, with its line.
pub fn parse(text: &str) -> Result<TransitionSystem> {
    let trees = read(text)?;
    let statements = statements(&trees)?;
    let mut builder = Builder::default();
    for statement in &statements {
        builder.declare(statement)?;
    }
    for statement in &statements {
        builder.define(statement)?;
    }
    Ok(builder.system)
}

/// Keyword, number of parts that follow it, clauses that may follow those.
const SHAPES: [(&str, usize, &[&str]); 13] = [
    ("system", 1, &[]),
    ("input", 2, &["choice"]),
    ("initial-input", 2, &["choice"]),
    ("initial-assume", 1, &["origin"]),
    ("state", 2, &["init", "next"]),
    ("let", 2, &[]),
    ("output", 2, &[]),
    ("assume", 1, &["origin"]),
    ("invariant", 1, &["text", "origin"]),
    ("goal", 1, &["steps", "requirement", "text", "origin", "when", "expect"]),
    ("end", 1, &[]),
    ("hazard", 2, &["modelled", "origin"]),
    ("call", 3, &["with", "origin"]),
];

/// Clauses that consist of their keyword.
const BARE: [&str; 2] = ["choice", "modelled"];

struct Statement<'a> {
    keyword: &'static str,
    line: usize,
    parts: &'a [Tree],
    /// Clause keywords with the tree behind them (for [`BARE`] ones, the keyword itself).
    clauses: Vec<(&'static str, &'a Tree)>,
}

impl<'a> Statement<'a> {
    fn clause(&self, name: &str) -> Option<&'a Tree> {
        self.clauses.iter().find(|clause| clause.0 == name).map(|clause| clause.1)
    }
    fn number(&self, name: &str) -> Result<Option<u32>> {
        self.clause(name).map(number).transpose()
    }
    fn string(&self, name: &str) -> Result<Option<String>> {
        self.clause(name).map(string).transpose()
    }
    fn origin(&self) -> Result<Option<OriginId>> {
        Ok(self.number("origin")?.map(|number| OriginId::new(number as usize)))
    }
}

fn statements(trees: &[Tree]) -> Result<Vec<Statement<'_>>> {
    let mut statements = Vec::new();
    let mut rest = trees;
    while let Some((first, behind)) = rest.split_first() {
        let shape = first.atom().and_then(|atom| SHAPES.iter().find(|shape| shape.0 == atom));
        let Some(&(keyword, count, allowed)) = shape else { return expected(first, "a statement") };
        let incomplete = || ParseError { line: first.line, problem: Problem::Incomplete(keyword.to_owned()) };
        let (parts, behind) = behind.split_at_checked(count).ok_or_else(incomplete)?;
        rest = behind;
        let mut clauses: Vec<(&'static str, &Tree)> = Vec::new();
        while let Some((tree, behind)) = rest.split_first() {
            let clause = tree.atom().and_then(|atom| allowed.iter().find(|&&clause| clause == atom));
            let Some(&clause) = clause else { break };
            if clauses.iter().any(|known| known.0 == clause) {
                return fail(tree, Problem::Clause { clause: clause.to_owned(), missing: false });
            }
            let (argument, behind) = if BARE.contains(&clause) {
                (tree, behind)
            } else {
                behind.split_first().ok_or_else(incomplete)?
            };
            clauses.push((clause, argument));
            rest = behind;
        }
        statements.push(Statement { keyword, line: first.line, parts, clauses });
    }
    Ok(statements)
}

fn number(tree: &Tree) -> Result<u32> {
    match tree.atom().and_then(|atom| atom.parse().ok()) {
        Some(number) if number < u32::MAX => Ok(number),
        _ => expected(tree, "a number"),
    }
}

fn string(tree: &Tree) -> Result<String> {
    match &tree.content {
        Content::Text(text) => Ok(text.clone()),
        _ => expected(tree, "a string in quotes"),
    }
}

fn sort(tree: &Tree) -> Result<Sort> {
    match tree.atom().and_then(sort_named) {
        Some(sort) => Ok(sort),
        None => expected(tree, "a sort"),
    }
}

fn name(tree: &Tree) -> Result<&str> {
    match &tree.content {
        Content::Name(name, 0) => Ok(name),
        Content::Atom(name) if is_plain_name(name) => Ok(name),
        _ => expected(tree, "a name"),
    }
}

/// Whether the name may stand without bars.
pub(super) fn is_plain_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(is_delimiter) && !name.contains('@') && !is_constant(name)
}

/// Whether an atom is read as a constant rather than a name.
fn is_constant(atom: &str) -> bool {
    let digits = atom.strip_prefix('-').unwrap_or(atom);
    let has_sort = atom.rsplit_once(':').is_some_and(|(_, sort)| sort_named(sort).is_some());
    matches!(atom, "true" | "false") || digits.starts_with(|first: char| first.is_ascii_digit()) || has_sort
}

/// A constant whose sort must come from elsewhere.
fn lacks_sort(tree: &Tree) -> bool {
    tree.atom()
        .is_some_and(|atom| is_constant(atom) && !matches!(atom, "true" | "false") && !atom.contains(':'))
}

fn constant(atom: &str, wanted: Option<Sort>) -> std::result::Result<Value, Problem> {
    match atom {
        "true" => return Ok(Value::truth(true)),
        "false" => return Ok(Value::truth(false)),
        _ => {}
    }
    let (digits, sort) = match atom.rsplit_once(':') {
        Some((digits, name)) => (digits, sort_named(name)),
        None => (atom, wanted),
    };
    let sort = sort.ok_or_else(|| Problem::SortUnknown(atom.to_owned()))?;
    let value = match digits.strip_prefix("0x") {
        Some(hexadecimal) => u128::from_str_radix(hexadecimal, 16).ok().filter(|&bits| bits <= sort.mask()),
        None => decimal(digits, sort),
    };
    let bits = value.ok_or_else(|| Problem::BadConstant { constant: atom.to_owned(), sort })?;
    Ok(Value::new(sort, bits))
}

fn decimal(digits: &str, sort: Sort) -> Option<u128> {
    match sort {
        Sort::Float(FloatFormat::Single) => digits.parse().ok().map(|number| Value::single(number).bits()),
        Sort::Float(FloatFormat::Double) => digits.parse().ok().map(|number| Value::double(number).bits()),
        Sort::Word(_) => match digits.strip_prefix('-') {
            Some(magnitude) => {
                let magnitude: u128 = magnitude.parse().ok()?;
                (magnitude <= sort.mask() / 2 + 1).then(|| magnitude.wrapping_neg())
            }
            None => digits.parse().ok().filter(|&bits| bits <= sort.mask()),
        },
    }
}

#[derive(Default)]
struct Builder {
    system: TransitionSystem,
    named: FxHashMap<String, TermId>,
    /// States are filled in the order of their statements.
    defined_states: usize,
}

impl Builder {
    fn declare(&mut self, statement: &Statement) -> Result<()> {
        if !matches!(statement.keyword, "input" | "initial-input" | "state") {
            return Ok(());
        }
        let (name, sort) = (name(&statement.parts[0])?, sort(&statement.parts[1])?);
        let symbol = self.system.terms.fresh_symbol(name, sort);
        let term = self.system.terms.symbol_term(symbol);
        if self.named.insert(name.to_owned(), term).is_some() {
            return fail(&statement.parts[0], Problem::DeclaredTwice(name.to_owned()));
        }
        let choice = statement.clause("choice").is_some();
        let role = if choice { InputRole::Choice } else { InputRole::Stimulus };
        match statement.keyword {
            "input" => _ = self.system.inputs.push(Input { symbol, role }),
            "initial-input" => _ = self.system.initial_inputs.push(Input { symbol, role }),
            _ => _ = self.system.states.push(State { symbol, init: term, next: term }),
        }
        Ok(())
    }

    fn define(&mut self, statement: &Statement) -> Result<()> {
        let parts = statement.parts;
        match statement.keyword {
            "system" => self.system.name = name(&parts[0])?.to_owned(),
            "state" => self.define_state(statement)?,
            "let" => {
                let term = self.term(&parts[1], None)?;
                let name = name(&parts[0])?;
                if self.named.insert(name.to_owned(), term).is_some() {
                    return fail(&parts[0], Problem::DeclaredTwice(name.to_owned()));
                }
            }
            "output" => {
                let output = Output { name: name(&parts[0])?.to_owned(), value: self.term(&parts[1], None)? };
                self.system.outputs.push(output);
            }
            "assume" => {
                let assumption = self.assumption(statement)?;
                self.system.assumptions.push(assumption);
            }
            "initial-assume" => {
                let assumption = self.assumption(statement)?;
                self.system.initial_assumptions.push(assumption);
            }
            "invariant" => {
                let invariant = Invariant {
                    condition: self.truth(&parts[0])?,
                    origin: statement.origin()?,
                    text: statement.string("text")?.unwrap_or_default(),
                };
                self.system.invariants.push(invariant);
            }
            "goal" => self.define_goal(statement)?,
            "end" => {
                let end = self.truth(&parts[0])?;
                if self.system.end.replace(end).is_some() {
                    return fail(&parts[0], Problem::DeclaredTwice("end".to_owned()));
                }
            }
            "hazard" => {
                let hazard = Hazard {
                    condition: self.truth(&parts[1])?,
                    description: string(&parts[0])?,
                    effect: match statement.clause("modelled") {
                        Some(_) => HazardEffect::AsModelled,
                        None => HazardEffect::Open,
                    },
                    origin: statement.origin()?,
                };
                self.system.hazards.push(hazard);
            }
            "call" => self.define_call(statement)?,
            _ => {} // inputs are complete when they are declared
        }
        Ok(())
    }

    fn assumption(&mut self, statement: &Statement) -> Result<Assumption> {
        Ok(Assumption { condition: self.truth(&statement.parts[0])?, origin: statement.origin()? })
    }

    fn define_call(&mut self, statement: &Statement) -> Result<()> {
        let parts = statement.parts;
        let c_name = name(&parts[0])?;
        let formats = [FloatFormat::Single, FloatFormat::Double];
        let known = formats.into_iter().find_map(|format| {
            let named = Function::ALL.iter().copied().find(|function| function.c_name(format) == c_name);
            named.map(|function| (function, format))
        });
        let Some((function, format)) = known else { return expected(&parts[0], "a function of math.h") };
        let result = name(&parts[1])?;
        let input = self.system.inputs.ids().find(|&id| self.system.input_name(id) == result);
        let Some(input) = input else { return expected(&parts[1], "an input") };
        let trees = [Some(&parts[2]), statement.clause("with")].into_iter().flatten();
        let sort = Some(Sort::Float(format));
        let arguments = trees.map(|tree| self.term(tree, sort)).collect::<Result<_>>()?;
        let call = Call { function, format, input, arguments, origin: statement.origin()? };
        self.system.external_calls.push(call);
        Ok(())
    }

    fn define_state(&mut self, statement: &Statement) -> Result<()> {
        let state = Id::new(self.defined_states);
        self.defined_states += 1;
        let symbol = self.system.states[state].symbol;
        let sort = self.system.terms.symbol(symbol).sort;
        let init = match statement.clause("init") {
            Some(tree) => self.term(tree, Some(sort))?,
            None => self.system.terms.constant(Value::zero(sort)),
        };
        let next = match statement.clause("next") {
            Some(tree) => self.term(tree, Some(sort))?,
            None => self.system.terms.symbol_term(symbol),
        };
        self.system.states[state] = State { symbol, init, next };
        Ok(())
    }

    fn define_goal(&mut self, statement: &Statement) -> Result<()> {
        let Some(when) = statement.clause("when") else {
            let problem = Problem::Clause { clause: "when".to_owned(), missing: true };
            return Err(ParseError { line: statement.line, problem });
        };
        let antecedent = self.truth(when)?;
        let expectation = statement.clause("expect").map(|tree| self.truth(tree)).transpose()?;
        self.system.goals.push(Goal {
            name: name(&statement.parts[0])?.to_owned(),
            requirement: statement.string("requirement")?,
            text: statement.string("text")?,
            origin: statement.origin()?,
            steps: statement.number("steps")?.unwrap_or(1),
            antecedent,
            expectation,
        });
        Ok(())
    }

    fn truth(&mut self, tree: &Tree) -> Result<TermId> {
        self.term(tree, Some(Sort::TRUTH))
    }

    /// The term of a tree, which has the wanted sort if one is given.
    fn term(&mut self, tree: &Tree, wanted: Option<Sort>) -> Result<TermId> {
        let term = match &tree.content {
            Content::Atom(atom) if is_constant(atom) => {
                let value =
                    constant(atom, wanted).map_err(|problem| ParseError { line: tree.line, problem })?;
                self.system.terms.constant(value)
            }
            Content::Atom(atom) => match atom.rsplit_once('@') {
                Some((base, frame)) => match frame.parse() {
                    Ok(frame) => self.symbol(tree, base, frame)?,
                    Err(_) => return fail(tree, Problem::Undeclared(atom.clone())),
                },
                None => self.symbol(tree, atom, 0)?,
            },
            Content::Name(name, frame) => self.symbol(tree, name, *frame)?,
            Content::Text(_) => return expected(tree, "a term"),
            Content::List(list) => self.operation(tree, list, wanted)?,
        };
        let found = self.system.terms.sort(term);
        match wanted {
            Some(wanted) if wanted != found => fail(tree, Problem::SortMismatch { expected: wanted, found }),
            _ => Ok(term),
        }
    }

    fn symbol(&mut self, tree: &Tree, name: &str, frame: u32) -> Result<TermId> {
        let Some(&term) = self.named.get(name) else {
            return fail(tree, Problem::Undeclared(name.to_owned()));
        };
        if frame == 0 {
            return Ok(term);
        }
        let base: Option<SymbolId> = self.system.terms.as_symbol(term);
        match base.filter(|&base| self.system.terms.symbol(base).framed.is_none()) {
            Some(base) => Ok(self.system.terms.framed(base, frame)),
            None => expected(tree, "a state or input before `@`"),
        }
    }

    fn operation(&mut self, tree: &Tree, list: &[Tree], wanted: Option<Sort>) -> Result<TermId> {
        let Some((head, operands)) = list.split_first() else { return expected(tree, "an operator") };
        let Some(operator) = head.atom() else { return expected(head, "an operator") };
        match (operator, operands) {
            ("ite", [condition, then, otherwise]) => {
                let condition = self.truth(condition)?;
                let branches = self.same_sort(&[then, otherwise], wanted)?;
                let term = Term::Ite { condition, then: branches[0], otherwise: branches[1] };
                self.make(tree, operator, term)
            }
            ("extract", [high, low, arg]) => {
                let bits = (number(high)?.min(u32::from(u8::MAX)), number(low)?.min(u32::from(u8::MAX)));
                let arg = self.term(arg, None)?;
                self.make(tree, operator, Term::Extract { arg, high: bits.0 as u8, low: bits.1 as u8 })
            }
            ("zext" | "sext", [width, arg]) => {
                let (width, arg) = (sort(width)?.width() as u8, self.term(arg, None)?);
                self.make(tree, operator, Term::Extend { arg, width, signed: operator == "sext" })
            }
            ("float-fma", [a, b, c]) => {
                let factors = self.same_sort(&[a, b, c], wanted)?;
                let term = Term::FloatFma { a: factors[0], b: factors[1], c: factors[2] };
                self.make(tree, operator, term)
            }
            (_, [sort_tree, arg]) if is_conversion(operator) => {
                let Some(op) = conversion_named(operator, sort(sort_tree)?) else {
                    return expected(sort_tree, "a sort that fits the conversion");
                };
                let arg = self.term(arg, None)?;
                self.make(tree, operator, Term::Unary { op, arg })
            }
            _ => self.plain_operation(tree, operator, &Vec::from_iter(operands), wanted),
        }
    }

    /// Operators all of whose operands are terms.
    fn plain_operation(
        &mut self,
        tree: &Tree,
        operator: &str,
        operands: &[&Tree],
        wanted: Option<Sort>,
    ) -> Result<TermId> {
        if let (Some(op), [arg]) = (unary_named(operator), operands) {
            let keeps_sort =
                !matches!(op, UnaryOp::FloatToBits | UnaryOp::FloatIsNan | UnaryOp::FloatIsInfinite);
            let arg = self.term(arg, wanted.filter(|_| keeps_sort))?;
            return self.make(tree, operator, Term::Unary { op, arg });
        }
        if let Some((op, swapped, negated)) = derived(operator)
            && operands.len() == 2
        {
            return self.derived_comparison(tree, op, operands, swapped, negated);
        }
        let count = operands.len();
        match (operator, binary_named(operator)) {
            ("implies", _) if count == 2 => {
                let (arg, rhs) = (self.truth(operands[0])?, self.truth(operands[1])?);
                let lhs = self.make(tree, operator, Term::Unary { op: UnaryOp::Not, arg })?;
                self.make(tree, operator, Term::Binary { op: BinaryOp::Or, lhs, rhs })
            }
            (_, Some(op)) if count == 2 || (count > 2 && groups(op)) => {
                let terms = match op {
                    BinaryOp::Concat => {
                        operands.iter().map(|operand| self.term(operand, None)).collect::<Result<_>>()?
                    }
                    _ => self.same_sort(operands, wanted.filter(|_| !is_comparison(op)))?,
                };
                let mut result = terms[0];
                for &rhs in &terms[1..] {
                    result = self.make(tree, operator, Term::Binary { op, lhs: result, rhs })?;
                }
                Ok(result)
            }
            (_, None) if unary_named(operator).is_none() && !is_known(operator) => {
                fail(tree, Problem::UnknownOperator(operator.to_owned()))
            }
            _ => fail(tree, Problem::OperandCount { operator: operator.to_owned(), found: count }),
        }
    }

    fn derived_comparison(
        &mut self,
        tree: &Tree,
        op: BinaryOp,
        operands: &[&Tree],
        swapped: bool,
        negated: bool,
    ) -> Result<TermId> {
        let terms = self.same_sort(operands, None)?;
        let (lhs, rhs) = if swapped { (terms[1], terms[0]) } else { (terms[0], terms[1]) };
        let compared = self.make(tree, "comparison", Term::Binary { op, lhs, rhs })?;
        match negated {
            true => self.make(tree, "not", Term::Unary { op: UnaryOp::Not, arg: compared }),
            false => Ok(compared),
        }
    }

    /// Terms that share one sort: the wanted one, else that of the first operand that determines
    /// one.
    fn same_sort(&mut self, trees: &[&Tree], wanted: Option<Sort>) -> Result<Vec<TermId>> {
        let leader = trees.iter().position(|tree| wanted.is_none() && !lacks_sort(tree)).unwrap_or(0);
        let leading = self.term(trees[leader], wanted)?;
        let sort = self.system.terms.sort(leading);
        let same = |(position, tree): (usize, &&Tree)| {
            if position == leader { Ok(leading) } else { self.term(tree, Some(sort)) }
        };
        trees.iter().enumerate().map(same).collect()
    }

    fn make(&mut self, tree: &Tree, operator: &str, term: Term) -> Result<TermId> {
        match self.system.terms.sort_of(&term) {
            Ok(sort) => Ok(self.system.terms.intern(term, sort)),
            Err(_) => {
                let pool = &self.system.terms;
                let sorts: Vec<String> =
                    term.operands().map(|operand| pool.sort(operand).to_string()).collect();
                let problem =
                    Problem::OperandSorts { operator: operator.to_owned(), sorts: sorts.join(", ") };
                fail(tree, problem)
            }
        }
    }
}

/// Comparisons that are read but never printed: the operator, whether operands are swapped, whether
/// it is negated.
fn derived(operator: &str) -> Option<(BinaryOp, bool, bool)> {
    Some(match operator {
        "ne" => (BinaryOp::Eq, false, true),
        "ugt" => (BinaryOp::ULt, true, false),
        "uge" => (BinaryOp::ULe, true, false),
        "sgt" => (BinaryOp::SLt, true, false),
        "sge" => (BinaryOp::SLe, true, false),
        _ => return None,
    })
}

fn groups(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, And | Or | Xor | Add | Mul | Concat)
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Eq | ULt | ULe | SLt | SLe | FloatEq | FloatLt | FloatLe)
}

fn is_known(operator: &str) -> bool {
    matches!(operator, "ite" | "extract" | "zext" | "sext" | "float-fma" | "implies")
        || is_conversion(operator)
        || derived(operator).is_some()
}
