//! Systems as text: printed for people and tests, parsed back into the same system.
//!
//! [`print()`] and [`parse`] round-trip: parsing builds every term as it is written, without
//! rewriting, so the parsed system has the same tables and structurally equal terms, and prints to
//! the same text. Only symbols outside the tables, unused terms and the order of symbol ids are
//! lost.
//!
//! # Grammar
//! A text is a sequence of statements; line breaks and indentation mean nothing, `;` starts a
//! comment that ends with the line. All names are known in the whole text except those of `let`,
//! which must be defined before they are used. Square brackets enclose what may be left out:
//!
//! ```text
//! system NAME
//! input NAME SORT [choice]                 ; a stimulus unless `choice` is written
//! initial-input NAME SORT [choice]
//! initial-assume EXPR [origin N]
//! state NAME SORT [init EXPR] [next EXPR]  ; initially 0, unchanged by steps unless said otherwise
//! let NAME EXPR                            ; a name for a term, used like a symbol
//! output NAME EXPR
//! assume EXPR [origin N]
//! invariant EXPR [text STRING] [origin N]
//! goal NAME [steps N] [requirement STRING] [text STRING] [origin N] when EXPR [expect EXPR]
//! end EXPR
//! hazard STRING EXPR [modelled] [origin N]
//! call FUNCTION INPUT EXPR [with EXPR] [origin N]   ; the input is the result of a function of math.h, `sin` or `sinf`
//! ```
//!
//! A SORT is `w1` ... `w128`, `f32` or `f64`. An EXPR is one of
//!
//! ```text
//! speed  |a name of any characters|        ; state, input or let; \| and \\ stand for | and \ between bars
//! speed@1                                  ; in a goal: the state or input 1 step after the window's start
//! 5:w8  -1:w8  0xff:w8  true  false        ; words; true and false are 1:w1 and 0:w1
//! 1.5:f32  -0.0:f64  inf:f32  0x7fc00001:f32    ; floats; hexadecimal is the bit pattern
//! 5  0.1                                   ; without sort where an operand beside it or the context gives one
//! (OP ARG ...)
//! ```
//!
//! with the operators
//!
//! ```text
//! not neg and or xor add sub mul udiv urem sdiv srem shl lshr ashr eq ult ule slt sle concat
//! (ite CONDITION THEN OTHERWISE) (extract HIGH LOW ARG) (zext SORT ARG) (sext SORT ARG)
//! float-add float-sub float-mul float-div float-fmod float-remainder float-eq float-lt float-le
//! float-neg float-abs float-sqrt float-is-nan float-is-infinite float-to-bits (float-fma A B C)
//! float-round-nearest-even float-round-nearest-away float-round-zero float-round-up float-round-down
//! (float-from-bits SORT ARG) (float-convert SORT ARG) (float-from-unsigned SORT ARG) (float-from-signed SORT ARG)
//! (float-to-unsigned SORT ARG) (float-to-signed SORT ARG)
//! ```
//!
//! and, read but never printed: `ne`, `ugt`, `uge`, `sgt`, `sge`, `implies`; `and`, `or`, `xor`,
//! `add`, `mul` and `concat` of more than two operands, grouped to the left.
//!
//! # Example
//! ```
//! let text = "
//!     system counter
//!     input up w1
//!     state count w4 next (ite (and up (ult count 9)) (add count 1) count)
//!     goal full when (eq count 9) expect (eq count@1 9)
//! ";
//! let system = chaincover_model::text::parse(text)?;
//! assert_eq!(chaincover_model::text::print(&chaincover_model::text::parse(&chaincover_model::text::print(&system))?),
//!            chaincover_model::text::print(&system));
//! # Ok::<(), chaincover_model::text::ParseError>(())
//! ```

mod lex;
mod operators;
mod parse;
mod print;

pub use parse::{ParseError, Problem, parse};
pub use print::{print, print_term};

#[cfg(test)]
mod tests;
