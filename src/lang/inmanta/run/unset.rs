//! Why something was left without a value: what implementations do with the name of an attribute, and variables that
//! need one another.

use rustc_hash::FxHashMap;

use super::super::ast::{BlockId, Kind, NodeId};
use super::super::define::ImplementationId;
use super::super::error::{Class, Raise};
use super::super::names::Sym;
use super::super::types::EntityId;
use super::super::value::InstanceId;
use super::super::walk;
use super::Machine;
use crate::diag::Code;
use crate::source::Span;

/// A statement of an implementation that sets an attribute, or a variable with its name.
#[derive(Clone, Copy)]
pub(super) struct Setter {
    implementation: ImplementationId,
    place: Span,
    is_variable: bool,
    /// Whether an `implement` names the implementation.
    is_used: bool,
}

/// The setters of each attribute that was asked for.
pub(super) type Setters = FxHashMap<(EntityId, Sym), Vec<Setter>>;

impl Machine<'_> {
    /// What an implementation has to do with an attribute that was left without a value: the help, and a place.
    pub(super) fn unset_by(&self, id: InstanceId, name: Sym, known: &mut Setters) -> Option<(String, Span, String)> {
        let program = self.program;
        let instance = &self.instances[id.0 as usize];
        let setters = known.entry((instance.entity, name)).or_insert_with(|| self.setters(instance.entity, name));
        let ran = |setter: &&Setter| instance.implementations.contains(&setter.implementation);
        let text = program.text(name);
        if let Some(setter) = setters.iter().find(|setter| setter.is_variable && ran(setter)) {
            let help = format!("write `self.{text} = …`: without `self.` it is a variable of the implementation");
            return Some((help, setter.place, format!("this sets a variable `{text}`, not the attribute")));
        }
        let setter = setters.iter().find(|setter| !setter.is_variable && !ran(setter))?;
        let implementation = &program.implementations[setter.implementation.0 as usize];
        let (own, entity) = (program.text(implementation.name), program.text(program.entity(instance.entity).name));
        let help = match setter.is_used {
            true => format!(
                "`{own}` sets `{text}`, but this instance does not use it: add an `implement {entity} using …` whose \
                 condition is true here, or set `{text}` in `{entity}(…)`"
            ),
            false => format!("`{own}` sets `{text}`: write `implement {entity} using {own}`"),
        };
        Some((help, setter.place, format!("the implementation `{own}` would set it here")))
    }

    /// Whether an implementation that the instance uses sets an attribute.
    pub(super) fn is_set_by_own(&self, id: InstanceId, name: Sym, known: &Setters) -> bool {
        let instance = &self.instances[id.0 as usize];
        let setters = known.get(&(instance.entity, name)).into_iter().flatten();
        let mut own = setters.filter(|setter| !setter.is_variable);
        own.any(|setter| instance.implementations.contains(&setter.implementation))
    }

    /// Variables of a file that are set from one another, in a circle: each with the place that sets it.
    fn circle(&self) -> Option<Vec<(Sym, Span)>> {
        let program = self.program;
        for block in &program.blocks {
            let root = self.ns_scopes.get(program.ast.block(*block).ns.0 as usize).copied().flatten();
            let is_open = |name: Sym| {
                let var = root.and_then(|scope| self.lookup_from(scope, name, None).ok());
                var.is_some_and(|var| self.peek(var).is_none())
            };
            let mut set: FxHashMap<Sym, (Span, Vec<Sym>)> = FxHashMap::default();
            let mut order = Vec::new();
            for statement in &program.ast.block(*block).statements {
                if let Kind::Assign { name, value } = program.ast.kind(*statement)
                    && is_open(name.sym)
                {
                    set.insert(name.sym, (name.span, self.names_in(*value)));
                    order.push(name.sym);
                }
            }
            // Follows the first name that is open too, from each variable once.
            let mut seen: FxHashMap<Sym, usize> = FxHashMap::default();
            for (round, start) in order.into_iter().enumerate() {
                let (mut path, mut next) = (Vec::new(), Some(start));
                while let Some(name) = next.filter(|name| !seen.contains_key(name)) {
                    seen.insert(name, round);
                    path.push(name);
                    next = set[&name].1.iter().copied().find(|name| set.contains_key(name));
                }
                if let Some(begin) = next.and_then(|name| path.iter().position(|other| *other == name)) {
                    return Some(path[begin..].iter().map(|name| (*name, set[name].0)).collect());
                }
            }
        }
        None
    }

    /// The variables that an expression reads.
    fn names_in(&self, value: NodeId) -> Vec<Sym> {
        let (mut open, mut names) = (vec![value], Vec::new());
        while let Some(node) = open.pop() {
            let kind = self.program.ast.kind(node);
            if let Kind::Name(name) = kind {
                names.push(*name);
            }
            open.extend(walk::children(kind));
        }
        names
    }

    /// Explains an error of the end by variables that need one another, if there are some.
    pub(super) fn explain_circle(&self, raise: &mut Raise) {
        let Some(circle) = self.circle() else { return };
        let [(name, place), rest @ ..] = &circle[..] else { return };
        let target = match raise.class {
            Class::Multi => raise.causes.first_mut(),
            _ => Some(raise),
        };
        let Some(target) = target else { return };
        let text = self.program.text(*name);
        if target.class == Class::Unset {
            target.related.extend(target.edit.or(target.place).map(|place| (place, target.message.clone())));
        } else {
            target.related.clear();
        }
        target.edit = Some(*place);
        target.code = Some(Code::UndefinedValue);
        let (label, help) = match rest {
            [] => (
                format!("`{text}` is set from itself, so it never gets a value"),
                format!("write a value that does not read `{text}`, or give this one another name"),
            ),
            _ => (
                format!("`{text}` and {} are set from one another, so none gets a value", self.listed(rest)),
                "give one of them a value that needs none of the others".to_string(),
            ),
        };
        target.label = Some(label);
        target.help = Some(help);
        for (name, place) in rest.iter().take(8) {
            target.related.push((*place, format!("`{}` is set here", self.program.text(*name))));
        }
    }

    fn listed(&self, variables: &[(Sym, Span)]) -> String {
        let names = variables.iter().take(4).map(|(name, _)| format!("`{}`", self.program.text(*name)));
        names.collect::<Vec<_>>().join(", ")
    }

    fn setters(&self, entity: EntityId, name: Sym) -> Vec<Setter> {
        let program = self.program;
        let mut found = Vec::new();
        for (at, implementation) in program.implementations.iter().enumerate() {
            if implementation.entity.is_some_and(|of| program.is_subclass(entity, of)) {
                let id = ImplementationId(at as u32);
                let is_used = program.implements.iter().any(|one| one.implementations.contains(&id));
                self.setters_in(implementation.body, name, (id, is_used), &mut found);
            }
        }
        found
    }

    fn setters_in(
        &self,
        body: BlockId,
        name: Sym,
        (implementation, is_used): (ImplementationId, bool),
        found: &mut Vec<Setter>,
    ) {
        let ast = &self.program.ast;
        let mut open: Vec<NodeId> = ast.block(body).statements.clone();
        while let Some(node) = open.pop() {
            let setter = |is_variable| Setter { implementation, place: ast.span(node), is_variable, is_used };
            match ast.kind(node) {
                Kind::Assign { name: word, .. } if word.sym == name => found.push(setter(true)),
                Kind::SetAttribute { of, name: word, .. } if *word == name => {
                    let is_self = matches!(ast.kind(*of), Kind::Name(of) if *of == self.program.self_name);
                    found.extend(is_self.then(|| setter(false)));
                }
                Kind::For { body, .. } => open.extend(&ast.block(*body).statements),
                Kind::If { yes, no, .. } => {
                    open.extend(&ast.block(*yes).statements);
                    open.extend(&ast.block(*no).statements);
                }
                _ => {}
            }
        }
    }
}
