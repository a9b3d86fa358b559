//! Requirements as others can judge them, and what they expect of the outputs of a chain.

use super::goal_place;
use crate::output::chain_file::{Kind, Origin};
use crate::output::number;
use crate::output::requirement::{Conditions, Expected, Node, StatedClaim, StatedReading, StatedRequirement};
use config::resolve::Model;
use frontend::{Claim, Location, Observed, ObservedPlace, Requirement, Signal, SignalKind, Translated};
use model::eval::Evaluator;
use model::id::Id;
use model::sort::{FloatFormat, Sort};
use model::term::{BinaryOp, RoundTo, SymbolId, Term, TermId, UnaryOp};
use model::trace::{Execution, Trace};
use model::validate::{Meaning, Validated};
use model::value::Value;
use model::visit::{cone, support};
use std::collections::BTreeMap;

/// Nodes that conditions may have; larger ones do not travel.
const MOST_NODES: usize = 5_000;

/// The requirements of a model.
pub fn requirements(model: &Model, translated: &Translated, system: &Validated) -> Vec<StatedRequirement> {
    let places = Places::new(translated, system);
    let stated = |required: &Requirement| {
        let statement = &required.statement;
        let found = match &required.observed {
            Ok(observed) => places.conditions(observed),
            Err(why) => Err(why.text().to_owned()),
        };
        let (conditions, hidden) = match found {
            Ok(conditions) => (Some(conditions), None),
            Err(why) => (None, Some(why)),
        };
        StatedRequirement {
            name: statement.name.clone(),
            kind: required.kind.name().to_owned(),
            requirement: statement.requirement.clone(),
            text: statement.text.clone(),
            origin: goal_place(model, translated, statement).as_ref().map(origin),
            // What the model never does is not looked at to the end, what is measured is.
            steps: conditions.iter().map(Conditions::steps).fold(statement.steps, u32::max),
            conditions,
            hidden,
        }
    };
    translated.requirements.iter().map(stated).collect()
}

fn origin(place: &Location) -> Origin {
    Origin { file: place.file.display().to_string(), line: place.line }
}

/// A place of memory that requirements read.
struct Place<'a> {
    lvalue: &'a str,
    output: Option<(&'a Signal, usize)>,
    /// Name and position of the state word.
    state: Option<(String, usize)>,
    /// What it holds before the first step, where that is one value.
    initial: Option<Value>,
}

/// All that conditions read, by symbol.
struct Places<'a> {
    translated: &'a Translated,
    system: &'a Validated,
    observed: BTreeMap<SymbolId, Place<'a>>,
}

/// What a symbol of a condition is.
enum Read<'p, 'a> {
    Input(&'a Signal, usize),
    Place(&'p Place<'a>),
}

impl<'a> Places<'a> {
    fn new(translated: &'a Translated, system: &'a Validated) -> Self {
        let signals = &translated.signals;
        let place = |seen: &'a ObservedPlace| {
            let lvalue = seen.lvalue.as_str();
            let output = signals.outputs.iter().find(|(signal, _)| signal.lvalue == lvalue);
            let shown = signals.states.iter().find(|(signal, _)| signal.lvalue == lvalue);
            let shown = shown.map(|(signal, id)| (signal.name.clone(), id.index()));
            let kept = || {
                let id = system.states.ids().find(|&id| system.state_name(id) == lvalue)?;
                Some((lvalue.to_owned(), id.index()))
            };
            Place {
                lvalue,
                output: output.map(|(signal, index)| (signal, *index)),
                state: shown.or_else(kept),
                initial: seen.initial,
            }
        };
        let observed = translated.observed.iter().map(|seen| (seen.symbol, place(seen))).collect();
        Self { translated, system, observed }
    }

    /// What a symbol is, and at which frame of the window.
    fn read(&self, symbol: SymbolId) -> Option<(Read<'_, 'a>, u32)> {
        let framed = self.system.terms.symbol(symbol).framed;
        let (base, frame) = framed.map_or((symbol, 0), |framed| (framed.base, framed.offset));
        if let Some(place) = self.observed.get(&base) {
            return Some((Read::Place(place), frame));
        }
        let Meaning::Input(id) = self.system.meaning(base) else { return None };
        let known = self.translated.signals.inputs.iter().find(|known| known.input == id)?;
        Some((Read::Input(&known.signal, id.index()), frame))
    }

    /// # Errors
    /// Why they cannot be told.
    fn conditions(&self, observed: &Observed) -> Result<Conditions, String> {
        let claimed = observed.claims.iter().flat_map(|claim| {
            let read = claim.read.iter().flat_map(|reading| [reading.is_read, reading.value]);
            std::iter::once(claim.fails).chain(read)
        });
        let roots: Vec<TermId> =
            [observed.antecedent, observed.expectation].into_iter().chain(claimed).collect();
        let terms = cone(&self.system.terms, &roots);
        if terms.len() > MOST_NODES {
            return Err(format!("its conditions have more than {MOST_NODES} operators"));
        }
        let mut numbers: BTreeMap<TermId, usize> = BTreeMap::new();
        let mut nodes = Vec::new();
        for term in terms {
            let args = self.system.terms.node(term).operands().map(|operand| numbers[&operand]).collect();
            nodes.push(self.node(term, args)?);
            numbers.insert(term, nodes.len() - 1);
        }
        let claims = observed.claims.iter().map(|claim| stated_claim(claim, &numbers)).collect();
        let (antecedent, consequent) = (numbers[&observed.antecedent], numbers[&observed.expectation]);
        Ok(Conditions { nodes, antecedent, consequent, claims })
    }

    fn node(&self, term: TermId, args: Vec<usize>) -> Result<Node, String> {
        let pool = &self.system.terms;
        let plain = |op: &str| Node {
            op: op.to_owned(),
            sort: sort_name(pool.sort(term)),
            args,
            name: None,
            step: None,
            bits: None,
            low: None,
        };
        Ok(match pool.node(term) {
            Term::Symbol(symbol) => {
                let (op, name, step) = self.leaf(symbol)?;
                Node { name: Some(name), step: Some(step), ..plain(op) }
            }
            Term::Const(constant) => {
                let bits = format!("0x{:x}", pool.constant_value(constant).bits());
                Node { bits: Some(bits), ..plain("constant") }
            }
            Term::Extract { low, .. } => Node { low: Some(u32::from(low)), ..plain("extract") },
            Term::Unary { op, .. } => plain(unary_name(op)),
            Term::Binary { op, .. } => plain(binary_name(op)),
            Term::Ite { .. } => plain("ite"),
            Term::Extend { signed: true, .. } => plain("sign-extend"),
            Term::Extend { signed: false, .. } => plain("zero-extend"),
            Term::FloatFma { .. } => plain("fma"),
        })
    }

    fn leaf(&self, symbol: SymbolId) -> Result<(&'static str, String, u32), String> {
        match self.read(symbol) {
            Some((Read::Input(signal, _), frame)) => Ok(("input", signal.name.clone(), frame)),
            Some((Read::Place(place), frame)) => Ok(match (&place.output, &place.state) {
                (Some((signal, _)), _) => ("output", signal.name.clone(), frame),
                (None, Some((name, _))) => ("state", name.clone(), frame),
                (None, None) => ("state", place.lvalue.to_owned(), frame),
            }),
            None => {
                let name = &self.system.terms.symbol(symbol).name;
                Err(format!("it rests on `{name}`, which is no input and no memory"))
            }
        }
    }

    /// The output that a symbol stands for behind steps of the window, and how many these are, at
    /// least 1.
    fn output(&self, symbol: SymbolId) -> Option<(&Signal, usize)> {
        let (Read::Place(place), frame) = self.read(symbol)? else { return None };
        let (signal, _) = place.output.as_ref()?;
        Some((*signal, frame as usize)).filter(|_| frame > 0)
    }

    /// Values of what a window of an execution that begins at `at` reads; `None`: not recorded.
    fn value(&self, symbol: SymbolId, (trace, run): (&Trace, &Execution), at: usize) -> Option<Value> {
        match self.read(symbol)? {
            (Read::Input(_, index), frame) => trace.inputs.get(at + frame as usize)?.get(index).copied(),
            (Read::Place(place), frame) => {
                let behind = at + frame as usize;
                match (&place.output, &place.state) {
                    (Some((_, index)), _) if behind > 0 => run.outputs.get(behind - 1)?.get(*index).copied(),
                    (_, Some((_, index))) => run.states.get(behind)?.get(*index).copied(),
                    _ if behind == 0 => place.initial,
                    _ => None,
                }
            }
        }
    }
}

fn stated_claim(claim: &Claim, numbers: &BTreeMap<TermId, usize>) -> StatedClaim {
    let read = claim.read.iter().map(|reading| StatedReading {
        expression: reading.text.clone(),
        is_read: numbers[&reading.is_read],
        value: numbers[&reading.value],
        kind: kind(&reading.kind),
    });
    StatedClaim {
        text: claim.text.clone(),
        origin: claim.place.as_ref().map(origin),
        fails: numbers[&claim.fails],
        read: read.collect(),
    }
}

fn kind(kind: &SignalKind) -> Kind {
    match kind {
        SignalKind::Bool => Kind::Bool,
        SignalKind::Unsigned
        | SignalKind::Enum { signed: false, .. }
        | SignalKind::Counted { signed: false, .. } => Kind::Unsigned,
        SignalKind::Signed
        | SignalKind::Enum { signed: true, .. }
        | SignalKind::Counted { signed: true, .. } => Kind::Signed,
        SignalKind::Float => Kind::Float,
        SignalKind::Pointer => Kind::Pointer,
    }
}

pub(crate) fn sort_name(sort: Sort) -> String {
    match sort {
        Sort::Word(width) => format!("w{width}"),
        Sort::Float(FloatFormat::Single) => "f32".to_owned(),
        Sort::Float(FloatFormat::Double) => "f64".to_owned(),
    }
}

pub(crate) const fn unary_name(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Not => "not",
        UnaryOp::Neg => "neg",
        UnaryOp::FloatToBits => "float-to-bits",
        UnaryOp::FloatFromBits(_) => "float-from-bits",
        UnaryOp::FloatNeg => "float-neg",
        UnaryOp::FloatAbs => "float-abs",
        UnaryOp::FloatSqrt => "float-sqrt",
        UnaryOp::FloatRound(RoundTo::NearestEven) => "round-even",
        UnaryOp::FloatRound(RoundTo::NearestAway) => "round-away",
        UnaryOp::FloatRound(RoundTo::Zero) => "round-zero",
        UnaryOp::FloatRound(RoundTo::Up) => "round-up",
        UnaryOp::FloatRound(RoundTo::Down) => "round-down",
        UnaryOp::FloatIsNan => "is-nan",
        UnaryOp::FloatIsInfinite => "is-infinite",
        UnaryOp::FloatConvert(_) => "float-convert",
        UnaryOp::FloatFromUnsigned(_) => "float-from-unsigned",
        UnaryOp::FloatFromSigned(_) => "float-from-signed",
        UnaryOp::FloatToUnsigned(_) => "float-to-unsigned",
        UnaryOp::FloatToSigned(_) => "float-to-signed",
    }
}

pub(crate) const fn binary_name(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::And => "and",
        BinaryOp::Or => "or",
        BinaryOp::Xor => "xor",
        BinaryOp::Add => "add",
        BinaryOp::Sub => "sub",
        BinaryOp::Mul => "mul",
        BinaryOp::UDiv => "udiv",
        BinaryOp::URem => "urem",
        BinaryOp::SDiv => "sdiv",
        BinaryOp::SRem => "srem",
        BinaryOp::Shl => "shl",
        BinaryOp::LShr => "lshr",
        BinaryOp::AShr => "ashr",
        BinaryOp::Eq => "eq",
        BinaryOp::ULt => "ult",
        BinaryOp::ULe => "ule",
        BinaryOp::SLt => "slt",
        BinaryOp::SLe => "sle",
        BinaryOp::Concat => "concat",
        BinaryOp::FloatAdd => "float-add",
        BinaryOp::FloatSub => "float-sub",
        BinaryOp::FloatMul => "float-mul",
        BinaryOp::FloatDiv => "float-div",
        BinaryOp::FloatFmod => "float-fmod",
        BinaryOp::FloatRemainder => "float-remainder",
        BinaryOp::FloatEq => "float-eq",
        BinaryOp::FloatLt => "float-lt",
        BinaryOp::FloatLe => "float-le",
    }
}

/// What requirements expect of outputs along an execution, where that is not simply the record: for
/// each step by name of the output.
pub(super) fn expected(
    translated: &Translated,
    system: &Validated,
    (trace, run): (&Trace, &Execution),
) -> Vec<BTreeMap<String, Expected>> {
    let places = Places::new(translated, system);
    let mut all = vec![BTreeMap::new(); trace.inputs.len()];
    for required in &translated.requirements {
        let Ok(observed) = &required.observed else { continue };
        let windows = (trace.inputs.len() + 1).saturating_sub(required.statement.steps as usize);
        let mut judged = Judged::new(&places, observed, &required.statement.name);
        (0..windows).for_each(|at| judged.add((trace, run), at, &mut all));
    }
    all
}

/// A requirement that is judged along an execution.
struct Judged<'j, 'a> {
    places: &'j Places<'a>,
    name: &'j str,
    /// Of antecedent, expectation, and what outputs have to be equal to.
    evaluator: Evaluator,
    /// The outputs that the expectation reads.
    read: Vec<SymbolId>,
    /// Outputs that the expectation fixes: `output == e`, where `e` reads no outputs of the window,
    /// and truths by themselves.
    fixed: Vec<(SymbolId, Fixed)>,
}

/// What an output has to be.
#[derive(Clone, Copy)]
enum Fixed {
    Truth(bool),
    /// The value of this root of the evaluator.
    Root(usize),
}

impl<'j, 'a> Judged<'j, 'a> {
    fn new(places: &'j Places<'a>, observed: &Observed, name: &'j str) -> Self {
        let pool = &places.system.terms;
        let mut roots = vec![observed.antecedent, observed.expectation];
        let is_output = |symbol: &SymbolId| places.output(*symbol).is_some();
        let mut fixed = Vec::new();
        for conjunct in pool.conjuncts(observed.expectation) {
            let pair = match pool.node(conjunct) {
                Term::Symbol(symbol) => Some((symbol, Fixed::Truth(true))),
                Term::Unary { op: UnaryOp::Not, arg } => {
                    pool.as_symbol(arg).map(|symbol| (symbol, Fixed::Truth(false)))
                }
                Term::Binary { op: BinaryOp::Eq | BinaryOp::FloatEq, lhs, rhs } => {
                    let pairs = [(lhs, rhs), (rhs, lhs)].into_iter();
                    let is_free = |term: TermId| !support(pool, &[term]).iter().any(is_output);
                    let mut symbols = pairs.filter_map(|(one, other)| Some((pool.as_symbol(one)?, other)));
                    symbols.find(|(symbol, other)| is_output(symbol) && is_free(*other)).map(
                        |(symbol, other)| {
                            roots.push(other);
                            (symbol, Fixed::Root(roots.len() - 1))
                        },
                    )
                }
                _ => None,
            };
            fixed.extend(pair.filter(|(symbol, _)| is_output(symbol)));
        }
        let read = support(pool, &[observed.expectation]).into_iter().filter(is_output).collect();
        Self { places, name, evaluator: Evaluator::new(pool, roots), read, fixed }
    }

    /// Whether all that the window reads was recorded; if so, the evaluator has its values.
    fn run(&mut self, execution: (&Trace, &Execution), at: usize) -> bool {
        let symbols: Vec<SymbolId> = self.evaluator.symbols().iter().map(|(symbol, _)| *symbol).collect();
        for (position, symbol) in symbols.into_iter().enumerate() {
            let Some(value) = self.places.value(symbol, execution, at) else { return false };
            self.evaluator.set(position, value);
        }
        self.evaluator.execute();
        true
    }

    /// Adds what the requirement expects in the window that begins at `at`. The first requirement
    /// that fixes a value counts.
    fn add(&mut self, execution: (&Trace, &Execution), at: usize, all: &mut [BTreeMap<String, Expected>]) {
        if !self.run(execution, at) || !self.evaluator.holds(0) {
            return;
        }
        let doubtful = || Expected { value: None, requirement: self.name.to_owned() };
        let read = if self.evaluator.holds(1) { &[][..] } else { &self.read[..] };
        for (signal, frame) in read.iter().filter_map(|&symbol| self.places.output(symbol)) {
            all[at + frame - 1].entry(signal.name.clone()).or_insert_with(doubtful);
        }
        for &(symbol, fixed) in &self.fixed {
            let Some((signal, frame)) = self.places.output(symbol) else { continue };
            let value = match fixed {
                Fixed::Truth(truth) => Value::word(1, u128::from(truth)),
                Fixed::Root(root) => self.evaluator.value(root),
            };
            let entry = all[at + frame - 1].entry(signal.name.clone()).or_insert_with(doubtful);
            if entry.value.is_none() {
                let value = Some(number::to_json(value, &signal.kind));
                *entry = Expected { value, requirement: self.name.to_owned() };
            }
        }
    }
}
