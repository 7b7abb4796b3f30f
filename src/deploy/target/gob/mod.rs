//! gob, the encoding of Go's programs, as far as deploy records and file trees need it.
//!
//! A stream is a sequence of messages, each with its length. A message that begins with a negative number describes the
//! type of that number. Any other message holds a value of a described type. A field is numbered by the distance from
//! the previous one, and zero fields are omitted. In an interface value the concrete type's name comes first. If the
//! type is new, its description ends the message, and the value continues in the next one.
//!
//! [`Writer`] writes the same bytes as Go. [`decode`] accepts any well-formed stream, whatever numbers its types have.
//! It is safe on any input: the input bounds the size and the depth of the result. Deliberately absent: types with
//! their own encoder (times), which stay bytes.

mod read;
mod write;

pub use read::{Decoded, GobError, Value, decode};
pub use write::{Shape, Type, Writer};

/// Types that need no description.
pub mod basic {
    /// Go's `bool`.
    pub const BOOL: i64 = 1;
    /// Go's signed integers of any size.
    pub const INT: i64 = 2;
    /// Go's unsigned integers of any size.
    pub const UINT: i64 = 3;
    /// Go's `string`.
    pub const STRING: i64 = 6;
    /// Go's interfaces, whose values name their type.
    pub const INTERFACE: i64 = 8;
}

/// The lowest number of a described type.
pub const FIRST: i64 = 65;
