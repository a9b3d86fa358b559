//! Witnesses of hardware models, as the hardware model checking competition has them: writing those
//! of a result, and judging those of any tool.

use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::stored;
use btor2::{Accepted, Refused, check_witness, from_aiger, is_aiger};
use model::id::Id;
use report::output::chain_file::ChainFile;
use std::path::Path;

/// A witness for each covered goal: its number among the goals, and the text. Each has been played
/// on the lines of the model before it is given.
///
/// # Errors
/// A sentence where the model is not written in BTOR2 or is not at hand, or where a witness does
/// not pass.
pub(crate) fn witnesses(written: &ChainFile, model: Option<&Model>) -> Result<Vec<(usize, String)>, String> {
    let model = model.ok_or("the model is not at hand as it was")?;
    let lines = model.translated.source.ir_text();
    let mut all = Vec::new();
    for (id, description) in model.system.goals.iter() {
        let entry = written.goals.iter().find(|entry| entry.name == description.name);
        let place = entry.and_then(|entry| entry.chain.zip(entry.at));
        let Some((chain, at)) = place.filter(|(chain, _)| *chain < written.chains.len()) else { continue };
        let trace = stored::trace(model, &written.chains[chain], chain).map_err(|error| error.to_string())?;
        let text = model.translated.source.witness(&trace, id, at);
        let text = text.ok_or("the model is not written in BTOR2")?;
        check_witness(&lines, &text)
            .map_err(|why| format!("self-check failed: the witness is refused: {why}"))?;
        all.push((id.index(), text));
    }
    Ok(all)
}

/// The witnesses of all covered goals of a result, one behind the other.
///
/// ```
/// # use chaincover::{Options, Settings, Silent, Wanted, judge_witness, read, solve, witness_text};
/// # let folder = tempfile::tempdir()?;
/// # let (path, witness) = (folder.path().join("on.btor2"), folder.path().join("on.wit"));
/// std::fs::write(&path, "1 sort bitvec 1\n2 input 1 go\n3 zero 1\n4 state 1 on\n5 init 1 4 3\n6 next 1 4 2\n7 bad 4 lit\n")?;
/// let (settings, options) = (Settings::default(), Options::default());
/// let model = read([&path], &settings)?;
/// let solved = solve(&model, (&settings, &options), &Wanted::default(), &Silent)?;
/// std::fs::write(&witness, witness_text(&solved.file, &model)?)?;
/// assert_eq!(judge_witness(&path, &witness)?[0].bads, [(0, "lit".to_owned(), 1)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Request`]: the model is not written in BTOR2, or no goal is covered;
/// [`ErrorKind::SelfCheck`]: a witness does not pass.
pub fn witness_text(result: &ChainFile, model: &Model) -> Result<String, Error> {
    let written = witnesses(result, Some(model)).map_err(|why| {
        let kind = if why.starts_with("self-check") { ErrorKind::SelfCheck } else { ErrorKind::Request };
        Error::new(kind, why)
    })?;
    if written.is_empty() {
        return Err(Error::new(ErrorKind::Request, "no goal is covered: there is nothing to witness"));
    }
    Ok(written.into_iter().map(|(_, text)| text).collect())
}

/// Judges the witnesses of a file on a model in BTOR2, whoever made them: they are played on the
/// lines of the model by code that shares nothing with the search.
///
/// # Errors
/// [`ErrorKind::Request`]: a file cannot be read, or the witness claims that nothing can be reached;
/// [`ErrorKind::Source`]: the model or the witness is not written as it should be;
/// [`ErrorKind::Deviates`]: a witness is no execution of the model, or does not show what it claims.
pub fn judge_witness(model: &Path, witness: &Path) -> Result<Vec<Accepted>, Error> {
    let unreadable = |path: &Path, error: &std::io::Error| {
        Error::new(ErrorKind::Request, format!("cannot read {}: {error}", path.display()))
    };
    let text = |path: &Path| std::fs::read_to_string(path).map_err(|error| unreadable(path, &error));
    let lines = match is_aiger(model) {
        true => std::fs::read(model).map_err(|error| unreadable(model, &error)).and_then(|bytes| {
            from_aiger(&bytes)
                .map_err(|error| Error::new(ErrorKind::Source, format!("{}: {error}", model.display())))
        })?,
        false => text(model)?,
    };
    let claims = text(witness)?;
    check_witness(&lines, &claims).map_err(|refused| {
        let (kind, path) = match &refused {
            Refused::Model(_) => (ErrorKind::Source, model),
            Refused::Malformed { .. } => (ErrorKind::Source, witness),
            Refused::Unsatisfiable => (ErrorKind::Request, witness),
            Refused::Rejected { .. } => (ErrorKind::Deviates, witness),
        };
        Error::new(kind, format!("{}: {refused}", path.display()))
    })
}
