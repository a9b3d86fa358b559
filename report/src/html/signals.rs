//! The chain over time: data for the script, and the place where it draws.

use super::text::script_data;
use crate::output::chain_file::{Chain, ChainFile, Kind, Signal, Step, Values};
use config::duration;
use frontend::diagnostics::visible;
use serde_json::{Map, Value as Json, json};

/// The canvas area with its controls; without a script it says so.
pub(super) fn section(file: &ChainFile) -> String {
    if file.chains.is_empty() {
        return String::new();
    }
    "<div class=\"controls\">\
     <label>Chain <select id=\"which\"></select></label>\
     <button type=\"button\" id=\"in\" title=\"Zoom in (+)\">+</button><button type=\"button\" id=\"out\" title=\"Zoom out (-)\">&minus;</button>\
     <button type=\"button\" id=\"all\" title=\"Show all (0)\">all</button>\
     <label><input type=\"checkbox\" id=\"states\"> state</label>\
     <span id=\"at\" role=\"status\"></span></div>\n\
     <div id=\"marks\"></div>\n\
     <div id=\"plots\" tabindex=\"0\" role=\"application\" aria-label=\"Signals over time: arrow keys move, plus and minus zoom\"></div>\n\
     <p class=\"hint\">Move the pointer or the arrow keys to read values; wheel or + and - to zoom, drag to move. Outputs and state are those \
     after the step; hatched inputs do not matter.</p>\n<noscript><p>Signals are drawn by a script.</p></noscript>\n"
        .to_owned()
}

/// What the script draws from: signals by group, and for each chain run-length coded values.
pub(super) fn data(file: &ChainFile) -> String {
    let period = file.model.period.as_ref().and_then(|text| duration::parse(text).ok());
    let signal = |signal: &Signal| {
        json!({ "name": visible(&signal.name), "type": visible(&signal.type_name), "unit": signal.unit.as_deref().map(visible),
                "text": signal.text.as_deref().map(visible), "bool": signal.kind == Some(Kind::Bool),
                "names": signal.enumerators.iter().map(|(name, value)| (plain(value), json!(name))).collect::<Map<_, _>>() })
    };
    let group = |signals: &[Signal]| signals.iter().map(signal).collect::<Vec<_>>();
    script_data(&json!({
        "period": period.map(|period| period.as_secs_f64()),
        "groups": [group(&file.inputs), group(&file.outputs), group(&file.state)],
        "chains": file.chains.iter().map(|chain| chain_data(file, chain)).collect::<Vec<_>>(),
    }))
}

fn chain_data(file: &ChainFile, chain: &Chain) -> Json {
    let after = |number: usize| chain.steps.get(number + 1).map_or(&chain.end_state, |step| &step.state);
    let inputs = runs(&file.inputs, chain, |_, step| &step.inputs);
    let outputs = runs(&file.outputs, chain, |_, step| &step.outputs);
    let states = runs(&file.state, chain, |number, _| after(number));
    let marks = chain.steps.iter().enumerate().flat_map(|(number, step)| {
        step.covers.iter().map(move |goal| {
            let length = file.goals.iter().find(|known| known.name == *goal).map_or(1, |goal| goal.steps);
            json!([number + 1 - (length as usize).min(number + 1), number, goal])
        })
    });
    json!({ "length": chain.length, "values": [inputs, outputs, states], "marks": marks.collect::<Vec<_>>(), "free": free(file, chain) })
}

/// For each signal: pairs of first step and value, one for each change.
fn runs<'c>(
    signals: &[Signal],
    chain: &'c Chain,
    values: impl Fn(usize, &'c Step) -> &'c Values,
) -> Vec<Vec<Json>> {
    let one = |signal: &Signal| {
        let mut runs: Vec<Json> = Vec::new();
        let mut last = &Values::new();
        for (number, step) in chain.steps.iter().enumerate() {
            let now = values(number, step);
            if !now.agrees_on(&signal.name, last) {
                runs.push(json!([number, now.get(&signal.name).map(|value| shown(&value))]));
            }
            last = now;
        }
        runs
    };
    signals.iter().map(one).collect()
}

/// For each input: stretches of steps in which it does not matter.
fn free(file: &ChainFile, chain: &Chain) -> Vec<Vec<[usize; 2]>> {
    let one = |signal: &Signal| {
        let mut stretches: Vec<[usize; 2]> = Vec::new();
        for (number, step) in
            chain.steps.iter().enumerate().filter(|(_, step)| step.dont_care.contains(&signal.name))
        {
            debug_assert!(step.inputs.contains_key(&signal.name));
            match stretches.last_mut() {
                Some(last) if last[1] + 1 == number => last[1] = number,
                _ => stretches.push([number, number]),
            }
        }
        stretches
    };
    file.inputs.iter().map(one).collect()
}

/// A value for the script: numbers, or text for what no double holds.
fn shown(value: &Json) -> Json {
    match value {
        Json::Object(float) => float.get("value").cloned().unwrap_or(Json::Null),
        other => other.clone(),
    }
}

fn plain(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}
