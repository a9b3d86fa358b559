//! Goals that the others can avoid by rules that read the states of the text alone.
//!
//! A set of states is a refuge where, in each of its states, the others have one of two rules, which
//! keep the run in the set and away from the goal:
//! * *preempt*: an event of theirs is possible at once, whatever the data are. It comes before
//!   anything that the tester sends.
//! * *let*: all inputs of the tester stay in the set, and the others may be silent for ever or send
//!   what stays in it. That is so where an event of theirs is possible at all late times; or where
//!   each output that leads out of the set stays possible once it is. Then, if one of these is
//!   possible at all, it excuses any silence; else another output is, which is taken; or none is.
//!
//! The greatest refuge is found by removing states. A goal can be avoided if the initial state
//! stays.

use crate::linear::linear;
use crate::system::{Action, Direction, Edge, System, Target};
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use spec::typed::{Binary, Expr, Kind};
use spec::types::Type;
use spec::value::Value;

/// Whether the others can avoid a target, in dense time.
pub(super) fn can_be_avoided(system: &System, target: &Target) -> bool {
    let events = Events::new(system);
    match target {
        Target::Path(path) => path.iter().any(|&avoided| events.has_refuge(system, |edge| edge == avoided)),
        Target::State(state) => events
            .has_refuge(system, |edge| system.edges[edge].to == *state || system.edges[edge].from == *state),
        // What a condition says of a transition is not looked at: no transition must be taken.
        Target::Condition(_) => events.has_refuge(system, |_| true),
    }
}

/// What is known of transitions of the others, by transition.
struct Events {
    /// Possible at once, whatever the values of data and clocks.
    at_once: Vec<bool>,
    /// Possible at all late times, whatever the values of data.
    late: Vec<bool>,
    /// Possible at all later times where it is possible at one.
    persistent: Vec<bool>,
}

impl Events {
    fn new(system: &System) -> Self {
        let of = |is_late| {
            let is = |edge: &Edge| {
                system.channel(edge).direction != Direction::Input && is_possible(system, edge, is_late)
            };
            system.edges.iter().map(is).collect()
        };
        let persists = |edge: &Edge| edge.guard.conjuncts().into_iter().all(|one| persists(system, one));
        let persistent = system.edges.iter().map(persists).collect();
        Self { at_once: of(false), late: of(true), persistent }
    }
    fn has_refuge(&self, system: &System, is_avoided: impl Fn(usize) -> bool) -> bool {
        let mut refuge = vec![true; system.states.len()];
        loop {
            let stays = |edge: usize| refuge[system.edges[edge].to] && !is_avoided(edge);
            let removed =
                (0..refuge.len()).find(|&state| refuge[state] && !self.serves(system, state, &stays));
            match removed {
                Some(state) => refuge[state] = false,
                None => return refuge.first().copied().unwrap_or(false),
            }
        }
    }
    /// Whether a rule keeps the run where it is to stay.
    fn serves(&self, system: &System, state: usize, stays: &dyn Fn(usize) -> bool) -> bool {
        let of = |direction| {
            let is = move |&edge: &usize| system.channel(&system.edges[edge]).direction == direction;
            system.edges_from(state).filter(is)
        };
        let preempts = system.edges_from(state).any(|edge| self.at_once[edge] && stays(edge));
        let lets = || {
            let is_silent = system.edges_from(state).any(|edge| self.late[edge]);
            of(Direction::Input).all(stays)
                && (is_silent || of(Direction::Output).all(|edge| stays(edge) || self.persistent[edge]))
        };
        preempts || lets()
    }
}

/// Whether a transition is possible whatever the values of data are, and those of clocks at once,
/// or at all late times. False where that is not seen easily.
fn is_possible(system: &System, edge: &Edge, is_late: bool) -> bool {
    let holds = |condition: &Expr| {
        *condition.as_constant().unwrap_or(&Value::Bool(false)) == Value::Bool(true)
            || is_late && comes_true(system, condition)
    };
    let is_defined = |expr: &Expr| expr.defined().as_constant() == Some(&Value::Bool(true));
    let args = &system.channel(edge).args;
    let fits = match &edge.action {
        Action::Receive(variables) => variables
            .iter()
            .zip(args)
            .all(|(variable, arg)| arg.as_ref().is_some_and(|arg| is_within(arg, system.ty(*variable)))),
        Action::Send(terms) => terms
            .iter()
            .zip(args)
            .all(|(term, arg)| is_defined(term) && arg.as_ref().is_none_or(|arg| is_within(term.ty(), arg))),
    };
    let assigns = edge
        .updates
        .iter()
        .all(|(variable, expr)| is_defined(expr) && is_within(expr.ty(), system.ty(*variable)));
    fits && assigns && edge.guard.conjuncts().into_iter().all(holds)
}

/// Whether a condition that holds goes on holding while time passes.
fn persists(system: &System, condition: &Expr) -> bool {
    let reads_clock = condition.reads().iter().any(|read| system.clocks.contains(&read.variable));
    !reads_clock || comes_true(system, condition)
}

/// Whether a condition is a bound of clocks from below.
fn comes_true(system: &System, condition: &Expr) -> bool {
    let Kind::Binary { op: Binary::Less | Binary::LessEqual, lhs, rhs } = condition.kind() else {
        return false;
    };
    let (Some(left), Some(right)) = (linear(lhs), linear(rhs)) else { return false };
    let of_clocks = |side: &crate::linear::Linear| -> BigRational {
        side.factors.iter().filter(|(name, _)| system.clocks.contains(name)).map(|(_, factor)| factor).sum()
    };
    let growth = of_clocks(&right) - of_clocks(&left);
    !growth.is_zero() && growth.is_positive()
}

/// Whether all values of one type are values of another.
fn is_within(inner: &Type, outer: &Type) -> bool {
    if inner == outer {
        return true;
    }
    match (inner, outer) {
        (Type::Number(_) | Type::Set(_), Type::Rational) => true,
        (Type::Number(inner), Type::Number(outer)) => inner
            .rescaled(outer.step())
            .is_some_and(|inner| outer.lo() <= inner.lo() && inner.hi() <= outer.hi()),
        _ => false,
    }
}
