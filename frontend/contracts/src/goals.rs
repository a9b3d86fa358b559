//! What chains may be asked to show: requirements that are triggered, purposes, the branches of
//! what requirements assume, and steps in which requirements decide.
//!
//! A requirement that assumes `a or b`, or has several contracts, applies in several cases. Each of
//! them is a *branch*: a chain through all of them shows each reason why the requirement applies.
//!
//! A requirement *decides* a step if other answers would keep all others and break this one: there
//! it matters, and a system that does not know of it may be caught.

use crate::interface::{Contract, Interface, Purpose, Requirement};
use crate::parts::parts;
use crate::semantics::{Deciding, Effort, Position, Semantics, Undecided, Valuation};
use spec::lexer::Extent;
use spec::typed::{Expr, Kind, Several};

/// Words that stand for all goals of a kind where no requirement and no purpose has them as name.
pub const KINDS: [&str; 4] = ["requirements", "purposes", "branches", DECIDING];

/// What names of goals may name, for messages.
pub const WHAT: &str = "requirement, purpose, branch or deciding step";

/// The kind of goals that are deciding steps, and what follows `REQUIREMENT#` in their names.
const DECIDING: &str = "deciding";

/// A goal of an interface.
#[derive(Clone, Debug)]
pub struct Goal<'a> {
    /// Its name: of the requirement or purpose, `REQUIREMENT#1` and so on for branches,
    /// `REQUIREMENT#deciding` for deciding steps.
    pub name: String,
    /// What it is about.
    pub what: What<'a>,
}

/// What a goal is about.
#[derive(Clone, Debug)]
pub enum What<'a> {
    /// A requirement is triggered.
    Trigger(&'a Requirement),
    /// A purpose is met.
    Purpose(&'a Purpose),
    /// A requirement is triggered for one of several reasons.
    Branch(Branch<'a>),
    /// A requirement decides what may be answered.
    Deciding(Deciding<'a>),
}

/// A contract, and what has to hold beside its assumption.
pub(crate) type Case<'a> = (&'a Contract, Option<&'a Expr>);

/// A reason why a requirement applies.
#[derive(Clone, Debug)]
pub struct Branch<'a> {
    /// The requirement.
    pub requirement: &'a Requirement,
    /// The contract as it holds in step 0 (`true`) and in later steps.
    contracts: Vec<(bool, &'a Contract)>,
    /// The position of the alternative in the assumption; none where it has no alternatives.
    alternative: Option<usize>,
}

impl<'a> Branch<'a> {
    /// The contracts that it is a branch of in step 0, or in later steps, each with the
    /// alternative that has to hold beside its assumption.
    fn cases(&self, is_first: bool) -> impl Iterator<Item = Case<'a>> {
        let own = self.contracts.iter().filter(move |(moment, _)| *moment == is_first);
        own.map(|&(_, contract)| {
            let expr = |number: usize| contract.assumption.as_ref().map(|all| alternatives(all)[number]);
            (contract, self.alternative.and_then(expr))
        })
    }
    /// Where the alternative stands, or the contract where there is only one.
    pub(crate) fn extent(&self) -> Extent {
        let mut cases = self.cases(true).chain(self.cases(false));
        let (contract, alternative) = cases.next().expect("a branch should have a contract");
        let assumption = alternative.or(contract.assumption.as_ref());
        assumption.map_or(contract.extent, Expr::extent)
    }
}

impl<'a> Goal<'a> {
    /// The contracts one of which has to be triggered in step 0, or in a later step; none where it
    /// is about something else.
    pub(crate) fn cases(&self, is_first: bool) -> Vec<Case<'a>> {
        match &self.what {
            What::Trigger(requirement) => {
                requirement.contracts(is_first).iter().map(|contract| (contract, None)).collect()
            }
            What::Branch(branch) => branch.cases(is_first).collect(),
            What::Purpose(_) | What::Deciding(_) => Vec::new(),
        }
    }
    /// Where it stands in the text.
    pub(crate) fn extent(&self) -> Extent {
        match &self.what {
            What::Trigger(requirement) => requirement.extent,
            What::Purpose(purpose) => purpose.extent,
            What::Branch(branch) => branch.extent(),
            What::Deciding(deciding) => deciding.requirement.extent,
        }
    }
    /// The requirement that it belongs to.
    pub(crate) fn requirement(&self) -> Option<&Requirement> {
        match &self.what {
            What::Trigger(requirement) => Some(requirement),
            What::Purpose(_) => None,
            What::Branch(branch) => Some(branch.requirement),
            What::Deciding(deciding) => Some(deciding.requirement),
        }
    }
    /// What it reads, as far as that tells which parts of the interface it looks at.
    pub(crate) fn exprs(&self) -> Vec<&Expr> {
        let assumptions = |requirement: &'a Requirement| -> Vec<&Expr> {
            requirement.every_contract().filter_map(|contract| contract.assumption.as_ref()).collect()
        };
        match &self.what {
            What::Purpose(purpose) => vec![&purpose.body],
            What::Trigger(requirement) => assumptions(requirement),
            // The alternatives of a branch are parts of the assumptions.
            What::Branch(branch) => assumptions(branch.requirement),
            What::Deciding(Deciding { requirement, .. }) => {
                let guarantees = requirement.every_contract().map(|contract| &contract.guarantee);
                guarantees.chain(assumptions(requirement)).collect()
            }
        }
    }
    /// Whether a step meets it whatever is answered: all goals but purposes speak of the position
    /// before and of the inputs only.
    ///
    /// # Errors
    /// There are too many values to try.
    pub fn is_given(
        &self,
        semantics: &Semantics<'_>,
        before: Option<&Position>,
        inputs: &Valuation,
        effort: &mut Effort,
    ) -> Result<bool, Undecided> {
        if let What::Deciding(deciding) = &self.what {
            return deciding.decides(semantics, before, inputs, effort);
        }
        Ok(self.cases(before.is_none()).into_iter().any(|(contract, beside)| {
            semantics.is_triggered(contract, before, inputs)
                && beside.is_none_or(|expr| semantics.truth(expr, before, inputs))
        }))
    }
    /// Whether the answer of a step meets it: only purposes speak of answers.
    pub fn is_shown(&self, semantics: &Semantics<'_>, before: Option<&Position>, now: &Valuation) -> bool {
        matches!(&self.what, What::Purpose(purpose) if semantics.is_met(purpose, before, now))
    }
}

/// The operands of `or`, those of nested ones in their place.
fn alternatives(expr: &Expr) -> Vec<&Expr> {
    match expr.kind() {
        Kind::Several { op: Several::Or, args } => args.iter().flat_map(|arg| alternatives(arg)).collect(),
        _ => vec![expr],
    }
}

/// The branches of a requirement, in order of the text; of one that applies for one reason alone
/// its trigger.
fn branches(requirement: &Requirement) -> Vec<Goal<'_>> {
    // A contract that always holds is written once, and stands in both lists.
    let mut written: Vec<Vec<(bool, &Contract)>> = Vec::new();
    let initial = requirement.initial.iter().map(|contract| (true, contract));
    for (is_first, contract) in initial.chain(requirement.update.iter().map(|contract| (false, contract))) {
        let place = |contract: &Contract| (contract.extent.span, contract.extent.from);
        match written.iter_mut().find(|known| place(known[0].1) == place(contract)) {
            Some(known) => known.push((is_first, contract)),
            None => written.push(vec![(is_first, contract)]),
        }
    }
    written.sort_by_key(|contracts| contracts[0].1.extent.from);
    let mut found = Vec::new();
    for contracts in written {
        let count = contracts[0].1.assumption.as_ref().map_or(1, |all| alternatives(all).len());
        for number in 0..count {
            let alternative = (count > 1).then_some(number);
            found.push(Branch { requirement, contracts: contracts.clone(), alternative });
        }
    }
    if found.len() < 2 {
        return vec![trigger(requirement)];
    }
    let numbered = found.into_iter().enumerate();
    let goal = |(number, branch)| Goal {
        name: format!("{}#{}", requirement.name, number + 1),
        what: What::Branch(branch),
    };
    numbered.map(goal).collect()
}

fn trigger(requirement: &Requirement) -> Goal<'_> {
    Goal { name: requirement.name.clone(), what: What::Trigger(requirement) }
}

fn of_purpose(purpose: &Purpose) -> Goal<'_> {
    Goal { name: purpose.name.clone(), what: What::Purpose(purpose) }
}

/// The deciding steps of a requirement, which is one of a part.
fn deciding<'a>(interface: &'a Interface, index: usize, part: &[usize]) -> Goal<'a> {
    let name = format!("{}#{DECIDING}", interface.requirements[index].name);
    Goal { name, what: What::Deciding(Deciding::new(interface, index, part)) }
}

/// The deciding steps of all requirements, in order of the text.
fn all_deciding(interface: &Interface) -> Vec<(usize, Goal<'_>)> {
    let all: Vec<usize> = (0..interface.requirements.len()).collect();
    let parts = parts(interface, &all);
    let of = |part: &Vec<usize>| -> Vec<(usize, Goal<'_>)> {
        part.iter().map(|&index| (index, deciding(interface, index, part))).collect()
    };
    let mut found: Vec<(usize, Goal<'_>)> = parts.iter().flat_map(of).collect();
    found.sort_by_key(|&(index, _)| index);
    found
}

/// The goal of a name.
pub fn named<'a>(interface: &'a Interface, name: &str) -> Option<Goal<'a>> {
    let requirement = interface.requirements.iter().find(|requirement| requirement.name == name);
    let purpose = interface.purposes.iter().find(|purpose| purpose.name == name);
    requirement.map(trigger).or_else(|| purpose.map(of_purpose)).or_else(|| {
        let (owner, which) = name.rsplit_once('#')?;
        let index = interface.requirements.iter().position(|requirement| requirement.name == owner)?;
        if which == DECIDING {
            return all_deciding(interface).into_iter().nth(index).map(|(_, goal)| goal);
        }
        branches(&interface.requirements[index]).into_iter().find(|branch| branch.name == name)
    })
}

/// The goals that words ask for: names of goals, and kinds of them ([`KINDS`]); without words all
/// requirements and purposes. Of kinds only what belongs to a view counts, where one is given.
///
/// # Errors
/// A word that asks for nothing.
pub fn wanted<'a, 'n>(
    interface: &'a Interface,
    words: &'n [String],
    view: Option<usize>,
) -> Result<Vec<Goal<'a>>, &'n str> {
    let viewed = || {
        let requirements = interface.requirements.iter();
        requirements.filter(move |requirement| view.is_none_or(|view| view == requirement.view))
    };
    let purposes = || interface.purposes.iter().map(of_purpose);
    if words.is_empty() {
        return Ok(viewed().map(trigger).chain(purposes()).collect());
    }
    let mut found: Vec<Goal<'_>> = Vec::new();
    for word in words {
        let meant = match (named(interface, word), &**word) {
            (Some(goal), _) => vec![goal],
            (None, "requirements") => viewed().map(trigger).collect(),
            (None, "purposes") => purposes().collect(),
            (None, "branches") => viewed().flat_map(branches).collect(),
            (None, DECIDING) => {
                let is_viewed =
                    |index: usize| view.is_none_or(|view| view == interface.requirements[index].view);
                let all = all_deciding(interface).into_iter();
                all.filter(|&(index, _)| is_viewed(index)).map(|(_, goal)| goal).collect()
            }
            (None, word) => return Err(word),
        };
        for goal in meant {
            if !found.iter().any(|known| known.name == goal.name) {
                found.push(goal);
            }
        }
    }
    Ok(found)
}
