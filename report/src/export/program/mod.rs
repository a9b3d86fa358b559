//! A C program that replays a chain on the model's own sources: readable, with any compiler, for
//! SIL, PIL, debuggers and gcov.
//!
//! It includes the sources, keeps one object for each pointer parameter as the front end does, sets
//! the inputs of each step by their lvalues, calls the step and compares the outputs. Types of
//! parameters are taken as the source spells them ([`signature`]). Models that need more than that
//! (driver loops, outside functions whose results are inputs) are refused: `replay` runs those.

mod headers;
pub(super) mod judged;
mod own;
mod paths;
mod place;
mod signature;
mod units;
mod values;

use super::recording::{Chain, Kind, Recording, Signal};
use super::{ExportError, ExportFile, chain_file_name};
use crate::html::Occasion;
use crate::output::chain_file::ChainFile;
use crate::output::visible::{c_literal, shell_word};
use config::file::{ConfigFile, Scalar, StepEntry, StepSection};
use frontend::diagnostics::{is_hidden, visible};
use headers::Headers;
use judged::Judged;
use own::Taken;
use place::Place;
use replay::ending::called;
use replay::native::coverage::WRITE_COVERAGE;
use signature::{Mention, Parameter, Signature};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use units::Unit;

/// One program for each chain.
pub(super) fn files(
    file: &ChainFile,
    recording: &Recording,
    occasion: &Occasion,
) -> Result<Vec<ExportFile>, ExportError> {
    let refused = |reason: String| ExportError::Writer { format: "c", reason };
    if recording.step.is_empty() {
        return Err(refused("the model has no step function in C".to_owned()));
    }
    let model = Model::read(file, occasion).map_err(refused)?;
    let mut files = Vec::new();
    for (number, chain) in recording.chains.iter().enumerate() {
        if !chain.initial_inputs.is_empty() {
            let why = "the initialisation takes values from outside; `chaincover replay` can run it";
            return Err(refused(why.to_owned()));
        }
        let name = chain_file_name(recording, number, "_replay.c");
        let function = chain.ends.as_deref().and_then(called);
        if let Some(function) = function.filter(|name| !["abort", "exit"].contains(name)) {
            let why = format!(
                "its last step calls `{function}`, behind which no program can tell anything; `chaincover replay` can run it"
            );
            return Err(refused(why));
        }
        let text = model.program(file, recording, (chain, number), &name).map_err(refused)?;
        files.push(ExportFile::text(name, text));
    }
    Ok(files)
}

/// What is there under a path of the configuration: as it stands, or beside the result.
fn found<T>(path: &str, occasion: &Occasion, read: impl Fn(&Path) -> Option<T>) -> Option<(PathBuf, T)> {
    let places = [PathBuf::from(path), occasion.folder.join(path)];
    places.into_iter().find_map(|place| read(&place).map(|what| (place, what)))
}

/// A path as a file in the output folder names it; as it was written where no folder is known.
fn spelt(path: &str, place: &Path, occasion: &Occasion) -> Result<PathBuf, String> {
    let Some(output) = &occasion.output else { return Ok(PathBuf::from(path)) };
    paths::relative(output, place).map_err(|error| format!("{}: {error}", place.display()))
}

/// Functions by which property functions state conditions, with their parameters; they do nothing in
/// the program.
const CONDITIONS: [(&str, &str); 4] = [
    ("__CPROVER_assume", "condition"),
    ("__CPROVER_cover", "condition"),
    ("__VERIFIER_assume", "condition"),
    ("__CPROVER_assert", "condition, text"),
];

/// A function called in every `every`-th step.
struct Scheduled {
    signature: Signature,
    every: u32,
    phase: u32,
}

/// What is called, and the text that is included.
struct Model {
    init: Option<Signature>,
    steps: Vec<Scheduled>,
    /// As the program includes them.
    sources: Vec<SourceText>,
    /// Sources that are compiled beside the program, since they cannot stand in one translation
    /// unit with the others.
    beside: Vec<PathBuf>,
    /// Folders of headers, as options of the compiler.
    include: Vec<PathBuf>,
    text: String,
    taken: Taken,
}

impl Model {
    fn read(file: &ChainFile, occasion: &Occasion) -> Result<Self, String> {
        let (mut text, mut files) = (String::new(), Vec::new());
        for source in &file.model.configuration.model.sources {
            let (place, bytes) = found(source, occasion, |place| std::fs::read(place).ok())
                .ok_or_else(|| format!("cannot find the source {source}; call from the folder in which the chain was searched, or put the result below it"))?;
            let plain = signature::without_comments(&String::from_utf8_lossy(&bytes));
            text.push_str(&plain);
            text.push('\n');
            files.push(SourceText { path: spelt(source, &place, occasion)?, text: plain, bytes });
        }
        let (sources, beside) = in_one_unit(files, file)?;
        if let Some(source) = sources.iter().find(|source| !source.is_spellable() && source.whole().is_none())
        {
            return Err(format!(
                "no `#include` can name {}, and the file is no UTF-8 that could be put into the program",
                source.path.display()
            ));
        }
        let mut include = Vec::new();
        for folder in &file.model.configuration.model.include {
            // A folder that is not there is none where headers are found.
            let place = found(folder, occasion, |place| place.is_dir().then_some(()));
            include.extend(place.map(|(place, ())| spelt(folder, &place, occasion)).transpose()?);
        }
        let find = |name: &str| {
            signature::find(&text, name)
                .ok_or_else(|| format!("cannot find the definition of `{name}` in the sources"))
        };
        let init = Some(file.model.init.as_str()).filter(|name| !name.is_empty()).map(find).transpose()?;
        let mut steps = Vec::new();
        for (name, every, phase) in scheduled(&file.model.configuration) {
            let signature = find(&name)?;
            if name == "main" || signature.loops {
                return Err(format!("`{name}` loops by itself; `chaincover replay` can run it"));
            }
            steps.push(Scheduled { signature, every, phase });
        }
        let taken = Taken::of(&text);
        Ok(Self { init, steps, sources, beside, include, text, taken })
    }

    fn program(
        &self,
        file: &ChainFile,
        recording: &Recording,
        (chain, number): (&Chain, usize),
        name: &str,
    ) -> Result<String, String> {
        let mut text = self.head(file, recording, (number, chain.ends.is_some()), name);
        self.objects(&mut text, &file.model.configuration);
        self.initialise(&mut text, &file.model.configuration)?;
        self.step(&mut text);
        let judged = Judged::new(file, recording, &|signal| self.place(signal));
        let has_bits =
            |signals: &[Signal]| signals.iter().any(|signal| Place::parse(&signal.lvalue).is_bits());
        text.push_str(&place::functions(
            has_bits(&recording.inputs),
            has_bits(&recording.outputs) || judged.reads_bits(),
            &self.taken,
        ));
        values::tables(&mut text, recording, chain, &self.taken)?;
        let own = |name: &str| self.taken.own(name);
        let (step, wrong) = (own("step"), own("wrong"));
        let _ = writeln!(text, "\nstatic void {}(int {step})\n{{\n    (void){step};", own("set_inputs"));
        for (index, signal) in recording.inputs.iter().enumerate() {
            let table = own(&format!("input_{index}"));
            let value = format!("{table}[{step}]");
            let _ = writeln!(text, "    {}", self.place(signal)?.assignment(&value, &self.taken));
        }
        let _ = write!(
            text,
            "}}\n\nstatic int {}(int {step})\n{{\n    int {wrong} = 0;\n    (void){step};\n",
            own("check_outputs")
        );
        for (index, signal) in recording.outputs.iter().enumerate() {
            let value = self.place(signal)?.value(signal.kind == Kind::Signed, &self.taken);
            let check = values::check(signal, index, &value, &self.taken);
            let _ = writeln!(text, "    {}{check}", values::guard(chain, index, &self.taken));
        }
        let _ = writeln!(text, "    return {wrong};\n}}");
        judged.functions(&mut text, recording, &self.taken);
        match &chain.ends {
            Some(ends) => text.push_str(&self.main_up_to_the_end(&judged, ends)),
            None => {
                text.push_str(&self.abortion());
                text.push_str(&self.main(&judged));
            }
        }
        Ok(text)
    }

    /// The loop over the steps, where the last one ends the program: what was seen is told before
    /// it ends. Where the compiler measures, it is told which function writes that.
    fn main_up_to_the_end(&self, judged: &Judged<'_>, ends: &str) -> String {
        let own = |name: &str| self.taken.own(name);
        let (now, wrong, ended, aborted) = (own("now"), own("wrong"), own("ended"), own("aborted"));
        let (set_inputs, model_step, check_outputs) =
            (own("set_inputs"), own("model_step"), own("check_outputs"));
        let (init, steps, before) = (own("model_initialize"), own("STEPS"), judged.before());
        let verdicts = judged.verdicts(&format!("{steps} - 1"), &self.taken);
        let behind = judged.behind(&now).replace("        ", "            ");
        // Behind a broken assumption or an undefined operation the program may go on.
        let is_unlike = if called(ends).is_some() { "!=" } else { "<" };
        let unlike = own("unlike");
        let ends = c_literal(&ends.replace('%', "%%"));
        format!(
            "\n#ifdef {WRITE_COVERAGE}\nextern int {WRITE_COVERAGE}(void);\n#endif\nstatic int {now}, {wrong};\n\n\
             /* The last step ends the program: what was seen is told before. */\nstatic void {ended}(void)\n{{\n    \
             int {unlike} = {now} {is_unlike} {steps} - 1;\n#ifdef {WRITE_COVERAGE}\n    {WRITE_COVERAGE}();\n#endif\n    \
             if ({unlike})\n        printf({now} < {steps} ? \"step %d ended the program before that: \" : \
             \"the last of %d steps returned: \", {now});\n    \
             printf(\"the last step is to end the program: {ends}\\n\");\n    \
             printf(\"%d steps, %d wrong outputs\\n\", {steps}, {wrong});\n{verdicts}    fflush(stdout);\n    \
             _Exit({unlike} || {wrong} != 0);\n}}\n\n\
             static void {aborted}(int number)\n{{\n    (void)number;\n    {ended}();\n}}\n\nint main(void)\n{{\n    \
             atexit({ended});\n    signal(SIGABRT, {aborted});\n    {init}();\n{before}    \
             for ({now} = 0; {now} < {steps}; {now}++) {{\n        {set_inputs}({now});\n        {model_step}({now});\n        \
             if ({now} < {steps} - 1) {{\n            {wrong} += {check_outputs}({now});\n{behind}        }}\n    }}\n    return 1;\n}}\n",
        )
    }

    /// The loop over the steps.
    fn main(&self, judged: &Judged<'_>) -> String {
        let own = |name: &str| self.taken.own(name);
        let (step, wrong, steps) = (own("step"), own("wrong"), own("STEPS"));
        let (waits, now) = match self.may_abort() {
            true => {
                ("    signal(SIGABRT, chaincover_aborted);\n", format!("        chaincover_now = {step};\n"))
            }
            false => ("", String::new()),
        };
        format!(
            "\nint main(void)\n{{\n    int {step}, {wrong} = 0;\n{waits}    {}();\n{}    for ({step} = 0; {step} < {steps}; {step}++) {{\n{now}        \
             {}({step});\n        {}({step});\n        {wrong} += {}({step});\n{}    }}\n    \
             printf(\"%d steps, %d wrong outputs\\n\", {steps}, {wrong});\n{}    return {wrong} != 0;\n}}\n",
            own("model_initialize"),
            judged.before(),
            own("set_inputs"),
            own("model_step"),
            own("check_outputs"),
            judged.behind(&step),
            judged.verdicts(&steps, &self.taken)
        )
    }

    fn head(
        &self,
        file: &ChainFile,
        recording: &Recording,
        (number, ends): (usize, bool),
        name: &str,
    ) -> String {
        let configuration = &file.model.configuration.model;
        let include: String = self.include.iter().map(|folder| format!(" -I{}", word(folder))).collect();
        let embedded = self.sources.iter().filter(|source| !source.is_spellable());
        let quoted: String = embedded.map(|source| format!(" -iquote {}", word(source.folder()))).collect();
        let program = name.trim_end_matches(".c");
        let beside = self.beside_options(&configuration.define);
        let lines = [
            format!("Test case chain {} of {}, written by {}.", number + 1, recording.model, recording.tool),
            String::new(),
            "Includes the model, sets the inputs of each step, calls it and compares the outputs after the step.".to_owned(),
            "Then it judges requirements by what it saw, whatever was recorded.".to_owned(),
            "Exit code: 0 if all agree and no requirement is violated, 1 if not. In the folder of this file:".to_owned(),
            String::new(),
            format!("  gcc -fwrapv -frounding-math -ffp-contract=off{include}{quoted}{beside} -o {program} {name} -lm && ./{program}"),
            "  with line and branch coverage: add --coverage -O0, run, then gcov".to_owned(),
            String::new(),
            format!("The chain was computed for the data model {}: where the compiler's int or long differ, results may.", file.model.target),
        ];
        let mut text = String::from("/*\n");
        lines.iter().for_each(|line| {
            let _ = writeln!(text, "{}", format!(" * {}", comment(line)).trim_end());
        });
        text.push_str(" */\n");
        let mut needed = if ends || self.may_abort() {
            vec!["math.h", "signal.h", "stdio.h", "stdlib.h", "string.h"]
        } else {
            vec!["math.h", "stdio.h", "string.h"]
        };
        // Sources may call `assert` without a word of where it comes from.
        let is_bare = self.taken.has("assert") && !self.text.contains("assert.h");
        if is_bare && matches!(signature::mention(&self.text, "assert"), Mention::None) {
            needed.push("assert.h");
        }
        let headers = Headers::of(&needed, (&self.text, &self.taken));
        text.push_str(&headers.before);
        text.push('\n');
        let mut stubs = String::new();
        for (name, parameters) in CONDITIONS {
            match signature::mention(&self.text, name) {
                Mention::None => {
                    let _ = writeln!(text, "#define {name}({parameters}) ((void)(condition))");
                }
                Mention::Declared(head, has_result) => {
                    let _ = writeln!(stubs, "{head} {{ {} }}", if has_result { "return 0;" } else { "" });
                }
                Mention::Defined => {}
            }
        }
        for definition in &configuration.define {
            let _ = writeln!(text, "#define {}", definition.replacen('=', " ", 1));
        }
        text.push_str("#define main model_main\n");
        self.sources.iter().for_each(|source| source.include(&mut text, name));
        text.push_str("#undef main\n");
        text.push_str(&stubs);
        text.push_str(&headers.behind);
        text.push('\n');
        text
    }

    /// Whether a step may end the program by `abort`, as a violated `assert` does.
    fn may_abort(&self) -> bool {
        self.taken.has("assert") || self.taken.has("abort")
    }

    /// What tells in which step the program was ended; nothing where it cannot be.
    fn abortion(&self) -> String {
        if !self.may_abort() {
            return String::new();
        }
        format!(
            "\nstatic int chaincover_now;\n\n/* A violated assertion, or a call of abort, ends the program. */\n\
             static void chaincover_aborted(int number)\n{{\n    (void)number;\n    \
             printf(\"step %d aborts: the %d steps from there on were not compared\\n\", chaincover_now, {} - chaincover_now);\n    \
             fflush(stdout);\n    _Exit(1);\n}}\n",
            self.taken.own("STEPS")
        )
    }

    /// What the compiler is given for the sources that the program does not include.
    fn beside_options(&self, define: &[String]) -> String {
        if self.beside.is_empty() {
            return String::new();
        }
        let define = define.iter().map(|definition| format!(" -D{}", shell_word(definition)));
        let files = self.beside.iter().map(|path| format!(" {}", word(path)));
        define.chain(files).collect()
    }

    /// One object for each pointer parameter and a variable for each other one; what pointers are
    /// bound to.
    fn objects(&self, text: &mut String, configuration: &ConfigFile) {
        text.push_str("/* The objects behind parameters, as the model gets them. */\n");
        for step in &self.steps {
            let function = &step.signature.name;
            for parameter in &step.signature.parameters {
                let name = format!("{function}_{}", parameter.name);
                match &parameter.pointee {
                    Some(pointee) => {
                        let _ = writeln!(
                            text,
                            "static {pointee} {name}_object;\nstatic {pointee} *const {name} = &{name}_object;"
                        );
                    }
                    None => {
                        let _ = writeln!(text, "static {} {name};", parameter.kind);
                    }
                }
            }
            if let Some(result) = &step.signature.result {
                let _ = writeln!(text, "static {result} {function}_return;");
            }
        }
        for (index, (pointer, target)) in configuration.bind.iter().enumerate() {
            if target == "new" {
                let _ = writeln!(text, "static __typeof__(*({})) bound_{index};", self.rewritten(pointer));
            }
        }
    }

    fn initialise(&self, text: &mut String, configuration: &ConfigFile) -> Result<(), String> {
        let _ = writeln!(text, "\nstatic void {}(void)\n{{", self.taken.own("model_initialize"));
        for (index, (pointer, target)) in configuration.bind.iter().enumerate() {
            let target = if target == "new" { format!("&bound_{index}") } else { target.clone() };
            let _ = writeln!(text, "    {} = {target};", self.rewritten(pointer));
        }
        for (place, value) in &configuration.constants {
            let _ = writeln!(text, "    {} = {};", self.rewritten(place), Scalar::to_c(value));
        }
        if let Some(init) = &self.init {
            let arguments: Result<Vec<String>, String> =
                init.parameters.iter().map(|parameter| self.object_for(init, parameter)).collect();
            let _ = writeln!(text, "    {}({});", init.name, arguments?.join(", "));
        }
        text.push_str("}\n");
        Ok(())
    }

    /// The object of a step's parameter that a parameter of init gets: of the same type and name,
    /// else the only one of that type.
    fn object_for(&self, init: &Signature, wanted: &Parameter) -> Result<String, String> {
        let pointee = wanted.pointee.as_ref();
        let pointee = pointee.ok_or_else(|| format!("`{}` takes values, not objects", init.name))?;
        let all = self.steps.iter().flat_map(|step| {
            step.signature.parameters.iter().map(move |parameter| (&step.signature.name, parameter))
        });
        let fitting: Vec<_> =
            all.filter(|(_, parameter)| parameter.pointee.as_ref() == Some(pointee)).collect();
        let named = fitting.iter().find(|(_, parameter)| parameter.name == wanted.name);
        match (named, fitting.as_slice()) {
            (Some((function, parameter)), _) | (None, [(function, parameter)]) => {
                Ok(format!("{function}_{}", parameter.name))
            }
            _ => Err(format!("cannot tell which object `{}` gets for `{}`", init.name, wanted.name)),
        }
    }

    fn step(&self, text: &mut String) {
        let step = self.taken.own("step");
        let _ = writeln!(
            text,
            "\nstatic void {}(int {step})\n{{\n    (void){step};",
            self.taken.own("model_step")
        );
        for Scheduled { signature, every, phase } in &self.steps {
            let name = &signature.name;
            let arguments: Vec<String> =
                signature.parameters.iter().map(|parameter| format!("{name}_{}", parameter.name)).collect();
            let result = if signature.result.is_some() { format!("{name}_return = ") } else { String::new() };
            let guard = if *every > 1 { format!("if ({step} % {every} == {phase}) ") } else { String::new() };
            let _ = writeln!(text, "    {guard}{result}{name}({});", arguments.join(", "));
        }
        text.push_str("}\n");
    }

    /// Whether the sources call or declare a function of this name: what follows its name in an
    /// lvalue is what it is given.
    fn is_function(&self, name: &str) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut found = self.text.match_indices(name);
        !name.is_empty()
            && found.any(|(at, _)| {
                let behind = &self.text[at + name.len()..];
                !self.text[..at].ends_with(is_word) && behind.trim_start().starts_with('(')
            })
    }

    /// How the program reaches a signal.
    fn place(&self, signal: &Signal) -> Result<Place, String> {
        let lvalue = self.rewritten(&signal.lvalue);
        let outside = lvalue.contains('#') || lvalue.ends_with(".return") || lvalue.contains("::");
        let outside = outside || lvalue.split_once('.').is_some_and(|(base, _)| self.is_function(base));
        if outside {
            return Err(format!(
                "`{}` cannot be reached from outside the code; `chaincover replay` can",
                signal.lvalue
            ));
        }
        debug_assert!(matches!(
            signal.kind,
            Kind::Bool | Kind::Unsigned | Kind::Signed | Kind::Single | Kind::Double
        ));
        Ok(Place::parse(&lvalue))
    }

    /// `step.parameter` becomes the variable `step_parameter`, and `file.c::name` the name.
    fn rewritten(&self, lvalue: &str) -> String {
        let start = lvalue.find(|c: char| c.is_alphabetic() || c == '_').unwrap_or(0);
        let (stars, rest) = lvalue.split_at(start);
        let rest = rest.split_once(".c::").map_or(rest, |(_, name)| name);
        for step in &self.steps {
            let name = &step.signature.name;
            if let Some(member) = rest.strip_prefix(name.as_str()).and_then(|rest| rest.strip_prefix('.')) {
                return format!("{stars}{name}_{member}");
            }
        }
        format!("{stars}{rest}")
    }
}

/// A source.
struct SourceText {
    /// As a file in the output folder names it.
    path: PathBuf,
    /// Without comments.
    text: String,
    /// As it stands.
    bytes: Vec<u8>,
}

impl SourceText {
    /// Whether an `#include` can name the file: its quotes know no escapes.
    fn is_spellable(&self) -> bool {
        !self.path.to_string_lossy().contains(|character| character == '"' || is_hidden(character))
    }
    fn folder(&self) -> &Path {
        self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }
    fn whole(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok()
    }
    /// Includes the file into the program of that name; what cannot be named is put there itself,
    /// and tells its lines as its own.
    fn include(&self, program: &mut String, name: &str) {
        let path = self.path.to_string_lossy();
        let Some(whole) = self.whole().filter(|_| !self.is_spellable()) else {
            let _ = writeln!(program, "#include \"{path}\"");
            return;
        };
        let _ = writeln!(program, "#line 1 \"{}\"\n{}", c_literal(&path), whole.trim_end_matches('\n'));
        let line = program.matches('\n').count() + 2;
        let _ = writeln!(program, "#line {line} \"{name}\"");
    }
}

/// A path as one word for a shell, and no option.
fn word(path: &Path) -> String {
    let text = path.to_string_lossy();
    shell_word(&if text.starts_with('-') { format!("./{text}") } else { text.into_owned() })
}

/// The sources that the program includes, and those that are compiled beside it: none where all may
/// stand in one translation unit.
fn in_one_unit(files: Vec<SourceText>, file: &ChainFile) -> Result<(Vec<SourceText>, Vec<PathBuf>), String> {
    let units: Vec<Unit> = files.iter().map(|file| Unit::read(&file.text)).collect();
    if units::conflicts(&units).is_empty() {
        return Ok((files, Vec::new()));
    }
    let called = scheduled(&file.model.configuration).into_iter().map(|(name, ..)| name);
    let called: Vec<String> = called.chain([file.model.init.clone()]).collect();
    let needed: Vec<bool> = files
        .iter()
        .zip(&units)
        .map(|(source, unit)| {
            let mut signals = file.inputs.iter().chain(&file.outputs);
            let states_conditions = CONDITIONS.iter().any(|(name, _)| source.text.contains(name));
            unit.defines("main")
                || states_conditions
                || called.iter().any(|name| unit.defines(name))
                || signals.any(|signal| is_in(&signal.lvalue, source, unit))
        })
        .collect();
    let included = units.iter().zip(&needed).filter(|(_, needed)| **needed).map(|(unit, _)| unit);
    let conflicts: Vec<String> = units::conflicts(included).into_iter().collect();
    match conflicts.is_empty() {
        true => {
            let (included, beside): (Vec<_>, Vec<_>) =
                files.into_iter().zip(needed).partition(|(_, is_needed)| *is_needed);
            let sources = included.into_iter().map(|(source, _)| source).collect();
            Ok((sources, beside.into_iter().map(|(source, _)| source.path).collect()))
        }
        false => Err(format!(
            "the sources cannot stand in one translation unit, since more than one of them has {}; `chaincover replay` can run them",
            conflicts.join(", ")
        )),
    }
}

/// Whether what an lvalue begins with is defined in this file.
fn is_in(lvalue: &str, source: &SourceText, unit: &Unit) -> bool {
    let start = lvalue.find(|letter: char| letter.is_alphabetic() || letter == '_').unwrap_or(0);
    let (place, name) = match lvalue[start..].split_once("::") {
        Some((place, name)) => (Some(place), name),
        None => (None, &lvalue[start..]),
    };
    let end = name.find(|letter: char| !(letter.is_alphanumeric() || letter == '_')).unwrap_or(name.len());
    let is_place = place.is_none_or(|place| source.path.ends_with(place));
    is_place && unit.defines(&name[..end])
}

/// Name, rate and phase of the step functions.
fn scheduled(configuration: &ConfigFile) -> Vec<(String, u32, u32)> {
    match &configuration.model.step {
        None => Vec::new(),
        Some(StepSection::One(name)) => vec![(name.clone(), 1, 0)],
        Some(StepSection::Several(entries)) => entries
            .iter()
            .map(|entry| match entry {
                StepEntry::Name(name) => (name.clone(), 1, 0),
                StepEntry::Rated(rated) => (rated.function.clone(), rated.every, rated.phase),
            })
            .collect(),
    }
}

/// Text that may stand in a comment.
fn comment(text: &str) -> String {
    visible(text).replace("*/", "* /")
}
