//! Declares a block's definitions with their slots and names, and follows its imports.

use std::mem::take;
use std::path::PathBuf;

use smol_str::SmolStr;

use super::{Around, ClassHome, Here, Resolver};
use crate::diag::{Code, Diagnostic, Diagnostics, Stage, nearest};
use crate::lang::mcl::ast::{BlockId, ImportAlias, Param, Stmt, StmtId, StmtKind};
use crate::lang::mcl::builtin;
use crate::lang::mcl::builtin::native::Native;
use crate::lang::mcl::scope::names::{Alias, Namespace};
use crate::lang::mcl::scope::{ScopeId, ScopeKind, Slot, SlotKind};
use crate::module::{ImportKind, parse_import, unused_url_parts};
use crate::source::Span;

/// How deep imports may nest: each level is a file being resolved while its importer waits.
const IMPORT_DEPTH: usize = 200;

/// From this many files on, one is not read again for another block that imports it.
const COPIES: usize = 2_000;

impl Resolver<'_> {
    /// Gives every defining statement of a block its slot, and loads its imports.
    pub(super) fn declare(&mut self, block: BlockId, here: Here) {
        let stmts = self.files.ast.blocks[block].stmts.clone();
        for stmt in stmts {
            let Stmt { kind, span } = &self.files.ast.stmts[stmt];
            let span = *span;
            match kind {
                StmtKind::Bind { name, .. } => {
                    let name = name.text.clone();
                    self.define(here, stmt, SlotKind::Bind(stmt), Namespace::Variable, name, span);
                }
                StmtKind::Func { name, .. } => {
                    let name = name.text.clone();
                    self.define(here, stmt, SlotKind::Func(stmt), Namespace::Function, name, span);
                }
                StmtKind::Class { path, .. } => {
                    let Some(name) = path.first().map(|n| n.text.clone()) else { continue };
                    self.define(here, stmt, SlotKind::Class(stmt), Namespace::Class, name, span);
                    self.waiting.push(stmt);
                }
                StmtKind::Include { alias, .. } => {
                    let alias = alias.clone();
                    let slot = self.slot(here.scope, SlotKind::Include(stmt));
                    self.scopes.slot_of.insert(stmt, slot);
                    self.include_scope.insert(stmt, here);
                    if let Some(alias) = alias {
                        self.define_alias(here, alias.text, Alias::Include { slot, stmt }, span, "include");
                    }
                }
                StmtKind::Import { name, alias, name_span } => {
                    let (name, alias, name_span) = (name.clone(), alias.clone(), *name_span);
                    if let Some((words, help)) = unused_url_parts(&name) {
                        let warning = Diagnostic::warning(Code::UnheardParameter, name_span);
                        self.units[here.unit].early.push(warning.label(words).help(help));
                    }
                    self.import(here, &name, alias, span);
                }
                _ => {}
            }
        }
        self.number(here.scope, self.scopes.scopes[here.scope].slots.len());
        for class in self.scopes.scopes[here.scope].slots.iter().enumerate() {
            if let (slot, Slot { kind: SlotKind::Class(stmt), .. }) = class {
                let mut owners: Vec<_> = self.owners.iter().map(|owner| self.declaration(*owner)).collect();
                owners.push(self.base[here.scope] + slot as u32);
                self.homes.insert(*stmt, ClassHome { scope: here.scope, file: here.file, owners });
            }
        }
    }

    /// The unit of the file itself.
    fn file_unit(&self, here: Here) -> usize {
        self.file_units.iter().find(|(file, _)| *file == here.file).map_or(here.unit, |(_, unit)| *unit)
    }

    fn slot(&mut self, scope: ScopeId, kind: SlotKind) -> u32 {
        let slots = &mut self.scopes.scopes[scope].slots;
        slots.push(Slot { kind, uses: Vec::new() });
        slots.len() as u32 - 1
    }

    fn define(&mut self, here: Here, stmt: StmtId, kind: SlotKind, space: Namespace, name: SmolStr, span: Span) {
        let slot = self.slot(here.scope, kind);
        self.scopes.slot_of.insert(stmt, slot);
        let names = self.names.entry(here.scope).or_default();
        let Err(before) = names.define(space, name.clone(), slot, span) else { return };
        // A bind may hide a parameter of the class or loop around its block.
        if matches!(self.slot_before(here.scope, before), Some(SlotKind::Param(_))) {
            return;
        }
        let what = match space {
            Namespace::Variable => format!("variable `${name}`"),
            Namespace::Function => format!("function `{name}`"),
            Namespace::Class => format!("class `{name}`"),
        };
        // Reported even for a class that is not included.
        let unit = self.file_unit(here);
        self.units[unit].early.push(
            Diagnostic::error(Code::DuplicateName, span)
                .label(format!("{what} is defined again here"))
                .related(before, "first defined here")
                .help("rename one of them, or define it in an inner block"),
        );
    }

    /// The kind of the slot of a name's span, if it is a parameter's.
    fn slot_before(&self, scope: ScopeId, name: Span) -> Option<SlotKind> {
        let params: &[Param] = match self.scopes.scopes[scope].kind {
            ScopeKind::Class(stmt) => match &self.files.ast.stmts[stmt].kind {
                StmtKind::Class { params, .. } => params,
                _ => return None,
            },
            ScopeKind::Block(_) => {
                // The first two slots of a loop's body are its variables, and their names are before the block.
                let slots = &self.scopes.scopes[scope].slots;
                return slots
                    .first()
                    .map(|s| s.kind)
                    .filter(|k| matches!(k, SlotKind::Param(_)) && self.is_outside(scope, name));
            }
            _ => return None,
        };
        params.iter().position(|p| p.name.span == name).map(|n| SlotKind::Param(n as u32))
    }

    fn is_outside(&self, scope: ScopeId, name: Span) -> bool {
        match self.scopes.scopes[scope].kind {
            ScopeKind::Block(block) => name.start < self.files.ast.blocks[block].span.start,
            _ => false,
        }
    }

    fn define_alias(&mut self, here: Here, name: SmolStr, alias: Alias, span: Span, what: &str) {
        let names = self.names.entry(here.scope).or_default();
        let Err(before) = names.define_alias(name.clone(), alias, span) else { return };
        self.units[here.unit].early.push(
            Diagnostic::error(Code::DuplicateName, span)
                .label(format!("this {what} reuses the name `{name}`"))
                .related(before, "first used here")
                .help(format!("use `as` with another name; a block can use `{name}` only once")),
        );
    }

    fn import(&mut self, here: Here, name: &str, alias: ImportAlias, span: Span) {
        if let Err(before) = self.names.entry(here.scope).or_default().define_import(name.into(), span) {
            self.units[here.unit].early.push(
                Diagnostic::error(Code::DuplicateName, span)
                    .label(format!("`{name}` is imported again"))
                    .related(before, "first imported here")
                    .help("remove one of them"),
            );
            return;
        }
        let parsed = match parse_import(name) {
            Ok(parsed) => parsed,
            Err(reason) => {
                let wrong = Diagnostic::error(Code::InvalidImport, span).label(format!("`{name}`: {reason}"));
                self.units[here.unit]
                    .early
                    .push(wrong.help("import a system module (`fmt`), a file (`x.mcl`), a folder (`x/`) or a URL"));
                return self.name_import(here, alias, SmolStr::default(), Alias::Broken, span);
            }
        };
        let target = match &parsed.kind {
            ImportKind::System(module) if builtin::is_module(module) => {
                let native = builtin::native::native(module).map(|native| self.import_native(here, native, span));
                Alias::System { module: module.into(), native }
            }
            ImportKind::System(module) => {
                let unknown =
                    Diagnostic::error(Code::UnknownImport, span).label(format!("no system module `{module}`"));
                let below = builtin::modules().find(|known| known.rsplit('/').next() == Some(module));
                let help = match below.or_else(|| nearest(module, builtin::modules())) {
                    Some(near) => format!("did you mean `import \"{near}\"`?"),
                    None => format!("import a file as `{module}.mcl`, a folder as `{module}/`"),
                };
                self.units[here.unit].early.push(unknown.help(help));
                Alias::Broken
            }
            kind => self.import_file(here, kind, span),
        };
        self.name_import(here, alias, parsed.alias.into(), target, span);
    }

    /// Makes an import's contents reachable by its name, or without one.
    fn name_import(&mut self, here: Here, alias: ImportAlias, name: SmolStr, target: Alias, span: Span) {
        let name = match alias {
            ImportAlias::None if name.is_empty() => return,
            ImportAlias::None => name,
            ImportAlias::As(name) => name.text,
            ImportAlias::Star => return self.names.entry(here.scope).or_default().stars.push(target),
        };
        let stars = self.names.entry(here.scope).or_default().stars.clone();
        if stars.iter().any(|star| self.star_brings(star, &name, IMPORT_DEPTH)) {
            self.units[here.unit].early.push(
                Diagnostic::error(Code::DuplicateName, span)
                    .label(format!("an earlier import `as *` already defines `{name}`"))
                    .help("remove this import, or use `as` with another name"),
            );
        }
        self.define_alias(here, name, target, span, "import");
    }

    /// Whether an import `as *` brings names that start with `alias.`: its file has such an import itself.
    fn star_brings(&self, star: &Alias, alias: &str, depth: usize) -> bool {
        let Alias::File { scope, .. } = star else { return false };
        let Some(names) = self.names.get(*scope) else { return false };
        let further = || depth > 0 && names.stars.iter().any(|star| self.star_brings(star, alias, depth - 1));
        names.alias(alias).is_some_and(|alias| !matches!(alias, Alias::Broken)) || further()
    }

    fn import_file(&mut self, here: Here, kind: &ImportKind, span: Span) -> Alias {
        let mut diags = Diagnostics::new(Stage::Scope);
        let around = self.around(here.scope);
        let loaded = self.load(here, kind, span, around, &mut diags);
        self.units[here.unit].early.extend(diags.iter().cloned());
        let Some((unit, scope)) = loaded else { return Alias::Broken };
        self.units[here.unit].files.push(unit);
        Alias::File { slot: self.slot(here.scope, SlotKind::File(scope)), scope }
    }

    /// The names that a file sees if it is imported in a scope.
    fn around(&self, scope: ScopeId) -> Option<Around> {
        match self.scopes.scopes[scope].kind {
            ScopeKind::Class(_) => Some(Around { scope, params_only: true }),
            ScopeKind::File(_) => self.arounds.get(&scope).copied(),
            _ => self.scopes.scopes[scope].parent.map(|scope| Around { scope, params_only: false }),
        }
    }

    /// Imports the mcl part of a built-in module.
    fn import_native(&mut self, here: Here, native: &'static Native, span: Span) -> (u32, ScopeId) {
        let path = PathBuf::from(native.file_name());
        let (unit, scope) = match self.by_path.get(&(path.clone(), None)) {
            Some(there) => *there,
            None => {
                let mut diags = Diagnostics::new(Stage::Scope);
                let file = self.files.load_native(native, span, &mut diags);
                self.units[here.unit].early.extend(diags.iter().cloned());
                self.walk_file(path, file, None)
            }
        };
        self.units[here.unit].files.push(unit);
        (self.slot(here.scope, SlotKind::File(scope)), scope)
    }

    fn load(
        &mut self,
        here: Here,
        kind: &ImportKind,
        span: Span,
        around: Option<Around>,
        diags: &mut Diagnostics,
    ) -> Option<(usize, ScopeId)> {
        let target = self.files.locate(here.file, kind, span, diags)?;
        let path = target.path.clone();
        if let Some(there) = self.by_path.get(&(path.clone(), around)) {
            return Some(*there);
        }
        if self.loading.contains(&path) {
            diags.push(
                Diagnostic::error(Code::ImportCycle, span)
                    .label(format!("`{}` already imports this file", path.display()))
                    .help("move the common part to a third file that imports neither"),
            );
            return None;
        }
        if self.depth >= IMPORT_DEPTH {
            let deep = Diagnostic::error(Code::NestedTooDeep, span)
                .label(format!("imports are nested {IMPORT_DEPTH} levels deep"));
            diags.push(deep.help("import modules directly instead of through a chain of files"));
            return None;
        }
        if around.is_some() && self.files.loaded.len() >= COPIES {
            let much = Diagnostic::error(Code::TooComplex, span).label(format!(
                "more than {COPIES} imported files (a file counts once for each block that imports it)"
            ));
            diags.push(much.help("import it once, at the top of the file"));
            return None;
        }
        let file = self.files.load_import(target, span, diags).filter(|_| !diags.has_errors())?;
        Some(self.walk_file(path, file, around))
    }

    /// Resolves an imported file, and records it.
    fn walk_file(&mut self, path: PathBuf, file: usize, around: Option<Around>) -> (usize, ScopeId) {
        // The importer waits: its owners and its class bodies do not belong to this file.
        let owners = take(&mut self.owners);
        let waiting = take(&mut self.waiting);
        self.loading.push(path.clone());
        self.depth += 1;
        let done = self.file(file, around);
        self.depth -= 1;
        self.loading.pop();
        self.owners = owners;
        self.waiting = waiting;
        self.by_path.insert((path, around), done);
        done
    }
}
