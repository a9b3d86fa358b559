//! The result in a few numbers.

use super::text::escaped;
use crate::output::chain_file::{ChainFile, Expectation, Minimal, Status};
use serde_json::Value as Json;

/// A sign for those who do not see colours.
fn class_mark(class: &str) -> &'static str {
    match class {
        "good" => "proven",
        "fair" => "open",
        _ => "violated",
    }
}

/// Tiles with numbers; the verdict on the whole comes first.
pub(super) fn section(file: &ChainFile) -> String {
    let summary = &file.summary;
    let count = |wanted: &dyn Fn(&crate::output::chain_file::Goal) -> bool| {
        file.goals.iter().filter(|goal| wanted(goal)).count()
    };
    let violated = count(&|goal| goal.expectation == Expectation::Violated);
    let unreachable = count(&|goal| goal.status == Status::Unreachable);
    let undecided = count(&|goal| goal.status == Status::Undecided);
    let minimal = match summary.minimal {
        Minimal::Proven => ("good", "proven minimal".to_owned()),
        Minimal::Gap if summary.lower_bound > 0 => {
            ("fair", format!("at least {} needed", summary.lower_bound))
        }
        Minimal::Gap | Minimal::Unknown => ("fair", "minimality not examined".to_owned()),
    };
    let replayed = file.chains.iter().filter(|chain| chain.replayed == Json::Bool(true)).count();
    let tile = |class: &str, number: String, what: &str| {
        format!("<div class=\"tile {class}\"><b>{number}</b><span>{what}</span></div>\n")
    };
    let mut tiles = String::new();
    if let Some((class, sentence)) = super::requirements::overall(file) {
        tiles += &tile(class, class_mark(class).to_owned(), &sentence);
    }
    let whole = if summary.covered == summary.goals { "good" } else { "fair" };
    tiles += &tile(whole, format!("{} / {}", summary.covered, summary.goals), "goals covered");
    tiles += &tile("", summary.chains.to_string(), if summary.chains == 1 { "chain" } else { "chains" });
    tiles += &tile(minimal.0, summary.length.to_string(), &format!("steps, {}", minimal.1));
    if let Some(cost) = &summary.cost {
        let class = match cost.lower_bound {
            None => "",
            Some(bound) if bound >= cost.total => "good",
            Some(_) => "fair",
        };
        let words = cost.words();
        let (number, rest) = words.split_once(", ").map_or((words.as_str(), "cost"), |parts| parts);
        let what = if rest == "cost" { rest.to_owned() } else { format!("cost, {rest}") };
        tiles += &tile(class, escaped(number), &escaped(&what));
    }
    let class = if violated > 0 { "bad" } else { "good" };
    tiles += &tile(class, violated.to_string(), "expectations violated");
    if unreachable > 0 {
        tiles += &tile("fair", unreachable.to_string(), "proven unreachable");
    }
    if undecided > 0 {
        tiles += &tile("bad", undecided.to_string(), "undecided");
    }
    let class = if replayed == file.chains.len() { "good" } else { "fair" };
    let how = file.chains.first().and_then(|chain| chain.replayed_how.as_deref());
    let place = if replayed > 0 { how } else { None };
    let place = format!("replayed {}", frontend::replayed_where(place));
    tiles += &tile(class, format!("{replayed} / {}", file.chains.len()), &place);
    format!("<div class=\"tiles\">\n{tiles}</div>\n")
}
