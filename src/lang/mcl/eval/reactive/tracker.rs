//! Dependencies: the cells and inputs that each cell and each statement was computed from, and which readers are stale.
//!
//! A *reader* is a cell or a unit (a statement in a frame). While one is computed a recording is open, which notes its
//! sources in order. A change marks its readers, and theirs, as doubtful: they may have to be computed again. That is
//! decided on demand: the sources of a doubtful reader are verified in the order of use, and the first that really
//! differs makes it stale. So a value that stays the same stops the change, and unused values are not computed.
//!
//! Lists of readers contain outdated entries (each has the number of its recording); they are dropped when a list is
//! walked.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::closure::FrameId;
use super::super::frame::{Cell, CellId, dismantle};
use super::input::InputId;
use super::unit::UnitId;
use crate::lang::mcl::ast::ExprId;
use crate::lang::mcl::builtin::{Past, PastUses};
use crate::lang::mcl::eval::Spot;
use crate::lang::mcl::value::same;

/// How a cell is computed: an expression, in a frame.
pub type Origin = (ExprId, FrameId);

/// A user of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reader {
    Cell(CellId),
    Unit(UnitId),
}

/// A used value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Cell(CellId),
    Input(InputId),
}

/// The first cause of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    Input(InputId),
    /// A stored value reached the requested age.
    Time,
}

/// Counts changes; a later one is larger.
type Clock = u64;

/// The number of a recording; 0 is none.
type Stamp = u64;

/// The sources of one reader when it was last computed.
#[derive(Debug, Default)]
struct Uses {
    sources: Vec<Source>,
    /// The recording of them.
    stamp: Stamp,
    /// When all of them were last verified.
    verified: Clock,
    doubtful: bool,
    /// Must be computed again, whatever its sources.
    stale: bool,
    cause: Option<Cause>,
    /// Its uses of the past, and when those change.
    asked: PastUses,
}

/// The readers of one source.
#[derive(Debug, Default)]
struct Readers {
    entries: Vec<(Reader, Stamp)>,
    live: u32,
    /// The last recording that noted this source, so that one reader notes it once.
    noted: Stamp,
    changed: Clock,
    cause: Option<Cause>,
}

/// A cell that was used.
#[derive(Debug, Default)]
struct CellNode {
    /// How it is computed; `None` if the value was set.
    origin: Option<Origin>,
    /// Its content before it was started again.
    before: Option<Cell>,
    uses: Uses,
    readers: Readers,
}

#[derive(Debug)]
struct Recording {
    reader: Reader,
    stamp: Stamp,
    sources: Vec<Source>,
    asked: PastUses,
}

/// The next requirement for verifying a doubtful reader.
pub enum Question {
    /// Another cell must be verified first; then continue with the source at that place.
    Verify(CellId, usize),
    /// A source differs.
    Stale,
    /// Nothing differs.
    Fresh,
}

/// The record of one evaluation.
#[derive(Debug, Default)]
pub struct Tracker {
    cells: Vec<CellNode>,
    units: Vec<Uses>,
    inputs: Vec<Readers>,
    open: Vec<Recording>,
    clock: Clock,
    stamps: Stamp,
    /// Cells and inputs that have lost their last reader.
    idle: Vec<Source>,
    /// Units that became doubtful.
    doubtful: Vec<UnitId>,
    /// When stored values reach their age.
    wakes: BTreeSet<(u64, Reader)>,
    /// The last user of the past at each spot.
    keepers: FxHashMap<Spot, Reader>,
}

fn grown<T: Default>(list: &mut Vec<T>, at: usize) -> &mut T {
    if list.len() <= at {
        list.resize_with(at + 1, T::default);
    }
    &mut list[at]
}

impl Tracker {
    /// Starts to record the sources of a reader.
    pub fn begin(&mut self, reader: Reader) {
        self.stamps += 1;
        let uses = self.uses(reader);
        (uses.doubtful, uses.stale) = (false, false);
        let stamp = self.stamps;
        self.open.push(Recording { reader, stamp, sources: Vec::new(), asked: PastUses::default() });
    }

    /// Starts to compute a cell.
    pub fn begin_cell(&mut self, cell: CellId, origin: Origin, before: Option<Cell>) {
        let outer = self.open.last().map(|recording| recording.reader);
        let cause = outer.and_then(|reader| self.uses(reader).cause);
        let node = grown(&mut self.cells, cell.index());
        if before.is_none() {
            node.uses.cause = cause;
        }
        (node.origin, node.before) = (Some(origin), before);
        self.begin(Reader::Cell(cell));
    }

    /// Records a source of the current reader.
    pub fn note(&mut self, source: Source) {
        let Some(stamp) = self.open.last().map(|recording| recording.stamp) else { return };
        let readers = self.readers(source);
        if readers.noted != stamp {
            readers.noted = stamp;
            self.open.last_mut().expect("looked at above").sources.push(source);
        }
    }

    /// Records the current reader's uses of the past.
    pub fn note_asked(&mut self, asked: PastUses) {
        if let Some(recording) = self.open.last_mut() {
            recording.asked.join(asked);
        }
    }

    /// Ends the latest recording.
    pub fn end(&mut self, past: &mut Past) {
        let Some(Recording { reader, stamp, sources, asked }) = self.open.pop() else { return };
        for spot in &asked.spots {
            self.keepers.insert(*spot, reader);
        }
        if let Some(wake) = asked.wake {
            self.wakes.insert((wake, reader));
        }
        let clock = self.clock;
        let uses = self.uses(reader);
        let old = std::mem::replace(uses, Uses { stamp, verified: clock, asked, ..Uses::default() });
        uses.cause = old.cause;
        let kept: FxHashSet<Spot> =
            if old.asked.spots.is_empty() { FxHashSet::default() } else { uses.asked.spots.iter().copied().collect() };
        for source in &sources {
            let readers = self.readers(*source);
            readers.entries.push((reader, stamp));
            readers.live += 1;
            if readers.entries.len() > 16 && readers.entries.len() as u32 > 4 * readers.live {
                self.drop_old_entries(*source);
            }
        }
        self.uses(reader).sources = sources;
        self.release(reader, &old, &kept, past);
    }

    /// Ends the recording of a cell, which has a value or failure now. Returns its old content if that is the same.
    pub fn end_cell(&mut self, cell: CellId, now: &Cell, past: &mut Past) -> Option<Cell> {
        self.end(past);
        let node = grown(&mut self.cells, cell.index());
        let before = node.before.take();
        let is_same = match (&before, now) {
            (Some(Cell::Ready(old)), Cell::Ready(new)) => same(old, new),
            (Some(Cell::Failed(old)), Cell::Failed(new)) => old == new,
            _ => false,
        };
        if is_same {
            return before;
        }
        before.into_iter().for_each(dismantle);
        self.clock += 1;
        (node.readers.changed, node.readers.cause) = (self.clock, node.uses.cause);
        node.uses.verified = self.clock;
        None
    }

    /// Whether a cell may be out of date.
    pub fn is_doubtful(&self, cell: CellId) -> bool {
        self.cells.get(cell.index()).is_some_and(|node| node.uses.doubtful)
    }

    /// Returns how a cell was computed, if that is recorded.
    pub fn origin(&self, cell: CellId) -> Option<Origin> {
        self.cells.get(cell.index()).and_then(|node| node.origin)
    }

    /// Continues to verify a doubtful reader at one of its sources.
    pub fn verify(&mut self, reader: Reader, mut at: usize) -> Question {
        loop {
            let uses = self.uses(reader);
            if uses.stale {
                return Question::Stale;
            }
            let verified = uses.verified;
            let Some(source) = uses.sources.get(at).copied() else {
                let clock = self.clock;
                let uses = self.uses(reader);
                (uses.doubtful, uses.verified) = (false, clock);
                return Question::Fresh;
            };
            if let Source::Cell(cell) = source
                && self.is_doubtful(cell)
            {
                return Question::Verify(cell, at);
            }
            let readers = self.readers(source);
            if readers.changed > verified {
                let cause = readers.cause;
                self.uses(reader).cause = cause;
                return Question::Stale;
            }
            at += 1;
        }
    }

    /// Why a unit was last computed again.
    pub fn cause(&self, unit: UnitId) -> Option<Cause> {
        self.units.get(unit.index()).and_then(|uses| uses.cause)
    }

    /// Sets the cause of a new unit.
    pub fn set_cause(&mut self, unit: UnitId, cause: Option<Cause>) {
        self.uses(Reader::Unit(unit)).cause = cause;
    }

    /// An input has another sample.
    pub fn input_changed(&mut self, input: InputId) {
        self.changed(Source::Input(input), Some(Cause::Input(input)));
    }

    /// A cell was set to another value.
    pub fn given(&mut self, cell: CellId, cause: Option<Cause>) {
        self.changed(Source::Cell(cell), cause);
    }

    fn changed(&mut self, source: Source, cause: Option<Cause>) {
        self.clock += 1;
        let clock = self.clock;
        let readers = self.readers(source);
        (readers.changed, readers.cause) = (clock, cause);
        self.mark(source);
    }

    /// Marks the readers of a source, and their readers, as doubtful.
    fn mark(&mut self, source: Source) {
        let mut left = vec![source];
        while let Some(source) = left.pop() {
            self.drop_old_entries(source);
            let entries = std::mem::take(&mut self.readers(source).entries);
            for (reader, _) in &entries {
                self.doubt(*reader, &mut left);
            }
            self.readers(source).entries = entries;
        }
    }

    fn doubt(&mut self, reader: Reader, left: &mut Vec<Source>) {
        let uses = self.uses(reader);
        if !std::mem::replace(&mut uses.doubtful, true) {
            match reader {
                Reader::Cell(cell) => left.push(Source::Cell(cell)),
                Reader::Unit(unit) => self.doubtful.push(unit),
            }
        }
    }

    /// Makes readers stale whose uses of the past have changed.
    pub fn wake(&mut self, now: u64) {
        while let Some((wake, reader)) = self.wakes.first().copied().filter(|(wake, _)| *wake <= now) {
            self.wakes.pop_first();
            let uses = self.uses(reader);
            if uses.asked.wake != Some(wake) || uses.stamp == 0 {
                continue;
            }
            (uses.stale, uses.cause) = (true, Some(Cause::Time));
            let mut left = Vec::new();
            self.doubt(reader, &mut left);
            left.into_iter().for_each(|source| self.mark(source));
        }
    }

    /// When the next use of the past changes.
    pub fn next_wake(&self) -> Option<u64> {
        self.wakes.first().map(|(wake, _)| *wake)
    }

    /// The units that became doubtful since the last call.
    pub fn take_doubtful(&mut self) -> Vec<UnitId> {
        std::mem::take(&mut self.doubtful)
    }

    /// Forgets a unit that is no longer part of the program.
    pub fn remove_unit(&mut self, unit: UnitId, past: &mut Past) {
        let reader = Reader::Unit(unit);
        let old = std::mem::take(self.uses(reader));
        self.release(reader, &old, &FxHashSet::default(), past);
    }

    /// The unused cells, with how to compute them on the next use; and the unused inputs.
    pub fn take_idle(&mut self, past: &mut Past) -> (Vec<(CellId, Origin)>, Vec<InputId>) {
        let (mut cells, mut inputs) = (Vec::new(), Vec::new());
        while let Some(source) = self.idle.pop() {
            if self.readers(source).live > 0 {
                continue;
            }
            match source {
                Source::Input(input) => inputs.push(input),
                Source::Cell(cell) => {
                    let node = grown(&mut self.cells, cell.index());
                    let Some(origin) = node.origin.filter(|_| node.uses.stamp != 0) else { continue };
                    let old = std::mem::take(&mut node.uses);
                    node.readers.entries = Vec::new();
                    cells.push((cell, origin));
                    self.release(Reader::Cell(cell), &old, &FxHashSet::default(), past);
                }
            }
        }
        (cells, inputs)
    }

    /// Whether any reader uses an input.
    pub fn is_used(&self, input: InputId) -> bool {
        self.inputs.get(input.index()).is_some_and(|readers| readers.live > 0)
    }

    /// Removes the old sources of a reader; forgets the past that only it used and no longer uses.
    fn release(&mut self, reader: Reader, old: &Uses, kept: &FxHashSet<Spot>, past: &mut Past) {
        for source in &old.sources {
            let readers = self.readers(*source);
            readers.live = readers.live.saturating_sub(1);
            if readers.live == 0 {
                self.idle.push(*source);
            }
        }
        if let Some(wake) = old.asked.wake
            && self.uses(reader).asked.wake != Some(wake)
        {
            self.wakes.remove(&(wake, reader));
        }
        for spot in old.asked.spots.iter().filter(|spot| !kept.contains(spot)) {
            if self.keepers.get(spot) == Some(&reader) {
                self.keepers.remove(spot);
                past.forget(*spot);
            }
        }
    }

    fn drop_old_entries(&mut self, source: Source) {
        let mut entries = std::mem::take(&mut self.readers(source).entries);
        entries.retain(|(reader, stamp)| self.uses(*reader).stamp == *stamp);
        self.readers(source).entries = entries;
    }

    fn uses(&mut self, reader: Reader) -> &mut Uses {
        match reader {
            Reader::Cell(cell) => &mut grown(&mut self.cells, cell.index()).uses,
            Reader::Unit(unit) => grown(&mut self.units, unit.index()),
        }
    }

    fn readers(&mut self, source: Source) -> &mut Readers {
        match source {
            Source::Cell(cell) => &mut grown(&mut self.cells, cell.index()).readers,
            Source::Input(input) => grown(&mut self.inputs, input.index()),
        }
    }
}
