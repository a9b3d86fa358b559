//! `scanf`: what it reads are inputs, and it finds what its format asks for.

use super::events::Premise;
use super::initial_memory::Slot;
use super::place::Target;
use super::state::State;
use super::{Frame, Machine, Outcome};
use crate::ir::expr::{Expr, ExprKind};
use crate::ir::stmt::Place;
use crate::ir::types::Type;
use crate::ir::{Function, FunctionId, RESULT};
use frontend::source::Span;

/// Where the format stands among the arguments; `None` for other functions.
pub(crate) fn format_position(name: &str) -> Option<usize> {
    match name {
        "scanf" | "__isoc99_scanf" => Some(0),
        "fscanf" | "__isoc99_fscanf" => Some(1),
        _ => None,
    }
}

impl Machine<'_> {
    /// A call of `scanf` or `fscanf` with a format of numbers and characters.
    pub(super) fn scan_call(
        &mut self,
        frame: &Frame,
        state: &mut State,
        result: Option<&Place>,
        id: FunctionId,
        arguments: &[Expr],
        span: Span,
    ) -> Outcome<()> {
        let function = &self.program.functions[id];
        let position = format_position(&function.name).unwrap_or(0);
        let count = arguments.get(position).and_then(format_text).and_then(conversions);
        let Some(count) = count.filter(|&count| position + 1 + count == arguments.len()) else {
            let advice = "its format should be a literal of conversions such as %d, %u, %lf or %c, with one pointer for each";
            return Err(self.unsupported_call(&function.name, span, advice));
        };
        self.note_outside_call(state, id);
        for (index, argument) in arguments.iter().enumerate().skip(position + 1) {
            self.scan_number(frame, state, function, (index, argument), span)?;
        }
        let Some(place) = result else { return Ok(()) };
        let name = format!("{}.{RESULT}", function.name);
        let content = self.unknown_content(function.result, &name, Some((Slot::Result, 0)), span)?;
        if !self.limited.contains(&name) {
            let value = content.clone().scalar();
            let all = self.is_one_of(value, &[count as u128]);
            self.note_assumption(state, all, (span, Premise::Meant));
        }
        self.store(frame, state, place, &content)
    }

    /// One number: an input under the name of the variable that it goes to.
    fn scan_number(
        &mut self,
        frame: &Frame,
        state: &mut State,
        function: &Function,
        (index, argument): (usize, &Expr),
        span: Span,
    ) -> Outcome<()> {
        let Type::Pointer(pointee) = *self.layouts.type_of(argument.ty) else {
            return Err(self.unsupported_call(&function.name, span, "it reads through pointers"));
        };
        let pointer = self.evaluate(frame, state, argument)?;
        let targets = self.pointees(state, pointer, pointee, span)?;
        let name = self.cell_named(&targets);
        let name = name.unwrap_or_else(|| format!("{}.arg{}", function.name, index + 1));
        let content = self.unknown_content(pointee, &name, Some((Slot::Parameter(index), 0)), span)?;
        self.store_targets(state, &targets, pointee, None, &content, span)
    }

    /// The name of the variable that targets designate, where they are one of the program's.
    pub(super) fn cell_named(&self, targets: &[Target]) -> Option<String> {
        let [target] = targets else { return None };
        let object = self.objects.get(target.object);
        let cell = object.layout.first_behind(target.bit);
        let is_named =
            target.indices.is_empty() && !object.name.starts_with('%') && cell < object.layout.cells.len();
        is_named.then(|| self.cell_name(object.first + cell))
    }
}

/// The text of a format that is written as a literal.
pub(super) fn format_text(format: &Expr) -> Option<&[u8]> {
    match &format.kind {
        ExprKind::String(text) => Some(text),
        ExprKind::Convert(inner) => format_text(inner),
        _ => None,
    }
}

/// How many values a format reads, where it reads numbers and single characters alone.
fn conversions(format: &[u8]) -> Option<usize> {
    let mut count = 0;
    let mut rest = format;
    while let Some(at) = rest.iter().position(|&byte| byte == b'%') {
        let behind = &rest[at + 1..];
        let modifiers = behind.iter().take_while(|byte| b"hlqjzt".contains(byte)).count();
        match *behind.get(modifiers)? {
            b'%' if modifiers == 0 => {}
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'f' | b'e' | b'g' | b'c' => count += 1,
            _ => return None,
        }
        rest = &behind[modifiers + 1..];
    }
    Some(count)
}

/// Whether a format for printing stores the number of characters so far: `%n`, also with a length
/// such as `%hhn` (C11 7.21.6.1, 8).
pub(super) fn stores_count(format: &[u8]) -> bool {
    let mut rest = format;
    while let Some(at) = rest.iter().position(|&byte| byte == b'%') {
        let behind = &rest[at + 1..];
        let Some(end) = behind.iter().position(|byte| !b"0123456789 +-#'.*$hlqjztL".contains(byte)) else {
            return false;
        };
        if behind[end] == b'n' {
            return true;
        }
        rest = &behind[end + 1..];
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{conversions, stores_count};

    #[test]
    fn formats_of_numbers_are_counted() {
        for (format, expected) in [
            ("%d", Some(1)),
            (" %hd, %lu\n%lf%c", Some(4)),
            ("100%% %i", Some(1)),
            ("", Some(0)),
            ("%s", None),
            ("%*d", None),
            ("%3d", None),
            ("%[a]", None),
            ("%", None),
            ("%l", None),
        ] {
            assert_eq!(conversions(format.as_bytes()), expected, "{format}");
        }
    }

    #[test]
    fn formats_that_store_are_found() {
        for format in ["%n", "ab%n", "%d %hhn", "%5ln", "%%%n", "% n"] {
            assert!(stores_count(format.as_bytes()), "{format}");
        }
        for format in ["", "%%n", "%d\n", "%5.3fn", "n%", "%"] {
            assert!(!stores_count(format.as_bytes()), "{format}");
        }
    }
}
