//! What every screen may use: the program, the jobs, the log, the look of the terminal, and the open layers.

use std::{collections::VecDeque, path::PathBuf, sync::Arc};

use super::keymap::{Action, Entry, Found, Keymap, TABLE};
use super::look::{Look, Role};
use super::parts::{Events, Jobs, Presses, Tutor};
use super::screen::code::data::State as Code;
use super::screen::log::entry::{Lines, Source};
use super::screen::pane::{Pane, ScreenId};
use super::screen::step::data::{State as Step, Unfinished};
use super::{
    areas::Areas, effect::Effect, keys::Key, layer::kinds::Layer, layout::Class, message::Job, program::Program,
    screen::code::doc::Spot, widget::diff,
};
use crate::diag::LogEntry;
use crate::graph::{NodeIndex, ResourceId};
use crate::highlight::{Depth, Theme};
use crate::module::LanguageName;
use crate::session::{Agreement, ApplierStatus, Guest};
use crate::source::Place;

/// Keys that wait for the rest of their sequence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pending {
    pub keys: Vec<Key>,
    pub count: Option<u32>,
    /// The popup of possible next keys is shown.
    pub popup: bool,
}

/// A place to return to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jump {
    pub screen: ScreenId,
    pub file: Option<Arc<str>>,
    pub spot: Spot,
    /// By name, because the graph may be another one by then.
    pub node: Option<ResourceId>,
}

/// The program that the screens show, its host, and what is allowed on it.
#[derive(Clone, Debug, Default)]
pub struct Project {
    pub editor: Option<String>,
    /// The project's name in the header.
    pub title: String,
    /// The entry, for the commands in the log.
    pub entry: String,
    /// The options that the entry is compiled with, for the commands in the log.
    pub entry_flags: Vec<(&'static str, Option<String>)>,
    pub language: LanguageName,
    /// The file where compilation starts; `None` for code that was given as text.
    pub entry_file: Option<PathBuf>,
    /// The folder of the unpacked entry bundle: its files are copies.
    pub unpacked: Option<PathBuf>,
    /// The host name; it may be empty.
    pub host: String,
    /// `--as-this-host`: a program for one other host may be applied here.
    pub as_this_host: bool,
    /// Whether the settings apply as root, with `sudo`.
    pub is_sudo: bool,
    /// False for a screenshot, which changes nothing on the machine.
    pub can_apply: bool,
}

/// What is restored and attached at the start.
#[derive(Debug, Default)]
pub struct Saved {
    /// Breakpoints, skips and the unfinished dry run are restored, and saved at the end.
    pub restores: bool,
    /// The saved state has been read, so it may be overwritten.
    pub keeps: bool,
    /// The dry run of the last session, until there is a plan to resume it with.
    pub unfinished: Option<Unfinished>,
    /// Attaches to an applier at the start.
    pub attaches: Option<(Guest, ApplierStatus)>,
    /// The session that an attach may take over from.
    pub attaches_as: Guest,
}

/// The notice in the footer, and the one behind it.
#[derive(Debug)]
pub struct Notices {
    /// Shown once, instead of the footer, until the next key.
    pub notice: Option<(Role, String)>,
    /// The notice is a fault, which stays until a key is pressed; later notices wait.
    holds: bool,
    waiting_notice: Option<(Role, String)>,
}

/// What a screen asks of another one. It is done after the message in progress.
#[derive(Clone, Debug)]
pub enum Request {
    Act(Action),
    /// Opens the command line with an initial text.
    Type(&'static str),
    /// Shows the source of the selected resource.
    Source,
    /// Shows the next problem on Code, or the previous one.
    Problem(bool),
    /// The graph of this program was replaced: Graph draws the new one.
    Redraw(Option<Arc<Program>>),
    File(PathBuf),
    Place(Place),
    Node(NodeIndex),
    Line(usize),
    /// Plan was entered.
    Entered,
    /// The graph of the watch is another one.
    GraphDiffers,
    OpenPlan(PathBuf),
    /// Reads what the undo of a deploy would do, before it is confirmed.
    ReadUndo(u64),
}

/// What was typed, and what it requested.
#[derive(Debug, Default)]
pub struct Typing {
    pub pending: Pending,
    pub presses: Presses,
    /// The typed command lines, the last at the end.
    pub commands: Vec<String>,
    pub requested: VecDeque<Request>,
    /// The work to be done after this message, in order.
    pub effects: Vec<Effect>,
    /// The parent shell can continue a stopped job.
    pub can_suspend: bool,
}

/// The open layers and the search of a picker.
#[derive(Debug, Default)]
pub struct Layers {
    pub open: Vec<Layer>,
    /// The layers that wait for others to close, in order.
    pub waiting: VecDeque<Layer>,
    /// The untyped rest of a withdrawn word.
    pub untyped: Option<String>,
    /// Counts the opened pickers.
    pub picks: u64,
    /// The picker that workers search for.
    pub finding: Option<u64>,
}

#[derive(Debug)]
pub struct Trail {
    pub jumps: Vec<Jump>,
    /// Places that were left by going back, the nearest last.
    pub jumps_forward: Vec<Jump>,
}

/// The compilations so far.
#[derive(Debug, Default)]
pub struct Programs {
    /// The newest compilation, with or without errors.
    pub newest: Option<Arc<Program>>,
    /// The newest compilation without errors.
    pub good: Option<Arc<Program>>,
    /// Counts requested compilations.
    pub turn: u64,
    /// The running compilation will be planned.
    pub plans_next: bool,
    pub took: Option<std::time::Duration>,
}

/// The size of the terminal, and the pane with the focus.
#[derive(Clone, Copy, Debug, Default)]
pub struct Window {
    pub width: u16,
    pub height: u16,
    pub(super) focus: [Pane; 6],
    pub zoom: bool,
    /// Plan merges the panes beside its order.
    pub(super) merges_plan: bool,
    /// The selected resource of Plan has failed.
    pub(super) has_failed: bool,
    /// A live run is in progress.
    pub(super) is_run: bool,
    /// A step has run.
    pub(super) has_turned: bool,
    /// The rows of the tutor.
    pub(super) below: u16,
}

#[derive(Debug)]
pub struct Colors {
    pub depth: Depth,
    /// The themes for a dark and for a light background, if the settings leave it to the terminal.
    pub by_ground: Option<Box<[Theme; 2]>>,
}

#[derive(Debug)]
pub struct Compared {
    pub diffs: diff::Cache,
    pub diff_view: diff::View,
}

#[derive(Debug)]
pub struct Ticks {
    /// `hh:mm:ss`, set by the loop: update reads no clock.
    pub now: String,
    pub spin: usize,
}

/// What every screen may use.
#[derive(Debug)]
pub struct Cx {
    pub project: Project,
    pub screen: ScreenId,
    pub window: Window,
    pub look: Look,
    pub colors: Colors,
    pub areas: Areas,
    pub keymap: Arc<Keymap>,
    pub typing: Typing,
    pub layers: Layers,
    pub notices: Notices,
    pub ticks: Ticks,
    pub programs: Programs,
    pub events: Events,
    pub jobs: Jobs,
    pub log: Lines,
    pub trail: Trail,
    pub saved: Saved,
    pub tutor: Option<Tutor>,
    /// The title of the current task, and its paragraphs.
    pub(super) lesson: Option<(String, Vec<String>)>,
    pub compared: Compared,
}

impl Cx {
    /// The first context for a terminal of this size. Nothing is compiled yet.
    pub fn new((width, height): (u16, u16), look: Look, title: String, entry: String) -> Self {
        let project = Project { title, entry, host: "localhost".into(), can_apply: true, ..Project::default() };
        let focus = ScreenId::ALL.map(|screen| screen.panes(Class::Wide, false)[0]);
        Self {
            project,
            screen: ScreenId::Step,
            window: Window { width, height, focus, merges_plan: true, ..Window::default() },
            look,
            colors: Colors { depth: Depth::True, by_ground: None },
            areas: Areas::default(),
            keymap: Arc::new(Keymap::built_in()),
            typing: Typing { can_suspend: true, ..Typing::default() },
            layers: Layers::default(),
            notices: Notices { notice: None, holds: false, waiting_notice: None },
            ticks: Ticks { now: "00:00:00".into(), spin: 0 },
            programs: Programs::default(),
            events: Events::default(),
            jobs: Jobs::default(),
            log: Lines::default(),
            trail: Trail { jumps: Vec::new(), jumps_forward: Vec::new() },
            saved: Saved::default(),
            tutor: None,
            lesson: None,
            compared: Compared { diffs: diff::Cache::default(), diff_view: diff::View::default() },
        }
    }

    /// The program of the shown graph: that of the newest event while events are watched, else the newest, or the last
    /// one without errors.
    pub fn graphed(&self) -> Option<&Arc<Program>> {
        if let Some(program) = self.events.program() {
            return Some(program);
        }
        match &self.programs.newest {
            Some(program) if !program.has_errors() => Some(program),
            _ => self.programs.good.as_ref(),
        }
    }

    /// Whether the shown graph is older than the code.
    pub fn is_stale(&self) -> bool {
        if self.events.program().is_some() {
            return self.events.errors() > 0;
        }
        self.programs.newest.as_ref().is_some_and(|program| program.has_errors()) && self.programs.good.is_some()
    }

    /// Whether the theme depends on the terminal's background.
    pub fn follows_ground(&self) -> bool {
        self.colors.by_ground.is_some() && self.colors.depth != Depth::Mono
    }

    pub fn is_working(&self, job: Job) -> bool {
        self.jobs.has(job)
    }

    pub fn start(&mut self, job: Job) {
        self.jobs.start(job);
    }

    pub fn finish(&mut self, job: Job) {
        self.jobs.finish(job, &self.ticks.now);
    }

    /// Shows a notice, or stores it while the current one is held.
    pub fn show_notice(&mut self, role: Role, words: impl Into<String>) {
        let place = if self.notices.holds { &mut self.notices.waiting_notice } else { &mut self.notices.notice };
        *place = Some((role, words.into()));
    }

    /// The word that confirms what cannot be undone. `other` is the other host that the program was compiled for.
    pub fn agreement_word(&self, other: Option<&str>) -> String {
        match Agreement::name(&self.project.host, other) {
            Agreement::Word(word) => word,
            Agreement::Yes => String::new(),
        }
    }

    /// Shows a fault: later notices wait until a key is pressed.
    pub fn show_fault(&mut self, words: impl Into<String>) {
        self.notices.notice = Some((Role::Error, words.into()));
        self.notices.holds = true;
    }

    /// The notice was read; shows the one that waited.
    pub fn dismiss_notice(&mut self) {
        self.notices.holds = false;
        self.notices.notice = self.notices.waiting_notice.take();
    }

    /// The notice no longer holds; a fault still does.
    pub fn withdraw_notice(&mut self) {
        *(if self.notices.holds { &mut self.notices.waiting_notice } else { &mut self.notices.notice }) = None;
    }

    /// Adds a line to the log.
    pub fn report(&mut self, source: Source, words: String) {
        self.log.push(&self.ticks.now, source, words);
    }

    /// Logs words about a run, and shows them.
    pub fn announce(&mut self, role: Role, words: impl Into<String>) {
        let words = words.into();
        self.report(Source::Run, words.clone());
        self.show_notice(role, words);
    }

    /// Logs the output of a program, each message with its place.
    pub fn report_program(&mut self, entries: &[LogEntry]) {
        for entry in entries {
            let place =
                entry.place.as_ref().map(|place| format!("  {}:{}", place.file, place.line)).unwrap_or_default();
            let words = format!("{}: {}{place}", entry.level.as_str(), entry.message);
            self.report(Source::Program(entry.level), words);
        }
    }

    /// Logs the command line that does the same.
    pub fn log_command(&mut self, command: String) {
        self.report(Source::Command, command);
    }

    /// Reads and compiles the program again; an older compilation's result will be dropped.
    pub fn recompile(&mut self) {
        self.programs.turn += 1;
        self.start(Job::Compile);
        self.effect(Effect::Compile { turn: self.programs.turn })
    }

    pub fn is_finding(&self) -> bool {
        matches!(self.layers.open.last(), Some(Layer::Picker(picker)) if picker.is_working())
    }

    /// Requests work.
    pub fn effect(&mut self, effect: Effect) {
        self.typing.effects.push(effect);
    }

    /// Asks something of another screen.
    pub fn request(&mut self, request: Request) {
        self.typing.requested.push_back(request);
    }

    pub fn path_of(&self, place: &Place) -> Option<PathBuf> {
        let newest = self.programs.newest.as_ref().and_then(|program| program.file(&place.file));
        newest.or_else(|| self.programs.good.as_ref()?.file(&place.file))?.path.clone()
    }

    /// The row of the table for an action, the one of this screen first.
    pub fn entry_of(&self, action: Action) -> Option<&'static Entry> {
        let all = || TABLE.iter().filter(|entry| entry.action == action);
        all().find(|entry| entry.works_on(self.screen)).or_else(|| all().next())
    }

    /// The screen that a digit selects.
    pub fn screen_of(&self, count: u32) -> Option<&'static Entry> {
        match self.keymap.find(self.screen, &[Key::char(char::from_digit(count, 10)?)]) {
            Found::Action(entry) => Some(entry),
            _ => None,
        }
    }

    /// The screen that a pending digit will select, because more digits may follow and make a count.
    pub fn waiting_screen(&self) -> Option<ScreenId> {
        let pending = &self.typing.pending;
        let count = pending.count.filter(|_| pending.keys.is_empty() && self.layers.open.is_empty())?;
        match self.screen_of(count)?.action {
            Action::Screen(screen) => Some(screen),
            _ => None,
        }
    }

    pub fn program_on_show<'a>(&'a self, step: &'a Step) -> Option<&'a Arc<Program>> {
        if self.screen == ScreenId::Step { step.program() } else { self.graphed() }
    }

    /// Whether Plan has no steps because the program has errors.
    pub fn cannot_plan(&self, step: &Step) -> bool {
        !step.is_loaded() && self.programs.newest.as_ref().is_some_and(|program| program.has_errors())
    }

    /// The other host that the shown program was compiled for.
    pub fn other_host(&self, step: &Step) -> Option<Arc<str>> {
        let other = |program: &Arc<Program>| program.hosts.clone().other();
        let shown = step.program().and_then(other);
        // A live run is of the program that was confirmed.
        let newest = || self.programs.newest.as_ref().filter(|_| !step.phase.is_live()).and_then(other);
        shown.or_else(newest)
    }

    /// Whether something moves by itself.
    pub fn is_spinning(&self, step: &Step) -> bool {
        !self.jobs.is_empty() || step.is_running() || self.events.is_at_work() || self.is_finding()
    }

    pub fn set_theme(&mut self, theme: Theme, code: &mut Code) {
        let theme = theme.at_depth(self.colors.depth);
        if theme != *self.look.theme {
            self.look = Look::new(theme, self.look.glyphs);
            code.forget_colors();
        }
    }

    /// Whether the plan belongs to the shown program.
    pub fn plans_shown(&self, step: &Step) -> bool {
        match self.events.program() {
            Some(shown) => step.program().is_some_and(|program| Arc::ptr_eq(&program.graph, &shown.graph)),
            None => step.turn == self.programs.turn,
        }
    }
}
