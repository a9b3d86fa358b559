//! Growth curves: how time and memory grow with one size.

use super::families;
use super::plot::{Axis, Line, Plot, svg};
use super::row::Row;

/// What grows, over which cases, under which strategies.
#[derive(Clone, Copy, Debug)]
pub struct Curve {
    /// The family; its cases are named `family-size`.
    pub family: &'static str,
    /// Stands above the plots.
    pub title: &'static str,
    /// What the size is.
    pub size: &'static str,
    /// Strategies, each up to the first size that it does not manage.
    pub strategies: &'static [&'static str],
}

/// The curves of the result file.
pub const CURVES: [Curve; 6] = [
    Curve {
        family: "timer",
        title: "Length of a timer",
        size: "hold time in steps",
        strategies: &["exact", "monolithic"],
    },
    Curve {
        family: "connected",
        title: "Goals, strongly connected",
        size: "goals",
        strategies: &["exact", "greedy"],
    },
    Curve {
        family: "oneway",
        title: "Goals, one-way regions",
        size: "goals",
        strategies: &["exact", "greedy"],
    },
    Curve {
        family: "multistate",
        title: "Goals that hold in many states",
        size: "goals",
        strategies: &["exact", "greedy"],
    },
    Curve {
        family: "switches",
        title: "State bits",
        size: "state bits",
        strategies: &["exact", "monolithic"],
    },
    Curve {
        family: "blocks",
        title: "Size of the step function",
        size: "statements",
        strategies: &["exact", "monolithic"],
    },
];

/// Sizes of the timers of the corpus.
const TIMERS: [usize; 9] = [5, 10, 20, 40, 60, 80, 100, 1000, 10_000];

impl Curve {
    /// Names of its cases, by ascending size.
    pub fn cases(&self) -> Vec<String> {
        match self.family {
            "timer" => TIMERS.iter().map(|size| format!("timer-{size}")).collect(),
            family => families::members(family),
        }
    }

    /// The plots of its rows: name of the file without extension, and the SVG text.
    pub fn plots(&self, rows: &[Row]) -> Vec<(String, String)> {
        type Value = fn(&Row) -> Option<f64>;
        let kinds: [(&str, &str, Value); 2] = [
            ("time", "seconds of search", |row| Some(row.search_seconds.max(1e-3))),
            ("memory", "peak memory in MiB", |row| row.peak_kib.map(|kib| kib as f64 / 1024.0)),
        ];
        let plot = |(name, label, value): (&str, &str, Value)| {
            let line = |strategy: &&str| {
                let own = rows.iter().filter(|row| row.strategy == *strategy && row.has_result());
                let points = own.filter_map(|row| Some((self.size_of(&row.case)?, value(row)?))).collect();
                Line { name: (*strategy).to_owned(), points }
            };
            let lines = self.strategies.iter().map(line).filter(|line| !line.points.is_empty()).collect();
            let axis = |label, logarithmic| Axis { label, logarithmic };
            let plot = Plot { title: self.title, x: axis(self.size, true), y: axis(label, true), lines };
            (format!("{}-{name}", self.family), svg(&plot))
        };
        kinds.into_iter().map(plot).collect()
    }

    /// The size of a case of this family.
    pub fn size_of(&self, case: &str) -> Option<f64> {
        case.strip_prefix(self.family)?.strip_prefix('-')?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_has_a_line_for_each_strategy_with_results() {
        let row = |case: &str, strategy: &str, covered| Row {
            case: case.to_owned(),
            strategy: strategy.to_owned(),
            covered,
            search_seconds: 0.5,
            peak_kib: Some(4096),
            ..Row::default()
        };
        let rows =
            [row("timer-5", "exact", 10), row("timer-40", "exact", 10), row("timer-5", "monolithic", 0)];
        let plots = CURVES[0].plots(&rows);
        assert_eq!(
            plots.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
            ["timer-time", "timer-memory"]
        );
        assert!(plots.iter().all(|(_, text)| text.matches("<polyline").count() == 1));
        assert_eq!(CURVES[0].size_of("timer-40"), Some(40.0));
        assert_eq!(CURVES[0].size_of("timers-40"), None);
    }
}
