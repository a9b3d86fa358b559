//! Interning, layout and compatibility of types.

use crate::ir::target::{Target, TypeSizes};
use crate::ir::types::{
    BitField, Enum, EnumId, Field, IntegerKind, Record, RecordId, Type, TypeId, TypeTable, means_boolean,
};
use model::sort::FloatFormat;
use rustc_hash::{FxHashMap, FxHashSet};

/// Builds the [`TypeTable`]: equal types get equal ids.
#[derive(Default)]
pub(super) struct Types {
    pub(super) table: TypeTable,
    pub(super) target: Target,
    interned: FxHashMap<Type, TypeId>,
    /// Records without tag and enumerations, by everything that makes them what they are.
    untagged: FxHashMap<String, RecordId>,
    enums: FxHashMap<String, EnumId>,
}

/// A member before layout.
pub(super) struct PlannedField {
    pub(super) name: String,
    pub(super) ty: TypeId,
    /// For a bit-field: its number of bits.
    pub(super) width: Option<u32>,
    pub(super) is_volatile: bool,
}

/// Alignment limit of a record: 0 is `packed`, which also packs bits.
pub(super) type Pack = Option<u32>;

/// Why a record has no layout.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LayoutError {
    /// A member of incomplete type (by index).
    Incomplete(usize),
    /// The record has more bytes than can be addressed.
    TooLarge,
    /// A packed bit-field that no storage unit of its type can hold.
    Straddles(usize),
}

/// Largest object: half the address space of the larger targets.
const MAX_SIZE: u64 = 1 << 31;

impl Types {
    pub(super) fn new(target: Target) -> Self {
        let mut types = Self { target, ..Self::default() };
        // Whether a function was called is told by one, whatever types the program has.
        types.integer(IntegerKind::Bool);
        types
    }
    pub(super) fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.interned.get(&ty) {
            return id;
        }
        let id = self.table.types.push(ty.clone());
        self.interned.insert(ty, id);
        id
    }
    pub(super) fn get(&self, ty: TypeId) -> &Type {
        &self.table.types[ty]
    }
    pub(super) fn void(&mut self) -> TypeId {
        self.intern(Type::Void)
    }
    pub(super) fn integer(&mut self, kind: IntegerKind) -> TypeId {
        self.intern(Type::Integer(kind))
    }
    /// The type that a typedef name stands for: an integer type whose name says that it holds truth
    /// values is marked so.
    pub(super) fn under_name(&mut self, ty: TypeId, name: &str) -> TypeId {
        match *self.get(ty) {
            Type::Integer(kind) if kind != IntegerKind::Bool && means_boolean(name) => {
                self.intern(Type::Boolean { kind, name: name.to_owned() })
            }
            _ => ty,
        }
    }
    pub(super) fn int(&mut self) -> TypeId {
        self.integer(IntegerKind::Int)
    }
    pub(super) fn float(&mut self, format: FloatFormat) -> TypeId {
        self.intern(Type::Float(format))
    }
    pub(super) fn pointer(&mut self, to: TypeId) -> TypeId {
        self.intern(Type::Pointer(to))
    }
    pub(super) fn array(&mut self, element: TypeId, length: Option<u64>) -> TypeId {
        self.intern(Type::Array { element, length })
    }
    /// The unsigned type of `sizeof`.
    pub(super) fn size_kind(&self) -> IntegerKind {
        self.pointer_sized().to_unsigned()
    }
    /// The signed integer type of pointer width: `ptrdiff_t`.
    pub(super) fn pointer_sized(&self) -> IntegerKind {
        let size = self.target.pointer_size();
        if self.target.integer_size(IntegerKind::Int) == size { IntegerKind::Int } else { IntegerKind::Long }
    }
    pub(super) fn size(&self, ty: TypeId) -> Option<u64> {
        self.table.size(ty, self.target)
    }
    pub(super) fn alignment(&self, ty: TypeId) -> u32 {
        self.table.alignment(ty, self.target)
    }
    pub(super) fn name(&self, ty: TypeId) -> String {
        self.table.name(ty)
    }
    pub(super) fn kind(&self, ty: TypeId) -> Option<IntegerKind> {
        self.table.integer_kind(ty)
    }
    pub(super) fn format(&self, ty: TypeId) -> Option<FloatFormat> {
        match self.get(ty) {
            Type::Float(format) => Some(*format),
            _ => None,
        }
    }
    pub(super) fn pointee(&self, ty: TypeId) -> Option<TypeId> {
        match self.get(ty) {
            Type::Pointer(to) => Some(*to),
            _ => None,
        }
    }
    pub(super) fn record(&self, ty: TypeId) -> Option<RecordId> {
        match self.get(ty) {
            Type::Record(id) => Some(*id),
            _ => None,
        }
    }
    pub(super) fn is_arithmetic(&self, ty: TypeId) -> bool {
        self.kind(ty).is_some() || self.format(ty).is_some()
    }
    pub(super) fn is_void(&self, ty: TypeId) -> bool {
        matches!(self.get(ty), Type::Void)
    }

    // ---- conversions ----

    /// The type of an integer type after promotion.
    pub(super) fn promoted(&self, kind: IntegerKind) -> IntegerKind {
        use IntegerKind::*;
        match kind {
            Bool | Char | SignedChar | UnsignedChar | Short => Int,
            UnsignedShort if self.target.integer_size(Int) > self.target.integer_size(UnsignedShort) => Int,
            UnsignedShort => UnsignedInt,
            other => other,
        }
    }

    /// The common type of two promoted integer types (C11 6.3.1.8).
    pub(super) fn common_integer(&self, left: IntegerKind, right: IntegerKind) -> IntegerKind {
        use IntegerKind::{Exact, UnsignedExact};
        if let (Exact(_) | UnsignedExact(_), _) | (_, Exact(_) | UnsignedExact(_)) = (left, right) {
            // gcc: the wider one, of two that are equally wide the one without sign.
            let width = |kind: IntegerKind| (kind.bits(self.target), !kind.is_signed());
            return if width(left) >= width(right) { left } else { right };
        }
        let rank = |kind: IntegerKind| kind.to_unsigned();
        if left.is_signed() == right.is_signed() {
            return if rank(left) >= rank(right) { left } else { right };
        }
        let (signed, unsigned) = if left.is_signed() { (left, right) } else { (right, left) };
        if unsigned >= signed.to_unsigned() {
            unsigned
        } else if signed.bits(self.target) > unsigned.bits(self.target) {
            signed
        } else {
            signed.to_unsigned()
        }
    }

    // ---- records ----

    /// An incomplete record.
    pub(super) fn new_record(&mut self, name: &str, is_union: bool) -> RecordId {
        let name = name.to_owned();
        self.table.records.push(Record { name, is_union, fields: None, size: 0, alignment: 1 })
    }

    /// A record without tag; one with the same name and members is the same.
    pub(super) fn untagged_record(&mut self, record: Record) -> RecordId {
        let key = format!("{record:?}");
        let table = &mut self.table;
        *self.untagged.entry(key).or_insert_with(|| table.records.push(record))
    }

    /// An enumeration; one with the same name and enumerators is the same.
    pub(super) fn enumeration(&mut self, enumeration: Enum) -> TypeId {
        let key = format!("{enumeration:?}");
        let table = &mut self.table;
        let id = *self.enums.entry(key).or_insert_with(|| table.enums.push(enumeration));
        self.intern(Type::Enum(id))
    }

    /// Lays out members as gcc does for the target.
    pub(super) fn layout(
        &self,
        name: &str,
        is_union: bool,
        planned: &[PlannedField],
        pack: Pack,
    ) -> Result<Record, LayoutError> {
        let mut layout = Layout { types: self, is_union, pack, bits: 0, size: 0, alignment: 1 };
        let mut fields = Vec::with_capacity(planned.len());
        for (index, field) in planned.iter().enumerate() {
            let is_last = index + 1 == planned.len();
            fields.extend(layout.place(field, index, is_last)?);
        }
        let size = layout.size.max(layout.bits.div_ceil(8)).next_multiple_of(u64::from(layout.alignment));
        if size > MAX_SIZE {
            return Err(LayoutError::TooLarge);
        }
        Ok(Record {
            name: name.to_owned(),
            is_union,
            fields: Some(fields),
            size,
            alignment: layout.alignment,
        })
    }

    // ---- compatibility ----

    /// Whether declarations with these types may speak of the same object or function.
    pub(super) fn compatible(&self, left: TypeId, right: TypeId) -> bool {
        self.compatible_within(left, right, &mut FxHashSet::default())
    }

    /// The type that two compatible declarations give an object together (C11 6.2.7):
    /// either may tell the length of an array.
    pub(super) fn composite(&mut self, left: TypeId, right: TypeId) -> TypeId {
        let (Type::Array { element: first, length }, Type::Array { element: second, length: other }) =
            (self.get(left).clone(), self.get(right).clone())
        else {
            return if self.size(left).is_none() { right } else { left };
        };
        let element = self.composite(first, second);
        self.array(element, length.or(other))
    }

    /// The type of the memory of an object whose initialiser gives its flexible array
    /// member so many elements; none for other types.
    pub(super) fn with_flexible(&mut self, ty: TypeId, length: u64) -> Option<TypeId> {
        let mut record = self.table.records[self.record(ty)?].clone();
        let last = record.fields.as_mut()?.last_mut()?;
        let Type::Array { element, length: None } = *self.get(last.ty) else { return None };
        last.ty = self.array(element, Some(length));
        record.size = record.size.max(last.offset + length * self.size(element)?);
        let id = self.table.records.push(record);
        Some(self.intern(Type::Record(id)))
    }

    /// `assumed` holds pairs of records under comparison: they are compatible unless a difference
    /// is found elsewhere.
    fn compatible_within(
        &self,
        left: TypeId,
        right: TypeId,
        assumed: &mut FxHashSet<(RecordId, RecordId)>,
    ) -> bool {
        if left == right {
            return true;
        }
        match (self.get(left), self.get(right)) {
            (Type::Pointer(left), Type::Pointer(right)) => self.compatible_within(*left, *right, assumed),
            (
                Type::Array { element: left, length: first },
                Type::Array { element: right, length: second },
            ) => {
                (first == second || first.is_none() || second.is_none())
                    && self.compatible_within(*left, *right, assumed)
            }
            (Type::Enum(left), Type::Enum(right)) => {
                let (left, right) = (&self.table.enums[*left], &self.table.enums[*right]);
                left.underlying == right.underlying && left.enumerators == right.enumerators
            }
            (Type::Record(left), Type::Record(right)) => self.compatible_records(*left, *right, assumed),
            (Type::Function { .. }, Type::Function { .. }) => self.compatible_functions(left, right, assumed),
            // An enumeration is compatible with its integer type; two of them by what they
            // enumerate, above.
            _ => self.kind(left).is_some() && self.kind(left) == self.kind(right),
        }
    }

    fn compatible_records(
        &self,
        left: RecordId,
        right: RecordId,
        assumed: &mut FxHashSet<(RecordId, RecordId)>,
    ) -> bool {
        if !assumed.insert((left, right)) {
            return true;
        }
        let (left, right) = (&self.table.records[left], &self.table.records[right]);
        if left.is_union != right.is_union || left.name != right.name {
            return false;
        }
        let (Some(first), Some(second)) = (&left.fields, &right.fields) else { return true };
        left.size == right.size
            && first.len() == second.len()
            && first.iter().zip(second).all(|(first, second)| {
                (&first.name, first.offset, first.bits) == (&second.name, second.offset, second.bits)
                    && self.compatible_within(first.ty, second.ty, assumed)
            })
    }

    fn compatible_functions(
        &self,
        left: TypeId,
        right: TypeId,
        assumed: &mut FxHashSet<(RecordId, RecordId)>,
    ) -> bool {
        let (
            Type::Function { result: left, parameters: first, is_variadic: left_variadic },
            Type::Function { result: right, parameters: second, is_variadic: right_variadic },
        ) = (self.get(left), self.get(right))
        else {
            return false;
        };
        let is_unspecified = first.is_empty() && *left_variadic || second.is_empty() && *right_variadic;
        self.compatible_within(*left, *right, assumed)
            && (is_unspecified
                || left_variadic == right_variadic
                    && first.len() == second.len()
                    && first
                        .iter()
                        .zip(second)
                        .all(|(first, second)| self.compatible_within(*first, *second, assumed)))
    }
}

/// A layout in progress.
struct Layout<'a> {
    types: &'a Types,
    is_union: bool,
    pack: Pack,
    /// First free bit (struct only).
    bits: u64,
    size: u64,
    alignment: u32,
}

impl Layout<'_> {
    fn limited(&self, alignment: u32) -> u32 {
        self.pack.map_or(alignment, |limit| alignment.min(limit.max(1)))
    }

    /// Places a member; `None` for unnamed bit-fields.
    fn place(
        &mut self,
        field: &PlannedField,
        index: usize,
        is_last: bool,
    ) -> Result<Option<Field>, LayoutError> {
        let alignment = self.limited(self.types.alignment(field.ty));
        let size = match (self.types.size(field.ty), self.types.get(field.ty)) {
            (Some(size), _) => size,
            (None, Type::Array { length: None, .. }) if is_last && !self.is_union => 0,
            _ => return Err(LayoutError::Incomplete(index)),
        };
        if size > MAX_SIZE || self.bits > 8 * MAX_SIZE {
            return Err(LayoutError::TooLarge);
        }
        if let Some(width) = field.width {
            return self.bit_field(field, width, size, alignment).ok_or(LayoutError::Straddles(index));
        }
        self.alignment = self.alignment.max(alignment);
        let start = self.bits.div_ceil(8).next_multiple_of(u64::from(alignment));
        if self.is_union {
            self.size = self.size.max(size);
        } else {
            self.bits = 8 * (start + size);
        }
        Ok(Some(Field {
            name: field.name.clone(),
            ty: field.ty,
            offset: start,
            bits: None,
            is_volatile: field.is_volatile,
        }))
    }

    /// gcc's rule (`PCC_BITFIELD_TYPE_MATTERS`): a field may not cross more aligned units of its
    /// type than the type has; in packed records, and under `#pragma pack`, it may.
    fn bit_field(
        &mut self,
        field: &PlannedField,
        width: u32,
        size: u64,
        alignment: u32,
    ) -> Option<Option<Field>> {
        let unit = 8 * u64::from(alignment);
        if width == 0 {
            let natural = 8 * u64::from(self.types.alignment(field.ty));
            self.bits = self.bits.next_multiple_of(natural);
            return Some(None);
        }
        let crosses = (self.bits % unit + u64::from(width)).div_ceil(unit) > 8 * size / unit;
        if crosses && self.pack.is_none() {
            self.bits = self.bits.next_multiple_of(unit);
        }
        let mut offset = self.bits / unit * u64::from(alignment);
        if self.bits - 8 * offset + u64::from(width) > 8 * size {
            offset = self.bits / 8;
        }
        let low = self.bits - 8 * offset;
        if low + u64::from(width) > 8 * size {
            return None;
        }
        if self.is_union {
            self.size = self.size.max(u64::from(width).div_ceil(8));
        } else {
            self.bits += u64::from(width);
        }
        if field.name.is_empty() {
            return Some(None);
        }
        self.alignment = self.alignment.max(alignment);
        let bits = Some(BitField { low: low as u32, width });
        Some(Some(Field {
            name: field.name.clone(),
            ty: field.ty,
            offset,
            bits,
            is_volatile: field.is_volatile,
        }))
    }
}
