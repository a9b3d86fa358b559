//! What cannot be translated, and the message about it.

use crate::translate::support::{messages, translate_with};
use frontend::{GoalStepText, GoalText, Request, StepFunction};

fn nothing(_: &mut Request) {}

fn step_of(request: &mut Request) {
    request.step = vec![StepFunction { function: "step".into(), every: 1, phase: 0 }];
}

fn goal(when: &str) -> GoalText {
    let step = GoalStepText { when: Some(when.to_owned()), after: None };
    GoalText { name: "g".to_owned(), steps: vec![step], ..GoalText::default() }
}

/// Text, request, and the first error: `line code: message`.
type Case = (&'static str, fn(&mut Request), &'static str);

const CASES: &[Case] = &[
    ("int x;", nothing, "no-step: cannot find the step function"),
    (
        "int x; void step(void) { x++; }",
        |request| {
            step_of(request);
            request.step[0].function = "stop".into();
            request.goals = vec![goal("x == 1")];
        },
        "unknown-step: there is no function `stop` with a body",
    ),
    (
        "int x; void step(void) { x++; }",
        |request| {
            step_of(request);
            request.init = Some("start".into());
            request.goals = vec![goal("x == 1")];
        },
        "unknown-init: there is no function `start` with a body",
    ),
    (
        "int x; void step(void) { x++; }",
        |request| {
            step_of(request);
            request.goals = vec![goal("y == 1")];
        },
        "goal g, when:1: unknown-name: `y` is not declared in any file of the model",
    ),
    (
        "int x; void step(void) { x++; }",
        |request| {
            step_of(request);
            request.goals = vec![goal("x == 1"), goal("x == 2")];
        },
        "duplicate-goal: there are two goals named `g`",
    ),
    (
        "int x, y; void step(void) { x = y; }",
        |request| {
            step_of(request);
            request.inputs = Some(vec!["y".into()]);
            request.goals = vec![goal("x == 1")];
            request.end = Some("y == 1".into());
        },
        "input-in-state-condition: the condition of [final] speaks about the state alone, but reads the input `y`",
    ),
    (
        "int x; void step(void) { while (x < 10) { } }\nvoid p(void) { __CPROVER_assume(x == 1); step(); }",
        nothing,
        "1: loop-bound: cannot bound this loop: it may run for 10000 rounds or more",
    ),
    (
        "int x; void step(void) { x++; }\nvoid p(void) { __CPROVER_assume(x == 1); x = 4; step(); }",
        nothing,
        "2: property-writes-state: the property changes `x` before the step",
    ),
    (
        "int x; void step(int *p) { *p = 1; }\nvoid q(int *p) { int y; __CPROVER_assume(x == 1); step(&y); }",
        nothing,
        "2: property-argument: the property gives `step` another object than the model does",
    ),
    (
        "int x; void step(void) { x++; }\nvoid chaincover_final(void) { step(); __CPROVER_assume(x == 1); }\nvoid p(void) { __CPROVER_assume(x == 1); step(); }",
        nothing,
        "2: step-in-condition: `chaincover_final` calls the step function",
    ),
    (
        "int x; void *malloc(unsigned long); void step(void) { int *p = malloc(4); *p = x; x++; }\nvoid p(void) { __CPROVER_assume(x == 1); step(); }",
        nothing,
        "1: unsupported-call: calls of `malloc` are not supported",
    ),
    (
        "#include <math.h>\nint x; double d; void step(void) { d = asinh(d); x++; }\nvoid p(void) { __CPROVER_assume(x == 1); step(); }",
        nothing,
        "2: unsupported-call: calls of `asinh` are not supported",
    ),
    // What follows from its arguments is nothing that the environment could choose.
    (
        "unsigned short ntohs(unsigned short); int x; void step(void) { x = ntohs(x); }\nvoid p(void) { __CPROVER_assume(x == 1); step(); }",
        nothing,
        "1: unsupported-call: calls of `ntohs` are not supported",
    ),
    // Functions that lie otherwise in memory than their pointers say.
    (
        "typedef int (*call)(long long); int f(int a) { return a; } int x; void step(int a) { call p = a ? (call)f : 0; x = p(1); }\nvoid p(void) { __CPROVER_assume(x == 1); step(1); }",
        nothing,
        "1: unsupported-call: `f` is called through `p`, which points to functions of another type",
    ),
    (
        "typedef int (*call)(void); double f(void) { return 1; } int x; void step(int a) { call p = (call)f; x = p(); }\nvoid p(void) { __CPROVER_assume(x == 1); step(1); }",
        nothing,
        "1: unsupported-call: `f` is called through `p`, which points to functions of another type",
    ),
    (
        "typedef int (*call)(int); int f(int a, int b) { return a + b; } int x; void step(int a) { call p = (call)f; x = p(a); }\nvoid p(void) { __CPROVER_assume(x == 1); step(1); }",
        nothing,
        "1: unsupported-call: `f` is called through `p`, which points to functions of another type",
    ),
    // Printing that stores how much it printed.
    (
        "int printf(const char *, ...); int x; void step(void) { printf(\"ab%hhn\", &x); x++; }\nvoid p(void) { __CPROVER_assume(x == 1); step(); }",
        nothing,
        "1: unsupported-call: calls of `printf` are not supported",
    ),
    (
        "int x; float erff(float); float d; void step(void) { d = erff(d); x++; }\nvoid p(void) { __CPROVER_assume(x == 1); step(); }",
        nothing,
        "1: unsupported-call: calls of `erff` are not supported",
    ),
    (
        "double sin(double); double d, x; void step(void) { d += x; }\nvoid p(void) { double k = x; step(); __CPROVER_assume(sin(k + x) > 0.5); step(); }",
        nothing,
        "2: unsupported-call: `sin` is called on values of several steps together",
    ),
    (
        "int x; int *get(void); void step(void) { x = *get(); }\nvoid p(void) { __CPROVER_assume(x == 1); step(); }",
        nothing,
        "1: unsupported-pointer-input: `get.return` is a pointer that comes from outside",
    ),
    (
        "int x; void abort(void);\nvoid init(void) { abort(); }\nvoid step(void) { x++; }\nvoid p(void) { __CPROVER_assume(x == 1); step(); }",
        nothing,
        "2: no-start: initialisation never ends, so no step is ever taken",
    ),
    (
        "int x; int get(void); void step(void) { x = get(); }",
        |request| {
            step_of(request);
            request.goals = vec![goal("get.return#2 == 1")];
        },
        "goal g, when:1: unknown-parameter: `get.return#2` is no input of the step",
    ),
    (
        "int x; struct { int y; } s; void step(void) { x++; }",
        |request| {
            step_of(request);
            request.goals = vec![goal("s.y#2 == 1")];
        },
        "goal g, when:1: unknown-name: `#2` stands only behind what a function without a body returns or writes",
    ),
    (
        "int x; void put(int); void step(void) { put(x++); }",
        |request| {
            step_of(request);
            request.goals = vec![goal("put.return == 1")];
        },
        "goal g, when:1: unknown-name: `put` returns nothing",
    ),
    (
        "int x; int get(void); void init(void) { x = get(); } void step(void) { x++; }",
        |request| {
            step_of(request);
            request.init = Some("init".into());
            request.goals = vec![goal("get.return == 1")];
        },
        "goal g, when:1: unknown-parameter: `get.return` is no input of the step",
    ),
    (
        "int x, y; void get(void *p); void step(int i) { char *p = (char *)&x + (i & 3); void *q = p; get(q); y = x; }",
        |request| {
            step_of(request);
            request.goals = vec![goal("y == 1")];
        },
        "1: unsupported-void-output: cannot find out what is written through `get.p`, a `void *`",
    ),
    (
        "int x; void get(int n, ...); void print(int level, const char *format, ...); void step(int i) { print(1, \"%d\", &x); get(1, &x); }\nvoid p(int i) { __CPROVER_assume(x == 1); step(i); }",
        nothing,
        "1: unsupported-variadic-output: cannot find out what `get` writes through a pointer that no parameter is declared for",
    ),
    (
        "#include <stdio.h>\nint x; char t[3]; void step(int i) { scanf(\"%2s\", t); x = t[0]; }\nvoid p(int i) { __CPROVER_assume(x == 1); step(i); }",
        nothing,
        "2: unsupported-call: calls of `scanf` are not supported",
    ),
    (
        "#include <stdio.h>\nint x; void step(void) { int (*say)(const char *) = puts; x = say(\"\"); }\nvoid p(void) { __CPROVER_assume(x == 1); step(); }",
        nothing,
        "2: unsupported-call: calls of `puts` are not supported",
    ),
];

#[test]
fn messages_are_exact() {
    let mut failed = Vec::new();
    for (text, adjust, expected) in CASES {
        let found = match translate_with(text, adjust) {
            Ok(_) => "translated".to_owned(),
            Err(failure) => messages(&failure).lines().next().unwrap_or("").to_owned(),
        };
        let found = found.rsplit_once("model.c:").map_or(found.clone(), |(_, rest)| rest.to_owned());
        let found = found.replacen("Error ", "", 1);
        if found != *expected {
            failed.push(format!("{text}\n  expected {expected}\n  but got  {found}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
