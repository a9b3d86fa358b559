//! From files to typed interfaces.

use crate::interface::Interface;
use crate::parser::parse;
use crate::resolve::resolve;
use crate::syntax::File;
use crate::warnings::inspect;
use frontend::Failure;
use frontend::diagnostics::Diagnostics;
use frontend::source::SourceMap;
use spec::include::tokens_of;
use spec::language::CONTRACTS;
use spec::scope::Scope;
use std::path::PathBuf;

/// An interface that was read, with warnings and the files.
#[derive(Clone, Debug)]
pub struct Document {
    /// The interface.
    pub interface: Interface,
    /// The declarations of the files.
    pub files: Vec<File>,
    /// Values of constants from outside, `NAME=VALUE`.
    pub define: Vec<String>,
    /// Warnings.
    pub diagnostics: Diagnostics,
    /// The files.
    pub sources: SourceMap,
}

/// The conjunction of the interfaces of some files. Each of `define` is `NAME=VALUE` and gives a
/// constant another value.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("echo.ri");
/// std::fs::write(&path, "interface echo  input a : bool  output b : bool  req r1 always guarantee b' = a'")?;
/// let document = contracts::read(&[path], &[])?;
/// assert_eq!(document.interface.counts(), (1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// All that is wrong with the files, with places.
pub fn read(paths: &[PathBuf], define: &[String]) -> Result<Document, Box<Unreadable>> {
    read_with(SourceMap::default(), paths, define)
}

/// As [`read`], for a text that stands in no file; messages give it that name.
///
/// # Errors
/// As [`read`].
pub fn read_text(name: &str, text: &str) -> Result<Document, Box<Unreadable>> {
    let (mut sources, path) = (SourceMap::default(), PathBuf::from(name));
    sources.add_text(&path, text);
    read_with(sources, &[path], &[])
}

fn read_with(
    mut sources: SourceMap,
    paths: &[PathBuf],
    define: &[String],
) -> Result<Document, Box<Unreadable>> {
    let mut diagnostics = Diagnostics::default();
    let mut scope = Scope::new();
    for text in define {
        // What is wrong with it is reported.
        let _ = scope.override_constant(text, &mut sources, &mut diagnostics);
    }
    let mut files = Vec::new();
    for path in paths {
        let tokens = tokens_of(path, &CONTRACTS, &mut sources, &mut diagnostics);
        if !tokens.is_empty() {
            files.push(parse(&tokens, &mut diagnostics));
        }
    }
    let mut interface = resolve(&files, scope, &mut diagnostics);
    if !diagnostics.has_errors() {
        inspect(&interface, &mut diagnostics);
    }
    if diagnostics.has_errors() {
        return Err(Box::new(Unreadable(Failure { diagnostics, sources })));
    }
    if interface.name.is_empty() {
        let stem = paths.first().and_then(|path| path.file_stem());
        interface.name = stem.map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    }
    Ok(Document { interface, files, define: define.to_vec(), diagnostics, sources })
}

/// Why files are no interface.
#[derive(Clone, Debug)]
pub struct Unreadable(pub Failure);

impl std::fmt::Display for Unreadable {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&frontend::diagnostics::render(&self.0.diagnostics, &self.0.sources, false))
    }
}

impl std::error::Error for Unreadable {}
