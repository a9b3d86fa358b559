//! Campaigns through the whole program: what is known is not searched again, whatever is killed.

use crate::support::said;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Counts up to a limit; one variant violates its requirement, one goal of the other model is dead.
const COUNTER: &str = "#include \"limit.h\"\nint n; void step(int up) { if (up && n < LIMIT) n++; __CPROVER_cover(n == LIMIT);\n\
    #ifdef WRONG\n    __CPROVER_assert(n < LIMIT, \"below\");\n#endif\n}\n";
const DEAD: &str =
    "int n; void step(int up) { n = up ? 1 : 0; __CPROVER_cover(n == 1); __CPROVER_cover(n == 2); }\n";
const LAMP: &str = "int on; void step(int press) { if (press) on = !on; __CPROVER_cover(on); }\n";
const CAMPAIGN: &str =
    "models = [\"models/*.c\"]\n[matrix]\ndefine = [[\"RIGHT\"], [\"WRONG\"]]\n[limits]\ntimeout = \"60s\"\n";

/// Writes down its calls; waits where it is to compile and told to.
const COMPILER: &str = "#!/bin/sh\necho \"$*\" >> HERE/calls\ncase \"$*\" in *-E*|*--version*) ;; *) \
    while [ -e HERE/hold ]; do touch HERE/held; sleep 0.05; done ;; esac\nPATH=${PATH#*:} exec cc \"$@\"\n";

/// Performs an array at once.
const SBATCH: &str = "#!/bin/sh\nfor script; do :; done\nfor range in $(sed -n 's/#SBATCH --array=//p' \"$script\" | tr ',' ' '); do\n\
    for number in $(seq ${range%-*} ${range#*-}); do SLURM_ARRAY_TASK_ID=$number sh \"$script\" > /dev/null 2>&1; done\ndone\necho 7\n";

/// Performs the jobs at once, as the module for Dask does; the first call has lost its scheduler.
const DASK: &str = "#!/bin/sh\n[ \"$1 $2\" = '-m chaincover.engines.dask' ] || exit 9\necho \"$*\" >> HERE/dask\n\
    while [ $# -gt 1 ]; do case $1 in --program) program=$2;; --store) store=$2;; --lines) lines=$2;; esac; shift; done\n\
    for number in $(echo $lines | tr ',' ' '); do \"$program\" job --store \"$store\" --line $number -- \"$1\" > /dev/null 2>&1\n\
    [ -e HERE/lost ] || { touch HERE/lost; exit 5; }\ndone\n";

/// How long a test waits for what must happen.
const PATIENCE: Duration = Duration::from_secs(60);

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    /// A campaign of six jobs.
    fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().expect("a temporary folder") };
        let files = [
            ("models/counter.c", COUNTER),
            ("models/limit.h", "#define LIMIT 3\n"),
            ("models/dead.c", DEAD),
            ("models/lamp.c", LAMP),
            ("campaign.toml", CAMPAIGN),
        ];
        files.iter().for_each(|(name, text)| place.write(name, text));
        place.program("bin/cc", COMPILER);
        place
    }
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    fn program(&self, name: &str, text: &str) {
        self.write(name, &text.replace("HERE", &self.folder.path().display().to_string()));
        std::fs::set_permissions(self.path(name), PermissionsExt::from_mode(0o755)).expect("a program");
    }
    /// Where programs are searched for: among those of the test first.
    fn search_path(&self) -> String {
        format!("{}:{}", self.path("bin").display(), std::env::var("PATH").unwrap_or_default())
    }
    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|why| panic!("{name}: {why}"))
    }
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chaincover"));
        command
            .current_dir(self.folder.path())
            .env_remove("CC")
            .env("PATH", self.search_path())
            .args(arguments);
        command
    }
    fn call(&self, arguments: &[&str]) -> (i32, String, String) {
        said(&self.command(arguments).output().expect("the program should start"))
    }
    /// Runs the campaign with further arguments, which must end with this code; what it says.
    fn run(&self, code: i32, arguments: &[&str]) -> String {
        let all = [&["campaign", "run", "campaign.toml", "-j", "2"], arguments].concat();
        let (found, out, error) = self.call(&all);
        assert_eq!(found, code, "{out}{error}");
        out
    }
    /// Runs the campaign in the background until one of its searches is held by the compiler.
    fn held(&self) -> Child {
        self.write("hold", "");
        let mut command = self.command(&["campaign", "run", "campaign.toml", "-j", "1"]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let child = child.expect("the program should start");
        self.wait_for_hold();
        child
    }
    fn wait_for_hold(&self) {
        let _ = std::fs::remove_file(self.path("held"));
        until("a compiler that is held", || self.path("held").exists());
    }
    fn release(&self) {
        std::fs::remove_file(self.path("hold")).expect("a file");
    }
    /// The processes of this campaign that run a command of the program.
    fn processes(&self, command: &str) -> Vec<Pid> {
        let store = self.path(".chaincover-store").display().to_string();
        let processes = std::fs::read_dir("/proc").expect("processes").flatten();
        let found = processes.filter_map(|entry| {
            let number = entry.file_name().to_str()?.parse().ok()?;
            let words = std::fs::read(entry.path().join("cmdline")).ok()?;
            let words = String::from_utf8_lossy(&words).into_owned();
            let is_own = words.split('\0').nth(1) == Some(command) && words.contains(&store);
            is_own.then(|| Pid::from_raw(number))
        });
        found.collect()
    }
    /// Kills the one process that runs a command, and waits until it is gone.
    fn kill(&self, command: &str) {
        let mut processes = Vec::new();
        until("a process to kill", || {
            processes = self.processes(command);
            processes.len() == 1
        });
        kill(processes[0], Signal::SIGKILL).expect("a process");
        until("the end of a process", || !self.processes(command).contains(&processes[0]));
    }
    /// The folders of results in the store, each with what its `job.json` holds.
    fn results(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut folders = vec![self.path(".chaincover-store/results")];
        let mut found = BTreeMap::new();
        while let Some(folder) = folders.pop() {
            match std::fs::read(folder.join("job.json")) {
                Ok(record) => drop(found.insert(folder, record)),
                Err(_) => folders.extend(
                    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()),
                ),
            }
        }
        found
    }
    /// The table without what differs from run to run.
    fn table(&self) -> Vec<Vec<String>> {
        let mut reader = csv_rows(&self.read("out/results.csv"));
        let changing = ["known", "seconds", "peak_kib", "result", "model"];
        let header = reader[0].clone();
        for row in &mut reader {
            let kept = row.iter().zip(&header).filter(|(_, name)| !changing.contains(&name.as_str()));
            *row = kept.map(|(cell, _)| cell.clone()).collect();
        }
        reader
    }
}

/// The cells of a table without quotes.
fn csv_rows(text: &str) -> Vec<Vec<String>> {
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "{what} was waited for in vain");
        std::thread::sleep(Duration::from_millis(10));
    }
}

const RESULT: &str =
    "3 covered, 1 violated (counter-WRONG/counter.c:4), 2 unreachable (dead-RIGHT, dead-WRONG)";

#[test]
fn only_what_has_changed_is_searched() {
    let place = Place::new();
    let first = place.run(10, &[]);
    assert!(
        first.starts_with(&format!("6 jobs: 0 known, 6 to run ... {RESULT}   out/index.html")),
        "{first}"
    );
    let table = place.table();
    let expected = ["counter-RIGHT", "counter-WRONG", "dead-RIGHT", "dead-WRONG", "lamp-RIGHT", "lamp-WRONG"];
    assert_eq!(table.iter().skip(1).map(|row| row[0].as_str()).collect::<Vec<_>>(), expected);
    let page = place.read("out/index.html");
    assert!(page.contains("report.html\">counter-WRONG</a>") && !page.contains("refresh"), "{page}");
    assert!(place.read("out/junit.xml").contains("tests=\"6\" skipped=\"2\" failures=\"1\" errors=\"0\""));

    // Nothing is searched: the compiler is asked for its version, and nothing else.
    place.write("calls", "");
    assert!(place.run(10, &[]).starts_with(&format!("6 jobs: 6 known, 0 to run ... {RESULT}")));
    assert_eq!(place.read("calls"), "--version\n");
    assert_eq!(place.table(), table);

    // A header concerns the jobs that read it, in both directions.
    place.write("models/limit.h", "#define LIMIT 5\n");
    assert!(place.run(10, &[]).starts_with("6 jobs: 4 known, 2 to run"));
    assert_ne!(place.table(), table);
    place.write("models/limit.h", "#define LIMIT 3\n");
    assert!(place.run(10, &[]).starts_with("6 jobs: 6 known, 0 to run"));
    assert_eq!(place.table(), table);

    // A greater budget changes nothing about what is proven; the page of another place is the same.
    place.write("campaign.toml", &CAMPAIGN.replace("60s", "90s"));
    assert!(place.run(10, &["-o", "other"]).starts_with("6 jobs: 6 known"));
}

/// A design that rests on two further files, which only yosys knows of.
const DESIGN: &str = "`include \"wanted.svh\"
module m(input clk, input at, output reg [3:0] word = 0);
  reg [3:0] rom [0:1];
  initial $readmemh(\"rom.hex\", rom);
  always @(posedge clk) word <= rom[at];
  always @(posedge clk) wanted: cover (word == `WANTED);
endmodule
";

#[test]
fn files_that_yosys_reads_count() {
    let place = Place::new();
    place.write("models/m.sv", DESIGN);
    place.write("campaign.toml", "models = [\"models/*.sv\"]\n[limits]\ntimeout = \"60s\"\n");
    let (unreachable, covered) = (20, 0);
    let table = [
        ("4", "4 1", covered, 0),
        ("4", "4 1", covered, 1),
        ("5", "4 1", unreachable, 0),
        ("5", "5 1", covered, 0),
        ("4", "4 1", covered, 1),
    ];
    for (wanted, words, code, known) in table {
        place.write("models/wanted.svh", &format!("`define WANTED {wanted}\n"));
        place.write("models/rom.hex", words);
        let said = place.run(code, &[]);
        let told = format!("1 jobs: {known} known, {} to run", 1 - known);
        assert!(said.starts_with(&told), "{wanted} of {words}: {said}");
    }
}

#[test]
fn nothing_is_lost_whatever_is_killed() {
    let place = Place::new();
    place.run(10, &["--store", "undisturbed"]);
    let table = place.table();

    // The command: its job and its search end with it, and the next run goes on.
    let mut command = place.held();
    command.kill().expect("a process");
    command.wait().expect("a process");
    until("the end of all processes", || {
        ["job", "chain"].iter().all(|name| place.processes(name).is_empty())
    });
    place.release();
    assert!(place.run(10, &[]).starts_with("6 jobs: 0 known, 6 to run"));
    assert_eq!(place.table(), table);
    std::fs::remove_dir_all(place.path(".chaincover-store")).expect("a folder");

    // A search, then its job.
    let command = place.held();
    place.kill("chain");
    place.kill("job");
    place.release();
    let (code, out, error) = said(&command.wait_with_output().expect("a process"));
    assert!(code == 10 && out.contains(RESULT), "{out}{error}");
    assert_eq!(place.table(), table);
    let aside = std::fs::read_dir(place.path(".chaincover-store/aside")).expect("a folder");
    assert!(aside.count() <= 1, "a job that was killed leaves one folder");
    place.run(10, &[]);
    assert_eq!(std::fs::read_dir(place.path(".chaincover-store/aside")).expect("a folder").count(), 0);
}

/// Kills a job or a search at a random time, then the command, again and again in one store.
/// `scripts/campaign_resilience.py` does so at length, on Dask and Slurm as well.
#[test]
fn nothing_is_lost_at_random_times() {
    let place = Place::new();
    place.run(10, &["--store", "undisturbed"]);
    let table = place.table();
    let mut state = std::process::id();
    let mut pause = || {
        // The constants of Numerical Recipes; the high bits are the random ones.
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        std::thread::sleep(Duration::from_millis(u64::from(state >> 16) % 300));
    };
    for round in 0..6 {
        let mut command = place.command(&["campaign", "run", "campaign.toml", "-j", "2"]);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut child = child.expect("the program should start");
        pause();
        let victims = place.processes(["job", "chain"][round % 2]);
        // It may have ended by itself meanwhile.
        victims.first().map(|&victim| kill(victim, Signal::SIGKILL));
        pause();
        let before = place.results();
        let _ = child.kill();
        child.wait().expect("a process");
        until("the end of all processes", || {
            ["job", "chain"].iter().all(|name| place.processes(name).is_empty())
        });
        let after = place.results();
        assert!(before.iter().all(|(folder, record)| after.get(folder) == Some(record)), "round {round}");
    }
    let known = place.results().len();
    let out = place.run(10, &["--retry", "crashed"]);
    assert!(out.starts_with(&format!("6 jobs: {known} known, {} to run ... {RESULT}", 6 - known)), "{out}");
    assert_eq!(place.table(), table);
    assert!(place.run(10, &[]).starts_with("6 jobs: 6 known, 0 to run"));
}

#[test]
fn a_job_that_dies_again_and_again_is_given_up() {
    // Whose death it is makes no difference: the job notes that of its search, the command that of
    // its job.
    for dying in ["chain", "job"] {
        let place = Place::new();
        place.write("campaign.toml", "models = [\"models/lamp.c\"]");
        let command = place.held();
        (0..3).for_each(|_| place.kill(dying));
        place.release();
        let (code, out, error) = said(&command.wait_with_output().expect("a process"));
        assert!(code == 6 && out.contains("1 crashed (lamp)"), "{out}{error}");
        assert!(error.contains("ended by signal 9") && error.contains("--retry crashed"), "{error}");
        assert!(place.run(6, &[]).starts_with("1 jobs: 1 known, 0 to run ... 1 crashed"));
        assert!(place.run(0, &["--retry", "crashed"]).contains("1 to run ... 1 covered"));
        assert!(place.run(0, &[]).contains("1 known, 0 to run ... 1 covered"));
    }
}

#[test]
fn other_engines_perform_jobs() {
    let place = Place::new();
    place.write("models/broken.c", "int f( {\n");
    let (code, lines, _) = place.call(&["campaign", "jobs", "campaign.toml"]);
    assert_eq!((code, lines.lines().count()), (0, 8));
    place.write("jobs.jsonl", &lines);
    let job = |line: &str| place.call(&["job", "--store", "s", "--line", line, "jobs.jsonl"]);
    let (code, first, _) = job("7");
    assert!(code == 0 && first.starts_with("lamp-RIGHT: covered   "), "{first}");
    assert_eq!(job("7"), (0, first.replace("covered ", "covered, known "), String::new()));
    let (code, out, error) = job("1");
    assert!(code == 3 && out.is_empty() && error.contains("broken.c:1:8"), "{error}");
    // A machine with another program says so, and nothing of it counts.
    place.write("other.jsonl", &lines.replace("\"build\":\"", "\"build\":\"0"));
    let (code, out, error) = place.call(&["job", "--store", "s", "--line", "8", "other.jsonl"]);
    assert!(code == 2 && out.is_empty() && error.contains("the job is for chaincover"), "{error}");
    let (code, _, error) = job("9");
    assert!(code == 2 && error.contains("there is no line 9; the lines are 1 to 8"), "{error}");

    place.program("bin/sbatch", SBATCH);
    let mut command =
        place.command(&["campaign", "run", "campaign.toml", "--store", "s", "--engine", "slurm"]);
    let (code, out, error) = said(&command.output().expect("the program should start"));
    assert!(code == 3 && out.contains("8 jobs: 1 known, 7 to run"), "{out}{error}");
    assert!(out.contains(RESULT) && out.contains("2 failed (broken-RIGHT, broken-WRONG)"), "{out}");
    assert!(place.read("out/jobs.sbatch").contains("#SBATCH --array=1-6,8\n"));
}

/// What Dask loses stays open, and the next run performs that alone.
#[test]
fn dask_performs_jobs() {
    let place = Place::new();
    place.program("bin/python3", DASK);
    let arguments =
        ["campaign", "run", "campaign.toml", "--engine", "dask", "--scheduler", "tcp://head:1", "-j", "2"];
    let (code, out, error) = place.call(&arguments);
    assert!(
        code == 5 && out.contains("6 jobs: 0 known, 6 to run") && out.contains("5 waiting"),
        "{out}{error}"
    );
    assert!(error.contains("jobs without a result: 5; run the command again"), "{error}");
    let (code, out, error) = place.call(&arguments);
    assert!(
        code == 10 && out.contains("6 jobs: 1 known, 5 to run") && out.contains(RESULT),
        "{code} {out}{error}"
    );
    let told = place.read("dask");
    let call = told.lines().last().expect("a call");
    assert!(call.contains("--lines 2,3,4,5,6 --scheduler tcp://head:1 -- /"), "{told}");
    // Without the module there is nothing to wait for.
    place.program("bin/python3", "#!/bin/sh\nexit 1\n");
    place.write("models/more.c", LAMP);
    let (code, _, error) = place.call(&arguments);
    assert!(code == 2 && error.contains("the jobs cannot be handed to Dask"), "{code} {error}");
    let (code, _, error) = place.call(&["campaign", "run", "campaign.toml", "--scheduler", "tcp://head:1"]);
    assert_eq!((code, error.as_str()), (2, "error: --scheduler is for --engine dask\n"));
}

/// Files, arguments, and a part of the message.
type BadInput<'t> = (&'t [(&'t str, &'t str)], &'t [&'t str], &'t str);

#[test]
fn what_cannot_be_used_is_told() {
    let table: [BadInput<'_>; 6] = [
        (&[("campaign.toml", "models = [\"nothing/*\"]")], &[], "matches no model"),
        (
            &[("campaign.toml", "models = [\"*/lamp.c\"]"), ("more/lamp.c", LAMP)],
            &[],
            "two jobs are named `lamp`",
        ),
        (&[("campaign.toml", "models = [\"models/lamp.c\"]\n[options]\nunwind = \"many\"")], &[], "--unwind"),
        (&[("s/store.json", "{\"format\":\"chaincover/store/9\"}")], &["--store", "s"], "chaincover/store/9"),
        (&[], &["--store", "/proc/store"], "the store cannot be written to"),
        (&[("out/index.html", "mine")], &[], "was not written by a campaign"),
    ];
    for (files, arguments, expected) in table {
        let place = Place::new();
        files.iter().for_each(|(name, text)| place.write(name, text));
        let (code, out, error) = place.call(&[&["campaign", "run", "campaign.toml"], arguments].concat());
        assert!(code == 2 && error.contains(expected), "{expected}: {out}{error}");
        assert!(!Path::new(&place.path("out/jobs.jsonl")).exists(), "{expected}");
    }
}
