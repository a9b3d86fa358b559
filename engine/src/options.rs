//! What a caller may ask of the engine.

use crate::error::StopReason;
use crate::exchange::Exchange;
use crate::tuning::Tuning;
use model::id::IdVec;
use model::system::InputId;
use model::value::Value;
use solver::sat::Backend;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Options of [`find_chains`](crate::find_chains) and
/// [`reach_graph`](crate::refinement::reach_graph).
#[derive(Clone, Debug)]
pub struct Options {
    /// Cap on the distances asked for (the paper's K). `None`: the search ends by proof, by
    /// deadline or never.
    pub max_k: Option<u32>,
    /// The length that [`Strategy::Monolithic`] asks for first; where there is a chain of that
    /// length, nothing is said of shorter ones.
    pub least_length: u32,
    /// When to stop and return the best so far.
    pub deadline: Option<Instant>,
    /// Set from elsewhere (Ctrl-C) to stop and return the best so far.
    pub stop: Arc<AtomicBool>,
    /// Set, before [`Options::stop`] is, where memory is the reason.
    pub memory: Arc<AtomicBool>,
    /// Number of threads.
    pub jobs: usize,
    /// Seed of everything random.
    pub seed: u64,
    /// The SAT solver.
    pub backend: Backend,
    /// How chains are found.
    pub strategy: Strategy,
    /// What to do about undefined operations along a chain.
    pub hazards: HazardPolicy,
    /// Which engine answers reachability questions.
    pub engine: EngineChoice,
    /// Whether the search begins with chains by simulation, beside those that are known.
    pub simulation: bool,
    /// Most states of the whole system that are enumerated; `None`: as many as pay. What engines
    /// that do without all states claim can be compared so.
    pub most_states: Option<usize>,
    /// Engines that get no turn.
    pub without: Vec<EngineId>,
    /// Constants that experiments set.
    pub tuning: Tuning,
    /// Share of its steps by which a chain may be longer than the proven bound, where all goals are
    /// decided; 0: not at all.
    pub gap: f64,
    /// Price of starting a further chain, in steps. `None`: fewest chains first, then fewest steps.
    pub reset_cost: Option<u64>,
    /// Other processes that search the same system, with which what is found is exchanged. Results
    /// depend on what they come to then.
    pub exchange: Option<Arc<Exchange>>,
    /// What is wished of the inputs of chains that are found; `None`: chains stay as they are
    /// found.
    pub smoothing: Option<Smoothing>,
}

impl Options {
    /// These options for a search in which chains of any length do: it ends where all goals are
    /// decided, and no inputs are made smooth.
    #[must_use]
    pub fn any_length(self) -> Self {
        Self { gap: 1.0, smoothing: None, ..self }
    }

    /// These options for a search that gets so many (`taken`) of equal parts (`of`) of the time that
    /// is left.
    #[must_use]
    pub fn within_part(&self, taken: u32, of: u32) -> Self {
        Self { deadline: part_of_time(self.deadline, taken, of), ..self.clone() }
    }

    /// Why the run has to end although the time is not up; `None`: it has not.
    pub fn interruption(&self) -> Option<StopReason> {
        let is_stopped = self.stop.load(Ordering::Relaxed);
        let is_memory = self.memory.load(Ordering::Relaxed);
        is_stopped.then_some(if is_memory { StopReason::Memory } else { StopReason::Interrupted })
    }
}

/// When so many (`taken`) of equal parts (`of`) of the time that is left until a deadline are over.
/// `None`: there is no deadline.
pub fn part_of_time(deadline: Option<Instant>, taken: u32, of: u32) -> Option<Instant> {
    let now = Instant::now();
    deadline.map(|end| now + end.saturating_duration_since(now) / of.max(1) * taken)
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_k: None,
            least_length: 0,
            deadline: None,
            stop: Arc::new(AtomicBool::new(false)),
            memory: Arc::new(AtomicBool::new(false)),
            jobs: 1,
            seed: 0,
            backend: Backend::Batsat,
            strategy: Strategy::Exact,
            hazards: HazardPolicy::Report,
            engine: EngineChoice::Auto,
            simulation: true,
            most_states: None,
            without: Vec::new(),
            tuning: Tuning::default(),
            gap: 0.0,
            reset_cost: None,
            exchange: None,
            smoothing: None,
        }
    }
}

/// Defines an enum whose variants have names on the command line.
macro_rules! named_enum {
    ($(#[$attribute:meta])* $type:ident { $($(#[$doc:meta])* $variant:ident = $name:literal,)+ }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $type { $($(#[$doc])* $variant,)+ }

        impl $type {
            /// All of them, in the order of their definition.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];
            /// The name on the command line.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }
        }
        impl fmt::Display for $type {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.pad(self.name())
            }
        }
        impl FromStr for $type {
            type Err = String;
            fn from_str(text: &str) -> Result<Self, String> {
                let known = Self::ALL.iter().copied().find(|choice| choice.name() == text);
                known.ok_or_else(|| {
                    let names: Vec<_> = Self::ALL.iter().map(|choice| choice.name()).collect();
                    format!("unknown name `{text}`: expected one of {}", names.join(", "))
                })
            }
        }
    };
}

named_enum!(
    /// How chains are found.
    Strategy {
        /// Lower bounds, order with path costs, latched queries: ends with a proof of minimality.
        Exact = "exact",
        /// All goals latched, one incremental query with a growing bound and nothing else: the
        /// simple rival.
        Monolithic = "monolithic",
        /// The paper's shortest covering path, concretised with chain repair (Algorithms 4, 11,
        /// 12).
        PaperRepair = "paper-repair",
        /// The same with abstraction refinement where repair fails (Algorithm 5).
        PaperRefine = "paper-refine",
        /// The same with path constraints where repair fails (Example 5).
        PaperConstraints = "paper-constraints",
        /// One path, always extended to the nearest uncovered goal (SAL-ATG).
        Greedy = "greedy",
        /// A suite of test cases by bounded model checking with a growing bound, minimised greedily
        /// (FShell).
        Fshell = "fshell",
        /// A suite of random test cases that end in Final, minimised by a weighted minimal cover.
        Random = "random",
    }
);

named_enum!(
    /// What to do about [hazards](model::system::Hazard) along a chain.
    HazardPolicy {
        /// Find the shortest chain and report what it runs into.
        Report = "report",
        /// Among the chains of the same order and length prefer one without hazards.
        Avoid = "avoid",
        /// Only executions without hazards count.
        Forbid = "forbid",
    }
);

named_enum!(
    /// Which engine answers reachability questions.
    EngineChoice {
        /// Explicit enumeration where the reachable states are few, else SAT.
        Auto = "auto",
        /// Bounded queries and induction by SAT.
        Sat = "sat",
        /// Explicit enumeration of the reachable states, without a limit on their number.
        Explicit = "explicit",
        /// Simulation alone: chains without a claim that they are the shortest; nothing is
        /// excluded.
        Simulate = "simulate",
    }
);

named_enum!(
    /// An engine of the exact strategy, which the [schedule](crate::schedule::ENGINES) gives turns.
    EngineId {
        /// Enumeration of all reachable states.
        Enumeration = "enumeration",
        /// Ranges and small sets of words that every step keeps.
        Ranges = "ranges",
        /// Distances that ranges of words tell step by step.
        RangedBounds = "ranged-bounds",
        /// Goals that depend on a small part of the state, in that part alone.
        Cones = "cones",
        /// Walks that exact distances in parts of the state guide.
        PatternWalk = "pattern-walk",
        /// Executions under random and solved inputs.
        Simulation = "simulation",
        /// Inputs held until a goal occurs.
        HeldInputs = "held-inputs",
        /// Queries from states of known chains.
        Concolic = "concolic",
        /// Ways to goals by way of modes and counts.
        Landmarks = "landmarks",
        /// Ways through combinations of modes.
        Modes = "modes",
        /// Proofs that no step leads to goals.
        Induction = "induction",
        /// Proofs that goals are unreachable, from the words next to them.
        Localization = "localization",
        /// Proofs that goals are unreachable, with little effort.
        Exclusion = "exclusion",
        /// Fewer chains, where some can follow others.
        Concatenation = "concatenation",
        /// Shorter chains by small changes.
        Annealing = "annealing",
        /// Enumeration under the inputs of known chains.
        RestrictedEnumeration = "restricted-enumeration",
        /// One incremental query about the whole chain.
        Latched = "latched",
        /// Orders, distances and costs of paths until chain and bound meet.
        Optimum = "optimum",
    }
);

/// How far [`reach_graph`](crate::refinement::reach_graph) goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphExtent {
    /// To the first k with a covering path (Algorithm 2 of the paper), or to [`Options::max_k`].
    CoveringPath,
    /// To this k.
    Depth(u32),
}

/// What is wished of the inputs of a chain.
#[derive(Clone, Debug, Default)]
pub struct Smoothing {
    /// What a rig demands of every step, where a chain of the same length can do it.
    pub limits: Limits,
    /// For each input the value it has where nothing else decides, if one is preferred.
    pub defaults: IdVec<InputId, Option<Value>>,
    /// For each numeric input whether words are two's complement numbers; values of the others stay
    /// as they were found.
    pub signed: IdVec<InputId, Option<bool>>,
    /// Whether the assumption at a position of the system's list is the declared range of one
    /// input. Others are none, whatever they speak about.
    pub ranges: Vec<bool>,
}

/// What a rig demands of inputs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    /// At most one input changes from one step to the next.
    pub single_change: bool,
    /// An input that changed stays for at least this many steps (0 and 1: no demand).
    pub dwell: usize,
    /// For each input the greatest difference from one step to the next.
    pub slew: IdVec<InputId, Option<Slew>>,
}

/// Greatest difference of a numeric input from one step to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slew {
    /// The difference.
    pub limit: f64,
    /// Whether words are two's complement numbers.
    pub signed: bool,
}

impl Limits {
    /// Whether nothing is demanded.
    pub fn is_empty(&self) -> bool {
        !self.single_change && self.dwell <= 1 && self.slew.values().all(Option::is_none)
    }
}
