//! Sets of words as two ranges of bit patterns: one without and one with the top bit set.
//!
//! So signed numbers around zero and floats of both signs have tight ranges. Floats of one sign are
//! ordered as their bits are; infinities and NaN lie above the finite ones.

use crate::step::code::{Code, Instruction};
use crate::step::floats::FloatCode;
use model::sort::{FloatFormat, Sort};

/// Widest words that are followed; of wider ones nothing is known.
const WIDEST: u32 = 64;

/// See the module text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ranges {
    parts: [Option<(u128, u128)>; 2],
}

/// All bits of a width.
fn mask(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

impl Ranges {
    pub(super) const NOTHING: Self = Self { parts: [None; 2] };

    pub(super) fn single(bits: u128) -> Self {
        Self { parts: [Some((bits, bits)), None] }
    }
    pub(super) fn all(width: u32) -> Self {
        let mut all = Self::NOTHING;
        all.add(width, 0, mask(width));
        all
    }
    fn truths(no: bool, yes: bool) -> Self {
        Self { parts: [no.then_some((0, 0)), yes.then_some((1, 1))] }
    }
    pub(super) fn parts(&self) -> impl Iterator<Item = (u128, u128)> + Clone + use<> {
        self.parts.into_iter().flatten()
    }
    pub(super) fn contains(&self, bits: u128) -> bool {
        self.parts().any(|(low, high)| low <= bits && bits <= high)
    }
    /// The words that are in both.
    pub(super) fn met(&self, other: &Self, width: u32) -> Self {
        let mut met = Self::NOTHING;
        for (low, high) in self.split(width).parts() {
            for (least, most) in other.split(width).parts() {
                if low.max(least) <= high.min(most) {
                    met.add(width, low.max(least), high.min(most));
                }
            }
        }
        met
    }
    /// The only word, where there is only one.
    fn only(&self) -> Option<u128> {
        let mut parts = self.parts();
        let (low, high) = parts.next()?;
        (low == high && parts.next().is_none()).then_some(low)
    }
    /// The same, each part in its place for that width.
    pub(super) fn split(&self, width: u32) -> Self {
        let mut split = Self::NOTHING;
        self.parts().for_each(|(low, high)| split.add(width, low, high));
        split
    }
    /// Adds the words from `low` to `high`.
    pub(super) fn add(&mut self, width: u32, low: u128, high: u128) {
        let half = 1u128 << (width - 1);
        if low < half {
            self.widen(0, low, high.min(half - 1));
        }
        if high >= half {
            self.widen(1, low.max(half), high);
        }
    }
    fn widen(&mut self, part: usize, low: u128, high: u128) {
        let part = &mut self.parts[part];
        *part = Some(part.map_or((low, high), |(least, most)| (least.min(low), most.max(high))));
    }
    /// Adds the numbers from `low` to `high` modulo 2^width.
    fn add_numbers(&mut self, width: u32, low: i128, high: i128) {
        let all = mask(width);
        if high.wrapping_sub(low) as u128 >= all {
            return self.add(width, 0, all);
        }
        let (first, last) = (low as u128 & all, high as u128 & all);
        if first <= last {
            self.add(width, first, last);
        } else {
            self.add(width, first, all);
            self.add(width, 0, last);
        }
    }
    /// The ranges as signed numbers.
    pub(super) fn signed(&self, width: u32) -> impl Iterator<Item = (i128, i128)> + Clone + use<> {
        let (half, all) = (1u128 << (width - 1), 1i128 << width);
        let split = self.split(width);
        split.parts().map(move |(low, high)| match low < half {
            true => (low as i128, high as i128),
            false => (low as i128 - all, high as i128 - all),
        })
    }
}

/// The words that an instruction yields, in a result of so many bits; `compute` is the instruction
/// on single words.
pub(super) fn apply(
    instruction: &Instruction,
    result: u32,
    [a, b, c]: [Ranges; 3],
    compute: impl Fn([u128; 3]) -> u128,
) -> Ranges {
    let mut found = Ranges::NOTHING;
    if instruction.code == Code::Ite {
        let branches = [(1, b), (0, c)].into_iter().filter(|&(truth, _)| a.contains(truth));
        branches.for_each(|(_, branch)| branch.parts().for_each(|(low, high)| found.add(result, low, high)));
        return found;
    }
    if let (Some(a), Some(b), Some(c)) = (a.only(), b.only(), c.only()) {
        let bits = compute([a, b, c]);
        found.add(result, bits, bits);
        return found;
    }
    if u32::from(instruction.width) > WIDEST || result > WIDEST {
        return Ranges::all(result);
    }
    match instruction.code {
        Code::Float { code, format } => return float(code, format, instruction, result, [a, b], compute),
        Code::Other(_) | Code::Library { .. } => return Ranges::all(result),
        _ => {}
    }
    for left in a.parts() {
        for right in b.parts() {
            if left.0 == left.1 && right.0 == right.1 {
                let bits = compute([left.0, right.0, left.0]);
                found.add(result, bits, bits);
            } else {
                words(instruction, left, right, &mut found);
            }
        }
    }
    found
}

/// Adds what an operator on words yields for operands in these ranges.
fn words(instruction: &Instruction, a: (u128, u128), b: (u128, u128), found: &mut Ranges) {
    let width = u32::from(instruction.width);
    let all = mask(width);
    let shift = (b.0 == b.1 && b.0 < u128::from(width)).then_some(b.0 as u32);
    match instruction.code {
        Code::Not => found.add(width, all - a.1, all - a.0),
        Code::Neg => found.add_numbers(width, -(a.1 as i128), -(a.0 as i128)),
        Code::And => {
            let (low, high) = and(a, b);
            found.add(width, low, high);
        }
        Code::Or => found.add(width, a.0.max(b.0), ones(a.1 | b.1)),
        Code::Xor if b.0 == b.1 && b.0 == 1 << (width - 1) && a.0 >> (width - 1) == a.1 >> (width - 1) => {
            found.add(width, a.0 ^ b.0, a.1 ^ b.0);
        }
        Code::Xor => found.add(width, 0, ones(a.1 | b.1)),
        Code::Add => found.add_numbers(width, (a.0 + b.0) as i128, (a.1 + b.1) as i128),
        Code::Sub => found.add_numbers(width, a.0 as i128 - b.1 as i128, a.1 as i128 - b.0 as i128),
        Code::Mul => each_signed(width, a, b, |a, b| {
            let corners = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
            found.add_numbers(width, least(&corners), most(&corners));
        }),
        Code::UDiv | Code::URem => unsigned_division(instruction.code == Code::UDiv, width, a, b, found),
        Code::SDiv | Code::SRem => each_signed(width, a, b, |a, b| {
            signed_division(instruction.code == Code::SDiv, width, a, b, found);
        }),
        Code::Shl if shift.is_some_and(|shift| shift + width < 127) => {
            let shift = b.0 as u32;
            found.add_numbers(width, (a.0 << shift) as i128, (a.1 << shift) as i128);
        }
        Code::LShr => {
            let down = |word: u128, by: u128| if by < 128 { word >> by } else { 0 };
            found.add(width, down(a.0, b.1), down(a.1, b.0));
        }
        Code::AShr => each_signed(width, a, (0, 0), |a, _| {
            let down = |number: i128, by: u128| number >> by.min(127);
            let corners = [down(a.0, b.0), down(a.0, b.1), down(a.1, b.0), down(a.1, b.1)];
            found.add_numbers(width, least(&corners), most(&corners));
        }),
        Code::Eq => add_truths(found, a != b || a.0 != a.1, a.0 <= b.1 && b.0 <= a.1),
        Code::ULt => add_truths(found, a.1 >= b.0, a.0 < b.1),
        Code::ULe => add_truths(found, a.1 > b.0, a.0 <= b.1),
        Code::SLt => each_signed(width, a, b, |a, b| add_truths(found, a.1 >= b.0, a.0 < b.1)),
        Code::SLe => each_signed(width, a, b, |a, b| add_truths(found, a.1 > b.0, a.0 <= b.1)),
        Code::Extract { low } => found.add_numbers(width, (a.0 >> low) as i128, (a.1 >> low) as i128),
        Code::SignExtend { from } => each_signed(from.into(), a, (0, 0), |a, _| {
            found.add_numbers(width, a.0, a.1);
        }),
        Code::Join { by } => found.add(width, (a.0 << by) + b.0, (a.1 << by) + b.1),
        _ => found.add(width, 0, all),
    }
}

fn add_truths(found: &mut Ranges, no: bool, yes: bool) {
    Ranges::truths(no, yes).parts().for_each(|(bit, _)| found.add(1, bit, bit));
}

/// Calls for each pair of ranges of signed numbers that two ranges of words make.
fn each_signed(
    width: u32,
    a: (u128, u128),
    b: (u128, u128),
    mut each: impl FnMut((i128, i128), (i128, i128)),
) {
    let ranges = |(low, high)| {
        let mut ranges = Ranges::NOTHING;
        ranges.add(width, low, high);
        ranges.signed(width)
    };
    ranges(a).for_each(|a| ranges(b).for_each(|b| each(a, b)));
}

fn least(corners: &[i128]) -> i128 {
    *corners.iter().min().expect("there should be corners")
}

fn most(corners: &[i128]) -> i128 {
    *corners.iter().max().expect("there should be corners")
}

/// The word with all bits below the highest one set.
fn ones(word: u128) -> u128 {
    match word {
        0 => 0,
        word => u128::MAX >> word.leading_zeros(),
    }
}

/// Bounds of bitwise conjunctions.
fn and(a: (u128, u128), b: (u128, u128)) -> (u128, u128) {
    for (word, range) in [(a, b), (b, a)] {
        let low_bits = word.0;
        let is_mask = word.0 == word.1 && low_bits & low_bits.wrapping_add(1) == 0;
        if is_mask && range.0 & !low_bits == range.1 & !low_bits {
            return (range.0 & low_bits, range.1 & low_bits);
        }
    }
    (0, a.1.min(b.1))
}

fn unsigned_division(quotient: bool, width: u32, a: (u128, u128), b: (u128, u128), found: &mut Ranges) {
    if b.0 == 0 {
        let (low, high) = if quotient { (mask(width), mask(width)) } else { a };
        found.add(width, low, high);
    }
    let (least, most) = (b.0.max(1), b.1);
    if most == 0 {
        return;
    }
    let is_same_block = least == most && a.0 / least == a.1 / least;
    match quotient {
        true => found.add(width, a.0 / most, a.1 / least),
        false if a.1 < least => found.add(width, a.0, a.1),
        false if is_same_block => found.add(width, a.0 % least, a.1 % least),
        false => found.add(width, 0, a.1.min(most - 1)),
    }
}

fn signed_division(quotient: bool, width: u32, a: (i128, i128), b: (i128, i128), found: &mut Ranges) {
    if b.0 <= 0 && b.1 >= 0 {
        match quotient {
            true => [-1, 1].into_iter().for_each(|by_zero| found.add_numbers(width, by_zero, by_zero)),
            false => found.add_numbers(width, a.0, a.1),
        }
    }
    let divisors = if b.0 < 0 { (b.0, b.1.min(-1)) } else { (b.0.max(1), b.1) };
    if divisors.0 > divisors.1 {
        return;
    }
    if quotient {
        let corners = [a.0 / divisors.0, a.0 / divisors.1, a.1 / divisors.0, a.1 / divisors.1];
        return found.add_numbers(width, least(&corners), most(&corners));
    }
    let most_rest = divisors.0.abs().max(divisors.1.abs()) - 1;
    let is_same_block = divisors.0 == divisors.1 && a.0 / divisors.0 == a.1 / divisors.0;
    match is_same_block {
        true => found.add_numbers(width, a.0 % divisors.0, a.1 % divisors.0),
        false => found.add_numbers(width, a.0.min(0).max(-most_rest), a.1.max(0).min(most_rest)),
    }
}

/// Words that cut a range with the top bit all set or all clear into parts that are even as
/// numbers.
pub(super) fn even_cuts((low, high): (u128, u128), sort: Sort, parts: u32) -> Vec<u128> {
    let number_of_parts = u128::from(parts);
    let Sort::Float(format) = sort else {
        return (1..number_of_parts).map(|part| low + (high - low) / number_of_parts * part).collect();
    };
    let (from, to) = (number(low, format), number(high, format));
    if !from.is_finite() || !to.is_finite() {
        return Vec::new();
    }
    let at = |part: u32| from + (to - from) * f64::from(part) / f64::from(parts);
    let sign = low & 1 << (format.width() - 1);
    (1..parts).map(|part| bits(at(part).abs(), format) | sign).collect()
}

/// Numbers between two floats, and whether NaN is among them.
#[derive(Clone, Copy, Debug)]
struct Numbers {
    low: f64,
    high: f64,
    nan: bool,
}

impl Numbers {
    /// `None` where there are none but NaN.
    fn of(ranges: &Ranges, format: FloatFormat) -> Option<Self> {
        let sign = 1u128 << (format.width() - 1);
        let infinity = sign - (1 << format.fraction_bits());
        let mut numbers = Self { low: f64::INFINITY, high: f64::NEG_INFINITY, nan: false };
        for (low, high) in ranges.split(format.width()).parts() {
            let top = infinity | (low & sign);
            numbers.nan |= high > top;
            if low <= top {
                for end in [number(low, format), number(high.min(top), format)] {
                    numbers.low = numbers.low.min(end);
                    numbers.high = numbers.high.max(end);
                }
            }
        }
        (numbers.low <= numbers.high).then_some(numbers)
    }
    fn is_finite(&self) -> bool {
        self.low.is_finite() && self.high.is_finite() && !self.nan
    }
    fn ranges(&self, format: FloatFormat) -> Ranges {
        let (width, mut ranges) = (format.width(), Ranges::NOTHING);
        if self.high >= 0.0 {
            ranges.add(width, bits(self.low.max(0.0).abs(), format), bits(self.high.abs(), format));
        }
        if self.low <= 0.0 {
            let sign = 1u128 << (width - 1);
            let (least, most) = (bits(self.high.min(0.0).abs(), format), bits(self.low.abs(), format));
            ranges.add(width, sign | least, sign | most);
        }
        ranges
    }
}

/// The number of a bit pattern.
fn number(bits: u128, format: FloatFormat) -> f64 {
    match format {
        FloatFormat::Single => f32::from_bits(bits as u32).into(),
        FloatFormat::Double => f64::from_bits(bits as u64),
    }
}

/// The bit pattern of a number that the format has.
fn bits(number: f64, format: FloatFormat) -> u128 {
    match format {
        FloatFormat::Single => u128::from((number as f32).to_bits()),
        FloatFormat::Double => u128::from(number.to_bits()),
    }
}

/// The floats of `own` that a comparison with others allows, where it has that truth, on its left
/// or on its right side. NaN is allowed where the comparison is false.
pub(super) fn float_narrowed(
    format: FloatFormat,
    (truth, is_left): (bool, bool),
    others: &Ranges,
    own: &Ranges,
) -> Option<Ranges> {
    let others = Numbers::of(others, format).filter(|others| truth || !others.nan)?;
    // Strictness is left out: the end itself stays.
    let (low, high) = match is_left == truth {
        true => (f64::NEG_INFINITY, others.high),
        false => (others.low, f64::INFINITY),
    };
    let mut ranges = Numbers { low, high, nan: false }.ranges(format);
    if !truth && Numbers::of(own, format).is_none_or(|own| own.nan) {
        add_nan(&mut ranges, format);
    }
    Some(ranges)
}

/// What an operator on floats yields. Rounding keeps the order of numbers, so the ends of ranges
/// yield the ends of the result.
fn float(
    code: FloatCode,
    format: FloatFormat,
    instruction: &Instruction,
    result: u32,
    [a, b]: [Ranges; 2],
    compute: impl Fn([u128; 3]) -> u128,
) -> Ranges {
    let is_from_word = matches!(code, FloatCode::FromUnsigned | FloatCode::FromSigned);
    if is_from_word {
        let parts = a.split(instruction.width.into());
        let ends = parts.parts().flat_map(|(low, high)| [low, high]);
        let ends: Vec<f64> = ends.map(|end| number(compute([end, end, end]), format)).collect();
        return hull(&ends, format);
    }
    let (Some(left), Some(right)) = (Numbers::of(&a, format), Numbers::of(&b, format)) else {
        return Ranges::all(result);
    };
    match code {
        FloatCode::Equal => {
            let meet = left.low <= right.high && right.low <= left.high;
            let same = meet && left.low == left.high && right.low == right.high && !left.nan && !right.nan;
            return Ranges::truths(!same, meet);
        }
        FloatCode::Less => {
            let certain = left.high < right.low && !left.nan && !right.nan;
            return Ranges::truths(!certain, left.low < right.high);
        }
        FloatCode::LessEqual => {
            let certain = left.high <= right.low && !left.nan && !right.nan;
            return Ranges::truths(!certain, left.low <= right.high);
        }
        _ => {}
    }
    if left.nan || right.nan {
        let [a, b] = [left, right].map(|numbers| Numbers { nan: false, ..numbers }.ranges(format));
        let mut found = float(code, format, instruction, result, [a, b], compute);
        let to = if code == FloatCode::Convert { other(format) } else { format };
        match code {
            // What becomes of NaN as a word is not followed.
            FloatCode::ToWord => return Ranges::all(result),
            _ => add_nan(&mut found, to),
        }
        return found;
    }
    let has_infinity = !left.is_finite() || !right.is_finite();
    if has_infinity && may_be_nan(code, left, right) {
        return Ranges::all(result);
    }
    let at = |x: f64, y: f64| compute([bits(x, format), bits(y, format), bits(x, format)]);
    let corner = |x: f64, y: f64| number(at(x, y), format);
    let corners = || {
        let ends =
            [(left.low, right.low), (left.low, right.high), (left.high, right.low), (left.high, right.high)];
        ends.map(|(x, y)| corner(x, y))
    };
    match code {
        FloatCode::Add => hull(&[corner(left.low, right.low), corner(left.high, right.high)], format),
        FloatCode::Sub => hull(&[corner(left.low, right.high), corner(left.high, right.low)], format),
        FloatCode::Mul => hull(&corners(), format),
        FloatCode::Div if right.low > 0.0 || right.high < 0.0 => hull(&corners(), format),
        FloatCode::Sqrt if left.low > 0.0 => {
            hull(&[corner(left.low, left.low), corner(left.high, left.high)], format)
        }
        FloatCode::Convert => {
            let other = other(format);
            let ends = [left.low, left.high].map(|end| number(at(end, end), other));
            hull(&ends, other)
        }
        FloatCode::ToWord if left.low > -9e18 && left.high < 9e18 => {
            let mut found = Ranges::NOTHING;
            found.add_numbers(result, left.low as i128, left.high as i128);
            found
        }
        _ => Ranges::all(result),
    }
}

/// Whether operands of which one may be infinite may yield NaN; for operators that are not followed
/// there: yes.
fn may_be_nan(code: FloatCode, left: Numbers, right: Numbers) -> bool {
    let (least, most) = (f64::NEG_INFINITY, f64::INFINITY);
    let is_infinite = |numbers: Numbers| numbers.low == least || numbers.high == most;
    let has_zero = |numbers: Numbers| numbers.low <= 0.0 && numbers.high >= 0.0;
    match code {
        FloatCode::Add => {
            (left.low == least && right.high == most) || (left.high == most && right.low == least)
        }
        FloatCode::Sub => {
            (left.low == least && right.low == least) || (left.high == most && right.high == most)
        }
        FloatCode::Mul => (is_infinite(left) && has_zero(right)) || (is_infinite(right) && has_zero(left)),
        FloatCode::Convert => false,
        _ => true,
    }
}

/// The format that conversions lead to.
fn other(format: FloatFormat) -> FloatFormat {
    match format {
        FloatFormat::Single => FloatFormat::Double,
        FloatFormat::Double => FloatFormat::Single,
    }
}

/// Adds all words that stand for NaN.
fn add_nan(ranges: &mut Ranges, format: FloatFormat) {
    let sign = 1u128 << (format.width() - 1);
    let infinity = sign - (1 << format.fraction_bits());
    ranges.add(format.width(), infinity + 1, sign - 1);
    ranges.add(format.width(), sign | (infinity + 1), sign | (sign - 1));
}

/// The floats between these.
fn hull(ends: &[f64], format: FloatFormat) -> Ranges {
    if ends.iter().any(|end| end.is_nan()) {
        return Ranges::all(format.width());
    }
    let low = ends.iter().copied().fold(f64::INFINITY, f64::min);
    let high = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Numbers { low, high, nan: false }.ranges(format)
}
