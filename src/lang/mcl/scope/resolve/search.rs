//! The search for a name, from its scope outwards.

use super::Resolver;
use crate::lang::mcl::scope::names::{Alias, Namespace, Target, Way, find_builtin};
use crate::lang::mcl::scope::{Hop, ScopeId, SlotKind};

impl Resolver<'_> {
    /// The meaning of a name in a scope: its own, those around it, and last the built-in ones.
    pub(super) fn find(&mut self, scope: ScopeId, name: &str, space: Namespace) -> Option<Target> {
        self.climb(scope, &[], name, space).or_else(|| find_builtin("", name, space))
    }

    fn climb(&mut self, mut scope: ScopeId, before: &[Hop], name: &str, space: Namespace) -> Option<Target> {
        let mut params_only = false;
        for up in 0.. {
            let way = Way { before, up };
            let found = match params_only {
                true => self.look_for_param(scope, way, name, space),
                false => self.look(scope, way, name, space),
            };
            if found.is_some() {
                return found;
            }
            let around = self.scopes.scopes[scope].parent?;
            params_only = self.arounds.get(&scope).is_some_and(|around| around.params_only);
            scope = around;
        }
        None
    }

    /// Searches the parameters of a class: a file imported in its body sees only those.
    fn look_for_param(&self, scope: ScopeId, way: Way, name: &str, space: Namespace) -> Option<Target> {
        let slot = self.names.get(scope)?.slot(space, name)?;
        let is_param = matches!(self.scopes.scopes[scope].slots[slot as usize].kind, SlotKind::Param(_));
        is_param.then(|| Target::Slot { hops: way.hops(None), scope, slot })
    }

    /// Searches one scope only. A dotted name that is not found here may be further out: in the reference the whole
    /// `a.b` is one name.
    fn look(&mut self, scope: ScopeId, way: Way, name: &str, space: Namespace) -> Option<Target> {
        let names = self.names.get(scope)?;
        if let Some(slot) = names.slot(space, name) {
            return Some(Target::Slot { hops: way.hops(None), scope, slot });
        }
        let stars = names.stars.clone();
        if let Some((head, rest)) = name.split_once('.')
            && let Some(alias) = names.alias(head).cloned()
            && let Some(found) = self.below(&alias, way, rest, space)
        {
            return Some(found);
        }
        stars.iter().rev().find_map(|star| self.below(star, way, name, space))
    }

    /// Searches below an import or an include.
    fn below(&mut self, alias: &Alias, way: Way, rest: &str, space: Namespace) -> Option<Target> {
        match alias {
            Alias::Broken => Some(Target::Broken),
            Alias::System { module, native } => {
                let inside = native.and_then(|(slot, scope)| {
                    let before = way.hops(Some(Hop::Enter(slot)));
                    self.look(scope, Way { before: &before, up: 0 }, rest, space)
                });
                inside.or_else(|| find_builtin(module, rest, space))
            }
            Alias::File { slot, scope } => {
                // Built-in names are among the names of every file.
                let before = way.hops(Some(Hop::Enter(*slot)));
                let inside = match self.scopes.scopes[*scope].parent {
                    None => self.look(*scope, Way { before: &before, up: 0 }, rest, space),
                    Some(_) => self.climb(*scope, &before, rest, space),
                };
                inside.or_else(|| find_builtin("", rest, space))
            }
            Alias::Include { slot, stmt } => {
                let class = self.include_target(*stmt)?.class;
                let scope = self.class_scope(class)?;
                // The names that the body sees are reachable too, including those captured from around the class.
                let inside = self.climb(scope, &way.hops(Some(Hop::Enter(*slot))), rest, space);
                inside.or_else(|| find_builtin("", rest, space))
            }
        }
    }
}
