//! The terminal face: screens, one loop, state, update, view.
//!
//! Input: a [`Session`], keys, and reports of workers. Output: frames. A [`Message`](message::Message) is one event.
//! [`update`](update::update) is the only place where [`State`](state::State) changes; it returns the requested work as
//! [`Effect`](effect::Effect)s. Workers do them and answer with further messages. The views draw the state when the
//! loop decides so. So the loop never reads a file, parses, or waits for a lock, and a test needs no terminal: messages
//! in, frame out.
//!
//! Without a module there is no session: [`start`] is a page with its own small loop, where the user chooses how to
//! begin.
//!
//! Settings come with [`Options`], and again from [`settings`] when their files change.
//!
//! The one table in [`keymap`] makes dispatch, footer and palette; [`layout`] is a pure function of size and focus;
//! [`look`] takes colours by role from a theme. Deliberately absent: any knowledge of languages, hosts or files.

mod applier;
mod areas;
#[allow(
    clippy::disallowed_methods,
    reason = "describes the terminal and names files on screen, nothing that programs see"
)]
mod around;
mod clipboard;
mod command;
mod copying;
mod effect;
mod events;
mod event_loop;
mod fetcher;
mod filter;
mod footer;
mod front;
mod finder;
mod input;
mod jobs;
mod jumps;
mod keymap;
mod keys;
mod layer;
mod layout;
mod list;
mod suspend;
mod look;
mod message;
mod mouse;
mod panes;
mod parity;
mod picture;
mod presses;
mod program;
mod rebind;
mod references;
mod restore;
mod screen;
mod screenshot;
mod settings;
mod start;
mod cx;
mod state;
mod terminal;
mod tutor;
mod update;
mod view;
mod widget;

#[cfg(test)]
mod tests;
pub mod parts;
pub mod options;

use std::{io, path::Path, sync::Arc};

use tokio::sync::mpsc::unbounded_channel;

use crate::config::Config;
use crate::diag::{Diagnostic, Diagnostics, Stage};
use crate::highlight::Depth;
use crate::session::{self, Session};
use crate::source::{Sources, printable};
use crate::tui::cx::Cx;
pub use crate::tui::options::Options;
use crate::tui::screen::code::data::State as Code;
use effect::Runner;
use keymap::Keymap;
use look::{ASCII, Look, UNICODE};
pub use parity::{Same, rows as parity};
use screen::ScreenId;
pub use screenshot::{Format, screenshot};
pub use start::{Choice, Start, start};
use state::State;
use terminal::{Display, Guard};
use tutor::Tutor;

impl Options {
    /// The look from the settings and the environment; without colours if the user wants none.
    pub fn of_terminal(config: Config, colors: bool) -> Self {
        let depth = if colors { around::depth() } else { Depth::Mono };
        let ascii = config.ascii().unwrap_or_else(around::is_ascii);
        let (light, asks) = (around::is_light(), around::answers());
        let mut options = Self { depth, ascii, ..Self::of_settings(config, light) };
        options.by_ground = options.by_ground.filter(|_| asks);
        options
    }

    /// The look of a picture, independent of the terminal.
    pub fn of_picture(config: Config, colors: bool) -> Self {
        let depth = if colors { Depth::True } else { Depth::Mono };
        Self { depth, mouse: false, by_ground: None, ..Self::of_settings(config, false) }
    }

    fn of_settings(mut config: Config, light: bool) -> Self {
        let by_ground = config
            .theme_is_the_terminals()
            .then(|| Box::new([false, true].map(|light| session::theme(&mut config, light))));
        let theme = match &by_ground {
            Some(themes) => themes[usize::from(light)].clone(),
            None => session::theme(&mut config, light),
        };
        let keymap = Arc::new(keymap_of(&mut config));
        let problems = config.all_diagnostics();
        let mut problems: Vec<_> = problems.iter().map(|problem| in_a_line(problem, config.sources())).collect();
        if let (Some(first), Some(words)) = (problems.first_mut(), config.in_force_words()) {
            // In front: a long line is cut at its end.
            first.insert_str(0, &format!("{words}: "));
        }
        Self {
            theme,
            depth: Depth::True,
            ascii: config.ascii().unwrap_or(false),
            mouse: config.mouse(),
            by_ground,
            restores: config.restores(),
            relative_numbers: config.relative_numbers(),
            keymap,
            editor: config.editor().map(Into::into),
            problems,
            state_dir: None,
            attaches: None,
            greeting: None,
        }
    }

    /// Applies the settings to the state.
    fn furnish(&self, code: &mut Code, cx: &mut Cx) {
        cx.colors.depth = self.depth;
        code.counts_from_cursor = self.relative_numbers;
        cx.colors.by_ground.clone_from(&self.by_ground);
        cx.keymap = Arc::clone(&self.keymap);
        cx.project.editor.clone_from(&self.editor);
        for problem in &self.problems {
            cx.log.push("", screen::log::Source::Problem, problem.clone());
        }
        if let Some(first) = self.problems.first() {
            let more = if self.problems.len() > 1 {
                format!(" (and {} more in the log)", self.problems.len() - 1)
            } else {
                String::new()
            };
            cx.show_fault(format!("{first}{more}"));
        }
        if let Some(greeting) = &self.greeting {
            cx.show_notice(look::Role::Note, greeting.clone());
        }
    }
}

/// The keys in force; problems of the user's keys join those of the settings.
fn keymap_of(config: &mut Config) -> Keymap {
    let mut faults = Diagnostics::new(Stage::Module);
    let keymap = rebind::rebound(config.keys(), &mut faults);
    config.add_faults(faults);
    keymap
}

/// Reports faults of the user's keys.
pub fn check_keys(config: &mut Config) {
    keymap_of(config);
}

/// An action with the keys in force for it.
#[derive(Clone, Debug)]
pub struct KeyRow {
    pub id: &'static str,
    pub title: &'static str,
    /// Where the action works; empty means everywhere.
    pub screens: Vec<&'static str>,
    /// Its keys, as files write them.
    pub keys: Vec<String>,
    /// Keys that the user gave it on some of its screens only.
    pub on: Vec<(&'static str, String)>,
    /// Whether the user's settings changed it.
    pub yours: bool,
}

/// Every action with its keys, in the order of the table.
pub fn key_rows(config: &mut Config) -> Vec<KeyRow> {
    let keymap = keymap_of(config);
    let row = |entry: &'static keymap::Entry| {
        let (mut keys, mut on) = (Vec::new(), Vec::new());
        let built_in: Vec<_> = entry.keys.iter().map(|key| String::from(*key)).collect();
        for bound in keymap.bound.iter().filter(|bound| bound.entry.id == entry.id) {
            let written = keys::write(&bound.keys);
            let everywhere = ScreenId::ALL.iter().filter(|s| entry.works_on(**s)).all(|s| bound.screens.contains(s));
            match everywhere {
                true => keys.push(written),
                false => on.extend(bound.screens.iter().map(|screen| (screen.name(), written.clone()))),
            }
        }
        let yours = keys != built_in || !on.is_empty();
        let screens = entry.screens.iter().map(|screen| screen.name()).collect();
        KeyRow { id: entry.id, title: entry.title, screens, keys, on, yours }
    };
    keymap::TABLE.iter().map(row).collect()
}

/// A problem in one line, with its place.
fn in_a_line(problem: &Diagnostic, sources: &Sources) -> String {
    let place = problem.span.map(|span| format!("{}: ", sources.place(span))).unwrap_or_default();
    let help = problem.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
    printable(&format!("{place}{}: {}{help}", problem.code.summary(), problem.label)).to_string()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Left,
    /// By a signal of this number; a lost terminal counts as a hangup.
    Signal(u8),
}

/// The signal number for a lost terminal.
const HANGUP: u8 = 1;

/// The signal by which a user ends the process.
const TERMINATE: u8 = 15;
const INTERRUPT: u8 = 2;
/// SIGQUIT's.
const QUIT: u8 = 3;

/// Shows a session until the user quits.
///
/// The caller makes sure that standard input and output are a terminal.
pub fn run(session: Arc<Session>, options: Options) -> io::Result<Ended> {
    show(session, options, None).map(|(ended, _)| ended)
}

/// The same beside the tutor's tasks, from `at` on. Returns the task at which the user quit, or the count if all are
/// done.
pub fn teach(session: Arc<Session>, options: Options, at: usize) -> io::Result<(Ended, usize)> {
    let (ended, state) = show(session, options, Some(Tutor::at(at)))?;
    Ok((ended, state.cx.tutor.map_or(at, |tutor| tutor.at)))
}

/// The tutor's tasks: their titles, and the equivalent commands.
pub fn tasks() -> impl Iterator<Item = (&'static str, &'static str)> {
    tutor::TASKS.iter().map(|task| (task.title.as_str(), task.command.as_str()))
}

fn show(session: Arc<Session>, options: Options, tutor: Option<Tutor>) -> io::Result<(Ended, State)> {
    let glyphs = if options.ascii { &ASCII } else { &UNICODE };
    let look = Look::new(options.theme.clone().at_depth(options.depth), glyphs);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    // Before the terminal is switched: a signal between the two would leave it in raw mode.
    let signals = runtime.block_on(async { event_loop::Signals::new() })?;
    terminal::report_into(options.state_dir.clone());
    let guard = Guard::take(options.mouse)?;
    let mut screen = Display::new();
    let size = terminal::size()?;
    session.keep_worker();
    let entry = printable(&session.entry().shown).to_string();
    let mut state = State::new(size.width, size.height, look, title(&session), entry);
    state.cx.project.entry_flags = parity::entry_flags(&session);
    state.cx.project.entry_file.clone_from(&session.entry().file);
    state.cx.project.language = session.entry().language;
    state.cx.project.unpacked = session.options().bundle.as_ref().map(|bundle| bundle.root.clone());
    state.cx.typing.can_suspend = terminal::can_suspend();
    options.furnish(&mut state.screens.code, &mut state.cx);
    state.cx.project.host = host(&session);
    state.cx.project.is_sudo = session.acts_as_root();
    state.cx.project.as_this_host = session.options().as_this_host;
    state.cx.saved.attaches.clone_from(&options.attaches);
    state.cx.saved.restores = options.restores && tutor.is_none() && state.cx.saved.attaches.is_none();
    state.cx.tutor = tutor;
    let (sender, mut messages) = unbounded_channel();
    let mut runner = Runner::new(session.clone(), sender, options.state_dir.clone());
    let end = runtime.block_on(event_loop::run(&mut state, &guard, &mut screen, &mut runner, &mut messages, signals));
    drop(guard);
    // The tutor's example is deleted with it, so nothing could be resumed.
    if matches!(end, Ok(Ended::Left | Ended::Signal(TERMINATE | INTERRUPT))) || state.cx.tutor.is_some() {
        runner.cancel();
        runner.finish();
    } else {
        // The terminal is gone, and the user did not ask to end the run.
        runner.leave();
        runner.cancel();
    }
    if state.cx.saved.restores {
        runner.keep_last(restore::to_text(&state.screens.step, &state.cx));
    }
    runner.end_fetch();
    // Running work must not delay the user's shell.
    runtime.shutdown_background();
    end.map(|ended| (ended, state))
}

/// The host name; it may be empty.
fn host(session: &Session) -> String {
    printable(&session.hostname()).to_string().trim().to_owned()
}

/// The project's name: the folder of the entry.
fn title(session: &Session) -> String {
    let bundle = session.options().bundle.as_ref().and_then(|bundle| bundle.path.file_name());
    if let Some(name) = bundle {
        return printable(&name.to_string_lossy()).to_string();
    }
    let base = &session.entry().base;
    // The path of the current folder may be empty.
    let full = if base.file_name().is_some() { base.clone() } else { around::canonical(&Path::new(".").join(base)) };
    let name = full.file_name().map(Path::new).map(|name| name.display().to_string());
    printable(&name.unwrap_or_else(|| session.entry().shown.clone())).to_string()
}
