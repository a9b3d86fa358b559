//! Random action systems with every construct, against refinement and conformance by brute force, written here and sharing no code
//! with the crate: own syntax trees, own relations, all values of all parameters.

use crate::brute::{self, Generator, System};
use actions::analysis::{Bounds, Explored, Finding, Kill, Source, explore, read};
use actions::explore::conform::{Event, GONE, Pair, Product};
use actions::explore::cover::{Effort, beam, essential, killed, trimmed};
use actions::front::Actions;
use actions::interpret::{Machine, Seen, image};
use actions::mutate::{Operator, Operators};
use actions::replay::{self, Move};
use actions::values::Alphabet;
use frontend::{FrontEnd, NoJudge, Request};
use model::simulate::Simulator;
use model::system::TransitionSystem;
use model::validate::validate;
use model::value::Value as Word;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use spec::value::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Number of pairs of systems, and the first seed.
fn rounds(default: u64) -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seed = number("CHAINCOVER_RANDOM_SEED").unwrap_or(1);
    seed..seed + number("CHAINCOVER_RANDOM_SYSTEMS").unwrap_or(default)
}

fn write(folder: &Path, name: &str, system: &System) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, system.text()).expect("a folder for tests");
    path
}

fn parsed(path: &Path, system: &System) -> Source {
    read(path, &[]).unwrap_or_else(|failure| {
        let text = frontend::diagnostics::render(&failure.diagnostics, &failure.sources, false);
        panic!("{text}\n{}", system.text())
    })
}

fn values(state: &[i64]) -> Vec<Value> {
    state.iter().map(|&value| Value::Integer(i128::from(value))).collect()
}
fn numbers(state: &[Value]) -> Vec<i64> {
    state.iter().map(|value| value.as_integer().expect("integers") as i64).collect()
}

/// A random system with some mutants, as the tests see them and as the crate reads them.
struct Drawn {
    original: System,
    mutants: Vec<System>,
    source: Source,
    others: Vec<Source>,
}

impl Drawn {
    fn of(seed: u64, folder: &Path) -> Self {
        let mut generator = Generator(SmallRng::seed_from_u64(seed));
        let original = generator.system();
        let mutants: Vec<System> = (0..4).map(|_| generator.mutant(&original)).collect();
        let source = parsed(&write(folder, "o.as", &original), &original);
        let read = |mutant: &System| parsed(&write(folder, "m.as", mutant), mutant);
        let others = mutants.iter().map(read).collect();
        Self { original, mutants, source, others }
    }
}

/// The states in which a mutant can leave the original, with their depths, as they were found.
fn found_unsafe(found: &Explored, finding: &Finding) -> BTreeSet<(u32, Vec<i64>)> {
    let states = finding.difference.unsafe_states.iter().map(|place| {
        let state = found.space.values(found.reached.states[place.state]);
        (found.reached.depth[place.state], numbers(state))
    });
    states.collect()
}

#[test]
fn verdicts_depths_and_shortest_traces() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut kinds, mut undecided, mut skipped) = ([0; 4], 0, 0);
    for seed in rounds(400) {
        let Drawn { original, mutants, source, others } = Drawn::of(seed, folder.path());
        let systems: Vec<_> = others.iter().map(|other| Some(&other.system)).collect();
        let found =
            explore(&source.system, &systems, Kill::Output, &Bounds::default()).expect("small systems");
        for (mutant, finding) in mutants.iter().zip(&found.mutants) {
            let about = || format!("seed {seed}\n{}\n{}", original.text(), mutant.text());
            // Sets of states can be so many that nobody enumerates their pairs.
            let Some(finding) = finding.as_ref() else {
                undecided += 1;
                continue;
            };
            let unsafe_states: Vec<(u32, Vec<i64>)> = brute::unsafe_states(&original, mutant);
            let own = found_unsafe(&found, finding);
            assert_eq!(own, unsafe_states.iter().cloned().collect(), "{}", about());
            let Ok(shortest) = brute::shortest_failing(&original, mutant) else {
                skipped += 1;
                continue;
            };
            let product = finding.product.as_ref().expect("outputs were asked for");
            assert_eq!(product.shortest, shortest, "{}", about());
            assert_eq!(finding.is_equivalent(), brute::is_equivalent(&original, mutant), "{}", about());
            assert!(!finding.is_equivalent() || shortest.is_none(), "{}", about());
            kinds[usize::from(shortest.is_some()) * 2 + usize::from(!unsafe_states.is_empty())] += 1;
        }
    }
    println!("{kinds:?} mutants compared, {undecided} undecided, {skipped} too large for brute force");
    assert!((undecided + skipped) * 100 <= kinds.iter().sum(), "few should be left out: {undecided}");
    assert!(kinds.iter().all(|&count| count > 10), "each kind of verdict should occur: {kinds:?}");
}

/// Of systems only the first states are looked at: what is found nevertheless is compared with brute
/// force.
#[test]
fn what_few_states_tell_is_true() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut partial, mut killed, mut conforming, mut differing) = (0, 0, 0, 0);
    for seed in rounds(300) {
        let Drawn { original, mutants, source, others } = Drawn::of(seed, folder.path());
        let systems: Vec<_> = others.iter().map(|other| Some(&other.system)).collect();
        let bounds = Bounds { original: 1 + seed as usize % 6, ..Bounds::default() };
        for kill in [Kill::Output, Kill::Step] {
            let Ok(found) = explore(&source.system, &systems, kill, &bounds) else { continue };
            if !found.reached.is_partial {
                continue;
            }
            partial += 1;
            for (mutant, finding) in mutants.iter().zip(&found.mutants) {
                let about = || format!("seed {seed}\n{}\n{}", original.text(), mutant.text());
                let Some(finding) = finding.as_ref() else { continue };
                assert!(!finding.is_equivalent(), "{}", about());
                let all: BTreeSet<(u32, Vec<i64>)> =
                    brute::unsafe_states(&original, mutant).into_iter().collect();
                let own = found_unsafe(&found, finding);
                assert!(own.is_subset(&all), "{}", about());
                let Some(product) = finding.product.as_ref() else {
                    differing += 1;
                    assert_eq!(
                        own.first().map(|(depth, _)| depth),
                        all.first().map(|(depth, _)| depth),
                        "{}",
                        about()
                    );
                    assert!(!own.is_empty(), "{}", about());
                    continue;
                };
                let Ok(shortest) = brute::shortest_failing(&original, mutant) else { continue };
                assert!(product.is_shortest, "{}", about());
                assert_eq!(product.shortest, shortest, "{}", about());
                if shortest.is_some() { killed += 1 } else { conforming += 1 }
            }
        }
    }
    println!("{partial} systems: {killed} mutants killed, {conforming} conform, {differing} differ");
    assert!(partial > 20 && killed > 10 && differing > 10, "{partial} {killed} {conforming} {differing}");
}

#[test]
fn the_interpreter_says_what_relations_say() {
    let folder = tempfile::tempdir().expect("a folder");
    for seed in rounds(300) {
        let original = Generator(SmallRng::seed_from_u64(seed)).system();
        let source = parsed(&write(folder.path(), "o.as", &original), &original);
        let alphabet = Alphabet::new(&source.system);
        let machine = Machine { system: &source.system, alphabet: &alphabet };
        for state in original.states().into_iter().take(40) {
            for (position, action) in original.actions.iter().enumerate() {
                for argument in action.arguments() {
                    let args = values(argument.as_slice());
                    let expected = brute::steps(&original, &state, position, argument);
                    let found = machine.after_label(&values(&state), position, &args).expect("few states");
                    let found: BTreeSet<Vec<i64>> = found.iter().map(|state| numbers(state)).collect();
                    assert_eq!(found, expected, "seed {seed}\n{}", original.text());
                    let own = &source.system.actions[position];
                    let raw =
                        image(&source.system, own, &own.body, &values(&state), &args).expect("few states");
                    assert!(raw.len() >= expected.len(), "the block takes steps away only");
                }
            }
        }
    }
}

/// All combinations of words for the inputs of a system.
fn inputs(system: &TransitionSystem) -> Vec<Vec<Word>> {
    let mut found = vec![Vec::new()];
    for input in system.inputs.values() {
        let sort = system.terms.symbol(input.symbol).sort;
        let words = (0..1_u128 << sort.width()).map(|bits| Word::new(sort, bits));
        let with = |words: &Vec<Word>, word: Word| words.iter().copied().chain([word]).collect::<Vec<_>>();
        found = words
            .flat_map(|word| found.iter().map(move |known| with(known, word)).collect::<Vec<_>>())
            .collect();
    }
    found
}

#[test]
fn the_lowered_system_takes_the_same_steps() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut compared = 0;
    for seed in rounds(150) {
        let original = Generator(SmallRng::seed_from_u64(seed)).system();
        let path = write(folder.path(), "o.as", &original);
        let request = Request { sources: vec![path], ..Request::default() };
        let translated = Actions.translate(&request, &NoJudge).unwrap_or_else(|failure| {
            let text = frontend::diagnostics::render(&failure.diagnostics, &failure.sources, false);
            panic!("{text}\n{}", original.text())
        });
        let system =
            validate(translated.system).unwrap_or_else(|wrong| panic!("{wrong:?}\n{}", original.text()));
        let widths = system.inputs.values().map(|input| system.terms.symbol(input.symbol).sort.width());
        if widths.sum::<u32>() > 11 {
            continue;
        }
        let mut simulator = Simulator::new(&system);
        let all = inputs(&system);
        for state in original.states().into_iter().take(8) {
            let sorts = system.states.values().map(|word| system.terms.symbol(word.symbol).sort);
            let words: Vec<Word> =
                sorts.zip(&state).map(|(sort, &value)| Word::new(sort, value as u128)).collect();
            let mut found = BTreeSet::new();
            for inputs in &all {
                let step = simulator.step(&words, inputs);
                if step.violated.is_none() {
                    found.insert(step.next.iter().map(|word| word.bits() as i64).collect::<Vec<_>>());
                }
            }
            let expected: BTreeSet<Vec<i64>> = (0..original.actions.len())
                .flat_map(|action| {
                    original.actions[action].arguments().into_iter().map(move |argument| (action, argument))
                })
                .flat_map(|(action, argument)| brute::steps(&original, &state, action, argument))
                .collect();
            assert_eq!(found, expected, "seed {seed} in {state:?}\n{}", original.text());
            compared += 1;
        }
    }
    assert!(compared > 50, "some systems should be small: {compared}");
}

#[test]
fn printed_texts_read_back() {
    let folder = tempfile::tempdir().expect("a folder");
    for seed in rounds(300) {
        let original = Generator(SmallRng::seed_from_u64(seed)).system();
        let source = parsed(&write(folder.path(), "o.as", &original), &original);
        let text = actions::print::file(&source.file);
        let path = folder.path().join("p.as");
        std::fs::write(&path, &text).expect("a folder");
        let again = read(&path, &[]).unwrap_or_else(|_| panic!("{text}"));
        assert_eq!(source.file, again.file, "{text}");
        assert_eq!(actions::print::file(&again.file), text);
    }
}

/// Two changes that may be made at once are both made, also where one lies within the other.
#[test]
fn no_change_of_two_is_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let all = Operators(Operator::ALL.to_vec());
    let (mut nested, mut pairs) = (0, 0);
    for seed in rounds(8) {
        let original = Generator(SmallRng::seed_from_u64(seed)).system();
        let source = parsed(&write(folder.path(), "o.as", &original), &original);
        let changes = source.changes(&all);
        for (number, one) in changes.iter().enumerate() {
            let alone = one.apply(&source.file);
            for other in changes[number + 1..].iter().filter(|other| one.is_apart(other)) {
                let (both, second) = (one.and(other).apply(&source.file), other.apply(&source.file));
                let context = format!("{seed} {one:?} {other:?}\n{}", actions::print::file(&both));
                assert!(both != alone && both != second, "{context}");
                assert_eq!(both, other.and(one).apply(&source.file), "{context}");
                nested += usize::from(one.extent.span.line == other.extent.span.line);
                pairs += 1;
            }
        }
    }
    assert!(pairs > 500 && nested > 50, "{pairs} {nested}");
    let path = folder.path().join("c.as");
    std::fs::write(&path, "system c  var a : 0..5 := 0  obs A when a < 3 is a := a + 1").expect("a file");
    let source = read(&path, &[]).expect("a system");
    let changes = source.changes(&all);
    let texts: BTreeSet<String> = changes
        .iter()
        .flat_map(|one| changes.iter().map(move |other| (one, other)))
        .filter(|(one, other)| one.is_apart(other))
        .map(|(one, other)| actions::print::file(&one.and(other).apply(&source.file)))
        .collect();
    for guard in ["a <= 4", "a <= 2", "not (a < 4)", "not (a < 2)"] {
        assert!(texts.iter().any(|text| text.contains(guard)), "{guard}: {texts:?}");
    }
}

/// A chain of the automaton as the interpreter reads it.
fn moves(found: &Explored, chain: &[usize]) -> Vec<Move> {
    let mut at = 0_u32;
    let mut moves = Vec::new();
    for &event in chain {
        let (what, to) = found.automaton.events[at as usize][event];
        let label = |label| {
            let (action, args) = found.space.label(label);
            (action, args.into())
        };
        moves.push(match what {
            Event::Stimulus(number) => Move::Stimulate(label(number)),
            Event::Answer(number) => {
                let (action, args) = label(number);
                Move::Watch(Seen::Label(action, args))
            }
            Event::Quiet => Move::Watch(Seen::Quiet),
            Event::Look => Move::Look,
        });
        at = to;
    }
    moves
}

#[test]
fn chains_reveal_what_they_say() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut revealed, mut missed) = (0, 0);
    for seed in rounds(400) {
        let mut generator = Generator(SmallRng::seed_from_u64(seed));
        let original = generator.system();
        let source = parsed(&write(folder.path(), "o.as", &original), &original);
        let others: Vec<_> = (0..6)
            .map(|_| generator.mutant(&original))
            .map(|mutant| parsed(&write(folder.path(), "m.as", &mutant), &mutant))
            .collect();
        let systems: Vec<_> = others.iter().map(|other| Some(&other.system)).collect();
        let found =
            explore(&source.system, &systems, Kill::Output, &Bounds::default()).expect("small systems");
        let mut killable = Vec::new();
        for (other, finding) in others.iter().zip(&found.mutants) {
            let product = finding.as_ref().and_then(|finding| finding.product.as_ref());
            killable
                .extend(product.filter(|product| product.shortest.is_some()).map(|product| (other, product)));
        }
        let effort = Effort { width: 2000, chains: 4, weight: 10, exile: 0, steps: 60, deadline: None };
        for (_, product) in &killable {
            // One mutant alone: chains are as short as its shortest failing trace, where the original can always show something.
            let chains = beam(&found.automaton, &[*product], effort);
            let length = chains.map(|chains| chains.iter().map(Vec::len).sum::<usize>());
            assert!(length.is_none_or(|length| Some(length as u32) == product.shortest), "seed {seed}");
        }
        let products: Vec<_> = killable.iter().map(|(_, product)| *product).collect();
        let follows = essential(&found.automaton, &products);
        let kept: Vec<_> =
            (0..products.len()).filter(|&one| follows[one] == one).map(|one| products[one]).collect();
        let Some(chains) = beam(&found.automaton, &kept, effort) else {
            missed += 1;
            continue;
        };
        let chains = trimmed(&found.automaton, &kept, chains);
        let machine = |system| Machine { system, alphabet: &found.alphabet };
        for ((other, _), step) in killable.iter().zip(killed(&found.automaton, &products, &chains)) {
            let (chain, step) = step.unwrap_or_else(|| panic!("seed {seed}: what follows dies, too"));
            let chain = moves(&found, &chains[chain]);
            let sets = replay::sets(machine(&source.system), &chain).expect("a chain of the original");
            let shown = replay::revealed(
                machine(&source.system),
                &sets,
                machine(&other.system),
                (&chain, step),
                None,
            );
            assert!(shown.is_ok(), "seed {seed}: {shown:?}");
            revealed += 1;
        }
    }
    println!("{revealed} mutants revealed, {missed} systems without chains");
    assert!(revealed > 100, "many should be revealed: {revealed}");
    assert!(missed * 10 < revealed, "few systems should need more than four chains: {missed}");
}

/// Kills at most some steps after the first difference: verdicts and lengths against brute force, and
/// what pairs say of watches against the interpreter. Two of three systems show little, so that
/// differences may stay unseen for long.
#[test]
fn kills_within_some_steps() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut counts, mut watches, mut undecided, mut skipped) = ([0; 3], [0; 3], 0, 0);
    for seed in rounds(50) {
        let mut generator = Generator(SmallRng::seed_from_u64(seed));
        let original = if seed % 3 == 0 { generator.system() } else { generator.secretive() };
        let mutants: Vec<System> = (0..4).map(|_| generator.mutant(&original)).collect();
        let source = parsed(&write(folder.path(), "o.as", &original), &original);
        let others: Vec<_> =
            mutants.iter().map(|mutant| parsed(&write(folder.path(), "m.as", mutant), mutant)).collect();
        let systems: Vec<_> = others.iter().map(|other| Some(&other.system)).collect();
        let most = [0, 1, 2, 0, 1, 3][seed as usize % 6];
        let bounds = Bounds { within: Some(most), ..Bounds::default() };
        let found = explore(&source.system, &systems, Kill::Output, &bounds).expect("small systems");
        let machine = |system| Machine { system, alphabet: &found.alphabet };
        for ((mutant, other), finding) in mutants.iter().zip(&others).zip(&found.mutants) {
            let about = || format!("seed {seed}, within {most}\n{}\n{}", original.text(), mutant.text());
            let Some(finding) = finding.as_ref() else {
                undecided += 1;
                continue;
            };
            let product = finding.product.as_ref().expect("outputs were asked for");
            let truth = brute::shortest_failing_within(&original, mutant, most);
            let (Ok(shortest), Ok(whenever)) = (truth, brute::shortest_failing(&original, mutant)) else {
                skipped += 1;
                continue;
            };
            assert_eq!(product.shortest, shortest, "{}", about());
            assert!(whenever.is_some() || shortest.is_none(), "{}", about());
            assert!(shortest.is_some() || whenever.is_some() == product.fails_late, "{}", about());
            counts[usize::from(whenever.is_some()) + usize::from(shortest.is_some())] += 1;
            if whenever.is_none() {
                continue;
            }
            for _ in 0..4 {
                let (chain, pairs) = walk(product, &mut generator.0);
                let chain = moves(&found, &chain);
                let sets = replay::sets(machine(&source.system), &chain).expect("a chain of the original");
                for (step, pair) in pairs.iter().enumerate() {
                    let (one, two) = (machine(&source.system), machine(&other.system));
                    let shown = replay::revealed(one, &sets, two, (&chain, step), Some(most));
                    let shown = shown.map(|(_, is_sure)| is_sure).ok();
                    let told: Vec<_> = chain[..step].iter().map(told).collect();
                    let truth = brute::watched(&original, mutant, &told, most);
                    assert_eq!(shown, truth, "{} {chain:?}, step {step}", about());
                    assert_eq!(pair.kills, truth.is_some(), "{} {chain:?}, step {step}", about());
                    watches[usize::from(shown.is_some()) + usize::from(shown == Some(true))] += 1;
                }
            }
        }
    }
    println!("{counts:?} mutants never, too late, in time; {watches:?} watches pass, may fail, fail");
    println!("{undecided} undecided, {skipped} too large for brute force");
    assert!((undecided + skipped) * 20 <= counts.iter().sum(), "few should be left out");
    assert!(counts.iter().chain(&watches).all(|&count| count > 4), "each should occur");
}

/// A move as brute force has it.
fn told(what: &Move) -> brute::Event {
    let label = |action: usize, args: &[Value]| {
        (action, args.first().map(|value| value.as_integer().expect("an integer") as i64))
    };
    match what {
        Move::Stimulate((action, args)) => brute::Event::Stimulus(label(*action, args)),
        Move::Watch(Seen::Label(action, args)) => brute::Event::Seen(Some(label(*action, args))),
        Move::Watch(Seen::Quiet) => brute::Event::Seen(None),
        _ => panic!("no event before which anything is seen: {what:?}"),
    }
}

/// Some events at random, with the pairs before them.
fn walk<'a>(product: &'a Product, random: &mut SmallRng) -> (Vec<usize>, Vec<&'a Pair>) {
    let (mut at, mut chain, mut pairs) = (0, Vec::new(), Vec::new());
    while at != GONE && chain.len() < 6 {
        let pair: &Pair = &product.pairs[at as usize];
        let event = random.random_range(0..pair.next.len());
        chain.push(event);
        pairs.push(pair);
        at = pair.next[event];
    }
    (chain, pairs)
}
