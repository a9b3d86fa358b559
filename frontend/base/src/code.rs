//! Codes of messages: what a message is about, for programs.
//!
//! Each front end lists its own codes with [`define_codes`](crate::define_codes); those that all
//! share are [`Common`]. The list is the one place that knows a code's text, whom the message
//! concerns, and what it means.

use crate::limit::Reason;
use std::fmt::{self, Display};

/// A code, as messages carry it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Code {
    /// The stable short text that is printed, such as `unsupported-vla`.
    pub text: &'static str,
    /// What has to change for the message to go away.
    pub concern: Concern,
    /// What the code means, one sentence.
    pub meaning: &'static str,
}

/// What a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Concern {
    /// The source is wrong.
    Source,
    /// The source may be right, but the front end does not support it.
    Unsupported,
    /// What was asked of the source is wrong: configuration or command line.
    Request,
    /// A limit ended the reading.
    Stopped(Reason),
}

impl Code {
    /// Whether the front end does not support what stands there.
    pub fn is_unsupported(&self) -> bool {
        self.concern == Concern::Unsupported
    }
}

impl Display for Code {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.text)
    }
}

/// Makes an enumeration of codes: for each variant its meaning as the documentation, its text, and
/// its [`Concern`].
///
/// ```
/// frontend::define_codes! {
///     /// What this front end reports.
///     pub enum Code {
///         /// A line begins with no number.
///         NoNumber = "no-number", Source;
///     }
/// }
/// let code: frontend::code::Code = Code::NoNumber.into();
/// assert_eq!((code.text, code.meaning.trim()), ("no-number", "A line begins with no number."));
/// ```
#[macro_export]
macro_rules! define_codes {
    ($(#[$about:meta])* $visibility:vis enum $name:ident {
        $(#[doc = $meaning:literal] $variant:ident = $text:literal, $concern:ident $(($reason:ident))?;)*
    }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $visibility enum $name { $(#[doc = $meaning] $variant,)* }

        impl $name {
            /// All codes.
            $visibility const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Text, concern and meaning.
            $visibility const fn code(self) -> $crate::code::Code {
                match self {
                    $(Self::$variant => $crate::code::Code {
                        text: $text,
                        concern: $crate::code::Concern::$concern $(($crate::limit::Reason::$reason))?,
                        meaning: $meaning,
                    },)*
                }
            }
        }

        impl From<$name> for $crate::code::Code {
            fn from(code: $name) -> Self {
                code.code()
            }
        }

        impl PartialEq<$name> for $crate::code::Code {
            fn eq(&self, code: &$name) -> bool {
                *self == code.code()
            }
        }
    };
}

define_codes! {
    /// What every front end may report.
    pub enum Common {
        /// A file cannot be read.
        UnreadableFile = "unreadable-file", Source;
        /// The time limit was reached.
        TimeLimit = "time-limit", Stopped(Deadline);
        /// The memory limit was reached.
        MemoryLimit = "memory-limit", Stopped(Memory);
        /// The user ended the run.
        Interrupted = "interrupted", Stopped(Interrupted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_carry_their_concern() {
        let table = [
            (Common::UnreadableFile, "unreadable-file", Concern::Source),
            (Common::TimeLimit, "time-limit", Concern::Stopped(Reason::Deadline)),
            (Common::MemoryLimit, "memory-limit", Concern::Stopped(Reason::Memory)),
            (Common::Interrupted, "interrupted", Concern::Stopped(Reason::Interrupted)),
        ];
        assert_eq!(table.len(), Common::ALL.len());
        for (common, text, concern) in table {
            let Code { text: found, concern: about, .. } = common.into();
            assert_eq!((found, about), (text, concern));
        }
    }
}
