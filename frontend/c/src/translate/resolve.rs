//! The request with everything that was found filled in.

use super::assemble::Assembled;
use crate::detect::Entry;
use crate::ir::Program;
use frontend::{Request, StepFunction};

/// Fills in step, init, inputs, outputs and name where the request leaves them open.
pub(crate) fn resolved(
    request: &Request,
    program: &Program,
    entry: &Entry,
    assembled: &Assembled,
) -> Request {
    let mut resolved = request.clone();
    resolved.word_values = assembled.word_values.clone().into();
    resolved.name = super::model_name(request, program, entry);
    let name = |function| program.functions[function].name.clone();
    if resolved.step.is_empty() {
        let functions = entry.steps.iter().map(|step| StepFunction {
            function: name(step.function),
            every: step.every,
            phase: step.phase,
        });
        let driver = entry.driver.iter().map(|driver| StepFunction {
            function: name(driver.start),
            every: 1,
            phase: 0,
        });
        resolved.step = functions.chain(driver).collect();
    }
    if resolved.init.is_none() && entry.driver.is_none() {
        resolved.init = Some(entry.init.map_or_else(String::new, name));
    }
    if entry.reads_inputs() {
        return resolved;
    }
    if resolved.inputs.is_none() {
        resolved.inputs = Some(assembled.inputs.clone());
    }
    if resolved.outputs.is_none() {
        let is_result = |lvalue: &&String| lvalue.ends_with(".return");
        resolved.outputs =
            Some(assembled.outputs.iter().filter(|lvalue| !is_result(lvalue)).cloned().collect());
    }
    resolved
}
