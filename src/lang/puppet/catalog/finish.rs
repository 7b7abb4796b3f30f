//! The end of a compilation: late overrides, tags, metaparameters of containers, relationships, and what is missing.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::class::place_in_data;
use super::{Arrow, ArrowKind, OTHERS, Operand, Parameter, Sort, ral};
use crate::diag::Code;
use crate::graph::HIDDEN;
use crate::lang::puppet::ast::{Form, Text};
use crate::lang::puppet::catalog::Catalog;
use crate::lang::puppet::convert;
use crate::lang::puppet::environment::Inputs;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::ids::ResourceId;
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::lookup::Hiera;
use crate::lang::puppet::output::Output;
use crate::lang::puppet::program::Program;
use crate::lang::puppet::scope::Scopes;
use crate::lang::puppet::stop::{Help, Run, fail, runtime};
use crate::lang::puppet::types::{Ty, Type};
use crate::lang::puppet::value::{Value, flatten};
use crate::source::Span;

/// Metaparameters that what is inside of a container takes over.
const INHERITED: [&str; 7] = ["alias", "audit", "loglevel", "noop", "schedule", "stage", "tag"];
/// Bytes of a relationship, and of a tag.
const EDGE: usize = 128;
const TAG: usize = 32;

const ARROWS: [(&str, ArrowKind); 4] = [
    ("before", ArrowKind::Before),
    ("require", ArrowKind::Require),
    ("notify", ArrowKind::Notify),
    ("subscribe", ArrowKind::Subscribe),
];

/// What one side of an arrow names.
struct Side {
    text: String,
    ty: Ty,
    id: Option<ResourceId>,
}

impl Evaluator<'_> {
    pub(super) fn finish(&mut self, start: Span) -> Run<()> {
        self.finish_overrides()?;
        self.finish_relations()?;
        self.catalog.inherit(&mut self.output, &self.scopes)?;
        for id in self.catalog.ids().collect::<Vec<_>>() {
            self.catalog.flatten_arrows(&mut self.output, id)?;
            self.catalog.unwrap_sensitive(id);
        }
        self.catalog.check_unrealized(&self.program)?;
        self.catalog.check_exports(&self.hiera, &self.inputs)?;
        self.catalog.check_realized(&mut self.output, &self.inputs, start)?;
        self.catalog.check_parameters(&self.program, &mut self.inputs, &mut self.hiera)?;
        self.check_arm_resources()?;
        self.check_targets()?;
        self.types_in_worker()
    }

    fn finish_overrides(&mut self) -> Run<()> {
        let overrides = std::mem::take(&mut self.catalog.overrides);
        let mut missing = Vec::new();
        let mut at = None;
        for o in overrides {
            match self.catalog.lookup(&o.ty, &o.title) {
                Some(id) => {
                    let at = (o.scope, o.span);
                    self.catalog.override_one(&self.program, &self.scopes, id, &o.attributes, at, false)?;
                    self.catalog.leave_out_name(&self.program, &mut self.output, id);
                }
                None if self.output.left_out.may_declare(&o.ty, &o.title) => {
                    self.output.leave_out(&self.inputs, "an override", o.span)
                }
                None => {
                    at.get_or_insert((o.span, o.ty.clone(), o.title.clone()));
                    missing.push(format!("{}[{}]", crate::lang::puppet::names::capitalised(&o.ty), o.title));
                }
            }
        }
        self.catalog.forget_all(&self.program, &mut self.output)?;
        match at {
            Some((span, ty, title)) => {
                let message = format!("Could not find resource(s) {} for overriding", missing.join(", "));
                let refused = runtime(span, message).code(Code::UnknownResource);
                match self.catalog.unknown_reference(&ty, &title, None) {
                    (help, Some((place, declared))) => refused.related(place, declared).help(help),
                    _ => refused.help("declare the resource, or remove the override"),
                }
            }
            None => Ok(()),
        }
    }

    /// The resources that one side of an arrow names.
    fn sides(&mut self, operand: &Operand, before: Option<usize>, is_source: bool, span: Span) -> Run<Vec<Side>> {
        match operand {
            Operand::Collector(index) => {
                let found = self.catalog.collectors[*index].found.clone();
                if found.is_empty()
                    && is_source
                    && let Some(relation) = before.map(|i| self.catalog.relations[i].clone())
                {
                    return self.sides(&relation.source, relation.before, true, span);
                }
                let side = |id| {
                    let resource = self.catalog.get(id);
                    Side { text: resource.reference(), ty: resource.as_type(), id: Some(id) }
                };
                Ok(found.into_iter().map(side).collect())
            }
            Operand::Value(value) => {
                let mut flat = Vec::new();
                flatten(value, &mut flat);
                let mut out = Vec::new();
                for value in flat {
                    let ty = match &value {
                        Value::Type(ty) => ty.clone(),
                        Value::Unknown(_) => {
                            self.output.leave_out(&self.inputs, "this relationship", span);
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
                    out.push(Side { text, ty, id });
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
            for Side { text: source, ty, id } in &sources {
                let Some(id) = *id else {
                    if self.output.left_out.may_declare_type(ty) {
                        self.output.leave_out(&self.inputs, "this relationship", relation.span);
                        continue;
                    }
                    let target = targets.first().map_or("", |target| &target.text);
                    let message = format!("Could not find resource '{source}' for relationship on '{target}'");
                    let refused = runtime(relation.span, message);
                    return self.catalog.without_target(&self.inputs, refused, ty, (None, relation.span));
                };
                self.output.build(EDGE * targets.len(), relation.span)?;
                self.output.spend(targets.len() as u64, relation.span)?;
                for Side { text: target, ty, id: found } in &targets {
                    if found.is_none() && self.output.left_out.may_declare_type(ty) {
                        self.output.leave_out(&self.inputs, "this relationship", relation.span);
                        continue;
                    }
                    if found.is_none() {
                        let message = format!("Could not find resource '{target}' for relationship from '{source}'");
                        let refused = runtime(relation.span, message);
                        return self.catalog.without_target(&self.inputs, refused, ty, (Some(id), relation.span));
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
                        std::sync::Arc::make_mut(list).push(Value::Type(ty.clone()));
                    }
                }
            }
        }
        Ok(())
    }

    /// Finds the resources that relationships name; each has to be in the catalog.
    fn check_targets(&mut self) -> Run<()> {
        for owner in self.catalog.ids().collect::<Vec<_>>() {
            if self.catalog.get(owner).form != Form::Regular {
                continue;
            }
            for (name, kind) in ARROWS {
                let Some(parameter) = self.catalog.get(owner).parameters.get(name) else { continue };
                let (mut flat, span) = (Vec::new(), parameter.span);
                flatten(&parameter.value, &mut flat);
                for value in flat {
                    if let Some(target) = self.target(owner, name, &value, span)? {
                        let found = self.catalog.get(target);
                        if found.form != Form::Regular && self.output.left_out.may_realize(&found.ty) {
                            self.output.leave_out(&self.inputs, &format!("a relationship in `{name}`"), span);
                            continue;
                        }
                        self.catalog.arrows.push(Arrow { owner, kind, target, span });
                    }
                }
            }
        }
        Ok(())
    }

    /// The resource that a value of a relationship names. `None` for undef and for an unknown value.
    fn target(&mut self, owner: ResourceId, name: &str, value: &Value, span: Span) -> Run<Option<ResourceId>> {
        let is_secret = self.catalog.get(owner).sensitive.iter().any(|secret| &**secret == name);
        let ty = match value {
            Value::Type(ty) => ty.clone(),
            Value::Str(text) => {
                if let Some(id) = self.catalog.reference(text) {
                    return Ok(Some(id));
                }
                let Ok(ty) = self.type_from_text(text, span) else {
                    let reference = self.catalog.get(owner).reference();
                    let text = if is_secret { HIDDEN } else { text };
                    let message = format!("Could not find resource '{text}' in parameter '{name}' of {reference}");
                    return runtime(span, message)
                        .code(Code::UnknownResource)
                        .help("write a reference: `Package['x']`, not a text");
                };
                ty
            }
            Value::Undef => return Ok(None),
            Value::Unknown(_) => {
                self.output.leave_out(&self.inputs, &format!("a relationship in `{name}`"), span);
                return Ok(None);
            }
            other => {
                let text = if is_secret { HIDDEN.into() } else { convert::string(other) };
                return fail(span, IssueName::RuntimeError, format!("Invalid value '{text}' in parameter '{name}'"))
                    .code(Code::InvalidReference)
                    .help("write a reference, such as `Package['x']`");
            }
        };
        match self.catalog.find(&ty) {
            Some(id) => Ok(Some(id)),
            None if self.output.left_out.may_declare_type(&ty) => {
                self.output.leave_out(&self.inputs, &format!("a relationship in `{name}`"), span);
                Ok(None)
            }
            None => {
                if is_secret {
                    return runtime(span, format!("Could not find resource '{HIDDEN}' in parameter '{name}'"))
                        .code(Code::UnknownResource)
                        .help("declare the resource, or correct the reference");
                }
                let refused = runtime(span, format!("Could not find resource '{ty}' in parameter '{name}'"));
                self.catalog.without_target(&self.inputs, refused, &ty, (Some(owner), span))
            }
        }
    }
}

impl Catalog {
    /// Tags come from where a resource is declared; along containment from the main class, tags and metaparameters
    /// go down. An included class is below its stage, so nothing reaches it this way.
    fn inherit(&mut self, output: &mut Output<'_>, scopes: &Scopes) -> Run<()> {
        for id in self.ids().collect::<Vec<_>>() {
            let scope = self.get(id).scope;
            let Some(container) = scopes.get(scope).resource.filter(|c| *c != id) else { continue };
            if self.get(id).sort == Sort::Stage {
                continue;
            }
            let count = self.get(container).tags.count();
            output.pay_tags(count, self.get(id).span)?;
            let new = self.inherit_tags(scopes, id, Some(container), scope);
            output.build_tags(new, self.get(id).span)?;
        }
        let mut contents: FxHashMap<ResourceId, Vec<ResourceId>> = FxHashMap::default();
        for (container, id) in &self.edges {
            contents.entry(*container).or_default().push(*id);
        }
        let mut waiting: VecDeque<ResourceId> = self.lookup("class", "main").into_iter().collect();
        while let Some(container) = waiting.pop_front() {
            let inner = contents.remove(&container).unwrap_or_default();
            let above = self.get(container);
            let (count, span) = (above.tags.count().saturating_mul(inner.len()), above.span);
            output.pay_tags(count, span)?;
            let above = self.get(container);
            let tags = above.tags.clone();
            let taken: Vec<(Text, Parameter)> = INHERITED
                .iter()
                .filter_map(|name| Some(((*name).into(), above.parameters.get(*name)?.clone())))
                .collect();
            for id in &inner {
                let resource = self.get_mut(*id);
                output.build_tags(resource.tags.inherit(&tags), span)?;
                for (name, parameter) in &taken {
                    resource.parameters.entry(name.clone()).or_insert_with(|| parameter.clone());
                }
            }
            waiting.extend(inner);
        }
        Ok(())
    }

    pub(super) fn apply_waiting_overrides(
        &mut self,
        program: &Program,
        output: &mut Output<'_>,
        scopes: &Scopes,
        id: ResourceId,
    ) -> Run<()> {
        let (ty, title) = (self.get(id).ty.clone(), self.get(id).title.clone());
        let (now, later): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.overrides).into_iter().partition(|o| o.ty == ty && o.title == title);
        self.overrides = later;
        for o in now {
            self.override_one(program, scopes, id, &o.attributes, (o.scope, o.span), false)?;
            self.leave_out_name(program, output, id);
        }
        Ok(())
    }

    /// What comes before or after is a flat list without undef.
    fn flatten_arrows(&mut self, output: &mut Output<'_>, id: ResourceId) -> Run<()> {
        for (name, _) in ARROWS {
            let arrow = self.get(id).parameters.get(name);
            let (count, span) = match arrow {
                Some(Parameter { value: Value::Array(list), span, .. }) => (list.len(), *span),
                Some(parameter) => (1, parameter.span),
                None => continue,
            };
            // Each is a relationship of the graph.
            output.build(EDGE * count, span)?;
            output.spend(count as u64, span)?;
            let Some(parameter) = self.get_mut(id).parameters.get_mut(name) else { continue };
            if let Value::Array(_) = parameter.value {
                let mut flat = Vec::new();
                flatten(&parameter.value, &mut flat);
                flat.retain(|v| *v != Value::Undef);
                parameter.value = Value::array(flat);
            }
        }
        Ok(())
    }

    /// Virtual and exported instances of defines have all required parameters too.
    fn check_unrealized(&mut self, program: &Program) -> Run<()> {
        for id in self.ids().collect::<Vec<_>>() {
            let resource = self.get(id);
            if resource.sort != Sort::Define || resource.is_evaluated || resource.parameters.contains_key(OTHERS) {
                continue;
            }
            let Some(definition) = program.defines.get(&resource.ty) else { continue };
            let is_missing = |param: &&crate::lang::puppet::ast::Parameter| {
                param.value.is_none() && !resource.parameters.contains_key(&param.name)
            };
            if let Some(missing) = definition.params.iter().find(is_missing) {
                let (span, reference) = (resource.span, resource.reference());
                let message = format!("{reference}: expects a value for parameter '{}'", missing.name);
                return fail(span, IssueName::MissingArgument, message);
            }
        }
        Ok(())
    }

    /// Completes the refusal of a reference to a resource that is not in the catalog.
    fn without_target<V>(
        &self,
        inputs: &Inputs<'_>,
        refused: Run<V>,
        ty: &Ty,
        (owner, span): (Option<ResourceId>, Span),
    ) -> Run<V> {
        let (ty, title) = match &**ty {
            Type::Resource(Some(ty), Some(title)) => (ty.clone(), title.clone()),
            Type::Class(Some(name)) => (Text::from("class"), name.clone()),
            _ => return refused.code(Code::UnknownResource).help("write a reference with a title: `Package['x']`"),
        };
        let (help, near) = self.unknown_reference(&ty, &title, owner);
        let refused = refused.code(Code::UnknownResource).edit(inputs.reference_after(span, &title)).help(help);
        match near {
            Some((place, message)) => refused.related(place, message),
            None => refused,
        }
    }
}

impl Output<'_> {
    /// Spends the steps of comparing tags with those of a container.
    pub(super) fn pay_tags(&mut self, count: usize, span: Span) -> Run<()> {
        self.spend_items(count, span)
    }

    /// Spends the bytes of new tags.
    pub(super) fn build_tags(&mut self, count: usize, span: Span) -> Run<()> {
        self.build(TAG * count, span)
    }
}

impl Inputs<'_> {
    /// Where a title is written in the value behind a place; that place where it is not written out.
    fn reference_after(&self, span: Span, title: &str) -> Span {
        const NEAR: usize = 600;
        let text = &self.sources.file(span.file).text;
        let start = span.range().start;
        let mut end = text.len().min(start + NEAR);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let behind = text.get(start..end).unwrap_or_default();
        let quoted = [format!("'{title}'"), format!("\"{title}\""), format!("[{title}]")];
        let found = quoted.iter().filter_map(|quoted| Some((behind.find(quoted.as_str())?, quoted.len()))).min();
        found.map_or(span, |(at, length)| Span::new(span.file, start + at, start + at + length))
    }
}

impl Catalog {
    /// Refuses realized resources that nothing declares.
    fn check_realized(&self, output: &mut Output, inputs: &Inputs, start: Span) -> Run<()> {
        let is_missing = |(ty, title, _): &&(Text, Text, Span)| self.lookup(ty, title).is_none();
        let missing: Vec<_> = self.realized.iter().filter(is_missing).collect();
        let left_out = &output.left_out;
        if !missing.is_empty() && missing.iter().all(|(ty, title, _)| left_out.may_declare(ty, title)) {
            output.leave_out(inputs, "`realize`", start);
            return Ok(());
        }
        let Some((ty, title, place)) = missing.first().copied().cloned() else { return Ok(()) };
        let missing: Vec<String> = missing
            .iter()
            .map(|(ty, title, _)| format!("{}[{title}]", crate::lang::puppet::names::capitalised(ty)))
            .collect();
        let (near, declared) = self.unknown_reference(&ty, &title, None);
        let refused = runtime(start, format!("Failed to realize virtual resources {}", missing.join(", ")))
            .code(Code::UnknownResource)
            .edit(place);
        match declared {
            Some((declared, words)) => refused.related(declared, words).help(near),
            None => refused.help("declare the resource with `@`, or correct the title"),
        }
    }

    /// Refuses parameters that their resource types do not have.
    fn check_parameters(&self, program: &Program, inputs: &mut Inputs, hiera: &mut Hiera) -> Run<()> {
        let found = self.ids().find_map(|id| {
            let resource = self.get(id);
            if resource.sort != Sort::Builtin || program.accepts_any(&resource.ty) {
                return None;
            }
            let is_unknown = |name: &&Text| {
                !ral::is_metaparameter(name) && &***name != OTHERS && !program.has_parameter(&resource.ty, name)
            };
            resource.parameters.keys().find(is_unknown).map(|name| (id, name.clone()))
        });
        let Some((id, name)) = found else { return Ok(()) };
        let resource = self.get(id);
        let (span, reference, title) = (resource.span, resource.reference(), resource.title.clone());
        let parameter = resource.parameters.get(&name);
        let (place, value) = (parameter.map_or(span, |parameter| parameter.span), parameter.map(|p| p.value.clone()));
        let help = ral::unknown_parameter(&resource.ty, &name);
        let message = format!("no parameter named '{name}' on {reference}");
        let refused = fail(span, IssueName::UnknownArgument, message).help(help);
        match value.and_then(|value| place_in_data(inputs, hiera, place, (&title, &name, &value))) {
            Some(data) => refused.edit(data).related(place, "used here"),
            None => refused.edit(place),
        }
    }
}
