//! The statement structure of a file, as tree-sitter finds it.
//!
//! This is the only module that names tree-sitter. Its grammar knows no typedef names, so its view
//! of expressions and declarations cannot be trusted: `(T)-x` looks like a subtraction. Its view of
//! compound statements does not depend on types; that is what is used here. The parser consumes
//! every token itself and follows this structure, so that a wrong or incomplete tree shows up as an
//! error and never as a different program.

use super::clean::Cleaned;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;
use tree_sitter::{Node, Parser, Point, Tree};

/// A part of a text by the grammar's view of it, which may be wrong about expressions with names of
/// types: good enough to choose places that are changed, as whatever is changed is read anew.
#[derive(Clone, Copy)]
pub(crate) struct Part<'t> {
    node: Node<'t>,
}

impl<'t> Part<'t> {
    /// What it is, in the words of the grammar.
    pub(crate) fn kind(self) -> &'t str {
        self.node.kind()
    }
    /// Its bytes.
    pub(crate) fn range(self) -> Range<usize> {
        self.node.byte_range()
    }
    /// Its parts with names in the grammar, in order.
    pub(crate) fn parts(self) -> Vec<Self> {
        let mut cursor = self.node.walk();
        self.node.named_children(&mut cursor).map(|node| Part { node }).collect()
    }
    /// The part with a role.
    pub(crate) fn field(self, name: &str) -> Option<Self> {
        self.node.child_by_field_name(name).map(|node| Part { node })
    }
}

/// The trees of a file, made where they are asked for.
///
/// Only statements need one, and most of a file are declarations of its headers, on which
/// tree-sitter would spend most of the time of the front end: each function gets a tree of its own
/// text. That of the whole file is what messages about broken text go by.
pub(crate) struct Trees<'t> {
    cleaned: &'t Cleaned,
    text: OnceCell<Cow<'t, str>>,
    whole: OnceCell<Rc<Skeleton>>,
}

/// The tree of a text.
pub(crate) struct Skeleton {
    tree: Tree,
}

/// Statements that contain statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Structure {
    Block,
    If,
    While,
    Do,
    For,
    Switch,
    Case,
    Label,
}

/// A statement that contains statements, by its place in the text.
#[derive(Clone, Copy)]
pub(crate) struct View<'t> {
    node: Node<'t>,
}

impl<'t> Trees<'t> {
    /// No trees yet.
    pub(crate) fn new(cleaned: &'t Cleaned) -> Self {
        Self { cleaned, text: OnceCell::new(), whole: OnceCell::new() }
    }

    /// The tree of the whole file.
    pub(crate) fn whole(&self) -> Rc<Skeleton> {
        let make = || Rc::new(Skeleton::new(self.text(), 0..self.text().len()));
        self.whole.get_or_init(make).clone()
    }

    /// A tree that knows a function definition in a range of bytes: one of its own, or where that
    /// is no C, that of the whole file.
    pub(crate) fn of_function(&self, range: Range<u32>) -> Rc<Skeleton> {
        let skeleton = Skeleton::new(self.text(), range.start as usize..range.end as usize);
        if skeleton.tree.root_node().has_error() { self.whole() } else { Rc::new(skeleton) }
    }

    fn text(&self) -> &str {
        self.text.get_or_init(|| self.cleaned.for_tree())
    }
}

impl Skeleton {
    /// Parses a range of a text, in whose offsets the tree speaks. Never fails: what is not C
    /// becomes error nodes.
    fn new(text: &str, range: Range<usize>) -> Self {
        let mut parser = Parser::new();
        parser
            .set_language(&tree_sitter_c::LANGUAGE.into())
            .expect("grammar and library should have matching versions");
        let range = tree_sitter::Range {
            start_byte: range.start,
            end_byte: range.end,
            start_point: Point::new(0, range.start), // nobody asks for lines
            end_point: Point::new(0, range.end),
        };
        parser.set_included_ranges(&[range]).expect("a single range should be in order");
        let tree = parser.parse(text, None).expect("parsing without a time limit should end with a tree");
        Self { tree }
    }

    /// The whole text.
    pub(crate) fn root(&self) -> Part<'_> {
        Part { node: self.tree.root_node() }
    }

    /// The block whose opening brace stands at a byte offset.
    pub(crate) fn block_at(&self, offset: u32) -> Option<View<'_>> {
        let brace = self.tree.root_node().descendant_for_byte_range(offset as usize, offset as usize + 1)?;
        let view = View { node: brace.parent()? };
        (view.structure() == Some(Structure::Block) && view.start() == offset).then_some(view)
    }

    /// First byte offset at or after `from` where the text is no C, or something is missing.
    pub(crate) fn first_error(&self, from: u32) -> Option<u32> {
        let mut pending = vec![self.tree.root_node()];
        let mut first = None;
        while let Some(node) = pending.pop() {
            if !node.has_error() || node.end_byte() < from as usize {
                continue;
            }
            let start = node.start_byte() as u32;
            if (node.is_error() || node.is_missing()) && start >= from {
                first = Some(first.map_or(start, |first: u32| first.min(start)));
            }
            pending.extend(node.children(&mut node.walk()));
        }
        first
    }

    /// Where the file-scope item that contains an offset ends; a place to go on after an error.
    pub(crate) fn item_end(&self, offset: u32) -> Option<u32> {
        let mut cursor = self.tree.walk();
        let root = self.tree.root_node();
        let mut items = root.children(&mut cursor);
        items
            .find(|node| node.end_byte() > offset as usize && !node.is_error())
            .map(|node| node.end_byte() as u32)
    }
}

impl<'t> View<'t> {
    /// What structure it has; `None`: no statements inside.
    pub(crate) fn structure(self) -> Option<Structure> {
        Some(match self.node.kind() {
            "compound_statement" => Structure::Block,
            "if_statement" => Structure::If,
            "while_statement" => Structure::While,
            "do_statement" => Structure::Do,
            "for_statement" => Structure::For,
            "switch_statement" => Structure::Switch,
            "case_statement" => Structure::Case,
            "labeled_statement" => Structure::Label,
            _ => return None,
        })
    }
    /// Byte offset of its first token.
    pub(crate) fn start(self) -> u32 {
        self.node.start_byte() as u32
    }
    /// Byte offset after its last token.
    pub(crate) fn end(self) -> u32 {
        self.node.end_byte() as u32
    }
    /// Children that contain statements, in order.
    pub(crate) fn structured_children(self) -> Vec<Self> {
        let mut cursor = self.node.walk();
        let children = self.node.named_children(&mut cursor);
        children.map(|node| View { node }).filter(|view| view.structure().is_some()).collect()
    }
    /// The statement governed by `while`, `do`, `for`, `switch`.
    pub(crate) fn body(self) -> Option<Self> {
        self.field("body")
    }
    /// The statement after the condition of `if`.
    pub(crate) fn consequence(self) -> Option<Self> {
        self.field("consequence")
    }
    /// The statement after `else`.
    pub(crate) fn alternative(self) -> Option<Self> {
        let clause = self.field("alternative")?.node;
        let last = u32::try_from(clause.named_child_count()).ok()?.checked_sub(1)?;
        clause.named_child(last).map(|node| View { node })
    }
    /// The statement after a label.
    pub(crate) fn labelled(self) -> Option<Self> {
        let last = u32::try_from(self.node.named_child_count()).ok()?.checked_sub(1)?;
        self.node.named_child(last).map(|node| View { node })
    }

    fn field(self, name: &str) -> Option<Self> {
        self.node.child_by_field_name(name).map(|node| View { node })
    }
}
