//! Varisat 0.2: CDCL in Rust, independent of the MiniSat line of code.
//!
//! There is no rustsat adapter for it, so rustsat's traits are implemented here. Three properties
//! of Varisat shape the design:
//!
//! - It has no interrupt and no conflict limit, but it writes a proof and gives up when the proof
//!   cannot be written. So it writes one into [`Meter`], which counts the learned clauses and
//!   refuses further bytes when the budget is spent. The proof arrives in blocks of 8 KiB; limits
//!   are noticed only there, some hundred conflicts late. A query without conflicts is not cut
//!   short (nor does it last). A solver that was cut short is unusable and replaced by a new one
//!   with the same clauses: what it had learned is lost, no answer can be wrong. The proof costs
//!   about 5 % of the time.
//! - Its cores can be too small: an assumption that the clauses alone refute leaves a mark behind
//!   (`flags` in its `analyze_assumption_conflict`) that later cuts the search for failed
//!   assumptions short. Verdicts do not depend on these marks. So each core is asked again, alone;
//!   where it turns out satisfiable, all assumptions are the core.
//! - Its solver cannot move between threads, and ours must be able to. So it lives in a thread of
//!   its own that answers one request after the other; the caller waits meanwhile.

use super::adapter::{Limited, from_rustsat, to_rustsat};
use super::extend_by_adding;
use crate::sat::{Budget, ClauseSink, Formula, Lit, Var};
use anyhow::{Context, bail};
use rustsat::solvers::{Solve, SolveIncremental, SolverResult, SolverState, StateError};
use rustsat::types::{Cl, Lit as RustsatLit, TernaryVal, Var as RustsatVar};
use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use varisat::{ExtendFormula, ProofFormat};
use varisat_internal_proof::ProofStep;
use varisat_internal_proof::binary_format::Parser;

/// One query with the clauses that are new since the last one.
struct Request {
    clauses: Formula,
    assumptions: Vec<Lit>,
    budget: Budget,
}

/// What the thread answers.
enum Answer {
    /// Values by variable; open and unknown variables have none.
    Sat(Vec<Option<bool>>),
    /// The assumptions that fail together.
    Unsat(Vec<Lit>),
    Interrupted,
}

/// Varisat behind rustsat's traits.
pub(super) struct Solver {
    /// `None` only while being dropped.
    requests: Option<Sender<Request>>,
    answers: Receiver<Answer>,
    thread: Option<JoinHandle<()>>,
    /// Clauses that the thread does not have yet.
    pending: Formula,
    budget: Budget,
    /// The answer to the last query, unless a clause was added since.
    answer: Option<Answer>,
}

impl Solver {
    /// Starts the thread with an empty solver.
    pub(super) fn new() -> Self {
        let (requests, incoming) = channel::<Request>();
        let (outgoing, answers) = channel();
        let serve = move || {
            let mut worker = Worker::new();
            for request in incoming {
                if outgoing.send(worker.answer(request)).is_err() {
                    break;
                }
            }
        };
        let thread = std::thread::Builder::new()
            .name("varisat".to_owned())
            .spawn(serve)
            .expect("the system should be able to start a thread");
        Self {
            requests: Some(requests),
            answers,
            thread: Some(thread),
            pending: Formula::new(),
            budget: Budget::default(),
            answer: None,
        }
    }

    fn wrong_state(&self, required_state: SolverState) -> anyhow::Error {
        let actual_state = match self.answer {
            Some(Answer::Sat(_)) => SolverState::Sat,
            Some(Answer::Unsat(_)) => SolverState::Unsat,
            Some(Answer::Interrupted) => SolverState::Unknown,
            None => SolverState::Input,
        };
        StateError { required_state, actual_state }.into()
    }
}

impl Drop for Solver {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported as the failure of its last query.
            let _ = thread.join();
        }
    }
}

impl Limited for Solver {
    fn limit(&mut self, budget: &Budget) {
        self.budget = budget.clone();
    }
}

extend_by_adding!(Solver);

impl Solve for Solver {
    fn signature(&self) -> &'static str {
        "Varisat 0.2.2"
    }

    fn reserve(&mut self, max_var: RustsatVar) -> anyhow::Result<()> {
        self.pending.reserve_variables(max_var.idx32() + 1);
        Ok(())
    }

    fn solve(&mut self) -> anyhow::Result<SolverResult> {
        self.solve_assumps(&[])
    }

    fn lit_val(&self, literal: RustsatLit) -> anyhow::Result<TernaryVal> {
        let Some(Answer::Sat(model)) = &self.answer else { bail!(self.wrong_state(SolverState::Sat)) };
        Ok(match model.get(literal.vidx()).copied().flatten() {
            Some(value) if value == literal.is_pos() => TernaryVal::True,
            Some(_) => TernaryVal::False,
            None => TernaryVal::DontCare,
        })
    }

    fn add_clause_ref<C>(&mut self, clause: &C) -> anyhow::Result<()>
    where
        C: AsRef<Cl> + ?Sized,
    {
        let literals: Vec<Lit> = clause.as_ref().iter().copied().map(from_rustsat).collect();
        let variables = literals.iter().map(|literal| literal.var().0 + 1).max().unwrap_or(0);
        self.pending.reserve_variables(variables);
        self.pending.clause(&literals);
        self.answer = None;
        Ok(())
    }
}

impl SolveIncremental for Solver {
    fn solve_assumps(&mut self, assumptions: &[RustsatLit]) -> anyhow::Result<SolverResult> {
        let request = Request {
            clauses: std::mem::take(&mut self.pending),
            assumptions: assumptions.iter().copied().map(from_rustsat).collect(),
            budget: std::mem::take(&mut self.budget),
        };
        let requests = self.requests.as_ref().context("the solver is being dropped")?;
        requests.send(request).ok().context("the solver's thread has ended")?;
        let answer = self.answers.recv().context("the solver's thread failed")?;
        let result = match answer {
            Answer::Sat(_) => SolverResult::Sat,
            Answer::Unsat(_) => SolverResult::Unsat,
            Answer::Interrupted => SolverResult::Interrupted,
        };
        self.answer = Some(answer);
        Ok(result)
    }

    fn core(&mut self) -> anyhow::Result<Vec<RustsatLit>> {
        let Some(Answer::Unsat(core)) = &self.answer else { bail!(self.wrong_state(SolverState::Unsat)) };
        Ok(core.iter().map(|&literal| to_rustsat(!literal)).collect())
    }
}

/// The thread's side: the solver, its meter, and the clauses to start anew with.
struct Worker {
    solver: varisat::Solver<'static>,
    meter: Meter,
    formula: Formula,
}

impl Worker {
    fn new() -> Self {
        let meter = Meter::default();
        Self { solver: metered_solver(&meter), meter, formula: Formula::new() }
    }

    fn answer(&mut self, request: Request) -> Answer {
        for clause in request.clauses.clauses() {
            self.solver.add_clause(&to_varisat(clause));
            self.formula.reserve_variables(request.clauses.variables());
            self.formula.clause(clause);
        }
        self.meter.start(request.budget);
        let assumptions = to_varisat(&request.assumptions);
        match self.ask(&assumptions) {
            Some(true) => Answer::Sat(self.model()),
            Some(false) => Answer::Unsat(self.core(assumptions).into_iter().map(from_varisat).collect()),
            None => Answer::Interrupted,
        }
    }

    /// Satisfiability under assumptions within the rest of the running budget. `None`: that was
    /// spent, and the solver is anew.
    fn ask(&mut self, assumptions: &[varisat::Lit]) -> Option<bool> {
        self.solver.assume(assumptions);
        self.meter.arm(true);
        let result = self.solver.solve();
        self.meter.arm(false);
        if result.is_err() {
            self.restart();
        }
        result.ok()
    }

    /// The failed assumptions as far as they stand a second query, else all of them.
    fn core(&mut self, assumptions: Vec<varisat::Lit>) -> Vec<varisat::Lit> {
        let core = self.solver.failed_core().expect("an unsatisfiable query should have a core").to_vec();
        if core.is_empty() || self.ask(&core) == Some(false) { core } else { assumptions }
    }

    fn model(&self) -> Vec<Option<bool>> {
        let literals = self.solver.model().expect("a satisfiable query should have a model");
        let mut model = Vec::new();
        for literal in literals {
            let variable = literal.index();
            if model.len() <= variable {
                model.resize(variable + 1, None);
            }
            model[variable] = Some(literal.is_positive());
        }
        model
    }

    /// Replaces the solver, which is unusable once its proof was refused.
    fn restart(&mut self) {
        self.meter = Meter::default();
        self.solver = metered_solver(&self.meter);
        for clause in self.formula.clauses() {
            self.solver.add_clause(&to_varisat(clause));
        }
    }
}

fn metered_solver(meter: &Meter) -> varisat::Solver<'static> {
    let mut solver = varisat::Solver::new();
    solver.write_proof(meter.clone(), ProofFormat::Varisat);
    solver
}

/// The proof's writer: throws the bytes away and refuses them when the running query's budget is
/// spent.
#[derive(Clone, Default)]
struct Meter {
    shared: Rc<RefCell<Gauge>>,
}

#[derive(Default)]
struct Gauge {
    /// Budget of the last query.
    budget: Budget,
    /// Clauses learned since that query began.
    learned: u64,
    /// Whether the solver searches; what it writes while it takes clauses and assumptions has to be
    /// accepted.
    armed: bool,
    /// Whether a block was refused: the solver offers it once more when it gives up, and nothing it
    /// writes matters then.
    refused: bool,
    /// Proof bytes that do not make a whole step yet.
    rest: Vec<u8>,
    parser: Parser,
}

/// Smallest block that may be refused. Varisat's buffer holds 8 KiB; a smaller block comes from the
/// flush after an answer, which there is no reason to lose.
const FULL_BLOCK: usize = 4096;

impl Meter {
    fn start(&self, budget: Budget) {
        let mut gauge = self.shared.borrow_mut();
        gauge.learned = 0;
        gauge.budget = budget;
    }

    fn arm(&self, armed: bool) {
        self.shared.borrow_mut().armed = armed;
    }
}

impl Gauge {
    /// Counts the learned clauses among the proof's steps.
    fn read(&mut self, block: &[u8]) {
        self.rest.extend_from_slice(block);
        let mut unread = &self.rest[..];
        loop {
            let mut step = unread;
            match self.parser.parse_step(&mut step) {
                Ok(ProofStep::AtClause { .. }) => self.learned += 1,
                Ok(_) => {}
                Err(_) => break, // incomplete: the next block brings the rest
            }
            unread = step;
        }
        let read = self.rest.len() - unread.len();
        self.rest.drain(..read);
    }

    fn is_spent(&self) -> bool {
        self.budget.is_spent() || self.budget.conflicts.is_some_and(|limit| self.learned >= limit)
    }
}

impl io::Write for Meter {
    fn write(&mut self, block: &[u8]) -> io::Result<usize> {
        let mut gauge = self.shared.borrow_mut();
        if gauge.refused {
            return Ok(block.len());
        }
        gauge.read(block);
        if gauge.armed && block.len() >= FULL_BLOCK && gauge.is_spent() {
            gauge.refused = true;
            // Not `ErrorKind::Interrupted`, after which the write would be tried again.
            return Err(io::Error::other("the query's budget is spent"));
        }
        Ok(block.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn to_varisat(literals: &[Lit]) -> Vec<varisat::Lit> {
    let literal = |literal: &Lit| varisat::Lit::from_index(literal.var().0 as usize, !literal.is_negated());
    literals.iter().map(literal).collect()
}

fn from_varisat(literal: varisat::Lit) -> Lit {
    let variable = u32::try_from(literal.index()).expect("variables should have 32 bits");
    Var(variable).literal(literal.is_positive())
}
