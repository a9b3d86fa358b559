//! What the functions of the C library take and give, as far as it tells that a function of such a
//! name is the library's.
//!
//! Code can declare a function of its own under a name of the library, or the library's with other
//! types. A compiler believes the declaration, and the compiled call passes the values where the
//! library does not look for them: there is no right result.

use super::{Machine, Outcome};
use crate::code::Code;
use crate::ir::Function;
use crate::ir::expr::Expr;
use crate::ir::types::{IntegerKind, Type, TypeId};
use frontend::source::Span;
use model::external;
use model::sort::FloatFormat;

/// Functions and the types of their results and arguments: `x` the function's float type, `f` any
/// float type, `i` int, `l` long, `q` long long, `n` any integer type, `I` pointer to int, `X`
/// pointer to the function's float type, `p` any pointer.
const SIGNATURES: [(&str, &[&str]); 23] = [
    ("xx", &["fabs", "sqrt", "floor", "ceil", "trunc", "round", "rint", "nearbyint"]),
    ("xxx", &["fmin", "fmax", "fmod", "remainder", "copysign", "fdim", "nextafter"]),
    ("xxxx", &["fma"]),
    ("xxi", &["ldexp", "scalbn"]),
    ("xxl", &["scalbln"]),
    ("xxI", &["frexp"]),
    ("xxX", &["modf"]),
    ("lx", &["lround", "lrint"]),
    ("qx", &["llround", "llrint"]),
    (
        "nf",
        &["isnan", "isinf", "isfinite", "finite", "signbit", "__isnan", "__isinf", "__finite", "__signbit"],
    ),
    ("ii", &["abs"]),
    ("ll", &["labs"]),
    ("qq", &["llabs"]),
    ("pppn", &["memcpy", "memmove"]),
    ("ppnn", &["memset", "memchr"]),
    ("nppn", &["memcmp", "strncmp"]),
    ("np", &["strlen"]),
    ("npn", &["strnlen"]),
    ("npp", &["strcmp"]),
    ("ppp", &["strcpy"]),
    ("pppn", &["strncpy"]),
    ("ppn", &["strchr"]),
    ("ppn", &["strrchr"]),
];

/// The signature of a library function and its float type; `None` for others.
fn signature(name: &str) -> Option<(&'static str, FloatFormat)> {
    let find = |name: &str| {
        let exact = SIGNATURES.iter().find(|(_, names)| names.contains(&name)).map(|&(letters, _)| letters);
        let inexact = external::Function::ALL.iter().find(|function| function.name() == name);
        exact.or_else(|| inexact.map(|function| if function.arguments() == 2 { "xxx" } else { "xx" }))
    };
    let double = find(name).map(|letters| (letters, FloatFormat::Double));
    double.or_else(|| Some((find(name.strip_suffix('f')?)?, FloatFormat::Single)))
}

impl Machine<'_> {
    /// Checks that a function without a body is declared, and called, as the library's function of
    /// its name (`__builtin_` aside).
    pub(super) fn check_signature(
        &mut self,
        function: &Function,
        name: &str,
        arguments: &[Expr],
        span: Span,
    ) -> Outcome<()> {
        let Some((letters, format)) = signature(name) else { return Ok(()) };
        let types = std::iter::once(function.result).chain(arguments.iter().map(|argument| argument.ty));
        let is_void = matches!(self.layouts.type_of(function.result), Type::Void);
        let fits = arguments.len() + 1 == letters.len()
            && letters.chars().zip(types).enumerate().all(|(position, (letter, ty))| {
                position == 0 && is_void || self.is_of_kind(letter, ty, format)
            });
        if fits {
            return Ok(());
        }
        let message =
            format!("`{name}` is not declared and called as the function of that name in the C library");
        let advice = format!(
            "include the library's header, or rename the function if it is another one (`-D {name}=other`)"
        );
        Err(self.fail_with(Code::UnsupportedCall, span, message, &advice))
    }

    /// Whether a function without a body is declared with the types that letters stand for.
    pub(super) fn is_declared_with(&self, function: &Function, letters: &str) -> bool {
        let parameters = function.parameters.iter().map(|&local| function.locals[local].ty);
        let types = std::iter::once(function.result).chain(parameters);
        letters.len() == function.parameters.len() + 1
            && letters.chars().zip(types).all(|(letter, ty)| self.is_of_kind(letter, ty, FloatFormat::Double))
    }

    fn is_of_kind(&self, letter: char, ty: TypeId, format: FloatFormat) -> bool {
        let target = self.program.target;
        let is_like = |like: IntegerKind| {
            self.program
                .types
                .integer_kind(ty)
                .is_some_and(|kind| kind.is_signed() && kind.bits(target) == like.bits(target))
        };
        match (letter, self.layouts.type_of(ty)) {
            ('x', Type::Float(found)) => *found == format,
            ('f', Type::Float(_)) | ('p', Type::Pointer(_)) => true,
            ('I', &Type::Pointer(pointee)) => self.is_of_kind('i', pointee, format),
            ('X', &Type::Pointer(pointee)) => self.is_of_kind('x', pointee, format),
            ('i', _) => is_like(IntegerKind::Int),
            ('l', _) => is_like(IntegerKind::Long),
            ('q', _) => is_like(IntegerKind::LongLong),
            ('n', _) => self.program.types.integer_kind(ty).is_some(),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_float_type() {
        assert_eq!(signature("modf"), Some(("xxX", FloatFormat::Double)));
        assert_eq!(signature("modff"), Some(("xxX", FloatFormat::Single)));
        assert_eq!(signature("atan2f"), Some(("xxx", FloatFormat::Single)));
        assert_eq!(signature("isinf"), Some(("nf", FloatFormat::Double)));
        assert_eq!(signature("of"), None);
    }
}
