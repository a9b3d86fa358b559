//! C texts through the whole front end: what is found, what the system does, and the compiled code beside it.

mod declared;
mod detection;
mod errors;
mod forms;
mod frames;
mod judge;
mod kept;
mod language;
mod left_out;
mod library;
mod math;
mod places;
mod refusals;
mod support;
mod volatile;

use model::id::Id;
use support::{Random, checked, random_trace, replays};

/// Tries the file named by `CHAINCOVER_TRY`: prints what is found, and replays random executions.
#[test]
#[ignore = "a tool for looking at one file"]
fn try_file() {
    let path = std::env::var("CHAINCOVER_TRY").expect("CHAINCOVER_TRY should name a file");
    let model = match std::env::var("CHAINCOVER_TARGET").as_deref() {
        Ok("lp64") => frontend_c::ir::target::DataModel::Lp64,
        Ok("ip16") => frontend_c::ir::target::DataModel::Ip16,
        _ => frontend_c::ir::target::DataModel::Ilp32,
    };
    let target = frontend_c::ir::target::Target { model };
    let request = frontend::Request {
        sources: path.split(',').map(Into::into).collect(),
        target,
        ..Default::default()
    };
    let start = std::time::Instant::now();
    let translated = match frontend_c::translate(&request) {
        Ok(translated) => translated,
        Err(failure) => panic!("{}", support::messages(&failure)),
    };
    println!("{:?}", start.elapsed());
    for finding in &translated.findings {
        println!("{:9} {}: {}", finding.topic.name(), finding.subject, finding.reason);
    }
    for goal in translated.system.goals.values() {
        println!("goal {} J={} expectation={}", goal.name, goal.steps, goal.expectation.is_some());
    }
    println!("{:#?}", translated.size);
    println!("{:?}", translated.diagnostics);
    if std::env::var("CHAINCOVER_PRINT").is_ok() {
        println!("{}", model::text::print(&translated.system));
    }
    let system = checked(&translated);
    let trace = random_trace(&system, &mut Random(1), 5, false);
    if std::env::var("CHAINCOVER_PLAN").is_ok() {
        println!("{}", translated.source.replay_plan(&trace).unwrap().files[0].1);
    }
    println!("{}", translated.source.replay_plan(&trace).unwrap().how);
    for seed in 0..5 {
        println!("{:?}", replays(&translated, seed, 40));
    }
    assert!(system.states.ids().all(|state| state.index() < 1 << 20));
}
