//! Reads of volatile inputs: something outside of the program may change them between two reads of
//! one step.
//!
//! The first read on a path gives the cell's own input, which the environment writes before the
//! step. Each further read gives an input of its own, so that nothing is proven from two reads
//! agreeing. Reads on paths that exclude each other share inputs: one execution makes one of them.

use super::initial_memory::{InputOrigin, Phase, Role, StartRead, VolatileRead};
use super::layout::Cell;
use super::state::State;
use super::{Machine, Outcome};
use crate::ir::types::{Type, TypeId};
use frontend::source::Span;
use model::system::{InputId, InputRole};
use model::term::{BinaryOp, Term, TermId};
use std::collections::BTreeSet;

/// So many reads of a cell are compared with a further one; behind that, each has its own input.
const MOST_COMPARED: usize = 200;

impl Machine<'_> {
    /// What the code of a step reads of a volatile input; `None`: the cell is none.
    pub(super) fn volatile_value(&mut self, state: &State, cell: usize) -> Option<TermId> {
        let is_step =
            self.initial_memory.notes_reads && self.initial_memory.phase == Phase::Step { frame: 0 };
        if !is_step
            || self.property.is_some()
            || self.initial_memory.role(cell) != Role::Input
            || !self.is_volatile(cell)
        {
            return None;
        }
        let site = (self.statements, self.initial_memory.reader);
        let path = self.paths.conjunction(state.path);
        let mut reads = self.initial_memory.volatile_reads.remove(&cell).unwrap_or_default();
        let mut of_statement = reads.iter_mut().rev().take_while(|read| read.site.0 == site.0);
        let input = match of_statement.find(|read| read.site == site) {
            Some(known) => {
                known.path = self.system.terms.or(known.path, path);
                known.input
            }
            None => {
                let input = match self.shared_input(state, &reads) {
                    Some(input) => input,
                    None => self.next_input(cell, reads.is_empty()),
                };
                reads.push(VolatileRead { site, path, input });
                input
            }
        };
        self.initial_memory.volatile_reads.insert(cell, reads);
        Some(self.system.input_term(input))
    }

    /// What initialisation reads of a volatile input: an initial input for each read. Which cells
    /// are inputs shows only in the step, so they are noted, and known when all is executed again.
    pub(super) fn volatile_at_start(
        &mut self,
        state: &State,
        cell: usize,
        span: Span,
    ) -> Outcome<Option<TermId>> {
        let is_asked =
            self.initial_memory.phase == Phase::Init && self.property.is_none() && self.is_volatile(cell);
        if !is_asked || self.initial_memory.initial.contains_key(&cell) {
            return Ok(None);
        }
        self.initial_memory.read_at_start.insert(cell);
        if !self.free_at_start.contains(&cell) {
            return Ok(None);
        }
        let site = (self.statements, self.initial_memory.reader);
        let path = self.paths.conjunction(state.path);
        let known =
            self.initial_memory.start_reads.iter().position(|read| read.cell == cell && read.site == site);
        if let Some(known) = known {
            let read = &mut self.initial_memory.start_reads[known];
            read.path = self.system.terms.or(read.path, path);
            return Ok(Some(read.value));
        }
        let name = format!("{}@init", self.cell_name(cell));
        let Cell { ty, scalar, .. } = self.objects.cell(cell);
        let value = self.unknown_scalar((ty, scalar), &name, None, span)?;
        self.initial_memory.start_reads.push(StartRead { cell, site, path, value });
        Ok(Some(value))
    }

    /// The earliest input all of whose reads are on paths that exclude the present one.
    fn shared_input(&mut self, state: &State, reads: &[VolatileRead]) -> Option<InputId> {
        if reads.len() > MOST_COMPARED {
            return None;
        }
        let mut open: BTreeSet<InputId> = reads.iter().map(|read| read.input).collect();
        for read in reads {
            if open.contains(&read.input) && !self.excludes(state, read.path) {
                open.remove(&read.input);
            }
        }
        open.first().copied()
    }

    /// Whether a path is seen to exclude a condition.
    fn excludes(&mut self, state: &State, condition: TermId) -> bool {
        let mut waiting = vec![condition];
        while let Some(part) = waiting.pop() {
            if self.narrowed(state.path, part).is_none() {
                return true;
            }
            if let Term::Binary { op: BinaryOp::And, lhs, rhs } = self.system.terms.node(part) {
                waiting.extend([lhs, rhs]);
            }
        }
        false
    }

    /// The cell's own input for its first read, else one more.
    fn next_input(&mut self, cell: usize, is_first: bool) -> InputId {
        let own = self.cell_symbol(cell);
        if is_first {
            let mut inputs = self.initial_memory.inputs.iter();
            return inputs.find(|input| input.cell == Some(cell)).expect("an input should be known").input;
        }
        let name = self.cell_name(cell);
        let description = self.objects.cell(cell);
        let sort = self.system.terms.symbol(own).sort;
        let input = self.system.add_input(&name, sort, InputRole::Stimulus);
        let symbol = self.system.inputs[input].symbol;
        self.initial_memory.inputs.push(InputOrigin {
            input,
            cell: None,
            read_again: Some(cell),
            lvalue: self.system.terms.symbol(symbol).name.clone(),
            ty: description.ty,
            bits: description.scalar.extent,
            reason: format!("`{name}` is volatile, and a step may read it more than once"),
        });
        input
    }

    /// Whether something else than the program may change a cell at any time.
    pub(crate) fn is_volatile(&self, cell: usize) -> bool {
        let (object, index) = self.objects.owner(cell);
        let object = self.objects.get(object);
        object.is_volatile || self.has_volatile_member(object.ty, object.layout.cells[index].bit)
    }

    /// Whether a member declared volatile lies at a bit of a type.
    fn has_volatile_member(&self, ty: TypeId, bit: u64) -> bool {
        match self.layouts.type_of(ty) {
            Type::Array { element, .. } => match self.layouts.size(*element) {
                Some(size) if size > 0 => self.has_volatile_member(*element, bit % (size * 8)),
                _ => false,
            },
            Type::Record(record) => {
                let fields = self.program.types.records[*record].fields.iter().flatten();
                fields.into_iter().any(|field| {
                    let low = field.offset * 8 + field.bits.map_or(0, |bits| u64::from(bits.low));
                    let size = match field.bits {
                        Some(bits) => u64::from(bits.width),
                        None => self.layouts.size(field.ty).unwrap_or(0) * 8,
                    };
                    (low..low + size).contains(&bit)
                        && (field.is_volatile || self.has_volatile_member(field.ty, bit - low))
                })
            }
            _ => false,
        }
    }
}
