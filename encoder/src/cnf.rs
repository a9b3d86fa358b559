//! From the and-inverter graph to clauses.
//!
//! A [`Cnf`] gives a solver variable to each node that is asked for and to what that node depends
//! on, and nothing else; what has a variable keeps it. Every node is defined in both directions (G.
//! Tseitin, 1968), so the value of a literal in a model is the value of the circuit, also where the
//! query did not assert it.
//!
//! Conjunctions are not translated one by one. Where the graph spells out a multiplexer, an
//! exclusive or or a majority, the node is defined directly over the operands of that gate; trees
//! of conjunctions without other use become one wide conjunction. This is a choice of clauses only:
//! an inner node that is asked for later gets its own definition, which holds beside the gate's.

use crate::aig::{Aig, Literal, Node};
use crate::gates::{self, Special};
use solver::sat::{ClauseSink, Lit, Var};

/// The variables of a graph's nodes in one sink, and what they cost.
///
/// A memo is tied to one sink: all calls must get the same sink (or one that forwards to it).
#[derive(Clone, Default)]
pub struct Cnf {
    /// By node: number of its variable plus one; 0 where it has none.
    variables: Vec<u32>,
    truth: Option<Lit>,
    made: u32,
    clauses: u64,
    stack: Vec<usize>,
    /// The operands of the conjunction at hand.
    conjunction: Vec<Literal>,
    clause: Vec<Lit>,
}

/// What a node is as a function of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gate {
    /// A free input.
    Input,
    /// Conjunction of all literals in [`Cnf::conjunction`].
    And,
    /// A gate that is more than a conjunction.
    Special(Special),
}

impl Cnf {
    /// Without variables.
    pub fn new() -> Self {
        Self::default()
    }
    /// Number of variables made.
    pub fn variables(&self) -> u32 {
        self.made
    }
    /// Number of clauses written.
    pub fn clauses(&self) -> u64 {
        self.clauses
    }

    /// The literal that is fixed to true.
    pub fn truth(&mut self, sink: &mut dyn ClauseSink) -> Lit {
        if let Some(truth) = self.truth {
            return truth;
        }
        let truth = self.fresh(sink).positive();
        self.truth = Some(truth);
        self.emit(sink, [truth]);
        truth
    }

    /// The solver's literal of a node that has one already (constants: once the fixed truth was
    /// needed).
    pub fn known(&self, literal: Literal) -> Option<Lit> {
        match literal.constant() {
            Some(value) => self.truth.map(|truth| if value { truth } else { !truth }),
            None => {
                let number = self.variables.get(literal.node())?.checked_sub(1)?;
                Some(Var(number).literal(!literal.is_complemented()))
            }
        }
    }

    /// The solver's literal of a literal of the graph, defined by clauses together with all it
    /// depends on.
    pub fn literal(&mut self, aig: &Aig, literal: Literal, sink: &mut dyn ClauseSink) -> Lit {
        if let Some(value) = literal.constant() {
            let truth = self.truth(sink);
            return if value { truth } else { !truth };
        }
        if self.variables.len() < aig.len() {
            self.variables.resize(aig.len(), 0);
        }
        self.define(aig, literal.node(), sink);
        self.mapped(literal)
    }

    /// A literal that implies all of `parts`: the constant or the part itself where only one
    /// matters.
    pub fn implying(&mut self, parts: &[Lit], sink: &mut dyn ClauseSink) -> Lit {
        let truth = self.truth(sink);
        if parts.contains(&!truth) {
            return !truth;
        }
        let matter: Vec<Lit> = parts.iter().copied().filter(|&part| part != truth).collect();
        match matter[..] {
            [] => truth,
            [part] => part,
            _ => {
                let literal = self.fresh(sink).positive();
                for part in matter {
                    self.emit(sink, [!literal, part]);
                }
                literal
            }
        }
    }

    fn mapped(&self, literal: Literal) -> Lit {
        self.known(literal).expect("operands should be defined first")
    }

    /// Defines a node after all it depends on.
    fn define(&mut self, aig: &Aig, root: usize, sink: &mut dyn ClauseSink) {
        self.stack.push(root);
        while let Some(&node) = self.stack.last() {
            if self.variables[node] != 0 {
                self.stack.pop();
                continue;
            }
            let gate = self.recognise(aig, node);
            let ready = self.stack.len();
            self.push_undefined(gate);
            if self.stack.len() == ready {
                let variable = self.fresh(sink);
                self.variables[node] = variable.0 + 1;
                self.write_gate(variable.positive(), gate, sink);
                self.stack.pop();
            }
        }
    }

    fn push_undefined(&mut self, gate: Gate) {
        let Self { variables, stack, .. } = self;
        let push = |operand: Literal| {
            if variables[operand.node()] == 0 {
                stack.push(operand.node());
            }
        };
        match gate {
            Gate::Input => (),
            Gate::And => self.conjunction.iter().copied().for_each(push),
            Gate::Special(special) => special.operands().into_iter().for_each(push),
        }
    }

    fn recognise(&mut self, aig: &Aig, node: usize) -> Gate {
        match aig.node(node) {
            Node::False => unreachable!("the constant should not be defined as a node"),
            Node::Input(_) => Gate::Input,
            Node::And(lhs, rhs) => match gates::special(aig, lhs, rhs) {
                Some(special) => Gate::Special(special),
                None => {
                    self.collect_conjunction(aig, [lhs, rhs]);
                    Gate::And
                }
            },
        }
    }

    /// The leaves of a tree of conjunctions into [`Cnf::conjunction`]: through nodes that nothing
    /// else uses.
    fn collect_conjunction(&mut self, aig: &Aig, fanins: [Literal; 2]) {
        self.conjunction.clear();
        let mut open = fanins.to_vec();
        while let Some(literal) = open.pop() {
            let node = literal.node();
            let inner = !literal.is_complemented() && !aig.is_shared(node) && self.variables[node] == 0;
            match aig.fanins(node) {
                Some([lhs, rhs]) if inner && gates::special(aig, lhs, rhs).is_none() => {
                    open.extend([lhs, rhs])
                }
                _ => self.conjunction.push(literal),
            }
        }
        self.conjunction.sort_unstable();
        self.conjunction.dedup();
    }

    fn write_gate(&mut self, output: Lit, gate: Gate, sink: &mut dyn ClauseSink) {
        match gate {
            Gate::Input => (),
            Gate::And => self.write_conjunction(output, sink),
            Gate::Special(Special::Mux { condition, then, otherwise }) => {
                let [c, t, e] = [condition, then, otherwise].map(|operand| self.mapped(operand));
                self.emit(sink, [!c, !t, output]);
                self.emit(sink, [!c, t, !output]);
                self.emit(sink, [c, !e, output]);
                self.emit(sink, [c, e, !output]);
                if then != !otherwise {
                    // redundant, but the output follows from equal branches before the condition is
                    // known
                    self.emit(sink, [!t, !e, output]);
                    self.emit(sink, [t, e, !output]);
                }
            }
            Gate::Special(Special::Majority(operands)) => {
                let [a, b, c] = operands.map(|operand| self.mapped(operand));
                for [x, y] in [[a, b], [a, c], [b, c]] {
                    self.emit(sink, [!x, !y, output]);
                    self.emit(sink, [x, y, !output]);
                }
            }
        }
    }

    fn write_conjunction(&mut self, output: Lit, sink: &mut dyn ClauseSink) {
        let operands = std::mem::take(&mut self.conjunction);
        if operands.windows(2).any(|pair| pair[0] == !pair[1]) {
            self.emit(sink, [!output]);
        } else {
            let mut long = std::mem::take(&mut self.clause);
            long.clear();
            long.push(output);
            for &operand in &operands {
                let operand = self.mapped(operand);
                self.emit(sink, [!output, operand]);
                long.push(!operand);
            }
            sink.clause(&long);
            self.clauses += 1;
            self.clause = long;
        }
        self.conjunction = operands;
    }

    fn fresh(&mut self, sink: &mut dyn ClauseSink) -> Var {
        self.made += 1;
        sink.fresh()
    }

    fn emit<const N: usize>(&mut self, sink: &mut dyn ClauseSink, clause: [Lit; N]) {
        sink.clause(&clause);
        self.clauses += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::BitBuilder;

    /// Clauses for counting and for checking assignments one by one.
    #[derive(Default)]
    struct Recorder {
        variables: u32,
        clauses: Vec<Vec<Lit>>,
    }

    impl ClauseSink for Recorder {
        fn fresh(&mut self) -> Var {
            self.variables += 1;
            Var(self.variables - 1)
        }
        fn clause(&mut self, literals: &[Lit]) {
            self.clauses.push(literals.to_vec());
        }
    }

    impl Recorder {
        fn satisfied(&self, assignment: u64) -> bool {
            let holds = |literal: &Lit| (assignment >> literal.var().0 & 1 == 1) != literal.is_negated();
            self.clauses.iter().all(|clause| clause.iter().any(holds))
        }
    }

    /// The clauses must have exactly one model for each assignment of the inputs, and in it each
    /// asked literal must have the value of the circuit.
    fn check(aig: &Aig, roots: &[Literal]) -> Recorder {
        let (mut cnf, mut sink) = (Cnf::new(), Recorder::default());
        let inputs: Vec<Lit> =
            (0..aig.inputs()).map(|input| cnf.literal(aig, aig.input_literal(input), &mut sink)).collect();
        let outputs: Vec<Lit> = roots.iter().map(|&root| cnf.literal(aig, root, &mut sink)).collect();
        assert_eq!((cnf.variables(), cnf.clauses()), (sink.variables, sink.clauses.len() as u64));
        assert!(sink.variables <= 18, "{} variables are too many to enumerate", sink.variables);
        let value =
            |assignment: u64, literal: Lit| (assignment >> literal.var().0 & 1 == 1) != literal.is_negated();
        let mut models = 0;
        for assignment in (0..1u64 << sink.variables).filter(|&assignment| sink.satisfied(assignment)) {
            models += 1;
            let nodes = aig.evaluate(|input| u64::from(value(assignment, inputs[input])));
            for (&root, &output) in roots.iter().zip(&outputs) {
                assert_eq!(value(assignment, output), root.among(&nodes) & 1 == 1, "{root:?}");
            }
        }
        assert_eq!(models, 1 << aig.inputs());
        sink
    }

    fn three_inputs() -> (Aig, [Literal; 3]) {
        let mut aig = Aig::new();
        let inputs = [aig.input(), aig.input(), aig.input()];
        (aig, inputs)
    }

    #[test]
    fn gates_are_defined_over_their_operands() {
        type Build = fn(&mut Aig, [Literal; 3]) -> Literal;
        let cases: [(&str, Build, usize); 5] = [
            ("and", |aig, [a, b, c]| aig.all(&[a, !b, c]), 4),
            ("or", |aig, [a, b, c]| aig.any(&[a, b, !c]), 4),
            ("xor", |aig, [a, b, _]| aig.xor(a, !b), 4),
            ("mux", |aig, [a, b, c]| aig.mux(a, b, !c), 6),
            ("majority", |aig, [a, b, c]| aig.majority(a, !b, c), 6),
        ];
        for (name, build, clauses) in cases {
            let (mut aig, inputs) = three_inputs();
            let root = build(&mut aig, inputs);
            let sink = check(&aig, &[root, !root]);
            assert_eq!((sink.variables, sink.clauses.len()), (4, clauses), "{name}");
        }
    }

    #[test]
    fn inner_nodes_may_be_asked_for_before_and_after() {
        let (mut aig, [a, b, c]) = three_inputs();
        let ab = aig.and(a, b);
        let abc = aig.and(ab, c);
        let either = aig.xor(a, b);
        let most = aig.majority(a, b, c);
        check(&aig, &[ab, abc, either, most]);
        check(&aig, &[abc, ab, most, either, !ab]);
    }

    #[test]
    fn constants_are_the_fixed_truth() {
        let (aig, [a, ..]) = three_inputs();
        let sink = check(&aig, &[Literal::TRUE, a, Literal::FALSE]);
        assert_eq!(sink.clauses.len(), 1);
    }

    #[test]
    fn implying_literals_are_made_only_where_needed() {
        let (mut cnf, mut sink) = (Cnf::new(), Recorder::default());
        let truth = cnf.truth(&mut sink);
        let (a, b) = (sink.fresh().positive(), sink.fresh().positive());
        assert_eq!(cnf.implying(&[], &mut sink), truth);
        assert_eq!(cnf.implying(&[truth, a, truth], &mut sink), a);
        assert_eq!(cnf.implying(&[a, !truth, b], &mut sink), !truth);
        let both = cnf.implying(&[a, !b, truth], &mut sink);
        let models: Vec<u64> = (0..16).filter(|&assignment| sink.satisfied(assignment)).collect();
        assert_eq!(both.dimacs(), 4);
        assert!(models.iter().all(|model| model & 0b1000 == 0 || model & 0b0110 == 0b0010));
        assert!(models.contains(&0b1011));
    }

    #[test]
    fn contradictions_spread_over_a_tree_are_false() {
        let (mut aig, [a, b, c]) = three_inputs();
        let left = aig.and(a, b);
        let left = aig.and(left, c);
        let right = aig.and(c, !a);
        let root = aig.and(left, right);
        assert_ne!(root, Literal::FALSE, "a test of what rewriting does not see");
        check(&aig, &[root]);
    }

    #[test]
    fn random_graphs() {
        let mut state = 7u64;
        let mut random = |bound: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % bound
        };
        for _ in 0..60 {
            let mut aig = Aig::new();
            let mut pool: Vec<Literal> = (0..4).map(|_| aig.input()).collect();
            for _ in 0..8 {
                let mut pick = || pool[random(pool.len())].flipped(random(2) == 0);
                let operands = [pick(), pick(), pick()];
                let [a, b, c] = operands;
                pool.push(match random(4) {
                    0 => aig.all(&operands),
                    1 => aig.xor(a, b),
                    2 => aig.mux(a, b, c),
                    _ => aig.majority(a, b, c),
                });
            }
            check(&aig, &pool[10..]);
        }
    }
}
