//! The codes of what the front end for timed symbolic systems reports.

use frontend::define_codes;

define_codes! {
    /// What the front end for timed symbolic systems reports.
    pub enum Code {
        /// A declaration that has to stand once is missing or stands twice.
        Declarations = "timed-declarations", Source;
        /// A type that timed systems do not have.
        TimedType = "timed-type", Unsupported;
        /// A product of variables: guards, updates and outputs have to be linear.
        NonLinear = "non-linear", Unsupported;
        /// A clock in an output or in an update: clocks can be compared only.
        ClockInOutput = "clock-in-output", Source;
        /// The range of an output argument without bounds does not follow from its terms.
        UnboundedInt = "unbounded-int", Unsupported;
        /// Two transitions of a purpose do not join.
        PurposeBroken = "purpose-broken", Source;
        /// No run takes the transitions of a purpose in a row.
        PurposeInfeasible = "purpose-infeasible", Source;
        /// A purpose ends in an input, behind which there is nothing to observe.
        PurposeEndsInInput = "purpose-ends-in-input", Source;
        /// A purpose shares a trace with another path.
        NotDeterministic = "not-deterministic", Source;
        /// A purpose waits for an output, and the system may be silent for ever.
        SilentTrap = "silent-trap", Source;
        /// A time-out ends the waiting before the events of a purpose can come.
        TimeoutTooShort = "timeout-too-short", Source;
        /// A transition that can never be taken, whatever the values of data and clocks.
        NeverEnabled = "never-enabled", Source;
        /// A clock that no guard reads.
        ClockUnused = "clock-unused", Source;
        /// An update may leave the range of its variable, which disables the transition there.
        MayLeaveRange = "may-leave-range", Source;
        /// Guards compare a sum of clocks, for which the search over ticks has no finite states.
        ClockDifference = "clock-difference", Unsupported;
        /// Data that the search over ticks cannot enumerate.
        NotForChains = "not-for-chains", Unsupported;
        /// What xLIA has and is not read here.
        Xlia = "xlia-unsupported", Unsupported;
        /// The goals of the text are none: no pairs of transitions, no purposes.
        NothingToReach = "nothing-to-reach", Source;
        /// A name of the request is none of a goal.
        UnknownGoal = "unknown-goal", Request;
        /// The request says what only C code can be asked for.
        OnlyForC = "only-for-c", Request;
        /// A timed system is one file.
        SeveralFiles = "several-files", Request;
        /// A timed system has no compiled code on which chains could be replayed.
        NoCode = "no-code", Request;
    }
}
