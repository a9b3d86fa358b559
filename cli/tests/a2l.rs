//! A2L files: what `check` tells of them, what results have of them, and files that cannot be read.

use crate::support::call;
use serde_json::Value as Json;
use std::path::Path;

/// The two goals need the last values that limits of the file still allow, and one beyond.
const CODE: &str = "typedef unsigned char u8;
typedef struct { u8 speed; unsigned short rpm; u8 mode; u8 lights[2]; float temp; } T_U;
typedef struct { u8 warning; unsigned int count; } T_Y;
const u8 P_limit = 3;
T_U U; T_Y Y; unsigned int total;
static u8 state;
void step(void) {
    if (U.speed == 250 && U.mode == 2) state = 1;
    if (U.rpm > 7999 && U.lights[1] && U.temp > 90.0f) Y.count++;
    if (U.speed > 250) state = 2;
    Y.warning = state > 0;
}
";

const CONFIG: &str = "[model]
sources = [\"m.c\"]
step = \"step\"
inputs = [\"U\"]
outputs = [\"Y\"]
[a2l]
file = \"m.a2l\"
[input.\"U.temp\"]
unit = \"K\"
[[goal]]
name = \"fast\"
when = \"state == 1\"
[[goal]]
name = \"faster\"
when = \"state == 2\"
";

const METHODS: &str = r#"/begin COMPU_METHOD km "" LINEAR "%5.1" "km/h" COEFFS_LINEAR 1 0 /end COMPU_METHOD
/begin COMPU_METHOD rpm "" RAT_FUNC "%5.1" "1/min" COEFFS 0 4 0 0 0 1 /end COMPU_METHOD
/begin COMPU_METHOD temp "" LINEAR "%5.1" "degC" COEFFS_LINEAR 1 -273.15 /end COMPU_METHOD
/begin COMPU_METHOD modes "" TAB_VERB "%1.0" "" COMPU_TAB_REF names /end COMPU_METHOD
/begin COMPU_VTAB names "" TAB_VERB 3 0 "parked" 1 "city" 2 "high way" /end COMPU_VTAB
"#;

const DESCRIPTION: &str = r#"ASAP2_VERSION 1 71
/begin PROJECT demo ""
  /begin MODULE demo ""
    /include "methods.a2l"
    /begin MEASUREMENT U.speed "vehicle speed" UBYTE km 0 0 0 250 SYMBOL_LINK "U" 0 /end MEASUREMENT
    /begin MEASUREMENT U.rpm "engine speed" UWORD rpm 0 0 0 2000 /end MEASUREMENT
    /begin MEASUREMENT U.mode "" UBYTE modes 0 0 0 2 /end MEASUREMENT
    /begin MEASUREMENT U.lights._1_ "right light" UBYTE NO_COMPU_METHOD 0 0 0 1 /end MEASUREMENT
    /begin MEASUREMENT U.temp "water" FLOAT32_IEEE temp 0 0 -40 150 /end MEASUREMENT
    /begin MEASUREMENT Y.count "hot steps" ULONG NO_COMPU_METHOD 0 0 0 4294970000 PHYS_UNIT "1" /end MEASUREMENT
    /begin MEASUREMENT Y.warning "" UWORD NO_COMPU_METHOD 0 0 0 1 /end MEASUREMENT
    /begin MEASUREMENT other "" UBYTE NO_COMPU_METHOD 0 0 0 1 /end MEASUREMENT
    /begin CHARACTERISTIC P_limit "" VALUE 0 l 0 NO_COMPU_METHOD 0 255 /end CHARACTERISTIC
  /end MODULE
/end PROJECT
"#;

fn place() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in [
        ("m.c", CODE),
        ("chaincover.toml", CONFIG),
        ("m.a2l", DESCRIPTION),
        ("methods.a2l", METHODS),
        ("campaign.toml", "models = [\"chaincover.toml\"]\n[limits]\ntimeout = \"60s\"\n"),
    ] {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

fn change(folder: &Path, file: &str, from: &str, to: &str) {
    let path = folder.join(file);
    let text = std::fs::read_to_string(&path).expect("a file");
    assert!(text.contains(from), "{file}: {from}");
    std::fs::write(path, text.replace(from, to)).expect("a file");
}

const TYPE: &str = "it says an unsigned integer of 16 bits, and Y.warning is `unsigned char` of 8 bits: \
    the file may be of another build";

#[test]
fn check_tells_what_was_taken() {
    let folder = place();
    let (code, out, err) = call(folder.path(), &["check", "chaincover.toml", "--a2l-ranges"]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(err, format!("warning[a2l-type]: m.a2l:11: nothing is taken of Y.warning, since {TYPE}\n"));
    let section = out.split("\na2l ").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("a section");
    let expected = format!(
        "m.a2l (9 entries)
   input   U.lights[1]  m.a2l:8   text right light; range 0 to 1
   input   U.mode       m.a2l:7   names 0 = parked, 1 = city, 2 = high way; range 0 to 2
   input   U.rpm        m.a2l:6   unit 0.25 1/min; text engine speed; range 0 to 8000
   input   U.speed      m.a2l:5   unit km/h; text vehicle speed; range 0 to 250
   input   U.temp       m.a2l:9   text water; range 233.14999999999998 to 423.15
   input   U.temp       m.a2l:9   not taken: its conversion: a number x stands for 1 * x - 273.15 degC, and the configuration has no conversions
   output  Y.count      m.a2l:10  unit 1; text hot steps
   left    Y.warning    m.a2l:11  {TYPE}
   no input, output or state word: other (m.a2l:12), P_limit (m.a2l:13)"
    );
    assert_eq!(section, expected);
    let (_, out, _) = call(folder.path(), &["check", "chaincover.toml", "--json", "-", "-q"]);
    let json: Json = serde_json::from_str(&out).expect("JSON");
    let told = &json["a2l"];
    assert_eq!(told["entries"], 9);
    assert_eq!(told["matched"][3]["taken"], serde_json::json!(["unit km/h", "text vehicle speed"]));
    assert_eq!(told["unmatched"][0]["place"], serde_json::json!({ "file": "m.a2l", "line": 12 }));
    // The configuration that is written says all of it, without the file.
    let (_, written, _) = call(folder.path(), &["check", "chaincover.toml", "--write-config", "-q"]);
    assert!(!written.contains("a2l") && written.contains("unit = \"0.25 1/min\""), "{written}");
    std::fs::write(folder.path().join("whole.toml"), &written).expect("a file");
    let (_, again, _) = call(folder.path(), &["check", "whole.toml", "--write-config", "-q"]);
    assert_eq!(again, written);
}

#[test]
fn results_have_units_texts_and_names() {
    let folder = place();
    let arguments =
        ["chain", "chaincover.toml", "--timeout", "60s", "-o", "out", "-q", "--format", "csv,vcd,html,mf4"];
    let (code, out, err) = call(folder.path(), &arguments);
    assert_eq!(code, 0, "{out}{err}");
    let read = |name: &str| std::fs::read_to_string(folder.path().join("out").join(name)).expect("a file");
    let json: Json = serde_json::from_str(&read("chain.json")).expect("JSON");
    let input = |name: &str| {
        let all = json["inputs"].as_array().expect("inputs");
        all.iter().find(|input| input["lvalue"] == name).unwrap_or_else(|| panic!("{name}")).clone()
    };
    assert_eq!(
        (&input("U.speed")["unit"], &input("U.speed")["text"]),
        (&"km/h".into(), &"vehicle speed".into())
    );
    assert_eq!(input("U.temp")["unit"], "K");
    assert_eq!(input("U.mode")["enumerators"]["high way"], 2);
    assert_eq!(input("U.lights[0]")["text"], Json::Null);
    assert_eq!(json["outputs"][1]["text"], "hot steps");
    assert!(read("chain.vcd").contains("shigh_way "), "texts of VCD end at a blank");
    assert!(read("report.html").contains("\"text\":\"vehicle speed\""));
    let measured = std::fs::read(folder.path().join("out/chain.mf4")).expect("a file");
    assert!(String::from_utf8_lossy(&measured).contains("vehicle speed; U.speed ("));
    let (code, _, err) = call(folder.path(), &["replay", "out/chain.json", "-q"]);
    assert_eq!(code, 0, "{err}");
    // What the file says is part of the configuration, which `replay` and `verify` compare.
    change(folder.path(), "methods.a2l", "km/h", "mph");
    let (_, out, _) = call(folder.path(), &["replay", "out/chain.json", "-q"]);
    assert!(out.starts_with("methods.a2l has changed since the chain was made\n"), "{out}");
    assert!(out.contains("model and options give `{\"unit\":\"mph\",\"text\":\"vehicle speed\"}`"), "{out}");
}

/// A result without the option with which it was made is that of another configuration.
#[test]
fn evidence_is_about_the_limits_that_were_taken() {
    let folder = place();
    let arguments =
        ["chain", "chaincover.toml", "--a2l-ranges", "--timeout", "60s", "-o", "out", "-q", "--proofs"];
    let (code, out, err) = call(folder.path(), &arguments);
    assert_eq!(code, 20, "{out}{err}");
    let (code, out, err) = call(folder.path(), &["verify", "out"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("a2l          m.a2l") && out.contains("U.speed from 0 to 250"), "{out}");
    change(folder.path(), "m.a2l", "0 0 0 250", "0 0 0 249");
    let (code, out, err) = call(folder.path(), &["verify", "out"]);
    assert_eq!(code, 4, "{out}{err}");
    assert!(out.contains("m.a2l has changed since the chain was made"), "{out}");
}

/// Limits change the model, so they count only where that is asked for, and stand in the result.
#[test]
fn limits_are_ranges_on_demand() {
    let folder = place();
    let chain = |more: &[&str]| {
        let arguments = ["chain", "chaincover.toml", "--timeout", "60s", "-o", "out", "-q"];
        call(folder.path(), &[&arguments, more].concat())
    };
    let (code, out, err) = chain(&[]);
    assert_eq!(code, 0, "{out}{err}");
    let (code, out, err) = chain(&["--a2l-ranges"]);
    assert_eq!(code, 20, "{out}{err}");
    let (code, out, err) = call(folder.path(), &["replay", "out/chain.json"]);
    assert_eq!(code, 0, "{out}{err}");
    change(folder.path(), "m.a2l", "0 0 0 250", "0 0 0 249");
    let (code, out, err) = call(folder.path(), &["replay", "out/chain.json", "-q"]);
    assert_eq!(code, 10, "{out}{err}");
    change(folder.path(), "chaincover.toml", "file = \"m.a2l\"", "file = \"m.a2l\"\nranges = true");
    change(folder.path(), "m.a2l", "0 0 0 249", "0 0 251 255");
    let (code, out, err) = chain(&[]);
    assert_eq!(code, 20, "{out}{err}");
    assert!(err.contains("fast") || out.contains("fast"), "{out}{err}");
}

#[test]
fn the_option_names_a_file_too() {
    let folder = place();
    let arguments =
        ["chain", "m.c", "--step", "step", "--coverage", "decision", "--timeout", "60s", "-o", "out"];
    let more = ["-q", "--a2l", "m.a2l", "--a2l-ranges"];
    let (code, out, err) = call(folder.path(), &[&arguments[..], &more].concat());
    assert!(code == 0 && out.contains("dead       m.c:10 decision U.speed > 250 true"), "{out}{err}");
    let (code, out, err) = call(folder.path(), &["replay", "out/chain.json", "-q"]);
    assert_eq!(code, 0, "{out}{err}");
}

#[test]
fn clamped_limits_are_told() {
    let folder = place();
    let entry = "/begin MEASUREMENT U.rpm \"engine speed\" UWORD rpm 0 0 0 2000";
    change(folder.path(), "m.a2l", entry, &entry.replace("rpm 0 0 0 2000", "NO_COMPU_METHOD 0 0 1 70000"));
    change(folder.path(), "m.a2l", "Y.warning \"\" UWORD", "Y.warning \"\" UBYTE");
    let (code, out, err) = call(folder.path(), &["check", "chaincover.toml", "--a2l-ranges"]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(
        err,
        "warning[a2l-limits]: the limit 70000 of U.rpm is taken as 65535, the end of the type of U.rpm\n"
    );
    assert!(out.contains("range 1 to 65535"), "{out}");
}

/// What is wrong is told with file and line, and the exit code is that of configurations.
#[test]
fn wrong_files() {
    let table = [
        (
            "m.a2l",
            "/include \"methods.a2l\"",
            "/include \"none.a2l\"",
            "m.a2l:4: the included file none.a2l cannot be read",
        ),
        (
            "m.a2l",
            "/include \"methods.a2l\"",
            "/include \"m.a2l\"",
            "m.a2l:4: the file m.a2l includes itself",
        ),
        ("methods.a2l", "COEFFS 0 4", "COEFFS 0 four", "methods.a2l:2: "),
        ("m.a2l", "UWORD rpm", "WORDS rpm", "m.a2l:6: "),
        ("m.a2l", "  /end MODULE", "", "m.a2l:"),
        ("m.a2l", "\"engine speed\"", "\"engine speed", "m.a2l:"),
        ("m.a2l", "2000 /end MEASUREMENT", "2000 /end MEASURMENT", "m.a2l:6: "),
        ("chaincover.toml", "file = \"m.a2l\"", "file = \"other.a2l\"", "cannot read other.a2l: "),
        ("chaincover.toml", "file = \"m.a2l\"", "ranges = true", "missing field `file`"),
        (
            "chaincover.toml",
            "unit = \"K\"",
            "labels = { one = \"x\" }",
            "input.\"U.temp\".labels: `one` is no integer",
        ),
        (
            "chaincover.toml",
            "unit = \"K\"",
            "labels = { 1 = \"x\", 2 = \"x\" }",
            "1 and 2 have the same name `x`",
        ),
    ];
    for (file, from, to, expected) in table {
        let folder = place();
        change(folder.path(), file, from, to);
        for command in [&["check", "chaincover.toml"][..], &["chain", "chaincover.toml", "--timeout", "60s"]]
        {
            let (code, _, err) = call(folder.path(), command);
            assert!(code == 2 && err.contains(expected), "{file}, {to}: {code}: {err}");
            assert!(!err.contains("panicked") && !err.contains("internal"), "{err}");
        }
    }
    let folder = place();
    std::fs::write(folder.path().join("m.btor2"), "1 sort bitvec 1\n2 input 1\n3 bad 2\n").expect("a file");
    let table: [(&[&str], &str); 3] = [
        (&["check", "m.c", "--a2l-ranges"], "--a2l-ranges: no A2L file is named"),
        (&["check", "m.c", "--a2l", "none.a2l"], "cannot read none.a2l"),
        (&["check", "m.btor2", "--a2l", "m.a2l"], "are about variables of C code"),
    ];
    for (arguments, expected) in table {
        let (code, _, err) = call(folder.path(), arguments);
        assert!(code == 2 && err.contains(expected), "{arguments:?}: {code}: {err}");
    }
}

/// A campaign searches again where a file changed that an A2L file includes.
#[test]
fn included_files_are_part_of_keys() {
    let folder = place();
    let run = || {
        let (code, out, err) = call(folder.path(), &["campaign", "run", "campaign.toml", "-j", "1"]);
        assert_eq!(code, 0, "{out}{err}");
        out.split(" ...").next().unwrap_or_default().to_owned()
    };
    assert_eq!(run(), "1 jobs: 0 known, 1 to run");
    assert_eq!(run(), "1 jobs: 1 known, 0 to run");
    change(folder.path(), "methods.a2l", "city", "town");
    assert_eq!(run(), "1 jobs: 0 known, 1 to run");
}
