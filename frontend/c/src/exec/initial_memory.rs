//! What memory holds where the current execution has not written it yet.
//!
//! Before initialisation that is what the initialisers say. At the start of a step it depends on
//! the role of the cell: cells that no step writes keep what initialisation left in them, inputs
//! hold what the environment chose, and all others hold an unknown state. Symbols are made when
//! they are first needed, so a cell that is never read before it is written never becomes state.

use super::Machine;
use super::layout::{Kind, Scalar};
use super::object::{ObjectId, Origin};
use super::path_feasibility::PathFeasibility;
use super::range::Ranges;
use super::state::{Memory, State};
use super::transcendental::TranscendentalCall;
use crate::ir::FunctionId;
use crate::ir::types::TypeId;
use frontend::source::Span;
use model::system::{InputId, InputRole, StateId};
use model::term::{SymbolId, Term, TermId};
use model::value::Value;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Which part of an execution is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Initialisation.
    Init,
    /// The step that is `frame` steps behind the first one of a window (0: the step itself).
    Step {
        /// The frame.
        frame: u32,
    },
    /// Behind that step and before the environment writes the next inputs.
    Behind {
        /// The frame.
        frame: u32,
    },
}

/// Who says what a cell holds at the start of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// No step writes it.
    Constant,
    /// Steps write it.
    State,
    /// The environment writes it before each step.
    Input,
}

/// A cell whose value an earlier step or the environment chose.
#[derive(Clone, Copy, Debug)]
enum Known {
    State(StateId),
    Input(InputId),
}

/// An input, as it came about.
#[derive(Clone, Debug)]
pub(crate) struct InputOrigin {
    /// The input.
    pub(crate) input: InputId,
    /// The cell it is written to; `None` for results of calls and further reads.
    pub(crate) cell: Option<usize>,
    /// The volatile cell that it is a further read of.
    pub(crate) read_again: Option<usize>,
    /// How C code reaches it.
    pub(crate) lvalue: String,
    /// Its type.
    pub(crate) ty: TypeId,
    /// Bits of its value.
    pub(crate) bits: u32,
    /// Why it is an input.
    pub(crate) reason: String,
}

/// Where a value goes that a call takes from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Slot {
    /// The result.
    Result,
    /// What a pointer parameter points to.
    Parameter(usize),
}

/// A scalar that a call takes from outside.
#[derive(Clone, Debug)]
pub(crate) struct CallPart {
    /// Where it goes.
    pub(crate) slot: Slot,
    /// First bit there.
    pub(crate) bit: u64,
    /// The scalar.
    pub(crate) scalar: Scalar,
    /// Its value.
    pub(crate) symbol: SymbolId,
}

/// A call of a function that no file defines, in the order of execution.
#[derive(Clone, Debug)]
pub(crate) struct OutsideCall {
    /// The function.
    pub(crate) function: FunctionId,
    /// Whether it happens in initialisation.
    pub(crate) is_initial: bool,
    /// The truth that it happens.
    pub(crate) path: TermId,
    /// What comes from outside.
    pub(crate) parts: Vec<CallPart>,
}

/// A read of a volatile input by the code of a step.
#[derive(Clone, Debug)]
pub(crate) struct VolatileRead {
    /// The number of the statement executed, and the expression in it.
    pub(super) site: (u64, usize),
    /// The truth that it happens.
    pub(crate) path: TermId,
    /// The input that it gives.
    pub(crate) input: InputId,
}

/// A read of a volatile input by initialisation.
#[derive(Clone, Debug)]
pub(crate) struct StartRead {
    /// The cell.
    pub(crate) cell: usize,
    /// The number of the statement executed, and the expression in it.
    pub(super) site: (u64, usize),
    /// The truth that it happens.
    pub(crate) path: TermId,
    /// What it gives: an initial input.
    pub(crate) value: TermId,
}

/// All memory that outlives a step.
#[derive(Clone)]
pub(crate) struct InitialMemory {
    /// What is running.
    pub(crate) phase: Phase,
    /// Initial values that are not zero.
    pub(crate) initial: FxHashMap<usize, TermId>,
    /// Cells whose initial value does not come from an initialiser of the program.
    pub(crate) overrides: BTreeSet<usize>,
    /// What initialisation left.
    pub(crate) start: Memory,
    /// What a step leaves, over the state and inputs before it.
    pub(crate) left: Memory,
    /// Roles; cells without one are constants.
    pub(crate) roles: FxHashMap<usize, Role>,
    /// State cells for which there is a state word, in the order in which these were made.
    pub(crate) states: Vec<(usize, StateId)>,
    /// Inputs in the order in which they were made.
    pub(crate) inputs: Vec<InputOrigin>,
    /// Calls of functions that no file defines.
    pub(crate) calls: Vec<OutsideCall>,
    /// Calls of functions of math.h that are not defined exactly.
    pub(crate) transcendental: Vec<TranscendentalCall>,
    /// What is known of their results.
    pub(crate) transcendental_facts: Vec<(TermId, Span)>,
    /// Values of state cells, where few are possible.
    pub(crate) values: FxHashMap<usize, Rc<[u128]>>,
    /// State words that are no cells: the word, its initial value and its value after a step.
    pub(crate) extras: Vec<(StateId, TermId, TermId)>,
    /// State words that keep the value of a term from the step before.
    pub(crate) history: Vec<(TermId, StateId)>,
    /// The state word that tells whether no step was taken yet.
    pub(crate) first_step: Option<StateId>,
    symbols: FxHashMap<usize, Known>,
    /// Whether state is read as somebody sees it who looks between steps, through symbols of its
    /// own.
    pub(crate) is_observing: bool,
    /// Cells that somebody measures who looks between steps: the outputs.
    pub(crate) measured: BTreeSet<usize>,
    /// These symbols, by cell.
    pub(crate) observed: BTreeMap<usize, SymbolId>,
    /// Cells that the code of a step read before writing them.
    pub(crate) read_first: BTreeSet<usize>,
    /// Whether such reads are noted.
    pub(crate) notes_reads: bool,
    /// What the code of a step reads of volatile inputs, by cell.
    pub(crate) volatile_reads: BTreeMap<usize, Vec<VolatileRead>>,
    /// What initialisation reads of them.
    pub(crate) start_reads: Vec<StartRead>,
    /// Volatile cells that initialisation reads before anything writes them.
    pub(crate) read_at_start: BTreeSet<usize>,
    /// The expression that reads now.
    pub(super) reader: usize,
    /// Cells that outlive a step but held nothing when initialisation ended, and are read as zero.
    pub(crate) indeterminate: BTreeSet<usize>,
}

impl InitialMemory {
    /// Nothing but zeros, before initialisation.
    pub(crate) fn new() -> Self {
        Self {
            phase: Phase::Init,
            initial: FxHashMap::default(),
            overrides: BTreeSet::new(),
            start: Memory::default(),
            left: Memory::default(),
            roles: FxHashMap::default(),
            states: Vec::new(),
            inputs: Vec::new(),
            calls: Vec::new(),
            transcendental: Vec::new(),
            transcendental_facts: Vec::new(),
            values: FxHashMap::default(),
            extras: Vec::new(),
            history: Vec::new(),
            first_step: None,
            symbols: FxHashMap::default(),
            is_observing: false,
            measured: BTreeSet::new(),
            observed: BTreeMap::new(),
            read_first: BTreeSet::new(),
            notes_reads: false,
            volatile_reads: BTreeMap::new(),
            start_reads: Vec::new(),
            read_at_start: BTreeSet::new(),
            reader: 0,
            indeterminate: BTreeSet::new(),
        }
    }
    /// Whether there is a state word for a cell.
    pub(crate) fn has_state(&self, cell: usize) -> bool {
        matches!(self.symbols.get(&cell), Some(Known::State(_)))
    }
    /// The role of a cell.
    pub(crate) fn role(&self, cell: usize) -> Role {
        self.roles.get(&cell).copied().unwrap_or(Role::Constant)
    }
}

impl Machine<'_> {
    /// What a cell holds that was not written; `None`: it is indeterminate.
    pub(crate) fn world_value(&mut self, cell: usize) -> Option<TermId> {
        let (object, _) = self.objects.owner(cell);
        let description = self.objects.get(object);
        if matches!(description.origin, Origin::Outside(..)) {
            return self.outside_value(cell);
        }
        if !description.is_persistent {
            return None;
        }
        match (self.initial_memory.phase, self.initial_memory.role(cell)) {
            (Phase::Init, _) => self.initial_value(cell),
            (Phase::Step { frame }, role) if self.is_seen_between_steps(cell, role) => {
                Some(self.observed_value(cell, frame))
            }
            (Phase::Behind { frame }, role) if self.is_seen_between_steps(cell, role) => {
                Some(self.observed_value(cell, frame + 1))
            }
            (_, Role::Constant) => Some(self.start_value(cell)),
            (Phase::Step { frame }, Role::State) if frame > 0 => Some(self.state_behind(cell, frame - 1)),
            (Phase::Step { frame }, _) => {
                let symbol = self.cell_symbol(cell);
                Some(self.system.terms.framed(symbol, frame))
            }
            (Phase::Behind { frame }, Role::State) => Some(self.state_behind(cell, frame)),
            (Phase::Behind { frame }, Role::Input) => {
                let left = match self.initial_memory.left.values.get(cell) {
                    Some(left) => left,
                    None => {
                        let symbol = self.cell_symbol(cell);
                        self.system.terms.symbol_term(symbol)
                    }
                };
                Some(self.shift(left, frame))
            }
        }
    }

    /// Whether a cell is read as somebody sees it between steps: state, and what is measured, also
    /// where the model never changes it.
    fn is_seen_between_steps(&self, cell: usize, role: Role) -> bool {
        let memory = &self.initial_memory;
        memory.is_observing
            && (role == Role::State || role == Role::Constant && memory.measured.contains(&cell))
    }

    /// What a cell holds before the step of a frame, as it is seen between steps.
    fn observed_value(&mut self, cell: usize, frame: u32) -> TermId {
        let symbol = match self.initial_memory.observed.get(&cell) {
            Some(&symbol) => symbol,
            None => {
                let (name, sort) = (self.cell_name(cell), self.objects.cell(cell).scalar.sort());
                let symbol = self.system.terms.fresh_symbol(&format!("(observed) {name}"), sort);
                self.initial_memory.observed.insert(cell, symbol);
                symbol
            }
        };
        self.system.terms.framed(symbol, frame)
    }

    /// What the step of a frame leaves in a state cell: the state word in the next frame where
    /// there is one, else what the step computes.
    fn state_behind(&mut self, cell: usize, frame: u32) -> TermId {
        match (self.initial_memory.symbols.get(&cell), self.initial_memory.left.values.get(cell)) {
            (None, Some(left)) => self.shift(left, frame),
            _ => {
                let symbol = self.cell_symbol(cell);
                self.system.terms.framed(symbol, frame + 1)
            }
        }
    }

    /// A term over state and inputs as it is `frame` steps later.
    pub(crate) fn shift(&mut self, term: TermId, frame: u32) -> TermId {
        if frame == 0 {
            return term;
        }
        self.substitute(term, |machine, symbol| {
            let is_free = machine.system.terms.symbol(symbol).framed.is_none();
            is_free.then(|| machine.system.terms.framed(symbol, frame))
        })
    }

    /// A term with other terms in place of symbols.
    pub(crate) fn substitute(
        &mut self,
        root: TermId,
        mut replacement: impl FnMut(&mut Self, SymbolId) -> Option<TermId>,
    ) -> TermId {
        let mut needed = BTreeSet::from([root]);
        let mut waiting = vec![root];
        while let Some(term) = waiting.pop() {
            let operands = self.system.terms.node(term).operands();
            waiting.extend(operands.filter(|&operand| needed.insert(operand)));
        }
        let mut replaced: FxHashMap<TermId, TermId> = FxHashMap::default();
        for term in needed {
            let node = self.system.terms.node(term);
            let new = match node {
                Term::Symbol(symbol) => replacement(self, symbol).unwrap_or(term),
                _ => self.rebuild(term, node, &replaced),
            };
            replaced.insert(term, new);
        }
        replaced[&root]
    }

    fn rebuild(&mut self, term: TermId, node: Term, replaced: &FxHashMap<TermId, TermId>) -> TermId {
        if node.operands().all(|operand| replaced[&operand] == operand) {
            return term;
        }
        self.system.terms.make(match node {
            Term::Symbol(_) | Term::Const(_) => return term,
            Term::Unary { op, arg } => Term::Unary { op, arg: replaced[&arg] },
            Term::Binary { op, lhs, rhs } => Term::Binary { op, lhs: replaced[&lhs], rhs: replaced[&rhs] },
            Term::Ite { condition, then, otherwise } => Term::Ite {
                condition: replaced[&condition],
                then: replaced[&then],
                otherwise: replaced[&otherwise],
            },
            Term::Extract { arg, high, low } => Term::Extract { arg: replaced[&arg], high, low },
            Term::Extend { arg, width, signed } => Term::Extend { arg: replaced[&arg], width, signed },
            Term::FloatFma { a, b, c } => {
                Term::FloatFma { a: replaced[&a], b: replaced[&b], c: replaced[&c] }
            }
        })
    }

    /// What a cell holds before initialisation; `None`: it is a variable of a driver's function.
    fn initial_value(&mut self, cell: usize) -> Option<TermId> {
        if let Some(&value) = self.initial_memory.initial.get(&cell) {
            return Some(value);
        }
        let (object, index) = self.objects.owner(cell);
        let object = self.objects.get(object);
        let sort = object.layout.cells[index].scalar.sort();
        (!matches!(object.origin, Origin::Local(..))).then(|| self.system.terms.constant(Value::zero(sort)))
    }

    /// What a cell holds after initialisation.
    pub(crate) fn start_value(&mut self, cell: usize) -> TermId {
        self.known_start_value(cell).unwrap_or_else(|| {
            self.initial_memory.indeterminate.insert(cell);
            let sort = self.objects.cell(cell).scalar.sort();
            self.system.terms.constant(Value::zero(sort))
        })
    }

    /// What a cell holds when initialisation has ended; `None`: nobody has given it a value.
    pub(crate) fn known_start_value(&mut self, cell: usize) -> Option<TermId> {
        self.initial_memory.start.values.get(cell).or_else(|| self.initial_value(cell))
    }

    /// The symbol of a cell that is state or input.
    pub(crate) fn cell_symbol(&mut self, cell: usize) -> SymbolId {
        match self.initial_memory.symbols.get(&cell) {
            Some(Known::State(state)) => return self.system.states[*state].symbol,
            Some(Known::Input(input)) => return self.system.inputs[*input].symbol,
            None => {}
        }
        let name = self.cell_name(cell);
        let scalar = self.objects.cell(cell).scalar;
        if self.initial_memory.role(cell) == Role::Input {
            self.cell_input(cell, &name)
        } else {
            let state = self.system.add_state(&name, scalar.sort());
            self.initial_memory.symbols.insert(cell, Known::State(state));
            self.initial_memory.states.push((cell, state));
            let symbol = self.system.states[state].symbol;
            self.know_values(cell, symbol);
            symbol
        }
    }

    /// Lets ranges and paths know the values of a state word.
    fn know_values(&mut self, cell: usize, symbol: SymbolId) {
        let Some(values) = self.initial_memory.values.get(&cell) else { return };
        let sort = self.objects.cell(cell).scalar.sort();
        let unsigned = values.iter().map(|&bits| bits as i128);
        let signed = values.iter().map(|&bits| Value::new(sort, bits).signed());
        if let (Some(low), Some(high)) = (unsigned.clone().min(), unsigned.max())
            && let (Some(least), Some(most)) = (signed.clone().min(), signed.max())
        {
            self.ranges.known.insert(symbol, ((low, high), (least, most)));
        }
        self.feasibility.values.insert(symbol, values.clone());
    }

    /// Forgets what is known of the values of state words. Conditions of goals are kept as they
    /// were written: that an antecedent cannot be reached is for the search to prove.
    pub(crate) fn forget_values(&mut self) {
        self.initial_memory.values.clear();
        self.ranges = Ranges::default();
        self.feasibility = PathFeasibility::default();
    }

    fn cell_input(&mut self, cell: usize, name: &str) -> SymbolId {
        let description = self.objects.cell(cell);
        let sort = description.scalar.sort();
        let input = self.system.add_input(name, sort, InputRole::Stimulus);
        self.initial_memory.symbols.insert(cell, Known::Input(input));
        self.initial_memory.inputs.push(InputOrigin {
            input,
            cell: Some(cell),
            read_again: None,
            lvalue: name.to_owned(),
            ty: description.ty,
            bits: description.scalar.extent,
            reason: String::new(),
        });
        self.system.inputs[input].symbol
    }

    /// How C code reaches a cell.
    pub(crate) fn cell_name(&self, cell: usize) -> String {
        let (object_id, index) = self.objects.owner(cell);
        let object = self.objects.get(object_id);
        let cell = object.layout.cells[index];
        let way = self.layouts.way(object.ty, cell.bit, cell.scalar.extent);
        self.lvalue_of(object_id, &way)
    }

    /// How C code reaches a part of an object: `way` leads there from the whole, as in
    /// `.member[2]`.
    pub(crate) fn lvalue_of(&self, object: ObjectId, way: &str) -> String {
        let object = self.objects.get(object);
        match (object.name.strip_suffix("->"), way.strip_prefix('.')) {
            (Some(_), Some(member)) => format!("{}{member}", object.name),
            (Some(pointer), None) if way.is_empty() => format!("*{pointer}"),
            (Some(pointer), None) => format!("(*{pointer}){way}"),
            (None, _) => format!("{}{way}", object.name),
        }
    }

    /// A value that nobody but the environment knows: an input of the step, or in initialisation an
    /// initial input.
    pub(crate) fn unknown(&mut self, name: &str, ty: TypeId, scalar: Scalar, reason: &str) -> SymbolId {
        let sort = scalar.sort();
        if let Some(property) = &mut self.property {
            let symbol = self.system.terms.fresh_symbol(&format!("{}::{name}", property.name), sort);
            property.unknowns.push(symbol);
            return symbol;
        }
        if self.initial_memory.phase == Phase::Init {
            let input = self.system.add_initial_input(name, sort, InputRole::Stimulus);
            return self.system.initial_inputs[input].symbol;
        }
        let input = self.system.add_input(name, sort, InputRole::Stimulus);
        let symbol = self.system.inputs[input].symbol;
        let lvalue = self.system.terms.symbol(symbol).name.clone();
        let (bits, reason) = (scalar.extent, reason.to_owned());
        self.initial_memory.inputs.push(InputOrigin {
            input,
            cell: None,
            read_again: None,
            lvalue,
            ty,
            bits,
            reason,
        });
        symbol
    }

    /// Notes that a function is called that no file defines.
    pub(super) fn note_outside_call(&mut self, state: &State, function: FunctionId) {
        let path = self.paths.conjunction(state.path);
        let is_initial = self.initial_memory.phase == Phase::Init;
        self.initial_memory.calls.push(OutsideCall { function, is_initial, path, parts: Vec::new() });
    }

    /// The numbers of the objects that a state word of pointer type may name.
    pub(crate) fn known_targets(&self, symbol: SymbolId) -> Option<&BTreeSet<u64>> {
        let base = self.system.terms.symbol(symbol).framed.map_or(symbol, |framed| framed.base);
        let cell =
            self.initial_memory.states.iter().find(|(_, state)| self.system.states[*state].symbol == base)?.0;
        (self.objects.cell(cell).scalar.kind == Kind::Pointer)
            .then(|| self.pointer_targets.get(&cell))
            .flatten()
    }

    /// All cells of an object.
    pub(crate) fn cells_of(&self, object: ObjectId) -> std::ops::Range<usize> {
        let object = self.objects.get(object);
        object.first..object.first + object.layout.cells.len()
    }
}
