//! What is kept from one reading of a program to the next, of the same files with other changes.

use crate::preprocess::Outputs;
use crate::translate::known_steps::KnownSteps;
use std::sync::OnceLock;

/// See the module text.
#[derive(Default)]
pub(crate) struct Readings {
    /// What the preprocessor made of files.
    pub(crate) outputs: Outputs,
    /// What steps lead to in the program that was read first.
    pub(crate) steps: OnceLock<KnownSteps>,
}
