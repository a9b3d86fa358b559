//! From `chain.json` to the files that rigs and people read.
//!
//! [`read::recording`] makes the one thing that all exporters read, a [`Recording`]; its module
//! text states the semantics that all of them obey. Each format is one module with a function from
//! recordings to files; `docs/formats.md` describes them for users.

mod csv;
mod fmpy;
mod junit;
mod mat;
mod mdf;
mod names;
#[cfg(test)]
mod operators;
mod program;
mod pytest;
pub mod read;
pub mod recording;
pub mod sarif;
mod table;
#[cfg(test)]
pub(crate) mod testing;
mod traceability;
mod vcd;
mod xlsx;

use crate::coverage::{Coverage, cobertura, lcov};
use crate::html::{self, Occasion};
use crate::output::chain_file::ChainFile;
use frontend::Benches;
use recording::{DontCare, Recording};

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// CSV: one row for each step.
    Csv,
    /// CSV for NI VeriStand real-time sequences.
    CsvVeristand,
    /// CSV for Vector CANoe stimulus generators.
    CsvCanoe,
    /// CSV for Simulink's Data Inspector and root inports.
    CsvSimulink,
    /// CSV of inputs for FMPy and fmusim.
    CsvFmi,
    /// MAT level 5: structure-with-time, regular, and a loader.
    Mat,
    /// ASAM MDF 4.1.
    Mf4,
    /// Value change dump for waveform viewers.
    Vcd,
    /// Excel in Simulink Test's layout.
    Xlsx,
    /// JUnit XML.
    Junit,
    /// Traceability table as CSV.
    Trace,
    /// C program that replays the chain on the model's sources and checks its outputs.
    C,
    /// pytest module with a driver to fill in.
    Pytest,
    /// SARIF: violated expectations, dead and undecided goals.
    Sarif,
    /// Report for people: one HTML file.
    Html,
    /// Coverage for lcov and genhtml.
    Lcov,
    /// Coverage for continuous integration servers.
    Cobertura,
    /// Witnesses of covered goals for BTOR2 tools (of BTOR2 models only).
    Btor2Witness,
    /// SystemVerilog bench that plays the chain and compares outputs (of Verilog designs only).
    Sv,
    /// The same for cocotb.
    Cocotb,
    /// Program that plays the chain on an FMU by FMPy and compares outputs (of FMUs only).
    Fmpy,
    /// Test inputs for Test-Comp (of programs that call `__VERIFIER_nondet` functions only).
    TestComp,
}

/// Formats with the names and the descriptions that users see.
const FORMATS: [(Format, &str, &str); 22] = [
    (Format::Csv, "csv", "CSV: one row for each step"),
    (Format::CsvVeristand, "csv-veristand", "CSV for NI VeriStand real-time sequences"),
    (Format::CsvCanoe, "csv-canoe", "CSV for Vector CANoe stimulus generators"),
    (Format::CsvSimulink, "csv-simulink", "CSV for Simulink's Data Inspector and root inports"),
    (Format::CsvFmi, "csv-fmi", "CSV of inputs for FMPy and fmusim"),
    (Format::Mat, "mat", "MAT level 5: structure-with-time, regular, and a loader"),
    (Format::Mf4, "mf4", "ASAM MDF 4.1"),
    (Format::Vcd, "vcd", "Value change dump for waveform viewers"),
    (Format::Xlsx, "xlsx", "Excel in Simulink Test's layout"),
    (Format::Junit, "junit", "JUnit XML"),
    (Format::Trace, "trace", "Traceability table as CSV"),
    (Format::C, "c", "C program that replays the chain on the model's sources and checks its outputs"),
    (Format::Pytest, "pytest", "pytest module with a driver to fill in"),
    (Format::Sarif, "sarif", "SARIF: violated expectations, dead and undecided goals"),
    (Format::Html, "html", "Report for people: one HTML file"),
    (Format::Lcov, "lcov", "Coverage as lcov tracefile: lines, branches, MC/DC (with --coverage)"),
    (Format::Cobertura, "cobertura", "Coverage as Cobertura XML: lines, branches (with --coverage)"),
    (
        Format::Btor2Witness,
        "btor2-witness",
        "Witnesses of covered goals for BTOR2 tools (of BTOR2 models only)",
    ),
    (Format::Sv, "sv", "SystemVerilog bench that compares outputs (of Verilog designs only)"),
    (Format::Cocotb, "cocotb", "Test for cocotb that compares outputs (of Verilog designs only)"),
    (Format::Fmpy, "fmpy", "Python program that compares outputs of the FMU itself (of FMUs only)"),
    (
        Format::TestComp,
        "test-comp",
        "Test inputs of Test-Comp (of programs that call `__VERIFIER_nondet` functions only)",
    ),
];

impl Format {
    /// All formats.
    pub fn all() -> impl Iterator<Item = Self> {
        FORMATS.into_iter().map(|(format, ..)| format)
    }
    /// The name that users type.
    pub fn name(self) -> &'static str {
        self.texts().0
    }
    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        self.texts().1
    }
    fn texts(self) -> (&'static str, &'static str) {
        let known = FORMATS.iter().find(|(format, ..)| *format == self);
        known.map(|(_, name, about)| (*name, *about)).expect("every format should have a name")
    }
    /// Its files whose names do not depend on the number of chains.
    pub fn certain_names(self) -> &'static [&'static str] {
        match self {
            Self::Csv => &["chain.csv"],
            Self::Mat => &["load_chain.m"],
            Self::Xlsx => &["chain.xlsx"],
            Self::Junit => &["junit.xml"],
            Self::Trace => &["traceability.csv"],
            Self::Fmpy => &["play_fmu.py"],
            Self::Pytest => &["test_chain.py", "chain_driver_example.py"],
            Self::Sarif => &["chaincover.sarif"],
            Self::Html => &["report.html"],
            Self::Lcov => &["coverage.info"],
            Self::Cobertura => &["cobertura.xml"],
            Self::CsvVeristand | Self::CsvCanoe | Self::CsvSimulink | Self::CsvFmi => &[],
            Self::Mf4
            | Self::Vcd
            | Self::C
            | Self::Btor2Witness
            | Self::Sv
            | Self::Cocotb
            | Self::TestComp => &[],
        }
    }
}

/// What formats are made of.
#[derive(Clone, Copy)]
pub struct Material<'a> {
    /// The chains as rigs see them.
    pub recording: &'a Recording,
    /// The whole result, for the report.
    pub file: &'a ChainFile,
    /// What the report says besides.
    pub occasion: &'a Occasion,
    /// What is written where an input does not matter.
    pub dont_care: DontCare,
}

/// A file to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportFile {
    /// Name within the folder.
    pub name: String,
    /// Content.
    pub content: Vec<u8>,
}

impl ExportFile {
    fn text(name: impl Into<String>, content: String) -> Self {
        Self { name: name.into(), content: content.into_bytes() }
    }
}

/// Why a recording cannot be written in a format.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A value that the format cannot express.
    #[error(
        "{format} cannot express {value}, the value of `{signal}` in step {step} of chain {chain}; {advice}"
    )]
    Value {
        /// The format.
        format: &'static str,
        /// The value.
        value: String,
        /// The signal.
        signal: String,
        /// The step.
        step: usize,
        /// Number of the chain, from 1.
        chain: usize,
        /// What to do.
        advice: &'static str,
    },
    /// A signal that the format cannot express.
    #[error("{format} cannot express `{signal}` of {bits} bits")]
    Width {
        /// The format.
        format: &'static str,
        /// The signal.
        signal: String,
        /// Its bits.
        bits: u32,
    },
    /// A writer failed.
    #[error("cannot make {format}: {reason}")]
    Writer {
        /// The format.
        format: &'static str,
        /// Why.
        reason: String,
    },
}

/// The files of a result in a format.
///
/// # Errors
/// Where the format cannot express the recording exactly.
pub fn export(material: Material<'_>, format: Format) -> Result<Vec<ExportFile>, ExportError> {
    let Material { recording, file, occasion, dont_care } = material;
    match format {
        Format::Csv => csv::canonical(recording, dont_care),
        Format::CsvVeristand => csv::veristand(recording, dont_care),
        Format::CsvCanoe => csv::canoe(recording, dont_care),
        Format::CsvSimulink => csv::simulink(recording),
        Format::CsvFmi => csv::fmi(recording),
        Format::Mat => mat::files(recording),
        Format::Mf4 => mdf::files(recording),
        Format::Vcd => vcd::files(recording),
        Format::Xlsx => xlsx::files(recording),
        Format::Junit => junit::files(recording),
        Format::Trace => traceability::files(recording),
        Format::C => program::files(file, recording, occasion),
        Format::Pytest => pytest::files(recording),
        Format::Sarif => sarif::files(recording),
        Format::Btor2Witness => witnesses(occasion),
        Format::Sv => benches(recording, occasion, ("sv", "", "_bench.sv"), |bench| &bench.verilog),
        Format::Cocotb => {
            benches(recording, occasion, ("cocotb", "test_", "_cocotb.py"), |bench| &bench.cocotb)
        }
        Format::Fmpy => fmpy::files(file, recording),
        Format::TestComp => test_cases(recording, occasion),
        Format::Lcov => {
            let text = lcov::tracefile(&file.model.name, coverage_of(file, "lcov")?);
            Ok(vec![ExportFile::text("coverage.info", text)])
        }
        Format::Cobertura => {
            let text = cobertura::document(&file.model.name, coverage_of(file, "cobertura")?);
            Ok(vec![ExportFile::text("cobertura.xml", text)])
        }
        Format::Html => Ok(vec![ExportFile::text("report.html", html::page(file, occasion))]),
    }
}

/// The coverage of a result.
fn coverage_of<'f>(file: &'f ChainFile, format: &'static str) -> Result<&'f Coverage, ExportError> {
    let reason = "the result has no coverage goals; --coverage asks for them".to_owned();
    file.coverage.as_ref().ok_or(ExportError::Writer { format, reason })
}

/// One file for each covered goal, with its number among the `bad` lines.
fn witnesses(occasion: &Occasion) -> Result<Vec<ExportFile>, ExportError> {
    let refuse = |reason: &str| ExportError::Writer { format: "btor2-witness", reason: reason.to_owned() };
    match &occasion.witnesses {
        None => Err(refuse("the model was not looked at")),
        Some(Err(why)) => Err(refuse(why)),
        Some(Ok(all)) => Ok(all
            .iter()
            .map(|(goal, text)| ExportFile::text(format!("witness_b{goal}.wit"), text.clone()))
            .collect()),
    }
}

/// One file of test inputs for each chain.
fn test_cases(recording: &Recording, occasion: &Occasion) -> Result<Vec<ExportFile>, ExportError> {
    let refuse = |reason: &str| ExportError::Writer { format: "test-comp", reason: reason.to_owned() };
    let all = match &occasion.test_cases {
        None => return Err(refuse("the model was not looked at")),
        Some(Err(why)) => return Err(refuse(why)),
        Some(Ok(all)) => all.iter().enumerate(),
    };
    let file = |(chain, text): (usize, &String)| {
        ExportFile::text(chain_file_name(recording, chain, "_testcomp.xml"), text.clone())
    };
    Ok(all.map(file).collect())
}

/// One file for each chain, with what stands before and behind its name.
fn benches(
    recording: &Recording,
    occasion: &Occasion,
    (format, before, behind): (&'static str, &str, &str),
    text: impl Fn(&Benches) -> &String,
) -> Result<Vec<ExportFile>, ExportError> {
    let refuse = |reason: &str| ExportError::Writer { format, reason: reason.to_owned() };
    match &occasion.benches {
        None => Err(refuse("the model was not looked at")),
        Some(Err(why)) => Err(refuse(why)),
        Some(Ok(all)) => Ok(all
            .iter()
            .enumerate()
            .map(|(chain, bench)| {
                let name = format!("{before}{}", chain_file_name(recording, chain, behind));
                ExportFile::text(name, text(bench).clone())
            })
            .collect()),
    }
}

/// Name of a file that holds one chain: with the chain's number where there are several.
fn chain_file_name(recording: &Recording, chain: usize, suffix: &str) -> String {
    if recording.chains.len() > 1 { format!("chain_{}{suffix}", chain + 1) } else { format!("chain{suffix}") }
}

fn writer_error(format: &'static str) -> impl Fn(&dyn std::fmt::Display) -> ExportError {
    move |reason| ExportError::Writer { format, reason: reason.to_string() }
}

#[cfg(test)]
mod tests {
    use super::Format;

    #[test]
    fn every_format_has_a_name_and_a_row_in_the_documentation() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/formats.md");
        let documentation = std::fs::read_to_string(path).expect("the documentation");
        let names: Vec<&str> = Format::all().map(Format::name).collect();
        for (index, name) in names.iter().enumerate() {
            assert!(!names[..index].contains(name), "{name} stands twice");
            assert!(
                documentation.contains(&format!("| `{name}` |")),
                "docs/formats.md has no row for {name}"
            );
        }
    }
}
