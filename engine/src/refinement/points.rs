//! What is known of the C library: its results at points at which executions ask it.

use crate::random_simulation::RandomExecution;
use crate::session::Session;
use crate::step::external::{Answers, points};
use model::external::{Function, Lemma};
use model::sort::FloatFormat;
use model::trace::Trace;
use model::validate::Validated;
use rustc_hash::FxHashSet;

/// Random executions that show at which points a function is asked, and their steps.
const EXECUTIONS: usize = 16;
const STEPS: usize = 64;
/// Inputs that are drawn for a step until the assumptions accept them.
const DRAWS: usize = 16;
/// Most points, times the calls of the function in a step, that are few.
const MOST_FACTS: usize = 256;

/// Points in the order in which they were met, each once.
#[derive(Default)]
pub(super) struct Points {
    pub(super) lemmas: Vec<Lemma>,
    known: FxHashSet<Lemma>,
}

impl Points {
    /// Adds points; returns those that were not known.
    fn add(&mut self, met: impl IntoIterator<Item = Lemma>) -> &[Lemma] {
        let before = self.lemmas.len();
        for lemma in met {
            if self.known.insert(lemma.clone()) {
                self.lemmas.push(lemma);
            }
        }
        &self.lemmas[before..]
    }

    /// Adds the points of executions; returns those that were not known.
    pub(super) fn of_traces<'t>(
        &mut self,
        system: &Validated,
        traces: impl Iterator<Item = &'t Trace>,
    ) -> &[Lemma] {
        self.add(traces.flat_map(|trace| points(system, trace)).collect::<Vec<_>>())
    }

    /// Adds the points of random executions for those functions that are asked at few of them: at
    /// these the results may be all that matters. Returns those that were not known.
    pub(super) fn few_of_random_executions(&mut self, system: &Validated, session: &Session<'_>) -> &[Lemma] {
        let mut functions: Vec<Asked> = Vec::new();
        for call in &system.external_calls {
            match functions.iter_mut().find(|asked| asked.is_of(call.function, call.format)) {
                Some(asked) => asked.calls += 1,
                None => functions.push(Asked::new(call.function, call.format)),
            }
        }
        visit_random_points(system, session, |lemma| {
            let asked = functions.iter_mut().find(|asked| asked.is_of(lemma.function, lemma.format));
            if let Some(asked) = asked {
                asked.add(lemma);
            }
            functions.iter().any(Asked::is_at_few_points)
        });
        self.add(functions.into_iter().filter(Asked::is_at_few_points).flat_map(|asked| asked.points))
    }
}

/// The different points at which a function is asked.
struct Asked {
    function: Function,
    format: FloatFormat,
    /// Number of its calls in a step.
    calls: usize,
    points: Vec<Lemma>,
    known: FxHashSet<Lemma>,
}

impl Asked {
    fn new(function: Function, format: FloatFormat) -> Self {
        Self { function, format, calls: 1, points: Vec::new(), known: FxHashSet::default() }
    }
    fn is_of(&self, function: Function, format: FloatFormat) -> bool {
        (self.function, self.format) == (function, format)
    }
    fn is_at_few_points(&self) -> bool {
        self.points.len() * self.calls <= MOST_FACTS
    }
    fn add(&mut self, lemma: Lemma) {
        if self.is_at_few_points() && self.known.insert(lemma.clone()) {
            self.points.push(lemma);
        }
    }
}

/// Visits the points at which random executions ask the library, for as long as they are wanted.
fn visit_random_points(system: &Validated, session: &Session<'_>, mut wants_more: impl FnMut(Lemma) -> bool) {
    let mut execution = RandomExecution::new(system, session.options.seed, DRAWS);
    let mut answers = Answers::new(system);
    for _ in 0..EXECUTIONS {
        let Some((_, mut state)) = execution.start() else { continue };
        for _ in 0..STEPS {
            let mut inputs = execution.draw();
            answers.answer(&state, &mut inputs);
            for lemma in answers.asked(&state, &inputs) {
                if !wants_more(lemma) {
                    return;
                }
            }
            if session.is_over() || !execution.step(&mut state, &mut inputs) {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::session::Silent;
    use model::value::Value;

    /// How many points are known of a function whose argument has so many bits.
    fn few(bits: u32) -> usize {
        let text = format!(
            "input n w{bits}  input value f64 choice  state s w1 next s  goal g when (float-lt value 0.0:f64)
             call exp value (float-from-signed f64 (zext w32 n))"
        );
        let system = model::text::parse(&text).expect("a text");
        let system = model::validate::validate(system).expect("a system");
        let options = Options::default();
        let mut points = Points::default();
        let found = points.few_of_random_executions(&system, &Session::new(&options, &Silent)).to_vec();
        for lemma in &found {
            let argument = f64::from_bits(lemma.arguments[0].bits() as u64);
            assert_eq!(lemma.result, Value::double(argument.exp()));
        }
        found.len()
    }

    #[test]
    fn only_functions_asked_at_few_points_are_known_by_random_executions() {
        assert_eq!(few(2), 4);
        assert_eq!(few(4), 16);
        assert_eq!(few(16), 0);
    }
}
