//! Interfaces that play the system: answers are chosen at random among those that are allowed and
//! lead where the system can go on.

use crate::interface::Interface;
use crate::log::{Unread, valuation};
use crate::parts::Lost;
use crate::runs::Runs;
use crate::semantics::{Effort, Position, Step, Valuation, id_index};
use crate::syntax::Role;
use crate::values::fields;
use harness::{Broken, Fields, Synchronous};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use spec::value::Value;

/// Values that may be tried for one answer.
const PER_ANSWER: u64 = 5_000_000;

/// An interface as a system.
#[derive(Clone, Debug)]
pub struct Player<'a> {
    runs: Runs<'a>,
    position: Option<Position>,
    random: StdRng,
}

impl<'a> Player<'a> {
    /// A system that keeps all contracts of an interface. `lost` are positions that it avoids.
    pub fn new(interface: &'a Interface, lost: &[Lost], seed: u64) -> Self {
        let runs = Runs::new(interface, lost);
        Self { runs, position: None, random: StdRng::seed_from_u64(seed) }
    }
    /// A value for what may have any.
    fn any(&mut self, now: &mut Valuation) {
        let interface = self.runs.semantics.interface;
        for id in
            interface.variables(Role::Output).filter(|id| now[id_index(*id)].is_none()).collect::<Vec<_>>()
        {
            let ty = &interface.scope.variable(id).ty;
            let count = ty.count().and_then(|count| u64::try_from(count).ok()).unwrap_or(1).min(1 << 16);
            let chosen = usize::try_from(self.random.random_range(0..count)).unwrap_or(0);
            now[id_index(id)] = ty.values().and_then(|mut values| values.nth(chosen));
        }
    }
    fn answer(&mut self, inputs: &Valuation) -> Result<Valuation, Broken> {
        let refuse = |why: String| Broken::Refuses(why);
        let mut effort = Effort::new(PER_ANSWER, Default::default());
        let before = self.position.clone();
        if !self.runs.semantics.may_occur(before.as_ref(), inputs) {
            return Err(refuse("the environment does not give these inputs".to_owned()));
        }
        // Each answer is kept with the chance that makes all of them equally likely.
        let (mut chosen, mut seen) = (None, 0_u64);
        let mut random = self.random.clone();
        let mut visit = |now: &Valuation| {
            seen += 1;
            if random.random_range(0..seen) == 0 {
                chosen = Some(now.clone());
            }
        };
        let step = Step { before: before.as_ref(), known: inputs };
        let answered = self.runs.answers(step, &mut visit, &mut effort);
        self.random = random;
        answered.map_err(|undecided| refuse(undecided.to_string()))?;
        let mut now = chosen.ok_or_else(|| refuse("no answer is allowed".to_owned()))?;
        self.any(&mut now);
        self.position = Some(self.runs.semantics.position(&now));
        Ok(now)
    }
}

impl Synchronous for Player<'_> {
    fn reset(&mut self) -> Result<(), Broken> {
        self.position = None;
        Ok(())
    }
    fn step(&mut self, _number: u64, inputs: &Fields) -> Result<Fields, Broken> {
        let interface = self.runs.semantics.interface;
        let given = valuation(interface, inputs, Role::Input).map_err(|unread| match unread {
            Unread::Missing(id) => {
                Broken::Refuses(format!("the input `{}` is missing", interface.scope.variable(id).name))
            }
            Unread::NoValue(id, text) => {
                let name = &interface.scope.variable(id).name;
                Broken::Refuses(format!("{text} is no value of `{name}`"))
            }
        })?;
        let is_inside = |id: spec::scope::VariableId| {
            let value: Option<&Value> = given[id_index(id)].as_ref();
            value.is_some_and(|value| interface.scope.variable(id).ty.contains(value))
        };
        if !interface.variables(Role::Input).all(is_inside) {
            return Err(Broken::Refuses("an input is outside its type".to_owned()));
        }
        let now = self.answer(&given)?;
        Ok(fields(interface, Role::Output, &now))
    }
}
