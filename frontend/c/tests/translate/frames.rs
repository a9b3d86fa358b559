//! What stands around a model: the `main` and the timer's function of Embedded Coder, loops made of jumps, and inputs that nobody named.

use crate::translate::support::{Shape, check_shape, messages, replays, translate_text, translate_with};
use frontend::Request;
use frontend::diagnostics::render;
use frontend_c::translate;

/// The types and the step function of a model that reaches its data through a structure.
const REUSABLE: &str = "typedef struct { unsigned char Count; } DW; typedef struct { unsigned char Level; } ExtU; typedef struct { unsigned char Over; } ExtY;
    typedef struct { unsigned char Limit; } P; typedef struct { const char *errorStatus; P *defaultParam; DW *dwork; ExtU *inputs; ExtY *outputs; } RT_MODEL;
    void tank_initialize(RT_MODEL *const rtM) { rtM->dwork->Count = 1; }
    void tank_step(RT_MODEL *const rtM) { DW *rtDW = rtM->dwork; rtDW->Count += rtM->inputs->Level > rtM->defaultParam->Limit; rtM->outputs->Over = rtDW->Count > 3; }
    static RT_MODEL rtM_; static RT_MODEL *const rtMPtr = &rtM_; static P rtP = { 7 }; static DW rtDW; static ExtU rtU; static ExtY rtY;
    void rt_OneStep(RT_MODEL *const rtM) { static unsigned char OverrunFlag; if (OverrunFlag) { rtM->errorStatus = \"Overrun\"; return; }
      OverrunFlag = 1; tank_step(rtM); OverrunFlag = 0; }";

#[test]
fn a_frame_wires_the_parts_of_a_model() {
    for spinning in [
        "while (rtM->errorStatus == 0) { }",
        "for (;;) { }",
        "while (rtM->errorStatus == 0) { rt_OneStep(rtM); }",
        "spin: rt_OneStep(rtM); goto spin;",
    ] {
        let main = format!(
            "int main(int argc, const char *argv[]) {{ RT_MODEL *const rtM = rtMPtr; (void)argc; (void)argv;
               rtM->defaultParam = &rtP; rtM->dwork = &rtDW; rtM->inputs = &rtU; rtM->outputs = &rtY;
               tank_initialize(rtM);\n{spinning} return 0; }}"
        );
        check_shape(Shape {
            text: &format!("{REUSABLE}\n{main}"),
            step: "main",
            init: "",
            inputs: &["rtU.Level"],
            outputs: &["rtY.Over"],
            state: &["rtDW.Count", "rt_OneStep::OverrunFlag"],
            findings: &[
                "step main: one call of `rt_OneStep` by a timer is one step; what it does before its loop in line 11 is initialisation",
                "input rtU: its name says that it is an input, and the step does not write it",
            ],
        });
    }
}

/// A loop whose first round begins in its midst is no frame: the step is the one that names tell.
#[test]
fn a_frame_is_entered_at_the_beginning_of_its_loop() {
    for spinning in ["goto in; while (1) { in: rt_OneStep(rtM); }", "goto in; while (1) { argc = 0; in: ; }"]
    {
        let main = format!(
            "int main(int argc, const char *argv[]) {{ RT_MODEL *const rtM = rtMPtr; (void)argv;
               rtM->defaultParam = &rtP; rtM->dwork = &rtDW; rtM->inputs = &rtU; rtM->outputs = &rtY;
               tank_initialize(rtM);\n{spinning} return 0; }}"
        );
        check_shape(Shape {
            text: &format!("{REUSABLE}\n{main}"),
            step: "tank_step",
            init: "tank_initialize",
            inputs: &["rtU.Level", "tank_step.rtM->defaultParam->Limit", "tank_step.rtM->inputs->Level"],
            outputs: &["tank_step.rtM->outputs->Over"],
            state: &["tank_step.rtM->dwork->Count"],
            findings: &[],
        });
    }
}

#[test]
fn a_frame_has_several_instances() {
    check_shape(Shape {
        text: "typedef struct { int sum; } Memory; typedef struct { int by; } Request; typedef struct { Memory *memory; } Unit;
            void adder_initialize(Unit *unit) { unit->memory->sum = 1; } void adder_step(Unit *unit, const Request *request) { unit->memory->sum += request->by; }
            static Unit left, right; static Memory of_left, of_right; static Request to_left = { 0 }, to_right = { 2 };
            void rt_OneStep(void) { adder_step(&left, &to_left); adder_step(&right, &to_right); }
            int main(void) { left.memory = &of_left; right.memory = &of_right; adder_initialize(&left); adder_initialize(&right); while (1) { } }",
        step: "main",
        init: "",
        inputs: &["to_left.by"],
        outputs: &[],
        state: &["of_left.sum", "of_right.sum"],
        findings: &["input to_left: the frame holds it, and it is zero in front of the first step, which does not write it"],
    });
}

/// Inputs that are passed by value, and that initialisation clears.
#[test]
fn a_frame_holds_inputs_that_initialisation_clears() {
    check_shape(Shape {
        text: "typedef struct { int sum; } DW; typedef struct { DW *dwork; } RT_MODEL;
            void clock_initialize(RT_MODEL *const clock_M, unsigned char *clock_U_up, short *clock_Y_time) { clock_M->dwork->sum = 3; *clock_U_up = 0; *clock_Y_time = 0; }
            void clock_step(RT_MODEL *const clock_M, unsigned char clock_U_up, short *clock_Y_time) { clock_M->dwork->sum += clock_U_up; *clock_Y_time = clock_M->dwork->sum; }
            static RT_MODEL clock_M_; static RT_MODEL *const clock_M = &clock_M_; static DW clock_DWork; static unsigned char clock_U_up; static short clock_Y_time;
            void rt_OneStep(void) { static unsigned char running; if (running) return; running = 1; clock_step(clock_M, clock_U_up, &clock_Y_time); running = 0; }
            int main(void) { clock_M->dwork = &clock_DWork; clock_initialize(clock_M, &clock_U_up, &clock_Y_time); while (1) { } return 0; }",
        step: "main",
        init: "",
        inputs: &["clock_U_up"],
        outputs: &["clock_Y_time"],
        state: &["clock_DWork.sum", "rt_OneStep::running"],
        findings: &[],
    });
}

/// The frame of several rates says when each is due.
#[test]
fn a_frame_runs_several_rates() {
    let text = "typedef struct { short In; } ExtU; typedef struct { int fast, slow; } DW; ExtU rtU; DW rtDW;
        void pump_initialize(void) { rtDW.slow = 5; } void pump_step0(void) { rtDW.fast += rtU.In; } void pump_step1(void) { rtDW.slow += rtDW.fast; }
        void rt_OneStep(void) { static int counter; pump_step0(); if (counter == 0) pump_step1(); if (++counter == 3) counter = 0; }
        int main(void) { pump_initialize(); while (1) { } return 0; }";
    check_shape(Shape {
        text,
        step: "main",
        init: "",
        inputs: &["rtU.In"],
        outputs: &[],
        state: &["rtDW.fast", "rtDW.slow", "rt_OneStep::counter"],
        findings: &[],
    });
}

/// Step functions that check themselves are no properties of anything, and neither is what calls them; the model has the name of their file.
#[test]
fn a_frame_is_no_property() {
    let folder = tempfile::tempdir().expect("there should be a place for temporary files");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a temporary file should be writable");
        path
    };
    let model = "#include <assert.h>\nshort in; int sum, mean; void gauge_step0(void) { sum += in; assert(sum != 9); } void gauge_step1(void) { mean = sum / 2; }";
    let frame = "void gauge_step0(void); void gauge_step1(void); void rt_OneStep(void) { static int due; gauge_step0(); if (due) gauge_step1(); due = !due; }
        int main(void) { while (1) { } }";
    let sources = vec![write("gauge.c", model), write("ert_main.c", frame)];
    let request = Request { sources, inputs: Some(vec!["in".to_owned()]), ..Request::default() };
    let found = translate(&request).unwrap_or_else(|failure| panic!("{}", messages(&failure)));
    assert_eq!(found.resolved.step[0].function, "main");
    assert_eq!(found.system.name, "gauge");
    assert_eq!(found.signals.inputs.len(), 1);
    assert_eq!(replays(&found, 1, 12), Ok(12));
}

/// A frame that passes nothing and calls one step function says nothing new: the step function is the step.
#[test]
fn a_frame_that_says_nothing_is_left_out() {
    check_shape(Shape {
        text: "typedef struct { short In; } ExtU; ExtU rtU; int sum; void fan_initialize(void) { sum = 3; } void fan_step(void) { sum += rtU.In; }
            void rt_OneStep(void) { static int flag; if (flag) return; flag = 1; fan_step(); flag = 0; }
            int main(void) { fan_initialize(); while (1) { } return 0; }",
        step: "fan_step",
        init: "fan_initialize",
        inputs: &["rtU.In"],
        outputs: &[],
        state: &["sum"],
        findings: &[],
    });
}

#[test]
fn loops_made_of_jumps_are_driver_loops() {
    for (text, state) in [
        (
            "int main(void) { int output = -1; again: ; int input; input = __VERIFIER_nondet_int(); if (input > 6) return -2; output = next(input); goto again; }",
            &["at"][..],
        ),
        (
            "int main(void) { int n = 0; again: n++; int input = __VERIFIER_nondet_int(); if (input == 3) goto again; if (n > 9) goto out; next(input + n); goto again; out: return 0; }",
            &["at", "n"],
        ),
        (
            "int main(void) { int input; do_it: input = __VERIFIER_nondet_int(); switch (input) { case 1: next(5); break; case 2: goto do_it; default: next(7); }
             if (at < 20) goto do_it; return 0; }",
            &["at"],
        ),
    ] {
        let text = format!(
            "extern int __VERIFIER_nondet_int(void); int at = 1; int next(int by) {{ if (by == 5) at = 2; else if (at == 2 && by == 7) at = 9; return at; }} {text}"
        );
        let found = translate_text(&text);
        let inputs: Vec<&str> = found.signals.inputs.iter().map(|input| &*input.signal.lvalue).collect();
        let mut states: Vec<&str> = found.signals.states.iter().map(|(state, _)| &*state.lvalue).collect();
        states.sort_by_key(|name| name.rsplit("::").next().unwrap_or(name).to_owned());
        assert_eq!((found.resolved.step[0].function.as_str(), inputs), ("main", vec!["input"]), "{text}");
        let ends: Vec<&str> = states.iter().map(|name| name.rsplit(':').next().unwrap_or(name)).collect();
        assert_eq!(ends, state, "{text}");
        for seed in 0..4 {
            replays(&found, seed, 12).unwrap_or_else(|why| panic!("{why}: {text}"));
        }
    }
}

/// What leads into the midst of a loop makes its rounds no steps: behind it, `again` comes back.
#[test]
fn a_loop_that_is_entered_within_is_no_driver() {
    for text in [
        "int main(void) { int x, y; do { y = 1; again: ; seen += y == 2; x = nondet_int(); if (x & 1) break; } while (1); y = 2; goto again; }",
        "int main(void) { int x = 3; if (seen) goto midst; for (;;) { x = 0; midst: seen = x; x = nondet_int(); if (x > 4) return 0; } }",
    ] {
        let text = format!("int nondet_int(void); int seen; {text}");
        let failure = translate_with(&text, |_| ()).err().expect("it should be refused");
        assert!(messages(&failure).contains("cannot bound this loop"), "{}", messages(&failure));
    }
}

/// The assertions and the limits of verification tools are those of others by other names.
#[test]
fn conditions_of_esbmc() {
    let found = translate_text(
        "int nondet_int(void); int sum; int main(void) { while (1) { int by = nondet_int(); __ESBMC_assume(by >= 0 && by < 4); sum += by;
         __ESBMC_assert(sum != 7, \"seven\"); } }",
    );
    assert_eq!(found.system.goals.len(), 1);
    assert_eq!(found.system.assumptions.len(), 1);
}

/// The warnings of each text, with their advice.
#[test]
fn what_may_be_meant_otherwise_is_warned_of() {
    for (text, expected) in [
        (
            "static int mode = 2; int out; void go_step(void) { if (mode > 3) out++; }",
            "warning[no-inputs]: the model has no inputs: there is nothing that a test could vary
  = list what the environment sets under `inputs` in the section [model]; the step reads `mode` and never writes it\n",
        ),
        (
            "int count; void go_step(void) { count++; }",
            "warning[no-inputs]: the model has no inputs: there is nothing that a test could vary
  = what the environment sets, list under `inputs` in the section [model]\n",
        ),
        (
            "static int level, limit = 2; int over, by; void go_step(int more) { over = level + more > limit; } int main(void) { while (1) { go_step(by); } }",
            "warning[never-set]: the step reads `level`, which nothing sets: the value is 0 in every step
  = what the environment sets, list under `inputs` in the section [model]\n",
        ),
        ("int level; int over; void go_step(void) { over = level > 3; }", ""),
    ] {
        let found = translate_text(text);
        assert_eq!(render(&found.diagnostics, &found.sources, false), expected, "{text}");
    }
}

/// Lines that a directive places in a file which is not there are shown as they stand in the file that is.
#[test]
fn lines_of_missing_files_are_shown_where_they_stand() {
    for (text, expected) in [
        (
            "int out;\n#line 70 \"plant.sl\"\n\nvoid step(int x) {\n  out = speed + x;\n}\n",
            ":5:9\n5 |   out = speed + x;\n",
        ),
        (
            "#line 70 \"plant.sl\"\n#include <stddef.h>\nint out;\n#line 70 \"plant.sl\"\nvoid step(int x) { out = speed + x; }\n",
            ":5:26\n5 | void step(int x) { out = speed + x; }\n",
        ),
        (
            "int out;\n#line 900\nvoid step(int x) { out = speed + x; }\n",
            ":3:26\n3 | void step(int x) { out = speed + x; }\n",
        ),
    ] {
        let failure = translate_with(text, |_| {}).err().expect("an unknown name should be refused");
        let shown = render(&failure.diagnostics, &failure.sources, false);
        let place = shown.lines().find_map(|line| line.split_once("model.c")).map(|(_, place)| place);
        let line = shown.lines().find(|line| line.starts_with(|first: char| first.is_ascii_digit()));
        assert_eq!(
            format!("{}\n{}\n", place.unwrap_or_default(), line.unwrap_or_default()),
            expected,
            "{shown}"
        );
    }
}

/// A step function that is told by its caller which rates are due.
#[test]
fn the_number_of_a_task_is_warned_of() {
    let found = translate_text(
        "int fast, slow, in; void mix_step(int tid) { if (tid == 0) fast += in; if (tid == 1) slow += fast; }",
    );
    let shown = render(&found.diagnostics, &found.sources, false);
    let expected = "warning[task-number]: `mix_step` gets the number of a task: any number in any step is taken to be possible\n";
    assert!(shown.starts_with(expected), "{shown}");
}
