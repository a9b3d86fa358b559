//! The recording: what a chain looks like to a rig, without a word of C, JSON or any file format.
//!
//! # What every format obeys
//! - Step k reads the inputs of row k at t = k * period; they are *held* (zero-order hold) until
//!   the next row.
//! - The outputs of row k are those after step k. A rig that sees them later is told so by the
//!   output latency: they are then compared that many rows later.
//! - Without a period, one step counts as one second wherever a format cannot do without time.
//! - Values are exact: integers never pass through a float, and a `float` is written as the
//!   shortest decimal that reads back as the same `float`.
//! - Integers, truths and enumerators compare exactly; floats within the [`Tolerance`] of their
//!   signal (none: exactly, NaN equals NaN).
//! - Inputs that do not matter in a step are known; [`DontCare`] says what is written there.

use crate::output::chain_file::{RequirementVerdict, StatedRequirement};
use std::time::Duration;

/// Everything that exporters read.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Name and version of the program that found the chains.
    pub tool: String,
    /// Name of the model.
    pub model: String,
    /// Name of the step function.
    pub step: String,
    /// C files with their hashes.
    pub sources: Vec<(String, String)>,
    /// Time between two steps.
    pub period: Option<Duration>,
    /// What the environment sets.
    pub inputs: Vec<Signal>,
    /// What the step answers.
    pub outputs: Vec<Signal>,
    /// The goals in order of definition.
    pub goals: Vec<Goal>,
    /// What must hold, as far as it can be judged from outside.
    pub requirements: Vec<StatedRequirement>,
    /// What holds of all executions.
    pub verdicts: Vec<RequirementVerdict>,
    /// The chains.
    pub chains: Vec<Chain>,
    /// Rows by which outputs are compared later than they are computed.
    pub latency: usize,
}

/// A signal.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    /// Unique name.
    pub name: String,
    /// How C reaches it.
    pub lvalue: String,
    /// C type.
    pub type_name: String,
    /// What its values are.
    pub kind: Kind,
    /// Value bits.
    pub bits: u32,
    /// Where the file counts its values in steps, numerator and denominator of the step.
    pub step: Option<(i128, i128)>,
    /// Physical unit.
    pub unit: Option<String>,
    /// What it means.
    pub text: Option<String>,
    /// Names of values.
    pub enumerators: Vec<(String, i128)>,
    /// How far a measured value may be off.
    pub tolerance: Tolerance,
    /// Of an output that requirements read: what it holds before the first step, where that is
    /// known.
    pub initial: Option<Datum>,
}

/// What the values of a signal are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// 0 or 1.
    Bool,
    /// Numbers from 0.
    Unsigned,
    /// Two's complement numbers.
    Signed,
    /// IEEE binary32.
    Single,
    /// IEEE binary64.
    Double,
}

/// The machine type that holds all values of a signal; truths are `U8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Storage {
    U8,
    U16,
    U32,
    U64,
    I8,
    I16,
    I32,
    I64,
    F32,
    F64,
}

impl Storage {
    /// Size in bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }
    /// The name that MATLAB and numpy share.
    pub const fn name(self) -> &'static str {
        match self {
            Self::U8 => "uint8",
            Self::U16 => "uint16",
            Self::U32 => "uint32",
            Self::U64 => "uint64",
            Self::I8 => "int8",
            Self::I16 => "int16",
            Self::I32 => "int32",
            Self::I64 => "int64",
            Self::F32 => "single",
            Self::F64 => "double",
        }
    }
}

impl Signal {
    /// The smallest machine type that holds all values; `None` above 64 bits.
    pub fn storage(&self) -> Option<Storage> {
        Some(match (self.kind, self.bits) {
            (Kind::Single, _) => Storage::F32,
            (Kind::Double, _) => Storage::F64,
            (Kind::Bool, _) | (Kind::Unsigned, ..=8) => Storage::U8,
            (Kind::Unsigned, ..=16) => Storage::U16,
            (Kind::Unsigned, ..=32) => Storage::U32,
            (Kind::Unsigned, ..=64) => Storage::U64,
            (Kind::Signed, ..=8) => Storage::I8,
            (Kind::Signed, ..=16) => Storage::I16,
            (Kind::Signed, ..=32) => Storage::I32,
            (Kind::Signed, ..=64) => Storage::I64,
            _ => return None,
        })
    }
    /// The type's name in MATLAB: `boolean`, `int8` ... `double`.
    pub fn matlab_type(&self) -> &'static str {
        match self.kind {
            Kind::Bool => "boolean",
            _ => self.storage().map_or("double", Storage::name),
        }
    }
    /// Name of the enumeration, which MATLAB takes for that of a class; none where C gives it none.
    pub fn enumeration(&self) -> Option<&str> {
        let is_plain =
            |name: &&str| name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        self.type_name.strip_prefix("enum ").filter(|_| !self.enumerators.is_empty()).filter(is_plain)
    }
    /// Name of the enumerator with this value.
    pub fn enumerator(&self, value: Datum) -> Option<&str> {
        let Datum::Integer(number) = value else { return None };
        self.enumerators.iter().find(|(_, value)| *value == number).map(|(name, _)| name.as_str())
    }
}

/// What a requirement expects of an output in a step.
#[derive(Clone, Debug)]
pub struct Expected {
    /// Position of the output.
    pub output: usize,
    /// The value that it fixes; `None`: what was recorded violates the requirement.
    pub value: Option<Datum>,
    /// Name of the requirement.
    pub requirement: String,
}

/// How far a measured value may be off; the widest of the three counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerance {
    /// Absolute difference.
    pub absolute: Option<f64>,
    /// Difference relative to the expected value.
    pub relative: Option<f64>,
    /// Units in the last place of the signal's own format.
    pub ulps: Option<u32>,
}

impl Tolerance {
    /// Whether values must agree exactly.
    pub fn is_exact(&self) -> bool {
        *self == Self::default()
    }
    /// The greatest difference from this expected value that is accepted.
    pub fn width(&self, expected: Datum) -> f64 {
        let (value, ulp) = match expected {
            Datum::Integer(number) => (number as f64, 1.0),
            Datum::Single(value) => (f64::from(value), f64::from(ulp_single(value))),
            Datum::Double(value) => (value, ulp_double(value)),
        };
        if !value.is_finite() {
            return 0.0;
        }
        let relative = self.relative.map_or(0.0, |part| part * value.abs());
        let ulps = self.ulps.map_or(0.0, |count| f64::from(count) * ulp);
        self.absolute.unwrap_or(0.0).max(relative).max(ulps)
    }
}

fn ulp_single(value: f32) -> f32 {
    let above = f32::from_bits(value.abs().to_bits() + 1);
    if above.is_finite() {
        above - value.abs()
    } else {
        value.abs() - f32::from_bits(value.abs().to_bits() - 1)
    }
}

fn ulp_double(value: f64) -> f64 {
    let above = f64::from_bits(value.abs().to_bits() + 1);
    if above.is_finite() {
        above - value.abs()
    } else {
        value.abs() - f64::from_bits(value.abs().to_bits() - 1)
    }
}

/// A value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Datum {
    /// A truth, number, enumerator or address.
    Integer(i128),
    /// A `float`.
    Single(f32),
    /// A `double`.
    Double(f64),
}

impl Datum {
    /// Bit for bit the same, all NaNs being one.
    pub fn same(self, other: Self) -> bool {
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => a == b,
            (Self::Single(a), Self::Single(b)) => a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
            (Self::Double(a), Self::Double(b)) => a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
            _ => false,
        }
    }
    /// Whether it is a number other than an infinity.
    pub fn is_finite(self) -> bool {
        match self {
            Self::Integer(_) => true,
            Self::Single(value) => value.is_finite(),
            Self::Double(value) => value.is_finite(),
        }
    }
    /// As text: integers in decimal, floats shortest, `NaN`, `inf`, `-inf`.
    pub fn text(self) -> String {
        let debug = match self {
            Self::Integer(number) => return number.to_string(),
            Self::Single(value) => format!("{value:?}"),
            Self::Double(value) => format!("{value:?}"),
        };
        debug.strip_suffix(".0").map_or_else(|| debug.clone(), str::to_owned)
    }
    /// The double whose shortest decimal is that of the value: for formats that hold every number
    /// as double. Casting it back to the type of the signal gives the value again, but for integers
    /// beyond 2^53.
    pub fn decimal_double(self) -> f64 {
        match self {
            Self::Integer(number) => number as f64,
            Self::Single(value) => format!("{value:?}").parse().unwrap_or(f64::from(value)),
            Self::Double(value) => value,
        }
    }
    /// Little-endian bytes in the storage of its signal.
    pub fn bytes(self, storage: Storage) -> Vec<u8> {
        match self {
            Self::Integer(number) => number.to_le_bytes()[..storage.bytes()].to_vec(),
            Self::Single(value) => value.to_le_bytes().to_vec(),
            Self::Double(value) => value.to_le_bytes().to_vec(),
        }
    }
}

/// Whether a goal was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Status {
    Covered,
    Unreachable,
    Undecided,
}

impl Status {
    /// In lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Covered => "covered",
            Self::Unreachable => "unreachable",
            Self::Undecided => "undecided",
        }
    }
}

/// What became of a goal's consequent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Verdict {
    Held,
    Violated,
    None,
}

impl Verdict {
    /// In lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Violated => "violated",
            Self::None => "none",
        }
    }
}

/// A goal.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// Unique name.
    pub name: String,
    /// Requirement.
    pub requirement: Option<String>,
    /// What it means.
    pub text: Option<String>,
    /// File and line.
    pub origin: Option<(String, u32)>,
    /// Length of its window in steps.
    pub steps: usize,
    /// Whether it was reached.
    pub status: Status,
    /// Chain and first step of its first occurrence.
    pub at: Option<(usize, usize)>,
    /// What became of the consequent.
    pub expectation: Verdict,
    /// Chain and first step of the first occurrence that violates the consequent.
    pub violation: Option<(usize, usize)>,
    /// Why it is not covered.
    pub reason: Option<String>,
}

impl Goal {
    /// Chain and step that completes the first occurrence.
    pub fn completed(&self) -> Option<(usize, usize)> {
        self.at.map(|(chain, step)| (chain, step + self.steps.saturating_sub(1)))
    }
}

/// A chain. Values stand in the order of the recording's signals.
#[derive(Clone, Debug)]
pub struct Chain {
    /// `inputs[k]` is read by step k.
    pub inputs: Vec<Vec<Datum>>,
    /// `free[k][i]`: input i does not matter in step k.
    pub free: Vec<Vec<bool>>,
    /// `outputs[k]` is what step k leaves behind; there are none of a last step that does not
    /// return.
    pub outputs: Vec<Vec<Datum>>,
    /// What requirements expect of outputs in each step, where that is not simply the record.
    pub expected: Vec<Vec<Expected>>,
    /// What state words hold before each step and behind the last one, by name, as far as that was
    /// recorded.
    pub states: Vec<(String, Vec<Option<Datum>>)>,
    /// What ends the program in the last step, before that returns.
    pub ends: Option<String>,
    /// Goals (by position) whose first occurrence step k completes.
    pub covers: Vec<Vec<usize>>,
    /// Names of the goals it was made for, in order.
    pub order: Vec<String>,
    /// Values chosen by the initialisation code.
    pub initial_inputs: Vec<(String, Datum)>,
    /// Whether the compiled code was seen to do the same.
    pub replayed: bool,
}

impl Chain {
    /// Number of steps.
    pub fn length(&self) -> usize {
        self.inputs.len()
    }
}

/// What is written where an input does not matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DontCare {
    /// The value of the step before.
    #[default]
    Hold,
    /// Zero, where the declared range has it.
    Zero,
    /// The configured default, else as `Hold`.
    Default,
    /// Nothing, where the format has a way to say so; else as `Hold`.
    Mark,
}

/// A row of a timeline.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// Its number: the time is that many periods.
    pub number: usize,
    /// The inputs from here on; those of the last step are held at the end.
    pub inputs: &'a [Datum],
    /// Which of them do not matter.
    pub free: &'a [bool],
    /// The outputs to compare here; `None` before the first and after the last, and of a step that
    /// does not return.
    pub outputs: Option<&'a [Datum]>,
    /// Goals that step `number` completes.
    pub covers: &'a [usize],
}

impl Recording {
    /// The verdict on what a goal requires.
    pub fn verdict(&self, goal: &Goal) -> Option<&RequirementVerdict> {
        self.verdicts.iter().find(|verdict| verdict.name == goal.name)
    }
    /// Verdicts on requirements that belong to no goal.
    pub fn further_verdicts(&self) -> impl Iterator<Item = &RequirementVerdict> {
        self.verdicts.iter().filter(|verdict| self.goals.iter().all(|goal| goal.name != verdict.name))
    }
    /// Time of a row in nanoseconds; without a period, a step takes a second.
    pub fn nanoseconds(&self, row: usize) -> u128 {
        self.period.map_or(1_000_000_000, |period| period.as_nanos()) * row as u128
    }
    /// Time of a row in seconds, as exact decimal.
    pub fn seconds_text(&self, row: usize) -> String {
        decimal(self.nanoseconds(row), 9)
    }
    /// Time of a row in milliseconds, as exact decimal.
    pub fn milliseconds_text(&self, row: usize) -> String {
        decimal(self.nanoseconds(row), 6)
    }
    /// Time of a row in seconds: the double that is nearest to the exact decimal.
    pub fn seconds(&self, row: usize) -> f64 {
        self.seconds_text(row).parse().unwrap_or(self.nanoseconds(row) as f64 / 1e9)
    }
    /// The rows of a chain: one for each step, more where outputs come later, and with `holding` at
    /// least one at the end that holds the last inputs for a whole period.
    pub fn rows<'a>(&'a self, chain: &'a Chain, holding: bool) -> Vec<Row<'a>> {
        let length = chain.length();
        if length == 0 {
            return Vec::new();
        }
        let count = length + self.latency.max(usize::from(holding));
        let row = |number: usize| {
            let step = number.min(length - 1);
            let answered = number.checked_sub(self.latency).filter(|&step| step < chain.outputs.len());
            Row {
                number,
                inputs: &chain.inputs[step],
                free: &chain.free[step],
                outputs: answered.map(|step| chain.outputs[step].as_slice()),
                covers: if number < length { &chain.covers[number] } else { &[] },
            }
        };
        (0..count).map(row).collect()
    }
}

/// An integer count of 10^-`digits` as decimal without superfluous zeros.
fn decimal(count: u128, digits: u32) -> String {
    let unit = 10u128.pow(digits);
    let (whole, rest) = (count / unit, count % unit);
    if rest == 0 {
        return whole.to_string();
    }
    format!("{whole}.{rest:0width$}", width = digits as usize).trim_end_matches('0').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::testing::recording;

    #[test]
    fn time_is_exact() {
        let table = [
            (5_000_000, 3, "0.015", "15"),
            (1_000_000_000, 7, "7", "7000"),
            (1, 1, "0.000000001", "0.000001"),
            (100_000_000, 25, "2.5", "2500"),
        ];
        for (nanoseconds, row, seconds, milliseconds) in table {
            let recording = Recording { period: Some(Duration::from_nanos(nanoseconds)), ..recording() };
            assert_eq!(recording.seconds_text(row), seconds);
            assert_eq!(recording.milliseconds_text(row), milliseconds);
        }
        assert_eq!(Recording { period: None, ..recording() }.seconds_text(3), "3");
    }

    #[test]
    fn floats_are_shortest_in_their_own_format() {
        let table = [
            (Datum::Single(0.1), "0.1"),
            (Datum::Double(0.1), "0.1"),
            (Datum::Single(16_777_216.0), "16777216"),
            (Datum::Single(f32::NAN), "NaN"),
            (Datum::Double(f64::NEG_INFINITY), "-inf"),
            (Datum::Single(-0.0), "-0"),
            (Datum::Double(5e-324), "5e-324"),
            (Datum::Integer(i128::from(u64::MAX)), "18446744073709551615"),
        ];
        for (value, text) in table {
            assert_eq!(value.text(), text);
        }
        assert_eq!(Datum::Single(0.1).decimal_double(), 0.1);
    }

    #[test]
    fn outputs_come_later_and_inputs_are_held() {
        let mut recording = recording();
        recording.latency = 2;
        let chain = &recording.chains[0];
        let rows = recording.rows(chain, true);
        assert_eq!(rows.len(), chain.length() + 2);
        assert!(rows[1].outputs.is_none());
        assert!(rows[2].outputs.unwrap()[0].same(chain.outputs[0][0]));
        let last = rows.last().unwrap();
        assert!(last.inputs[0].same(chain.inputs.last().unwrap()[0]));
        assert!(last.outputs.unwrap()[0].same(chain.outputs.last().unwrap()[0]));
    }

    #[test]
    fn the_widest_tolerance_counts() {
        let tolerance = Tolerance { absolute: Some(0.5), relative: Some(0.01), ulps: None };
        assert_eq!(tolerance.width(Datum::Double(10.0)), 0.5);
        assert_eq!(tolerance.width(Datum::Double(-100.0)), 1.0);
        let ulps = Tolerance { ulps: Some(2), ..Tolerance::default() };
        assert_eq!(ulps.width(Datum::Single(1.0)), 2.0 * f64::from(f32::EPSILON));
        assert_eq!(ulps.width(Datum::Double(f64::INFINITY)), 0.0);
    }

    #[test]
    fn storage_is_the_smallest_that_fits() {
        let signal = |kind, bits| Signal { kind, bits, ..recording().inputs[0].clone() };
        let table = [
            (Kind::Bool, 1, Some(Storage::U8)),
            (Kind::Unsigned, 3, Some(Storage::U8)),
            (Kind::Unsigned, 9, Some(Storage::U16)),
            (Kind::Signed, 33, Some(Storage::I64)),
            (Kind::Single, 32, Some(Storage::F32)),
            (Kind::Unsigned, 128, None),
        ];
        for (kind, bits, expected) in table {
            assert_eq!(signal(kind, bits).storage(), expected);
        }
    }
}
