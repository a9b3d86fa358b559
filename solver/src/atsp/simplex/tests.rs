//! The method against the best vertex of small programs, found by trying all.

use super::super::random::Random;
use super::dense::dot;
use super::*;

/// The smallest objective over all basic solutions: every choice of tight rows and bounds that
/// fixes all variables.
fn best_vertex(costs: &[f64], upper: &[f64], rows: &[(Vec<f64>, f64)]) -> Option<f64> {
    let n = costs.len();
    let mut planes: Vec<(Vec<f64>, f64)> = rows.to_vec();
    for (index, &bound) in upper.iter().enumerate() {
        let mut plane = vec![0.0; n];
        plane[index] = 1.0;
        planes.push((plane.clone(), 0.0));
        planes.push((plane, bound));
    }
    let mut best: Option<f64> = None;
    for choice in 0..1u32 << planes.len() {
        if choice.count_ones() as usize != n {
            continue;
        }
        let chosen: Vec<_> = (0..planes.len()).filter(|plane| choice >> plane & 1 == 1).collect();
        let Some(point) =
            intersection(&chosen.iter().map(|&plane| planes[plane].clone()).collect::<Vec<_>>())
        else {
            continue;
        };
        let inside = point.iter().zip(upper).all(|(value, bound)| *value >= -1e-7 && *value <= bound + 1e-7);
        if inside && rows.iter().all(|(row, right)| dot(row, &point) >= right - 1e-7) {
            let objective = dot(costs, &point);
            best = Some(best.map_or(objective, |known: f64| known.min(objective)));
        }
    }
    best
}

fn intersection(planes: &[(Vec<f64>, f64)]) -> Option<Vec<f64>> {
    let n = planes.len();
    let mut table: Vec<Vec<f64>> =
        planes.iter().map(|(plane, right)| [plane.clone(), vec![*right]].concat()).collect();
    for column in 0..n {
        let best = (column..n).max_by(|&a, &b| table[a][column].abs().total_cmp(&table[b][column].abs()))?;
        if table[best][column].abs() < 1e-9 {
            return None;
        }
        table.swap(column, best);
        let pivot = table[column].clone();
        for (index, row) in table.iter_mut().enumerate() {
            let factor = if index == column { 0.0 } else { row[column] / pivot[column] };
            for (entry, subtracted) in row.iter_mut().zip(&pivot) {
                *entry -= factor * subtracted;
            }
        }
    }
    Some((0..n).map(|row| table[row][n] / table[row][row]).collect())
}

struct Sample {
    costs: Vec<f64>,
    upper: Vec<f64>,
    rows: Vec<(Vec<f64>, f64)>,
}

fn sample(random: &mut Random) -> Sample {
    let n = 2 + random.below(3);
    let small = |random: &mut Random| random.below(7) as f64 - 3.0;
    let rows = (0..2 + random.below(4)).map(|_| ((0..n).map(|_| small(random)).collect(), small(random)));
    let rows = rows.collect();
    Sample {
        costs: (0..n).map(|_| random.below(6) as f64).collect(),
        upper: (0..n).map(|_| random.below(4) as f64).collect(),
        rows,
    }
}

fn check(simplex: &mut Simplex, sample: &Sample, rows: usize, upper: &[f64]) {
    let expected = best_vertex(&sample.costs, upper, &sample.rows[..rows]);
    let status = simplex.solve(f64::INFINITY, 500);
    match expected {
        Some(expected) => {
            assert_eq!(status, Status::Optimal);
            assert!((simplex.objective() - expected).abs() < 1e-6, "{} {expected}", simplex.objective());
            let point: Vec<f64> = (0..upper.len()).map(|column| simplex.value(column)).collect();
            assert!(sample.rows[..rows].iter().all(|(row, right)| dot(row, &point) >= right - 1e-6));
        }
        None => assert_eq!(status, Status::CutOff),
    }
}

fn add_row(simplex: &mut Simplex, row: &(Vec<f64>, f64)) {
    let entries: Vec<(usize, f64)> =
        row.0.iter().copied().enumerate().filter(|entry| entry.1 != 0.0).collect();
    simplex.add_row(&entries, row.1, false);
}

/// Rows are added one by one, bounds are lowered to zero and raised again, and slack rows are
/// dropped.
#[test]
fn equals_the_best_vertex_while_the_program_changes() {
    let mut random = Random::new(42);
    for _ in 0..400 {
        let sample = sample(&mut random);
        let mut simplex = Simplex::new();
        for (&cost, &upper) in sample.costs.iter().zip(&sample.upper) {
            simplex.add_column(cost, upper);
        }
        for (index, row) in sample.rows.iter().enumerate() {
            add_row(&mut simplex, row);
            check(&mut simplex, &sample, index + 1, &sample.upper);
        }
        let fixed = random.below(sample.costs.len());
        let mut upper = sample.upper.clone();
        upper[fixed] = 0.0;
        simplex.set_upper(fixed, 0.0);
        check(&mut simplex, &sample, sample.rows.len(), &upper);
        simplex.set_upper(fixed, sample.upper[fixed]);
        check(&mut simplex, &sample, sample.rows.len(), &sample.upper);
        simplex.refactor();
        check(&mut simplex, &sample, sample.rows.len(), &sample.upper);
    }
}

#[test]
fn equations_hold_and_slack_rows_can_go() {
    let mut simplex = Simplex::new();
    let columns: Vec<usize> = [3.0, 1.0, 2.0].map(|cost| simplex.add_column(cost, 1.0)).to_vec();
    let all: Vec<(usize, f64)> = columns.iter().map(|&column| (column, 1.0)).collect();
    simplex.add_row(&all[..1], -5.0, false);
    simplex.add_row(&all, 2.0, true);
    assert_eq!(simplex.solve(f64::INFINITY, 100), Status::Optimal);
    assert!((simplex.objective() - 3.0).abs() < 1e-9);
    assert!(simplex.is_slack(0) && !simplex.is_slack(1));
    simplex.drop_rows(&[0]);
    simplex.add_row(&all[..1], 1.0, false);
    assert_eq!(simplex.solve(f64::INFINITY, 100), Status::Optimal);
    assert!((simplex.objective() - 4.0).abs() < 1e-9);
    assert_eq!(simplex.row_count(), 2);
}

#[test]
fn infeasibility_comes_with_a_ray() {
    let mut simplex = Simplex::new();
    let column = simplex.add_column(1.0, 1.0);
    simplex.add_row(&[(column, 1.0)], 2.0, false);
    assert_eq!(simplex.solve(f64::INFINITY, 100), Status::CutOff);
    assert!(simplex.ray().expect("an infeasible program should give a ray")[0] > 0.0);
}
