//! Mutated C is read or refused; it never makes the front end panic or hang.

use crate::support::read;
use chaincover_frontend::c::ir::target::DataModel;
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
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
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

/// Reads mutations of the texts; returns how many were refused.
fn run(seed: u64, rounds: usize) -> usize {
    let mut random = Random(seed);
    let mut refused = 0;
    for round in 0..rounds {
        let mut pieces = pieces(SEEDS[round % SEEDS.len()]);
        for _ in 0..=random.below(4) {
            mutate(&mut pieces, &mut random);
        }
        let text = pieces.concat();
        let start = Instant::now();
        let is_refused = read(&text, DataModel::Ilp32).is_err();
        refused += usize::from(is_refused);
        assert!(start.elapsed() < Duration::from_secs(20), "this takes too long:\n{text}");
    }
    refused
}

#[test]
fn mutations_neither_panic_nor_hang() {
    for seed in SEEDS {
        assert!(
            read(seed, DataModel::Ilp32).is_ok(),
            "the texts should be correct before they are mutated:\n{seed}"
        );
    }
    let refused = run(1, 600);
    assert!((300..600).contains(&refused), "most mutations should be errors, some not: {refused}");
}

#[test]
#[ignore = "long run; CHAINCOVER_ROUNDS and CHAINCOVER_SEED set its length and beginning"]
fn many_mutations_neither_panic_nor_hang() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    run(number("CHAINCOVER_SEED").unwrap_or(2), number("CHAINCOVER_ROUNDS").unwrap_or(100_000) as usize);
}
