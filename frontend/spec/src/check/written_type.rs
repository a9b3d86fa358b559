//! Types as they are written.

use super::Checker;
use crate::code::Code;
use crate::parser::{Parsed, Reported};
use crate::scope::Meaning;
use crate::syntax::{self, TypeExpr, TypeKind};
use crate::types::{NumberSet, Range, Type};
use crate::value::{Fraction, Value};
use num_traits::{CheckedMul, Zero};
use std::sync::Arc;

impl Checker<'_> {
    /// A type that declares no enumerators; [`Scope::resolve`](crate::scope::Scope::resolve) knows
    /// those that do.
    pub fn type_of(&mut self, ty: &TypeExpr) -> Parsed<Type> {
        match &ty.kind {
            TypeKind::Word(word) => Type::of_word(word).ok_or_else(|| {
                self.error(Code::BadType, ty.extent, format!("`{word}` is no type"));
                Reported
            }),
            TypeKind::Named(name) => match self.scope.meaning(name) {
                Some(Meaning::Type(ty)) => Ok(ty.clone()),
                Some(Meaning::Broken) => Err(Reported),
                Some(_) => {
                    self.error(Code::WrongKind, ty.extent, format!("`{name}` is no type"));
                    Err(Reported)
                }
                None => match of_other_languages(name) {
                    Some(advice) => {
                        let message = format!("there is no type `{name}`");
                        self.error(Code::UnknownName, ty.extent, message).advice(advice);
                        Err(Reported)
                    }
                    None => Err(self.scope.unknown(name, ty.extent, "type", self.diagnostics)),
                },
            },
            TypeKind::Range { lo, hi, step } => self.range_type(ty, lo, hi, step.as_deref()),
            TypeKind::Braces(values) => {
                let numbers: Vec<Parsed<Fraction>> =
                    values.iter().map(|value| self.constant_number(value)).collect();
                let numbers = numbers.into_iter().collect::<Parsed<Vec<Fraction>>>()?;
                let set = NumberSet::new(&numbers).ok_or_else(|| self.too_wide(ty.extent))?;
                Ok(Type::Set(Arc::new(set)))
            }
        }
    }

    fn range_type(
        &mut self,
        ty: &TypeExpr,
        lo: &syntax::Expr,
        hi: &syntax::Expr,
        step: Option<&syntax::Expr>,
    ) -> Parsed<Type> {
        let (least, greatest) = (self.constant_number(lo), self.constant_number(hi));
        let one = Fraction::from_integer(1);
        let width = step.map_or(Ok(one), |step| self.constant_number(step));
        let (least, greatest, width) = (least?, greatest?, width?);
        if width <= Fraction::zero() {
            let place = step.map_or(ty.extent, |step| step.extent);
            self.error(Code::BadType, place, "a step is above 0");
            return Err(Reported);
        }
        let mut units = |number: Fraction, place: &syntax::Expr| {
            let units = number.checked_mul(&width.recip()).filter(|units| units.is_integer());
            units.map(|units| *units.numer()).ok_or_else(|| {
                let number = Value::fraction(number);
                let message = match step {
                    Some(_) => {
                        format!("the bound {number} is no multiple of the step {}", Value::fraction(width))
                    }
                    None => format!("the bound {number} is no integer"),
                };
                let error = self.error(Code::BadType, place.extent, message);
                if step.is_none() {
                    error.advice("`lo..hi step d` has the multiples of `d`");
                }
                Reported
            })
        };
        let (first, last) = (units(least, lo)?, units(greatest, hi)?);
        Range::new(first, last, width).map(Type::Number).ok_or_else(|| {
            let message = format!("{}..{} has no values", Value::fraction(least), Value::fraction(greatest));
            self.error(Code::BadType, ty.extent, message);
            Reported
        })
    }
}

/// What stands for a type that other languages have.
fn of_other_languages(name: &str) -> Option<&'static str> {
    match name {
        "real" | "float" | "double" => Some(
            "`lo..hi step d` is a type of exact numbers, `0..1 step 0.1` for example; `f64` is one of floats",
        ),
        "int" | "integer" => {
            Some("`lo..hi` is a type of integers, `0..100` for example; so are `i32` and its like")
        }
        "boolean" => Some("did you mean `bool`?"),
        _ => None,
    }
}
