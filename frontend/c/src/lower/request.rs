//! Reading what a request names.

use super::{ConditionKind, ConditionRequest, Input, Loader};
use crate::ir::{FunctionId, Program};
use frontend::{Failure, Request, TextRole};

/// Reads the files of a request and lowers its expressions in the scope of the function that
/// `find_step` finds: [`Program::conditions`] has one entry for each of [`Request::texts`].
///
/// `None` among them are only names of `[input]` sections that are no lvalues but stand for what
/// comes from functions without a body (`function.return`, `function.parameter`).
///
/// # Errors
/// If a file cannot be read, is no C that is supported, or an expression is not valid.
pub fn load_request(
    request: &Request,
    find_step: impl FnOnce(&Program) -> Option<FunctionId>,
) -> Result<Program, Failure> {
    let mut loader = Loader::load(Input {
        sources: request.sources.clone(),
        property_files: request.goal_files.clone(),
        include: request.include.clone(),
        define: request.define.clone(),
        target: request.target,
        instruments: request.coverage.is_wanted(),
        edits: request.edits.clone(),
        kept: request.kept.clone(),
        limit: request.limit.clone(),
    })?;
    let texts = request.texts();
    let program = loader.program();
    let lowered: Vec<bool> = texts.iter().map(|(role, text)| !is_symbolic(program, *role, text)).collect();
    let wanted: Vec<ConditionRequest> = texts
        .iter()
        .zip(&lowered)
        .filter(|(_, is_lowered)| **is_lowered)
        .map(|((role, text), _)| ConditionRequest {
            text: (*text).to_owned(),
            origin: origin(request, *role),
            written: request.place(*role).map(|place| (place.file.clone(), place.line)),
            kind: kind(*role),
        })
        .collect();
    let function = if wanted.is_empty() { None } else { find_step(loader.program()) };
    let (conditions, diagnostics) = loader.lower_conditions(function, &wanted);
    let mut program = loader.into_program();
    program.warnings.entries.extend(diagnostics.entries);
    if program.warnings.has_errors() {
        return Err(Failure { diagnostics: program.warnings, sources: program.sources });
    }
    let mut conditions = conditions.into_iter();
    program.conditions = lowered
        .into_iter()
        .map(|is_lowered| if is_lowered { conditions.next().flatten() } else { None })
        .collect();
    Ok(program)
}

/// Whether the text is the name of something that is no lvalue of C: what comes from a function
/// without a body.
fn is_symbolic(program: &Program, role: TextRole, text: &str) -> bool {
    let function = text.split_once('.').map(|(function, _)| function.trim());
    let is_outside = |name: &str| {
        program.functions.values().any(|function| function.name == name && function.body.is_none())
    };
    matches!(role, TextRole::OptionPlace(_)) && (text.contains('#') || function.is_some_and(is_outside))
}

fn kind(role: TextRole) -> ConditionKind {
    match role {
        TextRole::Input(_)
        | TextRole::Output(_)
        | TextRole::BindPointer(_)
        | TextRole::ConstantPlace(_)
        | TextRole::OptionPlace(_) => ConditionKind::Lvalue,
        _ => ConditionKind::Value,
    }
}

/// What a message calls the place where an expression was written.
fn origin(request: &Request, role: TextRole) -> String {
    let goal = |index: usize| format!("goal {}", request.goals[index].name);
    match role {
        TextRole::Input(_) => "inputs".to_owned(),
        TextRole::Output(_) => "outputs".to_owned(),
        TextRole::BindPointer(_) | TextRole::BindTarget(_) => "bind".to_owned(),
        TextRole::ConstantPlace(_) | TextRole::ConstantValue(_) => "const".to_owned(),
        TextRole::OptionPlace(_) => "input".to_owned(),
        TextRole::RangeLow(index) | TextRole::RangeHigh(index) | TextRole::AllowedValue(index, _) => {
            format!("input {}", request.input_options[index].lvalue)
        }
        TextRole::Assumption(_) => "assume".to_owned(),
        TextRole::Invariant(_) => "invariant".to_owned(),
        TextRole::When(index, _) => format!("{}, when", goal(index)),
        TextRole::After(index, _) => format!("{}, after", goal(index)),
        TextRole::Expect(index) => format!("{}, expect", goal(index)),
        TextRole::End => "final, when".to_owned(),
        TextRole::Cost(_) => "cost, when".to_owned(),
    }
}
