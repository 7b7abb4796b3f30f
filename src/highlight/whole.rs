//! The scopes of a whole text, as `tree-sitter-highlight` finds them with the queries of the screens.

use tree_sitter_highlight::{Highlight, HighlightEvent, Highlighter};

use super::document::Document;
use super::grammar::Grammar;
use super::spans::Styled;
use super::template;

impl Document {
    /// The scopes of all its text, in the form of [`Document::spans`]: a screen asks for a few lines again and again,
    /// this reads the text once.
    pub fn whole(&self) -> Vec<Styled> {
        let Some((_, grammar)) = self.tree() else { return Vec::new() };
        let code = match grammar {
            Grammar::Epp => template::masked(self.text()).into(),
            _ => std::borrow::Cow::Borrowed(self.text().as_bytes()),
        };
        let highlights = grammar.parts().whole();
        let mut highlighter = Highlighter::new();
        // The document was parsed in its time limit already, so there is nothing to cancel.
        let Ok(events) = highlighter.highlight(highlights, &code, None, None, |_| None) else { return Vec::new() };
        let (mut spans, mut open): (Vec<Styled>, Vec<Highlight>) = (Vec::new(), Vec::new());
        for event in events.map_while(Result::ok) {
            match (event, open.last()) {
                (HighlightEvent::HighlightStart(highlight), _) => open.push(highlight),
                (HighlightEvent::HighlightEnd, _) => drop(open.pop()),
                (HighlightEvent::Source { start, end }, Some(highlight)) => {
                    let scope = highlights.names()[highlight.0];
                    match spans.last_mut() {
                        Some(last) if last.range.end == start && last.scope == scope => last.range.end = end,
                        _ => spans.push(Styled { range: start..end, scope }),
                    }
                }
                (HighlightEvent::Source { .. }, None) => {}
            }
        }
        spans
    }
}
