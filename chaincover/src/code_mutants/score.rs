//! Stored chains and vectors as executions of a model.

use super::CodeMutateOptions;
use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::old_tests::{refused, written};
use crate::versions::{Run, execution};
use model::trace::replay;

/// The chains of all files that are to be judged; `None` where there are none.
///
/// # Errors
/// [`ErrorKind::Request`]: files that are no chains of this model. [`ErrorKind::Deviates`]: chains
/// that are no executions of it.
pub(super) fn stored(original: &Model, options: &CodeMutateOptions) -> Result<Option<Vec<Run>>, Error> {
    if options.score.is_empty() {
        return Ok(None);
    }
    let mut found = Vec::new();
    for path in &options.score {
        for (index, test) in written(original, path, false)?.into_iter().enumerate() {
            if let Err(error) = replay(&original.system, &test.trace) {
                let message = refused(original, (path, index), &test, &error);
                return Err(Error::new(ErrorKind::Deviates, message));
            }
            let refuse =
                |error: Error| Error::new(error.kind, format!("{}: {}", path.display(), error.brief()));
            found.push(execution(original, test.trace).map_err(refuse)?);
        }
    }
    Ok(Some(found))
}
