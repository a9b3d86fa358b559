//! Typed indices and the tables they index.
//!
//! Every table of a system has its own index type, so an index of one table cannot be used in
//! another by mistake. Ids are stored plus one in a [`NonZeroU32`](std::num::NonZeroU32):
//! `Option<Id>` takes four bytes. The only `usize -> u32` conversion stands in the id constructor
//! and is checked.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// An index into an [`IdVec`]; implemented by the types that [`define_id!`](crate::define_id)
/// makes.
pub trait Id: Copy + Eq + fmt::Debug {
    /// The id of the entry at position `index`.
    ///
    /// # Panics
    /// If the table has `u32::MAX` entries or more.
    fn new(index: usize) -> Self;
    /// The position of the entry.
    fn index(self) -> usize;
}

/// Defines a four-byte id type that implements [`Id`].
#[macro_export]
macro_rules! define_id {
    ($(#[$attribute:meta])* $name:ident, $prefix:literal) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(std::num::NonZeroU32);

        impl $crate::id::Id for $name {
            fn new(index: usize) -> Self {
                let raw = u32::try_from(index).ok().and_then(|index| index.checked_add(1));
                Self(raw.and_then(std::num::NonZeroU32::new).expect("a table should stay below u32::MAX entries"))
            }
            fn index(self) -> usize {
                self.0.get() as usize - 1
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(formatter, "{}{}", $prefix, $crate::id::Id::index(*self))
            }
        }
    };
}

/// A vector indexed by a typed id.
#[derive(Clone, PartialEq, Eq)]
pub struct IdVec<I, T> {
    entries: Vec<T>,
    marker: PhantomData<fn(I)>,
}

impl<I: Id, T> IdVec<I, T> {
    /// An empty table.
    pub const fn new() -> Self {
        Self { entries: Vec::new(), marker: PhantomData }
    }
    /// Appends an entry and returns its id.
    pub fn push(&mut self, entry: T) -> I {
        let id = I::new(self.entries.len());
        self.entries.push(entry);
        id
    }
    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }
    /// Whether the table has no entry.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
    /// The ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.entries.len()).map(I::new)
    }
    /// The entries in order of their ids.
    pub fn values(&self) -> std::slice::Iter<'_, T> {
        self.entries.iter()
    }
    /// The entries in order of their ids, mutably.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.entries.iter_mut()
    }
    /// Ids and entries in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.entries.iter().enumerate().map(|(index, entry)| (I::new(index), entry))
    }
    /// The entry, or `None` where the id belongs to another table.
    pub fn get(&self, id: I) -> Option<&T> {
        self.entries.get(id.index())
    }
    /// The entries as a slice.
    pub fn as_slice(&self) -> &[T] {
        &self.entries
    }
}

impl<I: Id, T> Default for IdVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}
impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.entries[id.index()]
    }
}
impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.entries[id.index()]
    }
}
impl<I: Id, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<S: IntoIterator<Item = T>>(entries: S) -> Self {
        Self { entries: entries.into_iter().collect(), marker: PhantomData }
    }
}
impl<I: Id, T: fmt::Debug> fmt::Debug for IdVec<I, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(&self.entries).finish()
    }
}
