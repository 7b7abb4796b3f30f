//! gob, the encoding of Go's programs, as far as deploy records and file trees need it.
//!
//! A stream is a row of messages, each with its length. A message that begins with a negative number describes the type of
//! that number; any other holds a value of a type that was described before. Fields are numbered by how far they stand
//! from the one before, and what is zero is left out. In an interface value the concrete type's name comes first; its
//! description, where it is new, ends the message, and the value goes on in the next one.
//!
//! [`Writer`] writes what Go would write, to the byte. [`decode`] takes any well-formed stream, whatever numbers its types
//! have, and is safe on any bytes: what it builds is bounded by what it was given, and so is how deep it goes.
//! Deliberately absent: what Go's own encoders of a type put in (times), which stays bytes.

mod read;
mod write;

pub use read::{Decoded, GobError, Value, decode};
pub use write::{Shape, Type, Writer};

/// Types that need no description.
pub mod basic {
    pub const BOOL: i64 = 1;
    pub const INT: i64 = 2;
    pub const UINT: i64 = 3;
    pub const STRING: i64 = 6;
    pub const INTERFACE: i64 = 8;
}

/// The first number that a described type may have.
pub const FIRST: i64 = 65;
