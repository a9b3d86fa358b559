//! The compiler of native replays and what it can do.

use super::Mode;
use frontend::process::{self, Allowance};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

pub(super) fn compiler(mode: Mode) -> Vec<String> {
    let common = [
        "cc",
        "-std=gnu11",
        "-O0",
        "-w",
        "-fwrapv",
        "-fno-strict-aliasing",
        "-ffp-contract=off",
        ROUNDING,
        "-fno-builtin",
    ];
    let common = common.into_iter().chain([
        "-fno-stack-protector",
        "-Wno-implicit-function-declaration",
        "-no-pie",
        "-fno-pie",
    ]);
    let special: &[&str] = match mode {
        Mode::Host => &[],
        Mode::Compact => {
            &["-m32", "-msse2", "-mfpmath=sse", "-mno-sse3", "-nostdlib", "-static", "-ffreestanding"]
        }
    };
    let mut command: Vec<String> = common.chain(special.iter().copied()).map(str::to_owned).collect();
    if clears_locals() {
        command.push(CLEAR_LOCALS.to_owned());
    }
    command
}

/// Keeps GCC from computing `0.0 - (double)i` as a negation, which yields -0.0 where IEEE 754 says
/// +0.0.
pub(in crate::harness) const ROUNDING: &str = "-frounding-math";

/// Gives variables without an initialiser the value that they have in the model, where C leaves it
/// open.
const CLEAR_LOCALS: &str = "-ftrivial-auto-var-init=zero";

/// Whether the host's compiler can clear local variables. Asked once.
fn clears_locals() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| {
        let Ok(folder) = tempfile::tempdir() else { return false };
        let is_written = std::fs::write(folder.path().join("probe.c"), "int chaincover_probe;\n").is_ok();
        let arguments = ["-Werror", CLEAR_LOCALS, "-c", "-o", "probe.o", "probe.c"];
        is_written && succeeds(Command::new("cc").args(arguments).current_dir(folder.path()))
    })
}

/// Whether the host's compiler makes 32-bit programs without a C library, and the host runs them.
/// Asked once.
pub(super) fn runs_compact() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| {
        let Ok(folder) = tempfile::tempdir() else { return false };
        let text = "int chaincover_probe(void) { return sizeof(void *) == 4 ? 0 : 1; }\n\
                    void _start(void) { int code = chaincover_probe(); __asm__ volatile(\"int $0x80\" : : \"a\"(1), \"b\"(code)); }\n";
        if std::fs::write(folder.path().join("probe.c"), text).is_err() {
            return false;
        }
        let mut command = compiler(Mode::Compact);
        command.extend(["-o".to_owned(), "probe".to_owned(), "probe.c".to_owned()]);
        let run = |program: &str, arguments: &[String]| {
            succeeds(Command::new(program).args(arguments).current_dir(folder.path()))
        };
        let program = folder.path().join("probe");
        run(&command[0], &command[1..]) && run(&program.to_string_lossy(), &[])
    })
}

/// Whether a program ends well, and soon.
fn succeeds(command: &mut Command) -> bool {
    let done = process::run(command, &Allowance::new(PROBING));
    done.is_ok_and(|done| done.is_ok_and(|done| done.status.success()))
}

/// What compiling or running one line of C may take.
const PROBING: Duration = Duration::from_secs(10);
