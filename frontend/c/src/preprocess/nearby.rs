//! Where a header lies that is missing: generators spread one model over several folders, of which
//! a newcomer names one.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Component, Path, PathBuf};

/// Folders above the including file from which the search starts at most.
const LEVELS: usize = 2;

/// Files and folders looked at at most.
const MOST: usize = 20_000;

/// Files and folders looked at at most where sources are sought, which no error waits for.
const MOST_SOURCES: usize = 4_000;

/// The folder to name with `-I` so that `header` is found: the nearest below a folder around the
/// including file.
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

/// Sources `name.c` for the given names that lie beside or below a folder around `start`:
/// generators put shared functions into files of their names. The nearest of each.
pub(crate) fn sources_of(names: &BTreeSet<&str>, start: &Path) -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    let mut left = MOST_SOURCES;
    let mut root = start.parent().unwrap_or(Path::new("")).to_owned();
    for _ in 0..=LEVELS {
        let mut waiting = VecDeque::from([root.clone()]);
        while let Some(folder) = waiting.pop_front() {
            let shown = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
            let Ok(entries) = std::fs::read_dir(shown) else { continue };
            let mut entries: Vec<_> = entries.flatten().collect();
            entries.sort_by_key(std::fs::DirEntry::file_name);
            for entry in entries {
                let path = folder.join(entry.file_name());
                match left.checked_sub(1) {
                    Some(fewer) => left = fewer,
                    None => return found,
                }
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    waiting.push_back(path);
                } else if path.extension().is_some_and(|extension| extension == "c")
                    && let Some(stem) = path.file_stem().and_then(|stem| stem.to_str())
                    && names.contains(stem)
                {
                    found.entry(stem.to_owned()).or_insert(path);
                }
            }
        }
        root = match root.components().next_back() {
            Some(Component::Normal(_)) => root.parent().unwrap_or(Path::new("")).to_owned(),
            _ => return found, // never look through folders above the working directory
        };
    }
    found
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
        for file in
            ["slprj/ert/_sharedutils/look.c", "slprj/ert/sub/look.c", "model_ert_rtw/own.c", "slprj/other.c"]
        {
            std::fs::write(root.path().join(file), "").expect("a file");
        }
        let sources = sources_of(&BTreeSet::from(["look", "own", "gone"]), &includer);
        let shown: Vec<String> = sources.values().map(|path| path.display().to_string()).collect();
        assert_eq!(shown.len(), 2);
        assert!(
            shown[0].ends_with("slprj/ert/_sharedutils/look.c") && shown[1].ends_with("model_ert_rtw/own.c")
        );
    }
}
