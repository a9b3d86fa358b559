//! `campaign.toml`: models times variants, as a list of jobs.

use crate::error::Error;
use crate::job::{Budget, FORMAT, Job, Value, check_options};
use chaincover::{FILE_NAME, duration, size};
use glob::{MatchOptions, Pattern, glob_with};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Endings of files that are models by themselves.
const ENDINGS: [&str; 13] =
    ["c", "toml", "v", "sv", "btor2", "btor", "aag", "aig", "fmu", "ri", "as", "tio", "xlia"];

/// A folder that holds it is an unpacked FMU.
const FMU_FILE: &str = "modelDescription.xml";

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Patterns of models, from the folder of the file.
    models: Vec<String>,
    #[serde(default)]
    matrix: Matrix,
    #[serde(default)]
    limits: Limits,
    #[serde(default)]
    options: BTreeMap<String, Value>,
}

/// `[matrix]`: each model is searched in each combination.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Matrix {
    #[serde(default)]
    target: Vec<String>,
    #[serde(default)]
    define: Vec<Vec<String>>,
}

/// `[limits]`: of each job.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Limits {
    timeout: Option<String>,
    memory: Option<String>,
}

/// What a campaign asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The jobs: all variants of a model, then those of the next one.
    pub jobs: Vec<Job>,
    /// What the patterns match and is no model.
    pub left_out: Vec<PathBuf>,
}

/// Reads a campaign.
///
/// # Errors
/// It cannot be read, makes no sense, a pattern matches no model, or two jobs have one name.
pub fn read(path: &Path) -> Result<Plan, Error> {
    let refuse = |why: String| Error::new(path, why);
    let text =
        std::fs::read_to_string(path).map_err(|error| Error::system(path, "cannot be read", &error))?;
    let file: File = toml::from_str(&text).map_err(|error| refuse(error.to_string()))?;
    check_options(&file.options).map_err(|why| refuse(format!("[options]: {why}")))?;
    let budget = budget(&file.limits).map_err(refuse)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let folder = std::path::absolute(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
        .map_err(|error| Error::system(folder, "cannot be found", &error))?;
    let (models, left_out) = models(&file.models, &folder).map_err(refuse)?;
    let mut jobs = Vec::new();
    for model in &models {
        for (suffix, target, define) in variants(&file.matrix) {
            jobs.push(Job {
                format: FORMAT.to_owned(),
                name: plain(&format!("{}{suffix}", stem(model))),
                model: model.clone(),
                target,
                define,
                options: file.options.clone(),
                budget,
                origin: None,
            });
        }
    }
    check_names(&jobs).map_err(refuse)?;
    Ok(Plan { jobs, left_out })
}

fn budget(limits: &Limits) -> Result<Budget, String> {
    let told = |key: &'static str| move |why: String| format!("limits.{key}: {why}");
    let timeout = limits.timeout.as_deref().map(duration::parse).transpose().map_err(told("timeout"))?;
    let memory = limits.memory.as_deref().map(size::parse).transpose().map_err(told("memory"))?;
    Ok(Budget { timeout_seconds: timeout.map(|limit| limit.as_secs_f64()), memory_bytes: memory })
}

/// The models that patterns match, and what else they match.
fn models(patterns: &[String], folder: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>), String> {
    if patterns.is_empty() {
        return Err("models: no model is named".to_owned());
    }
    let options = MatchOptions { require_literal_leading_dot: true, ..MatchOptions::default() };
    let prefix = folder.to_str().ok_or("the path of its folder is no UTF-8, which patterns need")?;
    let (mut found, mut left_out) = (Vec::new(), Vec::new());
    for pattern in patterns {
        // `join` for patterns: an absolute one stays.
        let whole = if Path::new(pattern).is_absolute() {
            pattern.clone()
        } else {
            format!("{}/{pattern}", Pattern::escape(prefix))
        };
        let paths = glob_with(&whole, options).map_err(|error| format!("models: `{pattern}`: {error}"))?;
        let mut matched = 0;
        for path in paths {
            let path = path.map_err(|error| format!("models: `{pattern}`: {error}"))?;
            let list = if is_model(&path) { &mut found } else { &mut left_out };
            matched += usize::from(is_model(&path));
            if !list.contains(&path) {
                list.push(path);
            }
        }
        if matched == 0 {
            let why = format!(
                "models: `{pattern}` matches no model: a folder with a {FILE_NAME} or a {FMU_FILE}, or a file that ends in .{}",
                ENDINGS.join(", .")
            );
            return Err(why);
        }
    }
    Ok((found, left_out))
}

fn is_model(path: &Path) -> bool {
    if path.is_dir() {
        return [FILE_NAME, FMU_FILE].iter().any(|name| path.join(name).is_file());
    }
    path.extension().and_then(|ending| ending.to_str()).is_some_and(|ending| ENDINGS.contains(&ending))
}

/// What a job is called after: the model's folder, or its file without the ending.
fn stem(model: &Path) -> String {
    let is_configuration = model.file_name().is_some_and(|name| name == FILE_NAME);
    let named = if is_configuration { model.parent().unwrap_or(model) } else { model };
    let name = if named.is_dir() { named.file_name() } else { named.file_stem() };
    name.unwrap_or_default().to_string_lossy().into_owned()
}

/// All combinations of a matrix, with what they add to the name.
fn variants(matrix: &Matrix) -> Vec<(String, Option<String>, Vec<String>)> {
    let targets: Vec<Option<String>> = match &matrix.target[..] {
        [] => vec![None],
        targets => targets.iter().cloned().map(Some).collect(),
    };
    let defines: &[Vec<String>] = if matrix.define.is_empty() { &[Vec::new()] } else { &matrix.define };
    let mut variants = Vec::new();
    for target in &targets {
        for define in defines {
            let target_name = target.iter().filter(|_| targets.len() > 1);
            let define_names = define.iter().filter(|_| defines.len() > 1);
            let suffix: String = target_name.chain(define_names).map(|name| format!("-{name}")).collect();
            variants.push((suffix, target.clone(), define.clone()));
        }
    }
    variants
}

/// A name that is one word and can be part of a path.
fn plain(name: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || "-_.=+".contains(character);
    name.chars().map(|character| if is_plain(character) { character } else { '_' }).collect()
}

/// Names tell jobs apart.
fn check_names(jobs: &[Job]) -> Result<(), String> {
    let mut known: BTreeMap<&str, &Job> = BTreeMap::new();
    for job in jobs {
        if let Some(other) = known.insert(&job.name, job) {
            let (first, second) = (other.model.display(), job.model.display());
            let why = if other.model == job.model {
                format!("two variants of {first} are named `{}`: [matrix] lists one twice", job.name)
            } else {
                format!(
                    "two jobs are named `{}`: {first} and {second}; rename one of the models, or put them \
                     into two campaigns, which may share a store",
                    job.name
                )
            };
            return Err(why);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(files: &[&str], text: &str) -> Result<Plan, String> {
        let folder = tempfile::tempdir().expect("a folder");
        for name in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, "").expect("a file");
        }
        let path = folder.path().join("campaign.toml");
        std::fs::write(&path, text).expect("a file");
        read(&path).map_err(|error| error.why)
    }

    #[test]
    fn models_times_variants() {
        let files =
            ["m/a/chaincover.toml", "m/b/chaincover.toml", "m/c.c", "m/notes.md", "m/.d/chaincover.toml"];
        let text = "models = [\"m/*\"]\n[matrix]\ntarget = [\"ip16\", \"ilp32\"]\ndefine = [[\"V=EU\"], [\"V=A/B\", \"W\"]]\n\
            [limits]\ntimeout = \"2min\"\nmemory = \"1k\"\n[options]\nmax-k = 4";
        let plan = plan(&files, text).expect("a plan");
        let names: Vec<&str> = plan.jobs.iter().map(|job| job.name.as_str()).collect();
        assert_eq!(names.len(), 12);
        assert_eq!(names[..4], ["a-ip16-V=EU", "a-ip16-V=A_B-W", "a-ilp32-V=EU", "a-ilp32-V=A_B-W"]);
        assert!(names[8].starts_with("c-") && plan.left_out[0].ends_with("m/notes.md"));
        let budget = Budget { timeout_seconds: Some(120.0), memory_bytes: Some(1024) };
        assert!(plan.jobs.iter().all(|job| job.budget == budget));
        assert_eq!(plan.jobs[1].arguments(), ["--target=ip16", "-DV=A/B", "-DW", "--max-k=4"]);
    }

    #[test]
    fn names_do_not_tell_what_all_jobs_share() {
        let text = "models = [\"a.c\"]\n[matrix]\ntarget = [\"lp64\"]";
        let plan = plan(&["a.c"], text).expect("a plan");
        assert_eq!((plan.jobs[0].name.as_str(), plan.jobs[0].target.as_deref()), ("a", Some("lp64")));
    }

    #[test]
    fn campaigns_without_sense_are_refused() {
        let files = ["a/m.c", "b/m.c", "notes.md"];
        let table = [
            ("models = []", "no model is named"),
            ("models = [\"x/*\"]", "`x/*` matches no model"),
            ("models = [\"notes.md\"]", "matches no model"),
            ("models = [\"a/[\"]", "`a/[`"),
            ("models = [\"*/m.c\"]", "two jobs are named `m`"),
            ("models = [\"a/m.c\"]\n[matrix]\ntarget = [\"ip16\", \"ip16\"]", "two variants of"),
            (
                "models = [\"a/m.c\"]\n[limits]\ntimeout = \"soon\"",
                "limits.timeout: `soon` is not a duration",
            ),
            ("models = [\"a/m.c\"]\n[limits]\nmemory = \"much\"", "limits.memory: `much` is no size"),
            ("models = [\"a/m.c\"]\n[options]\noutput = \"x\"", "`output` is no option of a job"),
            ("models = [\"a/m.c\"]\nmodel = 1", "unknown field `model`"),
            ("", "missing field `models`"),
        ];
        for (text, expected) in table {
            let why = plan(&files, text).expect_err(text);
            assert!(why.contains(expected), "{text}: {why}");
        }
    }
}
