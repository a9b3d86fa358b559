//! Requirements that the program judges by what it sees: outputs, and state words, whether the chain
//! recorded the same or not.
//!
//! What conditions read is kept for each step; then each requirement is a function of the first
//! step of a window, made of its expression tree node by node. Floats may be off by the tolerance of
//! their output: a consequent fails where it does so as measured, as recorded, and at both ends.

use super::own::Taken;
use super::place::Place;
use super::values;
use crate::export::read::read_signal;
use crate::export::recording::{Kind, Recording, Signal};
use crate::output::chain_file::{self, ChainFile, Conditions, Node, StatedClaim, StatedRequirement};
use crate::output::visible::c_literal;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Signals whose tolerances are tried in all combinations.
const MOST_LOOSE: usize = 4;

/// Something that conditions read behind steps.
struct Seen {
    signal: Signal,
    place: Place,
    /// Position among the outputs, where it is one.
    output: Option<usize>,
}

/// The requirements of a program.
pub(super) struct Judged<'r> {
    seen: Vec<Seen>,
    positions: BTreeMap<(String, String), usize>,
    requirements: Vec<(&'r StatedRequirement, &'r Conditions)>,
    /// Those that are not judged, and why.
    unseen: Vec<(&'r str, String)>,
}

impl<'r> Judged<'r> {
    /// `place` says how the program reaches a signal.
    pub(super) fn new(
        file: &ChainFile,
        recording: &'r Recording,
        place: &dyn Fn(&Signal) -> Result<Place, String>,
    ) -> Self {
        let mut judged = Self {
            seen: Vec::new(),
            positions: BTreeMap::new(),
            requirements: Vec::new(),
            unseen: Vec::new(),
        };
        for requirement in &recording.requirements {
            let found = match &requirement.conditions {
                Some(conditions) => judged.reach((file, recording), conditions, place).map(|()| conditions),
                None => Err(requirement.hidden.clone().unwrap_or_default()),
            };
            match found {
                Ok(conditions) => judged.requirements.push((requirement, conditions)),
                Err(why) => judged.unseen.push((&requirement.name, why)),
            }
        }
        judged
    }

    /// Notes all that conditions read.
    ///
    /// # Errors
    /// What the program cannot reach or express.
    fn reach(
        &mut self,
        (file, recording): (&ChainFile, &Recording),
        conditions: &Conditions,
        place: &dyn Fn(&Signal) -> Result<Place, String>,
    ) -> Result<(), String> {
        if let Some(wide) = conditions.nodes.iter().find(|node| node.width() > 64) {
            return Err(format!("it computes with {} bits", wide.width()));
        }
        let mut further = Vec::new();
        for node in &conditions.nodes {
            let Some(name) = node.name.as_ref().filter(|_| node.op != "input") else { continue };
            let key = (node.op.clone(), name.clone());
            if self.positions.contains_key(&key) || further.iter().any(|(known, _)| *known == key) {
                continue;
            }
            let output =
                recording.outputs.iter().position(|signal| node.op == "output" && signal.name == *name);
            let signal = match output {
                Some(output) => recording.outputs[output].clone(),
                None => {
                    let state = file.state.iter().find(|signal| signal.name == *name);
                    read_signal(state.ok_or_else(|| format!("`{name}` is not listed"))?, file)
                }
            };
            further.push((key, Seen { place: place(&signal)?, signal, output }));
        }
        for (key, seen) in further {
            self.positions.insert(key, self.seen.len());
            self.seen.push(seen);
        }
        Ok(())
    }

    /// Whether bits without a name are read.
    pub(super) fn reads_bits(&self) -> bool {
        self.seen.iter().any(|seen| seen.place.is_bits())
    }

    /// Tables of what is seen, and a function for each requirement.
    pub(super) fn functions(&self, text: &mut String, recording: &Recording, taken: &Taken) {
        if self.requirements.is_empty() {
            return;
        }
        text.push_str(HELPERS);
        let steps = taken.own("STEPS");
        for (index, seen) in self.seen.iter().enumerate() {
            let kind = c_type(&seen.signal);
            let _ = writeln!(text, "static {kind} chaincover_seen_{index}[{steps} + 1];");
            if seen.is_loose() {
                seen.shifted(text, index, taken);
            }
        }
        let _ = writeln!(text, "\nstatic void chaincover_see(int chaincover_behind)\n{{");
        for (index, seen) in self.seen.iter().enumerate() {
            let value = seen.place.value(seen.signal.kind == Kind::Signed, taken);
            let _ = writeln!(text, "    chaincover_seen_{index}[chaincover_behind] = {value};");
        }
        text.push_str("    (void)chaincover_behind;\n}\n");
        for (number, (requirement, conditions)) in self.requirements.iter().enumerate() {
            self.function(text, (number, requirement, conditions), recording, taken);
        }
    }

    /// One requirement: bit 0 of the result is the antecedent, bit 1 the consequent.
    fn function(
        &self,
        text: &mut String,
        (number, requirement, conditions): (usize, &StatedRequirement, &Conditions),
        recording: &Recording,
        taken: &Taken,
    ) {
        let _ = writeln!(
            text,
            "\n/* {} */\nstatic int chaincover_requirement_{number}(int chaincover_at, int chaincover_tells)\n{{",
            super::comment(&requirement.name)
        );
        for (index, node) in conditions.nodes.iter().enumerate() {
            let kind = match (node.is_float(), node.width()) {
                (true, 32) => "float",
                (true, _) => "double",
                (false, _) => "unsigned long long",
            };
            let value = self.node(node, &conditions.nodes, recording, taken);
            let _ = writeln!(text, "    const {kind} chaincover_v{index} = {value};");
        }
        text.push_str("    (void)chaincover_at;\n    if (chaincover_tells) {\n");
        for claim in &conditions.claims {
            told(text, requirement, claim, &conditions.nodes);
        }
        let Conditions { antecedent, consequent, .. } = conditions;
        let _ = writeln!(
            text,
            "    }}\n    return (chaincover_v{antecedent} != 0) | (chaincover_v{consequent} != 0) << 1;\n}}"
        );
    }

    /// The expression of a node.
    fn node(&self, node: &Node, nodes: &[Node], recording: &Recording, taken: &Taken) -> String {
        let step = node.step.unwrap_or_default();
        let name = node.name.clone().unwrap_or_default();
        match node.op.as_str() {
            "constant" => constant(node),
            "input" => {
                let index =
                    recording.inputs.iter().position(|signal| signal.name == name).unwrap_or_default();
                let value = format!("{}[chaincover_at + {step}]", taken.own(&format!("input_{index}")));
                if node.is_float() {
                    value
                } else {
                    masked(&format!("(unsigned long long){value}"), node.width())
                }
            }
            "output" | "state" => {
                let index = self.positions[&(node.op.clone(), name)];
                let value = match self.seen[index].is_loose() {
                    true => format!("chaincover_value_{index}(chaincover_at + {step})"),
                    false => format!("chaincover_seen_{index}[chaincover_at + {step}]"),
                };
                if node.is_float() {
                    value
                } else {
                    masked(&format!("(unsigned long long){value}"), node.width())
                }
            }
            _ => operation(node, nodes),
        }
    }

    /// Notes what is there before the first step.
    pub(super) fn before(&self) -> &'static str {
        if self.requirements.is_empty() { "" } else { "    chaincover_see(0);\n" }
    }

    /// Notes what a step leaves behind.
    pub(super) fn behind(&self, step: &str) -> String {
        if self.requirements.is_empty() {
            String::new()
        } else {
            format!("        chaincover_see({step} + 1);\n")
        }
    }

    /// The statements that judge all requirements by so many steps; `wrong` counts.
    pub(super) fn verdicts(&self, steps: &str, taken: &Taken) -> String {
        let mut text = String::new();
        for (number, (requirement, conditions)) in self.requirements.iter().enumerate() {
            let name = c_literal(&requirement.name.replace('%', "%%"));
            let _ = writeln!(
                text,
                "    {{\n        int chaincover_at, chaincover_applied = 0, chaincover_violated = 0;"
            );
            let last = requirement.steps;
            let _ = writeln!(
                text,
                "        for (chaincover_at = 0; chaincover_at + {last} <= {steps}; chaincover_at++) {{"
            );
            let loose = self.loose(conditions);
            let set = |shift: &str| -> String {
                loose.iter().map(|index| format!("chaincover_shift_{index} = {shift}; ")).collect()
            };
            let _ =
                writeln!(text, "            int chaincover_holds = 0;\n            {}", set("1").trim_end());
            let call = |tells: u8| format!("chaincover_requirement_{number}(chaincover_at, {tells})");
            let _ = writeln!(
                text,
                "            if (!({} & 1)) continue;\n            chaincover_applied++;",
                call(0)
            );
            text.push_str(&trials(&loose, &call(0)));
            let _ = writeln!(
                text,
                "            if (chaincover_holds) continue;\n            {}chaincover_violated++;\n            {};\n        }}",
                set("0"),
                call(1)
            );
            let _ = writeln!(
                text,
                "        if (chaincover_violated) printf(\"{name}: VIOLATED\\n\");\n        \
                 else if (chaincover_applied) printf(\"{name}: holds\\n\");\n        \
                 else printf(\"{name}: does not apply\\n\");\n        {} += chaincover_violated;\n    }}",
                taken.own("wrong")
            );
        }
        for (name, why) in &self.unseen {
            let (name, why) = (c_literal(&name.replace('%', "%%")), c_literal(&why.replace('%', "%%")));
            let _ = writeln!(text, "    printf(\"{name}: not judged: {why}\\n\");");
        }
        text
    }

    /// What conditions read that may be off.
    fn loose(&self, conditions: &Conditions) -> Vec<usize> {
        let read = conditions.nodes.iter().filter_map(|node| {
            let name = node.name.clone()?;
            self.positions.get(&(node.op.clone(), name)).copied()
        });
        let mut loose: Vec<usize> = read.filter(|&index| self.seen[index].is_loose()).collect();
        loose.sort_unstable();
        loose.dedup();
        loose
    }
}

/// The statements that try all ways in which values may be off.
fn trials(loose: &[usize], call: &str) -> String {
    let try_it = format!("chaincover_holds |= {call} >> 1");
    match loose.len() {
        0 => format!("            {try_it};\n"),
        1..=MOST_LOOSE => {
            let loops = loose.iter().map(|index| {
                format!("            for (chaincover_shift_{index} = 0; chaincover_shift_{index} < 4; chaincover_shift_{index}++)\n")
            });
            format!("{}                {try_it};\n", loops.collect::<String>())
        }
        _ => {
            let set: String = loose.iter().map(|index| format!("chaincover_shift_{index} = ")).collect();
            let trial = |shift: u8| format!("            {set}{shift}; {try_it};\n");
            (0..4).map(trial).collect()
        }
    }
}

impl Seen {
    /// Whether measured values may be off.
    fn is_loose(&self) -> bool {
        matches!(self.signal.kind, Kind::Single | Kind::Double)
            && self.output.is_some()
            && !self.signal.tolerance.is_exact()
    }

    /// The function that gives values which may be off: 0 as measured, 1 as recorded where the two
    /// agree, 2 and 3 at the ends of the tolerance.
    fn shifted(&self, text: &mut String, index: usize, taken: &Taken) {
        let kind = c_type(&self.signal);
        let output = self.output.unwrap_or_default();
        let recorded = format!("{}[chaincover_behind - 1]", taken.own(&format!("expected_{output}")));
        let tolerance = self.signal.tolerance;
        let (absolute, relative) = (tolerance.absolute.unwrap_or(0.0), tolerance.relative.unwrap_or(0.0));
        let ulps = tolerance.ulps.unwrap_or(0);
        let close = if self.signal.kind == Kind::Single { "close_single" } else { "close_double" };
        let above = match self.signal.kind {
            Kind::Single => "nextafterf(fabsf(seen), INFINITY) - fabsf(seen)",
            _ => "nextafter(fabs(seen), INFINITY) - fabs(seen)",
        };
        let _ = writeln!(
            text,
            "static int chaincover_shift_{index};\n\
             static {kind} chaincover_value_{index}(int chaincover_behind)\n{{\n    \
             const {kind} seen = chaincover_seen_{index}[chaincover_behind];\n    \
             double width = {absolute:?};\n    \
             if (chaincover_behind == 0 || !isfinite(seen) || chaincover_shift_{index} == 0) return seen;\n    \
             if (chaincover_shift_{index} == 1)\n        \
             return {close}(seen, {recorded}, {absolute:?}, {relative:?}, {ulps}) ? {recorded} : seen;\n    \
             if ({relative:?} * fabs((double)seen) > width) width = {relative:?} * fabs((double)seen);\n    \
             if ({ulps} * (double)({above}) > width) width = {ulps} * (double)({above});\n    \
             return ({kind})(chaincover_shift_{index} == 2 ? seen - width : seen + width);\n}}"
        );
    }
}

/// The type of the table of a signal.
fn c_type(signal: &Signal) -> &'static str {
    match signal.kind {
        Kind::Single => "float",
        Kind::Double => "double",
        Kind::Signed => "long long",
        Kind::Bool | Kind::Unsigned => "unsigned long long",
    }
}

/// The statement that tells of a claim that does not hold.
fn told(text: &mut String, requirement: &StatedRequirement, claim: &StatedClaim, nodes: &[Node]) {
    let literal = |text: &str| c_literal(&text.replace('%', "%%"));
    let last = requirement.steps - 1;
    let _ = writeln!(
        text,
        "        if (chaincover_v{}) {{\n            printf(\"{}, step %d: expect {}\", chaincover_at + {last});",
        claim.fails,
        literal(&requirement.name),
        literal(&claim.text)
    );
    for reading in &claim.read {
        let (value, width) = (format!("chaincover_v{}", reading.value), nodes[reading.value].width());
        let (format, value) = match reading.kind {
            chain_file::Kind::Float => ("%.17g", format!("(double){value}")),
            chain_file::Kind::Signed => ("%lld", format!("chaincover_signed({value}, {width})")),
            _ => ("%llu", value),
        };
        let _ = writeln!(
            text,
            "            if (chaincover_v{}) printf(\"   saw {} = {format}\", {value});",
            reading.is_read,
            literal(&reading.expression)
        );
    }
    let place = claim.origin.as_ref().map_or_else(String::new, |at| format!("   {}:{}", at.file, at.line));
    let _ = writeln!(text, "            printf(\"{}\\n\");\n        }}", literal(&place));
}

/// A value cut to so many bits.
fn masked(value: &str, width: u32) -> String {
    match width {
        64.. => value.to_owned(),
        _ => format!("({value}) & 0x{:x}ULL", (1u64 << width) - 1),
    }
}

/// A constant.
fn constant(node: &Node) -> String {
    let digits = node.bits.as_deref().and_then(|bits| bits.strip_prefix("0x")).unwrap_or("0");
    let bits = u64::from_str_radix(digits, 16).unwrap_or_default();
    match (node.is_float(), node.width()) {
        (true, 32) => values::literal(crate::export::recording::Datum::Single(f32::from_bits(bits as u32))),
        (true, _) => values::literal(crate::export::recording::Datum::Double(f64::from_bits(bits))),
        (false, _) => format!("0x{bits:x}ULL"),
    }
}

/// The expression of an operator.
pub(in crate::export) fn operation(node: &Node, nodes: &[Node]) -> String {
    let width = node.width();
    let arg = |index: usize| format!("chaincover_v{}", node.args.get(index).copied().unwrap_or_default());
    let bits = |index: usize| node.args.get(index).map_or(0, |&arg| nodes[arg].width());
    let (a, b) = (arg(0), arg(1));
    let cut = |value: String| masked(&value, width);
    let infix = |op: &str| format!("{a} {op} {b}");
    let signed = |index: usize| format!("chaincover_signed({}, {})", arg(index), bits(index));
    // Functions of math.h for `float` end in f.
    let single = |name: &str| format!("{name}{}", if width == 32 { "f" } else { "" });
    match node.op.as_str() {
        "not" => cut(format!("~{a}")),
        "neg" => cut(format!("0 - {a}")),
        "and" => infix("&"),
        "or" => infix("|"),
        "xor" => infix("^"),
        "add" => cut(infix("+")),
        "sub" => cut(infix("-")),
        "mul" => cut(infix("*")),
        "udiv" => cut(format!("{b} ? {a} / {b} : ~0ULL")),
        "urem" => format!("{b} ? {a} % {b} : {a}"),
        "sdiv" => cut(format!("chaincover_sdiv({a}, {b}, {width})")),
        "srem" => cut(format!("chaincover_srem({a}, {b}, {width})")),
        "shl" => cut(format!("{b} >= {width} ? 0 : {a} << {b}")),
        "lshr" => format!("{b} >= {width} ? 0 : {a} >> {b}"),
        "ashr" => {
            let last = width - 1;
            cut(format!("(unsigned long long)({} >> ({b} > {last} ? {last} : {b}))", signed(0)))
        }
        "eq" | "float-eq" => infix("=="),
        "ult" | "float-lt" => infix("<"),
        "ule" | "float-le" => infix("<="),
        "slt" => format!("{} < {}", signed(0), signed(1)),
        "sle" => format!("{} <= {}", signed(0), signed(1)),
        "concat" => format!("{a} << {} | {b}", bits(1)),
        "extract" => cut(format!("{a} >> {}", node.low.unwrap_or_default())),
        "zero-extend" => a,
        "sign-extend" => cut(format!("(unsigned long long){}", signed(0))),
        "ite" => format!("{a} ? {b} : {}", arg(2)),
        "float-to-bits" => format!("chaincover_bits_{}({a})", bits(0)),
        "float-from-bits" => format!("chaincover_from_{width}({a})"),
        "float-neg" => format!("-{a}"),
        "float-abs" => format!("{}({a})", single("fabs")),
        "float-sqrt" => format!("{}({a})", single("sqrt")),
        "round-even" => format!("{}({a})", single("rint")),
        "round-away" => format!("{}({a})", single("round")),
        "round-zero" => format!("{}({a})", single("trunc")),
        "round-up" => format!("{}({a})", single("ceil")),
        "round-down" => format!("{}({a})", single("floor")),
        "is-nan" => format!("isnan({a}) != 0"),
        "is-infinite" => format!("isinf({a}) != 0"),
        "float-convert" | "float-from-unsigned" => format!("({}){a}", float_name(width)),
        "float-from-signed" => format!("({}){}", float_name(width), signed(0)),
        "float-to-unsigned" | "float-to-signed" => cut(format!("chaincover_to_word({a})")),
        "float-add" => infix("+"),
        "float-sub" => infix("-"),
        "float-mul" => infix("*"),
        "float-div" => infix("/"),
        "float-fmod" => format!("{}({a}, {b})", single("fmod")),
        "float-remainder" => format!("{}({a}, {b})", single("remainder")),
        "fma" => format!("{}({a}, {b}, {})", single("fma"), arg(2)),
        other => format!("chaincover_unknown_operator /* {} */", super::comment(other)),
    }
}

const fn float_name(width: u32) -> &'static str {
    if width == 32 { "float" } else { "double" }
}

/// Operations that C has not, or leaves undefined in part.
pub(in crate::export) const HELPERS: &str = r#"
/* Requirements: words are unsigned, in their lowest bits. */
static inline long long chaincover_signed(unsigned long long word, int width)
{
    const unsigned long long sign = 1ULL << (width - 1);
    return (long long)((word ^ sign) - sign);
}
static inline unsigned long long chaincover_sdiv(unsigned long long a, unsigned long long b, int width)
{
    const int less = chaincover_signed(a, width) < 0, other = chaincover_signed(b, width) < 0;
    const unsigned long long left = less ? -(unsigned long long)chaincover_signed(a, width) : a;
    const unsigned long long right = other ? -(unsigned long long)chaincover_signed(b, width) : b;
    if (b == 0) return less ? 1 : ~0ULL;
    return less == other ? left / right : 0 - left / right;
}
static inline unsigned long long chaincover_srem(unsigned long long a, unsigned long long b, int width)
{
    const int less = chaincover_signed(a, width) < 0, other = chaincover_signed(b, width) < 0;
    const unsigned long long left = less ? -(unsigned long long)chaincover_signed(a, width) : a;
    const unsigned long long right = other ? -(unsigned long long)chaincover_signed(b, width) : b;
    if (b == 0) return a;
    return less ? 0 - left % right : left % right;
}
static inline unsigned long long chaincover_to_word(double value)
{
    const double rest = isfinite(value) ? fmod(trunc(value), 18446744073709551616.0) : 0;
    return rest < 0 ? 0 - (unsigned long long)-rest : (unsigned long long)rest;
}
static inline unsigned long long chaincover_bits_32(float value)
{
    unsigned int bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
static inline unsigned long long chaincover_bits_64(double value)
{
    unsigned long long bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
static inline float chaincover_from_32(unsigned long long word)
{
    const unsigned int bits = (unsigned int)word;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static inline double chaincover_from_64(unsigned long long bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
"#;
