//! A2L files (ASAM MCD-2 MC): what calibration tools know of variables becomes defaults.
//!
//! `read` makes [`Entry`] values of a file and of the files that it includes; [`describe`] finds
//! the inputs and outputs that these are about and fills in what the configuration leaves open. The
//! configuration wins, and an [`Account`] says what was taken, what was not, and why. Only limits
//! change the model: they become ranges where that is asked for.
//!
//! The library behind it is large, so reading is behind the feature `a2l`. What a file says is data
//! ([`Entry`]) that knows nothing of the library.

mod defaults;
#[cfg(feature = "a2l")]
mod entries;
mod matching;
#[cfg(feature = "a2l")]
mod text;

pub use matching::describe;

use crate::ConfigError;
use frontend::Location;
use frontend::limit::Limit;
use std::path::{Path, PathBuf};

frontend::define_codes! {
    /// What is said about A2L files.
    pub enum Code {
        /// Entries say different things of a variable, or one may be about several variables.
        Ambiguous = "a2l-ambiguous", Request;
        /// An entry says that a variable has another type than the code gives it.
        Type = "a2l-type", Request;
        /// Limits of an entry are no range of its variable, or only after they were changed.
        Limits = "a2l-limits", Request;
        /// The file departs from the standard.
        Syntax = "a2l-syntax", Request;
    }
}

/// An A2L file that is to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct A2lRequest {
    /// The file.
    pub file: PathBuf,
    /// Whether limits are ranges of inputs.
    pub ranges: bool,
}

/// What an A2L file says.
#[derive(Clone, Debug, Default)]
pub struct Description {
    /// The file and all files that it includes.
    pub files: Vec<PathBuf>,
    /// Its measurements and characteristics, those of instances of structures among them.
    pub entries: Vec<Entry>,
    /// Where it departs from the standard, in a way that does not keep it from being read.
    pub warnings: Vec<String>,
}

/// One measurement or characteristic.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its name in the file.
    pub name: String,
    /// The variables in C that it may be about, the most certain first.
    pub variables: Vec<String>,
    /// Where it begins.
    pub place: Location,
    /// How the number is stored, where that is known.
    pub storage: Option<Storage>,
    /// Whether it is about an array of numbers.
    pub is_array: bool,
    /// The bits that it is about; `None`: all.
    pub mask: Option<u64>,
    /// Why nothing of it can be taken, where that is so.
    pub unfit: Option<&'static str>,
    /// What it means; may be empty.
    pub text: String,
    /// Physical unit; may be empty.
    pub unit: String,
    /// How physical values are made of numbers in C.
    pub conversion: Conversion,
    /// Lowest and highest physical value.
    pub limits: [f64; 2],
    /// Names of values.
    pub labels: Vec<(i64, String)>,
    /// Parts of its names of values that are not in `labels`, a sentence on each.
    pub unlabelled: Vec<&'static str>,
}

/// How a number is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Storage {
    /// Bits.
    pub bits: u32,
    /// What they are.
    pub form: Form,
}

/// What the bits of a number are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// An unsigned integer.
    Unsigned,
    /// An integer in two's complement.
    Signed,
    /// An IEEE number.
    Float,
}

/// How physical values are made of numbers in C.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Conversion {
    /// They are the numbers.
    Identical,
    /// `factor * number + offset`; the factor is not zero.
    Linear {
        /// The factor.
        factor: f64,
        /// The offset.
        offset: f64,
    },
    /// In another way, which is described here.
    Other(&'static str),
}

/// What became of an A2L file.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// The file.
    pub file: PathBuf,
    /// The file and all files that it includes.
    pub files: Vec<PathBuf>,
    /// Number of entries.
    pub entries: usize,
    /// Entries that are about an input or output.
    pub matched: Vec<Matched>,
    /// Entries of which nothing was taken although a variable has their name, and why.
    pub left: Vec<Left>,
    /// Entries of no variable, by name, with their places.
    pub unmatched: Vec<(String, Location)>,
    /// What the user should know.
    pub warnings: Vec<(Code, String)>,
}

/// An entry that is about an input or output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matched {
    /// Name of the entry.
    pub entry: String,
    /// Where it begins.
    pub place: Location,
    /// The variable in C.
    pub variable: String,
    /// Whether it is an input; otherwise it is an output.
    pub is_input: bool,
    /// What was taken, such as `unit km/h`.
    pub taken: Vec<String>,
    /// What was not taken, and why.
    pub not_taken: Vec<String>,
}

/// An entry of which nothing was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// Name of the entry.
    pub entry: String,
    /// Where it begins.
    pub place: Location,
    /// Why nothing was taken, one sentence.
    pub reason: String,
}

/// Reads an A2L file and what it includes.
///
/// # Errors
/// A file cannot be read or is broken, with the place; the limit is reached; this program was built
/// without the feature.
#[cfg_attr(not(feature = "a2l"), allow(unused_variables))]
pub fn read(path: &Path, limit: &Limit) -> Result<Description, ConfigError> {
    #[cfg(feature = "a2l")]
    return entries::read(path, limit);
    #[cfg(not(feature = "a2l"))]
    Err(ConfigError::Usage(format!(
        "{}: A2L files cannot be read, since this program was built without the feature `a2l`",
        path.display()
    )))
}

#[cfg(all(test, feature = "a2l"))]
mod tests;
