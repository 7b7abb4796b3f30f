//! Kinds of resources: their schemas, and for the built-in ones how they are checked and applied.

pub mod schema;

pub use schema::{FieldType, Parameter, Schema, schema};
