//! `chaincover graph`: the property reachability graph.

use super::args::{GraphArguments, GraphFormat};
use super::exit::Exit;
use super::failure::Failure;
use super::progress::TerminalProgress;
use super::{load, search};
use chaincover::{graph, reach_graph, visible};

/// Builds the graph as the paper does (up to the first depth with a covering path, or to `--max-k`)
/// and prints it.
pub(crate) fn run(arguments: &GraphArguments) -> Result<Exit, Failure> {
    let options = search::options(&arguments.search)?;
    let loaded = load::load_for(&arguments.model, &options, arguments.verbosity)?;
    let progress = TerminalProgress::new(arguments.verbosity.quiet, options.deadline);
    let graph = reach_graph(&loaded, &options, &progress);
    progress.finish();
    let graph = graph?;
    let text = match arguments.format {
        GraphFormat::Json => visible::json(&format!("{:#}\n", graph::to_json(&graph))),
        GraphFormat::Dot => graph::to_dot(&graph),
        GraphFormat::Svg => graph::to_svg(&graph),
    };
    let stopped = search::stopped(&options);
    super::print(&text).map(|printed| printed.combine(stopped))
}
