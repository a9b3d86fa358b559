//! When the judge is asked whether a loop goes on.

use crate::translate::support::{messages, replays};
use frontend::{Judge, Request};
use frontend_c::translate_with;
use model::term::{TermId, TermPool};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A judge that takes everything for possible and counts the questions.
#[derive(Default)]
struct Counting(AtomicUsize);

impl Judge for Counting {
    fn may_hold(&self, _: &TermPool, _: &[TermId], _: f64) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed);
        true
    }
}

/// Text, and whether the judge is asked.
const CASES: &[(&str, bool)] = &[
    // The counter ends it, however open it is whether it is left before.
    (
        "unsigned char table[60], in; int found; void step(void) { int i; for (i = 0; i < 60; i++) { if (table[i] == in) { found = i; break; } } table[5] = in; }",
        false,
    ),
    (
        "int in, n; void step(void) { int i = 0; n = 0; while (i < 30) { i++; if (in & (1 << i)) break; n += i; } }",
        false,
    ),
    // It begins where a search has ended.
    (
        "unsigned char in[40], out[40], first; void step(void) { int i; for (i = 0; i < 40; i++) { out[i] = in[i]; if (in[i] == 255) break; } \
         first = i; for (; i < 40; i++) out[i] = 0; }",
        false,
    ),
    (
        "unsigned char in, out[9]; void step(void) { int i = in == 1 ? 2 : in == 2 ? 5 : in == 3 ? 8 : 7; while (i > 1) { out[i] = in; if (out[i - 1] == 7) break; i = i - 1; } }",
        false,
    ),
    // Only inputs end it.
    (
        "unsigned in, n; void step(void) { unsigned x = in & 255; n = 0; while (x > 2) { x >>= 1; n++; } }",
        true,
    ),
    (
        "unsigned in, n; void step(void) { int i = 0; unsigned x = in & 255; n = 0; while (1) { if (x < 3 || i > 9) break; i++; x >>= 1; n++; } }",
        true,
    ),
];

#[test]
fn the_judge_is_not_asked_about_loops_that_count_to_a_constant() {
    for &(text, expected) in CASES {
        let folder = tempfile::tempdir().expect("there should be a place for temporary files");
        let path = folder.path().join("model.c");
        std::fs::write(&path, text).expect("a temporary file should be writable");
        let judge = Counting::default();
        let request = Request { sources: vec![path], ..Request::default() };
        let translated = translate_with(&request, &judge)
            .unwrap_or_else(|failure| panic!("{text}: {}", messages(&failure)));
        assert_eq!(judge.0.load(Ordering::Relaxed) > 0, expected, "{text}");
        for seed in 0..3 {
            replays(&translated, seed, 10).unwrap_or_else(|why| panic!("{text}: {why}"));
        }
    }
}
