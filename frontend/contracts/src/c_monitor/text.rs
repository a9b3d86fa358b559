//! The text of a monitor.

use super::Inexpressible;
use super::expression::{HELPERS, Text, Writer, check_type, helper, number};
use super::hidden::{Hidden, reads_hidden};
use crate::interface::{Contract, Interface, Requirement};
use crate::lower::Equation;
use crate::syntax::Role;
use model::id::Id;
use spec::scope::VariableId;
use spec::types::Type;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Write;

/// What the parts of the observed system are called in C.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// For variables of the interface the C expressions that have their values; variables that are
    /// not named here have the names that they have in the interface.
    pub variables: Vec<(String, String)>,
    /// Files that the monitor includes, with the quotes or brackets of `#include` or without.
    pub includes: Vec<String>,
}

/// A monitor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CMonitor {
    /// The file.
    pub text: String,
    /// The function that is to be called after each step.
    pub function: String,
    /// Requirements and purposes by the flags that the function sets.
    pub goals: Vec<MonitorGoal>,
    /// Conditions in C on the inputs of a step and on what the monitor remembers: the inputs may
    /// occur.
    pub assumptions: Vec<String>,
    /// Requirements whose equations give hidden values. The monitor takes these as given, so that
    /// such a requirement is broken only by what else it says, and by values outside their types.
    pub given: Vec<String>,
}

/// A requirement or purpose as a goal of a model that calls the monitor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MonitorGoal {
    /// Its name.
    pub name: String,
    /// The requirement, where it is one.
    pub requirement: Option<String>,
    /// What it says, in words.
    pub text: Option<String>,
    /// Truth in C after the step: it was triggered, or shown.
    pub after: String,
    /// Truth in C after the step: it is kept.
    pub expect: Option<String>,
}

/// The monitor of an interface. What it says in a step is what [`crate::monitor`] says, as far as
/// no requirement was broken before.
///
/// # Errors
/// There are values for which it has no C type, or hidden values that are neither few nor
/// determined; see the text of this module.
pub fn monitor(interface: &Interface, names: &Names) -> Result<CMonitor, Inexpressible> {
    let maker = Maker::new(interface, names)?;
    let function = format!("{}_monitor", maker.prefix);
    let body = maker.body(&function)?;
    let mut text = maker.head(&function);
    for name in HELPERS.iter().filter(|name| maker.used.borrow().contains(*name)) {
        text += &helper(name, &maker.prefix);
    }
    text += &body;
    let given: Vec<String> = maker.given().map(|requirement| requirement.name.clone()).collect();
    Ok(CMonitor { text, function, goals: maker.goals(), assumptions: maker.assumptions()?, given })
}

struct Maker<'i> {
    interface: &'i Interface,
    names: &'i Names,
    prefix: String,
    /// Names of variables, requirements and purposes that C accepts, each once.
    variables: Vec<String>,
    requirements: Vec<String>,
    purposes: Vec<String>,
    /// Variables whose values the next step reads.
    remembered: Vec<VariableId>,
    hidden: Hidden<'i>,
    used: RefCell<BTreeSet<&'static str>>,
}

/// Names that C accepts, each once.
fn plain<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for name in names {
        let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
        let mut own: String = name.chars().map(letter).collect();
        while found.contains(&own) {
            own.push('_');
        }
        found.push(own);
    }
    found
}

impl<'i> Maker<'i> {
    fn new(interface: &'i Interface, names: &'i Names) -> Result<Self, Inexpressible> {
        let all = || interface.roles.ids();
        let scope = &interface.scope;
        for id in all() {
            let variable = scope.variable(id);
            check_type(&variable.ty)
                .map_err(|Inexpressible(what)| Inexpressible::new(format!("{}: {what}", variable.name)))?;
        }
        let exprs = interface.requirements.iter().flat_map(|requirement| {
            let contracts = requirement.initial.iter().chain(&requirement.update);
            contracts.flat_map(|contract| contract.assumption.iter().chain([&contract.guarantee]))
        });
        let purposes = interface.purposes.iter().map(|purpose| &purpose.body);
        let environment = interface.environment.iter().map(|restriction| &restriction.condition);
        let reads: Vec<_> = exprs.chain(purposes).chain(environment).flat_map(|expr| expr.reads()).collect();
        let is_remembered = |id: &VariableId| reads.iter().any(|read| read.variable == *id && !read.primed);
        let mut prefix = plain([interface.name.as_str()].into_iter()).remove(0);
        if prefix.is_empty() || prefix.starts_with(|first: char| first.is_ascii_digit()) {
            prefix.insert(0, '_');
        }
        Ok(Self {
            interface,
            names,
            prefix,
            variables: plain(all().map(|id| scope.variable(id).name.as_str())),
            requirements: plain(interface.requirements.iter().map(|requirement| requirement.name.as_str())),
            purposes: plain(interface.purposes.iter().map(|purpose| purpose.name.as_str())),
            remembered: all().filter(is_remembered).collect(),
            hidden: Hidden::new(interface)?,
            used: RefCell::default(),
        })
        .and_then(Self::checked)
    }
    /// Inputs that depend on a belief may occur for some hidden values and not for others.
    fn checked(self) -> Result<Self, Inexpressible> {
        let mut conditions = self.interface.environment.iter().map(|restriction| &restriction.condition);
        match conditions.any(|condition| condition.reads().iter().any(|read| self.is_believed(read.variable)))
        {
            true => Err(Inexpressible::new("inputs that may occur or not, depending on hidden values,")),
            false => Ok(self),
        }
    }

    fn ty(&self, id: VariableId) -> &Type {
        &self.interface.scope.variable(id).ty
    }
    fn plain(&self, id: VariableId) -> &str {
        &self.variables[id.index()]
    }
    /// The C expression in which the value of an observed variable is found.
    fn seen(&self, id: VariableId) -> &str {
        let name = &self.interface.scope.variable(id).name;
        let named = self.names.variables.iter().find(|(known, _)| known == name);
        named.map_or(self.plain(id), |(_, expression)| expression)
    }
    fn flag(&self, what: &str, of: &str) -> String {
        format!("{}_{what}_{of}", self.prefix)
    }
    fn was(&self, id: VariableId) -> String {
        format!("{}_was_{}", self.prefix, self.plain(id))
    }
    /// Whether the variable is one of a belief.
    fn is_believed(&self, id: VariableId) -> bool {
        matches!(self.hidden, Hidden::Belief(_)) && self.interface.roles[id] == Role::Hidden
    }
    fn variable(&self, id: VariableId, primed: bool) -> String {
        match (self.is_believed(id), primed) {
            (true, true) => format!("{}_value_{}[n]", self.prefix, self.plain(id)),
            (true, false) => format!("{}_value_{}[h]", self.prefix, self.plain(id)),
            (false, true) => format!("now_{}", self.plain(id)),
            (false, false) => self.was(id),
        }
    }
    fn write<T>(&self, work: impl FnOnce(&Writer<'_>) -> T) -> T {
        let variable = |id: VariableId, primed: bool| self.variable(id, primed);
        work(&Writer { variable: &variable, prefix: &self.prefix, used: &self.used })
    }
    fn condition(&self, expr: &spec::typed::Expr) -> Text {
        self.write(|writer| writer.condition(expr))
    }
    fn triggered(&self, contract: &Contract) -> Text {
        contract.assumption.as_ref().map_or_else(|| Ok("1".to_owned()), |assumed| self.condition(assumed))
    }
    fn broken(&self, contract: &Contract) -> Text {
        let guarantee = self.condition(&contract.guarantee)?;
        Ok(match self.triggered(contract)?.as_str() {
            "1" => format!("!{guarantee}"),
            assumed => format!("({assumed} && !{guarantee})"),
        })
    }

    // ---- what stands in the file ----

    fn head(&self, function: &str) -> String {
        let Self { interface, prefix, .. } = self;
        let mut text = format!(
            "/* Monitor of the requirement interface {}, written by chaincover emit.\n * Call {function}() after each \
             step of the system: it looks at inputs and outputs, and sets flags.\n * Behind a broken requirement \
             nothing is judged any more: all flags are 0. */\n",
            interface.name.replace("*/", "* /")
        );
        for include in &self.names.includes {
            let _ = match include.starts_with(['<', '"']) {
                true => writeln!(text, "#include {include}"),
                false => writeln!(text, "#include \"{include}\""),
            };
        }
        let given: Vec<&str> = self.given().map(|requirement| requirement.name.as_str()).collect();
        if !given.is_empty() {
            let names = given.join(", ").replace("*/", "* /");
            let _ = writeln!(
                text,
                "\n/* Taken as given are the equations for hidden values in {names}: of these requirements only what else \
                 they say is judged,\n * and whether the values are those of their types. */"
            );
        }
        text += "\n/* Of the last step: requirements that were triggered, and those that are broken. */\n";
        for name in &self.requirements {
            let (met, broken) = (self.flag("met", name), self.flag("broken", name));
            let _ = writeln!(text, "unsigned char {met}, {broken};");
        }
        for name in &self.purposes {
            let _ = writeln!(text, "unsigned char {};", self.flag("shown", name));
        }
        let _ = writeln!(text, "/* An output is no value of its type. */\nunsigned char {prefix}_outside;");
        if matches!(self.hidden, Hidden::Determined(_)) {
            let _ = writeln!(
                text,
                "/* No requirement says which value a hidden variable has: nothing is judged any more. */\n\
                 unsigned char {prefix}_unknown;"
            );
        }
        let _ = writeln!(text, "\nstatic unsigned char {prefix}_started, {prefix}_ended;");
        for &id in self.remembered.iter().filter(|id| !self.is_believed(**id)) {
            let _ = writeln!(text, "static {} {};", storage(self.ty(id)), self.was(id));
        }
        if let Hidden::Belief(columns) = &self.hidden {
            let count = columns.first().map_or(0, |(_, column)| column.len());
            let _ = writeln!(
                text,
                "/* Which combinations of hidden values fit what was observed. */\n\
                 static unsigned char {prefix}_fits[{count}];"
            );
            for (id, column) in columns {
                let values: Vec<String> = column.iter().map(|&value| number(value)).collect();
                let (name, values) = (self.plain(*id), values.join(", "));
                let _ =
                    writeln!(text, "static const long long {prefix}_value_{name}[{count}] = {{{values}}};");
            }
        }
        text + "\n"
    }

    fn body(&self, function: &str) -> Text {
        let prefix = &self.prefix;
        let mut text = format!("void {function}(void)\n{{\n");
        for id in self.interface.observable() {
            let (name, seen) = (self.plain(id), self.seen(id));
            let _ = match self.ty(id) {
                Type::Bool => writeln!(text, "    const int now_{name} = ({seen}) != 0;"),
                _ => writeln!(text, "    const long long now_{name} = ({seen});"),
            };
        }
        for flag in self.flags() {
            let _ = writeln!(text, "    {flag} = 0;");
        }
        let _ = writeln!(text, "    if ({prefix}_ended) {{\n        return;\n    }}");
        let mut occurs = self.in_types(Role::Input);
        for restriction in &self.interface.environment {
            let condition = self.condition(&restriction.condition)?;
            occurs.push(match restriction.needs_before {
                true => format!("(!{prefix}_started || {condition})"),
                false => condition,
            });
        }
        if !occurs.is_empty() {
            let _ = writeln!(
                text,
                "    if (!({})) {{ /* inputs that do not occur */\n        {prefix}_ended = 1;\n        return;\n    }}",
                occurs.join(" && ")
            );
        }
        let inside = self.in_types(Role::Output);
        if !inside.is_empty() {
            let _ = writeln!(
                text,
                "    if (!({})) {{\n        {prefix}_outside = 1;\n        {prefix}_ended = 1;\n        return;\n    }}",
                inside.join(" && ")
            );
        }
        text += &match &self.hidden {
            Hidden::None => self.plainly(&[])?,
            Hidden::Determined(equations) => self.plainly(equations)?,
            Hidden::Belief(columns) => self.believing(columns)?,
        };
        self.end(&mut text)?;
        Ok(text + "}\n")
    }

    fn flags(&self) -> Vec<String> {
        let mut flags = Vec::new();
        for name in &self.requirements {
            flags.extend([self.flag("met", name), self.flag("broken", name)]);
        }
        flags.extend(self.purposes.iter().map(|name| self.flag("shown", name)));
        flags.push(format!("{}_outside", self.prefix));
        if matches!(self.hidden, Hidden::Determined(_)) {
            flags.push(format!("{}_unknown", self.prefix));
        }
        flags
    }

    /// Conditions under which what is observed of variables are values of their types.
    fn in_types(&self, role: Role) -> Vec<String> {
        let mut found = Vec::new();
        for id in self.interface.variables(role) {
            let (name, seen) = (self.plain(id), self.seen(id));
            match self.ty(id) {
                Type::Bool => {}
                ty => {
                    // Fractions and numbers beyond the sign bit are no values of any type.
                    found.push(format!("({seen}) == now_{name} && (({seen}) < 0) == (now_{name} < 0)"));
                    found.extend(domain(ty, &format!("now_{name}")));
                }
            }
        }
        found
    }

    /// The contracts of a step where at most one hidden value is possible for each variable.
    fn plainly(&self, equations: &[(VariableId, [Vec<Equation<'i>>; 2])]) -> Text {
        let mut text = String::new();
        for (id, _) in equations {
            let _ = writeln!(text, "    long long now_{};", self.plain(*id));
        }
        for is_first in [true, false] {
            text += &match is_first {
                true => format!("    if (!{}_started) {{\n", self.prefix),
                false => "    } else {\n".to_owned(),
            };
            for (id, equations) in equations {
                self.determine(*id, &equations[usize::from(!is_first)], &mut text)?;
            }
            for (requirement, name) in self.interface.requirements.iter().zip(&self.requirements) {
                let (met, broken) = (self.flag("met", name), self.flag("broken", name));
                for contract in requirement.contracts(is_first) {
                    let (triggered, is_broken) = (self.triggered(contract)?, self.broken(contract)?);
                    let _ = writeln!(text, "        {met} |= {triggered};\n        {broken} |= {is_broken};");
                }
            }
        }
        Ok(text + "    }\n")
    }

    /// The value of a hidden variable by the first equation that is required.
    fn determine(
        &self,
        id: VariableId,
        equations: &[Equation<'i>],
        text: &mut String,
    ) -> Result<(), Inexpressible> {
        let name = self.plain(id);
        let mut word = "if";
        for equation in equations {
            let triggered = self.triggered(equation.contract)?;
            let value = match equation.value {
                None => u8::from(equation.is_positive).to_string(),
                Some(value) => {
                    let (defined, value) = self.write(|writer| {
                        Ok::<_, Inexpressible>((writer.expr(&value.defined())?, writer.expr(value)?))
                    })?;
                    if defined == "1" { value } else { format!("({defined} ? {value} : 0)") }
                }
            };
            let _ = writeln!(text, "        {word} ({triggered}) {{\n            now_{name} = {value};");
            let domain = domain(self.ty(id), &format!("now_{name}"));
            if let (Some(domain), Some(owner)) = (domain, self.owner(equation.contract)) {
                let broken = self.flag("broken", owner);
                let _ = writeln!(
                    text,
                    "            if (!({domain})) {{\n                {broken} = 1;\n                {}_ended = 1;\n                \
                     return;\n            }}",
                    self.prefix
                );
            }
            text.push_str("        }");
            word = " else if";
        }
        let _ = writeln!(
            text,
            " else {{\n            {0}_unknown = 1;\n            {0}_ended = 1;\n            return;\n        }}",
            self.prefix
        );
        Ok(())
    }
    /// The requirements whose equations give hidden values.
    fn given(&self) -> impl Iterator<Item = &'i Requirement> {
        let equations = match &self.hidden {
            Hidden::Determined(equations) => &equations[..],
            Hidden::None | Hidden::Belief(_) => &[],
        };
        let all = equations.iter().flat_map(|(_, of_moments)| of_moments.iter().flatten());
        let contracts: Vec<*const Contract> =
            all.map(|equation| std::ptr::from_ref(equation.contract)).collect();
        self.interface.requirements.iter().filter(move |requirement| {
            let mut own = requirement.initial.iter().chain(&requirement.update);
            own.any(|contract| contracts.contains(&std::ptr::from_ref(contract)))
        })
    }
    /// The requirement that a contract belongs to.
    fn owner(&self, contract: &Contract) -> Option<&str> {
        let owns = |requirement: &Requirement| {
            let mut all = requirement.initial.iter().chain(&requirement.update);
            all.any(|own| std::ptr::eq(own, contract))
        };
        let at = self.interface.requirements.iter().position(owns)?;
        Some(&self.requirements[at])
    }

    /// The contracts of a step for all hidden values that fit. A requirement is triggered if it is
    /// whatever they are, and broken if leaving it out would explain what is observed; where no
    /// single one does, all are that some values break.
    fn believing(&self, columns: &[(VariableId, Vec<i128>)]) -> Text {
        let count = columns.first().map_or(0, |(_, column)| column.len());
        let prefix = &self.prefix;
        let mask = if self.requirements.len() <= 16 { "unsigned int" } else { "unsigned long long" };
        let mut text = format!(
            "    unsigned char next[{count}] = {{0}}, is_allowed = 0;\n    {mask} seen = 0, alone = 0, all = 0, some;\n    \
             int h, n;\n"
        );
        for is_first in [true, false] {
            text += &match is_first {
                true => format!("    if (!{prefix}_started) {{\n"),
                false => "    } else {\n".to_owned(),
            };
            self.seen_contracts(is_first, &mut text)?;
            let pad = if is_first { "        " } else { "                " };
            if !is_first {
                let _ = writeln!(
                    text,
                    "        for (h = 0; h < {count}; h++) {{\n            if ({prefix}_fits[h]) {{"
                );
                self.triggers_of_belief(&mut text)?;
            }
            let _ = writeln!(text, "{pad}for (n = 0; n < {count}; n++) {{\n{pad}    some = seen;");
            for (index, requirement) in self.interface.requirements.iter().enumerate() {
                for contract in requirement.contracts(is_first) {
                    if reads_hidden(self.interface, contract) {
                        let _ = writeln!(
                            text,
                            "{pad}    if ({}) {{\n{pad}        some |= {};\n{pad}    }}",
                            self.broken(contract)?,
                            bit(index)
                        );
                    }
                }
            }
            let _ = writeln!(
                text,
                "{pad}    if (some == 0) {{\n{pad}        next[n] = 1;\n{pad}        is_allowed = 1;\n{pad}    }} else if ((some & (some - 1)) == 0) {{\n\
                 {pad}        alone |= some;\n{pad}    }}\n{pad}    all |= some;\n{pad}}}"
            );
            if !is_first {
                text += "            }\n        }\n";
            }
        }
        let _ = writeln!(
            text,
            "    }}\n    for (n = 0; n < {count}; n++) {{\n        {prefix}_fits[n] = next[n];\n    }}\n    \
             if (!is_allowed) {{\n        some = alone ? alone : all;"
        );
        for (index, name) in self.requirements.iter().enumerate() {
            let _ = writeln!(text, "        {} = (some & {}) != 0;", self.flag("broken", name), bit(index));
        }
        Ok(text + "    }\n")
    }
    /// Contracts that do not depend on hidden values.
    fn seen_contracts(&self, is_first: bool, text: &mut String) -> Result<(), Inexpressible> {
        for (index, (requirement, name)) in
            self.interface.requirements.iter().zip(&self.requirements).enumerate()
        {
            for contract in requirement.contracts(is_first) {
                if !reads_hidden(self.interface, contract) {
                    let (is_broken, bit) = (self.broken(contract)?, bit(index));
                    let _ =
                        writeln!(text, "        if ({is_broken}) {{\n            seen |= {bit};\n        }}");
                }
            }
            let depends = self.is_triggered_by_belief(requirement);
            if is_first || !depends {
                for contract in requirement.contracts(is_first) {
                    let triggered = self.triggered(contract)?;
                    let _ = writeln!(text, "        {} |= {triggered};", self.flag("met", name));
                }
            } else {
                let _ = writeln!(text, "        {} = 1;", self.flag("met", name));
            }
        }
        Ok(())
    }
    fn is_triggered_by_belief(&self, requirement: &Requirement) -> bool {
        let assumed = requirement.update.iter().filter_map(|contract| contract.assumption.as_ref());
        assumed.flat_map(|assumption| assumption.reads()).any(|read| self.is_believed(read.variable))
    }
    fn triggers_of_belief(&self, text: &mut String) -> Result<(), Inexpressible> {
        for (requirement, name) in self.interface.requirements.iter().zip(&self.requirements) {
            if self.is_triggered_by_belief(requirement) {
                let all = requirement.update.iter().map(|contract| self.triggered(contract));
                let all = all.collect::<Result<Vec<_>, _>>()?.join(" || ");
                let _ = writeln!(text, "                {} &= ({all});", self.flag("met", name));
            }
        }
        Ok(())
    }

    /// What is shown, and what the next step remembers.
    fn end(&self, text: &mut String) -> Result<(), Inexpressible> {
        let prefix = &self.prefix;
        let broken: Vec<String> = self.requirements.iter().map(|name| self.flag("broken", name)).collect();
        if !broken.is_empty() {
            let broken = broken.join(" || ");
            let _ =
                writeln!(text, "    if ({broken}) {{\n        {prefix}_ended = 1;\n        return;\n    }}");
        }
        for (purpose, name) in self.interface.purposes.iter().zip(&self.purposes) {
            let shown = self.condition(&purpose.body)?;
            let shown = match purpose.needs_before {
                true => format!("{prefix}_started && {shown}"),
                false => shown,
            };
            let _ = writeln!(text, "    {} = {shown};", self.flag("shown", name));
        }
        for &id in self.remembered.iter().filter(|id| !self.is_believed(**id)) {
            let ty = storage(self.ty(id));
            let _ = writeln!(text, "    {} = ({ty})now_{};", self.was(id), self.plain(id));
        }
        let _ = writeln!(text, "    {prefix}_started = 1;");
        Ok(())
    }

    // ---- what a model that calls it is asked ----

    fn goals(&self) -> Vec<MonitorGoal> {
        let mut goals = Vec::new();
        for (requirement, name) in self.interface.requirements.iter().zip(&self.requirements) {
            let (met, broken) = (self.flag("met", name), self.flag("broken", name));
            let is_given = self.given().any(|given| std::ptr::eq(given, requirement));
            let given = is_given.then_some("[its equations for hidden values are taken as given]");
            let text: Vec<&str> = requirement.text.as_deref().into_iter().chain(given).collect();
            goals.push(MonitorGoal {
                name: requirement.name.clone(),
                requirement: Some(requirement.name.clone()),
                text: (!text.is_empty()).then(|| text.join(" ")),
                after: format!("{met} || {broken}"),
                expect: Some(format!("!{broken}")),
            });
        }
        for (purpose, name) in self.interface.purposes.iter().zip(&self.purposes) {
            goals.push(MonitorGoal {
                name: purpose.name.clone(),
                requirement: None,
                text: purpose.text.clone(),
                after: self.flag("shown", name),
                expect: None,
            });
        }
        let prefix = &self.prefix;
        let mut always = |what: &str, text: &str| {
            goals.push(MonitorGoal {
                name: format!("{}.{what}", self.interface.name),
                requirement: None,
                text: Some(text.to_owned()),
                after: "1".to_owned(),
                expect: Some(format!("!{prefix}_{what}")),
            });
        };
        if !self.in_types(Role::Output).is_empty() {
            always("outside", "Outputs are values of their types.");
        }
        if matches!(self.hidden, Hidden::Determined(_)) {
            always("unknown", "Requirements say which values hidden variables have.");
        }
        goals
    }

    /// Conditions that need no function of the monitor.
    fn assumptions(&self) -> Result<Vec<String>, Inexpressible> {
        let used = RefCell::default();
        let variable = |id: VariableId, primed: bool| match (primed, self.ty(id)) {
            (true, Type::Bool) => format!("(({}) != 0)", self.seen(id)),
            (true, _) => format!("({})", self.seen(id)),
            (false, _) => self.was(id),
        };
        let writer = Writer { variable: &variable, prefix: &self.prefix, used: &used };
        let inputs = self.interface.variables(Role::Input);
        let domains = inputs.filter_map(|id| domain(self.ty(id), &format!("({})", self.seen(id))));
        let mut found: Vec<String> = domains.collect();
        for restriction in &self.interface.environment {
            let condition = writer.condition(&restriction.condition)?;
            if used.borrow().is_empty() {
                found.push(match restriction.needs_before {
                    true => format!("!{}_started || {condition}", self.prefix),
                    false => condition,
                });
            }
            used.borrow_mut().clear();
        }
        Ok(found)
    }
}

fn bit(index: usize) -> String {
    if index < 16 { format!("{}u", 1_u64 << index) } else { format!("{}ull", 1_u64 << index) }
}

/// Whether a number is a value of a type; none where all of them are.
fn domain(ty: &Type, value: &str) -> Option<String> {
    let between = |lo: i128, hi: i128| format!("{value} >= {} && {value} <= {}", number(lo), number(hi));
    match ty {
        Type::Set(set) => {
            let one = |&units: &i128| format!("{value} == {}", number(units));
            Some(format!("({})", set.units().iter().map(one).collect::<Vec<_>>().join(" || ")))
        }
        Type::Enum(enumeration) => Some(between(0, enumeration.names.len() as i128 - 1)),
        _ => ty.range().map(|range| between(range.lo(), range.hi())),
    }
}

/// A C type that holds the values of a type on every target.
fn storage(ty: &Type) -> &'static str {
    let (lo, hi) = match ty {
        Type::Enum(enumeration) => (0, enumeration.names.len() as i128 - 1),
        ty => ty.range().map_or((0, 1), |range| (range.lo(), range.hi())),
    };
    let fits = |least: i128, greatest: i128| lo >= least && hi <= greatest;
    if fits(0, 255) {
        "unsigned char"
    } else if fits(-128, 127) {
        "signed char"
    } else if fits(-32768, 32767) {
        "short"
    } else if fits(0, 65535) {
        "unsigned short"
    } else if fits(-(1 << 31), (1 << 31) - 1) {
        "long"
    } else {
        "long long"
    }
}
