//! The codes of what the C front end reports.

use frontend::define_codes;

define_codes! {
    /// What the C front end reports.
    pub enum Code {
        /// A parameter of initialisation may be any of several objects.
        AmbiguousInit = "ambiguous-init", Source;
        /// A name means different objects in different files.
        AmbiguousName = "ambiguous-name", Source;
        /// A call has too few or too many arguments.
        ArgumentCount = "argument-count", Source;
        /// An assertion in initialisation code is ignored.
        AssertionInInit = "assertion-in-init", Source;
        /// A condition changes something.
        AssignmentInCondition = "assignment-in-condition", Request;
        /// The section `[bind]` names no object, or one of another type.
        BadBind = "bad-bind", Request;
        /// The length of an array is negative or too large.
        BadLength = "bad-length", Source;
        /// A literal is malformed or does not fit its type.
        BadLiteral = "bad-literal", Source;
        /// The size of a value is asked for that has the type of a bit-field: compilers differ.
        BitFieldSize = "bit-field-size", Source;
        /// Calls lead to code in more ways than are told apart.
        CallPaths = "call-paths", Source;
        /// Two declarations of a name differ in type.
        ConflictingTypes = "conflicting-types", Source;
        /// Two labels of a `switch` stand for one value.
        DuplicateCase = "duplicate-case", Source;
        /// A name is defined twice.
        DuplicateDefinition = "duplicate-definition", Source;
        /// Two goals have one name.
        DuplicateGoal = "duplicate-goal", Request;
        /// A label stands twice in a function.
        DuplicateLabel = "duplicate-label", Source;
        /// Pointers lead to ever new objects.
        EndlessPointers = "endless-pointers", Source;
        /// An initialiser names more than there is.
        ExcessInitialiser = "excess-initialiser", Source;
        /// Nothing fixes the value of a variable of a property.
        FreeValue = "free-value", Source;
        /// A goal in initialisation code is ignored.
        GoalInInit = "goal-in-init", Source;
        /// A property file declares `extern` what the model keeps within a file.
        HiddenName = "hidden-name", Source;
        /// A type is needed whose members are not known.
        IncompleteType = "incomplete-type", Source;
        /// A constant index of a condition lies outside its array.
        IndexOutOfBounds = "index-out-of-bounds", Source;
        /// A function looks like a property, but does not call the step function itself.
        IndirectProperty = "indirect-property", Source;
        /// A condition over states speaks about an input.
        InputInStateCondition = "input-in-state-condition", Request;
        /// Executions are left out because a loop or recursion goes on beyond the limit.
        LeftOut = "left-out", Source;
        /// No bound of a loop or recursion is known.
        LoopBound = "loop-bound", Source;
        /// Initialisation overwrites a constant of the configuration.
        LostConstant = "lost-constant", Request;
        /// `old` or `prev` stands where there is no step before.
        MisplacedOld = "misplaced-old", Source;
        /// A declaration has no type.
        MissingType = "missing-type", Source;
        /// Nothing gives a variable a value that the step reads.
        NeverSet = "never-set", Source;
        /// The configuration gives a value that is no constant.
        NoConstant = "no-constant", Request;
        /// No initialisation function was found.
        NoInit = "no-init", Source;
        /// A limit is set on something that is no input.
        NoInput = "no-input", Source;
        /// The step has no inputs.
        NoInputs = "no-inputs", Source;
        /// A value stands where an object is needed.
        NoLvalue = "no-lvalue", Request;
        /// No program can be made that replays the chain.
        NoReplay = "no-replay", Source;
        /// An object with members stands where a number is needed.
        NoScalar = "no-scalar", Request;
        /// Initialisation never ends.
        NoStart = "no-start", Source;
        /// No step function was found.
        NoStep = "no-step", Request;
        /// The assumptions that are made in the step contradict each other.
        NoStepPossible = "no-step-possible", Source;
        /// A constant is needed.
        NotConstant = "not-constant", Source;
        /// An input is a pointer.
        PointerInput = "pointer-input", Request;
        /// An output is a pointer.
        PointerOutput = "pointer-output", Source;
        /// The preprocessor failed.
        Preprocessor = "preprocessor", Source;
        /// A property calls the step function for other objects than the model does.
        PropertyArgument = "property-argument", Source;
        /// A property changes the state before the step.
        PropertyWritesState = "property-writes-state", Source;
        /// Several functions look like the step function.
        SeveralRates = "several-rates", Request;
        /// A static assertion does not hold.
        StaticAssert = "static-assert", Source;
        /// A condition calls the step function.
        StepInCondition = "step-in-condition", Source;
        /// The text does not follow C's grammar.
        Syntax = "syntax", Source;
        /// The step function takes the number of a task.
        TaskNumber = "task-number", Source;
        /// An object or a case distinction has too many parts.
        TooLarge = "too-large", Source;
        /// An operand has a type that the operator does not allow.
        TypeMismatch = "type-mismatch", Source;
        /// A function is called that is not declared.
        UndeclaredFunction = "undeclared-function", Source;
        /// Initialisation runs into an operation that C leaves undefined.
        UndefinedInInit = "undefined-in-init", Source;
        /// There is no function of the name given for initialisation.
        UnknownInit = "unknown-init", Request;
        /// A `goto` names no label.
        UnknownLabel = "unknown-label", Source;
        /// A structure or union has no member of this name.
        UnknownMember = "unknown-member", Source;
        /// A name is not declared.
        UnknownName = "unknown-name", Source;
        /// A function has no parameter of this name.
        UnknownParameter = "unknown-parameter", Source;
        /// There is no function of the name given for the step.
        UnknownStep = "unknown-step", Request;
        /// A name of a type is not declared.
        UnknownType = "unknown-type", Source;
        /// It is not known where a pointer points.
        UnresolvedPointer = "unresolved-pointer", Source;
        /// Arguments are computed by calls whose order C leaves open.
        ArgumentOrder = "argument-order", Source;
        /// A bit-field is wider than `int`: compilers differ in its promotion.
        WideBitField = "wide-bit-field", Source;
        /// A number is used as an address.
        UnsupportedAbsoluteAddress = "unsupported-absolute-address", Unsupported;
        /// `_Alignas` is used, or `_Alignof` of what a computed pointer points to.
        UnsupportedAlignment = "unsupported-alignment", Unsupported;
        /// Assembler code stands in the C code.
        UnsupportedAsm = "unsupported-asm", Unsupported;
        /// An attribute changes what the code means.
        UnsupportedAttribute = "unsupported-attribute", Unsupported;
        /// `_Generic` chooses by qualifiers of what a pointer points to.
        UnsupportedGeneric = "unsupported-generic", Unsupported;
        /// A bit-field is of a kind that has no layout here.
        UnsupportedBitField = "unsupported-bit-field", Unsupported;
        /// A function of the compiler has no meaning here.
        UnsupportedBuiltin = "unsupported-builtin", Unsupported;
        /// A function of the C library has no meaning here.
        UnsupportedCall = "unsupported-call", Unsupported;
        /// A `case` leads into the midst of a statement.
        UnsupportedCase = "unsupported-case", Unsupported;
        /// A `goto` leads to a computed place.
        UnsupportedComputedGoto = "unsupported-computed-goto", Unsupported;
        /// An initialiser is of a form that is not read.
        UnsupportedInitialiser = "unsupported-initialiser", Unsupported;
        /// The code jumps out of functions.
        UnsupportedJump = "unsupported-jump", Unsupported;
        /// A function is defined within a function.
        UnsupportedNestedFunction = "unsupported-nested-function", Unsupported;
        /// The text is nested too deeply.
        UnsupportedNesting = "unsupported-nesting", Unsupported;
        /// `old` or `prev` is asked of something that is no scalar.
        UnsupportedOld = "unsupported-old", Unsupported;
        /// The bytes of a pointer are looked at.
        UnsupportedPointerBytes = "unsupported-pointer-bytes", Unsupported;
        /// A pointer comes from outside.
        UnsupportedPointerInput = "unsupported-pointer-input", Unsupported;
        /// A pointer is converted to an integer.
        UnsupportedPointerNumber = "unsupported-pointer-number", Unsupported;
        /// A property is of a form that is not read.
        UnsupportedProperty = "unsupported-property", Unsupported;
        /// The rounding mode of floats is changed.
        UnsupportedRounding = "unsupported-rounding", Unsupported;
        /// A call concerns a number of bytes that is not known.
        UnsupportedSize = "unsupported-size", Unsupported;
        /// A statement is of a form that is not read.
        UnsupportedStatement = "unsupported-statement", Unsupported;
        /// A string literal is used in a form that is not read.
        UnsupportedString = "unsupported-string", Unsupported;
        /// The code uses threads or atomic types.
        UnsupportedThreads = "unsupported-threads", Unsupported;
        /// A type has no meaning here.
        UnsupportedType = "unsupported-type", Unsupported;
        /// A function without a body writes through an argument of `...`.
        UnsupportedVariadicOutput = "unsupported-variadic-output", Unsupported;
        /// The code uses vector instructions.
        UnsupportedVector = "unsupported-vector", Unsupported;
        /// An array has a variable length.
        UnsupportedVla = "unsupported-vla", Unsupported;
        /// A function without a body writes through a `void *`.
        UnsupportedVoidOutput = "unsupported-void-output", Unsupported;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontend::code::Common;
    use std::collections::BTreeSet;

    #[test]
    fn texts_are_unique_and_say_what_is_unsupported() {
        let own = Code::ALL.iter().map(|code| code.code());
        let codes: Vec<_> = own.chain(Common::ALL.iter().map(|code| code.code())).collect();
        let texts: BTreeSet<&str> = codes.iter().map(|code| code.text).collect();
        assert_eq!(texts.len(), codes.len());
        for code in codes {
            assert_eq!(code.is_unsupported(), code.text.starts_with("unsupported-"), "{code}");
            assert!(code.meaning.ends_with('.'), "{code}: {}", code.meaning);
        }
    }
}
