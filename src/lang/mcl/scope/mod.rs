//! Resolves names: the declaration of every variable, call and include of a program.
//!
//! A [`Scope`] is the layout of a frame: a file, a class body, a branch, a loop body, a function. The type checker and
//! the evaluator make frames with these layouts, so that a name is a few hops and a slot and never a string again.
//!
//! The order of statements does not matter, and nothing may refer to itself, however indirectly: with `$a = $b` and `$b
//! = $a` both references are one diagnostic. Bodies of classes are scoped at their definition; errors in the body of a
//! class count only if it is included, except that a recursion through it always does.
//!
//! `files` reads imports, `names` has the names of one scope, `resolve` walks the tree, `cycle` finds recursion.

mod cycle;
mod files;
mod names;
mod resolve;

use std::path::PathBuf;

use la_arena::{Arena, ArenaMap, Idx};

use super::ast::{Ast, BlockId, ExprId, StmtId};
use super::builtin::{Function, Variable};
use crate::diag::Diagnostics;
use crate::module::EntryPoint;
use crate::source::Sources;
use crate::world::{Stop, World};

pub use files::LoadedFile;

/// A program whose files are parsed and, as far as possible, whose names are resolved.
#[derive(Debug, Default)]
pub struct Resolved {
    pub ast: Ast,
    pub sources: Sources,
    /// The entry first.
    pub files: Vec<LoadedFile>,
    pub scopes: Scopes,
}

/// Parses the entry alone: stage `parse`.
pub fn load(world: &dyn World, entry: &EntryPoint, stop: &Stop, diags: &mut Diagnostics) -> Resolved {
    let mut files = files::Files::new(world, &[], stop);
    files.load_entry(entry, diags);
    Resolved { ast: files.ast, sources: files.sources, files: files.loaded, scopes: Scopes::default() }
}

/// Parses the entry and all its imports, and resolves every name: stages `parse` and `scope`.
pub fn resolve(
    world: &dyn World,
    entry: &EntryPoint,
    module_path: &[PathBuf],
    stop: &Stop,
    diags: &mut Diagnostics,
) -> Resolved {
    let mut files = files::Files::new(world, module_path, stop);
    let Some(first) = files.load_entry(entry, diags).filter(|_| !diags.has_errors()) else {
        return Resolved { ast: files.ast, sources: files.sources, files: files.loaded, scopes: Scopes::default() };
    };
    diags.enter(crate::diag::Stage::Scope);
    resolve::run(files, first, diags)
}

/// The same for an entry that is code and ends in an expression; also returns the variable with its value.
pub fn resolve_asked(
    world: &dyn World,
    entry: &EntryPoint,
    module_path: &[PathBuf],
    stop: &Stop,
    diags: &mut Diagnostics,
) -> (Resolved, Option<ExprId>) {
    let mut files = files::Files::new(world, module_path, stop);
    let Some((first, asked)) = files.load_asked(entry, diags).filter(|_| !diags.has_errors()) else {
        let (ast, sources, files) = (files.ast, files.sources, files.loaded);
        return (Resolved { ast, sources, files, scopes: Scopes::default() }, None);
    };
    diags.enter(crate::diag::Stage::Scope);
    (resolve::run(files, first, diags), Some(asked))
}

/// The same for a program with errors, as far as possible.
pub fn resolve_anyway(
    world: &dyn World,
    entry: &EntryPoint,
    path: &[PathBuf],
    stop: &Stop,
    diags: &mut Diagnostics,
) -> Resolved {
    let mut files = files::Files::new(world, path, stop);
    match files.load_entry(entry, diags) {
        Some(first) => resolve::run(files, first, diags),
        None => Resolved::default(),
    }
}

/// The id of a scope, unique in the program.
pub type ScopeId = Idx<Scope>;

/// The layout of a frame.
#[derive(Debug)]
pub struct Scope {
    pub kind: ScopeKind,
    /// The enclosing scope, lexically. `None` for a file that only sees globals; one that is imported in a block sees
    /// the surrounding names, and of a class around it the parameters.
    pub parent: Option<ScopeId>,
    pub slots: Vec<Slot>,
}

/// The part of a program that opens a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeKind {
    File(BlockId),
    Class(StmtId),
    /// A branch of an `if` statement, or the body of a loop.
    Block(BlockId),
    Func(StmtId),
    Lambda(ExprId),
}

/// One slot or declaration of a frame.
#[derive(Debug)]
pub struct Slot {
    pub kind: SlotKind,
    /// Slots of the same scope that its definition refers to, also from within lambdas and nested blocks. Acyclic.
    pub uses: Vec<u32>,
}

/// The declaration that fills a slot of a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// A `$name = value` statement: evaluated once, on first use.
    Bind(StmtId),
    /// The n-th parameter of a function, lambda or class; in a loop 0 is the index or key and 1 the value.
    Param(u32),
    /// An import: the frame of that file, shared by all importers unless it has an enclosing scope.
    File(ScopeId),
    /// An `include` statement: the frame of the included class's body, made on first use.
    Include(StmtId),
    /// A `func` statement; empty at run time.
    Func(StmtId),
    /// A `class` statement; empty at run time.
    Class(StmtId),
}

/// One hop between frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hop {
    /// To the n-th enclosing frame.
    Up(u32),
    /// Into the frame in a slot (`SlotKind::File` or `SlotKind::Include`).
    Enter(u32),
}

/// The target of a variable.
#[derive(Clone, Debug)]
pub enum VarTarget {
    /// Hops from the frame of the expression, then a slot (`Bind` or `Param`).
    Slot { hops: Box<[Hop]>, scope: ScopeId, slot: u32 },
    /// A variable of the language, such as `$hostname` or `$const.res.file.state.exists`.
    Global(&'static Variable),
}

/// The target of a call by name.
#[derive(Clone, Debug)]
pub enum CallTarget {
    Builtin(&'static Function),
    /// Hops to the frame of the `func` statement.
    Func {
        hops: Box<[Hop]>,
        func: StmtId,
    },
}

/// The target of an `include`: hops to the frame of the `class` statement.
#[derive(Clone, Debug)]
pub struct ClassTarget {
    pub hops: Box<[Hop]>,
    pub class: StmtId,
}

/// The results of scoping, beside the tree. Bodies of classes that are not included are not in here.
#[derive(Debug, Default)]
pub struct Scopes {
    pub scopes: Arena<Scope>,
    /// The scope of the entry file.
    pub entry: Option<ScopeId>,
    /// Files, class bodies, branches and loop bodies.
    pub of_block: ArenaMap<BlockId, ScopeId>,
    pub of_func: ArenaMap<StmtId, ScopeId>,
    pub of_lambda: ArenaMap<ExprId, ScopeId>,
    /// For `Var` and `CallVar` expressions.
    pub vars: ArenaMap<ExprId, VarTarget>,
    /// For `Call` expressions.
    pub calls: ArenaMap<ExprId, CallTarget>,
    /// For `Include` statements.
    pub includes: ArenaMap<StmtId, ClassTarget>,
    /// The slot of a `Bind`, `Include`, `Func` or `Class` statement in its scope.
    pub slot_of: ArenaMap<StmtId, u32>,
}
