//! Printing statements.

use super::{Print, Printer, identifier, literal, store_text, value_type};
use crate::ir::expr::{Expr, ExprKind};
use crate::ir::stmt::{Block, Stmt, StmtKind, SwitchEntry};
use crate::ir::types::{BitField, TypeId};
use frontend::source::Span;

impl Printer<'_> {
    pub(super) fn block(&mut self, block: &Block) -> Print<()> {
        block.iter().try_for_each(|stmt| self.statement(stmt))
    }

    fn label(&mut self) -> usize {
        self.labels += 1;
        self.labels
    }

    fn statement(&mut self, stmt: &Stmt) -> Print<()> {
        match &stmt.kind {
            StmtKind::DeclareSet(_) => {}
            StmtKind::Declare(local) => {
                let declaration =
                    &self.program.functions[self.function.expect("statements should stand in functions")];
                let size = self.size(declaration.locals[*local].ty);
                let place = self.local_address(*local);
                self.line(&format!("fill({place}, 0, {size});"));
            }
            StmtKind::Assign(place, value) => {
                let (address, bits) = self.place(place)?;
                self.assign(&address, place.ty, bits, value)?;
            }
            StmtKind::Call { result, callee, arguments } => self.call(result.as_ref(), callee, arguments)?,
            StmtKind::If { condition, then, otherwise } => {
                let condition = self.truth(condition)?;
                self.line(&format!("if ({condition}) {{"));
                self.nested(then)?;
                self.line("} else {");
                self.nested(otherwise)?;
                self.line("}");
            }
            StmtKind::Loop { body, continuing } => self.repeat(body, continuing, stmt.span)?,
            StmtKind::Switch { value, entries, body } => self.switch(value, entries, body)?,
            StmtKind::Break => {
                let (label, _) = self.scopes.last().expect("`break` should stand in a loop or switch");
                self.line(&format!("goto behind_{label};"));
            }
            StmtKind::Continue => {
                let next = self.scopes.iter().rev().find_map(|(_, next)| *next);
                self.line(&format!("goto next_{};", next.expect("`continue` should stand in a loop")));
            }
            StmtKind::Return(value) => self.return_value(value.as_ref())?,
            StmtKind::Block(block) => {
                self.line("{");
                self.nested(block)?;
                self.line("}");
            }
            StmtKind::Reach(_) => {}
            StmtKind::Label(name) => self.line(&format!("user_{}: ;", identifier(name))),
            StmtKind::Goto(name) => self.line(&format!("goto user_{};", identifier(name))),
        }
        Ok(())
    }

    fn nested(&mut self, block: &Block) -> Print<()> {
        self.depth += 1;
        let result = self.block(block);
        self.depth -= 1;
        result
    }

    fn repeat(&mut self, body: &Block, continuing: &Block, span: Span) -> Print<()> {
        let (behind, next) = (self.label(), self.label());
        self.line("for (;;) {");
        if self.hook.is_some_and(|hook| Some(hook.function) == self.function && hook.span == span) {
            self.line("    before_step();");
        }
        self.scopes.push((behind, Some(next)));
        self.nested(body)?;
        self.line(&format!("next_{next}: ;"));
        self.nested(continuing)?;
        self.scopes.pop();
        self.line("}");
        self.line(&format!("behind_{behind}: ;"));
        Ok(())
    }

    pub(super) fn switch(&mut self, value: &Expr, entries: &[SwitchEntry], body: &Block) -> Print<()> {
        let behind = self.label();
        let kind = value_type(self.scalar(value.ty));
        let text = self.value(value)?;
        self.line("{");
        self.depth += 1;
        self.line(&format!("const {kind} chosen = {text};"));
        for (index, entry) in entries.iter().enumerate() {
            for &(low, high) in &entry.values {
                let (low, high) = (literal(low, self.scalar(value.ty)), literal(high, self.scalar(value.ty)));
                self.line(&format!("if (chosen >= {low} && chosen <= {high}) goto case_{behind}_{index};"));
            }
        }
        match entries.iter().position(|entry| entry.is_default) {
            Some(index) => self.line(&format!("goto case_{behind}_{index};")),
            None => self.line(&format!("goto behind_{behind};")),
        }
        self.depth -= 1;
        self.line("}");
        self.scopes.push((behind, None));
        for (position, stmt) in body.iter().enumerate() {
            for (index, _) in entries.iter().enumerate().filter(|(_, entry)| entry.start == position) {
                self.line(&format!("case_{behind}_{index}: ;"));
            }
            self.statement(stmt)?;
        }
        for (index, _) in entries.iter().enumerate().filter(|(_, entry)| entry.start >= body.len()) {
            self.line(&format!("case_{behind}_{index}: ;"));
        }
        self.scopes.pop();
        self.line(&format!("behind_{behind}: ;"));
        Ok(())
    }

    fn return_value(&mut self, value: Option<&Expr>) -> Print<()> {
        let Some(value) = value else {
            self.leave();
            let function = self.function.map(|function| &self.program.functions[function]);
            let has_result = function.is_some_and(|function| self.passed_type(function.result) != "void");
            self.line(if has_result { "return 0;" } else { "return;" });
            return Ok(());
        };
        if self.is_aggregate(value.ty) {
            // The caller copies the record before anything else can reuse the frame.
            let address = self.aggregate(value)?;
            self.line(&format!("{{ const uint64_t result = {address};"));
            self.leave();
            self.line("return result; }");
        } else {
            let kind = value_type(self.scalar(value.ty));
            let text = self.value(value)?;
            self.line(&format!("{{ const {kind} result = {text};"));
            self.leave();
            self.line("return result; }");
        }
        Ok(())
    }

    fn assign(&mut self, address: &str, ty: TypeId, bits: Option<BitField>, value: &Expr) -> Print<()> {
        let size = self.size(ty);
        if !self.is_aggregate(ty) {
            let text = self.value(value)?;
            let store = self.store_text(address, 0, ty, bits, &text);
            self.line(&store);
        } else if matches!(value.kind, ExprKind::Zero) {
            self.line(&format!("fill({address}, 0, {size});"));
        } else {
            let source = self.aggregate(value)?;
            self.line(&format!("copy({address}, {source}, {size});"));
        }
        Ok(())
    }

    /// The address of a record-valued expression.
    pub(super) fn aggregate(&mut self, value: &Expr) -> Print<String> {
        match &value.kind {
            ExprKind::Load(place) => Ok(self.place(place)?.0),
            ExprKind::Conditional(condition, then, otherwise) => {
                let condition = self.truth(condition)?;
                let (then, otherwise) = (self.aggregate(then)?, self.aggregate(otherwise)?);
                Ok(format!("({condition} ? {then} : {otherwise})"))
            }
            ExprKind::Convert(inner) | ExprKind::Probe(_, inner) => self.aggregate(inner),
            _ => Ok("ZEROS".to_owned()),
        }
    }

    pub(super) fn store_text(
        &self,
        address: &str,
        low: u64,
        ty: TypeId,
        bits: Option<BitField>,
        value: &str,
    ) -> String {
        let scalar = self.layouts.scalar(ty, bits).expect("a scalar should be stored here");
        let low = low + bits.map_or(0, |bits| u64::from(bits.low));
        store_text(address, low, scalar, value)
    }
}
