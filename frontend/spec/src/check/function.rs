//! Calls of functions, `wrap` and `clamp`.

use super::{Checker, convert, describe};
use crate::code::Code;
use crate::lexer::Extent;
use crate::parser::{Parsed, Reported};
use crate::syntax::{self, BinaryOp, Cast, Function};
use crate::typed::{Binary, Expr, Several, Unary};
use crate::types::Type;
use crate::value::Fraction;

impl Checker<'_> {
    pub(super) fn call(&mut self, function: Function, args: &[syntax::Expr], extent: Extent) -> Parsed<Expr> {
        use Function::*;
        let checked: Vec<Parsed<Expr>> = args.iter().map(|arg| self.expression(arg)).collect();
        let args = checked.into_iter().collect::<Parsed<Vec<Expr>>>()?;
        match function {
            Min | Max => {
                let op = if function == Min { Binary::Min } else { Binary::Max };
                self.extremes(function, op, args, extent)
            }
            Count => {
                let most = args.len() as i128;
                let truths: Vec<Parsed<Expr>> = args.into_iter().map(|arg| self.expect_truth(arg)).collect();
                let truths = truths.into_iter().collect::<Parsed<Vec<Expr>>>()?;
                self.build_several(Several::Count, truths, Type::integers(0, most), extent)
            }
            Abs => {
                let [arg] = self.exactly(function, args, extent)?;
                self.absolute(arg, extent)
            }
            Rises | Falls | Changed => {
                let [arg] = self.exactly(function, args, extent)?;
                self.edge(function, arg, extent)
            }
            BitNot => {
                let [arg] = self.exactly(function, args, extent)?;
                let ty = self.expect_machine(function, &arg)?;
                self.build_unary(Unary::BitNot, arg, ty, extent)
            }
            BitAnd => self.bitwise(function, Binary::BitAnd, args, extent),
            BitOr => self.bitwise(function, Binary::BitOr, args, extent),
            BitXor => self.bitwise(function, Binary::BitXor, args, extent),
            ShiftLeft => self.shift(function, Binary::ShiftLeft, args, extent),
            ShiftRight => self.shift(function, Binary::ShiftRight, args, extent),
        }
    }

    fn extremes(&mut self, function: Function, op: Binary, args: Vec<Expr>, extent: Extent) -> Parsed<Expr> {
        if args.len() < 2 {
            return Err(self.wrong_count(function, "two or more arguments", args.len(), extent));
        }
        let mut args = args.into_iter();
        let mut found = args.next().ok_or(Reported)?;
        for arg in args {
            found = self.extreme(op, found, arg, extent)?;
        }
        Ok(found)
    }
    /// `rises`, `falls`, `changed`: a value before the step beside the one after it.
    fn edge(&mut self, function: Function, arg: Expr, extent: Extent) -> Parsed<Expr> {
        let after = self.primed(&arg)?;
        if function == Function::Changed {
            return self.comparison(BinaryOp::NotEqual, after, arg, extent, extent);
        }
        let (before, after) = (self.expect_truth(arg)?, self.expect_truth(after)?);
        let (on, off) = if function == Function::Rises { (after, before) } else { (before, after) };
        self.checked(Expr::all([on, off.negated()], extent))
    }
    fn bitwise(&mut self, function: Function, op: Binary, args: Vec<Expr>, extent: Extent) -> Parsed<Expr> {
        let [lhs, rhs] = self.exactly(function, args, extent)?;
        let (lhs, rhs) = self.alike(lhs, rhs, &format!("`{}`", function.text()), extent)?;
        let ty = self.expect_machine(function, &lhs)?;
        self.build_binary(op, lhs, rhs, ty, extent)
    }
    fn shift(&mut self, function: Function, op: Binary, args: Vec<Expr>, extent: Extent) -> Parsed<Expr> {
        let [lhs, rhs] = self.exactly(function, args, extent)?;
        let ty = self.expect_machine(function, &lhs)?;
        let amounts = rhs.ty().range().filter(|range| range.is_integral() && range.lo() >= 0);
        let Some(amounts) = amounts else {
            let message =
                format!("`{}` shifts by integers of at least 0, not {}", function.text(), describe(&rhs));
            self.error(Code::TypeMismatch, rhs.extent(), message);
            return Err(Reported);
        };
        let rhs = convert(rhs, Type::Number(amounts));
        self.build_binary(op, lhs, rhs, ty, extent)
    }
    fn expect_machine(&mut self, function: Function, arg: &Expr) -> Parsed<Type> {
        match arg.ty() {
            ty @ Type::Machine { .. } => Ok(ty.clone()),
            ty => {
                let message = format!("`{}` needs a machine integer, found {ty}", function.text());
                self.error(Code::TypeMismatch, arg.extent(), message)
                    .advice("`wrap(u8, ...)` and its like make one of a number");
                Err(Reported)
            }
        }
    }
    fn exactly<const N: usize>(
        &mut self,
        function: Function,
        args: Vec<Expr>,
        extent: Extent,
    ) -> Parsed<[Expr; N]> {
        let found = args.len();
        args.try_into().map_err(|_| {
            self.wrong_count(function, if N == 1 { "one argument" } else { "two arguments" }, found, extent)
        })
    }
    fn wrong_count(&mut self, function: Function, wanted: &str, found: usize, extent: Extent) -> Reported {
        let message = format!("`{}` takes {wanted}, found {found}", function.text());
        self.error(Code::ArgumentCount, extent, message);
        Reported
    }

    pub(super) fn cast(
        &mut self,
        cast: Cast,
        ty: &syntax::TypeExpr,
        arg: &syntax::Expr,
        extent: Extent,
    ) -> Parsed<Expr> {
        let (target, arg) = (self.type_of(ty), self.expression(arg));
        let (target, arg) = (target?, arg?);
        let Some(range) = arg.ty().range() else {
            let message =
                format!("`{}` takes an exact number or machine integer, found {}", cast.text(), arg.ty());
            self.error(Code::TypeMismatch, arg.extent(), message);
            return Err(Reported);
        };
        let grid = match (cast, &target) {
            (_, Type::Machine { .. }) => Fraction::from_integer(1),
            (Cast::Clamp, Type::Number(range)) => range.step(),
            _ => {
                let wanted = if cast == Cast::Wrap { "a machine type" } else { "a machine type or a range" };
                let message = format!("`{}` needs {wanted}, found {target}", cast.text());
                self.error(Code::TypeMismatch, ty.extent, message);
                return Err(Reported);
            }
        };
        // Wrapping and clamping choose between multiples of the target's step; no rounding.
        let Some(range) = range.rescaled(grid) else {
            let message = format!("not all values of this ({}) are values of {target}", arg.ty());
            self.error(Code::TypeMismatch, arg.extent(), message);
            return Err(Reported);
        };
        let arg = convert(arg, Type::Number(range));
        let op = if cast == Cast::Wrap { Unary::Wrap } else { Unary::Clamp };
        self.build_unary(op, arg, target, extent)
    }
}
