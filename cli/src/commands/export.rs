//! `chaincover export`: a stored chain in other formats.

use super::args::{ExportArguments, FormatArguments, Verbosity};
use super::exit::Exit;
use super::failure::Failure;
use super::{load, print};
use chaincover::diagnostics::{visible, visible_lines};
use chaincover::{
    ChainFile, ExportOptions, Limit, Limits, Model, Occasion, Origin, Place, Vectors, changed, own_vectors,
    read_stored, root, sha256, stored_configuration, told_root, vectors,
};
use std::path::Path;

/// What the arguments say about formats.
pub(crate) fn options(arguments: &FormatArguments) -> ExportOptions {
    ExportOptions {
        formats: arguments.format.clone(),
        output_latency: arguments.output_latency,
        dont_care: arguments.dont_care,
        tolerances: arguments.tolerance.clone(),
        without_running: false,
    }
}

/// Writes the files and lists them.
pub(crate) fn run(arguments: &ExportArguments) -> Result<Exit, Failure> {
    let file = read_stored(&arguments.chain)?;
    let folder = arguments.output.clone().unwrap_or_default();
    let mut place = Place::open(&folder, arguments.force)?;
    let occasion = Occasion {
        folder: root(&file, &arguments.chain),
        output: Some(folder.clone()),
        ..Occasion::default()
    };
    let options = options(&arguments.formats);
    let (loaded, vectors, told_root) = replayed(&file, &options, &arguments.chain)?;
    let written = (&vectors, loaded.as_ref());
    let mut made = chaincover::export(&file, written, &options, &occasion, &Limit::default())?;
    let origin = origin(&file, &arguments.chain)?;
    let unwritten = made.write(&mut place, &origin)?;
    // Files of the current folder that nobody named are listed, and left to the user.
    let is_named = arguments.output.is_some();
    let cleared =
        place.close(|other| is_named && other.model == origin.model && other.result != origin.result)?;
    if !arguments.quiet {
        let notes = told_root.iter().chain(&vectors.notes).map(|note| ("note", note.clone()));
        let messages = notes.chain(cleared.messages(&folder));
        messages.for_each(|(level, text)| eprintln!("{level}: {}", visible_lines(&text)));
        let written = made.files.iter().filter(|file| !unwritten.contains(&file.name));
        let listed = written.map(|file| visible(&folder.join(&file.name).display().to_string()) + "\n");
        print(&listed.collect::<String>())?;
    }
    made.complete()?;
    Ok(Exit::Success)
}

/// What files are made from.
fn origin(file: &ChainFile, path: &Path) -> Result<Origin, Failure> {
    let bytes = std::fs::read(path)
        .map_err(|error| Failure::new(Exit::Usage, format!("{}: cannot be read: {error}", path.display())))?;
    Ok(Origin { model: file.model.name.clone(), result: sha256(bytes) })
}

/// A model, if it is at hand; vectors; where the sources are taken from, if they are elsewhere.
type Played<'f> = (Option<Model>, Vectors<'f>, Option<String>);

/// Replays the vectors where the model is as it was.
fn replayed<'f>(file: &'f ChainFile, options: &ExportOptions, path: &Path) -> Result<Played<'f>, Failure> {
    let quiet = Verbosity { quiet: true, verbose: 0 };
    let loaded = match changed(file, &root(file, path)) {
        Some(why) => Err(why),
        None => stored_configuration(file, path)
            .and_then(|configuration| load::translate(configuration, quiet))
            .map_err(|error| format!("the model cannot be read: {}", first_line(&error.to_string()))),
    };
    match loaded {
        Ok(loaded) => {
            let vectors = vectors(file, &loaded, options, &Limits::default())?;
            Ok((Some(loaded), vectors, told_root(file, path)))
        }
        Err(why) => Ok((None, own_vectors(file, options, &why), None)),
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
