//! JSON for people and for comparisons line by line: a chain of thousands of steps has a line for
//! each of them, not one for each value.

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};
use std::io::{Result, Write};

/// Objects and lists within so many others stand on one line; a step of a chain is within four.
const LINES: usize = 4;

/// A result as JSON text, without a line break at the end.
///
/// # Panics
/// If the result cannot be serialised: a key of a map is no text.
pub fn text(result: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    let mut serializer =
        Serializer::with_formatter(&mut bytes, Lines { depth: 0, pretty: PrettyFormatter::new() });
    result.serialize(&mut serializer).expect("a result should be serialisable");
    String::from_utf8(bytes).expect("JSON should be UTF-8")
}

/// Indented to [`LINES`], then on one line.
struct Lines {
    /// How many objects and lists are open.
    depth: usize,
    pretty: PrettyFormatter<'static>,
}

impl Lines {
    fn is_on_one_line(&self) -> bool {
        self.depth > LINES
    }
    fn separator<W: ?Sized + Write>(writer: &mut W, first: bool) -> Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }
}

impl Formatter for Lines {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.depth += 1;
        if self.is_on_one_line() { writer.write_all(b"[") } else { self.pretty.begin_array(writer) }
    }
    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        let is_on_one_line = self.is_on_one_line();
        self.depth -= 1;
        if is_on_one_line { writer.write_all(b"]") } else { self.pretty.end_array(writer) }
    }
    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> Result<()> {
        if self.is_on_one_line() {
            Self::separator(writer, first)
        } else {
            self.pretty.begin_array_value(writer, first)
        }
    }
    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        if self.is_on_one_line() { Ok(()) } else { self.pretty.end_array_value(writer) }
    }
    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.depth += 1;
        if self.is_on_one_line() { writer.write_all(b"{") } else { self.pretty.begin_object(writer) }
    }
    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        let is_on_one_line = self.is_on_one_line();
        self.depth -= 1;
        if is_on_one_line { writer.write_all(b"}") } else { self.pretty.end_object(writer) }
    }
    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> Result<()> {
        if self.is_on_one_line() {
            Self::separator(writer, first)
        } else {
            self.pretty.begin_object_key(writer, first)
        }
    }
    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        writer.write_all(b": ")
    }
    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        if self.is_on_one_line() { Ok(()) } else { self.pretty.end_object_value(writer) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn steps_have_a_line_each() {
        let step = json!({ "inputs": { "go": 1, "x": { "value": 0.5 } }, "covers": ["a", "b"], "state": {} });
        let file = json!({ "chains": [{ "length": 2, "steps": [step, step], "end_state": { "n": 2 } }] });
        let expected = r#"{
  "chains": [
    {
      "length": 2,
      "steps": [
        {"inputs": {"go": 1, "x": {"value": 0.5}}, "covers": ["a", "b"], "state": {}},
        {"inputs": {"go": 1, "x": {"value": 0.5}}, "covers": ["a", "b"], "state": {}}
      ],
      "end_state": {
        "n": 2
      }
    }
  ]
}"#;
        let text = super::text(&file);
        assert_eq!(text, expected);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).expect("JSON"), file);
    }
}
