//! What code tells the assembler behind the compiler's back: names of sections and symbols, and
//! assembler code in functions that nothing calls.
//!
//! The model leaves all of it out, but the compiled code of a replay holds it. Code that is
//! executed though nothing calls it, and text that a name carries into the assembler's input, would
//! make the compiled code another program than the model.

use super::token::{Token, TokenKind};

/// Sections whose contents are executed before `main`, or after it, or say what is: by prefix, and
/// by name with or without a number.
const EXECUTED_LISTS: [&str; 7] =
    [".init_array", ".preinit_array", ".fini_array", ".ctors", ".dtors", ".interp", ".dynamic"];
const EXECUTED_CODE: [&str; 2] = [".init", ".fini"];

/// Directives that leave the function in which they stand, read files, or can make such directives.
const LEAVING: [&str; 14] = [
    ".section",
    ".pushsection",
    ".popsection",
    ".previous",
    ".subsection",
    ".text",
    ".data",
    ".bss",
    ".incbin",
    ".include",
    ".macro",
    ".irp",
    ".altmacro",
    ".%",
];

/// What adjacent string literals say together, as they are written.
fn written(literals: &[Token], source: &str) -> String {
    let inner = |token: &Token| {
        let text = token.text(source);
        let start = text.find('"').map_or(0, |quote| quote + 1);
        text[start..].strip_suffix('"').unwrap_or_default().to_owned()
    };
    literals.iter().filter(|token| token.kind == TokenKind::String).map(inner).collect()
}

/// Whether literals name a section that is executed though nothing calls what lies there, or no
/// section at all: an escape or the end of a statement is more than a name.
pub(super) fn names_executed_section(literals: &[Token], source: &str) -> bool {
    let name = written(literals, source);
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_more = name.replace("\\\"", "").contains(['\\', ';', '%']);
    is_more
        || EXECUTED_LISTS.iter().any(|list| name.starts_with(list))
        || EXECUTED_CODE.iter().any(|code| name.strip_prefix(code).is_some_and(is_number))
}

/// Whether literals are a symbol's name and nothing else.
pub(super) fn is_symbol(literals: &[Token], source: &str) -> bool {
    let name = written(literals, source);
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b'@' | b'%');
    !name.starts_with('.') && name.bytes().all(is_part)
}

/// Whether assembler code may do more than its place in a function says. Escapes other than those
/// of white space are not read: whoever writes a letter as a number hides it.
pub(super) fn leaves_its_function(literals: &[Token], source: &str) -> bool {
    let mut code = written(literals, source);
    for (escape, character) in [("\\n", "\n"), ("\\t", "\t"), ("\\\"", "\"")] {
        code = code.replace(escape, character);
    }
    code.contains('\\') || LEAVING.iter().any(|directive| code.contains(directive))
}
