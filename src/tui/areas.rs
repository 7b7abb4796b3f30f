//! Areas that react to the mouse. Drawing registers each with what a click on it does; later ones are above.

use std::cell::RefCell;

use ratatui::prelude::{Line, Position, Rect};

use super::keys::{self, Key};
use super::look::{Look, Role};
use super::{keymap::Entry, widget::text};

/// What a click does.
#[derive(Clone, Debug)]
pub enum Hit {
    /// The same as these keys.
    Keys(Vec<Key>),
    Run(&'static Entry),
    /// Selects a visible line of the top layer's list.
    Line(usize),
}

/// The areas of the frame that is drawn, or was drawn last.
#[derive(Debug, Default)]
pub struct Areas(RefCell<Vec<(Rect, Hit)>>);

impl Areas {
    pub fn clear(&self) {
        self.0.borrow_mut().clear();
    }

    pub fn add(&self, area: Rect, hit: Hit) {
        self.0.borrow_mut().push((area, hit));
    }

    pub fn add_lines(&self, area: Rect) {
        for line in 0..area.height {
            self.add(Rect { y: area.y + line, height: 1, ..area }, Hit::Line(usize::from(line)));
        }
    }

    /// Adds the hints of a drawn line: each key with the word after it.
    pub fn add_hints(&self, look: &Look, (x, y): (u16, u16), line: &Line) {
        let key_style = look.style(Role::Key);
        let mut at = x;
        for (index, span) in line.spans.iter().enumerate() {
            let width = text::width(&span.content) as u16;
            let keys = if span.style == key_style { keys_of(&span.content) } else { None };
            if let Some(keys) = keys {
                let word = line.spans.get(index + 1).map_or(0, |word| text::width(word.content.trim_end()) as u16);
                self.add(Rect { x: at, y, width: width + word, height: 1 }, Hit::Keys(keys));
            }
            at = at.saturating_add(width);
        }
    }

    pub fn at(&self, at: Position) -> Option<Hit> {
        self.0.borrow().iter().rev().find(|(area, _)| area.contains(at)).map(|(_, hit)| hit.clone())
    }
}

/// The keys that a hint shows.
fn keys_of(words: &str) -> Option<Vec<Key>> {
    if words.starts_with("any ") {
        return keys::parse("esc");
    }
    let letters = || words.chars().map(|c| (!c.is_whitespace()).then(|| Key::char(c))).collect();
    keys::parse(words).or_else(letters).filter(|keys| !keys.is_empty())
}
