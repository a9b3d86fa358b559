//! The property reachability graph as JSON, Graphviz text and SVG picture.

use super::markup::escaped;
use super::svg::Bend;
use engine::knowledge::distances::{Edge, EdgeEnd, Reach, ReachGraph};
use frontend::diagnostics::visible;
use serde_json::{Value as Json, json};
use std::f64::consts::TAU;
use std::fmt::Write;

/// The graph as JSON: exact edges, and what is known of the other pairs.
pub fn to_json(graph: &ReachGraph) -> Json {
    let name = |vertex| graph.name(vertex).to_owned();
    let edge = |edge: Edge| json!({ "from": name(edge.from), "to": name(edge.to), "weight": edge.weight, "engine": edge.engine.name() });
    let open = open_pairs(graph).into_iter().map(|(from, to, reach)| match reach {
        Reach::Never { proof } => {
            json!({ "from": name(from), "to": name(to), "unreachable": proof.to_string() })
        }
        Reach::AtLeast { steps } | Reach::Exactly { steps, .. } => {
            json!({ "from": name(from), "to": name(to), "at_least": steps })
        }
    });
    json!({
        "schema": "chaincover/graph/1",
        "k": graph.depth(),
        "vertices": vertices(graph).into_iter().map(name).collect::<Vec<_>>(),
        "edges": graph.edges().into_iter().map(edge).collect::<Vec<_>>(),
        "open": open.collect::<Vec<_>>(),
    })
}

/// The graph for Graphviz.
pub fn to_dot(graph: &ReachGraph) -> String {
    let mut text = String::from("digraph reachability {\n    rankdir=LR;\n");
    for vertex in vertices(graph) {
        let shape = if matches!(vertex, EdgeEnd::Goal(_)) { "ellipse" } else { "doublecircle" };
        let _ = writeln!(text, "    {} [shape={shape}];", quoted(graph.name(vertex)));
    }
    for edge in graph.edges() {
        let (from, to) = (quoted(graph.name(edge.from)), quoted(graph.name(edge.to)));
        let _ = writeln!(text, "    {from} -> {to} [label=\"{}\"];", edge.weight);
    }
    text.push_str("}\n");
    text
}

/// The graph as a picture: vertices on a circle, Init at the left, weights on the arrows.
pub fn to_svg(graph: &ReachGraph) -> String {
    const NODE: f64 = 26.0;
    let vertices = vertices(graph);
    let radius = 60.0 + 24.0 * vertices.len() as f64;
    let centre = radius + 3.0 * NODE;
    let place = |vertex: EdgeEnd| {
        let index = vertices.iter().position(|&other| other == vertex).unwrap_or(0);
        let angle = TAU * (0.5 + index as f64 / vertices.len() as f64);
        (centre + radius * angle.cos(), centre + radius * angle.sin())
    };
    let size = 2.0 * centre;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {size:.0} {size:.0}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <defs><marker id=\"arrow\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">\
         <path d=\"M0 0L10 5L0 10z\"/></marker></defs>\n"
    );
    for edge in graph.edges() {
        draw_edge(&mut text, place(edge.from), place(edge.to), NODE, edge.weight);
    }
    for &vertex in &vertices {
        let (x, y) = place(vertex);
        let fill = if matches!(vertex, EdgeEnd::Goal(_)) { "#fff" } else { "#dde8f5" };
        let name = escaped(graph.name(vertex));
        let _ = writeln!(
            text,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{NODE}\" fill=\"{fill}\" stroke=\"#000\"/>\
             <text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" dominant-baseline=\"central\">{name}</text>"
        );
    }
    text.push_str("</svg>\n");
    text
}

/// A bent arrow, so that two opposite edges stay apart, with its weight at the bend.
fn draw_edge(text: &mut String, from: (f64, f64), to: (f64, f64), node: f64, weight: u32) {
    let Bend { from: (x1, y1), control, to: (x2, y2), label } = Bend::between(from, to, node);
    let _ = writeln!(
        text,
        "<path d=\"M{x1:.1} {y1:.1}Q{:.1} {:.1} {x2:.1} {y2:.1}\" fill=\"none\" stroke=\"#555\" marker-end=\"url(#arrow)\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#036\">{weight}</text>",
        control.0, control.1, label.0, label.1
    );
}

/// Init, the goals, Final where there is one.
fn vertices(graph: &ReachGraph) -> Vec<EdgeEnd> {
    let goals = graph.goals().iter().map(|&goal| EdgeEnd::Goal(goal));
    std::iter::once(EdgeEnd::Init).chain(goals).chain(graph.has_end().then_some(EdgeEnd::Final)).collect()
}

/// Pairs without an exact weight.
fn open_pairs(graph: &ReachGraph) -> Vec<(EdgeEnd, EdgeEnd, Reach)> {
    let all = vertices(graph);
    let pairs = all.iter().flat_map(|&from| all.iter().map(move |&to| (from, to)));
    pairs
        .filter_map(|(from, to)| graph.reach(from, to).map(|reach| (from, to, reach)))
        .filter(|(.., reach)| !matches!(reach, Reach::Exactly { .. }))
        .collect()
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", visible(name).replace('\\', "\\\\").replace('"', "\\\""))
}
