//! Judging runs by an exported test case: nothing else of the specification is needed.
//!
//! Each guard is a script; the values of the trace so far are added, and the solver is asked.
//!
//! The stamps of a run in real time are wrong by some slack. An event is a failure only if no times
//! within the slack explain it together with all events before; where only other times than those
//! of the stamps do, the test goes on, and cannot pass any more (`INC_slack`).

use crate::run::value_json;
use crate::smt::{Answer, SmtError, Solver, symbol};
use crate::symbolic::{Sort, number};
use crate::testcase::Verdict;
use crate::write::SCHEMA;
use harness::Time;
use num_rational::BigRational;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// A transition of a test case as its file has it.
#[derive(Clone, Debug)]
pub struct Rule {
    from: String,
    /// Its rule, such as `R5`.
    pub rule: String,
    channel: Option<String>,
    /// The symbol of the time before the event.
    pub duration: String,
    /// The symbols of the values of the message.
    pub values: Vec<String>,
    /// The guard.
    pub script: String,
    to: String,
    verdict: Option<Verdict>,
    /// The transition of the system that it follows, where it is one.
    place: Option<String>,
}

/// A channel of a test case as its file has it.
#[derive(Clone, Debug)]
pub struct Line {
    name: String,
    /// Whether the tester sends on it.
    pub is_stimulus: bool,
    is_uncontrollable: bool,
    /// Enumerators of each value that is one.
    enumerators: Vec<Vec<String>>,
    /// The sort of each value, as the guards declare it; empty where no rule is of the channel.
    sorts: Vec<Sort>,
}

/// A test case that was read.
#[derive(Clone, Debug)]
pub struct TestFile {
    /// The purpose.
    pub purpose: String,
    /// How long to wait for an event.
    pub timeout: Time,
    channels: Vec<Line>,
    rules: Vec<Rule>,
}

/// An observation: a message with the time before it, or silence.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    /// The channel; none: silence.
    pub channel: Option<String>,
    /// The values of the message.
    pub args: Vec<Json>,
    /// The time since the event before, or of the silence.
    pub after: Time,
    /// Who has sent the message, where that is told.
    pub from: Option<Side>,
}

/// Who sends messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The tester.
    Tester,
    /// The system, or others whose messages to it can be seen.
    System,
}

/// What an observation came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// The test goes on.
    GoesOn,
    /// The test ends.
    Verdict {
        /// The verdict.
        verdict: Verdict,
        /// The rule that gave it.
        rule: String,
    },
    /// A stimulation that is none of this test case.
    Refused(String),
    /// The test ends, and what the stamps say may be due to their slack.
    Slack(String),
}

/// Why there is no judgement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JudgeError {
    /// The file is no test case.
    #[error("this is no test case: {0}")]
    NoTestCase(String),
    /// A line of a trace is none.
    #[error("line {line}: {why}")]
    BadTrace {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// An event does not fit the channels of the test case.
    #[error("{0}")]
    BadEvent(String),
    /// The solver does not answer.
    #[error(transparent)]
    Smt(#[from] SmtError),
}

impl TestFile {
    /// Reads a test case.
    ///
    /// # Errors
    /// If the text is none.
    pub fn read(text: &str) -> Result<Self, JudgeError> {
        let wrong = |why: &str| JudgeError::NoTestCase(why.to_owned());
        let json: Json =
            serde_json::from_str(text).map_err(|error| JudgeError::NoTestCase(error.to_string()))?;
        if json["schema"] != SCHEMA {
            return Err(wrong(&format!("its `schema` is not `{SCHEMA}`")));
        }
        let timeout = json["timeout"].as_str().and_then(Time::parse).ok_or_else(|| wrong("no `timeout`"))?;
        let list = |key: &str| json[key].as_array().cloned().ok_or_else(|| wrong(&format!("no `{key}`")));
        let channels = list("channels")?.iter().map(line).collect::<Option<_>>();
        let rules = list("transitions")?.iter().map(rule).collect::<Option<_>>();
        let rules: Vec<Rule> = rules.ok_or_else(|| wrong("an entry of `transitions` lacks a key"))?;
        let mut channels: Vec<Line> = channels.ok_or_else(|| wrong("an entry of `channels` lacks a key"))?;
        for channel in &mut channels {
            let rule = rules.iter().find(|rule| rule.channel.as_ref() == Some(&channel.name));
            channel.sorts = rule.map(Rule::sorts).unwrap_or_default();
        }
        let purpose = json["purpose"].as_str().unwrap_or_default().to_owned();
        Ok(Self { purpose, timeout, channels, rules })
    }
    /// The channel of a name.
    pub fn channel(&self, name: &str) -> Option<&Line> {
        self.channels.iter().find(|channel| channel.name == name)
    }
}

fn text(json: &Json, key: &str) -> Option<String> {
    json.get(key)?.as_str().map(str::to_owned)
}

fn line(json: &Json) -> Option<Line> {
    let direction = text(json, "direction")?;
    let names = |arg: &Json| {
        let names =
            arg.as_array().map(|names| names.iter().filter_map(Json::as_str).map(str::to_owned).collect());
        names.unwrap_or_default()
    };
    Some(Line {
        name: text(json, "name")?,
        is_stimulus: direction == "input",
        is_uncontrollable: direction == "uncontrollable",
        enumerators: json.get("args")?.as_array()?.iter().map(names).collect(),
        sorts: Vec::new(),
    })
}

impl Rule {
    /// The sorts of the values of its message.
    fn sorts(&self) -> Vec<Sort> {
        let declared = declared(&self.script);
        self.values.iter().map(|name| sort_of(&declared, name).unwrap_or(Sort::Real)).collect()
    }
}

impl Line {
    /// Values of a message as the protocol has them.
    pub fn args(&self, values: &[BigRational]) -> Vec<Json> {
        let one = |(position, value): (usize, &BigRational)| {
            let names = self.enumerators.get(position);
            let index = usize::try_from(value.to_integer()).ok();
            match (self.sorts.get(position), names.and_then(|names| names.get(index?))) {
                (Some(Sort::Bool), _) => json!(*value.numer() == 1.into()),
                (_, Some(name)) => json!(name),
                _ => value_json(value),
            }
        };
        values.iter().enumerate().map(one).collect()
    }
}

fn rule(json: &Json) -> Option<Rule> {
    let values = json.get("values")?.as_array().cloned().unwrap_or_default();
    let verdict = match json.get("verdict")? {
        Json::Null => None,
        name => Some(Verdict::of(name.as_str()?)?),
    };
    Some(Rule {
        from: text(json, "from")?,
        rule: text(json, "rule")?,
        channel: text(json, "channel"),
        duration: text(json, "duration")?,
        values: values.iter().map(|name| name.as_str().map(str::to_owned)).collect::<Option<_>>()?,
        script: text(json, "guard")?,
        to: text(json, "to")?,
        verdict,
        place: text(json, "place"),
    })
}

/// A run that is judged.
#[derive(Debug)]
pub struct Judge<'t, 'v> {
    test: &'t TestFile,
    solver: &'v mut Solver,
    state: String,
    /// Values of messages.
    fixed: BTreeMap<String, BigRational>,
    /// The symbols of the times between events, with what was measured.
    delays: Vec<(String, BigRational)>,
    slack: Option<Time>,
    /// Whether other times than the measured ones are needed to explain the run.
    is_shifted: bool,
    /// The state before a stimulation that was the last event.
    before_stimulation: Option<String>,
    /// The transitions of the system that were taken.
    taken: Vec<String>,
    /// Silence that was seen since the last event.
    quiet: BigRational,
}

/// What was observed as values of symbols.
struct Seen {
    values: Vec<BigRational>,
    after: BigRational,
}

impl<'t, 'v> Judge<'t, 'v> {
    /// A judge at the beginning of a run.
    pub fn new(test: &'t TestFile, solver: &'v mut Solver) -> Self {
        Self {
            test,
            solver,
            state: "ec0".to_owned(),
            fixed: BTreeMap::new(),
            delays: Vec::new(),
            slack: None,
            is_shifted: false,
            before_stimulation: None,
            taken: Vec::new(),
            quiet: BigRational::default(),
        }
    }
    /// The same judge, of a run whose stamps may be wrong by so much.
    #[must_use]
    pub fn with_slack(self, slack: Option<Time>) -> Self {
        Self { slack, ..self }
    }
    /// The transitions of the system that were taken, by their names.
    pub fn taken(&self) -> &[String] {
        &self.taken
    }
    /// How long to wait for an event.
    pub fn patience(&self) -> Time {
        let slack = self.slack.clone().unwrap_or_default();
        Time::new(self.test.timeout.value() + slack.value()).unwrap_or_default()
    }
    fn rules(&self, wanted: impl Fn(&Rule) -> bool) -> Vec<&'t Rule> {
        self.test.rules.iter().filter(|rule| rule.from == self.state && wanted(rule)).collect()
    }
    /// Values of a message on a channel as the protocol has them.
    pub fn args(&self, channel: &str, values: &[BigRational]) -> Vec<Json> {
        self.test.channel(channel).map(|line| line.args(values)).unwrap_or_default()
    }
    /// The stimulation that the test case has here.
    pub fn stimulation(&self) -> Option<(&'t Rule, &'t str)> {
        let rule = self.rules(|rule| rule.rule == "R1").into_iter().next()?;
        Some((rule, rule.channel.as_deref()?))
    }

    /// Judges the next observation.
    ///
    /// # Errors
    /// If it does not fit the channels, or the solver does not answer.
    pub fn observe(&mut self, observed: &Observed) -> Result<Judgement, JudgeError> {
        let slack = self.slack.as_ref().map(|slack| slack.value().clone()).unwrap_or_default();
        let surely_after = observed.after.value() - slack;
        let is_late = surely_after >= *self.test.timeout.value();
        if surely_after == *self.test.timeout.value() && self.ends_silence(observed)? {
            return Ok(Judgement::Verdict { verdict: Verdict::IncDur, rule: "R8".to_owned() });
        }
        let Some(name) = observed.channel.as_ref().filter(|_| !is_late) else {
            // Silences that follow one another are one.
            self.quiet += observed.after.value();
            let silence = match observed.channel {
                None => Time::new(self.quiet.clone()).unwrap_or_default(),
                Some(_) => observed.after.clone(),
            };
            let is_over = silence >= self.test.timeout;
            return if is_over { self.silence(&silence) } else { Ok(Judgement::GoesOn) };
        };
        let channel = self.known(name, observed.from)?;
        if self.slack.is_none() && *observed.after.value() < self.quiet {
            let why = format!(
                "`{name}` is said to come {} behind the event before, but there was silence for {}",
                observed.after, self.quiet
            );
            return Err(JudgeError::BadEvent(why));
        }
        self.quiet = BigRational::default();
        let seen = Seen { values: values(channel, &observed.args)?, after: observed.after.value().clone() };
        let state = self.state.clone();
        if let Some(judgement) = self.explained(&state, name, &seen)? {
            self.before_stimulation = channel.is_stimulus.then_some(state);
            return Ok(judgement);
        }
        self.unexplained(channel, name, &seen)
    }
    /// The channel of a message that some side has sent.
    fn known(&self, name: &str, from: Option<Side>) -> Result<&'t Line, JudgeError> {
        let wrong = |why: String| Err(JudgeError::BadEvent(why));
        match (self.test.channel(name), from) {
            (None, _) => wrong(format!("there is no channel `{name}`")),
            (Some(channel), Some(Side::Tester)) if !channel.is_stimulus => {
                wrong(format!("`{name}` is no input of the tester"))
            }
            (Some(channel), Some(Side::System)) if channel.is_stimulus => {
                wrong(format!("`{name}` is an input of the tester, and not sent by the system"))
            }
            (Some(channel), _) => Ok(channel),
        }
    }
    /// Whether a message at the time-out is allowed there. Then there was silence before it, which is
    /// allowed too, and none at the time-out, which need not be.
    fn ends_silence(&mut self, observed: &Observed) -> Result<bool, JudgeError> {
        let Some(channel) = observed.channel.as_ref().and_then(|name| self.test.channel(name)) else {
            return Ok(false);
        };
        let seen = Seen { values: values(channel, &observed.args)?, after: observed.after.value().clone() };
        let state = self.state.clone();
        Ok(self.explained(&state, &channel.name, &seen)?.is_some())
    }
    /// The judgement of a message that rules of a state which do not fail explain.
    fn explained(&mut self, state: &str, name: &str, seen: &Seen) -> Result<Option<Judgement>, JudgeError> {
        let rules = self.test.rules.iter().filter(|rule| {
            let is_failure = rule.verdict.is_some_and(Verdict::is_fail);
            rule.from == *state && rule.channel.as_deref() == Some(name) && !is_failure
        });
        let rules: Vec<&Rule> = rules.collect();
        let exactly: &[bool] = if self.slack.is_some() { &[true, false] } else { &[true] };
        for (&is_exact, rule) in exactly.iter().flat_map(|exact| rules.iter().map(move |rule| (exact, rule)))
        {
            let (fixed, delays) = self.with(rule, seen);
            if self.holds(rule, &fixed, &delays, is_exact)? {
                (self.fixed, self.delays) = (fixed, delays);
                self.is_shifted |= !is_exact;
                return Ok(Some(self.follow(rule)));
            }
        }
        Ok(None)
    }
    /// The judgement of a message that no rule here explains but one that fails.
    fn unexplained(&mut self, channel: &Line, name: &str, seen: &Seen) -> Result<Judgement, JudgeError> {
        if channel.is_stimulus {
            let message = format!("`{name}` with these values is no stimulation of this test case here");
            return Ok(Judgement::Refused(message));
        }
        if channel.is_uncontrollable {
            // Values beyond the types of the channel: no rule speaks of them.
            let verdict = Verdict::IncUcInUspec;
            return Ok(Judgement::Verdict { verdict, rule: "R7".to_owned() });
        }
        if self.may_have_crossed(name, seen)? {
            let message =
                format!("`{name}` may have been sent before the stimulation that was stamped first");
            return Ok(Judgement::Slack(message));
        }
        let failing = self.rules(|rule| {
            rule.channel.as_deref() == Some(name) && rule.verdict.is_some_and(Verdict::is_fail)
        });
        for rule in failing {
            let (fixed, delays) = self.with(rule, seen);
            if self.holds(rule, &fixed, &delays, self.slack.is_none())? {
                return Ok(self.follow(rule));
            }
        }
        // Rules speak of integers only where the type has no others.
        let is_outside = |(value, sort): (&BigRational, &Sort)| *sort == Sort::Int && !value.is_integer();
        if seen.values.iter().zip(&channel.sorts).any(is_outside) {
            return Ok(Judgement::Verdict { verdict: Verdict::FailOut, rule: "R9".to_owned() });
        }
        Err(JudgeError::BadEvent(format!("no rule of the test case judges `{name}` here")))
    }
    /// Whether an output may have come before the stimulation that was the last event.
    fn may_have_crossed(&mut self, name: &str, seen: &Seen) -> Result<bool, JudgeError> {
        let (Some(slack), Some(before)) = (&self.slack, self.before_stimulation.clone()) else {
            return Ok(false);
        };
        if seen.after > slack.value() * BigRational::from_integer(2.into()) {
            return Ok(false);
        }
        let Some((_, stimulated)) = self.delays.pop() else { return Ok(false) };
        let seen = Seen { values: seen.values.clone(), after: &seen.after + stimulated };
        Ok(self.explained(&before, name, &seen)?.is_some())
    }
    /// Judges a silence until the time-out.
    fn silence(&mut self, after: &Time) -> Result<Judgement, JudgeError> {
        let until = after.min(&self.test.timeout).value().clone();
        let seen = Seen { values: Vec::new(), after: until };
        let mut rules = self.rules(|rule| rule.channel.is_none());
        // Where stamps may be wrong, failure needs that nothing else explains the silence.
        rules.sort_by_key(|rule| rule.verdict.is_some_and(Verdict::is_fail));
        let is_exact = self.slack.is_none();
        for rule in rules {
            let (fixed, delays) = self.with(rule, &seen);
            if self.holds(rule, &fixed, &delays, is_exact)? {
                return Ok(self.follow(rule));
            }
        }
        Err(JudgeError::BadEvent("no rule of the test case judges silence here".to_owned()))
    }
    /// The values and times of the run with those of an observation.
    fn with(&self, rule: &Rule, seen: &Seen) -> (BTreeMap<String, BigRational>, Vec<(String, BigRational)>) {
        let (mut fixed, mut delays) = (self.fixed.clone(), self.delays.clone());
        fixed.extend(rule.values.iter().cloned().zip(seen.values.iter().cloned()));
        delays.push((rule.duration.clone(), seen.after.clone()));
        (fixed, delays)
    }
    fn follow(&mut self, rule: &Rule) -> Judgement {
        self.state.clone_from(&rule.to);
        self.taken.extend(rule.place.clone());
        match rule.verdict {
            Some(Verdict::Pass) if self.is_shifted => {
                Judgement::Slack("the purpose was observed, at times that only the slack explains".to_owned())
            }
            Some(verdict) => Judgement::Verdict { verdict, rule: rule.rule.clone() },
            None => Judgement::GoesOn,
        }
    }
    fn holds(
        &mut self,
        rule: &Rule,
        fixed: &BTreeMap<String, BigRational>,
        delays: &[(String, BigRational)],
        is_exact: bool,
    ) -> Result<bool, JudgeError> {
        self.solver.push()?;
        self.solver.tell(&rule.script)?;
        self.fix(rule, fixed, delays, is_exact)?;
        let answer = self.solver.check()?;
        self.solver.pop()?;
        match answer {
            Answer::Sat => Ok(true),
            Answer::Unsat => Ok(false),
            Answer::Unknown => Err(SmtError::GaveUp(format!("{} applies", rule.rule)).into()),
        }
    }
    /// Asserts the values of messages that a rule reads, and the times between events: those that
    /// were measured, or all that differ from them by no more than the slack.
    fn fix(
        &mut self,
        rule: &Rule,
        fixed: &BTreeMap<String, BigRational>,
        delays: &[(String, BigRational)],
        is_exact: bool,
    ) -> Result<(), JudgeError> {
        let declared = declared(&rule.script);
        let sort_of = |name: &str| sort_of(&declared, name);
        let times = delays.iter().filter(|_| is_exact).map(|(name, value)| (name, value));
        for (name, value) in fixed.iter().chain(times) {
            if let Some(sort) = sort_of(name) {
                self.solver.assert(&equation(name, value, sort))?;
            }
        }
        let slack = self.slack.as_ref().filter(|_| !is_exact).map(|slack| slack.value().clone());
        let Some(slack) = slack else { return Ok(()) };
        let unknown: Vec<&str> =
            delays.iter().map(|(name, _)| name.as_str()).filter(|name| sort_of(name).is_none()).collect();
        self.solver.tell(&windows(delays, &unknown, &slack))?;
        Ok(())
    }
    /// Values of a stimulation: the earliest time, from `earliest` on, and the smallest values; or,
    /// with a source of random numbers, others. None where there are none.
    ///
    /// # Errors
    /// If the solver does not answer.
    pub fn choose(
        &mut self,
        rule: &Rule,
        random: Option<&mut dyn FnMut(u64) -> u64>,
        earliest: &Time,
    ) -> Result<Option<(Time, Vec<BigRational>)>, JudgeError> {
        self.solver.push()?;
        let chosen = self.choose_within(rule, random, earliest);
        self.solver.pop()?;
        chosen
    }
    fn choose_within(
        &mut self,
        rule: &Rule,
        mut random: Option<&mut dyn FnMut(u64) -> u64>,
        earliest: &Time,
    ) -> Result<Option<(Time, Vec<BigRational>)>, JudgeError> {
        self.solver.tell(&rule.script)?;
        let declared = declared(&rule.script);
        let sort_of = |name: &str| sort_of(&declared, name).unwrap_or(Sort::Real);
        let (fixed, delays) = (self.fixed.clone(), self.delays.clone());
        self.fix(rule, &fixed, &delays, !self.is_shifted)?;
        let limit = number(self.test.timeout.value(), Sort::Real);
        let earliest = number(earliest.value(), Sort::Real);
        self.solver.assert(&format!("(and (<= {earliest} {0}) (< {0} {limit}))", symbol(&rule.duration)))?;
        if self.solver.check()? != Answer::Sat {
            return Ok(None);
        }
        let mut chosen = Vec::new();
        for name in std::iter::once(&rule.duration).chain(&rule.values) {
            let value = self.smallest(name, sort_of(name), &mut random)?;
            let equation = equation(name, &value, sort_of(name));
            self.solver.assert(&equation)?;
            self.solver.check()?;
            chosen.push(value);
        }
        let values = chosen.split_off(1);
        Ok(chosen.pop().and_then(Time::new).map(|time| (time, values)))
    }
    /// The smallest value that bisection finds, or a random one that is possible.
    fn smallest(
        &mut self,
        name: &str,
        sort: Sort,
        random: &mut Option<&mut dyn FnMut(u64) -> u64>,
    ) -> Result<BigRational, JudgeError> {
        let written = symbol(name);
        let found = self.solver.values(std::slice::from_ref(&written))?.pop().unwrap_or_default();
        if sort == Sort::Bool {
            return Ok(found);
        }
        if let Some(random) = random {
            for _ in 0..8 {
                let wanted = BigRational::from_integer(random(128).into());
                let equation = equation(name, &wanted, sort);
                if self.solver.check_with([equation.as_str()])? == Answer::Sat {
                    return Ok(wanted);
                }
            }
            return Ok(found);
        }
        // Between 0 and what was found; below 0 only where there is nothing above.
        let zero = BigRational::default();
        if found < zero {
            return Ok(found);
        }
        let (mut low, mut high) = (zero - BigRational::from_integer(1.into()), found.ceil());
        let one = BigRational::from_integer(1.into());
        while &high - &low > one {
            let middle = ((&low + &high) / BigRational::from_integer(2.into())).floor();
            let between = format!("(<= 0 {written} {})", number(&middle, sort));
            let between = if sort == Sort::Real { between.replace("(<= 0 ", "(<= 0.0 ") } else { between };
            if self.solver.check_with([between.as_str()])? == Answer::Sat {
                high = middle;
            } else {
                low = middle;
            }
        }
        let equation = equation(name, &high, sort);
        let is_possible = self.solver.check_with([equation.as_str()])? == Answer::Sat;
        Ok(if is_possible { high } else { found })
    }
}

fn equation(name: &str, value: &BigRational, sort: Sort) -> String {
    let name = symbol(name);
    match sort {
        Sort::Int if !value.is_integer() => "false".to_owned(),
        Sort::Bool => format!("(= {name} {})", *value.numer() == 1.into()),
        sort => format!("(= {name} {})", number(value, sort)),
    }
}

/// That the times of events differ from their stamps by no more than the slack; the stamp of the
/// beginning is wrong by as much. `unknown` are symbols that are not declared.
fn windows(delays: &[(String, BigRational)], unknown: &[&str], slack: &BigRational) -> String {
    const BEGINNING: &str = "|beginning of the run|";
    let (least, most) = (number(&-slack, Sort::Real), number(slack, Sort::Real));
    let mut text = format!("(declare-const {BEGINNING} Real)\n(assert (<= {least} {BEGINNING} {most}))\n");
    for name in unknown {
        text += &format!("(declare-const {} Real)\n", symbol(name));
    }
    let (mut sum, mut measured) = (BEGINNING.to_owned(), BigRational::default());
    for (name, delay) in delays {
        measured += delay;
        sum = format!("(+ {sum} {})", symbol(name));
        let (from, to) = (number(&(&measured - slack), Sort::Real), number(&(&measured + slack), Sort::Real));
        text += &format!("(assert (>= {} 0.0))\n(assert (<= {from} {sum} {to}))\n", symbol(name));
    }
    text
}

/// The symbols that a script declares, as it writes them.
fn declared(script: &str) -> Vec<(String, Sort)> {
    let one = |line: &str| {
        let rest = line.strip_prefix("(declare-const ")?.strip_suffix(')')?;
        let (name, sort) = rest.rsplit_once(' ')?;
        let sort = [Sort::Bool, Sort::Int, Sort::Real].into_iter().find(|known| known.name() == sort)?;
        Some((name.to_owned(), sort))
    };
    script.lines().filter_map(one).collect()
}

/// The sort of a symbol that a script declares; none where it does not.
fn sort_of(declared: &[(String, Sort)], name: &str) -> Option<Sort> {
    let written = symbol(name);
    declared.iter().find(|(known, _)| *known == written).map(|(_, sort)| *sort)
}

/// The values of a message as numbers: truths as 0 and 1, enumerators as their positions.
fn values(channel: &Line, args: &[Json]) -> Result<Vec<BigRational>, JudgeError> {
    let wrong = |why: String| JudgeError::BadEvent(format!("`{}`: {why}", channel.name));
    if args.len() != channel.enumerators.len() {
        return Err(wrong(format!("{} values, not {}", channel.enumerators.len(), args.len())));
    }
    let value = |(position, arg): (usize, &Json)| {
        let names = &channel.enumerators[position];
        let is_truth = channel.sorts.get(position) == Some(&Sort::Bool);
        let (found, expected) = match arg {
            Json::Bool(value) if is_truth => (Some(BigRational::from_integer(u8::from(*value).into())), ""),
            _ if is_truth => (None, "true or false"),
            Json::String(text) if !names.is_empty() => {
                let position = names.iter().position(|name| name == text);
                (position.map(|position| BigRational::from_integer(position.into())), "an enumerator")
            }
            _ if !names.is_empty() => (None, "an enumerator"),
            Json::String(text) => (signed(text), "a number"),
            Json::Number(number) => (signed(&number.to_string()), "a number"),
            _ => (None, "a number"),
        };
        found.ok_or_else(|| wrong(format!("{arg} is not {expected}")))
    };
    args.iter().enumerate().map(value).collect()
}

fn signed(text: &str) -> Option<BigRational> {
    match text.strip_prefix('-') {
        Some(rest) => Some(-Time::parse(rest)?.value().clone()),
        None => Some(Time::parse(text)?.value().clone()),
    }
}

/// A trace: JSON lines of the protocol, requests and answers alike, or what `run` has printed; each
/// event with its line, from 1.
///
/// # Errors
/// If a line is none.
pub fn trace(text: &str) -> Result<Vec<(usize, Observed)>, JudgeError> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let wrong = |why: String| JudgeError::BadTrace { line: index + 1, why };
        let json: Json = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        let time = |key: &str| {
            let value = json.get(key).ok_or_else(|| wrong(format!("`{key}` is missing")))?;
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            Time::parse(&text).ok_or_else(|| wrong(format!("{value} is no time")))
        };
        let sides = [("in", Some(Side::Tester)), ("out", Some(Side::System)), ("event", None)];
        let said = sides.into_iter().find_map(|(key, from)| Some((json.get(key)?.as_str()?, from)));
        if said.is_some() && json.get("quiet").is_some() {
            return Err(wrong("a message and `quiet` at once".to_owned()));
        }
        if let Some((name, from)) = said {
            let args = json.get("args").and_then(Json::as_array).cloned().unwrap_or_default();
            let event = Observed { channel: Some(name.to_owned()), args, after: time("after")?, from };
            found.push((index + 1, event));
        } else if json.get("quiet").is_some() {
            let silence = Observed { channel: None, args: Vec::new(), after: time("quiet")?, from: None };
            found.push((index + 1, silence));
        } else if !["ok", "reset", "watch"].iter().any(|key| json.get(*key).is_some()) {
            return Err(wrong("neither `in`, `out`, `event` nor `quiet`".to_owned()));
        }
    }
    Ok(found)
}

impl Observed {
    /// The observation as a line of a trace.
    pub fn to_json(&self) -> Json {
        match &self.channel {
            Some(name) => json!({ "event": name, "args": self.args, "after": self.after.to_string() }),
            None => json!({ "quiet": self.after.to_string() }),
        }
    }
}
