//! Dense vectors.

pub(super) fn unit_row(size: usize, row: usize) -> Vec<f64> {
    let mut unit = vec![0.0; size];
    unit[row] = -1.0;
    unit
}

pub(super) fn add_multiple(target: &mut [f64], factor: f64, source: &[f64]) {
    for (target, source) in target.iter_mut().zip(source) {
        *target += factor * source;
    }
}

/// The same for the entries at the given places; by how much the squared norm of the target
/// changes.
pub(super) fn add_sparse_multiple(target: &mut [f64], factor: f64, source: &[f64], places: &[usize]) -> f64 {
    let mut change = 0.0;
    for &place in places {
        let old = target[place];
        let new = old + factor * source[place];
        target[place] = new;
        change += new * new - old * old;
    }
    change
}

/// Sums in lanes, so that the compiler can use vector instructions.
pub(super) fn dot(left: &[f64], right: &[f64]) -> f64 {
    const LANES: usize = 8;
    let (left, right) = (&left[..left.len().min(right.len())], &right[..left.len().min(right.len())]);
    let mut lanes = [0.0; LANES];
    let (left_chunks, right_chunks) = (left.chunks_exact(LANES), right.chunks_exact(LANES));
    let tail = left_chunks.remainder().iter().zip(right_chunks.remainder());
    let rest: f64 = tail.map(|(left, right)| left * right).sum();
    for (left, right) in left_chunks.zip(right_chunks) {
        for lane in 0..LANES {
            lanes[lane] += left[lane] * right[lane];
        }
    }
    lanes.iter().sum::<f64>() + rest
}

pub(super) fn norm(row: &[f64]) -> f64 {
    dot(row, row)
}

pub(super) fn retain_by<T>(items: &mut Vec<T>, keep: impl Fn(usize) -> bool) {
    let mut index = 0;
    items.retain(|_| {
        index += 1;
        keep(index - 1)
    });
}
