//! Unification: type equations of a program, solved; every type error shows both places its two types come from.
//!
//! Binds are checked when used, a `func` once per call and a class body once per include: each such check is an
//! [`InstanceId`]. Comes in: tree and scopes. Goes out: the types that evaluation cannot do without.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::ast::{ExprId, StmtId};
use super::types::Type;

/// One check of a file, a function body or a class body with types of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct InstanceId(pub u32);

/// What starts an instance within another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Site {
    /// A `Call` of a `func` statement.
    Call(ExprId),
    Include(StmtId),
}

/// The types that evaluation needs: only those of calls whose function is told its result's type
/// ([`super::builtin::Typing::ByResult`]).
#[derive(Debug, Default)]
pub struct Types {
    /// Left out where nothing below needs a type.
    pub children: FxHashMap<(InstanceId, Site), InstanceId>,
    pub results: FxHashMap<(InstanceId, ExprId), Arc<Type>>,
}
