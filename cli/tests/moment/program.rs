//! Random step functions with goals, assumptions and ends in any order, as a model and as an oracle.

use std::fmt::Write;

/// One program as two texts: for the tool and for the compiler.
pub(crate) struct Text {
    /// As ChainCover gets it.
    pub(crate) model: String,
    /// As a program that tries all inputs in all states it can reach, and prints which goals it comes to.
    pub(crate) oracle: String,
}

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
    fn pick<'t>(&mut self, all: &[&'t str]) -> &'t str {
        all[self.below(all.len() as u64) as usize]
    }
}

struct Writer {
    random: Random,
    /// Whether operations may be undefined; the oracle ends where one is.
    is_risky: bool,
    model: String,
    oracle: String,
    lines: usize,
    loops: usize,
}

/// What oracles begin with. States, inputs and what is reached stand in tables.
const ORACLE: &str = "#include <setjmp.h>
#include <stdio.h>
static jmp_buf end;
static unsigned char reached[1000], violated[1000];
#define COVER(line, c) do { if (c) reached[line] = 1; } while (0)
#define ASSERT(line, c) do { reached[line] = 1; if (!(c)) violated[line] = 1; } while (0)
#define ASSUME(c) do { if (!(c)) longjmp(end, 1); } while (0)
#define END() longjmp(end, 1)
";

/// How oracles try everything: steps from `s` that return lead on.
const SEARCH: &str = "
static int returns(int from, int x, int y, int *to) {
    s = from;
    if (setjmp(end)) return 0;
    step(x, y);
    *to = s;
    return 1;
}
int main(void) {
    static unsigned char known[8], one[8];
    int more = 1, two = 0, from, x, y, to;
    known[0] = 1;
    while (more) {
        more = 0;
        for (from = 0; from < 8; from++) for (x = 0; x < 4; x++) for (y = 0; y < 4; y++) {
            if (!known[from] || !returns(from, x, y, &to)) continue;
            one[from] = 1;
            if (!known[to]) more = known[to] = 1;
        }
    }
    for (from = 0; from < 8; from++) for (x = 0; x < 4; x++) for (y = 0; y < 4; y++)
        if (known[from] && FROM == from && returns(from, x, y, &to) && to == TO && one[to]) two = 1;
    if (one[FROM]) puts(\"reached p\");
    if (two) puts(\"reached q\");
    for (from = 0; from < 1000; from++) {
        if (reached[from]) printf(\"reached m.c:%d\\n\", from);
        if (violated[from]) printf(\"violated m.c:%d\\n\", from);
    }
    return 0;
}
";

/// The program of a seed; its operations may be undefined, and then end it, where it is risky.
pub(crate) fn random_text(seed: u64, is_risky: bool) -> Text {
    let random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let (model, oracle) = (String::new(), ORACLE.to_owned());
    let mut writer = Writer { random, is_risky, model, oracle, lines: 0, loops: 0 };
    writer.program();
    Text { model: writer.model, oracle: writer.oracle }
}

impl Writer {
    /// A line of the model, and what stands for it in the oracle.
    fn line(&mut self, model: &str, oracle: &str) {
        debug_assert!(!model.contains('\n'));
        let _ = writeln!(self.model, "{model}");
        let _ = writeln!(self.oracle, "{oracle}");
        self.lines += 1;
    }

    fn both(&mut self, text: &str) {
        self.line(text, text);
    }

    fn program(&mut self) {
        self.line(
            "void __CPROVER_cover(int); void __CPROVER_assume(int); void __CPROVER_assert(int, const char *);",
            "",
        );
        self.line("void abort(void); void exit(int);", "");
        self.both("static int s;");
        if self.is_risky {
            self.both("static int table[4] = { 3, 1, 0, 2 };");
        }
        let (body, ends) =
            [("", ""), ("abort();", "END();"), ("s = 0;", "s = 0;")][self.random.below(3) as usize];
        self.line(
            &format!("void reach_error(void) {{ {body} }}"),
            &format!("static void reach_error(void) {{ {ends} }}"),
        );
        self.both("static int help(int x, int y) {");
        self.block(1, 2);
        self.both("    return x + y; }");
        self.both("void step(int a, int b) {");
        self.both("    int x = a & 3, y = b & 3;");
        self.block(4, 2);
        self.both("    s = s & 7; }");
        let (from, to) = (self.random.below(4), self.random.below(4));
        let _ = write!(
            self.model,
            "void p(int a, int b) {{ __CPROVER_assume(s == {from}); step(a, b); }}\n\
             void q(int a, int b) {{ __CPROVER_assume(s == {from}); step(a, b); __CPROVER_assume(s == {to}); step(a, b); }}\n"
        );
        let _ = write!(self.oracle, "enum {{ FROM = {from}, TO = {to} }};\n{SEARCH}");
    }

    fn block(&mut self, least: u64, depth: u32) {
        for _ in 0..least + self.random.below(4) {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: u32) {
        let kinds = if depth > 0 { 14 } else { 10 };
        let at = self.lines + 1;
        if self.is_risky && self.random.below(6) == 0 {
            return self.risky(at);
        }
        match self.random.below(kinds) {
            0..=2 => {
                let condition = self.condition();
                self.line(&format!("__CPROVER_cover({condition});"), &format!("COVER({at}, {condition});"));
            }
            3 => {
                let condition = self.comparison();
                let oracle = format!("ASSERT({at}, {condition});");
                self.line(&format!("__CPROVER_assert({condition}, \"\");"), &oracle);
            }
            4 => {
                let condition = self.loose();
                self.line(&format!("__CPROVER_assume({condition});"), &format!("ASSUME({condition});"));
            }
            5 => {
                let condition = self.condition();
                let end = self.random.pick(&["abort();", "exit(1);"]);
                self.line(&format!("if ({condition}) {end}"), &format!("if ({condition}) END();"));
            }
            6 => {
                let condition = self.condition();
                self.line(
                    &format!("if ({condition}) reach_error();"),
                    &format!("if ({condition}) {{ COVER({at}, 1); reach_error(); }}"),
                );
            }
            7 | 8 => {
                let text = format!("s = ({}) & 7;", self.value());
                self.both(&text);
            }
            9 => {
                let text = format!("x = ({}) & 3;", self.value());
                self.both(&text);
            }
            10 | 11 => self.branch(depth),
            12 => self.repeat(depth),
            _ => {
                let text = if depth == 2 && self.oracle.contains("void step") {
                    "y = help(x, s) & 3;"
                } else {
                    "y = s & 3;"
                };
                self.both(text);
            }
        }
    }

    /// A statement with an operation that is undefined at some values.
    fn risky(&mut self, at: usize) {
        let cover = format!("COVER({at}, s / x == 2);");
        let (undefined, statement, oracle) = match self.random.below(6) {
            0 => ("y == 1", "s = (s + x) / (y - 1) & 7;", None),
            1 => ("s > 3", "x = table[s];", None),
            2 => ("x == 3", "s = 1 << x * 11 & 7;", None),
            3 => ("x == 2", "y = x > 1 ? s / (x - 2) & 3 : 1;", None),
            4 => ("x >> 1", "s = 2147483647 + (x >> 1) & 7;", None),
            _ => ("x == 0", "__CPROVER_cover(s / x == 2);", Some(&*cover)),
        };
        let oracle = oracle.unwrap_or(statement);
        self.line(statement, &format!("if ({undefined}) END(); {oracle}"));
    }

    fn branch(&mut self, depth: u32) {
        let text = format!("if ({}) {{", self.condition());
        self.both(&text);
        self.block(1, depth - 1);
        if self.random.below(2) == 0 {
            self.both("} else {");
            self.block(1, depth - 1);
        }
        self.both("}");
    }

    fn repeat(&mut self, depth: u32) {
        self.loops += 1;
        let counter = format!("i{}", self.loops);
        let text = format!("for (int {counter} = 0; {counter} < 3; {counter}++) {{ y = (y + {counter}) & 3;");
        self.both(&text);
        self.block(1, depth - 1);
        if self.random.below(2) == 0 {
            let text = format!("if ({}) break;", self.condition());
            self.both(&text);
        }
        self.both("}");
    }

    fn value(&mut self) -> String {
        let left = self.random.pick(&["s", "x", "y", "1", "s"]);
        let right = self.random.pick(&["s", "x", "y", "2", "3"]);
        format!("{left} {} {right}", self.random.pick(&["+", "-", "^", "*"]))
    }

    fn comparison(&mut self) -> String {
        let left = self.random.pick(&["s", "x", "y", "(x + y)", "(s ^ x)"]);
        let operator = self.random.pick(&["==", "!=", "<", ">"]);
        format!("{left} {operator} {}", self.random.below(5))
    }

    fn condition(&mut self) -> String {
        let first = self.comparison();
        match self.random.below(3) {
            0 => first,
            1 => format!("{first} && {}", self.comparison()),
            _ => format!("({first} || {})", self.comparison()),
        }
    }

    /// A condition that mostly holds.
    fn loose(&mut self) -> String {
        let first = self.random.pick(&["s", "x", "y"]);
        format!("({first} != {} || {})", self.random.below(6), self.comparison())
    }
}
