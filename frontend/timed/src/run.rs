//! Running a test case against a system, and judging recorded runs: verdicts as reports.

use crate::judge::{Judge, JudgeError, Judgement, Observed, Rule, Side, TestFile};
use crate::smt::Solver;
use crate::testcase::Verdict;
use harness::{Broken, Event, Events, Reply, Report, Time};
use num_rational::BigRational;
use num_traits::ToPrimitive;
use serde_json::{Value as Json, json};

/// The verdict of a recorded run, whose events have their lines.
///
/// # Errors
/// If an event does not fit the test case, or the solver does not answer.
pub fn monitor(
    test: &TestFile,
    trace: &[(usize, Observed)],
    solver: &mut Solver,
) -> Result<Report, JudgeError> {
    let mut judge = Judge::new(test, solver);
    for (step, (line, observed)) in trace.iter().enumerate() {
        let judgement = judge.observe(observed).map_err(|error| match error {
            JudgeError::BadEvent(why) => JudgeError::BadTrace { line: *line, why },
            other => other,
        })?;
        if let Some(report) = report(judgement, step, observed) {
            return Ok(report);
        }
    }
    let mut report = Report::new(harness::Verdict::Inconclusive);
    report.step = Some(trace.len() as u64);
    report.reason = Some("the run ends before the test does".to_owned());
    Ok(report)
}

/// What a judgement says, where the test ends with it.
fn report(judgement: Judgement, step: usize, observed: &Observed) -> Option<Report> {
    let (kind, rule, reason) = match judgement {
        Judgement::GoesOn => return None,
        Judgement::Refused(reason) => (harness::Verdict::Inconclusive, "refused".to_owned(), reason),
        Judgement::Slack(reason) => (harness::Verdict::Inconclusive, "INC_slack".to_owned(), reason),
        Judgement::Verdict { verdict, rule } => {
            let kind = match verdict {
                Verdict::Pass => harness::Verdict::Pass,
                verdict if verdict.is_fail() => harness::Verdict::Fail,
                _ => harness::Verdict::Inconclusive,
            };
            (kind, verdict.name().to_owned(), format!("by rule {rule}: {}", meaning(verdict)))
        }
    };
    let mut report = Report::new(kind);
    report.step = Some(step as u64);
    report.rule = Some(rule);
    report.reason = Some(reason);
    report.observed = Some(observed.to_json());
    Some(report)
}

/// What a verdict means, in words.
pub fn meaning(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "the last event of the purpose was observed",
        Verdict::IncOut => "the specification allows this output, but the purpose takes another way",
        Verdict::IncUcInSpec => "others sent what the specification knows, but the purpose takes another way",
        Verdict::IncUcInUspec => "others sent what the specification does not know here",
        Verdict::IncDur => "the specification allows this silence, or an event may yet come",
        Verdict::FailOut => "the specification does not allow this output at this time",
        Verdict::FailDur => "the specification does not allow this silence",
    }
}

/// Runs a test case against a system, in the time that the system tells. Stimuli come as early and
/// with values as small as possible, or, with a source of random numbers below a bound, otherwise.
/// `slack` is how far the stamps of a run in real time may be wrong.
///
/// # Errors
/// If an event does not fit the test case, or the solver does not answer. A system that cannot be
/// used is a verdict.
pub fn run(
    test: &TestFile,
    sut: &mut dyn Events,
    solver: &mut Solver,
    slack: Option<&Time>,
    random: Option<Source<'_>>,
) -> Result<(Report, Vec<Observed>), JudgeError> {
    let mut trace = Vec::new();
    let mut judge = Judge::new(test, solver).with_slack(slack.cloned());
    let report = go_on(&mut judge, &mut trace, sut, random)?;
    Ok((settled(report, sut, trace.len()), trace))
}

/// Tells the test case that goes on behind transitions, by their names; none where there is none.
pub type Grown<'g, E> = &'g mut dyn FnMut(&[String]) -> Result<Option<TestFile>, E>;

/// Runs a test case that goes on behind deviations: outputs and uncontrollable inputs that the
/// specification allows, but not the path. `grown` has the test case that goes on behind the
/// transitions taken, which it gets by their names, and is else the same; or none.
///
/// # Errors
/// As for [`run`], or those of `grown`.
pub fn run_on<E: From<JudgeError>>(
    mut test: TestFile,
    sut: &mut dyn Events,
    solver: &mut Solver,
    mut random: Option<Source<'_>>,
    grown: Grown<'_, E>,
) -> Result<(Report, Vec<Observed>), E> {
    let mut trace: Vec<Observed> = Vec::new();
    loop {
        let mut judge = Judge::new(&test, solver);
        let mut ended = None;
        for (step, observed) in trace.iter().enumerate() {
            ended = report(judge.observe(observed)?, step, observed);
            if ended.is_some() {
                break;
            }
        }
        let report = match ended {
            Some(report) => report,
            None => go_on(&mut judge, &mut trace, sut, borrowed(&mut random))?,
        };
        let verdict = report.rule.as_deref().and_then(Verdict::of);
        let next = match verdict.is_some_and(Verdict::is_deviation) {
            true => grown(judge.taken())?,
            false => None,
        };
        match next {
            Some(next) => test = next,
            None => return Ok((settled(report, sut, trace.len()), trace)),
        }
    }
}

/// The report of a run at its end: that the system has said more than it was asked comes first.
fn settled(report: Report, sut: &mut dyn Events, steps: usize) -> Report {
    match report.verdict {
        harness::Verdict::Error => report,
        _ => sut.end().err().map_or(report, |broken| broken_report(&broken, steps)),
    }
}

/// Runs a test until its end. Where nothing was observed yet, the system starts anew.
fn go_on(
    judge: &mut Judge<'_, '_>,
    trace: &mut Vec<Observed>,
    sut: &mut dyn Events,
    mut random: Option<Source<'_>>,
) -> Result<Report, JudgeError> {
    let mut first = None;
    if trace.is_empty() {
        // In real time the system need not wait until the tester has made up his mind.
        first = match judge.stimulation() {
            Some((rule, _)) => Some(judge.choose(rule, borrowed(&mut random), &Time::default())?),
            None => None,
        };
        if let Err(broken) = sut.reset() {
            return Ok(broken_report(&broken, 0));
        }
    }
    loop {
        let observed = match judge.stimulation() {
            Some((rule, channel)) => {
                let chosen = match first.take() {
                    Some(chosen) => chosen,
                    None => in_time(judge, rule, borrowed(&mut random), sut)?,
                };
                let Some((after, values)) = chosen else {
                    let mut report = Report::new(harness::Verdict::Inconclusive);
                    report.reason = Some("the purpose cannot be reached any more".to_owned());
                    return Ok(report);
                };
                stimulate(sut, channel, &after, judge.args(channel, &values))
            }
            None => watch(sut, &judge.patience()),
        };
        let observed = match observed {
            Ok(observed) => observed,
            Err(broken) => return Ok(broken_report(&broken, trace.len())),
        };
        let judgement = match judge.observe(&observed) {
            // What a system sends is well formed, or it cannot be used.
            Err(JudgeError::BadEvent(why)) if observed.from == Some(Side::System) => {
                let line = observed.to_json().to_string();
                return Ok(broken_report(&Broken::IllFormed { line, why }, trace.len()));
            }
            judgement => judgement?,
        };
        trace.push(observed.clone());
        if let Some(report) = report(judgement, trace.len() - 1, &observed) {
            return Ok(report);
        }
    }
}

/// A source of random numbers below a bound.
pub type Source<'r> = &'r mut dyn FnMut(u64) -> u64;

fn borrowed<'r>(random: &'r mut Option<Source<'_>>) -> Option<Source<'r>> {
    random.as_mut().map(|random| &mut **random as Source<'r>)
}

/// A stimulation that is not in the past yet: in real time, choosing takes time as well.
fn in_time(
    judge: &mut Judge<'_, '_>,
    rule: &Rule,
    random: Option<Source<'_>>,
    sut: &dyn Events,
) -> Result<Option<(Time, Vec<BigRational>)>, JudgeError> {
    let chosen = judge.choose(rule, random, &Time::default())?;
    let (Some((after, _)), Some(now)) = (&chosen, sut.elapsed()) else { return Ok(chosen) };
    if *after >= now {
        return Ok(chosen);
    }
    // The next choice may take as long as this one did.
    let two = BigRational::from_integer(2.into());
    judge.choose(rule, None, &Time::new(now.value() * two).unwrap_or_default())
}

fn stimulate(sut: &mut dyn Events, channel: &str, after: &Time, args: Vec<Json>) -> Result<Observed, Broken> {
    let given = |args: Vec<Json>, after: Time| Observed {
        channel: Some(channel.to_owned()),
        args,
        after,
        from: Some(Side::Tester),
    };
    let event = Event { name: channel.to_owned(), args: args.clone(), after: Some(after.clone()) };
    match sut.input(&event)? {
        Reply::Given(after) => Ok(given(args, after)),
        Reply::Accepted => Ok(given(args, after.clone())),
        Reply::Refused => Err(Broken::Refuses(format!("it does not take `{channel}`"))),
        Reply::Output(event) => by_then(event, after, sut),
        Reply::Quiet(_) => Err(Broken::Refuses("`quiet` is no answer to an input".to_owned())),
    }
}

fn watch(sut: &mut dyn Events, timeout: &Time) -> Result<Observed, Broken> {
    match sut.watch(Some(timeout))? {
        Reply::Output(event) => by_then(event, timeout, sut),
        Reply::Quiet(Some(silence)) if silence < *timeout => Err(Broken::IllFormed {
            line: json!({ "quiet": silence.to_string() }).to_string(),
            why: format!("it was to wait for {timeout}"),
        }),
        Reply::Quiet(_) => {
            Ok(Observed { channel: None, args: Vec::new(), after: timeout.clone(), from: None })
        }
        Reply::Accepted | Reply::Given(_) | Reply::Refused => {
            Err(Broken::Refuses("`out` or `quiet` is the answer to `watch`".to_owned()))
        }
    }
}

/// An output that came while the system was asked for no more time than this. In real time we have
/// stamped it ourselves.
fn by_then(event: Event, limit: &Time, sut: &dyn Events) -> Result<Observed, Broken> {
    let is_late = event.after.as_ref().is_some_and(|after| after > limit) && sut.elapsed().is_none();
    let observed = observed(event);
    match is_late {
        true => Err(Broken::IllFormed {
            line: observed.to_json().to_string(),
            why: format!("it was given {limit} of time"),
        }),
        false => Ok(observed),
    }
}

fn observed(event: Event) -> Observed {
    let after = event.after.unwrap_or_default();
    Observed { channel: Some(event.name), args: event.args, after, from: Some(Side::System) }
}

/// A number as the protocol has it: an integer, or a text.
pub(crate) fn value_json(value: &BigRational) -> Json {
    match value.to_integer().to_i64() {
        Some(integer) if value.is_integer() => json!(integer),
        _ => json!(value.to_string()),
    }
}

fn broken_report(broken: &Broken, step: usize) -> Report {
    let mut report = Report::new(harness::Verdict::Error);
    report.step = Some(step as u64);
    report.reason = Some(broken.to_string());
    report
}
