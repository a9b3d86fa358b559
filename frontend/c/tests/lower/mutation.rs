//! Mutated C is read or refused; it never makes the front end panic or hang.

use crate::lower::mutator;
use crate::lower::support::read;
use frontend::Request;
use frontend_c::ir::target::DataModel;
use frontend_c::lower::{Input, Loader};
use frontend_c::{translate, translate_program};
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

/// Texts without directives that use much of the language.
const SEEDS: [&str; 3] = [
    "typedef unsigned char T; typedef struct { int m; T n[3]; unsigned a : 3, : 0, b : 5; } S; enum e { A, B = 3, C };
     union u { int i; float f; }; static const int table[] = { 1, 2, [5] = 7 }; extern int g(int, ...); int v[2][3] = {{1}, {2, 3}};
     int f(S *s, T t) { int x = (T)-t, *p = &x; S c = *s, d = { .m = 1, .n = { 1, [2] = 3 } };
       for (int i = 0; i < 3; i++) { if (s->n[i] == C) continue; else if (t && g(i, \"a\\n\")) break; x += table[i] << 2; }
       switch (x) { case 9: case A ... B: x--; default: { x = t ? x : 4; } }
       do { x >>= 1; goto out; } while (x && *p++ != 'c'); out: return sizeof(S) + offsetof(S, n[1]) + ({ int y = x; y; }); }",
    "struct node { struct node *next; int (*call)(int, struct node *); }; int h(int a, struct node *n) { return n ? n->call(a, n->next) : -a; }
     struct node last = { 0, h }, first = { &last, h }; static float x = 1.5f; double y = 0x1p3; _Bool b = 1;
     void step(void) { static int calls; calls++; x = x * calls + (float)y; b = !b || x > 3 && y <= 2.5; while (1) { if (b) return; } }
     _Static_assert(sizeof(int) == 4, \"int\"); typedef int F(void); F *pointer; long long w = 1LL << 40; char text[] = \"ab\" \"c\";",
    "int mode, speed; void compute(int in) { int old = mode; if (in == 1) mode = 2; else if (in == 2 && speed < 2) speed++;
     if (old != 2) { speed = speed > 0 ? speed - 1 : 0; } } void p1(int i) { __CPROVER_assume(mode == 2 && i); compute(i); assert(speed == 1); }
     int main(void) { while (1) { int in = nondet_int(); __CPROVER_assume(in >= 1 && in <= 5); compute(in); } }",
];

/// A small generator, so that the mutations are the same everywhere.
pub(crate) struct Random(u64);

impl Random {
    /// A number below a limit.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// Pieces of text: words, numbers, single characters.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut was_word = false;
    for character in text.chars() {
        let is_word = character.is_alphanumeric() || character == '_';
        match pieces.last_mut() {
            Some(last) if was_word && is_word => last.push(character),
            _ => pieces.push(character.to_string()),
        }
        was_word = is_word;
    }
    pieces
}

/// How texts are changed.
#[derive(Clone, Copy)]
enum Manner {
    /// Pieces of text are thrown about: mostly no C any more.
    Pieces,
    /// As [`mutator`] does it: mostly C.
    Tokens,
}

impl Manner {
    fn changed(self, text: &str, random: &mut Random) -> String {
        let (mut parts, change): (_, fn(&mut Vec<String>, &mut Random)) = match self {
            Self::Pieces => (pieces(text), mutate),
            Self::Tokens => (mutator::tokens(text), mutator::mutate),
        };
        for _ in 0..=random.below(4) {
            change(&mut parts, random);
        }
        parts.concat()
    }
}

fn mutate(pieces: &mut Vec<String>, random: &mut Random) {
    let (first, second) = (random.below(pieces.len()), random.below(pieces.len()));
    match random.below(6) {
        0 => drop(pieces.remove(first)),
        1 => pieces.insert(first, pieces[second].clone()),
        2 => pieces.swap(first, second),
        3 => pieces[first] = pieces[second].clone(),
        4 => {
            let (low, high) = (first.min(second), first.max(second).min(first.min(second) + 12));
            drop(pieces.drain(low..high));
        }
        _ => {
            let (low, high) = (first.min(second), first.max(second).min(first.min(second) + 12));
            let copy: Vec<String> = pieces[low..high].to_vec();
            pieces.splice(low..low, copy);
        }
    }
    if pieces.is_empty() {
        pieces.push(";".to_owned());
    }
}

/// Mutations between two lines that tell how far a long run is.
const BATCH: usize = 1000;

/// The processor time that one text may take.
const LONGEST: Duration = Duration::from_secs(60);

/// The processor time that this process has taken; by the clock where the system does not tell.
fn processor_time() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let taken = || {
        let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
        let (_, fields) = stat.rsplit_once(')')?;
        let ticks: Vec<i64> = fields.split_whitespace().filter_map(|field| field.parse().ok()).collect();
        u64::try_from(10 * (ticks.get(10)? + ticks.get(11)?)).ok().map(Duration::from_millis)
    };
    taken().unwrap_or_else(|| START.elapsed())
}

/// Texts, each with what its mutations have cost so far, in bytes: long texts get as much of the time as short ones, not as many turns.
struct Seeds<'a> {
    texts: &'a [String],
    spent: Vec<usize>,
}

impl<'a> Seeds<'a> {
    fn new(texts: &'a [String]) -> Self {
        Self { texts, spent: vec![0; texts.len()] }
    }

    fn next(&mut self) -> &'a str {
        let least = (0..self.texts.len()).min_by_key(|&index| self.spent[index]);
        let index = least.expect("there should be a text");
        self.spent[index] += self.texts[index].len() + 1000;
        &self.texts[index]
    }
}

/// Reads mutations and counts what becomes of them.
struct Fuzzer {
    manner: Manner,
    random: Random,
    current: Arc<Current>,
    _watch: Watch,
    read: usize,
    refused: usize,
    /// Those that panicked, shown when they were found.
    failed: usize,
}

/// The mutation that is being read, for whoever watches that it comes to an end.
type Current = Mutex<Option<(Duration, String)>>;

impl Fuzzer {
    fn new(manner: Manner, seed: u64) -> Self {
        let current = Arc::new(Current::default());
        let watch = Watch::over(&current);
        Self { manner, random: Random(seed), current, _watch: watch, read: 0, refused: 0, failed: 0 }
    }

    /// Reads some mutations of the texts.
    fn run(&mut self, seeds: &mut Seeds<'_>, rounds: usize, read: impl Fn(&str) -> bool) {
        for _ in 0..rounds {
            let text = self.manner.changed(seeds.next(), &mut self.random);
            *self.current.lock().expect("nobody should panic here") = Some((processor_time(), text.clone()));
            let is_read = std::panic::catch_unwind(AssertUnwindSafe(|| read(&text)));
            *self.current.lock().expect("nobody should panic here") = None;
            self.read += 1;
            match is_read {
                Ok(is_read) => self.refused += usize::from(!is_read),
                Err(_) => {
                    println!("this panics:\n{text}\n----");
                    self.failed += 1;
                }
            }
        }
    }
}

/// A thread that ends the program, with the text, where a mutation takes too long.
struct Watch(Arc<AtomicBool>);

impl Watch {
    fn over(current: &Arc<Current>) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let (current, ended) = (Arc::clone(current), Arc::clone(&is_over));
        std::thread::spawn(move || {
            while !ended.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(200));
                let current = current.lock().expect("nobody should panic here");
                if let Some((start, text)) = &*current
                    && processor_time().saturating_sub(*start) >= LONGEST
                {
                    println!("this takes too long:\n{text}");
                    std::process::exit(1);
                }
            }
        });
        Self(is_over)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn is_read(text: &str) -> bool {
    read(text, DataModel::Ilp32).is_ok()
}

#[test]
fn mutations_neither_panic_nor_hang() {
    let seeds: Vec<String> = SEEDS.iter().map(|&text| text.to_owned()).collect();
    for seed in &seeds {
        assert!(is_read(seed), "the texts should be correct before they are mutated:\n{seed}");
    }
    for (manner, expected) in [(Manner::Pieces, 300..600), (Manner::Tokens, 60..300)] {
        let mut fuzzer = Fuzzer::new(manner, 1);
        fuzzer.run(&mut Seeds::new(&seeds), 600, is_read);
        assert_eq!(fuzzer.failed, 0);
        assert!(expected.contains(&fuzzer.refused), "some should be errors, some not: {}", fuzzer.refused);
    }
}

/// Mutations of the texts above and of all C files below the folders that `CHAINCOVER_SEEDS` names (separated by colons), all the way
/// from the parser to the transition system. Files are preprocessed before they are mutated, as starting the preprocessor takes most of the
/// time; one mutation in fifty is of a file as it stands, and preprocessed. With `CHAINCOVER_MANNER=pieces`, pieces of text are thrown about.
#[test]
#[ignore = "long run; CHAINCOVER_ROUNDS, CHAINCOVER_SEED and CHAINCOVER_SEEDS set its length, beginning and texts"]
fn many_mutations_neither_panic_nor_hang() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let mut files: Vec<PathBuf> = Vec::new();
    let folders = std::env::var("CHAINCOVER_SEEDS").unwrap_or_default();
    for folder in folders.split(':').filter(|folder| !folder.is_empty()) {
        collect_files(Path::new(folder), &mut files);
    }
    let expanded = SEEDS.iter().map(|&text| text.to_owned());
    let expanded: Vec<String> = expanded.chain(files.iter().filter_map(|path| preprocessed(path))).collect();
    let mut whole: Vec<String> = SEEDS.iter().map(|&text| text.to_owned()).collect();
    whole.extend(files.iter().map(|path| {
        let bytes = std::fs::read(path).expect("the file should be readable");
        String::from_utf8_lossy(&bytes).into_owned()
    }));
    println!("{} files, of which {} are read as they stand", files.len(), expanded.len() - SEEDS.len());
    let manner = match std::env::var("CHAINCOVER_MANNER").as_deref() {
        Ok("pieces") => Manner::Pieces,
        _ => Manner::Tokens,
    };
    let (seed, rounds) =
        (number("CHAINCOVER_SEED").unwrap_or(2), number("CHAINCOVER_ROUNDS").unwrap_or(100_000));
    let folder = tempfile::tempdir().expect("a temporary folder should be possible");
    let path = folder.path().join("m.c");
    let mut fuzzer = Fuzzer::new(manner, seed);
    let (mut whole, mut expanded) = (Seeds::new(&whole), Seeds::new(&expanded));
    for _ in 0..rounds.div_ceil(BATCH as u64) {
        fuzzer.run(&mut whole, BATCH / 50, |text| {
            std::fs::write(&path, text).expect("a temporary file should be writable");
            translate(&Request { sources: vec![path.clone()], unwind: Some(50), ..Request::default() })
                .is_ok()
        });
        fuzzer.run(&mut expanded, BATCH, |text| {
            let request = Request { unwind: Some(50), ..Request::default() };
            let program = read(text, DataModel::Ilp32).map(Loader::into_program);
            program.and_then(|program| translate_program(&request, program)).is_ok()
        });
        let Fuzzer { read, refused, failed, .. } = fuzzer;
        println!(
            "{read} mutations, {refused} refused, {failed} failed, {:?} of processor time",
            processor_time()
        );
    }
    assert_eq!(fuzzer.failed, 0);
}

/// The text of a file behind the preprocessor, if it is C that can be read.
fn preprocessed(path: &Path) -> Option<String> {
    let folders = path.ancestors().skip(1).take(2).map(Path::to_owned);
    let input = Input { sources: vec![path.to_owned()], include: folders.collect(), ..Input::default() };
    let program = Loader::load(input).ok()?.into_program();
    program.units.values().next().map(|unit| unit.text.clone()).filter(|text| !text.trim().is_empty())
}

fn collect_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("the folder should be readable");
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect_files(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "c") {
            files.push(path);
        }
    }
}
