//! The whole state of the screens, as plain data. Only `update` changes it.

use super::{cx::Cx, look::Look, screen::Screens};

#[derive(Debug)]
pub struct State {
    pub cx: Cx,
    pub screens: Screens,
}

impl State {
    pub fn new(width: u16, height: u16, look: Look, title: String, entry: String) -> Self {
        Self { cx: Cx::new((width, height), look, title, entry), screens: Screens::default() }
    }
}
