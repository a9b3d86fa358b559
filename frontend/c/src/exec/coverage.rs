//! Noting which coverage goals an execution reaches, and under which truths.
//!
//! A goal is reached at its point of evaluation: the path there and the values of the conditions
//! say when. Rounds of loops and calls from several places are several visits of one goal.
//!
//! MC/DC is the masking form (CAST-6, FAA 2001): a condition counts at a value where it is
//! evaluated and no operator above it is decided by its other operand. Short circuit leaves one
//! case: the condition stands in the left operand, and the right one was evaluated to the value
//! that decides (GCC measures the same: Kvalsvik, arXiv 2501.02133). Polarity is fixed, so that any
//! true half and any false half of a condition are an independence pair.

use super::call_paths::CallPath;
use super::events::Visit;
use super::initial_memory::{Phase, Role};
use super::object::{ObjectId, Origin};
use super::place::{Index, Target};
use super::state::State;
use super::{Frame, Machine};
use crate::ir::FunctionId;
use crate::ir::coverage::{BlockId, ComparisonId, DecisionId, Node, Operator, ProbeId, SwitchId};
use crate::ir::expr::{BinaryOp as COp, Expr, ExprKind};
use frontend::coverage::{Criterion, Tolerance};
use frontend::source::Span;
use model::sort::{FloatFormat, Sort};
use model::term::{BinaryOp, TermId, TermPool, UnaryOp};
use model::value::Value;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Visits of one goal that are kept apart; further ones become one.
const MOST_VISITS: usize = 64;

/// What a goal reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Aim {
    /// A block is entered.
    Block(BlockId),
    /// A decision has an outcome.
    Outcome(DecisionId, bool),
    /// A condition is evaluated to a value.
    Value(ProbeId, bool),
    /// A condition is evaluated to a value and not masked.
    Half(ProbeId, bool),
    /// A decision is evaluated in one of its ways.
    Way(DecisionId, usize),
    /// The operands of a comparison differ by -1, 0 or 1.
    Relation(ComparisonId, i8),
    /// A `switch` goes to an entry, or, with the number of entries, to none.
    Label(SwitchId, usize),
    /// A read of a table, by its number, reads the cell of an index.
    Cell(usize, u64),
}

/// A place that reads a constant array with an index that is not constant.
#[derive(Clone, Debug)]
pub(crate) struct TableRead {
    /// The function.
    pub(crate) function: FunctionId,
    /// The place.
    pub(crate) span: Span,
    /// The array, as C code reaches it.
    pub(crate) array: String,
    /// The object that the array is, or is a part of.
    object: ObjectId,
    /// The bit in the object at which the array begins.
    bit: u64,
    /// The cells that are looked at.
    places: Vec<usize>,
    /// The name of each cell that is looked at, by its index: all, or the first and the last one of a
    /// long array.
    pub(crate) cells: Vec<(u64, String)>,
}

/// Longest array of which each cell is looked at.
const MOST_CELLS: u64 = 64;

/// When a value was true and when it was false, both as truths that it was evaluated so.
#[derive(Clone, Copy)]
struct Truths {
    holds: TermId,
    fails: TermId,
}

impl Truths {
    const fn of(self, value: bool) -> TermId {
        if value { self.holds } else { self.fails }
    }
}

impl Aim {
    /// The criterion whose goals it reaches.
    pub(crate) const fn criterion(self) -> Criterion {
        match self {
            Self::Block(_) => Criterion::Statement,
            Self::Outcome(..) | Self::Label(..) => Criterion::Decision,
            Self::Value(..) => Criterion::Condition,
            Self::Half(..) => Criterion::Mcdc,
            Self::Way(..) => Criterion::McdcPairs,
            Self::Relation(..) => Criterion::Relational,
            Self::Cell(..) => Criterion::Boundary,
        }
    }
}

/// What counts as reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counting {
    /// The criteria that are asked for.
    pub(crate) criteria: BTreeSet<Criterion>,
    /// Each path of calls that leads to a place has goals of its own.
    pub(crate) per_call: bool,
    /// What initialisation reaches counts.
    pub(crate) init: bool,
}

/// A goal's aim in the code that a path of calls leads to.
pub(crate) type AimOfCall = (Aim, CallPath);

/// What was noted so far.
#[derive(Clone, Default)]
pub(crate) struct Notes {
    /// Visits of goals.
    pub(crate) visits: BTreeMap<AimOfCall, Vec<Visit>>,
    /// Evaluations of decisions that are not complete: by decision and depth of recursion.
    open: FxHashMap<(DecisionId, u32), FxHashMap<ProbeId, Truths>>,
}

impl Machine<'_> {
    /// Whether what is executed is code of the step, at its place in the step, or of an
    /// initialisation that counts.
    fn is_observed(&self) -> bool {
        let counts = match self.initial_memory.phase {
            Phase::Step { frame } => frame == 0,
            Phase::Init => self.counting.init,
            Phase::Behind { .. } => false,
        };
        counts && self.property.is_none() && self.library_call.is_none() && !self.hazards.is_off
    }

    /// Whether goals of a criterion are asked for.
    pub(crate) fn notes(&self, criterion: Criterion) -> bool {
        self.counting.criteria.contains(&criterion)
    }

    /// Whether each evaluation of a value is to give the opposite.
    pub(super) fn is_inverted(&self, probe: ProbeId) -> bool {
        self.inverted.contains(&probe) && self.is_observed()
    }

    fn visit(&mut self, aim: Aim, antecedent: TermId) {
        let terms = &mut self.system.terms;
        if terms.as_const(antecedent).is_some_and(|value| !value.is_true()) {
            return;
        }
        let assumed = self.events.assumptions.len();
        let visits = self.events.coverage.visits.entry((aim, self.call_path)).or_default();
        let is_full = visits.len() >= MOST_VISITS;
        if let Some(last) = visits.last_mut()
            && last.assumed == assumed
            && (is_full || last.antecedent == antecedent)
        {
            last.antecedent = terms.or(last.antecedent, antecedent);
            return;
        }
        visits.push(Visit { antecedent, expectation: None, assumed });
    }

    /// Notes that a block is entered.
    pub(super) fn note_block(&mut self, state: &State, block: BlockId) {
        if self.is_observed() {
            let path = self.paths.conjunction(state.path);
            self.visit(Aim::Block(block), path);
        }
    }

    /// Notes the truth of a value that a decision is made of.
    pub(super) fn note_probe(&mut self, frame: &Frame, state: &State, probe: ProbeId, truth: TermId) {
        if !self.is_observed() {
            return;
        }
        let program = self.program;
        let looked_at = program.instruments.probes[probe];
        let Some(decision) = looked_at.decision else { return };
        let path = self.paths.conjunction(state.path);
        let terms = &mut self.system.terms;
        let negated = terms.not(truth);
        let now = Truths { holds: terms.and(path, truth), fails: terms.and(path, negated) };
        if looked_at.condition.is_some() {
            self.visit(Aim::Value(probe, true), now.holds);
            self.visit(Aim::Value(probe, false), now.fails);
        }
        let depth = frame.function.and_then(|function| self.depths.get(&function)).copied().unwrap_or(0);
        let mut truths = match looked_at.condition {
            // The first condition is always evaluated, and before all others.
            Some(0) => FxHashMap::default(),
            _ => self.events.coverage.open.remove(&(decision, depth)).unwrap_or_default(),
        };
        let entry = truths.entry(probe).or_insert(now);
        entry.holds = self.system.terms.or(entry.holds, now.holds);
        entry.fails = self.system.terms.or(entry.fails, now.fails);
        if looked_at.is_outcome {
            self.visit(Aim::Outcome(decision, true), now.holds);
            self.visit(Aim::Outcome(decision, false), now.fails);
            self.note_halves(&program.instruments.decisions[decision].tree, &truths, path);
            self.note_ways(decision, &truths, path);
        }
        self.events.coverage.open.insert((decision, depth), truths);
    }

    /// Notes in which way a decision is evaluated, where that is wanted: which conditions are
    /// evaluated follows from the values of those before them.
    fn note_ways(&mut self, decision: DecisionId, truths: &FxHashMap<ProbeId, Truths>, path: TermId) {
        if !self.notes(Criterion::McdcPairs) {
            return;
        }
        let program = self.program;
        let decision_of = &program.instruments.decisions[decision];
        for (number, way) in decision_of.ways.iter().enumerate() {
            let mut truth = path;
            for (condition, value) in decision_of.conditions.iter().zip(&way.values) {
                let Some(value) = *value else { continue };
                let never = self.system.terms.truth(false);
                let holds = truths.get(&condition.probe).map_or(never, |truths| truths.of(value));
                truth = self.system.terms.and(truth, holds);
            }
            self.visit(Aim::Way(decision, number), truth);
        }
    }

    /// Notes the halves of all conditions below a node that are not masked where `unmasked` holds.
    fn note_halves(&mut self, node: &Node, truths: &FxHashMap<ProbeId, Truths>, unmasked: TermId) {
        match node {
            Node::Constant(_) => {}
            Node::Not(_, inner) => self.note_halves(inner, truths, unmasked),
            Node::Condition(probe) => {
                let Some(&of_condition) = truths.get(probe) else { return };
                for value in [true, false] {
                    let half = self.system.terms.and(of_condition.of(value), unmasked);
                    self.visit(Aim::Half(*probe, value), half);
                }
            }
            Node::Operator { operator, left, right, .. } => {
                let of_left = self.unless_decided(*operator, (right, Some(left)), truths, unmasked);
                self.note_halves(left, truths, of_left);
                let of_right = match operator.is_short() {
                    true => unmasked,
                    false => self.unless_decided(*operator, (left, None), truths, unmasked),
                };
                self.note_halves(right, truths, of_right);
            }
        }
    }

    /// Where `unmasked` holds and an operand does not decide the operator. A constant operand that
    /// decides is evaluated where the one before it does not.
    fn unless_decided(
        &mut self,
        operator: Operator,
        (operand, before): (&Node, Option<&Node>),
        truths: &FxHashMap<ProbeId, Truths>,
        unmasked: TermId,
    ) -> TermId {
        let Some(deciding) = operator.controlling() else { return unmasked };
        let evaluated = |node: &Node, value: bool| {
            node.probe().and_then(|probe| truths.get(&probe)).map(|truths| truths.of(value))
        };
        let decides = match operand {
            Node::Constant(value) if *value != deciding => None,
            Node::Constant(_) => before.and_then(|before| evaluated(before, !deciding)),
            _ => evaluated(operand, deciding),
        };
        match decides {
            None => unmasked,
            Some(decides) => {
                let open = self.system.terms.not(decides);
                self.system.terms.and(unmasked, open)
            }
        }
    }

    /// Notes where a `switch` goes: the path of each entry, and last of none.
    pub(super) fn note_labels(&mut self, value: &Expr, arrivals: &[Option<State>]) {
        let ExprKind::Probe(probe, _) = &value.kind else { return };
        let Some(switch) = self.program.instruments.probes[*probe].switch.filter(|_| self.is_observed())
        else {
            return;
        };
        for (index, arrival) in arrivals.iter().enumerate() {
            if let Some(state) = arrival {
                let path = self.paths.conjunction(state.path);
                self.visit(Aim::Label(switch, index), path);
            }
        }
    }

    // ---- tables ----

    /// Notes which cells of a constant array a place reads, where that is looked at.
    pub(super) fn note_table(&mut self, frame: &Frame, state: &State, read: &Expr, targets: &[Target]) {
        let Some(function) = frame.function.filter(|_| self.notes(Criterion::Boundary) && self.is_observed())
        else {
            return;
        };
        for target in targets {
            let [index] = target.indices[..] else { continue };
            let Some(table) = self.table(function, read, target, index) else { continue };
            let path = self.paths.conjunction(state.path);
            let reached = self.system.terms.and(path, target.guard);
            let width = self.system.terms.width(index.term);
            let cells: Vec<u64> = self.tables[table].cells.iter().map(|(cell, _)| *cell).collect();
            for cell in cells {
                let number = self.system.terms.word(width, u128::from(cell));
                let is_here = self.system.terms.equal(index.term, number);
                let antecedent = self.system.terms.and(reached, is_here);
                self.visit(Aim::Cell(table, cell), antecedent);
            }
        }
    }

    /// The number of a read of a table; `None`: it is no array of constants.
    fn table(&mut self, function: FunctionId, read: &Expr, target: &Target, index: Index) -> Option<usize> {
        let &Target { object, bit, .. } = target;
        let is_it = |known: &TableRead| {
            (known.function, known.span, known.object, known.bit) == (function, read.span, object, bit)
        };
        if let Some(known) = self.tables.iter().position(is_it) {
            return Some(known);
        }
        let indices: Vec<u64> = match index.count {
            0 | 1 => return None,
            count if count <= MOST_CELLS => (0..count).collect(),
            count => vec![0, count - 1],
        };
        let description = self.objects.get(object);
        let cell = |number: &u64| {
            let at = description.layout.first_behind(bit + number * index.stride);
            (at < description.layout.cells.len()).then_some(description.first + at)
        };
        let cells: Vec<usize> = indices.iter().map(cell).collect::<Option<_>>()?;
        let names = cells.iter().map(|&cell| self.cell_name(cell));
        let named: Vec<(u64, String)> = indices.into_iter().zip(names).collect();
        let first = &named.first()?.1;
        let array = first.strip_suffix("[0]").unwrap_or(first).to_owned();
        let table = TableRead { function, span: read.span, array, object, bit, places: cells, cells: named };
        if !self.is_constant(&table) {
            return None;
        }
        self.tables.push(table);
        Some(self.tables.len() - 1)
    }

    /// Whether what a table holds is constant, as far as is known of what steps write.
    pub(crate) fn is_constant(&self, table: &TableRead) -> bool {
        let description = self.objects.get(table.object);
        let is_initialised = match description.origin {
            Origin::Global(global) => self.program.globals[global].is_initialised,
            _ => false,
        };
        let never_written = |&cell: &usize| self.initial_memory.role(cell) == Role::Constant;
        description.is_const || is_initialised && table.places.iter().all(never_written)
    }

    // ---- comparisons ----

    /// Notes how the operands of a comparison lie to each other, where that is looked at.
    pub(super) fn note_relation(
        &mut self,
        state: &State,
        probe: ProbeId,
        (operator, is_signed): (COp, bool),
        (left, right): (TermId, TermId),
    ) {
        let Some(comparison) = self.program.instruments.probes[probe].comparison else { return };
        let Some(tolerance) = self.tolerance.filter(|_| self.is_observed()) else { return };
        let near = match self.system.terms.sort(left) {
            Sort::Float(format) => self.near_floats(operator, format, (left, right), tolerance),
            Sort::Word(_) => self.near_words(is_signed, left, right),
        };
        let path = self.paths.conjunction(state.path);
        for (difference, truth) in [-1, 0, 1].into_iter().zip(near) {
            if let Some(truth) = truth {
                let reached = self.system.terms.and(path, truth);
                self.visit(Aim::Relation(comparison, difference), reached);
            }
        }
    }

    /// Truths: the difference of two words, as numbers, is -1, 0, 1.
    fn near_words(&mut self, is_signed: bool, left: TermId, right: TermId) -> [Option<TermId>; 3] {
        let less = if is_signed { BinaryOp::SLt } else { BinaryOp::ULt };
        let terms = &mut self.system.terms;
        let one = terms.word(terms.width(left), 1);
        let mut next_below = |below: TermId, above: TermId| {
            let next = terms.binary(BinaryOp::Add, below, one);
            let touches = terms.equal(next, above);
            let is_below = terms.binary(less, below, above);
            terms.and(is_below, touches)
        };
        let (below, above) = (next_below(left, right), next_below(right, left));
        [Some(below), Some(terms.equal(left, right)), Some(above)]
    }

    /// Truths: of two floats the left one is below the right one within a tolerance, equal, above.
    /// Zero belongs to the side on which the operator holds; `==` and `!=` have it apart.
    fn near_floats(
        &mut self,
        operator: COp,
        format: FloatFormat,
        (left, right): (TermId, TermId),
        tolerance: Tolerance,
    ) -> [Option<TermId>; 3] {
        let near = self.nearness(format, (left, right), tolerance);
        let terms = &mut self.system.terms;
        let mut within = |above: TermId, below: TermId, includes_zero: bool| {
            let order = if includes_zero { BinaryOp::FloatLe } else { BinaryOp::FloatLt };
            let is_above = terms.binary(order, below, above);
            let is_near = near.holds(terms, above, below);
            terms.and(is_above, is_near)
        };
        let is_apart = matches!(operator, COp::Equal | COp::NotEqual);
        let zero_is_below = matches!(operator, COp::LessEqual | COp::Greater);
        let below = within(right, left, !is_apart && zero_is_below);
        let above = within(left, right, !is_apart && !zero_is_below);
        let equal = terms.binary(BinaryOp::FloatEq, left, right);
        [Some(below), is_apart.then_some(equal), Some(above)]
    }

    /// What makes two floats neighbours.
    fn nearness(
        &mut self,
        format: FloatFormat,
        (left, right): (TermId, TermId),
        tolerance: Tolerance,
    ) -> Nearness {
        let terms = &mut self.system.terms;
        if let Some(ulps) = tolerance.ulps {
            return Nearness::Floats(format.width(), ulps);
        }
        let bits = |value: f64| match format {
            FloatFormat::Single => u128::from((value as f32).to_bits()),
            FloatFormat::Double => u128::from(value.to_bits()),
        };
        let mut constant = |value: f64| terms.constant(Value::new(Sort::Float(format), bits(value)));
        let (absolute, relative) = (constant(tolerance.absolute), constant(tolerance.relative));
        let sizes = [left, right].map(|value| terms.unary(UnaryOp::FloatAbs, value));
        let is_less = terms.binary(BinaryOp::FloatLt, sizes[0], sizes[1]);
        let greater = terms.ite(is_less, sizes[1], sizes[0]);
        let part = terms.binary(BinaryOp::FloatMul, relative, greater);
        let is_part_less = terms.binary(BinaryOp::FloatLt, part, absolute);
        Nearness::Distance(terms.ite(is_part_less, absolute, part))
    }
}

/// What makes two floats neighbours.
#[derive(Clone, Copy)]
enum Nearness {
    /// They are at most so far apart.
    Distance(TermId),
    /// Of floats of that many bits, the greater is at most so many further than the lower.
    Floats(u32, u32),
}

impl Nearness {
    /// The truth that two floats are neighbours, of which the first is not below the other.
    fn holds(self, terms: &mut TermPool, above: TermId, below: TermId) -> TermId {
        match self {
            Self::Distance(allowed) => {
                let distance = terms.binary(BinaryOp::FloatSub, above, below);
                let is_within = terms.binary(BinaryOp::FloatLe, distance, allowed);
                // The difference of two infinities is no number.
                let is_equal = terms.binary(BinaryOp::FloatEq, above, below);
                terms.or(is_within, is_equal)
            }
            Self::Floats(width, most) => {
                // Bits without the sign number floats of one sign; both zeros are number 0. The
                // distance from the lowest to the greatest fits into as many bits.
                let [above, below] = [above, below].map(|value| {
                    let bits = terms.unary(UnaryOp::FloatToBits, value);
                    let sign = terms.extract(bits, width - 1, width - 1);
                    let size = terms.extract(bits, width - 2, 0);
                    let number = terms.resize(size, width, false);
                    let negated = terms.unary(UnaryOp::Neg, number);
                    terms.ite(sign, negated, number)
                });
                let distance = terms.binary(BinaryOp::Sub, above, below);
                let most = terms.word(width, u128::from(most));
                terms.binary(BinaryOp::ULe, distance, most)
            }
        }
    }
}
