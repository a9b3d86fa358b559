//! Work without Python's lock, watched by the thread that asked for it.

use crate::failure::failure;
use chaincover::{Error, ErrorKind, Progress, Snapshot, observe};
use pyo3::prelude::*;
use pyo3::types::PyBool;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

/// Why work was ended from Python.
pub(crate) enum Ended {
    /// It was not.
    No,
    /// The callback answered `False`.
    Asked,
    /// A signal handler or the callback raised this.
    Raised(PyErr),
}

/// Runs work that looks at `stop`, and the callback beside it: its arguments are stage, depth,
/// goals covered, best length and bound. The result may be there although the work was ended.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    stop: &AtomicBool,
    callback: Option<&Py<PyAny>>,
    work: impl FnOnce(&dyn Progress) -> Result<T, Error> + Send,
) -> (Result<T, Error>, Ended) {
    let mut ended = Ended::No;
    let look = |snapshot: &Snapshot| {
        let answer = Python::attach(|py| {
            py.check_signals()?;
            callback.map_or(Ok(true), |callback| tell(py, callback, snapshot))
        });
        ended = match answer {
            Ok(true) => return ControlFlow::Continue(()),
            Ok(false) => Ended::Asked,
            Err(error) => Ended::Raised(error),
        };
        ControlFlow::Break(())
    };
    let guarded = |progress: &dyn Progress| {
        catch_unwind(AssertUnwindSafe(|| work(progress))).unwrap_or_else(|_| {
            let message =
                "internal error: a defect of chaincover, not of the model; please report it with the model";
            Err(Error { kind: ErrorKind::Internal, message: message.to_owned(), diagnostics: None })
        })
    };
    let done = py.detach(|| observe(stop, look, guarded));
    // What is answered when the work has ended already ends nothing.
    if matches!(ended, Ended::Asked) && !stop.load(Ordering::SeqCst) {
        ended = Ended::No;
    }
    (done, ended)
}

/// Tells the callback; whether the work may go on.
fn tell(py: Python<'_>, callback: &Py<PyAny>, snapshot: &Snapshot) -> PyResult<bool> {
    let Snapshot { stage, depth, covered, best, bound, .. } = snapshot;
    let answer = callback.bind(py).call1((stage, depth, covered, best, bound))?;
    Ok(answer.cast::<PyBool>().map_or(true, |answer| answer.is_true()))
}

/// The result of work that has none where it was ended.
///
/// # Errors
/// What Python raised meanwhile, before what went wrong because of that.
pub(crate) fn whole<T>((done, ended): (Result<T, Error>, Ended)) -> PyResult<T> {
    match ended {
        Ended::Raised(error) => Err(error),
        Ended::No | Ended::Asked => done.map_err(|error| failure(&error)),
    }
}
