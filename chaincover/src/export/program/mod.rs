//! A C program that replays a chain on the model's own sources: readable, with any compiler, for SIL, PIL, debuggers and gcov.
//!
//! It includes the sources, keeps one object for each pointer parameter as the front end does, sets the inputs of each step by
//! their lvalues, calls the step and compares the outputs. Types of parameters are taken as the source spells them
//! ([`signature`]). Models that need more than that (driver loops, outside functions whose results are inputs) are refused: `replay` runs
//! those.

mod own;
mod signature;
mod values;

use super::recording::{Chain, Kind, Recording, Signal};
use super::{ExportError, ExportFile, chain_file_name};
use crate::config::file::{ConfigFile, Scalar, StepEntry, StepSection};
use crate::html::Occasion;
use crate::output::chain_file::ChainFile;
use own::Taken;
use signature::{Mention, Parameter, Signature};
use std::fmt::Write;

/// One program for each chain.
pub(super) fn files(
    file: &ChainFile,
    recording: &Recording,
    occasion: &Occasion,
) -> Result<Vec<ExportFile>, ExportError> {
    let refused = |reason: String| ExportError::Writer { format: "c", reason };
    let model = Model::read(file, occasion).map_err(refused)?;
    let mut files = Vec::new();
    for (number, chain) in recording.chains.iter().enumerate() {
        if !chain.initial_inputs.is_empty() {
            let why = "the initialisation takes values from outside; `chaincover replay` can run it";
            return Err(refused(why.to_owned()));
        }
        let text = model.program(file, recording, chain, number).map_err(refused)?;
        files.push(ExportFile::text(chain_file_name(recording, number, "_replay.c"), text));
    }
    Ok(files)
}

/// Functions by which property functions state conditions; they do nothing in the program.
const CONDITIONS: [&str; 3] = ["__CPROVER_assume", "__CPROVER_cover", "__VERIFIER_assume"];

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
    text: String,
    taken: Taken,
}

impl Model {
    fn read(file: &ChainFile, occasion: &Occasion) -> Result<Self, String> {
        let mut text = String::new();
        for source in &file.model.configuration.model.sources {
            let places = [std::path::PathBuf::from(source), occasion.folder.join(source)];
            let found = places.iter().find_map(|place| std::fs::read(place).ok());
            let bytes = found.ok_or_else(|| format!("cannot find the source {source}"))?;
            text.push_str(&signature::without_comments(&String::from_utf8_lossy(&bytes)));
            text.push('\n');
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
        Ok(Self { init, steps, text, taken })
    }

    fn program(
        &self,
        file: &ChainFile,
        recording: &Recording,
        chain: &Chain,
        number: usize,
    ) -> Result<String, String> {
        let mut text = self.head(file, recording, number);
        self.objects(&mut text, &file.model.configuration);
        self.initialise(&mut text, &file.model.configuration)?;
        self.step(&mut text);
        values::tables(&mut text, recording, chain, &self.taken)?;
        let own = |name: &str| self.taken.own(name);
        let (step, wrong) = (own("step"), own("wrong"));
        let _ = writeln!(text, "\nstatic void {}(int {step})\n{{\n    (void){step};", own("set_inputs"));
        for (index, signal) in recording.inputs.iter().enumerate() {
            let table = own(&format!("input_{index}"));
            let _ = writeln!(text, "    {} = {table}[{step}];", self.place(signal)?);
        }
        let _ = write!(
            text,
            "}}\n\nstatic int {}(int {step})\n{{\n    int {wrong} = 0;\n    (void){step};\n",
            own("check_outputs")
        );
        for (index, signal) in recording.outputs.iter().enumerate() {
            let place = self.place(signal)?;
            let _ = writeln!(text, "    {}", values::check(signal, index, &place, &self.taken));
        }
        let _ = writeln!(text, "    return {wrong};\n}}");
        text.push_str(&self.main());
        Ok(text)
    }

    /// The loop over the steps.
    fn main(&self) -> String {
        let own = |name: &str| self.taken.own(name);
        let (step, wrong, steps) = (own("step"), own("wrong"), own("STEPS"));
        format!(
            "\nint main(void)\n{{\n    int {step}, {wrong} = 0;\n    {}();\n    for ({step} = 0; {step} < {steps}; {step}++) {{\n        \
             {}({step});\n        {}({step});\n        {wrong} += {}({step});\n    }}\n    \
             printf(\"%d steps, %d wrong outputs\\n\", {steps}, {wrong});\n    return {wrong} != 0;\n}}\n",
            own("model_initialize"),
            own("set_inputs"),
            own("model_step"),
            own("check_outputs")
        )
    }

    fn head(&self, file: &ChainFile, recording: &Recording, number: usize) -> String {
        let configuration = &file.model.configuration.model;
        let mut options = String::new();
        configuration.include.iter().for_each(|folder| options.push_str(&format!(" -I{folder}")));
        let mut text = format!(
            "/* Test case chain {} of {}, written by {}.\n *\n\
             * Includes the model, sets the inputs of each step, calls it and compares the outputs after the step.\n\
             * Exit code: 0 if all agree, 1 if not.\n *\n\
             *   gcc -fwrapv -I.{options} -o chain_replay chain_replay.c -lm && ./chain_replay\n\
             *   where . is the folder that the paths of the model's files below start from\n\
             *   with line and branch coverage: add --coverage -O0, run, then gcov\n *\n\
             * The chain was computed for the data model {}: where the compiler's int or long differ, results may.\n */\n",
            number + 1,
            comment(&recording.model),
            comment(&recording.tool),
            file.model.target
        );
        text.push_str("#include <math.h>\n#include <stdio.h>\n#include <string.h>\n\n");
        let mut stubs = String::new();
        for name in CONDITIONS {
            match signature::mention(&self.text, name) {
                Mention::None => {
                    let _ = writeln!(text, "#define {name}(condition) ((void)(condition))");
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
        configuration.sources.iter().for_each(|source| {
            let _ = writeln!(text, "#include \"{source}\"");
        });
        text.push_str("#undef main\n");
        text.push_str(&stubs);
        text.push('\n');
        text
    }

    /// One object for each pointer parameter and a variable for each other one; what pointers are bound to.
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

    /// The object of a step's parameter that a parameter of init gets: of the same type and name, else the only one of that type.
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

    /// How the program reaches a signal.
    fn place(&self, signal: &Signal) -> Result<String, String> {
        let lvalue = self.rewritten(&signal.lvalue);
        let outside = lvalue.contains('#') || lvalue.ends_with(".return") || lvalue.contains("::");
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
        Ok(lvalue)
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
    text.replace("*/", "* /").replace(['\n', '\r'], " ")
}
