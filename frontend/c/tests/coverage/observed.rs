//! Values that are seen at outputs: what the terms of a window say, against an interpreter that runs
//! the step with the value inverted, and goes on from there.

use crate::coverage::explore::{checked, coverage, explore, input_rows, translated, translated_if_possible};
use crate::coverage::interpreter::{Inverted, step, step_otherwise};
use crate::coverage::program::{Program, Random, random};
use crate::coverage::random::{inputs_of, numbered, place, variables};
use frontend::coverage::Criterion;
use frontend::{InputOption, Inversion, Request, Translated};
use model::counterfactual::{Observer, Otherwise, Sight};
use model::product::Observation;
use model::simulate::{Simulator, WindowEvaluator};
use model::system::TransitionSystem;
use model::validate::{Validated, validate};
use model::value::Value;
use std::collections::BTreeSet;

/// Programs of an ordinary run; `CHAINCOVER_RANDOM_PROGRAMS` asks for more.
const PROGRAMS: u64 = 3;

/// Steps behind that of the value.
const DEPTH: u32 = 2;

/// Windows of each value that are looked at, each from a state that can be reached.
const WINDOWS: usize = 40;

/// Outputs, and their numbers among the interpreter's variables behind the inputs.
const OUTPUTS: [(&str, usize); 2] = [("u", 1), ("t", 2)];

#[test]
fn random_values_are_seen_where_the_interpreter_sees_them() {
    let number =
        |name: &str, usual: u64| std::env::var(name).map_or(usual, |text| text.parse().expect("a number"));
    let first = number("CHAINCOVER_RANDOM_SEED", 1);
    let mut counts = Counts::default();
    for seed in first..first + number("CHAINCOVER_RANDOM_PROGRAMS", PROGRAMS) {
        agrees(seed, &random(&mut Random(seed)), &mut counts);
    }
    println!("{counts:?}");
    assert!(counts.seen > 100 && counts.unseen > 100 && counts.later > 10 || first != 1, "{counts:?}");
    assert!(counts.refused * 4 < counts.values, "{counts:?}");
}

#[derive(Debug, Default)]
struct Counts {
    values: usize,
    /// Values whose inverted step cannot be read: a loop has no bound there.
    refused: usize,
    windows: usize,
    seen: usize,
    unseen: usize,
    /// Windows in which a value is seen only behind its step.
    later: usize,
}

fn adjust(request: &mut Request) {
    request.step = vec![frontend::StepFunction { function: "step".to_owned(), every: 1, phase: 0 }];
    request.init = Some(String::new());
    request.coverage.criteria = [Criterion::Decision, Criterion::Condition].into_iter().collect();
    request.outputs = Some(OUTPUTS.iter().map(|(name, _)| (*name).to_owned()).collect());
    request.input_options = vec![InputOption {
        lvalue: "step.n".to_owned(),
        range: Some(("0".to_owned(), "3".to_owned())),
        ..InputOption::default()
    }];
}

fn agrees(seed: u64, program: &Program, counts: &mut Counts) {
    let found = translated(&program.text, adjust);
    let original = checked(&found);
    let mut states: Vec<Vec<Value>> = Vec::new();
    let mut known = BTreeSet::new();
    explore(&original, |state, _, _, _| {
        if known.insert(state.iter().map(|value| value.bits()).collect::<Vec<_>>()) {
            states.push(state.to_vec());
        }
    });
    let rows = input_rows(&original);
    let mut draw = Random(seed);
    for (index, site) in coverage(&found).sites.iter().enumerate() {
        let (line, text) = place(coverage(&found), index);
        let conditions = site.conditions.iter().enumerate();
        let conditions = conditions.map(|(number, condition)| (Some(number), &condition.values));
        for (number, values) in std::iter::once((None, &site.values)).chain(conditions) {
            if values.is_empty() {
                continue;
            }
            counts.values += 1;
            let inverted: Inverted = (line, text.clone(), number);
            match sights(&program.text, &found, values) {
                Some((system, sights)) => {
                    let roots = sights.iter().map(|sight| sight.differs);
                    let (evaluator, simulator) =
                        (WindowEvaluator::new(&system, roots), Simulator::new(&system));
                    let mut subject =
                        Subject { seed, program, found: &found, evaluator, simulator, sights, inverted };
                    for _ in 0..WINDOWS {
                        let state = &states[draw.below(states.len())];
                        let window = (0..=DEPTH).map(|_| rows[draw.below(rows.len())].clone()).collect();
                        subject.compare(state, window, counts);
                    }
                }
                None => counts.refused += 1,
            }
        }
    }
}

/// Where a value may be seen, and the system whose terms say so.
fn sights(text: &str, found: &Translated, values: &[usize]) -> Option<(Validated, Vec<Sight>)> {
    let version = |is_now: bool| {
        let inversion = Inversion { values: values.to_vec(), is_now };
        translated_if_possible(text, |request| {
            adjust(request);
            request.inversion = Some(inversion);
        })
    };
    let (inverted, plain) = (version(true)?, version(false)?);
    let seen = Observation { outputs: vec![(0, 0), (1, 1)], ..Observation::default() };
    let (inverted, plain) = (checked(&inverted), checked(&plain));
    let mut system: TransitionSystem = found.system.clone();
    let otherwise = Otherwise { inverted: (&inverted, &seen), plain: (&plain, &seen) };
    let sights = Observer::new(&mut system, &[]).sights(otherwise, DEPTH).ok()?;
    Some((validate(system).expect("a valid system should stay valid"), sights))
}

struct Subject<'a> {
    seed: u64,
    program: &'a Program,
    found: &'a Translated,
    evaluator: WindowEvaluator,
    simulator: Simulator,
    sights: Vec<Sight>,
    inverted: Inverted,
}

impl Subject<'_> {
    fn compare(&mut self, state: &[Value], window: Vec<Vec<Value>>, counts: &mut Counts) {
        let mut states = vec![state.to_vec()];
        for inputs in &window {
            let next = self.simulator.step(states.last().expect("a state"), inputs).next;
            states.push(next);
        }
        self.evaluator.run(&states, &window);
        let (mut own, mut other) = (variables(self.found, state), variables(self.found, state));
        counts.windows += 1;
        let mut first = None;
        for (frame, row) in window.iter().enumerate() {
            let inputs = inputs_of(self.found, row);
            let run = step(self.program, own, inputs);
            let inverted = (frame == 0).then(|| self.inverted.clone());
            let changed = step_otherwise(self.program, other, inputs, inverted);
            assert!(!changed.is_endless(), "seed {}: {:?} has no end", self.seed, self.inverted);
            own.copy_from_slice(&run.variables[3..7]);
            other.copy_from_slice(&changed.variables[3..7]);
            for (output, (name, position)) in OUTPUTS.iter().enumerate() {
                let differs = own[*position] != other[*position];
                let mut here = self.sights.iter().enumerate();
                let said = here.any(|(number, sight)| {
                    (sight.frame as usize, sight.output) == (frame, output) && self.evaluator.holds(number)
                });
                assert_eq!(
                    said,
                    differs,
                    "seed {}: {:?} at {name} in frame {frame} from {state:?} under {window:?}\n{}",
                    self.seed,
                    self.inverted,
                    numbered(&self.program.text)
                );
                first = first.or(differs.then_some(frame));
            }
        }
        match first {
            None => counts.unseen += 1,
            Some(frame) => {
                counts.seen += 1;
                counts.later += usize::from(frame > 0);
            }
        }
    }
}
