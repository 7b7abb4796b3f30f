//! `workbench step`: the stepper without the screens, driven by their keys: from a script, or asked at each stop.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use rustc_hash::FxHashMap;

use super::step_asking;
use crate::cli::args::{Entry, Global};
use crate::cli::assertion;
use crate::cli::choices::find_named;
use crate::cli::drive::Drive;
use crate::cli::events::{Events, param};
use crate::cli::exit::Exit;
use crate::cli::face::Face;
use crate::cli::next_step::why_next;
use crate::cli::open::{compile, note_facts, open};
use crate::cli::report::report_text;
use crate::diag::Stage;
use crate::engine::message::{Pause, Request};
use crate::graph::{Graph, ResourceId};
use crate::plan::Plan;
use crate::plan::stop::{BreakMode, Stop};
use crate::session::moment::read_record;
use crate::session::{Cancel, DeclaredKind, Interrupts, Mode, Session, check_stop, own_name};
use crate::source::printable;

/// Step through a dry run, by a script or interactively
#[derive(Args, Debug)]
#[command(after_help = "Commands, separated by `;` or newlines:\n  \
    s [N]        run one step, or N steps\n  \
    o            run to the end of the class of the next resource, or to a breakpoint\n  \
    c            continue to a breakpoint, a failure or the end\n  \
    t ID         continue until ID is next; ID itself is not run\n  \
    b STOP       set or clear a breakpoint: a resource, a pattern, or a condition, as in\n               \
                 `b svc[*] if refresh`, `b if destroys`, `b if kind:file changed:mode`,\n               \
                 `b if mode==0600 !tag:base`. Words after `if`: changes (any change)\n               \
                 creates alters (act:change) replaces destroys (act:remove or\n               \
                 act:replace) runs unknown fails refresh act:ACTION kind:K\n               \
                 tag:CLASS changed:PROPERTY FIELD==VALUE FIELD!=VALUE;\n               \
                 `!` negates a word\n               \
                 ACTION: create change replace remove run none (unchanged) unknown\n  \
    x [ID]       skip the next resource, or ID\n  \
    r [ID]       retry the first resource that failed or was skipped, or ID\n  \
    Z [N]        go back one step, or N steps\n  \
    assert EXPR  check a condition such as `changes == 2 && failed == 0`; counts: done,\n               \
        changes, failed, skipped, blocked, waiting (pending)\n\n\
    Event commands. An event is a change of inputs of the program. `set`, `wait`,\n\
    `>` and `<` show the graph of another event, and restart the dry run:\n  \
    set INPUT = VALUE  pretend that an input changed (the file is not written):\n                     \
        `set file /etc/motd = hello`\n  \
    wait [SECONDS]     advance the time\n  \
    w                  hold new events; again: take the held events\n  \
    > [N]              go forward one event, or N\n  \
    < [N]              go back one event, or N\n  \
    assert EXPR        a parameter: `assert file[/srv/motd].content == hello`;\n                     \
        or a condition on one of these counts:\n                     \
        event      number of the event that is shown\n                     \
        events     number of the newest event\n                     \
        held       events that wait: held by `w`, or still in the record\n                     \
        resources  resources in the graph\n                     \
        emitted    resources that differ from the event before\n                     \
        added      resources that are new\n                     \
        removed    resources that are gone\n\n\
    Without a script, shows the plan and asks at each step, with numbered\n\
    choices. Answer with a number, a name, or a command from above.\n\n\
    Examples:\n  workbench step --plain modules/mcl/demo\n  workbench step modules/mcl/demo --script 's 3; assert done == 3'\n  \
    workbench step site/ --script @steps.txt\n  \
    workbench step site/ --script 'set file /etc/motd = hi; c; assert changes == 1'\n  \
    workbench step site/ --replay day.jsonl --script '> 3; <; assert event == 2'")]
pub struct StepCommand {
    #[command(flatten)]
    pub entry: Entry,
    /// Commands to run, or `@FILE`; without it, asks at each step
    #[arg(long, value_name = "SCRIPT")]
    pub script: Option<String>,
    /// Whether `c` stops at a failure (`failure`) or only at breakpoints (`never`)
    #[arg(long = "break", value_name = "MODE", default_value = "failure", value_parser = break_mode)]
    pub break_mode: BreakMode,
    /// Load the events of a record made with `run --record FILE`; `>` steps through them
    #[arg(long, value_name = "FILE")]
    pub replay: Option<PathBuf>,
    /// Refuse what `apply --as-this-host` refuses: a program for several hosts
    #[arg(long)]
    pub as_this_host: bool,
}

impl StepCommand {
    /// One that asks at each stop.
    pub fn asking(entry: Entry) -> Self {
        Self { entry, script: None, break_mode: BreakMode::default(), replay: None, as_this_host: false }
    }

    /// Runs the commands of the script. Without a script it asks at each stop.
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let Some(script) = &self.script else { return step_asking::run(face, global, self) };
        let script = match script.strip_prefix('@') {
            None => script.clone(),
            Some(file) => match crate::session::read_source(file) {
                Ok(text) => text,
                Err(report) => return Ok(face.report(&report)),
            },
        };
        let verbs = match script.split([';', '\n']).map(str::trim).filter(|v| !v.is_empty()).map(parse_verb).collect() {
            Ok::<Vec<Verb>, String>(verbs) => verbs,
            Err(reason) => return Ok(face.refuse(&reason, "`workbench step --help` lists the commands")),
        };
        let follows = verbs.iter().any(Verb::is_of_events);
        let mut scene = match Scene::open(face, global, self, follows)? {
            Ok(scene) => scene,
            Err(exit) => return Ok(exit),
        };
        for verb in verbs {
            if let Some(exit) = scene.perform(face, verb)? {
                return Ok(exit);
            }
            if scene.drive.interrupted {
                return Ok(Exit::Stopped);
            }
        }
        let counts = scene.drive.counts();
        writeln!(face.out, "{counts}")?;
        if let Some(next) = &scene.drive.next {
            writeln!(face.out, "next: {next}\nwhy next: {}", printable(&why_next(&scene.drive, next)))?;
        }
        Ok(if counts.failed + counts.unable > 0 { Exit::Failed } else { Exit::Done })
    }
}

fn break_mode(name: &str) -> Result<BreakMode, String> {
    BreakMode::named(name).ok_or_else(|| format!("the modes are {}", BreakMode::ALL.map(BreakMode::name).join(", ")))
}

#[derive(Debug)]
pub(super) enum Verb {
    Step(u32),
    Over,
    Continue,
    To(String),
    Break(String, Stop),
    Skip,
    LeaveOut(String),
    /// The named one, or the first.
    Retry(String),
    Back(u32),
    Set(String, String),
    Wait(u32),
    Pause,
    EventOn(u32),
    EventBack(u32),
    Assert(String),
}

impl Verb {
    /// Whether the command needs the events of a watched program.
    pub fn is_of_events(&self) -> bool {
        matches!(self, Verb::Set(..) | Verb::Wait(_) | Verb::Pause | Verb::EventOn(_) | Verb::EventBack(_))
    }

    /// Whether the command sets a breakpoint.
    pub fn sets_a_breakpoint(&self) -> bool {
        matches!(self, Verb::Break(..))
    }
}

pub(super) fn parse_verb(text: &str) -> Result<Verb, String> {
    let (word, rest) = text.split_once(char::is_whitespace).map_or((text, ""), |(word, rest)| (word, rest.trim()));
    let with_id = |verb: fn(String) -> Verb| match rest {
        "" => Err(format!("`{word}` needs a resource")),
        id => Ok(verb(id.to_string())),
    };
    let with_number = |verb: fn(u32) -> Verb| match rest {
        "" => Ok(verb(1)),
        number => number.parse().map(verb).map_err(|_| format!("`{word}` takes a number, not `{rest}`")),
    };
    let verb = match word {
        "s" => return with_number(Verb::Step),
        ">" => return with_number(Verb::EventOn),
        "<" => return with_number(Verb::EventBack),
        "Z" => return with_number(Verb::Back),
        "wait" => return with_number(Verb::Wait),
        "t" => return with_id(Verb::To),
        "x" if !rest.is_empty() => return with_id(Verb::LeaveOut),
        "b" => return Ok(Verb::Break(rest.to_string(), Stop::parse(rest)?)),
        "r" => return Ok(Verb::Retry(rest.to_string())),
        "set" => {
            let (input, value) = rest.split_once('=').ok_or("`set` is written `set INPUT = VALUE`")?;
            return Ok(Verb::Set(input.trim().to_owned(), value.trim().to_owned()));
        }
        "assert" => {
            assertion::check(rest)?;
            return Ok(Verb::Assert(rest.to_string()));
        }
        "o" => Verb::Over,
        "c" => Verb::Continue,
        "x" => Verb::Skip,
        "w" => Verb::Pause,
        _ => return Err(format!("unknown command `{word}`")),
    };
    if rest.is_empty() { Ok(verb) } else { Err(format!("`{word}` takes no argument")) }
}

/// The steps of a dry run, and the events if the script uses any.
pub(super) struct Scene {
    session: Session,
    pub interrupts: Interrupts,
    cancel: Cancel,
    graph: Arc<Graph>,
    pub drive: Drive,
    events: Option<Events>,
    break_mode: BreakMode,
    /// The kinds that the program declares.
    kinds: Vec<DeclaredKind>,
    /// The plan of a graph, once it was requested.
    plan: Option<(Arc<Graph>, Arc<Plan>)>,
}

impl Scene {
    /// The compiled program, watched if events may change it. Returns an exit code for errors.
    pub fn open(face: &Face, global: &Global, step: &StepCommand, follows: bool) -> io::Result<Result<Self, Exit>> {
        let record = match step.replay.as_deref().map(read_record).transpose() {
            Ok(record) => record,
            Err(why) => return Ok(Err(face.refuse(&why, "make a record with `workbench run --record FILE`"))),
        };
        let entry = step.entry.allowing_unknown().as_this_host(step.as_this_host);
        let opened = match follows || record.is_some() {
            false => compile(face, global, &entry, Stage::Eval)
                .map(|(session, compiled)| (Arc::new(session.ready(compiled.graph)), compiled.kinds, session))
                .map(|(graph, kinds, session)| (session, graph, kinds, None)),
            true => open(face, global, &entry).and_then(|session| {
                let events = Events::start(&session, record).ok_or(Exit::Refused)?;
                match face.moment(events.shown()) {
                    Exit::Done => Ok((session, events.graph(), Vec::new(), Some(events))),
                    refused => Err(refused),
                }
            }),
        };
        let (session, graph, kinds, events) = match opened {
            Ok(opened) => opened,
            Err(exit) => return Ok(Err(exit)),
        };
        if let Err(why) = session.check_hosts(&graph, Mode::Dry) {
            return Ok(Err(face.refuse(&why.to_string(), &why.help())));
        }
        note_facts(face, &session);
        let cancel = Cancel::default();
        let interrupts = Interrupts::catch_for(cancel.clone())?;
        let drive = drive(face, &session, &graph, &interrupts)?;
        let break_mode = step.break_mode;
        Ok(Ok(Self { session, interrupts, cancel, graph, kinds, drive, events, break_mode, plan: None }))
    }

    /// Runs one verb; returns an exit code if the script ends with it.
    pub fn perform(&mut self, face: &mut Face, verb: Verb) -> io::Result<Option<Exit>> {
        match verb {
            Verb::Assert(expression) => Ok(self.assert(face, &expression)),
            verb if verb.is_of_events() => self.happen(face, &verb),
            Verb::Break(text, stop) => Ok(self.toggle_break(face, &text, &stop)),
            Verb::Continue => {
                self.continue_run(face)?;
                Ok(None)
            }
            verb => turn(face, &mut self.drive, &verb),
        }
    }

    /// Continues as the mode says.
    fn continue_run(&mut self, face: &mut Face) -> io::Result<()> {
        loop {
            self.drive.ask(Request::Continue { until: None }, &mut |event| report_text(face, Mode::Dry, event))?;
            let failed = self.drive.why == Pause::Failure && self.drive.next.is_some();
            if !failed || self.break_mode == BreakMode::Failure || self.drive.interrupted {
                return Ok(());
            }
        }
    }

    fn assert(&self, face: &Face, expression: &str) -> Option<Exit> {
        let count = |name: &str| self.drive.counts().get(name).or_else(|| self.events.as_ref()?.count(name));
        if assertion::holds(expression, &count, &|name| param(&self.graph, name)) == Ok(true) {
            return None;
        }
        let events = self.events.as_ref().map(|events| format!("; {events}")).unwrap_or_default();
        let there = format!("there are {}{events}", self.drive.counts());
        Some(face.refuse(&format!("assertion failed: {expression}"), &there))
    }

    /// Sets a breakpoint or clears it.
    fn toggle_break(&mut self, face: &Face, text: &str, stop: &Stop) -> Option<Exit> {
        let plan = stop.asks_a_plan().then(|| self.plan());
        let steps = plan.iter().flat_map(|plan| &plan.steps);
        if let Err(reason) = check_stop(stop, self.drive.graph(), &self.kinds, steps) {
            return Some(face.refuse(&reason, "`workbench step --help` lists the words after `if`"));
        }
        match self.places(stop) {
            Ok(places) => self.drive.toggle_break(text, places),
            Err(reason) => return Some(face.refuse(&reason, "use a name from `workbench graph`")),
        }
        None
    }

    /// The steps at which a breakpoint stops. Makes a plan if the condition needs one.
    fn places(&mut self, stop: &Stop) -> Result<BTreeSet<ResourceId>, String> {
        let plan = stop.asks_a_plan().then(|| self.plan());
        let steps = plan.iter().flat_map(|plan| &plan.steps).map(|step| (&step.resource, step));
        let steps: FxHashMap<_, _> = steps.collect();
        stop.places(self.drive.graph(), |id| steps.get(id).copied(), own_name)
    }

    /// The plan of the shown graph.
    pub fn plan(&mut self) -> Arc<Plan> {
        match &self.plan {
            Some((of, plan)) if Arc::ptr_eq(of, &self.graph) => Arc::clone(plan),
            _ => {
                let plan = Arc::new(self.session.preview(&self.graph, &self.cancel, &mut |_| ()));
                self.plan = Some((Arc::clone(&self.graph), Arc::clone(&plan)));
                plan
            }
        }
    }

    /// The name of the shown entry.
    pub fn shown(&self) -> &str {
        &self.session.entry().shown
    }

    /// Whether the scene watches the events of the program.
    pub fn has_events(&self) -> bool {
        self.events.is_some()
    }

    /// An event happens, or another one is shown: the steps start again, over its graph.
    fn happen(&mut self, face: &mut Face, verb: &Verb) -> io::Result<Option<Exit>> {
        let Some(events) = &mut self.events else { return Ok(None) };
        let refused = match verb {
            Verb::Set(name, words) => {
                events.set(face, name, words)?.err().map(|why| (why, "`workbench step --help` shows how to set inputs"))
            }
            Verb::Wait(seconds) => events.wait(face, *seconds).map(|()| None)?,
            Verb::Pause => events.pause(face).map(|()| None)?,
            Verb::EventOn(times) => {
                let moved = times_of(*times, || events.forward(face))?;
                (!moved).then(|| ("no event is waiting".into(), "`set`, `wait` or a record makes one"))
            }
            Verb::EventBack(times) => {
                let moved = times_of(*times, || events.back(face))?;
                (!moved).then(|| ("this is the first event".into(), "`>` goes forward"))
            }
            _ => None,
        };
        if let Some((why, help)) = refused {
            return Ok(Some(face.refuse(&why, help)));
        }
        let graph = events.graph();
        if !Arc::ptr_eq(&graph, &self.graph) {
            self.drive = drive(face, &self.session, &graph, &self.interrupts)?;
            self.graph = graph;
        }
        Ok(None)
    }
}

/// Repeats something; false if it ends before.
fn times_of(times: u32, mut one: impl FnMut() -> io::Result<bool>) -> io::Result<bool> {
    for _ in 0..times {
        if !one()? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A dry run over a graph, before its first step.
fn drive(face: &Face, session: &Session, graph: &Arc<Graph>, interrupts: &Interrupts) -> io::Result<Drive> {
    let (stepper, events) = session.stepper(Arc::clone(graph));
    let mut drive = Drive::new(stepper, events, interrupts.clone(), Arc::clone(graph), face.aside());
    drive.follow(&mut |_| Ok(()))?;
    Ok(drive)
}

/// Runs one verb for steps; returns an exit code if the script ends with it.
fn turn(face: &mut Face, drive: &mut Drive, verb: &Verb) -> io::Result<Option<Exit>> {
    let mut ask = |drive: &mut Drive, request| drive.ask(request, &mut |event| report_text(face, Mode::Dry, event));
    match verb {
        Verb::Step(times) => {
            for _ in 0..*times {
                if drive.is_over() || drive.interrupted {
                    break;
                }
                ask(drive, Request::Step)?;
            }
        }
        Verb::Over => {
            let Some(next) = drive.next.clone() else { return Ok(None) };
            let around = drive.containers(&next).to_vec();
            // A resource without a class is stepped over alone.
            ask(drive, if around.is_empty() { Request::Step } else { Request::Over { around } })?;
        }
        Verb::LeaveOut(id) => match drive.named(id) {
            Err(reason) => return Ok(Some(face.refuse(&reason, "use a name from `workbench graph`"))),
            Ok(resource) => drive.leave_out(resource),
        },
        Verb::Skip => ask(drive, Request::Skip)?,
        Verb::Back(times) => {
            // Never more than have run.
            for _ in 0..(*times as usize).min(drive.total()) {
                ask(drive, Request::Back)?;
            }
        }
        Verb::Retry(name) => {
            let tried = drive.to_retry();
            let find_named = match (&**name, tried.first()) {
                ("", Some(first)) => Ok(ResourceId::clone(first)),
                ("", None) => Err("no resource failed or was skipped".to_owned()),
                (name, _) => find_named(name, &tried).map_err(|why| format!("failed or skipped resources: {why}")),
            };
            match find_named {
                Ok(resource) => ask(drive, Request::Retry { resource })?,
                Err(why) => return Ok(Some(face.refuse(&why, "`r` retries a failed or skipped resource"))),
            }
        }
        Verb::To(id) => match drive.named(id) {
            Err(reason) => return Ok(Some(face.refuse(&reason, "use a name from `workbench graph`"))),
            // A step that has run is not reached again: the run would continue to its end, as if nothing had been
            // named.
            Ok(resource) if drive.has_turned(&resource) => {
                let reason = format!("{resource} is already done");
                return Ok(Some(face.refuse(&reason, "`t` continues to a waiting resource; `Z` steps back")));
            }
            Ok(resource) => ask(drive, Request::Continue { until: Some(resource) })?,
        },
        Verb::Continue
        | Verb::Break(..)
        | Verb::Set(..)
        | Verb::Wait(_)
        | Verb::Pause
        | Verb::EventOn(_)
        | Verb::EventBack(_)
        | Verb::Assert(_) => {}
    }
    Ok(None)
}
