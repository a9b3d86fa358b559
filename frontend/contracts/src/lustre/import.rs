//! Contracts of Lustre as the text of an interface.
//!
//! A stream is written twice: as it is in step 0, and as it is later, over the values now and those
//! one step before. What looks back further than that, or at more than variables, gets a hidden
//! variable that remembers it.

use super::parser::{Wrong, parse};
use super::syntax::{Contract, Expr, ExprKind, File, Item, Operator, Place, Type, Variable};
use crate::fret::{Imported, NotImported};
use spec::language::CONTRACTS;
use spec::print::{name_of, quoted};
use spec::value::Value;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// How a contract is imported.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// The node or contract that is meant; may be left out where there is one.
    pub component: Option<String>,
    /// Types of variables as interfaces write them, by name.
    pub types: Vec<(String, String)>,
    /// Outputs that nobody sees.
    pub hidden: Vec<String>,
    /// Whether guarantees and modes that cannot be imported are left out, with a remark in the text;
    /// they are an error otherwise.
    pub skip: bool,
}

/// The interface of the contract of a node.
///
/// # Errors
/// The text does not parse, has several contracts, or says what has no place in an interface; each
/// with its line.
pub fn import(text: &str, wishes: &Wishes) -> Result<Imported, NotImported> {
    let in_text = |wrong: &Wrong| told(text, wrong);
    let file = parse(text).map_err(|wrong| NotImported(in_text(&wrong)))?;
    let contract = chosen(&file, wishes)?;
    let mut importer = Importer::new(&file, contract, wishes);
    match importer.text() {
        Ok(imported) => Ok(imported),
        Err(wrong) => {
            let listed: Vec<String> = wrong.iter().map(in_text).collect();
            Err(NotImported(listed.join("\n")))
        }
    }
}

/// A message with its line.
fn told(text: &str, ((line, column), why): &Wrong) -> String {
    let shown = text.lines().nth(*line as usize - 1).unwrap_or_default();
    let number = line.to_string();
    let margin = " ".repeat(number.len());
    let mark = " ".repeat(*column as usize - 1);
    format!(
        "{why}\n{margin}--> line {line}, column {column}\n{margin} |\n{number} | {shown}\n{margin} | {mark}^"
    )
}

fn chosen<'f>(file: &'f File, wishes: &Wishes) -> Result<&'f Contract, NotImported> {
    let names: Vec<&str> = file.contracts.iter().map(|contract| contract.name.as_str()).collect();
    match (&wishes.component, &file.contracts[..]) {
        (None, [one]) => Ok(one),
        (_, []) => Err(NotImported("the file has no contracts".to_owned())),
        (Some(wanted), all) => all.iter().find(|contract| contract.name == *wanted).ok_or_else(|| {
            NotImported(format!("there is no contract of `{wanted}`; there are {}", names.join(", ")))
        }),
        (None, _) => Err(NotImported(format!(
            "the file has several contracts: name one (--component); there are {}",
            names.join(", ")
        ))),
    }
}

type Written<T> = Result<T, Wrong>;

/// A stream that is remembered.
struct Memory {
    name: String,
    ty: String,
    first: String,
    later: String,
}

struct Importer<'f> {
    file: &'f File,
    contract: &'f Contract,
    wishes: &'f Wishes,
    /// Types of the variables, as interfaces write them.
    types: BTreeMap<String, String>,
    /// Names of outputs and ghost variables.
    answers: BTreeSet<String>,
    memories: RefCell<Vec<Memory>>,
}

impl<'f> Importer<'f> {
    fn new(file: &'f File, contract: &'f Contract, wishes: &'f Wishes) -> Self {
        let ghosts = contract.items.iter().filter_map(|item| match item {
            Item::Variable(variable, _) => Some(variable),
            _ => None,
        });
        let answers = contract.outputs.iter().chain(ghosts).map(|variable| variable.name.clone());
        let answers = answers.collect();
        Self { file, contract, wishes, types: BTreeMap::new(), answers, memories: RefCell::default() }
    }

    fn text(&mut self) -> Result<Imported, Vec<Wrong>> {
        let mut wrong: Vec<Wrong> = Vec::new();
        let mut out = format!("interface {}\n", word(&self.contract.name));
        for (name, value) in &self.file.constants {
            self.constant(name, value, &mut out).unwrap_or_else(|why| wrong.push(why));
        }
        for (name, ty) in &self.file.types {
            let text = self.ty_text(ty, (1, 1));
            match text {
                Ok(text) => drop(writeln!(out, "type {} = {text}", word(name))),
                // A type that is used is refused where it is.
                Err(_) => continue,
            }
        }
        for item in &self.contract.items {
            if let Item::Constant(name, value) = item {
                self.constant(name, value, &mut out).unwrap_or_else(|why| wrong.push(why));
            }
        }
        let contract = self.contract;
        let roles = [("input", &contract.inputs), ("output", &contract.outputs)];
        for (role, variable) in roles.iter().flat_map(|(role, list)| list.iter().map(move |one| (*role, one)))
        {
            let role = if self.wishes.hidden.contains(&variable.name) { "hidden" } else { role };
            self.declare(role, variable, &mut out).unwrap_or_else(|why| wrong.push(why));
        }
        let inputs = contract.inputs.iter().map(|input| &input.name);
        for name in inputs.filter(|name| self.wishes.hidden.contains(name)) {
            wrong.push(((1, 1), format!("`{name}` is an input: only outputs can be hidden")));
        }
        for item in &contract.items {
            if let Item::Variable(variable, _) = item {
                self.declare("hidden", variable, &mut out).unwrap_or_else(|why| wrong.push(why));
            }
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let (mut body, mut count, mut left_out) = (String::new(), 0, Vec::new());
        for item in &contract.items {
            let remembered = self.memories.borrow().len();
            let (name, made) = self.item(item, count);
            match made {
                Ok(None) => {}
                Ok(Some(text)) => {
                    let is_requirement = !matches!(item, Item::Assume(_));
                    count += usize::from(is_requirement);
                    body += &text;
                }
                Err(why) => {
                    self.memories.borrow_mut().truncate(remembered);
                    match (self.wishes.skip, name) {
                        (true, Some(name)) => left_out.push((name, why.1)),
                        _ => wrong.push(why),
                    }
                }
            }
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        for memory in self.memories.borrow().iter() {
            let Memory { name, ty, first, later } = memory;
            let _ = writeln!(out, "hidden {name} : {ty}");
            let _ = writeln!(
                body,
                "req {name} \"What a step remembers.\"\n    initially guarantee {name}' = {first}\n    guarantee {name}' = {later}"
            );
        }
        let mut remarks = String::new();
        for (name, why) in &left_out {
            let _ = writeln!(remarks, "# left out: {name}: {}", why.replace('\n', " "));
        }
        if contract.has_body {
            let _ = writeln!(remarks, "# the body of the node {} is left out", contract.name);
        }
        Ok(Imported { text: remarks + &out + &body, count, left_out })
    }

    fn constant(&self, name: &str, value: &Expr, out: &mut String) -> Written<()> {
        let value = self.now(value, true)?;
        let _ = writeln!(out, "const {} = {value}", word(name));
        Ok(())
    }
    fn declare(&mut self, role: &str, variable: &Variable, out: &mut String) -> Written<()> {
        let given = self.wishes.types.iter().find(|(name, _)| *name == variable.name);
        let ty = match given {
            Some((_, ty)) => ty.clone(),
            None => self.named_ty(variable)?,
        };
        let _ = writeln!(out, "{role} {} : {ty}", word(&variable.name));
        self.types.insert(variable.name.clone(), ty);
        Ok(())
    }
    /// The type of a variable: a name stays one, unless what it stands for has no bounds.
    fn named_ty(&self, variable: &Variable) -> Written<String> {
        let mut ty = &variable.ty;
        let mut hops = 0;
        while let Type::Named(name) = ty {
            let known = self.file.types.iter().find(|(known, _)| known == name);
            let unknown = || (variable.place, format!("the type `{name}` is not declared"));
            ty = &known.ok_or_else(unknown)?.1;
            hops += 1;
            if hops > self.file.types.len() {
                return Err((variable.place, format!("the type `{name}` is defined by itself")));
            }
        }
        match (ty, &variable.ty) {
            (Type::Unbounded(kind), _) => Err((
                variable.place,
                format!(
                    "`{0}` is an {kind} without bounds: say which it can be (--type \"{0}=0..100\")",
                    variable.name
                ),
            )),
            (_, Type::Named(name)) => Ok(word(name)),
            (ty, _) => self.ty_text(ty, variable.place),
        }
    }
    fn ty_text(&self, ty: &Type, place: Place) -> Written<String> {
        match ty {
            Type::Bool => Ok("bool".to_owned()),
            Type::Unbounded(kind) => Err((place, format!("`{kind}` has no bounds"))),
            Type::Range(lo, hi) => Ok(format!("{}..{}", self.now(lo, true)?, self.now(hi, true)?)),
            Type::Enum(names) => {
                let names: Vec<String> = names.iter().map(|name| word(name)).collect();
                Ok(format!("{{{}}}", names.join(", ")))
            }
            Type::Named(name) => Ok(word(name)),
        }
    }

    /// The name of an item that can be left out, and its text.
    fn item(&mut self, item: &Item, count: usize) -> (Option<String>, Written<Option<String>>) {
        match item {
            Item::Constant(..) => (None, Ok(None)),
            Item::Assume(expr) => (None, self.assumption(expr).map(Some)),
            Item::Variable(variable, expr) => {
                let own =
                    Expr { kind: Box::new(ExprKind::Name(variable.name.clone())), place: variable.place };
                let kind = ExprKind::Binary(Operator::Equal, own, expr.clone());
                let equation = Expr { kind: Box::new(kind), place: expr.place };
                let text = "A variable of the contract.";
                (
                    None,
                    self.requirement(&format!("{} is", variable.name), Some(text), &[], &[&equation])
                        .map(Some),
                )
            }
            Item::Guarantee(name, expr) => {
                let name = name.clone().unwrap_or_else(|| format!("guarantee {}", count + 1));
                let made = self.guarantee(&name, expr).map(Some);
                (Some(name), made)
            }
            Item::Mode { name, requires, ensures } => {
                let (requires, ensures): (Vec<&Expr>, Vec<&Expr>) =
                    (requires.iter().collect(), ensures.iter().collect());
                let made = match ensures[..] {
                    // It says nothing.
                    [] => Ok(None),
                    _ => self.requirement(name, None, &requires, &ensures).map(Some),
                };
                (Some(name.clone()), made)
            }
            Item::Other(what, place) => {
                (Some(what.clone()), Err((*place, format!("`{what}` has no place in an interface"))))
            }
        }
    }

    /// Conditions on inputs. They speak of all steps, or of all but the first.
    fn assumption(&mut self, expr: &Expr) -> Written<String> {
        let (first, later) = (self.now(expr, true)?, self.now(expr, false)?);
        if first == later {
            return Ok(format!("environment {first}\n"));
        }
        if first != "true" {
            let why = "an assumption that says other things of step 0 than of later steps has no place in an interface";
            return Err((expr.place, why.to_owned()));
        }
        // A condition that speaks of the step before does not concern step 0.
        let seen = self.contract.inputs.iter().chain(&self.contract.outputs);
        let mut seen = seen.map(|variable| &variable.name).filter(|name| !self.wishes.hidden.contains(name));
        let guard = match (self.looks_back(expr), seen.next()) {
            (false, Some(name)) => format!("{0} = {0} and ", word(name)),
            _ => String::new(),
        };
        Ok(format!("environment {guard}{later}\n"))
    }
    /// Whether the text of a stream in later steps reads the step before.
    fn looks_back(&self, expr: &Expr) -> bool {
        match &*expr.kind {
            ExprKind::Before(of) => !names(of).is_empty(),
            ExprKind::Arrow(_, later) => self.looks_back(later),
            _ => operands(expr).into_iter().any(|part| self.looks_back(part)),
        }
    }
    /// A guarantee: what is said of step 0, and what of later steps. Conjuncts are contracts.
    fn guarantee(&mut self, name: &str, expr: &Expr) -> Written<String> {
        self.requirement(name, None, &[], &[expr])
    }
    fn requirement(
        &mut self,
        name: &str,
        text: Option<&str>,
        requires: &[&Expr],
        ensures: &[&Expr],
    ) -> Written<String> {
        let first = self.contracts(requires, ensures, true)?;
        let later = self.contracts(requires, ensures, false)?;
        let mut lines = Vec::new();
        if first == later {
            lines.extend(first.iter().map(|contract| format!("always {contract}")));
        } else {
            lines.extend(first.iter().map(|contract| format!("initially {contract}")));
            lines.extend(later);
        }
        if lines.is_empty() {
            // A requirement has a contract.
            lines.push("always guarantee true".to_owned());
        }
        let text = text.map_or_else(String::new, |text| format!(" {}", quoted(text)));
        let lines: String = lines.iter().map(|line| format!("    {line}\n")).collect();
        Ok(format!("req {}{text}\n{lines}", name_of(name, &CONTRACTS)))
    }
    /// The contracts of one kind of steps.
    fn contracts(&mut self, requires: &[&Expr], ensures: &[&Expr], is_first: bool) -> Written<Vec<String>> {
        let mut found = Vec::new();
        let mut conditions = Vec::new();
        for part in requires {
            conditions.push(((*part).clone(), self.now(part, is_first)?));
        }
        for part in ensures.iter().flat_map(|part| conjuncts(part, is_first)) {
            let (mut conditions, mut part) = (conditions.clone(), part);
            while let ExprKind::Binary(Operator::Implies, condition, response) = &*part.kind {
                if self.answers_now(condition, is_first) {
                    break;
                }
                conditions.push((condition.clone(), self.now(condition, is_first)?));
                part = moment(response, is_first);
            }
            let response = self.now(part, is_first)?;
            // What is assumed may not speak of what is answered in the same step.
            let (early, late): (Vec<_>, Vec<_>) =
                conditions.into_iter().partition(|(condition, _)| !self.answers_now(condition, is_first));
            let all = |parts: Vec<(Expr, String)>| -> Vec<String> {
                parts.into_iter().map(|(_, text)| text).filter(|text| text != "true").collect()
            };
            let (early, late) = (all(early), all(late));
            let response = match &late[..] {
                [] => response,
                late => format!("(({}) -> {response})", late.join(" and ")),
            };
            match &early[..] {
                _ if response == "true" => {}
                [] => found.push(format!("guarantee {response}")),
                early => found.push(format!("assume {} guarantee {response}", early.join(" and "))),
            }
        }
        Ok(found)
    }
    /// Whether a stream reads answers of the same step.
    fn answers_now(&self, expr: &Expr, is_first: bool) -> bool {
        match &*expr.kind {
            ExprKind::Name(name) => self.answers.contains(name),
            ExprKind::Before(_) => false,
            ExprKind::Arrow(first, later) => self.answers_now(if is_first { first } else { later }, is_first),
            _ => operands(expr).into_iter().any(|part| self.answers_now(part, is_first)),
        }
    }

    /// A stream in step 0, or in later steps. Constants are streams, too.
    fn now(&self, expr: &Expr, is_first: bool) -> Written<String> {
        let part = |part: &Expr| self.now(part, is_first);
        match &*expr.kind {
            ExprKind::Truth(holds) => Ok(holds.to_string()),
            ExprKind::Number(number) => Ok(Value::fraction(*number).to_string()),
            ExprKind::Name(name) => Ok(match self.types.contains_key(name) {
                true => format!("{}'", word(name)),
                false => word(name),
            }),
            ExprKind::Not(one) => Ok(format!("(not {})", part(one)?)),
            ExprKind::Negate(one) => Ok(format!("(-{})", part(one)?)),
            ExprKind::If(condition, then, otherwise) => {
                Ok(format!("(if {} then {} else {})", part(condition)?, part(then)?, part(otherwise)?))
            }
            ExprKind::Binary(operator, left, right) => {
                Ok(format!("({} {} {})", part(left)?, operator.text(), part(right)?))
            }
            ExprKind::Arrow(first, later) => part(if is_first { first } else { later }),
            ExprKind::Before(_) if is_first => {
                Err((expr.place, "`pre` has no value in step 0: write `VALUE -> ...` before it".to_owned()))
            }
            ExprKind::Before(of) => self.before(of),
        }
    }
    /// A stream one step before.
    fn before(&self, expr: &Expr) -> Written<String> {
        let part = |part: &Expr| self.before(part);
        match &*expr.kind {
            ExprKind::Name(name) => Ok(word(name)),
            ExprKind::Truth(_) | ExprKind::Number(_) => self.now(expr, false),
            ExprKind::Not(one) => Ok(format!("(not {})", part(one)?)),
            ExprKind::Negate(one) => Ok(format!("(-{})", part(one)?)),
            ExprKind::If(condition, then, otherwise) => {
                Ok(format!("(if {} then {} else {})", part(condition)?, part(then)?, part(otherwise)?))
            }
            ExprKind::Binary(operator, left, right) => {
                Ok(format!("({} {} {})", part(left)?, operator.text(), part(right)?))
            }
            ExprKind::Arrow(..) | ExprKind::Before(_) => self.remembered(expr),
        }
    }
    /// A stream that looks back one step before: a hidden variable remembers it.
    fn remembered(&self, expr: &Expr) -> Written<String> {
        let ty = self.ty_of(expr).ok_or_else(|| {
            let why = "what `pre` looks back at here is a number that is computed with: give it a name (`var x: subrange ...`)";
            (expr.place, why.to_owned())
        })?;
        let (first, later) = (self.now(expr, true)?, self.now(expr, false)?);
        let mut memories = self.memories.borrow_mut();
        if let Some(known) =
            memories.iter().find(|one| one.ty == ty && one.first == first && one.later == later)
        {
            return Ok(known.name.clone());
        }
        let is_taken =
            |name: &String| self.types.contains_key(name) || memories.iter().any(|one| one.name == *name);
        let mut name = format!("past{}", memories.len() + 1);
        while is_taken(&name) {
            name.push('_');
        }
        memories.push(Memory { name: name.clone(), ty, first, later });
        Ok(name)
    }
    /// The type of a stream, where it is a truth or has that of a variable.
    fn ty_of(&self, expr: &Expr) -> Option<String> {
        match &*expr.kind {
            ExprKind::Truth(_) | ExprKind::Not(_) => Some("bool".to_owned()),
            ExprKind::Binary(operator, ..) => (!operator.is_numeric()).then(|| "bool".to_owned()),
            ExprKind::Number(_) | ExprKind::Negate(_) => None,
            ExprKind::Name(name) => self.types.get(name).cloned(),
            ExprKind::Before(of) => self.ty_of(of),
            ExprKind::Arrow(left, right) | ExprKind::If(_, left, right) => {
                let (left, right) = (self.ty_of(left), self.ty_of(right)?);
                // A constant in step 0 may lie outside the type of what follows; the interface then
                // says so.
                left.is_none_or(|left| left == right).then_some(right)
            }
        }
    }
}

/// A name as interfaces write it.
fn word(name: &str) -> String {
    name_of(name, &CONTRACTS)
}

/// The operands of an operator.
fn operands(expr: &Expr) -> Vec<&Expr> {
    match &*expr.kind {
        ExprKind::Truth(_) | ExprKind::Number(_) | ExprKind::Name(_) => Vec::new(),
        ExprKind::Not(one) | ExprKind::Negate(one) | ExprKind::Before(one) => vec![one],
        ExprKind::Arrow(left, right) | ExprKind::Binary(_, left, right) => vec![left, right],
        ExprKind::If(condition, then, otherwise) => vec![condition, then, otherwise],
    }
}

/// The names in an expression.
fn names(expr: &Expr) -> Vec<&str> {
    match &*expr.kind {
        ExprKind::Name(name) => vec![name],
        _ => operands(expr).into_iter().flat_map(names).collect(),
    }
}

/// A stream in one kind of steps, as far as its outermost operators say which.
fn moment(expr: &Expr, is_first: bool) -> &Expr {
    match &*expr.kind {
        ExprKind::Arrow(first, later) => moment(if is_first { first } else { later }, is_first),
        _ => expr,
    }
}

/// The truths whose conjunction a stream is in one kind of steps.
fn conjuncts(expr: &Expr, is_first: bool) -> Vec<&Expr> {
    let expr = moment(expr, is_first);
    match &*expr.kind {
        ExprKind::Binary(Operator::And, left, right) => {
            let mut found = conjuncts(left, is_first);
            found.extend(conjuncts(right, is_first));
            found
        }
        _ => vec![expr],
    }
}
