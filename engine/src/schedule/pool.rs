//! What this process and others know of one task together.
//!
//! Lanes pour in what they know after each turn, and engines within long ones, and take out what is
//! known beyond it; a thread of its own hears what other processes say. As soon as all of it
//! together settles the task, the search ends, whatever turn is at work. Only [`Knowledge`] says
//! whether it does. Turns that look for goals end where others have decided most of them.

use crate::error::EngineError;
use crate::exchange::Exchange;
use crate::knowledge::facts::{Fact, number};
use crate::knowledge::known::{Knowledge, Others, Rank};
use crate::knowledge::task::Task;
use crate::options::Options;
use rustc_hash::FxHashSet;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long the end of the search waits for the thread that listens, at most.
const PERIOD: Duration = Duration::from_millis(20);

/// See the module text.
pub(super) struct Pool<'s> {
    /// The task with an evaluator of its own.
    task: Task<'s>,
    /// What the caller asked for.
    options: &'s Options,
    /// Says that the search has ended.
    is_closed: AtomicBool,
    shared: Arc<Shared>,
}

/// What lanes and the thread that listens share.
struct Shared {
    number: u64,
    exchange: Arc<Exchange>,
    gap: f64,
    /// Ends the search of this process.
    stop: Arc<AtomicBool>,
    state: Mutex<State>,
}

struct State {
    known: Knowledge,
    /// Whether others have told something new since a lane was here.
    has_news: bool,
    /// What is set where at most so many goals are open.
    promised: Vec<(usize, Arc<AtomicBool>)>,
    /// Claims that others have heard, or made.
    told: FxHashSet<Fact>,
    /// The rank of the best chains that others have.
    told_rank: Rank,
    /// How many facts of others did not hold.
    refused: usize,
    failed: Option<EngineError>,
}

impl<'s> Pool<'s> {
    /// A pool of what is known at the beginning. `stop` is raised where the search has to end.
    pub(super) fn new(
        task: &Task<'s>,
        known: &Knowledge,
        (exchange, options): (&Arc<Exchange>, &'s Options),
        stop: &Arc<AtomicBool>,
    ) -> Self {
        let state = State {
            known: known.without_distances(),
            has_news: false,
            promised: Vec::new(),
            told: FxHashSet::default(),
            told_rank: Knowledge::nothing(task, options.reset_cost).best_rank(),
            refused: 0,
            failed: None,
        };
        let shared = Shared {
            number: number(task),
            exchange: Arc::clone(exchange),
            gap: options.gap,
            stop: Arc::clone(stop),
            state: Mutex::new(state),
        };
        Self {
            task: task.over(task.system),
            options,
            is_closed: AtomicBool::new(false),
            shared: Arc::new(shared),
        }
    }

    /// Whom lanes meet.
    pub(super) fn others(&self) -> Arc<dyn Others> {
        Arc::clone(&self.shared) as Arc<dyn Others>
    }

    /// Hears what others say until the pool is closed.
    pub(super) fn listen(&self) {
        while !self.is_closed.load(Ordering::SeqCst) {
            if self.options.stop.load(Ordering::SeqCst) {
                self.shared.stop.store(true, Ordering::SeqCst);
            }
            for line in self.shared.exchange.heard(self.shared.number, PERIOD) {
                self.hear(&line);
            }
        }
    }

    /// Nothing more is heard.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::SeqCst);
    }

    /// Waits for news where the search has nothing to do but wait. Whether there are any.
    pub(super) fn waits(&self) -> bool {
        let is_late = || self.options.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let is_stopped = || self.shared.stop.load(Ordering::SeqCst) || self.options.interruption().is_some();
        let is_over = || is_stopped() || is_late();
        while self.shared.exchange.is_patient() && !is_over() {
            if self.shared.state().has_news {
                return true;
            }
            std::thread::sleep(PERIOD);
        }
        false
    }

    /// Enters what another process says.
    fn hear(&self, line: &str) {
        let state = &mut *self.shared.state();
        let Ok(fact) = serde_json::from_str::<Fact>(line) else {
            state.refused += 1;
            return;
        };
        match fact.enter(&mut state.known, &self.task) {
            Ok(Some(entered)) => {
                // The others know it, whether or not it is news here.
                match entered.rank {
                    Some(rank) => state.told_rank = state.told_rank.min(rank),
                    None => drop(state.told.insert(fact)),
                }
                if entered.is_news {
                    state.has_news = true;
                    self.shared.look(state);
                }
            }
            Ok(None) => state.refused += 1,
            Err(EngineError::Stopped) => {}
            Err(error) => self.shared.fail(state, error),
        }
    }

    /// Hands over what is known in the end.
    ///
    /// # Errors
    /// What others say contradicts what is known here.
    pub(super) fn pour_out(&self, known: &mut Knowledge) -> Result<(), EngineError> {
        known.set_others(None);
        self.shared.meet(known)?;
        let state = &mut *self.shared.state();
        if let Some(error) = state.failed.take() {
            return Err(error);
        }
        if state.refused > 0 {
            known.note(format!(
                "facts of other processes that did not hold, and did not count: {}",
                state.refused
            ));
        }
        Ok(())
    }
}

impl Others for Shared {
    fn meet(&self, known: &mut Knowledge) -> Result<(), EngineError> {
        let state = &mut *self.state();
        state.known.learn(known)?;
        state.has_news = false;
        self.tell(state);
        self.look(state);
        known.learn(&state.known)
    }

    fn when_open(&self, most: usize) -> Arc<AtomicBool> {
        let state = &mut *self.state();
        let flag = Arc::new(AtomicBool::new(state.known.open_goals().len() <= most));
        // Whoever waited for the others is gone.
        state.promised.retain(|(_, promised)| Arc::strong_count(promised) > 1);
        state.promised.push((most, Arc::clone(&flag)));
        flag
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Pool")
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, state: &mut State) {
        let mut news: Vec<Fact> = state.known.claims().filter(|claim| !state.told.contains(claim)).collect();
        state.told.extend(news.iter().cloned());
        let rank = state.known.best_rank();
        if rank < state.told_rank {
            state.told_rank = rank;
            news.push(Fact::of_chains(state.known.chains()));
        }
        for fact in news {
            if let Ok(line) = serde_json::to_string(&fact) {
                self.exchange.say(self.number, &line);
            }
        }
    }

    /// Ends the search where all is known, and turns that look for what is known.
    fn look(&self, state: &State) {
        if state.known.is_settled(self.gap) {
            self.stop.store(true, Ordering::SeqCst);
        }
        let open = state.known.open_goals().len();
        for (_, promised) in state.promised.iter().filter(|(most, _)| open <= *most) {
            promised.store(true, Ordering::Relaxed);
        }
    }

    fn fail(&self, state: &mut State, error: EngineError) {
        state.failed.get_or_insert(error);
        self.stop.store(true, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::task::all_goals;
    use model::text::parse;
    use model::validate::validate;

    /// Says nothing true before it says all that is needed; whatever it says, the search ends only
    /// where the evaluator and the bound agree.
    #[test]
    fn the_search_ends_where_all_is_known() {
        let text = "input go w1 state n w4 next (ite go (add n 1) n) goal two when (eq n 2)";
        let system = validate(parse(text).expect("a text")).expect("a system");
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let said = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&said);
        let exchange = Exchange::new(move |_, line| heard.lock().expect("a list").push(line.to_owned()));
        let exchange = Arc::new(exchange.patient());
        let options = Options::default();
        let stop = Arc::default();
        let mut known = Knowledge::nothing(&task, None);
        let pool = Pool::new(&task, &known, (&exchange, &options), &stop);
        let lines = [
            ("nonsense", false),
            (r#"{"chains":[{"initial":[],"steps":[[1],[0]]}]}"#, false),
            (r#"{"bound":{"goals":[1],"claim":{"fewest":{"chains":1,"steps":3}}}}"#, false),
            (r#"{"chains":[{"initial":[],"steps":[[1],[1],[0],[0]]}]}"#, true),
        ];
        let few = pool.others().when_open(0);
        for (line, is_over) in lines {
            pool.hear(line);
            assert_eq!(stop.load(Ordering::SeqCst), is_over, "{line}");
            assert_eq!(few.load(Ordering::Relaxed), is_over, "{line}");
        }
        assert!(!pool.waits(), "all is known");
        stop.store(false, Ordering::SeqCst);
        assert!(pool.waits(), "there are news that no lane has seen");
        pool.pour_out(&mut known).expect("no contradiction");
        assert_eq!((known.cost(), known.lower_bound(), known.is_settled(0.0)), ((1, 3), 3, true));
        assert_eq!(known.notes(), ["facts of other processes that did not hold, and did not count: 2"]);
        // The chain is a step shorter than the one that was said.
        assert_eq!(said.lock().expect("a list").len(), 0, "nothing that others know is told again");
        pool.hear(r#"{"bound":{"goals":[1],"claim":{"steps":4}}}"#);
        assert!(pool.pour_out(&mut known).is_err(), "it contradicts the chain");
    }
}
