//! Checking graphs and families of nodes: that they are about the system, and that their queries
//! have no model.

use super::super::manifest::Query;
use super::super::subject::Subject;
use super::super::{families, queries};
use super::stored::{check_queries, text};
use checker::families::Families;
use checker::graph::{Graph, Label};
use std::path::Path;

/// A file with a graph, as the manifest has it.
pub(super) struct Listed<'m> {
    pub(super) file: &'m str,
    /// Numbers of nodes and edges.
    pub(super) size: (usize, usize),
    pub(super) queries: &'m [Query],
}

/// The graph of a file.
pub(super) fn check_graph(place: &Path, listed: &Listed<'_>, subject: &Subject) -> Result<Graph, String> {
    let Listed { file, size, queries: stored } = *listed;
    let graph = Graph::parse(&text(place, file)?).map_err(|error| format!("{file}: {error}"))?;
    check_size(file, &graph, size)?;
    let values = graph.nodes.iter().map(|node| (&node.values[..], node.end));
    let subject =
        spoken_of(subject, (&graph.words, &graph.labels), values).map_err(|why| format!("{file}: {why}"))?;
    let names = queries::names(&subject, &graph);
    let needed = names.iter().map(|name| (name.text(), queries::query(name, &subject, &graph)));
    check_queries(place, needed, stored)?;
    Ok(graph)
}

/// The graph that the families of a file stand for.
pub(super) fn check_families(place: &Path, listed: &Listed<'_>, subject: &Subject) -> Result<Graph, String> {
    let Listed { file, size, queries: stored } = *listed;
    let families = Families::parse(&text(place, file)?).map_err(|error| format!("{file}: {error}"))?;
    let values = families.families.iter().map(|family| (&family.values[..], family.end));
    let highest = families.families.iter().map(|family| family.high).max();
    let subject = spoken_of(subject, (&families.words, &families.labels), values)
        .and_then(|subject| check_range(&subject, families.ranged, highest).map(|()| subject))
        .map_err(|why| format!("{file}: {why}"))?;
    let graph = families.expand().map_err(|why| format!("{file}: {why}"))?;
    check_size(file, &graph, size)?;
    check_queries(place, families::queries::queries(&subject, &families), stored)?;
    Ok(graph)
}

fn check_size(file: &str, graph: &Graph, size: (usize, usize)) -> Result<(), String> {
    match (graph.nodes.len(), graph.edges.len()) == size {
        true => Ok(()),
        false => Err(format!("{file}: the graph has another size than the manifest says")),
    }
}

/// The system as far as these words and labels speak of it, which must be its own, in its order.
/// Nodes, given by values and whether chains may end there, must fit it.
fn spoken_of<'g>(
    subject: &Subject,
    (words, labels): (&[String], &[Label]),
    mut nodes: impl Iterator<Item = (&'g [u128], bool)>,
) -> Result<Subject, String> {
    let labels = labels.iter().map(|label| (label.goal.clone(), label.step));
    let subject = subject.restricted(words, labels);
    let subject = subject.ok_or(
        "the graph is about other state words than the goals depend on, or its labels are not the steps of the goals",
    )?;
    let masks: Vec<u128> = (0..words.len()).map(|word| mask(&subject, word)).collect();
    let fits = |values: &[u128]| values.iter().zip(&masks).all(|(value, mask)| value & !mask == 0);
    let may_end_anywhere = subject.system.end.is_none();
    nodes.try_for_each(|(values, end)| match (fits(values), end || !may_end_anywhere) {
        (true, true) => Ok(()),
        (false, _) => Err("a node has a value that its word cannot have".to_owned()),
        (_, false) => Err("chains may end anywhere, but not in all nodes".to_owned()),
    })?;
    Ok(subject)
}

/// The values of the ranged word of families are such that it can have.
fn check_range(subject: &Subject, ranged: usize, highest: Option<u64>) -> Result<(), String> {
    let fits = ranged < subject.words.len() && u128::from(highest.unwrap_or(0)) <= mask(subject, ranged);
    if fits { Ok(()) } else { Err("a range has a value that its word cannot have".to_owned()) }
}

/// The greatest value of one of the subject's words.
fn mask(subject: &Subject, word: usize) -> u128 {
    subject.system.terms.symbol(subject.system.states[subject.words[word]].symbol).sort.mask()
}
