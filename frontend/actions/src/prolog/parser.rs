//! From tokens to a model, whose expressions and bodies are text of action systems already.

use super::NotImported;
use super::lexer::{Place, Token};
use spec::language::ACTIONS;
use spec::print::name_of;

/// A type of numbers.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    pub(super) name: String,
    pub(super) lo: i128,
    pub(super) hi: i128,
}

/// The name of a parameter.
#[derive(Clone, Debug)]
pub(super) struct Parameter(pub(super) String);

/// An action.
#[derive(Clone, Debug)]
pub(super) struct Action {
    pub(super) name: String,
    pub(super) parameters: Vec<Parameter>,
    /// The guard; none where it is `true`.
    pub(super) guard: Option<String>,
    pub(super) body: String,
}

/// An action in the do-od block, with the types of its parameters.
#[derive(Clone, Debug)]
pub(super) struct Joined {
    pub(super) name: String,
    pub(super) types: Vec<String>,
    pub(super) place: Place,
}

/// A model.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    pub(super) types: Vec<Declared>,
    /// Name, type and initial value.
    pub(super) variables: Vec<(String, String, i128)>,
    pub(super) actions: Vec<Action>,
    pub(super) block: Vec<Joined>,
}

type Parsed<T> = Result<T, NotImported>;

/// Nesting of parentheses beyond which nothing is read.
const MOST_NESTED: u32 = 200;

pub(super) fn parse(tokens: &[(Token, Place)]) -> Parsed<Model> {
    let mut parser = Parser { tokens, at: 0, depth: 0, model: Model::default(), declared: Vec::new() };
    let (mut order, mut values) = (None, None);
    while *parser.peek() != Token::End {
        let place = parser.place();
        let word = parser.atom("`type`, `var`, `state_def`, `init` or `as`")?;
        match word.as_str() {
            "type" => parser.declared_type()?,
            "var" => parser.variables()?,
            "state_def" => set(&mut order, parser.names()?, place, "state_def")?,
            "init" => set(&mut values, parser.numbers()?, place, "init")?,
            "as" => parser.system(place)?,
            other => return Err(NotImported::at(place, format!("`{other}` is no part of an action system"))),
        }
        parser.symbol(".")?;
    }
    let end = parser.place();
    let missing = |what: &str| NotImported::at(end, format!("`{what}` is missing"));
    let (order, values) =
        (order.ok_or_else(|| missing("state_def"))?, values.ok_or_else(|| missing("init"))?);
    if order.len() != values.len() {
        let why = format!("`state_def` has {} variables, and `init` {} values", order.len(), values.len());
        return Err(NotImported::at(end, why));
    }
    if parser.model.block.is_empty() {
        return Err(missing("as :- actions (...), dood (...)"));
    }
    for ((name, place), (value, _)) in order.iter().zip(values) {
        let Some((_, ty)) = parser.declared.iter().find(|(declared, _)| declared == name) else {
            return Err(NotImported::at(*place, format!("`{name}` has no type: `var([{name}], TYPE).`")));
        };
        if parser.model.variables.iter().any(|(known, ..)| known == name) {
            return Err(NotImported::at(*place, format!("`{name}` stands twice in `state_def`")));
        }
        parser.model.variables.push((name.clone(), ty.clone(), value));
    }
    if let Some((name, _)) =
        parser.declared.iter().find(|(name, _)| !order.iter().any(|(one, _)| one == name))
    {
        return Err(NotImported::at(end, format!("`{name}` is no part of the state (`state_def`)")));
    }
    Ok(parser.model)
}

/// What may be told once.
fn set<T>(slot: &mut Option<T>, value: T, place: Place, what: &str) -> Parsed<()> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(NotImported::at(place, format!("`{what}` stands twice"))),
    }
}

struct Parser<'t> {
    tokens: &'t [(Token, Place)],
    at: usize,
    depth: u32,
    model: Model,
    /// Variables and their types.
    declared: Vec<(String, String)>,
}

/// How parts of a body were joined that stand without parentheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Join {
    Single,
    Sequence,
    Choice,
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.at.min(self.tokens.len() - 1)].0
    }
    fn place(&self) -> Place {
        self.tokens[self.at.min(self.tokens.len() - 1)].1
    }
    fn expected<T>(&self, what: &str) -> Parsed<T> {
        Err(NotImported::at(self.place(), format!("{what} is expected, not {}", self.peek())))
    }
    fn is(&mut self, symbol: &'static str) -> bool {
        let found = *self.peek() == Token::Symbol(symbol);
        self.at += usize::from(found);
        found
    }
    fn symbol(&mut self, symbol: &'static str) -> Parsed<()> {
        if self.is(symbol) { Ok(()) } else { self.expected(&format!("`{symbol}`")) }
    }
    fn atom(&mut self, what: &str) -> Parsed<String> {
        match self.peek().clone() {
            Token::Atom(name) => {
                self.at += 1;
                Ok(name)
            }
            _ => self.expected(what),
        }
    }
    fn variable(&mut self, what: &str) -> Parsed<String> {
        match self.peek().clone() {
            Token::Variable(name) => {
                self.at += 1;
                Ok(name)
            }
            _ => self.expected(what),
        }
    }
    fn number(&mut self) -> Parsed<i128> {
        let sign = if self.is("-") { -1 } else { 1 };
        match *self.peek() {
            Token::Number(number) => {
                self.at += 1;
                Ok(sign * number)
            }
            _ => self.expected("a number"),
        }
    }
    fn word(&mut self, word: &str) -> Parsed<()> {
        let place = self.place();
        match self.atom(&format!("`{word}`"))? {
            found if found == word => Ok(()),
            found => Err(NotImported::at(place, format!("`{word}` is expected, not `{found}`"))),
        }
    }
    fn nested<T>(&mut self, work: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == MOST_NESTED {
            return Err(NotImported::at(self.place(), "parentheses are nested too deeply"));
        }
        self.depth += 1;
        let found = work(self);
        self.depth -= 1;
        found
    }

    // ---- declarations ----

    /// `type(name, X) :- X in lo..hi`, behind the first word.
    fn declared_type(&mut self) -> Parsed<()> {
        self.symbol("(")?;
        let (place, name) = (self.place(), self.atom("the name of a type")?);
        self.symbol(",")?;
        let of = self.variable("a variable of Prolog")?;
        self.symbol(")")?;
        self.symbol(":-")?;
        let there = self.place();
        if self.variable("a variable of Prolog")? != of {
            return Err(NotImported::at(there, format!("the range is that of `{of}`")));
        }
        self.word("in")?;
        let lo = self.number()?;
        self.symbol("..")?;
        let hi = self.number()?;
        if self.model.types.iter().any(|known| known.name == name) {
            return Err(NotImported::at(place, format!("the type `{name}` stands twice")));
        }
        self.model.types.push(Declared { name, lo, hi });
        Ok(())
    }
    /// `var([names], type)`, behind the first word.
    fn variables(&mut self) -> Parsed<()> {
        self.symbol("(")?;
        let names = self.list(|parser| parser.atom("the name of a variable"))?;
        self.symbol(",")?;
        let ty = self.known_type()?;
        self.symbol(")")?;
        for (name, place) in names {
            if self.declared.iter().any(|(known, _)| *known == name) {
                return Err(NotImported::at(place, format!("the variable `{name}` is declared twice")));
            }
            self.declared.push((name, ty.clone()));
        }
        Ok(())
    }
    fn known_type(&mut self) -> Parsed<String> {
        let (place, ty) = (self.place(), self.atom("the name of a type")?);
        match self.model.types.iter().any(|known| known.name == ty) {
            true => Ok(ty),
            false => Err(NotImported::at(place, format!("the type `{ty}` is not declared before"))),
        }
    }
    fn names(&mut self) -> Parsed<Vec<(String, Place)>> {
        self.symbol("(")?;
        let names = self.list(|parser| parser.atom("the name of a variable"))?;
        self.symbol(")")?;
        Ok(names)
    }
    fn numbers(&mut self) -> Parsed<Vec<(i128, Place)>> {
        self.symbol("(")?;
        let numbers = self.list(Self::number)?;
        self.symbol(")")?;
        Ok(numbers)
    }
    /// What stands between brackets, with commas between.
    fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<(T, Place)>> {
        self.symbol("[")?;
        let mut found = Vec::new();
        loop {
            let place = self.place();
            found.push((one(self)?, place));
            if !self.is(",") {
                break;
            }
        }
        self.symbol("]")?;
        Ok(found)
    }

    // ---- actions ----

    /// `as :- actions (...), dood (...)`, behind the first word.
    fn system(&mut self, place: Place) -> Parsed<()> {
        if !self.model.block.is_empty() {
            return Err(NotImported::at(place, "`as` stands twice"));
        }
        self.symbol(":-")?;
        self.word("actions")?;
        self.symbol("(")?;
        loop {
            self.action()?;
            if !self.is(",") {
                break;
            }
        }
        self.symbol(")")?;
        self.symbol(",")?;
        self.word("dood")?;
        self.symbol("(")?;
        loop {
            self.joined()?;
            if !self.is("[]") {
                break;
            }
        }
        self.symbol(")")
    }
    /// `label::guard => body`.
    fn action(&mut self) -> Parsed<()> {
        let (place, name) = (self.place(), self.atom("the name of an action")?);
        let mut parameters: Vec<Parameter> = Vec::new();
        if self.is("(") {
            loop {
                let (place, name) = (self.place(), self.variable("a parameter (with a capital letter)")?);
                if parameters.iter().any(|Parameter(known)| *known == name) {
                    return Err(NotImported::at(place, format!("the parameter `{name}` stands twice")));
                }
                parameters.push(Parameter(name));
                if !self.is(",") {
                    break;
                }
            }
            self.symbol(")")?;
        }
        if self.model.actions.iter().any(|known| known.name == name) {
            return Err(NotImported::at(place, format!("the action `{name}` is defined twice")));
        }
        self.symbol("::")?;
        let known: Vec<String> = parameters.iter().map(|Parameter(name)| name.clone()).collect();
        let guard = self.equivalence(&known)?;
        self.symbol("=>")?;
        let body = self.body(&known)?;
        let guard = (guard != "true").then_some(guard);
        self.model.actions.push(Action { name, parameters, guard, body });
        Ok(())
    }
    /// `label`, `[X:type]:label(X)`.
    fn joined(&mut self) -> Parsed<()> {
        let mut typed: Vec<(String, String)> = Vec::new();
        if *self.peek() == Token::Symbol("[") {
            let parameters = self.list(|parser| {
                let name = parser.variable("a parameter (with a capital letter)")?;
                parser.symbol(":")?;
                Ok((name, parser.known_type()?))
            })?;
            typed.extend(parameters.into_iter().map(|(parameter, _)| parameter));
            self.symbol(":")?;
        }
        let (place, name) = (self.place(), self.atom("the name of an action")?);
        let mut types = Vec::new();
        if self.is("(") {
            loop {
                let (place, name) = (self.place(), self.variable("a parameter (with a capital letter)")?);
                let found = typed.iter().find(|(known, _)| *known == name);
                let Some((_, ty)) = found else {
                    return Err(NotImported::at(place, format!("`{name}` has no type: `[{name}:TYPE]:...`")));
                };
                types.push(ty.clone());
                if !self.is(",") {
                    break;
                }
            }
            self.symbol(")")?;
        }
        if !self.model.actions.iter().any(|action| action.name == name) {
            return Err(NotImported::at(place, format!("the action `{name}` is not defined")));
        }
        if self.model.block.iter().any(|known| known.name == name) {
            return Err(NotImported::at(place, format!("the action `{name}` is joined twice")));
        }
        self.model.block.push(Joined { name, types, place });
        Ok(())
    }

    // ---- bodies ----

    /// Reads parts with `;` or `[]` between. Where both, or `=>` and one of them, stand side by side,
    /// it is not said how they bind: but `g => a; b` has one meaning however it is read.
    fn body(&mut self, parameters: &[String]) -> Parsed<String> {
        self.nested(|parser| {
            let (mut join, mut has_guard) = (Join::Single, false);
            let mut text = String::new();
            loop {
                let place = parser.place();
                let (part, is_guarded) = parser.part(parameters)?;
                has_guard |= is_guarded;
                text += &part;
                let next = match parser.peek() {
                    Token::Symbol(";") => Join::Sequence,
                    Token::Symbol("[]") => Join::Choice,
                    Token::Symbol("//") => {
                        let why = "prioritised composition has no place in this notation";
                        return Err(NotImported::at(parser.place(), why));
                    }
                    _ => return Ok(text),
                };
                parser.at += 1;
                if join != Join::Single && join != next || has_guard && next == Join::Choice {
                    let why = "parentheses are needed: the notation does not say how `;`, `[]` and `=>` bind";
                    return Err(NotImported::at(place, why));
                }
                join = next;
                text += if next == Join::Sequence { "; " } else { " [] " };
            }
        })
    }
    /// An assignment, `guard => body`, or a body in parentheses; whether it is guarded and stands
    /// without parentheses.
    fn part(&mut self, parameters: &[String]) -> Parsed<(String, bool)> {
        if let Token::Atom(name) = self.peek().clone()
            && self.tokens.get(self.at + 1).is_some_and(|(token, _)| *token == Token::Symbol(":="))
        {
            self.state_variable(&name)?;
            self.at += 2;
            let value = self.sum(parameters)?;
            return Ok((format!("{} := {value}", name_of(&name, &ACTIONS)), false));
        }
        if *self.peek() == Token::Atom("skip".to_owned()) {
            self.at += 1;
            return Ok(("skip".to_owned(), false));
        }
        // Parentheses may be those of a guard, or of a body.
        let begun = self.at;
        let guard = self.equivalence(parameters).and_then(|guard| self.symbol("=>").map(|()| guard));
        let reached = self.at;
        match guard {
            Ok(guard) => {
                let (body, _) = self.part(parameters)?;
                Ok((format!("{guard} => {body}"), true))
            }
            Err(why) => {
                self.at = begun;
                if !self.is("(") {
                    return Err(why);
                }
                let inner = self.body(parameters).map_err(|inner| {
                    // What was read farther tells more of what is wrong.
                    if reached > self.at { why } else { inner }
                })?;
                self.symbol(")")?;
                Ok((format!("({inner})"), false))
            }
        }
    }
    fn state_variable(&self, name: &str) -> Parsed<()> {
        match self.declared.iter().any(|(known, _)| known == name) {
            true => Ok(()),
            false => Err(NotImported::at(self.place(), format!("the variable `{name}` is not declared"))),
        }
    }

    // ---- expressions, loosest first ----

    fn equivalence(&mut self, parameters: &[String]) -> Parsed<String> {
        let left = self.implication(parameters)?;
        match self.is("#<=>") {
            true => Ok(format!("({left} <-> {})", self.implication(parameters)?)),
            false => Ok(left),
        }
    }
    fn implication(&mut self, parameters: &[String]) -> Parsed<String> {
        let left = self.disjunction(parameters)?;
        match self.is("#=>") {
            true => Ok(format!("({left} -> {})", self.disjunction(parameters)?)),
            false => Ok(left),
        }
    }
    fn disjunction(&mut self, parameters: &[String]) -> Parsed<String> {
        let mut text = self.conjunction(parameters)?;
        while self.is("#\\/") {
            text = format!("({text} or {})", self.conjunction(parameters)?);
        }
        Ok(text)
    }
    fn conjunction(&mut self, parameters: &[String]) -> Parsed<String> {
        let mut text = self.negation(parameters)?;
        while self.is("#/\\") {
            text = format!("({text} and {})", self.negation(parameters)?);
        }
        Ok(text)
    }
    fn negation(&mut self, parameters: &[String]) -> Parsed<String> {
        match self.is("#\\") {
            true => {
                let operand = self.nested(|parser| parser.negation(parameters))?;
                Ok(format!("not ({operand})"))
            }
            false => self.comparison(parameters),
        }
    }
    fn comparison(&mut self, parameters: &[String]) -> Parsed<String> {
        for truth in ["true", "false"] {
            if *self.peek() == Token::Atom(truth.to_owned()) {
                self.at += 1;
                return Ok(truth.to_owned());
            }
        }
        // A truth in parentheses looks like a number in parentheses at first.
        let begun = self.at;
        if self.is("(") {
            let inner = self.nested(|parser| parser.equivalence(parameters));
            if let Ok(inner) = inner
                && self.is(")")
                && !self.continues_number()
            {
                let is_plain = inner.starts_with('(') || ["true", "false"].contains(&inner.as_str());
                return Ok(if is_plain { inner } else { format!("({inner})") });
            }
            self.at = begun;
        }
        let left = self.sum(parameters)?;
        let operators = [("#=<", "<="), ("#>=", ">="), ("#\\=", "!="), ("#=", "="), ("#<", "<"), ("#>", ">")];
        for (symbol, meant) in operators {
            if self.is(symbol) {
                return Ok(format!("{left} {meant} {}", self.sum(parameters)?));
            }
        }
        self.expected("a comparison (`#=`, `#<` and so on)")
    }
    /// Whether what stands here goes on with an expression of numbers.
    fn continues_number(&self) -> bool {
        let symbols = ["+", "-", "*", "#=", "#\\=", "#<", "#>", "#=<", "#>="];
        matches!(self.peek(), Token::Symbol(symbol) if symbols.contains(symbol))
    }
    fn sum(&mut self, parameters: &[String]) -> Parsed<String> {
        let mut text = self.product(parameters)?;
        loop {
            let sign = match self.peek() {
                Token::Symbol("+") => "+",
                Token::Symbol("-") => "-",
                _ => return Ok(text),
            };
            self.at += 1;
            text = format!("({text} {sign} {})", self.product(parameters)?);
        }
    }
    fn product(&mut self, parameters: &[String]) -> Parsed<String> {
        let mut text = self.operand(parameters)?;
        while self.is("*") {
            text = format!("({text} * {})", self.operand(parameters)?);
        }
        if *self.peek() == Token::Symbol("//") {
            let why = "division has no place here: Prolog and action systems round it otherwise";
            return Err(NotImported::at(self.place(), why));
        }
        Ok(text)
    }
    fn operand(&mut self, parameters: &[String]) -> Parsed<String> {
        let place = self.place();
        match self.peek().clone() {
            Token::Number(number) => {
                self.at += 1;
                Ok(number.to_string())
            }
            Token::Symbol("-") => {
                self.at += 1;
                let operand = self.nested(|parser| parser.operand(parameters))?;
                Ok(format!("(-{operand})"))
            }
            Token::Symbol("(") => {
                self.at += 1;
                let inner = self.nested(|parser| parser.sum(parameters))?;
                self.symbol(")")?;
                Ok(inner)
            }
            Token::Variable(name) if parameters.contains(&name) => {
                self.at += 1;
                Ok(name_of(&name, &ACTIONS))
            }
            Token::Variable(name) => {
                Err(NotImported::at(place, format!("`{name}` is no parameter of the action")))
            }
            Token::Atom(function) if ["min", "max", "abs"].contains(&function.as_str()) => {
                self.at += 1;
                self.symbol("(")?;
                let mut arguments = vec![self.nested(|parser| parser.sum(parameters))?];
                while self.is(",") {
                    arguments.push(self.nested(|parser| parser.sum(parameters))?);
                }
                self.symbol(")")?;
                let wanted = if function == "abs" { 1 } else { 2 };
                if arguments.len() != wanted {
                    return Err(NotImported::at(place, format!("`{function}` has {wanted} arguments")));
                }
                Ok(format!("{function}({})", arguments.join(", ")))
            }
            Token::Atom(name) => {
                self.state_variable(&name)?;
                self.at += 1;
                Ok(name_of(&name, &ACTIONS))
            }
            _ => self.expected("a number, a variable or a parameter"),
        }
    }
}
