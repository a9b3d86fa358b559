//! The cases of a corpus folder: every folder in it that holds a `chaincover.toml`.

use chaincover::FILE_NAME;
use std::path::{Path, PathBuf};

/// A case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Name of its folder.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
}

/// The cases that `wanted` selects (all, where it is empty), by name with numbers in order of size.
/// A wanted name selects the case of that name and the family whose cases are named `name-...`.
///
/// # Errors
/// A sentence, if the folder cannot be read or a wanted name selects nothing.
pub fn cases(corpus: &Path, wanted: &[String]) -> Result<Vec<Case>, String> {
    let entries = std::fs::read_dir(corpus)
        .map_err(|error| format!("cannot read the corpus folder {}: {error}", corpus.display()))?;
    let mut all: Vec<Case> = entries
        .filter_map(Result::ok)
        .map(|entry| Case { name: entry.file_name().to_string_lossy().into_owned(), folder: entry.path() })
        .filter(|case| case.folder.join(FILE_NAME).is_file())
        .collect();
    all.sort_by_key(|case| natural_key(&case.name));
    for name in wanted {
        if !all.iter().any(|case| selects(name, &case.name)) {
            let known: Vec<_> = all.iter().map(|case| case.name.as_str()).collect();
            return Err(format!("`{name}` selects no case; known are {}", known.join(", ")));
        }
    }
    all.retain(|case| wanted.is_empty() || wanted.iter().any(|name| selects(name, &case.name)));
    Ok(all)
}

/// Whether a wanted name selects a case.
pub fn selects(wanted: &str, case: &str) -> bool {
    case.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// Sorts `timer-5` before `timer-40`.
fn natural_key(name: &str) -> Vec<(String, u64)> {
    let part = |part: &str| (part.to_owned(), part.parse().unwrap_or(0));
    let key = |(text, number): (String, u64)| if number > 0 { (String::new(), number) } else { (text, 0) };
    name.split('-').map(part).map(key).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_is_selected_by_its_name() {
        assert!(selects("timer", "timer-5") && selects("timer-5", "timer-5"));
        assert!(!selects("timer-5", "timer-50") && !selects("tim", "timer-5"));
    }

    #[test]
    fn numbers_sort_by_size() {
        let mut names = ["timer-40", "timer-5", "alarm-full", "alarm-2"];
        names.sort_by_key(|name| natural_key(name));
        assert_eq!(names, ["alarm-2", "alarm-full", "timer-5", "timer-40"]);
    }
}
