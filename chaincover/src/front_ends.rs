//! The table of front ends, and reading by the one that fits.

use frontend::{Failure, FrontEnd, Judge, Request, Translated};
use std::path::PathBuf;

/// All front ends. The first that reads one of a model's files reads the model; the last one reads
/// every file.
const FRONT_ENDS: [&dyn FrontEnd; 7] = [
    &btor2::Btor2,
    &verilog::Verilog,
    &fmu::Fmu,
    &contracts::Contracts,
    &::actions::front::Actions,
    &::timed::Timed,
    &frontend_c::C,
];

/// The front ends of hardware models.
const HARDWARE: [&dyn FrontEnd; 2] = [&btor2::Btor2, &verilog::Verilog];

/// The front ends of specifications, which name their goals themselves.
const SPECIFICATIONS: [&dyn FrontEnd; 3] =
    [&contracts::Contracts, &::actions::front::Actions, &::timed::Timed];

/// Whether files are a specification.
pub(crate) fn is_specification(sources: &[PathBuf]) -> bool {
    SPECIFICATIONS.iter().any(|front_end| sources.iter().any(|path| front_end.reads(path)))
}

/// Whether files are a hardware model.
pub(crate) fn is_hardware(sources: &[PathBuf]) -> bool {
    HARDWARE.iter().any(|front_end| sources.iter().any(|path| front_end.reads(path)))
}

/// Whether files are an FMU.
pub(crate) fn is_fmu(sources: &[PathBuf]) -> bool {
    sources.iter().any(|path| fmu::Fmu.reads(path))
}

/// Whether no other front end than that for C reads the files of a request.
pub(crate) fn is_code(request: &Request) -> bool {
    front_end(request).language() == frontend_c::C.language()
}

/// The front end for the files of a request.
fn front_end(request: &Request) -> &'static dyn FrontEnd {
    let [others @ .., last] = FRONT_ENDS;
    let mut others = others.into_iter();
    others.find(|front_end| request.sources.iter().any(|path| front_end.reads(path))).unwrap_or(last)
}

/// The model that a request describes, read by the front end for its files.
///
/// # Errors
/// As for [`FrontEnd::translate`].
pub(crate) fn translate(request: &Request, judge: &dyn Judge) -> Result<Translated, Failure> {
    front_end(request).translate(request, judge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_choose_the_front_end() {
        let table = [
            ("m.btor2", "BTOR2"),
            ("a/M.BTOR", "BTOR2"),
            ("m.aag", "BTOR2"),
            ("m.sv", "Verilog"),
            ("m.V", "Verilog"),
            ("m.fmu", "FMU"),
            ("m/modelDescription.xml", "FMU"),
            ("m.c", "C"),
            ("m", "C"),
            ("m.cpp", "C"),
            ("m.ri", "requirement interfaces"),
            ("m.as", "action systems"),
            ("m.tio", "timed symbolic systems"),
        ];
        for (path, language) in table {
            let request = Request { sources: vec![path.into()], ..Request::default() };
            assert_eq!(front_end(&request).language(), language, "{path}");
        }
    }
}
