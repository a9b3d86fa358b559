//! FMUs made of texts.

use frontend::diagnostics::render;
use frontend::{FrontEnd as _, NoJudge, Request, Translated};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// An archive with these files: name and text.
pub(crate) fn archive(path: &Path, files: &[(&str, &str)]) {
    let file = std::fs::File::create(path).expect("a file");
    let mut archive = ZipWriter::new(file);
    for (name, text) in files {
        archive.start_file(*name, SimpleFileOptions::default()).expect("an entry");
        archive.write_all(text.as_bytes()).expect("a text");
    }
    archive.finish().expect("an archive");
}

/// A folder with the archive `m.fmu`.
pub(crate) fn packed(files: &[(&str, &str)]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("m.fmu");
    archive(&path, files);
    (folder, path)
}

/// A description of FMI 2.0 with these variables.
pub(crate) fn two(variables: &str) -> String {
    format!(
        "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"m\" guid=\"{{1}}\">\n\
         <CoSimulation modelIdentifier=\"m\"><SourceFiles><File name=\"m.c\"/></SourceFiles></CoSimulation>\n\
         <DefaultExperiment stepSize=\"0.1\"/>\n<ModelVariables>\n{variables}</ModelVariables>\n</fmiModelDescription>\n"
    )
}

/// A description of FMI 3.0 with these variables.
pub(crate) fn three(variables: &str) -> String {
    format!(
        "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"m\" instantiationToken=\"{{1}}\">\n\
         <CoSimulation modelIdentifier=\"m\"/>\n\
         <DefaultExperiment stepSize=\"0.1\"/>\n<ModelVariables>\n{variables}</ModelVariables>\n</fmiModelDescription>\n"
    )
}

/// The model of a request, or all messages as they are printed, with paths from the folder.
pub(crate) fn translate(request: &Request, folder: &Path) -> Result<Translated, String> {
    fmu::Fmu.translate(request, &NoJudge).map_err(|failure| {
        let text = render(&failure.diagnostics, &failure.sources, false);
        text.replace(&format!("{}/", folder.display()), "")
    })
}
