//! Types written in the Puppet language, which no other program implements: object types with checks, and resource types.
//!
//! `ast::arm` is what the parser reads. `resolve` makes a [`Model`] of each definition before the first statement runs.
//! `construct` makes objects, `set` and `read` are the ways into and out of one feature, `body` runs the code of a type.
//! `value` is the inside of an object. `resource` checks declared resources at the end of a compilation. `described` reads
//! the descriptions that `puppet generate types` writes. `ecore` is the form for other tools. The validation is in `validate`, the grammar in `parser`, Puppet's notation in `pn`.

pub mod body;
mod construct;
mod described;
pub mod ecore;
mod resolve;
mod resource;
pub mod ruby;
mod seen;
mod set;
mod value;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::ast::Text;
use super::ids::{ResourceId, ScopeId};
use super::types::model::Model;
use super::types::{Ty, Type};
use crate::source::Span;

pub use described::Described;
pub use resolve::{converted, literal, simple};
pub use resource::{Carried, CarriedParam};
pub use seen::Seen;
pub use value::Instance;

/// The functions that bodies can call, by the version that documents name.
pub const FUNCTIONS_VERSION: &str = "arm-functions/1";

/// The parent that makes a type a resource type.
pub const RESOURCE: &str = "Resource";

/// What a compilation knows of these types.
#[derive(Default)]
pub struct Store {
    /// Definitions by their names in lower case.
    declared: FxHashMap<Text, Arc<super::ast::arm::Definition>>,
    /// The same names in the order of the program.
    order: Vec<Text>,
    models: FxHashMap<Text, (Arc<Model>, Ty)>,
    /// How many features all resolved types have, inherited ones counted again.
    members: usize,
    /// The code that runs, by the scope of its variables.
    frames: FxHashMap<ScopeId, body::Frame>,
    described: FxHashMap<Text, Option<Arc<Described>>>,
    /// Where the expressions begin that declared resources of these types.
    places: FxHashMap<ResourceId, Span>,
    /// What carries out a resource, in our words.
    pub carried: FxHashMap<ResourceId, Carried>,
}

impl Store {
    /// Remembers a definition until it is resolved.
    pub fn declare(&mut self, definition: Arc<super::ast::arm::Definition>) {
        let key: Text = definition.name.to_lowercase().into();
        if self.declared.insert(key.clone(), definition).is_none() {
            self.order.push(key);
        }
    }

    /// Remembers where the expression begins that declared a resource of one of these types.
    pub fn declared_at(&mut self, ty: &str, id: ResourceId, span: Span) {
        if self.models.contains_key(ty) {
            self.places.insert(id, span);
        }
    }

    /// The description of a resource type that was declared already.
    pub fn description(&self, name: &str) -> Option<&Arc<Described>> {
        self.described.get(name)?.as_ref()
    }

    fn has(&self, key: &str) -> bool {
        self.declared.contains_key(key)
    }

    /// The resolved types in the order of the program.
    pub fn models(&self) -> impl Iterator<Item = &Arc<Model>> {
        self.order.iter().filter_map(|key| self.models.get(key)).map(|(model, _)| model)
    }
}

/// The model behind a type, also behind a name for it.
pub fn of(ty: &Ty) -> Option<&Arc<Model>> {
    match &**ty {
        Type::Object(Some(object)) => object.arm.as_ref().map(|hooks| &hooks.0),
        Type::Alias(alias) => alias.resolved.get().and_then(of),
        _ => None,
    }
}
