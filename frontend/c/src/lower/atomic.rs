//! Functions of GNU compilers that read and write a word at once: `__atomic_fetch_add`,
//! `__sync_add_and_fetch` and their relatives.
//!
//! Nothing runs beside a step, so that each of them is a few lines of ordinary C. Those that
//! compare and exchange are known only where they cannot fail without a reason.

use super::frame::{Lower, Lowering};
use crate::code::Code;
use crate::ir::FunctionId;
use crate::syntax::ast::{Expression, Position};

/// Names of the operations, and what they make of the old value `o` and the operand `v`, in an
/// unsigned type `U`.
const OPERATIONS: [(&str, &str); 6] = [
    ("add", "(U)o + (U)v"),
    ("sub", "(U)o - (U)v"),
    ("and", "(U)o & (U)v"),
    ("or", "(U)o | (U)v"),
    ("xor", "(U)o ^ (U)v"),
    ("nand", "~((U)o & (U)v)"),
];

/// Result, parameters behind the pointer, and body of a function on a word `*p` of type `T`.
fn meaning(name: &str) -> Option<(&'static str, String, String)> {
    let (plain, order) = match name.strip_prefix("__atomic_") {
        Some(plain) => (plain, ", int order"),
        None => (name.strip_prefix("__sync_")?, ""),
    };
    let value = format!(", T v{order}");
    let (result, parameters, body) = match plain {
        "load_n" if !order.is_empty() => ("T", order.to_owned(), "return *p;"),
        "store_n" if !order.is_empty() => ("void", value, "*p = v;"),
        "exchange_n" if !order.is_empty() => ("T", value, "T o = *p; *p = v; return o;"),
        "lock_test_and_set" if order.is_empty() => ("T", value, "T o = *p; *p = v; return o;"),
        "lock_release" if order.is_empty() => ("void", String::new(), "*p = 0;"),
        "bool_compare_and_swap" if order.is_empty() => {
            ("_Bool", ", T o, T v".to_owned(), "if (*p != o) return 0; *p = v; return 1;")
        }
        "val_compare_and_swap" if order.is_empty() => {
            ("T", ", T o, T v".to_owned(), "T w = *p; if (w == o) *p = v; return w;")
        }
        _ => return arithmetic(plain, value),
    };
    Some((result, parameters, body.to_owned()))
}

fn arithmetic(plain: &str, parameters: String) -> Option<(&'static str, String, String)> {
    let operation = |name: &str| OPERATIONS.iter().find(|(known, _)| *known == name);
    let is_sync = !parameters.contains("order");
    let (result, (_, text)) = match plain.strip_prefix("fetch_and_").filter(|_| is_sync) {
        Some(name) => ("o", operation(name)?),
        None => match plain.strip_prefix("fetch_").filter(|_| !is_sync) {
            Some(name) => ("o", operation(name)?),
            None if is_sync => ("n", operation(plain.strip_suffix("_and_fetch")?)?),
            None => ("n", operation(plain.strip_suffix("_fetch")?)?),
        },
    };
    Some(("T", parameters, format!("T o = *p; T n = (T)({text}); *p = n; return {result};")))
}

impl Lowering<'_> {
    /// The compiler's function of a name for what its first argument points to; `None` where it is
    /// none.
    pub(super) fn atomic(
        &mut self,
        name: &str,
        arguments: &[Expression],
        position: Position,
    ) -> Lower<Option<FunctionId>> {
        let (Some((result, parameters, body)), [pointer, ..]) = (meaning(name), arguments) else {
            return Ok(None);
        };
        if self.lookup(name).is_some() && !self.is_prototype_of_builtin(name) {
            return Ok(None);
        }
        let ty = self.in_vain(|this| this.value(pointer))?.ty;
        let pointee = self.types().pointee(ty);
        let Some(kind) = pointee.and_then(|ty| self.integer_kind(ty)) else {
            let message = format!("`{name}` is supported for pointers to integers only");
            return Err(self.error(pointer.position, Code::UnsupportedBuiltin, message));
        };
        let (word, unsigned) = (kind.name(), kind.to_unsigned().name());
        let name = format!("{name}_{}", word.replace(' ', "_"));
        let text = format!(
            "typedef {word} T; typedef {unsigned} U; static {result} {name}(T *p{parameters}) {{ {body} }}"
        );
        self.builtin_function(&name, &text, position).map(Some)
    }
}
