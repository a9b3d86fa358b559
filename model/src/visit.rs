//! Traversal of terms.
//!
//! Ids are topological: operands have smaller ids. So the one traversal engine, [`cone_beyond`],
//! collects ids from an explicit stack and sorts them; every pass is a loop over its result and
//! keeps what it computed for a term beside the id. Nothing recurses, however deep terms are.

use crate::term::{SymbolId, Term, TermId, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

/// All terms that `roots` depend on, themselves included, operands first.
pub fn cone(pool: &TermPool, roots: &[TermId]) -> Vec<TermId> {
    cone_beyond(pool, roots, |_| false)
}

/// As [`cone`], but stopping at terms that are `known` already: neither they nor what only they
/// depend on is listed.
pub fn cone_beyond(pool: &TermPool, roots: &[TermId], known: impl Fn(TermId) -> bool) -> Vec<TermId> {
    let mut seen = FxHashSet::default();
    let mut cone: Vec<TermId> =
        roots.iter().copied().filter(|&root| !known(root) && seen.insert(root)).collect();
    let mut next = 0;
    while let Some(&term) = cone.get(next) {
        let operands = pool.node(term).operands();
        cone.extend(operands.filter(|&operand| !known(operand) && seen.insert(operand)));
        next += 1;
    }
    cone.sort_unstable();
    cone
}

/// The symbols that `roots` depend on, in order of their ids.
pub fn support(pool: &TermPool, roots: &[TermId]) -> Vec<SymbolId> {
    let mut symbols: Vec<SymbolId> =
        cone(pool, roots).into_iter().filter_map(|term| pool.as_symbol(term)).collect();
    symbols.sort_unstable();
    symbols
}

/// Replaces symbols by terms of the same pool. What was replaced once is remembered, so several
/// roots share the work.
#[derive(Clone, Default)]
pub struct Substitution {
    results: FxHashMap<TermId, TermId>,
}

impl Substitution {
    /// The substitution of `replacements`: each symbol by its term.
    ///
    /// # Panics
    /// If a replacement has another sort than its symbol.
    pub fn new(pool: &mut TermPool, replacements: impl IntoIterator<Item = (SymbolId, TermId)>) -> Self {
        let mut results = FxHashMap::default();
        for (symbol, term) in replacements {
            assert_eq!(pool.symbol(symbol).sort, pool.sort(term), "a replacement should keep the sort");
            results.insert(pool.symbol_term(symbol), term);
        }
        Self { results }
    }

    /// The substitution of whole terms: each by one of its sort.
    pub fn of_terms(replacements: impl IntoIterator<Item = (TermId, TermId)>) -> Self {
        Self { results: replacements.into_iter().collect() }
    }

    /// The term with all symbols replaced at once, rewritten on the way. Terms without replaced
    /// symbols keep their ids.
    pub fn apply(&mut self, pool: &mut TermPool, root: TermId) -> TermId {
        for term in cone_beyond(pool, &[root], |term| self.results.contains_key(&term)) {
            let node = pool.node(term);
            let replaced = node.map_operands(|operand| self.results[&operand]);
            let result = if replaced == node { term } else { pool.make(replaced) };
            self.results.insert(term, result);
        }
        self.results[&root]
    }
}

/// Copies terms from one pool into another, rewriting them there.
#[derive(Clone, Default)]
pub struct Transfer {
    results: FxHashMap<TermId, TermId>,
}

impl Transfer {
    /// A transfer that has copied nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The copy of a term. `symbol` makes the term of the target pool that stands for a symbol of
    /// the source pool; it is asked once for each symbol. The same two pools must be given in all
    /// calls.
    pub fn copy(
        &mut self,
        source: &TermPool,
        target: &mut TermPool,
        root: TermId,
        mut symbol: impl FnMut(&mut TermPool, SymbolId) -> TermId,
    ) -> TermId {
        for term in cone_beyond(source, &[root], |term| self.results.contains_key(&term)) {
            let copy = match source.node(term) {
                Term::Symbol(id) => symbol(target, id),
                Term::Const(constant) => target.constant(source.constant_value(constant)),
                node => target.make(node.map_operands(|operand| self.results[&operand])),
            };
            self.results.insert(term, copy);
        }
        self.results[&root]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::evaluate;
    use crate::sort::Sort;
    use crate::term::BinaryOp;
    use crate::text::print_term;
    use crate::value::Value;

    fn symbols<const N: usize>(pool: &mut TermPool, names: [&str; N]) -> [TermId; N] {
        names.map(|name| {
            let symbol = pool.fresh_symbol(name, Sort::word(8));
            pool.symbol_term(symbol)
        })
    }

    #[test]
    fn cones_are_topological_and_stop_at_known_terms() {
        let mut pool = TermPool::new();
        let [a, b, c] = symbols(&mut pool, ["a", "b", "c"]);
        let sum = pool.binary(BinaryOp::Add, a, b);
        let product = pool.binary(BinaryOp::Mul, sum, c);
        let _unrelated = pool.not(c);
        assert_eq!(cone(&pool, &[product, a]), [a, b, c, sum, product]);
        assert_eq!(cone_beyond(&pool, &[product], |term| term == sum), [c, product]);
        assert_eq!(support(&pool, &[sum, b]), [a, b].map(|term| pool.as_symbol(term).expect("a symbol")));
    }

    #[test]
    fn substitution_is_simultaneous_and_rewrites() {
        let mut pool = TermPool::new();
        let [a, b, c] = symbols(&mut pool, ["a", "b", "c"]);
        let [x, y] = [a, b].map(|term| pool.as_symbol(term).expect("a symbol"));
        let difference = pool.binary(BinaryOp::Sub, a, b);
        let root = pool.binary(BinaryOp::Mul, difference, c);
        let mut swap = Substitution::new(&mut pool, [(x, b), (y, a)]);
        let swapped = swap.apply(&mut pool, root);
        assert_eq!(print_term(&pool, swapped, 9), "(mul c (sub b a))");
        assert_eq!(swap.apply(&mut pool, c), c);
        let five = pool.word(8, 5);
        let mut constant = Substitution::new(&mut pool, [(x, five), (y, five)]);
        let zero = constant.apply(&mut pool, root);
        assert_eq!(pool.as_const(zero), Some(Value::word(8, 0)));
    }

    #[test]
    fn transfers_share_what_they_copied() {
        let mut source = TermPool::new();
        let [a, b] = symbols(&mut source, ["a", "b"]);
        let mut deep = a;
        for _ in 0..50_000 {
            let sum = source.binary(BinaryOp::Add, deep, b);
            deep = source.binary(BinaryOp::Xor, sum, deep);
        }
        let mut target = TermPool::new();
        let mut transfer = Transfer::new();
        let mut asked = Vec::new();
        let copies = [deep, a, deep].map(|root| {
            transfer.copy(&source, &mut target, root, |target, symbol| {
                asked.push(symbol);
                let symbol = target.fresh_symbol("copy", Sort::word(8));
                target.symbol_term(symbol)
            })
        });
        assert_eq!(copies[0], copies[2]);
        assert_eq!(asked, support(&source, &[deep]));
        let value = |symbol: SymbolId| Value::word(8, 3 + crate::id::Id::index(symbol) as u128);
        assert_eq!(evaluate(&target, copies[0], value), evaluate(&source, deep, value));
    }
}
