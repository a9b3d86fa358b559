//! The sources with the lines of goals and the lines that the chains execute.
//!
//! A file is shown as it was when the chain was found: where its hash is known and differs, it is
//! named but not shown. Long files are shown around the goals only.

use super::text::escaped;
use crate::coverage::page::{Mark, Marks, marks};
use crate::coverage::terminal::condensed;
use crate::output::chain_file::{ChainFile, Goal, Status};
use crate::output::digest::sha256;
use replay::native::coverage::{LineCoverage, plain_path};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Lines of a file that are shown whole at most.
const WHOLE: usize = 1_500;
/// Lines around a goal in longer files.
const AROUND: usize = 15;

/// A file of the model.
pub(super) struct Source {
    path: String,
    text: Result<String, &'static str>,
}

/// The files that the chain file names as sources, and those that hold goals.
pub(super) fn read(file: &ChainFile, folder: &Path) -> Vec<Source> {
    let mut sources: Vec<Source> = Vec::new();
    let named = file.model.sources.iter().map(|source| (source.path.as_str(), Some(source.sha256.as_str())));
    let origins = file.goals.iter().filter_map(|goal| Some((goal.origin.as_ref()?.file.as_str(), None)));
    for (path, hash) in named.chain(origins) {
        if sources.iter().all(|source| source.path != path) {
            sources.push(Source { path: path.to_owned(), text: read_file(path, hash, folder) });
        }
    }
    sources
}

fn read_file(path: &str, hash: Option<&str>, folder: &Path) -> Result<String, &'static str> {
    let places: [PathBuf; 2] = [PathBuf::from(path), folder.join(path)];
    let bytes = places.iter().find_map(|place| std::fs::read(place).ok()).ok_or("not found")?;
    let digest = sha256(&bytes);
    match hash {
        Some(hash) if hash != digest => Err("changed since the chain was found"),
        _ => Ok(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

/// The anchor of a line.
pub(crate) fn anchor(file: &str, line: u32) -> String {
    let plain = |character: char| if character.is_ascii_alphanumeric() { character } else { '-' };
    format!("L-{}-{line}", file.chars().map(plain).collect::<String>())
}

/// Each file as a foldable list of lines, those that run marked; files with goals are open.
pub(super) fn section(
    file: &ChainFile,
    sources: &[Source],
    coverage: Option<&Result<LineCoverage, String>>,
) -> String {
    let ran = coverage.and_then(|coverage| coverage.as_ref().ok());
    let marks = marks(file);
    let file = &condensed(file);
    let text: String = sources.iter().map(|source| one(file, source, (ran, &marks))).collect();
    let legend = match coverage {
        Some(Ok(ran)) => legend(ran),
        Some(Err(why)) => {
            format!("<p class=\"hint\">Which lines the chains execute is not shown: {}.</p>\n", escaped(why))
        }
        None => String::new(),
    };
    format!("{legend}{text}")
}

/// How many lines run, and how that is shown.
fn legend(ran: &LineCoverage) -> String {
    let all: usize = ran.values().map(BTreeMap::len).sum();
    let executed: usize = ran.values().flat_map(BTreeMap::values).filter(|&&ran| ran).count();
    format!(
        "<p>The chains execute {executed} of {all} lines of code, as gcov counts them: \
         <span class=\"key ran\">executed</span> <span class=\"key idle\">not executed</span></p>\n"
    )
}

fn one(file: &ChainFile, source: &Source, (ran, marks): (Option<&LineCoverage>, &Marks)) -> String {
    let plain = plain_path(Path::new(&source.path));
    let ran = ran.and_then(|files| files.get(&plain));
    let goals: Vec<(&Goal, u32)> = file
        .goals
        .iter()
        .filter_map(|goal| {
            Some((goal, goal.origin.as_ref().filter(|origin| origin.file == source.path)?.line))
        })
        .collect();
    let sites = file.coverage.iter().flat_map(|coverage| &coverage.sites);
    let sites = sites.filter(|site| site.file.as_ref() == Some(&source.path));
    let sites: BTreeSet<u32> = sites.map(|site| site.line).collect();
    let path = escaped(&source.path);
    let text = match &source.text {
        Ok(text) => text,
        Err(why) => return format!("<p>{path}: {why}</p>\n"),
    };
    let lines: Vec<&str> = text.lines().collect();
    let shown = |number: usize| {
        lines.len() <= WHOLE || goals.iter().any(|(_, line)| number.abs_diff(*line as usize) <= AROUND)
    };
    let mut body = String::new();
    let mut skipped = false;
    for (number, line) in (1..).zip(&lines) {
        if !shown(number) {
            skipped = true;
            continue;
        }
        if std::mem::take(&mut skipped) {
            body.push_str("<div class=\"gap\">&#8943;</div>");
        }
        let here = goals.iter().filter(|(_, at)| *at as usize == number).map(|(goal, _)| *goal);
        let ran = u32::try_from(number).ok().and_then(|number| ran?.get(&number).copied());
        let here = here.collect::<Vec<_>>();
        let at = u32::try_from(number).unwrap_or(u32::MAX);
        let marks = marks.get(&(source.path.clone(), at)).map(Vec::as_slice).unwrap_or_default();
        let mut text = marked(line, marks);
        if here.is_empty() && sites.contains(&at) {
            text = format!("<span id=\"{}\"></span>{text}", anchor(&source.path, at));
        }
        body.push_str(&line_of(&source.path, (number, &text), ran, &here));
    }
    let is_marked = marks.keys().any(|(path, _)| *path == source.path);
    let open = if goals.is_empty() && !is_marked { "" } else { " open" };
    format!("<details{open}><summary>{path}</summary><div class=\"code\">{body}</div></details>\n")
}

/// A line as markup, in which the conditions are coloured that stand there as they were read: those
/// that macros expand to do not.
fn marked(line: &str, marks: &[Mark]) -> String {
    let mut text = String::new();
    let mut rest = line;
    let mut at = 1;
    for mark in marks {
        let Some(skipped) = (mark.column as usize).checked_sub(at) else { continue };
        let Some((start, _)) = rest.char_indices().nth(skipped) else { continue };
        let Some(behind) = rest[start..].strip_prefix(mark.text.as_str()) else { continue };
        text.push_str(&escaped(&rest[..start]));
        let (class, title, shown) = (mark.class, escaped(&mark.title), escaped(&mark.text));
        text.push_str(&format!("<span class=\"{class}\" title=\"{title}\">{shown}</span>"));
        at += skipped + mark.text.chars().count();
        rest = behind;
    }
    text + &escaped(rest)
}

fn line_of(path: &str, (number, text): (usize, &str), ran: Option<bool>, goals: &[&Goal]) -> String {
    let ran = match ran {
        Some(true) => "ran",
        Some(false) => "idle",
        None => "",
    };
    if goals.is_empty() {
        let class = if ran.is_empty() { String::new() } else { format!(" class=\"{ran}\"") };
        return format!("<div{class}><i>{number}</i>{text}</div>");
    }
    let covered = goals.iter().all(|goal| goal.status == Status::Covered);
    let names: Vec<String> = goals.iter().map(|goal| escaped(&goal.name)).collect();
    let class = if covered { "good" } else { "bad" };
    let id = anchor(path, u32::try_from(number).unwrap_or(u32::MAX));
    format!(
        "<div id=\"{id}\" class=\"goal {class} {ran}\"><i>{number}</i>{text}<em>{}</em></div>",
        names.join(", ")
    )
}
