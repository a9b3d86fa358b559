//! Verdicts on recorded runs and on systems under test.

use crate::adaptive::{Node, Tree};
use crate::interface::Interface;
use crate::log::{Unread, valuation};
use crate::marks::{Mark, Marker};
use crate::monitor::{Forbidden, Judged, Monitor};
use crate::parts::lost_as_known;
use crate::runs::{Goals, MOST_GOALS};
use crate::semantics::{Effort, Undecided, Valuation, id_index, inputs_of};
use crate::syntax::Role;
use crate::values::fields;
use frontend::limit::Limit;
use harness::{Broken, Fields, Report, Synchronous, Verdict};
use serde_json::{Value as Json, json};

/// Values that may be tried to find out, for each part, from where no system can go on.
const LOOKING: u64 = 1_000_000;

/// Values that may be tried in each step of a run.
const PER_STEP: u64 = 5_000_000;

/// Steps of a run between two looks at the clock.
const BETWEEN_LOOKS: usize = 64;

/// The rule of the verdict on a run in which all was allowed, but goals may have been missed.
pub const MISSED: &str = "MISSED";

/// A test: a run, and what it is made for.
#[derive(Clone, Debug)]
pub struct Test {
    /// The steps of a run that meets the goals. Their inputs are given; their outputs, where they are
    /// known, tell when a system goes another way.
    pub steps: Vec<Valuation>,
    /// The goals that it is to meet, by name.
    pub goals: Vec<String>,
}

/// A test that was run: the verdict, and what was observed.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The verdict.
    pub report: Report,
    /// Inputs and outputs of the steps.
    pub observed: Vec<Valuation>,
}

/// The verdict on a recorded run. `goals` are what it was made for, if anything.
pub fn monitor(interface: &Interface, steps: &[Valuation], goals: &[String], limit: &Limit) -> Report {
    let mut following = Following::new(interface, goals, limit);
    for observed in steps {
        if let Some(report) = following.stopped().or_else(|| following.observe(observed)) {
            return report;
        }
    }
    following.end()
}

/// Plans anew: from what was observed, and the goals that may have been missed, the steps that
/// remain; none where no run is known that meets one of them.
pub type Plan<'p> = dyn FnMut(&[Valuation], &[&str]) -> Option<Vec<Valuation>> + 'p;

/// How a run goes on where it may miss goals under the inputs of its test.
pub struct Replanning<'p> {
    /// How often it may.
    pub most: usize,
    /// What it does.
    pub plan: &'p mut Plan<'p>,
}

/// Runs a test against a system. Where a step shows other outputs than planned, or all inputs are
/// given, and goals may be missed, it is planned anew how to go on.
pub fn run(
    interface: &Interface,
    test: &Test,
    system: &mut dyn Synchronous,
    replanning: Option<Replanning<'_>>,
    limit: &Limit,
) -> Ran {
    let mut replanning = replanning.filter(|replanning| replanning.most > 0);
    let mut planned = test.steps.clone();
    let mut next = |following: &Following<'_>| {
        let observed = &following.observed;
        let is_over = observed.len() == planned.len();
        let is_elsewhere =
            observed.last().is_some_and(|now| differs(interface, now, &planned[observed.len() - 1]));
        if let Some(Replanning { most, plan }) = &mut replanning
            && (is_over || is_elsewhere)
            && let missed = following.monitor.missed()
            && !missed.is_empty()
        {
            let rest = plan(observed, &missed);
            *most -= 1;
            let is_last = rest.is_none() || *most == 0;
            if let Some(rest) = rest {
                planned = [&observed[..], &rest].concat();
            }
            if is_last {
                replanning = None;
            }
        }
        Ok(planned.get(observed.len()).map(|step| inputs_of(interface, step)))
    };
    run_by(interface, (&mut next, &test.goals), system, limit)
}

/// Whether a step shows another output than it was expected to.
fn differs(interface: &Interface, seen: &Valuation, expected: &Valuation) -> bool {
    interface.variables(Role::Output).any(|id| seen[id_index(id)] != expected[id_index(id)])
}

/// Runs an adaptive test against a system. `goals` are what it is made for.
pub fn run_tree(
    interface: &Interface,
    tree: &Tree,
    goals: &[String],
    system: &mut dyn Synchronous,
    limit: &Limit,
) -> Ran {
    let mut place = 0;
    let mut next = |following: &Following<'_>| {
        if let Some(observed) = following.observed.last() {
            place = tree.next(place, observed).ok_or("the test does not go on behind these outputs")?;
        }
        Ok(match &tree.nodes[place] {
            Node::Done => None,
            Node::Give { inputs, .. } => Some(inputs.clone()),
        })
    };
    run_by(interface, (&mut next, goals), system, limit)
}

/// From a run so far the inputs of the next step; none at the end of the test.
type Next<'n> = dyn FnMut(&Following<'_>) -> Result<Option<Valuation>, &'static str> + 'n;

/// Runs a test that says in each step how it goes on.
fn run_by(
    interface: &Interface,
    (next, goals): (&mut Next<'_>, &[String]),
    system: &mut dyn Synchronous,
    limit: &Limit,
) -> Ran {
    let mut following = Following::new(interface, goals, limit);
    let report = system.reset().err().map(|broken| following.broken(&broken));
    let report = report.unwrap_or_else(|| {
        loop {
            match following.step(next, system) {
                Ok(None) => {}
                Ok(Some(report)) => break report,
                Err(broken) => break following.broken(&broken),
            }
        }
    });
    let report = match report.verdict {
        Verdict::Error => report,
        _ => system.end().err().map_or(report, |broken| following.broken(&broken)),
    };
    Ran { report, observed: following.observed }
}

/// Inputs and what a system answered, together.
fn observation(interface: &Interface, inputs: &Valuation, answer: &Fields) -> Result<Valuation, Broken> {
    let ill_formed = |why: String| Broken::IllFormed { line: json!({ "out": answer }).to_string(), why };
    let is_output = |name: &String| {
        interface.variables(Role::Output).any(|id| interface.scope.variable(id).name == *name)
    };
    if let Some(unknown) = answer.keys().find(|name| !is_output(name)) {
        return Err(ill_formed(format!("`{unknown}` is no output of the interface")));
    }
    let outputs = valuation(interface, answer, Role::Output).map_err(|unread| match unread {
        Unread::NoValue(id, text) => {
            let variable = interface.scope.variable(id);
            ill_formed(format!("{text} is no value of `{}`: {}", variable.name, variable.ty))
        }
        Unread::Missing(id) => ill_formed(format!("`{}` is missing", interface.scope.variable(id).name)),
    })?;
    let mut observed = inputs.clone();
    for id in interface.variables(Role::Output) {
        observed[id_index(id)].clone_from(&outputs[id_index(id)]);
    }
    Ok(observed)
}

/// A run that is followed, with what was observed so far.
struct Following<'a> {
    interface: &'a Interface,
    monitor: Monitor<'a>,
    observed: Vec<Valuation>,
    /// Number of goals that were asked for.
    goals: usize,
    limit: &'a Limit,
}

impl<'a> Following<'a> {
    fn new(interface: &'a Interface, goals: &[String], limit: &'a Limit) -> Self {
        let followed = Goals::first(interface, goals.iter().map(String::as_str));
        // Observations of a run that cannot go on fail at once where they tell so.
        let lost = lost_as_known(interface, &Effort::new(LOOKING, limit.clone()));
        let monitor = Monitor::new(interface, followed, false).with_dead_ends(&lost);
        Self { interface, monitor, observed: Vec::new(), goals: goals.len(), limit }
    }
    fn effort(&self) -> Effort {
        Effort::new(PER_STEP, self.limit.clone())
    }

    /// Gives the inputs of a step to the system and takes its answer; a report where the test ends.
    fn step(&mut self, next: &mut Next<'_>, system: &mut dyn Synchronous) -> Result<Option<Report>, Broken> {
        if let Some(report) = self.stopped() {
            return Ok(Some(report));
        }
        let inputs = &match next(self) {
            Ok(Some(inputs)) => inputs,
            Ok(None) => return Ok(Some(self.end())),
            Err(why) => return Ok(Some(self.inconclusive("UNFORESEEN", why.to_owned()))),
        };
        if self.monitor.has_inputs_inside(inputs) && self.monitor.positions(inputs).is_empty() {
            return Ok(Some(self.not_occurring()));
        }
        let given = fields(self.interface, Role::Input, inputs);
        let answer = system.step(self.observed.len() as u64, &given)?;
        let observed = observation(self.interface, inputs, &answer)?;
        Ok(self.observe(&observed))
    }
    /// A report where a limit is reached. Steps take little effort each, and may be many.
    fn stopped(&self) -> Option<Report> {
        let is_looked = self.observed.len().is_multiple_of(BETWEEN_LOOKS);
        let reason = is_looked.then(|| self.limit.reason()).flatten()?;
        Some(self.inconclusive("UNDECIDED", reason.to_string()))
    }
    /// Takes a step; a report where the verdict is clear.
    fn observe(&mut self, observed: &Valuation) -> Option<Report> {
        let mut effort = self.effort();
        let judged = self.monitor.observe(observed, &mut effort);
        self.observed.push(observed.clone());
        match judged {
            Ok(Judged::Forbidden(_) | Judged::Doomed(_)) if self.monitor.perhaps_over().is_some() => {
                self.perhaps_over()
            }
            Ok(Judged::Allowed) => None,
            Ok(Judged::Forbidden(forbidden)) => Some(self.failed(*forbidden)),
            Ok(Judged::Doomed(within)) => Some(self.doomed(within)),
            Ok(Judged::NotOccurring) => Some(self.not_occurring()),
            Err(undecided) => Some(self.inconclusive("UNDECIDED", undecided.to_string())),
        }
    }
    fn not_occurring(&self) -> Report {
        let reason = "the environment does not give these inputs: nothing is required from here on";
        self.inconclusive("NOT_OCCURRING", reason.to_owned())
    }
    /// Where outputs that were not seen decide whether inputs occur.
    fn perhaps_over(&self) -> Option<Report> {
        let step = self.monitor.perhaps_over()?;
        let reason = format!(
            "outputs that were not seen decide whether the environment gives the inputs of step {step}: perhaps \
             nothing is required from there on"
        );
        Some(Report { step: Some(step), ..self.inconclusive("NOT_OCCURRING", reason) })
    }
    /// The verdict on a run that was allowed to its end.
    fn end(&self) -> Report {
        if let Some(report) = self.perhaps_over() {
            return Report { step: None, ..report };
        }
        let missed = self.monitor.missed();
        if missed.is_empty() && self.goals > MOST_GOALS {
            let reason = format!("all was allowed; {} goals are more than can be followed", self.goals);
            return self.inconclusive(MISSED, reason);
        }
        if missed.is_empty() {
            let mut report = Report::new(Verdict::Pass);
            report.more.insert("steps".to_owned(), json!(self.observed.len()));
            self.tell_unseen(&mut report);
            return report;
        }
        let reason = format!("all was allowed, but {} may have been missed", missed.join(", "));
        let mut report = self.inconclusive(MISSED, reason);
        report.step = None;
        report.more.insert("missed".to_owned(), json!(missed));
        report
    }
    /// Adds to a report the outputs of which some steps show no value.
    fn tell_unseen(&self, report: &mut Report) {
        let all = self.observed.len();
        let unseen = |id| self.observed.iter().filter(|now| now[id_index(id)].is_none()).count();
        let outputs = self.interface.variables(Role::Output);
        let counted = outputs.map(|id| (self.interface.scope.variable(id).name.as_str(), unseen(id)));
        let (always, sometimes): (Vec<_>, Vec<_>) =
            counted.filter(|(_, count)| *count > 0).partition(|(_, count)| *count == all);
        let always: Vec<&str> = always.into_iter().map(|(name, _)| name).collect();
        let in_some = sometimes.iter().map(|(name, count)| format!("{name} in {count} of {all} steps"));
        let told: Vec<String> = always.iter().map(|name| (*name).to_owned()).chain(in_some).collect();
        if !told.is_empty() {
            report.reason = Some(format!("all was allowed, but nothing was seen of {}", told.join(", ")));
        }
        if !always.is_empty() {
            report.more.insert("unseen".to_owned(), json!(always));
        }
        if !sometimes.is_empty() {
            let counts: serde_json::Map<_, _> =
                sometimes.into_iter().map(|(name, count)| (name.to_owned(), json!(count))).collect();
            report.more.insert("unseen_steps".to_owned(), json!(counts));
        }
    }
    fn inconclusive(&self, rule: &str, reason: String) -> Report {
        Report {
            step: Some(self.monitor.steps()),
            rule: Some(rule.to_owned()),
            reason: Some(reason),
            ..Report::new(Verdict::Inconclusive)
        }
    }
    fn broken(&self, broken: &Broken) -> Report {
        Report {
            step: Some(self.monitor.steps()),
            rule: Some("SYSTEM".to_owned()),
            reason: Some(broken.to_string()),
            ..Report::new(Verdict::Error)
        }
    }

    fn doomed(&self, within: usize) -> Report {
        let steps = if within == 1 { "the next step".to_owned() } else { format!("the next {within} steps") };
        let reason = format!(
            "the outputs are allowed, but no system can go on from here: for some inputs of {steps} no \
             answers are allowed"
        );
        Report {
            step: Some(self.monitor.steps()),
            rule: Some("DOOMED".to_owned()),
            reason: Some(reason),
            observed: self.observed.last().map(|now| self.observed_json(now)),
            ..Report::new(Verdict::Fail)
        }
    }
    fn failed(&self, forbidden: Forbidden) -> Report {
        let interface = self.interface;
        let (rule, reason) = match &forbidden.outside {
            Some(outside) => ("OUTSIDE", outside.clone()),
            None => ("FAIL_out", "no allowed behaviour has these outputs".to_owned()),
        };
        let explanations = &forbidden.explanations;
        let sets = explanations.iter().map(|one| interface.names(one.violated.iter().copied()));
        let hidden: Vec<&str> = explanations.iter().map(|one| one.hidden.as_str()).collect();
        let mut report = Report {
            step: Some(forbidden.step),
            rule: Some(rule.to_owned()),
            reason: Some(reason),
            explanations: sets.collect(),
            observed: self.observed.last().map(|now| self.observed_json(now)),
            allowed: Some(json!(forbidden.allowed.describe(interface))),
            ..Report::new(Verdict::Fail)
        };
        report.more.insert("hidden".to_owned(), json!(hidden));
        report.more.insert("traced".to_owned(), self.traced());
        report
    }
    fn observed_json(&self, now: &Valuation) -> Json {
        json!({
            "in": fields(self.interface, Role::Input, now),
            "out": fields(self.interface, Role::Output, now),
        })
    }
    /// The completions of hidden values from step 0 on. They need the paths, which are kept in a
    /// second run over what was observed: most runs do not fail.
    fn traced(&self) -> Json {
        let none: [&str; 0] = [];
        let mut monitor = Monitor::new(self.interface, Goals::first(self.interface, none), true);
        for (step, observed) in self.observed.iter().enumerate() {
            if step.is_multiple_of(BETWEEN_LOOKS) && self.limit.reason().is_some() {
                break;
            }
            match monitor.observe(observed, &mut self.effort()) {
                Ok(Judged::Allowed) => {}
                Ok(Judged::Forbidden(forbidden)) => {
                    let one = |completion: &crate::monitor::Completion| {
                        let violated = self.interface.names(completion.violated.iter().copied());
                        json!({ "hidden": completion.hidden, "violated": violated })
                    };
                    return forbidden.completions.iter().map(one).collect();
                }
                Ok(Judged::Doomed(_) | Judged::NotOccurring)
                | Err(Undecided::TooLarge | Undecided::Time | Undecided::Depth) => {
                    break;
                }
            }
        }
        json!([])
    }
}

/// A step of a run that was judged.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Its number.
    pub step: usize,
    /// Inputs and outputs.
    pub observed: Valuation,
    /// The outputs that were allowed, in words; none where they were not found out.
    pub allowed: Option<String>,
    /// What each requirement says of it.
    pub marks: Vec<Mark>,
    /// Purposes that are met by then, and were not before.
    pub purposes: Vec<String>,
}

/// Steps at the beginning, and steps at the end of a run that are shown.
const SHOWN_STEPS: usize = 100;

/// Values that may be tried for what is shown of a step.
const PER_SHOWN_STEP: u64 = 200_000;

/// Chooses what a page shows of a judged run: its first steps and its last ones.
pub fn story(interface: &Interface, observed: &[Valuation], limit: &Limit) -> Vec<Seen> {
    let purposes = Goals::first(interface, interface.purposes.iter().map(|purpose| purpose.name.as_str()));
    let mut monitor = Monitor::new(interface, purposes, false);
    let marker = Marker::new(monitor.semantics());
    let mut found = Vec::new();
    for (step, now) in observed.iter().enumerate() {
        if step.is_multiple_of(BETWEEN_LOOKS) && limit.reason().is_some() {
            break;
        }
        let is_shown = step < SHOWN_STEPS || step + SHOWN_STEPS >= observed.len();
        let mut seen = is_shown.then(|| {
            let mut effort = Effort::new(PER_SHOWN_STEP, limit.clone());
            let inputs = inputs_of(interface, now);
            let is_inside = monitor.has_inputs_inside(now);
            let positions = if is_inside { monitor.positions(&inputs) } else { Vec::new() };
            let allowed = if is_inside { monitor.allowed(now, &mut effort).ok() } else { None };
            Seen {
                step,
                observed: now.clone(),
                allowed: allowed.map(|allowed| allowed.describe(interface)),
                marks: marker.marks(&positions, &inputs, &mut effort),
                purposes: Vec::new(),
            }
        });
        let missed: Vec<String> = monitor.missed().into_iter().map(str::to_owned).collect();
        let judged = monitor.observe(now, &mut Effort::new(PER_STEP, limit.clone()));
        if let Some(seen) = &mut seen {
            match &judged {
                Ok(Judged::Forbidden(forbidden)) => {
                    let named = forbidden.explanations.iter().flat_map(|one| &one.violated);
                    named.for_each(|&index| seen.marks[index].broken = true);
                }
                Ok(Judged::Allowed) => {
                    let left = monitor.missed();
                    seen.purposes = missed.into_iter().filter(|name| !left.contains(&&**name)).collect();
                }
                _ => {}
            }
        }
        found.extend(seen);
        if !matches!(judged, Ok(Judged::Allowed)) {
            break;
        }
    }
    found
}

/// A report in a few lines for people.
pub fn describe(report: &Report) -> String {
    let mut text = report.verdict.name().to_owned();
    if let Some(step) = report.step {
        text += &format!(" at step {step}");
    }
    if let Some(reason) = &report.reason {
        text += &format!(": {reason}");
    }
    let hidden = report.more.get("hidden").and_then(Json::as_array);
    let one = |(index, names): (usize, &Vec<String>)| {
        let hidden = hidden.and_then(|hidden| hidden.get(index)).and_then(Json::as_str).unwrap_or_default();
        let hidden = if hidden.is_empty() { String::new() } else { format!(" ({hidden})") };
        format!("{{{}}}{hidden}", names.join(", "))
    };
    if !report.explanations.is_empty() {
        let sets: Vec<String> = report.explanations.iter().enumerate().map(one).collect();
        text += &format!("\n  smallest explanations: {}", sets.join(", "));
    }
    if let Some(allowed) = report.allowed.as_ref().and_then(Json::as_str) {
        text += &format!("\n  allowed: {allowed}");
    }
    if let Some(observed) = &report.observed {
        text += &format!("\n  observed: {observed}");
    }
    text + "\n"
}
