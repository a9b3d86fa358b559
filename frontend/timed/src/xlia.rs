//! Timed systems written in xLIA, the language of Eclipse EFM Diversity and of the test generator
//! SPTG: one flat state machine with ports, read as the syntax trees of this crate.
//!
//! What stands in a transition happens in the order of the text: conditions and terms behind an
//! assignment speak of the new value. Here updates happen at once, so new values are put in where
//! they are read.
//!
//! * Integers have no bounds in xLIA; here `int` has those of 32 bits with sign, `uint` is
//!   the part of them from 0.
//! * `urational` and durations (`time ..`) are rationals of which received values are at least 0.
//! * A constant without a value is a parameter.
//! * Transitions whose name stands in several states are called `STATE.NAME`, as SPTG does.
//!
//! Networks of machines, hierarchies, steps without a message, arrays and statements of control are
//! reported as unsupported.

mod machine;
mod reader;
mod tokens;

use crate::syntax::File;
use frontend::code::Common;
use frontend::diagnostics::Diagnostics;
use frontend::source::SourceMap;
use spec::parser::{Parsed, Reported};
use std::path::Path;

/// How names of such files end.
pub const ENDING: &str = "xlia";

/// The syntax trees of a file.
///
/// # Errors
/// What is wrong with it, or is not supported, has been reported.
pub(crate) fn trees(path: &Path, sources: &mut SourceMap, diagnostics: &mut Diagnostics) -> Parsed<File> {
    let file = sources.open(path);
    if sources.files[file].text.is_none() {
        let message = format!("cannot read `{}`", path.display());
        diagnostics.error(Common::UnreadableFile, None, message);
        return Err(Reported);
    }
    let tokens = tokens::tokens(sources, file, diagnostics);
    if diagnostics.has_errors() {
        return Err(Reported);
    }
    reader::machine(&tokens, diagnostics)?.trees(diagnostics)
}
