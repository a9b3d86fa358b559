//! How far clocks have to be counted, and in which ticks.

use super::{Relaxation, fraction, unsupported};
use crate::code::Code;
use crate::linear::{Bound, clock_bounds, greatest_bound};
use crate::system::{Action, Goal, System};
use frontend::diagnostics::Diagnostics;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};
use spec::parser::Parsed;
use spec::scope::VariableId;
use spec::typed::{Binary, Expr, Kind, Several, Unary};
use spec::types::{Range, Type};
use spec::value::{Fraction, Value};
use std::sync::Arc;

/// How time is counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticks {
    /// The distance of times.
    pub tick: Fraction,
    /// For each clock a number of ticks above all that it is compared with.
    pub last: Vec<u64>,
    /// Clocks that are compared with one another, maybe through others; each clock is in one group.
    pub groups: Vec<Vec<usize>>,
    /// Greatest absolute value of rational data, in ticks.
    pub data: u64,
    /// Data that are rational, or depend on such: what is found holds of the grid only.
    pub rational: Vec<VariableId>,
    /// Whether a clock has a strict bound.
    pub is_strict: bool,
    /// Whether all bounds of clocks are multiples of a tick.
    pub is_fine: bool,
}

/// Rational data are searched between minus and plus this many units of time.
const MOST_RATIONAL: u64 = 1000;

/// Most ticks that a clock is counted to.
const MOST_TICKS: u64 = 1 << 40;

impl Ticks {
    /// A type of numbers of ticks.
    pub fn range(&self, lo: i128, hi: i128) -> Type {
        Range::new(lo, hi, self.tick).map_or_else(|| Type::integers(lo, hi), Type::Number)
    }
    /// The type in place of rational data.
    pub fn rational(&self) -> Type {
        let most = i128::from(self.data);
        self.range(-most, most)
    }
    /// Whether what is found over ticks of the system with closed bounds holds of dense time, too.
    pub const fn is_dense(&self) -> bool {
        self.is_fine && self.rational.is_empty()
    }
    /// The greatest number of ticks that a clock is counted to: see [`Ticks::stop`].
    pub fn most(&self, clock: usize) -> u64 {
        let group = self.groups.iter().find(|group| group.contains(&clock));
        self.last[clock].saturating_mul(group.map_or(1, |group| group.len() as u64))
    }
    /// Stops clocks where guards see no difference any more. A clock that is compared with data
    /// alone stops at its last tick. Among clocks that are compared with one another, no value has
    /// a greater distance to the next smaller one (to 0, if there is none) than the last tick:
    /// greater distances are reduced to it, with all values above. All bounds are below, so each
    /// comparison with a number, and each of two clocks, has the same answer before and after,
    /// behind any delays and resets.
    pub fn stop(&self, clocks: &mut [BigRational]) {
        for group in &self.groups {
            let last = spec::value::big(self.tick) * BigRational::from_integer(self.last[group[0]].into());
            let mut order = group.clone();
            order.sort_by(|&left, &right| clocks[left].cmp(&clocks[right]));
            let (mut below, mut removed) = (BigRational::zero(), BigRational::zero());
            for clock in order {
                let distance = &clocks[clock] - &below;
                below.clone_from(&clocks[clock]);
                if distance > last {
                    removed += distance - &last;
                }
                clocks[clock] -= &removed;
            }
        }
    }
    /// The longest delay that matters, in ticks.
    pub fn longest(&self) -> u64 {
        self.last.iter().copied().max().unwrap_or(0)
    }
}

/// The ticks of a system.
pub(super) fn ticks(system: &System, diagnostics: &mut Diagnostics) -> Parsed<Ticks> {
    let guards = || {
        let conditions = system.goals.iter().filter_map(|goal| match goal {
            Goal::Condition(_, condition, _) => Some(condition),
            _ => None,
        });
        system.edges.iter().map(|edge| &edge.guard).chain(conditions)
    };
    let bounds: Vec<Bound> =
        guards().flat_map(|guard| clock_bounds(guard, system).unwrap_or_default()).collect();
    let mut denominators = BigInt::one();
    let mut groups: Vec<Vec<usize>> = (0..system.clocks.len()).map(|clock| vec![clock]).collect();
    for bound in &bounds {
        let position = |variable: &VariableId| system.clocks.iter().position(|clock| clock == variable);
        let factors = bound.difference.factors.iter();
        let clocks: Vec<(usize, &BigRational)> =
            factors.filter_map(|(variable, factor)| Some((position(variable)?, factor))).collect();
        match clocks[..] {
            [] | [_] => {}
            [(left, factor), (right, other)] if (factor + other).is_zero() => {
                let is_joined = |group: &Vec<usize>| group.contains(&left) || group.contains(&right);
                let (joined, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(is_joined);
                groups = others;
                groups.push(joined.concat());
            }
            _ => {
                let place = system.scope.variable(system.clocks[clocks[0].0]).extent;
                let message =
                    "guards compare sums of clocks: chains cannot be searched for over finitely many ticks";
                return Err(unsupported(Code::ClockDifference, place, message.to_owned(), diagnostics));
            }
        }
        // `2 * c <= 3` bounds the clock by 3/2.
        let one = BigRational::one();
        let factor = clocks.first().map_or(&one, |(_, factor)| factor);
        for number in bound.difference.factors.values().chain([&bound.difference.constant]) {
            denominators = denominators.lcm((number / factor).denom());
        }
    }
    let exact = BigRational::new(BigInt::one(), denominators);
    let tick = fraction(system.tick.as_ref().unwrap_or(&exact)).unwrap_or_else(Fraction::one);
    let is_fine = (&exact / spec::value::big(tick)).is_integer();
    let data = MOST_RATIONAL * u64::try_from(*tick.denom()).unwrap_or(1)
        / u64::try_from(*tick.numer()).unwrap_or(1).max(1);
    let mut ticks = Ticks {
        tick,
        last: Vec::new(),
        groups,
        data,
        rational: rational(system),
        is_strict: guards().any(|guard| Relaxing::of_strict(system).condition(guard, true) != *guard),
        is_fine,
    };
    for &clock in &system.clocks {
        let last = greatest_bound(clock, &bounds, &|variable| range(system, variable));
        let in_ticks: Option<BigInt> =
            last.map(|last| (last / spec::value::big(ticks.tick)).floor().to_integer() + 1);
        match in_ticks.and_then(|last| last.to_u64()).filter(|&last| last <= MOST_TICKS) {
            Some(last) => ticks.last.push(last),
            None => {
                let name = system.name_of(clock);
                let message = format!("the clock `{name}` is compared with too large values");
                let place = system.scope.variable(clock).extent;
                return Err(unsupported(Code::NotForChains, place, message, diagnostics));
            }
        }
    }
    for group in &ticks.groups {
        let greatest = group.iter().map(|&clock| ticks.last[clock]).max().unwrap_or(0);
        group.iter().for_each(|&clock| ticks.last[clock] = greatest);
    }
    Ok(ticks)
}

/// The least and the greatest value of a data variable; the distance of two clocks may be 0.
fn range(system: &System, variable: VariableId) -> Option<(BigRational, BigRational)> {
    if system.clocks.contains(&variable) {
        return Some((BigRational::zero(), BigRational::zero()));
    }
    if *system.ty(variable) == Type::Rational {
        let most = BigRational::from_integer(MOST_RATIONAL.into());
        return Some((-most.clone(), most));
    }
    let range = system.ty(variable).range()?;
    let end = |units| range.value(units).as_number();
    Some((end(range.lo())?, end(range.hi())?))
}

/// Data that are rational, are received as such, or are computed from such data.
fn rational(system: &System) -> Vec<VariableId> {
    let data = system.data.iter().map(|data| data.variable);
    let mut found: Vec<VariableId> =
        data.filter(|&variable| *system.ty(variable) == Type::Rational).collect();
    for edge in &system.edges {
        if let Action::Receive(variables) = &edge.action {
            let args = &system.channels[edge.channel].args;
            let sent = variables.iter().zip(args).filter(|(_, arg)| **arg == Some(Type::Rational));
            found.extend(sent.map(|(variable, _)| *variable));
        }
    }
    loop {
        let reads = |expr: &Expr| expr.reads().iter().any(|read| found.contains(&read.variable));
        let updates = system.edges.iter().flat_map(|edge| &edge.updates);
        let new = updates.filter(|(variable, expr)| !found.contains(variable) && reads(expr));
        let new: Vec<VariableId> = new.map(|(variable, _)| *variable).collect();
        if new.is_empty() {
            found.sort_unstable();
            found.dedup();
            return found;
        }
        found.extend(new);
    }
}

/// How conditions are weakened, so that a system has every dense run and more.
pub(super) struct Relaxing<'a> {
    system: &'a System,
    /// Data of which nothing is demanded.
    free: &'a [VariableId],
    /// Whether nothing is demanded of clocks, either.
    are_clocks_free: bool,
}

impl<'a> Relaxing<'a> {
    /// Strict bounds of clocks are closed.
    fn of_strict(system: &'a System) -> Self {
        Self { system, free: &[], are_clocks_free: false }
    }
    /// As a variant asks for; none: conditions stay as they are.
    pub(super) fn of(relaxation: Relaxation, system: &'a System, ticks: &'a Ticks) -> Option<Self> {
        match relaxation {
            Relaxation::None => None,
            Relaxation::Closed => Some(Self::of_strict(system)),
            Relaxation::Dense => {
                Some(Self { system, free: &ticks.rational, are_clocks_free: !ticks.is_fine })
            }
        }
    }
    /// Whether nothing is demanded of a variable.
    pub(super) fn is_free(&self, variable: VariableId) -> bool {
        self.free.contains(&variable)
    }
    /// Whether an expression reads a variable of which nothing is demanded.
    pub(super) fn reads_free(&self, expr: &Expr) -> bool {
        let is_clock = |variable| self.system.clocks.contains(&variable);
        let mut read = expr.reads().into_iter().map(|read| read.variable);
        read.any(|variable| self.is_free(variable) || (self.are_clocks_free && is_clock(variable)))
    }
    /// A weaker condition: it holds wherever the condition (where `positive`) or its negation
    /// (elsewhere) holds, or is the limit of where it holds.
    pub(super) fn condition(&self, expr: &Expr, positive: bool) -> Expr {
        let reads_clock = expr.reads().iter().any(|read| self.system.clocks.contains(&read.variable));
        if !reads_clock && !self.reads_free(expr) {
            return expr.clone();
        }
        let extent = expr.extent();
        let truth = |kind| Expr::new(kind, Type::Bool, extent);
        match expr.kind() {
            Kind::Unary { op: Unary::Not, arg } => {
                truth(Kind::Unary { op: Unary::Not, arg: Arc::new(self.condition(arg, !positive)) })
            }
            Kind::Several { op: op @ (Several::And | Several::Or), args } => {
                let args = args.iter().map(|arg| Arc::new(self.condition(arg, positive))).collect();
                truth(Kind::Several { op: *op, args })
            }
            _ if self.reads_free(expr) => Expr::truth(positive, extent),
            Kind::Binary { op, lhs, rhs } if *lhs.ty() != Type::Bool => {
                let [lhs, rhs] = [Arc::clone(lhs), Arc::clone(rhs)];
                match (op, positive) {
                    (Binary::Less, true) => truth(Kind::Binary { op: Binary::LessEqual, lhs, rhs }),
                    // `not (a <= b)` is `b < a`, whose closure is `not (a < b)`.
                    (Binary::LessEqual, false) => truth(Kind::Binary { op: Binary::Less, lhs, rhs }),
                    (Binary::Equal, false) => Expr::constant(Value::Bool(false), Type::Bool, extent),
                    _ => expr.clone(),
                }
            }
            // Equivalences and their like of bounds have both signs; what is true everywhere is safe.
            _ => Expr::truth(positive, extent),
        }
    }
}
