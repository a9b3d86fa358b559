//! Inputs of one step that bring a goal about, by local search over numbers.
//!
//! Where a goal asks for a small range of a number that the step computes from floats, drawing
//! inputs seldom meets it, and queries are hard: multipliers of floats are large circuits, and of
//! the C library's results a solver knows next to nothing. But the step can be run, and most of
//! what it computes changes little where an input changes little. So one input after the other is
//! moved up and down, by large steps first, as long as that brings the [goal nearer](objective)
//! (the alternating variable method: B. Korel, Automated software test data generation, IEEE TSE
//! 16(8), 1990; the steps are those of a lattice search: J. Kempka, P. McMinn, D. Sudholt,
//! Theoretical Computer Science 605 (2015)). Steps count values, not differences, so that floats of
//! all magnitudes are within reach.

mod objective;

use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::random_simulation::Random;
use crate::step::external::Answers;
use crate::step::lemma::rounded;
use crate::step::value_order::{from_order, order};
use model::id::Id;
use model::simulate::{Simulator, WindowEvaluator};
use model::sort::Sort;
use model::system::{InputRole, StateId};
use model::term::{SymbolId, TermId};
use model::validate::{Meaning, Validated};
use model::value::Value;
use model::visit::{cone, support};
use objective::Objective;
use std::collections::BTreeSet;

/// Sweeps over all inputs and all sizes of steps.
const SWEEPS: u32 = 6;
/// Moves in one direction by steps of one size.
const MOVES: u32 = 4;
/// Inputs that are drawn to start from.
const DRAWN: usize = 3;
/// Most inputs of which one is moved at a time.
const MOST_VARIABLES: usize = 64;

/// Looks for inputs of a step that make a goal occur in it.
pub(crate) struct Aim<'s> {
    system: &'s Validated,
    objective: Objective,
    /// The roots of the objective.
    values: WindowEvaluator,
    step: Simulator,
    answers: Answers<'s>,
    /// The inputs that matter and that a tester chooses.
    variables: Vec<usize>,
    /// What one look costs, in evaluated terms.
    cost: u64,
    row: Vec<Value>,
}

/// How good the inputs of a step are.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Judged {
    /// Nothing.
    Hit,
    /// So far from the goal; infinite where the step does not exist.
    Far(f64),
}

impl<'s> Aim<'s> {
    /// At the goal of a vertex. `None`: it takes more than a step, or no float matters to it;
    /// others do better then.
    pub(crate) fn new(task: &'s Task<'s>, vertex: Vertex) -> Option<Self> {
        let (system, target) = (task.system, task.target(vertex));
        if target.steps != 1 {
            return None;
        }
        let roots = computed(system, target.antecedent, task);
        let all = cone(&system.terms, &roots);
        let is_float = |&term: &TermId| matches!(system.terms.sort(term), Sort::Float(_));
        let variables = inputs(system, &roots);
        if variables.is_empty() || variables.len() > MOST_VARIABLES || !all.iter().any(is_float) {
            return None;
        }
        let is_stimulus = |symbol: SymbolId| matches!(system.meaning(symbol), Meaning::Input(input) if variables.contains(&input.index()));
        let objective = Objective::new(&system.terms, target.antecedent, |conjunct| {
            support(&system.terms, &[conjunct]).into_iter().all(is_stimulus)
        });
        let values = WindowEvaluator::new(system, objective.roots().iter().copied());
        let answers = Answers::new(system);
        let (step, cost) = (Simulator::new(system), system.terms.len() as u64);
        Some(Self { system, objective, values, step, answers, variables, cost, row: Vec::new() })
    }

    /// Inputs that make the goal occur in a step from this state; `rows` are inputs to start from.
    /// Takes what it costs off `effort`, and gives up where that is used up.
    pub(crate) fn hit(
        &mut self,
        state: &[Value],
        rows: &[Vec<Value>],
        effort: &mut u64,
    ) -> Option<Vec<Value>> {
        let zero = |symbol: SymbolId| Value::zero(self.system.terms.symbol(symbol).sort);
        let rest: Vec<Value> = self.system.inputs.values().map(|input| zero(input.symbol)).collect();
        let mut random = Random::new(state.len() as u64);
        let drawn: Vec<Vec<Value>> = (0..DRAWN).map(|_| self.drawn(&rest, &mut random)).collect();
        rows.iter().chain([&rest]).chain(&drawn).find_map(|row| self.descend(state, row.clone(), effort))
    }

    /// The row with moderate floats.
    fn drawn(&self, rest: &[Value], random: &mut Random) -> Vec<Value> {
        let mut row = rest.to_vec();
        for &variable in &self.variables {
            let number = (random.below(1 << 16) as f64 - 32_768.0) / 256.0;
            row[variable] = match row[variable].sort() {
                Sort::Float(format) => rounded(format, number),
                Sort::Word(_) => row[variable],
            };
        }
        row
    }

    /// Moves one input after the other as long as that brings the goal nearer.
    fn descend(&mut self, state: &[Value], mut row: Vec<Value>, effort: &mut u64) -> Option<Vec<Value>> {
        let mut best = self.judge(state, &row, effort)?;
        if best == Judged::Hit {
            return Some(self.answered(state, &row));
        }
        for _ in 0..SWEEPS {
            let before = best;
            for size in (0..64).rev().step_by(2).chain([0]) {
                for number in 0..self.variables.len() {
                    let variable = self.variables[number];
                    if size >= row[variable].sort().width() {
                        continue;
                    }
                    for step in [1i128 << size, -(1i128 << size)] {
                        for _ in 0..MOVES {
                            let old = row[variable];
                            row[variable] = from_order(old.sort(), order(old) + step);
                            let judged = self.judge(state, &row, effort)?;
                            if judged >= best {
                                row[variable] = old;
                                break;
                            }
                            best = judged;
                        }
                    }
                    if best == Judged::Hit {
                        return Some(self.answered(state, &row));
                    }
                }
            }
            if best >= before {
                return None;
            }
        }
        None
    }

    /// The row with what the C library says.
    fn answered(&mut self, state: &[Value], row: &[Value]) -> Vec<Value> {
        let mut row = row.to_vec();
        self.answers.answer(state, &mut row);
        row
    }

    /// How far the goal is from occurring in a step under these inputs; `None`: the effort is used
    /// up.
    fn judge(&mut self, state: &[Value], row: &[Value], effort: &mut u64) -> Option<Judged> {
        *effort = effort.checked_sub(self.cost)?;
        let mut answered = std::mem::take(&mut self.row);
        answered.clear();
        answered.extend_from_slice(row);
        self.answers.answer(state, &mut answered);
        let mut next = state.to_vec();
        let judged = if self.step.advance(&mut next, &answered) {
            self.values.run(&[state, &next], &[&answered]);
            if self.values.holds(0) {
                Judged::Hit
            } else {
                Judged::Far(self.objective.distance(&self.values))
            }
        } else {
            Judged::Far(f64::INFINITY)
        };
        self.row = answered;
        Some(judged)
    }
}

/// What decides whether the antecedent of a goal of one step holds: itself, the next values of what
/// it reads behind the step, and the arguments of all calls of the C library.
fn computed(system: &Validated, antecedent: TermId, task: &Task<'_>) -> Vec<TermId> {
    let mut behind: BTreeSet<StateId> = BTreeSet::new();
    for symbol in support(&system.terms, &[antecedent]) {
        if let Meaning::Framed { base, .. } = system.meaning(symbol)
            && let Meaning::State(state) = system.meaning(base)
        {
            behind.insert(state);
        }
    }
    let next = behind.into_iter().map(|state| system.states[state].next);
    let arguments = task.calls().iter().flat_map(|call| call.arguments.iter().copied());
    std::iter::once(antecedent).chain(next).chain(arguments).collect()
}

/// The inputs among the support of these terms that a tester chooses, ascending.
fn inputs(system: &Validated, roots: &[TermId]) -> Vec<usize> {
    let of = |symbol: SymbolId| match system.meaning(symbol) {
        Meaning::Input(input) if system.inputs[input].role == InputRole::Stimulus => Some(input.index()),
        _ => None,
    };
    let found: BTreeSet<usize> = support(&system.terms, roots).into_iter().filter_map(of).collect();
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::task::all_goals;
    use model::external::{Call, Function};
    use model::sort::FloatFormat;
    use model::system::{InputId, TransitionSystem};
    use model::text::parse;
    use model::validate::validate;

    const EFFORT: u64 = 2_000_000;

    fn read(text: &str) -> TransitionSystem {
        parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    /// What is computed of the inputs, what is asked of the result, and whether there are inputs
    /// with that result.
    #[test]
    fn narrow_ranges_of_smooth_functions_are_met() {
        let table = [
            ("(float-mul x x)", "(and (float-le 30.25 y@1) (float-lt y@1 30.2500001))", true),
            ("(float-mul x x)", "(float-eq y@1 -1.0)", false),
            (
                "(float-add (float-mul x w) 1.0)",
                "(and (float-lt 1e100 y@1) (float-lt y@1 1.0000001e100))",
                true,
            ),
            ("(float-div 1.0 x)", "(and (float-lt -1e-9 y@1) (float-lt y@1 -0.999e-9))", true),
            ("(float-sqrt (float-add x w))", "(float-eq y@1 1234.5)", true),
            (
                "(ite (float-lt x w) (float-sub x w) x)",
                "(and (float-lt -0.25 y@1) (float-lt y@1 -0.249))",
                true,
            ),
        ];
        for (result, asked, is_met) in table {
            let text = format!(
                "input x f64 input w f64 input k w16 state y f64 next (ite (eq k 3001) {result} y)
                 goal g when (and (eq k 3001) {asked})"
            );
            let system = validate(read(&text)).expect("a valid system");
            let task = Task::new(&system, &all_goals(&system), Vec::new());
            let mut aim = Aim::new(&task, Vertex::of_position(0)).expect("a goal over floats");
            let state = task.initial_state(&[]);
            let found = aim.hit(&state, &[], &mut EFFORT.clone());
            assert_eq!(found.is_some(), is_met, "{text}");
            if let Some(row) = found {
                let mut simulator = Simulator::new(&system);
                let next = simulator.step(&state, &row).next;
                assert_eq!(simulator.goals(&[&state, &next], &[&row]).len(), 1, "{text}");
            }
        }
    }

    /// Results of the C library are those that it gives.
    #[test]
    fn the_library_is_aimed_through() {
        let text = "input x f64 input r f64 state y f64 next (float-mul r 3.0)
            goal g when (and (float-lt 1.47 y@1) (float-lt y@1 1.4701))";
        let mut system = read(text);
        let ids: Vec<InputId> = system.inputs.ids().collect();
        let call = Call {
            function: Function::Sin,
            format: FloatFormat::Double,
            input: ids[1],
            arguments: vec![system.input_term(ids[0])],
            origin: None,
        };
        system.external_calls.push(call);
        system.inputs[ids[1]].role = InputRole::Choice;
        let system = validate(system).expect("a valid system");
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let mut aim = Aim::new(&task, Vertex::of_position(0)).expect("a goal over floats");
        let row = aim.hit(&task.initial_state(&[]), &[], &mut EFFORT.clone()).expect("the sine gets there");
        let number = |value: Value| f64::from_bits(value.bits() as u64);
        assert_eq!(number(row[1]), number(row[0]).sin());
        assert!((0.49..0.490_034).contains(&number(row[1])));
    }

    /// Goals of several steps, and those that no float matters to, are left to others; effort ends
    /// an attempt.
    #[test]
    fn some_goals_are_not_aimed_at() {
        let text = "input x f64 input k w8 state y f64 next x
            goal far steps 2 when (float-lt y@2 y@1) goal words when (eq k 7) goal floats when (float-eq x 7.25)";
        let system = validate(read(text)).expect("a valid system");
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let aimed = task.vertices().map(|vertex| Aim::new(&task, vertex).is_some()).collect::<Vec<_>>();
        assert_eq!(aimed, [false, false, true]);
        let mut aim = Aim::new(&task, Vertex::of_position(2)).expect("a goal over floats");
        let mut effort = 10 * aim.cost;
        assert_eq!(aim.hit(&task.initial_state(&[]), &[], &mut effort), None);
        assert_eq!(effort, 0);
    }
}
