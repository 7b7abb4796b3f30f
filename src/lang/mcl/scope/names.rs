//! The names that one scope defines, and the search for a name from scope to scope.

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::{Hop, ScopeId};
use crate::lang::mcl::ast::StmtId;
use crate::lang::mcl::builtin::{self, Function, Variable};
use crate::source::Span;

/// The language's namespaces; one name may be in several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Namespace {
    Variable,
    Function,
    Class,
}

/// The target of a name before a dot.
#[derive(Clone, Debug)]
pub enum Alias {
    /// An imported file: its slot and its scope.
    File { slot: u32, scope: ScopeId },
    /// A module of the language, with the slot and scope of its mcl part.
    System { module: SmolStr, native: Option<(u32, ScopeId)> },
    /// An `include ... as`.
    Include { slot: u32, stmt: StmtId },
    /// A failed import: its diagnostic has been given, and names below it are not reported again.
    Broken,
}

/// The names of one scope.
#[derive(Debug, Default)]
pub struct Names {
    /// By namespace.
    slots: [FxHashMap<SmolStr, (u32, Span)>; 3],
    aliases: FxHashMap<SmolStr, (Alias, Span)>,
    /// `import ... as *`, in order: a later one wins.
    pub stars: Vec<Alias>,
    /// The imports, by their text.
    imports: FxHashMap<SmolStr, Span>,
}

impl Names {
    /// Defines a name; `Err` has the place of the earlier definition, which is replaced.
    pub fn define(&mut self, space: Namespace, name: SmolStr, slot: u32, span: Span) -> Result<(), Span> {
        self.slots[space as usize].insert(name, (slot, span)).map_or(Ok(()), |(_, before)| Err(before))
    }

    /// The same for a name before a dot; the first one stays.
    pub fn define_alias(&mut self, name: SmolStr, alias: Alias, span: Span) -> Result<(), Span> {
        if let Some((_, before)) = self.aliases.get(&name) {
            return Err(*before);
        }
        self.aliases.insert(name, (alias, span));
        Ok(())
    }

    /// Records an import; `Err` has the place of the same import before.
    pub fn define_import(&mut self, name: SmolStr, span: Span) -> Result<(), Span> {
        if let Some(before) = self.imports.get(&name) {
            return Err(*before);
        }
        self.imports.insert(name, span);
        Ok(())
    }

    /// Returns the slot of a name in one namespace of this scope.
    pub fn slot(&self, space: Namespace, name: &str) -> Option<u32> {
        self.slots[space as usize].get(name).map(|(slot, _)| *slot)
    }

    /// Returns the import or inclusion that a name before a dot refers to.
    pub fn alias(&self, name: &str) -> Option<&Alias> {
        self.aliases.get(name).map(|(alias, _)| alias)
    }

    /// The names of a namespace, unordered.
    pub fn names(&self, space: Namespace) -> impl Iterator<Item = &SmolStr> {
        self.slots[space as usize].keys()
    }

    /// The names before dots, unordered.
    pub fn aliases(&self) -> impl Iterator<Item = (&SmolStr, &Alias)> {
        self.aliases.iter().map(|(name, (alias, _))| (name, alias))
    }
}

/// The result of a search.
#[derive(Clone, Debug)]
pub enum Target {
    Slot {
        hops: Vec<Hop>,
        scope: ScopeId,
        slot: u32,
    },
    Function(&'static Function),
    Variable(&'static Variable),
    /// Below a failed import.
    Broken,
}

/// A built-in by module and name.
pub fn find_builtin(module: &str, name: &str, space: Namespace) -> Option<Target> {
    match space {
        Namespace::Variable if module.is_empty() => builtin::variable(name).map(Target::Variable),
        Namespace::Variable => builtin::variable(&format!("{module}.{name}")).map(Target::Variable),
        Namespace::Function => builtin::function(module, name).map(Target::Function),
        Namespace::Class => None,
    }
}

/// The way of a search that climbs from scope to scope: the hops to its start, and how far up it is.
#[derive(Clone, Copy)]
pub struct Way<'a> {
    pub before: &'a [Hop],
    pub up: u32,
}

impl Way<'_> {
    /// All hops, climbs joined, with one more.
    pub fn hops(self, next: Option<Hop>) -> Vec<Hop> {
        let mut hops = self.before.to_vec();
        match hops.last_mut() {
            _ if self.up == 0 => {}
            Some(Hop::Up(n)) => *n += self.up,
            _ => hops.push(Hop::Up(self.up)),
        }
        hops.extend(next);
        hops
    }
}
