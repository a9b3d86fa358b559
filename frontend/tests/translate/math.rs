//! Functions of math.h that IEEE 754 defines exactly: in programs, on random and boundary operands, against the host's library.

use crate::frontend::c::ir::target::{DataModel, Target};
use crate::support::{messages, replays, translate_with};
use std::fmt::Write;

const ONE: &[&str] = &["fabs", "floor", "ceil", "trunc", "round", "rint", "nearbyint", "sqrt"];
const TWO: &[&str] = &["fmin", "fmax", "fmod", "remainder", "copysign", "fdim"];
const CLASSES: &[&str] = &["isnan", "isinf", "isfinite"];

/// A step that applies every function to its inputs, for one format.
fn text(ty: &str, suffix: &str) -> String {
    let mut text = format!(
        "#include <math.h>\n{ty} a, b, c; int n; {ty} r[{}], whole, fraction, scaled, parts, fused, same; int exponent, k[{}]; long near;\n\
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
         \x20   same = scalbn{suffix}(b, n % 300);\n    fused = fma{suffix}(a, b, c);\n\
         \x20   near = a > -30000 && a < 30000 ? lround{suffix}(a) + 2 * lrint{suffix}(a) : 0;\n}}\n\
         void p(void) {{ __CPROVER_assume(1); step(); }}\n"
    );
    text
}

#[test]
fn exact_functions_are_those_of_the_host() {
    for (ty, suffix) in [("float", "f"), ("double", "")] {
        for model in [DataModel::Lp64, DataModel::Ip16] {
            let adjust = |request: &mut crate::frontend::c::request::Request| {
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
