//! What Ruby asks of the compilation during a call.

use std::path::Path;

use serde_json::{Value as Json, json};

use super::super::ast::{Expr, Kind, Lambda, Parameter};
use super::super::call::{Block, Call};
use super::super::conf::Strict;
use super::super::convert;
use super::super::eval::Evaluator;
use super::super::foreign::From;
use super::super::ids::{ResourceId, ScopeId, TOP};
use super::super::stop::{Run, fail};
use super::super::types;
use super::super::value::{Map, Value};
use super::{names, sent};
use crate::lang::puppet::catalog::Catalog;
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::scope::Scopes;
use crate::source::Span;

/// A block of Ruby with more parameters gets the first ones.
const MOST_PARAMETERS: i64 = 64;

impl Evaluator<'_> {
    /// The answer to a question; `None` where it is unknown.
    pub(super) fn answer_question(
        &mut self,
        needs: &[Json],
        request: &Json,
        from: From<'_>,
        held: &mut Vec<Value>,
    ) -> Run<Option<Json>> {
        let [Json::String(question), parts @ ..] = needs else { return wrong_question(from.span) };
        let text = |at: usize| parts.get(at).and_then(Json::as_str).unwrap_or_default();
        let flag = |at: usize| parts.get(at).and_then(Json::as_bool).unwrap_or_default();
        let scope = |at: usize| if flag(at) { TOP } else { from.scope };
        let span = from.span;
        let found = match question.as_str() {
            "variable" => self.scopes.lookup(scope(1), text(0)),
            "variables" => Some(self.scopes.visible(scope(0))),
            "set" => {
                let value = self.value_of(parts.get(1), held, span)?;
                let name = text(0);
                let variables = &mut self.scopes.get_mut(from.scope).variables;
                if variables.contains_key(name) {
                    let message = format!("Cannot reassign variable '${name}'");
                    return fail(span, IssueName::IllegalReassignment, message);
                }
                variables.insert(name.into(), value);
                Some(Value::Undef)
            }
            "call" => {
                let args = self.values_of(parts.get(1), held, span)?;
                let arity = parts.get(3).and_then(Json::as_i64);
                let block = arity.map(|arity| ruby_block(arity, scope(2), request, span));
                let value = self.call(Call { name: text(0).into(), args, block, scope: scope(2), span });
                // Also after an error, or a later call would have it.
                let is_lost = std::mem::take(&mut self.worker.has_lost_block);
                let value = value?;
                if is_lost {
                    return Ok(None);
                }
                Some(value)
            }
            "block" => {
                let args = self.values_of(parts.first(), held, span)?;
                let Some(block) = from.block else { return wrong_question(span) };
                Some(self.apply(block, &args, span)?)
            }
            "fact" => {
                let facts = self.inputs.settings.facts.clone();
                let found = text(0).split('.').try_fold(facts, |value, name| value.get(name).cloned());
                found.or_else(|| self.scopes.lookup(TOP, text(0)))
            }
            "setting" => match text(0) {
                "certname" | "node_name_value" => Some(Value::str(self.inputs.settings.node.as_str())),
                "environment" => Some(Value::str(self.inputs.settings.environment_name.as_str())),
                "strict" => Some(Value::str(match self.inputs.settings.strict {
                    Strict::Off => "off",
                    Strict::Warning => "warning",
                    Strict::Error => "error",
                })),
                "strict_variables" => Some(Value::Bool(true)),
                _ => None,
            },
            "resource_around" => self.scopes.get(from.scope).resource.map(|id| self.catalog.resource_value(id)),
            "module_around" => Some(self.scopes.get(from.scope).module.clone().map_or(Value::Undef, Value::Str)),
            "resource" => self.catalog.reference(text(0)).map(|id| self.catalog.resource_value(id)),
            "resources" => {
                let all: Vec<Value> = self.catalog.ids().map(|id| self.catalog.resource_value(id)).collect();
                Some(Value::array(all))
            }
            "classes" => Some(Value::array(self.catalog.classes.iter().cloned().map(Value::Str).collect())),
            "is" => {
                let value = self.value_of(parts.first(), held, span)?;
                let ty = self.type_from_text(text(1), span)?;
                Some(Value::Bool(types::is_instance(&ty, &value)))
            }
            "type_of" => {
                let value = self.value_of(parts.first(), held, span)?;
                let ty = if flag(1) { types::infer(&value) } else { types::reduced(&value) };
                Some(Value::str(convert::string(&Value::Type(ty))))
            }
            "in_range" => {
                let (range, version) =
                    (self.value_of(parts.first(), held, span)?, self.value_of(parts.get(1), held, span)?);
                match (&range, &version) {
                    (Value::SemVerRange(range), Value::SemVer(version)) => Some(Value::Bool(range.includes(version))),
                    _ => Some(Value::Bool(false)),
                }
            }
            "context" => return self.context_question(parts, held, span),
            "name" => return Ok(Some(names::look_up(&mut self.worker, &self.inputs, parts))),
            "hosts" => {
                let hosts = self.inputs.files.read(Path::new("/etc/hosts"));
                hosts.map(|text| Value::str(String::from_utf8_lossy(&text)))
            }
            _ => return wrong_question(span),
        };
        Ok(match found {
            None => Some(json!({ "nothing": true })),
            Some(Value::Hash(map)) if question == "variable" && self.output.has_unknown => {
                Some(json!({ "value": sent::to_partial(&map, held) }))
            }
            Some(value) => sent::to_json(&value, held).map(|value| json!({ "value": value })),
        })
    }

    fn values_of(&mut self, list: Option<&Json>, held: &[Value], span: Span) -> Run<Vec<Value>> {
        let list = list.and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        list.iter().map(|item| self.value_of(Some(item), held, span)).collect()
    }

    /// A method of the context of a function that provides data.
    fn context_question(&mut self, parts: &[Json], held: &mut Vec<Value>, span: Span) -> Run<Option<Json>> {
        let at = parts.first().and_then(Json::as_u64).and_then(|at| usize::try_from(at).ok());
        let Some(Value::Object(context)) = at.and_then(|at| held.get(at)).cloned() else {
            return wrong_question(span);
        };
        let method = parts.get(1).and_then(Json::as_str).unwrap_or_default();
        let args = self.values_of(parts.get(2), held, span)?;
        let value = match method {
            "explains" => Value::Bool(self.hiera.explainer.is_some()),
            "report" => {
                self.hiera.report_text(args.first().map(convert::string).unwrap_or_default());
                Value::Undef
            }
            _ => self.context_method(&context, method, &args, None, span)?,
        };
        Ok(sent::to_json(&value, held).map(|value| json!({ "value": value })))
    }
}

fn wrong_question<V>(span: Span) -> Run<V> {
    fail(span, IssueName::RuntimeError, "Ruby asks something that has no answer")
}

impl Scopes {
    /// The variables that a scope sees, with their values.
    fn visible(&self, scope: ScopeId) -> Value {
        let names = self.variables_in_sight(scope).into_iter();
        let pairs = names.filter_map(|name| Some((Value::Str(name.clone()), self.lookup(scope, &name)?)));
        Value::hash(pairs.filter(|(_, value)| *value != Value::Undef).collect())
    }
}

impl Catalog {
    /// A resource of the catalog as it is now.
    fn resource_value(&self, id: ResourceId) -> Value {
        let resource = self.get(id);
        let parameters: Map =
            resource.parameters.iter().map(|(name, one)| (Value::Str(name.clone()), one.value.clone())).collect();
        let parts = [
            ("type", Value::str(resource.type_name())),
            ("title", Value::Str(resource.title.clone())),
            ("parameters", Value::hash(parameters)),
        ];
        Value::hash(parts.into_iter().map(|(name, value)| (Value::str(name), value)).collect())
    }
}

/// A block of Ruby as a lambda. `arity` is that of Ruby: the parameters, or minus one and those that are required.
fn ruby_block(arity: i64, scope: ScopeId, request: &Json, span: Span) -> Block {
    let has_rest = arity < 0;
    let required = if has_rest { -(arity + 1) } else { arity };
    let one = |at: i64, captures_rest| Parameter {
        span,
        name: format!("p{at}").into(),
        ty: None,
        value: None,
        captures_rest,
    };
    let mut params: Vec<Parameter> = (0..required.clamp(0, MOST_PARAMETERS)).map(|at| one(at, false)).collect();
    if has_rest {
        params.push(one(required, true));
    }
    let lambda = Lambda { span, params, returns: None, body: Expr { kind: Kind::Nop, span } };
    Block { lambda: lambda.into(), scope, of_ruby: Some(request.clone().into()) }
}
