//! `workbench apply`: previews, asks, and applies.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;

use super::apply_asking::Asking;
use super::modules::write_review;
use super::preview::{is_pending, refuse_denied};
use super::undo::Way;
use crate::cli::args::{Apart, Entry, Format, Global};
use crate::cli::ask::{Confirmation, agreed, answer as read_answer};
use crate::cli::choices::is_terminal_gone;
use crate::cli::complete;
use crate::cli::drive::Drive;
use crate::cli::exit::Exit;
use crate::cli::face::{Face, count};
use crate::cli::lines::{LINES_VERSION, Lines};
use crate::cli::only::{selected, sums};
use crate::cli::open::{compile, note_facts, parse_query};
use crate::cli::paint::Role;
use crate::cli::plan_text::write_plan;
use crate::cli::previewed;
use crate::cli::progress::Progress;
use crate::cli::report::{elsewhere_json, event_json, report_text};
use crate::cli::saved_plan;
use crate::cli::source_edit::Source;
use crate::diag::Stage;
use crate::engine::message::{Event, Request};
use crate::engine::run_view::Counts;
use crate::graph::{Graph, Hosts, Resource, export};
use crate::plan::{CompiledFor, Elsewhere, Plan};
use crate::session::history;
use crate::session::{
    ApplierStatus, ApplyError, AtHand, Disconnected, Grouped, Interrupts, Keeping, Mode, RunOptions, Session, Stranger,
    declared, group, load_plan, look_in,
};
use crate::source::printable;

/// Apply a module to this machine
///
/// Shows the plan, asks, then applies it. `workbench preview` shows the plan without asking.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench apply modules/mcl/demo\n  workbench apply --step site/\n  \
    workbench apply --yes --detailed-exitcode site/\n  workbench apply --yes --format json site/ | jq -c 'select(.event==\"failed\")'")]
pub struct Apply {
    #[command(flatten)]
    pub entry: Entry,
    /// Do not ask before it begins
    #[arg(long)]
    pub yes: bool,
    /// Ask at every step
    #[arg(long)]
    pub step: bool,
    /// Dry run: report what every step would do, without doing it
    #[arg(long)]
    pub noop: bool,
    /// Apply a plan saved by `preview --out`; refused if the machine or the module changed since
    #[arg(long, value_name = "FILE")]
    pub plan: Option<PathBuf>,
    /// Apply only matching resources: part of a name, `kind:file`, `act:create`, class `tag:web`, module `mod:site`,
    /// source file `file:web.mcl`; `!` negates. Dependencies are not applied: a match is blocked if one would change
    #[arg(long, value_name = "QUERY", add = complete::query())]
    pub only: Option<String>,
    /// Number of resources to apply in parallel [env: WORKBENCH_JOBS] [default: number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Whether to apply in a background process, which survives a closed terminal
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub apart: Apart,
    /// Apply as root with `sudo`; recorded in root's history
    #[arg(long, conflicts_with_all = ["noop", "apart"])]
    pub sudo: bool,
    /// Download new packages before the plan is shown, so that it lists their files
    #[arg(long)]
    pub fetch_packages: bool,
    /// Exit with 2 if something changed, 6 if something also failed
    #[arg(long)]
    pub detailed_exitcode: bool,
    /// Apply even if the graph was compiled for another host
    #[arg(long)]
    pub as_this_host: bool,
    /// How long to wait for the lock, such as `30s`, `5m`
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = crate::cli::args::duration)]
    pub lock_timeout: Duration,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Also write the events as JSON to FILE
    #[arg(long, value_name = "FILE")]
    pub json_into: Option<PathBuf>,
}

impl Apply {
    /// Previews, asks and applies. A refusal is recorded in the history.
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let state = global.state_dir.as_ref();
        let (mut is_begun, before) = (false, history::last(state));
        let exit = self.attempt(face, global, &mut is_begun);
        if !is_begun && self.mode() == Mode::Live && !matches!(exit, Ok(Exit::Done)) {
            note_refused(global, || self.path(), before);
        }
        exit
    }

    /// Returns the entry: the one that was named, or that of the saved plan. `None` if it is unknown.
    fn path(&self) -> Option<Option<String>> {
        match &self.plan {
            Some(plan) if self.entry.entry.is_none() => load_plan(plan).ok()?.path.map(Some),
            _ => Some(self.entry.entry.clone()),
        }
    }

    /// Applies it. `is_begun` is set once a deploy has begun.
    fn attempt(&self, face: &mut Face, global: &Global, is_begun: &mut bool) -> io::Result<Exit> {
        let agrees = self.yes || self.noop;
        let asks = self.step || !agrees;
        if asks && !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
            return Ok(face
                .refuse("apply needs a terminal to ask for confirmation", "pass `--yes`, or use `workbench preview`"));
        }
        let query = match parse_query(face, self.only.as_deref()) {
            Ok(query) => query,
            Err(exit) => return Ok(exit),
        };
        let into = match self.json_into.as_deref().map(|path| (path, create(path))) {
            None => None,
            Some((_, Ok(file))) => Some(file),
            Some((path, Err(error))) => {
                return Ok(face.refuse(&format!("{}: {error}", path.display()), "name a writable file"));
            }
        };
        let mut entry = self.entry.as_this_host(self.as_this_host);
        let saved = match self.plan.as_ref().map(|path| saved_plan::read(face, path)).transpose() {
            Ok(saved) => saved,
            Err(exit) => return Ok(exit),
        };
        if let Some(saved) = &saved {
            match &saved.compiled_for {
                Some(then) => entry.continues = Some(("the plan".into(), then.clone())),
                // Earlier versions recorded nothing else.
                None => entry.work.run_guards |= saved.run_guards,
            }
            entry.entry = entry.entry.or_else(|| saved.path.clone());
            if entry.entry.is_none() {
                return Ok(face.refuse(
                    "the saved plan was made from code that it does not contain",
                    "pass the entry too: `workbench apply --plan FILE ENTRY`",
                ));
            }
        }
        if let Some(saved) = &saved {
            if let Err(missing) = entry.work.options(global, &face.config).permits(saved) {
                let missing = missing.join(" and ");
                let message = format!("the plan was not saved by this user on this machine, and it needs {missing}");
                return Ok(face.refuse(&message, "add these to the command to allow them, or make a plan here"));
            }
            if let Some(permissions) = saved.compiled_for.as_ref().and_then(CompiledFor::permissions) {
                face.note(format_args!("note: compiled with {}, as the plan was", printable(&permissions)));
            }
        }
        let (session, compiled) = match compile(face, global, &entry, Stage::Eval) {
            Ok(done) => done,
            Err(exit) => return Ok(exit),
        };
        let (mut graph, sources, kinds, outside) = (compiled.graph, compiled.sources, compiled.kinds, compiled.outside);
        let other = match session.check_hosts(&graph, self.mode()) {
            Ok(other) => other,
            Err(why) => return Ok(face.refuse(&why.to_string(), &why.help())),
        };
        let target = saved.as_ref().and_then(|saved| saved.compiled_for.as_ref()?.target.clone());
        if let Some(other) = target.filter(|target| !self.as_this_host && *target != session.hostname()) {
            let message = format!("the plan was made on machine {other}, and this is {}", session.hostname());
            // Several hosts must not share one machine.
            let help = match graph.hosts() {
                Hosts::Several { .. } => "make a plan here",
                Hosts::Here | Hosts::Other(_) => "make a plan here, or use `--as-this-host` to apply it here anyway",
            };
            return Ok(face.refuse(&message, help));
        }
        note_facts(face, &session);
        if saved.is_some()
            && let Err(error) = session.seal_plans()
        {
            face.note(format_args!("note: private file contents are compared by size only: {error}"));
        }
        let has_policies = !session.policies().is_empty();
        let previewed = if asks || self.only.is_some() || saved.is_some() || has_policies {
            let fetches = self.fetch_packages || session.options().config.fetches_packages();
            match previewed::preview(face, &session, std::mem::take(&mut graph), fetches) {
                Ok(previewed) => Some(previewed),
                Err(exit) => return Ok(exit),
            }
        } else {
            None
        };
        let (graph, plan) = match previewed {
            Some((graph, mut plan)) => {
                plan.reads = outside.into_iter().map(|read| read.path).collect();
                (graph, Some(plan))
            }
            None => (Arc::new(session.ready(graph)), None),
        };
        let mut only = None;
        if let Some(plan) = &plan {
            if let Some(saved) = &saved {
                let moved = session.moved(saved, &session.freeze(plan, &graph, &sources));
                if !moved.is_empty() {
                    return saved_plan::refuse_stale(face, global, saved, &moved);
                }
            }
            let shown = match selected(face, (plan, &graph, &kinds), &query, self.only.as_deref()) {
                Ok(shown) => shown,
                Err(exit) => return Ok(exit),
            };
            only = self.only.is_some().then(|| shown.iter().map(|step| step.resource.clone()).collect());
            if asks {
                write_plan(face, plan, &shown)?;
                face.out.flush()?;
            }
            let broken = session.violations(&graph, shown.iter().copied());
            if let Some(refused) = refuse_denied(face, &broken).filter(|_| self.mode() == Mode::Live) {
                return Ok(refused);
            }
            if !asks {
                broken.iter().for_each(|violation| face.note(violation));
            }
            if asks {
                if !is_pending(&sums(&shown)) {
                    return Ok(Exit::Done);
                }
                if !self.knows_all(face, global, &session, &graph)? {
                    return Ok(face.refuse("nothing was applied", "approve the modules first"));
                }
                let machine = session.hostname();
                let asked = Confirmation::of(shown.iter().copied(), &machine, other.as_deref());
                if !agrees && !asked.is_agreed(face, "Apply this?", &mut read_answer)? {
                    return Ok(face.refuse("nothing was applied", &asked.help()));
                }
            }
        }
        let options = RunOptions {
            only,
            jobs: self.jobs.map_or(0, usize::from),
            // A saved plan has its own hash; a plan that was only used for `--only` was not confirmed.
            plan: saved
                .as_ref()
                .map(|saved| &saved.plan)
                .or(plan.as_ref().filter(|_| asks).map(|plan| &plan.plan))
                .cloned(),
            approved: saved,
            ..RunOptions::default()
        };
        let drive = match self.start(face, global, &session, &graph, options)? {
            Ok(drive) => drive,
            Err(exit) => return Ok(exit),
        };
        *is_begun = true;
        let (asks, detailed) = (self.step, self.detailed_exitcode);
        let way = asks.then_some(Way { global, apart: self.apart, sudo: self.sudo });
        let source = Source::of(&session, self.keeping(face, global)).filter(|_| asks);
        let reporting = Reporting { mode: self.mode(), format: self.format, asks, plan, source, way, detailed, into };
        reporting.run(face, &About::of(&session), &graph, drive)
    }

    fn mode(&self) -> Mode {
        if self.noop { Mode::Dry } else { Mode::Live }
    }

    fn keeping(&self, face: &Face, global: &Global) -> Keeping {
        Keeping {
            state: global.state_dir.clone(),
            patience: self.lock_timeout,
            apart: self.apart.is_wanted(),
            sudo: self.sudo || face.config.sudo(),
            ..Keeping::default()
        }
    }

    /// Asks about fetched modules that are not approved. Errors are reported when the apply starts.
    fn knows_all(&self, face: &mut Face, global: &Global, session: &Session, graph: &Graph) -> io::Result<bool> {
        let state = global.state_dir.as_ref();
        let strangers = session.strangers(graph, state).unwrap_or_default();
        if strangers.is_empty() {
            return Ok(true);
        }
        writeln!(face.out, "These fetched modules are not approved on this machine:")?;
        for Stranger { module, kinds } in &strangers {
            writeln!(face.out, "  {}  {}", printable(&module.name), kinds.join(", "))?;
            writeln!(face.out, "    {}  {}", printable(&module.path.to_string_lossy()), module.hash)?;
            if !module.is_locked {
                writeln!(face.out, "    It is not in workbench.lock: where these files come from is not known.")?;
            }
            write_review(face, session, module, state)?;
        }
        let agreed = agreed(face, "Allow these versions to change this machine? [y/N] ")?;
        Ok(agreed && session.approve(strangers.iter().map(|stranger| &stranger.module), state).is_ok())
    }

    /// Starts the run. Returns an exit code if it cannot start.
    fn start(
        &self,
        face: &Face,
        global: &Global,
        session: &Session,
        graph: &Arc<Graph>,
        options: RunOptions,
    ) -> io::Result<Result<Drive, Exit>> {
        let started = if self.mode() == Mode::Dry {
            Ok(session.stepper_for(Arc::clone(graph), options))
        } else {
            let aside = face.aside();
            session.apply(Arc::clone(graph), options, &self.keeping(face, global), &mut |holder| {
                aside.note(format_args!("waiting for another apply: {holder}"));
            })
        };
        let (stepper, events) = match started {
            Ok(started) => started,
            Err(error) => return Ok(Err(not_begun(face, global, &error))),
        };
        if let Some(deploy) = stepper.deploy().filter(|_| stepper.is_root()) {
            face.note(format_args!("applying as root; see root's history: `sudo workbench deploy show {deploy}`"));
        }
        let interrupts = Interrupts::catch_during(&stepper)?;
        Ok(Ok(Drive::new(stepper, events, interrupts, Arc::clone(graph), face.aside())))
    }
}

/// The applied entry.
pub(super) struct About {
    pub entry: String,
    pub language: String,
    /// `None` in records of earlier versions.
    pub compiled_for: Option<CompiledFor>,
}

impl About {
    /// Describes the session's entry for the record of a deploy.
    pub fn of(session: &Session) -> Self {
        let entry = session.entry();
        let (entry, language) = (entry.shown.clone(), entry.language.as_str().into());
        Self { entry, language, compiled_for: Some(session.compiled_for()) }
    }
}

/// How a run is reported, and what sets its pace.
pub(super) struct Reporting<'a> {
    pub mode: Mode,
    pub format: Format,
    /// Asks at every step.
    pub asks: bool,
    /// The plan of each step, if it was previewed.
    pub plan: Option<Plan>,
    /// The editable source, for failed steps.
    pub source: Option<Source<'a>>,
    /// How the deploy can be undone, if that can be requested.
    pub way: Option<Way<'a>>,
    pub detailed: bool,
    /// The file for a JSON copy of the events.
    pub into: Option<File>,
}

impl Reporting<'_> {
    /// Drives a run to its end, and reports its events.
    pub fn run(&self, face: &mut Face, about: &About, graph: &Graph, drive: Drive) -> io::Result<Exit> {
        let asking = Asking::new(self.mode, self.plan.as_ref(), self.source.as_ref(), self.way.as_ref());
        self.run_asking(face, about, graph, drive, asking)
    }

    /// The same, with this way of asking.
    pub(super) fn run_asking(
        &self,
        face: &mut Face,
        about: &About,
        graph: &Graph,
        mut drive: Drive,
        mut asking: Asking<'_>,
    ) -> io::Result<Exit> {
        let began = Instant::now();
        let (format, mode) = (self.format, self.mode);
        let elsewhere = Elsewhere::of(graph);
        let total = graph.resources().filter(|(_, resource)| !resource.is_hidden()).count();
        let mut progress = Progress::new(face, format, if self.asks { 0 } else { total });
        let mut into = self.into.as_ref().map(|file| (file, Lines::of_events()));
        if let Some(compiled_for) = &about.compiled_for {
            face.lines.begin_for(compiled_for);
            into.iter_mut().for_each(|(_, lines)| lines.begin_for(compiled_for));
        }
        let mut tell = |face: &mut Face, event: &Event| {
            let object = || event_json(event, began);
            let written = match into.as_mut().and_then(|into| Some((into, object()?))) {
                Some(((file, lines), object)) => lines.write(file, object),
                None => Ok(()),
            };
            let result = match format {
                Format::Text => {
                    progress.clear();
                    let result = report_text(face, mode, event);
                    if !self.asks {
                        progress.follow(event);
                    }
                    result
                }
                Format::Json => match object() {
                    Some(object) => face.line(object),
                    None => Ok(()),
                },
            };
            result.and(written)
        };
        // A closed output does not stop the run: a half-finished apply helps no one. An attached run reports its past
        // events first.
        let mut result = match format {
            Format::Json => elsewhere.iter().try_for_each(|one| face.line(elsewhere_json(one))),
            Format::Text => Ok(()),
        };
        result = result.and(drive.follow(&mut |event| tell(face, event)));
        while !drive.interrupted && (!drive.is_over() || self.may_retry(&drive)) {
            let requests = match self.asks {
                true => match asking.ask(face, &drive) {
                    // It waits for the next attach, as it does if this process is killed.
                    Err(error) if is_terminal_gone(&error) && drive.let_go() => break,
                    asked => asked?,
                },
                false => Some(vec![Request::Finish]),
            };
            let Some(requests) = requests else {
                drive.interrupted = !drive.is_over();
                break;
            };
            for request in requests {
                let amends = matches!(request, Request::Amend { .. });
                let finished = drive.ask(request, &mut |event| tell(face, event));
                result = result.and(finished);
                if amends && !drive.is_amended {
                    face.note("cannot use the edit in this deploy: nothing changed");
                }
            }
            if self.asks && face.plain {
                self.look_again(&mut drive);
            }
        }
        progress.clear();
        if let Some(exit) = disconnected(face, &drive) {
            return Ok(exit);
        }
        let counts = drive.counts();
        let interrupted = drive.interrupted;
        result?;
        let applied = drive.result();
        let summary = |out: &mut dyn Write| summary_json(out, about, applied.as_ref().unwrap_or(graph), &counts);
        match self.format {
            Format::Text => {
                closing(face, mode, &counts)?;
                for host in elsewhere.chunk_by(|one, other| one.host == other.host) {
                    let Some(first) = host.first() else { continue };
                    let resources = count(host.len(), "resource");
                    face.note(format_args!("note: not applied here, for host {}: {resources}", first.host));
                }
            }
            Format::Json => summary(&mut face.out)?,
        }
        if let Some(mut file) = self.into.as_ref() {
            summary(&mut file)?;
        }
        if mode == Mode::Live && drive.was_refused() && !rustix::process::geteuid().is_root() {
            face.note(format_args!("note: some steps need root; use `workbench apply --sudo`"));
        }
        if mode == Mode::Live {
            warn_servers(face, graph, &about.entry);
        }
        if let (true, Some(way), Some(deploy)) = (asking.undoes, asking.way, drive.deploy()) {
            // The lock is free once the run has ended.
            drop(drive);
            return way.undo(face, deploy);
        }
        let asked = drive.asked_to_exit().filter(|_| mode == Mode::Live && !interrupted);
        Ok(asked_or(asked, exit(&counts, interrupted, self.detailed)))
    }

    /// Whether all steps have run, and failed ones can be retried within the deploy.
    fn may_retry(&self, drive: &Drive) -> bool {
        self.asks && self.mode == Mode::Live && drive.disconnected().is_none() && drive.failed().is_some()
    }

    /// Checks a retried resource again, so that its stop shows the current machine.
    fn look_again(&self, drive: &mut Drive) {
        let next = drive.next.clone().filter(|next| drive.is_again && drive.preview_of(next).is_none());
        if let (Some(source), Some(next), Some(_)) = (&self.source, next, &self.plan)
            && let Some(step) = source.look(drive.graph(), &next)
        {
            drive.set_preview(&next, Some(step));
        }
    }
}

/// Records an apply that changed nothing and did not succeed, so that `deploy undo --yes` does not undo the deploy before
/// it. `before` is the newest deploy; without one there is nothing to undo by mistake.
///
/// A refused `resume` of an interrupted deploy is not recorded: its message names the undo of that deploy as a way out.
pub(super) fn note_refused(global: &Global, entry: impl FnOnce() -> Option<Option<String>>, before: Option<u64>) {
    if let Some((before, entry)) = before.and_then(|before| Some((before, entry()?))) {
        let state = global.state_dir.as_ref();
        // Without this record, `deploy undo` only lacks a warning.
        let _ = AtHand::of(entry.as_deref(), global.lang, state).and_then(|entry| entry.note_refused(state, before));
    }
}

/// Reports that the run continues without this face, or ended.
pub(super) fn disconnected(face: &Face, drive: &Drive) -> Option<Exit> {
    match drive.disconnected()? {
        Disconnected::Ended => None,
        Disconnected::Taken(pid) => {
            face.note(format_args!("process {pid} took over; this session is detached"));
            Some(Exit::Stopped)
        }
        Disconnected::Left => {
            face.note("detached: the current step finishes, then the apply waits; run `workbench attach` to continue");
            Some(Exit::Stopped)
        }
        Disconnected::Lost => {
            let deploy = drive.deploy().unwrap_or_default();
            let help = match drive.undo() {
                Some((of, _)) => format!("`workbench deploy undo {of}` continues the undo"),
                None => format!("`workbench deploy resume` continues it, `workbench deploy undo {deploy}` undoes it"),
            };
            face.refuse(&format!("the apply process was killed: deploy {deploy} is interrupted"), &help);
            Some(Exit::Failed)
        }
    }
}

/// The hint if nothing can be attached to.
pub(super) const ENDED: &str = "`workbench deploy list` shows how each deploy ended; to repeat one, apply its entry";

/// Reports why an apply did not start.
pub(super) fn not_begun(face: &Face, global: &Global, error: &ApplyError) -> Exit {
    let message = error.to_string();
    match error {
        ApplyError::Held(holder) => {
            let status = look_in(global.state_dir.as_ref()).ok().filter(|status| status.pid == holder.pid);
            match status.filter(ApplierStatus::is_parked) {
                Some(_) => face.refuse(
                    &format!("{message}; it is detached and waiting"),
                    "`workbench attach` continues it, `workbench attach --stop` ends it",
                ),
                None => face.refuse(&message, "use `--lock-timeout 5m` to wait"),
            };
            Exit::Locked
        }
        ApplyError::Sudo(_) | ApplyError::SudoAsks => {
            face.refuse(&message, "check your rights with `sudo -v`, or run `sudo workbench apply`")
        }
        ApplyError::Applier(_) => face.refuse(&message, "use `--apart never` to apply in this process"),
        ApplyError::Unfinished(deploy) => face.refuse(
            &message,
            &format!(
                "see `workbench deploy show {deploy}`; then `workbench deploy resume` continues it, or \
                `workbench deploy undo {deploy}` undoes it"
            ),
        ),
        ApplyError::AlreadyEnded(_) => face.refuse(&message, ENDED),
        ApplyError::Strangers(_) => face.refuse(
            &printable(&message).to_string(),
            "review them (`workbench modules` shows where they are), then run `workbench modules ENTRY --approve`",
        ),
        ApplyError::Altered(_) => {
            face.refuse(&printable(&message).to_string(), "nothing was applied; review the change, then apply again")
        }
        ApplyError::Denied(denied) => refuse_denied(face, denied).unwrap_or(Exit::Refused),
        ApplyError::NotForHere(why) => face.refuse(&message, &why.help()),
        ApplyError::State(error) => face.refuse(&message, &error.way_out()),
    }
}

/// The exit code of an `exit` resource; but a failure is not reported as success.
pub(super) fn asked_or(asked: Option<u8>, usual: Exit) -> Exit {
    match asked {
        Some(0) if matches!(usual, Exit::Failed | Exit::ChangesAndFailed) => usual,
        Some(code) => Exit::Asked(code),
        None => usual,
    }
}

fn exit(counts: &Counts, interrupted: bool, detailed: bool) -> Exit {
    match (counts.failed + counts.unable > 0, counts.changed > 0) {
        _ if interrupted => Exit::Stopped,
        (true, true) if detailed => Exit::ChangesAndFailed,
        (true, _) => Exit::Failed,
        (false, true) if detailed => Exit::Changes,
        (false, _) => Exit::Done,
    }
}

/// Servers only run as long as the process: an apply ends soon.
fn warn_servers(face: &Face, graph: &Graph, entry: &str) {
    let is_server = |resource: &Resource| resource.wanted().is_some_and(|wanted| &*wanted.kind == "http:server");
    let servers: Vec<_> = graph
        .resources()
        .filter(|(_, resource)| is_server(resource))
        .map(|(_, server)| server.id.to_string())
        .collect();
    if !servers.is_empty() {
        let servers = servers.join(", ");
        face.note(format_args!(
            "note: {servers} served only during this apply; use `workbench run {entry}` to keep serving"
        ));
    }
}

pub(super) fn closing(face: &mut Face, mode: Mode, counts: &Counts) -> io::Result<()> {
    let paint = face.paint;
    let parts = [
        (counts.failed, "failed", Role::Error),
        (counts.blocked, "blocked", Role::Warning),
        (counts.waiting, "not run", Role::Warning),
        (counts.skipped, "skipped", Role::Quiet),
        (counts.changed, if mode == Mode::Live { "changed" } else { "would change" }, Role::Change),
        (counts.noop, "noop", Role::Quiet),
        (counts.done - counts.changed - counts.noop, "unchanged", Role::Quiet),
    ];
    let words: Vec<_> = parts
        .into_iter()
        .filter(|(n, ..)| *n > 0)
        .map(|(n, words, role)| paint.role(role, format!("{n} {words}")).to_string())
        .collect();
    let title = match mode {
        Mode::Dry => "Dry run:",
        Mode::Live if counts.failed + counts.blocked + counts.waiting > 0 => "Incomplete:",
        Mode::Live if counts.changed == 0 => "No changes:",
        Mode::Live => "Applied:",
    };
    let role = if counts.failed > 0 { Role::Error } else { Role::Title };
    let words = if words.is_empty() { "no resources".to_string() } else { words.join(", ") };
    writeln!(face.out, "{} {words}.", paint.role(role, title))
}

#[allow(clippy::disallowed_methods, reason = "the user named this file to be written, like what a shell redirects to")]
fn create(path: &Path) -> io::Result<File> {
    File::create(path)
}

fn summary_json(out: &mut dyn Write, about: &About, graph: &Graph, counts: &Counts) -> io::Result<()> {
    let mut text = Vec::new();
    let compiled_for = serde_json::json!(about.compiled_for);
    let Grouped { graph, members } = group(&declared(graph));
    let members = members.iter().map(|member| (&member.parent, &member.resource));
    export::write_grouped_json(&mut text, &graph, members, &about.language, &about.entry)?;
    let graph = String::from_utf8_lossy(&text).replace('\n', "");
    writeln!(
        out,
        "{{\"event\":\"summary\",\"version\":{LINES_VERSION},\"for\":{compiled_for},\"done\":{},\"changed\":{},\"failed\":{},\"skipped\":{},\"blocked\":{},\"waiting\":{},\"graph\":{graph}}}",
        counts.done, counts.changed, counts.failed, counts.skipped, counts.blocked, counts.waiting,
    )
}
