//! Requirements of FRET (Giannakopoulou, Pressburger, Mavridou, Schumann: "Automated formalization
//! of structured natural language requirements", IST 137, 2021) as interfaces.
//!
//! FRET exports JSON with a past-time formula for each requirement (`ptExpanded`) and, in later
//! versions, with the variables. A formula has to hold in every step; operators on the past become
//! hidden variables of the requirement.

mod formula;
mod past;
mod print;
mod types;

use formula::{Formula, NoFormula, Operator, Past, parse, parse_lustre};
use past::Remembering;
use print::{text, word};
use serde_json::Value as Json;
use spec::print::quoted;
use std::collections::BTreeMap;
use std::fmt::Write;
use types::{Known, Numbers};

/// How requirements are imported.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// The component whose requirements are meant; may be left out where there is one.
    pub component: Option<String>,
    /// Types of variables as interfaces write them, by name.
    pub types: Vec<(String, String)>,
    /// Variables that are inputs, whatever the file says.
    pub inputs: Vec<String>,
    /// Variables that are outputs, whatever the file says.
    pub outputs: Vec<String>,
    /// Whether requirements that cannot be imported are left out, with a remark in the text; they
    /// are an error otherwise.
    pub skip: bool,
}

/// What became of the requirements.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The interface as text.
    pub text: String,
    /// Requirements that are in it.
    pub count: usize,
    /// Requirements that are not, with the reasons.
    pub left_out: Vec<(String, String)>,
}

/// Why nothing is imported: one or more sentences.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotImported(pub String);

/// The interface of the requirements of a component.
///
/// # Errors
/// The file is none of FRET, has several components, variables without role or type, or formulas
/// that have no place in an interface.
pub fn import(json: &str, wishes: &Wishes) -> Result<Imported, NotImported> {
    let file: Json = serde_json::from_str(json).map_err(|error| NotImported(error.to_string()))?;
    let none = || {
        NotImported(
            "this is no export of FRET: a list of requirements (or an object with `requirements`) is missing"
                .to_owned(),
        )
    };
    let listed = if file.is_array() { &file } else { &file["requirements"] };
    let requirements: Vec<Written> = listed
        .as_array()
        .ok_or_else(none)?
        .iter()
        .map(Written::new)
        .collect::<Option<_>>()
        .ok_or_else(none)?;
    let component = component(&requirements, wishes)?;
    let requirements: Vec<Written> =
        requirements.into_iter().filter(|written| written.component == component).collect();
    Import::new(&file, component, wishes).text(&requirements)
}

/// Characters of a text of the file that messages show.
const SHOWN: usize = 80;

/// A requirement as the file has it.
struct Written {
    id: String,
    full: String,
    component: String,
    formula: String,
}

impl Written {
    fn new(json: &Json) -> Option<Self> {
        let semantics = &json["semantics"];
        let text = |json: &Json| json.as_str().unwrap_or_default().trim().to_owned();
        let component = [&semantics["component_name"], &semantics["component"]].into_iter().map(text);
        Some(Self {
            id: json["reqid"].as_str()?.trim().to_owned(),
            full: text(&json["fulltext"]),
            component: component.into_iter().find(|name| !name.is_empty()).unwrap_or_default(),
            formula: text(&semantics["ptExpanded"]),
        })
    }
}

fn component(requirements: &[Written], wishes: &Wishes) -> Result<String, NotImported> {
    let mut names: Vec<&str> = requirements.iter().map(|written| written.component.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    match (&wishes.component, &names[..]) {
        (Some(wanted), names) if names.contains(&wanted.as_str()) => Ok(wanted.clone()),
        (None, [one]) => Ok((*one).to_owned()),
        (_, []) => Err(NotImported("the file has no requirements".to_owned())),
        (wanted, names) => {
            let why = wanted.as_ref().map_or_else(
                || "the requirements are about several components: name one (--component)".to_owned(),
                |wanted| format!("there is no component `{wanted}`"),
            );
            Err(NotImported(format!("{why}; there are {}", names.join(", "))))
        }
    }
}

/// What the file says of a variable.
#[derive(Clone, Debug)]
struct Variable {
    role: String,
    data: String,
    /// The formula that an internal variable stands for.
    assigned: String,
}

struct Import<'w> {
    component: String,
    variables: BTreeMap<String, Variable>,
    wishes: &'w Wishes,
}

/// A requirement that can be imported.
struct Ready<'r> {
    written: &'r Written,
    formula: Formula,
    /// The internal variables that it needs and that remember, with the equations that say what.
    memories: Vec<(String, Formula)>,
}

impl Ready<'_> {
    /// All formulas that have to hold in each step.
    fn formulas(&self) -> impl Iterator<Item = &Formula> {
        std::iter::once(&self.formula).chain(self.memories.iter().map(|(_, formula)| formula))
    }
}

impl<'w> Import<'w> {
    fn new(file: &Json, component: String, wishes: &'w Wishes) -> Self {
        let mut variables = BTreeMap::new();
        for json in file["variables"].as_array().into_iter().flatten() {
            let text = |key: &str| json[key].as_str().unwrap_or_default().trim().to_owned();
            // Entries without a role come from models, which name components otherwise.
            if text("component_name") != component || json.get("idType").is_none() {
                continue;
            }
            let assigned = [text("assignment"), text("modeRequirement")];
            let assigned = assigned.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
            let variable = Variable { role: text("idType"), data: text("dataType"), assigned };
            variables.insert(text("variable_name"), variable);
        }
        Self { component, variables, wishes }
    }

    fn role(&self, name: &str) -> &str {
        if self.wishes.inputs.iter().any(|known| known == name) {
            return "Input";
        }
        if self.wishes.outputs.iter().any(|known| known == name) {
            return "Output";
        }
        self.variables.get(name).map_or("", |variable| &variable.role)
    }
    fn given_type(&self, name: &str) -> Option<&str> {
        self.wishes.types.iter().find(|(known, _)| known == name).map(|(_, ty)| ty.as_str())
    }
    fn data(&self, name: &str) -> &str {
        self.variables.get(name).map_or("", |variable| &variable.data)
    }
    fn is_bool(&self, name: &str) -> bool {
        self.given_type(name) == Some("bool") || self.data(name) == "boolean"
    }
    /// The type of a variable, as interfaces write it.
    fn ty(&self, name: &str, numbers: &Numbers) -> Option<String> {
        match self.given_type(name) {
            Some(ty) => Some(ty.to_owned()),
            None if self.is_bool(name) => Some("bool".to_owned()),
            None => numbers.ty(name, &|name| self.known(name)),
        }
    }
    fn known(&self, name: &str) -> Known {
        let data = self.data(name);
        Known {
            is_input: self.role(name) == "Input",
            is_integer: data.contains("int"),
            is_unsigned: data.contains("unsigned"),
        }
    }

    fn text(&self, requirements: &[Written]) -> Result<Imported, NotImported> {
        let (mut ready, mut left_out) = (Vec::new(), Vec::new());
        for written in requirements {
            let formula = self.formula(written);
            match formula.and_then(|formula| Ok((self.memories(&formula)?, formula))) {
                Ok((memories, formula)) => ready.push(Ready { written, formula, memories }),
                Err(why) => left_out.push((written.id.clone(), why.0)),
            }
        }
        let mut numbers = Numbers::default();
        let is_number = |name: &str| !self.is_bool(name) && self.given_type(name).is_none();
        ready.iter().flat_map(Ready::formulas).for_each(|formula| numbers.visit(formula, &is_number));
        // What a requirement needs that has no type is not in the text.
        let mut kept = Vec::new();
        for one in ready {
            let untyped = one.formulas().find_map(|formula| self.untyped(formula, &numbers));
            match untyped {
                None => kept.push(one),
                Some(why) => left_out.push((one.written.id.clone(), why)),
            }
        }
        if kept.is_empty() || !(left_out.is_empty() || self.wishes.skip) {
            let list: Vec<String> = left_out.iter().map(|(id, why)| format!("{id}: {why}")).collect();
            let advice = if kept.is_empty() { "" } else { "\n--skip leaves such requirements out" };
            return Err(NotImported(format!("{}{advice}", list.join("\n"))));
        }
        let text = self.interface(&kept, &numbers, &left_out).map_err(|why| NotImported(why.0))?;
        Ok(Imported { text, count: kept.len(), left_out })
    }

    /// The formula of a requirement that has to hold in each step.
    fn formula(&self, written: &Written) -> Result<Formula, NoFormula> {
        if written.formula.is_empty() {
            return Err(NoFormula(
                "it has no formula (`ptExpanded`): FRET could not formalise it".to_owned(),
            ));
        }
        // Some versions of FRET set what they put into their templates in bold italics.
        let plain = written.formula.replace("<b><i>", "").replace("</i></b>", "");
        let whole = parse(&plain)?;
        let body = match whole {
            Formula::Past(Past::Historically, None, body) => *body,
            other => other,
        };
        self.without_internals(&body)
    }
    /// What an internal variable stands for; none where it is no internal variable.
    fn assigned(&self, name: &str) -> Result<Option<Formula>, NoFormula> {
        let is_internal = ["Internal", "Mode"].contains(&self.role(name));
        let Some(variable) = self.variables.get(name).filter(|_| is_internal) else { return Ok(None) };
        let parsed = parse_lustre(&variable.assigned).map_err(|why| {
            let begin: String = variable.assigned.chars().take(SHOWN).collect();
            let more = if begin.len() < variable.assigned.len() { "..." } else { "" };
            NoFormula(format!("what the internal variable `{name}` stands for (`{begin}{more}`): {why}"))
        })?;
        Ok(Some(parsed))
    }
    /// Whether what an internal variable stands for reads the variable itself, by way of others or
    /// at once; `is_now`: in the same step.
    fn reads_itself(&self, name: &str, is_now: bool) -> Result<bool, NoFormula> {
        let names = |formula: &Formula| -> Vec<String> {
            let names = if is_now { formula.names_now() } else { formula.names() };
            names.into_iter().map(str::to_owned).collect()
        };
        let mut open: Vec<String> = self.assigned(name)?.as_ref().map(&names).unwrap_or_default();
        let mut seen: Vec<String> = Vec::new();
        while let Some(read) = open.pop() {
            if read == name {
                return Ok(true);
            }
            if !seen.contains(&read) {
                open.extend(self.assigned(&read)?.as_ref().map(&names).unwrap_or_default());
                seen.push(read);
            }
        }
        Ok(false)
    }
    /// The formula with what internal variables stand for in their places, but for those that read
    /// their own values of the step before.
    fn without_internals(&self, formula: &Formula) -> Result<Formula, NoFormula> {
        if let Formula::Name(name) = formula
            && let Some(assigned) = self.assigned(name)?
            && !self.reads_itself(name, false)?
        {
            return self.without_internals(&assigned);
        }
        formula.map(|part| self.without_internals(part))
    }
    /// The internal variables that stand in a formula without others, and the equations that hold of
    /// them in each step.
    fn memories(&self, formula: &Formula) -> Result<Vec<(String, Formula)>, NoFormula> {
        let mut found: Vec<(String, Formula)> = Vec::new();
        let mut open: Vec<String> = formula.names().into_iter().map(str::to_owned).collect();
        while let Some(name) = open.pop() {
            if found.iter().any(|(known, _)| *known == name) {
                continue;
            }
            let Some(assigned) = self.assigned(&name)? else { continue };
            if self.reads_itself(&name, true)? {
                return Err(NoFormula(format!("`{name}` is defined by its own value in the same step")));
            }
            let assigned = self.without_internals(&assigned)?;
            open.extend(assigned.names().into_iter().map(str::to_owned));
            let operator = if self.is_bool(&name) { Operator::Iff } else { Operator::Equal };
            let own = Box::new(Formula::Name(name.clone()));
            found.push((name, Formula::Binary(operator, own, Box::new(assigned))));
        }
        Ok(found)
    }

    /// Why a formula cannot be written yet.
    fn untyped(&self, formula: &Formula, numbers: &Numbers) -> Option<String> {
        for name in formula.names() {
            if !["Input", "Output", "Internal", "Mode"].contains(&self.role(name)) {
                return Some(format!(
                    "is `{name}` an input or an output? (--input {name} or --output {name})"
                ));
            }
            if self.given_type(name).is_none() && self.data(name).is_empty() {
                return Some(format!("the type of `{name}` is not known (--type {name}=TYPE)"));
            }
            let is_open = self.given_type(name).is_none() && !self.is_bool(name);
            if is_open && numbers.ty(name, &|name| self.known(name)).is_none() {
                return Some(format!(
                    "`{name}` is a number that is computed with, or compared with one that is or whose type is given: say which it can be (--type \"{name}=0..100 step 0.5\")"
                ));
            }
        }
        let mut remembering = Remembering::new(String::new(), &|_| Some(String::new()));
        let present = remembering.present(formula).and_then(|present| text(&present, true));
        present.err().map(|why| format!("{why} has no place in an interface"))
    }

    fn interface(
        &self,
        requirements: &[Ready<'_>],
        numbers: &Numbers,
        left_out: &[(String, String)],
    ) -> Result<String, NoFormula> {
        let mut out = format!("# {} requirements of FRET.\n", requirements.len());
        for (id, why) in left_out {
            let _ = writeln!(out, "# left out: {id}: {}", why.replace('\n', " "));
        }
        let _ = writeln!(out, "interface {}", word(&self.component));
        let formulas = requirements.iter().flat_map(Ready::formulas);
        let mut names: Vec<&str> = formulas.flat_map(Formula::names).collect();
        names.sort_unstable();
        names.dedup();
        let memories: BTreeMap<&str, &Formula> =
            requirements.iter().flat_map(|one| &one.memories).map(|(name, body)| (&**name, body)).collect();
        for role in ["Input", "Output"] {
            for name in names.iter().filter(|name| self.role(name) == role) {
                let kind = role.to_lowercase();
                let is_given = self.given_type(name).is_some() || self.is_bool(name);
                let remark = if is_given { "" } else { "   # stand for all numbers: it is only compared" };
                let ty = self.ty(name, numbers).unwrap_or_default();
                let _ = writeln!(out, "{kind} {} : {ty}{remark}", word(name));
            }
        }
        for name in memories.keys() {
            let _ = writeln!(out, "hidden {} : {}", word(name), self.ty(name, numbers).unwrap_or_default());
        }
        let own = memories.iter().map(|(name, body)| {
            let written = self.variables.get(*name).map_or("", |variable| &variable.assigned);
            (*name, format!("{name} = {written}"), *body)
        });
        let wanted =
            requirements.iter().map(|one| (&*one.written.id, one.written.full.clone(), &one.formula));
        for (number, (id, full, formula)) in wanted.chain(own).enumerate() {
            self.requirement((id, &full, formula), number, (&names, numbers), &mut out)?;
        }
        Ok(out)
    }

    fn requirement(
        &self,
        (id, full, formula): (&str, &str, &Formula),
        number: usize,
        (names, numbers): (&[&str], &Numbers),
        out: &mut String,
    ) -> Result<(), NoFormula> {
        let mut prefix = format!("past{}", number + 1);
        while names.iter().any(|name| name.starts_with(&prefix)) {
            prefix.push('_');
        }
        let type_of = |name: &str| self.ty(name, numbers);
        let mut remembering = Remembering::new(prefix, &type_of);
        let present = remembering.present(formula)?;
        for memory in &remembering.memory {
            let _ = writeln!(out, "hidden {} : {}", word(&memory.name), memory.ty);
        }
        let name = spec::print::name_of(id, &spec::language::CONTRACTS);
        let _ = writeln!(out, "req {name} {}", quoted(&full.replace(['\n', '\r'], " ")));
        for memory in &remembering.memory {
            let own = word(&memory.name);
            let _ = writeln!(out, "    initially guarantee {own}' = {}", memory.first);
            let _ = writeln!(out, "    guarantee {own}' = {}", memory.later);
        }
        let contract = match &present {
            // Assumptions speak of inputs.
            Formula::Binary(Operator::Implies, condition, response)
                if condition.names().iter().all(|name| self.role(name) == "Input") =>
            {
                let (condition, response) = (text(condition, true)?, text(response, true)?);
                format!("always assume {condition} guarantee {response}")
            }
            other => format!("always guarantee {}", text(other, true)?),
        };
        let _ = writeln!(out, "    {contract}");
        Ok(())
    }
}
