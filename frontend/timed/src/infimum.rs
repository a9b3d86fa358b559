//! The least time of the transitions of a chain in dense time, with strict bounds as they are.
//!
//! With its data known, a chain constrains its points of time by differences:
//! `T_j - T_i <= w` or `T_j - T_i < w`. The least time of the last point is the longest path in the
//! graph of these bounds; a strict bound adds a symbolic ε, so that weights are pairs of a number
//! and a count of ε that compare as words do. Where the longest path has an ε, the time is an
//! infimum that no run attains (strict and weak bounds as in difference bound matrices: Dill, "Timing
//! assumptions and verification of finite-state concurrent systems", 1989).

use crate::interpret::index;
use crate::linear::clock_bounds;
use crate::lower::TimedChain;
use crate::system::{Action, Goal, System};
use num_rational::BigRational;
use num_traits::Zero;
use spec::evaluate::{evaluate, holds};
use spec::scope::VariableId;
use spec::typed::{Binary, Expr, Kind, Several, Unary};
use spec::value::Value;

/// The least time of a chain's transitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Infimum {
    /// No run of these transitions with these data takes less; runs come as near as one likes.
    pub time: BigRational,
    /// Whether one takes exactly as long.
    pub is_attained: bool,
}

/// `T_to - T_from` is at most `most`, or less where `is_strict`.
#[derive(Clone, Debug)]
struct Difference {
    from: usize,
    to: usize,
    most: BigRational,
    is_strict: bool,
}

/// The infimum of the time that the transitions of chains take together, with their data, where
/// they meet these conditions of the text's goals (by position): each behind the first event where the
/// chain meets it or, if there is none, is at the limit of that. Beside this the delays of the chains do not matter.
///
/// None where the transitions cannot be taken at all, no chain meets a condition, or a guard or a
/// condition is no conjunction of bounds.
pub fn infimum(system: &System, chains: &[TimedChain], conditions: &[usize]) -> Option<Infimum> {
    let mut open = conditions.to_vec();
    let mut whole = Infimum { time: BigRational::zero(), is_attained: true };
    for chain in chains {
        let one = of_chain(system, chain, &mut open)?;
        whole.time += one.time;
        whole.is_attained &= one.is_attained;
    }
    open.is_empty().then_some(whole)
}

/// The infimum of one chain; the conditions that it meets are taken out of those that are open.
fn of_chain(system: &System, chain: &TimedChain, open: &mut Vec<usize>) -> Option<Infimum> {
    let differences = differences(system, chain, open)?;
    let count = chain.events.len() + 1;
    // The longest known path from the beginning to each point of time: number, count of ε.
    let mut least: Vec<Option<(BigRational, usize)>> = vec![None; count];
    least[0] = Some((BigRational::zero(), 0));
    for round in 0..=count {
        let mut has_grown = false;
        for difference in &differences {
            let Some((number, strict)) = &least[difference.to] else { continue };
            let longer = (number - &difference.most, strict + usize::from(difference.is_strict));
            if least[difference.from].as_ref().is_none_or(|known| *known < longer) {
                least[difference.from] = Some(longer);
                has_grown = true;
            }
        }
        if !has_grown {
            let (time, strict) = least.pop().flatten()?;
            return Some(Infimum { time, is_attained: strict == 0 });
        }
        // A cycle of growth: a point of time would be behind itself.
        if round == count || least[0].as_ref().is_some_and(|start| *start > (BigRational::zero(), 0)) {
            return None;
        }
    }
    None
}

/// The differences of the points of time of a chain: 0 is its beginning, `k` its event `k`.
fn differences(system: &System, chain: &TimedChain, open: &mut Vec<usize>) -> Option<Vec<Difference>> {
    let mut times = vec![BigRational::zero()];
    for event in &chain.events {
        times.push(&times[times.len() - 1] + &event.delay);
    }
    let mut values = vec![Value::Integer(0); system.scope.variables().len()];
    for data in &system.data {
        let chosen = chain.start.iter().find(|(variable, _)| *variable == data.variable);
        let value = data.initial.as_ref().or(chosen.map(|(_, value)| value))?;
        values[index(data.variable)] = value.clone();
    }
    let mut found = Vec::new();
    // Where conditions may be met, by what they then say of points of time.
    let mut places: Vec<(usize, Vec<Difference>)> = Vec::new();
    // The point of time at which each clock was 0.
    let mut zero = vec![0; system.clocks.len()];
    for (number, event) in chain.events.iter().enumerate() {
        let now = number + 1;
        found.push(Difference { from: now, to: number, most: BigRational::zero(), is_strict: false });
        let transition = &system.edges[event.edge];
        if let Action::Receive(variables) = &transition.action {
            for (variable, value) in variables.iter().zip(&event.received) {
                values[index(*variable)] = value.clone();
            }
        }
        let guard = Guard { system, values: &values, zero: &zero, now };
        guard.collect(&transition.guard, true, &mut found)?;
        let environment = |variable: VariableId, _| values[index(variable)].clone();
        let updates = transition.updates.iter();
        let updated: Option<Vec<_>> =
            updates.map(|(variable, expr)| Some((*variable, evaluate(expr, &environment)?))).collect();
        for (variable, value) in updated? {
            values[index(variable)] = value;
        }
        transition.resets.iter().for_each(|&clock| zero[clock] = now);
        let behind = Guard { system, values: &values, zero: &zero, now };
        for &position in open.iter() {
            let Goal::Condition(_, condition, _) = &system.goals[position] else { continue };
            let mut bounds = Vec::new();
            if behind.collect(condition, true, &mut bounds).is_some() {
                places.push((position, bounds));
            }
        }
    }
    let holds = |bound: &Difference| {
        let time = &times[bound.to] - &times[bound.from];
        time < bound.most || (time == bound.most && !bound.is_strict)
    };
    let is_limit = |bound: &Difference| &times[bound.to] - &times[bound.from] <= bound.most;
    open.retain(|&position| {
        let own = || places.iter().filter(|(place, _)| *place == position).map(|(_, bounds)| bounds);
        let met = own().find(|bounds| bounds.iter().all(holds));
        let met = met.or_else(|| own().find(|bounds| bounds.iter().all(is_limit)));
        found.extend(met.into_iter().flatten().cloned());
        met.is_none()
    });
    Some(found)
}

struct Guard<'a> {
    system: &'a System,
    values: &'a [Value],
    zero: &'a [usize],
    now: usize,
}

impl Guard<'_> {
    /// Adds what a condition, or its negation, says of points of time; none where it cannot hold, or
    /// is no conjunction.
    fn collect(&self, expr: &Expr, positive: bool, found: &mut Vec<Difference>) -> Option<()> {
        let reads_clock = expr.reads().iter().any(|read| self.system.clocks.contains(&read.variable));
        if !reads_clock {
            let environment = |variable: VariableId, _| self.values[index(variable)].clone();
            return (holds(expr, &environment) == positive).then_some(());
        }
        match (expr.kind(), positive) {
            (Kind::Unary { op: Unary::Not, arg }, _) => self.collect(arg, !positive, found),
            (Kind::Several { op: Several::And, args }, true)
            | (Kind::Several { op: Several::Or, args }, false) => {
                args.iter().try_for_each(|arg| self.collect(arg, positive, found))
            }
            (Kind::Binary { op: Binary::Equal, .. }, true) => {
                let rest = self.bound(expr)?;
                self.add(&rest, false, false, found);
                self.add(&rest, true, false, found);
                Some(())
            }
            (Kind::Binary { op: op @ (Binary::Less | Binary::LessEqual), .. }, _) => {
                // The negation of `a < b` is `b <= a`.
                let is_strict = (*op == Binary::Less) == positive;
                self.add(&self.bound(expr)?, !positive, is_strict, found);
                Some(())
            }
            _ => None,
        }
    }
    /// A comparison as `factor * (T_to - T_from) + rest` on one side and 0 on the other.
    fn bound(&self, expr: &Expr) -> Option<(BigRational, usize, usize, BigRational)> {
        let bound = clock_bounds(expr, self.system).ok()?.pop()?;
        let mut rest = bound.difference.constant.clone();
        let mut clocks = Vec::new();
        for (variable, factor) in &bound.difference.factors {
            match self.system.clocks.iter().position(|clock| clock == variable) {
                Some(clock) => clocks.push((self.zero[clock], factor.clone())),
                None => rest += factor * self.values[index(*variable)].as_number()?,
            }
        }
        match &clocks[..] {
            [(zero, factor)] => Some((factor.clone(), self.now, *zero, rest)),
            // `c - d` is the time from the reset of c to that of d.
            [(first, factor), (second, other)] if (factor + other).is_zero() => {
                Some((factor.clone(), *second, *first, rest))
            }
            _ => None,
        }
    }
    /// Adds that a bound is at most 0, or at least 0 where `is_reversed`.
    fn add(
        &self,
        (factor, to, from, rest): &(BigRational, usize, usize, BigRational),
        is_reversed: bool,
        is_strict: bool,
        found: &mut Vec<Difference>,
    ) {
        let limit = -rest / factor;
        let is_upper = (*factor > BigRational::zero()) != is_reversed;
        found.push(if is_upper {
            Difference { from: *from, to: *to, most: limit, is_strict }
        } else {
            Difference { from: *to, to: *from, most: -limit, is_strict }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::Event;
    use frontend::diagnostics::Diagnostics;
    use frontend::source::SourceMap;
    use spec::language::TIMED;
    use spec::lexer::tokens;
    use spec::scope::Scope;

    fn number(upper: i64, lower: i64) -> BigRational {
        BigRational::new(upper.into(), lower.into())
    }

    /// The infimum of the transitions 0, 1, .. of a system with two clocks, and whether it is
    /// attained.
    fn of(edges: &str, count: usize) -> Option<(BigRational, bool)> {
        timed(edges, &vec![0; count])
    }

    /// Finds the infimum of a chain with these delays that meets all goals that are conditions.
    fn timed(edges: &str, delays: &[i64]) -> Option<(BigRational, bool)> {
        let text = format!("timed t var x: 0..9 = 2 clock c, d output A initial q {edges}");
        let (mut sources, mut diagnostics) = (SourceMap::default(), Diagnostics::default());
        let file = sources.add_text("t.tio".as_ref(), &text);
        let tokens = tokens(&sources, file, &TIMED, &mut diagnostics);
        let file = crate::parser::parse(&tokens, &mut diagnostics);
        let system = crate::check::check(&file, Scope::new(), &mut diagnostics);
        let system = system.unwrap_or_else(|_| panic!("{text}\n{:?}", diagnostics.entries));
        let event =
            |(edge, delay): (usize, &i64)| Event { edge, delay: number(*delay, 1), received: Vec::new() };
        let chain = TimedChain { start: Vec::new(), events: delays.iter().enumerate().map(event).collect() };
        let conditions: Vec<usize> = (0..system.goals.len()).collect();
        infimum(&system, &[chain], &conditions).map(|found| (found.time, found.is_attained))
    }

    #[test]
    fn bounds_give_the_least_time_and_whether_it_is_attained() {
        let table = [
            ("edge a: q -> q when c >= 3 A!", 1, Some((number(3, 1), true))),
            ("edge a: q -> q when c > 3 A!", 1, Some((number(3, 1), false))),
            ("edge a: q -> q when 2 * c > x + 1 A!", 1, Some((number(3, 2), false))),
            ("edge a: q -> q when not (c <= 3) and c <= 4 A!", 1, Some((number(3, 1), false))),
            ("edge a: q -> q when c > 3 and c < 3 A!", 1, None),
            ("edge a: q -> q when c > 3 and c <= 3 A!", 1, None),
            ("edge a: q -> q when c = 3 and x = 2 A!", 1, Some((number(3, 1), true))),
            ("edge a: q -> q when c = 3 and x = 3 A!", 1, None),
            ("edge a: q -> q when c = 3 or c > 4 A!", 1, None),
            // The first has to come late, since d must be small while c is large.
            (
                "edge a: q -> r A! reset d edge b: r -> q when c > 5 and d < 1 A!",
                2,
                Some((number(5, 1), false)),
            ),
            (
                "edge a: q -> r when c < 1 A! reset d edge b: r -> q when d >= 4 and c <= 5 A!",
                2,
                Some((number(4, 1), true)),
            ),
            ("edge a: q -> r when c > 1 A! reset d edge b: r -> q when d >= 4 and c <= 5 A!", 2, None),
            (
                "edge a: q -> r when c > 1 A! reset c do x := x + 1 edge b: r -> q when c >= x A!",
                2,
                Some((number(4, 1), false)),
            ),
        ];
        for (edges, count, expected) in table {
            assert_eq!(of(edges, count), expected, "{edges}");
        }
    }

    #[test]
    fn conditions_that_are_goals_bound_the_time() {
        let ab = "edge a: q -> r when c > 1 A! edge b: r -> s A!";
        let table = [
            ("edge a: q -> r when c >= 1 A!", "c > 1", &[2][..], Some((number(1, 1), false))),
            (ab, "c > 2", &[2, 1], Some((number(2, 1), false))),
            (ab, "c >= 2", &[3, 0], Some((number(2, 1), true))),
            // The data have to fit as well.
            (ab, "c >= 2 and x = 2", &[3, 0], Some((number(2, 1), true))),
            (ab, "c >= 2 and x = 3", &[3, 0], None),
            // No event is at the limit of the condition.
            (ab, "c >= 9", &[3, 0], None),
            ("edge a: q -> r A! reset c", "c < 1", &[3], Some((number(0, 1), true))),
            ("edge a: q -> r A! reset d", "c - d >= 7", &[8], Some((number(7, 1), true))),
            (ab, "c >= 2 or x = 3", &[3, 0], None),
        ];
        for (edges, goal, delays, expected) in table {
            let text = format!("{edges} goal g when {goal}");
            assert_eq!(timed(&text, delays), expected, "{text}");
        }
    }
}
