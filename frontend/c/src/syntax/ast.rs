//! The untyped syntax tree of C.
//!
//! It is what the user wrote, with the questions answered that need only the names of types in
//! scope: what is a cast, a call, a declaration. Types, sizes and conversions come later, in
//! `lower`. Every node knows its [`Position`].

use super::SyntaxError;

/// A byte offset in the text that was parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct Position(pub(crate) u32);

/// A name and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) position: Position,
}

/// A file-scope item.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Function(Box<FunctionDefinition>),
    Declaration(Declaration),
    StaticAssert(StaticAssert),
    /// Something with an error, which has been reported: the names that it was to declare.
    Failed(Vec<Name>),
}

/// A function with its body.
#[derive(Clone, Debug)]
pub(crate) struct FunctionDefinition {
    pub(crate) specifiers: Specifiers,
    pub(crate) declarator: Declarator,
    pub(crate) body: Vec<Statement>,
    /// What is not supported in the body; it is empty then.
    pub(crate) unsupported: Vec<SyntaxError>,
    /// Whether the body may say what is assumed or expected, so that the function has a
    /// meaning of its own though nothing calls it.
    pub(crate) may_assume: bool,
}

/// `_Static_assert(condition, "message")`.
#[derive(Clone, Debug)]
pub(crate) struct StaticAssert {
    pub(crate) condition: Expression,
    pub(crate) message: String,
}

/// Specifiers and the things they declare, possibly none (`struct s { ... };`).
#[derive(Clone, Debug)]
pub(crate) struct Declaration {
    pub(crate) specifiers: Specifiers,
    pub(crate) declarators: Vec<InitDeclarator>,
}

/// A declarator with its initialiser.
#[derive(Clone, Debug)]
pub(crate) struct InitDeclarator {
    pub(crate) declarator: Declarator,
    pub(crate) initialiser: Option<Initialiser>,
}

/// Storage classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
}

/// Everything before the declarators.
#[derive(Clone, Debug)]
pub(crate) struct Specifiers {
    pub(crate) storage: Option<Storage>,
    pub(crate) is_inline: bool,
    pub(crate) is_const: bool,
    pub(crate) is_volatile: bool,
    pub(crate) ty: TypeSpecifier,
    /// An attribute that may change layout or meaning, other than `packed`.
    pub(crate) attribute: Option<Name>,
    pub(crate) position: Position,
}

/// What type the specifiers name.
#[derive(Clone, Debug)]
pub(crate) enum TypeSpecifier {
    Void,
    Integer(crate::ir::types::IntegerKind),
    Float,
    Double,
    /// A typedef name.
    Named(String),
    Record(Box<RecordSpecifier>),
    Enum(Box<EnumSpecifier>),
    /// `typeof(expression)`.
    TypeofExpression(Box<Expression>),
    /// `__auto_type` of a variable with this initial value.
    TypeofValue(Box<Expression>),
    /// `typeof(type)`.
    TypeofType(Box<TypeName>),
    /// A type that C has and this tool has not: `long double`, `_Complex`, `__int128`.
    Unsupported(&'static str),
}

/// `struct tag { members }` or a part of it.
#[derive(Clone, Debug)]
pub(crate) struct RecordSpecifier {
    pub(crate) is_union: bool,
    pub(crate) tag: Option<Name>,
    pub(crate) members: Option<Vec<Member>>,
    /// Members are aligned to at most this many bytes (`#pragma pack`); 0: packed, bit-fields too.
    pub(crate) pack: Option<u32>,
    /// Another attribute that may change layout.
    pub(crate) attribute: Option<Name>,
    /// The tokens of the members in one string; equal for equal definitions in several files.
    pub(crate) body_text: String,
    pub(crate) position: Position,
}

/// A member declaration of a record.
#[derive(Clone, Debug)]
pub(crate) enum Member {
    Fields { specifiers: Specifiers, declarators: Vec<FieldDeclarator> },
    StaticAssert(StaticAssert),
}

/// A member, possibly a bit-field (then it may have no name).
#[derive(Clone, Debug)]
pub(crate) struct FieldDeclarator {
    pub(crate) declarator: Declarator,
    pub(crate) width: Option<Expression>,
}

/// `enum tag { enumerators }` or a part of it.
#[derive(Clone, Debug)]
pub(crate) struct EnumSpecifier {
    pub(crate) tag: Option<Name>,
    pub(crate) enumerators: Option<Vec<(Name, Option<Expression>)>>,
    pub(crate) position: Position,
}

/// A declared name and what its type is derived from the specifiers' type by.
#[derive(Clone, Debug)]
pub(crate) struct Declarator {
    /// `None`: an abstract declarator.
    pub(crate) name: Option<Name>,
    /// From the name outwards: `int *x[3]` is array, pointer.
    pub(crate) derived: Vec<Derived>,
    /// An attribute behind it that may change layout or meaning.
    pub(crate) attribute: Option<Name>,
    pub(crate) position: Position,
}

/// One step of a derived type.
#[derive(Clone, Debug)]
pub(crate) enum Derived {
    Pointer {
        is_const: bool,
        is_volatile: bool,
    },
    Array {
        length: Option<Expression>,
        position: Position,
    },
    Function {
        parameters: Vec<Parameter>,
        is_variadic: bool,
        /// `()`: nothing is said about parameters.
        is_unspecified: bool,
    },
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) specifiers: Specifiers,
    pub(crate) declarator: Declarator,
}

/// A type where no name is declared: in casts and `sizeof`.
#[derive(Clone, Debug)]
pub(crate) struct TypeName {
    pub(crate) specifiers: Specifiers,
    pub(crate) declarator: Declarator,
}

/// An initialiser.
#[derive(Clone, Debug)]
pub(crate) enum Initialiser {
    Expression(Expression),
    List(InitialiserList),
}

/// `{ .a = 1, [2] = 3, 4 }`.
#[derive(Clone, Debug)]
pub(crate) struct InitialiserList {
    pub(crate) entries: Vec<(Vec<Designator>, Initialiser)>,
    pub(crate) position: Position,
}

/// A step of a designation.
#[derive(Clone, Debug)]
pub(crate) enum Designator {
    Field(Name),
    Index(Expression),
    /// GNU `[first ... last]`.
    Range(Expression, Expression),
}

/// A statement or declaration in a block.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub(crate) kind: StatementKind,
    pub(crate) position: Position,
}

/// What a statement is.
#[derive(Clone, Debug)]
pub(crate) enum StatementKind {
    Empty,
    Expression(Expression),
    Declaration(Declaration),
    StaticAssert(StaticAssert),
    Block(Vec<Statement>),
    /// `if`; a chain `else if` is one node, so that long chains do not nest.
    If {
        arms: Vec<(Expression, Statement)>,
        otherwise: Option<Box<Statement>>,
    },
    While {
        condition: Expression,
        body: Box<Statement>,
    },
    DoWhile {
        body: Box<Statement>,
        condition: Expression,
    },
    For {
        initial: Option<Box<Statement>>,
        condition: Option<Expression>,
        step: Option<Expression>,
        body: Box<Statement>,
    },
    Switch {
        value: Expression,
        body: Box<Statement>,
    },
    /// `case low:` or `case low ... high:`; what it labels follows.
    Case {
        low: Expression,
        high: Option<Expression>,
    },
    Default,
    /// A label; what it labels follows.
    Label(String),
    Goto(String),
    Break,
    Continue,
    Return(Option<Expression>),
}

/// An expression.
#[derive(Clone, Debug)]
pub(crate) struct Expression {
    pub(crate) kind: ExpressionKind,
    pub(crate) position: Position,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prefix {
    Plus,
    Minus,
    Complement,
    Not,
    Dereference,
    Address,
    Increment,
    Decrement,
}

/// Operators with two operands, assignments and comma excluded.
pub(crate) type Infix = crate::ir::expr::BinaryOp;

/// What an expression is.
#[derive(Clone, Debug)]
pub(crate) enum ExpressionKind {
    Name(String),
    /// Only in configured expressions: `function::x`, `file.c::x`.
    Qualified {
        scope: String,
        name: String,
    },
    Number(String),
    Character(String),
    /// Adjacent literals.
    String(Vec<String>),
    Prefix(Prefix, Box<Expression>),
    /// `x++` (true) or `x--`.
    Postfix(Box<Expression>, bool),
    Infix(Infix, Box<Expression>, Box<Expression>),
    LogicalAnd(Box<Expression>, Box<Expression>),
    LogicalOr(Box<Expression>, Box<Expression>),
    /// `a = b`, or `a op= b`.
    Assign(Option<Infix>, Box<Expression>, Box<Expression>),
    /// GNU `a ?: b` has no middle operand.
    Conditional(Box<Expression>, Option<Box<Expression>>, Box<Expression>),
    Comma(Box<Expression>, Box<Expression>),
    Call(Box<Expression>, Vec<Expression>),
    Index(Box<Expression>, Box<Expression>),
    /// `a.field` or, with true, `a->field`.
    Member(Box<Expression>, Name, bool),
    Cast(Box<TypeName>, Box<Expression>),
    CompoundLiteral(Box<TypeName>, InitialiserList),
    SizeofExpression(Box<Expression>),
    SizeofType(Box<TypeName>),
    /// `_Alignof(type)` or, with true, GNU `__alignof__(type)`.
    AlignofType(Box<TypeName>, bool),
    /// GNU `_Alignof` or `__alignof__` of an expression: both say the same.
    AlignofExpression(Box<Expression>),
    Offsetof(Box<TypeName>, Name, Vec<Designator>),
    /// `_Generic`: what is looked at, and for each type (`None`: all others) an expression.
    Generic(Box<Expression>, Vec<(Option<TypeName>, Expression)>),
    /// GNU `({ ... })`.
    Block(Vec<Statement>),
}
