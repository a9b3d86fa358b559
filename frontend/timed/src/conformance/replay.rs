//! Witnesses without symbols: the reference interpreter runs the mutant along them, and follows all
//! states of the original that a trace admits.

use super::proof::live;
use super::{Event, Witness, equation, initial, plain, silent, start_of, typed};
use crate::interpret::{State, start, step};
use crate::play::delays;
use crate::purpose::{is_satisfiable, solution};
use crate::smt::{SmtError, Solver};
use crate::symbolic::{Context, Execution, Sort, Term};
use crate::system::{Action, Direction, System};
use num_rational::BigRational;
use num_traits::One;
use spec::scope::VariableId;
use spec::types::Type;
use spec::value::Value;
use std::collections::HashSet;

/// Initial states that the interpreter follows at most.
const MOST_STARTS: usize = 20_000;
/// Messages of others that it tries at most.
const MOST_MESSAGES: usize = 4096;

/// What has confirmed a witness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The interpreter, for both systems.
    Interpreter,
    /// The solver, with the numbers of the trace put in: data have too many values.
    Solver,
}

/// Runs a witness again: the mutant allows it, the original all of it but the last observation.
/// None where that is not so.
///
/// # Errors
/// If the solver cannot be used, or the time is up.
pub fn confirm(
    original: &System,
    mutant: &System,
    witness: &Witness,
    solver: &mut Solver,
) -> Result<Option<By>, SmtError> {
    let Some(state) = ran(mutant, witness) else { return Ok(None) };
    let by_solver = |is_confirmed: bool| Ok(is_confirmed.then_some(By::Solver));
    if let Some(silence) = &witness.silence {
        match may_be_silent(mutant, &state, silence) {
            Some(true) => {}
            Some(false) => return Ok(None),
            None => return by_solver(by_numbers(original, mutant, witness, solver)?),
        }
    }
    match refused(original, witness) {
        Some(true) => Ok(Some(By::Interpreter)),
        Some(false) => Ok(None),
        None => by_solver(by_numbers(original, mutant, witness, solver)?),
    }
}

/// The first state with some values of unknown data; none where one is no value of its type.
fn start_with(system: &System, known: &[(VariableId, Value)]) -> Option<State> {
    let mut unknown = |variable: VariableId| {
        let value = known.iter().find(|(one, _)| *one == variable);
        value.map_or(Value::Integer(0), |(_, value)| value.clone())
    };
    start(system, &mut unknown)
}

/// The state of the mutant behind the events of a witness; none where it cannot show them.
fn ran(mutant: &System, witness: &Witness) -> Option<State> {
    let mut state = start_with(mutant, &witness.start)?;
    for (event, &edge) in witness.events.iter().zip(&witness.edges) {
        let is_channel = mutant.edges[edge].channel == event.channel;
        let next = step(mutant, &state, edge, &event.delay, &event.values)?;
        if !is_channel || next.message != event.values {
            return None;
        }
        state = next.state;
    }
    Some(state)
}

/// Whether the original allows all of a witness but its end, by all its states; none where there
/// are too many.
fn refused(original: &System, witness: &Witness) -> Option<bool> {
    let (count, states) = followed(original, starts(original)?, &witness.events);
    let Some(silence) = &witness.silence else { return Some(count + 1 == witness.events.len()) };
    if count < witness.events.len() {
        return Some(false);
    }
    for state in &states {
        if may_be_silent(original, state, silence)? {
            return Some(false);
        }
    }
    Some(true)
}

/// How many events, from the first on, a system allows, and its states behind them.
fn followed(system: &System, mut states: Vec<State>, events: &[Event]) -> (usize, Vec<State>) {
    for (index, event) in events.iter().enumerate() {
        let next: HashSet<State> = states.iter().flat_map(|state| after(system, state, event)).collect();
        if next.is_empty() {
            return (index, states);
        }
        states = next.into_iter().collect();
    }
    (events.len(), states)
}

/// How many events, from the first on, a system allows.
///
/// # Errors
/// If the solver cannot be used, or the time is up.
pub fn admitted(system: &System, events: &[Event], solver: &mut Solver) -> Result<usize, SmtError> {
    if let Some(starts) = starts(system) {
        return Ok(followed(system, starts, events).0);
    }
    let mut numbers = Numbers { execution: Execution::start(system).0, events, edges: None };
    Ok(numbers.followed(solver)?.0)
}

/// States in which a system can be behind some events, with some of the values that its unknown
/// data can have; none where it does not allow the events. `solver` is asked for where data have
/// too many values to try them.
///
/// # Errors
/// If the solver cannot be used.
pub fn states_behind(
    system: &System,
    events: &[Event],
    solver: impl FnOnce() -> Result<Solver, SmtError>,
) -> Result<Vec<State>, SmtError> {
    let behind = |starts| {
        let (count, states) = followed(system, starts, events);
        if count == events.len() { states } else { Vec::new() }
    };
    if let Some(starts) = starts(system) {
        return Ok(behind(starts));
    }
    let mut solver = solver()?;
    let mut numbers = Numbers { execution: Execution::start(system).0, events, edges: None };
    let (count, contexts) = numbers.followed(&mut solver)?;
    let unknown = system.data.iter().filter(|data| data.initial.is_none());
    let symbols: Vec<String> = unknown.map(|data| initial(system, data.variable)).collect();
    let mut starts = Vec::new();
    for context in contexts.iter().filter(|_| count == events.len()) {
        let what = "a system admits a trace";
        let found = solution(&numbers.execution, &context.condition, &symbols, &mut solver, what)?;
        starts.extend(found.and_then(|values| start_with(system, &start_of(system, &values))));
    }
    Ok(behind(starts))
}

/// The states behind an event.
fn after(system: &System, state: &State, event: &Event) -> Vec<State> {
    let edges = system.edges_from(state.location).filter(|&edge| system.edges[edge].channel == event.channel);
    let steps = edges.filter_map(|edge| step(system, state, edge, &event.delay, &event.values));
    steps.filter(|step| step.message == event.values).map(|step| step.state).collect()
}

/// All initial states that differ in what is read; none where there are too many.
fn starts(system: &System) -> Option<Vec<State>> {
    let live = &live(system)[0];
    let mut found: Vec<Vec<(VariableId, Value)>> = vec![Vec::new()];
    for data in system.data.iter().filter(|data| data.initial.is_none()) {
        let ty = system.ty(data.variable);
        let values = match live.contains(&data.variable) {
            true => values(ty, MOST_STARTS)?,
            false => vec![typed(None, Some(ty))],
        };
        if found.len() * values.len() > MOST_STARTS {
            return None;
        }
        let with = |start: &Vec<(VariableId, Value)>, value: &Value| {
            start.iter().cloned().chain([(data.variable, value.clone())]).collect()
        };
        found = found.iter().flat_map(|start| values.iter().map(|value| with(start, value))).collect();
    }
    Some(found.iter().filter_map(|known| start_with(system, known)).collect())
}

/// All values of a type; none where there are more than so many.
fn values(ty: &Type, most: usize) -> Option<Vec<Value>> {
    match ty {
        Type::Bool => Some(vec![Value::Bool(false), Value::Bool(true)]),
        Type::Enum(enumeration) => (0..enumeration.names.len())
            .map(|index| Some(Value::Enumerator(u32::try_from(index).ok()?)))
            .collect(),
        Type::Set(set) => {
            let values = set.units().iter().map(|&units| set.range().value(units));
            (set.units().len() <= most).then(|| values.collect())
        }
        _ => {
            let range = ty.range()?;
            let count = usize::try_from(range.hi().checked_sub(range.lo())?).ok()?;
            (count < most).then(|| (range.lo()..=range.hi()).map(|units| range.value(units)).collect())
        }
    }
}

/// Whether a system may stay silent in a state; none where others may send too many messages to try
/// them all.
fn may_be_silent(system: &System, state: &State, silence: &BigRational) -> Option<bool> {
    let (mut never_sends, mut is_open) = (true, false);
    for edge in system.edges_from(state.location) {
        match system.channel(&system.edges[edge]).direction {
            Direction::Input => {}
            Direction::Output => {
                never_sends &= !is_possible(system, state, edge, &[], None);
                if is_possible(system, state, edge, &[], Some(silence)) {
                    return Some(true);
                }
            }
            Direction::Uncontrollable => match messages(system, edge) {
                Some(messages) => {
                    let may_come =
                        |message: &Vec<Value>| is_possible(system, state, edge, message, Some(silence));
                    if messages.iter().any(may_come) {
                        return Some(true);
                    }
                }
                None => is_open = true,
            },
        }
    }
    if never_sends { Some(true) } else { (!is_open).then_some(false) }
}

/// Whether a transition is possible at some time, later than `after` where that is given.
fn is_possible(
    system: &System,
    state: &State,
    edge: usize,
    received: &[Value],
    after: Option<&BigRational>,
) -> bool {
    let mut times = delays(system, state, edge, received);
    if let Some(after) = after {
        times.retain(|time| time > after);
        // Between this time and the next at which something changes.
        let two = BigRational::from_integer(2.into());
        let soon = times.first().map_or_else(|| after + BigRational::one(), |next| (after + next) / two);
        times.push(soon);
    }
    times.iter().any(|time| step(system, state, edge, time, received).is_some())
}

/// All messages of a transition that receives; none where there are too many.
fn messages(system: &System, edge: usize) -> Option<Vec<Vec<Value>>> {
    let transition = &system.edges[edge];
    let Action::Receive(variables) = &transition.action else { return Some(Vec::new()) };
    let mut found: Vec<Vec<Value>> = vec![Vec::new()];
    for (arg, variable) in system.channel(transition).args.iter().zip(variables) {
        let values = values(arg.as_ref().unwrap_or_else(|| system.ty(*variable)), MOST_MESSAGES)?;
        if found.len() * values.len() > MOST_MESSAGES {
            return None;
        }
        let longer =
            |known: &Vec<Value>, value: &Value| known.iter().cloned().chain([value.clone()]).collect();
        found = found.iter().flat_map(|known| values.iter().map(|value| longer(known, value))).collect();
    }
    Some(found)
}

/// Confirms a witness by the solver, with the numbers of the trace put in.
fn by_numbers(
    original: &System,
    mutant: &System,
    witness: &Witness,
    solver: &mut Solver,
) -> Result<bool, SmtError> {
    let ends = |system, edges: Option<&[usize]>, solver: &mut Solver| {
        let mut numbers = Numbers { execution: Execution::start(system).0, events: &witness.events, edges };
        numbers.admits(witness.silence.as_ref(), solver)
    };
    let (prefix, whole) = ends(original, None, solver)?;
    Ok(prefix && !whole && ends(mutant, Some(&witness.edges), solver)?.1)
}

/// A trace in one of the systems.
struct Numbers<'a> {
    execution: Execution<'a>,
    events: &'a [Event],
    /// The transitions that are taken; none: all are tried.
    edges: Option<&'a [usize]>,
}

impl Numbers<'_> {
    /// Whether a path admits the trace without its last observation, and with it.
    fn admits(
        &mut self,
        silence: Option<&BigRational>,
        solver: &mut Solver,
    ) -> Result<(bool, bool), SmtError> {
        let (count, contexts) = self.followed(solver)?;
        let is_whole = count == self.events.len();
        let Some(silence) = silence else { return Ok((count + 1 >= self.events.len(), is_whole)) };
        if !is_whole {
            return Ok((false, false));
        }
        for context in &contexts {
            let mut terms = context.condition.clone();
            terms.push(equation(&Execution::duration(context, ""), silence, Sort::Real));
            terms.push(silent(&mut self.execution, context));
            if self.is_possible(&terms, solver)? {
                return Ok((true, true));
            }
        }
        Ok((true, false))
    }
    /// How many events, from the first on, a path admits, and the contexts behind them.
    fn followed(&mut self, solver: &mut Solver) -> Result<(usize, Vec<Context>), SmtError> {
        let (execution, root) = Execution::start(self.execution.system);
        self.execution = execution;
        let mut contexts = vec![root];
        for (index, event) in self.events.iter().enumerate() {
            let mut next = Vec::new();
            for context in &contexts {
                next.extend(self.next(context, index, event, solver)?);
            }
            if next.is_empty() {
                return Ok((index, contexts));
            }
            contexts = next;
        }
        Ok((self.events.len(), contexts))
    }
    fn next(
        &mut self,
        context: &Context,
        index: usize,
        event: &Event,
        solver: &mut Solver,
    ) -> Result<Vec<Context>, SmtError> {
        let system = self.execution.system;
        let mut found = Vec::new();
        for edge in system.edges_from(context.state) {
            let is_wanted = self.edges.is_none_or(|edges| edges.get(index) == Some(&edge));
            if system.edges[edge].channel != event.channel || !is_wanted {
                continue;
            }
            let names = self.execution.message(context, event.channel, "");
            let mut next = self.execution.follow(context, edge, "").context;
            let time = Execution::duration(context, "");
            next.condition.push(equation(&time, &event.delay, Sort::Real));
            for ((name, value), arg) in
                names.iter().zip(&event.values).zip(&system.channels[event.channel].args)
            {
                let sort = arg.as_ref().map_or(Sort::Int, Sort::of);
                next.condition.push(equation(name, &plain(value), sort));
            }
            if self.is_possible(&next.condition.clone(), solver)? {
                found.push(next);
            }
        }
        Ok(found)
    }
    fn is_possible(&self, terms: &[Term], solver: &mut Solver) -> Result<bool, SmtError> {
        is_satisfiable(&self.execution, terms, solver, "a system admits a trace")
    }
}
