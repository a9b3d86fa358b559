//! What the specification languages share.
pub mod check;
pub mod code;
pub mod evaluate;
pub mod include;
pub mod language;
pub mod lexer;
pub mod lower;
pub mod parser;
pub mod print;
pub mod scope;
pub mod syntax;
pub mod typed;
pub mod types;
pub mod value;
