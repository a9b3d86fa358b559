//! Inputs to hold between two chains.
//!
//! What a chain does from Init it mostly does from the end of another one as well, if something
//! brings the system to rest between them. So the second chain is played after the first one, with
//! up to two holds between, which are drawn from the inputs of both chains.

use super::joined;
use crate::finders::simulate::archive::Hold;
use crate::finders::simulate::goals::Goals;
use crate::finders::simulate::player::{Player, Position};
use crate::finders::simulate::stimuli::Stimuli;
use crate::finders::simulate::vectors::{Vectors, bits};
use crate::knowledge::chains::{CheckedChain, covered};
use crate::knowledge::task::Task;
use crate::random_simulation::Random;
use crate::session::{Session, Stop};
use crate::step::code::Program;

/// Most holds between two chains.
const MOST_HOLDS: usize = 2;
/// The longest hold has 2 to the power of one less than this many steps.
const LENGTHS: usize = 10;

/// Two chains made one by inputs held between them; see the module text. The chain covers what both
/// cover. `None`: none was found for `budget` evaluated instructions.
pub(crate) fn held_between(
    (task, program): (&Task<'_>, &Program),
    chains: [&CheckedChain; 2],
    budget: u64,
    session: &Session<'_>,
) -> Result<Option<CheckedChain>, Stop> {
    let goals = covered(task, chains, task.vertices());
    let mut vectors = Vectors::default();
    let holds = chains.map(|chain| vectors.holds(&chain.trace.inputs, task.calls()));
    let mut search = HoldSearch {
        player: Player::new(program),
        stimuli: Stimuli::new(task.system, program),
        random: Random::new(session.options.seed),
        needed: Goals::of(&goals),
        vectors,
    };
    for (first, second) in [(0, 1), (1, 0)] {
        let start = Position::start(bits(&chains[first].run.states[0]));
        let most = search.player.cost + budget / 2;
        let Some(between) = search.find(start, &holds[first], &holds[second], most, session) else {
            continue;
        };
        let way = search.vectors.inputs(&between, &program.input_sorts);
        if let Some(chain) = joined(task, [chains[first], chains[second]], &way, 0)? {
            return Ok(Some(chain));
        }
    }
    Ok(None)
}

/// Looks for what to hold between two chains.
struct HoldSearch<'p> {
    player: Player<'p>,
    stimuli: Stimuli,
    random: Random,
    needed: Goals,
    vectors: Vectors,
}

impl HoldSearch<'_> {
    fn find(
        &mut self,
        start: Position,
        first: &[Hold],
        second: &[Hold],
        most: u64,
        session: &Session<'_>,
    ) -> Option<Vec<Hold>> {
        let end = self.play(start, first)?;
        let mut between = Vec::new();
        while self.player.cost < most && session.stopped().is_none() {
            let whole = [&between[..], second].concat();
            if let Some(last) = self.play(end.clone(), &whole)
                && last.covered.holds_all(&self.needed)
                && self.player.look(&last.state).1
            {
                return Some(between);
            }
            between = (0..1 + self.random.below(MOST_HOLDS)).map(|_| self.hold(&end)).collect();
        }
        None
    }

    fn play(&mut self, start: Position, holds: &[Hold]) -> Option<Position> {
        let mut position = start;
        let played = holds.iter().all(|&hold| self.player.play(&mut position, &self.vectors, hold));
        played.then_some(position)
    }

    /// Inputs that are known or new, for one or more steps.
    fn hold(&mut self, end: &Position) -> Hold {
        let known = self.random.below(self.vectors.len()) as u32;
        let longest = 1 << self.random.below(LENGTHS);
        let steps = 1 + self.random.below(longest) as u64;
        if self.random.below(2) == 0 {
            return Hold { inputs: known, steps };
        }
        let mut inputs = self.vectors.get(known).to_vec();
        self.stimuli.change(&mut inputs, &end.state, &mut self.random);
        Hold { inputs: self.vectors.number(&inputs), steps }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::chains::cut;
    use crate::knowledge::task::all_goals;
    use crate::knowledge::vertex::Vertex;
    use crate::options::Options;
    use crate::session::Silent;
    use model::text::parse;
    use model::trace::{Start, Trace};
    use model::validate::validate;
    use model::value::Value;

    /// A door that is left open jams until it was closed for a while.
    const DOOR: &str = "input open w1 input lift w1
        state since w5 next (ite open 0 (ite (ult since 20) (add since 1) since))
        state jam w1 next (ite (eq since 20) 0 (or jam open))
        state height w6 next (ite (and lift (not jam)) (ite (ult height 40) (add height 1) height) 0)
        goal jammed when (and jam open) goal top when (eq height 40)";

    #[test]
    fn what_jams_is_waited_for() {
        let system = validate(parse(DOOR).expect("a text")).expect("a system");
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let chain = |parts: &[(bool, bool, usize)], goal: Vertex| {
            let inputs = parts.iter().flat_map(|&(open, lift, steps)| {
                std::iter::repeat_n(vec![Value::truth(open), Value::truth(lift)], steps)
            });
            let trace = Trace { start: Start::Initial(Vec::new()), inputs: inputs.collect() };
            cut(&task, &trace, &[goal]).expect("a run").expect("the goal")
        };
        let [first, second] = [0, 1].map(Vertex::of_position);
        let (jammed, top) = (chain(&[(true, false, 3)], first), chain(&[(false, true, 42)], second));
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        let program = Program::compile(&task);
        let join = |budget| match held_between((&task, &program), [&jammed, &top], budget, &session) {
            Ok(chain) => chain,
            Err(_) => panic!("no limit should be reached"),
        };
        let both = join(10_000_000).expect("one chain");
        assert!(both.covers(task.goal(first)) && both.covers(task.goal(second)));
        assert!(join(0).is_none());
    }
}
