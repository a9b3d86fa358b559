//! Macros by which code finds out which compiler it is given to. They are those of the host's
//! compiler, which compiles the code for replays.

use frontend::limit::Limit;
use frontend::process::{self, Allowance};
use std::ffi::OsString;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

/// The definition by which a user says that the code is for a compiler that is none of GNU's kind.
pub(crate) const NOT_GNU: &str = "__GNUC__=0";

/// What to do about code that only GNU compilers get to see.
pub(crate) const ADVICE: &str = "where the code asks for `__GNUC__` and does without this for other compilers, `-D __GNUC__=0` takes that way";

/// The macros.
const NAMES: [&str; 7] = [
    "__GNUC__",
    "__GNUC_MINOR__",
    "__GNUC_PATCHLEVEL__",
    "__GNUC_STDC_INLINE__",
    "__clang__",
    "__clang_major__",
    "__clang_minor__",
];

/// Definitions of the macros, as arguments of `-D`; none where the compiler does not tell. The
/// compiler of a process is asked once.
pub(super) fn versions(program: &[OsString], limit: &Limit) -> Vec<String> {
    static ANSWER: OnceLock<Vec<String>> = OnceLock::new();
    ANSWER.get_or_init(|| ask(program, limit).unwrap_or_default()).clone()
}

fn ask(program: &[OsString], limit: &Limit) -> Option<Vec<String>> {
    let (name, arguments) = program.split_first()?;
    let mut command = Command::new(name);
    command.args(arguments).args(["-E", "-dM", "-std=gnu11", "-x", "c", "-"]);
    let allowance = Allowance { limit: limit.clone(), ..Allowance::new(Duration::from_secs(20)) };
    let done = process::run(&mut command, &allowance).ok()?.ok()?;
    done.status.success().then(|| found(&String::from_utf8_lossy(&done.stdout)))
}

/// The macros among those that a compiler lists.
fn found(list: &str) -> Vec<String> {
    let definition = |line: &str| {
        let (name, value) = line.strip_prefix("#define ")?.split_once(' ')?;
        NAMES.contains(&name).then(|| format!("{name}={value}"))
    };
    list.lines().filter_map(definition).collect()
}

#[cfg(test)]
mod tests {
    use super::found;

    #[test]
    fn versions_are_picked_out_of_the_list() {
        let list = "#define __linux__ 1\n#define __GNUC__ 12\n#define __GNUC_MINOR__ 2\n#define F(x) x\n#define EMPTY\n";
        assert_eq!(found(list), ["__GNUC__=12", "__GNUC_MINOR__=2"]);
    }
}
