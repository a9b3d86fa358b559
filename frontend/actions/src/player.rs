//! Action systems that play the system under test: all choices are made at random.

use crate::interpret::{Label, Machine, States, TooMany};
use crate::syntax::Kind;
use crate::system::{Action, State, System};
use crate::values::Alphabet;
use harness::{Broken, Event, Events, Reply, Time};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use serde_json::Value as Json;
use spec::types::Type;
use spec::value::Value;

/// Invisible steps that are taken for one request at most; one that goes on gives no answer.
const MOST_INVISIBLE: usize = 1000;

/// A value as messages carry it: truths, integers, texts for others.
pub fn value_json(ty: &Type, value: &Value) -> Json {
    match value {
        Value::Bool(value) => (*value).into(),
        Value::Integer(number) => match i64::try_from(*number) {
            Ok(number) => number.into(),
            Err(_) => number.to_string().into(),
        },
        _ => ty.show(value).into(),
    }
}

/// The arguments of a label as messages carry them; none where they are none of the action's types.
pub fn arguments(action: &Action, args: &[Json]) -> Option<Box<[Value]>> {
    if args.len() != action.parameters.len() {
        return None;
    }
    let value = |(json, ty): (&Json, &Type)| {
        let value = match json {
            Json::Bool(truth) => Value::Bool(*truth),
            Json::Number(number) if matches!(ty, Type::Number(_) | Type::Machine { .. }) => {
                Value::Integer(number.as_i128()?)
            }
            Json::String(text) => match text.parse::<i128>() {
                Ok(number) if !matches!(ty, Type::Enum { .. }) => Value::Integer(number),
                _ => ty.values()?.find(|value| ty.show(value) == *text)?,
            },
            _ => return None,
        };
        ty.contains(&value).then_some(value)
    };
    args.iter().zip(action.parameters.iter().map(|parameter| &parameter.ty)).map(value).collect()
}

/// A system that does what it specifies, or what a mutant of it does.
#[derive(Debug)]
pub struct Player<'a> {
    machine: Machine<'a>,
    state: State,
    random: SmallRng,
}

impl<'a> Player<'a> {
    /// A system at its beginning. `alphabet` says which values of parameters it tries.
    pub fn new(system: &'a System, alphabet: &'a Alphabet, seed: u64) -> Self {
        let machine = Machine { system, alphabet };
        Self { machine, state: system.initial(), random: SmallRng::seed_from_u64(seed) }
    }

    fn any<T: Clone>(&mut self, things: &[T]) -> Option<T> {
        (!things.is_empty()).then(|| things[self.random.random_range(0..things.len())].clone())
    }

    /// Moves to one of some states.
    fn go(&mut self, states: &States) {
        if let Some(state) = self.any(states) {
            self.state = state;
        }
    }

    /// The steps that the system may take by itself.
    fn own_steps(&self) -> Result<Vec<Label>, TooMany> {
        let is_own = |kind: Kind| kind != Kind::Controllable;
        let steps = self.machine.steps(&self.state)?;
        Ok(steps
            .into_iter()
            .filter(|(action, _)| is_own(self.machine.system.actions[*action].kind))
            .collect())
    }

    /// Takes invisible steps, as many as it likes, before an input.
    fn wander(&mut self) -> Result<(), TooMany> {
        for _ in 0..MOST_INVISIBLE {
            let mut steps = self.own_steps()?;
            steps.retain(|(action, _)| self.machine.system.actions[*action].kind == Kind::Internal);
            if steps.is_empty() || self.random.random_bool(0.5) {
                return Ok(());
            }
            self.take(&steps)?;
        }
        Ok(())
    }
    /// Takes one of some steps.
    fn take(&mut self, steps: &[Label]) -> Result<Option<Label>, TooMany> {
        let Some((action, args)) = self.any(steps) else { return Ok(None) };
        let after = self.machine.after_label(&self.state, action, &args)?;
        self.go(&after);
        Ok(Some((action, args)))
    }

    fn given(&mut self, event: &Event) -> Result<Reply, TooMany> {
        self.wander()?;
        let system = self.machine.system;
        let action = system.action_named(&event.name);
        let action = action.filter(|&action| system.actions[action].kind == Kind::Controllable);
        let Some(action) = action else { return Ok(Reply::Refused) };
        let Some(args) = arguments(&system.actions[action], &event.args) else { return Ok(Reply::Refused) };
        let after = self.machine.after_label(&self.state, action, &args)?;
        if after.is_empty() {
            return Ok(Reply::Refused);
        }
        self.go(&after);
        Ok(Reply::Accepted)
    }
    fn shown(&mut self) -> Result<Option<Reply>, TooMany> {
        for number in 0..MOST_INVISIBLE {
            let mut steps = self.own_steps()?;
            // One that could go on unseen for ever shows something in the end, where it can.
            let is_seen = |(action, _): &Label| self.machine.system.actions[*action].kind == Kind::Observable;
            if number > MOST_INVISIBLE / 2 && steps.iter().any(is_seen) {
                steps.retain(is_seen);
            }
            let Some((action, args)) = self.take(&steps)? else { return Ok(Some(Reply::Quiet(None))) };
            let description = &self.machine.system.actions[action];
            if description.kind == Kind::Observable {
                let types = description.parameters.iter().map(|parameter| &parameter.ty);
                let args = types.zip(args.iter()).map(|(ty, value)| value_json(ty, value)).collect();
                return Ok(Some(Reply::Output(Event { name: description.name.clone(), args, after: None })));
            }
        }
        Ok(None)
    }
}

fn too_many(_: TooMany) -> Broken {
    Broken::Refuses("more states or labels than are enumerated".to_owned())
}

impl Events for Player<'_> {
    fn reset(&mut self) -> Result<(), Broken> {
        self.state = self.machine.system.initial();
        Ok(())
    }
    fn input(&mut self, event: &Event) -> Result<Reply, Broken> {
        self.given(event).map_err(too_many)
    }
    fn watch(&mut self, _: Option<&Time>) -> Result<Reply, Broken> {
        let endless = || Broken::Silent { limit: std::time::Duration::ZERO, stderr: String::new() };
        self.shown().map_err(too_many)?.ok_or_else(endless)
    }
}
