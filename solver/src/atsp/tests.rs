//! The solvers against oracles that share no code with them.

use super::random::Random;
use super::test_support::{brute_force, closure_instance, congruent_instance, random_instance};
use super::*;

mod path_cost_oracle;

fn check_against(instance: &Instance, expected: Option<u64>, label: &str) {
    match solve(instance, &Options::default()) {
        Ok(solution) => {
            assert!(solution.optimal, "{label}");
            assert_eq!(Some(solution.length), expected, "{label}");
            assert_eq!(solution.lower_bound, solution.length, "{label}");
            assert_eq!(instance.tour_length(&solution.tour), expected, "{label}");
            assert!(instance::is_permutation(&solution.tour, instance.len()), "{label}");
            assert_eq!(solution.tour.first(), (!instance.is_empty()).then_some(&0), "{label}");
        }
        Err(failure) => assert_eq!((failure, expected), (Failure::Infeasible, None), "{label}"),
    }
}

#[test]
fn equals_brute_force_on_small_instances() {
    for seed in 0..400 {
        let n = seed as usize % 8;
        let instance =
            random_instance(n, [1, 3, 50][seed as usize % 3], [0, 20, 50][seed as usize / 3 % 3], seed);
        check_against(&instance, brute_force(&instance), &format!("n {n} seed {seed}"));
    }
}

/// The general search on sizes that [`solve`] leaves to dynamic programming.
#[test]
fn general_search_equals_dynamic_programming() {
    for seed in 0..150 {
        let n = 2 + seed as usize % 11;
        let instance = match seed % 4 {
            0 => closure_instance(n, seed % 8 == 0, seed),
            1 => random_instance(n, 4, 10, seed),
            2 => congruent_instance(n, 2 + seed as usize % 2, &mut Random::new(seed)),
            _ => random_instance(n, 100, 65, seed),
        };
        let expected = dynamic_program::shortest_tour(&instance).and_then(|tour| instance.tour_length(&tour));
        let found = solve_with_path_costs(&instance, &[], &Options::default());
        assert_eq!(found.map(|solution| solution.length), expected.ok_or(Failure::Infeasible), "seed {seed}");
    }
}

#[test]
fn tiny_instances() {
    check_against(&Instance::new(0, |_, _| None), Some(0), "no vertices");
    check_against(&Instance::new(1, |_, _| None), Some(0), "one vertex");
    check_against(&Instance::new(2, |from, _| Some(from as u64 + 4)), Some(9), "two vertices");
    check_against(&Instance::new(2, |from, _| (from == 0).then_some(1)), None, "no way back");
}

#[test]
fn a_raised_flag_ends_the_search_with_a_true_bound() {
    let instance = closure_instance(40, true, 3);
    let stop = Arc::new(AtomicBool::new(true));
    let stopped = solve(&instance, &Options { stop: Some(stop), ..Options::default() });
    let length = solve(&instance, &Options::default()).expect("a strongly connected instance").length;
    match stopped {
        Ok(solution) => {
            assert!(solution.lower_bound <= length && length <= solution.length);
            assert_eq!(instance.tour_length(&solution.tour), Some(solution.length));
        }
        Err(Failure::Stopped { lower_bound }) => assert!(lower_bound <= length),
        Err(Failure::Infeasible) => panic!("a strongly connected instance is feasible"),
    }
}
