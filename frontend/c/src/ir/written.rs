//! What a function without a body may write through a pointer that it is given.

use super::Local;
use super::expr::{Expr, ExprKind};
use super::stmt::Projection;
use super::target::Target;
use super::types::{IntegerKind, Type, TypeId, TypeTable};

/// So many elements of a type, from where the pointer points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    /// What lies there.
    pub(crate) element: TypeId,
    /// How many of them.
    pub(crate) count: u64,
    /// Whether they are named as elements of an array.
    pub(crate) is_array: bool,
}

/// What a call may write behind an argument for a parameter (`None`: one of `...`); `None` where
/// the argument is no pointer, points to what is `const`, or to nothing whose type is known.
///
/// A pointer says nothing of how much there is. It is an array where the parameter is declared as
/// one of known length, and where the argument is one, as `a` or `&a[0]`. What is passed as `void
/// *` or as bytes is what it was before.
pub(crate) fn written(
    types: &TypeTable,
    target: Target,
    parameter: Option<&Local>,
    argument: &Expr,
) -> Option<Written> {
    let pointee = |ty: TypeId| match types.types[ty] {
        Type::Pointer(to) => Some(to),
        _ => None,
    };
    let declared = pointee(argument.ty)?;
    if parameter.is_some_and(|parameter| parameter.is_read_only) {
        return None;
    }
    let mut plain = argument;
    while let ExprKind::Convert(inner) = &plain.kind
        && pointee(inner.ty).is_some()
    {
        plain = inner;
    }
    let passed = pointee(plain.ty).filter(|&passed| types.size(passed, target).is_some());
    let element = match passed {
        Some(passed) if is_raw(types, declared) => passed,
        _ => declared,
    };
    let size = types.size(element, target)?;
    let promised = parameter.and_then(|parameter| match types.types[parameter.array?] {
        Type::Array { length, .. } => length,
        _ => None,
    });
    let given = whole_array(plain).filter(|&(element, _)| types.size(element, target) == Some(size));
    let count = match (promised, given) {
        (Some(promised), Some((_, given))) => promised.min(given),
        (Some(count), None) | (None, Some((_, count))) => count,
        (None, None) => 1,
    };
    let is_array = count > 1 || parameter.is_some_and(|parameter| parameter.pointed_array().is_some());
    Some(Written { element, count, is_array })
}

/// Whether a pointer to the type is a pointer to anything: to `void` or bytes.
fn is_raw(types: &TypeTable, ty: TypeId) -> bool {
    let bytes = [IntegerKind::Char, IntegerKind::SignedChar, IntegerKind::UnsignedChar];
    match types.types[ty] {
        Type::Void => true,
        Type::Integer(kind) => bytes.contains(&kind),
        _ => false,
    }
}

/// Element type and length of the array of known length to whose first element an expression
/// points: `a`, `&a[0]`.
fn whole_array(pointer: &Expr) -> Option<(TypeId, u64)> {
    let ExprKind::AddressOf(place) = &pointer.kind else { return None };
    match place.path.last()? {
        Projection::Index { index, element, length: Some(length) } if *element == place.ty => {
            matches!(index.kind, ExprKind::Integer(0)).then_some((*element, *length))
        }
        _ => None,
    }
}
