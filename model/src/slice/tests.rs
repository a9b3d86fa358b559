//! Slices by example, and against replay of random traces on both systems.

use super::*;
use crate::testing::{random_trace, random_validated, random_values};
use crate::text::{parse, print};
use crate::trace::replay;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

const NOTHING: Keep = Keep { outputs: false, hazards: false, invariants: false, external_calls: false };
const ALL: Keep = Keep { outputs: true, hazards: true, invariants: true, external_calls: true };

fn system(text: &str) -> Validated {
    validate(parse(text).expect("the text should parse")).expect("the system is well-formed")
}

fn check(keep: Keep, text: &str, expected: &str) {
    let (smaller, _) = reduce(&system(text), keep);
    let lines = |text: &str| text.lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>();
    assert_eq!(
        lines(&print(&smaller)),
        lines(&print(&parse(expected).expect("the text should parse"))),
        "{text}"
    );
}

#[test]
fn only_what_goals_need_is_kept() {
    check(
        NOTHING,
        "system s initial-input unused w8 input u w1 input noise w8 state n w4 init 0 next (ite (eq m 2) (add n 1) n)
         state m w2 init 0 next (add m (zext w2 u)) state log w8 init 0 next (xor log noise)
         output seen log hazard \"h\" (eq log 3) invariant (ult n 9) text \"kept\" invariant (ne log 8) text \"dropped\"
         goal g when (eq n 3) expect (eq n@1 3) end (eq m 0)",
        "system s input u w1 state n w4 init 0 next (ite (eq m 2) (add n 1) n)
         state m w2 init 0 next (add m (zext w2 u)) invariant (ult n 9) text \"kept\"
         goal g when (eq n 3) expect (eq n@1 3) end (eq m 0)",
    );
}

#[test]
fn everything_can_be_kept() {
    let text =
        "system s input noise w8 state n w4 next (add n 1) state log w8 next (xor log noise) output seen log
                invariant (ne log 8) text \"t\" goal g when (eq n 3) hazard \"h\" (eq log 3)";
    check(ALL, text, text);
    check(
        Keep { invariants: true, ..NOTHING },
        text,
        "system s input noise w8 state n w4 next (add n 1) state log w8 next (xor log noise)
         invariant (ne log 8) text \"t\" goal g when (eq n 3)",
    );
}

#[test]
fn constant_states_become_constants() {
    // `a` and `b` depend on each other, `c` only seems constant, `limit` guards a branch that never
    // runs.
    check(
        NOTHING,
        "system s input u w1 state a w4 init 5 next (sub b 2) state b w4 init 7 next (add a 2)
         state c w4 init 5 next (ite u a b) state limit w4 init 9 next (ite (eq limit 3) c limit)
         goal g steps 2 when (and (eq c a) (eq limit@2 9) (eq b@1 7))",
        "system s input u w1 state c w4 init 5 next (ite u 5 7) goal g steps 2 when (eq c 5)",
    );
}

#[test]
fn constants_are_found_along_long_chains() {
    let mut text = String::from("input u w1 state s0 w1 next (and s0 u) state t0 w1 next u ");
    for index in 1..2000 {
        text.push_str(&format!(
            "state s{index} w1 next s{} state t{index} w1 next t{} ",
            index - 1,
            index - 1
        ));
    }
    text.push_str("goal g when (or s1999 t1999)");
    let system = system(&text);
    let constants = constant_states(&system);
    assert_eq!(constants.values().filter(|value| value.is_some()).count(), 2000);
    let (smaller, _) = reduce(&system, NOTHING);
    assert_eq!((smaller.states.len(), smaller.inputs.len()), (2000, 1));
}

#[test]
fn assumptions_over_other_inputs_stay() {
    let text =
        "system s input u w1 input v w2 state n w4 next (add n 1) assume (ne v 3) goal g when (eq n 3)";
    check(
        NOTHING,
        text,
        "system s input v w2 state n w4 next (add n 1) assume (ne v 3) goal g when (eq n 3)",
    );
    let system = system(text);
    let cone = cone_of_influence(&system, NOTHING);
    assert_eq!((cone.state_count(), cone.input_count(), cone.state_bits(&system)), (1, 1, 4));
}

/// What matters of the original execution is what the execution of the smaller system shows.
#[test]
fn executions_agree_in_both_directions() {
    let mut random = SmallRng::seed_from_u64(8);
    let (mut ran, mut constants, mut dropped) = (0, 0, 0);
    for _ in 0..1500 {
        let original = random_validated(&mut random);
        let keep = Keep {
            outputs: random.random(),
            hazards: random.random(),
            invariants: random.random(),
            external_calls: random.random(),
        };
        let (smaller, map) = reduce(&original, keep);
        constants += map.states.values().filter(|fate| matches!(fate, StateFate::Constant(_))).count();
        dropped += map.states.values().filter(|fate| matches!(fate, StateFate::Dropped)).count();
        for steps in 0..5 {
            let small_trace = random_trace(&smaller, steps, &mut random);
            let trace = map.raise(&original, &small_trace);
            let (small, large) = (replay(&smaller, &small_trace), replay(&original, &trace));
            let (small, large) = match (small, large) {
                (Ok(small), Ok(large)) => (small, large),
                (small, large) => {
                    assert_eq!(small.err(), large.err());
                    continue;
                }
            };
            ran += 1;
            assert_eq!(small.occurrences, large.occurrences);
            assert_eq!(small.may_end, large.may_end);
            assert!(!keep.outputs || small.outputs == large.outputs);
            assert!(!keep.hazards || small.hazards == large.hazards);
            for (small, large) in small.states.iter().zip(&large.states) {
                assert_eq!(*small, map.lower_state(large));
                for (fate, value) in map.states.values().zip(large) {
                    assert!(!matches!(fate, StateFate::Constant(constant) if constant != value));
                }
            }
        }
    }
    assert!(ran > 2000 && constants > 500 && dropped > 500, "{ran} {constants} {dropped}");
}

/// Steps from arbitrary states in which the constant states have their values.
#[test]
fn steps_agree_from_any_state() {
    let mut random = SmallRng::seed_from_u64(9);
    for _ in 0..500 {
        let original = random_validated(&mut random);
        let (smaller, map) = reduce(&original, ALL);
        let symbols: Vec<SymbolId> = smaller.states.values().map(|state| state.symbol).collect();
        let state = random_values(&smaller, symbols.iter(), &mut random);
        let small_trace = Trace { start: Start::State(state), ..random_trace(&smaller, 3, &mut random) };
        let trace = map.raise(&original, &small_trace);
        match (replay(&smaller, &small_trace), replay(&original, &trace)) {
            (Ok(small), Ok(large)) => assert_eq!(small.occurrences, large.occurrences),
            (small, large) => assert_eq!(small.err(), large.err()),
        }
        let inputs = trace.inputs.iter().map(|values| map.lower_inputs(values)).collect::<Vec<_>>();
        assert_eq!(inputs, small_trace.inputs);
    }
}
