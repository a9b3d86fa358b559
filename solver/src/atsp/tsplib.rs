//! Reader of ATSP instances in the TSPLIB format (G. Reinelt, ORSA J. Computing 3, 1991).
//!
//! Only `TYPE: ATSP` with `EDGE_WEIGHT_TYPE: EXPLICIT` and `EDGE_WEIGHT_FORMAT: FULL_MATRIX` is
//! read, which is all that the library holds for the asymmetric problem. The numbers of the matrix
//! may be broken into lines in any way. The diagonal is ignored; all other arcs exist, however dear
//! the file makes them.

use super::instance::{Instance, MAX_COST};

/// An instance with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tsplib {
    /// The `NAME` entry, empty where there is none.
    pub name: String,
    /// The distances.
    pub instance: Instance,
}

/// Why a text is not a readable instance.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct TsplibError {
    /// Line number, from 1; the last line for what is missing at the end.
    pub line: usize,
    /// What is wrong there.
    pub problem: TsplibProblem,
}

/// What can be wrong with a TSPLIB text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TsplibProblem {
    /// A line before the matrix that is neither `KEYWORD: value` nor the beginning of a section.
    #[error("expected `KEYWORD: value` or a section, found `{0}`")]
    NotAnEntry(String),
    /// A keyword has a value that this reader does not support.
    #[error("{keyword} is `{value}`, only {supported} is supported")]
    Unsupported {
        /// The keyword.
        keyword: &'static str,
        /// Its value in the text.
        value: String,
        /// The only value that is read.
        supported: &'static str,
    },
    /// A section other than the edge weights.
    #[error("section {0} is not supported")]
    UnsupportedSection(String),
    /// The dimension is not a number of vertices.
    #[error("DIMENSION is `{0}`, expected a number from 1 to 65535")]
    BadDimension(String),
    /// The matrix begins before the dimension is known.
    #[error("EDGE_WEIGHT_SECTION before DIMENSION")]
    NoDimension,
    /// A distance is not a non-negative integer of supported size.
    #[error("`{0}` is not an integer from 0 to {MAX_COST}")]
    BadNumber(String),
    /// The matrix holds more numbers than the square of the dimension.
    #[error("more than {0} numbers in the matrix")]
    TooManyNumbers(usize),
    /// The text ends before the matrix is complete.
    #[error("the matrix has {found} of {expected} numbers")]
    TooFewNumbers {
        /// Numbers read.
        found: usize,
        /// Square of the dimension.
        expected: usize,
    },
    /// There is no matrix.
    #[error("no EDGE_WEIGHT_SECTION")]
    NoMatrix,
}

/// Greatest dimension that is accepted, so that a damaged header does not ask for terabytes.
const MAX_DIMENSION: usize = 65_535;

#[derive(Default)]
struct Header {
    name: String,
    dimension: Option<usize>,
}

/// Reads an instance.
///
/// # Errors
/// [`TsplibError`] with the line at fault where the text is damaged or of another kind.
pub fn parse(text: &str) -> Result<Tsplib, TsplibError> {
    let mut header = Header::default();
    let mut lines = text.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let line = line.trim();
        if line == "EOF" {
            break;
        }
        if line.trim_end_matches([' ', ':']) == "EDGE_WEIGHT_SECTION" {
            let dimension = header.dimension.ok_or(TsplibProblem::NoDimension).map_err(at(index))?;
            let instance = read_matrix(dimension, lines, index)?;
            return Ok(Tsplib { name: header.name, instance });
        }
        if !line.is_empty() {
            read_entry(line, &mut header).map_err(at(index))?;
        }
    }
    Err(at(text.lines().count().saturating_sub(1))(TsplibProblem::NoMatrix))
}

fn at(index: usize) -> impl Fn(TsplibProblem) -> TsplibError {
    move |problem| TsplibError { line: index + 1, problem }
}

fn read_entry(line: &str, header: &mut Header) -> Result<(), TsplibProblem> {
    let Some((keyword, value)) = line.split_once(':') else {
        return Err(if line.ends_with("_SECTION") {
            TsplibProblem::UnsupportedSection(line.to_owned())
        } else {
            TsplibProblem::NotAnEntry(line.to_owned())
        });
    };
    let value = value.trim();
    match keyword.trim() {
        "NAME" => header.name = value.to_owned(),
        "TYPE" => require("TYPE", value, "ATSP")?,
        "EDGE_WEIGHT_TYPE" => require("EDGE_WEIGHT_TYPE", value, "EXPLICIT")?,
        "EDGE_WEIGHT_FORMAT" => require("EDGE_WEIGHT_FORMAT", value, "FULL_MATRIX")?,
        "DIMENSION" => header.dimension = Some(read_dimension(value)?),
        _ => {}
    }
    Ok(())
}

fn require(keyword: &'static str, value: &str, supported: &'static str) -> Result<(), TsplibProblem> {
    if value == supported {
        return Ok(());
    }
    Err(TsplibProblem::Unsupported { keyword, value: value.to_owned(), supported })
}

fn read_dimension(value: &str) -> Result<usize, TsplibProblem> {
    let dimension = value.parse().ok().filter(|dimension| (1..=MAX_DIMENSION).contains(dimension));
    dimension.ok_or_else(|| TsplibProblem::BadDimension(value.to_owned()))
}

fn read_matrix<'a>(
    dimension: usize,
    lines: impl Iterator<Item = (usize, &'a str)>,
    section: usize,
) -> Result<Instance, TsplibError> {
    let expected = dimension * dimension;
    let mut numbers = Vec::new();
    let mut last = section;
    for (index, line) in lines {
        if line.trim() == "EOF" {
            break;
        }
        for word in line.split_whitespace() {
            if numbers.len() == expected {
                return Err(at(index)(TsplibProblem::TooManyNumbers(expected)));
            }
            let is_diagonal = numbers.len() % (dimension + 1) == 0;
            numbers.push(read_number(word, is_diagonal).map_err(at(index))?);
        }
        last = index;
    }
    if numbers.len() < expected {
        return Err(at(last)(TsplibProblem::TooFewNumbers { found: numbers.len(), expected }));
    }
    Ok(Instance::new(dimension, |from, to| Some(numbers[from * dimension + to])))
}

/// The diagonal may hold any integer; it is not used.
fn read_number(word: &str, is_diagonal: bool) -> Result<u64, TsplibProblem> {
    let bad = || TsplibProblem::BadNumber(word.to_owned());
    if is_diagonal {
        return word.parse::<i128>().map(|_| 0).map_err(|_| bad());
    }
    word.parse().ok().filter(|&number| number <= MAX_COST).ok_or_else(bad)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "NAME: small\nTYPE: ATSP\nCOMMENT: a: b\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\n\
                        EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n";

    #[test]
    fn lines_may_break_anywhere() {
        for matrix in [
            "9 1 2\n3 9 4\n5 6 9\nEOF\n",
            " 9 1\n\n 2 3 9 4 5\r\n6\n9",
            "9\n1\n2\n3\n-1\n4\n5\n6\n99999999999999",
        ] {
            let read = parse(&format!("{HEAD}{matrix}")).expect("a well-formed text");
            assert_eq!(read.name, "small");
            assert_eq!(
                read.instance,
                Instance::new(3, |from, to| Some([[0, 1, 2], [3, 0, 4], [5, 6, 0]][from][to]))
            );
        }
    }

    #[test]
    fn errors_name_the_line() {
        let cases = [
            ("", "line 1: no EDGE_WEIGHT_SECTION"),
            ("NAME: x\nEOF\n", "line 2: no EDGE_WEIGHT_SECTION"),
            ("NAME x\n", "line 1: expected `KEYWORD: value` or a section, found `NAME x`"),
            ("TYPE: TSP\n", "line 1: TYPE is `TSP`, only ATSP is supported"),
            (
                "\nEDGE_WEIGHT_TYPE : EUC_2D",
                "line 2: EDGE_WEIGHT_TYPE is `EUC_2D`, only EXPLICIT is supported",
            ),
            ("NODE_COORD_SECTION\n", "line 1: section NODE_COORD_SECTION is not supported"),
            ("DIMENSION: 0", "line 1: DIMENSION is `0`, expected a number from 1 to 65535"),
            ("DIMENSION: many", "line 1: DIMENSION is `many`, expected a number from 1 to 65535"),
            ("EDGE_WEIGHT_SECTION\n1", "line 1: EDGE_WEIGHT_SECTION before DIMENSION"),
            ("DIMENSION: 2\nEDGE_WEIGHT_SECTION\n0 1\n2\n", "line 4: the matrix has 3 of 4 numbers"),
            ("DIMENSION: 2\nEDGE_WEIGHT_SECTION\n0 1\n2 3 4", "line 4: more than 4 numbers in the matrix"),
            (
                "DIMENSION: 2\nEDGE_WEIGHT_SECTION\n0 -1",
                "line 3: `-1` is not an integer from 0 to 68719476736",
            ),
            (
                "DIMENSION: 2\nEDGE_WEIGHT_SECTION\n0 1.5",
                "line 3: `1.5` is not an integer from 0 to 68719476736",
            ),
        ];
        for (text, message) in cases {
            assert_eq!(parse(text).map_err(|error| error.to_string()), Err(message.to_owned()), "{text:?}");
        }
    }
}
