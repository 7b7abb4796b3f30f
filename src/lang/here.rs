//! The symbol at a place in a program: its name, type and documentation, its definition and its uses. Data for both
//! faces.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::source::Place;

/// The symbol at a place.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Here {
    /// The language's word for it, such as "variable", "function", "class", "resource", "parameter", "module", "value";
    /// also "define", "node", "type", "entity", "relation".
    pub what: Cow<'static, str>,
    pub name: String,
    /// In the language's notation; `None` if the type could not be found.
    pub ty: Option<String>,
    /// For a symbol of the language, the text of `doc`; for one of the program, the comment above the definition.
    pub doc: String,
    /// The word itself.
    pub place: Place,
    pub defined: Option<Place>,
    /// Every use in the files of the program, in order, without the definition.
    pub uses: Vec<Place>,
    /// Only for a resource.
    pub resource: Option<AsWritten>,
    /// For an undefined name: a sentence about that, with a suggestion.
    pub undefined: Option<String>,
    /// The sources of the value, if those are data files and not the program: the one that is used, then the others.
    pub data: Vec<Origin>,
    /// The value, if it is merged from several of these sources.
    #[serde(default)]
    pub merged: Option<String>,
}

/// The place of a value in a data file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    pub place: Place,
    /// The name of the level of data.
    pub level: String,
    /// In the language's notation.
    pub value: String,
}

/// A resource as the text names it, and its links in the text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AsWritten {
    pub kind: String,
    /// Those of its names that are plain text.
    pub names: Vec<String>,
    pub links: Vec<LinkHere>,
}

/// A link of the text, seen from the resource at one of its ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkHere {
    /// The other end, such as `svc[nginx]`.
    pub other: String,
    pub other_kind: String,
    /// Whether the other one comes after it.
    pub leads_away: bool,
    pub notify: bool,
    /// As the program writes it, such as `->`, `Before` or `require`.
    pub written: Cow<'static, str>,
    pub place: Place,
}
