//! An FMU on disk: an archive, or the folder that was unpacked of one.

use crate::code::Code;
use crate::prelude::with_calloc;
use frontend::source::{FileKind, decode};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};
use tempfile::TempDir;
use zip::ZipArchive;

/// The file that describes an FMU.
pub(crate) const DESCRIPTION: &str = "modelDescription.xml";

/// The folder of sources.
pub(crate) const SOURCES: &str = "sources";

/// Bytes that are unpacked at most.
const MOST_BYTES: u64 = 256 << 20;

/// Entries of an archive at most.
const MOST_ENTRIES: usize = 50_000;

/// An FMU whose description and sources lie in a folder of ours, which goes with this.
pub(crate) struct Package {
    folder: TempDir,
    /// The FMU as the user knows it: the archive, or the folder.
    shown: PathBuf,
    /// What files in it are.
    kind: FileKind,
    /// Whether there are compiled libraries.
    pub(crate) has_binaries: bool,
}

/// Why an FMU cannot be unpacked: what it is about, and a sentence.
pub(crate) type Broken = (Code, String);

impl Package {
    /// Unpacks an archive, or copies the folder around a description.
    ///
    /// # Errors
    /// It is no archive, holds names that lead elsewhere, holds no description, or cannot be read.
    pub(crate) fn open(path: &Path) -> Result<Self, Broken> {
        let unwritten =
            |error: io::Error| (Code::Archive, format!("temporary files cannot be written: {error}"));
        let folder = tempfile::Builder::new().prefix("chaincover-fmu-").tempdir().map_err(unwritten)?;
        std::fs::create_dir_all(folder.path().join(DRIVER)).map_err(unwritten)?;
        let is_description = path.file_name().is_some_and(|name| name == DESCRIPTION);
        let mut package = if is_description {
            let shown = path.parent().unwrap_or(Path::new("")).to_owned();
            Self { folder, shown, kind: FileKind::Disk, has_binaries: false }
        } else {
            Self { folder, shown: path.to_owned(), kind: FileKind::Packed, has_binaries: false }
        };
        if is_description {
            package.copy()?
        } else {
            package.unpack(path)?
        }
        if !package.root().join(DESCRIPTION).is_file() {
            let message = format!("`{}` holds no {DESCRIPTION}: it is no FMU", path.display());
            return Err((Code::NoDescription, message));
        }
        Ok(package)
    }

    /// The folder of the description.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("fmu")
    }
    /// The folder of what is generated.
    pub(crate) fn driver(&self) -> PathBuf {
        self.folder.path().join(DRIVER)
    }
    /// The name of the archive or of the folder; `None`: the folder was not named.
    pub(crate) fn name(&self) -> Option<String> {
        let stem = match self.kind {
            FileKind::Packed => self.shown.file_stem(),
            _ => self.shown.file_name(),
        };
        Some(stem?.to_string_lossy().into_owned())
    }
    /// A path as the user should see it, and what it is there; `None`: it does not lie in here.
    pub(crate) fn shown(&self, path: &Path) -> Option<(PathBuf, FileKind)> {
        if let Ok(inner) = path.strip_prefix(self.root()) {
            return Some((self.shown.join(inner), self.kind.clone()));
        }
        let name = path.strip_prefix(self.driver()).ok()?;
        Some((Path::new(OWN_FOLDER).join(name), FileKind::Packed))
    }
    /// The C files below the folder of sources, by name.
    pub(crate) fn c_files(&self) -> Vec<String> {
        let mut found = Vec::new();
        let top = self.root().join(SOURCES);
        let mut waiting = vec![top.clone()];
        while let Some(folder) = waiting.pop() {
            for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
                if path.is_dir() {
                    waiting.push(path);
                } else if let Ok(name) = path.strip_prefix(&top)
                    && is_c(&path)
                {
                    found.push(name.to_string_lossy().replace('\\', "/"));
                }
            }
        }
        found.sort();
        found
    }

    fn unpack(&mut self, path: &Path) -> Result<(), Broken> {
        let broken = |why: String| (Code::Archive, format!("`{}` is no FMU: {why}", path.display()));
        let file = File::open(path).map_err(|error| broken(error.to_string()))?;
        let mut archive = ZipArchive::new(file).map_err(|error| broken(error.to_string()))?;
        if archive.len() > MOST_ENTRIES {
            return Err(broken(format!("it has more than {MOST_ENTRIES} entries")));
        }
        let mut left = MOST_BYTES;
        for index in 0..archive.len() {
            let mut entry = archive.by_index(index).map_err(|error| broken(error.to_string()))?;
            let name = entry.name().map_err(|error| broken(error.to_string()))?.into_owned();
            let Some(inner) = inner_path(&name) else {
                let message = format!("`{}` holds `{name}`, which would lie outside of it", path.display());
                return Err((Code::Escape, message));
            };
            self.has_binaries |= inner.starts_with("binaries");
            if !entry.is_file() || !is_wanted(&inner) {
                continue;
            }
            let mut bytes = Vec::new();
            (&mut entry)
                .take(left + 1)
                .read_to_end(&mut bytes)
                .map_err(|error| broken(format!("{name}: {error}")))?;
            left = left
                .checked_sub(bytes.len() as u64)
                .ok_or_else(|| broken(format!("its sources take more than {} MB", MOST_BYTES >> 20)))?;
            self.write(&inner, bytes)?;
        }
        Ok(())
    }

    /// Copies what is needed of a folder.
    fn copy(&mut self) -> Result<(), Broken> {
        self.has_binaries = self.shown.join("binaries").is_dir();
        let mut waiting = vec![PathBuf::from(SOURCES)];
        self.copy_file(Path::new(DESCRIPTION))?;
        let mut left = MOST_ENTRIES;
        while let Some(folder) = waiting.pop() {
            let entries = std::fs::read_dir(self.shown.join(&folder)).into_iter().flatten().flatten();
            for entry in entries {
                left = left.checked_sub(1).ok_or_else(|| {
                    let message = format!("`{}` holds more than {MOST_ENTRIES} files", self.shown.display());
                    (Code::Archive, message)
                })?;
                let inner = folder.join(entry.file_name());
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    waiting.push(inner);
                } else {
                    self.copy_file(&inner)?;
                }
            }
        }
        Ok(())
    }

    fn copy_file(&self, inner: &Path) -> Result<(), Broken> {
        let path = self.shown.join(inner);
        let unread = |error| (Code::Archive, format!("`{}` cannot be read: {error}", path.display()));
        self.write(inner, std::fs::read(&path).map_err(unread)?)
    }

    fn write(&self, inner: &Path, bytes: Vec<u8>) -> Result<(), Broken> {
        let path = self.root().join(inner);
        let bytes = if is_c(inner) { with_calloc(&decode(&bytes)).into_bytes() } else { bytes };
        let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        folder
            .and_then(|()| std::fs::write(&path, bytes))
            .map_err(|error| (Code::Archive, format!("`{}` cannot be unpacked: {error}", inner.display())))
    }
}

/// The folder of what is generated.
const DRIVER: &str = "driver";

/// What the user sees instead of it.
const OWN_FOLDER: &str = "<fmu>";

/// The path of an entry; `None`: it leads out of the archive.
fn inner_path(name: &str) -> Option<PathBuf> {
    let name = name.replace('\\', "/");
    let has_drive = name.split('/').next().is_some_and(|first| first.contains(':'));
    let path = PathBuf::from(name);
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    (!has_drive && path.components().all(is_plain)).then_some(path)
}

/// Whether a file takes part in the reading.
fn is_wanted(inner: &Path) -> bool {
    inner == Path::new(DESCRIPTION) || inner.starts_with(SOURCES)
}

/// Whether a file is C, or may be included by it.
fn is_c(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "c")
}

#[cfg(test)]
mod tests {
    use super::inner_path;
    use std::path::Path;

    #[test]
    fn names_that_lead_out_are_none() {
        for (name, expected) in [
            ("sources/a.c", Some("sources/a.c")),
            ("sources\\a.c", Some("sources/a.c")),
            ("./sources/a.c", Some("./sources/a.c")),
            ("../a.c", None),
            ("sources/../../a.c", None),
            ("sources\\..\\..\\a.c", None),
            ("/etc/passwd", None),
            ("C:/a.c", None),
        ] {
            assert_eq!(inner_path(name).as_deref(), expected.map(Path::new), "{name}");
        }
    }
}
