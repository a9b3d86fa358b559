//! Pages about test cases of timed systems: the test as a tree, with the guards of its rules.

use super::text::{escaped, facts};
use super::{Section, frame};
use std::fmt::Write;

/// Rules that are shown with their guards at most; of larger tests the page has the first states.
const SHOWN: usize = 2000;

/// What a rule leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leads {
    /// A state of the page, by its position, that no earlier rule leads to; later than its own.
    To(usize),
    /// The verdict that the purpose was reached.
    Pass(String),
    /// A verdict that ends the test without a result.
    Inconclusive(String),
    /// A verdict against the system.
    Fail(String),
}

/// A rule of a test case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestRule {
    /// Its name, such as `R5`.
    pub rule: String,
    /// What happens: `Debit?`, `Transc!`, `silence`.
    pub event: String,
    /// The transition of the system that it follows, where it is one.
    pub place: Option<String>,
    /// Its guard, a condition in each entry.
    pub guard: Vec<String>,
    /// Where it leads.
    pub leads: Leads,
}

/// A state of a test case with its rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestState {
    /// Its name, such as `ec2`.
    pub name: String,
    /// The state of the system.
    pub location: String,
    /// The rules that start there.
    pub rules: Vec<TestRule>,
}

/// A page about a test case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestPage {
    /// What the test is for.
    pub name: String,
    /// One sentence about it.
    pub summary: String,
    /// Headings and sentences.
    pub facts: Vec<(&'static str, String)>,
    /// The states; the test begins in the first one, and every other one is led to by one rule.
    pub states: Vec<TestState>,
    /// The command line that made the page, where it is known.
    pub command: Option<String>,
}

impl TestPage {
    /// The page as HTML, without anything from elsewhere and without a script.
    pub fn html(&self) -> String {
        let told: Vec<(&str, String)> =
            self.facts.iter().map(|(what, text)| (*what, escaped(text))).collect();
        let about = format!("<p>{}</p>\n", escaped(&self.summary)) + &facts(&told);
        let origin =
            self.command.as_ref().map(|command| ("Command", format!("<code>{}</code>", escaped(command))));
        let sections: [Section; 3] = [
            ("test", "Test case", about),
            ("tree", "Tree", self.tree()),
            ("origin", "Origin", facts(&origin.into_iter().collect::<Vec<_>>())),
        ];
        frame(&self.name, &sections, None)
    }

    /// Each state in the rule that leads to it.
    fn tree(&self) -> String {
        let (mut text, mut left) = (String::new(), SHOWN);
        self.add_state(0, &mut left, &mut text);
        text
    }

    /// Adds a state with what is below it; `left` is the number of rules that may still be shown,
    /// which also bounds how deep states stand in each other.
    fn add_state(&self, position: usize, left: &mut usize, text: &mut String) {
        let Some(state) = self.states.get(position) else { return };
        let (name, location) = (escaped(&state.name), escaped(&state.location));
        let _ = writeln!(text, "<details open><summary><b>{name}</b> {location}</summary>");
        if state.rules.len() <= *left {
            *left -= state.rules.len();
            text.push_str("<ul class=\"rules\">\n");
            state.rules.iter().for_each(|rule| self.add_rule(rule, left, text));
            text.push_str("</ul>\n");
        } else {
            *left = 0;
            text.push_str("<p>not shown: the test is too large; testcase.json has all</p>\n");
        }
        text.push_str("</details>\n");
    }

    fn add_rule(&self, rule: &TestRule, left: &mut usize, text: &mut String) {
        let (class, to) = match &rule.leads {
            Leads::To(state) => {
                let name = self.states.get(*state).map_or("", |state| state.name.as_str());
                ("", format!("&rarr; {}", escaped(name)))
            }
            Leads::Pass(verdict) => ("good", escaped(verdict)),
            Leads::Inconclusive(verdict) => ("fair", escaped(verdict)),
            Leads::Fail(verdict) => ("bad", escaped(verdict)),
        };
        let place = rule.place.as_ref().map_or_else(String::new, |place| format!(" {}", escaped(place)));
        let (name, event) = (escaped(&rule.rule), escaped(&rule.event));
        let _ = write!(text, "<li>{name} <b>{event}</b>{place} <span class=\"{class}\">{to}</span>");
        if !rule.guard.is_empty() {
            let conditions: Vec<String> = rule.guard.iter().map(|condition| escaped(condition)).collect();
            let conditions = conditions.join("\n");
            let _ = write!(text, "<details><summary>guard</summary><pre>{conditions}</pre></details>");
        }
        text.push('\n');
        if let Leads::To(state) = rule.leads {
            self.add_state(state, left, text);
        }
        text.push_str("</li>\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> TestPage {
        let evil = "</li><script>alert(1)</script>\"'&";
        let rule = |leads: Leads| TestRule {
            rule: "R1".to_owned(),
            event: evil.to_owned(),
            place: Some(evil.to_owned()),
            guard: vec![evil.to_owned(), "(<= 0.0 z1)".to_owned()],
            leads,
        };
        let state =
            |rules: Vec<TestRule>| TestState { name: evil.to_owned(), location: evil.to_owned(), rules };
        TestPage {
            name: evil.to_owned(),
            summary: evil.to_owned(),
            facts: vec![("Time-out", evil.to_owned())],
            states: vec![
                state(vec![rule(Leads::To(1)), rule(Leads::Fail("FAIL_out".to_owned()))]),
                state(vec![rule(Leads::Pass("PASS".to_owned()))]),
            ],
            command: Some(evil.to_owned()),
        }
    }

    #[test]
    fn texts_cannot_break_out_and_states_stand_in_their_rules() {
        let html = page().html();
        assert!(!html.contains("<script") && !html.contains("http://"), "{html}");
        assert_eq!(html.matches("(&lt;= 0.0 z1)").count(), 3);
        let (first, last) = (html.find("&rarr;").expect("a rule"), html.find("FAIL_out").expect("a verdict"));
        let inside = html.find("PASS").expect("a verdict");
        assert!(first < inside && inside < last, "{html}");
    }

    #[test]
    fn large_tests_are_cut() {
        let mut page = page();
        let rule = page.states[1].rules[0].clone();
        page.states[1].rules = vec![rule; SHOWN + 1];
        assert!(page.html().contains("not shown"));
    }
}
