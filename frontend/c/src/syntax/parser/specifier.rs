//! Specifiers: everything of a declaration before its declarators, and how one sees that a
//! declaration begins.

use super::super::ast::{Name, Position, Specifiers, Storage, TypeSpecifier};
use super::super::token::TokenKind;
use super::{FILE_SCOPE, Parse, Parser};
use crate::code::Code;
use crate::ir::types::IntegerKind;

/// GNU C: the type of a variable is that of its initial value.
pub(super) const AUTO_TYPE: &str = "__auto_type";

/// Words that begin a declaration, typedef names and [`TYPE_PARTS`] aside.
const DECLARATION_WORDS: [&str; 18] = [
    AUTO_TYPE,
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
                    return self.fail(Code::Syntax, position, message);
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
                    Code::UnsupportedThreads,
                    self.position(),
                    "threads are not supported".to_owned(),
                );
            }
            "_Atomic" => {
                return self.fail(
                    Code::UnsupportedThreads,
                    self.position(),
                    "atomic types are not supported".to_owned(),
                );
            }
            "_Alignas" => {
                return self.fail(
                    Code::UnsupportedAlignment,
                    self.position(),
                    "`_Alignas` is not supported".to_owned(),
                );
            }
            _ => return Ok(false),
        };
        if result.storage.is_some() {
            let message = "a declaration has one storage class at most".to_owned();
            return self.fail(Code::Syntax, self.position(), message);
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
            AUTO_TYPE => {
                self.advance();
                Some(TypeSpecifier::Unsupported(AUTO_TYPE))
            }
            text if self.is_type_name(text) => {
                self.advance();
                Some(TypeSpecifier::Named(text.to_owned()))
            }
            _ => None,
        })
    }

    /// `main() { ... }`: before C99 a function without result type returned `int`, and compilers
    /// still take it so.
    fn is_function_without_type(&self) -> bool {
        if !(self.is_identifier_at(0) && self.is_at(1, "(")) || self.scopes.len() != FILE_SCOPE {
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

    pub(super) fn missing_type<T>(&mut self) -> Parse<T> {
        if !self.is_identifier_at(0) {
            return self.unexpected("a declaration");
        }
        let text = self.peek_text();
        if self.is_at(1, "(") {
            let message = format!("`{text}` has no result type");
            return self.fail_with(
                Code::MissingType,
                self.position(),
                message,
                Some("write the type before the name"),
            );
        }
        self.take_for_type();
        let advice = "include the header that defines it, or add its folder with -I";
        self.fail_with(
            Code::UnknownType,
            self.position(),
            format!("unknown type name `{text}`"),
            Some(advice),
        )
    }

    /// Takes an unknown name for a type from here on, so that it is reported once.
    fn take_for_type(&mut self) {
        let (text, position) = (self.peek_text().to_owned(), self.position());
        if self.scopes.iter().all(|scope| !scope.contains_key(&text)) {
            self.scopes[FILE_SCOPE - 1].insert(text.clone(), true);
            self.item_names.push(Name { text, position });
        }
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

    /// Consumes attributes that may change layout or meaning. One is kept for lowering, which knows
    /// whether it matters: the first, unless only an alignment came before, which matters less
    /// often than all others.
    pub(super) fn attributes(&mut self, kept: &mut Option<Name>) {
        while self.peek().kind == TokenKind::Attribute {
            let token = self.advance();
            let name = Name { text: self.text(token).to_owned(), position: Position(token.start) };
            let is_alignment = |name: &Name| name.text.trim_matches('_').starts_with("align");
            if kept.as_ref().is_none_or(|kept| is_alignment(kept) && !is_alignment(&name)) {
                *kept = Some(name);
            }
        }
    }
}
