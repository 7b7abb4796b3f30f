//! The size limits for the result of a single function, so that one call cannot take all memory.

use std::fmt::{self, Write};

use super::call::Failure;

/// The longest text: 16 MiB.
pub const TEXT: usize = 16 << 20;

/// The longest list.
pub const ITEMS: usize = 2_000_000;

/// Refuses a text that would be too long.
pub fn text(bytes: usize) -> Result<(), Failure> {
    if bytes <= TEXT { Ok(()) } else { Err(Failure::fatal(format!("the text would be longer than {TEXT} bytes"))) }
}

/// Refuses a list that would be too long.
pub fn items(count: usize) -> Result<(), Failure> {
    if count <= ITEMS { Ok(()) } else { Err(Failure::fatal(format!("the list would have more than {ITEMS} items"))) }
}

/// Text that refuses to grow beyond the limit: a value that repeats its parts many times can print to more than any
/// memory.
pub struct Capped(pub String);

impl Write for Capped {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        if self.0.len() + part.len() > TEXT {
            return Err(fmt::Error);
        }
        self.0.push_str(part);
        Ok(())
    }
}

/// Like [`Capped`], for text that need not be UTF-8.
pub struct CappedBytes(pub Vec<u8>);

impl CappedBytes {
    /// Appends bytes. Fails, without a change, if the text would be longer than the limit.
    pub fn push(&mut self, part: &[u8]) -> fmt::Result {
        if self.0.len() + part.len() > TEXT {
            return Err(fmt::Error);
        }
        self.0.extend_from_slice(part);
        Ok(())
    }
}

impl Write for CappedBytes {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.push(part.as_bytes())
    }
}
