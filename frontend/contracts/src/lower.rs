//! From interfaces to transition systems.
//!
//! One observation is one transition: the inputs of the system are the values of all variables of
//! the step, chosen by the tester (inputs) or by the system under test (outputs, hidden variables);
//! state words hold the values of the step before, as far as they are read, and whether there was
//! one. The contracts are assumptions on every step.
//!
//! A guarantee `x' = e` that is required determines `x'`: its word is then that of `e`, and the
//! input for `x` matters only in steps without such a guarantee. No execution is lost, since the
//! contract is still assumed; but who chooses inputs at random does not have to guess `x'`. What
//! the reference interpreter found out about lost positions is assumed, too: no answer leads there.

mod deciding;
mod narrow;
mod sum;

use crate::goals::{Goal as Wanted, What};
use crate::interface::{Contract, Interface, Requirement};
use crate::parts::{Lost, Part};
use crate::semantics::{Effort, Semantics, Step, Undecided, Valuation, id_index, inputs_of};
use crate::syntax::Role;
use deciding::OtherAnswer;
use frontend::diagnostics::Diagnostics;
use model::id::{Id, IdVec};
use model::sort::Sort;
use model::system::{Assumption, Goal, InputId, InputRole, OriginId, Output, StateId, TransitionSystem};
use model::term::TermId;
use rustc_hash::FxHashMap;
use spec::evaluate::{evaluate, holds};
use spec::lexer::Extent;
use spec::lower::Lowering;
use spec::parser::Parsed;
use spec::scope::VariableId;
use spec::typed::{Binary, Expr, Kind, Unary};
use spec::value::Value;

/// A system, and where its parts come from.
#[derive(Clone)]
pub(crate) struct Lowered {
    /// The system.
    pub(crate) system: TransitionSystem,
    /// The input that stands for each variable.
    pub(crate) inputs: IdVec<VariableId, InputId>,
    /// The state word of each remembered variable.
    pub(crate) states: Vec<(VariableId, StateId)>,
    /// Where goals and assumptions stand, by [`OriginId`].
    pub(crate) origins: Vec<Extent>,
    /// What each assumption says, in their order: no two say the same.
    pub(crate) texts: Vec<String>,
    /// The answers that deciding steps need beside those that are given, in the order of their
    /// inputs, which follow those of the variables.
    pub(crate) other_answers: Vec<OtherAnswer>,
}

/// What is to be lowered beside the contracts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wishes<'a> {
    /// The goals.
    pub(crate) goals: &'a [Wanted<'a>],
    /// Whether some written assumption is to hold in each step.
    pub(crate) no_idle: bool,
    /// Parts whose positions are known.
    pub(crate) parts: &'a [Part<'a>],
    /// Positions that no answer may lead to.
    pub(crate) lost: &'a [Lost],
    /// Whether what is required stays an assumption and nothing else, so that it can be told which
    /// requirement excludes a goal: equations determine nothing, and no requirement is left out.
    pub(crate) keeps_wording: bool,
}

impl Wishes<'_> {
    /// The requirements of parts that can always be answered and that no goal looks at: they do not
    /// restrict inputs, so they say nothing about chains.
    fn apart(&self, interface: &Interface) -> Vec<usize> {
        if self.no_idle || !interface.environment.is_empty() {
            return Vec::new();
        }
        let looked_at = self.goals.iter().flat_map(Wanted::exprs);
        let looked_at: Vec<VariableId> = looked_at.flat_map(Expr::reads).map(|read| read.variable).collect();
        let is_apart = |part: &&Part<'_>| {
            let is_free = part.ranks.depth().is_none() && !part.ranks.has_lost_positions();
            let mut controlled = part.semantics.controlled().into_iter();
            is_free && !controlled.any(|variable| looked_at.contains(&variable))
        };
        let apart = self.parts.iter().filter(is_apart);
        apart.flat_map(|part| part.semantics.selected.iter().copied()).collect()
    }
    /// Whether in all steps that can come one of some equations is required.
    fn covers(&self, variable: VariableId, equations: &[Equation<'_>]) -> bool {
        let part = self.parts.iter().find(|part| part.semantics.controlled().contains(&variable));
        part.is_some_and(|part| {
            part.arena.positions.iter().zip(&part.arena.moves).all(|(before, moves)| {
                moves.iter().all(|one| {
                    equations.iter().any(|equation| {
                        equation.is_first == before.is_none()
                            && part.semantics.is_triggered(equation.contract, before.as_ref(), &one.inputs)
                    })
                })
            })
        })
    }
}

struct Builder<'a> {
    interface: &'a Interface,
    lowered: Lowered,
    /// The word of each variable before the step, where it is remembered, and now.
    words: IdVec<VariableId, (Option<TermId>, TermId)>,
    /// Truth: this is not step 0.
    started: TermId,
    /// Requirements that say nothing about chains.
    apart: Vec<usize>,
    /// Of contracts that count only sometimes, by their addresses, the truth that they do.
    counting: FxHashMap<*const Contract, TermId>,
    diagnostics: &'a mut Diagnostics,
}

/// The system of an interface.
///
/// # Errors
/// A part of it has no words; what is wrong is reported.
pub(crate) fn lower(
    interface: &Interface,
    wishes: &Wishes<'_>,
    diagnostics: &mut Diagnostics,
) -> Parsed<Lowered> {
    let mut builder = Builder::new(interface, diagnostics);
    if !wishes.keeps_wording {
        builder.apart = wishes.apart(interface);
        builder.determine(&interface.requirements, interface.controlled().collect(), wishes)?;
    }
    builder.answers();
    builder.domains(|_| true);
    builder.contracts()?;
    builder.environment()?;
    builder.lost(wishes.lost);
    builder.goals(wishes)?;
    if wishes.no_idle {
        builder.no_idle()?;
    }
    Ok(builder.lowered)
}

/// The system of an interface as a game.
pub(crate) struct BoardTerms {
    /// Its system.
    pub(crate) lowered: Lowered,
    /// Truth: the inputs of the step may occur.
    pub(crate) environment: TermId,
    /// Truth: the answer is allowed.
    pub(crate) allowed: TermId,
    /// Truth over states: there was a step, and its values belong to their types.
    pub(crate) position: TermId,
}

/// The system of an interface whose requirements may be broken.
pub(crate) struct CourseTerms {
    /// Its system, which assumes nothing.
    pub(crate) lowered: Lowered,
    /// Truth: the inputs of the step may occur.
    pub(crate) environment: TermId,
    /// Truth: the answer belongs to the types of its variables.
    pub(crate) domains: TermId,
    /// For each requirement the truth that it is kept.
    pub(crate) kept: Vec<TermId>,
    /// For each requirement the truth over states and stimuli that it applies.
    pub(crate) triggers: Vec<TermId>,
    /// Truth over states: there was a step, and its values belong to their types.
    pub(crate) position: TermId,
    /// Truths over states that hold behind each step in which some requirements are kept, with the
    /// indices of these.
    pub(crate) invariants: Vec<(TermId, Vec<usize>)>,
}

/// The system of an interface whose requirements may be broken.
///
/// # Errors
/// As [`lower`].
pub(crate) fn course(interface: &Interface, diagnostics: &mut Diagnostics) -> Parsed<CourseTerms> {
    Builder::new(interface, diagnostics).course()
}

/// Whose values the answers of a game are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answering {
    /// As far as guarantees say what they are, what these say; a choice elsewhere.
    Determined,
    /// Choices, all of them: what is chosen is what is answered.
    Chosen,
}

/// The game of an interface.
///
/// # Errors
/// As [`lower`].
pub(crate) fn board(
    interface: &Interface,
    answering: Answering,
    diagnostics: &mut Diagnostics,
) -> Parsed<BoardTerms> {
    Builder::new(interface, diagnostics).board(answering)
}

/// The states that say which requirements of a game count, and how long: all of them may hold at
/// the start or not.
pub(crate) struct Selectors {
    /// For each requirement: it counts.
    pub(crate) counts: Vec<StateId>,
    /// The first one: requirements count in this step. The second one: in the next one, and so on.
    pub(crate) steps: Vec<StateId>,
    /// Requirements count in all steps behind those.
    pub(crate) always: StateId,
}

/// The game of an interface whose requirements count where [`Selectors`] say so.
///
/// # Errors
/// As [`lower`].
pub(crate) fn selective_board(
    interface: &Interface,
    steps: usize,
    diagnostics: &mut Diagnostics,
) -> Parsed<(BoardTerms, Selectors)> {
    let mut builder = Builder::new(interface, diagnostics);
    let (selectors, order) = builder.select(steps);
    let mut board = builder.board(Answering::Determined)?;
    let terms = &mut board.lowered.system.terms;
    board.position = terms.and(board.position, order);
    Ok((board, selectors))
}

impl<'a> Builder<'a> {
    /// Makes requirements count where states say so. Also the truth that these have an order which
    /// each step keeps: what counts in some step counts in those before it.
    fn select(&mut self, steps: usize) -> (Selectors, TermId) {
        let Self { interface, lowered, counting, .. } = self;
        let system = &mut lowered.system;
        let yes = system.terms.truth(true);
        let state = |system: &mut TransitionSystem, name: &str| {
            let state = system.add_state(name, Sort::TRUTH);
            let term = system.state_term(state);
            system.states[state].init = yes;
            system.states[state].next = term;
            (state, term)
        };
        let (always, endless) = state(system, "requirements count always");
        let mut order = yes;
        let mut timed = Vec::new();
        for number in 0..steps {
            let (step, counts) = state(system, &format!("requirements count in {number} steps"));
            if let Some(&(last, before)) = timed.last() {
                system.states[last].next = counts;
                let ordered = system.terms.implies(counts, before);
                order = system.terms.and(order, ordered);
            }
            timed.push((step, counts));
        }
        if let Some(&(last, before)) = timed.last() {
            system.states[last].next = endless;
            let is_endless = system.terms.equal(before, endless);
            order = system.terms.and(order, is_endless);
        }
        let now = timed.first().map_or(endless, |&(_, counts)| counts);
        let mut counts = Vec::new();
        for requirement in &interface.requirements {
            let (state, chosen) = state(system, &format!("{} counts", requirement.name));
            let chosen = system.terms.and(chosen, now);
            counting.extend(requirement.every_contract().map(|one| (std::ptr::from_ref(one), chosen)));
            counts.push(state);
        }
        let steps = timed.into_iter().map(|(step, _)| step).collect();
        (Selectors { counts, steps, always }, order)
    }

    fn board(mut self, answering: Answering) -> Parsed<BoardTerms> {
        if answering == Answering::Determined {
            self.narrow()?;
        }
        self.answers();
        self.domains(|role| role == Role::Input);
        self.environment()?;
        let given = self.lowered.system.assumptions.len();
        self.domains(|role| role != Role::Input);
        self.contracts()?;
        let ranges = self.ranges();
        let invariants = self.invariants()?;
        let (environment, allowed) = self.assumed(given);
        let terms = &mut self.lowered.system.terms;
        let position = invariants.into_iter().fold(ranges, |all, (holds, _)| terms.and(all, holds));
        Ok(BoardTerms { lowered: self.lowered, environment, allowed, position })
    }

    fn course(mut self) -> Parsed<CourseTerms> {
        self.answers();
        self.domains(|role| role == Role::Input);
        self.environment()?;
        let given = self.lowered.system.assumptions.len();
        self.domains(|role| role != Role::Input);
        let (environment, domains) = self.assumed(given);
        let triggers = self.triggers()?;
        let kept = self.of_contracts(Self::kept)?.into_iter();
        let kept = kept.map(|all| self.lowered.system.terms.conjunction(all)).collect();
        let position = self.ranges();
        let requirements = &self.interface.requirements;
        let owner = |contract: &Contract| {
            requirements
                .iter()
                .position(|one| one.every_contract().any(|other| std::ptr::eq(other, contract)))
        };
        let invariants = self.invariants()?.into_iter();
        let owned = |contracts: Vec<&Contract>| contracts.into_iter().filter_map(owner).collect();
        let invariants = invariants.map(|(holds, contracts)| (holds, owned(contracts))).collect();
        self.lowered.system.assumptions.clear();
        Ok(CourseTerms { lowered: self.lowered, environment, domains, kept, triggers, position, invariants })
    }

    /// The conjunctions of the first assumptions, so many, and of the others.
    fn assumed(&mut self, first: usize) -> (TermId, TermId) {
        let TransitionSystem { assumptions, terms, .. } = &mut self.lowered.system;
        let (first, others) = assumptions.split_at(first);
        let mut all = |some: &[Assumption]| terms.conjunction(some.iter().map(|one| one.condition));
        (all(first), all(others))
    }

    /// For each requirement whether one of its contracts is triggered.
    fn triggers(&mut self) -> Parsed<Vec<TermId>> {
        let triggered = self.of_contracts(Self::triggered)?;
        let terms = &mut self.lowered.system.terms;
        let none = terms.truth(false);
        Ok(triggered
            .into_iter()
            .map(|any| any.into_iter().fold(none, |all, one| terms.or(all, one)))
            .collect())
    }

    /// For each requirement a truth about each of its contracts, told whether that is one of step 0.
    fn of_contracts(
        &mut self,
        truth: fn(&mut Self, &Contract, bool) -> Parsed<TermId>,
    ) -> Parsed<Vec<Vec<TermId>>> {
        let mut found = Vec::new();
        for requirement in &self.interface.requirements {
            let mut truths = Vec::new();
            for is_first in [true, false] {
                for contract in requirement.contracts(is_first) {
                    truths.push(truth(self, contract, is_first)?);
                }
            }
            found.push(truths);
        }
        Ok(found)
    }

    fn new(interface: &'a Interface, diagnostics: &'a mut Diagnostics) -> Self {
        let mut system = TransitionSystem { name: interface.name.clone(), ..TransitionSystem::default() };
        let started_state = system.add_state("started", Sort::TRUTH);
        let started = system.state_term(started_state);
        let (no, yes) = (system.terms.truth(false), system.terms.truth(true));
        system.states[started_state].init = no;
        system.states[started_state].next = yes;
        let remembered = Semantics::whole(interface).remembered;
        let mut lowered = Lowered {
            system,
            inputs: IdVec::default(),
            states: Vec::new(),
            origins: Vec::new(),
            texts: Vec::new(),
            other_answers: Vec::new(),
        };
        let mut words = IdVec::default();
        for (id, variable) in interface.scope.variables().iter().take(interface.roles.len()) {
            let system = &mut lowered.system;
            // Types with values in finite number have words.
            let sort = variable.ty.sort().unwrap_or(Sort::TRUTH);
            let role = interface.roles[id];
            let mover = if role == Role::Input { InputRole::Stimulus } else { InputRole::Choice };
            let input = system.add_input(&variable.name, sort, mover);
            let now = system.input_term(input);
            let before = remembered.contains(&id).then(|| {
                let state = system.add_state(&format!("{} before", variable.name), sort);
                let zero = model::value::Value::new(sort, 0);
                system.states[state].init = system.terms.constant(zero);
                lowered.states.push((id, state));
                system.state_term(state)
            });
            lowered.inputs.push(input);
            words.push((before, now));
        }
        Self {
            interface,
            lowered,
            words,
            started,
            apart: Vec::new(),
            counting: FxHashMap::default(),
            diagnostics,
        }
    }

    fn truth(&mut self, expr: &Expr) -> Parsed<TermId> {
        let words = &self.words;
        let lookup = |variable: VariableId, primed: bool| {
            let (before, now) = words[variable];
            // All that is read of the step before is remembered.
            if primed { now } else { before.unwrap_or(now) }
        };
        Lowering::new(&mut self.lowered.system.terms, &lookup, self.diagnostics).condition(expr)
    }
    fn origin(&mut self, place: Extent) -> Option<OriginId> {
        self.lowered.origins.push(place);
        Some(OriginId::new(self.lowered.origins.len() - 1))
    }
    fn assume(&mut self, condition: TermId, origin: Option<OriginId>, text: String) {
        self.lowered.texts.push(text);
        self.lowered.system.assumptions.push(Assumption { condition, origin });
    }

    /// Puts the words of equations that some requirements require in place of those that are
    /// chosen, for some variables. An equation can be used where all that its other side reads of
    /// this step has its final word.
    fn determine<'r>(
        &mut self,
        requirements: impl IntoIterator<Item = &'r Requirement>,
        mut pending: Vec<VariableId>,
        wishes: &Wishes<'_>,
    ) -> Parsed<()> {
        let known = all_equations(requirements);
        let equations = |variable| known.get(&variable).map_or(&[][..], Vec::as_slice);
        while !pending.is_empty() {
            let is_ready = |equation: &Equation<'_>, variable: VariableId| {
                let reads = equation.value.iter().flat_map(|value| value.reads());
                reads.into_iter().all(|read| {
                    !read.primed || (read.variable != variable && !pending.contains(&read.variable))
                })
            };
            let usable = |variable: VariableId, all: bool| {
                let equations = equations(variable);
                let ready = equations.iter().filter(|one| is_ready(one, variable)).count();
                ready > 0 && (!all || ready == equations.len())
            };
            let next = pending.iter().position(|&variable| usable(variable, true));
            let next = next.or_else(|| pending.iter().position(|&variable| usable(variable, false)));
            let Some(next) = next else { return Ok(()) };
            let ready = equations(pending[next]).iter().filter(|one| is_ready(one, pending[next]));
            let ready: Vec<Equation<'_>> = ready.copied().collect();
            let variable = pending.remove(next);
            if wishes.covers(variable, &ready) {
                // Some equation is always required: nothing is chosen.
                let sort = self.lowered.system.terms.sort(self.words[variable].1);
                let unused = model::value::Value::new(sort, 0);
                self.words[variable].1 = self.lowered.system.terms.constant(unused);
            }
            for equation in ready.iter().rev() {
                self.apply(variable, equation)?;
            }
        }
        Ok(())
    }
    fn apply(&mut self, variable: VariableId, equation: &Equation<'_>) -> Parsed<()> {
        let triggered = self.triggered(equation.contract, equation.is_first)?;
        let value = match equation.value {
            None => self.lowered.system.terms.truth(equation.is_positive),
            Some(value) => self.assigned_word(variable, value)?,
        };
        let (_, now) = self.words[variable];
        self.words[variable].1 = self.lowered.system.terms.ite(triggered, value, now);
        Ok(())
    }
    /// The word of a value of a variable; some word where it is outside of the variable's type.
    fn assigned_word(&mut self, variable: VariableId, value: &Expr) -> Parsed<TermId> {
        let ty = &self.interface.scope.variable(variable).ty;
        let words = &self.words;
        let lookup = |variable: VariableId, primed: bool| {
            let (before, now) = words[variable];
            if primed { now } else { before.unwrap_or(now) }
        };
        let terms = &mut self.lowered.system.terms;
        Ok(Lowering::new(terms, &lookup, self.diagnostics).assigned(value, ty)?.value)
    }
    /// What a step leaves behind, and what the next one reads of it.
    fn answers(&mut self) {
        for id in self.interface.controlled() {
            let name = self.interface.scope.variable(id).name.clone();
            self.lowered.system.outputs.push(Output { name, value: self.words[id].1 });
        }
        for &(id, state) in &self.lowered.states {
            self.lowered.system.states[state].next = self.words[id].1;
        }
    }

    /// The words of variables of some roles stand for values of their types.
    fn domains(&mut self, is_meant: impl Fn(Role) -> bool) {
        let apart = self.apart.iter().flat_map(|&index| {
            let requirement = &self.interface.requirements[index];
            let contracts = requirement.initial.iter().chain(&requirement.update);
            contracts.flat_map(|contract| contract.guarantee.reads()).map(|read| read.variable)
        });
        let apart: Vec<VariableId> = apart.filter(|id| self.interface.roles[*id] != Role::Input).collect();
        let roles = &self.interface.roles;
        let is_kept = |id: VariableId| !apart.contains(&id) && is_meant(roles[id]);
        for (id, &(_, now)) in self.words.clone().iter().filter(|(id, _)| is_kept(*id)) {
            let domain = self.domain(id, now);
            if domain != self.lowered.system.terms.truth(true) {
                let variable = self.interface.scope.variable(id);
                self.assume(domain, None, format!("{}' is a value of {}", variable.name, variable.ty));
            }
        }
    }
    /// Whether a word stands for a value of the type of a variable.
    fn domain(&mut self, id: VariableId, word: TermId) -> TermId {
        let nothing = |_: VariableId, _: bool| word;
        let ty = &self.interface.scope.variable(id).ty;
        Lowering::new(&mut self.lowered.system.terms, &nothing, self.diagnostics).domain(word, ty)
    }
    /// Whether there was a step, and its values belong to their types.
    fn ranges(&mut self) -> TermId {
        let mut position = self.started;
        for (id, state) in self.lowered.states.clone() {
            let before = self.lowered.system.state_term(state);
            let domain = self.domain(id, before);
            position = self.lowered.system.terms.and(position, domain);
        }
        position
    }
    /// Truths over states that hold behind each step in which some contracts are kept, with these:
    /// what each step guarantees of the values that it leaves behind. The more is said of
    /// positions, the less is left to be found out.
    fn invariants(&mut self) -> Parsed<Vec<(TermId, Vec<&'a Contract>)>> {
        let words = self.words.clone();
        let mut found = Vec::new();
        for Invariant { holds, contracts } in invariants(self.interface, &|id| words[id].0.is_some()) {
            let lookup = |id: VariableId, _: bool| words[id].0.unwrap_or(words[id].1);
            let terms = &mut self.lowered.system.terms;
            let holds = Lowering::new(terms, &lookup, self.diagnostics).condition(holds)?;
            // What counts in this step has counted in those before it.
            let counting = contracts.iter().filter_map(|one| self.counting.get(&std::ptr::from_ref(*one)));
            let terms = &mut self.lowered.system.terms;
            let counts = terms.conjunction(counting.copied());
            found.push((terms.implies(counts, holds), contracts));
        }
        Ok(found)
    }
    /// Whether a contract's assumption holds in a step of its kind.
    fn triggered(&mut self, contract: &Contract, is_first: bool) -> Parsed<TermId> {
        let mut moment = self.moment(is_first);
        if let Some(&counts) = self.counting.get(&std::ptr::from_ref(contract)) {
            moment = self.lowered.system.terms.and(moment, counts);
        }
        let Some(assumption) = &contract.assumption else { return Ok(moment) };
        let holds = self.truth(assumption)?;
        Ok(self.lowered.system.terms.and(moment, holds))
    }
    fn moment(&mut self, is_first: bool) -> TermId {
        if is_first { self.lowered.system.terms.not(self.started) } else { self.started }
    }
    /// Whether a contract is kept. What is undefined does not hold: an undefined assumption
    /// triggers nothing, an undefined guarantee is not kept.
    fn kept(&mut self, contract: &Contract, is_first: bool) -> Parsed<TermId> {
        let triggered = self.triggered(contract, is_first)?;
        let guarantee = self.truth(&contract.guarantee)?;
        Ok(self.lowered.system.terms.implies(triggered, guarantee))
    }
    fn contracts(&mut self) -> Parsed<()> {
        let interface = self.interface;
        for (index, requirement) in interface.requirements.iter().enumerate() {
            if self.apart.contains(&index) {
                continue;
            }
            for is_first in [true, false] {
                for (number, contract) in requirement.contracts(is_first).iter().enumerate() {
                    let kept = self.kept(contract, is_first)?;
                    let origin = self.origin(contract.extent);
                    let kind = if is_first { "initially" } else { "later" };
                    let text = format!("{} ({kind}, contract {})", requirement.name, number + 1);
                    self.assume(kept, origin, text);
                }
            }
        }
        Ok(())
    }
    fn environment(&mut self) -> Parsed<()> {
        let interface = self.interface;
        for (number, restriction) in interface.environment.iter().enumerate() {
            let holds = self.truth(&restriction.condition)?;
            let first = self.moment(true);
            let terms = &mut self.lowered.system.terms;
            let condition = if restriction.needs_before { terms.or(first, holds) } else { holds };
            self.assume(condition, None, format!("environment (condition {})", number + 1));
        }
        Ok(())
    }
    fn lost(&mut self, lost: &[Lost]) {
        let mut somewhere = self.lowered.system.terms.truth(false);
        let positions = lost.iter().flat_map(|lost| lost.positions.iter().map(|one| (&lost.variables, one)));
        for (variables, position) in positions {
            let mut here = self.lowered.system.terms.truth(true);
            for (&id, value) in variables.iter().zip(position) {
                let Some(word) = self.interface.scope.variable(id).ty.encode(value) else { continue };
                let terms = &mut self.lowered.system.terms;
                let word = terms.constant(word);
                let is_equal = terms.equal(self.words[id].1, word);
                here = terms.and(here, is_equal);
            }
            somewhere = self.lowered.system.terms.or(somewhere, here);
        }
        let elsewhere = self.lowered.system.terms.not(somewhere);
        if lost.iter().any(|lost| !lost.positions.is_empty()) {
            self.assume(elsewhere, None, "no answer leads to a dead end".to_owned());
        }
    }

    fn goals(&mut self, wishes: &Wishes<'_>) -> Parsed<()> {
        for goal in wishes.goals {
            let met = match &goal.what {
                What::Purpose(purpose) => {
                    let holds = self.truth(&purpose.body)?;
                    let terms = &mut self.lowered.system.terms;
                    if purpose.needs_before { terms.and(self.started, holds) } else { holds }
                }
                What::Trigger(_) | What::Branch(_) => self.any_case(goal)?,
                What::Deciding(deciding) => self.decides(deciding, &goal.name, wishes.keeps_wording)?,
            };
            let origin = self.origin(goal.extent());
            let text = match &goal.what {
                What::Purpose(purpose) => &purpose.text,
                What::Trigger(requirement) => &requirement.text,
                What::Branch(branch) => &branch.requirement.text,
                What::Deciding(deciding) => &deciding.requirement.text,
            };
            self.lowered.system.goals.push(Goal {
                name: goal.name.clone(),
                requirement: goal.requirement().map(|requirement| requirement.name.clone()),
                text: text.clone(),
                origin,
                steps: 1,
                antecedent: met,
                expectation: None,
            });
        }
        Ok(())
    }
    /// Whether one of the contracts of a goal is triggered, and what is to hold beside its
    /// assumption does.
    fn any_case(&mut self, goal: &Wanted<'_>) -> Parsed<TermId> {
        let mut any = self.lowered.system.terms.truth(false);
        for is_first in [true, false] {
            for (contract, beside) in goal.cases(is_first) {
                let mut case = self.triggered(contract, is_first)?;
                if let Some(beside) = beside {
                    let holds = self.truth(beside)?;
                    case = self.lowered.system.terms.and(case, holds);
                }
                any = self.lowered.system.terms.or(any, case);
            }
        }
        Ok(any)
    }
    /// Some assumption that is written holds in each step.
    fn no_idle(&mut self) -> Parsed<()> {
        let interface = self.interface;
        let mut any = self.lowered.system.terms.truth(false);
        for requirement in &interface.requirements {
            for is_first in [true, false] {
                for contract in requirement.contracts(is_first) {
                    if contract.assumption.is_some() {
                        let triggered = self.triggered(contract, is_first)?;
                        any = self.lowered.system.terms.or(any, triggered);
                    }
                }
            }
        }
        // Step 0 may lack initial contracts with assumptions; it cannot be left out.
        let first = self.moment(true);
        let condition = self.lowered.system.terms.or(first, any);
        self.assume(condition, None, "some written assumption holds".to_owned());
        Ok(())
    }
}

/// Something that holds of remembered variables after every step in which some contracts count.
struct Invariant<'e> {
    holds: &'e Expr,
    contracts: Vec<&'e Contract>,
}

/// What is guaranteed of remembered variables after every step: conjuncts that are required without
/// an assumption from step 1 on, and also in step 0, or hold for the values that it gives.
fn invariants<'e>(
    interface: &'e Interface,
    is_remembered: &dyn Fn(VariableId) -> bool,
) -> Vec<Invariant<'e>> {
    let unconditional = |is_first: bool| {
        let contracts = interface.requirements.iter().flat_map(move |one| one.contracts(is_first));
        let free = contracts.filter(|contract| contract.assumption.is_none());
        free.flat_map(|contract| contract.guarantee.conjuncts().into_iter().map(move |one| (contract, one)))
    };
    let initial: Vec<(&Contract, &Expr)> = unconditional(true).collect();
    let given = all_equations(&interface.requirements);
    let start = |id: VariableId| {
        let equations = given.get(&id).into_iter().flatten();
        let mut first = equations.filter(|one| one.is_first && one.contract.assumption.is_none());
        first.find_map(|one| {
            let value = match one.value {
                None => Some(Value::Bool(one.is_positive)),
                Some(value) if value.reads().is_empty() => evaluate(value, &|_, _| Value::Bool(false)),
                Some(_) => None,
            };
            Some((value?, one.contract))
        })
    };
    // The contracts of step 0 because of which a guarantee holds there.
    let first = |guarantee: &Expr| -> Option<Vec<&Contract>> {
        if let Some((contract, _)) = initial.iter().find(|(_, required)| *required == guarantee) {
            return Some(vec![contract]);
        }
        let reads = guarantee.reads();
        let values: Option<Vec<(VariableId, (Value, &Contract))>> =
            reads.iter().map(|read| Some((read.variable, start(read.variable)?))).collect();
        let values = values?;
        let value = |id: VariableId| values.iter().find(|(known, _)| *known == id);
        let is_kept = holds(guarantee, &|id, _| match value(id) {
            Some((_, (value, _))) => value.clone(),
            None => panic!("a value that is read should be known"),
        });
        is_kept.then(|| values.iter().map(|(_, (_, contract))| *contract).collect())
    };
    let later = unconditional(false).filter(|(_, guarantee)| {
        guarantee.reads().iter().all(|read| read.primed && is_remembered(read.variable))
    });
    let invariant = |(contract, holds): (&'e Contract, &'e Expr)| {
        let mut contracts = first(holds)?;
        contracts.push(contract);
        Some(Invariant { holds, contracts })
    };
    later.filter_map(invariant).collect()
}

/// `x' = e`, `x'` or `not x'` as part of a guarantee.
#[derive(Clone, Copy)]
pub(crate) struct Equation<'e> {
    /// The contract that requires it.
    pub(crate) contract: &'e Contract,
    /// Whether it holds in step 0, or in later steps.
    pub(crate) is_first: bool,
    /// The value; none for a truth.
    pub(crate) value: Option<&'e Expr>,
    /// The truth that is required where there is no value.
    pub(crate) is_positive: bool,
}

/// The equations for a variable.
pub(crate) fn equations(interface: &Interface, variable: VariableId) -> Vec<Equation<'_>> {
    all_equations(&interface.requirements).remove(&variable).unwrap_or_default()
}

/// The equations that some requirements require, by their variables: those on step 0 first.
fn all_equations<'e>(
    requirements: impl IntoIterator<Item = &'e Requirement>,
) -> FxHashMap<VariableId, Vec<Equation<'e>>> {
    let mut later = FxHashMap::default();
    let mut found: FxHashMap<VariableId, Vec<Equation<'e>>> = FxHashMap::default();
    for requirement in requirements {
        for (is_first, into) in [(true, &mut found), (false, &mut later)] {
            for contract in requirement.contracts(is_first) {
                for part in contract.guarantee.conjuncts() {
                    equations_in(part, contract, is_first, into);
                }
            }
        }
    }
    for (variable, equations) in later {
        found.entry(variable).or_default().extend(equations);
    }
    found
}

/// Adds the equations that a conjunct of a guarantee is: two, where both sides are variables.
fn equations_in<'e>(
    part: &'e Expr,
    contract: &'e Contract,
    is_first: bool,
    into: &mut FxHashMap<VariableId, Vec<Equation<'e>>>,
) {
    let now = |expr: &Expr| match expr.kind() {
        Kind::Variable { variable, primed: true } => Some(*variable),
        _ => None,
    };
    let mut add = |variable: Option<VariableId>, value, is_positive| {
        if let Some(variable) = variable {
            let equation = Equation { contract, is_first, value, is_positive };
            into.entry(variable).or_default().push(equation);
        }
    };
    match part.kind() {
        Kind::Variable { .. } => add(now(part), None, true),
        Kind::Unary { op: Unary::Not, arg } => add(now(arg), None, false),
        Kind::Binary { op: Binary::Equal, lhs, rhs } => {
            add(now(lhs), Some(&**rhs), true);
            if now(lhs) != now(rhs) {
                add(now(rhs), Some(&**lhs), true);
            }
        }
        _ => {}
    }
}

impl Lowered {
    /// The inputs of each step of the system for the values of all variables; the interpreter finds
    /// the other answers of deciding steps. None where a value has no word.
    ///
    /// # Errors
    /// There are too many other answers to try.
    pub(crate) fn encode(
        &self,
        interface: &Interface,
        steps: &[Valuation],
        effort: &mut Effort,
    ) -> Result<Option<Vec<Vec<model::value::Value>>>, Undecided> {
        let semantics = Semantics::whole(interface);
        let mut before = None;
        let mut found = Vec::with_capacity(steps.len());
        for now in steps {
            // Inputs stand in the order of the variables.
            let mut words: Vec<_> = self.inputs.iter().map(|(id, _)| encoded(interface, id, now)).collect();
            let inputs = inputs_of(interface, now);
            for other in &self.other_answers {
                let step = Step { before: before.as_ref(), known: &inputs };
                words.extend(other.encode(&semantics, step, effort)?);
            }
            let Some(words) = words.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
            found.push(words);
            let is_known = semantics.remembered.iter().all(|id| now[id_index(*id)].is_some());
            before = (is_known && !self.other_answers.is_empty()).then(|| semantics.position(now));
        }
        Ok(Some(found))
    }
    /// The values of all variables in a step that was executed: its inputs, and what it leaves
    /// behind.
    pub(crate) fn decode(
        &self,
        interface: &Interface,
        inputs: &[model::value::Value],
        outputs: &[model::value::Value],
    ) -> Valuation {
        let mut outputs = outputs.iter();
        let value = |(id, input): (VariableId, &InputId)| {
            let word = match interface.roles[id] {
                Role::Input => Some(&inputs[input.index()]),
                Role::Output | Role::Hidden => outputs.next(),
            };
            interface.scope.variable(id).ty.decode(*word?)
        };
        self.inputs.iter().map(value).collect()
    }
}

/// The word of the value of a variable; where it is unknown, of the first value of its type.
fn encoded(interface: &Interface, id: VariableId, now: &Valuation) -> Option<model::value::Value> {
    let ty = &interface.scope.variable(id).ty;
    match &now[id_index(id)] {
        Some(value) => ty.encode(value),
        None => ty.values()?.next().and_then(|value| ty.encode(&value)),
    }
}
