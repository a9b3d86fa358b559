//! Objects: the pieces of memory a program has, and how pointers name them.
//!
//! Every object has a number; a pointer is the object's number plus one above the byte offset, and
//! all zeros for `NULL`. Every cell of every object has a number of its own, which is where a
//! memory keeps its value.

use super::initial_memory::Slot;
use super::layout::{Cell, Layout, Layouts, NoLayout};
use crate::ir::types::TypeId;
use crate::ir::{FunctionId, GlobalId, LocalId};
use model::define_id;
use model::id::{Id, IdVec};
use rustc_hash::FxHashMap;
use std::rc::Rc;

define_id!(
    /// An object.
    ObjectId, "O"
);

/// Where an object comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Origin {
    /// An object of static storage duration.
    Global(GlobalId),
    /// The parameter of an entry function, as a variable.
    Parameter(FunctionId, usize),
    /// The result of a step function.
    Returned(FunctionId),
    /// What the step last passed by value to a function that no file defines, by the position of
    /// the parameter; with `None`, whether this step called the function.
    Passed(FunctionId, Option<usize>),
    /// What a call of a function that no file defines takes from outside, to be read by conditions:
    /// where it goes, and which call of the step it is.
    Outside(FunctionId, Slot, u32),
    /// What a pointer parameter or pointer member points to where nothing else says it; named by
    /// the pointer's lvalue.
    Pointee(String),
    /// A variable of a function at a depth of recursion; or, with `None`, a place for its result.
    Local(FunctionId, Option<LocalId>, u32),
    /// A temporary of the `n`-th configured condition.
    ConditionLocal(usize, LocalId),
    /// A string literal.
    Text(Vec<u8>),
    /// A function, as something to point to.
    Function(FunctionId),
    /// What pointers to local variables point to once these live no more.
    Gone,
}

/// An object.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    /// Where it comes from.
    pub(crate) origin: Origin,
    /// How C code reaches it: `rtU`, `compute.i->`, `f::counter`. Names of members are appended.
    pub(crate) name: String,
    /// Its type.
    pub(crate) ty: TypeId,
    /// Its cells.
    pub(crate) layout: Rc<Layout>,
    /// Number of its first cell.
    pub(crate) first: usize,
    /// Size in bytes.
    pub(crate) size: u64,
    /// Whether it outlives a step: everything but the variables of functions called in it.
    pub(crate) is_persistent: bool,
    /// Whether writing it is an error of the program.
    pub(crate) is_const: bool,
    /// Something else than the program may change it at any time.
    pub(crate) is_volatile: bool,
}

/// All objects.
#[derive(Clone, Default)]
pub(crate) struct Objects {
    table: IdVec<ObjectId, Object>,
    known: FxHashMap<Origin, ObjectId>,
    /// The object of each cell.
    owners: Vec<ObjectId>,
}

impl Objects {
    /// An object of the given origin, made where there is none yet.
    pub(crate) fn add(
        &mut self,
        layouts: &mut Layouts<'_>,
        origin: Origin,
        name: String,
        ty: TypeId,
    ) -> Result<ObjectId, NoLayout> {
        if let Some(&known) = self.known.get(&origin) {
            return Ok(known);
        }
        let layout = match origin {
            Origin::Function(_) | Origin::Gone => Rc::new(Layout::default()),
            _ => layouts.layout(ty)?,
        };
        let size = match origin {
            Origin::Function(_) | Origin::Gone => 0,
            _ => layouts.size(ty).unwrap_or(0),
        };
        Ok(self.insert(origin, name, ty, layout, size))
    }
    /// The object of a string literal of the given size: that many characters of the given type.
    pub(crate) fn add_text(
        &mut self,
        layouts: &Layouts<'_>,
        origin: Origin,
        name: String,
        character: TypeId,
        size: u64,
    ) -> Result<ObjectId, NoLayout> {
        let scalar = layouts.scalar(character, None).ok_or(NoLayout::Incomplete)?;
        let cells = (0..size).map(|byte| Cell { bit: byte * 8, scalar, ty: character }).collect();
        Ok(self.insert(origin, name, character, Rc::new(Layout { cells }), size))
    }

    fn insert(
        &mut self,
        origin: Origin,
        name: String,
        ty: TypeId,
        layout: Rc<Layout>,
        size: u64,
    ) -> ObjectId {
        let is_persistent = !matches!(origin, Origin::Local(..) | Origin::ConditionLocal(..) | Origin::Gone);
        let first = self.owners.len();
        let end = first + layout.cells.len();
        let object = Object {
            origin: origin.clone(),
            name,
            ty,
            layout,
            first,
            size,
            is_persistent,
            is_const: false,
            is_volatile: false,
        };
        let id = self.table.push(object);
        self.owners.resize(end, id);
        self.known.insert(origin, id);
        id
    }
    /// The object of the given origin.
    pub(crate) fn find(&self, origin: &Origin) -> Option<ObjectId> {
        self.known.get(origin).copied()
    }
    /// An object.
    pub(crate) fn get(&self, object: ObjectId) -> &Object {
        &self.table[object]
    }
    /// An object, to be changed.
    pub(crate) fn get_mut(&mut self, object: ObjectId) -> &mut Object {
        &mut self.table[object]
    }
    /// All objects in order of their numbers.
    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.table.len()
    }
    /// All of them with their ids.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (ObjectId, &Object)> {
        self.table.iter()
    }
    /// The object of the given number, where there is one.
    pub(crate) fn by_number(&self, number: u64) -> Option<ObjectId> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        (index < self.table.len()).then(|| ObjectId::new(index))
    }
    /// The object that a cell belongs to, and the cell's index in its layout.
    pub(crate) fn owner(&self, cell: usize) -> (ObjectId, usize) {
        let object = self.owners[cell];
        (object, cell - self.table[object].first)
    }
    /// A cell.
    pub(crate) fn cell(&self, cell: usize) -> Cell {
        let (object, index) = self.owner(cell);
        self.table[object].layout.cells[index]
    }
}

/// The pointer value that names byte `offset` of an object.
pub(crate) fn address(object: ObjectId, offset: u32) -> u128 {
    (object.index() as u128 + 1) << 32 | u128::from(offset)
}
