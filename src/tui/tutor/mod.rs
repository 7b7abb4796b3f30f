//! The tutor: nine tasks beside the real screens, each done when its goal is really reached.
//!
//! The texts are in `tasks.toml`; their keys are replaced by those in force. After every message the state decides
//! which tasks are done. A task that is done early counts; the current one stays until it is done or skipped, and
//! [`missing`] gives the hint that leads back to it.

mod missing;

use std::sync::LazyLock;

use ratatui::prelude::{Buffer, Line, Rect, Span};
use serde::Deserialize;

use super::screen::code::data::State as Code;
use super::screen::graph::data::State as Graph;
use super::widget::frame::{self, Frame};
use super::widget::{list, text};
use super::{
    cx::Cx, front::Front, keymap::TABLE, layer::Layer, look::Role, message::Message, screen::ScreenId,
    screen::step::live::Notice, state::State,
};
pub use crate::tui::parts::Tutor;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    pub id: String,
    pub title: String,
    pub text: String,
    /// The equivalent command, after `workbench`.
    pub command: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tasks {
    task: Vec<Task>,
}

pub static TASKS: LazyLock<Vec<Task>> = LazyLock::new(|| {
    let tasks: Tasks = toml::from_str(include_str!("tasks.toml")).expect("a test reads the file that is compiled in");
    tasks.task
});

impl Tutor {
    /// Starts at a task, counted from 0. At the number of tasks or above, all are done.
    pub fn at(at: usize) -> Self {
        Self { at: at.min(TASKS.len()), ..Self::default() }
    }

    fn has_done(self, task: usize) -> bool {
        self.done & (1 << task) != 0
    }

    fn next_task(&mut self) {
        let next = (self.at + 1..TASKS.len()).find(|task| !self.has_done(*task));
        *self = Self { at: next.unwrap_or(TASKS.len()), done: self.done, ..Self::default() };
    }
}

/// Handles every message before the screens do.
pub fn on_message(cx: &mut Cx, message: &Message) {
    let Some(tutor) = &mut cx.tutor else { return };
    match message {
        Message::Live(Notice::Undone { result: Ok(_), .. }) => tutor.undid = true,
        Message::LookedUp { here, .. } => tutor.missed = here.is_none(),
        _ => {}
    }
}

/// Goes to the next task if the current one is done.
pub fn look(state: &mut State) {
    let Some(tutor) = state.cx.tutor.filter(|tutor| tutor.at < TASKS.len()) else { return };
    let is_new = |task: &usize| {
        !tutor.has_done(*task) && is_done(state.front(), &state.screens.code, &state.screens.graph, &TASKS[*task].id)
    };
    let news: Vec<usize> = (tutor.at..TASKS.len()).filter(is_new).collect();
    let (Some(last), Some(tutor)) = (news.last().copied(), &mut state.cx.tutor) else { return };
    news.iter().for_each(|task| tutor.done |= 1 << task);
    if tutor.has_done(tutor.at) {
        tutor.next_task();
    }
    let open = TASKS.get(tutor.at).filter(|_| tutor.at < last);
    let words = match open {
        Some(open) => {
            format!("task {}, {}, is done; now task {}: {}", last + 1, TASKS[last].title, tutor.at + 1, open.title)
        }
        None => format!("done: {}", TASKS[last].title),
    };
    if state.cx.notices.notice.is_none() || open.is_some() {
        state.cx.show_notice(Role::Good, words);
    }
}

/// Goes to the next task, whether or not this one is done.
pub fn next(cx: &mut Cx) {
    if let Some(tutor) = &mut cx.tutor {
        tutor.next_task();
    }
}

fn is_done(front: Front<'_>, code: &Code, graph: &Graph, task: &str) -> bool {
    let Front { cx, step, .. } = front;
    match task {
        "open" => {
            let is_it = code.doc().is_some_and(|doc| doc.name.ends_with("layout.mcl"));
            cx.screen == ScreenId::Code && is_it
        }
        "read" => matches!(cx.layers.open.last(), Some(Layer::Hover(_))),
        "graph" => {
            let selected = graph.selected().and_then(|node| Some(cx.graphed()?.id(node)));
            cx.screen == ScreenId::Graph && selected.is_some_and(|id| &*id.0 == "exec[count the pages]")
        }
        "preview" => cx.screen == ScreenId::Step && step.is_loaded(),
        "step" => cx.screen == ScreenId::Step && step.turned() >= 3,
        "break" => step.turned() > 0 && step.has_break_next() && step.has_run_to(),
        "apply" => step.phase.ended().is_some_and(|ended| ended.shown.deploy.is_some() && ended.shown.has_changed()),
        "undo" => cx.tutor.is_some_and(|tutor| tutor.undid),
        "find" => {
            let has_rows = matches!(cx.screen, ScreenId::Graph | ScreenId::Step);
            has_rows && cx.layers.open.is_empty() && front.words().contains("tides")
        }
        _ => false,
    }
}

/// The title of the box, and its text.
pub fn current_words(state: &State) -> Option<(String, Vec<String>)> {
    let tutor = state.cx.tutor?;
    let count = TASKS.len();
    let Some(task) = TASKS.get(tutor.at) else {
        let text = "Done. {palette} lists all actions, {quit} quits.";
        return Some((format!("Tutor: all {count} done"), vec![with_keys(&state.cx, text)]));
    };
    let ahead: Vec<_> =
        (tutor.at + 1..count).filter(|task| tutor.has_done(*task)).map(|task| (task + 1).to_string()).collect();
    let ahead = match &ahead[..] {
        [] => String::new(),
        [one] => format!("  (task {one} is done already)"),
        all => format!("  (tasks {} are done already)", all.join(", ")),
    };
    let title = format!("Tutor {} of {count}: {}{ahead}", tutor.at + 1, task.title);
    let missing = missing::missing(state.front(), &state.screens.code, &state.screens.graph, tutor, &task.id);
    let current_words = std::iter::once(&*task.text).chain(missing).map(|text| with_keys(&state.cx, text));
    Some((title, current_words.collect()))
}

/// The text with the keys in force.
fn with_keys(cx: &Cx, text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (id, after) = after.split_once('}').unwrap_or((after, ""));
        out.push_str(before);
        match TABLE.iter().find(|entry| entry.id == id) {
            Some(entry) => out.push_str(&cx.keymap.key_of(entry, entry.screens.first().copied().unwrap_or(cx.screen))),
            None => out.push_str(id),
        }
        rest = after;
    }
    out + rest
}

/// The rows that the box takes at the bottom; zero without a tutor, or without room.
pub fn rows(cx: &Cx) -> u16 {
    let Some((_, current_words)) = &cx.lesson else { return 0 };
    let lines = current_words.iter().map(|text| text::wrap(text, room(cx.window.width)).len() as u16).sum::<u16>() + 2;
    match cx.window.height {
        0..8 => 0,
        height => lines.min(height / 2),
    }
}

fn room(width: u16) -> usize {
    usize::from(width).saturating_sub(4).max(1)
}

pub fn view(cx: &Cx, buf: &mut Buffer, area: Rect) {
    let Some((title, current_words)) = &cx.lesson else { return };
    let look = &cx.look;
    let skip = TABLE.iter().find(|entry| entry.id == "next-task").map(|entry| cx.keymap.key_of(entry, cx.screen));
    let foot = format!("{} skips", skip.unwrap_or_default());
    let is_over = cx.tutor.is_some_and(|tutor| tutor.at >= TASKS.len());
    let frame = Frame { title, foot: if is_over { "" } else { &foot }, focused: true, ..Frame::default() };
    let inner = frame::draw(buf, area, look, &frame);
    let line = |line: String, role| Line::from(Span::styled(format!(" {line}"), look.style(role)));
    let paragraph = |(at, text): (usize, &String)| {
        let role = if at == 0 { Role::Text } else { Role::Note };
        text::wrap(text, room(cx.window.width)).into_iter().map(move |one| line(one, role)).collect::<Vec<_>>()
    };
    // The hint matters most if not everything fits.
    let mut lines: Vec<Line> = current_words.iter().enumerate().flat_map(paragraph).collect();
    let height = usize::from(inner.height);
    if let Some(last) = current_words.last().filter(|_| current_words.len() > 1 && lines.len() > height) {
        let own = text::wrap(last, room(cx.window.width)).len();
        let kept = lines.len() - own;
        lines.drain(height.saturating_sub(own).min(kept)..kept);
    }
    list::draw_text(buf, inner, 0, &lines);
}
