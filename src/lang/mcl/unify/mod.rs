//! Unification: type equations of a program, solved; every type error shows both places its two types come from.
//!
//! Comes in: trees and scopes. Goes out: the types that evaluation cannot do without. Deliberately absent: coercion,
//! subtypes, and any look at the outside.
//!
//! # How it works
//!
//! Every expression gets a type, which may be a *variable*; every construct of the language says which of these types
//! are one and the same, and [`term::Terms`] makes them so. What is left unknown in the end is ambiguous.
//!
//! Definitions are checked where they are used, not where they are written. A bind is checked when something first asks for
//! it, and has one type from then on. The body of a `func` is checked again for every call, and that of a class for every
//! `include`: each such check is an instance, with a frame of its own in which the same tree finds other types. Nothing
//! is copied but the frame. So this is accepted, one call of `twice` being about `int` and the other about `str`:
//!
//! ```text
//! func twice($x) { $x + $x }
//! $n = twice(21)
//! $s = twice("ab")
//! ```
//!
//! whereas a function in a variable has one type, and this is refused at the lambda, where the two uses meet:
//!
//! ```text
//! $twice = func($x) { $x + $x }
//! $n = $twice(21)
//! $s = $twice("ab")
//! ```
//!
//! Some constructs can only say what they mean once a type is known: which field `$s->x` is, whether `$c[0]` looks into
//! a list or a map, whether `+` adds what it is given, which form of a built-in function a call means. They become tasks
//! that wait for a variable ([`task`]), woken when it becomes known.
//!
//! No input may take the stack or the day: binds that use each other are checked from a list, not by recursion
//! ([`Solver::force`]); what does recurse is counted and capped, and so are steps and errors.

mod builtin;
mod call;
mod convert;
mod describe;
mod edge;
mod explain;
mod expr;
mod force;
mod frame;
mod known;
mod printf;
mod remedy;
mod resource;
mod signature;
mod stmt;
mod task;
mod term;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

pub use self::describe::{Subject, describe};
use self::explain::Spots;
use self::frame::{FrameId, Frames};
use self::known::StaticValue;
use self::signature::{Pattern, Signature};
use self::task::Task;
use self::term::{Term, Terms, Ty};
use super::ast::{Ast, ExprId, StmtId};
use super::scope::{ScopeId, ScopeKind, Scopes};
use super::types::Type;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::lang::Budget;
use crate::lang::stopped;
use crate::source::{Sources, Span};
use crate::world::Stop;

/// One check of a file, a function body or a class body with its own types. All files together are instance 0: each is
/// checked once, and no expression is in two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct InstanceId(pub u32);

/// The origin of an instance within another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Site {
    /// A `Call` of a `func` statement.
    Call(ExprId),
    Include(StmtId),
}

/// The types that evaluation needs: only those of calls whose function gets its result's type
/// ([`super::builtin::Typing::ByResult`]).
#[derive(Debug, Default)]
pub struct Types {
    /// Omitted if nothing below needs a type.
    pub children: FxHashMap<(InstanceId, Site), InstanceId>,
    pub results: FxHashMap<(InstanceId, ExprId), Arc<Type>>,
}

/// The limits of solving.
pub struct Limits {
    /// Steps: visited expressions, over all instances, and parts of types. A program may take this many, and fifty more
    /// for each of its expressions.
    pub steps: u64,
    /// The nesting limit of checks: each expression, block and body counts one. Takes about 1 KiB of stack each.
    pub depth: u32,
    /// Cancels it from outside.
    pub stop: Stop,
    /// A parameter of a resource whose type is requested: it will be among the results.
    pub asked: Option<ExprId>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 5_000_000, depth: 10_000, stop: Stop::default(), asked: None }
    }
}

impl Limits {
    /// Converts the user's limits; the depth is at most the default, because of the size of the stack.
    pub fn of(limits: &crate::lang::Limits) -> Self {
        let depth = u32::try_from(limits.depth).unwrap_or(u32::MAX);
        let most = Self::default();
        // A deeper limit would need more stack than there is.
        Self { steps: (limits.steps / 4).max(1), depth: depth.min(most.depth), ..most }
    }
}

/// More errors than this are not reported.
const ERRORS: usize = 100;

/// Finds the types of a program, starting at its entry file.
pub fn solve(ast: &Ast, scopes: &Scopes, sources: &Sources, limits: &Limits, diags: &mut Diagnostics) -> Types {
    let Some(entry) = scopes.entry else { return Types::default() };
    let mut solver = Solver::new(ast, scopes, sources, limits, diags);
    let frame = solver.file(entry);
    if let ScopeKind::File(body) = scopes.scopes[entry].kind {
        solver.check_block(body, frame);
    }
    solver.finish()
}

/// The state of one run.
struct Solver<'a> {
    ast: &'a Ast,
    scopes: &'a Scopes,
    sources: &'a Sources,
    limits: &'a Limits,
    diags: &'a mut Diagnostics,
    /// How many errors there were before this stage.
    first_error: usize,
    terms: Terms,
    frames: Frames,
    files: FxHashMap<ScopeId, FrameId>,
    spots: Spots,
    /// The type of an expression whose type has no parts: the same in every instance.
    plain: Vec<Option<Ty>>,
    notes: FxHashMap<Span, Ty>,
    signatures: FxHashMap<usize, Arc<[Signature]>>,
    variables: FxHashMap<&'static str, Option<Pattern>>,
    /// The known values of variables.
    values: FxHashMap<(FrameId, u32), Option<StaticValue>>,
    /// Whether a variable is known to be text.
    texts: FxHashMap<(FrameId, u32), bool>,
    /// Expressions with an incomplete type when they were checked.
    open: Vec<(ExprId, Ty)>,
    /// Calls whose function needs its result's type.
    results: Vec<(InstanceId, ExprId, Ty)>,
    tasks: Vec<Option<Task>>,
    /// Tasks for the very end: the reference reports their errors last.
    late: Vec<Task>,
    /// Resources that set a meta parameter twice, which only counts if all types are right.
    twice: Vec<Diagnostic>,
    depth: u32,
    /// The current instance: an error in it is reported with its call or `include`.
    instance: InstanceId,
    reported: FxHashSet<(Code, Span, String)>,
    halted: bool,
    /// The expression whose type is requested, and the types that were found.
    asked: Option<ExprId>,
    seen: Vec<Ty>,
}

impl<'a> Solver<'a> {
    fn new(
        ast: &'a Ast,
        scopes: &'a Scopes,
        sources: &'a Sources,
        limits: &'a Limits,
        diags: &'a mut Diagnostics,
    ) -> Self {
        let mut solver = Self {
            ast,
            scopes,
            sources,
            limits,
            first_error: diags.error_count(),
            diags,
            terms: Terms::default(),
            frames: Frames::default(),
            files: FxHashMap::default(),
            spots: Spots::default(),
            plain: vec![None; ast.exprs.len()],
            notes: FxHashMap::default(),
            signatures: FxHashMap::default(),
            variables: FxHashMap::default(),
            values: FxHashMap::default(),
            texts: FxHashMap::default(),
            open: Vec::new(),
            results: Vec::new(),
            tasks: Vec::new(),
            late: Vec::new(),
            twice: Vec::new(),
            depth: 0,
            instance: InstanceId(0),
            reported: FxHashSet::default(),
            halted: false,
            asked: None,
            seen: Vec::new(),
        };
        let steps = limits.steps.saturating_add(50 * ast.exprs.len() as u64);
        solver.terms.budget = Budget::new(steps, u64::MAX);
        solver.frames.instance(None);
        solver
    }
}

impl Solver<'_> {
    /// Solves the remaining tasks, finds ambiguous types, and returns the requested types.
    fn finish(mut self) -> Types {
        self.solve_woken();
        for task in std::mem::take(&mut self.late) {
            self.attempt(task);
        }
        self.solve_woken();
        if self.has_failed() {
            return self.without_types();
        }
        // One open type affects every use of its value; it is reported once.
        let mut reported = FxHashSet::default();
        for (expr, ty) in std::mem::take(&mut self.open) {
            if let Some(variable) = self.terms.variable(ty)
                && reported.insert(variable)
            {
                self.ambiguous(expr, ty, variable);
            }
        }
        if self.has_failed() {
            return self.without_types();
        }
        for diagnostic in std::mem::take(&mut self.twice) {
            self.diags.push(diagnostic);
        }
        self.types()
    }

    fn without_types(self) -> Types {
        self.limits.stop.release(self);
        Types::default()
    }

    fn types(&mut self) -> Types {
        let mut types = Types::default();
        for (instance, expr, ty) in std::mem::take(&mut self.results) {
            let Some(ty) = self.terms.known(ty) else {
                let span = self.ast.exprs[expr].span;
                self.too_complex(span, "the type of this is too large", "assign parts of it to variables with a type");
                continue;
            };
            types.results.insert((instance, expr), ty);
            let mut child = instance;
            while let Some((parent, site)) = self.frames.started_by(child)
                && types.children.insert((parent, site), child).is_none()
            {
                child = parent;
            }
        }
        types
    }

    fn has_failed(&self) -> bool {
        self.halted || self.diags.error_count() > self.first_error
    }

    /// Counts one level of nesting and one step; `false` if a limit is reached.
    fn enter(&mut self, span: Span) -> bool {
        if self.halted {
            return false;
        }
        self.terms.budget.note_steps(1);
        if self.depth >= self.limits.depth {
            self.too_complex(span, "definitions are nested too deep", "use fewer levels of definitions");
            return false;
        }
        if self.terms.budget.check().is_err() {
            self.too_complex(
                span,
                "checking these types takes too many steps",
                "classes or functions that use each other several times over many levels grow fast; raise the limit with `--limit steps=N`",
            );
            return false;
        }
        if self.terms.budget.is_time_to_look()
            && let Some(why) = self.limits.stop.reached()
        {
            self.halted = true;
            self.report(stopped(why, span));
            return false;
        }
        if self.diags.error_count() >= self.first_error + ERRORS {
            self.halted = true;
            return false;
        }
        self.depth += 1;
        true
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    fn too_complex(&mut self, span: Span, label: &str, help: &str) {
        self.halted = true;
        self.report(Diagnostic::error(Code::TooComplex, span).label(label).help(help));
    }

    /// The type of an expression that has no parts, shared by all instances.
    fn plain_at(&mut self, expr: ExprId, term: Term) -> Ty {
        let index = expr.into_raw().into_u32() as usize;
        if let Some(ty) = self.plain[index]
            && self.terms.term(ty).kind() == term.kind()
        {
            return ty;
        }
        let ty = self.terms.plain(term, term::Origin::Expr(expr));
        self.plain[index] = Some(ty);
        ty
    }

    /// The type of something that was refused.
    fn refused(&mut self, expr: ExprId) -> Ty {
        self.terms.plain(Term::Refused, term::Origin::Expr(expr))
    }
}
