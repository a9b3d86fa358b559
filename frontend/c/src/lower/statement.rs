//! Statements.

use super::constant;
use super::decision::ends_block;
use super::expression::Operand;
use super::frame::{Lower, Lowering, SwitchFrame};
use crate::code::Code;
use crate::ir::expr::{Expr, ExprKind};
use crate::ir::stmt::{Block, Stmt, StmtKind, SwitchEntry};
use crate::syntax::ast::{Expression, Position, Statement, StatementKind as Kind, Storage};

impl Lowering<'_> {
    /// All statements of a block. After an error lowering goes on with the next one.
    pub(super) fn statements(&mut self, statements: &[Statement]) -> Lower<()> {
        let mut result = Ok(());
        let mut is_block_open = false;
        for statement in statements {
            if !is_block_open && is_executed(statement) {
                self.mark_block(statement);
                is_block_open = true;
            }
            result = self.statement(statement).and(result);
            is_block_open &= !ends_block(statement);
        }
        result
    }

    fn statement(&mut self, statement: &Statement) -> Lower<()> {
        let position = statement.position;
        match &statement.kind {
            Kind::Empty => Ok(()),
            Kind::Expression(expression) => self.effect(expression),
            Kind::Declaration(declaration) => self.local_declaration(declaration),
            Kind::StaticAssert(assertion) => self.static_assert(assertion),
            Kind::Block(statements) => {
                let (result, block) = self.in_block(|this| this.scoped(|this| this.statements(statements)));
                self.emit(StmtKind::Block(block), position);
                result
            }
            Kind::If { arms, otherwise } => self.if_chain(arms, otherwise.as_deref()),
            Kind::While { condition, body } => self.while_loop(condition, body, position),
            Kind::DoWhile { body, condition } => self.do_loop(body, condition, position),
            Kind::For { initial, condition, step, body } => {
                let (result, block) = self.in_block(|this| {
                    this.scoped(|this| {
                        this.for_loop(initial.as_deref(), condition.as_ref(), step.as_ref(), body, position)
                    })
                });
                self.emit(StmtKind::Block(block), position);
                result
            }
            Kind::Switch { value, body } => self.switch(value, body, position),
            Kind::Case { low, high } => self.case(low, high.as_ref(), position),
            Kind::Default => self.switch_label(None, position),
            Kind::Label(name) => self.label(name, position),
            Kind::Goto(name) => {
                self.frame.gotos.push((name.clone(), position));
                self.emit(StmtKind::Goto(name.clone()), position);
                Ok(())
            }
            Kind::Break => {
                if self.frame.loops == 0 && self.frame.switches.is_empty() {
                    return Err(self.error(position, Code::Syntax, "`break` outside of a loop or `switch`"));
                }
                self.emit(StmtKind::Break, position);
                Ok(())
            }
            Kind::Continue => {
                if self.frame.loops == 0 {
                    return Err(self.error(position, Code::Syntax, "`continue` outside of a loop"));
                }
                self.emit(StmtKind::Continue, position);
                Ok(())
            }
            Kind::Return(value) => self.return_statement(value.as_ref(), position),
        }
    }

    /// A statement in a block of its own.
    fn governed(&mut self, statement: &Statement) -> (Lower<()>, Block) {
        self.in_block(|this| {
            this.scoped(|this| match &statement.kind {
                Kind::Block(statements) => this.statements(statements),
                _ => this.statements(std::slice::from_ref(statement)),
            })
        })
    }

    // ---- branches ----

    /// `if` and all its `else if`; the chain is built from its end, so that its length does not
    /// nest calls.
    fn if_chain(&mut self, arms: &[(Expression, Statement)], otherwise: Option<&Statement>) -> Lower<()> {
        let mut result = Ok(());
        let mut lowered = Vec::with_capacity(arms.len());
        for (condition, then) in arms {
            let (value, before) = self.in_block(|this| this.controlling(condition));
            let (then_result, then) = self.governed(then);
            result = result.and(then_result);
            match value {
                Ok(value) => lowered.push((before, value, then, condition.position)),
                Err(reported) => result = Err(reported),
            }
        }
        let mut rest = Vec::new();
        if let Some(otherwise) = otherwise {
            let (otherwise_result, block) = self.governed(otherwise);
            result = result.and(otherwise_result);
            rest = block;
        }
        for (before, condition, then, position) in lowered.into_iter().rev() {
            let mut block = before;
            let kind = StmtKind::If { condition, then, otherwise: rest };
            block.push(Stmt { kind, span: self.span(position) });
            rest = block;
        }
        self.out.extend(rest);
        result
    }

    fn switch(&mut self, value: &Expression, body: &Statement, position: Position) -> Lower<()> {
        let controlling = value;
        let value = self.value(value)?;
        let value = self.promote(value);
        let Some(kind) = self.types().kind(value.ty) else {
            return Err(self.error(position, Code::TypeMismatch, "`switch` needs an integer"));
        };
        let value = self.switched(value, controlling);
        let depth = self.frame.block_depth + 1;
        self.frame.switches.push(SwitchFrame { kind, entries: Vec::new(), nested: Vec::new(), depth });
        let (result, inner) = self.governed(body);
        let frame = self.frame.switches.pop().expect("the switch should still be open");
        let (mut entries, mut body) = (Vec::new(), Vec::new());
        let span = self.span(position);
        // What leads into inner statements stands in front: from there all jumps go forward.
        for (entry, label) in frame.nested {
            entries.push(SwitchEntry { start: body.len(), ..entry });
            body.push(Stmt { kind: StmtKind::Goto(label), span });
        }
        let moved = body.len();
        entries.extend(
            frame.entries.into_iter().map(|entry| SwitchEntry { start: entry.start + moved, ..entry }),
        );
        body.extend(inner);
        let result = result.and(self.check_entries(&entries, position));
        self.note_labels(&value, &entries);
        self.emit(StmtKind::Switch { value, entries, body }, position);
        result
    }

    fn check_entries(&mut self, entries: &[SwitchEntry], position: Position) -> Lower<()> {
        let mut ranges: Vec<(i128, i128)> =
            entries.iter().flat_map(|entry| entry.values.iter().copied()).collect();
        ranges.sort_unstable();
        if let Some(pair) = ranges.windows(2).find(|pair| pair[1].0 <= pair[0].1) {
            return Err(self.error(
                position,
                Code::DuplicateCase,
                format!("two labels stand for the value {}", pair[1].0),
            ));
        }
        if entries.iter().filter(|entry| entry.is_default).count() > 1 {
            return Err(self.error(position, Code::DuplicateCase, "two labels `default`"));
        }
        Ok(())
    }

    fn case(&mut self, low: &Expression, high: Option<&Expression>, position: Position) -> Lower<()> {
        let first = self.integer_constant(low)?;
        let last = match high {
            Some(high) => self.integer_constant(high)?,
            None => first,
        };
        let Some(kind) = self.frame.switches.last().map(|frame| frame.kind) else {
            return Err(self.error(position, Code::Syntax, "`case` outside of a `switch`"));
        };
        if first > last {
            return Ok(()); // GNU: no value leads here
        }
        let target = self.types().target;
        let (first, last) = (kind.wrap(first, target), kind.wrap(last, target));
        if first > last {
            return Err(self.error(position, Code::DuplicateCase, "this range is empty"));
        }
        self.switch_label(Some((first, last)), position)
    }

    /// A `case` (a range) or `default` (`None`) at the current place.
    fn switch_label(&mut self, range: Option<(i128, i128)>, position: Position) -> Lower<()> {
        let (start, depth) = (self.out.len(), self.frame.block_depth);
        let Some(frame) = self.frame.switches.last_mut() else {
            return Err(self.error(position, Code::Syntax, "`default` outside of a `switch`"));
        };
        let entry = SwitchEntry { values: range.into_iter().collect(), is_default: range.is_none(), start };
        if depth != frame.depth {
            let label = format!("%case{}", position.0); // no other label stands there
            frame.nested.push((entry, label.clone()));
            self.emit(StmtKind::Label(label), position);
            return Ok(());
        }
        match frame.entries.last_mut().filter(|last| last.start == start) {
            Some(last) => {
                last.values.extend(entry.values);
                last.is_default |= entry.is_default;
            }
            None => frame.entries.push(entry),
        }
        Ok(())
    }

    // ---- loops ----

    fn in_loop<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> T {
        self.frame.loops += 1;
        let result = lower(self);
        self.frame.loops -= 1;
        result
    }

    /// Leaves the loop where the condition does not hold. A constant true condition leaves nothing.
    fn leave_unless(&mut self, condition: &Expression) -> Lower<()> {
        let value = self.controlling(condition)?;
        if constant::truth(&self.linker.types, &value) == Some(true) {
            return Ok(());
        }
        let leave = vec![Stmt { kind: StmtKind::Break, span: value.span }];
        self.emit(StmtKind::If { condition: value, then: Vec::new(), otherwise: leave }, condition.position);
        Ok(())
    }

    fn while_loop(&mut self, condition: &Expression, body: &Statement, position: Position) -> Lower<()> {
        let (result, body) = self.in_block(|this| {
            let result = this.leave_unless(condition);
            let (body_result, block) = this.in_loop(|this| this.governed(body));
            this.out.extend(block);
            result.and(body_result)
        });
        self.emit(StmtKind::Loop { body, continuing: Vec::new() }, position);
        result
    }

    fn do_loop(&mut self, body: &Statement, condition: &Expression, position: Position) -> Lower<()> {
        let (result, body) = self.in_loop(|this| this.governed(body));
        let (condition_result, continuing) = self.in_block(|this| this.leave_unless(condition));
        self.emit(StmtKind::Loop { body, continuing }, position);
        result.and(condition_result)
    }

    fn for_loop(
        &mut self,
        initial: Option<&Statement>,
        condition: Option<&Expression>,
        step: Option<&Expression>,
        body: &Statement,
        position: Position,
    ) -> Lower<()> {
        let mut result = initial.map_or(Ok(()), |initial| self.statement(initial));
        let (body_result, body) = self.in_block(|this| {
            let result = condition.map_or(Ok(()), |condition| this.leave_unless(condition));
            let (body_result, block) = this.in_loop(|this| this.governed(body));
            this.out.extend(block);
            result.and(body_result)
        });
        let (step_result, continuing) = self.in_block(|this| step.map_or(Ok(()), |step| this.effect(step)));
        result = result.and(body_result).and(step_result);
        self.emit(StmtKind::Loop { body, continuing }, position);
        result
    }

    // ---- jumps ----

    fn label(&mut self, name: &str, position: Position) -> Lower<()> {
        if self.frame.labels.insert(name.to_owned(), position).is_some() {
            return Err(self.error(
                position,
                Code::DuplicateLabel,
                format!("the label `{name}` stands twice"),
            ));
        }
        self.emit(StmtKind::Label(name.to_owned()), position);
        Ok(())
    }

    /// Every `goto` must have its label.
    pub(super) fn check_labels(&mut self) -> Lower<()> {
        let mut result = Ok(());
        for (name, position) in std::mem::take(&mut self.frame.gotos) {
            if !self.frame.labels.contains_key(&name) {
                result = Err(self.error(position, Code::UnknownLabel, format!("there is no label `{name}`")));
            }
        }
        result
    }

    fn return_statement(&mut self, value: Option<&Expression>, position: Position) -> Lower<()> {
        let result = self.frame.result.expect("statements should stand in functions");
        let is_void = self.types().is_void(result);
        let value = match value {
            // In a function with a result, that is indeterminate then, as behind a
            // missing `return`.
            None => None,
            Some(value) if is_void => {
                // GNU: `return f();` in a void function.
                self.effect(value)?;
                None
            }
            Some(value) => {
                let lowered = self.value(value)?;
                Some(self.convert_assigned(lowered, result, value.position)?)
            }
        };
        self.emit(StmtKind::Return(value), position);
        Ok(())
    }

    /// GNU `({ ... })`: the value of the last statement, if that is an expression.
    pub(super) fn statement_expression(
        &mut self,
        statements: &[Statement],
        position: Position,
    ) -> Lower<Operand> {
        if self.frame.result.is_none() {
            return Err(self.error(
                position,
                Code::UnsupportedStatement,
                "statements are not supported here",
            ));
        }
        let (value, mut block) = self.in_block(|this| {
            this.scoped(|this| {
                let (last, first) = match statements.split_last() {
                    Some((Statement { kind: Kind::Expression(last), .. }, first)) => (Some(last), first),
                    _ => (None, statements),
                };
                this.statements(first)?;
                let Some(last) = last else { return Ok(None) };
                match this.operand(last)? {
                    Operand::Place(place) => this.load(place, last.position).map(Some),
                    Operand::Value(value) => Ok(Some(value)),
                    Operand::Void => Ok(None),
                }
            })
        });
        let Some(value) = value? else {
            self.emit(StmtKind::Block(block), position);
            return Ok(Operand::Void);
        };
        let (ty, span) = (value.ty, value.span);
        let place = self.temporary(ty, span);
        block.push(Stmt { kind: StmtKind::Assign(place.clone(), value), span });
        self.emit(StmtKind::Block(block), position);
        if self.types().record(ty).is_some() {
            return Ok(Operand::Place(place));
        }
        Ok(Operand::Value(Expr { kind: ExprKind::Load(place), ty, span }))
    }
}

/// Whether a statement does something of its own: labels and declarations without a value do not.
fn is_executed(statement: &Statement) -> bool {
    match &statement.kind {
        Kind::Empty
        | Kind::StaticAssert(_)
        | Kind::Case { .. }
        | Kind::Default
        | Kind::Label(_)
        | Kind::Block(_) => false,
        Kind::Declaration(declaration) => {
            let is_automatic = !matches!(
                declaration.specifiers.storage,
                Some(Storage::Static | Storage::Extern | Storage::Typedef)
            );
            is_automatic && declaration.declarators.iter().any(|entry| entry.initialiser.is_some())
        }
        _ => true,
    }
}
