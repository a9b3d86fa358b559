//! A process in real time: it writes outputs when they come, and the tester's clock stamps them.

use crate::message::{self, Event, Reply};
use crate::process::{Lines, Running};
use crate::system::{Broken, Events};
use crate::time::Time;
use frontend::limit::Limit;
use num_rational::BigRational;
use num_traits::ToPrimitive;
use std::time::{Duration, Instant};

/// A system under test behind a command of the shell, in real time.
///
/// A reset has an answer, inputs have none. Lines that the process writes are outputs; what they
/// say of times is not read.
#[derive(Debug)]
pub struct Live {
    command: String,
    limit: Duration,
    unit: Duration,
    running: Option<Running>,
    /// When the last event was.
    last: Instant,
}

impl Live {
    /// A system that is started by a command of the shell at the first reset; `limit` is the time
    /// for the answer to a reset, `unit` the length of a unit of time.
    pub fn new(command: impl Into<String>, limit: Duration, unit: Duration) -> Self {
        Self { command: command.into(), limit, unit, running: None, last: Instant::now() }
    }
    /// The real length of a time; as long as can be where it is too long.
    fn real(&self, time: &Time) -> Duration {
        let nanos = time.value() * BigRational::from_integer(self.unit.as_nanos().into());
        Duration::from_nanos(nanos.ceil().to_integer().to_u64().unwrap_or(u64::MAX))
    }
    /// The time since the last event, which is that of this moment from now on.
    fn stamp(&mut self, moment: Instant) -> Time {
        let time = self.since(moment);
        self.last = self.last.max(moment);
        time
    }
    /// The time from the last event to a moment.
    fn since(&self, moment: Instant) -> Time {
        let nanos = moment.saturating_duration_since(self.last).as_nanos();
        let units = BigRational::new(nanos.into(), self.unit.as_nanos().max(1).into());
        Time::new(units).unwrap_or_default()
    }
    /// The first output before a moment.
    fn output(&mut self, until: Instant) -> Result<Option<Event>, Broken> {
        let Some(running) = &mut self.running else {
            return Err(Broken::NotStarted("it was not reset since it broke".to_owned()));
        };
        let Some((line, moment)) = running.line(until.saturating_duration_since(Instant::now()))? else {
            return Ok(None);
        };
        let answer = message::answer(&line)?;
        match message::reply(&answer, false)? {
            Reply::Output(event) => Ok(Some(Event { after: Some(self.stamp(moment)), ..event })),
            Reply::Refused => Err(Broken::Refuses("it does not take an input".to_owned())),
            Reply::Accepted | Reply::Given(_) | Reply::Quiet(_) => Err(Broken::IllFormed {
                line,
                why: "in real time outputs are all that is written".to_owned(),
            }),
        }
    }
    /// Ends the process where it cannot be used any more.
    fn kept<T>(&mut self, result: Result<T, Broken>) -> Result<T, Broken> {
        if result.is_err() {
            self.running = None;
        }
        result
    }
    fn begin(&mut self) -> Result<(), Broken> {
        // Late outputs of the run before are not to be taken for those of this one.
        self.running = None;
        let started = Running::start(&self.command, Lines::Free);
        let mut running = started.map_err(|error| Broken::NotStarted(error.to_string()))?;
        let answer = running
            .ask(&message::reset(), self.limit, &Limit::default())
            .and_then(|line| message::answer(&line))?;
        message::acknowledged(&answer)?;
        self.last = Instant::now();
        self.running = Some(running);
        Ok(())
    }
}

impl Events for Live {
    fn reset(&mut self) -> Result<(), Broken> {
        self.begin()
    }
    fn input(&mut self, event: &Event) -> Result<Reply, Broken> {
        let after = event.after.clone().unwrap_or_default();
        let until = self.last.checked_add(self.real(&after)).unwrap_or(self.last);
        let output = self.output(until);
        if let Some(event) = self.kept(output)? {
            return Ok(Reply::Output(event));
        }
        if let Some(running) = &mut self.running {
            running.tell(&message::input(&Event { after: None, ..event.clone() }));
        }
        Ok(Reply::Given(self.stamp(Instant::now())))
    }
    fn elapsed(&self) -> Option<Time> {
        Some(self.since(Instant::now()))
    }
    fn watch(&mut self, time: Option<&Time>) -> Result<Reply, Broken> {
        let time = time.cloned().unwrap_or_default();
        let until = self.last.checked_add(self.real(&time)).unwrap_or(self.last);
        let output = self.output(until);
        Ok(match self.kept(output)? {
            Some(event) => Reply::Output(event),
            None => Reply::Quiet(Some(time)),
        })
    }
}
