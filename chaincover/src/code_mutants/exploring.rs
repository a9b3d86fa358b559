//! Executions of the original by which most mutants are told from it without a query: under random
//! inputs, and along chains that cover the code.

use crate::model::Model;
use crate::search::find_chains;
use crate::versions::{Run, ended, fed, open_steps};
use engine::options::Options;
use engine::session::Silent;
use engine::step::external::{random_branches, random_traces};
use frontend::coverage::Criterion;
use model::trace::{Trace, TraceError, replay};
use std::sync::Arc;

/// Random executions, and their steps: short ones show what can be seen soon.
const EXECUTIONS: [(usize, usize); 2] = [(32, 40), (4, 1000)];

/// Executions that leave others, and their steps beyond.
const BRANCHES: (usize, usize) = (6, 160);

/// Random executions of the original.
pub(super) fn random(original: &Model, seed: u64) -> Vec<Arc<Run>> {
    let traces = EXECUTIONS.iter().flat_map(|&effort| random_traces(&original.system, seed, effort));
    traces.filter_map(|trace| defined(original, trace)).collect()
}

/// Executions of the original that leave known ones somewhere and go on at random.
pub(super) fn branches(original: &Model, known: &[Arc<Run>], seed: u64) -> Vec<Arc<Run>> {
    let known: Vec<_> = known.iter().map(|run| (&run.trace, &run.run)).collect();
    let traces = random_branches(&original.system, &known, seed, BRANCHES);
    traces.into_iter().filter_map(|trace| defined(original, trace)).collect()
}

/// Executions that cover the code of the original, as far as they are found in time: what reaches
/// both sides of each comparison, next to it, shows most mutants of operators and constants.
pub(super) fn along_code(original: &Model, options: Options) -> Vec<Arc<Run>> {
    let mut configuration = original.configuration.clone();
    configuration.request.coverage.criteria =
        [Criterion::Decision, Criterion::Mcdc, Criterion::Relational].into();
    let Ok(model) = Model::unobserved(configuration) else { return Vec::new() };
    let options = options.any_length();
    let Ok(outcome) = find_chains(&model, &options, &Silent) else { return Vec::new() };
    let traces = outcome.chains.iter().map(|chain| &chain.trace);
    let fed = traces.filter_map(|trace| fed(&original.system, &model.system, trace).ok());
    fed.filter_map(|trace| defined(original, trace)).collect()
}

/// The steps of a trace up to the first one that the original does not admit, or behind which
/// nothing is known of it; `None` where there are none.
fn defined(original: &Model, mut trace: Trace) -> Option<Arc<Run>> {
    loop {
        let end = match replay(&original.system, &trace) {
            Ok(run) => {
                let open = open_steps(&original.system, &run).into_iter();
                match open.chain(ended(original, &trace, &run)).min() {
                    None if trace.inputs.is_empty() => return None,
                    None => return Some(Arc::new(Run { trace, run })),
                    Some(step) => step,
                }
            }
            Err(TraceError::Assumption { step, .. }) => step,
            Err(_) => return None,
        };
        trace.inputs.truncate(end);
    }
}
