//! The codes of what the Verilog front end reports.

use frontend::define_codes;

define_codes! {
    /// What the Verilog front end reports.
    pub enum Code {
        /// The program yosys cannot be started.
        NoYosys = "no-yosys", Request;
        /// A file name, macro or parameter has characters that cannot be handed to yosys.
        OddName = "odd-name", Request;
        /// Parameters are given, but no top module, or there is no module of its name.
        NoTop = "no-top", Request;
        /// The top module has no parameter of a name that is given.
        NoParameter = "no-parameter", Request;
        /// The request says what only C code can be asked for.
        OnlyForC = "only-for-c", Request;
        /// The reset that is to be held is no input of one bit.
        NoReset = "no-reset", Request;
        /// Yosys refuses the design.
        Refused = "yosys", Source;
        /// Yosys warns of something in the design.
        Warned = "yosys-warning", Source;
        /// Yosys took too long or wrote too much.
        Endless = "yosys-limit", Unsupported;
        /// The design has a latch.
        Latch = "latch", Unsupported;
        /// Some bits of a register have an initial value and others have none.
        PartlyInitial = "partly-initial", Unsupported;
        /// The netlist has what is not supported: words that are too wide, memories that are too large.
        Netlist = "netlist", Unsupported;
        /// What Verilog leaves undefined is a free choice of the system.
        Undefined = "undefined-value", Source;
        /// The design has several clocks, or one that is more than a clock.
        Clocks = "clocks", Source;
        /// Chains cannot be replayed on the design.
        NoReplay = "no-replay", Request;
    }
}
