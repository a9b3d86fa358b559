//! Making families of nodes that stand for a system whose states are too many to be listed one by
//! one.
//!
//! Nodes are followed one by one in memory, but the solver is asked only where a node is in no
//! family yet. Then the steps from that node are enumerated, and the longest range of the ranged
//! word is sought over which the steps are the same, each leading to one value, or to one that lies
//! as far off. Where ranges end depends on few constants of the program, so the ends that were
//! found before are tried first. Whether the result is right does not matter here; the proofs show
//! it.

pub(super) mod queries;

use super::enumerate::{Ends, Step, initial_nodes, read, strongest};
use super::subject::Subject;
use checker::families::{Families, Family, FamilyEdge, MOST_EDGES, MOST_NODES, Ranged};
use checker::graph::{Graph, Label};
use engine::session::{Session, Stop};
use queries::FamilyStep;
use rustc_hash::{FxHashMap, FxHashSet};
use solver::sat::{ClauseSink, IncrementalSat, Lit};
use std::collections::VecDeque;

/// Most families.
const FAMILIES: usize = 30_000;
/// Most steps out of one node.
const STEPS: usize = 500;
/// Most initial nodes.
const INITIAL: usize = 50_000;

/// The families of all reachable nodes, by ranges of the word at that position. `None`: beyond the
/// limits.
pub(super) fn find(
    subject: &Subject,
    ranged: usize,
    session: &Session<'_>,
) -> Result<Option<Families>, Stop> {
    if subject.system.terms.symbol(subject.system.states[subject.words[ranged]].symbol).sort.width() > 63 {
        return Ok(None);
    }
    let mut explorer = Explorer {
        subject,
        ranged,
        session,
        found: Vec::new(),
        by_values: FxHashMap::default(),
        ends: Vec::new(),
    };
    explorer.explore()
}

/// A family under construction; `reached` are the values of the ranged word that executions may
/// have.
struct Found {
    values: Vec<u128>,
    low: u64,
    high: u64,
    edges: Vec<FamilyEdge>,
    reached: Vec<u64>,
}

struct Explorer<'e> {
    subject: &'e Subject,
    ranged: usize,
    session: &'e Session<'e>,
    found: Vec<Found>,
    /// By values without the ranged one: positions of families.
    by_values: FxHashMap<Vec<u128>, Vec<usize>>,
    /// Where ranges ended, ascending.
    ends: Vec<u64>,
}

/// A node: values without the ranged one, and that one.
type Place = (Vec<u128>, u64);

impl Explorer<'_> {
    fn explore(&mut self) -> Result<Option<Families>, Stop> {
        let initial = self.initial()?;
        if initial.len() > INITIAL {
            return Ok(None);
        }
        let mut seen: FxHashSet<Place> = initial.iter().cloned().collect();
        let mut queue: VecDeque<Place> = initial.iter().cloned().collect();
        let mut edges = 0;
        while let Some((values, ranged)) = queue.pop_front() {
            let Some(family) = self.family(&values, ranged)? else { return Ok(None) };
            let found = &mut self.found[family];
            found.reached.push(ranged);
            edges += found.edges.len();
            for edge in &found.edges {
                let Some(after) = edge.ranged.after(ranged) else { return Ok(None) };
                let place = (edge.values.clone(), after);
                if !seen.contains(&place) {
                    seen.insert(place.clone());
                    queue.push_back(place);
                }
            }
            if seen.len() > MOST_NODES || edges > MOST_EDGES || self.found.len() > FAMILIES {
                return Ok(None);
            }
        }
        Ok(Some(self.families(&initial)?))
    }

    fn initial(&self) -> Result<Vec<Place>, Stop> {
        let mut graph = Graph::default();
        initial_nodes(self.subject, INITIAL, &mut graph, &mut FxHashMap::default(), self.session)?;
        Ok(graph.nodes.into_iter().map(|node| self.place(node.values)).collect())
    }

    fn place(&self, mut values: Vec<u128>) -> Place {
        let ranged = std::mem::take(&mut values[self.ranged]);
        (values, ranged as u64)
    }

    /// The family of a node, made if there is none yet. `None`: too many steps.
    fn family(&mut self, values: &[u128], ranged: u64) -> Result<Option<usize>, Stop> {
        let known = self.by_values.get(values).map_or(&[][..], Vec::as_slice);
        let holds = |&&family: &&usize| (self.found[family].low..=self.found[family].high).contains(&ranged);
        if let Some(&family) = known.iter().find(holds) {
            return Ok(Some(family));
        }
        let above = known.iter().map(|&family| self.found[family].low).filter(|&low| low > ranged).min();
        let mut source = Source::new(self.subject, self.ranged, values, self.session)?;
        let Some(steps) = source.steps(ranged)? else { return Ok(None) };
        let (high, edges) = self.longest(&mut source, ranged, above, &steps)?;
        let family = self.found.len();
        self.by_values.entry(values.to_vec()).or_default().push(family);
        self.found.push(Found { values: values.to_vec(), low: ranged, high, edges, reached: Vec::new() });
        Ok(Some(family))
    }

    /// The greatest value up to which the steps are the same, as far as it is found, and the edges;
    /// below `above`.
    fn longest(
        &mut self,
        source: &mut Source<'_>,
        low: u64,
        above: Option<u64>,
        steps: &[Step],
    ) -> Result<(u64, Vec<FamilyEdge>), Stop> {
        let most = above.map_or(source.greatest(), |above| above - 1);
        let alone = source.edges(low, low, steps)?.expect("steps from one node should be edges");
        let mut best = (low, alone);
        let known: Vec<u64> = self.ends.iter().copied().filter(|&end| end > low && end <= most).collect();
        for end in known {
            match source.edges(low, end, steps)? {
                Some(edges) => best = (end, edges),
                None => break,
            }
        }
        if best.0 == low {
            best = self.gallop(source, (low, most), steps, best)?;
            if best.0 > low
                && let Err(place) = self.ends.binary_search(&best.0)
            {
                self.ends.insert(place, best.0);
            }
        }
        Ok(best)
    }

    /// The same by ranges of double length and then by halves.
    fn gallop(
        &self,
        source: &mut Source<'_>,
        (low, most): (u64, u64),
        steps: &[Step],
        mut best: (u64, Vec<FamilyEdge>),
    ) -> Result<(u64, Vec<FamilyEdge>), Stop> {
        let mut length = 1;
        let mut fails = most.saturating_add(1);
        while best.0 < most {
            let end = low.saturating_add(length).min(most);
            match source.edges(low, end, steps)? {
                Some(edges) => best = (end, edges),
                None => {
                    fails = end;
                    break;
                }
            }
            length *= 2;
        }
        while best.0 + 1 < fails {
            let middle = best.0 + (fails - best.0) / 2;
            match source.edges(low, middle, steps)? {
                Some(edges) => best = (middle, edges),
                None => fails = middle,
            }
        }
        Ok(best)
    }

    /// The families, cut to what is reached and to nodes of one kind.
    fn families(&mut self, initial: &[Place]) -> Result<Families, Stop> {
        let subject = self.subject;
        let initial: FxHashSet<&Place> = initial.iter().collect();
        let mut is_end = Ends::new(subject, self.session)?;
        let mut families = Vec::new();
        for found in &mut self.found {
            found.reached.sort_unstable();
            let mut values = found.values.clone();
            for &ranged in &found.reached {
                values[self.ranged] = u128::from(ranged);
                let is_initial = initial.contains(&(found.values.clone(), ranged));
                let kind = (is_initial, is_end.holds(&values, self.session)?);
                let continued = families.last_mut().filter(|last: &&mut Family| {
                    last.values == found.values
                        && last.high + 1 == ranged
                        && (last.initial, last.end) == kind
                        && last.edges == found.edges
                });
                match continued {
                    Some(last) => last.high = ranged,
                    None => families.push(Family {
                        values: found.values.clone(),
                        low: ranged,
                        high: ranged,
                        initial: kind.0,
                        end: kind.1,
                        edges: found.edges.clone(),
                    }),
                }
            }
        }
        Ok(Families {
            words: subject.words.iter().map(|&word| subject.word_name(word)).collect(),
            ranged: self.ranged,
            labels: subject
                .labels
                .iter()
                .map(|(goal, step)| Label { goal: goal.clone(), step: *step })
                .collect(),
            families,
        })
    }
}

/// The steps from all nodes with the same values of all words but the ranged one, in a solver.
struct Source<'c> {
    step: FamilyStep<'c>,
    solver: Box<dyn IncrementalSat + Send>,
    ranged: usize,
    session: &'c Session<'c>,
}

impl<'c> Source<'c> {
    fn new(
        subject: &'c Subject,
        ranged: usize,
        values: &[u128],
        session: &'c Session<'c>,
    ) -> Result<Self, Stop> {
        let mut solver = session.options.backend.open();
        let step = FamilyStep::new(subject, ranged, values, (0, u64::MAX), &mut solver)?;
        Ok(Self { step, solver, ranged, session })
    }

    /// The greatest value of the ranged word.
    fn greatest(&self) -> u64 {
        u64::MAX >> (64 - self.step.before.len())
    }

    /// All steps from one node, without those that another one with more labels makes superfluous.
    /// `None`: too many.
    fn steps(&mut self, ranged: u64) -> Result<Option<Vec<Step>>, Stop> {
        let guard = self.solver.fresh().positive();
        let mut asked = equal(&self.step.before, ranged);
        asked.extend([self.step.running, guard]);
        let mut found: Vec<Step> = Vec::new();
        while self.session.solve(&mut self.solver, &asked)? {
            if found.len() == STEPS {
                return Ok(None);
            }
            let values = read(&self.step.next, &*self.solver);
            let has = |&label: &usize| self.solver.is_true(self.step.labels[label]);
            let labels: Vec<usize> = (0..self.step.labels.len()).filter(has).collect();
            let edge = self.edge((&values, &labels), Ranged::Value(values[self.ranged] as u64));
            let clause = self.step.exceeds(&edge, &mut self.solver)?;
            let clause = clause.into_iter().flatten().chain([!guard]).collect::<Vec<Lit>>();
            self.solver.clause(&clause);
            found.push((values, labels));
        }
        self.solver.clause(&[!guard]);
        Ok(Some(strongest(found)))
    }

    fn edge(&self, (values, labels): (&[u128], &[usize]), ranged: Ranged) -> FamilyEdge {
        let mut values = values.to_vec();
        values[self.ranged] = 0;
        FamilyEdge { values, ranged, labels: labels.to_vec() }
    }

    /// Edges that stand for the steps from all nodes of a range, where those from its first node
    /// are known. `None`: the steps are not the same.
    fn edges(&mut self, low: u64, high: u64, steps: &[Step]) -> Result<Option<Vec<FamilyEdge>>, Stop> {
        let mut edges = Vec::new();
        for (values, labels) in steps {
            let after = values[self.ranged] as u64;
            let shift = after.wrapping_sub(low) as i64;
            let forms = [Ranged::Shift(shift), Ranged::Value(after)];
            let mut fitting = None;
            for form in forms.into_iter().skip(usize::from(low == high)) {
                let edge = self.edge((values, labels), form);
                if low == high || self.is_possible(&edge, high)? {
                    fitting = Some(edge);
                    break;
                }
            }
            let Some(edge) = fitting else { return Ok(None) };
            edges.push(edge);
        }
        edges.sort_unstable();
        let is_all = low == high || !self.has_other_step(low, high, &edges)?;
        Ok(is_all.then_some(edges))
    }

    /// Whether there is a step along the edge from the node with that value.
    fn is_possible(&mut self, edge: &FamilyEdge, ranged: u64) -> Result<bool, Stop> {
        let Some(after) = edge.ranged.after(ranged).filter(|&after| after <= self.greatest()) else {
            return Ok(false);
        };
        let mut asked = equal(&self.step.before, ranged);
        asked.push(self.step.running);
        for (position, (word, &value)) in self.step.next.iter().zip(&edge.values).enumerate() {
            let value = if position == self.ranged { u128::from(after) } else { value };
            let is_set =
                |(bit, &literal): (usize, &Lit)| if value >> bit & 1 == 1 { literal } else { !literal };
            asked.extend(word.iter().enumerate().map(is_set));
        }
        asked.extend(edge.labels.iter().map(|&label| self.step.labels[label]));
        self.session.solve(&mut self.solver, &asked)
    }

    /// Whether some node of the range has a step along none of the edges.
    fn has_other_step(&mut self, low: u64, high: u64, edges: &[FamilyEdge]) -> Result<bool, Stop> {
        let guard = self.solver.fresh().positive();
        for edge in edges {
            if let Some(mut clause) = self.step.exceeds(edge, &mut self.solver)? {
                clause.push(!guard);
                self.solver.clause(&clause);
            } else {
                // No step of any node goes along the edge, which is no reason to ask for another
                // one.
                continue;
            }
        }
        let within = self.step.within((low, high), &mut self.solver)?;
        let found = self.session.solve(&mut self.solver, &[self.step.running, within, guard])?;
        self.solver.clause(&[!guard]);
        Ok(found)
    }
}

/// Assumptions that a word has a value.
fn equal(word: &[Lit], value: u64) -> Vec<Lit> {
    let is_set = |(bit, &literal): (usize, &Lit)| if value >> bit & 1 == 1 { literal } else { !literal };
    word.iter().enumerate().map(is_set).collect()
}
