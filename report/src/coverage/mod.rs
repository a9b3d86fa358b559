//! Coverage in `chain.json`: totals, places, goals, and what a person's word excuses.

pub mod cobertura;
pub mod lcov;
pub mod page;
mod places;
pub mod terminal;

pub use config::coverage::Justification;

use crate::output::chain_file::{Goal, Status};
use frontend::Location;
use frontend::coverage::{self, Criterion, Part, SiteKind};
use model::id::Id;
use serde::{Deserialize, Serialize};

/// What became of the coverage goals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coverage {
    /// Totals, from the weakest criterion to the strongest.
    pub criteria: Vec<Total>,
    /// Goals with truths of their own: so many had to be searched for.
    pub merged: usize,
    /// The places, in the order of files and lines.
    pub sites: Vec<Site>,
    /// The goals, in the order of their sites.
    pub goals: Vec<CoverageGoal>,
    /// What became of the pairs of MC/DC, in the order of their sites.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<PairOutcome>,
    /// Justifications that excuse nothing any more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stale: Vec<Stale>,
}

/// What became of the goals of one criterion. No goal is counted in two of the columns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Total {
    /// Name of the criterion.
    pub name: String,
    /// Number of goals.
    pub goals: usize,
    /// Covered by a chain.
    pub covered: usize,
    /// Proven impossible.
    pub dead: usize,
    /// Neither, but excused by a justification.
    pub justified: usize,
    /// Neither, and not excused.
    pub undecided: usize,
}

/// A place with goals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// `block`, `decision`, `switch`, `comparison`, `table` or `input`.
    pub kind: String,
    /// The file; absent for inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, from 1; 0 for inputs.
    pub line: u32,
    /// The column in characters, from 1; 0 where it is not known.
    pub column: u32,
    /// The function; empty for inputs.
    pub function: String,
    /// Where the calls stand that lead there, the outermost one first, where each way there has
    /// goals of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallPlace>,
    /// The text, macros expanded; the name of an input.
    pub text: String,
    /// Conditions of a decision, in the order of evaluation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// The outcome of a decision, or value of a `switch`, that is a constant: it has no goals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constant: Option<String>,
}

/// The place of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallPlace {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

/// A condition of a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// Its text.
    pub text: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1; 0 where it is not known.
    pub column: u32,
}

/// A coverage goal and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverageGoal {
    /// Unique name with file and line.
    pub name: String,
    /// Name that stays the same while the tokens of the site do.
    pub identity: String,
    /// Name of the criterion.
    pub criterion: String,
    /// The place: an index into [`Coverage::sites`].
    pub site: usize,
    /// What of it.
    pub part: PartOf,
    /// The name of the goal, in the list of goals, that stands for it.
    pub goal: String,
    /// What became of it.
    pub status: CoverageStatus,
    /// Index of the first chain that covers it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chain: Option<usize>,
    /// The first step there in which it is reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
    /// Where it is seen that the value was not the opposite, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<Seen>,
    /// Why it may stay uncovered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub justified: Option<Justification>,
}

/// An output that tells the value of a decision, a condition or a word of memory from another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// The step of the chain.
    pub step: usize,
    /// Name of the output.
    pub output: String,
    /// Its value there.
    pub value: String,
    /// Its value there, had the decision or condition had the opposite value in its step, or the
    /// word of memory its other value.
    pub otherwise: String,
    /// For requirements about memory the word whose other value would be seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub altered: Option<Altered>,
}

/// A word of memory, as a step has left it, with another value that would break a requirement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Altered {
    /// Its name.
    pub word: String,
    /// Its value.
    pub value: String,
    /// The other value.
    pub otherwise: String,
}

/// What became of the pair of a condition: two evaluations of its decision that show its
/// independence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairOutcome {
    /// Unique name with file and line.
    pub name: String,
    /// Name that stays the same while the tokens of the site do.
    pub identity: String,
    /// The decision: an index into [`Coverage::sites`].
    pub site: usize,
    /// Number of the condition, from 0.
    pub condition: usize,
    /// Whether chains have it.
    pub status: CoverageStatus,
    /// The two evaluations, where chains have them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evaluations: Vec<Evaluation>,
    /// Why no execution has it, where that is proven.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<String>,
    /// Why it may stay uncovered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub justified: Option<Justification>,
}

impl PairOutcome {
    /// Whether it is neither covered nor excused.
    pub fn is_uncovered(&self) -> bool {
        self.status != CoverageStatus::Covered && self.justified.is_none()
    }
}

/// An evaluation of a decision in a chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Index of the chain.
    pub chain: usize,
    /// The step.
    pub at: usize,
    /// The values of the conditions in the order of evaluation, `T`, `F`, or `-` where one is not
    /// evaluated, and behind a blank the outcome.
    pub values: String,
}

/// What of a site a goal reaches; the keys that apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PartOf {
    /// Number of the condition, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<usize>,
    /// Outcome of the decision, or value of the condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<bool>,
    /// Number of a group of labels, from 0; the number of groups where none is chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<usize>,
    /// -1, 0, 1: how the left operand lies to the right one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<i8>,
    /// Index of a cell of a constant array.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell: Option<u64>,
    /// Whether it is the upper end of the range of an input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper: Option<bool>,
}

/// What became of a coverage goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CoverageStatus {
    /// A chain reaches it.
    Covered,
    /// Proven impossible.
    Dead,
    /// Neither.
    Undecided,
}

/// A justification that excuses nothing any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stale {
    /// Identity of the goal.
    pub goal: String,
    /// Why.
    pub why: String,
}

impl Seen {
    /// `step 8: motor = 1, else 0`; `step 8: motor = 1, or 0 with latch = 0 in place of 1`.
    pub fn text(&self) -> String {
        let Self { step, output, value, otherwise, altered } = self;
        match altered {
            None => format!("step {step}: {output} = {value}, else {otherwise}"),
            Some(Altered { word, value: own, otherwise: other }) => {
                format!(
                    "step {step}: {output} = {value}, or {otherwise} with {word} = {other} in place of {own}"
                )
            }
        }
    }
}

impl CoverageGoal {
    /// Whether it is neither covered nor excused.
    pub fn is_uncovered(&self) -> bool {
        self.status != CoverageStatus::Covered && self.justified.is_none()
    }
}

/// The section: what became of coverage goals follows from the goals of the system that stand for
/// them; what became of pairs is given.
pub fn section(
    found: &coverage::Coverage,
    goals: &[Goal],
    pairs: Vec<PairOutcome>,
    justified: &[Justification],
) -> Coverage {
    let entries: Vec<CoverageGoal> = found.goals.iter().map(|goal| entry(goal, goals, justified)).collect();
    let merged: std::collections::BTreeSet<usize> =
        found.goals.iter().map(|goal| goal.goal.index()).collect();
    Coverage {
        criteria: totals(&entries, &pairs),
        merged: merged.len(),
        sites: found.sites.iter().map(site).collect(),
        stale: stale(&entries, &pairs, justified),
        goals: entries,
        pairs,
    }
}

fn entry(goal: &coverage::CoverageGoal, goals: &[Goal], justified: &[Justification]) -> CoverageGoal {
    let searched = &goals[goal.goal.index()];
    CoverageGoal {
        name: goal.name.clone(),
        identity: goal.identity.clone(),
        criterion: goal.criterion.name().to_owned(),
        site: goal.site,
        part: part(&goal.part),
        goal: searched.name.clone(),
        status: match searched.status {
            Status::Covered => CoverageStatus::Covered,
            Status::Unreachable => CoverageStatus::Dead,
            Status::Undecided => CoverageStatus::Undecided,
        },
        chain: searched.chain,
        at: searched.at,
        seen: None,
        justified: justified.iter().find(|known| known.goal == goal.identity).cloned(),
    }
}

fn part(part: &Part) -> PartOf {
    let none = PartOf::default();
    match *part {
        Part::Entered => none,
        Part::Outcome(value) => PartOf { value: Some(value), ..none },
        Part::Label(label) => PartOf { label: Some(label), ..none },
        Part::Value(condition, value) | Part::Half(condition, value) => {
            PartOf { condition: Some(condition), value: Some(value), ..none }
        }
        Part::Relation(difference) => PartOf { difference: Some(difference), ..none },
        Part::Cell(cell) => PartOf { cell: Some(cell), ..none },
        Part::End(upper) => PartOf { upper: Some(upper), ..none },
    }
}

fn site(site: &coverage::Site) -> Site {
    let condition = |condition: &coverage::Condition| Condition {
        text: condition.text.clone(),
        line: condition.line,
        column: condition.column,
    };
    let call = |call: &Location| CallPlace { file: call.file.display().to_string(), line: call.line };
    Site {
        kind: site.kind.name().to_owned(),
        file: site.place.as_ref().map(|place| place.file.display().to_string()),
        line: site.place.as_ref().map_or(0, |place| place.line),
        column: site.column,
        function: site.function.clone(),
        calls: site.calls.iter().map(call).collect(),
        text: site.text.clone(),
        conditions: site.conditions.iter().map(condition).collect(),
        constant: site.constant.clone(),
    }
}

/// What became of a goal or a pair, and whether it is excused.
type Became<'a> = (&'a str, CoverageStatus, bool);

fn totals(goals: &[CoverageGoal], pairs: &[PairOutcome]) -> Vec<Total> {
    let of_goals = goals.iter().map(|goal| (&*goal.criterion, goal.status, goal.justified.is_some()));
    let of_pairs =
        pairs.iter().map(|pair| (Criterion::McdcPairs.name(), pair.status, pair.justified.is_some()));
    let all: Vec<Became<'_>> = of_goals.chain(of_pairs).collect();
    let total = |criterion: Criterion| {
        let of = |wanted: &dyn Fn(CoverageStatus, bool) -> bool| {
            let is_it =
                |&&(name, status, excused): &&Became<'_>| name == criterion.name() && wanted(status, excused);
            all.iter().filter(is_it).count()
        };
        let is_open = |status: CoverageStatus| status == CoverageStatus::Undecided;
        Total {
            name: criterion.name().to_owned(),
            goals: of(&|_, _| true),
            covered: of(&|status, _| status == CoverageStatus::Covered),
            dead: of(&|status, _| status == CoverageStatus::Dead),
            justified: of(&|status, excused| is_open(status) && excused),
            undecided: of(&|status, excused| is_open(status) && !excused),
        }
    };
    Criterion::ALL.into_iter().map(total).filter(|total| total.goals > 0).collect()
}

/// Justifications of what is covered, and of what does not exist under that identity.
fn stale(goals: &[CoverageGoal], pairs: &[PairOutcome], justified: &[Justification]) -> Vec<Stale> {
    let of_goals = goals.iter().map(|goal| (&goal.identity, goal.status));
    let all: Vec<_> = of_goals.chain(pairs.iter().map(|pair| (&pair.identity, pair.status))).collect();
    let why = |known: &Justification| match all.iter().find(|(identity, _)| **identity == known.goal) {
        None => Some("there is no such goal: its tokens have changed, it is gone, or it is not asked for"),
        Some((_, CoverageStatus::Covered)) => Some("it is covered"),
        Some(_) => None,
    };
    let stale = |known: &Justification| Some(Stale { goal: known.goal.clone(), why: why(known)?.to_owned() });
    justified.iter().filter_map(stale).collect()
}

impl Site {
    /// Whether it is of a kind.
    pub(crate) fn is(&self, kind: SiteKind) -> bool {
        self.kind == kind.name()
    }
}
