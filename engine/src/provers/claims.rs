//! Invariants that the user claims: proven, refuted or trusted.

use crate::error::EngineError;
use crate::error::StopReason;
use crate::knowledge::chains::CheckedChain;
use crate::knowledge::invariants::Invariant;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::provers::pdr::{Prover, Question, Verdict};
use crate::session::{Session, Stop};
use crate::step::frames::Frames;
use encoder::unroll::Start;
use model::eval::Evaluator;
use model::id::Id;
use model::system::StateId;
use model::validate::Meaning;
use model::value::Value;

/// Queries the proof of one claim may cost.
const QUERIES: u64 = 4_000;
/// What these queries may cost together, in conflicts: a claim about a product may be true and
/// beyond any proof.
const EFFORT: u64 = 100_000;
/// All claims together may take one of so many parts of the time.
const PARTS_OF_TIME: u32 = 4;
/// Greatest length of a violating execution that is looked for after a proof has failed.
const DEPTH: u32 = 200;

/// What came of the claims.
#[derive(Debug, Default)]
pub(crate) struct Claims {
    /// Those that may be used.
    pub(crate) invariants: Vec<Invariant>,
    /// What the user should know about them.
    pub(crate) notes: Vec<String>,
}

/// Tries to prove every claimed invariant of the system. One that cannot be proven nor refuted is
/// trusted, and that is said.
///
/// Fails with [`EngineError::RefutedInvariant`] where an execution violates a claim.
pub(crate) fn check_claims(task: &Task<'_>, session: &Session<'_>) -> Result<Claims, Stop> {
    let mut claims = Claims::default();
    if task.system.invariants.is_empty() {
        return Ok(claims);
    }
    match session.share(PARTS_OF_TIME, || check_each(task, &mut claims, session))? {
        Some(violated) => Err(refuted(task, violated, session)?.into()),
        None => Ok(claims),
    }
}

/// Tries to prove one claim after the other, and returns the first that an execution violates. One
/// whose proof takes too long is trusted.
fn check_each<'s>(
    task: &'s Task<'_>,
    claims: &mut Claims,
    session: &Session<'_>,
) -> Result<Option<&'s model::system::Invariant>, Stop> {
    let mut prover = Prover::new(task, Vertex::DEPOT, session)?;
    let mut left = task.system.invariants.len() as u32;
    for claim in &task.system.invariants {
        let proof = || prover.exclude(Question::Violation(claim.condition), QUERIES, session);
        let verdict = match session.share(left, || session.within(EFFORT, proof)) {
            Ok((verdict, _)) => verdict,
            Err(Stop::Limit(StopReason::Effort | StopReason::Deadline)) => {
                prover = Prover::new(task, Vertex::DEPOT, session)?;
                Verdict::Unknown
            }
            Err(halt) => return Err(halt),
        };
        left -= 1;
        let note = match verdict {
            Verdict::Never { clauses } => {
                format!("invariant `{}`: proven (inductive invariant of {clauses} clauses)", claim.text)
            }
            // With results of the C library open, what violates the claim need not be an execution
            // of the program.
            Verdict::Happens if task.calls().is_empty() => return Ok(Some(claim)),
            Verdict::Happens | Verdict::Unknown => {
                format!("invariant `{}`: trusted, neither proven nor refuted", claim.text)
            }
        };
        claims.invariants.push(Invariant::Term(claim.condition));
        claims.notes.push(note);
    }
    Ok(None)
}

/// Fails where a chain violates a claim that was trusted: nothing that rests on it may be said.
///
/// # Errors
/// [`EngineError::RefutedInvariant`].
pub(crate) fn check_chains(task: &Task<'_>, chains: &[CheckedChain]) -> Result<(), EngineError> {
    let system = task.system;
    for claim in &system.invariants {
        let mut evaluator = Evaluator::new(&system.terms, [claim.condition]);
        let words: Vec<StateId> = evaluator
            .symbols()
            .iter()
            .map(|&(symbol, _)| match system.meaning(symbol) {
                Meaning::State(word) => word,
                _ => panic!("a claim should speak about states alone"),
            })
            .collect();
        let mut violates = |state: &Vec<Value>| {
            words
                .iter()
                .enumerate()
                .for_each(|(position, word)| evaluator.set(position, state[word.index()]));
            evaluator.execute();
            !evaluator.holds(0)
        };
        for chain in chains {
            if let Some(steps) = chain.run.states.iter().position(&mut violates) {
                let (invariant, steps) = (claim.text.clone(), steps as u32);
                return Err(EngineError::RefutedInvariant { invariant, steps });
            }
        }
    }
    Ok(())
}

/// The error that tells the length of a shortest violating execution.
fn refuted(
    task: &Task<'_>,
    claim: &model::system::Invariant,
    session: &Session<'_>,
) -> Result<EngineError, Stop> {
    let mut frames = Frames::new(task, Start::Initial, session)?;
    let mut steps = 0;
    while steps < DEPTH {
        let holds = frames.literal(claim.condition, steps)?;
        let running = frames.running(steps)?;
        if session.solve(&mut frames.solver, &[!holds, running])? {
            break;
        }
        steps += 1;
    }
    Ok(EngineError::RefutedInvariant { invariant: claim.text.clone(), steps })
}

#[cfg(test)]
mod tests {
    use super::check_chains;
    use crate::error::EngineError;
    use crate::knowledge::chains::longest_run;
    use crate::knowledge::task::{Task, all_goals};
    use model::sort::Sort;
    use model::text::parse;
    use model::trace::{Start, Trace};
    use model::validate::validate;
    use model::value::Value;

    /// A claim that was trusted since it could be neither proven nor refuted does not outlive a
    /// chain that violates it.
    #[test]
    fn a_chain_that_violates_a_claim_refutes_it() {
        let text = "system count input go w1 state n w8 next (ite go (add n 1) n) goal high when (eq n 5)
            invariant (ule n 3) text \"n <= 3\" invariant (ule n 9) text \"n <= 9\"";
        let system = validate(parse(text).expect("the text should parse")).expect("it should be well-formed");
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        for (steps, expected) in [(3, Ok(())), (6, Err(4))] {
            let inputs = vec![vec![Value::new(Sort::TRUTH, 1)]; steps];
            let trace = Trace { start: Start::Initial(Vec::new()), inputs };
            let chain = longest_run(&task, &trace).expect("the chain should run");
            let refuted = |steps| EngineError::RefutedInvariant { invariant: "n <= 3".to_owned(), steps };
            assert_eq!(check_chains(&task, &[chain]), expected.map_err(refuted));
        }
    }
}
