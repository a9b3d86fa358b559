//! Declarators: the declared name, and what is around it: pointers, arrays, parameters.

use super::super::ast::{Declarator, Derived, Parameter, Position, TypeName};
use super::{Parse, Parser};
use crate::code::Code;

impl Parser<'_> {
    /// A type without a declared name.
    pub(super) fn type_name(&mut self) -> Parse<TypeName> {
        let specifiers = self.specifiers()?;
        let declarator = self.declarator(true)?;
        match declarator.name {
            Some(name) => self.fail(
                Code::Syntax,
                name.position,
                format!("`{}` is declared where a type is expected", name.text),
            ),
            None => Ok(TypeName { specifiers, declarator }),
        }
    }

    /// A declarator; with `is_abstract` the name may be missing.
    pub(super) fn declarator(&mut self, is_abstract: bool) -> Parse<Declarator> {
        self.nested(|parser| {
            let position = parser.position();
            let pointers = parser.pointers();
            let mut declarator = parser.direct_declarator(is_abstract, position)?;
            while parser.is("[") || parser.is("(") {
                let derived =
                    if parser.is("[") { parser.array_suffix()? } else { parser.function_suffix()? };
                declarator.derived.push(derived);
            }
            declarator.derived.extend(pointers.into_iter().rev());
            parser.attributes(&mut declarator.attribute);
            Ok(declarator)
        })
    }

    fn pointers(&mut self) -> Vec<Derived> {
        let mut pointers = Vec::new();
        while self.take("*") {
            let (mut is_const, mut is_volatile) = (false, false);
            loop {
                if self.take("const") {
                    is_const = true;
                } else if self.take("volatile") {
                    is_volatile = true;
                } else {
                    break;
                }
            }
            pointers.push(Derived::Pointer { is_const, is_volatile });
        }
        pointers
    }

    fn direct_declarator(&mut self, is_abstract: bool, position: Position) -> Parse<Declarator> {
        let opens_parameters = is_abstract && (self.is_at(1, ")") || self.starts_type_at(1));
        if self.is("(") && !opens_parameters {
            self.advance();
            let inner = self.declarator(is_abstract)?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.is_identifier_at(0) {
            let name = self.identifier("a name")?;
            return Ok(Declarator {
                position: name.position,
                name: Some(name),
                derived: Vec::new(),
                attribute: None,
            });
        }
        if is_abstract {
            return Ok(Declarator { name: None, derived: Vec::new(), attribute: None, position });
        }
        self.unexpected("a declared name")
    }

    fn array_suffix(&mut self) -> Parse<Derived> {
        let position = Position(self.advance().start);
        while self.take("static") || self.take("const") || self.take("volatile") {}
        if self.is("*") && self.is_at(1, "]") {
            return self.fail(
                Code::UnsupportedVla,
                position,
                "arrays of variable length are not supported".to_owned(),
            );
        }
        let length = if self.is("]") { None } else { Some(self.assignment_expression()?) };
        self.expect("]")?;
        Ok(Derived::Array { length, position })
    }

    fn function_suffix(&mut self) -> Parse<Derived> {
        self.expect("(")?;
        if self.take(")") {
            return Ok(Derived::Function {
                parameters: Vec::new(),
                is_variadic: false,
                is_unspecified: true,
            });
        }
        if self.is("void") && self.is_at(1, ")") {
            self.next += 2;
            return Ok(Derived::Function {
                parameters: Vec::new(),
                is_variadic: false,
                is_unspecified: false,
            });
        }
        let (parameters, is_variadic) = self.scoped(Self::parameters)?;
        Ok(Derived::Function { parameters, is_variadic, is_unspecified: false })
    }

    fn parameters(&mut self) -> Parse<(Vec<Parameter>, bool)> {
        let mut parameters = Vec::new();
        loop {
            if self.take("...") {
                self.expect(")")?;
                return Ok((parameters, true));
            }
            parameters.push(self.parameter()?);
            if !self.take(",") {
                self.expect(")")?;
                return Ok((parameters, false));
            }
        }
    }

    fn parameter(&mut self) -> Parse<Parameter> {
        if self.is_identifier_at(0) && !self.starts_type_at(0) && (self.is_at(1, ",") || self.is_at(1, ")")) {
            let message = format!("unknown type name `{}`", self.peek_text());
            let advice = "include the header that defines it; parameter lists without types (K&R style) are not supported";
            return self.fail_with(Code::UnknownType, self.position(), message, Some(advice));
        }
        let specifiers = self.specifiers()?;
        let declarator = self.declarator(true)?;
        if let Some(name) = &declarator.name {
            self.declare(name, false);
        }
        Ok(Parameter { specifiers, declarator })
    }
}
