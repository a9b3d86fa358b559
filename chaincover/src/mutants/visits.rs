//! Kills by visits: chains over states of the original alone, by the engine.

use super::{Judging, refused};
use crate::error::Error;
use crate::graph_cover::{GoalEdges, Graph, Walks, cover, greedy, least};
use actions::analysis::Kill;
use actions::explore::refine::Unsafe;
use actions::explore::space::LabelNo;
use actions::interpret::Seen;
use actions::replay::{self, Label, Move};
use actions::syntax;
use actions::system::State;

/// What an edge of the graph is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edge {
    /// A step.
    Label(LabelNo),
    /// Nothing happens, where nothing can.
    Quiet,
    /// A stimulus that the original refuses.
    Probe(LabelNo),
    /// The chain ends here.
    End,
}

/// The original's states with all that a chain may do in them.
struct Ground {
    graph: Graph,
    edges: Vec<Vec<Edge>>,
}

impl Judging<'_> {
    /// Verdicts, chains and a bound.
    pub(super) fn visits(&mut self) -> Result<(), Error> {
        let ground = self.ground();
        let mut killable = Vec::new();
        let mut goals: Vec<GoalEdges> = Vec::new();
        for number in 0..self.systems.len() {
            let Some(finding) = self.finding(number) else { continue };
            let places = &finding.difference.unsafe_states;
            let Some(first) = places.first() else {
                self.survives(number);
                continue;
            };
            // The test watches, or takes the step, once it is there.
            let alone = self.explored.reached.depth[first.state] + 1;
            goals.push(places.iter().flat_map(|place| self.goal(&ground, place)).collect());
            killable.push(number);
            self.file.mutants[number].alone = Some(alone);
        }
        self.file.single = self.singles(&killable);
        let wanted = least(&goals);
        let walks = match cover(&ground.graph, &wanted, &self.options.search)? {
            Some(walks) if walks.is_complete => walks,
            other => {
                let lower_bound = other.map_or(0, |walks| walks.lower_bound_of_any);
                Walks { lower_bound, ..greedy(&ground.graph, &wanted) }
            }
        };
        self.reveal(&ground, (&killable, &goals), walks)
    }

    /// Steps of one test for each first unsafe state; for `step`, of one test for each mutant.
    fn singles(&self, killable: &[usize]) -> u64 {
        let first =
            |number: usize| self.finding(number).map(|finding| finding.difference.unsafe_states[0].state);
        let mut states: Vec<usize> = killable.iter().filter_map(|&number| first(number)).collect();
        if self.options.kill == Kill::State {
            states.sort_unstable();
            states.dedup();
        }
        states.iter().map(|&state| u64::from(self.explored.reached.depth[state]) + 1).sum()
    }

    fn ground(&mut self) -> Ground {
        let is_step = self.options.kill == Kill::Step;
        let mut ground = Ground { graph: Graph::default(), edges: Vec::new() };
        let probes = self.probes();
        for (position, steps) in self.explored.reached.steps.clone().into_iter().enumerate() {
            let state = self.explored.reached.states[position];
            let mut edges: Vec<(Edge, u32)> =
                steps.iter().map(|&(label, to)| (Edge::Label(label), to as u32)).collect();
            let here = position as u32;
            if is_step {
                let (space, original) = (&mut self.explored.space, &self.explored.original);
                if space.is_quiet(original, state).unwrap_or(false) {
                    edges.push((Edge::Quiet, here));
                }
                let taken = |label: u32| steps.iter().any(|&(known, _)| known == label);
                let refused = probes[position].iter().copied().filter(|&label| !taken(label));
                edges.extend(refused.map(|label| (Edge::Probe(label), here)));
            } else {
                edges.push((Edge::End, here));
            }
            ground.graph.edges.push(edges.iter().map(|(_, to)| *to).collect());
            ground.edges.push(edges.into_iter().map(|(edge, _)| edge).collect());
        }
        // Chains go to no states whose steps are not known.
        let count = self.explored.reached.states.len();
        ground.graph.edges.resize(count, Vec::new());
        ground.edges.resize(count, Vec::new());
        ground
    }
    /// For each state the stimuli by which some mutant can leave the original.
    fn probes(&self) -> Vec<Vec<LabelNo>> {
        let mut found = vec![Vec::new(); self.explored.reached.states.len()];
        for finding in self.explored.mutants.iter().flatten() {
            for place in &finding.difference.unsafe_states {
                let own: &mut Vec<LabelNo> = &mut found[place.state];
                own.extend(
                    place.labels.iter().filter(|&&label| self.kind(label) == syntax::Kind::Controllable),
                );
            }
        }
        for labels in &mut found {
            labels.sort_unstable();
            labels.dedup();
        }
        found
    }
    fn kind(&self, label: LabelNo) -> syntax::Kind {
        let space = &self.explored.space;
        space.kind(space.label(label).0)
    }

    /// The edges that kill a mutant in one of its unsafe states.
    fn goal(&self, ground: &Ground, place: &Unsafe) -> GoalEdges {
        let edges = ground.edges[place.state].iter().enumerate();
        let is_watched = |label: LabelNo| self.kind(label) != syntax::Kind::Controllable;
        let is_taken = |label: LabelNo| ground.edges[place.state].contains(&Edge::Label(label));
        let hidden = place.labels.iter().any(|&label| is_watched(label) && !is_taken(label));
        let kills = |edge: Edge| match edge {
            _ if self.options.kill == Kill::State => true,
            Edge::Label(label) => place.labels.contains(&label) || (hidden && is_watched(label)),
            Edge::Quiet => hidden,
            Edge::Probe(label) => place.labels.contains(&label),
            Edge::End => false,
        };
        let wanted = edges.filter(|(_, edge)| kills(**edge));
        wanted.map(|(position, _)| (place.state as u32, position)).collect()
    }

    /// Runs the chains with the interpreter and says where each mutant is killed.
    fn reveal(
        &mut self,
        ground: &Ground,
        (killable, goals): (&[usize], &[GoalEdges]),
        mut walks: Walks,
    ) -> Result<(), Error> {
        let paths: Vec<Vec<u32>> = walks.walks.iter().map(|walk| path(&ground.graph, walk)).collect();
        for (&number, goal) in killable.iter().zip(goals) {
            let first = walks.walks.iter().enumerate().find_map(|(chain, walk)| {
                let step = (0..walk.len()).find(|&step| goal.contains(&(paths[chain][step], walk[step])))?;
                Some((chain, step))
            });
            let Some((chain, step)) = first else {
                self.decide(number, "undecided", "it can be killed, but not by the chains that were found");
                continue;
            };
            self.decide(number, "killed", "chain, replayed");
            self.check_unsafe(number, paths[chain][step] as usize)?;
            let mutant = &mut self.file.mutants[number];
            (mutant.chain, mutant.step) = (Some(chain), Some(step));
        }
        let mut bound = walks.lower_bound;
        let is_state = self.options.kill == Kill::State;
        if is_state {
            // Visiting a state needs no step from it: the last step of each chain is the test's.
            bound = bound.saturating_sub(walks.walks.len() as u64);
            for walk in &mut walks.walks {
                walk.pop();
            }
        }
        let mut chains = Vec::new();
        for (walk, path) in walks.walks.iter().zip(&paths) {
            let moves = self.walked(ground, walk, path);
            let states: Vec<State> =
                path.iter().map(|&node| self.values(node as usize)).take(walk.len() + 1).collect();
            replay::run(self.original(), &moves, &states).map_err(|why| refused("a chain", &why))?;
            self.surely(killable, chains.len(), (&moves, &states), is_state)?;
            chains.push(moves);
        }
        self.add_chains(&chains, &[]);
        self.plain_tests();
        if self.explored.reached.is_partial {
            // Chains may be shorter that go through other states; the way to one kill may not.
            let alone = killable.iter().filter_map(|&number| self.file.mutants[number].alone);
            bound = u64::from(alone.max().unwrap_or(0)).saturating_sub(u64::from(is_state));
        }
        self.file.lower_bound = bound;
        Ok(())
    }
    /// Says of the mutants that a chain kills whether each of their runs along it is told from the
    /// original. At the level `state` the test adds a stimulus where that helps, or watches.
    fn surely(
        &mut self,
        killable: &[usize],
        chain: usize,
        (moves, states): (&[Move], &[State]),
        is_state: bool,
    ) -> Result<(), Error> {
        for &number in killable {
            let mutant = &self.file.mutants[number];
            let Some(step) = mutant.step.filter(|_| mutant.chain == Some(chain)) else { continue };
            let Some(state) = states.get(step) else { continue };
            let stimuli: Vec<Label> = match moves.get(step) {
                _ if is_state => self.stimuli(number, state),
                Some(Move::Stimulate(label) | Move::Probe(label)) => vec![label.clone()],
                _ => Vec::new(),
            };
            let end = if is_state { &moves[..step] } else { moves };
            let place = (step, &stimuli[..]);
            let found = replay::surely_leaves(self.original(), self.mutant(number), (end, states), place);
            self.file.mutants[number].surely = found.map_err(|why| refused("a state", &why.into()))?;
        }
        Ok(())
    }
    /// The stimuli by which a mutant can leave the original in a state.
    fn stimuli(&self, number: usize, state: &State) -> Vec<Label> {
        let places = self.finding(number).into_iter().flat_map(|finding| &finding.difference.unsafe_states);
        let here = places.filter(|place| self.values(place.state) == *state);
        let labels = here.flat_map(|place| place.labels.iter().copied());
        labels
            .filter(|&label| self.kind(label) == syntax::Kind::Controllable)
            .map(|label| self.label(label))
            .collect()
    }
    fn values(&self, position: usize) -> State {
        self.explored.space.values(self.explored.reached.states[position]).clone()
    }
    /// The interpreter finds a step of the mutant that the original has not.
    fn check_unsafe(&self, number: usize, position: usize) -> Result<(), Error> {
        let state = self.values(position);
        let places = self.finding(number).map(|finding| &finding.difference.unsafe_states);
        let place = places.and_then(|places| places.iter().find(|place| place.state == position));
        let labels = place.map(|place| place.labels.as_slice()).unwrap_or_default();
        for &label in labels {
            let (action, args) = self.label(label);
            let leaves = replay::leaves(self.original(), self.mutant(number), &state, (action, &args));
            if leaves.map_err(|why| refused("a state", &why.into()))? {
                return Ok(());
            }
        }
        let id = &self.file.mutants[number].id;
        let state = self.source.system.show_state(&state);
        Err(refused(
            &format!("that {id} can leave the original in {state}"),
            &replay::Refused::NotRevealed(0),
        ))
    }
    fn walked(&self, ground: &Ground, walk: &[usize], path: &[u32]) -> Vec<Move> {
        let one = |(&edge, &node): (&usize, &u32)| match ground.edges[node as usize][edge] {
            Edge::Label(label) => {
                let (action, args) = self.label(label);
                match self.source.system.actions[action].kind {
                    syntax::Kind::Controllable => Move::Stimulate((action, args)),
                    syntax::Kind::Observable => Move::Watch(Seen::Label(action, args)),
                    syntax::Kind::Internal => Move::Invisible((action, args)),
                }
            }
            Edge::Probe(label) => Move::Probe(self.label(label)),
            Edge::Quiet | Edge::End => Move::Watch(Seen::Quiet),
        };
        walk.iter().zip(path).map(one).collect()
    }
}

fn path(graph: &Graph, walk: &[usize]) -> Vec<u32> {
    let mut found = vec![0];
    for &edge in walk {
        let at = found.last().copied().unwrap_or(0);
        found.push(graph.edges[at as usize][edge]);
    }
    found
}
