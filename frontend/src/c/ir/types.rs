//! Types with their layout.

use model::define_id;
use model::id::IdVec;
use model::sort::FloatFormat;

define_id!(
    /// A type; equal types have equal ids. Structs and unions of several units that agree in tag, members and layout are
    /// one type.
    TypeId, "T"
);
define_id!(
    /// A struct or union.
    RecordId, "R"
);
define_id!(
    /// An enumeration.
    EnumId, "E"
);

/// C's integer types. Qualifiers and typedef names are gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // the names say it
pub enum IntegerKind {
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// No value.
    Void,
    /// An integer type, `_Bool` included.
    Integer(IntegerKind),
    /// An enumeration; its values are those of the compatible integer type.
    Enum(EnumId),
    /// `float` or `double`.
    Float(FloatFormat),
    /// A pointer.
    Pointer(TypeId),
    /// An array; `None`: of unknown length (incomplete).
    Array {
        /// Type of the elements.
        element: TypeId,
        /// Number of elements.
        length: Option<u64>,
    },
    /// A struct or union.
    Record(RecordId),
    /// A function.
    Function {
        /// Result type.
        result: TypeId,
        /// Parameter types after adjustment (arrays and functions are pointers).
        parameters: Vec<TypeId>,
        /// Whether further arguments may follow.
        is_variadic: bool,
    },
}

/// A struct or union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The tag or, without one, the first typedef name; empty where there is neither.
    pub name: String,
    /// Union instead of struct.
    pub is_union: bool,
    /// The members in order; `None`: incomplete. Members of anonymous structs and unions stand under an unnamed member.
    pub fields: Option<Vec<Field>>,
    /// Size in bytes, padding at the end included.
    pub size: u64,
    /// Alignment in bytes.
    pub alignment: u32,
}

/// A member of a struct or union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name; empty for anonymous structs and unions.
    pub name: String,
    /// The type.
    pub ty: TypeId,
    /// Byte offset in the record; for a bit-field of the storage unit that holds it.
    pub offset: u64,
    /// For a bit-field: its place in the storage unit.
    pub bits: Option<BitField>,
}

/// The place of a bit-field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BitField {
    /// Lowest bit, counted from the least significant bit of the storage unit (whose size is the declared type's).
    pub low: u32,
    /// Number of bits.
    pub width: u32,
}

/// An enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enum {
    /// The tag or, without one, the first typedef name; empty where there is neither.
    pub name: String,
    /// The compatible integer type (gcc's choice: `unsigned int` where no enumerator is negative, else `int`, wider where needed).
    pub underlying: IntegerKind,
    /// Names and values.
    pub enumerators: Vec<(String, i128)>,
}

/// All types of a program.
#[derive(Clone, Debug, Default)]
pub struct TypeTable {
    /// The types; interned.
    pub types: IdVec<TypeId, Type>,
    /// Structs and unions.
    pub records: IdVec<RecordId, Record>,
    /// Enumerations.
    pub enums: IdVec<EnumId, Enum>,
}
