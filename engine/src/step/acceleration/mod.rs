//! Held-input acceleration: "hold these inputs for n periods", with n computed instead of unrolled.
//!
//! Under held inputs most deep programs do the same again and again, but for counters that move at
//! a constant rate: x' = x + c. Where that repeats after a period of p steps (a divider, a
//! scheduler of several phases), the p steps are evaluated once over [forms](form::Form): sequences
//! with a base and a slope. The evaluation yields at once that the period maps x to x + c, and for
//! how many periods no guard, no label of a goal and no atom changes its truth. So many periods are
//! one leap, exactly: by induction over the periods.

mod progression;

use crate::step::code::{Program, Slot};
use crate::step::lanes::{Lanes, scalar, solo};
use progression::{EVER, Form, WIDEST, apply};

/// Evaluates periods of steps under held inputs; see the module text.
pub(crate) struct Held<'p> {
    program: &'p Program,
    /// The values at the first repetition.
    machine: Box<dyn Lanes + 'p>,
    /// By slot: how its value goes on, where it does not stay as it is for ever. Most do.
    moving: Vec<bool>,
    forms: Vec<Form>,
}

impl<'p> Held<'p> {
    /// For a program; `None` where its state words are too wide to move.
    pub(crate) fn new(program: &'p Program) -> Option<Self> {
        let widest = program.state_sorts.iter().map(|sort| sort.width()).max().unwrap_or(0);
        let slots = program.slots();
        let (moving, forms) = (vec![false; slots], vec![Form::fixed(0); slots]);
        (widest <= WIDEST).then_some(Self { program, machine: solo(program), moving, forms })
    }

    /// How often in a row a period can be repeated from this state such that each time the state
    /// words move by `change`, and every guard, label and atom is in each phase of the period as it
    /// is the first time. `u64::MAX`: for ever; 0: not at all.
    pub(crate) fn repetitions(
        &mut self,
        state: &[u64],
        change: &[i128],
        inputs: &[u64],
        period: usize,
    ) -> u64 {
        let widths: Vec<u32> = self.program.state_sorts.iter().map(|sort| sort.width()).collect();
        let moving = |word: usize| Form::moving(state[word].into(), change[word], widths[word]);
        let start: Vec<Form> = (0..state.len()).map(moving).collect();
        start.iter().enumerate().for_each(|(word, &form)| self.set(word, form));
        self.machine.load(0, state);
        self.machine.feed(0, inputs);
        let mut until = EVER;
        for _ in 0..period {
            self.machine.evaluate();
            self.evaluate();
            until = until.min(self.watched());
            let next: Vec<Form> = self.program.next.iter().map(|&slot| self.form(slot)).collect();
            self.machine.advance();
            next.into_iter().enumerate().for_each(|(word, form)| self.set(word, form));
        }
        for (word, begin) in start.iter().enumerate() {
            let end = self.form(word as Slot);
            if end.base as i128 != begin.base as i128 + begin.slope || end.slope != begin.slope {
                return 0;
            }
            until = until.min(begin.until).min(end.until);
        }
        until
    }

    /// For how long the truths that are looked at stay as they are.
    fn watched(&self) -> u64 {
        let program = self.program;
        let labels = program.labels.values().flatten().copied();
        let atoms = program.atoms.iter().map(|atom| atom.slot);
        let slots = labels.chain(atoms).chain([program.allowed, program.end]);
        slots.map(|slot| self.form(slot).until).min().unwrap_or(EVER)
    }

    fn form(&self, slot: Slot) -> Form {
        match self.moving[slot as usize] {
            true => self.forms[slot as usize],
            false => Form::fixed(self.machine.wide_word(slot, 0)),
        }
    }

    fn set(&mut self, slot: usize, form: Form) {
        self.moving[slot] = form.slope != 0 || form.until != EVER;
        self.forms[slot] = form;
    }

    /// How all results go on, after the machine has evaluated them.
    fn evaluate(&mut self) {
        let first = self.program.first_result();
        for (number, instruction) in self.program.instructions.iter().enumerate() {
            let operands = [instruction.a, instruction.b, instruction.c];
            if !operands.iter().any(|&slot| self.moving[slot as usize]) {
                self.moving[first + number] = false;
                continue;
            }
            let operands = operands.map(|slot| self.form(slot));
            let value = || scalar(self.program, instruction, operands.map(|form| form.base));
            let form = apply(instruction, &self.program.others, operands, value);
            self.set(first + number, form);
        }
    }
}
