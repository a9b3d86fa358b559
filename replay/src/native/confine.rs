//! Confinement of the user's code while it is run.
//!
//! A small program limits itself and then becomes the one that is to be run: processor time,
//! address space, sizes of files; no further processes, no network, and no writing outside of the
//! temporary folder, as far as the kernel knows how. It is compiled once for each run of this tool,
//! and nothing of it stays on the disk.

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

/// The command that runs another one confined to a folder; `None` where there is no confinement on
/// this host.
///
/// # Errors
/// Where a limit is reached meanwhile.
pub(crate) fn confined(
    command: &[String],
    folder: &Path,
    allowance: &Allowance,
) -> Result<Option<Vec<String>>, NativeError> {
    static LAUNCHER: OnceLock<Option<File>> = OnceLock::new();
    let launcher = match LAUNCHER.get() {
        Some(known) => known,
        None => {
            let made = launcher(allowance)?;
            LAUNCHER.get_or_init(|| made)
        }
    };
    Ok(launcher.as_ref().map(path_of).filter(|path| path.exists()).map(|path| {
        let seconds = (allowance.longest + SPARE).as_secs();
        let mut words = vec![path.display().to_string(), seconds.to_string(), MOST_BYTES.to_string()];
        words.push(folder.display().to_string());
        words.extend(command.iter().cloned());
        words
    }))
}

/// An open file can be run although it has no name any more.
fn path_of(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd()))
}

/// The compiled program, open and without a name; `None` where it does not compile or does not run.
fn launcher(allowance: &Allowance) -> Result<Option<File>, NativeError> {
    let folder = tempfile::Builder::new().prefix("chaincover-confine-").tempdir();
    let folder = folder.map_err(NativeError::Files)?;
    let source = folder.path().join("confine.c");
    std::fs::write(source, SOURCE).map_err(NativeError::Files)?;
    let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
    let compiled = call(&words("cc -std=gnu11 -O0 -w -o confine confine.c"), folder.path(), allowance)?;
    if compiled.failure.is_some() {
        return Ok(None);
    }
    let file = File::open(folder.path().join("confine")).map_err(NativeError::Files)?;
    // Without a command, it says that it runs and does nothing.
    let probe = call(&[path_of(&file).display().to_string()], folder.path(), allowance);
    let runs = probe.is_ok_and(|ended| ended.failure.as_deref() == Some("exit code 126"));
    Ok(runs.then_some(file))
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
        };
        let started = Instant::now();
        (run(&plan, allowance), started.elapsed())
    }

    /// The exit code that a program ends with.
    fn exit_code(program: &str) -> String {
        let (ended, took) = replay(program, &Allowance::new(LIMIT));
        assert!(took < LIMIT, "{took:?}");
        let ended = ended.unwrap_or_else(|error| panic!("{error}"));
        assert!(ended.is_confined);
        ended.crash.unwrap_or_default()
    }

    /// Version of Landlock, 0 for none.
    fn landlock() -> u32 {
        let ask = "#include <unistd.h>\nint main(void) { long v = syscall(444, 0, 0, 1); _exit(v < 0 ? 100 : 100 + v); }";
        let code = exit_code(ask);
        code.strip_prefix("exit code ").and_then(|code| code.parse().ok()).map_or(0, |code: u32| code - 100)
    }

    #[test]
    fn endless_forks_and_sleep_end_with_the_time() {
        let forks = "#include <unistd.h>\nint main(void) { for (int n = 0; n < 1000; n++) if (fork() >= 0) _exit(1); _exit(3); }";
        assert_eq!(exit_code(forks), "exit code 3", "no process should be started");
        let sleeps = "#include <unistd.h>\nint main(void) { for (;;) { fork(); sleep(1); } }";
        let (ended, took) = replay(sleeps, &Allowance::new(Duration::from_secs(3)));
        let error = ended.map(drop).expect_err("it should be ended").to_string();
        assert!(error.contains("did not end within 3 s"), "{error}");
        assert!(took < LIMIT, "{took:?}");
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
             wrong |= open(\"inside\", O_CREAT | O_WRONLY, 0600) < 0 ? 64 : 0;\n    _exit(wrong);\n}}",
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
    fn there_is_no_network_and_no_signal() {
        let connects = "#include <sys/socket.h>\n#include <netinet/in.h>\n#include <unistd.h>\n\
            int main(void) { struct sockaddr_in a = { AF_INET, 0x0900, { 0x0100007f } }; int s = socket(AF_INET, SOCK_STREAM, 0);\n\
            _exit(s >= 0 && bind(s, (struct sockaddr *)&a, sizeof a) == 0 ? 1 : 3); }";
        let signals = "#include <signal.h>\n#include <unistd.h>\nint main(void) { _exit(kill(getppid(), 0) == 0 ? 1 : 3); }";
        if cfg!(target_arch = "x86_64") || landlock() >= 6 {
            assert_eq!([exit_code(connects), exit_code(signals)], ["exit code 3", "exit code 3"]);
        } else {
            println!("this machine has no filter of system calls: the network is not kept out");
        }
    }

    #[test]
    fn memory_files_and_output_are_limited() {
        let allocates = "#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n\
            int main(void) { for (long n = 0; n < 1L << 20; n++) { char *p = malloc(1 << 26); if (!p) _exit(n < 80 ? 3 : 4); *p = 1; } _exit(1); }";
        assert_eq!(exit_code(allocates), "exit code 3");
        let fills = "#include <fcntl.h>\n#include <unistd.h>\nstatic char block[1 << 20];\n\
            int main(void) { int f = open(\"big\", O_CREAT | O_WRONLY, 0600); for (;;) if (write(f, block, sizeof block) < 0) _exit(1); }";
        // SIGXFSZ, by its number on this system.
        assert_eq!(exit_code(fills), "signal 25");
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
