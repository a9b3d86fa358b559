//! What a replay has to know of a translated model: objects with their initial contents, and where
//! inputs go.

use crate::exec::Machine;
use crate::exec::events::Events;
use crate::exec::initial_memory::{OutsideCall, Slot};
use crate::exec::layout::Scalar;
use crate::exec::object::{ObjectId, Origin};
use crate::exec::place::Content;
use crate::ir::FunctionId;
use crate::translate::ending::Ending;
use frontend::Signals;
use model::id::Id;
use model::system::InputId;
use model::term::{SymbolId, Term, TermId};
use model::value::Value;
use std::collections::BTreeMap;

/// An object with static storage duration, as far as a replay is concerned.
#[derive(Clone, Debug)]
pub(crate) struct Fixed {
    /// Its number in pointers.
    pub(crate) number: u32,
    /// Where it comes from.
    pub(crate) origin: Origin,
    /// Size in bytes.
    pub(crate) size: u64,
}

/// A scalar in an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    /// Number of the object.
    pub(crate) object: u32,
    /// First bit in it.
    pub(crate) bit: u64,
    /// The scalar.
    pub(crate) scalar: Scalar,
}

/// A value that initialisation is given.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Given {
    /// A constant; of a pointer, its value in the model.
    Constant(Value),
    /// An initial input.
    Initial(SymbolId),
}

/// What is passed to initialisation.
#[derive(Clone, Debug)]
pub(crate) enum Argument {
    /// A scalar.
    Scalar(Given),
    /// A record: scalars at their bits.
    Record(Vec<(u64, Scalar, Given)>),
}

/// A call of a function that no file defines.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// The function.
    pub(crate) function: FunctionId,
    /// Whether it happens in initialisation.
    pub(crate) is_initial: bool,
    /// The truth that it happens.
    pub(crate) path: TermId,
    /// What comes from outside: where it goes, its first bit there, the scalar and its value.
    pub(crate) parts: Vec<(Slot, u64, Scalar, SymbolId)>,
}

/// Everything a replay needs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blueprint {
    /// Objects by ascending numbers.
    pub(crate) objects: Vec<Fixed>,
    /// Initial contents that are not zero.
    pub(crate) initial: Vec<(Spot, Value)>,
    /// Those of them that do not come from the program's own initialisers.
    pub(crate) overrides: Vec<(Spot, Value)>,
    /// The shown state words.
    pub(crate) states: Vec<Spot>,
    /// The outputs.
    pub(crate) outputs: Vec<Spot>,
    /// Inputs that are written to memory before each step.
    pub(crate) inputs: Vec<(InputId, Spot)>,
    /// Reads of inputs that a step may read more than once, as they are volatile: the index of the
    /// input in `inputs`, the truth that the read happens, and what it gives.
    pub(crate) reads: Vec<(usize, TermId, InputId)>,
    /// Reads of volatile inputs by initialisation: the input, the truth that the read happens, and
    /// what it gives.
    pub(crate) start_reads: Vec<(String, TermId, TermId)>,
    /// Calls of functions that no file defines, in the order of execution.
    pub(crate) calls: Vec<Call>,
    /// Arguments of initialisation.
    pub(crate) arguments: Vec<Argument>,
    /// What a replay sees of steps that end the program before they return.
    pub(crate) early: Option<Early>,
}

/// What a replay sees of steps that end the program before they return.
#[derive(Clone, Debug)]
pub(crate) struct Early {
    /// The truth, over the state before the step and its inputs, that the step returns.
    pub(crate) returns: TermId,
    /// Calls that make goals of their places, in the order of execution: function, the truth that
    /// it is called, and the truth of its argument.
    pub(crate) marks: Vec<(FunctionId, TermId, TermId)>,
    /// The truth that it ends at an undefined operation, behind which the compiled code may do
    /// anything.
    pub(crate) is_undefined: TermId,
}

impl Blueprint {
    /// The object of the given origin.
    pub(crate) fn find(&self, origin: &Origin) -> Option<&Fixed> {
        self.objects.iter().find(|object| object.origin == *origin)
    }

    /// The object that a pointer points into.
    fn pointed_to(&self, pointer: u128) -> Option<&Fixed> {
        let (number, offset) = ((pointer >> 32) as u32, pointer as u32);
        let index = self.objects.binary_search_by_key(&number, |object| object.number).ok()?;
        Some(&self.objects[index]).filter(|object| u64::from(offset) < object.size.max(1))
    }

    /// Whether a pointer of the model says so little of its address that it may be the given one,
    /// which the compiled code has: it points behind its object, to a variable that lives no more,
    /// or to something hidden.
    pub(crate) fn may_be_elsewhere(
        &self,
        computed: u128,
        observed: u128,
        is_hidden: &dyn Fn(&Fixed) -> bool,
    ) -> bool {
        if computed >> 32 == 0 || observed == 0 {
            return false;
        }
        let number = (computed >> 32) as u32;
        let is_object = self.objects.iter().any(|object| object.number == number);
        match (self.pointed_to(computed), self.pointed_to(observed)) {
            (Some(object), None) => is_hidden(object),
            (Some(_), Some(_)) => false,
            (None, Some(other)) => is_object && other.number != number,
            (None, None) => true,
        }
    }
}

/// Takes from a finished execution what a replay needs.
pub(crate) fn draw(
    machine: &mut Machine<'_>,
    signals: &Signals,
    outputs: &[usize],
    start: Option<&(FunctionId, Vec<Content>)>,
) -> Blueprint {
    let arguments =
        start.map_or_else(Vec::new, |(function, contents)| arguments(machine, *function, contents));
    let machine = &*machine;
    let mut objects: Vec<Fixed> = Vec::new();
    for (id, object) in machine.objects.iter() {
        if object.is_persistent {
            objects.push(Fixed { number: number(id), origin: object.origin.clone(), size: object.size });
        }
    }
    let initial: BTreeMap<usize, TermId> =
        machine.initial_memory.initial.iter().map(|(&cell, &term)| (cell, term)).collect();
    let constants =
        initial.into_iter().filter_map(|(cell, term)| Some((cell, machine.system.terms.as_const(term)?)));
    let constants: Vec<(usize, Value)> = constants.collect();
    let set_here = constants.iter().filter(|(cell, _)| machine.initial_memory.overrides.contains(cell));
    let overrides = set_here.map(|&(cell, value)| (spot(machine, cell), value)).collect();
    let initial = constants.iter().filter(|(_, value)| value.is_true());
    let initial = initial.map(|&(cell, value)| (spot(machine, cell), value));
    let cell_of: BTreeMap<_, _> =
        machine.initial_memory.states.iter().map(|&(cell, state)| (state, cell)).collect();
    let inputs = machine
        .initial_memory
        .inputs
        .iter()
        .filter_map(|input| Some((input.input, spot(machine, input.cell?))));
    let start_reads = machine.initial_memory.start_reads.iter();
    let start_reads = start_reads.map(|read| (machine.cell_name(read.cell), read.path, read.value));
    Blueprint {
        initial: initial.collect(),
        overrides,
        states: signals.states.iter().map(|(_, state)| spot(machine, cell_of[state])).collect(),
        outputs: outputs.iter().map(|&cell| spot(machine, cell)).collect(),
        inputs: inputs.collect(),
        reads: reads_again(machine),
        start_reads: start_reads.collect(),
        calls: machine.initial_memory.calls.iter().map(call).collect(),
        arguments,
        objects,
        early: None,
    }
}

/// Takes from a finished execution what a replay sees of steps that end early.
pub(crate) fn early(machine: &mut Machine<'_>, ending: &Ending, events: &Events) -> Early {
    let is_undefined = ending.is_undefined(machine, events);
    let terms = &mut machine.system.terms;
    let marks = events.marks.iter().map(|mark| {
        let called = terms.and(mark.path, ending.alive(mark.assumed));
        (mark.function, called, terms.implies(mark.premise, mark.claim))
    });
    let marks = marks.collect();
    Early { returns: ending.returns(), marks, is_undefined }
}

/// The reads of volatile inputs that have more than one value in a step.
fn reads_again(machine: &Machine<'_>) -> Vec<(usize, TermId, InputId)> {
    let cells = machine.initial_memory.inputs.iter().filter_map(|input| input.cell);
    let read = |(index, cell): (usize, usize)| {
        let reads = machine.initial_memory.volatile_reads.get(&cell)?;
        let first = reads.first()?.input;
        let is_again = reads.iter().any(|read| read.input != first);
        is_again.then(|| reads.iter().map(move |read| (index, read.path, read.input)))
    };
    cells.enumerate().filter_map(read).flatten().collect()
}

fn spot(machine: &Machine<'_>, cell: usize) -> Spot {
    let (object, index) = machine.objects.owner(cell);
    let description = machine.objects.get(object).layout.cells[index];
    Spot { object: number(object), bit: description.bit, scalar: description.scalar }
}

fn number(object: ObjectId) -> u32 {
    object.index() as u32 + 1
}

fn call(call: &OutsideCall) -> Call {
    let parts = call.parts.iter().map(|part| (part.slot, part.bit, part.scalar, part.symbol));
    Call { function: call.function, is_initial: call.is_initial, path: call.path, parts: parts.collect() }
}

/// The arguments of a function with the scalars they consist of.
fn arguments(machine: &mut Machine<'_>, function: FunctionId, contents: &[Content]) -> Vec<Argument> {
    let declaration = &machine.program.functions[function];
    let mut found = Vec::new();
    for (&local, content) in declaration.parameters.iter().zip(contents) {
        let ty = declaration.locals[local].ty;
        let terms = &machine.system.terms;
        let value = |term: TermId| match terms.node(term) {
            Term::Symbol(symbol) => Given::Initial(symbol),
            _ => Given::Constant(terms.as_const(term).unwrap_or(Value::zero(terms.sort(term)))),
        };
        found.push(match content {
            Content::Scalar(term) => Argument::Scalar(value(*term)),
            Content::Aggregate(parts) => {
                let values: Vec<Given> = parts.iter().map(|part| value(part.value)).collect();
                let layout =
                    machine.layouts.layout(ty).expect("a record that is passed should have a layout");
                let cells = layout.cells.iter().zip(values);
                Argument::Record(cells.map(|(cell, value)| (cell.bit, cell.scalar, value)).collect())
            }
        });
    }
    found
}
