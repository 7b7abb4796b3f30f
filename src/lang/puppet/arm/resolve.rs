//! Names to models: parents, cycles, features, identities.

use std::sync::Arc;

use super::{RESOURCE, body};
use crate::lang::puppet::ast::arm::{Declared, Definition, Feature, Form, Statement};
use crate::lang::puppet::ast::{Expr, Kind, Text};
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::loader::Loader;
use crate::lang::puppet::stop::{Help, Run, fail};
use crate::lang::puppet::types::model::{Hooks, Member, MemberType, Model};
use crate::lang::puppet::types::{self, Bound, ObjectType, Size, Ty, Type};
use crate::lang::puppet::value::Value;
use crate::source::Span;

/// Longer chains of parents are refused: whoever compares types follows them.
const MAX_PARENTS: usize = 1_000;

/// More features of all types, inherited ones counted again, are refused.
const MAX_MEMBERS: usize = 1_000_000;

impl Loader<'_, '_> {
    /// Resolves all types that the program defines.
    pub fn resolve_arm_types(&mut self) -> Run<()> {
        let keys = self.program.arm.order.clone();
        let defined: Vec<Arc<Definition>> =
            keys.iter().filter_map(|key| self.program.arm.declared.get(key)).cloned().collect();
        self.resolve_types(&defined)
    }

    /// A type by its name, from the program or from a module, resolved.
    pub fn arm_type(&mut self, name: &str, span: Span) -> Run<Option<(Arc<Model>, Ty)>> {
        let key: Text = name.trim_start_matches("::").to_lowercase().into();
        if let Some(known) = self.program.arm.models.get(&key) {
            return Ok(Some(known.clone()));
        }
        if !self.program.arm.has(&key) && !self.program.aliases.contains_key(&key) {
            self.load_alias(&key, span)?;
        }
        let Some(definition) = self.program.arm.declared.get(&key).cloned() else { return Ok(None) };
        self.resolve_types(&[definition])?;
        Ok(self.program.arm.models.get(&key).cloned())
    }

    /// A type as a value: a resource type is a reference without a title.
    pub fn arm_named(&mut self, name: &str, span: Span) -> Run<Option<Ty>> {
        let Some((model, ty)) = self.arm_type(name, span)? else { return Ok(None) };
        Ok(Some(match model.is_resource {
            true => Type::Resource(Some(model.name.to_lowercase().into()), None).into(),
            false => ty,
        }))
    }

    fn resolve_types(&mut self, defined: &[Arc<Definition>]) -> Run<()> {
        for definition in defined {
            self.find_parent(definition)?;
        }
        for definition in defined {
            self.refuse_cycle(definition)?;
        }
        for definition in defined {
            self.build_chain(definition)?;
        }
        for definition in defined {
            let key = definition.name.to_lowercase();
            let Some((model, _)) = self.program.arm.models.get(key.as_str()) else { continue };
            if model.is_resource && !model.is_abstract && model.identity().is_none() {
                let message = format!("{} has no attribute that names its resources", model.name);
                return fail(definition.span, IssueName::ArmNoIdentity, message);
            }
        }
        Ok(())
    }

    fn find_parent(&mut self, definition: &Definition) -> Run<()> {
        let Some((parent, span)) = &definition.parent else { return Ok(()) };
        if parent.eq_ignore_ascii_case(RESOURCE) {
            return Ok(());
        }
        let key: Text = parent.to_lowercase().into();
        if self.program.arm.has(&key) {
            return Ok(());
        }
        let is_core = types::named(parent).is_some();
        if !is_core && !self.program.aliases.contains_key(&key) {
            self.load_alias(&key, *span)?;
        }
        if self.program.arm.has(&key) {
            return Ok(());
        }
        match is_core || self.program.aliases.contains_key(&key) {
            true => fail(*span, IssueName::ArmIllegalParent, format!("{parent} is not a type with features")),
            false => fail(*span, IssueName::ArmUnknownParent, format!("Unknown parent type: '{parent}'")),
        }
    }

    /// The definition of a parent, if that is a type with features.
    fn parent_of(&mut self, definition: &Definition) -> Run<Option<Arc<Definition>>> {
        self.find_parent(definition)?;
        let Some((parent, _)) = &definition.parent else { return Ok(None) };
        Ok(self.program.arm.declared.get(parent.to_lowercase().as_str()).cloned())
    }

    fn refuse_cycle(&mut self, definition: &Arc<Definition>) -> Run<()> {
        let mut at = self.parent_of(definition)?;
        let span = definition.parent.as_ref().map_or(definition.span, |(_, span)| *span);
        for _ in 0..MAX_PARENTS {
            let Some(parent) = at else { return Ok(()) };
            if Arc::ptr_eq(&parent, definition) {
                return fail(span, IssueName::ArmInheritanceCycle, format!("{} inherits from itself", definition.name));
            }
            at = self.parent_of(&parent)?;
        }
        // Either the chain is long, or it runs into a cycle of other types, which is reported for these.
        if self.runs_in_a_circle(definition)? {
            return Ok(());
        }
        fail(span, IssueName::RuntimeError, format!("{} has more than {MAX_PARENTS} parents", definition.name))
    }

    fn runs_in_a_circle(&mut self, definition: &Arc<Definition>) -> Run<bool> {
        let mut seen = std::collections::HashSet::new();
        let mut at = Some(definition.clone());
        while let Some(definition) = at {
            if !seen.insert(Arc::as_ptr(&definition)) {
                return Ok(true);
            }
            at = self.parent_of(&definition)?;
        }
        Ok(false)
    }

    /// Builds a type and before it those of its parents that are not built yet.
    fn build_chain(&mut self, definition: &Arc<Definition>) -> Run<()> {
        let mut chain = vec![definition.clone()];
        while let Some(parent) = self.parent_of(&chain[chain.len() - 1])? {
            if self.program.arm.models.contains_key(parent.name.to_lowercase().as_str()) {
                break;
            }
            if chain.iter().any(|known| Arc::ptr_eq(known, &parent)) {
                let span = parent.parent.as_ref().map_or(parent.span, |(_, span)| *span);
                return fail(span, IssueName::ArmInheritanceCycle, format!("{} inherits from itself", parent.name));
            }
            chain.push(parent);
        }
        while let Some(next) = chain.pop() {
            self.build_type(&next)?;
        }
        Ok(())
    }

    fn build_type(&mut self, definition: &Arc<Definition>) -> Run<()> {
        let key: Text = definition.name.to_lowercase().into();
        if self.program.arm.models.contains_key(&key) {
            return Ok(());
        }
        let parent = definition.parent.as_ref().map(|(name, _)| name.to_lowercase());
        let known = parent.as_ref().and_then(|name| self.program.arm.models.get(name.as_str())).cloned();
        let is_resource = match &known {
            Some((parent, _)) => parent.is_resource,
            None => parent.is_some(),
        };
        let inherited = known.as_ref().map_or(0, |(parent, _)| parent.members.len());
        self.program.arm.members += inherited + definition.features().count();
        if self.program.arm.members > MAX_MEMBERS {
            let message = format!("the types have more than {MAX_MEMBERS} features");
            return fail(definition.span, IssueName::RuntimeError, message).help("use fewer types, or fewer features");
        }
        let mut model = Model::new(definition.clone(), known.as_ref().map(|(parent, _)| parent.clone()), is_resource);
        for feature in definition.features() {
            if let Some(before) = model.find(&feature.name) {
                let (name, owner) = (&feature.name, &model.members[before].owner);
                let message = format!("The feature '{name}' is declared by {owner} already");
                return fail(feature.span, IssueName::ArmDuplicateFeature, message);
            }
            let ty = self.feature_type(feature)?;
            let default = match &ty {
                MemberType::Simple(ty) => feature.setting("default").and_then(|s| converted(ty, &s.value.form)),
                MemberType::Objects(_) => None,
            };
            let (min, max) = (feature.min(), feature.max());
            let owner = definition.name.clone();
            model.add(Arc::new(Member { feature: feature.clone(), owner, ty, min, max, default }));
        }
        for statement in &definition.statements {
            if let Statement::Implementation(named) = statement {
                super::resource::check_implementation(&model, named)?;
            }
        }
        body::check_assignments(&model)?;
        let model = Arc::new(model);
        let parent = known.map(|(_, ty)| ty);
        let object = ObjectType::opaque(definition.name.clone(), parent, Some(Hooks(model.clone())));
        let ty = Type::Object(Some(Arc::new(object)));
        self.program.arm.models.insert(key, (model, ty.into()));
        Ok(())
    }

    fn feature_type(&mut self, feature: &Feature) -> Run<MemberType> {
        let (name, span) = match &feature.ty {
            Declared::Named(name, span) => (name, *span),
            _ => return Ok(MemberType::Simple(simple(&feature.ty).unwrap_or_else(any))),
        };
        if !feature.is_reference {
            return match simple(&feature.ty) {
                Some(ty) => Ok(MemberType::Simple(ty)),
                None => fail(span, IssueName::ArmUnknownType, format!("{name} is not a type of an attribute")),
            };
        }
        let key: Text = name.to_lowercase().into();
        if !self.program.arm.has(&key) && !self.program.aliases.contains_key(&key) && types::named(name).is_none() {
            self.load_alias(&key, span)?;
        }
        if !self.program.arm.has(&key) {
            return fail(span, IssueName::ArmUnknownType, format!("{name} is not a type with features"));
        }
        Ok(MemberType::Objects(key))
    }
}

/// The type of an attribute; `None` if it cannot have the one it names.
pub fn simple(declared: &Declared) -> Option<Ty> {
    Some(match declared {
        Declared::Any => any(),
        Declared::Enum(values) => {
            let values = values.iter().map(|(value, _)| value.clone()).collect();
            Type::Enum { values, ignores_case: false }.into()
        }
        Declared::Named(name, _) => match &**name {
            "Integer" => Type::Integer(i64::MIN, i64::MAX).into(),
            "Float" => Type::Float(Bound(f64::NEG_INFINITY), Bound(f64::INFINITY)).into(),
            "String" => Type::String(Size::ANY).into(),
            "Boolean" => Type::Boolean(None).into(),
            _ => return None,
        },
    })
}

fn any() -> Ty {
    let names = ["Integer", "Float", "String", "Boolean"];
    Type::Variant(names.iter().filter_map(|name| types::named(name)).collect()).into()
}

/// A literal or a bare word as a value.
pub fn literal(form: &Form) -> Option<Value> {
    let Form::Value(expr) = form else { return None };
    plain(expr)
}

fn plain(expr: &Expr) -> Option<Value> {
    Some(match &expr.kind {
        Kind::Bool(value) => Value::Bool(*value),
        Kind::Int { value, .. } => Value::Int(i64::try_from(*value).ok()?),
        Kind::Float(value) => Value::Float(*value),
        Kind::Str(text) | Kind::Name(text) => Value::Str(text.clone()),
        Kind::Heredoc { text, .. } => return plain(text),
        Kind::Undef => Value::Undef,
        Kind::Negate(inner) => match &inner.kind {
            Kind::Int { value, .. } => Value::Int(i64::try_from(-value).ok()?),
            Kind::Float(value) => Value::Float(-value),
            _ => return None,
        },
        _ => return None,
    })
}

/// A default as a value of its type, if it can be one.
pub fn converted(ty: &Ty, form: &Form) -> Option<Value> {
    let value = literal(form)?;
    if types::is_instance(ty, &value) {
        return Some(value);
    }
    match &**ty {
        Type::Enum { .. } | Type::Variant(_) => None,
        _ if value == Value::Undef => None,
        _ => types::new::new(ty, &[value]).ok(),
    }
}
