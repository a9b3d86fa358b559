//! Confinement of the user's code while it is run.
//!
//! A small program limits itself and then becomes the one that is to be run: processor time,
//! address space, sizes of files; no further processes, no network, no files but those of the
//! temporary folder and what a loader reads, as far as the kernel knows how. It is compiled once
//! for each run of this tool, and nothing of it stays on the disk.

use super::NativeError;
use super::process::call;
use frontend::process::Allowance;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

/// The program that limits itself.
const SOURCE: &str = include_str!("confine.c");

/// Address space that the user's code may have.
const MOST_BYTES: u64 = 4 << 30;

/// Processor time that it may take beyond the time by the clock, which is measured from outside.
const SPARE: Duration = Duration::from_secs(2);

/// The launcher, and what it cannot keep out on this host.
struct Launcher {
    program: File,
    /// Whether the host's C library lies where a confined program may not read.
    reads: bool,
}

/// A command that runs another one confined, and what it is not kept from.
#[derive(Debug)]
pub(crate) struct Confined {
    pub(crate) command: Vec<String>,
    pub(crate) lacks: Option<&'static str>,
}

/// What is said of programs that run as they are, and of those that may read whatever the user may.
const NOT_CONFINED: &str = "not confined";
const READING: &str = "reading not confined";

/// What a confined program may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writing {
    Nothing,
    /// Files that are in its folder already: whoever makes as many as he likes fills the disk.
    Present,
    /// Files of its folder, new ones too: simulators of hardware record waves if a design says so.
    Files,
}

/// The command that runs another one confined to a folder; the command itself where there is no
/// confinement on this host.
///
/// # Errors
/// Where a limit is reached meanwhile.
pub(crate) fn confined(
    command: &[String],
    folder: &Path,
    writing: Writing,
    allowance: &Allowance,
) -> Result<Confined, NativeError> {
    static LAUNCHER: OnceLock<Option<Launcher>> = OnceLock::new();
    let launcher = match LAUNCHER.get() {
        Some(known) => known,
        None => {
            let made = launcher(allowance)?;
            LAUNCHER.get_or_init(|| made)
        }
    };
    let launcher = launcher.as_ref().map(|launcher| (path_of(&launcher.program), launcher.reads));
    let Some((program, reads)) = launcher.filter(|(path, _)| path.exists()) else {
        return Ok(Confined { command: command.to_vec(), lacks: Some(NOT_CONFINED) });
    };
    let words = launched(&program, (writing, reads), folder, command, allowance);
    Ok(Confined { command: words, lacks: reads.then_some(READING) })
}

/// The launcher's words.
fn launched(
    launcher: &Path,
    (writing, reads): (Writing, bool),
    folder: &Path,
    command: &[String],
    allowance: &Allowance,
) -> Vec<String> {
    let seconds = (allowance.longest + SPARE).as_secs();
    let mut words = vec![launcher.display().to_string(), seconds.to_string(), MOST_BYTES.to_string()];
    words.extend([(writing as u8).to_string(), u8::from(reads).to_string(), folder.display().to_string()]);
    words.extend(command.iter().cloned());
    words
}

/// An open file can be run although it has no name any more.
fn path_of(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd()))
}

/// The compiled program, open and without a name; `None` where it does not compile or does not run.
fn launcher(allowance: &Allowance) -> Result<Option<Launcher>, NativeError> {
    let folder = tempfile::Builder::new().prefix("chaincover-confine-").tempdir();
    let folder = folder.map_err(NativeError::Files)?;
    let source = folder.path().join("confine.c");
    std::fs::write(source, SOURCE).map_err(NativeError::Files)?;
    let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
    let compiled = call(&words("cc -std=gnu11 -O0 -w -o confine confine.c"), folder.path(), allowance)?;
    if compiled.failure.is_some() {
        return Ok(None);
    }
    let program = File::open(folder.path().join("confine")).map_err(NativeError::Files)?;
    // Without a command, it says that it runs and does nothing; so it is asked to run itself.
    let own = ["./confine".to_owned()];
    let runs = |reads: bool| {
        let probe = launched(&path_of(&program), (Writing::Nothing, reads), folder.path(), &own, allowance);
        let ended = call(&probe, folder.path(), allowance);
        ended.is_ok_and(|ended| ended.failure.as_deref() == Some("exit code 126"))
    };
    let reads = !runs(false);
    let works = !reads || runs(true);
    Ok(works.then_some(Launcher { program, reads }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::{NativeRun, run};
    use frontend::ReplayPlan;
    use std::time::Instant;

    const LIMIT: Duration = Duration::from_secs(20);

    /// Runs a program that is what a model could be, with its time and what came of it.
    fn replay(program: &str, allowance: &Allowance) -> (Result<NativeRun, NativeError>, Duration) {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect();
        let plan = ReplayPlan {
            files: vec![("main.c".into(), program.into())],
            commands: vec![words("cc -w -o main main.c"), words("./main")],
            how: "native".into(),
            goals: Vec::new(),
            secrets: Vec::new(),
        };
        let started = Instant::now();
        (run(&plan, allowance), started.elapsed())
    }

    /// The exit code that a program ends with.
    fn exit_code(program: &str) -> String {
        let (ended, took) = replay(program, &Allowance::new(LIMIT));
        assert!(took < LIMIT, "{took:?}");
        let ended = ended.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(ended.lacks, None);
        ended.crash.unwrap_or_default()
    }

    /// Version of Landlock, 0 for none.
    fn landlock() -> u32 {
        let ask = "#include <unistd.h>\nint main(void) { long v = syscall(444, 0, 0, 1); _exit(v < 0 ? 100 : 100 + v); }";
        let code = exit_code(ask);
        code.strip_prefix("exit code ").and_then(|code| code.parse().ok()).map_or(0, |code: u32| code - 100)
    }

    /// How the runs of a program end that does another thing for each letter, and is compiled once.
    fn endings(program: &str, letters: &str) -> Vec<Option<String>> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("main.c"), program).expect("a file");
        let allowance = Allowance::new(LIMIT);
        let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
        let compiled = call(&words("cc -w -o main main.c"), folder.path(), &allowance).expect("a compiler");
        assert_eq!(compiled.failure, None, "{}", compiled.stderr);
        let run = |letter: char| {
            let command = words(&format!("./main {letter}"));
            let confined = confined(&command, folder.path(), Writing::Nothing, &allowance);
            let confined = confined.expect("there is time enough");
            assert_eq!(confined.lacks, None);
            // The caller of this tool may have opened what is nobody's business.
            let opening = ["sh", "-c", "exec 7<main.c 9>>main.c; exec \"$@\"", "sh"].map(str::to_owned);
            let command = [&opening, confined.command.as_slice()].concat();
            call(&command, folder.path(), &allowance).expect("it should start").failure
        };
        letters.chars().map(run).collect()
    }

    #[test]
    fn what_no_replay_needs_ends_the_program() {
        let program = "#define _GNU_SOURCE\n#include <fcntl.h>\n#include <signal.h>\n#include <stdlib.h>\n#include <sys/ptrace.h>\n\
            #include <sys/resource.h>\n#include <sys/shm.h>\n#include <sys/socket.h>\n#include <sys/stat.h>\n#include <sys/time.h>\n#include <unistd.h>\n\
            int main(int count, char **words) { struct rlimit none = { 0, 0 };\n    switch (words[1][0]) {\n\
            case 'a': if (fork() == 0) sleep(60); break;\n    case 'b': socket(AF_UNIX, SOCK_DGRAM, 0); break;\n\
            case 'c': kill(getppid(), 0); break;\n    case 'd': prlimit(getppid(), RLIMIT_CPU, &none, 0); break;\n\
            case 'e': chmod(\"main\", 0600); break;\n    case 'f': utimes(\"main\", 0); break;\n\
            case 'g': syscall(425, 4, &none); break;\n    case 'h': shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600); break;\n\
            case 'i': setsid(); break;\n    case 'j': ptrace(PTRACE_TRACEME); break;\n    case 'k': tgkill(getppid(), getppid(), 0); break;\n\
            case 'r': abort();\n    case 's': _exit(fcntl(1, F_SETOWN, getppid()) == 0 ? 1 : 3);\n    }\n    _exit(2);\n}";
        if cfg!(not(target_arch = "x86_64")) {
            println!("this machine has no filter of system calls");
            return;
        }
        let ended = endings(program, "abcdefghijkrs");
        let (refused, others) = ended.split_at(11);
        assert!(refused.iter().all(|how| how.as_deref() == Some("signal 31")), "{refused:?}");
        assert_eq!(others, [Some("signal 6".to_owned()), Some("exit code 3".to_owned())]);
    }

    #[test]
    fn sleep_ends_with_the_time() {
        let sleeps = "#include <unistd.h>\nint main(void) { for (;;) sleep(1); }";
        let (ended, took) = replay(sleeps, &Allowance::new(Duration::from_secs(1)));
        let error = ended.map(drop).expect_err("it should be ended").to_string();
        assert!(error.contains("did not end within 1 s"), "{error}");
        assert!(took < LIMIT, "{took:?}");
    }

    /// What lies beside the loader's files is nobody's business, and neither is the environment.
    #[test]
    fn little_can_be_read() {
        let program = "#include <fcntl.h>\n#include <math.h>\n#include <stdlib.h>\n#include <unistd.h>\n\
            int main(int count, char **words) { switch (words[1][0]) {\n\
            case 'a': _exit(open(\"/etc/passwd\", O_RDONLY) >= 0);\n    case 'b': _exit(open(\"/proc/self/environ\", O_RDONLY) >= 0);\n\
            case 'c': _exit(getenv(\"HOME\") != 0 || getenv(\"CARGO_MANIFEST_DIR\") != 0);\n\
            case 'e': { int f; for (f = 3; f < 64; f++) if (fcntl(f, F_GETFD) >= 0) _exit(1); _exit(0); }\n\
            default: _exit(open(\"main.c\", O_RDONLY) < 0); } }";
        if landlock() == 0 {
            println!("this kernel has no Landlock: reading is not confined");
            return;
        }
        assert_eq!(endings(program, "abcde"), [const { None }; 5]);
    }

    #[test]
    fn nothing_is_written_outside_of_the_folder() {
        if landlock() == 0 {
            println!("this kernel has no Landlock: writing is not confined");
            return;
        }
        let outside = tempfile::tempdir().expect("a temporary folder");
        let victim = outside.path().join("victim");
        std::fs::write(&victim, "kept").expect("a file");
        let program = format!(
            "#include <fcntl.h>\n#include <stdio.h>\n#include <sys/stat.h>\n#include <unistd.h>\n\
             int main(void) {{\n    int wrong = 0;\n\
             wrong |= open(\"{0}/new\", O_CREAT | O_WRONLY, 0600) >= 0;\n\
             wrong |= open(\"{0}/victim\", O_WRONLY) >= 0 ? 2 : 0;\n\
             wrong |= truncate(\"{0}/victim\", 0) == 0 ? 4 : 0;\n\
             wrong |= unlink(\"{0}/victim\") == 0 ? 8 : 0;\n\
             wrong |= mkdir(\"{0}/folder\", 0700) == 0 ? 16 : 0;\n\
             wrong |= rename(\"{0}/victim\", \"{0}/other\") == 0 ? 32 : 0;\n\
             wrong |= open(\"inside\", O_CREAT | O_WRONLY, 0600) >= 0 ? 64 : 0;\n    _exit(wrong);\n}}",
            outside.path().display()
        );
        let expected = if landlock() >= 3 { "" } else { "exit code 4" };
        assert_eq!(exit_code(&program), expected);
        if landlock() >= 3 {
            assert_eq!(std::fs::read_to_string(&victim).expect("it should still be there"), "kept");
        }
        let names = std::fs::read_dir(outside.path()).expect("the folder").count();
        assert_eq!(names, 1);
    }

    #[test]
    fn memory_and_output_are_limited() {
        let allocates = "#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n\
            int main(void) { for (long n = 0; n < 1L << 20; n++) { char *p = malloc(1 << 26); if (!p) _exit(n < 80 ? 3 : 4); *p = 1; } _exit(1); }";
        assert_eq!(exit_code(allocates), "exit code 3");
        let prints = "#include <unistd.h>\nstatic char block[1 << 16];\nint main(void) { for (;;) write(1, block, sizeof block); }";
        let allowance = Allowance { output: 10 << 20, ..Allowance::new(LIMIT) };
        let (ended, took) = replay(prints, &allowance);
        let error = ended.map(drop).expect_err("it should be ended").to_string();
        assert!(error.contains("wrote more than 10485760 bytes"), "{error}");
        assert!(took < LIMIT, "{took:?}");
    }

    /// What is compiled for confinement lies in no folder afterwards.
    #[test]
    fn honest_programs_run_as_before() {
        let program = "#include <stdio.h>\nint main(void) { puts(\"B 0\\nS 0 0 ff\"); return 0; }";
        let (ended, _) = replay(program, &Allowance::new(LIMIT));
        let ended = ended.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((ended.crash, ended.observation.state(0, 0)), (None, Some(0xff)));
    }
}
