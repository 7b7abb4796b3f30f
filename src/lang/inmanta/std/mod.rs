//! The module `std`: its model is text of ours, its functions are built in.

mod environment;
mod files;
mod lists;
mod names;
mod net;
mod shape;
mod text;

use std::sync::{Arc, LazyLock};

use super::ast::NodeId;
use super::check::{Model, validate};
use super::define::{Named, Program};
use super::error::{Class, Raise, Result};
use super::plugin::{self, Body, BuiltIn};
use super::pystr;
use super::run::{Flow, Machine, Run, ScopeId, VarId};
use super::types::Ty;
use super::value::Value;
use crate::diag::Code;
use crate::source::Span;

pub use files::{in_module, located};
pub use names::StdNames;
pub use text::write_json_text;

/// A default value of an argument.
#[derive(Clone, Copy, Debug)]
pub enum Default {
    Null,
    Int(i64),
    Bool(bool),
    Str(&'static str),
    Agent,
}

impl Default {
    fn value(self) -> Value {
        match self {
            Default::Null => Value::Null,
            Default::Int(number) => Value::Int(number),
            Default::Bool(flag) => Value::Bool(flag),
            Default::Str(text) => Value::str(text),
            Default::Agent => Value::list(vec![Value::str("agent")]),
        }
    }
}

/// An argument: its name, its type, and its default.
pub type Argument = (&'static str, &'static str, Option<Default>);

/// A function of `std`.
pub struct Native {
    pub name: &'static str,
    arguments: &'static [Argument],
    returns: &'static str,
    /// Whether it takes any number of arguments after these.
    takes_more: bool,
    takes_named: bool,
    takes_unknown: bool,
    needs_model: bool,
    makes_reference: bool,
    body: fn(&mut Call) -> CallResult,
}

impl std::fmt::Debug for Native {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "std::{}", self.name)
    }
}

const fn function(
    name: &'static str,
    arguments: &'static [Argument],
    returns: &'static str,
    body: fn(&mut Call) -> CallResult,
) -> Native {
    Native {
        name,
        arguments,
        returns,
        takes_more: false,
        takes_named: false,
        takes_unknown: false,
        needs_model: false,
        makes_reference: false,
        body,
    }
}

impl Native {
    const fn more(mut self) -> Self {
        self.takes_more = true;
        self
    }

    const fn named(mut self) -> Self {
        self.takes_named = true;
        self
    }

    const fn unknown(mut self) -> Self {
        self.takes_unknown = true;
        self
    }

    const fn reference(mut self) -> Self {
        self.takes_unknown = true;
        self.makes_reference = true;
        self
    }

    /// It reads the model, so it cannot be part of a type.
    const fn model(mut self) -> Self {
        self.needs_model = true;
        self
    }
}

/// Every function of `std`.
pub fn natives() -> impl Iterator<Item = &'static Native> {
    [text::NATIVES, lists::NATIVES, net::NATIVES, environment::NATIVES, files::NATIVES, shape::NATIVES]
        .into_iter()
        .flatten()
}

/// The same for the stages before the run, in the order of the table.
pub fn built_in() -> Vec<BuiltIn> {
    natives().zip(0..).map(|(native, at)| BuiltIn { name: native.name, at }).collect()
}

/// The function behind an entry of [`built_in`].
pub fn native(built_in: BuiltIn) -> &'static Native {
    static TABLE: LazyLock<Vec<&'static Native>> = LazyLock::new(|| natives().collect());
    TABLE[built_in.at as usize]
}

/// The type of a plugin's result.
pub fn result_of(program: &Program, plugin: u32) -> Option<Ty> {
    match program.plugins.get(plugin as usize)?.body {
        Body::Native(built_in) => Some(native(built_in).result(program)),
        Body::Python(at) => program.signatures.get(at? as usize).map(|signature| signature.returns.clone()),
    }
}

/// Why a function has no value.
pub enum Fail {
    /// A Python error that the function does not catch.
    External(String),
    /// A value that it reads is not known.
    Unknown,
    /// It makes a reference, which only an agent can read.
    Reference,
    /// A variable that it reads has no value yet.
    Unset(VarId),
    Raise(Box<Raise>),
}

/// The result of a call of a built-in function.
pub type CallResult = std::result::Result<Value, Fail>;

fn fail<T>(message: impl Into<String>) -> std::result::Result<T, Fail> {
    Err(Fail::External(message.into()))
}

/// Where a function is called.
enum Place<'c, 'a> {
    Model {
        machine: &'c mut Machine<'a>,
        scope: ScopeId,
        node: NodeId,
    },
    /// In the condition of a type.
    Type(&'c Program, &'c dyn Model),
}

/// One call: every argument of the signature in order, then what goes beyond it.
pub struct Call<'c, 'a> {
    place: Place<'c, 'a>,
    arguments: Vec<Value>,
    more: Vec<Value>,
    named: Vec<(Arc<str>, Value)>,
}

impl Call<'_, '_> {
    fn program(&self) -> &Program {
        match &self.place {
            Place::Model { machine, .. } => machine.program,
            Place::Type(program, _) => program,
        }
    }

    fn model(&self) -> &dyn Model {
        match &self.place {
            Place::Model { machine, .. } => &**machine,
            Place::Type(_, model) => *model,
        }
    }

    /// Arguments by other names than those of the signature.
    pub fn named_arguments(&self) -> &[(Arc<str>, Value)] {
        &self.named
    }

    /// The model, and where names are looked up.
    pub fn machine(&self) -> Option<(&Machine<'_>, ScopeId)> {
        match &self.place {
            Place::Model { machine, scope, .. } => Some((machine, *scope)),
            Place::Type(..) => None,
        }
    }

    /// The number of the plugin with a full name, if there is one.
    pub fn plugin(&self, full: &str) -> Option<u32> {
        match self.program().find_full(full)? {
            Named::Plugin(id) => Some(id),
            _ => None,
        }
    }

    /// Calls another plugin in the place of this one.
    pub fn call_other(&mut self, id: u32, arguments: &[Value]) -> CallResult {
        let Place::Model { machine, scope, node } = &mut self.place else { return fail("no model here") };
        match call(machine, id, arguments, &[], *scope, *node) {
            Ok(Value::Unknown(_)) => Err(Fail::Unknown),
            Ok(value) => Ok(value),
            Err(Flow::Unset(vars)) => Err(vars.first().map_or(Fail::Unknown, |var| Fail::Unset(*var))),
            Err(Flow::Raise(raise)) => Err(Fail::Raise(raise)),
        }
    }

    fn arg(&self, at: usize) -> &Value {
        self.arguments.get(at).unwrap_or(&Value::Null)
    }

    /// A text among the arguments; empty where it is another value.
    pub fn text(&self, at: usize) -> Arc<str> {
        match self.arg(at) {
            Value::Str(text) => text.clone(),
            _ => Arc::from(""),
        }
    }

    fn int(&self, at: usize) -> std::result::Result<i64, Fail> {
        match self.arg(at) {
            Value::Int(number) => Ok(*number),
            Value::Bool(flag) => Ok(i64::from(*flag)),
            Value::Big(number) => fail(format!("{number} is outside of 64 bits")),
            _ => Ok(0),
        }
    }

    fn bool(&self, at: usize) -> bool {
        matches!(self.arg(at), Value::Bool(true))
    }

    fn list(&self, at: usize) -> Arc<Vec<Value>> {
        match self.arg(at) {
            Value::List(items) => items.clone(),
            _ => Arc::new(Vec::new()),
        }
    }

    /// Python's `str` of a value as a function sees it: null is `None`, lists are wrapped.
    fn shown(&self, value: &Value) -> String {
        match value {
            Value::Null => "None".to_string(),
            Value::List(_) | Value::Dict(_) | Value::Instance(_) => format!("@{}", pystr::repr(value, self.model())),
            other => pystr::str(other, self.model()),
        }
    }

    /// The value of an attribute; a variable without a value suspends the call.
    fn attribute(&self, value: &Value, name: &str) -> CallResult {
        let Place::Model { machine, .. } = &self.place else { return fail("no model here") };
        let Value::Instance(instance) = value else {
            return fail(format!("'{}' object has no attribute '{name}'", value.type_name()));
        };
        let sym = machine.program.names.find(name);
        let Some(Ok(var)) = sym.map(|sym| machine.attribute_var(*instance, sym)) else {
            return fail(format!("could not find attribute with name: {name}"));
        };
        match machine.peek(var) {
            None => Err(Fail::Unset(var)),
            Some(Value::Unknown(_)) => Err(Fail::Unknown),
            Some(Value::Null) if machine.is_optional_relation(var) => {
                let message = format!("Optional variable accessed that has no value (attribute `{name}`)");
                Err(Fail::Raise(Raise::new(Class::OptionalValue, message)))
            }
            Some(value) => Ok(value.clone()),
        }
    }
}

/// The type of a signature.
fn signature_type(program: &Program, text: &str) -> Ty {
    if let Some(inner) = text.strip_suffix('?') {
        return Ty::Nullable(Box::new(signature_type(program, inner)));
    }
    if let Some(inner) = text.strip_suffix("[]") {
        return Ty::List(Box::new(signature_type(program, inner)));
    }
    match text {
        "any" => Ty::Any,
        "list" => Ty::AnyList,
        "dict" => Ty::AnyDict,
        "string" => Ty::Str,
        "int" => Ty::Int,
        "bool" => Ty::Bool,
        full => program.named_type(full).unwrap_or(Ty::Any),
    }
}

impl Program {
    /// A type by its full name.
    pub fn named_type(&self, full: &str) -> Option<Ty> {
        if let Some(ty) = Ty::primitive(full) {
            return Some(ty);
        }
        match self.find_full(full)? {
            Named::Entity(id) => Some(Ty::Entity(id)),
            Named::Typedef(id) => Some(Ty::Typedef(id)),
            _ => None,
        }
    }
}

/// Arguments by the signature, those beyond it, those by other names, and whether one is not known.
type Bound = (Vec<Value>, Vec<Value>, Vec<(Arc<str>, Value)>, bool);

/// Checks arguments against the signature, with Python's messages. The flag is whether one is not known.
fn bind(
    native: &Native,
    program: &Program,
    positional: &[Value],
    named: &[(Arc<str>, Value)],
    model: &dyn Model,
) -> Result<Bound> {
    let full = format!("std::{}", native.name);
    let wrong = |message: String| Err(Raise::new(Class::Runtime, message).with_code(Code::ArgumentCount));
    let count = native.arguments.len();
    if !native.takes_more && positional.len() > count {
        return wrong(format!("{full}() takes {count} positional arguments but {} were given", positional.len()));
    }
    let mut missing = Vec::new();
    for (at, (name, _, default)) in native.arguments.iter().enumerate() {
        let is_named = named.iter().any(|(other, _)| **other == **name);
        if at >= positional.len() && !is_named && default.is_none() {
            missing.push(format!("'{name}'"));
        }
    }
    if let Some(message) = plugin::missing_arguments(&full, &missing) {
        return wrong(message);
    }
    let mut is_unknown = false;
    let mut check = |name: &str, ty: &str, value: &Value| -> Result<()> {
        if value.is_unknown() {
            is_unknown = true;
            return Ok(());
        }
        plugin::check_argument(&full, name, &signature_type(program, ty), value, (program, model))
    };
    let mut values: Vec<Option<Value>> = vec![None; count];
    let mut more = Vec::new();
    for (at, value) in positional.iter().enumerate() {
        match native.arguments.get(at) {
            Some((name, ty, _)) => {
                check(name, ty, value)?;
                values[at] = Some(value.clone());
            }
            None => {
                check("args", "any", value)?;
                more.push(value.clone());
            }
        }
    }
    let mut extra = Vec::new();
    for (name, value) in named {
        match native.arguments.iter().position(|(other, _, _)| **other == **name) {
            Some(at) if values[at].is_some() => {
                return wrong(format!("{full}() got multiple values for argument '{name}'"));
            }
            Some(at) => {
                check(name, native.arguments[at].1, value)?;
                values[at] = Some(value.clone());
            }
            None if native.takes_named => {
                check(name, "any", value)?;
                extra.push((name.clone(), value.clone()));
            }
            None => return wrong(format!("{full}() got an unexpected keyword argument: '{name}'")),
        }
    }
    let values = values
        .into_iter()
        .zip(native.arguments)
        .map(|(value, (_, _, default))| value.or(default.map(Default::value)).unwrap_or(Value::Null))
        .collect();
    Ok((values, more, extra, is_unknown))
}

/// Checks what a function gives.
fn checked(native: &Native, program: &Program, value: Value, model: &dyn Model) -> Result<Value> {
    let ty = signature_type(program, native.returns);
    match validate(program, &ty, &value, model) {
        Ok(()) => Ok(value),
        Err(cause) => {
            let message = format!(
                "Return value {} of plugin std::{} has incompatible type. Expected type: {}",
                pystr::str(&value, model),
                native.name,
                program.type_text(&ty)
            );
            Err(Raise::new(Class::PluginType, message).with_cause(cause))
        }
    }
}

/// Calls a function of the model.
pub fn call(
    machine: &mut Machine,
    id: u32,
    positional: &[Value],
    named: &[(Arc<str>, Value)],
    scope: ScopeId,
    node: NodeId,
) -> Run<Value> {
    let program = machine.program;
    let span = program.ast.span(node);
    let native = match program.plugins[id as usize].body {
        Body::Native(built_in) => native(built_in),
        Body::Python(Some(signature)) => return plugin::call(machine, id, signature, positional, named, (node, scope)),
        Body::Python(None) => return Ok(machine.plugin_not_run(id, span)),
    };
    let (arguments, more, extra, is_unknown) = bind(native, program, positional, named, machine)?;
    if is_unknown && !native.takes_unknown {
        return Ok(machine.unknown());
    }
    let key = || {
        let arguments: Vec<String> = arguments.iter().map(|value| pystr::repr(value, machine)).collect();
        format!("std::{}({})", native.name, arguments.join(", "))
    };
    let key = native.makes_reference.then(key);
    let place = Place::Model { machine: &mut *machine, scope, node };
    let mut call = Call { place, arguments, more, named: extra };
    let made = (native.body)(&mut call);
    match made {
        Ok(Value::Unknown(_)) | Err(Fail::Unknown) => Ok(machine.unknown()),
        Err(Fail::Reference) => Ok(machine.reference(&key.unwrap_or_default())),
        // A function without a result gives null, whatever it says that it returns.
        Ok(Value::Null) if native.returns == "any" => Ok(Value::Null),
        Ok(value) => Ok(checked(native, program, value, machine)?),
        Err(Fail::Unset(var)) => Err(Flow::Unset(vec![var])),
        Err(fail) => Err(failed(native, fail, span).into()),
    }
}

fn failed(native: &Native, fail: Fail, span: Span) -> Box<Raise> {
    let message = format!("Exception in plugin std::{}", native.name);
    match fail {
        Fail::External(reason) => Raise::at(Class::External, span, format!("{message}: {reason}")),
        Fail::Raise(cause) if cause.class == Class::PluginType => cause,
        Fail::Raise(cause) => {
            let class = if cause.class == Class::External { Class::External } else { Class::Wrapping };
            Raise::at(class, span, message).with_cause(cause)
        }
        Fail::Unknown | Fail::Reference | Fail::Unset(_) => Raise::at(Class::Runtime, span, message),
    }
}

/// Calls a function in the condition of a type.
pub fn call_direct(
    program: &Program,
    id: u32,
    positional: Vec<Value>,
    named: Vec<(Arc<str>, Value)>,
    span: Span,
    model: &dyn Model,
) -> Result<Option<Value>> {
    let native = match program.plugins[id as usize].body {
        Body::Native(built_in) => native(built_in),
        Body::Python(signature) => {
            let signature = signature.map(|at| &program.signatures[at as usize]);
            return plugin::call_direct(program, (id, signature), &positional, &named, span, model);
        }
    };
    let (arguments, more, extra, is_unknown) = bind(native, program, &positional, &named, model)?;
    if is_unknown && !native.takes_unknown {
        return Err(Raise::at(Class::Runtime, span, "Received unknown value during direct execution"));
    }
    if native.needs_model {
        let message = "Context Aware functions are not allowed in direct execution";
        return Err(Raise::at(Class::Runtime, span, message));
    }
    let mut call = Call { place: Place::Type(program, model), arguments, more, named: extra };
    match (native.body)(&mut call) {
        Ok(value) => checked(native, program, value, model).map(Some),
        Err(fail) => Err(failed(native, fail, span)),
    }
}
