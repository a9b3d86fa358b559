//! Blocks of MDF 4.1 (ASAM, "Measurement Data Format", version 4.1).
//!
//! A block is an id, its length, links to other blocks, and data. Links are positions in the file:
//! a block that is linked to is written first, or its link is set later.

use frontend::diagnostics::visible;

/// Position of a block; 0 stands for none.
pub(super) type Link = u64;

/// A file in the making.
pub(super) struct Writer {
    bytes: Vec<u8>,
}

/// Length of id, reserved word, length and number of links.
const HEAD: u64 = 24;

impl Writer {
    /// A file with its identification block.
    pub(super) fn new() -> Self {
        let mut bytes = Vec::new();
        bytes.extend(b"MDF     4.10    chaincov");
        bytes.extend([0; 4]);
        bytes.extend(410u16.to_le_bytes());
        bytes.resize(64, 0);
        Self { bytes }
    }
    /// The finished file.
    pub(super) fn finish(self) -> Vec<u8> {
        self.bytes
    }
    /// Appends a block.
    pub(super) fn block(&mut self, id: &[u8; 2], links: &[Link], data: &[u8]) -> Link {
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        let position = self.bytes.len() as u64;
        let length = HEAD + 8 * links.len() as u64 + data.len() as u64;
        self.bytes.extend(b"##");
        self.bytes.extend(id);
        self.bytes.extend([0; 4]);
        self.bytes.extend(length.to_le_bytes());
        self.bytes.extend((links.len() as u64).to_le_bytes());
        links.iter().for_each(|link| self.bytes.extend(link.to_le_bytes()));
        self.bytes.extend(data);
        position
    }
    /// Appends a text block, or nothing for an empty text.
    pub(super) fn text(&mut self, text: &str) -> Link {
        if text.is_empty() { 0 } else { self.block(b"TX", &[], &terminated(&visible(text))) }
    }
    /// Appends a metadata block with XML text.
    pub(super) fn metadata(&mut self, xml: &str) -> Link {
        self.block(b"MD", &[], &terminated(xml))
    }
    /// Sets a link of a block that was written before.
    pub(super) fn set_link(&mut self, block: Link, index: usize, to: Link) {
        let at = (block + HEAD) as usize + 8 * index;
        self.bytes[at..at + 8].copy_from_slice(&to.to_le_bytes());
    }
}

/// Text with its zero byte, filled up to a multiple of 8.
fn terminated(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.push(0);
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes
}
