//! Functions as values.

use crate::lang::mcl::ast::ExprId;

/// A frame in the arena of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FrameId(pub(super) u32);

/// A function with its frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closure {
    pub(super) lambda: ExprId,
    pub(super) frame: FrameId,
}
