//! Input vectors that are held from Init, bred by what their holds lead to.
//!
//! Where eight drives have to run side by side for a minute, one vector of inputs does it, in which
//! each of them has its feedback and none has a fault: nobody draws it at once. But each drive that
//! runs beside those that ran before is something new. So a vector is kept whose hold leads to two
//! facts together that no hold of another one has led to, and further vectors are made of those that
//! are kept: of one by few changes, or of two of them. Facts are the values of words that are only
//! given constants: of timers and counts nearly every hold has new ones.

use crate::random_simulation::Random;

/// Most vectors that are kept: the oldest ones go first.
const MOST_KEPT: usize = 256;
/// Of the vectors that are kept so many of the last ones are parents half of the time.
const NEWEST: usize = 8;
/// Events in a row that lead to nothing new, after which a hold ends.
const PATIENCE: usize = 48;
/// One vector in so many has two parents.
const CROSSED: usize = 4;

/// See the module text.
#[derive(Default)]
pub(super) struct Breed {
    /// Numbers of vectors.
    kept: Vec<u32>,
    /// By number of a fact: the facts that it was met with, in bits.
    met: Vec<Vec<u64>>,
    /// Whether the hold at work has led to facts that are new together.
    is_fertile: bool,
    /// Its events since then.
    quiet: usize,
}

impl Breed {
    /// Keeps a vector, to make others of it.
    pub(super) fn keep(&mut self, vector: u32) {
        if self.kept.len() == MOST_KEPT {
            self.kept.remove(0);
        }
        self.kept.push(vector);
    }

    /// Begins a hold.
    pub(super) fn begin(&mut self) {
        (self.is_fertile, self.quiet) = (false, 0);
    }

    /// Whether the hold at work has led to facts that are new together.
    pub(super) fn is_fertile(&self) -> bool {
        self.is_fertile
    }

    /// Notes the facts of a state that the hold at work has come to. Whether the hold is worth going
    /// on.
    pub(super) fn goes_on(&mut self, facts: &[usize]) -> bool {
        let is_new = self.note(facts);
        self.is_fertile |= is_new;
        self.quiet = if is_new { 0 } else { self.quiet + 1 };
        self.quiet <= PATIENCE
    }

    /// Notes that these facts were met together. Whether two of them were not before.
    fn note(&mut self, facts: &[usize]) -> bool {
        let Some(&last) = facts.iter().max() else { return false };
        let mut own = vec![0; last / 64 + 1];
        facts.iter().for_each(|&fact| own[fact / 64] |= 1u64 << (fact % 64));
        self.met.resize_with(self.met.len().max(last + 1), Vec::new);
        let mut is_new = false;
        for &fact in facts {
            let met = &mut self.met[fact];
            met.resize(met.len().max(own.len()), 0);
            for (met, own) in met.iter_mut().zip(&own) {
                is_new |= own & !*met != 0;
                *met |= own;
            }
        }
        is_new
    }

    /// The parents of the next vector: one, or two to be crossed. `None`: nothing is kept.
    pub(super) fn parents(&self, random: &mut Random) -> Option<(u32, Option<u32>)> {
        let count = self.kept.len();
        if count == 0 {
            return None;
        }
        let mut draw = || match random.below(2) {
            0 => self.kept[count - 1 - random.below(count.min(NEWEST))],
            _ => self.kept[random.below(count)],
        };
        let (one, other) = (draw(), draw());
        Some((one, (random.below(CROSSED) == 0).then_some(other)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_new_together_once() {
        let mut breed = Breed::default();
        for (facts, is_new) in [
            (&[0, 70][..], true),
            (&[0, 70], false),
            (&[0, 3], true),
            (&[3, 70], true),
            (&[0, 3, 70], false),
            (&[], false),
        ] {
            assert_eq!(breed.note(facts), is_new, "{facts:?}");
        }
    }

    #[test]
    fn a_hold_ends_where_nothing_new_comes() {
        let mut breed = Breed::default();
        breed.begin();
        assert!(breed.goes_on(&[1]) && breed.is_fertile());
        breed.begin();
        assert!((0..PATIENCE).all(|_| breed.goes_on(&[1])));
        assert!(!breed.goes_on(&[1]) && !breed.is_fertile());
    }
}
