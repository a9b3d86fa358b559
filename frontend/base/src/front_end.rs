//! What makes a crate a front end.

use crate::request::{Judge, Request};
use crate::translated::{Failure, Translated};
use std::path::Path;

/// Reads one language. Whoever runs front ends lists them in a table and takes the first that reads
/// a file.
pub trait FrontEnd: Sync {
    /// The language, for messages.
    fn language(&self) -> &'static str;
    /// Whether a file is of this language, by its name.
    fn reads(&self, path: &Path) -> bool;
    /// The model that a request describes. `judge` is asked where the front end cannot see by
    /// itself whether a path can be taken.
    ///
    /// # Errors
    /// What is wrong with the sources or with the request, and the limit of the request; all that
    /// was found, with places.
    fn translate(&self, request: &Request, judge: &dyn Judge) -> Result<Translated, Failure>;
}
