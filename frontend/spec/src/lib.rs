//! What the specification languages share: requirement interfaces (`*.ri`), action systems (`*.as`)
//! and timed symbolic systems (`*.tio`) have one lexis, one language of types and expressions, and
//! one meaning of both, and it stands here.
//!
//! ```text
//! file -> tokens -> syntax trees -> typed expressions -> values (interpreter) | terms of the model
//!   include   parser        check (a Scope)       evaluate              lower
//! ```
//!
//! A language adds its words to a table of [`language`], declarations of its own over
//! [`parser::Parser`], and its variables to a [`scope::Scope`]; [`scope::Scope::declare_common`]
//! knows `const`, `type` and `define`. Errors are collected in
//! [`Diagnostics`](frontend::diagnostics::Diagnostics): a function that returns
//! [`parser::Reported`] has put its message there, and the caller goes on with the next
//! declaration.
//!
//! # An expression from text to term
//! ```
//! use frontend::diagnostics::Diagnostics;
//! use frontend::source::SourceMap;
//! use model::term::TermPool;
//! use spec::check::Checker;
//! use spec::language::CONTRACTS;
//! use spec::scope::{Scope, Variable};
//! use spec::value::Value;
//! use spec::{evaluate::evaluate, lexer, lower::Lowering, parser::Parser};
//! # fn main() -> Result<(), spec::parser::Reported> {
//! let (mut sources, mut diagnostics) = (SourceMap::default(), Diagnostics::default());
//! let text = "const N = 5  hidden k : 0..N  k' = k + 1 and k < N";
//! let file = sources.add_text("example.ri".as_ref(), text);
//! let tokens = lexer::tokens(&sources, file, &CONTRACTS, &mut diagnostics);
//!
//! // Parse: declarations of the core, declarations of the language, expressions.
//! let mut parser = Parser::new(&tokens, &CONTRACTS, &mut diagnostics);
//! let constant = parser.common().expect("a declaration of the core")?;
//! parser.expect("hidden", "before a hidden variable")?;
//! let name = parser.name("a variable")?;
//! parser.expect(":", "between a variable and its type")?;
//! let written_type = parser.type_expr()?;
//! let tree = parser.expression()?;
//!
//! // Check: names, types, ranges.
//! let mut scope = Scope::new();
//! scope.declare_common(&constant, &mut diagnostics)?;
//! let ty = scope.resolve(&written_type, &mut diagnostics)?;
//! let role = "hidden variable";
//! let variable = Variable { name: name.text, ty, role, can_be_primed: true, extent: name.extent };
//! let k = scope.declare(variable, &mut diagnostics)?;
//! let condition = Checker::new(&scope, &mut diagnostics).condition(&tree)?;
//!
//! // Evaluate: 3 before the step, 4 after it.
//! let value = |_, primed| Value::Integer(if primed { 4 } else { 3 });
//! assert_eq!(evaluate(&condition, &value), Some(Value::Bool(true)));
//!
//! // Lower: the caller gives the words of the variable before and after the step.
//! let mut pool = TermPool::new();
//! let sort = scope.variable(k).ty.sort().expect("integers have words");
//! let [before, after] = ["k", "k'"].map(|name| {
//!     let symbol = pool.fresh_symbol(name, sort);
//!     pool.symbol_term(symbol)
//! });
//! let words = |_, primed| if primed { after } else { before };
//! let term = Lowering::new(&mut pool, &words, &mut diagnostics).condition(&condition)?;
//! assert_eq!(pool.width(term), 1);
//! assert!(diagnostics.entries.is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! Use [`parser::Parser::declarations`] to read a file with several errors, [`include::tokens_of`]
//! to read it with what it includes, [`check::Checker::assigned`] with
//! [`lower::Lowering::assigned`] for assignments (a value outside its range is not allowed, never
//! wrapped), [`fit::fit`] for warnings about them, and [`print`](mod@print) for mutants and
//! messages.

pub mod check;
pub mod code;
pub mod evaluate;
pub mod fit;
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
