//! Kills by what is seen: chains over events, judged by pairs of state sets.

use super::{Judging, PARTS, TAKEN, Tests, refused};
use crate::error::{Error, ErrorKind};
use crate::graph_cover::{GoalEdges, Graph, cover, least};
use actions::explore::conform::{Determined, Event, Product};
use actions::explore::cover::{Chains, Effort, beam, essential, killed, shortest, trimmed};
use actions::interpret::Seen;
use actions::replay::{self, Move};
use engine::options::{Options, part_of_time};
use report::mutation;

/// Search states of a length that a beam keeps, at a mutant.
const WIDTH: usize = 1000;

/// Mutants that a beam carries along at full width.
const CARRIED: usize = 100;

/// Most chains that are tried.
const MOST_CHAINS: usize = 4;

/// Weights of living mutants beside their distances from death, tried in turn.
const WEIGHTS: [(u32, u32); 3] = [(10, 0), (0, 0), (3, 5)];

impl Judging<'_> {
    /// Verdicts, chains and a bound.
    pub(super) fn outputs(&mut self) -> Result<(), Error> {
        let mut killable = Vec::new();
        for number in 0..self.systems.len() {
            let Some(product) = self.finding(number).and_then(|finding| finding.product.as_ref()) else {
                continue;
            };
            match product.shortest {
                Some(alone) => {
                    killable.push(number);
                    self.file.single += u64::from(alone);
                    self.file.mutants[number].alone = Some(alone);
                }
                None => self.survives(number),
            }
        }
        let products: Vec<&Product> = killable.iter().filter_map(|&number| self.product(number)).collect();
        let automaton = &self.explored.automaton;
        let follows = essential(automaton, &products);
        let kept: Vec<&Product> =
            (0..products.len()).filter(|&one| follows[one] == one).map(|one| products[one]).collect();
        let chains = match &self.options.score {
            Some(stored) => self.stored(stored)?,
            None if self.options.tests == Tests::Single => self.single(&kept),
            None => self.chains(&kept),
        };
        let steps = killed(automaton, &products, &chains);
        let moves: Vec<Vec<Move>> = chains.iter().map(|chain| self.moves(automaton, chain)).collect();
        let others: Vec<Vec<Vec<Move>>> = chains.iter().map(|chain| self.others(automaton, chain)).collect();
        for (position, &hard) in follows.iter().enumerate().filter(|(position, hard)| position != *hard) {
            self.file.mutants[killable[position]].follows =
                Some(self.file.mutants[killable[hard]].id.clone());
        }
        self.replay(&killable, &steps, &moves)?;
        self.add_chains(&moves, &others);
        self.make_tests(&chains, &killable)?;
        if self.options.score.is_none() {
            self.file.lower_bound = self.bound(&killable)?;
        }
        Ok(())
    }

    pub(super) fn product(&self, number: usize) -> Option<&Product> {
        self.finding(number)?.product.as_ref()
    }

    /// Chains that kill all of some mutants: as few as beams find, and as short.
    fn chains(&self, products: &[&Product]) -> Chains {
        let automaton = &self.explored.automaton;
        if products.is_empty() {
            return Chains::new();
        }
        let carried = products.len().max(CARRIED);
        let width = (WIDTH * CARRIED / carried).max(10);
        let alone: usize =
            products.iter().filter_map(|product| product.shortest).map(|steps| steps as usize).sum();
        // What is found has to be run.
        let deadline = part_of_time(self.options.search.deadline, TAKEN, PARTS);
        for chains in 1..=MOST_CHAINS {
            let found = WEIGHTS.iter().filter_map(|&(weight, exile)| {
                let effort = Effort { width, chains, weight, exile, steps: alone, deadline };
                beam(automaton, products, effort).map(|found| trimmed(automaton, products, found))
            });
            if let Some(best) =
                found.min_by_key(|found| (found.len(), found.iter().map(Vec::len).sum::<usize>()))
            {
                return best;
            }
        }
        // No beam carries them all: one test for each, and what others make needless is cut.
        trimmed(automaton, products, self.single(products))
    }

    /// A shortest chain for each mutant.
    fn single(&self, products: &[&Product]) -> Chains {
        let automaton = &self.explored.automaton;
        let single = products.iter().filter_map(|product| {
            let mut trace = shortest(product)?;
            let last = end(automaton, &trace)?;
            trace.push(last);
            Some(trace)
        });
        let mut found: Chains = single.collect();
        found.sort_by_key(Vec::len);
        found.dedup();
        found
    }

    /// Stored chains as positions of events.
    fn stored(&self, chains: &[mutation::Chain]) -> Result<Chains, Error> {
        let automaton = &self.explored.automaton;
        let mut found = Chains::new();
        for (number, chain) in chains.iter().enumerate() {
            let (mut at, mut events) = (0_u32, Vec::new());
            for (place, step) in chain.steps.iter().enumerate() {
                let known = &automaton.events[at as usize];
                let wanted = mutation::Step { others: Vec::new(), reveals: Vec::new(), ..step.clone() };
                let event = known.iter().position(|(event, _)| self.step(&self.one(*event)) == wanted);
                let event = event.ok_or_else(|| {
                    let message =
                        format!("step {place} of chain {number}, `{step}`, is no step of the model there");
                    Error::new(ErrorKind::Deviates, message)
                })?;
                events.push(event);
                at = known[event].1;
            }
            found.push(events);
        }
        Ok(found)
    }
    fn moves(&self, automaton: &Determined, chain: &[usize]) -> Vec<Move> {
        self.along(automaton, chain, |events, taken| self.one(events[taken].0))
    }
    /// For each step by which the tester watches what else the original may show.
    fn others(&self, automaton: &Determined, chain: &[usize]) -> Vec<Vec<Move>> {
        self.along(automaton, chain, |events, taken| {
            let is_watched = events[taken].0.is_watched();
            let others = events
                .iter()
                .enumerate()
                .filter(|(other, (event, _))| is_watched && *other != taken && event.is_watched());
            others.map(|(_, (event, _))| self.one(*event)).collect()
        })
    }
    /// Something about each event of a chain.
    fn along<T>(
        &self,
        automaton: &Determined,
        chain: &[usize],
        about: impl Fn(&[(Event, u32)], usize) -> T,
    ) -> Vec<T> {
        let mut at = 0_u32;
        let mut found = Vec::new();
        for &event in chain {
            let events = &automaton.events[at as usize];
            found.push(about(events, event));
            at = events[event].1;
        }
        found
    }
    pub(super) fn one(&self, event: Event) -> Move {
        match event {
            Event::Stimulus(label) => Move::Stimulate(self.label(label)),
            Event::Answer(label) => {
                let (action, args) = self.label(label);
                Move::Watch(Seen::Label(action, args))
            }
            Event::Quiet => Move::Watch(Seen::Quiet),
            Event::Look => Move::Look,
        }
    }

    /// The interpreter runs the chains on the original, and on each mutant up to where it is
    /// revealed.
    fn replay(
        &mut self,
        killable: &[usize],
        steps: &[Option<(usize, usize)>],
        moves: &[Vec<Move>],
    ) -> Result<(), Error> {
        let sets: Result<Vec<_>, _> =
            moves.iter().map(|chain| replay::sets(self.original(), chain)).collect();
        let sets = match sets {
            Ok(sets) => sets,
            // The interpreter knows who moves; where all labels count as outputs, that is another
            // question.
            Err(_) if self.options.all_outputs => Vec::new(),
            Err(why) => return Err(refused("a chain", &why)),
        };
        for (&number, step) in killable.iter().zip(steps) {
            let Some((chain, step)) = *step else {
                let alone = self.file.mutants[number].alone.unwrap_or(0);
                self.decide(
                    number,
                    "undecided",
                    format!("a test of {alone} steps kills it, these chains do not"),
                );
                continue;
            };
            self.decide(number, "killed", "chain");
            let mutant = &mut self.file.mutants[number];
            (mutant.chain, mutant.step) = (Some(chain), Some(step));
            if self.options.all_outputs {
                continue;
            }
            let (mutant, place) = (self.mutant(number), (&moves[chain][..], step));
            let within = self.options.within;
            let found = replay::revealed(self.original(), &sets[chain], mutant, place, within);
            let (seen, surely) = found.map_err(|why| {
                refused(
                    &format!("that chain {chain} reveals {} in step {step}", self.file.mutants[number].id),
                    &why,
                )
            })?;
            let shows = match &seen {
                Seen::Label(action, args) => self.source.system.show_label(*action, args),
                Seen::Quiet => "quiet".to_owned(),
            };
            let mutant = &mut self.file.mutants[number];
            (mutant.surely, mutant.shows, mutant.by) = (surely, Some(shows), "chain, replayed".to_owned());
        }
        Ok(())
    }

    /// Steps that any chains need. Each chain that kills a mutant watches at a place where some
    /// trace kills it; and where the original is determined, the mutant goes with it until a step
    /// on which they differ, which the chain therefore takes. The engine finds the shortest chains
    /// through such a watch and such a step for each mutant, restarts being free. A mutant that
    /// starts elsewhere needs no differing step.
    fn bound(&self, killable: &[usize]) -> Result<u64, Error> {
        let automaton = &self.explored.automaton;
        let shortest = killable.iter().filter_map(|&number| self.product(number));
        let shortest = shortest.filter(|product| product.is_shortest).filter_map(|product| product.shortest);
        let alone = u64::from(shortest.max().unwrap_or(0));
        let edges = |events: &Vec<(Event, u32)>| events.iter().map(|(_, to)| *to).collect();
        let graph = Graph { edges: automaton.events.iter().map(edges).collect() };
        // Where pairs are left out, other chains may kill the mutant, and lead where nothing is
        // known.
        let is_whole = |&number: &usize| self.product(number).is_some_and(|product| !product.is_partial);
        let killable: Vec<usize> = killable.iter().copied().filter(is_whole).collect();
        let mut goals: Vec<GoalEdges> = killable.iter().filter_map(|&number| self.watches(number)).collect();
        if self.is_determined() && !self.explored.reached.is_partial {
            goals.extend(killable.iter().filter_map(|&number| self.difference(number)));
        }
        goals.retain(|goal| !goal.is_empty());
        let options = Options { reset_cost: Some(0), ..self.options.search.clone() };
        let found = cover(&graph, &least(&goals), &options)?;
        Ok(found.map_or(alone, |walks| walks.lower_bound_of_any.max(alone)))
    }
    /// The steps by which the tester watches where some trace kills a mutant.
    fn watches(&self, number: usize) -> Option<GoalEdges> {
        let product = self.product(number)?;
        let mut nodes: Vec<u32> =
            product.pairs.iter().filter(|pair| pair.kills).map(|pair| pair.node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let mut edges = GoalEdges::new();
        for node in nodes {
            let events = self.explored.automaton.events[node as usize].iter().enumerate();
            let watched = events.filter(|(_, (event, _))| event.is_watched());
            edges.extend(watched.map(|(position, _)| (node, position)));
        }
        Some(edges)
    }
    /// Whether each label leads from one state to one state, and nothing is invisible.
    fn is_determined(&self) -> bool {
        let Self { explored, .. } = self;
        let is_single = |set: &u32| explored.space.members(*set).len() == 1;
        let visible =
            self.source.system.actions.iter().all(|action| action.kind != actions::syntax::Kind::Internal);
        visible && explored.automaton.sets.iter().all(is_single)
    }
    /// The steps on which a mutant differs; none where it starts elsewhere.
    fn difference(&self, number: usize) -> Option<GoalEdges> {
        let finding = self.finding(number).filter(|finding| finding.same_start)?;
        let Self { explored, .. } = self;
        let mut edges = GoalEdges::new();
        for differing in &finding.difference.differing {
            let state = explored.reached.states[differing.state];
            let node =
                explored.automaton.sets.iter().position(|&set| explored.space.members(set)[..] == [state])?;
            let kind = |label: u32| explored.space.kind(explored.space.label(label).0);
            let is_watched =
                differing.labels.iter().any(|&label| kind(label) != actions::syntax::Kind::Controllable);
            for (position, (event, _)) in explored.automaton.events[node].iter().enumerate() {
                let is_goal = match event {
                    // A stimulus that only the mutant refuses or answers otherwise; what the
                    // original refuses, nobody stimulates.
                    Event::Stimulus(label) => differing.labels.contains(label),
                    Event::Answer(_) | Event::Quiet | Event::Look => is_watched,
                };
                if is_goal {
                    edges.push((node as u32, position));
                }
            }
        }
        Some(edges)
    }
}

/// An event at the end of a chain by which the tester watches.
fn end(automaton: &Determined, chain: &[usize]) -> Option<usize> {
    let at = *actions::explore::cover::nodes(automaton, chain)?.last()?;
    automaton.events[at as usize].iter().position(|(event, _)| event.is_watched())
}
