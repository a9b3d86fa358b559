//! What can happen in the states of a system over ticks.

use super::live::Live;
use super::{Effort, Limit};
use crate::interpret::{self, State, index, step};
use crate::lower::{Lowered, Ticks};
use crate::play::delays;
use crate::system::{Direction, System};
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::ToPrimitive;
use spec::types::Type;
use spec::value::{Value, big};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::time::Instant;

/// A time in ticks.
pub(super) type Delay = u64;

/// What a tester sees of an event: the channel, and the values of its message.
pub(super) type Label = (usize, Vec<Value>);

/// A transition that was taken, and the number of the state behind it.
pub(super) type Taken = (usize, usize);

/// What the others can do in a state.
#[derive(Debug)]
pub(super) struct Others {
    /// Their events.
    pub(super) events: Vec<(Delay, Label, Taken)>,
    /// How long they may be silent; none: for ever.
    pub(super) silence: Option<Delay>,
}

/// The states of a system over ticks, as they become known.
pub(super) struct Board<'s> {
    pub(super) system: &'s System,
    ticks: &'s Ticks,
    live: Live,
    states: Vec<State>,
    numbers: HashMap<State, usize>,
    others: HashMap<usize, Rc<Others>>,
    /// What follows messages of the tester, by state: the games of all goals ask again.
    stimulated: HashMap<(usize, Delay, Label), Rc<[Taken]>>,
    /// Messages that are tried first, by channel.
    hints: BTreeMap<usize, Vec<Vec<Value>>>,
    effort: Effort,
    /// Transitions that may be tried before [`Board::grant`] is asked again.
    granted: u64,
}

/// Most messages of one channel, and most states at the start.
const MOST_VALUES: u128 = 4096;

impl<'s> Board<'s> {
    pub(super) fn new(
        lowered: &'s Lowered,
        system: &'s System,
        hints: BTreeMap<usize, Vec<Vec<Value>>>,
        effort: Effort,
    ) -> Self {
        let conditions = lowered.targets.iter().filter_map(|target| target.condition(system));
        let live = Live::new(system, &conditions.collect::<Vec<_>>());
        Self {
            system,
            ticks: &lowered.ticks,
            live,
            states: Vec::new(),
            numbers: HashMap::new(),
            others: HashMap::new(),
            stimulated: HashMap::new(),
            hints,
            effort,
            granted: 0,
        }
    }
    pub(super) fn state(&self, number: usize) -> &State {
        &self.states[number]
    }
    fn number(&mut self, mut state: State) -> usize {
        let clocks = self.system.clocks.iter().map(|&clock| index(clock));
        let mut times: Vec<BigRational> =
            clocks.clone().map(|clock| state.values[clock].as_number().unwrap_or_default()).collect();
        self.ticks.stop(&mut times);
        for (clock, time) in clocks.zip(times) {
            state.values[clock] = Value::number(time);
        }
        self.live.forget(&mut state);
        if let Some(&known) = self.numbers.get(&state) {
            return known;
        }
        let number = self.states.len();
        self.numbers.insert(state.clone(), number);
        self.states.push(state);
        number
    }
    fn time(&self, delay: Delay) -> BigRational {
        big(self.ticks.tick) * BigRational::from_integer(delay.into())
    }
    /// Begins the search of one game, which may have at most so many positions.
    pub(super) fn grant(&mut self) -> usize {
        self.effort.tries += self.granted;
        self.granted = self.effort.tries.min(self.effort.tries_at_once);
        self.effort.tries -= self.granted;
        self.effort.positions
    }
    /// Counts transitions that are tried, or looked at.
    pub(super) fn spend(&mut self, tries: u64) -> Result<(), Limit> {
        if self.effort.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Limit::Time);
        }
        self.granted = self.granted.checked_sub(tries).ok_or(Limit::Positions)?;
        Ok(())
    }

    /// The states in which a run may begin.
    pub(super) fn starts(&mut self) -> Result<BTreeSet<usize>, Limit> {
        let unknown: Vec<_> = self
            .system
            .data
            .iter()
            .filter(|data| data.initial.is_none())
            .map(|data| (data.variable, self.live.matters(0, index(data.variable))))
            .collect();
        let types: Vec<&Type> =
            unknown.iter().filter(|(_, matters)| *matters).map(|(name, _)| self.system.ty(*name)).collect();
        let mut found = BTreeSet::new();
        for values in tuples(&types)? {
            let mut values = values.into_iter();
            let mut chosen = |variable| {
                let matters = unknown.iter().any(|&(known, matters)| known == variable && matters);
                let value = if matters { values.next() } else { first(self.system.ty(variable)) };
                value.unwrap_or(Value::Integer(0))
            };
            let start = interpret::start(self.system, &mut chosen);
            found.extend(start.map(|start| self.number(start)));
        }
        Ok(found)
    }

    /// What the others can do in a state.
    pub(super) fn others(&mut self, state: usize) -> Result<Rc<Others>, Limit> {
        if let Some(known) = self.others.get(&state) {
            return Ok(Rc::clone(known));
        }
        let longest = self.ticks.longest();
        let mut found = Others { events: Vec::new(), silence: None };
        let (mut has_output, mut last) = (false, 0);
        let edges: Vec<usize> = self.system.edges_from(self.states[state].location).collect();
        for edge in edges {
            let channel = self.system.edges[edge].channel;
            let direction = self.system.channels[channel].direction;
            let messages = match direction {
                Direction::Input => continue,
                Direction::Output => vec![Vec::new()],
                Direction::Uncontrollable => self.messages(channel)?,
            };
            self.spend((longest + 1).saturating_mul(messages.len() as u64))?;
            for (received, delay) in messages.iter().flat_map(|all| (0..=longest).map(move |at| (all, at))) {
                let time = self.time(delay);
                let taken = step(self.system, &self.states[state], edge, &time, received);
                let Some(taken) = taken else { continue };
                has_output |= direction == Direction::Output;
                last = last.max(delay);
                let next = self.number(taken.state);
                found.events.push((delay, (channel, taken.message), (edge, next)));
            }
        }
        // What is possible at the longest delay is possible at any longer one.
        found.silence = (has_output && last < longest).then_some(last);
        let found = Rc::new(found);
        self.others.insert(state, Rc::clone(&found));
        Ok(found)
    }
    /// All messages of a channel.
    pub(super) fn messages(&self, channel: usize) -> Result<Vec<Vec<Value>>, Limit> {
        let types: Option<Vec<&Type>> =
            self.system.channels[channel].args.iter().map(Option::as_ref).collect();
        tuples(&types.ok_or(Limit::Values)?)
    }
    /// Some messages of a channel: those of chains, and the first.
    pub(super) fn some_messages(&self, channel: usize) -> Vec<Vec<Value>> {
        let mut found = self.hints.get(&channel).cloned().unwrap_or_default();
        let args = &self.system.channels[channel].args;
        let least: Option<Vec<Value>> = args.iter().map(|arg| first(arg.as_ref()?)).collect();
        found.extend(least.filter(|least| !found.contains(least)));
        found
    }
    /// The delay that is longer than all that matter.
    pub(super) fn longest(&self) -> Delay {
        self.ticks.longest()
    }
    /// Delays at which what a transition may do changes.
    pub(super) fn some_delays(&self, state: usize, edge: usize, received: &[Value]) -> BTreeSet<Delay> {
        let tick = big(self.ticks.tick);
        let mut found = BTreeSet::from([0]);
        for time in delays(self.system, &self.states[state], edge, received) {
            let ticks = time / &tick;
            found.extend(
                [ticks.numer().div_floor(ticks.denom()), ticks.ceil().to_integer()]
                    .map(|ticks| ticks.to_u64().unwrap_or(u64::MAX).min(self.ticks.longest())),
            );
        }
        found
    }
    /// What follows a message of the tester in a state: nothing where it is not specified.
    pub(super) fn stimulated(
        &mut self,
        state: usize,
        delay: Delay,
        label: &Label,
    ) -> Result<Rc<[Taken]>, Limit> {
        let key = (state, delay, label.clone());
        if let Some(known) = self.stimulated.get(&key) {
            return Ok(Rc::clone(known));
        }
        let (channel, received) = label;
        let edges: Vec<usize> = self.system.edges_from(self.states[state].location).collect();
        self.spend(edges.len() as u64)?;
        let time = self.time(delay);
        let mut found = Vec::new();
        for edge in edges.into_iter().filter(|&edge| self.system.edges[edge].channel == *channel) {
            if let Some(taken) = step(self.system, &self.states[state], edge, &time, received) {
                found.push((edge, self.number(taken.state)));
            }
        }
        let found: Rc<[Taken]> = found.into();
        self.stimulated.insert(key, Rc::clone(&found));
        Ok(found)
    }
}

/// The least value of a type.
fn first(ty: &Type) -> Option<Value> {
    match ty {
        Type::Rational => Some(Value::Integer(0)),
        _ => ty.values()?.next(),
    }
}

/// All tuples of values of some types.
fn tuples(types: &[&Type]) -> Result<Vec<Vec<Value>>, Limit> {
    let count = types.iter().try_fold(1_u128, |all, ty| all.checked_mul(ty.count()?));
    if count.is_none_or(|count| count > MOST_VALUES) {
        return Err(Limit::Values);
    }
    let mut found = vec![Vec::new()];
    for ty in types {
        let values: Vec<Value> = ty.values().ok_or(Limit::Values)?.collect();
        found = found
            .into_iter()
            .flat_map(|tuple| {
                values.iter().map(move |value| {
                    let mut longer: Vec<Value> = tuple.clone();
                    longer.push(value.clone());
                    longer
                })
            })
            .collect();
    }
    Ok(found)
}
