//! What a compiler's coverage says of a stored result, compared goal by goal.
//!
//! The replay program is compiled with a compiler's instrumentation and run on this host. gcov counts
//! lines, and, from gcc 14 on, which conditions of each decision were reached to which values such
//! that they decide (the masking form of MC/DC, as here). llvm-cov counts lines, and, from clang 18
//! on, for which conditions of a decision of several there is a pair of evaluations.

use crate::error::{Error, ErrorKind};
use crate::export::measured;
use crate::stored::read_stored;
use ::replay::native::coverage::{Compiler, Conditions, Measured, plain_path};
use frontend::coverage::{Criterion, SiteKind};
use frontend::limit::Limit;
use report::coverage::{Condition, Coverage, CoverageGoal, CoverageStatus, PairOutcome, Site};
use report::export::read::{ReadOptions, recording};
use report::html::Occasion;
use report::output::chain_file::ChainFile;
use report::output::root::root;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What a compiler says of a result.
#[derive(Clone, Debug, Default)]
pub struct CompilerVerdict {
    /// The compiler, with its version.
    pub compiler: String,
    /// Whether it measures conditions.
    pub measures_conditions: bool,
    /// Whether it measures pairs.
    pub measures_pairs: bool,
    /// Goals that it agrees with, and those that it could be asked about, of statements.
    pub statements: (usize, usize),
    /// Goals that it agrees with, and those that it could be asked about, of halves of conditions.
    pub halves: (usize, usize),
    /// Pairs that it agrees with, and those that it could be asked about. Where the result has no
    /// pairs, each that the compiler sees has to have both halves.
    pub pairs: (usize, usize),
    /// Halves of conditions, or pairs, that it does not measure, or not so that they can be told
    /// apart.
    pub unmeasured: usize,
    /// Where it says something else.
    pub differences: Vec<String>,
    /// Goals that no step reaches, but that run: initialisation may have done that.
    pub notes: Vec<String>,
}

/// Compiles the replay of the result in a folder (or a `chain.json`) with the instrumentation of
/// gcc and of clang, as far as those here measure conditions, and compares its coverage with what is
/// recorded. Where neither does, lines are compared alone.
///
/// # Errors
/// [`ErrorKind::Request`]: there is no result, or it has no coverage goals.
/// [`ErrorKind::SelfCheck`]: no compiler, or a program that does not compile or does otherwise than
/// recorded.
pub fn judge_coverage(path: &Path, limit: &Limit) -> Result<Vec<CompilerVerdict>, Error> {
    let path = if path.is_dir() { path.join("chain.json") } else { path.to_owned() };
    let file = read_stored(&path)?;
    let Some(coverage) = &file.coverage else {
        let message = "the result has no coverage goals; `chain --coverage` asks for them";
        return Err(Error::new(ErrorKind::Request, message));
    };
    let coverage = &*coverage.of_places();
    let recording = recording(&file, &ReadOptions::default()).map_err(|error| Error::request(&error))?;
    let occasion = Occasion { folder: root(&file, &path), ..Occasion::default() };
    let mut compilers = Compiler::all(limit);
    if compilers.is_empty() {
        compilers.push(Compiler::best(limit));
    }
    let paths: BTreeSet<&String> = coverage.sites.iter().filter_map(|site| site.file.as_ref()).collect();
    let texts =
        paths.into_iter().filter_map(|path| Some((path.clone(), source_text(&occasion.folder, path)?)));
    let texts: BTreeMap<String, String> = texts.collect();
    let judged = |compiler: &Compiler| {
        let found = measured(&file, &recording, &occasion, (compiler, limit)).map_err(|why| {
            let message = format!("nothing was measured by {}: {why}", compiler.name);
            Error::new(ErrorKind::SelfCheck, message)
        })?;
        let mut verdict = CompilerVerdict {
            compiler: compiler.name.clone(),
            measures_conditions: compiler.measures_conditions,
            measures_pairs: compiler.measures_pairs(),
            ..CompilerVerdict::default()
        };
        let subject = Subject { file: &file, coverage, found: &found, texts: &texts };
        subject.statements(&mut verdict);
        match compiler.measures_pairs() {
            true => subject.pairs(&mut verdict),
            false => subject.conditions(&mut verdict),
        }
        Ok(verdict)
    };
    compilers.iter().map(judged).collect()
}

/// The text of a source, which lies below the folder of the result, or is named from here.
fn source_text(folder: &Path, path: &str) -> Option<String> {
    let bytes = [folder.join(path), path.into()].iter().find_map(|path| std::fs::read(path).ok())?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// What is compared.
struct Subject<'a> {
    file: &'a ChainFile,
    coverage: &'a Coverage,
    found: &'a Measured,
    /// The texts of the files that sites stand in, as far as they can be read.
    texts: &'a BTreeMap<String, String>,
}

impl Subject<'_> {
    fn goals_of(&self, criterion: Criterion) -> impl Iterator<Item = (&Site, &CoverageGoal)> {
        let goals = self.coverage.goals.iter().filter(move |goal| goal.criterion == criterion.name());
        goals.map(|goal| (&self.coverage.sites[goal.site], goal))
    }

    /// Blocks run where the result says so. A line runs, too, where something else on it does, so
    /// only a block with which its line begins can be told not to run.
    fn statements(&self, verdict: &mut CompilerVerdict) {
        for (site, goal) in self.goals_of(Criterion::Statement) {
            let lines =
                site.file.as_ref().and_then(|file| self.found.lines.get(&plain_path(Path::new(file))));
            let Some(&ran) = lines.and_then(|lines| lines.get(&site.line)) else { continue };
            let covered = goal.status == CoverageStatus::Covered;
            if !covered && !self.begins_line(site) {
                continue;
            }
            verdict.statements.1 += 1;
            match (covered, ran) {
                (true, false) => verdict.differences.push(format!("{}: does not run", goal.name)),
                (false, true) => self.note_extra(verdict, format!("{}: runs", goal.name)),
                _ => verdict.statements.0 += 1,
            }
        }
    }

    fn begins_line(&self, site: &Site) -> bool {
        let text = self.text_of(site);
        let line = text.lines().nth((site.line as usize).saturating_sub(1)).unwrap_or_default();
        let before: String = line.chars().take((site.column as usize).saturating_sub(1)).collect();
        site.column > 0 && before.trim().is_empty()
    }

    /// The text of the file that a site stands in; empty where it cannot be read.
    fn text_of(&self, site: &Site) -> &str {
        site.file.as_ref().and_then(|path| self.texts.get(path)).map_or("", String::as_str)
    }

    /// Whether the conditions of a decision stand in the text as they were read. Clang lists those
    /// that macros expand to in an order of its own.
    fn is_without_macros(&self, site: &Site) -> bool {
        let text = self.text_of(site);
        let begins = |condition: &Condition| {
            let mut lines = text.lines().skip((condition.line as usize).saturating_sub(1));
            let first = lines.next().unwrap_or_default().chars();
            let first = first.skip((condition.column as usize).saturating_sub(1));
            let mut written =
                first.chain(lines.flat_map(str::chars)).filter(|letter| !letter.is_whitespace());
            let mut read = condition.text.chars().filter(|letter| !letter.is_whitespace());
            read.all(|letter| written.next() == Some(letter))
        };
        site.conditions.iter().all(begins)
    }

    /// What runs though no step reaches it is a difference, unless initialisation may have run it.
    fn note_extra(&self, verdict: &mut CompilerVerdict, what: String) {
        let model = &self.file.model;
        let counts_init =
            model.configuration.coverage.as_ref().is_some_and(|section| section.init == Some(true));
        if model.init.is_empty() || counts_init {
            verdict.differences.push(format!("{what}, though no step is said to reach it"));
        } else {
            verdict.notes.push(format!("{what}, though no step reaches it; initialisation may do so"));
        }
    }

    /// Decisions of a line are told apart by their numbers of conditions, and by their order.
    fn conditions(&self, verdict: &mut CompilerVerdict) {
        for (index, site) in self.coverage.sites.iter().enumerate() {
            let halves: Vec<&CoverageGoal> = self
                .goals_of(Criterion::Mcdc)
                .filter(|(_, goal)| goal.site == index)
                .map(|(_, goal)| goal)
                .collect();
            if halves.is_empty() {
                continue;
            }
            match self.measured_conditions(index, site) {
                Some(found) => compare(self, site, &halves, found, verdict),
                None => verdict.unmeasured += halves.len(),
            }
        }
    }

    /// What the compiler says of a decision.
    fn measured_conditions(&self, index: usize, site: &Site) -> Option<&Conditions> {
        self.of_decision(&self.found.conditions, (index, site), |found| found.count / 2)
    }

    /// Pairs, where the result has them; otherwise a pair that the compiler sees has both halves.
    fn pairs(&self, verdict: &mut CompilerVerdict) {
        for (index, site) in self.coverage.sites.iter().enumerate().filter(|(_, site)| site.is_decision()) {
            let told: Vec<&PairOutcome> =
                self.coverage.pairs.iter().filter(|pair| pair.site == index).collect();
            let halves: Vec<&CoverageGoal> = self
                .goals_of(Criterion::Mcdc)
                .filter(|(_, goal)| goal.site == index)
                .map(|(_, goal)| goal)
                .collect();
            let found = self.of_decision(&self.found.pairs, (index, site), Vec::len);
            let Some(found) = found.filter(|_| self.is_without_macros(site)) else {
                verdict.unmeasured += if told.is_empty() { halves.len() } else { told.len() };
                continue;
            };
            for (number, &is_seen) in found.iter().enumerate() {
                let has = match told.iter().find(|pair| pair.condition == number) {
                    Some(pair) => pair.status == CoverageStatus::Covered,
                    None if halves.is_empty() || !is_seen => continue,
                    None => halves
                        .iter()
                        .filter(|goal| goal.part.condition == Some(number))
                        .all(|goal| goal.status == CoverageStatus::Covered),
                };
                verdict.pairs.1 += 1;
                let place = format!("{}:{}", site.file.as_deref().unwrap_or_default(), site.line);
                let text = &site.conditions[number].text;
                match (has, is_seen) {
                    (true, false) => verdict.differences.push(format!("{place}: `{text}` has no pair")),
                    (false, true) => self.note_extra(verdict, format!("{place}: `{text}` has a pair")),
                    _ => verdict.pairs.0 += 1,
                }
            }
        }
    }

    /// What the compiler says of a decision, where it has as many of its size on the line as the
    /// result. `size`: the number of conditions of a decision as the compiler has it.
    fn of_decision<'t, T>(
        &self,
        all: &'t BTreeMap<String, BTreeMap<u32, Vec<T>>>,
        (index, site): (usize, &Site),
        size_of: impl Fn(&T) -> usize,
    ) -> Option<&'t T> {
        let lines = all.get(&plain_path(Path::new(site.file.as_deref()?)))?;
        let size = site.conditions.len();
        let here: Vec<&T> = lines.get(&site.line)?.iter().filter(|found| size_of(found) == size).collect();
        let is_alike = |other: &Site| {
            other.is_decision()
                && other.file == site.file
                && other.line == site.line
                && other.conditions.len() == size
        };
        let alike = self.coverage.sites.iter().filter(|other| is_alike(other)).count();
        let before = self.coverage.sites[..index].iter().filter(|other| is_alike(other)).count();
        (alike == here.len()).then(|| here.get(before).copied()).flatten()
    }
}

/// Compares how many halves of each condition were reached: which is which depends on how a
/// compiler writes `!`.
fn compare(
    subject: &Subject<'_>,
    site: &Site,
    halves: &[&CoverageGoal],
    found: &Conditions,
    verdict: &mut CompilerVerdict,
) {
    for number in 0..site.conditions.len() {
        let of_condition = halves.iter().filter(|goal| goal.part.condition == Some(number));
        let covered = of_condition.clone().filter(|goal| goal.status == CoverageStatus::Covered).count();
        let all = of_condition.count();
        let seen = found.reached(number);
        verdict.halves.1 += all;
        if covered == seen {
            verdict.halves.0 += all;
            continue;
        }
        let text = &site.conditions[number].text;
        let place = format!("{}:{}", site.file.as_deref().unwrap_or_default(), site.line);
        let what = format!("{place}: {seen} halves of `{text}` are reached, not {covered}");
        if seen < covered {
            verdict.differences.push(what);
        } else {
            subject.note_extra(verdict, what);
        }
    }
}

/// Whether a site is a decision.
trait IsDecision {
    fn is_decision(&self) -> bool;
}

impl IsDecision for Site {
    fn is_decision(&self) -> bool {
        self.kind == SiteKind::Decision.name()
    }
}
