//! Models: reading them, and what is asked of them.

use crate::failure::failure;
use crate::found::Found;
use crate::options::{ReadArguments, ResultArguments, SearchArguments, limit};
use crate::told;
use crate::watched::{watched, whole};
use chaincover::{
    HazardPolicy, Limit, Options, Progress, Settings, configure, read_stored, replay_from, solve,
    stored_configuration, stored_root, to_json,
};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// A model that was read.
#[pyclass(frozen, module = "chaincover._native")]
pub(crate) struct Model {
    model: Arc<chaincover::Model>,
    settings: Settings,
    hazards: HazardPolicy,
}

/// Reads a model; the callback is called while that takes.
#[pyfunction]
pub(crate) fn read(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    arguments: ReadArguments,
    timeout: Option<f64>,
    callback: Option<Py<PyAny>>,
) -> PyResult<Model> {
    let limit = limit(timeout)?;
    let stop = limit.stop.clone().unwrap_or_default();
    let (settings, hazards) = arguments.settings()?;
    let limited = Settings { limit, ..settings.clone() };
    let read = |_: &dyn Progress| chaincover::Model::new(configure(&paths, &limited)?);
    let mut model = whole(watched(py, &stop, callback.as_ref(), read))?;
    // The limit was that of this call; later ones read parts of the model anew.
    model.configuration.request.limit = Limit::default();
    Ok(Model { model: Arc::new(model), settings, hazards })
}

/// A stored result that makes sense in itself, as JSON.
#[pyfunction]
pub(crate) fn load(path: PathBuf) -> PyResult<String> {
    read_stored(&path).map(|file| to_json(&file)).map_err(|error| failure(&error))
}

/// Replays a stored result; what became of it, as JSON.
#[pyfunction]
pub(crate) fn replay(py: Python<'_>, path: PathBuf, callback: Option<Py<PyAny>>) -> PyResult<String> {
    let limit = limit(None)?;
    let stop = limit.stop.clone().unwrap_or_default();
    let run = |_: &dyn Progress| {
        let stored = read_stored(&path)?;
        let mut configuration = stored_configuration(&stored, &path)?;
        configuration.request.limit = limit;
        let model = chaincover::Model::new(configuration)?;
        Ok(told::replayed(&replay_from(&model, &stored, &stored_root(&stored, &path))?))
    };
    whole(watched(py, &stop, callback.as_ref(), run))
}

#[pymethods]
impl Model {
    /// The model in the shape of a result without chains, as JSON.
    fn json(&self) -> String {
        told::model(&self.model, &self.settings)
    }

    /// What was said of the sources, as JSON.
    fn diagnostics(&self) -> String {
        let translated = &self.model.translated;
        serde_json::Value::from(told::diagnostics(&translated.diagnostics, &translated.sources)).to_string()
    }

    /// Finds chains. Where it was ended from Python, what was found so far.
    fn find_chains(
        &self,
        py: Python<'_>,
        search: SearchArguments,
        arguments: ResultArguments,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<Found> {
        let wanted = arguments.wanted(&search)?;
        let mut options = search.options(self.hazards)?;
        arguments.smooth(&self.model, &mut options)?;
        let stop = Arc::clone(&options.stop);
        let (done, ended) = watched(py, &stop, callback.as_ref(), |progress| {
            solve(&self.model, (&self.settings, &options), &wanted, progress)
        });
        match done {
            Ok(solved) => {
                Ok(Found::new(Arc::clone(&self.model), (self.settings.clone(), options), solved, ended))
            }
            Err(error) => whole((Err(error), ended)),
        }
    }

    /// Why a goal is excluded, or how short a chain for it is, as JSON. The sources are read again.
    fn explain(
        &self,
        py: Python<'_>,
        goal: String,
        search: SearchArguments,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let options: Options = search.options(self.hazards)?;
        let stop = Arc::clone(&options.stop);
        let explain = |progress: &dyn Progress| {
            let mut configuration = self.model.configuration.clone();
            configuration.request.keep_wording = true;
            configuration.request.limit =
                Limit { deadline: options.deadline, stop: Some(Arc::clone(&options.stop)), memory: None };
            let model = chaincover::Model::new(configuration)?;
            let found = chaincover::explain(&model, &goal, &options, progress)?;
            Ok(told::explanation(&model, &found))
        };
        whole(watched(py, &stop, callback.as_ref(), explain))
    }
}

/// What exporting needs of a model.
pub(crate) fn check_formats(model: &chaincover::Model, formats: &chaincover::ExportOptions) -> PyResult<()> {
    formats.check(model).map_err(|error| failure(&error))
}
