//! Test cases as files: JSON, SMT-LIB, Graphviz. An adaptive test case has states of several parts.

pub mod sptg;

use crate::adaptive::Tree;
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
pub fn json(tree: &Tree<'_>) -> Json {
    let test = &tree.parts[0];
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
    let states: Vec<String> = tree.parts.iter().flat_map(states).collect();
    let transitions: Vec<Json> =
        parts(tree).map(|(test, transition)| transition_json(test, transition)).collect();
    json!({
        "schema": SCHEMA,
        "system": system.name,
        "purpose": test.purpose,
        "path": test.edges().iter().map(|&edge| system.edges[edge].name.as_str()).collect::<Vec<_>>(),
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

/// All transitions, each with the part that it belongs to.
fn parts<'t, 's>(tree: &'t Tree<'s>) -> impl Iterator<Item = (&'t TestCase<'s>, &'t Transition)> {
    tree.parts.iter().flat_map(|part| part.transitions.iter().map(move |transition| (part, transition)))
}

/// The names of the states of a part.
fn states(part: &TestCase<'_>) -> Vec<String> {
    (part.first..part.path.taken.len()).map(|context| state_name(part.part, context)).collect()
}

/// The name of a state: `ec2` on the trunk, `ec2.1` in the part with number 1.
fn state_name(part: usize, context: usize) -> String {
    match part {
        0 => format!("ec{context}"),
        part => format!("ec{context}.{part}"),
    }
}

/// The name of the state or verdict that a transition leads to.
fn target_name(test: &TestCase<'_>, transition: &Transition) -> String {
    match transition.to {
        Target::Context(context) => state_name(test.part, context),
        Target::Part { part, context } => state_name(part, context),
        Target::Verdict(verdict) => verdict.name().to_owned(),
    }
}

fn transition_json(test: &TestCase<'_>, transition: &Transition) -> Json {
    let execution = &test.path.execution;
    let system = execution.system;
    let context = &test.path.contexts[transition.from];
    let verdict = match transition.to {
        Target::Verdict(verdict) => Some(verdict.name()),
        Target::Context(_) | Target::Part { .. } => None,
    };
    let names = transition.channel.map(|channel| execution.message(context, channel, ""));
    let channel = transition.channel.map(|channel| system.channels[channel].name.as_str());
    json!({
        "from": state_name(test.part, transition.from),
        "rule": format!("R{}", transition.rule),
        "action": match (transition.rule, transition.channel) { (1, _) => "send", (_, None) => "silence", _ => "receive" },
        "channel": channel,
        "duration": Execution::duration(context, ""),
        "values": names,
        "guard": script(test, transition),
        "to": target_name(test, transition),
        "verdict": verdict,
        "place": transition.edge.map(|edge| system.edges[edge].name.as_str()),
    })
}

/// The declarations and assertions of a guard.
pub fn script(test: &TestCase<'_>, transition: &Transition) -> String {
    let execution = &test.path.execution;
    let context = &test.path.contexts[transition.from];
    let mut names: BTreeSet<&String> =
        transition.guard.iter().flat_map(|term: &Term| &*term.symbols).collect();
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
pub fn smt2(tree: &Tree<'_>) -> String {
    let test = &tree.parts[0];
    let system = test.path.execution.system;
    let mut text = format!("; test case `{}` of `{}`\n(set-logic ALL)\n", test.purpose, system.name);
    for (test, transition) in parts(tree) {
        let channel = transition.channel.map_or("silence", |channel| &system.channels[channel].name);
        let to = target_name(test, transition);
        let _ = writeln!(
            text,
            "\n; R{}: {} -> {to} by {channel}\n(push 1)\n{}(check-sat)\n(pop 1)",
            transition.rule,
            state_name(test.part, transition.from),
            script(test, transition)
        );
    }
    text
}

/// A picture for Graphviz: contexts from top to bottom, verdicts beside them.
pub fn dot(tree: &Tree<'_>) -> String {
    let system = tree.parts[0].path.execution.system;
    let mut text = String::from("digraph testcase {\n  node [shape=box];\n");
    for part in &tree.parts {
        for (context, name) in part.path.contexts[part.first..].iter().zip(states(part)) {
            let state = escaped(&system.states[context.state]);
            let _ = writeln!(text, "  \"{name}\" [label=\"{name}\\n{state}\"];");
        }
    }
    for (number, (test, transition)) in parts(tree).enumerate() {
        let channel = transition.channel.map_or("silence", |channel| &system.channels[channel].name);
        let sign = match (transition.rule, transition.channel) {
            (1, _) => "!",
            (_, None) => "",
            _ => "?",
        };
        let edge = transition.edge.map_or(String::new(), |edge| format!(" {}", system.edges[edge].name));
        let label = escaped(&format!("R{} {channel}{sign}{edge}", transition.rule));
        let from = state_name(test.part, transition.from);
        match transition.to {
            Target::Context(_) | Target::Part { .. } => {
                let to = target_name(test, transition);
                let _ = writeln!(text, "  \"{from}\" -> \"{to}\" [label=\"{label}\", penwidth=2];");
            }
            Target::Verdict(verdict) => {
                let colour = match verdict {
                    Verdict::Pass => "green",
                    _ if verdict.is_fail() => "red",
                    _ => "orange",
                };
                let _ = writeln!(text, "  v{number} [label=\"{verdict}\", shape=ellipse, color={colour}];");
                let _ = writeln!(text, "  \"{from}\" -> v{number} [label=\"{label}\"];");
            }
        }
    }
    text + "}\n"
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
