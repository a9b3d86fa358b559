//! Mutants of C code against breadth-first search over the compiled code: verdicts and shortest
//! kills.

use chaincover::mutation::{Mutant, MutationFile};
use chaincover::{Against, CodeMutateOptions, Finding, Kill, Options, Settings};
use chaincover::{MUTANT_PROOFS, mutate_code, verify, write_evidence_of_mutants};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const LAMP: &str = "struct memory { unsigned char mode, count, seen; } m;
void init(void) {
    m.mode = 0;
    m.count = 3;
}
void step(_Bool press, _Bool slow) {
    if (press && !slow) {
        m.mode = m.mode < 2 ? m.mode + 1 : 0;
        m.count = 0;
    } else if (slow || m.count >= 3) {
        m.count = 3;
    } else {
        m.count++;
    }
    switch (m.mode) {
        case 0: m.seen = 0; break;
        case 1: m.seen = (m.count > 2); break;
        default: m.seen = 2; break;
    }
}
";

const GATE: &str = "struct memory { unsigned char level, last, seen; } m;
void init(void) {
    m.level = 1;
}
void step(_Bool up, _Bool down) {
    if (up != m.last) {
        m.level += up;
    }
    if (down) {
        m.level -= (m.level > 0);
    }
    if (m.level > 4) m.level = 4;
    m.last = up | 0;
    m.seen = (m.level == 0 ? 1 : (m.level & 4) >> 1);
}
";

const CONFIGURATION: &str = "[model]\nsources = [\"model.c\"]\ninit = \"init\"\nstep = \"step\"\n\
                             inputs = [\"step.A\", \"step.B\"]\noutputs = [\"m.seen\"]\n";

/// Compares a version with version 0 under all inputs, breadth first.
const DRIVER: &str = r#"
#include <stdio.h>
#include <string.h>
struct version { int number; void (*init)(void); void (*step)(_Bool, _Bool); unsigned char *memory; };
static struct version versions[] = { VERSIONS };
static unsigned char pairs[200000][6]; static int depths[200000];
int main(void) {
    struct version *one = versions;
    for (unsigned at = 1; at < sizeof versions / sizeof *versions; at++) {
        struct version *two = versions + at;
        int count = 1, found = 0;
        memset(one->memory, 0, 3); memset(two->memory, 0, 3);
        one->init(); two->init();
        memcpy(pairs[0], one->memory, 3); memcpy(pairs[0] + 3, two->memory, 3); depths[0] = 0;
        for (int next = 0; next < count && !found; next++)
            for (int input = 0; input < 4 && !found; input++) {
                memcpy(one->memory, pairs[next], 3); memcpy(two->memory, pairs[next] + 3, 3);
                one->step(input & 1, input >> 1); two->step(input & 1, input >> 1);
                if (one->memory[2] != two->memory[2]) { found = depths[next] + 1; break; }
                unsigned char pair[6]; int known = 0;
                memcpy(pair, one->memory, 3); memcpy(pair + 3, two->memory, 3);
                for (int other = 0; other < count && !known; other++) known = !memcmp(pairs[other], pair, 6);
                if (!known) { memcpy(pairs[count], pair, 6); depths[count++] = depths[next] + 1; }
            }
        printf("%d %d\n", two->number, found);
    }
    return 0;
}
"#;

/// As [`DRIVER`], where a difference counts that is seen at most `MOST` steps after the first one in
/// memory.
const SOON: &str = r#"
#include <stdio.h>
#include <string.h>
struct version { int number; void (*init)(void); void (*step)(_Bool, _Bool); unsigned char *memory; };
static struct version versions[] = { VERSIONS };
static unsigned char pairs[200000][7]; static int depths[200000];
int main(void) {
    struct version *one = versions;
    for (unsigned at = 1; at < sizeof versions / sizeof *versions; at++) {
        struct version *two = versions + at;
        int count = 1, found = 0;
        memset(one->memory, 0, 3); memset(two->memory, 0, 3);
        one->init(); two->init();
        memcpy(pairs[0], one->memory, 3); memcpy(pairs[0] + 3, two->memory, 3); depths[0] = 0; pairs[0][6] = 0;
        for (int next = 0; next < count && !found; next++)
            for (int input = 0; input < 4 && !found; input++) {
                int since = pairs[next][6];
                memcpy(one->memory, pairs[next], 3); memcpy(two->memory, pairs[next] + 3, 3);
                one->step(input & 1, input >> 1); two->step(input & 1, input >> 1);
                if (one->memory[2] != two->memory[2] && since <= MOST) { found = depths[next] + 1; break; }
                unsigned char pair[7]; int known = 0;
                memcpy(pair, one->memory, 3); memcpy(pair + 3, two->memory, 3);
                pair[6] = since > MOST ? since : since ? since + 1 : memcmp(pair, pair + 3, 3) != 0;
                for (int other = 0; other < count && !known; other++) known = !memcmp(pairs[other], pair, 7);
                if (!known) { memcpy(pairs[count], pair, 7); depths[count++] = depths[next] + 1; }
            }
        printf("%d %d\n", two->number, found);
    }
    return 0;
}
"#;

/// Compares single steps of a version with those of version 0 from all memory that version 0
/// reaches, breadth first.
const STEPS: &str = r#"
#include <stdio.h>
#include <string.h>
struct version { int number; void (*init)(void); void (*step)(_Bool, _Bool); unsigned char *memory; };
static struct version versions[] = { VERSIONS };
static unsigned char known[1000][3]; static int depths[1000];
int main(void) {
    struct version *one = versions;
    for (unsigned at = 1; at < sizeof versions / sizeof *versions; at++) {
        struct version *two = versions + at;
        int count = 1, found = 0;
        memset(one->memory, 0, 3); memset(two->memory, 0, 3);
        one->init(); two->init();
        if (memcmp(one->memory, two->memory, 3)) found = 1;
        memcpy(known[0], one->memory, 3); depths[0] = 0;
        for (int next = 0; next < count && !found; next++)
            for (int input = 0; input < 4 && !found; input++) {
                memcpy(one->memory, known[next], 3); memcpy(two->memory, known[next], 3);
                one->step(input & 1, input >> 1); two->step(input & 1, input >> 1);
                if (memcmp(one->memory, two->memory, 3)) { found = depths[next] + 1; break; }
                int is_old = 0;
                for (int other = 0; other < count && !is_old; other++)
                    is_old = !memcmp(known[other], one->memory, 3);
                if (!is_old) { memcpy(known[count], one->memory, 3); depths[count++] = depths[next] + 1; }
            }
        printf("%d %d\n", two->number, found);
    }
    return 0;
}
"#;

/// For each version that is no original the steps of its shortest kill; 0: there is none.
fn enumerated(folder: &Path, texts: &[(usize, String)], driver: &str) -> BTreeMap<usize, u32> {
    let (mut program, mut table) = (String::new(), String::new());
    for (number, text) in texts {
        let names = ["memory", "m", "init", "step"];
        names.iter().for_each(|name| writeln!(program, "#define {name} {name}_{number}").expect("a text"));
        program.push_str(text);
        names.iter().for_each(|name| writeln!(program, "#undef {name}").expect("a text"));
        write!(table, "{{ {number}, init_{number}, step_{number}, (unsigned char *)&m_{number} }},")
            .expect("a text");
    }
    program.push_str(&driver.replace("VERSIONS", &table));
    std::fs::write(folder.join("all.c"), program).expect("a file");
    let compile =
        Command::new("cc").args(["-w", "-fwrapv", "-o", "all", "all.c", "-lm"]).current_dir(folder).status();
    assert!(compile.expect("a compiler").success(), "the versions should compile");
    let output = Command::new(folder.join("all")).output().expect("a program").stdout;
    let output = String::from_utf8(output).expect("numbers");
    let pair = |line: &str| {
        let (number, depth) = line.split_once(' ').expect("two numbers");
        (number.parse().expect("a number"), depth.parse().expect("a number"))
    };
    output.lines().map(pair).collect()
}

/// The text with the changes of a mutant; none where one that is shown lies in another.
pub(crate) fn changed(text: &str, mutant: &Mutant) -> Option<String> {
    let first = (mutant.line, mutant.column, &mutant.old, &mutant.new);
    let further = mutant.further.iter().map(|change| (change.line, change.column, &change.old, &change.new));
    let mut changes: Vec<_> = std::iter::once(first).chain(further).collect();
    changes.sort();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let is_apart = |pair: &[(u32, u32, &String, &String)]| {
        pair[0].0 != pair[1].0 || pair[0].1 + pair[0].2.len() as u32 <= pair[1].1
    };
    if !changes.windows(2).all(is_apart) {
        return None;
    }
    for (line, column, old, new) in changes.into_iter().rev() {
        let (own, at) = (&mut lines[line as usize - 1], column as usize - 1);
        assert!(own[at..].starts_with(old.as_str()), "the old text stands at its place");
        own.replace_range(at..at + old.len(), new);
    }
    Some(lines.join("\n") + "\n")
}

/// A model in a folder.
fn written(text: &str, inputs: [&str; 2]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let configuration = CONFIGURATION.replace("step.A", &format!("step.{}", inputs[0]));
    let configuration = configuration.replace("step.B", &format!("step.{}", inputs[1]));
    std::fs::write(folder.path().join("model.c"), text).expect("a file");
    std::fs::write(folder.path().join("chaincover.toml"), configuration).expect("a file");
    folder
}

/// Judges the mutants of a model, or so many with two changes, and compares with the compiled code.
#[track_caller]
fn check(text: &str, inputs: [&str; 2], kill: Kill, pairs: Option<usize>) {
    judged(text, inputs, (kill, None), pairs);
}

/// Judges the mutants that differ in outputs so many steps after the first difference.
#[track_caller]
fn check_soon(text: &str, inputs: [&str; 2], within: u32) -> usize {
    judged(text, inputs, (Kill::Output, Some(within)), None)
}

/// Judges mutants, compares with the compiled code, and counts those that are killed.
#[track_caller]
fn judged(text: &str, inputs: [&str; 2], (kill, within): (Kill, Option<u32>), pairs: Option<usize>) -> usize {
    let folder = written(text, inputs);
    let deadline = Instant::now().checked_add(Duration::from_secs(300));
    let search = Options { jobs: 2, deadline, ..Options::default() };
    let (sample, pairs) = (pairs, pairs.is_some());
    let options =
        CodeMutateOptions { search, kill, within, no_replay: true, sample, pairs, ..Default::default() };
    let paths: [PathBuf; 1] = [folder.path().to_owned()];
    let file = mutate_code(&paths, &Settings::default(), &options).expect("the model should be right");
    let mut texts = vec![(0, text.to_owned())];
    for (number, mutant) in file.mutants.iter().enumerate().filter(|(_, mutant)| mutant.verdict != "unviable")
    {
        texts.extend(changed(text, mutant).map(|changed| (number + 1, changed)));
    }
    assert!(texts.len() > 40, "{}", texts.len());
    let driver = match within {
        Some(most) => SOON.replace("MOST", &most.to_string()),
        None if kill == Kill::Step => STEPS.to_owned(),
        None => DRIVER.to_owned(),
    };
    let truth = enumerated(folder.path(), &texts, &driver);
    let mut open = 0;
    for (number, mutant) in file.mutants.iter().enumerate().filter(|(_, mutant)| mutant.verdict != "unviable")
    {
        let told = format!(
            "{} {}:{} {} -> {}: {}",
            mutant.id, mutant.line, mutant.column, mutant.old, mutant.new, mutant.by
        );
        if kill == Kill::Step && mutant.by.starts_with("it reads ") {
            // What the original does not keep from step to step cannot be said of it.
            assert_eq!(mutant.verdict, "undecided", "{told}");
            open += 1;
            continue;
        }
        let Some(&truth) = truth.get(&(number + 1)) else { continue };
        match truth {
            0 => assert!(["conforms", "equivalent"].contains(&mutant.verdict.as_str()), "{told}"),
            depth => {
                assert_eq!(mutant.verdict, "killed", "{told}");
                assert_eq!(mutant.alone, Some(depth), "{told}");
                let (chain, step) = (mutant.chain.expect("a chain"), mutant.step.expect("a step"));
                assert!(step + 1 >= depth as usize, "{told}");
                assert!(file.chains[chain].steps[step].reveals.contains(&mutant.id), "{told}");
            }
        }
    }
    assert!(open <= 6, "{open}");
    assert!(file.minimal, "{} chains of {} steps", file.chains.len(), file.length);
    assert_eq!(file.within, within);
    file.count("killed")
}

#[test]
fn mutants_of_a_lamp_are_judged_as_the_compiled_code_says() {
    check(LAMP, ["press", "slow"], Kill::Output, None);
}

#[test]
fn single_steps_of_mutants_are_judged_as_the_compiled_code_says() {
    check(LAMP, ["press", "slow"], Kill::Step, None);
    check(GATE, ["up", "down"], Kill::Step, None);
}

#[test]
fn mutants_of_a_gate_are_judged_as_the_compiled_code_says() {
    check(GATE, ["up", "down"], Kill::Output, None);
}

/// The gate shows what it counts late: the sooner, the fewer.
#[test]
fn differences_that_are_seen_soon_are_those_of_the_compiled_code() {
    let killed = [0, 1, 2, 3].map(|within| check_soon(GATE, ["up", "down"], within));
    assert!(killed.is_sorted() && killed[0] < killed[3], "{killed:?}");
    check_soon(LAMP, ["press", "slow"], 0);
    check_soon(LAMP, ["press", "slow"], 2);
}

#[test]
fn mutants_with_two_changes_are_judged_as_the_compiled_code_says() {
    check(LAMP, ["press", "slow"], Kill::Output, Some(60));
}

/// A unified diff of two texts with as many lines, without context.
fn diff(old: &str, new: &str) -> String {
    let mut text = "--- a/src/model.c\n+++ b/src/model.c\n".to_owned();
    for (number, (old, new)) in (1..).zip(old.lines().zip(new.lines())) {
        if old != new {
            writeln!(text, "@@ -{number} +{number} @@\n-{old}\n+{new}").expect("a text");
        }
    }
    text
}

#[test]
fn patches_have_the_verdicts_of_mutants_by_operators() {
    let folder = written(LAMP, ["press", "slow"]);
    let paths = [folder.path().to_owned()];
    let options = CodeMutateOptions { no_replay: true, sample: Some(12), ..CodeMutateOptions::default() };
    let own = mutate_code(&paths, &Settings::default(), &options).expect("the model should be right");
    let mut patches = Vec::new();
    for mutant in &own.mutants {
        let path = folder.path().join(format!("{}.patch", mutant.id));
        std::fs::write(&path, diff(LAMP, &changed(LAMP, mutant).expect("one change"))).expect("a file");
        patches.push(path);
    }
    let stale = folder.path().join("stale.patch");
    std::fs::write(&stale, diff(LAMP, &LAMP.replace("count = 3", "count = 4")).replace("-    m", "-    q"))
        .expect("a file");
    patches.push(stale);
    let options = CodeMutateOptions { sample: None, patches, ..options };
    let file = mutate_code(&paths, &Settings::default(), &options).expect("patches");
    assert_eq!(file.mutants.len(), own.mutants.len() + 1);
    for (patch, mutant) in file.mutants.iter().zip(&own.mutants) {
        assert_eq!((&patch.verdict, patch.alone), (&mutant.verdict, mutant.alone), "{}", patch.id);
        assert_eq!((patch.operator.as_str(), patch.line), ("patch", mutant.line));
    }
    let last = &file.mutants[own.mutants.len()];
    assert_eq!((last.id.as_str(), last.verdict.as_str()), ("stale.patch", "unviable"));
    assert!(last.by.contains("line 4 is `m.count = 3;`, not `q.count = 3;`"), "{}", last.by);
}

/// A model in a folder, and its mutants.
fn mutated(text: &str, operators: &str, score: Option<&str>) -> MutationFile {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.c");
    std::fs::write(&path, text).expect("a file");
    let table = folder.path().join("inputs.csv");
    std::fs::write(&table, score.unwrap_or_default()).expect("a file");
    let options = CodeMutateOptions {
        operators: operators.parse().expect("operators"),
        score: score.map(|_| table).into_iter().collect(),
        ..CodeMutateOptions::default()
    };
    mutate_code(&[path], &Settings::default(), &options).expect("the model should be right")
}

#[test]
fn what_c_leaves_undefined_is_no_kill() {
    let text = "int n, lamp; void step(_Bool up) { int wide; wide = n + 5; n = up; lamp = 60 / wide; }";
    let file = mutated(text, "statement,arithmetic", None);
    let verdict = |old: &str, new: &str| {
        let found =
            file.mutants.iter().find(|mutant| (mutant.old.as_str(), mutant.new.as_str()) == (old, new));
        found.map(|mutant| mutant.verdict.as_str()).expect("a mutant")
    };
    assert_eq!(verdict("wide = n + 5;", ";"), "crash");
    assert_eq!(verdict("lamp = 60 / wide;", ";"), "killed");
    assert_eq!(verdict("60 / wide", "60 * wide"), "killed");
}

/// A difference in memory comes out of a pipe of three words: seen at once, in time, too late.
#[test]
fn a_difference_is_seen_in_time_or_too_late() {
    let text = "static int a, b, c; int y, z;\n\
                void step(_Bool up) { y = c; c = b; b = a; a = up; z = up; }\n";
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.c");
    std::fs::write(&path, text).expect("a file");
    let patches = [
        ("at-once", "y = c;", "y = !c;", 0),
        ("by-one", "c = b;", "c = !b;", 1),
        ("by-two", "b = a;", "b = !a;", 2),
        ("by-three", "a = up;", "a = !up;", 3),
        ("other-start", "a, b, c;", "a, b, c = 1;", 0),
        ("late-start", "a, b, c;", "a = 1, b, c;", 2),
        ("beside", "z = up;", "z = !up;", 0),
        ("hidden", "a = up; z = up;", "a = !up; z = !up;", 3),
    ];
    for (name, old, new, _) in patches {
        let changed = text.replace(old, new);
        let lines = text.lines().zip(changed.lines()).enumerate();
        let hunks = lines.filter(|(_, (one, other))| one != other);
        let hunks = hunks.map(|(at, (one, other))| format!("@@ -{0} +{0} @@\n-{one}\n+{other}\n", at + 1));
        let hunks: String = hunks.collect();
        let patch = format!("--- a/model.c\n+++ b/model.c\n{hunks}");
        std::fs::write(folder.path().join(format!("{name}.patch")), patch).expect("a file");
    }
    let files = patches.map(|(name, ..)| folder.path().join(format!("{name}.patch"))).to_vec();
    for within in [None, Some(0), Some(1), Some(2), Some(3), Some(u32::MAX)] {
        // The last two patches differ in an output that is not looked at.
        for observe in [vec![], vec!["y".to_owned()]] {
            let is_part = !observe.is_empty();
            let options =
                CodeMutateOptions { patches: files.clone(), within, observe, ..CodeMutateOptions::default() };
            let settings = Settings::default();
            let file = mutate_code(std::slice::from_ref(&path), &settings, &options).expect("a right model");
            for (mutant, (name, .., steps)) in file.mutants.iter().zip(patches) {
                let steps = if name == "hidden" && !is_part { 0 } else { steps };
                let is_seen = within.is_none_or(|most| steps <= most) && !(name == "beside" && is_part);
                let expected = if is_seen { "killed" } else { "conforms" };
                assert_eq!(mutant.verdict, expected, "{name} within {within:?}: {}", mutant.by);
                assert!(!is_seen || mutant.by.contains("compiled"), "{name}: {}", mutant.by);
                let is_late = !is_seen && name != "beside";
                assert_eq!(mutant.by.contains("after the first one"), is_late, "{name}: {}", mutant.by);
            }
            for chain in &file.chains {
                assert!(chain.steps.iter().all(|step| step.outputs.keys().eq(["y", "z"])));
            }
        }
    }
    // What C leaves undefined counts only where a difference would.
    std::fs::write(&path, text.replace("y = c;", "y = 6 / (c != 2);")).expect("a file");
    let patch = folder.path().join("divides.patch");
    let hunk = "@@ -2 +2 @@\n-void step(_Bool up) { y = 6 / (c != 2); c = b; b = a; a = up; z = up; }\n\
                +void step(_Bool up) { y = 6 / (c != 2); c = b; b = a; a = 2; z = up; }\n";
    std::fs::write(&patch, format!("--- a/model.c\n+++ b/model.c\n{hunk}")).expect("a file");
    for (within, expected) in [(None, "crash"), (Some(3), "crash"), (Some(2), "conforms")] {
        let patches = vec![patch.clone()];
        let options = CodeMutateOptions { patches, within, ..CodeMutateOptions::default() };
        let file =
            mutate_code(std::slice::from_ref(&path), &Settings::default(), &options).expect("a right model");
        assert_eq!(file.mutants[0].verdict, expected, "{within:?}: {}", file.mutants[0].by);
    }
    let options = CodeMutateOptions { kill: Kill::Step, within: Some(1), ..CodeMutateOptions::default() };
    let refused = mutate_code(&[path], &Settings::default(), &options);
    assert!(refused.is_err_and(|error| error.to_string().contains("--kill output")));
}

/// A mutant whose loop may go on for ever is judged by the executions in which it ends soon.
#[test]
fn loops_without_a_bound_are_followed_for_some_rounds() {
    let text = |loops: &str| {
        format!("unsigned short n, y; void step(_Bool up) {{ n = n + (up && n < 9); {loops} y = n > 5; }}")
    };
    let original = "if (n > 7) while (n > 2) { n--; }";
    let table = [
        // It never ends once it begins, and nothing differs before.
        ("while (n > 2) { n--; }", "while (n > 2) { n = n | 4; }", "hang"),
        ("n > 2) { n--; }", "n > 2) { ; }", "hang"),
        // The memory comes back after two rounds.
        ("while (n > 2) { n--; }", "for (int i = 0; i < 3; i ^= 1) n = 2;", "hang"),
        // What is added up plays no part in going on.
        (
            "while (n > 2) { n--; }",
            "{ unsigned k = 0; for (int i = 0; i < 3; i = i) k += n; n = k; }",
            "hang",
        ),
        // What is added up ends the loop.
        ("while (n > 2) { n--; }", "{ for (int i = 0; i < 3 && y != 77; i = i) y++; n = 2; }", "conforms"),
        // Whether the loop goes on rests on constants; what it does before it ends is undefined.
        ("while (n > 2) { n--; }", "for (int i = 0; i < 3; i--) n = 2;", "crash"),
        // It never ends, either, but the one that does not begin shows.
        ("if (n > 7) while (n > 2) { n--; }", "if (n > 7) n = 6; while (n > 7) { n = n | 8; }", "killed"),
        // It never begins.
        ("n > 2) { n--; }", "n > 2) { n--; } while (n > 7) { n = n | 8; }", "equivalent"),
        // It ends, after more rounds than are followed.
        ("n > 2) { n--; }", "n > 2) { n = n + 1; } if (n == 2) n = 2;", "crash"),
    ];
    for (old, new, expected) in table {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, patch) = (folder.path().join("model.c"), folder.path().join("p.patch"));
        std::fs::write(&path, text(original) + "\n").expect("a file");
        let hunk = format!("@@ -1 +1 @@\n-{}\n+{}\n", text(original), text(&original.replace(old, new)));
        std::fs::write(&patch, format!("--- a/model.c\n+++ b/model.c\n{hunk}")).expect("a file");
        let options = CodeMutateOptions { patches: vec![patch], ..CodeMutateOptions::default() };
        let file = mutate_code(&[path], &Settings::default(), &options).expect("a right model");
        let mutant = &file.mutants[0];
        assert_eq!(mutant.verdict, expected, "{new}: {}", mutant.by);
        let why = [("crash", "loop that goes on for too long in line 1"), ("hang", "never ends in line 1")];
        for (verdict, why) in why {
            assert!(expected != verdict || mutant.by.contains(why), "{new}: {}", mutant.by);
        }
        assert!(expected != "killed" || mutant.by.contains("compiled"), "{new}: {}", mutant.by);
    }
}

/// Two counters that are always equal: what happens where they differ infects nothing, and what they
/// count does.
#[test]
fn a_mutant_that_no_step_infects_conforms() {
    let text = "unsigned char a, b, y; void step(_Bool up) { if (up) { a = (a + 1) % 5; b = (b + 1) % 5; } \
                if (a != b) y = 7; }";
    let file = mutated(text, "constant", None);
    let (dead, counting): (Vec<&Mutant>, Vec<&Mutant>) =
        file.mutants.iter().partition(|mutant| mutant.old == "7");
    assert!(dead.len() == 3 && counting.len() == 10, "{} {}", dead.len(), counting.len());
    for mutant in dead {
        assert_eq!(mutant.verdict, "conforms", "{}: {}", mutant.new, mutant.by);
        assert!(mutant.by.starts_with("no step leaves other memory"), "{}", mutant.by);
    }
    let is_killed = |mutant: &&Mutant| mutant.verdict == "killed" || mutant.verdict == "crash";
    assert!(counting.iter().all(is_killed), "{counting:?}");
}

#[test]
fn a_model_that_is_never_defined_cannot_be_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.c");
    std::fs::write(&path, "int a, y; void step(void) { int d = 0; y = a / d; }").expect("a file");
    let refused = mutate_code(&[path], &Settings::default(), &CodeMutateOptions::default());
    let Err(error) = refused else { panic!("accepted") };
    assert!(error.to_string().contains("runs into no undefined operation"), "{error}");
}

#[test]
fn tables_are_scored_by_what_they_reveal() {
    let text = "int lamp; void step(_Bool press) { if (press) lamp = !lamp; }";
    for (rows, killed) in [("0", 1), ("0\n1", 2), ("1\n1", 1)] {
        let file =
            mutated(text, "condition", Some(&format!("note,press\nx,{}\n", rows.replace('\n', "\nx,"))));
        assert_eq!((file.count("killed"), file.count("alive")), (killed, 2 - killed), "{rows}");
    }
}

#[test]
fn outputs_that_are_floats_are_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ramp.c");
    std::fs::write(&path, "float f; void step(_Bool up) { if (up && f < 3) f = f + 1; }").expect("a file");
    let judged = mutate_code(&[path], &Settings::default(), &CodeMutateOptions::default()).expect("mutants");
    assert!(judged.mutants.len() > 5 && judged.mutants.iter().all(|mutant| mutant.verdict == "killed"));
    assert!(judged.minimal && judged.length == 4, "{}", judged.length);
}

const TURN: &str = "#include <math.h>
struct memory { unsigned char mode, last, seen; } m;
void init(void) {
    m.mode = 0;
}
void step(_Bool go, _Bool back) {
    float angle = 0.5F * m.mode;
    if (back) {
        m.mode = 0;
    } else if (go && m.mode < 6) {
        m.mode++;
    }
    if (cosf(angle) < -0.25F || m.mode > 9) {
        m.seen = 2;
    } else {
        m.seen = sinf(angle) >= 0.75F;
    }
    m.last = go;
}
";

/// Mutants that call functions of mathematics with other arguments are judged like others.
#[test]
fn calls_of_functions_of_mathematics_are_compared() {
    let folder = written(TURN, ["go", "back"]);
    let deadline = Instant::now().checked_add(Duration::from_secs(25));
    let search = Options { jobs: 2, deadline, ..Options::default() };
    let options = CodeMutateOptions { search, no_replay: true, ..Default::default() };
    let paths: [PathBuf; 1] = [folder.path().to_owned()];
    let file = mutate_code(&paths, &Settings::default(), &options).expect("the model should be right");
    let mut texts = vec![(0, TURN.to_owned())];
    for (number, mutant) in file.mutants.iter().enumerate() {
        let changed = changed(TURN, mutant).filter(|_| mutant.verdict != "unviable");
        texts.extend(changed.map(|changed| (number + 1, changed)));
    }
    let truth = enumerated(folder.path(), &texts, DRIVER);
    let (mut killed, mut alike, mut open) = (0, 0, 0);
    for (number, mutant) in file.mutants.iter().enumerate() {
        let told = format!("{} {} -> {}: {}", mutant.line, mutant.old, mutant.new, mutant.by);
        match (truth.get(&(number + 1)), mutant.verdict.as_str()) {
            (None, _) => {}
            (_, "undecided") => open += 1,
            (Some(0), "conforms" | "equivalent") => alike += 1,
            (Some(depth), "killed") if *depth > 0 => {
                assert!(mutant.alone.is_none_or(|alone| alone == *depth), "{depth} {told}");
                killed += 1;
            }
            (truth, verdict) => panic!("{verdict} {truth:?} {told}"),
        }
    }
    println!("{killed} killed, {alike} alike, {open} open");
    assert!(killed > 12 && alike > 0, "{killed} {alike} {open}");
}

/// A wait that never goes beyond 100, so that a limit above it is dead, which terms do not tell.
const WAIT: &str = "static int wait; int lamp;
void step(_Bool up) {
    if (wait > 100) wait = 100;
    if (up && wait < 100) wait++;
    lamp = wait > 2;
}
";

/// What is said of mutants is verified with evidence, and what a forger makes of it is not: other
/// verdicts, the evidence of another mutant, no evidence, another text.
#[test]
fn stored_mutants_are_verified_and_forged_ones_rejected() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("wait.c");
    std::fs::write(&path, WAIT).expect("a file");
    let (paths, settings) = ([path.clone()], Settings::default());
    let operators = "statement,condition".parse().expect("operators");
    let options = CodeMutateOptions { operators, ..CodeMutateOptions::default() };
    let file = mutate_code(&paths, &settings, &options).expect("the model should be right");
    let read = (&paths[..], &settings);
    let written =
        write_evidence_of_mutants(folder.path(), read, &file, &Options::default()).expect("evidence");
    assert_eq!((written.claims, written.certified), (2, 2), "{:#?}", file.mutants);
    let found = |file: &MutationFile, finding: Finding| {
        let text = serde_json::to_string(file).expect("a text");
        std::fs::write(folder.path().join("mutate.json"), text).expect("a file");
        let against = Against { model: Some(read), ..Against::default() };
        let found = verify(folder.path(), against).expect("a result");
        let claims: Vec<String> =
            found.claims.into_iter().filter(|(other, _)| *other == finding).map(|(_, claim)| claim).collect();
        claims
    };
    let verdict = |wanted: &str| {
        let is_it = |mutant: &Mutant| mutant.verdict == wanted;
        file.mutants.iter().position(is_it).expect("a mutant with that verdict")
    };
    assert_eq!(found(&file, Finding::Rejected), Vec::<String>::new());
    let open = found(&file, Finding::NotCertified);
    assert!(open.iter().all(|claim| claim.starts_with("no chains of less than")), "{open:?}");

    let (killed, conforms) = (verdict("killed"), verdict("conforms"));
    let proofs = folder.path().join(MUTANT_PROOFS);
    let forged = |number: usize, change: &dyn Fn(&mut Mutant)| {
        let mut forged = file.clone();
        change(&mut forged.mutants[number]);
        let id = &file.mutants[number].id;
        let rejected = found(&forged, Finding::Rejected);
        assert!(rejected.iter().any(|claim| claim.starts_with(id)), "{rejected:?}");
    };
    let [own, other] = [conforms, killed].map(|number| proofs.join(&file.mutants[number].id));
    std::fs::create_dir(&other).expect("a folder");
    for entry in std::fs::read_dir(&own).expect("evidence") {
        let path = entry.expect("a file").path();
        std::fs::copy(&path, other.join(path.file_name().expect("a name"))).expect("a copy");
    }
    forged(killed, &|mutant| mutant.verdict = "conforms".to_owned());
    forged(killed, &|mutant| mutant.verdict = "equivalent".to_owned());
    forged(killed, &|mutant| mutant.step = mutant.step.map(|step| step + 1));
    forged(conforms, &|mutant| mutant.verdict = "equivalent".to_owned());
    forged(conforms, &|mutant| mutant.verdict = "killed".to_owned());
    forged(conforms, &|mutant| mutant.new = "wait = 4;".to_owned());
    let clauses = own.join("invariant-0.clauses");
    std::fs::write(clauses, "").expect("a file");
    forged(conforms, &|_| {});
    std::fs::remove_dir_all(&own).expect("the evidence should be there");
    let open = found(&file, Finding::NotCertified);
    assert!(open.iter().any(|claim| claim.starts_with(&file.mutants[conforms].id)), "{open:?}");
    std::fs::write(&path, WAIT.replace("wait > 2", "wait > 1")).expect("a file");
    assert!(found(&file, Finding::Rejected).len() > 1);
}
