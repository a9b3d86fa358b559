//! `chaincover emit`: a requirement interface in other languages: as a monitor in C, as oracle of a
//! model in C, as a game.

use super::args::Verbosity;
use super::exit::Exit;
use super::failure::Failure;
use super::test_args::mapping;
use super::{load, log, print, print_raw, search, write_result};
use chaincover::diagnostics::visible_lines;
use chaincover::requirements;
use chaincover::requirements::{LustreContract, RequirementDocument};
use chaincover::{FILE_NAME, Model, Monitor, MonitorNames, configure, diagnostics, monitor_in_c, oracle};
use clap::{Args, ValueEnum};
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

/// What an interface is written as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// A monitor in C.
    #[default]
    C,
    /// A game of safety in ASCII AIGER, as the reactive synthesis competition has them: realizable if
    /// and only if the requirements are consistent.
    Aiger,
    /// A contract of an imported node in Lustre, as Kind 2 checks them.
    Kind2,
}

/// `emit`.
#[derive(Debug, Args)]
pub(crate) struct EmitArguments {
    /// The requirement interface (*.ri)
    #[arg(value_name = "SPEC")]
    pub(crate) specification: PathBuf,
    /// Give a constant of the interface another value
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    pub(crate) define: Vec<String>,
    /// What the interface is written as
    #[arg(long, value_enum, value_name = "LANGUAGE", default_value_t)]
    pub(crate) format: Language,
    /// A model in C whose oracle the interface is to be: a chaincover.toml, a folder that holds one,
    /// or C files
    #[arg(long, value_name = "MODEL", num_args = 1.., requires = "output")]
    pub(crate) model: Vec<PathBuf>,
    /// The expression in C that has the value of an input or output of the interface; may be
    /// repeated (default: the signal of that name)
    #[arg(long, value_name = "NAME=EXPRESSION", value_parser = mapping)]
    pub(crate) map: Vec<(String, String)>,
    /// A file that the monitor includes, such as the header that declares inputs and outputs; may be
    /// repeated (default: the source of the model, where there is one)
    #[arg(long, value_name = "FILE")]
    pub(crate) include: Vec<String>,
    /// Write what is made, and with --model a chaincover.toml for the monitor and the model, into a
    /// folder
    #[arg(short, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// With -o: replace files there that chaincover did not write
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
    /// Stop after this time (500ms, 60s, 5min)
    #[arg(long, value_name = "DURATION", value_parser = chaincover::duration::parse)]
    pub(crate) timeout: Option<Duration>,
    /// Verbosity.
    #[command(flatten)]
    pub(crate) verbosity: Verbosity,
}

/// Prints or writes the monitor.
pub(crate) fn run(arguments: &EmitArguments) -> Result<Exit, Failure> {
    let paths = [arguments.specification.clone()];
    if !requirements::are_interfaces(&paths) {
        let message = format!("{}: only requirement interfaces (*.ri) are written so", paths[0].display());
        return Err(Failure::new(Exit::Usage, message));
    }
    let is_about_c =
        !(arguments.model.is_empty() && arguments.map.is_empty() && arguments.include.is_empty());
    if is_about_c && arguments.format != Language::C {
        let message = "--model, --map and --include are for monitors in C (--format c)";
        return Err(Failure::new(Exit::Usage, message));
    }
    let document = requirements::read_interface(&paths, &arguments.define)?;
    if !arguments.verbosity.quiet {
        eprint!("{}", diagnostics::render(&document.diagnostics, &document.sources, log::is_coloured()));
    }
    match arguments.format {
        Language::C => monitor(arguments, &document),
        Language::Aiger => {
            let name = format!("{}.aag", document.interface.name);
            alone(arguments, &document, (name, requirements::safety_game(&document)?))
        }
        Language::Kind2 => {
            let made = requirements::lustre(&document.interface)?;
            if !arguments.verbosity.quiet {
                told_of_contract(&made);
            }
            alone(arguments, &document, (format!("{}.lus", document.interface.name), made.text))
        }
    }
}

/// What a contract of Lustre has not.
fn told_of_contract(made: &LustreContract) {
    let LustreContract { hidden, purposes, .. } = made;
    if !hidden.is_empty() {
        let names = visible_lines(&hidden.join(","));
        eprintln!(
            "note: hidden variables are outputs in Lustre; `import --hidden {names}` reads them as hidden"
        );
    }
    if !purposes.is_empty() {
        eprintln!("note: contracts have no purposes; left out: {}", visible_lines(&purposes.join(", ")));
    }
}

/// Prints one file, or writes it into the folder.
fn alone(
    arguments: &EmitArguments,
    document: &RequirementDocument,
    (name, text): (String, String),
) -> Result<Exit, Failure> {
    let Some(folder) = &arguments.output else { return print_raw(&text) };
    write_result((folder, arguments.force), &document.interface.name, &[(&name, text)])?;
    print(&format!("{}\n", folder.join(name).display()))
}

/// Prints or writes the monitor in C.
fn monitor(arguments: &EmitArguments, document: &RequirementDocument) -> Result<Exit, Failure> {
    let told_of = |monitor: &Monitor| {
        if !monitor.given.is_empty() && !arguments.verbosity.quiet {
            let names = visible_lines(&monitor.given.join(", "));
            eprintln!(
                "note: the equations for hidden values in {names} are taken as given: of these requirements only what else they say is judged"
            );
        }
    };
    let interface = &document.interface;
    let names = MonitorNames { variables: arguments.map.clone(), includes: arguments.include.clone() };
    let Some(folder) = &arguments.output else {
        let monitor = monitor_in_c(interface, &names)?;
        told_of(&monitor);
        return print(&monitor.text);
    };
    let mut told = String::new();
    let files = if arguments.model.is_empty() {
        let monitor = monitor_in_c(interface, &names)?;
        told_of(&monitor);
        vec![(format!("{}.c", monitor.function), monitor.text)]
    } else {
        let limit = search::reading_limit(arguments.timeout, None);
        let model = Model::new(configure(&arguments.model, &load::settings(&Default::default(), limit))?)?;
        let found = oracle(interface, &model, names, folder)?;
        told_of(&found.monitor);
        for (name, expression) in &found.mapped {
            let _ = writeln!(told, "{name} is {expression}");
        }
        let configuration = found.configuration_text()?;
        vec![(found.file_name(), found.monitor.text), (FILE_NAME.to_owned(), configuration)]
    };
    let named: Vec<(&str, String)> = files.iter().map(|(name, text)| (name.as_str(), text.clone())).collect();
    write_result((folder, arguments.force), &interface.name, &named)?;
    for (name, _) in &files {
        let _ = writeln!(told, "{}", folder.join(name).display());
    }
    if !arguments.model.is_empty() {
        // Both together may not be what C accepts, though each is: names that both define.
        let limit = search::reading_limit(arguments.timeout, None);
        Model::new(configure(std::slice::from_ref(folder), &load::settings(&Default::default(), limit))?)?;
        let _ = writeln!(told, "next: chaincover chain {}", folder.display());
    }
    print(&told)
}
