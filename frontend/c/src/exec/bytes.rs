//! Functions of string.h that treat objects as bytes: `memcpy`, `memmove`, `memset`, `memcmp`.
//!
//! Whole cells are moved where they are covered. A size that is not constant is bounded by its
//! range and by the room in the object; bytes from the size on keep what they hold.

use super::hazard::HazardKind;
use super::layout::{Kind, Scalar};
use super::place::Target;
use super::state::State;
use super::{Frame, Machine, Outcome};
use crate::code::Code;
use crate::ir::expr::{Expr, ExprKind};
use crate::ir::stmt::Place;
use crate::ir::types::Type;
use frontend::source::Span;
use model::term::{BinaryOp, TermId};
use model::value::Value;

/// Most bytes that a call with a varying size, or a comparison, looks at one by one.
const MOST_BYTES: u64 = 4096;

/// A byte.
pub(super) const BYTE: Scalar = Scalar { extent: 8, kind: Kind::Word, signed: false };

/// The arguments of a function on memory: the first pointer with what it points to, the second
/// argument as it is, and the size in bytes.
struct Memory<'e> {
    value: TermId,
    targets: Vec<Target>,
    second: &'e Expr,
    size: TermId,
}

impl Machine<'_> {
    /// `memcpy`, `memmove`: everything is read before anything is written, so that overlapping does
    /// not matter.
    pub(super) fn copy_call(
        &mut self,
        frame: &Frame,
        state: &mut State,
        result: Option<&Place>,
        arguments: &[Expr],
        span: Span,
    ) -> Outcome<()> {
        let Memory { value, targets, second, size } =
            self.memory_arguments("memcpy", frame, state, arguments, span)?;
        let (_, sources) = self.memory_argument(frame, state, second, size, span)?;
        let before = state.clone();
        self.write_bytes(state, &targets, size, span, &mut |machine, shift, scalar| {
            machine.load_scalar(&before, &sources, shift, scalar, span)
        })?;
        self.return_scalar(frame, state, result, value)
    }

    /// `memset`.
    pub(super) fn fill_call(
        &mut self,
        frame: &Frame,
        state: &mut State,
        result: Option<&Place>,
        arguments: &[Expr],
        span: Span,
    ) -> Outcome<()> {
        let Memory { value, targets, second, size } =
            self.memory_arguments("memset", frame, state, arguments, span)?;
        let byte = self.evaluate(frame, state, second)?;
        let byte = self.system.terms.resize(byte, 8, false);
        let mut pattern = byte;
        for _ in 0..9 {
            pattern = self.system.terms.binary(BinaryOp::Concat, byte, pattern);
        }
        let before = state.clone();
        self.write_bytes(state, &targets, size, span, &mut |machine, shift, scalar| {
            let low = (shift % 8) as u32;
            let value = machine.system.terms.extract(pattern, low + scalar.extent - 1, low);
            machine.reinterpret(&before, value, Kind::Word, scalar, span)
        })?;
        self.return_scalar(frame, state, result, value)
    }

    /// `memcmp`: the difference of the first bytes that differ, as C libraries have it.
    pub(super) fn compare_call(
        &mut self,
        frame: &Frame,
        state: &mut State,
        result: Option<&Place>,
        arguments: &[Expr],
        span: Span,
    ) -> Outcome<()> {
        let Memory { targets: left, second, size, .. } =
            self.memory_arguments("memcmp", frame, state, arguments, span)?;
        let (_, right) = self.memory_argument(frame, state, second, size, span)?;
        let room = left.iter().chain(&right).map(|target| self.room(target)).max().unwrap_or(0);
        let most = self.most_bytes(size, room, span)?;
        let width = result.map_or(32, |place| self.sort_of(place.ty).width());
        let mut difference = self.system.terms.word(width, 0);
        for byte in (0..most).rev() {
            let first = self.load_scalar(state, &left, byte * 8, BYTE, span)?;
            let second = self.load_scalar(state, &right, byte * 8, BYTE, span)?;
            let is_inside = self.is_below(byte, size);
            let terms = &mut self.system.terms;
            let (wide, other) = (terms.resize(first, width, false), terms.resize(second, width, false));
            let here = terms.binary(BinaryOp::Sub, wide, other);
            let is_equal = terms.equal(first, second);
            let found = terms.ite(is_equal, difference, here);
            let zero = terms.word(width, 0);
            difference = terms.ite(is_inside, found, zero);
        }
        self.return_scalar(frame, state, result, difference)
    }

    /// Writes cells of targets as far as the size goes: each gets its `content`, asked for by its
    /// distance from the target in bits.
    pub(super) fn write_bytes(
        &mut self,
        state: &mut State,
        targets: &[Target],
        size: TermId,
        span: Span,
        content: &mut dyn FnMut(&mut Self, u64, Scalar) -> Outcome<TermId>,
    ) -> Outcome<()> {
        for target in targets {
            let most = self.most_bytes(size, self.room(target), span)?;
            for (shift, scalar) in self.scalars_within(target, most * 8) {
                let written = content(self, shift, scalar)?;
                let value = self.keep_behind(state, target, (shift, scalar), written, size, span)?;
                self.store_scalar(state, target, shift, scalar, value, span)?;
            }
        }
        Ok(())
    }

    /// What a cell holds that is written as far as the size goes: its bytes from there on stay.
    fn keep_behind(
        &mut self,
        state: &State,
        target: &Target,
        (shift, scalar): (u64, Scalar),
        written: TermId,
        size: TermId,
        span: Span,
    ) -> Outcome<TermId> {
        if self.system.terms.as_const(size).is_some() {
            return Ok(written);
        }
        let here = std::slice::from_ref(target);
        let kept = self.load_scalar(state, here, shift, scalar, span)?;
        let (first, last) = (shift / 8, (shift + u64::from(scalar.extent) - 1) / 8);
        if first == last || scalar.kind == Kind::Pointer {
            let is_whole = self.is_below(last, size);
            return Ok(self.system.terms.ite(is_whole, written, kept));
        }
        let whole = Scalar { kind: Kind::Word, signed: false, ..scalar };
        let (new, old) = (
            self.reinterpret(state, written, scalar.kind, whole, span)?,
            self.reinterpret(state, kept, scalar.kind, whole, span)?,
        );
        let mut joined: Option<TermId> = None;
        for byte in first..=last {
            let low = (byte * 8).max(shift) - shift;
            let high = ((byte + 1) * 8 - shift).min(u64::from(scalar.extent)) - 1;
            let is_inside = self.is_below(byte, size);
            let terms = &mut self.system.terms;
            let new = terms.extract(new, high as u32, low as u32);
            let old = terms.extract(old, high as u32, low as u32);
            let piece = terms.ite(is_inside, new, old);
            joined = Some(match joined {
                Some(lower) => terms.binary(BinaryOp::Concat, piece, lower),
                None => piece,
            });
        }
        let joined = joined.expect("a cell should have a byte");
        self.reinterpret(state, joined, Kind::Word, scalar, span)
    }

    /// Truth: the byte of the given number lies within the size.
    pub(super) fn is_below(&mut self, byte: u64, size: TermId) -> TermId {
        let width = self.system.terms.width(size);
        let number = self.system.terms.word(width, u128::from(byte));
        self.system.terms.binary(BinaryOp::ULt, number, size)
    }

    /// Bytes between a target, all its indices zero, and the end of its object.
    pub(super) fn room(&self, target: &Target) -> u64 {
        self.objects.get(target.object).size.saturating_sub(target.bit / 8)
    }

    /// How many bytes a size may reach where there is room for so many.
    fn most_bytes(&mut self, size: TermId, room: u64, span: Span) -> Outcome<u64> {
        if let Some(size) = self.system.terms.as_const(size) {
            return Ok(u64::try_from(size.bits()).unwrap_or(u64::MAX).min(room));
        }
        let (_, high) = self.ranges.unsigned(&self.system.terms, size);
        let most = u64::try_from(high).unwrap_or(u64::MAX).min(room);
        if most > MOST_BYTES {
            let message = format!("the number of bytes is not constant, and may be more than {MOST_BYTES}");
            return Err(self.fail(Code::UnsupportedSize, span, message));
        }
        Ok(most)
    }

    /// The three arguments of a function on memory.
    fn memory_arguments<'e>(
        &mut self,
        name: &str,
        frame: &Frame,
        state: &State,
        arguments: &'e [Expr],
        span: Span,
    ) -> Outcome<Memory<'e>> {
        let [first, second, size] = arguments else {
            return Err(self.unsupported_call(name, span, "it takes three arguments"));
        };
        let size = self.evaluate(frame, state, size)?;
        let (value, targets) = self.memory_argument(frame, state, first, size, span)?;
        Ok(Memory { value, targets, second, size })
    }

    /// The value of a pointer argument, and what lies behind it. A size for which there is no room
    /// is reported.
    fn memory_argument(
        &mut self,
        frame: &Frame,
        state: &State,
        pointer: &Expr,
        size: TermId,
        span: Span,
    ) -> Outcome<(TermId, Vec<Target>)> {
        if self.system.terms.as_const(size).is_some_and(|size| size.bits() == 0) {
            return Ok((self.evaluate(frame, state, pointer)?, Vec::new()));
        }
        let (value, mut targets) = self.behind_argument(frame, state, pointer, span)?;
        for target in &mut targets {
            self.check_room(state, target, size, span);
        }
        targets.retain(|target| self.system.terms.as_const(target.guard).is_none_or(Value::is_true));
        Ok((value, targets))
    }

    /// The value of a pointer argument, and what lies behind it.
    pub(super) fn behind_argument(
        &mut self,
        frame: &Frame,
        state: &State,
        pointer: &Expr,
        span: Span,
    ) -> Outcome<(TermId, Vec<Target>)> {
        let mut plain = pointer;
        while let ExprKind::Convert(inner) = &plain.kind
            && matches!(self.layouts.type_of(inner.ty), Type::Pointer(_))
        {
            plain = inner;
        }
        let Type::Pointer(pointee) = *self.layouts.type_of(plain.ty) else {
            return Err(self.fail(Code::UnsupportedCall, span, "this argument should be a pointer"));
        };
        self.want_pointee(frame, state, pointer)?;
        let value = self.evaluate(frame, state, pointer)?;
        let targets = self.pointees(state, value, pointee, span)?;
        Ok((value, targets))
    }

    /// Reports bytes beyond the end of an object; then nothing in it is touched.
    pub(super) fn check_room(&mut self, state: &State, target: &mut Target, size: TermId, span: Span) {
        let room = self.room(target);
        let far = target.indices.iter().map(|index| (index.count.max(1) - 1) * index.stride / 8).sum::<u64>();
        let (_, most) = self.ranges.unsigned(&self.system.terms, size);
        if most + i128::from(far) <= i128::from(room) {
            return;
        }
        let width = self.system.terms.width(size).max(64) + 1;
        let mut end = self.system.terms.resize(size, width, false);
        for index in &target.indices {
            let terms = &mut self.system.terms;
            let number = terms.resize(index.term, width, false);
            let stride = terms.word(width, u128::from(index.stride / 8));
            let distance = terms.binary(BinaryOp::Mul, number, stride);
            end = terms.binary(BinaryOp::Add, end, distance);
        }
        let terms = &mut self.system.terms;
        let room = terms.word(width, u128::from(room));
        let is_beyond = terms.binary(BinaryOp::ULt, room, end);
        let bad = terms.and(target.guard, is_beyond);
        let fits = terms.not(is_beyond);
        target.guard = terms.and(target.guard, fits);
        self.hazard(state, bad, HazardKind::OutOfBounds, span);
    }

    /// The cells of a target's object among the given number of bits from the target on: their
    /// distance from it.
    fn scalars_within(&self, target: &Target, bits: u64) -> Vec<(u64, Scalar)> {
        let object = self.objects.get(target.object);
        let end = target.bit + bits;
        let cells = object.layout.cells.iter().skip(object.layout.first_behind(target.bit));
        cells
            .take_while(|cell| cell.bit < end)
            .map(|cell| {
                let (from, to) = (cell.bit.max(target.bit), cell.end().min(end));
                let scalar = if to - from < u64::from(cell.scalar.extent) {
                    Scalar { extent: (to - from) as u32, kind: Kind::Word, signed: false }
                } else {
                    cell.scalar
                };
                (from - target.bit, scalar)
            })
            .collect()
    }
}
