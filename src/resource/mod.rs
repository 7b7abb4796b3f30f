//! Kinds of resources: their schemas, and for the built-in ones how they are checked and applied.

pub mod autoedge;
pub mod meta;
pub mod mode;
pub mod schema;
pub mod validate;

pub use meta::{META, MetaDefault, MetaParameter, meta_parameter, semaphore, validate_meta};
pub use schema::{FieldType, Parameter, SCHEMAS, Schema, schema};
pub use validate::validate;
