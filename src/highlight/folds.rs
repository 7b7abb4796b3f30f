//! The foldable lines of a document.

use tree_sitter::{QueryCursor, StreamingIterator};

use super::document::Document;

/// Lines that fold into the first of them; counted from 0, `last` included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    pub first: usize,
    pub last: usize,
}

/// The folds of a document, by first line, at most one for each; empty for plain text.
pub fn folds(document: &Document) -> Vec<Fold> {
    let Some((tree, grammar)) = document.tree() else { return Vec::new() };
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(&grammar.parts().folds, tree.root_node(), document.text().as_bytes());
    let mut folds = Vec::new();
    while let Some(found) = matches.next() {
        for capture in found.captures() {
            let (first, last) = (capture.node.start_position().row, capture.node.end_position().row);
            if first < last {
                folds.push(Fold { first, last });
            }
        }
    }
    // If several start on one line, the widest is used.
    folds.sort_by_key(|fold| (fold.first, usize::MAX - fold.last));
    folds.dedup_by_key(|fold| fold.first);
    folds
}
