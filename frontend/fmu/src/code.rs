//! The codes of what the FMU front end reports.

use frontend::define_codes;

define_codes! {
    /// What the FMU front end reports.
    pub enum Code {
        /// The file is no FMU, or cannot be unpacked.
        Archive = "fmu-archive", Source;
        /// The archive holds a file that would be unpacked elsewhere.
        Escape = "fmu-escape", Source;
        /// There is no modelDescription.xml.
        NoDescription = "fmu-no-description", Source;
        /// A description is no XML, or does not say what it has to.
        Description = "fmu-description", Source;
        /// The FMU is of another version of the standard.
        Version = "fmu-version", Unsupported;
        /// The FMU cannot be stepped from outside.
        NoCoSimulation = "fmu-no-co-simulation", Unsupported;
        /// The FMU holds no sources.
        NoSources = "fmu-no-sources", Unsupported;
        /// The sources are in another language than C.
        Language = "fmu-language", Unsupported;
        /// A variable has a type that the standard does not know.
        UnknownType = "fmu-unknown-type", Source;
        /// A variable is an array.
        Array = "fmu-array", Unsupported;
        /// There is no variable by which the FMU could be observed.
        NoOutputs = "fmu-no-outputs", Unsupported;
        /// An input cannot be set, and keeps its start value.
        LeftInput = "fmu-left-input", Source;
        /// How long a step takes is not said.
        NoStepSize = "fmu-no-step-size", Request;
        /// An FMU is one file.
        SeveralFiles = "several-files", Request;
        /// The request says what an FMU says itself.
        OnlyForC = "only-for-c", Request;
        /// The FMU fails while it is initialised.
        NoStart = "fmu-no-start", Source;
        /// Executions end with an error after a few steps, whatever the inputs are.
        EndsSoon = "fmu-ends-soon", Source;
    }
}
