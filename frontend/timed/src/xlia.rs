//! Flat machines of xLIA, the language of SPTG and Diversity.

use crate::code::Code;
use crate::syntax::File;
use frontend::diagnostics::Diagnostics;
use frontend::source::SourceMap;
use spec::parser::{Parsed, Reported};
use std::path::Path;

/// The syntax trees of a machine.
///
/// # Errors
/// What is not supported has been reported.
pub fn read(path: &Path, sources: &mut SourceMap, diagnostics: &mut Diagnostics) -> Parsed<File> {
    let _ = sources.open(path);
    diagnostics.error(Code::Xlia, None, "xLIA is not read yet");
    Err(Reported)
}
