//! Plugins that a template uses as filters. A template runs again when the plugins have answered what it asked for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use minijinja::value::{Object, ObjectRepr, Rest, ValueKind};
use minijinja::{Environment, ErrorKind, Value as Jinja};

use super::super::error::Raise;
use super::super::pystr;
use super::super::std::{Call, Fail};
use super::super::value::Value;
use super::values::{TemplateInstance, TemplateReads, converted, is_absent};

/// How many values a template may give to plugins.
const MOST_GIVEN: u64 = 2_000_000;

/// A plugin, and its arguments as a text.
type Question = (u32, String);

/// The calls of plugins that a template makes as filters.
#[derive(Debug, Default)]
pub struct FilterCalls {
    known: Mutex<BTreeMap<Question, Jinja>>,
    asked: Mutex<Vec<(Question, Vec<Value>)>>,
    /// The newest answer of each plugin: the guess where one is missing, so that one round asks for many.
    guesses: Mutex<BTreeMap<u32, Jinja>>,
    /// A call that a plugin refused, and its error.
    refused: Mutex<Option<(Question, Box<Raise>)>>,
    /// What the template reads of the model.
    reads: Arc<TemplateReads>,
    /// How many values it has given to plugins in this round.
    given: AtomicU64,
}

impl FilterCalls {
    pub fn new(reads: Arc<TemplateReads>) -> Self {
        FilterCalls { reads, ..FilterCalls::default() }
    }

    pub fn begin(&self) {
        self.reads.is_astray.store(false, Ordering::Relaxed);
        self.reads.is_open.store(false, Ordering::Relaxed);
        self.given.store(0, Ordering::Relaxed);
    }

    /// Whether the template needs answers that are not there yet.
    pub fn has_asked(&self) -> bool {
        self.asked.lock().is_ok_and(|asked| !asked.is_empty())
    }

    /// The error of the plugin that refused a call of the template.
    pub fn refusal(&self) -> Option<Box<Raise>> {
        Some(self.refused.lock().ok()?.take()?.1)
    }

    fn call(&self, plugin: u32, prints: bool, args: &[Jinja]) -> Result<Jinja, minijinja::Error> {
        let wrong = |why| minijinja::Error::new(ErrorKind::InvalidOperation, why);
        if args.iter().any(|arg| arg.downcast_object_ref::<Pending>().is_some()) {
            return Ok(self.pending());
        }
        let mut given = self.given.load(Ordering::Relaxed);
        let args: Option<Vec<Value>> = args.iter().map(|arg| modelled(arg, DEEPEST, &mut given)).collect();
        self.given.store(given, Ordering::Relaxed);
        if given > MOST_GIVEN {
            return Err(wrong("the plugins of this template get too many values"));
        }
        let args = args.ok_or_else(|| wrong("a plugin cannot take this value"))?;
        let key = args.iter().map(|arg| pystr::repr(arg, &pystr::NoInstances)).collect::<Vec<_>>().join(", ");
        let question = (plugin, key);
        if let Some(found) = self.known.lock().ok().and_then(|known| known.get(&question).cloned()) {
            return Ok(found);
        }
        if self.refused.lock().is_ok_and(|refused| refused.as_ref().is_some_and(|(other, _)| *other == question)) {
            return Err(wrong("a plugin refuses this value"));
        }
        // The template runs again when the plugins have answered.
        if self.reads.is_astray.load(Ordering::Relaxed) && prints {
            return Err(wrong("a plugin has not answered yet"));
        }
        // The value may come from a variable that is read after this round.
        if self.reads.is_open.load(Ordering::Relaxed) {
            return Ok(self.pending());
        }
        if let Ok(mut asked) = self.asked.lock() {
            asked.push((question, args));
        }
        let guess = self.guesses.lock().ok().and_then(|guesses| guesses.get(&plugin).cloned());
        Ok(match guess {
            Some(guess) => {
                self.reads.is_astray.store(true, Ordering::Relaxed);
                guess
            }
            None => self.pending(),
        })
    }

    fn pending(&self) -> Jinja {
        Jinja::from_object(Pending(Arc::clone(&self.reads.is_astray)))
    }

    fn answer(&self, question: Question, answer: Jinja) {
        if let Ok(mut guesses) = self.guesses.lock() {
            guesses.insert(question.0, answer.clone());
        }
        if let Ok(mut known) = self.known.lock() {
            known.insert(question, answer);
        }
    }

    fn is_known(&self, question: &Question) -> bool {
        self.known.lock().is_ok_and(|known| known.contains_key(question))
    }
}

/// The answer of a plugin that has not been called yet. A template may write it; whatever else uses it goes astray.
#[derive(Debug)]
pub struct Pending(Arc<AtomicBool>);

impl Object for Pending {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        self.0.store(true, Ordering::Relaxed);
        ObjectRepr::Plain
    }

    fn is_true(self: &Arc<Self>) -> bool {
        self.0.store(true, Ordering::Relaxed);
        false
    }

    fn get_value(self: &Arc<Self>, _: &Jinja) -> Option<Jinja> {
        self.0.store(true, Ordering::Relaxed);
        None
    }

    fn render(self: &Arc<Self>, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.store(true, Ordering::Relaxed);
        Ok(())
    }
}

/// How deep the values of a template may be that a plugin gets.
const DEEPEST: usize = 100;

/// The value of the model that a value of a template is; `given` counts the values in it.
fn modelled(value: &Jinja, deepest: usize, given: &mut u64) -> Option<Value> {
    *given += 1;
    if *given > MOST_GIVEN {
        return None;
    }
    let deeper = deepest.checked_sub(1)?;
    if is_absent(value) {
        return None;
    }
    if let Some(instance) = value.downcast_object_ref::<TemplateInstance>() {
        return Some(Value::Instance(instance.id));
    }
    Some(match value.kind() {
        ValueKind::None => Value::Null,
        ValueKind::Bool => Value::Bool(value.is_true()),
        ValueKind::Number if value.is_integer() => Value::Int(value.as_i64()?),
        ValueKind::Number => Value::Float(f64::try_from(value.clone()).ok()?),
        ValueKind::String => Value::str(value.as_str()?),
        ValueKind::Seq | ValueKind::Iterable => {
            Value::list(value.try_iter().ok()?.map(|item| modelled(&item, deeper, given)).collect::<Option<_>>()?)
        }
        ValueKind::Map => {
            let item = |key: Jinja| {
                let item = modelled(&value.get_item(&key).ok()?, deeper, given)?;
                Some((Arc::from(key.as_str()?), item))
            };
            Value::dict(value.try_iter().ok()?.map(item).collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

/// The names with dots that a template uses as filters.
fn dotted_filters(text: &str) -> BTreeSet<&str> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let names = text.split('|').skip(1).map(str::trim_start);
    let names = names.map(|rest| &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())]);
    names.filter(|name| name.contains('.')).collect()
}

/// Makes the plugins that a template or a part of one uses as filters known.
pub fn add_plugins(environment: &mut Environment, call: &Call, text: &str, calls: &Arc<FilterCalls>) {
    for name in dotted_filters(text) {
        let Some(plugin) = call.plugin(&name.replace('.', "::")) else { continue };
        let calls = Arc::clone(calls);
        let prints = name == "std.print";
        environment.add_filter(name.to_string(), move |args: Rest<Jinja>| calls.call(plugin, prints, &args));
    }
}

/// Calls the plugins that the template used as filters.
pub fn call_filters(call: &mut Call, calls: &FilterCalls, seen: &Arc<TemplateReads>) -> Result<(), Fail> {
    let asked = calls.asked.lock().map(|mut asked| std::mem::take(&mut *asked)).unwrap_or_default();
    for (at, (question, args)) in asked.into_iter().enumerate() {
        if calls.is_known(&question) {
            continue;
        }
        let answer = match call.call_other(question.0, &args) {
            Ok(answer) => answer,
            // The answers before it may lead elsewhere.
            Err(_) if at > 0 => break,
            // The template meets it again, which gives the error its place there.
            Err(Fail::Raise(raise)) => {
                if let Ok(mut refused) = calls.refused.lock() {
                    *refused = Some((question, raise));
                }
                break;
            }
            Err(fail) => return Err(fail),
        };
        let (machine, _) = call.machine().ok_or_else(|| Fail::External("no model here".to_string()))?;
        calls.answer(question, converted(&answer, machine, seen)?);
    }
    Ok(())
}
