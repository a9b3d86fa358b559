//! Syntax trees as text, with the parentheses that they need and no others.
//!
//! The text of a tree reads back as that tree.

use crate::language::Language;
use crate::lexer::is_plain_name;
use crate::syntax::{Assignment, Common, Expr, ExprKind, Level, Name, Set, TypeExpr, TypeKind, UnaryOp};
use std::fmt::Write;

/// An expression as text.
pub fn expression(expr: &Expr, language: &Language) -> String {
    let mut printer = Printer { text: String::new(), language };
    printer.expr(expr, Level::Conditional);
    printer.text
}

/// A type as text.
pub fn type_expr(ty: &TypeExpr, language: &Language) -> String {
    let mut printer = Printer { text: String::new(), language };
    printer.ty(ty);
    printer.text
}

/// A declaration as text, without a line end.
pub fn common(declaration: &Common, language: &Language) -> String {
    let named = |word: &str, name: &Name| format!("{word} {} = ", name_of(&name.text, language));
    match declaration {
        Common::Const { name, value } => named("const", name) + &expression(value, language),
        Common::Type { name, ty } => named("type", name) + &type_expr(ty, language),
        Common::Define { name, body } => named("define", name) + &expression(body, language),
    }
}

/// An assignment as text.
pub fn assignment(assignment: &Assignment, language: &Language) -> String {
    let targets = assignment.targets.iter().map(|name| name_of(&name.text, language));
    let values = assignment.values.iter().map(|value| expression(value, language));
    format!("{} := {}", Vec::from_iter(targets).join(", "), Vec::from_iter(values).join(", "))
}

/// A name as text: in quotes where it needs them.
pub fn name_of(name: &str, language: &Language) -> String {
    if is_plain_name(name, language) { name.to_owned() } else { quoted(name) }
}

/// A text in quotes.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

struct Printer<'a> {
    text: String,
    language: &'a Language,
}

impl Printer<'_> {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }
    fn list(&mut self, exprs: &[Expr], level: Level) {
        for (index, expr) in exprs.iter().enumerate() {
            self.push(if index > 0 { ", " } else { "" });
            self.expr(expr, level);
        }
    }

    /// An expression where one of that level, or a tighter one, can stand.
    fn expr(&mut self, expr: &Expr, level: Level) {
        let is_enclosed = expr.level() < level;
        self.push(if is_enclosed { "(" } else { "" });
        match &expr.kind {
            ExprKind::Bool(value) => self.push(if *value { "true" } else { "false" }),
            ExprKind::Number(text) => self.push(text),
            ExprKind::Name { name, primed } => {
                let name = name_of(name, self.language);
                self.push(&name);
                self.push(if *primed { "'" } else { "" });
            }
            ExprKind::Unary { op, arg } => {
                self.push(if *op == UnaryOp::Not { "not " } else { "-" });
                self.expr(arg, Level::Unary);
            }
            ExprKind::Chain { first, rest } => {
                let tighter = expr.level().tighter();
                self.expr(first, tighter);
                for link in rest {
                    let _ = write!(self.text, " {} ", link.op.text());
                    self.expr(&link.operand, tighter);
                }
            }
            ExprKind::In { arg, set } => {
                self.expr(arg, Level::Sum);
                self.push(" in ");
                self.set(set);
            }
            ExprKind::If { condition, then, otherwise } => {
                for (word, part) in [("if ", condition), (" then ", then), (" else ", otherwise)] {
                    self.push(word);
                    self.expr(part, Level::Conditional);
                }
            }
            ExprKind::Call { function, args } => {
                self.push(function.text());
                self.push("(");
                self.list(args, Level::Conditional);
                self.push(")");
            }
            ExprKind::Cast { cast, ty, arg } => {
                self.push(cast.text());
                self.push("(");
                self.ty(ty);
                self.push(", ");
                self.expr(arg, Level::Conditional);
                self.push(")");
            }
        }
        self.push(if is_enclosed { ")" } else { "" });
    }

    fn set(&mut self, set: &Set) {
        match set {
            Set::Range(lo, hi) => self.range(lo, hi),
            Set::Values(values) => {
                self.push("{");
                self.list(values, Level::Conditional);
                self.push("}");
            }
        }
    }
    fn range(&mut self, lo: &Expr, hi: &Expr) {
        self.expr(lo, Level::Sum);
        self.push("..");
        self.expr(hi, Level::Sum);
    }

    fn ty(&mut self, ty: &TypeExpr) {
        match &ty.kind {
            TypeKind::Word(word) => self.push(word),
            TypeKind::Named(name) => {
                let name = name_of(name, self.language);
                self.push(&name);
            }
            TypeKind::Range { lo, hi, step } => {
                self.range(lo, hi);
                if let Some(step) = step {
                    self.push(" step ");
                    self.expr(step, Level::Sum);
                }
            }
            TypeKind::Braces(values) => {
                self.push("{");
                self.list(values, Level::Sum);
                self.push("}");
            }
        }
    }
}
