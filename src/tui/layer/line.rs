//! A question that is answered with one line of text.

use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line as Text;

use super::{KeyResult, edit, key_lines, view_question};
use crate::tui::keys::Key;
pub use crate::tui::layer::kinds::{Line, Purpose};
use crate::tui::look::Role;
use crate::tui::state::State;
use crate::tui::widget::text;

impl Line {
    pub fn on_key(&mut self, key: Key) -> KeyResult {
        let is_control = !key.mods.is_empty();
        match key.code {
            KeyCode::Esc => KeyResult::Close,
            KeyCode::Enter => KeyResult::Chosen,
            KeyCode::Char('y') if is_control => KeyResult::ChosenOther,
            code => {
                if edit(&mut self.words, code, is_control) {
                    self.error = None;
                }
                KeyResult::Stay
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
    // The typed text and its error stay in view however long the rest is.
    let mut answers = vec![Text::raw(typed)];
    if let Some(error) = &line.error {
        let error = format!(" {} {error}", look.glyphs.failed);
        answers.extend(text::wrap_line(&Text::styled(error, look.style(Role::Error)), room));
    }
    answers.push(Text::raw(""));
    answers.extend(key_lines(state, &line.keys, body));
    view_question(state, buf, body, &line.title, &line.lines, answers);
}
