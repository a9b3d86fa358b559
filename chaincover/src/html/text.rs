//! Text of models in HTML and scripts.

pub(super) use crate::output::markup::escaped;
use crate::output::visible;
use serde_json::Value as Json;

/// JSON inside a script element: no `<` that could end it.
pub(super) fn script_data(json: &Json) -> String {
    visible::json(&json.to_string()).replace('<', "\\u003c")
}

/// A definition list; empty values are left out.
pub(super) fn facts(entries: &[(&str, String)]) -> String {
    let entries = entries.iter().filter(|(_, value)| !value.is_empty());
    let rows: String = entries.map(|(name, value)| format!("<dt>{name}</dt><dd>{value}</dd>\n")).collect();
    if rows.is_empty() { rows } else { format!("<dl>\n{rows}</dl>\n") }
}

/// A list; empty where there is nothing.
pub(super) fn list(items: impl IntoIterator<Item = String>) -> String {
    let items: String = items.into_iter().map(|item| format!("<li>{item}</li>\n")).collect();
    if items.is_empty() { items } else { format!("<ul>\n{items}</ul>\n") }
}
