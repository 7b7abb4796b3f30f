//! One resource of the catalog, and what is set on it.

use std::borrow::Cow;

use indexmap::IndexMap;

use crate::lang::puppet::ast::{Form, Text};
use crate::lang::puppet::ids::{ResourceId, ScopeId};
use crate::lang::puppet::names::{capitalised, valid_tag};
use crate::lang::puppet::types::{Ty, Type};
use crate::lang::puppet::value::Value;
use crate::source::Span;
use crate::world::Export;

/// The attribute in place of those whose names are unknown.
pub const OTHERS: &str = "*";

/// An attribute as written.
#[derive(Clone, Debug)]
pub struct Attribute {
    pub name: Text,
    pub value: Value,
    pub appends: bool,
    pub span: Span,
}

/// An attribute as set.
#[derive(Clone, Debug)]
pub struct Parameter {
    pub value: Value,
    /// It comes from a default, so the declaring class may replace it.
    pub is_default: bool,
    pub span: Span,
}

impl Parameter {
    /// Makes a parameter that the program sets, not a default.
    pub fn explicit(value: Value, span: Span) -> Self {
        Self { value, is_default: false, span }
    }
}

/// The attributes of a resource in the order in which they were set.
pub type Parameters = IndexMap<Text, Parameter, rustc_hash::FxBuildHasher>;

/// The tags of a resource, sorted. They are few, so this is a list.
#[derive(Clone, Debug, Default)]
pub struct Tags {
    known: Vec<Text>,
    /// It may have others, which are unknown.
    pub may_have_more: bool,
}

impl Tags {
    pub fn insert(&mut self, tag: Text) {
        if let Err(at) = self.known.binary_search(&tag) {
            self.known.insert(at, tag);
        }
    }

    /// Adds several tags.
    pub fn insert_all(&mut self, tags: impl IntoIterator<Item = Text>) {
        self.known.extend(tags);
        self.known.sort();
        self.known.dedup();
    }

    /// Adds the tags of a container or scope, and returns how many are new.
    pub fn inherit(&mut self, above: &Self) -> usize {
        self.may_have_more |= above.may_have_more;
        let before = self.known.len();
        for tag in &above.known {
            if self.known[..before].binary_search(tag).is_err() {
                self.known.push(tag.clone());
            }
        }
        if self.known.len() > before {
            self.known.sort();
        }
        self.known.len() - before
    }

    pub fn remove(&mut self, tag: &str) {
        self.known.retain(|have| **have != *tag);
    }

    /// Whether it has a tag; nothing where that is unknown.
    pub fn has(&self, tag: &str) -> Option<bool> {
        let is_known = self.known.binary_search_by(|have| (**have).cmp(tag)).is_ok();
        (is_known || !self.may_have_more).then_some(is_known)
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Text> {
        self.known.iter()
    }

    /// The number of tags.
    pub fn count(&self) -> usize {
        self.known.len()
    }
}

impl FromIterator<Text> for Tags {
    fn from_iter<I: IntoIterator<Item = Text>>(tags: I) -> Self {
        let mut tags: Vec<Text> = tags.into_iter().collect();
        tags.sort();
        tags.dedup();
        Self { known: tags, may_have_more: false }
    }
}

/// The origin of a resource's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    Builtin,
    Class,
    Define,
    Node,
    Stage,
}

/// A resource of the catalog.
#[derive(Clone, Debug)]
pub struct Resource {
    /// In lower case.
    pub ty: Text,
    pub title: Text,
    pub sort: Sort,
    pub parameters: Parameters,
    pub form: Form,
    /// It was declared with `@@`.
    pub is_exported: bool,
    /// The scope that declared it.
    pub scope: ScopeId,
    pub span: Span,
    /// Of a resource expression, the whole of it: Puppet names its line.
    pub expression: Option<Span>,
    pub tags: Tags,
    pub is_evaluated: bool,
    /// The class that declared it: its subclasses may override.
    pub source: Option<Text>,
    /// Parameters that were given as undef.
    pub given_undef: Vec<Text>,
    /// Names of the parameters that were sensitive.
    pub sensitive: Vec<Text>,
}

impl Resource {
    /// Makes a resource without parameters and tags.
    pub fn new(ty: Text, title: Text, sort: Sort, scope: ScopeId, span: Span) -> Self {
        Self {
            ty,
            title,
            sort,
            parameters: Parameters::default(),
            form: Form::Regular,
            is_exported: false,
            scope,
            span,
            expression: None,
            tags: Tags::default(),
            is_evaluated: false,
            source: None,
            given_undef: Vec::new(),
            sensitive: Vec::new(),
        }
    }

    /// Returns the value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<&Value> {
        self.parameters.get(name).map(|p| &p.value)
    }

    /// Returns the reference as text, such as `File[/tmp/a]`.
    pub fn reference(&self) -> String {
        [&*self.type_name(), "[", &*self.shown_title(), "]"].concat()
    }

    /// The reference as a type.
    pub fn as_type(&self) -> Ty {
        match self.sort {
            Sort::Class => Type::Class(Some(self.title.clone())).into(),
            _ => Type::Resource(Some(self.ty.clone()), Some(self.title.clone())).into(),
        }
    }

    /// Returns the type with capital letters, as references have it.
    pub fn type_name(&self) -> String {
        capitalised(&self.ty)
    }

    /// Returns the title as references show it; that of a class has capital letters.
    pub fn shown_title(&self) -> Cow<'_, str> {
        match self.sort {
            Sort::Class if &*self.title != "main" => capitalised(&self.title).into(),
            _ => (&*self.title).into(),
        }
    }

    /// Adds a tag in lower case, and each part of a qualified one. Ignores an invalid tag.
    pub fn add_tag(&mut self, tag: impl Into<Text>) {
        let tag: Text = tag.into();
        let is_lower = tag.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
        let tag = if is_lower { tag } else { tag.to_lowercase().into() };
        if !valid_tag(&tag) {
            return;
        }
        if tag.contains("::") {
            self.tags.insert_all(tag.split("::").filter(|part| !part.is_empty()).map(Text::from));
        }
        self.tags.insert(tag);
    }
}

/// A resource that another node exports.
#[derive(Debug)]
pub struct Offer {
    pub export: Export,
    pub title: Text,
    pub tags: Tags,
    pub parameters: Parameters,
}

/// How a resource names another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ArrowKind {
    Before,
    Notify,
    Require,
    Subscribe,
}

/// A relationship that a resource declares.
#[derive(Clone, Copy, Debug)]
pub struct Arrow {
    pub owner: ResourceId,
    pub kind: ArrowKind,
    pub target: ResourceId,
    /// The metaparameter or chain.
    pub span: Span,
}

impl Arrow {
    /// What comes first, and what comes after it.
    pub fn ends(&self) -> (ResourceId, ResourceId) {
        match self.kind {
            ArrowKind::Before | ArrowKind::Notify => (self.owner, self.target),
            ArrowKind::Require | ArrowKind::Subscribe => (self.target, self.owner),
        }
    }

    /// Whether a change of the source refreshes the target.
    pub fn refreshes(&self) -> bool {
        matches!(self.kind, ArrowKind::Notify | ArrowKind::Subscribe)
    }
}
