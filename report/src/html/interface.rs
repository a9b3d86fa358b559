//! Pages about requirement interfaces: whether they are consistent, what became of runs.

use super::matrix::{steps_of, written};
use super::text::{escaped, facts, list};
use super::{Section, frame};
use crate::output::marks::{MarkedStep, WrittenRequirement};

/// How good a result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quality {
    /// As it should be.
    Good,
    /// Open.
    Fair,
    /// Not as it should be.
    Bad,
}

impl Quality {
    const fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Fair => "fair",
            Self::Bad => "bad",
        }
    }
}

/// Steps of a run, or of a play, and what is to be said of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// The heading.
    pub title: String,
    /// Sentences.
    pub lines: Vec<String>,
    /// The steps, as far as they are shown.
    pub steps: Vec<MarkedStep>,
}

/// A page.
#[derive(Clone, Debug, PartialEq)]
pub struct InterfacePage {
    /// The name of the interface.
    pub name: String,
    /// The result in a word, and what it means.
    pub verdict: (Quality, String, String),
    /// More of the result: headings and sentences.
    pub facts: Vec<(&'static str, String)>,
    /// What the user should know.
    pub notes: Vec<String>,
    /// Runs.
    pub runs: Vec<Run>,
    /// The requirements.
    pub requirements: Vec<WrittenRequirement>,
    /// What became of requirements, by their identifiers.
    pub remarks: Vec<(String, Quality, String)>,
    /// The command line that made the page, where it is known.
    pub command: Option<String>,
}

impl InterfacePage {
    /// The page as HTML, without anything from elsewhere and without a script.
    pub fn html(&self) -> String {
        let (quality, word, meaning) = &self.verdict;
        let tile = format!(
            "<div class=\"tiles\"><div class=\"tile {}\"><b>{}</b><span>{}</span></div></div>\n",
            quality.class(),
            escaped(word),
            escaped(meaning)
        );
        let told: Vec<(&str, String)> =
            self.facts.iter().map(|(what, text)| (*what, escaped(text))).collect();
        let notes = list(self.notes.iter().map(|note| escaped(note)));
        let remark = |name: &str| {
            let found = self.remarks.iter().find(|(known, ..)| known == name);
            found.map(|(_, quality, text)| (quality.class(), text.clone()))
        };
        let mut sections: Vec<Section> = vec![("result", "Result", tile + &facts(&told) + &notes)];
        let runs: String = self.runs.iter().map(|run| self.run(run)).collect();
        sections.push(("steps", "Steps", runs));
        sections.push(("requirements", "Requirements", written(&self.requirements, remark)));
        let origin =
            self.command.as_ref().map(|command| ("Command", format!("<code>{}</code>", escaped(command))));
        sections.push(("origin", "Origin", facts(&origin.into_iter().collect::<Vec<_>>())));
        frame(&self.name, &sections, None)
    }

    fn run(&self, run: &Run) -> String {
        let title = match self.runs.len() {
            1 if run.title.is_empty() => String::new(),
            _ => format!("<h3>{}</h3>\n", escaped(&run.title)),
        };
        let lines: String = run.lines.iter().map(|line| format!("<p>{}</p>\n", escaped(line))).collect();
        title + &lines + &steps_of(&self.requirements, &run.steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::marks::{Mark, Triggered};
    use serde_json::json;

    fn page(steps: usize) -> InterfacePage {
        let evil = "</td><script>alert(1)</script>\"'&".to_owned();
        let step = |step: usize| MarkedStep {
            step,
            inputs: json!({ &evil: true, "b": false, "n": evil }).as_object().expect("an object").clone(),
            outputs: json!({ "o": 3 }).as_object().expect("an object").clone(),
            allowed: Some(evil.clone()),
            marks: [(
                evil.clone(),
                Mark { triggered: Triggered::Always, deciding: Some(false), broken: step + 1 == steps },
            )]
            .into(),
            shows: vec![evil.clone()],
        };
        InterfacePage {
            name: evil.clone(),
            verdict: (Quality::Bad, evil.clone(), evil.clone()),
            facts: vec![("Conflicts", evil.clone())],
            notes: vec![evil.clone()],
            runs: vec![Run {
                title: evil.clone(),
                lines: vec![evil.clone()],
                steps: (0..steps).map(step).collect(),
            }],
            requirements: vec![WrittenRequirement {
                name: evil.clone(),
                view: Some(evil.clone()),
                text: Some(evil.clone()),
                contracts: vec![evil.clone()],
                origin: None,
            }],
            remarks: vec![(evil.clone(), Quality::Bad, evil.clone())],
            command: Some(evil),
        }
    }

    #[test]
    fn text_of_interfaces_cannot_break_out() {
        let html = page(3).html();
        assert!(!html.contains("<script"), "{html}");
        for foreign in ["http://", "https://", "src=", "@import"] {
            assert!(!html.contains(foreign), "{foreign}");
        }
        // The requirement holds in two steps and is broken in one; the key has the signs, too.
        assert_eq!(html.matches("<td class=\"held\"").count(), 2);
        assert_eq!(html.matches("<td class=\"broken\"").count(), 1);
        assert!(html.contains("!b, n = &lt;/td&gt;"), "{html}");
    }

    #[test]
    fn long_runs_are_shown_at_both_ends() {
        let html = page(1000).html();
        assert_eq!(html.matches("<th scope=\"col\">").count(), 1 + 200);
        assert!(html.contains("800 steps in the middle are left out"));
        assert!(html.contains("<th scope=\"col\">999</th>"));
    }
}
