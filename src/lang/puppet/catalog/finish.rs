//! The end of a compilation: late overrides, tags, metaparameters of containers, relationships, and what is missing.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::{Operand, Parameter, Sort, ral};
use crate::graph::HIDDEN;
use crate::lang::puppet::ast::{Form, Text};
use crate::lang::puppet::convert;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::ids::ResourceId;
use crate::lang::puppet::stop::{Run, fail};
use crate::lang::puppet::types::Type;
use crate::lang::puppet::value::Value;
use crate::lang::puppet::value::flatten;
use crate::source::Span;

/// Metaparameters that what is inside of a container takes over.
const INHERITED: [&str; 7] = ["alias", "audit", "loglevel", "noop", "schedule", "stage", "tag"];
/// Bytes of a relationship, and of a tag.
const EDGE: usize = 128;
const TAG: usize = 48;

const ARROWS: [&str; 4] = ["before", "require", "notify", "subscribe"];

impl Evaluator<'_> {
    pub(super) fn finish(&mut self, start: Span) -> Run<()> {
        self.finish_overrides()?;
        self.finish_relations()?;
        self.inherit()?;
        for id in self.catalog.ids().collect::<Vec<_>>() {
            self.flatten_arrows(id)?;
            self.unwrap_sensitive(id);
        }
        self.check_exports()?;
        self.check_realized(start)?;
        self.check_parameters()?;
        self.check_arm_resources()?;
        self.check_targets()
    }

    pub(super) fn apply_waiting_overrides(&mut self, id: ResourceId) -> Run<()> {
        let (ty, title) = (self.catalog.get(id).ty.clone(), self.catalog.get(id).title.clone());
        let (now, later): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.catalog.overrides).into_iter().partition(|o| o.ty == ty && o.title == title);
        self.catalog.overrides = later;
        for o in now {
            self.override_one(id, &o.attributes, o.scope, o.span, false)?;
        }
        Ok(())
    }

    fn finish_overrides(&mut self) -> Run<()> {
        let overrides = std::mem::take(&mut self.catalog.overrides);
        let mut missing = Vec::new();
        let mut at = None;
        for o in overrides {
            match self.catalog.lookup(&o.ty, &o.title) {
                Some(id) => self.override_one(id, &o.attributes, o.scope, o.span, false)?,
                None => {
                    at.get_or_insert(o.span);
                    missing.push(format!("{}[{}]", crate::lang::puppet::names::capitalised(&o.ty), o.title));
                }
            }
        }
        match at {
            Some(span) => {
                self.runtime(span, format!("Could not find resource(s) {} for overriding", missing.join(", ")))
            }
            None => Ok(()),
        }
    }

    /// The resources that one side of an arrow names.
    fn sides(
        &mut self,
        operand: &Operand,
        before: Option<usize>,
        is_source: bool,
        span: Span,
    ) -> Run<Vec<(String, Option<ResourceId>)>> {
        match operand {
            Operand::Collector(index) => {
                let found = self.catalog.collectors[*index].found.clone();
                if found.is_empty()
                    && is_source
                    && let Some(relation) = before.map(|i| self.catalog.relations[i].clone())
                {
                    return self.sides(&relation.source, relation.before, true, span);
                }
                Ok(found.into_iter().map(|id| (self.catalog.get(id).reference(), Some(id))).collect())
            }
            Operand::Value(value) => {
                let mut flat = Vec::new();
                flatten(value, &mut flat);
                let mut out = Vec::new();
                for value in flat {
                    let ty = match &value {
                        Value::Type(ty) => ty.clone(),
                        Value::Unknown(_) => {
                            self.leave_out("this relationship", span);
                            continue;
                        }
                        other => self.type_from_text(&convert::string(other), span)?,
                    };
                    let id = self.catalog.find(&ty);
                    let text = match (id, &*ty) {
                        (_, Type::Resource(Some(name), Some(title))) => {
                            format!("{}[{title}]", crate::lang::puppet::names::capitalised(name))
                        }
                        (_, Type::Class(Some(name))) => {
                            format!("Class[{}]", crate::lang::puppet::names::capitalised(name))
                        }
                        _ => ty.to_string(),
                    };
                    out.push((text, id));
                }
                if out.is_empty()
                    && is_source
                    && let Some(relation) = before.map(|i| self.catalog.relations[i].clone())
                {
                    return self.sides(&relation.source, relation.before, true, span);
                }
                Ok(out)
            }
        }
    }

    fn finish_relations(&mut self) -> Run<()> {
        for index in 0..self.catalog.relations.len() {
            let relation = self.catalog.relations[index].clone();
            let sources = self.sides(&relation.source, relation.before, true, relation.span)?;
            let targets = self.sides(&relation.target, relation.before, false, relation.span)?;
            let name: Text = if relation.notify { "notify".into() } else { "before".into() };
            for (source, id) in &sources {
                let Some(id) = *id else {
                    let target = targets.first().map_or("", |t| &t.0);
                    return self.runtime(
                        relation.span,
                        format!("Could not find resource '{source}' for relationship on '{target}'"),
                    );
                };
                self.build(EDGE * targets.len(), relation.span)?;
                self.spend(targets.len() as u64, relation.span)?;
                for (target, found) in &targets {
                    if found.is_none() {
                        return self.runtime(
                            relation.span,
                            format!("Could not find resource '{target}' for relationship from '{source}'"),
                        );
                    }
                    let parameters = &mut self.catalog.get_mut(id).parameters;
                    let parameter = parameters.entry(name.clone()).or_insert_with(|| Parameter {
                        value: Value::array(Vec::new()),
                        is_default: false,
                        span: relation.span,
                    });
                    if !matches!(parameter.value, Value::Array(_)) {
                        parameter.value = Value::array(vec![parameter.value.clone()]);
                    }
                    if let Value::Array(list) = &mut parameter.value {
                        std::sync::Arc::make_mut(list).push(Value::str(target.as_str()));
                    }
                }
            }
        }
        Ok(())
    }

    /// Tags come from where a resource is declared; along containment from the main class, tags and metaparameters
    /// go down. An included class is below its stage, so nothing reaches it this way.
    fn inherit(&mut self) -> Run<()> {
        for id in self.catalog.ids().collect::<Vec<_>>() {
            let scope = self.catalog.get(id).scope;
            let Some(container) = self.scopes.get(scope).resource.filter(|c| *c != id) else { continue };
            if self.catalog.get(id).sort == Sort::Stage {
                continue;
            }
            let count = self.catalog.get(container).tags.len();
            self.pay_tags(count, self.catalog.get(id).span)?;
            let mut tags = self.catalog.get(container).tags.clone();
            tags.extend(self.scopes.get(scope).tags.iter().cloned());
            self.catalog.get_mut(id).tags.extend(tags);
        }
        let mut contents: FxHashMap<ResourceId, Vec<ResourceId>> = FxHashMap::default();
        for (container, id) in &self.catalog.edges {
            contents.entry(*container).or_default().push(*id);
        }
        let mut waiting: VecDeque<ResourceId> = self.catalog.lookup("class", "main").into_iter().collect();
        while let Some(container) = waiting.pop_front() {
            let inner = contents.remove(&container).unwrap_or_default();
            let above = self.catalog.get(container);
            let (count, span) = (above.tags.len().saturating_mul(inner.len()), above.span);
            self.pay_tags(count, span)?;
            for id in &inner {
                let above = self.catalog.get(container);
                let taken: Vec<(Text, Parameter)> = INHERITED
                    .iter()
                    .filter_map(|name| Some(((*name).into(), above.parameters.get(*name)?.clone())))
                    .collect();
                let tags = above.tags.clone();
                let resource = self.catalog.get_mut(*id);
                resource.tags.extend(tags);
                for (name, parameter) in taken {
                    resource.parameters.entry(name).or_insert(parameter);
                }
            }
            waiting.extend(inner);
        }
        Ok(())
    }

    /// Pays for tags that are taken over.
    pub(super) fn pay_tags(&mut self, count: usize, span: Span) -> Run<()> {
        self.build(TAG * count, span)?;
        self.spend(count as u64 / 4, span)
    }

    /// What comes before or after is a flat list without undef.
    fn flatten_arrows(&mut self, id: ResourceId) -> Run<()> {
        for name in ARROWS {
            let arrow = self.catalog.get(id).parameters.get(name);
            let (count, span) = match arrow {
                Some(Parameter { value: Value::Array(list), span, .. }) => (list.len(), *span),
                Some(parameter) => (1, parameter.span),
                None => continue,
            };
            // Each is a relationship of the graph.
            self.build(EDGE * count, span)?;
            self.spend(count as u64, span)?;
            let Some(parameter) = self.catalog.get_mut(id).parameters.get_mut(name) else { continue };
            if let Value::Array(_) = parameter.value {
                let mut flat = Vec::new();
                flatten(&parameter.value, &mut flat);
                flat.retain(|v| *v != Value::Undef);
                parameter.value = Value::array(flat);
            }
        }
        Ok(())
    }

    fn check_realized(&mut self, start: Span) -> Run<()> {
        let missing: Vec<String> = self
            .catalog
            .realized
            .iter()
            .filter(|(ty, title, _)| self.catalog.lookup(ty, title).is_none())
            .map(|(ty, title, _)| format!("{}[{title}]", crate::lang::puppet::names::capitalised(ty)))
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        self.runtime(start, format!("Failed to realize virtual resources {}", missing.join(", ")))
    }

    fn check_parameters(&mut self) -> Run<()> {
        for id in self.catalog.ids().collect::<Vec<_>>() {
            let resource = self.catalog.get(id);
            if resource.sort != Sort::Builtin || self.accepts_any(&resource.ty) {
                continue;
            }
            for name in resource.parameters.keys() {
                if !ral::is_metaparameter(name) && !self.has_parameter(&resource.ty, name) {
                    let (span, reference) = (resource.span, resource.reference());
                    return self.runtime(span, format!("no parameter named '{name}' on {reference}"));
                }
            }
        }
        Ok(())
    }

    /// Everything that a relationship names is in the catalog.
    fn check_targets(&mut self) -> Run<()> {
        for id in self.catalog.ids().collect::<Vec<_>>() {
            if self.catalog.get(id).form != Form::Regular {
                continue;
            }
            for name in ARROWS {
                let Some(parameter) = self.catalog.get(id).parameters.get(name).cloned() else { continue };
                let is_secret = self.catalog.get(id).sensitive.iter().any(|secret| &**secret == name);
                let mut flat = Vec::new();
                flatten(&parameter.value, &mut flat);
                for value in flat {
                    let ty = match &value {
                        Value::Type(ty) => ty.clone(),
                        Value::Str(text) => {
                            if self.reference(text).is_some() {
                                continue;
                            }
                            match self.type_from_text(text, parameter.span) {
                                Ok(ty) => ty,
                                Err(_) => {
                                    let reference = self.catalog.get(id).reference();
                                    let text = if is_secret { HIDDEN } else { text };
                                    return self.runtime(
                                        parameter.span,
                                        format!(
                                            "Could not find resource '{text}' in parameter '{name}' of {reference}"
                                        ),
                                    );
                                }
                            }
                        }
                        Value::Undef => continue,
                        Value::Unknown(_) => {
                            self.leave_out(&format!("a relationship in `{name}`"), parameter.span);
                            continue;
                        }
                        other => {
                            let text = if is_secret { HIDDEN.into() } else { convert::string(other) };
                            return fail(
                                parameter.span,
                                "RUNTIME_ERROR",
                                format!("Invalid value '{text}' in parameter '{name}'"),
                            );
                        }
                    };
                    if self.catalog.find(&ty).is_none() {
                        let ty = if is_secret { HIDDEN.into() } else { ty.to_string() };
                        return self
                            .runtime(parameter.span, format!("Could not find resource '{ty}' in parameter '{name}'"));
                    }
                }
            }
        }
        Ok(())
    }

    /// The resource that a text such as `Notify[b]` names.
    pub fn reference(&self, text: &str) -> Option<ResourceId> {
        let (ty, rest) = text.split_once('[')?;
        let title = rest.strip_suffix(']')?;
        let title = title.trim_matches(['\'', '"']);
        self.catalog.lookup(&ty.to_lowercase(), title)
    }
}
