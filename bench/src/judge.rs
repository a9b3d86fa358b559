//! What is wrong with a set of rows.

use super::row::Row;

/// Exit code of a run whose chains the compiled code rejects.
pub const SELF_CHECK: i32 = 4;
/// Exit code of a run that was stopped by its time limit.
pub const TIME_OUT: i32 = 124;

/// The strategy all others are measured against.
pub const REFERENCE: &str = "exact";

/// Sentences about rows that were rejected, failed, differ from what is known, or show that a rival
/// found less than the reference.
pub fn complaints(rows: &[Row]) -> Vec<String> {
    let mut all = Vec::new();
    for row in rows {
        let what = format!("{} with {}", row.case, row.strategy);
        if row.exit == Some(SELF_CHECK) || (row.has_result() && !row.replayed) {
            all.push(format!("{what}: the compiled code disagrees with a chain"));
        } else if let (Some(error), true) = (&row.error, row.exit.is_some_and(|exit| exit != TIME_OUT)) {
            all.push(format!("{what}: {error}"));
        }
        all.extend(row.differences.iter().map(|difference| format!("{what}: {difference}")));
        all.extend(reference(rows, row).and_then(|reference| beaten(reference, row)));
    }
    all
}

/// The reference's row of the same case.
pub fn reference<'r>(rows: &'r [Row], row: &Row) -> Option<&'r Row> {
    rows.iter().find(|other| other.case == row.case && other.strategy == REFERENCE)
}

/// Whether a row covers all that the reference covers.
pub fn is_complete(rows: &[Row], row: &Row) -> bool {
    row.has_result() && reference(rows, row).is_none_or(|reference| row.covered >= reference.covered)
}

fn beaten(reference: &Row, row: &Row) -> Option<String> {
    let better = row.has_result()
        && reference.has_result()
        && row.covered >= reference.covered
        && (row.tcs, row.len) < (reference.tcs, reference.len);
    better.then(|| {
        format!(
            "{}: {} needs {} chains of {} steps, {REFERENCE} {} of {}",
            row.case, row.strategy, row.tcs, row.len, reference.tcs, reference.len
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::row::Mean;
    use super::*;

    fn row(strategy: &str, tcs: f64, len: f64) -> Row {
        Row {
            case: "case".to_owned(),
            strategy: strategy.to_owned(),
            tcs: Mean(tcs),
            len: Mean(len),
            covered: 4,
            goals: 4,
            replayed: true,
            exit: Some(0),
            ..Row::default()
        }
    }

    #[test]
    fn good_rows_are_accepted() {
        let late = Row { exit: Some(TIME_OUT), ..Row::without_result("case", "random", "the time is up") };
        let absent = Row::without_result("case", "cbmc", "not found");
        let partial = Row { covered: 3, ..row("fshell", 1.0, 2.0) };
        let rows =
            [row("exact", 1.0, 9.0), row("fshell", 2.0, 8.0), row("greedy", 1.0, 9.0), late, absent, partial];
        assert_eq!(complaints(&rows), [] as [String; 0]);
    }

    #[test]
    fn bad_rows_are_reported() {
        let rejected = Row { replayed: false, ..row("greedy", 1.0, 12.0) };
        let differs =
            Row { differences: vec!["length: expected 8, found 9".to_owned()], ..row("exact", 1.0, 9.0) };
        let failed = Row { exit: Some(6), ..Row::without_result("case", "random", "internal error") };
        let rows = [differs, row("fshell", 1.0, 8.0), rejected, failed];
        let found = complaints(&rows);
        assert_eq!(found.len(), 4, "{found:?}");
        assert!(
            found.iter().any(|what| what.contains("fshell needs 1 chains of 8 steps, exact 1 of 9")),
            "{found:?}"
        );
    }
}
