//! Operations that C leaves undefined, and that the model gives a meaning all the same.
//!
//! | operation | meaning here |
//! |---|---|
//! | signed overflow, left shift of or into the sign | two's complement wrap |
//! | division or remainder by zero | the model's total operators: quotient all ones (signed: 1 for a negative dividend, else -1), remainder the dividend |
//! | smallest number divided by -1 | the smallest number; remainder 0 |
//! | shift by the width or more | all bits shifted out: 0, or all sign bits |
//! | access out of bounds, through `NULL`, write to a constant | reads give 0, writes are lost |
//! | reading an indeterminate value | 0 |
//! | float out of the range of the integer type | truncated value modulo 2^width, 0 for infinities and NaN |
//! | `fmin`, `fmax` of zeros of opposite sign | -0.0, +0.0 |
//! | `fmin`, `fmax` of a signaling NaN and a number | the number, as for a quiet one |
//! | access to a variable that lives no more | reads give 0, writes are lost |
//! | pointers into different objects are ordered or subtracted | the order of the objects' numbers; the difference of the offsets |
//! | characters that are neither `unsigned char` nor `EOF` given to ctype.h | 0 for classes; changed as by glibc |
//! | a loop goes on for too long, or never ends, where that is no error | it ends |
//! | sign or bit pattern of a NaN is looked at | that of the canonical NaN (quiet, positive, payload 0) where an operator made it |
//!
//! Each is recorded with its condition, once for each place in the source, and reported if a chain
//! runs through it. Where undefined operations are forbidden, an execution ends there instead.

use super::Machine;
use super::events::Premise;
use super::initial_memory::Phase;
use super::state::State;
use frontend::source::Span;
use model::system::HazardEffect;
use model::term::{BinaryOp, Term, TermId, UnaryOp};
use model::value::Value;
use rustc_hash::FxHashMap;

/// What is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum HazardKind {
    /// The result of signed arithmetic does not fit its type.
    Overflow,
    /// Integer division or remainder by zero.
    DivisionByZero,
    /// The smallest number divided by -1.
    DivisionOverflow,
    /// A shift by a negative amount or by the width or more.
    Shift,
    /// An index or offset outside its object.
    OutOfBounds,
    /// A null or otherwise invalid pointer is looked through.
    Null,
    /// A variable is read before it was written.
    Indeterminate,
    /// A float does not fit the integer type it is converted to.
    FloatRange,
    /// A constant object is written.
    ConstWrite,
    /// A function is called through a pointer that names none.
    BadCall,
    /// Pointers into different objects are ordered or subtracted.
    PointerPair,
    /// A pointer to a local variable is used after its block has ended or its function has
    /// returned.
    Dead,
    /// The sign or the bit pattern of a NaN is looked at, which C leaves open.
    NanBits,
    /// The smaller or greater of two zeros of opposite sign is taken: C leaves open which.
    ZeroSign,
    /// The smaller or greater of a signaling NaN and something else is taken: C says nothing of
    /// signaling NaNs.
    SignalingNan,
    /// A function of the C library is called with an argument that C does not allow.
    Argument,
    /// A loop never ends.
    Endless,
    /// A loop goes on beyond what is unrolled.
    LongLoop,
}

impl HazardKind {
    /// What compiled code may do there: replays are compiled so that signed numbers wrap.
    pub(crate) fn effect(self) -> HazardEffect {
        match self {
            Self::Overflow => HazardEffect::AsModelled,
            _ => HazardEffect::Open,
        }
    }

    /// The words of reports.
    pub(crate) fn description(self) -> &'static str {
        match self {
            Self::Overflow => "signed overflow",
            Self::DivisionByZero => "division by zero",
            Self::DivisionOverflow => "division overflow (smallest number divided by -1)",
            Self::Shift => "shift by a negative amount or by the width or more",
            Self::OutOfBounds => "access out of bounds",
            Self::Null => "access through a null or invalid pointer",
            Self::Indeterminate => "read of an indeterminate value",
            Self::FloatRange => "floating-point number out of the range of the integer type",
            Self::ConstWrite => "write to a constant object",
            Self::BadCall => "call through an invalid function pointer",
            Self::PointerPair => "order or difference of pointers into different objects",
            Self::Dead => "use of a pointer to a local variable whose block or call has ended",
            Self::NanBits => "a look at the sign or bit pattern of a NaN",
            Self::ZeroSign => "smaller or greater of two zeros of opposite sign",
            Self::SignalingNan => "smaller or greater of a signaling NaN and another number",
            Self::Argument => "argument that this function of the C library does not allow",
            Self::Endless => "loop that never ends",
            Self::LongLoop => "loop that goes on for too long",
        }
    }
}

/// Where something undefined may happen.
#[derive(Clone, Debug)]
pub(crate) struct HazardSite {
    /// What.
    pub(crate) kind: HazardKind,
    /// Where.
    pub(crate) span: Span,
    /// When: a truth over state and input.
    pub(crate) condition: TermId,
}

/// One time that something undefined may happen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HazardVisit {
    /// Index of the place.
    pub(crate) site: usize,
    /// The truth that it happens, were there no assumptions.
    pub(crate) condition: TermId,
    /// The truth that the operation is come to, were there no assumptions.
    pub(crate) reached: TermId,
    /// How many assumptions stand before it in the order of execution.
    pub(crate) assumed: usize,
}

/// One time that an operation is come to that is not undefined there: the ranges of its operands
/// say so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SafeVisit {
    /// What is not undefined.
    pub(crate) kind: HazardKind,
    /// Where.
    pub(crate) span: Span,
    /// The truth that the operation is come to, were there no assumptions.
    pub(crate) reached: TermId,
    /// How many assumptions stand before it in the order of execution.
    pub(crate) assumed: usize,
}

/// All places where something undefined may happen, in the order in which they were met.
#[derive(Clone, Default)]
pub(crate) struct Hazards {
    /// The places.
    pub(crate) sites: Vec<HazardSite>,
    /// Operations that are not undefined when they are come to; none unless undefined operations
    /// are requirements.
    pub(crate) safe: Vec<SafeVisit>,
    /// Every time that one of them is come to.
    pub(crate) visits: Vec<HazardVisit>,
    index: FxHashMap<(HazardKind, Span), usize>,
    /// Whether new ones are ignored.
    pub(crate) is_off: bool,
}

impl Machine<'_> {
    /// Records that the bits of a float are looked at while it is a NaN. Bits that were only moved
    /// are known.
    pub(crate) fn nan_hazard(&mut self, state: &State, value: TermId, span: Span) {
        if matches!(self.system.terms.node(value), Term::Unary { op: UnaryOp::FloatFromBits(_), .. }) {
            return;
        }
        let is_nan = self.system.terms.unary(UnaryOp::FloatIsNan, value);
        self.hazard(state, is_nan, HazardKind::NanBits, span);
    }

    /// Records what C leaves open of `fmin` and `fmax`.
    pub(crate) fn extremum_hazards(&mut self, state: &State, (a, b): (TermId, TermId), span: Span) {
        self.zeros_hazard(state, (a, b), span);
        for operand in [a, b] {
            if let Some(is_signaling) = self.is_signaling(operand) {
                self.hazard(state, is_signaling, HazardKind::SignalingNan, span);
            }
        }
    }

    /// The truth that a float is a signaling NaN: no operator makes one, but numbers from outside
    /// may be.
    fn is_signaling(&mut self, value: TermId) -> Option<TermId> {
        let terms = &mut self.system.terms;
        let is_moved = match terms.node(value) {
            Term::Symbol(_) | Term::Ite { .. } => true,
            Term::Unary { op, .. } => {
                matches!(op, UnaryOp::FloatFromBits(_) | UnaryOp::FloatNeg | UnaryOp::FloatAbs)
            }
            _ => false,
        };
        let quiet = terms.sort(value).float_format().filter(|_| is_moved)?.fraction_bits() - 1;
        let is_nan = terms.unary(UnaryOp::FloatIsNan, value);
        let bits = terms.unary(UnaryOp::FloatToBits, value);
        let is_quiet = terms.extract(bits, quiet, quiet);
        let is_signaling = terms.not(is_quiet);
        Some(terms.and(is_nan, is_signaling))
    }

    /// Records that `fmin` or `fmax` takes one of two zeros of opposite sign.
    fn zeros_hazard(&mut self, state: &State, (a, b): (TermId, TermId), span: Span) {
        let terms = &self.system.terms;
        let is_no_zero = |value: Value| value.bits() & (value.sort().mask() >> 1) != 0;
        if [a, b].into_iter().filter_map(|number| terms.as_const(number)).any(is_no_zero) {
            return;
        }
        let (sign_a, sign_b) = (self.sign_of(a), self.sign_of(b));
        let terms = &mut self.system.terms;
        let are_equal = terms.binary(BinaryOp::FloatEq, a, b);
        let is_same = terms.equal(sign_a, sign_b);
        let differ = terms.not(is_same);
        let condition = terms.and(are_equal, differ);
        self.hazard(state, condition, HazardKind::ZeroSign, span);
    }

    /// Records that something undefined happens where `condition` holds in `state`. Where the step
    /// must not run into it, the execution ends there.
    pub(crate) fn hazard(&mut self, state: &State, condition: TermId, kind: HazardKind, span: Span) {
        if self.hazards.is_off {
            return;
        }
        let span = self.library_call.unwrap_or(span);
        if self.ranges.decide(&self.system.terms, condition) == Some(false) {
            return self.note_safe(state, kind, span);
        }
        if self.forbids_undefined && self.initial_memory.phase != Phase::Init {
            let is_defined = self.system.terms.not(condition);
            return self.note_assumption(state, is_defined, (span, Premise::Undefined(kind)));
        }
        let path = self.paths.conjunction(state.path);
        let condition = self.system.terms.and(path, condition);
        if self.system.terms.as_const(condition).is_some_and(|value| !value.is_true()) {
            return self.note_safe(state, kind, span);
        }
        let site = match self.hazards.index.get(&(kind, span)) {
            Some(&known) => {
                let before = self.hazards.sites[known].condition;
                self.hazards.sites[known].condition = self.system.terms.or(before, condition);
                known
            }
            None => {
                let site = self.hazards.sites.len();
                self.hazards.index.insert((kind, span), site);
                self.hazards.sites.push(HazardSite { kind, span, condition });
                site
            }
        };
        let assumed = self.events.assumptions.len();
        self.hazards.visits.push(HazardVisit { site, condition, reached: path, assumed });
    }

    /// Records that an operation is come to that cannot be undefined there, where somebody wants to
    /// know.
    fn note_safe(&mut self, state: &State, kind: HazardKind, span: Span) {
        if self.robustness {
            let reached = self.paths.conjunction(state.path);
            let assumed = self.events.assumptions.len();
            self.hazards.safe.push(SafeVisit { kind, span, reached, assumed });
        }
    }
}
