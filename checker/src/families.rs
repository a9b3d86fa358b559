//! Graphs of many nodes in short: families of nodes that differ in one word only and have the same
//! edges.
//!
//! A family holds all nodes with the same values of all words but one, the *ranged* word, which has
//! all values from `low` to `high`. An edge of a family stands for one edge out of each of its
//! nodes: to a certain value of the ranged word, or to one that is greater or less than before by a
//! certain number. A counter that runs on while nothing else happens is one family instead of
//! thousands of nodes, and one query over a free counter shows the edges of all of them.
//!
//! What a family stands for is the graph that [`Families::expand`] makes; costs are computed on
//! that.

use crate::graph::{Edge, Graph, Label, Node};
use crate::text::{Malformed, joined, marks, numbers, parse_marks, read_lines};
use std::collections::HashMap;
use std::fmt::Write;

/// Most nodes of an expanded graph.
pub const MOST_NODES: usize = 2_000_000;
/// Most edges of an expanded graph.
pub const MOST_EDGES: usize = 16_000_000;
const TITLE: &str = "chaincover families 1";

/// Where an edge leads in the ranged word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ranged {
    /// To this value.
    Value(u64),
    /// To the value before and this number.
    Shift(i64),
}

/// An edge of all nodes of a family.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FamilyEdge {
    /// Values of all words after the step; that of the ranged word is 0.
    pub values: Vec<u128>,
    /// The value of the ranged word after the step.
    pub ranged: Ranged,
    /// Positions of its labels, ascending.
    pub labels: Vec<usize>,
}

/// See the module text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// Values of all words; that of the ranged word is 0.
    pub values: Vec<u128>,
    /// Least value of the ranged word.
    pub low: u64,
    /// Greatest value of the ranged word.
    pub high: u64,
    /// Whether executions may begin in its nodes.
    pub initial: bool,
    /// Whether chains may end in its nodes.
    pub end: bool,
    /// The edges.
    pub edges: Vec<FamilyEdge>,
}

/// See the module text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Families {
    /// Names of the state words.
    pub words: Vec<String>,
    /// Position of the ranged word.
    pub ranged: usize,
    /// Labels.
    pub labels: Vec<Label>,
    /// The families.
    pub families: Vec<Family>,
}

impl Families {
    /// The text form: `word NAME`, `ranged POSITION`, `label STEP GOAL`, then for each family
    /// `family MARKS LOW HIGH VALUES` (marks: `i` initial, `e` end, `-` none) with its edges,
    /// `value NUMBER VALUES : LABELS` or `shift NUMBER VALUES : LABELS`. Among the values that of
    /// the ranged word is 0.
    pub fn print(&self) -> String {
        let mut text = format!("{TITLE}\n");
        self.words.iter().for_each(|word| text += &format!("word {word}\n"));
        let _ = writeln!(text, "ranged {}", self.ranged);
        self.labels.iter().for_each(|label| text += &format!("label {} {}\n", label.step, label.goal));
        for family in &self.families {
            let marks = marks(family.initial, family.end);
            let _ =
                writeln!(text, "family {marks} {} {} {}", family.low, family.high, joined(&family.values));
            for edge in &family.edges {
                let _ = match edge.ranged {
                    Ranged::Value(value) => write!(text, "value {value}"),
                    Ranged::Shift(shift) => write!(text, "shift {shift}"),
                };
                let _ = writeln!(text, " {} : {}", joined(&edge.values), joined(&edge.labels));
            }
        }
        text
    }

    /// Reads the text form.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn parse(text: &str) -> Result<Self, Malformed> {
        let mut families = Self::default();
        let title = (TITLE, "these are no families of a known version");
        let mut has_ranged = false;
        read_lines(text, title, |kind, rest| families.read(kind, rest, &mut has_ranged))?;
        if !has_ranged {
            return Err(Malformed { line: text.lines().count(), why: "no word is ranged" });
        }
        Ok(families)
    }

    /// Reads a line; `has_ranged` says whether the ranged word was named, on which all that follows
    /// depends.
    fn read(&mut self, kind: &str, rest: &str, has_ranged: &mut bool) -> Result<(), &'static str> {
        let fits = match kind {
            "word" | "ranged" => !*has_ranged,
            "label" => *has_ranged && self.families.is_empty(),
            "family" => *has_ranged,
            _ => true,
        };
        if !fits {
            return Err("the order should be words, the ranged one, labels, families");
        }
        match kind {
            "word" => self.words.push(rest.to_owned()),
            "ranged" => {
                let position = rest.parse().ok().filter(|&position| position < self.words.len());
                self.ranged = position.ok_or("the ranged word should be one of the words")?;
                *has_ranged = true;
            }
            "label" => self.labels.push(Label::parse(rest)?),
            "family" => {
                let family = self.family(rest).ok_or("a family should have marks, a range and values")?;
                self.families.push(family);
            }
            "value" | "shift" => {
                let edge = self.edge(kind, rest).ok_or("an edge should have values and ascending labels")?;
                let family = self.families.last_mut().ok_or("an edge should belong to a family")?;
                family.edges.push(edge);
            }
            _ => return Err("a line should be a word, label, family or edge"),
        }
        Ok(())
    }

    fn family(&self, text: &str) -> Option<Family> {
        let mut words = text.split(' ');
        let (initial, end) = parse_marks(words.next()?)?;
        let (low, high) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let values = self.values(words)?;
        (low <= high).then_some(Family { values, low, high, initial, end, edges: Vec::new() })
    }

    fn edge(&self, kind: &str, text: &str) -> Option<FamilyEdge> {
        let (front, labels) = text.split_once(" :")?;
        let mut words = front.split(' ');
        let ranged = match kind {
            "value" => Ranged::Value(words.next()?.parse().ok()?),
            _ => Ranged::Shift(words.next()?.parse().ok()?),
        };
        let labels: Vec<usize> = numbers(labels.split_ascii_whitespace())?;
        let fits = labels.is_sorted_by(|a, b| a < b) && labels.iter().all(|&label| label < self.labels.len());
        fits.then_some(FamilyEdge { values: self.values(words)?, ranged, labels })
    }

    fn values<'t>(&self, words: impl Iterator<Item = &'t str>) -> Option<Vec<u128>> {
        let values: Vec<u128> = numbers(words)?;
        (values.len() == self.words.len() && values.get(self.ranged) == Some(&0)).then_some(values)
    }

    /// Checks that the edges of all nodes, and their labels, are not too many.
    fn check_edges(&self) -> Result<(), String> {
        let count = |size: fn(&FamilyEdge) -> usize| {
            let of_family = |family: &Family| {
                let nodes = usize::try_from(family.high - family.low).unwrap_or(usize::MAX).saturating_add(1);
                nodes.saturating_mul(family.edges.iter().map(size).sum())
            };
            self.families.iter().map(of_family).fold(0, usize::saturating_add)
        };
        if count(|_| 1) > MOST_EDGES {
            return Err(format!("there are more than {MOST_EDGES} edges"));
        }
        // A label takes as much memory as a third of an edge.
        if count(|edge| 3 + edge.labels.len()) > 4 * MOST_EDGES {
            return Err(format!("there are more than {MOST_EDGES} edges and labels of them"));
        }
        Ok(())
    }

    /// The graph of all nodes, without their values.
    ///
    /// # Errors
    /// Where two families share a node, an edge leads to no node, or there are too many of either.
    pub fn expand(&self) -> Result<Graph, String> {
        let index = Index::new(&self.families)?;
        let mut graph = Graph { words: self.words.clone(), labels: self.labels.clone(), ..Graph::default() };
        for family in &self.families {
            let node = Node { values: Vec::new(), initial: family.initial, end: family.end };
            graph.nodes.extend((family.low..=family.high).map(|_| node.clone()));
        }
        self.check_edges()?;
        let mut from = 0;
        for family in &self.families {
            for value in family.low..=family.high {
                for edge in &family.edges {
                    let to = edge.ranged.after(value).and_then(|value| index.node(&edge.values, value));
                    let to = to.ok_or_else(|| format!("an edge of node {from} leads to no node"))?;
                    graph.edges.push(Edge { from, to, labels: edge.labels.clone() });
                }
                from += 1;
            }
        }
        Ok(graph)
    }
}

impl Ranged {
    /// The value after the step.
    pub fn after(self, before: u64) -> Option<u64> {
        match self {
            Self::Value(value) => Some(value),
            Self::Shift(shift) => before.checked_add_signed(shift),
        }
    }
}

/// Numbers of nodes by values.
struct Index<'f> {
    /// For all values but the ranged one: ranges, ascending, with the number of the first node.
    ranges: HashMap<&'f [u128], Vec<(u64, u64, usize)>>,
}

impl<'f> Index<'f> {
    fn new(families: &'f [Family]) -> Result<Self, String> {
        let mut ranges: HashMap<&[u128], Vec<(u64, u64, usize)>> = HashMap::new();
        let mut nodes = 0usize;
        for family in families {
            ranges.entry(&family.values).or_default().push((family.low, family.high, nodes));
            let size = usize::try_from(family.high - family.low).unwrap_or(MOST_NODES);
            nodes = nodes.saturating_add(size).saturating_add(1);
            if nodes > MOST_NODES {
                return Err(format!("there are more than {MOST_NODES} nodes"));
            }
        }
        for ranges in ranges.values_mut() {
            ranges.sort_unstable();
            if ranges.windows(2).any(|pair| pair[0].1 >= pair[1].0) {
                return Err("two families share a node".to_owned());
            }
        }
        Ok(Self { ranges })
    }

    fn node(&self, values: &[u128], ranged: u64) -> Option<usize> {
        let ranges = self.ranges.get(values)?;
        let next = ranges.partition_point(|&(low, ..)| low <= ranged);
        let (low, high, first) = ranges[next.checked_sub(1)?];
        (ranged <= high).then(|| first + (ranged - low) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A counter to 3 that may be reset; its end is a goal.
    const COUNTER: &str = "chaincover families 1\nword mode\nword count\nranged 1\nlabel 0 full\n\
        family i 0 0 0 0\nshift 0 0 0 : \nshift 1 0 0 : \nfamily - 1 2 0 0\nvalue 0 0 0 : \nshift 1 0 0 : \nfamily - 3 3 0 0\nvalue 0 1 0 : 0\n\
        family e 0 0 1 0\nvalue 0 1 0 : \n";

    #[test]
    fn text_round_trips_and_expands() {
        let counter = Families::parse(COUNTER).expect("families");
        assert_eq!(counter.print(), COUNTER);
        let graph = counter.expand().expect("a graph");
        let edges: Vec<(usize, usize, usize)> =
            graph.edges.iter().map(|edge| (edge.from, edge.to, edge.labels.len())).collect();
        assert_eq!(
            edges,
            [(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 2, 0), (2, 0, 0), (2, 3, 0), (3, 4, 1), (4, 4, 0)]
        );
        let marks: Vec<(bool, bool)> = graph.nodes.iter().map(|node| (node.initial, node.end)).collect();
        assert_eq!(marks, [(true, false), (false, false), (false, false), (false, false), (false, true)]);
        assert_eq!(
            crate::cover::Cover::new(&graph, vec![vec![0]]).least_cost(9, 100),
            crate::cover::Cost::Least(4)
        );
    }

    #[test]
    fn what_stands_for_no_graph_is_refused() {
        for (from, to, why) in [
            ("family - 1 2 0 0", "family - 1 3 0 0", "two families share a node"),
            ("family - 1 2 0 0", "family - 1 1 0 0", "an edge of node 1 leads to no node"),
            ("value 0 0 0 : ", "shift -2 0 0 : ", "an edge of node 1 leads to no node"),
            ("family e 0 0 1 0", "family e 0 9999999 1 0", "there are more than 2000000 nodes"),
        ] {
            let families = Families::parse(&COUNTER.replacen(from, to, 1)).expect("families");
            assert_eq!(families.expand().map(drop), Err(why.to_owned()), "{to}");
        }
    }

    #[test]
    fn families_without_a_ranged_word_are_refused() {
        let no_word = "the ranged word should be one of the words";
        let order = "the order should be words, the ranged one, labels, families";
        for (text, line, why) in [
            ("family - 0 0", 2, order),
            ("ranged 0\nfamily - 0 0", 2, no_word),
            ("word w", 2, "no word is ranged"),
            ("word w\nfamily - 0 0 0", 3, order),
            ("word w\nranged 1", 3, no_word),
            ("word w\nranged 0\nranged 0", 4, order),
            ("word v\nword w\nranged 0\nlabel 0 a\nfamily - 0 5 0 7\nranged 1\nfamily - 0 5 9 0", 7, order),
        ] {
            let parsed = Families::parse(&format!("{TITLE}\n{text}\n"));
            assert_eq!(parsed, Err(Malformed { line, why }), "{text}");
        }
    }

    /// Sixteen million edges may not have sixteen million times many labels.
    #[test]
    fn expansions_that_take_too_much_memory_are_refused() {
        let labels: String = (0..200).map(|label| format!("label 0 g{label}\n")).collect();
        let all: String = (0..200).map(|label| format!(" {label}")).collect();
        let text = format!("{TITLE}\nword w\nranged 0\n{labels}family ie 0 1999999 0\nshift 0 0 :{all}\n");
        let families = Families::parse(&text).expect("families");
        let why = families.expand().map(drop).expect_err("400 million labels");
        assert_eq!(why, format!("there are more than {MOST_EDGES} edges and labels of them"));
    }

    #[test]
    fn malformed_texts_are_refused() {
        let cases = [
            ("family i 3 2 0 0", "a family should have marks, a range and values"),
            ("family i 3 3 0 3", "a family should have marks, a range and values"),
            ("value 0 1 : 0", "an edge should have values and ascending labels"),
            ("value 0 1 0 : 1", "an edge should have values and ascending labels"),
            ("other 0", "a line should be a word, label, family or edge"),
            ("other", "a line should be a word, label, family or edge"),
        ];
        let line = COUNTER.lines().count() + 1;
        let order = "the order should be words, the ranged one, labels, families";
        let cases = cases.into_iter().chain([
            ("ranged 0", order),
            ("ranged 1", order),
            ("word more", order),
            ("label 0 more", order),
        ]);
        for (text, why) in cases {
            assert_eq!(
                Families::parse(&format!("{COUNTER}{text}\n")),
                Err(Malformed { line, why }),
                "{text}"
            );
        }
    }
}
