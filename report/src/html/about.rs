//! How minimality was proven, what was taken for granted, and where the result comes from.

use super::Occasion;
use super::text::{escaped, facts, list};
use crate::output::chain_file::{ChainFile, Minimal};
use config::file::{InputSection, Scalar};
use serde_json::Value as Json;

/// Bound, depth, stages.
pub(super) fn proof(file: &ChainFile) -> String {
    let summary = &file.summary;
    let sentence = match summary.minimal {
        Minimal::Proven => format!(
            "{} that covers the same goals has fewer than {} steps: the lower bound {} is met. Every refuted \
             possibility is an answered solver query or an exhausted search; none is a guess.",
            if summary.chains == 1 {
                "No chain".to_owned()
            } else {
                format!("No set of {} chains", summary.chains)
            },
            summary.length,
            summary.lower_bound
        ),
        Minimal::Gap => format!(
            "At least {} steps are needed; the chain found has {}. Shorter ones between the two were neither found nor excluded.",
            summary.lower_bound, summary.length
        ),
        Minimal::Unknown => "Nothing is claimed about minimality.".to_owned(),
    };
    let rows: String = file
        .stages
        .iter()
        .map(|stage| {
            format!(
                "<tr><th scope=\"row\">{}</th><td>{:.3}</td><td>{}</td></tr>\n",
                escaped(&stage.name),
                stage.seconds,
                stage.sat_calls
            )
        })
        .collect();
    let engines: String = file
        .engines
        .iter()
        .map(|engine| {
            format!(
                "<tr><th scope=\"row\">{}</th><td>{}</td><td>{:.3}</td><td>{}</td><td>{}</td></tr>\n",
                escaped(&engine.name),
                engine.turns,
                engine.seconds,
                engine.sat_calls,
                engine.facts
            )
        })
        .collect();
    let engines = match engines.is_empty() {
        true => String::new(),
        false => format!(
            "<table class=\"numbers\"><thead><tr><th>Engine</th><th>Turns</th><th>Seconds</th><th>Queries</th><th>Facts</th></tr></thead>\n<tbody>{engines}</tbody></table>\n"
        ),
    };
    let smoothing: Vec<String> = file
        .chains
        .iter()
        .enumerate()
        .filter_map(|(number, chain)| Some((number + 1, chain.raw_input_changes?, chain.input_changes?)))
        .map(|(number, raw, changes)| {
            format!("chain {number}: inputs change {changes} times; {raw} times before they were smoothed")
        })
        .collect();
    let facts = facts(&[
        ("Lower bound", summary.lower_bound.to_string()),
        ("Greatest distance asked for", summary.k.to_string()),
        ("Time", format!("{:.2} s", summary.seconds)),
        ("Solver", escaped(&file.tool.solver)),
    ]);
    let milestones = file.milestones.iter().map(|found| {
        format!("after {:.3} s, {}: {}", found.seconds, escaped(&found.engine), escaped(&found.what))
    });
    let milestones = list(milestones);
    format!(
        "<p>{sentence}</p>\n{facts}{}{milestones}<table class=\"numbers\"><thead><tr><th>Stage</th><th>Seconds</th><th>Queries</th></tr></thead>\n<tbody>{rows}</tbody></table>\n{engines}",
        list(smoothing)
    )
}

/// What was taken as input, what was trusted, what C leaves undefined, how chains were replayed.
pub(super) fn assumptions(file: &ChainFile) -> String {
    let configuration = &file.model.configuration;
    let code = |text: &str| format!("<code>{}</code>", escaped(text));
    let mut items: Vec<String> = Vec::new();
    items.push(format!("data model of the target: {}", escaped(&file.model.target)));
    items.extend(configuration.assume.iter().map(|assume| format!("in every step: {}", code(&assume.expr))));
    items.extend(
        configuration.invariant.iter().map(|claim| format!("claimed invariant: {}", code(&claim.expr))),
    );
    items.extend(configuration.input.iter().filter_map(|(lvalue, section)| {
        range(section).map(|range| format!("{} {}", code(lvalue), escaped(&range)))
    }));
    let constant =
        |(lvalue, value): (&String, &Scalar)| format!("constant {} = {}", code(lvalue), code(&value.to_c()));
    items.extend(configuration.constants.iter().map(constant));
    items.extend(
        configuration
            .bind
            .iter()
            .map(|(pointer, target)| format!("{} points to {}", code(pointer), code(target))),
    );
    items.extend(configuration.end.iter().map(|end| format!("chains end where {}", code(&end.when))));
    items.extend(file.notes.iter().map(|note| escaped(note)));
    for (number, chain) in file.chains.iter().enumerate() {
        let how =
            chain.replayed_how.as_deref().map_or_else(String::new, |how| format!(" ({})", escaped(how)));
        items.push(match &chain.replayed {
            Json::Bool(true) => {
                let place = frontend::replayed_where(chain.replayed_how.as_deref());
                format!("chain {}: every state and output agrees, replayed {place}{how}", number + 1)
            }
            Json::Bool(false) => {
                format!("chain {}: <strong>the replay disagrees</strong>{how}", number + 1)
            }
            _ => format!("chain {}: judged by the evaluator alone{how}", number + 1),
        });
    }
    list(items)
}

fn range(section: &InputSection) -> Option<String> {
    if let Some([low, high]) = &section.range {
        return Some(format!("lies in {} .. {}", low.to_c(), high.to_c()));
    }
    let values: Vec<String> = section.values.as_ref()?.iter().map(Scalar::to_c).collect();
    Some(format!("is one of {}", values.join(", ")))
}

/// Versions, hashes, command line.
pub(super) fn origin(file: &ChainFile, occasion: &Occasion) -> String {
    let model = &file.model;
    let code =
        |text: &str| if text.is_empty() { String::new() } else { format!("<code>{}</code>", escaped(text)) };
    let facts = facts(&[
        ("Tool", escaped(&format!("{} {}", file.tool.name, file.tool.version))),
        ("Command", code(occasion.command.as_deref().unwrap_or_default())),
        ("Init", code(&model.init)),
        ("Step", code(&model.step)),
        ("Period", escaped(model.period.as_deref().unwrap_or("not given"))),
    ]);
    let sources = model.sources.iter().map(|source| {
        format!("{} <code class=\"hash\">sha256 {}</code>", escaped(&source.path), escaped(&source.sha256))
    });
    format!("{facts}{}", list(sources))
}
