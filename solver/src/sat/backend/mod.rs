//! The SAT solvers that can be selected, and how they are opened.
//!
//! Each back end brings a solver under rustsat's traits (an adapter of rustsat's own where there is
//! one, else one written here), and [`adapter`] puts our interface over them generically. Going
//! through rustsat costs nothing (literals have the same representation) and lets any other solver
//! with a rustsat adapter join by one small module.

mod adapter;
mod batsat;
mod cadical;
mod varisat;
mod watch;

use super::IncrementalSat;
use adapter::Adapter;
use std::fmt;
use std::str::FromStr;

/// A SAT solver of this build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Backend {
    /// CaDiCaL 1.9.5: strong on hard queries, with inprocessing.
    Cadical,
    /// BatSat (MiniSat's algorithm in Rust): light, no inprocessing.
    Batsat,
    /// Varisat 0.2: light, shares no code with the others. Notices limits late and forgets what it
    /// learned when one is reached.
    Varisat,
}

/// What can be chosen when a solver is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Seed of the solver's random choices, for back ends that have any (BatSat only). Without one
    /// the solver makes no random choice. Either way the same calls give the same answers.
    pub seed: Option<u64>,
}

/// A name that no solver has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown SAT solver `{name}`; known are {}", names())]
pub struct UnknownBackend {
    /// The name as given.
    pub name: String,
}

impl Backend {
    /// All solvers of this build.
    pub const ALL: [Self; 3] = [Self::Cadical, Self::Batsat, Self::Varisat];

    /// The name used on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cadical => "cadical",
            Self::Batsat => "batsat",
            Self::Varisat => "varisat",
        }
    }

    /// An empty solver.
    pub fn open(self) -> Box<dyn IncrementalSat + Send> {
        self.open_with(&Options::default())
    }

    /// An empty solver with options.
    pub fn open_with(self, options: &Options) -> Box<dyn IncrementalSat + Send> {
        match self {
            Self::Cadical => Box::new(Adapter::new(cadical::Solver::default())),
            Self::Batsat => Box::new(Adapter::new(batsat::open(options))),
            Self::Varisat => Box::new(Adapter::new(varisat::Solver::new())),
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Backend {
    type Err = UnknownBackend;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|backend| backend.name() == name)
            .ok_or_else(|| UnknownBackend { name: name.to_owned() })
    }
}

fn names() -> String {
    Backend::ALL.map(Backend::name).join(", ")
}

/// Spreads a seed over all 64 bits, so that neighbouring seeds start differently (the finaliser of
/// SplitMix64).
fn scramble(seed: u64) -> u64 {
    let mut state = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    state = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    state ^ (state >> 31)
}

/// Implements `Extend` as rustsat's `Solve` requires it: by adding each clause.
macro_rules! extend_by_adding {
    ($solver:ty) => {
        impl Extend<rustsat::types::Clause> for $solver {
            fn extend<I: IntoIterator<Item = rustsat::types::Clause>>(&mut self, clauses: I) {
                for clause in clauses {
                    self.add_clause(clause).expect("a solver should accept every clause");
                }
            }
        }

        impl<'a> Extend<&'a rustsat::types::Clause> for $solver {
            fn extend<I: IntoIterator<Item = &'a rustsat::types::Clause>>(&mut self, clauses: I) {
                for clause in clauses {
                    self.add_clause_ref(clause).expect("a solver should accept every clause");
                }
            }
        }
    };
}
use extend_by_adding;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for backend in Backend::ALL {
            assert_eq!(backend.to_string().parse(), Ok(backend));
        }
        let error = "Batsat".parse::<Backend>().unwrap_err();
        assert!(error.to_string().starts_with("unknown SAT solver `Batsat`; known are "), "{error}");
    }
}
