//! Past-time formulas as FRET writes them (`ptExpanded`): the syntax of SMV with `H`, `O`, `S`,
//! `Y` and `Z`, and bounds `[a,b]` in steps; and what internal variables stand for, which is
//! written as in Lustre.

use spec::value::Fraction;
use std::fmt;

/// A formula, or an expression in it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Formula {
    Truth(bool),
    Number(Fraction),
    Name(String),
    Not(Box<Formula>),
    Negate(Box<Formula>),
    Binary(Operator, Box<Formula>, Box<Formula>),
    /// A function and its arguments.
    Call(String, Vec<Formula>),
    /// `H`, `O`, `Y`, `Z`, with the bound where there is one.
    Past(Past, Option<(u32, u32)>, Box<Formula>),
    /// A condition, the value where it holds, and the value elsewhere.
    If(Box<[Formula; 3]>),
    /// The value in the step before. In step 0 it has some value: what reads it there asks first.
    Before(Box<Formula>),
    /// The first has held since the second did.
    Since(Option<(u32, u32)>, Box<Formula>, Box<Formula>),
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Iff,
    Implies,
    Or,
    Xor,
    And,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Add,
    Sub,
    Mul,
    Div,
}

/// Operators on the past with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Past {
    /// Always so far.
    Historically,
    /// Once.
    Once,
    /// In the step before, which exists.
    Yesterday,
    /// In the step before, if there is one.
    WeakYesterday,
}

impl Operator {
    /// How tightly it binds.
    const fn level(self) -> u8 {
        match self {
            Self::Iff => 0,
            Self::Implies => 1,
            Self::Or | Self::Xor => 2,
            Self::And => 3,
            // Since is 4.
            Self::Equal
            | Self::NotEqual
            | Self::Less
            | Self::LessEqual
            | Self::Greater
            | Self::GreaterEqual => 5,
            Self::Add | Self::Sub => 6,
            Self::Mul | Self::Div => 7,
        }
    }
    /// Its operands are numbers.
    pub(super) const fn is_numeric(self) -> bool {
        self.level() >= 6
    }
    /// It compares.
    pub(super) const fn is_comparison(self) -> bool {
        self.level() == 5
    }
    /// The operator in the language of interfaces.
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::Iff | Self::Equal => "=",
            Self::Implies => "->",
            Self::Or => "or",
            Self::Xor => "xor",
            Self::And => "and",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
        }
    }
}

/// Why a text is no formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NoFormula(pub(super) String);

impl fmt::Display for NoFormula {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// Greatest depth of formulas.
const DEEPEST: usize = 400;

/// Reads a formula.
pub(super) fn parse(text: &str) -> Result<Formula, NoFormula> {
    read(text, None)
}

/// Reads an expression of Lustre, in which `->` stands between the values in step 0 and later.
pub(super) fn parse_lustre(text: &str) -> Result<Formula, NoFormula> {
    read(text, Some(Guard::Open))
}

fn read(text: &str, guard: Option<Guard>) -> Result<Formula, NoFormula> {
    let mut reader = Reader { tokens: tokens(text)?, at: 0, depth: 0, guard };
    let formula = reader.whole()?;
    match reader.peek() {
        None => Ok(formula),
        Some(token) => Err(NoFormula(format!("`{token}` cannot stand there"))),
    }
}

fn tokens(text: &str) -> Result<Vec<String>, NoFormula> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let word = |letter: char| letter.is_alphanumeric() || "_.$%".contains(letter);
        let length = if first.is_alphanumeric() || first == '_' || first == '.' {
            rest.find(|letter| !word(letter)).unwrap_or(rest.len())
        } else {
            let known = ["<->", "<=>", "->", "=>", "<=", ">=", "!=", "<>", "&&", "||"];
            let long = known.iter().find(|known| rest.starts_with(**known));
            long.map_or(first.len_utf8(), |known| known.len())
        };
        let (token, behind) = rest.split_at(length);
        if length == first.len_utf8() && !(word(first) || "()[],!&|=<>+-*/".contains(first)) {
            return Err(NoFormula(format!("`{first}` cannot stand in a formula")));
        }
        found.push(token.to_owned());
        rest = behind.trim_start();
    }
    Ok(found)
}

struct Reader {
    tokens: Vec<String>,
    at: usize,
    depth: usize,
    /// None where the text is no Lustre.
    guard: Option<Guard>,
}

/// Whether an expression of Lustre is read in step 0, too.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Guard {
    /// It is, so that it must not read the step before.
    Open,
    /// It stands behind `->`.
    Later,
}

impl Reader {
    fn peek(&self) -> Option<&str> {
        self.tokens.get(self.at).map(String::as_str)
    }
    fn next(&mut self) -> Option<String> {
        self.at += 1;
        self.tokens.get(self.at - 1).cloned()
    }
    fn accept(&mut self, token: &str) -> bool {
        let is_there = self.peek() == Some(token);
        self.at += usize::from(is_there);
        is_there
    }
    fn expect(&mut self, token: &str) -> Result<(), NoFormula> {
        match self.next() {
            Some(found) if found == token => Ok(()),
            Some(found) => Err(NoFormula(format!("`{token}` was expected in place of `{found}`"))),
            None => Err(NoFormula(format!("`{token}` is missing at the end"))),
        }
    }

    fn operator(&self) -> Option<Operator> {
        Some(match self.peek()? {
            "<->" | "<=>" => Operator::Iff,
            "->" if self.guard.is_some() => return None,
            "->" | "=>" => Operator::Implies,
            "|" | "||" | "or" => Operator::Or,
            "xor" => Operator::Xor,
            "&" | "&&" | "and" => Operator::And,
            "=" => Operator::Equal,
            "!=" | "<>" => Operator::NotEqual,
            "<" => Operator::Less,
            "<=" => Operator::LessEqual,
            ">" => Operator::Greater,
            ">=" => Operator::GreaterEqual,
            "+" => Operator::Add,
            "-" => Operator::Sub,
            "*" => Operator::Mul,
            "/" => Operator::Div,
            _ => return None,
        })
    }

    /// An expression with all that may stand in parentheses.
    fn whole(&mut self) -> Result<Formula, NoFormula> {
        let first = self.level(0)?;
        if self.guard.is_none() || !self.accept("->") {
            return Ok(first);
        }
        self.deeper()?;
        let later = self.guarded(Guard::Later, Self::whole)?;
        self.depth -= 1;
        Ok(Formula::initially(first, later))
    }
    fn deeper(&mut self) -> Result<(), NoFormula> {
        self.depth += 1;
        match self.depth > DEEPEST {
            true => Err(NoFormula("the formula is nested too deeply".to_owned())),
            false => Ok(()),
        }
    }
    fn guarded<T>(
        &mut self,
        guard: Guard,
        read: impl FnOnce(&mut Self) -> Result<T, NoFormula>,
    ) -> Result<T, NoFormula> {
        let before = self.guard.replace(guard);
        let found = read(self);
        self.guard = before;
        found
    }

    /// An expression whose operators bind at least that tightly.
    fn level(&mut self, least: u8) -> Result<Formula, NoFormula> {
        self.deeper()?;
        let mut left = self.unary()?;
        loop {
            if self.peek() == Some("S") && least <= 4 {
                self.at += 1;
                let bound = self.bound()?;
                let right = self.level(5)?;
                left = Formula::Since(bound, Box::new(left), Box::new(right));
                continue;
            }
            let Some(operator) = self.operator().filter(|operator| operator.level() >= least) else { break };
            self.at += 1;
            // Implications group to the right, all others to the left.
            let tighter = if operator == Operator::Implies { operator.level() } else { operator.level() + 1 };
            let right = self.level(tighter)?;
            left = Formula::Binary(operator, Box::new(left), Box::new(right));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn unary(&mut self) -> Result<Formula, NoFormula> {
        let past = match self.peek() {
            Some("H") => Past::Historically,
            Some("O") => Past::Once,
            Some("Y") => Past::Yesterday,
            Some("Z") => Past::WeakYesterday,
            Some("!" | "not") => {
                self.at += 1;
                return Ok(Formula::Not(Box::new(self.level(8)?)));
            }
            Some("-") => {
                self.at += 1;
                return Ok(Formula::Negate(Box::new(self.level(8)?)));
            }
            Some("if") => return self.choice(),
            Some("pre") if self.guard == Some(Guard::Later) => {
                self.at += 1;
                return Ok(Formula::Before(Box::new(self.guarded(Guard::Open, |reader| reader.level(8))?)));
            }
            Some("pre") if self.guard.is_some() => {
                return Err(NoFormula("`pre` has no value in the first step, without `->`".to_owned()));
            }
            _ => return self.primary(),
        };
        self.at += 1;
        let bound = self.bound()?;
        Ok(Formula::Past(past, bound, Box::new(self.level(8)?)))
    }

    fn choice(&mut self) -> Result<Formula, NoFormula> {
        self.at += 1;
        let condition = self.whole()?;
        self.expect("then")?;
        let then = self.whole()?;
        self.expect("else")?;
        Ok(Formula::If(Box::new([condition, then, self.whole()?])))
    }

    fn bound(&mut self) -> Result<Option<(u32, u32)>, NoFormula> {
        if !self.accept("[") {
            return Ok(None);
        }
        let mut number = || {
            let text = self.next().unwrap_or_default();
            text.parse::<u32>().map_err(|_| NoFormula(format!("`{text}` is no bound")))
        };
        let from = number()?;
        self.expect(",")?;
        let text = self.next().unwrap_or_default();
        let to: u32 = text.parse().map_err(|_| NoFormula(format!("`{text}` is no bound")))?;
        self.expect("]")?;
        match from <= to {
            true => Ok(Some((from, to))),
            false => Err(NoFormula(format!("the bound [{from},{to}] is empty"))),
        }
    }

    fn primary(&mut self) -> Result<Formula, NoFormula> {
        let Some(token) = self.next() else { return Err(NoFormula("the formula ends too early".to_owned())) };
        if token == "(" {
            let inside = self.whole()?;
            self.expect(")")?;
            return Ok(inside);
        }
        if token.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
            return number(&token).map(Formula::Number);
        }
        match token.as_str() {
            "TRUE" | "true" => return Ok(Formula::Truth(true)),
            "FALSE" | "false" => return Ok(Formula::Truth(false)),
            _ => {}
        }
        if !token.starts_with(|first: char| first.is_alphabetic() || first == '_') {
            return Err(NoFormula(format!("`{token}` cannot stand there")));
        }
        if !self.accept("(") {
            return Ok(Formula::Name(token));
        }
        let mut args = vec![self.whole()?];
        while self.accept(",") {
            args.push(self.whole()?);
        }
        self.expect(")")?;
        Ok(match (token.as_str(), &args[..]) {
            // The value in step 0, and an expression that is read a step before.
            ("preReal" | "preInt" | "preBool", [first, before]) => {
                Formula::initially(first.clone(), Formula::Before(Box::new(before.clone())))
            }
            _ => Formula::Call(token, args),
        })
    }
}

/// A decimal number.
pub(super) fn number(text: &str) -> Result<Fraction, NoFormula> {
    let wrong = || NoFormula(format!("`{text}` is no number"));
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.chars().all(|digit| digit.is_ascii_digit());
    if !digits(whole)
        || !digits(part)
        || whole.len() + part.len() > 30
        || (whole.is_empty() && part.is_empty())
    {
        return Err(wrong());
    }
    let units: i128 = format!("{whole}{part}").parse().map_err(|_| wrong())?;
    Ok(Fraction::new(units, 10_i128.pow(part.len() as u32)))
}

impl Formula {
    /// What has one value in step 0 and another one later.
    fn initially(first: Self, later: Self) -> Self {
        let is_first = Self::Past(Past::WeakYesterday, None, Box::new(Self::Truth(false)));
        Self::If(Box::new([is_first, first, later]))
    }
    /// Calls `visit` with each part that is a direct operand.
    pub(super) fn operands(&self) -> Vec<&Self> {
        match self {
            Self::Truth(_) | Self::Number(_) | Self::Name(_) => Vec::new(),
            Self::Not(one) | Self::Negate(one) | Self::Past(_, _, one) | Self::Before(one) => vec![one],
            Self::If(parts) => parts.iter().collect(),
            Self::Binary(_, left, right) | Self::Since(_, left, right) => vec![left, right],
            Self::Call(_, args) => args.iter().collect(),
        }
    }
    /// Builds the formula anew, with `change` applied to each of its direct operands.
    pub(super) fn map<E>(&self, mut change: impl FnMut(&Self) -> Result<Self, E>) -> Result<Self, E> {
        let mut boxed = |one: &Self| change(one).map(Box::new);
        Ok(match self {
            Self::Truth(_) | Self::Number(_) | Self::Name(_) => self.clone(),
            Self::Not(one) => Self::Not(boxed(one)?),
            Self::Negate(one) => Self::Negate(boxed(one)?),
            Self::Past(past, bound, one) => Self::Past(*past, *bound, boxed(one)?),
            Self::Before(one) => Self::Before(boxed(one)?),
            Self::If(parts) => {
                let [condition, then, other] = &**parts;
                Self::If(Box::new([change(condition)?, change(then)?, change(other)?]))
            }
            Self::Binary(operator, left, right) => Self::Binary(*operator, boxed(left)?, boxed(right)?),
            Self::Since(bound, left, right) => Self::Since(*bound, boxed(left)?, boxed(right)?),
            Self::Call(name, args) => {
                Self::Call(name.clone(), args.iter().map(&mut change).collect::<Result<_, E>>()?)
            }
        })
    }
    /// The names whose values of the same step it reads.
    pub(super) fn names_now(&self) -> Vec<&str> {
        match self {
            Self::Name(name) => vec![name],
            Self::Before(_) => Vec::new(),
            other => other.operands().into_iter().flat_map(Self::names_now).collect(),
        }
    }
    /// The names in it, from left to right.
    pub(super) fn names(&self) -> Vec<&str> {
        match self {
            Self::Name(name) => vec![name],
            other => other.operands().into_iter().flat_map(Self::names).collect(),
        }
    }
}
