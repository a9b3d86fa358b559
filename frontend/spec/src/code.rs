//! The codes of what the common core of the specification languages reports.

use frontend::define_codes;

define_codes! {
    /// What the common core of the specification languages reports.
    pub enum Code {
        /// A character that no token begins with.
        StrayCharacter = "stray-character", Source;
        /// A string without an end in its line, or with an unknown escape.
        BadString = "bad-string", Source;
        /// A number that is no number, or beyond 128 bits.
        BadNumber = "bad-number", Source;
        /// A token that cannot stand where it stands.
        Unexpected = "unexpected", Source;
        /// An operator spelled as in C.
        CSpelling = "c-spelling", Source;
        /// Expressions, or files that include each other, nested too deeply or too large.
        TooDeep = "too-deep", Unsupported;
        /// A file that includes itself, by way of others or not.
        IncludeCycle = "include-cycle", Source;
        /// A name that nothing declares.
        UnknownName = "unknown-name", Source;
        /// A name that is declared twice.
        DeclaredTwice = "declared-twice", Source;
        /// A name of the wrong kind: a type where a value is needed, and the like.
        WrongKind = "wrong-kind", Source;
        /// An expression of a type that does not fit.
        TypeMismatch = "type-mismatch", Source;
        /// A call with the wrong number of arguments.
        ArgumentCount = "argument-count", Source;
        /// A prime where the value after the step cannot be read.
        NotPrimed = "not-primed", Source;
        /// A value that has to be known before any step, and is not.
        NotConstant = "not-constant", Source;
        /// A type without values, or with bounds that are no multiples of its step.
        BadType = "bad-type", Source;
        /// A division by zero, whatever the variables are.
        DivisionByZero = "division-by-zero", Source;
        /// Values that need more than 128 bits.
        TooWide = "too-wide", Unsupported;
        /// What the search cannot express: rational variables.
        NotFinite = "not-finite", Unsupported;
        /// A value of the command line for a constant that does not exist, or of the wrong form.
        BadOverride = "bad-override", Request;
    }
}
