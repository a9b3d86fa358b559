//! The and-inverter graph: all circuits of all frames, shared structurally.
//!
//! A node is the constant, an input or a conjunction of two [`Literal`]s; complement is a bit of
//! the literal and costs nothing. Nodes lie in one flat table, fan-ins before the conjunction, so
//! the table is its own topological order; equal conjunctions are the same node.
//!
//! Conjunctions are simplified by the rules of R. Brummayer and A. Biere, *Local Two-Level
//! And-Inverter Graph Minimization without Blowup* (MEMICS 2006), optimisation levels 1 to 3. A
//! rule looks at the fan-ins of the two operands alone and never at what else exists, so the
//! literal of a conjunction depends on its operands only: what was forgotten can be built again and
//! is found, not duplicated.

use crate::bits::BitBuilder;
use rustc_hash::FxHashMap;

/// A node of an [`Aig`], possibly complemented: node number times two, plus one where complemented.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal(u32);

impl Literal {
    /// The constant false.
    pub const FALSE: Self = Self(0);
    /// The constant true.
    pub const TRUE: Self = Self(1);

    /// The literal of a node.
    const fn of(node: usize) -> Self {
        Self((node as u32) << 1)
    }
    /// Number of the node.
    pub const fn node(self) -> usize {
        (self.0 >> 1) as usize
    }
    /// Whether the literal is the complement of its node.
    pub const fn is_complemented(self) -> bool {
        self.0 & 1 == 1
    }
    /// The literal of the same node without complement.
    pub const fn positive(self) -> Self {
        Self(self.0 & !1)
    }
    /// This literal, complemented where `flip`.
    pub const fn flipped(self, flip: bool) -> Self {
        Self(self.0 ^ flip as u32)
    }
    /// Number as in the AIGER formats: node number times two plus sign.
    pub const fn code(self) -> u32 {
        self.0
    }
    /// The value of the literal in 64 evaluations, given the values of the nodes as
    /// [`Aig::evaluate`] returns them.
    pub fn among(self, values: &[u64]) -> u64 {
        values[self.node()] ^ (self.0 as u64 & 1).wrapping_neg()
    }
    /// The value of a constant literal.
    pub const fn constant(self) -> Option<bool> {
        if self.0 <= 1 { Some(self.0 == 1) } else { None }
    }
}

impl std::ops::Not for Literal {
    type Output = Self;
    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

impl std::fmt::Debug for Literal {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}n{}", if self.is_complemented() { "!" } else { "" }, self.node())
    }
}

const _: () = assert!(size_of::<Literal>() == 4);

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// The constant false; node 0 alone.
    False,
    /// A free input, by its number.
    Input(u32),
    /// The conjunction of two literals of earlier nodes.
    And(Literal, Literal),
}

/// First fan-in of an input node; the second one then holds the number of the input.
const INPUT_MARK: Literal = Literal(u32::MAX);
/// Free slot of the hash table; node 0 is never hashed.
const EMPTY: u32 = 0;
/// Node numbers stay below: a literal has one bit less than `u32`.
const MAX_NODES: usize = 1 << 30;

/// An and-inverter graph with structural hashing and local rewriting; see the module text.
#[derive(Clone)]
pub struct Aig {
    /// Fan-ins, the smaller one first.
    nodes: Vec<[Literal; 2]>,
    /// Number of conjunctions over the node, saturating at 255.
    fanouts: Vec<u8>,
    /// Node numbers of the inputs.
    inputs: Vec<u32>,
    /// Open addressing, linear probing, at most half full; entries are node numbers.
    table: Vec<u32>,
    /// Number of conjunctions.
    ands: usize,
    /// For nodes that are taken for constants which ones.
    fixed: FxHashMap<u32, bool>,
}

impl Default for Aig {
    fn default() -> Self {
        Self::new()
    }
}

impl Aig {
    /// A graph with the constant alone.
    pub fn new() -> Self {
        Self {
            nodes: vec![[Literal::FALSE; 2]],
            fanouts: vec![0],
            inputs: Vec::new(),
            table: vec![EMPTY; 1 << 10],
            ands: 0,
            fixed: FxHashMap::default(),
        }
    }
    /// Number of nodes, the constant and inputs included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }
    /// Whether the graph holds nothing but the constant.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 1
    }
    /// Number of conjunctions.
    pub fn ands(&self) -> usize {
        self.ands
    }
    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        self.inputs.len()
    }
    /// A new free input.
    pub fn input(&mut self) -> Literal {
        let number = self.inputs.len() as u32;
        let node = self.push([INPUT_MARK, Literal(number)]);
        self.inputs.push(node as u32);
        Literal::of(node)
    }
    /// The literal of an input.
    pub fn input_literal(&self, number: usize) -> Literal {
        Literal(self.inputs[number] << 1)
    }
    /// Takes a literal for true wherever it is an operand or a result from now on: for those who
    /// assert that it is. Where it is a conjunction, so is each part of it.
    pub fn fix(&mut self, literal: Literal) {
        let mut open = vec![literal];
        while let Some(literal) = open.pop() {
            if literal.constant().is_some() {
                continue;
            }
            self.fixed.insert(literal.node() as u32, !literal.is_complemented());
            if !literal.is_complemented() {
                open.extend(self.fanins(literal.node()).into_iter().flatten());
            }
        }
    }
    /// The constant that a literal is taken for, or itself.
    fn as_fixed(&self, literal: Literal) -> Literal {
        match self.fixed.get(&(literal.node() as u32)) {
            Some(&value) => Literal(u32::from(value)).flipped(literal.is_complemented()),
            None => literal,
        }
    }
    /// The uncomplemented literal of a node.
    pub fn literal(&self, node: usize) -> Literal {
        assert!(node < self.nodes.len(), "a node should be of this graph");
        Literal::of(node)
    }
    /// What a node is.
    pub fn node(&self, node: usize) -> Node {
        match self.nodes[node] {
            [INPUT_MARK, number] => Node::Input(number.0),
            _ if node == 0 => Node::False,
            [lhs, rhs] => Node::And(lhs, rhs),
        }
    }
    /// The fan-ins of a conjunction.
    pub fn fanins(&self, node: usize) -> Option<[Literal; 2]> {
        let fanins = self.nodes[node];
        (node != 0 && fanins[0] != INPUT_MARK).then_some(fanins)
    }
    /// Whether more than one conjunction has the node as fan-in.
    pub fn is_shared(&self, node: usize) -> bool {
        self.fanouts[node] > 1
    }

    /// The values of all nodes in 64 independent evaluations, given the values of the inputs (by
    /// input number).
    pub fn evaluate(&self, input: impl Fn(usize) -> u64) -> Vec<u64> {
        let mut values: Vec<u64> = Vec::with_capacity(self.nodes.len());
        for node in 0..self.nodes.len() {
            let value = match self.node(node) {
                Node::False => 0,
                Node::Input(number) => input(number as usize),
                Node::And(lhs, rhs) => lhs.among(&values) & rhs.among(&values),
            };
            values.push(value);
        }
        values
    }

    /// The nodes that the roots depend on, in ascending (topological) order, inputs included, the
    /// constant not.
    pub fn cone(&self, roots: impl IntoIterator<Item = Literal>) -> Vec<usize> {
        let mut marked = vec![false; self.nodes.len()];
        for root in roots {
            marked[root.node()] = true;
        }
        for node in (1..self.nodes.len()).rev() {
            if let (true, Some([lhs, rhs])) = (marked[node], self.fanins(node)) {
                marked[lhs.node()] = true;
                marked[rhs.node()] = true;
            }
        }
        (1..self.nodes.len()).filter(|&node| marked[node]).collect()
    }

    fn push(&mut self, fanins: [Literal; 2]) -> usize {
        let node = self.nodes.len();
        assert!(node < MAX_NODES, "an and-inverter graph should stay below {MAX_NODES} nodes");
        self.nodes.push(fanins);
        self.fanouts.push(0);
        node
    }

    /// The node of a conjunction that no rule simplifies: the known one, or a new one.
    fn hashed(&mut self, lhs: Literal, rhs: Literal) -> Literal {
        let fanins = if lhs < rhs { [lhs, rhs] } else { [rhs, lhs] };
        let mut slot = self.slot(fanins);
        while self.table[slot] != EMPTY {
            let node = self.table[slot];
            if self.nodes[node as usize] == fanins {
                return Literal(node << 1);
            }
            slot = (slot + 1) & (self.table.len() - 1);
        }
        let node = self.push(fanins);
        self.table[slot] = node as u32;
        self.ands += 1;
        for fanin in fanins {
            let count = &mut self.fanouts[fanin.node()];
            *count = count.saturating_add(1);
        }
        if 2 * self.ands > self.table.len() {
            self.grow();
        }
        Literal::of(node)
    }

    fn slot(&self, fanins: [Literal; 2]) -> usize {
        let key = u64::from(fanins[0].0) << 32 | u64::from(fanins[1].0);
        let hash = (key ^ key >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (hash >> (64 - self.table.len().trailing_zeros())) as usize
    }

    fn grow(&mut self) {
        self.table = vec![EMPTY; 4 * self.table.len()];
        for node in 1..self.nodes.len() {
            if let Some(fanins) = self.fanins(node) {
                let mut slot = self.slot(fanins);
                while self.table[slot] != EMPTY {
                    slot = (slot + 1) & (self.table.len() - 1);
                }
                self.table[slot] = node as u32;
            }
        }
    }
}

/// What a rule says of a conjunction.
enum Rewritten {
    /// It is this literal.
    To(Literal),
    /// It is the conjunction of these, which is to be simplified in turn.
    Again(Literal, Literal),
}

/// Neutrality, boundedness, idempotence, contradiction: the rules that look at the operands alone.
fn one_level(a: Literal, b: Literal) -> Option<Literal> {
    match (a, b) {
        _ if a == b => Some(a),
        _ if a == !b => Some(Literal::FALSE),
        (Literal::FALSE, _) | (_, Literal::FALSE) => Some(Literal::FALSE),
        (Literal::TRUE, other) | (other, Literal::TRUE) => Some(other),
        _ => None,
    }
}

/// The rules for `a & b` that look at the fan-ins of `a`.
fn asymmetric(a: Literal, [a0, a1]: [Literal; 2], b: Literal) -> Option<Rewritten> {
    match a.is_complemented() {
        // contradiction: (a0 & a1) & !a0
        false if a0 == !b || a1 == !b => Some(Rewritten::To(Literal::FALSE)),
        // idempotence: (a0 & a1) & a0
        false if a0 == b || a1 == b => Some(Rewritten::To(a)),
        // subsumption: !(a0 & a1) & !a0
        true if a0 == !b || a1 == !b => Some(Rewritten::To(b)),
        // substitution: !(a0 & a1) & a1 = !a0 & a1
        true if a1 == b => Some(Rewritten::Again(!a0, b)),
        true if a0 == b => Some(Rewritten::Again(!a1, b)),
        _ => None,
    }
}

/// The rules for `a & b` that look at the fan-ins of both, `a` being complemented and `b` not.
fn mixed([a0, a1]: [Literal; 2], b: Literal, [b0, b1]: [Literal; 2]) -> Option<Rewritten> {
    if a0 == !b0 || a0 == !b1 || a1 == !b0 || a1 == !b1 {
        // subsumption: !(a0 & a1) & (!a0 & b1)
        Some(Rewritten::To(b))
    } else if a1 == b0 || a1 == b1 {
        // substitution: !(a0 & a1) & (a1 & b1) = !a0 & (a1 & b1)
        Some(Rewritten::Again(!a0, b))
    } else if a0 == b0 || a0 == b1 {
        Some(Rewritten::Again(!a1, b))
    } else {
        None
    }
}

/// Resolution: `!(x & y) & !(x & !y) = !x`.
fn resolution([a0, a1]: [Literal; 2], [b0, b1]: [Literal; 2]) -> Option<Rewritten> {
    let resolves = |x: Literal, y: Literal, other: Literal, z: Literal| x == other && y == !z;
    if resolves(a0, a1, b0, b1) || resolves(a0, a1, b1, b0) {
        Some(Rewritten::To(!a0))
    } else if resolves(a1, a0, b0, b1) || resolves(a1, a0, b1, b0) {
        Some(Rewritten::To(!a1))
    } else {
        None
    }
}

impl Aig {
    fn two_level(&self, a: Literal, b: Literal) -> Option<Rewritten> {
        let (of_a, of_b) = (self.fanins(a.node()), self.fanins(b.node()));
        if let Some(rewritten) = of_a.and_then(|fanins| asymmetric(a, fanins, b)) {
            return Some(rewritten);
        }
        if let Some(rewritten) = of_b.and_then(|fanins| asymmetric(b, fanins, a)) {
            return Some(rewritten);
        }
        let (of_a, of_b) = (of_a?, of_b?);
        match (a.is_complemented(), b.is_complemented()) {
            (false, false) => {
                // contradiction: (a0 & a1) & (!a0 & b1)
                let clash = of_a.iter().any(|&fanin| fanin == !of_b[0] || fanin == !of_b[1]);
                clash.then_some(Rewritten::To(Literal::FALSE))
            }
            (true, false) => mixed(of_a, b, of_b),
            (false, true) => mixed(of_b, a, of_a),
            (true, true) => resolution(of_a, of_b),
        }
    }
}

impl Aig {
    /// The conjunction of two literals.
    fn conjunction(&mut self, mut lhs: Literal, mut rhs: Literal) -> Literal {
        loop {
            if let Some(simpler) = one_level(lhs, rhs) {
                return simpler;
            }
            match self.two_level(lhs, rhs) {
                Some(Rewritten::To(simpler)) => return simpler,
                // ends: the new operand is a fan-in of the old one, so the sum of node numbers
                // falls
                Some(Rewritten::Again(a, b)) => (lhs, rhs) = (a, b),
                None => return self.hashed(lhs, rhs),
            }
        }
    }
}

impl BitBuilder for Aig {
    type Bit = Literal;

    fn gates(&self) -> usize {
        self.ands
    }
    fn constant(&mut self, value: bool) -> Literal {
        Literal(u32::from(value))
    }
    fn not(&mut self, bit: Literal) -> Literal {
        !bit
    }
    fn and(&mut self, lhs: Literal, rhs: Literal) -> Literal {
        if self.fixed.is_empty() {
            return self.conjunction(lhs, rhs);
        }
        let both = self.conjunction(self.as_fixed(lhs), self.as_fixed(rhs));
        self.as_fixed(both)
    }
    fn known(&self, bit: Literal) -> Option<bool> {
        bit.constant()
    }
    /// Constants stand on the right, as in terms.
    fn swaps(&self, lhs: &[Literal], rhs: &[Literal]) -> bool {
        let is_constant = |word: &[Literal]| word.iter().all(|bit| bit.constant().is_some());
        (is_constant(lhs), lhs) > (is_constant(rhs), rhs)
    }
    /// Complements are pulled out, so that `a ^ b`, `!a ^ b` and `a == b` share their nodes.
    fn xor(&mut self, lhs: Literal, rhs: Literal) -> Literal {
        let flip = lhs.is_complemented() != rhs.is_complemented();
        let (lhs, rhs) = (lhs.positive(), rhs.positive());
        let both = self.and(lhs, rhs);
        let neither = self.and(!lhs, !rhs);
        self.and(!both, !neither).flipped(flip)
    }
    /// One of the equal forms under exchange of operands and complement of all three: an adder's
    /// carry and a comparison of the same operands share their nodes.
    fn majority(&mut self, a: Literal, b: Literal, c: Literal) -> Literal {
        let mut operands = [a, b, c];
        operands.sort_unstable();
        let flip = operands[0].is_complemented();
        let [a, b, c] = operands.map(|operand| operand.flipped(flip));
        let both = self.and(a, b);
        let neither = self.and(!a, !b);
        let passed = self.and(c, !neither);
        (!self.and(!both, !passed)).flipped(flip)
    }
    fn full_adder(&mut self, a: Literal, b: Literal, c: Literal) -> (Literal, Literal) {
        let partial = self.xor(a, b);
        (self.xor(partial, c), self.majority(a, b, c))
    }
    /// The condition and the result are made positive, so that `c ? t : e`, `!c ? e : t` and their
    /// complements share nodes.
    fn mux(&mut self, condition: Literal, then: Literal, otherwise: Literal) -> Literal {
        if then.node() == otherwise.node() {
            return if then == otherwise { then } else { !self.xor(condition, then) };
        }
        let (condition, then, otherwise) = if condition.is_complemented() {
            (!condition, otherwise, then)
        } else {
            (condition, then, otherwise)
        };
        let flip = then.is_complemented();
        let taken = self.and(condition, then.flipped(flip));
        let left = self.and(!condition, otherwise.flipped(flip));
        (!self.and(!taken, !left)).flipped(flip)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Truth tables over six inputs: the evaluation of all 64 assignments at once.
    const VARIABLES: [u64; 6] = [
        0xAAAA_AAAA_AAAA_AAAA,
        0xCCCC_CCCC_CCCC_CCCC,
        0xF0F0_F0F0_F0F0_F0F0,
        0xFF00_FF00_FF00_FF00,
        0xFFFF_0000_FFFF_0000,
        0xFFFF_FFFF_0000_0000,
    ];

    /// A small deterministic generator (xorshift64*).
    struct Random(u64);
    impl Random {
        fn below(&mut self, bound: usize) -> usize {
            self.0 ^= self.0 >> 12;
            self.0 ^= self.0 << 25;
            self.0 ^= self.0 >> 27;
            (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
        }
    }

    #[test]
    fn rewriting_keeps_the_function() {
        let mut random = Random(0x1234_5678_9ABC_DEF1);
        for _ in 0..300 {
            let mut aig = Aig::new();
            let mut pool: Vec<(Literal, u64)> = VARIABLES.map(|variable| (aig.input(), variable)).to_vec();
            for _ in 0..120 {
                // mostly recent operands, so that two-level patterns arise
                let mut pick = || {
                    let window = pool.len().min(8 + random.below(20));
                    let (literal, table) = pool[pool.len() - 1 - random.below(window)];
                    if random.below(2) == 0 { (literal, table) } else { (!literal, !table) }
                };
                let (a, b, c) = (pick(), pick(), pick());
                let made = match random.below(5) {
                    0 | 1 => (aig.and(a.0, b.0), a.1 & b.1),
                    2 => (aig.xor(a.0, b.0), a.1 ^ b.1),
                    3 => (aig.majority(a.0, b.0, c.0), a.1 & b.1 | a.1 & c.1 | b.1 & c.1),
                    _ => (aig.mux(a.0, b.0, c.0), a.1 & b.1 | !a.1 & c.1),
                };
                pool.push(made);
            }
            let values = aig.evaluate(|input| VARIABLES[input]);
            for (literal, expected) in pool {
                assert_eq!(literal.among(&values), expected);
            }
        }
    }

    #[test]
    fn every_rule_leaves_no_node_behind() {
        let mut aig = Aig::new();
        let [a, b, c] = [aig.input(), aig.input(), aig.input()];
        let ab = aig.and(a, b);
        let a_not_b = aig.and(a, !b);
        let bc = aig.and(b, c);
        let not_a_c = aig.and(!a, c);
        let made = aig.ands();
        let cases = [
            ("neutrality", a, Literal::TRUE, a),
            ("boundedness", a, Literal::FALSE, Literal::FALSE),
            ("idempotence", a, a, a),
            ("contradiction", a, !a, Literal::FALSE),
            ("asymmetric contradiction", ab, !a, Literal::FALSE),
            ("asymmetric idempotence", ab, b, ab),
            ("asymmetric subsumption", !ab, !b, !b),
            ("asymmetric substitution", !ab, a, a_not_b),
            ("symmetric contradiction", ab, not_a_c, Literal::FALSE),
            ("symmetric subsumption", !ab, not_a_c, not_a_c),
            ("resolution", !ab, !a_not_b, !a),
        ];
        for (rule, lhs, rhs, expected) in cases {
            assert_eq!(aig.and(lhs, rhs), expected, "{rule}");
            assert_eq!(aig.and(rhs, lhs), expected, "{rule}, operands exchanged");
        }
        assert_eq!(aig.ands(), made);
        let substituted = aig.and(!ab, bc);
        assert_eq!(substituted, aig.and(!a, bc), "symmetric substitution");
    }

    #[test]
    fn equal_functions_of_the_same_form_are_the_same_node() {
        let mut aig = Aig::new();
        let [a, b, c] = [aig.input(), aig.input(), aig.input()];
        assert_eq!(aig.xor(a, b), aig.xor(b, a));
        assert_eq!(aig.xor(a, b), !aig.xor(!a, b));
        assert_eq!(aig.mux(a, b, c), aig.mux(!a, c, b));
        assert_eq!(aig.mux(a, b, c), !aig.mux(a, !b, !c));
        assert_eq!(aig.mux(a, b, !b), !aig.xor(a, b));
        assert_eq!(aig.majority(!c, a, !b), !aig.majority(b, c, !a));
    }

    #[test]
    fn adders_with_a_constant_carry_need_no_carry_logic() {
        let mut aig = Aig::new();
        let [a, b] = [aig.input(), aig.input()];
        let (sum, carry) = aig.full_adder(a, b, Literal::TRUE);
        assert_eq!(sum, !aig.xor(a, b));
        assert_eq!(carry, aig.or(a, b));
        let (sum, carry) = aig.full_adder(Literal::TRUE, !a, b);
        assert_eq!((sum, carry), (aig.xor(a, b), aig.or(!a, b)));
        let (sum, carry) = aig.full_adder(a, Literal::FALSE, !b);
        assert_eq!((sum, carry), (!aig.xor(a, b), aig.and(a, !b)));
    }

    #[test]
    fn the_table_grows_and_still_finds_all() {
        let mut aig = Aig::new();
        let inputs: Vec<Literal> = (0..200).map(|_| aig.input()).collect();
        let pairs = || (0..200).flat_map(|a| (0..a).map(move |b| (a, b)));
        let made: Vec<Literal> = pairs().map(|(a, b)| aig.and(inputs[a], !inputs[b])).collect();
        assert_eq!(aig.ands(), made.len());
        let again: Vec<Literal> = pairs().map(|(a, b)| aig.and(inputs[a], !inputs[b])).collect();
        assert_eq!(made, again);
        assert_eq!(aig.ands(), made.len());
    }

    #[test]
    fn cones_hold_what_matters_and_nothing_else() {
        let mut aig = Aig::new();
        let [a, b, c] = [aig.input(), aig.input(), aig.input()];
        let ab = aig.and(a, b);
        let bc = aig.and(b, !c);
        assert_eq!(aig.cone([!ab]), [a.node(), b.node(), ab.node()]);
        let values = aig.evaluate(|input| [0b01, 0b11, 0b10][input]);
        assert_eq!((ab.among(&values), bc.among(&values)), (0b01, 0b01));
    }
}
