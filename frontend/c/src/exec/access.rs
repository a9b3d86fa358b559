//! Reading and writing what places designate.

use super::hazard::HazardKind;
use super::layout::{Kind, POINTER_WIDTH, Scalar};
use super::object::ObjectId;
use super::place::{Content, Index, Part, Target, bit_field};
use super::state::State;
use super::{Frame, Machine, Outcome};
use crate::code::Code;
use crate::ir::stmt::Place;
use crate::ir::types::{BitField, TypeId};
use frontend::source::Span;
use model::term::{BinaryOp, TermId, UnaryOp};
use model::value::Value;

/// What is accessed, and where that is written.
#[derive(Clone, Copy)]
struct Access {
    object: ObjectId,
    scalar: Scalar,
    span: Span,
}

impl Machine<'_> {
    /// The content of what targets designate.
    pub(crate) fn load_targets(
        &mut self,
        state: &State,
        targets: &[Target],
        ty: TypeId,
        bits: Option<BitField>,
        span: Span,
    ) -> Outcome<Content> {
        if let Some(scalar) = self.layouts.scalar(ty, bits) {
            let value = self.load_scalar(state, targets, 0, scalar, span)?;
            let value = match bits {
                Some(_) => self.system.terms.resize(value, self.sort_of(ty).width(), scalar.signed),
                None => value,
            };
            return Ok(Content::Scalar(value));
        }
        let layout = self.layouts.layout(ty).map_err(|why| self.no_layout(why, ty, span))?;
        let mut parts = Vec::with_capacity(layout.cells.len());
        for cell in &layout.cells {
            parts.push(match self.unset_part(state, targets, cell.bit, cell.scalar) {
                Some(part) => part,
                None => Part::set(self.load_scalar(state, targets, cell.bit, cell.scalar, span)?),
            });
        }
        Ok(Content::Aggregate(parts))
    }

    /// What a cell of a record holds to which some path has written nothing; `None`: it was
    /// written, or is several cells.
    fn unset_part(&mut self, state: &State, targets: &[Target], shift: u64, scalar: Scalar) -> Option<Part> {
        let cell = self.single_cell(targets, shift, scalar)?;
        match (state.memory.values.get(cell), state.memory.written.get(cell)) {
            (Some(value), Some(written)) => {
                Some(Part { value: self.or_zero(written, value), written: Some(written) })
            }
            (None, _) if self.world_value(cell).is_none() => {
                let value = self.system.terms.constant(Value::zero(scalar.sort()));
                Some(Part { value, written: Some(self.system.terms.truth(false)) })
            }
            _ => None,
        }
    }

    /// The cell that lies so many bits behind the only place that targets designate.
    fn single_cell(&self, targets: &[Target], shift: u64, scalar: Scalar) -> Option<usize> {
        let [Target { guard, object, bit, indices }] = targets else { return None };
        if !indices.is_empty() || !self.is_true(*guard) {
            return None;
        }
        let object = self.objects.get(*object);
        let index = object.layout.first_behind(bit + shift);
        let cell = object.layout.cells.get(index)?;
        let is_whole = cell.bit == bit + shift && cell.scalar.extent == scalar.extent;
        (is_whole && cell.scalar.kind == scalar.kind).then_some(object.first + index)
    }

    pub(super) fn load_scalar(
        &mut self,
        state: &State,
        targets: &[Target],
        shift: u64,
        scalar: Scalar,
        span: Span,
    ) -> Outcome<TermId> {
        let mut value = self.system.terms.constant(Value::zero(scalar.sort()));
        for (position, target) in targets.iter().enumerate() {
            let access = Access { object: target.object, scalar, span };
            let guarded = self.assume(state, target.guard);
            let Some(guarded) = guarded else { continue };
            let here = self.read_indexed(&guarded, access, target.bit + shift, &target.indices)?;
            value = if position == 0 && targets.len() == 1 && self.is_true(target.guard) {
                here
            } else {
                self.system.terms.ite(target.guard, here, value)
            };
        }
        Ok(value)
    }

    pub(super) fn is_true(&self, term: TermId) -> bool {
        self.system.terms.as_const(term).is_some_and(Value::is_true)
    }

    fn read_indexed(
        &mut self,
        state: &State,
        access: Access,
        bit: u64,
        indices: &[Index],
    ) -> Outcome<TermId> {
        let Some((index, rest)) = indices.split_first() else {
            return self.read(state, access, bit);
        };
        let (low, high) = self.ranges.unsigned(&self.system.terms, index.term);
        if low == high && (0..i128::from(index.count)).contains(&low) {
            return self.read_indexed(state, access, bit + low as u64 * index.stride, rest);
        }
        let mut elements = Vec::with_capacity(index.count as usize);
        for number in 0..index.count {
            elements.push(self.read_indexed(state, access, bit + number * index.stride, rest)?);
        }
        let zero = self.system.terms.constant(Value::zero(access.scalar.sort()));
        Ok(self.select(index.term, &elements, zero))
    }

    /// The element of the given index; zero where there is none, as in an array without elements.
    fn select(&mut self, index: TermId, elements: &[TermId], zero: TermId) -> TermId {
        if elements.is_empty() {
            return zero;
        }
        let width = self.system.terms.width(index);
        let levels = usize::BITS - (elements.len() - 1).leading_zeros();
        let chosen = self.select_bits(index, elements, levels.min(width));
        let inside = self.below(index, elements.len() as u64);
        self.system.terms.ite(inside, chosen, zero)
    }

    /// A balanced tree of choices over the bits of the index; beyond the last element anything.
    fn select_bits(&mut self, index: TermId, elements: &[TermId], levels: u32) -> TermId {
        if levels == 0 || elements.len() == 1 {
            return elements[0];
        }
        let half = 1 << (levels - 1);
        if elements.len() <= half {
            return self.select_bits(index, elements, levels - 1);
        }
        let low = self.select_bits(index, &elements[..half], levels - 1);
        let high = self.select_bits(index, &elements[half..], levels - 1);
        let bit = self.system.terms.extract(index, levels - 1, levels - 1);
        self.system.terms.ite(bit, high, low)
    }

    /// Stores a value in a place.
    pub(crate) fn store(
        &mut self,
        frame: &Frame,
        state: &mut State,
        place: &Place,
        content: &Content,
    ) -> Outcome<()> {
        let targets = self.locate(frame, state, place)?;
        self.store_targets(state, &targets, place.ty, bit_field(place), content, place.span)
    }

    /// Stores a value in what targets designate.
    pub(crate) fn store_targets(
        &mut self,
        state: &mut State,
        targets: &[Target],
        ty: TypeId,
        bits: Option<BitField>,
        content: &Content,
        span: Span,
    ) -> Outcome<()> {
        for target in targets {
            match content {
                Content::Scalar(value) => {
                    let scalar = self.layouts.scalar(ty, bits).expect("a scalar should have a scalar's type");
                    let access = Access { object: target.object, scalar, span };
                    let value = match bits {
                        Some(bits) => self.system.terms.resize(*value, bits.width, false),
                        None => *value,
                    };
                    self.write_indexed(state, access, target, 0, value)?;
                }
                Content::Aggregate(parts) => {
                    let layout = self.layouts.layout(ty).map_err(|why| self.no_layout(why, ty, span))?;
                    for (cell, &part) in layout.cells.iter().zip(parts) {
                        let access = Access { object: target.object, scalar: cell.scalar, span };
                        self.write_indexed(state, access, target, cell.bit, part.value)?;
                        let Some(written) = part.written else { continue };
                        match self.single_cell(targets, cell.bit, cell.scalar) {
                            Some(cell) if state.memory.values.get(cell).is_some() => {
                                state.memory.written.set(cell, Some(written));
                            }
                            _ => {
                                let unwritten = self.system.terms.not(written);
                                self.hazard(state, unwritten, HazardKind::Indeterminate, span);
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Stores a scalar `shift` bits behind a target.
    pub(super) fn store_scalar(
        &mut self,
        state: &mut State,
        target: &Target,
        shift: u64,
        scalar: Scalar,
        value: TermId,
        span: Span,
    ) -> Outcome<()> {
        let access = Access { object: target.object, scalar, span };
        self.write_indexed(state, access, target, shift, value)
    }

    fn write_indexed(
        &mut self,
        state: &mut State,
        access: Access,
        target: &Target,
        shift: u64,
        value: TermId,
    ) -> Outcome<()> {
        self.write_elements(state, access, target.bit + shift, &target.indices, target.guard, value)
    }

    fn write_elements(
        &mut self,
        state: &mut State,
        access: Access,
        bit: u64,
        indices: &[Index],
        guard: TermId,
        value: TermId,
    ) -> Outcome<()> {
        let Some((index, rest)) = indices.split_first() else {
            return self.write(state, access, bit, guard, value);
        };
        for number in 0..index.count {
            let terms = &mut self.system.terms;
            let constant = terms.word(terms.width(index.term), u128::from(number));
            let equal = terms.equal(index.term, constant);
            let here = terms.and(guard, equal);
            self.write_elements(state, access, bit + number * index.stride, rest, here, value)?;
        }
        Ok(())
    }

    /// Reads a scalar at a constant place.
    fn read(&mut self, state: &State, access: Access, bit: u64) -> Outcome<TermId> {
        let Access { object, scalar, span } = access;
        let description = self.objects.get(object);
        if bit + u64::from(scalar.extent) > description.size * 8 {
            let always = self.system.terms.truth(true);
            self.hazard(state, always, HazardKind::OutOfBounds, span);
            return Ok(self.system.terms.constant(Value::zero(scalar.sort())));
        }
        let (layout, first) = (description.layout.clone(), description.first);
        let index = layout.first_behind(bit);
        if let Some(cell) = layout.cells.get(index)
            && cell.bit == bit
            && cell.scalar.extent == scalar.extent
        {
            let value = self.read_cell(state, first + index, span)?;
            return self.reinterpret(state, value, cell.scalar.kind, scalar, span);
        }
        let mut bits: Option<TermId> = None;
        let mut position = bit;
        let end = bit + u64::from(scalar.extent);
        for (index, cell) in layout.cells.iter().enumerate().skip(index) {
            if cell.bit >= end {
                break;
            }
            let value = self.read_cell(state, first + index, span)?;
            let word = Scalar { kind: Kind::Word, extent: cell.scalar.extent, signed: false };
            let value = self.reinterpret(state, value, cell.scalar.kind, word, span)?;
            let low = bit.saturating_sub(cell.bit) as u32;
            let high = (end.min(cell.end()) - cell.bit) as u32 - 1;
            let part = self.system.terms.extract(value, high, low);
            let gap = cell.bit.max(position) - position;
            bits = Some(self.append(bits, part, gap as u32));
            position = cell.end().min(end);
        }
        let bits = match bits {
            None => self.system.terms.word(scalar.extent, 0),
            Some(bits) => {
                self.system.terms.resize(bits, scalar.extent.max(self.system.terms.width(bits)), false)
            }
        };
        self.reinterpret(state, bits, Kind::Word, scalar, span)
    }

    /// `part` above `gap` zeros above `bits`.
    fn append(&mut self, bits: Option<TermId>, part: TermId, gap: u32) -> TermId {
        let terms = &mut self.system.terms;
        let padded = match (bits, gap) {
            (None, 0) => return part,
            (Some(bits), 0) => bits,
            (None, gap) => terms.word(gap, 0),
            (Some(bits), gap) => terms.resize(bits, terms.width(bits) + gap, false),
        };
        terms.binary(BinaryOp::Concat, part, padded)
    }

    /// The bits of a cell read as another kind of scalar of the same extent.
    pub(super) fn reinterpret(
        &mut self,
        state: &State,
        value: TermId,
        from: Kind,
        to: Scalar,
        span: Span,
    ) -> Outcome<TermId> {
        if from == to.kind {
            return Ok(value);
        }
        if let Some(constant) = self.system.terms.as_const(value)
            && constant.bits() == 0
        {
            return Ok(self.system.terms.constant(Value::zero(to.sort())));
        }
        let terms = &mut self.system.terms;
        match (from, to.kind) {
            (Kind::Float(_), Kind::Word) => {
                self.nan_hazard(state, value, span);
                Ok(self.system.terms.unary(UnaryOp::FloatToBits, value))
            }
            (Kind::Word, Kind::Float(format)) => Ok(terms.unary(UnaryOp::FloatFromBits(format), value)),
            (Kind::Word, Kind::Pointer) | (Kind::Pointer, Kind::Word)
                if to.extent == POINTER_WIDTH && terms.width(value) == POINTER_WIDTH =>
            {
                Ok(value)
            }
            _ => Err(self.fail_with(
                Code::UnsupportedPointerBytes,
                span,
                "the bytes of a pointer are read or written as something else".to_owned(),
                "copy pointers as pointers; their bytes have no fixed value",
            )),
        }
    }

    /// The value of a cell.
    pub(crate) fn read_cell(&mut self, state: &State, cell: usize, span: Span) -> Outcome<TermId> {
        if let Some(value) = state.memory.values.get(cell) {
            let Some(written) = state.memory.written.get(cell) else { return Ok(value) };
            let unwritten = self.system.terms.not(written);
            if self.narrowed(state.path, unwritten).is_none() {
                return Ok(value);
            }
            self.hazard(state, unwritten, HazardKind::Indeterminate, span);
            return Ok(self.or_zero(written, value));
        }
        if self.initial_memory.notes_reads {
            self.initial_memory.read_first.insert(cell);
        }
        let known = match self.volatile_at_start(state, cell, span)? {
            Some(value) => Some(value),
            None => self.volatile_value(state, cell).or_else(|| self.world_value(cell)),
        };
        Ok(known.unwrap_or_else(|| {
            let always = self.system.terms.truth(true);
            self.hazard(state, always, HazardKind::Indeterminate, span);
            let sort = self.objects.cell(cell).scalar.sort();
            self.system.terms.constant(Value::zero(sort))
        }))
    }

    /// A value where something was written, and zero where nothing was.
    fn or_zero(&mut self, written: TermId, value: TermId) -> TermId {
        let zero = self.system.terms.constant(Value::zero(self.system.terms.sort(value)));
        self.system.terms.ite(written, value, zero)
    }

    /// Writes a scalar at a constant place where `guard` holds.
    fn write(
        &mut self,
        state: &mut State,
        access: Access,
        bit: u64,
        guard: TermId,
        value: TermId,
    ) -> Outcome<()> {
        let Access { object, scalar, span } = access;
        let description = self.objects.get(object);
        let is_const = description.is_const;
        if bit + u64::from(scalar.extent) > description.size * 8 || is_const {
            let kind = if is_const { HazardKind::ConstWrite } else { HazardKind::OutOfBounds };
            self.hazard(state, guard, kind, span);
            return Ok(());
        }
        let (layout, first) = (description.layout.clone(), description.first);
        let end = bit + u64::from(scalar.extent);
        let index = layout.first_behind(bit);
        if let Some(cell) = layout.cells.get(index)
            && cell.bit == bit
            && cell.scalar.extent == scalar.extent
        {
            let to = Scalar { signed: scalar.signed, ..cell.scalar };
            let value = self.reinterpret(state, value, scalar.kind, to, span)?;
            return self.write_cell(state, first + index, guard, value);
        }
        let word = Scalar { kind: Kind::Word, ..scalar };
        let value = self.reinterpret(state, value, scalar.kind, word, span)?;
        for (index, cell) in layout.cells.iter().enumerate().skip(index) {
            if cell.bit >= end {
                break;
            }
            let part =
                self.part_of_cell(state, first + index, (cell.bit, cell.scalar), (bit, end, value), span)?;
            self.write_cell(state, first + index, guard, part)?;
        }
        Ok(())
    }

    /// The value of a cell at `start` after the bits from `bit` to `end` have become `value`.
    fn part_of_cell(
        &mut self,
        state: &State,
        cell: usize,
        (start, scalar): (u64, Scalar),
        (bit, end, value): (u64, u64, TermId),
        span: Span,
    ) -> Outcome<TermId> {
        let (from, to) = (bit.max(start), end.min(start + u64::from(scalar.extent)));
        let mut part = self.system.terms.extract(value, (to - bit) as u32 - 1, (from - bit) as u32);
        if to - from < u64::from(scalar.extent) {
            let held = state.memory.values.get(cell);
            let old = match (held, state.memory.written.get(cell)) {
                (Some(held), Some(written)) => self.or_zero(written, held),
                (Some(held), None) => held,
                (None, _) => {
                    let zero = self.system.terms.constant(Value::zero(scalar.sort()));
                    self.world_value(cell).unwrap_or(zero)
                }
            };
            let word = Scalar { kind: Kind::Word, ..scalar };
            let old = self.reinterpret(state, old, scalar.kind, word, span)?;
            let terms = &mut self.system.terms;
            if from > start {
                let low = terms.extract(old, (from - start) as u32 - 1, 0);
                part = terms.binary(BinaryOp::Concat, part, low);
            }
            if to < start + u64::from(scalar.extent) {
                let high = terms.extract(old, scalar.extent - 1, (to - start) as u32);
                part = terms.binary(BinaryOp::Concat, high, part);
            }
        }
        self.reinterpret(state, part, Kind::Word, scalar, span)
    }

    fn write_cell(&mut self, state: &mut State, cell: usize, guard: TermId, value: TermId) -> Outcome<()> {
        self.note_lent(cell, value);
        match self.system.terms.as_const(guard) {
            Some(guard) if guard.is_true() => state.memory.set(cell, value),
            Some(_) => {}
            None => {
                let before = state.memory.values.get(cell);
                let written = match before {
                    Some(_) => {
                        state.memory.written.get(cell).map(|written| self.system.terms.or(written, guard))
                    }
                    None if self.world_value(cell).is_none() => Some(guard),
                    None => None,
                };
                let old = match before.or_else(|| self.world_value(cell)) {
                    Some(old) => old,
                    None => self.system.terms.constant(Value::zero(self.system.terms.sort(value))),
                };
                let value = self.system.terms.ite(guard, value, old);
                state.memory.set(cell, value);
                if written.is_some() {
                    state.memory.written.set(cell, written);
                }
            }
        }
        Ok(())
    }
}
