//! A server's login: a name, and a password that is not shown.

use std::fmt;

use crossterm::event::KeyCode;
use ratatui::prelude::{Buffer, Line, Rect, Span};

use super::{KeyResult, centered, edit, popup};
use crate::session;
pub use crate::tui::layer::kinds::Login;
use crate::tui::widget::{list, text};
use crate::tui::{cx::Cx, effect::Effect, keys::Key, look::Role};

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login").field("url", &self.url).field("user", &self.user).finish_non_exhaustive()
    }
}

impl Login {
    pub fn new(url: String) -> Self {
        Self { url, ..Self::default() }
    }

    /// Asks again: the login before was refused.
    pub fn again(url: String, user: String) -> Self {
        Self { url, refused: Some(user.clone()), user, at_password: true, ..Self::default() }
    }

    pub fn user(&self) -> &str {
        &self.user
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// The typed name and password.
    pub fn answered(self) -> Effect {
        Effect::Login(Some(session::Login { user: self.user, password: self.password }))
    }

    fn field(&mut self) -> &mut String {
        if self.at_password { &mut self.password } else { &mut self.user }
    }

    pub fn paste(&mut self, words: &str) {
        self.field().push_str(words);
    }

    pub fn on_key(&mut self, key: Key) -> KeyResult {
        match key.code {
            KeyCode::Esc => return KeyResult::Revert,
            KeyCode::Enter if self.at_password && !self.user.is_empty() => return KeyResult::Chosen,
            KeyCode::Enter | KeyCode::Tab | KeyCode::Down | KeyCode::BackTab | KeyCode::Up => {
                self.at_password = !self.at_password;
            }
            code => {
                edit(self.field(), code, !key.mods.is_empty());
            }
        }
        KeyResult::Stay
    }
}

pub fn view(login: &Login, cx: &Cx, buf: &mut Buffer, body: Rect) {
    let look = &cx.look;
    let url = format!(" {}", text::safe(&login.url));
    let width = text::width(&url).clamp(50, 90) as u16 + 3;
    let inner = popup(cx, buf, centered(body, width, 8), "Log in");
    let room = usize::from(inner.width);
    let unseen = "*".repeat(login.password.chars().count());
    let field = |name: &'static str, typed: String, is_here: bool| {
        let shown = text::fit_end(&typed, room.saturating_sub(14), look.glyphs.cut).into_owned();
        Line::from(vec![
            Span::styled(format!(" {name:<10}"), look.style(Role::Dim)),
            Span::styled(shown, look.style(Role::Strong)),
            Span::styled(if is_here { "_" } else { "" }, look.style(Role::Key)),
        ])
    };
    let lines = [
        Line::raw(text::fit_end(&url, room, look.glyphs.cut).into_owned()),
        match &login.refused {
            Some(user) => Line::styled(
                text::fit(&format!(" Login refused for {}.", text::safe(user)), room, look.glyphs.cut).into_owned(),
                look.style(Role::Warning),
            ),
            None => Line::raw(""),
        },
        field("user", text::safe(&login.user), !login.at_password),
        field("password", unseen, login.at_password),
        Line::raw(""),
        Line::styled(" Enter continue   Esc skip", look.style(Role::Dim)),
    ];
    list::draw_text(buf, inner, 0, &lines);
}
