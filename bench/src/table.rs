//! A table of text cells, printed for terminals, as Markdown or as CSV.

use comfy_table::{CellAlignment, Table as TextTable, presets};
use std::fmt::Write;

/// A table. Columns are aligned by what is in them: numbers to the right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table.
    pub fn new<T: Into<String>>(header: impl IntoIterator<Item = T>) -> Self {
        Self { header: header.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row of as many cells as the header has.
    pub fn row(&mut self, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.header.len(), "a row should have a cell for each column");
        self.rows.push(cells);
    }

    /// With aligned columns.
    pub fn terminal(&self) -> String {
        let mut table = TextTable::new();
        table.load_style(presets::NOTHING);
        table.set_header(&self.header);
        self.rows.iter().for_each(|row| {
            table.add_row(row);
        });
        for column in (0..self.header.len()).filter(|&column| self.is_numeric(column)) {
            if let Some(column) = table.column_mut(column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table.to_string().lines().fold(String::new(), |text, line| text + line.trim_end() + "\n")
    }

    /// As a Markdown table.
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            cells.iter().fold("|".to_owned(), |line, cell| line + " " + &cell.replace('|', "\\|") + " |")
                + "\n"
        };
        let rule = (0..self.header.len()).fold("|".to_owned(), |rule, column| {
            rule + if self.is_numeric(column) { "---:|" } else { "---|" }
        });
        self.rows.iter().fold(line(&self.header) + &rule + "\n", |text, row| text + &line(row))
    }

    /// As comma separated values.
    pub fn csv(&self) -> String {
        let mut text = String::new();
        for row in std::iter::once(&self.header).chain(&self.rows) {
            let cells: Vec<String> = row.iter().map(|cell| quoted(cell)).collect();
            let _ = writeln!(text, "{}", cells.join(","));
        }
        text
    }

    fn is_numeric(&self, column: usize) -> bool {
        let starts =
            |row: &Vec<String>| row[column].starts_with(|first: char| first.is_ascii_digit() || first == '-');
        !self.rows.is_empty() && self.rows.iter().filter(|row| starts(row)).count() * 2 > self.rows.len()
    }
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_table_in_three_forms() {
        let mut table = Table::new(["case", "len"]);
        table.row(vec!["a, b".to_owned(), "9".to_owned()]);
        table.row(vec!["c|d".to_owned(), "120".to_owned()]);
        assert_eq!(table.markdown(), "| case | len |\n|---|---:|\n| a, b | 9 |\n| c\\|d | 120 |\n");
        assert_eq!(table.csv(), "case,len\n\"a, b\",9\nc|d,120\n");
        let lines: Vec<String> = table.terminal().lines().map(|line| line.trim().to_owned()).collect();
        assert!(lines[1].starts_with("a, b ") && lines[1].ends_with("  9"), "{lines:?}");
    }
}
