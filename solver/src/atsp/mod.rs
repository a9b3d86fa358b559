//! The asymmetric travelling salesman problem.
