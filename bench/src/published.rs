//! The results that the paper published (Table 1), read from `benchmarks/paper/table1.csv`.
//!
//! They were measured on the original models, which are lost but for two, and on a machine of 2014:
//! to be shown beside ours, never to be compared number by number.

/// The file, as it is.
const TABLE_1: &str = include_str!("../../benchmarks/paper/table1.csv");

/// Tools of the table, by the prefix of their columns.
pub const TOOLS: [(&str, &str); 4] = [
    ("lkh", "ChainCover, LKH"),
    ("clingo", "ChainCover, Clingo"),
    ("fshell", "FShell"),
    ("random", "random"),
];

/// One row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// Name of our case for it.
    pub case: String,
    /// Sizes as printed: state, inputs, properties.
    pub size: String,
    /// For each of [`TOOLS`]: number of test cases, length, time in seconds, as printed; empty
    /// where nothing was covered.
    pub results: Vec<[String; 3]>,
}

/// The rows in the order of the table.
pub fn table_1() -> Vec<Published> {
    let mut lines = TABLE_1.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    lines.map(|line| row(&header, &line.split(',').collect::<Vec<_>>())).collect()
}

/// Names of our cases for the rows.
pub fn cases() -> Vec<String> {
    table_1().into_iter().map(|row| row.case).collect()
}

fn row(header: &[&str], cells: &[&str]) -> Published {
    let cell = |name: &str| {
        let column = header.iter().position(|known| *known == name);
        column.and_then(|column| cells.get(column)).copied().unwrap_or_default().to_owned()
    };
    let result =
        |(tool, _): &(&str, &str)| ["tcs", "len", "time"].map(|what| cell(&format!("{tool}_{what}")));
    Published {
        case: cell("benchmark").to_lowercase().replace(' ', "-"),
        size: format!("{}, {}, {}", cell("s"), cell("i"), cell("P")),
        results: TOOLS.iter().map(result).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_eighteen_rows_are_there() {
        let rows = table_1();
        assert_eq!(rows.len(), 18);
        assert_eq!((rows[0].case.as_str(), rows[0].size.as_str()), ("cruise-1", "3b, 3b, 4"));
        assert_eq!(rows[0].results[0], ["1", "9", "0.53"]);
        assert_eq!(rows[4].case, "window-ext-1");
        assert_eq!(rows[17].results[3], ["3.2", "160", "0.62"]);
    }
}
