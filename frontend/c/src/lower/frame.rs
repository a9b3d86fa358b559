//! The state of lowering within one file and one function.

use super::decision::Found;
use super::link::Linker;
use super::scope::{Entity, Scope, Tag};
use super::types::Types;
use crate::code::Code;
use crate::ir::expr::{Expr, ExprKind};
use crate::ir::stmt::{Block, Place, PlaceBase, Projection, Stmt, StmtKind, SwitchEntry};
use crate::ir::types::{IntegerKind, TypeId};
use crate::ir::{FunctionId, Local, LocalId, UnitId};
use crate::preprocess::line_map::Preprocessed;
use crate::syntax::ast::Position;
use frontend::source::{FileId, Span};
use model::id::Id;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The error has been recorded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reported;

pub(super) type Lower<T> = Result<T, Reported>;

/// Texts of the definitions of tags at file scope: (is union, tag) -> tokens.
pub(super) type TagBodies = FxHashMap<(bool, String), String>;

/// Lowers the items of one file, or the expressions of a configuration in its scope.
pub(super) struct Lowering<'a> {
    pub(super) linker: &'a mut Linker,
    /// The text that positions speak of.
    pub(super) text: &'a Preprocessed,
    /// A file for the rare place that no line is known for.
    pub(super) file: FileId,
    pub(super) unit: UnitId,
    pub(super) tag_bodies: &'a TagBodies,
    /// File scope first, innermost block last.
    pub(super) scopes: Vec<Scope>,
    pub(super) frame: Frame,
    /// Statements of the block that is being lowered.
    pub(super) out: Block,
    /// For expressions of a configuration: file scopes of all units, the one of the step function
    /// first.
    pub(super) configuration: Option<&'a [(UnitId, Scope)]>,
}

/// What belongs to one function.
#[derive(Default)]
pub(super) struct Frame {
    pub(super) function: Option<FunctionId>,
    pub(super) locals: Vec<Local>,
    /// Values of `const` variables that are initialised with a constant.
    pub(super) constants: BTreeMap<LocalId, i128>,
    pub(super) temporaries: u32,
    /// Result type; `None` outside of functions.
    pub(super) result: Option<TypeId>,
    pub(super) switches: Vec<SwitchFrame>,
    pub(super) loops: u32,
    pub(super) block_depth: usize,
    pub(super) labels: BTreeMap<String, Position>,
    pub(super) gotos: Vec<(String, Position)>,
    /// What coverage looks at.
    pub(super) found: Found,
}

/// A `switch` whose body is being lowered.
pub(super) struct SwitchFrame {
    pub(super) kind: IntegerKind,
    pub(super) entries: Vec<SwitchEntry>,
    /// Labels inside of inner statements: their values and the label they became.
    pub(super) nested: Vec<(SwitchEntry, String)>,
    /// How deep its body stands; labels deeper than that are nested.
    pub(super) depth: usize,
}

impl<'a> Lowering<'a> {
    // ---- errors ----

    pub(super) fn span(&self, position: Position) -> Span {
        let unknown = Span { file: self.file, line: 1, column: 0 };
        self.text.lines.span(position, &self.text.text).unwrap_or(unknown)
    }

    pub(super) fn error(&mut self, position: Position, code: Code, message: impl Into<String>) -> Reported {
        let span = self.span(position);
        self.linker.diagnostics.error(code, Some(span), message);
        Reported
    }

    pub(super) fn error_with(
        &mut self,
        position: Position,
        code: Code,
        message: impl Into<String>,
        advice: impl Into<String>,
    ) -> Reported {
        let span = self.span(position);
        self.linker.diagnostics.error(code, Some(span), message).advice(advice);
        Reported
    }

    // ---- names ----

    pub(super) fn lookup(&self, name: &str) -> Option<&Entity> {
        self.scopes.iter().rev().find_map(|scope| scope.names.get(name))
    }
    pub(super) fn lookup_tag(&self, tag: &str) -> Option<Tag> {
        self.scopes.iter().rev().find_map(|scope| scope.tags.get(tag)).copied()
    }
    pub(super) fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("there should always be a scope")
    }
    pub(super) fn declare(&mut self, name: &str, entity: Entity) {
        self.scope().names.insert(name.to_owned(), entity);
    }
    pub(super) fn is_file_scope(&self) -> bool {
        self.scopes.len() == 1
    }
    pub(super) fn scoped<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(Scope::default());
        let result = lower(self);
        self.scopes.pop();
        result
    }

    // ---- types ----

    pub(super) fn types(&mut self) -> &mut Types {
        &mut self.linker.types
    }

    // ---- statements ----

    pub(super) fn emit(&mut self, kind: StmtKind, position: Position) {
        let span = self.span(position);
        self.out.push(Stmt { kind, span });
    }

    /// Emits a call, at a place that no other call of the file has: goals and assertions are told
    /// apart by it. Calls of one macro are some columns apart.
    pub(super) fn emit_call(&mut self, kind: StmtKind, position: Position) {
        let mut span = self.span(position);
        while *self.linker.calls.entry((self.unit, span)).or_insert(position) != position {
            span.column += 1;
        }
        self.out.push(Stmt { kind, span });
    }

    /// Lowers something into a block of its own.
    pub(super) fn in_block<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> (T, Block) {
        let outer = std::mem::take(&mut self.out);
        self.frame.block_depth += 1;
        let result = lower(self);
        self.frame.block_depth -= 1;
        (result, std::mem::replace(&mut self.out, outer))
    }

    /// Lowers something only to learn its type; no statement, temporary or error of it remains.
    pub(super) fn in_vain<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> T {
        let locals = self.frame.locals.len();
        let temporaries = self.frame.temporaries;
        let (result, _) = self.in_block(lower);
        self.frame.locals.truncate(locals);
        self.frame.constants.retain(|local, _| local.index() < locals);
        self.frame.temporaries = temporaries;
        result
    }

    // ---- temporaries ----

    pub(super) fn new_local(&mut self, name: String, ty: TypeId, span: Span) -> LocalId {
        let id = LocalId::new(self.frame.locals.len());
        self.frame.locals.push(Local {
            name,
            ty,
            array: None,
            passed: None,
            is_read_only: false,
            points_to_volatile: false,
            span,
        });
        id
    }

    pub(super) fn local_type(&self, local: LocalId) -> TypeId {
        self.frame.locals[local.index()].ty
    }

    /// A new temporary as a place.
    pub(super) fn temporary(&mut self, ty: TypeId, span: Span) -> Place {
        self.frame.temporaries += 1;
        let local = self.new_local(format!("%{}", self.frame.temporaries), ty, span);
        Place { base: PlaceBase::Local(local), path: Vec::new(), ty, span }
    }

    /// Stores a value in a new temporary, at an index of the current block, and returns the load of
    /// it.
    pub(super) fn save_at(&mut self, index: usize, value: Expr) -> Expr {
        let value = match self.promoted_bit_field(&value) {
            // A temporary is no bit-field, so it could not be promoted like one later.
            Some(promoted) => {
                let ty = self.types().integer(promoted);
                self.convert(value, ty)
            }
            None => value,
        };
        let (ty, span) = (value.ty, value.span);
        let place = self.temporary(ty, span);
        self.note_saved(&place, &value);
        self.out.insert(index, Stmt { kind: StmtKind::Assign(place.clone(), value), span });
        Expr { kind: ExprKind::Load(place), ty, span }
    }

    /// If statements were added since `mark`, an expression lowered before them is saved where it
    /// stood, so that it keeps its value.
    pub(super) fn protect(&mut self, mark: usize, value: &mut Expr) {
        if self.out.len() > mark && self.reads_memory(value) {
            let taken = std::mem::replace(value, placeholder(value));
            *value = self.save_at(mark, taken);
        }
    }

    /// The same for the parts of a place: indices and pointers.
    pub(super) fn protect_place(&mut self, mark: usize, place: &mut Place) {
        if self.out.len() == mark {
            return;
        }
        if let PlaceBase::Deref(pointer) = &mut place.base {
            self.protect(mark, pointer);
        }
        for projection in &mut place.path {
            if let Projection::Index { index, .. } = projection {
                self.protect(mark, index);
            }
        }
    }

    /// Whether the value of an expression may change when memory does. Temporaries are written once
    /// before they are read.
    fn reads_memory(&self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Integer(_)
            | ExprKind::Float(_)
            | ExprKind::String(_)
            | ExprKind::Zero
            | ExprKind::Function(_) => false,
            ExprKind::Load(place) => !self.is_temporary(place) || self.place_reads_memory(place),
            ExprKind::Old(_) => true,
            ExprKind::AddressOf(place) => self.place_reads_memory(place),
            ExprKind::Unary(_, operand) | ExprKind::Convert(operand) | ExprKind::Probe(_, operand) => {
                self.reads_memory(operand)
            }
            ExprKind::Binary(_, left, right) | ExprKind::And(left, right) | ExprKind::Or(left, right) => {
                self.reads_memory(left) || self.reads_memory(right)
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                self.reads_memory(condition) || self.reads_memory(then) || self.reads_memory(otherwise)
            }
        }
    }

    fn place_reads_memory(&self, place: &Place) -> bool {
        let base = matches!(&place.base, PlaceBase::Deref(pointer) if self.reads_memory(pointer));
        let reads_index = |projection: &Projection| matches!(projection, Projection::Index { index, .. } if self.reads_memory(index));
        base || place.path.iter().any(reads_index)
    }

    pub(super) fn is_temporary(&self, place: &Place) -> bool {
        let PlaceBase::Local(local) = place.base else { return false };
        let name = &self.frame.locals[local.index()].name;
        name.strip_prefix('%').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
    }
}

/// An expression to stand in while the real one is moved.
fn placeholder(value: &Expr) -> Expr {
    Expr { kind: ExprKind::Integer(0), ty: value.ty, span: value.span }
}
