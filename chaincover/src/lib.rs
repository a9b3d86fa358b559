//! ChainCover as a library: the shortest test case chain that covers all goals of a reactive
//! program, with proofs.
//!
//! Everything behind the command line is called through this crate; other programs, and bindings to
//! other languages, need no other.
//!
//! ```
//! use chaincover::{ExportOptions, Limit, Occasion, Options, Settings, Silent, Vectors};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("lamp.c");
//! std::fs::write(&path, "int n; void step(int up) { if (up && n < 3) n++;\n__CPROVER_cover(n == 3);\n__CPROVER_cover(n > 3); }")?;
//!
//! let (settings, options) = (Settings { keep_wording: true, ..Settings::default() }, Options::default());
//! let model = chaincover::read([&path], &settings)?;
//! let outcome = chaincover::find_chains(&model, &options, &Silent)?;
//! assert_eq!((outcome.length(), outcome.lower_bound), (3, 3));
//!
//! let verdicts = chaincover::prove(&model, &["lamp.c:3"], &options, &Silent)?;
//! assert_eq!(verdicts[0].status.name(), "unreachable");
//! let explanation = chaincover::explain(&model, "lamp.c:3", &options, &Silent)?;
//! assert_eq!(explanation.needed.assumptions.len(), 0);
//!
//! let checks = chaincover::check_natively(&model, &outcome, &Limit::default());
//! let result = chaincover::report(&model, (&outcome, &checks), (&settings, &options), Default::default());
//! let vectors = (&Vectors::own(&result), Some(&model));
//! let exported = chaincover::export(&result, vectors, &ExportOptions::default(), &Occasion::default(), &Limit::default())?;
//! assert!(exported.files[0].content.starts_with(b"step,"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A new front end is a crate of its own and a line in the table of `front_ends`.

mod action_runs;
mod action_systems;
mod adapt;
mod cause;
mod choice;
mod code_mutants;
mod complement;
mod conditions;
mod cost;
mod coverage;
mod error;
pub mod evidence;
mod explanation;
mod export;
mod export_options;
mod fmu_end;
mod front_ends;
mod graph_cover;
mod judge;
mod judge_coverage;
mod model;
mod mutants;
mod observability;
mod observe;
mod observed;
mod old_tests;
mod oracle;
mod pairs;
mod patch;
mod read;
mod replay;
pub mod requirements;
mod search;
mod settings;
pub mod size;
mod smoothing;
mod solve;
mod stage;
mod stored;
mod test_comp;
mod threads;
pub mod timed;
mod timed_mutants;
mod vectors;
mod verdicts;
mod verification;
mod verify;
mod versions;
mod witness;
mod written_test;

pub use action_runs::{ActionRun, ActionTests, read_action_tests, run_action_tests};
pub use action_systems::{Imported as ImportedSystem, Wishes as ActionWishes, import_action_system};
pub use adapt::{Adapted, AdaptedChain, KeptPrefix, Preference, adapt, with_coverage_of};
pub use choice::MOST_PAIRS;
pub use code_mutants::{
    CodeDifference, CodeMutateOptions, Ends, MUTANT_PROOFS, Shows, VersionRun, code_difference, is_code,
    list_code_mutants, mutate_code, write_evidence_of_mutants,
};
pub use conditions::stored_configuration;
pub use cost::{LeastCost, least_cost};
pub use coverage::{is_coverage_goal, justifications};
pub use error::{Error, ErrorKind};
pub use explanation::{Explanation, Reasons, explain, is_excluded};
pub use export::{Exported, changed, export};
pub use export_options::ExportOptions;
pub use fmu_end::ends_soon;
pub use judge_coverage::{CompilerVerdict, judge_coverage};
pub use model::Model;
pub use mutants::{MutateOptions, Tests, list_mutants, mutate};
pub use observe::{Snapshot, observe};
pub use old_tests::{OldTest, OldTests, read_old_tests};
pub use oracle::{Monitor, MonitorNames, Oracle, monitor_in_c, oracle};
pub use patch::Patch;
pub use read::read;
pub use replay::{Replayed, ReplayedChain, replay, replay_from};
pub use search::{
    GoalVerdict, check_natively, check_trace, find_chains, find_chains_from, no_chains, prove, reach_graph,
    report, to_json,
};
pub use settings::{Settings, configure};
pub use smoothing::{Wishes, smoothing};
pub use solve::{COMPLEMENT, RESULT, Solved, Violations, Wanted, WrittenResult, grace, solve};
pub use stage::Stage;
pub use stored::{Difference, read_stored, stored_root, told_root};
pub use timed_mutants::{TimedMutateOptions, list_timed_mutants, mutate_timed};
pub use vectors::{Vectors, own_vectors, vectors};
pub use verdicts::{
    Appended, Applied, Broken, Counterexample, Judged, Known, ValueRead, Verdict, Verdicts, add_verdicts,
    assumptions, check_violations, find_chains_with_violations, verdicts, violation_file, violation_names,
};
pub use verification::{Against, Finding, Verification};
pub use verify::{verify, verify_with};
pub use witness::{judge_witness, witness_text};

// Types of the crates below that the functions above take and give.
pub use ::actions::analysis::Kill;
pub use ::actions::mutate::Operators;
pub use ::replay::check::NativeCheck;
pub use btor2::Accepted as AcceptedWitness;
pub use config::a2l;
pub use config::coverage::JUSTIFICATIONS;
pub use config::file::schema;
pub use config::resolve::{FILE_NAME, Model as Configuration, complete, target_name};
pub use config::{ConfigError, duration};
pub use engine::error::StopReason;
pub use engine::exchange::Exchange;
pub use engine::knowledge::status::{GoalStatus, Minimality};
pub use engine::options::{EngineChoice, EngineId, HazardPolicy, Limits, Options, Smoothing, Strategy};
pub use engine::outcome::{Expectation, Keeping, Outcome};
pub use engine::schedule::{CONSTANTS, ENGINES, Row as EngineRow, tune};
pub use engine::session::{Progress, Silent};
pub use engine::tuning::{Constant, Tuning};
pub use frontend::coverage::Criterion;
pub use frontend::limit::{Limit, Reason, address_space, kibibytes};
pub use frontend::source::{SourceMap, Span};
pub use frontend::{Failure, Location, Signal, SignalKind, StepFunction, Topic, Translated, Written};
pub use frontend::{diagnostics, process};
pub use frontend_c::deep_stack;
pub use frontend_c::mutate::Operators as CodeOperators;
pub use report::coverage::{Coverage, CoverageGoal, CoverageStatus, PairOutcome};
pub use report::export::recording::{DontCare, Tolerance};
pub use report::export::{ExportFile, Format, sarif};
pub use report::html::Occasion;
pub use report::mutation;
pub use report::output::chain_file::{self, ChainFile};
pub use report::output::digest::{sha256, sha256_of};
pub use report::output::owned::Origin;
pub use report::output::place::{Place, PlaceError};
pub use report::output::root::root;
pub use report::output::{graph, markup, summary, visible, write};
pub use report::test_tree::TestTree;
pub use solver::atsp;
pub use solver::sat::Backend;
