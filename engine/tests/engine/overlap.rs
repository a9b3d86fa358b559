//! One transition that belongs to several goals: chains get shorter by it, and bounds stay true.
//!
//! Each case is compared with the same goals made exclusive, so that the gain is what is tested and
//! not the length alone.

use crate::behaviour::check;

/// A counter that is counted up or left alone; it begins again after sixteen steps up.
const COUNTER: &str = "
    input up w1
    input lamp w1
    state count w4 init 0 next (ite (eq up 1) (add count 1) count)";

/// Goals that may share transitions and the length of the shortest chain, the same goals made
/// exclusive with number of chains and length.
type Case = (&'static str, &'static str, u64, &'static str, (usize, u64));

const CASES: &[Case] = &[
    (
        "two goals on one step",
        "goal a when (eq count 2) goal b when (eq lamp 1)",
        3,
        "goal a when (and (eq count 2) (eq lamp 0)) goal b when (and (eq lamp 1) (eq count 2))",
        (1, 4),
    ),
    (
        "three goals on one step",
        "goal a when (eq count 3) goal b when (and (eq up 1) (ule 3 count)) goal c when (eq lamp 1)",
        4,
        "goal a when (and (eq count 3) (eq up 0)) goal b when (and (eq up 1) (eq lamp 0) (eq count 3)) goal c when (and (eq lamp 1) (eq up 1) (ule 3 count))",
        (1, 6),
    ),
    (
        "a window within another",
        "goal a steps 2 when (and (eq count 1) (eq count@1 2) (eq count@2 3)) goal b when (and (eq count 2) (eq up 1))",
        3,
        "goal a steps 2 when (and (eq count 1) (eq count@1 2) (eq count@2 3) (eq lamp 0) (eq lamp@1 0)) goal b when (and (eq count 2) (eq lamp 1))",
        (1, 19),
    ),
    (
        "windows that share a transition",
        "goal a steps 2 when (and (eq count 1) (eq count@1 2) (eq count@2 3)) goal b steps 2 when (and (eq count 2) (eq count@1 3) (eq count@2 4))",
        4,
        "goal a steps 2 when (and (eq count 1) (eq count@1 2) (eq count@2 3) (eq lamp@1 0)) goal b steps 2 when (and (eq count 2) (eq count@1 3) (eq count@2 4) (eq lamp 1))",
        (1, 19),
    ),
];

#[test]
fn shared_transitions_make_chains_shorter() {
    for &(what, together, short, apart, (chains, long)) in CASES {
        let covered = |text: &str| vec!["covered"; text.matches("goal").count()];
        println!("{what}");
        check(&format!("{COUNTER}\n{together}"), 1, short, &covered(together));
        check(&format!("{COUNTER}\n{apart}"), chains, long, &covered(apart));
    }
}
