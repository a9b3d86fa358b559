//! Running tests of action systems against systems under test.
//!
//! The test says what the tester does; the interpreter says, from the specification, what the
//! system may do.

use crate::error::{Error, ErrorKind};
use crate::mutants::mutant_named;
use actions::analysis::{self, Source};
use actions::interpret::{Machine, Refusal, Seen, States, TooMany};
use actions::player::{Player, arguments, value_json};
use actions::syntax::Kind;
use actions::values::Alphabet;
use frontend::limit::Limit;
use harness::{Broken, Event, Events, Process, Reply, Report, Verdict};
use report::mutation::{MutationFile, SCHEMA as MUTATIONS};
use report::test_tree::{Answer, SCHEMA as TEST, TestNode, TestTree};
use serde_json::{Value as Json, json};
use spec::value::Value;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What a test runs against, and how.
#[derive(Clone, Debug)]
pub struct ActionRun {
    /// A command of the shell that speaks the protocol, or an action system (`*.as`) that plays the
    /// system.
    pub sut: String,
    /// The mutant of that action system which plays in its place.
    pub mutant: Option<String>,
    /// Seed of its choices.
    pub seed: u64,
    /// Time for each answer.
    pub answer: Duration,
    /// When a command is not waited for any more.
    pub deadline: Option<Instant>,
}

/// Tests that were read, with their specification.
#[derive(Debug)]
pub struct ActionTests {
    tests: Vec<TestTree>,
    source: Source,
}

/// The tests of an action system in a file: `test-N.json`, or the chains of a `mutate.json` over
/// what is seen. None where the file holds something else.
///
/// # Errors
/// [`ErrorKind::Request`]: the tests are ill-formed, or not of this kind; the specification cannot
/// be found. [`ErrorKind::Source`]: the specification is wrong.
pub fn read_action_tests(path: &Path) -> Result<Option<ActionTests>, Error> {
    let refuse = |why: String| Error::new(ErrorKind::Request, format!("{}: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| refuse(error.to_string()))?;
    let Ok(json) = serde_json::from_str::<Json>(&text) else { return Ok(None) };
    let tests = match json["schema"].as_str() {
        Some(TEST) => {
            vec![serde_json::from_value::<TestTree>(json).map_err(|error| refuse(error.to_string()))?]
        }
        Some(MUTATIONS) if json["model"].is_array() => {
            let file: MutationFile =
                serde_json::from_value(json).map_err(|error| refuse(error.to_string()))?;
            chains(&file).map_err(refuse)?
        }
        _ => return Ok(None),
    };
    for (number, test) in tests.iter().enumerate() {
        test.check().map_err(|why| refuse(format!("test {number}: {why}")))?;
    }
    let Some(first) = tests.first() else { return Err(refuse("there are no tests in it".to_owned())) };
    let beside = path.parent().unwrap_or(Path::new(".")).join(&first.specification);
    let places = [PathBuf::from(&first.specification), beside];
    let Some(place) = places.iter().find(|place| place.is_file()) else {
        return Err(refuse(format!("the specification `{}` is not there", first.specification)));
    };
    let source = analysis::read(place, &first.constants)?;
    for (number, test) in tests.iter().enumerate() {
        fits(&source, test).map_err(|why| refuse(format!("test {number}: {why}")))?;
    }
    Ok(Some(ActionTests { tests, source }))
}

/// The chains of a result as tests.
fn chains(file: &MutationFile) -> Result<Vec<TestTree>, String> {
    if file.kill != "output" {
        return Err(format!("chains that kill by `{}` are no tests: only what is seen is", file.kill));
    }
    let test = |chain| TestTree {
        schema: TEST.to_owned(),
        system: file.system.clone(),
        specification: file.model.first().cloned().unwrap_or_default(),
        constants: file.model.iter().skip(1).cloned().collect(),
        operators: file.operators.clone(),
        nodes: TestTree::of_chain(chain),
        ..TestTree::default()
    };
    Ok(file.chains.iter().map(test).collect())
}

/// Whether all labels of a test are labels of the specification.
fn fits(source: &Source, test: &TestTree) -> Result<(), String> {
    let is_label = |kind: Kind, name: &str, args: &[Json]| {
        let action = source.system.action_named(name).map(|action| &source.system.actions[action]);
        let action = action.filter(|action| action.kind == kind);
        action.is_some_and(|action| arguments(action, args).is_some())
    };
    for node in &test.nodes {
        let mut answers = node.watch.iter().flatten();
        if node.inputs.is_some() || answers.any(|answer| answer.outputs.is_some()) {
            return Err("inputs and outputs of steps are none of an action system".to_owned());
        }
        if let Some(name) = node.input.as_ref().filter(|name| !is_label(Kind::Controllable, name, &node.args))
        {
            return Err(format!("`{name}` with these parameters is no stimulus of the specification"));
        }
        for answer in node.watch.iter().flatten() {
            let unknown = answer.output.as_ref();
            if let Some(name) = unknown.filter(|name| !is_label(Kind::Observable, name, &answer.args)) {
                return Err(format!("`{name}` with these parameters is no output of the specification"));
            }
        }
    }
    Ok(())
}

/// Runs tests: the verdict of each, with what was done and seen (`log`).
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("lamp.as");
/// # let text = "system lamp  var on : bool := false  ctr Press is on := not on  obs Shine when on is skip";
/// # std::fs::write(&path, text)?;
/// use chaincover::{ActionRun, MutateOptions, mutate, read_action_tests, run_action_tests};
/// let test = &mutate(&path, &MutateOptions::default())?.tests[0];
/// let stored = folder.path().join("test.json");
/// std::fs::write(&stored, serde_json::to_string(test)?)?;
/// let tests = read_action_tests(&stored)?.expect("tests");
/// let answer = std::time::Duration::from_secs(1);
/// for (mutant, expected) in [(None, "pass"), (Some("m1".to_owned()), "fail")] {
///     let sut = path.display().to_string();
///     let run = ActionRun { sut, mutant, seed: 1, answer, deadline: None };
///     let reports = run_action_tests(&tests, &run)?;
///     assert_eq!(reports[0].verdict.name(), expected);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Request`]: there is no such mutant, or it is no system. [`ErrorKind::Source`]: the
/// action system that is to play the system is wrong.
pub fn run_action_tests(tests: &ActionTests, options: &ActionRun) -> Result<Vec<Report>, Error> {
    let path = Path::new(&options.sut);
    if path.extension().is_none_or(|ending| ending != "as") || !path.is_file() {
        if options.mutant.is_some() {
            let message = "--mutant names a mutant of an action system (*.as) that plays the system";
            return Err(Error::new(ErrorKind::Request, message));
        }
        let mut process = Process::new(options.sut.clone(), options.answer)
            .until(Limit { deadline: options.deadline, ..Limit::default() });
        return Ok(all(tests, &mut process));
    }
    let played = analysis::read(path, &tests.tests[0].constants)?;
    let system = match &options.mutant {
        None => played.system,
        Some(id) => mutant_named(&played, &tests.tests[0].operators, id)?,
    };
    let alphabet = Alphabet::new(&system);
    Ok(all(tests, &mut Player::new(&system, &alphabet, options.seed)))
}

fn all(tests: &ActionTests, sut: &mut dyn Events) -> Vec<Report> {
    let alphabet = Alphabet::new(&tests.source.system);
    let machine = Machine { system: &tests.source.system, alphabet: &alphabet };
    tests.tests.iter().map(|test| Run { machine, sut, log: Vec::new() }.test(test)).collect()
}

/// A test that is run.
struct Run<'a, 's> {
    machine: Machine<'a>,
    sut: &'s mut dyn Events,
    log: Vec<Json>,
}

/// Why a run ends.
enum End {
    Report(Box<Report>),
    Broken(Broken),
    TooMany,
}

impl From<Broken> for End {
    fn from(broken: Broken) -> Self {
        Self::Broken(broken)
    }
}
impl From<TooMany> for End {
    fn from(_: TooMany) -> Self {
        Self::TooMany
    }
}

/// A verdict with its reason.
fn verdict(verdict: Verdict, reason: impl Into<String>) -> Report {
    Report { reason: Some(reason.into()), ..Report::new(verdict) }
}

impl Run<'_, '_> {
    fn test(mut self, test: &TestTree) -> Report {
        let report = match self.walk(test) {
            Ok(report) => report,
            Err(End::Report(report)) => *report,
            Err(End::Broken(broken)) => verdict(Verdict::Error, broken.to_string()),
            Err(End::TooMany) => {
                let reason = "the specification has more states or labels there than are enumerated";
                verdict(Verdict::Inconclusive, reason)
            }
        };
        let report = match report.verdict {
            Verdict::Error => report,
            _ => match self.sut.end() {
                Err(broken) => verdict(Verdict::Error, broken.to_string()),
                Ok(()) => report,
            },
        };
        let steps = self.log.len() as u64;
        let mut report = Report { step: Some(steps.saturating_sub(1)).filter(|_| steps > 0), ..report };
        report.more.insert("log".to_owned(), Json::Array(self.log));
        report
    }

    /// Goes through the test to one of its ends.
    fn walk(&mut self, test: &TestTree) -> Result<Report, End> {
        self.sut.reset()?;
        let mut states = self.machine.start()?;
        let mut place = 0;
        loop {
            let node = &test.nodes[place];
            if let Some(end) = &node.verdict {
                return Ok(match end.as_str() {
                    "pass" => verdict(Verdict::Pass, "all answers are allowed, and the test came to its end"),
                    _ => verdict(
                        Verdict::Inconclusive,
                        "all answers are allowed, but they miss what the test was made for",
                    ),
                });
            }
            (place, states) = match (&node.input, node.next) {
                (Some(name), Some(next)) => (next, self.stimulate((name, &node.args), &states)?),
                _ => self.watch(node, &states)?,
            };
        }
    }

    fn stimulate(&mut self, (name, args): (&str, &[Json]), states: &States) -> Result<States, End> {
        let system = self.machine.system;
        let Some(action) = system.action_named(name) else { return Err(End::TooMany) };
        let Some(values) = arguments(&system.actions[action], args) else { return Err(End::TooMany) };
        let after = self.machine.after_stimulus(states, (action, &values), Refusal::Ends)?;
        if after.is_empty() {
            let reason = format!("the test stimulates {name}, which the specification does not take there");
            return Err(End::Report(Box::new(verdict(Verdict::Inconclusive, reason))));
        }
        let event = Event { name: name.to_owned(), args: args.to_vec(), after: None };
        let reply = self.sut.input(&event)?;
        let mut entry = json!({ "in": name, "args": args });
        match reply {
            Reply::Accepted | Reply::Given(_) => self.log.push(entry),
            // The system ignores what it does not take, and what it shows then is judged: from the
            // states in which the specification refuses the stimulus as well, where there are some.
            Reply::Refused => {
                entry["refused"] = true.into();
                self.log.push(entry);
                let mut refusing = States::new();
                for state in states {
                    if self.machine.after_label(state, action, &values)?.is_empty() {
                        refusing.push(state.clone());
                    }
                }
                if !refusing.is_empty() {
                    return Ok(refusing);
                }
            }
            Reply::Output(event) => {
                self.seen(&Reply::Output(event), states)?;
                let reason = format!("an output came before {name} could be given");
                return Err(End::Report(Box::new(verdict(Verdict::Inconclusive, reason))));
            }
            Reply::Quiet(_) => {}
        }
        Ok(after)
    }

    /// What follows what is seen.
    fn watch(&mut self, node: &TestNode, states: &States) -> Result<(usize, States), End> {
        let answers = node.watch.as_deref().unwrap_or_default();
        let reply = match self.sut.watch(None) {
            // Where the specification goes on without showing anything, there is no answer.
            Err(Broken::Silent { .. }) if self.machine.out(states, &States::new())?.is_empty() => {
                self.log.push(json!({ "silent": true }));
                let answer = answers.first().ok_or(End::TooMany)?;
                return Ok((answer.next, states.clone()));
            }
            reply => reply?,
        };
        let (seen, after) = self.seen(&reply, states)?;
        for answer in answers {
            let Some(listed) = self.listed(answer) else { continue };
            // A label stands for all that lead the specification to the same states.
            let same_action = match (&listed, &seen) {
                (Seen::Label(one, _), Seen::Label(other, _)) => one == other,
                (one, other) => one == other,
            };
            if listed == seen || (same_action && self.machine.after_seen(states, &listed)? == after) {
                return Ok((answer.next, after));
            }
        }
        let reason = format!("{} is allowed, but not what the test wants to see", self.shown(&seen));
        Err(End::Report(Box::new(verdict(Verdict::Inconclusive, reason))))
    }

    /// An answer of the test; none where nothing can be seen.
    fn listed(&self, answer: &Answer) -> Option<Seen> {
        match &answer.output {
            None => answer.quiet.then_some(Seen::Quiet),
            Some(name) => {
                let action = self.machine.system.action_named(name)?;
                Some(Seen::Label(action, arguments(&self.machine.system.actions[action], &answer.args)?))
            }
        }
    }

    /// What a reply is, and where it leads the specification; a failure where that does not allow it.
    fn seen(&mut self, reply: &Reply, states: &States) -> Result<(Seen, States), End> {
        let (entry, seen) = match reply {
            Reply::Output(Event { name, args, .. }) => {
                (json!({ "out": name, "args": args }), self.output(name, args))
            }
            _ => (json!({ "quiet": true }), Some(Seen::Quiet)),
        };
        self.log.push(entry.clone());
        let after = match &seen {
            Some(seen) => self.machine.after_seen(states, seen)?,
            None => States::new(),
        };
        if let (Some(seen), false) = (seen, after.is_empty()) {
            return Ok((seen, after));
        }
        let allowed = self.machine.out(states, &States::new())?;
        let names: Vec<String> = allowed.iter().map(|seen| self.shown(seen)).collect();
        let came = match reply {
            Reply::Output(Event { name, args, .. }) if args.is_empty() => name.clone(),
            Reply::Output(Event { name, args, .. }) => {
                let args: Vec<String> = args.iter().map(ToString::to_string).collect();
                format!("{name}({})", args.join(", "))
            }
            _ => "nothing".to_owned(),
        };
        let reason = format!("{came} came; allowed is {}", names.join(", "));
        Err(End::Report(Box::new(Report {
            rule: Some("output".to_owned()),
            observed: Some(entry),
            allowed: Some(names.into()),
            ..verdict(Verdict::Fail, reason)
        })))
    }
    /// The label of an output; none where the specification has no such output.
    fn output(&self, name: &str, args: &[Json]) -> Option<Seen> {
        let action = self.machine.system.action_named(name)?;
        let description = &self.machine.system.actions[action];
        let args: Box<[Value]> = arguments(description, args)?;
        (description.kind == Kind::Observable).then_some(Seen::Label(action, args))
    }
    fn shown(&self, seen: &Seen) -> String {
        match seen {
            Seen::Quiet => "quiet".to_owned(),
            Seen::Label(action, args) if args.is_empty() => self.machine.system.actions[*action].name.clone(),
            Seen::Label(action, args) => {
                let parameters = &self.machine.system.actions[*action].parameters;
                let args = parameters.iter().zip(args);
                let args: Vec<String> =
                    args.map(|(parameter, value)| value_json(&parameter.ty, value).to_string()).collect();
                format!("{}({})", self.machine.system.actions[*action].name, args.join(", "))
            }
        }
    }
}
