//! Data models: what the target fixes that C leaves open.

use super::types::IntegerKind;

/// A data model. All are two's complement, little endian, with 8-bit bytes and plain `char` signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum DataModel {
    /// 16-bit `int` and pointers, 32-bit `long`, 64-bit `long long`; nothing is aligned to more than 2 bytes.
    Ip16,
    /// 32-bit `int`, `long` and pointers; 8-byte types aligned to 4 (as gcc does for i386).
    #[default]
    Ilp32,
    /// 32-bit `int`, 64-bit `long` and pointers; natural alignment.
    Lp64,
}

/// The target the code is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Target {
    /// The data model.
    pub model: DataModel,
}

impl Target {
    /// Size of an integer type in bytes.
    pub const fn integer_size(self, kind: IntegerKind) -> u32 {
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
    /// Size of a pointer in bytes.
    pub const fn pointer_size(self) -> u32 {
        match self.model {
            DataModel::Ip16 => 2,
            DataModel::Ilp32 => 4,
            DataModel::Lp64 => 8,
        }
    }
    /// Alignment in bytes of a scalar of the given size.
    pub const fn alignment(self, size: u32) -> u32 {
        let most = match self.model {
            DataModel::Ip16 => 2,
            DataModel::Ilp32 => 4,
            DataModel::Lp64 => 8,
        };
        if size < most { size } else { most }
    }
}
