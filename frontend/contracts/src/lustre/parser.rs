//! From tokens to syntax trees.

use super::KEYWORDS;
use super::lexer::{Token, tokens};
use super::syntax::{Contract, Expr, ExprKind, File, Item, Operator, Place, Type, Variable};
use spec::value::parse_number;

/// What is wrong, and where.
pub(super) type Wrong = (Place, String);

type Parsed<T> = Result<T, Wrong>;

/// Expressions within expressions at most.
const DEEPEST: usize = 400;

/// The declarations of a file that concern contracts.
///
/// # Errors
/// It does not parse.
pub(super) fn parse(text: &str) -> Parsed<File> {
    let mut parser = Parser { tokens: tokens(text)?, next: 0, depth: 0 };
    let mut file = File::default();
    while *parser.peek() != Token::End {
        parser.declaration(&mut file)?;
    }
    Ok(file)
}

struct Parser {
    tokens: Vec<(Token, Place)>,
    next: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.next].0
    }
    fn place(&self) -> Place {
        self.tokens[self.next].1
    }
    fn advance(&mut self) -> Token {
        let token = self.peek().clone();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        token
    }
    fn is_at(&self, word: &str) -> bool {
        match self.peek() {
            Token::Word(found) => found == word,
            Token::Symbol(found) => *found == word,
            _ => false,
        }
    }
    fn accept(&mut self, word: &str) -> bool {
        let is_there = self.is_at(word);
        if is_there {
            self.advance();
        }
        is_there
    }
    fn expect(&mut self, word: &str) -> Parsed<()> {
        if self.accept(word) { Ok(()) } else { Err(self.unexpected(&format!("`{word}`"))) }
    }
    fn unexpected(&self, expected: &str) -> Wrong {
        (self.place(), format!("expected {expected}, found {}", self.peek()))
    }
    fn name(&mut self) -> Parsed<String> {
        match self.peek() {
            Token::Word(word) if !KEYWORDS.contains(&word.as_str()) => {
                let word = word.clone();
                self.advance();
                Ok(word)
            }
            _ => Err(self.unexpected("a name")),
        }
    }
    fn names(&mut self) -> Parsed<Vec<(String, Place)>> {
        let mut found = vec![(self.place(), self.name()?)];
        while self.accept(",") {
            found.push((self.place(), self.name()?));
        }
        Ok(found.into_iter().map(|(place, name)| (name, place)).collect())
    }

    fn declaration(&mut self, file: &mut File) -> Parsed<()> {
        let _ = self.accept("opaque") || self.accept("transparent");
        if self.accept("type") {
            let name = self.name()?;
            self.expect("=")?;
            file.types.push((name, self.ty()?));
            return self.expect(";");
        }
        if self.accept("const") {
            let name = self.name()?;
            if self.accept(":") {
                self.ty()?;
            }
            let place = self.place();
            if !self.accept("=") {
                return Err((place, format!("the constant `{name}` has no value; interfaces need one")));
            }
            file.constants.push((name, self.expr()?));
            return self.expect(";");
        }
        if self.accept("contract") {
            let mut contract = self.head()?;
            self.expect("let")?;
            self.items(&mut contract, "tel")?;
            let _ = self.accept(";") || self.accept(".");
            file.contracts.push(contract);
            return Ok(());
        }
        if self.accept("node") || self.accept("function") {
            let is_imported = self.accept("imported");
            let mut contract = self.head()?;
            let has_contract = self.accept("con");
            if has_contract {
                self.items(&mut contract, "noc")?;
            }
            if !is_imported {
                contract.has_body = true;
                self.body()?;
            }
            if has_contract {
                file.contracts.push(contract);
            }
            return Ok(());
        }
        Err(self.unexpected("`type`, `const`, `contract` or `node`"))
    }
    /// `NAME (inputs) returns (outputs) ;`
    fn head(&mut self) -> Parsed<Contract> {
        let name = self.name()?;
        let inputs = self.parameters()?;
        self.expect("returns")?;
        let outputs = self.parameters()?;
        let _ = self.accept(";");
        Ok(Contract { name, inputs, outputs, items: Vec::new(), has_body: false })
    }
    fn parameters(&mut self) -> Parsed<Vec<Variable>> {
        self.expect("(")?;
        let mut found = Vec::new();
        while !self.accept(")") {
            let _ = self.accept("const");
            let names = self.names()?;
            self.expect(":")?;
            let ty = self.ty()?;
            found.extend(names.into_iter().map(|(name, place)| Variable { name, ty: ty.clone(), place }));
            if !self.is_at(")") {
                self.expect(";")?;
            }
        }
        Ok(found)
    }
    fn ty(&mut self) -> Parsed<Type> {
        let place = self.place();
        let ty = if self.accept("bool") {
            Type::Bool
        } else if self.accept("int") {
            Type::Unbounded("int")
        } else if self.accept("real") {
            Type::Unbounded("real")
        } else if self.accept("subrange") {
            self.expect("[")?;
            let lo = self.bound()?;
            self.expect(",")?;
            let hi = self.bound()?;
            self.expect("]")?;
            self.expect("of")?;
            self.expect("int")?;
            Type::Range(lo, hi)
        } else if self.accept("enum") {
            self.expect("{")?;
            let names = self.names()?;
            self.expect("}")?;
            Type::Enum(names.into_iter().map(|(name, _)| name).collect())
        } else {
            Type::Named(self.name()?)
        };
        match self.peek() {
            Token::Symbol("^" | "<") => {
                Err((place, "arrays and parametrised types have no place in an interface".to_owned()))
            }
            _ => Ok(ty),
        }
    }
    fn bound(&mut self) -> Parsed<Expr> {
        if self.is_at("*") {
            return Err((self.place(), "a subrange without a bound has no place in an interface".to_owned()));
        }
        self.expr()
    }
    /// Variables and equations of a node, which say nothing about its contract.
    fn body(&mut self) -> Parsed<()> {
        while !self.is_at("tel") {
            if *self.peek() == Token::End {
                return Err(self.unexpected("`tel` at the end of the body of a node"));
            }
            self.advance();
        }
        self.advance();
        let _ = self.accept(";") || self.accept(".");
        Ok(())
    }

    fn items(&mut self, contract: &mut Contract, end: &str) -> Parsed<()> {
        while !self.accept(end) {
            let item = self.item()?;
            contract.items.push(item);
        }
        Ok(())
    }
    fn text(&mut self) -> Option<String> {
        let Token::Text(text) = self.peek() else { return None };
        let text = text.clone();
        self.advance();
        Some(text)
    }
    fn item(&mut self) -> Parsed<Item> {
        let place = self.place();
        let item = if self.accept("var") {
            let name = self.name()?;
            self.expect(":")?;
            let ty = self.ty()?;
            self.expect("=")?;
            Item::Variable(Variable { name, ty, place }, self.expr()?)
        } else if self.accept("const") {
            let name = self.name()?;
            if self.accept(":") {
                self.ty()?;
            }
            self.expect("=")?;
            Item::Constant(name, self.expr()?)
        } else if self.accept("assume") {
            let _ = self.text();
            Item::Assume(self.expr()?)
        } else if self.accept("guarantee") {
            let name = self.text();
            Item::Guarantee(name, self.expr()?)
        } else if self.accept("mode") {
            return self.mode();
        } else if self.is_at("weakly") || self.is_at("import") {
            let word = if self.is_at("weakly") { "weakly" } else { "import" };
            while !self.is_at(";") && *self.peek() != Token::End {
                self.advance();
            }
            Item::Other(word.to_owned(), place)
        } else {
            return Err(self.unexpected("an item of a contract"));
        };
        self.expect(";")?;
        Ok(item)
    }
    fn mode(&mut self) -> Parsed<Item> {
        let name = self.name()?;
        self.expect("(")?;
        let (mut requires, mut ensures) = (Vec::new(), Vec::new());
        while !self.accept(")") {
            let into = if self.accept("require") {
                &mut requires
            } else if self.accept("ensure") {
                &mut ensures
            } else {
                return Err(self.unexpected("`require` or `ensure`"));
            };
            let _ = self.text();
            let part = self.expr()?;
            into.push(part);
            self.expect(";")?;
        }
        let _ = self.accept(";");
        Ok(Item::Mode { name, requires, ensures })
    }

    /// An expression; `->` binds loosest and to the right.
    fn expr(&mut self) -> Parsed<Expr> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err((self.place(), "the expression is nested too deeply".to_owned()));
        }
        let left = self.binary(1)?;
        let found = match self.accept("->") {
            true => {
                let right = self.expr()?;
                let place = left.place;
                Expr { kind: Box::new(ExprKind::Arrow(left, right)), place }
            }
            false => left,
        };
        self.depth -= 1;
        Ok(found)
    }
    /// Operators that bind at least so tightly; implications associate to the right.
    fn binary(&mut self, loosest: u32) -> Parsed<Expr> {
        let mut left = self.unary()?;
        loop {
            let word = match self.peek() {
                Token::Word(word) => word.clone(),
                Token::Symbol(symbol) => (*symbol).to_owned(),
                _ => return Ok(left),
            };
            if ["/", "fby", "when", "^", "."].contains(&word.as_str()) {
                return Err((self.place(), format!("`{word}` has no place in an interface")));
            }
            let Some((operator, level)) = Operator::of(&word).filter(|(_, level)| *level >= loosest) else {
                return Ok(left);
            };
            self.advance();
            let right = match operator {
                Operator::Implies => {
                    self.depth += 1;
                    if self.depth > DEEPEST {
                        return Err((self.place(), "the expression is nested too deeply".to_owned()));
                    }
                    let right = self.binary(level)?;
                    self.depth -= 1;
                    right
                }
                _ => self.binary(level + 1)?,
            };
            let place = left.place;
            left = Expr { kind: Box::new(ExprKind::Binary(operator, left, right)), place };
        }
    }
    fn unary(&mut self) -> Parsed<Expr> {
        let place = self.place();
        let made = |kind| Ok(Expr { kind: Box::new(kind), place });
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err((place, "the expression is nested too deeply".to_owned()));
        }
        let found = if self.accept("not") {
            made(ExprKind::Not(self.unary()?))
        } else if self.accept("-") {
            made(ExprKind::Negate(self.unary()?))
        } else if self.accept("pre") {
            made(ExprKind::Before(self.unary()?))
        } else if self.accept("if") {
            let condition = self.expr()?;
            self.expect("then")?;
            let then = self.expr()?;
            self.expect("else")?;
            made(ExprKind::If(condition, then, self.expr()?))
        } else {
            self.primary()
        };
        self.depth -= 1;
        found
    }
    fn primary(&mut self) -> Parsed<Expr> {
        let place = self.place();
        let made = |kind| Ok(Expr { kind: Box::new(kind), place });
        if self.accept("(") {
            let inner = self.expr()?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.accept("true") {
            return made(ExprKind::Truth(true));
        }
        if self.accept("false") {
            return made(ExprKind::Truth(false));
        }
        if let Token::Number(digits) = self.peek() {
            let number =
                parse_number(digits).ok_or_else(|| (place, format!("the number {digits} is too large")))?;
            self.advance();
            return made(ExprKind::Number(number));
        }
        if self.is_at("::") {
            return Err((place, "references to modes have no place in an interface".to_owned()));
        }
        let name = self.name()?;
        if self.is_at("(") {
            return Err((place, format!("the call of `{name}` has no place in an interface")));
        }
        made(ExprKind::Name(name))
    }
}
