//! What modelDescription.xml says of an FMU.

use crate::xml::{Element, Wrong};
use std::collections::BTreeMap;

/// A version of the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    Two,
    Three,
}

impl Version {
    /// What names of its functions and types begin with.
    pub(crate) const fn prefix(self) -> &'static str {
        match self {
            Self::Two => "fmi2",
            Self::Three => "fmi3",
        }
    }
    /// Its name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Two => "FMI 2.0",
            Self::Three => "FMI 3.0",
        }
    }
}

/// An FMU that is stepped from outside.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Description {
    pub(crate) version: Version,
    /// What the sources must be told so that they know that they are meant.
    pub(crate) token: String,
    /// The name from which names of functions may be made; a word of C.
    pub(crate) identifier: String,
    /// The C files, as FMI 2.0 lists them here.
    pub(crate) files: Vec<String>,
    /// When an experiment starts, in seconds.
    pub(crate) start: f64,
    /// How long a communication step takes, in seconds.
    pub(crate) step: Option<f64>,
    pub(crate) variables: Vec<Variable>,
}

/// What a variable is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Causality {
    Input,
    Output,
    /// Set before initialisation.
    Parameter,
    /// Something else that has a value: local variables, calculated parameters.
    Other,
    /// Time.
    Independent,
}

/// A type of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Float64,
    Float32,
    Int8,
    UInt8,
    Int16,
    UInt16,
    Int32,
    UInt32,
    Int64,
    UInt64,
    Boolean,
    Enumeration,
    String,
    Binary,
    Clock,
}

/// Types: element of FMI 2.0, if there is one, element of FMI 3.0.
const KINDS: [(Kind, Option<&str>, &str); 15] = [
    (Kind::Float64, Some("Real"), "Float64"),
    (Kind::Float32, None, "Float32"),
    (Kind::Int8, None, "Int8"),
    (Kind::UInt8, None, "UInt8"),
    (Kind::Int16, None, "Int16"),
    (Kind::UInt16, None, "UInt16"),
    (Kind::Int32, Some("Integer"), "Int32"),
    (Kind::UInt32, None, "UInt32"),
    (Kind::Int64, None, "Int64"),
    (Kind::UInt64, None, "UInt64"),
    (Kind::Boolean, Some("Boolean"), "Boolean"),
    (Kind::Enumeration, Some("Enumeration"), "Enumeration"),
    (Kind::String, Some("String"), "String"),
    (Kind::Binary, None, "Binary"),
    (Kind::Clock, None, "Clock"),
];

impl Kind {
    fn of(version: Version, element: &str) -> Option<Self> {
        let found = KINDS.iter().find(|(_, two, three)| match version {
            Version::Two => *two == Some(element),
            Version::Three => *three == element,
        });
        found.map(|(kind, ..)| *kind)
    }
    /// Its name in a version.
    pub(crate) fn name(self, version: Version) -> &'static str {
        let found = KINDS.iter().find(|(kind, ..)| *kind == self);
        let (_, two, three) = found.expect("every type should be in the table");
        if version == Version::Two { two.unwrap_or(three) } else { three }
    }
    /// The type in the names of functions that get and set its values; `None`: it is no number.
    pub(crate) fn access(self, version: Version) -> Option<&'static str> {
        match (self, version) {
            (Self::String | Self::Binary | Self::Clock, _) => None,
            (Self::Enumeration, Version::Two) => Some("Integer"),
            (Self::Enumeration, Version::Three) => Some("Int64"),
            _ => Some(self.name(version)),
        }
    }
    /// The type in C.
    pub(crate) fn c_type(self, version: Version) -> &'static str {
        match self {
            Self::Float64 => "double",
            Self::Float32 => "float",
            Self::Int8 => "signed char",
            Self::UInt8 => "unsigned char",
            Self::Int16 => "short",
            Self::UInt16 => "unsigned short",
            Self::UInt32 => "unsigned int",
            Self::UInt64 => "unsigned long",
            Self::Boolean => "_Bool",
            Self::Enumeration if version == Version::Three => "long",
            Self::Int64 => "long",
            _ => "int",
        }
    }
    /// The least and the greatest number of the type; `None`: it is no integer.
    pub(crate) fn extremes(self) -> Option<(i128, i128)> {
        let (bits, is_signed) = match self {
            Self::Int8 => (8, true),
            Self::UInt8 => (8, false),
            Self::Int16 => (16, true),
            Self::UInt16 => (16, false),
            Self::Int32 => (32, true),
            Self::UInt32 => (32, false),
            Self::Int64 => (64, true),
            Self::UInt64 => (64, false),
            _ => return None,
        };
        Some(if is_signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) })
    }
    pub(crate) fn is_float(self) -> bool {
        matches!(self, Self::Float32 | Self::Float64)
    }
}

/// A variable.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Variable {
    pub(crate) name: String,
    /// By which functions know it.
    pub(crate) reference: u32,
    /// Where it stands in the file.
    pub(crate) line: u32,
    pub(crate) causality: Causality,
    pub(crate) kind: Kind,
    pub(crate) is_array: bool,
    /// The value at the start, as it is written.
    pub(crate) start: Option<String>,
    /// Least and greatest value, as they are written.
    pub(crate) limits: [Option<String>; 2],
    pub(crate) unit: Option<String>,
    pub(crate) text: Option<String>,
    /// Values of an enumeration and their names.
    pub(crate) items: Vec<(i64, String)>,
}

/// Why there is no description: what is wrong, and whether the standard is to blame or what this
/// front end supports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Wrong(Wrong),
    Version(Wrong),
    NoCoSimulation(Wrong),
    UnknownType(Wrong),
}

impl From<Wrong> for Refusal {
    fn from(wrong: Wrong) -> Self {
        Self::Wrong(wrong)
    }
}

/// Reads a description.
///
/// # Errors
/// It is none of an FMU that can be stepped, or something in it makes no sense.
pub(crate) fn read(root: &Element) -> Result<Description, Refusal> {
    if root.name != "fmiModelDescription" {
        let message = format!("<{}> is no <fmiModelDescription>", root.name);
        return Err(Wrong::at(root.line, message).into());
    }
    let version = version(root)?;
    let Some(interface) = root.child("CoSimulation") else {
        let message = "the FMU has no <CoSimulation>: it has no solver that a step could call";
        return Err(Refusal::NoCoSimulation(Wrong::at(root.line, message)));
    };
    let token = root.need(if version == Version::Two { "guid" } else { "instantiationToken" })?;
    let identifier = interface.need("modelIdentifier")?;
    if crate::names::word(identifier) != identifier {
        let message = format!("the modelIdentifier `{identifier}` is no name in C");
        return Err(Wrong::at(interface.line, message).into());
    }
    let files = interface.child("SourceFiles").map(|list| list.all("File").map(|file| file.need("name")));
    let files = files.map(Iterator::collect::<Result<Vec<_>, _>>).transpose()?.unwrap_or_default();
    let experiment = root.child("DefaultExperiment");
    let number = |name| experiment.map(|found| finite(found, name)).transpose().map(Option::flatten);
    Ok(Description {
        version,
        token: token.to_owned(),
        identifier: identifier.to_owned(),
        files: files.into_iter().map(str::to_owned).collect(),
        start: number("startTime")?.unwrap_or(0.0),
        step: number("stepSize")?.filter(|&step| step > 0.0),
        variables: variables(root, version)?,
    })
}

fn version(root: &Element) -> Result<Version, Refusal> {
    match root.need("fmiVersion")? {
        "2.0" => Ok(Version::Two),
        version if version.starts_with("3.") => Ok(Version::Three),
        other => {
            let message = format!("the FMU is of FMI {other}; FMI 2.0 and 3.0 are supported");
            Err(Refusal::Version(Wrong::at(root.line, message)))
        }
    }
}

fn finite(element: &Element, name: &str) -> Result<Option<f64>, Wrong> {
    match element.number::<f64>(name)? {
        Some(number) if !number.is_finite() => {
            Err(Wrong::at(element.line, format!("{name} is no finite number")))
        }
        number => Ok(number),
    }
}

/// What types that are declared once say of all variables of theirs.
type Declared<'e> = BTreeMap<&'e str, &'e Element>;

fn variables(root: &Element, version: Version) -> Result<Vec<Variable>, Refusal> {
    let types = root.child("TypeDefinitions").map_or(&[][..], |types| &types.children);
    let declared: Declared<'_> =
        types.iter().filter_map(|declared| Some((declared.get("name")?, declared))).collect();
    let list = root.child("ModelVariables");
    let list = list.ok_or_else(|| Wrong::at(root.line, "there are no <ModelVariables>"))?;
    list.children.iter().map(|element| variable(element, version, &declared)).collect()
}

fn variable(element: &Element, version: Version, declared: &Declared<'_>) -> Result<Variable, Refusal> {
    const ABOUT: [&str; 2] = ["Annotations", "Annotation"];
    let name = element.need("name")?;
    // FMI 2.0 has the type in an element of its own.
    let typed = match version {
        Version::Two => element.children.iter().find(|child| !ABOUT.contains(&child.name.as_str())),
        Version::Three => Some(element),
    };
    let typed = typed.ok_or_else(|| Wrong::at(element.line, format!("the variable {name} has no type")))?;
    let Some(kind) = Kind::of(version, &typed.name) else {
        let message =
            format!("the variable {name} is of type {}, which {} does not know", typed.name, version.name());
        return Err(Refusal::UnknownType(Wrong::at(typed.line, message)));
    };
    let ty = typed.get("declaredType").and_then(|name| declared.get(name)).copied();
    // FMI 2.0 says of declared types in an element of theirs, too.
    let ty = match version {
        Version::Two => ty.and_then(|ty| ty.child(&typed.name)),
        Version::Three => ty,
    };
    let said = |name: &str| typed.get(name).or_else(|| ty?.get(name)).map(str::to_owned);
    let reference = element.number("valueReference")?;
    Ok(Variable {
        reference: reference
            .ok_or_else(|| Wrong::at(element.line, format!("the variable {name} has no valueReference")))?,
        line: element.line,
        causality: causality(element)?,
        kind,
        is_array: element.child("Dimension").is_some(),
        start: typed.get("start").map(str::to_owned),
        limits: [said("min"), said("max")],
        unit: said("unit").filter(|unit| !unit.is_empty() && unit != "1"),
        text: element.get("description").filter(|text| !text.is_empty()).map(str::to_owned),
        items: ty.filter(|_| kind == Kind::Enumeration).map_or_else(|| Ok(Vec::new()), items)?,
        name: name.to_owned(),
    })
}

fn causality(element: &Element) -> Result<Causality, Wrong> {
    Ok(match element.get("causality").unwrap_or("local") {
        "input" => Causality::Input,
        "output" => Causality::Output,
        "parameter" | "structuralParameter" => Causality::Parameter,
        "local" | "calculatedParameter" | "dependent" => Causality::Other,
        "independent" => Causality::Independent,
        other => return Err(Wrong::at(element.line, format!("there is no causality `{other}`"))),
    })
}

fn items(ty: &Element) -> Result<Vec<(i64, String)>, Wrong> {
    let item = |item: &Element| {
        let value = item.number("value")?;
        let value = value.ok_or_else(|| Wrong::at(item.line, "an <Item> has no value"))?;
        Ok((value, item.need("name")?.to_owned()))
    };
    ty.all("Item").map(item).collect()
}
