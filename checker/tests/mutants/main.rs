//! Forged evidence in every format: whatever is dropped, repeated, widened, moved, spliced in from
//! elsewhere or renamed, no claim is accepted that is false.
//!
//! Evidence is made here for small formulas, matrices and systems whose truth is enumerated by
//! brute force, by code that shares nothing with the checker; then claim and evidence are changed
//! at random. For graphs, families, parts and games the queries that tie them to a system are answered by
//! going through all its steps. `CHAINCOVER_MUTANTS` says how many mutants of each format there
//! are, `CHAINCOVER_RANDOM_SEED` where they begin.

extern crate chaincover_checker as checker;

mod clauses;
mod families;
mod games;
mod graphs;
mod mutate;
mod parts;
mod random;
mod system;
mod tours;

use random::Random;

/// Mutants of each format if the environment does not say.
const MUTANTS: u64 = 20_000;
/// Mutants of one piece of evidence.
const OF_EACH: u64 = 50;

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    /// The checker refused it.
    Rejected,
    /// It was accepted, and its claim is true.
    True,
    /// It was accepted, and its claim is false: what it says.
    False(String),
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |text| text.parse().expect("a number"))
}

/// Attacks so many mutants of evidence that `make` makes. `attack` gets the evidence, some other of
/// the same kind, and whether it is to be left as it is.
fn campaign<C>(
    name: &str,
    make: impl Fn(&mut Random) -> C,
    attack: impl Fn(&C, &C, bool, &mut Random) -> Verdict,
) {
    let (mutants, seed) = (number("CHAINCOVER_MUTANTS", MUTANTS), number("CHAINCOVER_RANDOM_SEED", 1));
    let start = std::time::Instant::now();
    let (mut accepted, mut honest) = (0u64, 0u64);
    let mut random = Random::new(seed);
    let mut donor = make(&mut random);
    for round in 0..mutants.div_ceil(OF_EACH) {
        let state = random.clone();
        let case = make(&mut random);
        match attack(&case, &donor, true, &mut random) {
            Verdict::True => honest += 1,
            other => panic!("{name}, round {round}: honest evidence is {other:?}, {state:?}"),
        }
        for _ in 0..OF_EACH {
            match attack(&case, &donor, false, &mut random) {
                Verdict::Rejected => {}
                Verdict::True => accepted += 1,
                Verdict::False(what) => panic!("{name}, round {round} from {state:?}:\n{what}"),
            }
        }
        donor = case;
    }
    let rate = mutants as f64 / start.elapsed().as_secs_f64();
    println!(
        "{name}: {mutants} mutants, {accepted} accepted with true claims, 0 with false ones; {honest} honest; {rate:.0} a second"
    );
    // Were everything refused, nothing would be tested.
    assert!(accepted * 100 > mutants && honest > 0, "{name}: {accepted} of {mutants} accepted");
}

#[test]
fn proofs_of_unsatisfiability() {
    campaign("proofs", clauses::make, clauses::attack);
}

#[test]
fn certificates_of_tours() {
    campaign("tours", tours::make, tours::attack);
}

#[test]
fn graphs_of_all_states() {
    campaign("graphs", graphs::make, graphs::attack);
}

#[test]
fn families_of_nodes() {
    campaign("families", families::make, families::attack);
}

#[test]
fn parts_of_the_state() {
    campaign("parts", parts::make, parts::attack);
}

#[test]
fn winners_of_games() {
    campaign("games", games::make, games::attack);
}
