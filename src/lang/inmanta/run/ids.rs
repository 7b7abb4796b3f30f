//! The numbers under which the parts of a run are found in its arenas.

/// A variable of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VarId(pub u32);

/// The id of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TaskId(pub u32);

/// Where names are looked up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ScopeId(pub u32);

/// The id of a collector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CollectorId(pub u32);
