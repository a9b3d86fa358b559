//! Exit codes: a contract with scripts.

use chaincover::requirements::Verdict;
use chaincover::{Limit, Reason};

/// How a run ended. Where several apply, [`Exit::combine`] says which one is told: 4, then 10, then
/// 124/130, then 5, then 20.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Every goal covered, every chain replayed, no expectation violated.
    Success,
    /// Usage or configuration error.
    Usage,
    /// C that does not parse or is not supported.
    Source,
    /// The compiled code disagrees with the computed chain.
    SelfCheck,
    /// Some goals undecided within the bounds.
    Undecided,
    /// A defect of this program.
    Internal,
    /// An expectation is violated along the chain, or a stored chain does something else than was
    /// recorded.
    Violated,
    /// Requirements that no system can meet.
    Inconsistent,
    /// A test was allowed to its end, but the system's choices missed what it was made for.
    Inconclusive,
    /// The system under test cannot be used: it died, kept silent, answered ill-formed.
    Unusable,
    /// Every goal not covered is proven unreachable.
    Unreachable,
    /// Stopped by the time limit.
    TimeOut,
    /// Stopped by Ctrl-C.
    Interrupted,
}

impl From<Verdict> for Exit {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Pass => Self::Success,
            Verdict::Fail => Self::Violated,
            Verdict::Inconclusive => Self::Inconclusive,
            Verdict::Error => Self::Unusable,
        }
    }
}

impl Exit {
    /// The process's exit code.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Usage => 2,
            Self::Source => 3,
            Self::SelfCheck => 4,
            Self::Undecided => 5,
            Self::Internal => 6,
            Self::Violated => 10,
            Self::Inconsistent => 11,
            Self::Inconclusive => 12,
            Self::Unusable => 13,
            Self::Unreachable => 20,
            Self::TimeOut => 124,
            Self::Interrupted => 130,
        }
    }

    /// What the exit code of another process of this program means; others are defects.
    pub(crate) fn of_code(code: u8) -> Self {
        const ALL: [Exit; 12] = [
            Exit::Success,
            Exit::Usage,
            Exit::Source,
            Exit::SelfCheck,
            Exit::Undecided,
            Exit::Violated,
            Exit::Inconsistent,
            Exit::Inconclusive,
            Exit::Unusable,
            Exit::Unreachable,
            Exit::TimeOut,
            Exit::Interrupted,
        ];
        ALL.into_iter().find(|exit| exit.code() == code).unwrap_or(Self::Internal)
    }

    const fn precedence(self) -> u8 {
        match self {
            Self::Internal | Self::Usage | Self::Source => 6,
            Self::SelfCheck => 5,
            Self::Violated | Self::Inconsistent | Self::Inconclusive | Self::Unusable => 4,
            Self::TimeOut | Self::Interrupted => 3,
            Self::Undecided => 2,
            Self::Unreachable => 1,
            Self::Success => 0,
        }
    }

    /// This, the exit of a test, unless the user ended it before it failed.
    #[must_use]
    pub(crate) fn unless_interrupted(self, limit: &Limit) -> Self {
        let is_interrupted = limit.reason() == Some(Reason::Interrupted);
        if is_interrupted && self != Self::Violated { Self::Interrupted } else { self }
    }

    /// The one of the two that is told.
    #[must_use]
    pub(crate) const fn combine(self, other: Self) -> Self {
        if other.precedence() > self.precedence() { other } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::Exit;

    #[test]
    fn precedence_is_as_documented() {
        let order = [
            Exit::SelfCheck,
            Exit::Violated,
            Exit::TimeOut,
            Exit::Undecided,
            Exit::Unreachable,
            Exit::Success,
        ];
        for (index, &strong) in order.iter().enumerate() {
            for &weak in &order[index..] {
                assert_eq!(strong.combine(weak), strong);
                assert_eq!(weak.combine(strong), strong);
            }
        }
    }
}
