//! Random step functions: a syntax of their own, and how they look in C.
//!
//! Every number and variable stands on a line of its own, so that first line and text name a decision,
//! a condition or a comparison.

use std::fmt::Write;

/// A generator of numbers: splitmix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) % bound as u64) as usize
    }
}

/// Variables: name, whether it is a truth value. The first three are inputs, the last the parameter
/// of the helper.
pub(crate) const VARIABLES: [(&str, bool); 8] = [
    ("a", true),
    ("b", true),
    ("n", false),
    ("s", false),
    ("u", false),
    ("t", true),
    ("i", false),
    ("p", false),
];
pub(crate) const INPUTS: usize = 3;
pub(crate) const COUNTER: usize = 6;
pub(crate) const PARAMETER: usize = 7;

/// Where an expression begins in the text.
pub(crate) type Line = u32;

/// An expression.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) kind: Kind,
    /// Line of its first token, parentheses aside.
    pub(crate) line: Line,
    /// Its text without blanks and parentheses.
    pub(crate) text: String,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Number(i64),
    Variable(usize),
    Not(Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    /// `<`, `<=`, `>`, `>=`, `==`, `!=`.
    Compare(&'static str, Box<Expr>, Box<Expr>),
    /// `&`, `|`, `^`, `+`.
    Word(&'static str, Box<Expr>, Box<Expr>),
    Choose(Box<Expr>, Box<Expr>, Box<Expr>),
    Comma(Box<Expr>, Box<Expr>),
    /// `(x = e)`, for numbers `e & 3`.
    Assign(usize, Box<Expr>),
    /// `x++` of the counter.
    Increment(usize),
    /// `helper(e)`.
    Call(Box<Expr>),
    /// `(unsigned char)(e)`.
    Cast(Box<Expr>),
}

/// A statement.
#[derive(Clone, Debug)]
pub(crate) enum Stmt {
    Do(Line, Expr),
    If(Line, Expr, Vec<Stmt>, Vec<Stmt>),
    /// `for (i = 0; ...; i++)`.
    For(Line, Expr, Vec<Stmt>),
    /// `i = 0; do ... while (...)`.
    DoWhile(Line, Expr, Vec<Stmt>),
    /// Groups of labels (an empty one is `default`), with bodies that end in `break` or fall through.
    Switch(Line, Expr, Vec<Group>),
    Break(Line),
    Return(Line),
}

/// Labels, statements, and where a `break` stands behind them.
pub(crate) type Group = (Vec<i64>, Vec<Stmt>, Option<Line>);

/// A program: the body of the step, and the helper's decision.
pub(crate) struct Program {
    pub(crate) text: String,
    pub(crate) step: Vec<Stmt>,
    pub(crate) helper: Expr,
}

struct Maker<'r> {
    random: &'r mut Random,
    text: String,
    line: Line,
    /// Whether the helper may be called.
    calls: bool,
    /// Whether a counter is free.
    loops: bool,
}

/// A random program.
pub(crate) fn random(random: &mut Random) -> Program {
    let mut maker = Maker { random, text: String::new(), line: 1, calls: false, loops: true };
    maker.put("unsigned char s, u; _Bool t; int i;\n");
    maker.put("static int helper(int p) {\nif (");
    let helper = maker.truth(2, true);
    maker.put(")\nreturn 1;\nu = (u + 1) & 3;\nreturn 0;\n}\n");
    maker.calls = true;
    maker.put("void step(_Bool a, _Bool b, unsigned char n) {\n");
    let step = maker.block(3, false);
    maker.put("}\n");
    Program { text: maker.text, step, helper }
}

impl Maker<'_> {
    fn put(&mut self, text: &str) {
        self.line += text.matches('\n').count() as Line;
        self.text.push_str(text);
    }

    fn block(&mut self, depth: usize, in_loop: bool) -> Vec<Stmt> {
        let count = 1 + self.random.below(3);
        (0..count).map(|_| self.statement(depth, in_loop)).collect()
    }

    fn braced(&mut self, depth: usize, in_loop: bool) -> Vec<Stmt> {
        self.put("{\n");
        let block = self.block(depth, in_loop);
        self.put("}\n");
        block
    }

    fn statement(&mut self, depth: usize, in_loop: bool) -> Stmt {
        let line = self.line;
        let choice = if depth == 0 { self.random.below(3) } else { self.random.below(10) };
        match choice {
            0..3 => {
                let value = self.assignment(2);
                self.put(";\n");
                Stmt::Do(line, value)
            }
            3 => {
                let value = self.truth(2, false);
                self.put(";\n");
                Stmt::Do(line, value)
            }
            4 if in_loop => {
                self.put("break;\n");
                Stmt::Break(line)
            }
            4 => {
                self.put("return;\n");
                Stmt::Return(line)
            }
            5 => self.switch(line, depth),
            6 if self.loops => {
                self.loops = false;
                self.put("for (i = 0; ");
                let bound = self.bounded("<", false);
                self.put("; i++) ");
                let body = self.braced(depth - 1, true);
                self.loops = true;
                Stmt::For(line, bound, body)
            }
            7 if self.loops => {
                self.loops = false;
                self.put("i = 0;\ndo ");
                let body = self.braced(depth - 1, true);
                self.put("while (");
                let bound = self.bounded("<", true);
                self.put(");\n");
                self.loops = true;
                Stmt::DoWhile(line, bound, body)
            }
            _ => {
                self.put("if (");
                let condition = self.truth(3, true);
                self.put(") ");
                let then = self.braced(depth - 1, in_loop);
                let mut otherwise = Vec::new();
                if self.random.below(2) == 0 {
                    self.put("else ");
                    otherwise = self.braced(depth - 1, in_loop);
                }
                Stmt::If(line, condition, then, otherwise)
            }
        }
    }

    /// `i < 3 && e`, with `i++` where that counts.
    fn bounded(&mut self, operator: &'static str, counts: bool) -> Expr {
        let counter =
            if counts { self.leaf("\ni++", Kind::Increment(COUNTER)) } else { self.variable(COUNTER) };
        self.put(operator);
        let bound = self.leaf("\n2", Kind::Number(2));
        let left = joined(operator, counter, bound, |left, right| Kind::Compare(operator, left, right));
        self.put(" && (");
        let right = self.truth(2, false);
        self.put(")");
        joined("&&", left, right, Kind::And)
    }

    fn switch(&mut self, line: Line, depth: usize) -> Stmt {
        self.put("switch ((");
        let value = self.number(2);
        self.put(") & 3) {\n");
        let three = Expr { kind: Kind::Number(3), line: self.line, text: "3".to_owned() };
        let masked = joined("&", value, three, |left, right| Kind::Word("&", left, right));
        let mut groups: Vec<Group> = Vec::new();
        let mut left: Vec<i64> = vec![0, 1, 2, 3];
        for _ in 0..1 + self.random.below(3) {
            let count = self.random.below(left.len().min(2) + 1);
            let labels: Vec<i64> = left.drain(..count).collect();
            if labels.is_empty() && groups.iter().any(|(labels, ..)| labels.is_empty()) {
                continue;
            }
            if labels.is_empty() {
                self.put("default:\n");
            }
            for label in &labels {
                self.put(&format!("case {label}:\n"));
            }
            let body = self.block(depth - 1, true);
            let line = self.line;
            let breaks = self.random.below(2) == 0;
            if breaks {
                self.put("break;\n");
            }
            groups.push((labels, body, breaks.then_some(line)));
        }
        self.put("}\n");
        Stmt::Switch(line, masked, groups)
    }

    fn leaf(&mut self, text: &str, kind: Kind) -> Expr {
        self.put(text);
        Expr { kind, line: self.line, text: text.trim().to_owned() }
    }

    fn variable(&mut self, variable: usize) -> Expr {
        self.leaf(&format!("\n{}", VARIABLES[variable].0), Kind::Variable(variable))
    }

    fn visible(&mut self, wants_truth: bool) -> usize {
        loop {
            let variable = self.random.below(VARIABLES.len());
            let is_there = match variable {
                PARAMETER => !self.calls,
                0..INPUTS => self.calls,
                COUNTER => false,
                _ => true,
            };
            if is_there && VARIABLES[variable].1 == wants_truth {
                return variable;
            }
            if wants_truth && !self.calls {
                return 5;
            }
        }
    }

    fn assignment(&mut self, depth: usize) -> Expr {
        let variable = 3 + self.random.below(3);
        let (line, name) = (self.line, VARIABLES[variable].0);
        if variable == 5 {
            self.put(&format!("{name} = ("));
            let value = self.truth(depth, false);
            self.put(")");
            let text = format!("{name}={}", value.text);
            return Expr { kind: Kind::Assign(variable, Box::new(value)), line, text };
        }
        self.put(&format!("{name} = ("));
        let value = self.number(depth);
        self.put(") & 3");
        let text = format!("{name}={}&3", value.text);
        Expr { kind: Kind::Assign(variable, Box::new(value)), line, text }
    }

    /// An expression for its truth; with `plain`, a variable alone may do.
    fn truth(&mut self, depth: usize, plain: bool) -> Expr {
        let choice = if depth == 0 { self.random.below(3) } else { self.random.below(14) };
        match choice {
            0 if plain || depth == 0 => {
                let variable = self.visible(true);
                self.variable(variable)
            }
            1 | 2 => self.comparison(depth.saturating_sub(1)),
            3 | 4 => {
                let line = self.line;
                self.put("!(");
                let inner = self.truth(depth - 1, true);
                self.put(")");
                let text = format!("!{}", inner.text);
                Expr { kind: Kind::Not(Box::new(inner)), line, text }
            }
            0 | 5..8 => self.two("&&", depth, Kind::And),
            8..10 => self.two("||", depth, Kind::Or),
            10 => {
                let operator = ["&", "|", "^"][self.random.below(3)];
                self.two(operator, depth, move |left, right| Kind::Word(operator, left, right))
            }
            11 => {
                let operator = ["==", "!="][self.random.below(2)];
                self.two(operator, depth, move |left, right| Kind::Compare(operator, left, right))
            }
            12 => self.operand(depth),
            _ => {
                let line = self.line;
                self.put("(unsigned char)(");
                let inner = self.two("||", depth, Kind::Or);
                self.put(")");
                // A conversion keeps the truth; the decision is what is converted.
                Expr { line, text: inner.text.clone(), kind: Kind::Cast(Box::new(inner)) }
            }
        }
    }

    fn two(
        &mut self,
        operator: &'static str,
        depth: usize,
        make: impl FnOnce(Box<Expr>, Box<Expr>) -> Kind,
    ) -> Expr {
        self.put("(");
        let left = self.truth(depth.saturating_sub(1), true);
        self.put(&format!(") {operator} ("));
        let right = self.truth(depth.saturating_sub(1), true);
        self.put(")");
        joined(operator, left, right, make)
    }

    fn comparison(&mut self, depth: usize) -> Expr {
        let operator = ["<", "<=", ">", ">=", "==", "!="][self.random.below(6)];
        self.put("(");
        let left = self.number(depth);
        self.put(&format!(") {operator} "));
        let number = self.random.below(3) as i64;
        let right = self.leaf(&format!("\n{number}"), Kind::Number(number));
        joined(operator, left, right, |left, right| Kind::Compare(operator, left, right))
    }

    /// A condition that is more than an operator: a call, an assignment, a choice, a comma.
    fn operand(&mut self, depth: usize) -> Expr {
        match self.random.below(4) {
            0 if self.calls => self.call(depth - 1),
            1 => {
                self.put("(");
                let assignment = self.assignment(depth - 1);
                self.put(")");
                assignment
            }
            2 => self.comma(depth - 1),
            _ => self.choice(depth - 1),
        }
    }

    fn call(&mut self, depth: usize) -> Expr {
        let line = self.line;
        self.put("helper(");
        let argument = self.number(depth);
        self.put(")");
        let text = format!("helper{}", argument.text);
        Expr { kind: Kind::Call(Box::new(argument)), line, text }
    }

    fn comma(&mut self, depth: usize) -> Expr {
        self.put("(");
        let first = self.assignment(depth);
        self.put(", ");
        let second = self.truth(depth, true);
        self.put(")");
        let (line, text) = (first.line, format!("{},{}", first.text, second.text));
        Expr { kind: Kind::Comma(Box::new(first), Box::new(second)), line, text }
    }

    fn choice(&mut self, depth: usize) -> Expr {
        self.put("((");
        let condition = self.truth(depth, true);
        self.put(") ? (");
        let then = self.number(depth);
        self.put(") : (");
        let otherwise = self.number(depth);
        self.put("))");
        let text = format!("{}?{}:{}", condition.text, then.text, otherwise.text);
        let line = condition.line;
        Expr { kind: Kind::Choose(Box::new(condition), Box::new(then), Box::new(otherwise)), line, text }
    }

    /// An expression for its number.
    fn number(&mut self, depth: usize) -> Expr {
        let choice = if depth == 0 { 0 } else { self.random.below(8) };
        match choice {
            0..3 => {
                let variable = self.visible(false);
                self.variable(variable)
            }
            3 | 4 => {
                self.put("(");
                let left = self.number(depth - 1);
                self.put(") + (");
                let right = self.truth(depth - 1, true);
                self.put(")");
                joined("+", left, right, |left, right| Kind::Word("+", left, right))
            }
            5 if self.calls => self.call(depth - 1),
            6 => self.choice(depth - 1),
            _ => self.truth(depth - 1, true),
        }
    }
}

fn joined(operator: &str, left: Expr, right: Expr, make: impl FnOnce(Box<Expr>, Box<Expr>) -> Kind) -> Expr {
    let mut text = left.text.clone();
    let _ = write!(text, "{operator}{}", right.text);
    Expr { line: left.line, text, kind: make(Box::new(left), Box::new(right)) }
}
