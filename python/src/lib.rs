//! The extension module `chaincover._native`.
//!
//! It hands results on as JSON, and failures as one exception with a kind: the Python package
//! beside it makes objects and exceptions with names of these. Python's global lock is released
//! while the library works; twenty times a second the calling thread takes it to look for signals
//! and to tell a callback.

mod failure;
mod found;
mod model;
mod options;
mod told;
mod watched;

use pyo3::prelude::*;

/// ChainCover's native code; use the package `chaincover`.
#[pymodule]
mod _native {
    use super::{Bound, PyModule, PyResult, Python, pyfunction};
    use pyo3::types::PyModuleMethods;
    use std::ffi::OsString;
    use std::path::PathBuf;

    #[pymodule_export]
    use crate::failure::Failure;
    #[pymodule_export]
    use crate::found::Found;
    #[pymodule_export]
    use crate::model::{Model, load, read, replay};

    /// Runs the command line on the words behind the program's name; returns its exit code. It
    /// handles the signals of the process from then on, and calls itself again by the interpreter
    /// with the words `leading` before those of the command line. `file` is that of this module.
    #[pyfunction]
    fn main(
        py: Python<'_>,
        words: Vec<OsString>,
        interpreter: OsString,
        leading: Vec<OsString>,
        file: PathBuf,
    ) -> u8 {
        let program = cli::Program::of_python(interpreter, leading, file);
        py.detach(|| cli::main(words, &program))
    }

    /// Names and descriptions of the formats of exports.
    #[pyfunction]
    fn formats() -> Vec<(&'static str, &'static str)> {
        chaincover::Format::all().map(|format| (format.name(), format.about())).collect()
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
