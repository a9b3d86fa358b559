//! Functions of math.h whose results no standard fixes: what is known of them for certain, and what the host's library says.
//!
//! In a transition system the result of such a call is an input of the step that nobody chooses ([`InputRole::Choice`]), under
//! assumptions that hold of every implementation with an error below a few units in the last place. So the system has
//! every execution of the real program and more. A search corrects the difference point by point ([`Lemma`]).
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

/// Units in the last place by which the results of a monotone function may be out of order in an implementation.
pub const SLACK: u64 = 8;

macro_rules! functions {
    ($($(#[$doc:meta])* $variant:ident $name:literal $shape:ident $($method:ident)? $(2 $pair:ident)?;)*) => {
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
                match self { $(Self::$variant => arguments[0]$(.$method())?$(.$pair(arguments[1]))?,)* }
            }
            fn double(self, arguments: &[f64]) -> f64 {
                match self { $(Self::$variant => arguments[0]$(.$method())?$(.$pair(arguments[1]))?,)* }
            }
        }
    };
}

functions! {
    /// Sine.
    Sin "sin" Free sin;
    /// Cosine.
    Cos "cos" Free cos;
    /// Tangent.
    Tan "tan" Free tan;
    /// Arc sine.
    Asin "asin" Increasing asin;
    /// Arc cosine.
    Acos "acos" Decreasing acos;
    /// Arc tangent.
    Atan "atan" Increasing atan;
    /// Angle of a point: y, x.
    Atan2 "atan2" Free 2 atan2;
    /// Power of e.
    Exp "exp" Increasing exp;
    /// Power of 2.
    Exp2 "exp2" Increasing exp2;
    /// Power of e, less 1.
    Expm1 "expm1" Increasing exp_m1;
    /// Natural logarithm.
    Log "log" Increasing ln;
    /// Logarithm to base 2.
    Log2 "log2" Increasing log2;
    /// Logarithm to base 10.
    Log10 "log10" Increasing log10;
    /// Natural logarithm of 1 and the argument.
    Log1p "log1p" Increasing ln_1p;
    /// Power: base, exponent.
    Pow "pow" Free 2 powf;
    /// Hyperbolic sine.
    Sinh "sinh" Increasing sinh;
    /// Hyperbolic cosine.
    Cosh "cosh" Free cosh;
    /// Hyperbolic tangent.
    Tanh "tanh" Increasing tanh;
    /// Length of a vector.
    Hypot "hypot" Free 2 hypot;
    /// Cubic root.
    Cbrt "cbrt" Increasing cbrt;
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
