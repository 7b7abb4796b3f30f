//! The appearance of source text: styled spans, outline, folds, themes.
//!
//! Input: text as a [`Document`], which keeps its syntax tree and re-parses only what an edit affected. Output: spans
//! with a scope each (`keyword.control`, `string`), an outline, folds, and, with a [`Theme`], finished [`lines`] for a
//! screen or a whole file as [`ansi`] or [`html`]. A file too large to parse interactively is shown plain, and
//! [`Document::plain`] has the reason.
//!
//! A whole text goes through `tree-sitter-highlight`, a screen through our own query of its lines, which does not parse
//! the text again. Both use the same queries and give the same spans.
//!
//! Scopes are tree-sitter captures under the names that helix uses, so its themes fit. If a node has several, the
//! innermost counts: in `"a ${b}"` the variable is not part of the string.
//!
//! Deliberately absent: diagnostics. The compiler's own parser reports errors; this one only has to look good on broken
//! text. Reading files is absent too: callers pass text and themes.

mod document;
mod folds;
#[allow(unsafe_code, reason = "a grammar is C, and this is where its one function is called")]
mod grammar;
mod lines;
mod outline;
mod render;
mod spans;
mod template;
mod theme;
mod whole;

pub use document::{Document, Plain};
pub use folds::{Fold, folds};
pub use grammar::Grammar;
pub use lines::{Piece, lines, pieces};
pub use outline::{OutlineItem, OutlineKind, outline};
pub use render::{ansi, html};
pub use spans::Styled;
#[cfg(test)]
pub use theme::contrast;
pub use theme::{BUILT_IN, Depth, Theme, load_theme};
