//! From places to cells: what an lvalue designates, and reading and writing it.
//!
//! A place designates a list of [`Target`]s under guards that exclude each other: one for ordinary variables, several
//! where a pointer has several possible values. An index that is not constant stays symbolic in the target; reading
//! then chooses among all elements, writing writes all of them under a condition.

use super::hazard::HazardKind;
use super::layout::{Kind, NoLayout, POINTER_WIDTH, Scalar};
use super::object::{ObjectId, Origin};
use super::pointer::{Affine, Offset, Pointed, Unresolved};
use super::state::State;
use super::{Frame, Machine, Outcome, Stop};
use crate::c::ir::GlobalId;
use crate::c::ir::expr::{Expr, ExprKind};
use crate::c::ir::stmt::{Place, PlaceBase, Projection};
use crate::c::ir::types::{BitField, Type, TypeId};
use crate::source::Span;
use model::term::{BinaryOp, TermId, UnaryOp};
use model::value::Value;

/// Most elements that one access chooses among.
const MOST_ELEMENTS: u64 = 1 << 20;

/// A symbolic index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Index {
    /// The index, read as unsigned.
    pub(crate) term: TermId,
    /// Distance of elements in bits.
    pub(crate) stride: u64,
    /// Number of elements; the index may be beyond.
    pub(crate) count: u64,
}

/// One object that a place may lie in.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// The truth that it does.
    pub(crate) guard: TermId,
    /// The object.
    pub(crate) object: ObjectId,
    /// First bit of the place in the object, all indices zero.
    pub(crate) bit: u64,
    /// Symbolic indices.
    pub(crate) indices: Vec<Index>,
}

/// The content of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Of a scalar.
    Scalar(TermId),
    /// Of a record or array: one term for each cell of its layout.
    Aggregate(Vec<TermId>),
}

impl Content {
    /// The scalar.
    ///
    /// # Panics
    /// If it is an aggregate: the lowering gives operators scalars only.
    pub(crate) fn scalar(self) -> TermId {
        match self {
            Self::Scalar(term) => term,
            Self::Aggregate(_) => panic!("a scalar should be used here, not a record"),
        }
    }
}

impl Machine<'_> {
    /// The object of a variable of static storage duration.
    pub(crate) fn global(&mut self, global: GlobalId, span: Span) -> Outcome<ObjectId> {
        if let Some(known) = self.objects.find(&Origin::Global(global)) {
            return Ok(known);
        }
        let declaration = &self.program.globals[global];
        let name = self.global_name(global);
        let added = self.objects.add(&mut self.layouts, Origin::Global(global), name, declaration.ty);
        added.map_err(|why| self.no_layout(why, declaration.ty, span))
    }

    /// The error for a type without layout.
    pub(crate) fn no_layout(&mut self, why: NoLayout, ty: TypeId, span: Span) -> Stop {
        let name = self.program.types.name(ty);
        match why {
            NoLayout::Incomplete => self.fail(
                "incomplete-type",
                span,
                format!("the type `{name}` is incomplete here, so the object behind it cannot be made"),
            ),
            NoLayout::TooLarge => {
                self.fail("too-large", span, format!("an object of type `{name}` has too many elements"))
            }
        }
    }

    /// What a place designates. Accesses that C leaves undefined are reported and have no target.
    pub(crate) fn locate(&mut self, frame: &Frame, state: &State, place: &Place) -> Outcome<Vec<Target>> {
        let mut targets = self.locate_base(frame, state, place)?;
        for projection in &place.path {
            match projection {
                Projection::Field { offset, bits, .. } => {
                    let low = bits.map_or(0, |bits: BitField| u64::from(bits.low));
                    for target in &mut targets {
                        target.bit += offset * 8 + low;
                    }
                }
                Projection::Index { index, element, length } => {
                    let term = self.evaluate(frame, state, index)?;
                    let signed = self.is_signed(index.ty);
                    self.project_index(state, &mut targets, (term, signed), *element, *length, place.span)?;
                }
            }
        }
        Ok(targets)
    }

    fn locate_base(&mut self, frame: &Frame, state: &State, place: &Place) -> Outcome<Vec<Target>> {
        let object = match &place.base {
            PlaceBase::Global(global) => self.global(*global, place.span)?,
            PlaceBase::Local(local) => frame.locals[*local],
            PlaceBase::Part(part) => self.part(*part, place.span)?,
            PlaceBase::Deref(pointer) => return self.locate_pointed(frame, state, pointer, place.span),
        };
        let guard = self.system.terms.truth(true);
        Ok(vec![Target { guard, object, bit: 0, indices: Vec::new() }])
    }

    /// The object of a parameter of an entry function.
    pub(crate) fn parameter(
        &mut self,
        function: crate::c::ir::FunctionId,
        index: usize,
        span: Span,
    ) -> Outcome<ObjectId> {
        let declaration = &self.program.functions[function];
        let passed = Origin::Passed(function, (index < declaration.parameters.len()).then_some(index));
        let found =
            self.objects.find(&Origin::Parameter(function, index)).or_else(|| self.objects.find(&passed));
        found.ok_or_else(|| {
            let name = &declaration.name;
            let message = match declaration.body {
                Some(_) => format!("`{name}` is not a step function, so its parameters are not known here"),
                None => format!("the code does not call `{name}`, or passes it no value there"),
            };
            self.fail("unknown-parameter", span, message)
        })
    }

    fn locate_pointed(
        &mut self,
        frame: &Frame,
        state: &State,
        pointer: &Expr,
        span: Span,
    ) -> Outcome<Vec<Target>> {
        self.want_pointee(frame, state, pointer)?;
        let value = self.evaluate(frame, state, pointer)?;
        let Type::Pointer(pointee) = *self.layouts.type_of(pointer.ty) else {
            panic!("only pointers should be looked through");
        };
        self.pointees(state, value, pointee, span)
    }

    /// What lies behind a pointer value.
    pub(crate) fn pointees(
        &mut self,
        state: &State,
        pointer: TermId,
        pointee: TypeId,
        span: Span,
    ) -> Outcome<Vec<Target>> {
        let pointed = self.targets(pointer).map_err(|why| {
            let message = match why {
                Unresolved::Unknown => "cannot find out what this pointer points to",
                Unresolved::TooMany => "this pointer may point to too many places",
            };
            self.fail_with(
                "unresolved-pointer",
                span,
                message.to_owned(),
                "pointers must come from addresses of objects; bind a pointer to an object in the section [bind]",
            )
        })?;
        let mut found = Vec::new();
        for Pointed { guard, offset } in pointed {
            match offset {
                None => self.hazard(state, guard, HazardKind::Null, span),
                Some(Offset::Known(affine)) => {
                    if let Some(target) = self.known_target(state, guard, affine, span) {
                        found.push(target);
                    }
                }
                Some(Offset::Unknown(object, offset)) => {
                    self.unknown_targets(state, guard, object, (offset, pointee), span, &mut found);
                }
            }
        }
        Ok(found)
    }

    fn known_target(&mut self, state: &State, guard: TermId, affine: Affine, span: Span) -> Option<Target> {
        let Affine { object, mut base, mut parts } = affine;
        let description = self.objects.get(object).clone();
        parts.sort_by_key(|&(_, stride)| std::cmp::Reverse(stride));
        let strictly = parts.len() > 1;
        let mut indices = Vec::new();
        for (term, stride) in parts {
            let (start, size) = u64::try_from(base)
                .ok()
                .and_then(|offset| self.layouts.array_around(description.ty, offset, stride, strictly))
                .unwrap_or((0, description.size));
            if stride == 0 {
                continue;
            }
            let before = (base - start as i64).div_euclid(stride as i64);
            let first = base - before * stride as i64;
            let count = (start + size).saturating_sub(first as u64).div_ceil(stride);
            let width = self.system.terms.width(term);
            let shift = self.system.terms.word(width, before as i128 as u128);
            let index = self.system.terms.binary(BinaryOp::Add, term, shift);
            base = first;
            let checked = self.check_index(state, guard, (index, true), count, span)?;
            match checked {
                Checked::Constant(number) => base += (number * stride) as i64,
                Checked::Symbolic(count) => {
                    indices.push(Index { term: index, stride: stride * 8, count });
                }
            }
        }
        if base < 0 || base as u64 > description.size {
            self.hazard(state, guard, HazardKind::OutOfBounds, span);
            return None;
        }
        Some(Target { guard, object, bit: base as u64 * 8, indices })
    }

    /// Targets for an offset of which nothing is known: every place of the pointed-to type in the object.
    fn unknown_targets(
        &mut self,
        state: &State,
        guard: TermId,
        object: ObjectId,
        (offset, pointee): (TermId, TypeId),
        span: Span,
        found: &mut Vec<Target>,
    ) {
        let description = self.objects.get(object).clone();
        let mut candidates = self.layouts.occurrences(description.ty, pointee);
        if candidates.is_empty() {
            let size = self.layouts.stride(pointee).unwrap_or(1).max(1);
            candidates = (0..description.size).step_by(size as usize).collect();
        }
        let mut missed = guard;
        for candidate in candidates {
            let terms = &mut self.system.terms;
            let constant = terms.word(32, u128::from(candidate));
            let equal = terms.equal(offset, constant);
            let here = terms.and(guard, equal);
            let negated = terms.not(equal);
            missed = terms.and(missed, negated);
            if terms.as_const(here).is_none_or(|value| value.is_true()) {
                found.push(Target { guard: here, object, bit: candidate * 8, indices: Vec::new() });
            }
        }
        self.hazard(state, missed, HazardKind::OutOfBounds, span);
    }

    fn project_index(
        &mut self,
        state: &State,
        targets: &mut Vec<Target>,
        index: (TermId, bool),
        element: TypeId,
        length: Option<u64>,
        span: Span,
    ) -> Outcome<()> {
        let Some(size) = self.layouts.size(element) else {
            return Err(self.no_layout(NoLayout::Incomplete, element, span));
        };
        let mut kept = Vec::new();
        for mut target in std::mem::take(targets) {
            let available = (self.objects.get(target.object).size * 8).saturating_sub(target.bit);
            let count = length.unwrap_or(available / (size * 8).max(1));
            match self.check_index(state, target.guard, index, count, span) {
                None => continue,
                Some(Checked::Constant(number)) => target.bit += number * size * 8,
                Some(Checked::Symbolic(count)) => {
                    target.indices.push(Index { term: index.0, stride: size * 8, count });
                }
            }
            let elements: u64 = target.indices.iter().map(|index| index.count).product();
            if elements > MOST_ELEMENTS {
                return Err(self.fail("too-large", span, "this access chooses among too many elements"));
            }
            kept.push(target);
        }
        *targets = kept;
        Ok(())
    }

    /// Reports an index that is not below `count`; `None` where it never is.
    fn check_index(
        &mut self,
        state: &State,
        guard: TermId,
        (index, signed): (TermId, bool),
        count: u64,
        span: Span,
    ) -> Option<Checked> {
        if let Some(value) = self.system.terms.as_const(index) {
            let number = if signed { value.signed() } else { value.bits() as i128 };
            if (0..i128::from(count)).contains(&number) {
                return Some(Checked::Constant(number as u64));
            }
            self.hazard(state, guard, HazardKind::OutOfBounds, span);
            return None;
        }
        let width = self.system.terms.width(index);
        let natural = width - u32::from(signed);
        let reachable = if natural >= 64 { u64::MAX } else { 1 << natural };
        let range = self.ranges.unsigned(&self.system.terms, index);
        let known = if range.1 < i128::from(u64::MAX) { range.1 as u64 + 1 } else { u64::MAX };
        if reachable.max(1) > count || signed {
            let inside = self.below(index, count);
            let outside = self.system.terms.not(inside);
            let bad = self.system.terms.and(guard, outside);
            if known > count {
                self.hazard(state, bad, HazardKind::OutOfBounds, span);
            }
        }
        Some(Checked::Symbolic(count.min(reachable).min(known)))
    }

    /// Truth: the index, read as unsigned, is below `count`.
    fn below(&mut self, index: TermId, count: u64) -> TermId {
        let width = self.system.terms.width(index);
        if width < 64 && count >> width > 0 {
            return self.system.terms.truth(true);
        }
        let limit = self.system.terms.word(width, u128::from(count));
        let inside = self.system.terms.binary(BinaryOp::ULt, index, limit);
        match self.ranges.decide(&self.system.terms, inside) {
            Some(holds) => self.system.terms.truth(holds),
            None => inside,
        }
    }

    /// The content of a place.
    pub(crate) fn load(&mut self, frame: &Frame, state: &State, place: &Place) -> Outcome<Content> {
        let targets = self.locate(frame, state, place)?;
        self.load_targets(state, &targets, place.ty, bit_field(place), place.span)
    }

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
            parts.push(self.load_scalar(state, targets, cell.bit, cell.scalar, span)?);
        }
        Ok(Content::Aggregate(parts))
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

    fn is_true(&self, term: TermId) -> bool {
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
        let mut elements = Vec::with_capacity(index.count as usize);
        for number in 0..index.count {
            elements.push(self.read_indexed(state, access, bit + number * index.stride, rest)?);
        }
        Ok(self.select(index.term, &elements))
    }

    /// The element of the given index; zero where there is none.
    fn select(&mut self, index: TermId, elements: &[TermId]) -> TermId {
        let width = self.system.terms.width(index);
        let Some(&first) = elements.first() else {
            panic!("an array that is read should have elements");
        };
        let levels = usize::BITS - (elements.len() - 1).leading_zeros();
        let chosen = self.select_bits(index, elements, levels.min(width));
        let inside = self.below(index, elements.len() as u64);
        let zero = self.system.terms.constant(Value::zero(self.system.terms.sort(first)));
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
                        self.write_indexed(state, access, target, cell.bit, part)?;
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
            let value = self.read_cell(state, first + index, span);
            return self.reinterpret(state, value, cell.scalar.kind, scalar, span);
        }
        let mut bits: Option<TermId> = None;
        let mut position = bit;
        let end = bit + u64::from(scalar.extent);
        for (index, cell) in layout.cells.iter().enumerate().skip(index) {
            if cell.bit >= end {
                break;
            }
            let value = self.read_cell(state, first + index, span);
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
                "unsupported-pointer-bytes",
                span,
                "the bytes of a pointer are read or written as something else".to_owned(),
                "copy pointers as pointers; their bytes have no fixed value",
            )),
        }
    }

    /// The value of a cell.
    pub(crate) fn read_cell(&mut self, state: &State, cell: usize, span: Span) -> TermId {
        if let Some(value) = state.memory.values.get(cell) {
            if let Some(written) = state.memory.written.get(cell) {
                let unwritten = self.system.terms.not(written);
                self.hazard(state, unwritten, HazardKind::Indeterminate, span);
            }
            return value;
        }
        if self.world.notes_reads {
            self.world.read_first.insert(cell);
        }
        match self.world_value(cell) {
            Some(value) => value,
            None => {
                let always = self.system.terms.truth(true);
                self.hazard(state, always, HazardKind::Indeterminate, span);
                let sort = self.objects.cell(cell).scalar.sort();
                self.system.terms.constant(Value::zero(sort))
            }
        }
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
            let old = match state.memory.values.get(cell).or_else(|| self.world_value(cell)) {
                Some(old) => old,
                None => self.system.terms.constant(Value::zero(scalar.sort())),
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

    /// The address of a place.
    pub(crate) fn address_of(&mut self, frame: &Frame, state: &State, place: &Place) -> Outcome<TermId> {
        let object = match &place.base {
            PlaceBase::Global(global) => Some(self.global(*global, place.span)?),
            PlaceBase::Local(local) => Some(frame.locals[*local]),
            PlaceBase::Part(part) => Some(self.part(*part, place.span)?),
            PlaceBase::Deref(_) => None,
        };
        let mut pointer = match (object, &place.base) {
            (Some(object), _) => self.pointer_to(object, 0),
            (None, PlaceBase::Deref(pointer)) => {
                self.want_pointee(frame, state, pointer)?;
                self.evaluate(frame, state, pointer)?
            }
            _ => unreachable!("only pointed-to places should have no object"),
        };
        for projection in &place.path {
            let (index, stride) = match projection {
                Projection::Field { offset, .. } => {
                    (self.system.terms.word(POINTER_WIDTH, u128::from(*offset)), 1)
                }
                Projection::Index { index, element, .. } => {
                    let term = self.evaluate(frame, state, index)?;
                    let signed = self.is_signed(index.ty);
                    let width = self.system.terms.width(term).max(32) + u32::from(!signed);
                    let wide = self.system.terms.resize(term, width, signed);
                    (wide, self.layouts.stride(*element).unwrap_or(1))
                }
            };
            pointer = self.pointer_add(pointer, index, stride);
        }
        Ok(pointer)
    }

    pub(super) fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.layouts.type_of(ty), Type::Pointer(_))
    }

    /// Whether numbers of the type are signed.
    pub(crate) fn is_signed(&self, ty: TypeId) -> bool {
        self.layouts.scalar(ty, None).is_some_and(|scalar| scalar.signed)
    }
}

/// An index that was checked against the number of elements.
enum Checked {
    /// It is a constant within them.
    Constant(u64),
    /// It is not constant, and so many elements come into question.
    Symbolic(u64),
}

/// What is accessed, and where that is written.
#[derive(Clone, Copy)]
struct Access {
    object: ObjectId,
    scalar: Scalar,
    span: Span,
}

/// The bit-field that a place is, if it is one.
pub(crate) fn bit_field(place: &Place) -> Option<BitField> {
    match place.path.last() {
        Some(Projection::Field { bits, .. }) => *bits,
        _ => None,
    }
}

/// The bit-field that an lvalue expression reads, if it is one.
pub(crate) fn bit_field_of(expr: &Expr) -> Option<BitField> {
    match &expr.kind {
        ExprKind::Load(place) => bit_field(place),
        _ => None,
    }
}
