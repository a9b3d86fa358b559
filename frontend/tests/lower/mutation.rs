//! Mutated C is read or refused; it never makes the front end panic or hang.

use crate::mutator;
use crate::support::read;
use chaincover_frontend::c::ir::target::DataModel;
use chaincover_frontend::c::request::Request;
use chaincover_frontend::c::translate;
use std::cell::Cell;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
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

/// What one text may take.
const LONGEST: Duration = Duration::from_secs(60);

/// Reads mutations of the texts; returns how many were refused.
fn run(manner: Manner, seeds: &[String], seed: u64, rounds: usize, read: impl Fn(&str) -> bool) -> usize {
    let mut random = Random(seed);
    let mut refused = 0;
    for round in 0..rounds {
        let text = manner.changed(&seeds[round % seeds.len()], &mut random);
        let start = Instant::now();
        let is_read = std::panic::catch_unwind(AssertUnwindSafe(|| read(&text)));
        let Ok(is_read) = is_read else { panic!("round {round} of seed {seed}: this panics:\n{text}") };
        refused += usize::from(!is_read);
        if start.elapsed() >= LONGEST {
            // A busy machine may be the reason the first time.
            let again = Instant::now();
            read(&text);
            assert!(again.elapsed() < LONGEST, "this takes too long:\n{text}");
        }
        if rounds > 10_000 && round % 10_000 == 0 {
            println!("{round} mutations, {refused} refused");
        }
    }
    refused
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
    let refused = run(Manner::Pieces, &seeds, 1, 600, is_read);
    assert!((300..600).contains(&refused), "most mutations should be errors, some not: {refused}");
    let refused = run(Manner::Tokens, &seeds, 1, 600, is_read);
    assert!((60..300).contains(&refused), "most of these mutations should be C: {refused}");
}

/// Mutations of the texts above and of all C files below the folders that `CHAINCOVER_SEEDS` names (separated by colons). Those
/// without directives are only lowered; every fourth goes the whole way from the preprocessor to the transition system. With
/// `CHAINCOVER_MANNER=pieces`, pieces of text are thrown about.
#[test]
#[ignore = "long run; CHAINCOVER_ROUNDS, CHAINCOVER_SEED and CHAINCOVER_SEEDS set its length, beginning and texts"]
fn many_mutations_neither_panic_nor_hang() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let mut seeds: Vec<String> = SEEDS.iter().map(|&text| text.to_owned()).collect();
    let folders = std::env::var("CHAINCOVER_SEEDS").unwrap_or_default();
    for folder in folders.split(':').filter(|folder| !folder.is_empty()) {
        collect_texts(Path::new(folder), &mut seeds);
    }
    let folder = tempfile::tempdir().expect("a temporary folder should be possible");
    let path = folder.path().join("m.c");
    let round = Cell::new(0);
    let read = |text: &str| {
        round.set(round.get() + 1);
        if round.get() % 4 != 0 && !text.contains('#') {
            return is_read(text);
        }
        std::fs::write(&path, text).expect("a temporary file should be writable");
        let request = Request { sources: vec![path.clone()], unwind: Some(50), ..Request::default() };
        translate(&request).is_ok()
    };
    let manner = match std::env::var("CHAINCOVER_MANNER").as_deref() {
        Ok("pieces") => Manner::Pieces,
        _ => Manner::Tokens,
    };
    let seed = number("CHAINCOVER_SEED").unwrap_or(2);
    let rounds = number("CHAINCOVER_ROUNDS").unwrap_or(100_000) as usize;
    let refused = run(manner, &seeds, seed, rounds, read);
    println!("{refused} of {rounds} mutations refused");
}

fn collect_texts(folder: &Path, texts: &mut Vec<String>) {
    let entries = std::fs::read_dir(folder).expect("the folder should be readable");
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect_texts(&path, texts);
        } else if path.extension().is_some_and(|ending| ending == "c" || ending == "h") {
            let bytes = std::fs::read(&path).expect("the file should be readable");
            texts.push(String::from_utf8_lossy(&bytes).into_owned());
        }
    }
}
