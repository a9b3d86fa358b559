//! Syntax trees as text. The text of a tree reads back as that tree.

use crate::syntax::{Contract, File, Item, Moment};
use spec::language::CONTRACTS;
use spec::print::{common, expression, name_of, quoted, type_expr};
use std::fmt::Write;

/// The declarations of a file, one in a line; contracts of a requirement in lines of their own
/// where it has several.
pub fn file(file: &File) -> String {
    file.items.iter().map(|declaration| item(declaration) + "\n").collect()
}

/// A declaration, without a line end.
pub fn item(item: &Item) -> String {
    let name = |name: &spec::syntax::Name| name_of(&name.text, &CONTRACTS);
    match item {
        Item::Interface(interface) => format!("interface {}", name(interface)),
        Item::Common(declaration) => common(declaration, &CONTRACTS),
        Item::Variables { role, names, ty } => {
            let names: Vec<String> = names.iter().map(name).collect();
            format!("{} {} : {}", role.word(), names.join(", "), type_expr(ty, &CONTRACTS))
        }
        Item::View(view) => format!("view {}", name(view)),
        Item::Requirement { name: id, text, contracts } => {
            let mut printed = format!("req {}", name(id));
            describe(&mut printed, text.as_deref());
            let line = if contracts.len() > 1 { "\n    " } else { " " };
            for part in contracts {
                let _ = write!(printed, "{line}{}", contract(part));
            }
            printed
        }
        Item::Purpose { name: id, text, body } => {
            let mut printed = format!("purpose {}", name(id));
            describe(&mut printed, text.as_deref());
            let _ = write!(printed, ": {}", expression(body, &CONTRACTS));
            printed
        }
        Item::Environment(body) => format!("environment {}", expression(body, &CONTRACTS)),
    }
}

/// The contracts of each requirement of some files, in their order.
pub fn contracts(files: &[File]) -> Vec<Vec<String>> {
    let items = files.iter().flat_map(|file| &file.items);
    let of = |item: &Item| match item {
        Item::Requirement { contracts, .. } => Some(contracts.iter().map(contract).collect()),
        _ => None,
    };
    items.filter_map(of).collect()
}

fn describe(printed: &mut String, text: Option<&str>) {
    if let Some(text) = text {
        let _ = write!(printed, " {}", quoted(text));
    }
}

/// A contract, without a line end.
pub fn contract(contract: &Contract) -> String {
    let mut printed = match contract.moment {
        Moment::Initially => "initially ".to_owned(),
        Moment::Later => String::new(),
        Moment::Always => "always ".to_owned(),
    };
    if let Some(assumption) = &contract.assumption {
        let _ = write!(printed, "assume {} ", expression(assumption, &CONTRACTS));
    }
    let _ = write!(printed, "guarantee {}", expression(&contract.guarantee, &CONTRACTS));
    printed
}
