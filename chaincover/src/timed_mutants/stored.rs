//! Tests of a timed system that somebody has stored: the chains of a `chain.json`, recorded runs.

use crate::error::{Error, ErrorKind};
use crate::stored::read_stored;
use crate::timed::{placed, recorded};
use ::timed::conformance::Event;
use ::timed::conformance::replay::admitted;
use ::timed::judge::{JudgeError, Observed};
use ::timed::play::from_json;
use ::timed::smt::Solver;
use ::timed::system::System;
use harness::Time;
use serde_json::Value as Json;
use std::path::{Path, PathBuf};

/// The traces of some files: of a `chain.json` each of its chains, of a recorded run
/// (JSON lines) its messages.
///
/// # Errors
/// [`ErrorKind::Request`]: a file cannot be read, or has an event that the system does not allow
/// there.
pub(super) fn traces(
    paths: &[PathBuf],
    system: &System,
    solver: &mut Solver,
) -> Result<Vec<Vec<Event>>, Error> {
    let mut found = Vec::new();
    for path in paths {
        let is_result = path.extension().is_some_and(|ending| ending == "json");
        let traces = if is_result { of_result(path, system)? } else { vec![of_run(path, system)?] };
        for (index, events) in traces.into_iter().enumerate() {
            let count = admitted(system, &events, solver)?;
            if count < events.len() {
                let of = if is_result { format!("chain {}: ", index + 1) } else { String::new() };
                let why = format!("{of}event {} is none that `{}` allows there", count + 1, system.name);
                return Err(wrong(path, &why));
            }
            found.push(events);
        }
    }
    Ok(found)
}

fn wrong(path: &Path, why: &str) -> Error {
    Error::new(ErrorKind::Request, format!("{}: {why}", path.display()))
}

fn of_result(path: &Path, system: &System) -> Result<Vec<Vec<Event>>, Error> {
    let stored = read_stored(path)?;
    let chains = stored.chains.iter().enumerate().map(|(index, chain)| {
        let events = chain.events.iter().enumerate().map(|(at, event)| {
            let why = |why: String| wrong(path, &format!("chain {}, event {}: {why}", index + 1, at + 1));
            let delay = Time::parse(&event.delay).ok_or_else(|| why(format!("`{}` is no time", event.delay)));
            of_message(system, &event.channel, &event.args, &delay?).map_err(why)
        });
        events.collect()
    });
    chains.collect()
}

fn of_run(path: &Path, system: &System) -> Result<Vec<Event>, Error> {
    let observed = recorded(path)?;
    let messages = observed.iter().map_while(|(line, one)| Some((*line, one, one.channel.as_ref()?)));
    let event = |(line, one, channel): (usize, &Observed, &String)| {
        let event = of_message(system, channel, &one.args, &one.after);
        event.map_err(|why| placed(path, JudgeError::BadTrace { line, why }))
    };
    messages.map(event).collect()
}

fn of_message(system: &System, name: &str, args: &[Json], delay: &Time) -> Result<Event, String> {
    let position = system.channel_named(name).ok_or_else(|| format!("there is no channel `{name}`"))?;
    let types = &system.channels[position].args;
    if types.len() != args.len() {
        return Err(format!("`{name}` takes {} values, not {}", types.len(), args.len()));
    }
    let value = |(json, ty)| from_json(json, ty).ok_or_else(|| format!("{json} is no value of `{name}`"));
    let values = args.iter().zip(types.iter().map(Option::as_ref)).map(value).collect::<Result<_, _>>()?;
    Ok(Event { channel: position, delay: delay.value().clone(), values })
}
