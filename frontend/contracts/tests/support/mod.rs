//! Interfaces from texts.

#![allow(dead_code, unreachable_pub, missing_docs)]

use contracts::{Document, Unreadable, read};

pub const BUFFER: &str = include_str!("../../../../examples/buffer.ri");

pub fn read_text(text: &str) -> Result<Document, Box<Unreadable>> {
    read_with(text, &[])
}

pub fn read_with(text: &str, define: &[String]) -> Result<Document, Box<Unreadable>> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("model.ri");
    std::fs::write(&path, text).expect("a file");
    read(&[path], define)
}

pub fn document(text: &str) -> Document {
    read_text(text).unwrap_or_else(|error| panic!("{error}"))
}
