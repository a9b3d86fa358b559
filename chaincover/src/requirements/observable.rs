//! What may be observed under given inputs, for people and as JSON.

use super::table;
use contracts::Interface;
use contracts::out_monitor::{Next, OutMonitor};
use contracts::runs::{Graded, Row};
use contracts::semantics::Undecided;
use contracts::syntax::Role;
use contracts::values::fields;
use serde_json::{Value as Json, json};

/// States of an automaton that are shown.
const SHOWN: usize = 200;

/// A table of the steps, and the automaton where they do not say all.
pub(super) fn describe(
    interface: &Interface,
    graded: &Graded,
    monitor: &Result<OutMonitor, Undecided>,
) -> String {
    let table = table(interface, graded);
    match monitor {
        Ok(monitor) if monitor.is_product() => table,
        Ok(monitor) => {
            table + "what is allowed depends on the outputs before:\n" + &states(interface, monitor)
        }
        Err(undecided) => {
            format!(
                "{table}whether what is allowed depends on the outputs before is not known: {undecided}\n"
            )
        }
    }
}

fn states(interface: &Interface, monitor: &OutMonitor) -> String {
    let mut text = String::new();
    for (number, state) in monitor.states.iter().enumerate().take(SHOWN) {
        text += &match &state.next {
            Next::Over => format!("  [{number}] the end\n"),
            Next::NotGiven => {
                format!("  [{number}] step {}: inputs that the environment does not give\n", state.step)
            }
            Next::Outputs(edges) if edges.is_empty() => {
                format!("  [{number}] step {}: nothing is allowed\n", state.step)
            }
            Next::Outputs(_) => format!("  [{number}] step {}\n", state.step),
        };
        for (allowed, next) in monitor.grouped(interface, number) {
            text += &format!("        {} -> [{next}]\n", allowed.describe(interface));
        }
    }
    if monitor.states.len() > SHOWN {
        text += &format!("  ... {} more states\n", monitor.states.len() - SHOWN);
    }
    text
}

/// The steps, and the automaton: `product` says whether the steps say all; it is missing, as
/// `states` is, where that is not known.
pub(super) fn json(interface: &Interface, graded: &Graded, monitor: &Result<OutMonitor, Undecided>) -> Json {
    let step = |row: &Row| {
        json!({
            "in": fields(interface, Role::Input, &row.inputs),
            "given": row.is_given,
            "allowed": (!row.allowed.is_empty()).then(|| row.allowed.describe(interface)),
            "goals": row.met,
            "perhaps": row.perhaps,
        })
    };
    let mut found = json!({
        "kind": "allowed",
        "name": interface.name,
        "certain": graded.is_certain,
        "missed": graded.missed,
        "steps": graded.rows.iter().map(step).collect::<Vec<_>>(),
    });
    if let Ok(monitor) = monitor {
        found["product"] = json!(monitor.is_product());
        found["states"] = monitor.to_json(interface);
    }
    found
}
