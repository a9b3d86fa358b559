//! Verdicts with what the compiled code says of their counterexamples.

use super::{Verdicts, add_verdicts, check_violations, violation_file, violation_names};
use crate::error::Error;
use crate::model::Model;
use crate::search::to_json;
use crate::settings::Settings;
use ::replay::check::NativeCheck;
use engine::options::Options;
use frontend::limit::Limit;
use report::output::chain_file::ChainFile;
use report::output::owned::Origin;
use report::output::place::Place;
use report::output::summary;

/// Verdicts, and what the compiled code says of counterexamples.
pub struct Judged {
    /// The verdicts.
    pub verdicts: Verdicts,
    checks: Vec<Option<NativeCheck>>,
    files: Vec<Option<String>>,
}

impl Judged {
    /// Runs the counterexamples on the compiled code, unless no limit for that is given.
    pub fn new(model: &Model, verdicts: Verdicts, limit: Option<&Limit>) -> Self {
        let checks = limit.map(|limit| check_violations(model, &verdicts, limit)).unwrap_or_default();
        let files = violation_names(model, &verdicts);
        Self { verdicts, checks, files }
    }

    /// What the compiled code says of counterexamples, as far as they were run.
    pub fn checks(&self) -> impl Iterator<Item = &NativeCheck> {
        self.checks.iter().flatten()
    }

    /// Puts the verdicts into a result that has none yet.
    pub fn add_to(&self, file: &mut ChainFile, model: &Model) {
        add_verdicts(file, model, &self.verdicts, (&self.checks, &[]));
    }

    /// Names the files of the counterexamples in a result that these verdicts were put into: they
    /// are going to be written beside it.
    pub fn name_files(&self, file: &mut ChainFile) {
        for (verdict, name) in file.verdicts.iter_mut().zip(&self.files) {
            if let Some(found) = &mut verdict.counterexample {
                found.file.clone_from(name);
            }
        }
    }

    /// The counterexamples with the names of their files: results that are complete by themselves.
    pub fn counterexamples(
        &self,
        model: &Model,
        read_with: (&Settings, &Options),
    ) -> impl Iterator<Item = (&str, ChainFile)> {
        self.files.iter().enumerate().filter_map(move |(index, name)| {
            let check = self.checks.get(index).and_then(Option::as_ref);
            let file = violation_file(model, (&self.verdicts, index), check, read_with)?;
            Some((name.as_deref()?, file))
        })
    }

    /// Writes a file for each counterexample; returns why some are not written.
    ///
    /// # Errors
    /// Where a file cannot be written.
    pub fn write(
        &self,
        model: &Model,
        read_with: (&Settings, &Options),
        (place, origin): (&mut Place, &Origin),
    ) -> Result<Vec<String>, Error> {
        let mut refused = Vec::new();
        for (name, file) in self.counterexamples(model, read_with) {
            refused.extend(place.write(origin, [(name, to_json(&file).as_bytes())])?);
        }
        Ok(refused)
    }

    /// Tables of the counterexamples, for the screen.
    pub fn tables(&self, model: &Model, read_with: (&Settings, &Options)) -> String {
        let table = |(_, file): (&str, ChainFile)| {
            let name = file.verdicts.first().map_or("", |verdict| verdict.name.as_str());
            summary::violation(name, &file)
        };
        self.counterexamples(model, read_with).map(table).collect()
    }
}
