//! Names of sorts and operators, for printer and parser alike.

use crate::sort::{FloatFormat, MAX_WIDTH, Sort};
use crate::term::{BinaryOp, RoundTo, UnaryOp};

/// One-operand operators whose name says all.
const UNARY: [(&str, UnaryOp); 13] = [
    ("not", UnaryOp::Not),
    ("neg", UnaryOp::Neg),
    ("float-neg", UnaryOp::FloatNeg),
    ("float-abs", UnaryOp::FloatAbs),
    ("float-sqrt", UnaryOp::FloatSqrt),
    ("float-is-nan", UnaryOp::FloatIsNan),
    ("float-is-infinite", UnaryOp::FloatIsInfinite),
    ("float-to-bits", UnaryOp::FloatToBits),
    ("float-round-nearest-even", UnaryOp::FloatRound(RoundTo::NearestEven)),
    ("float-round-nearest-away", UnaryOp::FloatRound(RoundTo::NearestAway)),
    ("float-round-zero", UnaryOp::FloatRound(RoundTo::Zero)),
    ("float-round-up", UnaryOp::FloatRound(RoundTo::Up)),
    ("float-round-down", UnaryOp::FloatRound(RoundTo::Down)),
];

const BINARY: [(&str, BinaryOp); 28] = [
    ("and", BinaryOp::And),
    ("or", BinaryOp::Or),
    ("xor", BinaryOp::Xor),
    ("add", BinaryOp::Add),
    ("sub", BinaryOp::Sub),
    ("mul", BinaryOp::Mul),
    ("udiv", BinaryOp::UDiv),
    ("urem", BinaryOp::URem),
    ("sdiv", BinaryOp::SDiv),
    ("srem", BinaryOp::SRem),
    ("shl", BinaryOp::Shl),
    ("lshr", BinaryOp::LShr),
    ("ashr", BinaryOp::AShr),
    ("eq", BinaryOp::Eq),
    ("ult", BinaryOp::ULt),
    ("ule", BinaryOp::ULe),
    ("slt", BinaryOp::SLt),
    ("sle", BinaryOp::SLe),
    ("concat", BinaryOp::Concat),
    ("float-add", BinaryOp::FloatAdd),
    ("float-sub", BinaryOp::FloatSub),
    ("float-mul", BinaryOp::FloatMul),
    ("float-div", BinaryOp::FloatDiv),
    ("float-fmod", BinaryOp::FloatFmod),
    ("float-remainder", BinaryOp::FloatRemainder),
    ("float-eq", BinaryOp::FloatEq),
    ("float-lt", BinaryOp::FloatLt),
    ("float-le", BinaryOp::FloatLe),
];

/// The operator of that name.
pub(super) fn unary_named(name: &str) -> Option<UnaryOp> {
    UNARY.iter().find(|entry| entry.0 == name).map(|entry| entry.1)
}

/// The operator of that name.
pub(super) fn binary_named(name: &str) -> Option<BinaryOp> {
    BINARY.iter().find(|entry| entry.0 == name).map(|entry| entry.1)
}

/// The one-operand operator of that name whose result has the sort written behind the name.
pub(super) fn conversion_named(name: &str, sort: Sort) -> Option<UnaryOp> {
    Some(match (name, sort) {
        ("float-from-bits", Sort::Float(format)) => UnaryOp::FloatFromBits(format),
        ("float-convert", Sort::Float(format)) => UnaryOp::FloatConvert(format),
        ("float-from-unsigned", Sort::Float(format)) => UnaryOp::FloatFromUnsigned(format),
        ("float-from-signed", Sort::Float(format)) => UnaryOp::FloatFromSigned(format),
        ("float-to-unsigned", Sort::Word(width)) => UnaryOp::FloatToUnsigned(width as u8),
        ("float-to-signed", Sort::Word(width)) => UnaryOp::FloatToSigned(width as u8),
        _ => return None,
    })
}

/// Whether operators of that name are followed by a sort.
pub(super) fn is_conversion(name: &str) -> bool {
    const NAMES: [&str; 6] = [
        "float-from-bits",
        "float-convert",
        "float-from-unsigned",
        "float-from-signed",
        "float-to-unsigned",
        "float-to-signed",
    ];
    NAMES.contains(&name)
}

/// The operator as it stands behind the opening parenthesis.
pub(super) fn unary_name(op: UnaryOp) -> String {
    let with_sort = |name: &str, sort: Sort| format!("{name} {sort}");
    match op {
        UnaryOp::FloatFromBits(format) => with_sort("float-from-bits", Sort::Float(format)),
        UnaryOp::FloatConvert(format) => with_sort("float-convert", Sort::Float(format)),
        UnaryOp::FloatFromUnsigned(format) => with_sort("float-from-unsigned", Sort::Float(format)),
        UnaryOp::FloatFromSigned(format) => with_sort("float-from-signed", Sort::Float(format)),
        UnaryOp::FloatToUnsigned(width) => with_sort("float-to-unsigned", Sort::Word(width.into())),
        UnaryOp::FloatToSigned(width) => with_sort("float-to-signed", Sort::Word(width.into())),
        _ => {
            let entry = UNARY.iter().find(|entry| entry.1 == op);
            entry.expect("every operator should have a name").0.to_owned()
        }
    }
}

/// The operator as it stands behind the opening parenthesis.
pub(super) fn binary_name(op: BinaryOp) -> &'static str {
    BINARY.iter().find(|entry| entry.1 == op).expect("every operator should have a name").0
}

/// The sort of that name.
pub(super) fn sort_named(name: &str) -> Option<Sort> {
    match name {
        "f32" => Some(Sort::Float(FloatFormat::Single)),
        "f64" => Some(Sort::Float(FloatFormat::Double)),
        _ => {
            let digits = name.strip_prefix('w')?;
            let width: u32 = digits.parse().ok()?;
            ((1..=MAX_WIDTH).contains(&width) && width.to_string() == digits).then(|| Sort::word(width))
        }
    }
}
