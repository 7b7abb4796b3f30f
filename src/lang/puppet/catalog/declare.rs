//! Resources, classes and defines as they are declared and evaluated.

use std::collections::BTreeSet;
use std::sync::Arc;

use indexmap::IndexMap;

use super::ral;
use super::{Attribute, Parameter, Resource, ResourceId, Sort, capitalised};
use crate::lang::puppet::ast::{self, AttributeKind, Definition, Expr, Form, Kind, Text};
use crate::lang::puppet::eval::stop::{At, Problem, Run, fail};
use crate::lang::puppet::eval::unknown::UNKNOWN;
use crate::lang::puppet::eval::{Evaluator, convert};
use crate::lang::puppet::scope::{Owner, Scope, ScopeId, TOP};
use crate::lang::puppet::types::{self, Type};
use crate::lang::puppet::value::Value;
use crate::source::Span;

/// A body of a resource expression, evaluated.
struct Body {
    titles: Vec<Text>,
    attributes: Vec<Attribute>,
    span: Span,
}

impl Evaluator<'_> {
    pub fn resource(&mut self, resource: &ast::Resource, scope: ScopeId, span: Span) -> Run {
        let ty = self.resource_type_name(&resource.ty, scope)?;
        if &*ty == "class" && resource.form != Form::Regular {
            return fail(span, "CLASS_NOT_VIRTUALIZABLE", "Classes are not virtualizable");
        }
        let mut seen: BTreeSet<Text> = BTreeSet::new();
        let mut has_default = false;
        let mut defaults: Vec<Attribute> = Vec::new();
        let mut bodies = Vec::new();
        for body in &resource.bodies {
            let title = self.eval(&body.title, scope)?;
            if matches!(title, Value::Default) {
                if std::mem::replace(&mut has_default, true) {
                    return fail(
                        body.span,
                        "DUPLICATE_TITLE",
                        "The title 'default' has already been used in this resource expression",
                    );
                }
                defaults = self.attributes(&body.ops, scope)?;
                continue;
            }
            let mut titles = Vec::new();
            self.titles(&title, &body.title, false, &mut titles)?;
            let attributes = self.attributes(&body.ops, scope)?;
            if let Some(at) = titles.iter().position(|t| t.is_empty()) {
                titles.remove(at);
                if std::mem::replace(&mut has_default, true) || titles.iter().any(|t| t.is_empty()) {
                    return fail(
                        body.span,
                        "DUPLICATE_TITLE",
                        "The title 'default' has already been used in this resource expression",
                    );
                }
                defaults.clone_from(&attributes);
            }
            for title in &titles {
                if !seen.insert(title.clone()) {
                    return fail(
                        body.span,
                        "DUPLICATE_TITLE",
                        format!("The title '{title}' has already been used in this resource expression"),
                    );
                }
            }
            bodies.push(Body { titles, attributes, span: body.span });
        }
        if resource.form == Form::Exported {
            self.log(
                "warning",
                "You cannot collect exported resources without storeconfigs being set; the export is ignored",
            );
        }
        let mut made = Vec::new();
        for body in bodies {
            let mut attributes = body.attributes;
            for default in &defaults {
                if !attributes.iter().any(|a| a.name == default.name) {
                    attributes.push(default.clone());
                }
            }
            for title in body.titles {
                let reference = self.declare(&ty, &title, &attributes, resource.form, scope, body.span)?;
                made.push(reference);
            }
        }
        Ok(Value::array(made))
    }

    fn titles(&self, value: &Value, expr: &Expr, nested: bool, out: &mut Vec<Text>) -> Run<()> {
        match value {
            Value::Array(list) => {
                for value in list.iter() {
                    self.titles(value, expr, true, out)?;
                }
            }
            Value::Str(text) if text.is_empty() => {
                return fail(
                    expr.span,
                    "EMPTY_STRING_TITLE_AT",
                    "Empty string title. Title Strings must have a length greater than zero.",
                );
            }
            Value::Str(text) => out.push(text.clone()),
            // An empty title stands for `default` among other titles.
            Value::Default if nested => out.push("".into()),
            Value::Undef => {
                let name = if nested { "MISSING_TITLE_AT" } else { "MISSING_TITLE" };
                return fail(expr.span, name, "Missing title. The title expression resulted in undef");
            }
            other => {
                return fail(
                    expr.span,
                    "ILLEGAL_TITLE_TYPE_AT",
                    format!("Illegal title type. Expected String, got {}", types::infer_generic(other)),
                );
            }
        }
        Ok(())
    }

    /// The name of a resource type in lower case, from a name, a string or a type.
    fn resource_type_name(&mut self, expr: &Expr, scope: ScopeId) -> Run<Text> {
        let value = match &expr.kind {
            Kind::Name(name) => Value::Str(name.clone()),
            _ => self.eval(expr, scope)?,
        };
        match &value {
            Value::Str(_) if matches!(expr.kind, Kind::Str(_)) => fail(
                expr.span,
                "ILLEGAL_RESOURCE_TYPE",
                "Illegal Resource Type expression, expected result to be a type name, or untitled Resource, got String",
            ),
            Value::Str(name) if name.contains('[') => {
                let ty = self.type_from_text(name, expr.span)?;
                match &*ty {
                    Type::Resource(Some(name), None) => Ok(name.clone()),
                    _ => fail(
                        expr.span,
                        "ILLEGAL_RESOURCE_TYPE",
                        format!(
                            "Illegal Resource Type expression, expected result to be a type name, or untitled Resource, got {name}"
                        ),
                    ),
                }
            }
            Value::Str(name)
                if !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == ':') =>
            {
                Ok(name.trim_start_matches("::").to_lowercase().into())
            }
            Value::Type(ty) => match &**ty {
                Type::Resource(Some(name), None) => Ok(name.clone()),
                Type::Class(None) => Ok("class".into()),
                _ => fail(
                    expr.span,
                    "ILLEGAL_RESOURCE_TYPE",
                    format!(
                        "Illegal Resource Type expression, expected result to be a type name, or untitled Resource, got {ty}"
                    ),
                ),
            },
            other => fail(
                expr.span,
                "ILLEGAL_RESOURCE_TYPE",
                format!(
                    "Illegal Resource Type expression, expected result to be a type name, or untitled Resource, got {}",
                    types::infer_generic(other)
                ),
            ),
        }
    }

    /// Attributes in order; `* => hash` stands for its entries.
    pub fn attributes(&mut self, ops: &[ast::Attribute], scope: ScopeId) -> Run<Vec<Attribute>> {
        let mut out: Vec<Attribute> = Vec::new();
        for op in ops {
            let value = self.eval(&op.value, scope)?;
            let (name, appends) = match &op.kind {
                AttributeKind::Set(name) => (name.clone(), false),
                AttributeKind::Append(name) => (name.clone(), true),
                AttributeKind::Splat => {
                    let Value::Hash(map) = &value else {
                        return fail(
                            op.value.span,
                            "TYPE_MISMATCH",
                            format!("Expected value of type Hash, got {}", types::infer_generic(&value)),
                        );
                    };
                    for (key, value) in map.iter() {
                        let attribute = Attribute {
                            name: convert::string(key).into(),
                            value: value.clone(),
                            appends: false,
                            span: op.span,
                        };
                        push_unique(&mut out, attribute)?;
                    }
                    continue;
                }
            };
            push_unique(&mut out, Attribute { name, value, appends, span: op.span })?;
        }
        Ok(out)
    }

    /// Declares one resource and gives its reference.
    pub fn declare(
        &mut self,
        ty: &Text,
        title: &Text,
        attributes: &[Attribute],
        form: Form,
        scope: ScopeId,
        span: Span,
    ) -> Run {
        if &**ty == "class" && form != Form::Regular {
            return fail(span, "CLASS_NOT_VIRTUALIZABLE", "Classes are not virtualizable");
        }
        if &**ty == "class" {
            let name: Text = title.trim_start_matches("::").to_lowercase().into();
            self.declare_class(&name, Some(attributes), scope, span)?;
            return Ok(Value::Type(Type::Class(Some(name)).into()));
        }
        let sort = self.sort_of(ty, span)?;
        if self.has_unknown && title.contains(UNKNOWN) {
            return self.runtime(span, "the title depends on a value that only Ruby computes");
        }
        let title = title.clone();
        let trimmed = (&**ty == "file" && title.len() > 1 && title.ends_with('/'))
            .then(|| title.trim_end_matches('/').to_string());
        if let Some(other) = self.catalog.lookup(ty, &title) {
            return self.duplicate(ty, &title, other, span);
        }
        let container = self.scopes.get(scope).resource;
        let mut resource = Resource {
            ty: ty.clone(),
            title: title.clone(),
            sort,
            parameters: IndexMap::new(),
            form,
            is_exported: form == Form::Exported,
            scope,
            span,
            tags: BTreeSet::new(),
            is_evaluated: sort != Sort::Define,
            source: self.class_around(scope),
            given_undef: Vec::new(),
            sensitive: Vec::new(),
        };
        resource.add_tag(ty);
        resource.add_tag(&title);
        for attribute in attributes {
            if &*attribute.name == "title" {
                return self.runtime(attribute.span, "title is a reserved word and cannot be an attribute");
            }
            if &*attribute.name == "stage" {
                return self.runtime(
                    span,
                    format!(
                        "Only classes can set 'stage'; normal resources like {}[{title}] cannot change run stage",
                        capitalised(ty)
                    ),
                );
            }
            if sort == Sort::Define && !ral::is_metaparameter(&attribute.name) {
                let known = self.defines.get(ty).is_some_and(|d| d.params.iter().any(|p| p.name == attribute.name));
                if !known && &*attribute.name != "name" {
                    return self.runtime(
                        span,
                        format!("{}[{title}]: has no parameter named '{}'", capitalised(ty), attribute.name),
                    );
                }
            }
            resource.parameters.insert(
                attribute.name.clone(),
                Parameter { value: attribute.value.clone(), is_default: false, span: attribute.span },
            );
        }
        let id = self.catalog.add(resource);
        self.inherit_tags(id, container, scope);
        self.tag_by_parameter(id);
        self.add_defaults(id, scope);
        let undef: Vec<Text> = self
            .catalog
            .get(id)
            .parameters
            .iter()
            .filter(|(_, p)| p.value == Value::Undef)
            .map(|(n, _)| n.clone())
            .collect();
        self.catalog.get_mut(id).given_undef = undef;
        self.catalog.get_mut(id).parameters.retain(|_, p| p.value != Value::Undef);
        if let Some(path) = trimmed {
            self.catalog.get_mut(id).parameters.entry("path".into()).or_insert(Parameter {
                value: Value::str(path),
                is_default: false,
                span,
            });
        }
        self.add_aliases(id, span)?;
        if let Some(container) = container.filter(|_| sort != Sort::Stage) {
            self.catalog.edges.push((container, id));
        }
        Ok(Value::Type(Type::Resource(Some(ty.clone()), Some(title)).into()))
    }

    fn duplicate<V>(&self, ty: &str, title: &str, other: ResourceId, span: Span) -> Run<V> {
        let place = self.sources.place(self.catalog.get(other).span);
        fail(
            span,
            "RUNTIME_ERROR",
            format!(
                "Duplicate declaration: {}[{title}] is already declared at (file: {}, line: {}); cannot redeclare",
                capitalised(ty),
                place.file,
                place.line
            ),
        )
    }

    fn inherit_tags(&mut self, id: ResourceId, container: Option<ResourceId>, scope: ScopeId) {
        let mut tags: Vec<Text> = self.scopes.get(scope).tags.clone();
        if let Some(container) = container {
            tags.extend(self.catalog.get(container).tags.iter().cloned());
        }
        let resource = self.catalog.get_mut(id);
        resource.tags.extend(tags);
    }

    pub(super) fn tag_by_parameter(&mut self, id: ResourceId) {
        let value = self.catalog.get(id).parameter("tag").cloned();
        let mut flat = Vec::new();
        if let Some(value) = value {
            flatten(&value, &mut flat);
        }
        for tag in flat {
            self.catalog.get_mut(id).add_tag(&convert::string(&tag));
        }
    }

    /// Names besides the title: `alias`, and the name of a resource that has one.
    fn add_aliases(&mut self, id: ResourceId, span: Span) -> Run<()> {
        let resource = self.catalog.get(id);
        let ty = resource.ty.clone();
        let mut names: Vec<String> = Vec::new();
        if let Some(alias) = resource.parameter("alias") {
            let mut flat = Vec::new();
            flatten(alias, &mut flat);
            names.extend(flat.iter().map(convert::string));
        }
        if resource.sort == Sort::Builtin
            && let Some(name) = ral::namevar(&ty).and_then(|n| resource.parameter(n))
            && ral::is_isomorphic(&ty)
        {
            names.push(convert::string(name));
        }
        for name in names {
            if let Err(other) = self.catalog.alias(&ty, &name, id) {
                let own = self.catalog.get(id).reference();
                let other = self.catalog.get(other).reference();
                return self
                    .runtime(span, format!("Cannot alias {own} to [\"{name}\"]; resource {other} already declared"));
            }
        }
        Ok(())
    }

    /// The class whose body a scope is in, for who may override.
    pub(super) fn class_around(&self, scope: ScopeId) -> Option<Text> {
        let scope = self.scopes.declaring(scope);
        match self.owner(scope) {
            Owner::Class(name) => Some(name.clone()),
            Owner::Define => {
                let at = self.scopes.get(scope).resource?;
                Some(format!("define {}", self.catalog.get(at).ty).into())
            }
            _ => Some("".into()),
        }
    }

    pub fn sort_of(&mut self, ty: &Text, span: Span) -> Run<Sort> {
        if &**ty == "stage" {
            return Ok(Sort::Stage);
        }
        if ral::is_builtin(ty) {
            return Ok(Sort::Builtin);
        }
        if !self.defines.contains_key(ty) {
            self.load_class_or_define(ty, span)?;
        }
        if self.defines.contains_key(ty) {
            return Ok(Sort::Define);
        }
        fail(span, "UNKNOWN_RESOURCE_TYPE", format!("Unknown resource type: '{ty}'"))
    }

    pub fn known_resource_type(&mut self, name: &Text, at: &Expr) -> Run<()> {
        if ral::is_builtin(name) || matches!(&**name, "class" | "stage" | "node") || self.defines.contains_key(name) {
            return Ok(());
        }
        self.load_class_or_define(name, at.span)?;
        if self.defines.contains_key(name) {
            return Ok(());
        }
        fail(at.span, "UNKNOWN_RESOURCE_TYPE", format!("Resource type not found: {}", capitalised(name)))
    }

    pub fn is_parameter(&mut self, id: ResourceId, name: &str) -> bool {
        if ral::is_metaparameter(name) {
            return true;
        }
        let resource = self.catalog.get(id);
        match resource.sort {
            Sort::Builtin => ral::has_parameter(&resource.ty, name),
            Sort::Define => self.defines.get(&resource.ty).is_some_and(|d| d.params.iter().any(|p| &*p.name == name)),
            Sort::Class => self.classes.get(&resource.title).is_some_and(|d| d.params.iter().any(|p| &*p.name == name)),
            _ => false,
        }
    }

    /// A class, its parameters given or looked up; evaluates it at once.
    pub fn declare_class(
        &mut self,
        name: &Text,
        attributes: Option<&[Attribute]>,
        scope: ScopeId,
        span: Span,
    ) -> Run<ResourceId> {
        let existing = self.catalog.lookup("class", name);
        if let Some(id) = existing {
            return match attributes {
                Some(_) => self.duplicate("class", &capitalised(name), id, span),
                None => Ok(id),
            };
        }
        let Some(definition) = self.find_class(name, span)? else {
            return fail(span, "RUNTIME_ERROR", format!("Could not find class {name}"));
        };
        let declaring = self.scopes.declaring(scope);
        let container = self.scopes.get(declaring).resource;
        let stage_of = |e: &Self| container.and_then(|c| e.catalog.get(c).parameter("stage").cloned());
        let mut resource = Resource {
            ty: "class".into(),
            title: name.clone(),
            sort: Sort::Class,
            parameters: IndexMap::new(),
            form: Form::Regular,
            is_exported: false,
            scope: declaring,
            span,
            tags: BTreeSet::new(),
            is_evaluated: true,
            source: None,
            given_undef: Vec::new(),
            sensitive: Vec::new(),
        };
        resource.add_tag("class");
        resource.add_tag(name);
        for attribute in attributes.unwrap_or_default() {
            let known = ral::is_metaparameter(&attribute.name)
                || &*attribute.name == "stage"
                || definition.params.iter().any(|p| p.name == attribute.name);
            if !known {
                return self.runtime(
                    span,
                    format!("Class[{}]: has no parameter named '{}'", capitalised(name), attribute.name),
                );
            }
            if attribute.value != Value::Undef || !definition.params.iter().any(|p| p.name == attribute.name) {
                resource.parameters.insert(
                    attribute.name.clone(),
                    Parameter { value: attribute.value.clone(), is_default: false, span: attribute.span },
                );
            }
        }
        let given_undef: Vec<Text> =
            attributes.unwrap_or_default().iter().filter(|a| a.value == Value::Undef).map(|a| a.name.clone()).collect();
        let stage = resource.parameter("stage").cloned().or_else(|| stage_of(self));
        let stage = stage.map_or("main".to_string(), |s| convert::string(&s));
        let id = self.catalog.add(resource);
        self.inherit_tags(id, container, declaring);
        self.tag_by_parameter(id);
        let Some(stage_id) = self.catalog.lookup("stage", &stage) else {
            return self
                .runtime(span, format!("Could not find stage {stage} specified by Class[{}]", capitalised(name)));
        };
        if stage != "main" {
            self.catalog
                .get_mut(id)
                .parameters
                .insert("stage".into(), Parameter { value: Value::str(stage), is_default: false, span });
        }
        self.catalog.edges.push((stage_id, id));
        self.deeper(span, |e| e.evaluate_class(id, &definition, &given_undef, declaring, span))?;
        Ok(id)
    }

    fn evaluate_class(
        &mut self,
        id: ResourceId,
        definition: &Arc<Definition>,
        given_undef: &[Text],
        dynamic: ScopeId,
        span: Span,
    ) -> Run<()> {
        let name: Text = definition.name.to_lowercase().into();
        let mut parent = self.scopes.node.unwrap_or(TOP);
        let mut parent_dynamic = dynamic;
        if let Some(parent_name) = &definition.parent {
            let parent_name: Text = parent_name.trim_start_matches("::").to_lowercase().into();
            if parent_name == name {
                return self
                    .runtime(span, format!("Could not find parent resource type '{parent_name}' of type hostclass"));
            }
            if self.catalog.lookup("class", &parent_name).is_none() {
                if self.find_class(&parent_name, span)?.is_none() {
                    let environment = &self.settings.environment_name;
                    return self.runtime(
                        span,
                        format!(
                            "Could not find parent resource type '{parent_name}' of type hostclass in {environment}"
                        ),
                    );
                }
                self.declare_class(&parent_name, None, dynamic, span)?;
            }
            if let Some(scope) = self.scopes.classes.get(&parent_name) {
                parent = *scope;
                parent_dynamic = *scope;
            }
        }
        let mut scope = Scope::new(Owner::Class(name.clone()), Some(parent), Some(parent_dynamic));
        scope.resource = Some(id);
        scope.module = Some(Self::module_of(&name));
        let scope = self.scopes.add(scope);
        self.scopes.classes.insert(name.clone(), scope);
        self.catalog.classes.push(name.clone());
        let label: Text = format!("Class[{}]", capitalised(&name)).into();
        self.set_parameters(id, &definition.params, &label, Some(&name), given_undef, scope, span)?;
        let module: Text = Self::module_of(&name);
        let variables = &mut self.scopes.get_mut(scope).variables;
        variables.insert("title".into(), Value::Str(name.clone()));
        variables.insert("name".into(), Value::Str(name.clone()));
        variables.insert("module_name".into(), Value::Str(module));
        self.body(&definition.body, scope)
    }

    /// Gives the parameters of a class or define their values, in the scope and on the resource.
    #[allow(clippy::too_many_arguments, reason = "all of it is one declaration")]
    fn set_parameters(
        &mut self,
        id: ResourceId,
        params: &[ast::Parameter],
        label: &Text,
        class: Option<&Text>,
        given_undef: &[Text],
        scope: ScopeId,
        span: Span,
    ) -> Run<()> {
        let mut missing = Vec::new();
        for param in params {
            let given = self.catalog.get(id).parameter(&param.name).cloned();
            let data = match (&given, class) {
                (None, Some(class)) => self.parameter_data(&format!("{class}::{}", param.name), scope, span)?,
                _ => None,
            };
            let value = match (given.or(data), &param.value) {
                (Some(value), _) => value,
                // It may need one that is missing.
                (None, Some(_)) if !missing.is_empty() => continue,
                (None, Some(default)) => self.eval(default, scope)?,
                (None, None) if given_undef.contains(&param.name) => Value::Undef,
                (None, None) => {
                    missing.push(format!("expects a value for parameter '{}'", param.name));
                    continue;
                }
            };
            if let Some(ty) = &param.ty {
                let ty = self.type_of(ty, scope)?;
                if !types::is_instance(&ty, &value) {
                    let got = types::describe_mismatch(&ty, &value);
                    return self.runtime(span, format!("{label}: parameter '{}' {got}", param.name));
                }
            }
            if value != Value::Undef {
                self.catalog
                    .get_mut(id)
                    .parameters
                    .insert(param.name.clone(), Parameter { value: value.clone(), is_default: false, span });
            }
            self.scopes.get_mut(scope).variables.insert(param.name.clone(), value);
        }
        match &missing[..] {
            [] => Ok(()),
            [one] => self.runtime(span, format!("{label}: {one}")),
            several => self.runtime(span, format!("{label}:\n  {}", several.join("\n  "))),
        }
    }

    pub fn find_class(&mut self, name: &Text, span: Span) -> Run<Option<Arc<Definition>>> {
        if !self.classes.contains_key(name) {
            self.load_class_or_define(name, span)?;
        }
        Ok(self.classes.get(name).cloned())
    }

    /// Runs the body of a define for one of its instances.
    pub(super) fn evaluate_define(&mut self, id: ResourceId) -> Run<()> {
        let resource = self.catalog.get_mut(id);
        resource.is_evaluated = true;
        let (ty, title, declaring, span) = (resource.ty.clone(), resource.title.clone(), resource.scope, resource.span);
        let label: Text = resource.reference().into();
        let Some(definition) = self.defines.get(&ty).cloned() else { return Ok(()) };
        let parent = self.scopes.node.unwrap_or(TOP);
        let mut scope = Scope::new(Owner::Define, Some(parent), Some(declaring));
        scope.resource = Some(id);
        scope.module = Some(Self::module_of(&ty));
        let module = Self::module_of(&ty);
        let caller = self.scopes.get(self.scopes.declaring(declaring)).module.clone();
        let scope = self.scopes.add(scope);
        let variables = &mut self.scopes.get_mut(scope).variables;
        variables.insert("title".into(), Value::Str(title.clone()));
        variables.insert("name".into(), Value::Str(title));
        variables.insert("module_name".into(), Value::Str(module));
        variables.insert("caller_module_name".into(), caller.map_or(Value::str(""), Value::Str));
        let given_undef = std::mem::take(&mut self.catalog.get_mut(id).given_undef);
        self.set_parameters(id, &definition.params, &label, None, &given_undef, scope, span)?;
        self.body(&definition.body, scope)
    }

    /// A sensitive value as an attribute is unwrapped and remembered.
    pub(super) fn unwrap_sensitive(&mut self, id: ResourceId) {
        let resource = self.catalog.get_mut(id);
        for (name, parameter) in &mut resource.parameters {
            if let Value::Sensitive(inner) = &parameter.value {
                parameter.value = (**inner).clone();
                resource.sensitive.push(name.clone());
            }
        }
    }
}

fn push_unique(out: &mut Vec<Attribute>, attribute: Attribute) -> Run<()> {
    if out.iter().any(|a| a.name == attribute.name) {
        return Err(Problem::new(
            "DUPLICATE_ATTRIBUE",
            format!("The attribute '{}' has already been set", attribute.name),
        ))
        .at(attribute.span);
    }
    out.push(attribute);
    Ok(())
}

pub fn flatten(value: &Value, out: &mut Vec<Value>) {
    match value {
        Value::Array(list) => list.iter().for_each(|v| flatten(v, out)),
        other => out.push(other.clone()),
    }
}
