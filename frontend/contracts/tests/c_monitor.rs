//! Monitors in C against the reference: compiled, and fed with logs.

use crate::brute::{Random, Role, State};
use crate::support::read_text;
use contracts::Interface;
use contracts::c_monitor::{CMonitor, Names, monitor};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::process::Command;

const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// What a program prints that has this body beside the monitor.
fn run(monitor: &CMonitor, declarations: &str, body: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let text = format!(
        "#include <stdio.h>\n{declarations}\n{}\nint main(void) {{\n{body}\nreturn 0; }}\n",
        monitor.text
    );
    let (source, program) = (folder.path().join("monitor.c"), folder.path().join("monitor"));
    std::fs::write(&source, &text).expect("a file");
    let compiled = Command::new("cc")
        .args([
            "-O0",
            "-Wall",
            "-Werror",
            "-Wno-unused-variable",
            "-Wno-parentheses",
            "-Wno-tautological-compare",
        ])
        .args(["-fsanitize=undefined", "-fno-sanitize-recover=all", "-o"])
        .args([&program, &source])
        .output()
        .expect("a compiler");
    assert!(compiled.status.success(), "{}\n{text}", String::from_utf8_lossy(&compiled.stderr));
    let done = Command::new(&program).output().expect("a program");
    assert!(done.status.success(), "{}\n{text}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8_lossy(&done.stdout).into_owned()
}

/// Statements that print the broken requirements of a step, and whether hidden values are unknown.
fn told(interface: &Interface, monitor: &CMonitor) -> String {
    let mut text = String::new();
    for requirement in &interface.requirements {
        let name = &requirement.name;
        let _ = writeln!(text, "if ({}_broken_{name}) printf(\"{name} \");", interface.name);
    }
    if monitor.text.contains("_unknown;") {
        let _ = writeln!(text, "if ({}_unknown) printf(\"unknown \");", interface.name);
    }
    let _ = writeln!(text, "if ({}_outside) printf(\"outside \");", interface.name);
    text + "printf(\"\\n\");"
}

/// One forked run of the monitor for each log, since its memory is that of a program.
fn feeding(random: &Random, logs: &[Vec<State>], function: &str, told: &str) -> String {
    let mut body = String::new();
    for log in logs {
        body += "fflush(stdout); if (fork() == 0) {\n";
        for state in log {
            for (index, (role, _)) in random.variables.iter().enumerate() {
                if *role != Role::Hidden {
                    let _ = write!(body, "{} = {}; ", NAMES[index], state[index]);
                }
            }
            let _ = writeln!(body, "{function}();\n{told}");
        }
        body += "printf(\"-\\n\"); fflush(stdout); _exit(0); }\nwait(0);\n";
    }
    body
}

#[test]
fn monitors_say_what_enumeration_says() {
    let first = setting("CHAINCOVER_RANDOM_SEED", 1);
    let (mut failed, mut single, mut hidden, mut written) = (0, 0, 0, 0);
    for seed in first..first + setting("CHAINCOVER_RANDOM_INTERFACES", 60) {
        let random = Random::new(seed);
        let Ok(document) = read_text(&random.text()) else { continue };
        let interface = &document.interface;
        let Ok(made) = monitor(interface, &Names::default()) else { continue };
        written += 1;
        let mut chance = StdRng::seed_from_u64(seed);
        let logs: Vec<Vec<State>> = (0..12).map(|_| random.log(&mut chance)).collect();
        let mut declarations = "#include <unistd.h>\n#include <sys/wait.h>\n".to_owned();
        for (index, (role, _)) in random.variables.iter().enumerate() {
            if *role != Role::Hidden {
                let _ = writeln!(declarations, "unsigned char {};", NAMES[index]);
            }
        }
        let body = feeding(&random, &logs, &made.function, &told(interface, &made));
        let printed = run(&made, &declarations, &body);
        let found: Vec<&str> = printed.split("-\n").collect();
        hidden += usize::from(random.variables.iter().any(|(role, _)| *role == Role::Hidden));
        for (log, found) in logs.iter().zip(found) {
            let steps: Vec<&str> = found.lines().collect();
            assert_eq!(steps.len(), log.len(), "seed {seed} {found}");
            let failure = steps.iter().position(|step| !step.is_empty());
            let expected = random.judge(log);
            let text = random.text();
            assert_eq!(
                failure,
                expected.as_ref().map(|(step, _)| *step),
                "seed {seed} {log:?}\n{text}\n{found}\n{}",
                made.text
            );
            let Some((step, sets)) = expected else { continue };
            failed += 1;
            assert!(steps[step + 1..].iter().all(|later| later.is_empty()), "nothing is judged any more");
            let alone: BTreeSet<usize> = sets.iter().filter(|set| set.len() == 1).map(|set| set[0]).collect();
            let blamed: BTreeSet<usize> = interface
                .requirements
                .iter()
                .enumerate()
                .filter(|(_, requirement)| steps[step].split(' ').any(|name| name == requirement.name))
                .map(|(index, _)| index)
                .collect();
            if alone.is_empty() {
                let all: BTreeSet<usize> = sets.iter().flatten().copied().collect();
                assert!(blamed.is_superset(&all), "seed {seed} {log:?} {blamed:?}\n{text}");
            } else {
                single += 1;
                assert_eq!(blamed, alone, "seed {seed} {log:?}\n{text}\n{}", made.text);
            }
        }
    }
    assert!(failed > 100 && single > 50 && hidden > 10, "{failed} {single} {hidden} of {written}");
}

#[test]
fn the_buffer_is_followed_by_a_belief_and_by_equations() {
    let buffer = std::fs::read_to_string("../../examples/buffer.ri").expect("a file");
    // 11 10 10 10: a buffer with three places is not full behind two.
    let log = [(1, 1, 1, 0, 2), (1, 0, 0, 0, 2), (1, 0, 0, 0, 2), (1, 0, 0, 1, 2)];
    for (places, expected) in [(2, "\n\nr1 r4 \n\n"), (1000, "\n\n\nr4 \n")] {
        let document =
            read_text(&buffer.replace("const N = 2", &format!("const N = {places}"))).expect("an interface");
        let made = monitor(&document.interface, &Names::default()).expect("a monitor");
        assert_eq!(made.text.contains("_unknown"), places > 2, "{}", made.text);
        let mut body = String::new();
        for (enq, deq, empty, full, pc) in log {
            let _ = writeln!(
                body,
                "enq = {enq}; deq = {deq}; E = {empty}; F = {full}; pc = {pc}; {}();\n{}",
                made.function,
                told(&document.interface, &made)
            );
        }
        assert_eq!(run(&made, "int enq, deq, E, F, pc;", &body), expected, "{places}");
    }
}

#[test]
fn all_operators_mean_the_same() {
    let text = "interface ops
        input  a, b : -9..9
        input  u, v : u8
        input  i, j : i16
        input  m : {off, low, high}
        output o1, o2 : -200..200
        output o3 : u8
        output o4 : i16
        output p : bool
        req exact  always assume b' != 0 guarantee o1' = a' div b' + a' mod b' - abs(a') * 2 + min(a', b') + max(a', 3)
        req choice always guarantee o2' = (if m' = high then a' else if m' = low then -b' else 0)
        req wrapped  always guarantee o3' = u' * v' + bitand(u', v') - bitor(u', 3)
        req short  always guarantee o4' = i' * j' - shr(i', 3)
        req truth  always guarantee p' = (count(a' > 0, b' > 0, m' != off) = 2 xor u' < v')
        req stay   assume a' = a guarantee o2' != o2 + 500";
    let document = read_text(text).expect("an interface");
    let made = monitor(&document.interface, &Names::default()).expect("a monitor");
    let euclid = |a: i64, b: i64| (a.div_euclid(b), a.rem_euclid(b));
    let mut chance = StdRng::seed_from_u64(7);
    let (mut body, mut expected) = (String::new(), String::new());
    for _ in 0..60 {
        let (a, b) = (chance.random_range(-9..=9_i64), chance.random_range(-9..=9_i64));
        let (u, v) = (chance.random::<u8>(), chance.random::<u8>());
        let (i, j) = (chance.random::<i16>(), chance.random::<i16>());
        let m = chance.random_range(0..3);
        let (quotient, rest) = if b == 0 { (0, 0) } else { euclid(a, b) };
        let o1 = quotient + rest - a.abs() * 2 + a.min(b) + a.max(3);
        let o2 = [0, -b, a][m];
        let o3 = u.wrapping_mul(v).wrapping_add(u & v).wrapping_sub(u | 3);
        let o4 = i.wrapping_mul(j).wrapping_sub(i >> 3);
        let count = u8::from(a > 0) + u8::from(b > 0) + u8::from(m != 0);
        let p = u8::from((count == 2) != (u < v));
        let _ = writeln!(
            body,
            "ops_ended = 0; a = {a}; b = {b}; u = {u}; v = {v}; i = {i}; j = {j}; m = {m}; o1 = {o1}; o2 = {o2}; \
             o3 = {o3}; o4 = {o4}; p = {p}; {}();\n{}",
            made.function,
            told(&document.interface, &made)
        );
        expected += "\n";
    }
    let declarations = "int a, b, u, v, i, j, m, o1, o2, o3, o4, p;";
    assert_eq!(run(&made, declarations, &body), expected, "{}", made.text);
}

#[test]
fn what_has_no_place_in_c_is_refused() {
    let table = [
        ("output x : u64\nreq r always guarantee x' = x'", "x: integers of 64 bits cannot be written"),
        ("output x : 0..1 step 0.1\nreq r always guarantee x' = x'", "x: numbers with another step than 1"),
        (
            "output o : 0..9\nhidden h : 0..99\nreq r always guarantee h' > o'",
            "the hidden h (more than 8 combinations of values, and no equations that determine them)",
        ),
    ];
    for (text, expected) in table {
        let document = read_text(&format!("interface i\n{text}")).expect("an interface");
        let refused = monitor(&document.interface, &Names::default()).expect_err("no monitor");
        assert!(refused.to_string().starts_with(expected), "{refused}");
    }
}

#[test]
fn values_outside_types_are_told_and_never_wrap() {
    let text = "interface i\ninput a : 0..5\noutput o : 0..5\nreq r always guarantee o' = a'";
    let document = read_text(text).expect("an interface");
    let made = monitor(&document.interface, &Names::default()).expect("a monitor");
    for (kind, value, expected) in [
        ("unsigned long long", "18446744073709551615ull", "outside \n"),
        ("double", "2.5", "outside \n"),
        ("int", "6", "outside \n"),
        ("int", "-1", "outside \n"),
        ("int", "2", "\n"),
        ("unsigned char", "3", "r \n"),
    ] {
        let body = format!("a = 2; o = {value}; {}();\n{}", made.function, told(&document.interface, &made));
        assert_eq!(run(&made, &format!("int a; {kind} o;"), &body), expected, "{kind} {value}");
    }
    // Inputs that do not occur end the judgement.
    let body =
        format!("a = 9; o = 9; {0}();\na = 1; {0}(); {1}", made.function, told(&document.interface, &made));
    assert_eq!(run(&made, "int a, o;", &body), "\n");
}
