//! Expressions, by precedence climbing.

use super::super::ast::{Designator, Expression, ExpressionKind as Kind, Infix, Position, Prefix};
use super::super::token::TokenKind;
use super::{Parse, Parser};
use crate::code::Code;

/// How tightly a binary operator binds, and what it is.
fn infix(text: &str) -> Option<(u32, Operator)> {
    use Operator::{And, Infix as In, Or};
    Some(match text {
        "*" => (10, In(Infix::Multiply)),
        "/" => (10, In(Infix::Divide)),
        "%" => (10, In(Infix::Remainder)),
        "+" => (9, In(Infix::Add)),
        "-" => (9, In(Infix::Subtract)),
        "<<" => (8, In(Infix::ShiftLeft)),
        ">>" => (8, In(Infix::ShiftRight)),
        "<" => (7, In(Infix::Less)),
        ">" => (7, In(Infix::Greater)),
        "<=" => (7, In(Infix::LessEqual)),
        ">=" => (7, In(Infix::GreaterEqual)),
        "==" => (6, In(Infix::Equal)),
        "!=" => (6, In(Infix::NotEqual)),
        "&" => (5, In(Infix::BitAnd)),
        "^" => (4, In(Infix::BitXor)),
        "|" => (3, In(Infix::BitOr)),
        "&&" => (2, And),
        "||" => (1, Or),
        _ => return None,
    })
}

#[derive(Clone, Copy)]
enum Operator {
    Infix(Infix),
    And,
    Or,
}

/// The operator of an assignment; `Some(None)` is `=`.
fn assignment(text: &str) -> Option<Option<Infix>> {
    Some(match text {
        "=" => None,
        "*=" => Some(Infix::Multiply),
        "/=" => Some(Infix::Divide),
        "%=" => Some(Infix::Remainder),
        "+=" => Some(Infix::Add),
        "-=" => Some(Infix::Subtract),
        "<<=" => Some(Infix::ShiftLeft),
        ">>=" => Some(Infix::ShiftRight),
        "&=" => Some(Infix::BitAnd),
        "^=" => Some(Infix::BitXor),
        "|=" => Some(Infix::BitOr),
        _ => return None,
    })
}

fn prefix(text: &str) -> Option<Prefix> {
    Some(match text {
        "+" => Prefix::Plus,
        "-" => Prefix::Minus,
        "~" => Prefix::Complement,
        "!" => Prefix::Not,
        "*" => Prefix::Dereference,
        "&" => Prefix::Address,
        "++" => Prefix::Increment,
        "--" => Prefix::Decrement,
        _ => return None,
    })
}

impl<'a> Parser<'a> {
    /// An expression that is all there is.
    pub(in super::super) fn whole_expression(&mut self) -> Option<Expression> {
        let expression = self.expression().ok()?;
        match self.peek().kind {
            TokenKind::End => Some(expression),
            _ => self.unexpected("an operator or the end of the expression").ok(),
        }
    }

    /// An expression, commas included.
    pub(super) fn expression(&mut self) -> Parse<Expression> {
        let mut left = self.assignment_expression()?;
        while self.is(",") {
            let position = self.position();
            self.advance();
            let right = self.assignment_expression()?;
            left = Expression { kind: Kind::Comma(Box::new(left), Box::new(right)), position };
        }
        Ok(left)
    }

    /// An expression without commas outside of parentheses.
    pub(super) fn assignment_expression(&mut self) -> Parse<Expression> {
        self.nested(|parser| {
            let left = parser.conditional_expression()?;
            let Some(operator) = parser.punctuator().and_then(assignment) else { return Ok(left) };
            let position = Position(parser.advance().start);
            let right = parser.assignment_expression()?;
            Ok(Expression { kind: Kind::Assign(operator, Box::new(left), Box::new(right)), position })
        })
    }

    /// An expression without assignments and commas outside of parentheses: where C wants a
    /// constant.
    pub(super) fn conditional_expression(&mut self) -> Parse<Expression> {
        self.nested(|parser| {
            let condition = parser.binary_expression(0)?;
            if !parser.is("?") {
                return Ok(condition);
            }
            let position = Position(parser.advance().start);
            let then = if parser.is(":") { None } else { Some(Box::new(parser.expression()?)) };
            parser.expect(":")?;
            let otherwise = Box::new(parser.conditional_expression()?);
            Ok(Expression { kind: Kind::Conditional(Box::new(condition), then, otherwise), position })
        })
    }

    fn punctuator(&self) -> Option<&'a str> {
        let token = self.peek();
        (token.kind == TokenKind::Punctuator).then(|| self.text(token))
    }

    /// Operators that bind tighter than `limit`.
    fn binary_expression(&mut self, limit: u32) -> Parse<Expression> {
        let mut left = self.cast_expression()?;
        while let Some((strength, operator)) = self.punctuator().and_then(infix) {
            if strength <= limit {
                break;
            }
            let position = Position(self.advance().start);
            let right = self.binary_expression(strength)?;
            let (left_box, right) = (Box::new(left), Box::new(right));
            let kind = match operator {
                Operator::Infix(operator) => Kind::Infix(operator, left_box, right),
                Operator::And => Kind::LogicalAnd(left_box, right),
                Operator::Or => Kind::LogicalOr(left_box, right),
            };
            left = Expression { kind, position };
        }
        Ok(left)
    }

    fn cast_expression(&mut self) -> Parse<Expression> {
        if !(self.is("(") && self.starts_type_at(1)) {
            return self.unary_expression();
        }
        let position = self.position();
        self.nested(|parser| {
            let ty = parser.parenthesised_type()?;
            let kind = if parser.is("{") {
                return parser.compound_literal(ty, position);
            } else {
                Kind::Cast(Box::new(ty), Box::new(parser.cast_expression()?))
            };
            Ok(Expression { kind, position })
        })
    }

    fn parenthesised_type(&mut self) -> Parse<super::super::ast::TypeName> {
        self.expect("(")?;
        let ty = self.type_name()?;
        self.expect(")")?;
        Ok(ty)
    }

    fn compound_literal(&mut self, ty: super::super::ast::TypeName, position: Position) -> Parse<Expression> {
        let list = self.initialiser_list()?;
        self.postfix_operators(Expression { kind: Kind::CompoundLiteral(Box::new(ty), list), position })
    }

    fn unary_expression(&mut self) -> Parse<Expression> {
        let position = self.position();
        if let Some(operator) = self.punctuator().and_then(prefix) {
            return self.nested(|parser| {
                parser.advance();
                let operand = Box::new(parser.cast_expression()?);
                Ok(Expression { kind: Kind::Prefix(operator, operand), position })
            });
        }
        match self.peek_text() {
            "sizeof" => self.nested(Self::sizeof_expression),
            "alignof" | "__alignof" => self.nested(Self::alignof_expression),
            "offsetof" if self.is_at(1, "(") && self.starts_type_at(2) => self.offsetof(),
            "_Generic" if self.is_at(1, "(") => {
                let selection = self.nested(Self::generic_selection)?;
                self.postfix_operators(selection)
            }
            _ => {
                let primary = self.primary_expression()?;
                self.postfix_operators(primary)
            }
        }
    }

    fn sizeof_expression(&mut self) -> Parse<Expression> {
        let position = Position(self.advance().start);
        if self.is("(") && self.starts_type_at(1) {
            let ty = self.parenthesised_type()?;
            if !self.is("{") {
                return Ok(Expression { kind: Kind::SizeofType(Box::new(ty)), position });
            }
            let literal = Box::new(self.compound_literal(ty, position)?);
            return Ok(Expression { kind: Kind::SizeofExpression(literal), position });
        }
        let operand = Box::new(self.unary_expression()?);
        Ok(Expression { kind: Kind::SizeofExpression(operand), position })
    }

    fn alignof_expression(&mut self) -> Parse<Expression> {
        let is_preferred = self.peek_text() == "__alignof";
        let position = Position(self.advance().start);
        if self.is("(") && self.starts_type_at(1) {
            let ty = self.parenthesised_type()?;
            if !self.is("{") {
                return Ok(Expression { kind: Kind::AlignofType(Box::new(ty), is_preferred), position });
            }
            let literal = Box::new(self.compound_literal(ty, position)?);
            return Ok(Expression { kind: Kind::AlignofExpression(literal), position });
        }
        let operand = Box::new(self.unary_expression()?);
        Ok(Expression { kind: Kind::AlignofExpression(operand), position })
    }

    fn offsetof(&mut self) -> Parse<Expression> {
        let position = Position(self.advance().start);
        self.expect("(")?;
        let ty = Box::new(self.type_name()?);
        self.expect(",")?;
        let member = self.identifier("a member")?;
        let mut path = Vec::new();
        loop {
            if self.take(".") {
                path.push(Designator::Field(self.identifier("a member")?));
            } else if self.take("[") {
                path.push(Designator::Index(self.expression()?));
                self.expect("]")?;
            } else {
                break;
            }
        }
        self.expect(")")?;
        Ok(Expression { kind: Kind::Offsetof(ty, member, path), position })
    }

    fn generic_selection(&mut self) -> Parse<Expression> {
        let position = Position(self.advance().start);
        self.expect("(")?;
        let value = Box::new(self.assignment_expression()?);
        let mut choices = Vec::new();
        while self.take(",") {
            let ty = if self.take("default") { None } else { Some(self.type_name()?) };
            self.expect(":")?;
            choices.push((ty, self.assignment_expression()?));
        }
        self.expect(")")?;
        Ok(Expression { kind: Kind::Generic(value, choices), position })
    }

    fn primary_expression(&mut self) -> Parse<Expression> {
        let token = self.peek();
        let position = Position(token.start);
        let text = self.text(token);
        let kind = match token.kind {
            TokenKind::Number => Kind::Number(text.to_owned()),
            TokenKind::Character => Kind::Character(text.to_owned()),
            TokenKind::String => return self.string_literals(),
            TokenKind::Word if self.is_configuration => match self.qualified_name() {
                Some(kind) => return Ok(Expression { kind, position }),
                None => Kind::Name(self.identifier("an expression")?.text),
            },
            TokenKind::Word => return self.name_expression(),
            TokenKind::Punctuator if text == "(" => return self.nested(Self::parenthesised),
            _ => return self.unexpected("an expression"),
        };
        if token.kind != TokenKind::Word {
            self.advance();
        }
        Ok(Expression { kind, position })
    }

    fn name_expression(&mut self) -> Parse<Expression> {
        let name = self.identifier("an expression")?;
        if self.is_type_name(&name.text) {
            let message = format!("the type `{}` stands where an expression is expected", name.text);
            return self.fail(Code::Syntax, name.position, message);
        }
        if matches!(name.text.as_str(), "va_arg" | "__builtin_types_compatible_p" | "__builtin_choose_expr") {
            let message = format!("`{}` is not supported", name.text);
            let advice = (name.text == "va_arg").then_some(
                "only the parameters before `...` can be read; where this function is declared without a body, what it returns is an input",
            );
            return self.fail_with(Code::UnsupportedBuiltin, name.position, message, advice);
        }
        Ok(Expression { kind: Kind::Name(name.text), position: name.position })
    }

    /// `function::x`, `file.c::x`, `file.c::function::x`; nothing is consumed where it is none.
    fn qualified_name(&mut self) -> Option<Kind> {
        let start = self.peek();
        let mut distance = 1;
        let mut end = start.end;
        while !self.is_at(distance, "::") && self.peek_at(distance).start == end {
            let token = self.peek_at(distance);
            let is_path = matches!(self.text(token), "." | "-" | "/") || token.kind != TokenKind::Punctuator;
            if !is_path || token.kind == TokenKind::End {
                return None;
            }
            end = token.end;
            distance += 1;
        }
        let scope = &self.cleaned.text[start.start as usize..end as usize];
        let is_scope =
            distance == 1 || scope.rsplit_once('.').is_some_and(|(_, suffix)| is_source_suffix(suffix));
        if !(is_scope && self.is_at(distance, "::") && self.is_identifier_at(distance + 1)) {
            return None;
        }
        let mut scope = scope.to_owned();
        let mut name = self.text(self.peek_at(distance + 1)).to_owned();
        self.next += distance + 2;
        if distance > 1 && self.is_at(0, "::") && self.is_identifier_at(1) {
            let inner = self.text(self.peek_at(1)).to_owned();
            scope = format!("{scope}::{}", std::mem::replace(&mut name, inner));
            self.next += 2;
        }
        Some(Kind::Qualified { scope, name })
    }

    fn string_literals(&mut self) -> Parse<Expression> {
        let position = self.position();
        let mut literals = Vec::new();
        while self.peek().kind == TokenKind::String {
            let token = self.advance();
            literals.push(self.text(token).to_owned());
        }
        Ok(Expression { kind: Kind::String(literals), position })
    }

    fn parenthesised(&mut self) -> Parse<Expression> {
        let position = self.position();
        self.expect("(")?;
        if self.is_pointer_to_unknown() {
            return self.missing_type();
        }
        let expression = if self.is("{") {
            let block = self.block_here()?;
            Expression { kind: Kind::Block(block), position }
        } else {
            self.expression()?
        };
        self.expect(")")?;
        Ok(expression)
    }

    /// Whether what stands in parentheses can only be a type, by a name that is none: `(message
    /// *)`.
    fn is_pointer_to_unknown(&self) -> bool {
        let stars = (1..).take_while(|&distance| self.is_at(distance, "*")).count();
        self.is_identifier_at(0) && stars > 0 && self.is_at(stars + 1, ")")
    }

    fn postfix_operators(&mut self, mut operand: Expression) -> Parse<Expression> {
        loop {
            let position = self.position();
            let boxed = Box::new(operand);
            let kind = match self.punctuator() {
                Some("[") => {
                    self.advance();
                    let index = Box::new(self.expression()?);
                    self.expect("]")?;
                    Kind::Index(boxed, index)
                }
                Some("(") => Kind::Call(boxed, self.arguments()?),
                Some(text @ ("." | "->")) => {
                    self.advance();
                    Kind::Member(boxed, self.identifier("a member")?, text == "->")
                }
                Some(text @ ("++" | "--")) => {
                    self.advance();
                    Kind::Postfix(boxed, text == "++")
                }
                _ => return Ok(*boxed),
            };
            // A call or member stands where its operand begins; the operator itself would say less.
            let position = match kind {
                Kind::Call(ref operand, _) | Kind::Index(ref operand, _) | Kind::Member(ref operand, ..) => {
                    operand.position
                }
                _ => position,
            };
            operand = Expression { kind, position };
        }
    }

    fn arguments(&mut self) -> Parse<Vec<Expression>> {
        self.expect("(")?;
        let mut arguments = Vec::new();
        if self.take(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.assignment_expression()?);
            if !self.take(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(arguments)
    }
}

fn is_source_suffix(suffix: &str) -> bool {
    matches!(suffix, "c" | "C" | "h" | "H" | "i")
}
