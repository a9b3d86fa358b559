//! AIGER 1.9, as text and binary (Biere, Heljanko, Wieringa: "AIGER 1.9 and Beyond", 2011), written
//! anew as BTOR2: inputs, latches, gates and properties are lines over words of one bit.
//!
//! A file of the first version names no bad states: its outputs take their place.

use crate::ReadError;
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::path::Path;

/// Whether a file is AIGER by its name.
pub fn is_aiger(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("aag") || ending.eq_ignore_ascii_case("aig"))
}

/// The circuit as BTOR2.
///
/// ```
/// let text = "aag 1 0 1 0 0 1\n2 3\n2\nb0 on\n";
/// let model = btor2::read(&btor2::from_aiger(text.as_bytes())?)?;
/// assert_eq!(model.system.goals.values().next().map(|goal| goal.name.as_str()), Some("on"));
/// # Ok::<(), btor2::ReadError>(())
/// ```
///
/// # Errors
/// The first line that is malformed, fairness and justice; in the binary part, the line where it
/// begins.
pub fn from_aiger(bytes: &[u8]) -> Result<String, ReadError> {
    let mut reader = Reader { rest: bytes, place: 0, text: String::new() };
    let circuit = reader.circuit()?;
    circuit.btor2().map_err(|message| reader.error(message))
}

/// A literal: a variable times two, plus one where it is negated; 0 is false.
type Literal = u64;

/// What a file says.
#[derive(Default)]
struct Circuit {
    inputs: Vec<Literal>,
    /// Literal, next state, and what it begins with: 0, 1, or itself for any value.
    latches: Vec<[Literal; 3]>,
    outputs: Vec<Literal>,
    bads: Vec<Literal>,
    constraints: Vec<Literal>,
    /// Operands by the literal of the gate.
    gates: FxHashMap<Literal, [Literal; 2]>,
    /// By kind and number.
    names: FxHashMap<(char, usize), String>,
}

/// Reads a file line by line, and the gates of binary files byte by byte.
struct Reader<'b> {
    rest: &'b [u8],
    /// The line read last, from 1, and its text.
    place: usize,
    text: String,
}

impl Reader<'_> {
    fn error(&self, message: impl Into<String>) -> ReadError {
        ReadError { line: self.place.max(1), text: self.text.clone(), message: message.into() }
    }

    /// The next line; `None`: there is none.
    fn line(&mut self) -> Option<()> {
        let end = self.rest.iter().position(|&byte| byte == b'\n').unwrap_or(self.rest.len());
        if self.rest.is_empty() {
            return None;
        }
        self.text = String::from_utf8_lossy(&self.rest[..end]).trim_end().to_owned();
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
        self.place += 1;
        Some(())
    }

    /// The numbers of the next line, which is about that, as many as told.
    fn numbers(
        &mut self,
        what: &str,
        counts: std::ops::RangeInclusive<usize>,
    ) -> Result<Vec<u64>, ReadError> {
        if self.line().is_none() {
            return Err(self.error(format!("the file ends where {what} should follow: a count is wrong")));
        }
        let numbers: Option<Vec<u64>> = self.text.split(' ').map(|word| word.parse().ok()).collect();
        match numbers.filter(|numbers| counts.contains(&numbers.len())) {
            Some(numbers) => Ok(numbers),
            None => {
                Err(self.error(format!("this line should be {what}; a count of the first line may be wrong")))
            }
        }
    }

    fn circuit(&mut self) -> Result<Circuit, ReadError> {
        self.line();
        let (format, counts) = self.text.split_once(' ').unwrap_or((&self.text, ""));
        let is_binary = match format {
            "aag" => false,
            "aig" => true,
            _ => return Err(self.error("the first line should begin with `aag` or `aig`")),
        };
        let counts: Option<Vec<usize>> = counts.split(' ').map(|count| count.parse().ok()).collect();
        let Some(counts) = counts.filter(|counts| (5..=9).contains(&counts.len())) else {
            return Err(self.error("the first line should have five to nine counts: M I L O A B C J F"));
        };
        let count = |index: usize| counts.get(index).copied().unwrap_or(0);
        let [most, inputs, latches, outputs, gates] = [0, 1, 2, 3, 4].map(count);
        if count(7) > 0 || count(8) > 0 {
            return Err(self.error("justice and fairness are not supported"));
        }
        let used = [inputs, latches, gates].iter().try_fold(0usize, |sum, &count| sum.checked_add(count));
        if used.is_none_or(|used| if is_binary { used != most } else { used > most }) {
            return Err(
                self.error("the greatest variable does not fit inputs, latches and gates: a count is wrong")
            );
        }
        let mut circuit = Circuit::default();
        for number in 0..inputs {
            let literal = match is_binary {
                true => 2 * (number as u64 + 1),
                false => self.numbers("an input", 1..=1)?[0],
            };
            circuit.inputs.push(literal);
        }
        for number in 0..latches {
            let mut latch = match is_binary {
                true => vec![2 * ((inputs + number) as u64 + 1)],
                false => Vec::new(),
            };
            let least = 2 - latch.len();
            latch.extend(self.numbers("a latch", least..=least + 1)?);
            let begin = latch.get(2).copied().unwrap_or(0);
            if begin > 1 && begin != latch[0] {
                return Err(self.error("a latch begins with 0, 1, or any value: its own literal"));
            }
            circuit.latches.push([latch[0], latch[1], begin]);
        }
        let mut literals = |what: &str, count: usize| -> Result<Vec<Literal>, ReadError> {
            (0..count).map(|_| Ok(self.numbers(what, 1..=1)?[0])).collect()
        };
        circuit.outputs = literals("an output", outputs)?;
        circuit.bads = literals("a bad state", count(5))?;
        circuit.constraints = literals("a constraint", count(6))?;
        for number in 0..gates {
            let [gate, first, second] = match is_binary {
                true => self.packed(2 * ((inputs + latches + number) as u64 + 1))?,
                false => {
                    let numbers = self.numbers("a gate", 3..=3)?;
                    [numbers[0], numbers[1], numbers[2]]
                }
            };
            if circuit.gates.insert(gate, [first, second]).is_some() {
                return Err(self.error(format!("{gate} is defined twice")));
            }
        }
        self.names(&mut circuit)?;
        self.check(&circuit, 2 * most as u64 + 1)?;
        Ok(circuit)
    }

    /// A gate of a binary file: differences of seven bits a byte, the last of which is below 128.
    fn packed(&mut self, gate: Literal) -> Result<[Literal; 3], ReadError> {
        let mut difference = |from: Literal| -> Option<Literal> {
            let (mut value, mut shift) = (0u64, 0);
            loop {
                let (&byte, rest) = self.rest.split_first()?;
                self.rest = rest;
                value |= u64::from(byte & 0x7f).checked_shl(shift).filter(|_| shift < 63)?;
                shift += 7;
                if byte < 0x80 {
                    return from.checked_sub(value);
                }
            }
        };
        let first = difference(gate).filter(|&first| first < gate);
        let both = first.and_then(|first| Some([gate, first, difference(first)?]));
        both.ok_or_else(|| self.error("the gates end, or are damaged: a count may be wrong"))
    }

    /// Names of inputs, latches and properties, up to the comment.
    fn names(&mut self, circuit: &mut Circuit) -> Result<(), ReadError> {
        while self.line().is_some() && self.text != "c" {
            let entry = self.text.split_once(' ').and_then(|(place, name)| {
                let kind = place.chars().next().filter(|kind| "ilobcjf".contains(*kind))?;
                Some((
                    (kind, place[1..].parse().ok()?),
                    name.split_whitespace().collect::<Vec<_>>().join("_"),
                ))
            });
            match entry {
                Some((place, name)) if !name.contains(';') => drop(circuit.names.insert(place, name)),
                Some(_) => {}
                None => {
                    return Err(self.error("this should be a name (`i0 NAME`) or `c`: a count may be wrong"));
                }
            }
        }
        Ok(())
    }

    /// What is defined is a variable, and defined once; what is used is defined.
    fn check(&self, circuit: &Circuit, most: Literal) -> Result<(), ReadError> {
        let latches = circuit.latches.iter();
        let mut defined: Vec<Literal> = circuit.inputs.clone();
        defined.extend(latches.clone().map(|latch| latch[0]));
        defined.extend(circuit.gates.keys());
        defined.sort_unstable();
        let is_variable = |literal: &Literal| *literal > 1 && *literal <= most && *literal & 1 == 0;
        if let Some(wrong) = defined.iter().find(|literal| !is_variable(literal)) {
            return Err(
                self.error(format!("{wrong} cannot be defined: it should be even, and at most {most}"))
            );
        }
        if let Some(twice) = defined.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(self.error(format!("{} is defined twice", twice[0])));
        }
        let used = latches.map(|latch| latch[1]).chain(circuit.gates.values().flatten().copied());
        let asked = [&circuit.outputs, &circuit.bads, &circuit.constraints].into_iter().flatten().copied();
        match used
            .chain(asked)
            .find(|&literal| literal > 1 && defined.binary_search(&(literal & !1)).is_err())
        {
            Some(open) => Err(self.error(format!("{open} is used, and nothing defines it"))),
            None => Ok(()),
        }
    }
}

/// BTOR2 as it is written, and the lines of what is defined so far.
struct Writer {
    text: String,
    lines: u64,
    line_of: FxHashMap<Literal, u64>,
}

impl Writer {
    fn line(&mut self, what: std::fmt::Arguments<'_>) -> u64 {
        self.lines += 1;
        let _ = writeln!(self.text, "{} {what}", self.lines);
        self.lines
    }

    /// The operand for a literal: a line, negated where the literal is.
    fn operand(&self, literal: Literal) -> String {
        let sign = if literal & 1 == 1 { "-" } else { "" };
        format!("{sign}{}", self.line_of.get(&(literal & !1)).copied().unwrap_or(ZERO))
    }
}

/// The lines of the sort and of false.
const SORT: u64 = 1;
const ZERO: u64 = 2;

impl Circuit {
    fn name(&self, kind: char, number: usize) -> &str {
        self.names.get(&(kind, number)).map_or("", String::as_str)
    }

    /// # Errors
    /// Gates that depend on themselves: a sentence.
    fn btor2(&self) -> Result<String, String> {
        let mut writer = Writer { text: String::new(), lines: 0, line_of: FxHashMap::default() };
        writer.line(format_args!("sort bitvec 1"));
        writer.line(format_args!("zero {SORT}"));
        for (number, &input) in self.inputs.iter().enumerate() {
            let line = writer.line(format_args!("input {SORT} {}", self.name('i', number)));
            writer.line_of.insert(input, line);
        }
        for (number, &[latch, _, begin]) in self.latches.iter().enumerate() {
            let line = writer.line(format_args!("state {SORT} {}", self.name('l', number)));
            writer.line_of.insert(latch, line);
            if begin < 2 {
                let value = writer.operand(begin);
                writer.line(format_args!("init {SORT} {line} {value}"));
            }
        }
        let mut gates: Vec<Literal> = self.gates.keys().copied().collect();
        gates.sort_unstable();
        for gate in gates {
            self.write_gate(gate, &mut writer)?;
        }
        for &[latch, next, _] in &self.latches {
            let (latch, next) = (writer.operand(latch), writer.operand(next));
            writer.line(format_args!("next {SORT} {latch} {next}"));
        }
        let outputs = if self.bads.is_empty() { "bad" } else { "output" };
        let properties =
            [('c', "constraint", &self.constraints), ('b', "bad", &self.bads), ('o', outputs, &self.outputs)];
        for (kind, keyword, literals) in properties {
            for (number, &literal) in literals.iter().enumerate() {
                let value = writer.operand(literal);
                writer.line(format_args!("{keyword} {value} {}", self.name(kind, number)));
            }
        }
        Ok(writer.text)
    }

    /// Writes a gate behind those that it depends on, which text files may have in any order.
    fn write_gate(&self, gate: Literal, writer: &mut Writer) -> Result<(), String> {
        let mut open = vec![gate];
        while let Some(&gate) = open.last() {
            let Some(operands) = self.gates.get(&gate).filter(|_| !writer.line_of.contains_key(&gate)) else {
                open.pop();
                continue;
            };
            let is_missing = |variable: &Literal| {
                self.gates.contains_key(variable) && !writer.line_of.contains_key(variable)
            };
            match operands.map(|operand| operand & !1).into_iter().find(is_missing) {
                Some(_) if open.len() > self.gates.len() => {
                    return Err(format!("the gate {gate} depends on itself"));
                }
                Some(before) => open.push(before),
                None => {
                    let [first, second] = operands.map(|operand| writer.operand(operand));
                    let line = writer.line(format_args!("and {SORT} {first} {second}"));
                    writer.line_of.insert(gate, line);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A counter of two bits that counts while `up` holds, starts with 2, and is 3: as text with
    /// gates in any order, and as binary.
    #[test]
    fn text_and_binary_say_the_same() {
        let text = "aag 6 1 2 1 3 1 1\n2\n4 7 1\n6 11 6\n12\n8\n3\n12 4 9\n8 6 2\n10 13 9\ni0 up\nb0 three\nc\nanything\n";
        let expected = "1 sort bitvec 1\n2 zero 1\n3 input 1 up\n4 state 1 \n5 init 1 4 -2\n6 state 1 \n7 and 1 6 3\n\
                        8 and 1 4 -7\n9 and 1 -8 -7\n10 next 1 4 -6\n11 next 1 6 -9\n12 constraint -3 \n13 bad 7 three\n\
                        14 output 8 \n";
        assert_eq!(from_aiger(text.as_bytes()).expect("a circuit"), expected);
        let mut binary = b"aig 4 1 2 1 1\n7 1\n8\n8\n".to_vec();
        // 8 = 6 & 2.
        binary.extend([2, 4]);
        binary.extend(b"o0 three\n");
        let expected = "1 sort bitvec 1\n2 zero 1\n3 input 1 \n4 state 1 \n5 init 1 4 -2\n6 state 1 \n7 init 1 6 2\n\
                        8 and 1 6 3\n9 next 1 4 -6\n10 next 1 6 8\n11 bad 8 three\n";
        assert_eq!(from_aiger(&binary).expect("a circuit"), expected);
    }

    #[test]
    fn what_is_wrong_has_a_place() {
        for (text, line, part) in [
            ("", 1, "`aag` or `aig`"),
            ("aag 1 1\n", 1, "five to nine counts"),
            ("aag 1 1 1 0 0\n2\n4 2\n", 1, "a count is wrong"),
            ("aag 1 1 0 1 0\n2\n", 2, "the file ends where an output should follow"),
            ("aag 2 1 0 1 1\n2\n2\n4 2\n", 4, "should be a gate"),
            ("aag 2 1 0 1 1\n2\n2\n4 2 3\n4 2 2\n", 5, "a name"),
            ("aag 2 1 0 1 0\n2\n4\n", 3, "4 is used, and nothing defines it"),
            ("aag 3 1 0 1 2\n2\n4\n4 2 2\n4 2 2\n", 5, "defined twice"),
            ("aag 2 1 0 1 1\n2\n4\n2 2 2\n", 4, "2 is defined twice"),
            ("aag 2 1 0 1 1\n2\n4\n5 2 2\n", 4, "5 cannot be defined"),
            ("aag 3 1 0 1 2\n2\n4\n4 6 2\n6 4 2\n", 5, "depends on itself"),
            ("aag 1 0 1 1 0\n2 2 5\n2\n", 2, "begins with 0, 1, or any value"),
            ("aag 1 0 1 0 0 0 0 1\n2 2\n1\n2\n", 1, "justice"),
            ("aig 2 1 0 1 1\n4\n\u{2}", 2, "a count may be wrong"),
        ] {
            let error = from_aiger(text.as_bytes()).map(drop).expect_err(text);
            assert!(error.line == line && error.message.contains(part), "{text}: {error}");
        }
    }
}
