//! Names for sets of cells: a whole object, struct or array stands for all the scalars in it.

use crate::exec::Machine;
use crate::exec::object::{ObjectId, Origin};
use crate::ir::types::{Type, TypeId};
use std::collections::BTreeSet;
use std::ops::Range;

/// The fewest lvalues that designate these cells and no others, in the order of the first cell of
/// each object.
pub(crate) fn lvalues(machine: &Machine<'_>, cells: &[usize]) -> Vec<String> {
    let mut objects: Vec<ObjectId> = Vec::new();
    for &cell in cells {
        let (object, _) = machine.objects.owner(cell);
        if objects.last() != Some(&object) && !objects.contains(&object) {
            objects.push(object);
        }
    }
    let wanted: BTreeSet<usize> = cells.iter().copied().collect();
    let mut found = Vec::new();
    for object in objects {
        let mut names = Names { machine, object, wanted: &wanted, found: &mut found };
        names.part(machine.objects.get(object).ty, 0, String::new());
    }
    found
}

/// The names of one object's cells.
struct Names<'m, 'p> {
    machine: &'m Machine<'p>,
    object: ObjectId,
    wanted: &'m BTreeSet<usize>,
    found: &'m mut Vec<String>,
}

impl Names<'_, '_> {
    /// Names the wanted cells of a part of the object: it has this type, begins at `bit` and is
    /// reached by `way`.
    fn part(&mut self, ty: TypeId, bit: u64, way: String) {
        let Some(size) = self.machine.layouts.size(ty) else { return };
        let cells = self.cells(bit, bit + 8 * size);
        let count = self.wanted.range(cells.clone()).count();
        if count == 0 {
            return;
        }
        if count == cells.len() && !(way.is_empty() && self.is_array_behind_parameter()) {
            self.found.push(self.machine.lvalue_of(self.object, &way));
            return;
        }
        match self.machine.layouts.type_of(ty) {
            Type::Array { element, length } => {
                let stride = 8 * self.machine.layouts.size(*element).unwrap_or(0);
                for index in 0..length.unwrap_or(0) {
                    self.part(*element, bit + index * stride, format!("{way}[{index}]"));
                }
            }
            Type::Record(record) if !self.machine.program.types.records[*record].is_union => {
                for field in self.machine.program.types.records[*record].fields.iter().flatten() {
                    let start = bit + 8 * field.offset;
                    match field.bits {
                        Some(bits) => {
                            let low = start + u64::from(bits.low);
                            self.each(self.cells(low, low + u64::from(bits.width)));
                        }
                        None if field.name.is_empty() => self.part(field.ty, start, way.clone()),
                        None => self.part(field.ty, start, format!("{way}.{}", field.name)),
                    }
                }
            }
            _ => self.each(cells),
        }
    }

    /// Whether the object has the name of a pointer: a parameter declared as an array, whose name
    /// stands for the pointer.
    fn is_array_behind_parameter(&self) -> bool {
        let object = self.machine.objects.get(self.object);
        matches!(object.origin, Origin::Pointee(_)) && !object.name.ends_with("->")
    }

    /// Names cells one by one.
    fn each(&mut self, cells: Range<usize>) {
        let names = self.wanted.range(cells).map(|&cell| self.machine.cell_name(cell));
        self.found.extend(names);
    }

    /// The cells between two bits of the object.
    fn cells(&self, first: u64, end: u64) -> Range<usize> {
        let object = self.machine.objects.get(self.object);
        let from = object.layout.first_behind(first);
        let count = object.layout.cells[from..].iter().take_while(|cell| cell.bit < end).count();
        object.first + from..object.first + from + count
    }
}
