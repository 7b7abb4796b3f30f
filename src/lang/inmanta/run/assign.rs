//! Setting variables: once for plain ones, again and again for lists, and the other side of a relation with it.

use super::super::check;
use super::super::error::{Class, Raise};
use super::super::names::Sym;
use super::super::pystr;
use super::super::trace::{What, Why};
use super::super::types::Ty;
use super::super::value::{InstanceId, Value};
use super::variable::{Owner, VarKind};
use super::{Flow, Machine, PASSES, Run, VarId};
use crate::diag::Code;
use crate::source::Span;

impl Machine<'_> {
    fn check_type(&self, var: VarId, value: &Value) -> Run<()> {
        if value.is_unknown() {
            return Ok(());
        }
        let ty = match self.var(var).kind {
            VarKind::Attribute(attribute) => &self.program.attribute(attribute).ty,
            VarKind::Instance(entity) => &self.program.entity_types[entity.0 as usize],
            VarKind::Flag => &Ty::Bool,
            _ => match self.attribute_of(var) {
                Some(attribute) => &self.program.attribute(attribute).ty,
                None => return Ok(()),
            },
        };
        Ok(check::validate(self.program, ty, value, self)?)
    }

    fn set_twice(&self, var: VarId, value: &Value, place: Span) -> Flow {
        let old = self.var(var);
        let old_value = old.value().unwrap_or(&Value::Null);
        let at = |place: Option<Span>| place.map_or("None".to_string(), |place| self.place(place));
        let name = match old.kind {
            super::variable::VarKind::Attribute(attribute) => Some(attribute),
            _ => self.attribute_of(var),
        };
        let name = name.map(|attribute| self.program.text(self.program.attribute(attribute).name));
        let label = format!(
            "{} is set to `{}` here, and to `{}` elsewhere",
            name.map_or("this".to_string(), |name| format!("`{name}`")),
            pystr::str(value, self),
            pystr::str(old_value, self)
        );
        let message = format!(
            "value set twice:\n\told value: {}\n\t\tset at {}\n\tnew value: {}\n\t\tset at {}\n",
            pystr::str(old_value, self),
            at(old.place()),
            pystr::str(value, self),
            at(Some(place))
        );
        let mut raise = Raise::new(Class::DoubleSet, message).with_edit(place).with_label(label);
        if let (Some(name), true) = (name, self.attribute_of(var).is_some()) {
            let help =
                format!("`{name}` holds one instance: set it once, or write `[0:]` after `{name}` in the relation");
            raise = raise.with_help(help);
        }
        if let Some(first) = old.place() {
            raise.related.push((first, "first set here".to_string()));
        }
        raise.into()
    }

    pub(super) fn set(&mut self, var: VarId, value: &Value, place: Span, with_inverse: bool) -> Run<()> {
        self.passes += 1;
        if self.passes > PASSES {
            return Err(Raise::at(
                Class::Compiler,
                place,
                format!("a value passes through more than {PASSES} relations"),
            )
            .with_code(Code::EvaluationLimit)
            .into());
        }
        let set = match self.var(var).kind {
            VarKind::Plain | VarKind::Attribute(_) | VarKind::Instance(_) | VarKind::Flag | VarKind::Element => {
                self.set_plain(var, value, place)
            }
            VarKind::Single(at) => self.set_single(var, at as usize, value, place, with_inverse),
            VarKind::List(at) => self.set_list(var, at as usize, value, place, with_inverse),
            VarKind::Optional(at) => self.set_optional(var, at as usize, value, place, with_inverse),
            VarKind::Literal(at) => {
                match value {
                    Value::List(items) => self.delayed[at as usize].items.extend(items.iter().cloned()),
                    value => self.delayed[at as usize].items.push(value.clone()),
                }
                Ok(())
            }
            VarKind::Proxy(_) => Err(Raise::new(Class::Internal, "a stand-in cannot be set").into()),
        };
        self.passes -= 1;
        set
    }

    /// Whether a variable is still to get this value. False where it has it already; another value is an error.
    fn is_new(&self, var: VarId, value: &Value, place: Span) -> Run<bool> {
        match self.var(var).value() {
            Some(old) if old != value && self.may_be(old, value) => Ok(false),
            Some(old) if old != value => Err(self.set_twice(var, value, place)),
            Some(_) => Ok(false),
            None => self.check_type(var, value).map(|()| true),
        }
    }

    fn set_plain(&mut self, var: VarId, value: &Value, place: Span) -> Run<()> {
        if self.is_new(var, value, place)? {
            let waiters = self.make_ready(var, value.clone(), Some(place));
            self.wake_all(waiters);
        }
        Ok(())
    }

    fn set_single(&mut self, var: VarId, at: usize, value: &Value, place: Span, with_inverse: bool) -> Run<()> {
        if !self.is_new(var, value, place)? {
            return Ok(());
        }
        let waiters = self.make_ready(var, value.clone(), Some(place));
        if with_inverse {
            self.set_inverse(self.singles[at], value, place)?;
        }
        self.wake_all(waiters);
        Ok(())
    }

    /// Sets the other side of a relation.
    fn set_inverse(&mut self, owner: Owner, value: &Value, place: Span) -> Run<()> {
        let Some(end) = self.end_of(owner) else { return Ok(()) };
        let own = owner.instance;
        match value {
            Value::Instance(other) => self.set_attribute(*other, end, &Value::Instance(own), place, false),
            Value::Unknown(_) => {
                self.open_end(Some(owner.attribute));
                Ok(())
            }
            _ => Err(Raise::at(Class::Internal, place, "a relation with another side holds a value that is not known")
                .into()),
        }
    }

    /// The name of the other side of a relation.
    fn end_of(&self, owner: Owner) -> Option<Sym> {
        let relation = self.program.attribute(owner.attribute).relation.as_ref()?;
        relation.end.map(|end| self.program.attribute(end).name)
    }

    /// Sets an attribute; an error says which.
    pub(super) fn set_attribute(
        &mut self,
        instance: InstanceId,
        name: Sym,
        value: &Value,
        place: Span,
        with_inverse: bool,
    ) -> Run<()> {
        let var = self.attribute_var(instance, name)?;
        match self.set(var, value, place, with_inverse) {
            Err(Flow::Raise(cause)) if cause.class.is_runtime() => {
                let at = self.instances[instance.0 as usize].places.last().copied();
                Err(self.attribute_error(at.unwrap_or(place), instance, name, cause).into())
            }
            set => set,
        }
    }

    /// Where the constructor of an instance sets an attribute.
    fn argument_of(&self, instance: InstanceId, name: Sym) -> Option<Span> {
        let place = self.instances[instance.0 as usize].places.last().copied()?;
        let name = self.program.text(name);
        let text = self.sources.file(place.file).text.get(place.range().start..)?;
        let open = text.find('(')?;
        let mut depth = 0usize;
        let mut is_text = false;
        let mut at_name = true;
        for (at, c) in text.char_indices().skip_while(|(at, _)| *at < open).take(20_000) {
            match c {
                '"' => is_text = !is_text,
                _ if is_text => {}
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => {
                    depth -= 1;
                    if depth == 0 {
                        return None;
                    }
                }
                _ => {}
            }
            if at_name && depth == 1 && !is_text && text[at..].starts_with(name) {
                let behind = text[at + name.len()..].trim_start();
                if behind.starts_with('=') && !behind.starts_with("==") {
                    let start = place.range().start + at;
                    return Some(Span::new(place.file, start, start + name.len()));
                }
            }
            at_name = depth == 1 && !is_text && (matches!(c, ',' | '(') || at_name && c.is_whitespace());
        }
        None
    }

    pub(super) fn attribute_error(
        &self,
        statement: Span,
        instance: InstanceId,
        name: Sym,
        mut cause: Box<Raise>,
    ) -> Box<Raise> {
        // A default of a module is in the way of what the constructor sets.
        if cause.class == Class::DoubleSet
            && let Some(edit) = cause.edit.filter(|edit| edit.file != statement.file)
        {
            cause.related.push((edit, "this value is set".to_string()));
            cause.edit = Some(statement);
        }
        let argument = self.argument_of(instance, name);
        let name = self.program.text(name);
        let text = pystr::Instances::long(self, instance);
        let message = format!("Could not set attribute `{name}` on instance `{text}`");
        let mut raise = Raise::at(Class::Attribute, statement, message);
        raise.edit = argument.filter(|_| cause.edit.is_none());
        match (&cause.help, matches!(cause.class, Class::WrongValue | Class::Typing)) {
            (None, true) => {
                let help = cause.remedy.take().unwrap_or_else(|| "compare the value with the declared type".into());
                raise.with_code(Code::TypeMismatch).with_help(help).with_cause(cause)
            }
            _ => raise.with_cause(cause),
        }
    }

    fn modified_after_freeze(&mut self, var: VarId, place: Span, is_inverse: bool) -> Flow {
        let mut raise = Raise::placed(Class::ModifiedAfterFreeze, place, "List modified after freeze");
        self.late = self.attribute_of(var);
        if self.trace.is_on {
            self.explain_late(var, place, is_inverse, &mut raise);
        }
        raise.into()
    }

    fn holds(&self, var: VarId, at: usize, value: &Value) -> bool {
        let items = match self.var(var).value() {
            Some(Value::List(items)) => items,
            _ => &self.delayed[at].items,
        };
        match value {
            Value::Instance(id) if items.len() > 8 => match &self.delayed[at].more {
                Some(more) if !more.seen.is_empty() => more.seen.contains(id),
                _ => items.contains(value),
            },
            value => items.contains(value),
        }
    }

    fn set_list(&mut self, var: VarId, at: usize, value: &Value, place: Span, with_inverse: bool) -> Run<()> {
        if matches!(value, Value::Null) {
            let count = self.length(var);
            if count > 0 {
                let (name, instance) = self.named_owner(at);
                let message = format!(
                    "Trying to set relation attribute `{name}` of instance `{instance}` to null but it has values \
                     assigned already"
                );
                let help = "remove `null` here, or the other values";
                return Err(Raise::placed(Class::Runtime, place, message).with_help(help).into());
            }
            self.trace.note(var, What::Set, Some(place));
            self.freeze(var, Why::Full);
            return Ok(());
        }
        if self.var(var).is_ready() {
            let late = match value {
                Value::List(items) => items.iter().any(|item| !self.holds(var, at, item)),
                value => !self.holds(var, at, value),
            };
            // An open list may hold it.
            let is_open = |machine: &Self| match machine.var(var).value() {
                Some(Value::List(items)) => items.last().is_some_and(|last| machine.may_be(last, value)),
                _ => false,
            };
            if !late || self.may_be(&Value::Null, value) || is_open(self) {
                return Ok(());
            }
            if Some(self.length(var)) == self.bounds_of(at).1 {
                let (name, instance) = self.named_owner(at);
                let message = format!("Exceeded relation arity on attribute '{name}' of instance '{instance}'");
                return Err(self.too_many(at, Raise::placed(Class::Runtime, place, message)).into());
            }
            return Err(self.modified_after_freeze(var, place, !with_inverse));
        }
        if let Value::List(items) = value {
            if items.is_empty() && self.can_freeze(var) {
                self.queue(var);
            }
            for item in items.iter() {
                self.set(var, item, place, with_inverse)?;
            }
            return Ok(());
        }
        self.check_type(var, value)?;
        if self.holds(var, at, value) {
            if self.can_freeze(var) {
                self.queue(var);
            }
            return Ok(());
        }
        self.trace.note(var, What::Set, Some(place));
        self.add_item(at, value);
        self.pass_to_listeners(at, value, place)?;
        if with_inverse && let Some(owner) = self.delayed[at].owner {
            self.set_inverse(owner, value, place)?;
        }
        if let Some(high) = self.bounds_of(at).1 {
            let count = self.length(var);
            if count > high {
                let message = format!("List over full: max nr of items is {high}");
                return Err(self.too_many(at, Raise::new(Class::Runtime, message)).into());
            }
            if count == high {
                self.freeze(var, Why::Full);
            }
        }
        if !self.var(var).is_ready() && self.can_freeze(var) {
            self.queue(var);
        }
        Ok(())
    }

    /// What to do about a relation with more values than it may hold.
    fn too_many(&self, at: usize, raise: Box<Raise>) -> Box<Raise> {
        let Some(owner) = self.delayed[at].owner else { return raise };
        let attribute = self.program.attribute(owner.attribute);
        let name = self.program.text(attribute.name);
        match self.bounds_of(at) {
            (low, Some(high)) if low > high => raise
                .with_edit(attribute.span)
                .with_label(format!("`{name}` holds at least {low} and at most {high} values: nothing can do that"))
                .with_help(format!("write `[{high}:{low}]`")),
            (_, Some(high)) => raise
                .with_related(attribute.span, format!("`{name}` holds at most {high}"))
                .with_help(format!("set `{name}` at most {high} times, or raise the bound in the relation")),
            _ => raise,
        }
    }

    /// Gives a new value to those that take values as they come.
    fn pass_to_listeners(&mut self, at: usize, value: &Value, place: Span) -> Run<()> {
        let Some(more) = &self.delayed[at].more else { return Ok(()) };
        let listeners = more.listeners.clone();
        for listener in listeners {
            if self.receive(listener, value, place)? {
                if !self.is_pure_gradual(listener) {
                    self.delayed[at].gradual += 1;
                }
                self.delayed[at].more().listeners.retain(|other| *other != listener);
            }
        }
        Ok(())
    }

    fn add_item(&mut self, at: usize, value: &Value) {
        let delayed = &mut self.delayed[at];
        delayed.items.push(value.clone());
        if delayed.items.len() == 9 {
            let instances = delayed.items.iter().filter_map(|item| match item {
                Value::Instance(id) => Some(*id),
                _ => None,
            });
            let seen = instances.collect();
            delayed.more().seen = seen;
        } else if delayed.items.len() > 9
            && let Value::Instance(id) = value
        {
            delayed.more().seen.insert(*id);
        }
    }

    fn set_optional(&mut self, var: VarId, at: usize, value: &Value, place: Span, with_inverse: bool) -> Run<()> {
        if let Some(old) = self.var(var).value() {
            return match (old, value) {
                (Value::Null, Value::Null) => Ok(()),
                (old, new) if self.may_be(old, new) => Ok(()),
                (Value::Null, _) => Err(self.modified_after_freeze(var, place, !with_inverse)),
                (old, new) if old == new => Ok(()),
                _ => Err(self.set_twice(var, value, place)),
            };
        }
        if !matches!(value, Value::Null) {
            self.check_type(var, value)?;
        }
        if let (Value::Instance(_), true, Some(owner)) = (value, with_inverse, self.delayed[at].owner) {
            self.set_inverse(owner, value, place)?;
        }
        self.trace.note(var, What::Set, Some(place));
        self.freeze_with(var, value.clone(), Some(place), Why::Full);
        Ok(())
    }

    /// How a message writes the attribute and the instance of a relation.
    fn named_owner(&self, at: usize) -> (&str, String) {
        let Some(owner) = self.delayed[at].owner else { return ("", String::new()) };
        let name = self.program.text(self.program.attribute(owner.attribute).name);
        (name, pystr::Instances::long(self, owner.instance))
    }
}
