//! Defaults, overrides, collectors and relationships.

use rustc_hash::FxHashSet;

use super::class::unknown_parameter;
use super::declare::PARAMETER;
use super::{
    Attribute, Collector, OTHERS, Operand, Override, Parameter, Parameters, Query, Relation, Resource, Sort, Tags, ral,
};
use crate::diag::Code;
use crate::lang::puppet::ast::{self, Expr, Form, Kind, Op, RelationOp, Text};
use crate::lang::puppet::catalog::Catalog;
use crate::lang::puppet::convert;
use crate::lang::puppet::eval::left_out::{self, Change, Changed, Changes, bare};
use crate::lang::puppet::eval::{Evaluator, operator};
use crate::lang::puppet::ids::{ResourceId, ScopeId};
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::names::capitalised;
use crate::lang::puppet::output::Output;
use crate::lang::puppet::program::Program;
use crate::lang::puppet::scope::Scopes;
use crate::lang::puppet::stop::{Help, Run, fail, runtime};
use crate::lang::puppet::types::{self, Ty, Type};
use crate::lang::puppet::unknown::is_in;
use crate::lang::puppet::value::{Value, flattened};
use crate::source::Span;

impl Evaluator<'_> {
    /// Evaluates `Type { … }`: sets defaults for the resources of a type in this scope and those below it.
    pub fn set_defaults(&mut self, defaults: &ast::Defaults, scope: ScopeId, span: Span) -> Run {
        let value = self.catalog_type(&defaults.target, scope)?;
        let refused =
            |got: &Ty| fail(span, IssueName::IllegalResourceType, format!("a resource type is expected, got {got}"));
        let ty: Text = match &value {
            Value::Type(ty) => match &**ty {
                Type::Resource(Some(name), None) => name.clone(),
                _ => return refused(ty),
            },
            other => return refused(&types::infer_generic(other)),
        };
        self.loader().known_resource_type(&ty, &defaults.target)?;
        let attributes = self.attributes(&defaults.ops, scope)?;
        let at = self.scopes.declaring(scope);
        for attribute in &attributes {
            let own = self.scopes.get(at).defaults.get(&ty);
            let is_same = |a: &Attribute| a.name == attribute.name && !matches!(a.value, Value::Unknown(_));
            if own.is_some_and(|list| list.iter().any(is_same)) {
                let (ty, name) = (capitalised(&ty), &attribute.name);
                let message = format!("Default already defined for {ty} {{ {name} }}; cannot redefine");
                return runtime(attribute.span, message).help("remove one of the two defaults");
            }
        }
        let own = self.scopes.get_mut(at).defaults.entry(ty).or_default();
        // A part that was left out may have set it to the same.
        own.retain(|one| attributes.iter().all(|attribute| attribute.name != one.name));
        own.extend(attributes);
        Ok(value)
    }

    /// Evaluates `Type[title] { … }`: sets attributes on resources, now or as soon as they are declared.
    pub fn override_resources(&mut self, defaults: &ast::Defaults, scope: ScopeId, span: Span) -> Run {
        let value = self.eval(&defaults.target, scope)?;
        let attributes = self.attributes(&defaults.ops, scope)?;
        let refused = |got: &Ty| {
            let message = format!("Resource Override can only operate on resources, got: {got}");
            fail(span, IssueName::IllegalOverriddenType, message)
        };
        for reference in &flattened(std::slice::from_ref(&value)) {
            let (ty, title) = match reference {
                Value::Type(ty) => match &**ty {
                    Type::Resource(Some(name), Some(title)) => (name.clone(), title.clone()),
                    _ => return refused(ty),
                },
                Value::Unknown(_) => {
                    self.output.leave_out(&self.inputs, "an override", span);
                    let ty = left_out::reference(&defaults.target).map(|(ty, _)| ty);
                    self.left_out_reader().leave_out_change(Change::new(ty, None, &attributes, span))?;
                    continue;
                }
                other => return refused(&types::infer_generic(other)),
            };
            match self.catalog.lookup(&ty, &title) {
                Some(id) => {
                    self.catalog.override_one(&self.program, &self.scopes, id, &attributes, (scope, span), false)?;
                    self.catalog.leave_out_name(&self.program, &mut self.output, id);
                }
                None => {
                    self.catalog.overrides.push(Override { ty, title, attributes: attributes.clone(), scope, span })
                }
            }
        }
        Ok(value)
    }

    /// Evaluates a collector statement; the collector runs until the catalog is finished.
    pub fn collect(&mut self, collect: &ast::Collect, scope: ScopeId, span: Span) -> Run {
        self.add_collector(collect, scope, span)?;
        Ok(Value::Undef)
    }

    fn add_collector(&mut self, collect: &ast::Collect, scope: ScopeId, span: Span) -> Run<usize> {
        let ty: Text = match self.catalog_type(&collect.ty, scope)? {
            Value::Type(ty) => match &*ty {
                Type::Resource(Some(name), None) => name.clone(),
                Type::Class(None) => {
                    return runtime(span, "Classes cannot be collected")
                        .code(Code::Misplaced)
                        .help("write `include CLASS`");
                }
                _ => return fail(span, IssueName::IllegalExpression, "a resource type is expected"),
            },
            _ => return fail(span, IssueName::IllegalExpression, "a resource type is expected"),
        };
        self.loader().sort_of(&ty, collect.ty.span)?;
        let query = match &collect.query {
            None => Query::All,
            Some(query) => self.query(query, scope)?,
        };
        let attributes = self.attributes(&collect.ops, scope)?;
        if collect.exported && !self.inputs.settings.exported {
            self.output.log(
                "warning",
                "You cannot collect exported resources without storeconfigs being set; the collection will be ignored",
            );
        }
        let collector = Collector {
            ty,
            exported: collect.exported,
            query,
            attributes,
            scope,
            span,
            found: Vec::new(),
            is_searched: false,
        };
        self.catalog.collectors.push(collector);
        Ok(self.catalog.collectors.len() - 1)
    }

    fn query(&mut self, query: &Expr, scope: ScopeId) -> Run<Query> {
        Ok(match &query.kind {
            Kind::Paren(inner) => self.query(inner, scope)?,
            Kind::And(left, right) => {
                Query::And(Box::new(self.query(left, scope)?), Box::new(self.query(right, scope)?))
            }
            Kind::Or(left, right) => Query::Or(Box::new(self.query(left, scope)?), Box::new(self.query(right, scope)?)),
            Kind::Binary(op, left, right) => {
                let name: Text = match &left.kind {
                    Kind::Name(name) | Kind::Str(name) => name.clone(),
                    _ => convert::string(&self.eval(left, scope)?).into(),
                };
                if matches!(right.kind, Kind::Regex(_) | Kind::Array(_) | Kind::Hash(_)) {
                    return runtime(right.span, "A query compares with a name, a text, a number or a variable")
                        .code(Code::InvalidReference)
                        .help("set a variable to the value before, and compare with it");
                }
                let value = self.eval(right, scope)?;
                if self.output.meets_unknown(&[&value]) {
                    self.output.leave_out(&self.inputs, "what this query selects", query.span);
                    return Ok(Query::Unknown);
                }
                if *op == Op::NotEqual { Query::NotEqual(name, value) } else { Query::Equal(name, value) }
            }
            _ => return fail(query.span, IssueName::IllegalQueryExpression, "Illegal query expression"),
        })
    }

    /// Runs every collector once; whether one found something new.
    pub(super) fn run_collectors(&mut self) -> Run<bool> {
        let mut any = false;
        for index in 0..self.catalog.collectors.len() {
            let span = self.catalog.collectors[index].span;
            self.output.spend(self.catalog.resources.len() as u64 / 2, span)?;
            let Collector { ty, exported, query, attributes, scope, span, .. } = &self.catalog.collectors[index];
            if *exported && !self.inputs.settings.exported {
                continue;
            }
            let (exported, attributes, scope, span) = (*exported, attributes.clone(), *scope, *span);
            let found: FxHashSet<ResourceId> = self.catalog.collectors[index].found.iter().copied().collect();
            let ty = ty.clone();
            let mut ids = Vec::new();
            let mut undecided = Vec::new();
            for id in self.catalog.ids() {
                let resource = self.catalog.get(id);
                let Resource { title, tags, parameters, .. } = resource;
                if resource.ty != ty || found.contains(&id) || exported && !resource.is_exported {
                    continue;
                }
                match fits(query, &Candidate { title, tags, parameters }) {
                    Some(true) => ids.push(id),
                    Some(false) => {}
                    None => undecided.push(id),
                }
            }
            if let Some(first) = undecided.first() {
                self.output.leave_out(&self.inputs, "what this query selects", span);
                if undecided.iter().any(|id| self.catalog.get(*id).form != Form::Regular) {
                    self.left_out_reader().realize_left_out(Some(ty.clone()), span)?;
                }
                let titles = vec![self.catalog.get(*first).title.clone()];
                let names = Change::new(Some(ty), Some(titles), &attributes, span).names;
                let changed = Changed { names: names.map(|names| names.into_iter().collect()), span };
                for id in undecided {
                    self.catalog.forget_attributes(&self.program, &mut self.output, id, &changed)?;
                }
            }
            if exported && !std::mem::replace(&mut self.catalog.collectors[index].is_searched, true) {
                ids.extend(self.collect_from_others(index)?);
            }
            for id in ids {
                self.catalog.collectors[index].found.push(id);
                self.catalog.get_mut(id).form = Form::Regular;
                any = true;
                if !attributes.is_empty() {
                    self.catalog.override_one(&self.program, &self.scopes, id, &attributes, (scope, span), true)?;
                    self.catalog.leave_out_name(&self.program, &mut self.output, id);
                }
            }
        }
        Ok(any)
    }

    /// Evaluates a chain of arrows, and records one relation for each. Returns the last operand as an array.
    pub fn relation(&mut self, first: &Expr, rest: &[(RelationOp, Span, Expr)], scope: ScopeId) -> Run {
        let mut left = self.operand(first, scope)?;
        let mut last = None;
        for (op, span, right) in rest {
            let right = self.operand(right, scope)?;
            for operand in [&left, &right] {
                check_operand(operand, *span)?;
            }
            let notify = matches!(op, RelationOp::Notify | RelationOp::Subscribe);
            let is_reversed = matches!(op, RelationOp::Require | RelationOp::Subscribe);
            let (source, target) = if is_reversed { (right.clone(), left) } else { (left, right.clone()) };
            self.catalog.relations.push(Relation { source, target, notify, span: *span, before: last });
            last = Some(self.catalog.relations.len() - 1);
            left = right;
        }
        Ok(match left {
            Operand::Value(value @ Value::Array(_)) => value,
            Operand::Value(value) => Value::array(vec![value]),
            Operand::Collector(_) => Value::Undef,
        })
    }

    fn operand(&mut self, expr: &Expr, scope: ScopeId) -> Run<Operand> {
        match &expr.kind {
            Kind::Collect(collect) => Ok(Operand::Collector(self.add_collector(collect, scope, expr.span)?)),
            _ => Ok(Operand::Value(self.eval(expr, scope)?)),
        }
    }
}

impl Program {
    /// Whether resources of a type in Ruby may have an attribute.
    pub fn takes(&self, ty: &str, name: &str) -> bool {
        ral::is_metaparameter(name) || name == "name" || self.has_parameter(ty, name)
    }
}

impl Catalog {
    /// The defaults that count for a resource, nearest first.
    pub(super) fn add_defaults(&mut self, scopes: &Scopes, id: ResourceId, scope: ScopeId) {
        let ty = self.get(id).ty.clone();
        let mut found: Vec<Attribute> = Vec::new();
        for at in scopes.dynamic(scope) {
            for attribute in scopes.get(at).defaults.get(&ty).into_iter().flatten() {
                if !found.iter().any(|a| a.name == attribute.name) {
                    found.push(attribute.clone());
                }
            }
            // It may set what the scopes around set.
            if found.iter().any(|attribute| &*attribute.name == OTHERS) {
                break;
            }
        }
        for attribute in found {
            let parameters = &mut self.get_mut(id).parameters;
            if !parameters.contains_key(&attribute.name) {
                parameters.insert(
                    attribute.name.clone(),
                    Parameter { value: attribute.value, is_default: true, span: attribute.span },
                );
                if matches!(&*attribute.name, "tag" | OTHERS) {
                    self.tag_by_parameter(id);
                }
            }
        }
    }

    /// Returns the default for a parameter of a resource, from the nearest scope that sets one; undef if there is none.
    pub fn default_of(&mut self, scopes: &Scopes, id: ResourceId, name: &str) -> Value {
        let (ty, scope) = (self.get(id).ty.clone(), self.get(id).scope);
        for at in scopes.dynamic(scope) {
            let own = scopes.get(at).defaults.get(&ty);
            let of = |name: &str| own.into_iter().flatten().find(|a| *a.name == *name);
            if let Some(found) = of(name).or_else(|| of(OTHERS)) {
                return found.value.clone();
            }
        }
        Value::Undef
    }

    /// Sets attributes of a resource that is there, if that is allowed.
    pub(super) fn override_one(
        &mut self,
        program: &Program,
        scopes: &Scopes,
        id: ResourceId,
        attributes: &[Attribute],
        (scope, span): (ScopeId, Span),
        by_collector: bool,
    ) -> Run<()> {
        if self.get(id).sort == Sort::Define && self.get(id).is_evaluated && !by_collector {
            return runtime(span, "Attempt to override an already evaluated resource, defined at, with new values")
                .code(Code::Misplaced)
                .help("move the override before the end of the main manifest");
        }
        let source = self.class_around(scopes, scope);
        let is_same = self.get(id).source == source;
        let may = by_collector || self.may_override(program, id, source.as_ref());
        if !may && !is_same && !attributes.is_empty() {
            return runtime(span, "Only subclasses can override parameters")
                .code(Code::Misplaced)
                .related(self.get(id).span, "the resource is declared here")
                .help(match (source.as_deref(), self.get(id).source.as_deref()) {
                    (Some(own), Some(other)) if !own.is_empty() && !other.is_empty() && !other.contains(' ') => {
                        format!("set the parameter at the declaration, or write `class {own} inherits {other}`")
                    }
                    _ => "set the parameter at the declaration, or inherit its class".into(),
                });
        }
        for attribute in attributes {
            let known = self.is_parameter(program, id, &attribute.name) || &*attribute.name == "name";
            if !known && matches!(self.get(id).sort, Sort::Define | Sort::Class) {
                let resource = self.get(id);
                let reference = resource.reference();
                let definition = match resource.sort {
                    Sort::Class => program.classes.get(&resource.title),
                    _ => program.defines.get(&resource.ty),
                };
                let help = definition.map(|definition| unknown_parameter(definition, &attribute.name));
                return fail(
                    span,
                    IssueName::UnknownArgument,
                    format!("{reference}: has no parameter named '{}'", attribute.name),
                )
                .edit(attribute.span)
                .help(help.unwrap_or_else(|| "correct the name, or remove it".into()));
            }
            let old = self.get(id).parameter(&attribute.name).cloned();
            let was_default = self.get(id).parameters.get(&attribute.name).is_some_and(|p| p.is_default);
            if old.is_some() && !may && !was_default {
                let reference = self.get(id).reference();
                return runtime(
                    attribute.span,
                    format!("Parameter '{}' is already set on {reference}; cannot redefine", attribute.name),
                )
                .code(Code::AssignedTwice)
                .related(self.get(id).span, "the resource is declared here")
                .help("only a class that inherits the declaring class can change it");
            }
            let value = match old {
                Some(old) if attribute.appends => Value::array(flattened(&[old, attribute.value.clone()])),
                _ => attribute.value.clone(),
            };
            let parameters = &mut self.get_mut(id).parameters;
            if value == Value::Undef {
                parameters.shift_remove(&attribute.name);
            } else {
                parameters.insert(attribute.name.clone(), Parameter::explicit(value, attribute.span));
            }
            if matches!(&*attribute.name, "tag" | OTHERS) {
                self.tag_by_parameter(id);
            }
        }
        Ok(())
    }

    /// Makes attributes of a resource unknown that a part which is left out may set. A name that its type does not have
    /// is refused only where that part runs.
    pub fn forget_attributes(
        &mut self,
        program: &Program,
        output: &mut Output<'_>,
        id: ResourceId,
        changed: &Changed,
    ) -> Run<()> {
        let span = changed.span;
        let unknown = || Parameter::explicit(Value::Unknown(None), span);
        let Some(names) = &changed.names else {
            let parameters = &mut self.get_mut(id).parameters;
            output.spend_items(parameters.len() + 1, span)?;
            if !parameters.contains_key(OTHERS) {
                output.build(PARAMETER, span)?;
            }
            parameters.values_mut().for_each(|one| one.value = Value::Unknown(None));
            parameters.insert(OTHERS.into(), unknown());
            self.get_mut(id).tags.may_have_more = true;
            self.leave_out_name(program, output, id);
            return Ok(());
        };
        output.spend(names.len() as u64 + 1, span)?;
        for name in names {
            let Resource { sort, ty, .. } = self.get(id);
            let is_taken = match sort {
                Sort::Builtin => program.accepts_any(ty) || program.takes(ty, name),
                _ => self.is_parameter(program, id, name) || &**name == "name",
            };
            if !is_taken {
                continue;
            }
            if !self.get(id).parameters.contains_key(name) {
                output.build(PARAMETER, span)?;
            }
            let resource = self.get_mut(id);
            resource.parameters.insert(name.clone(), unknown());
            resource.tags.may_have_more |= &**name == "tag";
        }
        self.leave_out_name(program, output, id);
        Ok(())
    }

    /// Makes attributes of a resource unknown that was just declared.
    pub(super) fn forget_declared(&mut self, program: &Program, output: &mut Output<'_>, id: ResourceId) -> Run<()> {
        let changes = output.left_out.take_changes();
        let done = self.forget_by(program, output, id, &changes);
        output.left_out.put_changes(changes);
        done
    }

    fn forget_by(&mut self, program: &Program, output: &mut Output<'_>, id: ResourceId, changes: &Changes) -> Run<()> {
        if changes.is_empty() {
            return Ok(());
        }
        let Resource { ty, title, .. } = self.get(id);
        let (ty, title) = (Some(ty.clone()), Some(bare(title)));
        for place in [(ty.clone(), title), (ty, None), (None, None)] {
            if let Some(changed) = changes.get(&place) {
                self.forget_attributes(program, output, id, changed)?;
            }
        }
        Ok(())
    }

    /// Makes attributes of all resources unknown that may be changed.
    pub(super) fn forget_all(&mut self, program: &Program, output: &mut Output<'_>) -> Run<()> {
        let changes = output.left_out.take_changes();
        if changes.is_empty() {
            return Ok(());
        }
        for id in self.ids() {
            self.forget_by(program, output, id, &changes)?;
        }
        // By other names of the resources.
        for ((ty, title), changed) in &changes {
            output.spend(1, changed.span)?;
            if let (Some(ty), Some(title)) = (ty, title)
                && let Some(id) = self.lookup(ty, title)
            {
                self.forget_attributes(program, output, id, changed)?;
            }
        }
        output.left_out.put_changes(changes);
        Ok(())
    }

    /// Whether a class may replace what another one set: it inherits from it.
    fn may_override(&self, program: &Program, id: ResourceId, source: Option<&Text>) -> bool {
        let (Some(owner), Some(source)) = (&self.get(id).source, source) else { return false };
        let mut at = Some(source.clone());
        let mut is_first = true;
        while let Some(name) = at {
            if name == *owner && !is_first {
                return true;
            }
            is_first = false;
            at = program
                .classes
                .get(&name)
                .and_then(|c| c.parent.clone())
                .map(|p| p.trim_start_matches("::").to_lowercase().into());
        }
        false
    }
}

fn check_operand(operand: &Operand, span: Span) -> Run<()> {
    let Operand::Value(value) = operand else { return Ok(()) };
    for value in flattened(std::slice::from_ref(value)) {
        let fits = match &value {
            Value::Type(ty) => matches!(**ty, Type::Resource(..) | Type::Class(_)),
            value => matches!(value, Value::Str(_) | Value::Unknown(_)),
        };
        if !fits {
            return fail(
                span,
                IssueName::IllegalRelationshipOperandType,
                format!(
                    "Illegal relationship operand, can not form a relationship with {}. A Catalog type is required.",
                    types::infer_generic(&value)
                ),
            );
        }
    }
    Ok(())
}

/// What a query reads of a resource.
pub(super) struct Candidate<'a> {
    pub title: &'a Text,
    pub tags: &'a Tags,
    pub parameters: &'a Parameters,
}

/// Whether a collector's query selects a resource; nothing where that depends on an unknown value.
pub(super) fn fits(query: &Query, resource: &Candidate<'_>) -> Option<bool> {
    let parameter = |name: &Text| {
        let parameters = resource.parameters;
        parameters.get(name).or_else(|| parameters.get(OTHERS)).map(|parameter| &parameter.value)
    };
    let known = |is_equal: bool, found: &Value| if !is_equal && is_in(found) { None } else { Some(is_equal) };
    let equal = |name: &Text, value: &Value| match &**name {
        "tag" => resource.tags.has(&convert::string(value).to_lowercase()),
        "title" => Some(operator::equals(&Value::Str(resource.title.clone()), value)),
        _ => match parameter(name) {
            Some(found @ Value::Array(list)) => {
                known(list.iter().any(|v| operator::equals(v, value)) || operator::equals(found, value), found)
            }
            Some(found) => known(operator::equals(found, value), found),
            None => Some(*value == Value::Undef),
        },
    };
    match query {
        Query::All => Some(true),
        Query::Unknown => None,
        Query::And(a, b) => match (fits(a, resource), fits(b, resource)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), other) | (other, _) => other,
        },
        Query::Or(a, b) => match (fits(a, resource), fits(b, resource)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), other) | (other, _) => other,
        },
        Query::Equal(name, value) => equal(name, value),
        Query::NotEqual(name, value) => match parameter(name) {
            Some(found @ Value::Array(_)) if &**name != "tag" => {
                known(operator::equals(found, value), found).map(|is_equal| !is_equal)
            }
            _ => equal(name, value).map(|is_equal| !is_equal),
        },
    }
}
