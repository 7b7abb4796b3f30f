//! The question layer: a text with what it affects, and the accepted answers. A report is a question without an answer.
//!
//! One rule decides how it is confirmed (see [`Agreement`](crate::session::Agreement)): `y` if everything can be undone,
//! and the typed name of the machine if something cannot, or if the user has not seen all of it: a program for another
//! host, a deploy of another session.

use std::borrow::Cow;

use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{KeyResult, centered, edit, key_lines, leads_on, popup, widest};
use crate::tui::areas;
use crate::tui::keymap::Action;
use crate::tui::keys::Key;
use crate::tui::look::Role;
use crate::tui::state::State;
use crate::tui::widget::{list, text};

/// A question or a report.
#[derive(Clone, Debug)]
pub struct Question {
    pub title: Cow<'static, str>,
    /// What it affects, and what cannot be undone; it may be longer than the screen.
    pub lines: Vec<String>,
    pub answer: Answer,
    /// How many lines are scrolled out of view.
    from: usize,
}

/// The accepted answers.
#[derive(Clone, Debug)]
pub enum Answer {
    /// There is nothing to decide: any key closes it.
    Read,
    /// The text is not complete yet: the question replaces this.
    Loading(Action),
    /// `y`; any other key declines.
    Yes(Action),
    /// Only a fully typed word confirms.
    Word { word: String, other: Option<String>, typed: String, is_missed: bool, action: Action },
    /// Any text; Enter accepts it. `error`: what is wrong with the typed text.
    Text { typed: String, error: Option<String>, purpose: Purpose },
    /// Keys, each with its action; any other key does nothing.
    Keys(Vec<(char, &'static str, Action)>),
}

/// The use of a typed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A file to write the graph to.
    SaveGraph,
    /// A file to write the deploy of this number to.
    SaveDeploy(u64),
    /// A condition for a breakpoint; it replaces the breakpoint at this position.
    Breakpoint(Option<usize>),
    /// A new import.
    Import,
}

impl Purpose {
    fn keys(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Purpose::SaveGraph => &[("Enter", "save a new file"), ("Ctrl-y", "copy"), ("Esc", "cancel")],
            Purpose::SaveDeploy(_) => &[("Enter", "save a new file"), ("Esc", "cancel")],
            Purpose::Breakpoint(_) => &[("Enter", "set"), ("Esc", "cancel")],
            Purpose::Import => &[("Enter", "continue"), ("Esc", "cancel")],
        }
    }
}

impl Question {
    fn new(title: impl Into<Cow<'static, str>>, lines: Vec<String>, answer: Answer) -> Self {
        Self { title: title.into(), lines, answer, from: 0 }
    }

    pub fn report(title: impl Into<Cow<'static, str>>, lines: Vec<String>) -> Self {
        Self::new(title, lines, Answer::Read)
    }

    pub fn loading(lines: Vec<String>, action: Action) -> Self {
        Self::new(matter(action), lines, Answer::Loading(action))
    }

    pub fn yes(lines: Vec<String>, action: Action) -> Self {
        Self::new(matter(action), lines, Answer::Yes(action))
    }

    /// `other`: another word that confirms.
    pub fn word(lines: Vec<String>, word: String, other: Option<String>, action: Action) -> Self {
        let answer = Answer::Word { word, other, typed: String::new(), is_missed: false, action };
        Self::new(matter(action), lines, answer)
    }

    pub fn text(
        title: &'static str,
        lines: Vec<String>,
        typed: String,
        error: Option<String>,
        purpose: Purpose,
    ) -> Self {
        Self::new(title, lines, Answer::Text { typed, error, purpose })
    }

    pub fn keys(title: &'static str, lines: Vec<String>, keys: Vec<(char, &'static str, Action)>) -> Self {
        Self::new(title, lines, Answer::Keys(keys))
    }

    /// The action that it confirms.
    pub fn confirms(&self) -> Option<Action> {
        match self.answer {
            Answer::Yes(action) | Answer::Word { action, .. } => Some(action),
            _ => None,
        }
    }

    /// The action whose question is loading.
    pub fn loads(&self) -> Option<Action> {
        match self.answer {
            Answer::Loading(action) => Some(action),
            _ => None,
        }
    }

    pub fn paste(&mut self, words: &str) {
        match &mut self.answer {
            Answer::Word { typed, is_missed, .. } => {
                typed.push_str(words);
                *is_missed = false;
            }
            Answer::Text { typed, .. } => typed.push_str(words),
            _ => {}
        }
    }

    pub fn on_key(&mut self, key: Key, state: &State) -> KeyResult {
        let is_control = !key.mods.is_empty();
        if let Some(by) = scrolled_by(key.code) {
            self.from = self.from.saturating_add_signed(by).min(self.lines.len());
            return KeyResult::Stay;
        }
        match (&mut self.answer, key.code) {
            (Answer::Yes(action), KeyCode::Char('y')) => KeyResult::Run(*action),
            // A yes to a question that is not complete yet.
            (Answer::Loading(_), KeyCode::Char('y')) => KeyResult::Stay,
            // It may appear above anything the user was about to do.
            (Answer::Read, _) if leads_on(key, state) => KeyResult::Through,
            (Answer::Yes(_) | Answer::Loading(_) | Answer::Read, _) => KeyResult::Close,
            (Answer::Keys(keys), KeyCode::Char(letter)) => {
                // The letters are those of the screen. A lower-case letter means the same here, except where its action
                // cannot be undone.
                let exact = keys.iter().find(|(there, ..)| *there == letter);
                let is_near = |(there, _, action): &&(char, &str, Action)| {
                    there.eq_ignore_ascii_case(&letter) && *action != Action::EndDetached
                };
                match exact.or_else(|| keys.iter().find(is_near)) {
                    Some((.., action)) => KeyResult::Run(*action),
                    None if leads_on(key, state) => KeyResult::Through,
                    None => KeyResult::Close,
                }
            }
            (Answer::Keys(_), _) => KeyResult::Close,
            (Answer::Word { .. } | Answer::Text { .. }, KeyCode::Esc) => KeyResult::Close,
            (Answer::Word { word, other, typed, is_missed, action }, KeyCode::Enter) => {
                *is_missed = typed != word && other.as_ref() != Some(typed);
                if *is_missed { KeyResult::Stay } else { KeyResult::Run(*action) }
            }
            (Answer::Word { typed, is_missed, .. }, code) => {
                *is_missed = false;
                edit(typed, code, is_control);
                KeyResult::Stay
            }
            (Answer::Text { typed, purpose: Purpose::Import, .. }, KeyCode::Enter) if typed.trim().is_empty() => {
                KeyResult::Stay
            }
            (Answer::Text { .. }, KeyCode::Enter) => KeyResult::Chosen,
            (Answer::Text { purpose: Purpose::SaveGraph, .. }, KeyCode::Char('y')) if is_control => {
                KeyResult::ChosenOther
            }
            (Answer::Text { typed, error, .. }, code) => {
                if edit(typed, code, is_control) {
                    *error = None;
                }
                KeyResult::Stay
            }
        }
    }

    /// The last lines, which stay in view however long the text is.
    fn answer_lines(&self, state: &State, body: Rect) -> Vec<Line<'static>> {
        let look = &state.look;
        let typing = |typed: &str, lead: String, room: usize| {
            let typed = text::safe(typed);
            let typed = text::fit_end(&typed, room.saturating_sub(text::width(&lead)), look.glyphs.cut).into_owned();
            vec![
                Span::raw(lead),
                Span::styled(typed, look.style(Role::Strong)),
                Span::styled("_", look.style(Role::Key)),
            ]
        };
        let room = usize::from(body.width.saturating_sub(8)).max(1);
        match &self.answer {
            Answer::Read => key_lines(state, &[("any key", "closes")], body),
            Answer::Loading(_) => key_lines(state, &[("Esc", "cancel")], body),
            Answer::Yes(_) => key_lines(state, &[("y", "yes"), ("any other key", "no")], body),
            Answer::Keys(keys) => {
                let letters: Vec<String> = keys.iter().map(|(key, ..)| key.to_string()).collect();
                let mut answers: Vec<_> =
                    letters.iter().zip(keys).map(|(key, (_, words, _))| (key.as_str(), *words)).collect();
                answers.push(("Esc", "later"));
                key_lines(state, &answers, body)
            }
            Answer::Word { word, other, typed, is_missed, .. } => {
                let missed = match other {
                    _ if !is_missed => None,
                    _ if typed.is_empty() => Some("Nothing was typed: nothing started.".to_owned()),
                    Some(other) => Some(format!("`{typed}` is not `{word}` or `{other}`: nothing started.")),
                    None => Some(format!("`{typed}` is not `{word}`: nothing started.")),
                };
                let missed = missed
                    .map(|missed| Line::styled(format!(" {}", text::safe(&missed)), state.look.style(Role::Warning)));
                let mut spans = typing(typed, format!(" type {} > ", text::safe(word)), room + text::width(word));
                spans.push(Span::styled("   Esc cancel", look.style(Role::Dim)));
                missed.into_iter().chain([Line::from(spans)]).collect()
            }
            Answer::Text { typed, error, purpose } => {
                let mut lines = vec![Line::from(typing(typed, " > ".into(), room))];
                if let Some(error) = error {
                    let error = format!(" {} {error}", look.glyphs.failed);
                    lines.extend(text::wrap_line(&Line::styled(error, look.style(Role::Error)), room));
                }
                lines.push(Line::raw(""));
                lines.extend(key_lines(state, purpose.keys(), body));
                lines
            }
        }
    }
}

/// The title of a question.
fn matter(action: Action) -> &'static str {
    match action {
        Action::AddImport => "Add an import",
        Action::PruneModules => "Remove fetched modules",
        Action::Approve => "Approve modules",
        Action::UndoDeploy | Action::RollBack => "Undo",
        Action::LeaveOut | Action::Skip => "Skip",
        Action::Mend => "Use the edit",
        Action::Arm => "Apply?",
        Action::Attach => "Attach?",
        Action::Resume | Action::RunAgain => "Resume?",
        // The lock was held.
        Action::ArmAgain => "Not applied",
        Action::Stop => "End deploy",
        Action::Quit => "Quit",
        _ => "Sure?",
    }
}

/// How far a key scrolls the text.
fn scrolled_by(code: KeyCode) -> Option<isize> {
    Some(match code {
        KeyCode::Down => 1,
        KeyCode::Up => -1,
        KeyCode::PageDown => 5,
        KeyCode::PageUp => -5,
        _ => return None,
    })
}

pub fn view(question: &Question, state: &State, buf: &mut Buffer, body: Rect) {
    let most = usize::from(body.width.saturating_sub(4)).max(1);
    let answers = question.answer_lines(state, body);
    let lines = question.lines.iter().map(|line| text::safe(line));
    // Only a line that is too long is wrapped: wrapping removes its indentation.
    let fits = |line: &String| text::width(line) <= most;
    let lines: Vec<String> =
        lines.flat_map(|line| if fits(&line) { vec![line] } else { text::wrap(&line, most) }).collect();
    let width = lines.iter().map(|line| text::width(line)).max().unwrap_or(0).max(widest(&answers)).max(28) as u16;
    let height = (lines.len() as u16).saturating_add(3 + answers.len() as u16);
    let inner = popup(state, buf, centered(body, width + 4, height), &question.title);
    let room = usize::from(inner.height).saturating_sub(1 + answers.len());
    let (all, glyphs) = (lines.len(), &state.look.glyphs);
    let from = question.from.min(all.saturating_sub(room));
    let rest = all.saturating_sub(from + room);
    let mut shown: Vec<Line> =
        lines.into_iter().skip(from).take(room).map(|line| Line::raw(format!(" {line}"))).collect();
    let cut = |count: usize, way: &str| {
        Line::styled(format!(" {} {count} more lines: {way}", glyphs.cut), state.look.style(Role::Dim))
    };
    if let Some(last) = shown.last_mut().filter(|_| rest > 0) {
        *last = cut(rest + 1, "Down");
    }
    if let Some(first) = shown.first_mut().filter(|_| from > 0 && room > 1) {
        *first = cut(from + 1, "Up");
    }
    if inner.height > 1 {
        shown.push(Line::raw(""));
    }
    let first = shown.len() as u16;
    for (y, line) in (inner.y + first..inner.bottom()).zip(&answers) {
        areas::add_hints(state, (inner.x, y), line);
    }
    shown.extend(answers);
    list::draw_text(buf, inner, 0, &shown);
}
