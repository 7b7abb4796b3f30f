//! Templates in Jinja's language. Names are read from the model as they are needed: a template that reads a variable
//! without a value runs again when there is one.

mod fault;
mod filters;
mod percent;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use minijinja::value::{Rest, ValueKind};
use minijinja::{Environment, ErrorKind, Output, State, UndefinedBehavior, Value as Jinja};

use super::error::{Class, Raise};
use super::jinja;
use super::run::{Machine, ScopeId};
use super::std::{Call, CallResult, Fail};
use super::value::Value;
use crate::diag::Code;
use fault::{in_file, located, own_names};
use filters::{FilterCalls, Pending, add_plugins, call_filters};
use values::{Absent, Root, TemplateReads, answer, converted, is_absent};

/// How std writes the address of a host.
const HOST_URI: &str = "ssh://{{ host.remote_user }}@{{ host.ip }}:{{ host.remote_port }}\
                        {% if host.os.python_cmd %}?python={{ host.os.python_cmd }}{% endif %}";

/// How much work a template may make.
const FUEL: u64 = 5_000_000;

/// The path and the text of a template.
type Part = (PathBuf, Arc<str>);

/// The templates that a template includes, imports or extends.
#[derive(Debug, Default)]
struct Parts {
    /// `None` if the file is missing.
    known: Mutex<BTreeMap<String, Option<Part>>>,
    asked: Mutex<Vec<String>>,
    reads: Arc<TemplateReads>,
}

impl Parts {
    fn get(&self, name: &str) -> Option<String> {
        if let Some(found) = self.known.lock().ok()?.get(name) {
            return found.as_ref().map(|(_, text)| percent::rewritten(text));
        }
        if !self.reads.is_astray.load(Ordering::Relaxed) {
            self.reads.is_open.store(true, Ordering::Relaxed);
            self.asked.lock().ok()?.push(name.to_string());
        }
        None
    }

    /// The file of an error, and its text: that of a part, or the template itself.
    fn of(&self, error: &minijinja::Error, file: Option<&Path>, text: &Arc<str>) -> (Option<PathBuf>, Arc<str>) {
        let known = self.known.lock().ok();
        let part = known.and_then(|known| known.get(error.name()?).cloned().flatten());
        match part {
            Some((path, text)) => (Some(path), text),
            None => (file.map(Path::to_path_buf), Arc::clone(text)),
        }
    }
}

/// The error of the part that another template includes or imports.
fn innermost(error: &minijinja::Error) -> &minijinja::Error {
    let inner = std::error::Error::source(error).and_then(|inner| inner.downcast_ref::<minijinja::Error>());
    inner.map_or(error, innermost)
}

fn environment(parts: Arc<Parts>) -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    environment.set_formatter(write);
    environment.set_fuel(Some(FUEL));
    environment.set_unknown_method_callback(jinja::call_method);
    environment.set_loader(move |name| Ok(parts.get(name)));
    environment.add_test("defined", |value: &Jinja| !value.is_undefined() && !is_absent(value));
    environment.add_test("undefined", |value: &Jinja| value.is_undefined() || is_absent(value));
    environment.add_filter("default", default);
    environment.add_filter("d", default);
    environment.add_filter("format", percent::format);
    environment.add_filter(percent::FILTER, percent::remainder);
    environment
}

/// The filter `default`.
fn default(state: &State, value: &Jinja, others: Rest<Jinja>) -> Result<Jinja, minijinja::Error> {
    let value = if is_absent(value) { &Jinja::UNDEFINED } else { value };
    minijinja::filters::default(state, value, others)
}

/// Writes a value as Python does.
fn write(out: &mut Output, state: &mut State, value: &Jinja) -> Result<(), minijinja::Error> {
    if value.downcast_object_ref::<Pending>().is_some() {
        return Ok(());
    }
    if let Some(absent) = value.downcast_object_ref::<Absent>() {
        absent.note();
        return Ok(());
    }
    match value.kind() {
        ValueKind::String | ValueKind::Undefined => minijinja::escape_formatter(out, state, value),
        _ => out.write_str(&jinja::text(value)).map_err(minijinja::Error::from),
    }
}

/// The first error in the syntax of a template: line, column and problem.
pub fn syntax(text: &str) -> Result<(), (usize, usize, String)> {
    let environment = Environment::new();
    environment.template_from_named_str("template", text).map(drop).map_err(|error| {
        let why = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
        (error.line().unwrap_or(1), 1, why)
    })
}

/// The template of the same module that was probably meant.
fn near_template(call: &mut Call, written: &str, path: &Path) -> Option<String> {
    let (module, rest) = written.split_once('/')?;
    let (machine, _) = call.machine()?;
    let folder = path.parent()?;
    let names: Vec<String> = machine.context.files(folder).iter().map(|name| name.to_string()).collect();
    let own = rest.rsplit('/').next().unwrap_or(rest);
    let stem = |name: &str| name.split('.').next().unwrap_or_default().to_string();
    let near = crate::diag::nearest(own, names.iter().map(String::as_str));
    let near = near.or_else(|| names.iter().map(String::as_str).find(|name| stem(name) == stem(own)))?;
    let folders = rest.strip_suffix(own).unwrap_or_default();
    Some(format!("did you mean `{module}/{folders}{near}`?"))
}

/// The names that a template sees.
fn visible_names(machine: &Machine, scope: ScopeId, named: &[(Arc<str>, Value)]) -> Vec<String> {
    if !named.is_empty() {
        return named.iter().map(|(name, _)| name.to_string()).collect();
    }
    machine.visible_names(scope)
}

/// A name that a template asked for in vain on a line, and the names that are there instead.
fn missing_name(
    machine: &Machine,
    seen: &TemplateReads,
    line: &str,
    visible: Vec<String>,
) -> Option<(String, Vec<String>)> {
    let has = |name: &str| line.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name);
    let known = seen.known.lock().ok()?;
    let missing = known.iter().filter(|(_, value)| value.as_ref().is_none_or(is_absent)).map(|(place, _)| place);
    let (instance, name) = missing.filter(|(_, name)| has(name)).max_by_key(|(instance, _)| instance.is_some())?;
    let names = match instance {
        None => visible,
        Some(id) => machine.attributes_of(*id).map(|(name, _, _)| machine.program.text(name).to_string()).collect(),
    };
    Some((name.clone(), names))
}

/// How many warnings about absent attributes a model gives.
const MOST_GAPS: usize = 100;

/// Attributes that the template writes, and that their entities do not have, become warnings.
fn note_absent(machine: &Machine, seen: &TemplateReads, parts: &Parts, own: (Option<&Path>, &str)) {
    let (Ok(absent), Ok(included)) = (seen.absent.lock(), parts.known.lock()) else { return };
    let included = included.values().flatten().map(|(path, text)| (Some(path.as_path()), &**text));
    let texts: Vec<(Option<&Path>, &str)> = std::iter::once(own).chain(included).collect();
    let mut known = BTreeSet::new();
    for (id, name) in absent.iter() {
        let entity = machine.program.entity_name(machine.instances[id.0 as usize].entity);
        if !known.insert((entity.clone(), name)) {
            continue;
        }
        let sign = format!(".{name}");
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let reads = |line: &str| line.match_indices(&sign).any(|(at, _)| !line[at + sign.len()..].starts_with(is_name));
        let line_of = |text: &str| text.lines().position(reads).map(|line| line + 1);
        let found = texts.iter().find_map(|(file, text)| Some((*file, *text, line_of(text)?)));
        let (file, text, line) = found.unwrap_or((own.0, own.1, 1));
        let attributes: Vec<&str> = machine.attributes_of(*id).map(|(name, ..)| machine.program.text(name)).collect();
        let help = match crate::diag::nearest(name, attributes) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("write `{{{{ VALUE.{name} | default(\"TEXT\") }}}}` where it may be missing"),
        };
        let label = format!("{entity} has no attribute `{name}`: the template writes nothing for it");
        let raise = in_file(Raise::new(Class::NotFound, label).with_help(help), file, text, line);
        let place = |raise: &Raise| raise.elsewhere.as_ref().map(|there| (there.path.clone(), there.line));
        let mut gaps = machine.gaps.borrow_mut();
        if gaps.len() < MOST_GAPS && !gaps.iter().any(|gap| gap.message == raise.message && place(gap) == place(&raise))
        {
            gaps.push(*raise);
        }
    }
}

/// The text of a template, and its file unless it is built in.
fn source(call: &mut Call, written: &str) -> Result<(Arc<str>, Option<PathBuf>), Fail> {
    if written == "std/host_uri.j2" {
        return Ok((HOST_URI.into(), None));
    }
    let path = super::std::located(call, "templates")?;
    let found = call.machine().and_then(|(machine, _)| machine.context.file(&path));
    match found {
        Some(text) => Ok((text, Some(path))),
        None => {
            let message = format!("{written}: no such template ({})", path.display());
            let near = near_template(call, written, &path);
            let raise = Raise::new(Class::External, message).with_code(Code::UnknownTemplate);
            let help = near.unwrap_or_else(|| "write the file, or correct its name".into());
            Err(Fail::Raise(raise.with_help(help)))
        }
    }
}

/// `std::template`.
pub fn render(call: &mut Call) -> CallResult {
    let written = call.text(0);
    let (text, file) = source(call, &written)?;
    let seen = Arc::new(TemplateReads::default());
    let parts = Arc::new(Parts { reads: Arc::clone(&seen), ..Parts::default() });
    let calls = Arc::new(FilterCalls::new(Arc::clone(&seen)));
    let mut environment = environment(Arc::clone(&parts));
    add_plugins(&mut environment, call, &text, &calls);
    let wrong = |error: &minijinja::Error| {
        let error = innermost(error);
        let syntax = matches!(error.kind(), ErrorKind::SyntaxError);
        let code = if syntax { Code::InvalidTemplate } else { Code::TemplateFailed };
        let raise = Raise::new(Class::External, format!("{written}: {error}")).with_code(code);
        let (file, text) = parts.of(error, file.as_deref(), &text);
        Fail::Raise(located(raise, error, &text, file.as_deref(), &[]))
    };
    environment.add_template_owned("template", percent::rewritten(&text)).map_err(|error| wrong(&error))?;
    let named = call.named_arguments().to_vec();
    let no_model = || Fail::External("no model here".to_string());
    let (machine, _) = call.machine().ok_or_else(no_model)?;
    for (name, value) in &named {
        let value = converted(value, machine, &seen)?;
        if let Ok(mut known) = seen.known.lock() {
            known.insert((None, name.to_string()), Some(value));
        }
    }
    loop {
        call_filters(call, &calls, &seen)?;
        calls.begin();
        drop(seen.absent.lock().map(|mut absent| absent.clear()));
        let root = Jinja::from_object(Root(Arc::clone(&seen)));
        let rendered = environment.get_template("template").and_then(|template| template.render(root));
        let asked = seen.asked.lock().map(|mut asked| std::mem::take(&mut *asked)).unwrap_or_default();
        let missing = parts.asked.lock().map(|mut asked| std::mem::take(&mut *asked)).unwrap_or_default();
        if asked.is_empty() && missing.is_empty() && calls.has_asked() {
            continue;
        }
        if let (Err(error), Some(raise)) = (&rendered, calls.refusal()) {
            let error = innermost(error);
            let (file, text) = parts.of(error, file.as_deref(), &text);
            return Err(Fail::Raise(in_file(raise, file.as_deref(), &text, error.line().unwrap_or(1))));
        }
        let (machine, scope) = call.machine().ok_or_else(no_model)?;
        if !missing.is_empty() {
            let mut texts = Vec::new();
            for name in missing {
                let path = super::std::in_module(machine, &name, "templates");
                let text = path.as_ref().and_then(|path| machine.context.file(path));
                texts.extend(text.clone());
                if let Ok(mut known) = parts.known.lock() {
                    known.insert(name, path.zip(text));
                }
            }
            for text in texts {
                add_plugins(&mut environment, call, &text, &calls);
            }
            continue;
        }
        if asked.is_empty() {
            return match rendered {
                Ok(made) => {
                    note_absent(machine, &seen, &parts, (file.as_deref(), &text));
                    Ok(Value::str(made))
                }
                Err(error) if innermost(&error).kind() == ErrorKind::UndefinedError => {
                    let error = innermost(&error);
                    let raise = Raise::new(Class::NotFound, format!("{written}: {error}"));
                    let names = visible_names(machine, scope, &named);
                    let (file, text) = parts.of(error, file.as_deref(), &text);
                    let line = text.lines().nth(error.line().unwrap_or(1).saturating_sub(1)).unwrap_or_default();
                    let missing = missing_name(machine, &seen, line, names.clone());
                    let raise = located(raise, error, &text, file.as_deref(), &names);
                    Err(Fail::Raise(match missing {
                        Some((name, mut names)) => {
                            names.extend(own_names(&text));
                            let near = crate::diag::nearest(&name, names.iter().map(String::as_str));
                            raise.with_label(format!("`{name}` is not defined here")).with_help(match near {
                                Some(near) => format!("did you mean `{near}`?"),
                                None => format!("set `{name}` where the template is rendered, or correct the name"),
                            })
                        }
                        None => raise,
                    }))
                }
                Err(error) => Err(wrong(&error)),
            };
        }
        for place in asked {
            // With arguments of its own a template sees those and nothing else of the model.
            let is_hidden = place.0.is_none() && !named.is_empty();
            let found = if is_hidden { None } else { answer(machine, scope, &place, &seen)? };
            // What it asks of one instance it asks of the others too: a loop over many is not run again for each.
            let mut more = Vec::new();
            if place.0.is_some() {
                let others = seen.instances.lock().map(|ids| ids.clone()).unwrap_or_default();
                for id in others {
                    let other = (Some(id), place.1.clone());
                    if let Ok(Some(found)) = answer(machine, scope, &other, &seen) {
                        more.push((other, Some(found)));
                    }
                }
            }
            if let Ok(mut known) = seen.known.lock() {
                known.extend(more);
                known.insert(place, found);
            }
        }
    }
}
