//! The current statements of a program: one unit for each, in each iteration of its loops and inclusion of its classes.
//!
//! A unit has the declarations of its statement and the block or loop that it opens, whose statements are units in
//! turn. So a branch that is no longer taken is removed with its declarations, and a loop keeps the iterations whose
//! keys stay.

use super::super::closure::FrameId;
use super::super::statement::Container;
use crate::lang::mcl::ast::{BlockId, StmtId, StmtKind};
use crate::lang::mcl::eval::Fault;
use crate::lang::mcl::graph::Declared;
use crate::lang::mcl::value::Value;

/// A unit in [`Units`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnitId(u32);

impl UnitId {
    /// Returns the position of the unit in the list.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One statement in one frame.
#[derive(Debug)]
pub struct Unit {
    pub stmt: StmtId,
    pub frame: FrameId,
    pub container: Container,
    /// How many units contain it; outer ones run first, because they may remove inner ones.
    pub depth: u32,
    /// Waits to run, or to be found unchanged.
    pub is_pending: bool,
    /// Never ran.
    pub is_new: bool,
    pub declared: Declared,
    pub fault: Option<Fault>,
    pub opened: Opened,
}

/// The units that a statement opens.
#[derive(Debug, Default)]
pub enum Opened {
    #[default]
    Nothing,
    Block {
        block: BlockId,
        units: Vec<UnitId>,
    },
    Loop {
        body: BlockId,
        turns: Vec<Turn>,
    },
}

impl Opened {
    /// The units directly within.
    pub fn into_units(self) -> Vec<UnitId> {
        match self {
            Opened::Nothing => Vec::new(),
            Opened::Block { units, .. } => units,
            Opened::Loop { turns, .. } => turns.into_iter().flat_map(|turn| turn.units).collect(),
        }
    }
}

/// One iteration of a loop.
#[derive(Debug)]
pub struct Turn {
    /// The index in a list, or the key in a map; iterations are in key order.
    pub key: Value,
    pub frame: FrameId,
    pub units: Vec<UnitId>,
}

/// All units of a program.
#[derive(Debug, Default)]
pub struct Units {
    units: Vec<Option<Unit>>,
    free: Vec<UnitId>,
    /// Those of the entry file.
    pub roots: Vec<UnitId>,
    /// Resources and edges declared by all of them.
    pub declared: usize,
    /// How many failed.
    pub failed: usize,
}

impl Units {
    /// Adds a unit; it may get the id of a removed one.
    pub fn add(&mut self, unit: Unit) -> UnitId {
        if let Some(id) = self.free.pop() {
            self.units[id.index()] = Some(unit);
            return id;
        }
        self.units.push(Some(unit));
        UnitId(self.units.len() as u32 - 1)
    }

    /// Returns a unit, or `None` if it was removed.
    pub fn get(&self, id: UnitId) -> Option<&Unit> {
        self.units.get(id.index()).and_then(Option::as_ref)
    }

    /// Returns a unit for changes, or `None` if it was removed.
    pub fn get_mut(&mut self, id: UnitId) -> Option<&mut Unit> {
        self.units.get_mut(id.index()).and_then(Option::as_mut)
    }

    /// Removes a unit; the caller must also remove the units that it opened.
    pub fn remove(&mut self, id: UnitId) -> Option<Unit> {
        let unit = self.units.get_mut(id.index())?.take()?;
        self.free.push(id);
        self.declared -= unit.declared.len();
        self.failed -= usize::from(unit.fault.is_some());
        Some(unit)
    }

    /// Replaces a unit's declarations, or its failure. Returns the old ones.
    pub fn set_outcome(&mut self, id: UnitId, declared: Declared, fault: Option<Fault>) -> Declared {
        let Some(unit) = self.units.get_mut(id.index()).and_then(Option::as_mut) else { return Declared::default() };
        self.declared += declared.len();
        self.failed += usize::from(fault.is_some());
        let before = std::mem::replace(&mut unit.declared, declared);
        self.declared -= before.len();
        self.failed -= usize::from(std::mem::replace(&mut unit.fault, fault).is_some());
        before
    }

    /// Every unit in the order of the running program.
    pub fn in_order(&self) -> impl Iterator<Item = (UnitId, &Unit)> {
        let mut left: Vec<std::slice::Iter<UnitId>> = vec![self.roots.iter()];
        let mut turns: Vec<(usize, std::slice::Iter<Turn>)> = Vec::new();
        std::iter::from_fn(move || {
            loop {
                if let Some((depth, rest)) = turns.last_mut()
                    && left.len() == *depth
                {
                    match rest.next() {
                        Some(turn) => left.push(turn.units.iter()),
                        None => {
                            turns.pop();
                        }
                    }
                    continue;
                }
                let Some(id) = left.last_mut()?.next() else {
                    left.pop();
                    continue;
                };
                let Some(unit) = self.get(*id) else { continue };
                match &unit.opened {
                    Opened::Nothing => {}
                    Opened::Block { units, .. } => left.push(units.iter()),
                    Opened::Loop { turns: rounds, .. } => turns.push((left.len(), rounds.iter())),
                }
                return Some((*id, unit));
            }
        })
    }
}

/// Whether a statement acts in its turn; the others are names, evaluated on use.
pub fn acts(kind: &StmtKind) -> bool {
    !matches!(kind, StmtKind::Bind { .. } | StmtKind::Func { .. } | StmtKind::Class { .. } | StmtKind::Import { .. })
}
