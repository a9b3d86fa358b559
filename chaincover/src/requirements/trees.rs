//! Adaptive tests of requirements as nodes of `chain.json`, and back.

use contracts::adaptive::{Node, Tree};
use contracts::log;
use contracts::semantics::Valuation;
use contracts::syntax::Role;
use contracts::values::fields;
use contracts::{Allowed, Interface};
use report::test_tree::{Answer, TestNode, TestTree};

/// Nodes of a tree that are shown.
const SHOWN: usize = 50;

/// The nodes of a tree: the stimulus of a step at an even place, its watch behind it, and one end.
pub(super) fn nodes(interface: &Interface, tree: &Tree) -> Vec<TestNode> {
    // All steps stand before the one node at which all goals are met.
    let place = |node: usize| 2 * node;
    let mut found = Vec::new();
    for (number, node) in tree.nodes.iter().enumerate() {
        match node {
            Node::Done => {
                found.push(TestNode { verdict: Some("pass".to_owned()), ..TestNode::default() });
            }
            Node::Give { inputs, answers } => {
                found.push(TestNode {
                    inputs: Some(fields(interface, Role::Input, inputs)),
                    next: Some(place(number) + 1),
                    ..TestNode::default()
                });
                let answer = |(outputs, next): &(Valuation, usize)| Answer {
                    outputs: Some(fields(interface, Role::Output, outputs)),
                    next: place(*next),
                    ..Answer::default()
                };
                let watch = answers.iter().map(answer).collect();
                found.push(TestNode { watch: Some(watch), ..TestNode::default() });
            }
        }
    }
    found
}

/// The tree of some nodes.
///
/// # Errors
/// They are no test of the interface; a message says why.
pub(super) fn tree(interface: &Interface, nodes: &[TestNode]) -> Result<Tree, String> {
    TestTree { nodes: nodes.to_vec(), ..TestTree::default() }.check()?;
    let refuse = |place: usize| format!("node {place} is none of an adaptive test of requirements");
    // Steps get the numbers of their stimuli; a watch that nothing leads to is no node.
    let mut numbers = vec![None; nodes.len()];
    let starts = (0..nodes.len()).filter(|&place| nodes[place].watch.is_none());
    starts.enumerate().for_each(|(number, place)| numbers[place] = Some(number));
    let mut found = Vec::new();
    for (place, node) in nodes.iter().enumerate() {
        match (&node.inputs, node.next, &node.verdict) {
            (Some(inputs), Some(next), _) => {
                let inputs = log::inputs(interface, inputs).map_err(|why| format!("node {place}: {why}"))?;
                let watch = nodes[next].watch.as_ref().ok_or_else(|| refuse(next))?;
                let answer = |answer: &Answer| {
                    let outputs = answer.outputs.as_ref().ok_or_else(|| refuse(next))?;
                    let outputs =
                        log::outputs(interface, outputs).map_err(|why| format!("node {next}: {why}"))?;
                    Ok((outputs, numbers[answer.next].ok_or_else(|| refuse(answer.next))?))
                };
                let answers = watch.iter().map(answer).collect::<Result<_, String>>()?;
                found.push(Node::Give { inputs, answers });
            }
            (None, None, Some(verdict)) if verdict == "pass" => found.push(Node::Done),
            (None, None, None) if node.watch.is_some() && place > 0 => {}
            _ => return Err(refuse(place)),
        }
    }
    Ok(Tree { nodes: found })
}

/// A tree for people: for each node its inputs, and where the outputs lead.
pub(super) fn describe(interface: &Interface, tree: &Tree) -> String {
    let mut text = String::new();
    let inputs: Vec<_> = interface.variables(Role::Input).collect();
    for (place, node) in tree.nodes.iter().enumerate().take(SHOWN) {
        let Node::Give { inputs: given, .. } = node else {
            text += &format!("  [{place}] all goals are met\n");
            continue;
        };
        let shown = inputs.iter().filter_map(|&id| {
            let variable = interface.scope.variable(id);
            let value = given[contracts::semantics::id_index(id)].as_ref()?;
            Some(format!("{} = {}", variable.name, variable.ty.show(value)))
        });
        let shown = shown.collect::<Vec<_>>().join(", ");
        text += &format!("  [{place}] {shown}\n");
        let ways = tree.grouped(interface, place);
        let way = |(allowed, next): &(Allowed, usize)| {
            let outputs = allowed.describe(interface);
            format!("        {outputs} -> [{next}]\n")
        };
        text.extend(ways.iter().map(way));
    }
    if tree.nodes.len() > SHOWN {
        text += &format!("  ... {} more nodes\n", tree.nodes.len() - SHOWN);
    }
    text
}
