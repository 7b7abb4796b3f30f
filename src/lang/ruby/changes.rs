//! Whether the code of a resource type changes the attributes of its resources, beside the munging of each.

use rustc_hash::FxHashSet;

use super::ast::{Block, Call, Expr, Kind, Lambda, Param};
use crate::lang::ruby::Text;

/// Methods that decide what a type reads of a resource.
const READERS: [&str; 14] = [
    "def",
    "def initialize",
    "def value",
    "def should",
    "def newattr",
    "def parameter",
    "def property",
    "def parameters",
    "def set_default",
    "def set_parameters",
    "def title",
    "def name",
    "def to_hash",
    "def self.new",
];

/// What a validation may call without changing anything.
const KNOWN: [&str; 20] = [
    "raise", "fail", "warning", "notice", "info", "debug", "err", "value", "should", "self", "resource", "provider",
    "name", "title", "path", "format", "_", "Array", "Integer", "String",
];

/// Methods that change their receiver or call others by name.
const CHANGING: &str = "\
    << push append concat replace delete clear insert unshift prepend send public_send __send__ instance_eval \
    instance_variable_set newattr";

/// Whether the body of a type may give its resources other attributes than the program does.
pub fn in_type(body: &Expr) -> bool {
    let mut open = vec![body];
    while let Some(expr) = open.pop() {
        let changes = match &expr.kind {
            Kind::Unread(what) => READERS.contains(&what.as_str()),
            Kind::Def(name, _) => READERS.iter().any(|known| known.strip_prefix("def ") == Some(name)),
            Kind::Assign(place, _) | Kind::Change(_, place, _) => matches!(place.kind, Kind::Call(_)),
            Kind::Call(call) => is_call_changing(call),
            _ => false,
        };
        if changes {
            return true;
        }
        expr.kind.each_part(&mut |part| open.push(part));
    }
    false
}

fn is_call_changing(call: &Call) -> bool {
    match (&call.receiver, &*call.name, &call.block) {
        (None, "define_method", _) => true,
        (None, "validate", Some(Block::Code(code))) => in_validation(code),
        _ => false,
    }
}

fn in_validation(code: &Lambda) -> bool {
    let (mut bound, mut called) = (FxHashSet::default(), Vec::new());
    bind(&code.params, &mut bound);
    let mut open = vec![&code.body];
    while let Some(expr) = open.pop() {
        match &expr.kind {
            Kind::Unread(_) | Kind::Def(..) | Kind::Spread(..) => return true,
            Kind::Assign(place, _) | Kind::Change(_, place, _) => match &place.kind {
                Kind::Name(name) => drop(bound.insert(name)),
                _ => return true,
            },
            Kind::Name(name) => called.push(name),
            Kind::Lambda(lambda) => bind(&lambda.params, &mut bound),
            Kind::For(params, ..) => bind(params, &mut bound),
            Kind::Call(call) => {
                match call.receiver {
                    None => called.push(&call.name),
                    Some(_) if changes_receiver(&call.name) => return true,
                    Some(_) => {}
                }
                if let Some(Block::Code(lambda)) = &call.block {
                    bind(&lambda.params, &mut bound);
                }
            }
            _ => {}
        }
        expr.kind.each_part(&mut |part| open.push(part));
    }
    called.iter().any(|name| !bound.contains(name) && !KNOWN.contains(&&***name))
}

fn changes_receiver(method: &str) -> bool {
    method.ends_with('!') || CHANGING.split(' ').any(|known| known == method)
}

fn bind<'e>(params: &'e [Param], bound: &mut FxHashSet<&'e Text>) {
    let mut open: Vec<&Param> = params.iter().collect();
    while let Some(param) = open.pop() {
        match param {
            Param::Name(name) | Param::Rest(name) | Param::Optional(name, _) | Param::Block(name) => {
                bound.insert(name);
            }
            Param::Group(inner) => open.extend(inner),
        }
    }
}
