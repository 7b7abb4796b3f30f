//! `workbench run`: keeps the machine in the described state while inputs change.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;

use super::apply::{asked_or, closing, not_begun, note_refused};
use super::preview::is_pending;
use crate::cli::args::{Entry, Format, Global};
use crate::cli::ask::Confirmation;
use crate::cli::choices::{Answer as Typed, Answers};
use crate::cli::drive::Drive;
use crate::cli::exit::Exit;
use crate::cli::face::Face;
use crate::cli::lines::Lines;
use crate::cli::open::{note_facts, open};
use crate::cli::paint::Role;
use crate::cli::plan_text::write_plan;
use crate::cli::report::{because, event_json, report_event, report_text};
use crate::engine::message::Request;
use crate::graph::{Graph, ResourceId};
use crate::plan::{Action, Certainty, Change as PlannedChange, Step};
use crate::session::follow::{Answer, Change, Event, Follower, ProgramUpdate, Read, ResourceChange, Watcher, brief};
use crate::session::history;
use crate::session::moment::read_record;
use crate::session::{AfterFailure, Cancel, Due, Interrupts, Keeper, Keeping, Mode, Part, RunOptions, Session, Upkeep};

/// Apply a module and keep the machine in that state
///
/// Watches the inputs of the program (files, time, ...), its source, and its resources. Files are watched; services and
/// similar are polled every few seconds (`Meta:poll` sets the interval). When an input changes, workbench evaluates
/// what depends on it and applies the differences.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench run modules/mcl/demo\n  \
    workbench run --noop site/                  only report\n  \
    workbench run --yes --once site/            until everything is unchanged, then exit\n  \
    workbench run --yes --record day.jsonl site/\n  \
    workbench run --noop --replay day.jsonl site/         all events of that day in order\n  \
    workbench run --noop --replay day.jsonl --step site/  Enter takes the next event; Ctrl-D exits")]
pub struct RunCommand {
    #[command(flatten)]
    pub entry: Entry,
    /// Apply without asking
    #[arg(long)]
    pub yes: bool,
    /// Exit when every resource is in the described state
    #[arg(long)]
    pub once: bool,
    /// Change nothing, only report what would change
    #[arg(long)]
    pub noop: bool,
    /// Write every event to FILE, one JSON object per line
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Take the events from a record instead of this machine, and apply them here unless --noop; exit at the end
    #[arg(long, value_name = "FILE", conflicts_with_all = ["record", "once"])]
    pub replay: Option<PathBuf>,
    /// Wait for Enter before each event of a record; Ctrl-D exits
    ///
    /// For each event, shows the input that changed, its old and new value, and every resource that changes.
    #[arg(long, requires = "replay")]
    pub step: bool,
    /// Apply even if the graph was compiled for another host
    #[arg(long)]
    pub as_this_host: bool,
    /// How long to wait for the lock, such as `30s`, `5m`
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = crate::cli::args::duration)]
    pub lock_timeout: Duration,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

impl RunCommand {
    /// Applies the entry, and applies it again after each change of its inputs. A refusal is recorded in the history.
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let last = || history::last(global.state_dir.as_ref());
        let before = last();
        let exit = self.follow(face, global);
        if !self.noop && !matches!(exit, Ok(Exit::Done)) && last() == before {
            note_refused(global, || Some(self.entry.entry.clone()), before);
        }
        exit
    }

    fn follow(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let asks = !(self.yes || self.noop);
        if asks && !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
            return Ok(face.refuse("run needs a terminal to ask for confirmation", "pass `--yes`, or use `--noop`"));
        }
        let mut replay = match self.replay.as_deref().map(read_record).transpose() {
            Ok(events) => events.map(Vec::into_iter),
            Err(why) => return Ok(face.refuse(&why, "make a record with `workbench run --record FILE`")),
        };
        let record = match self.record.as_ref().map(create).transpose() {
            Ok(record) => record.map(|file| (file, Lines::of_record())),
            Err(error) => {
                return Ok(face.refuse(&format!("cannot write the record: {error}"), "name another file"));
            }
        };
        let session = match open(face, global, &self.entry.as_this_host(self.as_this_host)) {
            Ok(session) => session,
            Err(exit) => return Ok(exit),
        };
        session.keep_worker();
        face.lines.begin_for(&session.compiled_for());
        // Its history, its lock and its servers are this process's own: a hangup ends it as Ctrl-C does.
        let interrupts = Interrupts::catch_with_hangup()?;
        let start = replay.as_mut().map(|events| events.next().unwrap_or_default());
        let now = start.as_ref().map_or_else(|| session.now(), |event| event.at);
        let follower = session.follow(now, start.as_ref(), &Cancel::default());
        let Ok(first) = follower.first() else { return Ok(Exit::Refused) };
        if face.watched(&first) == Exit::Refused && self.is_brief() {
            return Ok(Exit::Refused);
        }
        let mut running = Running {
            run: self,
            global,
            upkeep: Upkeep::new(!self.noop || session.options().run_guards),
            session,
            interrupts,
            record,
            known: BTreeSet::new(),
            drifted: BTreeMap::new(),
            keeper: None,
            held: Vec::new(),
            failed: false,
        };
        running.note(Event { at: now, changes: Vec::new() }, &first)?;
        if let Some(graph) = &first.graph {
            let other = match running.session.check_hosts(graph, running.mode()) {
                Ok(other) => other,
                Err(why) => return Ok(face.refuse(&why.to_string(), &why.help())),
            };
            note_facts(face, &running.session);
            if asks && let Some(exit) = running.may_begin(face, graph, other.as_deref())? {
                return Ok(exit);
            }
        }
        let watches = !self.is_brief();
        let mut watcher = watches.then(Watcher::default);
        if let Some(graph) = &first.graph {
            running.take_over_graph(graph);
            // Before anything is done, so that no change in between is missed.
            if let Some(watcher) = &mut watcher {
                running.session.watch(watcher, &first, &mut running.upkeep);
            }
            let part = running.upkeep.part(&BTreeSet::new());
            if let Some(exit) = running.converge(face, &part, BTreeSet::new())? {
                return Ok(exit);
            }
        }
        let ended = match replay {
            Some(events) => running.replay(face, &follower, events)?,
            None => match watcher {
                None => running.feed_back(face, &follower)?,
                Some(watcher) => Some(running.watch(face, &follower, watcher, first)?),
            },
        };
        Ok(ended.unwrap_or(if running.failed { Exit::Failed } else { Exit::Done }))
    }

    /// Whether it ends by itself, so that compile errors are final.
    fn is_brief(&self) -> bool {
        self.once || self.replay.is_some()
    }
}

/// How often a program that exits when it has converged may react to its own resources.
const ROUNDS: usize = 100;

/// The state of a run.
struct Running<'a> {
    run: &'a RunCommand,
    global: &'a Global,
    session: Session,
    interrupts: Interrupts,
    record: Option<(File, Lines)>,
    /// The inputs at the last event, for the record.
    known: BTreeSet<Read>,
    upkeep: Upkeep,
    /// The reported drift of resources that are not corrected.
    drifted: BTreeMap<ResourceId, Vec<PlannedChange>>,
    /// The state between two applies; `None` if nothing is applied.
    keeper: Option<Keeper>,
    /// The values of `value` resources that the program has not read yet.
    held: Vec<(Read, Answer)>,
    /// Whether the last apply had a failure.
    failed: bool,
}

impl Running<'_> {
    /// Shows the plan, and asks. Returns an exit code if it is not to start.
    fn may_begin(&self, face: &mut Face, graph: &Arc<Graph>, other: Option<&str>) -> io::Result<Option<Exit>> {
        let graph = Arc::new(self.session.ready(Graph::clone(graph)));
        let plan = self.session.preview(&graph, &Cancel::default(), &mut |_| ());
        write_plan(face, &plan, &plan.steps.iter().collect::<Vec<_>>())?;
        face.out.flush()?;
        if !is_pending(&plan.summary) {
            return Ok(None);
        }
        let machine = self.session.hostname();
        let asked = Confirmation::of(&plan.steps, &machine, other);
        let mut is_stopped = false;
        let is_agreed = asked.is_agreed(face, "Apply this, and keep it so?", &mut |face, question| {
            Ok(match Answers::default().ask(face, question, &self.interrupts)? {
                Typed::Line(line) => line,
                ended => {
                    is_stopped = ended == Typed::Interrupted;
                    String::new()
                }
            })
        })?;
        Ok(match is_agreed {
            true => None,
            false if is_stopped => Some(Exit::Stopped),
            false => Some(face.refuse("nothing was applied", &asked.help())),
        })
    }

    /// Runs the events of a record, one after the other.
    fn replay(
        &mut self,
        face: &mut Face,
        follower: &Follower,
        events: impl Iterator<Item = Event>,
    ) -> io::Result<Option<Exit>> {
        let mut answers = Answers::default();
        for event in events {
            if self.run.step {
                face.note("Enter takes the next event, Ctrl-D exits");
                if !matches!(answers.ask(face, "", &self.interrupts)?, Typed::Line(_)) {
                    return Ok(Some(Exit::Stopped));
                }
            }
            if self.interrupts.count() > 0 {
                return Ok(Some(Exit::Stopped));
            }
            let at = event.at;
            let Ok(update) = follower.event(event) else { return Ok(Some(Exit::Refused)) };
            if let Some(exit) = self.take_in(face, &update, at)? {
                return Ok(Some(exit));
            }
        }
        Ok(None)
    }

    /// Takes the lock from now on.
    fn take_over(&mut self, face: &Face) -> Option<Exit> {
        let keeping =
            Keeping { state: self.global.state_dir.clone(), patience: self.run.lock_timeout, ..Keeping::default() };
        let aside = face.aside();
        let kept =
            self.session.keep(&keeping, &mut |holder| aside.note(format_args!("waiting for another apply: {holder}")));
        match kept {
            Ok(keeper) => {
                self.keeper = Some(keeper);
                None
            }
            Err(error) => Some(not_begun(face, self.global, &error)),
        }
    }

    /// Sends the program the values of its own resources until nothing changes.
    fn feed_back(&mut self, face: &mut Face, follower: &Follower) -> io::Result<Option<Exit>> {
        for _ in 0..ROUNDS {
            if self.held.is_empty() {
                return Ok(None);
            }
            let event = Event { at: self.session.now(), changes: std::mem::take(&mut self.held) };
            let at = event.at;
            let Ok(update) = follower.event(event.clone()) else { return Ok(Some(Exit::Refused)) };
            self.note(event, &update)?;
            if let Some(exit) = self.take_in(face, &update, at)? {
                return Ok(Some(exit));
            }
        }
        face.note("stopped: the values that the program reads from its own resources change every time");
        Ok(Some(Exit::Failed))
    }

    /// Runs events from this machine until the user ends it.
    fn watch(
        &mut self,
        face: &mut Face,
        follower: &Follower,
        mut watcher: Watcher,
        first: ProgramUpdate,
    ) -> io::Result<Exit> {
        let mut update = first;
        face.note("watching; Ctrl-C exits");
        loop {
            self.session.watch(&mut watcher, &update, &mut self.upkeep);
            let wake =
                update.wake.map(|wake| Instant::now() + Duration::from_millis(wake.saturating_sub(self.session.now())));
            let interrupts = self.interrupts.clone();
            let until = wake.into_iter().chain(self.upkeep.next()).min();
            let seen = {
                let upkeep = RefCell::new(&mut self.upkeep);
                let has_posted = || self.keeper.as_ref().is_some_and(Keeper::has_received);
                let is_quiet = || !has_posted() && self.held.is_empty() && !upkeep.borrow_mut().has_messages();
                self.session.wait(&mut watcher, until, &|| interrupts.count() == 0 && is_quiet())
            };
            if self.interrupts.count() > 0 {
                return Ok(Exit::Stopped);
            }
            self.upkeep.touched(&seen.touched, Instant::now());
            let now = self.session.now();
            let is_program = seen.changes.iter().any(|(read, _)| update.program.iter().any(|(known, _)| known == read));
            let mut changes = seen.changes;
            changes.append(&mut self.held);
            if is_program || !changes.is_empty() || wake.is_some_and(|wake| Instant::now() >= wake) {
                let event = Event { at: now, changes };
                if is_program {
                    face.note("the source changed; compiling again");
                    // The program has read these values from the start.
                    let changes = event.changes.iter().filter(|(read, _)| matches!(read, Read::Held(_)));
                    let held = Event { at: now, changes: changes.cloned().collect() };
                    if !held.changes.is_empty() && follower.event(held).is_err() {
                        return Ok(Exit::Refused);
                    }
                }
                let step = if is_program { follower.reload(now) } else { follower.event(event.clone()) };
                let Ok(next) = step else { return Ok(Exit::Refused) };
                self.note(event, &next)?;
                let ended = self.take_in(face, &next, now)?;
                // A program that is broken for now is still watched, with its last inputs.
                let is_broken = next.graph.is_none() && next.inputs.is_empty();
                update = ProgramUpdate { inputs: if is_broken { update.inputs } else { next.inputs.clone() }, ..next };
                if let Some(exit) = ended {
                    return Ok(exit);
                }
            }
            let posted = self.keeper.as_ref().map(Keeper::received).unwrap_or_default();
            if !posted.is_empty() {
                let part = self.upkeep.part(&posted);
                if let Some(exit) = self.converge(face, &part, BTreeSet::new())? {
                    return Ok(exit);
                }
            }
            let due =
                self.upkeep.due(Instant::now(), &mut |id, word| face.note(format_args!("{id}: `watchcmd`: {word}")));
            if let Some(exit) = self.correct(face, due)? {
                return Ok(exit);
            }
        }
    }

    fn mode(&self) -> Mode {
        if self.run.noop { Mode::Dry } else { Mode::Live }
    }

    /// Applies a new graph, prepared for this machine.
    fn take_over_graph(&mut self, graph: &Arc<Graph>) {
        let graph = self.session.ready(Graph::clone(graph));
        self.upkeep.take_over(&self.session, &Arc::new(graph), Instant::now());
    }

    /// Reports an event, and applies the differences.
    fn take_in(&mut self, face: &mut Face, update: &ProgramUpdate, at: u64) -> io::Result<Option<Exit>> {
        face.watched(update);
        if let Some(graph) = &update.graph {
            // The program may be for other hosts by now.
            if let Err(why) = self.session.check_hosts(graph, self.mode()) {
                let message = format!("the run ends, because its program changed: {why}");
                face.refuse(&message, &format!("nothing of the change was applied; {}", why.help()));
                // `Refused` is for a command that changed nothing.
                return Ok(Some(if self.keeper.is_some() { Exit::Failed } else { Exit::Refused }));
            }
            self.take_over_graph(graph);
        }
        let says_nothing = update.resources.is_empty() && !update.edges;
        if !says_nothing || self.run.format == Format::Json || face.verbose {
            self.write_report(face, update, at)?;
        }
        let Some(graph) = &update.graph else { return Ok(None) };
        if let Some(keeper) = &mut self.keeper {
            self.held.extend(keeper.keep_only(graph));
        }
        let part = self.upkeep.part(&BTreeSet::new());
        if part.graph.is_empty() {
            return Ok(None);
        }
        self.converge(face, &part, BTreeSet::new())
    }

    fn write_report(&self, face: &mut Face, update: &ProgramUpdate, at: u64) -> io::Result<()> {
        if self.run.format == Format::Json {
            let inputs: Vec<_> = update.changes.iter().map(input_json).collect();
            let resources: Vec<_> = update.resources.iter().map(reemitted_json).collect();
            let mut object =
                json!({"event": "input", "at": at, "inputs": inputs, "resources": resources, "edges": update.edges});
            if !update.earlier.is_empty() {
                object["earlier"] = update.earlier.iter().map(input_json).collect();
            }
            return face.line(object);
        }
        report_event(face, &update.changes, &update.earlier, &update.resources, update.edges)?;
        face.out.flush()
    }

    /// Checks resources that may have changed, maybe by ourselves, and corrects drift.
    fn correct(&mut self, face: &mut Face, due: Due) -> io::Result<Option<Exit>> {
        if due.is_empty() {
            return Ok(None);
        }
        let alone = self.upkeep.alone(&due.looks);
        let plan = if self.run.noop {
            self.session.preview(&alone, &Cancel::default(), &mut |_| ())
        } else {
            self.session.look_over(&alone)
        };
        let mut differs = BTreeSet::new();
        for step in plan.steps.iter().filter(|step| due.looks.contains(&step.resource)) {
            if step.action == Action::None && step.error.is_none() {
                self.drifted.remove(&step.resource);
            } else if self.report_drift(face, step)? {
                differs.insert(step.resource.clone());
            }
        }
        face.out.flush()?;
        differs.extend(due.refreshed.iter().cloned());
        let part = self.upkeep.part(&differs);
        if self.run.noop || part.graph.is_empty() {
            return Ok(None);
        }
        self.converge(face, &part, due.refreshed)
    }

    /// Reports a drifted resource. Returns whether to correct it.
    fn report_drift(&mut self, face: &mut Face, step: &Step) -> io::Result<bool> {
        let corrects = !(self.run.noop || step.is_noop);
        // Drift that is not corrected is reported once.
        let before = if corrects { None } else { self.drifted.insert(step.resource.clone(), step.changes.clone()) };
        if before.is_some_and(|before| before == step.changes) {
            return Ok(false);
        }
        // A command is not drift: it runs because of an event.
        if step.action != Action::Run && step.certainty == Certainty::Known {
            match self.run.format {
                Format::Json => face.line(json!({"event": "drift", "resource": step.resource}))?,
                Format::Text => {
                    let name = face.paint.role(Role::Name, &step.resource);
                    writeln!(
                        face.out,
                        "{} {name}  was changed outside workbench",
                        face.paint.role(Role::Warning, "!")
                    )?;
                }
            }
        }
        Ok(corrects)
    }

    /// Applies a part of the graph. Returns an exit code if the run ends with it.
    fn converge(&mut self, face: &mut Face, part: &Part, refreshed: BTreeSet<ResourceId>) -> io::Result<Option<Exit>> {
        let graph = Arc::clone(&part.graph);
        let mode = self.mode();
        if mode == Mode::Live
            && self.keeper.is_none()
            && let Some(exit) = self.take_over(face)
        {
            return Ok(Some(exit));
        }
        // While it watches, a retry is an event of its own, and delays nothing else.
        let one_try = !self.run.is_brief();
        let options =
            RunOptions { unchanged: Arc::clone(&part.unchanged), refreshed, one_try, ..RunOptions::default() };
        let started = match &self.keeper {
            None => Ok(self.session.stepper_for(Arc::clone(&graph), options)),
            Some(keeper) => self.session.apply_kept(Arc::clone(&graph), options, keeper),
        };
        let (stepper, events) = match started {
            Ok(started) => started,
            Err(error) => return Ok(Some(not_begun(face, self.global, &error))),
        };
        let mut drive = Drive::new(stepper, events, self.interrupts.clone(), graph, face.aside());
        let began = Instant::now();
        let mut followed = drive.follow(&mut |_| Ok(()));
        while !drive.is_over() && !drive.interrupted {
            let step = drive.ask(Request::Finish, &mut |event| match self.run.format {
                Format::Text => report_text(face, mode, event),
                Format::Json => match event_json(event, began) {
                    Some(object) => face.line(object),
                    None => Ok(()),
                },
            });
            followed = followed.and(step);
        }
        followed?;
        let result = drive.result();
        if let (Some(keeper), Some(ended)) = (&mut self.keeper, &result) {
            self.held.extend(keeper.hold(ended, |id| drive.is_done(id)));
        }
        let followed = self.upkeep.ended(part, result.as_ref(), |id| drive.ended(id), Instant::now());
        self.report_failures(face, &followed)?;
        let counts = drive.counts();
        self.failed = counts.failed > 0;
        match self.run.format {
            Format::Text => closing(face, mode, &counts)?,
            Format::Json => face.line(
                json!({"event": "converged", "done": counts.done, "changed": counts.changed, "failed": counts.failed,
                    "skipped": counts.skipped, "blocked": counts.blocked, "waiting": counts.waiting}),
            )?,
        }
        face.out.flush()?;
        let asked = drive.asked_to_exit().filter(|_| mode == Mode::Live);
        let usual = if self.failed { Exit::Failed } else { Exit::Done };
        Ok(match drive.interrupted {
            true => Some(Exit::Stopped),
            false => asked.map(|code| asked_or(Some(code), usual)),
        })
    }

    /// Reports what happens with failures.
    fn report_failures(&self, face: &mut Face, all: &[(ResourceId, AfterFailure)]) -> io::Result<()> {
        if self.run.is_brief() {
            return Ok(());
        }
        for (resource, next) in all {
            match (self.run.format, next) {
                (Format::Json, AfterFailure::Again { delay, .. } | AfterFailure::Contested { delay }) => {
                    let object = json!({"event": "again", "resource": resource, "in_ms": delay.as_millis()});
                    face.line(object)?;
                }
                (Format::Json, AfterFailure::Dead) => {
                    face.line(json!({"event": "given-up", "resource": resource}))?;
                }
                (Format::Text, AfterFailure::Again { delay, left }) => {
                    let when = match delay.as_millis() {
                        0 => "at once".to_owned(),
                        delay => format!("in {delay} ms"),
                    };
                    writeln!(face.out, "  {resource}: retry {when}, {left}")?;
                }
                (Format::Text, AfterFailure::Contested { delay }) => {
                    let delay = delay.as_millis();
                    writeln!(face.out, "  {resource}: someone else changes it too; next check in {delay} ms")?;
                }
                (Format::Text, AfterFailure::Dead) => {
                    let why = "no more retries until its declaration changes (`Meta:retry` sets the number)";
                    writeln!(face.out, "  {resource}: {why}")?;
                }
            }
        }
        Ok(())
    }

    /// Records an event with the values that the program read first because of it: a replay may be on another machine.
    fn note(&mut self, mut event: Event, update: &ProgramUpdate) -> io::Result<()> {
        let Some((record, lines)) = &mut self.record else { return Ok(()) };
        let is_new = |read: &Read, event: &Event| {
            !self.known.contains(read) && event.changes.iter().all(|(other, _)| other != read)
        };
        let fresh: Vec<_> = update.inputs.iter().filter(|(read, _)| is_new(read, &event)).cloned().collect();
        event.changes.extend(fresh);
        self.known = update.inputs.iter().map(|(read, _)| read.clone()).collect();
        lines.write(record, serde_json::to_value(&event)?)
    }
}

fn input_json(Change { input, from, to, place }: &Change) -> serde_json::Value {
    json!({"input": input.to_string(), "from": brief(from), "to": brief(to), "source": place})
}

/// `because`: the inputs of this event; those of earlier events with errors are separate.
fn reemitted_json(one: &ResourceChange) -> serde_json::Value {
    let mut causes = one.because.iter().map(because);
    let mut object = json!({"resource": one.resource, "fate": one.fate, "because": causes.next()});
    let more: Vec<_> = causes.collect();
    if !more.is_empty() {
        object["and_because"] = json!(more);
    }
    object
}

#[allow(clippy::disallowed_methods, reason = "a record is the user's own file, like what a shell redirects to")]
fn create(path: &PathBuf) -> io::Result<File> {
    File::create(path)
}
