//! Resources, classes and defines as they are declared and evaluated.

use std::collections::BTreeSet;

use super::ral;
use super::{Attribute, OTHERS, Parameter, Parameters, Resource, Sort, Tags};
use crate::diag::Code;
use crate::lang::puppet::ast::{self, AttributeKind, Expr, Form, Kind, Text};
use crate::lang::puppet::catalog::Catalog;
use crate::lang::puppet::convert;
use crate::lang::puppet::environment::Inputs;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::ids::{ResourceId, ScopeId};
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::loader::Loader;
use crate::lang::puppet::names::{capitalised, lower};
use crate::lang::puppet::output::Output;
use crate::lang::puppet::program::Program;
use crate::lang::puppet::scope::{Owner, Scopes};
use crate::lang::puppet::stop::{At, Help, Problem, Run, fail, runtime};
use crate::lang::puppet::types::{self, Type};
use crate::lang::puppet::unknown;
use crate::lang::puppet::value::{Value, flatten};
use crate::source::Span;

/// Bytes of a resource, and of one of its parameters.
const RESOURCE: usize = 400;
pub(super) const PARAMETER: usize = 64;

/// A body of a resource expression, evaluated.
struct Body {
    titles: Vec<Text>,
    attributes: Vec<Attribute>,
    span: Span,
}

impl Evaluator<'_> {
    /// Evaluates a resource expression: declares a resource for each title.
    pub fn resource(&mut self, resource: &ast::Resource, scope: ScopeId, span: Span) -> Run {
        let Some(ty) = self.resource_type_name(&resource.ty, scope)? else {
            self.output.leave_out(&self.inputs, "the type of a resource", resource.ty.span);
            self.left_out_reader().leave_out_any_class(span)?;
            // It may be a class.
            for body in &resource.bodies {
                let title = self.eval(&body.title, scope)?;
                let attributes = self.attributes(&body.ops, scope)?;
                self.left_out_reader().leave_out_class_title(&title, &attributes, body.title.span);
            }
            return Ok(Value::Unknown(None));
        };
        if &*ty == "class" && resource.form != Form::Regular {
            return fail(span, IssueName::ClassNotVirtualizable, "Classes are not virtualizable");
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
                        IssueName::DuplicateTitle,
                        "The title 'default' has already been used in this resource expression",
                    );
                }
                defaults = self.attributes(&body.ops, scope)?;
                continue;
            }
            let mut titles = Vec::new();
            // A resource is found by these attributes too, whatever its title is.
            let is_plain = |op: &ast::Attribute| match &op.kind {
                AttributeKind::Set(name) => !matches!(&**name, "alias" | "name" | "path"),
                AttributeKind::Append(_) | AttributeKind::Splat => false,
            };
            if self.output.has_unknown
                && unknown::is_in(&title)
                && !resource.bodies.iter().all(|body| body.ops.iter().all(is_plain))
            {
                self.leave_out_title(&ty, &Value::Unknown(None), body.title.span)?;
            }
            self.titles(&title, &body.title, &ty, false, &mut titles)?;
            let attributes = self.attributes(&body.ops, scope)?;
            if &*ty == "class" && self.output.meets_unknown(&[&title]) {
                self.left_out_reader().leave_out_class_title(&title, &attributes, body.title.span);
            }
            if let Some(at) = titles.iter().position(|t| t.is_empty()) {
                titles.remove(at);
                if std::mem::replace(&mut has_default, true) || titles.iter().any(|t| t.is_empty()) {
                    return fail(
                        body.span,
                        IssueName::DuplicateTitle,
                        "The title 'default' has already been used in this resource expression",
                    );
                }
                defaults.clone_from(&attributes);
            }
            for title in &titles {
                if !seen.insert(title.clone()) {
                    return fail(
                        body.span,
                        IssueName::DuplicateTitle,
                        format!("The title '{title}' has already been used in this resource expression"),
                    );
                }
            }
            bodies.push(Body { titles, attributes, span: body.span });
        }
        if resource.form == Form::Exported && !self.inputs.settings.exported {
            self.output.log(
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
                if let Some(id) = self.catalog.lookup(&ty, &title) {
                    self.catalog.get_mut(id).expression = Some(span);
                    self.program.arm.declared_at(&ty, id, span);
                }
                made.push(reference);
            }
        }
        Ok(Value::array(made))
    }

    fn titles(&mut self, value: &Value, expr: &Expr, ty: &Text, nested: bool, out: &mut Vec<Text>) -> Run<()> {
        match value {
            Value::Array(list) => {
                for value in list.iter() {
                    self.titles(value, expr, ty, true, out)?;
                }
            }
            Value::Str(text) if text.is_empty() => {
                return fail(
                    expr.span,
                    IssueName::EmptyStringTitleAt,
                    "Empty string title. Title Strings must have a length greater than zero.",
                );
            }
            Value::Str(text) => out.push(text.clone()),
            Value::Unknown(_) => self.leave_out_title(ty, value, expr.span)?,
            // An empty title stands for `default` among other titles.
            Value::Default if nested => out.push("".into()),
            Value::Undef => {
                let name = if nested { IssueName::MissingTitleAt } else { IssueName::MissingTitle };
                return fail(expr.span, name, "Missing title. The title expression resulted in undef");
            }
            other => {
                return fail(
                    expr.span,
                    IssueName::IllegalTitleTypeAt,
                    format!("Illegal title type. Expected String, got {}", types::infer_generic(other)),
                );
            }
        }
        Ok(())
    }

    /// The name of a resource type in lower case, from a name, a string or a type; nothing where it is unknown.
    fn resource_type_name(&mut self, expr: &Expr, scope: ScopeId) -> Run<Option<Text>> {
        let value = match &expr.kind {
            Kind::Name(name) => Value::Str(name.clone()),
            _ => self.eval(expr, scope)?,
        };
        match &value {
            Value::Unknown(_) => Ok(None),
            Value::Str(_) if matches!(expr.kind, Kind::Str(_)) => fail(
                expr.span,
                IssueName::IllegalResourceType,
                "Illegal Resource Type expression, expected result to be a type name, or untitled Resource, got String",
            )
            .help(format!(
                "write the type without quotes: `{} {{ 'TITLE': … }}`",
                crate::lang::puppet::convert::string(&value)
            )),
            Value::Str(name) if name.contains('[') => {
                let ty = self.type_from_text(name, expr.span)?;
                match &*ty {
                    Type::Resource(Some(name), None) => Ok(Some(name.clone())),
                    _ => fail(
                        expr.span,
                        IssueName::IllegalResourceType,
                        format!(
                            "Illegal Resource Type expression, expected result to be a type name, or untitled Resource, got {name}"
                        ),
                    ),
                }
            }
            Value::Str(name)
                if !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == ':') =>
            {
                Ok(Some(lower(name)))
            }
            Value::Type(ty) => match &**ty {
                Type::Resource(Some(name), None) => Ok(Some(name.clone())),
                Type::Class(None) => Ok(Some("class".into())),
                _ => fail(
                    expr.span,
                    IssueName::IllegalResourceType,
                    format!(
                        "Illegal Resource Type expression, expected result to be a type name, or untitled Resource, got {ty}"
                    ),
                ),
            },
            other => fail(
                expr.span,
                IssueName::IllegalResourceType,
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
                    if matches!(&value, Value::Unknown(_))
                        || matches!(&value, Value::Hash(map) if map.keys().any(unknown::is_in))
                    {
                        self.output.warn_of_attributes(&self.inputs, op.value.span);
                        let known = if let Value::Hash(map) = &value { map.clone() } else { Default::default() };
                        for (key, value) in known.iter().filter(|(key, _)| !unknown::is_in(key)) {
                            let (name, value) = (convert::string(key).into(), value.clone());
                            push_unique(&mut out, Attribute { name, value, appends: false, span: op.span })?;
                        }
                        let (name, value) = (OTHERS.into(), Value::Unknown(None));
                        push_unique(&mut out, Attribute { name, value, appends: false, span: op.span })?;
                        continue;
                    }
                    let Value::Hash(map) = &value else {
                        return fail(
                            op.value.span,
                            IssueName::TypeMismatch,
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
            return fail(span, IssueName::ClassNotVirtualizable, "Classes are not virtualizable");
        }
        if &**ty == "class" {
            let name = lower(title);
            self.declare_class(&name, Some(attributes), scope, span)?;
            return Ok(Value::Type(Type::Class(Some(name)).into()));
        }
        let sort = self.loader().sort_of(ty, span)?;
        let title = title.clone();
        let trimmed = (&**ty == "file" && title.len() > 1 && title.ends_with('/'))
            .then(|| title.trim_end_matches('/').to_string());
        if let Some(other) = self.catalog.lookup(ty, &title) {
            return self.catalog.duplicate(&self.scopes, &self.inputs, ty, &title, other, span);
        }
        let container = self.scopes.get(scope).resource;
        let mut resource = Resource {
            ty: ty.clone(),
            title: title.clone(),
            sort,
            parameters: Parameters::with_capacity_and_hasher(attributes.len(), Default::default()),
            form,
            is_exported: form == Form::Exported,
            scope,
            span,
            expression: None,
            tags: Tags::default(),
            is_evaluated: sort != Sort::Define,
            source: self.catalog.class_around(&self.scopes, scope),
            given_undef: Vec::new(),
            sensitive: Vec::new(),
        };
        resource.add_tag(ty.clone());
        resource.add_tag(title.clone());
        for attribute in attributes {
            if &*attribute.name == "title" {
                return runtime(attribute.span, "title is a reserved word and cannot be an attribute")
                    .code(Code::InvalidName)
                    .help("write the title before the `:`, and a different name as `name` or `path`");
            }
            if &*attribute.name == "stage" {
                let message = format!(
                    "Only classes can set 'stage'; normal resources like {}[{title}] cannot change run stage",
                    capitalised(ty)
                );
                return fail(span, IssueName::UnknownArgument, message)
                    .edit(attribute.span)
                    .help("move the resource into a class, and set `stage` where that class is declared");
            }
            if &*attribute.name == "tag" {
                check_tags(&attribute.value, span)?;
            }
            resource.parameters.insert(
                attribute.name.clone(),
                Parameter { value: attribute.value.clone(), is_default: false, span: attribute.span },
            );
        }
        if self.catalog.resources.len() as u64 >= self.inputs.settings.resources {
            return runtime(span, format!("more than {} resources are declared", self.inputs.settings.resources))
                .code(Code::EvaluationLimit)
                .help("declare fewer, or raise it with `--limit resources=NUMBER`");
        }
        self.output.build(RESOURCE + attributes.len() * PARAMETER, span)?;
        let id = self.catalog.add(resource);
        let above = container.map_or(0, |container| self.catalog.get(container).tags.count());
        let own = match self.catalog.get(id).parameter("tag") {
            Some(Value::Array(list)) => list.len(),
            _ => 0,
        };
        self.output.pay_tags(above + own + self.scopes.get(scope).tags.count(), span)?;
        self.catalog.inherit_tags(&self.scopes, id, container, scope);
        self.catalog.tag_by_parameter(id);
        self.output.build_tags(self.catalog.get(id).tags.count(), span)?;
        self.catalog.add_defaults(&self.scopes, id, scope);
        self.catalog.forget_declared(&self.program, &mut self.output, id)?;
        if form != Form::Regular && sort == Sort::Define {
            self.left_out_reader().read_virtual(ty, span)?;
        }
        let resource = self.catalog.get_mut(id);
        let is_undef = |(_, parameter): &(&Text, &Parameter)| parameter.value == Value::Undef;
        resource.given_undef = resource.parameters.iter().filter(is_undef).map(|(name, _)| name.clone()).collect();
        resource.parameters.retain(|_, parameter| parameter.value != Value::Undef);
        if let Some(path) = trimmed {
            self.catalog.get_mut(id).parameters.entry("path".into()).or_insert(Parameter {
                value: Value::str(path),
                is_default: false,
                span,
            });
        }
        self.catalog.add_aliases(&self.program, id, span)?;
        self.catalog.leave_out_name(&self.program, &mut self.output, id);
        if let Some(container) = container.filter(|_| sort != Sort::Stage) {
            self.catalog.edges.push((container, id));
        }
        Ok(Value::Type(Type::Resource(Some(ty.clone()), Some(title)).into()))
    }
}

impl Catalog {
    pub(super) fn duplicate<V>(
        &self,
        scopes: &Scopes,
        inputs: &Inputs<'_>,
        ty: &str,
        title: &str,
        other: ResourceId,
        span: Span,
    ) -> Run<V> {
        let other = self.get(other);
        let first = other.expression.unwrap_or(other.span);
        let place = inputs.sources.place(first);
        let by = |scope: ScopeId| {
            let owner = scopes.get(scopes.declaring(scope)).resource.map(|id| self.get(id));
            owner.filter(|owner| !matches!(&*owner.ty, "class" if &*owner.title == "main"))
        };
        let declarer = by(other.scope);
        let reference = format!("{}[{title}]", capitalised(ty));
        let mut first_text = format!("{reference} is declared here first");
        if let Some(owner) = declarer.filter(|owner| owner.sort == Sort::Define) {
            first_text.push_str(&format!(", for {}", owner.reference()));
        }
        let help = if ty == "class" {
            format!("declare it once with values, and before each `include {}`", title.to_lowercase())
        } else {
            let quoted = crate::lang::puppet::suggestion::unread_variable(title).filter(|_| ty != "exec");
            quoted.unwrap_or_else(|| "remove one of the two, or give it another title".into())
        };
        let refused = fail(
            span,
            IssueName::RuntimeError,
            format!(
                "Duplicate declaration: {}[{title}] is already declared at (file: {}, line: {}); cannot redeclare",
                capitalised(ty),
                place.file,
                place.line
            ),
        )
        .code(Code::DuplicateResource)
        .label(format!("{reference} is declared already, at {}:{}", place.file, place.line))
        .related(first, first_text)
        .help(help);
        match declarer.filter(|owner| owner.sort == Sort::Define) {
            Some(owner) => {
                let declared = format!("{} is declared here", owner.reference());
                refused.related(owner.expression.unwrap_or(owner.span), declared)
            }
            None => refused,
        }
    }

    /// Adds the tags of the scope and the container, and returns how many are new.
    pub(super) fn inherit_tags(
        &mut self,
        scopes: &Scopes,
        id: ResourceId,
        container: Option<ResourceId>,
        scope: ScopeId,
    ) -> usize {
        let mut tags = std::mem::take(&mut self.get_mut(id).tags);
        let mut new = tags.inherit(&scopes.get(scope).tags);
        if let Some(container) = container.filter(|container| *container != id) {
            new += tags.inherit(&self.get(container).tags);
        }
        self.get_mut(id).tags = tags;
        new
    }

    /// Names besides the title: `alias`, and the name of a resource that has one.
    pub(super) fn add_aliases(&mut self, program: &Program, id: ResourceId, span: Span) -> Run<()> {
        let resource = self.get(id);
        let ty = resource.ty.clone();
        let mut names: Vec<String> = Vec::new();
        if let Some(alias) = resource.parameter("alias") {
            let mut flat = Vec::new();
            flatten(alias, &mut flat);
            names.extend(flat.iter().filter(|name| !unknown::is_in(name)).map(convert::string));
        }
        if resource.sort == Sort::Builtin
            && let Some(name) = program.namevar(&ty).and_then(|n| resource.parameter(n))
            && program.is_isomorphic(&ty)
            && !unknown::is_in(name)
            && &*ty != "package"
        {
            names.push(convert::string(name));
        }
        // Two providers may have a package of one name.
        if &*ty == "package" {
            let known = |name: &str| resource.parameter(name).filter(|value| !unknown::is_in(value));
            let name = known("name").map_or_else(|| resource.title.to_string(), convert::string);
            let provider = known("provider").map(convert::string).unwrap_or_default();
            names.push(super::package_key(&name, &provider));
        }
        for name in names {
            if let Err(other) = self.alias(&ty, &name, id) {
                let name = name.split('\0').next().unwrap_or_default();
                let own = self.get(id).reference();
                let first = self.get(other).span;
                let other = self.get(other).reference();
                return runtime(span, format!("Cannot alias {own} to [\"{name}\"]; resource {other} already declared"))
                    .code(Code::DuplicateResource)
                    .related(first, format!("{other} is declared here"))
                    .help("give one of the two another name");
            }
        }
        Ok(())
    }

    /// Any resource of the type may be meant where another name of a resource is unknown.
    pub(super) fn leave_out_name(&self, program: &Program, output: &mut Output<'_>, id: ResourceId) {
        if output.has_unknown && self.has_unknown_name(program, id) {
            output.left_out.add_any(&self.get(id).ty);
        }
    }

    /// Whether a resource has or may have another name besides its title, which is unknown.
    fn has_unknown_name(&self, program: &Program, id: ResourceId) -> bool {
        let resource = self.get(id);
        let value = |name: &str| resource.parameter(name).or_else(|| resource.parameter(OTHERS));
        let is_open = |name: &str| value(name).is_some_and(unknown::is_in);
        let has_name =
            resource.sort == Sort::Builtin && &*resource.ty != "package" && program.is_isomorphic(&resource.ty);
        is_open("alias") || has_name && program.namevar(&resource.ty).is_some_and(is_open)
    }

    /// The class whose body a scope is in, for who may override.
    pub(super) fn class_around(&self, scopes: &Scopes, scope: ScopeId) -> Option<Text> {
        let scope = scopes.declaring(scope);
        match scopes.owner(scope) {
            Owner::Class(name) => Some(name.clone()),
            Owner::Define => {
                let at = scopes.get(scope).resource?;
                Some(format!("define {}", self.get(at).ty).into())
            }
            _ => Some("".into()),
        }
    }

    /// Whether a resource takes a parameter or metaparameter of this name.
    pub fn is_parameter(&mut self, program: &Program, id: ResourceId, name: &str) -> bool {
        if ral::is_metaparameter(name) {
            return true;
        }
        let resource = self.get(id);
        match resource.sort {
            Sort::Builtin => program.has_parameter(&resource.ty, name),
            Sort::Define => {
                program.defines.get(&resource.ty).is_some_and(|d| d.params.iter().any(|p| &*p.name == name))
            }
            Sort::Class => {
                program.classes.get(&resource.title).is_some_and(|d| d.params.iter().any(|p| &*p.name == name))
            }
            _ => false,
        }
    }

    /// Takes the tag away that a title gives: one that is a number is no tag.
    pub fn untag(&mut self, ty: &str, title: &str) {
        if let Some(id) = self.lookup(ty, title) {
            self.get_mut(id).tags.remove(title);
        }
    }

    /// Puppet gives an instance of a define whose title is no text its name as a parameter.
    pub fn name_define(&mut self, ty: &str, title: &str, span: Span) {
        let Some(id) = self.lookup(ty, title).filter(|id| self.get(*id).sort == Sort::Define) else {
            return;
        };
        let name = Parameter { value: Value::str(title), is_default: false, span };
        self.get_mut(id).parameters.entry("name".into()).or_insert(name);
    }

    pub(super) fn tag_by_parameter(&mut self, id: ResourceId) {
        let parameters = &self.get(id).parameters;
        let value = parameters.get("tag").or_else(|| parameters.get(OTHERS)).map(|parameter| parameter.value.clone());
        let mut flat = Vec::new();
        if let Some(value) = value {
            flatten(&value, &mut flat);
        }
        let resource = self.get_mut(id);
        for tag in &flat {
            if unknown::is_in(tag) {
                resource.tags.may_have_more = true;
            } else {
                resource.add_tag(convert::text(tag));
            }
        }
    }
}

/// Fails for a tag that a resource cannot have.
fn check_tags(tags: &Value, span: Span) -> Run<()> {
    let mut flat = Vec::new();
    flatten(tags, &mut flat);
    let known = flat.iter().filter(|tag| **tag != Value::Undef && !unknown::is_in(tag));
    match known.map(convert::string).find(|tag| !crate::lang::puppet::names::valid_tag(&tag.to_lowercase())) {
        Some(tag) => runtime(span, format!("Invalid tag '{tag}'"))
            .code(Code::InvalidName)
            .help("use letters, digits, `_`, `-`, `.` and `:`"),
        None => Ok(()),
    }
}

impl Loader<'_, '_> {
    /// Returns the sort of a resource type; loads its file if necessary. Fails if the type is unknown.
    pub fn sort_of(&mut self, ty: &Text, span: Span) -> Run<Sort> {
        if &**ty == "stage" {
            return Ok(Sort::Stage);
        }
        // A type in Ruby comes before a define of the same name.
        if ral::is_builtin(ty) || self.described(ty).is_some() {
            return Ok(Sort::Builtin);
        }
        if !self.program.defines.contains_key(ty) {
            self.load_class_or_define(ty, span)?;
        }
        if self.program.defines.contains_key(ty) {
            return Ok(Sort::Define);
        }
        if self.is_declared_type(ty, span)? {
            return Ok(Sort::Builtin);
        }
        let help = self.unknown_resource_type(ty);
        fail(span, IssueName::UnknownResourceType, format!("Unknown resource type: '{ty}'")).help(help)
    }

    /// Fails if the resource type of a reference is unknown; loads its file if necessary.
    pub fn known_resource_type(&mut self, name: &Text, at: &Expr) -> Run<()> {
        if ral::is_builtin(name)
            || matches!(&**name, "class" | "stage" | "node")
            || self.program.defines.contains_key(name)
        {
            return Ok(());
        }
        self.load_class_or_define(name, at.span)?;
        if self.program.defines.contains_key(name) || self.is_declared_type(name, at.span)? {
            return Ok(());
        }
        let written = if let crate::lang::puppet::ast::Kind::Ref(written) = &at.kind { written } else { name };
        let help = self.unknown_resource_type(written);
        fail(at.span, IssueName::UnknownResourceType, format!("Resource type not found: {}", capitalised(name)))
            .help(help)
    }
}

fn push_unique(out: &mut Vec<Attribute>, attribute: Attribute) -> Run<()> {
    if out.iter().any(|a| a.name == attribute.name) {
        return Err(Problem::new(
            IssueName::DuplicateAttribute,
            format!("The attribute '{}' has already been set", attribute.name),
        ))
        .at(attribute.span);
    }
    out.push(attribute);
    Ok(())
}
