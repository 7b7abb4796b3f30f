//! The end of a run: everything must be complete, and a late change of a list is explained.

use super::super::check::Model;
use super::super::error::{Class, Raise, Result};
use super::super::names::Sym;
use super::super::pystr::Instances;
use super::super::trace::Why;
use super::super::types::EntityId;
use super::super::value::InstanceId;
use super::unset::Setters;
use super::{KeyPart, Machine, VarId};
use crate::diag::Code;
use crate::source::Span;

impl Machine<'_> {
    /// Freezes what is left, and reports what is not complete.
    pub(super) fn finish(&mut self) -> Result<()> {
        let program = self.program;
        let mut errors: Vec<Raise> = Vec::new();
        for at in 0..program.entities.len() as u32 {
            for (node, key) in self.unmet_lookups(EntityId(at)) {
                let entity = program.entity_name(EntityId(at));
                let message = format!("No match in index on type {entity} with key {key}");
                let raise = Raise::at(Class::NotFound, program.ast.span(node), message).with_code(Code::UnknownKey);
                errors.push(*raise.with_help(self.near_key(EntityId(at), &key)));
            }
        }
        for (var, place) in self.annotations.clone() {
            match self.peek(var) {
                Some(value) if value.is_unknown() => {
                    errors.push(*Raise::at(Class::Typing, place, "Relation annotation can not be Unknown"));
                }
                Some(_) => {}
                None => errors.push(*Raise::at(Class::Unset, place, "Value not available")),
            }
        }
        let mut setters = Setters::default();
        for at in 0..self.instances.len() as u32 {
            self.finish_instance(InstanceId(at), &mut setters, &mut errors);
        }
        if self.left_out.is_some() {
            // A plugin did not run, and what depends on it may be what is missing.
            self.open.extend(errors.drain(..).map(|raise| (raise.edit.or(raise.place), raise.message)));
            return Ok(());
        }
        if let Some(mut raise) = Raise::multi(errors) {
            self.explain_circle(&mut raise);
            return Err(raise);
        }
        let left = self.tasks.waiting();
        if let Some(first) = left.first() {
            let place = self.task_place(*first);
            let count = left.len();
            let mut raise = Raise::at(
                Class::Runtime,
                place,
                format!("not all statements executed: {count} still wait for values that never come"),
            );
            for task in left.iter().skip(1).take(5) {
                raise.related.push((self.task_place(*task), "this waits too".to_string()));
            }
            let mut raise = raise.with_code(Code::UndefinedValue);
            raise.help = Some("give one of these a value that needs none of the others".to_string());
            self.explain_circle(&mut raise);
            return Err(raise);
        }
        Ok(())
    }

    /// The instance whose key differs in one text from that of a look-up.
    fn near_key(&self, entity: EntityId, key: &str) -> String {
        let wanted: Vec<&str> = key.split('\'').skip(1).step_by(2).collect();
        let keys = self.entities[entity.0 as usize].index.keys();
        let mut texts: Vec<&str> = keys
            .flat_map(|key| key.0.iter())
            .filter_map(|(_, part)| if let KeyPart::Str(text) = part { Some(&**text) } else { None })
            .collect();
        texts.sort_unstable();
        let unknown = wanted.iter().filter(|text| !texts.contains(text));
        let near = unknown.filter_map(|text| crate::diag::nearest(text, texts.iter().copied())).next();
        match near {
            Some(near) => format!("did you mean `\"{near}\"`?"),
            None => "make such an instance, or correct the values of the key".into(),
        }
    }

    fn finish_instance(&mut self, id: InstanceId, setters: &mut Setters, errors: &mut Vec<Raise>) {
        let program = self.program;
        let entity = self.instances[id.0 as usize].entity;
        let place = self.instances[id.0 as usize].places.last().copied();
        if !self.has_implementation(id) {
            let name = program.text(program.entity(entity).name);
            let message = format!("Unable to select implementation for entity {name}");
            let mut raise = Raise::new(Class::Runtime, message);
            raise.place = place;
            raise.statement = place;
            raise.code = Some(Code::NoImplementation);
            raise.help = Some(format!("add an `implement {name} using …` that applies to this instance"));
            errors.push(*raise);
        }
        let is_open = self.left_out.is_some();
        // What an implementation of the instance sets waits for another attribute, which is the cause.
        let mut waiting = Vec::new();
        for (at, (name, attribute)) in program.entity(entity).all.iter().enumerate() {
            let var = VarId(self.instances[id.0 as usize].first.0 + at as u32);
            if self.is_ready(var) || *name == program.self_name {
                continue;
            }
            if self.can_freeze(var) {
                self.freeze(var, Why::Leftover);
                continue;
            }
            if is_open {
                let unknown = self.unknown();
                // Nothing waits for it that could run.
                let _ = self.make_ready(var, unknown, None);
            }
            let attribute = program.attribute(*attribute);
            let defined = attribute.span;
            let (attribute_name, text) = (*name, program.text(*name));
            let bounds = attribute.relation.as_ref().map(|relation| relation.bounds);
            let message = match bounds {
                Some(bounds) if bounds.high != Some(1) => format!(
                    "The object {} is not complete: attribute {text} ({}) requires {} values but only {} are set",
                    self.long(id),
                    self.exact_place(defined),
                    bounds.low,
                    self.length(var)
                ),
                _ => format!(
                    "The object {} is not complete: attribute {text} ({}) is not set",
                    self.long(id),
                    self.exact_place(defined)
                ),
            };
            let mut raise = Raise::new(Class::Unset, message);
            raise.related.push((defined, "the attribute is defined here".to_string()));
            raise.edit = place;
            let name = program.text(program.entity(entity).name);
            raise.help = Some(match bounds {
                Some(bounds) if bounds.high != Some(1) => {
                    let count = if bounds.low == 1 { "a value".to_string() } else { format!("{} values", bounds.low) };
                    format!("give `{text}` {count}: `{name}(…, {text}=[…])`, or `x.{text} += …`")
                }
                Some(_) => format!("add `{text}=…` to `{name}(…)`, or set the relation from its other side"),
                None => format!("add `{text}=…` to `{name}(…)`, or give `{text}` a default in the entity"),
            });
            if let Some((help, place, message)) = self.unset_by(id, attribute_name, setters) {
                raise.related.push((place, message));
                raise.help = Some(help);
            }
            match self.is_set_by_own(id, attribute_name, setters) {
                true => waiting.push(*raise),
                false => errors.push(*raise),
            }
        }
        errors.append(&mut waiting);
    }

    /// The relations of every instance whose attribute has this name: `name` or `namespace::Entity.name`.
    pub fn relations_named(&self, entity: Option<EntityId>, name: Sym) -> Vec<(InstanceId, VarId)> {
        let mut found = Vec::new();
        for at in 0..self.instances.len() as u32 {
            let id = InstanceId(at);
            let of = self.instances[at as usize].entity;
            if entity.is_some_and(|entity| !self.program.is_subclass(of, entity)) {
                continue;
            }
            if let Ok(var) = self.attribute_var(id, name)
                && self.is_delayed(var)
            {
                found.push((id, var));
            }
        }
        found
    }

    /// The variables of the top level of a file.
    pub fn file_variables(&self, ns: super::NsId) -> Vec<(Sym, VarId)> {
        let Some(scope) = self.ns_scopes.get(ns.0 as usize).copied().flatten() else { return Vec::new() };
        let super::Scope::Block { block, first, .. } = self.scopes[scope.0 as usize] else { return Vec::new() };
        let names = self.program.variables_of(block).names.iter();
        names.enumerate().map(|(at, name)| (*name, VarId(first.0 + at as u32))).collect()
    }

    /// Whether the variable belongs to a relation.
    pub fn is_relation(&self, var: VarId) -> bool {
        self.attribute_of(var).is_some()
    }

    /// Whether the variable is a relation to at most one instance.
    pub fn is_optional_relation(&self, var: VarId) -> bool {
        self.is_delayed(var) && !self.is_multi(var) && self.is_relation(var)
    }

    /// The folder of a module; of the project where the name is empty.
    pub fn module_folder(&self, name: &str) -> Option<std::path::PathBuf> {
        if name.is_empty() {
            return Some(self.context.project().to_path_buf());
        }
        self.program.modules.get(name).cloned()
    }

    /// A plugin that is not run gives a value that is not known.
    pub fn plugin_not_run(&mut self, plugin: u32, place: Span) -> super::Value {
        Model::not_run(self, plugin, place);
        self.unknown()
    }
}
