//! Requirements about memory that have to be seen at outputs, against an enumeration that shares no
//! code with them.

use chaincover::{GoalStatus, Options, Settings, Silent, find_chains, read};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

type State = [u8; 2];

/// A step function by tables of the low bits of two words and an input; the requirement is about
/// steps from one value of the first word under one input.
struct Machine {
    next: Vec<State>,
    shown: Vec<u8>,
    from: u8,
    under: u8,
    limit: u8,
    reads_both: bool,
}

const fn place([a, b]: State, input: u8) -> usize {
    ((a & 3) as usize * 4 + (b & 3) as usize) * 2 + input as usize
}

impl Machine {
    fn random(rng: &mut StdRng) -> Self {
        // Few transitions leave a state, so that depths differ.
        let next = (0..32).map(|at: u8| match rng.random_range(0..3) {
            0 | 1 => [rng.random_range(0..4), rng.random_range(0..4)],
            _ => [at >> 3 & 3, at >> 1 & 3],
        });
        Self {
            next: next.collect(),
            shown: (0..32).map(|_| u8::from(rng.random_range(0..3) == 0)).collect(),
            from: rng.random_range(0..2),
            under: rng.random_range(0..2),
            limit: rng.random_range(1..8),
            reads_both: rng.random_range(0..2) == 0,
        }
    }

    fn text(&self) -> String {
        let table = |word: usize| {
            let values: Vec<String> = self.next.iter().map(|next| next[word].to_string()).collect();
            values.join(", ")
        };
        let shown: Vec<String> = self.shown.iter().map(u8::to_string).collect();
        let holds = if self.reads_both { "(a ^ b) % 8 < LIMIT" } else { "a < LIMIT" };
        let holds = holds.replace("LIMIT", &self.limit.to_string());
        format!(
            "static const unsigned char A[32] = {{{}}}, B[32] = {{{}}}, Y[32] = {{{}}};\nstatic unsigned char a, b;\nunsigned char y;\n\
             void step(_Bool u) {{ int at = ((a & 3) * 4 + (b & 3)) * 2 + u; a = A[at]; b = B[at]; y = Y[at]; }}\n\
             void R(_Bool u) {{ __CPROVER_assume(a == {} && u == {}); step(u); __CPROVER_assert({holds}, \"R\"); }}\n",
            table(0),
            table(1),
            shown.join(", "),
            self.from,
            self.under,
        )
    }

    const fn holds(&self, [a, b]: State) -> bool {
        if self.reads_both { (a ^ b) % 8 < self.limit } else { a < self.limit }
    }

    /// Whether one of the steps under some inputs shows which of two states it began in.
    fn tells(&self, one: State, other: State, steps: u32) -> bool {
        steps > 0
            && (0..2).any(|input| {
                let (at, beside) = (place(one, input), place(other, input));
                self.shown[at] != self.shown[beside]
                    || self.tells(self.next[at], self.next[beside], steps - 1)
            })
    }

    fn is_seen(&self, state: State, depth: u32) -> bool {
        let next = self.next[place(state, self.under)];
        let words = if self.reads_both { 0..2 } else { 0..1 };
        let others = words.flat_map(|word: usize| {
            (0..8).map(move |bit| {
                let mut other = next;
                other[word] ^= 1 << bit;
                other
            })
        });
        state[0] == self.from
            && others.filter(|&other| !self.holds(other)).any(|other| self.tells(next, other, depth))
    }

    /// The least number of steps before a state that satisfies something.
    fn depth(&self, is_wanted: impl Fn(State) -> bool) -> Option<u64> {
        let mut layer = vec![[0, 0]];
        let mut known = layer.clone();
        for depth in 0.. {
            if layer.iter().any(|&state| is_wanted(state)) {
                return Some(depth);
            }
            let next = layer.iter().flat_map(|&state| [0, 1].map(|input| self.next[place(state, input)]));
            let mut next: Vec<State> = next.filter(|state| !known.contains(state)).collect();
            next.sort_unstable();
            next.dedup();
            if next.is_empty() {
                return None;
            }
            known.extend(&next);
            layer = next;
        }
        None
    }
}

#[test]
fn requirements_are_seen_where_an_enumeration_sees_them() {
    let mut rng = StdRng::seed_from_u64(7);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("machine.c");
    let mut statuses = [0; 2];
    for case in 0..40 {
        let machine = Machine::random(&mut rng);
        std::fs::write(&path, machine.text()).expect("a file");
        let depth = (case + 1) % 4;
        let settings = Settings { observe: Some(depth), ..Settings::default() };
        let model = read([&path], &settings).expect("a model");
        assert_eq!(model.goals().collect::<Vec<_>>(), ["R", "R (seen)"], "{}", machine.text());
        let outcome = find_chains(&model, &Options::default(), &Silent).expect("an outcome");
        let applies = machine.depth(|state| state[0] == machine.from).map(|depth| depth + 1);
        let seen = machine.depth(|state| machine.is_seen(state, depth));
        let seen = seen.map(|before| before + 1 + u64::from(depth));
        let told: Vec<bool> = outcome
            .goals
            .values()
            .map(|goal| match goal.status {
                GoalStatus::Covered { .. } => true,
                GoalStatus::Unreachable { .. } => false,
                _ => panic!("undecided: {}", machine.text()),
            })
            .collect();
        assert_eq!(told, [applies.is_some(), seen.is_some()], "--observe {depth}\n{}", machine.text());
        let least = seen.or(applies).unwrap_or(0);
        assert_eq!(
            (outcome.length(), outcome.lower_bound),
            (least, least),
            "--observe {depth}\n{}",
            machine.text()
        );
        statuses[usize::from(seen.is_some())] += 1;
    }
    assert!(statuses.iter().all(|&count| count > 5), "{statuses:?}");
}
