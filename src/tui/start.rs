//! The first page if there is no module to open: nearby modules, and four ways to begin.
//!
//! There is no session yet, so it is a page with its own small loop: [`Start`] is its whole state, [`Start::on_key`]
//! its whole behaviour. The caller opens the chosen module, or reports why it cannot.

use std::{io, ops::Range};

use crossterm::event::{KeyCode, KeyModifiers};
use ratatui::prelude::{Buffer, Line, Position, Rect, Span};

use super::input::{Input, Reader};
use super::look::{ASCII, Look, Role, UNICODE};
use super::terminal::{Display, Guard, size};
use super::widget::frame::{self, Frame};
use super::widget::list::{self, List, Move};
use super::{Ended, HANGUP, Options, layer};
use super::{event_loop::Signals, keys::Key, widget::text};
use crate::session::Nearby;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// An entry, as typed or as listed.
    Open(String),
    /// A new module in the current folder, with this import.
    Begin(String),
    Demo,
    Tutor,
    /// The page was closed.
    Ended(Ended),
}

/// A line that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Row {
    Entry { path: String, what: &'static str },
    Path,
    Import,
    Demo,
    Tutor,
}

/// The text that is being typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Path,
    Import,
}

#[derive(Clone, Debug)]
pub struct Start {
    /// Why there is nothing to open.
    reason: String,
    rows: Vec<Row>,
    list: List,
    asked: Option<Asked>,
    typed: String,
    /// Why the last choice cannot be opened.
    trouble: Option<String>,
}

impl Start {
    /// `reason`: a sentence about what was not found. `begins`: a module can be created here.
    pub fn new(reason: String, near: &Nearby, begins: bool) -> Self {
        let entry = |path: &String, what| Row::Entry { path: path.clone(), what };
        let mut rows: Vec<Row> = near.below.iter().map(|path| entry(path, "")).collect();
        rows.extend(near.around.iter().map(|path| entry(path, "the module that contains this folder")));
        rows.extend(
            [Row::Path, Row::Import, Row::Demo, Row::Tutor].into_iter().filter(|row| begins || *row != Row::Import),
        );
        Self { reason, rows, list: List::default(), asked: None, typed: String::new(), trouble: None }
    }

    /// Shows why the last choice failed.
    pub fn refuse(&mut self, why: String) {
        self.trouble = Some(why);
    }

    /// Handles a key; a choice ends the page.
    pub(super) fn on_key(&mut self, key: Key) -> Option<Choice> {
        let is_control = !key.mods.is_empty();
        if let Some(asked) = self.asked {
            return self.on_typing_key(asked, key.code, is_control);
        }
        self.trouble = None;
        let last = self.rows.len() - 1;
        let row = match key.code {
            KeyCode::Char('c' | 'd') if is_control => return Some(Choice::Ended(Ended::Left)),
            _ if is_control => return None,
            KeyCode::Char('q') => return Some(Choice::Ended(Ended::Left)),
            KeyCode::Char('j') | KeyCode::Down => return self.go(Move::Down),
            KeyCode::Char('k') | KeyCode::Up => return self.go(Move::Up),
            KeyCode::Char('g') | KeyCode::Home => return self.go(Move::Top),
            KeyCode::Char('G') | KeyCode::End => return self.go(Move::Bottom),
            KeyCode::Enter | KeyCode::Char('l') | KeyCode::Right => self.rows[self.list.cursor.min(last)].clone(),
            KeyCode::Char('o') => Row::Path,
            KeyCode::Char('a') if self.rows.contains(&Row::Import) => Row::Import,
            KeyCode::Char('d') => Row::Demo,
            KeyCode::Char('t') => Row::Tutor,
            _ => return None,
        };
        if let Some(at) = self.rows.iter().position(|other| *other == row) {
            self.list.cursor = at;
        }
        match row {
            Row::Entry { path, .. } => Some(Choice::Open(path)),
            Row::Path => self.ask(Asked::Path),
            Row::Import => self.ask(Asked::Import),
            Row::Demo => Some(Choice::Demo),
            Row::Tutor => Some(Choice::Tutor),
        }
    }

    fn go(&mut self, step: Move) -> Option<Choice> {
        self.list.go(step, 1, self.rows.len(), self.rows.len());
        None
    }

    fn ask(&mut self, asked: Asked) -> Option<Choice> {
        self.asked = Some(asked);
        None
    }

    fn on_typing_key(&mut self, asked: Asked, code: KeyCode, is_control: bool) -> Option<Choice> {
        match code {
            KeyCode::Esc => self.leave_typing(),
            KeyCode::Char('c') if is_control => self.leave_typing(),
            KeyCode::Enter if self.typed.trim().is_empty() => self.leave_typing(),
            // The typed text stays, so that it can be corrected.
            KeyCode::Enter => {
                let typed = self.typed.trim().to_string();
                return Some(if asked == Asked::Path { Choice::Open(typed) } else { Choice::Begin(typed) });
            }
            code => {
                if layer::edit(&mut self.typed, code, is_control) {
                    self.trouble = None;
                }
            }
        }
        None
    }

    fn leave_typing(&mut self) {
        (self.asked, self.trouble) = (None, None);
        self.typed.clear();
    }

    fn paste(&mut self, words: &str) {
        if self.asked.is_some() {
            self.typed.push_str(words.lines().next().unwrap_or_default());
        }
    }

    /// Draws the page; returns the position of the text cursor while text is typed.
    pub(super) fn view(&self, look: &Look, buf: &mut Buffer) -> Option<Position> {
        let page = buf.area;
        buf.set_style(page, look.style(Role::Page).patch(look.style(Role::Text)));
        let body = Rect { height: page.height.saturating_sub(1), ..page };
        let inner = frame::draw(buf, body, look, &Frame { title: "workbench", focused: true, ..Frame::default() });
        let (mut lines, typed_at) = self.lines(look, usize::from(inner.width), usize::from(inner.height));
        // In a low window the reason is cut first.
        let over = lines.len().saturating_sub(usize::from(inner.height));
        lines.drain(..over);
        list::draw_text(buf, inner, 0, &lines);
        let foot = Rect { y: body.bottom(), height: page.height - body.height, ..page };
        buf.set_style(foot, look.style(Role::Bar));
        if foot.height > 0 {
            buf.set_line(foot.x, foot.y, &self.keys(look), foot.width);
        }
        let (row, column) = typed_at?;
        let at = Position::new(inner.x + column.min(inner.width), inner.y + row.checked_sub(over as u16)?);
        inner.contains(at).then_some(at)
    }

    /// How many entries there are: they are above the ways to begin.
    fn entries(&self) -> usize {
        self.rows.iter().take_while(|row| matches!(row, Row::Entry { .. })).count()
    }

    /// The visible entries around the cursor.
    fn window(&self, room: usize) -> Range<usize> {
        let all = self.entries();
        if all <= room {
            return 0..all;
        }
        // One line shows how many are hidden.
        let shown = room.saturating_sub(1).max(1);
        let first = self.list.cursor.saturating_sub(shown / 2).min(all - shown);
        first..first + shown
    }

    /// The lines in the frame, and the line with the typed text.
    fn lines(&self, look: &Look, width: usize, height: usize) -> (Vec<Line<'static>>, Option<(u16, u16)>) {
        let dim = look.style(Role::Dim);
        let mut lines = text::wrap_line(&Line::raw(format!(" {}", text::safe(&self.reason))), width);
        lines.push(Line::raw(""));
        let (below, typed_at) = self.asked_lines(look, width);
        let entries = self.entries();
        // A blank line separates them from the ways to begin.
        let others = lines.len() + usize::from(entries > 0) + self.rows.len() - entries + 1 + below.len();
        let window = self.window(height.saturating_sub(others));
        for (at, row) in self.rows.iter().enumerate().filter(|(at, _)| *at >= entries || window.contains(at)) {
            // A blank line before the ways to begin.
            if *row == Row::Path && at > 0 {
                if window.len() < entries {
                    let words = [(window.start, "above"), (entries - window.end, "below")];
                    let words = words.into_iter().filter(|(count, _)| *count > 0);
                    let words: Vec<_> = words.map(|(count, way)| format!("{count} more {way}")).collect();
                    lines.push(Line::styled(format!("     {} {}", look.glyphs.cut, words.join(", ")), dim));
                }
                lines.push(Line::raw(""));
            }
            let (key, words) = self.words(row);
            let is_here = at == self.list.cursor && self.asked.is_none();
            let mark = if is_here { look.glyphs.next } else { " " };
            let words = text::fit(&words, width.saturating_sub(5), look.glyphs.cut).into_owned();
            let style = if is_here { look.selection(true) } else { look.style(Role::Text) };
            lines.push(Line::from(vec![
                Span::raw(format!(" {mark} ")),
                Span::styled(text::pad(key, 1), look.style(Role::Key)),
                Span::raw(" "),
                Span::styled(words, style),
            ]));
        }
        lines.push(Line::raw(""));
        let typed_at = typed_at.map(|(row, column)| (lines.len() as u16 + row, column));
        lines.extend(below);
        (lines, typed_at)
    }

    /// The question with the typed text and its error; and the line with the typed text.
    fn asked_lines(&self, look: &Look, width: usize) -> (Vec<Line<'static>>, Option<(u16, u16)>) {
        let dim = look.style(Role::Dim);
        let (mut lines, mut typed_at) = (Vec::new(), None);
        if let Some(asked) = self.asked {
            let what = match asked {
                Asked::Path => " Module folder, metadata file, source file or bundle:",
                Asked::Import => " Git URL to import (creates a module here):",
            };
            lines.extend(text::wrap_line(&Line::styled(what, dim), width));
            let typed = format!(" > {}", text::safe(&self.typed));
            let typed = text::fit_end(&typed, width.saturating_sub(1), look.glyphs.cut).into_owned();
            typed_at = Some((lines.len() as u16, text::width(&typed) as u16));
            lines.push(Line::styled(typed, look.style(Role::Strong)));
        }
        if let Some(trouble) = &self.trouble {
            let words = format!(" {} {}", look.glyphs.failed, text::safe(trouble));
            lines.extend(text::wrap_line(&Line::styled(words, look.style(Role::Error)), width));
        }
        (lines, typed_at)
    }

    fn words(&self, row: &Row) -> (&'static str, String) {
        match row {
            Row::Entry { path, what: "" } => (" ", text::safe(path)),
            Row::Entry { path, what } => (" ", format!("{}  {what}", text::safe(path))),
            Row::Path => ("o", "Open a path".into()),
            Row::Import => ("a", "New module from a git import".into()),
            Row::Demo => ("d", "Demo: a small web site in a temporary folder".into()),
            Row::Tutor => ("t", "Tutor: nine tasks on the demo".into()),
        }
    }

    fn keys(&self, look: &Look) -> Line<'static> {
        let all: &[(&str, &str)] = match self.asked {
            Some(Asked::Path) => &[("Enter", "open"), ("Esc", "cancel")],
            Some(Asked::Import) => &[("Enter", "create"), ("Esc", "cancel")],
            None => &[("Enter", "open"), ("j", "down"), ("k", "up"), ("q", "quit")],
        };
        let mut spans = vec![Span::raw(" ")];
        for (key, word) in all {
            spans.push(Span::styled(*key, look.style(Role::Key)));
            spans.push(Span::styled(format!(" {word}  "), look.style(Role::Dim)));
        }
        Line::from(spans)
    }
}

/// Shows the page until the user chooses.
///
/// The caller makes sure that standard input and output are a terminal.
pub fn start(page: &mut Start, options: &Options) -> io::Result<Choice> {
    let glyphs = if options.ascii { &ASCII } else { &UNICODE };
    let look = Look::new(options.theme.clone().at_depth(options.depth), glyphs);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut signals = Signals::new()?;
        let guard = Guard::take(false)?;
        let mut screen = Display::new();
        let mut input = Reader::new()?;
        loop {
            screen.draw(size()?, |buf| page.view(&look, buf))?;
            tokio::select! {
                biased;
                number = Signals::ended(&mut signals.ends) => return Ok(Choice::Ended(Ended::Signal(number))),
                _ = signals.stop.recv() => {
                    guard.suspend()?;
                    screen.forget();
                }
                _ = signals.resumed.recv() => {
                    guard.retake()?;
                    screen.forget();
                }
                _ = signals.resized.recv() => {}
                inputs = input.next() => {
                    let Ok(Some(inputs)) = inputs else { return Ok(Choice::Ended(Ended::Signal(HANGUP))) };
                    for input in inputs {
                        match input {
                            Input::Key(Key { code: KeyCode::Char('z'), mods: KeyModifiers::CONTROL }) => {
                                guard.suspend()?;
                                screen.forget();
                            }
                            Input::Key(key) => {
                                if let Some(choice) = page.on_key(key) {
                                    return Ok(choice);
                                }
                            }
                            Input::Paste(words) => page.paste(&words),
                            _ => {}
                        }
                    }
                }
            }
        }
    })
}
