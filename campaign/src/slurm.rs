//! Jobs as an array of Slurm.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// What an array script is made of.
#[derive(Clone, Debug)]
pub struct Script<'a> {
    /// The name of the campaign.
    pub name: &'a str,
    /// The program.
    pub program: &'a OsStr,
    /// What stands before the words of its command line.
    pub words: &'a [OsString],
    /// The store, on a file system that all nodes see.
    pub store: &'a Path,
    /// The file with the jobs, a line each; likewise.
    pub jobs: &'a Path,
    /// The lines that are to run, counted from 1.
    pub lines: &'a [usize],
    /// Cores of each job.
    pub threads: usize,
    /// Memory of each job in bytes, where it is limited.
    pub memory_bytes: Option<u64>,
}

/// Part of a limit on memory that Slurm grants in addition, so that the search ends by its own
/// limit, with a result, before Slurm ends it without one.
const SPARE: u64 = 4;

impl Script<'_> {
    /// The text of the script.
    pub fn text(&self) -> String {
        let memory = self.memory_bytes.map_or_else(String::new, |bytes| {
            let mebibytes = (bytes + bytes / SPARE).div_ceil(1 << 20);
            format!("#SBATCH --mem={mebibytes}M\n")
        });
        let quoted = |word: &OsStr| quoted(&word.to_string_lossy());
        let program = std::iter::once(self.program).chain(self.words.iter().map(OsString::as_os_str));
        format!(
            "#!/bin/sh\n#SBATCH --job-name={}\n#SBATCH --array={}\n#SBATCH --cpus-per-task={}\n{memory}\
             exec {} job --store {} --threads {} --line \"$SLURM_ARRAY_TASK_ID\" {}\n",
            quoted_name(self.name),
            ranges(self.lines),
            self.threads,
            program.map(quoted).collect::<Vec<_>>().join(" "),
            quoted(self.store.as_os_str()),
            self.threads,
            quoted(self.jobs.as_os_str()),
        )
    }
}

/// A word for the shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// A name that needs no quotes in a line of options.
fn quoted_name(name: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
    name.chars().map(|character| if is_plain(character) { character } else { '_' }).collect()
}

/// Numbers in ascending order, as ranges: `1-3,7`.
fn ranges(numbers: &[usize]) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let text = |&(first, last): &(usize, usize)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    ranges.iter().map(text).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_ranges() {
        let table: [(&[usize], &str); 4] =
            [(&[1], "1"), (&[1, 2, 3, 7], "1-3,7"), (&[2, 4, 5], "2,4-5"), (&[], "")];
        for (numbers, expected) in table {
            assert_eq!(ranges(numbers), expected);
        }
    }

    #[test]
    fn the_script_names_program_store_and_lines() {
        let script = Script {
            name: "night run",
            program: OsStr::new("/opt/chain cover"),
            words: &["-m".into(), "it".into()],
            store: Path::new("/s/it's"),
            jobs: Path::new("/s/jobs.jsonl"),
            lines: &[2, 3, 9],
            threads: 2,
            memory_bytes: Some(4 << 30),
        };
        let expected = "#!/bin/sh\n#SBATCH --job-name=night_run\n#SBATCH --array=2-3,9\n\
            #SBATCH --cpus-per-task=2\n#SBATCH --mem=5120M\n\
            exec '/opt/chain cover' '-m' 'it' job --store '/s/it'\\''s' --threads 2 --line \"$SLURM_ARRAY_TASK_ID\" '/s/jobs.jsonl'\n";
        assert_eq!(script.text(), expected);
    }
}
