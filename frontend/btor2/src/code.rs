//! The codes of what the BTOR2 front end reports.

use frontend::define_codes;

define_codes! {
    /// What the BTOR2 front end reports.
    pub enum Code {
        /// A line is no BTOR2, or says what is not supported.
        Malformed = "btor2", Source;
        /// A BTOR2 model is one file.
        SeveralFiles = "several-files", Request;
        /// The request says what only C code can be asked for.
        OnlyForC = "only-for-c", Request;
        /// The request says what only Verilog designs can be asked for.
        OnlyForVerilog = "only-for-verilog", Request;
        /// The reset that is to be held is no input of one bit.
        NoReset = "no-reset", Request;
        /// Registers or memories start with any value.
        FreeStart = "free-start", Source;
        /// A BTOR2 model has no compiled code on which chains could be replayed.
        NoCode = "no-code", Request;
    }
}
