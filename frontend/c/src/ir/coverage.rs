//! Places in function bodies that coverage looks at.
//!
//! Lowering wraps values that matter in [probes](super::expr::ExprKind::Probe) and puts
//! [marks](super::stmt::StmtKind::Reach) in front of blocks; neither changes what the program does.
//! Only lowering still sees decisions as they were written: behind it `&&` with effects is an `if`.

use super::FunctionId;
use super::expr::BinaryOp;
use frontend::source::Span;
use model::define_id;
use model::id::IdVec;

define_id!(
    /// A value that coverage looks at.
    ProbeId, "probe"
);
define_id!(
    /// A decision.
    DecisionId, "decision"
);
define_id!(
    /// A comparison.
    ComparisonId, "comparison"
);
define_id!(
    /// A `switch`.
    SwitchId, "switch"
);
define_id!(
    /// A block of statements that are executed after one another.
    BlockId, "block"
);

/// All places of a program; empty unless they were asked for.
#[derive(Clone, Debug, Default)]
pub struct Instruments {
    /// Values that are looked at.
    pub probes: IdVec<ProbeId, Probe>,
    /// Decisions.
    pub decisions: IdVec<DecisionId, Decision>,
    /// Comparisons.
    pub comparisons: IdVec<ComparisonId, Comparison>,
    /// Every `switch`.
    pub switches: IdVec<SwitchId, Switch>,
    /// Blocks.
    pub blocks: IdVec<BlockId, CodeSite>,
}

/// What a value is to coverage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Probe {
    /// The decision in whose tree its truth is a node.
    pub decision: Option<DecisionId>,
    /// For a condition: its number in the decision.
    pub condition: Option<usize>,
    /// Whether it is the outcome of the decision.
    pub is_outcome: bool,
    /// The comparison that it is.
    pub comparison: Option<ComparisonId>,
    /// The `switch` that it controls.
    pub switch: Option<SwitchId>,
}

/// Where something stands.
#[derive(Clone, Debug)]
pub struct CodeSite {
    /// The function.
    pub function: FunctionId,
    /// The place.
    pub span: Span,
    /// The text, macros expanded, on one line.
    pub text: String,
}

/// A decision: a maximal tree of boolean operators.
#[derive(Clone, Debug)]
pub struct Decision {
    /// Where it stands.
    pub site: CodeSite,
    /// Whether it controls a branch, a loop or a `?:`.
    pub is_controlling: bool,
    /// The tree.
    pub tree: Node,
    /// Its conditions, in the order of evaluation; constants are none.
    pub conditions: Vec<Condition>,
    /// Its outcome, where that is a constant.
    pub constant: Option<bool>,
    /// The ways to evaluate it; none where there are too many.
    pub ways: Vec<Way>,
}

/// A way to evaluate a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// The values of the conditions; `None`: not evaluated.
    pub values: Vec<Option<bool>>,
    /// The outcome.
    pub outcome: bool,
}

/// Most ways to evaluate a decision that are looked at.
const MOST_WAYS: usize = 256;

impl Way {
    /// A way to evaluate two parts of a decision.
    fn with(&self, other: &Self, outcome: bool) -> Self {
        let values = self.values.iter().zip(&other.values).map(|(one, two)| one.or(*two)).collect();
        Self { values, outcome }
    }
}

impl Node {
    /// The ways to evaluate a tree with these conditions; none where there are too many.
    pub(crate) fn ways(&self, conditions: &[ProbeId]) -> Vec<Way> {
        self.all_ways(conditions).unwrap_or_default()
    }

    fn all_ways(&self, conditions: &[ProbeId]) -> Option<Vec<Way>> {
        let open = vec![None; conditions.len()];
        let mut ways = Vec::new();
        match self {
            Self::Constant(outcome) => ways.push(Way { values: open, outcome: *outcome }),
            Self::Condition(probe) => {
                for outcome in [true, false] {
                    let value = |known: &ProbeId| (known == probe).then_some(outcome);
                    ways.push(Way { values: conditions.iter().map(value).collect(), outcome });
                }
            }
            Self::Not(_, inner) => {
                let opposite = |way: Way| Way { outcome: !way.outcome, ..way };
                ways.extend(inner.all_ways(conditions)?.into_iter().map(opposite));
            }
            Self::Operator { operator, left, right, .. } => {
                let right = right.all_ways(conditions)?;
                for first in left.all_ways(conditions)? {
                    if operator.is_short() && operator.controlling() == Some(first.outcome) {
                        ways.push(first);
                        continue;
                    }
                    let both =
                        |second: &Way| first.with(second, operator.apply(first.outcome, second.outcome));
                    ways.extend(right.iter().map(both));
                }
            }
        }
        (ways.len() <= MOST_WAYS).then_some(ways)
    }
}

/// A condition of a decision.
#[derive(Clone, Debug)]
pub struct Condition {
    /// Its text.
    pub text: String,
    /// Where it stands.
    pub span: Span,
    /// Its value.
    pub probe: ProbeId,
}

/// A node of the tree of a decision.
#[derive(Clone, Debug)]
pub enum Node {
    /// A constant.
    Constant(bool),
    /// A condition.
    Condition(ProbeId),
    /// `!x`.
    Not(ProbeId, Box<Node>),
    /// An operator with two operands.
    Operator {
        /// Its value.
        probe: ProbeId,
        /// Which one.
        operator: Operator,
        /// Its left operand.
        left: Box<Node>,
        /// Its right operand.
        right: Box<Node>,
    },
}

/// Boolean operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `&&`.
    And,
    /// `||`.
    Or,
    /// `&` on truth values, without short circuit.
    BothAnd,
    /// `|` on truth values, without short circuit.
    BothOr,
    /// `^` and `!=` on truth values: neither operand ever masks the other.
    Parity,
    /// `==` on truth values.
    Equivalence,
}

impl Operator {
    /// What a bitwise operator or comparison is on truth values.
    pub(crate) fn of_truths(operator: BinaryOp) -> Option<Self> {
        match operator {
            BinaryOp::BitAnd => Some(Self::BothAnd),
            BinaryOp::BitOr => Some(Self::BothOr),
            BinaryOp::BitXor | BinaryOp::NotEqual => Some(Self::Parity),
            BinaryOp::Equal => Some(Self::Equivalence),
            _ => None,
        }
    }

    /// Its value.
    const fn apply(self, left: bool, right: bool) -> bool {
        match self {
            Self::And | Self::BothAnd => left && right,
            Self::Or | Self::BothOr => left || right,
            Self::Parity => left != right,
            Self::Equivalence => left == right,
        }
    }

    /// The value of one operand that decides whatever the other one is.
    pub(crate) const fn controlling(self) -> Option<bool> {
        match self {
            Self::And | Self::BothAnd => Some(false),
            Self::Or | Self::BothOr => Some(true),
            Self::Parity | Self::Equivalence => None,
        }
    }

    /// Whether the right operand is evaluated only where the left one does not decide.
    pub(crate) const fn is_short(self) -> bool {
        matches!(self, Self::And | Self::Or)
    }
}

impl Node {
    /// Its value; `None` for a constant.
    pub(crate) const fn probe(&self) -> Option<ProbeId> {
        match self {
            Self::Constant(_) => None,
            Self::Condition(probe) | Self::Not(probe, _) | Self::Operator { probe, .. } => Some(*probe),
        }
    }
}

/// A comparison `left operator right` of numbers.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Where it stands.
    pub site: CodeSite,
    /// The operator.
    pub operator: BinaryOp,
    /// Whether the operands are floats.
    pub is_float: bool,
}

/// A `switch`.
#[derive(Clone, Debug)]
pub struct Switch {
    /// Where it stands.
    pub site: CodeSite,
    /// Its groups of labels in the order of the entries: each one's text.
    pub groups: Vec<String>,
    /// Whether one of them holds `default`.
    pub has_default: bool,
    /// Whether the controlling value is a constant.
    pub is_constant: bool,
}
