//! What the C library says at the points that claims rest on: axioms of the evidence.
//!
//! No standard fixes the results of functions such as `atan2`, so no proof can derive them. The
//! search asks the host's library at some points ([`Lemma`]), and what it is told becomes
//! assumptions of the system, as [`with_lemmas`] says. The manifest lists these points; `verify`
//! asks the library at each of them again and accepts no other answer, then makes the same
//! assumptions. Nothing else of the library enters the queries.
//!
//! [`with_lemmas`]: engine::step::lemma::with_lemmas

use model::external::{Function, Lemma};
use model::sort::{FloatFormat, Sort};
use model::value::Value;
use serde::{Deserialize, Serialize};

/// A function at a point, in the words of the manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Point {
    /// Its name in C, which says the format as well.
    function: String,
    /// The bits of the arguments, in hexadecimal.
    arguments: Vec<String>,
    /// The bits of the result.
    result: String,
}

impl Point {
    /// The point that a lemma is about.
    pub(super) fn of(lemma: &Lemma) -> Self {
        let text = |value: &Value| format!("{:#x}", value.bits());
        Self {
            function: lemma.function.c_name(lemma.format),
            arguments: lemma.arguments.iter().map(text).collect(),
            result: text(&lemma.result),
        }
    }

    /// What the point says, if the library of this machine says the same.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn confirmed(&self) -> Result<Lemma, String> {
        let name = &self.function;
        let (function, format) = function(name).ok_or_else(|| format!("there is no function `{name}`"))?;
        let value = |text: &String| {
            let bits = text.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
            let fits = bits.filter(|&bits| format == FloatFormat::Double || u32::try_from(bits).is_ok());
            fits.map(|bits| Value::new(Sort::Float(format), u128::from(bits)))
                .ok_or_else(|| format!("`{text}` is no argument or result of {name}"))
        };
        let arguments: Vec<Value> = self.arguments.iter().map(value).collect::<Result<_, _>>()?;
        if arguments.len() != function.arguments() {
            return Err(format!("{name} has {} arguments, not {}", function.arguments(), arguments.len()));
        }
        let result = function.evaluate(format, &arguments);
        if result != value(&self.result)? {
            let arguments = self.arguments.join(", ");
            return Err(format!(
                "{name}({arguments}) is {:#x} by the C library here, not {} as the manifest says",
                result.bits(),
                self.result
            ));
        }
        Ok(Lemma { function, format, arguments, result })
    }
}

/// Function and format of a C name.
fn function(name: &str) -> Option<(Function, FloatFormat)> {
    let function = Function::named(name)?;
    [FloatFormat::Single, FloatFormat::Double]
        .into_iter()
        .find(|&format| function.c_name(format) == name)
        .map(|format| (function, format))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lemma(function: Function, format: FloatFormat, arguments: Vec<Value>) -> Lemma {
        let result = function.evaluate(format, &arguments);
        Lemma { function, format, arguments, result }
    }

    #[test]
    fn points_come_back_as_lemmas() {
        let not_a_number = Value::double(f64::from_bits(FloatFormat::Double.canonical_nan() as u64));
        let table = [
            lemma(Function::Sin, FloatFormat::Single, vec![Value::single(-0.5)]),
            lemma(Function::Atan2, FloatFormat::Double, vec![Value::double(1.0), Value::double(-3.0)]),
            lemma(Function::Log, FloatFormat::Double, vec![Value::double(-1.0)]),
            lemma(Function::Exp, FloatFormat::Double, vec![not_a_number]),
        ];
        for lemma in table {
            assert_eq!(Point::of(&lemma).confirmed(), Ok(lemma));
        }
    }

    #[test]
    fn points_that_the_library_contradicts_are_refused() {
        let good = Point::of(&lemma(Function::Sin, FloatFormat::Single, vec![Value::single(-0.5)]));
        let table = [
            (Point { result: "0x3f000000".to_owned(), ..good.clone() }, "by the C library here"),
            (Point { result: "3f".to_owned(), ..good.clone() }, "no argument or result"),
            (Point { arguments: vec!["0x100000000".to_owned()], ..good.clone() }, "no argument or result"),
            (Point { arguments: Vec::new(), ..good.clone() }, "has 1 arguments, not 0"),
            (Point { function: "sine".to_owned(), ..good.clone() }, "no function"),
        ];
        for (point, expected) in table {
            let why = point.confirmed().expect_err("a wrong point");
            assert!(why.contains(expected), "{why}");
        }
    }
}
