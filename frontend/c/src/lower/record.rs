//! Structs, unions and enumerations.

use super::frame::{Lower, Lowering, Reported};
use super::scope::{Entity, Qualified, Tag};
use super::types::{LayoutError, PlannedField};
use crate::code::Code;
use crate::ir::types::{Enum, IntegerKind, RecordId, Type, TypeId};
use crate::syntax::ast::{
    EnumSpecifier, FieldDeclarator, Member, Name, Position, RecordSpecifier, TypeSpecifier,
};

impl Lowering<'_> {
    pub(super) fn record(&mut self, specifier: &RecordSpecifier, hint: Option<&str>) -> Lower<TypeId> {
        if let Some(name) = &specifier.attribute {
            return Err(self.unsupported_attribute(name));
        }
        let Some(members) = &specifier.members else { return self.record_reference(specifier) };
        let name = specifier.tag.as_ref().map(|tag| tag.text.as_str()).or(hint).unwrap_or("");
        let tagged = match &specifier.tag {
            Some(tag) => Some(self.record_to_define(specifier, &tag.text)?),
            None => None,
        };
        let planned = self.members(members)?;
        let layout = self.linker.types.layout(name, specifier.is_union, &planned, specifier.pack);
        let record = layout.map_err(|error| self.layout_error(error, &planned, specifier.position))?;
        let Some(id) = tagged else {
            let id = self.types().untagged_record(record);
            return Ok(self.types().intern(Type::Record(id)));
        };
        let entry = &mut self.linker.types.table.records[id];
        if entry.fields.is_none() {
            *entry = record;
        } else if *entry != record {
            let message = format!("`{name}` is defined differently in another file, though written alike");
            return Err(self.error(specifier.position, Code::ConflictingTypes, message));
        }
        Ok(self.types().intern(Type::Record(id)))
    }

    fn layout_error(&mut self, error: LayoutError, planned: &[PlannedField], position: Position) -> Reported {
        match error {
            LayoutError::Incomplete(index) => {
                let ty = self.types().name(planned[index].ty);
                let message = format!("the member `{}` has the incomplete type `{ty}`", planned[index].name);
                self.error(position, Code::IncompleteType, message)
            }
            LayoutError::TooLarge => self.error(position, Code::BadLength, "this type is too large"),
            LayoutError::Straddles(index) => {
                let message = format!("the packed bit-field `{}` is not supported", planned[index].name);
                self.error(position, Code::UnsupportedBitField, message)
            }
        }
    }

    /// `struct tag` without members: what is visible, or a new incomplete record.
    fn record_reference(&mut self, specifier: &RecordSpecifier) -> Lower<TypeId> {
        let tag = specifier.tag.as_ref().expect("a record without members should have a tag");
        let visible = self.lookup_tag(&tag.text).or_else(|| self.find_tag_in_configuration(&tag.text));
        match visible {
            Some(Tag::Record(id)) if self.linker.types.table.records[id].is_union == specifier.is_union => {
                Ok(self.types().intern(Type::Record(id)))
            }
            Some(_) => Err(self.wrong_tag(tag)),
            None => {
                let id = self.new_tagged_record(specifier, &tag.text);
                Ok(self.types().intern(Type::Record(id)))
            }
        }
    }

    fn wrong_tag(&mut self, tag: &Name) -> Reported {
        self.error(
            tag.position,
            Code::ConflictingTypes,
            format!("the tag `{}` means something else", tag.text),
        )
    }

    /// The record that a definition completes.
    fn record_to_define(&mut self, specifier: &RecordSpecifier, tag: &str) -> Lower<RecordId> {
        match self.scope().tags.get(tag).copied() {
            Some(Tag::Record(id)) => {
                let record = &self.linker.types.table.records[id];
                let is_redefined = record.fields.is_some() && self.linker.is_defined_in(id, self.unit);
                if record.is_union != specifier.is_union || is_redefined {
                    let message = format!("`{tag}` is defined already");
                    return Err(self.error(specifier.position, Code::ConflictingTypes, message));
                }
                self.linker.mark_defined(id, self.unit);
                Ok(id)
            }
            Some(Tag::Enum(_)) => {
                let message = format!("the tag `{tag}` means something else");
                Err(self.error(specifier.position, Code::ConflictingTypes, message))
            }
            None => {
                let id = self.new_tagged_record(specifier, tag);
                self.linker.mark_defined(id, self.unit);
                Ok(id)
            }
        }
    }

    /// A record for a tag that is new in this scope. At file scope it is shared with files that
    /// define the tag alike.
    fn new_tagged_record(&mut self, specifier: &RecordSpecifier, tag: &str) -> RecordId {
        let id = if self.is_file_scope() {
            let key = (specifier.is_union, tag.to_owned());
            let body = self.tag_bodies.get(&key).cloned();
            self.linker.shared_record(key, body)
        } else {
            self.types().new_record(tag, specifier.is_union)
        };
        self.scope().tags.insert(tag.to_owned(), Tag::Record(id));
        id
    }

    fn members(&mut self, members: &[Member]) -> Lower<Vec<PlannedField>> {
        let mut planned: Vec<PlannedField> = Vec::new();
        for member in members {
            match member {
                Member::StaticAssert(assertion) => self.static_assert(assertion)?,
                Member::Fields { specifiers, declarators } => {
                    let base = self.specifiers(specifiers, None)?;
                    if declarators.is_empty() {
                        let is_unnamed =
                            matches!(&specifiers.ty, TypeSpecifier::Record(record) if record.tag.is_none());
                        if is_unnamed {
                            planned.push(PlannedField {
                                name: String::new(),
                                ty: base.ty,
                                width: None,
                                is_volatile: base.is_volatile,
                            });
                        }
                    }
                    for declarator in declarators {
                        self.refuse_attributes(specifiers, &declarator.declarator, true)?;
                        let field = self.field(base, declarator)?;
                        let is_duplicate =
                            !field.name.is_empty() && planned.iter().any(|other| other.name == field.name);
                        if is_duplicate {
                            let message = format!("there are two members `{}`", field.name);
                            return Err(self.error(
                                declarator.declarator.position,
                                Code::ConflictingTypes,
                                message,
                            ));
                        }
                        planned.push(field);
                    }
                }
            }
        }
        Ok(planned)
    }

    fn field(&mut self, base: Qualified, field: &FieldDeclarator) -> Lower<PlannedField> {
        let position = field.declarator.position;
        let Qualified { ty, is_volatile, .. } = self.declared_type(base, &field.declarator)?;
        if matches!(self.types().get(ty), Type::Function { .. } | Type::Void) {
            return Err(self.error(position, Code::TypeMismatch, "a member cannot have this type"));
        }
        let name = field.declarator.name.as_ref().map_or_else(String::new, |name| name.text.clone());
        let Some(width) = &field.width else {
            return Ok(PlannedField { name, ty, width: None, is_volatile });
        };
        let value = self.integer_constant(width)?;
        let limit = match self.types().kind(ty) {
            Some(kind) => kind.bits(self.types().target),
            None => return Err(self.error(position, Code::TypeMismatch, "a bit-field must be an integer")),
        };
        match u32::try_from(value) {
            Ok(bits) if bits <= limit && (bits > 0 || name.is_empty()) => {
                Ok(PlannedField { name, ty, width: Some(bits), is_volatile })
            }
            _ => Err(self.error(
                width.position,
                Code::BadLength,
                format!("the width of this bit-field is not 1 to {limit}"),
            )),
        }
    }

    // ---- enumerations ----

    pub(super) fn enumeration(&mut self, specifier: &EnumSpecifier, hint: Option<&str>) -> Lower<TypeId> {
        let Some(enumerators) = &specifier.enumerators else {
            let tag = specifier.tag.as_ref().expect("an enumeration without enumerators should have a tag");
            let visible = self.lookup_tag(&tag.text).or_else(|| self.find_tag_in_configuration(&tag.text));
            return match visible {
                Some(Tag::Enum(ty)) => Ok(ty),
                Some(_) => Err(self.wrong_tag(tag)),
                None => {
                    // gcc takes it for a type whose size a later definition gives.
                    let message =
                        format!("the enumeration `{}` is not defined in front of this line", tag.text);
                    let advice = "move its definition there: C knows no enumerations without their values";
                    Err(self.error_with(tag.position, Code::UnknownType, message, advice))
                }
            };
        };
        let mut values: Vec<(String, i128)> = Vec::new();
        for (name, value) in enumerators {
            let value = match value {
                Some(value) => self.integer_constant(value)?,
                None => values.last().map_or(0, |(_, previous)| previous + 1),
            };
            // Later enumerators may use it; its type is settled below.
            let kind =
                if fits(value, IntegerKind::Int, self) { IntegerKind::Int } else { IntegerKind::LongLong };
            let ty = self.types().integer(kind);
            self.declare(&name.text, Entity::Enumerator { value, ty });
            values.push((name.text.clone(), value));
        }
        let Some(underlying) = self.underlying(&values) else {
            return Err(self.error(
                specifier.position,
                Code::BadLiteral,
                "no integer type holds all values of this enumeration",
            ));
        };
        for (name, value) in &values {
            let kind = if fits(*value, IntegerKind::Int, self) { IntegerKind::Int } else { underlying };
            let ty = self.types().integer(kind);
            self.declare(name, Entity::Enumerator { value: *value, ty });
        }
        let tag = specifier.tag.as_ref();
        let name = tag.map(|tag| tag.text.as_str()).or(hint).unwrap_or("").to_owned();
        let ty = self.types().enumeration(Enum { name, underlying, enumerators: values });
        if let Some(tag) = tag {
            self.scope().tags.insert(tag.text.clone(), Tag::Enum(ty));
        }
        Ok(ty)
    }

    /// gcc's choice of the compatible type.
    fn underlying(&mut self, values: &[(String, i128)]) -> Option<IntegerKind> {
        use IntegerKind::*;
        let is_signed = values.iter().any(|(_, value)| *value < 0);
        let kinds =
            if is_signed { [Int, Long, LongLong] } else { [UnsignedInt, UnsignedLong, UnsignedLongLong] };
        kinds.into_iter().find(|kind| values.iter().all(|(_, value)| fits(*value, *kind, self)))
    }
}

fn fits(value: i128, kind: IntegerKind, lowering: &Lowering) -> bool {
    let (low, high) = kind.range(lowering.linker.types.target);
    (low..=high).contains(&value)
}
