//! Many executions side by side.
//!
//! Each slot of the program holds one word for each lane, so an instruction is decoded once for all
//! lanes and its loop over them becomes vector instructions. Lanes differ in state, inputs and the
//! goals they still look for.
//!
//! Where one execution runs alone, mostly under inputs that are held, most words stay as they are
//! from step to step: only what depends on one that has changed is executed again.

use super::code::{Code, Instruction, Program};
use super::floats;
use super::word::Word;

/// Number of executions that run side by side.
pub const LANES: usize = 32;

/// One word for each lane.
pub(super) type Row<W, const N: usize> = [W; N];

/// See the module text.
pub trait Lanes {
    /// Puts a state into a lane.
    fn load(&mut self, lane: usize, state: &[u64]);
    /// The state of a lane.
    fn save(&self, lane: usize, state: &mut Vec<u64>);
    /// Puts inputs into a lane.
    fn feed(&mut self, lane: usize, inputs: &[u64]);
    /// Runs the step in all lanes; states stay as they are.
    fn evaluate(&mut self);
    /// After [`evaluate`](Self::evaluate): lanes whose step the assumptions allow go on to their
    /// next state.
    fn advance(&mut self);
    /// The word of a slot in a lane.
    fn word(&self, slot: u32, lane: usize) -> u64;
    /// Reads the word of a slot in a lane, which may have more than 64 bits.
    fn wide_word(&self, slot: u32, lane: usize) -> u128;
    /// After [`evaluate`](Self::evaluate): lanes whose atoms or labels are such as `watch` asks
    /// for, or whose step is not allowed, as bits.
    fn alarms(&self, watch: &Watch) -> u32;
}

/// What is worth a look, by word of packed truths and lane.
#[derive(Clone, Debug)]
pub struct Watch {
    /// Labels that are looked for.
    pub(crate) labels: Vec<Row<u32, LANES>>,
    /// Atoms as they were last seen.
    pub(crate) atoms: Vec<Row<u32, LANES>>,
    /// Atoms whose changes matter.
    pub(crate) quiet: Vec<u32>,
}

impl Watch {
    /// What is watched of this program.
    pub fn new(program: &Program) -> Self {
        Self {
            labels: vec![[0; LANES]; program.packed_labels.len()],
            atoms: vec![[0; LANES]; program.packed_atoms.len()],
            quiet: vec![u32::MAX; program.packed_atoms.len()],
        }
    }
}

/// [`LANES`] executions with the narrowest words that hold all terms of the program.
pub fn lanes<'p>(program: &'p Program) -> Box<dyn Lanes + 'p> {
    files::<LANES>(program)
}

/// One execution, as lane 0.
pub(crate) fn solo<'p>(program: &'p Program) -> Box<dyn Lanes + 'p> {
    files::<1>(program)
}

fn files<'p, const N: usize>(program: &'p Program) -> Box<dyn Lanes + 'p> {
    match program.width {
        ..=32 => Box::new(File::<u32, N>::new(program)),
        33..=64 => Box::new(File::<u64, N>::new(program)),
        _ => Box::new(File::<u128, N>::new(program)),
    }
}

struct File<'p, W, const N: usize> {
    program: &'p Program,
    rows: Vec<Row<W, N>>,
    next: Vec<Row<W, N>>,
    /// States and inputs as they were evaluated last, where there is one lane; empty before.
    last: Vec<Row<W, N>>,
    /// Whether the word of a slot has changed since then.
    changed: Vec<bool>,
}

impl<'p, W: Word, const N: usize> File<'p, W, N> {
    fn new(program: &'p Program) -> Self {
        let mut rows = vec![[W::default(); N]; program.slots()];
        let first = program.states + program.inputs;
        for (row, &bits) in rows[first..].iter_mut().zip(&program.constants) {
            *row = [W::cut(bits); N];
        }
        let changed = vec![false; if N == 1 { program.slots() } else { 0 }];
        Self { program, rows, next: Vec::with_capacity(program.states), last: Vec::new(), changed }
    }

    /// Executes what depends on words that have changed.
    fn evaluate_changes(&mut self) {
        let first = self.program.first_result();
        let given = self.program.states + self.program.inputs;
        for ((changed, row), last) in self.changed.iter_mut().zip(&self.rows).zip(&self.last) {
            *changed = row != last;
        }
        self.last.copy_from_slice(&self.rows[..given]);
        for (number, instruction) in self.program.instructions.iter().enumerate() {
            let Instruction { a, b, c, .. } = *instruction;
            let result = first + number;
            let depends = [a, b, c].into_iter().any(|slot| self.changed[slot as usize]);
            self.changed[result] = depends && {
                let before = self.rows[result];
                let (known, result) = self.rows.split_at_mut(result);
                execute(self.program, instruction, known, &mut result[0]);
                result[0] != before
            };
        }
    }
}

impl<W: Word, const N: usize> Lanes for File<'_, W, N> {
    fn load(&mut self, lane: usize, state: &[u64]) {
        for (row, &word) in self.rows.iter_mut().zip(state) {
            row[lane] = W::cut(word.into());
        }
    }
    fn save(&self, lane: usize, state: &mut Vec<u64>) {
        state.clear();
        state.extend(self.rows[..self.program.states].iter().map(|row| row[lane].widen() as u64));
    }
    fn feed(&mut self, lane: usize, inputs: &[u64]) {
        for (row, &word) in self.rows[self.program.states..].iter_mut().zip(inputs) {
            row[lane] = W::cut(word.into());
        }
    }
    fn evaluate(&mut self) {
        if N == 1 && !self.last.is_empty() {
            return self.evaluate_changes();
        }
        if N == 1 {
            self.last = self.rows[..self.program.states + self.program.inputs].to_vec();
        }
        let first = self.program.first_result();
        for (number, instruction) in self.program.instructions.iter().enumerate() {
            let (known, result) = self.rows.split_at_mut(first + number);
            execute(self.program, instruction, known, &mut result[0]);
        }
    }
    fn advance(&mut self) {
        let allowed = self.rows[self.program.allowed as usize];
        let keep: Row<W, N> = std::array::from_fn(|lane| allowed[lane].minus(W::ONE));
        // Next values may be state words themselves: all are read before any is written.
        self.next.clear();
        self.next.extend(self.program.next.iter().map(|&slot| self.rows[slot as usize]));
        for (row, next) in self.rows.iter_mut().zip(&self.next) {
            for lane in 0..N {
                row[lane] = (row[lane] & keep[lane]) | (next[lane] & !keep[lane]);
            }
        }
    }
    fn word(&self, slot: u32, lane: usize) -> u64 {
        self.rows[slot as usize][lane].widen() as u64
    }
    fn wide_word(&self, slot: u32, lane: usize) -> u128 {
        self.rows[slot as usize][lane].widen()
    }
    fn alarms(&self, watch: &Watch) -> u32 {
        let allowed = &self.rows[self.program.allowed as usize];
        let mut alarm: Row<W, N> = std::array::from_fn(|lane| allowed[lane] ^ W::ONE);
        for (&slot, wanted) in self.program.packed_labels.iter().zip(&watch.labels) {
            let row = &self.rows[slot as usize];
            for lane in 0..N {
                alarm[lane] = alarm[lane] | (row[lane] & W::cut(wanted[lane].into()));
            }
        }
        for ((&slot, last), &quiet) in self.program.packed_atoms.iter().zip(&watch.atoms).zip(&watch.quiet) {
            let (row, quiet) = (&self.rows[slot as usize], W::cut(quiet.into()));
            for lane in 0..N {
                alarm[lane] = alarm[lane] | ((row[lane] ^ W::cut(last[lane].into())) & quiet);
            }
        }
        let bit = |bits: u32, lane: usize| bits | u32::from(alarm[lane] != W::default()) << lane;
        (0..N).fold(0, bit)
    }
}

/// All bits of the width.
#[inline(always)]
fn mask<W: Word>(width: u8) -> W {
    W::cut(u128::MAX >> (128 - u32::from(width)))
}

/// The sign bit.
#[inline(always)]
fn sign<W: Word>(width: u8) -> W {
    W::ONE << (u32::from(width) - 1)
}

#[inline(always)]
pub(super) fn one<W: Word, const N: usize>(a: &Row<W, N>, result: &mut Row<W, N>, compute: impl Fn(W) -> W) {
    for lane in 0..N {
        result[lane] = compute(a[lane]);
    }
}

#[inline(always)]
pub(super) fn two<W: Word, const N: usize>(
    a: &Row<W, N>,
    b: &Row<W, N>,
    result: &mut Row<W, N>,
    compute: impl Fn(W, W) -> W,
) {
    for lane in 0..N {
        result[lane] = compute(a[lane], b[lane]);
    }
}

/// Whether a word is negative when read as signed.
#[inline(always)]
fn sign_of<W: Word>(word: W, width: u8) -> bool {
    word & sign::<W>(width) != W::default()
}

/// The amount of a word read as signed; that of the least number is itself.
#[inline(always)]
fn amount<W: Word>(word: W, width: u8) -> W {
    signed(word, sign_of(word, width)) & mask::<W>(width)
}

/// The amount, or its negation modulo the machine word.
#[inline(always)]
fn signed<W: Word>(amount: W, negative: bool) -> W {
    if negative { W::default().minus(amount) } else { amount }
}

/// A shift by an amount that may be too large.
#[inline(always)]
fn shifted<W: Word>(amount: W, width: u8, shift: impl Fn(u32) -> W) -> W {
    if amount.widen() < u128::from(width) { shift(amount.widen() as u32) } else { W::default() }
}

/// One instruction in all lanes.
fn execute<W: Word, const N: usize>(
    program: &Program,
    instruction: &Instruction,
    known: &[Row<W, N>],
    result: &mut Row<W, N>,
) {
    let Instruction { code, width, a, b, c } = *instruction;
    let (a, b) = (&known[a as usize], &known[b as usize]);
    let all = mask::<W>(width);
    match code {
        Code::Not => one(a, result, |a| !a & all),
        Code::Neg => one(a, result, |a| W::default().minus(a) & all),
        Code::And => two(a, b, result, |a, b| a & b),
        Code::Or => two(a, b, result, |a, b| a | b),
        Code::Xor => two(a, b, result, |a, b| a ^ b),
        Code::Add => two(a, b, result, |a, b| a.plus(b) & all),
        Code::Sub => two(a, b, result, |a, b| a.minus(b) & all),
        Code::Mul => two(a, b, result, |a, b| a.times(b) & all),
        Code::UDiv => two(a, b, result, |a, b| a.quotient(b).unwrap_or(all)),
        Code::URem => two(a, b, result, |a, b| a.remainder(b).unwrap_or(a)),
        Code::SDiv => two(a, b, result, |a, b| {
            let (quotient, negative) = (amount(a, width).quotient(amount(b, width)), sign_of(a ^ b, width));
            let by_zero = if sign_of(a, width) { W::ONE } else { all };
            quotient.map_or(by_zero, |quotient| signed(quotient, negative) & all)
        }),
        Code::SRem => two(a, b, result, |a, b| {
            let rest = amount(a, width).remainder(amount(b, width));
            rest.map_or(a, |rest| signed(rest, sign_of(a, width)) & all)
        }),
        Code::AShr => {
            let unused = W::BITS - u32::from(width);
            let most = u128::from(width) - 1;
            two(a, b, result, |a, b| {
                let shift = b.widen().min(most) as u32;
                (a << unused).shift_signed(unused).shift_signed(shift) & all
            });
        }
        Code::Shl => two(a, b, result, |a, b| shifted(b, width, |amount| (a << amount) & all)),
        Code::LShr => two(a, b, result, |a, b| shifted(b, width, |amount| a >> amount)),
        Code::Eq => two(a, b, result, |a, b| W::truth(a == b)),
        Code::ULt => two(a, b, result, |a, b| W::truth(a < b)),
        Code::ULe => two(a, b, result, |a, b| W::truth(a <= b)),
        Code::SLt => {
            let sign = sign::<W>(width);
            two(a, b, result, |a, b| W::truth(a ^ sign < b ^ sign));
        }
        Code::SLe => {
            let sign = sign::<W>(width);
            two(a, b, result, |a, b| W::truth(a ^ sign <= b ^ sign));
        }
        Code::Ite => {
            let c = &known[c as usize];
            for lane in 0..N {
                let then = W::default().minus(a[lane]);
                result[lane] = (b[lane] & then) | (c[lane] & !then);
            }
        }
        Code::Extract { low } => one(a, result, |a| (a >> u32::from(low)) & all),
        Code::SignExtend { from } => {
            let unused = W::BITS - u32::from(from);
            one(a, result, |a| (a << unused).shift_signed(unused) & all);
        }
        Code::Join { by } => two(a, b, result, |a, b| (a << u32::from(by)) | b),
        Code::Float { code, format } => floats::execute(code, format, width, a, b, result),
        Code::Library { function, format } => {
            two(a, b, result, |a, b| W::cut(function.apply(format, [a.widen(), b.widen()])));
        }
        Code::Other(number) => {
            let (other, c) = (&program.others[number as usize], &known[c as usize]);
            for lane in 0..N {
                result[lane] = W::cut(other.apply([a[lane].widen(), b[lane].widen(), c[lane].widen()]));
            }
        }
    }
}

/// One instruction on these values of its operands.
pub(crate) fn scalar(program: &Program, instruction: &Instruction, operands: [u128; 3]) -> u128 {
    let mut result = [0];
    execute(
        program,
        &Instruction { a: 0, b: 1, c: 2, ..*instruction },
        &operands.map(|word| [word]),
        &mut result,
    );
    result[0]
}
