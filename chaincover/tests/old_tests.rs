//! Old tests, adapted chains and differences of versions, against enumeration and tables.

use chaincover::{CodeDifference, Options, Settings, Silent, adapt, code_difference, read, read_old_tests};
use std::path::PathBuf;

fn file(folder: &tempfile::TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("a file should be written");
    path
}

const COUNTER: &str = "int n;\nvoid step(unsigned char by) {\n  __CPROVER_assume(by < 4);\n  n += by;\n  __CPROVER_cover(n == 7);\n}\n";

#[test]
fn tests_are_read_or_refused_with_line_and_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = read([file(&folder, "counter.c", COUNTER)], &Settings::default()).expect("a model");
    let table = [
        ("a.csv", "by\n1\n3\n3\n", "3 steps, 1 goals"),
        ("a.csv", "step,by,covers\n0,3,\n2,1,\n", "3 steps, 1 goals"),
        ("a.csv", "by\n3\n\"\"\n1\n", "3 steps, 1 goals"),
        ("a.csv", "time,by\n0,3\n1,3\n2,1\n3,1\n", "3 steps, 1 goals"),
        ("a.csv", "time,by\n0,3\n1,3\n1,1\n2,1\n", "1 steps, 0 goals"),
        ("a.csv", "chain,step,by\n1,0,1\n2,0,2\n", "1 steps, 0 goals; 1 steps, 0 goals"),
        ("a.csv", "by\n1\n300\n", "line 3: `300` is no value of type unsigned char for by"),
        ("a.csv", "by\n1\n4\n", "a.csv:3: step 1"),
        ("a.csv", "by\n\"\"\n", "line 2: `` is no value"),
        ("a.csv", "too\n1\n", "no column for the input by"),
        ("a.csv", "by,other\n1,2\n", "the column `other` is neither an input nor an output"),
        ("a.csv", "step,by\n0,1\n0.5,1\n", "line 3: `0.5` is not the time of a step"),
        (
            "a.xml",
            "<testcase>\n<input>1</input><input variable=\"by\">2</input></testcase>",
            "2 steps, 0 goals",
        ),
        ("a.xml", "<testcase>\n<input variable=\"x\">1</input></testcase>", "line 2: an input `x`"),
        ("a.xml", "<testcase>\n<input>1</input>", "no <testcase>"),
        ("a.xml", "<testsuites><testcase/></testsuites>", "<testsuites> is no <testcase>"),
        ("a.json", "{}", "a.json: "),
    ];
    for (name, text, expected) in table {
        let found = match read_old_tests(&model, &[file(&folder, name, text)]) {
            Ok(old) => {
                let told = |test: &chaincover::OldTest| {
                    format!("{} steps, {} goals", test.trace.inputs.len(), test.covers().len())
                };
                old.tests.iter().map(told).collect::<Vec<_>>().join("; ")
            }
            Err(error) => error.message,
        };
        assert!(found.contains(expected), "{text}: {found}");
    }
}

/// Steps replaced, inserted or deleted, by definition and without sharing code.
fn edits(old: &[u8], new: &[u8]) -> u32 {
    match (old, new) {
        ([], rest) | (rest, []) => rest.len() as u32,
        ([a, old_rest @ ..], [b, new_rest @ ..]) => {
            let replaced = edits(old_rest, new_rest) + u32::from(a != b);
            replaced.min(1 + edits(old_rest, new)).min(1 + edits(old, new_rest))
        }
    }
}

/// The fewest edits of all sequences with a truth.
fn fewest(old: &[u8], values: u8, longest: usize, is_good: &dyn Fn(&[u8]) -> bool) -> u32 {
    let mut all: Vec<Vec<u8>> = vec![Vec::new()];
    let mut best = u32::MAX;
    for _ in 0..=longest {
        for sequence in all.iter().filter(|sequence| is_good(sequence)) {
            best = best.min(edits(old, sequence));
        }
        all = all
            .iter()
            .flat_map(|known| (0..values).map(|value| [known.as_slice(), &[value]].concat()))
            .collect();
    }
    best
}

#[test]
fn adapted_chains_have_the_fewest_edits() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "int n;\nvoid step(unsigned char by) {\n  __CPROVER_assume(by < 3);\n  n = by == 0 ? 0 : n + by;\n  if (n > 9) n = 9;\n  __CPROVER_cover(n == 4);\n  __CPROVER_cover(n == 1);\n}\n";
    let model = read([file(&folder, "counter.c", text)], &Settings::default()).expect("a model");
    let is_good = |sequence: &[u8]| {
        let (mut n, mut four, mut one) = (0, false, false);
        for &by in sequence {
            n = if by == 0 { 0 } else { (n + by).min(9) };
            (four, one) = (four || n == 4, one || n == 1);
        }
        four && one
    };
    for old in [&[1u8, 2, 1][..], &[2, 2], &[0, 0, 0], &[2, 2, 2, 2], &[1, 0, 2, 0, 2]] {
        let rows: String = old.iter().map(|by| format!("{by}\n")).collect();
        let path = file(&folder, "old.csv", &format!("by\n{rows}"));
        let adapted = adapt(&model, &path, &Options::default(), &Silent).expect("an adaptation");
        let expected = fewest(old, 3, old.len() + 2, &is_good);
        let chain = &adapted.chains[0];
        assert_eq!((chain.edits, chain.fewest_edits), (expected, expected), "{old:?}");
        assert!(adapted.outcome.chains.len() == 1 && adapted.outcome.covered() == 2, "{old:?}");
    }
}

#[test]
fn versions_differ_first_where_enumeration_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let version = |limit: u8, rest: &str| {
        format!("int n;\nvoid step(_Bool up) {{\n  if (up && n < {limit}) n++;\n  {rest}\n}}\n")
    };
    let table = [(3, 5, "", Some(4)), (3, 3, "if (n > 7) n = 0;", None), (2, 3, "if (n == 3) n = 2;", None)];
    for (old, new, rest, expected) in table {
        let before = file(&folder, "old.c", &version(old, ""));
        let now = file(&folder, "new.c", &version(new, rest));
        let found = code_difference(&[before], &[now], &Settings::default(), &Options::default(), true);
        let steps = match found.expect("an answer") {
            CodeDifference::Shown(shown) => {
                assert!(shown.is_shortest);
                Some(shown.inputs.len())
            }
            CodeDifference::None(_) => None,
            CodeDifference::Undecided(why) => panic!("{why}"),
        };
        assert_eq!(steps, expected, "{old} {new} {rest}");
    }
}
