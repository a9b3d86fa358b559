//! One step of a system in the forms that engines execute, unroll and enumerate.

pub(crate) mod acceleration;
pub(crate) mod bits;
pub(crate) mod bmc_solver;
pub(crate) mod cases;
pub mod code;
pub(crate) mod confirmed;
pub mod external;
pub(crate) mod floats;
pub(crate) mod frames;
pub(crate) mod initial;
pub(crate) mod labels;
pub mod lanes;
pub mod lemma;
pub(crate) mod sequence;
pub mod size;
pub(crate) mod twin_terms;
pub(crate) mod value_order;
pub(crate) mod word;
