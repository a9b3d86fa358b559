//! What an entry says of one variable: in terms of numbers in C, as far as its type and the
//! configuration can express that.

use super::{Code, Conversion, Entry, Form, Storage};
use frontend::{Signal, SignalKind};

/// What an entry says of a variable.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Defaults {
    pub(super) unit: Option<String>,
    pub(super) text: Option<String>,
    pub(super) labels: Vec<(i64, String)>,
    /// The range, as C constants.
    pub(super) range: Option<(String, String)>,
    /// What cannot be taken, and why.
    pub(super) not_taken: Vec<String>,
    /// What the user should know.
    pub(super) warnings: Vec<(Code, String)>,
}

/// What is to be taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// Limits, as ranges.
    pub(super) ranges: bool,
}

/// What an entry says of a signal that it fits.
pub(super) fn defaults(entry: &Entry, signal: &Signal, wanted: Wanted) -> Defaults {
    let mut found =
        Defaults { text: Some(entry.text.clone()).filter(|text| !text.is_empty()), ..Defaults::default() };
    unit(entry, &mut found);
    labels(entry, signal, &mut found);
    if wanted.ranges {
        range(entry, signal, &mut found);
    }
    found
}

/// Why an entry cannot be about a signal, if it cannot: a sentence without its subject.
pub(super) fn unfit(entry: &Entry, signal: &Signal) -> Option<(Option<Code>, String)> {
    if let Some(why) = entry.unfit {
        return Some((None, why.to_owned()));
    }
    if signal.kind == SignalKind::Pointer {
        return Some((None, "the variable is a pointer".to_owned()));
    }
    let whole = entry.storage.map_or(u64::MAX, |storage| mask(storage.bits));
    if let Some(bits) = entry.mask.filter(|bits| bits & whole != whole)
        && bits.count_ones() != signal.bits
    {
        return Some((None, format!("it is about some bits of the variable (BIT_MASK {bits:#x})")));
    }
    let storage = entry.storage?;
    let is_part = ![8, 16, 32, 64].contains(&signal.bits);
    let fits = match &signal.kind {
        SignalKind::Float => storage == Storage { bits: signal.bits, form: Form::Float },
        SignalKind::Bool => storage.form != Form::Float,
        // The file is about the whole of which a bit-field is a part.
        _ if is_part || entry.mask.is_some_and(|bits| bits & whole != whole) => storage.form != Form::Float,
        SignalKind::Enum { .. } => storage.form != Form::Float && storage.bits == signal.bits,
        SignalKind::Signed => storage == Storage { bits: signal.bits, form: Form::Signed },
        _ => storage == Storage { bits: signal.bits, form: Form::Unsigned },
    };
    let form = match storage.form {
        Form::Unsigned => "an unsigned integer",
        Form::Signed => "a signed integer",
        Form::Float => "a floating-point number",
    };
    let why = format!(
        "it says {form} of {} bits, and {} is `{}` of {} bits: the file may be of another build",
        storage.bits, signal.lvalue, signal.type_name, signal.bits
    );
    (!fits).then_some((Some(Code::Type), why))
}

const fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// The physical value of a number `x`, as text.
fn formula(factor: f64, offset: f64, unit: &str) -> String {
    let sign = if offset < 0.0 { '-' } else { '+' };
    let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
    match offset == 0.0 {
        true => format!("{factor} * x{unit}"),
        false => format!("{factor} * x {sign} {}{unit}", offset.abs()),
    }
}

/// A unit is that of the number in C: where this is scaled, it is counted in a part or multiple of
/// the physical unit.
fn unit(entry: &Entry, found: &mut Defaults) {
    let unit = &entry.unit;
    match entry.conversion {
        Conversion::Identical => found.unit = Some(unit.clone()).filter(|unit| !unit.is_empty()),
        Conversion::Linear { factor, offset } if offset == 0.0 && !unit.is_empty() => {
            found.unit = Some(format!("{factor} {unit}"));
        }
        Conversion::Linear { factor, offset } => found.not_taken.push(format!(
            "its conversion: a number x stands for {}, and the configuration has no conversions",
            formula(factor, offset, unit)
        )),
        Conversion::Other(why) if unit.is_empty() => found.not_taken.push(format!("its conversion: {why}")),
        Conversion::Other(why) => found.not_taken.push(format!("its unit {unit}: {why}")),
    }
}

/// The least and the greatest number that a signal can hold; `None`: it is no integer.
fn extremes(signal: &Signal) -> Option<(i128, i128)> {
    let bits = signal.bits.clamp(1, 64);
    match &signal.kind {
        SignalKind::Bool => Some((0, 1)),
        SignalKind::Unsigned | SignalKind::Enum { signed: false, .. } => Some((0, (1 << bits) - 1)),
        SignalKind::Signed | SignalKind::Enum { signed: true, .. } => {
            Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1))
        }
        _ => None,
    }
}

fn labels(entry: &Entry, signal: &Signal, found: &mut Defaults) {
    let mut left: Vec<String> = entry.unlabelled.iter().map(|&part| part.to_owned()).collect();
    match (&signal.kind, extremes(signal)) {
        _ if entry.labels.is_empty() => {}
        (SignalKind::Enum { .. }, _) => {
            left.push("names of values: its enumerators are their names".to_owned());
        }
        (_, Some((least, most))) => {
            let fits = |value: i64| (least..=most).contains(&i128::from(value));
            found.labels = entry.labels.iter().filter(|(value, _)| fits(*value)).cloned().collect();
            if found.labels.len() < entry.labels.len() {
                left.push("names of values that the variable cannot hold".to_owned());
            }
        }
        (_, None) => left.push("names of values: the variable is no integer".to_owned()),
    }
    found.not_taken.extend(left);
}

fn range(entry: &Entry, signal: &Signal, found: &mut Defaults) {
    match stated_range(entry, signal, &mut found.warnings) {
        Ok(range) => found.range = Some(range),
        Err(Left::Quiet(why)) => found.not_taken.push(format!("its limits: {why}")),
        Err(Left::Told(why)) => {
            let subject = format!("the limits of {} for {}", entry.name, signal.lvalue);
            found.warnings.push((Code::Limits, format!("{subject} are no range: {why}")));
            found.not_taken.push(format!("its limits: {why}"));
        }
    }
}

/// Why limits are no range.
enum Left {
    /// As is to be expected.
    Quiet(String),
    /// In a way that the user should know.
    Told(String),
}

/// The limits as numbers in C.
fn stated_range(
    entry: &Entry,
    signal: &Signal,
    warnings: &mut Vec<(Code, String)>,
) -> Result<(String, String), Left> {
    let quiet = |why: &str| Err(Left::Quiet(why.to_owned()));
    match &signal.kind {
        SignalKind::Enum { .. } => return quiet("the variable holds its enumerators"),
        SignalKind::Bool => return quiet("the variable holds 0 or 1"),
        _ => {}
    }
    let [low, high] = entry.limits;
    if low.is_nan() || high.is_nan() || low >= high {
        // Tools write 0 and 0 where they know none.
        return Err(Left::Told(format!("they are {low} and {high}")));
    }
    let limits = match entry.conversion {
        Conversion::Identical => [low, high],
        Conversion::Linear { factor, offset } => {
            let mut ends = [(low - offset) / factor, (high - offset) / factor];
            ends.sort_by(f64::total_cmp);
            ends
        }
        Conversion::Other(why) => return Err(Left::Told(why.to_owned())),
    };
    match extremes(signal) {
        Some(extremes) => whole_range(entry, signal, limits, extremes, warnings),
        None => real_range(signal, limits),
    }
}

/// The range of an integer.
fn whole_range(
    entry: &Entry,
    signal: &Signal,
    limits: [f64; 2],
    (least, most): (i128, i128),
    warnings: &mut Vec<(Code, String)>,
) -> Result<(String, String), Left> {
    let [low, high] = limits;
    let end = |limit: f64, extreme: i128, is_low: bool| {
        let beyond = if is_low { limit <= extreme as f64 } else { limit >= extreme as f64 };
        if beyond || is_rounded(limit, extreme as f64) { Some(extreme) } else { whole(limit, is_low) }
    };
    let (Some(first), Some(last)) = (end(low, least, true), end(high, most, false)) else {
        return Err(Left::Told("they are too large for exact numbers".to_owned()));
    };
    if first > last || first > most || last < least {
        return Err(Left::Told(format!("the variable holds no number from {low} to {high}")));
    }
    for (limit, end, extreme) in [(low, first, least), (high, last, most)] {
        if end == extreme && limit != extreme as f64 {
            warnings.push((
                Code::Limits,
                format!(
                    "the limit {limit} of {} is taken as {end}, the end of the type of {}",
                    entry.name, signal.lvalue
                ),
            ));
        }
    }
    if (first, last) == (least, most) {
        return Err(Left::Quiet("they are those of its type".to_owned()));
    }
    Ok((constant(first), constant(last)))
}

/// The range of a floating-point number.
fn real_range(signal: &Signal, limits: [f64; 2]) -> Result<(String, String), Left> {
    let most = if signal.bits == 32 { f64::from(f32::MAX) } else { f64::MAX };
    let is_open = |limit: f64, end: f64| limit.abs() >= most || is_rounded(limit, end);
    match (is_open(limits[0], -most), is_open(limits[1], most)) {
        (true, true) => Err(Left::Quiet("they are those of its type".to_owned())),
        (false, false) => Ok((format!("({:?})", limits[0]), format!("({:?})", limits[1]))),
        (is_low, _) => {
            let [low, high] = limits;
            let (low, high) = if is_low { (-most, high) } else { (low, most) };
            Ok((format!("({low:?})"), format!("({high:?})")))
        }
    }
}

/// Tools print limits with six digits: 4294970000 is the end of an unsigned word of 32 bits,
/// 2147480000 that of a signed one.
fn is_rounded(limit: f64, end: f64) -> bool {
    end.abs() > 999_999.0 && format!("{limit:.5e}") == format!("{end:.5e}")
}

/// The integer at a limit, or next to it within; conversions leave differences in the last digits.
/// `None`: numbers of this size are not exact.
fn whole(limit: f64, is_low: bool) -> Option<i128> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if limit.abs() > EXACT {
        return None;
    }
    let nearest = limit.round();
    let is_near = (limit - nearest).abs() <= 1e-9 * limit.abs().max(1.0);
    let within = if is_low { limit.ceil() } else { limit.floor() };
    Some(if is_near { nearest } else { within } as i128)
}

/// A number as a C constant expression: C has no negative literals, and none for the magnitude of
/// the least number.
fn constant(number: i128) -> String {
    match i64::try_from(number) {
        Ok(number) => crate::file::Scalar::Integer(number).to_c(),
        Err(_) => format!("{number}u"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontend::Location;

    fn entry(limits: [f64; 2], conversion: Conversion) -> Entry {
        Entry {
            name: "e".to_owned(),
            variables: vec!["x".to_owned()],
            place: Location { file: "m.a2l".into(), line: 1 },
            storage: None,
            is_array: false,
            mask: None,
            unfit: None,
            text: String::new(),
            unit: "m".to_owned(),
            conversion,
            limits,
            labels: Vec::new(),
            unlabelled: Vec::new(),
        }
    }

    fn signal(kind: SignalKind, bits: u32) -> Signal {
        Signal { name: "x".into(), lvalue: "x".into(), type_name: "t".into(), bits, kind }
    }

    #[test]
    fn limits_become_ranges() {
        use Conversion::{Identical, Linear};
        use SignalKind::{Float, Signed, Unsigned};
        let half = Linear { factor: 0.5, offset: -40.0 };
        let falling = Linear { factor: -1.0, offset: 10.0 };
        let cents = Linear { factor: 0.01, offset: 0.0 };
        let table = [
            (Identical, Unsigned, 8, [0.0, 250.0], "0 .. 250"),
            (Identical, Unsigned, 8, [0.0, 255.0], "its limits: they are those of its type"),
            (Identical, Unsigned, 8, [0.0, 300.0], "the limit 300 of e is taken as 255"),
            (Identical, Unsigned, 8, [-1.0, 9.0], "0 .. 9, the limit -1 of e is taken as 0"),
            (
                Identical,
                Unsigned,
                32,
                [0.0, 4_294_970_000.0],
                "the limit 4294970000 of e is taken as 4294967295",
            ),
            (Identical, Unsigned, 32, [1.0, 4_294_970_000.0], "1 .. 4294967295"),
            (Identical, Signed, 32, [-2_147_480_000.0, 2_147_480_000.0], "is taken as 2147483647"),
            (Identical, Signed, 32, [-2_147_480_000.0, 5.0], "(-2147483648) .. 5"),
            (Identical, Signed, 64, [0.0, 1e18], "they are too large for exact numbers"),
            (Identical, Signed, 64, [-9.223_372_036_854_78e18, 1.0], "(-9223372036854775807-1) .. 1"),
            (Identical, Unsigned, 64, [1.0, 1.844_67e19], "1 .. 18446744073709551615u"),
            (Identical, Signed, 16, [0.5, 3.5], "1 .. 3"),
            (Identical, Signed, 16, [0.2, 0.8], "the variable holds no number from 0.2 to 0.8"),
            (Identical, Unsigned, 16, [0.0, 0.0], "they are 0 and 0"),
            (Identical, Unsigned, 16, [5.0, 1.0], "they are 5 and 1"),
            (Identical, Unsigned, 8, [300.0, 400.0], "the variable holds no number from 300 to 400"),
            (half, Unsigned, 8, [-40.0, 60.0], "0 .. 200"),
            (falling, Signed, 8, [0.0, 20.0], "(-10) .. 10"),
            (cents, Unsigned, 16, [0.0, 327.67], "0 .. 32767"),
            (Conversion::Other("why"), Unsigned, 8, [0.0, 9.0], "its limits: why"),
            (Identical, SignalKind::Bool, 1, [0.0, 1.0], "its limits: the variable holds 0 or 1"),
            (Identical, Float, 32, [-40.0, 12.5], "(-40.0) .. (12.5)"),
            (Identical, Float, 32, [-3.40282e38, 3.40282e38], "they are those of its type"),
            (Identical, Float, 64, [0.0, f64::INFINITY], "(0.0) .. (1.7976931348623157e308)"),
        ];
        for (conversion, kind, bits, limits, expected) in table {
            let found = defaults(&entry(limits, conversion), &signal(kind, bits), Wanted { ranges: true });
            let mut told: Vec<String> =
                found.range.iter().map(|(low, high)| format!("{low} .. {high}")).collect();
            told.extend(found.not_taken);
            told.extend(found.warnings.into_iter().map(|(_, message)| message));
            let told = told.join(", ");
            assert!(told.contains(expected), "{limits:?}: {told}");
        }
    }

    #[test]
    fn units_are_those_of_numbers_in_c() {
        let table = [
            (Conversion::Identical, Some("m"), ""),
            (Conversion::Linear { factor: 0.01, offset: 0.0 }, Some("0.01 m"), ""),
            (
                Conversion::Linear { factor: 0.5, offset: -40.0 },
                None,
                "its conversion: a number x stands for 0.5 * x - 40 m, and the configuration has no conversions",
            ),
            (Conversion::Other("its conversion is a table"), None, "its unit m: its conversion is a table"),
        ];
        for (conversion, unit, left) in table {
            let signal = signal(SignalKind::Unsigned, 8);
            let found = defaults(&entry([0.0, 1.0], conversion), &signal, Wanted { ranges: false });
            assert_eq!((found.unit.as_deref(), found.not_taken.join(", ").as_str()), (unit, left));
            assert_eq!((found.range, found.warnings), (None, Vec::new()));
        }
    }

    #[test]
    fn types_must_agree() {
        let stored = |bits, form| Some(Storage { bits, form });
        let table = [
            (stored(8, Form::Unsigned), None, signal(SignalKind::Unsigned, 8), true),
            (stored(16, Form::Unsigned), None, signal(SignalKind::Unsigned, 8), false),
            (stored(8, Form::Signed), None, signal(SignalKind::Unsigned, 8), false),
            (stored(8, Form::Unsigned), None, signal(SignalKind::Bool, 1), true),
            (stored(32, Form::Float), None, signal(SignalKind::Float, 32), true),
            (stored(64, Form::Float), None, signal(SignalKind::Float, 32), false),
            (stored(32, Form::Signed), None, signal(SignalKind::Float, 32), false),
            (stored(8, Form::Unsigned), Some(0xff), signal(SignalKind::Unsigned, 8), true),
            (stored(8, Form::Unsigned), Some(0x0f), signal(SignalKind::Unsigned, 8), false),
            (stored(32, Form::Unsigned), Some(0x70), signal(SignalKind::Unsigned, 3), true),
            (stored(32, Form::Unsigned), Some(0x60), signal(SignalKind::Unsigned, 3), false),
            (None, None, signal(SignalKind::Signed, 8), true),
            (None, None, signal(SignalKind::Pointer, 32), false),
        ];
        for (storage, mask, signal, fits) in table {
            let entry = Entry { storage, mask, ..entry([0.0, 1.0], Conversion::Identical) };
            assert_eq!(unfit(&entry, &signal).is_none(), fits, "{entry:?} {signal:?}");
        }
    }
}
