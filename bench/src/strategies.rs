//! The part of the result file that compares the paper's strategies with the reference on every
//! case of the corpus that is in no row of the paper's table.
//!
//! All of them search on the same graph. None may come out with fewer or shorter chains than the
//! reference; the section counts the rows on which that is so.

use super::judge::{REFERENCE, is_complete, reference};
use super::published;
use super::row::Row;
use super::table::Table;
use std::cmp::Ordering;

/// The strategies, the reference first.
pub const STRATEGIES: [&str; 4] = [REFERENCE, "paper-repair", "paper-refine", "paper-constraints"];

/// The section, or nothing where there is no such row.
pub(super) fn section(rows: &[Row]) -> String {
    let published = published::cases();
    let rivals: Vec<&Row> = rows
        .iter()
        .filter(|row| STRATEGIES[1..].contains(&&row.strategy[..]) && !published.contains(&row.case))
        .collect();
    let mut cases: Vec<&str> = Vec::new();
    for row in &rivals {
        if !cases.contains(&&row.case[..]) {
            cases.push(&row.case);
        }
    }
    if cases.is_empty() {
        return String::new();
    }
    let mut table = Table::new(std::iter::once("case").chain(STRATEGIES));
    for case in cases {
        let find = |strategy: &str| rows.iter().find(|row| row.case == case && row.strategy == strategy);
        let cells =
            STRATEGIES.map(|strategy| find(strategy).map_or_else(|| "-".to_owned(), |row| cell(rows, row)));
        table.row(std::iter::once(case.to_owned()).chain(cells).collect());
    }
    let count = |wanted: Ordering| {
        let compared = rivals.iter().filter(|row| is_complete(rows, row));
        compared
            .filter_map(|row| reference(rows, row).map(|best| (row, best)))
            .filter(|(row, best)| (row.tcs, row.len).partial_cmp(&(best.tcs, best.len)) == Some(wanted))
            .count()
    };
    format!(
        "\n## The paper's strategies on the rest of the corpus\n\nNumber of chains / steps of all of them (seconds of search). `{REFERENCE}` is shorter on {} rows, as short on {}, longer on {}; the \
         others are not covered completely.\n\n{}",
        count(Ordering::Greater),
        count(Ordering::Equal),
        count(Ordering::Less),
        table.markdown()
    )
}

fn cell(rows: &[Row], row: &Row) -> String {
    let seconds = format!("{:.1}", row.search_seconds + 0.0);
    match row.has_result() {
        true if is_complete(rows, row) => format!("{} / {} ({seconds})", row.tcs, row.len),
        true => format!("({} of {})", row.covered, row.goals),
        false => "-".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::row::Mean;
    use super::*;

    #[test]
    fn rows_are_compared_with_those_of_the_reference() {
        let row = |case: &str, strategy: &str, covered: usize, len: f64| Row {
            case: case.to_owned(),
            strategy: strategy.to_owned(),
            tcs: Mean(1.0),
            len: Mean(len),
            covered,
            goals: 3,
            search_seconds: 0.25,
            exit: Some(0),
            ..Row::default()
        };
        let rows = [
            row("light", "exact", 3, 10.0),
            row("light", "paper-repair", 3, 12.0),
            row("light", "paper-refine", 3, 10.0),
            row("light", "paper-constraints", 2, 5.0),
            row("cruise-1", "exact", 3, 4.0),
            row("cruise-1", "paper-repair", 3, 4.0),
        ];
        let text = section(&rows);
        assert!(text.contains("shorter on 1 rows, as short on 1, longer on 0"), "{text}");
        assert!(text.contains("| light | 1 / 10 (0.2) | 1 / 12 (0.2) | 1 / 10 (0.2) | (2 of 3) |"), "{text}");
        assert!(!text.contains("cruise-1"), "{text}");
        assert_eq!(section(&rows[4..]), "");
    }
}
