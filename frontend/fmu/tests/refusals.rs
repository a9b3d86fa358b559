//! What is refused, with the whole message.

use crate::support::{packed, three, translate, two};
use frontend::Request;
use std::path::Path;

const OUTPUT: &str =
    "<ScalarVariable name=\"y\" valueReference=\"1\" causality=\"output\"><Integer/></ScalarVariable>\n";

/// What is said of an FMU that cannot be read.
fn refusal(request: &Request, folder: &Path) -> String {
    match translate(request, folder) {
        Ok(_) => "nothing".to_owned(),
        Err(text) => text,
    }
}

#[test]
fn every_wrong_fmu_has_its_message() {
    let plain = two(OUTPUT);
    let array = three(
        "<Float64 name=\"u\" valueReference=\"1\" causality=\"input\"><Dimension start=\"3\"/></Float64>\n<Float64 name=\"y\" valueReference=\"2\" causality=\"output\"/>\n",
    );
    let (unknown, none) = (
        two(
            "<ScalarVariable name=\"y\" valueReference=\"1\" causality=\"output\"><Quaternion/></ScalarVariable>\n",
        ),
        two(""),
    );
    let exchange = plain.replace("CoSimulation", "ModelExchange");
    let old = plain.replace("2.0", "1.0");
    let (no_step, no_list) =
        (plain.replace(" stepSize=\"0.1\"", ""), plain.replace("<File name=\"m.c\"/>", ""));
    let built = |text: &str| {
        format!(
            "<fmiBuildDescription>\n<BuildConfiguration>\n{text}\n</BuildConfiguration></fmiBuildDescription>"
        )
    };
    let cpp = built("<SourceFileSet language=\"C++11\"><SourceFile name=\"m.c\"/></SourceFileSet>");
    let gone = built("<SourceFileSet language=\"C99\"><SourceFile name=\"n.c\"/></SourceFileSet>");
    let sources = ("sources/m.c", "int x;");
    let table: [(&[(&str, &str)], &str); 15] = [
        (&[sources], "error[fmu-no-description]: `m.fmu` holds no modelDescription.xml: it is no FMU\n"),
        (
            &[("modelDescription.xml", "<fmiModelDescription>\n<a></b>"), sources],
            "error[fmu-description]: ill-formed document: expected `</a>`, but `</b>` was found\n --> m.fmu/modelDescription.xml:2\n  |\n2 | <a></b>\n",
        ),
        (
            &[("modelDescription.xml", "<html/>"), sources],
            "error[fmu-description]: <html> is no <fmiModelDescription>\n --> m.fmu/modelDescription.xml:1\n  |\n1 | <html/>\n",
        ),
        (
            &[("modelDescription.xml", &old), sources],
            "error[fmu-version]: the FMU is of FMI 1.0; FMI 2.0 and 3.0 are supported\n",
        ),
        (
            &[("modelDescription.xml", &exchange), sources],
            "error[fmu-no-co-simulation]: the FMU has no <CoSimulation>: it has no solver that a step could call\n",
        ),
        (
            &[("modelDescription.xml", &plain), ("binaries/linux64/m.so", "")],
            "error[fmu-no-sources]: the FMU has no sources: it holds binaries alone\n  = export it with its source code: chains are found in code, not in binaries\n",
        ),
        (
            &[("modelDescription.xml", &plain)],
            "error[fmu-no-sources]: the FMU has no sources: it holds no C files\n",
        ),
        (
            &[("modelDescription.xml", &no_list), sources, ("sources/n.c", "")],
            "error[fmu-no-sources]: the FMU does not say which of its 2 C files are compiled\n  = <SourceFiles> of <CoSimulation> in modelDescription.xml names them\n",
        ),
        (
            &[("modelDescription.xml", &plain), sources, ("sources/buildDescription.xml", &cpp)],
            "error[fmu-language]: the sources are in C++11; sources in C can be read\n --> m.fmu/sources/buildDescription.xml:3\n",
        ),
        (
            &[("modelDescription.xml", &plain), sources, ("sources/buildDescription.xml", &gone)],
            "error[fmu-description]: there is no file `sources/n.c` in the FMU\n",
        ),
        (
            &[("modelDescription.xml", &plain), sources, ("sources/../../evil.c", "")],
            "error[fmu-escape]: `m.fmu` holds `sources/../../evil.c`, which would lie outside of it\n",
        ),
        (
            &[("modelDescription.xml", &unknown), sources],
            "error[fmu-unknown-type]: the variable y is of type Quaternion, which FMI 2.0 does not know\n --> m.fmu/modelDescription.xml:5\n",
        ),
        (
            &[("modelDescription.xml", &array), sources],
            "error[fmu-array]: the variable u is an array, which is not supported\n --> m.fmu/modelDescription.xml:5\n",
        ),
        (
            &[("modelDescription.xml", &none), sources],
            "error[fmu-no-outputs]: the FMU has no outputs that are numbers, and no goal speaks of another variable: nothing of it can be seen\n  = goals may speak of local variables: `fmu.NAME`\n",
        ),
        (
            &[("modelDescription.xml", &no_step), sources],
            "error[fmu-no-step-size]: the FMU does not say how long a step takes: its <DefaultExperiment> has no stepSize\n  = `--period 10ms`, or `period = \"10ms\"` under [model]\n",
        ),
    ];
    for (files, expected) in table {
        let (folder, path) = packed(files);
        let request = Request { sources: vec![path], ..Request::default() };
        let said = refusal(&request, folder.path());
        assert!(said.starts_with(expected), "{said}\ninstead of\n{expected}");
    }
}

#[test]
fn what_is_no_archive_is_told() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("m.fmu");
    std::fs::write(&path, "no archive").expect("a file");
    let request = Request { sources: vec![path.clone()], ..Request::default() };
    let said = refusal(&request, folder.path());
    assert!(said.starts_with("error[fmu-archive]: `m.fmu` is no FMU: "), "{said}");
    let several = Request { sources: vec![path.clone(), path], ..Request::default() };
    let said = refusal(&several, folder.path());
    let expected = "error[several-files]: one FMU is one model, which has one instance: name one file\n";
    assert_eq!(said, expected);
}

#[test]
fn what_an_fmu_says_itself_is_not_asked_for() {
    let (folder, path) = packed(&[("modelDescription.xml", &two(OUTPUT)), ("sources/m.c", "")]);
    let own = || Request { sources: vec![path.clone()], ..Request::default() };
    let table = [
        (Request { init: Some("start".to_owned()), ..own() }, "step and initialisation functions"),
        (Request { inputs: Some(Vec::new()), ..own() }, "lists of inputs"),
        (Request { outputs: Some(Vec::new()), ..own() }, "lists of outputs"),
        (Request { bind: vec![("p".to_owned(), "new".to_owned())], ..own() }, "bindings"),
    ];
    for (request, what) in table {
        let said = refusal(&request, folder.path());
        let expected = format!("error[only-for-c]: {what} are about C code; an FMU says that itself\n");
        assert_eq!(said, expected);
    }
}

#[test]
fn functions_that_are_missing_are_told() {
    let (folder, path) = packed(&[("modelDescription.xml", &two(OUTPUT)), ("sources/m.c", "int x;")]);
    let request = Request { sources: vec![path], ..Request::default() };
    let said = refusal(&request, folder.path());
    assert!(said.contains("fmi2Instantiate") && said.contains("<fmu>/driver.h"), "{said}");
    assert!(!said.contains("/tmp"), "{said}");
}
