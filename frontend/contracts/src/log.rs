//! Recorded runs: CSV tables, JSON lines, and what simulators of hardware dump.

use crate::interface::Interface;
use crate::semantics::{Valuation, id_index};
use crate::syntax::Role;
use crate::values::{from_json, from_text};
use crate::vcd::{self, Sampling};
use frontend::limit::{Limit, Reason};
use harness::strict_json;
use serde_json::{Map, Value as Json};
use spec::scope::VariableId;

/// Why a log cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// It has no column for an input.
    #[error("the log has no column for the input `{0}`; all inputs have to be known")]
    NoInput(String),
    /// It has no column for any output.
    #[error("the log has no column for an output; its columns are: {0}")]
    NoOutput(String),
    /// It has several chains.
    #[error("the table has several chains (column `chain`): give the rows of one")]
    SeveralChains,
    /// It has two columns of one name.
    #[error("the log has two columns `{0}`")]
    TwoColumns(String),
    /// A value that is none of the variable's kind.
    #[error("line {line}: `{text}` is no value of `{name}`: {ty}")]
    NoValue {
        /// The line, from 1.
        line: usize,
        /// What stands there.
        text: String,
        /// The variable.
        name: String,
        /// Its type.
        ty: String,
    },
    /// A dump of values (VCD) that cannot be read.
    #[error("{0}")]
    Dump(String),
    /// It is no dump, but it was said how to read one.
    #[error("--clock, --every and --map say how a VCD is read, and this log is none")]
    NoDump,
    /// A limit was reached before all was read.
    #[error("{0}, and not all of it was read")]
    Stopped(Reason),
    /// A line that is no JSON object.
    #[error("line {line}: {why}")]
    Malformed {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
}

/// The steps of a log: VCD where it begins with `$`, JSON lines where the first line begins with
/// `{`, else CSV. Outputs that are missing are unknown, but a table has one of them; other columns
/// are not looked at.
///
/// # Errors
/// An input is missing, a value has the wrong kind, a line is malformed.
pub fn parse(
    interface: &Interface,
    text: &str,
    sampling: &Sampling,
    limit: &Limit,
) -> Result<Vec<Valuation>, LogError> {
    read(interface, text, sampling, true, limit)
}

fn read(
    interface: &Interface,
    text: &str,
    sampling: &Sampling,
    needs_outputs: bool,
    limit: &Limit,
) -> Result<Vec<Valuation>, LogError> {
    let text = text.trim_start_matches('\u{feff}');
    if vcd::is_dump(text) {
        return vcd::parse(interface, text, sampling, limit);
    }
    if *sampling != Sampling::default() {
        return Err(LogError::NoDump);
    }
    if text.trim_start().starts_with('{') {
        json_lines(interface, text, limit)
    } else {
        table(interface, text, needs_outputs, limit)
    }
}

/// Steps that are read between two looks at the clock.
const BETWEEN_LOOKS: usize = 1 << 10;

/// Ends reading where a limit is reached.
pub(crate) fn look_at_limit(step: usize, limit: &Limit) -> Result<(), LogError> {
    let reason = step.is_multiple_of(BETWEEN_LOOKS).then(|| limit.reason()).flatten();
    reason.map_or(Ok(()), |reason| Err(LogError::Stopped(reason)))
}

/// The steps of a table that needs inputs only: outputs that stand there are not looked at.
///
/// # Errors
/// As for [`parse`].
pub fn parse_inputs(interface: &Interface, text: &str, limit: &Limit) -> Result<Vec<Valuation>, LogError> {
    let mut steps = read(interface, text, &Sampling::default(), false, limit)?;
    for step in &mut steps {
        for id in interface.controlled() {
            step[id_index(id)] = None;
        }
    }
    Ok(steps)
}

fn no_value(interface: &Interface, id: VariableId, line: usize, text: String) -> LogError {
    let variable = interface.scope.variable(id);
    LogError::NoValue { line, text, name: variable.name.clone(), ty: variable.ty.to_string() }
}

/// The fields of a line of CSV; quotes may hold commas, and two of them stand for one.
fn fields(line: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut is_quoted = false;
    let mut characters = line.trim_end_matches('\r').chars().peekable();
    while let Some(character) = characters.next() {
        let last = found.len() - 1;
        match character {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                characters.next();
                found[last].push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' | ';' if !is_quoted => found.push(String::new()),
            other => found[last].push(other),
        }
    }
    found.iter().map(|field| field.trim().to_owned()).collect()
}

fn table(
    interface: &Interface,
    text: &str,
    needs_outputs: bool,
    limit: &Limit,
) -> Result<Vec<Valuation>, LogError> {
    let is_content = |line: &str| !line.trim().is_empty() && !line.starts_with('#');
    let mut lines = text.lines().enumerate().filter(|(_, line)| is_content(line));
    let Some((first_line, header)) = lines.next() else {
        return Err(LogError::Malformed { line: 1, why: "the log is empty".to_owned() });
    };
    let header = fields(header);
    // A blank line in a table of one column could be a step without a value.
    let mut rows = text.trim_end().lines().enumerate().skip(first_line);
    if header.len() == 1
        && let Some((number, _)) = rows.find(|(_, line)| line.trim().is_empty())
    {
        let why = "a blank line in a table of one column: an unknown value is written \"\"".to_owned();
        return Err(LogError::Malformed { line: number + 1, why });
    }
    let mut columns: Vec<(VariableId, usize)> = Vec::new();
    for id in interface.observable() {
        let name = &interface.scope.variable(id).name;
        let mut places = (0..header.len()).filter(|&index| header[index] == *name);
        match (places.next(), places.next()) {
            (Some(_), Some(_)) => return Err(LogError::TwoColumns(name.clone())),
            (Some(place), None) => columns.push((id, place)),
            (None, _) if interface.roles[id] == Role::Input => return Err(LogError::NoInput(name.clone())),
            (None, _) => {}
        }
    }
    let is_output = |&(id, _): &(VariableId, usize)| interface.roles[id] == Role::Output;
    let has_outputs = interface.variables(Role::Output).next().is_some();
    if needs_outputs && has_outputs && !columns.iter().any(is_output) {
        return Err(LogError::NoOutput(header.join(", ")));
    }
    // Tables that this program writes.
    let is_variable = |name: &String| interface.scope.variable_named(name).is_some();
    let chain = header.iter().position(|name| name == "chain" && !is_variable(name));
    let steps = header.iter().position(|name| name == "step" && !is_variable(name));
    let mut numbers = Numbers::default();
    let mut first: Option<String> = None;
    let mut before: Valuation = vec![None; interface.roles.len()];
    let step = |(number, line): (usize, &str)| {
        look_at_limit(number, limit)?;
        let fields = fields(line);
        if fields.len() != header.len() {
            let why = format!("fields of the row: {}, of the header: {}", fields.len(), header.len());
            return Err(LogError::Malformed { line: number + 1, why });
        }
        let mut now: Valuation = vec![None; interface.roles.len()];
        for &(id, place) in &columns {
            let text = fields.get(place).map_or("", String::as_str);
            if text.is_empty() && (interface.roles[id] != Role::Input || before[id_index(id)].is_some()) {
                // An input that does not matter keeps its value.
                if interface.roles[id] == Role::Input {
                    now[id_index(id)].clone_from(&before[id_index(id)]);
                }
                continue;
            }
            let value = from_text(&interface.scope.variable(id).ty, text);
            now[id_index(id)] =
                Some(value.ok_or_else(|| no_value(interface, id, number + 1, text.to_owned()))?);
        }
        if let Some(chain) = chain
            && *first.get_or_insert_with(|| fields[chain].clone()) != fields[chain]
        {
            return Err(LogError::SeveralChains);
        }
        let told = steps.and_then(|steps| fields[steps].parse().ok());
        numbers.follow(told).map_err(|why| LogError::Malformed { line: number + 1, why })?;
        before.clone_from(&now);
        Ok(now)
    };
    let found: Vec<Valuation> = lines.map(step).collect::<Result<_, _>>()?;
    match found.is_empty() {
        true => Err(LogError::Malformed { line: 1, why: "the log has no rows".to_owned() }),
        false => Ok(found),
    }
}

/// Numbers of steps: where a log has them, none is left out.
#[derive(Debug, Default)]
struct Numbers(Option<u64>);

impl Numbers {
    /// Takes the number of the next step.
    fn follow(&mut self, number: Option<u64>) -> Result<(), String> {
        let before = std::mem::replace(&mut self.0, number);
        match before.zip(number) {
            Some((before, now)) if before.checked_add(1) != Some(now) => {
                Err(format!("step {now} follows step {before}"))
            }
            _ => Ok(()),
        }
    }
}

/// Each line an object: names and values, or `in` and `out` with names and values.
fn json_lines(interface: &Interface, text: &str, limit: &Limit) -> Result<Vec<Valuation>, LogError> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let mut numbers = Numbers::default();
    let has_variable = interface.scope.variable_named("step").is_some();
    let step = |(number, line): (usize, &str)| {
        look_at_limit(number, limit)?;
        let malformed = |why: String| LogError::Malformed { line: number + 1, why };
        let object = match strict_json(line) {
            Ok(Json::Object(object)) => object,
            Ok(_) => return Err(malformed("no JSON object".to_owned())),
            Err(error) => return Err(malformed(format!("no JSON object ({error})"))),
        };
        let told = object.get("step").filter(|_| !has_variable).and_then(Json::as_u64);
        numbers.follow(told).map_err(malformed)?;
        let mut known = Map::new();
        let is_nested = ["in", "out"].iter().any(|key| object.get(*key).is_some_and(Json::is_object));
        if is_nested {
            for key in ["in", "out"] {
                for (name, value) in object.get(key).and_then(Json::as_object).into_iter().flatten() {
                    if known.insert(name.clone(), value.clone()).is_some() {
                        return Err(malformed(format!("`{name}` stands in both `in` and `out`")));
                    }
                }
            }
        } else {
            known = object;
        }
        valuation(interface, &known, Role::Hidden).map_err(|unread| match unread {
            Unread::Missing(id) => {
                let name = &interface.scope.variable(id).name;
                malformed(format!("the input `{name}` is missing; all inputs have to be known"))
            }
            Unread::NoValue(id, text) => no_value(interface, id, number + 1, text),
        })
    };
    lines.map(step).collect()
}

/// The values of all inputs in an object; those outside their types are refused.
///
/// # Errors
/// A message that names the input.
pub fn inputs(interface: &Interface, object: &Map<String, Json>) -> Result<Valuation, String> {
    inside(interface, object, Role::Input)
}

/// The values of outputs in an object; those outside their types are refused.
///
/// # Errors
/// A message that names the output.
pub fn outputs(interface: &Interface, object: &Map<String, Json>) -> Result<Valuation, String> {
    inside(interface, object, Role::Output)
}

fn inside(interface: &Interface, object: &Map<String, Json>, role: Role) -> Result<Valuation, String> {
    let name = |id| &interface.scope.variable(id).name;
    let known = valuation(interface, object, role).map_err(|unread| match unread {
        Unread::Missing(id) => format!("the input `{}` is missing", name(id)),
        Unread::NoValue(id, text) => format!("{text} is no value of `{}`", name(id)),
    })?;
    let is_outside = |id: &VariableId| {
        let value = known[id_index(*id)].as_ref();
        value.is_some_and(|value| !interface.scope.variable(*id).ty.contains(value))
    };
    match interface.variables(role).find(is_outside) {
        Some(id) => {
            Err(format!("the value of `{}` is outside {}", name(id), interface.scope.variable(id).ty))
        }
        None => Ok(known),
    }
}

/// What is wrong with an object of values.
pub(crate) enum Unread {
    /// An input is missing.
    Missing(VariableId),
    /// A value has the wrong kind.
    NoValue(VariableId, String),
}

/// The values of an object. Only those of variables of `only` are looked at; [`Role::Hidden`]
/// stands for inputs and outputs, of which inputs must be there.
pub(crate) fn valuation(
    interface: &Interface,
    object: &Map<String, Json>,
    only: Role,
) -> Result<Valuation, Unread> {
    let mut now: Valuation = vec![None; interface.roles.len()];
    let is_read = |id: &VariableId| only == Role::Hidden || interface.roles[*id] == only;
    for id in interface.observable().filter(is_read) {
        let variable = interface.scope.variable(id);
        match object.get(&variable.name) {
            None | Some(Json::Null) if interface.roles[id] != Role::Input => {}
            None | Some(Json::Null) => return Err(Unread::Missing(id)),
            Some(value) => {
                let read = from_json(&variable.ty, value);
                now[id_index(id)] = Some(read.ok_or_else(|| Unread::NoValue(id, value.to_string()))?);
            }
        }
    }
    Ok(now)
}
