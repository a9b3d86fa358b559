//! Claims and their evidence: what `chain --proofs` writes `verify` accepts, and nothing that was tampered with.

use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

fn call(arguments: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_chaincover")).args(arguments).output();
    let output = output.expect("the program should start");
    let text =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (output.status.code().expect("an exit code"), text)
}

/// A result with its evidence, and the model it is about.
struct Case {
    folder: TempDir,
}

impl Case {
    /// Of a corpus case, in a copy of the corpus.
    fn corpus(name: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../benchmarks/corpus"), folder.path());
        let model = folder.path().join(name);
        Self { folder }.solve(&model, &[])
    }

    /// Of a C file.
    fn text(c: &str, options: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let model = folder.path().join("m.c");
        std::fs::write(&model, c).expect("a file");
        Self { folder }.solve(&model, options)
    }

    fn solve(self, model: &Path, options: &[&str]) -> Self {
        let result = self.path("result");
        let fixed = ["chain", text(model), "-q", "--proofs", "--no-replay", "-o", text(&result)];
        let (code, output) = call(&[&fixed[..], options].concat());
        assert!([0, 5, 10, 20].contains(&code), "{output}");
        self
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn verify(&self) -> (i32, String) {
        call(&["verify", "-q", text(&self.path("result"))])
    }

    /// Changes a file of the result, verifies, and changes it back.
    fn verify_changed(&self, file: &str, change: impl Fn(&str) -> String) -> (i32, String) {
        let path = self.path(file);
        let before = std::fs::read_to_string(&path).expect("a text file");
        let changed = change(&before);
        assert_ne!(before, changed, "{file}: the change should change something");
        std::fs::write(&path, changed).expect("a file");
        let result = self.verify();
        std::fs::write(&path, before).expect("a file");
        result
    }

    fn expect_rejected(&self, file: &str, reason: &str, change: impl Fn(&str) -> String) {
        let (code, output) = self.verify_changed(file, change);
        assert_eq!(code, 4, "{file}: {output}");
        assert!(output.contains("REJECTED") && output.contains(reason), "{file}: {output}");
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).expect("a copy")),
        }
    }
}

fn edit(text: &str, change: impl Fn(&mut Json)) -> String {
    let mut json: Json = serde_json::from_str(text).expect("JSON");
    change(&mut json);
    json.to_string()
}

#[test]
fn evidence_of_corpus_cases_is_accepted() {
    let cases = [
        ("cruise-1", &["no chain of less than 9 steps covers the goals (graph)"][..]),
        ("example-1", &["no chain of less than 4 steps covers the goals (graph)"]),
        ("cruise-defect", &["no chain of less than 11 steps"]),
        (
            "light",
            &[
                "overrun is unreachable (graph)",
                "too_bright is unreachable (graph)",
                "no chain of less than 50 steps",
            ],
        ),
        (
            "window-ext-1",
            &["fewer than 2 chains do not cover the goals", "no 2 chains of less than 29 steps in all"],
        ),
    ];
    for (name, claims) in cases {
        let (code, output) = Case::corpus(name).verify();
        assert_eq!(code, 0, "{name}: {output}");
        for claim in claims {
            assert!(output.contains(&format!("verified       {claim}")), "{name}: {output}");
        }
        assert!(output.contains("claims verified\n") && output.contains("agrees"), "{name}: {output}");
    }
}

#[test]
fn tampering_is_rejected_with_the_reason() {
    let case = Case::text(TWO_WAYS, &[]);
    let proofs = |file: &str| format!("result/proofs/{file}");
    let manifest = proofs("manifest.json");
    case.expect_rejected(&proofs("step-0.lrat"), "step-0.lrat: proof, line", |text| {
        text.lines().skip(1).map(|line| format!("{line}\n")).collect()
    });
    case.expect_rejected(&proofs("step-0.lrat"), "the proof ends without the empty clause", |_| {
        String::new()
    });
    case.expect_rejected(
        &proofs("step-0.cnf"),
        "step-0.cnf: not the query that the evidence needs, from line 1",
        |text| text.replacen("p cnf ", "p cnf 1", 1),
    );
    case.expect_rejected(
        &proofs("initial.cnf"),
        "initial.cnf: not the query that the evidence needs",
        |_| "p cnf 1 2\n1 0\n-1 0\n".to_owned(),
    );
    // Without one of its edges the graph no longer stands for the system: other queries are needed.
    let edge =
        |text: &str| text.lines().find(|line| line.starts_with("edge")).map(str::to_owned).expect("an edge");
    case.expect_rejected(&proofs("graph.graph"), "another size than the manifest says", |text| {
        text.replacen(&format!("{}\n", edge(text)), "", 1)
    });
    case.expect_rejected(&proofs("graph.graph"), "not the query that the evidence needs", |text| {
        let labelled = text.lines().find(|line| line.starts_with("edge") && line.split(' ').count() == 4);
        let (bare, _) = labelled.and_then(|line| line.rsplit_once(' ')).expect("an edge with a label");
        text.replacen(labelled.expect("an edge"), bare, 1)
    });
    case.expect_rejected(&proofs("graph.graph"), "not the query that the evidence needs", |text| {
        text.replacen("node e", "node -", 1)
    });
    case.expect_rejected(&proofs("graph.graph"), "graph.graph: line 1", |_| String::new());
    case.expect_rejected(&manifest, "the manifest does not list this claim", |text| {
        edit(text, |json| drop(json["claims"].as_array_mut().expect("claims").remove(0)))
    });
    case.expect_rejected(&manifest, "chain.json does not claim this", |text| {
        edit(text, |json| json["claims"][3]["steps"] = json!(51))
    });
    case.expect_rejected(&manifest, "the manifest has no evidence `other`", |text| {
        edit(text, |json| json["claims"][0]["evidence"] = json!("other"))
    });
    case.expect_rejected(&manifest, "another transition system", |text| {
        edit(text, |json| json["system_sha256"] = json!("0"))
    });
    case.expect_rejected(&manifest, "queries, the manifest lists", |text| {
        edit(text, |json| drop(json["evidence"][0]["queries"].as_array_mut().expect("queries").pop()))
    });
    case.expect_rejected(&manifest, "no name of a file beside the manifest", |text| {
        edit(text, |json| json["evidence"][0]["file"] = json!("../chain.json"))
    });
    let (code, output) = case.verify();
    assert_eq!(code, 0, "{output}");
}

#[test]
fn a_changed_result_is_rejected_with_the_reason() {
    let case = Case::corpus("cruise-1");
    let chain = "result/chain.json";
    case.expect_rejected(chain, "chain 1: state", |text| {
        edit(text, |json| {
            let step = &mut json["chains"][0]["steps"][0]["inputs"];
            for name in ["gas", "acc", "dec", "brake"] {
                step[name] = json!(0);
            }
            step["button"] = json!(1);
        })
    });
    case.expect_rejected(chain, "recorded as covered by chain 1 at 0", |text| {
        edit(text, |json| json["goals"][0]["at"] = json!(0))
    });
    case.expect_rejected(chain, "the goals of the file are not those of the model", |text| {
        edit(text, |json| drop(json["goals"].as_array_mut().expect("goals").remove(0)))
    });
    case.expect_rejected(chain, "proven that is not its lower bound", |text| {
        edit(text, |json| json["summary"]["lower_bound"] = json!(8))
    });
    case.expect_rejected(chain, "the manifest does not list this claim", |text| {
        edit(text, |json| json["summary"]["lower_bound"] = json!(10))
    });
    case.expect_rejected(chain, "p_1: recorded as unreachable by chain 1", |text| {
        edit(text, |json| json["goals"][0]["status"] = json!("unreachable"))
    });
    let (code, output) = case.verify_changed("cruise-1/cruise.c", |text| format!("{text}\n/* more */\n"));
    assert_eq!(code, 4, "{output}");
    assert!(output.contains("cruise.c has changed since the chain was made"), "{output}");
}

/// Claims that the graph does not show are refused even if result and manifest agree on them.
#[test]
fn a_claim_that_does_not_follow_is_rejected() {
    let case = Case::corpus("example-1");
    let result = case.path("result/chain.json");
    let before = std::fs::read_to_string(&result).expect("a result");
    std::fs::write(
        &result,
        edit(&before, |json| {
            json["summary"]["lower_bound"] = json!(5);
            json["summary"]["minimal"] = json!("gap");
        }),
    )
    .expect("a file");
    case.expect_rejected("result/proofs/manifest.json", "the graph shows only 4 steps", |text| {
        edit(text, |json| json["claims"][0]["steps"] = json!(5))
    });
}

/// Two ways that exclude each other, a window of two steps, goals that cannot be covered.
const TWO_WAYS: &str = "typedef struct { _Bool go, left; } in_t;
typedef struct { unsigned char n; } st_t;
void init(st_t *s) { s->n = 0; }
void step(in_t *i, st_t *s) {
    if (s->n == 0) s->n = i->go ? (i->left ? 1 : 4) : 0;
    else if (s->n < 3 && i->go) s->n++;
    else if (s->n == 4 && i->go) s->n = 5;
}
void p_two(in_t *i, st_t *s) { __CPROVER_assume(s->n == 1); step(i, s); step(i, s); __CPROVER_assume(s->n == 3); }
void p_right(in_t *i, st_t *s) { __CPROVER_assume(s->n == 4); step(i, s); }
void p_dead(in_t *i, st_t *s) { __CPROVER_assume(s->n == 5); step(i, s); }
void p_never(in_t *i, st_t *s) { __CPROVER_assume(s->n == 6); step(i, s); }
void chaincover_final(st_t *s) { __CPROVER_assume(s->n == 3 || s->n == 4); }
";

/// More states than fit a graph; one goal that no execution reaches, and one of two steps.
const WIDE: &str = "typedef struct { unsigned int a; } in_t;
typedef struct { unsigned int x; unsigned char n; } st_t;
void init(st_t *s) { s->x = 0; s->n = 0; }
void step(in_t *i, st_t *s) { s->x = s->x + i->a; if (s->n < 3) s->n++; }
void p_odd(in_t *i, st_t *s) { __CPROVER_assume(s->x == 7u && s->n == 2); step(i, s); step(i, s); }
void p_big(in_t *i, st_t *s) { __CPROVER_assume(s->x > 1000u); step(i, s); }
void p_never(in_t *i, st_t *s) { __CPROVER_assume(s->n == 5 && s->x == 9u); step(i, s); }
";

#[test]
fn invariants_and_queries_over_steps_are_evidence_where_states_are_too_many() {
    let case = Case::text(WIDE, &[]);
    let (code, output) = case.verify();
    assert_eq!(code, 0, "{output}");
    for claim in
        ["p_never is unreachable (invariant-0)", "no chain of less than 4 steps covers the goals (bounded-1)"]
    {
        assert!(output.contains(&format!("verified       {claim}")), "{output}");
    }
    let proofs = |file: &str| format!("result/proofs/{file}");
    let cut = |text: &str| text.lines().skip(1).map(|line| format!("{line}\n")).collect::<String>();
    // The first clause alone has a model.
    let unfounded = |text: &str| {
        let id = text.lines().last().and_then(|line| line.split(' ').next()).expect("a last step");
        format!("{id} 0 1 0\n")
    };
    for file in ["invariant-0-step.lrat", "bounded-1.lrat"] {
        case.expect_rejected(&proofs(file), "proof, line 1", unfounded);
        case.expect_rejected(&proofs(file), "the proof ends without the empty clause", |_| String::new());
    }
    for file in ["invariant-0-goal.cnf", "bounded-1.cnf"] {
        case.expect_rejected(&proofs(file), "not the query that the evidence needs", cut);
    }
    let clauses = proofs("invariant-0.clauses");
    case.expect_rejected(&clauses, "another size than the manifest says", |text| {
        format!("{text}clause 0.0=1\n")
    });
    case.expect_rejected(&clauses, "not the query that the evidence needs", |text| {
        text.replacen("=0", "=1", 1)
    });
    case.expect_rejected(&clauses, "no clause over state bits", |text| text.replacen("=0", "=2", 1));
    let manifest = proofs("manifest.json");
    case.expect_rejected(&manifest, "not the query that the evidence needs", |text| {
        edit(text, |json| json["evidence"][1]["steps"] = json!(4))
    });
    case.expect_rejected(&manifest, "shows only that p_never is unreachable", |text| {
        edit(text, |json| json["claims"][1]["evidence"] = json!("invariant-0"))
    });
    case.expect_rejected(&manifest, "not the query that the evidence needs", |text| {
        edit(text, |json| json["evidence"][0]["goal"] = json!("p_odd"))
    });
    case.expect_rejected(&manifest, "twice", |text| {
        edit(text, |json| json["evidence"][1]["name"] = json!("invariant-0"))
    });
    let (code, output) = case.verify_changed("m.c", |text| text.replace("s->n < 3", "s->n < 9"));
    assert_eq!(code, 4, "{output}");
    assert!(output.contains("m.c has changed") && output.contains("another transition system"), "{output}");
}

/// As before, with a goal after which Final is out of reach.
const DEAD: &str = "
void p_dead(in_t *i, st_t *s) { __CPROVER_assume(s->x == 100000u && s->n == 3); step(i, s); }
void chaincover_final(st_t *s) { __CPROVER_assume(s->n < 3); }
";

#[test]
fn invariants_show_that_final_is_out_of_reach_after_a_goal() {
    let case = Case::text(&format!("{WIDE}{DEAD}"), &[]);
    let (code, output) = case.verify();
    assert!(
        output.contains("verified       no execution covers p_dead and ends in Final (end-after-"),
        "{output}"
    );
    assert!([0, 5].contains(&code), "{output}");
    let manifest = "result/proofs/manifest.json";
    let dead_end = |json: &mut Json, change: &dyn Fn(&mut Json)| {
        let evidence = json["evidence"].as_array_mut().expect("evidence");
        change(evidence.iter_mut().find(|one| one["kind"] == "dead-end").expect("a dead end"));
    };
    type Change<'c> = (&'c str, &'c dyn Fn(&mut Json));
    let changes: [Change<'_>; 3] = [
        ("end-after-", &|one| one["goal"] = json!("p_never")),
        ("the system has no goal p_none", &|one| one["goal"] = json!("p_none")),
        ("queries, the manifest lists", &|one| {
            drop(one["invariant"]["queries"].as_array_mut().expect("queries").pop());
        }),
    ];
    for (reason, change) in changes {
        case.expect_rejected(manifest, reason, |text| edit(text, |json| dead_end(json, change)));
    }
}

/// A timer, a mode, and a sum with more values than fit a graph: what the goals speak about is small or few steps away.
const SUM: &str = "typedef struct { _Bool run; unsigned int a; } in_t;
typedef struct { unsigned int sum, last; unsigned char timer, mode; } st_t;
void init(st_t *s) { s->sum = 0; s->last = 0; s->timer = 0; s->mode = 0; }
void step(in_t *i, st_t *s) {
    s->sum = s->sum + i->a;
    s->last = i->a;
    if (!i->run) s->timer = 0;
    else if (s->timer < 200) s->timer++;
    if (s->timer == 150) s->mode = 1;
    if (s->timer == 0 && s->mode == 1 && i->a == 77u) s->mode = 2;
}
void p_late(in_t *i, st_t *s) { __CPROVER_assume(s->timer == 180 && s->sum > 5u); step(i, s); }
void p_again(in_t *i, st_t *s) { __CPROVER_assume(s->mode == 2 && s->timer == 120); step(i, s); }
void p_mode(in_t *i, st_t *s) { __CPROVER_assume(s->mode == 2 && s->sum > 9u); step(i, s); step(i, s); }
void p_never(in_t *i, st_t *s) { __CPROVER_assume(s->mode == 3); step(i, s); }
";

#[test]
fn graphs_over_some_of_the_words_are_evidence_and_tampering_with_them_is_rejected() {
    let case = Case::text(SUM, &["--timeout", "20s"]);
    let (code, output) = case.verify();
    assert!([0, 5].contains(&code), "{output}");
    assert!(output.contains("verified       p_never is unreachable"), "{output}");
    let claim = output.lines().find(|line| line.contains("no chain of less than"));
    assert!(claim.is_some_and(|line| line.starts_with("verified")), "{output}");
    let proofs = case.path("result/proofs");
    let listed = std::fs::read_dir(&proofs).expect("a folder").flatten();
    let mut names: Vec<String> =
        listed.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    assert!(names.iter().any(|name| name.starts_with("words-")), "{names:?}");
    let endings = ["-initial.cnf", "-step-0.lrat", ".graph", ".families", ".clauses", ".tour"];
    for name in endings.iter().filter_map(|ending| names.iter().find(|name| name.ends_with(ending))) {
        let path = format!("result/proofs/{name}");
        let reason = format!("{name} has changed since the evidence was written");
        case.expect_rejected(&path, &reason, |text| format!("{text}\n"));
    }
    for name in names.iter().filter(|name| name.ends_with(".graph") || name.ends_with(".families")) {
        let path = format!("result/proofs/{name}");
        case.expect_rejected(&path, "other state words", |text| text.replacen("word ", "word x", 1));
    }
}

/// Every file of a result in every way that a file may be damaged.
#[test]
fn any_damage_to_any_file_is_rejected() {
    let case = Case::text(TWO_WAYS, &[]);
    let result = case.path("result");
    let proofs = result.join("proofs");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&proofs).expect("a folder").flatten().map(|entry| entry.path()).collect();
    // One file of each kind.
    files.retain(|file| {
        ["step-0.cnf", "step-0.lrat", "graph.graph", "manifest.json"].iter().any(|name| file.ends_with(name))
    });
    files.push(result.join("chain.json"));
    files.sort();
    assert_eq!(files.len(), 5, "{files:?}");
    let expect_refused = |what: &str, codes: &[i32]| {
        let (code, output) = case.verify();
        assert!(codes.contains(&code), "{what}: exit code {code}\n{output}");
        assert!(output.contains("REJECTED") || output.contains("error"), "{what}: {output}");
    };
    for file in &files {
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        let before = std::fs::read(file).expect("a file");
        let is_read_first = name == "manifest.json" || name == "chain.json";
        // Without manifest or result there is nothing to check.
        let codes: &[i32] = if is_read_first { &[2, 4] } else { &[4] };
        let mut damaged: Vec<(&str, Vec<u8>)> = vec![("cut", before[..before.len() / 2].to_vec())];
        if name != "manifest.json" {
            for (what, place) in [("a bit at the beginning", 0), ("a bit in the middle", before.len() / 2)] {
                let mut bytes = before.clone();
                bytes[place] ^= 1;
                damaged.push((what, bytes));
            }
            let lines: Vec<&[u8]> = before.split_inclusive(|&byte| byte == b'\n').collect();
            damaged.push((
                "a line",
                [&lines[..lines.len() / 2], &lines[lines.len() / 2 + 1..]].concat().concat(),
            ));
        }
        for (what, bytes) in damaged {
            std::fs::write(file, bytes).expect("a file");
            expect_refused(&format!("{name}: {what}"), codes);
        }
        std::fs::remove_file(file).expect("a file");
        expect_refused(&format!("{name}: removed"), codes);
        std::fs::write(file, before).expect("a file");
    }
    for pair in files.windows(2) {
        let texts = [&pair[0], &pair[1]].map(|file| std::fs::read(file).expect("a file"));
        std::fs::write(&pair[0], &texts[1]).expect("a file");
        std::fs::write(&pair[1], &texts[0]).expect("a file");
        expect_refused(&format!("{} and {} swapped", pair[0].display(), pair[1].display()), &[2, 4]);
        std::fs::write(&pair[0], &texts[0]).expect("a file");
        std::fs::write(&pair[1], &texts[1]).expect("a file");
    }
    assert_eq!(case.verify().0, 0);
}

#[test]
fn a_changed_configuration_is_rejected() {
    let case = Case::corpus("light");
    let (code, output) =
        case.verify_changed("light/chaincover.toml", |text| text.replacen("overrun", "overran", 1));
    assert_eq!(code, 4, "{output}");
    assert!(output.contains("chaincover.toml has changed since the chain was made"), "{output}");
    assert_eq!(case.verify().0, 0);
}

/// A goal that is far away for a reason that ranges of the sum show and a graph or a query do not: it has too many values.
const HARD: &str = "typedef struct { unsigned int a; } in_t;
typedef struct { unsigned int x; } st_t;
void init(st_t *s) { s->x = 0; }
void step(in_t *i, st_t *s) { s->x = s->x + (i->a & 4095u); }
void p_far(in_t *i, st_t *s) { __CPROVER_assume(s->x > 3000000u); step(i, s); }
";

#[test]
fn what_has_no_evidence_is_never_called_verified() {
    let case = Case::text(HARD, &["--timeout", "10s"]);
    let (code, output) = case.verify();
    assert_eq!(code, 5, "{output}");
    assert!(output.contains("NOT CERTIFIED  no chain of less than"), "{output}");
    assert!(output.contains("graph"), "{output}");
    assert!(!output.contains("claims verified\n"), "{output}");
}

#[test]
fn final_windows_and_prices_are_covered_by_the_evidence() {
    for (options, claims) in [
        (&[][..], &["fewer than 2 chains do not cover", "no 2 chains of less than 5 steps in all"][..]),
        (&["--reset-cost", "7"], &["no chains cost less than 12, where a further chain costs 7"]),
        (&["--engine", "sat"], &["fewer than 2 chains do not cover"]),
    ] {
        let case = Case::text(TWO_WAYS, options);
        let (code, output) = case.verify();
        assert_eq!(code, 0, "{options:?}: {output}");
        for claim in
            claims.iter().chain(&["p_never is unreachable", "no execution covers p_dead and ends in Final"])
        {
            assert!(output.contains(&format!("verified       {claim}")), "{options:?}: {output}");
        }
    }
}

#[test]
fn folders_without_evidence_are_a_usage_error() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    assert_eq!(call(&["verify", text(folder.path())]).0, 2);
    let case = Case::corpus("example-1");
    std::fs::remove_file(case.path("result/proofs/manifest.json")).expect("a manifest");
    let (code, output) = case.verify();
    assert_eq!(code, 2, "{output}");
    assert!(output.contains("manifest.json: cannot be read"), "{output}");
    assert_eq!(call(&["chain", "m.c", "--proofs"]).0, 2);
}

/// More states than fit a graph; what the goals speak about changes one at a time.
const HALL: &str = "typedef struct { unsigned char move; unsigned int a; } in_t;
typedef struct { unsigned char x, y; unsigned int load; } st_t;
void init(st_t *s) { s->x = 0; s->y = 0; s->load = 0; }
void step(in_t *i, st_t *s) {
    switch (i->move) {
    case 1: if (s->x < 9) s->x++; break;
    case 2: if (s->x > 0) s->x--; break;
    case 3: if (s->y < 9) s->y++; break;
    case 4: if (s->y > 0) s->y--; break;
    case 5: s->load = i->a; break;
    default: break;
    }
}
void p_east(in_t *i, st_t *s) { __CPROVER_assume(s->x == 3 && s->y == 2 && i->move == 1); step(i, s); }
void p_north(in_t *i, st_t *s) { __CPROVER_assume(s->x == 1 && s->y == 5 && i->move == 3); step(i, s); }
void p_wait(in_t *i, st_t *s) { __CPROVER_assume(s->y == 1 && i->move == 0 && s->load != 9u); step(i, s); }
void p_rest(in_t *i, st_t *s) { __CPROVER_assume(s->y == 4 && i->move == 0 && s->load != 8u); step(i, s); }
void chaincover_final(st_t *s) { __CPROVER_assume(s->x == 0 && s->y == 0); }
";

#[test]
fn changes_of_parts_are_evidence_and_tampering_with_them_is_rejected() {
    let case = Case::text(HALL, &[]);
    let (code, output) = case.verify();
    assert_eq!(code, 0, "{output}");
    let claim = "verified       no chain of less than 22 steps covers the goals (parts-0)";
    assert!(output.contains(claim), "{output}");
    let proofs = |file: &str| format!("result/proofs/{file}");
    let parts = proofs("parts-0.parts");
    for (from, to, reason) in [
        ("change 0 1\n", "", "parts-0-step-0.cnf: not the query that the evidence needs"),
        ("value ie 0", "value e 0", "parts-0-initial.cnf: not the query"),
        ("value - 3\n", "value e 3\n", "parts-0-end-0.cnf: not the query"),
        ("bit 0 7\n", "", "parts-0-apart.cnf: not the query"),
        ("bit 0 7\n", "bit 0 8\n", "step.s->x has no bit 8"),
        ("word step.s->x\n", "word step.s->z\n", "the system has no state word step.s->z"),
        ("word step.s->x\n", "word step.s->y\n", "a state word is named twice"),
        ("goal p_east\n", "goal p_west\n", "the system has no goal p_west"),
        ("pair 0 3 4\n", "pair 0 3 5\n", "parts-0-goal-0.cnf: not the query"),
        ("idle 3\n", "idle 1\nidle 3\n", "parts-0-goal-1.cnf: not the query"),
        ("part\n", "party\n", ".parts: line"),
    ] {
        case.expect_rejected(&parts, reason, |text| text.replacen(from, to, 1));
    }
    let tour = proofs("parts-0-1.tour");
    case.expect_rejected(&tour, "tour 1: tour, line", |text| {
        let rows = text.lines().find(|line| line.starts_with("rows ")).expect("rows");
        text.replacen(rows, &format!("{rows}0"), 1)
    });
    case.expect_rejected(&tour, "the node may have a shorter tour", |_| {
        "chaincover tour 1\nclosed\n".to_owned()
    });
    case.expect_rejected(&proofs("parts-0-apart.lrat"), "without the empty clause", |_| String::new());
    let manifest = proofs("manifest.json");
    case.expect_rejected(&manifest, "tour 1: tour, line", |text| {
        edit(text, |json| json["evidence"][0]["tours"][1]["steps"] = json!(50))
    });
    case.expect_rejected(&manifest, "shows only that no chain of less than 21 steps", |text| {
        edit(text, |json| {
            let steps = json["evidence"][0]["tours"][1]["steps"].as_u64().expect("steps");
            json["evidence"][0]["tours"][1]["steps"] = json!(steps - 1);
        })
    });
    case.expect_rejected(&manifest, "need a tour each", |text| {
        edit(text, |json| drop(json["evidence"][0]["tours"].as_array_mut().expect("tours").pop()))
    });
    let (code, output) = case.verify_changed("m.c", |text| text.replace("s->x < 9", "s->x < 8"));
    assert_eq!(code, 4, "{output}");
    assert!(output.contains("m.c has changed") && output.contains("another transition system"), "{output}");
}

/// Two lines of eleven places that exclude each other, a goal at every place.
fn lines() -> String {
    let mut text = "typedef struct { _Bool go, left; } in_t;
typedef struct { unsigned char n, side; } st_t;
void init(st_t *s) { s->n = 0; s->side = 0; }
void step(in_t *i, st_t *s) {
    if (!i->go || s->n == 12) return;
    if (s->n == 0) s->side = i->left;
    s->n++;
}
"
    .to_owned();
    for (side, place) in (0..2).flat_map(|side| (1..12).map(move |place| (side, place))) {
        text += &format!(
            "void p_{side}_{place}(in_t *i, st_t *s) {{ __CPROVER_assume(s->n == {place} && s->side == {side}); step(i, s); }}\n"
        );
    }
    text
}

#[test]
fn tours_on_the_graph_are_evidence_where_goals_are_many() {
    let case = Case::text(&lines(), &[]);
    let (code, output) = case.verify();
    assert_eq!(code, 0, "{output}");
    for claim in [
        "fewer than 2 chains do not cover the goals (tour-0)",
        "no 2 chains of less than 24 steps in all cover the goals (tour-1)",
    ] {
        assert!(output.contains(&format!("verified       {claim}")), "{output}");
    }
    let proofs = |file: &str| format!("result/proofs/{file}");
    case.expect_rejected(&proofs("tour-1.tour"), "the node may have a shorter tour", |_| {
        "chaincover tour 1\nclosed\n".to_owned()
    });
    case.expect_rejected(&proofs("tour-0.tour"), "this is no certificate", |_| String::new());
    case.expect_rejected(&proofs("graph.graph"), "another size than the manifest says", |text| {
        let edge = text.lines().last().expect("an edge");
        text.replacen(&format!("{edge}\n"), "", 1)
    });
    let manifest = proofs("manifest.json");
    case.expect_rejected(&manifest, "tour-1.tour: tour, line", |text| {
        edit(text, |json| json["evidence"][2]["tour"]["steps"] = json!(25))
    });
    case.expect_rejected(&manifest, "shows only that", |text| {
        edit(text, |json| json["evidence"][1]["tour"]["steps"] = json!(100))
    });
    case.expect_rejected(&manifest, "`other` should be listed before what rests on it", |text| {
        edit(text, |json| json["evidence"][1]["distances"] = json!(["other"]))
    });
    case.expect_rejected(&manifest, "tour-1.tour: tour, line", |text| {
        edit(text, |json| json["evidence"][2]["distances"] = json!([]))
    });
    case.expect_rejected(&manifest, "a tour needs graphs or distances", |text| {
        edit(text, |json| json["evidence"][2]["distances"] = json!(["tour-0"]))
    });
    let priced = Case::text(&lines(), &["--reset-cost", "5"]);
    let (code, output) = priced.verify();
    assert_eq!(code, 0, "{output}");
    assert!(
        output.contains("no chains cost less than 29, where a further chain costs 5 (tour-0)"),
        "{output}"
    );
}

/// A counter with three modes: many states of few kinds.
const COUNTER: &str = "typedef struct { _Bool on, alarm; } in_t;
typedef struct { unsigned short n; unsigned char mode; } st_t;
void init(st_t *s) { s->n = 0; s->mode = 0; }
void step(in_t *i, st_t *s) {
    if (i->on) { if (s->n < 3000) s->n++; else s->mode = 1; }
    else { s->n = 0; if (s->mode == 1 && i->alarm) s->mode = 2; }
}
void p_full(in_t *i, st_t *s) { __CPROVER_assume(s->n == 3000 && i->on); step(i, s); }
void p_alarm(in_t *i, st_t *s) { __CPROVER_assume(s->mode == 1); step(i, s); __CPROVER_assume(s->mode == 2); }
void p_again(in_t *i, st_t *s) { __CPROVER_assume(s->mode == 2 && s->n == 1500); step(i, s); step(i, s); }
void p_never(in_t *i, st_t *s) { __CPROVER_assume(s->mode == 2 && s->n == 3001); step(i, s); }
void chaincover_final(st_t *s) { __CPROVER_assume(s->n < 10); }
";

#[test]
fn families_of_nodes_are_evidence_and_tampering_with_them_is_rejected() {
    let case = Case::text(COUNTER, &[]);
    let (code, output) = case.verify();
    assert_eq!(code, 0, "{output}");
    for claim in
        ["p_never is unreachable (graph)", "no chain of less than 4504 steps covers the goals (graph)"]
    {
        assert!(output.contains(&format!("verified       {claim}")), "{output}");
    }
    let proofs = |file: &str| format!("result/proofs/{file}");
    let families = proofs("graph.families");
    let text = std::fs::read_to_string(case.path(&families)).expect("families");
    assert!(text.lines().count() < 100, "few families should do:\n{text}");
    let line = |begin: &str| {
        let found = text.lines().find(|line| line.starts_with(begin));
        found.unwrap_or_else(|| panic!("a line {begin}:\n{text}")).to_owned()
    };
    for (from, to, reason) in [
        ("shift 1 ".to_owned(), "shift 4000 ", "leads to no node"),
        ("shift 1 ".to_owned(), "shift 2 ", "step-0.cnf: not the query that the evidence needs"),
        (format!("{}\n", line("shift 1 ")), "", "another size than the manifest says"),
        ("family ie ".to_owned(), "family i ", "end-0.cnf: not the query that the evidence needs"),
        ("family ie ".to_owned(), "family e ", "initial.cnf: not the query that the evidence needs"),
        ("ranged 0".to_owned(), "ranged 1", ".families: line"),
        ("word step.s->n".to_owned(), "word step.s->m", "other state words"),
        (line("label "), "label 7 p_full", "its labels are not the steps of the goals"),
    ] {
        case.expect_rejected(&families, reason, |text| text.replacen(&from, to, 1));
    }
    case.expect_rejected(&proofs("step-0.lrat"), "without the empty clause", |_| String::new());
    case.expect_rejected(&proofs("manifest.json"), "another size than the manifest says", |text| {
        edit(text, |json| json["evidence"][0]["nodes"] = json!(7))
    });
    case.expect_rejected(&proofs("manifest.json"), "queries, the manifest lists", |text| {
        edit(text, |json| drop(json["evidence"][0]["queries"].as_array_mut().expect("queries").pop()))
    });
    let (code, output) = case.verify_changed("m.c", |text| text.replace("s->n < 3000", "s->n < 2999"));
    assert_eq!(code, 4, "{output}");
    assert!(output.contains("m.c has changed") && output.contains("another transition system"), "{output}");
}

/// Bounds that rest on values of the C library.
const SINE: &str = "#include <math.h>
typedef struct { _Bool go; } in_t;
typedef struct { unsigned char n; _Bool high, higher; } st_t;
void init(st_t *s) { s->n = 0; s->high = 0; s->higher = 0; }
void step(in_t *i, st_t *s) {
    float y = sinf((float)s->n);
    s->high = y > 0.9f;
    s->higher = y > 0.95f;
    if (i->go) s->n = s->n < 4 ? s->n + 1 : 0;
}
void p_high(in_t *i, st_t *s) { __CPROVER_assume(s->high); step(i, s); }
void p_higher(in_t *i, st_t *s) { __CPROVER_assume(s->higher); step(i, s); }
";

#[test]
fn values_of_the_c_library_are_axioms_that_are_checked_again() {
    let case = Case::text(SINE, &[]);
    let (code, output) = case.verify();
    assert_eq!(code, 0, "{output}");
    for claim in ["p_higher is unreachable", "no chain of less than 4 steps covers the goals"] {
        assert!(output.contains(&format!("verified       {claim}")), "{output}");
    }
    let manifest = "result/proofs/manifest.json";
    case.expect_rejected(manifest, "by the C library here, not 0x3f000000", |text| {
        edit(text, |json| json["library"][0]["result"] = json!("0x3f000000"))
    });
    case.expect_rejected(manifest, "another transition system", |text| {
        edit(text, |json| drop(json["library"].as_array_mut().expect("points").remove(0)))
    });
}

/// More states than fit a graph; three ways that exclude each other, of which each has a goal of its own, and a goal on all of them.
const WIDE_WAYS: &str = "typedef struct { unsigned int a; unsigned char way; } in_t;
typedef struct { unsigned int x; unsigned char n; } st_t;
void init(st_t *s) { s->x = 0; s->n = 0; }
void step(in_t *i, st_t *s) {
    s->x = s->x + i->a;
    if (s->n == 0) s->n = i->way <= 3 ? i->way * 10 : 0;
    else if (s->n % 10 < 2) s->n++;
}
void p_one(in_t *i, st_t *s) { __CPROVER_assume(s->n == 12 && s->x > 7u); step(i, s); }
void p_two(in_t *i, st_t *s) { __CPROVER_assume(s->n == 21); step(i, s); step(i, s); __CPROVER_assume(s->x == 5u); }
void p_three(in_t *i, st_t *s) { __CPROVER_assume(s->n == 31); step(i, s); __CPROVER_assume(s->n == 32); }
void p_any(in_t *i, st_t *s) { __CPROVER_assume(s->n % 10 == 1); step(i, s); }
";

#[test]
fn goals_that_exclude_each_other_are_evidence_for_the_number_of_chains() {
    let case = Case::text(WIDE_WAYS, &["--engine", "sat", "--timeout", "20s"]);
    let (_, output) = case.verify();
    assert!(
        output.contains("verified       fewer than 3 chains do not cover the goals (exclusive-"),
        "{output}"
    );
    let manifest = "result/proofs/manifest.json";
    let exclusive = |json: &mut Json, change: &dyn Fn(&mut Json)| {
        let evidence = json["evidence"].as_array_mut().expect("evidence");
        change(evidence.iter_mut().find(|one| one["kind"] == "exclusive").expect("exclusive goals"));
    };
    type Change<'c> = (&'c str, &'c dyn Fn(&mut Json));
    let changes: [Change<'_>; 3] = [
        ("3 pairs of goals need an invariant each, there are 2", &|one| {
            drop(one["pairs"].as_array_mut().expect("pairs").pop());
        }),
        ("exclusive-", &|one| one["goals"].as_array_mut().expect("goals").reverse()),
        ("no chain covers p_none", &|one| one["goals"][0] = json!("p_none")),
    ];
    for (reason, change) in changes {
        case.expect_rejected(manifest, reason, |text| edit(text, |json| exclusive(json, change)));
    }
}
