//! In which formats a result is written, and how.

use crate::error::Error;
use crate::model::Model;
use report::export::Format;
use report::export::read::ReadError;
use report::export::recording::{DontCare, Tolerance};

/// What is written, and how.
#[derive(Clone, Debug, Default)]
pub struct ExportOptions {
    /// The formats; none: CSV.
    pub formats: Vec<Format>,
    /// Steps by which the rig sees outputs later.
    pub output_latency: usize,
    /// What is written where an input does not matter.
    pub dont_care: DontCare,
    /// How far measured outputs may be off, by name or lvalue.
    pub tolerances: Vec<(String, Tolerance)>,
    /// Nothing is compiled and run to find out which lines the chains execute.
    pub without_running: bool,
}

impl ExportOptions {
    /// The formats, each once.
    pub(crate) fn all(&self) -> Vec<Format> {
        let mut formats = self.formats.clone();
        if formats.is_empty() {
            formats.push(Format::Csv);
        }
        formats.sort_unstable();
        formats.dedup();
        formats
    }

    /// Whether the tolerances speak of outputs of the model.
    ///
    /// # Errors
    /// [`Request`](crate::ErrorKind::Request): one does not.
    pub fn check(&self, model: &Model) -> Result<(), Error> {
        let outputs = || model.translated.signals.outputs.iter().map(|(signal, _)| signal);
        let is_known = |name: &str| outputs().any(|signal| signal.name == name || signal.lvalue == name);
        match self.tolerances.iter().find(|(name, _)| !is_known(name)) {
            Some((name, _)) => Err(Error::request(&ReadError::Tolerance(name.clone()))),
            None => Ok(()),
        }
    }

    /// Names of files that will be written, however many chains there are.
    pub fn certain_names(&self) -> impl Iterator<Item = &'static str> {
        self.all().into_iter().flat_map(|format| format.certain_names().iter().copied())
    }
}
