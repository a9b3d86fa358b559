//! Evidence where the states are too many for a graph.

use crate::proofs::{Case, edit};
use serde_json::{Value as Json, json};

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
    let case = Case::text(SUM, &["--timeout", "60s"]);
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

/// A goal that is far away for a reason that ranges of the sum show and a graph or a query do not: it has too many values.
const HARD: &str = "typedef struct { unsigned int a; } in_t;
typedef struct { unsigned int x; } st_t;
void init(st_t *s) { s->x = 0; }
void step(in_t *i, st_t *s) { s->x = s->x + (i->a & 4095u); }
void p_far(in_t *i, st_t *s) { __CPROVER_assume(s->x > 3000000u); step(i, s); }
";

#[test]
fn what_has_no_evidence_is_never_called_verified_and_less_is_certified() {
    let case = Case::text(HARD, &["--timeout", "200s"]);
    let (code, output) = case.verify();
    assert_eq!(code, 5, "{output}");
    assert!(output.contains("NOT CERTIFIED  no chain of less than"), "{output}");
    assert!(output.contains("graph"), "{output}");
    assert!(!output.contains("claims verified\n"), "{output}");
    // A query over fewer steps shows less, and that is certified.
    assert!(output.contains("verified       no chain of less than 1"), "{output}");
    let manifest = "result/proofs/manifest.json";
    case.expect_rejected(manifest, "shows only that no chain of less than", |text| {
        edit(text, |json| json["claims"][0]["instead"]["steps"] = json!(500))
    });
    case.expect_rejected(manifest, "this is no weaker claim than that no chain of less than", |text| {
        edit(text, |json| json["claims"][0]["instead"]["steps"] = json!(5_000_000))
    });
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
        text.replacen(rows, &format!("{rows} 0"), 1)
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
    let case = Case::text(WIDE_WAYS, &["--engine", "sat", "--timeout", "40s"]);
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
