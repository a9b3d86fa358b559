//! From tokens to a machine: what stands in the text, in its order.

use super::machine::{Machine, Port, Scalar, State, Statement, Transition, Variable};
use crate::code::Code;
use frontend::diagnostics::Diagnostics;
use spec::code::Code as CoreCode;
use spec::language::TIMED;
use spec::lexer::{Extent, Token, TokenKind};
use spec::parser::{Parsed, Parser, Reported};
use spec::syntax::{Expr, Name};

/// The one machine of a file.
pub(super) fn machine(tokens: &[Token], diagnostics: &mut Diagnostics) -> Parsed<Machine> {
    let parser = Parser::new(tokens, &TIMED, diagnostics);
    let name = Name { text: String::new(), extent: parser.here() };
    let (ports, variables, states, initial) = Default::default();
    let mut reader = Reader { parser, machine: Machine { name, ports, variables, states, initial } };
    reader.file()?;
    Ok(reader.machine)
}

struct Reader<'a> {
    parser: Parser<'a>,
    machine: Machine,
}

impl Reader<'_> {
    fn unsupported(&mut self, place: Extent, what: &str) -> Reported {
        let message = format!("in xLIA, {what} not supported");
        self.parser.diagnostics.error(Code::Xlia, Some(place.span), message);
        Reported
    }
    /// Moves behind a word that has to stand at the cursor.
    fn word(&mut self, word: &str, context: &str) -> Parsed<Extent> {
        match self.parser.accept_contextual(word) {
            Some(place) => Ok(place),
            None => Err(self.parser.unexpected(&format!("`{word}` {context}"))),
        }
    }
    fn semicolon(&mut self) -> Parsed<()> {
        self.parser.expect(";", "at the end of this").map(drop)
    }

    fn file(&mut self) -> Parsed<()> {
        self.parser.expect("@", "at the beginning: `@xlia< system , 1.0 >:`")?;
        self.word("xlia", "at the beginning: `@xlia< system , 1.0 >:`")?;
        while self.parser.accept(":").is_none() {
            if self.parser.is_at_end() || self.parser.at("{") {
                return Err(self.parser.unexpected("`:` behind `@xlia< system , 1.0 >`"));
            }
            self.parser.advance();
        }
        self.parser.accept_contextual("timed");
        self.word("system", "that holds the machine")?;
        self.machine.name = self.parser.name("the system")?;
        self.parser.expect("{", "behind the name of the system")?;
        self.section(&["composite"])?;
        self.parser.accept_contextual("lifeline");
        self.parser.accept_contextual("timed");
        self.word("statemachine", "in the system")?;
        self.parser.name("the machine")?;
        self.parser.expect("{", "behind the name of the machine")?;
        self.sections()?;
        if self.parser.accept("}").is_none() {
            let place = self.parser.here();
            return Err(self.unsupported(place, "systems of several machines are"));
        }
        match self.parser.is_at_end() {
            true => Ok(()),
            false => Err(self.parser.unexpected("nothing behind the system")),
        }
    }
    /// `@NAME:`, one of some; the name.
    fn section(&mut self, known: &[&str]) -> Parsed<String> {
        let place = self.parser.expect("@", "before a section")?;
        let name = self.parser.name("a section")?.text;
        self.parser.expect(":", "behind the name of a section")?;
        if !known.contains(&name.as_str()) {
            return Err(self.unsupported(place, &format!("a section `@{name}` here is")));
        }
        Ok(name)
    }
    /// The sections of the machine, to the brace at its end.
    fn sections(&mut self) -> Parsed<()> {
        while self.parser.accept("}").is_none() {
            match self.section(&["public", "private", "region", "com"])?.as_str() {
                "region" => {
                    while self.parser.at_contextual("state") {
                        self.state()?;
                    }
                }
                "com" => self.connections()?,
                _ => {
                    while !self.parser.at("@") && !self.parser.at("}") {
                        self.declaration()?;
                    }
                }
            }
        }
        Ok(())
    }
    /// `connect< env > { input P; output Q; }`: all ports lead to the environment.
    fn connections(&mut self) -> Parsed<()> {
        while self.parser.at_contextual("connect") {
            let place = self.parser.advance().extent;
            self.parser.expect("<", "behind `connect`")?;
            if self.parser.accept_contextual("env").is_none() {
                return Err(self.unsupported(place, "connections to anything but `env` are"));
            }
            self.parser.expect(">", "behind `env`")?;
            self.parser.expect("{", "before the ports")?;
            while self.parser.accept("}").is_none() {
                if ["input", "output"].iter().all(|word| self.parser.accept_contextual(word).is_none()) {
                    return Err(self.parser.unexpected("`input` or `output` before a port"));
                }
                self.parser.name("a port")?;
                self.semicolon()?;
            }
        }
        Ok(())
    }

    fn declaration(&mut self) -> Parsed<()> {
        if self.parser.accept_contextual("port").is_some() {
            return self.port();
        }
        let is_const = self.parser.accept_contextual("const").is_some();
        if !is_const {
            self.word("var", "or `const`, `port`, at the beginning of a declaration")?;
        }
        let is_clock = self.parser.accept_contextual("clock").is_some();
        let scalar = self.scalar()?;
        loop {
            let name = self.parser.name("a variable")?;
            if self.parser.at("[") {
                let place = self.parser.here();
                return Err(self.unsupported(place, "arrays are"));
            }
            let is_valued = self.parser.accept(":=").is_some() || self.parser.accept("=").is_some();
            let value = if is_valued { Some(self.parser.expression()?) } else { None };
            if is_clock && (is_const || value.is_some()) {
                return Err(self.unsupported(name.extent, "clocks with a value of their own are"));
            }
            self.machine.variables.push(Variable { name, scalar, is_const, is_clock, value });
            if self.parser.accept(",").is_none() {
                return self.semicolon();
            }
        }
    }
    /// `port input P( T [name], .. );`.
    fn port(&mut self) -> Parsed<()> {
        let is_input = self.parser.accept_contextual("input").is_some();
        if !is_input {
            self.word("output", "or `input` behind `port`")?;
        }
        let name = self.parser.name("a port")?;
        let mut args = Vec::new();
        if self.parser.accept("(").is_some() && self.parser.accept(")").is_none() {
            loop {
                args.push((self.scalar()?, self.parser.before()));
                if matches!(self.parser.peek().kind, TokenKind::Name(_)) {
                    self.parser.advance();
                }
                if self.parser.accept(",").is_none() {
                    break;
                }
            }
            self.parser.expect(")", "behind the types of a port")?;
        }
        self.machine.ports.push(Port { name, is_input, args });
        self.semicolon()
    }
    fn scalar(&mut self) -> Parsed<Scalar> {
        let is_time = self.parser.accept_contextual("time").is_some();
        let name = self.parser.name("a type")?;
        let found = match name.text.as_str() {
            _ if is_time => Scalar::Duration,
            "int" | "integer" => Scalar::Int,
            "uint" | "uinteger" => Scalar::Natural,
            "rational" => Scalar::Rational,
            "urational" => Scalar::Duration,
            "bool" | "boolean" => Scalar::Bool,
            other => return Err(self.unsupported(name.extent, &format!("the type `{other}` is"))),
        };
        if self.parser.at("<") || self.parser.at(":") {
            let place = self.parser.here();
            return Err(self.unsupported(place, "types with parameters are"));
        }
        Ok(found)
    }

    /// `state< start > q { .. }`, `state q;`.
    fn state(&mut self) -> Parsed<()> {
        self.parser.advance();
        let mut is_start = false;
        if self.parser.accept("<").is_some() {
            let kind = self.parser.name("a kind of states")?;
            is_start = match kind.text.as_str() {
                "start" | "initial" => true,
                "terminal" | "simple" => false,
                other => return Err(self.unsupported(kind.extent, &format!("states `< {other} >` are"))),
            };
            self.parser.expect(">", "behind a kind of states")?;
        }
        let name = self.parser.name("a state")?;
        let mut state = State { name, is_start, transitions: Vec::new() };
        if self.parser.accept(";").is_none() {
            self.parser.expect("{", "behind the name of a state")?;
            while self.parser.accept("}").is_none() {
                self.item(&mut state)?;
            }
        }
        self.machine.states.push(state);
        Ok(())
    }
    /// `@init { .. }` or a transition.
    fn item(&mut self, state: &mut State) -> Parsed<()> {
        if let Some(place) = self.parser.accept("@") {
            let name = self.parser.name("a routine")?;
            if name.text != "init" || !state.is_start {
                return Err(self.unsupported(place, "routines but `@init` of the start state are"));
            }
            self.parser.expect("{", "behind `@init`")?;
            while self.parser.accept("}").is_none() {
                let (name, value) = self.assignment()?;
                self.machine.initial.push((name, value));
            }
            return Ok(());
        }
        self.word("transition", "or `@init` in a state")?;
        if self.parser.at("<") {
            let place = self.parser.here();
            return Err(self.unsupported(place, "transitions of special kinds are"));
        }
        let name = self.parser.name("a transition")?;
        self.parser.expect("->", "behind the name of a transition")?;
        let to = self.parser.name("a state")?;
        let mut statements = Vec::new();
        if self.parser.accept(";").is_none() {
            self.parser.expect("{", "before what a transition does")?;
            while self.parser.accept("}").is_none() {
                statements.push(self.statement()?);
            }
        }
        state.transitions.push(Transition { name, to, statements });
        Ok(())
    }
    fn statement(&mut self) -> Parsed<Statement> {
        let statement = if self.parser.accept_contextual("input").is_some() {
            let port = self.parser.name("a port")?;
            Statement::Input(port, self.operands(|parser| parser.name("a variable"))?)
        } else if self.parser.accept_contextual("output").is_some() {
            let port = self.parser.name("a port")?;
            Statement::Output(port, self.operands(|parser| parser.expression())?)
        } else if ["guard", "tguard"].iter().any(|word| self.parser.accept_contextual(word).is_some()) {
            Statement::Guard(self.parser.expression()?)
        } else {
            let (name, value) = self.assignment()?;
            return Ok(Statement::Assign(name, value));
        };
        self.semicolon()?;
        Ok(statement)
    }
    fn operands<T>(&mut self, mut item: impl FnMut(&mut Parser<'_>) -> Parsed<T>) -> Parsed<Vec<T>> {
        if self.parser.accept("(").is_none() || self.parser.accept(")").is_some() {
            return Ok(Vec::new());
        }
        let found = self.parser.list(|parser| item(parser))?;
        self.parser.expect(")", "behind the values of a message")?;
        Ok(found)
    }
    /// `x := e;`, `x = e;`.
    fn assignment(&mut self) -> Parsed<(Name, Expr)> {
        const CONTROL: [&str; 8] = ["if", "for", "while", "do", "newfresh", "return", "foreach", "var"];
        let place = self.parser.here();
        if let Some(word) = CONTROL.iter().find(|word| self.parser.at_contextual(word)) {
            return Err(self.unsupported(place, &format!("statements `{word}` are")));
        }
        let name = self.parser.name("a variable")?;
        if self.parser.at("[") {
            let place = self.parser.here();
            return Err(self.unsupported(place, "arrays are"));
        }
        let sign = self.parser.here();
        let is_comparison = self.parser.at("=") && sign.to - sign.from > 1;
        if is_comparison || (self.parser.accept(":=").is_none() && self.parser.accept("=").is_none()) {
            let message = format!("`{}` stands where a statement begins: `x := e;` or `x = e;`", name.text);
            self.parser.error(CoreCode::Unexpected, sign, message);
            return Err(Reported);
        }
        let value = self.parser.expression()?;
        self.semicolon()?;
        Ok((name, value))
    }
}
