//! Functions of string.h that treat bytes up to a zero as text: `strlen`, `strcmp`, `strcpy`,
//! `strchr` and their relatives, and `memchr`.
//!
//! Texts are read byte by byte as far as they go: behind the zero nothing is read, so that what
//! lies there may be indeterminate. A text that runs into the end of its object is reported there.

use super::bytes::BYTE;
use super::layout::{Kind, Scalar};
use super::place::Target;
use super::state::State;
use super::{Frame, Machine, Outcome};
use crate::code::Code;
use crate::ir::expr::Expr;
use crate::ir::stmt::Place;
use frontend::source::Span;
use model::term::{BinaryOp, TermId};

/// Most bytes of a text that are looked at.
const MOST_BYTES: u64 = 4096;

/// What a function does with texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextFunction {
    /// `strlen`; with true `strnlen`, which has a limit.
    Length(bool),
    /// `strcmp`; with true `strncmp`.
    Compare(bool),
    /// `strcpy`; with true `strncpy`.
    Copy(bool),
    /// `strchr`.
    First,
    /// `strrchr`.
    Last,
    /// `memchr`.
    FirstByte,
}

impl TextFunction {
    /// The function of a name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "strlen" => Self::Length(false),
            "strnlen" => Self::Length(true),
            "strcmp" => Self::Compare(false),
            "strncmp" => Self::Compare(true),
            "strcpy" => Self::Copy(false),
            "strncpy" => Self::Copy(true),
            "strchr" => Self::First,
            "strrchr" => Self::Last,
            "memchr" => Self::FirstByte,
            _ => return None,
        })
    }
}

/// A text as it was read: its bytes, and for each the truth that it is reached; the zero at the end
/// is the last.
struct Text {
    bytes: Vec<(TermId, TermId)>,
}

/// Where a text begins, and how far it is read.
struct Source {
    value: TermId,
    targets: Vec<Target>,
    limit: Option<TermId>,
    /// Whether a zero ends it.
    ends_at_zero: bool,
}

impl Machine<'_> {
    /// Executes a function on texts.
    pub(super) fn text_call(
        &mut self,
        frame: &Frame,
        state: &mut State,
        result: Option<&Place>,
        function: TextFunction,
        arguments: &[Expr],
        span: Span,
    ) -> Outcome<()> {
        let mut source = self.source(frame, state, &arguments[0], span)?;
        let value = match function {
            TextFunction::Length(is_limited) => {
                if is_limited {
                    source.limit = Some(self.evaluate(frame, state, &arguments[1])?);
                }
                let width = result.map_or(32, |place| self.sort_of(place.ty).width());
                self.length(state, &source, width, span)?
            }
            TextFunction::Compare(is_limited) => {
                let other = self.source(frame, state, &arguments[1], span)?;
                if is_limited {
                    source.limit = Some(self.evaluate(frame, state, &arguments[2])?);
                }
                let width = result.map_or(32, |place| self.sort_of(place.ty).width());
                self.compare_texts(state, &source, &other, width, span)?
            }
            TextFunction::Copy(is_limited) => {
                let to = source;
                let mut from = self.source(frame, state, &arguments[1], span)?;
                if is_limited {
                    from.limit = Some(self.evaluate(frame, state, &arguments[2])?);
                }
                self.copy_text(state, &to, &from, span)?;
                to.value
            }
            TextFunction::First | TextFunction::Last | TextFunction::FirstByte => {
                if function == TextFunction::FirstByte {
                    source.limit = Some(self.evaluate(frame, state, &arguments[2])?);
                    source.ends_at_zero = false;
                }
                let wanted = self.evaluate(frame, state, &arguments[1])?;
                self.find_byte(state, &source, wanted, function == TextFunction::Last, span)?
            }
        };
        self.return_scalar(frame, state, result, value)
    }

    fn source(&mut self, frame: &Frame, state: &State, pointer: &Expr, span: Span) -> Outcome<Source> {
        let (value, targets) = self.behind_argument(frame, state, pointer, span)?;
        Ok(Source { value, targets, limit: None, ends_at_zero: true })
    }

    /// Reads the byte of the given number; one beyond the end of the object is reported, and zero.
    fn text_byte(&mut self, state: &State, targets: &[Target], number: u64, span: Span) -> Outcome<TermId> {
        let end = self.system.terms.word(64, u128::from(number + 1));
        let mut targets = targets.to_vec();
        for target in &mut targets {
            self.check_room(state, target, end, span);
        }
        targets.retain(|target| self.system.terms.as_const(target.guard).is_none_or(|guard| guard.is_true()));
        self.load_scalar(state, &targets, number * 8, BYTE, span)
    }

    /// The state in which the byte of the given number lies within the limit.
    fn within_limit(&mut self, state: &State, limit: Option<TermId>, number: u64) -> Option<State> {
        let Some(limit) = limit else { return Some(state.clone()) };
        let is_inside = self.is_below(number, limit);
        self.assume(state, is_inside)
    }

    fn too_long(&mut self, span: Span) -> super::Stop {
        let message = format!("this text may be longer than {MOST_BYTES} bytes");
        self.fail(Code::UnsupportedSize, span, message)
    }

    /// Reads a text as far as it goes.
    fn read_text(&mut self, state: &State, source: &Source, span: Span) -> Outcome<Text> {
        let mut bytes = Vec::new();
        let mut running = Some(state.clone());
        let mut reached = self.system.terms.truth(true);
        for number in 0.. {
            let Some(before) = running else { break };
            let Some(here) = self.within_limit(&before, source.limit, number) else { break };
            if number >= MOST_BYTES {
                return Err(self.too_long(span));
            }
            if let Some(limit) = source.limit {
                let is_inside = self.is_below(number, limit);
                reached = self.system.terms.and(reached, is_inside);
            }
            let byte = self.text_byte(&here, &source.targets, number, span)?;
            bytes.push((byte, reached));
            running = match source.ends_at_zero {
                true => {
                    let goes_on = self.goes_on_behind(byte);
                    reached = self.system.terms.and(reached, goes_on);
                    self.assume(&here, goes_on)
                }
                false => source.targets.iter().any(|target| number < self.room(target)).then_some(here),
            };
        }
        Ok(Text { bytes })
    }

    fn goes_on_behind(&mut self, byte: TermId) -> TermId {
        let zero = self.system.terms.word(8, 0);
        let is_zero = self.system.terms.equal(byte, zero);
        self.system.terms.not(is_zero)
    }

    /// The number of bytes before the zero or the limit.
    fn length(&mut self, state: &State, source: &Source, width: u32, span: Span) -> Outcome<TermId> {
        let text = self.read_text(state, source, span)?;
        let mut length = self.system.terms.word(width, text.bytes.len() as u128);
        for (number, &(byte, reached)) in text.bytes.iter().enumerate().rev() {
            let goes_on = self.goes_on_behind(byte);
            let terms = &mut self.system.terms;
            let counts = terms.and(reached, goes_on);
            let here = terms.word(width, number as u128);
            length = terms.ite(counts, length, here);
        }
        Ok(length)
    }

    /// The difference of the first bytes that differ, as C libraries have it.
    fn compare_texts(
        &mut self,
        state: &State,
        left: &Source,
        right: &Source,
        width: u32,
        span: Span,
    ) -> Outcome<TermId> {
        let mut pairs = Vec::new();
        let mut running = Some(state.clone());
        for number in 0.. {
            let Some(before) = running else { break };
            let Some(here) = self.within_limit(&before, left.limit, number) else { break };
            if number >= MOST_BYTES {
                return Err(self.too_long(span));
            }
            let is_inside = match left.limit {
                Some(limit) => self.is_below(number, limit),
                None => self.system.terms.truth(true),
            };
            let first = self.text_byte(&here, &left.targets, number, span)?;
            let second = self.text_byte(&here, &right.targets, number, span)?;
            pairs.push((first, second, is_inside));
            let is_equal = self.system.terms.equal(first, second);
            let goes_on = self.goes_on_behind(first);
            let goes_on = self.system.terms.and(is_equal, goes_on);
            running = self.assume(&here, goes_on);
        }
        let zero = self.system.terms.word(width, 0);
        let mut difference = zero;
        for (first, second, is_inside) in pairs.into_iter().rev() {
            let goes_on = self.goes_on_behind(first);
            let terms = &mut self.system.terms;
            let (wide, other) = (terms.resize(first, width, false), terms.resize(second, width, false));
            let here = terms.binary(BinaryOp::Sub, wide, other);
            let is_equal = terms.equal(first, second);
            let behind = terms.ite(goes_on, difference, zero);
            let found = terms.ite(is_equal, behind, here);
            difference = terms.ite(is_inside, found, zero);
        }
        Ok(difference)
    }

    /// Copies a text with its zero; with a limit, exactly that many bytes, with zeros behind the
    /// text.
    fn copy_text(&mut self, state: &mut State, to: &Source, from: &Source, span: Span) -> Outcome<()> {
        let before = state.clone();
        let text = self.read_text(&before, from, span)?;
        let size = match from.limit {
            Some(limit) => limit,
            None => {
                let length = self.length(&before, from, 64, span)?;
                let one = self.system.terms.word(64, 1);
                self.system.terms.binary(BinaryOp::Add, length, one)
            }
        };
        let zero = self.system.terms.word(8, 0);
        let bytes: Vec<TermId> =
            text.bytes.iter().map(|&(byte, reached)| self.system.terms.ite(reached, byte, zero)).collect();
        let mut targets = to.targets.clone();
        for target in &mut targets {
            self.check_room(state, target, size, span);
        }
        self.write_bytes(state, &targets, size, span, &mut |machine, shift, scalar| {
            let word = Scalar { kind: Kind::Word, signed: false, ..scalar };
            let (first, last) = (shift / 8, (shift + u64::from(scalar.extent) - 1) / 8);
            let byte = |number: u64| bytes.get(number as usize).copied().unwrap_or(zero);
            let mut whole = byte(first);
            for number in first + 1..=last {
                whole = machine.system.terms.binary(BinaryOp::Concat, byte(number), whole);
            }
            let low = (shift % 8) as u32;
            let value = machine.system.terms.extract(whole, low + word.extent - 1, low);
            machine.reinterpret(&before, value, Kind::Word, scalar, span)
        })
    }

    /// A pointer to the first or last byte of a value; null where there is none.
    fn find_byte(
        &mut self,
        state: &State,
        source: &Source,
        wanted: TermId,
        is_last: bool,
        span: Span,
    ) -> Outcome<TermId> {
        let wanted = self.system.terms.resize(wanted, 8, false);
        let text = self.read_text(state, source, span)?;
        let mut is_found = self.system.terms.truth(false);
        let mut place = self.system.terms.word(32, 0);
        let numbers: Vec<usize> =
            if is_last { (0..text.bytes.len()).collect() } else { (0..text.bytes.len()).rev().collect() };
        for number in numbers {
            let (byte, reached) = text.bytes[number];
            let terms = &mut self.system.terms;
            let is_equal = terms.equal(byte, wanted);
            let is_here = terms.and(reached, is_equal);
            let here = terms.word(32, number as u128);
            place = terms.ite(is_here, here, place);
            is_found = terms.or(is_found, is_here);
        }
        let found = self.pointer_add(source.value, place, 1);
        let null = self.system.terms.constant(model::value::Value::zero(self.system.terms.sort(found)));
        Ok(self.system.terms.ite(is_found, found, null))
    }
}
