//! Mutants: one small change each of one transition, in the syntax tree, so that each can be
//! printed, applied and checked alone.
//!
//! The operators follow Aichernig, Lorber, Ničković: "Time for Mutants: Model-Based Mutation
//! Testing with Timed Automata" (TAP 2013): changed action, target, source, guard, negated guard,
//! changed reset, sink location. Timed systems have no invariants of locations: the last time of an
//! output is its deadline, so that the bounds of guards are what the paper changes in invariants.
//! Data add operators for values that are sent or assigned.

mod rewrite;

use crate::check::check;
use crate::read::{overrides, trees};
use crate::syntax::{Action, Declaration, Edge, File};
use crate::system::{self, System};
use frontend::Failure;
use frontend::diagnostics::Diagnostics;
use frontend::source::SourceMap;
use rewrite::Rewriting;
use spec::language::TIMED;
use spec::lexer::Extent;
use spec::parser::Parsed;
use spec::print::{expression, name_of};
use spec::scope::Scope;
use spec::syntax::{Common, Expr, ExprKind, Name, UnaryOp};
use spec::types::Type;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// What a mutant changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// The channel becomes another one of that direction whose messages have such values.
    Action,
    /// The transition ends in another state.
    Target,
    /// The transition starts in another state.
    Source,
    /// The guard is negated.
    Negation,
    /// A number of the guard becomes one more, one less.
    Constant,
    /// A relation of the guard becomes another one.
    Relation,
    /// A clock is reset that was not, or the other way round.
    Reset,
    /// The transition ends in a state that nothing leaves.
    Sink,
    /// A value that is sent becomes another one.
    Output,
    /// A value that is assigned becomes another one, or is not assigned.
    Assignment,
    /// The transition is left out.
    Transition,
}

impl Operator {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Action,
        Self::Target,
        Self::Source,
        Self::Negation,
        Self::Constant,
        Self::Relation,
        Self::Reset,
        Self::Sink,
        Self::Output,
        Self::Assignment,
        Self::Transition,
    ];
    /// The name on the command line and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Action => "action",
            Self::Target => "target",
            Self::Source => "source",
            Self::Negation => "negation",
            Self::Constant => "constant",
            Self::Relation => "relation",
            Self::Reset => "reset",
            Self::Sink => "sink",
            Self::Output => "output",
            Self::Assignment => "assignment",
            Self::Transition => "transition",
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.name())
    }
}

/// Which operators are used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operators(pub Vec<Operator>);

impl Default for Operators {
    fn default() -> Self {
        Self(Operator::ALL.to_vec())
    }
}

impl FromStr for Operators {
    type Err = String;
    /// `standard`, or names with commas between them.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut found = Vec::new();
        for name in text.split(',').map(str::trim) {
            match Operator::ALL.into_iter().find(|operator| operator.name() == name) {
                _ if name == "standard" => found.extend(Operator::ALL),
                Some(operator) => found.push(operator),
                None => {
                    let names: Vec<&str> = Operator::ALL.iter().map(|operator| operator.name()).collect();
                    let known = names.join(", ");
                    return Err(format!(
                        "there is no mutation operator `{name}` of timed systems: standard, {known}"
                    ));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(Self(found))
    }
}

/// A change of a transition.
#[derive(Clone, Debug)]
pub struct Mutation {
    /// What kind of change it is.
    pub operator: Operator,
    /// The transition, as a position in the system.
    pub edge: usize,
    /// Where the changed part stands; what is added stands at the name of the transition.
    pub extent: Extent,
    /// What stood there; empty: nothing.
    pub old: String,
    /// What stands there now; empty: nothing.
    pub new: String,
    changed: Edge,
}

/// A file whose mutants are made.
#[derive(Debug)]
pub struct Source {
    file: File,
    scope: Scope,
    /// The system.
    pub system: System,
    /// The files.
    pub sources: SourceMap,
}

/// Reads a system; `define` has `NAME=VALUE` for constants.
///
/// # Errors
/// All that is wrong with it.
pub fn read(path: &Path, define: &[String]) -> Result<Source, Failure> {
    let (mut sources, mut diagnostics) = (SourceMap::default(), Diagnostics::default());
    let read = trees(path, &mut sources, &mut diagnostics).and_then(|file| {
        let scope = overrides(define, &mut sources, &mut diagnostics)?;
        let system = check(&file, scope.clone(), &mut diagnostics)?;
        Ok((file, scope, system))
    });
    match read {
        Ok((file, scope, mut system)) if !diagnostics.has_errors() => {
            if system.name.is_empty() {
                system.name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            }
            Ok(Source { file, scope, system, sources })
        }
        _ => Err(Failure { diagnostics, sources }),
    }
}

impl Source {
    /// All mutants by some operators, in the order of the text.
    pub fn mutations(&self, operators: &Operators) -> Vec<Mutation> {
        let constants = self.file.declarations.iter().filter_map(|declaration| match declaration {
            Declaration::Common(Common::Const { name, .. }) => Some(name.text.as_str()),
            _ => None,
        });
        let rewriting = Rewriting { constants: constants.collect() };
        let mut maker = Maker { source: self, rewriting, operators, found: Vec::new() };
        let edges = self.file.declarations.iter().filter_map(|declaration| match declaration {
            Declaration::Edge(edge) => Some(&**edge),
            _ => None,
        });
        for (index, edge) in edges.enumerate() {
            maker.edge(index, edge);
        }
        maker.found
    }

    /// The system of a mutant, with states numbered as in the original and those behind them that
    /// are new. Purposes and goals are left out: they speak of the original.
    ///
    /// # Errors
    /// If the changed text is no system; says why.
    pub fn mutant(&self, mutation: &Mutation) -> Result<System, String> {
        let mut file = File::default();
        let mut index = 0;
        for declaration in &self.file.declarations {
            match declaration {
                Declaration::Purpose { .. } | Declaration::Goal(..) | Declaration::Final(_) => {}
                Declaration::Edge(_) => {
                    file.declarations.push(match index == mutation.edge {
                        true => Declaration::Edge(Box::new(mutation.changed.clone())),
                        false => declaration.clone(),
                    });
                    index += 1;
                }
                _ => file.declarations.push(declaration.clone()),
            }
        }
        let mut diagnostics = Diagnostics::default();
        let checked: Parsed<System> = check(&file, self.scope.clone(), &mut diagnostics);
        let why = || diagnostics.errors().next().map_or_else(String::new, |entry| entry.message.clone());
        let mut system = checked.map_err(|_| why())?;
        if diagnostics.has_errors() {
            return Err(why());
        }
        self.renumber(&mut system);
        system.name.clone_from(&self.system.name);
        Ok(system)
    }
    /// Numbers states as in the original.
    fn renumber(&self, system: &mut System) {
        let mut states = self.system.states.clone();
        let numbers: Vec<usize> = system
            .states
            .iter()
            .map(|name| {
                states.iter().position(|known| known == name).unwrap_or_else(|| {
                    states.push(name.clone());
                    states.len() - 1
                })
            })
            .collect();
        for edge in &mut system.edges {
            (edge.from, edge.to) = (numbers[edge.from], numbers[edge.to]);
        }
        system.states = states;
    }
}

/// Makes the mutants of transitions.
struct Maker<'a> {
    source: &'a Source,
    rewriting: Rewriting<'a>,
    operators: &'a Operators,
    found: Vec<Mutation>,
}

impl Maker<'_> {
    fn has(&self, operator: Operator) -> bool {
        self.operators.0.contains(&operator)
    }
    fn add(&mut self, operator: Operator, edge: usize, what: (Extent, String, String), changed: Edge) {
        let (extent, old, new) = what;
        if self.has(operator) {
            self.found.push(Mutation { operator, edge, extent, old, new, changed });
        }
    }
    fn edge(&mut self, index: usize, edge: &Edge) {
        self.places(index, edge);
        self.guard(index, edge);
        self.channel(index, edge);
        if let Action::Send(terms) = &edge.action {
            self.sent(index, edge, terms);
        }
        self.resets(index, edge);
        self.assignments(index, edge);
        let mut changed = edge.clone();
        changed.guard = Some(Expr { kind: ExprKind::Bool(false), extent: edge.name.extent });
        let old = format!("edge {}", name(&edge.name.text));
        self.add(Operator::Transition, index, (edge.name.extent, old, String::new()), changed);
    }
    /// Source, target, sink.
    fn places(&mut self, index: usize, edge: &Edge) {
        let states = &self.source.system.states;
        for state in states {
            if *state != edge.from.text {
                let changed = Edge { from: renamed(&edge.from, state), ..edge.clone() };
                self.add(Operator::Source, index, change(&edge.from, state), changed);
            }
        }
        for state in states {
            if *state != edge.to.text {
                let changed = Edge { to: renamed(&edge.to, state), ..edge.clone() };
                self.add(Operator::Target, index, change(&edge.to, state), changed);
            }
        }
        let mut sink = "sink".to_owned();
        while states.contains(&sink) {
            sink.push('_');
        }
        let changed = Edge { to: renamed(&edge.to, &sink), ..edge.clone() };
        self.add(Operator::Sink, index, change(&edge.to, &sink), changed);
    }
    fn guard(&mut self, index: usize, edge: &Edge) {
        let Some(guard) = &edge.guard else { return };
        let negated = Expr {
            kind: ExprKind::Unary { op: UnaryOp::Not, arg: Box::new(guard.clone()) },
            extent: guard.extent,
        };
        let texts = (guard.extent, self.text(guard.extent), text(&negated));
        self.add(Operator::Negation, index, texts, Edge { guard: Some(negated), ..edge.clone() });
        for (operator, rewritten) in [
            (Operator::Relation, self.rewriting.relations(guard)),
            (Operator::Constant, self.rewriting.constants(guard)),
        ] {
            for one in rewritten {
                let texts = (one.extent, self.text(one.extent), one.new);
                self.add(operator, index, texts, Edge { guard: Some(one.whole), ..edge.clone() });
            }
        }
    }
    /// Channels of the same direction with as many values; that their types fit is checked with the
    /// mutant.
    fn channel(&mut self, index: usize, edge: &Edge) {
        let system = &self.source.system;
        let own = system.channel(&system.edges[index]);
        for channel in &system.channels {
            let fits = channel.name != own.name
                && channel.direction == own.direction
                && channel.args.len() == own.args.len();
            if fits {
                let changed = Edge { channel: renamed(&edge.channel, &channel.name), ..edge.clone() };
                self.add(Operator::Action, index, change(&edge.channel, &channel.name), changed);
            }
        }
    }
    fn sent(&mut self, index: usize, edge: &Edge, terms: &[Expr]) {
        let system::Action::Send(typed) = &self.source.system.edges[index].action else { return };
        for (position, (term, typed)) in terms.iter().zip(typed).enumerate() {
            for other in self.others(term, typed.ty()) {
                let texts = (term.extent, self.text(term.extent), text(&other));
                let mut terms = terms.to_vec();
                terms[position] = other;
                let changed = Edge { action: Action::Send(terms), ..edge.clone() };
                self.add(Operator::Output, index, texts, changed);
            }
        }
    }
    /// Other values in place of a value.
    fn others(&self, term: &Expr, ty: &Type) -> Vec<Expr> {
        match ty {
            Type::Bool => {
                let kind = ExprKind::Unary { op: UnaryOp::Not, arg: Box::new(term.clone()) };
                vec![Expr { kind, extent: term.extent }]
            }
            Type::Enum(enumeration) => {
                let is_it = |name: &&String| matches!(&term.kind, ExprKind::Name { name: own, primed: false } if own == *name);
                let others = enumeration.names.iter().filter(|name| !is_it(name));
                others
                    .map(|name| Expr {
                        kind: ExprKind::Name { name: name.clone(), primed: false },
                        extent: term.extent,
                    })
                    .collect()
            }
            _ => self.rewriting.neighbours(term),
        }
    }
    fn resets(&mut self, index: usize, edge: &Edge) {
        let system = &self.source.system;
        for (position, clock) in edge.resets.iter().enumerate() {
            let mut changed = edge.clone();
            changed.resets.remove(position);
            let texts = (clock.extent, format!("reset {}", name(&clock.text)), String::new());
            self.add(Operator::Reset, index, texts, changed);
        }
        for &clock in &system.clocks {
            let clock = system.name_of(clock);
            if edge.resets.iter().all(|known| known.text != clock) {
                let mut changed = edge.clone();
                changed.resets.push(renamed(&edge.name, clock));
                let texts = (edge.name.extent, String::new(), format!("reset {}", name(clock)));
                self.add(Operator::Reset, index, texts, changed);
            }
        }
    }
    fn assignments(&mut self, index: usize, edge: &Edge) {
        for (number, update) in edge.updates.iter().enumerate() {
            for (position, (target, value)) in update.targets.iter().zip(&update.values).enumerate() {
                let ty = self.source.system.scope.variable_named(&target.text);
                let Some(ty) = ty.map(|variable| self.source.system.ty(variable).clone()) else { continue };
                for other in self.others(value, &ty) {
                    let texts = (value.extent, self.text(value.extent), text(&other));
                    let mut changed = edge.clone();
                    changed.updates[number].values[position] = other;
                    self.add(Operator::Assignment, index, texts, changed);
                }
                let mut changed = edge.clone();
                let update = &mut changed.updates[number];
                update.targets.remove(position);
                update.values.remove(position);
                changed.updates.retain(|update| !update.targets.is_empty());
                let extent = target.extent.until(value.extent);
                let old = format!("{} := {}", name(&target.text), self.text(value.extent));
                self.add(Operator::Assignment, index, (extent, old, String::new()), changed);
            }
        }
    }
    fn text(&self, extent: Extent) -> String {
        extent.text(&self.source.sources).to_owned()
    }
}

fn renamed(place: &Name, text: &str) -> Name {
    Name { text: text.to_owned(), extent: place.extent }
}
fn name(text: &str) -> String {
    name_of(text, &TIMED)
}
fn text(expr: &Expr) -> String {
    expression(expr, &TIMED)
}
fn change(from: &Name, to: &str) -> (Extent, String, String) {
    (from.extent, name(&from.text), name(to))
}
