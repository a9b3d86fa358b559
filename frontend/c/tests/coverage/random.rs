//! Random step functions: in every reachable state and under all inputs, a step reaches by the front
//! end's truths what it reaches by the definitions.

use crate::coverage::explore::{checked, coverage, explore, translated};
use crate::coverage::interpreter::{Reached, step};
use crate::coverage::program::{Program, Random, random};
use frontend::coverage::{Coverage, CoverageGoal, Criterion, Part, SiteKind, Vector};
use frontend::{InputOption, Translated};
use model::id::Id;
use model::simulate::WindowEvaluator;
use model::value::Value;
use std::collections::BTreeSet;

/// Programs of an ordinary run; `CHAINCOVER_RANDOM_PROGRAMS` asks for more.
const PROGRAMS: u64 = 60;

#[test]
fn random_steps_reach_what_the_definitions_say() {
    let number =
        |name: &str, usual: u64| std::env::var(name).map_or(usual, |text| text.parse().expect("a number"));
    let first = number("CHAINCOVER_RANDOM_SEED", 1);
    let (mut goals, mut dead, mut steps) = (0, 0, 0);
    for seed in first..first + number("CHAINCOVER_RANDOM_PROGRAMS", PROGRAMS) {
        let program = random(&mut Random(seed));
        let counts = agrees(seed, &program);
        goals += counts.0;
        dead += counts.1;
        steps += counts.2;
    }
    println!("{goals} goals, {dead} of them dead, {steps} steps");
    assert!(goals > 1000 && dead > 100 || first != 1);
}

/// Compares all steps; returns the numbers of goals, of dead ones, and of steps.
fn agrees(seed: u64, program: &Program) -> (usize, usize, usize) {
    let found = translated(&program.text, |request| {
        request.step = vec![frontend::StepFunction { function: "step".to_owned(), every: 1, phase: 0 }];
        request.init = Some(String::new());
        request.coverage.criteria.remove(&Criterion::Boundary);
        request.input_options = vec![InputOption {
            lvalue: "step.n".to_owned(),
            range: Some(("0".to_owned(), "3".to_owned())),
            ..InputOption::default()
        }];
    });
    let coverage = coverage(&found);
    let keys: Vec<Option<Reached>> = coverage.goals.iter().map(|goal| key(coverage, goal)).collect();
    let system = checked(&found);
    let mut ways = WindowEvaluator::new(&system, coverage.vectors.iter().map(|vector| vector.truth));
    let (mut steps, mut met) = (0, BTreeSet::new());
    explore(&system, |state, inputs, sightings, next| {
        steps += 1;
        ways.run(&[state], &[inputs]);
        let state = variables(&found, state);
        let run = step(program, state, inputs_of(&found, inputs));
        for (goal, key) in coverage.goals.iter().zip(&keys) {
            let line = line(coverage, goal);
            let expected = match key {
                Some(key) => run.reached.contains(key),
                // The helper's blocks are left to the table of names.
                None if line < first_line_of_step(&program.text) => continue,
                None => run.statements.contains(&line),
            };
            let reached = sightings.contains(&goal.goal);
            assert_eq!(
                reached,
                expected,
                "seed {seed}: {} in state {state:?} with {:?}, where {:?} was reached, not {key:?}\n{}",
                goal.name,
                inputs_of(&found, inputs),
                run.reached,
                numbered(&program.text)
            );
            if reached {
                met.insert(goal.identity.clone());
            }
        }
        for (number, vector) in coverage.vectors.iter().enumerate() {
            let (line, text) = place(coverage, vector.site);
            let way = (line, text, way_text(vector));
            assert_eq!(
                ways.holds(number),
                run.ways.contains(&way),
                "seed {seed}: {way:?} in state {state:?} with {:?}\n{}",
                inputs_of(&found, inputs),
                numbered(&program.text)
            );
        }
        let known: BTreeSet<&Reached> = keys.iter().flatten().collect();
        let missing = run.reached.iter().find(|reached| !known.contains(reached));
        assert!(missing.is_none(), "seed {seed}: no goal for {missing:?}\n{}", numbered(&program.text));
        let mut after = [0; 4];
        after.copy_from_slice(&run.variables[3..7]);
        for (index, name, value) in values(&found, next) {
            assert_eq!(value, after[index], "seed {seed}: {name}\n{}", numbered(&program.text));
        }
    });
    (coverage.goals.len(), coverage.goals.len() - met.len(), steps)
}

const STATE: [&str; 4] = ["s", "u", "t", "i"];

fn first_line_of_step(text: &str) -> u32 {
    let at = text.find("void step").expect("the step");
    text[..at].matches('\n').count() as u32 + 1
}

/// Line and text of a decision, as the interpreter has them.
pub(crate) fn place(coverage: &Coverage, site: usize) -> (u32, String) {
    let site = &coverage.sites[site];
    let text: String = site.text.chars().filter(|letter| !letter.is_whitespace()).collect();
    let text = text.replace("(unsignedchar)", "").replace(['(', ')'], "");
    (site.place.as_ref().map_or(0, |place| place.line), text)
}

fn way_text(vector: &Vector) -> String {
    let letter = |value: Option<bool>| value.map_or('-', |value| if value { 'T' } else { 'F' });
    let values = vector.values.iter().map(|value| letter(*value));
    values.chain([' ', letter(Some(vector.outcome))]).collect()
}

pub(crate) fn variables(found: &Translated, state: &[Value]) -> [i64; 4] {
    let mut all = [0; 4];
    for (index, _, value) in values(found, state) {
        all[index] = value;
    }
    all
}

/// The variables that are state words: number, name, value.
pub(crate) fn values<'v>(
    found: &'v Translated,
    state: &'v [Value],
) -> impl Iterator<Item = (usize, &'v str, i64)> + 'v {
    found.system.states.ids().map(|id| {
        let name = found.system.state_name(id);
        let index = STATE.iter().position(|known| *known == name).expect("a known variable");
        (index, name, state[id.index()].bits() as i64)
    })
}

pub(crate) fn inputs_of(found: &Translated, inputs: &[Value]) -> [i64; 3] {
    let mut all = [0; 3];
    for input in &found.signals.inputs {
        let index = ["step.a", "step.b", "step.n"].iter().position(|name| *name == input.signal.lvalue);
        all[index.expect("a known input")] = inputs[input.input.index()].bits() as i64;
    }
    all
}

fn line(coverage: &Coverage, goal: &CoverageGoal) -> u32 {
    coverage.sites[goal.site].place.as_ref().map_or(0, |place| place.line)
}

/// What the interpreter calls a goal; `None` for blocks.
fn key(coverage: &Coverage, goal: &CoverageGoal) -> Option<Reached> {
    let site = &coverage.sites[goal.site];
    let text: String = site.text.chars().filter(|letter| !letter.is_whitespace()).collect();
    let part = match goal.part {
        Part::Entered => return None,
        Part::Outcome(value) => format!("outcome {value}"),
        Part::Label(label) => format!("label {label}"),
        Part::Value(condition, value) => format!("value {condition} {value}"),
        Part::Half(condition, value) => format!("half {condition} {value}"),
        Part::Relation(difference) => format!("difference {difference}"),
        Part::Cell(_) | Part::End(_) => unreachable!("boundaries were not asked for"),
    };
    let text = text.replace("(unsignedchar)", "").replace(['(', ')'], "");
    assert!(site.kind != SiteKind::Input);
    Some((line(coverage, goal), text, part))
}

pub(crate) fn numbered(text: &str) -> String {
    let lines = text.lines().enumerate().map(|(index, line)| format!("{:3} {line}", index + 1));
    lines.collect::<Vec<_>>().join("\n")
}
