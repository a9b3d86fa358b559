//! Types with their layout.

use super::target::{Target, TypeSizes};
use model::define_id;
use model::id::IdVec;
use model::sort::FloatFormat;
use std::collections::BTreeSet;

define_id!(
    /// A type; equal types have equal ids. Structs and unions of several units that agree in tag,
    /// members and layout are one type.
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

/// C's integer types. Qualifiers and typedef names are gone, but for those of [`Type::Boolean`].
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
    /// Of exactly so many bits: the type of expressions that read a bit-field wider than `int`, as
    /// gcc has it.
    Exact(u8),
    UnsignedExact(u8),
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// No value.
    Void,
    /// An integer type, `_Bool` included.
    Integer(IntegerKind),
    /// An integer type under a typedef name that stands for truth values: `boolean_T`, `kcg_bool`,
    /// ... In C it is the integer type and nothing else; the name tells what its users mean to
    /// store in it.
    Boolean {
        /// The integer type.
        kind: IntegerKind,
        /// The typedef name.
        name: String,
    },
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
    /// The members in order; `None`: incomplete. Members of anonymous structs and unions stand
    /// under an unnamed member.
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
    /// Declared `volatile`.
    pub is_volatile: bool,
}

impl Field {
    /// Whether it is a bit-field without a name, which no program can speak of.
    pub fn is_padding(&self) -> bool {
        self.bits.is_some() && self.name.is_empty()
    }
}

/// The place of a bit-field.
///
/// In packed records the storage unit may reach beyond the end of the record: only the bytes that
/// hold bits of the field are its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BitField {
    /// Lowest bit, counted from the least significant bit of the storage unit (whose size is the
    /// declared type's).
    pub low: u32,
    /// Number of bits.
    pub width: u32,
}

/// An enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enum {
    /// The tag or, without one, the first typedef name; empty where there is neither.
    pub name: String,
    /// The compatible integer type (gcc's choice: `unsigned int` where no enumerator is negative,
    /// else `int`, wider where needed).
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
    /// Types for which the code declares pointers to `volatile` objects.
    pub behind_volatile: BTreeSet<TypeId>,
}

impl IntegerKind {
    /// Whether values may be negative. Plain `char` is signed on every target.
    pub const fn is_signed(self) -> bool {
        use IntegerKind::*;
        matches!(self, Char | SignedChar | Short | Int | Long | LongLong | Exact(_))
    }
    /// The integer type of the same size without sign; `_Bool` stays itself.
    pub const fn to_unsigned(self) -> Self {
        use IntegerKind::*;
        match self {
            Char | SignedChar => UnsignedChar,
            Short => UnsignedShort,
            Int => UnsignedInt,
            Long => UnsignedLong,
            LongLong => UnsignedLongLong,
            Exact(bits) => UnsignedExact(bits),
            other => other,
        }
    }
    /// The spelling in C, of types of exact width without their width.
    pub const fn name(self) -> &'static str {
        use IntegerKind::*;
        match self {
            Bool => "_Bool",
            Char => "char",
            SignedChar => "signed char",
            UnsignedChar => "unsigned char",
            Short => "short",
            UnsignedShort => "unsigned short",
            Int => "int",
            UnsignedInt => "unsigned int",
            Long => "long",
            UnsignedLong => "unsigned long",
            LongLong => "long long",
            UnsignedLongLong => "unsigned long long",
            Exact(_) => "_BitInt",
            UnsignedExact(_) => "unsigned _BitInt",
        }
    }
    /// Number of value bits, the sign included; 1 for `_Bool`.
    pub fn bits(self, target: Target) -> u32 {
        match self {
            Self::Bool => 1,
            Self::Exact(bits) | Self::UnsignedExact(bits) => bits as u32,
            other => 8 * target.integer_size(other),
        }
    }
    /// Smallest and largest value.
    pub fn range(self, target: Target) -> (i128, i128) {
        let bits = self.bits(target);
        if self.is_signed() {
            (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
        } else {
            (0, (1i128 << bits) - 1)
        }
    }
    /// The value that a conversion of `value` to this type gives: modulo 2^bits; for `_Bool`
    /// whether it is not zero.
    pub fn wrap(self, value: i128, target: Target) -> i128 {
        if matches!(self, Self::Bool) {
            return (value != 0) as i128;
        }
        let shift = 128 - self.bits(target);
        if self.is_signed() { value << shift >> shift } else { ((value as u128) << shift >> shift) as i128 }
    }
}

impl TypeTable {
    /// The type `_Bool`; lowering puts it into every table.
    pub fn boolean(&self) -> Option<TypeId> {
        self.types.iter().find(|(_, ty)| matches!(ty, Type::Integer(IntegerKind::Bool))).map(|(id, _)| id)
    }
    /// The integer type that holds the values: of an integer type itself, of an enumeration its
    /// underlying type.
    pub fn integer_kind(&self, ty: TypeId) -> Option<IntegerKind> {
        match self.types[ty] {
            Type::Integer(kind) | Type::Boolean { kind, .. } => Some(kind),
            Type::Enum(id) => Some(self.enums[id].underlying),
            _ => None,
        }
    }
    /// The name of a type that stands for truth values without holding them to 0 and 1.
    pub fn boolean_name(&self, ty: TypeId) -> Option<&str> {
        match &self.types[ty] {
            Type::Boolean { name, .. } => Some(name),
            Type::Enum(id) => Some(&*self.enums[*id].name).filter(|name| means_boolean(name)),
            _ => None,
        }
    }
    /// Size in bytes; `None` for void, functions, incomplete types, and arrays too large to have
    /// one.
    pub fn size(&self, ty: TypeId, target: Target) -> Option<u64> {
        match self.types[ty] {
            Type::Void | Type::Function { .. } => None,
            Type::Integer(kind) | Type::Boolean { kind, .. } => Some(u64::from(target.integer_size(kind))),
            Type::Enum(id) => Some(u64::from(target.integer_size(self.enums[id].underlying))),
            Type::Float(format) => Some(u64::from(format.width() / 8)),
            Type::Pointer(_) => Some(u64::from(target.pointer_size())),
            Type::Array { element, length } => self.size(element, target)?.checked_mul(length?),
            Type::Record(id) => self.records[id].fields.as_ref().map(|_| self.records[id].size),
        }
    }
    /// Alignment in bytes; 1 where there is none.
    pub fn alignment(&self, ty: TypeId, target: Target) -> u32 {
        match self.types[ty] {
            Type::Array { element, .. } => self.alignment(element, target),
            Type::Record(id) => self.records[id].alignment,
            _ => target.alignment(self.size(ty, target).unwrap_or(1) as u32),
        }
    }
    /// Whether it is an integer, enumeration, float or pointer type.
    pub fn is_scalar(&self, ty: TypeId) -> bool {
        matches!(
            self.types[ty],
            Type::Integer(_) | Type::Boolean { .. } | Type::Enum(_) | Type::Float(_) | Type::Pointer(_)
        )
    }
    /// The type as C writes it, without a declared name: `unsigned char`, `struct point *`, `int
    /// (*)(void)`.
    pub fn name(&self, ty: TypeId) -> String {
        self.declaration(ty, "")
    }
    /// A declaration of `name` with this type as C writes it: `int x[3]`, `struct point *p`.
    pub fn declaration(&self, ty: TypeId, name: &str) -> String {
        let (mut text, mut ty) = (name.to_owned(), ty);
        loop {
            let base = match &self.types[ty] {
                Type::Pointer(to) => {
                    let needs_parentheses =
                        matches!(self.types[*to], Type::Array { .. } | Type::Function { .. });
                    text = if needs_parentheses { format!("(*{text})") } else { format!("*{text}") };
                    ty = *to;
                    continue;
                }
                Type::Array { element, length } => {
                    text = format!("{text}[{}]", length.map_or(String::new(), |length| length.to_string()));
                    ty = *element;
                    continue;
                }
                Type::Function { result, parameters, is_variadic } => {
                    text = format!("{text}({})", self.parameter_names(parameters, *is_variadic));
                    ty = *result;
                    continue;
                }
                Type::Void => "void".to_owned(),
                Type::Integer(kind @ (IntegerKind::Exact(bits) | IntegerKind::UnsignedExact(bits))) => {
                    format!("{}({bits})", kind.name())
                }
                Type::Integer(kind) => kind.name().to_owned(),
                Type::Boolean { name, .. } => name.clone(),
                Type::Float(FloatFormat::Single) => "float".to_owned(),
                Type::Float(FloatFormat::Double) => "double".to_owned(),
                Type::Enum(id) => tagged("enum", &self.enums[*id].name),
                Type::Record(id) => {
                    let record = &self.records[*id];
                    tagged(if record.is_union { "union" } else { "struct" }, &record.name)
                }
            };
            return if text.is_empty() { base } else { format!("{base} {text}") };
        }
    }

    fn parameter_names(&self, parameters: &[TypeId], is_variadic: bool) -> String {
        let mut names: Vec<String> = parameters.iter().map(|&parameter| self.name(parameter)).collect();
        if is_variadic {
            names.push("...".to_owned());
        }
        if names.is_empty() { "void".to_owned() } else { names.join(", ") }
    }
}

/// Whether a name of a type says that it stands for truth values: `boolean_T` (Simulink),
/// `kcg_bool` (SCADE), `Bool` (TargetLink), `boolean` (AUTOSAR), `GABOOL` (Gene-Auto), `_boolean`
/// (Lustre), `BOOL`, `bool_t`, `IEC_BOOL`, ...
pub fn means_boolean(name: &str) -> bool {
    let name = name.trim_matches('_').to_ascii_lowercase();
    let name = name.strip_suffix("_t").unwrap_or(&name);
    let words = ["bool", "boolean"];
    words.iter().any(|word| {
        let before = name.strip_suffix("8").unwrap_or(name).strip_suffix(word);
        before
            .is_some_and(|before| before.is_empty() || before.ends_with('_') || ["ga", "t"].contains(&before))
    })
}

fn tagged(keyword: &str, name: &str) -> String {
    if name.is_empty() { format!("{keyword} <unnamed>") } else { format!("{keyword} {name}") }
}

#[cfg(test)]
mod tests {
    use super::means_boolean;

    #[test]
    fn names_that_stand_for_truth_values() {
        let table = [
            (
                "boolean_T bool_T boolean bool Bool BOOL BOOLEAN _boolean kcg_bool bool_t Bool_t boolean_t",
                true,
            ),
            ("GABOOL tBool tBoolean T_Bool IEC_BOOL sc_boolean bool8 bool8_t boolean8 __bool", true),
            (
                "uint8_T int symbol boolean_expression boolx bool_list mybool tribool kcg_int boolean_T2 _",
                false,
            ),
        ];
        for (names, expected) in table {
            for name in names.split(' ') {
                assert_eq!(means_boolean(name), expected, "{name}");
            }
        }
    }
}
