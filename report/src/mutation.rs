//! `mutate.json`, version 1: what became of each mutant, and the chains that reveal them; its
//! summary and its page.

use crate::output::markup::escaped;
use crate::test_tree::TestTree;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The value of the `schema` key.
pub const SCHEMA: &str = "chaincover/mutate/1";

/// The level of timed systems: outputs with their times, and silence.
pub const TIOCO: &str = "tioco";

/// What takes the place of an operator where the mutant is a patch of the user's.
pub const PATCH: &str = "patch";

/// What takes the place of an operator where another version of the model is the mutant.
pub const VERSION: &str = "version";

/// Mutants named in a row of a table at most.
const SHOWN: usize = 6;

/// A whole file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MutationFile {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// Name of the model.
    pub system: String,
    /// The level at which mutants are killed: `output`, `step`, `state`; of timed systems [`TIOCO`].
    pub kill: String,
    /// At the level `output`: a chain kills a mutant only by what is seen at most so many steps after
    /// the first difference; `None`: whenever it is seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<u32>,
    /// Of C: names of the outputs that are seen; empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observe: Vec<String>,
    /// The mutation operators.
    pub operators: Vec<String>,
    /// Changes of each mutant by operators.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub order: usize,
    /// The mutants in the order of the text.
    pub mutants: Vec<Mutant>,
    /// The chains; each starts from the initial state.
    pub chains: Vec<Chain>,
    /// The chains as tests, in files of their own.
    #[serde(skip)]
    pub tests: Vec<TestTree>,
    /// Of action systems: the file, as it was given, and values of its constants.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub model: Vec<String>,
    /// Steps of all chains.
    pub length: u64,
    /// Steps that any chains need that reveal as much; 0 where nothing is known.
    pub lower_bound: u64,
    /// Whether it is proven that as much is revealed neither by fewer chains nor by as many with
    /// fewer steps.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub minimal: bool,
    /// Steps of one test for each mutant.
    pub single: u64,
    /// What the user should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

fn one() -> usize {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it")]
fn is_one(order: &usize) -> bool {
    *order <= 1
}

/// One change of a text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The mutation operator.
    pub operator: String,
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// What stands there in the original.
    pub old: String,
    /// What stands there in the mutant.
    pub new: String,
}

/// A mutant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mutant {
    /// Its identifier.
    pub id: String,
    /// The mutation operator.
    pub operator: String,
    /// Of C: the function that is changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// What stands there in the original.
    pub old: String,
    /// What stands there in the mutant.
    pub new: String,
    /// The other changes of a mutant with several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further: Vec<Change>,
    /// `killed`, `conforms`, `equivalent`, `initial`, `crash`, `hang`, `unviable`,
    /// `undecided`; of stored chains `alive`.
    pub verdict: String,
    /// Whether it is revealed however it chooses where it has a choice.
    pub surely: bool,
    /// The chain that kills it first, from 0.
    pub chain: Option<usize>,
    /// The step of that chain, from 0.
    pub step: Option<usize>,
    /// What the verdict rests on.
    pub by: String,
    /// What the mutant may show there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shows: Option<String>,
    /// Steps of the shortest test for it alone that was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone: Option<u32>,
    /// The mutant whose death always brings its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows: Option<String>,
    /// Of timed systems: a shortest trace that kills it; the original refuses its last observation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub witness: Vec<Step>,
    /// Of timed systems: no trace of up to so many observations kills it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
}

/// A chain.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Chain {
    /// Its steps.
    pub steps: Vec<Step>,
}

/// A step of a chain.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The stimulus, where the tester moves.
    #[serde(rename = "in", default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// The answer that is awaited, where the tester watches.
    #[serde(rename = "out", default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// Values of the parameters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<serde_json::Value>,
    /// Of timed systems: the time since the event before, exact, as a decimal or `p/q`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Nothing may happen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub quiet: bool,
    /// The stimulus is refused by the original.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub probe: bool,
    /// Where the tester watches: what else the original may show; the test is inconclusive then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// Of C: the values of all inputs.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub inputs: serde_json::Map<String, serde_json::Value>,
    /// Of C: the values of all outputs after the step, as the original has them.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub outputs: serde_json::Map<String, serde_json::Value>,
    /// The mutants that are revealed here first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reveals: Vec<String>,
}

impl MutationFile {
    /// Reads a file. Every crate that reads it with serde itself would hold the code for all of its
    /// parts again.
    ///
    /// # Errors
    /// It is no JSON, or JSON of another kind.
    #[inline(never)]
    pub fn parse(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    /// How many mutants have a verdict.
    pub fn count(&self, verdict: &str) -> usize {
        self.mutants.iter().filter(|mutant| mutant.verdict == verdict).count()
    }

    /// The summary for people.
    pub fn summary(&self) -> String {
        let mut text = String::new();
        let count = |name: &String| self.mutants.iter().filter(|mutant| mutant.operator == *name).count();
        let counts = self.operators.iter().map(|name| (count(name), name)).filter(|(count, _)| *count > 0);
        let by: Vec<String> = counts.map(|(count, name)| format!("{count} {name}")).collect();
        let total = self.mutants.len();
        let by = if self.order > 1 { format!("{} changes each", self.order) } else { by.join(", ") };
        let by = if by.is_empty() { String::new() } else { format!(": {by}") };
        let _ = writeln!(text, "{}: {total} mutant{}{by}", self.system, plural(total));
        let killed = self.count("killed");
        if self.kill == TIOCO {
            self.score(&mut text);
            self.survivors(&mut text);
            return text;
        }
        let (chains, steps) = (self.chains.len(), self.length);
        let bound = match self.lower_bound {
            _ if self.minimal => ", proven minimal".to_owned(),
            0 => String::new(),
            bound if bound == steps => ", proven shortest".to_owned(),
            bound => format!("; at least {bound} are needed"),
        };
        let visited = if self.kill == "state" { " (+1)" } else { "" };
        // Where stored chains were judged, nothing was searched for.
        let single = match self.single {
            0 if self.count("alive") > 0 || self.lower_bound == 0 => String::new(),
            single => format!("   (one test per mutant: {single} steps)"),
        };
        let _ = writeln!(
            text,
            "{killed:>5} killed      {chains} chain{}, {steps}{visited} step{}{bound}{single}",
            plural(chains),
            plural(usize::try_from(steps).unwrap_or(2)),
        );
        if let Some(most) = self.within {
            let steps = count_of_steps(most);
            let _ = writeln!(text, "{:>17} at most {steps} after the first difference", "");
        }
        let unsure =
            self.mutants.iter().filter(|mutant| mutant.verdict == "killed" && !mutant.surely).count();
        if unsure > 0 {
            let _ = writeln!(text, "{unsure:>5}             of them may hide by a choice of their own");
        }
        self.survivors(&mut text);
        text
    }
    /// Of timed systems: how many mutants are killed by a trace of their own, and by the chains.
    fn score(&self, text: &mut String) {
        let killed = self.count("killed");
        let single = self.single;
        let (tests, steps) = (self.chains.len(), self.length);
        // Where stored tests were judged, nothing was searched for.
        if killed > 0 && single == 0 || self.count("alive") > 0 {
            let _ = writeln!(
                text,
                "{killed:>5} killed      by {tests} stored test{} of {steps} steps",
                plural(tests)
            );
            return;
        }
        let _ = writeln!(
            text,
            "{killed:>5} killed      each by a shortest trace, run again (one test per mutant: {single} steps)"
        );
        if self.chains.is_empty() {
            return;
        }
        let by_chains = self.mutants.iter().filter(|mutant| mutant.chain.is_some()).count();
        let share = (100 * by_chains).checked_div(killed);
        let share = share.map_or_else(String::new, |share| format!(": score {share} %"));
        let _ = writeln!(
            text,
            "{by_chains:>5}             of them by the {tests} covering chain{} of {steps} steps{share}",
            plural(tests)
        );
    }
    fn survivors(&self, text: &mut String) {
        let (conforms, equivalent) = (self.count("conforms"), self.count("equivalent"));
        if conforms + equivalent > 0 {
            let of =
                if equivalent > 0 { format!(" ({equivalent} of them equivalent)") } else { String::new() };
            let soon = self.within.map_or_else(String::new, |most| {
                format!(" at most {} after the first difference", count_of_steps(most))
            });
            let about = match self.kill.as_str() {
                "output" | TIOCO => format!("proven: no test can tell{soon}"),
                _ => "refine the original, proven: no step of theirs leaves it".to_owned(),
            };
            let _ = writeln!(text, "{:>5} conform     {about}{of}", conforms + equivalent);
        }
        let others = [
            ("initial", "start elsewhere; nothing else differs that this level sees"),
            ("crash", "die at once, or run into what C leaves undefined before anything differs"),
            ("hang", "never end a step"),
            ("unviable", "are no systems"),
            ("undecided", "within the bounds"),
            ("alive", "no stored chain reveals them"),
        ];
        for (verdict, about) in others {
            let count = self.count(verdict);
            if count > 0 {
                let _ = writeln!(text, "{count:>5} {verdict:<11} {about}");
            }
        }
        // Of what the user has made it is told why.
        let is_own = |mutant: &&Mutant| [PATCH, VERSION].contains(&mutant.operator.as_str());
        let unviable = self.mutants.iter().filter(|mutant| mutant.verdict == "unviable").filter(is_own);
        for mutant in unviable.take(SHOWN) {
            let _ = writeln!(text, "{:>17} {}: {}", "", mutant.id, mutant.by);
        }
    }

    /// How large the tests are, and whether they end with a verdict, one a line.
    pub fn tests_table(&self) -> String {
        let mut text = String::new();
        for (number, test) in self.tests.iter().enumerate() {
            let about = match test.certain {
                true => "certain: it reveals what it should, whatever a correct system answers",
                false => "possible: some answers of a correct system end it without a verdict",
            };
            let (nodes, steps) = (test.nodes.len(), test.depth());
            let _ = writeln!(
                text,
                "test {number}: {nodes} node{}, at most {steps} step{}; {about}",
                plural(nodes),
                plural(steps)
            );
        }
        text
    }

    /// The mutants that are not killed, one a line: place, change, verdict, and what it rests on.
    pub fn survivors_table(&self) -> String {
        let mut text = String::new();
        for mutant in self.mutants.iter().filter(|mutant| mutant.verdict != "killed") {
            let place = format!("{}:{}", mutant.file, mutant.line);
            let change = mutant.change();
            let _ = writeln!(text, "{:<6} {:<10} {place}  {change}", mutant.id, mutant.verdict);
            let _ = writeln!(text, "{:<18}{}", "", mutant.by);
        }
        text
    }

    /// The killed mutants of timed systems, one a line: place, change, the trace that kills, and where
    /// the chains do.
    pub fn witnesses_table(&self) -> String {
        let mut text = String::new();
        for mutant in self.mutants.iter().filter(|mutant| mutant.verdict == "killed") {
            let place = format!("{}:{}", mutant.file, mutant.line);
            let _ = writeln!(text, "{:<6} {:<10} {place}  {}", mutant.id, mutant.operator, mutant.change());
            let trace: String = mutant.witness.iter().map(ToString::to_string).collect();
            let by = match (mutant.chain, mutant.step) {
                (Some(chain), Some(step)) => format!("; chain {chain}, step {step}"),
                _ => String::new(),
            };
            let _ = writeln!(text, "{:<18}{trace}{by}", "");
        }
        text
    }

    /// The chains of code as tables: a row for each step with inputs, outputs of the original behind
    /// a bar, and the mutants that are seen there first.
    pub fn vectors_table(&self) -> String {
        let mut text = String::new();
        for (number, chain) in self.chains.iter().enumerate() {
            let Some(first) = chain.steps.first() else { continue };
            let head = ["step".to_owned()].into_iter().chain(first.inputs.keys().cloned());
            let mut rows: Vec<Vec<String>> =
                vec![head.chain(["|".to_owned()]).chain(first.outputs.keys().cloned()).collect()];
            for (at, step) in chain.steps.iter().enumerate() {
                let cells = [at.to_string()].into_iter().chain(step.inputs.values().map(shown));
                rows.push(cells.chain(["|".to_owned()]).chain(step.outputs.values().map(shown)).collect());
            }
            let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
            let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
            let _ = writeln!(text, "chain {number}: {} steps", chain.steps.len());
            for (at, row) in rows.iter().enumerate() {
                let cells: Vec<String> =
                    row.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
                let reveals = match at.checked_sub(1).map(|at| &chain.steps[at].reveals) {
                    None => "reveals".to_owned(),
                    Some(list) if list.len() > SHOWN => {
                        format!("{} and {} more", list[..SHOWN].join(" "), list.len() - SHOWN)
                    }
                    Some(list) => list.join(" "),
                };
                let _ = writeln!(text, "  {}", format!("{}  {reveals}", cells.join("  ")).trim_end());
            }
        }
        text
    }

    /// A chain of code as a table of values separated by commas: inputs and, behind them, what the
    /// original has as outputs.
    pub fn vectors(&self, number: usize) -> Option<Result<String, csv::Error>> {
        let steps = &self.chains.get(number)?.steps;
        let first = steps.first()?;
        let mut writer = csv::Writer::from_writer(Vec::new());
        let head = ["step"].into_iter().chain(first.inputs.keys().map(String::as_str));
        let mut written = writer.write_record(head.chain(first.outputs.keys().map(String::as_str)));
        for (at, step) in steps.iter().enumerate() {
            let cells = [at.to_string()].into_iter().chain(step.inputs.values().map(shown));
            written =
                written.and_then(|()| writer.write_record(cells.chain(step.outputs.values().map(shown))));
        }
        let bytes = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()));
        Some(written.and(bytes).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// The page: survivors first, then the grid of all mutants by place and verdict, then the
    /// chains.
    pub fn page(&self) -> String {
        let title = escaped(&self.system);
        let summary = escaped(&self.summary());
        let survivors: String =
            self.mutants.iter().filter(|mutant| mutant.verdict != "killed").map(row).collect();
        let killed: String =
            self.mutants.iter().filter(|mutant| mutant.verdict == "killed").map(row).collect();
        let head = "<tr><th>mutant</th><th>place</th><th>operator</th><th>change</th><th>verdict</th><th>where</th>\
                    <th>by</th></tr>";
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}: mutants</title>\n\
             <style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}: mutants</h1>\n<pre>{summary}</pre>\n\
             <h2>Survivors</h2>\n<table>{head}{survivors}</table>\n<h2>Places</h2>\n{grid}<h2>Chains</h2>\n{chains}\
             <h2>Killed</h2>\n<table>{head}{killed}</table>\n</body>\n</html>\n",
            grid = self.grid(),
            chains = self.chain_lists(),
        )
    }
    /// For each line of the text a row of squares, one for each mutant.
    fn grid(&self) -> String {
        let mut lines: BTreeMap<(&str, u32), Vec<&Mutant>> = BTreeMap::new();
        for mutant in &self.mutants {
            lines.entry((&mutant.file, mutant.line)).or_default().push(mutant);
        }
        let square = |mutant: &&Mutant| {
            let about = format!("{} {}: {}", mutant.id, mutant.change(), mutant.verdict);
            format!("<span class=\"{}\" title=\"{}\"></span>", escaped(&mutant.verdict), escaped(&about))
        };
        let row = |((file, line), mutants): (&(&str, u32), &Vec<&Mutant>)| {
            let squares: String = mutants.iter().map(square).collect();
            format!("<tr><td>{}:{line}</td><td>{squares}</td></tr>\n", escaped(file))
        };
        format!("<table class=\"grid\">{}</table>\n", lines.iter().map(row).collect::<String>())
    }
    fn chain_lists(&self) -> String {
        let step = |step: &Step| {
            let reveals = match step.reveals.is_empty() {
                true => String::new(),
                false => format!(" <small>reveals {}</small>", escaped(&step.reveals.join(", "))),
            };
            format!("<li>{}{reveals}</li>\n", escaped(&step.to_string()))
        };
        let list = |chain: &Chain| {
            format!("<ol start=\"0\">\n{}</ol>\n", chain.steps.iter().map(step).collect::<String>())
        };
        self.chains.iter().map(list).collect()
    }
}

impl Mutant {
    /// A mutant with some changes and without a verdict; its operator names those of all changes.
    pub fn of_changes(changes: impl Iterator<Item = Change>) -> Self {
        let mut changes: Vec<Change> = changes.collect();
        if changes.is_empty() {
            return Self::default();
        }
        let operators: Vec<&str> = changes.iter().map(|change| change.operator.as_str()).collect();
        let operator = operators.join("+");
        let Change { file, line, column, old, new, .. } = changes.remove(0);
        Self { operator, file, line, column, old, new, further: changes, ..Self::default() }
    }

    /// What is changed into what.
    pub fn change(&self) -> String {
        let mut text = changed(&self.old, &self.new);
        for Change { file, line, old, new, .. } in &self.further {
            let place = if *file == self.file { String::new() } else { format!("{file}:") };
            let _ = write!(text, "; {place}{line}: {}", changed(old, new));
        }
        text
    }
}

/// Most characters of a changed place that lists show.
const SHOWN_TEXT: usize = 70;

/// A text of bounded length.
fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(SHOWN_TEXT) {
        Some((end, _)) => format!("{}...", &text[..end]).into(),
        None => text.into(),
    }
}

fn changed(old: &str, new: &str) -> String {
    let (old, new) = (shortened(old), shortened(new));
    match (&*old, &*new) {
        ("", "") => "nothing".to_owned(),
        ("", new) => format!("{new} added"),
        (old, "") => format!("{old} left out"),
        (old, new) => format!("{old} -> {new}"),
    }
}

fn row(mutant: &Mutant) -> String {
    let place = format!("{}:{}:{}", mutant.file, mutant.line, mutant.column);
    let at = match (mutant.chain, mutant.step) {
        (Some(chain), Some(step)) => format!("chain {chain}, step {step}"),
        _ => String::new(),
    };
    let shows = mutant.shows.as_ref().map_or_else(String::new, |shows| format!(" shows {shows}"));
    let trace: String = mutant.witness.iter().map(ToString::to_string).collect();
    let cells = [
        mutant.id.clone(),
        place,
        mutant.operator.clone(),
        mutant.change(),
        mutant.verdict.clone(),
        at + &shows + &trace,
        mutant.by.clone(),
    ];
    let cells: String = cells.iter().map(|cell| format!("<td>{}</td>", escaped(cell))).collect();
    format!("<tr>{cells}</tr>\n")
}

impl std::fmt::Display for Step {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let args: Vec<String> = self.args.iter().map(|value| value.to_string().replace('"', "")).collect();
        let args = if args.is_empty() { String::new() } else { format!("({})", args.join(", ")) };
        if !self.inputs.is_empty() {
            let inputs: Vec<String> =
                self.inputs.iter().map(|(name, value)| format!("{name}={}", shown(value))).collect();
            return write!(out, "{}", inputs.join(" "));
        }
        if let Some(after) = &self.after {
            let name = self.input.as_ref().or(self.output.as_ref()).map_or("quiet", String::as_str);
            let values: Vec<String> = self.args.iter().map(shown).collect();
            let space = if values.is_empty() { "" } else { " " };
            return write!(out, "({after},{name}{space}{})", values.join(" "));
        }
        match (&self.input, &self.output) {
            (Some(input), _) if self.probe => write!(out, "?{input}{args} (refused)"),
            (Some(input), _) => write!(out, "?{input}{args}"),
            (None, Some(output)) => write!(out, "!{output}{args}"),
            (None, None) if self.quiet => write!(out, "quiet"),
            (None, None) => write!(out, "watch"),
        }
    }
}

/// A value of a step as people read it.
fn shown(value: &serde_json::Value) -> String {
    let value = value.get("value").unwrap_or(value);
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A number of steps in words.
pub fn count_of_steps(count: u32) -> String {
    format!("{count} step{}", plural(count as usize))
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

const STYLE: &str = "body{font-family:sans-serif;margin:2em;max-width:80em}table{border-collapse:collapse}\
td,th{padding:.15em .6em;text-align:left;border-bottom:1px solid #ddd;font-size:90%}\
.grid span{display:inline-block;width:.8em;height:.8em;margin:1px;background:#999}\
.grid .killed{background:#2a7}.grid .conforms,.grid .equivalent{background:#bbb}\
.grid .undecided,.grid .initial,.grid .hang,.grid .crash,.grid .unviable{background:#d60}";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_says_what_was_found() {
        let mutant = |verdict: &str, surely| Mutant {
            operator: "guard".to_owned(),
            verdict: verdict.to_owned(),
            surely,
            ..Mutant::default()
        };
        let file = MutationFile {
            system: "lamp".to_owned(),
            kill: "output".to_owned(),
            operators: vec!["guard".to_owned()],
            mutants: vec![mutant("killed", true), mutant("killed", false), mutant("equivalent", false)],
            chains: vec![Chain::default()],
            length: 5,
            lower_bound: 4,
            single: 9,
            ..MutationFile::default()
        };
        let expected = "lamp: 3 mutants: 3 guard\n    2 killed      1 chain, 5 steps; at least 4 are needed   \
                        (one test per mutant: 9 steps)\n    1             of them may hide by a choice of their own\n    \
                        1 conform     proven: no test can tell (1 of them equivalent)\n";
        assert_eq!(file.summary(), expected);
        assert!(file.page().contains("<h2>Survivors</h2>"));
    }

    #[test]
    fn the_page_escapes_what_models_say() {
        let mutant = Mutant { old: "a < b".to_owned(), verdict: "conforms".to_owned(), ..Mutant::default() };
        let page = MutationFile { mutants: vec![mutant], ..MutationFile::default() }.page();
        assert!(page.contains("a &lt; b") && !page.contains("a < b"));
    }
}
