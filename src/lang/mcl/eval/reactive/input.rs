//! Inputs: what a program reads of the world, each with the sample that evaluation goes by.
//!
//! A read is asked of the world once, and answered from the table until an event brings another sample: so all of an
//! evaluation sees one moment, and any number of them can be repeated.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use crate::lang::Answer;
use crate::source::Span;
use crate::world::{Read, ReadError, Sample, World};

/// An input in [`Inputs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InputId(u32);

impl InputId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The inputs of one program, over a world that is asked where none is known yet.
pub struct Inputs<'w> {
    world: &'w dyn World,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    ids: FxHashMap<Read, InputId>,
    inputs: Vec<Input>,
    /// What was read since this was last taken.
    log: Vec<InputId>,
}

struct Input {
    read: Read,
    /// `None` where nobody uses the input: the world is asked anew when somebody does.
    answer: Option<Answer>,
    /// The expression that read it first.
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
    pub fn new(world: &'w dyn World) -> Self {
        Self { world, table: Mutex::default() }
    }

    /// The table stays whole when a reader panics: it changes by single steps.
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets what a read gives from now on. Gives the input where that is in use and differs, with what it gave before.
    pub fn set(&self, read: &Read, answer: Answer) -> Option<(InputId, Answer)> {
        let mut table = self.table();
        let id = *table.ids.get(read)?;
        let known = table.inputs[id.index()].answer.as_mut()?;
        (*known != answer).then(|| (id, std::mem::replace(known, answer)))
    }

    /// Forgets the sample of an input that nobody uses. What is random stays as it came out first.
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

    pub fn take_log(&self) -> Vec<InputId> {
        std::mem::take(&mut self.table().log)
    }

    pub fn read_of(&self, input: InputId) -> Read {
        self.table().inputs[input.index()].read.clone()
    }

    /// Notes where an input is read; what is known of it stays.
    pub fn read_at(&self, input: InputId, span: Span) {
        self.table().inputs[input.index()].span.get_or_insert(span);
    }

    /// Where an input is read first.
    pub fn place_of(&self, input: InputId) -> Option<Span> {
        self.table().inputs[input.index()].span
    }

    /// Every input in use, with its sample, in the order in which they were first read.
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
        // Not under the lock: a slow read must not hold up others.
        let answer = self.world.read(what);
        self.table().inputs[id.index()].answer.get_or_insert(answer).clone()
    }
}
