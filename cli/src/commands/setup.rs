//! From arguments as typed to a model to be read.

use super::args::ModelArguments;
use super::exit::Exit;
use super::failure::Failure;
use config::ConfigError;
use config::resolve::parse_target;
use config::resolve::{self, FILE_NAME, Model};
use frontend::{Request, StepFunction};
use std::path::{Path, PathBuf};

/// The model that the arguments name, with the options applied on top of its configuration.
///
/// # Errors
/// Missing files, a bad configuration, contradictory arguments.
pub(crate) fn model(arguments: &ModelArguments) -> Result<Model, Failure> {
    let mut model = named_model(&arguments.model)?;
    let source = &arguments.source;
    let request = &mut model.request;
    request.include.extend(source.include.iter().cloned());
    resolve::check_macros(&source.define).map_err(|why| Failure::new(Exit::Usage, format!("-D: {why}")))?;
    request.define.extend(source.define.iter().cloned());
    request.goal_files.extend(source.goals.iter().cloned());
    if let Some(target) = &source.target {
        request.target =
            parse_target(target).map_err(|why| Failure::new(Exit::Usage, format!("--target: {why}")))?;
    }
    if let Some(step) = &source.step {
        let single = |name: &str| StepFunction { function: name.trim().to_owned(), every: 1, phase: 0 };
        request.step = step.split(',').map(single).collect();
    }
    if let Some(init) = &source.init {
        request.init = Some(init.clone());
    }
    request.unwind = source.unwind.or(request.unwind);
    request.assumes_unwound |= source.assume_unwound;
    for path in request.sources.iter().chain(&request.goal_files) {
        check_regular(path)?;
        std::fs::File::open(path).map_err(|source| ConfigError::Unreadable { path: path.clone(), source })?;
    }
    Ok(model)
}

/// Sources are read more than once, and chains name them: what has no name or can be read only once is none.
fn check_regular(path: &Path) -> Result<(), Failure> {
    let is_stream = std::fs::metadata(path).is_ok_and(|entry| !entry.is_file() && !entry.is_dir());
    if is_stream || path == Path::new("-") {
        let message = format!(
            "{}: a model is read from files, not from standard input or a pipe; name a C file",
            path.display()
        );
        return Err(ConfigError::Usage(message).into());
    }
    Ok(())
}

fn named_model(paths: &[PathBuf]) -> Result<Model, Failure> {
    let is_config = |path: &Path| path.is_dir() || path.extension().is_some_and(|ending| ending == "toml");
    match paths {
        [path] if path.is_dir() => {
            let file = path.join(FILE_NAME);
            if !file.is_file() {
                return Err(ConfigError::NoConfigInFolder(path.clone()).into());
            }
            Ok(resolve::read(&file)?)
        }
        [path] if is_config(path) => Ok(resolve::read(path)?),
        paths if paths.iter().any(|path| is_config(path)) => {
            Err(ConfigError::Usage("one chaincover.toml or folder, or C files: not both".to_owned()).into())
        }
        paths => Ok(Model {
            request: Request { sources: paths.to_vec(), ..Request::default() },
            ..Model::default()
        }),
    }
}
