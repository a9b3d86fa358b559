//! Expressions, by precedence climbing.

use super::{Parsed, Parser, Reported};
use crate::code::Code;
use crate::language::{FUNCTIONS, known_names};
use crate::lexer::{Extent, Token, TokenKind};
use crate::syntax::{BinaryOp, Cast, Expr, ExprKind, Function, Level, Link, Set, UnaryOp};

impl Parser<'_> {
    /// An expression.
    ///
    /// # Errors
    /// If none stands at the cursor, or it has no end.
    pub fn expression(&mut self) -> Parsed<Expr> {
        if self.at("if") { self.nested(Self::conditional) } else { self.level(Level::Iff) }
    }

    fn conditional(&mut self) -> Parsed<Expr> {
        let start = self.expect("if", "before a condition")?;
        let condition = Box::new(self.expression()?);
        self.expect("then", "behind the condition of `if`")?;
        let then = Box::new(self.expression()?);
        self.expect("else", "behind the first value of `if`: both cases have one")?;
        let otherwise = Box::new(self.expression()?);
        let extent = start.until(self.before());
        Ok(Expr { kind: ExprKind::If { condition, then, otherwise }, extent })
    }

    /// An expression whose operators bind at least as tightly as `loosest`.
    pub(super) fn level(&mut self, loosest: Level) -> Parsed<Expr> {
        let start = self.here();
        let mut expr = self.unary()?;
        // Whether `expr` ends with a comparison that stands in no parentheses.
        let mut is_compared = false;
        loop {
            if self.at("in") && loosest <= Level::Compare {
                self.check_comparison(is_compared)?;
                expr = self.membership(expr, start)?;
                is_compared = true;
                continue;
            }
            let level = self.operator().map(BinaryOp::level);
            let Some(level) = level.filter(|level| *level >= loosest) else { return Ok(expr) };
            self.check_comparison(is_compared && level == Level::Compare)?;
            expr = self.chain(expr, start, level)?;
            is_compared = level == Level::Compare;
        }
    }

    /// Refuses a comparison behind one that it does not chain with.
    fn check_comparison(&mut self, is_chained: bool) -> Parsed<()> {
        if !is_chained {
            return Ok(());
        }
        self.error(Code::Unexpected, self.here(), "`in` does not chain with other comparisons")
            .advice("put one of the comparisons in parentheses");
        Err(Reported)
    }

    /// The operators of one level behind a first operand.
    fn chain(&mut self, first: Expr, start: Extent, level: Level) -> Parsed<Expr> {
        let mut rest: Vec<Link> = Vec::new();
        while let Some(op) = self.operator().filter(|op| op.level() == level) {
            self.check_chain(&rest, op)?;
            let place = self.operator_token(op);
            let operand = self.nested(|parser| parser.level(level.tighter()))?;
            rest.push(Link { op, place, operand });
        }
        let extent = start.until(self.before());
        Ok(Expr { kind: ExprKind::Chain { first: Box::new(first), rest }, extent })
    }

    /// Refuses chains whose meaning readers would dispute.
    fn check_chain(&mut self, rest: &[Link], op: BinaryOp) -> Parsed<()> {
        use BinaryOp::*;
        let Some(last) = rest.last() else { return Ok(()) };
        let is_fine = match (last.op, op) {
            (Less | LessEqual, Less | LessEqual) | (Greater | GreaterEqual, Greater | GreaterEqual) => true,
            _ => !matches!(op.level(), Level::Compare | Level::Implies | Level::Iff),
        };
        if is_fine {
            return Ok(());
        }
        let message = format!("`{}` and `{}` do not chain", last.op.text(), op.text());
        let message = if last.op == op { format!("`{}` does not chain", op.text()) } else { message };
        self.error(Code::Unexpected, self.here(), message)
            .advice("put one of the two in parentheses; only `a < b <= c` and its like stand in a row");
        Err(Reported)
    }

    fn membership(&mut self, arg: Expr, start: Extent) -> Parsed<Expr> {
        self.advance();
        let set = if self.accept("{").is_some() {
            let values = self.list(|parser| parser.nested(Self::expression))?;
            self.expect("}", "behind the values of a set")?;
            Set::Values(values)
        } else {
            let (lo, hi) = self.bounds()?;
            Set::Range(Box::new(lo), Box::new(hi))
        };
        let extent = start.until(self.before());
        Ok(Expr { kind: ExprKind::In { arg: Box::new(arg), set }, extent })
    }

    /// `lo..hi`, whose bounds are any sums: what may stand behind `in` beside `{a, b}`.
    ///
    /// # Errors
    /// If none stands at the cursor.
    pub fn bounds(&mut self) -> Parsed<(Expr, Expr)> {
        let lo = self.nested(|parser| parser.level(Level::Sum))?;
        self.expect("..", "between the bounds of `in` (or `{a, b}`)")?;
        Ok((lo, self.nested(|parser| parser.level(Level::Sum))?))
    }

    /// The operator at the cursor, also one spelled as in C.
    fn operator(&self) -> Option<BinaryOp> {
        let (TokenKind::Symbol(word) | TokenKind::Keyword(word)) = self.peek().kind else { return None };
        BinaryOp::of(word).or(match word {
            "&&" => Some(BinaryOp::And),
            "||" => Some(BinaryOp::Or),
            "==" => Some(BinaryOp::Equal),
            "%" => Some(BinaryOp::Remainder),
            "^" | "&" | "|" | "<<" | ">>" => Some(BinaryOp::Mul),
            _ => None,
        })
    }

    /// Reads an operator and reports one spelled as in C.
    fn operator_token(&mut self, op: BinaryOp) -> Extent {
        let token = self.advance();
        let (TokenKind::Symbol(word) | TokenKind::Keyword(word)) = token.kind else { return token.extent };
        let meant = match word {
            "^" => "`xor` of truths, or `bitxor(a, b)` of machine integers",
            "&" => "`and` of truths, or `bitand(a, b)` of machine integers",
            "|" => "`or` of truths, or `bitor(a, b)` of machine integers",
            "<<" => "`shl(a, n)` of machine integers",
            ">>" => "`shr(a, n)` of machine integers",
            _ if word != op.text() => {
                self.error(Code::CSpelling, token.extent, format!("`{word}` is C"))
                    .advice(format!("did you mean `{}`?", op.text()));
                return token.extent;
            }
            _ => return token.extent,
        };
        self.error(Code::CSpelling, token.extent, format!("`{word}` is C"))
            .advice(format!("did you mean {meant}?"));
        token.extent
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let Token { kind, extent } = self.peek();
        let op = match kind {
            TokenKind::Keyword("not") => UnaryOp::Not,
            TokenKind::Symbol("-") => UnaryOp::Negate,
            TokenKind::Symbol("!") => {
                self.error(Code::CSpelling, *extent, "`!` is C").advice("did you mean `not`?");
                UnaryOp::Not
            }
            TokenKind::Symbol("~") => {
                self.error(Code::CSpelling, *extent, "`~` is C")
                    .advice("did you mean `bitnot(a)` of machine integers?");
                UnaryOp::Negate
            }
            _ => return self.primary(),
        };
        self.advance();
        let arg = Box::new(self.nested(Self::unary)?);
        Ok(Expr { kind: ExprKind::Unary { op, arg }, extent: extent.until(self.before()) })
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let Token { kind, extent } = self.peek();
        let expr = |kind| Ok(Expr { kind, extent: *extent });
        match kind {
            TokenKind::Number(text) => {
                self.advance();
                expr(ExprKind::Number(text.clone()))
            }
            TokenKind::Keyword(word @ ("true" | "false")) => {
                self.advance();
                expr(ExprKind::Bool(*word == "true"))
            }
            TokenKind::Name(name) | TokenKind::Text(name) => {
                self.advance();
                self.named(name, *extent)
            }
            TokenKind::Keyword(word) if FUNCTIONS.contains(word) => {
                self.advance();
                self.nested(|parser| parser.call(word, *extent))
            }
            TokenKind::Symbol("(") => {
                self.advance();
                let inner = self.nested(Self::expression)?;
                self.expect(")", "behind an expression in parentheses")?;
                Ok(inner)
            }
            TokenKind::Keyword("if") => {
                self.error(Code::Unexpected, *extent, "`if` as an operand stands in parentheses")
                    .advice("write `(if c then a else b)`");
                self.nested(Self::conditional)
            }
            _ => Err(self.unexpected("an expression")),
        }
    }

    fn named(&mut self, name: &str, extent: Extent) -> Parsed<Expr> {
        if self.at("(") && self.here().from == extent.to {
            let message = format!("there is no function `{name}`");
            self.error(Code::UnknownName, extent, message).advice(known_names(name, &FUNCTIONS));
            return Err(Reported);
        }
        let primed = self.accept("'").is_some();
        if primed && let Some(second) = self.accept("'") {
            self.error(Code::NotPrimed, second, "a second prime: only one step can be looked ahead");
        }
        let kind = ExprKind::Name { name: name.to_owned(), primed };
        Ok(Expr { kind, extent: extent.until(self.before()) })
    }

    fn call(&mut self, word: &'static str, extent: Extent) -> Parsed<Expr> {
        self.expect("(", &format!("behind the function `{word}`"))?;
        let kind = match (Cast::of(word), Function::of(word)) {
            (Some(cast), _) => {
                let ty = self.type_expr()?;
                self.expect(",", &format!("between type and value of `{word}`"))?;
                ExprKind::Cast { cast, ty, arg: Box::new(self.expression()?) }
            }
            (None, Some(function)) => ExprKind::Call { function, args: self.list(Self::expression)? },
            (None, None) => return Err(self.unexpected("a function")),
        };
        self.expect(")", &format!("behind the arguments of `{word}`"))?;
        Ok(Expr { kind, extent: extent.until(self.before()) })
    }
}
