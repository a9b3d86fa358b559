//! What the reference interpreter says of chains of an interface, and whether a stored result says
//! the same.

use super::{WrittenInterface, pages, source_of, trees};
use crate::model::Model;
use contracts::ContractsSource;
use contracts::adaptive::{self, Tree};
use contracts::marks::{self, Mark};
use contracts::runs::{Goals, Graded, Runs, grade};
use contracts::semantics::{Effort, Undecided, Valuation, inputs_of};
use frontend::limit::Limit;
use model::trace::{Execution, Trace};
use report::output::chain_file::{self, ChainFile};

/// Values that may be tried for one chain.
pub(super) const EFFORT: u64 = 20_000_000;

/// Values that may be tried for what requirements say of the steps of a chain.
const MARK_EFFORT: u64 = 2_000_000;

/// Values that may be tried for an adaptive test.
const ADAPTIVE_EFFORT: u64 = 5_000_000;

/// The interpreter of the interface that a model is.
pub(super) struct Interpreter<'a> {
    pub(super) source: &'a ContractsSource,
    /// The runs in which the system never comes where it cannot go on.
    pub(super) runs: Runs<'a>,
    /// All runs: without answers after which no system can go on where these are told from others.
    /// Elsewhere a trace may go on by other hidden values.
    pub(super) all: Runs<'a>,
}

/// What it says of a chain.
pub(super) struct Said {
    /// What is allowed in its steps, and whether its goals are met in all runs; none where there
    /// are too many runs.
    pub(super) graded: Option<Graded>,
    /// The adaptive test with the least worst case that meets the goals of a chain whatever is
    /// answered; none where the chain is certain, and where there is no such test.
    pub(super) tree: Result<Option<Tree>, Undecided>,
    /// What each requirement says of each step; nothing where there are too many runs.
    pub(super) marks: Vec<Vec<Mark>>,
}

impl<'a> Interpreter<'a> {
    /// None where the model is no interface.
    pub(super) fn of(model: &'a Model) -> Option<Self> {
        let source = source_of(model)?;
        let no_idle = model.translated.resolved.specification.no_idle;
        let interface = source.interface();
        let seen = source.lost().iter().filter(|lost| lost.is_seen);
        Some(Self {
            source,
            runs: Runs::new(interface, source.lost()).without_idle_steps(no_idle),
            all: Runs::new(interface, seen).without_idle_steps(no_idle),
        })
    }

    /// The inputs of an execution, and nothing else that is known of its steps.
    pub(super) fn inputs(&self, trace: &Trace, run: &Execution) -> Vec<Valuation> {
        let interface = self.source.interface();
        self.source.valuations(trace, run).iter().map(|step| inputs_of(interface, step)).collect()
    }

    /// Says what is to be said of a chain with these goals and inputs. The order of the goals is that
    /// in which they are told, and has no other effect.
    pub(super) fn said(&self, goals: &[&str], inputs: &[Valuation], effort: &mut Effort) -> Said {
        let interface = self.source.interface();
        let followed = Goals::new(interface, goals.iter().copied());
        let graded = followed.as_ref().and_then(|goals| grade(&self.all, goals, inputs, effort).ok());
        let is_possible = graded.as_ref().is_some_and(|graded| !graded.is_certain);
        // Of several trees with the same worst case the order of the goals would choose.
        let mut sorted = goals.to_vec();
        sorted.sort_unstable();
        let tree = match Goals::new(interface, sorted).filter(|_| is_possible) {
            Some(goals) => {
                effort.within(ADAPTIVE_EFFORT, |effort| adaptive::least(&self.all, &goals, effort))
            }
            None => Ok(None),
        };
        let marks = effort.within(MARK_EFFORT, |effort| marks::along(&self.runs, inputs, effort));
        Said { graded, tree, marks: marks.unwrap_or_default() }
    }
}

/// What a stored result says otherwise than the interpreter of the model, where this one decides:
/// of the requirements, of the grades and adaptive tests of its chains, of what is allowed in their
/// steps, and of what requirements say of them. Chains of which nothing was decided here, though
/// the result has a grade, are told as open.
pub(crate) fn recorded(
    file: &ChainFile,
    model: &Model,
    runs: &[(Trace, Execution)],
    limit: &Limit,
) -> (Vec<String>, Vec<String>) {
    let (mut wrong, mut open) = (Vec::new(), Vec::new());
    let Some(interpreter) = Interpreter::of(model) else { return (wrong, open) };
    if file.contracts != WrittenInterface::of_source(interpreter.source).requirements() {
        wrong.push("the requirements under `contracts` are not those of the text".to_owned());
    }
    for (index, (chain, (trace, run))) in file.chains.iter().zip(runs).enumerate() {
        let goals: Vec<&str> = chain.order.iter().map(String::as_str).collect();
        let inputs = interpreter.inputs(trace, run);
        let said = interpreter.said(&goals, &inputs, &mut Effort::new(EFFORT, limit.clone()));
        match told_otherwise(chain, &interpreter, &said) {
            Err(why) => wrong.push(format!("chain {}: {why}", index + 1)),
            Ok(false) => {}
            Ok(true) => open.push(format!("chain {}: its grade was not decided again", index + 1)),
        }
    }
    (wrong, open)
}

/// Whether it stays open what grade a chain has.
fn told_otherwise(
    chain: &chain_file::Chain,
    interpreter: &Interpreter<'_>,
    said: &Said,
) -> Result<bool, String> {
    let interface = interpreter.source.interface();
    let told = chain.steps.iter().map(|step| &step.marks);
    // Where there were too many runs no step has marks.
    if told.clone().any(|marks| !marks.is_empty()) {
        for (step, (told, found)) in told.zip(&said.marks).enumerate() {
            let found = pages::marks(interface, found);
            let is_same = told.len() == found.len()
                && told.iter().zip(&found).all(|((name, one), (other_name, other))| {
                    let is_open = one.deciding.is_none() || other.deciding.is_none();
                    let same_deciding = is_open || one.deciding == other.deciding;
                    name == other_name
                        && same_deciding
                        && (one.triggered, one.broken) == (other.triggered, other.broken)
                });
            if !is_same {
                return Err(format!("`marks` of step {step} say something else of the requirements"));
            }
        }
    }
    let Some(graded) = &said.graded else { return Ok(chain.grade.is_some()) };
    for (step, (told, found)) in chain.steps.iter().zip(&graded.rows).enumerate() {
        if told.allowed.as_ref().is_some_and(|told| *told != found.allowed.describe(interface)) {
            return Err(format!("step {step} allows other outputs than recorded"));
        }
    }
    let grade = chain.grade.as_deref();
    let is_true = match grade {
        None => chain.tree.is_empty(),
        Some("certain") => graded.is_certain && chain.tree.is_empty(),
        Some("possible") => !graded.is_certain && chain.tree.is_empty(),
        Some("adaptive") => match &said.tree {
            Ok(tree) => tree.as_ref().is_some_and(|tree| trees::nodes(interface, tree) == chain.tree),
            Err(_) => return Ok(true),
        },
        Some(_) => false,
    };
    if is_true { Ok(false) } else { Err("its grade or its tree is another than recorded".to_owned()) }
}
