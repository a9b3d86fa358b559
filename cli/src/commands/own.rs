//! This program as it is called again: searches, jobs and runs with a parent are processes of their
//! own.

use std::ffi::{OsStr, OsString};
use std::io::Result;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Which program this is. Where an interpreter has loaded it, the running program is that one.
#[derive(Clone, Debug)]
pub struct Program {
    host: Option<Host>,
}

/// An interpreter that has loaded this program.
#[derive(Clone, Debug)]
struct Host {
    interpreter: OsString,
    words: Vec<OsString>,
    file: PathBuf,
}

impl Program {
    /// The program that this process runs.
    pub fn running() -> Self {
        Self { host: None }
    }

    /// A program that an interpreter of Python runs where these words stand before those of the
    /// command line. Its code lies in `file`.
    pub fn of_python(interpreter: OsString, words: Vec<OsString>, file: PathBuf) -> Self {
        Self { host: Some(Host { interpreter, words, file }) }
    }

    /// A call by this process, without arguments.
    pub(crate) fn call(&self) -> Result<Command> {
        if let Some(host) = &self.host {
            // An interpreter finds its packages by the name that it is called by.
            let mut call = Command::new(&host.interpreter);
            call.args(&host.words);
            return Ok(call);
        }
        let mut call = Command::new(running()?);
        call.arg0("chaincover");
        Ok(call)
    }

    /// The words of a call by others: a program that has a place of its own, and what stands before
    /// the words of the command line.
    pub(crate) fn words(&self) -> Result<(OsString, &[OsString])> {
        match &self.host {
            Some(host) => Ok((host.interpreter.clone(), host.words.as_slice())),
            None => Ok((std::env::current_exe()?.into_os_string(), &[])),
        }
    }

    /// The file with the code of this program.
    pub(crate) fn file(&self) -> Result<PathBuf> {
        self.host.as_ref().map_or_else(running, |host| Ok(host.file.clone()))
    }

    /// The interpreter that runs modules of the package. It is the first of `PATH` where none has
    /// loaded this program.
    pub(crate) fn python(&self) -> &OsStr {
        self.host.as_ref().map_or(OsStr::new("python3"), |host| host.interpreter.as_os_str())
    }
}

/// The program of this process, even where another one was installed in its place meanwhile.
fn running() -> Result<PathBuf> {
    let running = Path::new("/proc/self/exe");
    if running.exists() { Ok(running.to_owned()) } else { std::env::current_exe() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interpreter_is_called_with_its_words() {
        let words = vec![OsString::from("-m"), OsString::from("chaincover")];
        let program = Program::of_python("/v/bin/python".into(), words.clone(), "/v/native.so".into());
        let call = program.call().expect("a call");
        assert_eq!(call.get_program(), "/v/bin/python");
        assert_eq!(call.get_args().collect::<Vec<_>>(), ["-m", "chaincover"]);
        let (interpreter, found) = program.words().expect("words");
        assert_eq!((interpreter.as_os_str(), found), (OsStr::new("/v/bin/python"), words.as_slice()));
        assert_eq!(program.file().expect("a file"), Path::new("/v/native.so"));
        assert_eq!(program.python(), "/v/bin/python");
    }

    #[test]
    fn a_program_of_its_own_has_no_further_words() {
        let program = Program::running();
        let test = std::env::current_exe().expect("a test should know its own program");
        let (found, words) = program.words().expect("words");
        assert_eq!((found.as_os_str(), words.len()), (test.as_os_str(), 0));
        assert_eq!(program.call().expect("a call").get_args().count(), 0);
        assert_eq!(program.python(), "python3");
    }
}
