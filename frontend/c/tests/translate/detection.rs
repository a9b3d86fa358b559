//! The parts of a model that are found without being told, for each known shape of generated code.

use crate::translate::support::{
    Shape, check_shape, error_codes, messages, replays, translate_text, translate_with,
};
use frontend::{Request, Signal, Translated};
use frontend_c::translate;

#[test]
fn globals_of_embedded_coder() {
    check_shape(Shape {
        text: "typedef struct { int Speed; unsigned char Brake; } ExtU_fan_T; typedef struct { int Torque; } ExtY_fan_T;
            typedef struct { int Delay; } DW_fan_T; typedef struct { int Gain; } P_fan_T;
            ExtU_fan_T fan_U; ExtY_fan_T fan_Y; DW_fan_T fan_DW; P_fan_T fan_P = { 3 };
            void *memset(void *, int, unsigned);
            void fan_step(void) { fan_Y.Torque = fan_U.Brake ? fan_Y.Torque : fan_P.Gain * fan_DW.Delay; fan_DW.Delay = fan_U.Speed; }
            void fan_initialize(void) { memset(&fan_U, 0, sizeof(ExtU_fan_T)); memset(&fan_Y, 0, sizeof(ExtY_fan_T)); fan_DW.Delay = 1; }
            int main(void) { fan_initialize(); while (1) { fan_step(); } }",
        step: "fan_step",
        init: "fan_initialize",
        inputs: &["fan_U.Brake", "fan_U.Speed"],
        outputs: &["fan_Y.Torque"],
        state: &["fan_DW.Delay", "fan_Y.Torque"],
        findings: &[
            "step fan_step: its name is one that code generators give to step functions",
            "init fan_initialize: its name goes with that of the step function",
            "input fan_U: its name says that it is an input, and the step does not write it",
            "output fan_Y: its name says that it is an output, and the step writes it",
        ],
    });
}

/// Whoever gives an input values in its definition has to learn that they do not matter.
#[test]
fn an_initialised_input_is_told() {
    check_shape(Shape {
        text: "typedef struct { int i, k; } level; level fan_U = { 1, 2 }; int fan_Y; void fan_step(void) { fan_Y = fan_U.i == fan_U.k; }",
        step: "fan_step",
        init: "",
        inputs: &["fan_U.i", "fan_U.k"],
        outputs: &["fan_Y"],
        state: &[],
        findings: &[
            "assumed fan_U: it is taken for an input, so that the values of its initialiser play no part",
        ],
    });
}

#[test]
fn plain_globals_of_simulink_coder() {
    check_shape(Shape {
        text: "typedef struct { int In1; } ExtU; typedef struct { int Out1; } ExtY; typedef struct { int x; } DW;
            ExtU rtU; ExtY rtY; DW rtDW;
            void pid_step(void) { rtY.Out1 = rtDW.x + rtU.In1; rtDW.x = rtU.In1; }
            void pid_initialize(void) { rtU.In1 = 0; }",
        step: "pid_step",
        init: "pid_initialize",
        inputs: &["rtU.In1"],
        outputs: &["rtY.Out1"],
        state: &["rtDW.x"],
        findings: &[],
    });
}

#[test]
fn a_calibration_without_definition_is_an_input_with_a_hint() {
    check_shape(Shape {
        text: "typedef struct { int Gain; } P_fan_T; extern P_fan_T fan_P; extern int bus; int fan_U, fan_DW;
            void fan_step(void) { fan_DW += fan_P.Gain * fan_U + bus; } void fan_init(void) { fan_U = 0; }",
        step: "fan_step",
        init: "fan_init",
        inputs: &["bus", "fan_P.Gain", "fan_U"],
        outputs: &[],
        state: &["fan_DW"],
        findings: &[
            "input fan_P: calibration that no file defines; add the file that does (mostly ..._data.c), or fix it in the section [const]",
            "input bus: an extern variable that no file defines; define it to make it anything else",
        ],
    });
}

#[test]
fn reusable_functions_with_a_model_structure() {
    check_shape(Shape {
        text: "typedef struct { int u; } ExtU; typedef struct { int y; } ExtY; typedef struct { int last; } DW; typedef struct { int k; } P; P rtP_left = { 3 };
            typedef struct tag_RTM { const char *errorStatus; P *defaultParam; ExtU *inputs; ExtY *outputs; DW *dwork; } RT_MODEL;
            static int filter(DW *local, int u) { int last = local->last; local->last = u; return last; }
            void lag_step(RT_MODEL *const rtM) { P *rtP = rtM->defaultParam; DW *rtDW = rtM->dwork; ExtU *rtU = (ExtU *)rtM->inputs;
              ExtY *rtY = (ExtY *)rtM->outputs; rtY->y = rtP->k * filter(rtDW, rtU->u); }
            void lag_initialize(RT_MODEL *const rtM) { DW *rtDW = rtM->dwork; rtDW->last = 5; rtM->errorStatus = 0; }",
        step: "lag_step",
        init: "lag_initialize",
        inputs: &["lag_step.rtM->defaultParam->k", "lag_step.rtM->inputs->u"],
        outputs: &["lag_step.rtM->outputs->y"],
        state: &["lag_step.rtM->dwork->last"],
        findings: &[
            "bind lag_step.rtM->dwork: it is used as a pointer, but nothing gives it a value: it points to a new object",
            "bind lag_step.rtM->defaultParam: it is used as a pointer, but nothing gives it a value: it points to a new object; of its type the code has `rtP_left`: `\"lag_step.rtM->defaultParam\" = \"&rtP_left\"` in the section [bind] binds it",
            "input *lag_step.rtM->defaultParam: calibration without values: bind the pointer to an object that has them in the section [bind], or fix it in [const]",
        ],
    });
}

#[test]
fn recording_for_mat_files_does_nothing() {
    check_shape(Shape {
        text: "#include \"rtwtypes.h\"\n#include \"rtw_continuous.h\"\n#include \"rtw_solver.h\"\n#include \"rt_logging.h\"\n#include \"solver_zc.h\"\n#include \"fixedpoint.h\"
            typedef struct { real_T In1; } ExtU_lag_T; typedef struct { real_T Out1; } ExtY_lag_T; typedef struct { struct { void *LoggedData; } ToFile_PWORK; real_T last; } DW_lag_T;
            typedef struct { const char_T *errorStatus; RTWLogInfo *rtwLogInfo; struct { time_T taskTime0; time_T stepSize0; time_T tFinal; } Timing; } RT_MODEL_lag_T;
            ExtU_lag_T lag_U; ExtY_lag_T lag_Y; DW_lag_T lag_DW; RT_MODEL_lag_T lag_M_; RT_MODEL_lag_T *const lag_M = &lag_M_;
            void lag_step(void) { lag_Y.Out1 = lag_DW.last; rt_UpdateLogVar((LogVar *)lag_DW.ToFile_PWORK.LoggedData, &lag_Y.Out1, 0); lag_DW.last = lag_U.In1;
              rt_UpdateTXYLogVars(lag_M->rtwLogInfo, (&lag_M->Timing.taskTime0)); }
            void lag_initialize(void) {
              { static RTWLogInfo rt_DataLoggingInfo; rt_DataLoggingInfo.loggingInterval = NULL; lag_M->rtwLogInfo = &rt_DataLoggingInfo; }
              { static void *pointers[] = { &lag_Y.Out1 }; static int_T widths[] = { 1 }; static BuiltInDTypeId types[] = { SS_DOUBLE }; static const char_T *labels[] = { \"\" };
                static RTWPreprocessingFcnPtr functions[] = { (NULL) }; static const RTWLogDataTypeConvert convert[] = { { 0, SS_DOUBLE, SS_DOUBLE, 0, 0, 0, 1.0, 0, 0.0 } };
                static RTWLogSignalInfo info[] = { { 1, widths, widths, widths, (NULL), (NULL), (NULL), types, widths, (NULL), functions, { labels }, (NULL), (NULL), (NULL), { labels }, { (NULL) },
                  (NULL), convert } };
                rtliSetLogYSignalInfo(lag_M->rtwLogInfo, info); rtliSetLogYSignalPtrs(lag_M->rtwLogInfo, ((LogSignalPtrsType)pointers)); rtliSetLogT(lag_M->rtwLogInfo, \"tout\"); }
              lag_DW.ToFile_PWORK.LoggedData = rt_CreateLogVar(lag_M->rtwLogInfo, 0.0, lag_M->Timing.tFinal, lag_M->Timing.stepSize0, (&lag_M->errorStatus), \"x\", SS_DOUBLE, 0, 0, 0, 1, 1);
              if (lag_DW.ToFile_PWORK.LoggedData == (NULL)) return;
              rt_StartDataLoggingWithStartTime(lag_M->rtwLogInfo, 0.0, lag_M->Timing.tFinal, lag_M->Timing.stepSize0, (&lag_M->errorStatus));
              lag_DW.last = 5.0; }",
        step: "lag_step",
        init: "lag_initialize",
        inputs: &["lag_U.In1"],
        outputs: &["lag_Y.Out1"],
        state: &["lag_DW.last"],
        findings: &[],
    });
}

#[test]
fn gene_auto_has_io_and_state_structures() {
    check_shape(Shape {
        text: "typedef struct { unsigned char Request; int Level; unsigned char Lamp; } t_lamp_io; typedef struct { int Memory; } t_lamp_state;
            void lamp_init(t_lamp_io *_io_, t_lamp_state *_state_) { _state_->Memory = 2; }
            void lamp_compute(t_lamp_io *_io_, t_lamp_state *_state_) { _io_->Lamp = _io_->Request && _state_->Memory < _io_->Level;
              _state_->Memory = _io_->Level; }",
        step: "lamp_compute",
        init: "lamp_init",
        inputs: &["lamp_compute._io_->Level", "lamp_compute._io_->Request"],
        outputs: &["lamp_compute._io_->Lamp"],
        state: &["lamp_compute._state_->Memory"],
        findings: &[],
    });
}

#[test]
fn target_link_has_globals_and_static_locals() {
    check_shape(Shape {
        text: "typedef unsigned char Bool; Bool Sa1_Start; int Sa1_Level; int Sa1_Flow;
            typedef struct { unsigned Mode : 2; unsigned Last : 1; } SIBFS; static SIBFS SIBFS_Tank = { 0, 1 };
            void RESTART_Tank(void) { SIBFS_Tank.Mode = 1; }
            void Tank(void) { static int X_Sa1_Delay = 4; Sa1_Flow = X_Sa1_Delay + SIBFS_Tank.Mode; X_Sa1_Delay = Sa1_Level;
              if (Sa1_Start && !SIBFS_Tank.Last) SIBFS_Tank.Mode++; SIBFS_Tank.Last = Sa1_Start; }",
        step: "Tank",
        init: "RESTART_Tank",
        inputs: &["Sa1_Level", "Sa1_Start"],
        outputs: &["Sa1_Flow"],
        state: &["SIBFS_Tank.Last", "SIBFS_Tank.Mode", "Tank::X_Sa1_Delay"],
        findings: &[
            "step Tank: its name goes with that of an initialisation function, and nothing else calls it",
            "input Sa1_Level: neither initialisation nor the step writes it, and it has no initialiser",
        ],
    });
}

#[test]
fn kcg_has_an_input_structure_and_a_context() {
    check_shape(Shape {
        text: "typedef unsigned char kcg_bool; typedef struct { kcg_bool up; } inC_Gear;
            typedef struct { kcg_bool edge; kcg_bool init; kcg_bool rem; } outC_Edge_lib; typedef struct { kcg_bool out; kcg_bool init; outC_Edge_lib Context_1; } outC_Gear;
            void Edge_reset_lib(outC_Edge_lib *outC) { outC->init = 1; }
            void Edge_lib(kcg_bool in, outC_Edge_lib *outC) { outC->edge = !outC->init && in && !outC->rem; outC->rem = in; outC->init = 0; }
            void Gear_reset(outC_Gear *outC) { outC->init = 1; Edge_reset_lib(&outC->Context_1); }
            void Gear(inC_Gear *inC, outC_Gear *outC) { Edge_lib(inC->up, &outC->Context_1); outC->out = outC->init || outC->Context_1.edge; outC->init = 0; }",
        step: "Gear",
        init: "Gear_reset",
        inputs: &["Gear.inC->up"],
        outputs: &["Gear.outC->Context_1.edge", "Gear.outC->out"],
        state: &["Gear.outC->Context_1.init", "Gear.outC->Context_1.rem", "Gear.outC->init"],
        findings: &[
            "step Gear: its parameters are the input structure and the context of an operator, as KCG has it",
        ],
    });
}

#[test]
fn kcg_puts_reset_before_the_package() {
    check_shape(Shape {
        text: "typedef struct { int n; } outC_Count_pkg; void Count_reset_pkg(outC_Count_pkg *outC) { outC->n = 7; }
            void Count_pkg(int by, outC_Count_pkg *outC) { outC->n += by; }",
        step: "Count_pkg",
        init: "Count_reset_pkg",
        inputs: &["Count_pkg.by"],
        outputs: &[],
        state: &["Count_pkg.outC->n"],
        findings: &[],
    });
}

#[test]
fn of_several_operators_of_kcg_the_root_has_an_input_structure() {
    check_shape(Shape {
        text: "typedef struct { int by; } lib_inC_Main; typedef struct { int n; } lib_outC_Main; typedef struct { int n; } lib_outC_Spare;
            void lib_Spare(int by, lib_outC_Spare *outC) { outC->n -= by; } void lib_Spare_reset(lib_outC_Spare *outC) { outC->n = 9; }
            void lib_Main(lib_inC_Main *inC, lib_outC_Main *outC) { outC->n += inC->by; } void lib_Main_reset(lib_outC_Main *outC) { outC->n = 7; }",
        step: "lib_Main",
        init: "lib_Main_reset",
        inputs: &["lib_Main.inC->by"],
        outputs: &[],
        state: &["lib_Main.outC->n"],
        findings: &[],
    });
}

#[test]
fn heptagon_has_out_and_mem() {
    check_shape(Shape {
        text: "typedef struct { int edge; } Hall__rise_out; typedef struct { int last; } Hall__rise_mem; typedef struct { int on; } Hall__main_out;
            typedef struct { Hall__rise_mem rise; int ck; } Hall__main_mem;
            void Hall__rise_reset(Hall__rise_mem *self) { self->last = 0; }
            void Hall__rise_step(int x, Hall__rise_out *_out, Hall__rise_mem *self) { _out->edge = x && !self->last; self->last = x; }
            void Hall__main_reset(Hall__main_mem *self) { Hall__rise_reset(&self->rise); self->ck = 0; }
            void Hall__main_step(int button, Hall__main_out *_out, Hall__main_mem *self) { Hall__rise_out Hall__rise_out_st;
              Hall__rise_step(button, &Hall__rise_out_st, &self->rise); if (Hall__rise_out_st.edge) self->ck = !self->ck; _out->on = self->ck; }",
        step: "Hall__main_step",
        init: "Hall__main_reset",
        inputs: &["Hall__main_step.button"],
        outputs: &["Hall__main_step._out->on"],
        state: &["Hall__main_step.self->ck", "Hall__main_step.self->rise.last"],
        findings: &[],
    });
}

#[test]
fn a_referenced_model_has_pointers_to_its_signals() {
    check_shape(Shape {
        text: "static int held; void mdl_initialize(void) { held = 1; }
            void mdl(const int *rtu_in, int *rty_out, int *rty_unused) { *rty_out = held; held = *rtu_in; }",
        step: "mdl",
        init: "mdl_initialize",
        inputs: &["*mdl.rtu_in"],
        outputs: &["*mdl.rty_out"],
        state: &["held"],
        findings: &["input *mdl.rtu_in: its name says that it is an input, and the step does not write it"],
    });
}

#[test]
fn driver_loops_of_verification_competitions() {
    check_shape(Shape {
        text: "extern int __VERIFIER_nondet_int(void); extern void abort(void); void reach_error(void) { }
            int a = 1; int calculate_output(int input) { if (a == 1 && input == 3) { a = 2; return 22; } if (a == 2 && input == 4) { error_4: reach_error(); abort(); } return -2; }
            int main(void) { int output = -1; while (1) { int input = __VERIFIER_nondet_int();
              if ((input != 3) && (input != 4)) return -2; output = calculate_output(input); } }",
        step: "main",
        init: "",
        inputs: &["input"],
        outputs: &["output"],
        state: &["a"],
        findings: &["step main: one round of its loop in line 3 is one step; what stands before is initialisation"],
    });
}

#[test]
fn scenarios_of_sccharts_have_tick_data() {
    let found = translate_text(
        "typedef struct { char A, B, R, O; char _GO, _done; } TickData; void logic(TickData *d) { if (d->R || d->_GO) { d->_done = 0; d->O = 0; } d->_done |= d->A && d->B; if (d->_done) d->O = 1; d->_GO = 0; }
         void reset(TickData *d) { d->_GO = 1; d->_done = 0; d->O = 0; } void tick(TickData *d) { logic(d); }",
    );
    assert_eq!(inputs(&found), "tick.d->A tick.d->B tick.d->R");
    assert_eq!(found.resolved.step[0].function, "tick");
    assert_eq!(found.resolved.init.as_deref(), Some("reset"));
}

/// The part that an object has by its name or by that of its type, and the names by which its members are shown: short, and one for each.
#[test]
fn names_of_objects_and_members() {
    let shown = |text: &str| {
        let found = translate_text(text);
        let name = |signal: &Signal| signal.name.clone();
        let parts = [
            found.signals.inputs.iter().map(|input| name(&input.signal)).collect::<Vec<_>>(),
            found.signals.outputs.iter().map(|(signal, _)| name(signal)).collect(),
            found.signals.states.iter().map(|(signal, _)| name(signal)).collect(),
        ];
        parts.map(|names| names.join(" ")).join(" | ")
    };
    for (text, expected) in [
        // What the name of the variable says.
        (
            "struct s { int x; } rtU, rtY, rtP, rtDW; void step(void) { rtY.x = rtU.x * rtP.x + rtDW.x; rtDW.x += rtU.x; }",
            "rtU.x | rtY.x | rtDW.x",
        ),
        // What the name of the type says; calibration without values stays what initialisation left.
        (
            "typedef struct { int a; } ExtU_m_T; typedef struct { int b; } ExtY_m_T; typedef struct { int c; } DW_m_T; ExtU_m_T in; ExtY_m_T out; DW_m_T work; void m_step(void) { out.b = in.a + work.c; work.c = in.a; }",
            "a | b | c",
        ),
        // Names say nothing: what is never written is input, what is written before it is read is output.
        ("int level, alarm, n; void step(void) { n += level; alarm = n > 3; }", "level | alarm | n"),
        // One name for each, by as much of the way as it takes.
        (
            "struct { struct { int v; } p, q; } a; struct { struct { int v; } p; } b; int out; void step(void) { out = a.p.v + a.q.v + b.p.v; }",
            "a.p.v q.v b.p.v | out | ",
        ),
    ] {
        assert_eq!(shown(text), expected, "{text}");
    }
}

/// What a step takes away and nothing raises is an event: an input in SCCharts' data, elsewhere something to be told.
#[test]
fn events_that_a_step_clears() {
    let chart = "typedef struct { char A, B, O, _GO, _pg; } TickData; void reset(TickData *d) { d->_GO = 1; d->_pg = 0; }
         void tick(TickData *d) { d->O = d->A && !d->_pg; d->_pg = d->B || d->_GO; d->_GO = 0; d->A = 0; d->B = 0; }";
    let found = translate_text(chart);
    assert_eq!(inputs(&found), "tick.d->A tick.d->B");
    assert_eq!(replays(&found, 1, 20), Ok(20));
    let timed = "typedef struct { double deltaT, t; char O, _GO; } TickData; void reset(TickData *d) { d->_GO = 1; d->deltaT = 0.0; d->t = 0.0; }
         void tick(TickData *d) { d->t += d->deltaT; d->O = d->t > 2.5; d->_GO = 0; }";
    assert_eq!(inputs(&translate_text(timed)), "tick.d->deltaT");
    for (text, told) in [
        ("_Bool pressed; int n, out; void step(int x) { if (pressed) n += x; pressed = 0; out = n; }", true),
        (
            "_Bool pressed; int n, out; void step(int x) { if (pressed) n += x; pressed = x > 3; out = n; }",
            false,
        ),
        ("_Bool pressed; int n, out; void step(int x) { pressed = 0; if (pressed) n += x; out = n; }", false),
        (
            "_Bool pressed = 1; int n, out; void step(int x) { if (pressed) n += x; pressed = 1; out = n; }",
            false,
        ),
    ] {
        let found = translate_text(text);
        let messages: Vec<&str> = found.diagnostics.entries.iter().map(|entry| entry.code.text).collect();
        assert_eq!(messages.contains(&"never-set"), told, "{text}: {messages:?}");
    }
}

/// Bits without a name are inputs where a program can read them through another member, and have its name.
#[test]
fn padding_is_no_input() {
    for (text, expected) in [
        (
            "struct { unsigned a : 3, : 2, b : 4; unsigned : 0, : 5; unsigned c : 1; } s; int n; void step(void) { n = s.a + s.b + s.c; }",
            "s.a s.b s.c",
        ),
        (
            "union { struct { unsigned char a : 2, : 1, b : 1; }; unsigned char raw; } u; int n; void step(void) { n = u.raw + u.a; }",
            "u.a u.raw{2} u.b u.raw{4..7}",
        ),
        (
            "typedef struct { unsigned char a : 2, : 3, b : 3; } t; void get(t *to); int n; void step(void) { t t; get(&t); n = t.a + t.b; }",
            "get.to.a get.to.b",
        ),
    ] {
        assert_eq!(inputs(&translate_text(text)), expected, "{text}");
    }
}

fn inputs(translated: &Translated) -> String {
    let names = translated.signals.inputs.iter().map(|input| input.signal.lvalue.as_str());
    names.collect::<Vec<_>>().join(" ")
}

#[test]
fn an_array_parameter_has_all_its_elements() {
    check_shape(Shape {
        text: "typedef short triple[3]; static int held[2]; void arm_initialize(void) { held[1] = 4; }
            void arm_step(const int rtu_in[2], triple angles, int rty_out[2]) { int i; rty_out[0] = held[0];
              for (i = 0; i < 2; i++) held[i] = rtu_in[i] + angles[i + 1]; rty_out[1] = held[1]; }",
        step: "arm_step",
        init: "arm_initialize",
        inputs: &[
            "arm_step.angles[0]",
            "arm_step.angles[1]",
            "arm_step.angles[2]",
            "arm_step.rtu_in[0]",
            "arm_step.rtu_in[1]",
        ],
        outputs: &["arm_step.rty_out[0]", "arm_step.rty_out[1]", "held[1]"],
        state: &["held[0]"],
        findings: &[],
    });
}

/// What lies behind pointers that initialisation alone is given can be named: the request with everything filled in is read again.
#[test]
fn objects_of_initialisation_have_names() {
    let text = "typedef struct { int mode; double *size; } info; typedef struct { info *solver; } model; model part_M; int part_out;
        void part_initialize(info *rt_solverInfo) { part_M.solver = rt_solverInfo; }
        void part_step(int u) { part_out = part_M.solver->mode == 3 ? u : part_out; }";
    let folder = tempfile::tempdir().expect("there should be a place for temporary files");
    let path = folder.path().join("model.c");
    std::fs::write(&path, text).expect("a temporary file should be writable");
    let translated =
        |request: &Request| translate(request).unwrap_or_else(|failure| panic!("{}", messages(&failure)));
    let first = translated(&Request { sources: vec![path], ..Request::default() });
    let inputs = |model: &Translated| -> Vec<String> {
        model.signals.inputs.iter().map(|input| input.signal.lvalue.clone()).collect()
    };
    assert!(
        inputs(&first).contains(&"part_initialize.rt_solverInfo->mode".to_owned()),
        "{:?}",
        inputs(&first)
    );
    let second = translated(&first.resolved);
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    assert_eq!(sorted(inputs(&first)), sorted(inputs(&second)));
    for model in [first, second] {
        replays(&model, 1, 10).unwrap_or_else(|why| panic!("{why}"));
    }
}

/// Configurations name whole structs and arrays where all of them are meant, and the members alone where not; read again they mean the same.
#[test]
fn whole_objects_stand_for_their_members() {
    let table = [
        ("s->total = s->in.b + s->in.c + s->each[0] + s->each[1];", "step.s->in step.s->each"),
        ("s->total = s->in.b + s->each[1]; s->in.c = 1; s->each[0] = 1;", "step.s->in.b step.s->each[1]"),
        (
            "s->total = s->f + s->pair[1].b + s->pair[1].c; s->g = 1; s->pair[0].c = 2;",
            "step.s->f step.s->pair[0].b step.s->pair[1]",
        ),
        ("s->total = s->u.whole;", "step.s->u"),
        ("s->total = s->u.whole; s->u.half[0] = 1;", "step.s->u.half[1]"),
    ];
    for (body, expected) in table {
        let members = [
            ("in", "struct { int b, c; } in;"),
            ("each", "int each[2];"),
            ("s->f", "unsigned f : 3, g : 5;"),
            ("pair", "struct { int b, c; } pair[2];"),
            ("u.", "union { int whole; short half[2]; } u;"),
        ];
        let used = members.iter().filter(|(name, _)| body.contains(name));
        let used: String = used.map(|(_, declaration)| *declaration).collect();
        let text = format!("typedef struct {{ {used} int total; }} t_s; void step(t_s *s) {{ {body} }}");
        let folder = tempfile::tempdir().expect("there should be a place for temporary files");
        let path = folder.path().join("model.c");
        std::fs::write(&path, text).expect("a temporary file should be writable");
        let translated =
            |request: &Request| translate(request).unwrap_or_else(|failure| panic!("{}", messages(&failure)));
        let first = translated(&Request { sources: vec![path], ..Request::default() });
        assert_eq!(first.resolved.inputs.as_deref().unwrap_or_default().join(" "), expected, "{body}");
        let second = translated(&first.resolved);
        let inputs = |model: &Translated| -> Vec<String> {
            model.signals.inputs.iter().map(|input| input.signal.lvalue.clone()).collect()
        };
        assert_eq!(inputs(&first), inputs(&second), "{body}");
    }
}

#[test]
fn a_step_function_of_any_name_has_the_initialisation_of_its_object() {
    check_shape(Shape {
        text: "struct lock { int state; unsigned char pin; };
            void lock_init(struct lock *self) { self->state = 0; self->pin = 7; }
            void lock_tick(struct lock *self, signed char key) { if (key == self->pin) self->state = 1; }
            void __CPROVER_assume(_Bool);
            void p_open(struct lock *self, signed char key) { __CPROVER_assume(key == 7 && !self->state); lock_tick(self, key); }",
        step: "lock_tick",
        init: "lock_init",
        inputs: &["lock_tick.key"],
        outputs: &["lock_tick.self->state"],
        state: &[],
        findings: &["init lock_init: its name goes with that of the step function"],
    });
}

#[test]
fn a_property_that_calls_the_step_by_way_of_another_function_is_warned_of() {
    let text = "static int n; int by; void step(void) { n += by; } static void two(void) { step(); step(); }
        void direct(void) { __CPROVER_assume(n == 1); step(); } void indirect(void) { __CPROVER_assume(n == 2); two(); }";
    let translated = translate_text(text);
    let all: Vec<String> = translated.diagnostics.entries.iter().map(|entry| entry.message.clone()).collect();
    assert_eq!(all, ["`indirect` is no goal: it calls the step function only by way of `two`"]);
}

#[test]
fn what_may_be_the_initialisation_is_warned_of() {
    let text = "static int on; void relay_init(int to) { on = to; } int key; void tick(void) { on ^= key; }
        void goals(void) { __CPROVER_assume(on); tick(); }";
    let translated = translate_text(text);
    let all: Vec<String> = translated.diagnostics.entries.iter().map(|entry| entry.message.clone()).collect();
    assert!(all.iter().any(|message| message.contains("`relay_init` could be one for `tick`")), "{all:?}");
}

#[test]
fn a_pointer_is_no_input() {
    let text = "typedef struct { int by; } t_in; typedef struct { t_in *inputs; } t_model; t_in in; t_model model = { &in };
        int n; void step(t_model *m) { n += m->inputs->by; }";
    let codes = |input: &str| {
        error_codes(text, |request| {
            request.inputs = Some(vec![input.to_owned()]);
            request.bind = vec![("step.m".into(), "&model".into())];
        })
    };
    assert_eq!(codes("step.m->inputs"), ["pointer-input"]);
    assert_eq!(codes("*step.m->inputs"), Vec::<&str>::new());
}

/// The warning of each text about its initialisation, and the words that it ends with.
#[test]
fn what_writes_what_the_step_reads_is_told_as_possible_initialisation() {
    let goal = "void __CPROVER_assume(_Bool);";
    for (text, expected) in [
        (
            "static int on; int rx; void link_reset(void) { on = 3; } void link_poll(void) { if (rx && on == 3) on = 4; }
             void p(void) { __CPROVER_assume(on == 4); link_poll(); }",
            "`link_reset` could be one for `link_poll`, which reads what it writes",
        ),
        (
            "typedef struct { int n; } t; void setup(t *m) { m->n = 3; } void go(t *m, int by) { m->n += by; }
             void p(t *m, int by) { __CPROVER_assume(m->n == 4); go(m, by); }",
            "`setup` could be one for `go`, which reads what it writes",
        ),
        (
            "static int on, off; int rx; void other(void) { off = 3; } void go(void) { on += rx; } void set(int n) { on = n; }
             void p(void) { __CPROVER_assume(on == 4); go(); }",
            "",
        ),
    ] {
        let translated = translate_text(&format!("{goal} {text}"));
        let messages = translated.diagnostics.entries.iter().map(|entry| entry.message.as_str());
        let told: Vec<&str> = messages.filter(|message| message.contains("initialisation")).collect();
        assert_eq!(told.is_empty(), expected.is_empty(), "{told:?}");
        assert!(told.iter().all(|message| message.ends_with(expected)), "{told:?}");
    }
}

/// What is volatile and nothing writes, something outside of the program does.
#[test]
fn volatile_variables_that_nothing_writes_are_inputs() {
    check_shape(Shape {
        text: "volatile short adc; volatile unsigned char pins[2]; volatile int given = 3; volatile int flag; short level; int out, x;
            void sense_step(int cmd) { short seen = adc; if (seen > 5 && pins[1] & 4) level = seen + cmd; if (flag) flag = 0; else flag = cmd; out = level + given + x; }",
        step: "sense_step",
        init: "",
        inputs: &["adc", "pins[1]", "sense_step.cmd"],
        outputs: &["out"],
        state: &["flag", "level"],
        findings: &[],
    });
}

/// Variables that nothing sets are constants where the step has other inputs, and that is told.
#[test]
fn variables_that_nothing_sets_are_told() {
    for (text, expected) in [
        (
            "int sensor, cfg[2], out; static int inner; const int fixed; int given = 3; struct { int a, b; } part;
             void step(int cmd) { part.a = cmd; out = sensor + cfg[1] + inner + fixed + given + part.b; }",
            &["the step reads `sensor`, `cfg[1]`, which nothing sets: the value is 0 in every step"][..],
        ),
        (
            "int nondet_int(void); int level, n; int main(void) { while (1) { n += nondet_int() + level; __CPROVER_cover(n == 3); } }",
            &["the step reads `level`, which nothing sets: the value is 0 in every step"],
        ),
        ("int sensor, out; void step(void) { out = sensor; }", &[]),
        ("int out; extern int gain; int level; void step(int x) { out = gain * x; level = x; }", &[]),
    ] {
        let translated = translate_text(&format!("void __CPROVER_cover(_Bool); {text}"));
        let told = translated.diagnostics.entries.iter().filter(|entry| entry.code.text == "never-set");
        assert_eq!(told.map(|entry| entry.message.as_str()).collect::<Vec<_>>(), expected);
    }
}

/// Constants of the configuration are set before initialisation, in which generated code clears
/// its structs.
#[test]
fn constants_that_initialisation_overwrites_are_told() {
    let lost = ["initialisation stores something else where `u.limit` is fixed to `200`: that is lost"];
    for (init, expected) in [
        ("memset(&u, 0, sizeof u);", &lost[..]),
        ("u.limit = n;", &lost),
        ("u.limit = 200;", &[]),
        ("u.x = u.limit;", &[]),
        ("n = 0;", &[]),
    ] {
        let text = format!(
            "#include <string.h>\nstruct {{ int limit; unsigned char x; }} u; int n; void m_init(void) {{ {init} }}
             void m_step(void) {{ if (u.x > u.limit) n++; }}"
        );
        let translated = translate_with(&text, |request| {
            request.inputs = Some(vec!["u.x".into()]);
            request.constants = vec![("u.limit".into(), "200".into())];
        });
        let translated = translated.unwrap_or_else(|failure| panic!("{}", messages(&failure)));
        let told = translated.diagnostics.entries.iter().filter(|entry| entry.code.text == "lost-constant");
        assert_eq!(told.map(|entry| entry.message.as_str()).collect::<Vec<_>>(), expected, "{init}");
    }
}

#[test]
fn the_only_function_that_can_be_called_is_the_step() {
    check_shape(Shape {
        text: "int level, alarm; static int high(int x) { return x > 7; } static void unused(void) { alarm = 9; }
            void watch(void) { alarm = high(level) ? alarm + 1 : 0; } int main(void) { watch(); return 0; }",
        step: "watch",
        init: "",
        inputs: &["level"],
        outputs: &[],
        state: &["alarm"],
        findings: &["step watch: it is the only function that nothing calls and other files may call"],
    });
    assert_eq!(
        error_codes("int a; void one(void) { a = 1; } void two(void) { a = 2; }", |_| {}),
        ["no-step"]
    );
}

#[test]
fn inputs_and_outputs_as_arguments_that_initialisation_clears() {
    check_shape(Shape {
        text: "void fan_step(double fan_U_speed, double fan_U_level[2], double *fan_Y_power) {
              *fan_Y_power = fan_U_speed + fan_U_level[1]; }
            void fan_initialize(double *fan_U_speed, double fan_U_level[2], double fan_Y_spare[3], double *fan_Y_power) {
              *fan_U_speed = 0; fan_U_level[0] = 0; fan_U_level[1] = 0; fan_Y_spare[2] = 1; *fan_Y_power = 0; }",
        step: "fan_step",
        init: "fan_initialize",
        inputs: &["fan_step.fan_U_level[0]", "fan_step.fan_U_level[1]", "fan_step.fan_U_speed"],
        outputs: &["*fan_step.fan_Y_power"],
        state: &[],
        findings: &[],
    });
}

/// A step that assumes ranges of its inputs, calls the chart and states goals is no property about the chart.
#[test]
fn a_step_with_assumptions_is_no_property() {
    let chart = "struct { unsigned char div; int hold; } DW;
        void chart(int demand) { if (demand) DW.hold++; else DW.hold = 0; }
        void step(int demand) { __CPROVER_assume(demand >= 0 && demand <= 1); ";
    let rest: [(&str, usize); 4] = [
        ("chart(demand); __CPROVER_cover(DW.hold == 3); }", 1),
        (
            "if (DW.div == 0) chart(demand); DW.div++; __CPROVER_cover(DW.hold == 3); __CPROVER_cover(DW.div == 9); }",
            2,
        ),
        (
            "if (DW.div == 0) chart(demand); if (++DW.div >= 5) DW.div = 0; reach_error(); } void reach_error(void) { }",
            1,
        ),
        (
            "if (DW.div == 0) chart(demand); DW.div += 1; if (DW.hold > 3) reach_error(); } void reach_error(void) { }",
            1,
        ),
    ];
    for (rest, goals) in rest {
        let text = format!("void reach_error(void); {chart}{rest}");
        let translated = translate_text(&text);
        let step = translated.findings.iter().find(|finding| finding.topic == frontend::Topic::Step);
        assert_eq!(step.map(|step| step.subject.as_str()), Some("step"), "{text}");
        assert_eq!(translated.system.goals.len(), goals, "{text}");
    }
    let property = "struct { int in, out; } M; void chart(void) { M.out = M.in + M.out; }
        void rises(int in) { __CPROVER_assume(M.out == 2); M.in = in; chart(); assert(M.out == 5); }";
    let translated = translate_text(property);
    let step = translated.findings.iter().find(|finding| finding.topic == frontend::Topic::Step);
    assert_eq!(step.map(|step| step.subject.as_str()), Some("chart"));
}

/// A function that is left over, and asserts something, is no property about what it calls, where the
/// step calls that, too.
#[test]
fn functions_that_are_left_over_are_no_properties() {
    let inner = "static _Bool q; _Bool y; static void f0(_Bool h) { y = q && h; q = h; }\n";
    let table = [
        (
            "static _Bool f1(_Bool h) { f0(h); assert(!h || q); return y; } void step(_Bool a) { f0(a); }",
            "step",
        ),
        ("void f1(_Bool h) { f0(h); assert(!h || q); } void lift_step(_Bool a) { f0(a); }", "lift_step"),
        ("static void f1(_Bool h) { f0(h); assert(!h || q); } void control(_Bool a) { f0(a); }", "control"),
        (
            "static void f2(_Bool a) { f0(a); } static void f1(_Bool h) { f0(h); assert(q); } void step(_Bool a) { f2(a); }",
            "step",
        ),
        ("static void f1(_Bool h, int g) { assert(g); f0(h); } void step(_Bool a) { y = a; }", "step"),
        // Properties about the step, and about the only function that can be meant.
        ("static void f1(_Bool h) { step(h); assert(!h || q); } void step(_Bool a) { f0(a); }", "step"),
        ("static void f1(_Bool h) { f0(h); assert(!h || q); }", "f0"),
        ("void f1(_Bool h) { f0(h); assert(!h || q); }", "f0"),
    ];
    for (text, expected) in table {
        let text = format!("void assert(int); void step(_Bool); {inner}{text}");
        let translated = translate_text(&text);
        let step = translated.findings.iter().find(|finding| finding.topic == frontend::Topic::Step);
        assert_eq!(step.map(|step| step.subject.as_str()), Some(expected), "{text}");
    }
}
