//! Which C files make up an FMU, and how they are compiled.

use crate::code::Code;
use crate::description::{Description, Version};
use crate::package::{Package, SOURCES};
use crate::xml::{self, Element, Wrong};
use std::path::{Component, Path};

/// The description of how sources are built: FMI 3.0, and tools for 2.0 that know it.
pub(crate) const BUILD_DESCRIPTION: &str = "buildDescription.xml";

/// What is compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Build {
    /// The files, relative to the folder of sources.
    pub(crate) files: Vec<String>,
    /// Macros, `NAME` or `NAME=VALUE`.
    pub(crate) define: Vec<String>,
    /// Folders with headers, relative to the folder of sources.
    pub(crate) include: Vec<String>,
}

/// Why sources are not compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NoBuild {
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) advice: &'static str,
    /// What is wrong with the file that says how they are built.
    pub(crate) wrong: Option<Wrong>,
}

/// How the sources of an FMU are compiled.
///
/// # Errors
/// It has none, they are not in C, or what names them makes no sense.
pub(crate) fn find(package: &Package, description: &Description) -> Result<Build, NoBuild> {
    let folder = package.root().join(SOURCES);
    let found = package.c_files();
    if found.is_empty() {
        let what = if package.has_binaries { "it holds binaries alone" } else { "it holds no C files" };
        return Err(NoBuild {
            code: Code::NoSources,
            message: format!("the FMU has no sources: {what}"),
            advice: "export it with its source code: chains are found in code, not in binaries",
            wrong: None,
        });
    }
    let described = std::fs::read(folder.join(BUILD_DESCRIPTION)).ok();
    let build = match described {
        Some(text) => of_description(&xml::parse(&text)?, description)?,
        None => Build { files: description.files.clone(), ..Build::default() },
    };
    let build = match (build.files.as_slice(), found.as_slice()) {
        ([], [only]) => Build { files: vec![only.clone()], ..build },
        ([], _) => {
            let advice = match description.version {
                Version::Two => "<SourceFiles> of <CoSimulation> in modelDescription.xml names them",
                Version::Three => "sources/buildDescription.xml names them",
            };
            let message = format!("the FMU does not say which of its {} C files are compiled", found.len());
            return Err(NoBuild { code: Code::NoSources, message, advice, wrong: None });
        }
        _ => build,
    };
    check(&build, &found)?;
    Ok(build)
}

impl From<Wrong> for NoBuild {
    fn from(wrong: Wrong) -> Self {
        let message = wrong.message.clone();
        Self { code: Code::Description, message, advice: "", wrong: Some(wrong) }
    }
}

/// Languages of sources that can be read, as buildDescription.xml names them.
const LANGUAGES: [&str; 6] = ["C", "C89", "C90", "C99", "C11", "C17"];

/// What the configuration of the FMU's name says; the only one where none has it.
fn of_description(root: &Element, description: &Description) -> Result<Build, NoBuild> {
    let all = || root.all("BuildConfiguration");
    let own = all().find(|build| build.get("modelIdentifier") == Some(&description.identifier));
    let own = own.or_else(|| all().next());
    let own = own.ok_or_else(|| Wrong::at(root.line, "there is no <BuildConfiguration>"))?;
    let mut build = Build::default();
    for set in own.all("SourceFileSet") {
        if let Some(language) = set.get("language").filter(|language| !LANGUAGES.contains(language)) {
            let message = format!("the sources are in {language}; sources in C can be read");
            return Err(NoBuild { code: Code::Language, ..Wrong::at(set.line, message).into() });
        }
        for file in set.all("SourceFile") {
            build.files.push(file.need("name")?.to_owned());
        }
        for folder in set.all("IncludeDirectory") {
            build.include.push(folder.need("name")?.to_owned());
        }
        let is_needed = |definition: &&Element| definition.get("optional") != Some("true");
        for definition in set.all("PreprocessorDefinition").filter(is_needed) {
            let name = definition.need("name")?;
            let value = definition.get("value").map(|value| format!("={value}")).unwrap_or_default();
            build.define.push(format!("{name}{value}"));
        }
    }
    Ok(build)
}

/// Files must be there, and in C.
fn check(build: &Build, found: &[String]) -> Result<(), NoBuild> {
    let refuse = |code, message| Err(NoBuild { code, message, advice: "", wrong: None });
    for file in &build.files {
        let ending = Path::new(file).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if ["cpp", "cc", "cxx", "hpp"].iter().any(|other| ending.eq_ignore_ascii_case(other)) {
            return refuse(
                Code::Language,
                format!("the source `{file}` is in C++; sources in C can be read"),
            );
        }
        if !is_within(file) || !(found.contains(file)) {
            return refuse(Code::Description, format!("there is no file `{SOURCES}/{file}` in the FMU"));
        }
    }
    match build.include.iter().find(|folder| !is_within(folder)) {
        Some(folder) => {
            refuse(Code::Escape, format!("the include folder `{folder}` does not lie in the FMU"))
        }
        None => Ok(()),
    }
}

/// Whether a path leads to somewhere below.
fn is_within(path: &str) -> bool {
    Path::new(path).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}
