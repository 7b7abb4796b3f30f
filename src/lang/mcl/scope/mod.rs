//! Names to declarations: what every variable, call and include of a program refers to.
//!
//! A [`Scope`] is the layout of a frame: a file, a class body, a branch, a loop body, a function. The type checker and
//! the evaluator make frames after these layouts, so that a name is a few hops and a slot and never a string again.
//!
//! The order of statements does not matter, and nothing may refer to itself, however far around: with `$a = $b` and
//! `$b = $a` both references are one diagnostic. Bodies of classes are scoped where they are defined; what is wrong in the
//! body of a class counts only if somebody includes it, except that a recursion through it always does.
//!
//! `files` reads what is imported, `names` holds the names of one scope, `resolve` walks the tree, `cycle` finds recursion.

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

/// A program whose files are read and, as far as it went, whose names are resolved.
#[derive(Debug, Default)]
pub struct Resolved {
    pub ast: Ast,
    pub sources: Sources,
    /// The entry first.
    pub files: Vec<LoadedFile>,
    pub scopes: Scopes,
}

/// Reads the entry alone: stage `parse`.
pub fn load(world: &dyn World, entry: &EntryPoint, stop: &Stop, diags: &mut Diagnostics) -> Resolved {
    let mut files = files::Files::new(world, &[], stop);
    files.load_entry(entry, diags);
    Resolved { ast: files.ast, sources: files.sources, files: files.loaded, scopes: Scopes::default() }
}

/// Reads the entry and all it imports, and resolves every name: stages `parse` and `scope`.
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

/// The same for an entry that is code and ends in an expression; also gives the variable whose value that is.
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

/// The same with what can be understood of a program that is wrong.
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

pub type ScopeId = Idx<Scope>;

/// The layout of a frame.
#[derive(Debug)]
pub struct Scope {
    pub kind: ScopeKind,
    /// The scope around it, lexically. `None` for a file that sees globals only; one that is imported in a block sees what
    /// is around that, and of a class around it the parameters.
    pub parent: Option<ScopeId>,
    pub slots: Vec<Slot>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeKind {
    File(BlockId),
    Class(StmtId),
    /// A branch of an `if` statement, or the body of a loop.
    Block(BlockId),
    Func(StmtId),
    Lambda(ExprId),
}

/// One thing a frame holds or declares.
#[derive(Debug)]
pub struct Slot {
    pub kind: SlotKind,
    /// Slots of the same scope that its definition refers to, also from within lambdas and nested blocks. Acyclic.
    pub uses: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// A `$name = value` statement: evaluated once, when first asked for.
    Bind(StmtId),
    /// The n-th parameter of a function, lambda or class; in a loop 0 is the index or key and 1 the value.
    Param(u32),
    /// An import: the frame of that file, shared by all who import it if there is no scope around it.
    File(ScopeId),
    /// An `include` statement: the frame of the included class's body, made when first asked for.
    Include(StmtId),
    /// A `func` statement; holds nothing at run time.
    Func(StmtId),
    /// A `class` statement; holds nothing at run time.
    Class(StmtId),
}

/// One move from frame to frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hop {
    /// To the n-th frame around this one.
    Up(u32),
    /// Into the frame that a slot holds (`SlotKind::File` or `SlotKind::Include`).
    Enter(u32),
}

/// What a variable refers to.
#[derive(Clone, Debug)]
pub enum VarTarget {
    /// Hops from the frame of the expression, then a slot (`Bind` or `Param`).
    Slot { hops: Box<[Hop]>, scope: ScopeId, slot: u32 },
    /// A variable of the language, such as `$hostname` or `$const.res.file.state.exists`.
    Global(&'static Variable),
}

/// What a call by name refers to.
#[derive(Clone, Debug)]
pub enum CallTarget {
    Builtin(&'static Function),
    /// Hops to the frame in which the `func` statement stands.
    Func {
        hops: Box<[Hop]>,
        func: StmtId,
    },
}

/// What an `include` refers to: hops to the frame in which the `class` statement stands.
#[derive(Clone, Debug)]
pub struct ClassTarget {
    pub hops: Box<[Hop]>,
    pub class: StmtId,
}

/// What scoping learned, beside the tree. Bodies of classes that nobody includes are not in here.
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
