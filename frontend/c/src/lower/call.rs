//! Calls, and functions that are known without a declaration.

use super::constant;
use super::expression::Operand;
use super::frame::{Lower, Lowering, Reported};
use super::scope::{Entity, similar};
use crate::code::Code;
use crate::ir::expr::{Expr, ExprKind};
use crate::ir::stmt::{Callee, Stmt, StmtKind};
use crate::ir::types::{IntegerKind, Type, TypeId};
use crate::ir::{FunctionId, Linkage, is_compilers_name};
use crate::preprocess::compiler;
use crate::syntax::ast::{Expression, ExpressionKind as Kind, Position};
use model::external::Function;
use model::sort::FloatFormat;

/// Functions of verification tools and of the C library that programs use without declaring them:
/// name, result and parameters. `v` void, `b` _Bool, `c` char, `C` unsigned char, `s` short, `S`
/// unsigned short, `i` int, `I` unsigned int, `l` long, `L` unsigned long, `q` long long, `Q`
/// unsigned long long, `f` float, `d` double, `p` void pointer, `t` char pointer, `j`, `e`, `g`
/// pointers to int, double, float, `z` size_t, `.` further arguments.
///
/// A condition is a `_Bool`: the argument is compared with zero, whatever its type.
const KNOWN: [(&str, &str); 95] = [
    ("__CPROVER_assume", "vb"),
    ("__CPROVER_assert", "vbt."),
    ("__CPROVER_cover", "vb."),
    ("__CPROVER_input", "vt."),
    ("__CPROVER_output", "vt."),
    ("__ESBMC_assert", "vbt."),
    ("__ESBMC_assume", "vb"),
    ("__VERIFIER_assume", "vb"),
    ("__VERIFIER_assert", "vb"),
    ("__VERIFIER_error", "v."),
    ("__chaincover_assert", "vb"),
    ("assert", "vb"),
    ("assume", "vb"),
    ("reach_error", "v."),
    ("abort", "v"),
    ("exit", "vi"),
    ("memcpy", "pppz"),
    ("memmove", "pppz"),
    ("memset", "ppiz"),
    ("memcmp", "ippz"),
    ("strlen", "zt"),
    ("strnlen", "ztz"),
    ("strcmp", "itt"),
    ("strncmp", "ittz"),
    ("strcpy", "ttt"),
    ("strncpy", "tttz"),
    ("strchr", "tti"),
    ("strrchr", "tti"),
    ("memchr", "ppiz"),
    ("unreachable", "v"),
    ("printf", "it."),
    ("puts", "it"),
    ("abs", "ii"),
    ("labs", "ll"),
    ("llabs", "qq"),
    ("fabs", "dd"),
    ("fabsf", "ff"),
    ("floor", "dd"),
    ("floorf", "ff"),
    ("ceil", "dd"),
    ("ceilf", "ff"),
    ("sqrt", "dd"),
    ("sqrtf", "ff"),
    ("trunc", "dd"),
    ("round", "dd"),
    ("fmod", "ddd"),
    ("fmodf", "fff"),
    ("fmin", "ddd"),
    ("fmax", "ddd"),
    ("copysign", "ddd"),
    ("pow", "ddd"),
    ("fminf", "fff"),
    ("fmaxf", "fff"),
    ("truncf", "ff"),
    ("roundf", "ff"),
    ("rint", "dd"),
    ("rintf", "ff"),
    ("nearbyint", "dd"),
    ("nearbyintf", "ff"),
    ("copysignf", "fff"),
    ("remainder", "ddd"),
    ("remainderf", "fff"),
    ("fdim", "ddd"),
    ("fdimf", "fff"),
    ("fma", "dddd"),
    ("fmaf", "ffff"),
    ("ldexp", "ddi"),
    ("ldexpf", "ffi"),
    ("lround", "ld"),
    ("lroundf", "lf"),
    ("lrint", "ld"),
    ("lrintf", "lf"),
    ("llround", "qd"),
    ("llroundf", "qf"),
    ("llrint", "qd"),
    ("llrintf", "qf"),
    ("nextafter", "ddd"),
    ("nextafterf", "fff"),
    ("scalbn", "ddi"),
    ("scalbnf", "ffi"),
    ("scalbln", "ddl"),
    ("scalblnf", "ffl"),
    ("frexp", "ddj"),
    ("frexpf", "ffj"),
    ("modf", "dde"),
    ("modff", "ffg"),
    ("finite", "id"),
    ("isnanf", "if"),
    ("isinff", "if"),
    ("finitef", "if"),
    ("signbitf", "if"),
    ("isnan", "id"),
    ("isinf", "id"),
    ("isfinite", "id"),
    ("signbit", "id"),
];

/// What `nondet_T()` and `__VERIFIER_nondet_T()` return.
const NONDETERMINISTIC: [(&str, char); 38] = [
    ("bool", 'b'),
    ("_Bool", 'b'),
    ("char", 'c'),
    ("uchar", 'C'),
    ("unsigned_char", 'C'),
    ("schar", 'c'),
    ("short", 's'),
    ("ushort", 'S'),
    ("unsigned_short", 'S'),
    ("int", 'i'),
    ("uint", 'I'),
    ("unsigned", 'I'),
    ("unsigned_int", 'I'),
    ("long", 'l'),
    ("ulong", 'L'),
    ("unsigned_long", 'L'),
    ("longlong", 'q'),
    ("long_long", 'q'),
    ("ulonglong", 'Q'),
    ("unsigned_long_long", 'Q'),
    ("float", 'f'),
    ("double", 'd'),
    ("size_t", 'z'),
    ("pointer", 'p'),
    ("pchar", 't'),
    ("u8", 'C'),
    ("U8", 'C'),
    ("u16", 'S'),
    ("U16", 'S'),
    ("u32", 'I'),
    ("U32", 'I'),
    ("s8", 'c'),
    ("S8", 'c'),
    ("s16", 's'),
    ("S16", 's'),
    ("s32", 'i'),
    ("S32", 'i'),
    ("loff_t", 'q'),
];

impl Lowering<'_> {
    pub(super) fn call(
        &mut self,
        callee: &Expression,
        arguments: &[Expression],
        position: Position,
    ) -> Lower<Operand> {
        if Self::states_intent(callee) && self.is_instrumented() {
            return self.unobserved(|this| this.call(callee, arguments, position));
        }
        if let Some(operand) = self.special_call(callee, arguments, position)? {
            return Ok(operand);
        }
        self.ordinary_call(callee, arguments, position, true)
    }

    /// A call whose result, if any, is not used.
    pub(super) fn call_effect(
        &mut self,
        callee: &Expression,
        arguments: &[Expression],
        position: Position,
    ) -> Lower<()> {
        if Self::states_intent(callee) && self.is_instrumented() {
            return self.unobserved(|this| this.call_effect(callee, arguments, position));
        }
        if self.special_call(callee, arguments, position)?.is_some() {
            return Ok(());
        }
        self.ordinary_call(callee, arguments, position, false).map(drop)
    }

    fn ordinary_call(
        &mut self,
        callee: &Expression,
        arguments: &[Expression],
        position: Position,
        is_used: bool,
    ) -> Lower<Operand> {
        let mut target = match self.typed_callee(callee, arguments, position)? {
            Some(target) => target,
            None => self.callee(callee)?,
        };
        let Some(signature) = self.types().pointee(target.ty) else {
            return Err(self.error(position, Code::TypeMismatch, "this is no function"));
        };
        let Type::Function { result, parameters, is_variadic } = self.types().get(signature).clone() else {
            return Err(self.error(position, Code::TypeMismatch, "this is no function"));
        };
        let is_unspecified = is_variadic && parameters.is_empty();
        if arguments.len() < parameters.len() || arguments.len() > parameters.len() && !is_variadic {
            return Err(self.argument_count(&target, parameters.len(), arguments.len(), position));
        }
        debug_assert!(!is_unspecified || parameters.is_empty());
        let mark = self.out.len();
        let is_formula = Self::states_intent(callee);
        let arguments = self.arguments(arguments, &parameters, is_formula)?;
        self.protect(mark, &mut target);
        let span = self.span(position);
        let callee = match target.kind {
            ExprKind::Function(function) => Callee::Function(function),
            _ => Callee::Pointer(target),
        };
        if self.types().is_void(result) {
            self.emit_call(StmtKind::Call { result: None, callee, arguments }, position);
            return Ok(Operand::Void);
        }
        if !is_used {
            self.emit_call(StmtKind::Call { result: None, callee, arguments }, position);
            return Ok(Operand::Void);
        }
        if self.types().size(result).is_none() {
            let name = self.types().name(result);
            return Err(self.error(
                position,
                Code::IncompleteType,
                format!("the result type `{name}` is incomplete here"),
            ));
        }
        if let Callee::Function(function) = callee {
            self.linker.program.functions[function].is_result_used = true;
        }
        let place = self.temporary(result, span);
        self.emit_call(StmtKind::Call { result: Some(place.clone()), callee, arguments }, position);
        if self.types().record(result).is_some() {
            return Ok(Operand::Place(place));
        }
        self.load(place, position).map(Operand::Value)
    }

    fn argument_count(
        &mut self,
        target: &Expr,
        expected: usize,
        found: usize,
        position: Position,
    ) -> Reported {
        let name = match target.kind {
            ExprKind::Function(function) => format!("`{}`", self.linker.program.functions[function].name),
            _ => "this function".to_owned(),
        };
        let plural = if expected == 1 { "" } else { "s" };
        let message = format!("{name} takes {expected} argument{plural}, but gets {found}");
        self.error(position, Code::ArgumentCount, message)
    }

    /// Arguments left to right, converted as by assignment; those of `...` are promoted.
    fn arguments(
        &mut self,
        arguments: &[Expression],
        parameters: &[TypeId],
        is_formula: bool,
    ) -> Lower<Vec<Expr>> {
        let mut values: Vec<Expr> = Vec::with_capacity(arguments.len());
        let mut result = Ok(());
        let mut calling = 0;
        for (index, argument) in arguments.iter().enumerate() {
            let mark = self.out.len();
            let is_formula = is_formula && index == 0;
            let lowered = self.argument(argument, parameters.get(index).copied(), is_formula);
            // What is called without arguments and twice has something to remember.
            let is_call = |statement: &Stmt| matches!(&statement.kind, StmtKind::Call { arguments, .. } if arguments.is_empty());
            if self.out[mark..].iter().any(is_call) {
                calling += 1;
                if calling == 2 {
                    self.warn_of_order(argument.position);
                }
            }
            match lowered {
                Ok(value) => {
                    for earlier in &mut values {
                        self.protect(mark, earlier);
                    }
                    values.push(value);
                }
                Err(reported) => result = Err(reported),
            }
        }
        result.map(|()| values)
    }

    /// Says that the order of calls is open, once for each place.
    fn warn_of_order(&mut self, position: Position) {
        let span = self.span(position);
        let message =
            "C leaves open in which order these arguments are computed; here it is from left to right";
        self.linker.diagnostics.warning(Code::ArgumentOrder, Some(span), message).advice(
            "gcc often takes the last one first: where one call changes what the other reads, results are \
             about one of the orders; make the calls before, in statements of their own",
        );
    }

    fn argument(
        &mut self,
        argument: &Expression,
        parameter: Option<TypeId>,
        is_formula: bool,
    ) -> Lower<Expr> {
        let value = if is_formula { self.formula(argument)? } else { self.value(argument)? };
        match parameter {
            Some(ty) => self.convert_assigned(value, ty, argument.position),
            None if self.types().format(value.ty).is_some() => {
                let ty = self.types().float(FloatFormat::Double);
                Ok(self.convert(value, ty))
            }
            None => Ok(self.promote(value)),
        }
    }

    /// What is called by a name that means another function for each type of arguments.
    fn typed_callee(
        &mut self,
        callee: &Expression,
        arguments: &[Expression],
        position: Position,
    ) -> Lower<Option<Expr>> {
        let Kind::Name(name) = &callee.kind else { return Ok(None) };
        let Some(function) = self.generic_builtin(name, arguments, position)? else { return Ok(None) };
        match self.entity(name, Entity::Function(function), callee.position)? {
            Operand::Value(value) => Ok(Some(value)),
            _ => unreachable!("a function should be a value"),
        }
    }

    fn callee(&mut self, callee: &Expression) -> Lower<Expr> {
        let Kind::Name(name) = &callee.kind else { return self.value(callee) };
        let is_found = self.lookup(name).is_some()
            || self.configuration.is_some() && self.find_in_configuration(name).is_some();
        if is_found && !self.is_prototype_of_builtin(name) {
            return self.value(callee);
        }
        let known = match self.builtin(name, callee.position)? {
            Some(function) => Some(function),
            None => self.known_function(name, callee.position)?,
        };
        match known {
            Some(function) => match self.entity(name, Entity::Function(function), callee.position)? {
                Operand::Value(value) => Ok(value),
                _ => unreachable!("a function should be a value"),
            },
            None if is_found => self.value(callee),
            None => Err(self.undeclared_function(name, callee.position)),
        }
    }

    /// Whether a name is one of the compiler's own functions and has no more than a declaration
    /// here, which tells a compiler nothing: the call is that of its own function all the same.
    pub(super) fn is_prototype_of_builtin(&self, name: &str) -> bool {
        let Some(&Entity::Function(function)) = self.lookup(name) else { return false };
        let declared = &self.linker.program.functions[function];
        is_compilers_name(name) && declared.body.is_none() && declared.name == name
    }

    fn undeclared_function(&mut self, name: &str, position: Position) -> Reported {
        let functions = self.linker.program.functions.values().map(|function| function.name.as_str());
        let functions = functions.filter(|&known| known != name); // another file declares it
        let advice = match super::name::candidates(&similar(name, functions)) {
            Some(advice) => advice,
            None => "declare it, or include the header that does; where the code may not be changed, in a file of your own that includes this one".to_owned(),
        };
        if is_compilers_name(name) {
            let message = format!("the compiler's own function `{name}` is not supported");
            return self.error_with(position, Code::UnsupportedBuiltin, message, compiler::ADVICE);
        }
        self.error_with(
            position,
            Code::UndeclaredFunction,
            format!("the function `{name}` is not declared"),
            advice,
        )
    }

    /// Declares a function that needs no declaration, unless another file has declared it; `None`:
    /// it is not known.
    fn known_function(&mut self, name: &str, position: Position) -> Lower<Option<FunctionId>> {
        let Some(codes) = known_signature(name) else { return self.library_call(name, position) };
        let name = name.strip_prefix("__builtin_").unwrap_or(name);
        if let Some(&Entity::Function(function)) = self.linker.external.get(name) {
            self.linker.program.functions[function].is_assumed = true;
            return Ok(Some(function));
        }
        let ty = self.signature(&codes);
        let function = self.declare_function(name, Linkage::External, ty, None, position)?;
        self.assume_declared(function);
        Ok(Some(function))
    }

    /// A function of the library that is called without a declaration, where a compiler knows its
    /// type, too: the function of a verifier, or under its name with `__builtin_`.
    fn library_call(&mut self, name: &str, position: Position) -> Lower<Option<FunctionId>> {
        let plain = name.strip_prefix("__builtin_");
        if self.is_own_text() {
            let own = [("__chaincover_requires", "vb"), ("__chaincover_rounding", "v")];
            if let Some((_, codes)) = own.iter().find(|(own, _)| *own == name) {
                let ty = self.signature(codes);
                return self.declare_function(name, Linkage::External, ty, None, position).map(Some);
            }
            return self.library_function(plain.unwrap_or(name), position);
        }
        match plain {
            Some(plain) => self.library_function(plain, position),
            None if name.starts_with("__CPROVER_") => self.library_function(name, position),
            None => Ok(None),
        }
    }

    /// The function type that codes describe (see [`KNOWN`]).
    pub(super) fn signature(&mut self, codes: &str) -> TypeId {
        let is_variadic = codes.ends_with('.');
        let mut types: Vec<TypeId> =
            codes.trim_end_matches('.').chars().map(|code| self.types().coded(code)).collect();
        let parameters = types.split_off(1);
        let result = types[0];
        self.types().intern(Type::Function { result, parameters, is_variadic })
    }

    /// Names that look like functions and are none: compiler built-ins, `old` in configured
    /// expressions.
    fn special_call(
        &mut self,
        callee: &Expression,
        arguments: &[Expression],
        position: Position,
    ) -> Lower<Option<Operand>> {
        let Kind::Name(name) = &callee.kind else { return Ok(None) };
        if let Some(value) = self.constant_builtin(name, arguments, position)? {
            return Ok(Some(Operand::Value(value)));
        }
        if self.lookup(name).is_some() && !self.is_prototype_of_builtin(name) {
            return Ok(None);
        }
        if matches!(name.as_str(), "old" | "prev") && self.configuration.is_some() {
            return self.old(name, arguments, position).map(Some);
        }
        // Further arguments cannot be read (`va_arg` is refused), so that there is nothing to
        // prepare.
        let has_no_effect =
            ["__builtin_va_start", "__builtin_va_end", "__builtin_va_copy", "__builtin_prefetch"];
        if has_no_effect.contains(&name.as_str()) {
            return Ok(Some(Operand::Void));
        }
        let constant = |format, value: f64| (constant::float_bits(value, format), format);
        use FloatFormat::{Double, Single};
        let (bits, format) = match (name.as_str(), arguments) {
            ("__builtin_assume_aligned", [value, _] | [value, _, _]) => {
                return self.value(value).map(|value| Some(Operand::Value(value)));
            }
            ("__builtin_expect", [value, _]) | ("__builtin_expect_with_probability", [value, _, _]) => {
                // They are functions of `long`, whatever is given to them.
                let value = self.value(value)?;
                let long = self.types().integer(IntegerKind::Long);
                let value = self.convert_assigned(value, long, position)?;
                return Ok(Some(Operand::Value(value)));
            }
            ("__builtin_constant_p", [value]) => {
                let value = self.in_vain(|this| this.value(value))?;
                let is_constant = constant::number(&self.linker.types, &value).is_some();
                let result = self.integer(i128::from(is_constant), IntegerKind::Int, position);
                return Ok(Some(Operand::Value(result)));
            }
            ("__builtin_huge_val" | "__builtin_inf", []) => constant(Double, f64::INFINITY),
            ("__builtin_huge_valf" | "__builtin_inff", []) => constant(Single, f64::INFINITY),
            ("__builtin_nan", [_]) => constant(Double, f64::NAN),
            ("__builtin_nanf", [_]) => constant(Single, f64::NAN),
            _ => return Ok(None),
        };
        Ok(Some(Operand::Value(self.float(bits, format, position))))
    }
}

/// Codes of result and parameters of a function that needs no declaration.
fn known_signature(name: &str) -> Option<String> {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    if let Some((_, codes)) = KNOWN.iter().find(|(known, _)| *known == plain) {
        return Some((*codes).to_owned());
    }
    if let Some(function) = Function::named(plain) {
        let code = if function.name() == plain { "d" } else { "f" };
        return Some(code.repeat(1 + function.arguments()));
    }
    if name == "__builtin_trap" {
        return Some("v".to_owned());
    }
    let kind = name.strip_prefix("__VERIFIER_nondet_").or_else(|| name.strip_prefix("nondet_"))?;
    NONDETERMINISTIC.iter().find(|(known, _)| *known == kind).map(|(_, code)| code.to_string())
}
