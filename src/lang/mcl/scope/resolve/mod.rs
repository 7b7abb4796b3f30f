//! The walk over a program: declares the names of every block, follows imports, and resolves each reference.

mod declare;
mod report;
mod search;
mod suggest;

use std::path::PathBuf;

use la_arena::ArenaMap;
use rustc_hash::FxHashMap;

use super::cycle::References;
use super::files::Files;
use super::names::{Names, Namespace, Target};
use super::{CallTarget, ClassTarget, Hop, Resolved, Scope, ScopeId, ScopeKind, Scopes, Slot, SlotKind, VarTarget};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::lang::mcl::ast::{
    BlockId, Dotted, EdgeHalf, ExprId, ExprKind, ItemKind, Name, ResourceItem, StmtId, StmtKind,
};
use crate::lang::stopped;
use crate::source::Span;
use crate::world::Stopped;

/// Steps of the walk between two checks for cancellation.
const LOOK_EVERY: usize = 1 << 12;

/// A declaration: a slot of a scope, numbered over the whole program.
type Declaration = u32;

/// A file or a class body: its errors are reported only if it is used.
#[derive(Default)]
struct Unit {
    /// Errors of declarations: imports and double definitions.
    early: Vec<Diagnostic>,
    late: Vec<Diagnostic>,
    /// Imported files, in order.
    files: Vec<usize>,
    /// Included classes, in order.
    classes: Vec<StmtId>,
}

/// The surroundings that a file sees if it is imported in a block.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Around {
    scope: ScopeId,
    /// Imported directly in the body of a class it sees the parameters, but not the body.
    params_only: bool,
}

/// The position of the walk.
#[derive(Clone, Copy)]
struct Here {
    scope: ScopeId,
    unit: usize,
    file: usize,
}

/// A class whose body is not resolved yet.
struct ClassHome {
    scope: ScopeId,
    file: usize,
    owners: Vec<Declaration>,
}

enum IncludeState {
    Working,
    Done(Option<ClassTarget>),
}

struct Resolver<'a> {
    files: Files<'a>,
    scopes: Scopes,
    names: ArenaMap<ScopeId, Names>,
    /// The number of a scope's first slot.
    base: ArenaMap<ScopeId, Declaration>,
    declarations: Declaration,
    references: References,
    /// The enclosing declarations of the walk, outermost first.
    owners: Vec<(ScopeId, u32)>,
    units: Vec<Unit>,
    /// Unit and scope of each path, for each of its surroundings.
    by_path: FxHashMap<(PathBuf, Option<Around>), (usize, ScopeId)>,
    /// The surroundings of files that are imported in blocks.
    arounds: FxHashMap<ScopeId, Around>,
    /// The files being resolved, each imported by the one before.
    loading: Vec<PathBuf>,
    file_units: Vec<(usize, usize)>,
    homes: FxHashMap<StmtId, ClassHome>,
    class_units: FxHashMap<StmtId, usize>,
    class_scopes: FxHashMap<StmtId, ScopeId>,
    /// The scope of each `include`, for those that are used before they are walked.
    include_scope: FxHashMap<StmtId, Here>,
    include_state: FxHashMap<StmtId, IncludeState>,
    waiting: Vec<StmtId>,
    depth: usize,
    /// Statements and expressions walked.
    walked: usize,
    /// Why and where the walk was cancelled.
    stopped: Option<(Stopped, Span)>,
}

/// Resolves the program that starts with a loaded file.
pub fn run(files: Files, first: usize, diags: &mut Diagnostics) -> Resolved {
    let mut resolver = Resolver {
        files,
        scopes: Scopes::default(),
        names: ArenaMap::default(),
        base: ArenaMap::default(),
        declarations: 0,
        references: References::default(),
        owners: Vec::new(),
        units: Vec::new(),
        by_path: FxHashMap::default(),
        arounds: FxHashMap::default(),
        loading: Vec::new(),
        file_units: Vec::new(),
        homes: FxHashMap::default(),
        class_units: FxHashMap::default(),
        class_scopes: FxHashMap::default(),
        include_scope: FxHashMap::default(),
        include_state: FxHashMap::default(),
        waiting: Vec::new(),
        depth: 0,
        walked: 0,
        stopped: None,
    };
    if let Some(path) = resolver.files.sources.file(resolver.files.loaded[first].tree.file).path.clone() {
        resolver.loading.push(crate::module::clean(&path));
    }
    let (unit, scope) = resolver.file(first, None);
    resolver.scopes.entry = Some(scope);
    match resolver.stopped {
        Some((why, at)) => diags.push(stopped(why, at)),
        None => resolver.report(unit, diags),
    }
    let Resolver { files, scopes, names, base, references, units, .. } = resolver;
    files.stop.release((names, base, references, units));
    Resolved { ast: files.ast, sources: files.sources, files: files.loaded, scopes }
}

impl Resolver<'_> {
    /// Resolves a loaded file and every class body in it. A file imported in a block sees the surrounding names.
    fn file(&mut self, file: usize, around: Option<Around>) -> (usize, ScopeId) {
        let body = self.files.loaded[file].tree.body;
        let unit = self.unit();
        self.file_units.push((file, unit));
        let scope = self.scope(ScopeKind::File(body), around.map(|around| around.scope), &[]);
        self.arounds.extend(around.map(|around| (scope, around)));
        let here = Here { scope, unit, file };
        self.scopes.of_block.insert(body, scope);
        self.declare(body, here);
        self.block(body, here);
        while let Some(class) = self.waiting.pop() {
            self.class_body(class);
        }
        (unit, scope)
    }

    fn unit(&mut self) -> usize {
        self.units.push(Unit::default());
        self.units.len() - 1
    }

    /// Makes a scope, with parameters so far.
    fn scope(&mut self, kind: ScopeKind, parent: Option<ScopeId>, params: &[&Name]) -> ScopeId {
        let slots = (0..params.len()).map(|n| Slot { kind: SlotKind::Param(n as u32), uses: Vec::new() }).collect();
        let scope = self.scopes.scopes.alloc(Scope { kind, parent, slots });
        let mut names = Names::default();
        for (n, param) in params.iter().enumerate() {
            // A second parameter of one name hides the first, as in the reference.
            let _ = names.define(Namespace::Variable, param.text.clone(), n as u32, param.span);
        }
        self.names.insert(scope, names);
        self.number(scope, params.len());
        scope
    }

    /// Gives a scope's declarations their numbers, once all of its slots are there.
    fn number(&mut self, scope: ScopeId, slots: usize) {
        self.base.insert(scope, self.declarations);
        self.declarations += slots as u32;
    }

    fn declaration(&self, (scope, slot): (ScopeId, u32)) -> Declaration {
        self.base[scope] + slot
    }

    fn block(&mut self, block: BlockId, here: Here) {
        for at in 0..self.files.ast.blocks[block].stmts.len() {
            let stmt = self.files.ast.blocks[block].stmts[at];
            if self.has_to_stop(self.files.ast.stmts[stmt].span) {
                return;
            }
            match &self.files.ast.stmts[stmt].kind {
                // A class's body is resolved at the end of the file, as a unit of its own.
                StmtKind::Class { .. } | StmtKind::Import { .. } => {}
                StmtKind::Bind { value, .. } => {
                    let value = *value;
                    self.within(stmt, here, |this| this.expr(value, here));
                }
                // May be used earlier, by a name below its alias: it stays in its place.
                StmtKind::Include { class, args, .. } => {
                    let (class, args) = (class.clone(), args.clone());
                    self.within(stmt, here, |this| {
                        this.exprs(&args, here);
                        this.include(stmt, &class, args.len(), here);
                    });
                }
                _ => {
                    // Taken out during the walk, which needs the rest of the tree mutably.
                    let gone = StmtKind::Panic { args: Vec::new() };
                    let kind = std::mem::replace(&mut self.files.ast.stmts[stmt].kind, gone);
                    self.stmt(stmt, &kind, here);
                    self.files.ast.stmts[stmt].kind = kind;
                }
            }
        }
    }

    /// Counts a step, and checks for cancellation at intervals.
    fn has_to_stop(&mut self, at: Span) -> bool {
        self.walked += 1;
        if self.walked.is_multiple_of(LOOK_EVERY) && self.stopped.is_none() {
            self.stopped = self.files.stop.reached().map(|why| (why, at));
        }
        self.stopped.is_some()
    }

    fn stmt(&mut self, stmt: StmtId, kind: &StmtKind, here: Here) {
        match kind {
            StmtKind::If { condition, then, else_part } => {
                self.expr(*condition, here);
                self.inner_block(*then, &[], here);
                if let Some(else_part) = else_part {
                    self.inner_block(*else_part, &[], here);
                }
            }
            StmtKind::For { index: key, value, list: all, body } | StmtKind::ForKv { key, value, map: all, body } => {
                self.expr(*all, here);
                self.inner_block(*body, &[key, value], here);
            }
            StmtKind::Func { params, body, .. } => {
                let names: Vec<_> = params.iter().map(|p| &p.name).collect();
                let scope = self.scope(ScopeKind::Func(stmt), Some(here.scope), &names);
                self.scopes.of_func.insert(stmt, scope);
                self.within(stmt, here, |this| this.expr(*body, Here { scope, ..here }));
            }
            StmtKind::Class { .. } | StmtKind::Import { .. } | StmtKind::Bind { .. } | StmtKind::Include { .. } => {}
            StmtKind::Panic { args } => self.exprs(args, here),
            StmtKind::Resource(resource) | StmtKind::Collect(resource) => {
                self.resource_name(resource.name, here);
                resource.items.iter().for_each(|item| self.item(item, here));
            }
            StmtKind::Edge { halves } => halves.iter().for_each(|half| self.half(half, here)),
        }
    }

    /// Walks with a statement's slot among the owners.
    fn within(&mut self, stmt: StmtId, here: Here, walk: impl FnOnce(&mut Self)) {
        let Some(slot) = self.scopes.slot_of.get(stmt).copied() else { return walk(self) };
        self.owners.push((here.scope, slot));
        walk(self);
        self.owners.pop();
    }

    fn inner_block(&mut self, block: BlockId, params: &[&Name], here: Here) {
        let scope = self.scope(ScopeKind::Block(block), Some(here.scope), params);
        self.scopes.of_block.insert(block, scope);
        let here = Here { scope, ..here };
        self.declare(block, here);
        self.block(block, here);
    }

    fn item(&mut self, item: &ResourceItem, here: Here) {
        if let Some(condition) = item.condition {
            self.expr(condition, here);
        }
        match &item.kind {
            ItemKind::Field { value, .. } | ItemKind::Meta { value, .. } | ItemKind::MetaStruct { value } => {
                self.expr(*value, here)
            }
            ItemKind::Edge { half, .. } => self.half(half, here),
        }
    }

    fn half(&mut self, half: &EdgeHalf, here: Here) {
        self.expr(half.name, here);
    }

    fn expr(&mut self, expr: ExprId, here: Here) {
        let span = self.files.ast.exprs[expr].span;
        if self.has_to_stop(span) {
            return;
        }
        // Taken out during the walk, which needs the rest of the tree mutably; no expression is visited twice.
        let kind = std::mem::replace(&mut self.files.ast.exprs[expr].kind, ExprKind::Broken);
        match &kind {
            ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Broken => {}
            ExprKind::Str(text) => self.find_plain_dollar(text, span, here),
            ExprKind::Interpolated(items) | ExprKind::List(items) => self.exprs(items, here),
            ExprKind::Map(pairs) => pairs.iter().for_each(|(key, value)| self.exprs(&[*key, *value], here)),
            ExprKind::Struct(fields) => fields.iter().for_each(|(_, value)| self.expr(*value, here)),
            ExprKind::Call { func, args } => {
                self.exprs(args, here);
                self.call(expr, func, span, here);
            }
            ExprKind::CallVar { func, args } => {
                self.exprs(args, here);
                self.variable(expr, func, here);
            }
            ExprKind::CallLambda { func, args } => {
                self.exprs(args, here);
                self.expr(*func, here);
            }
            ExprKind::Var(name) => self.variable(expr, name, here),
            ExprKind::Lambda { params, body, .. } => {
                let names: Vec<_> = params.iter().map(|p| &p.name).collect();
                let scope = self.scope(ScopeKind::Lambda(expr), Some(here.scope), &names);
                self.scopes.of_lambda.insert(expr, scope);
                self.expr(*body, Here { scope, ..here });
            }
            ExprKind::If { condition, then, else_part } => self.exprs(&[*condition, *then, *else_part], here),
            ExprKind::Binary { left, right, .. } => self.exprs(&[*left, *right], here),
            ExprKind::Index { value, index } => self.exprs(&[*value, *index], here),
            ExprKind::Except { value, default } | ExprKind::FieldOr { value, default, .. } => {
                self.exprs(&[*value, *default], here);
            }
            ExprKind::Not(inner) | ExprKind::Paren(inner) | ExprKind::Field { value: inner, .. } => {
                self.expr(*inner, here)
            }
        }
        self.files.ast.exprs[expr].kind = kind;
    }

    fn exprs(&mut self, exprs: &[ExprId], here: Here) {
        for expr in exprs {
            self.expr(*expr, here);
        }
    }

    fn variable(&mut self, expr: ExprId, name: &Dotted, here: Here) {
        match self.find(here.scope, &name.text, Namespace::Variable) {
            Some(Target::Slot { hops, scope, slot }) => {
                self.refer((scope, slot), &hops, here, name.span);
                self.scopes.vars.insert(expr, VarTarget::Slot { hops: hops.into(), scope, slot });
            }
            Some(Target::Variable(variable)) => {
                self.scopes.vars.insert(expr, VarTarget::Global(variable));
            }
            Some(Target::Function(_) | Target::Broken) => {}
            None => {
                let label = format!("`${}` is not defined here", name.text);
                self.unknown(
                    here,
                    Diagnostic::error(Code::UnknownVariable, name.span).label(label),
                    name,
                    Namespace::Variable,
                );
            }
        }
    }

    fn call(&mut self, expr: ExprId, name: &Dotted, span: Span, here: Here) {
        match self.find(here.scope, &name.text, Namespace::Function) {
            Some(Target::Slot { hops, scope, slot }) => {
                self.refer((scope, slot), &hops, here, span);
                let SlotKind::Func(func) = self.scopes.scopes[scope].slots[slot as usize].kind else { return };
                self.scopes.calls.insert(expr, CallTarget::Func { hops: hops.into(), func });
            }
            Some(Target::Function(function)) => {
                self.scopes.calls.insert(expr, CallTarget::Builtin(function));
            }
            Some(Target::Variable(_) | Target::Broken) => {}
            None => {
                let label = format!("no function `{}` here", name.text);
                self.unknown(
                    here,
                    Diagnostic::error(Code::UnknownFunction, span).label(label),
                    name,
                    Namespace::Function,
                );
            }
        }
    }

    fn include(&mut self, stmt: StmtId, name: &Dotted, args: usize, here: Here) {
        let span = self.files.ast.stmts[stmt].span;
        let Some(target) = self.include_target(stmt) else {
            if self.find_class(here.scope, &name.text).is_none() {
                let label = format!("no class `{}` here", name.text);
                self.unknown(here, Diagnostic::error(Code::UnknownClass, span).label(label), name, Namespace::Class);
            }
            return;
        };
        if let Some(home) = self.homes.get(&target.class) {
            let slot = self.scopes.slot_of[target.class];
            self.refer((home.scope, slot), &target.hops, here, span);
        }
        self.units[here.unit].classes.push(target.class);
        let class = &self.files.ast.stmts[target.class];
        let StmtKind::Class { params, path, .. } = &class.kind else { return };
        if params.len() != args {
            let wrong = Diagnostic::error(Code::ArgumentCount, span)
                .label(format!("{args} given, but class `{}` takes {}", name.text, params.len()))
                .related(path.last().map_or(class.span, |name| name.span), "defined here")
                .help(match params.is_empty() {
                    true => format!("write `include {}`", name.text),
                    false => {
                        let names: Vec<String> = params.iter().map(|param| format!("${}", param.name.text)).collect();
                        format!("give every parameter a value, in order: `include {}({})`", name.text, names.join(", "))
                    }
                });
            self.units[here.unit].late.push(wrong);
        }
        self.scopes.includes.insert(stmt, target);
    }

    /// The class of an `include`, even before the walk reaches it.
    fn include_target(&mut self, stmt: StmtId) -> Option<ClassTarget> {
        match self.include_state.get(&stmt) {
            Some(IncludeState::Done(target)) => return target.clone(),
            Some(IncludeState::Working) => {
                let (here, span) = (*self.include_scope.get(&stmt)?, self.files.ast.stmts[stmt].span);
                let itself = self.base[here.scope] + self.scopes.slot_of[stmt];
                self.references.add(itself, itself, span);
                return None;
            }
            None => {}
        }
        self.include_state.insert(stmt, IncludeState::Working);
        let scope = self.include_scope.get(&stmt)?.scope;
        let StmtKind::Include { class, .. } = &self.files.ast.stmts[stmt].kind else { return None };
        let name = class.text.clone();
        let target = match self.find(scope, &name, Namespace::Class) {
            Some(Target::Slot { hops, scope, slot }) => match self.scopes.scopes[scope].slots[slot as usize].kind {
                SlotKind::Class(class) => Some(ClassTarget { hops: hops.into(), class }),
                _ => None,
            },
            _ => None,
        };
        self.include_state.insert(stmt, IncludeState::Done(target.clone()));
        target
    }

    fn find_class(&mut self, scope: ScopeId, name: &str) -> Option<Target> {
        self.find(scope, name, Namespace::Class)
    }

    /// The scope of a class's body, declared on first use.
    fn class_scope(&mut self, class: StmtId) -> Option<ScopeId> {
        if let Some(scope) = self.class_scopes.get(&class) {
            return Some(*scope);
        }
        let home = self.homes.get(&class)?;
        let (parent, file) = (home.scope, home.file);
        let StmtKind::Class { params, body, .. } = &self.files.ast.stmts[class].kind else { return None };
        let names: Vec<_> = params.iter().map(|p| p.name.clone()).collect();
        let names: Vec<_> = names.iter().collect();
        let body = *body;
        let scope = self.scope(ScopeKind::Class(class), Some(parent), &names);
        self.class_scopes.insert(class, scope);
        self.scopes.of_block.insert(body, scope);
        let unit = self.unit();
        self.class_units.insert(class, unit);
        // Owners of declarations in here are found through `homes`; the walk that needs it is elsewhere.
        let owners = std::mem::take(&mut self.owners);
        self.declare(body, Here { scope, unit, file });
        self.owners = owners;
        Some(scope)
    }

    fn class_body(&mut self, class: StmtId) {
        let Some(scope) = self.class_scope(class) else { return };
        let (Some(unit), Some(home)) = (self.class_units.get(&class).copied(), self.homes.get(&class)) else { return };
        let here = Here { scope, unit, file: home.file };
        let StmtKind::Class { body, .. } = self.files.ast.stmts[class].kind else { return };
        let slot = self.scopes.slot_of[class];
        let owners = std::mem::replace(&mut self.owners, vec![(home.scope, slot)]);
        self.block(body, here);
        self.owners = owners;
    }

    /// Records that every owner of the walk refers to a declaration.
    fn refer(&mut self, target: (ScopeId, u32), hops: &[Hop], here: Here, span: Span) {
        // A name behind an alias also needs the alias.
        if let Some(through) = self.first_entered(hops, here.scope) {
            self.refer_to(through, span);
        }
        if !matches!(self.scopes.scopes[target.0].slots[target.1 as usize].kind, SlotKind::Param(_)) {
            self.refer_to(target, span);
        }
    }

    fn refer_to(&mut self, target: (ScopeId, u32), span: Span) {
        let to = self.declaration(target);
        for at in 0..self.owners.len() {
            let owner = self.owners[at];
            self.references.add(self.declaration(owner), to, span);
            if owner.0 == target.0 && owner.1 != target.1 {
                let uses = &mut self.scopes.scopes[owner.0].slots[owner.1 as usize].uses;
                if uses.last() != Some(&target.1) {
                    uses.push(target.1);
                }
            }
        }
        // A class inside a class: the outer one has the references of the inner one.
        if let Some(SlotKind::Class(class)) =
            self.owners.first().map(|(s, n)| self.scopes.scopes[*s].slots[*n as usize].kind)
        {
            for outer in self.homes.get(&class).map(|home| home.owners.clone()).unwrap_or_default() {
                self.references.add(outer, to, span);
            }
        }
    }

    /// The first slot on the way through which a frame is entered.
    fn first_entered(&self, hops: &[Hop], mut scope: ScopeId) -> Option<(ScopeId, u32)> {
        for hop in hops {
            match hop {
                Hop::Up(n) => {
                    for _ in 0..*n {
                        scope = self.scopes.scopes[scope].parent?;
                    }
                }
                Hop::Enter(slot) => return Some((scope, *slot)),
            }
        }
        None
    }
}
