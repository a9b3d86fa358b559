//! Whether a stored result makes sense in itself, before anything is made of it.
//!
//! A file that was cut, merged or edited by hand may still be JSON of the right shape. What would
//! be exported from it would look like a result, so everything that one part of the file says about
//! another is compared first.

use super::chain_file::{Chain, ChainFile, Goal, Kind, Signal, Status, Step, Values, VerdictName};
use super::holds::holds;
use super::number;
use frontend::diagnostics::{is_hidden, visible};
use model::sort::{FloatFormat, Sort};
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// Fails with the first thing that does not fit.
///
/// # Errors
/// A sentence about it.
pub fn check(file: &ChainFile) -> Result<(), String> {
    let goals = distinct("goal", file.goals.iter().map(|goal| &goal.name))?;
    for (what, signals) in [("input", &file.inputs), ("output", &file.outputs), ("state word", &file.state)] {
        distinct(what, signals.iter().map(|signal| &signal.name))?;
        signals.iter().try_for_each(|signal| width(what, signal))?;
    }
    for (index, chain) in file.chains.iter().enumerate() {
        check_chain(file, chain, &goals).map_err(|why| format!("chain {}: {why}", index + 1))?;
    }
    for goal in &file.goals {
        check_goal(file, goal).map_err(|why| format!("goal `{}`: {why}", goal.name))?;
    }
    check_covers(file)?;
    if let Some(index) = file.chains.iter().position(|chain| !chain.holds.is_empty() && !same_holds(chain)) {
        return Err(format!("chain {}: `holds` does not tell of the inputs of its steps", index + 1));
    }
    check_verdicts(file)?;
    check_summary(file)
}

/// Each requirement has one verdict, and a goal that of its requirement; only what is violated has
/// an execution that violates it.
fn check_verdicts(file: &ChainFile) -> Result<(), String> {
    let names = distinct("requirement", file.verdicts.iter().map(|verdict| &verdict.name))?;
    for verdict in &file.verdicts {
        let is_violated = verdict.verdict == VerdictName::Violated;
        if is_violated != verdict.counterexample.is_some() {
            return Err(format!(
                "requirement `{}`: its verdict does not fit its counterexample",
                verdict.name
            ));
        }
    }
    for goal in file.goals.iter().filter(|goal| goal.verdict.is_some()) {
        let stated = file.verdicts.iter().find(|verdict| verdict.name == goal.name);
        if !names.contains(goal.name.as_str()) || stated.map(|stated| stated.verdict) != goal.verdict {
            return Err(format!("goal `{}`: its verdict is not that of its requirement", goal.name));
        }
    }
    Ok(())
}

/// The names, of which no two are the same; those of goals have no characters that are not seen.
fn distinct<'n>(what: &str, names: impl Iterator<Item = &'n String>) -> Result<BTreeSet<&'n str>, String> {
    let mut known = BTreeSet::new();
    for name in names {
        if matches!(what, "goal" | "requirement") && name.chars().any(is_hidden) {
            return Err(format!("the name of {what} `{}` has characters that are not seen", visible(name)));
        }
        if !known.insert(name.as_str()) {
            return Err(format!("there are two of {what} `{name}`"));
        }
    }
    Ok(known)
}

fn width(what: &str, signal: &Signal) -> Result<(), String> {
    let fits = match signal.kind {
        Some(Kind::Float) => [32, 64].contains(&signal.bits),
        _ => (1..=128).contains(&signal.bits),
    };
    if fits { Ok(()) } else { Err(format!("{what} `{}` cannot have {} bits", signal.name, signal.bits)) }
}

fn check_chain(file: &ChainFile, chain: &Chain, goals: &BTreeSet<&str>) -> Result<(), String> {
    if chain.length != chain.steps.len() {
        return Err(format!(
            "its length is said to be {}, but it has {} steps",
            chain.length,
            chain.steps.len()
        ));
    }
    let unknown = |name: &&String| !goals.contains(name.as_str());
    if let Some(name) = chain.order.iter().find(unknown) {
        return Err(format!("its order names `{}`, which is no goal", visible(name)));
    }
    for (number, step) in chain.steps.iter().enumerate() {
        check_step(file, step, goals).map_err(|why| format!("step {number}: {why}"))?;
    }
    let (last, others) =
        chain.steps.split_last().map_or((None, &[][..]), |(last, others)| (Some(last), others));
    if others.iter().any(|step| step.ends.is_some()) {
        return Err("a step that does not return is not its last one".to_owned());
    }
    // A step that does not return leaves neither outputs nor a state.
    match last.is_some_and(|step| step.ends.is_some()) {
        true if !chain.end_state.is_empty() => {
            return Err("it has an end, but its last step does not return".to_owned());
        }
        true => {}
        false => {
            values("state word", &file.state, &chain.end_state).map_err(|why| format!("its end: {why}"))?
        }
    }
    match &chain.replayed {
        Json::Bool(_) => Ok(()),
        Json::String(text) if text == "evaluator" => Ok(()),
        other => Err(format!("`replayed` cannot be {other}")),
    }
}

fn same_holds(chain: &Chain) -> bool {
    let expected = holds(chain, None);
    expected.len() == chain.holds.len()
        && expected.iter().zip(&chain.holds).all(|(expected, held)| {
            (expected.at, expected.steps) == (held.at, held.steps)
                && expected.inputs == held.inputs
                && expected.covers == held.covers
        })
}

fn check_step(file: &ChainFile, step: &Step, goals: &BTreeSet<&str>) -> Result<(), String> {
    values("input", &file.inputs, &step.inputs)?;
    match step.ends {
        Some(_) if !step.outputs.is_empty() => return Err("it has outputs, but does not return".to_owned()),
        Some(_) => {}
        None => values("output", &file.outputs, &step.outputs)?,
    }
    values("state word", &file.state, &step.state)?;
    if let Some(name) = step.covers.iter().find(|name| !goals.contains(name.as_str())) {
        return Err(format!("it covers `{}`, which is no goal", visible(name)));
    }
    let is_input = |name: &&String| file.inputs.iter().any(|input| input.name == **name);
    match step.dont_care.iter().find(|name| !is_input(name)) {
        Some(name) => Err(format!("`{}` does not matter, but is no input", visible(name))),
        None => Ok(()),
    }
}

/// Each signal has a value of its type, and nothing else has one.
fn values(what: &str, signals: &[Signal], values: &Values) -> Result<(), String> {
    for signal in signals {
        let Some(value) = values.get(&signal.name) else {
            return Err(format!("{what} `{}` has no value", signal.name));
        };
        if !is_value(signal, &value) {
            return Err(format!("{value} is no value of {what} `{}` ({})", signal.name, signal.type_name));
        }
    }
    if values.len() == signals.len() {
        return Ok(());
    }
    let is_known = |name: &str| signals.iter().any(|signal| signal.name == name);
    let unknown = values.keys().find(|name| !is_known(name)).map_or("", String::as_str);
    Err(format!("there is a value for `{}`, which is no {what}", visible(unknown)))
}

fn is_value(signal: &Signal, json: &Json) -> bool {
    let integer = |signed: bool| match json {
        Json::Object(_) | Json::Array(_) | Json::Null => false,
        _ => number::from_json(json, Sort::word(128)).is_some_and(|value| {
            let (number, bits) = (value.signed(), signal.bits);
            match signed {
                true => bits > 127 || (-(1 << (bits - 1))..1 << (bits - 1)).contains(&number),
                false => bits > 126 || (0..1 << bits).contains(&number),
            }
        }),
    };
    match signal.kind {
        Some(Kind::Float) => is_float(signal.bits, json),
        Some(Kind::Signed) => integer(true),
        Some(Kind::Bool | Kind::Unsigned | Kind::Pointer) => integer(false),
        None if json.is_object() => [32, 64].contains(&signal.bits) && is_float(signal.bits, json),
        None => integer(true) || integer(false),
    }
}

/// Whether bits and number are there and say the same.
fn is_float(bits: u32, json: &Json) -> bool {
    let format = if bits == 32 { FloatFormat::Single } else { FloatFormat::Double };
    let digits = json.get("bits").and_then(Json::as_str).and_then(|text| text.strip_prefix("0x"));
    let pattern = digits.and_then(|digits| u128::from_str_radix(digits, 16).ok());
    if pattern.is_none_or(|pattern| pattern >> bits != 0) {
        return false;
    }
    let value = number::from_json(json, Sort::Float(format));
    let expected = value.map(|value| number::to_json(value, &frontend::SignalKind::Float));
    match (expected.as_ref().and_then(|expected| expected.get("value")), json.get("value")) {
        (Some(expected), Some(told)) => expected == told || are_near(expected.as_f64(), told.as_f64()),
        _ => false,
    }
}

/// Whether numbers are the same but for what reading decimals may lose: the bits count, the decimal
/// is there for people.
fn are_near(left: Option<f64>, right: Option<f64>) -> bool {
    const ROUNDING: f64 = 1e-14;
    left.zip(right).is_some_and(|(left, right)| {
        (left - right).abs() <= ROUNDING * left.abs() || (left - right).abs() < f64::MIN_POSITIVE
    })
}

fn check_goal(file: &ChainFile, goal: &Goal) -> Result<(), String> {
    if goal.steps == 0 {
        return Err("its window has no step".to_owned());
    }
    let place = |what: &str, chain: usize, at: usize| {
        let length = file.chains.get(chain).map(|chain| chain.steps.len());
        match length.filter(|&length| at.checked_add(goal.steps as usize).is_some_and(|end| end <= length)) {
            Some(_) => Ok(()),
            None => Err(format!(
                "{what} at step {at} of chain {}, which has no such steps",
                chain.saturating_add(1)
            )),
        }
    };
    if let Some(violation) = goal.violation {
        place("it is violated", violation.chain, violation.at)?;
    }
    match (goal.status, goal.chain, goal.at) {
        (Status::Covered, Some(chain), Some(at)) => place("it is covered", chain, at),
        (Status::Unreachable | Status::Undecided, None, None) => Ok(()),
        _ => Err("its status does not fit where it is said to occur".to_owned()),
    }
}

/// What steps cover is what goals say of their first occurrence.
fn check_covers(file: &ChainFile) -> Result<(), String> {
    for (index, chain) in file.chains.iter().enumerate() {
        let mut seen = BTreeSet::new();
        for (number, step) in chain.steps.iter().enumerate() {
            for name in &step.covers {
                let goal = file.goals.iter().find(|goal| goal.name == *name);
                let goal = goal.and_then(|goal| Some((goal.chain?, goal.at? + goal.steps as usize - 1)));
                let fits = goal.is_some_and(|place| place.0 < index || place == (index, number));
                if !fits || !seen.insert(name) {
                    return Err(format!(
                        "step {number} of chain {} covers `{name}`, but the goal is said to occur elsewhere",
                        index + 1
                    ));
                }
            }
        }
    }
    for goal in &file.goals {
        let Some((chain, at)) = goal.chain.zip(goal.at) else { continue };
        if !file.chains[chain].steps[at + goal.steps as usize - 1].covers.contains(&goal.name) {
            return Err(format!("goal `{}`: the step that completes it does not list it", goal.name));
        }
    }
    Ok(())
}

fn check_summary(file: &ChainFile) -> Result<(), String> {
    let summary = &file.summary;
    let numbers = [
        ("goals", summary.goals, file.goals.len()),
        ("covered", summary.covered, file.goals.iter().filter(|goal| goal.chain.is_some()).count()),
        ("chains", summary.chains, file.chains.len()),
        ("length", summary.length, file.chains.iter().map(|chain| chain.length).sum()),
    ];
    match numbers.into_iter().find(|(_, told, counted)| told != counted) {
        Some((name, told, counted)) => {
            Err(format!("the summary says {name} {told}, but there are {counted}"))
        }
        None => Ok(()),
    }
}
