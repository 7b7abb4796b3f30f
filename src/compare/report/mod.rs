//! Reports to review: one document, made from a plan or a comparison, as one HTML page or as Markdown.
//!
//! Every name and content is text, never markup, and secrets are not in a document. A page needs no network and can be
//! read without scripts. Markdown drops detail until it fits a comment, but never a removal.

mod comparison;
mod html;
mod markdown;
mod plan;

pub use html::html;
pub use markdown::markdown;
pub use plan::{of_plan, of_turns};

/// A report as data.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    pub title: String,
    /// The result in one sentence.
    pub summary: String,
    pub sections: Vec<Section>,
    /// Steps and the positions of the steps before each, for a picture.
    pub graph: Vec<(String, Vec<usize>)>,
    /// Closing lines: a name, and a text to copy.
    pub closing: Vec<(String, String)>,
}

/// Rows with a title.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    pub title: String,
    /// What the rows have in common, such as their nodes.
    pub about: String,
    pub rows: Vec<Row>,
}

/// A resource, or several with the same change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    pub sort: Sort,
    pub names: Vec<String>,
    /// What happens to it, in a few words.
    pub what: String,
    pub place: String,
    pub details: Vec<Detail>,
    pub notes: Vec<String>,
}

/// What a row means for the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    #[default]
    Change,
    Add,
    Remove,
    Fail,
    Other,
}

impl Sort {
    fn sign(self) -> &'static str {
        match self {
            Sort::Change => "~",
            Sort::Add => "+",
            Sort::Remove => "-",
            Sort::Fail => "x",
            Sort::Other => "!",
        }
    }
}

/// A property with its values, or with the lines that differ.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Detail {
    pub property: String,
    pub from: Option<String>,
    pub to: Option<String>,
    pub lines: Vec<String>,
}

/// Joins rows that differ only in their names, at the first of them.
fn group(rows: Vec<Row>) -> Vec<Row> {
    let mut grouped: Vec<Row> = Vec::new();
    let mut known: rustc_hash::FxHashMap<String, usize> = rustc_hash::FxHashMap::default();
    for row in rows {
        // A row without details says nothing that could be equal.
        if row.details.is_empty() {
            grouped.push(row);
            continue;
        }
        let key = format!("{:?}{}{:?}{:?}", row.sort, row.what, row.details, row.notes);
        match known.get(&key) {
            Some(at) => grouped[*at].names.extend(row.names),
            None => {
                known.insert(key, grouped.len());
                grouped.push(row);
            }
        }
    }
    grouped
}
