//! Finite graphs that stand for a system, and their text form.
//!
//! A node is a valuation of some state words of the system; an edge is a step between two nodes,
//! with the *labels* that a step of the system may have there: label k of a goal says that the step
//! fits as number k of an occurrence of that goal. The graph stands for the system if every initial
//! state is in an initial node, every state of Final is in a node marked so, and every step from a
//! state in a node leads along an edge with at least its labels. (That is what the queries beside
//! the graph prove.) Then whatever an execution covers, a path covers with as many steps: costs on
//! the graph are lower bounds.

use crate::text::{Malformed, marks, numbers, parse_marks, read_lines};
use std::collections::HashSet;
use std::fmt::Write;

/// A label: which step of which goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Name of the goal.
    pub goal: String,
    /// Number of the step within its window, from 0.
    pub step: u32,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Values of the graph's words.
    pub values: Vec<u128>,
    /// Whether an execution may begin here.
    pub initial: bool,
    /// Whether a chain may end here.
    pub end: bool,
}

impl Label {
    /// Reads `STEP GOAL`.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let (step, goal) = text.split_once(' ').ok_or("a label should have a goal")?;
        let step = step.parse().map_err(|_| "a label should have a number")?;
        Ok(Self { goal: goal.to_owned(), step })
    }
}

/// An edge.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// Position of the source.
    pub from: usize,
    /// Position of the target.
    pub to: usize,
    /// Positions of its labels, ascending.
    pub labels: Vec<usize>,
}

/// See the module text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// Names of the state words.
    pub words: Vec<String>,
    /// Labels.
    pub labels: Vec<Label>,
    /// Nodes.
    pub nodes: Vec<Node>,
    /// Edges, ascending.
    pub edges: Vec<Edge>,
}

const TITLE: &str = "chaincover graph 1";

impl Graph {
    /// The text form: a line `word NAME` for each word, `label STEP GOAL` for each label, `node
    /// MARKS VALUES` for each node (marks: `i` initial, `e` end, `-` none), `edge FROM TO LABELS`
    /// for each edge.
    pub fn print(&self) -> String {
        let mut text = format!("{TITLE}\n");
        for word in &self.words {
            let _ = writeln!(text, "word {word}");
        }
        for label in &self.labels {
            let _ = writeln!(text, "label {} {}", label.step, label.goal);
        }
        for node in &self.nodes {
            let _ = write!(text, "node {}", marks(node.initial, node.end));
            node.values.iter().for_each(|value| {
                let _ = write!(text, " {value}");
            });
            text.push('\n');
        }
        for edge in &self.edges {
            let _ = write!(text, "edge {} {}", edge.from, edge.to);
            edge.labels.iter().for_each(|label| {
                let _ = write!(text, " {label}");
            });
            text.push('\n');
        }
        text
    }

    /// Reads the text form and checks that all numbers are in range, nodes differ, and edges and
    /// labels ascend.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn parse(text: &str) -> Result<Self, Malformed> {
        let mut graph = Self::default();
        let mut seen = HashSet::new();
        let title = (TITLE, "this is no graph of a known version");
        read_lines(text, title, |kind, rest| graph.read(kind, rest, &mut seen))?;
        Ok(graph)
    }

    /// Reads a line; `seen` are the values of the nodes so far.
    fn read(&mut self, kind: &str, rest: &str, seen: &mut HashSet<Vec<u128>>) -> Result<(), &'static str> {
        let is_early = match kind {
            "word" => self.labels.is_empty() && self.nodes.is_empty(),
            "label" => self.nodes.is_empty(),
            "node" => self.edges.is_empty(),
            _ => true,
        };
        if !is_early {
            return Err("the order should be words, labels, nodes, edges");
        }
        match kind {
            "word" => self.words.push(rest.to_owned()),
            "label" => self.labels.push(Label::parse(rest)?),
            "node" => {
                let node = parse_node(rest).filter(|node| node.values.len() == self.words.len());
                let node = node.ok_or("a node should have marks and a value for each word")?;
                if !seen.insert(node.values.clone()) {
                    return Err("nodes should differ");
                }
                self.nodes.push(node);
            }
            "edge" => {
                let edge = parse_edge(rest, self);
                let edge = edge.ok_or("an edge should have two nodes and labels in ascending order")?;
                if self.edges.last().is_some_and(|last| *last >= edge) {
                    return Err("edges should ascend");
                }
                self.edges.push(edge);
            }
            _ => return Err("a line should be a word, label, node or edge"),
        }
        Ok(())
    }

    /// The edges out of each node, as ranges of `edges`.
    pub fn successors(&self) -> Vec<std::ops::Range<usize>> {
        let mut ranges = Vec::with_capacity(self.nodes.len());
        let mut begin = 0;
        for node in 0..self.nodes.len() {
            let end = begin + self.edges[begin..].iter().take_while(|edge| edge.from == node).count();
            ranges.push(begin..end);
            begin = end;
        }
        ranges
    }

    /// For each step of a goal of that many steps its label. `None`: a label is missing or there
    /// twice.
    pub fn labels_of(&self, goal: &str, steps: u32) -> Option<Vec<usize>> {
        let found = |step: u32| {
            let mut all = (0..self.labels.len())
                .filter(|&label| self.labels[label].goal == goal && self.labels[label].step == step);
            all.next().filter(|_| all.next().is_none())
        };
        (0..steps).map(found).collect()
    }
}

fn parse_node(text: &str) -> Option<Node> {
    let mut words = text.split(' ');
    let (initial, end) = parse_marks(words.next()?)?;
    Some(Node { values: numbers(words)?, initial, end })
}

fn parse_edge(text: &str, graph: &Graph) -> Option<Edge> {
    let all: Vec<usize> = numbers(text.split(' '))?;
    let (&[from, to], labels) = all.split_first_chunk::<2>()?;
    let in_range = from < graph.nodes.len()
        && to < graph.nodes.len()
        && labels.iter().all(|&label| label < graph.labels.len());
    let ascending = labels.is_sorted_by(|a, b| a < b);
    (in_range && ascending).then(|| Edge { from, to, labels: labels.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "chaincover graph 1\nword a b\nlabel 0 p\nlabel 1 p\nnode ie 0\nnode - 3\nedge 0 0\nedge 0 1 0 1\n";

    #[test]
    fn text_round_trips() {
        let graph = Graph::parse(TEXT).unwrap();
        assert_eq!(graph.print(), TEXT);
        assert_eq!(graph.successors(), [0..2, 2..2]);
        assert_eq!(graph.labels_of("p", 2), Some(vec![0, 1]));
        assert_eq!(graph.labels_of("p", 3), None);
    }

    #[test]
    fn malformed_texts_are_refused() {
        let nodes = &TEXT[..TEXT.find("edge").expect("an edge")];
        for (line, why) in [
            ("node - 3", "nodes should differ"),
            ("node x 4", "a node should have marks and a value for each word"),
            ("node - 4 4", "a node should have marks and a value for each word"),
            ("node -", "a node should have marks and a value for each word"),
        ] {
            assert_eq!(Graph::parse(&format!("{nodes}{line}\n")), Err(Malformed { line: 7, why }), "{line}");
        }
        let cases = [
            ("edge 0 1", "edges should ascend"),
            ("edge 1 2", "an edge should have two nodes and labels in ascending order"),
            ("edge 1 1 1 0", "an edge should have two nodes and labels in ascending order"),
            ("other", "a line should be a word, label, node or edge"),
            ("other 1", "a line should be a word, label, node or edge"),
        ];
        for (line, why) in cases {
            assert_eq!(Graph::parse(&format!("{TEXT}{line}\n")), Err(Malformed { line: 9, why }), "{line}");
        }
        assert_eq!(Graph::parse("").unwrap_err().line, 1);
        // A word or a label behind the nodes would leave these without a value or a meaning.
        for (line, at) in [("word c", 9), ("label 2 p", 9), ("node - 4", 9)] {
            let why = "the order should be words, labels, nodes, edges";
            assert_eq!(Graph::parse(&format!("{TEXT}{line}\n")), Err(Malformed { line: at, why }), "{line}");
        }
    }
}
