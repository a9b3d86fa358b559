//! Chains as tests: trees with verdicts.

use super::{Judging, Tests, too_many};
use crate::error::Error;
use actions::explore::conform::{Event, Product};
use actions::explore::cover::Chains;
use actions::explore::tree::{MOST_DETOURS, Node, Tree, tree};
use actions::interpret::TooMany;
use actions::player::value_json;
use report::test_tree::{Answer, SCHEMA, TestNode, TestTree};

impl Judging<'_> {
    /// A test for each chain over what is seen.
    ///
    /// # Errors
    /// There is too much to enumerate.
    pub(super) fn make_tests(&mut self, chains: &Chains, killable: &[usize]) -> Result<(), Error> {
        let detours = if self.options.tests == Tests::Adaptive { MOST_DETOURS } else { 0 };
        let mut tests = Vec::new();
        for (number, chain) in chains.iter().enumerate() {
            let killed = |mutant: &&usize| self.file.mutants[**mutant].chain == Some(number);
            let mutants: Vec<usize> = killable.iter().filter(killed).copied().collect();
            let products: Vec<&Product> = mutants.iter().filter_map(|&mutant| self.product(mutant)).collect();
            let tree = tree(&self.explored.automaton, &products, chain, detours);
            let nodes = self.nodes(&tree, &mutants)?;
            let certain = tree.is_certain && nodes.iter().all(|node| !node.refusable);
            tests.push(TestTree { certain, nodes, ..self.test() });
        }
        self.file.tests = tests;
        Ok(())
    }

    /// A test for each chain of labels without probes, which are no tests of the original.
    pub(super) fn plain_tests(&mut self) {
        let is_test = |chain: &&report::mutation::Chain| chain.steps.iter().all(|step| !step.probe);
        let chains = self.file.chains.iter().filter(is_test);
        let test = |chain| TestTree { nodes: TestTree::of_chain(chain), ..self.test() };
        self.file.tests = chains.map(test).collect();
    }

    /// A test without nodes.
    fn test(&self) -> TestTree {
        TestTree {
            schema: SCHEMA.to_owned(),
            system: self.file.system.clone(),
            specification: self.file.model.first().cloned().unwrap_or_default(),
            constants: self.options.constants.clone(),
            operators: self.file.operators.clone(),
            ..TestTree::default()
        }
    }

    fn nodes(&self, tree: &Tree, mutants: &[usize]) -> Result<Vec<TestNode>, Error> {
        let mut nodes = Vec::new();
        for (node, &at) in tree.nodes.iter().zip(&tree.at) {
            let refusable = match node {
                Node::Stimulate(event, _) => {
                    let event = self.explored.automaton.events[at as usize][*event].0;
                    self.may_refuse(event, at).map_err(|why| too_many(&why))?
                }
                _ => false,
            };
            nodes.push(TestNode { refusable, ..self.node(node, at, mutants) });
        }
        Ok(nodes)
    }
    /// Whether the original may be in a state in which it does not take a stimulus.
    fn may_refuse(&self, event: Event, at: u32) -> Result<bool, TooMany> {
        let Event::Stimulus(label) = event else { return Ok(false) };
        let (space, machine) = (&self.explored.space, self.original());
        let (action, args) = space.label(label);
        for &state in space.members(self.explored.automaton.sets[at as usize]).iter() {
            if machine.after_label(space.values(state), action, args)?.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }
    /// The greatest values of parameters that an answer stands for.
    fn upto(&self, event: Event, at: u32) -> Vec<serde_json::Value> {
        let Event::Answer(label) = event else { return Vec::new() };
        let (action, _) = self.label(label);
        let types = self.source.system.actions[action].parameters.iter().map(|parameter| &parameter.ty);
        let values = self.explored.space.upto(label, self.explored.automaton.sets[at as usize]);
        types.zip(values.iter()).map(|(ty, value)| value_json(ty, value)).collect()
    }
    fn node(&self, node: &Node, at: u32, mutants: &[usize]) -> TestNode {
        let step = |event: usize| self.step(&self.one(self.explored.automaton.events[at as usize][event].0));
        let is_look = |event: usize| self.explored.automaton.events[at as usize][event].0 == Event::Look;
        match node {
            Node::Stimulate(event, next) => {
                let step = step(*event);
                TestNode { input: step.input, args: step.args, next: Some(*next), ..TestNode::default() }
            }
            Node::Watch(answers, shown) => {
                let answer = |&(event, next): &(usize, usize)| {
                    let step = step(event);
                    let upto = self.upto(self.explored.automaton.events[at as usize][event].0, at);
                    Answer {
                        upto: if upto == step.args { Vec::new() } else { upto },
                        output: step.output,
                        args: step.args,
                        quiet: step.quiet && !is_look(event),
                        next,
                        ..Answer::default()
                    }
                };
                let reveals = shown.iter().map(|&mutant| self.file.mutants[mutants[mutant]].id.clone());
                TestNode {
                    watch: Some(answers.iter().map(answer).collect()),
                    reveals: reveals.collect(),
                    ..TestNode::default()
                }
            }
            Node::Pass => TestNode { verdict: Some("pass".to_owned()), ..TestNode::default() },
            Node::Inconclusive => {
                TestNode { verdict: Some("inconclusive".to_owned()), ..TestNode::default() }
            }
        }
    }
}
