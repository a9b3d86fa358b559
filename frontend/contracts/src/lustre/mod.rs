//! Contracts of Lustre as Kind 2 has them (Champion, Gurfinkel, Kahsai, Tinelli: "CoCoSpec: a
//! mode-aware contract language for reactive systems", SEFM 2016), made of interfaces and read as
//! interfaces.
//!
//! ```text
//! Interface -> emit -> text -> lexer, parser -> Contract -> import -> text of an interface
//! ```
//! A value now is `x` in Lustre and `x'` in interfaces; the value a step before is `pre x` there and
//! `x` here. `a -> b` is `a` in step 0 and `b` later, which are the initial and the update contracts.

mod emit;
mod import;
mod lexer;
mod parser;
mod syntax;

pub use emit::{Emitted, Inexpressible, emit};
pub use import::{Wishes, import};

/// Words that are no names.
const KEYWORDS: [&str; 58] = [
    "and",
    "any",
    "array",
    "assert",
    "assume",
    "bool",
    "check",
    "choose",
    "con",
    "condact",
    "const",
    "contract",
    "current",
    "div",
    "else",
    "ensure",
    "enum",
    "every",
    "exists",
    "false",
    "fby",
    "fi",
    "forall",
    "from",
    "function",
    "guarantee",
    "if",
    "import",
    "imported",
    "in",
    "int",
    "let",
    "main",
    "map",
    "merge",
    "mod",
    "mode",
    "node",
    "noc",
    "not",
    "of",
    "or",
    "param",
    "pre",
    "provided",
    "real",
    "require",
    "restart",
    "returns",
    "set",
    "struct",
    "subrange",
    "tel",
    "then",
    "true",
    "type",
    "var",
    "xor",
];
