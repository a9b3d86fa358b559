//! Removes what compilers add to C and what changes no meaning here.
//!
//! GNU attributes, `__extension__`, `restrict`, assembler names of declarations and comments become
//! blanks; reserved spellings (`__inline__`, `__const`) become the ordinary ones. Every byte that
//! stays keeps its offset, so positions need no second map. Attributes that do change the layout or
//! the meaning of a program are kept as tokens of their own, so that none of them is lost silently.

use super::SyntaxError;
use super::assembler::{is_symbol, leaves_its_function, names_executed_section};
use super::ast::Position;
use super::token::{Token, TokenKind, tokenize};
use crate::code::Code;
use std::borrow::Cow;
use std::ops::Range;

/// Text and tokens after cleaning; offsets are those of the text before. Attribute tokens stand in
/// the text before only.
pub(crate) struct Cleaned {
    pub(crate) text: String,
    pub(crate) tokens: Vec<Token>,
    /// What compiled code would do though nothing in the model calls it.
    pub(crate) uncalled: Vec<SyntaxError>,
    /// Assembler names of what is declared at file scope: the model goes by the names of C.
    pub(crate) labels: Vec<Range<u32>>,
}

/// Attributes that change layout or meaning. All others only advise the compiler.
const MEANINGFUL: [&str; 12] = [
    "packed",
    "aligned",
    "vector_size",
    "mode",
    "scalar_storage_order",
    "transparent_union",
    "ms_struct",
    "cleanup",
    "alias",
    "ifunc",
    "weakref",
    "align",
];

/// Words whose parentheses a statement may follow.
const HEADS: [&str; 4] = ["if", "while", "for", "switch"];

/// Words between `asm` and its code.
const QUALIFIERS: [&str; 3] = ["volatile", "goto", "inline"];

/// Cleans preprocessed text.
pub(crate) fn clean(source: &str) -> Cleaned {
    let tokens = tokenize(source);
    let mut cleaner = Cleaner {
        source,
        tokens: &tokens,
        next: 0,
        kept: Vec::with_capacity(tokens.len()),
        text: blank(source),
        depth: 0,
        uncalled: Vec::new(),
        labels: Vec::new(),
    };
    while cleaner.next < tokens.len() {
        cleaner.step();
    }
    let Cleaner { kept: tokens, text, uncalled, labels, .. } = cleaner;
    let text = String::from_utf8(text).expect("tokens should begin and end at characters");
    Cleaned { text, tokens, uncalled, labels }
}

/// Text of the same length with line feeds at the same places and blanks elsewhere.
fn blank(source: &str) -> Vec<u8> {
    source.bytes().map(|byte| if byte == b'\n' { b'\n' } else { b' ' }).collect()
}

impl Cleaned {
    /// The text for tree-sitter, which knows no functions without result type (`main() { ... }`):
    /// their names become a type and a name.
    pub(crate) fn for_tree(&self) -> Cow<'_, str> {
        let mut text = Cow::Borrowed(self.text.as_str());
        let mut depth = 0usize;
        let mut begins_item = true;
        for (index, token) in self.tokens.iter().enumerate() {
            let word = token.text(&self.text);
            match word {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                _ if depth == 0 && begins_item && self.is_function_without_type(index) => {
                    let range = token.start as usize..token.start as usize + 3;
                    text.to_mut().replace_range(range, "T x");
                    let rest = token.start as usize + 3..token.end as usize;
                    text.to_mut().replace_range(rest.clone(), &" ".repeat(rest.len()));
                }
                _ => {}
            }
            begins_item =
                matches!(word, ";" | "}") || begins_item && matches!(word, "static" | "extern" | "inline");
        }
        text
    }

    /// Whether a name, its parenthesised parameters and a body begin at a token.
    fn is_function_without_type(&self, index: usize) -> bool {
        let name = self.tokens[index];
        let is_name = name.kind == TokenKind::Word && name.end - name.start >= 3;
        let mut depth = 0usize;
        for (place, token) in self.tokens.iter().enumerate().skip(index + 1) {
            match token.text(&self.text) {
                "(" => depth += 1,
                ")" if depth == 1 => {
                    return is_name
                        && self.tokens.get(place + 1).is_some_and(|next| next.text(&self.text) == "{");
                }
                ";" | "{" | "}" => return false,
                _ if depth == 0 => return false,
                ")" => depth -= 1,
                _ => {}
            }
        }
        false
    }
}

struct Cleaner<'a> {
    source: &'a str,
    tokens: &'a [Token],
    next: usize,
    kept: Vec<Token>,
    text: Vec<u8>,
    /// Open braces.
    depth: usize,
    uncalled: Vec<SyntaxError>,
    labels: Vec<Range<u32>>,
}

impl Cleaner<'_> {
    fn step(&mut self) {
        let token = self.tokens[self.next];
        let text = token.text(self.source);
        if text == "[" && self.word_at(self.next + 1) == Some("[") {
            return self.bracketed_attributes();
        }
        if token.kind != TokenKind::Word {
            return self.keep(token);
        }
        match text {
            "__attribute__" | "__attribute" | "__declspec" => self.attributes(),
            "asm" | "__asm" | "__asm__" if self.is_statement_start() => self.assembler_code(token),
            "asm" | "__asm" | "__asm__" => self.assembler_name(token),
            "__extension__" | "restrict" | "__restrict" | "__restrict__" | "_Noreturn" => self.next += 1,
            _ => match ordinary_spelling(text) {
                Some(spelling) => self.replace(token, spelling),
                None => self.keep(token),
            },
        }
    }

    fn keep(&mut self, token: Token) {
        let range = token.start as usize..token.end as usize;
        self.text[range.clone()].copy_from_slice(&self.source.as_bytes()[range]);
        match token.text(self.source) {
            "{" => self.depth += 1,
            "}" => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.kept.push(token);
        self.next += 1;
    }

    /// Notes what compiled code would do though nothing calls it.
    fn refuse(&mut self, token: Token, code: Code, message: String) {
        self.uncalled.push(SyntaxError { position: Position(token.start), code, message, advice: None });
    }

    /// Assembler code belongs to the function that holds it, which the parser refuses where it is
    /// executed, if it is no more than that.
    fn assembler_code(&mut self, token: Token) {
        let start = self.next;
        let range = self.skip_with_parentheses();
        if self.depth > 0 && !leaves_its_function(&self.tokens[range], self.source) {
            self.next = start;
            return self.keep(token);
        }
        self.refuse(token, Code::UnsupportedAsm, "assembler code is not supported".to_owned());
    }

    /// The name that the assembler is given for what is declared.
    fn assembler_name(&mut self, token: Token) {
        let range = self.skip_with_parentheses();
        let Some(last) = self.tokens[range.clone()].last().copied() else { return };
        if !is_symbol(&self.tokens[range], self.source) {
            let message = "this name for the assembler is not supported".to_owned();
            self.refuse(token, Code::UnsupportedAsm, message);
        } else if self.depth == 0 {
            self.labels.push(token.start..last.end);
        }
    }

    fn replace(&mut self, token: Token, spelling: &str) {
        let start = token.start as usize;
        self.text[start..start + spelling.len()].copy_from_slice(spelling.as_bytes());
        self.kept.push(Token { end: token.start + spelling.len() as u32, ..token });
        self.next += 1;
    }

    /// Whether the next token begins a statement or file-scope item: an `asm` there has effects.
    fn is_statement_start(&self) -> bool {
        let Some(last) = self.kept.last() else { return true };
        match last.text(self.source) {
            ";" | "{" | "}" | ":" | "else" | "do" => true,
            ")" => self.word_before_parentheses().is_some_and(|word| HEADS.contains(&word)),
            _ => false,
        }
    }

    /// The word before the parenthesis that the last token closes.
    fn word_before_parentheses(&self) -> Option<&str> {
        let mut depth = 0usize;
        for (index, token) in self.kept.iter().enumerate().rev() {
            match token.text(self.source) {
                ")" => depth += 1,
                "(" if depth == 1 => return Some(self.kept.get(index.checked_sub(1)?)?.text(self.source)),
                "(" => depth -= 1,
                _ => {}
            }
        }
        None
    }

    /// Skips a word, what may stand between, and the parenthesised tokens after it; returns their
    /// range.
    fn skip_with_parentheses(&mut self) -> Range<usize> {
        self.next += 1;
        while self.word_at(self.next).is_some_and(|text| QUALIFIERS.contains(&text.trim_matches('_'))) {
            self.next += 1;
        }
        let start = self.next;
        let mut depth = 0usize;
        while let Some(text) = self.word_at(self.next) {
            match text {
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if start == self.next && depth == 0 {
                break;
            }
            self.next += 1;
            if depth == 0 {
                break;
            }
        }
        start..self.next
    }

    fn word_at(&self, index: usize) -> Option<&str> {
        let token = self.tokens.get(index).filter(|token| token.kind != TokenKind::End)?;
        Some(token.text(self.source))
    }

    fn attributes(&mut self) {
        let range = self.skip_with_parentheses();
        self.keep_meaningful(range);
    }

    /// Skips `[[...]]`: nothing else in C begins with two brackets.
    fn bracketed_attributes(&mut self) {
        let start = self.next;
        let mut depth = 0usize;
        while let Some(text) = self.word_at(self.next) {
            match text {
                "[" => depth += 1,
                "]" => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.next += 1;
            if depth == 0 {
                break;
            }
        }
        self.keep_meaningful(start..self.next);
    }

    fn keep_meaningful(&mut self, range: Range<usize>) {
        for index in range.clone() {
            let token = self.tokens[index];
            if token.kind != TokenKind::Word {
                continue;
            }
            let name = token.text(self.source);
            let rest = &self.tokens[index + 1..range.end];
            let end = rest.iter().position(|token| token.text(self.source) == ")").unwrap_or(rest.len());
            let is_executed = match name.trim_matches('_') {
                "constructor" | "destructor" => true,
                "section" | "symver" => names_executed_section(&rest[..end], self.source),
                _ => false,
            };
            if is_executed {
                let message = format!("the attribute `{name}` is not supported here");
                self.refuse(token, Code::UnsupportedAttribute, message);
            } else if MEANINGFUL.contains(&name.trim_matches('_')) {
                self.kept.push(Token { kind: TokenKind::Attribute, ..token });
            }
        }
    }
}

/// The ordinary spelling of a reserved word, never longer than it.
fn ordinary_spelling(word: &str) -> Option<&'static str> {
    Some(match word {
        "__inline" | "__inline__" | "__forceinline" => "inline",
        "__const" | "__const__" => "const",
        "__volatile" | "__volatile__" => "volatile",
        "__signed" | "__signed__" => "signed",
        "__builtin_offsetof" => "offsetof",
        "_Alignof" => "alignof",
        "__alignof__" => "__alignof",
        "__typeof" | "__typeof__" => "typeof",
        "__builtin_va_arg" => "va_arg",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &[&str]) {
        let cleaned = clean(source);
        let words: Vec<&str> = cleaned.text.split_whitespace().collect();
        assert_eq!(words, expected);
        assert_eq!(cleaned.text.len(), source.len());
    }

    #[test]
    fn blanks_and_respells() {
        check("int f(void) __attribute__((pure)); /*c*/ x", &["int", "f(void)", ";", "x"]);
        check("__inline__ int *__restrict p;", &["inline", "int", "*", "p;"]);
        check("int y __asm__(\"_y\" \"z\"); { asm (\"nop\");", &["int", "y", ";", "{", "asm", "(\"nop\");"]);
        check("__extension__ typedef long long q;", &["typedef", "long", "long", "q;"]);
        check("__attribute__ x", &["x"]);
    }

    /// Assembler code is a statement wherever one may stand, and what leaves its function is
    /// refused though nothing calls the function.
    #[test]
    fn what_the_assembler_gets_is_seen() {
        for (source, refused, labels) in [
            ("void f(void) { if (x) asm (\"nop\"); do asm(\"nop\"); while (g(1)); }", 0, 0),
            ("void f(void) { asm volatile (\".pushsection .a\\n.quad g\" : : \"i\"(1)); }", 1, 0),
            ("void f(void) { asm(\"\\x2eincbin\"); asm(\".\" \"%c0 .a\" : : \"i\"(&section)); }", 2, 0),
            ("asm(\"nop\");", 1, 0),
            ("int f(void) asm(\"\" \"g\"); int x asm(\"_x\");", 0, 2),
            ("int f(void) asm(\"g\\n.data\"); void h(void) { extern int y asm(\".data\"); }", 2, 0),
            ("int x __attribute__((section(\".in\" \"it_array\")));", 1, 0),
            (
                "int x __attribute__((section(\".a\\n.init_array\"), section(\".b,\\\"aw\\\",@nobits#\")));",
                1,
                0,
            ),
        ] {
            let cleaned = clean(source);
            assert_eq!((cleaned.uncalled.len(), cleaned.labels.len()), (refused, labels), "{source}");
            let statements = cleaned.text.matches("asm").count();
            assert_eq!(statements, if source.contains("if (x)") { 2 } else { 0 }, "{source}");
        }
    }

    #[test]
    fn moves_nothing() {
        let source = "a __attribute__((x)) b /* c */ __const d\n__extension__ e";
        let cleaned = clean(source);
        for word in [" b", " d", " e", "\n"] {
            assert_eq!(source.find(word), cleaned.text.find(word), "{word:?}");
        }
    }

    #[test]
    fn keeps_attributes_that_matter() {
        let cleaned = clean("struct __attribute__((__packed__, unused)) s { int a; };");
        let kinds: Vec<TokenKind> = cleaned.tokens.iter().take(3).map(|token| token.kind).collect();
        assert_eq!(kinds, [TokenKind::Word, TokenKind::Attribute, TokenKind::Word]);
    }
}
