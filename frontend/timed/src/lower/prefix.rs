//! Systems whose runs begin with a given path.

use super::{Lowered, word_for};
use model::system::Assumption;
use model::term::BinaryOp;

impl Lowered {
    /// Has every run take these transitions first, one after the other, at any times and with any
    /// values that they allow. A word counts them.
    pub fn begin_with(&mut self, edges: &[usize]) {
        let system = &mut self.system;
        let word = system.add_state("path", word_for(edges.len() + 1));
        let (taken, edge) = (system.state_term(word), system.input_term(self.edge));
        let terms = &mut system.terms;
        let (width, edge_width) = (terms.width(taken), terms.width(edge));
        for (position, &wanted) in edges.iter().enumerate() {
            let position = terms.word(width, position as u128);
            let wanted = terms.word(edge_width, wanted as u128);
            let (is_here, is_wanted) = (terms.equal(taken, position), terms.equal(edge, wanted));
            let condition = terms.implies(is_here, is_wanted);
            system.assumptions.push(Assumption { condition, origin: None });
        }
        let (zero, one) = (terms.word(width, 0), terms.word(width, 1));
        let last = terms.word(width, edges.len() as u128);
        let more = terms.binary(BinaryOp::ULt, taken, last);
        let sum = terms.binary(BinaryOp::Add, taken, one);
        let next = terms.ite(more, sum, taken);
        system.states[word].init = zero;
        system.states[word].next = next;
    }
}
