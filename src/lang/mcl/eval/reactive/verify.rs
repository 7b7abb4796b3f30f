//! Tracking in the machine: records uses, and brings cells up to date before their values are used.

use super::super::frame::{Cell, CellId};
use super::super::machine::{Machine, Task};
use super::input::Inputs;
use super::tracker::{Question, Reader, Source, Tracker};
use super::unit::UnitId;
use crate::diag::Code;
use crate::lang::mcl::ast::ExprId;
use crate::lang::mcl::eval::Fault;

/// The data that a machine keeps for later evaluations.
pub struct Tracking<'a> {
    pub tracker: Tracker,
    pub inputs: &'a Inputs<'a>,
    /// Whether a limit ended the computation of a cell: its failure is not its value.
    pub is_spoiled: bool,
}

impl Machine<'_> {
    /// Records a use of a cell. Returns whether it may be out of date; then tasks follow that deliver its value.
    pub(in super::super) fn ask(&mut self, cell: CellId, expr: ExprId) -> bool {
        let Some(tracking) = &mut self.tracking else { return false };
        tracking.tracker.note(Source::Cell(cell));
        let is_doubtful = tracking.tracker.is_doubtful(cell);
        if is_doubtful {
            self.tasks.extend([Task::Deliver(cell, expr), Task::Check(cell, 0)]);
        }
        is_doubtful
    }

    /// Pushes the value of a cell.
    pub(in super::super) fn deliver(&mut self, cell: CellId, expr: ExprId) -> Result<(), Fault> {
        match self.frames.cell(cell) {
            Cell::Ready(value) => {
                self.values.push(value.clone());
                Ok(())
            }
            Cell::Failed(fault) => Err((**fault).clone()),
            _ => Err(Fault::fatal(Code::RecursiveReference, self.span(expr), "needs its own value")),
        }
    }

    /// Brings a doubtful cell up to date, after its sources.
    pub(in super::super) fn check(&mut self, cell: CellId, at: usize) {
        let Some(tracking) = &mut self.tracking else { return };
        match tracking.tracker.verify(Reader::Cell(cell), at) {
            Question::Fresh => {}
            Question::Verify(other, at) => self.tasks.extend([Task::Check(cell, at), Task::Check(other, 0)]),
            Question::Stale => {
                let Some((expr, frame)) = tracking.tracker.origin(cell) else { return };
                let before = self.frames.replace(cell, Cell::Busy);
                tracking.tracker.begin_cell(cell, (expr, frame), Some(before));
                let height = self.values.len();
                self.tasks.extend([Task::Discard(height), Task::Store(cell), Task::Eval(expr, frame)]);
            }
        }
    }

    /// Stores the outcome of a cell.
    pub(in super::super) fn store(&mut self, cell: CellId, content: Cell) {
        let Some(tracking) = &mut self.tracking else { return self.frames.set(cell, content) };
        if let Cell::Failed(fault) = &content {
            tracking.is_spoiled |= fault.is_cut_off();
        }
        let before = tracking.tracker.end_cell(cell, &content, &mut self.remembered.past);
        self.frames.set(cell, before.unwrap_or(content));
    }

    /// Records the reads of an expression from the world and the past, for the running computation.
    pub(in super::super) fn note_reads(&mut self, expr: ExprId) {
        let span = self.span(expr);
        if let Some(tracking) = &mut self.tracking {
            for input in tracking.inputs.take_log() {
                tracking.inputs.read_at(input, span);
                tracking.tracker.note(Source::Input(input));
            }
            tracking.tracker.note_asked(self.remembered.past.take_asked());
        }
    }

    /// Whether a doubtful unit must run again.
    pub(super) fn is_stale(&mut self, unit: UnitId) -> bool {
        let mut at = 0;
        loop {
            let Some(tracking) = &mut self.tracking else { return true };
            match tracking.tracker.verify(Reader::Unit(unit), at) {
                Question::Fresh => return false,
                Question::Stale => return true,
                Question::Verify(cell, next) => {
                    at = next;
                    self.bring_up_to_date(cell);
                }
            }
        }
    }

    fn bring_up_to_date(&mut self, cell: CellId) {
        let (tasks, values) = (self.tasks.len(), self.values.len());
        self.tasks.push(Task::Check(cell, 0));
        while self.tasks.len() > tasks {
            let Some(task) = self.tasks.pop() else { break };
            if let Err(fault) = self.step(task)
                && self.recover(fault, tasks, values).is_err()
            {
                break;
            }
        }
    }

    /// Forgets what is no longer used.
    pub(super) fn let_go(&mut self) {
        let Some(tracking) = &mut self.tracking else { return };
        let (cells, inputs) = tracking.tracker.take_idle(&mut self.remembered.past);
        for (cell, (expr, frame)) in cells {
            self.frames.set(cell, Cell::Waiting(expr, frame));
        }
        inputs.into_iter().for_each(|input| tracking.inputs.forget(input));
    }
}
