//! From paths to a model.

use crate::error::Error;
use crate::model::Model;
use crate::observability;
use crate::settings::{Settings, configure};
use config::resolve::Model as Configuration;
use std::path::{Path, PathBuf};

/// Reads a model: one `chaincover.toml`, one folder that holds one, or source files.
///
/// Warnings and notes about the sources stand in `translated.diagnostics`.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("lamp.c");
/// std::fs::write(&path, "int on; void step(int press) { if (press) on = !on; __CPROVER_cover(on); }")?;
/// let model = chaincover::read([&path], &chaincover::Settings::default())?;
/// assert_eq!(model.goals().collect::<Vec<_>>(), ["lamp.c:1"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Request`](crate::ErrorKind::Request): files are missing, the configuration or the settings
/// make no sense. [`Source`](crate::ErrorKind::Source): the source is wrong or not supported; all
/// that is wrong stands in [`Error::diagnostics`]. [`Stopped`](crate::ErrorKind::Stopped): the
/// limit of the settings.
pub fn read<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>, settings: &Settings) -> Result<Model, Error> {
    let paths: Vec<PathBuf> = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
    Model::new(configure(&paths, settings)?)
}

impl Model {
    /// The model that a configuration describes.
    ///
    /// # Errors
    /// As for [`read`].
    pub fn new(configuration: Configuration) -> Result<Self, Error> {
        let depth = configuration.request.coverage.observe;
        let model = Self::unobserved(configuration)?;
        match depth {
            Some(depth) => observability::observed(model, depth),
            None => Ok(model),
        }
    }
}
