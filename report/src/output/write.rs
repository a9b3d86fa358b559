//! Writing results so that no partial file ever replaces a good one.

use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
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

/// Writes `text` so that `path` holds all of it or what it held before: to a file aside, renamed
/// when it is complete and on disk.
///
/// A symbolic link stays, what it points to is replaced. An existing file keeps its permissions
/// and, where that is allowed, its owner; a new one gets those of any file that the user makes (the
/// umask). What is no regular file (a device, a FIFO) cannot be replaced without harm, and is
/// written to as it is.
///
/// # Errors
/// If the folder cannot be written to or the disk is full; an existing file at `path` is then as it
/// was.
pub fn atomically(path: &Path, text: &[u8]) -> Result<(), WriteError> {
    let written = match std::fs::metadata(path) {
        Ok(existing) if existing.is_file() => replace(path, Some(&existing), text),
        Ok(_) => OpenOptions::new().write(true).open(path).and_then(|mut stream| stream.write_all(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => replace(path, None, text),
        Err(error) => Err(error),
    };
    written.map_err(|source| WriteError { path: path.to_owned(), source })
}

/// Writes a file aside and renames it onto the file that `path` leads to.
fn replace(path: &Path, existing: Option<&Metadata>, text: &[u8]) -> std::io::Result<()> {
    let target = behind_links(path)?;
    let mut aside = tempfile::Builder::new()
        .prefix(".chaincover-")
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder_of(&target))?;
    if let Some(existing) = existing {
        take_over(aside.as_file(), existing)?;
    }
    aside.write_all(text)?;
    aside.as_file().sync_all()?;
    aside.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

/// Where a path leads to, through links to links, also where nothing is there yet. Links in a
/// circle were found out before.
fn behind_links(path: &Path) -> std::io::Result<PathBuf> {
    let mut target = path.to_owned();
    while std::fs::symlink_metadata(&target).is_ok_and(|entry| entry.is_symlink()) {
        let next = std::fs::read_link(&target)?;
        target.pop();
        target.push(next);
    }
    Ok(target)
}

/// Gives a new file the permissions and the owner of the one that it is going to replace.
fn take_over(file: &File, existing: &Metadata) -> std::io::Result<()> {
    let own = file.metadata()?;
    if (own.uid(), own.gid()) != (existing.uid(), existing.gid()) {
        // Only the administrator may give files away; whoever may not owns the result.
        let _ = std::os::unix::fs::fchown(file, Some(existing.uid()), Some(existing.gid()));
    }
    file.set_permissions(existing.permissions())
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
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Fails if a file cannot be made there: to be asked before a search whose result is to go there.
/// Standard output (`-`) is always there.
///
/// # Errors
/// If its folder is missing or may not be written to, or if it is a folder itself.
pub fn check_target(path: &Path) -> Result<(), WriteError> {
    if path == Path::new("-") {
        return Ok(());
    }
    let tried = match std::fs::metadata(path) {
        Ok(existing) if existing.is_dir() => Err(ErrorKind::IsADirectory.into()),
        Ok(existing) if !existing.is_file() => Ok(()),
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => behind_links(path).and_then(|target| check_folder(folder_of(&target))),
    };
    tried.map_err(|source| WriteError { path: path.to_owned(), source })
}

/// Whether files can be made in a folder.
fn check_folder(folder: &Path) -> std::io::Result<()> {
    std::fs::metadata(folder)?;
    tempfile::Builder::new().prefix(".chaincover-").tempfile_in(folder).map(drop)
}

/// The folder of a path; the current one where it names none.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes a folder with its parents, and fails if no file can be made in it.
///
/// # Errors
/// If it cannot be made.
pub fn folder(path: &Path) -> Result<(), WriteError> {
    let made = std::fs::create_dir_all(path).and_then(|()| check_folder(path));
    made.map_err(|source| WriteError { path: path.to_owned(), source })
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

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn an_existing_file_keeps_its_permissions_and_a_new_one_gets_ordinary_ones() {
        let folder = tempfile::tempdir().unwrap();
        let [ordinary, new, kept] = ["ordinary", "new", "kept"].map(|name| folder.path().join(name));
        std::fs::write(&ordinary, b"as any program does").unwrap();
        atomically(&new, b"text").unwrap();
        assert_eq!(mode(&new), mode(&ordinary));
        for permissions in [0o600, 0o640, 0o664] {
            std::fs::write(&kept, b"old").unwrap();
            std::fs::set_permissions(&kept, Permissions::from_mode(permissions)).unwrap();
            atomically(&kept, b"new").unwrap();
            assert_eq!((mode(&kept), std::fs::read(&kept).unwrap()), (permissions, b"new".to_vec()));
        }
    }

    #[test]
    fn links_stay_and_what_they_lead_to_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("results")).unwrap();
        let [file, absolute, relative, dangling] =
            ["results/chain.json", "absolute", "relative", "dangling"].map(|name| folder.path().join(name));
        std::os::unix::fs::symlink(&file, &absolute).unwrap();
        std::os::unix::fs::symlink("absolute", &relative).unwrap();
        std::os::unix::fs::symlink("results/new.json", &dangling).unwrap();
        for (link, target) in
            [(&absolute, &file), (&relative, &file), (&dangling, &folder.path().join("results/new.json"))]
        {
            atomically(link, link.as_os_str().as_encoded_bytes()).unwrap();
            assert!(link.is_symlink());
            assert!(!target.is_symlink());
            assert_eq!(std::fs::read(target).unwrap(), link.as_os_str().as_encoded_bytes());
        }
        assert_eq!(
            std::fs::read_dir(folder.path().join("results")).unwrap().count(),
            2,
            "nothing is left aside"
        );
    }

    #[test]
    fn links_in_a_circle_are_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("circle");
        std::os::unix::fs::symlink("circle", &link).unwrap();
        assert!(atomically(&link, b"text").is_err());
        assert!(link.is_symlink());
    }

    #[test]
    fn a_fifo_is_written_to_also_behind_a_link() {
        use std::os::unix::fs::FileTypeExt;
        let folder = tempfile::tempdir().unwrap();
        let [fifo, link] = ["fifo", "link"].map(|name| folder.path().join(name));
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        std::os::unix::fs::symlink("fifo", &link).unwrap();
        for path in [&fifo, &link] {
            let reader = std::thread::spawn({
                let fifo = fifo.clone();
                move || std::fs::read(fifo).unwrap()
            });
            atomically(path, b"through").unwrap();
            assert_eq!(reader.join().unwrap(), b"through");
        }
        assert!(link.is_symlink());
        assert!(std::fs::metadata(&fifo).unwrap().file_type().is_fifo());
    }

    /// The device that is always full says so, which a rename would not.
    #[test]
    fn a_device_is_written_to_and_not_replaced() {
        use std::os::unix::fs::FileTypeExt;
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("full");
        std::os::unix::fs::symlink("/dev/full", &link).unwrap();
        let message = atomically(&link, b"text").unwrap_err().to_string();
        assert!(message.contains("full"), "{message}");
        assert!(link.is_symlink());
        assert!(std::fs::metadata("/dev/full").unwrap().file_type().is_char_device());
    }

    #[test]
    fn what_cannot_be_written_is_known_before() {
        let folder = tempfile::tempdir().unwrap();
        let [missing, file, inside] =
            ["missing/chain.json", "file", "file/chain.json"].map(|name| folder.path().join(name));
        std::fs::write(&file, "old").unwrap();
        for path in [Path::new("-"), Path::new("/dev/null"), &file, &folder.path().join("new")] {
            assert!(check_target(path).is_ok(), "{}", path.display());
        }
        for path in [&missing, &inside, folder.path()] {
            assert!(check_target(path).is_err(), "{}", path.display());
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left");
    }

    #[test]
    fn a_failure_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("missing").join("chain.json");
        let message = atomically(&path, b"text").unwrap_err().to_string();
        assert!(message.contains("missing/chain.json"), "{message}");
    }
}
