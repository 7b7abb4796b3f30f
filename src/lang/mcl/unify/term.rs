//! Types with variables: a store of terms in which two can be unified, each with its origin.
//!
//! Union-find with a trail: a failed unification is rolled back as a whole, so that a message can still show both
//! types. Every walk over a type has its own stack and marks what it has seen, because types share parts: a struct that
//! contains another twice, ten times over, is ten terms and not a thousand.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

use crate::lang::Budget;
use crate::lang::mcl::ast::ExprId;

/// A type in a [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ty(u32);

/// What a type is, one layer deep.
#[derive(Clone, Copy, Debug)]
pub enum Term {
    /// Not known yet.
    Var,
    /// Unified with another.
    Same(Ty),
    /// Already refused: fits everything, so that one mistake is reported once.
    Refused,
    Bool,
    Str,
    Int,
    Float,
    List(Ty),
    Map(Ty, Ty),
    /// The names are `shapes[shape]`, the types start at `parts[at]`.
    Struct {
        shape: u32,
        at: u32,
    },
    /// Parameters start at `parts[at]`, the result follows them.
    Func {
        at: u32,
        params: u32,
    },
}

impl Term {
    /// The kind alone, in the words of messages.
    pub fn kind(self) -> &'static str {
        match self {
            Term::Var | Term::Same(_) | Term::Refused => "unknown",
            Term::Bool => "bool",
            Term::Str => "str",
            Term::Int => "int",
            Term::Float => "float",
            Term::List(_) => "list",
            Term::Map(..) => "map",
            Term::Struct { .. } => "struct",
            Term::Func { .. } => "func",
        }
    }
}

/// The origin of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Expr(ExprId),
    /// An annotation, a parameter, a loop: an index into the checker's places.
    Spot(u32),
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    term: Term,
    origin: Origin,
    /// Known to contain no variable.
    ground: bool,
    /// The last walk that visited it.
    seen: u32,
}

/// Two types that cannot be unified: the innermost pair that differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clash {
    pub left: Ty,
    pub right: Ty,
    pub why: ClashKind,
}

/// The reason why two types cannot be unified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClashKind {
    Kind,
    /// Structs with other names, or another order or number of fields.
    Fields,
    /// Functions with another number of parameters.
    Params,
    /// The left one is part of the right one.
    Infinite,
}

/// All types of a program while it is solved.
#[derive(Default)]
pub struct Terms {
    entries: Vec<Entry>,
    parts: Vec<Ty>,
    shapes: Vec<Arc<[SmolStr]>>,
    shape_ids: FxHashMap<Arc<[SmolStr]>, u32>,
    trail: Vec<(Ty, Term)>,
    walk: u32,
    /// The tasks that wait for each variable.
    waiting: FxHashMap<Ty, Vec<u32>>,
    /// The woken tasks.
    pub woken: Vec<u32>,
    /// Pays for each step.
    pub budget: Budget,
}

impl Terms {
    fn add(&mut self, term: Term, origin: Origin, ground: bool) -> Ty {
        let ty = Ty(self.entries.len() as u32);
        self.entries.push(Entry { term, origin, ground, seen: 0 });
        ty
    }

    /// A new variable.
    pub fn var(&mut self, origin: Origin) -> Ty {
        self.add(Term::Var, origin, false)
    }

    /// A term without parts.
    pub fn plain(&mut self, term: Term, origin: Origin) -> Ty {
        self.add(term, origin, true)
    }

    /// Adds the type of a list.
    pub fn list(&mut self, item: Ty, origin: Origin) -> Ty {
        let ground = self.is_known_ground(item);
        self.add(Term::List(item), origin, ground)
    }

    /// Adds the type of a map.
    pub fn map(&mut self, key: Ty, value: Ty, origin: Origin) -> Ty {
        let ground = self.is_known_ground(key) && self.is_known_ground(value);
        self.add(Term::Map(key, value), origin, ground)
    }

    /// Adds the type of a struct; `names` and `types` are in the same order.
    pub fn structure(&mut self, names: &[SmolStr], types: &[Ty], origin: Origin) -> Ty {
        let shape = self.shape(names);
        let ground = types.iter().all(|ty| self.is_known_ground(*ty));
        let at = self.parts.len() as u32;
        self.parts.extend_from_slice(types);
        self.add(Term::Struct { shape, at }, origin, ground)
    }

    /// Adds the type of a function.
    pub fn func(&mut self, params: &[Ty], result: Ty, origin: Origin) -> Ty {
        let ground = params.iter().chain([&result]).all(|ty| self.is_known_ground(*ty));
        let at = self.parts.len() as u32;
        self.parts.extend_from_slice(params);
        self.parts.push(result);
        self.add(Term::Func { at, params: params.len() as u32 }, origin, ground)
    }

    fn shape(&mut self, names: &[SmolStr]) -> u32 {
        if let Some(shape) = self.shape_ids.get(names) {
            return *shape;
        }
        let shape = self.shapes.len() as u32;
        let names: Arc<[SmolStr]> = names.into();
        self.shapes.push(names.clone());
        self.shape_ids.insert(names, shape);
        shape
    }

    /// The representative of a type.
    pub fn find(&mut self, ty: Ty) -> Ty {
        let mut root = ty;
        while let Term::Same(next) = self.entries[root.0 as usize].term {
            root = next;
            self.budget.note_steps(1);
        }
        let mut at = ty;
        while let Term::Same(next) = self.entries[at.0 as usize].term {
            if next != root {
                self.set(at, Term::Same(root));
            }
            at = next;
        }
        root
    }

    fn set(&mut self, ty: Ty, term: Term) {
        let entry = &mut self.entries[ty.0 as usize];
        self.trail.push((ty, entry.term));
        entry.term = term;
    }

    /// The current term of a type: never [`Term::Same`].
    pub fn term(&mut self, ty: Ty) -> Term {
        let root = self.find(ty);
        self.trail.clear();
        self.entries[root.0 as usize].term
    }

    /// Whether two types are unified.
    pub fn are_same(&mut self, left: Ty, right: Ty) -> bool {
        self.find(left) == self.find(right)
    }

    /// The origin of a type, or of the one it was unified with.
    pub fn origin(&mut self, ty: Ty) -> Origin {
        let root = self.find(ty);
        self.entries[root.0 as usize].origin
    }

    /// Whether the type is a variable that is not solved yet.
    pub fn is_unknown(&mut self, ty: Ty) -> bool {
        matches!(self.term(ty), Term::Var)
    }

    /// The names of a struct's fields.
    pub fn names(&self, shape: u32) -> Arc<[SmolStr]> {
        self.shapes[shape as usize].clone()
    }

    /// The type of a field, if the struct has one of this name.
    pub fn field(&mut self, shape: u32, at: u32, name: &str) -> Option<Ty> {
        // A struct may have very many fields.
        self.budget.note_steps(self.shapes[shape as usize].len() as u64 / 16);
        let index = self.shapes[shape as usize].iter().position(|n| n == name)?;
        Some(self.parts[at as usize + index])
    }

    /// The n-th part of a struct or function; a function's result comes after its parameters.
    pub fn part(&self, at: u32, index: u32) -> Ty {
        self.parts[(at + index) as usize]
    }

    /// Wakes `waiter` once any of the variables is known.
    pub fn wait(&mut self, variables: &[Ty], waiter: u32) {
        for ty in variables {
            let root = self.find(*ty);
            self.waiting.entry(root).or_default().push(waiter);
        }
    }

    fn wake(&mut self, root: Ty) {
        if !self.waiting.is_empty()
            && let Some(waiters) = self.waiting.remove(&root)
        {
            self.woken.extend(waiters);
        }
    }

    /// Unifies two types, or changes nothing and returns the difference.
    pub fn unify(&mut self, left: Ty, right: Ty) -> Result<(), Clash> {
        self.trail.clear();
        let result = self.unify_all(left, right);
        if result.is_err() {
            while let Some((ty, term)) = self.trail.pop() {
                self.entries[ty.0 as usize].term = term;
            }
        }
        result
    }

    fn unify_all(&mut self, left: Ty, right: Ty) -> Result<(), Clash> {
        let mut work = vec![(left, right)];
        while let Some((left, right)) = work.pop() {
            let (left, right) = (self.find(left), self.find(right));
            self.budget.note_steps(1);
            if left == right {
                continue;
            }
            let differ = |why| Err(Clash { left, right, why });
            match (self.entries[left.0 as usize].term, self.entries[right.0 as usize].term) {
                (Term::Var, Term::Var) => {
                    // The older one stays: it is nearer to the user's text.
                    let (old, young) = if left.0 < right.0 { (left, right) } else { (right, left) };
                    self.set(young, Term::Same(old));
                    self.wake(young);
                }
                (Term::Var, _) => self.bind(left, right).map_err(|why| Clash { left, right, why })?,
                (_, Term::Var) => {
                    self.bind(right, left).map_err(|why| Clash { left: right, right: left, why })?;
                }
                (Term::Refused, _) | (_, Term::Refused) => {}
                (Term::Bool, Term::Bool)
                | (Term::Str, Term::Str)
                | (Term::Int, Term::Int)
                | (Term::Float, Term::Float) => {}
                (Term::List(a), Term::List(b)) => {
                    self.join(left, right);
                    work.push((a, b));
                }
                (Term::Map(k, v), Term::Map(l, w)) => {
                    self.join(left, right);
                    work.extend([(v, w), (k, l)]);
                }
                (Term::Struct { shape, at }, Term::Struct { shape: other, at: from }) => {
                    if shape != other {
                        return differ(ClashKind::Fields);
                    }
                    self.join(left, right);
                    let count = self.shapes[shape as usize].len() as u32;
                    work.extend((0..count).rev().map(|i| (self.part(at, i), self.part(from, i))));
                }
                (Term::Func { at, params }, Term::Func { at: from, params: others }) => {
                    if params != others {
                        return differ(ClashKind::Params);
                    }
                    self.join(left, right);
                    work.extend((0..=params).rev().map(|i| (self.part(at, i), self.part(from, i))));
                }
                _ => return differ(ClashKind::Kind),
            }
        }
        Ok(())
    }

    /// Unifies two terms before their parts, so that shared parts are compared once. The older one stays, which keeps
    /// the origin of an annotation however many values meet it.
    fn join(&mut self, left: Ty, right: Ty) {
        let (old, young) = if left.0 < right.0 { (left, right) } else { (right, left) };
        self.set(young, Term::Same(old));
    }

    fn bind(&mut self, var: Ty, to: Ty) -> Result<(), ClashKind> {
        if self.holds(to, |_, part| part == var).is_some() {
            return Err(ClashKind::Infinite);
        }
        self.set(var, Term::Same(to));
        self.wake(var);
        Ok(())
    }

    /// Whether the type is completely known, as far as cached.
    pub fn is_known_ground(&mut self, ty: Ty) -> bool {
        let root = self.find(ty);
        self.entries[root.0 as usize].ground
    }

    /// The first variable inside a type, if there is one.
    pub fn variable(&mut self, ty: Ty) -> Option<Ty> {
        let found = self.holds(ty, |terms, part| matches!(terms.entries[part.0 as usize].term, Term::Var));
        if found.is_none() {
            let root = self.find(ty);
            self.entries[root.0 as usize].ground = true;
        }
        found
    }

    /// The first part of a type, itself included, that passes a test. Ground parts are tested, not walked.
    fn holds(&mut self, ty: Ty, test: impl Fn(&Self, Ty) -> bool) -> Option<Ty> {
        self.walk += 1;
        let walk = self.walk;
        let mut work = vec![ty];
        while let Some(ty) = work.pop() {
            let ty = self.find(ty);
            let entry = &mut self.entries[ty.0 as usize];
            if entry.seen == walk {
                continue;
            }
            entry.seen = walk;
            self.budget.note_steps(1);
            let (term, ground) = (entry.term, entry.ground);
            if test(self, ty) {
                return Some(ty);
            }
            if !ground {
                self.push_parts(term, &mut work);
            }
        }
        None
    }

    /// Whether values of a type can be keys of a map.
    pub fn is_hashable(&mut self, ty: Ty) -> bool {
        let (mut work, mut seen) = (vec![ty], FxHashSet::default());
        while let Some(ty) = work.pop() {
            let root = self.find(ty);
            if !seen.insert(root) {
                continue;
            }
            match self.term(root) {
                Term::List(_) | Term::Map(..) | Term::Func { .. } => return false,
                term => self.push_parts(term, &mut work),
            }
        }
        true
    }

    fn push_parts(&self, term: Term, work: &mut Vec<Ty>) {
        match term {
            Term::List(item) => work.push(item),
            Term::Map(key, value) => work.extend([value, key]),
            Term::Struct { shape, at } => {
                let count = self.shapes[shape as usize].len() as u32;
                work.extend((0..count).rev().map(|i| self.part(at, i)));
            }
            Term::Func { at, params } => work.extend((0..=params).rev().map(|i| self.part(at, i))),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Origin = Origin::Spot(0);

    #[test]
    fn variables_unify_with_their_uses() {
        let mut terms = Terms::default();
        let (a, int) = (terms.var(HERE), terms.plain(Term::Int, HERE));
        let (left, right) = (terms.list(a, HERE), terms.list(int, HERE));
        assert_eq!(terms.show(left), "[]_");
        assert_eq!(terms.variable(left), Some(a));
        terms.unify(left, right).expect("a list of anything takes a list of int");
        assert_eq!(terms.show(left), "[]int");
        assert_eq!(terms.variable(left), None);
    }

    #[test]
    fn what_fails_leaves_no_trace() {
        let mut terms = Terms::default();
        let (a, str_, int) = (terms.var(HERE), terms.plain(Term::Str, HERE), terms.plain(Term::Int, HERE));
        let left = terms.structure(&["x".into(), "y".into()], &[a, str_], HERE);
        let right = terms.structure(&["x".into(), "y".into()], &[int, int], HERE);
        let clash = terms.unify(left, right).expect_err("y differs");
        assert_eq!((clash.left, clash.right, clash.why), (str_, int, ClashKind::Kind));
        assert_eq!(terms.show(left), "struct{x _; y str}");
        assert_eq!(terms.show(right), "struct{x int; y int}");
    }

    #[test]
    fn a_type_cannot_hold_itself() {
        let mut terms = Terms::default();
        let a = terms.var(HERE);
        let list = terms.list(a, HERE);
        assert_eq!(terms.unify(a, list).expect_err("infinite").why, ClashKind::Infinite);
        terms.unify(a, a).expect("the same");
    }

    #[test]
    fn shared_parts_are_walked_once() {
        let mut terms = Terms::default();
        let names = ["l".into(), "r".into()];
        let (mut left, mut right) = (terms.var(HERE), terms.plain(Term::Str, HERE));
        for _ in 0..200 {
            left = terms.structure(&names, &[left, left], HERE);
            right = terms.structure(&names, &[right, right], HERE);
        }
        terms.unify(left, right).expect("same shape");
        assert_eq!(terms.variable(left), None);
        assert!(terms.budget.steps() < 10_000, "{}", terms.budget.steps());
    }

    #[test]
    fn field_order_and_parameter_count_matter() {
        let mut terms = Terms::default();
        let int = terms.plain(Term::Int, HERE);
        let ab = terms.structure(&["a".into(), "b".into()], &[int, int], HERE);
        let ba = terms.structure(&["b".into(), "a".into()], &[int, int], HERE);
        assert_eq!(terms.unify(ab, ba).expect_err("order").why, ClashKind::Fields);
        let (one, two) = (terms.func(&[int], int, HERE), terms.func(&[int, int], int, HERE));
        assert_eq!(terms.unify(one, two).expect_err("count").why, ClashKind::Params);
    }

    #[test]
    fn waiters_are_woken() {
        let mut terms = Terms::default();
        let (a, b, int) = (terms.var(HERE), terms.var(HERE), terms.plain(Term::Int, HERE));
        terms.wait(&[b], 7);
        terms.unify(a, b).expect("two variables");
        assert_eq!(std::mem::take(&mut terms.woken), [7]);
        terms.wait(&[b], 7);
        terms.unify(a, int).expect("a variable and an int");
        assert_eq!(terms.woken, [7]);
    }
}
