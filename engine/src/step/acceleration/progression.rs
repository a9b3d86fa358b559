//! Words that move at a constant rate.
//!
//! A [`Form`] stands for the sequence base, base + slope, base + 2 slope, ... of values of a word,
//! for as long as that is what the word really does: no wrap-around, no truth that changes.
//! Operators on forms say how long their result keeps its form.

use crate::step::code::{Code, Instruction, Other};

/// No end in sight.
pub(super) const EVER: u64 = u64::MAX;

/// Widest words that may move.
pub(super) const WIDEST: u32 = 64;

/// See the module text: the value is `base + slope * t` for `0 <= t < until`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) base: u128,
    pub(super) slope: i128,
    pub(super) until: u64,
}

impl Form {
    /// A word that stays as it is.
    pub(super) const fn fixed(base: u128) -> Self {
        Self { base, slope: 0, until: EVER }
    }
    /// A word of so many bits that moves, until it would leave its range.
    pub(super) fn moving(base: u128, slope: i128, width: u32) -> Self {
        Self { base, slope, until: EVER }.within(0, top(width))
    }
    /// The same until it leaves the range.
    fn within(mut self, least: i128, most: i128) -> Self {
        let base = self.base as i128;
        let steps = match self.slope {
            0 => return self,
            slope if slope > 0 => (most - base) / slope,
            slope => (base - least) / -slope,
        };
        self.until = self.until.min(duration(steps + 1));
        self
    }
    fn no_longer_than(mut self, other: u64) -> Self {
        self.until = self.until.min(other);
        self
    }
    /// As a signed number, with the time for which its sign stays.
    fn signed(self, width: u32) -> (i128, Self) {
        let half = 1i128 << (width - 1);
        let base = self.base as i128;
        if base < half {
            (base, self.within(0, half - 1))
        } else {
            (base - 2 * half, self.within(half, top(width)))
        }
    }
}

fn top(width: u32) -> i128 {
    (1i128 << width) - 1
}

/// A number of steps, at least one.
fn duration(steps: i128) -> u64 {
    u64::try_from(steps.max(1)).unwrap_or(EVER)
}

/// A slope modulo 2^width, of the smaller amount.
fn reduced(slope: i128, width: u32) -> i128 {
    let cut = slope & top(width);
    if cut >> (width - 1) & 1 == 1 { cut - top(width) - 1 } else { cut }
}

/// The result of an instruction on forms. `value` is its result on the bases.
#[inline]
pub(super) fn apply(
    instruction: &Instruction,
    others: &[Other],
    [a, b, c]: [Form; 3],
    value: impl Fn() -> u128,
) -> Form {
    let width = u32::from(instruction.width);
    let both = a.until.min(b.until);
    let fixed = a.slope == 0 && b.slope == 0;
    match instruction.code {
        Code::Ite => {
            let chosen = if a.base != 0 { b } else { c };
            return chosen.no_longer_than(a.until);
        }
        Code::Not | Code::Neg | Code::Extract { .. } | Code::SignExtend { .. } if a.slope == 0 => {
            return Form { base: value(), slope: 0, until: a.until };
        }
        Code::Other(number) => return other(&others[number as usize], [a, b, c], value()),
        _ if fixed => return Form { base: value(), slope: 0, until: both },
        _ if width > WIDEST => return Form { base: value(), slope: 0, until: 1 },
        _ => {}
    }
    let linear = |slope: i128, until: u64| {
        let slope = reduced(slope, width);
        Form::moving(value(), slope, width).no_longer_than(until)
    };
    match instruction.code {
        Code::Not | Code::Neg => linear(-a.slope, a.until),
        Code::Add => linear(a.slope + b.slope, both),
        Code::Sub => linear(a.slope - b.slope, both),
        Code::Mul if b.slope == 0 => linear(a.slope.wrapping_mul(b.base as i128), both),
        Code::Mul if a.slope == 0 => linear(b.slope.wrapping_mul(a.base as i128), both),
        Code::Shl if b.slope == 0 && b.base < u128::from(width) => linear(a.slope << b.base as u32, both),
        Code::Extract { low: 0 } => linear(a.slope, a.until),
        Code::Extract { low } => upper(a, u32::from(low), value()).no_longer_than(a.until),
        Code::LShr if b.slope == 0 && b.base < u128::from(width) => {
            upper(a, b.base as u32, value()).no_longer_than(both)
        }
        Code::SignExtend { from } => {
            let signed = a.signed(u32::from(from)).1;
            linear(a.slope, signed.until)
        }
        Code::Join { by } => linear((a.slope << u32::from(by)) + b.slope, both),
        Code::UDiv if b.slope == 0 && b.base > 0 => block(a, b.base as i128, value()).no_longer_than(both),
        Code::URem if b.slope == 0 && b.base > 0 => {
            let kept = block(a, b.base as i128, 0).until;
            linear(a.slope, both.min(kept))
        }
        Code::SDiv | Code::SRem if b.slope == 0 && is_positive(b, width) && a.signed(width).0 >= 0 => {
            let kept = block(a, b.base as i128, value()).no_longer_than(both.min(a.signed(width).1.until));
            if instruction.code == Code::SDiv { kept } else { linear(a.slope, kept.until) }
        }
        Code::Eq | Code::ULt | Code::ULe | Code::SLt | Code::SLe => compare(instruction.code, a, b, width),
        _ => Form { base: value(), slope: 0, until: 1 },
    }
}

/// Whether a word is above zero when read as signed.
fn is_positive(word: Form, width: u32) -> bool {
    word.signed(width).0 > 0
}

/// The bits above the lowest ones: they stay until the word leaves its block. Not affine beyond.
fn upper(a: Form, low: u32, value: u128) -> Form {
    block(a, 1i128 << low, value)
}

/// What stays while the word does not leave its block of so many values.
fn block(a: Form, size: i128, value: u128) -> Form {
    let first = a.base as i128 / size * size;
    let until = a.within(first, first + size - 1).until;
    Form { base: value, slope: 0, until }
}

/// A comparison of two forms: until its truth changes.
fn compare(code: Code, a: Form, b: Form, width: u32) -> Form {
    let (left, a_signed) = a.signed(width);
    let (right, b_signed) = b.signed(width);
    let (difference, until) = match code {
        Code::SLt | Code::SLe => (left - right, a_signed.until.min(b_signed.until)),
        _ => (a.base as i128 - b.base as i128, a.until.min(b.until)),
    };
    let slope = a.slope - b.slope;
    let (truth, flips) = match code {
        Code::Eq => equal(difference, slope),
        Code::ULt | Code::SLt => negative(difference, slope),
        // a <= b where not b < a.
        _ => {
            let (greater, flips) = negative(-difference, -slope);
            (!greater, flips)
        }
    };
    Form { base: u128::from(truth), slope: 0, until: until.min(flips) }
}

/// Whether a moving number is zero, and until when that stays so.
fn equal(number: i128, slope: i128) -> (bool, u64) {
    match (number, slope) {
        (_, 0) => (number == 0, EVER),
        (0, _) => (true, 1),
        _ if number % slope == 0 && -number / slope > 0 => (false, duration(-number / slope)),
        _ => (false, EVER),
    }
}

/// Whether a moving number is below zero, and until when that stays so.
fn negative(number: i128, slope: i128) -> (bool, u64) {
    match number < 0 {
        true if slope > 0 => (true, duration((-number + slope - 1) / slope)),
        false if slope < 0 => (false, duration(number / -slope + 1)),
        truth => (truth, EVER),
    }
}

/// An operator computed by definition: nothing is known of its result where an operand moves.
fn other(other: &Other, operands: [Form; 3], value: u128) -> Form {
    let used = other.term().operands().count();
    let operands = &operands[..used];
    let until = operands.iter().map(|form| form.until).min().unwrap_or(EVER);
    let fixed = operands.iter().all(|form| form.slope == 0);
    let until = if fixed { until } else { 1 };
    Form { base: value, slope: 0, until }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_simulation::Random;

    const CODES: [Code; 22] = [
        Code::Not,
        Code::Neg,
        Code::And,
        Code::Add,
        Code::Sub,
        Code::Mul,
        Code::UDiv,
        Code::URem,
        Code::SDiv,
        Code::SRem,
        Code::AShr,
        Code::Shl,
        Code::LShr,
        Code::Eq,
        Code::ULt,
        Code::ULe,
        Code::SLt,
        Code::SLe,
        Code::Ite,
        Code::Extract { low: 0 },
        Code::Extract { low: 2 },
        Code::SignExtend { from: 5 },
    ];

    /// The operators on words of five bits, by definition; `width` is that of the result for some.
    fn define(code: Code, width: u32, [a, b, c]: [u128; 3]) -> u128 {
        let all = top(5) as u128;
        let signed = |word: u128| if word > 15 { word as i128 - 32 } else { word as i128 };
        match code {
            Code::Not => !a & all,
            Code::Neg => a.wrapping_neg() & all,
            Code::And => a & b,
            Code::Add => (a + b) & all,
            Code::Sub => a.wrapping_sub(b) & all,
            Code::Mul => (a * b) & all,
            Code::UDiv => a.checked_div(b).unwrap_or(all),
            Code::URem => a.checked_rem(b).unwrap_or(a),
            Code::SDiv => signed(a)
                .checked_div(signed(b))
                .map_or(if signed(a) < 0 { 1 } else { all }, |quotient| quotient as u128 & all),
            Code::SRem => signed(a).checked_rem(signed(b)).map_or(a, |rest| rest as u128 & all),
            Code::AShr => (signed(a) >> b.min(4)) as u128 & all,
            Code::Shl => {
                if b < 5 {
                    (a << b) & all
                } else {
                    0
                }
            }
            Code::LShr => {
                if b < 5 {
                    a >> b
                } else {
                    0
                }
            }
            Code::Eq => u128::from(a == b),
            Code::ULt => u128::from(a < b),
            Code::ULe => u128::from(a <= b),
            Code::SLt => u128::from(signed(a) < signed(b)),
            Code::SLe => u128::from(signed(a) <= signed(b)),
            Code::Ite => {
                if a & 1 == 1 {
                    b
                } else {
                    c
                }
            }
            Code::Extract { low } => (a >> low) & top(width) as u128,
            Code::SignExtend { .. } => signed(a) as u128 & top(width) as u128,
            _ => unreachable!("no such operator is tested"),
        }
    }

    /// For as long as a result is said to keep its form, it does.
    #[test]
    fn results_keep_their_form_for_as_long_as_they_say() {
        let mut random = Random::new(7);
        let mut moved = 0;
        for _ in 0..60_000 {
            let code = CODES[random.below(CODES.len())];
            let width = match code {
                Code::Extract { .. } => 3,
                Code::SignExtend { .. } => 9,
                _ => 5,
            };
            let mut forms = [0; 3].map(|_| {
                let slope = if random.below(2) == 0 { 0 } else { random.below(7) as i128 - 3 };
                Form::moving(random.below(32) as u128, slope, 5)
            });
            if code == Code::Ite {
                forms[0] = Form::fixed(forms[0].base & 1);
            }
            let instruction = Instruction { code, width: width as u8, a: 0, b: 0, c: 0 };
            let result = apply(&instruction, &[], forms, || define(code, width, forms.map(|form| form.base)));
            moved += u32::from(result.slope != 0 && result.until > 2);
            for time in 0..result.until.min(40) {
                let at = |form: Form| (form.base as i128 + form.slope * i128::from(time)) as u128;
                let expected = define(code, width, forms.map(at));
                assert_eq!(at(result), expected, "{code:?} of {forms:?} at {time}: {result:?}");
            }
        }
        assert!(moved > 1_000, "{moved} results moved");
    }
}
