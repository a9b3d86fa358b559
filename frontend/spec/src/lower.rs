//! From typed expressions to terms of the model.
//!
//! An exact number is a word that counts steps of its type's range: unsigned where no number is
//! below 0, else in two's complement, and just wide enough for the range ([`Encoding`]). Each
//! operator widens its operands until neither they nor its result can overflow; as every type is a
//! range of 128-bit numbers, no operator needs more than the model's widest word. Machine integers
//! are words of their bits, truths words of one bit, enumerators their positions.
//!
//! Words of undefined expressions have some value; whoever asserts a truth asserts
//! [`Expr::defined`] with it ([`Lowering::condition`] does).

mod defined;
mod encoding;
mod number;

pub use encoding::Encoding;

use crate::code::Code;
use crate::lexer::Extent;
use crate::parser::{Parsed, Reported};
use crate::scope::VariableId;
use crate::typed::{Binary, Expr, Kind, Several, Unary};
use crate::types::Type;
use frontend::diagnostics::Diagnostics;
use model::term::{BinaryOp, TermId, TermPool, UnaryOp};

/// Lowers expressions into one pool.
pub struct Lowering<'a> {
    pool: &'a mut TermPool,
    variables: &'a dyn Fn(VariableId, bool) -> TermId,
    diagnostics: &'a mut Diagnostics,
}

/// What becomes of a variable that an expression is assigned to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assigned {
    /// The new value as a word of the variable's type; some value where `allowed` does not hold.
    pub value: TermId,
    /// Truth: the expression is defined and its value lies in the variable's type. Where it does
    /// not, there is no such next state.
    pub allowed: TermId,
}

impl<'a> Lowering<'a> {
    /// Lowers into `pool`; `variables` gives the term of each variable before the step or (`true`)
    /// after it, of the sort of its type ([`Type::sort`]).
    pub fn new(
        pool: &'a mut TermPool,
        variables: &'a dyn Fn(VariableId, bool) -> TermId,
        diagnostics: &'a mut Diagnostics,
    ) -> Self {
        Self { pool, variables, diagnostics }
    }

    /// The word of an expression, of the sort of its type.
    ///
    /// # Errors
    /// If a part of it is a rational, for which the model has no words; so with all functions of
    /// this family.
    pub fn term(&mut self, expr: &Expr) -> Parsed<TermId> {
        match expr.kind() {
            Kind::Constant(value) => match expr.ty().encode(value) {
                Some(word) => Ok(self.pool.constant(word)),
                None => Err(self.not_finite(expr.extent())),
            },
            Kind::Variable { .. } if expr.ty().sort().is_none() => Err(self.not_finite(expr.extent())),
            Kind::Variable { variable, primed } => Ok((self.variables)(*variable, *primed)),
            Kind::Unary { op, arg } => {
                let term = self.term(arg)?;
                self.unary(*op, term, arg, expr)
            }
            Kind::Binary { op, lhs, rhs } => {
                let (left, right) = (self.term(lhs)?, self.term(rhs)?);
                self.binary(*op, (left, lhs), (right, rhs), expr)
            }
            Kind::Several { op, args } => {
                let truths = args.iter().map(|arg| self.term(arg)).collect::<Parsed<Vec<TermId>>>()?;
                Ok(self.several(*op, &truths, expr))
            }
            Kind::If { condition, then, otherwise } => {
                let condition = self.term(condition)?;
                let (then, otherwise) = (self.as_type(then, expr)?, self.as_type(otherwise, expr)?);
                Ok(self.pool.ite(condition, then, otherwise))
            }
        }
    }
    /// Whether a truth is defined and holds.
    pub fn condition(&mut self, expr: &Expr) -> Parsed<TermId> {
        let holds = self.term(expr)?;
        let is_defined = self.defined(expr)?;
        Ok(self.pool.and(is_defined, holds))
    }
    /// Whether an expression is defined.
    pub fn defined(&mut self, expr: &Expr) -> Parsed<TermId> {
        self.term(&expr.defined())
    }
    /// The value of an expression for a variable of type `target`, which
    /// [`Checker::assigned`](crate::check::Checker::assigned) has allowed.
    pub fn assigned(&mut self, expr: &Expr, target: &Type) -> Parsed<Assigned> {
        let is_defined = self.defined(expr)?;
        let term = self.term(expr)?;
        let Some((found, wanted)) = expr.ty().range().zip(target.range()) else {
            return Ok(Assigned { value: term, allowed: is_defined });
        };
        let Some((_, aligned)) = found.aligned(&wanted) else { return Err(self.too_wide(expr.extent())) };
        let rescaled = found.rescaled(aligned.step());
        let Some(found) = rescaled else { return Err(self.too_wide(expr.extent())) };
        let term = self.convert(term, expr, &Type::Number(found));
        let (value, is_inside) = self.narrowed(term, &found, &wanted, aligned);
        let is_member = self.domain(value, target);
        let allowed = self.pool.conjunction([is_defined, is_inside, is_member]);
        Ok(Assigned { value, allowed })
    }
    /// Whether a word of the sort of a type stands for a value of it.
    pub fn domain(&mut self, term: TermId, ty: &Type) -> TermId {
        match ty {
            Type::Set(set) => {
                let encoding = Encoding::of(&set.range());
                let none = self.pool.truth(false);
                set.units().iter().fold(none, |any, &units| {
                    let one = self.pool.word(encoding.width, units as u128);
                    let is_one = self.pool.equal(term, one);
                    self.pool.or(any, is_one)
                })
            }
            Type::Number(range) => self.between(term, Encoding::of(range), range.lo(), range.hi()),
            Type::Enum(enumeration) => {
                let most = enumeration.names.len() as i128 - 1;
                let encoding = Encoding { width: self.pool.width(term), signed: false };
                self.between(term, encoding, 0, most)
            }
            Type::Bool | Type::Machine { .. } | Type::Float(_) | Type::Rational => self.pool.truth(true),
        }
    }

    fn not_finite(&mut self, place: Extent) -> Reported {
        self.diagnostics
            .error(Code::NotFinite, Some(place.span), "the search has no words for rational numbers")
            .advice("`lo..hi step d` is a type of exact numbers with which it can work");
        Reported
    }
    fn too_wide(&mut self, place: Extent) -> Reported {
        self.diagnostics.error(Code::TooWide, Some(place.span), "the values of this need more than 128 bits");
        Reported
    }

    fn unary(&mut self, op: Unary, term: TermId, arg: &Expr, expr: &Expr) -> Parsed<TermId> {
        let is_float = matches!(arg.ty(), Type::Float(_));
        Ok(match op {
            Unary::Not | Unary::BitNot => self.pool.not(term),
            Unary::Convert if expr.ty().sort().is_none() => return Err(self.not_finite(expr.extent())),
            Unary::Convert => self.convert(term, arg, expr.ty()),
            Unary::Wrap => {
                let encoding = Encoding::of_expr(arg);
                self.pool.resize(term, Encoding::of_expr(expr).width, encoding.signed)
            }
            Unary::Clamp => self.clamped(term, arg, expr),
            Unary::Negate if is_float => self.pool.unary(UnaryOp::FloatNeg, term),
            Unary::Abs if is_float => self.pool.unary(UnaryOp::FloatAbs, term),
            Unary::Negate => {
                let (term, width) = self.common(&[(term, arg)], expr);
                let negated = self.pool.unary(UnaryOp::Neg, term[0]);
                self.fitted(negated, width, expr)
            }
            Unary::Abs => {
                let (term, width) = self.common(&[(term, arg)], expr);
                let zero = self.pool.word(width, 0);
                let negated = self.pool.unary(UnaryOp::Neg, term[0]);
                let is_negative = if Encoding::of_expr(arg).signed {
                    self.pool.binary(BinaryOp::SLt, term[0], zero)
                } else {
                    self.pool.truth(false)
                };
                let absolute = self.pool.ite(is_negative, negated, term[0]);
                self.fitted(absolute, width, expr)
            }
        })
    }

    fn binary(
        &mut self,
        op: Binary,
        left: (TermId, &Expr),
        right: (TermId, &Expr),
        expr: &Expr,
    ) -> Parsed<TermId> {
        Ok(match left.1.ty() {
            Type::Bool | Type::Enum(_) => {
                let equal = self.pool.equal(left.0, right.0);
                if op == Binary::Xor { self.pool.not(equal) } else { equal }
            }
            Type::Float(_) => self.pool.binary(float_operator(op), left.0, right.0),
            Type::Rational => return Err(self.not_finite(expr.extent())),
            Type::Machine { .. } if matches!(op, Binary::ShiftLeft | Binary::ShiftRight) => {
                self.shifted(op, left, right)
            }
            Type::Number(_) | Type::Set(_) | Type::Machine { .. } => self.integral(op, left, right, expr),
        })
    }

    fn several(&mut self, op: Several, truths: &[TermId], expr: &Expr) -> TermId {
        match op {
            Several::And => self.pool.conjunction(truths.iter().copied()),
            Several::Or => {
                let none = self.pool.truth(false);
                truths.iter().fold(none, |any, &truth| self.pool.or(any, truth))
            }
            Several::Count => {
                let width = Encoding::of_expr(expr).width;
                let mut sum = self.pool.word(width, 0);
                for &truth in truths {
                    let one = self.pool.resize(truth, width, false);
                    sum = self.pool.binary(BinaryOp::Add, sum, one);
                }
                sum
            }
        }
    }
    /// An operand as a word of the type of the whole.
    fn as_type(&mut self, operand: &Expr, whole: &Expr) -> Parsed<TermId> {
        let term = self.term(operand)?;
        Ok(if whole.ty().range().is_some() { self.convert(term, operand, whole.ty()) } else { term })
    }
}

fn float_operator(op: Binary) -> BinaryOp {
    match op {
        Binary::Add => BinaryOp::FloatAdd,
        Binary::Sub => BinaryOp::FloatSub,
        Binary::Mul => BinaryOp::FloatMul,
        Binary::Div => BinaryOp::FloatDiv,
        Binary::Equal => BinaryOp::FloatEq,
        Binary::Less => BinaryOp::FloatLt,
        Binary::LessEqual => BinaryOp::FloatLe,
        _ => panic!("{op:?} should get no floats"),
    }
}
