//! Frames: the cells of files, class bodies, branches, loop bodies and calls, in one arena.
//!
//! Frames refer to each other freely (a file's cell may contain a function that was made in that file), so they are
//! numbers in an arena and are freed together after the evaluation. There is no reference counting and no leak.

use std::rc::Rc;

use super::closure::FrameId;
use super::{Fault, Spot};
use crate::lang::mcl::ast::ExprId;
use crate::lang::mcl::scope::ScopeId;
use crate::lang::mcl::unify::InstanceId;
use crate::lang::mcl::value::Value;

/// A cell in [`Frames`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellId(u32);

impl CellId {
    /// Returns the position of the cell in the arena.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A frame with the layout of a scope: it has the values of that scope's names.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub scope: ScopeId,
    /// The enclosing frame, lexically.
    pub parent: Option<FrameId>,
    /// The instance of the type check with the types of this frame.
    pub instance: InstanceId,
    /// Its spot in the running program.
    pub spot: Spot,
    cells: u32,
}

/// A scope, and how many slots it has.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    pub scope: ScopeId,
    pub slots: usize,
}

/// The content of a slot.
#[derive(Clone, Debug)]
pub enum Cell {
    /// Not used yet.
    Empty,
    /// An argument, to be evaluated in the frame of the call on first use.
    Waiting(ExprId, FrameId),
    /// Being computed; using it now means that a value needs itself.
    Busy,
    Ready(Value),
    Failed(Rc<Fault>),
    /// The frame of an imported file or an included class.
    Frame(FrameId),
}

/// All frames of an evaluation.
#[derive(Debug, Default)]
pub struct Frames {
    frames: Vec<Frame>,
    cells: Vec<Cell>,
}

impl Frames {
    /// Makes a frame with empty cells.
    pub fn add(&mut self, layout: Layout, parent: Option<FrameId>, instance: InstanceId, spot: Spot) -> FrameId {
        let id = FrameId(self.frames.len() as u32);
        self.frames.push(Frame { scope: layout.scope, parent, instance, spot, cells: self.cells.len() as u32 });
        self.cells.resize(self.cells.len() + layout.slots, Cell::Empty);
        id
    }

    /// Returns a copy of a frame.
    pub fn get(&self, frame: FrameId) -> Frame {
        self.frames[frame.0 as usize]
    }

    /// Returns the cell of a slot in a frame.
    pub fn cell_id(&self, frame: FrameId, slot: u32) -> CellId {
        CellId(self.get(frame).cells + slot)
    }

    /// Returns the content of a cell.
    pub fn cell(&self, cell: CellId) -> &Cell {
        &self.cells[cell.0 as usize]
    }

    /// Sets the content of a cell, and returns the old content.
    pub fn replace(&mut self, cell: CellId, content: Cell) -> Cell {
        std::mem::replace(&mut self.cells[cell.0 as usize], content)
    }

    /// Sets the content of a cell.
    pub fn set(&mut self, cell: CellId, content: Cell) {
        self.cells[cell.0 as usize] = content;
    }
}

impl Drop for Frames {
    fn drop(&mut self) {
        self.cells.drain(..).for_each(dismantle);
    }
}

/// Takes a value apart iteratively: freeing a deeply nested one would recurse.
pub fn dismantle(cell: Cell) {
    let Cell::Ready(value @ (Value::List(_) | Value::Map(_) | Value::Struct(_))) = cell else { return };
    let mut whole = vec![value];
    while let Some(value) = whole.pop() {
        match value {
            Value::List(items) => whole.extend(Rc::into_inner(items).into_iter().flatten()),
            Value::Map(pairs) => {
                whole.extend(Rc::into_inner(pairs).into_iter().flatten().flat_map(|(key, value)| [key, value]));
            }
            Value::Struct(fields) => {
                whole.extend(Rc::into_inner(fields).into_iter().flatten().map(|(_, value)| value));
            }
            _ => {}
        }
    }
}
