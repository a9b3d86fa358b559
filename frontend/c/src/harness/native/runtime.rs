//! The parts of replay programs that are the same for all models, in C.

/// Types, loading and storing of bits, printing.
pub(super) const RUNTIME: &str = include_str!("runtime/basics.c");
/// What functions without a body return and write.
pub(super) const FEED: &str = include_str!("runtime/feed.c");
/// What ends the program.
pub(super) const END_PROGRAM: &str = include_str!("runtime/end_program.c");
/// The main function where steps are called.
pub(super) const MAIN: &str = include_str!("runtime/main.c");
/// The main function where the model has its own loop.
pub(super) const DRIVER_MAIN: &str = include_str!("runtime/driver_main.c");
/// What the program needs of a host with a C library.
pub(super) const HOSTED: &str = include_str!("runtime/hosted.c");
/// The same without a C library, on a 32-bit machine.
pub(super) const COMPACT: &str = include_str!("runtime/compact.c");
