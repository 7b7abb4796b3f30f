//! Scopes: who sees which variables, and the match variables of the last regular expression.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::ast::Text;
use super::catalog::{Attribute, Tags};
use super::ids::{ResourceId, ScopeId, TOP};
use super::value::Value;

/// What a scope belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    Top,
    Node,
    Class(Text),
    Define,
    Function,
    /// Code of a type with features, which sees nothing around it.
    Body,
    /// A lambda or a template.
    Local,
}

/// The groups of the last match, the whole first; nothing where it is unknown what the last match is.
pub type Groups = Option<Arc<Vec<Option<String>>>>;

/// A scope: its variables, its resource defaults, and the scopes in which a search continues.
#[derive(Debug)]
pub struct Scope {
    pub owner: Owner,
    /// Where variables are looked for next.
    pub parent: Option<ScopeId>,
    /// Where defaults of resources are looked for next: who declared this.
    pub dynamic: Option<ScopeId>,
    pub variables: FxHashMap<Text, Value>,
    pub groups: Option<Groups>,
    /// The class or define instance that the scope belongs to.
    pub resource: Option<ResourceId>,
    /// `Type { … }` by type.
    pub defaults: FxHashMap<Text, Vec<Attribute>>,
    pub module: Option<Text>,
    /// Names that resources declared here are tagged with, from `tag()`.
    pub tags: Tags,
}

impl Scope {
    /// Makes a scope without variables.
    pub fn new(owner: Owner, parent: Option<ScopeId>, dynamic: Option<ScopeId>) -> Self {
        Self {
            owner,
            parent,
            dynamic,
            variables: FxHashMap::default(),
            groups: None,
            resource: None,
            defaults: FxHashMap::default(),
            module: None,
            tags: Tags::default(),
        }
    }
}

/// All scopes of a compilation.
#[derive(Debug, Default)]
pub struct Scopes {
    list: Vec<Scope>,
    /// Scopes of evaluated classes by name.
    pub classes: FxHashMap<Text, ScopeId>,
    pub node: Option<ScopeId>,
}

impl Scopes {
    /// Adds a scope, and returns its id.
    pub fn add(&mut self, scope: Scope) -> ScopeId {
        self.list.push(scope);
        ScopeId(self.list.len() as u32 - 1)
    }

    /// Frees the newest scope; false where others came after it.
    pub fn forget(&mut self, id: ScopeId) -> bool {
        let is_newest = id.0 as usize + 1 == self.list.len();
        if is_newest {
            self.list.pop();
        }
        is_newest
    }

    /// Returns all scopes for changes, in the order of their creation.
    pub fn all_mut(&mut self) -> impl Iterator<Item = &mut Scope> {
        self.list.iter_mut()
    }

    /// Returns a scope.
    pub fn get(&self, id: ScopeId) -> &Scope {
        &self.list[id.0 as usize]
    }

    /// Returns a scope for changes.
    pub fn get_mut(&mut self, id: ScopeId) -> &mut Scope {
        &mut self.list[id.0 as usize]
    }

    /// A variable by its name without the dollar.
    pub fn lookup(&self, from: ScopeId, name: &str) -> Option<Value> {
        if let Some((class, variable)) = name.rsplit_once("::") {
            let scope = if class.is_empty() { TOP } else { *self.classes.get(class.trim_start_matches("::"))? };
            if class.is_empty() {
                return self.get(TOP).variables.get(variable).cloned();
            }
            return self.in_class(scope, variable);
        }
        let mut at = Some(from);
        while let Some(id) = at {
            let scope = self.get(id);
            if let Some(value) = scope.variables.get(name) {
                return Some(value.clone());
            }
            at = scope.parent;
        }
        None
    }

    /// A class's own variable, or one that it inherits.
    fn in_class(&self, scope: ScopeId, name: &str) -> Option<Value> {
        let mut at = Some(scope);
        while let Some(id) = at {
            let scope = self.get(id);
            if !matches!(scope.owner, Owner::Class(_)) {
                return None;
            }
            if let Some(value) = scope.variables.get(name) {
                return Some(value.clone());
            }
            at = scope.parent;
        }
        None
    }

    /// Returns a match variable such as `$1`, from this scope or an enclosing local one; undef if there is none.
    pub fn group(&self, from: ScopeId, index: usize) -> Value {
        let mut at = Some(from);
        while let Some(id) = at {
            let scope = self.get(id);
            if let Some(groups) = &scope.groups {
                let Some(groups) = groups else { return Value::Unknown(None) };
                return groups.get(index).and_then(|g| g.as_deref()).map_or(Value::Undef, Value::str);
            }
            at = if scope.owner == Owner::Local { scope.parent } else { None };
        }
        Value::Undef
    }

    /// Runs through the scopes in which defaults count, nearest first.
    pub fn dynamic(&self, from: ScopeId) -> impl Iterator<Item = ScopeId> + '_ {
        std::iter::successors(Some(from), move |id| self.get(*id).dynamic)
    }

    /// The nearest scope that belongs to a class, a define, a node or the top: where things are declared.
    pub fn declaring(&self, from: ScopeId) -> ScopeId {
        let mut at = from;
        while matches!(self.get(at).owner, Owner::Local | Owner::Function) {
            match self.get(at).dynamic {
                Some(next) => at = next,
                None => return TOP,
            }
        }
        at
    }
}
