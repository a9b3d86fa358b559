//! Systems whose runs begin with a given path.

use super::Lowered;
use model::system::Assumption;

impl Lowered {
    /// Has every run take these transitions first, one after the other, at any times and with any
    /// values that they allow. A word counts them.
    pub fn begin_with(&mut self, edges: &[usize]) {
        let system = &mut self.system;
        let last = u32::try_from(edges.len()).expect("a path should be shorter than u32::MAX");
        let (taken, edge) = (system.add_step_counter("path", last), system.input_term(self.edge));
        let terms = &mut system.terms;
        let (width, edge_width) = (terms.width(taken), terms.width(edge));
        for (position, &wanted) in edges.iter().enumerate() {
            let position = terms.word(width, position as u128);
            let wanted = terms.word(edge_width, wanted as u128);
            let (is_here, is_wanted) = (terms.equal(taken, position), terms.equal(edge, wanted));
            let condition = terms.implies(is_here, is_wanted);
            system.assumptions.push(Assumption { condition, origin: None });
        }
    }
}
