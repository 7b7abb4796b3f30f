//! The numbers by which a compilation refers to its scopes and resources.

/// A scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScopeId(pub u32);

/// The scope around all others.
pub const TOP: ScopeId = ScopeId(0);

/// A resource of the catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourceId(pub u32);
