//! Runs that simulators of hardware record: VCD (IEEE 1364 value change dump).
//!
//! A dump has times, and an interface has steps, so somebody has to say which times are steps: the
//! rising edges of a clock, where the values just before the edge count (those that registers take
//! over), or equal periods from the first time on, where the last values in each period count.
//!
//! A variable of the interface is the one variable of the dump whose path ends in its name. Bits
//! that are unknown (`x`, `z`) make an output unknown; of an input they are an error.

use crate::interface::Interface;
use crate::log::{LogError, look_at_limit};
use crate::semantics::{Valuation, id_index};
use crate::syntax::Role;
use crate::values::from_text;
use ::vcd::{Command, IdCode, Parser, Scope, ScopeItem, TimescaleUnit, Value as Bit};
use frontend::limit::Limit;
use rustc_hash::FxHashMap;
use spec::scope::VariableId;
use spec::types::Type;
use spec::value::Value;

/// How a dump is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sampling {
    /// The steps; none where the log is no dump.
    pub steps: Option<Steps>,
    /// Paths of variables of the dump, by the names of those of the interface.
    pub names: Vec<(String, String)>,
}

/// Which times are steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Steps {
    /// Each rising edge of this variable.
    Edges(String),
    /// Periods of that many femtoseconds.
    Periods(u128),
}

impl Steps {
    /// The periods of a text such as `10ns`.
    ///
    /// # Errors
    /// It is none.
    pub fn periods(text: &str) -> Result<Self, String> {
        let digits = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let unit = match unit.trim() {
            "fs" => 1,
            "ps" => 1_000,
            "ns" => 1_000_000,
            "us" => 1_000_000_000,
            "ms" => 1_000_000_000_000,
            "s" => FEMTOSECONDS,
            _ => return Err(format!("`{text}` is no time: write a number and fs, ps, ns, us, ms or s")),
        };
        let number: Option<u128> = number.parse().ok().filter(|number| *number > 0);
        let number = number.and_then(|number| number.checked_mul(unit));
        number.map(Self::Periods).ok_or_else(|| format!("`{text}` is no period"))
    }
}

/// Steps of a dump at most: periods may be much shorter than what was recorded.
const MOST_STEPS: usize = 10_000_000;

/// Bits of a number at most.
const LONGEST: usize = 126;

const FEMTOSECONDS: u128 = 1_000_000_000_000_000;

/// Whether a log is a dump: it begins with a command.
pub(crate) fn is_dump(text: &str) -> bool {
    text.trim_start().starts_with('$')
}

/// What a variable of the dump has as its value.
#[derive(Clone, Debug, PartialEq)]
enum Datum {
    /// Bits, highest first.
    Bits(Vec<Bit>),
    Real(f64),
    Text(String),
}

/// A variable of the dump.
#[derive(Clone, Debug)]
struct Listed {
    path: String,
    code: IdCode,
    /// Bits.
    size: u32,
}

/// A variable of the interface, and that of the dump that shows it.
struct Watched {
    id: VariableId,
    shown: Listed,
}

/// The steps of a dump.
///
/// # Errors
/// It does not parse, it is not said which times are steps, variables are missing or several, or a
/// value is none of its variable.
pub(crate) fn parse(
    interface: &Interface,
    text: &str,
    sampling: &Sampling,
    limit: &Limit,
) -> Result<Vec<Valuation>, LogError> {
    let refuse = |why: String| LogError::Dump(why);
    let Some(steps) = &sampling.steps else {
        let why =
            "the log has times, and not steps: say which times are steps (--clock SIGNAL or --every TIME)";
        return Err(refuse(why.to_owned()));
    };
    let mut parser = Parser::new(text.as_bytes());
    let header = parser.parse_header().map_err(|error| refuse(error.to_string()))?;
    let mut listed = Vec::new();
    list(&header.items, "", &mut listed);
    let watched = watched(interface, &listed, sampling)?;
    let mut sampler = match steps {
        Steps::Edges(clock) => Sampler::Edges { clock: the_one(&listed, clock, clock)?.code, was_low: false },
        Steps::Periods(period) => {
            let (count, unit) = header.timescale.unwrap_or((1, TimescaleUnit::S));
            let tick = FEMTOSECONDS / u128::from(unit.divisor()) * u128::from(count);
            Sampler::Periods { tick, period: *period, first: None, next: 0 }
        }
    };
    let mut now: FxHashMap<IdCode, Datum> = FxHashMap::default();
    // Changes at one time happen together: the values before them are those that count at an edge.
    let mut pending: Vec<(IdCode, Datum)> = Vec::new();
    let mut found = Vec::new();
    let mut last = None;
    for (number, command) in (&mut parser).enumerate() {
        look_at_limit(number, limit)?;
        let change = match command.map_err(|error| refuse(error.to_string()))? {
            Command::Timestamp(time) => {
                if last.is_some_and(|last| time < last) {
                    return Err(refuse(format!("the time goes back to {time}")));
                }
                if last != Some(time) {
                    sampler.changes(&mut pending, &mut now, |now| {
                        found.push(step(interface, &watched, now, found.len())?);
                        Ok(())
                    })?;
                    sampler.arrives(time, || {
                        found.push(step(interface, &watched, &now, found.len())?);
                        Ok(())
                    })?;
                }
                last = Some(time);
                continue;
            }
            Command::ChangeScalar(code, bit) => (code, Datum::Bits(vec![bit])),
            Command::ChangeVector(code, bits) => (code, Datum::Bits(bits.iter().collect())),
            Command::ChangeReal(code, number) => (code, Datum::Real(number)),
            Command::ChangeString(code, text) => (code, Datum::Text(text)),
            _ => continue,
        };
        pending.push(change);
    }
    // A time at which nothing changes may be the end of the simulation: no period begins there.
    let is_begun = !pending.is_empty() || last.is_some_and(|last| sampler.is_within(last));
    sampler.changes(&mut pending, &mut now, |now| {
        found.push(step(interface, &watched, now, found.len())?);
        Ok(())
    })?;
    if let Sampler::Periods { first: Some(_), .. } = sampler
        && (is_begun || found.is_empty())
    {
        found.push(step(interface, &watched, &now, found.len())?);
    }
    if found.is_empty() {
        let why = match steps {
            Steps::Edges(clock) => format!("`{clock}` never rises: the log has no steps"),
            Steps::Periods(_) => "the log has no times, so it has no steps".to_owned(),
        };
        return Err(refuse(why));
    }
    Ok(found)
}

/// Says when a step is over.
enum Sampler {
    Edges {
        clock: IdCode,
        was_low: bool,
    },
    Periods {
        /// Femtoseconds of a unit of time.
        tick: u128,
        period: u128,
        first: Option<u128>,
        /// The number of the period that is not over yet.
        next: u128,
    },
}

impl Sampler {
    /// Takes over the changes of one time; a rising edge among them ends a step with the values
    /// before them.
    fn changes(
        &mut self,
        pending: &mut Vec<(IdCode, Datum)>,
        now: &mut FxHashMap<IdCode, Datum>,
        mut end: impl FnMut(&FxHashMap<IdCode, Datum>) -> Result<(), LogError>,
    ) -> Result<(), LogError> {
        if let Self::Edges { clock, was_low } = self {
            let level = pending.iter().rev().find(|(code, _)| code == clock).map(|(_, datum)| datum.clone());
            if let Some(Datum::Bits(bits)) = level {
                let is_high = bits.last() == Some(&Bit::V1);
                if is_high && *was_low {
                    end(now)?;
                }
                *was_low = bits.last() == Some(&Bit::V0);
            }
        }
        now.extend(pending.drain(..));
        Ok(())
    }
    /// Takes note of a time; periods that are over by then end steps.
    fn arrives(&mut self, time: u64, mut end: impl FnMut() -> Result<(), LogError>) -> Result<(), LogError> {
        let Self::Periods { tick, period, first, next } = self else { return Ok(()) };
        let time = u128::from(time) * *tick;
        let begin = *first.get_or_insert(time);
        if (time - begin) / *period > MOST_STEPS as u128 {
            return Err(too_many());
        }
        while begin + (*next + 1) * *period <= time {
            end()?;
            *next += 1;
        }
        Ok(())
    }
    /// Whether a time is behind the begin of the period that is not over yet.
    fn is_within(&self, time: u64) -> bool {
        let Self::Periods { tick, period, first: Some(first), next } = self else { return false };
        u128::from(time) * tick > first + next * period
    }
}

/// All variables with their paths.
fn list(items: &[ScopeItem], path: &str, found: &mut Vec<Listed>) {
    for item in items {
        match item {
            ScopeItem::Var(variable) => {
                let path = joined(path, &variable.reference);
                found.push(Listed { path, code: variable.code, size: variable.size });
            }
            ScopeItem::Scope(Scope { identifier, items, .. }) => {
                list(items, &joined(path, identifier), found)
            }
            _ => {}
        }
    }
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// The variable whose path is, or ends in, some components. Several that are one signal are one.
fn the_one<'l>(listed: &'l [Listed], wanted: &str, name: &str) -> Result<&'l Listed, LogError> {
    let fits: Vec<&Listed> = listed.iter().filter(|one| ends_in(&one.path, wanted)).collect();
    let exact = fits.iter().find(|one| one.path == wanted);
    match (exact, &fits[..]) {
        (Some(exact), _) => Ok(exact),
        (None, []) => Err(LogError::Dump(format!("the log has no variable `{wanted}`"))),
        (None, [first, rest @ ..]) if rest.iter().all(|other| other.code == first.code) => Ok(first),
        (None, _) => {
            let paths: Vec<&str> = fits.iter().take(4).map(|one| one.path.as_str()).collect();
            Err(LogError::Dump(format!(
                "several variables are called `{wanted}`: {}; name one (--map {name}=PATH)",
                paths.join(", ")
            )))
        }
    }
}

/// Whether a path ends in some components.
fn ends_in(path: &str, wanted: &str) -> bool {
    path.strip_suffix(wanted).is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

/// The variables of the interface that are seen in the dump. Outputs may be missing.
fn watched(interface: &Interface, listed: &[Listed], sampling: &Sampling) -> Result<Vec<Watched>, LogError> {
    let named = |id: VariableId| interface.scope.variable(id).name.as_str();
    if let Some((unknown, _)) =
        sampling.names.iter().find(|(name, _)| !interface.observable().any(|id| named(id) == name))
    {
        return Err(LogError::Dump(format!("the interface has no input or output `{unknown}`")));
    }
    let mut found = Vec::new();
    for id in interface.observable() {
        let name = named(id);
        let mapped = sampling.names.iter().find(|(known, _)| known == name).map(|(_, path)| path.as_str());
        let is_there = mapped.is_some() || listed.iter().any(|one| ends_in(&one.path, name));
        if !is_there && interface.roles[id] == Role::Input {
            return Err(LogError::Dump(format!(
                "the log has no variable for the input `{name}`; name one (--map {name}=PATH)"
            )));
        }
        if is_there {
            let shown = the_one(listed, mapped.unwrap_or(name), name)?.clone();
            found.push(Watched { id, shown });
        }
    }
    Ok(found)
}

fn too_many() -> LogError {
    LogError::Dump(format!("the log has more than {MOST_STEPS} steps: is the period too short?"))
}

/// The values of a step.
fn step(
    interface: &Interface,
    watched: &[Watched],
    now: &FxHashMap<IdCode, Datum>,
    number: usize,
) -> Result<Valuation, LogError> {
    if number >= MOST_STEPS {
        return Err(too_many());
    }
    let mut values: Valuation = vec![None; interface.roles.len()];
    for Watched { id, shown: Listed { path, code, size } } in watched {
        let variable = interface.scope.variable(*id);
        let is_input = interface.roles[*id] == Role::Input;
        let told = |what: &str| {
            LogError::Dump(format!(
                "step {number}: {what} of `{path}` is no value of `{}`: {}",
                variable.name, variable.ty
            ))
        };
        let datum = now.get(code);
        let known = match datum {
            Some(datum) => value(&variable.ty, datum, *size).map_err(|what| told(&what))?,
            None => None,
        };
        if known.is_none() && is_input {
            let why = format!(
                "step {number}: the input `{}` is unknown: `{path}` has no value yet, or unknown bits",
                variable.name
            );
            return Err(LogError::Dump(why));
        }
        values[id_index(*id)] = known;
    }
    Ok(values)
}

/// The value of a type that a datum stands for; none where bits are unknown.
fn value(ty: &Type, datum: &Datum, size: u32) -> Result<Option<Value>, String> {
    let number = match datum {
        Datum::Text(text) => return from_text(ty, text).map(Some).ok_or_else(|| format!("the text {text}")),
        Datum::Real(real) => {
            let text = real.to_string();
            return from_text(ty, &text).map(Some).ok_or(text);
        }
        Datum::Bits(bits) => {
            if bits.iter().any(|bit| matches!(bit, Bit::X | Bit::Z)) {
                return Ok(None);
            }
            if bits.len() > LONGEST {
                return Err(format!("a vector of more than {LONGEST} bits"));
            }
            // Leading zeros may be left out, also where the first bit that is written is 1.
            let is_whole = bits.len() == size as usize;
            let is_signed = ty.range().is_some_and(|range| range.lo() < 0) && is_whole && size > 1;
            let sum = bits.iter().fold(0_i128, |sum, bit| 2 * sum + i128::from(*bit == Bit::V1));
            let is_negative = is_signed && bits.first() == Some(&Bit::V1);
            if is_negative { sum - (1 << bits.len()) } else { sum }
        }
    };
    let told = number.to_string();
    match ty {
        Type::Bool => match number {
            0 | 1 => Ok(Some(Value::Bool(number == 1))),
            _ => Err(told),
        },
        Type::Enum(enumeration) => match u32::try_from(number) {
            Ok(position) if (position as usize) < enumeration.names.len() => {
                Ok(Some(Value::Enumerator(position)))
            }
            _ => Err(told),
        },
        // Bits do not say where the point is.
        ty if ty.range().is_some_and(|range| !range.step().is_integer()) => Err(format!("the vector {told}")),
        _ => Ok(Some(Value::Integer(number))),
    }
}
