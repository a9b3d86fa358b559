//! SHA-256 in hexadecimal.

use crate::build::hexadecimal;
use sha2::{Digest, Sha256};
use std::io::Read;

/// Bytes that are read at once: few calls, and no memory as large as a program.
const BUFFER: usize = 1 << 16;

/// The digest of these bytes.
pub fn sha256(bytes: impl AsRef<[u8]>) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// The digest of all that a file holds.
///
/// # Errors
/// It cannot be read.
pub fn sha256_of(mut file: impl Read) -> std::io::Result<String> {
    let (mut hash, mut buffer) = (Sha256::new(), vec![0; BUFFER]);
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(hexadecimal(&hash.finalize())),
            Ok(count) => hash.update(&buffer[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
