//! Executions that are left out: where the code ends the program, and where loops are taken to end.

use crate::translate::support::{error_codes, messages, replays, translate_with};
use frontend::{Request, Topic, Translated};

fn told(translated: &Translated) -> Vec<String> {
    let left_out = translated.findings.iter().filter(|finding| finding.topic == Topic::Assumed);
    left_out.map(|finding| format!("{} {}", finding.subject, finding.reason)).collect()
}

fn unwound(rounds: u32) -> impl Fn(&mut Request) {
    move |request| {
        request.unwind = Some(rounds);
        request.assumes_unwound = true;
    }
}

/// Text, rounds taken to be enough (0: that is not asked for), and what is said to be left out.
const CASES: &[(&str, u32, &[&str])] = &[
    (
        "int in, mode;\nvoid step(void) { if (in > 9) abort();\nif (in < 0) exit(1);\nmode += in; }",
        0,
        &[
            "model.c:2 executions that call `abort` here, which ends the program, are left out",
            "model.c:3 executions that call `exit` here, which ends the program, are left out",
        ],
    ),
    (
        "unsigned in, count;\nvoid step(void) { unsigned n = in;\nwhile (n) { n &= n - 1; count++; } }",
        3,
        &["model.c:3 executions that come here more than 3 times in a row are left out, as asked for"],
    ),
    (
        "unsigned in, count;\nstatic void more(unsigned n) {\nif (n) { count++; more(n / 3); } }\nvoid step(void) { more(in); }",
        4,
        &["model.c:3 executions that come here more than 4 times in a row are left out, as asked for"],
    ),
    (
        "unsigned in, count;\nvoid step(void) { unsigned n = in; if (in == 7) return;\nif (n) {\n  again: n &= n - 1; if (n & 8) { count += 2; if (n & 1) goto again; }\n  count++; if (n) goto again; } }",
        3,
        &["model.c:4 executions that come here more than 3 times in a row are left out, as asked for"],
    ),
    // A loop that constants end is executed to its end.
    ("int in, sum; void step(void) { for (int i = 0; i < 40; i++) sum += in; }", 3, &[]),
    (
        "int in, sum; void step(void) { int i = 0; if (in == 5) return; again: if (in) sum += in; if (++i < 40) goto again; }",
        3,
        &[],
    ),
];

#[test]
fn what_is_left_out_is_told_and_the_rest_is_as_compiled() {
    for &(text, rounds, expected) in CASES {
        let adjust = |request: &mut Request| {
            if rounds > 0 {
                unwound(rounds)(request);
            }
        };
        let translated =
            translate_with(text, adjust).unwrap_or_else(|failure| panic!("{}", messages(&failure)));
        assert_eq!(told(&translated), expected, "{text}");
        for seed in 0..3 {
            replays(&translated, seed, 20).unwrap_or_else(|why| panic!("{text}: {why}"));
        }
    }
}

#[test]
fn without_being_asked_for_nothing_is_left_out_of_loops() {
    for &(text, rounds, expected) in CASES.iter().filter(|(_, rounds, _)| *rounds > 0) {
        let codes = error_codes(text, |request| request.unwind = Some(rounds));
        let expected_codes: &[&str] = if expected.is_empty() && rounds > 40 { &[] } else { &["loop-bound"] };
        assert_eq!(codes, expected_codes, "{text}");
    }
}

/// A driver that runs the step in a loop of thousands of rounds is refused soon, with the functions to choose from.
#[test]
fn a_loop_over_many_steps_is_refused_with_what_it_calls() {
    let text = "int in[4000], state[40]; static void work(int x) { for (int i = 0; i < 40; i++) state[i] = state[(i + x) & 31] + x; }
        void run(void) { for (int k = 0; k < 4000; k++) work(in[k]); }";
    let Err(failure) = translate_with(text, |_| {}) else { panic!("it should be refused") };
    let entry = &failure.diagnostics.entries[0];
    assert_eq!(entry.code.text, "loop-bound");
    assert!(entry.notes.iter().any(|(note, _)| note.contains("`work`")), "{:?}", entry.notes);
}
