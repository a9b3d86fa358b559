//! Chains one behind the other.
//!
//! Chains that were found one by one are often such that one can simply follow another: where both were made from Init, and the end
//! of the first is as good as Init for the second. To see that costs one execution for each pair.

use crate::chain::check::{Candidate, cut};
use crate::pipeline::EngineError;
use crate::problem::Problem;
use model::trace::Trace;

/// Most chains that are tried.
const MOST_CHAINS: usize = 12;

/// The chains, fewer where some can follow others as they are: nothing is lost, and a reset less is needed.
pub(crate) fn strung(
    problem: &Problem<'_>,
    mut chains: Vec<Candidate>,
) -> Result<Vec<Candidate>, EngineError> {
    if chains.len() > MOST_CHAINS {
        return Ok(chains);
    }
    while let Some((first, second, both)) = pair(problem, &chains)? {
        chains[first] = both;
        chains.remove(second);
    }
    Ok(chains)
}

/// Two chains, by number, of which the second can follow the first, and both in one.
fn pair(
    problem: &Problem<'_>,
    chains: &[Candidate],
) -> Result<Option<(usize, usize, Candidate)>, EngineError> {
    for first in 0..chains.len() {
        for second in (0..chains.len()).filter(|&second| second != first) {
            let goals: Vec<usize> = problem
                .vertices()
                .filter(|&vertex| {
                    let goal = problem.goal(vertex);
                    chains[first].covers(goal) || chains[second].covers(goal)
                })
                .collect();
            let start = chains[first].trace.start.clone();
            let inputs = [&chains[first].trace.inputs[..], &chains[second].trace.inputs].concat();
            if let Some(both) = cut(problem, &Trace { start, inputs }, &goals)? {
                return Ok(Some((first, second, both)));
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::all_goals;
    use model::sort::Sort;
    use model::text::parse;
    use model::trace::Start;
    use model::validate::validate;
    use model::value::Value;

    /// A counter that an input moves or sets back, and one that is locked once the counter came to 3.
    const SYSTEM: &str = "system s input go w2
        state n w3 init 0 next (ite (eq go 1) (add n 1) (ite (eq go 2) 0 n))
        state locked w1 init 0 next (ite (eq n 3) 1 locked)
        goal three when (eq n 3)
        goal two when (and (eq n 2) (eq locked 0) (eq go 0))
        goal reset when (eq go 2)";

    #[test]
    fn chains_follow_each_other_where_nothing_is_lost() {
        let system = validate(parse(SYSTEM).expect("text of a system")).expect("a valid system");
        let problem = Problem::new(&system, &all_goals(&system), Vec::new());
        let chain = |inputs: &[u128], goals: &[usize]| {
            let inputs = inputs.iter().map(|&go| vec![Value::new(Sort::word(2), go)]).collect();
            let trace = Trace { start: Start::Initial(Vec::new()), inputs };
            cut(&problem, &trace, goals).expect("a run").expect("a chain")
        };
        let lengths = |chains: Vec<Candidate>| -> Vec<u32> {
            strung(&problem, chains).expect("runs").iter().map(Candidate::length).collect()
        };
        // The lock lets the second chain come first only.
        let (three, two, reset) =
            (chain(&[2, 1, 1, 1, 0], &[1]), chain(&[1, 1, 0, 2], &[2, 3]), chain(&[2], &[3]));
        assert_eq!(lengths(vec![three.clone(), two]), [4 + 5]);
        assert_eq!(lengths(vec![three.clone(), reset]), [5], "the first chain covers what the second does");
        let late = chain(&[1, 1, 0], &[2]);
        assert_eq!(lengths(vec![late.clone(), three]), [3 + 5]);
        assert_eq!(lengths(vec![late]), [3]);
    }
}
