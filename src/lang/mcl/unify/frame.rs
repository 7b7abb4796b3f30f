//! Frames and instances: where the types of variables are kept while one body is checked many times over.

use super::term::Ty;
use super::{InstanceId, Site};
use crate::lang::mcl::ast::StmtId;
use crate::lang::mcl::scope::{ScopeId, Scopes, SlotKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FrameId(u32);

/// What a slot of a frame holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// Not checked yet.
    Empty,
    /// Being checked; met again only where names go in a circle, which was refused before.
    Busy,
    /// A function or class: checked anew at every use.
    Definition,
    Typed(Ty),
    Frame(FrameId),
}

/// One frame after the layout of a scope.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub scope: ScopeId,
    pub parent: Option<FrameId>,
    pub instance: InstanceId,
    /// For a class body: the `include` that made it, and the frame that it stands in.
    pub include: Option<(StmtId, FrameId)>,
    slots: u32,
}

/// Every frame and instance of one run.
#[derive(Debug, Default)]
pub struct Frames {
    frames: Vec<Frame>,
    slots: Vec<Held>,
    /// What each instance was started by; the first, for files, by nothing.
    instances: Vec<Option<(InstanceId, Site)>>,
}

impl Frames {
    /// A frame whose slots are empty, save for parameters, which are taken from the list in order.
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
            SlotKind::Param(n) => params.get(n as usize).map_or(Held::Busy, |ty| Held::Typed(*ty)),
            SlotKind::Class(_) => Held::Definition,
            _ => Held::Empty,
        }));
        id
    }

    pub fn get(&self, id: FrameId) -> Frame {
        self.frames[id.0 as usize]
    }

    /// Remembers which `include` made a frame.
    pub fn made_by(&mut self, id: FrameId, include: StmtId, from: FrameId) {
        self.frames[id.0 as usize].include = Some((include, from));
    }

    pub fn held(&self, id: FrameId, slot: u32) -> Held {
        self.slots[(self.get(id).slots + slot) as usize]
    }

    pub fn hold(&mut self, id: FrameId, slot: u32, held: Held) {
        let at = self.get(id).slots + slot;
        self.slots[at as usize] = held;
    }

    /// The n-th frame around this one.
    pub fn up(&self, mut id: FrameId, count: u32) -> Option<FrameId> {
        for _ in 0..count {
            id = self.get(id).parent?;
        }
        Some(id)
    }

    /// A new instance; the first one made is that of all files.
    pub fn instance(&mut self, from: Option<(InstanceId, Site)>) -> InstanceId {
        let id = InstanceId(self.instances.len() as u32);
        self.instances.push(from);
        id
    }

    /// What started an instance.
    pub fn started_by(&self, instance: InstanceId) -> Option<(InstanceId, Site)> {
        self.instances[instance.0 as usize]
    }
}
