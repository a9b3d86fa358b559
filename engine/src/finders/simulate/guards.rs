//! Inputs as the guards of the step see them.
//!
//! Guards often look at several inputs at once: at the smallest of four voltages, at a sum. Drawing
//! inputs one by one seldom turns one such guard and leaves the others as they are, which is just
//! what it takes to stay in a mode until a timer ends. So the conditions over inputs alone are
//! collected, and a SAT solver is asked for the *neighbour* of given inputs: one condition turned
//! around, the others, and the inputs that the condition does not look at, kept as far as that is
//! possible. The queries speak about one step's inputs and no state, so they are small; answers are
//! kept.

use crate::knowledge::task::Task;
use crate::random_simulation::Random;
use encoder::EncodeError;
use encoder::aig::{Aig, Literal};
use encoder::blast::{Blaster, Bounds, Words};
use encoder::cnf::Cnf;
use model::id::Id;
use model::system::TransitionSystem;
use model::term::{SymbolId, Term, TermId, TermPool};
use model::validate::{Meaning, Validated};
use model::visit::{cone, support};
use rustc_hash::{FxHashMap, FxHashSet};
use solver::sat::{Backend, Budget, ClauseSink, IncrementalSat, Lit, Verdict};
use std::ops::Range;

/// Most conditions.
const MOST_CONDITIONS: usize = 128;
/// Conjunctions beyond which the circuit of a condition is too large to ask about.
const MOST_GATES: usize = 20_000;
/// Gates of all conditions together at most: one may be far larger than all others.
const MOST_GATES_MADE: usize = 5 * MOST_GATES;
/// Conflicts of one query.
const CONFLICTS: u64 = 1_000;
/// Most queries of one search.
const MOST_QUERIES: usize = 3_000;
/// What a query counts for, in evaluated instructions.
const QUERY_COST: u64 = 50_000;
/// What a query that the solver gives up counts for, in evaluated instructions.
const GIVEN_UP_COST: u64 = 20_000 * CONFLICTS;
/// Conjunctions of a circuit whose queries cost what they count for; queries of larger circuits
/// take longer.
const USUAL_GATES: u64 = 2_000;
/// What queries may cost beyond what the rest of the search has cost, in evaluated instructions.
const AHEAD: u64 = 200_000_000;
/// The rounds of one query, which give up one after the other what cannot be kept, may take 1 in so
/// many of these instructions.
const ROUNDS_SHARE: u64 = 2;
/// Queries that the solver gave up after which a condition is left alone: products, remainders and
/// checksums may be beyond it.
const MOST_GIVEN_UP: usize = 3;

/// See the module text.
pub(crate) struct Guards {
    aig: Aig,
    conditions: Vec<Condition>,
    /// By input: numbers of its bits in the circuit; empty where no condition looks at it.
    bits: Vec<Range<usize>>,
    /// The same for the solver.
    literals: Vec<Vec<Lit>>,
    solver: Box<dyn IncrementalSat>,
    known: FxHashMap<(Vec<u64>, usize), Option<Vec<u64>>>,
    queries: usize,
    /// What queries took, in evaluated instructions.
    taken: u64,
}

/// A condition over inputs alone.
struct Condition {
    literal: Literal,
    truth: Lit,
    /// By input: whether the condition looks at it.
    looks_at: Vec<bool>,
    /// Queries to turn it that the solver gave up.
    given_up: usize,
}

impl Guards {
    /// The conditions of a task's step and goals.
    pub(crate) fn new(task: &Task<'_>, backend: Backend) -> Self {
        let mut guards = Self {
            aig: Aig::new(),
            conditions: Vec::new(),
            bits: vec![0..0; task.system.inputs.len()],
            literals: Vec::new(),
            solver: backend.open(),
            known: FxHashMap::default(),
            queries: 0,
            taken: 0,
        };
        guards.encode(task.system, &conditions(task));
        guards
    }

    fn encode(&mut self, system: &Validated, conditions: &[TermId]) {
        let (mut words, mut blaster, mut cnf) = (Words::default(), Blaster::new(&system.terms), Cnf::new());
        blaster.bound(Bounds { gates: Some(MOST_GATES_MADE), is_over: None });
        let kinds = Kinds::of(system, &assumptions(system));
        let assumed = assumptions(system).into_iter().filter(|&term| kinds.kind(term) == Kind::Inputs);
        let mut blasted = |term: TermId, aig: &mut Aig, bits: &mut [Range<usize>]| {
            let mut symbols = |aig: &mut Aig, symbol: SymbolId| {
                let input = input(system, symbol).expect("a condition should speak about inputs alone");
                if bits[input].is_empty() {
                    let first = aig.inputs();
                    for _ in 0..system.terms.symbol(symbol).sort.width() {
                        aig.input();
                    }
                    bits[input] = first..aig.inputs();
                }
                let word: Vec<Literal> = bits[input].clone().map(|bit| aig.input_literal(bit)).collect();
                Ok::<_, EncodeError>(word)
            };
            blaster.blast(term, &mut words, aig, &mut symbols).ok()?;
            blaster.known(term, &words).map(|word| word[0])
        };
        for term in assumed {
            let Some(literal) = blasted(term, &mut self.aig, &mut self.bits) else { continue };
            let holds = cnf.literal(&self.aig, literal, &mut self.solver);
            self.solver.clause(&[holds]);
        }
        for &term in conditions {
            if self.conditions.len() == MOST_CONDITIONS || self.aig.ands() > MOST_GATES {
                break;
            }
            let Some(literal) = blasted(term, &mut self.aig, &mut self.bits) else { continue };
            let truth = cnf.literal(&self.aig, literal, &mut self.solver);
            let mut looks_at = vec![false; self.bits.len()];
            let inputs =
                support(&system.terms, &[term]).into_iter().filter_map(|symbol| input(system, symbol));
            inputs.for_each(|input| looks_at[input] = true);
            self.conditions.push(Condition { literal, truth, looks_at, given_up: 0 });
        }
        let (aig, solver) = (&self.aig, &mut self.solver);
        let mut literals = |bits: &Range<usize>| -> Vec<Lit> {
            bits.clone().map(|bit| cnf.literal(aig, aig.input_literal(bit), solver)).collect()
        };
        self.literals = self.bits.iter().map(&mut literals).collect();
    }

    /// A search begins to count its cost anew.
    pub(crate) fn begin(&mut self) {
        self.taken = 0;
    }

    /// Turns one condition around by other inputs. `false`: that is not possible, or would take too
    /// long; the inputs stay.
    pub(crate) fn turn(&mut self, inputs: &mut Vec<u64>, random: &mut Random, cost: &mut u64) -> bool {
        if self.conditions.is_empty() {
            return false;
        }
        let condition = random.below(self.conditions.len());
        let key = (inputs.clone(), condition);
        if !self.known.contains_key(&key) {
            if self.queries >= MOST_QUERIES
                || self.conditions[condition].given_up == MOST_GIVEN_UP
                || self.taken > AHEAD + *cost
            {
                return false;
            }
            let before = *cost;
            let found = self.neighbour(inputs, condition, cost);
            self.taken += (*cost - before) * self.weight();
            self.known.insert(key.clone(), found);
        }
        match &self.known[&key] {
            Some(found) => {
                inputs.clone_from(found);
                true
            }
            None => false,
        }
    }

    /// How much longer queries take than what they count for.
    fn weight(&self) -> u64 {
        1 + self.aig.ands() as u64 / USUAL_GATES
    }

    fn neighbour(&mut self, inputs: &[u64], turned: usize, cost: &mut u64) -> Option<Vec<u64>> {
        let values = self.evaluate(inputs);
        let truth = |condition: &Condition| condition.literal.among(&values) & 1 == 1;
        let pointed = |literal: Lit, holds: bool| if holds { literal } else { !literal };
        let turning = pointed(self.conditions[turned].truth, !truth(&self.conditions[turned]));
        let mut kept: Vec<Lit> = vec![turning];
        for (number, condition) in self.conditions.iter().enumerate() {
            if number != turned {
                kept.push(pointed(condition.truth, truth(condition)));
            }
        }
        for (input, literals) in self.literals.iter().enumerate() {
            if !self.conditions[turned].looks_at[input] {
                let bit = |(bit, &literal): (usize, &Lit)| pointed(literal, inputs[input] >> bit & 1 == 1);
                kept.extend(literals.iter().enumerate().map(bit));
            }
        }
        let budget = Budget { conflicts: Some(CONFLICTS), ..Budget::default() };
        // Each round gives up what cannot be kept together.
        let (mut rounds, most_rounds) = (0, AHEAD / ROUNDS_SHARE / (QUERY_COST * self.weight()));
        loop {
            self.queries += 1;
            *cost += QUERY_COST;
            match self.solver.solve(&kept, &budget) {
                Verdict::Sat => break,
                Verdict::Unknown => {
                    self.conditions[turned].given_up += 1;
                    *cost += GIVEN_UP_COST;
                    return None;
                }
                Verdict::Unsat => {
                    let core: FxHashSet<Lit> = self.solver.core().iter().copied().collect();
                    let before = kept.len();
                    kept.retain(|literal| *literal == turning || !core.contains(literal));
                    rounds += 1;
                    if kept.len() == before || self.queries >= MOST_QUERIES || rounds >= most_rounds {
                        return None;
                    }
                }
            }
        }
        let mut found = inputs.to_vec();
        for (value, literals) in
            found.iter_mut().zip(&self.literals).filter(|(_, literals)| !literals.is_empty())
        {
            let bits = literals.iter().enumerate();
            *value =
                bits.fold(0, |word, (bit, &literal)| word | u64::from(self.solver.is_true(literal)) << bit);
        }
        Some(found)
    }

    /// The circuit under these inputs.
    fn evaluate(&self, inputs: &[u64]) -> Vec<u64> {
        let mut columns = vec![0; self.aig.inputs()];
        for (bits, &value) in self.bits.iter().zip(inputs) {
            for (place, column) in columns[bits.clone()].iter_mut().enumerate() {
                *column = 0u64.wrapping_sub(value >> place & 1);
            }
        }
        self.aig.evaluate(|input| columns[input])
    }
}

fn assumptions(system: &TransitionSystem) -> Vec<TermId> {
    let conditions = system.assumptions.iter().map(|assumption| assumption.condition);
    conditions.flat_map(|condition| system.terms.conjuncts(condition)).collect()
}

/// What a term speaks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Nothing,
    Inputs,
    /// State, or other steps.
    More,
}

/// The kinds of terms.
struct Kinds<'s> {
    terms: &'s TermPool,
    kinds: FxHashMap<TermId, Kind>,
}

impl<'s> Kinds<'s> {
    /// Of all terms that these are made of.
    fn of(system: &'s Validated, roots: &[TermId]) -> Self {
        let terms = &system.terms;
        let mut kinds: FxHashMap<TermId, Kind> = FxHashMap::default();
        for term in cone(terms, roots) {
            let node = terms.node(term);
            let kind = match node {
                Term::Symbol(symbol) if input(system, symbol).is_some() => Kind::Inputs,
                Term::Symbol(_) => Kind::More,
                _ => node.operands().map(|operand| kinds[&operand]).fold(Kind::Nothing, |all, kind| {
                    match (all, kind) {
                        (Kind::More, _) | (_, Kind::More) => Kind::More,
                        (Kind::Inputs, _) | (_, Kind::Inputs) => Kind::Inputs,
                        _ => Kind::Nothing,
                    }
                }),
            };
            kinds.insert(term, kind);
        }
        Self { terms, kinds }
    }

    fn kind(&self, term: TermId) -> Kind {
        self.kinds[&term]
    }
}

/// The input of a symbol of this step.
fn input(system: &Validated, symbol: SymbolId) -> Option<usize> {
    match system.meaning(symbol) {
        Meaning::Input(input) => Some(input.index()),
        Meaning::Framed { base, offset: 0 } => input(system, base),
        _ => None,
    }
}

/// The conditions over inputs alone that something else depends on: the largest such terms, and
/// what chooses within words of inputs.
fn conditions(task: &Task<'_>) -> Vec<TermId> {
    let system = task.system;
    let mut roots: Vec<TermId> = system.states.values().map(|state| state.next).collect();
    roots.extend(task.vertices().map(|vertex| task.target(vertex).antecedent));
    let kinds = Kinds::of(system, &roots);
    let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
    let mut stack: Vec<TermId> =
        roots.iter().rev().copied().filter(|&root| kinds.kind(root) == Kind::Inputs).collect();
    for term in cone(&system.terms, &roots) {
        if kinds.kind(term) == Kind::More {
            stack.extend(
                system.terms.node(term).operands().filter(|&operand| kinds.kind(operand) == Kind::Inputs),
            );
        }
        while let Some(term) = stack.pop() {
            if !seen.insert(term) {
                continue;
            }
            match system.terms.node(term) {
                Term::Symbol(_) if kinds.terms.width(term) > 1 => {}
                _ if kinds.terms.width(term) == 1 => found.push(term),
                node => stack.extend(node.operands().filter(|&operand| kinds.kind(operand) == Kind::Inputs)),
            }
        }
    }
    found
}
