//! A specification that plays the system: it does what it specifies, with random choices.

use crate::conformance::{self, replay::states_behind};
use crate::interpret::{self, State, index, step};
use crate::linear::clock_bounds;
use crate::run::value_json;
use crate::smt::Solver;
use crate::system::{Action, Direction, System};
use harness::{Broken, Event, Events, Reply, Time};
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value as Json, json};
use spec::scope::VariableId;
use spec::typed::{Expr, Kind};
use spec::types::Type;
use spec::value::Value;

/// A system that behaves as specified.
#[derive(Debug)]
pub struct Player<'s> {
    system: &'s System,
    random: SmallRng,
    state: State,
    /// Time since the last event.
    waited: BigRational,
    /// What it will do unless it gets an input before.
    plan: Option<Plan>,
    /// The events so far; none behind an input that the specification does not know.
    events: Option<Vec<conformance::Event>>,
    /// The SMT solver.
    smt: String,
}

#[derive(Clone, Debug)]
struct Plan {
    edge: usize,
    /// Since the last event.
    at: BigRational,
    received: Vec<Value>,
}

/// Values that are tried for each message of others.
const TRIED: usize = 12;

impl<'s> Player<'s> {
    /// A system at its beginning. The SMT solver `smt` is asked where unknown data have too many
    /// values to try them.
    pub fn new(system: &'s System, seed: u64, smt: &str) -> Self {
        let mut random = SmallRng::seed_from_u64(seed);
        let state = begin(system, &mut random);
        let (events, smt) = (Some(Vec::new()), smt.to_owned());
        let mut player = Self { system, random, state, waited: BigRational::zero(), plan: None, events, smt };
        player.decide();
        player
    }

    /// Chooses what to do next: an output or an input from others, at a time at which it is
    /// possible.
    fn decide(&mut self) {
        self.waited = BigRational::zero();
        let mut plans = Vec::new();
        for edge in self.system.edges_from(self.state.location) {
            match self.system.channel(&self.system.edges[edge]).direction {
                Direction::Input => {}
                Direction::Output => plans.extend(self.plans(edge, &[])),
                Direction::Uncontrollable => {
                    for _ in 0..TRIED {
                        let received = self.message(edge);
                        plans.extend(self.plans(edge, &received));
                    }
                }
            }
        }
        self.plan = match plans.len() {
            0 => None,
            count => Some(plans.swap_remove(self.random.random_range(0..count))),
        };
    }
    /// The transition at all delays that differ for it.
    fn plans(&self, edge: usize, received: &[Value]) -> Vec<Plan> {
        let delays = delays(self.system, &self.state, edge, received).into_iter();
        let possible = delays.filter(|delay| step(self.system, &self.state, edge, delay, received).is_some());
        possible.map(|at| Plan { edge, at, received: received.to_vec() }).collect()
    }
    /// Values of a message: those at hand, constants, or any.
    fn message(&mut self, edge: usize) -> Vec<Value> {
        let args = self.system.channel(&self.system.edges[edge]).args.clone();
        let mut hints = self.state.values.clone();
        for transition in &self.system.edges {
            constants(&transition.guard, &mut hints);
        }
        args.iter().flatten().map(|ty| random_value(ty, &hints, &mut self.random)).collect()
    }
    /// Does what is planned.
    fn act(&mut self) -> Option<Event> {
        let plan = self.plan.take()?;
        let taken = step(self.system, &self.state, plan.edge, &plan.at, &plan.received)?;
        let channel = self.system.channel(&self.system.edges[plan.edge]);
        let args = taken.message.iter().zip(&channel.args).map(|(value, ty)| to_json(value, ty.as_ref()));
        let event =
            Event { name: channel.name.clone(), args: args.collect(), after: Time::new(plan.at.clone()) };
        self.state = taken.state;
        self.remember(self.system.edges[plan.edge].channel, &plan.at, taken.message);
        self.decide();
        Some(event)
    }
    fn remember(&mut self, channel: usize, delay: &BigRational, values: Vec<Value>) {
        let event = conformance::Event { channel, delay: delay.clone(), values };
        self.events.iter_mut().for_each(|events| events.push(event.clone()));
    }
    /// States behind an input that the values of unknown data do not take which were chosen at the
    /// start: nobody has seen these, so they may as well be others that suit all events.
    fn reconsidered(&self, input: conformance::Event) -> Result<Vec<State>, Broken> {
        let Some(events) = &self.events else { return Ok(Vec::new()) };
        if self.system.data.iter().all(|data| data.initial.is_some()) {
            return Ok(Vec::new());
        }
        let events: Vec<conformance::Event> = events.iter().cloned().chain([input]).collect();
        states_behind(self.system, &events, || Solver::start(&self.smt)).map_err(|error| {
            Broken::Refuses(format!("whether unknown data suit an input is not decided: {error}"))
        })
    }
}

impl Events for Player<'_> {
    fn reset(&mut self) -> Result<(), Broken> {
        self.state = begin(self.system, &mut self.random);
        self.events = Some(Vec::new());
        self.decide();
        Ok(())
    }
    fn input(&mut self, event: &Event) -> Result<Reply, Broken> {
        let after = event.after.clone().unwrap_or_default();
        if self.plan.as_ref().is_some_and(|plan| plan.at <= *after.value())
            && let Some(event) = self.act()
        {
            return Ok(Reply::Output(event));
        }
        let Some(channel) = self.system.channel_named(&event.name) else {
            return Err(Broken::Refuses(format!("there is no channel `{}`", event.name)));
        };
        let values = self.system.channels[channel].args.iter().zip(&event.args);
        let received: Option<Vec<Value>> = values.map(|(ty, arg)| from_json(arg, ty.as_ref())).collect();
        let Some(received) = received else {
            return Err(Broken::Refuses(format!("`{}` has other values", event.name)));
        };
        let mut next = Vec::new();
        for edge in self.system.edges_from(self.state.location) {
            if self.system.edges[edge].channel == channel {
                next.extend(step(self.system, &self.state, edge, after.value(), &received));
            }
        }
        let mut next: Vec<State> = next.into_iter().map(|step| step.state).collect();
        if next.is_empty() {
            let delay = after.value().clone();
            next = self.reconsidered(conformance::Event { channel, delay, values: received.clone() })?;
        }
        if next.is_empty() {
            self.events = None;
            // What is not specified may be answered in any way; this one ignores it.
            for &clock in &self.system.clocks {
                let value = &mut self.state.values[index(clock)];
                let now = value.as_number().unwrap_or_default() + after.value();
                *value = Value::number(now);
            }
        } else {
            let chosen = self.random.random_range(0..next.len());
            self.state = next.swap_remove(chosen);
            self.remember(channel, after.value(), received);
        }
        self.decide();
        Ok(Reply::Accepted)
    }
    fn watch(&mut self, time: Option<&Time>) -> Result<Reply, Broken> {
        let time = time.cloned().unwrap_or_default();
        let until = &self.waited + time.value();
        if self.plan.as_ref().is_some_and(|plan| plan.at <= until)
            && let Some(event) = self.act()
        {
            return Ok(Reply::Output(event));
        }
        self.waited = until;
        Ok(Reply::Quiet(Some(time)))
    }
}

fn begin(system: &System, random: &mut SmallRng) -> State {
    let mut unknown = |variable: VariableId| random_value(system.ty(variable), &[], random);
    interpret::start(system, &mut unknown)
        .unwrap_or_else(|| panic!("values of their types should be a start"))
}

/// A value of a type; of numbers mostly small ones or one of some.
fn random_value(ty: &Type, hints: &[Value], random: &mut SmallRng) -> Value {
    let fitting: Vec<&Value> = hints.iter().filter(|value| ty.contains(value)).collect();
    if !fitting.is_empty() && random.random_bool(0.7) {
        return fitting[random.random_range(0..fitting.len())].clone();
    }
    match ty {
        Type::Bool => Value::Bool(random.random()),
        Type::Enum(enumeration) => {
            Value::Enumerator(random.random_range(0..enumeration.names.len().max(1)) as u32)
        }
        Type::Set(set) => {
            let units = set.units()[random.random_range(0..set.units().len())];
            set.range().value(units)
        }
        _ => match ty.range() {
            Some(range) if random.random_bool(0.5) => {
                range.value(random.random_range(range.lo()..=range.hi().min(range.lo().saturating_add(3))))
            }
            Some(range) => range.value(random.random_range(range.lo()..=range.hi())),
            None => Value::Integer(random.random_range(0..20)),
        },
    }
}

fn constants(expr: &Expr, found: &mut Vec<Value>) {
    if let Kind::Constant(value) = expr.kind() {
        found.push(value.clone());
    }
    expr.kind().for_each_operand(|operand| constants(operand, found));
}

/// Delays among which a transition is possible at one if it is possible at all: where a bound of a
/// clock is met, between those, and behind the last.
pub fn delays(system: &System, state: &State, edge: usize, received: &[Value]) -> Vec<BigRational> {
    let transition = &system.edges[edge];
    let mut values = state.values.clone();
    if let Action::Receive(variables) = &transition.action {
        for (variable, value) in variables.iter().zip(received) {
            values[index(*variable)] = value.clone();
        }
    }
    let two = BigRational::from_integer(2.into());
    let mut found = vec![BigRational::zero()];
    for bound in clock_bounds(&transition.guard, system).unwrap_or_default() {
        let mut rest = bound.difference.constant.clone();
        let mut factor = BigRational::zero();
        for (variable, weight) in &bound.difference.factors {
            let value = values[index(*variable)].as_number().unwrap_or_default();
            rest += weight * value;
            if system.clocks.contains(variable) {
                factor += weight;
            }
        }
        if !factor.is_zero() {
            let delay = -rest / factor;
            if delay.is_positive() {
                found.push(delay);
            }
        }
    }
    found.sort();
    found.dedup();
    let between: Vec<BigRational> = found.windows(2).map(|pair| (&pair[0] + &pair[1]) / &two).collect();
    let last = found.last().cloned().unwrap_or_default() + BigRational::from_integer(1.into());
    found.extend(between);
    found.push(last);
    found.sort();
    found
}

/// A value as the protocol has it.
pub fn to_json(value: &Value, ty: Option<&Type>) -> Json {
    match (value, ty) {
        (Value::Bool(value), _) => json!(value),
        (Value::Enumerator(_), Some(ty)) => json!(ty.show(value)),
        _ => value_json(&value.as_number().unwrap_or_default()),
    }
}

/// A value of the protocol; none where it is none. Of the type only names of enumerators are read.
pub fn from_json(json: &Json, ty: Option<&Type>) -> Option<Value> {
    match (json, ty) {
        (Json::Bool(value), _) => Some(Value::Bool(*value)),
        (Json::String(text), Some(Type::Enum(enumeration))) => {
            let position = enumeration.names.iter().position(|name| name == text)?;
            Some(Value::Enumerator(u32::try_from(position).ok()?))
        }
        (Json::String(text), _) => number(text),
        (Json::Number(value), _) => number(&value.to_string()),
        _ => None,
    }
}

fn number(text: &str) -> Option<Value> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let sign = BigRational::from_integer(sign.into());
    Some(Value::number(sign * Time::parse(digits)?.value()))
}
