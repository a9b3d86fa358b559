//! Facts that the search guessed and found to be inductive, as clauses over state bits.

use super::invariant::Invariant;
use super::subject::sliced;
use engine::knowledge::invariants::{Claim, Fact};
use engine::knowledge::task::Task;
use engine::options::HazardPolicy;
use engine::provers::houdini;
use engine::provers::pdr::BitValue;
use engine::session::{Session, Stop};
use model::system::{StateId, TransitionSystem};
use model::validate::Validated;

/// Some of those bits has the value.
type Clause = Vec<BitValue>;

/// What is known of all reachable states of a system. `None`: nothing.
pub(super) fn find(
    system: &Validated,
    hazards: HazardPolicy,
    session: &Session<'_>,
) -> Result<Option<Invariant>, Stop> {
    let (small, map) = sliced(system, hazards);
    let task = Task::new(&small, &[], Vec::new());
    houdini::guess(&task, &[], session)?;
    let moved = Invariant::moved(known(&task), &small, system);
    let all = moved.map(|invariant| invariant.with_constants(&map, system));
    Ok(all.filter(|invariant| invariant.len() > 0))
}

/// Clauses that together say what is known of the reachable states of a task.
pub(super) fn known(task: &Task<'_>) -> Vec<Clause> {
    task.facts().iter().flat_map(|fact| clauses(fact, task.system)).collect()
}

/// Clauses that together say what the fact says.
fn clauses(fact: &Fact, system: &TransitionSystem) -> Vec<Clause> {
    let width = |word: StateId| system.terms.symbol(system.states[word].symbol).sort.width();
    let mut clauses = match &fact.claim {
        Claim::AtMost { state, signed, limit } => at_most(*state, width(*state), *signed, *limit, false),
        Claim::AtLeast { state, signed, limit } => at_most(*state, width(*state), *signed, *limit, true),
        Claim::OneOf { state, values } => one_of(*state, width(*state), values),
        Claim::Same(left, right) => same([*left, *right], width(*left)),
        Claim::SameUnless { words, mode, values } => {
            either(&same(*words, width(words[0])), &one_of(*mode, width(*mode), values))
        }
        Claim::SameBelow { words, limit } => {
            let same = same(*words, width(words[0]));
            let at_least = |&word: &StateId| at_most(word, width(word), false, *limit, true);
            words.iter().flat_map(|word| either(&same, &at_least(word))).collect()
        }
    };
    if let Some((word, value)) = fact.guard {
        let differs = |bit: u32| BitValue { word, bit, set: value >> bit & 1 == 0 };
        clauses.iter_mut().for_each(|clause| clause.extend((0..width(word)).map(differs)));
    }
    clauses
}

/// The words are equal.
fn same([left, right]: [StateId; 2], width: u32) -> Vec<Clause> {
    let differ =
        |bit, set: bool| vec![BitValue { word: left, bit, set }, BitValue { word: right, bit, set: !set }];
    (0..width).flat_map(|bit| [differ(bit, false), differ(bit, true)]).collect()
}

/// What some clauses say together, or what others do.
fn either(some: &[Clause], others: &[Clause]) -> Vec<Clause> {
    let mut all = Vec::new();
    for one in some {
        for other in others {
            let mut clause = one.clone();
            clause.extend(other.iter().filter(|literal| !one.contains(literal)));
            let is_denied = |literal: &BitValue| clause.contains(&BitValue { set: !literal.set, ..*literal });
            if !clause.iter().any(is_denied) {
                all.push(clause);
            }
        }
    }
    all
}

/// The word is at most the limit (with `mirrored`: at least): where a bit exceeds that of the
/// limit, some higher bit falls short of it.
fn at_most(word: StateId, width: u32, signed: bool, limit: u128, mirrored: bool) -> Vec<Clause> {
    let top = if signed { 1u128 << (width - 1) } else { 0 };
    // As unsigned numbers whose order is the one meant: the top bit of signed words is flipped, and
    // all bits for "at least".
    let flipped = |bit: u32| (top >> bit & 1 == 1) != mirrored;
    let is_set = |bit: u32| (limit >> bit & 1 == 1) != flipped(bit);
    let falls_short = |bit: u32| BitValue { word, bit, set: flipped(bit) };
    let open = (0..width).filter(|&bit| !is_set(bit));
    open.map(|bit| {
        let higher = (bit + 1..width).filter(|&bit| is_set(bit)).map(falls_short);
        std::iter::once(falls_short(bit)).chain(higher).collect()
    })
    .collect()
}

/// The word has one of the values: no other value shares just so many of the first bits with one of
/// them.
fn one_of(word: StateId, width: u32, values: &[u128]) -> Vec<Clause> {
    let mut clauses = Vec::new();
    let mut seen: Vec<(u32, u128)> = Vec::new();
    for &value in values {
        for bit in 0..width {
            let other = (value >> bit) ^ 1;
            if seen.contains(&(bit, other)) || values.iter().any(|value| value >> bit == other) {
                continue;
            }
            seen.push((bit, other));
            let differs = |high: u32| BitValue { word, bit: high, set: other >> (high - bit) & 1 == 0 };
            clauses.push((bit..width).map(differs).collect());
        }
    }
    clauses
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::sort::Sort;
    use model::value::Value;

    /// Every value of a word of four bits, beside one of another word.
    #[test]
    fn clauses_say_what_facts_say() {
        let mut system = TransitionSystem::default();
        let words = ["a", "b"].map(|name| system.add_state(name, Sort::Word(4)));
        let (state, other) = (words[0], words[1]);
        let mut claims = vec![Claim::Same(state, other), Claim::OneOf { state, values: vec![3] }];
        claims.push(Claim::OneOf { state, values: vec![0, 1, 6, 15] });
        claims.push(Claim::SameUnless { words, mode: state, values: vec![0, 1, 6, 15] });
        for limit in 0..16 {
            for signed in [false, true] {
                claims.push(Claim::AtMost { state, signed, limit });
                claims.push(Claim::AtLeast { state, signed, limit });
            }
            claims.push(Claim::SameBelow { words, limit });
        }
        for claim in claims {
            for guard in [None, Some((other, 5)), Some((other, 9))] {
                let fact = Fact { guard, claim: claim.clone() };
                let clauses = clauses(&fact, &system);
                for bits in 0..256u128 {
                    let values = [bits & 15, bits >> 4];
                    let holds = fact.holds(&values.map(|value| Value::new(Sort::Word(4), value)));
                    let has = |literal: &BitValue| {
                        let value = values[usize::from(literal.word == other)];
                        (value >> literal.bit & 1 == 1) == literal.set
                    };
                    let satisfied = clauses.iter().all(|clause| clause.iter().any(has));
                    assert_eq!(satisfied, holds, "{fact:?} {values:?}");
                }
            }
        }
    }
}
