//! Writing results so that no partial file ever replaces a good one.

use std::io::Write;
use std::path::{Path, PathBuf};

/// A result that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {source}", path.display())]
pub struct WriteError {
    /// What was to be written.
    pub path: PathBuf,
    /// Why not.
    pub source: std::io::Error,
}

/// Writes `text` to a file beside `path` and renames it to `path` when it is complete and on disk.
///
/// # Errors
/// If the folder cannot be written to or the disk is full; an existing file at `path` is then as it was.
pub fn atomically(path: &Path, text: &[u8]) -> Result<(), WriteError> {
    let failed = |source| WriteError { path: path.to_owned(), source };
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut aside = tempfile::Builder::new().prefix(".chaincover-").tempfile_in(folder).map_err(failed)?;
    aside.write_all(text).and_then(|()| aside.as_file().sync_all()).map_err(failed)?;
    set_ordinary_permissions(aside.as_file()).map_err(failed)?;
    aside.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

/// Temporary files are private; results are as readable as any file that the user makes.
fn set_ordinary_permissions(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

/// Writes to a file, or to standard output where the path is `-`.
///
/// # Errors
/// As [`atomically`]; a closed pipe on standard output is no error.
pub fn to_file_or_stdout(path: &Path, text: &str) -> Result<(), WriteError> {
    if path != Path::new("-") {
        return atomically(path, text.as_bytes());
    }
    stdout(text).map_err(|source| WriteError { path: "standard output".into(), source })
}

/// Prints `text`; a reader that went away (`| head`) is no error.
///
/// # Errors
/// Any other failure, such as a full disk behind a redirection.
pub fn stdout(text: &str) -> std::io::Result<()> {
    let mut stream = std::io::stdout().lock();
    match stream.write_all(text.as_bytes()).and_then(|()| stream.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Makes a folder with its parents.
///
/// # Errors
/// If it cannot be made.
pub fn folder(path: &Path) -> Result<(), WriteError> {
    std::fs::create_dir_all(path).map_err(|source| WriteError { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_the_old_file_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("chain.json");
        atomically(&path, b"old").unwrap();
        atomically(&path, b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_failure_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("missing").join("chain.json");
        let message = atomically(&path, b"text").unwrap_err().to_string();
        assert!(message.contains("missing/chain.json"), "{message}");
    }
}
