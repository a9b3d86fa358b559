//! Action systems as models that commands and reports take.

use crate::code::Code;
use crate::explore::space::{Reached, Space};
use crate::interpret::Machine;
use crate::lower::{Lowered, Meaning, lower};
use crate::syntax::Kind;
use crate::system::{Action, System};
use crate::values::Alphabet;
use frontend::diagnostics::Diagnostics;
use frontend::source::{SourceMap, Span};
use frontend::{
    Failure, Finding, FrontEnd, InputOption, InputSignal, Judge, Location, ReplayPlan, Request, Signal,
    SignalKind, Signals, Size, Source, Topic, Translated,
};
use model::id::Id;
use model::system::{GoalId, InputId, OriginId, StateId};
use model::trace::{Execution, Trace};
use model::value::Value as Word;
use spec::fit::{Fit, fit};
use spec::typed::{Binary, Expr, Kind as ExprKind};
use spec::types::Type;
use spec::value::Value;
use std::path::Path;

/// States that are goals at most.
const MOST_STATE_GOALS: usize = 4096;

/// States that are enumerated for warnings at most.
const MOST_CHECKED: usize = 20_000;

/// The front end of action systems.
#[derive(Clone, Copy, Debug)]
pub struct Actions;

impl FrontEnd for Actions {
    fn language(&self) -> &'static str {
        "action systems"
    }
    fn reads(&self, path: &Path) -> bool {
        path.extension().is_some_and(|ending| ending == "as")
    }
    fn translate(&self, request: &Request, _: &dyn Judge) -> Result<Translated, Failure> {
        translate(request)
    }
}

/// What is to be covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goals {
    Actions,
    Branches,
    States,
}

fn translate(request: &Request) -> Result<Translated, Failure> {
    let mut diagnostics = Diagnostics::default();
    let refuse = |diagnostics| Failure { diagnostics, sources: SourceMap::default() };
    let [path] = &request.sources[..] else {
        diagnostics.error(Code::SeveralFiles, None, "an action system is one file, which may include others");
        return Err(refuse(diagnostics));
    };
    if let Some(what) = request.only_for_c() {
        let message = format!("{what} are about C code; an action system says all of that itself");
        diagnostics.error(Code::OnlyForC, None, message);
        return Err(refuse(diagnostics));
    }
    let goals = wanted(request, &mut diagnostics);
    if diagnostics.has_errors() {
        return Err(refuse(diagnostics));
    }
    let read = crate::analysis::read(path, &request.define)?;
    let crate::analysis::Source { sources, mut diagnostics, system, file, .. } = read;
    let Ok(mut lowered) = lower(&system, &mut diagnostics) else {
        return Err(Failure { diagnostics, sources });
    };
    let reached = warn(&system, &mut diagnostics);
    for goals in goals {
        match (goals, &reached) {
            (Goals::Actions, _) => lowered.action_goals(&system),
            (Goals::Branches, _) => lowered.branch_goals(&system),
            (Goals::States, Some(reached)) if reached.len() <= MOST_STATE_GOALS => {
                lowered.state_goals(&system, &reached[1..]);
            }
            (Goals::States, _) => {
                let message = format!("more than {MOST_STATE_GOALS} states are reached: they are no goals");
                diagnostics.error(Code::TooMany, None, message);
                return Err(Failure { diagnostics, sources });
            }
        }
    }
    if !request.name.is_empty() {
        lowered.system.name = request.name.clone();
    }
    let text = crate::print::file(&file);
    let places = system.actions.iter().map(|action| place(&sources, action.extent.span)).collect();
    Ok(Translated {
        signals: signals(&system, &lowered),
        findings: findings(&system, &lowered, reached.as_deref()),
        diagnostics,
        sources,
        resolved: Request { name: lowered.system.name.clone(), ..request.clone() },
        requirements: Vec::new(),
        observed: Vec::new(),
        size: Size::of(&lowered.system, &text),
        early_end: Vec::new(),
        costs: Vec::new(),
        start_hazards: Vec::new(),
        endless: Vec::new(),
        library_facts: Vec::new(),
        system: std::mem::take(&mut lowered.system),
        source: Box::new(ActionSource { text, places, system, lowered: Plain::of(&lowered) }),
    })
}

fn place(sources: &SourceMap, span: Span) -> Location {
    let (file, line) = sources.written(span);
    Location { file: file.to_owned(), line }
}

/// The goals that `--goals` names; branches where it names none.
fn wanted(request: &Request, diagnostics: &mut Diagnostics) -> Vec<Goals> {
    let mut found = Vec::new();
    for name in &request.specification.goals {
        found.push(match name.as_str() {
            "actions" => Goals::Actions,
            "branches" => Goals::Branches,
            "states" => Goals::States,
            other => {
                let message = format!("there are no goals `{other}` of action systems");
                diagnostics
                    .error(Code::UnknownGoals, None, message)
                    .advice("--goals takes actions, branches, states");
                continue;
            }
        });
    }
    if found.is_empty() { vec![Goals::Branches] } else { found }
}

/// Warns of assignments that leave their types and of actions without a step, in the states that
/// are reached; these, where they are few.
fn warn(system: &System, diagnostics: &mut Diagnostics) -> Option<Vec<crate::system::State>> {
    let mut space = Space::new(system, Alphabet::new(system), false, MOST_CHECKED);
    let machine = space.machine(system).ok()?;
    let reached = Reached::new(&mut space, &machine).ok()?;
    for (position, action) in system.actions.iter().enumerate() {
        let is_taken = |&(label, _): &(u32, usize)| space.label(label).0 == position;
        if !reached.steps.iter().flatten().any(is_taken) {
            let message = format!("the action `{}` has no step in any state that is reached", action.name);
            diagnostics.warning(Code::NeverTrue, Some(action.extent.span), message);
        }
    }
    let states: Vec<_> = reached.states.iter().map(|&state| space.values(state).clone()).collect();
    for action in &system.actions {
        action.body.for_each_expr(&mut |expr| warn_of_constants(system, expr, diagnostics));
        warn_of_values(system, action, &action.body, &states, diagnostics);
    }
    Some(states)
}

/// Warns of comparisons for equality that never hold, since the constant is no value of the
/// variable's type.
fn warn_of_constants(system: &System, expr: &Expr, diagnostics: &mut Diagnostics) {
    if let ExprKind::Binary { op: Binary::Equal, lhs, rhs } = expr.kind() {
        for (one, other) in [(lhs, rhs), (rhs, lhs)] {
            let ExprKind::Variable { variable, .. } = one.kind() else { continue };
            let (Some(value), ty) = (other.as_constant(), &system.scope.variable(*variable).ty) else {
                continue;
            };
            if !ty.contains(value) {
                let name = &system.scope.variable(*variable).name;
                let message = format!("`{name}` is never {}: its type is {ty}", other.ty().show(value));
                diagnostics.warning(Code::OutsideType, Some(expr.extent().span), message);
            }
        }
    }
    expr.kind().for_each_operand(|operand| warn_of_constants(system, operand, diagnostics));
}

/// Warns of values outside their types that guards do not keep away. Only bodies without parameters
/// are run, and only assignments that are first behind their guards: others depend on what was
/// assigned before.
fn warn_of_values(
    system: &System,
    action: &Action,
    body: &crate::system::Body,
    states: &[crate::system::State],
    diagnostics: &mut Diagnostics,
) {
    use crate::system::Body;
    match body {
        Body::Guarded(guard, inner) if action.parameters.is_empty() => {
            let holds = |state: &&crate::system::State| {
                spec::evaluate::holds(guard, &|variable, _| action.value(variable, state, &[]))
            };
            let kept: Vec<crate::system::State> = states.iter().filter(holds).cloned().collect();
            warn_of_values(system, action, inner, &kept, diagnostics);
        }
        Body::Assign(assignments) if action.parameters.is_empty() => {
            for (target, value) in assignments {
                let variable = &system.variables[target.index()];
                if fit(value, &variable.ty) == Fit::Always {
                    continue;
                }
                let outside = states.iter().find(|state| {
                    let value = spec::evaluate::evaluate(value, &|read, _| action.value(read, state, &[]));
                    value.is_some_and(|value| !variable.ty.contains(&value))
                });
                if let Some(state) = outside {
                    let message =
                        format!("this value can lie outside {}: there is no step then", variable.ty);
                    let state = format!("where {}", system.show_state(state));
                    diagnostics.warning(Code::NoPostState, Some(value.extent().span), message).advice(state);
                }
            }
        }
        Body::Choice(parts) | Body::Prioritised(parts) => {
            parts.iter().for_each(|part| warn_of_values(system, action, part, states, diagnostics));
        }
        Body::Sequence(parts) => {
            parts.iter().take(1).for_each(|part| warn_of_values(system, action, part, states, diagnostics));
        }
        _ => {}
    }
}

fn findings(system: &System, lowered: &Lowered, reached: Option<&[crate::system::State]>) -> Vec<Finding> {
    let finding =
        |subject: &str, reason: String| Finding { topic: Topic::Step, subject: subject.to_owned(), reason };
    let mut found = Vec::new();
    for (position, action) in system.actions.iter().enumerate() {
        let branches = lowered.branches.iter().filter(|&&of| of == position).count();
        let who = match action.kind {
            Kind::Controllable => "ctr: the tester's",
            Kind::Observable => "obs: the system's, visible",
            Kind::Internal => "int: the system's, invisible",
        };
        found.push(finding(
            &action.name,
            format!("{who}; {branches} branch{}", if branches == 1 { "" } else { "es" }),
        ));
    }
    let count = match reached {
        Some(states) => format!("{} states are reached", states.len()),
        None => {
            format!("more than {MOST_CHECKED} states are reached, or too many labels: no warnings about them")
        }
    };
    let subject = "states".to_owned();
    found.push(Finding { topic: Topic::State, subject, reason: count });
    let reason =
        "a chain is possible: where the system has a choice (`answer`), it has to cooperate".to_owned();
    found.push(Finding { topic: Topic::Assumed, subject: "answer".to_owned(), reason });
    found
}

fn signals(system: &System, lowered: &Lowered) -> Signals {
    let signal = |name: &str, type_name: String, bits: u32, kind: SignalKind| Signal {
        name: name.to_owned(),
        lvalue: name.to_owned(),
        type_name,
        bits,
        kind,
    };
    let typed = |name: &str, ty: &Type| {
        signal(name, ty.to_string(), ty.sort().map_or(1, |sort| sort.width()), ty.signal_kind())
    };
    let inputs = lowered.inputs.iter().map(|input| InputSignal {
        signal: match &input.ty {
            Meaning::Value(ty) => typed(&input.name, ty),
            Meaning::Names(names) => {
                let symbol = lowered.system.terms.symbol(lowered.system.inputs[input.id].symbol);
                let enumerators = names.iter().cloned().zip(0..).collect();
                let kind = SignalKind::Enum { signed: false, enumerators };
                signal(&input.name, "action".to_owned(), symbol.sort.width(), kind)
            }
        },
        input: input.id,
        option: InputOption::default(),
        by_type: None,
        limit: None,
    });
    let states = system.variables.iter().zip(&lowered.states);
    Signals {
        inputs: inputs.collect(),
        outputs: Vec::new(),
        states: states.map(|(variable, &id)| (typed(&variable.name, &variable.ty), id)).collect(),
    }
}

/// What reading a trace needs of the lowered system.
struct Plain {
    states: Vec<StateId>,
    branches: Vec<usize>,
    parameters: Vec<Vec<InputId>>,
    moves: Vec<u128>,
}

impl Plain {
    fn of(lowered: &Lowered) -> Self {
        Self {
            states: lowered.states.clone(),
            branches: lowered.branches.clone(),
            parameters: lowered.parameters.clone(),
            moves: lowered.moves.clone(),
        }
    }
}

/// The way back to the text, and the judge of chains.
struct ActionSource {
    text: String,
    places: Vec<Location>,
    system: System,
    lowered: Plain,
}

impl ActionSource {
    /// The state that words stand for.
    fn state(&self, words: &[Word]) -> Option<crate::system::State> {
        let variables = self.system.variables.iter().zip(&self.lowered.states);
        variables.map(|(variable, id)| variable.ty.decode(*words.get(id.index())?)).collect()
    }
    /// Whether the interpreter takes the step that the inputs describe.
    fn takes(&self, inputs: &[Word], before: &[Word], after: &[Word]) -> Result<(), String> {
        let unreadable = || "its words stand for no values".to_owned();
        let word = |position: usize| inputs.get(position).map(|word| word.bits()).ok_or_else(unreadable);
        let (choice, answer) = (word(0)?, word(1)?);
        let branch = usize::try_from(answer).map_err(|_| unreadable())?;
        let action = *self.lowered.branches.get(branch).ok_or_else(unreadable)?;
        if self.lowered.moves[action] != choice {
            return Err("stimulus and answer do not fit".to_owned());
        }
        let description = &self.system.actions[action];
        let args: Option<Box<[Value]>> = description
            .parameters
            .iter()
            .zip(&self.lowered.parameters[action])
            .map(|(parameter, id)| parameter.ty.decode(*inputs.get(id.index())?))
            .collect();
        let (Some(args), Some(before), Some(after)) = (args, self.state(before), self.state(after)) else {
            return Err(unreadable());
        };
        let alphabet = Alphabet::new(&self.system);
        let machine = Machine { system: &self.system, alphabet: &alphabet };
        let label = self.system.show_label(action, &args);
        match machine.after_label(&before, action, &args) {
            Ok(states) if states.contains(&after) => Ok(()),
            Ok(_) => Err(format!("`{label}` does not lead from {} there", self.system.show_state(&before))),
            Err(_) => Err(format!("`{label}` has more post-states than are enumerated")),
        }
    }
}

impl Source for ActionSource {
    fn locate(&self, origin: OriginId) -> Location {
        let none = || Location { file: std::path::PathBuf::new(), line: 0 };
        self.places.get(origin.index()).cloned().unwrap_or_else(none)
    }
    fn has_code(&self) -> bool {
        false
    }
    fn replay_plan(&self, _trace: &Trace) -> Result<ReplayPlan, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        diagnostics.error(Code::NoCode, None, "an action system has no compiled code");
        Err(diagnostics)
    }
    fn interpret(&self, trace: &Trace, run: &Execution) -> Option<Result<(), String>> {
        for (step, inputs) in trace.inputs.iter().enumerate() {
            let states = run.states.get(step).zip(run.states.get(step + 1))?;
            if let Err(why) = self.takes(inputs, states.0, states.1) {
                return Some(Err(format!("step {step}: {why}")));
            }
        }
        Some(Ok(()))
    }
    fn goal_text(&self, _goal: GoalId) -> String {
        String::new()
    }
    fn ir_text(&self) -> String {
        self.text.clone()
    }
}
