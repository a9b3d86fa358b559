//! From places to cells: what an lvalue designates, and reading and writing it.
//!
//! A place designates a list of [`Target`]s under guards that exclude each other: one for ordinary
//! variables, several where a pointer has several possible values. An index that is not constant
//! stays symbolic in the target; reading then chooses among all elements, writing writes all of
//! them under a condition.

use super::hazard::HazardKind;
use super::layout::{Kind, Layout, NoLayout, POINTER_WIDTH, Scalar};
use super::object::{ObjectId, Origin};
use super::pointer::{Affine, Offset, Pointed, Unresolved};
use super::state::State;
use super::{Frame, Machine, Outcome, Stop};
use crate::code::Code;
use crate::ir::GlobalId;
use crate::ir::expr::{Expr, ExprKind};
use crate::ir::stmt::{Place, PlaceBase, Projection};
use crate::ir::types::{BitField, Type, TypeId};
use frontend::source::Span;
use model::term::{BinaryOp, TermId};

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
    /// A record or array has one part for each cell of its layout.
    Aggregate(Vec<Part>),
}

/// What a cell of a record or array holds. Copying one that holds nothing is defined; only looking
/// at it is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// The value; zero where nothing was written.
    pub(crate) value: TermId,
    /// The truth that something was written; `None`: always.
    pub(crate) written: Option<TermId>,
}

impl Part {
    /// A part that was written.
    pub(crate) fn set(value: TermId) -> Self {
        Self { value, written: None }
    }
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
                Code::IncompleteType,
                span,
                format!("the type `{name}` is incomplete here, so the object behind it cannot be made"),
            ),
            NoLayout::TooLarge => {
                self.fail(Code::TooLarge, span, format!("an object of type `{name}` has too many elements"))
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
        function: crate::ir::FunctionId,
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
            self.fail(Code::UnknownParameter, span, message)
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
                Code::UnresolvedPointer,
                span,
                message.to_owned(),
                "pointers must come from addresses of objects; bind a pointer to an object in the section [bind]",
            )
        })?;
        let mut found = Vec::new();
        for Pointed { guard, offset } in pointed {
            match offset {
                None => self.hazard(state, guard, HazardKind::Null, span),
                Some(offset) if self.objects.get(offset.object()).origin == Origin::Gone => {
                    self.hazard(state, guard, HazardKind::Dead, span);
                }
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

    /// Targets for an offset of which nothing is known: every place of the pointed-to type in the
    /// object.
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
            // Pointers and numbers are never read as each other; where an offset is not known, no
            // execution does so.
            if let Some(scalar) = self.layouts.scalar(pointee, None).filter(|scalar| scalar.extent > 8) {
                candidates.retain(|&candidate| !mixes_pointers(&description.layout, candidate * 8, scalar));
            }
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
                return Err(self.fail(Code::TooLarge, span, "this access chooses among too many elements"));
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
    pub(super) fn below(&mut self, index: TermId, count: u64) -> TermId {
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

/// Whether an access at this bit would take a number for a pointer or a pointer for a number.
fn mixes_pointers(layout: &Layout, bit: u64, scalar: Scalar) -> bool {
    let cells = layout.cells.iter().skip(layout.first_behind(bit));
    let mut met = cells.take_while(|cell| cell.bit < bit + u64::from(scalar.extent));
    met.any(|cell| (cell.scalar.kind == Kind::Pointer) != (scalar.kind == Kind::Pointer))
}

/// An index that was checked against the number of elements.
enum Checked {
    /// It is a constant within them.
    Constant(u64),
    /// It is not constant, and so many elements come into question.
    Symbolic(u64),
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
