//! The one exception of the extension module.

use crate::told;
use chaincover::{Error, ErrorKind, Reason};
use pyo3::exceptions::PyException;
use pyo3::{PyErr, create_exception};

create_exception!(
    chaincover._native,
    Failure,
    PyException,
    "Kind of the failure, message, and diagnostics as JSON."
);

/// The exception for an error of the library.
pub(crate) fn failure(error: &Error) -> PyErr {
    let kind = match error.kind {
        ErrorKind::Request => "request",
        ErrorKind::Source => "source",
        ErrorKind::Stopped(Reason::Deadline) => "timeout",
        ErrorKind::Stopped(Reason::Interrupted | Reason::Memory) => "stopped",
        ErrorKind::SelfCheck => "self-check",
        ErrorKind::Deviates => "deviates",
        ErrorKind::Internal => "internal",
    };
    let diagnostics = error
        .diagnostics
        .as_ref()
        .map_or_else(Vec::new, |failure| told::diagnostics(&failure.diagnostics, &failure.sources));
    Failure::new_err((kind, error.text(false), serde_json::Value::from(diagnostics).to_string()))
}

/// The exception for a request without sense.
pub(crate) fn request(message: impl Into<String>) -> PyErr {
    Failure::new_err(("request", message.into(), "[]"))
}
