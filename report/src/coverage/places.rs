//! Coverage by places of the text, where each way in which calls lead to one has goals of its own.

use super::{Coverage, CoverageGoal, CoverageStatus, PairOutcome, Site};
use std::borrow::Cow;
use std::collections::BTreeMap;

impl Coverage {
    /// The coverage without a difference between calls, as compilers and the formats of others have
    /// it: a goal is covered if one call covers it, and dead if all are dead. Totals are left as they
    /// are.
    pub fn of_places(&self) -> Cow<'_, Self> {
        if self.sites.iter().all(|site| site.calls.is_empty()) {
            return Cow::Borrowed(self);
        }
        let mut sites: Vec<Site> = Vec::new();
        let mut copies: Vec<usize> = Vec::new();
        let mut known = BTreeMap::new();
        let places: Vec<usize> = self
            .sites
            .iter()
            .map(|site| {
                let key = (&site.file, site.line, site.column, &site.kind, &site.function, &site.text);
                let place = *known.entry(key).or_insert_with(|| {
                    sites.push(Site { calls: Vec::new(), ..site.clone() });
                    copies.push(0);
                    sites.len() - 1
                });
                copies[place] += 1;
                place
            })
            .collect();
        let mut goals: Vec<CoverageGoal> = Vec::new();
        let mut found: BTreeMap<_, usize> = BTreeMap::new();
        for goal in &self.goals {
            let site = places[goal.site];
            let key = (site, &goal.criterion, goal.part);
            match found.get(&key) {
                Some(&at) => goals[at].join(goal),
                None => {
                    found.insert(key, goals.len());
                    goals.push(CoverageGoal { site, ..goal.clone() });
                }
            }
        }
        // Evaluations of several calls may be a pair together, which no call has by itself.
        let is_told =
            |pair: &&PairOutcome| copies[places[pair.site]] == 1 || pair.status == CoverageStatus::Covered;
        let mut pairs: BTreeMap<(usize, usize), PairOutcome> = BTreeMap::new();
        for pair in self.pairs.iter().filter(is_told) {
            let site = places[pair.site];
            pairs.entry((site, pair.condition)).or_insert_with(|| PairOutcome { site, ..pair.clone() });
        }
        Cow::Owned(Self { sites, goals, pairs: pairs.into_values().collect(), ..self.clone() })
    }
}

impl CoverageGoal {
    /// Takes over what became of the goal in another call.
    fn join(&mut self, other: &Self) {
        let is_better = match (self.status, other.status) {
            (CoverageStatus::Covered, CoverageStatus::Covered) => {
                (other.chain, other.at) < (self.chain, self.at)
            }
            (CoverageStatus::Covered, _) => false,
            (_, CoverageStatus::Covered) => true,
            (CoverageStatus::Dead, CoverageStatus::Undecided) => true,
            _ => self.justified.is_some() && other.justified.is_none(),
        };
        if is_better {
            *self = Self { site: self.site, ..other.clone() };
        }
    }
}
