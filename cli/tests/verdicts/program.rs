//! Random step functions with requirements, as a model and as an oracle that knows their truth.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// What holds of all executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// An execution of this many steps violates it, and none of fewer.
    Violated(u64),
    /// None violates it, and some reach it.
    Holds,
    /// None reaches it.
    Never,
}

/// What states a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Claim,
    /// It holds where nothing reaches it.
    Error,
    /// It is one with `--robustness` alone, and is not listed where ranges show that it holds.
    Hazard,
}

/// A program as two texts.
pub(crate) struct Program {
    /// As ChainCover gets it.
    pub(crate) model: String,
    /// As the compiler gets it: the same lines, and a search behind them.
    oracle: String,
    /// Requirements by name.
    requirements: BTreeMap<String, Kind>,
}

/// What requirements mean to the model. Both texts begin with as many lines.
const MODEL: &str = "void __CPROVER_assert(int, const char *); void __CPROVER_assume(int); void abort(void); void reach_error(void);
#define CLAIM(a, c) __CPROVER_assert(!(a) || (c), \"\")
#define ASSUME(c) __CPROVER_assume(c)
#define END() abort()
#define ERROR() reach_error()
#define DIVIDE(e) r = 100 / (e)
#define INDEX(e) r = u[e]
static int r, u[6]; static unsigned char s, t;
";

/// What they mean to the oracle: the least numbers of steps are kept by line.
const ORACLE: &str = "#include <setjmp.h>
#include <stdio.h>
static jmp_buf end; static int depth, reached[200], violated[200]; static void note(int *least, int steps) { if (!*least || steps < *least) *least = steps; }
#define CLAIM(a, c) do { if (a) { note(&reached[__LINE__], depth); if (!(c)) note(&violated[__LINE__], depth); } } while (0)
#define ASSUME(c) do { if (!(c)) longjmp(end, 1); } while (0)
#define END() longjmp(end, 1)
#define ERROR() do { note(&violated[__LINE__], depth); longjmp(end, 1); } while (0)
#define HAZARD(c) do { note(&reached[__LINE__], depth); if (c) note(&violated[__LINE__], depth); } while (0)
#define DIVIDE(e) HAZARD((e) == 0)
#define INDEX(e) HAZARD((e) > 5)
static unsigned char s, t;
#line 9
";

/// Breadth first over all states: `at[k]` is the least number of steps to state k, plus one.
const SEARCH: &str = "
static int at[64];
static int leads(int from, int x, int steps, int *to) {
    s = from & 7; t = from >> 3; depth = steps;
    if (setjmp(end)) return 0;
    step((unsigned char)x);
    *to = (s & 7) | (t & 7) << 3;
    return 1;
}
int main(void) {
    int from, x, to, level, more = 1;
    at[0] = 1;
    for (level = 1; more; level++) {
        more = 0;
        for (from = 0; from < 64; from++) for (x = 0; x < 4; x++)
            if (at[from] == level && leads(from, x, level, &to)) { if (!at[to]) { at[to] = level + 1; } }
        for (from = 0; from < 64; from++) more |= at[from] == level + 1;
    }
    WINDOWS
    for (from = 0; from < 200; from++) {
        if (reached[from]) printf(\"reached m.c:%d %d\\n\", from, reached[from]);
        if (violated[from]) printf(\"violated m.c:%d %d\\n\", from, violated[from]);
    }
    return 0;
}
";

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

struct Writer {
    random: Random,
    lines: Vec<String>,
    requirements: BTreeMap<String, Kind>,
}

/// Lines in front of what both texts share.
const BEFORE: usize = 8;

impl Writer {
    /// A truth over state and input that is no constant.
    fn truth(&mut self) -> String {
        let number = self.random.below(7);
        let operator = ["==", "!=", "<", ">", "<=", ">="][self.random.below(6) as usize];
        let subject = ["s", "t", "(s + t & 7)", "(s ^ x)", "(t + x & 7)"][self.random.below(5) as usize];
        match operator {
            "<" | ">=" => format!("{subject} {operator} {}", number + 1),
            _ => format!("{subject} {operator} {number}"),
        }
    }

    fn line(&mut self, text: String) {
        self.lines.push(text);
    }

    fn name(&self) -> String {
        format!("m.c:{}", BEFORE + self.lines.len() + 1)
    }

    fn statement(&mut self, depth: u32) {
        match self.random.below(14) {
            0..=3 => {
                let target = ["s", "t"][self.random.below(2) as usize];
                let number = self.random.below(4) + 1;
                let value = match self.random.below(5) {
                    0 => format!("{target} + {number}"),
                    1 => "s + x".to_owned(),
                    2 => "t ^ s".to_owned(),
                    3 => format!("x > 1 ? {target} : {target} + {number}"),
                    _ => format!("{number}"),
                };
                self.line(format!("{target} = ({value}) & 7;"));
            }
            4..=6 => {
                let name = self.name();
                self.requirements.insert(name, Kind::Claim);
                let (premise, claim) = (self.truth(), self.truth());
                let other = self.truth();
                self.line(format!("CLAIM({premise} && x != 3, {claim} || {other});"));
            }
            7 if depth > 0 => {
                let name = self.name();
                self.requirements.insert(name, Kind::Error);
                self.line("ERROR();".to_owned());
            }
            8 if depth > 0 => self.line("END();".to_owned()),
            9 => {
                let (truth, other) = (self.truth(), self.truth());
                self.line(format!("ASSUME({truth} || {other} || x == 0);"));
            }
            10 | 11 => {
                let name = self.name();
                self.requirements.insert(name, Kind::Hazard);
                let subject = ["(s + x & 7)", "(s ^ t)", "(t - x & 7)"][self.random.below(3) as usize];
                let number = self.random.below(8);
                let line = match self.random.below(2) {
                    0 => format!("DIVIDE({subject} - {number});"),
                    _ => format!("INDEX({subject});"),
                };
                self.line(line);
            }
            _ if depth < 3 => self.branch(depth),
            _ => self.line("t = (t + 1) & 7;".to_owned()),
        }
    }

    fn branch(&mut self, depth: u32) {
        let (truth, other) = (self.truth(), self.truth());
        self.line(format!("if ({truth} && ({other} || x == 2)) {{"));
        for _ in 0..=self.random.below(2) {
            self.statement(depth + 1);
        }
        self.line("}".to_owned());
    }
}

/// The program of a seed.
pub(crate) fn random_program(seed: u64) -> Program {
    let random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut writer = Writer { random, lines: Vec::new(), requirements: BTreeMap::new() };
    writer.line("void step(unsigned char x) { ASSUME(x < 4);".to_owned());
    for _ in 0..6 + writer.random.below(5) {
        writer.statement(0);
    }
    writer.line("}".to_owned());
    let shared = writer.lines.join("\n") + "\n";
    let (properties, windows) = properties(&mut writer);
    let model = format!("{MODEL}{shared}{properties}");
    let oracle = format!("{ORACLE}{shared}{}", SEARCH.replace("WINDOWS", &windows));
    Program { model, oracle, requirements: writer.requirements }
}

/// Properties of one and of two steps, and the search for their windows in the oracle.
fn properties(writer: &mut Writer) -> (String, String) {
    let (mut model, mut oracle) = (String::new(), String::new());
    for number in 0..2 + writer.random.below(2) {
        let name = format!("p{number}");
        let mut digit = |bound: u64| writer.random.below(bound);
        let (from, input, middle, last) = (digit(8), digit(4), digit(8), digit(8));
        let claim = format!("s != {last} || t < {}", digit(7) + 1);
        writer.requirements.insert(name.clone(), Kind::Claim);
        let first = format!("__CPROVER_assume(s == {from} && x == {input}); step(x);");
        let line = 150 + 2 * number;
        // What else fails: a claim about the state between two steps.
        let judge = |steps: &str, state: &str, fails: &str| {
            format!(
                "{{ unsigned char s = {state} & 7, t = {state} >> 3 & 7; note(&reached[{line}], {steps}); if (!({claim}) || {fails}) note(&violated[{line}], {steps}); }}"
            )
        };
        let start = format!(
            "for (from = 0; from < 64; from++) if (at[from] && (from & 7) == {from} && leads(from, {input}, 1000, &to))"
        );
        if digit(2) == 0 {
            let _ = writeln!(
                model,
                "void {name}(unsigned char x) {{ {first} __CPROVER_assert({claim}, \"\"); }}"
            );
            let _ = writeln!(oracle, "{start} {}", judge("at[from]", "to", "0"));
        } else {
            let (between, fails) = match digit(2) {
                0 => (String::new(), "0".to_owned()),
                _ => {
                    let least = digit(8);
                    (format!("__CPROVER_assert(t <= {least}, \"\");"), format!("(to >> 3 & 7) > {least}"))
                }
            };
            let _ = writeln!(
                model,
                "void {name}(unsigned char x) {{ {first} __CPROVER_assume(s >= {middle}); {between} step(x); __CPROVER_assert({claim}, \"\"); }}"
            );
            let _ = writeln!(
                oracle,
                "{start} if ((to & 7) >= {middle}) {{ int next, y; for (y = 0; y < 4; y++) if (leads(to, y, 1000, &next)) {} }}",
                judge("at[from] + 1", "next", &fails)
            );
        }
    }
    (model, oracle)
}

impl Program {
    /// Compiles the oracle and runs it: what holds of each requirement, and whether a verdict on it has to be
    /// there.
    pub(crate) fn truth(&self, folder: &Path, is_robust: bool) -> BTreeMap<String, (Expected, bool)> {
        std::fs::write(folder.join("oracle.c"), &self.oracle).expect("a file");
        let compile = ["-w", "-O1", "-o", "oracle", "oracle.c"];
        let done = Command::new("cc").current_dir(folder).args(compile).output().expect("a compiler");
        assert!(done.status.success(), "{}\n{}", String::from_utf8_lossy(&done.stderr), self.oracle);
        let told = run(folder);
        let least = |what: &str, name: &str| {
            let start = format!("{what} {name} ");
            told.lines().find_map(|line| line.strip_prefix(&start)).and_then(|steps| steps.parse().ok())
        };
        let judge = |(name, &kind): (&String, &Kind)| {
            let place = match name.strip_prefix('p').and_then(|number| number.parse::<u64>().ok()) {
                Some(number) => format!("m.c:{}", 150 + 2 * number),
                None => name.clone(),
            };
            let expected = match (least("violated", &place), least("reached", &place)) {
                (Some(length), _) => Expected::Violated(length),
                (None, Some(_)) => Expected::Holds,
                (None, None) if kind == Kind::Error => Expected::Holds,
                (None, None) => Expected::Never,
            };
            let is_certain = kind != Kind::Hazard || matches!(expected, Expected::Violated(_));
            (name.clone(), (expected, is_certain))
        };
        let asked = self.requirements.iter().filter(|(_, kind)| is_robust || **kind != Kind::Hazard);
        asked.map(judge).collect()
    }
}

/// What the oracle prints.
fn run(folder: &Path) -> String {
    let ran = Command::new(folder.join("oracle")).output().expect("the oracle should start");
    String::from_utf8_lossy(&ran.stdout).into_owned()
}
