//! Names and what they mean.

use crate::ir::types::{RecordId, TypeId};
use crate::ir::{FunctionId, GlobalId, LocalId};
use frontend::diagnostics::Diagnostic;
use std::collections::BTreeMap;

/// A type with the qualifiers that objects of it have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Qualified {
    pub(super) ty: TypeId,
    pub(super) is_const: bool,
    pub(super) is_volatile: bool,
}

/// What an ordinary name means.
#[derive(Clone, Debug)]
pub(super) enum Entity {
    Type(Qualified),
    Local(LocalId),
    Global(GlobalId),
    Function(FunctionId),
    Enumerator {
        value: i128,
        ty: TypeId,
    },
    /// Its declaration is not supported; that matters only to who uses it.
    Unusable(Box<Diagnostic>),
    /// Its declaration is wrong, which is reported already.
    Failed,
}

/// What a tag means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tag {
    Record(RecordId),
    Enum(TypeId),
}

/// The names of a file, function or block. Ordered, so that lists of candidates are deterministic.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    pub(super) names: BTreeMap<String, Entity>,
    pub(super) tags: BTreeMap<String, Tag>,
}

/// Names that look like one that was not found, best first, three at most.
pub(super) fn similar<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Vec<String> {
    let limit = name.chars().count() / 3; // of short names all others are neighbours
    let lower = name.to_lowercase();
    let mut scored: Vec<(usize, &str)> = candidates
        .filter_map(|candidate| {
            let distance = edit_distance(&lower, &candidate.to_lowercase());
            (distance <= limit).then_some((distance, candidate))
        })
        .collect();
    scored.sort_unstable();
    scored.dedup();
    scored.into_iter().take(3).map(|(_, candidate)| candidate.to_owned()).collect()
}

/// Levenshtein distance with transpositions of neighbours (optimal string alignment).
fn edit_distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let mut rows = vec![vec![0; right.len() + 1]; left.len() + 1];
    for (row, entries) in rows.iter_mut().enumerate() {
        entries[0] = row;
    }
    for column in 0..=right.len() {
        rows[0][column] = column;
    }
    for row in 1..=left.len() {
        for column in 1..=right.len() {
            let is_same = left[row - 1] == right[column - 1];
            let mut best = (rows[row - 1][column - 1] + usize::from(!is_same))
                .min(rows[row - 1][column] + 1)
                .min(rows[row][column - 1] + 1);
            if row > 1
                && column > 1
                && left[row - 1] == right[column - 2]
                && left[row - 2] == right[column - 1]
            {
                best = best.min(rows[row - 2][column - 2] + 1);
            }
            rows[row][column] = best;
        }
    }
    rows[left.len()][right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_distances() {
        for (left, right, expected) in [
            ("", "abc", 3),
            ("speed", "sped", 1),
            ("speed", "speed", 0),
            ("ab", "ba", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(edit_distance(left, right), expected, "{left} {right}");
        }
    }

    #[test]
    fn finds_similar_names() {
        let names = ["speed", "mode", "sped", "Speed", "unrelated"];
        assert_eq!(similar("speeed", names.into_iter()), ["Speed", "speed", "sped"]);
        assert!(similar("zzz", names.into_iter()).is_empty());
    }
}
