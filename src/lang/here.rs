//! What a place in a program is: what it names, its type and documentation, its definition and its uses. Data for both faces.

use crate::source::Place;

/// What stands at a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Here {
    /// The language's word for it, such as "variable", "function", "class", "resource", "parameter", "module", "value";
    /// also "define", "node", "type", "entity", "relation".
    pub what: &'static str,
    pub name: String,
    /// In the language's notation; `None` if the type could not be found.
    pub ty: Option<String>,
    /// Of the language's own, what `doc` says; of the program's, the comment above the definition.
    pub doc: String,
    /// The word itself.
    pub place: Place,
    pub defined: Option<Place>,
    /// Every use in the files of the program, in order; the definition is not among them.
    pub uses: Vec<Place>,
    /// Of a resource only.
    pub resource: Option<AsWritten>,
    /// For a name that nothing defines: a sentence that says so, and what was probably meant.
    pub undefined: Option<String>,
    /// Where the value comes from, if that is a data file and not the program.
    pub data: Option<Origin>,
}

/// The place in a data file that a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    pub place: Place,
    /// The name of the level of data.
    pub level: String,
}

/// A resource as the text names it, and the links from and to it that stand there.
#[derive(Clone, Debug, PartialEq)]
pub struct AsWritten {
    pub kind: String,
    /// Those of its names that are plain text.
    pub names: Vec<String>,
    pub links: Vec<LinkHere>,
}

/// A link of the text, seen from the resource at one of its ends.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkHere {
    /// What stands at the other end, such as `svc[nginx]`.
    pub other: String,
    pub other_kind: String,
    /// Whether the other one comes after it.
    pub leads_away: bool,
    pub notify: bool,
    /// As the program writes it, such as `->`, `Before` or `require`.
    pub written: &'static str,
    pub place: Place,
}
