//! Paths as a file in the output folder must spell them, so that it compiles from wherever the
//! compiler is called.

use std::io;
use std::path::{Component, Path, PathBuf};

/// The way from a folder, which need not exist yet, to something that exists. Absolute where there
/// is no relative one.
///
/// # Errors
/// If the target or the current folder cannot be read.
pub(super) fn relative(folder: &Path, target: &Path) -> io::Result<PathBuf> {
    let (folder, target) = (canonical(folder)?, std::fs::canonicalize(target)?);
    let shared =
        folder.components().zip(target.components()).take_while(|(left, right)| left == right).count();
    if shared == 0 {
        return Ok(target);
    }
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(target.components().skip(shared)).collect();
    Ok(if path.as_os_str().is_empty() { PathBuf::from(".") } else { path })
}

/// Without links in the part that exists. The empty path is the current folder.
fn canonical(folder: &Path) -> io::Result<PathBuf> {
    let folder = std::path::absolute(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })?;
    for ancestor in folder.ancestors() {
        if let (Ok(found), Ok(rest)) = (std::fs::canonicalize(ancestor), folder.strip_prefix(ancestor)) {
            return Ok(found.join(rest));
        }
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_goes_up_and_down() {
        let root = tempfile::tempdir().unwrap();
        let model = root.path().join("model/src");
        std::fs::create_dir_all(&model).unwrap();
        std::fs::write(model.join("a.c"), "").unwrap();
        let table = [
            ("out", "../model/src/a.c"),
            ("model", "src/a.c"),
            ("model/src", "a.c"),
            ("x/y", "../../model/src/a.c"),
        ];
        for (folder, expected) in table {
            let found = relative(&root.path().join(folder), &model.join("a.c")).unwrap();
            assert_eq!(found, Path::new(expected), "{folder}");
        }
        assert_eq!(relative(&model, &model).unwrap(), Path::new("."));
        let here = std::env::current_dir().unwrap();
        assert_eq!(relative(Path::new(""), &here.join("Cargo.toml")).unwrap(), Path::new("Cargo.toml"));
        assert!(relative(root.path(), &model.join("none.c")).is_err());
    }
}
