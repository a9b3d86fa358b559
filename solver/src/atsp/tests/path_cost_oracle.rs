//! Path costs against all permutations and all cuts.

use super::super::random::Random;
use super::super::test_support::{permutations, random_instance, random_windows};
use super::super::*;

/// The dearest cut of the tour into arcs and windows, by recursion over all beginnings.
fn length_by_hand(instance: &Instance, path_costs: &[PathCost], tour: &[usize]) -> Option<u64> {
    let n = tour.len();
    let stands_at = |vertices: &[usize], start: usize| {
        vertices.len() <= n && vertices.iter().enumerate().all(|(k, &vertex)| tour[(start + k) % n] == vertex)
    };
    let holds = |path_cost: &&PathCost| (0..n).any(|start| stands_at(&path_cost.vertices, start));
    if path_costs.iter().any(|path_cost| path_cost.cost.is_none() && holds(&path_cost)) {
        return None;
    }
    fn dearest(
        instance: &Instance,
        path_costs: &[PathCost],
        tour: &[usize],
        at: usize,
        end: usize,
        stands_at: &dyn Fn(&[usize], usize) -> bool,
    ) -> Option<u64> {
        if at == end {
            return Some(0);
        }
        let n = tour.len();
        let rest = |next: usize| dearest(instance, path_costs, tour, next, end, stands_at);
        let arc = instance.cost(tour[at % n], tour[(at + 1) % n])? + rest(at + 1)?;
        let windows = path_costs.iter().filter(|path_cost| {
            at + path_cost.vertices.len() - 1 <= end && stands_at(&path_cost.vertices, at)
        });
        let charged = windows.filter_map(|window| Some(window.cost? + rest(at + window.vertices.len() - 1)?));
        charged.chain([arc]).max()
    }
    (0..n).map(|start| dearest(instance, path_costs, tour, start, start + n, &stands_at)).max()?
}

fn best_by_hand(instance: &Instance, path_costs: &[PathCost]) -> Option<u64> {
    let lengths =
        permutations(instance.len()).into_iter().map(|tour| length_by_hand(instance, path_costs, &tour));
    lengths.flatten().min()
}

fn check(instance: &Instance, path_costs: &[PathCost], label: &str) {
    let expected = best_by_hand(instance, path_costs);
    match solve_with_path_costs(instance, path_costs, &Options::default()) {
        Ok(solution) => {
            assert!(solution.optimal, "{label}");
            assert_eq!(Some(solution.length), expected, "{label}");
            assert_eq!(length_by_hand(instance, path_costs, &solution.tour), expected, "{label}");
        }
        Err(failure) => assert_eq!((failure, expected), (Failure::Infeasible, None), "{label}"),
    }
}

#[test]
fn lengths_equal_all_cuts() {
    let mut random = Random::new(11);
    for seed in 0..200 {
        let n = 3 + seed as usize % 5;
        let instance = random_instance(n, 10, 5, seed);
        let windows = random_windows(n, 60, &mut random);
        let mut tour: Vec<usize> = (0..n).collect();
        random.shuffle(&mut tour);
        let expected = length_by_hand(&instance, &windows, &tour);
        assert_eq!(length_with_path_costs(&instance, &windows, &tour), expected, "seed {seed}");
    }
}

#[test]
fn shortest_tours_equal_all_permutations() {
    let mut random = Random::new(5);
    for seed in 0..120 {
        let n = 3 + seed as usize % 4;
        let instance = random_instance(n, [4, 12][seed as usize % 2], [0, 10, 40][seed as usize % 3], seed);
        let windows = random_windows(n, [3, 20, 80][seed as usize / 2 % 3], &mut random);
        check(&instance, &windows, &format!("n {n} seed {seed}"));
    }
}

#[test]
fn seven_vertices_equal_all_permutations() {
    let mut random = Random::new(6);
    for seed in 0..6 {
        let instance = random_instance(7, 12, 10, seed);
        let windows = random_windows(7, 150, &mut random);
        check(&instance, &windows, &format!("seed {seed}"));
    }
}

#[test]
fn everything_forbidden_is_infeasible() {
    let instance = Instance::new(4, |_, _| Some(1));
    let forbidden = permutations(4).into_iter().map(|mut vertices| {
        vertices.truncate(3);
        PathCost { vertices, cost: None }
    });
    let failure = solve_with_path_costs(&instance, &forbidden.collect::<Vec<_>>(), &Options::default());
    assert_eq!(failure, Err(Failure::Infeasible));
}

#[test]
fn a_warm_start_is_kept_where_it_is_best() {
    let instance = random_instance(6, 20, 0, 9);
    let windows = random_windows(6, 30, &mut Random::new(3));
    let cold = solve_with_path_costs(&instance, &windows, &Options::default()).expect("feasible");
    let warm_start = WarmStart { tour: Some(cold.tour.clone()), lower_bound: cold.length };
    let stopped = Options { stop: Some(Arc::new(AtomicBool::new(true))), ..Options::default() };
    let warm = solve_with_path_costs_from(&instance, &windows, &warm_start, &stopped);
    assert_eq!(warm, Ok(cold));
}
