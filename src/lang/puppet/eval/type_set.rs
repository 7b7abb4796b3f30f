//! The types of a type set as it is written: each may be an object type in short, and may name those before it.

use super::Evaluator;
use crate::lang::puppet::ast::{AttributeKind, Entry, Expr, Kind, Text};
use crate::lang::puppet::convert;
use crate::lang::puppet::ids::TOP;
use crate::lang::puppet::stop::{At, Run};
use crate::lang::puppet::types;
use crate::lang::puppet::value::{Map, Value};
use crate::source::Span;

impl Evaluator<'_> {
    /// The value of `TypeSet { … }` behind `type NAME =`. `None`: it is no such type.
    pub(super) fn type_set(&mut self, set: &Text, definition: &Expr) -> Option<Run> {
        let Kind::Access(left, keys) = &definition.kind else { return None };
        let (Kind::Ref(name), [Expr { kind: Kind::Hash(entries), .. }]) = (&left.kind, &keys[..]) else { return None };
        let is_set = |entry: &Entry| {
            let is_parent = matches!(&entry.key.kind, Kind::Name(key) if &**key == "parent");
            is_parent && matches!(&entry.value.kind, Kind::Ref(ty) if &**ty == "TypeSet")
        };
        if &**name != "TypeSet" && !(&**name == "Object" && entries.iter().any(is_set)) {
            return None;
        }
        let entries = entries.iter().filter(|entry| !is_set(entry));
        Some(self.type_set_of(set, entries, definition.span))
    }

    fn type_set_of<'x>(&mut self, set: &Text, entries: impl Iterator<Item = &'x Entry>, span: Span) -> Run {
        let mut init = Map::default();
        for entry in entries {
            let key = self.eval(&entry.key, TOP)?;
            let value = match &entry.value.kind {
                Kind::Hash(types) if key.as_str() == Some("types") => self.members(set, types)?,
                _ => self.eval(&entry.value, TOP)?,
            };
            init.insert(key, value);
        }
        let set = types::named("TypeSet").unwrap_or_else(|| types::Type::Any.into());
        types::parameterise(&set, "TypeSet", &[Value::hash(init)]).map(Value::Type).at(span)
    }

    fn members(&mut self, set: &Text, entries: &[Entry]) -> Run {
        let mut members = Map::default();
        for entry in entries {
            let name = match &entry.key.kind {
                Kind::Ref(name) => Value::Str(name.clone()),
                _ => self.eval(&entry.key, TOP)?,
            };
            let full: Text = format!("{set}::{}", convert::string(&name)).into();
            let ty = self.member(full, &entry.value, &members)?;
            members.insert(name, ty);
        }
        Ok(Value::hash(members))
    }

    fn member(&mut self, name: Text, expr: &Expr, before: &Map) -> Run {
        let (parent, init) = match &expr.kind {
            // `Parent { attributes => … }`
            Kind::Defaults(short) => {
                let mut init = Map::default();
                for attribute in &short.ops {
                    if let AttributeKind::Set(name) = &attribute.kind {
                        let value = self.eval(&attribute.value, TOP)?;
                        init.insert(Value::Str(name.clone()), value);
                    }
                }
                (Some(&short.target), Value::hash(init))
            }
            _ => (None, self.eval(expr, TOP)?),
        };
        let Value::Hash(init) = &init else { return Ok(init) };
        let mut init = (**init).clone();
        if let Some(parent) = parent
            && !matches!(&parent.kind, Kind::Ref(name) if &**name == "Object")
        {
            let own = match &parent.kind {
                Kind::Ref(name) => before.get(&Value::Str(Text::clone(name))).cloned(),
                _ => None,
            };
            let ty = match own {
                Some(ty) => ty,
                None => self.eval(parent, TOP)?,
            };
            init.insert(Value::str("parent"), ty);
        }
        types::object(Some(name), &Value::hash(init)).map(Value::Type).at(expr.span)
    }
}
