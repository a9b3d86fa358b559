//! What stands before the sources of an FMU, and what is changed in them.
//!
//! The C front end knows no dynamic memory, and all FMUs allocate their instance: allocations
//! become static objects, by macros (`include/prelude.h`).

use crate::description::Description;
use std::fmt::Write as _;

/// Headers of the standard, and those of this tool: names and texts.
pub(crate) const HEADERS: &[(&str, &str)] = &[
    // Code that a header of the system includes does not count for coverage.
    ("before.h", "#pragma GCC system_header\n#include \"prelude.h\"\n"),
    ("prelude.h", include_str!("../include/prelude.h")),
    ("fmi2.h", include_str!("../include/fmi2.h")),
    ("fmi2Functions.h", "#include \"fmi2.h\"\n"),
    ("fmi2FunctionTypes.h", "#include \"fmi2.h\"\n"),
    ("fmi2TypesPlatform.h", "#include \"fmi2.h\"\n"),
    ("fmi3.h", include_str!("../include/fmi3.h")),
    ("fmi3Functions.h", "#include \"fmi3.h\"\n"),
    ("fmi3FunctionTypes.h", "#include \"fmi3.h\"\n"),
    ("fmi3PlatformTypes.h", "#include \"fmi3.h\"\n"),
];

/// Functions that the driver calls beside those that get and set values.
const CALLED: [&str; 7] = [
    "Instantiate",
    "InstantiateCoSimulation",
    "SetupExperiment",
    "EnterInitializationMode",
    "ExitInitializationMode",
    "DoStep",
    "GetStatus",
];

/// Types in the names of functions that get and set values, of both versions.
const TYPES: [&str; 13] = [
    "Real", "Integer", "Boolean", "Float32", "Float64", "Int8", "UInt8", "Int16", "UInt16", "Int32",
    "UInt32", "Int64", "UInt64",
];

/// The unit with a number for one source: the source with the prelude before it. Sources may give
/// their functions the prefix that is meant for several FMUs in one program; it is taken away
/// again. A replay on compiled code tells static objects in functions of several units apart by
/// their names alone, so those of the prelude get the number of the unit.
pub(crate) fn unit(description: &Description, number: usize, source: &str) -> String {
    let fmi = description.version.prefix();
    let mut text = String::from("#include \"before.h\"\n");
    for object in ["memory", "taken"] {
        let _ = writeln!(text, "#define chaincover_{object} chaincover_{object}_{number}");
    }
    let access = TYPES.iter().flat_map(|ty| [format!("Get{ty}"), format!("Set{ty}")]);
    for function in CALLED.iter().map(|&name| name.to_owned()).chain(access) {
        let _ = writeln!(text, "#define {}_{fmi}{function} {fmi}{function}", description.identifier);
    }
    let _ = writeln!(text, "#include \"{source}\"");
    text
}

/// A source in which calls of the callback `allocateMemory` (FMI 2.0) are calls of `calloc`, which
/// the prelude knows: it has to do the same.
pub(crate) fn with_calloc(text: &str) -> String {
    const CALLBACK: &str = "allocateMemory";
    let mut changed = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(CALLBACK) {
        let (before, behind) = (&rest[..at], &rest[at + CALLBACK.len()..]);
        match object_before(before) {
            Some(start) if behind.trim_start().starts_with('(') => {
                changed.push_str(&before[..start]);
                changed.push_str("calloc");
            }
            _ => {
                changed.push_str(before);
                changed.push_str(CALLBACK);
            }
        }
        rest = behind;
    }
    changed + rest
}

/// Where the chain of names begins that ends with `->` or `.` at the end of a text; `None`: there
/// is none.
fn object_before(text: &str) -> Option<usize> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rest = text;
    while let Some(object) = rest.strip_suffix("->").or_else(|| rest.strip_suffix('.')) {
        let start = object.trim_end_matches(is_word);
        if start.len() == object.len() {
            return None;
        }
        rest = start;
    }
    (rest.len() < text.len()).then_some(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_callback_becomes_calloc() {
        let table = [
            ("m = (M *)functions->allocateMemory(1, sizeof(M));", "m = (M *)calloc(1, sizeof(M));"),
            ("x = c->f.allocateMemory (n, 8)", "x = calloc (n, 8)"),
            ("fmi2CallbackAllocateMemory allocateMemory;", "fmi2CallbackAllocateMemory allocateMemory;"),
            ("if (!functions->allocateMemory) return;", "if (!functions->allocateMemory) return;"),
            ("get(x)->allocateMemory(1, 2)", "get(x)->allocateMemory(1, 2)"),
            ("my_allocateMemory(1, 2)", "my_allocateMemory(1, 2)"),
        ];
        for (text, expected) in table {
            assert_eq!(with_calloc(text), expected);
        }
    }
}
