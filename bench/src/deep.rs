//! The part of the result file about deep models: goals hundreds to thousands of steps away.
//!
//! What has to be unrolled to be found is not found here, so the rivals are those that unroll: one
//! query for the whole chain, by this tool and by a bounded model checker outside, within the same
//! time limit.

use super::judge::REFERENCE;
use super::row::Row;
use super::table::Table;
use chaincover::chain_file::Minimal;

/// Cases of the corpus with timers, dividers and qualification counters at full size.
pub const CASES: [&str; 5] = ["alarm-full", "power-window", "motor-manager", "pump-station", "gear-unit"];
/// What is run on them.
pub const STRATEGIES: [&str; 4] = [REFERENCE, "monolithic", "cbmc-cover", "cbmc-latched"];
/// Hold times of the timer in the table of its growth.
const TIMERS: [usize; 4] = [10, 100, 1_000, 10_000];
/// Strategies in that table.
const GROWING: [&str; 2] = [REFERENCE, "monolithic"];

/// The section, or nothing where no deep model was run.
pub(super) fn section(rows: &[Row]) -> String {
    let find =
        |case: &str, strategy: &str| rows.iter().find(|row| row.case == case && row.strategy == strategy);
    let mut models = Table::new([
        "case", "strategy", "goals", "chains", "steps", "bound", "gap", "search s", "total s", "MiB", "rest",
    ]);
    for case in CASES {
        STRATEGIES.iter().filter_map(|strategy| find(case, strategy)).for_each(|row| models.row(cells(row)));
    }
    let mut timers = Table::new(["hold time", "strategy", "steps", "bound", "search s", "total s", "MiB"]);
    for size in TIMERS {
        for row in GROWING.iter().filter_map(|strategy| find(&format!("timer-{size}"), strategy)) {
            let [_, _, _, _, steps, bound, _, search, total, memory, _] = whole(row);
            timers.row(vec![size.to_string(), row.strategy.clone(), steps, bound, search, total, memory]);
        }
    }
    if CASES.iter().all(|case| find(case, REFERENCE).is_none()) {
        return String::new();
    }
    format!(
        "\n## Deep models\n\nTimers, dividers and fault qualification at full size. `gap`: how much longer than the proven bound the chain is; \
         `rest`: what became of goals that no chain covers.\n\n{}\nThe timer, by its hold time in steps:\n\n{}",
        models.markdown(),
        timers.markdown()
    )
}

fn cells(row: &Row) -> Vec<String> {
    whole(row).to_vec()
}

fn whole(row: &Row) -> [String; 11] {
    let none = || "-".to_owned();
    let seconds = |seconds: f64| format!("{seconds:.1}");
    let memory = row.peak_kib.map_or_else(none, |kib| format!("{:.0}", kib as f64 / 1024.0));
    let (case, strategy) = (row.case.clone(), row.strategy.clone());
    if !row.has_result() {
        let why = row.error.clone().unwrap_or_else(|| "no chain within the limit".to_owned());
        let spent = |value: f64| if row.error.is_some() { none() } else { seconds(value) };
        let (search, total) = (spent(row.search_seconds), spent(row.seconds));
        return [case, strategy, none(), none(), none(), none(), none(), search, total, memory, why];
    }
    let rest = match (row.goals - row.covered, row.exit) {
        (0, _) => none(),
        (open, Some(20)) => format!("{open} proven unreachable"),
        (open, _) => format!("{open} not covered"),
    };
    [
        case,
        strategy,
        format!("{}/{}", row.covered, row.goals),
        row.tcs.to_string(),
        row.len.to_string(),
        row.lower_bound.to_string(),
        gap(row),
        seconds(row.search_seconds),
        seconds(row.seconds),
        memory,
        rest,
    ]
}

/// How much longer than the bound the chains are.
fn gap(row: &Row) -> String {
    match row.minimal {
        Some(Minimal::Proven) => "none: proven minimal".to_owned(),
        Some(Minimal::Gap) if row.lower_bound > 0 => {
            format!("{:.1} %", 100.0 * (row.len.0 / row.lower_bound as f64 - 1.0))
        }
        _ => "unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::Mean;

    fn row(case: &str, strategy: &str, bound: u64) -> Row {
        Row {
            case: case.to_owned(),
            strategy: strategy.to_owned(),
            tcs: Mean(1.0),
            len: Mean(5_268.0),
            lower_bound: bound,
            covered: 13,
            goals: 15,
            minimal: Some(if bound == 5_268 { Minimal::Proven } else { Minimal::Gap }),
            exit: Some(20),
            peak_kib: Some(2_048),
            ..Row::default()
        }
    }

    #[test]
    fn the_section_says_what_the_rows_say() {
        let rows = [
            row("gear-unit", "exact", 5_000),
            Row::without_result("gear-unit", "cbmc-cover", "absent: `cbmc` is not on the PATH"),
            Row { covered: 0, error: None, ..row("gear-unit", "monolithic", 0) },
            Row { covered: 15, ..row("alarm-full", "exact", 5_268) },
            row("timer-1000", "exact", 5_268),
        ];
        let text = section(&rows);
        for expected in [
            "| gear-unit | exact | 13/15 | 1 | 5268 | 5000 | 5.4 % | 0.0 | 0.0 | 2 | 2 proven unreachable |",
            "absent: `cbmc` is not on the PATH |",
            "| gear-unit | monolithic | - | - | - | - | - | 0.0 | 0.0 | 2 | no chain within the limit |",
            "| 15/15 | 1 | 5268 | 5268 | none: proven minimal |",
            "| 1000 | exact | 5268 | 5268 | 0.0 | 0.0 | 2 |",
        ] {
            assert!(text.contains(expected), "{expected} is missing in\n{text}");
        }
        assert_eq!(section(&rows[4..]), "", "no deep model was run");
    }
}
