//! Syntax trees as text; the text of a tree reads back as that tree.

use crate::syntax::{Action, Channel, Declaration, Edge, File, Goal};
use spec::language::TIMED;
use spec::print::{assignment, common, expression, name_of, type_expr};
use spec::syntax::{Expr, Name};

/// A file as text, one declaration a line.
pub fn file(file: &File) -> String {
    file.declarations.iter().map(|declaration| self::declaration(declaration) + "\n").collect()
}

/// A declaration as text, without a line end.
pub fn declaration(declaration: &Declaration) -> String {
    match declaration {
        Declaration::Common(declaration) => common(declaration, &TIMED),
        Declaration::System(name) => format!("timed {}", print(name)),
        Declaration::Data { is_param, names, ty, initial } => {
            let word = if *is_param { "param" } else { "var" };
            let value = initial.as_ref().map_or_else(String::new, |value| format!(" = {}", of_expr(value)));
            format!("{word} {}: {}{value}", print_all(names, ", "), type_expr(ty, &TIMED))
        }
        Declaration::Clocks(names) => format!("clock {}", print_all(names, ", ")),
        Declaration::Channels { is_input, channels } => {
            let word = if *is_input { "input" } else { "output" };
            format!("{word} {}", join(channels.iter().map(channel), ", "))
        }
        Declaration::Initial(name) => format!("initial {}", print(name)),
        Declaration::Final(names) => format!("final {}", print_all(names, ", ")),
        Declaration::Edge(edge) => self::edge(edge),
        Declaration::Purpose { name, edges } => {
            format!("purpose {} = {}", print(name), print_all(edges, "."))
        }
        Declaration::Goal(goal, _) => match goal {
            Goal::Transitions => "goal transitions".to_owned(),
            Goal::Pairs => "goal pairs".to_owned(),
            Goal::States => "goal states".to_owned(),
            Goal::Purposes => "goal purposes".to_owned(),
            Goal::Condition(name, condition) => format!("goal {} when {}", print(name), of_expr(condition)),
        },
        Declaration::Timeout(value) => format!("timeout {}", of_expr(value)),
        Declaration::Tick(value) => format!("tick {}", of_expr(value)),
    }
}

fn channel(channel: &Channel) -> String {
    let args = channel.args.iter().map(|arg| match arg {
        Some(ty) => type_expr(ty, &TIMED),
        None => "int".to_owned(),
    });
    let args = if channel.args.is_empty() { String::new() } else { format!("({})", join(args, ", ")) };
    let suffix = if channel.is_uncontrollable { " uncontrollable" } else { "" };
    format!("{}{args}{suffix}", print(&channel.name))
}

fn edge(edge: &Edge) -> String {
    let mut text = format!("edge {}: {} -> {}", print(&edge.name), print(&edge.from), print(&edge.to));
    if let Some(guard) = &edge.guard {
        text += &format!(" when {}", of_expr(guard));
    }
    text += &format!(" {}", print(&edge.channel));
    let (sign, operands) = match &edge.action {
        Action::Receive(names) => ('?', print_all(names, ", ")),
        Action::Send(terms) => ('!', join(terms.iter().map(of_expr), ", ")),
    };
    text.push(sign);
    if !operands.is_empty() {
        text += &format!("({operands})");
    }
    if !edge.resets.is_empty() {
        text += &format!(" reset {}", print_all(&edge.resets, ", "));
    }
    if !edge.updates.is_empty() {
        text += &format!(" do {}", join(edge.updates.iter().map(|one| assignment(one, &TIMED)), ", "));
    }
    text
}

fn of_expr(expr: &Expr) -> String {
    expression(expr, &TIMED)
}
fn print(name: &Name) -> String {
    name_of(&name.text, &TIMED)
}
fn print_all(names: &[Name], between: &str) -> String {
    join(names.iter().map(print), between)
}
fn join(parts: impl Iterator<Item = String>, between: &str) -> String {
    parts.collect::<Vec<_>>().join(between)
}
