//! Functions of math.h whose results no standard fixes: what is known of them for certain, and what
//! the host's library says.
//!
//! In a transition system the result of such a call is an input of the step that nobody chooses
//! ([`InputRole::Choice`]), under assumptions that hold of every implementation with an error below
//! a few units in the last place. So the system has every execution of the real program and more. A
//! search corrects the difference point by point ([`Lemma`]).
//!
//! [`InputRole::Choice`]: crate::system::InputRole::Choice

use crate::sort::{FloatFormat, Sort};
use crate::system::{InputId, OriginId};
use crate::term::TermId;
use crate::value::Value;

/// How a function runs, which tells what one known point says of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Where both results are numbers, a larger argument has no smaller result, up to [`SLACK`].
    Increasing,
    /// A larger argument has no larger result, up to [`SLACK`].
    Decreasing,
    /// Nothing but the point itself.
    Free,
}

/// Units in the last place by which the results of a monotone function may be out of order in an
/// implementation.
pub const SLACK: u64 = 8;

macro_rules! functions {
    ($($(#[$doc:meta])* $variant:ident $name:literal $shape:ident $double:ident $single:ident ($($argument:literal),+);)*) => {
        /// A function of math.h that is not defined exactly.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Function { $($(#[$doc])* $variant,)* }

        impl Function {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Its name for `double`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
            /// How it runs.
            pub const fn shape(self) -> Shape {
                match self { $(Self::$variant => Shape::$shape,)* }
            }
            fn single(self, arguments: &[f32]) -> f32 {
                match self { $(Self::$variant => clib::$single($(arguments[$argument]),+),)* }
            }
            fn double(self, arguments: &[f64]) -> f64 {
                match self { $(Self::$variant => clib::$double($(arguments[$argument]),+),)* }
            }
        }
    };
}

functions! {
    /// Sine.
    Sin "sin" Free sin sinf (0);
    /// Cosine.
    Cos "cos" Free cos cosf (0);
    /// Tangent.
    Tan "tan" Free tan tanf (0);
    /// Arc sine.
    Asin "asin" Increasing asin asinf (0);
    /// Arc cosine.
    Acos "acos" Decreasing acos acosf (0);
    /// Arc tangent.
    Atan "atan" Increasing atan atanf (0);
    /// Angle of a point: y, x.
    Atan2 "atan2" Free atan2 atan2f (0, 1);
    /// Power of e.
    Exp "exp" Increasing exp expf (0);
    /// Power of 2.
    Exp2 "exp2" Increasing exp2 exp2f (0);
    /// Power of e, less 1.
    Expm1 "expm1" Increasing expm1 expm1f (0);
    /// Natural logarithm.
    Log "log" Increasing log logf (0);
    /// Logarithm to base 2.
    Log2 "log2" Increasing log2 log2f (0);
    /// Logarithm to base 10.
    Log10 "log10" Increasing log10 log10f (0);
    /// Natural logarithm of 1 and the argument.
    Log1p "log1p" Increasing log1p log1pf (0);
    /// Power: base, exponent.
    Pow "pow" Free pow powf (0, 1);
    /// Hyperbolic sine.
    Sinh "sinh" Increasing sinh sinhf (0);
    /// Hyperbolic cosine.
    Cosh "cosh" Free cosh coshf (0);
    /// Hyperbolic tangent.
    Tanh "tanh" Increasing tanh tanhf (0);
    /// Length of a vector.
    Hypot "hypot" Free hypot hypotf (0, 1);
    /// Cubic root.
    Cbrt "cbrt" Increasing cbrt cbrtf (0);
}

impl Function {
    /// The function of a C name, `f` variants included.
    pub fn named(name: &str) -> Option<Self> {
        let find = |name: &str| Self::ALL.iter().copied().find(|function| function.name() == name);
        find(name).or_else(|| find(name.strip_suffix('f')?))
    }

    /// Number of arguments.
    pub const fn arguments(self) -> usize {
        match self {
            Self::Atan2 | Self::Pow | Self::Hypot => 2,
            _ => 1,
        }
    }

    /// What the host's library says: the one that compiled code on this host is linked with.
    ///
    /// # Panics
    /// If the number of arguments is not [`Function::arguments`].
    pub fn evaluate(self, format: FloatFormat, arguments: &[Value]) -> Value {
        assert_eq!(arguments.len(), self.arguments(), "a function should get all its arguments");
        let bits = |index: usize| arguments.get(index).map_or(0, |value| value.bits());
        Value::new(Sort::Float(format), self.apply(format, [bits(0), bits(1)]))
    }

    /// The same on bits; a function of one argument takes the first.
    pub fn apply(self, format: FloatFormat, arguments: [u128; 2]) -> u128 {
        let (bits, is_nan) = match format {
            FloatFormat::Single => {
                let value = self.single(&arguments.map(|bits| f32::from_bits(bits as u32)));
                (u128::from(value.to_bits()), value.is_nan())
            }
            FloatFormat::Double => {
                let value = self.double(&arguments.map(|bits| f64::from_bits(bits as u64)));
                (u128::from(value.to_bits()), value.is_nan())
            }
        };
        if is_nan { format.canonical_nan() } else { bits }
    }

    /// The C name of the function for a format.
    pub fn c_name(self, format: FloatFormat) -> String {
        let suffix = if format == FloatFormat::Single { "f" } else { "" };
        format!("{}{suffix}", self.name())
    }
}

/// A call in the step.
#[derive(Clone, Debug)]
pub struct Call {
    /// The function.
    pub function: Function,
    /// The format of arguments and result.
    pub format: FloatFormat,
    /// The input of the system that stands for its result.
    pub input: InputId,
    /// The arguments, over state and inputs; among these only results of earlier calls.
    pub arguments: Vec<TermId>,
    /// Where the call stands.
    pub origin: Option<OriginId>,
}

/// A point at which the host's library was asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lemma {
    /// The function.
    pub function: Function,
    /// The format.
    pub format: FloatFormat,
    /// The arguments.
    pub arguments: Vec<Value>,
    /// What the library said.
    pub result: Value,
}
