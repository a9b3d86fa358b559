//! Fuzzers guided by coverage: libFuzzer and AFL++.

use super::harness::{CHAIN_FILE, PART_FILE, fuzzed};
use super::process::Watched;
use super::{Answer, cut, trace, write};
use engine::random_simulation::Random;
use model::trace::Trace;
use model::validate::Validated;
use std::io;
use std::path::Path;
use std::time::Duration;

/// Longest input in bytes.
const MOST_BYTES: &str = "65536";
/// For compilers.
const COMPILE_LIMIT: Duration = Duration::from_secs(120);

pub(super) fn libfuzzer(system: &Validated, folder: &Path, limit: Duration) -> io::Result<Answer> {
    let compiler = ["clang", "-O2", "-w", "-fsanitize=fuzzer", "-o", "fuzz", "harness.c", "-lm"];
    let Some(mut watched) = prepare(system, folder, &compiler)? else { return Ok(refused(&compiler)) };
    let time = format!("-max_total_time={}", limit.as_secs().max(1));
    let length = format!("-max_len={MOST_BYTES}");
    let command = ["./fuzz", "-seed=1", "-use_value_profile=1", "-len_control=20", &time, &length];
    watched.call(&command, folder, "fuzz.txt", limit + Duration::from_secs(2), || false)?;
    Ok(answer(system, folder, watched))
}

pub(super) fn afl(system: &Validated, folder: &Path, limit: Duration) -> io::Result<Answer> {
    let compiler =
        ["afl-clang-fast", "-O2", "-w", "-DREADS_STANDARD_INPUT", "-o", "fuzz", "harness.c", "-lm"];
    let Some(mut watched) = prepare(system, folder, &compiler)? else { return Ok(refused(&compiler)) };
    std::fs::create_dir(folder.join("seeds"))?;
    let mut random = Random::new(1);
    for size in [64, 1024, 8192] {
        let bytes: Vec<u8> = (0..size).map(|_| random.next_word() as u8).collect();
        std::fs::write(folder.join(format!("seeds/{size}")), bytes)?;
    }
    let time = limit.as_secs().max(1).to_string();
    let command = ["afl-fuzz", "-i", "seeds", "-o", "out", "-s", "1", "-V", &time, "--", "./fuzz"];
    let found = || folder.join(CHAIN_FILE).is_file();
    watched.call(&command, folder, "fuzz.txt", limit + Duration::from_secs(5), found)?;
    Ok(answer(system, folder, watched))
}

/// Writes and compiles the harness; `None` where the compiler refuses it. What that takes does not
/// count.
fn prepare(system: &Validated, folder: &Path, compiler: &[&str]) -> io::Result<Option<Watched>> {
    Ok(prepared(system, folder, compiler)?.then(Watched::default))
}

/// Writes and compiles the harness; whether that went well.
pub(super) fn prepared(system: &Validated, folder: &Path, compiler: &[&str]) -> io::Result<bool> {
    let Ok(text) = fuzzed(system) else { return Ok(false) };
    write(folder, "harness.c", &text)?;
    let mut compiling = Watched::default();
    compiling.call(compiler, folder, "compiler.txt", COMPILE_LIMIT, || false)?;
    Ok(compiling.succeeded)
}

fn refused(compiler: &[&str]) -> Answer {
    Answer {
        traces: Vec::new(),
        watched: Watched::default(),
        shortest: false,
        trouble: Some(format!("`{}` cannot compile the harness", compiler[0])),
    }
}

fn answer(system: &Validated, folder: &Path, watched: Watched) -> Answer {
    let found = [CHAIN_FILE, PART_FILE].into_iter().find_map(|name| read(system, &folder.join(name)));
    let trouble = found.is_none().then(|| "no goal was covered in a run that ends in Final".to_owned());
    Answer { traces: found.into_iter().collect(), watched, shortest: false, trouble }
}

/// The chain that a harness wrote into a folder.
#[cfg(test)]
pub(super) fn chain_of(system: &Validated, folder: &Path) -> Option<Trace> {
    read(system, &folder.join(CHAIN_FILE))
}

/// Reads what a harness wrote.
fn read(system: &Validated, path: &Path) -> Option<Trace> {
    let text = std::fs::read_to_string(path).ok()?;
    let rows: Option<Vec<Vec<u128>>> = text
        .lines()
        .map(|line| line.split_whitespace().map(|word| u128::from_str_radix(word, 16).ok()).collect())
        .collect();
    let rows = rows?;
    let (initial, steps) = rows.split_first()?;
    let first = system.initial_inputs.len();
    let steps: Vec<Vec<u128>> = steps.iter().map(|row| row[first.min(row.len())..].to_vec()).collect();
    cut(system, trace(system, initial, &steps))
}
