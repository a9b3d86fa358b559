//! First-order mutants of C code: places where one change is made.
//!
//! A mutant is a change of the preprocessed text, so that a macro is changed at its use. It is read
//! and compiled like any other program, so the model that is searched and the code that is run have
//! one text, and what is no C any more is found by both.

mod numbers;

use crate::detect::walk;
use crate::ir::expr::ExprKind;
use crate::ir::stmt::{Callee, StmtKind};
use crate::ir::{FunctionId, Program};
use crate::lower::{Input, Loader};
use crate::preprocess::line_map::Preprocessed;
use crate::syntax::ast::{Item, Position, TypeSpecifier};
use crate::syntax::{self, Part};
use crate::{detect, load};
use frontend::source::SourceMap;
use frontend::{Failure, Request, TextEdit};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::str::FromStr;

/// What is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// `<` becomes `<=` and `>=`, `==` becomes `!=`, and so on.
    Relational,
    /// `&&` becomes `||`, and back.
    Logical,
    /// `+` becomes `-`, `*` becomes `/`, and back; a minus sign goes.
    Arithmetic,
    /// `&` becomes `|`, `<<` becomes `>>`, and back; a `~` goes.
    Bitwise,
    /// `++` becomes `--`, and back.
    Increment,
    /// A `!` goes; a condition that is no comparison is negated.
    Negation,
    /// A condition becomes 1 or 0; that of a loop becomes 0.
    Condition,
    /// A number becomes one more, one less, and 0; an enumerator becomes the next one.
    Constant,
    /// A statement goes: an assignment, a call, a `break`.
    Statement,
}

impl Operator {
    /// All of them: what `standard` means for C.
    pub const ALL: [Self; 9] = [
        Self::Relational,
        Self::Logical,
        Self::Arithmetic,
        Self::Bitwise,
        Self::Increment,
        Self::Negation,
        Self::Condition,
        Self::Constant,
        Self::Statement,
    ];
    /// The name on the command line and in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Relational => "relational",
            Self::Logical => "logical",
            Self::Arithmetic => "arithmetic",
            Self::Bitwise => "bitwise",
            Self::Increment => "increment",
            Self::Negation => "negation",
            Self::Condition => "condition",
            Self::Constant => "constant",
            Self::Statement => "statement",
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.name())
    }
}

/// Operators, in the order of [`Operator::ALL`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operators(pub BTreeSet<Operator>);

impl Default for Operators {
    fn default() -> Self {
        Self(Operator::ALL.into_iter().collect())
    }
}

impl FromStr for Operators {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let mut found = BTreeSet::new();
        for name in text.split(',').map(str::trim) {
            if name == "standard" {
                found.extend(Operator::ALL);
                continue;
            }
            let known = Operator::ALL.into_iter().find(|operator| operator.name() == name);
            found.insert(known.ok_or_else(|| {
                let names: Vec<&str> = Operator::ALL.iter().map(|operator| operator.name()).collect();
                format!("there is no operator `{name}` for C; there are standard, {}", names.join(", "))
            })?);
        }
        Ok(Self(found))
    }
}

/// One change.
#[derive(Clone, Debug)]
pub struct Mutation {
    /// What kind of change.
    pub operator: Operator,
    /// The function it is made in.
    pub function: String,
    /// The file as the user gave it.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 where it is not known.
    pub column: u32,
    /// The code before, in one line.
    pub old: String,
    /// The code after, in one line.
    pub new: String,
    /// The change: for [`Request::edits`].
    pub edit: TextEdit,
}

/// All changes of the code that initialisation and step run, in the order of the text. Property
/// files, assertions and assumptions stay as they are: they judge the code, they are none of it.
///
/// # Errors
/// As for [`load`].
pub fn mutations(request: &Request, operators: &Operators) -> Result<Vec<Mutation>, Failure> {
    let program = load(request)?;
    let entry = match detect::detect(&program, request) {
        Ok(entry) => entry,
        Err(diagnostics) => return Err(Failure { diagnostics, sources: program.sources }),
    };
    let driver = entry.driver.map(|driver| driver.function);
    let start = entry.steps.iter().map(|step| step.function).chain(entry.init).chain(driver);
    let run = reached(&program, start.collect());
    let input = Input {
        sources: request.sources.clone(),
        include: request.include.clone(),
        define: request.define.clone(),
        target: request.target,
        kept: request.kept.clone(),
        limit: request.limit.clone(),
        ..Input::default()
    };
    let (sources, texts) = Loader::texts(&input)?;
    let mut found = Vec::new();
    for (file, text) in texts.iter().enumerate() {
        let unit = model::id::Id::new(file);
        let functions = run.iter().map(|&id| &program.functions[id]);
        let functions: BTreeSet<&str> =
            functions.filter(|function| function.unit == unit).map(|function| &*function.name).collect();
        let mut finder = Finder::new((&sources, file, text), operators, functions);
        let view = syntax::grammar_view(&text.text);
        finder.functions(view.root());
        found.append(&mut finder.found);
    }
    let mut known = BTreeSet::new();
    found.retain(|mutation| {
        let TextEdit { file, range, text } = &mutation.edit;
        known.insert((*file, range.start, range.end, text.clone()))
    });
    found.sort_by_key(|mutation| (mutation.edit.file, mutation.edit.range.start));
    Ok(found)
}

/// The functions of the program that functions call or take the address of, these included.
fn reached(program: &Program, start: BTreeSet<FunctionId>) -> BTreeSet<FunctionId> {
    let mut found = start.clone();
    let mut open: Vec<FunctionId> = start.into_iter().collect();
    while let Some(id) = open.pop() {
        let mut used = BTreeSet::new();
        walk::visit(program.functions[id].body.as_deref().unwrap_or(&[]), &mut |stmt| {
            if let StmtKind::Call { callee: Callee::Function(callee), .. } = &stmt.kind {
                used.insert(*callee);
            }
            walk::visit_expressions(stmt, &mut |expr| {
                if let ExprKind::Function(function) = expr.kind {
                    used.insert(function);
                }
            });
        });
        open.extend(used.into_iter().filter(|&function| found.insert(function)));
    }
    let is_own = |id: &FunctionId| {
        let function = &program.functions[*id];
        function.is_defined() && !program.units[function.unit].is_property_file
    };
    found.retain(is_own);
    found
}

/// Functions that say what is assumed, expected or chosen; their calls stay.
fn is_observer(name: &str) -> bool {
    let is_named = ["assert", "assume", "abort", "exit", "reach_error"].contains(&name);
    is_named
        || ["__CPROVER_", "__VERIFIER_", "__assert", "__chaincover_", "chaincover_"]
            .iter()
            .any(|start| name.starts_with(start))
}

/// Looks for places in one file.
struct Finder<'a> {
    sources: &'a SourceMap,
    file: usize,
    text: &'a Preprocessed,
    operators: &'a Operators,
    functions: BTreeSet<&'a str>,
    type_names: BTreeSet<String>,
    /// Enumerators, each with the next one of its type.
    enumerators: BTreeMap<String, String>,
    function: String,
    found: Vec<Mutation>,
}

impl<'a> Finder<'a> {
    fn new(
        (sources, file, text): (&'a SourceMap, usize, &'a Preprocessed),
        operators: &'a Operators,
        functions: BTreeSet<&'a str>,
    ) -> Self {
        let parsed = syntax::parse_file(&text.text, &text.packing);
        let mut enumerators = BTreeMap::new();
        for item in &parsed.items {
            let Item::Declaration(declaration) = item else { continue };
            let TypeSpecifier::Enum(specifier) = &declaration.specifiers.ty else { continue };
            let names = specifier.enumerators.iter().flatten().map(|(name, _)| &name.text);
            let names: Vec<&String> = names.collect();
            let next = names.iter().cycle().skip(1);
            enumerators.extend(names.iter().zip(next).map(|(one, next)| ((*one).clone(), (*next).clone())));
        }
        let (type_names, function) = (parsed.type_names, String::new());
        Self {
            sources,
            file,
            text,
            operators,
            functions,
            type_names,
            enumerators,
            function,
            found: Vec::new(),
        }
    }

    fn source(&self, range: Range<usize>) -> &'a str {
        self.text.text.get(range).unwrap_or("")
    }
    fn of(&self, part: Part<'_>) -> &'a str {
        self.source(part.range())
    }

    /// Changes within the functions that are run.
    fn functions(&mut self, part: Part<'_>) {
        if part.kind() != "function_definition" {
            part.parts().into_iter().for_each(|part| self.functions(part));
            return;
        }
        let mut declarator = part.field("declarator");
        while let Some(inner) = declarator.and_then(|outer| outer.field("declarator")) {
            declarator = Some(inner);
        }
        let name = declarator.map_or("", |declarator| self.of(declarator));
        let position = Position(u32::try_from(part.range().start).unwrap_or(u32::MAX));
        if self.functions.contains(name) && !self.text.lines.is_system(position) {
            name.clone_into(&mut self.function);
            part.field("body").into_iter().for_each(|body| self.visit(body));
        }
    }

    /// Notes a change of `range`, which is shown as that of `shown`.
    fn add(&mut self, operator: Operator, shown: Range<usize>, range: Range<usize>, new: &str) {
        let position = Position(u32::try_from(shown.start).unwrap_or(u32::MAX));
        let place = self.text.lines.span(position, &self.text.text);
        let Some(place) = place.filter(|_| self.operators.0.contains(&operator)) else { return };
        let old = self.source(range.clone());
        let ends = |text: &str| text.matches('\n').count();
        let missing = ends(old).saturating_sub(ends(new));
        let text = format!("{new}{}", "\n".repeat(missing));
        let before = self.source(shown.start..range.start);
        let after = self.source(range.end..shown.end);
        let (path, line) = self.sources.written(place);
        self.found.push(Mutation {
            operator,
            function: self.function.clone(),
            path: path.to_owned(),
            line,
            column: place.column,
            old: in_one_line(self.source(shown)),
            new: in_one_line(&format!("{before}{new}{after}")),
            edit: TextEdit { file: self.file, range, text },
        });
    }

    /// Notes changes in a part of a function and in all of its parts.
    fn visit(&mut self, part: Part<'_>) {
        match part.kind() {
            // Types and sizes are no behaviour.
            "sizeof_expression"
            | "alignof_expression"
            | "offsetof_expression"
            | "type_descriptor"
            | "enum_specifier"
            | "struct_specifier"
            | "union_specifier"
            | "array_declarator"
            | "gnu_asm_expression"
            | "attribute_specifier" => return,
            "call_expression" if self.is_observer(part) => return,
            "expression_statement" => {
                let inner = part.parts();
                let is_observed = inner
                    .first()
                    .is_some_and(|inner| inner.kind() == "call_expression" && self.is_observer(*inner));
                if !inner.is_empty() && !is_observed {
                    self.add(Operator::Statement, part.range(), part.range(), ";");
                }
            }
            "break_statement" => self.add(Operator::Statement, part.range(), part.range(), ";"),
            "binary_expression" if !self.is_cast(part) => self.binary(part),
            "assignment_expression" => self.assignment(part),
            "update_expression" => {
                for (old, new) in [("++", "--"), ("--", "++")] {
                    self.swap(Operator::Increment, part, old, &[new]);
                }
            }
            "unary_expression" => {
                for (old, operator) in
                    [("!", Operator::Negation), ("-", Operator::Arithmetic), ("~", Operator::Bitwise)]
                {
                    self.swap(operator, part, old, &[" "]);
                }
            }
            "if_statement" | "conditional_expression" => self.condition(part, &["1", "0"]),
            "while_statement" | "do_statement" | "for_statement" => self.condition(part, &["0"]),
            "number_literal" => self.number(part.range()),
            "identifier" => {
                if let Some(next) = self.enumerators.get(self.of(part)).cloned() {
                    self.add(Operator::Constant, part.range(), part.range(), &next);
                }
            }
            _ => {}
        }
        part.parts().into_iter().for_each(|part| self.visit(part));
    }

    /// Changes of a number; the grammar takes a sign for a part of it.
    fn number(&mut self, range: Range<usize>) {
        let text = self.source(range.clone());
        let digits = text.trim_start_matches(['-', '+']).trim_start();
        let behind_sign = range.end - digits.len()..range.end;
        if text.starts_with('-') {
            self.add(Operator::Arithmetic, range.clone(), range.start..range.start + 1, " ");
        }
        for new in numbers::others(digits) {
            self.add(Operator::Constant, range.clone(), behind_sign.clone(), &new);
        }
    }

    fn is_observer(&self, call: Part<'_>) -> bool {
        call.field("function").is_some_and(|function| is_observer(self.of(function)))
    }

    /// Whether what looks like an operation is a cast: `(T)-x`.
    fn is_cast(&self, part: Part<'_>) -> bool {
        let Some(left) = part.field("left").filter(|left| left.kind() == "parenthesized_expression") else {
            return false;
        };
        let inner = self.of(left).trim_start_matches('(').trim_end_matches(')').trim();
        self.type_names.contains(inner)
    }

    /// Changes an operator that stands first in the gaps between parts.
    fn swap(&mut self, operator: Operator, part: Part<'_>, old: &str, new: &[&str]) {
        let Some(sign) = part.field("operator") else { return };
        if self.of(sign) == old {
            new.iter().for_each(|new| self.add(operator, part.range(), sign.range(), new));
        }
    }

    fn binary(&mut self, part: Part<'_>) {
        const CHANGES: [(&str, Operator, &[&str]); 18] = [
            ("<", Operator::Relational, &["<=", ">="]),
            ("<=", Operator::Relational, &["<", ">"]),
            (">", Operator::Relational, &[">=", "<="]),
            (">=", Operator::Relational, &[">", "<"]),
            ("==", Operator::Relational, &["!="]),
            ("!=", Operator::Relational, &["=="]),
            ("&&", Operator::Logical, &["||"]),
            ("||", Operator::Logical, &["&&"]),
            ("+", Operator::Arithmetic, &["-"]),
            ("-", Operator::Arithmetic, &["+"]),
            ("*", Operator::Arithmetic, &["/"]),
            ("/", Operator::Arithmetic, &["*"]),
            ("%", Operator::Arithmetic, &["*"]),
            ("&", Operator::Bitwise, &["|"]),
            ("|", Operator::Bitwise, &["&"]),
            ("^", Operator::Bitwise, &["|"]),
            ("<<", Operator::Bitwise, &[">>"]),
            (">>", Operator::Bitwise, &["<<"]),
        ];
        for (old, operator, new) in CHANGES {
            self.swap(operator, part, old, new);
        }
    }

    fn assignment(&mut self, part: Part<'_>) {
        const CHANGES: [(&str, Operator, &str); 10] = [
            ("+=", Operator::Arithmetic, "-="),
            ("-=", Operator::Arithmetic, "+="),
            ("*=", Operator::Arithmetic, "/="),
            ("/=", Operator::Arithmetic, "*="),
            ("%=", Operator::Arithmetic, "*="),
            ("&=", Operator::Bitwise, "|="),
            ("|=", Operator::Bitwise, "&="),
            ("^=", Operator::Bitwise, "|="),
            ("<<=", Operator::Bitwise, ">>="),
            (">>=", Operator::Bitwise, "<<="),
        ];
        for (old, operator, new) in CHANGES {
            self.swap(operator, part, old, &[new]);
        }
    }

    /// Changes of what is decided upon.
    fn condition(&mut self, part: Part<'_>, constants: &[&str]) {
        let Some(outer) = part.field("condition") else { return };
        let mut condition = outer;
        while condition.kind() == "parenthesized_expression" {
            let Some(inner) = condition.parts().into_iter().find(|inner| inner.kind() != "comment") else {
                return;
            };
            condition = inner;
        }
        let (text, range) = (self.of(condition), condition.range());
        if condition.kind() == "number_literal" {
            return;
        }
        for constant in constants {
            self.add(Operator::Condition, range.clone(), range.clone(), constant);
        }
        let sign = condition.field("operator").map_or("", |sign| self.of(sign));
        if !["!", "==", "!=", "<", "<=", ">", ">="].contains(&sign) {
            self.add(Operator::Negation, range.clone(), range, &format!("!({text})"));
        }
    }
}

/// Code in one line.
fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace(char::is_control, "?")
}
