//! The codes of what is reported of action systems, beside those of the common core.

use frontend::define_codes;

define_codes! {
    /// What is reported of action systems.
    pub enum Code {
        /// A body, block or list of declarations that cannot stand where it stands.
        BadBody = "bad-body", Source;
        /// A sequence within the do-od block.
        SequenceInBlock = "sequence-in-block", Unsupported;
        /// A system without a variable or an action, or with two blocks.
        Incomplete = "incomplete", Source;
        /// An initial value outside the type of its variable.
        BadInitial = "bad-initial", Source;
        /// A type without a finite number of values.
        Infinite = "infinite-type", Unsupported;
        /// An action that the do-od block does not mention.
        NotInBlock = "not-in-block", Source;
        /// An action without a step in any state that is reached.
        NeverTrue = "never-true", Source;
        /// A constant outside the type of the variable that it is compared with.
        OutsideType = "outside-type", Source;
        /// A value outside its type, in a reachable state.
        NoPostState = "no-post-state", Source;
        /// More states, values or branches than are enumerated.
        TooMany = "too-many", Unsupported;
        /// An action system is one file.
        SeveralFiles = "several-files", Request;
        /// The request says what only C code can be asked for.
        OnlyForC = "only-for-c", Request;
        /// A choice of goals that does not exist.
        UnknownGoals = "unknown-goals", Request;
        /// An action system has no compiled code on which chains could be replayed.
        NoCode = "no-code", Request;
    }
}
