//! The commands around the search: init, explain, logs for programs, exit codes by choice, SARIF, export.

use crate::support::call;
use serde_json::Value as Json;
use std::path::Path;
use std::process::Command;

const COUNTER: &str = "#include <assert.h>
void __CPROVER_assume(_Bool condition);
typedef struct { _Bool go; _Bool fast; } in_t;
typedef struct { unsigned char n; } st_t;
void init(st_t *s) { s->n = 0; }
void step(in_t *i, st_t *s) { if (i->go && s->n < 5) s->n++; }
void chaincover_assume(in_t *i, st_t *s) { __CPROVER_assume(!(i->go && i->fast)); __CPROVER_assume(s->n < 9 || !i->go); }
void p_top(in_t *i, st_t *s) { __CPROVER_assume(s->n == 4 && i->go); step(i, s); assert(s->n == 4); }
void p_both(in_t *i, st_t *s) { __CPROVER_assume(s->n == 2 && i->go && i->fast); step(i, s); }
";

fn folder(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("m.c"), text).expect("a file");
    folder
}

#[test]
fn init_writes_a_configuration_that_reads_back_and_never_replaces_one() {
    let folder = folder(COUNTER);
    let (code, out, err) = call(folder.path(), &["init", "m.c"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("chaincover.toml written"), "{out}");
    let (code, out, err) = call(folder.path(), &["check", "."]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("p_top") && out.contains("step     step"), "{out}");
    let (code, _, err) = call(folder.path(), &["init", "m.c"]);
    assert_eq!((code, err.as_str()), (2, "error: chaincover.toml exists; --force replaces it\n"));
    assert_eq!(call(folder.path(), &["init", "--force", "m.c"]).0, 0);
    let (code, printed, err) = call(folder.path(), &["init", "-o", "-", "m.c"]);
    let written = std::fs::read_to_string(folder.path().join("chaincover.toml")).expect("the file");
    assert_eq!((code, err.as_str(), printed), (0, "", written));
    assert!(!folder.path().join("-").exists());
}

#[test]
fn init_starts_a_configuration_where_there_are_no_goals_yet() {
    let text = COUNTER.lines().filter(|line| !line.contains(" p_")).collect::<Vec<_>>().join("\n");
    let folder = folder(&text);
    let (code, _, err) = call(folder.path(), &["init", "m.c"]);
    assert_eq!(code, 0, "{err}");
    let written = std::fs::read_to_string(folder.path().join("chaincover.toml")).expect("the file");
    assert!(written.contains("sources = [\"m.c\"]") && written.contains("# [[goal]]"), "{written}");
}

#[test]
fn init_writes_nothing_about_files_that_are_not_there() {
    let folder = folder(COUNTER);
    let (code, out, err) = call(folder.path(), &["init", "m.c", "other.c"]);
    assert!(code == 2 && out.is_empty() && err.contains("cannot read other.c"), "{code} {out}{err}");
    assert!(!folder.path().join("chaincover.toml").exists());
}

/// The comments name what the model has: without the signs before them they are a configuration.
#[test]
fn comments_of_init_are_settings_of_this_model() {
    let text = COUNTER.lines().filter(|line| !line.contains(" p_")).collect::<Vec<_>>().join("\n");
    let folder = folder(&text);
    assert_eq!(call(folder.path(), &["init", "m.c"]).0, 0);
    let path = folder.path().join("chaincover.toml");
    let written = std::fs::read_to_string(&path).expect("the file");
    let is_placeholder = |line: &str| {
        // This model has no outputs.
        ["# step = [", "# [const]", "# \"rtP", "# [bind]", "# \"step.", "# [output", "# unit = \"Nm", "# abs"]
            .iter()
            .any(|start| line.starts_with(start))
    };
    let is_heading = |line: &str| line.starts_with("# ---") || line.starts_with("# What");
    let uncommented: Vec<&str> = written
        .lines()
        .filter(|line| !is_placeholder(line) && !is_heading(line))
        .map(|line| line.strip_prefix("# ").unwrap_or(line))
        .collect();
    std::fs::write(&path, uncommented.join("\n")).expect("the file");
    let (code, out, err) = call(folder.path(), &["check", "."]);
    assert_eq!(code, 0, "{err}{}", uncommented.join("\n"));
    assert!(out.contains("   answered ") && out.contains(" REQ-12 "), "{out}");
}

/// What a newcomer would take for a failure is explained with the goals that it is about.
#[test]
fn an_exit_code_names_the_goals_it_is_about() {
    let goals = |names: &str| {
        let dead = |name: &str| {
            format!("void p_{name}(in_t *i, st_t *s) {{ __CPROVER_assume(s->n == 77); step(i, s); }}\n")
        };
        let plain: String =
            COUNTER.lines().filter(|line| !line.contains(" p_")).map(|line| line.to_owned() + "\n").collect();
        plain + &names.split_whitespace().map(dead).collect::<String>()
    };
    let help = "If that is as it should be: --fail-on violated,undecided,stopped";
    for (names, expected) in [
        ("a", "no execution reaches p_a, which is proven"),
        ("a b", "no execution reaches p_a and p_b, which is proven"),
        ("a b c", "no execution reaches p_a, p_b and p_c, which is proven"),
        ("a b c d", "no execution reaches p_a and 3 more goals, which is proven"),
    ] {
        let folder = folder(&goals(names));
        let (code, _, err) = call(folder.path(), &["chain", "m.c"]);
        assert!(
            code == 20
                && err.contains(&format!("note: exit code 20: {expected}; `chaincover explain p_a MODEL`"))
                && err.contains(help),
            "{err}"
        );
        assert_eq!(call(folder.path(), &["chain", "m.c", "-q"]).2, "");
        let (code, _, err) =
            call(folder.path(), &["chain", "m.c", "--fail-on", "violated,undecided,stopped"]);
        assert!(code == 0 && !err.contains("exit code"), "{err}");
    }
    let folder = folder(COUNTER);
    let (code, _, err) = call(folder.path(), &["chain", "m.c", "--engine", "sat", "--max-k", "1"]);
    assert!(code == 5 && err.contains("note: exit code 5: undecided: p_top"), "{err}");
}

#[test]
fn verify_of_a_result_without_proofs_names_the_way_to_them() {
    let folder = folder(COUNTER);
    call(folder.path(), &["chain", "m.c", "-o", "out"]);
    let expected = "error: out/proofs/manifest.json: there are no proofs to check: make the result again with `chain ... -o out --proofs` (`replay` runs its chains again without any)\n";
    assert_eq!(call(folder.path(), &["verify", "out"]), (2, String::new(), expected.to_owned()));
    // The record says that `p_both` is unreachable, which a replay tells where it is asked for
    // goals.
    let replay = |told: &str| call(folder.path(), &["replay", "out/chain.json", "--fail-on", told]).0;
    assert_eq!((replay("undecided,unreachable"), replay("uncovered")), (0, 20));
}

/// Headers in another folder, whose name has a blank: the message says what to add, `init` takes it, and the configuration knows it.
#[test]
fn init_takes_folders_of_headers() {
    let folder = folder("#include \"types.h\"\nboolean_T on; int n; void step(void) { if (on) n++; }");
    std::fs::create_dir(folder.path().join("my headers")).expect("a folder");
    let header = folder.path().join("my headers").join("types.h");
    std::fs::write(header, "typedef unsigned char boolean_T;").expect("a file");
    let (code, _, err) = call(folder.path(), &["init", "m.c"]);
    assert_eq!(code, 3);
    assert!(err.contains("-I \"my headers\""), "{err}");
    let (code, _, err) = call(folder.path(), &["init", "-I", "my headers", "m.c"]);
    assert_eq!(code, 0, "{err}");
    let (code, out, err) = call(folder.path(), &["check", "."]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("of type boolean_T: 0 or 1; set `range` or `values` in [input.\"on\"]"), "{out}");
}

#[test]
fn explain_names_what_excludes_a_goal() {
    let folder = folder(COUNTER);
    let (code, out, err) = call(folder.path(), &["explain", "p_both", "m.c"]);
    assert_eq!(code, 20, "{out}{err}");
    assert!(out.contains("p_both: unreachable"), "{out}");
    assert_eq!(
        paragraphs(&out)[2..],
        [
            "2 of 3 conditions of the goal exclude it
    i->go   m.c:9
    i->fast   m.c:9",
            "1 of 2 assumptions are needed to exclude it
    !(i->go && i->fast)   m.c:7",
            "none of 1 branching lines of the code is needed: whichever way they go, the goal is excluded",
        ]
    );
    let (code, out, _) = call(folder.path(), &["explain", "p_top", "m.c"]);
    assert_eq!(code, 0);
    assert!(
        out.contains("covered, by a chain of 5 steps that covers it alone; no shorter one does: proven"),
        "{out}"
    );
    let (code, _, err) = call(folder.path(), &["explain", "p_none", "m.c"]);
    assert_eq!((code, err.as_str()), (2, "error: there is no goal `p_none`; there are p_top, p_both\n"));
}

/// A C file is read without the configuration beside it; who expected its goals is told.
#[test]
fn a_configuration_that_was_not_read_is_named() {
    let folder = folder("_Bool go; int n; void step(void) { if (go) n++; }");
    let goal = "[model]\nsources = ['m.c']\n[[goal]]\nname = 'g'\nafter = 'n == 3'\n";
    std::fs::write(folder.path().join("chaincover.toml"), goal).expect("a file");
    let (code, _, err) = call(folder.path(), &["chain", "m.c"]);
    let named = err.contains("chaincover.toml was not read") && err.contains("chaincover chain .");
    assert!(code == 2 && named, "{err}");
    let (code, _, err) = call(folder.path(), &["chain", "."]);
    assert!(code == 0 && !err.contains("was not read"), "{err}");
}

fn paragraphs(text: &str) -> Vec<&str> {
    text.trim_end().split("\n\n").collect()
}

/// The step function has the name of a variable that a program of ours would like to have, too.
#[test]
fn the_replay_program_runs_and_the_report_shows_executed_lines() {
    let folder = folder(COUNTER);
    call(folder.path(), &["chain", "m.c", "-o", "out", "--format", "html,c", "-q"]);
    let gcc = |arguments: &[&str]| {
        let compiled = Command::new("gcc").current_dir(folder.path()).args(arguments).output().expect("gcc");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    };
    gcc(&["-w", "-I.", "-o", "replay", "out/chain_replay.c", "-lm"]);
    let ended = Command::new(folder.path().join("replay")).output().expect("the program should start");
    // The outputs are as recorded, and the requirement is violated, which the program says itself.
    let judged = "p_top, step 4: expect s->n == 4   saw s->n = 5   m.c:8\np_top: VIOLATED\n";
    let expected = format!("5 steps, 0 wrong outputs\n{judged}");
    assert_eq!(String::from_utf8_lossy(&ended.stdout), expected);
    let report = std::fs::read_to_string(folder.path().join("out/report.html")).expect("the report");
    // Lines are counted by a program that ends well, as that of a model without violations does.
    if Command::new("gcov").arg("--version").output().is_ok() && report.contains("The chains execute") {
        assert!(report.contains("The chains execute 2 of 2 lines of code"), "{report}");
        assert!(report.contains("<div class=\"ran\"><i>6</i>"), "{report}");
    }
}

/// The same model, its goals in the configuration, which may not touch the code.
const CONFIGURED: &str = r#"[model]
sources = ["m.c"]
init = "init"
step = "step"
inputs = ["*step.i"]

[input."step.i->fast"]
range = [0, 0]

[[assume]]
expr = "step.i->go || step.i->fast"

[[goal]]
name = "overrun"
requirement = "REQ-1"
when = "step.i->go && (step.s->n < 9 || step.i->fast)"
after = "old(step.s->n) > 2 && step.s->n > 5"

[[goal]]
name = "pause"
step = [
    { when = "step.s->n == 1" },
    { when = "!step.i->go && step.s->n == 2" },
]
"#;

#[test]
fn explain_names_lines_of_configuration_and_code() {
    let code: Vec<&str> = COUNTER
        .lines()
        .filter(|line| !line.contains(" p_") && !line.contains("chaincover_assume("))
        .collect();
    let folder = folder(&code.join("\n").replace("{ if", "{\n    if"));
    std::fs::write(folder.path().join("chaincover.toml"), CONFIGURED).expect("a file");
    let (code, out, err) = call(folder.path(), &["explain", "overrun", "."]);
    assert_eq!(code, 20, "{out}{err}");
    let found = paragraphs(&out);
    assert!(found[0].starts_with("overrun: unreachable, no execution reaches it"), "{out}");
    assert_eq!(
        found[1..],
        [
            "goal   ./chaincover.toml:13
    REQ-1
    step.i->go   ./chaincover.toml:16
    step.s->n < 9 || step.i->fast   ./chaincover.toml:16
    old(step.s->n) > 2   ./chaincover.toml:17
    step.s->n > 5   ./chaincover.toml:17",
            "1 of 4 conditions of the goal exclude it
    step.s->n > 5   ./chaincover.toml:17",
            "none of 2 assumptions is needed: the code itself excludes it",
            "1 of 1 branching lines of the code are needed to exclude it
    if (i->go && s->n < 5) s->n++; }   ./m.c:7",
        ]
    );
    let (code, out, err) = call(folder.path(), &["explain", "pause", "."]);
    assert_eq!(code, 20, "{out}{err}");
    assert_eq!(
        paragraphs(&out)[2..],
        [
            "1 of 3 conditions of the goal exclude it
    !step.i->go   ./chaincover.toml:23",
            "2 of 2 assumptions are needed to exclude it
    step.i->go || step.i->fast   ./chaincover.toml:11
    step.i->fast is in [0, 0]   ./chaincover.toml:8",
            "none of 1 branching lines of the code is needed: whichever way they go, the goal is excluded",
        ]
    );
    let (_, out, _) = call(folder.path(), &["chain", ".", "--json", "-", "-q"]);
    let file: Json = serde_json::from_str(&out).expect("JSON");
    assert_eq!(file["goals"][1]["origin"], serde_json::json!({ "file": "./chaincover.toml", "line": 19 }));
}

#[test]
fn the_exit_code_tells_what_is_asked_for() {
    let folder = folder(COUNTER);
    let table = [
        (vec!["chain", "m.c"], 10),
        (vec!["chain", "m.c", "--fail-on", "unreachable"], 20),
        (vec!["chain", "m.c", "--fail-on", "undecided,stopped"], 0),
    ];
    for (arguments, expected) in table {
        assert_eq!(call(folder.path(), &arguments).0, expected, "{arguments:?}");
    }
}

#[test]
fn logs_for_programs_are_json_lines() {
    let folder = folder(COUNTER);
    let events = |arguments: &[&str]| -> Vec<Json> {
        let (_, _, err) = call(folder.path(), &[&["chain", "--log-format", "json"], arguments].concat());
        err.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect()
    };
    let found = events(&["m.c", "-v", "--no-replay"]);
    let of = |name: &str| found.iter().filter(|event| event["event"] == name).count();
    assert!(of("stage") > 0 && of("timing") > 0 && of("message") > 0, "{found:?}");
    std::fs::write(folder.path().join("bad.c"), "void step(void) { goto nowhere; }\n").expect("a file");
    let found = events(&["bad.c"]);
    assert!(found.iter().any(|event| event["level"] == "error"), "{found:?}");
}

#[test]
fn sarif_holds_findings_and_diagnostics() {
    let folder = folder(COUNTER);
    call(folder.path(), &["chain", "m.c", "-o", "out", "--format", "sarif,html,c", "-q"]);
    let text = std::fs::read_to_string(folder.path().join("out/chaincover.sarif")).expect("the file");
    let log: Json = serde_json::from_str(&text).expect("JSON");
    let rules: Vec<&str> = log["runs"][0]["results"]
        .as_array()
        .expect("results")
        .iter()
        .filter_map(|result| result["ruleId"].as_str())
        .collect();
    assert_eq!(rules, ["violated-expectation", "dead-goal"]);
    std::fs::write(folder.path().join("bad.c"), "void step(void) { goto nowhere; }\n").expect("a file");
    let (code, _, _) = call(folder.path(), &["check", "bad.c", "--sarif", "bad.sarif"]);
    assert_ne!(code, 0);
    let text = std::fs::read_to_string(folder.path().join("bad.sarif")).expect("the file");
    let log: Json = serde_json::from_str(&text).expect("JSON");
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["level"], "error");
    let region = &result["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region, &serde_json::json!({ "startLine": 1, "startColumn": 19 }));
}

#[test]
fn smoothing_is_on_unless_it_is_refused() {
    let folder = folder(COUNTER);
    let changes = |arguments: &[&str]| {
        let (_, out, err) =
            call(folder.path(), &[&["chain", "m.c", "--json", "-", "--no-replay"], arguments].concat());
        let file: Json = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{err}"));
        file["chains"][0]["input_changes"].as_u64()
    };
    assert_eq!(changes(&[]), Some(0), "go is held and fast is not needed");
    assert_eq!(changes(&["--no-smooth"]), None);
    let (code, _, err) = call(folder.path(), &["chain", "m.c", "--slew", "i->go=1"]);
    assert_eq!(code, 2);
    assert!(err.contains("--slew"), "{err}");
}

/// What a step needs is one input of six, at which it asks the C library; the others rest, those without zero in their range next to it.
#[test]
fn inputs_that_nothing_needs_rest_also_where_the_c_library_is_asked() {
    const WAVE: &str = "#include <math.h>
        typedef struct { float phase; int a; double b; unsigned char c; short d, e; } in_t; in_t in; float y, sum; int n;
        void step(void) { y = sinf(in.phase); n = y > 0.5f ? n + 1 : 0; sum += in.a * (float)in.b + in.c + in.d + in.e; }
        void p_high(void) { __CPROVER_assume(n == 3); step(); }";
    const TOML: &str =
        "[model]\nsources = [\"m.c\"]\nstep = \"step\"\ninputs = [\"in\"]\n[input.\"in.d\"]\nrange = [7, 9]
        [input.\"in.e\"]\nrange = [-9, -4]\n[input.\"in.c\"]\ndefault = 12\n";
    let folder = folder(WAVE);
    std::fs::write(folder.path().join("chaincover.toml"), TOML).expect("a file");
    let (code, out, err) = call(folder.path(), &["chain", ".", "--json", "-"]);
    assert_eq!(code, 0, "{err}");
    let file: Json = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{err}"));
    let steps = file["chains"][0]["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 4);
    for step in steps {
        let inputs = step["inputs"].as_object().expect("inputs");
        let value = |name: &str| {
            let found = inputs.iter().find(|(known, _)| known.rsplit('.').next() == Some(name));
            found.and_then(|(_, value)| value.as_f64().or(value["value"].as_f64()))
        };
        for (name, expected) in [("a", 0.0), ("b", 0.0), ("c", 12.0), ("d", 7.0), ("e", -4.0)] {
            assert_eq!(value(name), Some(expected), "{name}: {out}");
        }
    }
}

/// Lists what the schema of `chaincover.toml` calls wrong with a value, as an editor does: unknown
/// keys, missing ones, wrong types.
fn wrong(schema: &Json, at: &Json, value: &toml::Value, place: &str) -> Vec<String> {
    let at = match at["$ref"].as_str() {
        Some(name) => schema.pointer(name.trim_start_matches('#')).expect("a definition"),
        None => at,
    };
    for choice in ["anyOf", "oneOf"] {
        if let Some(choices) = at[choice].as_array() {
            let each: Vec<Vec<String>> = choices.iter().map(|one| wrong(schema, one, value, place)).collect();
            return each.into_iter().min_by_key(Vec::len).unwrap_or_default();
        }
    }
    let kinds: Vec<&str> = match &at["type"] {
        Json::Array(kinds) => kinds.iter().filter_map(Json::as_str).collect(),
        kind => kind.as_str().into_iter().collect(),
    };
    let own = match value {
        toml::Value::Table(_) => "object",
        toml::Value::Array(_) => "array",
        toml::Value::String(_) => "string",
        toml::Value::Integer(_) => "integer",
        toml::Value::Float(_) => "number",
        toml::Value::Boolean(_) => "boolean",
        toml::Value::Datetime(_) => "datetime",
    };
    let fits = kinds.is_empty() || kinds.contains(&own) || (own == "integer" && kinds.contains(&"number"));
    if !fits {
        return vec![format!("{place}: {own} instead of {kinds:?}")];
    }
    let mut found = Vec::new();
    match value {
        toml::Value::Table(table) => {
            for (key, value) in table {
                let place = format!("{place}.{key}");
                match (&at["properties"][key], &at["additionalProperties"]) {
                    (Json::Null, rest @ Json::Object(_)) => found.extend(wrong(schema, rest, value, &place)),
                    (Json::Null, _) => found.push(format!("{place}: unknown")),
                    (known, _) => found.extend(wrong(schema, known, value, &place)),
                }
            }
            let needed = at["required"].as_array().into_iter().flatten().filter_map(Json::as_str);
            let missing = needed.filter(|key| !table.contains_key(*key));
            found.extend(missing.map(|key| format!("{place}.{key}: missing")));
        }
        toml::Value::Array(items) => {
            let each = items.iter().flat_map(|item| wrong(schema, &at["items"], item, place));
            found.extend(each);
        }
        _ => {}
    }
    found
}

/// The schema allows each configuration of the corpus, and tells wrong keys and types.
#[test]
fn the_schema_describes_the_configuration() {
    let (code, out, _) = call(Path::new("."), &["schema"]);
    assert_eq!(code, 0);
    let schema: Json = serde_json::from_str(&out).expect("JSON");
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benchmarks/corpus");
    let mut count = 0;
    for entry in std::fs::read_dir(corpus).expect("the corpus") {
        let path = entry.expect("an entry").path().join("chaincover.toml");
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let value: toml::Value = toml::from_str(&text).expect("TOML");
        assert_eq!(wrong(&schema, &schema, &value, ""), [""; 0], "{}", path.display());
        count += 1;
    }
    assert!(count > 20, "the corpus should be there");
    for (text, told) in [
        ("[model]\nsource = [\"a.c\"]", ".model.source: unknown"),
        ("[model]\nunwind = \"x\"", ".model.unwind: string instead of [\"integer\", \"null\"]"),
        ("[[goal]]\nwhen = \"a\"", ".goal.name: missing"),
        ("[model]\nstep = [{ fn = \"f\", evry = 2 }]", ".model.step"),
        ("[input.a]\nrange = 3", ".input.a.range: integer instead of [\"array\", \"null\"]"),
    ] {
        let value: toml::Value = toml::from_str(text).expect("TOML");
        let found = wrong(&schema, &schema, &value, "");
        assert!(found.len() == 1 && found[0].starts_with(told), "{text}: {found:?}");
    }
}

/// A model is checked again when one of its files changes, and not when a result beside it does.
#[test]
fn a_changed_model_is_checked_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    let write = |text: &str| std::fs::write(path("m.c"), text).expect("a file");
    let shown = || std::fs::read_to_string(path("shown.txt")).unwrap_or_default();
    let wait_for = |word: &str, count: usize| {
        for _ in 0..600 {
            if shown().matches(word).count() >= count {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        panic!("`{word}` does not stand there {count} times: {}", shown());
    };
    write("void __CPROVER_cover(int); int n; void step(int a) { n = a; __CPROVER_cover(n == 3); }\n");
    let log = std::fs::File::create(path("shown.txt")).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_chaincover"));
    command.current_dir(folder.path()).args(["check", "m.c", "--watch"]);
    let both = log.try_clone().expect("a second handle");
    let mut child = command.stdout(log).stderr(both).spawn().expect("the program should start");
    wait_for("waiting for a change", 1);
    assert!(shown().contains("goals (1)"), "{}", shown());
    write("int n; void step(int a) { n = ");
    wait_for("error[syntax]", 1);
    wait_for("waiting for a change", 2);
    write(
        "void __CPROVER_cover(int); int n; void step(int a) { n = a; __CPROVER_cover(n == 3);\n__CPROVER_cover(n == 45); }\n",
    );
    wait_for("goals (2)", 1);
    wait_for("waiting for a change", 3);
    std::thread::sleep(std::time::Duration::from_millis(900));
    assert_eq!(shown().matches("waiting for a change").count(), 3, "{}", shown());
    child.kill().expect("it should run until it is ended");
    child.wait().expect("an end");
}

#[test]
fn criteria_that_the_code_has_nothing_for_are_named() {
    let folder = folder("static int s; int o; void step(int u) { o = s; s = u & 3; }\n");
    let (code, _, err) = call(folder.path(), &["chain", "m.c", "--goals", "none", "--coverage", "mcdc"]);
    assert!(
        code == 2 && err.contains("the code has nothing that the criteria of coverage speak of"),
        "{err}"
    );
}

/// Lists shorten the text of a mutant; results have all of it, so that programs can apply it.
#[test]
fn mutants_have_their_whole_text_in_results() {
    let sum = (0..30).map(|number| format!("u + {number}")).collect::<Vec<_>>().join(" == ");
    let folder = folder(&format!("int o; void step(int u) {{ if ({sum}) o = 1; }}\n"));
    let (code, out, err) = call(folder.path(), &["mutate", "m.c", "--operators", "condition", "--list"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("...") && !out.contains(&sum), "{out}");
    let (code, out, err) = call(
        folder.path(),
        &["mutate", "m.c", "--operators", "condition", "--no-replay", "--json", "-", "-q"],
    );
    assert!([0, 5].contains(&code), "{err}");
    let json: Json = serde_json::from_str(&out[out.find('{').expect("JSON")..]).expect("JSON");
    assert_eq!(json["mutants"][0]["old"], Json::from(sum), "{json}");
}
