//! Designators in initialisers: `.member`, `[index]`, `[first ... last]`, and how the entries
//! behind one go on.

use super::frame::{Lower, Lowering};
use super::spread::{Cursor, MAX_PARTS, Parts};
use crate::code::Code;
use crate::ir::stmt::{Place, Projection};
use crate::ir::types::{RecordId, Type};
use crate::syntax::ast::{Designator, Expression, Position};

impl Lowering<'_> {
    /// One entry with a designation; returns the index behind it at this level.
    pub(super) fn spread_designated<'e>(
        &mut self,
        place: &Place,
        designators: &'e [Designator],
        cursor: &mut Cursor<'e>,
        parts: &mut Parts<'e>,
    ) -> Lower<u64> {
        let (first, last, path, position) = self.designated(place, &designators[0])?;
        if last - first >= MAX_PARTS as u64 {
            return Err(self.error(position, Code::UnsupportedInitialiser, "this range is too long"));
        }
        let entry = cursor.next;
        for index in first..=last {
            cursor.next = entry;
            let Some(child) = self.child(place, index) else {
                return Err(self.error(position, Code::ExcessInitialiser, "there is no such element"));
            };
            self.choose_member(place, index, parts);
            // Unnamed members on the way; behind the designated one, values go on inside of them.
            let mut levels = vec![(child, 0)];
            for (record, field) in &path {
                let (level, next) = levels.last_mut().expect("there should be a level");
                *next = *field as u64 + 1;
                let mut inner = level.clone();
                self.step_into(&mut inner, *record, *field);
                let outer = level.clone();
                self.choose_member(&outer, *field as u64, parts);
                levels.push((inner, 0));
            }
            let (child, _) = levels.pop().expect("there should be a level");
            if designators.len() > 1 {
                let behind = self.spread_designated(&child, &designators[1..], cursor, parts)?;
                self.spread_aggregate(&child, cursor, false, behind, parts)?;
            } else {
                self.spread_element(&child, cursor, parts)?;
            }
            for (level, next) in levels.into_iter().rev() {
                self.spread_aggregate(&level, cursor, false, next, parts)?;
            }
        }
        self.note_length(place, last + 1, parts);
        Ok(last + 1)
    }

    /// Of a union, only the member counts that is designated last.
    fn choose_member(&mut self, place: &Place, member: u64, parts: &mut Parts) {
        let record = self.linker.types.record(place.ty);
        if record.is_some_and(|record| self.linker.types.table.records[record].is_union) {
            parts.choose(place, member);
        }
    }

    /// What a designator means: first and last index at this level, and the way on through unnamed
    /// members.
    #[allow(clippy::type_complexity)]
    fn designated(
        &mut self,
        place: &Place,
        designator: &Designator,
    ) -> Lower<(u64, u64, Vec<(RecordId, usize)>, Position)> {
        match designator {
            Designator::Field(name) => {
                let mut probe = Place { path: Vec::new(), ..place.clone() };
                self.project(&mut probe, name)?;
                let indices: Vec<usize> = probe
                    .path
                    .iter()
                    .filter_map(|projection| match projection {
                        Projection::Field { index, .. } => Some(*index),
                        Projection::Index { .. } => None,
                    })
                    .collect();
                let mut path = Vec::new();
                let mut ty = place.ty;
                for &index in &indices {
                    let record = self.linker.types.record(ty).expect("a member should be of a record");
                    path.push((record, index));
                    let fields = self.linker.types.table.records[record].fields.as_deref();
                    ty = fields.expect("a record with a member should be complete")[index].ty;
                }
                Ok((indices[0] as u64, indices[0] as u64, path.split_off(1), name.position))
            }
            Designator::Index(index) => {
                let value = self.designated_index(place, index)?;
                Ok((value, value, Vec::new(), index.position))
            }
            Designator::Range(first, last) => {
                let (low, high) = (self.designated_index(place, first)?, self.designated_index(place, last)?);
                if low > high {
                    return Err(self.error(first.position, Code::ExcessInitialiser, "this range is empty"));
                }
                Ok((low, high, Vec::new(), first.position))
            }
        }
    }

    fn designated_index(&mut self, place: &Place, index: &Expression) -> Lower<u64> {
        let value = self.integer_constant(index)?;
        let Type::Array { length, .. } = *self.types().get(place.ty) else {
            return Err(self.error(
                index.position,
                Code::TypeMismatch,
                "an index designates an element of an array",
            ));
        };
        let limit = length.unwrap_or(MAX_PARTS as u64);
        match u64::try_from(value).ok().filter(|value| *value < limit) {
            Some(value) => Ok(value),
            None => Err(self.error(index.position, Code::ExcessInitialiser, "there is no such element")),
        }
    }
}
