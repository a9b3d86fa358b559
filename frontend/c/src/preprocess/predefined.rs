//! Macros that describe the target, in place of those of the host.

use crate::ir::target::{DataModel, Target, TypeSizes};
use crate::ir::types::IntegerKind;

/// Definitions of the target, as arguments of `-D`.
pub(super) fn definitions(target: Target) -> Vec<String> {
    let mut definitions = vec![
        "__CHAINCOVER__=1".to_owned(),
        "__CHAR_BIT__=8".to_owned(),
        "__ORDER_LITTLE_ENDIAN__=1234".to_owned(),
        "__ORDER_BIG_ENDIAN__=4321".to_owned(),
        "__BYTE_ORDER__=1234".to_owned(),
        "__SIZEOF_FLOAT__=4".to_owned(),
        "__SIZEOF_DOUBLE__=8".to_owned(),
        "__WCHAR_TYPE__=int".to_owned(),
    ];
    if target.model == DataModel::Lp64 {
        definitions.extend(["__LP64__=1".to_owned(), "_LP64=1".to_owned()]);
    }
    let orders = ["RELAXED", "CONSUME", "ACQUIRE", "RELEASE", "ACQ_REL", "SEQ_CST"];
    definitions.extend(orders.iter().enumerate().map(|(number, order)| format!("__ATOMIC_{order}={number}")));
    use IntegerKind::*;
    for (name, kind) in [("SHORT", Short), ("INT", Int), ("LONG", Long), ("LONG_LONG", LongLong)] {
        definitions.push(format!("__SIZEOF_{name}__={}", target.integer_size(kind)));
    }
    for name in ["POINTER", "SIZE_T", "PTRDIFF_T"] {
        definitions.push(format!("__SIZEOF_{name}__={}", target.pointer_size()));
    }
    for (name, kind, suffix) in [
        ("SCHAR", SignedChar, ""),
        ("SHRT", Short, ""),
        ("INT", Int, ""),
        ("LONG", Long, "L"),
        ("LONG_LONG", LongLong, "LL"),
    ] {
        definitions.push(format!("__{name}_MAX__={}{suffix}", kind.range(target).1));
    }
    for bits in [8, 16, 32, 64] {
        let kind = exact(bits, target);
        definitions.push(format!("__INT{bits}_TYPE__={}", kind.name()));
        definitions.push(format!("__UINT{bits}_TYPE__={}", kind.to_unsigned().name()));
    }
    let word = if target.integer_size(Int) == target.pointer_size() { Int } else { Long };
    for name in ["PTRDIFF", "INTPTR"] {
        definitions.push(format!("__{name}_TYPE__={}", word.name()));
    }
    for name in ["SIZE", "UINTPTR"] {
        definitions.push(format!("__{name}_TYPE__={}", word.to_unsigned().name()));
    }
    definitions
}

/// The type that C libraries of the target use for an exact width.
pub(crate) fn exact(bits: u32, target: Target) -> IntegerKind {
    use IntegerKind::*;
    if bits == 8 {
        return SignedChar; // plain char would do as well, but is another type
    }
    let kinds = if bits == 16 { [Short, Int, Long, LongLong] } else { [Int, Long, LongLong, Short] };
    kinds.into_iter().find(|kind| kind.bits(target) == bits).expect("every target should have this width")
}
