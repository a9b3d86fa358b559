//! What is found of the claims of a stored result.

use crate::settings::Settings;
use engine::options::HazardPolicy;
use std::path::PathBuf;

/// What a result has to be about, where the caller does not leave that to the result.
#[derive(Clone, Copy, Debug, Default)]
pub struct Against<'a> {
    /// The paths of the model and how they are read; `None`: what the result names.
    pub model: Option<(&'a [PathBuf], &'a Settings)>,
    /// The treatment of undefined operations; `None`: that of the result.
    pub policy: Option<HazardPolicy>,
}

/// What of a stored result holds.
#[derive(Clone, Debug, Default)]
pub struct Verification {
    /// What the verdicts are about, a line each: files, target, assumptions, all that restricts
    /// executions.
    pub about: String,
    /// The claims with what was found of each.
    pub claims: Vec<(Finding, String)>,
    /// What is to be known besides.
    pub notes: Vec<String>,
}

/// What was found of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It holds.
    Verified,
    /// There is no evidence for it.
    NotCertified,
    /// It is wrong, or its evidence is, or what it is about has changed.
    Rejected,
}

impl Verification {
    /// How many claims were found so.
    pub fn count(&self, finding: Finding) -> usize {
        self.claims.iter().filter(|(found, _)| *found == finding).count()
    }
    pub(crate) fn hold(&mut self, what: String) {
        self.claims.push((Finding::Verified, what));
    }
    pub(crate) fn leave_open(&mut self, what: String) {
        self.claims.push((Finding::NotCertified, what));
    }
    pub(crate) fn reject(&mut self, what: String) {
        self.claims.push((Finding::Rejected, what));
    }
}
