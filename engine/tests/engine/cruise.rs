//! The cruise controller of the paper (chaincover-notes, section 2), as terms.

use model::sort::Sort;
use model::system::{Assumption, Goal, GoalId, InputRole, TransitionSystem};
use model::term::{BinaryOp, TermId};

/// Modes.
pub(crate) const OFF: u128 = 0;
pub(crate) const ON: u128 = 1;
pub(crate) const DIS: u128 = 2;

/// Letters.
pub(crate) const BUTTON: u128 = 1;
pub(crate) const ACC: u128 = 2;
pub(crate) const DEC: u128 = 3;
pub(crate) const GAS: u128 = 4;
pub(crate) const BRAKE: u128 = 5;

/// The system under construction with the terms of its words.
pub(crate) struct Cruise {
    pub(crate) system: TransitionSystem,
    pub(crate) mode: TermId,
    pub(crate) speed: TermId,
    pub(crate) enable: TermId,
    pub(crate) signal: TermId,
}

impl Cruise {
    /// The controller without goals; Final is the initial state.
    pub(crate) fn new() -> Self {
        let mut system = TransitionSystem { name: "cruise".to_owned(), ..TransitionSystem::default() };
        let mode_id = system.add_state("mode", Sort::word(2));
        let speed_id = system.add_state("speed", Sort::word(2));
        let enable_id = system.add_state("enable", Sort::TRUTH);
        let signal_id = system.add_input("signal", Sort::word(3), InputRole::Stimulus);
        let mut cruise = Self {
            mode: system.state_term(mode_id),
            speed: system.state_term(speed_id),
            enable: system.state_term(enable_id),
            signal: system.input_term(signal_id),
            system,
        };
        let (mode, speed, enable) = (cruise.next_mode(), cruise.next_speed(), cruise.next_enable());
        let system = &mut cruise.system;
        (system.states[mode_id].init, system.states[mode_id].next) = (system.terms.word(2, OFF), mode);
        (system.states[speed_id].init, system.states[speed_id].next) = (system.terms.word(2, 0), speed);
        (system.states[enable_id].init, system.states[enable_id].next) = (system.terms.truth(false), enable);
        let letters: Vec<TermId> = (1..=5).map(|letter| cruise.letter(letter)).collect();
        let condition = cruise.any(&letters);
        cruise.system.assumptions.push(Assumption { condition, origin: None });
        let (off, still, disabled) = (cruise.is_mode(OFF), cruise.is_speed(0), cruise.disabled());
        cruise.system.end = Some(cruise.all(&[off, still, disabled]));
        cruise
    }

    fn next_mode(&mut self) -> TermId {
        let (old, enable) = (self.mode, self.enable);
        let button = self.letter(BUTTON);
        let (gas, brake, acc, dec) =
            (self.letter(GAS), self.letter(BRAKE), self.letter(ACC), self.letter(DEC));
        let (up, down, pedal) = (self.any(&[gas, acc]), self.any(&[brake, dec]), self.any(&[gas, brake]));
        let [off, on, dis] = [OFF, ON, DIS].map(|mode| self.system.terms.word(2, mode));
        let [still, slow, fast] = [0, 1, 2].map(|speed| self.is_speed(speed));
        let terms = &mut self.system.terms;
        let mut from_on = terms.ite(button, off, old);
        from_on = terms.ite(pedal, dis, from_on);
        let (fast_down, still_up) = (terms.and(fast, down), terms.and(still, up));
        let resumed = terms.or(fast_down, still_up);
        let mut from_dis = terms.ite(button, off, old);
        from_dis = terms.ite(resumed, on, from_dis);
        let (enabled_down, enabled_up) = (terms.and(fast_down, enable), terms.and(still_up, enable));
        let pressed = terms.and(slow, button);
        let enabled = terms.or(enabled_down, enabled_up);
        let activated = terms.or(enabled, pressed);
        let from_off = terms.ite(activated, on, old);
        let (is_on, is_dis) = (self.is_mode(ON), self.is_mode(DIS));
        let otherwise = self.system.terms.ite(is_dis, from_dis, from_off);
        self.system.terms.ite(is_on, from_on, otherwise)
    }

    fn next_speed(&mut self) -> TermId {
        let (gas, brake, acc, dec) =
            (self.letter(GAS), self.letter(BRAKE), self.letter(ACC), self.letter(DEC));
        let on = self.is_mode(ON);
        let [still, fast] = [0, 2].map(|speed| self.is_speed(speed));
        let speed = self.speed;
        let terms = &mut self.system.terms;
        let one = terms.word(2, 1);
        let (not_on, not_fast, not_still) = (terms.not(on), terms.not(fast), terms.not(still));
        let (acc, dec) = (terms.and(acc, not_on), terms.and(dec, not_on));
        let (up, down) = (terms.or(gas, acc), terms.or(brake, dec));
        let (up, down) = (terms.and(up, not_fast), terms.and(down, not_still));
        let (faster, slower) =
            (terms.binary(BinaryOp::Add, speed, one), terms.binary(BinaryOp::Sub, speed, one));
        let otherwise = terms.ite(down, slower, speed);
        terms.ite(up, faster, otherwise)
    }

    fn next_enable(&mut self) -> TermId {
        let (button, enable) = (self.letter(BUTTON), self.enable);
        self.system.terms.binary(BinaryOp::Xor, enable, button)
    }

    fn equals(&mut self, term: TermId, number: u128) -> TermId {
        let width = self.system.terms.width(term);
        let number = self.system.terms.word(width, number);
        self.system.terms.equal(term, number)
    }
    /// The mode is this one.
    pub(crate) fn is_mode(&mut self, mode: u128) -> TermId {
        self.equals(self.mode, mode)
    }
    /// The speed is this one.
    pub(crate) fn is_speed(&mut self, speed: u128) -> TermId {
        self.equals(self.speed, speed)
    }
    /// The input is this one.
    pub(crate) fn letter(&mut self, letter: u128) -> TermId {
        self.equals(self.signal, letter)
    }
    /// Not enabled.
    pub(crate) fn disabled(&mut self) -> TermId {
        self.system.terms.not(self.enable)
    }
    /// Conjunction.
    pub(crate) fn all(&mut self, terms: &[TermId]) -> TermId {
        self.system.terms.conjunction(terms.iter().copied())
    }
    /// Disjunction.
    pub(crate) fn any(&mut self, terms: &[TermId]) -> TermId {
        let start = self.system.terms.truth(false);
        terms.iter().fold(start, |any, &term| self.system.terms.or(any, term))
    }
    /// Adds a goal of one step.
    pub(crate) fn goal(&mut self, name: &str, conditions: &[TermId]) -> GoalId {
        let antecedent = self.all(conditions);
        self.system.goals.push(Goal {
            name: name.to_owned(),
            requirement: None,
            text: None,
            origin: None,
            steps: 1,
            antecedent,
            expectation: None,
        })
    }

    /// With the properties p1 to p4 of the introduction.
    pub(crate) fn with_four_properties() -> Self {
        let mut cruise = Self::new();
        let (on, slow, dec) = (cruise.is_mode(ON), cruise.is_speed(1), cruise.letter(DEC));
        cruise.goal("p1", &[on, slow, dec]);
        let (dis, fast) = (cruise.is_mode(DIS), cruise.is_speed(2));
        cruise.goal("p2", &[dis, fast, dec]);
        let brake = cruise.letter(BRAKE);
        cruise.goal("p3", &[on, brake]);
        let (off, disabled, button) = (cruise.is_mode(OFF), cruise.disabled(), cruise.letter(BUTTON));
        cruise.goal("p4", &[off, fast, disabled, button]);
        cruise
    }

    /// With the properties p1, p2 of Example 1.
    pub(crate) fn of_example_1() -> Self {
        let mut cruise = Self::new();
        let (off, disabled, button) = (cruise.is_mode(OFF), cruise.disabled(), cruise.letter(BUTTON));
        cruise.goal("p1", &[off, disabled, button]);
        let (on, brake) = (cruise.is_mode(ON), cruise.letter(BRAKE));
        cruise.goal("p2", &[on, brake]);
        cruise
    }
}
