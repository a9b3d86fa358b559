//! Every form in which goals, assumptions and inputs can be written: which goals are found, and where they occur in given executions.

use crate::translate::support::{Random, checked, messages, random_trace, replays, translate_with};
use frontend::{GoalStepText, GoalText, InputOption, Request, StepFunction, Translated};
use frontend_c::ir::target::{DataModel, Target};
use model::id::Id;
use model::trace::{Start, Trace, TraceError, replay};
use model::value::Value;

/// A model, how it is asked about, an execution, and what is seen in it.
struct Case {
    name: &'static str,
    text: &'static str,
    adjust: fn(&mut Request),
    /// Inputs of the steps: `name=value` with spaces between them, steps separated by `|`; all others are 0.
    inputs: &'static str,
    /// `goal/steps:` and the first steps of its occurrences with `+` or `-` for the verdict of its expectation, then whether the
    /// execution may end behind its last step; or the step whose inputs an assumption forbids.
    seen: &'static str,
}

const COUNTER: &str = "
    typedef struct { _Bool up; unsigned char by; } t_in;
    typedef struct { unsigned char n; } t_state;
    void step(t_in *i, t_state *s) { if (i->up) s->n += i->by; else s->n = 0; }
";

fn nothing(_: &mut Request) {}

fn goal(name: &str, steps: &[(&str, &str)], expect: &str) -> GoalText {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let steps = steps.iter().map(|(when, after)| GoalStepText { when: some(when), after: some(after) });
    GoalText { name: name.to_owned(), steps: steps.collect(), expect: some(expect), ..GoalText::default() }
}

/// Types that tell what they hold: what C lets them hold, and what the environment puts into them.
const SWITCHES: &str = "
    typedef unsigned char boolean_T; typedef int _boolean; typedef boolean_T flag;
    typedef enum { FALSE, TRUE } Boolean; enum gear { BACK = -1, NONE, FIRST }; enum step { SMALL = 1, LARGE = 10 }; enum set { A = 1, B = 2, C = 4 };
    typedef struct { boolean_T on; flag each[2]; unsigned char by; Boolean kind; enum gear gear; enum step step; enum set set; } t_in;
    t_in U; _boolean extra; unsigned char n;
    extern boolean_T ask(boolean_T *also);
    void step(void) { boolean_T also; n = U.on + U.each[1] + U.by + U.kind + U.gear + U.step + U.set + extra + ask(&also) + also; }
    void p(void) { step(); __CPROVER_assume(n == 7); }
";

/// A runnable that reads by calls, some of them twice.
const RUNTIME: &str = "
    typedef struct { short low, high; unsigned char v[2]; } info; typedef struct { int code, more; } result;
    unsigned char Read_info(info *data); short Read_level(void); void Read_flag(_Bool *);
    short total;
    result step(void) {
        info i, j; _Bool flag = 0; result r = { 0, 0 };
        if (Read_info(&i) == 0) total = i.low + i.v[0];
        Read_info(&j); Read_flag(&flag);
        r.code = total; r.more = Read_level() + Read_level() + j.v[1] + flag + i.high; return r;
    }";

fn typed_cases() -> Vec<Case> {
    let case = |name, inputs, seen, adjust| Case { name, text: SWITCHES, adjust, inputs, seen };
    vec![
        case(
            "truth values are 0 or 1",
            "U.on=1 U.each[1]=1 U.kind=1 extra=1 ask.return=1 ask.also=1 U.step=1",
            "p/1: 0; end yes",
            switches,
        ),
        case("a member is no other number", "U.on=2 U.step=1", "no step 0", switches),
        case("an element is no other number", "U.each[1]=2 U.step=1", "no step 0", switches),
        case("an enumeration by that name", "U.kind=2 U.step=1", "no step 0", switches),
        case(
            "enumerators, and any set of flags",
            "U.gear=4294967295 U.step=1 U.set=7",
            "p/1: 0; end yes",
            switches,
        ),
        case("no number above the enumerators", "U.gear=2 U.step=1", "no step 0", switches),
        case("no number between enumerators", "U.step=5", "no step 0", switches),
        case("no number below the enumerators", "U.step=0", "no step 0", switches),
        case(
            "a range that is written wins over the enumeration",
            "U.step=3 U.on=1 U.by=3",
            "p/1: 0; end yes",
            |request| {
                limit(request, "U.step");
            },
        ),
        case("a word is no negative number", "extra=4294967295 U.step=1", "no step 0", switches),
        case("a result is no other number", "ask.return=7 U.step=1", "no step 0", switches),
        case("an out-parameter is no other number", "ask.also=7 U.step=1", "no step 0", switches),
        case(
            "a range that is written wins over the type",
            "U.on=5 U.by=1 U.step=1",
            "p/1: 0; end yes",
            |request| {
                limit(request, "U.on");
            },
        ),
        case("it holds for its input alone", "U.on=5 extra=5 U.step=1", "no step 0", |request| {
            limit(request, "U.on")
        }),
        case("a range of a result", "ask.return=5 U.by=1 U.step=1", "p/1: 0; end yes", |request| {
            limit(request, "ask.return");
        }),
        case("a range of a result is kept", "ask.return=6 U.step=1", "no step 0", |request| {
            limit(request, "ask.return");
        }),
        case("a range of an out-parameter", "ask.also=5 U.by=1 U.step=1", "p/1: 0; end yes", |request| {
            limit(request, "ask.also");
        }),
    ]
}

/// Lets an input of the switches be 0 to 5.
fn limit(request: &mut Request, lvalue: &str) {
    switches(request);
    let range = Some(("0".to_owned(), "5".to_owned()));
    request.input_options = vec![InputOption { lvalue: lvalue.to_owned(), range, ..InputOption::default() }];
}

fn switches(request: &mut Request) {
    request.step = vec![StepFunction { function: "step".into(), every: 1, phase: 0 }];
    request.inputs = Some(vec!["U".into(), "extra".into()]);
}

fn good_cases() -> Vec<Case> {
    let counter = |name, more: &str, inputs, seen| Case {
        name,
        text: Box::leak(format!("{COUNTER}{more}").into_boxed_str()),
        adjust: nothing,
        inputs,
        seen,
    };
    let mut cases = vec![
        counter(
            "a property of one step",
            "void p(t_in *i, t_state *s) { __CPROVER_assume(s->n == 2 && i->up); step(i, s); assert(s->n == 3); }",
            "up=1 by=2 | up=1 by=1 | up=0 | up=1 by=2 | up=1 by=5",
            "p/1: 1+ 4-; end yes",
        ),
        counter(
            "conditions behind the step, and saved values",
            "void p(t_in *i, t_state *s) { unsigned char before = s->n; step(i, s); __CPROVER_assume(s->n < before); }",
            "up=1 by=200 | up=1 by=100 | up=0",
            "p/1: 1 2; end yes",
        ),
        counter(
            "a property of two steps has inputs of its own for each",
            "void p(t_in *i, t_state *s) { __CPROVER_assume(i->by == 1); step(i, s); __CPROVER_assume(i->by == 2); step(i, s); assert(s->n == 3); }",
            "up=1 by=1 | up=1 by=2 | up=1 by=1 | up=0 by=2",
            "p/2: 0+ 2-; end yes",
        ),
        counter(
            "assumptions by other names",
            "void abort(void); void p(t_in *i, t_state *s) { if (!(s->n == 0)) abort(); __VERIFIER_assume(i->up); step(i, s); }",
            "up=1 by=1 | up=1",
            "p/1: 0; end yes",
        ),
        counter(
            "Final and assumptions on every step",
            "void chaincover_assume(t_in *i, t_state *s) { __CPROVER_assume(i->by <= 3 && s->n < 200); }
             void chaincover_final(t_in *i, t_state *s) { __CPROVER_assume(s->n == 3); }
             void p(t_in *i, t_state *s) { __CPROVER_assume(i->up); step(i, s); }",
            "up=1 by=3",
            "p/1: 0; end yes",
        ),
        counter(
            "an execution outside of the assumptions",
            "void chaincover_assume(t_in *i, t_state *s) { __CPROVER_assume(i->by <= 3); }
             void p(t_in *i, t_state *s) { __CPROVER_assume(i->up); step(i, s); }",
            "up=1 by=3 | up=1 by=4",
            "no step 1",
        ),
        counter(
            "an execution that does not end in Final",
            "void chaincover_final(t_in *i, t_state *s) { __CPROVER_assume(s->n == 3); }
             void p(t_in *i, t_state *s) { __CPROVER_assume(i->up); step(i, s); }",
            "up=1 by=2",
            "p/1: 0; end no",
        ),
        counter(
            "assertions that are implications keep their premise apart",
            "void p(t_in *i, t_state *s) { __CPROVER_assume(i->up); step(i, s); assert(!(i->by == 2) || s->n == 2); }
             void q(t_in *i, t_state *s) { __CPROVER_assume(i->up); step(i, s); assert(i->by == 2 ? s->n == 2 : 1); }",
            "up=1 by=1 | up=1 by=2",
            "p/1: 0+ 1-; q/1: 0+ 1-; end yes",
        ),
        Case {
            name: "covers and errors in the step",
            text: "
                extern void __CPROVER_cover(_Bool); extern void reach_error(void);
                unsigned char x, n;
                void step(void) {
                    n += x;
                    __CPROVER_cover(n > 2);
                    if (n == 7) __VERIFIER_error(17);
                    if (x == 9) reach_error();
                }",
            adjust: |request| request.step = vec![StepFunction { function: "step".into(), every: 1, phase: 0 }],
            inputs: "x=2 | x=1 | x=4 ",
            seen: "model.c:6/1: 1 2; error_17/1: 2; model.c:8/1:; end yes",
        },
        Case {
            name: "a driver loop",
            text: "
                int nondet_int(void); void assert(int);
                int main(void) {
                    int n = 5;
                    while (1) {
                        int x = nondet_int();
                        __CPROVER_assume(x >= 0 && x < 4);
                        n += x;
                        if (n > 8) n = 0;
                        assert(!(x == 3) || n == 8);
                        if (n == 6) assert(x == 1);
                    }
                }",
            adjust: nothing,
            inputs: "x=1 | x=0 | x=3",
            seen: "model.c:10/1: 2-; model.c:11/1: 0+ 1-; end yes",
        },
        Case {
            name: "what the step returns",
            text: "
                typedef struct { int code; unsigned last : 3; } t_out;
                int n; t_out step(int in) { t_out o = { in + n, 0 }; o.last = n; n = in; return o; }
                void sum(int in) { t_out o = step(in); __CPROVER_assume(o.code == 5 && o.last != 5); assert(o.last == 2); }
                void same(int in) { int before = step(in).code; __CPROVER_assume(step(in).code == before); }",
            adjust: nothing,
            inputs: "step.in=2 | step.in=3 | step.in=2 | step.in=5",
            seen: "sum/1: 1+ 2-; same/2: 1; end yes",
        },
        Case {
            name: "a driver loop of a verifier",
            text: "
                extern int __VERIFIER_nondet_int(void); extern void abort(void); extern void reach_error(void);
                int state;
                void compute(int input) { if (input == 3 && state == 1) { reach_error(); } if (input == 2) state = 1; }
                int main() { while (1) { int input = __VERIFIER_nondet_int(); if (input != 2 && input != 3) abort(); compute(input); } }",
            adjust: nothing,
            inputs: "input=2 | input=3",
            seen: "model.c:4/1: 1; end yes",
        },
        Case {
            name: "a driver loop that reads by scanf",
            text: "
                #include <stdio.h>
                extern void __VERIFIER_error(int); int a = 23, cf; float level;
                static void check(void) { if (a == 36 && level > 1.0f) __VERIFIER_error(7); if (a == 99) __VERIFIER_error(8); }
                int calculate_output(int input) { if (input == 4) a = 36; else if (cf == 2) { printf(\"%d\", input); } check(); return -2; }
                int main() { while (1) { int input; int found = scanf(\"%d %f\", &input, &level); if (found != 2 || input != 4 && input != 3) return -2; calculate_output(input); } }",
            adjust: nothing,
            inputs: "input=4 level=0 scanf.return=2 | input=3 level=1073741824 scanf.return=2",
            seen: "error_7/1: 1; error_8/1:; end yes",
        },
        Case {
            name: "a driver loop that reads by scanf, which reads something else",
            text: "#include <stdio.h>
                extern void reach_error(void); int main() { while (1) { int input; scanf(\"%d\", &input); if (input != 4) return -2; if (scanf(\"%d\", &input) != 1) reach_error(); } }",
            adjust: nothing,
            inputs: "input=4 scanf.return=1 | input=4",
            seen: "no step 1",
        },
        Case {
            name: "goals that nothing reaches",
            text: "
                extern void __VERIFIER_error(int); extern void __CPROVER_cover(_Bool); extern void reach_error(void); extern void assert(int);
                const int variant = 3; unsigned char n; static void unused(void) { reach_error(); }
                static void special(int x) { __CPROVER_cover(x == 2); __VERIFIER_error(5); }
                static void (*const table[2])(int) = { special, special };
                void step(int x) { n += x; if (variant == 4) { special(x); } if (variant == 5)
                    reach_error();
                    if (variant > 7) table[1](x); if (n == 1) __VERIFIER_error(1); }",
            adjust: |request| request.step = vec![StepFunction { function: "step".into(), every: 1, phase: 0 }],
            inputs: "step.x=1",
            seen: "model.c:4/1:; error_5/1:; model.c:7/1:; error_1/1: 0; end yes",
        },
        Case {
            name: "configured goals of one and two steps",
            text: "
                typedef struct { _Bool up; unsigned char by; } t_in;
                t_in in; unsigned char n, out;
                void step(void) { if (in.up) n += in.by; out = n * 2; }",
            adjust: |request| {
                request.step = vec![StepFunction { function: "step".into(), every: 1, phase: 0 }];
                request.inputs = Some(vec!["in".into()]);
                request.outputs = Some(vec!["out".into()]);
                request.goals = vec![
                    goal("rises", &[("in.up", "n > old(n)")], "out == 2 * n"),
                    goal("twice", &[("in.by == 1", ""), ("in.by == 2", "out > 4")], ""),
                ];
                request.end = Some("n == 4".into());
            },
            inputs: "in.up=1 in.by=1 | in.up=1 in.by=2 | in.by=1 | in.up=1 in.by=1",
            seen: "rises/1: 0+ 1+ 3+; twice/2: 0; end yes",
        },
        Case {
            name: "ranges, values, constants and bound pointers",
            text: "
                typedef struct { short limit; } t_par;
                typedef struct { t_par *par; short *slot; } t_model;
                t_par par = { 5 }; t_model model; short other;
                short a, b, n;
                void step(t_model *m) { if (a + b > m->par->limit) n++; *m->slot = a; }",
            adjust: |request| {
                request.step = vec![StepFunction { function: "step".into(), every: 1, phase: 0 }];
                request.inputs = Some(vec!["a".into(), "b".into()]);
                request.bind = vec![
                    ("step.m->par".into(), "&par".into()),
                    ("step.m->slot".into(), "&other".into()),
                ];
                request.constants = vec![("par.limit".into(), "7".into())];
                request.input_options = vec![
                    InputOption { lvalue: "a".into(), range: Some(("-1".into(), "6".into())), ..InputOption::default() },
                    InputOption { lvalue: "b".into(), values: Some(vec!["2".into(), "4".into()]), ..InputOption::default() },
                ];
                request.goals = vec![goal("above", &[("n == 0", "n == 1")], "other == a")];
            },
            inputs: "a=3 b=4 | a=6 b=2 | a=7 b=2",
            seen: "no step 2",
        },
        Case {
            name: "a value of the step before",
            text: "unsigned char x, n; void step(void) { n = x; }",
            adjust: |request| {
                request.step = vec![StepFunction { function: "step".into(), every: 1, phase: 0 }];
                request.inputs = Some(vec!["x".into()]);
                request.assumptions = vec!["x == prev(x) + 1".into()];
                request.goals = vec![goal("big", &[("", "n > 8")], "")];
            },
            inputs: "x=7 | x=8 | x=9 | x=11",
            seen: "no step 3",
        },
        Case {
            name: "an edge of an input, told before and after the step",
            text: "unsigned char x, n; void step(void) { n = x; }",
            adjust: |request| {
                request.step = vec![StepFunction { function: "step".into(), every: 1, phase: 0 }];
                request.inputs = Some(vec!["x".into()]);
                request.goals = vec![
                    goal("before", &[("x && !prev(x)", "")], ""),
                    goal("after", &[("", "x && !old(x)")], ""),
                    goal("second", &[("", ""), ("", "x > old(x)")], ""),
                    goal("expected", &[("", "")], "n >= old(x)"),
                ];
            },
            inputs: "x=1 | x=2 | x=0 | x=1",
            seen: "before/1: 3; after/1: 3; second/2: 0 2; expected/1: 0+ 1+ 2- 3+; end yes",
        },
        Case {
            name: "several rates",
            text: "unsigned char fast, slow; void f(void) { fast++; } void s(void) { slow++; }",
            adjust: |request| {
                request.step = vec![
                    StepFunction { function: "f".into(), every: 1, phase: 0 },
                    StepFunction { function: "s".into(), every: 3, phase: 1 },
                ];
                request.goals =
                    vec![goal("slow", &[("", "slow > old(slow)")], "fast == 2 || fast == 5")];
            },
            inputs: " | | | | | | |",
            seen: "slow/1: 1+ 4+ 7-; end yes",
        },
        Case {
            name: "inputs from functions that nobody defines",
            text: "
                int read_sensor(int channel, unsigned char *quality);
                int level; unsigned char good;
                void step(void) { level = read_sensor(1, &good); }
                void p(void) { step(); __CPROVER_assume(level == 4 && good == 2); }",
            adjust: nothing,
            inputs: "read_sensor.return=4 read_sensor.quality=1 | read_sensor.return=4 read_sensor.quality=2",
            seen: "p/1: 1; end yes",
        },
        Case {
            name: "conditions on what comes from functions that nobody defines",
            text: RUNTIME,
            adjust: |request| {
                request.assumptions = vec!["Read_info.data->low <= Read_info.data->high".into()];
                request.goals = vec![
                    goal("failed", &[("Read_info.return != 0", "")], "total == old(total)"),
                    goal("second", &[("Read_level.return#2 == 9 && Read_level.return == 1", "")], ""),
                    goal("element", &[("*Read_flag.arg1 && Read_info.data.v[1]#2 == 3", "")], ""),
                    goal("before", &[("old(Read_info.data.low) == 4", "Read_info.data->low == 5")], ""),
                    goal("behind", &[("", "Read_info.data.low == 4 && step.return.code == 6")], ""),
                    goal("later", &[("Read_info.data.low == 4", ""), ("Read_info.data.low == 5", "")], "step.return.code == old(step.return.code) + 1"),
                ];
            },
            inputs: "Read_info.data.low=4 Read_info.data.high=4 Read_info.data.v[0]=2 | Read_info.data.low=5 Read_info.data.high=9 Read_info.data.v[0]=2 |
                Read_info.return=1 Read_level.return=1 Read_level.return#2=9 Read_flag.arg1=1 Read_info.data.v[1]#2=3",
            seen: "failed/1: 2+; second/1: 2; element/1: 2; before/1: 1; behind/1: 0; later/2: 0+; end yes",
        },
        Case {
            name: "arrays that functions that nobody defines write",
            text: "
                void Read_three(short data[3]); void Read_some(short *p, unsigned n); struct pair { int x, y; }; void Read_pairs(struct pair *to); void Write_three(const short d[3]);
                short a[3], b[4], c[2]; struct pair pairs[2]; int out;
                void step(void) { Read_three(a); Read_some(b, 4); Read_some(c, 2); Read_pairs(pairs); Write_three(a); out = a[2] + b[3] + c[1] + pairs[1].y; }",
            adjust: |request| {
                request.goals = vec![
                    goal("third", &[("Read_three.data[2] == 7", "")], "a[2] == 7"),
                    goal("fourth", &[("Read_some.p[3] == 5", "")], "b[3] == 5"),
                    goal("member", &[("Read_pairs.to[1].y == 3 && Read_pairs.to->x == 1", "")], "out == 16"),
                    goal("first", &[("*Read_three.data == 4", "")], ""),
                ];
            },
            inputs: "Read_three.data[2]=7 Read_some.p[3]=5 Read_some.p[1]#2=1 Read_pairs.to[1].y=3 Read_pairs.to[0].x=1 | Read_three.data[0]=4",
            seen: "third/1: 0+; fourth/1: 0+; member/1: 0+; first/1: 1; end yes",
        },
        Case {
            name: "a function that initialisation calls, too",
            text: "int read(int channel); int bias, v; void m_initialize(void) { bias = read(0); } void m_step(void) { v = read(1) - bias; if (v > 8) v = read(2); }",
            adjust: |request| {
                request.init = Some("m_initialize".into());
                request.step = vec![StepFunction { function: "m_step".into(), every: 1, phase: 0 }];
                request.goals = vec![goal("first", &[("read.return == 3", "")], "v == 3"), goal("second", &[("read.return#2 == 4", "v == 4")], "")];
            },
            inputs: "read.return=3 | read.return=9 read.return#2=4",
            seen: "first/1: 0+; second/1: 1; end yes",
        },
        Case {
            name: "the result of printing, where it is used",
            text: "#include <stdio.h>\nint n, m; void step(int x) { n = printf(\"%d\", x); (void)puts(\"\"); m = x; }",
            adjust: |request| request.goals = vec![goal("two", &[("", "n == 2")], "printf.return == n")],
            inputs: "printf.return=1 | printf.return=2 | step.x=12",
            seen: "two/1: 1+; end yes",
        },
    ];
    cases.retain(|case| !case.name.is_empty());
    cases
}

/// The trace of a table.
fn trace(translated: &Translated, text: &str) -> Trace {
    let system = &translated.system;
    let zero = |input: &model::system::Input| Value::zero(system.terms.symbol(input.symbol).sort);
    let row = |step: &str| {
        let mut row: Vec<Value> = system.inputs.values().map(zero).collect();
        for setting in step.split_whitespace() {
            let (name, number) = setting.split_once('=').expect("a setting should have a value");
            let is_named = |signal: &&frontend::InputSignal| {
                let lvalue = &signal.signal.lvalue;
                lvalue == name || lvalue.ends_with(&format!("->{name}"))
            };
            let names = || translated.signals.inputs.iter().map(|input| input.signal.lvalue.as_str());
            let signal = translated.signals.inputs.iter().find(is_named);
            let signal =
                signal.unwrap_or_else(|| panic!("no input {name}: {:?}", names().collect::<Vec<_>>()));
            let slot = &mut row[signal.input.index()];
            let number: i128 = number.parse().expect("a number");
            *slot = Value::new(slot.sort(), number as u128 & slot.sort().mask());
        }
        row
    };
    let initial = system.initial_inputs.values().map(zero).collect();
    Trace { start: Start::Initial(initial), inputs: text.split('|').map(row).collect() }
}

/// What is seen of the goals.
fn seen(case: &Case) -> String {
    let translated = match translate_with(case.text, case.adjust) {
        Ok(translated) => translated,
        Err(failure) => return messages(&failure),
    };
    let system = checked(&translated);
    let run = match replay(&system, &trace(&translated, case.inputs)) {
        Ok(run) => run,
        Err(TraceError::Assumption { step, .. }) => return format!("no step {step}"),
        Err(other) => return other.to_string(),
    };
    let mut text = String::new();
    for (id, goal) in system.goals.iter() {
        text += &format!("{}/{}:", goal.name, goal.steps);
        for occurrence in &run.occurrences[id] {
            let verdict = match occurrence.expectation {
                None => "",
                Some(true) => "+",
                Some(false) => "-",
            };
            text += &format!(" {}{verdict}", occurrence.step);
        }
        text += "; ";
    }
    text + if run.may_end { "end yes" } else { "end no" }
}

#[test]
fn goals_occur_where_their_text_says() {
    let cases: Vec<Case> = good_cases().into_iter().chain(typed_cases()).collect();
    let failed: Vec<String> = cases
        .iter()
        .filter(|case| seen(case) != case.seen)
        .map(|case| format!("{}:\n  expected {}\n  but saw  {}", case.name, case.seen, seen(case)))
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// A driver loop runs as it was written where the host has the target's data model.
#[test]
fn driver_loops_run_unchanged() {
    let text = "
        int nondet_int(void); void print(int); int total;
        int main(void) {
            int n = nondet_int(); short last[2] = { 1, 2 };
            for (;;) {
                int x = nondet_int();
                static int rounds = 0;
                rounds++;
                __CPROVER_cover(x == n);
                if (x == 77) break;
                last[rounds & 1] = x; n += last[0]; total += x;
            }
            total = -1;
            return total;
        }";
    for (model, how) in [(DataModel::Lp64, "native"), (DataModel::Ip16, "rewritten with fixed-width types")] {
        let translated = translate_with(text, |request| request.target = Target { model });
        let translated = translated.unwrap_or_else(|failure| panic!("{}", messages(&failure)));
        assert_eq!(told_behind_loop(&translated), None, "what stands behind the loop is executed");
        let trace = random_trace(&checked(&translated), &mut Random(1), 3, false);
        let plan = translated.source.replay_plan(&trace).expect("there should be a replay");
        assert_eq!(plan.how, how);
        for seed in 0..2 {
            assert!(replays(&translated, seed, 20).expect("compiled and computed should agree") > 2);
        }
    }
}

/// What is said of statements behind a driver's loop.
fn told_behind_loop(translated: &Translated) -> Option<&str> {
    let found = translated.findings.iter().find(|finding| finding.topic == frontend::Topic::Ignored);
    found.map(|finding| finding.reason.as_str())
}

/// Where a second loop that nothing bounds stands behind, none of the two is the driver's, and that is refused.
#[test]
fn two_loops_without_a_bound_are_refused() {
    let text = "int nondet_int(void); int total; int main(void) { while (1) { int x = nondet_int(); total += x; if (x == 7) break; }
        while (total) total = nondet_int();
        return 0; }";
    let failure = translate_with(text, |_| {}).err().expect("no loop has a bound");
    assert!(messages(&failure).contains("loop-bound"), "{}", messages(&failure));
}

/// Each form on the compiled code, with random inputs.
#[test]
fn every_form_replays_on_the_compiled_code() {
    for case in good_cases() {
        let Ok(translated) = translate_with(case.text, case.adjust) else { continue };
        if let Err(why) = replays(&translated, 1, 12) {
            panic!("{}: {why}", case.name);
        }
    }
}

/// A monitor that tells the environment by calls: what it passes and whether it calls are outputs, and goals may ask for them.
const MONITOR: &str = "
    typedef enum { LOW, HIGH = 3 } band;
    extern short level; void alarm(unsigned short, _Bool high); void tell(void *where, float mean, band which, ...);
    short limit(signed char channel); void (*later)(long); void unused(int);
    static short last[2]; static unsigned char at;
    void step(void) {
        int sum; last[at] = level; at ^= 1; sum = last[0] + last[1];
        if (sum > limit(-4)) alarm(sum, level > 100);
        if (at) tell(0, sum / 4.0f, sum < 0 ? LOW : HIGH, sum);
    }";

fn goals_of_calls(request: &mut Request) {
    request.goals = vec![
        goal("fires", &[("", "alarm.called && alarm.arg1 == 7 && !alarm.high")], ""),
        goal("keeps", &[("at == 1", "!alarm.called && alarm.arg1 == 7")], "limit.channel == -4"),
        goal(
            "tells",
            &[("", "tell.called && tell.mean == 1.75f && tell.which == HIGH")],
            "old(tell.called) == 0",
        ),
    ];
}

#[test]
fn what_functions_of_outside_are_given_is_an_output() {
    let outputs =
        "alarm.arg1 alarm.high alarm.called tell.mean tell.which tell.called limit.channel limit.called";
    for model in [DataModel::Ip16, DataModel::Ilp32, DataModel::Lp64] {
        let translated = translate_with(MONITOR, |request| {
            goals_of_calls(request);
            request.target = Target { model };
        });
        let translated = translated.unwrap_or_else(|failure| panic!("{}", messages(&failure)));
        let mut found: Vec<&str> =
            translated.signals.outputs.iter().map(|(signal, _)| signal.lvalue.as_str()).collect();
        found.sort_unstable();
        let mut wanted: Vec<&str> = outputs.split(' ').collect();
        wanted.sort_unstable();
        assert_eq!(found, wanted, "{model:?}");
        for seed in 0..2 {
            let steps = replays(&translated, seed, 30).unwrap_or_else(|why| panic!("{model:?}: {why}"));
            assert!(steps > 10);
        }
    }
    let case = Case {
        name: "calls",
        text: MONITOR,
        adjust: goals_of_calls,
        inputs: "level=7 | level=-9 limit.return=9 | level=16 | level=0 limit.return=99",
        seen: "fires/1: 0 2; keeps/1: 1+ 3+; tells/1: 0+ 2+; end yes",
    };
    assert_eq!(seen(&case), case.seen);
}

/// Names of outputs hold for the next call; what is not passed by value, or by nobody, has none.
#[test]
fn what_is_given_can_be_named_as_output() {
    let translated = translate_with(MONITOR, |request| {
        request.outputs = Some(vec!["tell.mean".into(), "alarm.called".into()])
    });
    let translated = translated.unwrap_or_else(|failure| panic!("{}", messages(&failure)));
    let found: Vec<&str> =
        translated.signals.outputs.iter().map(|(signal, _)| signal.lvalue.as_str()).collect();
    assert_eq!(found, ["tell.mean", "alarm.called"]);
    for (name, message) in [
        ("tell.where", "nothing is known of what `tell.where` points to"),
        ("unused.called", "the code does not call `unused`, or passes it no value there"),
        ("alarm.loud", "`alarm` has no parameter `loud`"),
        ("step.called", "`step` has no parameter `called`"),
    ] {
        let failure = translate_with(MONITOR, |request| request.outputs = Some(vec![name.into()])).err();
        let messages = messages(&failure.unwrap_or_else(|| panic!("{name} should be refused")));
        assert!(messages.contains(message), "{name}: {messages}");
    }
}
