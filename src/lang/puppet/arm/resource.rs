//! Resources of these types: checked at the end as constructions, and what carries them out.

use std::sync::Arc;

use super::construct::Entry;
use crate::graph::HIDDEN;
use crate::lang::puppet::ast::arm::Implementation;
use crate::lang::puppet::ast::{Form, Text};
use crate::lang::puppet::catalog::secret::{self, Blind};
use crate::lang::puppet::catalog::{Resource, ral};
use crate::lang::puppet::convert;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::issue::{Issue, IssueName};
use crate::lang::puppet::loader::Loader;
use crate::lang::puppet::stop::{Run, Stop, fail};
use crate::lang::puppet::types::model::Model;
use crate::lang::puppet::value::{Object, Value};
use crate::source::Span;

/// A resource in the words of one of our kinds, its values still Puppet's.
pub struct Carried {
    pub kind: Text,
    pub name: String,
    pub params: Vec<CarriedParam>,
    /// The name depends on a secret.
    pub is_secret_name: bool,
}

/// A parameter of the kind with its value.
pub struct CarriedParam {
    pub name: Text,
    /// Where the value comes from.
    pub feature: Text,
    pub value: Value,
    /// The value is written in the program or in the type, and no secret is part of it.
    pub is_plain: bool,
}

impl Evaluator<'_> {
    /// Checks every realized resource of these types.
    pub fn check_arm_resources(&mut self) -> Run<()> {
        let mut identities: rustc_hash::FxHashSet<(Text, String)> = rustc_hash::FxHashSet::default();
        for id in self.catalog.ids().collect::<Vec<_>>() {
            let resource = self.catalog.get(id);
            if resource.form != Form::Regular {
                continue;
            }
            let ty = resource.ty.clone();
            let Some((model, _)) = self.program.arm.models.get(&ty).filter(|(model, _)| model.is_resource) else {
                continue;
            };
            let (model, resource) = (model.clone(), resource.clone());
            let at = self.program.arm.places.get(&id).copied().unwrap_or(resource.span);
            let blind = secret::blind(&self.hiera, &resource);
            let checked = self.check_arm_resource(&model, &resource, at);
            let (identity, carried) = match (checked, &blind) {
                (Err(Stop::Fail(issue)), Some(blind)) => return Err(self.redact(*issue, &model, blind, at)),
                (checked, _) => checked?,
            };
            if !identities.insert((ty, identity.clone())) {
                let shown = match &blind {
                    Some(blind) if blind.secrets.are_in(&identity) => HIDDEN,
                    _ => &identity,
                };
                let message = format!("{}: another resource has the identity '{shown}'", resource.reference());
                return fail(at, IssueName::ArmDuplicateResource, message);
            }
            if let Some(mut carried) = carried {
                if let Some(blind) = blind {
                    // Where its blind form is refused, only a name that quotes a secret is recognised.
                    let again =
                        self.check_arm_resource(&model, &blind.resource, at).ok().and_then(|(_, carried)| carried);
                    carried.is_secret_name =
                        again.map_or_else(|| blind.secrets.are_in(&carried.name), |again| again.name != carried.name);
                }
                self.program.arm.carried.insert(id, carried);
            }
        }
        Ok(())
    }

    /// The problem of a resource, without its secrets.
    fn redact(&mut self, issue: Issue, model: &Arc<Model>, blind: &Blind, at: Span) -> Stop {
        let again = match self.check_arm_resource(model, &blind.resource, at) {
            Err(Stop::Fail(again)) if again.name == issue.name => Some(again.message),
            _ => None,
        };
        let redacted = blind.secrets.redact(&issue.message, again.as_deref());
        let reference = blind.resource.reference();
        let message = redacted.unwrap_or_else(|| format!("{reference}: {}", blind.redact(issue.message.clone(), None)));
        Stop::Fail(Box::new(Issue { message, ..issue }))
    }

    /// Checks one resource. Returns its identity, and what carries it out.
    fn check_arm_resource(
        &mut self,
        model: &Arc<Model>,
        resource: &Resource,
        at: Span,
    ) -> Run<(String, Option<Carried>)> {
        let object = self.construct_resource(model, resource, at)?;
        let identity = match model.identity() {
            Some(index) => match self.read_feature(&object, index, at)? {
                Value::Unknown(_) => return crate::lang::puppet::eval::unknown::unknown_title(at),
                value => convert::string(&value),
            },
            None => String::new(),
        };
        let carried = match model.implementation.clone() {
            Some(implementation) => Some(self.carried(&implementation, &object, (resource, identity.clone()), at)?),
            None => None,
        };
        Ok((identity, carried))
    }

    fn construct_resource(&mut self, model: &Arc<Model>, resource: &Resource, at: Span) -> Run<Arc<Object>> {
        let own = |name: &str| model.find(name).is_some() || !ral::is_metaparameter(name);
        let entry = |name: &Text, value: &Value| Entry { key: Value::Str(name.clone()), value: value.clone(), at };
        let mut entries: Vec<Entry> = Vec::new();
        if let Some(identity) = model.identity().map(|index| model.members[index].name())
            && resource.parameter(identity).is_none()
        {
            entries.push(entry(identity, &Value::Str(resource.title.clone())));
        }
        let parameters = resource.parameters.iter().filter(|(name, _)| own(name));
        entries.extend(parameters.map(|(name, parameter)| entry(name, &parameter.value)));
        self.construct(model, entries, None, at)
    }

    /// Reads the features that an implementation names.
    fn carried(
        &mut self,
        implementation: &Implementation,
        object: &Arc<Object>,
        (resource, identity): (&Resource, String),
        at: Span,
    ) -> Run<Carried> {
        let mut carried =
            Carried { kind: implementation.kind.clone(), name: identity, params: Vec::new(), is_secret_name: false };
        for ((param, _), (feature, _)) in &implementation.params {
            let value = self.read_named(object, feature, at)?;
            match (&**param, value) {
                (_, Value::Undef) => {}
                ("name", Value::Unknown(_)) => return crate::lang::puppet::eval::unknown::unknown_title(at),
                ("name", value) => carried.name = convert::string(&value),
                (_, value) => {
                    let is_plain = is_plain(object, resource, feature, &value);
                    let (name, feature) = (param.clone(), feature.clone());
                    carried.params.push(CarriedParam { name, feature, value, is_plain });
                }
            }
        }
        Ok(carried)
    }
}

impl Loader<'_, '_> {
    /// The model of a resource type that the program or a module defines.
    pub fn arm_resource_type(&mut self, name: &str, span: Span) -> Run<Option<Arc<Model>>> {
        Ok(self.arm_type(name, span)?.map(|(model, _)| model).filter(|model| model.is_resource))
    }

    /// Whether resources of a type can be declared: a type with features, or one that a generated file describes.
    pub fn is_declared_type(&mut self, name: &str, span: Span) -> Run<bool> {
        Ok(self.arm_resource_type(name, span)?.is_some() || self.described(name).is_some())
    }
}

/// Whether a value is as the program wrote it, and not a secret, or the default of the type.
fn is_plain(object: &Object, resource: &Resource, feature: &Text, value: &Value) -> bool {
    let is_written = resource.parameter(feature) == Some(value) && !resource.sensitive.contains(feature);
    let member = object.arm.as_ref().and_then(|instance| {
        let index = instance.model.find(feature)?;
        instance.model.members.get(index).cloned()
    });
    is_written || member.is_some_and(|member| member.default.as_ref() == Some(value))
}

/// Checks what an implementation names: one of our kinds, parameters of it, features of the type.
pub(super) fn check_implementation(model: &Model, implementation: &Implementation) -> Run<()> {
    const ILLEGAL: IssueName = IssueName::ArmIllegalImplementation;
    if !model.is_resource {
        let message = format!("{} is no resource type: nothing carries it out", model.name);
        return fail(implementation.span, ILLEGAL, message);
    }
    let Some(kind) = crate::resource::kind(&implementation.kind) else {
        return fail(implementation.span, ILLEGAL, format!("There is no kind '{}'", implementation.kind));
    };
    for ((param, at), (feature, feature_at)) in &implementation.params {
        if &**param != "name" && kind.schema().any_param(param).is_none() {
            let message = format!("The kind '{}' has no parameter '{param}'", implementation.kind);
            return fail(*at, ILLEGAL, message);
        }
        if model.find(feature).is_none() {
            return super::set::unknown_feature(&model.name, feature, *feature_at);
        }
    }
    Ok(())
}
