//! From terms to the program of a step: bits, labels of goals, the inputs that are told apart.

use super::{Alphabet, BitOf, Step, Unsuited, columns};
use crate::knowledge::task::Task;
use crate::knowledge::vertex::{ByVertex, Vertex, by_vertex};
use crate::session::Session;
use crate::step::bits::classes::Classes;
use crate::step::bits::input_classes::Outcomes;
use crate::step::labels::{Labels, place};
use encoder::EncodeError;
use encoder::aig::{Aig, Literal, Node};
use encoder::bits::BitBuilder;
use encoder::blast::{Blaster, Words};
use model::id::Id;
use model::system::{InputId, StateId, TransitionSystem};
use model::term::{SymbolId, TermId};
use model::validate::{Meaning, Validated};
use model::value::Value;
use model::visit::support;
use rustc_hash::{FxHashMap, FxHashSet};

/// Conjunctions of one step at most: a larger one would be computed in few states only.
pub(crate) const MOST_CONJUNCTIONS: usize = 1_500_000;
/// Most nodes of a step of which copies are compared, with every state left open.
const MOST_COMPARED: usize = 20_000;

/// A step under compilation.
pub(super) struct Compiler<'s> {
    system: &'s Validated,
    aig: Aig,
    blaster: Blaster<'s>,
    /// Words of the state and input symbols, by symbol.
    before: FxHashMap<SymbolId, Vec<Literal>>,
    /// Number of each graph input: which bit it is.
    state_bits: Vec<BitOf<StateId>>,
    input_bits: Vec<Option<BitOf<InputId>>>,
    kept: Vec<bool>,
    words: Words<Literal>,
}

impl<'s> Compiler<'s> {
    pub(super) fn new(system: &'s Validated, kept: &dyn Fn(StateId) -> bool) -> Self {
        let mut compiler = Self {
            system,
            kept: system.states.ids().map(kept).collect(),
            aig: Aig::new(),
            blaster: Blaster::new(&system.terms),
            before: FxHashMap::default(),
            state_bits: Vec::new(),
            input_bits: Vec::new(),
            words: Words::default(),
        };
        for kept in [true, false] {
            for (id, state) in system.states.iter().filter(|(id, _)| compiler.kept[id.index()] == kept) {
                let width = system.terms.symbol(state.symbol).sort.width();
                let word = (0..width).map(|_| compiler.aig.input()).collect();
                match kept {
                    true => compiler.state_bits.extend((0..width).map(|bit| BitOf { word: id, bit })),
                    false => compiler.input_bits.extend((0..width).map(|_| None)),
                }
                compiler.before.insert(state.symbol, word);
            }
        }
        for (id, input) in system.inputs.iter() {
            let width = system.terms.symbol(input.symbol).sort.width();
            let word = (0..width).map(|_| compiler.aig.input()).collect();
            compiler.input_bits.extend((0..width).map(|bit| Some(BitOf { word: id, bit })));
            compiler.before.insert(input.symbol, word);
        }
        compiler
    }

    pub(super) fn compile(
        mut self,
        task: &Task<'_>,
        alphabet: Alphabet<'_>,
        session: &Session<'_>,
    ) -> Result<Step, Unsuited> {
        self.blaster.bound(session.bounds(MOST_CONJUNCTIONS));
        let system = self.system;
        let mut kept_next = Vec::new();
        let mut after: FxHashMap<SymbolId, Vec<Literal>> = FxHashMap::default();
        let read_later = self.read_later(task);
        for (id, state) in system.states.iter() {
            let is_kept = self.kept[id.index()];
            if !is_kept && !read_later.contains(&id) {
                continue;
            }
            let word = self.word_before(state.next)?;
            if is_kept {
                kept_next.extend(word.iter().copied());
            }
            after.insert(state.symbol, word);
        }
        let mut allowed = Literal::TRUE;
        let mut assumptions = Vec::new();
        for assumption in &system.assumptions {
            for conjunct in system.terms.conjuncts(assumption.condition) {
                let holds = self.word_before(conjunct)?[0];
                assumptions.push(holds);
                allowed = self.aig.and(allowed, holds);
            }
        }
        let end = self.end()?;
        let (mut labels, mut first_label) = (Vec::new(), by_vertex(task.len(), |_| 0));
        for vertex in task.vertices() {
            first_label[vertex] = labels.len();
            labels.extend(self.labels(task, vertex, &after)?);
        }
        let outputs: Vec<Literal> = kept_next.iter().chain(&labels).copied().chain([allowed, end]).collect();
        let cone = self.aig.cone(outputs.iter().copied());
        let states = self.state_bits.len();
        let used: Vec<usize> = cone
            .iter()
            .filter_map(|&node| match self.aig.node(node) {
                Node::Input(number) => (number as usize).checked_sub(states),
                _ => None,
            })
            .collect();
        let used_inputs: Vec<Literal> =
            used.iter().map(|&number| self.aig.input_literal(states + number)).collect();
        let on_inputs = assumptions.into_iter().filter(|&holds| self.is_over_inputs(holds)).collect();
        let classes = match alphabet {
            Alphabet::Among(inputs) => inputs.iter().map(|inputs| self.input(inputs, &used)).collect(),
            Alphabet::Classes { most, outcomes, reached_from } => {
                let border = self.border(&cone, &outputs);
                let inputs = &used_inputs;
                let question = Classes { aig: &self.aig, border: &border, assumptions: on_inputs, inputs };
                let mut classes = question.representatives(most, session)?;
                if classes.is_none() && outcomes {
                    let yields = &outputs[..kept_next.len() + labels.len()];
                    let question = Outcomes { aig: &self.aig, cone: &cone, yields, allowed, inputs };
                    let is_wide = cone.len() > MOST_COMPARED;
                    if !is_wide || reached_from.is_none() {
                        let sample = task.sample(session).iter();
                        let states: Vec<Vec<bool>> = sample.map(|state| self.bits(state)).collect();
                        classes = question.representatives(most, &states, session)?;
                    }
                    if let (None, Some(initial)) = (&classes, reached_from) {
                        let initial: Vec<_> = initial.iter().map(|start| self.bits(&start.state)).collect();
                        classes = question.of_reached(&initial, kept_next.len(), session)?;
                    }
                }
                classes.ok_or(Unsuited::Inputs)?
            }
        };
        Ok(self.assemble(
            Outputs { next: kept_next, allowed, labels, end },
            &cone,
            &used,
            classes,
            first_label,
        ))
    }

    /// The kept bits of a state.
    fn bits(&self, state: &[Value]) -> Vec<bool> {
        let bit = |place: &BitOf<StateId>| state[place.word.index()].bits() >> place.bit & 1 == 1;
        self.state_bits.iter().map(bit).collect()
    }

    /// The bits of these inputs that are used.
    fn input(&self, inputs: &[Value], used: &[usize]) -> Vec<bool> {
        let bit = |&number: &usize| match &self.input_bits[number] {
            Some(place) => inputs[place.word.index()].bits() >> place.bit & 1 == 1,
            None => false,
        };
        used.iter().map(bit).collect()
    }

    /// Where a chain may end, as far as the kept words tell.
    fn end(&mut self) -> Result<Literal, Unsuited> {
        let mut end = Literal::TRUE;
        let conjuncts = self.system.end.map(|end| self.system.terms.conjuncts(end)).unwrap_or_default();
        for conjunct in conjuncts {
            let holds = self.word_before(conjunct)?[0];
            let kept = self.state_bits.len();
            let is_free =
                |&node: &usize| matches!(self.aig.node(node), Node::Input(number) if number as usize >= kept);
            if !self.aig.cone([holds]).iter().any(is_free) {
                end = self.aig.and(end, holds);
            }
        }
        Ok(end)
    }

    /// The nodes that depend on inputs alone and are used together with states, or are outputs
    /// themselves.
    fn border(&self, cone: &[usize], outputs: &[Literal]) -> Vec<Literal> {
        let states = self.state_bits.len();
        let mut sees_state = vec![false; self.aig.len()];
        let mut sees_input = vec![false; self.aig.len()];
        let mut border = vec![None; self.aig.len()];
        for &node in cone {
            match self.aig.node(node) {
                Node::Input(number) => {
                    sees_state[node] = (number as usize) < states;
                    sees_input[node] = !sees_state[node];
                }
                Node::And(lhs, rhs) => {
                    let operands = [lhs, rhs];
                    sees_state[node] = operands.iter().any(|operand| sees_state[operand.node()]);
                    sees_input[node] = operands.iter().any(|operand| sees_input[operand.node()]);
                    for operand in operands {
                        if sees_state[node] && sees_input[operand.node()] && !sees_state[operand.node()] {
                            border[operand.node()] = Some(operand);
                        }
                    }
                }
                Node::False => {}
            }
        }
        for &output in outputs {
            if sees_input[output.node()] && !sees_state[output.node()] {
                border[output.node()] = Some(output);
            }
        }
        cone.iter().filter_map(|&node| border[node]).collect()
    }

    fn is_over_inputs(&self, literal: Literal) -> bool {
        let states = self.state_bits.len();
        let is_state =
            |&node: &usize| matches!(self.aig.node(node), Node::Input(number) if (number as usize) < states);
        !self.aig.cone([literal]).iter().any(is_state)
    }

    /// The state words that goals look at behind a step.
    fn read_later(&self, task: &Task<'_>) -> FxHashSet<StateId> {
        let antecedents: Vec<TermId> = task.vertices().map(|vertex| task.target(vertex).antecedent).collect();
        let later = |symbol: SymbolId| match place(self.system, symbol) {
            (Meaning::State(state), at) if at > 0 => Some(state),
            _ => None,
        };
        support(&self.system.terms, &antecedents).into_iter().filter_map(later).collect()
    }

    fn word_before(&mut self, term: TermId) -> Result<Vec<Literal>, Unsuited> {
        let Self { aig, blaster, before, words, system, .. } = self;
        blaster.blast(term, words, aig, &mut |_: &mut Aig, symbol| bound(before, system, symbol))?;
        Ok(blaster.known(term, words).expect("a blasted term should be known").to_vec())
    }

    /// The labels of a goal, as far as the kept words decide them.
    fn labels(
        &mut self,
        task: &Task<'_>,
        vertex: Vertex,
        after: &FxHashMap<SymbolId, Vec<Literal>>,
    ) -> Result<Vec<Literal>, Unsuited> {
        let target = task.target(vertex);
        let Labels { conjuncts, are_partial } = Labels::of(self.system, target);
        if are_partial {
            return Err(Unsuited::Goal(self.system.goals[target.goal].name.clone()));
        }
        let mut labels = Vec::with_capacity(conjuncts.len());
        for (transition, conjuncts) in (0..).zip(conjuncts) {
            let mut label = Literal::TRUE;
            for conjunct in conjuncts {
                let holds = self.conjunct(conjunct, transition, after)?;
                if !self.is_undetermined(holds) {
                    label = self.aig.and(label, holds);
                }
            }
            labels.push(label);
        }
        Ok(labels)
    }

    /// Whether it depends on words that are not kept and on no kept one: in a projection it holds
    /// or not, at will.
    fn is_undetermined(&self, literal: Literal) -> bool {
        let states = self.state_bits.len();
        let inputs: Vec<usize> = self
            .aig
            .cone([literal])
            .into_iter()
            .filter_map(|node| match self.aig.node(node) {
                Node::Input(number) => Some(number as usize),
                _ => None,
            })
            .collect();
        let is_lost = |&number: &usize| number >= states && self.input_bits[number - states].is_none();
        inputs.iter().any(is_lost) && inputs.iter().all(|&number| number >= states)
    }

    fn conjunct(
        &mut self,
        term: TermId,
        offset: u32,
        after: &FxHashMap<SymbolId, Vec<Literal>>,
    ) -> Result<Literal, EncodeError> {
        let Self { aig, blaster, before, system, .. } = self;
        let mut words = Words::default();
        blaster.blast(term, &mut words, aig, &mut |_: &mut Aig, symbol| match place(system, symbol) {
            (Meaning::State(state), at) if at == offset + 1 => {
                bound(after, system, system.states[state].symbol)
            }
            (Meaning::State(state), _) => bound(before, system, system.states[state].symbol),
            (Meaning::Input(input), _) => bound(before, system, system.inputs[input].symbol),
            _ => bound(before, system, symbol),
        })?;
        Ok(blaster.known(term, &words).expect("a blasted term should be known")[0])
    }

    /// Registers for all that the outputs depend on.
    fn assemble(
        self,
        outputs: Outputs,
        cone: &[usize],
        used: &[usize],
        classes: Vec<Vec<bool>>,
        first_label: ByVertex<usize>,
    ) -> Step {
        let states = self.state_bits.len();
        let mut register = vec![0u32; self.aig.len()];
        for number in 0..states {
            register[self.aig.input_literal(number).node()] = 1 + number as u32;
        }
        for (position, &number) in used.iter().enumerate() {
            register[self.aig.input_literal(states + number).node()] = (1 + states + position) as u32;
        }
        let mut conjunctions = Vec::new();
        for &node in cone {
            if let Node::And(lhs, rhs) = self.aig.node(node) {
                register[node] = (1 + states + used.len() + conjunctions.len()) as u32;
                conjunctions.push([operand(&register, lhs), operand(&register, rhs)]);
            }
        }
        let operands = |literals: Vec<Literal>| {
            literals.into_iter().map(|literal| operand(&register, literal)).collect()
        };
        let system = self.system;
        Step {
            next: operands(outputs.next),
            labels: operands(outputs.labels),
            allowed: operand(&register, outputs.allowed),
            end: operand(&register, outputs.end),
            conjunctions,
            columns: columns(&classes, used.len()),
            classes,
            first_label,
            input_bits: used.iter().map(|&number| self.input_bits[number]).collect(),
            state_bits: self.state_bits,
            state_sorts: system.states.values().map(|state| system.terms.symbol(state.symbol).sort).collect(),
            input_sorts: system.inputs.values().map(|input| system.terms.symbol(input.symbol).sort).collect(),
        }
    }
}
/// What a step yields, as literals of the graph.
struct Outputs {
    next: Vec<Literal>,
    allowed: Literal,
    labels: Vec<Literal>,
    end: Literal,
}

fn operand(register: &[u32], literal: Literal) -> u32 {
    match literal.constant() {
        Some(value) => u32::from(value),
        None => register[literal.node()] << 1 | u32::from(literal.is_complemented()),
    }
}

fn bound(
    words: &FxHashMap<SymbolId, Vec<Literal>>,
    system: &TransitionSystem,
    symbol: SymbolId,
) -> Result<Vec<Literal>, EncodeError> {
    let unbound = || EncodeError::UnboundSymbol {
        name: system.terms.symbol(symbol).name.clone(),
        place: "a transition",
    };
    words.get(&symbol).cloned().ok_or_else(unbound)
}
