//! The queries of a certificate as clauses, made of the terms of a game alone.
//!
//! Nothing of this is the search's: [`engine::game`] has circuits of its own.

use checker::game::{Certificate, Cube, Query, Shape};
use encoder::EncodeError;
use encoder::aig::{Aig, Literal};
use encoder::bits::BitBuilder;
use encoder::blast::{Blaster, Words};
use encoder::cnf::Cnf;
use engine::game::Game;
use model::system::InputRole;
use model::term::{SymbolId, TermId};
use rustc_hash::FxHashMap;
use solver::sat::{ClauseSink, Formula, Lit};

/// What the symbols stand for.
type Symbols = FxHashMap<SymbolId, Vec<Literal>>;

/// Bits of several words, one word after the other.
struct Row {
    words: Vec<SymbolId>,
    bits: Vec<Literal>,
}

/// See the module text.
pub(super) struct Circuit<'s> {
    game: Game<'s>,
    aig: Aig,
    blaster: Blaster<'s>,
    symbols: Symbols,
    states: Row,
    stimuli: Row,
    choices: Row,
    initial: Vec<bool>,
}

/// A step: whether its answer is allowed, and the state behind it.
struct Step {
    allowed: Literal,
    next: Vec<Literal>,
}

/// Clauses under construction.
#[derive(Default)]
struct Clauses {
    cnf: Cnf,
    formula: Formula,
}

impl<'s> Circuit<'s> {
    /// The circuit of a step from a free state.
    ///
    /// # Errors
    /// A term cannot be encoded, or an initial value is no constant.
    pub(super) fn new(game: Game<'s>) -> Result<Self, EncodeError> {
        let system = game.system;
        let mut aig = Aig::new();
        let mut symbols = Symbols::default();
        let mut row = |chosen: &mut dyn Iterator<Item = SymbolId>| {
            let mut row = Row { words: Vec::new(), bits: Vec::new() };
            for symbol in chosen {
                let width = system.terms.symbol(symbol).sort.width();
                let bits: Vec<Literal> = (0..width).map(|_| aig.input()).collect();
                row.words.push(symbol);
                row.bits.extend(&bits);
                symbols.insert(symbol, bits);
            }
            row
        };
        let states = row(&mut system.states.values().map(|state| state.symbol));
        let mut inputs = |is_chosen: bool| {
            let inputs = system.inputs.values();
            let inputs = inputs.filter(|input| (input.role == InputRole::Choice) == is_chosen);
            row(&mut inputs.map(|input| input.symbol))
        };
        let (stimuli, choices) = (inputs(false), inputs(true));
        let blaster = Blaster::new(&system.terms);
        let mut circuit = Self { game, aig, blaster, symbols, states, stimuli, choices, initial: Vec::new() };
        for state in system.states.values() {
            let bits = circuit.word(state.init, &Symbols::default(), &mut Words::default())?;
            let bits: Option<Vec<bool>> = bits.iter().map(|bit| bit.constant()).collect();
            let name = system.terms.symbol(state.symbol).name.clone();
            let place = "the initial state of a game";
            circuit.initial.extend(bits.ok_or(EncodeError::UnboundSymbol { name, place })?);
        }
        Ok(circuit)
    }

    /// Numbers of bits.
    pub(super) fn shape(&self) -> Shape {
        let count = |row: &Row| row.bits.len();
        Shape { states: count(&self.states), stimuli: count(&self.stimuli), choices: count(&self.choices) }
    }

    /// The initial state, bit by bit.
    pub(super) fn initial(&self) -> &[bool] {
        &self.initial
    }

    /// The clauses of a query of a certificate of this shape.
    ///
    /// # Errors
    /// A term cannot be encoded.
    pub(super) fn formula(
        &mut self,
        query: Query,
        certificate: &Certificate,
    ) -> Result<Formula, EncodeError> {
        let mut clauses = Clauses::default();
        match query {
            Query::Unanswered { from, into } => self.unanswered(from, into, certificate, &mut clauses)?,
            Query::Escape { rank } => self.escape(rank, certificate, &mut clauses)?,
        }
        Ok(clauses.formula)
    }

    fn unanswered(
        &mut self,
        from: u64,
        into: u64,
        certificate: &Certificate,
        clauses: &mut Clauses,
    ) -> Result<(), EncodeError> {
        let symbols = self.symbols.clone();
        let occurs = self.occurs()?;
        let position = self.word(self.game.position, &symbols, &mut Words::default())?[0];
        let initial = self.states.bits.iter().zip(&self.initial);
        let initial: Vec<Literal> = initial.map(|(&bit, &is_set)| bit.flipped(!is_set)).collect();
        let initial = self.aig.all(&initial);
        let begins = self.aig.or(initial, position);
        for truth in [occurs, begins] {
            let truth = clauses.literal(&self.aig, truth);
            clauses.formula.clause(&[truth]);
        }
        let here: Vec<Lit> = self.states.bits.iter().map(|&bit| clauses.literal(&self.aig, bit)).collect();
        for cube in certificate.cubes.iter().filter(|cube| cube.rank <= from) {
            clauses.formula.clause(&differs(&here, cube));
        }
        let avoided: Vec<&Cube> = certificate.cubes.iter().filter(|cube| cube.rank <= into).collect();
        for choices in &certificate.moves {
            let step = self.step(Some(choices))?;
            let arrives = self.position_behind(&step)?;
            let good = self.aig.and(step.allowed, arrives);
            clauses.fails(&self.aig, good, &step.next, &avoided);
        }
        Ok(())
    }

    fn escape(
        &mut self,
        rank: u64,
        certificate: &Certificate,
        clauses: &mut Clauses,
    ) -> Result<(), EncodeError> {
        let occurs = self.occurs()?;
        let occurs = clauses.literal(&self.aig, occurs);
        let mut literals =
            |row: &Row| -> Vec<Lit> { row.bits.iter().map(|&bit| clauses.literal(&self.aig, bit)).collect() };
        let (here, given) = (literals(&self.states), literals(&self.stimuli));
        let step = self.step(None)?;
        let mut one = Vec::new();
        for cube in certificate.cubes.iter().filter(|cube| cube.rank == rank) {
            let is_here = clauses.formula.fresh().positive();
            for literal in differs(&here, cube) {
                clauses.formula.clause(&[!is_here, !literal]);
            }
            for (&bit, &is_set) in given.iter().zip(cube.stimuli.as_deref().unwrap_or_default()) {
                clauses.formula.clause(&[!is_here, if is_set { bit } else { !bit }]);
            }
            one.push(is_here);
            if let Some(falls) = &cube.falls {
                let falls = self.is_smaller(falls, &step.next);
                let falls = clauses.literal(&self.aig, falls);
                let next = step.next.iter().map(|&bit| clauses.literal(&self.aig, bit));
                let mut clause = differs(&next.collect::<Vec<Lit>>(), cube);
                clause.extend([!is_here, !occurs, !falls]);
                clauses.formula.clause(&clause);
            }
        }
        clauses.formula.clause(&one);
        let allowed = clauses.literal(&self.aig, step.allowed);
        clauses.formula.clause(&[!occurs, allowed]);
        let next: Vec<Lit> = step.next.iter().map(|&bit| clauses.literal(&self.aig, bit)).collect();
        for cube in certificate.cubes.iter().filter(|cube| cube.rank < rank) {
            let mut clause = differs(&next, cube);
            clause.push(!occurs);
            clauses.formula.clause(&clause);
        }
        Ok(())
    }

    /// Whether the number that some state bits are, lowest first, is smaller behind a step.
    fn is_smaller(&mut self, bits: &[(usize, bool)], next: &[Literal]) -> Literal {
        bits.iter().fold(Literal::FALSE, |smaller, &(bit, is_inverted)| {
            let [here, behind] = [self.states.bits[bit], next[bit]].map(|one| one.flipped(is_inverted));
            let falls = self.aig.and(behind.flipped(true), here);
            let differs = self.aig.xor(here, behind);
            self.aig.mux(differs, falls, smaller)
        })
    }

    fn occurs(&mut self) -> Result<Literal, EncodeError> {
        let symbols = self.symbols.clone();
        Ok(self.word(self.game.environment, &symbols, &mut Words::default())?[0])
    }

    /// The step with free choices, or with given ones.
    fn step(&mut self, chosen: Option<&[bool]>) -> Result<Step, EncodeError> {
        let mut symbols = self.symbols.clone();
        if let Some(chosen) = chosen {
            let mut chosen = chosen.iter();
            for symbol in &self.choices.words {
                let bits = symbols.get_mut(symbol).into_iter().flatten();
                bits.zip(&mut chosen).for_each(|(bit, &is_set)| *bit = self.aig.constant(is_set));
            }
        }
        let system = self.game.system;
        let mut memo = Words::default();
        let allowed = self.word(self.game.allowed, &symbols, &mut memo)?[0];
        let mut next = Vec::new();
        for state in system.states.values() {
            next.extend(self.word(state.next, &symbols, &mut memo)?);
        }
        Ok(Step { allowed, next })
    }

    /// Whether the state behind a step is a position.
    fn position_behind(&mut self, step: &Step) -> Result<Literal, EncodeError> {
        let mut symbols = self.symbols.clone();
        let mut next = step.next.iter();
        for symbol in &self.states.words {
            let bits = symbols.get_mut(symbol).into_iter().flatten();
            bits.zip(&mut next).for_each(|(bit, &behind)| *bit = behind);
        }
        Ok(self.word(self.game.position, &symbols, &mut Words::default())?[0])
    }

    fn word(
        &mut self,
        term: TermId,
        symbols: &Symbols,
        memo: &mut Words<Literal>,
    ) -> Result<Vec<Literal>, EncodeError> {
        let system = self.game.system;
        let mut leaf = |_: &mut Aig, symbol: SymbolId| {
            symbols.get(&symbol).cloned().ok_or_else(|| EncodeError::UnboundSymbol {
                name: system.terms.symbol(symbol).name.clone(),
                place: "a step of a game",
            })
        };
        self.blaster.blast(term, memo, &mut self.aig, &mut leaf)?;
        Ok(self.blaster.known(term, memo).unwrap_or_default().to_vec())
    }
}

impl Clauses {
    fn literal(&mut self, aig: &Aig, literal: Literal) -> Lit {
        self.cnf.literal(aig, literal, &mut self.formula)
    }

    /// Demands that a move is not good or leads into one of the cubes.
    fn fails(&mut self, aig: &Aig, good: Literal, next: &[Literal], avoided: &[&Cube]) {
        let mut clause = vec![!self.literal(aig, good)];
        let next: Vec<Lit> = next.iter().map(|&bit| self.literal(aig, bit)).collect();
        for cube in avoided {
            let leads_there = self.formula.fresh().positive();
            for literal in differs(&next, cube) {
                self.formula.clause(&[!leads_there, !literal]);
            }
            clause.push(leads_there);
        }
        self.formula.clause(&clause);
    }
}

/// A clause: the state lies outside the cube.
fn differs(state: &[Lit], cube: &Cube) -> Vec<Lit> {
    let literal = |&(bit, is_set): &(usize, bool)| if is_set { !state[bit] } else { state[bit] };
    cube.literals.iter().map(literal).collect()
}
