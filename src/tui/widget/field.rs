//! Named values in a pane, one per line.

use ratatui::prelude::{Line, Span, Style};

use super::text;
use crate::tui::look::{Look, Role};

/// The columns of the names, and of the whole pane.
#[derive(Clone, Copy)]
pub struct Fields<'a> {
    pub look: &'a Look,
    pub names: usize,
    pub width: usize,
}

impl Fields<'_> {
    /// A value on one line.
    pub fn line(self, name: &str, mut value: Vec<Span<'static>>) -> Line<'static> {
        value.insert(0, Span::styled(format!("{name:<0$}", self.names), self.look.style(Role::Dim)));
        Line::from(value)
    }

    /// A text on as many lines as it needs, with a hanging indent.
    pub fn text(self, name: &str, words: &str, style: Style) -> Vec<Line<'static>> {
        let room = self.width.saturating_sub(self.names).max(10);
        let rows = words.split('\n').flat_map(|words| text::wrap(words, room));
        let names = std::iter::once(name).chain(std::iter::repeat(""));
        names.zip(rows).map(|(name, row)| self.line(name, vec![Span::styled(row, style)])).collect()
    }
}
