//! Where a header lies that is missing: generators spread one model over several folders, of which a newcomer names one.

use std::collections::VecDeque;
use std::path::{Component, Path, PathBuf};

/// Folders above the including file from which the search starts at most.
const LEVELS: usize = 2;

/// Files and folders looked at at most.
const MOST: usize = 20_000;

/// The folder to name with `-I` so that `header` is found: the nearest below a folder around the including file.
pub(super) fn folder_of(header: &str, includer: &Path) -> Option<PathBuf> {
    let wanted = PathBuf::from(header.replace('\\', "/"));
    if wanted.components().any(|component| !matches!(component, Component::Normal(_))) {
        return None;
    }
    let mut left = MOST;
    let mut start = includer.parent()?.to_owned();
    for _ in 0..=LEVELS {
        if let Some(found) = below(&start, &wanted, &mut left) {
            return Some(found);
        }
        start = match start.components().next_back() {
            Some(Component::Normal(_)) => start.parent()?.to_owned(),
            _ => return None, // never look through folders above the working directory
        };
    }
    None
}

/// The folder at or below `start` that holds `wanted`, breadth first, in alphabetical order.
fn below(start: &Path, wanted: &Path, left: &mut usize) -> Option<PathBuf> {
    let mut waiting = VecDeque::from([start.to_owned()]);
    while let Some(folder) = waiting.pop_front() {
        if folder.join(wanted).is_file() {
            return Some(folder);
        }
        let shown = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
        let Ok(entries) = std::fs::read_dir(shown) else { continue };
        let mut folders = Vec::new();
        for entry in entries.flatten() {
            *left = left.checked_sub(1)?;
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(folder.join(entry.file_name()));
            }
        }
        folders.sort();
        waiting.extend(folders);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_nearest_folder() {
        let root = tempfile::tempdir().expect("a temporary folder");
        for folder in ["model_ert_rtw", "slprj/ert/_sharedutils", "slprj/ert/sub"] {
            std::fs::create_dir_all(root.path().join(folder)).expect("a folder");
        }
        for file in ["model_ert_rtw/model.h", "slprj/ert/_sharedutils/shared.h", "slprj/ert/sub/sub.h"] {
            std::fs::write(root.path().join(file), "").expect("a file");
        }
        let includer = root.path().join("model_ert_rtw/model.c");
        let found = |header| {
            let folder = folder_of(header, &includer)?;
            Some(folder.strip_prefix(root.path()).expect("it should lie below").to_owned())
        };
        assert_eq!(found("sub.h").as_deref(), Some(Path::new("slprj/ert/sub")));
        assert_eq!(found("ert/_sharedutils\\shared.h").as_deref(), Some(Path::new("slprj")));
        assert_eq!(found("nosuch.h"), None);
        assert_eq!(found("../sub.h"), None);
    }
}
