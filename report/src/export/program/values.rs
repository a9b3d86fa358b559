//! Tables of values and the comparison of outputs.

use super::comment;
use super::own::Taken;
use crate::export::recording::{Chain, Datum, Expected, Kind, Recording, Signal};
use crate::output::visible::c_literal;
use std::fmt::Write;

/// Functions that compare floats, and one table for each signal.
pub(super) fn tables(
    text: &mut String,
    recording: &Recording,
    chain: &Chain,
    taken: &Taken,
) -> Result<(), String> {
    if recording.outputs.iter().any(|signal| matches!(signal.kind, Kind::Single | Kind::Double)) {
        text.push_str(COMPARE);
    }
    let _ = writeln!(text, "\nenum {{ {} = {} }};\n", taken.own("STEPS"), chain.length());
    let inputs = recording.inputs.iter().enumerate();
    for (index, signal) in inputs {
        table(text, (&format!("input_{index}"), taken), signal, chain.inputs.iter().map(|row| row[index]))?;
    }
    for (index, signal) in recording.outputs.iter().enumerate() {
        table(text, (&format!("expected_{index}"), taken), signal, expected_values(chain, index))?;
        open_steps(text, (index, taken), chain);
    }
    Ok(())
}

/// What an output has to be in each step: what a requirement fixes, else what was recorded.
fn expected_values(chain: &Chain, output: usize) -> impl Iterator<Item = Datum> {
    chain.outputs.iter().zip(&chain.expected).map(move |(row, expected)| {
        let fixed = expected.iter().find(|expected| expected.output == output);
        fixed.and_then(|expected| expected.value).unwrap_or(row[output])
    })
}

/// The steps in which the record of an output violates a requirement, so that it is not expected.
fn open_in(chain: &Chain, output: usize) -> impl Iterator<Item = usize> {
    let steps = chain.expected.iter().enumerate();
    let is_open = move |expected: &Expected| expected.output == output && expected.value.is_none();
    steps.filter(move |(_, expected)| expected.iter().any(is_open)).map(|(step, _)| step)
}

fn open_steps(text: &mut String, (index, taken): (usize, &Taken), chain: &Chain) {
    let steps: Vec<String> = open_in(chain, index).map(|step| format!("[{step}] = 1")).collect();
    if !steps.is_empty() {
        let _ = writeln!(
            text,
            "/* The record violates a requirement there, which judges by itself. */\nstatic const char {}[{} + 1] = {{ {} }};",
            taken.own(&format!("open_{index}")),
            taken.own("STEPS"),
            steps.join(", ")
        );
    }
}

/// What stands before the comparison of an output.
pub(super) fn guard(chain: &Chain, index: usize, taken: &Taken) -> String {
    match open_in(chain, index).next() {
        Some(_) => format!("if (!{}[{}]) ", taken.own(&format!("open_{index}")), taken.own("step")),
        None => String::new(),
    }
}

fn table(
    text: &mut String,
    (name, taken): (&str, &Taken),
    signal: &Signal,
    values: impl Iterator<Item = Datum>,
) -> Result<(), String> {
    let kind = match signal.kind {
        Kind::Single => "float",
        Kind::Double => "double",
        _ if signal.bits > 64 => return Err(format!("`{}` has {} bits", signal.name, signal.bits)),
        Kind::Signed => "long long",
        Kind::Bool | Kind::Unsigned => "unsigned long long",
    };
    let values: Vec<String> = values.map(literal).collect();
    let lines: Vec<String> = values.chunks(12).map(|line| line.join(", ")).collect();
    let shown = comment(&signal.lvalue);
    let _ = writeln!(
        text,
        "/* {shown} */\nstatic const {kind} {}[{} + 1] = {{\n    {}\n}};",
        taken.own(name),
        taken.own("STEPS"),
        lines.join(",\n    ")
    );
    Ok(())
}

/// A value as C constant.
pub(super) fn literal(value: Datum) -> String {
    match value {
        Datum::Integer(number) if number == i128::from(i64::MIN) => "-9223372036854775807LL - 1".to_owned(),
        Datum::Integer(number) if number > i128::from(i64::MAX) => format!("{number}ULL"),
        Datum::Integer(number) if number.abs() > i128::from(i32::MAX) => format!("{number}LL"),
        Datum::Integer(number) => number.to_string(),
        Datum::Single(value) if value.is_finite() => format!("{value:?}f"),
        Datum::Double(value) if value.is_finite() => format!("{value:?}"),
        float => match float.text().as_str() {
            "inf" => "INFINITY".to_owned(),
            "-inf" => "-INFINITY".to_owned(),
            _ => "NAN".to_owned(),
        },
    }
}

/// The statement that compares an output.
pub(super) fn check(signal: &Signal, index: usize, place: &str, taken: &Taken) -> String {
    let (step, wrong) = (taken.own("step"), taken.own("wrong"));
    let expected = format!("{}[{step}]", taken.own(&format!("expected_{index}")));
    let name = c_literal(&signal.name.replace('%', "%%"));
    match signal.kind {
        Kind::Single | Kind::Double => {
            let tolerance = signal.tolerance;
            let (absolute, relative) = (tolerance.absolute.unwrap_or(0.0), tolerance.relative.unwrap_or(0.0));
            let (ulps, function) = (
                tolerance.ulps.unwrap_or(0),
                if signal.kind == Kind::Single { "close_single" } else { "close_double" },
            );
            format!(
                "if (!{function}({place}, {expected}, {absolute:?}, {relative:?}, {ulps}))\n        \
                 {wrong}++, printf(\"step %d: {name} is %.17g, expected %.17g\\n\", {step}, (double)({place}), (double){expected});"
            )
        }
        Kind::Signed => format!(
            "if ((long long)({place}) != {expected})\n        \
             {wrong}++, printf(\"step %d: {name} is %lld, expected %lld\\n\", {step}, (long long)({place}), {expected});"
        ),
        Kind::Bool | Kind::Unsigned => format!(
            "if ((unsigned long long)({place}) != {expected})\n        \
             {wrong}++, printf(\"step %d: {name} is %llu, expected %llu\\n\", {step}, (unsigned long long)({place}), {expected});"
        ),
    }
}

/// Without tolerances, floats agree bit for bit; NaN agrees with NaN.
const COMPARE: &str = r#"
static inline int close_single(float seen, float expected, double absolute, double relative, unsigned ulps)
{
    const double ulp = (double)nextafterf(fabsf(expected), INFINITY) - fabsf(expected);
    double width = absolute;
    if (isnan(expected)) return isnan(seen);
    if (isinf(expected) || isnan(seen)) return seen == expected;
    if (relative * fabs((double)expected) > width) width = relative * fabs((double)expected);
    if (ulps > 0 && ulps * ulp > width) width = ulps * ulp;
    return width > 0 ? fabs((double)seen - expected) <= width : memcmp(&seen, &expected, sizeof seen) == 0;
}
static inline int close_double(double seen, double expected, double absolute, double relative, unsigned ulps)
{
    const double ulp = nextafter(fabs(expected), INFINITY) - fabs(expected);
    double width = absolute;
    if (isnan(expected)) return isnan(seen);
    if (isinf(expected) || isnan(seen)) return seen == expected;
    if (relative * fabs(expected) > width) width = relative * fabs(expected);
    if (ulps > 0 && ulps * ulp > width) width = ulps * ulp;
    return width > 0 ? fabs(seen - expected) <= width : memcmp(&seen, &expected, sizeof seen) == 0;
}
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_exact() {
        let table = [
            (Datum::Integer(i128::from(i64::MIN)), "-9223372036854775807LL - 1"),
            (Datum::Integer(i128::from(u64::MAX)), "18446744073709551615ULL"),
            (Datum::Integer(-5), "-5"),
            (Datum::Single(0.1), "0.1f"),
            (Datum::Double(1e300), "1e300"),
            (Datum::Single(f32::NEG_INFINITY), "-INFINITY"),
            (Datum::Double(f64::NAN), "NAN"),
        ];
        for (value, text) in table {
            assert_eq!(literal(value), text);
        }
    }
}
