//! How much a single function may make: a program must not take all memory by one call.

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
