//! From tokens to syntax trees.

use crate::syntax::{Contract, File, Item, Moment, Role};
use frontend::diagnostics::Diagnostics;
use spec::language::CONTRACTS;
use spec::lexer::Token;
use spec::parser::{Parsed, Parser, Reported};
use spec::syntax::{Expr, Name};

/// The declarations of a file. What is wrong is reported, and reading goes on at the next
/// declaration.
pub fn parse(tokens: &[Token], diagnostics: &mut Diagnostics) -> File {
    let mut file = File::default();
    let mut parser = Parser::new(tokens, &CONTRACTS, diagnostics);
    parser.declarations(|parser| {
        file.items.push(item(parser)?);
        Ok(())
    });
    file
}

fn item(parser: &mut Parser<'_>) -> Parsed<Item> {
    if let Some(common) = parser.common() {
        return common.map(Item::Common);
    }
    let word = parser.keyword(CONTRACTS.declarations).map(|(word, _)| word);
    match word {
        Some("interface") => Ok(Item::Interface(parser.name("an interface")?)),
        Some("view") => Ok(Item::View(parser.name("a view")?)),
        Some("input") => variables(parser, Role::Input),
        Some("output") => variables(parser, Role::Output),
        Some("hidden") => variables(parser, Role::Hidden),
        Some("req") => requirement(parser),
        Some("purpose") => purpose(parser),
        Some("environment") => Ok(Item::Environment(parser.expression()?)),
        _ => Err(misplaced(parser)),
    }
}

/// Reports a word that begins no declaration; parts of contracts say where they belong.
fn misplaced(parser: &mut Parser<'_>) -> Reported {
    if CONTRACTS.keywords.iter().any(|word| parser.at(word)) {
        return parser.unexpected("`req NAME` before the contracts of a requirement");
    }
    parser.no_declaration()
}

fn variables(parser: &mut Parser<'_>, role: Role) -> Parsed<Item> {
    let names = parser.list(|parser| parser.name("a variable"))?;
    parser.expect(":", "between variables and their type")?;
    Ok(Item::Variables { role, names, ty: parser.type_expr()? })
}

/// A name, and what it is about in words.
fn described(parser: &mut Parser<'_>, what: &str) -> Parsed<(Name, Option<String>)> {
    let name = parser.name(what)?;
    Ok((name, parser.text().map(|(text, _)| text)))
}

fn requirement(parser: &mut Parser<'_>) -> Parsed<Item> {
    let (name, text) = described(parser, "a requirement")?;
    let mut contracts = vec![contract(parser)?];
    while CONTRACTS.keywords.iter().any(|word| parser.at(word)) {
        contracts.push(contract(parser)?);
    }
    Ok(Item::Requirement { name, text, contracts })
}

fn contract(parser: &mut Parser<'_>) -> Parsed<Contract> {
    let moment = match parser.keyword(&["initially", "always"]).map(|(word, _)| word) {
        Some("initially") => Moment::Initially,
        Some(_) => Moment::Always,
        None => Moment::Later,
    };
    let assumption: Option<Expr> =
        parser.accept("assume").is_some().then(|| parser.expression()).transpose()?;
    let context = if assumption.is_some() { "behind what is assumed" } else { "in a requirement" };
    parser.expect("guarantee", context)?;
    Ok(Contract { moment, assumption, guarantee: parser.expression()? })
}

fn purpose(parser: &mut Parser<'_>) -> Parsed<Item> {
    let (name, text) = described(parser, "a purpose")?;
    parser.expect(":", "between a purpose and what is to be observed")?;
    Ok(Item::Purpose { name, text, body: parser.expression()? })
}
