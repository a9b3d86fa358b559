//! What belongs to a function, in expressions of a configuration: `step.parameter`, `step.return`,
//! and of functions that no file defines `read.return`, `read.parameter`, `read.called`, where `#2`
//! behind any of the names means the second call in a step.
//!
//! `return` and `#2` are no names of C. They are replaced by names that no program has before the
//! expression is parsed ([`masked`]).

use super::frame::{Lower, Lowering};
use crate::code::Code;
use crate::ir::stmt::{FunctionPart, PartKind, Place, PlaceBase};
use crate::ir::types::TypeId;
use crate::ir::{CALLED, FunctionId, RESULT, parameter_name};
use crate::syntax::ast::{Expression, ExpressionKind as Kind, Name, Position};

/// What stands for `return` where it is a name.
const MASKED_RESULT: &str = "$eturn";

/// The expression with names of C for `return` behind a point and `#2` behind a name, of the same
/// length. A number behind an index (`x.y[3]#2`) moves to the name before it.
pub(super) fn masked(text: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let behind = &rest[first.len_utf8()..];
        let digits = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let length = match first {
            '#' if digits > 0 => {
                let number = format!("${}", &rest[1..=digits]);
                result.insert_str(end_of_name(&result), &number);
                1 + digits
            }
            c if is_word(c) => {
                let length = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
                let is_member = result.trim_end().ends_with(['.', '>']);
                result.push_str(if is_member && &rest[..length] == RESULT {
                    MASKED_RESULT
                } else {
                    &rest[..length]
                });
                length
            }
            c => {
                result.push(c);
                c.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    result
}

/// Where the name ends that the indices at the end of a text belong to.
fn end_of_name(text: &str) -> usize {
    let mut end = text.trim_end().len();
    while text[..end].ends_with(']') {
        match text[..end].rfind('[') {
            Some(open) => end = text[..open].trim_end().len(),
            None => break,
        }
    }
    end
}

/// A name without its mask, and which call it means.
pub(super) fn unmasked(name: &str) -> (&str, Option<u32>) {
    let number = name.rsplit_once('$').and_then(|(name, number)| Some((name, number.parse().ok()?)));
    let (name, call) = number.map_or((name, None), |(name, call)| (name, Some(call)));
    (if name == MASKED_RESULT { RESULT } else { name }, call)
}

impl Lowering<'_> {
    /// A part of a function, where parameters without a name are `arg1`, `arg2`, ...; `None` where
    /// the left side is no function.
    pub(super) fn function_part(
        &mut self,
        record: &Expression,
        name: &Name,
        is_arrow: bool,
    ) -> Lower<Option<Place>> {
        let (Some(_), Kind::Name(function), false) = (self.configuration, &record.kind, is_arrow) else {
            return Ok(None);
        };
        let (function, outer_call) = unmasked(function);
        let Some(function) = self.function_named(function) else { return Ok(None) };
        let (wanted, call) = unmasked(&name.text);
        let call = call.or(outer_call);
        let Some(kind) = self.part_kind(function, wanted) else {
            return Err(self.unknown_part(function, wanted, name.position));
        };
        if call == Some(0) || call.is_some() && matches!(kind, PartKind::Parameter(_) | PartKind::Called) {
            let message = format!("`{wanted}` is not told apart by calls");
            let advice = "`#2` stands behind what the second call in a step takes from outside";
            return Err(self.error_with(name.position, Code::UnknownName, message, advice));
        }
        let Some(ty) = self.part_type(function, kind) else {
            if let PartKind::Written(_) = kind {
                let function = &self.linker.program.functions[function].name;
                let message = format!("nothing is known of what `{function}.{wanted}` points to");
                return Err(self.error(name.position, Code::IncompleteType, message));
            }
            return Err(self.unknown_part(function, wanted, name.position));
        };
        let base = PlaceBase::Part(FunctionPart { function, kind, call: call.unwrap_or(1) });
        Ok(Some(Place { base, path: Vec::new(), ty, span: self.span(record.position) }))
    }

    /// Which part of a function has a name.
    fn part_kind(&self, function: FunctionId, name: &str) -> Option<PartKind> {
        let entry = &self.linker.program.functions[function];
        let is_outside = entry.body.is_none();
        let mut locals = entry.parameters.iter().map(|&local| &entry.locals[local]).enumerate();
        let parameter = locals.find(|(index, local)| parameter_name(&local.name, *index) == name);
        match (parameter, name) {
            (Some((index, local)), _) => {
                let is_written = is_outside && self.linker.types.pointee(local.ty).is_some();
                Some(if is_written { PartKind::Written(index) } else { PartKind::Parameter(index) })
            }
            (None, CALLED) if is_outside => Some(PartKind::Called),
            (None, RESULT) => Some(PartKind::Result),
            _ => None,
        }
    }

    /// The type of a part; `None` where it is no object.
    fn part_type(&self, function: FunctionId, kind: PartKind) -> Option<TypeId> {
        let ty = self
            .linker
            .program
            .part_type(&self.linker.types.table, FunctionPart { function, kind, call: 1 })?;
        self.linker.types.size(ty).map(|_| ty)
    }

    fn unknown_part(
        &mut self,
        function: FunctionId,
        name: &str,
        position: Position,
    ) -> super::frame::Reported {
        let entry = &self.linker.program.functions[function];
        let names = entry.parameters.iter().enumerate();
        let names: Vec<String> =
            names.map(|(index, &local)| parameter_name(&entry.locals[local].name, index)).collect();
        let message = match name {
            RESULT => format!("`{}` returns nothing", entry.name),
            _ => format!("`{}` has no parameter `{name}`", entry.name),
        };
        let advice = match names.as_slice() {
            [] => "it has none".to_owned(),
            names => format!("its parameters are {}", names.join(", ")),
        };
        self.error_with(position, Code::UnknownName, message, advice)
    }

    /// What a pointer points to that an undefined function writes through, where an expression
    /// names just that pointer.
    pub(super) fn written_part(&mut self, pointer: &Expression) -> Lower<Option<Place>> {
        let Kind::Member(record, name, is_arrow) = &pointer.kind else { return Ok(None) };
        let place = self.function_part(record, name, *is_arrow)?;
        Ok(place.filter(|place| {
            matches!(place.base, PlaceBase::Part(FunctionPart { kind: PartKind::Written(_), .. }))
        }))
    }

    /// Takes `#2` off the name of a member of what comes from outside.
    pub(super) fn take_call(&mut self, place: &mut Place, name: &Name) -> Lower<Name> {
        let (plain, call) = unmasked(&name.text);
        match (&mut place.base, call) {
            (PlaceBase::Part(part), Some(call))
                if call > 0 && matches!(part.kind, PartKind::Written(_) | PartKind::Result) =>
            {
                part.call = call;
            }
            (_, Some(call)) => {
                let message =
                    format!("`#{call}` stands only behind what a function without a body returns or writes");
                return Err(self.error(name.position, Code::UnknownName, message));
            }
            (_, None) => {}
        }
        Ok(Name { text: plain.to_owned(), position: name.position })
    }
}

#[cfg(test)]
mod tests {
    use super::{masked, unmasked};

    #[test]
    fn names_that_are_none_in_c_are_masked() {
        for (text, expected) in [
            ("read.return > 3", "read.$eturn > 3"),
            ("read . return#2.x", "read . $eturn$2.x"),
            ("read.data.v[3]#12 == 1", "read.data.v$12[3] == 1"),
            ("read.data.v[a[1]][2]#2", "read.data.v[a$2[1]][2]"),
            ("read#2.data->x", "read$2.data->x"),
            ("p->return_code + returned", "p->return_code + returned"),
            ("x # y", "x # y"),
            ("x#", "x#"),
            ("\u{e4}#1", "\u{e4}$1"),
        ] {
            assert_eq!(masked(text), expected);
        }
    }

    #[test]
    fn masks_are_taken_off() {
        for (name, expected) in [
            ("$eturn", ("return", None)),
            ("$eturn$2", ("return", Some(2))),
            ("data$10", ("data", Some(10))),
            ("cost$", ("cost$", None)),
            ("data", ("data", None)),
        ] {
            assert_eq!(unmasked(name), expected);
        }
    }
}
