//! How the bits of a type divide into cells: the units in which memory is kept.
//!
//! Memory is addressed by bits, counted from the least significant bit of the first byte, which
//! makes members, bit-fields and bytes of a wider number the same kind of thing (all targets are
//! little endian). A type is divided into disjoint *cells*, one for each scalar that lies in it.
//! Where members of a union overlap, the cells are the pieces between all their borders. `_Bool` is
//! a cell of one bit; its other seven bits, like all padding, are no memory: they read as zero and
//! are lost when written.

use crate::ir::target::{Target, TypeSizes};
use crate::ir::types::{BitField, Field, IntegerKind, Record, RecordId, Type, TypeId, TypeTable};
use model::sort::{FloatFormat, Sort};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Width of pointer values, whatever the target's pointers take: object number in the upper half,
/// byte offset in the lower.
pub(crate) const POINTER_WIDTH: u32 = 64;

/// Most cells of one object.
const MOST_CELLS: usize = 4_000_000;

/// What kind of scalar a cell or an access is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// An integer or enumeration.
    Word,
    /// A floating-point number.
    Float(FloatFormat),
    /// A pointer: its value has [`POINTER_WIDTH`] bits, its extent in memory is the target's.
    Pointer,
}

/// A scalar in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Scalar {
    /// Bits in memory.
    pub(crate) extent: u32,
    /// What the bits mean.
    pub(crate) kind: Kind,
    /// Whether the number is signed.
    pub(crate) signed: bool,
}

impl Scalar {
    /// Sort of its values.
    pub(crate) fn sort(self) -> Sort {
        match self.kind {
            Kind::Word => Sort::word(self.extent),
            Kind::Float(format) => Sort::Float(format),
            Kind::Pointer => Sort::word(POINTER_WIDTH),
        }
    }
}

/// A cell of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    /// First bit in the type.
    pub(crate) bit: u64,
    /// The scalar.
    pub(crate) scalar: Scalar,
    /// Its C type; for a piece of overlapping members, of one that covers it.
    pub(crate) ty: TypeId,
}

impl Cell {
    /// First bit behind the cell.
    pub(crate) fn end(&self) -> u64 {
        self.bit + u64::from(self.scalar.extent)
    }
}

/// The cells of a type by ascending bit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The cells.
    pub(crate) cells: Vec<Cell>,
}

impl Layout {
    /// Index of the first cell that ends behind `bit`.
    pub(crate) fn first_behind(&self, bit: u64) -> usize {
        self.cells.partition_point(|cell| cell.end() <= bit)
    }
}

/// Why a type has no layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoLayout {
    /// The type is incomplete.
    Incomplete,
    /// The type has too many scalars.
    TooLarge,
}

/// Types with their layouts, computed once each.
#[derive(Clone)]
pub(crate) struct Layouts<'p> {
    types: &'p TypeTable,
    target: Target,
    known: FxHashMap<TypeId, Rc<Layout>>,
}

impl<'p> Layouts<'p> {
    /// No layouts yet.
    pub(crate) fn new(types: &'p TypeTable, target: Target) -> Self {
        Self { types, target, known: FxHashMap::default() }
    }

    /// What a type id stands for.
    pub(crate) fn type_of(&self, ty: TypeId) -> &'p Type {
        &self.types.types[ty]
    }

    /// The cells of a type.
    pub(crate) fn layout(&mut self, ty: TypeId) -> Result<Rc<Layout>, NoLayout> {
        if let Some(layout) = self.known.get(&ty) {
            return Ok(layout.clone());
        }
        let mut cells = Vec::new();
        match self.type_of(ty) {
            Type::Array { element, length } => {
                let part = self.layout(*element)?;
                let size = self.size(*element).ok_or(NoLayout::Incomplete)? * 8;
                let length = length.unwrap_or(0);
                if length.saturating_mul(part.cells.len() as u64) > MOST_CELLS as u64 {
                    return Err(NoLayout::TooLarge);
                }
                for index in 0..length {
                    append(&mut cells, &part, index * size);
                }
            }
            Type::Record(record) => {
                let record = &self.types.records[*record];
                self.record_cells(record, &mut cells)?;
            }
            _ => {
                let scalar = self.scalar(ty, None).ok_or(NoLayout::Incomplete)?;
                cells.push(Cell { bit: 0, scalar, ty });
            }
        }
        if cells.len() > MOST_CELLS {
            return Err(NoLayout::TooLarge);
        }
        let layout = Rc::new(Layout { cells });
        self.known.insert(ty, layout.clone());
        Ok(layout)
    }

    fn record_cells(&mut self, record: &Record, cells: &mut Vec<Cell>) -> Result<(), NoLayout> {
        for field in record.fields.as_ref().ok_or(NoLayout::Incomplete)? {
            let start = field.offset * 8;
            match field.bits {
                Some(bits) if bits.width == 0 => {}
                Some(bits) => {
                    let scalar = self.scalar(field.ty, Some(bits)).ok_or(NoLayout::Incomplete)?;
                    cells.push(Cell { bit: start + u64::from(bits.low), scalar, ty: field.ty });
                }
                None => append(cells, &*self.layout(field.ty)?, start),
            }
        }
        if record.is_union {
            *cells = pieces(cells, self.types);
        }
        cells.sort_by_key(|cell| cell.bit);
        Ok(())
    }

    /// How a scalar of the given type, or a bit-field of it, lies in memory; `None` for other
    /// types.
    pub(crate) fn scalar(&self, ty: TypeId, bits: Option<BitField>) -> Option<Scalar> {
        let scalar = match self.type_of(ty) {
            Type::Integer(kind) | Type::Boolean { kind, .. } => self.integer(*kind),
            Type::Enum(id) => self.integer(self.types.enums[*id].underlying),
            Type::Float(format) => {
                Scalar { extent: format.width(), kind: Kind::Float(*format), signed: true }
            }
            Type::Pointer(_) => Scalar { extent: self.pointer_extent(), kind: Kind::Pointer, signed: false },
            _ => return None,
        };
        Some(bits.map_or(scalar, |bits| Scalar { extent: bits.width, ..scalar }))
    }

    /// Bits that a pointer takes in memory.
    pub(crate) fn pointer_extent(&self) -> u32 {
        self.target.pointer_size() * 8
    }

    fn integer(&self, kind: IntegerKind) -> Scalar {
        Scalar { extent: kind.bits(self.target), kind: Kind::Word, signed: kind.is_signed() }
    }

    /// Size of a type in bytes; `None` where it is incomplete or a function.
    pub(crate) fn size(&self, ty: TypeId) -> Option<u64> {
        self.types.size(ty, self.target)
    }

    /// Distance in bytes of array elements of the type; GNU C's 1 for `void` and functions.
    pub(crate) fn stride(&self, ty: TypeId) -> Option<u64> {
        match self.type_of(ty) {
            Type::Void | Type::Function { .. } => Some(1),
            _ => self.size(ty),
        }
    }

    /// How C reaches the scalar of `extent` bits at `bit` of an object of type `ty`: `.member[2]`,
    /// empty for the object itself. Bits that no member is (bits without a name, pieces where
    /// members of a union overlap) are those of the smallest object around them that has an
    /// address: `.member{8..15}`.
    pub(crate) fn way(&self, ty: TypeId, bit: u64, extent: u32) -> String {
        self.named_way(ty, bit, extent).unwrap_or_else(|| format!("{{{}}}", bits_text(bit, extent)))
    }

    /// As [`way`](Self::way); `None` for bits that no member names.
    pub(crate) fn named_way(&self, ty: TypeId, bit: u64, extent: u32) -> Option<String> {
        self.exact_way(ty, bit, extent).or_else(|| self.covering_way(ty, bit, extent))
    }

    fn exact_way(&self, ty: TypeId, bit: u64, extent: u32) -> Option<String> {
        match self.type_of(ty) {
            Type::Array { element, .. } => {
                let size = self.size(*element).filter(|&size| size > 0)? * 8;
                let rest = self.exact_way(*element, bit % size, extent)?;
                Some(format!("[{}]{rest}", bit / size))
            }
            Type::Record(record) => self.fields(*record).iter().find_map(|field| {
                let (low, size) = self.field_bits(field);
                if bit < low || low + size <= bit || field.is_padding() {
                    return None;
                }
                let rest = match field.bits {
                    Some(_) => (bit == low && size == u64::from(extent)).then(String::new)?,
                    None => self.exact_way(field.ty, bit - low, extent)?,
                };
                Some(if field.name.is_empty() { rest } else { format!(".{}{rest}", field.name) })
            }),
            _ => self
                .scalar(ty, None)
                .filter(|scalar| bit == 0 && scalar.extent == extent)
                .map(|_| String::new()),
        }
    }

    /// Bits are numbered from the start of the smallest object around them that has an address;
    /// `None` for those that no member holds.
    fn covering_way(&self, ty: TypeId, bit: u64, extent: u32) -> Option<String> {
        let bits = || format!("{{{}}}", bits_text(bit, extent));
        match self.type_of(ty) {
            Type::Array { element, .. } => {
                let size = self.size(*element).unwrap_or(1).max(1) * 8;
                let rest = self.covering_way(*element, bit % size, extent)?;
                Some(format!("[{}]{rest}", bit / size))
            }
            Type::Record(record) => self.fields(*record).iter().find_map(|field| {
                let (low, size) = self.field_bits(field);
                if bit < low || low + size <= bit || field.is_padding() {
                    return None;
                }
                if field.bits.is_some() {
                    return Some(bits());
                }
                let rest = self.covering_way(field.ty, bit - low, extent)?;
                Some(match (field.name.is_empty(), rest.starts_with('{')) {
                    (true, true) => bits(),
                    (true, false) => rest,
                    (false, _) => format!(".{}{rest}", field.name),
                })
            }),
            _ => Some(bits()),
        }
    }

    fn fields(&self, record: RecordId) -> &'p [Field] {
        self.types.records[record].fields.as_deref().unwrap_or(&[])
    }

    /// First bit of a member and its number of bits.
    fn field_bits(&self, field: &Field) -> (u64, u64) {
        match field.bits {
            Some(bits) => (field.offset * 8 + u64::from(bits.low), u64::from(bits.width)),
            None => (field.offset * 8, self.size(field.ty).unwrap_or(0) * 8),
        }
    }

    /// Byte offsets at which a subobject of type `part` stands in an object of type `whole`,
    /// ascending.
    pub(crate) fn occurrences(&self, whole: TypeId, part: TypeId) -> Vec<u64> {
        let mut found = BTreeSet::new();
        self.collect_occurrences(whole, part, 0, &mut found);
        found.into_iter().collect()
    }

    fn collect_occurrences(&self, whole: TypeId, part: TypeId, start: u64, found: &mut BTreeSet<u64>) {
        if whole == part || self.alike(whole, part) {
            found.insert(start);
        }
        match self.type_of(whole) {
            Type::Array { element, length } => {
                let size = self.size(*element).unwrap_or(0);
                for index in 0..length.unwrap_or(0) {
                    self.collect_occurrences(*element, part, start + index * size, found);
                }
            }
            Type::Record(record) => {
                for field in self.types.records[*record].fields.iter().flatten() {
                    if field.bits.is_none() {
                        self.collect_occurrences(field.ty, part, start + field.offset, found);
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether both are scalar types that lie in memory alike but for their sign; pointers of the
    /// same depth, or to anything.
    fn alike(&self, left: TypeId, right: TypeId) -> bool {
        if let (&Type::Pointer(left), &Type::Pointer(right)) = (self.type_of(left), self.type_of(right)) {
            let is_pointer = |ty: TypeId| matches!(self.type_of(ty), Type::Pointer(_));
            let is_anything = |ty: TypeId| self.size(ty).is_none_or(|size| size == 1);
            return match (is_pointer(left), is_pointer(right)) {
                (true, true) => self.alike(left, right),
                (false, false) => true,
                (true, false) => is_anything(right),
                (false, true) => is_anything(left),
            };
        }
        match (self.scalar(left, None), self.scalar(right, None)) {
            (Some(left), Some(right)) => left.extent == right.extent && left.kind == right.kind,
            _ => false,
        }
    }

    /// The array around byte `offset` of an object of type `whole` whose elements have `stride`
    /// bytes: its first byte and its size. Of nested arrays the outermost one whose elements,
    /// flattened, have that size, or with `strictly` the innermost.
    pub(crate) fn array_around(
        &self,
        whole: TypeId,
        offset: u64,
        stride: u64,
        strictly: bool,
    ) -> Option<(u64, u64)> {
        let (mut ty, mut start, mut found) = (whole, 0, None);
        let mut inside = false;
        loop {
            match self.type_of(ty) {
                Type::Array { element, length } => {
                    let size = self.size(*element).filter(|&size| size > 0)?;
                    let whole_size = size * length.unwrap_or(0);
                    let flat = self.flat_element_size(*element);
                    if (size == stride || (flat == stride && !strictly)) && (strictly || !inside) {
                        found = Some((start, whole_size));
                        inside = true;
                    }
                    let index = ((offset - start) / size).min(length.unwrap_or(0).saturating_sub(1));
                    (ty, start) = (*element, start + index * size);
                }
                Type::Record(record) => {
                    inside = false;
                    let fields = self.types.records[*record].fields.as_deref().unwrap_or(&[]);
                    let Some(field) = fields.iter().find(|field| {
                        let low = start + field.offset;
                        low <= offset && offset < low + self.size(field.ty).unwrap_or(0)
                    }) else {
                        return found;
                    };
                    (ty, start) = (field.ty, start + field.offset);
                }
                _ => return found,
            }
        }
    }

    fn flat_element_size(&self, ty: TypeId) -> u64 {
        match self.type_of(ty) {
            Type::Array { element, .. } => self.flat_element_size(*element),
            _ => self.size(ty).unwrap_or(0),
        }
    }
}

fn append(cells: &mut Vec<Cell>, part: &Layout, start: u64) {
    cells.extend(part.cells.iter().map(|cell| Cell { bit: cell.bit + start, ..*cell }));
}

/// Divides overlapping cells at all their borders.
fn pieces(cells: &[Cell], types: &TypeTable) -> Vec<Cell> {
    let borders: BTreeSet<u64> = cells.iter().flat_map(|cell| [cell.bit, cell.end()]).collect();
    let borders: Vec<u64> = borders.into_iter().collect();
    let mut starts: Vec<Vec<&Cell>> = vec![Vec::new(); borders.len()];
    for cell in cells {
        let first = borders.partition_point(|&border| border < cell.bit);
        let last = borders.partition_point(|&border| border < cell.end());
        for covering in &mut starts[first..last] {
            covering.push(cell);
        }
    }
    let mut found = Vec::new();
    for (position, covering) in starts.iter().enumerate() {
        let Some(first) = covering.first() else { continue };
        let (bit, end) = (borders[position], borders[position + 1]);
        let whole = |cell: &&&Cell| cell.bit == bit && cell.end() == end;
        let kinds: Vec<Kind> = covering.iter().filter(whole).map(|cell| cell.scalar.kind).collect();
        let same = kinds.len() == covering.len() && kinds.iter().all(|&kind| kind == kinds[0]);
        let is_pointer = kinds.len() == covering.len() && kinds.contains(&Kind::Pointer);
        let kind = match (is_pointer, same) {
            (true, _) => Kind::Pointer,
            (_, true) => kinds[0],
            _ => Kind::Word,
        };
        // Truth values that are numbers as well are numbers.
        let is_number = |cell: &&&Cell| whole(cell) && types.boolean_name(cell.ty).is_none();
        let named = covering.iter().find(is_number).or_else(|| covering.iter().find(whole)).unwrap_or(first);
        let scalar = Scalar { extent: (end - bit) as u32, kind, signed: named.scalar.signed };
        found.push(Cell { bit, scalar, ty: named.ty });
    }
    found
}

/// The numbers of some bits of a scalar.
fn bits_text(first: u64, extent: u32) -> String {
    match extent {
        0 | 1 => first.to_string(),
        _ => format!("{first}..{}", first + u64::from(extent) - 1),
    }
}
