//! Tests: each operator of expression trees means the same in pytest modules, in C programs and to
//! the evaluator of the model, which shares no code with them.

use super::program::judged::operation;
use super::pytest::{JUDGE, node_entry};
use crate::build::conditions::{binary_name, sort_name, unary_name};
use crate::output::chain_file::Node;
use model::eval::{apply_binary, apply_extend, apply_extract, apply_fma, apply_ite, apply_unary};
use model::sort::{FloatFormat, Sort};
use model::term::{BinaryOp, RoundTo, UnaryOp};
use model::value::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// An operator with constant arguments, and what it gives.
struct Case {
    nodes: Vec<Node>,
    expected: Value,
}

fn node(op: &str, sort: Sort, args: Vec<usize>) -> Node {
    Node { op: op.to_owned(), sort: sort_name(sort), args, name: None, step: None, bits: None, low: None }
}

fn case(op: &str, args: &[Value], expected: Value) -> Case {
    let leaf = |value: &Value| Node {
        bits: Some(format!("0x{:x}", value.bits())),
        ..node("constant", value.sort(), Vec::new())
    };
    let mut nodes: Vec<Node> = args.iter().map(leaf).collect();
    nodes.push(node(op, expected.sort(), (0..args.len()).collect()));
    Case { nodes, expected }
}

const WIDTHS: [u32; 5] = [1, 7, 8, 32, 64];
const FORMATS: [FloatFormat; 2] = [FloatFormat::Single, FloatFormat::Double];

fn words(width: u32) -> Vec<Value> {
    let sign = 1u128 << (width - 1);
    let mask = (sign << 1) - 1;
    let bits = [0, 1, 2, 3, sign, mask, mask - 1, sign.wrapping_sub(1), 0x5a_5a12_34de_adbe_ef77];
    bits.into_iter().map(|bits| Value::word(width, bits & mask)).collect()
}

fn floats(format: FloatFormat) -> Vec<Value> {
    let numbers = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        0.5,
        2.5,
        -2.5,
        3.0,
        0.1,
        1e-3,
        16_777_217.0,
        4_294_967_296.5,
        -9.3e18,
        1.8e19,
        3.2e38,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    let value = |number: f64| match format {
        FloatFormat::Single => Value::single(number as f32),
        FloatFormat::Double => Value::double(number),
    };
    let least = match format {
        FloatFormat::Single => Value::single(f32::from_bits(1)),
        FloatFormat::Double => Value::double(f64::from_bits(1)),
    };
    numbers.into_iter().map(value).chain([least]).collect()
}

fn on_words() -> Vec<Case> {
    let mut cases = Vec::new();
    let binary = [
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::Xor,
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::UDiv,
        BinaryOp::URem,
        BinaryOp::SDiv,
        BinaryOp::SRem,
        BinaryOp::Shl,
        BinaryOp::LShr,
        BinaryOp::AShr,
        BinaryOp::Eq,
        BinaryOp::ULt,
        BinaryOp::ULe,
        BinaryOp::SLt,
        BinaryOp::SLe,
    ];
    for width in WIDTHS {
        for &a in &words(width) {
            for op in [UnaryOp::Not, UnaryOp::Neg] {
                cases.push(case(unary_name(op), &[a], apply_unary(op, a)));
            }
            for &b in &words(width) {
                cases.extend(binary.iter().map(|&op| case(binary_name(op), &[a, b], apply_binary(op, a, b))));
                let choice = Value::word(1, a.bits() & 1);
                cases.push(case("ite", &[choice, a, b], apply_ite(choice, a, b)));
            }
            if width <= 32 {
                let other = Value::word(13, 0x1abc);
                cases.push(case("concat", &[a, other], apply_binary(BinaryOp::Concat, a, other)));
                for (name, signed) in [("sign-extend", true), ("zero-extend", false)] {
                    cases.push(case(name, &[a], apply_extend(a, 64, signed)));
                }
            }
            for (high, low) in [(0, 0), (width as u8 - 1, 0), (width as u8 - 1, width as u8 / 2)] {
                let mut cut = case("extract", &[a], apply_extract(a, high, low));
                cut.nodes[1].low = Some(u32::from(low));
                cases.push(cut);
            }
        }
    }
    cases
}

fn on_floats() -> Vec<Case> {
    let mut cases = Vec::new();
    let rounding = [RoundTo::NearestEven, RoundTo::NearestAway, RoundTo::Zero, RoundTo::Up, RoundTo::Down];
    let binary = [
        BinaryOp::FloatAdd,
        BinaryOp::FloatSub,
        BinaryOp::FloatMul,
        BinaryOp::FloatDiv,
        BinaryOp::FloatFmod,
        BinaryOp::FloatRemainder,
        BinaryOp::FloatEq,
        BinaryOp::FloatLt,
        BinaryOp::FloatLe,
    ];
    for format in FORMATS {
        let mut unary = vec![
            UnaryOp::FloatToBits,
            UnaryOp::FloatNeg,
            UnaryOp::FloatAbs,
            UnaryOp::FloatSqrt,
            UnaryOp::FloatIsNan,
            UnaryOp::FloatIsInfinite,
            UnaryOp::FloatToUnsigned(8),
            UnaryOp::FloatToSigned(32),
            UnaryOp::FloatToUnsigned(64),
            UnaryOp::FloatConvert(FORMATS[0]),
            UnaryOp::FloatConvert(FORMATS[1]),
        ];
        unary.extend(rounding.map(UnaryOp::FloatRound));
        for &a in &floats(format) {
            // The bits of a NaN differ from machine to machine.
            let fits = |op: &UnaryOp| *op != UnaryOp::FloatToBits || !a.is_nan();
            cases.extend(
                unary.iter().filter(|op| fits(op)).map(|&op| case(unary_name(op), &[a], apply_unary(op, a))),
            );
            for &b in &floats(format) {
                cases.extend(binary.iter().map(|&op| case(binary_name(op), &[a, b], apply_binary(op, a, b))));
                cases.push(case("fma", &[a, b, a], apply_fma(a, b, a)));
            }
        }
        for width in WIDTHS {
            for &a in &words(width) {
                for op in [UnaryOp::FloatFromUnsigned(format), UnaryOp::FloatFromSigned(format)] {
                    cases.push(case(unary_name(op), &[a], apply_unary(op, a)));
                }
            }
        }
        let bits = floats(format).into_iter().map(|float| Value::word(format.width(), float.bits()));
        let op = UnaryOp::FloatFromBits(format);
        cases.extend(bits.map(|a| case(unary_name(op), &[a], apply_unary(op, a))));
    }
    cases
}

/// What a program prints for each case: bits in hexadecimal, or `nan`.
fn run(program: &str, arguments: &[&str], folder: &Path) -> Vec<String> {
    let ended =
        Command::new(program).args(arguments).current_dir(folder).output().expect("the program should start");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    String::from_utf8_lossy(&ended.stdout).lines().map(str::to_owned).collect()
}

fn in_python(cases: &[Case], folder: &Path) -> Vec<String> {
    let mut text =
        "import math\nimport struct\nfrom fractions import Fraction\nfrom math import inf, nan\n".to_owned();
    text += JUDGE;
    text += "\nCASES = [\n";
    for case in cases {
        let nodes: Vec<String> = case.nodes.iter().map(node_entry).collect();
        let _ = writeln!(text, "    [{}],", nodes.join(", "));
    }
    text += "]\nfor nodes in CASES:\n    kind = nodes[-1][1]\n    value = _evaluate(nodes, None)[-1]\n    width = int(kind[1:])\n    \
             print('nan' if value != value else f'{_bits(value, width) if kind[0] == \"f\" else value:x}')\n";
    std::fs::write(folder.join("operators.py"), text).expect("a file");
    run("python3", &["operators.py"], folder)
}

fn in_c(cases: &[Case], folder: &Path) -> Vec<String> {
    let mut text = "#include <math.h>\n#include <stdio.h>\n#include <string.h>\n".to_owned();
    text += super::program::judged::HELPERS;
    let kind = |node: &Node| match (node.is_float(), node.width()) {
        (true, 32) => "float",
        (true, _) => "double",
        (false, _) => "unsigned long long",
    };
    // One function for each operator and types, called for all arguments.
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (number, case) in cases.iter().enumerate() {
        let sorts: Vec<&str> = case.nodes.iter().map(|node| node.sort.as_str()).collect();
        let last = case.nodes.last().expect("a node");
        groups.entry(format!("{} {sorts:?} {:?}", last.op, last.low)).or_default().push(number);
    }
    let mut main = String::new();
    for (number, members) in groups.values().enumerate() {
        let nodes = &cases[members[0]].nodes;
        let (last, leaves) = nodes.split_last().expect("a node");
        let _ = writeln!(text, "static void group_{number}(const unsigned long long *bits)\n{{");
        for (index, leaf) in leaves.iter().enumerate() {
            let value = match leaf.is_float() {
                true => format!("chaincover_from_{}(bits[{index}])", leaf.width()),
                false => format!("bits[{index}]"),
            };
            let _ = writeln!(text, "    const {} chaincover_v{index} = {value};", kind(leaf));
        }
        let value = operation(last, nodes);
        let _ = writeln!(text, "    {} value = {value};", kind(last));
        let shown = match last.is_float() {
            true => format!(
                "if (isnan(value)) puts(\"nan\"); else printf(\"%llx\\n\", chaincover_bits_{}(value));",
                last.width()
            ),
            false => "printf(\"%llx\\n\", value);".to_owned(),
        };
        let _ = writeln!(text, "    {shown}\n}}\nstatic const unsigned long long bits_{number}[][3] = {{");
        for &member in members {
            let leaves = &cases[member].nodes[..leaves.len()];
            let _ = writeln!(text, "    {{ {} }},", leaves.iter().map(bits).collect::<Vec<_>>().join(", "));
        }
        let count = members.len();
        let _ = writeln!(
            main,
            "    for (index = 0; index < {count}; index++) group_{number}(bits_{number}[index]);"
        );
        text += "};\n";
    }
    let _ = writeln!(text, "int main(void)\n{{\n    int index;\n{main}    return 0;\n}}");
    std::fs::write(folder.join("operators.c"), text).expect("a file");
    let options =
        ["-fwrapv", "-frounding-math", "-ffp-contract=off", "-o", "operators", "operators.c", "-lm"];
    run("gcc", &options, folder);
    let printed = run("./operators", &[], folder);
    let mut found = vec![String::new(); cases.len()];
    groups.values().flatten().zip(printed).for_each(|(&case, text)| found[case] = text);
    found
}

fn bits(leaf: &Node) -> String {
    format!("{}ULL", leaf.bits.as_deref().unwrap_or("0"))
}

#[test]
fn operators_mean_the_same_in_python_in_c_and_to_the_evaluator() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cases: Vec<Case> = on_words().into_iter().chain(on_floats()).collect();
    let (python, c) = (in_python(&cases, folder.path()), in_c(&cases, folder.path()));
    assert_eq!((python.len(), c.len()), (cases.len(), cases.len()));
    for ((case, python), c) in cases.iter().zip(python).zip(c) {
        let expected =
            if case.expected.is_nan() { "nan".to_owned() } else { format!("{:x}", case.expected.bits()) };
        assert_eq!((&python, &c), (&expected, &expected), "{:?}", case.nodes);
    }
}
