//! Words that stand for values.

use crate::typed::Expr;
use crate::types::{Range, Type};
use crate::value::Value;
use model::sort::{FloatFormat, Sort};
use model::value::Value as Word;
use num_traits::ToPrimitive;

/// How integers are words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding {
    /// Bits, 1 to 128.
    pub width: u32,
    /// Whether in two's complement.
    pub signed: bool,
}

impl Encoding {
    /// The narrowest words for the steps of a range.
    pub fn of(range: &Range) -> Self {
        let signed = range.lo() < 0;
        let bits =
            |number: i128| 128 - if number < 0 { (!number).leading_zeros() } else { number.leading_zeros() };
        let width = bits(range.lo()).max(bits(range.hi())) + u32::from(signed);
        Self { width: width.max(1), signed }
    }
    /// The words of an expression whose type has a range.
    pub(super) fn of_expr(expr: &Expr) -> Self {
        Self::of_type(expr.ty())
    }
    pub(super) fn of_type(ty: &Type) -> Self {
        match ty {
            Type::Machine { bits, signed } => Self { width: *bits, signed: *signed },
            _ => Self::of(&ty.range().unwrap_or_else(|| panic!("{ty} should have a range"))),
        }
    }
    /// Bits that the numbers need in two's complement.
    pub(super) fn signed_width(self) -> u32 {
        self.width + u32::from(!self.signed)
    }
}

impl Type {
    /// The sort of its words; none for rationals.
    pub fn sort(&self) -> Option<Sort> {
        match self {
            Self::Bool => Some(Sort::TRUTH),
            Self::Number(_) | Self::Set(_) | Self::Machine { .. } => {
                Some(Sort::word(Encoding::of_type(self).width))
            }
            Self::Enum(enumeration) => {
                let most = enumeration.names.len().saturating_sub(1) as i128;
                Some(Sort::word(Encoding::of(&Range::integers(0, most)).width))
            }
            Self::Float(format) => Some(Sort::Float(*format)),
            Self::Rational => None,
        }
    }
    /// The word of a value of this type.
    pub fn encode(&self, value: &Value) -> Option<Word> {
        if !self.contains(value) {
            return None;
        }
        let sort = self.sort()?;
        match value {
            Value::Bool(value) => Some(Word::truth(*value)),
            Value::Enumerator(index) => Some(Word::new(sort, u128::from(*index))),
            Value::Float(_, bits) => Some(Word::new(sort, u128::from(*bits))),
            Value::Integer(_) | Value::Rational(_) => {
                Some(Word::new(sort, self.range()?.units(value)? as u128))
            }
        }
    }
    /// The value that a word of this type's sort stands for; none where it stands for none.
    pub fn decode(&self, word: Word) -> Option<Value> {
        if Some(word.sort()) != self.sort() {
            return None;
        }
        let value = match self {
            Self::Bool => Value::Bool(word.is_true()),
            Self::Enum(_) => Value::Enumerator(word.bits().to_u32()?),
            Self::Float(format @ (FloatFormat::Single | FloatFormat::Double)) => {
                Value::Float(*format, word.bits().to_u64()?)
            }
            Self::Rational => return None,
            Self::Number(_) | Self::Set(_) | Self::Machine { .. } => {
                let is_signed = Encoding::of_type(self).signed;
                let units = if is_signed { word.signed() } else { word.bits().to_i128()? };
                self.range()?.value(units)
            }
        };
        self.contains(&value).then_some(value)
    }
}
