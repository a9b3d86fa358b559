//! Data models: what the target fixes that C leaves open.

use super::types::IntegerKind;
pub use frontend::{DataModel, Target};

/// What a target says of the types of C.
pub trait TypeSizes {
    /// Size of an integer type in bytes.
    fn integer_size(self, kind: IntegerKind) -> u32;
    /// Size of a pointer in bytes.
    fn pointer_size(self) -> u32;
    /// Alignment in bytes of a scalar of the given size.
    fn alignment(self, size: u32) -> u32;
}

impl TypeSizes for Target {
    fn integer_size(self, kind: IntegerKind) -> u32 {
        use IntegerKind::*;
        match kind {
            Bool | Char | SignedChar | UnsignedChar => 1,
            Short | UnsignedShort => 2,
            Int | UnsignedInt => match self.model {
                DataModel::Ip16 => 2,
                DataModel::Ilp32 | DataModel::Lp64 => 4,
            },
            Long | UnsignedLong => match self.model {
                DataModel::Ip16 | DataModel::Ilp32 => 4,
                DataModel::Lp64 => 8,
            },
            LongLong | UnsignedLongLong => 8,
            Exact(bits) | UnsignedExact(bits) => {
                if bits <= 32 {
                    4
                } else {
                    8
                }
            }
        }
    }
    fn pointer_size(self) -> u32 {
        match self.model {
            DataModel::Ip16 => 2,
            DataModel::Ilp32 => 4,
            DataModel::Lp64 => 8,
        }
    }
    fn alignment(self, size: u32) -> u32 {
        let most = match self.model {
            DataModel::Ip16 => 2,
            DataModel::Ilp32 => 4,
            DataModel::Lp64 => 8,
        };
        if size < most { size } else { most }
    }
}
