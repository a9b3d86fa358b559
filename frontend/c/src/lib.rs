//! The C front end.
//!
//! ```text
//! text -> preprocess -> syntax -> lower -> ir::Program -> exec -> TransitionSystem
//! ```
//! [`ir`] is the waist: everything before it knows C's grammar, everything after it knows only what
//! programs mean.

pub mod code;
mod deep_stack;
mod detect;
mod exec;
mod goals;
mod harness;
pub mod ir;
mod library;
pub mod lower;
pub mod mutate;
mod preprocess;
mod readings;
mod syntax;
mod translate;

use frontend::{Failure, FrontEnd, Judge, Request, Translated};
use std::path::Path;

pub use deep_stack::deep_stack;
pub use translate::{translate, translate_program, translate_program_with, translate_with};

/// Reads the files of a request.
///
/// # Errors
/// If a file cannot be read, is no C that is supported, or an expression of the request is not
/// valid.
pub fn load(request: &Request) -> Result<ir::Program, Failure> {
    lower::load_request(request, |program| {
        let entry = detect::detect(program, request).ok()?;
        let step = entry.steps.first().map(|step| step.function);
        step.or(entry.driver.map(|driver| driver.function))
    })
}

/// The C front end. It takes every file that no other front end reads: C has many endings.
#[derive(Clone, Copy, Debug)]
pub struct C;

impl FrontEnd for C {
    fn language(&self) -> &'static str {
        "C"
    }
    fn reads(&self, _: &Path) -> bool {
        true
    }
    fn translate(&self, request: &Request, judge: &dyn Judge) -> Result<Translated, Failure> {
        translate_with(request, judge)
    }
}
