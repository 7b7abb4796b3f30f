//! A resolved type: all its features and invariants, base first.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::lang::puppet::ast::Text;
use crate::lang::puppet::ast::arm::{Definition, Feature, Implementation, Invariant};
use crate::lang::puppet::types::Ty;
use crate::lang::puppet::value::Value;

/// What an object type has where it was written as a type with features. Compared by name.
#[derive(Clone)]
pub struct Hooks(pub Arc<Model>);

impl std::fmt::Debug for Hooks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.name)
    }
}

impl PartialEq for Hooks {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Hooks {}

impl Hash for Hooks {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.name.hash(state);
    }
}

/// A type with features, resolved.
pub struct Model {
    pub name: Text,
    pub definition: Arc<Definition>,
    /// Absent for a type without parent and for one directly below `Resource`.
    pub parent: Option<Arc<Model>>,
    pub is_resource: bool,
    pub is_abstract: bool,
    pub members: Vec<Arc<Member>>,
    by_name: FxHashMap<Text, usize>,
    /// Each with the type that declares it.
    pub invariants: Vec<(Arc<Invariant>, Text)>,
    /// The nearest statement of the chain that names a kind of ours.
    pub implementation: Option<Arc<Implementation>>,
}

/// One feature of a type.
pub struct Member {
    pub feature: Arc<Feature>,
    /// The type that declares it.
    pub owner: Text,
    pub ty: MemberType,
    pub min: usize,
    /// `None` without a bound.
    pub max: Option<usize>,
    pub default: Option<Value>,
}

/// The type of a feature's values.
pub enum MemberType {
    Simple(Ty),
    /// The type of the objects, by its name in lower case.
    Objects(Text),
}

impl Member {
    /// Returns the name of the feature.
    pub fn name(&self) -> &Text {
        &self.feature.name
    }

    /// Whether the feature can have more than one value.
    pub fn is_list(&self) -> bool {
        self.max != Some(1)
    }

    /// Whether the feature is computed from others.
    pub fn is_derived(&self) -> bool {
        self.feature.logic("derived").is_some()
    }

    /// Whether the value is omitted when an object is stored; derived ones always are.
    pub fn is_transient(&self) -> bool {
        self.is_derived() || self.feature.flag("transient") == Some(true)
    }

    /// Whether the feature has the option `unsettable`.
    pub fn is_unsettable(&self) -> bool {
        self.feature.flag("unsettable") == Some(true)
    }

    /// Whether a program may set the feature; a derived one needs `set` logic or the option `setable`.
    pub fn is_setable(&self) -> bool {
        let default = !self.is_derived() || self.feature.logic("set").is_some();
        self.feature.flag("setable").unwrap_or(default)
    }

    /// Whether the objects are inside; the values of attributes are no objects.
    pub fn is_contained(&self) -> bool {
        self.feature.is_reference && !self.is_derived() && self.feature.flag("containment") != Some(false)
    }

    /// Whether the objects are written by their identities.
    pub fn is_reference(&self) -> bool {
        self.feature.is_reference && self.feature.flag("containment") == Some(false)
    }
}

impl Model {
    /// Makes a model with the features and invariants of its parent; its own features are added later.
    pub fn new(definition: Arc<Definition>, parent: Option<Arc<Model>>, is_resource: bool) -> Self {
        use crate::lang::puppet::ast::arm::Statement;
        let mut model = Self {
            name: definition.name.clone(),
            is_abstract: definition.statements.iter().any(|s| matches!(s, Statement::Abstract)),
            is_resource,
            members: Vec::new(),
            by_name: FxHashMap::default(),
            invariants: Vec::new(),
            implementation: None,
            definition,
            parent,
        };
        if let Some(parent) = model.parent.clone() {
            parent.members.iter().for_each(|member| model.add(member.clone()));
            model.invariants.extend(parent.invariants.iter().cloned());
            model.implementation.clone_from(&parent.implementation);
        }
        for statement in &model.definition.statements {
            match statement {
                Statement::Invariant(invariant) => model.invariants.push((invariant.clone(), model.name.clone())),
                Statement::Implementation(named) => model.implementation = Some(named.clone()),
                Statement::Abstract | Statement::Feature(_) | Statement::Other(_) => {}
            }
        }
        model
    }

    /// Adds a feature; it hides an inherited one of the same name.
    pub fn add(&mut self, member: Arc<Member>) {
        self.by_name.insert(member.name().clone(), self.members.len());
        self.members.push(member);
    }

    /// Returns the index of a feature by its name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The feature whose value names an object.
    pub fn identity(&self) -> Option<usize> {
        let named = self.find("name").filter(|at| !self.members[*at].feature.is_reference);
        named.or_else(|| self.members.iter().position(|member| !member.feature.is_reference && member.min >= 1))
    }

    /// Whether it is a type or inherits from it, the name in lower case.
    pub fn is(&self, name: &str) -> bool {
        let mut at = Some(self);
        while let Some(model) = at {
            if model.name.eq_ignore_ascii_case(name) {
                return true;
            }
            at = model.parent.as_deref();
        }
        false
    }
}
