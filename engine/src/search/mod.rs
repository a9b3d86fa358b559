//! Searches over concrete states and over orders of goals.

pub(crate) mod held_karp;
