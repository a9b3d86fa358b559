//! Counting true literals: the sequential counter (Sinz, CP 2005), one direction.

use solver::sat::{ClauseSink, Lit};

/// Literals `at_least[j]` that are true where more than `j` of `literals` are true, for `j` below
/// `most`. With every `at_least[j]` free to be true otherwise, assuming its negation bounds the
/// number by `j`.
pub(super) fn count(literals: &[Lit], most: usize, sink: &mut dyn ClauseSink) -> Vec<Lit> {
    let mut before: Vec<Lit> = Vec::new();
    for (index, &literal) in literals.iter().enumerate() {
        let size = most.min(index + 1);
        let now: Vec<Lit> = (0..size).map(|_| sink.fresh().positive()).collect();
        if let Some(&first) = now.first() {
            sink.clause(&[!literal, first]);
        }
        for (position, &known) in before.iter().enumerate() {
            sink.clause(&[!known, now[position]]);
            if let Some(&next) = now.get(position + 1) {
                sink.clause(&[!known, !literal, next]);
            }
        }
        before = now;
    }
    before
}

#[cfg(test)]
mod tests {
    use super::*;
    use solver::sat::{Backend, Budget, Verdict};

    #[test]
    fn bounds_are_exact() {
        for total in 1..=6usize {
            let mut solver = Backend::Batsat.open();
            let literals: Vec<Lit> = (0..total).map(|_| solver.fresh().positive()).collect();
            let counter = count(&literals, total, &mut solver);
            for pattern in 0u32..1 << total {
                let value = |(index, &literal): (usize, &Lit)| {
                    if pattern >> index & 1 == 1 { literal } else { !literal }
                };
                let fixed: Vec<Lit> = literals.iter().enumerate().map(value).collect();
                for (bound, &more) in counter.iter().enumerate() {
                    let assumptions = [fixed.clone(), vec![!more]].concat();
                    let within = pattern.count_ones() as usize <= bound;
                    let verdict = solver.solve(&assumptions, &Budget::default());
                    assert_eq!(verdict == Verdict::Sat, within, "{pattern:b} within {bound}");
                }
            }
        }
    }
}
