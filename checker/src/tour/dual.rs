//! Numbers of rows and columns that bound the tours of a node, or say what their lengths have in
//! common.

use super::rounded::Rounded;
use super::{Reader, Rejection, numbers, set};

/// Greatest scale: products with costs stay far from overflow.
const MOST_SCALE: i64 = 1 << 40;

/// Numbers that bound the length of tours.
pub(super) struct Dual {
    scale: i64,
    rows: Vec<i64>,
    columns: Vec<i64>,
    sets: Vec<(i64, Vec<usize>)>,
    /// Multipliers of inequalities by rounding, and which.
    rounded: Vec<(i64, usize)>,
}

impl Dual {
    /// Reads one that may use these inequalities by rounding.
    pub(super) fn read(
        reader: &mut Reader<'_>,
        vertices: usize,
        rounded: &[Rounded],
    ) -> Result<Self, Rejection> {
        let (scale, rows, columns) = read_numbers("dual", reader, vertices)?;
        if !(1..=MOST_SCALE).contains(&scale) {
            return Err(reader.wrong("the scale of a dual should be positive and not too great"));
        }
        let mut dual = Self { scale, rows, columns, sets: Vec::new(), rounded: Vec::new() };
        loop {
            if let Some(text) = reader.line("set") {
                let set = multiplied_set(text, vertices);
                dual.sets
                    .push(set.ok_or(reader.wrong("a set should have a multiplier and ascending vertices"))?);
            } else if let Some(text) = reader.line("rounded") {
                let used = multiplied(text).filter(|&(_, number)| number < rounded.len());
                dual.rounded.push(used.ok_or(reader.wrong(
                    "an inequality by rounding should have a multiplier, and a number among those before it",
                ))?);
            } else {
                return Ok(dual);
            }
        }
    }

    pub(super) fn scale(&self) -> i128 {
        i128::from(self.scale)
    }

    /// What row and column pay for an arc, scaled.
    pub(super) fn paid(&self, from: usize, to: usize) -> i128 {
        i128::from(self.rows[from]) + i128::from(self.columns[to])
    }

    /// The bound that the numbers show, scaled.
    pub(super) fn total(&self, rounded: &[Rounded]) -> i128 {
        let sum = |numbers: &[i64]| numbers.iter().map(|&number| i128::from(number)).sum::<i128>();
        let arcs = |(multiplier, set): &(i64, Vec<usize>)| i128::from(*multiplier) * (set.len() as i128 - 1);
        let right = |&(multiplier, number): &(i64, usize)| {
            i128::from(multiplier) * i128::from(rounded[number].right())
        };
        let most = self.sets.iter().map(arcs).sum::<i128>() + self.rounded.iter().map(right).sum::<i128>();
        sum(&self.rows) + sum(&self.columns) - most
    }

    /// By arc: the multipliers of the inequalities that it is in, as often as it is.
    pub(super) fn within(&self, vertices: usize, rounded: &[Rounded]) -> Vec<i128> {
        let mut within = vec![0; vertices * vertices];
        for (multiplier, set) in &self.sets {
            for &from in set {
                set.iter().for_each(|&to| within[from * vertices + to] += i128::from(*multiplier));
            }
        }
        for &(multiplier, number) in &self.rounded {
            for &(arc, factor) in rounded[number].factors() {
                within[arc] += i128::from(multiplier) * i128::from(factor);
            }
        }
        within
    }
}

/// Numbers that each arc's cost is the sum of, but for multiples of a modulus.
pub(super) struct Congruence {
    modulus: i64,
    rows: Vec<i64>,
    columns: Vec<i64>,
}

impl Congruence {
    pub(super) fn read(reader: &mut Reader<'_>, vertices: usize) -> Result<Self, Rejection> {
        let (modulus, rows, columns) = read_numbers("congruent", reader, vertices)?;
        if modulus < 1 {
            return Err(reader.wrong("a modulus should be positive"));
        }
        Ok(Self { modulus, rows, columns })
    }

    /// Whether it is so for an arc.
    pub(super) fn holds(&self, from: usize, to: usize, cost: u64) -> bool {
        let rest = i128::from(cost) - i128::from(self.rows[from]) - i128::from(self.columns[to]);
        rest % i128::from(self.modulus) == 0
    }

    /// The greatest length up to this one that tours can have.
    pub(super) fn at_most(&self, length: i128) -> i128 {
        let sum: i128 = self.rows.iter().chain(&self.columns).map(|&number| i128::from(number)).sum();
        length - (length - sum).rem_euclid(i128::from(self.modulus))
    }
}

/// A number behind the word, then a line of rows and one of columns.
fn read_numbers(
    kind: &str,
    reader: &mut Reader<'_>,
    vertices: usize,
) -> Result<(i64, Vec<i64>, Vec<i64>), Rejection> {
    let fields = (reader.field(kind), reader.field("rows"), reader.field("columns"));
    let (Some(first), Some(rows), Some(columns)) = fields else {
        return Err(reader.wrong("there should be a number, rows and columns"));
    };
    let &[first] = &first[..] else { return Err(reader.wrong("there should be one number")) };
    if rows.len() != vertices || columns.len() != vertices {
        return Err(reader.wrong("there should be a number for each row and each column"));
    }
    Ok((first, rows, columns))
}

/// A multiplier that is not negative, and a set.
fn multiplied_set(text: &str, vertices: usize) -> Option<(i64, Vec<usize>)> {
    let (multiplier, vertices_in) = text.split_once(' ')?;
    let multiplier: i64 = multiplier.parse().ok()?;
    (multiplier >= 0).then_some((multiplier, set(vertices_in, vertices)?))
}

/// A multiplier that is not negative, and the number of an inequality.
fn multiplied(text: &str) -> Option<(i64, usize)> {
    let &[multiplier, number] = &numbers::<i64>(text)?[..] else { return None };
    (multiplier >= 0).then_some((multiplier, usize::try_from(number).ok()?))
}
