//! SHA-256 in hexadecimal.

use crate::build::hexadecimal;
use sha2::{Digest, Sha256};

/// The digest of these bytes.
pub fn sha256(bytes: impl AsRef<[u8]>) -> String {
    hexadecimal(&Sha256::digest(bytes))
}
