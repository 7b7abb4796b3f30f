//! Kinds of resources that a program declares. They have documentation and parameters, but no implementation here.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::source::Place;

/// A kind that a program declares.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclaredKind {
    /// The name in resources.
    pub name: Arc<str>,
    pub params: Vec<DeclaredParam>,
    pub doc: String,
    pub source: Option<Place>,
}

/// A parameter of such a kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclaredParam {
    pub name: Arc<str>,
    /// In the language's notation.
    pub ty: String,
    pub is_required: bool,
    pub doc: String,
}
