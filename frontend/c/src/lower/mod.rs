//! From syntax trees to the typed IR.
//!
//! [`Loader`] reads the files of a program, links them into one [`Program`], and then lowers
//! expressions of a configuration in the scope of the file that defines the step function. Lowering
//! makes every conversion explicit, lays out types for the target, and takes effects out of
//! expressions: operands are evaluated left to right, and an operand that was evaluated before an
//! effect keeps its value in a temporary.

mod assignment;
mod atomic;
mod builtin;
mod call;
mod choice;
mod condition;
mod constant;
mod constant_expression;
mod convert;
mod decision;
mod declare;
mod declared_type;
mod designator;
mod expression;
mod extent;
mod frame;
mod goto_loop;
mod initialise;
mod library;
mod link;
mod literal;
mod member;
mod name;
mod parameter;
mod part;
mod passed;
mod record;
mod request;
mod scope;
mod size;
mod spread;
mod statement;
mod types;

use crate::code::Code;
use crate::deep_stack;
use crate::ir::expr::{Expr, ExprKind};
use crate::ir::target::Target;
use crate::ir::{Condition, FunctionId, Program, Unit, UnitId};
use crate::preprocess::line_map::{Preprocessed, strip_markers};
use crate::preprocess::{self, Preprocessor};
use crate::syntax::ast::{Item, Member, Specifiers, TypeSpecifier};
use crate::syntax::{self, Parsed, SyntaxError};
use frontend::diagnostics::{Diagnostic, Diagnostics, Severity};
use frontend::limit::Limit;
use frontend::source::{FileId, SourceMap, Span};
use frontend::{Failure, Kept, TextEdit};
pub use request::load_request;

use frame::{Frame, Lowering, TagBodies};
use link::Linker;
use model::id::IdVec;
use scope::Scope;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The files of a program and how to read them.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// The C files of the model.
    pub sources: Vec<PathBuf>,
    /// Property files. Their own assertions stay even where `NDEBUG` is defined. Where one includes
    /// a C file of the model, it means the objects of the model, not a second copy.
    pub property_files: Vec<PathBuf>,
    /// Include folders, in order.
    pub include: Vec<PathBuf>,
    /// Macro definitions, `NAME` or `NAME=VALUE`.
    pub define: Vec<String>,
    /// The data model.
    pub target: Target,
    /// Whether decisions, comparisons and blocks are noted for coverage.
    pub instruments: bool,
    /// Changes of the C files of the model, behind their preprocessor.
    pub edits: Vec<TextEdit>,
    /// What is kept from one reading to the next.
    pub kept: Kept,
    /// How long reading may take.
    pub limit: Limit,
}

/// An expression of a configuration that is to be lowered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionRequest {
    /// The expression.
    pub text: String,
    /// What it is for, in messages: `goal G7, when`.
    pub origin: String,
    /// The file and line in which it is written, where that is known.
    pub written: Option<(PathBuf, u32)>,
    /// What is expected of it.
    pub kind: ConditionKind,
}

/// What is expected of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionKind {
    /// A scalar value.
    Value,
    /// An object, of any type: it is given as [`ExprKind::Load`] of its place, also where it is an
    /// array.
    Lvalue,
}

/// A program that has been read, with what it takes to lower further expressions.
pub struct Loader {
    linker: Linker,
    units: IdVec<UnitId, UnitState>,
    preprocessor: Option<Preprocessor>,
    input: Input,
}

/// Preprocessed files: path, whether it is a property file, text.
type Texts = Vec<(PathBuf, bool, Preprocessed)>;

/// What is kept of a file.
struct UnitState {
    scope: Scope,
    type_names: BTreeSet<String>,
    tag_bodies: TagBodies,
}

/// Reads a program and lowers expressions in the scope of a function.
///
/// # Errors
/// If a file cannot be read or is no C that is supported. Expressions that fail are `None`
/// in [`Program::conditions`], with their errors in [`Program::warnings`].
pub fn load_program(
    input: Input,
    scope: Option<&str>,
    conditions: &[ConditionRequest],
) -> Result<Program, Failure> {
    let mut loader = Loader::load(input)?;
    let function = scope.and_then(|name| loader.program().function_named(name));
    let (conditions, diagnostics) = loader.lower_conditions(function, conditions);
    let mut program = loader.into_program();
    program.conditions = conditions;
    program.warnings.entries.extend(diagnostics.entries);
    Ok(program)
}

impl Loader {
    /// Reads, preprocesses, parses, lowers and links files.
    ///
    /// # Errors
    /// If a file cannot be read or is no C that is supported; with all errors that were found.
    pub fn load(input: Input) -> Result<Self, Failure> {
        let (linker, preprocessor, texts) = Self::preprocess(&input)?;
        Self::build(linker, Some(preprocessor), input, texts)
    }

    /// The files as they are compiled, with the places of their lines; those of the model come
    /// first.
    ///
    /// # Errors
    /// If a file cannot be read or preprocessed.
    pub(crate) fn texts(input: &Input) -> Result<(SourceMap, Vec<Preprocessed>), Failure> {
        let (linker, _, texts) = Self::preprocess(input)?;
        if linker.diagnostics.has_errors() {
            return Err(failure(linker));
        }
        Ok((linker.program.sources, texts.into_iter().map(|(_, _, text)| text).collect()))
    }

    fn preprocess(input: &Input) -> Result<(Linker, Preprocessor, Texts), Failure> {
        let mut linker = Linker::new(input.target);
        let preprocessor = Preprocessor::new(input.target, input.limit.clone(), input.kept.clone());
        let mut texts = Vec::new();
        for (index, (path, is_property_file)) in files(input).enumerate() {
            if input.limit.is_reached(None, &mut linker.diagnostics) {
                return Err(failure(linker));
            }
            let options =
                preprocess::Options { include: &input.include, define: &input.define, is_property_file };
            let program = &mut linker.program;
            if let Some(text) =
                preprocessor.run(path, &options, &mut program.sources, &mut linker.diagnostics)
            {
                match text.with_edits(input.edits.iter().filter(|edit| edit.file == index)) {
                    Some(text) => texts.push((path.clone(), is_property_file, text)),
                    None => {
                        let message = format!("`{}` has changed: the mutant does not fit it", path.display());
                        linker.diagnostics.error(Code::Syntax, None, message);
                    }
                }
            }
        }
        Ok((linker, preprocessor, texts))
    }

    /// Reads a program from texts that need no preprocessing (line markers are understood): path
    /// and text, in order. For tests and embedding.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_texts(texts: &[(&str, &str)], target: Target) -> Result<Self, Failure> {
        let mut linker = Linker::new(target);
        let mut preprocessed = Vec::new();
        for (path, text) in texts {
            let path = PathBuf::from(path);
            linker.program.sources.add_text(&path, text);
            let text = strip_markers(text, &path, &mut linker.program.sources, |name| PathBuf::from(name));
            preprocessed.push((path, false, text));
        }
        Self::build(linker, None, Input { target, ..Input::default() }, preprocessed)
    }

    fn build(
        mut linker: Linker,
        preprocessor: Option<Preprocessor>,
        input: Input,
        texts: Vec<(PathBuf, bool, Preprocessed)>,
    ) -> Result<Self, Failure> {
        let has_failed = linker.diagnostics.has_errors();
        let limit = input.limit.clone();
        linker.instruments = input.instruments;
        let (mut linker, units) = deep_stack(move || {
            let mut units = IdVec::new();
            for (path, is_property_file, text) in texts {
                if limit.is_reached(None, &mut linker.diagnostics) {
                    break;
                }
                units.push(lower_unit(&mut linker, &path, is_property_file, &text));
            }
            linker.instruments = false;
            if !has_failed {
                linker.link_library(&[]);
                linker.complete_tentative();
                linker.refuse_hidden();
                linker.extend_flexible();
                linker.note_passed_arrays();
            }
            linker.settle_unsupported();
            (linker, units)
        });
        if linker.diagnostics.has_errors() {
            return Err(failure(linker));
        }
        let warnings = std::mem::take(&mut linker.diagnostics);
        linker.program.warnings.entries.extend(warnings.entries);
        let mut loader = Self { linker, units, preprocessor, input };
        loader.publish();
        Ok(loader)
    }

    /// The program as read so far.
    pub fn program(&self) -> &Program {
        &self.linker.program
    }

    /// The program.
    pub fn into_program(self) -> Program {
        self.linker.program
    }

    /// Lowers expressions in the scope of the file that defines a function (`None`: of the first
    /// file); `None` for each one that fails, with its errors in the diagnostics.
    ///
    /// Names are looked up in that file first, then in all others; macros are those of that file.
    /// Beside C they may use `function::x` (a static local), `file.c::x`, `function.parameter`
    /// ([`PlaceBase::Part`](super::ir::stmt::PlaceBase::Part)) and `old(x)`.
    pub fn lower_conditions(
        &mut self,
        function: Option<FunctionId>,
        requests: &[ConditionRequest],
    ) -> (Vec<Option<Condition>>, Diagnostics) {
        if requests.is_empty() || self.units.is_empty() {
            return (vec![None; requests.len()], Diagnostics::default());
        }
        let unit = function
            .map_or_else(|| model::id::Id::new(0), |function| self.program().functions[function].unit);
        let texts = self.expand(unit, requests);
        let conditions = deep_stack(|| {
            let lower = |(request, text)| self.lower_condition(unit, function, request, text);
            let conditions: Vec<Option<Condition>> = requests.iter().zip(texts).map(lower).collect();
            self.linker.link_library(&conditions);
            conditions
        });
        self.publish();
        (conditions, std::mem::take(&mut self.linker.diagnostics))
    }

    /// Replaces the macros in expressions.
    fn expand(&mut self, unit: UnitId, requests: &[ConditionRequest]) -> Vec<(FileId, Option<Preprocessed>)> {
        let program = &mut self.linker.program;
        let expressions: Vec<preprocess::ExpressionText> = requests
            .iter()
            .map(|request| {
                let (text, written) = (&request.text, request.written.clone());
                preprocess::ExpressionText::new(text, &request.origin, written, &mut program.sources)
            })
            .collect();
        let texts = match &self.preprocessor {
            Some(preprocessor) => {
                let Unit { path, is_property_file, .. } = &program.units[unit];
                let options = preprocess::Options {
                    include: &self.input.include,
                    define: &self.input.define,
                    is_property_file: *is_property_file,
                };
                let (sources, diagnostics) = (&mut program.sources, &mut self.linker.diagnostics);
                preprocessor.run_expressions(path, &options, &expressions, sources, diagnostics)
            }
            None => expressions.iter().map(|text| Some(text.unexpanded(&mut program.sources))).collect(),
        };
        expressions.iter().map(|expression| expression.id).zip(texts).collect()
    }

    fn lower_condition(
        &mut self,
        unit: UnitId,
        function: Option<FunctionId>,
        request: &ConditionRequest,
        (file, text): (FileId, Option<Preprocessed>),
    ) -> Option<Condition> {
        if request.text.trim().is_empty() {
            let span = Span { file, line: 1, column: 0 };
            self.linker.diagnostics.error(Code::Syntax, Some(span), "this expression is empty");
            return None;
        }
        let text = text?;
        let type_names = self.units.values().flat_map(|unit| unit.type_names.iter().cloned()).collect();
        let expression = match syntax::parse_expression(&part::masked(&text.text), &type_names) {
            Ok(expression) => expression,
            Err(errors) => {
                for error in errors {
                    let diagnostic = syntax_diagnostic(&error, &text, file);
                    self.linker.diagnostics.push(diagnostic);
                }
                return None;
            }
        };
        let order = std::iter::once(unit).chain(self.units.ids().filter(|other| *other != unit));
        let scopes: Vec<(UnitId, Scope)> = order.map(|unit| (unit, self.units[unit].scope.clone())).collect();
        let mut lowering = Lowering {
            linker: &mut self.linker,
            text: &text,
            file,
            unit,
            tag_bodies: &self.units[unit].tag_bodies,
            scopes: vec![scopes[0].1.clone(), Scope::default()],
            frame: Frame { function, ..Frame::default() },
            out: Vec::new(),
            configuration: Some(&scopes),
        };
        let value = match request.kind {
            ConditionKind::Value if lowering.refuses_effects(&expression) => return None,
            ConditionKind::Value => lowering.condition(&expression),
            ConditionKind::Lvalue => lowering.place(&expression).map(|place| {
                let (ty, span) = (place.ty, place.span);
                Expr { kind: ExprKind::Load(place), ty, span }
            }),
        };
        let value = value.ok()?;
        let locals = std::mem::take(&mut lowering.frame.locals).into_iter().collect();
        Some(Condition { text: request.text.clone(), prelude: lowering.out, locals, value })
    }

    /// Makes the types visible in the program.
    fn publish(&mut self) {
        self.linker.program.types = self.linker.types.table.clone();
    }
}

impl Program {
    /// The function of a name: one with external linkage, else the first with internal linkage.
    pub fn function_named(&self, name: &str) -> Option<FunctionId> {
        let named = self.functions.iter().filter(|(_, function)| function.name == name);
        named.min_by_key(|(_, function)| function.linkage == super::ir::Linkage::Internal).map(|(id, _)| id)
    }
}

fn files(input: &Input) -> impl Iterator<Item = (&PathBuf, bool)> {
    let sources = input.sources.iter().map(|path| (path, false));
    sources.chain(input.property_files.iter().map(|path| (path, true)))
}

fn failure(linker: Linker) -> Failure {
    Failure { diagnostics: linker.diagnostics, sources: linker.program.sources }
}

/// Parses and lowers one file.
fn lower_unit(linker: &mut Linker, path: &Path, is_property_file: bool, text: &Preprocessed) -> UnitState {
    let lines = text.lines.user_lines(&text.text);
    let Parsed { items, errors, type_names, uncalled, labels } =
        syntax::parse_file(&text.text, &text.packing);
    let unit = linker.program.units.push(Unit {
        path: path.to_owned(),
        is_property_file,
        lines,
        text: text.with_packing(&labels),
    });
    let file = linker.program.sources.open(path);
    let errors = errors.iter().filter(|error| !text.lines.is_system(error.position));
    for error in errors.chain(&uncalled) {
        linker.diagnostics.push(syntax_diagnostic(error, text, file));
    }
    for (file, line, pragma) in &text.unsupported {
        let span = Span { file: *file, line: *line, column: 1 };
        let message = format!("`#pragma {pragma}` gives the code another meaning, which is not supported");
        linker.diagnostics.error(Code::UnsupportedAttribute, Some(span), message);
    }
    let tag_bodies = tag_bodies(&items);
    let mut lowering = Lowering {
        linker,
        text,
        file,
        unit,
        tag_bodies: &tag_bodies,
        scopes: vec![Scope::default()],
        frame: Frame::default(),
        out: Vec::new(),
        configuration: None,
    };
    for item in &items {
        // Errors are recorded; the next item may hold more.
        let _ = match item {
            Item::Function(definition) => {
                lowering.file_function(definition);
                Ok(())
            }
            Item::StaticAssert(assertion) => lowering.static_assert(assertion),
            Item::Declaration(declaration) => {
                lowering.file_declaration(declaration);
                Ok(())
            }
            Item::Failed(names) => {
                names.iter().for_each(|name| lowering.fail_name(name));
                Ok(())
            }
        };
    }
    let scope = lowering.scopes.swap_remove(0);
    UnitState { scope, type_names, tag_bodies }
}

fn syntax_diagnostic(error: &SyntaxError, text: &Preprocessed, file: FileId) -> Diagnostic {
    let span = text.lines.span(error.position, &text.text).unwrap_or(Span { file, line: 1, column: 0 });
    let notes = error.advice.iter().map(|advice| (advice.clone(), None)).collect();
    Diagnostic {
        severity: Severity::Error,
        code: error.code.into(),
        message: error.message.clone(),
        span: Some(span),
        notes,
    }
}

/// The texts of all definitions of tags at file scope.
fn tag_bodies(items: &[Item]) -> TagBodies {
    let mut bodies = TagBodies::default();
    for item in items {
        match item {
            Item::Declaration(declaration) => note_tags(&declaration.specifiers, &mut bodies),
            Item::Function(definition) => note_tags(&definition.specifiers, &mut bodies),
            Item::StaticAssert(_) | Item::Failed(_) => {}
        }
    }
    bodies
}

fn note_tags(specifiers: &Specifiers, bodies: &mut TagBodies) {
    let TypeSpecifier::Record(record) = &specifiers.ty else { return };
    let Some(members) = &record.members else { return };
    for member in members {
        if let Member::Fields { specifiers, .. } = member {
            note_tags(specifiers, bodies);
        }
    }
    if let Some(tag) = &record.tag {
        let body = format!("{:?} {}", record.pack, record.body_text);
        bodies.insert((record.is_union, tag.text.clone()), body);
    }
}
