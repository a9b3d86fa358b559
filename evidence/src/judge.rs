//! Whether a claim follows from a graph that stands for the system.

use super::claims::Claim;
use checker::cover::{Cost, Cover, MOST_GOALS};
use checker::graph::Graph;
use checker::legs::Legs;
use std::cell::OnceCell;
use std::time::Instant;

/// Most points a search visits.
const POINTS: usize = 2_000_000;

/// A graph and the goals covered; costs are computed once.
pub(crate) struct Judge<'g> {
    graph: &'g Graph,
    /// Name and length of the window of every goal of the system.
    goals: Vec<(String, u32)>,
    covered: Vec<String>,
    /// When searches end early; none: they do not.
    deadline: Option<Instant>,
    /// A bound of the number of chains, and of their steps where there are so many.
    fewest: OnceCell<Result<(usize, u64), String>>,
    legs: OnceCell<(Vec<usize>, Legs)>,
}

impl<'g> Judge<'g> {
    /// For claims about chains that cover these goals.
    pub(crate) fn new(graph: &'g Graph, goals: Vec<(String, u32)>, covered: &[String]) -> Self {
        let covered = covered.to_vec();
        Self { graph, goals, covered, deadline: None, fewest: OnceCell::new(), legs: OnceCell::new() }
    }

    /// The same with so much time.
    pub(crate) fn until(self, deadline: Option<Instant>) -> Self {
        Self { deadline, ..self }
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether the claim follows.
    ///
    /// # Errors
    /// Why it does not follow, or cannot be told.
    pub(crate) fn follows(&self, claim: &Claim) -> Result<(), String> {
        match claim {
            Claim::Unreachable { goal } => {
                let reachable = Cover::new(self.graph, vec![self.labels(goal)?]).is_reachable(0);
                refuse(reachable, || format!("the graph has a path to {goal}"))
            }
            Claim::NoWayToFinal { goal } => {
                let coverable = Cover::new(self.graph, vec![self.labels(goal)?]).is_coverable(0);
                refuse(coverable, || format!("the graph has a path over {goal} to Final"))
            }
            Claim::FewestChains { chains } => {
                let (least, _) = self.fewest()?;
                refuse(least < *chains, || format!("the graph shows only that {least} are needed"))
            }
            Claim::Length { chains, steps } => {
                let shown = self.steps(*chains)?;
                refuse(shown < *steps, || format!("the graph shows only {shown} steps"))
            }
            Claim::Cost { reset, cost } => {
                let price = u32::try_from(*reset).map_err(|_| TOO_DEAR)?;
                let shown = self.cost(price)?;
                refuse(shown < *cost, || format!("the graph shows only a cost of {shown}"))
            }
        }
    }

    /// A bound of the steps of so many chains that cover the goals.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn steps(&self, chains: usize) -> Result<u64, String> {
        let (least, total) = self.fewest()?;
        if least == chains { Ok(total) } else { self.cost(0) }
    }

    fn labels(&self, goal: &str) -> Result<Vec<usize>, String> {
        let steps = self.goals.iter().find(|(name, _)| name == goal).map(|&(_, steps)| steps);
        let labels = steps.and_then(|steps| self.graph.labels_of(goal, steps));
        labels.ok_or_else(|| format!("the graph has no labels for {goal}"))
    }

    /// A bound of the number of chains, and of their steps where there are so many.
    fn fewest(&self) -> Result<(usize, u64), String> {
        let shown = || {
            let price = self.cover()?.price_beyond_steps().ok_or("the graph is too large for costs")?;
            let cost = self.cost(price)?;
            let further = usize::try_from(cost / u64::from(price)).map_err(|error| error.to_string())?;
            Ok((further + 1, cost % u64::from(price)))
        };
        self.fewest.get_or_init(shown).clone()
    }

    /// Fewest steps between those of the goals covered that the graph knows, with their places
    /// among all.
    pub(crate) fn legs(&self) -> (&[usize], &Legs) {
        let (places, legs) = self.legs.get_or_init(|| {
            let known = self.covered.iter().enumerate();
            let known = known.filter_map(|(place, goal)| Some((place, self.labels(goal).ok()?)));
            let (places, goals): (Vec<usize>, Vec<Vec<usize>>) = known.unzip();
            (places, Cover::new(self.graph, goals).legs())
        });
        (places, legs)
    }

    /// The graph with those of the goals covered that it knows: chains that cover all goals cover
    /// these. Of many goals that are not all, those count that are furthest from the beginning;
    /// where all are known, tours say more.
    fn cover(&self) -> Result<Cover<'g>, String> {
        if self.covered.len() > MOST_GOALS && self.covered.iter().all(|goal| self.labels(goal).is_ok()) {
            return Err(format!("costs are computed for at most {MOST_GOALS} goals"));
        }
        let (places, legs) = self.legs();
        let mut known: Vec<usize> = (0..places.len()).collect();
        known.sort_by_key(|&goal| std::cmp::Reverse(legs.steps(None, Some(goal))));
        known.truncate(MOST_GOALS);
        known.sort_unstable();
        let goals: Result<Vec<_>, _> =
            known.iter().map(|&goal| self.labels(&self.covered[places[goal]])).collect();
        match goals? {
            none if none.is_empty() => Err("the graph knows none of the goals".to_owned()),
            goals => Ok(Cover::new(self.graph, goals)),
        }
    }

    /// A bound of what chains cost that cover the goals.
    fn cost(&self, reset: u32) -> Result<u64, String> {
        match self.cover()?.least_cost_until(reset, POINTS, &|| self.is_late()) {
            Cost::Least(cost) | Cost::AtLeast(cost) => Ok(u64::from(cost)),
            Cost::Impossible => Err("no path on the graph covers what the chains cover".to_owned()),
            Cost::TooGreat => Err(TOO_DEAR.to_owned()),
        }
    }
}

const TOO_DEAR: &str = "the price of a further chain is too great";

fn refuse(refused: bool, why: impl FnOnce() -> String) -> Result<(), String> {
    if refused { Err(why()) } else { Ok(()) }
}
