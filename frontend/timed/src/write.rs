//! Test cases as files: JSON, SMT-LIB, Graphviz.

pub mod sptg;

use crate::purpose::declaration;
use crate::symbolic::{Execution, Symbol, Term};
use crate::system::Direction;
use crate::testcase::{Target, TestCase, Transition, Verdict};
use harness::Time;
use serde_json::{Value as Json, json};
use spec::types::Type;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The name of the format.
pub const SCHEMA: &str = "chaincover/testcase/1";

/// A test case as JSON. Each guard is a self-contained SMT-LIB 2.6 script without `check-sat`:
/// whoever judges a run adds the values of `symbols` and asks.
pub fn json(test: &TestCase<'_>) -> Json {
    let system = test.path.execution.system;
    let channels: Vec<Json> = system
        .channels
        .iter()
        .map(|channel| {
            let args: Vec<Json> = channel
                .args
                .iter()
                .map(|arg| match arg {
                    Some(Type::Enum(enumeration)) => json!(enumeration.names),
                    Some(ty) => json!(ty.to_string()),
                    None => json!("int"),
                })
                .collect();
            json!({ "name": channel.name, "direction": direction_name(channel.direction), "args": args })
        })
        .collect();
    let states: Vec<String> = (0..test.path.taken.len()).map(state_name).collect();
    let transitions: Vec<Json> =
        test.transitions.iter().map(|transition| transition_json(test, transition)).collect();
    json!({
        "schema": SCHEMA,
        "system": system.name,
        "purpose": test.purpose,
        "path": system.path_text(&test.path.taken.iter().zip(&test.path.successors).map(|(&taken, all)| all[taken].edge).collect::<Vec<_>>()).split('.').collect::<Vec<_>>(),
        "timeout": Time::new(test.timeout.clone()).unwrap_or_default().to_string(),
        "pruned": test.is_pruned,
        "channels": channels,
        "states": states,
        "transitions": transitions,
    })
}

/// The word for who sends on a channel.
pub fn direction_name(direction: Direction) -> &'static str {
    match direction {
        Direction::Input => "input",
        Direction::Uncontrollable => "uncontrollable",
        Direction::Output => "output",
    }
}

fn state_name(index: usize) -> String {
    format!("ec{index}")
}

fn transition_json(test: &TestCase<'_>, transition: &Transition) -> Json {
    let execution = &test.path.execution;
    let system = execution.system;
    let context = &test.path.contexts[transition.from];
    let (to, verdict) = match transition.to {
        Target::Context(index) => (state_name(index), None),
        Target::Verdict(verdict) => (verdict.name().to_owned(), Some(verdict.name())),
    };
    let names = transition.channel.map(|channel| execution.message(context, channel, ""));
    let channel = transition.channel.map(|channel| system.channels[channel].name.as_str());
    json!({
        "from": state_name(transition.from),
        "rule": format!("R{}", transition.rule),
        "action": match (transition.rule, transition.channel) { (1, _) => "send", (_, None) => "silence", _ => "receive" },
        "channel": channel,
        "duration": Execution::duration(context, ""),
        "values": names,
        "guard": script(test, transition),
        "to": to,
        "verdict": verdict,
        "place": transition.edge.map(|edge| system.edges[edge].name.as_str()),
    })
}

/// The declarations and assertions of a guard.
pub fn script(test: &TestCase<'_>, transition: &Transition) -> String {
    let execution = &test.path.execution;
    let context = &test.path.contexts[transition.from];
    let mut names: BTreeSet<&String> =
        transition.guard.iter().flat_map(|term: &Term| &term.symbols).collect();
    let mut event = vec![Execution::duration(context, "")];
    event.extend(transition.channel.iter().flat_map(|&channel| execution.message(context, channel, "")));
    names.extend(&event);
    let mut text = String::new();
    for name in names {
        let Some(Symbol { sort, .. }) = execution.symbols.get(name) else { continue };
        text += &declaration(name, *sort);
    }
    for name in &event {
        let domain = execution.symbols.get(name).and_then(|known| known.domain.as_ref());
        if let Some(domain) = domain {
            let _ = writeln!(text, "(assert {})", domain.text);
        }
    }
    for term in &transition.guard {
        let _ = writeln!(text, "(assert {})", term.text);
    }
    text
}

/// All guards as one SMT-LIB text, each in a scope of its own.
pub fn smt2(test: &TestCase<'_>) -> String {
    let system = test.path.execution.system;
    let mut text = format!("; test case `{}` of `{}`\n(set-logic ALL)\n", test.purpose, system.name);
    for transition in &test.transitions {
        let channel = transition.channel.map_or("silence", |channel| &system.channels[channel].name);
        let to = match transition.to {
            Target::Context(index) => state_name(index),
            Target::Verdict(verdict) => verdict.name().to_owned(),
        };
        let _ = writeln!(
            text,
            "\n; R{}: {} -> {to} by {channel}\n(push 1)\n{}(check-sat)\n(pop 1)",
            transition.rule,
            state_name(transition.from),
            script(test, transition)
        );
    }
    text
}

/// A picture for Graphviz: contexts from top to bottom, verdicts beside them.
pub fn dot(test: &TestCase<'_>) -> String {
    let system = test.path.execution.system;
    let mut text = String::from("digraph testcase {\n  node [shape=box];\n");
    for index in 0..test.path.taken.len() {
        let state = &system.states[test.path.contexts[index].state];
        let _ = writeln!(text, "  ec{index} [label=\"ec{index}\\n{}\"];", escaped(state));
    }
    for (number, transition) in test.transitions.iter().enumerate() {
        let channel = transition.channel.map_or("silence", |channel| &system.channels[channel].name);
        let sign = match (transition.rule, transition.channel) {
            (1, _) => "!",
            (_, None) => "",
            _ => "?",
        };
        let edge = transition.edge.map_or(String::new(), |edge| format!(" {}", system.edges[edge].name));
        let label = escaped(&format!("R{} {channel}{sign}{edge}", transition.rule));
        match transition.to {
            Target::Context(index) => {
                let _ =
                    writeln!(text, "  ec{} -> ec{index} [label=\"{label}\", penwidth=2];", transition.from);
            }
            Target::Verdict(verdict) => {
                let colour = match verdict {
                    Verdict::Pass => "green",
                    _ if verdict.is_fail() => "red",
                    _ => "orange",
                };
                let _ = writeln!(text, "  v{number} [label=\"{verdict}\", shape=ellipse, color={colour}];");
                let _ = writeln!(text, "  ec{} -> v{number} [label=\"{label}\"];", transition.from);
            }
        }
    }
    text + "}\n"
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
