//! Inputs: the reads of a program, each with the sample that evaluation uses.
//!
//! Each read asks the world once, and is answered from the table until an event brings another sample: so a whole
//! evaluation sees one moment, and any part of it can be repeated.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use crate::lang::Answer;
use crate::source::Span;
use crate::world::{Read, ReadError, Sample, World};

/// An input in [`Inputs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InputId(u32);

impl InputId {
    /// Returns the position of the input in the table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The inputs of one program, over a world that answers unknown ones.
pub struct Inputs<'w> {
    world: &'w dyn World,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    ids: FxHashMap<Read, InputId>,
    inputs: Vec<Input>,
    /// The inputs read since this was last taken.
    log: Vec<InputId>,
}

struct Input {
    read: Read,
    /// `None` if the input is unused: the world is asked again on the next use.
    answer: Option<Answer>,
    /// The first expression that read it.
    span: Option<Span>,
}

impl Table {
    fn id(&mut self, read: &Read) -> InputId {
        if let Some(id) = self.ids.get(read) {
            return *id;
        }
        let id = InputId(self.inputs.len() as u32);
        self.ids.insert(read.clone(), id);
        self.inputs.push(Input { read: read.clone(), answer: None, span: None });
        id
    }
}

impl<'w> Inputs<'w> {
    /// Makes an empty table of the reads from a world.
    pub fn new(world: &'w dyn World) -> Self {
        Self { world, table: Mutex::default() }
    }

    /// The table stays consistent when a reader panics, because it changes in single steps.
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the answer of a read. Returns the input if it is in use and differs, with the answer before.
    pub fn set(&self, read: &Read, answer: Answer) -> Option<(InputId, Answer)> {
        let mut table = self.table();
        let id = *table.ids.get(read)?;
        let known = table.inputs[id.index()].answer.as_mut()?;
        (*known != answer).then(|| (id, std::mem::replace(known, answer)))
    }

    /// Forgets the sample of an unused input. A random one keeps its first sample.
    pub fn forget(&self, input: InputId) {
        let input = &mut self.table().inputs[input.index()];
        input.span = None;
        if !matches!(input.read, Read::Random { .. }) {
            input.answer = None;
        }
    }

    /// Forgets the samples of all inputs that are not in use.
    pub fn forget_all_but(&self, is_used: impl Fn(InputId) -> bool) {
        for id in (0..self.table().inputs.len() as u32).map(InputId).filter(|id| !is_used(*id)) {
            self.forget(id);
        }
    }

    /// Returns the inputs read since the last call, in order, with repetitions.
    pub fn take_log(&self) -> Vec<InputId> {
        std::mem::take(&mut self.table().log)
    }

    /// Returns the read of an input.
    pub fn read_of(&self, input: InputId) -> Read {
        self.table().inputs[input.index()].read.clone()
    }

    /// Records the place of a read; its sample stays.
    pub fn read_at(&self, input: InputId, span: Span) {
        self.table().inputs[input.index()].span.get_or_insert(span);
    }

    /// The first place of an input.
    pub fn place_of(&self, input: InputId) -> Option<Span> {
        self.table().inputs[input.index()].span
    }

    /// Every input in use, with its sample, in the order of the first reads.
    pub fn in_use(&self) -> Vec<(Read, Answer)> {
        let table = self.table();
        table.inputs.iter().filter_map(|input| Some((input.read.clone(), input.answer.clone()?))).collect()
    }
}

impl World for Inputs<'_> {
    fn read(&self, what: &Read) -> Result<Sample, ReadError> {
        let id = {
            let mut table = self.table();
            let id = table.id(what);
            table.log.push(id);
            if let Some(answer) = &table.inputs[id.index()].answer {
                return answer.clone();
            }
            id
        };
        // Not under the lock: a slow read must not block others.
        let answer = self.world.read(what);
        self.table().inputs[id.index()].answer.get_or_insert(answer).clone()
    }
}
