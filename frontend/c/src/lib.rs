//! The C front end.
//!
//! ```text
//! text -> preprocess -> syntax -> lower -> ir::Program -> exec -> TransitionSystem
//! ```
//! [`ir`] is the waist: everything before it knows C's grammar, everything after it knows only what programs mean.

pub mod code;
mod deep_stack;
mod detect;
mod exec;
mod goals;
mod harness;
pub mod ir;
mod library;
pub mod lower;
mod preprocess;
pub mod request;
mod syntax;
mod translate;

pub use deep_stack::deep_stack;
pub use translate::{translate, translate_program, translate_with};

/// Reads the files of a request.
///
/// # Errors
/// If a file cannot be read, is no C that is supported, or an expression of the request is not valid.
pub fn load(request: &request::Request) -> Result<ir::Program, request::Failure> {
    lower::load_request(request, |program| {
        let entry = detect::detect(program, request).ok()?;
        let step = entry.steps.first().map(|step| step.function);
        step.or(entry.driver.map(|driver| driver.function))
    })
}
