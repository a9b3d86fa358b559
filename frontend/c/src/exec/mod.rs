//! Symbolic execution of the IR by guarded joining.
//!
//! A [`Machine`] executes statements on a [state](state::State): the path condition, and a memory
//! of terms. Where a condition is not constant both branches are executed, each on its own copy of
//! the memory, and joined afterwards by a choice for every cell in which they differ. Loops are
//! unrolled while their condition is not constant, calls are executed in place. So one execution of
//! the step function gives each cell its value after the step as one term over state and inputs.
//!
//! Everything an execution meets beside that is noted: [undefined operations](hazard), assumptions,
//! assertions and goals, inputs ([`events`]).

mod access;
mod arithmetic;
mod bounds;
mod branch;
mod builtins;
mod bytes;
mod call;
pub(crate) mod call_paths;
pub(crate) mod coverage;
mod endless;
mod environment;
pub(crate) mod events;
mod expression;
pub(crate) mod hazard;
mod incremental_search_loops;
pub(crate) mod initial_memory;
mod jumps;
pub(crate) mod layout;
pub(crate) mod lifetime;
mod loops;
mod math;
pub(crate) mod object;
mod outside;
mod outside_writes;
mod path;
pub(crate) mod path_feasibility;
pub(crate) mod place;
mod pointer;
pub(crate) mod property;
mod range;
mod scan;
mod signature;
mod sparse;
pub(crate) mod state;
mod strings;
pub(crate) mod transcendental;
mod unset;
mod volatile;
pub(crate) mod watch;

pub(crate) use builtins::{Meaning, Seen, is_assertion, is_cover, is_nondet, meaning, seen};
pub(crate) use expression::is_comparison;
pub(crate) use scan::format_position;
pub(crate) use strings::TextFunction;

use self::call_paths::{CallPath, CallPaths};
use crate::code::Code;
use crate::detect::walk;
use crate::ir::coverage::ProbeId;
use crate::ir::expr::ExprKind;
use crate::ir::types::{Type, TypeId};
use crate::ir::{FunctionId, GlobalId, InitialValue, LocalId, Program};
use events::Events;
use frontend::Judge;
use frontend::coverage::Tolerance;
use frontend::diagnostics::Diagnostics;
use frontend::limit::Limit;
use frontend::source::{FileId, Span};
use hazard::Hazards;
use initial_memory::InitialMemory;
use layout::Layouts;
use model::id::IdVec;
use model::system::TransitionSystem;
use model::term::TermId;
use object::{ObjectId, Objects, Origin};
use path::Paths;
use path_feasibility::PathFeasibility;
use pointer::Affine;
use property::PropertyRun;
use range::Ranges;
use rustc_hash::{FxHashMap, FxHashSet};
use state::State;
use std::collections::{BTreeMap, BTreeSet};

/// Statements executed at most, all rounds and calls counted: what keeps an execution that never
/// folds from running on.
pub(crate) const MOST_STATEMENTS: u64 = 20_000_000;

/// Terms made at most: what keeps an execution of few but costly statements from using up all
/// memory.
pub(crate) const MOST_TERMS: usize = 60_000_000;

/// Why an execution ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// An error was reported.
    Failed,
    /// [`Machine::wanted`] asks for an object; execution has to start again with it.
    Restart,
}

/// Result of something that may end an execution.
pub(crate) type Outcome<T> = Result<T, Stop>;

/// A running execution.
#[derive(Clone)]
pub(crate) struct Machine<'p> {
    /// What is executed.
    pub(crate) program: &'p Program,
    /// Its variables of static storage duration by their own names.
    named_globals: FxHashMap<&'p str, Vec<GlobalId>>,
    /// Who says which paths are possible, where that is hard to see.
    pub(crate) judge: &'p dyn Judge,
    /// Owner of the terms; states and inputs are added as they are met.
    pub(crate) system: TransitionSystem,
    /// Layouts of types.
    pub(crate) layouts: Layouts<'p>,
    /// All objects.
    pub(crate) objects: Objects,
    /// All path conditions.
    pub(crate) paths: Paths,
    /// Ranges of terms.
    pub(crate) ranges: Ranges,
    /// What paths allow.
    pub(crate) feasibility: PathFeasibility,
    /// What memory holds that was not written.
    pub(crate) initial_memory: InitialMemory,
    /// Undefined operations met.
    pub(crate) hazards: Hazards,
    /// Assumptions, assertions and goals met.
    pub(crate) events: Events,
    /// Messages.
    pub(crate) diagnostics: Diagnostics,
    /// Rounds of a loop executed at most.
    pub(crate) unwind: u32,
    /// Whether executions that go on beyond that are left out.
    pub(crate) assumes_unwound: bool,
    /// Whether loops that go on for too long are undefined operations.
    pub(crate) marks_long_loops: bool,
    /// How long executing may take.
    pub(crate) limit: Limit,
    /// Objects that pointers in state cells may name.
    pub(crate) pointer_targets: FxHashMap<usize, BTreeSet<u64>>,
    /// A pointer cell that needs an object to point to, and the object's type.
    pub(crate) wanted: Option<(usize, TypeId)>,
    /// The property that is being evaluated.
    pub(crate) property: Option<PropertyRun>,
    /// Memory that [`crate::ir::expr::ExprKind::Old`] reads.
    pub(crate) old: Option<Old>,
    /// Whether the operands of assumptions in properties are kept apart.
    pub(crate) keep_wording: bool,
    /// Whether undefined operations are requirements.
    pub(crate) robustness: bool,
    /// Whether steps end where they run into an undefined operation.
    pub(crate) forbids_undefined: bool,
    /// What the claim that is being evaluated reads; `None`: nobody wants to know.
    pub(crate) watching: Option<watch::Watching>,
    /// Inputs whose values the configuration limits, by their names.
    pub(crate) limited: BTreeSet<String>,
    /// Volatile cells that are inputs and that initialisation reads.
    pub(crate) free_at_start: BTreeSet<usize>,
    /// How near floats count as neighbours, where comparisons are looked at.
    pub(crate) tolerance: Option<Tolerance>,
    /// Values of the step that are inverted.
    pub(crate) inverted: BTreeSet<ProbeId>,
    /// Lines of the step that branch, where they are wanted.
    pub(crate) decisions: Vec<Span>,
    /// Lines whose branches may be taken or not, whatever their conditions say.
    pub(crate) open_decisions: Vec<(FileId, u32)>,
    /// The step functions: a property calls them instead of having them executed.
    pub(crate) steps: Vec<FunctionId>,
    /// The loop of a driver: reaching it ends initialisation.
    pub(crate) driver: Option<Driver>,
    /// Where the next statement puts the result of a call.
    assigned: Option<crate::ir::stmt::Place>,
    affine: FxHashMap<TermId, Affine>,
    /// For variables that hold a copy of a pointer that nothing sets: the cell of that pointer.
    unset_copies: FxHashMap<usize, usize>,
    /// Cells that got a pointer to a local variable.
    lent: BTreeSet<usize>,
    /// Pointers that are known to lead to no local variable.
    lends_nothing: FxHashSet<TermId>,
    statements: u64,
    /// The call of a function of the C library, or of the compiler, whose body is being executed:
    /// what happens there is told of the call.
    library_call: Option<Span>,
    /// Loops that are in one of their first rounds behind the first, and open whether they go on.
    searching: u32,
    /// Whether a loop that no counter ends went on for more than a round without it being certain
    /// that it does.
    pub(crate) has_open_loops: bool,
    /// Calls of each function that are running.
    pub(crate) depths: BTreeMap<FunctionId, u32>,
    /// Which coverage goals are asked for, and what counts for them.
    pub(crate) counting: coverage::Counting,
    /// Calls of the model that lead to what is executed, where goals count for each of them.
    call_path: CallPath,
    /// All of these that were met.
    pub(crate) call_paths: CallPaths,
    /// Reads of tables that were met, in initialisation and in the step, by their numbers.
    pub(crate) tables: Vec<coverage::TableRead>,
}

/// Where `old(x)` looks.
#[derive(Clone)]
pub(crate) struct Old {
    /// The memory.
    pub(crate) state: State,
    /// The part of the execution.
    pub(crate) phase: initial_memory::Phase,
    /// Whether the value is what a history word kept from the step before.
    pub(crate) history: bool,
    /// Whether something of the step before was looked at.
    pub(crate) looks_back: bool,
}

/// The endless loop of a driver.
#[derive(Clone)]
pub(crate) struct Driver {
    /// The function.
    pub(crate) function: FunctionId,
    /// Where its loop stands.
    pub(crate) span: Span,
    /// How the loop was reached, once it was.
    pub(crate) reached: Vec<State>,
}

/// A function call: its variables, and what leaves its structured statements.
pub(crate) struct Frame {
    /// The function; `None` for configured conditions.
    pub(crate) function: Option<FunctionId>,
    /// Objects of its parameters and variables.
    pub(crate) locals: IdVec<LocalId, ObjectId>,
    /// Where its result goes.
    pub(crate) result: Option<ObjectId>,
    /// States that have returned.
    pub(crate) returns: Vec<State>,
    /// Enclosing loops and switches, outermost first.
    pub(crate) scopes: Vec<Scope>,
    /// States on their way to a label.
    pub(crate) jumps: Vec<jumps::Jump>,
    /// Jumps made so far.
    pub(crate) jumped: u64,
}

/// A loop or switch that is being executed.
#[derive(Default)]
pub(crate) struct Scope {
    /// Whether `continue` belongs to it.
    pub(crate) is_loop: bool,
    /// States that leave it.
    pub(crate) breaks: Vec<State>,
    /// States that go on with its next round.
    pub(crate) continues: Vec<State>,
    /// Whether constants alone decided that its last round began: a counter goes up to a constant
    /// bound.
    pub(crate) is_counted: bool,
}

impl Frame {
    /// A frame outside all functions.
    pub(crate) fn outside() -> Self {
        Self {
            function: None,
            locals: IdVec::new(),
            result: None,
            returns: Vec::new(),
            scopes: Vec::new(),
            jumps: Vec::new(),
            jumped: 0,
        }
    }
}

impl<'p> Machine<'p> {
    /// A machine before initialisation.
    pub(crate) fn new(program: &'p Program, unwind: u32, judge: &'p dyn Judge) -> Self {
        let mut system = TransitionSystem::default();
        let paths = Paths::new(&mut system.terms);
        let mut named_globals: FxHashMap<&str, Vec<GlobalId>> = FxHashMap::default();
        for (global, declaration) in program.globals.iter() {
            named_globals.entry(&declaration.name).or_default().push(global);
        }
        Self {
            program,
            named_globals,
            judge,
            system,
            layouts: Layouts::new(&program.types, program.target),
            objects: Objects::default(),
            paths,
            ranges: Ranges::default(),
            feasibility: PathFeasibility::default(),
            initial_memory: InitialMemory::new(),
            hazards: Hazards::default(),
            events: Events::default(),
            diagnostics: Diagnostics::default(),
            unwind,
            assumes_unwound: false,
            marks_long_loops: false,
            limit: Limit::default(),
            pointer_targets: FxHashMap::default(),
            wanted: None,
            property: None,
            keep_wording: false,
            robustness: false,
            forbids_undefined: false,
            watching: None,
            limited: BTreeSet::new(),
            free_at_start: BTreeSet::new(),
            tolerance: None,
            inverted: BTreeSet::new(),
            decisions: Vec::new(),
            open_decisions: Vec::new(),
            old: None,
            steps: Vec::new(),
            driver: None,
            assigned: None,
            affine: FxHashMap::default(),
            unset_copies: FxHashMap::default(),
            lent: BTreeSet::new(),
            lends_nothing: FxHashSet::default(),
            statements: 0,
            library_call: None,
            searching: 0,
            has_open_loops: false,
            depths: BTreeMap::new(),
            counting: coverage::Counting::default(),
            call_path: CallPath::ROOT,
            call_paths: CallPaths::default(),
            tables: Vec::new(),
        }
    }

    /// The state before anything was executed.
    pub(crate) fn blank(&self) -> State {
        State { path: self.paths.root(), memory: state::Memory::default() }
    }

    /// Reports an error.
    pub(crate) fn fail(&mut self, code: Code, span: Span, message: impl Into<String>) -> Stop {
        self.diagnostics.error(code, Some(self.library_call.unwrap_or(span)), message);
        Stop::Failed
    }

    /// Reports an error with advice.
    pub(crate) fn fail_with(&mut self, code: Code, span: Span, message: String, advice: &str) -> Stop {
        self.diagnostics.error(code, Some(self.library_call.unwrap_or(span)), message).advice(advice);
        Stop::Failed
    }

    /// How C code names a variable of static storage duration.
    pub(crate) fn global_name(&self, global: GlobalId) -> String {
        let declaration = &self.program.globals[global];
        let name = match declaration.function {
            Some(function) => format!("{}::{}", self.program.functions[function].name, declaration.name),
            None => declaration.name.clone(),
        };
        if !self.is_ambiguous(global) {
            return name;
        }
        let file = self.program.units[declaration.unit].path.file_name();
        let file = file.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        format!("{file}::{name}")
    }

    /// Whether several files have a variable of the name, or functions of several files one that
    /// have the same name.
    fn is_ambiguous(&self, global: GlobalId) -> bool {
        let declaration = &self.program.globals[global];
        let function_name =
            |global: &crate::ir::Global| global.function.map(|id| &*self.program.functions[id].name);
        let namesakes = self.named_globals.get(&*declaration.name).into_iter().flatten();
        let namesakes = namesakes.map(|&other| &self.program.globals[other]);
        let mut same = namesakes.filter(|other| function_name(other) == function_name(declaration));
        match declaration.function {
            None => same.count() > 1,
            Some(_) => same.any(|other| other.unit != declaration.unit),
        }
    }

    /// Makes the objects of all variables of static storage duration, with their initial values,
    /// and of everything else that an address in the program may name. Their numbers do not depend
    /// on what is executed later.
    pub(crate) fn make_globals(&mut self) -> Outcome<()> {
        self.make_functions();
        self.make_texts()?;
        for (global, declaration) in self.program.globals.iter() {
            if self.layouts.size(declaration.ty).is_none() {
                continue;
            }
            let object = self.global(global, declaration.span)?;
            self.initialise(object, &declaration.initialiser, declaration.span)?;
            self.objects.get_mut(object).is_const = declaration.is_const;
            self.objects.get_mut(object).is_volatile = declaration.is_volatile;
        }
        if let Some((_, function)) = self.program.functions.iter().next() {
            self.make_gone(function.result);
        }
        Ok(())
    }

    fn make_functions(&mut self) {
        for (function, declaration) in self.program.functions.iter() {
            let (origin, name) = (Origin::Function(function), declaration.name.clone());
            let added = self.objects.add(&mut self.layouts, origin, name, declaration.result);
            debug_assert!(added.is_ok(), "a function should need no layout");
        }
    }

    fn make_texts(&mut self) -> Outcome<()> {
        let program = self.program;
        let mut found = Vec::new();
        for function in program.functions.values() {
            walk::visit(function.body.as_deref().unwrap_or(&[]), &mut |stmt| {
                walk::visit_expressions(stmt, &mut |expr| found.push(expr));
            });
        }
        for value in program.globals.values().flat_map(|global| &global.initialiser) {
            walk::visit_expression(&value.value, &mut |expr| found.push(expr));
        }
        for expr in found {
            if let ExprKind::String(bytes) = &expr.kind
                && let Type::Pointer(character) = *self.layouts.type_of(expr.ty)
            {
                self.text(bytes, character, expr.span)?;
            }
        }
        Ok(())
    }

    fn initialise(&mut self, object: ObjectId, values: &[InitialValue], span: Span) -> Outcome<()> {
        let frame = Frame::outside();
        let mut state = self.blank();
        let guard = self.system.terms.truth(true);
        for InitialValue { offset, bits, value } in values {
            let term = self.evaluate(&frame, &state, value)?;
            self.narrow_float_hazard(&frame, &state, (value.ty, *bits), value)?;
            let bit = offset * 8 + bits.map_or(0, |bits| u64::from(bits.low));
            let target = place::Target { guard, object, bit, indices: Vec::new() };
            let content = place::Content::Scalar(term);
            self.store_targets(&mut state, &[target], value.ty, *bits, &content, span)?;
        }
        self.initial_memory.initial.extend(state.memory.values.entries());
        Ok(())
    }

    /// The object of a string literal.
    pub(crate) fn text(&mut self, bytes: &[u8], character: TypeId, span: Span) -> Outcome<ObjectId> {
        let origin = Origin::Text(bytes.to_vec());
        if let Some(known) = self.objects.find(&origin) {
            return Ok(known);
        }
        let name = format!("{:?}", String::from_utf8_lossy(bytes));
        let added = self.objects.add_text(&self.layouts, origin, name, character, bytes.len() as u64 + 1);
        let object = added.map_err(|why| self.no_layout(why, character, span))?;
        let first = self.objects.get(object).first;
        for (index, &byte) in bytes.iter().enumerate() {
            let value = self.system.terms.word(8, u128::from(byte));
            self.initial_memory.initial.insert(first + index, value);
        }
        self.objects.get_mut(object).is_const = true;
        Ok(object)
    }
}
