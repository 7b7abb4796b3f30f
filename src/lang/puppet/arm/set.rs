//! The way into a feature, and the way out of it.

use std::sync::Arc;

use super::body::{self, Frame};
use super::value::{contain, may_contain, objects, release};
use crate::lang::puppet::convert;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::loader::Loader;
use crate::lang::puppet::stop::{Help, Run, fail};
use crate::lang::puppet::types::model::{Member, MemberType};
use crate::lang::puppet::types::{self, Ty};
use crate::lang::puppet::value::{Object, Value};
use crate::source::Span;

/// Objects that are inside of one another, at most.
const MAX_DEPTH: usize = 100;

/// Who sets a feature.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// The hash or the initializer of a construction.
    User,
    /// A default, or the code of the type.
    Type,
}

impl Evaluator<'_> {
    /// Sets a feature: checks the raw value, transforms it, checks its type, stores it, checks what is stored.
    pub(super) fn set_feature(
        &mut self,
        object: &Arc<Object>,
        index: usize,
        value: Value,
        by: By,
        at: Span,
    ) -> Run<()> {
        let Some((instance, member)) = member(object, index) else { return Ok(()) };
        if by == By::User && !member.is_setable() {
            let message = format!("The feature '{}' of {} cannot be set", member.name(), instance.model.name);
            return fail(at, IssueName::ArmReadOnly, message);
        }
        if value == Value::Undef {
            unset(object, index);
            return Ok(());
        }
        if let Some(logic) = member.feature.logic("validate") {
            self.check_value(member, logic, &value, at)?;
        }
        let mut value = value;
        if let Some(logic) = member.feature.logic("set") {
            let frame = Frame { object: Some(object.clone()), own: Some(index), is_set: true, has_assigned: false };
            let names = vec![("meta".into(), self.program.meta(member))];
            let (result, frame) = self.run_body(logic, frame, names, &[value], at)?;
            if frame.has_assigned || member.is_derived() {
                return Ok(());
            }
            value = result;
        }
        if member.is_derived() {
            return Ok(());
        }
        self.store_feature(object, index, value, at)
    }

    /// Stores a value as it is, if its type and number are right.
    pub(super) fn store_feature(&mut self, object: &Arc<Object>, index: usize, value: Value, at: Span) -> Run<()> {
        let Some((instance, member)) = member(object, index) else { return Ok(()) };
        if value == Value::Undef {
            unset(object, index);
            return Ok(());
        }
        let value = self.loader().fitting(member, value, at)?;
        if member.feature.is_reference {
            self.hold(object, index, &value, at)?;
        }
        instance.put(index, Some(value.clone()));
        let Some(logic) = member.feature.logic("check") else { return Ok(()) };
        match &value {
            Value::Array(list) => list.iter().try_for_each(|item| self.check_value(member, logic, item, at)),
            value => self.check_value(member, logic, value, at),
        }
    }

    /// Takes objects into a feature, or checks that they can be referred to.
    fn hold(&mut self, outer: &Arc<Object>, index: usize, value: &Value, at: Span) -> Run<()> {
        let Some((instance, member)) = member(outer, index) else { return Ok(()) };
        if member.is_reference() {
            return objects(value).iter().try_for_each(|inner| self.identify(inner, at));
        }
        if !member.is_contained() {
            return Ok(());
        }
        let inner = objects(value);
        for object in &inner {
            let depth = object.arm.as_ref().map_or(0, super::Instance::depth) + 1;
            if !may_contain(outer, index, object) {
                let message = format!("The value of '{}' is contained in an object already", member.name());
                return fail(at, IssueName::ArmAlreadyContained, message);
            }
            if depth > MAX_DEPTH {
                return fail(at, IssueName::RuntimeError, format!("objects are nested more than {MAX_DEPTH} deep"))
                    .help("give inner parts names with variables or functions");
            }
            instance.deepen(depth);
        }
        if let Some(old) = instance.get(index) {
            objects(&old).iter().for_each(|object| release(object));
        }
        inner.iter().for_each(|object| contain(outer, index, object));
        Ok(())
    }

    /// Finds the identity under which an object is referred to.
    fn identify(&mut self, object: &Arc<Object>, at: Span) -> Run<()> {
        let Some(instance) = &object.arm else { return Ok(()) };
        let value = match instance.model.identity() {
            Some(index) => self.read_feature(object, index, at)?,
            None => Value::Undef,
        };
        if value == Value::Undef {
            let message = format!("{} has no identity to refer to", instance.model.name);
            return fail(at, IssueName::ArmNoIdentity, message);
        }
        if let Value::Unknown(_) = value {
            let message = format!("the identity of {} is not known while compiling", instance.model.name);
            return fail(at, IssueName::ArmNoIdentity, message);
        }
        instance.set_identity(convert::string(&value).into());
        Ok(())
    }

    /// Reads a feature as from outside of the type.
    pub fn read_feature(&mut self, object: &Arc<Object>, index: usize, at: Span) -> Run {
        let Some((instance, member)) = member(object, index) else { return Ok(Value::Undef) };
        let frame = |own| Frame { object: Some(object.clone()), own, is_set: false, has_assigned: false };
        if let Some(logic) = member.feature.logic("derived") {
            let names = vec![("meta".into(), self.program.meta(member))];
            let (value, _) = self.run_body(logic, frame(None), names, &[], at)?;
            return if value == Value::Undef { Ok(absent(member)) } else { self.loader().fitting(member, value, at) };
        }
        let Some(value) = instance.get(index) else { return Ok(absent(member)) };
        let Some(logic) = member.feature.logic("get") else { return Ok(value) };
        let names = vec![("meta".into(), self.program.meta(member))];
        let (value, _) = self.run_body(logic, frame(Some(index)), names, &[value], at)?;
        if value == Value::Undef { Ok(absent(member)) } else { self.loader().fitting(member, value, at) }
    }

    /// Reads a feature by its name; anything else is refused.
    pub fn read_named(&mut self, object: &Arc<Object>, name: &str, at: Span) -> Run {
        let Some(instance) = &object.arm else { return Ok(Value::Undef) };
        match instance.model.find(name) {
            Some(index) => self.read_feature(object, index, at),
            None => unknown_feature(&instance.model.name, name, at),
        }
    }

    /// Sets a feature by its name, from outside; `appends` adds to what a read gives.
    pub(super) fn set_named(
        &mut self,
        object: &Arc<Object>,
        name: &str,
        value: Value,
        appends: bool,
        at: Span,
    ) -> Run<()> {
        let Some(instance) = &object.arm else { return Ok(()) };
        let Some(index) = instance.model.find(name) else { return unknown_feature(&instance.model.name, name, at) };
        let value = if appends { added(self.read_feature(object, index, at)?, value) } else { value };
        self.set_feature(object, index, value, By::User, at)
    }

    /// Runs a check; its result decides whether the value is valid.
    fn check_value(
        &mut self,
        member: &Member,
        logic: &crate::lang::puppet::ast::arm::Logic,
        value: &Value,
        at: Span,
    ) -> Run<()> {
        let mut names = vec![(member.name().clone(), value.clone()), ("meta".into(), self.program.meta(member))];
        if !matches!(logic.form, crate::lang::puppet::ast::arm::Form::Lambda(_)) {
            names.push(("it".into(), value.clone()));
        }
        let (answer, _) = self.run_body(logic, Frame::default(), names, std::slice::from_ref(value), at)?;
        let refusal = || {
            let value = convert::string(value);
            format!("Illegal value: {value} is not an acceptable value for {}", member.name())
        };
        match body::answer(&answer, refusal) {
            Ok(None) => Ok(()),
            Ok(Some(message)) => fail(at, IssueName::ArmCheckFailed, message),
            Err(why) => fail(at, IssueName::ArmIllegalCheckResult, format!("The check of '{}' {why}", member.name())),
        }
    }
}

impl Loader<'_, '_> {
    /// The value in the form of the feature: one value for a list is a list of one.
    fn fitting(&mut self, member: &Member, value: Value, at: Span) -> Run {
        if let Value::Unknown(_) = value {
            return Ok(value);
        }
        let ty = self.member_type(member, at)?;
        let mismatch = |value: &Value| {
            let why = types::describe_mismatch(&ty, value);
            fail(at, IssueName::ArmTypeMismatch, format!("{}[{}] {why}", member.owner, member.name()))
        };
        if !member.is_list() {
            return if types::is_instance(&ty, &value) { Ok(value) } else { mismatch(&value) };
        }
        let list = match value {
            Value::Array(list) => list,
            single => Arc::new(vec![single]),
        };
        if let Some(wrong) = list.iter().find(|item| !types::is_instance(&ty, item)) {
            return mismatch(wrong);
        }
        match member.max {
            Some(max) if list.len() > max => {
                let wanted = match member.min {
                    0 => format!("at most {max}"),
                    min if min == max => max.to_string(),
                    min => format!("between {min} and {max}"),
                };
                let why = format!("expects size to be {wanted}, got {}", list.len());
                fail(at, IssueName::ArmTooManyValues, format!("{}[{}] {why}", member.owner, member.name()))
            }
            _ => Ok(Value::Array(list)),
        }
    }

    /// The type of one value of a feature.
    fn member_type(&mut self, member: &Member, at: Span) -> Run<Ty> {
        match &member.ty {
            MemberType::Simple(ty) => Ok(ty.clone()),
            MemberType::Objects(name) => match self.arm_type(name, at)? {
                Some((_, ty)) => Ok(ty),
                None => fail(at, IssueName::ArmUnknownType, format!("{name} is not a type with features")),
            },
        }
    }
}

/// The feature of an object, with the inside of the object.
fn member(object: &Object, index: usize) -> Option<(&super::Instance, &Member)> {
    let instance = object.arm.as_ref()?;
    Some((instance, instance.model.members.get(index)?))
}

pub(super) fn unknown_feature<V>(of: &str, name: &str, at: Span) -> Run<V> {
    fail(at, IssueName::ArmUnknownFeature, format!("no feature named '{name}' in {of}"))
}

/// What reading gives where nothing is set.
pub(super) fn absent(member: &Member) -> Value {
    if member.is_list() && !member.is_unsettable() { Value::array(Vec::new()) } else { Value::Undef }
}

fn unset(object: &Arc<Object>, index: usize) {
    let Some((instance, member)) = member(object, index) else { return };
    if member.is_contained()
        && let Some(old) = instance.get(index)
    {
        objects(&old).iter().for_each(|inner| release(inner));
    }
    instance.put(index, None);
}

/// Old and new values; the elements of a list are added one by one.
pub(super) fn added(old: Value, new: Value) -> Value {
    let mut list = match old {
        Value::Undef => return new,
        Value::Array(list) => list.to_vec(),
        single => vec![single],
    };
    match new {
        Value::Array(more) => list.extend(more.iter().cloned()),
        Value::Undef => {}
        single => list.push(single),
    }
    Value::array(list)
}
