//! A sparse array that is cheap to copy: the memory of one execution path.
//!
//! Symbolic execution forks the memory at every branch and joins it again shortly after, and both
//! copies are mostly equal. The array is a tree of shared nodes: copying it takes constant time,
//! writing copies one path of the tree, and comparing two arrays skips everything they share.

use model::term::TermId;
use std::rc::Rc;

const BITS: u32 = 4;
const WIDTH: usize = 1 << BITS;

#[derive(Clone)]
enum Node {
    Leaf([Option<TermId>; WIDTH]),
    Inner([Option<Rc<Node>>; WIDTH]),
}

/// A map from small numbers to terms.
#[derive(Clone, Default)]
pub(crate) struct Sparse {
    root: Option<Rc<Node>>,
    /// Levels of inner nodes above the leaves.
    height: u32,
}

/// An entry in which two arrays differ: its index and its content in either of them.
pub(crate) type Difference = (usize, Option<TermId>, Option<TermId>);

impl Sparse {
    /// The entry of the given index.
    pub(crate) fn get(&self, index: usize) -> Option<TermId> {
        if index >> (BITS * self.height) >= WIDTH {
            return None;
        }
        let mut node = self.root.as_deref()?;
        for level in (0..=self.height).rev() {
            let slot = (index >> (BITS * level)) % WIDTH;
            match node {
                Node::Leaf(entries) => return entries[slot],
                Node::Inner(children) => node = children[slot].as_deref()?,
            }
        }
        None
    }

    /// Changes the entry of the given index; `None` removes it.
    pub(crate) fn set(&mut self, index: usize, entry: Option<TermId>) {
        while index >> (BITS * self.height) >= WIDTH {
            self.grow();
        }
        let root = self.root.get_or_insert_with(|| empty(self.height));
        let mut node = Rc::make_mut(root);
        for level in (0..=self.height).rev() {
            let slot = (index >> (BITS * level)) % WIDTH;
            match node {
                Node::Leaf(entries) => {
                    entries[slot] = entry;
                    return;
                }
                Node::Inner(children) => {
                    node = Rc::make_mut(children[slot].get_or_insert_with(|| empty(level - 1)));
                }
            }
        }
    }

    /// All entries in which `self` and `other` differ, by ascending index.
    pub(crate) fn differences(&self, other: &Self) -> Vec<Difference> {
        let (mut left, mut right) = (self.clone(), other.clone());
        while left.height < right.height {
            left.grow();
        }
        while right.height < left.height {
            right.grow();
        }
        let mut found = Vec::new();
        compare(left.root.as_ref(), right.root.as_ref(), 0, &mut found);
        found
    }

    /// All entries that exist, by ascending index.
    pub(crate) fn entries(&self) -> Vec<(usize, TermId)> {
        let all = self.differences(&Self::default());
        all.into_iter().filter_map(|(index, entry, _)| entry.map(|entry| (index, entry))).collect()
    }

    fn grow(&mut self) {
        if let Some(root) = self.root.take() {
            let mut children = [const { None }; WIDTH];
            children[0] = Some(root);
            self.root = Some(Rc::new(Node::Inner(children)));
        }
        self.height += 1;
    }
}

fn empty(height: u32) -> Rc<Node> {
    Rc::new(if height == 0 { Node::Leaf([None; WIDTH]) } else { Node::Inner([const { None }; WIDTH]) })
}

fn compare(left: Option<&Rc<Node>>, right: Option<&Rc<Node>>, start: usize, found: &mut Vec<Difference>) {
    if let (Some(left), Some(right)) = (left, right)
        && Rc::ptr_eq(left, right)
    {
        return;
    }
    let Some(shape) = left.or(right) else { return };
    for slot in 0..WIDTH {
        match &**shape {
            Node::Leaf(_) => {
                let entry = |node: Option<&Rc<Node>>| match node.map(|node| &**node) {
                    Some(Node::Leaf(entries)) => entries[slot],
                    _ => None,
                };
                let (before, after) = (entry(left), entry(right));
                if before != after {
                    found.push((start * WIDTH + slot, before, after));
                }
            }
            Node::Inner(_) => {
                let (left, right) = (child(left, slot), child(right, slot));
                compare(left, right, start * WIDTH + slot, found);
            }
        }
    }
}

fn child(node: Option<&Rc<Node>>, slot: usize) -> Option<&Rc<Node>> {
    match node.map(|node| &**node) {
        Some(Node::Inner(children)) => children[slot].as_ref(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::id::Id;
    use std::collections::BTreeMap;

    /// A small linear congruential generator: enough to mix operations.
    fn numbers(mut seed: u64) -> impl FnMut(usize) -> usize {
        move |bound| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as usize % bound
        }
    }

    #[test]
    fn behaves_like_a_map_with_snapshots() {
        let mut number = numbers(7);
        let mut versions = vec![(Sparse::default(), BTreeMap::new())];
        for _ in 0..3000 {
            let (mut array, mut map) = versions[number(versions.len())].clone();
            for _ in 0..number(6) {
                let index = if number(3) == 0 { number(100_000) } else { number(40) };
                let entry = (number(4) > 0).then(|| TermId::new(number(9)));
                array.set(index, entry);
                match entry {
                    Some(entry) => map.insert(index, entry),
                    None => map.remove(&index),
                };
            }
            assert_eq!(
                array.entries(),
                map.iter().map(|(&index, &entry)| (index, entry)).collect::<Vec<_>>()
            );
            let (other, other_map) = &versions[number(versions.len())];
            let mut expected = Vec::new();
            for &index in map.keys().chain(other_map.keys()).collect::<std::collections::BTreeSet<_>>() {
                let (left, right) = (map.get(&index).copied(), other_map.get(&index).copied());
                assert_eq!(array.get(index), left);
                if left != right {
                    expected.push((index, left, right));
                }
            }
            assert_eq!(array.differences(other), expected);
            versions.push((array, map));
        }
    }
}
