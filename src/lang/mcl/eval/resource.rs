//! Resource and collect statements: names, parameters, meta parameters and the edges in a body, evaluated.

use std::sync::Arc;

use super::closure::FrameId;
use super::statement::{Container, Executor};
use super::{Fault, operator};
use crate::diag::Code;
use crate::graph::{self, Params};
use crate::lang::mcl::ast::{ItemKind, Name, Relation, Resource, ResourceItem};
use crate::lang::mcl::graph::convert::{DEPTH, Unfit, convert};
use crate::lang::mcl::graph::{Collect, Decl, Link};
use crate::lang::mcl::habit::near_kind;
use crate::lang::mcl::value::Value;
use crate::resource::validate::url::without_password;
use crate::resource::{FieldType, Schema, meta_parameter, schema};
use crate::source::Span;

/// The evaluated body of a resource: the same for each of its names.
#[derive(Default)]
struct Body {
    params: Params,
    /// The values that differ from the default; of an overlay, all that are set.
    meta: Params,
    /// It overlays a collected resource.
    is_overlay: bool,
    edges: Vec<BodyEdge>,
    /// Bytes of the parameters.
    size: u64,
}

struct BodyEdge {
    relation: Relation,
    kind: Arc<str>,
    names: Vec<Arc<str>>,
    span: Span,
}

/// Declares one resource for each name.
pub fn declare(
    executor: &mut Executor,
    resource: &Resource,
    span: Span,
    frame: FrameId,
    container: &Container,
) -> Result<(), Fault> {
    let schema = schema_of(&resource.kind, span)?;
    let names = executor.names(&resource.kind.text, resource.name, frame)?;
    let body = body(executor, resource, schema, frame, span, (names.len(), false))?;
    let kind = executor.declared.intern(schema.kind);
    for name in names {
        executor.room(span)?;
        connect(executor, &body, &kind, &name)?;
        let (params, meta) = (body.params.clone(), body.meta.clone());
        let decl = Decl { kind: kind.clone(), name, schema, params, meta, container: container.clone(), span };
        executor.declared.resources.push(decl);
    }
    Ok(())
}

/// Records the exported resources to collect, with their overlay.
pub fn collect(
    executor: &mut Executor,
    resource: &Resource,
    span: Span,
    frame: FrameId,
    container: &Container,
) -> Result<(), Fault> {
    let schema = schema_of(&resource.kind, span)?;
    let wanted = wanted(&executor.machine.eval(resource.name, frame)?);
    for (name, host) in &wanted {
        let what = match host.as_deref() {
            Some(_) if name.is_empty() => "the name to collect is empty",
            Some("") => "the host to collect from is empty",
            Some("*") => "`*` is not a host to collect from",
            _ => continue,
        };
        let help = "set the name and the host of the exported resource, as `collect.res` returns them";
        return Err(Fault::fatal(Code::InvalidName, span, what).help(help));
    }
    let body = body(executor, resource, schema, frame, span, (wanted.len(), true))?;
    let kind = executor.declared.intern(schema.kind);
    for (name, host) in wanted {
        executor.room(span)?;
        connect(executor, &body, &kind, &name)?;
        let (params, meta) = (body.params.clone(), body.meta.clone());
        let overlay = Decl { kind: kind.clone(), name, schema, params, meta, container: container.clone(), span };
        executor.declared.collects.push(Collect { overlay, host });
    }
    Ok(())
}

/// A name, names, or pairs of a name and the host that exports it.
fn wanted(value: &Value) -> Vec<(Arc<str>, Option<Arc<str>>)> {
    let text = |value: Option<Value>| match value {
        Some(Value::Str(text)) => Some(Arc::<str>::from(&*text)),
        _ => None,
    };
    match value {
        Value::Str(name) => vec![(Arc::from(&**name), None)],
        Value::List(items) => items
            .iter()
            .filter_map(|item| match item {
                Value::Struct(_) => Some((text(operator::field(item, "name"))?, text(operator::field(item, "host")))),
                other => Some((text(Some(other.clone()))?, None)),
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn schema_of(kind: &Name, span: Span) -> Result<&'static Schema, Fault> {
    schema(&kind.text).ok_or_else(|| {
        let fault = Fault::fatal(Code::UnknownKind, span, format!("no resource kind `{}`", kind.text));
        fault.help(near_kind(&kind.text))
    })
}

fn body(
    executor: &mut Executor,
    resource: &Resource,
    schema: &'static Schema,
    frame: FrameId,
    span: Span,
    (copies, is_overlay): (usize, bool),
) -> Result<Body, Fault> {
    let mut body = Body { is_overlay, ..Body::default() };
    for item in &resource.items {
        let counts = match item.condition {
            Some(condition) => operator::truth(&executor.machine.eval(condition, frame)?),
            None => true,
        };
        if counts {
            fill(executor, &mut body, item, schema, frame)?;
        }
    }
    executor.machine.charge((body.size as usize).saturating_mul(copies), Some(span))?;
    Ok(body)
}

fn fill(
    executor: &mut Executor,
    body: &mut Body,
    item: &ResourceItem,
    schema: &'static Schema,
    frame: FrameId,
) -> Result<(), Fault> {
    match &item.kind {
        ItemKind::Field { name, value } => {
            let Some(param) = schema.param(&name.text) else {
                let message = format!("`{}` has no parameter `{}`", schema.kind, name.text);
                return Err(Fault::fatal(Code::UnknownParameter, item.span, message));
            };
            let value = executor.machine.eval(*value, frame)?;
            let value = fit(executor, body, &value, &param.ty, item.span)?;
            let value = if holds_password(schema.kind, param.name, &value) {
                graph::Value::Sensitive(Box::new(value))
            } else {
                value
            };
            body.params.set(executor.declared.intern(param.name), value);
        }
        ItemKind::Meta { param, value } => {
            let value = executor.machine.eval(*value, frame)?;
            set_meta(executor, body, &param.text, &value, item.span)?;
        }
        ItemKind::MetaStruct { value } => {
            if let Value::Struct(fields) = executor.machine.eval(*value, frame)? {
                for (name, value) in fields.iter() {
                    set_meta(executor, body, name, value, item.span)?;
                }
            }
        }
        ItemKind::Edge { relation, half } => {
            let (names, kind) =
                (executor.names(&half.kind.text, half.name, frame)?, executor.declared.intern(&half.kind.text));
            body.edges.push(BodyEdge { relation: *relation, kind, names, span: item.span });
        }
    }
    Ok(())
}

/// Whether a parameter is an address with a password in it.
fn holds_password(kind: &str, param: &str, value: &graph::Value) -> bool {
    (kind, param) == ("remote", "remote") && value.as_str().is_some_and(|text| without_password(text) != text)
}

/// Sets a meta parameter, or removes it if the value is the default and there is nothing to override.
fn set_meta(executor: &mut Executor, body: &mut Body, name: &str, value: &Value, span: Span) -> Result<(), Fault> {
    let Some(param) = meta_parameter(name) else {
        return Err(Fault::fatal(Code::UnknownMeta, span, format!("unknown meta parameter `{name}`")));
    };
    let value = fit(executor, body, value, &param.ty, span)?;
    body.meta.remove(param.name);
    if body.is_overlay || !param.is_default(&value) {
        body.meta.set(executor.declared.intern(param.name), value);
    }
    Ok(())
}

/// A value in the graph's form, if the parameter accepts it.
fn fit(
    executor: &mut Executor,
    body: &mut Body,
    value: &Value,
    ty: &FieldType,
    span: Span,
) -> Result<graph::Value, Fault> {
    let before = executor.machine.memory_left();
    let mut budget = before;
    let converted = convert(value, ty, &mut budget);
    body.size += before - budget;
    converted.map_err(|unfit| match unfit {
        Unfit::Range(why) => {
            Fault::fatal(Code::InvalidParameter, span, why).help("use a number in that range; see `workbench doc KIND`")
        }
        Unfit::TooDeep => {
            Fault::fatal(Code::NestedTooDeep, span, format!("the value is nested more than {DEPTH} deep"))
                .help("nest it less, or pass it as a string")
        }
        Unfit::TooLarge => Fault::fatal(Code::EvaluationLimit, span, "the value is too large for a graph")
            .help("save it in a file, and set its path as `source`"),
    })
}

/// The edges of a body, for one of its names.
fn connect(executor: &mut Executor, body: &Body, kind: &Arc<str>, name: &Arc<str>) -> Result<(), Fault> {
    for edge in &body.edges {
        for other in &edge.names {
            let (this, other) = ((kind.clone(), name.clone()), (edge.kind.clone(), other.clone()));
            let (from, to) = match edge.relation {
                Relation::Before | Relation::Notify => (this, other),
                Relation::Depend | Relation::Listen => (other, this),
            };
            let notify = matches!(edge.relation, Relation::Notify | Relation::Listen);
            executor.link(Link { from, to, notify, send: None, span: edge.span })?;
        }
    }
    Ok(())
}
