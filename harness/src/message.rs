//! The messages of the protocol: one JSON object in one line, for each request one answer.

use crate::strict::strict_json;
use crate::system::{Broken, Fields};
use crate::time::Time;
use serde_json::{Value as Json, json};

/// An event with its parameters: an input to give, or an output that came.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The name of the action or channel.
    pub name: String,
    /// Its parameters: truths, numbers, texts.
    pub args: Vec<Json>,
    /// The time since the event before, or since the beginning; absent in systems without time.
    pub after: Option<Time>,
}

/// What a system of events answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// `{"ok":true}`: the input was given.
    Accepted,
    /// The input was given in real time, so long after the event before.
    Given(Time),
    /// `{"refused":true}`: the system does not take this input now.
    Refused,
    /// `{"out":"Armed","args":[],"after":"1"}`: an output came.
    Output(Event),
    /// `{"quiet":"5"}`, or `{"quiet":true}` without time: no output came.
    Quiet(Option<Time>),
}

/// The request that begins a run.
pub(crate) fn reset() -> Json {
    json!({ "reset": true })
}

/// The request of a synchronous step.
pub(crate) fn step(number: u64, inputs: &Fields) -> Json {
    json!({ "step": number, "in": inputs })
}

/// The request to give an input.
pub(crate) fn input(event: &Event) -> Json {
    let mut request = json!({ "in": event.name, "args": event.args });
    if let Some(after) = &event.after {
        request["after"] = json!(after.to_string());
    }
    request
}

/// The request to wait for an output.
pub(crate) fn watch(time: Option<&Time>) -> Json {
    json!({ "watch": time.map_or(json!(true), |time| json!(time.to_string())) })
}

/// Something that a line is not.
fn ill_formed(answer: &Json, why: impl Into<String>) -> Broken {
    Broken::IllFormed { line: answer.to_string(), why: why.into() }
}

/// The answer of a line, unless the system says in it that it cannot go on.
pub(crate) fn answer(line: &str) -> Result<Json, Broken> {
    let parsed = strict_json(line)
        .map_err(|error| Broken::IllFormed { line: line.to_owned(), why: format!("no JSON ({error})") })?;
    match parsed.get("error") {
        _ if !parsed.is_object() => Err(ill_formed(&parsed, "not a JSON object")),
        Some(Json::String(text)) => Err(Broken::Refuses(text.clone())),
        Some(other) => Err(Broken::Refuses(other.to_string())),
        None => Ok(parsed),
    }
}

/// The answer to a reset.
pub(crate) fn acknowledged(answer: &Json) -> Result<(), Broken> {
    match answer.get("ok") {
        Some(Json::Bool(true)) => Ok(()),
        _ => Err(ill_formed(answer, "`{\"ok\":true}` is the answer to a reset")),
    }
}

/// The outputs of a synchronous step.
pub(crate) fn outputs(answer: &Json, number: u64) -> Result<Fields, Broken> {
    if let Some(step) = answer.get("step")
        && step.as_u64() != Some(number)
    {
        return Err(ill_formed(answer, format!("step {number} was asked for")));
    }
    match answer.get("out") {
        Some(Json::Object(fields)) => Ok(fields.clone()),
        _ => Err(ill_formed(answer, "`{\"out\":{...}}` is the answer to a step")),
    }
}

/// The reply of a system of events; `is_timed`: whether the request carried a time.
pub(crate) fn reply(answer: &Json, is_timed: bool) -> Result<Reply, Broken> {
    if let Some(name) = answer.get("out") {
        let Some(name) = name.as_str() else { return Err(ill_formed(answer, "`out` names no output")) };
        let args = match answer.get("args") {
            None => Vec::new(),
            Some(Json::Array(args)) => args.clone(),
            Some(_) => return Err(ill_formed(answer, "`args` is no list")),
        };
        let after = answer.get("after").map(|after| time(after, answer)).transpose()?;
        if is_timed && after.is_none() {
            return Err(ill_formed(answer, "an output without `after`"));
        }
        return Ok(Reply::Output(Event { name: name.to_owned(), args, after }));
    }
    if let Some(quiet) = answer.get("quiet") {
        return match quiet {
            Json::Bool(true) if !is_timed => Ok(Reply::Quiet(None)),
            _ => Ok(Reply::Quiet(Some(time(quiet, answer)?))),
        };
    }
    match (answer.get("ok"), answer.get("refused")) {
        (Some(Json::Bool(true)), None) => Ok(Reply::Accepted),
        (None, Some(Json::Bool(true))) => Ok(Reply::Refused),
        _ => Err(ill_formed(answer, "neither `out`, `quiet`, `ok` nor `refused`")),
    }
}

/// A time as a text or number. Numbers are taken for the decimals that they are printed as.
fn time(value: &Json, answer: &Json) -> Result<Time, Broken> {
    let text = match value {
        Json::String(text) => text.clone(),
        Json::Number(number) => number.to_string(),
        _ => return Err(ill_formed(answer, "a time is a decimal or `p/q` in a text")),
    };
    Time::parse(&text).ok_or_else(|| ill_formed(answer, format!("`{text}` is no time")))
}
