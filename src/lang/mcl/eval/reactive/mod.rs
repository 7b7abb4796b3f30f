//! Reactive evaluation: an event changes inputs, and only their dependents are evaluated again.
//!
//! Input: a program with its types, its [`Inputs`], and events (at some time, these reads give those samples). Output:
//! an [`Outcome`] for each: the differences of the graph, and the inputs that caused them.
//!
//! [`tracker`] has the cells and inputs that everything was computed from; [`unit`] has the current statements, each
//! with its declarations. An event marks what may be stale, then units run again from the outside in, each only if
//! something it used really differs. [`assemble`] applies the new declarations to the graph: in place if only
//! parameters differ, by [`splice`] if resources are added or removed.
//!
//! `$a = datetime.now() / 60` and `print "x" { msg => fmt.printf("%v", $a), }`: each second is an event, which makes
//! `$a` and the unit of `print` doubtful. `$a` is computed again; sixty times it is the same, so `print` does not run.
//! Rejected: running every statement again on cached cells. It is simple, but 10,000 statements take longer than 5 ms.
//!
//! Replaced values stay in the arena of frames until there are more of them than live ones; then everything is
//! evaluated from scratch, which gives the same graph. The past (`history`) and random inputs survive that.

mod assemble;
mod input;
mod pending_changes;
mod verify;
mod splice;
mod tracker;
mod unit;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use super::closure::FrameId;
use super::frame::Cell;
use super::statement::{Container, Executor, Items, Work};
use super::{Limits, Machine};
use crate::diag::{Diagnostics, Stage};
use crate::graph::{Draft, Graph, ResourceId};
use crate::lang::mcl::ast::{BlockId, StmtId};
use crate::lang::mcl::graph::{self, Declared};
use crate::lang::mcl::scope::{Resolved, SlotKind};
use crate::lang::mcl::unify::Types;
use crate::lang::mcl::value::{Value, same};
use crate::lang::{Answer, Change, Event, Outcome, ResourceChange, Trigger};
use crate::world::Read;
use assemble::{Assembly, Touched};
use pending_changes::PendingChanges;
use tracker::{Cause, Reader, Tracker};
use unit::{Opened, Turn, Unit, UnitId, Units, acts};

pub use input::Inputs;
pub use verify::Tracking;

/// Bytes that may be created between two evaluations from scratch, whatever the program's size.
const GARBAGE: u64 = 32 << 20;

/// A program that stays evaluated.
pub struct Reactive<'a> {
    machine: Machine<'a>,
    inputs: &'a Inputs<'a>,
    units: Units,
    assembly: Assembly,
    /// Units to run, outermost first, with a number that keeps their order.
    pending: BinaryHeap<Reverse<(u32, u64, UnitId)>>,
    sequence: u64,
    touched: Vec<Touched>,
    pending_changes: PendingChanges,
    ran: usize,
    words: Declared,
    /// Bytes created since the last evaluation from scratch, and by that one.
    built: u64,
    built_afresh: u64,
}

impl<'a> Reactive<'a> {
    /// Evaluates a program for the first time. If that fails the graph has no resources; an event may fix it.
    pub fn start(
        program: &'a Resolved,
        types: &'a Types,
        inputs: &'a Inputs<'a>,
        limits: &'a Limits,
        now: u64,
    ) -> (Self, Outcome) {
        let mut reactive = Self {
            machine: Machine::new(program, types, inputs, limits),
            inputs,
            units: Units::default(),
            assembly: Assembly::default(),
            pending: BinaryHeap::new(),
            sequence: 0,
            touched: Vec::new(),
            pending_changes: PendingChanges::default(),
            ran: 0,
            words: Declared::default(),
            built: 0,
            built_afresh: 0,
        };
        reactive.machine.remembered.past.set_now(now);
        reactive.evaluate_afresh();
        let outcome = reactive.outcome(Vec::new());
        (reactive, outcome)
    }

    /// Handles an event. Time does not go back: an event from before the last one counts as at that one's time.
    pub fn event(&mut self, event: &Event) -> Outcome {
        let spoiled = self.machine.tracking.as_ref().is_none_or(|tracking| tracking.is_spoiled);
        self.machine.refill();
        self.machine.stop = self.machine.limits.stop.again();
        self.machine.remembered.past.set_now(event.at);
        let changes = self.take_in(event);
        if spoiled {
            self.assembly.forget_order();
            self.evaluate_afresh();
        } else {
            self.run_pending();
        }
        let outcome = self.outcome(changes);
        self.built += self.machine.refill();
        if self.built > GARBAGE.max(self.built_afresh) {
            self.evaluate_afresh();
            self.touched.clear();
        }
        outcome
    }

    /// The last graph without errors.
    pub fn graph(&self) -> &Graph {
        &self.assembly.graph
    }

    /// The inputs of the program, with the samples in use.
    pub fn inputs(&self) -> Vec<(Read, Answer)> {
        self.inputs.in_use()
    }

    /// When `history` will change its answer without a changed input, in milliseconds since 1970.
    pub fn next_wake(&self) -> Option<u64> {
        self.machine.tracking.as_ref().and_then(|tracking| tracking.tracker.next_wake())
    }

    /// The graph of an evaluation from scratch, in the same state: [`Reactive::graph`] must equal it. If it has errors,
    /// the graph is empty.
    pub fn evaluate_again(&self, diags: &mut Diagnostics) -> Graph {
        let Machine { program, types, limits, .. } = self.machine;
        let mut machine = Machine::new(program, types, self.inputs, limits);
        machine.remembered.past = self.machine.remembered.past.clone();
        machine.remembered.numbers = self.machine.remembered.numbers.clone();
        let errors = diags.error_count();
        let declared = Executor::new(&mut machine).run(diags);
        let mut graph = match diags.error_count() > errors {
            true => Graph::default(),
            false => graph::build(program, declared, self.inputs, &limits.stop, &Draft::default(), diags),
        };
        graph.set_numbers(machine.remembered.numbers.new_ones());
        self.inputs.take_log();
        graph
    }

    /// Sets the samples, and marks the users of those that differ.
    fn take_in(&mut self, event: &Event) -> Vec<Change> {
        let mut changes = Vec::new();
        for (read, answer) in &event.changes {
            let Some((input, from)) = self.inputs.set(read, answer.clone()) else { continue };
            let place = self.inputs.place_of(input).map(|span| self.machine.program.sources.place(span));
            changes.push(Change { input: read.clone(), from, to: answer.clone(), place });
            self.assembly.input_changed(input);
            if let Some(tracking) = &mut self.machine.tracking {
                tracking.tracker.input_changed(input);
            }
        }
        if let Some(tracking) = &mut self.machine.tracking {
            tracking.tracker.wake(event.at);
        }
        changes
    }

    /// Runs the doubtful units.
    fn run_pending(&mut self) {
        self.enlist_doubtful();
        while let Some(Reverse((_, _, id))) = self.pending.pop() {
            let Some(unit) = self.units.get_mut(id).filter(|unit| unit.is_pending) else { continue };
            unit.is_pending = false;
            let is_new = std::mem::replace(&mut unit.is_new, false);
            if is_new || self.machine.is_stale(id) {
                self.run(id);
                self.enlist_doubtful();
            }
        }
        self.machine.let_go();
    }

    /// Drops everything but the inputs and the past, and evaluates again.
    fn evaluate_afresh(&mut self) {
        let Machine { program, types, limits, .. } = self.machine;
        let mut machine = Machine::new(program, types, self.inputs, limits);
        machine.stop = self.machine.stop.clone();
        machine.remembered = std::mem::take(&mut self.machine.remembered);
        let tracking = Tracking { tracker: Tracker::default(), inputs: self.inputs, is_spoiled: false };
        machine.tracking = Some(Box::new(tracking));
        self.machine = machine;
        (self.units, self.pending) = (Units::default(), BinaryHeap::new());
        self.pending_changes.close_all();
        self.inputs.take_log();
        if let Some((block, frame)) = self.machine.entry() {
            self.units.roots = self.open_block(block, frame, &Container::default(), 0, None);
        }
        self.run_pending();
        self.inputs.forget_all_but(|input| self.is_used(input));
        self.built_afresh = self.machine.refill();
        self.built = 0;
    }

    fn enlist_doubtful(&mut self) {
        let Some(tracking) = &mut self.machine.tracking else { return };
        for id in tracking.tracker.take_doubtful() {
            self.enlist(id);
        }
    }

    fn enlist(&mut self, id: UnitId) {
        let Some(unit) = self.units.get_mut(id) else { return };
        if !std::mem::replace(&mut unit.is_pending, true) {
            self.sequence += 1;
            self.pending.push(Reverse((unit.depth, self.sequence, id)));
        }
    }

    /// Runs a unit's statement, and opens and closes the units within.
    fn run(&mut self, id: UnitId) {
        let Some(unit) = self.units.get(id) else { return };
        let (stmt, frame, container) = (unit.stmt, unit.frame, Container::clone(&unit.container));
        let elsewhere = self.units.declared - unit.declared.len();
        self.ran += 1;
        let cause = self.tracker().and_then(|tracker| {
            tracker.begin(Reader::Unit(id));
            tracker.cause(id)
        });
        let words = std::mem::take(&mut self.words);
        let (mut declared, mut done) =
            Executor::beside(&mut self.machine, words, elsewhere).single(stmt, frame, container);
        let now = declared.take();
        self.words = declared;
        let fault = loop {
            match done {
                Ok(work) => match self.reopen(id, work, cause) {
                    Ok(()) => break None,
                    Err(fault) => done = Err(fault),
                },
                Err(fault) => {
                    self.close_within(id, cause);
                    break Some(fault);
                }
            }
        };
        if let Some(tracking) = &mut self.machine.tracking {
            tracking.is_spoiled |= fault.as_ref().is_some_and(super::Fault::is_cut_off);
            tracking.tracker.end(&mut self.machine.remembered.past);
        }
        let before = self.units.set_outcome(id, now, fault);
        self.touched.push(Touched { unit: Some(id), before, cause });
    }

    /// Updates the units within a unit to its statement.
    fn reopen(&mut self, id: UnitId, work: Option<Work>, cause: Option<Cause>) -> Result<(), super::Fault> {
        let Some(unit) = self.units.get_mut(id) else { return Ok(()) };
        let depth = unit.depth + 1;
        let opened = match (&mut unit.opened, work) {
            (Opened::Block { block: open, .. }, Some(Work::Block { block, .. })) if *open == block => return Ok(()),
            (Opened::Loop { body: open, turns }, Some(Work::Loop { body, items, frame, container }))
                if *open == body =>
            {
                let turns = std::mem::take(turns);
                let within = Within { body, frame, container, depth };
                let (turns, done) = self.turn_again(turns, items, &within, cause);
                if let Some(unit) = self.units.get_mut(id) {
                    unit.opened = Opened::Loop { body, turns };
                }
                return done;
            }
            (_, work) => work,
        };
        self.close_within(id, cause);
        let (opened, done) = match opened {
            None => (Opened::Nothing, Ok(())),
            Some(Work::Block { block, frame, container, .. }) => {
                (Opened::Block { block, units: self.open_block(block, frame, &container, depth, cause) }, Ok(()))
            }
            Some(Work::Loop { body, items, frame, container }) => {
                let within = Within { body, frame, container, depth };
                let (turns, done) = self.turn_again(Vec::new(), items, &within, cause);
                (Opened::Loop { body, turns }, done)
            }
        };
        if let Some(unit) = self.units.get_mut(id) {
            unit.opened = opened;
        }
        done
    }

    /// The iterations of a loop: those with the same keys keep their units and get the current values.
    fn turn_again(
        &mut self,
        before: Vec<Turn>,
        items: Items,
        within: &Within,
        cause: Option<Cause>,
    ) -> (Vec<Turn>, Result<(), super::Fault>) {
        let mut before = before.into_iter().peekable();
        let mut turns = Vec::new();
        let mut done = Ok(());
        for given in items {
            while let Some(gone) = before.next_if(|turn| turn.key < given[0]) {
                self.close(gone.units, cause);
            }
            match before.next_if(|turn| turn.key == given[0]) {
                Some(turn) => {
                    self.give(turn.frame, &given[1], cause);
                    turns.push(turn);
                }
                None => match self.open_turn(&given, within, cause) {
                    Ok(turn) => turns.extend(turn),
                    Err(fault) => {
                        done = Err(fault);
                        break;
                    }
                },
            }
        }
        for gone in before {
            self.close(gone.units, cause);
        }
        (turns, done)
    }

    fn open_turn(
        &mut self,
        given: &[Value; 2],
        within: &Within,
        cause: Option<Cause>,
    ) -> Result<Option<Turn>, super::Fault> {
        let program = self.machine.program;
        let Some(scope) = program.scopes.of_block.get(within.body) else { return Ok(None) };
        self.machine.tick(None)?;
        let frame = self.machine.block_frame(*scope, within.frame, given);
        self.machine.charge(0, None)?;
        let units = self.open_block(within.body, frame, &within.container, within.depth, cause);
        Ok(Some(Turn { key: given[0].clone(), frame, units }))
    }

    /// Sets the value of an iteration.
    fn give(&mut self, frame: FrameId, value: &Value, cause: Option<Cause>) {
        let slots = &self.machine.program.scopes.scopes[self.machine.frames.get(frame).scope].slots;
        let Some(slot) = slots.iter().position(|slot| slot.kind == SlotKind::Param(1)) else { return };
        let cell = self.machine.frames.cell_id(frame, slot as u32);
        let is_same = matches!(self.machine.frames.cell(cell), Cell::Ready(old) if same(old, value));
        if !is_same {
            super::frame::dismantle(self.machine.frames.replace(cell, Cell::Ready(value.clone())));
            if let Some(tracker) = self.tracker() {
                tracker.given(cell, cause);
            }
        }
    }

    /// New units for the statements of a block.
    fn open_block(
        &mut self,
        block: BlockId,
        frame: FrameId,
        container: &Container,
        depth: u32,
        cause: Option<Cause>,
    ) -> Vec<UnitId> {
        let program = self.machine.program;
        let stmts = program.ast.blocks[block].stmts.iter().filter(|stmt| acts(&program.ast.stmts[**stmt].kind));
        stmts.map(|stmt| self.open(*stmt, frame, container, depth, cause)).collect()
    }

    fn open(
        &mut self,
        stmt: StmtId,
        frame: FrameId,
        container: &Container,
        depth: u32,
        cause: Option<Cause>,
    ) -> UnitId {
        let id = self.units.add(Unit {
            stmt,
            frame,
            container: Container::clone(container),
            depth,
            is_pending: false,
            is_new: true,
            declared: Declared::default(),
            fault: None,
            opened: Opened::Nothing,
        });
        if let Some(tracker) = self.tracker() {
            tracker.set_cause(id, cause);
        }
        self.enlist(id);
        id
    }

    fn close_within(&mut self, id: UnitId, cause: Option<Cause>) {
        if let Some(unit) = self.units.get_mut(id) {
            let opened = std::mem::take(&mut unit.opened);
            self.close(opened.into_units(), cause);
        }
    }

    /// Removes units, with all units within them.
    fn close(&mut self, mut left: Vec<UnitId>, cause: Option<Cause>) {
        while let Some(id) = left.pop() {
            let Some(unit) = self.units.remove(id) else { continue };
            self.pending_changes.close(id, cause);
            if let Some(tracking) = &mut self.machine.tracking {
                tracking.tracker.remove_unit(id, &mut self.machine.remembered.past);
            }
            left.extend(unit.opened.into_units());
            self.touched.push(Touched { unit: None, before: unit.declared, cause });
        }
    }

    /// Applies the declarations of the units to the graph, and returns the differences.
    fn outcome(&mut self, changes: Vec<Change>) -> Outcome {
        let touched = std::mem::take(&mut self.touched);
        let ran = std::mem::take(&mut self.ran);
        let mut diagnostics = Diagnostics::new(Stage::Eval);
        let causes = self.causes(&touched);
        let delta = {
            let stop = &self.machine.stop;
            self.assembly.renew(&self.units, &touched, self.machine.program, self.inputs, stop, &mut diagnostics)
        };
        if diagnostics.has_errors() {
            self.pending_changes.add(&changes, &touched, &self.units, &self.assembly.graph);
            let (earlier, resources, log) = Default::default();
            return Outcome { changes, earlier, resources, edges: false, diagnostics, log, ran };
        }
        self.assembly.graph.set_numbers(self.machine.remembered.numbers.new_ones());
        let before = self.pending_changes.causes(&self.units);
        let because = |id: &ResourceId| {
            let now = causes.get(id).copied();
            let older = before.get(id).into_iter().flatten().copied().filter(|cause| Some(*cause) != now);
            let all = now.into_iter().chain(older);
            all.map(|cause| match cause {
                Cause::Input(input) => Trigger::Input(self.inputs.read_of(input)),
                Cause::Time => Trigger::Time,
            })
            .collect()
        };
        let resources = delta.resources.into_iter();
        let resources =
            resources.map(|(resource, fate)| ResourceChange { because: because(&resource), resource, fate });
        let resources = resources.collect();
        let earlier = self.pending_changes.changes(&changes);
        Outcome { changes, earlier, resources, edges: delta.edges, diagnostics, log: Vec::new(), ran }
    }

    /// The causes of the changes for each resource of the touched units.
    fn causes(&self, touched: &[Touched]) -> FxHashMap<ResourceId, Cause> {
        let mut causes = FxHashMap::default();
        for Touched { unit, before, cause } in touched {
            let Some(cause) = cause else { continue };
            let now = unit.and_then(|id| self.units.get(id)).map(|unit| &unit.declared);
            for decl in [Some(before), now].into_iter().flatten().flat_map(|declared| &declared.resources) {
                causes.insert(decl.id(), *cause);
            }
        }
        causes
    }

    fn is_used(&self, input: input::InputId) -> bool {
        self.assembly.uses(input)
            || self.machine.tracking.as_ref().is_some_and(|tracking| tracking.tracker.is_used(input))
    }

    fn tracker(&mut self) -> Option<&mut Tracker> {
        self.machine.tracking.as_mut().map(|tracking| &mut tracking.tracker)
    }
}

/// The place of a loop's iterations.
struct Within {
    body: BlockId,
    frame: FrameId,
    container: Container,
    depth: u32,
}
