//! Exported resources: what this node may export, and what it collects from other nodes.

use std::sync::Arc;

use super::Offer;
use super::modify::{Candidate, fits};
use super::{Attribute, Parameter, Resource};
use crate::graph::Value as Stored;
use crate::lang::puppet::ast::{Form, Text};
use crate::lang::puppet::catalog::Catalog;
use crate::lang::puppet::environment::Inputs;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::ids::{ResourceId, ScopeId};
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::lookup::Hiera;
use crate::lang::puppet::names::capitalised;
use crate::lang::puppet::output::Output;
use crate::lang::puppet::stop::{Help, Run, Stop, fail, runtime};
use crate::lang::puppet::value::Value;
use crate::resource::export::Described;
use crate::source::Span;
use crate::world::Export;

impl Catalog {
    /// Returns the resources of a type that other nodes export.
    fn offered(&mut self, output: &mut Output, inputs: &Inputs, ty: &Text, span: Span) -> Run<Arc<Vec<Offer>>> {
        if let Some(offers) = self.offers.get(ty) {
            return Ok(Arc::clone(offers));
        }
        let exports = match inputs.files.exported(ty) {
            Ok(exports) => exports,
            Err(error) => return fail(span, IssueName::BadExport, error.to_string()),
        };
        let mut offers = Vec::with_capacity(exports.len());
        for export in exports {
            output.build(export.resource.len(), span)?;
            let file = export.file.clone();
            match Offer::read(export, span) {
                Ok(offer) => offers.push(offer),
                Err(why) => {
                    return fail(span, IssueName::BadExport, format!("{}: cannot be collected: {why}", file.display()));
                }
            }
        }
        let offers = Arc::new(offers);
        self.offers.insert(ty.clone(), Arc::clone(&offers));
        Ok(offers)
    }
}

impl Evaluator<'_> {
    /// Declares what other nodes export and a collector asks for, where the collector is.
    ///
    /// As in Puppet, a resource belongs to the first collector that finds it.
    pub(super) fn collect_from_others(&mut self, index: usize) -> Run<Vec<ResourceId>> {
        let collector = &self.catalog.collectors[index];
        let (ty, query, scope, span) = (collector.ty.clone(), collector.query.clone(), collector.scope, collector.span);
        let mut found = Vec::new();
        for offer in self.catalog.offered(&mut self.output, &self.inputs, &ty, span)?.iter() {
            let Offer { export, title, tags, parameters } = offer;
            let selected = fits(&query, &Candidate { title, tags, parameters });
            if selected.is_none() {
                self.output.leave_out(&self.inputs, "what this query selects", span);
                self.output.left_out.add(&ty, title);
            }
            if selected != Some(true) || self.catalog.is_collected(&self.inputs, &ty, offer, span)? {
                continue;
            }
            let id = self.take(&ty, offer, scope, span).map_err(|stop| with_origin(stop, export))?;
            self.catalog.collected.insert(id, export.clone());
            found.push(id);
        }
        Ok(found)
    }

    fn take(&mut self, ty: &Text, offer: &Offer, scope: ScopeId, span: Span) -> Run<ResourceId> {
        let attribute = |(name, parameter): (&Text, &Parameter)| Attribute {
            name: name.clone(),
            value: parameter.value.clone(),
            appends: false,
            span,
        };
        let attributes: Vec<Attribute> = offer.parameters.iter().map(attribute).collect();
        self.declare(ty, &offer.title, &attributes, Form::Regular, scope, span)?;
        let Some(id) = self.catalog.lookup(ty, &offer.title) else {
            return runtime(span, format!("{}[{}] cannot be collected", capitalised(ty), offer.title));
        };
        self.program.arm.declared_at(ty, id, span);
        self.catalog.get_mut(id).tags.inherit(&offer.tags);
        Ok(id)
    }
}

impl Catalog {
    /// Refuses to export secrets: the store holds plain text.
    pub(super) fn check_exports(&self, hiera: &Hiera, inputs: &Inputs<'_>) -> Run<()> {
        if !inputs.settings.exported {
            return Ok(());
        }
        for resource in self.resources.iter().filter(|resource| resource.is_exported) {
            if let Some((name, span)) = hiera.secret_of(resource) {
                let text = format!("the {name} of {} is sensitive, and cannot be exported", resource.reference());
                return fail(span, IssueName::ExportedSecret, text);
            }
        }
        Ok(())
    }

    /// Whether the same export was collected before. Another resource of its type and title is an error.
    fn is_collected(
        &self,
        inputs: &Inputs<'_>,
        ty: &Text,
        Offer { export, title, .. }: &Offer,
        span: Span,
    ) -> Run<bool> {
        let Some(id) = self.lookup(ty, title) else { return Ok(false) };
        let other = match self.collected.get(&id) {
            Some(other) if (&other.host, &other.resource) == (&export.host, &export.resource) => return Ok(true),
            Some(other) => format!("exported by {}", exporter(other)),
            None => {
                let place = inputs.sources.place(self.get(id).span);
                format!("declared at (file: {}, line: {})", place.file, place.line)
            }
        };
        let (reference, exporter) = (format!("{}[{title}]", capitalised(ty)), exporter(export));
        runtime(span, format!("Duplicate declaration: {reference} is exported by {exporter} and {other}"))
            .help("narrow the query of the collector, or let only one of the two declare it")
    }
}

impl Hiera {
    /// What of a resource is secret, and where.
    fn secret_of(&self, resource: &Resource) -> Option<(String, Span)> {
        if self.holds_secret(&Value::Str(resource.title.clone())) {
            return Some(("title".into(), resource.span));
        }
        let is_secret = |(name, parameter): &(&Text, &Parameter)| {
            resource.sensitive.contains(name)
                || holds_sensitive(&parameter.value)
                || self.holds_secret(&parameter.value)
        };
        let (name, parameter) = resource.parameters.iter().find(is_secret)?;
        Some((format!("parameter `{name}`"), parameter.span))
    }
}

fn holds_sensitive(value: &Value) -> bool {
    match value {
        Value::Sensitive(_) => true,
        Value::Array(items) => items.iter().any(holds_sensitive),
        Value::Hash(map) => map.iter().any(|(key, value)| holds_sensitive(key) || holds_sensitive(value)),
        _ => false,
    }
}

fn exporter(export: &Export) -> String {
    format!("node '{}' ({})", export.host, export.program)
}

/// A failure of a resource that the program does not declare.
fn with_origin(stop: Stop, export: &Export) -> Stop {
    match stop {
        Stop::Fail(mut issue) => {
            issue.message = format!("{} (exported by {})", issue.message, exporter(export));
            let help = "correct it where it is exported, and apply that program again";
            issue.advice.help.get_or_insert(help.into());
            Stop::Fail(issue)
        }
        other => other,
    }
}

impl Offer {
    /// What a stored export describes. Anybody may have written the file.
    fn read(export: Export, span: Span) -> Result<Self, String> {
        let described: Described = serde_json::from_str(&export.resource).map_err(|error| error.to_string())?;
        if let Some(name) = described.withheld.first() {
            return Err(format!("its `{name}` is secret, and was not stored"));
        }
        let parameter = |(name, stored): (&Arc<str>, &Stored)| {
            let value = value(stored).ok_or_else(|| format!("its `{name}` holds a value that Puppet does not have"))?;
            Ok((Text::from(&**name), Parameter::explicit(value, span)))
        };
        Ok(Self {
            title: (&*export.name).into(),
            tags: described.tags.iter().map(|tag| tag.to_lowercase().into()).collect(),
            parameters: described.params.iter().map(parameter).collect::<Result<_, String>>()?,
            export,
        })
    }
}

fn value(stored: &Stored) -> Option<Value> {
    Some(match stored {
        Stored::Null => Value::Undef,
        Stored::Bool(value) => Value::Bool(*value),
        Stored::Int(value) => Value::Int(*value),
        Stored::Float(value) => Value::Float(*value),
        Stored::Str(text) => Value::str(&**text),
        Stored::List(items) => Value::array(items.iter().map(value).collect::<Option<_>>()?),
        Stored::Map(pairs) => {
            Value::hash(pairs.iter().map(|(key, item)| Some((value(key)?, value(item)?))).collect::<Option<_>>()?)
        }
        _ => return None,
    })
}
