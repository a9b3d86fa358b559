//! All integration tests of the crate as one program: one link instead of one per file.

mod brute;
mod car_alarm;
mod messages;
mod prolog;
mod random;
