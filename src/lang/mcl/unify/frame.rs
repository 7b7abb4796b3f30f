//! Frames and instances: the types of variables when one body is checked many times.

use super::term::Ty;
use super::{InstanceId, Site};
use crate::lang::mcl::ast::StmtId;
use crate::lang::mcl::scope::{ScopeId, Scopes, SlotKind};

/// The id of a frame in [`Frames`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FrameId(u32);

/// The content of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotState {
    /// Not checked yet.
    Empty,
    /// Being checked; used again only in a cycle of names, which was refused before.
    Busy,
    /// A function or class: checked again at every use.
    Definition,
    Typed(Ty),
    Frame(FrameId),
}

/// One frame with the layout of a scope.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub scope: ScopeId,
    pub parent: Option<FrameId>,
    pub instance: InstanceId,
    /// For a class body: its `include`, and the frame of that.
    pub include: Option<(StmtId, FrameId)>,
    slots: u32,
}

/// Every frame and instance of one run.
#[derive(Debug, Default)]
pub struct Frames {
    frames: Vec<Frame>,
    slots: Vec<SlotState>,
    /// The origin of each instance; the first, for files, has none.
    instances: Vec<Option<(InstanceId, Site)>>,
}

impl Frames {
    /// A frame whose slots are empty, except for parameters, which are taken from the list in order.
    pub fn make(
        &mut self,
        scopes: &Scopes,
        scope: ScopeId,
        parent: Option<FrameId>,
        instance: InstanceId,
        params: &[Ty],
    ) -> FrameId {
        let id = FrameId(self.frames.len() as u32);
        let slots = self.slots.len() as u32;
        self.frames.push(Frame { scope, parent, instance, include: None, slots });
        self.slots.extend(scopes.scopes[scope].slots.iter().map(|slot| match slot.kind {
            SlotKind::Param(n) => params.get(n as usize).map_or(SlotState::Busy, |ty| SlotState::Typed(*ty)),
            SlotKind::Class(_) => SlotState::Definition,
            _ => SlotState::Empty,
        }));
        id
    }

    /// Returns a copy of a frame.
    pub fn get(&self, id: FrameId) -> Frame {
        self.frames[id.0 as usize]
    }

    /// Records the `include` of a frame.
    pub fn made_by(&mut self, id: FrameId, include: StmtId, from: FrameId) {
        self.frames[id.0 as usize].include = Some((include, from));
    }

    /// Returns the content of a slot.
    pub fn held(&self, id: FrameId, slot: u32) -> SlotState {
        self.slots[(self.get(id).slots + slot) as usize]
    }

    /// Sets the content of a slot.
    pub fn hold(&mut self, id: FrameId, slot: u32, held: SlotState) {
        let at = self.get(id).slots + slot;
        self.slots[at as usize] = held;
    }

    /// The n-th enclosing frame.
    pub fn up(&self, mut id: FrameId, count: u32) -> Option<FrameId> {
        for _ in 0..count {
            id = self.get(id).parent?;
        }
        Some(id)
    }

    /// A new instance; the first one is that of all files.
    pub fn instance(&mut self, from: Option<(InstanceId, Site)>) -> InstanceId {
        let id = InstanceId(self.instances.len() as u32);
        self.instances.push(from);
        id
    }

    /// The origin of an instance.
    pub fn started_by(&self, instance: InstanceId) -> Option<(InstanceId, Site)> {
        self.instances[instance.0 as usize]
    }
}
