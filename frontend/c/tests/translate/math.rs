//! Functions of math.h that IEEE 754 defines exactly: in programs, on random and boundary operands, against the host's library.

use crate::translate::support::{Random, messages, replays, translate_with};
use frontend_c::ir::target::{DataModel, Target};
use model::eval::evaluate;
use model::external::Function;
use model::id::Id;
use model::simulate::Simulator;
use model::sort::{FloatFormat, Sort};
use model::validate::{Meaning, validate};
use model::value::Value;
use std::fmt::Write;

const ONE: &[&str] = &["fabs", "floor", "ceil", "trunc", "round", "rint", "nearbyint", "sqrt"];
const TWO: &[&str] = &["fmin", "fmax", "fmod", "remainder", "copysign", "fdim", "nextafter"];
const CLASSES: &[&str] = &["isnan", "isinf", "isfinite"];

/// A step that applies every function to its inputs, for one format.
fn text(ty: &str, suffix: &str) -> String {
    let mut text = format!(
        "#include <math.h>\n{ty} a, b, c; int n; {ty} r[{}], whole, fraction, scaled, parts, fused, same; int exponent, k[{}], classes[4]; long near; long long far;\n\
         void step(void) {{\n",
        ONE.len() + TWO.len(),
        CLASSES.len()
    );
    for (index, name) in ONE.iter().enumerate() {
        let _ = writeln!(text, "    r[{index}] = {name}{suffix}(a);");
    }
    for (index, name) in TWO.iter().enumerate() {
        let _ = writeln!(text, "    r[{}] = {name}{suffix}(a, b);", index + ONE.len());
    }
    for (index, name) in CLASSES.iter().enumerate() {
        let _ = writeln!(text, "    k[{index}] = {name}(a) != 0;");
    }
    let _ = write!(
        text,
        "    fraction = frexp{suffix}(a, &exponent);\n    parts = modf{suffix}(a, &whole);\n    scaled = ldexp{suffix}(a, n);\n\
         \x20   same = scalbn{suffix}(b, n % 300) + scalbln{suffix}(b, n % 299);\n    fused = fma{suffix}(a, b, c);\n\
         \x20   near = a > -30000 && a < 30000 ? lround{suffix}(a) + 2 * lrint{suffix}(a) : 0;\n\
         \x20   far = a > -9e18{suffix} && a < 9e18{suffix} ? llround{suffix}(a) ^ llrint{suffix}(a) : 0;\n\
         \x20   classes[0] = fpclassify(a); classes[1] = isnormal(b); classes[2] = isunordered(a, b); classes[3] = islessgreater(a, c);\n}}\n\
         void p(void) {{ __CPROVER_assume(1); step(); }}\n"
    );
    text
}

#[test]
fn exact_functions_are_those_of_the_host() {
    for (ty, suffix) in [("float", "f"), ("double", "")] {
        for model in [DataModel::Lp64, DataModel::Ip16] {
            let adjust = |request: &mut frontend::Request| {
                request.target = Target { model };
                request.inputs = Some(["a", "b", "c", "n"].map(str::to_owned).to_vec());
            };
            let translated = translate_with(&text(ty, suffix), adjust)
                .unwrap_or_else(|failure| panic!("{}", messages(&failure)));
            let steps = replays(&translated, 7, 400).unwrap_or_else(|why| panic!("{ty}, {model:?}: {why}"));
            assert_eq!(steps, 400);
        }
    }
}

/// What the system assumes of a function that is not exactly defined holds of the host's library: else executions that there are would be
/// missing from it.
#[test]
fn facts_about_inexact_functions_hold_of_the_host() {
    for (ty, format) in [("float", FloatFormat::Single), ("double", FloatFormat::Double)] {
        for &function in Function::ALL {
            let name = function.c_name(format);
            let more = if function.arguments() == 2 { ", y" } else { "" };
            let (call, again) = (format!("{name}(x{more})"), format!("{name}(z{more})"));
            let text = format!(
                "#include <math.h>\n{ty} x, y, z, r, s; void step(void) {{ r = {call}; s = {again}; }}
                 void p(void) {{ __CPROVER_assume(1); step(); }}"
            );
            let adjust = |request: &mut frontend::Request| {
                request.inputs = Some(["x", "y", "z"].map(str::to_owned).to_vec());
            };
            let translated =
                translate_with(&text, adjust).unwrap_or_else(|failure| panic!("{}", messages(&failure)));
            let system = validate(translated.system.clone()).expect("a valid system");
            let mut simulator = Simulator::new(&system);
            let mut random = Random(function as u64 + 1);
            for _ in 0..4_000 {
                let mut inputs: Vec<Value> =
                    system.inputs.values().map(|_| operand(format, &mut random)).collect();
                for call in &translated.system.external_calls {
                    let arguments = call.arguments.iter().map(|&argument| {
                        evaluate(&system.terms, argument, |symbol| match system.meaning(symbol) {
                            Meaning::Input(input) => inputs[input.index()],
                            _ => panic!("the arguments are inputs"),
                        })
                    });
                    let arguments: Vec<Value> = arguments.collect();
                    inputs[call.input.index()] = function.evaluate(format, &arguments);
                }
                let state: Vec<Value> = system
                    .states
                    .values()
                    .map(|state| Value::new(system.terms.symbol(state.symbol).sort, 0))
                    .collect();
                let done = simulator.step(&state, &inputs);
                assert!(done.violated.is_none(), "{name} of {inputs:?}");
            }
        }
    }
}

/// A float, mostly one of those where functions change: zeros, ones, limits, NaN of both kinds, and their neighbours.
fn operand(format: FloatFormat, random: &mut Random) -> Value {
    let sort = Sort::Float(format);
    let borders = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 88.7, 709.7, 745.2, 1e-40, 1e-310, f64::MAX, f64::INFINITY];
    let border = borders[random.below(borders.len())] * if random.chance(50) { -1.0 } else { 1.0 };
    let bits = match format {
        FloatFormat::Single => u128::from((border as f32).to_bits()),
        FloatFormat::Double => u128::from(border.to_bits()),
    };
    let neighbour = bits.wrapping_add(random.below(3) as u128).wrapping_sub(1) & sort.mask();
    match random.below(8) {
        0..4 => Value::new(sort, neighbour),
        4 => Value::new(sort, format.canonical_nan() ^ u128::from(random.next() & 7)),
        // The bit that tells quiet from signaling ones.
        5 => Value::new(sort, format.canonical_nan() ^ 3 << (format.fraction_bits() - 2)),
        _ => random.value(sort),
    }
}
