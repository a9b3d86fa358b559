//! Inequalities that follow from others by adding up, dividing and rounding down.

use super::{Reader, Rejection, numbers, set};

/// Most arcs in all inequalities of a certificate together.
const MOST_FACTORS: usize = 50_000_000;

/// Every tour uses its arcs, each multiplied by its factor, at most so often.
pub(super) struct Rounded {
    factors: Vec<(usize, i32)>,
    right: i32,
}

/// Inequalities that are added up.
struct Sum {
    vertices: usize,
    /// By arc.
    factors: Vec<i64>,
    right: i64,
}

impl Rounded {
    /// Reads one that may use those before it.
    pub(super) fn read(reader: &mut Reader<'_>, vertices: usize, before: &[Self]) -> Result<Self, Rejection> {
        let head = reader.field("round");
        let Some(&[divisor, right]) = head.as_deref() else {
            return Err(reader.wrong("rounding should have a divisor and a right-hand side"));
        };
        if divisor < 1 {
            return Err(reader.wrong("a divisor should be positive"));
        }
        let mut sum = Sum { vertices, factors: vec![0; vertices * vertices], right: 0 };
        let wrong = "what is added up should have a factor, and ascending vertices or an earlier number";
        loop {
            let kind = reader.kind();
            if !matches!(kind, "leave" | "enter" | "within" | "earlier") {
                break;
            }
            let text = reader.line(kind).unwrap_or_default();
            sum.add(kind, text, before).ok_or(reader.wrong(wrong))?;
        }
        let rounded = sum.divided(divisor).ok_or(reader.wrong("numbers are too great"))?;
        if i64::from(rounded.right) != right {
            return Err(reader.wrong("the right-hand side is not the sum's, divided and rounded down"));
        }
        if before.iter().map(|other| other.factors.len()).sum::<usize>() + rounded.factors.len()
            > MOST_FACTORS
        {
            return Err(reader.wrong("the inequalities have too many arcs"));
        }
        Ok(rounded)
    }

    /// The arcs in it (tail times the number of vertices plus head) and their factors.
    pub(super) fn factors(&self) -> &[(usize, i32)] {
        &self.factors
    }

    pub(super) fn right(&self) -> i32 {
        self.right
    }
}

impl Sum {
    /// Adds what a line says; `None` where it says nothing that could be added.
    fn add(&mut self, kind: &str, text: &str, before: &[Rounded]) -> Option<()> {
        let (factor, rest) = text.split_once(' ')?;
        let factor = i64::from(factor.parse::<i32>().ok()?);
        match kind {
            "leave" | "enter" => {
                for vertex in numbers::<usize>(rest)? {
                    self.add_equation(kind == "leave", vertex, factor)?;
                }
                Some(())
            }
            "within" => self.add_set(&set(rest, self.vertices)?, factor),
            _ => self.add_earlier(before.get(rest.parse::<usize>().ok()?)?, factor),
        }
    }

    /// An equation may be taken a negative number of times.
    fn add_equation(&mut self, is_left: bool, vertex: usize, factor: i64) -> Option<()> {
        let n = self.vertices;
        if vertex >= n {
            return None;
        }
        for other in (0..n).filter(|&other| other != vertex) {
            let arc = if is_left { vertex * n + other } else { other * n + vertex };
            self.add_factor(arc, factor)?;
        }
        self.add_right(factor)
    }

    fn add_set(&mut self, set: &[usize], factor: i64) -> Option<()> {
        for &from in set {
            for &to in set.iter().filter(|&&to| to != from) {
                self.add_factor(from * self.vertices + to, factor)?;
            }
        }
        let arcs = i64::try_from(set.len()).ok()? - 1;
        (factor >= 0).then_some(())?;
        self.add_right(factor.checked_mul(arcs)?)
    }

    fn add_earlier(&mut self, earlier: &Rounded, factor: i64) -> Option<()> {
        for &(arc, own) in &earlier.factors {
            self.add_factor(arc, factor * i64::from(own))?;
        }
        (factor >= 0).then_some(())?;
        self.add_right(factor * i64::from(earlier.right))
    }

    fn add_factor(&mut self, arc: usize, factor: i64) -> Option<()> {
        self.factors[arc] = self.factors[arc].checked_add(factor)?;
        Some(())
    }

    fn add_right(&mut self, right: i64) -> Option<()> {
        self.right = self.right.checked_add(right)?;
        Some(())
    }

    /// The sum divided, all factors and the right-hand side rounded down.
    fn divided(&self, divisor: i64) -> Option<Rounded> {
        let divided = self.factors.iter().map(|factor| factor.div_euclid(divisor)).enumerate();
        let factors = divided.filter(|&(_, factor)| factor != 0);
        let factors = factors.map(|(arc, factor)| Some((arc, i32::try_from(factor).ok()?)));
        let right = i32::try_from(self.right.div_euclid(divisor)).ok()?;
        Some(Rounded { factors: factors.collect::<Option<_>>()?, right })
    }
}
