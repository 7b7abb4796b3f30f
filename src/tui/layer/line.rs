//! A question that is answered with a line of words.

use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line as Text;

use super::{Heard, edit, key_lines, view_question};
use crate::tui::keys::Key;
use crate::tui::look::Role;
use crate::tui::state::State;
use crate::tui::widget::text;

/// What the words are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A file to write the graph to.
    SaveGraph,
    /// A file to write the deploy of this number to.
    SaveDeploy(u64),
    /// Where a run is to stop; the breakpoint of this position is replaced.
    Breakpoint(Option<usize>),
}

/// The line, and what is asked.
#[derive(Clone, Debug)]
pub struct Line {
    pub title: String,
    pub lines: Vec<String>,
    pub words: String,
    /// What is wrong with what was typed.
    pub error: Option<String>,
    pub keys: Vec<(&'static str, &'static str)>,
    pub purpose: Purpose,
}

impl Line {
    pub fn hear(&mut self, key: Key) -> Heard {
        let is_control = !key.mods.is_empty();
        match key.code {
            KeyCode::Esc => Heard::Close,
            KeyCode::Enter => Heard::Chosen,
            KeyCode::Char('y') if is_control => Heard::Otherwise,
            code => {
                if edit(&mut self.words, code, is_control) {
                    self.error = None;
                }
                Heard::Stay
            }
        }
    }

    pub fn paste(&mut self, words: &str) {
        self.words.push_str(words);
    }
}

pub fn view(line: &Line, state: &State, buf: &mut Buffer, body: Rect) {
    let look = &state.look;
    let room = usize::from(body.width.saturating_sub(8)).max(1);
    let typed = text::fit_end(&format!(" > {}_", text::safe(&line.words)), room, look.glyphs.cut).into_owned();
    // What is typed, and what is wrong with it, stays in view however long the rest is.
    let mut answers = vec![Text::raw(typed)];
    if let Some(error) = &line.error {
        let error = format!(" {} {error}", look.glyphs.failed);
        answers.extend(text::wrap_line(&Text::styled(error, look.style(Role::Error)), room));
    }
    answers.push(Text::raw(""));
    answers.extend(key_lines(state, &line.keys, body));
    view_question(state, buf, body, &line.title, &line.lines, answers);
}
