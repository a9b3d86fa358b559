//! Test cases with the field and verdict names of SPTG (<https://github.com/bbannour/SPTG>), the
//! generator of the authors of the paper, for the drivers that read its `testcase_smt.json`.
//!
//! Guards are SMT-LIB 2.6 scripts, in which every symbol that is read is declared. `cl` is the time
//! since the last event, `TM` the time-out.

use super::script;
use crate::symbolic::Execution;
use crate::system::{Channel, Direction};
use crate::testcase::{Target, TestCase, Transition, Verdict};
use serde_json::{Map, Value as Json, json};
use spec::types::Type;

/// A test case as SPTG's JSON.
pub fn json(test: &TestCase<'_>) -> Json {
    let system = test.path.execution.system;
    let ports = |direction: Direction| -> Vec<Json> {
        system.channels.iter().filter(|channel| channel.direction == direction).map(port).collect()
    };
    let states: Vec<Json> = (0..test.path.taken.len()).map(|index| state(test, index)).collect();
    json!({
        "manifest": {
            "version": 0.1,
            "description": format!("Test case `{}` of `{}`, guards as SMT-LIB", test.purpose, system.name),
            "service": "Testcase Specification (ready for an SMT solver)",
            "generator": concat!("chaincover ", env!("CARGO_PKG_VERSION")),
        },
        "SUT": {
            "output_ports": ports(Direction::Output),
            "input_ports": ports(Direction::Input),
            "uncontrollable_input_ports": ports(Direction::Uncontrollable),
        },
        "TESTCASE": { "variables": variables(test), "states": states },
    })
}

fn port(channel: &Channel) -> Json {
    let mut port = Map::from_iter([("name".to_owned(), json!(channel.name))]);
    let parameter = |(position, arg): (usize, &Option<Type>)| {
        let sort = arg.as_ref().map_or("Int", |ty| crate::symbolic::Sort::of(ty).name());
        json!({ "name": format!("${position}"), "type": sort })
    };
    let parameters: Vec<Json> = channel.args.iter().enumerate().map(parameter).collect();
    if !parameters.is_empty() {
        port.insert("parameters".to_owned(), json!(parameters));
    }
    Json::Object(port)
}

/// The time-out, the clock of the test, and the symbols of the path.
fn variables(test: &TestCase<'_>) -> Vec<Json> {
    let of_test = ["TM", "cl"].map(|name| json!({ "name": name, "type": "Real" }));
    let symbols = test.path.execution.symbols.iter();
    let of_path = symbols.map(|(name, symbol)| json!({ "name": name, "type": symbol.sort.name() }));
    of_test.into_iter().chain(of_path).collect()
}

fn state_name(index: usize) -> String {
    format!("ec_{}", index + 1)
}

fn state(test: &TestCase<'_>, index: usize) -> Json {
    let transitions: Vec<Json> = test
        .transitions
        .iter()
        .filter(|transition| transition.from == index)
        .map(|one| transition(test, one))
        .collect();
    json!({
        "name": state_name(index),
        "sut_state": state_name(index),
        "time_var": Execution::duration(&test.path.contexts[index], ""),
        "transitions": transitions,
    })
}

fn transition(test: &TestCase<'_>, transition: &Transition) -> Json {
    let execution = &test.path.execution;
    let context = &test.path.contexts[transition.from];
    let channel = transition.channel.map(|channel| execution.system.channels[channel].name.as_str());
    let (nature, port) = match (transition.rule, channel) {
        (_, None) => ("QUIESCENCE", "Quiescence"),
        (1, Some(port)) => ("STIMULATION", port),
        (_, Some(port)) => ("OBSERVATION", port),
    };
    let mut action = json!({ "nature": nature, "port": port });
    let parameters = transition.channel.map(|channel| execution.message(context, channel, ""));
    if let Some(parameters) = parameters.filter(|parameters| !parameters.is_empty()) {
        action["parameters"] = json!(parameters);
    }
    let (key, to, short) = match transition.to {
        Target::Context(index) | Target::Part { context: index, .. } => {
            ("next", state_name(index), format!("ec{}", index + 1))
        }
        Target::Verdict(verdict) => {
            ("verdict", long_name(verdict).to_owned(), verdict.name().replace('_', ""))
        }
    };
    let mut found = json!({
        "name": format!("tr_{short}_{port}"),
        "timed_guard": timed_guard(&Execution::duration(context, ""), transition.channel.is_none()),
        "guard": script(test, transition).replace('\n', ""),
        "action": action,
    });
    found[key] = json!(to);
    found
}

/// That the event comes before the time-out, or silence at it.
fn timed_guard(duration: &str, is_silence: bool) -> String {
    let relation = if is_silence { ">=" } else { "<" };
    format!(
        "(declare-const {duration} Real)(declare-const cl Real)(assert (<= 0 cl))(declare-const TM Real)\
         (assert (< 0 TM))(assert (and (= {duration} cl) ({relation} cl TM)))"
    )
}

/// SPTG's word for a verdict, as it spells it.
const fn long_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "PASS",
        Verdict::IncOut => "INCONCLUSIVE_OUTPUT",
        Verdict::IncUcInSpec => "INCONCLUSIVE_UNCROLLABLE_INPUT_SPECIFIED",
        Verdict::IncUcInUspec => "INCONCLUSIVE_UNCROLLABLE_INPUT_UNSPECIFIED",
        Verdict::IncDur => "INCONCLUSIVE_DURATION",
        Verdict::FailOut => "FAIL_OUTPUT",
        Verdict::FailDur => "FAIL_DURATION",
    }
}
