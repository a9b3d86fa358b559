//! Which coverage goal of a changed model is which one of an old result.
//!
//! Identities of coverage goals go by the tokens of their place in the code. Where the only file
//! that the model has not got any more stands against a single new one, the file has a new name.
//! Where a function has as many changed places of a kind as before, they are the same ones in
//! their order, as long as these have the same parts; the result tells which were taken so.

use frontend::coverage::CoverageGoal;
use report::coverage::CoverageGoal as OldGoal;
use std::collections::{BTreeMap, BTreeSet};

/// An identity: the file, the function, the place by its tokens, and the part of it.
type Pieces<'i> = [&'i str; 4];

/// Of one function and kind: each place with its parts, in their order in the code.
type Places<'i> = Vec<(&'i str, BTreeSet<&'i str>)>;

/// By old identity the position of the new goal, and what was taken for the same although its code
/// has changed.
pub(super) fn counterparts<'o>(
    old: &'o [OldGoal],
    new: &[CoverageGoal],
) -> (BTreeMap<&'o str, usize>, Vec<String>) {
    let at: BTreeMap<&str, usize> =
        new.iter().enumerate().map(|(at, goal)| (&goal.identity[..], at)).collect();
    let now: Vec<Pieces<'_>> = new.iter().filter_map(|goal| pieces(&goal.identity)).collect();
    let mut before: Vec<Pieces<'_>> = old.iter().filter_map(|goal| pieces(&goal.identity)).collect();
    let renamed = renamed(&before, &now);
    let file_now = |file| renamed.filter(|(before, _)| *before == file).map_or(file, |(_, now)| now);
    before.iter_mut().for_each(|pieces| pieces[0] = file_now(pieces[0]));
    let changed = changed(&before, &now);
    let (mut known, mut told) = (BTreeMap::new(), Vec::new());
    let mut seen: BTreeSet<(&str, &str, &str)> = BTreeSet::new();
    for goal in old {
        let now = pieces(&goal.identity).map(|[file, function, place, part]| {
            let file = file_now(file);
            let place_now = changed.get(&(file, function, place)).copied().unwrap_or(place);
            ([file, function, place_now, part].join(":"), (file, function, place), place_now != place)
        });
        let (identity, place, is_changed) = now.unwrap_or((goal.identity.clone(), ("", "", ""), false));
        let Some(&found) = at.get(&identity[..]) else { continue };
        if is_changed && seen.insert(place) {
            let now = &new[found].name;
            told.push(format!("the old goal {} is taken for {now}: its code has changed", goal.name));
        }
        known.insert(&goal.identity[..], found);
    }
    (known, told)
}

fn pieces(identity: &str) -> Option<Pieces<'_>> {
    identity.splitn(4, ':').collect::<Vec<_>>().try_into().ok()
}

/// The name that a file has now, where only one has another.
fn renamed<'i>(old: &[Pieces<'i>], new: &[Pieces<'i>]) -> Option<(&'i str, &'i str)> {
    let files = |of: &[Pieces<'i>]| -> BTreeSet<&'i str> { of.iter().map(|pieces| pieces[0]).collect() };
    let (before, now) = (files(old), files(new));
    let gone: Vec<_> = before.difference(&now).collect();
    let come: Vec<_> = now.difference(&before).collect();
    match (&gone[..], &come[..]) {
        (&[gone], &[come]) => Some((gone, come)),
        _ => None,
    }
}

/// For places of functions that there are no more those that they are now.
fn changed<'i>(old: &[Pieces<'i>], new: &[Pieces<'i>]) -> BTreeMap<(&'i str, &'i str, &'i str), &'i str> {
    let (before, mut now) = (places(old, new), places(new, old));
    let mut changed = BTreeMap::new();
    for (key, gone) in before {
        let come = now.remove(&key).unwrap_or_default();
        let is_same = gone.len() == come.len() && gone.iter().zip(&come).all(|(old, new)| old.1 == new.1);
        if is_same {
            let pairs = gone.iter().zip(&come).map(|(old, new)| ((key.0, key.1, old.0), new.0));
            changed.extend(pairs);
        }
    }
    changed
}

/// By file, function and kind the places that the others have not got.
fn places<'i>(of: &[Pieces<'i>], others: &[Pieces<'i>]) -> BTreeMap<(&'i str, &'i str, &'i str), Places<'i>> {
    let known: BTreeSet<&[&str]> = others.iter().map(|pieces| &pieces[..3]).collect();
    let mut found: BTreeMap<_, Places<'_>> = BTreeMap::new();
    for pieces in of.iter().filter(|pieces| !known.contains(&pieces[..3])) {
        let [file, function, place, part] = *pieces;
        let kind = place.split_once('-').map_or(place, |(kind, _)| kind);
        let places = found.entry((file, function, kind)).or_default();
        match places.iter_mut().find(|(known, _)| *known == place) {
            Some((_, parts)) => {
                parts.insert(part);
            }
            None => places.push((place, BTreeSet::from([part]))),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed_of(old: &[&str], new: &[&str]) -> Vec<String> {
        let all = |of: &[&'static str]| -> Vec<Pieces<'static>> {
            of.iter().map(|identity| pieces(identity).expect("four pieces")).collect()
        };
        let leak = |of: &[&str]| -> Vec<&'static str> {
            of.iter().map(|text| &*Box::leak((*text).to_owned().into_boxed_str())).collect()
        };
        let found = changed(&all(&leak(old)), &all(&leak(new)));
        found.into_iter().map(|((_, _, before), now)| format!("{before} {now}")).collect()
    }

    #[test]
    fn changed_places_are_the_same_ones_in_their_order() {
        let cases: [(&[&str], &[&str], &[&str]); 5] = [
            // One of two has changed.
            (
                &["a.c:f:decision-1:true", "a.c:f:decision-2:true"],
                &["a.c:f:decision-1:true", "a.c:f:decision-3:true"],
                &["decision-2 decision-3"],
            ),
            // One has gone.
            (&["a.c:f:decision-1:true", "a.c:f:decision-2:true"], &["a.c:f:decision-3:true"], &[]),
            // It has other parts.
            (&["a.c:f:decision-1:0:true"], &["a.c:f:decision-3:0:true", "a.c:f:decision-3:1:true"], &[]),
            // Other functions and kinds are others.
            (&["a.c:f:decision-1:true"], &["a.c:g:decision-2:true", "a.c:f:switch-2:true"], &[]),
            // Both have changed.
            (
                &["a.c:f:decision-1:true", "a.c:f:decision-2:true"],
                &["a.c:f:decision-4:true", "a.c:f:decision-3:true"],
                &["decision-1 decision-4", "decision-2 decision-3"],
            ),
        ];
        for (old, new, expected) in cases {
            assert_eq!(changed_of(old, new), expected, "{old:?} {new:?}");
        }
    }

    #[test]
    fn the_only_file_that_is_gone_has_the_name_of_the_only_new_one() {
        let of = |file: &'static str| [file, "f", "decision-1", "true"];
        assert_eq!(renamed(&[of("a.c")], &[of("b.c")]), Some(("a.c", "b.c")));
        assert_eq!(renamed(&[of("a.c"), of("c.c")], &[of("b.c"), of("c.c")]), Some(("a.c", "b.c")));
        assert_eq!(renamed(&[of("a.c"), of("c.c")], &[of("b.c")]), None);
        assert_eq!(renamed(&[of("a.c")], &[of("a.c"), of("b.c")]), None);
    }
}
