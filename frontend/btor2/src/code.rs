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
        /// A BTOR2 model has no compiled code on which chains could be replayed.
        NoCode = "no-code", Request;
    }
}
