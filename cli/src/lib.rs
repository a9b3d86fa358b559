//! The `chaincover` program: parse the arguments, run the command, return its exit code.
//!
//! A library so that other packages can install the program, too: the Python wheel does.

/// As the macro of the standard library, but without a panic where nobody reads standard error any
/// more (`2>&1 | head`): no message is worth the result. It bears that name so that no call is missed.
macro_rules! eprint {
    ($($argument:tt)*) => {{
        let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!($($argument)*));
    }};
}

/// See `eprint`.
macro_rules! eprintln {
    ($($argument:tt)*) => { eprint!("{}\n", format_args!($($argument)*)) };
}

mod commands;

pub use commands::own::Program;
use std::ffi::OsString;

/// Runs the program on the words of a command line behind the name of the program; once in a
/// process, whose signals it handles. It calls itself again as `program`. Returns the exit code.
pub fn main(words: impl IntoIterator<Item = OsString>, program: &Program) -> u8 {
    commands::main(words.into_iter().collect(), program)
}
