//! Which variables entries are about, and what becomes of the configuration.
//!
//! Names decide, and nothing else: a variable `file.c::x` or `function::x` may be meant by `x`, but
//! where two variables may be meant, or two entries say different things of one, nothing is taken.

use super::defaults::{Defaults, Wanted, defaults, unfit};
use super::{A2lRequest, Account, Code, Description, Entry, Left, Matched};
use crate::file::OutputSection;
use crate::resolve::{Model, label_section};
use frontend::{InputOption, Location, Signal, Signals, TextRole};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The configuration with what an A2L file says of its inputs and outputs, where it leaves that
/// open, and with an account of that. `constants` are variables that never change.
pub fn describe(
    configuration: &Model,
    wanted: &A2lRequest,
    description: &Description,
    signals: &Signals,
    constants: &[&str],
) -> Model {
    let variables = Variables::new(signals, constants);
    let mut account = Account {
        file: wanted.file.clone(),
        files: description.files.clone(),
        entries: description.entries.len(),
        warnings: description.warnings.iter().map(|warning| (Code::Syntax, warning.clone())).collect(),
        ..Account::default()
    };
    let mut filled = Filled::new(configuration);
    let groups = groups(&description.entries, &variables, &mut account);
    // Elements come before their arrays: what is said of an element counts more.
    let (arrays, numbers): (Vec<_>, Vec<_>) = groups.into_iter().partition(|(variable, _)| variable.is_array);
    for (variable, entries) in numbers.into_iter().chain(arrays) {
        let Some(entry) = single(&variable, &entries, &variables, &mut account) else { continue };
        let found = &variables.all[&variable];
        let what = Wanted { ranges: wanted.ranges };
        if let Some(signal) = found.inputs.first() {
            let said = defaults(entry, signal, what);
            let matched = filled.input(&variable.name, entry, said, &mut account.warnings);
            account.matched.push(matched);
        }
        if let Some(signal) = found.outputs.first() {
            let said = defaults(entry, signal, Wanted { ranges: false });
            let matched = filled.outputs(&variable.name, &found.outputs, entry, &said);
            account.matched.push(matched);
        }
        if found.inputs.is_empty() && found.outputs.is_empty() {
            let what = if found.is_constant { "a constant" } else { "part of the state" };
            let reason = format!("{} is {what}, and no input or output", variable.name);
            account.left.push(left(entry, reason));
        }
    }
    account
        .matched
        .sort_by(|one, other| (!one.is_input, &one.variable).cmp(&(!other.is_input, &other.variable)));
    let mut described = configuration.clone();
    (described.request.input_options, described.request.places) = filled.options();
    described.outputs = filled.outputs;
    described.described = Some(Arc::new(account));
    described
}

fn left(entry: &Entry, reason: String) -> Left {
    Left { entry: entry.name.clone(), place: entry.place.clone(), reason }
}

/// A number, or an array of numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Variable {
    name: String,
    is_array: bool,
}

/// The words of a variable.
#[derive(Default)]
struct Words<'s> {
    inputs: Vec<&'s Signal>,
    outputs: Vec<&'s Signal>,
    states: Vec<&'s Signal>,
    is_constant: bool,
}

/// The variables that the tool knows, and what they may be called.
struct Variables<'s> {
    all: BTreeMap<Variable, Words<'s>>,
    named: BTreeMap<String, BTreeSet<Variable>>,
}

impl<'s> Variables<'s> {
    fn new(signals: &'s Signals, constants: &[&str]) -> Self {
        let mut found = Self { all: BTreeMap::new(), named: BTreeMap::new() };
        for input in &signals.inputs {
            found.add(&input.signal.lvalue, |words| words.inputs.push(&input.signal));
        }
        for (signal, _) in &signals.outputs {
            found.add(&signal.lvalue, |words| words.outputs.push(signal));
        }
        for (signal, _) in &signals.states {
            found.add(&signal.lvalue, |words| words.states.push(signal));
        }
        for constant in constants {
            found.add(constant, |words| words.is_constant = true);
        }
        found
    }

    /// Adds a word: the number, and the arrays which it is an element of.
    fn add(&mut self, lvalue: &str, note: impl Fn(&mut Words<'s>)) {
        // Further reads of a volatile input are like the first.
        if lvalue.contains('#') {
            return;
        }
        let mut name = lvalue;
        let mut is_array = false;
        loop {
            let variable = Variable { name: name.to_owned(), is_array };
            note(self.all.entry(variable.clone()).or_default());
            let bare = name.rsplit("::").next().unwrap_or(name);
            for called in [name, bare] {
                self.named.entry(called.to_owned()).or_default().insert(variable.clone());
            }
            match name.strip_suffix(']').and_then(|name| name.rsplit_once('[')) {
                Some((array, _)) if !array.is_empty() => (name, is_array) = (array, true),
                _ => return,
            }
        }
    }

    /// One of the words of a variable.
    fn sample(&self, variable: &Variable) -> Option<&'s Signal> {
        let words = &self.all[variable];
        words.inputs.first().or(words.outputs.first()).or(words.states.first()).copied()
    }
}

/// The entries of each variable; what is said of the others.
fn groups<'e>(
    entries: &'e [Entry],
    variables: &Variables<'_>,
    account: &mut Account,
) -> BTreeMap<Variable, Vec<&'e Entry>> {
    let mut groups: BTreeMap<Variable, Vec<&Entry>> = BTreeMap::new();
    for entry in entries {
        let Some(named) = entry.variables.iter().find_map(|name| variables.named.get(name)) else {
            account.unmatched.push((entry.name.clone(), entry.place.clone()));
            continue;
        };
        let fitting: Vec<&Variable> =
            named.iter().filter(|variable| variable.is_array == entry.is_array).collect();
        match fitting.as_slice() {
            [variable] => groups.entry((*variable).clone()).or_default().push(entry),
            [] => {
                let (says, is) =
                    if entry.is_array { ("an array", "a number") } else { ("a number", "an array") };
                let name = named.first().map_or("", |variable| &variable.name);
                account.left.push(left(entry, format!("it says {says}, and {name} is {is}")));
            }
            several => {
                let names: Vec<&str> = several.iter().map(|variable| variable.name.as_str()).collect();
                let reason = format!("it may be about {}", names.join(" or "));
                let place = format!("{}:{}", entry.place.file.display(), entry.place.line);
                let warning = format!("{place}: nothing is taken of {}, since {reason}", entry.name);
                account.warnings.push((Code::Ambiguous, warning));
                account.left.push(left(entry, reason));
            }
        }
    }
    groups
}

/// The entry that counts for a variable, if all that fit it say the same.
fn single<'e>(
    variable: &Variable,
    entries: &[&'e Entry],
    variables: &Variables<'_>,
    account: &mut Account,
) -> Option<&'e Entry> {
    let mut fitting: Vec<&Entry> = Vec::new();
    for entry in entries {
        match variables.sample(variable).and_then(|signal| unfit(entry, signal)) {
            None => fitting.push(entry),
            Some((code, reason)) => {
                let place = format!("{}:{}", entry.place.file.display(), entry.place.line);
                let warning = format!("{place}: nothing is taken of {}, since {reason}", entry.name);
                account.warnings.extend(code.map(|code| (code, warning)));
                account.left.push(left(entry, reason));
            }
        }
    }
    let first = *fitting.first()?;
    if fitting.iter().all(|entry| says_the_same(entry, first)) {
        for other in &fitting[1..] {
            account.left.push(left(other, format!("it says the same as {}", first.name)));
        }
        return Some(first);
    }
    let places: Vec<String> = fitting
        .iter()
        .map(|entry| format!("{} ({}:{})", entry.name, entry.place.file.display(), entry.place.line))
        .collect();
    let reason = format!("entries say different things of {}: {}", variable.name, places.join(", "));
    account.warnings.push((Code::Ambiguous, format!("nothing is taken, since {reason}")));
    account.left.extend(fitting.iter().map(|entry| left(entry, reason.clone())));
    None
}

fn says_the_same(one: &Entry, other: &Entry) -> bool {
    let said = |entry: &Entry| {
        (entry.text.clone(), entry.unit.clone(), entry.conversion, entry.limits, entry.labels.clone())
    };
    said(one) == said(other)
}

/// The configuration that is being filled in.
struct Filled {
    /// What was configured of inputs, with the place of each part.
    inputs: BTreeMap<String, Input>,
    /// Names of the inputs of which something was configured, without blanks.
    configured: BTreeMap<String, InputOption>,
    outputs: BTreeMap<String, OutputSection>,
    /// Places of expressions that are not about inputs.
    places: Vec<(TextRole, Location)>,
}

struct Input {
    option: InputOption,
    /// Where parts of it were written; the numbers of entries in roles mean nothing.
    places: Vec<(TextRole, Location)>,
}

/// The entry of the options of inputs that a role is about.
const fn option_of(role: TextRole) -> Option<usize> {
    match role {
        TextRole::OptionPlace(index)
        | TextRole::RangeLow(index)
        | TextRole::RangeHigh(index)
        | TextRole::AllowedValue(index, _) => Some(index),
        _ => None,
    }
}

/// The role with another entry of the options of inputs.
const fn with_option(role: TextRole, index: usize) -> TextRole {
    match role {
        TextRole::OptionPlace(_) => TextRole::OptionPlace(index),
        TextRole::RangeLow(_) => TextRole::RangeLow(index),
        TextRole::RangeHigh(_) => TextRole::RangeHigh(index),
        TextRole::AllowedValue(_, value) => TextRole::AllowedValue(index, value),
        other => other,
    }
}

fn without_blanks(lvalue: &str) -> String {
    lvalue.chars().filter(|letter| !letter.is_whitespace()).collect()
}

impl Filled {
    fn new(configuration: &Model) -> Self {
        let request = &configuration.request;
        let (mut own, mut places) = (BTreeMap::<usize, Vec<_>>::new(), Vec::new());
        for (role, place) in &request.places {
            match option_of(*role) {
                Some(index) => own.entry(index).or_default().push((*role, place.clone())),
                None => places.push((*role, place.clone())),
            }
        }
        let inputs = request.input_options.iter().enumerate().map(|(index, option)| {
            let input = Input { option: option.clone(), places: own.remove(&index).unwrap_or_default() };
            (without_blanks(&option.lvalue), input)
        });
        let inputs: BTreeMap<String, Input> = inputs.collect();
        let configured = inputs.iter().map(|(name, input)| (name.clone(), input.option.clone())).collect();
        Self { inputs, configured, outputs: configuration.outputs.clone(), places }
    }

    /// Fills in what an entry says of an input, or of the elements of an array.
    fn input(
        &mut self,
        name: &str,
        entry: &Entry,
        said: Defaults,
        warnings: &mut Vec<(Code, String)>,
    ) -> Matched {
        let mut matched = matched(name, entry, &said, true);
        warnings.extend(said.warnings.iter().cloned());
        let is_new = !self.inputs.contains_key(name);
        if is_new {
            self.inputs.insert(name.to_owned(), self.around(name, entry));
        }
        let elements = format!("{name}[");
        let all: Vec<String> = self.inputs.keys().cloned().collect();
        for key in all.into_iter().filter(|key| key == name || key.starts_with(&elements)) {
            let Some(input) = self.inputs.get_mut(&key) else { continue };
            let mut log = Log::default();
            fill_input(input, entry, &said, &mut log);
            if key == name {
                matched.taken = log.taken;
            }
            let whose = if key == name { String::new() } else { format!(" for {key}") };
            matched.not_taken.extend(log.kept.into_iter().map(|kept| format!("{kept}{whose}")));
        }
        if is_new && matched.taken.is_empty() {
            self.inputs.remove(name);
        }
        matched
    }

    /// What the configuration says of an input by an array around it. There, a name is not for one
    /// element.
    fn around(&self, name: &str, entry: &Entry) -> Input {
        let arrays = name.rmatch_indices('[').filter(|_| name.ends_with(']')).map(|(at, _)| &name[..at]);
        let known = arrays.filter(|array| !array.is_empty()).find_map(|array| self.configured.get(array));
        let option =
            InputOption { lvalue: name.to_owned(), name: None, ..known.cloned().unwrap_or_default() };
        Input { option, places: vec![(TextRole::OptionPlace(0), entry.place.clone())] }
    }

    /// Fills in what an entry says of outputs: one, or the elements of an array.
    fn outputs(&mut self, name: &str, signals: &[&Signal], entry: &Entry, said: &Defaults) -> Matched {
        let mut matched = matched(name, entry, said, false);
        for signal in signals {
            let key = [&signal.lvalue, &signal.name].into_iter().find(|key| self.outputs.contains_key(*key));
            let key = key.unwrap_or(&signal.lvalue).clone();
            let mut section = self.outputs.get(&key).cloned().unwrap_or_default();
            let mut log = Log::default();
            fill(&mut section.unit, said.unit.as_ref(), "unit", &mut log);
            fill(&mut section.text, said.text.as_ref(), "text", &mut log);
            if !said.labels.is_empty() {
                let labels = label_section(&said.labels);
                if section.labels.is_empty() {
                    log.taken.push(names(&said.labels));
                    section.labels = labels;
                } else if section.labels != labels {
                    log.kept.push(kept("names of values"));
                }
            }
            if section != OutputSection::default() {
                self.outputs.insert(key, section);
            }
            for (all, new) in [(&mut matched.taken, log.taken), (&mut matched.not_taken, log.kept)] {
                let new: Vec<String> = new.into_iter().filter(|text| !all.contains(text)).collect();
                all.extend(new);
            }
        }
        matched
    }

    /// The options of inputs in the order of their names, and the places of all expressions.
    fn options(&self) -> (Vec<InputOption>, Vec<(TextRole, Location)>) {
        let mut inputs: Vec<&Input> = self.inputs.values().collect();
        inputs.sort_by(|one, other| one.option.lvalue.cmp(&other.option.lvalue));
        let mut places = self.places.clone();
        for (index, input) in inputs.iter().enumerate() {
            let own = input.places.iter();
            places.extend(own.map(|(role, place)| (with_option(*role, index), place.clone())));
        }
        (inputs.into_iter().map(|input| input.option.clone()).collect(), places)
    }
}

/// What was taken, and what stays as it was configured.
#[derive(Default)]
struct Log {
    taken: Vec<String>,
    kept: Vec<String>,
}

fn matched(name: &str, entry: &Entry, said: &Defaults, is_input: bool) -> Matched {
    Matched {
        entry: entry.name.clone(),
        place: entry.place.clone(),
        variable: name.to_owned(),
        is_input,
        taken: Vec::new(),
        not_taken: said.not_taken.clone(),
    }
}

fn kept(what: &str) -> String {
    format!("its {what}: the configuration says otherwise")
}

fn names(labels: &[(i64, String)]) -> String {
    let all: Vec<String> = labels.iter().map(|(value, name)| format!("{value} = {name}")).collect();
    format!("names {}", all.join(", "))
}

fn fill(slot: &mut Option<String>, said: Option<&String>, what: &str, log: &mut Log) {
    match (slot.as_ref(), said) {
        (_, None) => {}
        (None, Some(said)) => {
            log.taken.push(format!("{what} {said}"));
            *slot = Some(said.clone());
        }
        (Some(own), Some(said)) if own != said => log.kept.push(kept(what)),
        _ => {}
    }
}

fn fill_input(input: &mut Input, entry: &Entry, said: &Defaults, log: &mut Log) {
    let option = &mut input.option;
    fill(&mut option.unit, said.unit.as_ref(), "unit", log);
    fill(&mut option.text, said.text.as_ref(), "text", log);
    if !said.labels.is_empty() {
        if option.labels.is_empty() {
            log.taken.push(names(&said.labels));
            option.labels.clone_from(&said.labels);
        } else if option.labels != said.labels {
            log.kept.push(kept("names of values"));
        }
    }
    let Some((low, high)) = &said.range else { return };
    if option.range.is_some() || option.values.is_some() {
        if option.range != said.range {
            log.kept.push(kept("limits"));
        }
    } else if option.default.as_deref().is_some_and(|default| !lies_in(default, low, high)) {
        log.kept.push("its limits: the configured default may lie outside".to_owned());
    } else {
        log.taken.push(format!("range {} to {}", bare(low), bare(high)));
        option.range = Some((low.clone(), high.clone()));
        let roles = [TextRole::RangeLow(0), TextRole::RangeHigh(0)];
        input.places.extend(roles.map(|role| (role, entry.place.clone())));
    }
}

fn bare(constant: &str) -> &str {
    match crate::file::Scalar::from_c(constant) {
        crate::file::Scalar::Integer(i64::MIN) => "-9223372036854775808",
        _ => constant.trim_start_matches('(').trim_end_matches(')').trim_end_matches('u'),
    }
}

/// Whether a configured constant is a number that lies in a range.
fn lies_in(constant: &str, low: &str, high: &str) -> bool {
    let number = |text: &str| bare(text).parse::<f64>().ok();
    match (number(constant), number(low), number(high)) {
        (Some(number), Some(low), Some(high)) => low <= number && number <= high,
        _ => false,
    }
}
