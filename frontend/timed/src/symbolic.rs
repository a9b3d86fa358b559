//! Symbolic execution: contexts, and what may follow them.
//!
//! A context is (state, path condition, values of variables as terms over symbols); below it stand
//! *one* fresh duration and one fresh tuple of values for each channel, which all successors share
//! (FACS 2023, definition 2). Terms and conditions are SMT-LIB texts with the symbols that they
//! read.

use crate::smt::symbol;
use crate::system::{Action, Direction, System};
use num_rational::BigRational;
use num_traits::Signed;
use spec::lexer::Extent;
use spec::scope::VariableId;
use spec::typed::{Binary, Expr, Kind, Several, Unary};
use spec::types::Type;
use spec::value::{Value, big};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The sort of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// Truths.
    Bool,
    /// Integers, and positions of enumerators.
    Int,
    /// Rationals.
    Real,
}

impl Sort {
    /// Its name in SMT-LIB.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "Bool",
            Self::Int => "Int",
            Self::Real => "Real",
        }
    }
    /// The sort of the values of a type.
    pub fn of(ty: &Type) -> Self {
        match ty {
            Type::Bool => Self::Bool,
            Type::Enum(_) => Self::Int,
            _ if ty.range().is_some_and(|range| range.is_integral()) => Self::Int,
            _ => Self::Real,
        }
    }
}

/// A term or truth, with the symbols that it reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// Its SMT-LIB text. Path conditions share their terms.
    pub text: Rc<str>,
    /// Its sort.
    pub sort: Sort,
    /// The symbols that it reads.
    pub symbols: Rc<BTreeSet<String>>,
    /// Where the user wrote it, where that is one place.
    pub extent: Option<Extent>,
}

/// What a symbol stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The unknown value of a variable at the start.
    Initial,
    /// The time before the event with this number, from 1.
    Duration(usize),
    /// A value of the message that is the event with this number.
    Message {
        /// The event, from 1.
        event: usize,
        /// The channel.
        channel: usize,
        /// The position of the value, from 0.
        position: usize,
    },
}

/// A symbol.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Its sort.
    pub sort: Sort,
    /// What is assumed of its values, where something is.
    pub domain: Option<Term>,
    /// What it stands for.
    pub role: Role,
}

/// A symbolic state of a system with the way to it.
#[derive(Clone, Debug)]
pub struct Context {
    /// The state of the system.
    pub state: usize,
    /// Number of events before it.
    pub depth: usize,
    /// The path condition as a conjunction.
    pub condition: Vec<Term>,
    values: BTreeMap<VariableId, Term>,
}

/// What may follow a context by one transition.
#[derive(Clone, Debug)]
pub struct Successor {
    /// The transition.
    pub edge: usize,
    /// What it adds to the path condition beside what follows, as a conjunction.
    pub guard: Vec<Term>,
    /// That the values of a message are those that are sent.
    pub message: Vec<Term>,
    /// The context behind it.
    pub context: Context,
}

/// Symbolic execution of one system.
#[derive(Debug)]
pub struct Execution<'s> {
    /// The system.
    pub system: &'s System,
    /// All symbols by name.
    pub symbols: BTreeMap<String, Symbol>,
}

/// The suffix of the symbols of an event that may come later than the one that is looked at.
pub const LATER: &str = "_later";

impl Context {
    /// The value of a variable.
    pub fn value(&self, variable: VariableId) -> Option<&Term> {
        self.values.get(&variable)
    }
}

impl Term {
    /// A truth over the symbols of some terms.
    pub fn truth<'t>(text: String, of: impl IntoIterator<Item = &'t Self>) -> Self {
        let symbols = of.into_iter().flat_map(|term| term.symbols.iter().cloned()).collect();
        Self { text: text.into(), sort: Sort::Bool, symbols: Rc::new(symbols), extent: None }
    }
    fn constant(text: String, sort: Sort) -> Self {
        Self { text: text.into(), sort, symbols: Rc::default(), extent: None }
    }
    fn symbol(name: &str, sort: Sort) -> Self {
        let symbols = Rc::new(BTreeSet::from([name.to_owned()]));
        Self { text: symbol(name).into(), sort, symbols, extent: None }
    }
    /// The same term with a suffix at some of its symbols.
    pub fn renamed(&self, rename: &dyn Fn(&str) -> Option<String>) -> Self {
        let mut found = self.clone();
        let changed: BTreeMap<String, String> = self
            .symbols
            .iter()
            .filter_map(|name| rename(name).map(|new| (symbol(name), symbol(&new))))
            .collect();
        if changed.is_empty() {
            return found;
        }
        let names = self.symbols.iter().map(|name| rename(name).unwrap_or_else(|| name.clone()));
        found.symbols = Rc::new(names.collect());
        let tokens = tokens(&self.text).map(|token| changed.get(token).map_or(token, String::as_str));
        found.text = tokens.collect::<String>().into();
        found
    }
}

/// A text cut into symbols and what stands between.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |one: u8| one.is_ascii_alphanumeric() || one == b'_' || one == b'.';
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let first = *bytes.get(at)?;
        let start = at;
        at += 1;
        if first == b'|' {
            while bytes.get(at).is_some_and(|&one| one != b'|') {
                at += 1;
            }
            at = (at + 1).min(bytes.len());
        } else {
            while bytes.get(at).is_some_and(|&one| one != b'|' && is_word(one) == is_word(first)) {
                at += 1;
            }
        }
        Some(&text[start..at])
    })
}

/// The conjunction of some truths.
pub fn all<'t>(terms: impl IntoIterator<Item = &'t Term>) -> Term {
    joined("and", "true", terms)
}
/// The disjunction of some truths.
pub fn any<'t>(terms: impl IntoIterator<Item = &'t Term>) -> Term {
    joined("or", "false", terms)
}
fn joined<'t>(op: &str, neutral: &str, terms: impl IntoIterator<Item = &'t Term>) -> Term {
    let terms: Vec<&Term> = terms.into_iter().filter(|term| *term.text != *neutral).collect();
    match &terms[..] {
        [] => Term::constant(neutral.to_owned(), Sort::Bool),
        [one] => (*one).clone(),
        _ => {
            let texts: Vec<&str> = terms.iter().map(|term| &*term.text).collect();
            Term::truth(format!("({op} {})", texts.join(" ")), terms)
        }
    }
}
/// The negation of a truth.
pub fn not(term: &Term) -> Term {
    Term::truth(format!("(not {})", term.text), [term])
}

/// A number as SMT-LIB writes it.
pub fn number(value: &BigRational, sort: Sort) -> String {
    let part = |value: &num_bigint::BigInt| match sort {
        Sort::Real => format!("{}.0", value.magnitude()),
        _ => value.magnitude().to_string(),
    };
    let text = if value.is_integer() {
        part(value.numer())
    } else {
        format!("(/ {} {})", part(value.numer()), part(value.denom()))
    };
    if value.is_negative() { format!("(- {text})") } else { text }
}

/// A value as SMT-LIB writes it.
pub fn literal(value: &Value, sort: Sort) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Enumerator(position) => position.to_string(),
        _ => value.as_number().map_or_else(|| "0".to_owned(), |value| number(&value, sort)),
    }
}

/// That a term's value is one of a type; none where all are.
fn domain(term: &Term, ty: &Type) -> Option<Term> {
    let text = match ty {
        Type::Bool | Type::Rational | Type::Machine { .. } | Type::Float(_) => return None,
        Type::Enum(enumeration) => format!("(<= 0 {} {})", term.text, enumeration.names.len().max(1) - 1),
        Type::Set(set) => {
            let values = set
                .units()
                .iter()
                .map(|&units| format!("(= {} {})", term.text, literal(&set.range().value(units), term.sort)));
            format!("(or {} false)", values.collect::<Vec<_>>().join(" "))
        }
        Type::Number(range) => {
            let ends = [range.lo(), range.hi()].map(|units| literal(&range.value(units), term.sort));
            let between = format!("(<= {} {} {})", ends[0], term.text, ends[1]);
            if range.is_integral() && term.sort == Sort::Int {
                between
            } else {
                let factor = number(&big(range.step()).recip(), Sort::Real);
                format!("(and {between} (is_int (* {} {factor})))", term.text)
            }
        }
    };
    Some(Term::truth(text, [term]))
}

fn real(term: &Term) -> String {
    match term.sort {
        Sort::Int => format!("(to_real {})", term.text),
        _ => term.text.to_string(),
    }
}

impl<'s> Execution<'s> {
    /// The root context and the execution that it belongs to.
    pub fn start(system: &'s System) -> (Self, Context) {
        let mut execution = Self { system, symbols: BTreeMap::new() };
        let mut values = BTreeMap::new();
        let mut condition = Vec::new();
        for data in &system.data {
            let ty = system.ty(data.variable);
            let sort = Sort::of(ty);
            let term = match &data.initial {
                Some(value) => Term::constant(literal(value, sort), sort),
                None => {
                    let name = format!("{}_0", system.name_of(data.variable));
                    let term = Term::symbol(&name, sort);
                    let domain = domain(&term, ty);
                    condition.extend(domain.clone());
                    execution.symbols.insert(name, Symbol { sort, domain, role: Role::Initial });
                    term
                }
            };
            values.insert(data.variable, term);
        }
        for &clock in &system.clocks {
            values.insert(clock, Term::constant("0.0".to_owned(), Sort::Real));
        }
        (execution, Context { state: 0, depth: 0, condition, values })
    }

    /// A context in a state with any values of variables and clocks, and the execution that it
    /// belongs to. Parameters with a value keep it.
    pub fn anywhere(system: &'s System, state: usize) -> (Self, Context) {
        let (mut execution, mut context) = Self::start(system);
        let known = system.data.iter().filter(|data| data.initial.is_some() && !data.is_param);
        let variables = known.map(|data| data.variable).chain(system.clocks.iter().copied());
        for variable in variables {
            let name = format!("{}_0", system.name_of(variable));
            let ty = system.ty(variable);
            let term = Term::symbol(&name, Sort::of(ty));
            let domain = match system.clocks.contains(&variable) {
                true => Some(Term::truth(format!("(<= 0.0 {})", term.text), [&term])),
                false => domain(&term, ty),
            };
            context.condition.extend(domain.clone());
            let symbol = Symbol { sort: term.sort, domain, role: Role::Initial };
            execution.symbols.insert(name, symbol);
            context.values.insert(variable, term);
        }
        context.state = state;
        (execution, context)
    }

    /// The name of the duration before the event that follows a context.
    pub fn duration(context: &Context, suffix: &str) -> String {
        format!("z{}{suffix}", context.depth + 1)
    }
    /// The symbols of a message on a channel as the event that follows a context.
    pub fn message(&self, context: &Context, channel: usize, suffix: &str) -> Vec<String> {
        let channel = &self.system.channels[channel];
        let name = |position| format!("{}_{}_{}{suffix}", channel.name, context.depth + 1, position + 1);
        (0..channel.args.len()).map(name).collect()
    }
    /// That a duration is none below 0.
    fn declare_duration(&mut self, context: &Context, suffix: &str) -> (Term, Term) {
        let name = Self::duration(context, suffix);
        let term = Term::symbol(&name, Sort::Real);
        let domain = Term::truth(format!("(<= 0.0 {})", term.text), [&term]);
        let role = Role::Duration(context.depth + 1);
        let symbol = Symbol { sort: Sort::Real, domain: Some(domain.clone()), role };
        self.symbols.entry(name).or_insert(symbol);
        (term, domain)
    }
    fn declare_message(&mut self, context: &Context, channel: usize, suffix: &str) -> Vec<Term> {
        let names = self.message(context, channel, suffix);
        let args = self.system.channels[channel].args.clone();
        let is_output = self.system.channels[channel].direction == Direction::Output;
        let declare = |(position, name): (usize, String)| {
            let ty = args[position].as_ref();
            let sort = ty.map_or(Sort::Int, Sort::of);
            let term = Term::symbol(&name, sort);
            // What a system sends is judged, not assumed.
            let domain = ty.filter(|_| !is_output).and_then(|ty| domain(&term, ty));
            let role = Role::Message { event: context.depth + 1, channel, position };
            self.symbols.entry(name).or_insert(Symbol { sort, domain, role });
            term
        };
        names.into_iter().enumerate().map(declare).collect()
    }
    /// Declares the symbols of all events that may follow a context.
    pub fn declare(&mut self, context: &Context) {
        self.declare_duration(context, "");
        for channel in 0..self.system.channels.len() {
            self.declare_message(context, channel, "");
        }
    }

    /// What follows a context by a transition that starts in its state; `suffix` is empty, or
    /// [`LATER`] for an event at another time.
    pub fn follow(&mut self, context: &Context, edge: usize, suffix: &str) -> Successor {
        let system = self.system;
        let transition = &system.edges[edge];
        let (duration, at_least_zero) = self.declare_duration(context, suffix);
        let mut values = context.values.clone();
        for clock in &system.clocks {
            if let Some(value) = values.get_mut(clock) {
                *value = advanced(value, &duration);
            }
        }
        let symbols = self.declare_message(context, transition.channel, suffix);
        let mut guard = vec![at_least_zero];
        let mut message = Vec::new();
        match &transition.action {
            Action::Receive(variables) => {
                let args = &system.channel(transition).args;
                for ((variable, symbol), arg) in variables.iter().zip(&symbols).zip(args) {
                    let ty = system.ty(*variable);
                    guard.extend(self.symbols[&Self::name(symbol)].domain.clone());
                    if arg.as_ref() != Some(ty) {
                        guard.extend(domain(symbol, ty));
                    }
                    let value = cast(symbol.clone(), Sort::of(ty));
                    values.insert(*variable, value);
                }
            }
            Action::Send(_) => {}
        }
        guard.extend(transition.guard.conjuncts().into_iter().map(|part| {
            let term = evaluate(part, &values);
            Term { extent: Some(part.extent()), ..term }
        }));
        if let Action::Send(terms) = &transition.action {
            let args = system.channel(transition).args.clone();
            for ((expr, symbol), arg) in terms.iter().zip(&symbols).zip(&args) {
                let term = evaluate(expr, &values);
                if let Some(ty) = arg {
                    guard.extend(leaves(&term, expr, ty));
                }
                let term = cast(term, symbol.sort);
                message.push(Term::truth(format!("(= {} {})", symbol.text, term.text), [symbol, &term]));
            }
        }
        let mut next = values.clone();
        for (variable, expr) in &transition.updates {
            let ty = system.ty(*variable);
            let term = evaluate(expr, &values);
            guard.extend(leaves(&term, expr, ty));
            next.insert(*variable, cast(term, Sort::of(ty)));
        }
        for &reset in &transition.resets {
            next.insert(system.clocks[reset], Term::constant("0.0".to_owned(), Sort::Real));
        }
        guard.retain(|term| *term.text != *"true");
        let condition = context.condition.iter().chain(&guard).chain(&message).cloned().collect();
        let context = Context { state: transition.to, depth: context.depth + 1, condition, values: next };
        Successor { edge, guard, message, context }
    }
    fn name(symbol: &Term) -> String {
        symbol.symbols.first().cloned().unwrap_or_default()
    }

    /// `∃ bound. all conditions`, which some values are known to satisfy: those that speak of bound
    /// symbols alone and have no link to others hold anyway.
    pub fn exists(&self, conditions: &[Term], bound: &dyn Fn(&str) -> bool) -> Term {
        let reads = |term: &Term| term.symbols.iter().any(|name| bound(name));
        let (inside, mut kept): (Vec<Term>, Vec<Term>) = conditions.iter().cloned().partition(reads);
        kept.extend(relevant(inside, bound));
        self.exists_perhaps(&kept, bound)
    }
    /// `∃ bound. all conditions`, where the conditions without bound symbols stand outside.
    pub fn exists_perhaps(&self, conditions: &[Term], bound: &dyn Fn(&str) -> bool) -> Term {
        let reads = |term: &Term| term.symbols.iter().any(|name| bound(name));
        let (inside, outside): (Vec<Term>, Vec<Term>) = conditions.iter().cloned().partition(reads);
        let names: BTreeSet<&String> =
            inside.iter().flat_map(|term| &*term.symbols).filter(|name| bound(name)).collect();
        if names.is_empty() {
            return all(&outside);
        }
        let declared: Vec<String> = names
            .iter()
            .map(|name| {
                format!(
                    "({} {})",
                    symbol(name),
                    self.symbols.get(*name).map_or(Sort::Real, |known| known.sort).name()
                )
            })
            .collect();
        let body = all(&inside);
        let mut quantified = Term::truth(format!("(exists ({}) {})", declared.join(" "), body.text), [&body]);
        Rc::make_mut(&mut quantified.symbols).retain(|name| !bound(name));
        all(outside.iter().chain([&quantified]))
    }
}

/// Conditions that are linked to one with a free symbol: those that speak of bound symbols alone
/// are satisfiable, because the whole path condition is.
fn relevant(conditions: Vec<Term>, bound: &dyn Fn(&str) -> bool) -> Vec<Term> {
    let mut linked: BTreeSet<String> = BTreeSet::new();
    let mut kept = vec![false; conditions.len()];
    loop {
        let mut has_changed = false;
        for (index, term) in conditions.iter().enumerate() {
            let is_linked = term.symbols.iter().any(|name| !bound(name) || linked.contains(name));
            if is_linked && !kept[index] {
                kept[index] = true;
                has_changed = true;
                linked.extend(term.symbols.iter().filter(|name| bound(name)).cloned());
            }
        }
        if !has_changed {
            let flagged = conditions.into_iter().zip(kept);
            return flagged.filter(|(_, kept)| *kept).map(|(term, _)| term).collect();
        }
    }
}

fn advanced(value: &Term, duration: &Term) -> Term {
    let text = match value.text.strip_prefix("(+ ").and_then(|rest| rest.strip_suffix(')')) {
        _ if *value.text == *"0.0" => duration.text.to_string(),
        Some(inner) => format!("(+ {inner} {})", duration.text),
        None => format!("(+ {} {})", value.text, duration.text),
    };
    Term { sort: Sort::Real, ..Term::truth(text, [value, duration]) }
}

/// That a new value lies in a type, where the ranges do not say so.
fn leaves(term: &Term, expr: &Expr, ty: &Type) -> Option<Term> {
    if spec::fit::fit(expr, ty) == spec::fit::Fit::Always {
        return None;
    }
    // A fraction is compared as what it is; the domain of integers then asks for an integer.
    Some(Term { extent: Some(expr.extent()), ..domain(term, ty)? })
}

fn cast(term: Term, sort: Sort) -> Term {
    match (term.sort, sort) {
        (Sort::Int, Sort::Real) => Term { text: real(&term).into(), sort, ..term },
        (Sort::Real, Sort::Int) => Term { text: format!("(to_int {})", term.text).into(), sort, ..term },
        _ => term,
    }
}

/// The value of an expression as a term.
fn evaluate(expr: &Expr, values: &BTreeMap<VariableId, Term>) -> Term {
    let sort = Sort::of(expr.ty());
    let text = match expr.kind() {
        Kind::Constant(value) => literal(value, sort),
        Kind::Variable { variable, .. } => {
            return values
                .get(variable)
                .cloned()
                .unwrap_or_else(|| panic!("every variable should have a value"));
        }
        _ => String::new(),
    };
    if !text.is_empty() {
        return Term::constant(text, sort);
    }
    let mut parts = Vec::new();
    expr.kind().for_each_operand(|operand| parts.push(evaluate(operand, values)));
    let is_truth = parts.iter().all(|part| part.sort == Sort::Bool);
    let is_real = !is_truth && (sort == Sort::Real || parts.iter().any(|part| part.sort == Sort::Real));
    let texts: Vec<String> =
        parts.iter().map(|part| if is_real { real(part) } else { part.text.to_string() }).collect();
    let list = texts.join(" ");
    let text = match expr.kind() {
        Kind::Unary { op, .. } => unary(*op, &texts[0], expr.ty(), sort, is_real),
        Kind::Binary { op, .. } => binary(*op, &texts, &list),
        Kind::Several { op: Several::And, .. } => format!("(and {list})"),
        Kind::Several { op: Several::Or, .. } => format!("(or {list})"),
        Kind::Several { op: Several::Count, .. } => {
            let ones: Vec<String> = texts.iter().map(|text| format!("(ite {text} 1 0)")).collect();
            format!("(+ 0 {})", ones.join(" "))
        }
        _ => format!("(ite {list})"),
    };
    let found = if sort == Sort::Int && is_real { Sort::Real } else { sort };
    cast(Term { sort: found, ..Term::truth(text, &parts) }, sort)
}

fn unary(op: Unary, text: &str, ty: &Type, sort: Sort, is_real: bool) -> String {
    match op {
        Unary::Not => format!("(not {text})"),
        Unary::Negate => format!("(- {text})"),
        Unary::Abs if is_real => format!("(ite (< {text} 0.0) (- {text}) {text})"),
        Unary::Abs => format!("(ite (< {text} 0) (- {text}) {text})"),
        Unary::Clamp => {
            let Some(range) = ty.range() else { return text.to_owned() };
            let sort = if is_real { Sort::Real } else { sort };
            let [least, most] = [range.lo(), range.hi()].map(|units| literal(&range.value(units), sort));
            format!("(ite (< {text} {least}) {least} (ite (> {text} {most}) {most} {text}))")
        }
        Unary::Convert | Unary::BitNot | Unary::Wrap => text.to_owned(),
    }
}

fn binary(op: Binary, texts: &[String], list: &str) -> String {
    let [left, right] = [&texts[0], &texts[1]];
    match op {
        Binary::Add => format!("(+ {list})"),
        Binary::Sub => format!("(- {list})"),
        Binary::Mul => format!("(* {list})"),
        Binary::Div => format!("(/ {list})"),
        Binary::Quotient => format!("(div {list})"),
        Binary::Remainder => format!("(mod {list})"),
        Binary::Min => format!("(ite (<= {list}) {left} {right})"),
        Binary::Max => format!("(ite (<= {list}) {right} {left})"),
        Binary::Less => format!("(< {list})"),
        Binary::LessEqual => format!("(<= {list})"),
        Binary::Xor => format!("(xor {list})"),
        // Operators of machine integers, which timed systems do not have.
        Binary::Equal
        | Binary::BitAnd
        | Binary::BitOr
        | Binary::BitXor
        | Binary::ShiftLeft
        | Binary::ShiftRight => format!("(= {list})"),
    }
}
