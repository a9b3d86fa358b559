//! Printing calls: of functions of the program, of those without a body, and of those that mean
//! something of their own.

use super::{Print, Printer, Unprintable, load_text, value_type};
use crate::exec::object::Origin;
use crate::exec::{Seen, TextFunction, seen};
use crate::ir::FunctionId;
use crate::ir::expr::Expr;
use crate::ir::stmt::{Callee, Place};
use crate::ir::types::{Type, TypeId};
use model::id::Id;

impl Printer<'_> {
    pub(super) fn call(&mut self, place: Option<&Place>, callee: &Callee, arguments: &[Expr]) -> Print<()> {
        let (name, result_type) = match callee {
            Callee::Function(function) => {
                let declaration = &self.program.functions[*function];
                if self.special_call(*function, place, arguments)? {
                    return Ok(());
                }
                if declaration.body.is_none() {
                    return self.outside_call(*function, place, arguments);
                }
                (self.function_name(*function), declaration.result)
            }
            Callee::Pointer(pointer) => {
                let Type::Pointer(pointee) = *self.layouts.type_of(pointer.ty) else {
                    panic!("a call should go through a pointer");
                };
                let Type::Function { result, parameters, .. } = self.layouts.type_of(pointee) else {
                    panic!("a call should go through a pointer to a function");
                };
                let name = self.dispatcher(*result, parameters);
                if name.is_empty() {
                    return Ok(());
                }
                let pointer = self.value(pointer)?;
                let given = self.arguments(arguments)?;
                let given = std::iter::once(pointer).chain(given).collect::<Vec<_>>().join(", ");
                return self.finish_call(place, *result, format!("{name}({given})"));
            }
        };
        let given = self.arguments(arguments)?.join(", ");
        self.finish_call(place, result_type, format!("{name}({given})"))
    }

    pub(super) fn arguments(&mut self, arguments: &[Expr]) -> Print<Vec<String>> {
        let mut texts = Vec::new();
        for argument in arguments {
            texts.push(if self.is_aggregate(argument.ty) {
                self.aggregate(argument)?
            } else {
                self.value(argument)?
            });
        }
        Ok(texts)
    }

    /// `frexp` or `modf`, which write through their second argument.
    fn split_call(
        &mut self,
        result: Option<&Place>,
        ty: TypeId,
        name: &str,
        arguments: &[Expr],
    ) -> Print<()> {
        let given = self.arguments(arguments)?;
        let kind = value_type(self.scalar(ty));
        let part = if name.starts_with("frexp") { "int" } else { kind };
        let Type::Pointer(pointee) = *self.layouts.type_of(arguments[1].ty) else {
            return Err(Unprintable::Call(name.to_owned()));
        };
        self.line(&format!("{{ {part} part; const {kind} whole = {name}({}, &part);", given[0]));
        let store = self.store_text(&given[1], 0, pointee, None, "part");
        self.line(&store);
        self.finish_call(result, ty, "whole".to_owned())?;
        self.line("}");
        Ok(())
    }

    fn finish_call(&mut self, result: Option<&Place>, ty: TypeId, call: String) -> Print<()> {
        let Some(place) = result else {
            self.line(&format!("{call};"));
            return Ok(());
        };
        let (address, bits) = self.place(place)?;
        if self.is_aggregate(ty) {
            let size = self.size(ty);
            self.line(&format!("{{ const uint64_t result = {call}; copy({address}, result, {size}); }}"));
        } else {
            let kind = value_type(self.scalar(ty));
            let store = self.store_text(&address, 0, place.ty, bits, "result");
            self.line(&format!("{{ const {kind} result = {call}; {store} }}"));
        }
        Ok(())
    }

    /// A call of a function that no file defines: what it returns and writes is in the chain.
    fn outside_call(
        &mut self,
        function: FunctionId,
        result: Option<&Place>,
        arguments: &[Expr],
    ) -> Print<()> {
        let number = function.index();
        let declaration = &self.program.functions[function];
        let is_nondet = crate::exec::is_nondet(declaration);
        let mut pointers = Vec::new();
        for argument in arguments {
            let is_pointer = matches!(self.layouts.type_of(argument.ty), Type::Pointer(_));
            pointers.push(if is_pointer && !is_nondet { self.value(argument)? } else { "0".to_owned() });
        }
        pointers.push("0".to_owned());
        self.keep_passed(function, arguments)?;
        self.line("{");
        self.line(&format!("    const uint64_t pointers[] = {{ {} }};", pointers.join(", ")));
        match result {
            Some(place) => {
                let (address, bits) = self.place(place)?;
                if self.is_aggregate(declaration.result) {
                    self.line(&format!("    feed({number}, {address}, pointers);"));
                } else {
                    let scalar = self.scalar(declaration.result);
                    let size = self.size(declaration.result);
                    let load = load_text("RESULT", 0, scalar);
                    let store = self.store_text(&address, 0, place.ty, bits, &load);
                    self.line(&format!(
                        "    fill(RESULT, 0, {size}); feed({number}, RESULT, pointers); {store}"
                    ));
                }
            }
            None => self.line(&format!("    feed({number}, RESULT, pointers);")),
        }
        self.line("}");
        Ok(())
    }

    /// Keeps what a function that no file defines is given.
    fn keep_passed(&mut self, function: FunctionId, arguments: &[Expr]) -> Print<()> {
        let declaration = &self.program.functions[function];
        for ((index, &local), argument) in declaration.parameters.iter().enumerate().zip(arguments) {
            let origin = Origin::Passed(function, Some(index));
            if self.blueprint.find(&origin).is_some() {
                let (address, value) = (self.fixed(&origin), self.value(argument)?);
                let store = self.store_text(&address, 0, declaration.locals[local].ty, None, &value);
                self.line(&store);
            }
        }
        let called = Origin::Passed(function, None);
        if self.blueprint.find(&called).is_some() {
            let address = self.fixed(&called);
            self.line(&format!("store({address}, 0, 8, 1);"));
        }
        Ok(())
    }

    /// Calls that mean something of their own; whether this is one.
    fn special_call(
        &mut self,
        function: FunctionId,
        result: Option<&Place>,
        arguments: &[Expr],
    ) -> Print<bool> {
        use crate::exec::Meaning;
        let declaration = &self.program.functions[function];
        self.show(function, arguments)?;
        match crate::exec::meaning(declaration) {
            Meaning::Ordinary => return Ok(false),
            Meaning::Nothing => {
                if let Some(place) = result {
                    let (address, bits) = self.place(place)?;
                    let store = self.store_text(&address, 0, place.ty, bits, "0");
                    self.line(&store);
                }
            }
            Meaning::Error | Meaning::FailedAssertion if declaration.body.is_some() => {
                let given = self.arguments(arguments)?.join(", ");
                let call = format!("{}({given})", self.function_name(function));
                self.line(&format!("errors++; {call}; errors--;"));
            }
            Meaning::Error | Meaning::FailedAssertion | Meaning::End => self.line("end_program();"),
            Meaning::Copy | Meaning::Fill => {
                let given = self.arguments(arguments)?;
                let name = if crate::exec::meaning(declaration) == Meaning::Copy { "copy" } else { "fill" };
                self.line(&format!("{name}({});", given.join(", ")));
                if let Some(place) = result {
                    let (address, bits) = self.place(place)?;
                    let store = self.store_text(&address, 0, place.ty, bits, &given[0]);
                    self.line(&store);
                }
            }
            Meaning::Compare => {
                let given = self.arguments(arguments)?.join(", ");
                self.finish_call(result, declaration.result, format!("compare({given})"))?;
            }
            Meaning::Text(text) => {
                let call = text_call(text, &self.arguments(arguments)?);
                self.finish_call(result, declaration.result, call)?;
            }
            Meaning::Math => {
                let given = self.arguments(arguments)?.join(", ");
                let name = declaration.name.trim_start_matches('_').trim_start_matches("builtin_").to_owned();
                if name.starts_with("frexp") || name.starts_with("modf") {
                    return self.split_call(result, declaration.result, &name, arguments).map(|()| true);
                }
                // The host's macros return any number that is not zero for a truth; the model
                // returns 1.
                let is_class = ["isnan", "isinf", "isfinite", "finite", "signbit"]
                    .iter()
                    .any(|class| name.starts_with(class));
                let call = if is_class {
                    format!(
                        "({}({given}) != 0)",
                        name.trim_end_matches('f').replace("isin", "isinf").replace("isinff", "isinf")
                    )
                } else {
                    format!("{name}({given})")
                };
                self.finish_call(result, declaration.result, call)?;
            }
            Meaning::Refused => return Err(Unprintable::Call(declaration.name.clone())),
        }
        Ok(true)
    }
}

impl Printer<'_> {
    /// Shows that a call is reached that says how far a step comes which does not return.
    fn show(&mut self, function: FunctionId, arguments: &[Expr]) -> Print<()> {
        let Some(seen) = seen(&self.program.functions[function]).filter(|_| self.ends) else { return Ok(()) };
        let truth = match arguments.first() {
            Some(argument) if matches!(seen, Seen::Truth | Seen::Assumed) => self.value(argument)?,
            _ => "1".to_owned(),
        };
        let number = function.index();
        match seen {
            Seen::Truth | Seen::Reached => self.line(&format!("mark({number}u, {truth} != 0);")),
            Seen::Failed => self.line(&format!("mark_failed({number}u);")),
            Seen::Assumed => self.line(&format!("assumed({truth} != 0);")),
        }
        Ok(())
    }
}

/// A call of the runtime that does what a function on texts does.
fn text_call(function: TextFunction, given: &[String]) -> String {
    let limited = |at: usize| given.get(at).map_or("~0ull", String::as_str);
    match function {
        TextFunction::Length(_) => format!("text_length({}, {})", given[0], limited(1)),
        TextFunction::Compare(_) => format!("text_compare({}, {}, {})", given[0], given[1], limited(2)),
        TextFunction::Copy(is_limited) => {
            format!("text_copy({}, {}, {}, {})", given[0], given[1], limited(2), u8::from(is_limited))
        }
        TextFunction::First => format!("text_find({}, {}, ~0ull, 1, 0)", given[0], given[1]),
        TextFunction::Last => format!("text_find({}, {}, ~0ull, 1, 1)", given[0], given[1]),
        TextFunction::FirstByte => format!("text_find({}, {}, {}, 0, 0)", given[0], given[1], given[2]),
    }
}
