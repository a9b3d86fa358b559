//! Checks of witnesses, in the format of the hardware model checking competition: an execution
//! that makes `bad` lines true.

use crate::ReadError;
use crate::player::{Cells, Player, Sort, Value, mask};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A witness that was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// Number and name of each `bad` line that it is about, with the first step in which it holds.
    pub bads: Vec<(usize, String, usize)>,
    /// Its number of steps.
    pub steps: usize,
    /// How many free values it does not give; they are taken as zero.
    pub missing: usize,
}

/// Why a witness is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The model cannot be played.
    #[error("the model cannot be played: {0}")]
    Model(#[from] ReadError),
    /// The witness is not written as witnesses are.
    #[error("line {line}: {message}")]
    Malformed {
        /// The line of the witness, from 1.
        line: usize,
        /// What is wrong with it.
        message: String,
    },
    /// It claims that nothing can be reached, which no execution shows.
    #[error("it claims that a `bad` line cannot be reached, and has no execution that could be checked")]
    Unsatisfiable,
    /// It is no execution of the model, or does not show what it claims.
    #[error("witness from line {line} on: {message}")]
    Rejected {
        /// Its first line in the file, from 1.
        line: usize,
        /// What is wrong with it.
        message: String,
    },
}

/// Plays the witnesses of a text on a model, line by line of the model, without its translation
/// into terms.
///
/// A witness is accepted if it is an execution in which all constraints hold up to the first step
/// in which a `bad` line holds that it claims to reach, for each of these. What it says of states
/// that are determined must be so. Bits that it leaves open (`x`) and values that it does not give
/// are zero.
///
/// # Errors
/// The first witness that is not accepted, or what is wrong with the texts.
///
/// ```
/// let model = "1 sort bitvec 1\n2 input 1 go\n3 zero 1\n4 state 1 on\n5 init 1 4 3\n6 next 1 4 2\n7 bad 4 lit\n";
/// let accepted = btor2::check_witness(model, "sat\nb0\n#0\n@0\n0 1 go@0\n@1\n.\n").expect("a witness");
/// assert_eq!(accepted[0].bads, [(0, "lit".to_owned(), 1)]);
/// assert!(btor2::check_witness(model, "sat\nb0\n#0\n@0\n0 0 go@0\n@1\n.\n").is_err());
/// ```
pub fn check_witness(model: &str, witness: &str) -> Result<Vec<Accepted>, Refused> {
    let player = Player::new(model)?;
    let claims = parse(witness)?;
    claims.iter().map(|claim| play(&player, claim)).collect()
}

/// What a witness says of one word or element in one step.
struct Given {
    line: usize,
    number: usize,
    /// Of arrays: which element.
    element: Option<u128>,
    bits: u128,
    width: u32,
}

/// What a witness says of one step.
#[derive(Default)]
struct Frame {
    states: Vec<Given>,
    inputs: Vec<Given>,
}

/// One witness.
struct Claim {
    line: usize,
    bads: Vec<usize>,
    frames: Vec<Frame>,
}

fn parse(text: &str) -> Result<Vec<Claim>, Refused> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with(';'));
    let mut claims = Vec::new();
    while let Some((line, head)) = lines.next() {
        match head {
            "sat" => claims.push(claim(line, &mut lines)?),
            "unsat" => return Err(Refused::Unsatisfiable),
            _ => return Err(malformed(line, "a witness begins with `sat`")),
        }
    }
    if claims.is_empty() {
        return Err(malformed(1, "there is no witness"));
    }
    Ok(claims)
}

fn malformed(line: usize, message: impl Into<String>) -> Refused {
    Refused::Malformed { line, message: message.into() }
}

fn claim<'t>(begin: usize, lines: &mut impl Iterator<Item = (usize, &'t str)>) -> Result<Claim, Refused> {
    let mut claim = Claim { line: begin, bads: Vec::new(), frames: Vec::new() };
    let (line, properties) =
        lines.next().ok_or_else(|| malformed(begin, "behind `sat` stand properties (`b0`)"))?;
    for property in properties.split_whitespace() {
        let number = property.strip_prefix('b').and_then(|number| number.parse().ok());
        claim.bads.push(
            number.ok_or_else(|| {
                malformed(line, format!("`{property}` is no property of safety such as `b0`"))
            })?,
        );
    }
    let mut is_of_states = None;
    for (line, text) in lines {
        match text.split_at_checked(1) {
            Some((".", "")) => return Ok(claim),
            Some((kind @ ("#" | "@"), step)) => {
                // A step may have a part for states, and has one for inputs behind it.
                let opens = kind == "#" || is_of_states != Some(true);
                if opens {
                    claim.frames.push(Frame::default());
                }
                if step.parse() != Ok(claim.frames.len() - 1) {
                    return Err(malformed(
                        line,
                        format!("`{text}`: step {} comes here", claim.frames.len() - 1),
                    ));
                }
                is_of_states = Some(kind == "#");
            }
            _ => {
                let (Some(is_of_states), Some(frame)) = (is_of_states, claim.frames.last_mut()) else {
                    return Err(malformed(line, "values stand behind `#0` or `@0`"));
                };
                let list = if is_of_states { &mut frame.states } else { &mut frame.inputs };
                list.push(given(line, text)?);
            }
        }
    }
    Err(malformed(begin, "the witness that begins here does not end with `.`"))
}

fn given(line: usize, text: &str) -> Result<Given, Refused> {
    let mut words = text.split_whitespace().peekable();
    let number = words.next().and_then(|word| word.parse().ok());
    let number =
        number.ok_or_else(|| malformed(line, "a value begins with the number of its input or state"))?;
    let element = match words.peek().and_then(|word| word.strip_prefix('[')?.strip_suffix(']')) {
        Some(index) => {
            words.next();
            Some(bits(index).ok_or_else(|| malformed(line, "an index is binary"))?.0)
        }
        None => None,
    };
    let value = words.next().and_then(bits);
    let (bits, width) = value.ok_or_else(|| malformed(line, "a value is binary, of at most 128 bits"))?;
    Ok(Given { line, number, element, bits, width })
}

/// A binary number and its width; bits that are left open are zero.
fn bits(word: &str) -> Option<(u128, u32)> {
    let width = u32::try_from(word.len()).ok().filter(|width| (1..=u128::BITS).contains(width))?;
    let bit = |bits: u128, digit: char| match digit {
        '0' | 'x' => Some(bits << 1),
        '1' => Some(bits << 1 | 1),
        _ => None,
    };
    Some((word.chars().try_fold(0, bit)?, width))
}

fn play(player: &Player<'_>, claim: &Claim) -> Result<Accepted, Refused> {
    let reject = |message: String| Refused::Rejected { line: claim.line, message };
    if let Some(bad) = claim.bads.iter().find(|&&bad| bad >= player.bads.len()) {
        return Err(reject(format!("the model has {} `bad` lines, and no b{bad}", player.bads.len())));
    }
    if claim.bads.is_empty() || claim.frames.is_empty() {
        return Err(reject("it names no property, or has no step".to_owned()));
    }
    let mut found: Vec<Option<usize>> = vec![None; claim.bads.len()];
    let mut missing = 0;
    let mut last = None;
    for (step, frame) in claim.frames.iter().enumerate() {
        let told = told(player, frame)?;
        let states = states(player, step, last.as_ref(), &told, &mut missing).map_err(&reject)?;
        let inputs = player.inputs.iter().enumerate().map(|(number, _)| {
            told.inputs.get(&number).copied().unwrap_or_else(|| {
                missing += 1;
                0
            })
        });
        let row = player.row(&states, &inputs.collect::<Vec<u128>>());
        if let Some(place) = player.violated(&row) {
            let open: Vec<String> = claim
                .bads
                .iter()
                .zip(&found)
                .filter(|(_, at)| at.is_none())
                .map(|(bad, _)| format!("b{bad}"))
                .collect();
            if open.is_empty() {
                break;
            }
            let open = open.join(", ");
            return Err(reject(format!(
                "the constraint in line {place} does not hold in step {step}, before {open} does"
            )));
        }
        for (bad, at) in claim.bads.iter().zip(&mut found) {
            if at.is_none() && player.is_bad(&row, *bad) {
                *at = Some(step);
            }
        }
        last = Some(row);
    }
    let bads = claim.bads.iter().zip(found).map(|(&bad, at)| {
        let name = player.bads[bad].clone();
        let at = at.ok_or_else(|| {
            reject(format!("b{bad} ({name}) holds in none of its {} steps", claim.frames.len()))
        })?;
        Ok((bad, name, at))
    });
    Ok(Accepted { bads: bads.collect::<Result<_, Refused>>()?, steps: claim.frames.len(), missing })
}

/// What a frame says, by number.
struct Told {
    /// Elements are by index; words have none.
    states: FxHashMap<usize, Vec<(Option<u128>, u128)>>,
    inputs: FxHashMap<usize, u128>,
}

fn told(player: &Player<'_>, frame: &Frame) -> Result<Told, Refused> {
    let mut told = Told { states: FxHashMap::default(), inputs: FxHashMap::default() };
    for given in &frame.states {
        let state = player.states.get(given.number);
        let state =
            state.ok_or_else(|| malformed(given.line, format!("there is no state {}", given.number)))?;
        let fits = match (state.sort, given.element) {
            (Sort::Word(width), None) => width == given.width,
            (Sort::Array { index, element }, Some(at)) => at <= mask(index) && element == given.width,
            _ => false,
        };
        if !fits {
            return Err(malformed(given.line, format!("this is no value of `{}`", state.name)));
        }
        let list = told.states.entry(given.number).or_default();
        if list.iter().any(|(element, bits)| *element == given.element && *bits != given.bits) {
            return Err(malformed(given.line, format!("`{}` has another value above", state.name)));
        }
        list.push((given.element, given.bits));
    }
    for given in &frame.inputs {
        let input = player.inputs.get(given.number);
        let (name, width) =
            input.ok_or_else(|| malformed(given.line, format!("there is no input {}", given.number)))?;
        if given.element.is_some() || given.width != *width {
            return Err(malformed(given.line, format!("this is no value of `{name}`")));
        }
        if told.inputs.insert(given.number, given.bits).is_some_and(|bits| bits != given.bits) {
            return Err(malformed(given.line, format!("`{name}` has another value above")));
        }
    }
    Ok(told)
}

/// The states of a step: what is determined, and what the witness chooses.
fn states(
    player: &Player<'_>,
    step: usize,
    last: Option<&crate::player::Row>,
    told: &Told,
    missing: &mut usize,
) -> Result<Vec<Value>, String> {
    let chosen = |number: usize| -> Value {
        let values = told.states.get(&number);
        match player.states[number].sort {
            Sort::Word(_) => Value::Word(values.map_or(0, |values| values[0].1)),
            Sort::Array { .. } => {
                let written =
                    values.into_iter().flatten().filter_map(|(index, bits)| Some(((*index)?, *bits)));
                Value::Array(Rc::new(Cells { other: 0, written: written.collect() }))
            }
        }
    };
    let values: Vec<Value> = match last {
        None => player.first(chosen)?,
        Some(row) => {
            let numbers = 0..player.states.len();
            numbers.map(|number| player.next(row, number).unwrap_or_else(|| chosen(number))).collect()
        }
    };
    for (number, state) in player.states.iter().enumerate() {
        let is_free = if last.is_none() { state.begins_free() } else { state.goes_on_free() };
        match told.states.get(&number) {
            None if is_free => *missing += 1,
            None => {}
            Some(said) => {
                let differs = |(element, bits): &&(Option<u128>, u128)| match (&values[number], element) {
                    (Value::Word(word), _) => word != bits,
                    (Value::Array(cells), Some(index)) => cells.at(*index) != *bits,
                    (Value::Array(_), None) => true,
                };
                if said.iter().any(|said| differs(&said)) {
                    return Err(format!("`{}` has another value in step {step}", state.name));
                }
            }
        }
    }
    Ok(values)
}
