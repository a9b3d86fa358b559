//! Evidence for what is said of mutants that no chain kills: that no execution of the original and
//! of such a mutant, side by side, shows a difference.

use super::judging::{LONGEST, fair_share};
use super::stored::{Excluded, StoredMutants};
use crate::error::{Error, ErrorKind};
use crate::settings::Settings;
use crate::threads::each;
use engine::options::{Options, part_of_time};
use evidence::write::{Written, is_evidence, write_unreachable};
use report::mutation::MutationFile;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// The folder of the evidence beside `mutate.json`; a folder in it for each mutant has its name.
pub const MUTANT_PROOFS: &str = "proofs-of-mutants";

/// Writes evidence for the mutants of C code of which a result says that nothing tells them from
/// the original, or nothing before they lose their meaning, into folders below `folder`, where its
/// `mutate.json` stands or will stand. What the limits of the options cut short is not certified;
/// the mutants share the time, a minute where there is no limit.
///
/// ```
/// use chaincover::{Against, CodeMutateOptions, Finding, Options, Settings};
/// use chaincover::{mutate_code, verify, write_evidence_of_mutants};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("lamp.c");
/// std::fs::write(&path, "int n; void step(int up) { if (n > 90) n = 90; if (up && n < 80) n++; }")?;
/// let (paths, settings) = ([path], Settings::default());
/// let options = CodeMutateOptions { operators: "statement".parse()?, ..Default::default() };
/// let mutated = mutate_code(&paths, &settings, &options)?;
/// # std::fs::write(folder.path().join("mutate.json"), serde_json::to_string(&mutated)?)?;
/// let read = (&paths[..], &settings);
/// let written = write_evidence_of_mutants(folder.path(), read, &mutated, &Options::default())?;
/// assert_eq!((written.claims, written.certified), (1, 1));
/// let found = verify(folder.path(), Against { model: Some(read), ..Against::default() })?;
/// assert_eq!(found.count(Finding::Rejected), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As for [`mutate_code`](super::mutate_code), or where files cannot be written.
pub fn write_evidence_of_mutants(
    folder: &Path,
    (paths, settings): (&[PathBuf], &Settings),
    file: &MutationFile,
    options: &Options,
) -> Result<Written, Error> {
    let mut search = options.clone();
    if search.deadline.is_none() {
        search.deadline = Instant::now().checked_add(LONGEST);
    }
    let place = folder.join(MUTANT_PROOFS);
    remove_old(&place)?;
    let mutants = StoredMutants::new((paths, settings), file, &search)?;
    let reading = mutants.reading();
    let is_claimed = |verdict: &str| ["conforms", "crash", "hang"].contains(&verdict);
    let claimed: Vec<_> = file.mutants.iter().filter(|mutant| is_claimed(&mutant.verdict)).collect();
    let waiting = AtomicUsize::new(claimed.len());
    let made = each(claimed.len(), search.jobs, &|at| -> Result<Written, Error> {
        let (mutant, none) = (claimed[at], Written::default());
        let share = fair_share(waiting.fetch_sub(1, Ordering::Relaxed), search.jobs);
        let Ok(Ok(version)) = mutants.version(&reading, mutant) else { return Ok(none) };
        let Ok(Excluded::Goals(system, goals)) = mutants.excluded(&version, &mutant.verdict) else {
            return Ok(none);
        };
        if goals.is_empty() {
            return Ok(none);
        }
        let options = Options { deadline: part_of_time(search.deadline, 1, share), ..search.clone() };
        let written = write_unreachable(&place.join(&mutant.id), (&*system, &goals), &options)?;
        let inside = |(name, digest)| (format!("{MUTANT_PROOFS}/{}/{name}", mutant.id), digest);
        Ok(Written { files: written.files.into_iter().map(inside).collect(), ..written })
    });
    let mut all = Written::default();
    made.into_iter().try_for_each(|more| more.map(|more| crate::evidence::add(&mut all, more)))?;
    Ok(all)
}

/// Removes the evidence that an earlier run left: what it says may be about other mutants.
fn remove_old(place: &Path) -> Result<(), Error> {
    let entries = |folder: &Path| {
        let listed = std::fs::read_dir(folder).into_iter().flatten().flatten();
        listed.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    for folder in entries(place).into_iter().filter(|path| path.is_dir() && !path.is_symlink()) {
        for path in entries(&folder).into_iter().filter(|path| is_evidence(path)) {
            std::fs::remove_file(&path).map_err(|error| {
                Error::new(ErrorKind::Request, format!("cannot remove {}: {error}", path.display()))
            })?;
        }
        // It may hold something of somebody else's, and is left then.
        let _ = std::fs::remove_dir(&folder);
    }
    Ok(())
}
