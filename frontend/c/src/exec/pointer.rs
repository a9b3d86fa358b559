//! Pointer values: arithmetic on them, and what they may point to.
//!
//! A pointer is a word: the number of an object in the upper half, a byte offset in the lower half.
//! Storing, joining and comparing pointers is therefore nothing special; only looking through one
//! needs to know which objects the term can name. That is read off the term: a constant, a choice
//! between such, or an object number that the states of pointer type are known to hold. How an
//! offset came about (`base + index * stride`) is remembered beside the term, so that an element of
//! a table is chosen by its index and not by comparing addresses.

use super::Machine;
use super::hazard::HazardKind;
use super::object::{ObjectId, address};
use super::state::State;
use crate::ir::expr::BinaryOp as BinaryOperator;
use frontend::source::Span;
use model::term::{BinaryOp, Term, TermId, TermPool};
use std::collections::{BTreeMap, BTreeSet};

/// Most alternatives of one pointer.
const MOST_TARGETS: usize = 4096;

/// Bits in which sums of indices are computed at most, where no index has more.
const MOST_INDEX_BITS: u32 = 64;

/// A known offset: `base + sum of index * stride`.
#[derive(Clone, Debug)]
pub(crate) struct Affine {
    /// The object.
    pub(crate) object: ObjectId,
    /// The constant part in bytes; may be negative or beyond the object as long as the sum is not.
    pub(crate) base: i64,
    /// Indices (read as signed) and their strides in bytes, each stride once.
    pub(crate) parts: Vec<(TermId, u64)>,
}

/// Where in an object a pointer points to.
#[derive(Clone, Debug)]
pub(crate) enum Offset {
    /// A constant offset plus indices.
    Known(Affine),
    /// An unknown offset (32 bits) into the object.
    Unknown(ObjectId, TermId),
}

impl Offset {
    /// The object.
    pub(crate) fn object(&self) -> ObjectId {
        match self {
            Self::Known(affine) => affine.object,
            Self::Unknown(object, _) => *object,
        }
    }
}

/// One thing a pointer may point to.
#[derive(Clone, Debug)]
pub(crate) struct Pointed {
    /// The truth that it does.
    pub(crate) guard: TermId,
    /// What it is; `None`: nothing that can be accessed (`NULL`, a number that is no address).
    pub(crate) offset: Option<Offset>,
}

/// Why a pointer cannot be looked through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unresolved {
    /// Its possible targets are not known.
    Unknown,
    /// There are too many.
    TooMany,
}

impl Machine<'_> {
    /// A pointer moved by `index` elements of `stride` bytes; the index is read as signed.
    pub(crate) fn pointer_add(&mut self, pointer: TermId, index: TermId, stride: u64) -> TermId {
        if let Term::Ite { condition, then, otherwise } = self.system.terms.node(pointer) {
            let then = self.pointer_add(then, index, stride);
            let otherwise = self.pointer_add(otherwise, index, stride);
            return self.system.terms.ite(condition, then, otherwise);
        }
        if self.system.terms.as_const(index).is_some_and(|value| value.signed() == 0) {
            return pointer;
        }
        let known = self.affine(pointer);
        let terms = &mut self.system.terms;
        let number = terms.extract(pointer, 63, 32);
        let offset = terms.extract(pointer, 31, 0);
        let narrow = terms.resize(index, 32, true);
        let size = terms.word(32, u128::from(stride));
        let distance = terms.binary(BinaryOp::Mul, narrow, size);
        let offset = terms.binary(BinaryOp::Add, offset, distance);
        let moved = terms.binary(BinaryOp::Concat, number, offset);
        if let Some(mut known) = known
            && terms.as_const(moved).is_none()
        {
            match terms.as_const(index) {
                Some(value) => known.base += value.signed() as i64 * stride as i64,
                None => self.add_part(&mut known.parts, index, stride),
            }
            self.affine.insert(moved, known);
        }
        moved
    }

    /// Adds an index to those of a known offset. Indices of the same stride become one, their sum:
    /// each alone may lie outside of an array where the sum lies in it, and the other way round.
    fn add_part(&mut self, parts: &mut Vec<(TermId, u64)>, index: TermId, stride: u64) {
        let Some(part) = parts.iter_mut().find(|part| part.1 == stride) else {
            parts.push((index, stride));
            return;
        };
        let terms = &mut self.system.terms;
        let widest = terms.width(part.0).max(terms.width(index));
        let width = (widest + 1).min(widest.max(MOST_INDEX_BITS));
        let (left, right) = (terms.resize(part.0, width, true), terms.resize(index, width, true));
        part.0 = terms.binary(BinaryOp::Add, left, right);
    }

    /// The order of two pointers: that of their offsets, which may be negative in front of an
    /// object, where they point into the same one.
    pub(super) fn compare_pointers(
        &mut self,
        state: &State,
        op: BinaryOperator,
        (left, right): (TermId, TermId),
        span: Span,
    ) -> TermId {
        let same = self.same_object(state, left, right, span);
        let terms = &mut self.system.terms;
        let halves = |terms: &mut TermPool, high, low| {
            (terms.extract(left, high, low), terms.extract(right, high, low))
        };
        let offsets = halves(terms, 31, 0);
        let numbers = halves(terms, 63, 32);
        let inside = self.compare(op, offsets.0, offsets.1, true);
        let outside = self.compare(op, numbers.0, numbers.1, false);
        self.system.terms.ite(same, inside, outside)
    }

    /// Truth: two pointers point into the same object. It is reported where they do not.
    pub(super) fn same_object(&mut self, state: &State, left: TermId, right: TermId, span: Span) -> TermId {
        let pointers = (left, right);
        let terms = &mut self.system.terms;
        let (left, right) = (terms.extract(left, 63, 32), terms.extract(right, 63, 32));
        let same = terms.equal(left, right);
        let other = terms.not(same);
        self.hazard(state, other, HazardKind::PointerPair, span);
        self.dead_pointers_hazard(state, pointers, span);
        same
    }

    fn affine(&self, pointer: TermId) -> Option<Affine> {
        match self.system.terms.as_const(pointer) {
            Some(value) => {
                let object = self.objects.by_number((value.bits() >> 32) as u64)?;
                Some(Affine { object, base: i64::from(value.bits() as u32 as i32), parts: Vec::new() })
            }
            None => self.affine.get(&pointer).cloned(),
        }
    }

    /// What a pointer may point to, under guards that exclude each other.
    pub(crate) fn targets(&mut self, pointer: TermId) -> Result<Vec<Pointed>, Unresolved> {
        let mut found = Vec::new();
        for (choice, guard) in self.choices(pointer) {
            self.collect_targets(choice, guard, &mut found)?;
        }
        Ok(found)
    }

    /// The terms that a pointer is chosen from, with the truths that it is. The same choice may be
    /// reached in many ways: each is visited once, after all that it is reached from, since terms
    /// refer to earlier terms only.
    fn choices(&mut self, pointer: TermId) -> Vec<(TermId, TermId)> {
        let terms = &mut self.system.terms;
        let mut open = BTreeMap::from([(pointer, terms.truth(true))]);
        let mut found = Vec::new();
        while let Some((choice, guard)) = open.pop_last() {
            let Term::Ite { condition, then, otherwise } = terms.node(choice) else {
                found.push((choice, guard));
                continue;
            };
            let negated = terms.not(condition);
            for (next, condition) in [(then, condition), (otherwise, negated)] {
                let here = terms.and(guard, condition);
                if terms.as_const(here).is_none_or(|here| here.is_true()) {
                    let known = open.get(&next).copied();
                    open.insert(next, known.map_or(here, |known| terms.or(known, here)));
                }
            }
        }
        found
    }

    fn collect_targets(
        &mut self,
        pointer: TermId,
        guard: TermId,
        found: &mut Vec<Pointed>,
    ) -> Result<(), Unresolved> {
        if found.len() > MOST_TARGETS {
            return Err(Unresolved::TooMany);
        }
        if let Some(affine) = self.affine(pointer) {
            found.push(Pointed { guard, offset: Some(Offset::Known(affine)) });
            return Ok(());
        }
        if self.system.terms.as_const(pointer).is_some() {
            found.push(Pointed { guard, offset: None });
            return Ok(());
        }
        let number = self.system.terms.extract(pointer, 63, 32);
        let offset = self.system.terms.extract(pointer, 31, 0);
        let mut numbers = BTreeSet::new();
        self.numbers(number, &mut numbers).ok_or(Unresolved::Unknown)?;
        for candidate in numbers {
            let terms = &mut self.system.terms;
            let constant = terms.word(32, u128::from(candidate));
            let equal = terms.equal(number, constant);
            let guard = terms.and(guard, equal);
            let offset = self.objects.by_number(candidate).map(|object| Offset::Unknown(object, offset));
            found.push(Pointed { guard, offset });
        }
        Ok(())
    }

    /// The object numbers that a term taken from the upper half of a pointer may have; `None` where
    /// they are not known.
    fn numbers(&self, term: TermId, found: &mut BTreeSet<u64>) -> Option<()> {
        let terms = &self.system.terms;
        if let Some(value) = terms.as_const(term) {
            found.insert(value.bits() as u64);
            return Some(());
        }
        match terms.node(term) {
            Term::Ite { then, otherwise, .. } => {
                self.numbers(then, found)?;
                self.numbers(otherwise, found)
            }
            Term::Extract { arg, high: 63, low: 32 } => self.upper_numbers(arg, found),
            _ => None,
        }
    }

    fn upper_numbers(&self, pointer: TermId, found: &mut BTreeSet<u64>) -> Option<()> {
        let terms = &self.system.terms;
        if let Some(value) = terms.as_const(pointer) {
            found.insert((value.bits() >> 32) as u64);
            return Some(());
        }
        match terms.node(pointer) {
            Term::Symbol(symbol) => {
                found.extend(self.known_targets(symbol)?);
                Some(())
            }
            Term::Ite { then, otherwise, .. } => {
                self.upper_numbers(then, found)?;
                self.upper_numbers(otherwise, found)
            }
            Term::Binary { op: BinaryOp::Concat, lhs, .. } if terms.width(lhs) == 32 => {
                self.numbers(lhs, found)
            }
            _ => None,
        }
    }

    /// The object numbers that a pointer may have; `None` where they are not known.
    pub(crate) fn object_numbers(&self, pointer: TermId) -> Option<BTreeSet<u64>> {
        let mut found = BTreeSet::new();
        self.upper_numbers(pointer, &mut found)?;
        Some(found)
    }

    /// The pointer to byte `offset` of an object.
    pub(crate) fn pointer_to(&mut self, object: ObjectId, offset: u32) -> TermId {
        self.system.terms.word(super::layout::POINTER_WIDTH, address(object, offset))
    }
}
