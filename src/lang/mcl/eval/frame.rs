//! Frames: the cells of files, class bodies, branches, loop bodies and calls, in one arena.
//!
//! Frames point at each other freely (a file's cell may hold a function that was made in that file), so they are
//! numbers in an arena and go all at once when the evaluation is over; nothing is counted and nothing leaks.

use std::rc::Rc;

use super::Fault;
use crate::lang::mcl::ast::ExprId;
use crate::lang::mcl::scope::ScopeId;
use crate::lang::mcl::unify::InstanceId;
use crate::lang::mcl::value::Value;

/// A frame in [`Frames`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FrameId(u32);

/// A cell in [`Frames`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CellId(u32);

/// A function with the frame it was made in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closure {
    pub(super) lambda: ExprId,
    pub(super) frame: FrameId,
}

/// What is laid out by a scope: where names of that scope find their values.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub scope: ScopeId,
    /// The frame around it, lexically.
    pub parent: Option<FrameId>,
    /// Which check of this code gave the types that hold in it.
    pub instance: InstanceId,
    cells: u32,
}

/// What a slot of a frame holds by now.
#[derive(Clone, Debug)]
pub enum Cell {
    /// Not asked for yet.
    Empty,
    /// An argument, to be evaluated in the frame of the call when first asked for.
    Waiting(ExprId, FrameId),
    /// Being computed; to meet it again means that a value needs itself.
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
    pub fn add(&mut self, scope: ScopeId, slots: usize, parent: Option<FrameId>, instance: InstanceId) -> FrameId {
        let id = FrameId(self.frames.len() as u32);
        self.frames.push(Frame { scope, parent, instance, cells: self.cells.len() as u32 });
        self.cells.resize(self.cells.len() + slots, Cell::Empty);
        id
    }

    pub fn get(&self, frame: FrameId) -> Frame {
        self.frames[frame.0 as usize]
    }

    pub fn cell_id(&self, frame: FrameId, slot: u32) -> CellId {
        CellId(self.get(frame).cells + slot)
    }

    pub fn cell(&self, cell: CellId) -> &Cell {
        &self.cells[cell.0 as usize]
    }

    pub fn set(&mut self, cell: CellId, content: Cell) {
        self.cells[cell.0 as usize] = content;
    }
}

impl Drop for Frames {
    /// Takes values apart from outside in: one that is nested deep would otherwise be freed by recursion.
    fn drop(&mut self) {
        let mut whole: Vec<Value> = Vec::new();
        for cell in self.cells.drain(..) {
            if let Cell::Ready(value) = cell {
                whole.push(value);
            }
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
    }
}
