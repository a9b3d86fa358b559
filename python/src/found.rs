//! What a search came to.

use crate::model::check_formats;
use crate::options::{ExportArguments, limit};
use crate::watched::{Ended, watched, whole};
use chaincover::{
    NativeCheck, Occasion, Options, Place, Progress, RESULT, Settings, Solved, StopReason, summary, to_json,
};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// The result of a search.
#[pyclass(frozen, module = "chaincover._native")]
pub(crate) struct Found {
    model: Arc<chaincover::Model>,
    settings: Settings,
    options: Options,
    solved: Solved,
    ended: Ended,
}

impl Found {
    /// What was found of a model that was read and searched so.
    pub(crate) fn new(
        model: Arc<chaincover::Model>,
        (settings, options): (Settings, Options),
        solved: Solved,
        ended: Ended,
    ) -> Self {
        Self { model, settings, options, solved, ended }
    }
}

#[pymethods]
impl Found {
    /// The result as `chain.json` has it.
    fn json(&self) -> String {
        to_json(&self.solved.file)
    }

    /// The result as the command line prints it.
    fn summary(&self) -> String {
        summary::text(&self.solved.file)
    }

    /// What ended the search before it was done: `timeout`, `interrupted` or `memory`.
    #[getter]
    fn stopped(&self) -> Option<&'static str> {
        if !self.solved.is_stopped() {
            return None;
        }
        Some(match self.options.interruption().or(self.solved.outcome.stopped) {
            Some(StopReason::Interrupted) => "interrupted",
            Some(StopReason::Memory) => "memory",
            Some(StopReason::Deadline | StopReason::Effort) | None => "timeout",
        })
    }

    /// Whether the callback ended the search.
    #[getter]
    const fn is_ended_by_callback(&self) -> bool {
        matches!(self.ended, Ended::Asked)
    }

    /// The exception that ended the search.
    #[getter]
    fn raised(&self, py: Python<'_>) -> Option<PyErr> {
        match &self.ended {
            Ended::Raised(error) => Some(error.clone_ref(py)),
            Ended::No | Ended::Asked => None,
        }
    }

    /// How the compiled code disagrees with chains or counterexamples.
    #[getter]
    fn disagreements(&self) -> Vec<String> {
        let disagrees = |check: &&NativeCheck| matches!(check, NativeCheck::Disagrees { .. });
        self.solved.all_checks().filter(disagrees).map(ToString::to_string).collect()
    }

    /// Writes the result and its formats into a folder: names of the files, why others were not
    /// written, and notes.
    fn export(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        arguments: ExportArguments,
    ) -> PyResult<(Vec<PathBuf>, Vec<String>, Vec<String>)> {
        let formats = arguments.options()?;
        check_formats(&self.model, &formats)?;
        let limit = limit(None)?;
        let stop = limit.stop.clone().unwrap_or_default();
        let write = |_: &dyn Progress| {
            let mut place = Place::open(&folder, arguments.force)?;
            place.expect(std::iter::once(RESULT).chain(formats.certain_names()))?;
            let occasion = Occasion { output: Some(folder.clone()), ..Occasion::default() };
            let read_with = (&self.settings, &self.options);
            let written =
                self.solved.write(&self.model, read_with, &mut place, (&formats, &occasion), &limit)?;
            let cleared = place.close(|other| *other != written.origin)?;
            let names = written.exported.files.iter().map(|file| &file.name);
            let names = names.filter(|name| !written.unwritten.contains(name));
            let files = std::iter::once(folder.join(RESULT)).chain(names.map(|name| folder.join(name)));
            let told = cleared.messages(&folder).into_iter().map(|(_, text)| text);
            let notes = written.notes.into_iter().chain(told).collect();
            Ok((files.collect(), written.exported.refused, notes))
        };
        whole(watched(py, &stop, None, write))
    }
}
