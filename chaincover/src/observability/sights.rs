//! Where chains show what has to be seen.

use crate::model::Model;
use crate::observed::{Look, Observed};
use crate::stored::{execute, trace};
use frontend::SignalKind;
use model::id::Id;
use model::simulate::WindowEvaluator;
use model::system::{GoalId, StateId};
use model::trace::{Execution, Trace};
use model::value::Value;
use report::coverage::{Altered, Seen};
use report::output::chain_file::ChainFile;
use report::output::number;

impl Observed {
    /// Where an occurrence of a goal is seen first.
    pub(crate) fn seen(
        &self,
        model: &Model,
        goal: GoalId,
        (trace, run): (&Trace, &Execution),
        at: usize,
    ) -> Option<Seen> {
        let looks = self.looks.get(&goal)?;
        let frames = model.system.goals[goal].steps as usize;
        let states = run.states.get(at..(at + frames + 1).min(run.states.len()))?;
        let inputs = trace.inputs.get(at..at + frames)?;
        let altered = |look: &Look| look.alteration.map_or(look.sight.other, |alteration| alteration.value);
        let roots = looks.iter().flat_map(|look| [look.is_seen, look.sight.other, altered(look)]);
        let mut evaluator = WindowEvaluator::new(&model.system, roots);
        evaluator.run(states, inputs);
        let seen = (0..looks.len()).filter(|&number| evaluator.holds(3 * number));
        let first = seen.min_by_key(|&number| looks[number].sight.frame)?;
        let Look { sight, alteration, .. } = &looks[first];
        let step = at + sight.frame as usize;
        let outputs = &model.translated.signals.outputs;
        let (signal, _) = outputs.iter().find(|(_, position)| *position == sight.output)?;
        let text = |value| number::display(value, &signal.kind);
        let altered = alteration.map(|alteration| {
            let value = states[alteration.frame as usize][alteration.word.index()];
            told(model, alteration.word, [value, evaluator.value(3 * first + 2)])
        });
        Some(Seen {
            step,
            output: signal.name.clone(),
            value: text(run.outputs[step][sight.output]),
            otherwise: text(evaluator.value(3 * first + 1)),
            altered,
        })
    }

    /// Tells of each requirement's goal where the chains of the result show it.
    pub(crate) fn tell(&self, model: &Model, file: &mut ChainFile) {
        let is_altered = |look: &Look| look.alteration.is_some();
        for (&goal, _) in self.looks.iter().filter(|(_, looks)| looks.iter().any(is_altered)) {
            let name = &model.system.goals[goal].name;
            let Some(told) = file.goals.iter().position(|told| told.name == *name) else { continue };
            let (chain, at) = (file.goals[told].chain, file.goals[told].at);
            file.goals[told].seen = chain.zip(at).and_then(|(number, at)| {
                let trace = trace(model, file.chains.get(number)?, number).ok()?;
                let run = execute(model, &trace, number).ok()?;
                self.seen(model, goal, (&trace, &run), at)
            });
        }
    }
}

fn told(model: &Model, word: StateId, values: [Value; 2]) -> Altered {
    let known = model.translated.signals.states.iter().find(|(_, id)| *id == word);
    let kind = known.map_or(&SignalKind::Unsigned, |(signal, _)| &signal.kind);
    let name = known.map_or(model.system.state_name(word), |(signal, _)| &signal.name);
    let [value, otherwise] = values.map(|value| number::display(value, kind));
    Altered { word: name.to_owned(), value, otherwise }
}
