//! What the encoder cannot do.

use model::term::TermId;

/// Why a term was not encoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// A symbol that has no value where the term is read: neither a state word nor an input of the
    /// step, or a frame beyond the window.
    #[error("`{name}` has no value in {place}")]
    UnboundSymbol {
        /// Name of the symbol.
        name: String,
        /// Where it was read.
        place: &'static str,
    },
    /// A term asked for as a truth that is none.
    #[error("a truth should be asked for, not a term of sort {sort} ({term:?})")]
    NoTruth {
        /// Sort of the term.
        sort: String,
        /// The term.
        term: TermId,
    },
    /// A frame number above `u32::MAX`.
    #[error("an execution of more than {} steps cannot be encoded", u32::MAX)]
    TooManyFrames,
    /// More gates than [`Bounds`](crate::blast::Bounds) allow.
    #[error("the circuit would have more than {0} gates")]
    TooLarge(usize),
    /// The time of [`Bounds`](crate::blast::Bounds) is up.
    #[error("the time is up")]
    Stopped,
}
