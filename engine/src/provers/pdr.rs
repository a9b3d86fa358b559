//! Unreachability without a bound: property directed reachability (IC3).
//!
//! A. R. Bradley, VMCAI 2011; N. Een, A. Mishchenko, R. K. Brayton, FMCAD 2011. A [`Prover`]
//! over-approximates the states reachable from a *root* (the initial states, or the states after an
//! occurrence of a goal) within 0, 1, 2, ... steps by sets of clauses over state bits. To show that
//! an event never happens, every state in which it can begin is blocked, with a clause that is
//! inductive relative to the approximation before, generalised as far as possible. When two
//! neighbouring approximations agree, their clauses are an inductive invariant of the root that
//! excludes the event.
//!
//! The approximations hold whatever event is asked about: one prover serves all targets of its
//! root, and keeps what it learned.

use crate::error::EngineError;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::session::{Session, Stop};
use crate::step::frames::Frames;
use encoder::EncodeError;
use encoder::bits::BitBuilder;
use encoder::unroll::Start;
use model::id::{Id, IdVec};
use model::system::{StateId, TransitionSystem};
use model::term::{SymbolId, Term, TermId};
use rustc_hash::FxHashSet;
use solver::sat::{IncrementalSat, Lit};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A literal over state bits: bit number times two, plus one where the bit is 0.
type BitLit = u32;

/// A conjunction of literals over state bits, ascending.
pub(crate) type Cube = Vec<BitLit>;

/// One bit of a word of the state has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitValue {
    /// The word.
    pub word: StateId,
    /// The bit, the lowest is 0.
    pub bit: u32,
    /// Its value.
    pub set: bool,
}

/// The states in which all these bits have these values.
pub type BitCube = Vec<BitValue>;

/// Cubes over the state bits of a system as values of bits of its words.
pub fn bit_cubes(cubes: &[Cube], system: &TransitionSystem) -> Vec<BitCube> {
    let mut bits: Vec<(StateId, u32)> = Vec::new();
    for (word, state) in system.states.iter() {
        let width = system.terms.symbol(state.symbol).sort.width();
        bits.extend((0..width).map(|bit| (word, bit)));
    }
    let value = |&literal: &BitLit| {
        let (word, bit) = bits[(literal >> 1) as usize];
        BitValue { word, bit, set: literal & 1 == 0 }
    };
    cubes.iter().map(|cube| cube.iter().map(value).collect()).collect()
}

/// What a proof attempt came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The event never happens in a state reachable from the root.
    Never {
        /// Number of clauses of the inductive invariant.
        clauses: usize,
    },
    /// It does.
    Happens,
    /// The effort did not suffice.
    Unknown,
}

/// Runs of the system whose state at a certain frame is in the root.
struct Root {
    solver: Box<dyn IncrementalSat + Send>,
    /// True where the state at the frame is in the root, and executed up to there.
    inside: Lit,
    /// As `inside`, and one more step can be executed.
    moving: Lit,
    here: Vec<Lit>,
    next: Vec<Lit>,
    /// Literals that hold in no state of the root, as far as is known.
    refuted: FxHashSet<BitLit>,
}

/// One step from a free state, with the clauses of all approximations.
struct StepRelation<'s> {
    frames: Frames<'s>,
    here: Vec<Lit>,
    next: Vec<Lit>,
    /// Bits of the inputs of the step.
    inputs: Vec<Lit>,
    running: Lit,
    /// True only where the assumptions of the step hold and (unlike `running`) whenever they do.
    allowed: Lit,
    /// By level: true activates the clauses of that level.
    levels: Vec<Lit>,
    /// Number of temporary clauses.
    stale: u32,
}

/// See the module text.
pub struct Prover<'s> {
    task: &'s Task<'s>,
    root: Root,
    relation: StepRelation<'s>,
    /// By level: the cubes blocked there and at all lower levels, but not known to be blocked
    /// higher up.
    blocked: Vec<Vec<Cube>>,
    /// Whether a cube may be blocked higher up than was tried: some were added since, or a level.
    is_changed: bool,
    /// The cubes that the last inductive invariant excludes.
    invariant: Vec<Cube>,
    queries_left: u64,
}

/// Temporary clauses after which the solver of the step relation is replaced by a fresh one.
const STALE: u32 = 1_500;

/// What is to be excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// That the event of this vertex begins (of the depot: that Final is reached).
    Event(Vertex),
    /// That this predicate over states is violated.
    Violation(TermId),
}

/// The event that is to be excluded.
struct Event {
    /// True exactly where the event begins in the state.
    happens: Lit,
    /// Bits of all inputs it depends on.
    inputs: Vec<Lit>,
}

/// Where a search for a proof stands.
enum Blocking {
    Blocked,
    Reached,
}

/// The effort did not suffice.
struct GaveUp;

/// Why a step of the search has no result.
enum PdrStop {
    GaveUp,
    Stop(Stop),
}
impl From<Stop> for PdrStop {
    fn from(halt: Stop) -> Self {
        Self::Stop(halt)
    }
}
impl From<EncodeError> for PdrStop {
    fn from(error: EncodeError) -> Self {
        Self::Stop(error.into())
    }
}
impl From<GaveUp> for PdrStop {
    fn from(_: GaveUp) -> Self {
        Self::GaveUp
    }
}

impl<'s> Prover<'s> {
    /// For the states after an occurrence of the goal of `source`; for the depot: for the initial
    /// states.
    pub fn new(task: &'s Task<'s>, source: Vertex, session: &Session<'_>) -> Result<Self, EncodeError> {
        Ok(Self {
            task,
            root: Root::new(task, source, session)?,
            relation: StepRelation::new(task, session)?,
            blocked: vec![Vec::new(); 2],
            is_changed: true,
            invariant: Vec::new(),
            queries_left: 0,
        })
    }

    /// After [`Verdict::Never`]: the cubes that the inductive invariant excludes.
    pub fn invariant(&self) -> &[Cube] {
        &self.invariant
    }

    /// Tries to show that something never happens in a state reachable from the root; also says how
    /// many queries it took.
    pub fn exclude(
        &mut self,
        question: Question,
        queries: u64,
        session: &Session<'_>,
    ) -> Result<(Verdict, u64), Stop> {
        self.queries_left = queries;
        let verdict = match self.search(question, session) {
            Ok(verdict) => verdict,
            Err(PdrStop::GaveUp) => Verdict::Unknown,
            Err(PdrStop::Stop(halt)) => return Err(halt),
        };
        Ok((verdict, queries - self.queries_left))
    }

    fn search(&mut self, question: Question, session: &Session<'_>) -> Result<Verdict, PdrStop> {
        let mut event = self.relation.event(self.task, question)?;
        let mut level = 1;
        loop {
            if self.relation.stale > STALE {
                self.refresh(session)?;
                event = self.relation.event(self.task, question)?;
            }
            while let Some(cube) = self.event_state(&event, level, session)? {
                match self.block(cube, level, session)? {
                    Blocking::Blocked => {}
                    Blocking::Reached => return Ok(Verdict::Happens),
                }
            }
            if self.blocked.len() <= level + 1 {
                self.blocked.push(Vec::new());
                self.is_changed = true;
            }
            self.propagate(session)?;
            if let Some(fixed) = (1..=level).find(|&level| self.blocked[level].is_empty()) {
                return Ok(Verdict::Never { clauses: self.certify(question, fixed, session)? });
            }
            level += 1;
        }
    }

    /// Replaces the step relation by one without temporary clauses.
    fn refresh(&mut self, session: &Session<'_>) -> Result<(), EncodeError> {
        self.relation = StepRelation::new(self.task, session)?;
        for level in 1..self.blocked.len() {
            for cube in &self.blocked[level] {
                self.relation.exclude(cube, level);
            }
        }
        Ok(())
    }

    /// A generalised state of the approximation of that level in which the event begins.
    fn event_state(
        &mut self,
        event: &Event,
        level: usize,
        session: &Session<'_>,
    ) -> Result<Option<Cube>, PdrStop> {
        let mut assumptions = self.relation.approximation(level);
        assumptions.push(event.happens);
        self.charge()?;
        if !session.solve(&mut self.relation.frames.solver, &assumptions)? {
            return Ok(None);
        }
        let state = self.relation.read(&self.relation.here);
        let inputs = self.relation.read_literals(&event.inputs);
        self.lift(state, inputs, !event.happens, session).map(Some)
    }

    /// Drops state literals that are not needed for the inputs to exclude `escape`.
    fn lift(
        &mut self,
        state: Cube,
        inputs: Vec<Lit>,
        escape: Lit,
        session: &Session<'_>,
    ) -> Result<Cube, PdrStop> {
        let relation = &mut self.relation;
        let mut assumptions: Vec<Lit> = state.iter().map(|&literal| of(&relation.here, literal)).collect();
        assumptions.extend(inputs);
        assumptions.push(escape);
        if session.solve(&mut relation.frames.solver, &assumptions)? {
            return Ok(state);
        }
        let core = relation.frames.solver.core();
        let is_needed = |&literal: &BitLit| core.contains(&of(&relation.here, literal));
        Ok(state.iter().copied().filter(is_needed).collect())
    }

    /// Blocks a cube up to a level, or finds a way from the root to it.
    fn block(&mut self, cube: Cube, level: usize, session: &Session<'_>) -> Result<Blocking, PdrStop> {
        let mut queue = BinaryHeap::new();
        let mut number = 0u32;
        queue.push((Reverse(level), number, cube));
        while let Some((Reverse(level), _, cube)) = queue.pop() {
            self.charge()?;
            if self.root.contains(&cube, session)? {
                return Ok(Blocking::Reached);
            }
            if level == 0 || self.is_blocked(&cube, level, session)? {
                continue;
            }
            number += 1;
            match self.predecessor(&cube, level, session)? {
                Some(None) => return Ok(Blocking::Reached),
                Some(Some(before)) => {
                    queue.push((Reverse(level), number, cube));
                    queue.push((Reverse(level - 1), number, before));
                }
                None => {
                    let reached = self.learn(cube.clone(), level, session)?;
                    if reached + 1 < self.blocked.len() {
                        queue.push((Reverse(reached + 1), number, cube));
                    }
                }
            }
        }
        Ok(Blocking::Blocked)
    }

    fn is_blocked(&mut self, cube: &Cube, level: usize, session: &Session<'_>) -> Result<bool, PdrStop> {
        let mut assumptions = self.relation.approximation(level);
        assumptions.extend(cube.iter().map(|&literal| of(&self.relation.here, literal)));
        Ok(!session.solve(&mut self.relation.frames.solver, &assumptions)?)
    }

    /// A generalised state before the cube, in the approximation one level below and outside the
    /// cube; `Some(None)`: one in the root itself.
    fn predecessor(
        &mut self,
        cube: &Cube,
        level: usize,
        session: &Session<'_>,
    ) -> Result<Option<Option<Cube>>, PdrStop> {
        if level == 1 {
            return Ok(self.root.moves_to(cube, session)?.is_none().then_some(None));
        }
        if self.relation.inductive_core(cube, level, session)?.is_some() {
            return Ok(None);
        }
        let relation = &mut self.relation;
        let state = relation.read(&relation.here);
        let inputs = relation.read_literals(&relation.inputs);
        let misses = relation.frames.fresh();
        let mut clause = vec![!misses, !relation.allowed];
        clause.extend(cube.iter().map(|&literal| !of(&relation.next, literal)));
        relation.frames.solver.clause(&clause);
        let lifted = self.lift(state, inputs, misses, session)?;
        self.relation.frames.solver.clause(&[!misses]);
        Ok(Some(Some(lifted)))
    }

    /// Blocks a generalisation of a cube without predecessor as high up as possible; returns the
    /// level.
    fn learn(&mut self, cube: Cube, level: usize, session: &Session<'_>) -> Result<usize, PdrStop> {
        let mut small = self.shrink(cube, level, session)?;
        let mut position = 0;
        while position < small.len() && small.len() > 1 {
            let mut shorter = small.clone();
            shorter.remove(position);
            self.charge()?;
            match self.inductive_part(&shorter, level, session)? {
                Some(part) => {
                    position = part.iter().filter(|literal| small[..position].contains(literal)).count();
                    small = part;
                }
                None => position += 1,
            }
        }
        let mut reached = level;
        while reached + 1 < self.blocked.len() {
            self.charge()?;
            if self.relation.inductive_core(&small, reached + 1, session)?.is_none() {
                break;
            }
            reached += 1;
        }
        self.add(small, reached);
        self.is_changed = true;
        Ok(reached)
    }

    /// The part of a cube without predecessor that the refutation needs, kept apart from the root.
    fn shrink(&mut self, cube: Cube, level: usize, session: &Session<'_>) -> Result<Cube, PdrStop> {
        Ok(self.inductive_part(&cube, level, session)?.unwrap_or(cube))
    }

    /// A part of the cube that is outside the root and has no predecessor at the level below;
    /// `None` where the cube itself does not qualify.
    fn inductive_part(
        &mut self,
        cube: &Cube,
        level: usize,
        session: &Session<'_>,
    ) -> Result<Option<Cube>, PdrStop> {
        if self.root.contains(cube, session)? {
            return Ok(None);
        }
        let needed = match level {
            1 => self.root.moves_to(cube, session)?,
            _ => self.relation.inductive_core(cube, level, session)?,
        };
        let Some(mut part) = needed else { return Ok(None) };
        for &literal in cube {
            if !self.root.contains(&part, session)? {
                break;
            }
            if let Err(place) = part.binary_search(&literal) {
                part.insert(place, literal);
            }
        }
        Ok(Some(part))
    }

    fn add(&mut self, cube: Cube, level: usize) {
        self.relation.exclude(&cube, level);
        while self.blocked.len() <= level {
            self.blocked.push(Vec::new());
        }
        for cubes in &mut self.blocked[1..=level] {
            cubes.retain(|known| !is_part(&cube, known));
        }
        self.blocked[level].push(cube);
    }

    /// Moves clauses up that stay true one step later. Where nothing was learned since, as for a
    /// target that the clauses of others exclude, there is nothing to ask.
    fn propagate(&mut self, session: &Session<'_>) -> Result<(), PdrStop> {
        if !self.is_changed {
            return Ok(());
        }
        for level in 1..self.blocked.len() - 1 {
            for cube in self.blocked[level].clone() {
                self.charge()?;
                if self.relation.inductive_core(&cube, level + 1, session)?.is_some() {
                    self.add(cube, level + 1);
                }
            }
        }
        self.is_changed = false;
        Ok(())
    }

    /// Checks with fresh solvers that the clauses above `level` are an inductive invariant of the
    /// root that excludes the event, and counts them.
    fn certify(&mut self, question: Question, level: usize, session: &Session<'_>) -> Result<usize, PdrStop> {
        let cubes: Vec<Cube> = self.blocked[level + 1..].iter().flatten().cloned().collect();
        let mut holds = true;
        for cube in &cubes {
            holds &= !self.root.contains(cube, session)?;
        }
        let mut relation = StepRelation::new(self.task, session)?;
        let event = relation.event(self.task, question)?;
        let broken = relation.frames.fresh();
        let mut clause = vec![!broken];
        for cube in &cubes {
            let outside: Vec<Lit> = cube.iter().map(|&literal| !of(&relation.here, literal)).collect();
            relation.frames.solver.clause(&outside);
            let inside = relation.frames.fresh();
            for &literal in cube {
                relation.frames.solver.clause(&[!inside, of(&relation.next, literal)]);
            }
            clause.push(inside);
        }
        relation.frames.solver.clause(&clause);
        holds &= !session.solve(&mut relation.frames.solver, &[broken, relation.running])?;
        holds &= !session.solve(&mut relation.frames.solver, &[event.happens])?;
        if !holds {
            let why = "an inductive invariant did not pass its check".to_owned();
            return Err(Stop::from(EngineError::SelfCheck(why)).into());
        }
        self.invariant = cubes;
        Ok(self.invariant.len())
    }

    fn charge(&mut self) -> Result<(), GaveUp> {
        self.queries_left = self.queries_left.checked_sub(1).ok_or(GaveUp)?;
        Ok(())
    }
}

impl Root {
    fn new(task: &Task<'_>, source: Vertex, session: &Session<'_>) -> Result<Self, EncodeError> {
        let start = if source.is_depot() { Start::Initial } else { Start::Free };
        let mut frames = Frames::new(task, start, session)?;
        let frame = task.steps(source);
        let mut inside = frames.running(frame)?;
        let mut moving = frames.running(frame + 1)?;
        if !source.is_depot() {
            let occurs = frames.literal(task.target(source).antecedent, 0)?;
            inside = both(&mut frames, inside, occurs);
            moving = both(&mut frames, moving, occurs);
        }
        let (here, next) = (frames.state(frame)?, frames.state(frame + 1)?);
        Ok(Self { solver: frames.solver, inside, moving, here, next, refuted: FxHashSet::default() })
    }

    /// Whether some state of the root is in the cube.
    fn contains(&mut self, cube: &Cube, session: &Session<'_>) -> Result<bool, Stop> {
        if cube.iter().any(|literal| self.refuted.contains(literal)) {
            return Ok(false);
        }
        let mut assumptions = vec![self.inside];
        assumptions.extend(cube.iter().map(|&literal| of(&self.here, literal)));
        if session.solve(&mut self.solver, &assumptions)? {
            return Ok(true);
        }
        let core = self.solver.core();
        let bit = |&literal: &BitLit| of(&self.here, literal);
        let needed: Vec<BitLit> =
            cube.iter().filter(|literal| core.contains(&bit(literal))).copied().collect();
        // Bits that are the same in all states of the root may share a literal.
        if needed.iter().all(|literal| bit(literal) == bit(&needed[0])) {
            self.refuted.extend(needed);
        }
        Ok(false)
    }

    /// `None`: some step leads from the root into the cube. Otherwise the part of the cube that
    /// excludes it.
    fn moves_to(&mut self, cube: &Cube, session: &Session<'_>) -> Result<Option<Cube>, Stop> {
        let mut assumptions = vec![self.moving];
        assumptions.extend(cube.iter().map(|&literal| of(&self.next, literal)));
        if session.solve(&mut self.solver, &assumptions)? {
            return Ok(None);
        }
        let core = self.solver.core();
        Ok(Some(cube.iter().copied().filter(|&literal| core.contains(&of(&self.next, literal))).collect()))
    }
}

impl<'s> StepRelation<'s> {
    fn new(task: &'s Task<'s>, session: &Session<'_>) -> Result<Self, EncodeError> {
        let mut frames = Frames::new(task, Start::Free, session)?;
        let (here, next) = (frames.state(0)?, frames.state(1)?);
        let inputs = input_bits(&mut frames, 0..1)?;
        let running = frames.running(1)?;
        let allowed = allowed(&mut frames, 0..1, None)?;
        Ok(Self { frames, here, next, inputs, running, allowed, levels: Vec::new(), stale: 0 })
    }

    fn event(&mut self, task: &Task<'_>, question: Question) -> Result<Event, EncodeError> {
        let (condition, steps) = match question {
            Question::Event(vertex) => (task.condition(vertex), task.steps(vertex)),
            Question::Violation(term) => (Some(term), 0),
        };
        let mut happens = allowed(&mut self.frames, 0..steps, condition)?;
        if let Question::Violation(_) = question {
            happens = !happens;
        }
        Ok(Event { happens, inputs: input_bits(&mut self.frames, 0..steps)? })
    }

    /// Adds the clause of a blocked cube to a level.
    fn exclude(&mut self, cube: &Cube, level: usize) {
        self.levels_up_to(level);
        let mut clause = vec![!self.levels[level]];
        clause.extend(cube.iter().map(|&literal| !of(&self.here, literal)));
        self.frames.solver.clause(&clause);
    }

    fn levels_up_to(&mut self, level: usize) {
        while self.levels.len() <= level {
            self.levels.push(self.frames.fresh());
        }
    }

    /// Assumptions that activate the approximation of a level.
    fn approximation(&mut self, level: usize) -> Vec<Lit> {
        self.levels_up_to(level);
        self.levels[level..].to_vec()
    }

    /// `None`: some step leads into the cube from the approximation below `level`, outside the
    /// cube. Otherwise the part of the cube that excludes it.
    fn inductive_core(
        &mut self,
        cube: &Cube,
        level: usize,
        session: &Session<'_>,
    ) -> Result<Option<Cube>, Stop> {
        self.stale += 1;
        let outside = self.frames.fresh();
        let mut clause = vec![!outside];
        clause.extend(cube.iter().map(|&literal| !of(&self.here, literal)));
        self.frames.solver.clause(&clause);
        let mut assumptions = self.approximation(level - 1);
        assumptions.extend([outside, self.running]);
        assumptions.extend(cube.iter().map(|&literal| of(&self.next, literal)));
        if session.solve(&mut self.frames.solver, &assumptions)? {
            return Ok(None);
        }
        let core = self.frames.solver.core();
        let part = cube.iter().copied().filter(|&literal| core.contains(&of(&self.next, literal))).collect();
        self.frames.solver.clause(&[!outside]);
        Ok(Some(part))
    }

    /// The state bits of the model.
    fn read(&self, bits: &[Lit]) -> Cube {
        let value = |&bit: &Lit| self.frames.solver.is_true(bit);
        bits.iter().enumerate().map(|(position, bit)| 2 * position as u32 + u32::from(!value(bit))).collect()
    }

    /// Literals that say what the model says of these bits.
    fn read_literals(&self, bits: &[Lit]) -> Vec<Lit> {
        bits.iter().map(|&bit| if self.frames.solver.is_true(bit) { bit } else { !bit }).collect()
    }
}

fn of(bits: &[Lit], literal: BitLit) -> Lit {
    let bit = bits[(literal >> 1) as usize];
    if literal & 1 == 1 { !bit } else { bit }
}

/// Whether all literals of `part` are in `whole`; both ascend.
fn is_part(part: &Cube, whole: &Cube) -> bool {
    part.iter().all(|literal| whole.binary_search(literal).is_ok())
}

fn both(frames: &mut Frames<'_>, a: Lit, b: Lit) -> Lit {
    let both = frames.fresh();
    frames.solver.clause(&[!both, a]);
    frames.solver.clause(&[!both, b]);
    both
}

/// A literal that is true exactly where the assumptions hold in these frames and the condition, if
/// any, at frame 0.
fn allowed(
    frames: &mut Frames<'_>,
    range: std::ops::Range<u32>,
    condition: Option<TermId>,
) -> Result<Lit, EncodeError> {
    let mut parts = Vec::new();
    for frame in range {
        for assumption in &frames.unrolling.system().assumptions {
            parts.push(frames.unrolling.truth(assumption.condition, frame)?);
        }
    }
    if let Some(condition) = condition {
        parts.push(frames.unrolling.truth(condition, 0)?);
    }
    let all = frames.unrolling.graph().all(&parts);
    Ok(frames.encode(all, 0))
}

/// The bits of all inputs that any term depends on.
fn input_bits(frames: &mut Frames<'_>, range: std::ops::Range<u32>) -> Result<Vec<Lit>, EncodeError> {
    let terms = input_terms(frames.unrolling.system());
    let mut bits = Vec::new();
    for frame in range {
        for &term in &terms {
            bits.extend(frames.unrolling.word_literals(term, frame, &mut frames.solver)?);
        }
    }
    Ok(bits)
}

/// The terms of the input symbols, as far as the pool has them.
fn input_terms(system: &TransitionSystem) -> Vec<TermId> {
    let mut is_input: IdVec<SymbolId, bool> = system.terms.symbols().ids().map(|_| false).collect();
    system.inputs.values().for_each(|input| is_input[input.symbol] = true);
    let terms = (0..system.terms.len()).map(TermId::new);
    terms
        .filter(|&term| matches!(system.terms.node(term), Term::Symbol(symbol) if is_input[symbol]))
        .collect()
}
