//! Where the entries of `chaincover.toml` stand: lines for messages, tables and reports.

use super::file::ConfigFile;
use frontend::{Location, TextRole};
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
    places.conditions.extend(finder.model(file));
    places.conditions.extend(finder.bindings(file));
    for (index, lvalue) in file.input.keys().enumerate() {
        places.conditions.extend(finder.input(file, index, lvalue));
    }
    for index in 0..file.cost.as_ref().map_or(0, |cost| cost.add.len()) {
        places.conditions.extend(finder.added_cost(index));
    }
    let end = finder.within("final", "when");
    places.conditions.extend(end.map(|value| (TextRole::End, finder.location(value))));
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
    /// An entry of a table.
    fn within(&self, table: &str, key: &str) -> Option<&'t Spanned<DeValue<'t>>> {
        self.document.get(table)?.get_ref().get(key)
    }
    /// Where the `when` of an entry of `add` of `[cost]` stands.
    fn added_cost(&self, index: usize) -> Option<(TextRole, Location)> {
        let value = self.within("cost", "add")?.get_ref().get(index)?.get_ref().get("when")?;
        Some((TextRole::Cost(index), self.location(value)))
    }
    /// Inputs and outputs of the section `[model]`.
    fn model(&self, file: &ConfigFile) -> Vec<(TextRole, Location)> {
        let lists = [
            ("inputs", file.model.inputs.as_ref(), TextRole::Input as fn(usize) -> TextRole),
            ("outputs", file.model.outputs.as_ref(), TextRole::Output),
        ];
        let mut found = Vec::new();
        for (key, list, role) in lists {
            let Some(value) = self.within("model", key) else { continue };
            for index in 0..list.map_or(0, Vec::len) {
                let entry = value.get_ref().get(index).unwrap_or(value);
                found.push((role(index), self.location(entry)));
            }
        }
        found
    }
    /// Both sides of the entries of `[bind]` and `[const]`.
    fn bindings(&self, file: &ConfigFile) -> Vec<(TextRole, Location)> {
        let binds =
            file.bind.keys().enumerate().map(|(index, key)| {
                ("bind", key, [TextRole::BindPointer(index), TextRole::BindTarget(index)])
            });
        let constants = file.constants.keys().enumerate().map(|(index, key)| {
            ("const", key, [TextRole::ConstantPlace(index), TextRole::ConstantValue(index)])
        });
        let places = binds.chain(constants).filter_map(|(table, key, roles)| {
            let place = self.location(self.within(table, key)?);
            Some(roles.map(|role| (role, place.clone())))
        });
        places.flatten().collect()
    }
    /// The name of a section `[input]`, its range and its values.
    fn input(&self, file: &ConfigFile, index: usize, lvalue: &str) -> Vec<(TextRole, Location)> {
        let Some(section) = self.within("input", lvalue) else { return Vec::new() };
        let mut found = vec![(TextRole::OptionPlace(index), self.location(section))];
        let mut note = |key: &str, roles: Vec<TextRole>| {
            if let Some(value) = section.get_ref().get(key) {
                let place = self.location(value);
                found.extend(roles.into_iter().map(|role| (role, place.clone())));
            }
        };
        let values = file.input[lvalue].values.as_ref().map_or(0, Vec::len);
        note("range", vec![TextRole::RangeLow(index), TextRole::RangeHigh(index)]);
        note("values", (0..values).map(|value| TextRole::AllowedValue(index, value)).collect());
        found
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
inputs = [
  'i',
  'j' ]
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
[bind]
p = '&x'
[const]
k = 3
[final]
when = 'f'
[cost]
add = [
  { when = 'x', cost = 1 },
  { cost = 2, when = 'y' },
]
";
        let file: ConfigFile = toml::from_str(text).unwrap();
        let places = find(&file, text, Path::new("m/chaincover.toml"));
        assert_eq!(places.goals.iter().map(|place| place.line).collect::<Vec<_>>(), [6, 14]);
        let lines: Vec<(TextRole, u32)> =
            places.conditions.iter().map(|(role, place)| (*role, place.line)).collect();
        assert_eq!(
            lines,
            [
                (TextRole::When(0, 0), 8),
                (TextRole::After(0, 0), 9),
                (TextRole::Expect(0), 11),
                (TextRole::When(1, 0), 17),
                (TextRole::When(1, 1), 18),
                (TextRole::After(1, 1), 18),
                (TextRole::Assumption(0), 13),
                (TextRole::Invariant(0), 26),
                (TextRole::Input(0), 4),
                (TextRole::Input(1), 5),
                (TextRole::BindPointer(0), 28),
                (TextRole::BindTarget(0), 28),
                (TextRole::ConstantPlace(0), 30),
                (TextRole::ConstantValue(0), 30),
                (TextRole::OptionPlace(0), 20),
                (TextRole::RangeLow(0), 22),
                (TextRole::RangeHigh(0), 22),
                (TextRole::OptionPlace(1), 23),
                (TextRole::AllowedValue(1, 0), 24),
                (TextRole::AllowedValue(1, 1), 24),
                (TextRole::Cost(0), 35),
                (TextRole::Cost(1), 36),
                (TextRole::End, 32),
            ]
        );
        assert!(places.goals.iter().all(|place| place.file == Path::new("m/chaincover.toml")));
    }
}
