//! A table of texts with the goals they have. `+` marks goals that some execution reaches, `-` those
//! that none does.

use crate::coverage::explore::{checked, coverage, reachable, translated};
use frontend::Request;
use frontend::coverage::Criterion;

/// The goals of a text for some criteria, with marks; without the file's name.
fn goals(text: &str, criteria: &[Criterion], adjust: impl FnOnce(&mut Request)) -> Vec<String> {
    let found = translated(text, |request| {
        request.coverage.criteria = criteria.iter().copied().collect();
        adjust(request);
    });
    let reachable = reachable(&checked(&found));
    let coverage = coverage(&found);
    let shown = |goal: &frontend::coverage::CoverageGoal| {
        let mark = if reachable.contains(&goal.goal) { '+' } else { '-' };
        format!("{mark} {}", goal.name.replace("m.c:", ""))
    };
    coverage.goals.iter().map(shown).collect()
}

#[track_caller]
fn check(criterion: Criterion, text: &str, expected: &[&str]) {
    assert_eq!(goals(text, &[criterion], |_| {}), expected, "{text}");
}

#[test]
fn masking_follows_the_operators() {
    check(
        Criterion::Mcdc,
        "int y; void step(_Bool a, _Bool b) { if (a && b) y = 1; }",
        &["+ 1 mcdc a true", "+ 1 mcdc a false", "+ 1 mcdc b true", "+ 1 mcdc b false"],
    );
    // The right operand decides alone: the left one is masked wherever it holds.
    check(
        Criterion::Mcdc,
        "int y; void step(_Bool a) { if (a && !a) y = 1; }",
        &["- 1 mcdc a true", "+ 1 mcdc a false", "+ 1 mcdc a true#2", "- 1 mcdc a false#2"],
    );
    check(
        Criterion::Mcdc,
        "int y; void step(_Bool a, _Bool b) { if (a || (a & b)) y = 1; }",
        &[
            "+ 1 mcdc a true",
            "+ 1 mcdc a false",
            "- 1 mcdc a true#2",
            "+ 1 mcdc a false#2",
            "- 1 mcdc b true",
            "- 1 mcdc b false",
        ],
    );
    check(
        Criterion::Mcdc,
        "int y; void step(_Bool a, _Bool b) { y = a ^ b; }",
        &["+ 1 mcdc a true", "+ 1 mcdc a false", "+ 1 mcdc b true", "+ 1 mcdc b false"],
    );
    check(
        Criterion::Mcdc,
        "int y; void step(_Bool a) { y = !!!a; }",
        &["+ 1 mcdc a true", "+ 1 mcdc a false"],
    );
}

#[test]
fn decisions_stand_anywhere() {
    for (text, expected) in [
        ("int y; void step(_Bool a, _Bool b) { y = a && b; }", vec!["a && b"]),
        ("int y; void step(_Bool a, _Bool b) { y = a; if (b) y = 2; }", vec!["b"]),
        ("int y; void step(int u) { y = u > 3; }", vec!["u > 3"]),
        ("int y; void step(int u, _Bool a, _Bool b) { y = u == (a && b); }", vec!["u == (a && b)", "a && b"]),
        ("int y; void step(_Bool c, _Bool a, _Bool b) { y = c == (a && b); }", vec!["c == (a && b)"]),
        ("int y; int f(int x) { return x; } void step(_Bool a, _Bool b) { y = f(a && b); }", vec!["a && b"]),
        (
            "int y; void step(_Bool a, _Bool b, _Bool c) { if ((a ? b : c) && a) y = 1; }",
            vec!["(a ? b : c) && a", "a"],
        ),
        (
            "int y; int f(_Bool x) { return x; } void step(_Bool a, _Bool b) { if (f(a && b) || b) y = 1; }",
            vec!["f(a && b) || b", "a && b"],
        ),
        ("int y; void step(_Bool a, _Bool b) { if (y = 1, a || b) y = 2; }", vec!["a || b"]),
        ("int y; void step(_Bool a, _Bool b) { if ((y = a && b)) y = 2; }", vec!["y = a && b", "a && b"]),
        ("int i; void step(_Bool a) { if (i++ < 3 && a) i = 0; }", vec!["i++ < 3 && a"]),
        ("int i, y; void step(_Bool a) { for (i = 0; i < 3 && a; i++) y++; }", vec!["i < 3 && a"]),
        ("int i, y; void step(_Bool a) { i = 0; do y++; while (i++ < 2 && a); }", vec!["i++ < 2 && a"]),
        ("int i, y; void step(_Bool a) { i = 0; while (i < 2 && a) i++; }", vec!["i < 2 && a"]),
        ("int y; void step(_Bool a, _Bool b) { switch (a && b) { case 1: y = 1; } }", vec!["a && b"]),
        (
            "#define BOTH(p, q) ((p) && (q))\nint y; void step(_Bool a, _Bool b) { y = BOTH(a, !b); }",
            vec!["(a) && (!b)"],
        ),
        ("int y; void step(_Bool a, _Bool b) { int x = a || b; y = x; }", vec!["a || b"]),
        (
            "int y; void step(_Bool a, _Bool b) { int x[2] = { a || b, a && b }; y = x[1]; }",
            vec!["a || b", "a && b"],
        ),
        ("int y; void step(float f) { if (f) y = 1; }", vec!["f"]),
        ("int y; int t[2]; void step(_Bool a) { int *p = a ? t : 0; if (p) y = 1; }", vec!["a", "p"]),
        (
            "int y; int t[2]; void step(_Bool a) { int *p = a ? t : 0; if (p == 0 || *p) y = 1; }",
            vec!["a", "p == 0 || *p"],
        ),
        ("int y; void step(_Bool a, _Bool b) { a && (y = b); }", vec!["a && (y = b)"]),
        ("int y; void f(void) { y++; } void step(_Bool a) { a ? f() : (void)0; }", vec!["a"]),
        ("int y; void step(unsigned char a) { y = (a & 3) | (a > 3); }", vec!["a > 3"]),
        (
            "int y; void step(_Bool a, _Bool b) { y = (unsigned char)((unsigned)a & (unsigned)b); }",
            vec!["(unsigned)a & (unsigned)b"],
        ),
        (
            "typedef unsigned char boolean_T; boolean_T y; void step(boolean_T a, boolean_T b) { y = (boolean_T)((int)a | (int)!b); }",
            vec!["(int)a | (int)!b"],
        ),
        ("int y; void step(_Bool a) { y = sizeof(a && a); }", vec![]),
        (
            "int y; enum { X = 1 < 2 && 3 < 4 }; void step(_Bool a) { static int t[X && 1]; y = t[0] + X; }",
            vec![],
        ),
        ("int y; void step(_Bool a, _Bool b) { __CPROVER_assume(a || b); y = a; }", vec![]),
        ("#include <assert.h>\nint y; void step(_Bool a, _Bool b) { y = a; assert(a || b || !a); }", vec![]),
    ] {
        let found = translated(text, |request| request.coverage.criteria = [Criterion::Decision].into());
        let sites = coverage(&found).sites.iter();
        let decisions = sites.filter(|site| site.kind == frontend::coverage::SiteKind::Decision);
        let mut texts: Vec<&str> = decisions.map(|site| site.text.as_str()).collect();
        let mut expected = expected;
        texts.sort_unstable();
        expected.sort_unstable();
        assert_eq!(texts, expected, "{text}");
    }
}

#[test]
fn conditions_count_where_they_are_evaluated() {
    check(
        Criterion::Condition,
        "int y; void step(_Bool a) { if (a && !a) y = 1; }",
        &[
            "+ 1 condition a true",
            "+ 1 condition a false",
            "+ 1 condition a true#2",
            "- 1 condition a false#2",
        ],
    );
    // A call in a condition belongs to its own decision; the helper's is reached from both places.
    check(
        Criterion::Condition,
        "int y; int f(_Bool x) {\nreturn x ? 1 : 0; }\nvoid step(_Bool a, _Bool b) {\nif (a && f(b)) y = 1; f(1); }",
        &[
            "+ 2 condition x true",
            "+ 2 condition x false",
            "+ 4 condition a true",
            "+ 4 condition a false",
            "+ 4 condition f(b) true",
            "+ 4 condition f(b) false",
        ],
    );
}

#[test]
fn switches_have_a_goal_for_each_group_of_labels() {
    check(
        Criterion::Decision,
        "int y; void step(unsigned char u) { switch (u) { case 0: case 1: y = 1; break; case 2 ... 255: y = 2; } }",
        &["+ 1 decision u case 0, case 1", "+ 1 decision u case 2 ... 255", "- 1 decision u no label"],
    );
    check(
        Criterion::Decision,
        "int y; void step(unsigned char u) { switch (u & 1) { case 3: y = 3; break; default: case 1: y = 1; } }",
        &["- 1 decision u & 1 case 3", "+ 1 decision u & 1 default, case 1"],
    );
}

#[test]
fn constants_have_no_goals() {
    for (text, constants) in [
        ("int y; void step(_Bool a) { while (1) { if (a) break; a = 1; } y = a; }", vec!["1"]),
        ("int y; void step(_Bool a) { do { y = a; } while (0); }", vec!["0"]),
        ("#define DEBUG 0\nint y; void step(_Bool a) { if (DEBUG && a) y = 1; else y = a; }", vec!["0 && a"]),
        ("int y; void step(_Bool a) { switch (2) { case 2: y = a; } }", vec!["2"]),
    ] {
        let found = translated(text, |request| request.coverage.criteria = [Criterion::Decision].into());
        let sites = &coverage(&found).sites;
        let texts: Vec<&str> =
            sites.iter().filter(|site| site.constant.is_some()).map(|site| site.text.as_str()).collect();
        assert_eq!(texts, constants, "{text}");
        let of_constants = coverage(&found).goals.iter().filter(|goal| sites[goal.site].constant.is_some());
        assert_eq!(of_constants.count(), 0, "{text}");
    }
    check(
        Criterion::Mcdc,
        "int y; void step(_Bool a) { if (a && 1) y = 1; }",
        &["+ 1 mcdc a true", "+ 1 mcdc a false"],
    );
    check(
        Criterion::Mcdc,
        "int y; void step(_Bool a) { if (a && 0) y = 1; }",
        &["- 1 mcdc a true", "+ 1 mcdc a false"],
    );
}

#[test]
fn blocks_end_where_control_may_leave() {
    check(
        Criterion::Statement,
        "int y; void step(_Bool a) {\ny = 0;\nif (a) {\ny = 1;\nreturn;\n}\ny = 2;\nwhile (y < 3) {\ny++;\n}\n}",
        &["+ 2 statement y = 0", "+ 4 statement y = 1", "+ 7 statement y = 2", "+ 9 statement y++"],
    );
    check(
        Criterion::Statement,
        "int y; void step(_Bool a) {\nif (a && !a)\ny = 1;\nelse\ny = 2;\n}",
        &["+ 2 statement if (a && !a)", "- 3 statement y = 1", "+ 5 statement y = 2"],
    );
}

#[test]
fn comparisons_have_neighbours() {
    check(
        Criterion::Relational,
        "int y; void step(unsigned char u) { if (u < 1) y = 1; }",
        &["+ 1 relational u < 1 -1", "+ 1 relational u < 1 0", "+ 1 relational u < 1 +1"],
    );
    check(
        Criterion::Relational,
        "int y; void step(unsigned char u) { if (u >= 255) y = 1; }",
        &["+ 1 relational u >= 255 -1", "+ 1 relational u >= 255 0", "- 1 relational u >= 255 +1"],
    );
    // No wrap: 0 is not next to the greatest number.
    check(
        Criterion::Relational,
        "int y; void step(_Bool a) { unsigned u = a ? 0u : 5u; if (u < 4294967295u) y = 1; }",
        &[
            "- 1 relational u < 4294967295u -1",
            "- 1 relational u < 4294967295u 0",
            "- 1 relational u < 4294967295u +1",
        ],
    );
    check(
        Criterion::Relational,
        "int y; void step(float f) { if (f > 2.5f) y = 1; if (f == 1.0f) y = 2; }",
        &[
            "+ 1 relational f > 2.5f just below",
            "- 1 relational f > 2.5f just above",
            "- 1 relational f == 1.0f just below",
            "+ 1 relational f == 1.0f equal",
            "- 1 relational f == 1.0f just above",
        ],
    );
}

#[test]
fn equal_infinities_are_neighbours() {
    for (value, operator, expected) in
        [("1.0f / 0.0f", ">", "+-"), ("1.0f / 0.0f", "<", "-+"), ("0.0f / 0.0f", ">", "--")]
    {
        let text = format!(
            "int y; void step(_Bool a) {{ float f = {value}, g = 1.0f / 0.0f; if (f {operator} g) y = 1; }}"
        );
        for ulps in [None, Some(2)] {
            let found = goals(&text, &[Criterion::Relational], |request| {
                request.coverage.tolerance.ulps = ulps;
            });
            let marks: String = found.iter().map(|goal| &goal[..1]).collect();
            assert_eq!(marks, expected, "{text}: {found:?}");
        }
    }
}

#[test]
fn neighbours_may_be_floats_further() {
    // Two floats further at most; zero belongs to the side on which the operator does not hold.
    for (value, compared, expected) in [
        ("2.50000024f", "2.5f", "-+"),
        ("2.5000005f", "2.5f", "-+"),
        ("2.5000007f", "2.5f", "--"),
        ("2.4999998f", "2.5f", "+-"),
        ("2.4999990f", "2.5f", "--"),
        ("2.5f", "2.5f", "+-"),
        ("1e-45f", "0.0f", "-+"),
        ("-1e-45f", "0.0f", "+-"),
        ("-1e-45f", "1e-45f", "+-"),
        ("-1e-45f", "3e-45f", "--"),
        ("-0.0f", "0.0f", "+-"),
        ("0.0f / 0.0f", "0.0f", "--"),
    ] {
        let text = format!("int y; void step(_Bool a) {{ float f = {value}; if (f > {compared}) y = 1; }}");
        let found = goals(&text, &[Criterion::Relational], |request| {
            request.coverage.tolerance.ulps = Some(2);
        });
        let marks: String = found.iter().map(|goal| &goal[..1]).collect();
        assert_eq!(marks, expected, "{text}: {found:?}");
    }
}

#[test]
fn inputs_have_ends() {
    let text = "int y; typedef unsigned char boolean_T; enum m { LOW = 2, HIGH = 5 }; \
                void step(unsigned char u, boolean_T b, enum m m, _Bool c) { y = u + b + m + c; }";
    let found = goals(text, &[Criterion::Boundary], |request| {
        request.input_options = vec![frontend::InputOption {
            lvalue: "step.u".to_owned(),
            range: Some(("1".to_owned(), "3".to_owned())),
            ..Default::default()
        }];
    });
    let expected: Vec<String> = ["step.u", "step.b", "step.m", "step.c"]
        .into_iter()
        .flat_map(|name| ["lower", "upper"].map(|end| format!("+ boundary {name} at its {end} end")))
        .collect();
    let without_enumeration =
        |names: &[String]| names.iter().filter(|name| !name.contains("step.m")).cloned().collect::<Vec<_>>();
    assert_eq!(without_enumeration(&found), without_enumeration(&expected));
    assert_eq!(found.len(), expected.len());
}

#[test]
fn what_comes_later_in_a_step_takes_nothing_back() {
    // The step ends in `abort` behind the decision: the outcome counts all the same.
    check(
        Criterion::Decision,
        "#include <stdlib.h>\nint y; void step(_Bool a) {\nif (a) y = 1;\nif (y == 1) abort();\n}",
        &[
            "+ 3 decision a true",
            "+ 3 decision a false",
            "+ 4 decision y == 1 true",
            "+ 4 decision y == 1 false",
        ],
    );
    // An assumption in front of it does count.
    check(
        Criterion::Decision,
        "int y; void step(_Bool a) {\n__CPROVER_assume(!a);\nif (a) y = 1;\n}",
        &["- 3 decision a true", "+ 3 decision a false"],
    );
}

#[test]
fn identities_stay_while_tokens_do() {
    let identities = |text: &str| -> Vec<String> {
        let found = translated(text, |request| request.coverage.criteria = [Criterion::Mcdc].into());
        coverage(&found).goals.iter().map(|goal| goal.identity.clone()).collect()
    };
    let before = identities("int y; void step(_Bool a, _Bool b) { if (a && b) y = 1; }");
    let moved =
        identities("int y;\n\nvoid step(_Bool a, _Bool b) {\n  if (b) y = 3;\n  if (a  &&\n b) y = 1; }");
    assert!(before.iter().all(|identity| moved.contains(identity)), "{before:?} {moved:?}");
    let changed = identities("int y; void step(_Bool a, _Bool b) { if (a && !b) y = 1; }");
    assert!(before.iter().all(|identity| !changed.contains(identity)), "{before:?} {changed:?}");
    let twice = identities("int y; void step(_Bool a, _Bool b) { if (a && b) y = 1; if (a && b) y = 2; }");
    assert_eq!(twice.len(), 8);
    assert!(twice.iter().collect::<std::collections::BTreeSet<_>>().len() == 8);
}

#[test]
fn files_and_functions_can_be_left_out() {
    let text =
        "int y; int helper(_Bool a) { return a ? 1 : 2; } void step(_Bool a) { if (helper(a)) y = 1; }";
    for (include, exclude, expected) in [
        ("", "", 4),
        ("helper", "", 2),
        ("", "helper", 2),
        ("m.c", "", 4),
        ("", "*.c", 0),
        ("other.c", "", 0),
    ] {
        let list = |text: &str| if text.is_empty() { Vec::new() } else { vec![text.to_owned()] };
        let found = translated(text, |request| {
            request.coverage.criteria = [Criterion::Decision].into();
            request.coverage.include = list(include);
            request.coverage.exclude = list(exclude);
        });
        assert_eq!(coverage(&found).goals.len(), expected, "{include} {exclude}");
    }
}

#[test]
fn only_controlling_decisions_where_that_is_asked_for() {
    let text = "int y; void step(_Bool a, _Bool b) { y = a && b; if (a || b) y = (a == b) ? 1 : 2; }";
    let found = translated(text, |request| {
        request.coverage.criteria = [Criterion::Decision].into();
        request.coverage.branches_only = true;
    });
    let texts: Vec<&str> = coverage(&found).sites.iter().map(|site| site.text.as_str()).collect();
    let decisions: Vec<&str> = texts.into_iter().filter(|text| !text.contains(';')).collect();
    assert!(decisions.contains(&"a || b") && decisions.contains(&"a == b") && !decisions.contains(&"a && b"));
}

#[test]
fn equal_truths_share_a_goal() {
    let found = translated("int y; void step(_Bool a) { if (a) y = 1; }", |_| {});
    let coverage = coverage(&found);
    assert_eq!(found.system.goals.len(), 3, "always, a, not a");
    assert!(coverage.goals.len() > 8);
}

#[test]
fn each_path_of_calls_has_goals_of_its_own_where_that_is_asked_for() {
    let text = "int y; static int clamp(int v, int top) {\n return v > top ? top : v; }\n\
                static int twice(int v) {\n return clamp(v, 3) +\n clamp(v, 300); }\n\
                void step(unsigned char u) {\n y = twice(u) +\n clamp(2, 5); if (y > 9) y = 0; }\n";
    let expected = [
        "+ 2 decision v > top true called at 4, 7",
        "+ 2 decision v > top false called at 4, 7",
        "- 2 decision v > top true called at 5, 7",
        "+ 2 decision v > top false called at 5, 7",
        "- 2 decision v > top true called at 8",
        "+ 2 decision v > top false called at 8",
        "+ 8 decision y > 9 true",
        "+ 8 decision y > 9 false",
    ];
    let per_call = |request: &mut Request| request.coverage.per_call = true;
    let mut found = goals(text, &[Criterion::Decision], per_call);
    let mut sorted = expected.map(str::to_owned);
    found.sort();
    sorted.sort();
    assert_eq!(found, sorted);
    let identities = translated(text, |request| {
        request.coverage.criteria = [Criterion::Decision].into();
        per_call(request);
    });
    let identities: Vec<&str> =
        coverage(&identities).goals.iter().map(|goal| goal.identity.as_str()).collect();
    for part in ["clamp@twice@step:", "clamp@twice#2@step:", "clamp@step:", ":step:decision"] {
        assert_eq!(identities.iter().filter(|identity| identity.contains(part)).count(), 2, "{part}");
    }
    assert_eq!(goals(text, &[Criterion::Decision], |_| {}).len(), 4);
}

/// What a function's goals are per call, those of copies of the function are that each have one call.
#[test]
fn goals_per_call_are_those_of_copies_of_the_function() {
    let table = [
        ("int s; int F(int a) { if (a && s) return 1; s = s < 3 ? s + 1 : 0; return a; }", 3),
        ("int s; int F(int a) { for (int i = 0; i < 3; i++) if (i == a || i == s) s = !s; return s; }", 2),
        (
            "int s; int F(int a) { switch (a) { case 0: s = 0; case 1: s |= 1; break; default: s = 2; } return s == 1; }",
            3,
        ),
        ("int s; int F(int a) { static int n; n = a ? n + 1 : 0; return n > 2 ? (n = 0, 1) : 0; }", 1),
    ];
    for (function, calls) in table {
        // `static` variables are shared by calls, not by copies.
        let calls = if function.contains("static int n") { 1 } else { calls };
        let step = |name: &dyn Fn(usize) -> String| {
            let call = |number: usize| format!("if (u >= {number}) y += {}(u - {number});", name(number));
            (0..calls).map(call).collect::<String>()
        };
        let shared = format!(
            "{function} int y; void step(unsigned char u) {{ if (u > 4) u = 4; y = 0; {} }}",
            step(&|_| "F".to_owned())
        );
        let global = "int s;";
        let body = function.strip_prefix(global).unwrap();
        let copies: String = (0..calls).map(|number| body.replace("F(", &format!("F{number}("))).collect();
        let copied = format!(
            "{global} {copies} int y; void step(unsigned char u) {{ if (u > 4) u = 4; y = 0; {} }}",
            step(&|number| format!("F{number}"))
        );
        let criteria = [Criterion::Statement, Criterion::Decision, Criterion::Mcdc, Criterion::Relational];
        let plain = |goals: Vec<String>| {
            let mut goals: Vec<String> = goals
                .iter()
                .map(|goal| goal.split(" called at").next().unwrap_or_default())
                .map(|goal| goal.rsplit_once('#').map_or(goal, |(name, _)| name))
                .map(|goal| {
                    ["F0", "F1", "F2"].iter().fold(goal.to_owned(), |goal, copy| goal.replace(copy, "F"))
                })
                .collect();
            goals.sort();
            goals
        };
        let per_call = goals(&shared, &criteria, |request| request.coverage.per_call = true);
        assert_eq!(plain(per_call), plain(goals(&copied, &criteria, |_| {})), "{function}");
    }
}

#[test]
fn recursion_does_not_tell_depths_apart() {
    let text = "int y; static int sum(int n) { return n > 0 ? n + sum(n - 1) : 0; }\n\
                void step(unsigned char u) { y = sum(u & 3);\n y += sum(0); }";
    assert_eq!(
        goals(text, &[Criterion::Decision], |request| request.coverage.per_call = true),
        [
            "+ 1 decision n > 0 true called at 2",
            "+ 1 decision n > 0 false called at 2",
            "- 1 decision n > 0 true called at 3",
            "+ 1 decision n > 0 false called at 3",
        ]
    );
}

#[test]
fn initialisation_counts_where_that_is_asked_for() {
    let text = "int y, m; static int big(int v) { return v > 3; }\n\
                void init(void) { if (m == 0) m = big(5) ? 7 : 8; }\n\
                void step(_Bool a) { if (big(a) || a) y = m; }";
    let init = |request: &mut Request| request.init = Some("init".to_owned());
    assert_eq!(
        goals(text, &[Criterion::Decision], |request| {
            init(request);
            request.coverage.init = true;
        }),
        [
            "+ 1 decision v > 3 true",
            "+ 1 decision v > 3 false",
            "+ 2 decision m == 0 true",
            "- 2 decision m == 0 false",
            "+ 2 decision big(5) true",
            "- 2 decision big(5) false",
            "+ 3 decision big(a) || a true",
            "+ 3 decision big(a) || a false",
        ]
    );
    assert_eq!(goals(text, &[Criterion::Decision], init)[0], "- 1 decision v > 3 true");
}

/// Where initialisation takes values from outside, what it reaches depends on them: a goal of it is
/// reached in the first step alone.
#[test]
fn what_initialisation_reaches_may_depend_on_its_inputs() {
    let text = "extern unsigned char nondet_uchar(void); int y, m;\n\
                void init(void) { unsigned char v = nondet_uchar();\n if (v > 3 && v < 9) m = 1; }\n\
                void step(_Bool a) { y = a ? m : 0; }";
    let found = translated(text, |request| {
        request.init = Some("init".to_owned());
        request.coverage.criteria = [Criterion::Mcdc].into();
        request.coverage.init = true;
    });
    let system = checked(&found);
    let sort = system.terms.symbol(system.initial_inputs.values().next().unwrap().symbol).sort;
    let mut simulator = model::simulate::Simulator::new(&system);
    for (value, expected) in
        [(0, [false, true, false, false]), (5, [true, false, true, false]), (9, [false, false, false, true])]
    {
        let first = simulator.initial(&[model::value::Value::new(sort, value)]).state;
        let row = [model::value::Value::new(model::sort::Sort::TRUTH, 0)];
        let mut reached = |state: &[model::value::Value]| {
            let sightings = simulator.goals(&[state], &[&row]);
            let goals: Vec<_> = sightings.iter().map(|sighting| sighting.goal).collect();
            let halves = coverage(&found).goals.iter().filter(|goal| goal.name.contains(":3 "));
            halves.map(|goal| goals.contains(&goal.goal)).collect::<Vec<_>>()
        };
        assert_eq!(reached(&first), expected, "{value}");
        let second = simulator.step(&first, &row).next;
        let sightings = simulator.goals(&[&second], &[&row]);
        assert!(
            coverage(&found)
                .goals
                .iter()
                .filter(|goal| goal.name.contains(":3 "))
                .all(|goal| { sightings.iter().all(|sighting| sighting.goal != goal.goal) })
        );
    }
}

#[test]
fn tables_have_a_goal_for_each_cell() {
    let text = "static const int t[3] = { 4, 5, 6 }; static int p[4] = { 1, 2, 3, 4 }; int w[2] = { 0, 1 }; int y;\n\
                static int look(const int *table, unsigned i) {\n return table[i]; }\n\
                void step(unsigned char u) { if (u > 2) u = 1; y = look(t, u);\n y += p[u + 1] + t[1]; w[u & 1] = y;\n y += w[u & 1]; }\n";
    check(
        Criterion::Boundary,
        text,
        &[
            "+ 3 boundary reads t[0]",
            "+ 3 boundary reads t[1]",
            "+ 3 boundary reads t[2]",
            "- 5 boundary reads p[0]",
            "+ 5 boundary reads p[1]",
            "+ 5 boundary reads p[2]",
            "+ 5 boundary reads p[3]",
            "+ boundary step.u at its lower end",
            "+ boundary step.u at its upper end",
        ],
    );
    let long = "static const unsigned char t[100] = { 1 }; int y; void step(unsigned char u) { y = t[u < 99 ? u : 99]; }";
    let found = goals(long, &[Criterion::Boundary], |_| {});
    assert!(
        found.len() == 4 && found[0].ends_with("reads t[0]") && found[1].ends_with("reads t[99]"),
        "{found:?}"
    );
}

/// Only goals that are asked for make a step count that ends the program.
#[test]
fn steps_that_never_return_reach_what_is_asked_for_or_are_refused() {
    let text = "#include <stdlib.h>\nint y; void step(_Bool a) { y = 1; __CPROVER_assume(0); if (a) y = 2; }";
    let text = text.replace("#include <stdlib.h>\n", "");
    assert_eq!(goals(&text, &[Criterion::Statement], |_| {})[0], "+ 1 statement y = 1");
    let refused = crate::coverage::explore::translated_if_possible(&text, |request| {
        request.coverage.criteria = [Criterion::Decision].into();
    });
    assert!(refused.is_none());
}

/// What initialisation reads and what the step reads are different tables, and what the step writes is
/// none, though initialisation only reads it.
#[test]
fn tables_of_initialisation_are_apart_from_those_of_the_step() {
    let text = "extern unsigned char nondet_uchar(void); static const int one[2] = { 1, 2 }, two[3] = { 4, 5, 6 };\n\
                static int w[2] = { 0, 1 }; int y, s;\n\
                void init(void) { unsigned char i = nondet_uchar();\n s = one[i & 1];\n s += w[i & 1]; }\n\
                void step(unsigned char u) { if (u > 1) u = 2;\n y = two[u]; w[u & 1] = s; }\n";
    let found = translated(text, |request| {
        request.init = Some("init".to_owned());
        request.coverage.criteria = [Criterion::Boundary].into();
        request.coverage.init = true;
    });
    let names: Vec<&str> = coverage(&found).goals.iter().map(|goal| goal.name.as_str()).collect();
    let expected = ["m.c:4 boundary reads one[0]", "m.c:4 boundary reads one[1]"].into_iter().chain([
        "m.c:7 boundary reads two[0]",
        "m.c:7 boundary reads two[1]",
        "m.c:7 boundary reads two[2]",
    ]);
    assert!(names[..5].iter().copied().eq(expected) && names.len() == 7, "{names:?}");
    let system = checked(&found);
    let sort = system.terms.symbol(system.initial_inputs.values().next().unwrap().symbol).sort;
    let mut simulator = model::simulate::Simulator::new(&system);
    let first = simulator.initial(&[model::value::Value::new(sort, 0)]).state;
    let inputs = system.inputs.values().map(|input| system.terms.symbol(input.symbol).sort);
    let row: Vec<_> = inputs.map(|sort| model::value::Value::new(sort, 1)).collect();
    let sightings = simulator.goals(&[&first], &[&row]);
    let reached = |name: &str| {
        let goal = coverage(&found).goals.iter().find(|goal| goal.name.ends_with(name)).unwrap().goal;
        sightings.iter().any(|sighting| sighting.goal == goal)
    };
    let tables = ["one[0]", "one[1]", "two[0]", "two[1]", "two[2]"];
    assert_eq!(tables.map(reached), [true, false, false, true, false]);
}
