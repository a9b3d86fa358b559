//! Entries in which a word of the state has a value that few others have.
//!
//! Most entries of the archive lie where an execution is most of the time. What is hard to reach
//! is often a mode in which a chart seldom is, so a walk that goes on from there begins with a word
//! that has had few values, one of these values, and an entry with it
//! (A. Ecoffet et al., First return, then explore, Nature 590 (2021), section on weights of cells).

use crate::random_simulation::Random;
use rustc_hash::FxHashMap;

/// Most values of a word that tells modes apart.
const MOST_VALUES: usize = 32;
/// Fewest.
const FEWEST_VALUES: usize = 3;
/// Most entries that are kept for a value.
const MOST_ENTRIES: usize = 32;

/// By word: its values with the last entries that have them, as long as they are few.
pub(super) struct Rare(Vec<Option<Values>>);

type Values = FxHashMap<u64, (usize, Vec<u32>)>;

impl Rare {
    pub(super) fn new(words: usize) -> Self {
        Self((0..words).map(|_| Some(Values::default())).collect())
    }

    /// Keeps an entry.
    pub(super) fn note(&mut self, entry: u32, state: &[u64]) {
        for (word, &value) in self.0.iter_mut().zip(state) {
            let Some(values) = word else { continue };
            let (count, entries) = values.entry(value).or_default();
            match entries.get_mut(*count % MOST_ENTRIES) {
                Some(old) => *old = entry,
                None => entries.push(entry),
            }
            *count += 1;
            if values.len() > MOST_VALUES {
                *word = None;
            }
        }
    }

    /// An entry with a value drawn of all that such a word has had.
    pub(super) fn pick(&self, random: &mut Random) -> Option<u32> {
        let modes: Vec<&Values> =
            self.0.iter().flatten().filter(|values| values.len() >= FEWEST_VALUES).collect();
        let values = modes.get(random.below(modes.len().max(1)))?;
        let mut seen: Vec<u64> = values.keys().copied().collect();
        seen.sort_unstable();
        let (_, entries) = &values[&seen[random.below(seen.len())]];
        Some(entries[random.below(entries.len())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_drawn_alike_however_many_entries_have_them() {
        let mut rare = Rare::new(2);
        for entry in 0..1_000 {
            rare.note(entry, &[u64::from(entry == 700) + 2 * u64::from(entry > 900), u64::from(entry)]);
        }
        let mut random = Random::new(1);
        let hits = (0..300).filter(|_| rare.pick(&mut random) == Some(700)).count();
        assert!((60..140).contains(&hits), "{hits} of 300");
        assert_eq!(Rare::new(3).pick(&mut random), None);
    }
}
