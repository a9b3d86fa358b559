//! What the operators of BTOR2 mean in terms.

use model::term::{BinaryOp, TermId, TermPool, UnaryOp};

/// A function of one word.
type Unary = fn(&mut TermPool, TermId) -> TermId;
/// A function of two words.
type Binary = fn(&mut TermPool, TermId, TermId) -> TermId;

/// The unary operators on words.
pub(crate) fn unary(keyword: &str) -> Option<Unary> {
    Some(match keyword {
        "not" => |pool, a| pool.unary(UnaryOp::Not, a),
        "neg" => |pool, a| pool.unary(UnaryOp::Neg, a),
        "inc" => |pool, a| {
            let one = pool.word(pool.width(a), 1);
            pool.binary(BinaryOp::Add, a, one)
        },
        "dec" => |pool, a| {
            let one = pool.word(pool.width(a), 1);
            pool.binary(BinaryOp::Sub, a, one)
        },
        "redand" => |pool, a| {
            let ones = all_ones(pool, pool.width(a));
            pool.equal(a, ones)
        },
        "redor" => |pool, a| pool.is_nonzero(a),
        "redxor" => |pool, a| {
            let bits: Vec<TermId> = (0..pool.width(a)).map(|bit| pool.extract(a, bit, bit)).collect();
            let zero = pool.truth(false);
            bits.into_iter().fold(zero, |all, bit| pool.binary(BinaryOp::Xor, all, bit))
        },
        _ => return None,
    })
}

/// The binary operators on words: whether the operands may differ in width, and the function.
pub(crate) fn binary(keyword: &str) -> Option<(bool, Binary)> {
    if keyword == "concat" {
        return Some((true, |pool, a, b| pool.binary(BinaryOp::Concat, a, b)));
    }
    let function: Binary = match keyword {
        "and" => |pool, a, b| pool.binary(BinaryOp::And, a, b),
        "or" => |pool, a, b| pool.binary(BinaryOp::Or, a, b),
        "xor" => |pool, a, b| pool.binary(BinaryOp::Xor, a, b),
        "nand" => |pool, a, b| inverted(pool, BinaryOp::And, a, b),
        "nor" => |pool, a, b| inverted(pool, BinaryOp::Or, a, b),
        "xnor" => |pool, a, b| inverted(pool, BinaryOp::Xor, a, b),
        "implies" => |pool, a, b| pool.implies(a, b),
        "iff" | "eq" => |pool, a, b| pool.equal(a, b),
        "neq" => |pool, a, b| inverted(pool, BinaryOp::Eq, a, b),
        "ult" => |pool, a, b| pool.binary(BinaryOp::ULt, a, b),
        "ulte" => |pool, a, b| pool.binary(BinaryOp::ULe, a, b),
        "ugt" => |pool, a, b| pool.binary(BinaryOp::ULt, b, a),
        "ugte" => |pool, a, b| pool.binary(BinaryOp::ULe, b, a),
        "slt" => |pool, a, b| pool.binary(BinaryOp::SLt, a, b),
        "slte" => |pool, a, b| pool.binary(BinaryOp::SLe, a, b),
        "sgt" => |pool, a, b| pool.binary(BinaryOp::SLt, b, a),
        "sgte" => |pool, a, b| pool.binary(BinaryOp::SLe, b, a),
        "add" => |pool, a, b| pool.binary(BinaryOp::Add, a, b),
        "sub" => |pool, a, b| pool.binary(BinaryOp::Sub, a, b),
        "mul" => |pool, a, b| pool.binary(BinaryOp::Mul, a, b),
        "udiv" => |pool, a, b| pool.binary(BinaryOp::UDiv, a, b),
        "urem" => |pool, a, b| pool.binary(BinaryOp::URem, a, b),
        "sdiv" => |pool, a, b| pool.binary(BinaryOp::SDiv, a, b),
        "srem" => |pool, a, b| pool.binary(BinaryOp::SRem, a, b),
        "smod" => signed_modulo,
        "sll" => |pool, a, b| pool.binary(BinaryOp::Shl, a, b),
        "srl" => |pool, a, b| pool.binary(BinaryOp::LShr, a, b),
        "sra" => |pool, a, b| pool.binary(BinaryOp::AShr, a, b),
        "rol" => |pool, a, b| rotated(pool, BinaryOp::Shl, a, b),
        "ror" => |pool, a, b| rotated(pool, BinaryOp::LShr, a, b),
        "uaddo" => |pool, a, b| {
            let sum = pool.binary(BinaryOp::Add, a, b);
            pool.binary(BinaryOp::ULt, sum, a)
        },
        "usubo" => |pool, a, b| pool.binary(BinaryOp::ULt, a, b),
        "umulo" => |pool, a, b| product_overflows(pool, a, b, false),
        "smulo" => |pool, a, b| product_overflows(pool, a, b, true),
        "saddo" => |pool, a, b| {
            let sum = pool.binary(BinaryOp::Add, a, b);
            let (with_a, with_b) = (pool.binary(BinaryOp::Xor, sum, a), pool.binary(BinaryOp::Xor, sum, b));
            both_negative(pool, with_a, with_b)
        },
        "ssubo" => |pool, a, b| {
            let difference = pool.binary(BinaryOp::Sub, a, b);
            let (operands, result) =
                (pool.binary(BinaryOp::Xor, a, b), pool.binary(BinaryOp::Xor, a, difference));
            both_negative(pool, operands, result)
        },
        "udivo" => |pool, _, _| pool.truth(false),
        "sdivo" => |pool, a, b| {
            let width = pool.width(a);
            let (least, ones) = (pool.word(width, 1 << (width - 1)), all_ones(pool, width));
            let (is_least, is_minus_one) = (pool.equal(a, least), pool.equal(b, ones));
            pool.and(is_least, is_minus_one)
        },
        _ => return None,
    };
    Some((false, function))
}

/// Widest operands of a product whose overflow is computed in twice the width.
const WIDEST_PRODUCT: u32 = 64;

/// Widest operand of a rotation, whose amounts are computed with a bit more.
const WIDEST_ROTATED: u32 = 127;

/// Why operands of this width are not supported by an operator, if they are not.
pub(crate) fn refused(keyword: &str, width: u32) -> Option<String> {
    let widest = match keyword {
        "umulo" | "smulo" => WIDEST_PRODUCT,
        "rol" | "ror" => WIDEST_ROTATED,
        _ => return None,
    };
    (width > widest).then(|| format!("`{keyword}` of words beyond {widest} bits is not supported"))
}

fn all_ones(pool: &mut TermPool, width: u32) -> TermId {
    let zero = pool.word(width, 0);
    pool.unary(UnaryOp::Not, zero)
}

fn inverted(pool: &mut TermPool, op: BinaryOp, a: TermId, b: TermId) -> TermId {
    let plain = pool.binary(op, a, b);
    pool.unary(UnaryOp::Not, plain)
}

fn sign(pool: &mut TermPool, a: TermId) -> TermId {
    let top = pool.width(a) - 1;
    pool.extract(a, top, top)
}

fn both_negative(pool: &mut TermPool, a: TermId, b: TermId) -> TermId {
    let both = pool.binary(BinaryOp::And, a, b);
    sign(pool, both)
}

/// The remainder with the sign of the divisor; the dividend where the divisor is zero.
fn signed_modulo(pool: &mut TermPool, a: TermId, b: TermId) -> TermId {
    let remainder = pool.binary(BinaryOp::SRem, a, b);
    let (rest_sign, divisor_sign) = (sign(pool, remainder), sign(pool, b));
    let signs_differ = pool.binary(BinaryOp::Xor, rest_sign, divisor_sign);
    let (has_rest, has_divisor) = (pool.is_nonzero(remainder), pool.is_nonzero(b));
    let is_off = pool.conjunction([signs_differ, has_rest, has_divisor]);
    let moved = pool.binary(BinaryOp::Add, remainder, b);
    pool.ite(is_off, moved, remainder)
}

/// A rotation towards the direction of the shift.
fn rotated(pool: &mut TermPool, shift: BinaryOp, a: TermId, amount: TermId) -> TermId {
    let width = pool.width(a);
    if width == 1 {
        return a;
    }
    // A width of 2^n bits does not fit n bits, so amounts are computed with a bit more.
    let wide = width + 1;
    let (long, modulus) = (pool.resize(amount, wide, false), pool.word(wide, u128::from(width)));
    let forth = pool.binary(BinaryOp::URem, long, modulus);
    let rest = pool.binary(BinaryOp::Sub, modulus, forth);
    let wide_a = pool.resize(a, wide, false);
    let left = if shift == BinaryOp::Shl { forth } else { rest };
    let right = if shift == BinaryOp::Shl { rest } else { forth };
    let (up, down) = (pool.binary(BinaryOp::Shl, wide_a, left), pool.binary(BinaryOp::LShr, wide_a, right));
    let all = pool.binary(BinaryOp::Or, up, down);
    pool.extract(all, width - 1, 0)
}

/// Whether a product does not fit the width of its operands.
fn product_overflows(pool: &mut TermPool, a: TermId, b: TermId, signed: bool) -> TermId {
    let width = pool.width(a);
    let (a, b) = (pool.resize(a, 2 * width, signed), pool.resize(b, 2 * width, signed));
    let product = pool.binary(BinaryOp::Mul, a, b);
    let kept = pool.extract(product, width - 1, 0);
    let again = pool.resize(kept, 2 * width, signed);
    inverted(pool, BinaryOp::Eq, product, again)
}
