//! Which engine answers, and in which order engines are tried.
//!
//! Enumerating few states answers everything exactly and at once. Where the states are many, or endless as with a counter that
//! never comes to rest, the SAT engine often proves with a few queries what an enumeration would never come to; where it
//! does not, a large enumeration may still pay. So they take turns with growing effort, measured in states and
//! conflicts and not in time, so that results do not depend on the machine.
//!
//! Where a quick enumeration does not suffice, simulation comes first: its chains are upper bounds to start from, and what it reaches needs no
//! query.

use crate::error::EngineError;
use crate::error::StopReason;
use crate::finders::concatenate::strung;
use crate::finders::restricted_enumeration::{FEW, MANY, Recombined, recombined};
use crate::finders::simulate::beam::shorter;
use crate::finders::simulation;
use crate::knowledge::chains::{Candidate, is_covered};
use crate::knowledge::findings::{Findings, total};
use crate::knowledge::problem::Problem;
use crate::knowledge::status::{GoalStatus, Minimality};
use crate::optimum::bound::longest_window;
use crate::optimum::exact::Exact;
use crate::options::EngineChoice;
use crate::provers::bmc::Bounded;
use crate::provers::explicit::{Explicit, ExplicitHalt, Limits};
use crate::session::Engine;
use crate::session::{Context, Halt};
use crate::step::initial::INITIAL_STATES;
use crate::step::initial::initial_states;
use model::system::GoalId;
use rustc_hash::FxHashSet;
use std::cmp::Reverse;

/// Limits of the explicit engine before the SAT engine is tried.
const QUICK_LIMITS: Limits = Limits { states: 100_000, classes: 2_000, outcomes: false, work: 400_000_000 };
/// The same where inputs are told apart by what steps make of them.
const OUTCOME_LIMITS: Limits = Limits { states: 100_000, classes: 200, outcomes: true, work: 200_000_000 };
/// What the SAT engine may cost, in conflicts, before states are enumerated up to greater limits.
const SAT_ATTEMPT: u64 = 60_000;
/// Longest chain by simulation for which the SAT engine is tried first: it unrolls what it is asked about.
const SHALLOW: u32 = 400;
/// Steps for each goal up to which longer chains count as short as well: queries about two goals are shallow then.
const SHALLOW_PER_GOAL: u32 = 40;
/// Limits of the explicit engine before longer simulation, where a first look does not suffice: from all states the best chains follow in
/// less time than simulation takes for long ones.
const EARLY_LIMITS: Limits =
    Limits { states: 1_500_000, classes: 2_000, outcomes: false, work: 2_000_000_000 };
/// Limits of the explicit engine where the SAT engine stands behind it.
const AUTOMATIC_LIMITS: Limits =
    Limits { states: 3_000_000, classes: 2_000, outcomes: false, work: 6_000_000_000 };
/// Limits where no other engine is wanted.
const FORCED_LIMITS: Limits = Limits { states: usize::MAX, classes: 65_536, outcomes: true, work: u64::MAX };

/// What putting known chains together anew may cost.
#[derive(Clone, Copy)]
struct Effort {
    /// For the enumeration of all that their inputs lead to.
    states: Limits,
    /// For the beam search where that is too large, in evaluated instructions.
    beam: u64,
}

/// The effort before other engines are asked.
const SMALL_EFFORT: Effort = Effort { states: FEW, beam: 1_000_000_000 };
/// The effort afterwards.
const LARGE_EFFORT: Effort = Effort { states: MANY, beam: 4_000_000_000 };

/// What a strategy comes to, and why it ended.
type Ended = (Findings, Result<(), Halt>);

/// What came of an enumeration.
enum Enumeration<'s> {
    Done(Box<Explicit<'s>>),
    /// Beyond the limits.
    TooLarge,
    /// The system does not suit the engine.
    Unsuited,
}

/// The exact strategy with the engines that suit the problem and the options, from chains that are known; see the module text.
pub(crate) fn exact(problem: &Problem<'_>, known: Vec<Candidate>, context: &Context<'_>) -> Ended {
    let result = match context.options.engine {
        EngineChoice::Auto => {
            automatic(problem, known, context).and_then(|ended| strung_together(problem, ended, context))
        }
        EngineChoice::Explicit => {
            forced(problem, context).map(|oracle| enumerated(problem, oracle, known, context))
        }
        EngineChoice::Sat => Ok(bounded(problem, known, context)),
        EngineChoice::Simulate => Ok(simulation::run(problem, context)),
    };
    concluded(problem, result.unwrap_or_else(|halt| nothing(problem, halt)), context)
}

/// A result to which nothing could be added: a limit that was reached does not matter then.
fn concluded(problem: &Problem<'_>, (mut findings, ended): Ended, context: &Context<'_>) -> Ended {
    let is_priced = context.options.reset_cost.is_some();
    if !is_priced && findings.chains.len() == 1 && total(&findings.chains) <= findings.lower_bound {
        findings.minimal = Minimality::Proven;
    }
    let is_complete = findings.minimal == Minimality::Proven && !misses_goals(problem, &findings);
    match ended {
        Err(Halt::Stopped(StopReason::Deadline | StopReason::Effort)) if is_complete => (findings, Ok(())),
        ended => (findings, ended),
    }
}

/// Whether one chain covers all goals and is no longer than the longest of their windows: nothing needs to be asked then.
fn is_shortest_possible(problem: &Problem<'_>, chains: &[Candidate]) -> bool {
    let window = longest_window(problem);
    matches!(chains, [chain] if chain.length() <= window
        && problem.vertices().all(|goal| chain.covers(problem.goal(goal))))
}

/// The engines in turn.
fn automatic(problem: &Problem<'_>, known: Vec<Candidate>, context: &Context<'_>) -> Result<Ended, Halt> {
    // Results of the C library are inputs as wide as a float: classes of inputs would be many, and hard to tell apart.
    let is_large =
        match problem.calls().is_empty().then(|| enumerate(problem, QUICK_LIMITS, context)).transpose()? {
            Some(Enumeration::Done(oracle)) => return Ok(enumerated(problem, oracle, known, context)),
            Some(Enumeration::TooLarge) => true,
            Some(Enumeration::Unsuited) => match enumerate(problem, OUTCOME_LIMITS, context)? {
                Enumeration::Done(oracle) => return Ok(enumerated(problem, oracle, known, context)),
                Enumeration::TooLarge | Enumeration::Unsuited => false,
            },
            None => false,
        };
    let shallow = SHALLOW.max(SHALLOW_PER_GOAL * problem.len() as u32);
    let mut earlier = match context.options.simulation {
        true => match first_chains(problem, shallow, is_large, context)? {
            First::Chains(findings) => findings,
            First::Result(ended) => return Ok(*ended),
        },
        false => simulation::findings(problem, known),
    };
    if is_shortest_possible(problem, &earlier.chains) {
        earlier.lower_bound = u64::from(longest_window(problem));
        earlier.minimal = Minimality::Proven;
        return Ok((earlier, Ok(())));
    }
    let mut is_worth_more = put_together(problem, &mut earlier, SMALL_EFFORT, context)?;
    let is_shallow = earlier.chains.iter().all(|chain| chain.length() <= shallow);
    if is_shallow && (is_large || !earlier.chains.is_empty()) {
        let attempt = context.within(SAT_ATTEMPT, || bounded(problem, earlier.chains.clone(), context));
        if is_settled(&attempt) {
            return Ok(at_least_as_good(attempt, earlier));
        }
        let before = cost(&earlier);
        earlier = at_least_as_good(attempt, earlier).0;
        let is_new = cost(&earlier) != before;
        if is_worth_more || is_new {
            // The same beam search again would hardly find more.
            let effort = if is_new { LARGE_EFFORT } else { Effort { beam: 0, ..LARGE_EFFORT } };
            is_worth_more = put_together(problem, &mut earlier, effort, context)?;
        }
        if context.options.simulation && (!is_large || misses_goals(problem, &earlier)) {
            // Nothing but queries is left, and they are hard, or they miss goals: longer simulation gives better chains to start from.
            let longer = simulation::longer_chains(problem, &earlier, context)?;
            let before = cost(&earlier);
            earlier = at_least_as_good((longer, Ok(())), earlier).0;
            if !is_worth_more && cost(&earlier) != before {
                put_together(problem, &mut earlier, LARGE_EFFORT, context)?;
            }
        }
    }
    if is_large && !is_shallow && context.options.max_k.is_none() {
        // Should the time be up during the enumeration, something is known of how far the chains are from the best ones.
        earlier = at_least_as_good(bounds(problem, earlier.chains.clone(), context), earlier).0;
    }
    let known = earlier.chains.clone();
    let last = match is_large.then(|| enumerate(problem, AUTOMATIC_LIMITS, context)) {
        Some(Ok(Enumeration::Done(oracle))) => enumerated(problem, oracle, known, context),
        Some(Err(halt)) => nothing(problem, halt),
        _ => bounded(problem, known, context),
    };
    Ok(at_least_as_good(last, earlier))
}

/// What comes of a first look by simulation.
enum First {
    /// Chains to start from.
    Chains(Findings),
    /// All states could be enumerated after all, or the time is up.
    Result(Box<Ended>),
}

/// Chains to start from, by a look and, where that does not suffice, by longer simulation; but before that states are enumerated up to greater limits.
fn first_chains(
    problem: &Problem<'_>,
    shallow: u32,
    is_large: bool,
    context: &Context<'_>,
) -> Result<First, Halt> {
    let look = simulation::look(problem, context)?;
    if look.is_enough(shallow) {
        return look.merged(context).map(First::Chains);
    }
    let ended = match is_large.then(|| enumerate(problem, EARLY_LIMITS, context)) {
        Some(Ok(Enumeration::Done(oracle))) => enumerated(problem, oracle, look.findings().chains, context),
        Some(Err(halt)) => nothing(problem, halt),
        _ => return look.longer(context).map(First::Chains),
    };
    Ok(First::Result(Box::new(at_least_as_good(ended, look.findings()))))
}

/// The same with fewer chains, where some can follow others. What is known of the length of so many chains says nothing of fewer.
fn strung_together(
    problem: &Problem<'_>,
    (mut findings, ended): Ended,
    context: &Context<'_>,
) -> Result<Ended, Halt> {
    let before = findings.chains.len();
    if before > 1 && findings.minimal != Minimality::Proven {
        let known = findings.chains.clone();
        findings.chains = strung(problem, findings.chains, context.options.reset_cost)?;
        match findings.chains.len() < before {
            true => findings.lower_bound = findings.lower_bound.min(farthest(problem, &findings)),
            false => findings.chains = known,
        }
    }
    Ok((findings, ended))
}

/// What the goal that is farthest from Init of all that are covered takes alone, as far as it is known.
fn farthest(problem: &Problem<'_>, findings: &Findings) -> u64 {
    let Some(graph) = &findings.graph else { return 0 };
    let alone = |goal: usize| Some(u64::from(graph.lower(0, goal)?) + u64::from(problem.steps(goal)));
    problem
        .vertices()
        .filter(|&goal| is_covered(problem, &findings.chains, goal))
        .filter_map(alone)
        .max()
        .unwrap_or(0)
}

/// Puts better chains into the findings, where what is known can be put together in a better way. Whether greater limits may do more.
fn put_together(
    problem: &Problem<'_>,
    findings: &mut Findings,
    effort: Effort,
    context: &Context<'_>,
) -> Result<bool, Halt> {
    let is_too_large = match recombined(problem, &findings.chains, effort.states, context)? {
        Recombined::Better(chains) => {
            replace_chains(problem, findings, chains);
            false
        }
        Recombined::Nothing => false,
        Recombined::TooLarge => true,
    };
    if is_too_large && effort.beam > 0 {
        let found = context.stage("beam", || shorter(problem, &findings.chains, effort.beam, context));
        match found {
            Ok(Some(chains)) => {
                let (number, steps) = (chains.len(), total(&chains));
                let text =
                    format!("the inputs of known chains, tried again: {steps} steps in chains: {number}");
                context.record(Engine::Simulation, text);
                replace_chains(problem, findings, chains);
            }
            Ok(None) | Err(Halt::Stopped(_)) => {}
            Err(failed) => return Err(failed),
        }
    }
    Ok(is_too_large)
}

/// Puts chains that are known to be better into the place of others.
fn replace_chains(problem: &Problem<'_>, findings: &mut Findings, chains: Vec<Candidate>) {
    let earlier = std::mem::replace(findings, Findings::nothing(problem, String::new()));
    *findings = at_least_as_good((simulation::findings(problem, chains), Ok(())), earlier).0;
}

/// Number and length of the chains.
fn cost(findings: &Findings) -> (usize, u64) {
    (findings.chains.len(), total(&findings.chains))
}

/// Whether goals are neither covered nor excluded.
fn misses_goals(problem: &Problem<'_>, findings: &Findings) -> bool {
    let is_excluded = |goal: usize| match &findings.statuses[goal] {
        Some(status) => matches!(status, GoalStatus::Unreachable { .. } | GoalStatus::EndUnreachable { .. }),
        None => false,
    };
    problem.vertices().any(|goal| !is_excluded(goal) && !is_covered(problem, &findings.chains, goal))
}

/// The exact strategy with the explicit engine, from chains that are known.
fn enumerated(
    problem: &Problem<'_>,
    oracle: Box<Explicit<'_>>,
    known: Vec<Candidate>,
    context: &Context<'_>,
) -> Ended {
    Exact::new(problem, *oracle, context).knowing(known).run()
}

/// The exact strategy with the SAT engine, from chains that are known.
fn bounded(problem: &Problem<'_>, known: Vec<Candidate>, context: &Context<'_>) -> Ended {
    match Bounded::new(problem, context) {
        Ok(oracle) => Exact::new(problem, oracle, context).knowing(known).run(),
        Err(error) => nothing(problem, error.into()),
    }
}

/// What chains that are known need at least, as far as the SAT engine knows it at once.
fn bounds(problem: &Problem<'_>, known: Vec<Candidate>, context: &Context<'_>) -> Ended {
    match Bounded::new(problem, context) {
        Ok(oracle) => Exact::new(problem, oracle, context).knowing(known).run_bounds(),
        Err(error) => nothing(problem, error.into()),
    }
}

/// A result that does not fall behind what an earlier attempt found: where it covers less, or as much by more or longer chains, the
/// earlier chains stay.
fn at_least_as_good((mut findings, ended): Ended, earlier: Findings) -> Ended {
    let rank = |findings: &Findings| {
        let covered: FxHashSet<GoalId> = findings
            .chains
            .iter()
            .flat_map(|chain| chain.run.occurrences.iter())
            .filter(|(_, occurrences)| !occurrences.is_empty())
            .map(|(goal, _)| goal)
            .collect();
        (Reverse(covered.len()), findings.chains.len(), total(&findings.chains))
    };
    if findings.minimal != Minimality::Proven {
        let is_as_many = findings.chains.len() == earlier.chains.len();
        let highest = findings.lower_bound.max(earlier.lower_bound);
        let (now, before) = (rank(&findings), rank(&earlier));
        if before < now {
            findings.minimal = match earlier.minimal {
                Minimality::Proven => Minimality::Proven,
                Minimality::Gap | Minimality::Unknown => Minimality::Gap,
            };
            findings.lower_bound = if is_as_many { highest } else { earlier.lower_bound };
            findings.chains = earlier.chains;
        } else if is_as_many && before.0 == now.0 {
            findings.lower_bound = highest;
        }
    }
    for (status, known) in findings.statuses.iter_mut().zip(earlier.statuses) {
        let is_open = status.as_ref().is_none_or(|status| status.name() == "undecided");
        if is_open && known.as_ref().is_some_and(|known| known.name() == "unreachable") {
            *status = known;
        }
    }
    (findings, ended)
}

/// Whether nothing is left to find out; or whatever the next engine would fail at as well.
fn is_settled((findings, ended): &Ended) -> bool {
    let decided =
        |status: &Option<GoalStatus>| status.as_ref().is_none_or(|status| status.name() != "undecided");
    match ended {
        Ok(()) => findings.minimal == Minimality::Proven && findings.statuses.iter().all(decided),
        Err(Halt::Stopped(reason)) => *reason != StopReason::Effort,
        Err(Halt::Failed(_)) => true,
    }
}

fn nothing(problem: &Problem<'_>, halt: Halt) -> Ended {
    (Findings::nothing(problem, String::new()), Err(halt))
}

/// The explicit engine for a strategy that runs on one engine only; `None`: the SAT engine suits better.
pub(crate) fn explicit<'s>(
    problem: &'s Problem<'s>,
    context: &Context<'_>,
) -> Result<Option<Box<Explicit<'s>>>, Halt> {
    match context.options.engine {
        EngineChoice::Sat => Ok(None),
        EngineChoice::Simulate => Err(EngineError::SimulationAnswersNothing.into()),
        EngineChoice::Explicit => forced(problem, context).map(Some),
        EngineChoice::Auto => match enumerate(problem, AUTOMATIC_LIMITS, context)? {
            Enumeration::Done(oracle) => Ok(Some(oracle)),
            Enumeration::TooLarge | Enumeration::Unsuited => Ok(None),
        },
    }
}

/// The explicit engine at any cost.
fn forced<'s>(problem: &'s Problem<'s>, context: &Context<'_>) -> Result<Box<Explicit<'s>>, Halt> {
    match context.stage("states", || attempt(problem, FORCED_LIMITS, context)) {
        Ok(Some(explicit)) => Ok(explicit),
        Ok(None) => Err(EngineError::Unsuited("there are too many states".to_owned()).into()),
        Err(ExplicitHalt::Unsuited(why)) => Err(EngineError::Unsuited(why).into()),
        Err(ExplicitHalt::Halt(halt)) => Err(halt),
    }
}

fn enumerate<'s>(
    problem: &'s Problem<'s>,
    limits: Limits,
    context: &Context<'_>,
) -> Result<Enumeration<'s>, Halt> {
    let states = context.options.most_states.map_or(limits.states, |most| most.min(limits.states));
    let limits = Limits { states, ..limits };
    match context.stage("states", || attempt(problem, limits, context)) {
        Ok(Some(explicit)) => Ok(Enumeration::Done(explicit)),
        Ok(None) => Ok(Enumeration::TooLarge),
        Err(ExplicitHalt::Unsuited(_)) => Ok(Enumeration::Unsuited),
        Err(ExplicitHalt::Halt(halt)) => Err(halt),
    }
}

fn attempt<'s>(
    problem: &'s Problem<'s>,
    limits: Limits,
    context: &Context<'_>,
) -> Result<Option<Box<Explicit<'s>>>, ExplicitHalt> {
    let initial = initial_states(problem, INITIAL_STATES, context).map_err(ExplicitHalt::Halt)?;
    match initial {
        Some(initial) => Ok(Explicit::enumerate(problem, &initial, limits, context)?.map(Box::new)),
        None => Err(ExplicitHalt::Unsuited("there are too many initial states".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::chains::longest_run;
    use crate::knowledge::problem::all_goals;
    use crate::options::Options;
    use crate::session::Silent;
    use model::sort::Sort;
    use model::text::parse;
    use model::trace::{Start, Trace};
    use model::validate::{Validated, validate};
    use model::value::Value;

    const TEXT: &str = "system pair input go w1 state n w4 next (ite go (add n 1) n)
        goal on when go goal one when (and (not go) (eq n 1))";

    fn system(text: &str) -> Validated {
        validate(parse(text).expect("the text should parse")).expect("it should be well-formed")
    }

    fn chain(problem: &Problem<'_>, inputs: &[u128]) -> Candidate {
        let inputs = inputs.iter().map(|&bit| vec![Value::new(Sort::TRUTH, bit)]).collect();
        longest_run(problem, &Trace { start: Start::Initial(Vec::new()), inputs }).expect("it should run")
    }

    fn ended(problem: &Problem<'_>, inputs: &[u128], lower_bound: u64) -> Ended {
        let chains = vec![chain(problem, inputs)];
        let minimal = Minimality::Gap;
        let findings = Findings { chains, lower_bound, minimal, ..Findings::nothing(problem, String::new()) };
        (findings, Err(Halt::Stopped(StopReason::Deadline)))
    }

    /// One chain, its bound, and what follows when the time is up: whether it is proven minimal, and whether it matters that time is up.
    #[test]
    fn a_limit_does_not_matter_where_nothing_is_left_to_find_out() {
        let system = system(TEXT);
        let problem = Problem::new(&system, &all_goals(&system), Vec::new());
        let options = Options::default();
        let context = Context::new(&options, &Silent);
        for (inputs, bound, is_minimal, is_stopped) in
            [(&[1, 0][..], 2, true, false), (&[1, 0], 1, false, true), (&[1], 1, true, true)]
        {
            let (findings, ended) = concluded(&problem, ended(&problem, inputs, bound), &context);
            assert_eq!(findings.minimal == Minimality::Proven, is_minimal, "{inputs:?}");
            assert_eq!(ended.is_err(), is_stopped, "{inputs:?}");
        }
    }

    /// A goal that asks for the factors of a product of large primes: it is left open, and the best chain for the others is found nevertheless.
    #[test]
    fn a_goal_beyond_all_effort_does_not_keep_the_others_back() {
        let text = "system hard input go w1 input a w32 input b w32 state n w4 next (ite go (add n 1) n)
            state found w1 next (or found (and (eq (mul (zext w64 a) (zext w64 b)) 14159562893345499151)
                (and (ult 1 a) (ult 1 b))))
            goal on when go goal one when (and (not go) (eq n 1)) goal factors when found";
        let system = system(text);
        let problem = Problem::new(&system, &all_goals(&system), Vec::new());
        let options = Options::default();
        let context = Context::new(&options, &Silent);
        let word = |width: u32, bits: u128| Value::new(Sort::word(width), bits);
        let inputs = |go: u128| vec![word(1, go), word(32, 0), word(32, 0)];
        let trace = Trace { start: Start::Initial(Vec::new()), inputs: [1, 0, 0].map(inputs).to_vec() };
        let known = longest_run(&problem, &trace).expect("it should run");
        let (findings, ended) = context.within(SAT_ATTEMPT, || bounded(&problem, vec![known], &context));
        assert!(
            matches!(ended, Err(Halt::Stopped(StopReason::Effort))),
            "the factors should be beyond this effort"
        );
        assert_eq!((total(&findings.chains), findings.lower_bound), (2, 2));
        assert!(findings.statuses[3].is_none(), "nothing is known of the factors");
    }

    #[test]
    fn what_was_proven_minimal_stays_so() {
        let system = system(TEXT);
        let problem = Problem::new(&system, &all_goals(&system), Vec::new());
        let (earlier, _) = ended(&problem, &[1, 0], 2);
        let earlier = Findings { minimal: Minimality::Proven, ..earlier };
        let stopped = nothing(&problem, Halt::Stopped(StopReason::Deadline));
        let (findings, _) = at_least_as_good(stopped, earlier);
        assert_eq!((findings.minimal, findings.lower_bound), (Minimality::Proven, 2));
    }

    /// One step that covers everything needs no query to be called shortest.
    #[test]
    fn chains_as_long_as_a_window_are_shortest() {
        let one = system("system one input go w1 state n w4 next n goal on when go goal zero when (eq n 0)");
        let problem = Problem::new(&one, &all_goals(&one), Vec::new());
        for (inputs, expected) in [(&[1][..], true), (&[0], false), (&[0, 1], false)] {
            assert_eq!(is_shortest_possible(&problem, &[chain(&problem, inputs)]), expected, "{inputs:?}");
        }
    }
}
