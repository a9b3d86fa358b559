//! Files with what they include: one sequence of tokens.
//!
//! `include "file"` stands for the tokens of that file, whose path is relative to the file that
//! names it. Parsers never meet the word. A file that was included before is not included again.

use crate::code::Code;
use crate::language::Language;
use crate::lexer::{Token, TokenKind, tokens};
use frontend::code::Common;
use frontend::diagnostics::Diagnostics;
use frontend::source::{FileId, SourceMap, Span};
use std::path::{Path, PathBuf};

/// Files that may include each other in a row.
const MOST_NESTED: usize = 64;

/// The tokens of a file and of all files that it includes, the last of them [`TokenKind::End`].
/// Files that cannot be read, and cycles, are reported.
pub fn tokens_of(
    path: &Path,
    language: &Language,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Vec<Token> {
    let mut reader =
        Reader { language, sources, diagnostics, open: Vec::new(), done: Vec::new(), found: Vec::new() };
    let file = reader.file(path, None);
    let mut found = reader.found;
    if let Some(end) = file {
        found.push(end);
    }
    found
}

struct Reader<'a> {
    language: &'a Language,
    sources: &'a mut SourceMap,
    diagnostics: &'a mut Diagnostics,
    open: Vec<PathBuf>,
    done: Vec<PathBuf>,
    found: Vec<Token>,
}

impl Reader<'_> {
    /// Adds the tokens of a file and returns the one at its end.
    fn file(&mut self, path: &Path, from: Option<Span>) -> Option<Token> {
        // Two ways to write one path are one file.
        let known = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if self.open.contains(&known) || self.open.len() >= MOST_NESTED {
            let message = format!("`{}` includes itself, by way of other files or at once", path.display());
            self.diagnostics.error(Code::IncludeCycle, from, message);
            return None;
        }
        if self.done.contains(&known) {
            return None;
        }
        let file = self.sources.open(path);
        if self.sources.files[file].text.is_none() {
            let why = std::fs::read(path).err().map(|error| format!(": {error}")).unwrap_or_default();
            let message = format!("cannot read `{}`{why}", path.display());
            self.diagnostics.error(Common::UnreadableFile, from, message);
            return Some(end_of(file));
        }
        self.open.push(known.clone());
        let end = self.tokens(file, path);
        self.open.pop();
        self.done.push(known);
        end
    }

    fn tokens(&mut self, file: FileId, path: &Path) -> Option<Token> {
        let mut rest = tokens(self.sources, file, self.language, self.diagnostics).into_iter().peekable();
        while let Some(token) = rest.next() {
            match token.kind {
                TokenKind::End => return Some(token),
                TokenKind::Keyword("include") => {
                    let named = rest.next_if(|next| matches!(next.kind, TokenKind::Text(_)));
                    let Some(Token { kind: TokenKind::Text(name), extent }) = named else {
                        self.diagnostics
                            .error(Code::Unexpected, Some(token.extent.span), "`include` names no file")
                            .advice("write `include \"file\"`");
                        continue;
                    };
                    let folder = path.parent().unwrap_or(Path::new(""));
                    self.file(&folder.join(name), Some(extent.span));
                }
                _ => self.found.push(token),
            }
        }
        None
    }
}

fn end_of(file: FileId) -> Token {
    let span = Span { file, line: 1, column: 0 };
    Token { kind: TokenKind::End, extent: crate::lexer::Extent { span, from: 0, to: 0 } }
}
