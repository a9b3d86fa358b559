//! The typed intermediate representation of C programs.
//!
//! Expressions are pure: they read memory but change nothing and call nothing. Everything with an
//! effect is a statement: calls, assignments, increments and the short-circuit operators around
//! them have been taken out into statements over temporaries, in an order that C permits (operands
//! left to right). All conversions are explicit: the operands of a binary operator have equal
//! types, a condition is a truth test of a scalar. Types carry their layout for the chosen target,
//! so that everything behind this module can think in objects and byte offsets.

pub mod coverage;
pub mod expr;
pub mod print;
pub mod stmt;
pub mod target;
pub mod types;
pub(crate) mod written;

use expr::Expr;
use frontend::diagnostics::{Diagnostic, Diagnostics};
use frontend::source::{FileKind, SourceMap, Span};
use model::define_id;
use model::id::IdVec;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use stmt::{Block, FunctionPart, PartKind};
use target::Target;
use types::{TypeId, TypeTable};

define_id!(
    /// A translation unit.
    UnitId, "u"
);
define_id!(
    /// An object of static storage duration.
    GlobalId, "G"
);
define_id!(
    /// A function.
    FunctionId, "F"
);
define_id!(
    /// A parameter, local variable or temporary of a function.
    LocalId, "L"
);

/// All translation units of a model, linked.
#[derive(Clone, Debug)]
pub struct Program {
    /// The data model.
    pub target: Target,
    /// The files the spans speak of.
    pub sources: SourceMap,
    /// Units in the order the files were given.
    pub units: IdVec<UnitId, Unit>,
    /// All types.
    pub types: TypeTable,
    /// All objects of static storage duration, static locals included. Declarations of one object
    /// with external linkage in several units are one entry.
    pub globals: IdVec<GlobalId, Global>,
    /// All functions, linked likewise.
    pub functions: IdVec<FunctionId, Function>,
    /// Expressions that the configuration asked for, in the order of the request; `None` where
    /// lowering it failed (diagnosed).
    pub conditions: Vec<Option<Condition>>,
    /// What is not supported in the bodies of functions. It matters only where one of them
    /// is executed.
    pub unsupported: BTreeMap<FunctionId, Vec<Diagnostic>>,
    /// Places that coverage looks at.
    pub instruments: coverage::Instruments,
    /// Enumerators, as they may be used in reports: type id of the enum is in
    /// [`types::Type::Enum`].
    pub warnings: Diagnostics,
}

impl Program {
    /// Gives files other paths, and says what they are there; those for which there is none keep
    /// theirs.
    pub fn rename_files(&mut self, shown: impl Fn(&Path) -> Option<(PathBuf, FileKind)>) {
        self.sources.rename(&shown);
        for unit in self.units.values_mut() {
            if let Some((path, _)) = shown(&unit.path) {
                unit.path = path;
            }
        }
    }
}

/// One C file and what it included.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The file.
    pub path: PathBuf,
    /// Whether it was given as a property file (`--goals`): the native replay must not need it.
    pub is_property_file: bool,
    /// Lines of the user's files after preprocessing that are not blank.
    pub lines: usize,
    /// The text after preprocessing, as a compiler takes it: with `#pragma pack`, without line
    /// markers.
    pub text: String,
}

impl Unit {
    /// The name of the file without its folder.
    pub(crate) fn file_name(&self) -> String {
        let name = self.path.file_name();
        name.map_or_else(|| self.path.display().to_string(), |name| name.to_string_lossy().into_owned())
    }
}

/// Who can see a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Linkage {
    /// All units.
    External,
    /// Its unit (`static` at file scope) or its function (static local).
    Internal,
}

/// An object of static storage duration.
#[derive(Clone, Debug)]
pub struct Global {
    /// The name in the source.
    pub name: String,
    /// The unit that defines it, or first declares it.
    pub unit: UnitId,
    /// Who can see it.
    pub linkage: Linkage,
    /// For a static local: its function.
    pub function: Option<FunctionId>,
    /// Its type (complete unless it is an undefined extern).
    pub ty: TypeId,
    /// Declared `const`.
    pub is_const: bool,
    /// Declared `volatile`.
    pub is_volatile: bool,
    /// Whether some unit defines it (a tentative definition counts). An undefined one is an input.
    pub is_defined: bool,
    /// Whether an explicit initialiser was written (even of zeros).
    pub is_initialised: bool,
    /// Explicit initial values; all other bytes are zero.
    pub initialiser: Vec<InitialValue>,
    /// Where it is declared.
    pub span: Span,
}

/// The initial value of one scalar of an object: a constant expression (numbers, addresses of
/// objects and functions).
#[derive(Clone, Debug)]
pub struct InitialValue {
    /// Byte offset in the object.
    pub offset: u64,
    /// For a bit-field: its bits within the storage that starts at `offset`.
    pub bits: Option<types::BitField>,
    /// The value, converted to the scalar's type.
    pub value: Expr,
}

/// A function, defined or only declared.
#[derive(Clone, Debug)]
pub struct Function {
    /// The name in the source.
    pub name: String,
    /// The unit that defines it, or first declares it.
    pub unit: UnitId,
    /// Who can see it.
    pub linkage: Linkage,
    /// Result type; void where there is none.
    pub result: TypeId,
    /// The parameters, in order; they are the first entries of `locals`. For a declaration without
    /// names they are named `#1`, `#2`, ...
    pub parameters: Vec<LocalId>,
    /// Whether it takes further arguments (`...`).
    pub is_variadic: bool,
    /// Whether some call uses its result.
    pub is_result_used: bool,
    /// Whether its body is that of the C library: no file of the program defines it.
    pub is_library: bool,
    /// Whether some file calls it without a declaration.
    pub is_assumed: bool,
    /// Parameters, local variables and temporaries. Each call has its own.
    pub locals: IdVec<LocalId, Local>,
    /// The body; `None`: no unit defines it.
    pub body: Option<Block>,
    /// Where it is declared.
    pub span: Span,
}

/// An object of automatic storage duration. It is indeterminate when its block is entered until it
/// is written.
#[derive(Clone, Debug)]
pub struct Local {
    /// The name in the source; temporaries are named `%1`, `%2`, ... and have no
    /// [`stmt::StmtKind::Declare`]: they are written before they are read wherever they are used.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// For a parameter that is a pointer because it was declared as an array of known length: the
    /// array type, of which the caller promises an object.
    pub array: Option<TypeId>,
    /// For a pointer parameter of a function without a body that is not declared as an array: the
    /// type of the longest array that is passed for it.
    pub passed: Option<TypeId>,
    /// For a parameter that is a pointer: what it points to is `const`, so that the function does
    /// not write there.
    pub is_read_only: bool,
    /// For a parameter that is a pointer: what it points to is `volatile`.
    pub points_to_volatile: bool,
    /// Where it is declared.
    pub span: Span,
}

/// A condition or value of the configuration, lowered in the scope of the file that defines the
/// step function.
///
/// It may use [`expr::ExprKind::Old`] and [`stmt::PlaceBase::Part`] beside what ordinary code can.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The text as the user wrote it.
    pub text: String,
    /// Statements to be run first: effects (calls) taken out of the expression; mostly empty.
    pub prelude: Block,
    /// Temporaries of the prelude.
    pub locals: IdVec<LocalId, Local>,
    /// The value: a scalar, or an lvalue read as [`expr::ExprKind::Load`] for `inputs`-like
    /// requests.
    pub value: Expr,
}

impl Program {
    /// The type of a part of a function; `None` where there is no such part. Types are looked up in
    /// the given table.
    pub(crate) fn part_type(&self, types: &TypeTable, part: FunctionPart) -> Option<TypeId> {
        let function = &self.functions[part.function];
        let parameter = |index: usize| Some(function.locals[*function.parameters.get(index)?].ty);
        match part.kind {
            PartKind::Parameter(index) => parameter(index),
            PartKind::Written(index) => {
                let array = function.locals[*function.parameters.get(index)?].pointed_array();
                array.or(match types.types[parameter(index)?] {
                    types::Type::Pointer(to) => Some(to),
                    _ => None,
                })
            }
            PartKind::Result => Some(function.result),
            PartKind::Called => types.boolean(),
        }
    }

    /// The name of a part of a function.
    pub(crate) fn part_name(&self, part: FunctionPart) -> String {
        let function = &self.functions[part.function];
        let name = match part.kind {
            PartKind::Parameter(index) | PartKind::Written(index) => {
                parameter_name(&function.locals[function.parameters[index]].name, index)
            }
            PartKind::Result => RESULT.to_owned(),
            PartKind::Called => CALLED.to_owned(),
        };
        format!("{}.{name}", function.name)
    }
}

impl Local {
    /// The array that a parameter is taken to point to, which is declared as one or passed one.
    pub(crate) fn pointed_array(&self) -> Option<TypeId> {
        self.array.or(self.passed)
    }
}

/// Whether only a compiler can define a function of this name: what a file declares under it comes
/// from nowhere else.
pub(crate) fn is_compilers_name(name: &str) -> bool {
    ["__builtin_", "__sync_", "__atomic_"].iter().any(|prefix| name.starts_with(prefix))
}

impl Function {
    /// Whether it is a function of GNU compilers or of the C library that was lowered from its
    /// meaning: no file holds its text.
    pub(crate) fn is_builtin(&self) -> bool {
        self.is_library || is_compilers_name(&self.name)
    }

    /// Whether a file of the program defines it.
    pub(crate) fn is_defined(&self) -> bool {
        self.body.is_some() && !self.is_builtin()
    }
}

/// Name under which a configuration asks whether a step called a function that no file defines:
/// `function.called`.
pub const CALLED: &str = "called";

/// Name under which a configuration speaks of what a function returns: `function.return`.
pub const RESULT: &str = "return";

/// What a configuration calls a parameter: its name, else its position from 1.
pub fn parameter_name(name: &str, index: usize) -> String {
    if name.starts_with('#') { format!("arg{}", index + 1) } else { name.to_owned() }
}
