//! Chains by how long inputs are held: what a tester does, in steps and in time.

use super::chain_file::{Chain, ChainFile, Hold};
use config::duration;
use std::time::Duration;

/// The time between two steps, where the model says it.
pub fn period(file: &ChainFile) -> Option<Duration> {
    file.model.period.as_ref().and_then(|text| duration::parse(text).ok())
}

/// The stretches of a chain in which no input changes; each ends at the latest where something is
/// covered.
pub fn holds(chain: &Chain, period: Option<Duration>) -> Vec<Hold> {
    let mut holds: Vec<Hold> = Vec::new();
    for (number, step) in chain.steps.iter().enumerate() {
        let goes_on = number > 0 && {
            let before = &chain.steps[number - 1];
            before.inputs == step.inputs && before.covers.is_empty()
        };
        match holds.last_mut() {
            Some(last) if goes_on => last.steps += 1,
            _ => holds.push(Hold {
                at: number,
                steps: 1,
                seconds: None,
                inputs: step.inputs.clone(),
                covers: Vec::new(),
            }),
        }
        if let Some(last) = holds.last_mut() {
            last.covers.clone_from(&step.covers);
        }
    }
    for hold in &mut holds {
        hold.seconds = period.map(|period| seconds(hold.steps, period));
    }
    holds
}

/// The time that so many steps take, in seconds.
pub fn seconds(steps: usize, period: Duration) -> f64 {
    (period.as_nanos() * steps as u128) as f64 / 1e9
}

/// A time as people write it: `12 h 3 min`, `20.0 s`, `35 ms`, `0.5 us`.
pub fn time_text(seconds: f64) -> String {
    let trimmed = |number: f64| {
        let text = format!("{number:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    match seconds {
        0.0 => "0 s".to_owned(),
        hours if hours >= HOUR => {
            let (minutes, rest) = (hours % HOUR / 60.0, hours % 60.0);
            let parts = [(hours / HOUR, "h"), (minutes, "min")]
                .map(|(part, unit)| format!("{} {unit}", part.floor()));
            let rest = if rest > 0.0 { format!(" {} s", trimmed(rest)) } else { String::new() };
            parts.join(" ") + &rest
        }
        whole if whole >= 1.0 && whole.fract() == 0.0 => format!("{whole:.1} s"),
        long if long >= 1.0 => format!("{} s", trimmed(long)),
        short if short >= 1e-3 => format!("{} ms", trimmed(short * 1e3)),
        tiny => format!("{} us", trimmed(tiny * 1e6)),
    }
}

/// Seconds of an hour.
const HOUR: f64 = 3600.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::chain_file::{Step, Values};
    use serde_json::json;

    #[test]
    fn times_have_units() {
        let table = [
            (4_000, 5_000, "20.0 s"),
            (7, 5_000, "35 ms"),
            (1_086, 5_000, "5.43 s"),
            (130_559, 1_000, "130.559 s"),
            (3, 250, "750 us"),
            (0, 5_000, "0 s"),
            (723, 60_000_000, "12 h 3 min"),
            (3_601, 1_500_000, "1 h 30 min 1.5 s"),
        ];
        for (steps, micros, expected) in table {
            assert_eq!(time_text(seconds(steps, Duration::from_micros(micros))), expected);
        }
    }

    #[test]
    fn holds_end_where_inputs_change_or_something_is_covered() {
        let step = |input: u32, covers: &[&str]| Step {
            inputs: Values::from_iter([("u".to_owned(), json!(input))]),
            outputs: Values::new(),
            expected: std::collections::BTreeMap::new(),
            choices: serde_json::Map::new(),
            allowed: None,
            marks: std::collections::BTreeMap::new(),
            state: Values::new(),
            covers: covers.iter().map(|&goal| goal.to_owned()).collect(),
            dont_care: Vec::new(),
            ends: None,
        };
        let steps = [(1, vec![]), (1, vec![]), (1, vec!["a"]), (1, vec![]), (2, vec![]), (2, vec!["b"])];
        let chain = Chain {
            length: 6,
            order: Vec::new(),
            initial_inputs: serde_json::Map::new(),
            grade: None,
            tree: Vec::new(),
            events: Vec::new(),
            steps: steps.iter().map(|(input, covers)| step(*input, covers)).collect(),
            end_state: Values::new(),
            holds: Vec::new(),
            seconds: None,
            cost: None,
            input_changes: None,
            raw_input_changes: None,
            replayed: json!(true),
            replayed_how: None,
        };
        let found = holds(&chain, Some(Duration::from_millis(500)));
        let found: Vec<_> =
            found.iter().map(|hold| (hold.at, hold.steps, hold.seconds, hold.covers.join(" "))).collect();
        let expected = [(0, 3, 1.5, "a"), (3, 1, 0.5, ""), (4, 2, 1.0, "b")];
        assert_eq!(
            found,
            expected.map(|(at, steps, time, covers)| (at, steps, Some(time), covers.to_owned()))
        );
    }
}
