//! From an FMU to a model: the driver and the sources, translated by the C front end.

use crate::build::{self, Build};
use crate::code::Code;
use crate::description::{self, Causality, Description, Kind, Refusal, Variable};
use crate::driver::{self, INIT, Member, Role, STEP};
use crate::names;
use crate::package::{DESCRIPTION, Package, SOURCES};
use crate::prelude::{self, HEADERS};
use crate::xml::{self, Wrong};
use frontend::code::Code as AnyCode;
use frontend::diagnostics::Diagnostics;
use frontend::source::{FileKind, SourceFile, SourceMap, Span, decode};
use frontend::{
    Failure, Finding, FrontEnd, InputOption, Judge, OutputOption, Request, StepFunction, Topic, Translated,
};
use std::path::Path;
use std::time::Duration;

/// The FMU front end.
#[derive(Clone, Copy, Debug)]
pub struct Fmu;

/// Rounds of one loop unrolled at most where the request says nothing: FMUs with a solver of their
/// own step it in a loop whose rounds follow from times, which no front end can bound.
const DEFAULT_UNWIND: u32 = 8;

impl FrontEnd for Fmu {
    fn language(&self) -> &'static str {
        "FMU"
    }
    fn reads(&self, path: &Path) -> bool {
        path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("fmu"))
            || path.file_name().is_some_and(|name| name == DESCRIPTION)
    }
    fn translate(&self, request: &Request, judge: &dyn Judge) -> Result<Translated, Failure> {
        let mut reading =
            Reading { request, sources: SourceMap::default(), diagnostics: Diagnostics::default() };
        match reading.prepare() {
            Some(prepared) => prepared.translate(request, judge),
            None => Err(Failure { diagnostics: reading.diagnostics, sources: reading.sources }),
        }
    }
}

struct Reading<'r> {
    request: &'r Request,
    sources: SourceMap,
    diagnostics: Diagnostics,
}

/// An FMU whose driver is written.
struct Prepared {
    package: Package,
    /// What the C front end is asked for.
    inner: Request,
    /// The request with what the FMU says filled in.
    resolved: Request,
    findings: Vec<Finding>,
    /// Warnings so far, and the files that they speak of.
    told: (Diagnostics, SourceMap),
}

impl Reading<'_> {
    /// `None`: there are errors among the diagnostics.
    fn prepare(&mut self) -> Option<Prepared> {
        let [path] = self.request.sources.as_slice() else {
            let message = "one FMU is one model, which has one instance: name one file";
            return self.refuse(Code::SeveralFiles, message.to_owned(), "");
        };
        self.check_request()?;
        let package = match Package::open(path) {
            Ok(package) => package,
            Err((code, message)) => return self.refuse(code, message, ""),
        };
        let description = self.describe(&package)?;
        let build = match build::find(&package, &description) {
            Ok(build) => build,
            Err(no) => {
                let wrong = no.wrong.as_ref().map(|wrong| {
                    let inner = Path::new(SOURCES).join(build::BUILD_DESCRIPTION);
                    self.place(&package, &inner, wrong.line)
                });
                let error = self.diagnostics.error(no.code, wrong, no.message);
                if !no.advice.is_empty() {
                    error.advice(no.advice);
                }
                return None;
            }
        };
        let step = self.step_size(&description)?;
        let all: Vec<String> = names::members(description.variables.iter().map(|found| found.name.as_str()));
        let texts = self.texts();
        let fixed = |name: &str| {
            self.names_one(self.request.constants.iter().map(|(place, _)| place), name, &description, &all)
        };
        let members = driver::members(
            &description,
            &all,
            |name| texts.iter().any(|text| names::mentions(text, name)),
            fixed,
        );
        self.check_variables(&package, &description, &members)?;
        let name = package.name().unwrap_or_else(|| description.identifier.clone());
        let resolved = self.resolved(name, &members, step);
        let inner = match write(&package, &description, &build, &members, (step, &resolved)) {
            Ok(inner) => inner,
            Err(error) => {
                return self.refuse(Code::Archive, format!("temporary files cannot be written: {error}"), "");
            }
        };
        let findings = findings(&description, &members, step);
        let told = (std::mem::take(&mut self.diagnostics), std::mem::take(&mut self.sources));
        Some(Prepared { package, inner, resolved, findings, told })
    }

    fn refuse<T>(&mut self, code: impl Into<AnyCode>, message: String, advice: &str) -> Option<T> {
        let error = self.diagnostics.error(code, None, message);
        if !advice.is_empty() {
            error.advice(advice);
        }
        None
    }

    /// The place of a line in a file of the FMU.
    fn place(&mut self, package: &Package, inner: &Path, line: u32) -> Span {
        let text = std::fs::read(package.root().join(inner)).unwrap_or_default();
        let text = decode(&text).into_owned();
        let shown = package.shown(&package.root().join(inner));
        let (path, kind) = shown.unwrap_or_else(|| (inner.to_owned(), FileKind::Packed));
        Span { file: self.sources.adopt(&SourceFile { path, text: Some(text), kind }), line, column: 0 }
    }

    /// What an FMU says itself cannot be asked for.
    fn check_request(&mut self) -> Option<()> {
        let request = self.request;
        let parts = [
            (!request.step.is_empty() || request.init.is_some(), "step and initialisation functions"),
            (request.inputs.is_some(), "lists of inputs"),
            (request.outputs.is_some(), "lists of outputs"),
            (!request.bind.is_empty(), "bindings"),
        ];
        match parts.into_iter().find(|(is_there, _)| *is_there) {
            Some((_, what)) => {
                self.refuse(Code::OnlyForC, format!("{what} are about C code; an FMU says that itself"), "")
            }
            None => Some(()),
        }
    }

    fn describe(&mut self, package: &Package) -> Option<Description> {
        let text = std::fs::read(package.root().join(DESCRIPTION)).unwrap_or_default();
        let described = xml::parse(&text).map_err(Refusal::Wrong).and_then(|root| description::read(&root));
        let (code, wrong, advice) = match described {
            Ok(description) => return Some(description),
            Err(Refusal::Wrong(wrong)) => (Code::Description, wrong, ""),
            Err(Refusal::Version(wrong)) => (Code::Version, wrong, ""),
            Err(Refusal::NoCoSimulation(wrong)) => (
                Code::NoCoSimulation,
                wrong,
                "export it for Co-Simulation; Model Exchange needs a solver around it",
            ),
            Err(Refusal::UnknownType(wrong)) => (Code::UnknownType, wrong, ""),
        };
        let Wrong { line, message } = wrong;
        let place = self.place(package, Path::new(DESCRIPTION), line);
        let error = self.diagnostics.error(code, Some(place), message);
        if !advice.is_empty() {
            error.advice(advice);
        }
        None
    }

    /// How long a step takes, in seconds: what the request says, else the default experiment.
    fn step_size(&mut self, description: &Description) -> Option<f64> {
        let asked = self.request.period.as_ref().map(Duration::as_secs_f64);
        let found = asked.or(description.step);
        if found.is_none() {
            let message =
                "the FMU does not say how long a step takes: its <DefaultExperiment> has no stepSize";
            let advice = "`--period 10ms`, or `period = \"10ms\"` under [model]";
            return self.refuse(Code::NoStepSize, message.to_owned(), advice);
        }
        found
    }

    /// All texts in C that may speak of variables.
    fn texts(&self) -> Vec<String> {
        let own = self.request.texts().into_iter().map(|(_, text)| text.to_owned());
        let files = self.request.goal_files.iter().filter_map(|path| std::fs::read(path).ok());
        own.chain(files.map(|bytes| decode(&bytes).into_owned())).collect()
    }

    /// Whether one of some places is the variable with that member, by its lvalue or its own name.
    fn names_one<'t>(
        &self,
        mut places: impl Iterator<Item = &'t String>,
        member: &str,
        description: &Description,
        all: &[String],
    ) -> bool {
        let own = all.iter().position(|name| name == member);
        let own = own.map(|index| description.variables[index].name.as_str());
        places.any(|place| Some(place.as_str()) == own || *place == format!("{}.{member}", names::OBJECT))
    }

    /// Refuses what cannot be stepped or observed, and tells of inputs that stay as they are.
    fn check_variables(
        &mut self,
        package: &Package,
        description: &Description,
        members: &[Member<'_>],
    ) -> Option<()> {
        for member in members.iter().filter(|member| member.variable.is_array) {
            let place = self.place(package, Path::new(DESCRIPTION), member.variable.line);
            let message =
                format!("the variable {} is an array, which is not supported", member.variable.name);
            self.diagnostics
                .error(Code::Array, Some(place), message)
                .advice("export its elements as variables");
        }
        let is_left = |found: &&Variable| {
            found.causality == Causality::Input && found.kind.access(description.version).is_none()
        };
        for variable in description.variables.iter().filter(is_left) {
            let place = self.place(package, Path::new(DESCRIPTION), variable.line);
            let kind = variable.kind.name(description.version);
            let message = format!(
                "the input {} is of type {kind} and never set: executions in which it has another value than at the start are left out",
                variable.name
            );
            self.diagnostics.warning(Code::LeftInput, Some(place), message);
        }
        if !members.iter().any(|member| member.role == Role::Got) {
            let message = "the FMU has no outputs that are numbers, and no goal speaks of another variable: nothing of it can be seen";
            return self.refuse(
                Code::NoOutputs,
                message.to_owned(),
                "goals may speak of local variables: `fmu.NAME`",
            );
        }
        (!self.diagnostics.has_errors()).then_some(())
    }

    /// The request with names of variables as C has them, and with what the FMU says of inputs and
    /// outputs where the request says nothing.
    fn resolved(&self, name: String, members: &[Member<'_>], step: f64) -> Request {
        let mut resolved = self.request.clone();
        if resolved.name.is_empty() {
            resolved.name = name;
        }
        let in_c = |place: &mut String| {
            if let Some(member) = members.iter().find(|member| member.variable.name == *place) {
                *place = member.lvalue();
            }
        };
        resolved.input_options.iter_mut().for_each(|option| in_c(&mut option.lvalue));
        resolved.constants.iter_mut().for_each(|(place, _)| in_c(place));
        for member in members.iter().filter(|member| member.role == Role::Set) {
            let lvalue = member.lvalue();
            let index = resolved.input_options.iter().position(|option| option.lvalue == lvalue);
            let index = index.unwrap_or_else(|| {
                resolved.input_options.push(InputOption { lvalue, ..InputOption::default() });
                resolved.input_options.len() - 1
            });
            describe_input(member.variable, &mut resolved.input_options[index]);
        }
        resolved.output_options =
            members.iter().filter(|member| member.role == Role::Got).map(output).collect();
        resolved.period = self.request.period.or_else(|| exact_period(step));
        resolved.unwind = self.request.unwind.or(Some(DEFAULT_UNWIND));
        resolved
    }
}

/// A number of seconds as a duration that is exactly that long.
fn exact_period(step: f64) -> Option<Duration> {
    let period = Duration::try_from_secs_f64(step).ok()?;
    (period.as_secs_f64() == step && !period.is_zero()).then_some(period)
}

/// What a description says of an output.
fn output(member: &Member<'_>) -> OutputOption {
    let variable = member.variable;
    OutputOption {
        lvalue: member.lvalue(),
        name: Some(variable.name.clone()),
        unit: variable.unit.clone(),
        text: variable.text.clone(),
        labels: variable.items.clone(),
    }
}

/// Fills in what a description says of an input.
fn describe_input(variable: &Variable, option: &mut InputOption) {
    if option.range.is_none() && option.values.is_none() {
        match variable.kind {
            Kind::Enumeration if !variable.items.is_empty() => {
                let values = variable.items.iter().map(|(value, _)| driver::whole((*value).into()));
                option.values = Some(values.collect());
            }
            _ => option.range = range(variable),
        }
    }
    let fill = |place: &mut Option<String>, value: &Option<String>| {
        if place.is_none() {
            place.clone_from(value);
        }
    };
    fill(&mut option.unit, &variable.unit);
    fill(&mut option.text, &variable.text);
    fill(&mut option.name, &Some(variable.name.clone()));
    if option.labels.is_empty() {
        option.labels.clone_from(&variable.items);
    }
}

/// The range of an input; `None`: that of its type.
fn range(variable: &Variable) -> Option<(String, String)> {
    let limit = |index: usize| driver::constant(variable.kind, variable.limits[index].as_deref()?);
    let (low, high) = (limit(0), limit(1));
    if low.is_none() && high.is_none() {
        return None;
    }
    let (least, most) = match variable.kind.extremes() {
        Some((least, most)) => (driver::whole(least), driver::whole(most)),
        None if variable.kind.is_float() => {
            let most = if variable.kind == Kind::Float32 { f64::from(f32::MAX) } else { f64::MAX };
            (format!("({:?})", -most), format!("{most:?}"))
        }
        None => return None,
    };
    Some((low.unwrap_or(least), high.unwrap_or(most)))
}

/// Writes what is compiled beside the sources; gives what the C front end is asked for.
fn write(
    package: &Package,
    description: &Description,
    build: &Build,
    members: &[Member<'_>],
    (step, resolved): (f64, &Request),
) -> std::io::Result<Request> {
    let folder = package.driver();
    for (name, text) in HEADERS {
        std::fs::write(folder.join(name), text)?;
    }
    std::fs::write(folder.join("fmu.h"), driver::header(description, members))?;
    std::fs::write(folder.join("driver.h"), driver::text(description, members, step))?;
    // Code that a header of the system includes does not count for coverage.
    std::fs::write(folder.join("system.h"), "#pragma GCC system_header\n#include \"driver.h\"\n")?;
    std::fs::write(folder.join("driver.c"), "#include \"system.h\"\n")?;
    let sources = package.root().join(SOURCES);
    let mut units = vec![folder.join("driver.c")];
    for (index, file) in build.files.iter().enumerate() {
        let unit = folder.join(format!("unit{index}.c"));
        std::fs::write(&unit, prelude::unit(description, index, &sources.join(file).to_string_lossy()))?;
        units.push(unit);
    }
    let mut include = vec![sources.clone()];
    include.extend(build.include.iter().map(|inner| sources.join(inner)));
    include.extend(resolved.include.iter().cloned());
    include.push(folder);
    let outputs = members.iter().filter(|member| member.role == Role::Got);
    let inputs = members.iter().filter(|member| member.role == Role::Set);
    Ok(Request {
        sources: units,
        include,
        define: build.define.iter().chain(&resolved.define).cloned().collect(),
        init: Some(INIT.to_owned()),
        step: vec![StepFunction { function: STEP.to_owned(), every: 1, phase: 0 }],
        inputs: Some(inputs.map(Member::lvalue).collect()),
        outputs: Some(outputs.map(Member::lvalue).collect()),
        ..resolved.clone()
    })
}

/// What was taken, and what was not.
fn findings(description: &Description, members: &[Member<'_>], step: f64) -> Vec<Finding> {
    let finding =
        |topic, subject: &str, reason: String| Finding { topic, subject: subject.to_owned(), reason };
    let mut found = vec![finding(
        Topic::Step,
        &description.identifier,
        format!("{}, Co-Simulation: one communication step of {step:?} s", description.version.name()),
    )];
    let left = |what: &str, chosen: &dyn Fn(&Variable) -> bool| {
        let is_member =
            |variable: &Variable| members.iter().any(|member| std::ptr::eq(member.variable, variable));
        let left = description.variables.iter().filter(|variable| chosen(variable) && !is_member(variable));
        let names: Vec<&str> = left.map(|variable| variable.name.as_str()).collect();
        (!names.is_empty()).then(|| (shortened(&names), what.to_owned()))
    };
    let is_number = |variable: &Variable| variable.kind.access(description.version).is_some();
    let groups = [
        left("local variables that no goal speaks of: they are not read", &|found| {
            found.causality == Causality::Other && is_number(found)
        }),
        left("outputs that are no numbers: they are not read", &|found| {
            found.causality == Causality::Output && !is_number(found)
        }),
        left("parameters: they keep their start values, unless [const] gives them others", &|found| {
            found.causality == Causality::Parameter
        }),
    ];
    found.extend(groups.into_iter().flatten().map(|(names, what)| finding(Topic::Ignored, &names, what)));
    found
}

/// Names in a line, of which the last ones are counted.
fn shortened(names: &[&str]) -> String {
    const SHOWN: usize = 6;
    match names.len().checked_sub(SHOWN).filter(|&more| more > 1) {
        Some(more) => format!("{} and {more} more", names[..SHOWN].join(", ")),
        None => names.join(", "),
    }
}

impl Prepared {
    fn translate(self, request: &Request, judge: &dyn Judge) -> Result<Translated, Failure> {
        let Self { package, inner, resolved, findings, told } = self;
        let shown = |path: &Path| package.shown(path);
        let translated = match frontend_c::load(&inner) {
            Ok(mut program) => {
                program.rename_files(shown);
                frontend_c::translate_program_with(&inner, program, judge)
            }
            Err(mut failure) => {
                failure.sources.rename(shown);
                Err(failure)
            }
        };
        match translated {
            Ok(mut translated) => {
                put_before(told, &mut translated.diagnostics, &mut translated.sources);
                let inputs = inner.inputs.as_deref().unwrap_or_default();
                for finding in &mut translated.findings {
                    if finding.topic == Topic::Input && inputs.contains(&finding.subject) {
                        // The C front end was told by the driver, not by the user.
                        finding.reason = format!("{DESCRIPTION} says that it is an input");
                    }
                }
                translated.findings.splice(0..0, findings);
                translated.resolved = Request { limit: request.limit.clone(), ..resolved };
                Ok(translated)
            }
            Err(mut failure) => {
                put_before(told, &mut failure.diagnostics, &mut failure.sources);
                Err(failure)
            }
        }
    }
}

/// Puts messages before others, and the files that they speak of among theirs.
fn put_before(told: (Diagnostics, SourceMap), diagnostics: &mut Diagnostics, sources: &mut SourceMap) {
    let (mut told, files) = told;
    for span in told.entries.iter_mut().filter_map(|entry| entry.span.as_mut()) {
        span.file = sources.adopt(&files.files[span.file]);
    }
    diagnostics.entries.splice(0..0, told.entries);
}
