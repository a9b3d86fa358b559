//! The reachability graph with the tours of the chains, as a picture.

use super::text::escaped;
use crate::output::chain_file::ChainFile;
use crate::output::svg::Bend;
use std::f64::consts::TAU;
use std::fmt::Write;

/// More vertices than that: only the tours are drawn.
const CROWDED: usize = 24;
/// More than that: nothing is drawn.
const TOO_MANY: usize = 150;
const NODE: f64 = 24.0;

/// An arrow.
struct Arrow {
    from: usize,
    to: usize,
    text: String,
    on_tour: bool,
}

/// The picture, with a table of the tours below.
pub(super) fn section(file: &ChainFile) -> String {
    let vertices = vertices(file);
    if file.chains.is_empty() || vertices.len() > TOO_MANY {
        return String::new();
    }
    let arrows = arrows(file, &vertices);
    let radius = 40.0 + 22.0 * vertices.len() as f64;
    let (width, height) = (2.0 * radius + 8.0 * NODE, 2.0 * radius + 4.0 * NODE);
    let place = |vertex: usize| {
        let angle = TAU * (0.5 + vertex as f64 / vertices.len() as f64);
        (width / 2.0 + radius * angle.cos(), height / 2.0 + radius * angle.sin())
    };
    let mut picture = format!(
        "<svg viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-label=\"Reachability graph\">\
         <defs><marker id=\"tip\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L10 5L0 10z\"/></marker>\
         <marker id=\"tip-tour\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"5\" markerHeight=\"5\" orient=\"auto\"><path class=\"tour-tip\" d=\"M0 0L10 5L0 10z\"/></marker></defs>\n"
    );
    for arrow in
        arrows.iter().filter(|arrow| !arrow.on_tour).chain(arrows.iter().filter(|arrow| arrow.on_tour))
    {
        draw(&mut picture, place(arrow.from), place(arrow.to), arrow);
    }
    for (index, name) in vertices.iter().enumerate() {
        let (x, y) = place(index);
        let name = escaped(name);
        let _ = write!(
            picture,
            "<g class=\"vertex\" data-vertex=\"{index}\"><circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{NODE}\"/><text x=\"{x:.1}\" y=\"{y:.1}\">{name}</text></g>"
        );
    }
    picture.push_str("</svg>\n");
    let omitted = vertices.len() > CROWDED && !file.graph.is_empty();
    let note = if omitted { "<p>Distances off the tours are left out of the picture.</p>\n" } else { "" };
    format!(
        "<p>Numbers are proven shortest distances in steps, from the first step of one goal to that of the next; on the tour (thick), \
         the distance in the chain stands behind the slash where it is longer. Point at a goal to see its distances alone.</p>\n<div class=\"wide\">{picture}</div>\n{note}"
    )
}

/// Init, the goals in the order of the chains, Final where the graph has it: so tours run around
/// the circle.
fn vertices(file: &ChainFile) -> Vec<String> {
    let mut names = vec!["Init".to_owned()];
    names.extend(file.chains.iter().flat_map(|chain| chain.order.iter().cloned()));
    if file.graph.values().any(|targets| targets.contains_key("Final")) {
        names.push("Final".to_owned());
    }
    names
}

fn arrows(file: &ChainFile, vertices: &[String]) -> Vec<Arrow> {
    let index = |name: &str| vertices.iter().position(|vertex| vertex == name);
    let distance = |from: &str, to: &str| file.graph.get(from).and_then(|targets| targets.get(to)).copied();
    let mut arrows: Vec<Arrow> = Vec::new();
    for chain in &file.chains {
        let at = |name: &str| match name {
            "Init" => Some(0),
            "Final" => Some(chain.length),
            _ => file.goals.iter().find(|goal| goal.name == name).and_then(|goal| goal.at),
        };
        let end = vertices.last().filter(|name| *name == "Final").map(String::as_str);
        let stops: Vec<&str> =
            std::iter::once("Init").chain(chain.order.iter().map(String::as_str)).chain(end).collect();
        for pair in stops.windows(2) {
            let (Some(from), Some(to)) = (index(pair[0]), index(pair[1])) else { continue };
            let taken = at(pair[0]).zip(at(pair[1])).map(|(from, to)| to.saturating_sub(from));
            let text = match (distance(pair[0], pair[1]), taken) {
                (Some(known), Some(taken)) if taken != known as usize => format!("{known}/{taken}"),
                (Some(known), _) => known.to_string(),
                (None, Some(taken)) => format!("/{taken}"),
                (None, None) => String::new(),
            };
            arrows.push(Arrow { from, to, text, on_tour: true });
        }
    }
    if vertices.len() <= CROWDED {
        for (from, targets) in &file.graph {
            for (to, steps) in targets {
                let (Some(from), Some(to)) = (index(from), index(to)) else { continue };
                if from != to && !arrows.iter().any(|arrow| (arrow.from, arrow.to) == (from, to)) {
                    arrows.push(Arrow { from, to, text: steps.to_string(), on_tour: false });
                }
            }
        }
    }
    arrows
}

/// A bent arrow, so that two opposite ones stay apart, with its text at the bend.
fn draw(picture: &mut String, from: (f64, f64), to: (f64, f64), arrow: &Arrow) {
    let Bend { from: (x1, y1), control, to: (x2, y2), label } = Bend::between(from, to, NODE);
    let (class, tip) = if arrow.on_tour { ("tour", "tip-tour") } else { ("edge", "tip") };
    let _ = write!(
        picture,
        "<g class=\"{class}\" data-ends=\"{} {}\"><path d=\"M{x1:.1} {y1:.1}Q{:.1} {:.1} {x2:.1} {y2:.1}\" marker-end=\"url(#{tip})\"/><text x=\"{:.1}\" y=\"{:.1}\">{}</text></g>",
        arrow.from,
        arrow.to,
        control.0,
        control.1,
        label.0,
        label.1,
        escaped(&arrow.text)
    );
}
