//! Lengths by parts of the state bits that change one at a time.

use super::super::claims::Claim;
use super::super::manifest::{Evidence, Tour};
use super::super::parts;
use super::super::write::ProofError;
use super::distances::instance;
use super::{Found, Maker};
use checker::tour::{self, Matrix};
use engine::session::Stop;
use report::output::write::WriteError;
use solver::atsp::{self, Instance};

impl Maker<'_, '_> {
    /// Parts whose tours add up to so many steps.
    pub(super) fn parts(&mut self, number: usize, claim: &Claim) -> Result<Found, ProofError> {
        let Claim::Length { chains, steps } = *claim else { return Ok(Err(String::new())) };
        let material = &self.material;
        let found = match parts::find(material.system, material.options.hazards, material.session) {
            Err(Stop::Failed(error)) => return Err(error.into()),
            Err(Stop::Limit(reason)) => return Ok(Err(reason.to_string())),
            Ok(None) => return Ok(Err("the state has no parts that change one at a time".to_owned())),
            Ok(Some(found)) => found,
        };
        let goals = found.positions(material.covered).unwrap_or_default();
        let tours = match self.tours(&found.matrices(&goals, chains), steps) {
            Ok(tours) => tours,
            Err(why) => return Ok(Err(why)),
        };
        let needed = match parts::queries(material.subject, &found) {
            Ok(needed) => needed,
            Err(why) => return Ok(Err(why.to_string())),
        };
        let name = format!("parts-{number}");
        let mut queries = Vec::new();
        for (part, formula) in needed {
            match self.query(&format!("{name}-{part}"), &formula, None)? {
                Ok(query) => queries.push(query),
                Err(open) => {
                    return Ok(Err(format!("query {name}-{part} of parts of the state {}", open.text())));
                }
            }
        }
        let tours = self.write_tours(&name, tours)?;
        let file = format!("{name}.parts");
        self.writer.file(&file, &found.print())?;
        Ok(Ok(self.list(Evidence::Parts { name, file, chains, tours, queries })))
    }

    /// For each matrix a bound with its certificate, where they come to so many steps together.
    fn tours(&self, matrices: &[Matrix], steps: u64) -> Result<Vec<(u64, String)>, String> {
        let options = self.atsp_options();
        let instances: Vec<Instance> = matrices.iter().map(instance).collect();
        let bound =
            |instance: &Instance| atsp::solve(instance, &options).map_or(0, |found| found.lower_bound);
        let bounds: Vec<u64> = instances.iter().map(bound).collect();
        let total: u64 = bounds.iter().sum();
        if total < steps {
            return Err(format!("parts of the state that change one at a time show only {total} steps"));
        }
        let certified = |((instance, matrix), &bound): ((&Instance, &Matrix), &u64)| {
            let certificate = atsp::certify(instance, bound, &options)?;
            tour::check(matrix, bound, &certificate).is_ok().then_some((bound, certificate))
        };
        let tours = instances.iter().zip(matrices).zip(&bounds).map(certified).collect::<Option<_>>();
        tours.ok_or_else(|| {
            "the time was up before tours through parts of the state were certified".to_owned()
        })
    }

    fn write_tours(&mut self, name: &str, tours: Vec<(u64, String)>) -> Result<Vec<Tour>, WriteError> {
        let mut written = Vec::new();
        for (number, (steps, certificate)) in tours.into_iter().enumerate() {
            let file = format!("{name}-{number}.tour");
            self.writer.file(&file, &certificate)?;
            written.push(Tour { steps, file });
        }
        Ok(written)
    }
}
