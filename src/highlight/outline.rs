//! The outline of a document: what it defines and declares, in order, with nesting.

use std::ops::Range;

use tree_sitter::{QueryCursor, StreamingIterator};

use super::document::Document;
use crate::source::printable;

/// Names longer than this are cut in an outline.
const MAX_NAME: usize = 80;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutlineKind {
    Class,
    Function,
    Resource,
    Bind,
    Import,
    Include,
}

impl OutlineKind {
    pub fn as_str(self) -> &'static str {
        match self {
            OutlineKind::Class => "class",
            OutlineKind::Function => "function",
            OutlineKind::Resource => "resource",
            OutlineKind::Bind => "bind",
            OutlineKind::Import => "import",
            OutlineKind::Include => "include",
        }
    }

    fn of_capture(name: &str) -> Option<Self> {
        Some(match name {
            "class" => OutlineKind::Class,
            "function" => OutlineKind::Function,
            "resource" => OutlineKind::Resource,
            "bind" => OutlineKind::Bind,
            "import" => OutlineKind::Import,
            "include" => OutlineKind::Include,
            _ => return None,
        })
    }
}

/// One line of an outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineItem {
    pub kind: OutlineKind,
    /// As written, on one line and safe to show: `base`, `$port`, `file["/etc/motd"]`.
    pub name: String,
    /// First and last line, from 0 as in [`Document::line_range`].
    pub line: usize,
    pub last_line: usize,
    /// How many outlined items it stands in.
    pub level: usize,
    pub range: Range<usize>,
}

/// What a document defines and declares, in order of position; empty for plain text.
pub fn outline(document: &Document) -> Vec<OutlineItem> {
    let mut items = items(document);
    items.sort_by_key(|item| (item.range.start, usize::MAX - item.range.end));
    let mut around: Vec<usize> = Vec::new();
    for item in &mut items {
        around.retain(|end| *end >= item.range.end);
        item.level = around.len();
        around.push(item.range.end);
    }
    items
}

fn items(document: &Document) -> Vec<OutlineItem> {
    let Some((tree, grammar)) = document.tree() else { return Vec::new() };
    let query = &grammar.parts().outline;
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(query, tree.root_node(), document.text().as_bytes());
    let mut items = Vec::new();
    while let Some(found) = matches.next() {
        let (mut item, mut name, mut type_name) = (None, "", None);
        for capture in found.captures() {
            let text = document.text().get(capture.node.byte_range()).unwrap_or_default();
            match query.capture_names()[capture.index as usize] {
                "name" => name = text,
                "kind" => type_name = Some(text),
                other => item = OutlineKind::of_capture(other).map(|kind| (kind, capture.node)),
            }
        }
        let Some((kind, node)) = item else { continue };
        items.push(OutlineItem {
            kind,
            name: match type_name {
                Some(type_name) => format!("{type_name}[{}]", shown(without_brackets(name))),
                None => shown(name),
            },
            line: node.start_position().row,
            last_line: node.end_position().row,
            level: 0,
            range: node.byte_range(),
        });
    }
    items
}

/// The elements of a list of names, which stands in brackets of its own.
fn without_brackets(name: &str) -> &str {
    name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name).trim()
}

fn shown(name: &str) -> String {
    if name.contains('\n') {
        let one_line: Vec<_> = name.split_whitespace().collect();
        return shown(one_line.join(" ").trim_end_matches(','));
    }
    match name.char_indices().nth(MAX_NAME) {
        Some((cut, _)) => format!("{}…", printable(&name[..cut])),
        None => printable(name).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Grammar;
    use super::*;

    #[test]
    fn items_nest_and_stay_on_one_line() {
        let text = "class c($a) {\n\tfile [\n\t\t\"/x\",\n\t\t$a,\n\t] {}\n}\ninclude c(1)\nfunc f() { 1 }\n";
        let document = Document::new(text, Some(Grammar::Mcl));
        let drawn: Vec<_> = outline(&document)
            .iter()
            .map(|item| format!("{}{} {}-{}", "  ".repeat(item.level), item.name, item.line, item.last_line))
            .collect();
        assert_eq!(drawn, ["c 0-5", "  file[\"/x\", $a] 1-4", "c 6-6", "f 7-7"]);
    }
}
