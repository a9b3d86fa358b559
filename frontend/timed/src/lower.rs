//! Timed systems over ticks of time as transition systems: one step is one event with the delay
//! before it, so that a long wait is one step.
//!
//! * State words: the state, data, clocks. A clock stops where guards see no difference any more
//!   ([`Ticks::stop`]).
//! * Initial inputs: data whose value at the start is unknown.
//! * Inputs: the delay, the transition, values that are received.
//!
//! Delays and clocks are multiples of a tick. Where data are integers and all bounds of clocks are
//! closed, rational times admit no fewer steps and no less time (digitisation: Henzinger, Manna,
//! Pnueli: "What good are digital clocks?", ICALP 1992). Strict bounds can be closed
//! ([`Relaxation`]): that system has every dense run and more, so its bounds hold from below.

mod bounds;
mod goals;
mod prefix;
mod step;

use crate::check::{Numbers, check_with};
use crate::code::Code;
use crate::syntax::File;
use crate::system::{System, Target};
use frontend::diagnostics::Diagnostics;
use model::sort::Sort;
use model::system::{InitialInputId, InputId, InputRole, StateId, TransitionSystem};
use model::term::{TermId, TermPool};
use model::trace::{Start, Trace};
use num_rational::BigRational;
use num_traits::ToPrimitive;
use spec::lower::{Encoding, Lowering};
use spec::parser::{Parsed, Reported};
use spec::scope::{Scope, VariableId};
use spec::types::{Range, Type};
use spec::value::{Fraction, Value};

pub use bounds::Ticks;

/// Which of the systems that stand for a timed system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Variant {
    /// Which conditions are weakened.
    pub relaxation: Relaxation,
    /// Most ticks of all delays together, and steps that begin a new chain.
    pub budget: Option<Budget>,
}

/// Which conditions of a system are weakened, so that it has more runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Relaxation {
    /// None.
    #[default]
    None,
    /// Strict bounds of clocks are closed: the system has every dense run whose data lie on the grid,
    /// and more.
    Closed,
    /// That, and nothing is demanded of rational data, nor of clocks where ticks are too coarse for
    /// their bounds: the system has every dense run, whatever its data, and more.
    Dense,
}

/// Bounds on several chains that stand in one, with steps between them that start anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Most ticks of all delays together.
    pub ticks: u64,
    /// Most steps that start anew.
    pub restarts: u32,
}

/// A timed system over ticks, with the way back from traces to events.
pub struct Lowered {
    /// The transition system.
    pub system: TransitionSystem,
    /// The timed system with types over ticks.
    pub timed: System,
    /// How time is counted.
    pub ticks: Ticks,
    /// Where goals stand in the text, by their numbers.
    pub origins: Vec<spec::lexer::Extent>,
    /// What goals are, by their numbers.
    pub targets: Vec<Target>,
    delay: (InputId, Type),
    edge: InputId,
    received: Vec<Vec<(InputId, Type)>>,
    unknown: Vec<(InitialInputId, VariableId)>,
    again: Vec<(InputId, VariableId)>,
}

/// One event of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The transition.
    pub edge: usize,
    /// The time since the event before.
    pub delay: BigRational,
    /// Values that are received, in the types over ticks.
    pub received: Vec<Value>,
}

/// The transition system of a file; `system` is the same file in dense time.
///
/// # Errors
/// What has no finite number of ticks or values, with its place.
pub fn lower(
    file: &File,
    scope: &Scope,
    system: &System,
    variant: Variant,
    diagnostics: &mut Diagnostics,
) -> Parsed<Lowered> {
    let ticks = bounds::ticks(system, diagnostics)?;
    let clock = |name: &str| {
        let position = system.clocks.iter().position(|&clock| system.name_of(clock) == name);
        let last = position.map_or(0, |position| ticks.most(position));
        ticks.range(0, i128::from(last))
    };
    let numbers = Numbers { clock: &clock, rational: ticks.rational() };
    // What is to be said of the text has been said of it in dense time.
    let mut said = Diagnostics::default();
    let Ok(timed) = check_with(file, scope.clone(), &numbers, &mut said) else {
        said.entries.into_iter().for_each(|entry| diagnostics.push(entry));
        return Err(Reported);
    };
    let mut lowerer = Lowerer::new(timed, ticks, variant);
    lowerer.declare()?;
    lowerer.steps(diagnostics)?;
    lowerer.goals(diagnostics)?;
    Ok(lowerer.lowered)
}

struct Lowerer {
    lowered: Lowered,
    variant: Variant,
    location: StateId,
    words: Vec<Option<StateId>>,
    /// Variables that stand for values of messages, by channel.
    messages: Vec<Vec<VariableId>>,
    /// Values after the step of data and clocks, by variable.
    next: Vec<Option<TermId>>,
    next_location: TermId,
}

impl Lowerer {
    fn new(timed: System, ticks: Ticks, variant: Variant) -> Self {
        let mut system = TransitionSystem { name: timed.name.clone(), ..TransitionSystem::default() };
        let location = system.add_state("state", word_for(timed.states.len()));
        let longest = i128::from(ticks.longest());
        let delay_type = ticks.range(0, longest);
        let delay_sort = delay_type.sort().unwrap_or(Sort::TRUTH);
        let delay = system.add_input("delay", delay_sort, InputRole::Stimulus);
        let codes = timed.edges.len() + usize::from(variant.budget.is_some());
        let edge = system.add_input("edge", word_for(codes), InputRole::Stimulus);
        let next_location = system.state_term(location);
        let count = timed.scope.variables().len();
        let lowered = Lowered {
            system,
            timed,
            ticks,
            origins: Vec::new(),
            targets: Vec::new(),
            delay: (delay, delay_type),
            edge,
            received: Vec::new(),
            unknown: Vec::new(),
            again: Vec::new(),
        };
        let (words, next) = (vec![None; count], vec![None; count]);
        Self { lowered, variant, location, words, messages: Vec::new(), next, next_location }
    }
    fn pool(&mut self) -> &mut TermPool {
        &mut self.lowered.system.terms
    }
}

/// The word that holds numbers below `count`.
fn word_for(count: usize) -> Sort {
    let most = i128::try_from(count).unwrap_or(i128::MAX).max(1) - 1;
    Sort::word(Encoding::of(&Range::integers(0, most)).width)
}

impl Lowered {
    /// The positions in the text's list of goals of the conditions among the goals that are wanted.
    pub fn conditions(&self, is_wanted: &[bool]) -> Vec<usize> {
        let wanted = self.targets.iter().zip(is_wanted).filter(|(_, is_wanted)| **is_wanted);
        let position = |(target, _): (&Target, _)| match target {
            Target::Condition(position) => Some(*position),
            _ => None,
        };
        wanted.filter_map(position).collect()
    }
    /// The chains of a trace, which the reference interpreter runs in dense time; none where a step is
    /// no event, or the interpreter refuses one.
    pub fn replayed(&self, system: &System, trace: &Trace) -> Option<Vec<TimedChain>> {
        let chains = self.chains(trace)?;
        chains.iter().all(|chain| chain.replay(system).is_some()).then_some(chains)
    }
    /// The chains of a trace, which starts anew where the system allows it; none where a word of it
    /// stands for nothing.
    pub fn chains(&self, trace: &Trace) -> Option<Vec<TimedChain>> {
        let Start::Initial(initial) = &trace.start else { return None };
        let mut start = Vec::new();
        for (input, variable) in &self.unknown {
            let word = initial.get(model::id::Id::index(*input))?;
            start.push((*variable, self.timed.ty(*variable).decode(*word)?));
        }
        let mut chains = vec![TimedChain { start, events: Vec::new() }];
        for inputs in &trace.inputs {
            let value = |input: InputId| inputs.get(model::id::Id::index(input)).copied();
            let edge = usize::try_from(value(self.edge)?.bits()).ok()?;
            let Some(transition) = self.timed.edges.get(edge) else {
                let again = |&(input, variable): &(InputId, VariableId)| {
                    Some((variable, self.timed.ty(variable).decode(value(input)?)?))
                };
                let start = self.again.iter().map(again).collect::<Option<_>>()?;
                chains.push(TimedChain { start, events: Vec::new() });
                continue;
            };
            let delay = self.delay.1.decode(value(self.delay.0)?)?.as_number()?;
            let mut received = Vec::new();
            if matches!(transition.action, crate::system::Action::Receive(_)) {
                for (input, ty) in &self.received[transition.channel] {
                    received.push(ty.decode(value(*input)?)?);
                }
            }
            chains.last_mut()?.events.push(Event { edge, delay, received });
        }
        Some(chains)
    }
    /// The type of the unknown value at the start that an initial input stands for.
    pub(crate) fn unknown_type(&self, input: InitialInputId) -> Option<&Type> {
        let known = self.unknown.iter().find(|(known, _)| *known == input);
        known.map(|(_, variable)| self.timed.ty(*variable))
    }
    /// The trace of one chain; none where a value of it has no word.
    pub fn trace(&self, chain: &TimedChain) -> Option<Trace> {
        let index = |input: InputId| model::id::Id::index(input);
        let zero = |symbol| model::value::Value::zero(self.system.terms.symbol(symbol).sort);
        let mut initial: Vec<_> =
            self.system.initial_inputs.values().map(|input| zero(input.symbol)).collect();
        for (input, variable) in &self.unknown {
            let known = chain.start.iter().find(|(known, _)| known == variable);
            initial[model::id::Id::index(*input)] = self.timed.ty(*variable).encode(&known?.1)?;
        }
        let mut inputs = Vec::new();
        for event in &chain.events {
            let mut step: Vec<_> = self.system.inputs.values().map(|input| zero(input.symbol)).collect();
            // Messages that do not come have values of their types as well.
            for (input, ty) in self.received.iter().flatten() {
                step[index(*input)] = ty.encode(&ty.values()?.next()?)?;
            }
            let channel = self.timed.edges.get(event.edge)?.channel;
            for ((input, ty), value) in self.received[channel].iter().zip(&event.received) {
                step[index(*input)] = ty.encode(value)?;
            }
            let sort = step[index(self.edge)].sort();
            step[index(self.edge)] = model::value::Value::new(sort, event.edge as u128);
            step[index(self.delay.0)] = self.delay.1.encode(&Value::number(event.delay.clone()))?;
            inputs.push(step);
        }
        Some(Trace { start: Start::Initial(initial), inputs })
    }
}

/// A chain in exact time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimedChain {
    /// The values of unknown data at the start.
    pub start: Vec<(VariableId, Value)>,
    /// What happens.
    pub events: Vec<Event>,
}

impl TimedChain {
    /// The time that it takes.
    pub fn time(&self) -> BigRational {
        self.events.iter().map(|event| &event.delay).sum()
    }
    /// The messages of the chain as the reference interpreter has them in dense time; none where it
    /// refuses an event.
    pub fn replay(&self, system: &System) -> Option<Vec<Vec<Value>>> {
        let mut unknown = |variable: VariableId| {
            let known = self.start.iter().find(|(known, _)| {
                // Variables of one file have the same numbers over ticks and in dense time.
                *known == variable
            });
            known.map_or(Value::Integer(0), |(_, value)| value.clone())
        };
        let mut state = crate::interpret::start(system, &mut unknown)?;
        let mut messages = Vec::new();
        for event in &self.events {
            let step = crate::interpret::step(system, &state, event.edge, &event.delay, &event.received)?;
            state = step.state;
            messages.push(step.message);
        }
        Some(messages)
    }
}

/// A fraction of 128 bits.
pub(crate) fn fraction(number: &BigRational) -> Option<Fraction> {
    let (upper, lower) = (number.numer().to_i128()?, number.denom().to_i128()?);
    (lower > 0).then(|| Fraction::new(upper, lower))
}

/// Reports that chains cannot be searched for.
fn unsupported(
    code: Code,
    place: spec::lexer::Extent,
    message: String,
    diagnostics: &mut Diagnostics,
) -> Reported {
    diagnostics.error(code, Some(place.span), message);
    Reported
}

impl Lowerer {
    /// A lowering of expressions where variables have the values of `current`.
    fn lowering<T>(
        &mut self,
        current: &[Option<TermId>],
        diagnostics: &mut Diagnostics,
        work: impl FnOnce(&mut Lowering<'_>) -> Parsed<T>,
    ) -> Parsed<T> {
        let none = self.pool().truth(false);
        let variables = |variable: VariableId, _| {
            current.get(model::id::Id::index(variable)).copied().flatten().unwrap_or(none)
        };
        work(&mut Lowering::new(&mut self.lowered.system.terms, &variables, diagnostics))
    }
}
