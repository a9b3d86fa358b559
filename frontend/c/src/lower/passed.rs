//! Arrays that are passed to functions without a body: what their parameters point to is named by
//! them.

use super::link::Linker;
use crate::detect::walk;
use crate::ir::types::TypeId;
use crate::ir::written::{Written, written};
use crate::ir::{FunctionId, LocalId};
use std::collections::BTreeMap;

impl Linker {
    /// Notes for each pointer parameter of a function without a body the longest array that is
    /// passed for it.
    pub(super) fn note_passed_arrays(&mut self) {
        let mut longest: BTreeMap<(FunctionId, LocalId), (TypeId, u64)> = BTreeMap::new();
        for function in self.program.functions.values() {
            for call in walk::calls_in(function.body.as_ref().unwrap_or(&Vec::new())) {
                let callee = &self.program.functions[call.callee];
                if callee.body.is_some() {
                    continue;
                }
                for (&local, argument) in callee.parameters.iter().zip(call.arguments) {
                    let parameter = &callee.locals[local];
                    let known = written(&self.types.table, self.program.target, Some(parameter), argument);
                    if let (None, Some(Written { element, count: count @ 2.., .. })) =
                        (parameter.array, known)
                    {
                        let known = longest.entry((call.callee, local)).or_insert((element, count));
                        if known.1 < count {
                            *known = (element, count);
                        }
                    }
                }
            }
        }
        for ((function, local), (element, count)) in longest {
            let array = self.types.array(element, Some(count));
            self.program.functions[function].locals[local].passed = Some(array);
        }
    }
}
