use super::ranges::{Ranges, apply};
use super::{BUDGET, ReachableRanges, enter_bounds};
use crate::knowledge::chains::longest_run;
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::{Task, all_goals};
use crate::knowledge::vertex::Vertex;
use crate::options::Options;
use crate::provers::explicit::{Explicit, Limits};
use crate::random_simulation::Random;
use crate::session::{Session, Silent};
use crate::step::code::{Code, Instruction, Program};
use crate::step::floats::FloatCode;
use crate::step::initial::initial_states;
use crate::step::lanes::scalar;
use crate::turn::{Prover, Turn};
use model::sort::{FloatFormat, Sort};
use model::text::parse;
use model::trace::{Start as TraceStart, Trace};
use model::validate::{Validated, validate};
use model::value::Value;

fn system(text: &str) -> Validated {
    validate(parse(text).unwrap_or_else(|error| panic!("{error}: {text}"))).expect("a valid system")
}

fn bounds(system: &Validated) -> ReachGraph {
    let task = Task::new(system, &all_goals(system), Vec::new());
    let options = Options::default();
    let mut graph = task.empty_graph();
    let session = Session::new(&options, &Silent);
    let sources: Vec<Vertex> = graph.vertices().collect();
    let Ok(_) = enter_bounds(&task, &mut graph, &sources, (0, BUDGET), &session) else {
        panic!("no limit should be reached")
    };
    graph
}

const CODES: [Code; 24] = [
    Code::Not,
    Code::Neg,
    Code::And,
    Code::Or,
    Code::Xor,
    Code::Add,
    Code::Sub,
    Code::Mul,
    Code::UDiv,
    Code::URem,
    Code::SDiv,
    Code::SRem,
    Code::Shl,
    Code::LShr,
    Code::AShr,
    Code::Eq,
    Code::ULt,
    Code::ULe,
    Code::SLt,
    Code::SLe,
    Code::Ite,
    Code::Extract { low: 0 },
    Code::Extract { low: 2 },
    Code::SignExtend { from: 5 },
];

/// A program to compute single instructions with.
fn with_program(test: impl FnOnce(&Program)) {
    let system = system("input x w5 state s w5 next x goal g when (eq s 1)");
    test(&Program::compile(&Task::new(&system, &all_goals(&system), Vec::new())));
}

#[test]
fn ranges_of_results_hold_all_results() {
    with_program(|program| {
        let mut random = Random::new(11);
        let (mut narrow, mut rounds) = (0, 0);
        for _ in 0..20_000 {
            let code = CODES[random.below(CODES.len())];
            let width = match code {
                Code::Extract { .. } => 3,
                Code::SignExtend { .. } => 9,
                _ => 5,
            };
            let mut operands = [0; 3].map(|_| {
                let mut ranges = Ranges::NOTHING;
                for _ in 0..1 + random.below(2) {
                    let (a, b) = (random.below(32) as u128, random.below(32) as u128);
                    let close = if random.below(2) == 0 { a } else { (a + b % 4).min(31) };
                    ranges.add(5, a.min(close), a.max(close));
                    if random.below(4) == 0 {
                        ranges.add(5, a.min(b), a.max(b));
                    }
                }
                ranges
            });
            if code == Code::Ite {
                operands[0] = [Ranges::all(1), Ranges::single(0), Ranges::single(1)][random.below(3)];
            }
            let instruction = Instruction { code, width, a: 0, b: 1, c: 2 };
            let result = program.result_width(&instruction);
            let found = apply(&instruction, result, operands, |bits| scalar(program, &instruction, bits));
            let words = |ranges: Ranges| (0..32u128).filter(move |&word| ranges.contains(word));
            for a in words(operands[0]) {
                for b in words(operands[1]) {
                    let bits = scalar(program, &instruction, [a, b, b]);
                    let is_third = code == Code::Ite && a == 0;
                    assert!(is_third || found.contains(bits), "{code:?} {a} {b} in {operands:?}: {found:?}");
                }
            }
            if code == Code::Ite && operands[0].contains(0) {
                assert!(words(operands[2]).all(|word| found.contains(word)));
            }
            rounds += 1;
            narrow += u32::from(found.split(result) != Ranges::all(result));
        }
        assert!(narrow * 2 > rounds, "{narrow} of {rounds} results are narrower than everything");
    });
}

#[test]
fn ranges_of_floats_hold_all_results() {
    use FloatCode::{
        Add, Convert, Div, Equal, FromSigned, FromUnsigned, Less, LessEqual, Mul, Sqrt, Sub, ToWord,
    };
    let codes = [Add, Sub, Mul, Div, Sqrt, Equal, Less, LessEqual, FromUnsigned, FromSigned, ToWord, Convert];
    with_program(|program| {
        let mut random = Random::new(5);
        let mut narrow = 0;
        for round in 0..12_000 {
            let code = codes[random.below(codes.len())];
            let format = if round % 2 == 0 { FloatFormat::Single } else { FloatFormat::Double };
            let instruction = Instruction { code: Code::Float { code, format }, width: 16, a: 0, b: 1, c: 0 };
            let from_word = matches!(code, FromUnsigned | FromSigned);
            let width = if from_word { 16 } else { format.width() };
            // Moderate numbers, zeros, now and then anything: two or three members each, and what
            // lies between them.
            let mut draw = || -> u128 {
                let number = (random.below(4_001) as f64 - 2_000.0) / 64.0;
                match (random.below(12), from_word) {
                    (_, true) => u128::from(random.next_word() & 0xffff),
                    (0, _) => u128::from(random.next_word()) & (u128::MAX >> (128 - width)),
                    (1, _) => [0, 1 << (width - 1)][random.below(2)],
                    _ if format == FloatFormat::Single => u128::from((number as f32).to_bits()),
                    _ => u128::from(number.to_bits()),
                }
            };
            let members: [Vec<u128>; 2] = [0; 2].map(|_| (0..3).map(|_| draw()).collect());
            let ranges = [0, 1].map(|operand: usize| {
                let mut ranges = Ranges::NOTHING;
                members[operand].iter().for_each(|&bits| ranges.add(width, bits, bits));
                ranges
            });
            let result = program.result_width(&instruction);
            let operands = [ranges[0], ranges[1], ranges[0]];
            let found = apply(&instruction, result, operands, |bits| scalar(program, &instruction, bits));
            narrow += u32::from(found.split(result) != Ranges::all(result));
            for &a in &members[0] {
                for &b in &members[1] {
                    let bits = scalar(program, &instruction, [a, b, a]);
                    assert!(
                        found.contains(bits),
                        "{code:?} {format:?} of {a:x} {b:x}: {bits:x} not in {found:x?}"
                    );
                }
            }
        }
        assert!(narrow > 6_000, "{narrow} of 12000 results are narrower than everything");
    });
}

/// Systems in which ranges say much, little, or must not say too much.
const SYSTEMS: [&str; 6] = [
    "input up w1 input load w1 state x w6 init 3 next (ite load 9 (ite up (add x 1) (sub x 1)))
     state d w3 init 0 next (ite (eq d 4) 0 (add d 1)) state y w5 init 0 next (ite (eq d 4) (add y 1) y)
     goal a when (eq x 40) goal b when (and (eq y 6) up) goal c steps 2 when (and (eq x 12) (eq x@2 14))
     goal e when (slt x 0) end (ult x 8)",
    "input u w4 assume (ule u 3) state x w7 init 100 next (ite (slt x 0) (sub x (zext w7 u)) 50)
     state m w2 init 0 next (ite (eq x 66) (add m 1) m)
     goal low when (eq x 66) goal twice when (and (eq m 2) (eq u 1)) goal jump steps 3 when (and (eq x@1 90) (eq m@3 1))",
    "input r w1 state a w4 init 0 next (ite r 0 (ite (ult a 12) (add a 1) a))
     state b w4 init 0 next (ite (eq a 12) (ite (ult b 9) (add b 1) b) 0)
     goal full when (eq b 9) goal half when (and (eq b 4) r) goal over when (eq a 13) goal back when (and (eq a 0) (eq b 0))
     end (and (eq a 1) r@0)",
    "input k w3 state s w8 init 1 next (ite (eq k 5) (mul s 3) (ite (eq k 2) (urem s 7) (udiv s 2)))
     goal big when (ult 200 s) goal odd when (and (eq (extract 0 0 s) 1) (eq k 2)) goal five when (eq s 5)",
    "input t w2 state v w6 init 0 next (ite (eq t 3) (sdiv v 3) (add v (sext w6 t)))
     state n w3 init 0 next (ite (sle v 0) n (add n 1)) goal neg when (sle v 50) goal n7 when (eq n 7)
     goal v9 steps 2 when (and (eq v 9) (eq v@1 3))",
    "initial-input i w3 initial-assume (ult i 5) input h w1 state q w5 init (zext w5 i) next (ite h (add q 2) q)
     goal q21 when (eq q 21) goal q8 when (and (eq q 8) h) goal q3 when (eq q 3)",
];

/// No bound is above a distance that the enumeration of all states finds, and no goal that occurs
/// is excluded.
#[test]
fn bounds_are_no_greater_than_distances() {
    let mut sharp = 0;
    for text in SYSTEMS {
        let text = text.replace(" r@0)", ")");
        let system = system(&text.replace("(and (eq a 1))", "(eq a 1)"));
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let graph = bounds(&system);
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        let Ok(Some(initial)) = initial_states(&task, 100, &session) else { panic!("few initial states") };
        let limits = Limits { states: 1_000_000, classes: 1_000, outcomes: false, work: u64::MAX };
        let Ok(Some(explicit)) = Explicit::enumerate(&task, &initial, limits, &session) else {
            panic!("few states: {text}")
        };
        for source in graph.vertices() {
            for (target, distance) in explicit.row(source) {
                if source == target || (target.is_depot() && !task.has_end()) {
                    continue;
                }
                let bound = graph.lower(source, target).expect("nothing is excluded for good");
                if let Some(distance) = distance {
                    assert!(bound <= distance, "{text}: {source} to {target}: {bound} above {distance}");
                    sharp += u32::from(bound == distance && distance > 2);
                }
            }
        }
    }
    assert!(sharp > 10, "{sharp} bounds of more than two steps are met");
}

#[test]
fn what_cannot_be_enumerated_has_bounds() {
    let table = [
        ("input go w1 state x w32 init 0 next (ite go (add x 1) 0) goal far when (eq x 1546)", 1546),
        ("input go w1 state x w32 init 0 next (add x 1) goal far when (ule 1546 x) ", 1546),
        (
            "input go w1 state x f32 next (ite go (float-add x 0x3dcccccd:f32) 0x00000000:f32)
          goal far when (float-le 0x42c80000:f32 x)",
            1001,
        ),
        (
            "input u w16 assume (ule u 250) state x w32 init 7 next (add x (zext w32 u))
          state y w16 init 0 next (ite (ult 100000 x) (add y 1) y) goal far when (eq y 30)",
            430,
        ),
    ];
    for (text, expected) in table {
        let graph = bounds(&system(text));
        assert_eq!(graph.lower(Vertex::DEPOT, Vertex::of_position(0)), Some(expected), "{text}");
    }
}

/// Systems, and their goals that ranges exclude.
#[test]
fn goals_that_no_range_admits_are_excluded() {
    let filter = "system filter input x f64 state d f64 init 0.0
        next (float-add d (float-mul 0.4 (float-sub
            (ite (float-lt 90.0 x) 90.0 (ite (float-lt x -90.0) -90.0 x)) d)))
        assume (float-le x 1.0e30)
        goal over when (float-lt 95.0 d) goal high when (float-lt 80.0 d)";
    let table: &[(&str, &[&str])] = &[
        (filter, &["over"]),
        // A counter that stops at its limit.
        ("system count input go w1 state n w16 init 0 next (ite (and go (ult n 500)) (add n 1) n)
            goal all when (eq n 500) goal more when (eq n 501) goal far when (ult 600 n)", &["more", "far"]),
        // A sum that is limited behind the addition.
        ("system sum input x w8 state s w16 init 0 next (ite (ult 1000 (add s (zext w16 x))) 1000 (add s (zext w16 x)))
            goal all when (eq s 1000) goal more when (ult 1000 s)", &["more"]),
        // A word that is only ever given four values, by way of another one.
        ("system four input go w2 state m w8 init 3 next (ite (eq go 1) 17 (ite (eq go 2) 40 m))
            state n w8 init 3 next (ite (eq go 3) (add m 1) n)
            goal seventeen when (eq m 17) goal nine when (eq m 9) goal eighteen when (eq n 18) goal other when (eq n 19)",
            &["nine", "other"]),
        // What a mode allows: the number counts in one mode and stays in the other.
        ("system modes input go w1 state mode w2 init 0 next (ite (eq mode 0) (ite go 1 0) (ite (eq n 7) 2 mode))
            state n w8 init 0 next (ite (and (eq mode 1) (ult n 7)) (add n 1) n)
            goal over when (ult 7 n) goal three when (eq mode 3) goal two when (eq mode 2)", &["over", "three"]),
    ];
    for (text, expected) in table {
        let system = validate(parse(text).expect("a text")).expect("a valid system");
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        let mut known = Knowledge::nothing(&task, None);
        let turn = ReachableRanges::new(&task).run(&mut known, 50_000_000, &session);
        assert!(matches!(turn, Ok(Turn::Exhausted)), "{text}");
        let names = task.vertices().filter(|&goal| known.is_excluded(goal));
        let names: Vec<&str> = names.map(|goal| &*system.goals[task.goal(goal)].name).collect();
        assert_eq!(names, *expected, "{text}");
    }
}

/// Random terms over two words of six bits, a float, and inputs of both kinds.
struct Terms(Random);

impl Terms {
    fn word(&mut self, depth: usize) -> String {
        match self.0.below(if depth == 0 { 4 } else { 11 }) {
            0 => "a".to_owned(),
            1 => "b".to_owned(),
            2 => "x".to_owned(),
            3 => format!("{}:w6", self.0.below(64)),
            choice @ 4..8 => {
                let operator = ["add", "sub", "and", "add"][choice - 4];
                format!("({operator} {} {})", self.word(depth - 1), self.word(depth - 1))
            }
            _ => format!("(ite {} {} {})", self.truth(depth - 1), self.word(depth - 1), self.word(depth - 1)),
        }
    }
    fn float(&mut self, depth: usize) -> String {
        match self.0.below(if depth == 0 { 3 } else { 9 }) {
            0 => "d".to_owned(),
            1 => "f".to_owned(),
            2 => format!("{:?}:f64", (self.0.below(81) as f64 - 40.0) / 8.0),
            choice @ 3..6 => {
                let operator = ["float-add", "float-sub", "float-mul"][choice - 3];
                format!("({operator} {} {})", self.float(depth - 1), self.float(depth - 1))
            }
            _ => {
                format!("(ite {} {} {})", self.truth(depth - 1), self.float(depth - 1), self.float(depth - 1))
            }
        }
    }
    fn truth(&mut self, depth: usize) -> String {
        let depth = depth.saturating_sub(1);
        match self.0.below(9) {
            0 => format!("(eq {} {})", self.word(depth), self.word(depth)),
            1 => format!("(ult {} {})", self.word(depth), self.word(depth)),
            2 => format!("(slt {} {})", self.word(depth), self.word(depth)),
            3 => format!("(ule {} {})", self.word(depth), self.word(depth)),
            4 => format!("(float-lt {} {})", self.float(depth), self.float(depth)),
            5 => format!("(float-le {} {})", self.float(depth), self.float(depth)),
            6 => format!("(and {} {})", self.truth(depth), self.truth(depth)),
            7 => format!("(or {} {})", self.truth(depth), self.truth(depth)),
            _ => format!("(not {})", self.truth(depth)),
        }
    }
    fn system(&mut self) -> String {
        let [a, b, d] = [self.word(3), self.word(3), self.float(3)];
        let mut text = format!(
            "system random input x w6 input f f64 state a w6 init 0 next {a} state b w6 init {} next {b}
            state d f64 init 0.0 next {d} ",
            self.0.below(64)
        );
        if self.0.below(2) == 0 {
            text.push_str("assume (and (float-le -3.5 f) (float-le f 3.5)) ");
        }
        for goal in 0..8 {
            let condition = match self.0.below(4) {
                0 => format!("(eq a {})", self.0.below(64)),
                1 => format!("(float-lt {:?} d)", self.0.below(60) as f64 / 4.0),
                2 => format!("(ult {} b)", self.0.below(64)),
                _ => self.truth(2),
            };
            // A transition of the window that begins elsewhere, under other inputs.
            let later = match self.0.below(3) {
                0 => format!("(eq (add (mul a@1 2) (and x@1 1)) {})", self.0.below(64)),
                1 => "(ult (xor b@1 x@1) 9)".to_owned(),
                _ => String::new(),
            };
            match later.is_empty() {
                true => text.push_str(&format!("goal g{goal} when {condition} ")),
                false => text.push_str(&format!("goal g{goal} steps 2 when (and {condition} {later}) ")),
            }
        }
        text
    }
}

/// Goals that occur, though each of them only where ranges are looked at closely enough: transitions
/// of a window begin in different states, and a word that is compared as a narrow one is extended.
#[test]
fn close_looks_exclude_nothing_that_occurs() {
    let table = [
        "input x w4 state s w4 next (ite (ult s 5) (add s 1) 0)
         goal g steps 2 when (and (eq s 2) (eq (add (mul s@1 4) (and x@1 1)) 13))
         goal h steps 3 when (and (eq s 3) (eq (add (mul s@2 2) (and x@2 1)) 11))",
        "input x w2 state s w2 next x state t w4 next (ite (slt s 0) (zext w4 s) 0) goal g when (eq t 2) goal h when (eq t 3)",
        "input x w2 state s w2 next x state t w4 next (ite (sle 0 s) 9 (zext w4 s)) goal g when (eq t 2) goal h when (eq t 9)",
        "input x w2 state s w2 next x state t w4 next (ite (ult 2 s) (zext w4 s) 7) goal g when (eq t 3) goal h when (eq t 7)",
    ];
    for text in table {
        let system = system(text);
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        let mut known = Knowledge::nothing(&task, None);
        assert!(ReachableRanges::new(&task).run(&mut known, 20_000_000, &session).is_ok(), "{text}");
        let excluded: Vec<Vertex> = task.vertices().filter(|&goal| known.is_excluded(goal)).collect();
        assert!(excluded.is_empty(), "{excluded:?} of {text}");
    }
}

/// What ranges exclude no execution under random inputs reaches, whatever the step computes.
#[test]
fn nothing_that_occurs_is_excluded() {
    let systems = std::env::var("CHAINCOVER_RANDOM_SYSTEMS").ok().and_then(|count| count.parse().ok());
    let (mut excluded, mut seen) = (0, 0);
    for seed in 0..systems.unwrap_or(60) {
        let mut terms = Terms(Random::new(900 + seed));
        let text = terms.system();
        let system = system(&text);
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        let mut known = Knowledge::nothing(&task, None);
        let turn = ReachableRanges::new(&task).run(&mut known, 20_000_000, &session);
        assert!(turn.is_ok(), "{text}");
        for _ in 0..12 {
            let mut draw = || {
                let word = Value::new(Sort::word(6), terms.0.below(64) as u128);
                let number = (terms.0.below(57) as f64 - 28.0) / 8.0;
                vec![word, Value::new(Sort::Float(FloatFormat::Double), number.to_bits().into())]
            };
            let inputs = (0..60).map(|_| draw()).collect();
            let trace = Trace { start: TraceStart::Initial(Vec::new()), inputs };
            let run = longest_run(&task, &trace).expect("inputs that the assumptions allow");
            for goal in task.vertices() {
                let occurs = run.covers(task.goal(goal));
                assert!(!(occurs && known.is_excluded(goal)), "seed {seed}, goal {goal} occurs: {text}");
                seen += usize::from(occurs);
            }
        }
        excluded += task.vertices().filter(|&goal| known.is_excluded(goal)).count();
    }
    println!("{excluded} goals excluded, {seen} seen");
    assert!(excluded > 20 && seen > 200, "{excluded} goals excluded, {seen} seen");
}
