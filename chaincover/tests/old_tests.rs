//! Old tests, adapted chains and differences of versions, against enumeration and tables.

use chaincover::{
    CodeDifference, KeptPrefix, Options, Preference, Settings, Silent, adapt, code_difference, read,
    read_old_tests,
};
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
        ("a.csv", "time,by\n0,3\n1,3\n1,1\n2,1\n", "2 steps, 0 goals"),
        ("a.csv", "chain,step,by\n1,0,1\n2,0,2\n", "1 steps, 0 goals; 1 steps, 0 goals"),
        ("a.csv", "by\n1\n300\n", ":3: `300` is no value of type unsigned char for by"),
        ("a.csv", "by\n1\n4\n", "a.csv:3: step 1"),
        ("a.csv", "by\n\"\"\n", ":2: `` is no value"),
        ("a.csv", "too\n1\n", "no column for the input by"),
        ("a.csv", "by,other\n1,2\n", "the column `other` is neither an input nor an output"),
        ("a.csv", "step,by\n0,1\n0.5,1\n", ":3: `0.5` is not the time of a step"),
        (
            "a.xml",
            "<testcase>\n<input>1</input><input variable=\"by\">2</input></testcase>",
            "2 steps, 0 goals",
        ),
        ("a.xml", "<testcase>\n<input variable=\"x\">1</input></testcase>", ":2: an input `x`"),
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

/// Steps replaced, inserted or deleted, by definition and without sharing code; and of these the
/// fewest that are replaced.
fn edits(old: &[u8], new: &[u8]) -> (u32, u32) {
    match (old, new) {
        ([], rest) | (rest, []) => (rest.len() as u32, 0),
        ([a, old_rest @ ..], [b, new_rest @ ..]) => {
            let (all, replaced) = edits(old_rest, new_rest);
            let kept = (all + u32::from(a != b), replaced + u32::from(a != b));
            let other = |(all, replaced)| (all + 1, replaced);
            kept.min(other(edits(old_rest, new))).min(other(edits(old, new_rest)))
        }
    }
}

/// The fewest edits of all sequences with a truth, the fewest steps with these, and the fewest
/// replaced steps with both.
fn fewest(old: &[u8], values: u8, longest: usize, is_good: &dyn Fn(&[u8]) -> bool) -> (u32, usize, u32) {
    let mut all: Vec<Vec<u8>> = vec![Vec::new()];
    let mut best = (u32::MAX, 0, 0);
    for _ in 0..=longest {
        for sequence in all.iter().filter(|sequence| is_good(sequence)) {
            let (edits, replaced) = edits(old, sequence);
            best = best.min((edits, sequence.len(), replaced));
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
        let adapted = adapt(&model, &path, (&[], Preference::FewestEdits), &Options::default(), &Silent)
            .expect("an adaptation");
        let (expected, steps, values) = fewest(old, 3, old.len() + 2, &is_good);
        let chain = &adapted.chains[0];
        assert!(chain.is_shortest && chain.new_steps == Some(steps), "{old:?}");
        assert!(chain.fewest_values as u32 <= values && values as usize <= chain.changed_values, "{old:?}");
        assert_eq!((chain.edits, chain.fewest_edits), (expected, expected), "{old:?}");
        assert!(adapted.outcome.chains.len() == 1 && adapted.outcome.covered() == 2, "{old:?}");
    }
}

/// Numbers that look random and are the same in every run (Marsaglia, *Xorshift RNGs*, 2003).
struct Numbers(u32);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 as usize % limit
    }
}

/// A step function over four states and one truth as input.
#[derive(Clone)]
struct Machine {
    next: [usize; 8],
    output: [usize; 4],
    /// The state after a step that ends the program.
    aborts: Option<usize>,
    /// The state and the input that an assumption excludes.
    excludes: Option<(usize, usize)>,
}

impl Machine {
    fn random(numbers: &mut Numbers) -> Self {
        Self {
            next: std::array::from_fn(|_| numbers.below(4)),
            output: std::array::from_fn(|_| numbers.below(3)),
            aborts: None,
            excludes: None,
        }
    }

    /// The state after a step; `None`: the program does not go on.
    fn step(&self, state: usize, input: usize) -> Option<usize> {
        let next = self.next[2 * state + input];
        let goes_on = self.excludes != Some((state, input)) && self.aborts != Some(next);
        goes_on.then_some(next)
    }

    fn text(&self, covers: &[usize]) -> String {
        let list = |numbers: &[usize]| numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        let mut lines = vec![
            "void abort(void); void __CPROVER_assume(int); void __CPROVER_cover(int);".to_owned(),
            format!("static const unsigned char next[8] = {{{}}};", list(&self.next)),
            format!("static const unsigned char shown[4] = {{{}}};", list(&self.output)),
            "static unsigned char s; unsigned char out;".to_owned(),
            "void step(_Bool in) {".to_owned(),
        ];
        lines.extend(
            self.excludes.map(|(s, input)| format!("__CPROVER_assume(!(s == {s} && in == {input}));")),
        );
        lines.push("s = next[2 * s + in];".to_owned());
        lines.extend(self.aborts.map(|s| format!("if (s == {s}) abort();")));
        lines.extend(covers.iter().map(|goal| format!("__CPROVER_cover(s == {goal});")));
        lines.push("out = shown[s]; }\n".to_owned());
        lines.join("\n")
    }

    /// Whether all goals are states after steps of an execution.
    fn covers(&self, goals: &[usize], sequence: &[u8]) -> bool {
        let (mut state, mut open) = (0, goals.to_vec());
        for &input in sequence {
            let Some(next) = self.step(state, usize::from(input)) else { return false };
            state = next;
            open.retain(|&goal| goal != state);
        }
        open.is_empty()
    }

    /// The states that some execution reaches by a step.
    fn reached(&self) -> Vec<usize> {
        let (mut found, mut open) = (Vec::new(), vec![0]);
        while let Some(state) = open.pop() {
            for next in (0..2).filter_map(|input| self.step(state, input)) {
                if !found.contains(&next) {
                    found.push(next);
                    open.push(next);
                }
            }
        }
        found
    }
}

#[test]
fn adapted_chains_of_random_machines_have_the_fewest_edits_and_steps() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut numbers = Numbers(2024);
    let mut compared = [0; 3];
    for _ in 0..40 {
        let mut machine = Machine::random(&mut numbers);
        machine.excludes = (numbers.below(2) == 0).then(|| (numbers.below(4), numbers.below(2)));
        let goals: Vec<usize> = machine.reached().into_iter().filter(|&state| state != 0).take(3).collect();
        let old: Vec<u8> = (0..1 + numbers.below(5)).map(|_| numbers.below(2) as u8).collect();
        let longest = old.len() + 3;
        let mut best: Option<(u32, usize)> = None;
        for steps in 0..=longest {
            for bits in 0..1_u32 << steps {
                let sequence: Vec<u8> = (0..steps).map(|at| (bits >> at & 1) as u8).collect();
                if machine.covers(&goals, &sequence) {
                    let found = (edits(&old, &sequence).0, steps);
                    best = Some(best.map_or(found, |known| known.min(found)));
                }
            }
        }
        // Longer sequences have more edits than this.
        let Some((fewest, steps)) = best.filter(|&(edits, _)| edits <= 3 && !goals.is_empty()) else {
            continue;
        };
        let model = read([file(&folder, "machine.c", &machine.text(&goals))], &Settings::default());
        let model = model.expect("a model");
        let rows: String = old.iter().map(|input| format!("{input}\n")).collect();
        let path = file(&folder, "old.csv", &format!("in\n{rows}"));
        let adapted = adapt(&model, &path, (&[], Preference::FewestEdits), &Options::default(), &Silent)
            .expect("an adaptation");
        let chain = &adapted.chains[0];
        let told = (chain.edits, chain.fewest_edits, chain.new_steps, chain.is_shortest);
        assert_eq!(told, (fewest, fewest, Some(steps), true), "{old:?} {goals:?} {}", machine.text(&goals));
        assert_eq!((adapted.outcome.chains.len(), adapted.outcome.covered()), (1, goals.len()));
        compared[fewest.min(2) as usize] += 1;
    }
    assert!(compared.iter().all(|&number| number > 2), "{compared:?}");
}

/// The longest beginning of the old sequence that a covering one has, and the fewest steps with it.
#[test]
fn adapted_chains_of_random_machines_keep_the_longest_prefix() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut numbers = Numbers(77);
    let mut compared = [0; 2];
    for _ in 0..80 {
        let mut machine = Machine::random(&mut numbers);
        machine.excludes = (numbers.below(2) == 0).then(|| (numbers.below(4), numbers.below(2)));
        let goals: Vec<usize> = machine.reached().into_iter().filter(|&state| state != 0).take(3).collect();
        let old: Vec<u8> = (0..1 + numbers.below(5)).map(|_| numbers.below(2) as u8).collect();
        let mut best: Option<(usize, std::cmp::Reverse<usize>)> = None;
        // Three goals in four states are at most nine steps behind any prefix.
        for steps in 0..=old.len() + 9 {
            for bits in 0..1_u32 << steps {
                let sequence: Vec<u8> = (0..steps).map(|at| (bits >> at & 1) as u8).collect();
                if machine.covers(&goals, &sequence) {
                    let kept = old.iter().zip(&sequence).take_while(|(old, new)| old == new).count();
                    best = best.max(Some((kept, std::cmp::Reverse(steps))));
                }
            }
        }
        let Some((kept, std::cmp::Reverse(steps))) = best.filter(|_| !goals.is_empty()) else { continue };
        let model = read([file(&folder, "machine.c", &machine.text(&goals))], &Settings::default());
        let model = model.expect("a model");
        let rows: String = old.iter().map(|input| format!("{input}\n")).collect();
        let path = file(&folder, "old.csv", &format!("in\n{rows}"));
        let preference = (&[][..], Preference::LongestPrefix);
        let adapted = adapt(&model, &path, preference, &Options::default(), &Silent).expect("an adaptation");
        let chain = &adapted.chains[0];
        let told = (chain.prefix, chain.new_steps, chain.is_shortest);
        let expected = (Some(KeptPrefix { steps: kept, most: kept }), Some(steps), true);
        assert_eq!(told, expected, "{old:?} {goals:?} {}", machine.text(&goals));
        compared[usize::from(kept < old.len())] += 1;
    }
    assert!(compared.iter().all(|&number| number > 5), "{compared:?}");
}

/// What tells two machines apart, by breadth-first search over pairs of states: the steps of the
/// shortest execution after which outputs differ; else those of the shortest in which the new one
/// does not go on where the old one does, or the old one where the new one does.
fn told_apart(old: &Machine, new: &Machine) -> String {
    let (mut known, mut open) = (vec![(0, 0)], vec![(0, 0)]);
    let (mut ended, mut steps) = ([None, None], 0);
    while !open.is_empty() {
        steps += 1;
        for (one, other) in std::mem::take(&mut open) {
            for input in 0..2 {
                let pair = match (old.step(one, input), new.step(other, input)) {
                    (Some(one), Some(other)) => (one, other),
                    (Some(_), None) => {
                        ended[0] = ended[0].or(Some(steps));
                        continue;
                    }
                    (None, Some(_)) => {
                        ended[1] = ended[1].or(Some(steps));
                        continue;
                    }
                    (None, None) => continue,
                };
                if old.output[pair.0] != new.output[pair.1] {
                    return format!("differ {steps}");
                }
                if !known.contains(&pair) {
                    known.push(pair);
                    open.push(pair);
                }
            }
        }
    }
    match ended {
        [Some(steps), _] => format!("new ends {steps}"),
        [None, Some(steps)] => format!("old ends {steps}"),
        [None, None] => "alike".to_owned(),
    }
}

#[test]
fn random_machines_differ_first_where_enumeration_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut numbers = Numbers(77);
    let mut kinds = std::collections::BTreeMap::<String, usize>::new();
    for _ in 0..32 {
        let old = Machine::random(&mut numbers);
        let mut versions = [old.clone(), old];
        let changed = numbers.below(2);
        match numbers.below(4) {
            0 => versions[changed].aborts = Some(1 + numbers.below(3)),
            1 => versions[changed].excludes = Some((numbers.below(4), numbers.below(2))),
            2 => versions[changed].next[numbers.below(8)] = numbers.below(4),
            _ => versions[changed].output[numbers.below(4)] = numbers.below(3),
        }
        let [old, new] = versions;
        // Code in which no first step is possible is an error of reading it.
        let is_stuck = |machine: &Machine| (0..2).all(|input| machine.step(0, input).is_none());
        if is_stuck(&old) || is_stuck(&new) {
            continue;
        }
        let expected = told_apart(&old, &new);
        let before = file(&folder, "old.c", &old.text(&[]));
        let now = file(&folder, "new.c", &new.text(&[]));
        let found = code_difference(&[before], &[now], &Settings::default(), &Options::default(), true);
        let told = match found.expect("an answer") {
            CodeDifference::Shown(shown) => {
                assert!(shown.is_shortest);
                format!("differ {}", shown.inputs.len())
            }
            CodeDifference::Ends(end) => {
                assert!(end.is_shortest);
                format!("{} ends {}", if end.is_old { "old" } else { "new" }, end.inputs.len())
            }
            CodeDifference::None(_) => "alike".to_owned(),
            CodeDifference::Undecided(why) => why,
        };
        assert_eq!(told, expected, "{} {}", old.text(&[]), new.text(&[]));
        *kinds.entry(told.trim_end_matches(char::is_numeric).to_owned()).or_default() += 1;
    }
    assert_eq!(kinds.len(), 4, "{kinds:?}");
}

#[test]
fn versions_that_cannot_be_compared_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let old = "int n; void step(_Bool up) { if (up && n < 3) n++; }";
    let table = [
        ("signed char n; void step(_Bool up) { if (up && n < 3) n++; }", "output n has another type"),
        ("float n; void step(_Bool up) { if (up && n < 3) n++; }", "output n has another type"),
        ("int n; void step(int up) { if (up && n < 3) n++; }", "it reads the input step.up"),
        (
            "int n; void step(_Bool up, _Bool by) { if (up && by && n < 3) n++; }",
            "it reads the input step.by",
        ),
        ("int m; void step(_Bool up) { if (up && m < 3) m++; }", "it has no output n"),
    ];
    for (new, expected) in table {
        let (before, now) = (file(&folder, "old.c", old), file(&folder, "new.c", new));
        let found = code_difference(&[before], &[now], &Settings::default(), &Options::default(), true);
        let told = found.expect_err(new).message;
        assert!(told.contains(expected), "{new}: {told}");
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
            other => panic!("{other:?}"),
        };
        assert_eq!(steps, expected, "{old} {new} {rest}");
    }
}

/// Decisions with their numbers, one of which the old version has inverted.
const LIFT: [&str; 6] =
    ["up && !stop", "count > 3", "load > 100 || stop", "latched", "load & 1", "count == 2 && up"];

fn lift(inverted: Option<usize>) -> String {
    let text = |at: usize| match inverted == Some(at) {
        true => format!("(!({}))", LIFT[at]),
        false => format!("({})", LIFT[at]),
    };
    format!(
        "static unsigned char count;\nstatic _Bool latched;\nunsigned char motor, lamp;\n\
         void step(_Bool up, _Bool stop, unsigned char load) {{\n if {}\n  count = count < 9 ? count + 1 : 9;\n else\n  count = 0;\n\
         \x20if {}\n  latched = 1;\n if {}\n  motor = 0;\n else if {}\n  motor = 2;\n else\n  motor = 1;\n\
         \x20lamp = {}\n  ? 1 : 0;\n if {}\n  lamp += 2;\n __CPROVER_cover(motor == 2 && lamp == 3);\n __CPROVER_cover(lamp == 2); }}\n",
        text(0),
        text(1),
        text(2),
        text(3),
        text(4),
        text(5)
    )
}

/// Up to the first step that differs both versions are in the same state: there the opposite outcome
/// of the decision that was inverted gives all that was recorded.
#[test]
fn the_decision_that_makes_the_first_difference_is_named() {
    let lines = [5, 9, 11, 13, 17, 19];
    for inverted in 0..LIFT.len() {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = Settings::default();
        let before = read([file(&folder, "lift.c", &lift(Some(inverted)))], &settings).expect("a model");
        let outcome = chaincover::find_chains(&before, &Options::default(), &Silent).expect("chains");
        let checks = chaincover::check_natively(&before, &outcome, &chaincover::Limit::default());
        let made = (&settings, &Options::default());
        let result = chaincover::report(&before, (&outcome, &checks), made, Default::default());
        let old = file(&folder, "old.json", &chaincover::to_json(&result));
        let now = read([file(&folder, "lift.c", &lift(None))], &settings).expect("a model");
        let adapted =
            adapt(&now, &old, (&[], Preference::FewestEdits), &Options::default(), &Silent).expect("adapted");
        let chain = &adapted.chains[0];
        let place = format!("lift.c:{}: ", lines[inverted]);
        assert!(
            chain.difference.is_some() && chain.causes.iter().any(|cause| cause.contains(&place)),
            "{place}: {:?} {:?}",
            chain.difference,
            chain.causes
        );
    }
}

/// Where a value is another, and no decision, none is named.
#[test]
fn values_are_no_decisions() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = |value: u8| {
        format!(
            "int y; void step(_Bool a, _Bool b) {{ y = a ? {value} : b ? 1 : 0; __CPROVER_cover(a && !b); }}"
        )
    };
    let before = read([file(&folder, "m.c", &text(2))], &Settings::default()).expect("a model");
    let outcome = chaincover::find_chains(&before, &Options::default(), &Silent).expect("chains");
    let checks = chaincover::check_natively(&before, &outcome, &chaincover::Limit::default());
    let made = (&Settings::default(), &Options::default());
    let result = chaincover::report(&before, (&outcome, &checks), made, Default::default());
    let old = file(&folder, "old.json", &chaincover::to_json(&result));
    let now = read([file(&folder, "m.c", &text(3))], &Settings::default()).expect("a model");
    let adapted =
        adapt(&now, &old, (&[], Preference::FewestEdits), &Options::default(), &Silent).expect("adapted");
    assert!(adapted.chains[0].difference.is_some() && adapted.chains[0].causes.is_empty());
}
