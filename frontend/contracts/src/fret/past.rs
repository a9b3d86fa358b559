//! Operators on the past as hidden variables.
//!
//! The value of such an operator in a step is a function of its operands now and of what it was a
//! step before: a hidden variable with one equation for step 0 and one for later steps.

use super::formula::{Formula, NoFormula, Operator, Past};
use super::print::{text, word};

/// Steps back that a lower bound goes at most: each takes a variable.
const FARTHEST: u32 = 64;

/// A hidden variable.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Memory {
    /// Its name.
    pub(super) name: String,
    /// Its type, as interfaces write it.
    pub(super) ty: String,
    /// Its value in step 0.
    pub(super) first: String,
    /// Its value in a later step.
    pub(super) later: String,
}

/// The type of a variable, as interfaces write it.
pub(super) type TypeOf<'t> = &'t dyn Fn(&str) -> Option<String>;

/// Puts hidden variables in place of operators on the past.
pub(super) struct Remembering<'t> {
    /// What stands before the numbers of the variables.
    pub(super) prefix: String,
    /// The variables so far; each reads only those before it.
    pub(super) memory: Vec<Memory>,
    /// The operators that they stand for.
    known: Vec<(Formula, Formula)>,
    type_of: TypeOf<'t>,
}

impl<'t> Remembering<'t> {
    pub(super) fn new(prefix: String, type_of: TypeOf<'t>) -> Self {
        Self { prefix, memory: Vec::new(), known: Vec::new(), type_of }
    }

    /// The formula without operators on the past.
    pub(super) fn present(&mut self, formula: &Formula) -> Result<Formula, NoFormula> {
        let inside = formula.map(|part| self.present(part))?;
        if let Some((_, known)) = self.known.iter().find(|(known, _)| *known == inside) {
            return Ok(known.clone());
        }
        let found = match &inside {
            Formula::Past(past, bound, one) => self.past(*past, *bound, one)?,
            Formula::Since(bound, left, right) => self.since(*bound, left, right)?,
            Formula::Before(one) => self.before(one)?,
            _ => return Ok(inside),
        };
        self.known.push((inside, found.clone()));
        Ok(found)
    }

    fn add(&mut self, ty: &str, equations: impl FnOnce(&str) -> (String, String)) -> Formula {
        let name = format!("{}_{}", self.prefix, self.memory.len() + 1);
        let (first, later) = equations(&word(&name));
        self.memory.push(Memory { name: name.clone(), ty: ty.to_owned(), first, later });
        Formula::Name(name)
    }

    /// An expression without operators on the past, with the values of the step before: each
    /// variable in it has one more, of its type. In step 0, where nobody asks, that is the value
    /// now.
    fn before(&mut self, one: &Formula) -> Result<Formula, NoFormula> {
        let Formula::Name(name) = one else { return one.map(|part| self.before(part)) };
        let whole = Formula::Before(Box::new(one.clone()));
        if let Some((_, known)) = self.known.iter().find(|(known, _)| *known == whole) {
            return Ok(known.clone());
        }
        let own = self.memory.iter().find(|memory| memory.name == *name).map(|memory| memory.ty.clone());
        let ty = own.or_else(|| (self.type_of)(name));
        let ty = ty.ok_or_else(|| NoFormula(format!("`{name}`, which has no type,")))?;
        let (now, earlier) = (text(one, true)?, text(one, false)?);
        let found = self.add(&ty, |_| (now, earlier));
        self.known.push((whole, found.clone()));
        Ok(found)
    }

    fn past(&mut self, past: Past, bound: Option<(u32, u32)>, one: &Formula) -> Result<Formula, NoFormula> {
        let now = text(one, true)?;
        match (past, bound) {
            (Past::Historically, None) => {
                Ok(self.add("bool", |own| (now.clone(), format!("({own} and {now})"))))
            }
            (Past::Once, None) => Ok(self.add("bool", |own| (now.clone(), format!("({own} or {now})")))),
            (Past::Yesterday | Past::WeakYesterday, None) => {
                let before = text(one, false)?;
                let first = if past == Past::Yesterday { "false" } else { "true" };
                Ok(self.add("bool", |_| (first.to_owned(), before)))
            }
            (Past::Once, Some((from, to))) => {
                let mut late = one.clone();
                for _ in 0..self.back(from)? {
                    late = self.past(Past::Yesterday, None, &late)?;
                }
                self.within(&late, &Formula::Truth(true), to - from)
            }
            (Past::Historically, Some(_)) => {
                let once = self.past(Past::Once, bound, &Formula::Not(Box::new(one.clone())))?;
                Ok(Formula::Not(Box::new(once)))
            }
            (Past::Yesterday | Past::WeakYesterday, Some(_)) => {
                Err(NoFormula("Y and Z have no bounds".to_owned()))
            }
        }
    }
    fn back(&self, steps: u32) -> Result<u32, NoFormula> {
        match steps <= FARTHEST {
            true => Ok(steps),
            false => Err(NoFormula(format!("a bound that begins more than {FARTHEST} steps back"))),
        }
    }

    fn since(
        &mut self,
        bound: Option<(u32, u32)>,
        left: &Formula,
        right: &Formula,
    ) -> Result<Formula, NoFormula> {
        match bound {
            None => {
                let (left, right) = (text(left, true)?, text(right, true)?);
                Ok(self.add("bool", |own| (right.clone(), format!("({right} or {left} and {own})"))))
            }
            Some((0, to)) => self.within(right, left, to),
            Some(_) => Err(NoFormula("S with a lower bound".to_owned())),
        }
    }

    /// Whether a truth has held within the last steps, and another one in all steps behind it: a
    /// counter of the steps since then.
    fn within(&mut self, truth: &Formula, kept: &Formula, steps: u32) -> Result<Formula, NoFormula> {
        let (now, kept) = (text(truth, true)?, text(kept, true)?);
        let never = u64::from(steps) + 1;
        let counter = self.add(&format!("0..{never}"), |own| {
            let first = format!("(if {now} then 0 else {never})");
            let later = format!("(if {now} then 0 else if {kept} then min({own} + 1, {never}) else {never})");
            (first, later)
        });
        let most = Formula::Number(i128::from(steps).into());
        Ok(Formula::Binary(Operator::LessEqual, Box::new(counter), Box::new(most)))
    }
}
