//! From files to systems.

use crate::check::check;
use crate::parser::parse;
use crate::syntax::File;
use crate::system::System;
use crate::xlia;
use frontend::Failure;
use frontend::diagnostics::Diagnostics;
use frontend::source::SourceMap;
use spec::include::tokens_of;
use spec::language::TIMED;
use spec::parser::{Parsed, Reported};
use spec::scope::Scope;
use std::path::Path;

/// A system with its file and what is to be said about it.
#[derive(Debug)]
pub struct Model {
    /// The syntax trees.
    pub file: File,
    /// The typed system.
    pub system: System,
    /// Warnings.
    pub diagnostics: Diagnostics,
    /// The files.
    pub sources: SourceMap,
}

/// Whether a file is one of timed systems, by its name: `*.tio`, `*.xlia`.
pub fn is_timed(path: &Path) -> bool {
    has_ending(path, TIMED.ending) || has_ending(path, xlia::ENDING)
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending))
}

/// Reads a system in dense time; `define` has `NAME=VALUE` for constants.
///
/// # Errors
/// All that is wrong with it.
pub fn read(path: &Path, define: &[String]) -> Result<Model, Failure> {
    let (mut sources, mut diagnostics) = (SourceMap::default(), Diagnostics::default());
    let read = trees(path, &mut sources, &mut diagnostics).and_then(|file| {
        let scope = overrides(define, &mut sources, &mut diagnostics)?;
        let system = check(&file, scope, &mut diagnostics)?;
        Ok((file, system))
    });
    match read {
        Ok((file, mut system)) if !diagnostics.has_errors() => {
            if system.name.is_empty() {
                system.name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            }
            Ok(Model { file, system, diagnostics, sources })
        }
        _ => Err(Failure { diagnostics, sources }),
    }
}

/// The syntax trees of a file.
pub(crate) fn trees(path: &Path, sources: &mut SourceMap, diagnostics: &mut Diagnostics) -> Parsed<File> {
    if has_ending(path, xlia::ENDING) {
        return xlia::trees(path, sources, diagnostics);
    }
    let tokens = tokens_of(path, &TIMED, sources, diagnostics);
    let file = parse(&tokens, diagnostics);
    // Declarations that were left out would make messages about names that they declare.
    if diagnostics.has_errors() { Err(Reported) } else { Ok(file) }
}

/// A scope with the values of the command line for constants.
pub(crate) fn overrides(
    define: &[String],
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Parsed<Scope> {
    let mut scope = Scope::new();
    for text in define {
        scope.override_constant(text, sources, diagnostics)?;
    }
    Ok(scope)
}
