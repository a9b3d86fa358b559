//! Test cases as pages for people.

use ::timed::adaptive::Tree;
use ::timed::testcase::Verdict;
use report::html::testcase::{Leads, TestPage, TestRule, TestState};
use serde_json::Value as Json;
use std::cell::Cell;
use std::collections::BTreeSet;

/// Bytes of guards on a page at most.
const MOST_GUARDS: usize = 1 << 20;

/// What stands in place of a guard that does not fit any more.
const ELSEWHERE: &str = "stands in testcase.json: the page would be too large";

/// The page of a test case, of which `json` is `testcase.json`.
pub(super) fn page(tree: &Tree<'_>, json: &Json) -> TestPage {
    let system = tree.parts[0].path.execution.system;
    let text = |of: &Json, key: &str| of[key].as_str().unwrap_or_default().to_owned();
    let list = |key: &str| json[key].as_array().map(Vec::as_slice).unwrap_or_default();
    let contexts = tree.parts.iter().flat_map(|part| &part.path.contexts[part.first..part.path.taken.len()]);
    let names: Vec<String> =
        list("states").iter().map(|name| name.as_str().unwrap_or_default().to_owned()).collect();
    let left = Cell::new(MOST_GUARDS);
    let rule = |transition: &Json| {
        let channel = transition["channel"].as_str();
        let event = match (text(transition, "action").as_str(), channel) {
            ("send", Some(channel)) => format!("{channel}!"),
            (_, Some(channel)) => format!("{channel}?"),
            (_, None) => "silence".to_owned(),
        };
        let verdict =
            transition["verdict"].as_str().and_then(|name| Some((name.to_owned(), Verdict::of(name)?)));
        let to = text(transition, "to");
        let leads = match verdict {
            Some((name, Verdict::Pass)) => Leads::Pass(name),
            Some((name, verdict)) if verdict.is_fail() => Leads::Fail(name),
            Some((name, _)) => Leads::Inconclusive(name),
            None => Leads::To(names.iter().position(|name| *name == to).unwrap_or(usize::MAX)),
        };
        let guard = transition["guard"].as_str().unwrap_or_default();
        let fits = guard.len() <= left.get();
        left.set(if fits { left.get() - guard.len() } else { 0 });
        let asserted = guard.lines().filter_map(|line| line.strip_prefix("(assert ")?.strip_suffix(')'));
        let mut known = BTreeSet::new();
        let conditions = asserted.filter(|condition| known.insert(*condition)).map(str::to_owned);
        TestRule {
            rule: text(transition, "rule"),
            event,
            place: transition["place"].as_str().map(str::to_owned),
            guard: if fits { conditions.collect() } else { vec![ELSEWHERE.to_owned()] },
            leads,
        }
    };
    let transitions = list("transitions");
    let state = |(name, context): (&String, &::timed::symbolic::Context)| TestState {
        name: name.clone(),
        location: system.states[context.state].clone(),
        rules: transitions.iter().filter(|one| one["from"] == name.as_str()).map(rule).collect(),
    };
    let path: Vec<&str> =
        tree.parts[0].edges().iter().map(|&edge| system.edges[edge].name.as_str()).collect();
    TestPage {
        name: format!("{}: {}", system.name, tree.parts[0].purpose),
        summary: tree.summary(),
        facts: vec![("Path", path.join(".")), ("Time-out", text(json, "timeout"))],
        states: names.iter().zip(contexts).map(state).collect(),
        command: None,
    }
}
