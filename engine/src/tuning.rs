//! Constants of the search that experiments may set.
//!
//! A constant stands beside the code that uses it; [`schedule::CONSTANTS`](crate::schedule) lists
//! all of them. They decide how long something is tried, never what is true.

use std::collections::BTreeMap;

/// A number that decides how long something is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Engine or room, a dot, and what it is.
    pub name: &'static str,
    /// Its usual value.
    pub usual: u64,
    /// What it counts.
    pub unit: &'static str,
    /// What it decides.
    pub purpose: &'static str,
}

/// Values of constants that are not the usual ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tuning(BTreeMap<String, u64>);

impl Tuning {
    /// Sets a constant by its name; the name is not checked.
    pub fn set(&mut self, name: &str, value: u64) {
        self.0.insert(name.to_owned(), value);
    }

    /// The value in force.
    pub(crate) fn value(&self, constant: &Constant) -> u64 {
        self.get(constant.name).unwrap_or(constant.usual)
    }

    /// What was set for this name.
    pub(crate) fn get(&self, name: &str) -> Option<u64> {
        self.0.get(name).copied()
    }
}
