//! Verilog designs through the whole program. They need yosys and Icarus Verilog, which `.ci/run`
//! installs.

use crate::support::chaincover;
use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::process::Command;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The result of `chain` on a design, and its exit code.
fn chain(folder: &Path, file: &str, options: &[&str]) -> (i32, Json, String) {
    let output = chaincover(folder, &[&["chain", file, "-q", "--json", "-"], options].concat());
    let (printed, errors) = (text(&output.stdout), text(&output.stderr));
    let json = match (printed.find('{'), printed.rfind('}')) {
        (Some(begin), Some(end)) => serde_json::from_str(&printed[begin..=end]).expect("JSON"),
        _ => Json::Null,
    };
    (output.status.code().expect("an exit code"), json, errors)
}

/// How chains are replayed: the simulator with its version.
fn simulator() -> Json {
    let said = Command::new("vvp").arg("-V").output().expect("vvp should start");
    let said = text(&said.stdout) + &text(&said.stderr);
    let (_, version) = said.split_once(" version ").expect("a version");
    format!("iverilog {}", version.split_whitespace().next().expect("a number")).into()
}

/// A design in a folder of its own.
fn written(design: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("m.sv"), design).expect("a file");
    folder
}

/// File, options, exit code, length of the chain, goals (`-`: unreachable), verdicts.
type Case<'t> = (&'t str, &'t [&'t str], i32, u64, &'t str, &'t str);

/// Covers are goals with shortest chains, assertions requirements with verdicts, and Icarus Verilog
/// sees the same values and covers in every step.
#[test]
fn examples_are_covered_and_replayed() {
    let table: [Case<'_>; 5] = [
        (
            "fifo.sv",
            &["--reset", "rst"],
            0,
            7,
            "filled refused both wrapped magic_out",
            "bounded:proven exclusive:proven",
        ),
        ("pour.sv", &[], 0, 7, "four", "total:proven"),
        (
            "counter.sv",
            &["--reset", "!rst_n"],
            10,
            9,
            "five highest wrapped unlucky-",
            "skipped:proven below_9:violated",
        ),
        (
            "uart_rx.sv",
            &["--reset", "rst"],
            0,
            82,
            "received letter_A framing glitch again",
            "one_pulse:proven",
        ),
        ("unreachable.sv", &[], 20, 5, "last never-", ""),
    ];
    for (file, options, exit, length, goals, verdicts) in table {
        let (code, json, errors) = chain(&examples(), file, options);
        assert_eq!(code, exit, "{file}: {errors}");
        let found: Vec<String> = json["goals"]
            .as_array()
            .expect("goals")
            .iter()
            .map(|goal| {
                let name = goal["name"].as_str().expect("a name");
                match goal["status"].as_str() {
                    Some("covered") => name.to_owned(),
                    Some("unreachable") => format!("{name}-"),
                    other => panic!("{file}: {name} is {other:?}"),
                }
            })
            .collect();
        assert_eq!(found.join(" "), goals, "{file}");
        let judged = json["verdicts"].as_array().map(Vec::as_slice).unwrap_or_default().iter();
        let judged: Vec<String> = judged
            .map(|verdict| {
                format!(
                    "{}:{}",
                    verdict["name"].as_str().unwrap_or(""),
                    verdict["verdict"].as_str().unwrap_or("")
                )
            })
            .collect();
        assert_eq!(judged.join(" "), verdicts, "{file}");
        let summary = &json["summary"];
        assert_eq!((&summary["length"], &summary["minimal"]), (&length.into(), &"proven".into()), "{file}");
        let translator = json["tool"]["translator"].as_str().expect("what made the model");
        assert!(translator.starts_with("Yosys "), "{file}: {translator}");
        let chain = &json["chains"][0];
        assert_eq!(
            (&chain["replayed"], &chain["replayed_how"]),
            (&true.into(), &simulator()),
            "{file}: {errors}"
        );
    }
}

/// Runs a test for cocotb up to its first wait, on a simulator that counts in seconds.
const COARSE_TIME: &str = r#"
import sys, types
cocotb, triggers = types.ModuleType("cocotb"), types.ModuleType("cocotb.triggers")
cocotb.test = lambda: lambda function: function
def timer(time, unit):
    if unit == "ns":
        raise ValueError
    return f"{time} {unit}"
triggers.Timer = timer
sys.modules.update({"cocotb": cocotb, "cocotb.triggers": triggers})
test = {}
exec(sys.argv[1], test)
print(test["settled"]())
"#;

/// The exported bench accepts the design, and refuses another one.
#[test]
fn exported_benches_compare_outputs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let design = std::fs::read_to_string(examples().join("unreachable.sv")).expect("an example");
    // Icarus Verilog reads no covers.
    let (plain, _) = design.split_once("    always @(posedge clk) begin").expect("covers at the end");
    std::fs::write(folder.path().join("m.sv"), &design).expect("a file");
    let made = chaincover(folder.path(), &["chain", "m.sv", "-q", "-o", "out", "--format", "sv,cocotb"]);
    assert_eq!(made.status.code(), Some(20), "{}", text(&made.stderr));
    let test = std::fs::read_to_string(folder.path().join("out/test_chain_cocotb.py")).expect("a test");
    assert!(test.contains("({}, {\"state\": 0x4}),"), "{test}");
    let waited = Command::new("python3").arg("-c").arg(COARSE_TIME).arg(&test).output();
    assert_eq!(text(&waited.expect("Python should be installed").stdout), "1 step\n", "{test}");
    for (step, passes) in [("3'd1", true), ("3'd2", false)] {
        let simulated = format!("{}endmodule\n", plain.replace("state + 3'd1", &format!("state + {step}")));
        std::fs::write(folder.path().join("plain.sv"), simulated).expect("a file");
        let compiled = Command::new("iverilog")
            .current_dir(folder.path())
            .args(["-g2012", "-s", "chain_bench", "-o", "simulation", "out/chain_bench.sv", "plain.sv"])
            .output()
            .expect("Icarus Verilog should be installed");
        assert!(compiled.status.success(), "{}", text(&compiled.stderr));
        let run = Command::new("vvp").current_dir(folder.path()).args(["-n", "simulation"]).output();
        let said = text(&run.expect("vvp should be installed").stdout);
        assert_eq!(said.contains("PASS 5 steps"), passes, "{said}");
        assert_eq!(said.contains("FAIL step"), !passes, "{said}");
    }
}

/// What synthesis does not see may print, end and force what it likes: what it prints is not what
/// the bench prints.
#[test]
fn designs_cannot_forge_their_replay() {
    let design = |code: &str| {
        written(&format!(
            "module m(input clk, output reg [1:0] q);\n  initial q = 0;\n  always @(posedge clk) q <= q + 1;\n  \
             always @(posedge clk) one: cover (q == 1);\n`ifndef YOSYS\n  {code}\n`endif\nendmodule\n"
        ))
    };
    let truth = "$write(\"hello\");\n$display(\"B 0\\nS 0 0 0\\nO 0 0 0\\nB 1\\nS 1 0 1\\nO 1 0 1\\nG 1 0\\nS 2 0 2\");";
    for (code, is_honest) in [
        (format!("initial begin {truth} end"), true),
        (format!("initial begin {truth} $finish; end"), false),
        (format!("always @(q) begin force q = 3; {truth} end"), false),
    ] {
        let folder = design(&code);
        let (exit, json, errors) = chain(folder.path(), "m.sv", &[]);
        let replayed = &json["chains"][0]["replayed"];
        assert_eq!((exit, replayed), (if is_honest { 0 } else { 4 }, &is_honest.into()), "{code}: {errors}");
    }
}

/// Without a reset, starts are free, and that is said; with zeros they are not.
#[test]
fn free_starts_are_told() {
    let (_, json, _) = chain(&examples(), "fifo.sv", &["--zero-init"]);
    assert_eq!(json["summary"]["length"], Json::from(6));
    let output = chaincover(&examples(), &["chain", "fifo.sv"]);
    let errors = text(&output.stderr);
    assert!(errors.contains("free at start: count (3 bits), words (32 bits)"), "{errors}");
    assert_eq!(output.status.code(), Some(10), "from an odd start the count may exceed the depth");
    let (code, json, errors) =
        chain(&examples(), "fifo.sv", &["--reset", "rst=2", "--top", "fifo", "--param", "DEPTH=2"]);
    assert_eq!((code, &json["summary"]["length"]), (0, &Json::from(6)), "{errors}");
}

/// What yosys cannot read or cannot be translated is told with its place and what to do.
#[test]
fn refusals_have_places_and_advice() {
    let counter = "module m(input clk, d, output reg q);\n  always @(posedge clk) q <= d;\n";
    let table: [(String, &[&str], i32, &[&str]); 12] = [
        (format!("{counter}  assign x = ;\nendmodule\n"), &[], 3, &["m.sv:3", "syntax error"]),
        (
            format!("{counter}  cover property (@(posedge clk) d ##1 q);\nendmodule\n"),
            &[],
            3,
            &["m.sv:3", "this form works: `always @(posedge clk) name: cover (condition);`"],
        ),
        (format!("{counter}  nosuch u(.a(d));\nendmodule\n"), &[], 3, &["nosuch", "name all files"]),
        (format!("{counter}endmodule\n"), &[], 2, &["no goal", "a `cover` statement in Verilog"]),
        (String::new(), &[], 3, &["there is no module in the design"]),
        (format!("{counter}endmodule\n"), &["--top", "other"], 2, &["no module `other`"]),
        (format!("{counter}endmodule\n"), &["--top", "m", "--param", "N=3"], 2, &["no parameter `N`"]),
        (format!("{counter}endmodule\n"), &["--param", "N=3"], 2, &["name it (--top MODULE)"]),
        (format!("{counter}endmodule\n"), &["--reset", "rst"], 2, &["no input `rst` of one bit", "clk, d"]),
        (format!("{counter}endmodule\n"), &["--reset", "clk"], 2, &["`clk` is the clock"]),
        (format!("{counter}endmodule\n"), &["--top", "a b"], 2, &["cannot be handed to yosys"]),
        (
            "module m(input e, d, output reg q);\n  always @* if (e) q = d;\n  always @* cover (q);\nendmodule\n".to_owned(),
            &[],
            3,
            &["m.sv:2", "latch"],
        ),
    ];
    for (design, options, exit, parts) in table {
        let folder = written(&design);
        let (code, _, errors) = chain(folder.path(), "m.sv", options);
        assert_eq!(code, exit, "{design}\n{errors}");
        for part in parts {
            assert!(errors.contains(part), "{part}: {errors}");
        }
    }
    let folder = written(counter);
    let mut command = Command::new(env!("CARGO_BIN_EXE_chaincover"));
    let output = command.current_dir(folder.path()).env("PATH", "/nowhere").args(["check", "m.sv"]).output();
    let errors = text(&output.expect("the program should start").stderr);
    assert!(errors.contains("install Debian's package `yosys`"), "{errors}");
}

/// What is undefined is the model's choice; a simulator shows that nobody can rely on it.
#[test]
fn undefined_values_are_no_evidence() {
    let folder = written(
        "module m(input clk, input [1:0] s, output reg q);\n  initial q = 0;\n  \
         always @(posedge clk) q <= s == 0 ? 1'b0 : s == 1 ? 1'b0 : 1'bx;\n  \
         always @(posedge clk) lucky: cover (q);\nendmodule\n",
    );
    let (code, json, errors) = chain(folder.path(), "m.sv", &[]);
    assert_eq!(code, 0, "{errors}");
    assert_eq!(json["chains"][0]["replayed"], Json::from("evaluator"));
    let how = json["chains"][0]["replayed_how"].as_str().unwrap_or_default();
    assert!(how.contains("unknown bits (x) in `q` in step 1"), "{how}");
}

/// With two clocks a step is one tick; instances of a module have goals of their own.
/// What a simulator cannot know is no disagreement with it: values that nothing drives, starts that
/// have no name, functions of formal tools. Bits that never change keep their initial value.
#[test]
fn what_simulators_do_not_know_is_no_disagreement() {
    let clocked = "always @(posedge clk)";
    let table = [
        (
            format!(
                "module m(input clk, input rst); reg r; always @(posedge clk or posedge rst) \
                 if (rst) r <= 0; else r <= ~r; {clocked} c: cover (r); endmodule"
            ),
            "asynchronous reset",
        ),
        (
            format!(
                "module m(input clk, input a); reg r = 0; {clocked} r <= a; {clocked} c: cover ($past(r) && !r); \
                 endmodule"
            ),
            "functions of formal tools",
        ),
        (
            format!("module m(input clk); reg [1:0] r; {clocked} c: cover (r == 2); endmodule"),
            "but for covers",
        ),
        (
            format!(
                "module m(input clk, input a); reg [1:0] r = 3; {clocked} r[0] <= a; {clocked} c: cover (r == 2); endmodule"
            ),
            "iverilog",
        ),
    ];
    for (design, expected) in table {
        let folder = written(&design);
        let (code, json, errors) = chain(folder.path(), "m.sv", &[]);
        assert_eq!(code, 0, "{design}\n{errors}");
        let how = json["chains"][0]["replayed_how"].as_str().unwrap_or_default();
        assert!(how.contains(expected), "{design}\n{how}");
    }
}

#[test]
fn clocks_and_instances() {
    let folder = written(
        "module cell_(input clk, d, output reg q);\n  initial q = 0;\n  always @(posedge clk) q <= d;\n  \
         always @(posedge clk) cover (q && d);\nendmodule\n\
         module m(input a, b, d, output x, y);\n  cell_ u1(.clk(a), .d(d), .q(x));\n  cell_ u2(.clk(b), .d(x), .q(y));\nendmodule\n",
    );
    let (code, json, errors) = chain(folder.path(), "m.sv", &["--top", "m"]);
    assert_eq!(code, 0, "{errors}");
    let names: Vec<&str> = json["goals"]
        .as_array()
        .expect("goals")
        .iter()
        .map(|goal| goal["name"].as_str().expect("a name"))
        .collect();
    assert_eq!(names, ["u1/m.sv:4", "u2/m.sv:4"]);
    assert_eq!(json["chains"][0]["replayed_how"], simulator(), "{json}");
}

/// Yosys lets a memory with contents begin as another state with elements written.
#[test]
fn memories_begin_with_their_contents() {
    let folder = written(
        "module m(input clk, input [1:0] at, output [3:0] out);\n  reg [3:0] rom [0:3];\n  \
         initial begin rom[0] = 7; rom[1] = 1; rom[2] = 4; rom[3] = 2; end\n  assign out = rom[at];\n  \
         reg [3:0] sum; initial sum = 0;\n  always @(posedge clk) sum <= sum + out;\n  \
         always @(posedge clk) begin cover (sum == 14); cover (out == 5); end\nendmodule\n",
    );
    let (code, json, errors) = chain(folder.path(), "m.sv", &[]);
    assert_eq!((code, &json["summary"]["length"]), (20, &Json::from(3)), "{errors}");
    assert_eq!(json["chains"][0]["replayed_how"], simulator(), "{errors}");
}

/// Yosys looks for contents of memories beside the source; so does the simulator.
#[test]
fn contents_of_memories_are_files_of_the_design() {
    let folder = written(
        "module m(input clk, input at, output reg [3:0] word = 0);\n  reg [3:0] rom [0:1];\n  \
         initial $readmemh(\"data/rom.hex\", rom);\n  always @(posedge clk) word <= rom[at];\n  \
         always @(posedge clk) cover (word == 9);\nendmodule\n",
    );
    std::fs::create_dir(folder.path().join("data")).expect("a folder");
    std::fs::write(folder.path().join("data/rom.hex"), "9 1\n").expect("a file");
    let (code, json, errors) = chain(folder.path(), "m.sv", &[]);
    assert_eq!((code, &json["chains"][0]["replayed_how"]), (0, &simulator()), "{errors}");
}

/// Resets and zeros of BTOR2 models.
#[test]
fn starts_of_btor2_models() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let model = "1 sort bitvec 1\n2 sort bitvec 4\n3 input 1 rst\n4 state 2 count\n5 one 2\n6 zero 2\n7 add 2 4 5\n\
        8 ite 2 3 6 7\n9 next 2 4 8\n10 constd 2 3\n11 eq 1 4 10\n12 bad 11 three\n";
    std::fs::write(folder.path().join("m.btor2"), model).expect("a file");
    for (options, length) in
        [(&[][..], 1), (&["--zero-init"], 4), (&["--reset", "rst"], 5), (&["--reset", "!rst"], 2)]
    {
        let (code, json, errors) = chain(folder.path(), "m.btor2", options);
        assert_eq!((code, &json["summary"]["length"]), (0, &Json::from(length)), "{options:?}: {errors}");
    }
    let made = chaincover(
        folder.path(),
        &["chain", "m.btor2", "-q", "--zero-init", "-o", "out", "--format", "btor2-witness"],
    );
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    let witness = std::fs::read_to_string(folder.path().join("out/witness_b0.wit")).expect("a witness");
    assert!(witness.contains("0 0000 count#0"), "a reader of the model alone needs the zeros: {witness}");
    let (code, _, errors) = chain(folder.path(), "m.btor2", &["--top", "m"]);
    assert!(code == 2 && errors.contains("top modules and parameters"), "{errors}");
}

/// Assertions are judged from the first edge on, under conditions that change as well.
#[test]
fn assertions_of_the_first_step_count() {
    let table = [
        ("reg q = 1; always @(posedge clk) q <= 0;", "", "!q", "violated", 1),
        ("reg q = 0; always @(posedge clk) q <= 1;", "", "!q", "violated", 2),
        ("reg q = 1; always @(posedge clk) q <= 0;", "if (q) ", "!q", "violated", 1),
        ("reg q = 1; always @(posedge clk) q <= 0;", "if (!q) ", "!q", "proven", 0),
        ("reg [1:0] q = 0; always @(posedge clk) q <= q + 1;", "if (q[0]) ", "q != 2", "proven", 0),
        ("reg [1:0] q = 0; always @(posedge clk) q <= q + 1;", "if (q[1]) ", "q != 2", "violated", 3),
    ];
    for (body, condition, holds, verdict, steps) in table {
        let design = format!(
            "module m(input clk); {body}\nalways @(posedge clk) begin c: cover (1); {condition}as0: assert ({holds}); end\nendmodule\n"
        );
        let folder = written(&design);
        let (_, json, errors) = chain(folder.path(), "m.sv", &[]);
        let judged = &json["verdicts"][0];
        assert_eq!(judged["verdict"], verdict, "{design}{errors}{json}");
        let length = judged["counterexample"]["length"].as_u64();
        assert!(steps == 0 || length == Some(steps), "{design}{judged}");
    }
}

/// In Verilog a division by zero has an unknown result, which may be any.
#[test]
fn divisions_by_zero_have_any_result() {
    for (operator, holds, verdict) in [
        ("/", "pb != 0 || q == 3", "violated"),
        ("%", "pb != 0 || q == 3", "violated"),
        ("/", "pb == 0 || q <= 3 / 1", "proven"),
        ("/", "pb != 2 || q <= 1", "proven"),
    ] {
        let design = format!(
            "module m(input clk, input [1:0] a, b, output reg [1:0] q = 0);\nalways @(posedge clk) q <= a {operator} b;\n\
             reg [1:0] pb = 1;\nalways @(posedge clk) pb <= b;\n\
             always @(posedge clk) begin c0: cover (pb == 2); as0: assert ({holds}); end\nendmodule\n"
        );
        let folder = written(&design);
        let (_, json, errors) = chain(folder.path(), "m.sv", &["--no-replay"]);
        assert_eq!(json["verdicts"][0]["verdict"], verdict, "{design}{errors}{json}");
    }
}
