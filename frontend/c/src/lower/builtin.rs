//! Functions of GNU compilers that are no more than a few lines of C: counting and swapping bits,
//! arithmetic that tells overflow.
//!
//! They are lowered from those lines where a file first uses them, as functions of that file; a
//! compiler of the host has them itself.

use super::frame::{Lower, Lowering, Reported};
use super::library::lower_text;
use super::scope::Entity;
use crate::code::Code;
use crate::ir::FunctionId;
use crate::ir::expr::{Expr, ExprKind};
use crate::ir::types::{IntegerKind, TypeId};
use crate::syntax::ast::{Expression, Position};

/// Functions on bits: the name, which stands for itself and with `l` and `ll` behind it for wider
/// numbers, and the body, where `T` is the unsigned type and `W` its width in bits. A result that C
/// leaves open is that of a variable that was never set.
const ON_BITS: [(&str, &str); 7] = [
    ("popcount", "int n = 0; for (int i = 0; i < W; i++) n += (int)(x >> i & 1u); return n;"),
    ("parity", "int n = 0; for (int i = 0; i < W; i++) n ^= (int)(x >> i & 1u); return n;"),
    ("clz", "int n; for (int i = 0; i < W; i++) if (x >> i & 1u) n = W - 1 - i; return n;"),
    ("ctz", "int n; for (int i = W - 1; i >= 0; i--) if (x >> i & 1u) n = i; return n;"),
    ("ffs", "int n = 0; for (int i = W - 1; i >= 0; i--) if (x >> i & 1u) n = i + 1; return n;"),
    (
        "clrsb",
        "int n = W - 1; T y = x >> (W - 1) ? ~x : x; for (int i = 0; i < W - 1; i++) if (y >> i & 1u) n = W - 2 - i; return n;",
    ),
    ("bswap", ""),
];

/// The text of a function on bits.
fn on_bits(name: &str) -> Option<String> {
    let plain = name.strip_prefix("__builtin_")?;
    if let Some(width) = plain.strip_prefix("bswap") {
        let (bytes, ty) = match width {
            "16" => (2, "__UINT16_TYPE__"),
            "32" => (4, "__UINT32_TYPE__"),
            "64" => (8, "__UINT64_TYPE__"),
            _ => return None,
        };
        let parts =
            (0..bytes).map(|byte| format!("((T)(x >> {}) & 255u) << {}", 8 * byte, 8 * (bytes - 1 - byte)));
        let sum = parts.map(|part| format!("(T)({part})")).collect::<Vec<_>>().join(" | ");
        return Some(format!("typedef {ty} T; static T {name}(T x) {{ return (T)({sum}); }}"));
    }
    let (known, body) = ON_BITS
        .iter()
        .find(|(known, _)| plain.strip_prefix(known).is_some_and(|rest| matches!(rest, "" | "l" | "ll")))?;
    let ty = match &plain[known.len()..] {
        "" => "unsigned int",
        "l" => "unsigned long",
        _ => "unsigned long long",
    };
    Some(format!("typedef {ty} T; enum {{ W = 8 * (int)sizeof(T) }}; static int {name}(T x) {{ {body} }}"))
}

/// What a function on bits makes of a constant, as its text does; `None` where C leaves it open.
fn constant_on_bits(name: &str, value: u64, width: u32) -> Option<i128> {
    let plain = name.strip_prefix("__builtin_")?.trim_end_matches('l');
    let unused = u64::BITS - width;
    let is_negative = value >> (width - 1) & 1 == 1;
    let leading = |value: u64| value.leading_zeros() - unused;
    Some(match plain {
        "popcount" => value.count_ones().into(),
        "parity" => (value.count_ones() % 2).into(),
        "clz" if value != 0 => leading(value).into(),
        "ctz" if value != 0 => value.trailing_zeros().into(),
        "ffs" if value == 0 => 0,
        "ffs" => (value.trailing_zeros() + 1).into(),
        "clrsb" => (leading(if is_negative { !value << unused >> unused } else { value }) - 1).into(),
        _ if plain.starts_with("bswap") => (value.swap_bytes() >> unused).into(),
        _ => return None,
    })
}

/// An operation that tells overflow.
#[derive(Clone, Copy)]
struct Checked {
    operator: char,
    /// Types of operands and result where the name tells them.
    kind: Option<IntegerKind>,
}

impl Checked {
    /// `__builtin_add_overflow` and its relatives with types in their names.
    fn named(name: &str) -> Option<Self> {
        let plain = name.strip_prefix("__builtin_")?.strip_suffix("_overflow")?;
        for (word, operator) in [("add", '+'), ("sub", '-'), ("mul", '*')] {
            let Some((sign, length)) = plain.split_once(word) else { continue };
            use IntegerKind::*;
            let kind = match (sign, length) {
                ("", "") => None,
                ("s", "") => Some(Int),
                ("s", "l") => Some(Long),
                ("s", "ll") => Some(LongLong),
                ("u", "") => Some(UnsignedInt),
                ("u", "l") => Some(UnsignedLong),
                ("u", "ll") => Some(UnsignedLongLong),
                _ => continue,
            };
            return Some(Self { operator, kind });
        }
        None
    }

    /// The body of the function for operands `a` and `b` of types `A` and `B` and a result of type
    /// `R`; `None` where some 64-bit types differ.
    fn body(self, kinds: [IntegerKind; 3], widths: [u32; 3]) -> Option<String> {
        let [left, right, _] = kinds;
        let operator = self.operator;
        if widths.iter().all(|&width| width <= 32) {
            let is_unsigned = !left.is_signed() && !right.is_signed();
            return Some(match (operator, is_unsigned) {
                ('*', true) => "unsigned long long s = (unsigned long long)a * b; *r = (R)s; return *r < 0 || (unsigned long long)*r != s;".to_owned(),
                _ => format!("long long s = (long long)a {operator} (long long)b; *r = (R)s; return s != (long long)*r;"),
            });
        }
        if kinds.iter().any(|&kind| kind != left) {
            return None;
        }
        let wrapped = format!("R s = (R)((U)a {operator} (U)b); *r = s;");
        Some(match (operator, left.is_signed()) {
            ('+', true) => format!("{wrapped} return ((a ^ s) & (b ^ s)) < 0;"),
            ('-', true) => format!("{wrapped} return ((a ^ b) & (a ^ s)) < 0;"),
            ('+', false) => format!("{wrapped} return s < a;"),
            ('-', false) => format!("{wrapped} return a < b;"),
            (_, false) => format!("{wrapped} return a != 0 && s / a != b;"),
            // The least number times -1 is the one product that division cannot tell.
            (_, true) => format!(
                "{wrapped} if (a == 0 || b == 0) return 0; if (a == -1) return b == s && b < 0 && b == (R)(0 - (U)b); if (b == -1) return a < 0 && a == (R)(0 - (U)a); return s / b != a || s % b != 0;"
            ),
        })
    }
}

impl Lowering<'_> {
    /// The compiler's function of a name that has a fixed type; `None` where it is none.
    pub(super) fn builtin(&mut self, name: &str, position: Position) -> Lower<Option<FunctionId>> {
        if let Some(text) = on_bits(name) {
            return self.builtin_function(name, &text, position).map(Some);
        }
        match Checked::named(name) {
            Some(Checked { operator, kind: Some(kind) }) => {
                let checked = Checked { operator, kind: Some(kind) };
                self.checked_function(name, checked, [kind; 3], position).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The value of a function on bits whose argument is a constant, which C takes for one, too.
    pub(super) fn constant_builtin(
        &mut self,
        name: &str,
        arguments: &[Expression],
        position: Position,
    ) -> Lower<Option<Expr>> {
        let ([argument], true) = (arguments, on_bits(name).is_some()) else { return Ok(None) };
        let Some(function) = self.builtin(name, position)? else { return Ok(None) };
        let declaration = &self.linker.program.functions[function];
        let parameter = declaration.locals[declaration.parameters[0]].ty;
        let result = declaration.result;
        let (value, block) = self.in_block(|this| {
            let value = this.value(argument)?;
            let value = this.fold_constants(value, argument.position)?;
            this.convert_assigned(value, parameter, argument.position)
        });
        let (ExprKind::Integer(number), true) = (value?.kind, block.is_empty()) else { return Ok(None) };
        let target = self.types().target;
        let found = self.integer_kind(parameter).zip(self.integer_kind(result)).and_then(|(kind, shown)| {
            let width = kind.bits(target);
            let number = constant_on_bits(name, u64::try_from(number).ok()?, width)?;
            Some(self.integer(number, shown, position))
        });
        Ok(found)
    }

    /// The compiler's function that tells overflow for the types of the arguments; `None` where the
    /// name is none.
    pub(super) fn generic_builtin(
        &mut self,
        name: &str,
        arguments: &[Expression],
        position: Position,
    ) -> Lower<Option<FunctionId>> {
        let (Some(checked @ Checked { kind: None, .. }), [left, right, result]) =
            (Checked::named(name), arguments)
        else {
            return match self.atomic(name, arguments, position)? {
                Some(function) => Ok(Some(function)),
                None => self.function_for_any_float(name, arguments, position),
            };
        };
        let mut kinds = [IntegerKind::Int; 3];
        for (kind, argument) in kinds.iter_mut().zip([left, right, result]) {
            let ty = self.in_vain(|this| this.value(argument))?.ty;
            let ty = if std::ptr::eq(argument, result) { self.types().pointee(ty) } else { Some(ty) };
            let Some(found) = ty.and_then(|ty| self.integer_kind(ty)) else {
                let message = format!("`{name}` takes two integers and a pointer to one");
                return Err(self.error(argument.position, Code::TypeMismatch, message));
            };
            *kind = found;
        }
        let words = kinds.map(|kind| kind.name().replace(' ', "_")).join("_");
        self.checked_function(&format!("{name}_{words}"), checked, kinds, position).map(Some)
    }

    pub(super) fn integer_kind(&self, ty: TypeId) -> Option<IntegerKind> {
        self.linker.types.table.integer_kind(ty)
    }

    fn checked_function(
        &mut self,
        name: &str,
        checked: Checked,
        kinds: [IntegerKind; 3],
        position: Position,
    ) -> Lower<FunctionId> {
        let target = self.types().target;
        let Some(body) = checked.body(kinds, kinds.map(|kind| kind.bits(target))) else {
            let message = "operands and result of this function have different types, one of them of 64 bits";
            return Err(self.error_with(
                position,
                Code::UnsupportedBuiltin,
                message,
                "convert them to one type",
            ));
        };
        let [left, right, result] = kinds.map(IntegerKind::name);
        let unsigned = kinds[2].to_unsigned().name();
        let text = format!(
            "typedef {left} A; typedef {right} B; typedef {result} R; typedef {unsigned} U; static _Bool {name}(A a, B b, R *r) {{ {body} }}"
        );
        self.builtin_function(name, &text, position)
    }

    /// Lowers the text of a function as one of this file, once.
    pub(super) fn builtin_function(
        &mut self,
        name: &str,
        text: &str,
        position: Position,
    ) -> Lower<FunctionId> {
        if let Some(&Entity::Function(known)) = self.scopes[0].names.get(name)
            && self.linker.program.functions[known].body.is_some()
        {
            return Ok(known);
        }
        let found = lower_text(&mut *self.linker, self.unit, (name, text), None);
        match found {
            Some(Entity::Function(function)) => {
                self.scopes[0].names.insert(name.to_owned(), Entity::Function(function));
                Ok(function)
            }
            _ => {
                let message =
                    format!("the compiler's own function `{name}` is not supported for this target");
                let _: Reported = self.error(position, Code::UnsupportedBuiltin, message);
                Err(Reported)
            }
        }
    }
}
