//! Steps per second: the simulator's lanes beside the same system as compiled C, in a loop of its
//! own, under the same inputs.
//!
//! Both take the next row of a table of random inputs after every few steps, respect the
//! assumptions, and look for all goals. The states that the two come to are compared.

use super::harness::looped;
use super::process::Watched;
use super::write;
use engine::knowledge::task::{Task, all_goals};
use engine::random_simulation::Random;
use engine::step::code::Program;
use engine::step::lanes::{LANES, Watch, lanes};
use model::validate::Validated;
use model::value::Value;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// Rows of the table of inputs.
pub(super) const ROWS: usize = 64;
/// Steps for which a row is held.
pub(super) const HELD: usize = 16;
/// Steps of the compiled loop.
const COMPILED: u64 = 20_000_000;
/// Steps of each lane.
const SIMULATED: u64 = 200_000;
/// For the compiler, and for the loop.
const LIMIT: Duration = Duration::from_secs(120);

/// Steps per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed {
    /// Of the compiled loop.
    pub compiled: f64,
    /// Of the simulator, over all lanes.
    pub simulated: f64,
    /// Instructions of the simulator for each step.
    pub instructions: usize,
}

/// Measures a system in a scratch folder.
///
/// # Errors
/// A sentence, where the system cannot be compiled, or the two disagree.
pub fn measure(system: &Validated, folder: &Path) -> Result<Speed, String> {
    let task = Task::new(system, &all_goals(system), Vec::new());
    let program = Program::compile(&task);
    let mut random = Random::new(1);
    let mut table = vec![vec![0u64; program.inputs]; ROWS];
    for row in &mut table {
        for (value, sort) in row.iter_mut().zip(&program.input_sorts) {
            *value = random.next_word() & sort.mask() as u64;
        }
    }
    let (compiled, expected) = run_compiled(system, &table, folder).map_err(|error| error.to_string())??;
    let start = task.initial_state(&zeros(system));
    let start: Vec<u64> = start.iter().map(|word| word.bits() as u64).collect();
    let (simulated, state) = run_simulated(&program, &start, &table);
    if state != expected {
        return Err(format!("the states differ: {state:?} and {expected:?}"));
    }
    Ok(Speed { compiled, simulated, instructions: program.instructions.len() })
}

fn zeros(system: &Validated) -> Vec<Value> {
    let sorts = system.initial_inputs.values().map(|input| system.terms.symbol(input.symbol).sort);
    sorts.map(Value::zero).collect()
}

/// Speed, and the state of lane 0 at the end.
fn run_simulated(program: &Program, start: &[u64], table: &[Vec<u64>]) -> (f64, Vec<u64>) {
    let mut lanes = lanes(program);
    (0..LANES).for_each(|lane| lanes.load(lane, start));
    let watch = Watch::new(program);
    let (begin, mut alarms) = (Instant::now(), 0);
    for step in 0..SIMULATED as usize {
        if step.is_multiple_of(HELD) {
            (0..LANES).for_each(|lane| lanes.feed(lane, &table[(step / HELD + lane) % ROWS]));
        }
        lanes.evaluate();
        alarms += u64::from(lanes.alarms(&watch) != 0);
        lanes.advance();
    }
    let seconds = begin.elapsed().as_secs_f64();
    std::hint::black_box(alarms);
    let mut state = Vec::new();
    lanes.save(0, &mut state);
    ((SIMULATED * LANES as u64) as f64 / seconds, state)
}

/// Speed, and the state after as many steps as a lane makes.
fn run_compiled(
    system: &Validated,
    table: &[Vec<u64>],
    folder: &Path,
) -> io::Result<Result<(f64, Vec<u64>), String>> {
    let text = match looped(system, table, COMPILED, SIMULATED) {
        Ok(text) => text,
        Err(why) => return Ok(Err(why.to_string())),
    };
    write(folder, "loop.c", &text)?;
    let mut watched = Watched::default();
    for (command, output) in
        [(&["cc", "-O2", "-w", "-o", "loop", "loop.c", "-lm"][..], "compiler.txt"), (&["./loop"], "loop.txt")]
    {
        watched.call(command, folder, output, LIMIT, || false)?;
        if !watched.succeeded {
            return Ok(Err(format!("{} failed", command[0])));
        }
    }
    let printed = std::fs::read_to_string(folder.join("loop.txt"))?;
    let mut words = printed.split_whitespace();
    let seconds: f64 = words.next().and_then(|word| word.parse().ok()).unwrap_or(f64::NAN);
    let state = words.filter_map(|word| word.parse().ok()).take(system.states.len()).collect();
    Ok(Ok((COMPILED as f64 / seconds, state)))
}
