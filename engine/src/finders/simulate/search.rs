//! The search for executions that cover goals.
//!
//! Two kinds of walks go on from entries of the archive: many at once with short and medium holds
//! ([`lanes`](crate::step::lanes), [`rounds`]), and single ones that hold inputs until something
//! happens, leaping over what only counts ([`player`](super::player), [`walks`]). Whichever finds
//! more that is new for what it costs is used more. Where inputs are floats, many are tried for one
//! step each as well. All costs are counted in evaluated instructions, so a seed determines the
//! search.

mod endure;
mod follow;
mod rare;
mod rounds;
mod walks;

use super::archive::{Archive, Hold, join};
use super::cell::{Census, Features};
use super::fronts::{Fronts, Near, Place, Places};
use super::goals::Goals;
use super::guards::Guards;
use super::nearness::Nearness;
use super::player::{Player, Position};
use super::shorten::{Limit, Shortening};
use super::stimuli::Stimuli;
use super::vectors::Vectors;
use crate::knowledge::vertex::Vertex;
use crate::random_simulation::Random;
use crate::session::Session;
use crate::step::code::Program;
use crate::step::lanes::{LANES, Lanes, Watch, lanes};
use crate::tuning::Constant;
use endure::Followed;
use follow::{Expected, expected};
use model::sort::Sort;
use model::validate::Validated;
use rare::Rare;
use rounds::Walker;

/// What a search may cost, in evaluated instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    /// At most.
    pub(crate) total: u64,
    /// At most without progress.
    pub(crate) idle: u64,
}

/// Steps of the census of features.
const CENSUS: usize = 192;
/// For how many steps the census holds inputs: that many at least, and up to so many more.
const CENSUS_HOLD: (usize, usize) = (8, 48);
/// Longest execution, in steps.
const LONGEST: u64 = 1 << 22;
/// Draws for inputs that the assumptions allow.
const ATTEMPTS: u32 = 16;
/// Evaluated instructions without any new cell, and without coming nearer to a goal, after which
/// the search has seen all there is to see.
pub(crate) const STALE: Constant = Constant {
    name: "simulation.stale",
    usual: 3_000_000,
    unit: "evaluated instructions",
    purpose: "after how much without progress other beginnings are chosen",
};
/// So many walks find no new cell at least before the search has seen all there is: a walk that turns
/// guards may cost more than [`STALE`].
const LEAST_QUIET: u32 = 32;
/// As [`STALE`], where inputs are floats: there is more to draw, and guards may be narrow.
const STALE_FLOATS: u64 = 300_000_000;
/// New entries that are looked at for how near they are to goals; later only entries that walks to
/// goals have reached are.
const MOST_LOOKS: usize = 20_000;
/// Looks at new entries may take 1 in so many evaluated instructions.
const LOOKS_SHARE: u64 = 4;
/// Evaluated instructions that looks at new entries may take in any case.
const LOOKS_COST: u64 = 1_000_000;
/// Worth of a further goal covered, in new entries.
const GOAL_WORTH: u64 = 200;
/// What gain and cost of the earlier walks of a kind still count after one more, as a share.
const FADING: f64 = 0.95;
/// Gain of a kind of walk that has gained nothing, in new entries.
const LEAST_GAIN: f64 = 1e-3;
/// Evaluated instructions without progress after which the search is stuck.
const STUCK: u64 = 40_000_000;
/// Where inputs are floats, 1 turn in so many tries inputs for one step.
const SCATTER_SHARE: usize = 3;
/// 1 walk in so many is of the kind that pays less.
const OTHER_KIND_SHARE: usize = 5;
/// Walks out of 4 that go to a goal which was never covered: mostly, and where the search is stuck.
const TO_GOALS: [usize; 2] = [1, 3];
/// Once all goals are covered, the search for a shorter execution may go on without progress for 1
/// part in so many of what led to the last progress, and of the idle budget.
const COVERED_PATIENCE: [u64; 2] = [2, 8];

/// An execution: an initial state by number, and what is held from there on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    pub(crate) start: usize,
    pub(crate) holds: Vec<Hold>,
    pub(crate) length: u64,
    pub(crate) covered: Goals,
}

/// See the module text.
pub(crate) struct Search<'p> {
    program: &'p Program,
    lanes: Box<dyn Lanes + 'p>,
    player: Player<'p>,
    watch: Watch,
    features: Features,
    archive: Archive,
    stimuli: Stimuli,
    guards: Guards,
    random: Random,
    /// Input vectors that were used.
    vectors: Vectors,
    wanted: Goals,
    /// Vertices of the wanted goals, and the entries nearest to them.
    targets: Vec<Vertex>,
    nearness: Nearness<'p>,
    fronts: Fronts,
    places: Places,
    looks: usize,
    /// Whether some input is a float.
    has_floats: bool,
    /// What looks at new entries have cost.
    looked: u64,
    /// The goals that some entry covers.
    seen: Goals,
    walkers: Vec<Walker>,
    /// The shortest execution that covers all wanted goals and may end.
    best: Option<Way>,
    /// The entry that covers most wanted goals and may end.
    partial: Option<(usize, u64, u32)>,
    spent: u64,
    progress: u64,
    /// What was spent when the last cell was new, or the last goal nearer.
    news: u64,
    /// Gain and cost of the two kinds of walks, fading.
    worth: [(f64, f64); 2],
    state: Vec<u64>,
    /// Longer executions are of no interest.
    longest: u64,
    /// For inputs that are tried in one state, once it was needed.
    tries: Option<Box<dyn Lanes + 'p>>,
    followed: Followed,
    /// What the step compares inputs with.
    expected: Vec<Expected>,
    rare: Rare,
    /// What walks that endure have cost, in evaluated instructions.
    endured: u64,
}

impl<'p> Search<'p> {
    /// From these initial states, for these goals.
    pub(crate) fn new(
        (system, guards): (&Validated, Guards),
        program: &'p Program,
        initial: &[Vec<u64>],
        targets: &[Vertex],
        seed: u64,
    ) -> Self {
        let has_floats = program.input_sorts.iter().any(|sort| matches!(sort, Sort::Float(_)));
        let mut search = Self {
            program,
            lanes: lanes(program),
            player: Player::new(program),
            watch: Watch::new(program),
            features: Features::all(program),
            archive: Archive::default(),
            stimuli: Stimuli::new(system, program),
            guards,
            random: Random::new(seed),
            vectors: Vectors::default(),
            wanted: Goals::of(targets),
            targets: targets.to_vec(),
            nearness: Nearness::new(program, targets),
            fronts: Fronts::new(targets.len()),
            places: Places::new(program, targets),
            looks: 0,
            has_floats,
            looked: 0,
            seen: Goals::default(),
            walkers: Vec::new(),
            best: None,
            partial: None,
            spent: 0,
            progress: 0,
            news: 0,
            worth: [(1.0, 1.0); 2],
            state: Vec::new(),
            longest: LONGEST,
            tries: None,
            followed: Followed::default(),
            expected: expected(program),
            rare: Rare::new(program.states),
            endured: 0,
        };
        search.take_census(initial);
        for (number, state) in initial.iter().enumerate() {
            let (atoms, end) = search.player.look(state);
            // Initial states are told apart even where they are in the same cell.
            let cell = search.features.cell(state, &atoms) ^ number as u64;
            let entry = search.archive.enter(cell, state, Goals::default(), 0, None, Vec::new());
            search.note_partial(entry, end);
            search.note_near(entry);
        }
        search
    }

    /// Goes on until the budget is spent.
    pub(crate) fn run(&mut self, budget: Budget, session: &Session<'_>) {
        (self.spent, self.progress, self.news, self.player.cost) = (0, 0, 0, 0);
        self.longest = LONGEST.min(session.longest_execution(self.program.cost));
        self.guards.begin();
        (self.looked, self.endured) = (0, 0);
        let stale = if self.has_floats { STALE_FLOATS } else { session.options.tuning.value(&STALE) };
        // Walks without any new cell in a row.
        let mut quiet = 0;
        while self.spent < budget.total
            && self.spent - self.progress < self.patience(budget)
            && (self.spent - self.news < stale || quiet < LEAST_QUIET)
            && session.stopped().is_none()
        {
            let (cells, covered) = (self.archive.cells(), self.archive.most_covered());
            let (spent, length) = (self.spent, self.limit());
            let endures = self.endured <= self.spent / endure::SHARE;
            let kind = if endures || self.has_floats && self.random.below(SCATTER_SHARE) == 0 {
                None
            } else {
                Some(self.choose())
            };
            let nearer = match kind {
                Some(Some(0)) => self.round(),
                Some(Some(_)) => self.walk(None),
                Some(None) => self.walk_near(),
                None if endures => {
                    self.endure();
                    false
                }
                None => {
                    self.scatter();
                    false
                }
            };
            self.spent += std::mem::take(&mut self.player.cost);
            let goals = (self.archive.most_covered() - covered) as u64;
            if goals > 0 || self.limit() < length {
                self.progress = self.spent;
            }
            if self.archive.cells() > cells || nearer {
                (self.news, quiet) = (self.spent, 0);
            } else if !endures {
                quiet += 1;
            }
            let gain = (self.archive.cells() - cells) as u64 + GOAL_WORTH * goals;
            let Some(kind) = kind.flatten() else { continue };
            let (gains, costs) = &mut self.worth[kind];
            *gains = *gains * FADING + gain as f64;
            *costs = *costs * FADING + (self.spent - spent) as f64;
        }
    }

    /// What has been spent, in evaluated instructions.
    pub(crate) const fn spent(&self) -> u64 {
        self.spent
    }

    /// What may be spent without progress: where all is covered, only shorter executions are still
    /// looked for.
    fn patience(&self, budget: Budget) -> u64 {
        let [spent, idle] = COVERED_PATIENCE;
        match self.best {
            Some(_) => self.progress / spent + budget.idle / idle,
            None => budget.idle.max(self.progress),
        }
    }

    /// The shortest execution found that covers all wanted goals, else one that covers most of
    /// them; it may end.
    pub(crate) fn found(&self) -> Option<Way> {
        let partial = || {
            let (covered, _, entry) = self.partial.filter(|(covered, ..)| *covered > 0)?;
            debug_assert!(covered > 0, "an execution without goals should not be kept");
            let (start, holds) = self.archive.way(entry);
            let entry = self.archive.entry(entry);
            Some(Way { start: start as usize, holds, length: entry.length, covered: entry.covered })
        };
        self.best.clone().or_else(partial)
    }

    /// The same or a shorter execution; see [`shorten`](super::shorten).
    pub(crate) fn shorten(&mut self, way: Way, start: &[u64], budget: u64, session: &Session<'_>) -> Way {
        let start = Position::start(start.to_vec());
        let Some(mut shortening) =
            Shortening::new(&mut self.player, &mut self.vectors, start, way.holds.clone())
        else {
            return way;
        };
        let Way { start: number, covered, .. } = way;
        let (archive, features) = (&self.archive, &self.features);
        let limit = Limit { needed: covered, budget, session };
        shortening.trim(&limit);
        shortening.replace_legs(&limit, |player, position| {
            let (atoms, _) = player.look(&position.state);
            let cell = features.cell(&position.state, &atoms);
            let (entry, known) = archive.find(cell, position.covered)?;
            let (start, way) = archive.way(entry);
            (start as usize == number && known.length < position.steps).then_some(way)
        });
        shortening.trim(&limit);
        Way { start: number, length: shortening.length(), holds: shortening.into_holds(), covered }
    }

    /// The input vectors that were used.
    pub(crate) fn vectors(&self) -> &Vectors {
        &self.vectors
    }

    /// The kind of walk that pays, now and then the other one. `None`: a walk to a goal that was
    /// never covered.
    fn choose(&mut self) -> Option<usize> {
        let share = TO_GOALS[usize::from(self.is_stuck())];
        if self.seen.len() < self.targets.len() && self.random.below(4) < share {
            return None;
        }
        let rate = |(gain, cost): (f64, f64)| (gain + LEAST_GAIN) / (cost + 1.0);
        let better = usize::from(rate(self.worth[1]) >= rate(self.worth[0]));
        Some(if self.random.below(OTHER_KIND_SHARE) == 0 { 1 - better } else { better })
    }

    /// No longer execution is of interest.
    fn limit(&self) -> u64 {
        self.best.as_ref().map_or(self.longest, |best| best.length)
    }

    /// Other inputs than these: by one guard, or drawn.
    fn vary(&mut self, inputs: &mut Vec<u64>, state: &[u64]) {
        let turned = self.random.below(2) == 0 && self.guards.turn(inputs, &mut self.random, &mut self.spent);
        if !turned {
            self.stimuli.change(inputs, state, &mut self.random);
        }
    }

    fn is_stuck(&self) -> bool {
        self.spent - self.progress > STUCK
    }

    fn note_partial(&mut self, entry: u32, end: bool) {
        if !end {
            return;
        }
        let Entry { covered, length } = self.rank(entry);
        let better = self
            .partial
            .is_none_or(|(most, shortest, _)| covered > most || (covered == most && length < shortest));
        if better {
            self.partial = Some((covered, length, entry));
        }
    }

    fn rank(&self, entry: u32) -> Entry {
        let entry = self.archive.entry(entry);
        Entry { covered: entry.covered.len(), length: entry.length }
    }

    /// Enters a way if it is new or shorter; the number of the entry.
    fn enter(&mut self, from: u32, state: &[u64], atoms: &[u32], end: bool, at: &Reached<'_>) -> Option<u32> {
        let cell = self.features.cell(state, atoms);
        let (covered, length) = (at.covered, at.length);
        if covered.holds_all(&self.wanted) && end && length < self.limit() {
            let (start, mut holds) = self.archive.way(from);
            at.holds.iter().for_each(|&hold| join(&mut holds, hold));
            self.best = Some(Way { start: start as usize, holds, length, covered });
            self.note_seen(covered);
        }
        if length >= self.limit() || !self.archive.wants(cell, covered, length) {
            return None;
        }
        let entry = self.archive.enter(cell, state, covered, length, Some(from), at.holds.to_vec());
        self.rare.note(entry, state);
        self.note_seen(covered);
        self.note_partial(entry, end);
        if self.looks < MOST_LOOKS && self.looked <= LOOKS_COST.max(self.spent / LOOKS_SHARE) {
            self.note_near(entry);
        }
        Some(entry)
    }

    /// Goals that some entry covers need not be come near to any more.
    fn note_seen(&mut self, covered: Goals) {
        let before = self.seen.len();
        self.seen.add_all(&covered);
        if self.seen.len() > before {
            let (seen, targets) = (self.seen, &self.targets);
            self.nearness.look_at(|goal| !seen.contains(targets[goal]));
        }
    }

    /// Finds out how near an entry is to the goals that nothing covers yet.
    fn note_near(&mut self, entry: u32) {
        self.looked += self.nearness.cost();
        let found = self.archive.entry(entry);
        let (state, level, length) = (found.state.clone(), found.covered.len(), found.length);
        for (goal, place, distance) in self.nearer(&state, level, length) {
            self.fronts.enter(goal, level, place, Near { distance, length, entry });
        }
    }

    /// Keeps what is nearer to a goal than what is known, also where its cell is known.
    fn keep_near(&mut self, from: u32, state: &[u64], at: &Reached<'_>) -> Option<u32> {
        let (level, length) = (at.covered.len(), at.length);
        let nearer = self.nearer(state, level, length);
        if nearer.is_empty() {
            return None;
        }
        let entry = self.archive.attach(state, at.covered, length, from, at.holds.to_vec())?;
        for (goal, place, distance) in nearer {
            self.fronts.enter(goal, level, place, Near { distance, length, entry });
        }
        Some(entry)
    }

    /// The goals that nothing covers yet and that a state is nearer to than what is known of its
    /// place, with place and distance.
    fn nearer(&mut self, state: &[u64], level: usize, length: u64) -> Vec<(usize, Place, f64)> {
        self.looks += 1;
        self.spent += self.nearness.cost();
        self.places.note(state);
        let open = self.nearness.look(state).into_iter().enumerate();
        open.filter(|(goal, _)| !self.seen.contains(self.targets[*goal]))
            .map(|(goal, distance)| (goal, self.places.of(goal, state), distance))
            .filter(|&(goal, place, distance)| self.fronts.wants(goal, level, place, distance, length))
            .collect()
    }

    /// Finds out which features are noise, by walks from the initial states.
    fn take_census(&mut self, initial: &[Vec<u64>]) {
        let mut census = Census::new(self.program);
        let mut left = [0; LANES];
        let mut inputs = vec![vec![0; self.program.inputs]; LANES];
        (0..LANES).for_each(|lane| self.lanes.load(lane, &initial[lane % initial.len()]));
        let mut seen: Vec<Option<(Vec<u64>, Vec<u32>)>> = vec![None; LANES];
        for _ in 0..CENSUS {
            for lane in 0..LANES {
                if left[lane] == 0 {
                    self.lanes.save(lane, &mut self.state);
                    self.stimuli.change(&mut inputs[lane], &self.state, &mut self.random);
                    self.lanes.feed(lane, &inputs[lane]);
                    left[lane] = CENSUS_HOLD.0 + self.random.below(CENSUS_HOLD.1);
                }
                left[lane] -= 1;
            }
            self.lanes.evaluate();
            for lane in 0..LANES {
                if self.lanes.word(self.program.allowed, lane) == 0 {
                    (left[lane], seen[lane]) = (0, None);
                    continue;
                }
                let mut state = Vec::new();
                self.lanes.save(lane, &mut state);
                let atoms: Vec<u32> = self
                    .program
                    .packed_atoms
                    .iter()
                    .map(|&slot| self.lanes.word(slot, lane) as u32)
                    .collect();
                if let Some((last, last_atoms)) = &seen[lane] {
                    census.count((last, last_atoms), (&state, &atoms));
                }
                seen[lane] = Some((state, atoms));
            }
            self.lanes.advance();
        }
        self.features = census.features();
    }
}

/// What an entry is ranked by.
struct Entry {
    covered: usize,
    length: u64,
}

/// What was reached from an entry.
struct Reached<'a> {
    covered: Goals,
    length: u64,
    holds: &'a [Hold],
}
