//! Action systems in the Prolog notation of Aichernig and Jöbstl ("Towards symbolic model-based
//! mutation testing: combining reachability and refinement checking", MBT 2012, section 3 and
//! figure 2), as text of this language.
//!
//! The notation does not say whose actions are, which a reader has to be told. Where the paper
//! leaves open how operators bind, parentheses are demanded: nothing is guessed.

mod lexer;
mod parser;

use parser::{Declared, Model, Parameter};
use spec::language::ACTIONS;
use spec::print::name_of;
use std::fmt::Write;

/// What the notation does not say.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// The name of the system.
    pub name: String,
    /// Actions of the tester.
    pub inputs: Vec<String>,
    /// Actions of the system that nobody sees.
    pub hidden: Vec<String>,
}

/// What became of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The action system.
    pub text: String,
    /// Number of actions.
    pub count: usize,
}

/// Why there is no action system: what is wrong, with its line and column.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotImported(String);

impl NotImported {
    fn at((line, column): lexer::Place, why: impl std::fmt::Display) -> Self {
        Self(format!("{line}:{column}: {why}"))
    }
}

/// The action system of a text in Prolog notation.
///
/// # Errors
/// What does not parse, what has no place in an action system, and names that are not there.
pub fn import(text: &str, wishes: &Wishes) -> Result<Imported, NotImported> {
    let tokens = lexer::tokens(text).map_err(|(place, why)| NotImported::at(place, why))?;
    let model = parser::parse(&tokens)?;
    for name in wishes.inputs.iter().chain(&wishes.hidden) {
        if !model.actions.iter().any(|action| action.name == *name) {
            let known: Vec<&str> = model.actions.iter().map(|action| action.name.as_str()).collect();
            return Err(NotImported(format!("there is no action `{name}`; there are {}", known.join(", "))));
        }
    }
    if let Some(name) = wishes.inputs.iter().find(|name| wishes.hidden.contains(name)) {
        return Err(NotImported(format!("is `{name}` an action of the tester, or one that nobody sees?")));
    }
    Ok(Imported { text: written(&model, wishes)?, count: model.block.len() })
}

fn written(model: &Model, wishes: &Wishes) -> Result<String, NotImported> {
    let own = |name: &str| name_of(name, &ACTIONS);
    let mut text = String::from("# From the Prolog notation of Aichernig and Joebstl.\n");
    let _ = writeln!(text, "system {}", own(&wishes.name));
    for Declared { name, lo, hi, .. } in &model.types {
        let _ = writeln!(text, "type {} = {lo}..{hi}", own(name));
    }
    for (name, ty, initial) in &model.variables {
        let _ = writeln!(text, "var {} : {} := {initial}", own(name), own(ty));
    }
    for action in &model.actions {
        // What the block does not join is never taken.
        let Some(parameters) = model.block.iter().find(|entry| entry.name == action.name) else {
            let _ = writeln!(text, "# left out: {} is not joined by the do-od block", own(&action.name));
            continue;
        };
        if parameters.types.len() != action.parameters.len() {
            let why = format!(
                "`{}` has {} parameters there, and {} where it is defined",
                action.name,
                parameters.types.len(),
                action.parameters.len()
            );
            return Err(NotImported::at(parameters.place, why));
        }
        let kind = match () {
            () if wishes.inputs.contains(&action.name) => "ctr",
            () if wishes.hidden.contains(&action.name) => "int",
            () => "obs",
        };
        let _ = write!(text, "{kind} {}", own(&action.name));
        let typed = action.parameters.iter().zip(&parameters.types);
        let typed: Vec<String> =
            typed.map(|(Parameter(name), ty)| format!("{} : {}", own(name), own(ty))).collect();
        if !typed.is_empty() {
            let _ = write!(text, "({})", typed.join(", "));
        }
        if let Some(guard) = &action.guard {
            let _ = write!(text, " when {guard}");
        }
        let _ = writeln!(text, " is {}", action.body);
    }
    Ok(text)
}
