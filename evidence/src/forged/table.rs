//! A table as a transition system: conditions list states and inputs one by one.

use super::random::Random;
use super::system::System;
use std::fmt::Write;

/// A random table of two words of which most steps change one at most.
pub(super) fn random(random: &mut Random) -> System {
    let mixes = random.once_in(3);
    System::random(&[("a", 2), ("b", 1)], random, |state, random| match random.below(4) {
        0 => state,
        1 => state ^ 4,
        2 => state & 4 | (state + 1) & 3,
        _ if mixes => random.index(8),
        _ => state & 4 | random.index(4),
    })
}

/// The text of the system.
pub(super) fn text(system: &System) -> String {
    let mut text = "input go w2\n".to_owned();
    for (number, (name, width)) in system.words.iter().enumerate() {
        let mut next = name.clone();
        for (state, steps) in system.steps.iter().enumerate() {
            for (input, (to, _)) in steps.iter().enumerate() {
                let here = here(system, state, Some(input), "");
                next = format!("(ite {here} {} {next})", system.value(*to, number));
            }
        }
        let _ = writeln!(text, "initial-input first_{name} w{width}");
        let _ = writeln!(text, "state {name} w{width} init first_{name} next {next}");
    }
    let initial = (0..system.states()).filter(|&state| system.initial[state]).map(|state| {
        let is = |(number, (name, _)): (usize, &(String, u32))| {
            format!("(eq first_{name} {})", system.value(state, number))
        };
        format!("(and {})", system.words.iter().enumerate().map(is).collect::<Vec<_>>().join(" "))
    });
    let _ = writeln!(text, "initial-assume {}", any(initial.collect()));
    let _ = writeln!(text, "assume {}", any(places(system, |_| true, "")));
    for (goal, labels) in system.goals.iter().enumerate() {
        let conjuncts = labels.iter().enumerate().map(|(step, label)| {
            let frame = if step == 0 { String::new() } else { format!("@{step}") };
            any(places(system, |set| set >> label & 1 == 1, &frame))
        });
        let all = conjuncts.collect::<Vec<_>>();
        let when = if all.len() == 1 { all[0].clone() } else { format!("(and {})", all.join(" ")) };
        let _ = writeln!(text, "goal g{goal} steps {} when {when}", labels.len());
    }
    if system.has_end {
        let ends = (0..system.states()).filter(|&state| system.end[state]);
        let _ = writeln!(text, "end {}", any(ends.map(|state| here(system, state, None, "")).collect()));
    }
    text
}

/// The conditions of all steps whose labels are wanted.
fn places(system: &System, is_wanted: impl Fn(u32) -> bool, frame: &str) -> Vec<String> {
    let mut places = Vec::new();
    for (state, steps) in system.steps.iter().enumerate() {
        for (input, (_, labels)) in steps.iter().enumerate() {
            if is_wanted(*labels) {
                places.push(here(system, state, Some(input), frame));
            }
        }
    }
    places
}

fn here(system: &System, state: usize, input: Option<usize>, frame: &str) -> String {
    let is = |(number, (name, _)): (usize, &(String, u32))| {
        format!("(eq {name}{frame} {})", system.value(state, number))
    };
    let mut conditions: Vec<String> = system.words.iter().enumerate().map(is).collect();
    conditions.extend(input.map(|input| format!("(eq go{frame} {input})")));
    format!("(and {})", conditions.join(" "))
}

fn any(conditions: Vec<String>) -> String {
    match &conditions[..] {
        [] => "false".to_owned(),
        [one] => one.clone(),
        all => format!("(or {})", all.join(" ")),
    }
}
