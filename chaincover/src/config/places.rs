//! Where the entries of `chaincover.toml` stand: lines for messages, tables and reports.

use super::file::ConfigFile;
use frontend::c::request::{Location, TextRole};
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The lines of a configuration file.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// For each goal in order, where its entry begins.
    pub goals: Vec<Location>,
    /// Where conditions stand.
    pub conditions: Vec<(TextRole, Location)>,
}

/// Finds the lines of what `file`, read from `text`, holds.
pub(super) fn find(file: &ConfigFile, text: &str, path: &Path) -> Places {
    let Ok(document) = DeTable::parse(text) else { return Places::default() };
    let finder = Finder { text, path, document: document.get_ref() };
    let mut places = Places::default();
    for (index, goal) in file.goal.iter().enumerate() {
        let Some(entry) = finder.entry("goal", index) else { continue };
        places.goals.push(finder.location(entry));
        let mut note = |role, value: Option<&Spanned<DeValue<'_>>>| {
            places.conditions.extend(value.map(|value| (role, finder.location(value))));
        };
        note(TextRole::When(index, 0), entry.get_ref().get("when"));
        note(TextRole::After(index, 0), entry.get_ref().get("after"));
        note(TextRole::Expect(index), entry.get_ref().get("expect"));
        for step in 0..goal.step.len() {
            let Some(step_entry) = entry.get_ref().get("step").and_then(|steps| steps.get_ref().get(step))
            else {
                continue;
            };
            note(TextRole::When(index, step), step_entry.get_ref().get("when"));
            note(TextRole::After(index, step), step_entry.get_ref().get("after"));
        }
    }
    for index in 0..file.assume.len() {
        places.conditions.extend(finder.expression("assume", index, TextRole::Assumption(index)));
    }
    for index in 0..file.invariant.len() {
        places.conditions.extend(finder.expression("invariant", index, TextRole::Invariant(index)));
    }
    for (index, lvalue) in file.input.keys().enumerate() {
        let Some(section) =
            finder.document.get("input").and_then(|inputs| inputs.get_ref().get(lvalue.as_str()))
        else {
            continue;
        };
        for (key, role) in
            [("range", TextRole::RangeLow(index)), ("values", TextRole::AllowedValue(index, 0))]
        {
            let value = section.get_ref().get(key);
            places.conditions.extend(value.map(|value| (role, finder.location(value))));
        }
    }
    places
}

/// A parsed text with its path.
struct Finder<'t> {
    text: &'t str,
    path: &'t Path,
    document: &'t DeTable<'t>,
}

impl<'t> Finder<'t> {
    /// An element of an array of tables.
    fn entry(&self, array: &str, index: usize) -> Option<&'t Spanned<DeValue<'t>>> {
        self.document.get(array)?.get_ref().get(index)
    }
    /// Where the `expr` of an element stands.
    fn expression(&self, array: &str, index: usize, role: TextRole) -> Option<(TextRole, Location)> {
        let value = self.entry(array, index)?.get_ref().get("expr")?;
        Some((role, self.location(value)))
    }
    fn location(&self, value: &Spanned<DeValue<'_>>) -> Location {
        let before = &self.text.as_bytes()[..value.span().start];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        Location { file: self.path.to_owned(), line: u32::try_from(line).unwrap_or(u32::MAX) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_condition_has_its_line() {
        let text = "[model]
sources = ['a.c']
[[goal]]
name = 'one'
when = 'x'
after = '''
y'''
expect = 'z'
[[assume]]
expr = 'a'
[[goal]]
name = 'two'
step = [
  { when = 'b' },
  { after = 'c', when = 'd' },
]
[input.'in.x']
unit = 'A'
range = [0, 1]
[input.other]
values = [1, 2]
[[invariant]]
expr = 'i'
";
        let file: ConfigFile = toml::from_str(text).unwrap();
        let places = find(&file, text, Path::new("m/chaincover.toml"));
        assert_eq!(places.goals.iter().map(|place| place.line).collect::<Vec<_>>(), [3, 11]);
        let lines: Vec<(TextRole, u32)> =
            places.conditions.iter().map(|(role, place)| (*role, place.line)).collect();
        assert_eq!(
            lines,
            [
                (TextRole::When(0, 0), 5),
                (TextRole::After(0, 0), 6),
                (TextRole::Expect(0), 8),
                (TextRole::When(1, 0), 14),
                (TextRole::When(1, 1), 15),
                (TextRole::After(1, 1), 15),
                (TextRole::Assumption(0), 10),
                (TextRole::Invariant(0), 23),
                (TextRole::RangeLow(0), 19),
                (TextRole::AllowedValue(1, 0), 21),
            ]
        );
        assert!(places.goals.iter().all(|place| place.file == Path::new("m/chaincover.toml")));
    }
}
