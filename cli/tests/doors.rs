//! Commands that answer questions about the same goals give the same answers: `chain`, `explain`
//! and `graph`.

use crate::support::call;
use serde_json::Value as Json;
use std::path::Path;

/// Results of `sin` at whole numbers up to 7 are at most 0.9093: `p_high` is unreachable, and the
/// sum needs a step more than for results of 1.
const SUM: &str = "#include <math.h>
double sum; unsigned char top;
void step(unsigned char n) { if (n > 7) n = 7; double s = sin((double)n); sum += s; if (s > 0.95) top = 1; }
void p_high(unsigned char n) { __CPROVER_assume(top == 1); step(n); }
void p_sum(unsigned char n) { __CPROVER_assume(sum > 1.85); step(n); }
void p_low(unsigned char n) { __CPROVER_assume(sum > 0.5 && sum < 0.9); step(n); }
";

/// The range of the result alone excludes a goal.
const RANGE: &str = "#include <math.h>
int seen;
void step(float x) { float c = cosf(x); if (c > 1.5f) seen = 2; else if (c > 0.25f && c < 0.5f) seen = 1; }
void p_beyond(float x) { __CPROVER_assume(seen == 2); step(x); }
void p_within(float x) { __CPROVER_assume(seen == 1); step(x); }
";

/// One call feeds another; both goals need a certain order.
const NESTED: &str = "#include <math.h>
unsigned char phase;
void step(unsigned char n) {
    double e = exp((double)(n & 3));
    if (phase == 0 && e > 7.0 && e < 8.0) phase = 1;
    else if (phase == 1 && sqrt(e) > 4.0) phase = 2;
    else if (phase == 1 && e > 2.8 && e < 7.0) phase = 3;
}
void p_one(unsigned char n) { __CPROVER_assume(phase == 1); step(n); }
void p_two(unsigned char n) { __CPROVER_assume(phase == 2); step(n); }
void p_three(unsigned char n) { __CPROVER_assume(phase == 3); step(n); }
";

/// Nothing of the library.
const PLAIN: &str = "
unsigned char n;
void step(_Bool up, _Bool reset) { if (reset) n = 0; else if (up && n < 4) n++; }
void p_top(_Bool up, _Bool reset) { __CPROVER_assume(n == 4 && reset); step(up, reset); }
void p_beyond(_Bool up, _Bool reset) { __CPROVER_assume(n == 5); step(up, reset); }
void p_two(_Bool up, _Bool reset) { __CPROVER_assume(n == 2); step(up, reset); }
";

fn json(folder: &Path, arguments: &[&str]) -> Json {
    let (code, out, err) = call(folder, arguments);
    serde_json::from_str(&out).unwrap_or_else(|_| panic!("{arguments:?}: {code}\n{out}\n{err}"))
}

/// What `explain` says of a goal: its status; where it is covered, the length of the chain, and
/// whether that is proven to be the shortest.
fn explained(folder: &Path, goal: &str) -> (String, Option<(u64, bool)>) {
    let (_, out, err) = call(folder, &["explain", goal, "m.c", "--timeout", "60s", "-q"]);
    let first = out.lines().next().unwrap_or_else(|| panic!("explain {goal} prints nothing: {err}"));
    let rest = first.strip_prefix(&format!("{goal}: ")).unwrap_or_else(|| panic!("{first}"));
    let (status, rest) = rest.split_once(',').unwrap_or((rest, ""));
    let length = rest.strip_prefix(" by a chain of ").and_then(|rest| rest.split(' ').next());
    let length = length.map(|digits| digits.parse().unwrap_or_else(|_| panic!("{first}")));
    (status.to_owned(), length.map(|length| (length, rest.ends_with("proven"))))
}

/// Weight of the edge from the initial state to a goal in the graph; `Err`: why there is none.
fn distance(graph: &Json, goal: &str) -> Result<u64, Json> {
    let is_asked = |edge: &&Json| edge["from"] == "Init" && edge["to"] == goal;
    let list = |name: &str| graph[name].as_array().cloned().unwrap_or_default();
    if let Some(edge) = list("edges").iter().find(is_asked) {
        return edge["weight"].as_u64().ok_or_else(|| edge.clone());
    }
    Err(list("open").iter().find(is_asked).cloned().unwrap_or(Json::Null))
}

/// The statuses of all goals, after comparing the three commands; goals have windows of one step,
/// and chains may end anywhere.
fn agreed(model: &str) -> Vec<(String, String)> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    std::fs::write(folder.join("m.c"), model).expect("a file");
    let limit = ["--timeout", "60s", "-q"];
    let chain = json(folder, &[&["chain", "m.c", "--json", "-"], &limit[..]].concat());
    let emitted = json(folder, &[&["chain", "m.c", "--emit", "graph"], &limit[..]].concat());
    let graph = json(folder, &[&["graph", "m.c", "--max-k", "6"], &limit[..]].concat());
    let goals = chain["goals"].as_array().expect("goals");
    let compare = |goal: &Json| {
        let name = goal["name"].as_str().expect("a name");
        let status = goal["status"].as_str().expect("a status");
        let (said, length) = explained(folder, name);
        assert_eq!(said, status, "chain and explain disagree about {name}");
        match length {
            Some((length, is_shortest)) => {
                let at = goal["at"].as_u64().expect("a step");
                assert!(
                    !is_shortest || at + 1 >= length,
                    "{name}: at {at}, though {length} steps are needed"
                );
                let weight = distance(&graph, name).unwrap_or_else(|open| panic!("{name}: {open}"));
                assert!(weight < length, "{name}: {length} steps, but a distance of {weight}");
                assert!(!is_shortest || weight + 1 == length, "{name}: {length} steps, distance {weight}");
                assert!(weight <= at, "{name}: at {at}, but a distance of {weight}");
                let emitted = distance(&emitted, name);
                assert!(emitted.as_ref().is_ok_and(|&known| known == weight) || emitted.is_err(), "{name}");
            }
            None => {
                assert_eq!(status, "unreachable", "{name}");
                for graph in [&graph, &emitted] {
                    let open = distance(graph, name).expect_err("an unreachable goal has no distance");
                    assert!(open["unreachable"].is_string() || open["at_least"].as_u64() > Some(0), "{open}");
                }
            }
        }
        (name.to_owned(), status.to_owned())
    };
    goals.iter().map(compare).collect()
}

fn expect(model: &str, expected: &[(&str, &str)]) {
    let owned = |&(name, status): &(&str, &str)| (name.to_owned(), status.to_owned());
    assert_eq!(agreed(model), expected.iter().map(owned).collect::<Vec<_>>());
}

#[test]
fn sums_of_sines() {
    expect(SUM, &[("p_high", "unreachable"), ("p_sum", "covered"), ("p_low", "covered")]);
}

#[test]
fn ranges_of_cosines() {
    expect(RANGE, &[("p_beyond", "unreachable"), ("p_within", "covered")]);
}

#[test]
fn calls_that_choose_the_phase() {
    expect(NESTED, &[("p_one", "covered"), ("p_two", "covered"), ("p_three", "unreachable")]);
}

#[test]
fn models_without_calls() {
    expect(PLAIN, &[("p_top", "covered"), ("p_beyond", "unreachable"), ("p_two", "covered")]);
}
