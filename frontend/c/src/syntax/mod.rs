//! From preprocessed text to a syntax tree.
//!
//! tree-sitter finds the statement structure ([`tree`]); declarations and expressions are parsed
//! from their tokens by an own parser that knows which names are types where it stands
//! ([`parser`]), because C cannot be parsed without that: `(T)-x`, `(T)*p`, `(T)(x)`, `T * x;`. The
//! result is a tree of own nodes ([`ast`]).

mod assembler;
pub(crate) mod ast;
mod clean;
mod parser;
pub(crate) mod token;
mod tree;

use crate::code::Code;
use ast::{Expression, Item, Position};
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;
pub(crate) use tree::{Part, Skeleton};

/// A text that is no C, or C that this tool does not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SyntaxError {
    pub(crate) position: Position,
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) advice: Option<String>,
}

/// Alignment limits that `#pragma pack` sets: byte offset from which one holds, and the limit
/// (`None`: natural alignment).
pub(crate) type Packing = [(u32, Option<u32>)];

/// A parsed file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parsed {
    pub(crate) items: Vec<Item>,
    pub(crate) errors: Vec<SyntaxError>,
    /// Names of types at file scope, at the end of the file.
    pub(crate) type_names: BTreeSet<String>,
    /// What compiled code would do though nothing in the model calls it, wherever it stands.
    pub(crate) uncalled: Vec<SyntaxError>,
    /// Assembler names at file scope.
    pub(crate) labels: Vec<Range<u32>>,
}

/// Parses a preprocessed file without line markers. Reports as many errors as it can find; of items
/// with errors only the names are left.
pub(crate) fn parse_file(text: &str, packing: &Packing) -> Parsed {
    let cleaned = clean::clean(text);
    let trees = tree::Trees::new(&cleaned);
    let mut parser = parser::Parser::new(text, &cleaned, Some(&trees), packing);
    let items = parser.file();
    let (errors, type_names) = parser.finish();
    let clean::Cleaned { uncalled, labels, .. } = cleaned;
    Parsed { items, errors, type_names, uncalled, labels }
}

/// The grammar's view of a preprocessed file.
pub(crate) fn grammar_view(text: &str) -> Rc<Skeleton> {
    tree::Trees::new(&clean::clean(text)).whole()
}

/// Parses one expression of a configuration, which may use `scope::name`.
pub(crate) fn parse_expression(
    text: &str,
    type_names: &BTreeSet<String>,
) -> Result<Expression, Vec<SyntaxError>> {
    let cleaned = clean::clean(text);
    let mut parser = parser::Parser::new(text, &cleaned, None, &[]).for_configuration(type_names);
    let expression = parser.whole_expression();
    let (errors, _) = parser.finish();
    expression.filter(|_| errors.is_empty()).ok_or(errors)
}
