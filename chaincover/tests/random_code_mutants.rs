//! Mutants of random step functions against the compiled code: what is called equivalent or
//! conforming shows no difference along random executions, and each kill is real.
//!
//! `CHAINCOVER_RANDOM_PROGRAMS` says how many programs there are, `CHAINCOVER_RANDOM_SEED` where
//! they begin.

use crate::code_mutants::changed;
use chaincover::mutation::MutationFile;
use chaincover::{CodeMutateOptions, Options, Settings, mutate_code};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde_json::Value as Json;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Programs of an ordinary run.
const PROGRAMS: u64 = 2;

/// Random steps that each mutant takes which nothing tells from the original.
const STEPS: u32 = 200_000;

/// Random executions of that many steps.
const EXECUTIONS: u32 = 5;

const CONFIGURATION: &str = "[model]\nsources = [\"model.c\"]\ninit = \"init\"\nstep = \"step\"\n\
                             inputs = [\"step.p\", \"step.n\"]\noutputs = [\"one\", \"two\"]\n";

/// Makes step functions in which nothing is undefined but signed overflow, which wraps.
struct Maker {
    random: StdRng,
    /// Counters of loops that may be read here.
    counters: Vec<String>,
    text: String,
    depth: usize,
}

impl Maker {
    fn pick(&mut self, list: &[&str]) -> String {
        (*list.choose(&mut self.random).expect("a choice")).to_owned()
    }

    fn leaf(&mut self) -> String {
        match self.random.random_range(0..6) {
            0 => self.random.random_range(0..9_u8).to_string(),
            1 => self.pick(&["n", "p"]),
            2 => "s".to_owned(),
            3 if !self.counters.is_empty() => {
                let at = self.random.random_range(0..self.counters.len());
                self.counters[at].clone()
            }
            _ => self.pick(&["m.a", "m.b", "m.tab[1]", "one"]),
        }
    }

    fn number(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.leaf();
        }
        let (left, right) = (self.number(depth - 1), self.number(depth - 1));
        match self.random.random_range(0..9) {
            0 => format!("m.tab[({left}) & 3]"),
            1 => format!("help({left}, {right})"),
            2 => format!("({} ? {left} : {right})", self.truth(depth - 1)),
            3 => format!("((unsigned char)({left}) >> 1)"),
            4 => left,
            _ => format!("({left} {} {right})", self.pick(&["+", "-", "*", "&", "|", "^"])),
        }
    }

    fn truth(&mut self, depth: usize) -> String {
        match self.random.random_range(0..if depth == 0 { 3 } else { 6 }) {
            0 => "p".to_owned(),
            1 => format!("m.f {} {}.5f", self.pick(&["<", ">="]), self.random.random_range(0..4_u8)),
            2 => {
                let (left, right) = (self.leaf(), self.leaf());
                format!("{left} {} {right}", self.pick(&["<", "<=", ">", ">=", "==", "!="]))
            }
            3 => format!("!({})", self.truth(depth - 1)),
            _ => {
                let (left, right) = (self.truth(depth - 1), self.truth(depth - 1));
                format!("({left} {} {right})", self.pick(&["&&", "||"]))
            }
        }
    }

    fn line(&mut self, text: &str) {
        writeln!(self.text, "{}{text}", "    ".repeat(self.depth)).expect("a text");
    }

    fn block(&mut self, statements: usize) {
        self.depth += 1;
        (0..statements).for_each(|_| self.statement());
        self.depth -= 1;
    }

    fn target(&mut self) -> String {
        match self.random.random_range(0..6) {
            0 => format!("m.tab[({}) & 3]", self.leaf()),
            _ => self.pick(&["m.a", "m.b", "s", "one", "two"]),
        }
    }

    fn statement(&mut self) {
        let last = if self.depth > 2 { 5 } else { 10 };
        match self.random.random_range(0..last) {
            0 => {
                let text = format!("{}{};", self.target(), self.pick(&["++", "--"]));
                self.line(&text);
            }
            1 => {
                let (target, operator) = (self.target(), self.pick(&["+=", "-=", "&=", "|=", "^="]));
                let text = format!("{target} {operator} {};", self.number(1));
                self.line(&text);
            }
            2 => {
                let text = match self.random.random_bool(0.5) {
                    true => "m.f = m.f < 3.0f ? m.f + 0.5f : 0.0f;".to_owned(),
                    false => format!("m.f = (float)(unsigned char)({}) * 0.25f;", self.leaf()),
                };
                self.line(&text);
            }
            3 | 4 => {
                let text = format!("{} = {};", self.target(), self.number(2));
                self.line(&text);
            }
            5 | 6 => {
                let text = format!("if ({}) {{", self.truth(2));
                self.line(&text);
                self.block(2);
                if self.random.random_bool(0.5) {
                    self.line("} else {");
                    self.block(2);
                }
                self.line("}");
            }
            7 => {
                let text = format!("switch (({}) & 3) {{", self.number(1));
                self.line(&text);
                for label in ["case 0:", "case 2:", "default:"] {
                    self.line(label);
                    self.block(1);
                    if self.random.random_bool(0.8) {
                        self.line("    break;");
                    }
                }
                self.line("}");
            }
            8 => {
                let counter = format!("i{}", self.counters.len());
                let rounds = self.random.random_range(1..4_u8);
                self.line(&format!("for (int {counter} = 0; {counter} < {rounds}; {counter}++) {{"));
                self.counters.push(counter);
                let text = format!("    if ({}) {};", self.truth(1), self.pick(&["break", "continue"]));
                self.line(&text);
                self.block(2);
                self.counters.pop();
                self.line("}");
            }
            _ => {
                let counter = format!("k{}", self.counters.len());
                let text = format!("unsigned char {counter} = ({}) & 3;", self.leaf());
                self.line("{");
                self.line(&text);
                self.line(&format!("while ({counter} > 0) {{"));
                self.line(&format!("    {counter}--;"));
                self.counters.push(counter);
                self.block(1);
                self.counters.pop();
                self.line("}");
                self.line("}");
            }
        }
    }

    fn program(seed: u64) -> String {
        let random = StdRng::seed_from_u64(seed);
        let mut maker = Self { random, counters: Vec::new(), text: String::new(), depth: 0 };
        maker.line("struct memory { unsigned char a, b, tab[4]; float f; } m;");
        maker.line("unsigned char one, two;");
        maker.line("static unsigned char help(unsigned char x, unsigned char y) {");
        maker.line("    if (x > y) return x - y;");
        maker.line("    return y & 7;");
        maker.line("}");
        maker.line("void init(void) {");
        maker.line("    m.a = 2;");
        maker.line("    m.tab[1] = 1;");
        maker.line("}");
        maker.line("void step(_Bool p, unsigned char n) {");
        maker.line("    static unsigned char s = 1;");
        maker.block(5);
        let last = maker.number(2);
        maker.line(&format!("    two = ({last}) & 15;"));
        maker.line("}");
        maker.text
    }
}

/// What runs beside each other: a copy of the original, a mutant, and the inputs of a kill, if it
/// is one.
const DRIVER: &str = r#"
#include <stdio.h>
#include <stdlib.h>
struct version {
    int number; void (*init[2])(void); void (*step[2])(_Bool, unsigned char);
    unsigned char *one[2], *two[2]; int kill; const unsigned char *inputs;
};
static struct version versions[] = { VERSIONS };
int main(int count, char **words) {
    unsigned long long bits = strtoull(words[1], 0, 10) * 2654435761u + 1;
    for (unsigned at = 0; at < sizeof versions / sizeof *versions; at++) {
        struct version *v = versions + at;
        unsigned char p = 0, n = 0;
        int held = 0, found = -1, steps = v->kill < 0 ? STEPS : v->kill + 1;
        printf("%d ", v->number); fflush(stdout);
        for (int which = 0; which < 2; which++) v->init[which]();
        for (int step = 0; step < steps && found < 0; step++) {
            if (v->kill >= 0) { p = v->inputs[2 * step]; n = v->inputs[2 * step + 1]; }
            else if (held-- == 0) {
                bits ^= bits << 13; bits ^= bits >> 7; bits ^= bits << 17;
                p = bits & 1; n = bits & 2 ? bits >> 8 : bits >> 8 & 7; held = bits >> 32 & 3;
            }
            for (int which = 0; which < 2; which++) v->step[which](p, n);
            if (*v->one[0] != *v->one[1] || *v->two[0] != *v->two[1]) found = step;
        }
        printf("%d\n", found); fflush(stdout);
    }
    return 0;
}
"#;

/// The names of a program that two copies of it must not share.
const NAMES: [&str; 6] = ["m", "one", "two", "help", "init", "step"];

fn copy(program: &mut String, text: &str, name: &str) {
    let text = text.replace("struct memory", &format!("struct memory_{name}"));
    NAMES.iter().for_each(|own| writeln!(program, "#define {own} {own}_{name}").expect("a text"));
    program.push_str(&text);
    NAMES.iter().for_each(|own| writeln!(program, "#undef {own}").expect("a text"));
}

/// For each mutant that is compared the step after which compiled code differs first, and the one
/// that was claimed.
fn compared(folder: &Path, text: &str, file: &MutationFile) -> Vec<(usize, Option<usize>, Option<usize>)> {
    let (mut program, mut table, mut claims) = (String::new(), String::new(), Vec::new());
    let byte = |value: &Json| match value {
        Json::Bool(value) => u8::from(*value).to_string(),
        other => other.to_string(),
    };
    for (number, mutant) in file.mutants.iter().enumerate() {
        let claim = match (mutant.verdict.as_str(), mutant.chain.zip(mutant.step)) {
            ("killed", Some(kill)) => Some(kill),
            ("conforms" | "equivalent", _) => None,
            _ => continue,
        };
        let Some(changed) = changed(text, mutant) else { continue };
        copy(&mut program, text, &format!("a{number}"));
        copy(&mut program, &changed, &format!("b{number}"));
        let mut inputs = String::new();
        if let Some((chain, last)) = claim {
            for step in &file.chains[chain].steps[..=last] {
                write!(inputs, "{}, {}, ", byte(&step.inputs["p"]), byte(&step.inputs["n"])).expect("a text");
            }
        }
        writeln!(program, "static const unsigned char inputs_{number}[] = {{ {inputs}0 }};").expect("a text");
        let pair = |name: &str, sign: &str| format!("{{ {sign}{name}_a{number}, {sign}{name}_b{number} }}");
        let kill = claim.map_or(-1, |(_, step)| i64::try_from(step).expect("a short chain"));
        let of = [pair("init", ""), pair("step", ""), pair("one", "&"), pair("two", "&")].join(", ");
        writeln!(table, "{{ {number}, {of}, {kill}, inputs_{number} }},").expect("a text");
        claims.push((number, claim.map(|(_, step)| step)));
    }
    let driver = DRIVER.replace("VERSIONS", &table).replace("STEPS", &STEPS.to_string());
    std::fs::write(folder.join("all.c"), program + &driver).expect("a file");
    let checks = "-fsanitize=bounds,shift,integer-divide-by-zero,float-cast-overflow";
    let compile = Command::new("cc")
        .args(["-w", "-O1", "-fwrapv", checks, "-fsanitize-undefined-trap-on-error", "-o", "all", "all.c"])
        .current_dir(folder)
        .status();
    assert!(compile.expect("a compiler").success(), "the versions should compile");
    let mut found: Vec<_> = claims.iter().map(|&(number, claim)| (number, None, claim)).collect();
    for seed in 1..=EXECUTIONS {
        let output = Command::new(folder.join("all")).arg(seed.to_string()).output().expect("a program");
        let told = String::from_utf8(output.stdout).expect("numbers");
        assert!(output.status.success(), "undefined, or died: {told}\n{text}");
        for (line, (number, differs, _)) in told.lines().zip(&mut found) {
            let (own, step) = line.split_once(' ').expect("two numbers");
            assert_eq!(own, number.to_string());
            let step = step.parse::<i64>().expect("a number");
            *differs = differs.or(usize::try_from(step).ok());
        }
    }
    found
}

fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn mutants_of_random_programs_do_what_is_said_of_them() {
    let first = setting("CHAINCOVER_RANDOM_SEED", 1);
    let mut counts = std::collections::BTreeMap::new();
    for seed in first..first + setting("CHAINCOVER_RANDOM_PROGRAMS", PROGRAMS) {
        let text = Maker::program(seed);
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("model.c"), &text).expect("a file");
        std::fs::write(folder.path().join("chaincover.toml"), CONFIGURATION).expect("a file");
        let deadline = Instant::now().checked_add(Duration::from_secs(20));
        let search = Options { jobs: 2, deadline, ..Options::default() };
        let options =
            CodeMutateOptions { search, no_replay: true, sample: Some(60), ..CodeMutateOptions::default() };
        let judged = mutate_code(&[folder.path().to_owned()], &Settings::default(), &options);
        let file = judged.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        for mutant in &file.mutants {
            *counts.entry(mutant.verdict.clone()).or_insert(0) += 1;
        }
        for (number, differs, claim) in compared(folder.path(), &text, &file) {
            let mutant = &file.mutants[number];
            let told = format!("{}:{} {} -> {}", mutant.line, mutant.column, mutant.old, mutant.new);
            assert_eq!(differs, claim, "seed {seed}: {} {told}: {}\n{text}", mutant.verdict, mutant.by);
        }
    }
    eprintln!("{counts:?}");
}
