//! Declarations: specifiers, declarators, initialisers.

use super::super::ast::{
    Declaration, Declarator, Derived, Designator, EnumSpecifier, FieldDeclarator, FunctionDefinition,
    InitDeclarator, Initialiser, InitialiserList, Item, Member, Name, Parameter, Position, RecordSpecifier,
    Specifiers, StaticAssert, Storage, TypeName, TypeSpecifier,
};
use super::super::token::TokenKind;
use super::{Failed, Parse, Parser};
use crate::c::ir::types::IntegerKind;

/// Words that begin a declaration, typedef names and [`TYPE_PARTS`] aside.
const DECLARATION_WORDS: [&str; 17] = [
    "typedef",
    "extern",
    "static",
    "auto",
    "register",
    "inline",
    "const",
    "volatile",
    "struct",
    "union",
    "enum",
    "typeof",
    "_Thread_local",
    "__thread",
    "_Atomic",
    "_Alignas",
    "__complex__",
];

/// Words that make up arithmetic types and `void`.
const TYPE_PARTS: [&str; 14] = [
    "void",
    "char",
    "short",
    "int",
    "long",
    "signed",
    "unsigned",
    "float",
    "double",
    "_Bool",
    "_Complex",
    "__int128",
    "__float128",
    "_Float128",
];

/// The words of a type, counted: `unsigned long int`.
#[derive(Default)]
struct TypeWords {
    words: Vec<&'static str>,
}

impl TypeWords {
    fn count(&self, word: &str) -> usize {
        self.words.iter().filter(|&&other| other == word).count()
    }

    /// The type they name together; `None`: no such type.
    fn resolve(&self) -> Option<TypeSpecifier> {
        use IntegerKind::*;
        let is_unsigned = self.count("unsigned") == 1;
        let is_signed = self.count("signed") == 1;
        if is_unsigned && is_signed || self.count("unsigned") > 1 || self.count("signed") > 1 {
            return None;
        }
        let mut rest: Vec<&str> =
            self.words.iter().copied().filter(|word| !matches!(*word, "signed" | "unsigned")).collect();
        rest.sort_unstable();
        if rest.len() > 1 && !rest.contains(&"char") && !rest.contains(&"double") {
            rest.retain(|word| *word != "int");
        }
        let either = |signed: IntegerKind| {
            Some(TypeSpecifier::Integer(if is_unsigned { signed.to_unsigned() } else { signed }))
        };
        match rest.as_slice() {
            ["char"] if is_signed => Some(TypeSpecifier::Integer(SignedChar)),
            ["char"] => either(Char),
            ["short"] => either(Short),
            [] | ["int"] => either(Int),
            ["long"] => either(Long),
            ["long", "long"] => either(LongLong),
            ["__int128"] => Some(TypeSpecifier::Unsupported("__int128")),
            _ if is_unsigned || is_signed => None,
            ["void"] => Some(TypeSpecifier::Void),
            ["_Bool"] => Some(TypeSpecifier::Integer(Bool)),
            ["float"] => Some(TypeSpecifier::Float),
            ["double"] => Some(TypeSpecifier::Double),
            ["double", "long"] => Some(TypeSpecifier::Unsupported("long double")),
            ["__float128"] | ["_Float128"] => Some(TypeSpecifier::Unsupported("__float128")),
            rest if rest.contains(&"_Complex") => Some(TypeSpecifier::Unsupported("_Complex")),
            _ => None,
        }
    }
}

/// The word with a lifetime of its own, where it is one that [`TypeWords`] counts.
fn type_word(text: &str) -> Option<&'static str> {
    if text == "__complex__" {
        return Some("_Complex");
    }
    TYPE_PARTS.into_iter().find(|word| *word == text)
}

impl Parser<'_> {
    /// Whether a type (or storage class) begins `distance` tokens ahead.
    pub(super) fn starts_type_at(&self, distance: usize) -> bool {
        let token = self.peek_at(distance);
        let text = self.text(token);
        match token.kind {
            TokenKind::Word => {
                DECLARATION_WORDS.contains(&text) || TYPE_PARTS.contains(&text) || self.is_type_name(text)
            }
            TokenKind::Attribute => true,
            _ => false,
        }
    }

    /// A function definition, declaration or static assertion at file scope.
    pub(super) fn item(&mut self) -> Parse<Vec<Item>> {
        if self.is("_Static_assert") {
            return Ok(vec![Item::StaticAssert(self.static_assert()?)]);
        }
        if self.is("asm") || self.is("__asm__") || self.is("__asm") {
            return self.fail(
                "unsupported-asm",
                self.position(),
                "assembler code is not supported".to_owned(),
            );
        }
        let specifiers = self.specifiers()?;
        if self.take(";") {
            return Ok(vec![Item::Declaration(Declaration { specifiers, declarators: Vec::new() })]);
        }
        let declarator = self.declarator(false)?;
        if self.is("{") && matches!(declarator.derived.first(), Some(Derived::Function { .. })) {
            return Ok(vec![self.function_definition(specifiers, declarator)?]);
        }
        Ok(vec![Item::Declaration(self.rest_of_declaration(specifiers, declarator)?)])
    }

    fn function_definition(&mut self, specifiers: Specifiers, declarator: Declarator) -> Parse<Item> {
        self.is_recovering = false;
        if let Some(name) = &declarator.name {
            self.declare(name, false);
        }
        let body = self.scoped(|parser| {
            if let Some(Derived::Function { parameters, .. }) = declarator.derived.first() {
                for name in parameters.iter().filter_map(|parameter| parameter.declarator.name.as_ref()) {
                    parser.declare(name, false);
                }
            }
            parser.function_body(specifiers.position)
        })?;
        Ok(Item::Function(Box::new(FunctionDefinition { specifiers, declarator, body })))
    }

    pub(super) fn static_assert(&mut self) -> Parse<StaticAssert> {
        self.expect("_Static_assert")?;
        self.expect("(")?;
        let condition = self.conditional_expression()?;
        let mut message = String::new();
        if self.take(",") {
            while self.peek().kind == TokenKind::String {
                let token = self.advance();
                message += self.text(token).trim_matches('"');
            }
        }
        self.expect(")")?;
        self.expect(";")?;
        Ok(StaticAssert { condition, message })
    }

    /// A declaration in a block or in the head of a `for`, its semicolon included.
    pub(super) fn declaration(&mut self) -> Parse<Declaration> {
        let specifiers = self.specifiers()?;
        if self.take(";") {
            return Ok(Declaration { specifiers, declarators: Vec::new() });
        }
        let declarator = self.declarator(false)?;
        if self.is("{") && matches!(declarator.derived.first(), Some(Derived::Function { .. })) {
            let message = "functions inside functions are not supported".to_owned();
            return self.fail("unsupported-nested-function", self.position(), message);
        }
        self.rest_of_declaration(specifiers, declarator)
    }

    fn rest_of_declaration(&mut self, specifiers: Specifiers, first: Declarator) -> Parse<Declaration> {
        let mut declarators = vec![self.init_declarator(&specifiers, first)?];
        while self.take(",") {
            let declarator = self.declarator(false)?;
            declarators.push(self.init_declarator(&specifiers, declarator)?);
        }
        if !self.is(";") {
            return self.unexpected("`;`, `,` or `=` after the declared name");
        }
        self.advance();
        Ok(Declaration { specifiers, declarators })
    }

    fn init_declarator(&mut self, specifiers: &Specifiers, declarator: Declarator) -> Parse<InitDeclarator> {
        let is_type = specifiers.storage == Some(Storage::Typedef);
        if let Some(name) = &declarator.name {
            self.declare(name, is_type);
        }
        let initialiser = if self.take("=") { Some(self.initialiser()?) } else { None };
        Ok(InitDeclarator { declarator, initialiser })
    }

    /// Consumes attributes that may change layout or meaning; the first is kept for lowering, which knows whether it matters.
    fn attributes(&mut self, kept: &mut Option<Name>) {
        while self.peek().kind == TokenKind::Attribute {
            let token = self.advance();
            let name = Name { text: self.text(token).to_owned(), position: Position(token.start) };
            kept.get_or_insert(name);
        }
    }

    // ---- specifiers ----

    pub(super) fn specifiers(&mut self) -> Parse<Specifiers> {
        let position = self.position();
        let mut result = Specifiers {
            storage: None,
            is_inline: false,
            is_const: false,
            is_volatile: false,
            ty: TypeSpecifier::Void,
            attribute: None,
            position,
        };
        let mut words = TypeWords::default();
        let mut ty = None;
        loop {
            let token = self.peek();
            let text = self.text(token);
            if token.kind == TokenKind::Attribute {
                self.attributes(&mut result.attribute);
            } else if token.kind != TokenKind::Word {
                break;
            } else if let Some(word) = type_word(text).filter(|_| ty.is_none()) {
                words.words.push(word);
                self.advance();
            } else if self.qualifier_or_storage(&mut result)? {
                self.advance();
            } else if ty.is_none() && words.words.is_empty() {
                match self.single_specifier()? {
                    Some(specifier) => ty = Some(specifier),
                    None => break,
                }
            } else {
                break;
            }
        }
        result.ty = match ty {
            Some(ty) => ty,
            None if words.words.is_empty() && self.is_function_without_type() => {
                TypeSpecifier::Integer(IntegerKind::Int)
            }
            None if words.words.is_empty() => return self.missing_type(),
            None => match words.resolve() {
                Some(ty) => ty,
                None => {
                    let message = format!("`{}` is no type", words.words.join(" "));
                    return self.fail("syntax", position, message);
                }
            },
        };
        Ok(result)
    }

    /// Notes the next word if it is a qualifier or storage class.
    fn qualifier_or_storage(&mut self, result: &mut Specifiers) -> Parse<bool> {
        let storage = match self.peek_text() {
            "const" => {
                result.is_const = true;
                return Ok(true);
            }
            "volatile" => {
                result.is_volatile = true;
                return Ok(true);
            }
            "inline" => {
                result.is_inline = true;
                return Ok(true);
            }
            "typedef" => Storage::Typedef,
            "extern" => Storage::Extern,
            "static" => Storage::Static,
            "auto" => Storage::Auto,
            "register" => Storage::Register,
            "_Thread_local" | "__thread" => {
                return self.fail(
                    "unsupported-threads",
                    self.position(),
                    "threads are not supported".to_owned(),
                );
            }
            "_Atomic" => {
                return self.fail(
                    "unsupported-threads",
                    self.position(),
                    "atomic types are not supported".to_owned(),
                );
            }
            "_Alignas" => {
                return self.fail(
                    "unsupported-alignment",
                    self.position(),
                    "`_Alignas` is not supported".to_owned(),
                );
            }
            _ => return Ok(false),
        };
        if result.storage.is_some() {
            let message = "a declaration has one storage class at most".to_owned();
            return self.fail("syntax", self.position(), message);
        }
        result.storage = Some(storage);
        Ok(true)
    }

    /// A specifier that is a type alone.
    fn single_specifier(&mut self) -> Parse<Option<TypeSpecifier>> {
        Ok(match self.peek_text() {
            "struct" => Some(self.record_specifier(false)?),
            "union" => Some(self.record_specifier(true)?),
            "enum" => Some(self.enum_specifier()?),
            "typeof" => Some(self.typeof_specifier()?),
            text if self.is_type_name(text) => {
                self.advance();
                Some(TypeSpecifier::Named(text.to_owned()))
            }
            _ => None,
        })
    }

    /// `main() { ... }`: before C99 a function without result type returned `int`, and compilers still take it so.
    fn is_function_without_type(&self) -> bool {
        if !(self.is_identifier_at(0) && self.is_at(1, "(")) || self.scopes.len() != 2 {
            return false;
        }
        let mut depth = 0usize;
        for distance in 1.. {
            let token = self.peek_at(distance);
            match self.text(token) {
                _ if token.kind == TokenKind::End => return false,
                "(" => depth += 1,
                ")" if depth == 1 => return self.is_at(distance + 1, "{"),
                ")" => depth -= 1,
                _ => {}
            }
        }
        false
    }

    fn missing_type<T>(&mut self) -> Parse<T> {
        if !self.is_identifier_at(0) {
            return self.unexpected("a declaration");
        }
        let text = self.peek_text();
        if self.is_at(1, "(") {
            let message = format!("`{text}` has no result type");
            return self.fail_with(
                "missing-type",
                self.position(),
                message,
                Some("write the type before the name"),
            );
        }
        let advice = "include the header that defines it, or add its folder with -I";
        self.fail_with("unknown-type", self.position(), format!("unknown type name `{text}`"), Some(advice))
    }

    fn typeof_specifier(&mut self) -> Parse<TypeSpecifier> {
        self.expect("typeof")?;
        if self.is("(") && self.starts_type_at(1) {
            self.advance();
            let ty = self.type_name()?;
            self.expect(")")?;
            return Ok(TypeSpecifier::TypeofType(Box::new(ty)));
        }
        self.expect("(")?;
        let expression = self.expression()?;
        self.expect(")")?;
        Ok(TypeSpecifier::TypeofExpression(Box::new(expression)))
    }

    // ---- records and enumerations ----

    fn record_specifier(&mut self, is_union: bool) -> Parse<TypeSpecifier> {
        let position = Position(self.advance().start);
        let (mut pack, mut attribute) = (None, None);
        self.record_attributes(&mut pack, &mut attribute);
        let tag = if self.is_identifier_at(0) { Some(self.identifier("a tag")?) } else { None };
        self.record_attributes(&mut pack, &mut attribute);
        let start = self.next;
        let members = if self.is("{") { Some(self.nested(Self::members)?) } else { None };
        if members.is_none() && tag.is_none() {
            return self.unexpected("a tag or `{`");
        }
        if members.is_some() {
            let end = self.cleaned.tokens[self.next - 1].start;
            pack = pack.or(self.packing_at(end));
            self.record_attributes(&mut pack, &mut attribute);
        }
        let body_text = self.text_between(start, self.next);
        Ok(TypeSpecifier::Record(Box::new(RecordSpecifier {
            is_union,
            tag,
            members,
            pack,
            attribute,
            body_text,
            position,
        })))
    }

    /// Attributes of a record: `packed` is understood, the first other one is kept for lowering.
    fn record_attributes(&mut self, pack: &mut Option<u32>, kept: &mut Option<Name>) {
        while self.peek().kind == TokenKind::Attribute {
            if self.peek_text().trim_matches('_') == "packed" {
                *pack = Some(0);
                self.advance();
            } else {
                self.attributes(kept);
            }
        }
    }

    /// The alignment limit that `#pragma pack` sets at a byte offset.
    fn packing_at(&self, offset: u32) -> Option<u32> {
        let before = self.packing.partition_point(|(start, _)| *start <= offset);
        before.checked_sub(1).and_then(|index| self.packing[index].1)
    }

    /// The tokens of a range, separated by blanks.
    fn text_between(&self, start: usize, end: usize) -> String {
        let texts: Vec<&str> =
            self.cleaned.tokens[start..end].iter().map(|token| self.text(*token)).collect();
        texts.join(" ")
    }

    fn members(&mut self) -> Parse<Vec<Member>> {
        self.expect("{")?;
        let mut members = Vec::new();
        while !self.take("}") {
            if self.take(";") {
                continue;
            }
            if self.is("_Static_assert") {
                members.push(Member::StaticAssert(self.static_assert()?));
                continue;
            }
            let specifiers = self.specifiers()?;
            let mut declarators = Vec::new();
            if !self.is(";") {
                declarators.push(self.field_declarator()?);
                while self.take(",") {
                    declarators.push(self.field_declarator()?);
                }
            }
            self.expect(";")?;
            members.push(Member::Fields { specifiers, declarators });
        }
        Ok(members)
    }

    fn field_declarator(&mut self) -> Parse<FieldDeclarator> {
        let declarator = if self.is(":") {
            Declarator { name: None, derived: Vec::new(), attribute: None, position: self.position() }
        } else {
            self.declarator(false)?
        };
        let width = if self.take(":") { Some(self.conditional_expression()?) } else { None };
        Ok(FieldDeclarator { declarator, width })
    }

    fn enum_specifier(&mut self) -> Parse<TypeSpecifier> {
        let position = Position(self.advance().start);
        if self.peek().kind == TokenKind::Attribute {
            return self.unsupported_attribute();
        }
        let tag = if self.is_identifier_at(0) { Some(self.identifier("a tag")?) } else { None };
        let enumerators = if self.is("{") { Some(self.enumerators()?) } else { None };
        if enumerators.is_none() && tag.is_none() {
            return self.unexpected("a tag or `{`");
        }
        if enumerators.is_some() && self.peek().kind == TokenKind::Attribute {
            return self.unsupported_attribute();
        }
        Ok(TypeSpecifier::Enum(Box::new(EnumSpecifier { tag, enumerators, position })))
    }

    fn enumerators(&mut self) -> Parse<Vec<(Name, Option<super::super::ast::Expression>)>> {
        self.expect("{")?;
        let mut enumerators = Vec::new();
        while !self.is("}") {
            let name = self.identifier("an enumerator")?;
            let value = if self.take("=") { Some(self.conditional_expression()?) } else { None };
            self.declare(&name, false);
            enumerators.push((name, value));
            if !self.take(",") {
                break;
            }
        }
        self.expect("}")?;
        Ok(enumerators)
    }

    // ---- declarators ----

    /// A type without a declared name.
    pub(super) fn type_name(&mut self) -> Parse<TypeName> {
        let specifiers = self.specifiers()?;
        let declarator = self.declarator(true)?;
        match declarator.name {
            Some(name) => self.fail(
                "syntax",
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
                "unsupported-vla",
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
            return self.fail_with("unknown-type", self.position(), message, Some(advice));
        }
        let specifiers = self.specifiers()?;
        let declarator = self.declarator(true)?;
        if let Some(name) = &declarator.name {
            self.declare(name, false);
        }
        Ok(Parameter { specifiers, declarator })
    }

    // ---- initialisers ----

    fn initialiser(&mut self) -> Parse<Initialiser> {
        if self.is("{") {
            return Ok(Initialiser::List(self.nested(Self::initialiser_list)?));
        }
        Ok(Initialiser::Expression(self.assignment_expression()?))
    }

    pub(super) fn initialiser_list(&mut self) -> Parse<InitialiserList> {
        let position = Position(self.expect("{")?.start);
        let mut entries = Vec::new();
        while !self.is("}") {
            let designators = self.designators()?;
            entries.push((designators, self.initialiser()?));
            if !self.take(",") {
                break;
            }
        }
        if self.peek().kind == TokenKind::End {
            return self.unexpected("`}`").map_err(|_: Failed| Failed);
        }
        self.expect("}")?;
        Ok(InitialiserList { entries, position })
    }

    fn designators(&mut self) -> Parse<Vec<Designator>> {
        let mut designators = Vec::new();
        if self.is_identifier_at(0) && self.is_at(1, ":") {
            let name = self.identifier("a member")?; // the old GNU form `a: 1`
            self.advance();
            return Ok(vec![Designator::Field(name)]);
        }
        loop {
            if self.take(".") {
                designators.push(Designator::Field(self.identifier("a member")?));
            } else if self.take("[") {
                let first = self.conditional_expression()?;
                let designator = if self.take("...") {
                    Designator::Range(first, self.conditional_expression()?)
                } else {
                    Designator::Index(first)
                };
                self.expect("]")?;
                designators.push(designator);
            } else {
                break;
            }
        }
        if !designators.is_empty() {
            self.expect("=")?;
        }
        Ok(designators)
    }
}
