//! The part of a system that matters, with the calls of the C library in it.
//!
//! A slice leaves out what goals and assumptions do not depend on. To the engines that prove, the result of a call depends on nothing; to
//! compute it takes its arguments and all that these depend on. While a system is sliced, arguments and results are its outputs, which
//! are kept in their order.

use model::external::Call;
use model::slice::{Keep, SliceMap, cone_of_influence, reduce};
use model::system::{Output, TransitionSystem};
use model::term::TermId;
use model::validate::{Meaning, Validated, validate};

/// A slice.
pub(crate) struct Sliced {
    pub(crate) system: Validated,
    /// The way back.
    pub(crate) map: SliceMap,
    /// The calls whose results it depends on.
    pub(crate) calls: Vec<Call>,
}

/// Slices a system so that its calls can still be computed.
pub(crate) fn slice_with_calls(system: &Validated, calls: &[Call], keep: Keep) -> Sliced {
    if calls.is_empty() {
        let (system, map) = reduce(system, keep);
        return Sliced { system, map, calls: Vec::new() };
    }
    let (shown, needed) = with_calls_shown(system, calls, keep);
    let (reduced, map) = reduce(&shown, Keep { outputs: true, ..keep });
    let mut shown = reduced.outputs.iter().map(|output| output.value);
    let mut found = Vec::new();
    for call in needed {
        let result = shown.next().expect("the outputs of a slice should be those of the system");
        let arguments: Vec<TermId> = shown.by_ref().take(call.arguments.len()).collect();
        let symbol = reduced.terms.as_symbol(result).expect("an input should stay one");
        let Meaning::Input(input) = reduced.meaning(symbol) else { panic!("an input should stay one") };
        found.push(Call { input, arguments, ..call.clone() });
    }
    Sliced {
        system: validated(TransitionSystem { outputs: Vec::new(), ..(*reduced).clone() }),
        map,
        calls: found,
    }
}

/// The system with result and arguments of those calls as outputs that what is kept depends on, and these calls.
fn with_calls_shown<'c>(system: &Validated, calls: &'c [Call], keep: Keep) -> (Validated, Vec<&'c Call>) {
    let mut shown: TransitionSystem = (**system).clone();
    let mut needed: Vec<&Call> = Vec::new();
    loop {
        let mut terms: Vec<TermId> = Vec::new();
        for call in &needed {
            terms.push(shown.input_term(call.input));
            terms.extend(&call.arguments);
        }
        let output = |(index, value)| Output { name: format!("call {index}"), value };
        shown.outputs = terms.into_iter().enumerate().map(output).collect();
        let valid = validated(shown.clone());
        let cone = cone_of_influence(&valid, Keep { outputs: true, ..keep });
        let found: Vec<&Call> = calls.iter().filter(|call| cone.inputs[call.input]).collect();
        if found.len() == needed.len() {
            return (valid, needed);
        }
        needed = found;
    }
}

fn validated(system: TransitionSystem) -> Validated {
    validate(system).expect("a valid system should stay valid with other outputs")
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::external::Function;
    use model::id::Id;
    use model::sort::FloatFormat;
    use model::text::parse;

    /// What a result is computed from stays, however far behind; calls that nothing depends on go.
    #[test]
    fn arguments_of_calls_stay() {
        let text = "input x f32 input near f32 input far f32 input idle f32
            state a f32 next (float-add a x) state b f32 next far state c f32 next idle
            goal one when (float-lt near b)";
        let mut system: TransitionSystem = parse(text).expect("a text of a system");
        let inputs: Vec<_> = system.inputs.ids().collect();
        let states: Vec<_> = system.states.ids().collect();
        let (a, x, near) =
            (system.state_term(states[0]), system.input_term(inputs[0]), system.input_term(inputs[1]));
        let call = |function, input: usize, arguments: &[TermId]| Call {
            function,
            format: FloatFormat::Single,
            input: inputs[input],
            arguments: arguments.to_vec(),
            origin: Id::new(0),
        };
        let calls =
            [call(Function::Sin, 1, &[a]), call(Function::Pow, 2, &[near, x]), call(Function::Exp, 3, &[a])];
        let system = validate(system).expect("a valid system");
        let keep = Keep { outputs: false, hazards: false, invariants: false };
        let sliced = slice_with_calls(&system, &calls, keep);
        let (small, _) = reduce(&system, keep);
        assert_eq!((small.states.len(), small.inputs.len()), (1, 2));
        assert_eq!((sliced.system.states.len(), sliced.system.inputs.len()), (2, 3));
        assert!(sliced.system.outputs.is_empty());
        let name = |term| {
            let symbol = sliced.system.terms.as_symbol(term).expect("a word of the system");
            sliced.system.terms.symbol(symbol).name.clone()
        };
        let seen: Vec<(Function, String, Vec<String>)> = sliced
            .calls
            .iter()
            .map(|call| {
                let input = sliced.system.inputs[call.input].symbol;
                let input = sliced.system.terms.symbol(input).name.clone();
                (call.function, input, call.arguments.iter().map(|&argument| name(argument)).collect())
            })
            .collect();
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        assert_eq!(
            seen,
            [
                (Function::Sin, "near".to_owned(), names(&["a"])),
                (Function::Pow, "far".to_owned(), names(&["near", "x"])),
            ]
        );
    }
}
