//! The C library: its functions mean what they mean, whether a header declared them or not, and
//! agree with the host's.

use crate::translate::support::{
    Random, checked, error_codes, messages, random_trace, replays, translate_text, translate_with,
};
use frontend::{Request, Translated};
use frontend_c::ir::target::{DataModel, Target};
use model::external::Function;
use model::simulate::Simulator;
use model::sort::FloatFormat;
use model::value::Value;
use std::process::{Command, Stdio};

const MODELS: [DataModel; 3] = [DataModel::Lp64, DataModel::Ilp32, DataModel::Ip16];

/// Translates a text with these inputs, for a data model.
fn translated(text: &str, inputs: &[&str], model: DataModel) -> Translated {
    let adjust = |request: &mut Request| {
        request.target = Target { model };
        request.inputs = Some(inputs.iter().map(|&name| name.to_owned()).collect());
    };
    translate_with(text, adjust).unwrap_or_else(|failure| panic!("{text}\n{}", messages(&failure)))
}

/// Runs a text on the compiled code and in the model, in all data models; in the host's, on the
/// host's own library.
fn agrees(text: &str, inputs: &[&str], steps: usize) {
    for model in MODELS {
        let translated = translated(text, inputs, model);
        if model == DataModel::Lp64 {
            let trace = random_trace(&checked(&translated), &mut Random(1), 1, false);
            let plan = translated.source.replay_plan(&trace).expect("a plan");
            assert_eq!(plan.how, "native", "{text}");
        }
        let done = replays(&translated, 11, steps).unwrap_or_else(|why| panic!("{text}\n{model:?}: {why}"));
        assert_eq!(done, steps, "{text}\n{model:?}");
    }
}

/// The codes of what is found about a text: topic and subject.
fn findings(translated: &Translated) -> Vec<(&'static str, &str, &str)> {
    let findings = translated.findings.iter();
    findings
        .map(|finding| (finding.topic.name(), finding.subject.as_str(), finding.reason.as_str()))
        .collect()
}

fn input_names(translated: &Translated) -> Vec<&str> {
    translated.signals.inputs.iter().map(|input| input.signal.lvalue.as_str()).collect()
}

// ---- by name and type ----

#[test]
fn functions_declared_by_hand_are_no_inputs() {
    for (declaration, call) in [
        ("int isalpha(int);", "isalpha('1' + in % 2)"),
        ("int toupper(int c);", "toupper(in)"),
        ("int abs(int);", "abs(in)"),
        ("int ffs(int);", "ffs(in)"),
        ("int atoi(const char *);", "atoi(\"12\") + in"),
        ("int strcasecmp(const char *, const char *);", "strcasecmp(\"Ab\", \"aB\") + in"),
        ("typedef struct { int quot, rem; } both; both div(int, int);", "div(in, 3).rem"),
    ] {
        let text = format!("{declaration}\nint out, in; void step(void) {{ out = {call}; }}");
        let translated = translated(&text, &["in"], DataModel::Lp64);
        assert_eq!(input_names(&translated), ["in"], "{text}");
        assert!(findings(&translated).iter().all(|finding| finding.0 != "extern"), "{text}");
        assert_eq!(replays(&translated, 3, 40), Ok(40), "{text}");
    }
}

/// A declaration of one of the compiler's own functions does not make another function of it.
#[test]
fn builtins_declared_by_hand_are_no_inputs() {
    for (declaration, call) in [
        ("int __builtin_popcount(unsigned);", "__builtin_popcount(in)"),
        ("int __builtin_clzl(unsigned long);", "__builtin_clzl(in | 1ul)"),
        ("unsigned __builtin_bswap32(unsigned);", "__builtin_bswap32(in) & 255"),
        ("_Bool __builtin_sadd_overflow(int, int, int *);", "__builtin_sadd_overflow(in, in, &out)"),
        ("int __builtin_abs(int);", "__builtin_abs(in)"),
        ("int __builtin_toupper(int);", "__builtin_toupper(in)"),
        ("long __builtin_expect(long, long);", "__builtin_expect(in > 2, 1)"),
    ] {
        let text = format!("{declaration}\nint out, in; void step(void) {{ out = {call}; }}");
        let translated = translated(&text, &["in"], DataModel::Lp64);
        assert_eq!(input_names(&translated), ["in"], "{text}");
        assert!(findings(&translated).iter().all(|finding| finding.0 != "extern"), "{text}");
        assert_eq!(replays(&translated, 3, 40), Ok(40), "{text}");
    }
}

/// A compiler takes what nobody declares for functions of `int`; a replay declares it as what it
/// is.
#[test]
fn functions_without_any_declaration_are_called_rightly() {
    let text = "double d, r[3]; float f, s; long long q; int k;\n\
        void step(void) { r[0] = pow(d, 2.0); r[1] = nextafter(d, f); r[2] = fmin(d, 3); s = fmaxf(f, 1.5f); q = llround(r[2] > -9 ? r[2] : 0) * 5000000000; k = __CPROVER_isnanf(f); }";
    let adjust = |request: &mut Request| {
        request.target = Target { model: DataModel::Lp64 };
        request.inputs = Some(["d", "f"].map(str::to_owned).to_vec());
    };
    let translated = translate_with(text, adjust).unwrap_or_else(|failure| panic!("{}", messages(&failure)));
    assert!(translated.system.external_calls.len() == 1);
    let text = text.replace("r[0] = pow(d, 2.0); ", "");
    agrees(&text, &["d", "f"], 200);
}

/// What a property calls of the library is not taken for the step function.
#[test]
fn functions_of_the_library_are_no_step_functions() {
    let text = "int isdigit(int); int toupper(int); int out; void work(int in) { out = toupper(in & 127); }\n\
        void p(void) { int a = out; __CPROVER_assume(isdigit(a & 127)); work(a); __CPROVER_assert(isdigit(out & 127), \"\"); }";
    let translated = translate_with(text, |_| {}).unwrap_or_else(|failure| panic!("{}", messages(&failure)));
    let step = findings(&translated)
        .into_iter()
        .find(|finding| finding.0 == "step")
        .map(|finding| finding.1.to_owned());
    assert_eq!(step.as_deref(), Some("work"));
}

#[test]
fn a_function_of_another_type_is_another_one_and_told() {
    let text = "long isalpha(int, int); int out; void step(int in) { out = isalpha(in, 1) == 7; }";
    let translated = translate_text(text);
    let told = findings(&translated);
    let told = told.iter().find(|finding| finding.1 == "isalpha").expect("it should be told");
    assert_eq!(told.0, "extern");
    assert!(told.2.contains("has other types than the C library's function of its name"), "{}", told.2);
}

#[test]
fn definitions_of_the_model_stay_what_they_are() {
    let text = "int isalpha(int c) { return c + 5; } int abs(int c) { return c; } int out; void step(int in) { out = isalpha(abs(in)); }";
    let translated = translate_text(text);
    assert_eq!(replays(&translated, 5, 30), Ok(30));
}

#[test]
fn functions_that_nobody_can_model_are_refused() {
    for text in [
        "double strtod(const char *, char **); double out; void step(void) { out = strtod(\"1\", 0); }",
        "char *strtok(char *, const char *); char a[4]; int out; void step(void) { out = strtok(a, \"1\") == a; }",
        "int fetestexcept(int); int out; void step(void) { out = fetestexcept(1); }",
        "int __CPROVER_r_ok(const void *, int); int out; void step(void) { out = __CPROVER_r_ok(&out, 4); }",
    ] {
        assert_eq!(error_codes(text, |_| {}), ["unsupported-call"], "{text}");
    }
}

#[test]
fn other_modes_of_rounding_are_refused() {
    let step = |mode: &str| {
        format!(
            "#include <fenv.h>\nint out; void step(int in) {{ out = fesetround({mode}) + fegetround() + in; }}"
        )
    };
    assert_eq!(error_codes(&step("FE_UPWARD"), |_| {}), ["unsupported-rounding"]);
    assert_eq!(error_codes(&step("in"), |_| {}), ["unsupported-rounding"]);
    agrees(
        "#include <fenv.h>\nint in, out; void step(void) { out = fesetround(FE_TONEAREST) + fegetround() + in; }",
        &["in"],
        5,
    );
}

// ---- what comes from outside ----

#[test]
fn results_of_the_environment_keep_to_what_the_library_promises() {
    for (declaration, call, low, high) in [
        ("int rand(void);", "rand()", 0, i128::from(i32::MAX)),
        ("long random(void);", "random()", 0, i128::from(i32::MAX)),
        ("long mrand48(void);", "mrand48()", i128::from(i32::MIN), i128::from(i32::MAX)),
        ("int getchar(void);", "getchar()", -1, 255),
        ("typedef long t; t time(t *);", "time(0)", -1, i128::from(i64::MAX)),
    ] {
        let text = format!("{declaration}\nlong out; void step(void) {{ out = {call}; }}");
        let translated = translated(&text, &[], DataModel::Lp64);
        assert!(findings(&translated).iter().any(|finding| finding.0 == "library"), "{text}");
        let system = checked(&translated);
        assert_eq!(system.inputs.len(), 1, "{text}");
        let mut simulator = Simulator::new(&system);
        let state = simulator.initial(&[]).state;
        let sort = system.terms.symbol(system.inputs.values().next().expect("an input").symbol).sort;
        let mut holds = |number: i128| {
            let value = Value::new(sort, number as u128 & sort.mask());
            value.signed() == number && simulator.step(&state, &[value]).violated.is_none()
        };
        assert!(holds(low) && holds(high), "{text}");
        assert!(!holds(low - 1) && !holds(high + 1), "{text}");
    }
}

#[test]
fn random_fractions_lie_below_one() {
    let translated = translate_text("double drand48(void); double out; void step(void) { out = drand48(); }");
    let system = checked(&translated);
    let mut simulator = Simulator::new(&system);
    let state = simulator.initial(&[]).state;
    let mut holds = |number: f64| simulator.step(&state, &[Value::double(number)]).violated.is_none();
    assert!(holds(0.0) && holds(0.999));
    assert!(!holds(-0.25) && !holds(1.0) && !holds(f64::NAN));
}

#[test]
fn time_stores_what_it_returns() {
    let text = "#include <time.h>\ntime_t now; int out; void step(void) { const time_t told = time(&now); out = told == now; }";
    let translated = translated(text, &[], DataModel::Lp64);
    let system = checked(&translated);
    let trace = random_trace(&system, &mut Random(4), 1, false);
    assert!(trace.inputs.is_empty() || replays(&translated, 4, 1) == Ok(1));
    let mut simulator = Simulator::new(&system);
    let state = simulator.initial(&[]).state;
    let inputs = |second: u128| vec![Value::word(64, 5), Value::word(64, second)];
    assert!(simulator.step(&state, &inputs(5)).violated.is_none());
    assert!(simulator.step(&state, &inputs(6)).violated.is_some());
}

// ---- against the host's library ----

#[test]
fn characters_are_those_of_the_host() {
    let names = [
        "isalnum", "isalpha", "isblank", "iscntrl", "isdigit", "isgraph", "islower", "isprint", "ispunct",
        "isspace", "isupper", "isxdigit", "tolower", "toupper",
    ];
    let mut text = format!(
        "#include <ctype.h>\nunsigned char in; int turn; int out[{}];\nvoid step(void) {{\n",
        2 * names.len()
    );
    for (index, name) in names.iter().enumerate() {
        let wanted = format!("turn == 0 ? {name}(in) : turn == 1 ? {name}((signed char)in) : {name}(-1)");
        text += &format!("    out[{index}] = {wanted};\n    out[{}] = {name}(in);\n", index + names.len());
    }
    text += "    turn = turn == 2 ? 0 : turn + 1;\n}";
    agrees(&text, &["in"], 1200);
}

#[test]
fn numbers_of_texts_are_those_of_the_host() {
    let calls = [
        "atoi(a)",
        "atol(a)",
        "strtol(a, &end, 10)",
        "strtol(a, &end, 0)",
        "strtol(a, &end, 16)",
        "strtol(a, &end, 36)",
        "strtoul(a, &end, 10)",
        "strtoll(a, &end, 8)",
        "strtoull(a, &end, 0)",
        "strtol(a, &end, 1)",
    ];
    for (index, call) in calls.iter().enumerate() {
        // Few symbols, those that matter more often: most texts begin with a number.
        let text = format!(
            "#include <stdlib.h>\nunsigned char in[6]; char a[7]; long long out; int length;\n\
             static const char first[16] = \" \\t-+0x01789aAzZ\", later[16] = \"0123456789xXfFg\";\n\
             void step(void) {{ char *end = a; for (int i = 0; i < 6; i++) a[i] = i < 2 ? first[in[i] & 15] : later[in[i] & 15];\n\
             out = {call}; length = (int)(end - a); }}"
        );
        let steps = if index < 3 { 400 } else { 150 };
        agrees(&text, &["in"], steps);
    }
}

#[test]
fn limits_of_numbers_are_those_of_the_host() {
    let texts = [
        "2147483647",
        "2147483648",
        "-2147483648",
        "-2147483649",
        "4294967295",
        "4294967296",
        "-1",
        "-4294967296",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616",
        "-18446744073709551615",
        "99999999999999999999999",
        "0x",
        "-0xg",
        "08",
    ];
    // One program for all texts: compilers take longer than what they compile runs.
    let count = texts.len();
    let calls: String = texts
        .iter()
        .enumerate()
        .map(|(index, digits)| {
            format!(
                "{{ static const char t[] = \"{digits}\"; char *end; a[{index}] = strtol(t, &end, 10); g[{index}] = (int)(end - t); b[{index}] = strtoul(t, 0, 0);\n\
                 c[{index}] = strtoll(t, 0, 10) + in; d[{index}] = strtoull(t, 0, 10); e[{index}] = strtoimax(t, 0, 10); f[{index}] = strtoumax(t, &end, 0); h[{index}] = (int)(end - t); }}\n"
            )
        })
        .collect();
    let text = format!(
        "#include <stdlib.h>\n#include <inttypes.h>\nint in; long a[{count}]; unsigned long b[{count}]; long long c[{count}]; unsigned long long d[{count}]; intmax_t e[{count}]; uintmax_t f[{count}];\n\
         int g[{count}], h[{count}]; void step(void) {{ {calls} }}"
    );
    agrees(&text, &["in"], 2);
}

#[test]
fn functions_on_texts_are_those_of_the_host() {
    let calls = [
        "out = strcmp(a, b); more = strncmp(a, b, n);",
        "out = memcmp(a, b, n); more = bcmp(b, a, n);",
        "out = strcasecmp(a, b); more = strncasecmp(a, b, n);",
        "out = (int)strspn(a, b); more = (int)strcspn(a, b);",
        "out = at(a, strstr(a, b)); more = at(a, strpbrk(a, b));",
        "out = at(a, strchr(a, b[0])); more = at(a, index(a, b[0])); if (at(a, strrchr(a, b[0])) != at(a, rindex(a, b[0]))) out = -7;",
        "memcpy(c, a, 5); strcat(c, b); out = strcoll(a, b) < 0;",
        "memcpy(c, a, 5); strncat(c, b, n);",
        "out = at(c, stpcpy(c, a)); more = at(c, mempcpy(c + 5, b, n));",
        "memcpy(c, a, 5); bzero(c + 1, n); bcopy(b, c + 4, n); out = at(a, strchrnul(a, b[0]));",
    ];
    for call in calls {
        let text = format!(
            "#include <string.h>\n#include <strings.h>\nunsigned char in[7]; char a[5], b[4], c[12]; int out, more;\n\
             static const char some[16] = {{ 0, 'a', 'A', 'b', 'B', 'z', '[', '@', '`', -128, -1, 127, 'a', 'a', 'b', 0 }};\n\
             static int at(const char *from, const char *found) {{ return found ? (int)(found - from) : -1; }}\n\
             void step(void) {{ const unsigned n = in[6] & 3; for (int i = 0; i < 4; i++) a[i] = some[in[i] & 15];\n\
             for (int i = 0; i < 2; i++) b[i] = some[in[4 + i] & 15]; {call} }}"
        );
        agrees(&text, &["in"], 250);
    }
}

#[test]
fn integer_functions_are_those_of_the_host() {
    for (ty, suffix) in [("int", ""), ("long", "l"), ("long long", "ll")] {
        let text = format!(
            "#include <stdlib.h>\n#include <strings.h>\n#include <inttypes.h>\n{ty} a, b; {ty} quotient, remainder, size; int first, one, zeros, ones, odd; intmax_t wide, rest;\n\
             void step(void) {{ const {ty} by = b == 0 || b == -1 ? 7 : b; quotient = {suffix}div(a, by).quot; remainder = {suffix}div(a, by).rem;\n\
             size = {suffix}abs(a); first = ffs{suffix}(a); one = __builtin_ffs{suffix}(b); wide = imaxabs(a); rest = imaxdiv(a, by).rem;\n\
             zeros = a ? __builtin_clz{suffix}(a) + __builtin_ctz{suffix}(a) : 0; ones = __builtin_popcount{suffix}(a); odd = __builtin_parity{suffix}(b); }}"
        );
        agrees(&text, &["a", "b"], 300);
    }
}

#[test]
fn classes_of_floats_are_those_of_the_host() {
    for (ty, suffix, letter) in [("float", "f", "f"), ("double", "", "d")] {
        let text = format!(
            "#include <math.h>\n{ty} a, b; int k[18]; {ty} x, y;\n\
             void step(void) {{ k[0] = __builtin_isgreater(a, b); k[1] = __builtin_isgreaterequal(a, b); k[2] = __builtin_isless(a, b);\n\
             k[3] = __builtin_islessequal(a, b); k[4] = __builtin_islessgreater(a, b); k[5] = __builtin_isunordered(a, b);\n\
             k[6] = __builtin_isnormal(a); k[7] = __builtin_isinf_sign(a); k[8] = __builtin_fpclassify(3, 5, 7, 9, 11, a);\n\
             k[9] = isgreater(a, b); k[10] = isnormal(b); k[11] = fpclassify(b); k[12] = a == a ? ilogb{suffix}(a) : 0;\n\
             k[13] = __builtin_isnan(a) + 2 * __builtin_isfinite(a); k[14] = __builtin_isinf(b) != 0; k[15] = b == b ? signbit(b) != 0 : 3;\n\
             x = logb{suffix}(a); y = a == a ? __builtin_fabs{suffix}(a) : 1; k[16] = isunordered(a, b); k[17] = a == a && __builtin_signbit(a) != 0; }}\n\
             /* {letter} */"
        );
        agrees(&text, &["a", "b"], 400);
    }
}

#[test]
fn functions_of_a_verifier_run_on_the_compiled_code() {
    for (ty, letter, suffix) in [("float", "f", "f"), ("double", "d", "")] {
        let text = format!(
            "{ty} a, b, x[3]; int k[12], n; long l; long long q;\n\
             void step(void) {{ k[0] = __CPROVER_isnan{letter}(a); k[1] = __CPROVER_isinf{letter}(a); k[2] = __CPROVER_isfinite{letter}(a);\n\
             k[3] = __CPROVER_isnormal{letter}(a); k[4] = a == a && __CPROVER_sign{letter}(a); k[5] = __CPROVER_isgreater{letter}(a, b);\n\
             k[6] = __CPROVER_islessequal{letter}(a, b); k[7] = __CPROVER_islessgreater{letter}(a, b); k[8] = __CPROVER_isunordered{letter}(a, b);\n\
             k[9] = a < __CPROVER_inf{suffix}(); x[0] = a == a ? __CPROVER_fabs{suffix}(a) : 0; x[1] = __CPROVER_fmod{suffix}(a, b);\n\
             k[10] = __CPROVER_abs(n); l = __CPROVER_labs(n); q = __CPROVER_llabs(n); }}"
        );
        agrees(&text, &["a", "b", "n"], 200);
    }
}

#[test]
fn an_argument_that_c_does_not_allow_is_told_at_the_call() {
    let text = "int toupper(int);\nint out;\nvoid step(short in) {\n    out = toupper(in);\n}";
    let translated = translate_text(text);
    let system = checked(&translated);
    let found = system.hazards.iter().find(|hazard| hazard.description.contains("does not allow"));
    let hazard = found.expect("the argument should be told");
    let place = translated.source.locate(hazard.origin.expect("a place"));
    assert_eq!((place.line, place.file.ends_with("model.c")), (4, true), "{place:?}");
}

/// Operands at which exact functions change: zeros, ties, limits of formats and of integers,
/// subnormal numbers, infinities, NaN.
fn border_operands(suffix: &str) -> Vec<String> {
    let plain = [
        "0.0",
        "0.25",
        "0.5",
        "1.0",
        "1.5",
        "2.0",
        "2.5",
        "3.5",
        "0.49999997",
        "8388607.5",
        "4503599627370495.5",
        "1e30",
        "2147483647.0",
        "32767.5",
        "9e18",
    ];
    let limits = match suffix {
        "f" => ["0x1p-149f", "0x1p-126f", "0x1.fffffep-127f", "0x1.fffffep127f"],
        _ => ["0x1p-1074", "0x1p-1022", "0x1.ffffffffffffep-1023", "0x1.fffffffffffffp1023"],
    };
    let plain = plain.iter().map(|number| format!("{number}{suffix}"));
    let sizes: Vec<String> =
        plain.chain(limits.map(str::to_owned)).chain(["__builtin_inf()".to_owned()]).collect();
    let negative = sizes.iter().map(|size| format!("-{size}"));
    sizes.iter().cloned().chain(negative).chain(["__builtin_nan(\"\")".to_owned()]).collect()
}

/// Calls of all exact functions on operands `x` and `y`, each an assignment to the next result.
fn exact_calls(x: &str, y: &str, suffix: &str) -> Vec<String> {
    let one = ["fabs", "floor", "ceil", "trunc", "round", "rint", "nearbyint", "sqrt", "logb"];
    let two = ["fmin", "fmax", "fmod", "remainder", "copysign", "fdim", "nextafter"];
    let scaled = ["ldexp", "scalbn"].map(|name| format!("{name}{suffix}({x}, n)"));
    let mut calls: Vec<String> = one.iter().map(|name| format!("{name}{suffix}({x})")).collect();
    // C leaves open which of two zeros of opposite sign is the smaller one.
    calls.extend(two.iter().map(|name| format!("({x} == 0 && {y} == 0 ? {x} : {name}{suffix}({x}, {y}))")));
    calls.extend(scaled);
    calls.push(format!("fma{suffix}({x}, {y}, {x})"));
    calls.push(format!("frexp{suffix}({x}, &e) + e"));
    calls.push(format!("modf{suffix}({x}, &w) + w"));
    calls
}

/// What is computed of constants while the program is read is what compiled code computes.
#[test]
fn exact_functions_of_constants_are_those_of_the_host() {
    for (ty, suffix) in [("float", "f"), ("double", "")] {
        let operands = border_operands(suffix);
        let mut calls = Vec::new();
        for (index, x) in operands.iter().enumerate() {
            calls.extend(exact_calls(x, &operands[(index * 7 + 3) % operands.len()], suffix));
            calls.extend(exact_calls(x, &operands[(index * 5 + 16) % operands.len()], suffix));
        }
        for chunk in calls.chunks(400) {
            let lines = chunk.iter().enumerate().map(|(index, call)| format!("    r[{index}] = {call};\n"));
            let text = format!(
                "#include <math.h>\n{ty} r[{}]; int in; void step(void) {{ int e; {ty} w; const int n = -3;\n{} r[0] += in; }}",
                chunk.len(),
                lines.collect::<String>()
            );
            let translated = translated(&text, &["in"], DataModel::Lp64);
            assert_eq!(replays(&translated, 2, 1), Ok(1), "{text}");
        }
    }
}

/// Such operands, chosen by inputs: nothing is computed before the program runs.
#[test]
fn exact_functions_of_inputs_are_those_of_the_host() {
    for (ty, suffix) in [("float", "f"), ("double", "")] {
        let operands = border_operands(suffix);
        let calls = exact_calls("x", "y", suffix);
        let lines = calls.iter().enumerate().map(|(index, call)| format!("    r[{index}] = {call};\n"));
        let conversions = ["lround", "lrint", "llround", "llrint"];
        let conversions = conversions.iter().enumerate().map(|(index, name)| {
            format!("    k[{index}] = x > -32767 && x < 32767 ? {name}{suffix}(x) : 0;\n")
        });
        let text = format!(
            "#include <math.h>\n{ty} r[{}]; long long k[4]; unsigned char i, j; signed char n; int e; {ty} w;\n\
             static const {ty} some[{count}] = {{ {} }};\n\
             void step(void) {{ const {ty} x = some[i % {count}], y = some[j % {count}];\n{}{} }}",
            calls.len(),
            operands.join(", "),
            lines.collect::<String>(),
            conversions.collect::<String>(),
            count = operands.len(),
        );
        agrees(&text, &["i", "j", "n"], 600);
    }
}

/// Where functions that classify floats return numbers that are not zero, these are 1: also those
/// of compilers, and those for `float`.
#[test]
fn truths_about_floats_are_one() {
    let text = "int isinff(float); int isnanf(float);\nfloat f; double d; int k[8];\n\
        void step(void) { k[0] = isinff(f); k[1] = isnanf(f); k[2] = __builtin_isinf(d); k[3] = __builtin_isnan(d);\n\
        k[4] = f == f ? __builtin_signbit(f) : 7; k[5] = d == d ? __builtin_signbit(d) : 7; k[6] = __builtin_isfinite(f);\n\
        k[7] = f == f ? __builtin_signbitf(f) : 7; }";
    agrees(text, &["f", "d"], 300);
}

// ---- functions that no standard defines exactly ----

const POINTS: usize = 100_000;

/// A number of any size and sign, often one of those where functions change.
fn point(random: &mut Random, format: FloatFormat) -> u64 {
    let borders = [
        0.0,
        0.5,
        1.0,
        1.5,
        2.0,
        3.0,
        8.0,
        27.0,
        88.7,
        709.7,
        1e-40,
        1e-310,
        1e300,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
    ];
    let bits = random.next();
    let number = match random.below(8) {
        0 => borders[random.below(borders.len())],
        1..5 => (bits as i64) as f64 / 2f64.powi(random.below(70) as i32),
        _ => f64::from_bits(bits),
    };
    match format {
        FloatFormat::Double => number.to_bits(),
        FloatFormat::Single if random.chance(40) => u64::from(bits as u32),
        FloatFormat::Single => u64::from((number as f32).to_bits()),
    }
}

/// What compiled code computes of pairs of numbers, all as bits.
fn compiled(name: &str, format: FloatFormat, points: &[[u64; 2]], arguments: usize) -> Vec<u64> {
    let (ty, word) = match format {
        FloatFormat::Single => ("float", "unsigned"),
        FloatFormat::Double => ("double", "unsigned long"),
    };
    let given = if arguments == 2 { "x, y" } else { "x" };
    let text = format!(
        "#include <math.h>\n#include <stdio.h>\n#include <string.h>\nint main(void) {{ unsigned long in[2];\n\
         while (fread(in, sizeof in, 1, stdin) == 1) {{ {word} a = in[0], b = in[1], c; {ty} x, y, z; unsigned long out;\n\
         memcpy(&x, &a, sizeof x); memcpy(&y, &b, sizeof y); z = {name}({given}); memcpy(&c, &z, sizeof c); out = z != z ? ~0ul : c;\n\
         fwrite(&out, sizeof out, 1, stdout); }} return 0; }}\n"
    );
    let folder = tempfile::tempdir().expect("there should be a place for temporary files");
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("points.c"), text).expect("a temporary file should be writable");
    let bytes: Vec<u8> = points.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(path("points"), bytes).expect("a temporary file should be writable");
    let options = ["-O0", "-fno-builtin", "-w", "-o", "points.exe", "points.c", "-lm"];
    let done = Command::new("cc").args(options).current_dir(folder.path()).status().expect("a compiler");
    assert!(done.success());
    let input = std::fs::File::open(path("points")).expect("the points");
    let done = Command::new(path("points.exe")).stdin(Stdio::from(input)).output().expect("a program");
    done.stdout.chunks(8).map(|word| u64::from_le_bytes(word.try_into().expect("whole words"))).collect()
}

#[test]
fn inexact_functions_are_those_that_compiled_code_calls() {
    for format in [FloatFormat::Single, FloatFormat::Double] {
        for &function in Function::ALL {
            let name = function.c_name(format);
            let mut random = Random(function as u64 * 2 + format as u64);
            let points: Vec<[u64; 2]> =
                (0..POINTS).map(|_| [point(&mut random, format), point(&mut random, format)]).collect();
            let expected = compiled(&name, format, &points, function.arguments());
            assert_eq!(expected.len(), POINTS);
            for (point, &expected) in points.iter().zip(&expected) {
                let found = function.apply(format, point.map(u128::from));
                let expected =
                    if expected == u64::MAX { format.canonical_nan() } else { u128::from(expected) };
                assert_eq!(found, expected, "{name} of {point:x?}");
            }
        }
    }
}

/// The symbols by which the functions are called come from the C library: nothing else that is
/// linked defines them.
#[test]
fn inexact_functions_are_imported() {
    let own = std::env::current_exe().expect("a test should know its own program");
    let list = |options: &[&str]| {
        let done = Command::new("nm").args(options).arg(&own).output().expect("nm lists symbols");
        String::from_utf8_lossy(&done.stdout).into_owned()
    };
    let (imported, all) = (list(&["-D", "--undefined-only"]), list(&[]));
    let is_in = |text: &str, kinds: &[&str], name: &str| {
        text.lines().any(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [.., kind, symbol] = words[..] else { return false };
            kinds.contains(&kind) && symbol.split('@').next() == Some(name)
        })
    };
    for format in [FloatFormat::Single, FloatFormat::Double] {
        for function in Function::ALL {
            let name = function.c_name(format);
            // Rust defines `cbrt` itself: the library's is called by its other name.
            let symbol = match (name.as_str(), cfg!(all(target_os = "linux", target_env = "gnu"))) {
                ("cbrt", true) => "cbrtf64",
                ("cbrtf", true) => "cbrtf32",
                (name, _) => name,
            };
            assert!(is_in(&imported, &["U", "w"], symbol), "{symbol} should be imported");
            assert!(
                !is_in(&all, &["T", "t", "W", "V", "D"], symbol),
                "{symbol} should be defined nowhere else"
            );
        }
    }
}
