//! The way back from the system to the design.

use crate::bench::{Bench, Design, Names};
use crate::code::Code;
use crate::instrument::{Statement, instrumented};
use frontend::diagnostics::Diagnostics;
use frontend::process::{Allowance, run};
use frontend::{Location, ReplayPlan, SIMULATED, Source};
use model::id::Id;
use model::system::{GoalId, OriginId};
use model::trace::Trace;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

/// A Verilog design.
pub struct VerilogSource {
    /// Places by [`OriginId`].
    pub(crate) places: Vec<Location>,
    /// The lines there.
    pub(crate) texts: Vec<String>,
    /// By goal.
    pub(crate) origins: Vec<Option<OriginId>>,
    /// What yosys made of it.
    pub(crate) btor2: String,
    pub(crate) design: Design,
    pub(crate) statements: Vec<Statement>,
}

/// How chains are replayed: the simulator with its version, which is asked for once.
fn how() -> &'static str {
    static ANSWER: OnceLock<String> = OnceLock::new();
    ANSWER.get_or_init(|| {
        let called = run(Command::new("vvp").arg("-V"), &Allowance::new(ASKING));
        let said = called.ok().and_then(Result::ok).map(|ended| [ended.stdout, ended.stderr].concat());
        let said = String::from_utf8_lossy(said.as_deref().unwrap_or_default());
        let version = said.split_once(" version ").and_then(|(_, rest)| rest.split_whitespace().next());
        version.map_or_else(|| SIMULATED.to_owned(), |version| format!("{SIMULATED} {version}"))
    })
}

/// What asking for a version may take.
const ASKING: Duration = Duration::from_secs(10);

impl VerilogSource {
    fn text(&self, origin: OriginId) -> &str {
        self.texts.get(origin.index()).map_or("", String::as_str)
    }
}

impl Source for VerilogSource {
    fn locate(&self, origin: OriginId) -> Location {
        self.places.get(origin.index()).cloned().unwrap_or(Location { file: Default::default(), line: 0 })
    }

    /// A bench for Icarus Verilog, with the files of the design. Covers at clock edges are made to
    /// print that they are hit; where a file uses functions of formal tools, its formal part is
    /// left out, and inputs, outputs and states alone are compared.
    fn replay_plan(&self, trace: &Trace) -> Result<ReplayPlan, Diagnostics> {
        let refuse = |message: String| {
            let mut diagnostics = Diagnostics::default();
            diagnostics.error(Code::NoReplay, None, message);
            diagnostics
        };
        let bench = Bench::new(&self.design, trace).map_err(refuse)?;
        let made_up = Names::made_up();
        // A design can read the files of its folder whose names it knows, its own among them.
        let (bench_file, simulation) =
            (format!("bench-{}.sv", made_up.tag), format!("simulation-{}", made_up.tag));
        let mut files = vec![(bench_file.clone(), bench.protocol(&made_up))];
        let (mut names, mut goals) = (Vec::new(), Vec::new());
        let texts: Option<Vec<String>> =
            self.design.sources.iter().map(|path| crate::instrument::read(path)).collect();
        let texts = texts.ok_or_else(|| refuse("a source cannot be read any more".to_owned()))?;
        let is_formal = texts.iter().all(|text| !crate::instrument::needs_formal_tool(text));
        if texts.iter().any(|text| crate::instrument::calls_formal_tool(text)) {
            return Err(refuse(
                "the design uses functions of formal tools ($past, $stable, ...) outside `ifdef FORMAL, which simulators do not know".to_owned(),
            ));
        }
        for (index, (path, text)) in self.design.sources.iter().zip(&texts).enumerate() {
            let (text, printed) =
                instrumented(text, path, &self.statements, (&made_up, self.design.reset_steps()));
            goals.extend(printed);
            let name = format!("design_{index}.{}", ending(path));
            files.push((name.clone(), text));
            names.push(name);
        }
        for (name, path) in self.design.others_beside_sources() {
            let is_taken = files.iter().any(|(taken, _)| *taken == name);
            if let Some(text) = crate::instrument::read(path).filter(|_| !is_taken) {
                files.push((name, text));
            }
        }
        goals.sort_unstable();
        goals.dedup();
        let mut compile: Vec<String> =
            ["iverilog", "-g2012", "-s", &made_up.module, "-o", &simulation].map(str::to_owned).into();
        if is_formal {
            compile.push("-DFORMAL".to_owned());
        } else {
            goals.clear();
        }
        compile.extend(self.design.compiler_options());
        compile.push(bench_file);
        compile.extend(names);
        // What is unknown in a simulator is covered by no choice of the system's.
        if self.design.is_undefined {
            goals.clear();
        }
        let how = match (is_formal, self.design.is_undefined) {
            (false, _) => format!("{}, without the part for formal tools", how()),
            (true, true) => format!("{}, but for covers, which undefined values may decide", how()),
            (true, false) => how().to_owned(),
        };
        // Programs that run confined are named by their whole paths.
        let Some(simulator) = program("vvp").filter(|_| program("iverilog").is_some()) else {
            return Err(refuse("`iverilog` is not installed (Debian's package `iverilog`)".to_owned()));
        };
        let simulate = [simulator.as_str(), "-n", &simulation].map(str::to_owned).into();
        let commands = vec![compile, simulate];
        Ok(ReplayPlan { files, commands, how, goals, secrets: vec![made_up.tag, made_up.module] })
    }

    /// Yosys names itself in the first line.
    fn translator(&self) -> Option<&str> {
        let line = self.btor2.lines().next()?;
        let named = line.strip_prefix("; BTOR description generated by ")?;
        Some(named.split_once(" for module ").map_or(named, |(name, _)| name))
    }

    fn goal_text(&self, goal: GoalId) -> String {
        let origin = self.origins.get(goal.index()).copied().flatten();
        origin.map_or_else(String::new, |origin| self.text(origin).to_owned())
    }

    fn bench(
        &self,
        trace: &Trace,
        outputs: &[Vec<model::value::Value>],
    ) -> Option<Result<frontend::Benches, String>> {
        Some(Bench::new(&self.design, trace).map(|bench| bench.exported(outputs)))
    }

    fn ir_text(&self) -> String {
        self.btor2.clone()
    }
}

/// The path of a program.
fn program(name: &str) -> Option<String> {
    let folders = std::env::var_os("PATH")?;
    let found =
        std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())?;
    std::path::absolute(found).ok()?.to_str().map(str::to_owned)
}

fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().into_owned()
}
