//! Evidence by graphs of all states: families of nodes, tours, values of the C library.

use crate::proofs::{Case, edit};
use serde_json::json;

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

/// Where no goal can be covered, there is no chain, and no chain has no length: bounds about the
/// goals that were still sought are none about it.
#[test]
fn no_chain_at_all_is_proven_to_be_the_best() {
    let text = "typedef struct { unsigned char a; _Bool b; } in_t;
typedef struct { unsigned char s; _Bool done; } st_t;
void init(st_t *s) { s->s = 0; s->done = 0; }
void step(in_t *i, st_t *s) {
    if (s->s < 5 && i->a == s->s * 3) s->s++; else if (i->b && s->s) s->s--;
    if (s->s == 3 && i->a == 200) s->done = 1;
}
void p_six(in_t *i, st_t *s) { __CPROVER_assume(s->s == 6); step(i, s); }
void p_seven(in_t *i, st_t *s) { __CPROVER_assume(s->s == 7); step(i, s); }
";
    let case = Case::text(text, &[]);
    let (code, output) = case.verify();
    assert_eq!(code, 0, "{output}");
    for goal in ["p_six", "p_seven"] {
        assert!(output.contains(&format!("verified       {goal} is unreachable")), "{output}");
    }
}

/// Two counters that share nothing: too many states for one graph, and the longer one says how long
/// a chain is at least.
const SIDE_BY_SIDE: &str = "static unsigned short n, m;
void step(_Bool up, _Bool down) {
    n = up ? (n < 3000 ? n + 1 : n) : 0;
    m = down ? (m < 2500 ? m + 1 : m) : 0;
    __CPROVER_cover(n == 1900);
    __CPROVER_cover(n == 2900);
    __CPROVER_cover(m == 2400);
}
";

#[test]
fn a_graph_of_some_words_shows_how_long_chains_for_all_goals_are() {
    let case = Case::text(SIDE_BY_SIDE, &[]);
    let (code, output) = case.verify();
    assert_eq!(code, 0, "{output}");
    assert!(
        output.contains("verified       no chain of less than 2900 steps covers the goals (words-"),
        "{output}"
    );
    let manifest = "result/proofs/manifest.json";
    let words = |json: &serde_json::Value, steps: u64| {
        let claims = json["claims"].as_array().expect("claims").iter();
        claims.clone().position(|claim| claim.to_string().contains(&steps.to_string())).expect("the claim")
    };
    // The other counter alone does not show as much.
    let (_, told) = case.verify_changed(manifest, |text| {
        edit(text, |json| {
            let at = words(json, 2900);
            json["claims"][at] =
                serde_json::from_str(&json["claims"][at].to_string().replace("2900", "2901")).expect("JSON");
        })
    });
    assert!(told.contains("REJECTED") || told.contains("NOT CERTIFIED"), "{told}");
}
