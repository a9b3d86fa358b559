//! Slew limits as clauses: two words of an input differ by at most a constant.

use solver::sat::{ClauseSink, Lit};

/// A word: literals of its bits, least significant first.
pub(super) type Word = Vec<Lit>;

/// Demands that two words of the same width differ by at most `limit`.
pub(super) fn close(left: &[Lit], right: &[Lit], limit: u128, signed: bool, sink: &mut dyn ClauseSink) {
    let (left, right) = (biased(left, signed), biased(right, signed));
    at_most(&left, &right, limit, sink);
    at_most(&right, &left, limit, sink);
}

/// The word of a constant.
pub(super) fn constant(bits: u128, width: u32, truth: Lit) -> Word {
    (0..width).map(|position| if bits >> position & 1 == 1 { truth } else { !truth }).collect()
}

/// Two's complement numbers in the order of unsigned ones: the sign bit turned over.
fn biased(word: &[Lit], signed: bool) -> Word {
    let mut word = word.to_vec();
    if let Some(sign) = word.last_mut().filter(|_| signed) {
        *sign = !*sign;
    }
    word
}

/// `left <= right + limit`, over the integers.
fn at_most(left: &[Lit], right: &[Lit], limit: u128, sink: &mut dyn ClauseSink) {
    if left.len() < 128 && limit >> left.len() != 0 {
        return;
    }
    let mut carry: Option<Lit> = None;
    let mut holds: Option<Lit> = None;
    for (position, (&a, &b)) in left.iter().zip(right).enumerate() {
        let one = limit >> position & 1 == 1;
        let (sum, next) = add(b, one, carry, sink);
        carry = next;
        holds = Some(compare(a, sum, holds, sink));
    }
    // A carry out of the top makes the right side greater than every left one.
    let clause: Vec<Lit> = carry.into_iter().chain(holds).collect();
    sink.clause(&clause);
}

/// Sum and carry of a bit, a constant bit and a carry (`None`: 0).
fn add(bit: Lit, one: bool, carry: Option<Lit>, sink: &mut dyn ClauseSink) -> (Lit, Option<Lit>) {
    let Some(carry) = carry else {
        return if one { (!bit, Some(bit)) } else { (bit, None) };
    };
    let (sum, next) = (sink.fresh().positive(), sink.fresh().positive());
    let even = if one { !sum } else { sum };
    for clause in [[!even, bit, carry], [!even, !bit, !carry], [even, !bit, carry], [even, bit, !carry]] {
        sink.clause(&clause);
    }
    if one {
        sink.clause(&[next, !bit]);
        sink.clause(&[next, !carry]);
        sink.clause(&[!next, bit, carry]);
    } else {
        sink.clause(&[!next, bit]);
        sink.clause(&[!next, carry]);
        sink.clause(&[next, !bit, !carry]);
    }
    (sum, Some(next))
}

/// A literal that implies: the bits so far of the left word are at most those of the right one.
/// `before`: of the lower bits (`None`: there are none).
fn compare(left: Lit, right: Lit, before: Option<Lit>, sink: &mut dyn ClauseSink) -> Lit {
    let holds = sink.fresh().positive();
    sink.clause(&[!holds, !left, right]);
    if let Some(before) = before {
        sink.clause(&[!holds, !left, !right, before]);
        sink.clause(&[!holds, left, right, before]);
    }
    holds
}

#[cfg(test)]
mod tests {
    use super::*;
    use solver::sat::{Backend, Budget, IncrementalSat, Verdict};

    #[test]
    fn exactly_the_close_pairs_are_allowed() {
        for signed in [false, true] {
            for limit in 0..9u128 {
                let mut solver = Backend::Batsat.open();
                let word = |solver: &mut Box<dyn IncrementalSat + Send>| -> Word {
                    (0..3).map(|_| solver.fresh().positive()).collect()
                };
                let (left, right) = (word(&mut solver), word(&mut solver));
                close(&left, &right, limit, signed, &mut solver);
                for (a, b) in (0..8u128).flat_map(|a| (0..8u128).map(move |b| (a, b))) {
                    let fixed = |word: &Word, value: u128| {
                        word.iter()
                            .enumerate()
                            .map(|(at, &bit)| if value >> at & 1 == 1 { bit } else { !bit })
                            .collect::<Vec<_>>()
                    };
                    let number =
                        |value: u128| if signed && value >= 4 { value as i64 - 8 } else { value as i64 };
                    let assumptions = [fixed(&left, a), fixed(&right, b)].concat();
                    let allowed = solver.solve(&assumptions, &Budget::default()) == Verdict::Sat;
                    let close = u128::from(number(a).abs_diff(number(b))) <= limit;
                    assert_eq!(allowed, close, "{a} and {b} within {limit}, signed: {signed}");
                }
            }
        }
    }
}
