//! The codes of what requirement interfaces report beyond the common core.

use frontend::define_codes;

define_codes! {
    /// What requirement interfaces report.
    pub enum Code {
        /// A value of the step before, where there is none: in step 0.
        UnprimedInitially = "unprimed-initially", Source;
        /// An assumption over what the system answers in the same step.
        AnswerInAssumption = "answer-in-assumption", Source;
        /// A purpose, or a condition on the environment, over variables that cannot be observed.
        HiddenPurpose = "hidden-purpose", Source;
        /// A condition on the environment over what the system answers in the same step.
        AnswerInEnvironment = "answer-in-environment", Source;
        /// Two requirements, purposes or both of one name.
        NameTwice = "name-twice", Source;
        /// A variable that is declared in several views in ways that do not fit.
        RolesDiffer = "roles-differ", Source;
        /// A requirement without contracts.
        NoContract = "no-contract", Source;
        /// A file without requirements.
        NoRequirements = "no-requirements", Source;
        /// An interface in which the system chooses nothing.
        NoOutputs = "no-outputs", Source;
        /// A variable with infinitely many values, or with floats.
        NotFinite = "not-finite", Unsupported;
        /// A purpose that says nothing of the current step.
        NoPrime = "no-prime", Source;
        /// An output or hidden variable that no guarantee speaks of.
        NeverConstrained = "never-constrained", Source;
        /// A hidden or output value that is fixed before the input on which it depends is known.
        FixedBeforeInput = "fixed-before-input", Source;
        /// A division by an expression that can be zero.
        MayDivideByZero = "may-divide-by-zero", Source;
        /// Requirements that no system can meet.
        Inconsistent = "inconsistent-requirements", Source;
        /// Names that no requirement, purpose or view has.
        UnknownGoal = "unknown-goal", Request;
        /// Parts of a request that only C has.
        OnlyForC = "only-for-c", Request;
    }
}
