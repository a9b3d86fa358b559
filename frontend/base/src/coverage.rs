//! Goals that follow from the structure of the code: what is asked for, and what was found.
//!
//! A front end finds the places (statements, decisions, comparisons, inputs) and says of each goal
//! under which truth over state and inputs a step reaches it. Goals with equal truths share one
//! goal of the system, so that the search never sees two names of one thing.

use crate::translated::Location;
use model::system::GoalId;
use model::term::TermId;
use std::collections::BTreeSet;

/// A criterion of coverage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Criterion {
    /// Every block of statements is entered.
    Statement,
    /// Every decision has every outcome; every group of labels of a `switch` is chosen.
    Decision,
    /// Every condition is evaluated to both values.
    Condition,
    /// Masking MC/DC (CAST-6): every condition is evaluated to both values, each time such that the
    /// decision's outcome depends on it.
    Mcdc,
    /// MC/DC by pairs (unique cause): for every condition two evaluations of its decision with
    /// different outcomes that differ in it alone, as far as both evaluate the same conditions.
    McdcPairs,
    /// The operands of every comparison differ by -1, 0 and 1 (floats: within a tolerance).
    Relational,
    /// Every input is at each end of its range, and every cell of a constant array is read where
    /// one is.
    Boundary,
}

impl Criterion {
    /// All of them, from weak to strong.
    pub const ALL: [Self; 7] = [
        Self::Statement,
        Self::Decision,
        Self::Condition,
        Self::Mcdc,
        Self::McdcPairs,
        Self::Relational,
        Self::Boundary,
    ];

    /// The name in options, configurations and results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Statement => "statement",
            Self::Decision => "decision",
            Self::Condition => "condition",
            Self::Mcdc => "mcdc",
            Self::McdcPairs => "mcdc-pairs",
            Self::Relational => "relational",
            Self::Boundary => "boundary",
        }
    }

    /// The criterion of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|criterion| criterion.name() == name)
    }
}

/// How far the operands of a comparison of floats may lie apart to count as neighbours: the greater
/// of an absolute distance and a part of the greater operand, or a number of floats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// The distance, at least 0.
    pub absolute: f64,
    /// The part, at least 0.
    pub relative: f64,
    /// In place of both: as many floats of the operands' format further (units in the last place).
    pub ulps: Option<u32>,
}

impl Default for Tolerance {
    /// As Simulink Coverage has it.
    fn default() -> Self {
        Self { absolute: 1e-5, relative: 0.01, ulps: None }
    }
}

/// Which coverage goals are asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CoverageRequest {
    /// The criteria; none: no goals.
    pub criteria: BTreeSet<Criterion>,
    /// Whether only decisions count that control an `if`, a loop or a `?:`; otherwise boolean
    /// expressions count wherever they stand.
    pub branches_only: bool,
    /// Files and functions that count (names, `*` stands for any characters); none: all.
    pub include: Vec<String>,
    /// Files and functions that do not count.
    pub exclude: Vec<String>,
    /// For comparisons of floats.
    pub tolerance: Tolerance,
    /// Whether the goals of requirements are left out (`--goals none`).
    pub alone: bool,
    /// Whether what initialisation reaches counts, too.
    pub init: bool,
    /// Whether code that is called from several places has goals for each way in which calls lead
    /// there.
    pub per_call: bool,
    /// Within how many further steps the value of a decision or condition has to be seen at an
    /// output; `None`: it need not be seen.
    pub observe: Option<u32>,
}

impl CoverageRequest {
    /// Whether anything is asked for.
    pub fn is_wanted(&self) -> bool {
        !self.criteria.is_empty()
    }

    /// Whether a function of a file counts. Patterns name files by their last parts.
    pub fn counts(&self, file: &str, function: &str) -> bool {
        let fits = |pattern: &String| {
            let is_file = file == pattern || file.ends_with(&format!("/{pattern}"));
            let name = file.rsplit('/').next().unwrap_or(file);
            is_file || [file, name, function].into_iter().any(|text| is_like(pattern, text))
        };
        (self.include.is_empty() || self.include.iter().any(fits)) && !self.exclude.iter().any(fits)
    }
}

/// Whether a text fits a pattern in which `*` stands for any characters.
fn is_like(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((start, rest)) => text.strip_prefix(start).is_some_and(|text| {
            let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            ends.into_iter().any(|at| is_like(rest, &text[at..]))
        }),
    }
}

/// What a site of coverage is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SiteKind {
    /// A block of statements that are executed after one another.
    Block,
    /// A decision.
    Decision,
    /// A `switch`.
    Switch,
    /// A comparison.
    Comparison,
    /// A read of a constant array.
    Table,
    /// An input.
    Input,
}

impl SiteKind {
    /// The name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Decision => "decision",
            Self::Switch => "switch",
            Self::Comparison => "comparison",
            Self::Table => "table",
            Self::Input => "input",
        }
    }
}

/// A place that has goals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// What it is.
    pub kind: SiteKind,
    /// Where it stands; `None` for inputs.
    pub place: Option<Location>,
    /// The column in characters, from 1; 0 where it is not known.
    pub column: u32,
    /// The function; empty for inputs.
    pub function: String,
    /// Where the calls stand that lead there, the outermost one first, if others lead there, too,
    /// and each way counts for itself.
    pub calls: Vec<Location>,
    /// Its text, macros expanded.
    pub text: String,
    /// For a decision: its conditions, in the order of evaluation; constants are none.
    pub conditions: Vec<Condition>,
    /// For a decision or `switch` whose outcome is constant, that outcome: it has no goals.
    pub constant: Option<String>,
    /// For a decision the numbers by which a request names its values; see [`Inversion`].
    ///
    /// [`Inversion`]: crate::request::Inversion
    pub values: Vec<usize>,
}

/// A condition of a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// Its text.
    pub text: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1; 0 where it is not known.
    pub column: u32,
    /// The numbers by which a request names its values, as for [`Site::values`].
    pub values: Vec<usize>,
}

/// What of a site a goal reaches.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// A block is entered.
    Entered,
    /// A decision has an outcome.
    Outcome(bool),
    /// A `switch` goes to the group of labels of this number, in the order of the text, or, with
    /// the number of groups, to none.
    Label(usize),
    /// The condition of this number is evaluated to a value.
    Value(usize, bool),
    /// The condition of this number is evaluated to a value and not masked.
    Half(usize, bool),
    /// The left operand is below (-1), at (0) or above (1) the right one, next to it.
    Relation(i8),
    /// The cell of this index is read.
    Cell(u64),
    /// An input is at the lower (false) or upper end of its range.
    End(bool),
}

impl Part {
    /// Whether it is the value of a decision or a condition, which could be the other one.
    pub const fn is_of_value(&self) -> bool {
        matches!(self, Self::Outcome(_) | Self::Value(..) | Self::Half(..))
    }
}

/// A coverage goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoverageGoal {
    /// The criterion that it belongs to.
    pub criterion: Criterion,
    /// Its site: an index into [`Coverage::sites`].
    pub site: usize,
    /// What of it.
    pub part: Part,
    /// A name that stays the same while the tokens of the site do, wherever the site moves in its
    /// function: file, function, kind with the hash of the tokens and the number among equal ones,
    /// criterion, part.
    pub identity: String,
    /// A unique name with file and line.
    pub name: String,
    /// The goal of the system with its truth.
    pub goal: GoalId,
    /// Goals, as indices into [`Coverage::goals`], that no step reaches without reaching this one.
    pub implied_by: Vec<usize>,
}

/// A way to evaluate a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vector {
    /// The decision: an index into [`Coverage::sites`].
    pub site: usize,
    /// The values of its conditions; `None`: not evaluated.
    pub values: Vec<Option<bool>>,
    /// Its outcome.
    pub outcome: bool,
    /// Truth over state and inputs: a step evaluates it so.
    pub truth: TermId,
}

impl Vector {
    /// The only condition in which two evaluations of one decision with different outcomes differ,
    /// of those that both of them evaluate; `None`: the outcomes are alike, or several differ. This
    /// is the rule of `llvm-cov`.
    pub fn independent(&self, other: &Self) -> Option<usize> {
        if self.site != other.site || self.outcome == other.outcome {
            return None;
        }
        let differs =
            |(one, two): (&Option<bool>, &Option<bool>)| one.is_some() && two.is_some() && one != two;
        let values = self.values.iter().zip(&other.values).enumerate();
        let mut differing = values.filter(|(_, pair)| differs(*pair)).map(|(number, _)| number);
        differing.next().filter(|_| differing.next().is_none())
    }
}

/// A condition for which two evaluations are wanted that are independent in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The decision: an index into [`Coverage::sites`].
    pub site: usize,
    /// The number of the condition.
    pub condition: usize,
    /// As for [`CoverageGoal::identity`].
    pub identity: String,
    /// A unique name with file and line.
    pub name: String,
}

/// All coverage goals of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// The places, in the order of files and lines.
    pub sites: Vec<Site>,
    /// The goals, in the order of their sites.
    pub goals: Vec<CoverageGoal>,
    /// Conditions for which pairs are wanted, in the order of their sites.
    pub pairs: Vec<Pair>,
    /// The ways to evaluate their decisions; none of a decision that has more than are looked at.
    pub vectors: Vec<Vector>,
}

#[cfg(test)]
mod tests {
    use super::CoverageRequest;

    #[test]
    fn files_and_functions_are_included_and_excluded() {
        let list = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        for (include, exclude, file, function, expected) in [
            ("", "", "src/lift.c", "step", true),
            ("lift.c", "", "src/lift.c", "step", true),
            ("lift.c", "", "src/door.c", "step", false),
            ("src/lift.c", "", "a/src/lift.c", "step", true),
            ("lift_*", "", "lift.c", "lift_step", true),
            ("lift_*", "", "lift.c", "step", false),
            ("", "*.h", "src/lift.h", "clamp", false),
            ("", "clamp", "src/lift.h", "clamp", false),
            ("lift.c", "clamp*", "lift.c", "clamp_up", false),
            ("*f*c", "", "lift.c", "x", true),
        ] {
            let request = CoverageRequest {
                include: list(include),
                exclude: list(exclude),
                ..CoverageRequest::default()
            };
            assert_eq!(request.counts(file, function), expected, "{include} {exclude} {file} {function}");
        }
    }
}
