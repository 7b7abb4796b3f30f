//! The outline of a document: its definitions and declarations, in order, with nesting.

use std::ops::Range;

use tree_sitter::{QueryCursor, StreamingIterator};

use super::document::Document;
use crate::source::printable;

/// Names longer than this are cut in an outline.
const MAX_NAME: usize = 80;

macro_rules! kinds {
    ($($variant:ident $name:literal)*) => {
        /// The kind of a definition or declaration.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum OutlineKind { $($variant),* }

        impl OutlineKind {
            /// Returns the name of the kind.
            pub fn as_str(self) -> &'static str {
                match self { $(OutlineKind::$variant => $name),* }
            }

            /// The kind for a capture name of the outline query.
            fn of_capture(name: &str) -> Option<Self> {
                match name { $($name => Some(OutlineKind::$variant),)* _ => None }
            }
        }
    };
}

kinds! {
    Attribute "attribute" Bind "bind" Class "class" Define "define" Entity "entity" Function "function"
    Implementation "implementation" Import "import" Include "include" Index "index" Node "node" Relation "relation"
    Resource "resource" Type "type"
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
    /// How many outlined items contain it.
    pub level: usize,
    pub range: Range<usize>,
}

/// The definitions and declarations of a document, in order of position; empty for plain text.
pub fn outline(document: &Document) -> Vec<OutlineItem> {
    let mut items = items(document);
    items.sort_by_key(|item| (item.range.start, usize::MAX - item.range.end, usize::MAX - item.name.len()));
    // A query may have a better name for some items of a kind.
    items.dedup_by(|later, first| later.kind == first.kind && later.range == first.range);
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
                other => {
                    item = OutlineKind::of_capture(other).map(|kind| (kind, capture.node)).or(item);
                }
            }
        }
        let Some((kind, node)) = item else { continue };
        items.push(OutlineItem {
            kind,
            name: match type_name {
                Some(owner) if kind == OutlineKind::Relation => format!("{owner}.{}", shown(name)),
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

/// The elements of a list of names, without its brackets.
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

    fn drawn(text: &str, grammar: Grammar) -> Vec<String> {
        let items = outline(&Document::new(text, Some(grammar)));
        let drawn = items.iter().map(|item| {
            let (indent, kind) = ("  ".repeat(item.level), item.kind.as_str());
            format!("{indent}{kind} {} {}-{}", item.name, item.line, item.last_line)
        });
        drawn.collect()
    }

    #[test]
    fn items_nest_and_stay_on_one_line() {
        let text = "class c($a) {\n\tfile [\n\t\t\"/x\",\n\t\t$a,\n\t] {}\n}\ninclude c(1)\nfunc f() { 1 }\n";
        let expected = ["class c 0-5", "  resource file[\"/x\", $a] 1-4", "include c 6-6", "function f 7-7"];
        assert_eq!(drawn(text, Grammar::Mcl), expected);
    }

    #[test]
    fn what_puppet_defines_and_declares() {
        let text = "class a::b {\n  file {\n    '/x': ;\n    ['/y', '/z']:\n      mode => '0644';\n  }\n}\n\
                    define d() { }\nfunction f() { }\ntype T = String\nnode 'n' { include a::b, c }\n$x = 1\n";
        let expected = [
            "class a::b 0-6",
            "  resource file['/x'] 2-2",
            "  resource file['/y', '/z'] 3-4",
            "define d 7-7",
            "function f 8-8",
            "type T 9-9",
            "node 'n' 10-10",
            "  include a::b 10-10",
            "  include c 10-10",
            "bind $x 11-11",
        ];
        assert_eq!(drawn(text, Grammar::Puppet), expected);
        assert_eq!(drawn("a <% file { '/x': } -%>\n", Grammar::Epp), ["resource file['/x'] 0-0"]);
    }

    #[test]
    fn what_inmanta_defines_and_declares() {
        let text = "import a::b\nentity E:\n    int x\nend\nE.es [0:] -- E.e [1]\nindex E(x)\n\
                    typedef t as int matching self > 0\nimplementation i for E:\n    F(x=1)\nend\n\
                    e = E(\n    name=\"f\")\n";
        let expected = [
            "import a::b 0-0",
            "entity E 1-3",
            "  attribute x 2-2",
            "relation E.es 4-4",
            "index E 5-5",
            "type t 6-6",
            "implementation i 7-9",
            "  resource F 8-8",
            "bind e 10-11",
            "  resource E[\"f\"] 10-11",
        ];
        assert_eq!(drawn(text, Grammar::Inmanta), expected);
    }
}
