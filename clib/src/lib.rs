//! The C library's functions of mathematics: those that compiled C code on this host is linked
//! with.
//!
//! Rust's standard library calls most of them, but not all: it brings a cubic root of its own that
//! rounds otherwise. Where the tool says what compiled code computes, it has to ask the very
//! function that this code calls.
//!
//! Rust links its own `cbrt` in front of the C library, under that name. The GNU library has the
//! function under a second name, that of the type with so many bits, which nothing else defines.

// Reason: a foreign function can only be declared in an `unsafe extern` block, since the compiler
// has to believe the signature.
//
// SAFETY: the signatures are those of ISO C11, 7.12 (`cbrtf32` and `cbrtf64`: of ISO/IEC TS
// 18661-3, whose types are `float` and `double` here). Each of these functions takes numbers and
// returns a number, both by value; it takes no pointer, keeps none, and frees nothing. C defines
// its result for all arguments, infinities and NaN included. Beside that it may write `errno` and
// the flags of the floating-point unit, which are the thread's own and which nothing in Rust
// depends on. So each is safe to call with any arguments, from any thread.
#[allow(unsafe_code)]
mod imported {
    unsafe extern "C" {
        /// Sine, in double precision.
        pub safe fn sin(x: f64) -> f64;
        /// Sine, in single precision.
        pub safe fn sinf(x: f32) -> f32;
        /// Cosine, in double precision.
        pub safe fn cos(x: f64) -> f64;
        /// Cosine, in single precision.
        pub safe fn cosf(x: f32) -> f32;
        /// Tangent, in double precision.
        pub safe fn tan(x: f64) -> f64;
        /// Tangent, in single precision.
        pub safe fn tanf(x: f32) -> f32;
        /// Arc sine, in double precision.
        pub safe fn asin(x: f64) -> f64;
        /// Arc sine, in single precision.
        pub safe fn asinf(x: f32) -> f32;
        /// Arc cosine, in double precision.
        pub safe fn acos(x: f64) -> f64;
        /// Arc cosine, in single precision.
        pub safe fn acosf(x: f32) -> f32;
        /// Arc tangent, in double precision.
        pub safe fn atan(x: f64) -> f64;
        /// Arc tangent, in single precision.
        pub safe fn atanf(x: f32) -> f32;
        /// Angle of a point: y, x, in double precision.
        pub safe fn atan2(x: f64, y: f64) -> f64;
        /// Angle of a point: y, x, in single precision.
        pub safe fn atan2f(x: f32, y: f32) -> f32;
        /// Power of e, in double precision.
        pub safe fn exp(x: f64) -> f64;
        /// Power of e, in single precision.
        pub safe fn expf(x: f32) -> f32;
        /// Power of 2, in double precision.
        pub safe fn exp2(x: f64) -> f64;
        /// Power of 2, in single precision.
        pub safe fn exp2f(x: f32) -> f32;
        /// Power of e, less 1, in double precision.
        pub safe fn expm1(x: f64) -> f64;
        /// Power of e, less 1, in single precision.
        pub safe fn expm1f(x: f32) -> f32;
        /// Natural logarithm, in double precision.
        pub safe fn log(x: f64) -> f64;
        /// Natural logarithm, in single precision.
        pub safe fn logf(x: f32) -> f32;
        /// Logarithm to base 2, in double precision.
        pub safe fn log2(x: f64) -> f64;
        /// Logarithm to base 2, in single precision.
        pub safe fn log2f(x: f32) -> f32;
        /// Logarithm to base 10, in double precision.
        pub safe fn log10(x: f64) -> f64;
        /// Logarithm to base 10, in single precision.
        pub safe fn log10f(x: f32) -> f32;
        /// Natural logarithm of 1 and the argument, in double precision.
        pub safe fn log1p(x: f64) -> f64;
        /// Natural logarithm of 1 and the argument, in single precision.
        pub safe fn log1pf(x: f32) -> f32;
        /// Power: base, exponent, in double precision.
        pub safe fn pow(x: f64, y: f64) -> f64;
        /// Power: base, exponent, in single precision.
        pub safe fn powf(x: f32, y: f32) -> f32;
        /// Hyperbolic sine, in double precision.
        pub safe fn sinh(x: f64) -> f64;
        /// Hyperbolic sine, in single precision.
        pub safe fn sinhf(x: f32) -> f32;
        /// Hyperbolic cosine, in double precision.
        pub safe fn cosh(x: f64) -> f64;
        /// Hyperbolic cosine, in single precision.
        pub safe fn coshf(x: f32) -> f32;
        /// Hyperbolic tangent, in double precision.
        pub safe fn tanh(x: f64) -> f64;
        /// Hyperbolic tangent, in single precision.
        pub safe fn tanhf(x: f32) -> f32;
        /// Length of a vector, in double precision.
        pub safe fn hypot(x: f64, y: f64) -> f64;
        /// Length of a vector, in single precision.
        pub safe fn hypotf(x: f32, y: f32) -> f32;
        /// Cubic root, in double precision.
        #[cfg_attr(all(target_os = "linux", target_env = "gnu"), link_name = "cbrtf64")]
        pub safe fn cbrt(x: f64) -> f64;
        /// Cubic root, in single precision.
        #[cfg_attr(all(target_os = "linux", target_env = "gnu"), link_name = "cbrtf32")]
        pub safe fn cbrtf(x: f32) -> f32;
    }
}

pub use imported::*;

#[cfg(test)]
mod tests {
    /// Exact results that every library agrees on show that name, number and order of arguments,
    /// and types are right.
    #[test]
    fn functions_are_called_as_declared() {
        assert_eq!((super::atan2(0.0, 1.0), super::atan2f(0.0, 1.0)), (0.0, 0.0));
        assert_eq!((super::pow(2.0, 3.0), super::powf(2.0, 3.0)), (8.0, 8.0));
        assert_eq!((super::hypot(3.0, 4.0), super::hypotf(3.0, 4.0)), (5.0, 5.0));
        // No library is held to an exact cubic root.
        let (third, second) = (super::cbrt(27.0), super::cbrtf(-8.0));
        assert!((third - 3.0).abs() < 1e-14 && (second + 2.0).abs() < 1e-6, "{third} {second}");
        assert_eq!((super::exp2(10.0), super::log2f(1024.0)), (1024.0, 10.0));
    }
}
