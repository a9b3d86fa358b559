//! What is known of a task as text, for other processes that work on the same one, and back.
//!
//! Chains are told as their inputs and count as what the evaluator makes of these. Bounds and
//! exclusions are claims: whoever hands them on is sure that a process of the same build makes
//! them, whose provers are those of this one. All of them enter [`Knowledge`] as what was found
//! here does, so a claim that contradicts what is known is a defect of the tool.

use crate::error::EngineError;
use crate::knowledge::bound::{Bound, Claim};
use crate::knowledge::chains::{CheckedChain, covering};
use crate::knowledge::distances::Proof;
use crate::knowledge::known::{Knowledge, Rank};
use crate::knowledge::status::GoalStatus;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use model::id::{Id, IdVec};
use model::system::Input;
use model::text::print;
use model::trace::{Start, Trace};
use model::value::Value;
use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hash, Hasher};

/// One of the things that may be known.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Fact {
    /// A set of chains.
    Chains(Vec<Inputs>),
    /// A lower bound of what covers these goals, by the numbers of their vertices.
    Bound { goals: Vec<usize>, claim: Claim },
    /// A goal that no chain covers: no execution reaches it or, with `from_end`, goes on from it to
    /// Final.
    Excluded { goal: usize, from_end: bool, proof: Proof },
}

/// The inputs of an execution, as the bits of their values.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Inputs {
    initial: Vec<u128>,
    steps: Vec<Vec<u128>>,
}

/// What became of a fact that holds, as far as that was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entered {
    /// Whether it says more than what was known.
    pub(crate) is_news: bool,
    /// The rank of its chains.
    pub(crate) rank: Option<Rank>,
}

impl Fact {
    /// Chains as a fact.
    pub(crate) fn of_chains(chains: &[CheckedChain]) -> Self {
        Self::Chains(chains.iter().map(|chain| Inputs::of(&chain.trace)).collect())
    }

    /// An exclusion as a fact; `None`: the status is none.
    pub(crate) fn of_status(goal: Vertex, status: &GoalStatus) -> Option<Self> {
        let (from_end, proof) = match status {
            GoalStatus::Unreachable { proof } => (false, proof.clone()),
            GoalStatus::EndUnreachable { proof } => (true, proof.clone()),
            _ => return None,
        };
        Some(Self::Excluded { goal: goal.index(), from_end, proof })
    }

    /// Enters the fact into what is known of the task that it is about. `None`: it does not fit the
    /// task, or the evaluator refuses it.
    ///
    /// # Errors
    /// If it contradicts what is known, or the time is up.
    pub(crate) fn enter(
        &self,
        known: &mut Knowledge,
        task: &Task<'_>,
    ) -> Result<Option<Entered>, EngineError> {
        let mut rank = None;
        let vertex = |&number: &usize| (1..=task.len()).contains(&number).then(|| Vertex::new(number));
        let is_news = match self {
            Self::Chains(chains) => match run(chains, task)? {
                Some(chains) => {
                    rank = Some(known.rank(&chains));
                    known.offer(chains)?
                }
                None => return Ok(None),
            },
            Self::Bound { goals, claim } => match goals.iter().map(vertex).collect::<Option<Vec<_>>>() {
                Some(goals) if !goals.is_empty() => known.raise(Bound::new(&goals, *claim))?,
                _ => return Ok(None),
            },
            Self::Excluded { goal, from_end, proof } => {
                let Some(vertex) = vertex(goal) else { return Ok(None) };
                let proof = proof.clone();
                known.decide(
                    vertex,
                    match from_end {
                        true => GoalStatus::EndUnreachable { proof },
                        false => GoalStatus::Unreachable { proof },
                    },
                )?
            }
        };
        Ok(Some(Entered { is_news, rank }))
    }
}

/// The chains that the evaluator makes of inputs; `None`: one of them is no chain.
fn run(chains: &[Inputs], task: &Task<'_>) -> Result<Option<Vec<CheckedChain>>, EngineError> {
    let goals: Vec<Vertex> = task.vertices().collect();
    let mut checked = Vec::new();
    for inputs in chains {
        let Some(trace) = inputs.trace(task) else { return Ok(None) };
        match covering(task, trace, &goals) {
            Ok(Some(chain)) => checked.push(chain),
            // It is no execution, or covers nothing.
            Ok(None) | Err(EngineError::SelfCheck(_)) => return Ok(None),
            Err(error) => return Err(error),
        }
    }
    Ok(Some(checked))
}

impl Inputs {
    fn of(trace: &Trace) -> Self {
        let bits = |values: &Vec<Value>| values.iter().map(|value| value.bits()).collect();
        let initial = match &trace.start {
            Start::Initial(values) | Start::State(values) => bits(values),
        };
        Self { initial, steps: trace.inputs.iter().map(bits).collect() }
    }

    /// The execution from the initial state; `None`: the values are not those of the task's inputs.
    fn trace(&self, task: &Task<'_>) -> Option<Trace> {
        let system = task.system;
        fn values<I: Id>(bits: &[u128], inputs: &IdVec<I, Input>, task: &Task<'_>) -> Option<Vec<Value>> {
            let value = |(&bits, input): (&u128, &Input)| {
                let value = Value::new(task.system.terms.symbol(input.symbol).sort, bits);
                (value.bits() == bits).then_some(value)
            };
            let has_all = bits.len() == inputs.len();
            has_all.then(|| bits.iter().zip(inputs.values()).map(value).collect())?
        }
        let start = Start::Initial(values(&self.initial, &system.initial_inputs, task)?);
        let inputs =
            self.steps.iter().map(|step| values(step, &system.inputs, task)).collect::<Option<_>>()?;
        Some(Trace { start, inputs })
    }
}

/// A number that processes of one build have for a task, and for no other one: facts are about its
/// goals and its inputs, and say nothing of a model that has changed meanwhile.
pub(crate) fn number(task: &Task<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    print(task.system).hash(&mut hasher);
    task.goals().hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::task::all_goals;
    use model::text::parse;
    use model::validate::validate;

    const TEXT: &str = "system pair input go w1 state n w4 next (ite go (add n 1) n)
        assume (ult n 3) goal one when (eq n 1) goal two when (eq n 2)";

    /// Lines as another process may write them, and what becomes of them one after the other.
    #[test]
    fn facts_are_entered_known_or_refused() {
        let system = validate(parse(TEXT).expect("the text should parse")).expect("it should be well-formed");
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let mut known = Knowledge::nothing(&task, None);
        let (news, old, refused) = (Some(true), Some(false), None);
        let table = [
            (r#"{"chains":[{"initial":[],"steps":[[1],[0]]}]}"#, news),
            (r#"{"chains":[{"initial":[],"steps":[[1],[0],[0]]}]}"#, old),
            // Steps, values and widths that are not those of the inputs; no goal at all.
            (r#"{"chains":[{"initial":[],"steps":[[1],[0,0]]}]}"#, refused),
            (r#"{"chains":[{"initial":[1],"steps":[[1],[0]]}]}"#, refused),
            (r#"{"chains":[{"initial":[],"steps":[[2],[0]]}]}"#, refused),
            (r#"{"chains":[{"initial":[],"steps":[[0],[0]]}]}"#, refused),
            (r#"{"bound":{"goals":[1],"claim":{"fewest":{"chains":1,"steps":2}}}}"#, news),
            (r#"{"bound":{"goals":[1],"claim":{"fewest":{"chains":1,"steps":1}}}}"#, old),
            (r#"{"bound":{"goals":[0],"claim":{"steps":1}}}"#, refused),
            (r#"{"bound":{"goals":[3],"claim":{"steps":1}}}"#, refused),
            (r#"{"bound":{"goals":[],"claim":{"steps":9}}}"#, refused),
            (r#"{"excluded":{"goal":0,"from_end":false,"proof":"ranges"}}"#, refused),
            (r#"{"chains":[{"initial":[],"steps":[[1],[1],[0]]}]}"#, news),
        ];
        for (line, expected) in table {
            let fact: Fact = serde_json::from_str(line).expect("a fact");
            let entered = fact.enter(&mut known, &task).expect("no contradiction");
            assert_eq!(entered.map(|entered| entered.is_news), expected, "{line}");
        }
        assert_eq!((known.cost(), known.open_goals().len()), ((1, 3), 0));
        for line in [
            r#"{"excluded":{"goal":2,"from_end":false,"proof":{"k_induction":{"k":3}}}}"#,
            r#"{"bound":{"goals":[1,2],"claim":{"fewest":{"chains":1,"steps":4}}}}"#,
        ] {
            let fact: Fact = serde_json::from_str(line).expect("a fact");
            assert!(fact.enter(&mut known.clone(), &task).is_err(), "{line} contradicts the chain");
        }
    }

    #[test]
    fn what_is_known_here_is_known_there() {
        let system = validate(parse(TEXT).expect("the text should parse")).expect("it should be well-formed");
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let enter = |known: &mut Knowledge, line: &str| {
            let fact: Fact = serde_json::from_str(line).expect("a fact");
            fact.enter(known, &task).expect("no contradiction");
        };
        let mut here = Knowledge::nothing(&task, None);
        enter(&mut here, r#"{"chains":[{"initial":[],"steps":[[1],[1]]}]}"#);
        enter(&mut here, r#"{"bound":{"goals":[1],"claim":{"of":{"chains":1,"steps":2}}}}"#);
        enter(&mut here, r#"{"excluded":{"goal":2,"from_end":true,"proof":{"exhaustive":{"states":3}}}}"#);
        let mut there = Knowledge::nothing(&task, None);
        for fact in here.claims().chain([Fact::of_chains(here.chains())]) {
            enter(&mut there, &serde_json::to_string(&fact).expect("a line"));
        }
        assert_eq!((there.cost(), there.lower_bound()), (here.cost(), here.lower_bound()));
        assert_eq!(there.statuses(), here.statuses());
        assert!(there.is_settled(0.0));
    }
}
