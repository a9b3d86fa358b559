//! What decides whether an engine gets a turn.

use crate::knowledge::chains::CheckedChain;
use crate::knowledge::known::Knowledge;
use crate::schedule::lane::Left;
use crate::session::Session;
use crate::tuning::Constant;

/// Longest chain, in steps, for which the engines that unroll are asked early: they unroll what
/// they are asked about.
pub(super) const SHALLOW: Constant = Constant {
    name: "schedule.shallow",
    usual: 400,
    unit: "steps",
    purpose: "up to which length of chains engines that unroll are asked early",
};
/// Steps for each goal up to which longer chains count as short as well: queries about two goals
/// are shallow then.
pub(super) const SHALLOW_PER_GOAL: Constant = Constant {
    name: "schedule.shallow-per-goal",
    usual: 40,
    unit: "steps for each goal",
    purpose: "the same where goals are many",
};
/// Beyond that many goals a look that finds half of them is enough: going to the others one by one
/// is work for other engines.
pub(super) const MANY: Constant = Constant {
    name: "schedule.many",
    usual: 50,
    unit: "goals",
    purpose: "beyond how many a look that finds half of them is enough",
};

/// Open goals from which on they are many, however many goals there are.
pub(super) const MANY_OPEN: Constant = Constant {
    name: "schedule.many-open",
    usual: 16,
    unit: "goals",
    purpose: "from how many open goals on covering them comes before shorter chains",
};
/// Open goals are many where at least one in so many is open.
pub(super) const OPEN_SHARE: Constant = Constant {
    name: "schedule.open-share",
    usual: 4,
    unit: "1 in so many",
    purpose: "from what share of open goals on covering them comes before shorter chains",
};
/// Rounds that cover nothing more, after which shorter chains have their turn all the same.
pub(super) const COVERING_PATIENCE: Constant = Constant {
    name: "schedule.covering-patience",
    usual: 2,
    unit: "rounds",
    purpose: "after how many rounds that cover nothing more shorter chains have their turn",
};

/// Whether open goals come first: they are many, and the last rounds have covered more. Chains that
/// are made shorter before would have to be made shorter again. `stalled`: the last rounds in a row
/// that covered nothing more.
pub(super) fn seeks_goals(known: &Knowledge, stalled: u32, session: &Session<'_>) -> bool {
    let tuning = &session.options.tuning;
    let (open, possible) = (known.open_goals().len() as u64, known.possible_goals().len() as u64);
    let are_many =
        open >= tuning.value(&MANY_OPEN) || open.saturating_mul(tuning.value(&OPEN_SHARE)) >= possible;
    open > 0 && are_many && u64::from(stalled) < tuning.value(&COVERING_PATIENCE) && !session.is_last_call()
}

/// See the module text.
pub(super) struct Situation {
    /// The round, from 0: a first look, what is likely to suffice, then more and more.
    pub(super) round: u32,
    /// Whether the states were too many to enumerate so far, and further limits may do.
    pub(super) is_large: bool,
    /// Whether engines that simulate are wanted.
    pub(super) simulates: bool,
    /// Number of known chains.
    pub(super) chains: usize,
    /// Number of goals that are neither covered nor excluded.
    pub(super) open: usize,
    /// Whether the known chains have few steps for what they cover.
    pub(super) is_shallow: bool,
    /// Whether the known chains are short and cover everything, or half of many goals: other
    /// engines do better from there than longer simulation.
    pub(super) is_enough: bool,
    /// Whether the goals are many, and half of them are covered.
    pub(super) covers_half_of_many: bool,
    /// Whether open goals come before shorter chains; see [`seeks_goals`].
    pub(super) seeks_goals: bool,
}

impl Situation {
    /// As things are at some point of a round.
    pub(super) fn new(known: &Knowledge, round: u32, left: Left, session: &Session<'_>) -> Self {
        let open = known.open_goals().len();
        let possible = known.possible_goals().len();
        let all = known.statuses().len() - 1;
        let tuning = &session.options.tuning;
        let limit = tuning.value(&SHALLOW).max(tuning.value(&SHALLOW_PER_GOAL).saturating_mul(all as u64));
        let is_shallow =
            known.chains().iter().map(CheckedChain::length).all(|length| u64::from(length) <= limit);
        let covers_half_of_many = possible as u64 > tuning.value(&MANY) && open * 2 <= possible;
        let is_enough = is_shallow && (open == 0 || covers_half_of_many);
        Self {
            round,
            is_large: left.enumeration,
            simulates: session.options.simulation,
            chains: known.chains().len(),
            open,
            is_shallow,
            is_enough,
            covers_half_of_many,
            seeks_goals: seeks_goals(known, left.stalled, session),
        }
    }
}
