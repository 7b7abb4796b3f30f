//! The search for a name, from the scope it is used in outwards, and what to suggest when it is not there.

use smol_str::SmolStr;

use super::{Here, Resolver};
use crate::diag::{Code, Diagnostic, nearest};
use crate::lang::mcl::builtin;
use crate::lang::mcl::scope::names::{Alias, Found, Namespace, Way, find_builtin};
use crate::lang::mcl::scope::{Hop, ScopeId};
use crate::source::Span;

/// For how many unknown names of a file near ones are searched.
const SUGGESTIONS: usize = 100;

impl Resolver<'_> {
    /// What a name means in a scope: its own, those around it, and last what the language brings.
    pub(super) fn find(&mut self, scope: ScopeId, name: &str, space: Namespace) -> Option<Found> {
        self.climb(scope, &[], name, space).or_else(|| find_builtin("", name, space))
    }

    fn climb(&mut self, mut scope: ScopeId, before: &[Hop], name: &str, space: Namespace) -> Option<Found> {
        for up in 0.. {
            if let Some(found) = self.look(scope, Way { before, up }, name, space) {
                return Some(found);
            }
            scope = self.scopes.scopes[scope].parent?;
        }
        None
    }

    /// Looks in one scope only. What is not below a name with a dot may still be there further out: to the reference the
    /// whole `a.b` is one name.
    fn look(&mut self, scope: ScopeId, way: Way, name: &str, space: Namespace) -> Option<Found> {
        let names = self.names.get(scope)?;
        if let Some(slot) = names.slot(space, name) {
            return Some(Found::Slot { hops: way.hops(None), scope, slot });
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

    /// Looks below an import or an include.
    fn below(&mut self, alias: &Alias, way: Way, rest: &str, space: Namespace) -> Option<Found> {
        match alias {
            Alias::Broken => Some(Found::Broken),
            Alias::System(module) => find_builtin(module, rest, space),
            Alias::File { slot, scope } => {
                // What the language brings is among the names of every file.
                let before = way.hops(Some(Hop::Enter(*slot)));
                let inside = self.look(*scope, Way { before: &before, up: 0 }, rest, space);
                inside.or_else(|| find_builtin("", rest, space))
            }
            Alias::Include { slot, stmt } => {
                let class = self.include_target(*stmt)?.class;
                let scope = self.class_scope(class)?;
                // What the body sees is reachable too, also what it captured from around the class.
                let inside = self.climb(scope, &way.hops(Some(Hop::Enter(*slot))), rest, space);
                inside.or_else(|| find_builtin("", rest, space))
            }
        }
    }

    pub(super) fn unknown(&mut self, here: Here, code: Code, span: Span, label: String, help: Option<String>) {
        let diagnostic = Diagnostic::error(code, span).label(label);
        self.units[here.unit].late.push(match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        });
    }

    /// What a name that is not there may have been meant to be.
    pub(super) fn help(&self, here: Here, name: &str, space: Namespace) -> Option<String> {
        // Nobody reads as many, and each one looks at every name there is.
        if self.units[here.unit].late.len() >= SUGGESTIONS {
            return None;
        }
        let scope = here.scope;
        let sigil = if space == Namespace::Variable { "$" } else { "" };
        if let Some((head, rest)) = name.split_once('.') {
            return self.help_below(scope, head, rest, space);
        }
        let mut candidates: Vec<&str> = Vec::new();
        let mut at = Some(scope);
        while let Some(scope) = at {
            if let Some(names) = self.names.get(scope) {
                candidates.extend(names.names(space).map(|name| name.as_str()));
            }
            at = self.scopes.scopes[scope].parent;
        }
        candidates.sort_unstable();
        if space == Namespace::Function {
            builtin::names_in("").for_each(|name| candidates.push(name));
        }
        if let Some(near) = nearest(name, candidates) {
            return Some(format!("did you mean `{sigil}{near}`?"));
        }
        let module = builtin::modules().find(|module| builtin::function(module, name).is_some());
        match module.filter(|m| space == Namespace::Function && !m.is_empty()) {
            Some(module) => {
                let alias = module.rsplit('/').next().unwrap_or(module);
                Some(format!("it is in module `{module}`: `import \"{module}\"`, then call `{alias}.{name}`"))
            }
            None => None,
        }
    }

    fn help_below(&self, scope: ScopeId, head: &str, rest: &str, space: Namespace) -> Option<String> {
        let mut at = Some(scope);
        let mut near = Vec::new();
        while let Some(scope) = at {
            let names = self.names.get(scope)?;
            if let Some(alias) = names.alias(head) {
                return match alias {
                    Alias::System(module) => {
                        nearest(rest, builtin::names_in(module)).map(|near| format!("did you mean `{head}.{near}`?"))
                    }
                    Alias::File { scope, .. } => {
                        let mut names: Vec<_> = self.names.get(*scope)?.names(space).map(SmolStr::as_str).collect();
                        names.sort_unstable();
                        let sigil = if space == Namespace::Variable { "$" } else { "" };
                        nearest(rest, names).map(|near| format!("did you mean `{sigil}{head}.{near}`?"))
                    }
                    Alias::Include { .. } | Alias::Broken => None,
                };
            }
            near.extend(names.alias_names().map(SmolStr::as_str));
            at = self.scopes.scopes[scope].parent;
        }
        if builtin::is_module(head) {
            return Some(format!("`{head}` is not imported in this file: add `import \"{head}\"`"));
        }
        near.sort_unstable();
        nearest(head, near).map(|near| format!("did you mean `{near}.{rest}`?"))
    }
}
