//! Scopes: where the names of statements are looked up.

use super::super::ast::{BlockId, NsId};
use super::super::error::{Class, Raise, Result};
use super::super::names::Sym;
use super::super::value::InstanceId;
use super::Machine;
use super::ids::{ScopeId, VarId};

impl Default for Scope {
    fn default() -> Self {
        Scope::Root(NsId::default())
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Scope {
    Root(NsId),
    /// The variables of a block. In a nested block, other names are looked up in the namespace of the block's file,
    /// where nothing nearer has them.
    Block {
        block: BlockId,
        first: VarId,
        parent: ScopeId,
        is_nested: bool,
    },
    /// Names below are looked up in this namespace, where nothing nearer has them.
    Namespace {
        parent: ScopeId,
        ns: NsId,
    },
    /// One more variable.
    Variable {
        parent: ScopeId,
        name: Sym,
        var: VarId,
    },
    Instance(InstanceId),
}

impl Machine<'_> {
    pub(super) fn new_scope(&mut self, scope: Scope) -> ScopeId {
        ScopeId(self.scopes.push(scope))
    }

    /// The variables of a block under a scope.
    pub(super) fn enter_block(&mut self, block: BlockId, parent: ScopeId) -> ScopeId {
        self.enter(block, parent, false)
    }

    /// The same for a nested block.
    pub(super) fn enter_nested(&mut self, block: BlockId, parent: ScopeId) -> ScopeId {
        self.enter(block, parent, true)
    }

    fn enter(&mut self, block: BlockId, parent: ScopeId, is_nested: bool) -> ScopeId {
        let first = VarId(self.vars.len() as u32);
        for _ in 0..self.program.variables_of(block).names.len() {
            self.add_var();
        }
        self.new_scope(Scope::Block { block, first, parent, is_nested })
    }

    /// Finds the variable of a name, from a scope outwards. Fails with the most similar name as help.
    pub fn lookup(&self, scope: ScopeId, name: Sym) -> Result<VarId> {
        self.lookup_from(scope, name, None).map_err(|mut raise| {
            let text = self.program.text(name);
            if raise.help.is_none() && !text.contains("::") {
                let names = self.visible_names(scope);
                let near = crate::diag::nearest(text, names.iter().map(String::as_str));
                raise.help = near.map(|near| format!("did you mean `{near}`?"));
                if raise.help.is_none() && self.program.variables.iter().any(|block| block.names.contains(&name)) {
                    raise.help = Some(format!(
                        "`{text}` is only known inside the block that sets it, a `for`, an `if` or an implementation: set it \
                         outside"
                    ));
                }
                if let Some(help) = foreign_name(text) {
                    raise.help = Some(help);
                }
            }
            raise
        })
    }

    /// The names that a scope sees without a path.
    pub fn visible_names(&self, mut scope: ScopeId) -> Vec<String> {
        let mut names = Vec::new();
        let program = self.program;
        let mut add = |block: BlockId| {
            names.extend(program.variables_of(block).names.iter().map(|sym| program.text(*sym).to_string()));
        };
        loop {
            match self.scopes[scope.0 as usize] {
                Scope::Root(ns) => {
                    program.ns(ns).block.into_iter().for_each(&mut add);
                    break;
                }
                Scope::Block { block, parent, .. } => {
                    add(block);
                    scope = parent;
                }
                Scope::Namespace { parent, .. } => scope = parent,
                Scope::Variable { parent, name, .. } => {
                    names.push(program.text(name).to_string());
                    return names.into_iter().chain(self.visible_names(parent)).collect();
                }
                Scope::Instance(id) => {
                    let instance = &self.instances[id.0 as usize];
                    let own = &program.entity(instance.entity).all;
                    program.ns(instance.root).block.into_iter().for_each(&mut add);
                    names.extend(own.iter().map(|(name, _)| program.text(*name).to_string()));
                    break;
                }
            }
        }
        names
    }

    pub(super) fn lookup_from(&self, mut scope: ScopeId, name: Sym, mut root: Option<NsId>) -> Result<VarId> {
        let is_path = self.program.names.is_path(name);
        loop {
            match self.scopes[scope.0 as usize] {
                Scope::Root(ns) => return self.lookup_global(root.unwrap_or(ns), name, is_path),
                Scope::Block { block, first, parent, is_nested } => {
                    if !is_path && let Some(at) = self.program.variables_of(block).find(name) {
                        return Ok(VarId(first.0 + at));
                    }
                    if is_nested {
                        root = root.or(Some(self.program.ast.block(block).ns));
                    }
                    scope = parent;
                }
                Scope::Namespace { parent, ns } => {
                    root = root.or(Some(ns));
                    scope = parent;
                }
                Scope::Variable { parent, name: own, var } => {
                    if root.is_none() && own == name {
                        return Ok(var);
                    }
                    scope = parent;
                }
                Scope::Instance(id) => {
                    let instance = &self.instances[id.0 as usize];
                    if !is_path && let Some(var) = self.slot(instance, name) {
                        return Ok(var);
                    }
                    return self.lookup_global(root.unwrap_or(instance.root), name, is_path);
                }
            }
        }
    }

    pub(super) fn lookup_global(&self, ns: NsId, name: Sym, is_path: bool) -> Result<VarId> {
        let text = self.program.text(name);
        let (ns, last) = match text.rsplit_once("::") {
            Some((path, last)) if is_path => (self.program.find_namespace(path, ns)?, self.program.names.find(last)),
            _ => (ns, Some(name)),
        };
        let last_text = text.rsplit("::").next().unwrap_or(text);
        let scope = self.ns_scopes.get(ns.0 as usize).copied().flatten();
        if let Some(scope) = scope
            && let Scope::Block { block, first, .. } = self.scopes[scope.0 as usize]
            && let Some(at) = last.and_then(|last| self.program.variables_of(block).find(last))
        {
            return Ok(VarId(first.0 + at));
        }
        let names = self.program.ns(ns).block.map(|block| &self.program.variables_of(block).names);
        let names = names.into_iter().flatten().map(|sym| self.program.text(*sym)).chain(["true", "false", "null"]);
        let mut raise = Raise::new(Class::NotFound, format!("variable {last_text} not found"));
        raise.help = crate::diag::nearest(last_text, names).map(|near| format!("did you mean `{near}`?"));
        Err(raise)
    }
}

/// What to write in place of a word of another language that is read as the name of a variable.
fn foreign_name(name: &str) -> Option<String> {
    const VALUES: [(&str, &str); 6] =
        [("yes", "true"), ("on", "true"), ("no", "false"), ("off", "false"), ("this", "self"), ("where", "when")];
    if let Some((_, ours)) = VALUES.iter().find(|(other, _)| *other == name) {
        return Some(format!("write `{ours}`"));
    }
    Some(match name {
        "return" | "yield" => {
            "a model has no functions: give the value a name, `NAME = VALUE`; what computes is a plugin in Python"
                .into()
        }
        "const" | "let" | "var" | "val" | "final" | "local" | "global" => {
            format!("remove `{name}`: a variable is `NAME = VALUE`, and its value never changes")
        }
        "string" | "int" | "bool" | "float" | "number" | "dict" | "list" => {
            format!("remove `{name}`: a variable is `NAME = VALUE`, without a type")
        }
        "print" | "echo" | "puts" | "println" => "write `std::print(VALUE)`".into(),
        "assert" => "write `std::assert(CONDITION)`".into(),
        "raise" | "throw" => "write `std::assert(CONDITION, \"MESSAGE\")`; only plugins raise exceptions".into(),
        "pass" => "remove `pass`: a block may be empty".into(),
        "new" => "remove `new`: an instance is `ENTITY(ATTRIBUTE=VALUE)`".into(),
        "break" | "continue" => "a loop runs for every element: put an `if` around its statements".into(),
        _ => return None,
    })
}
