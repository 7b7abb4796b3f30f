//! Templates in Jinja's language. Names are read from the model as they are needed: a template that reads a variable
//! without a value runs again when there is one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use minijinja::value::{Enumerator, Object, ObjectRepr, Rest, ValueKind};
use minijinja::{Environment, ErrorKind, Output, State, UndefinedBehavior, Value as Jinja};

use super::error::{Class, Elsewhere, Raise};
use super::jinja;
use super::pystr;
use super::run::{Machine, ScopeId};
use super::std::{Call, CallResult, Fail};
use super::value::{InstanceId, Value};
use crate::diag::Code;

/// How std writes the address of a host.
const HOST_URI: &str = "ssh://{{ host.remote_user }}@{{ host.ip }}:{{ host.remote_port }}\
                        {% if host.os.python_cmd %}?python={{ host.os.python_cmd }}{% endif %}";

/// How much work a template may make.
const FUEL: u64 = 5_000_000;

/// How many values a template may give to plugins.
const MOST_GIVEN: u64 = 2_000_000;

/// A variable, or an attribute of an instance.
type Place = (Option<InstanceId>, String);

/// What a template has read so far, and what it asked for in vain.
#[derive(Debug, Default)]
struct TemplateReads {
    /// `None` where there is no such thing.
    known: Mutex<BTreeMap<Place, Option<Jinja>>>,
    asked: Mutex<Vec<Place>>,
    /// The instances that it got.
    instances: Mutex<BTreeSet<InstanceId>>,
}

impl TemplateReads {
    fn get(&self, place: Place) -> Option<Jinja> {
        if let Ok(known) = self.known.lock()
            && let Some(found) = known.get(&place)
        {
            return found.clone();
        }
        if let Ok(mut asked) = self.asked.lock() {
            asked.push(place);
        }
        None
    }
}

/// The path and the text of a template.
type Part = (PathBuf, Arc<str>);

/// The templates that a template includes, imports or extends.
#[derive(Debug, Default)]
struct Parts {
    /// `None` where there is no such file.
    known: Mutex<BTreeMap<String, Option<Part>>>,
    asked: Mutex<Vec<String>>,
}

impl Parts {
    fn get(&self, name: &str) -> Option<String> {
        if let Some(found) = self.known.lock().ok()?.get(name) {
            return found.as_ref().map(|(_, text)| text.to_string());
        }
        self.asked.lock().ok()?.push(name.to_string());
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

/// The calls of plugins that a template makes as filters, by the plugin and its arguments.
#[derive(Debug, Default)]
struct FilterCalls {
    known: Mutex<BTreeMap<(u32, String), Jinja>>,
    asked: Mutex<Vec<(u32, String, Vec<Value>)>>,
    /// Whether the template has used an answer that is not there yet: what it asks for from there on may be wrong.
    is_astray: Arc<AtomicBool>,
    /// How many values it has given to plugins in this round.
    given: AtomicU64,
}

impl FilterCalls {
    fn begin(&self) {
        self.is_astray.store(false, Ordering::Relaxed);
        self.given.store(0, Ordering::Relaxed);
    }

    fn is_known(&self, plugin: u32, key: &str) -> bool {
        self.known.lock().is_ok_and(|known| known.contains_key(&(plugin, key.to_string())))
    }

    fn call(&self, plugin: u32, args: &[Jinja]) -> Result<Jinja, minijinja::Error> {
        let wrong = |why| minijinja::Error::new(ErrorKind::InvalidOperation, why);
        let mut given = self.given.load(Ordering::Relaxed);
        let args: Option<Vec<Value>> = args.iter().map(|arg| modelled(arg, DEEPEST, &mut given)).collect();
        self.given.store(given, Ordering::Relaxed);
        if given > MOST_GIVEN {
            return Err(wrong("the plugins of this template get too many values"));
        }
        let args = args.ok_or_else(|| wrong("a plugin cannot take this value"))?;
        let key = args.iter().map(|arg| pystr::repr(arg, &pystr::NoInstances)).collect::<Vec<_>>().join(", ");
        let place = (plugin, key);
        if let Some(found) = self.known.lock().ok().and_then(|known| known.get(&place).cloned()) {
            return Ok(found);
        }
        // The template runs again when the plugins have answered.
        if self.is_astray.load(Ordering::Relaxed) {
            return Err(wrong("a plugin has not answered yet"));
        }
        if let Ok(mut asked) = self.asked.lock() {
            asked.push((plugin, place.1, args));
        }
        Ok(Jinja::from_object(Pending(Arc::clone(&self.is_astray))))
    }
}

/// The answer of a plugin that has not been called yet. A template may write it; whatever else uses it goes astray.
#[derive(Debug)]
struct Pending(Arc<AtomicBool>);

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

/// The error of the part that another template includes or imports.
fn innermost(error: &minijinja::Error) -> &minijinja::Error {
    let inner = std::error::Error::source(error).and_then(|inner| inner.downcast_ref::<minijinja::Error>());
    inner.map_or(error, innermost)
}

/// The names with dots that a template uses as filters.
fn dotted_filters(text: &str) -> BTreeSet<&str> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let names = text.split('|').skip(1).map(str::trim_start);
    let names = names.map(|rest| &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())]);
    names.filter(|name| name.contains('.')).collect()
}

fn environment(parts: Arc<Parts>) -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    environment.set_formatter(write);
    environment.set_fuel(Some(FUEL));
    environment.set_unknown_method_callback(jinja::call_method);
    environment.set_loader(move |name| Ok(parts.get(name)));
    environment
}

/// The variables that a template sees.
#[derive(Debug)]
struct Root(Arc<TemplateReads>);

impl Object for Root {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Map
    }

    fn get_value(self: &Arc<Self>, key: &Jinja) -> Option<Jinja> {
        self.0.get((None, key.as_str()?.to_string()))
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::NonEnumerable
    }
}

#[derive(Debug)]
struct TemplateInstance {
    id: InstanceId,
    text: String,
    seen: Arc<TemplateReads>,
}

impl Object for TemplateInstance {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn get_value(self: &Arc<Self>, key: &Jinja) -> Option<Jinja> {
        self.seen.get((Some(self.id), key.as_str()?.to_string()))
    }

    fn render(self: &Arc<Self>, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

fn converted(value: &Value, machine: &Machine, seen: &Arc<TemplateReads>) -> Result<Jinja, Fail> {
    Ok(match value {
        Value::Null | Value::Skipped => Jinja::from(()),
        Value::Bool(flag) => Jinja::from(*flag),
        Value::Int(number) => Jinja::from(*number),
        Value::Big(number) => Jinja::from(number.to_string()),
        Value::Float(number) => Jinja::from(*number),
        Value::Str(text) => Jinja::from(&**text),
        Value::List(items) => {
            let items: Result<Vec<Jinja>, Fail> = items.iter().map(|item| converted(item, machine, seen)).collect();
            Jinja::from_object(jinja::List { items: items?, is_model: true })
        }
        Value::Dict(dict) => {
            let mut items = Vec::with_capacity(dict.items.len());
            for (key, item) in &dict.items {
                items.push((Arc::clone(key), converted(item, machine, seen)?));
            }
            Jinja::from_object(jinja::Dict { items })
        }
        Value::Instance(id) => {
            if let Ok(mut instances) = seen.instances.lock() {
                instances.insert(*id);
            }
            let text = format!("@{}", pystr::Instances::short(machine, *id));
            Jinja::from_object(TemplateInstance { id: *id, text, seen: Arc::clone(seen) })
        }
        Value::Unknown(_) => return Err(Fail::Unknown),
    })
}

/// The value of a name that a template asks for.
fn answer(machine: &Machine, scope: ScopeId, place: &Place, seen: &Arc<TemplateReads>) -> Result<Option<Jinja>, Fail> {
    let (instance, name) = place;
    let Some(sym) = machine.program.names.find(name) else { return Ok(None) };
    let var = match instance {
        Some(instance) => machine.attribute_var(*instance, sym),
        None => machine.lookup(scope, sym),
    };
    let Ok(var) = var else { return Ok(None) };
    match machine.peek(var) {
        None => Err(Fail::Unset(var)),
        Some(Value::Null) if machine.is_optional_relation(var) => Ok(None),
        Some(value) => converted(value, machine, seen).map(Some),
    }
}

/// Writes a value as Python does.
fn write(out: &mut Output, state: &mut State, value: &Jinja) -> Result<(), minijinja::Error> {
    if value.downcast_object_ref::<Pending>().is_some() {
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
    let missing = known.iter().filter(|(_, value)| value.is_none()).map(|(place, _)| place);
    let (instance, name) = missing.filter(|(_, name)| has(name)).max_by_key(|(instance, _)| instance.is_some())?;
    let names = match instance {
        None => visible,
        Some(id) => machine.attributes_of(*id).map(|(name, _, _)| machine.program.text(name).to_string()).collect(),
    };
    Some((name.clone(), names))
}

/// Whether a tag on a line has a string without an end.
fn has_open_string(line: &str) -> bool {
    const TAGS: [(&str, &str); 2] = [("{%", "%}"), ("{{", "}}")];
    let mut rest = line;
    while let Some((at, end)) = TAGS.into_iter().filter_map(|(open, end)| Some((rest.find(open)?, end))).min() {
        let tag = &rest[at + 2..];
        let (inside, behind) = tag.split_once(end).unwrap_or((tag, ""));
        let (mut quote, mut is_escaped): (Option<char>, bool) = (None, false);
        for c in inside.chars() {
            match quote {
                _ if is_escaped => is_escaped = false,
                Some(_) if c == '\\' => is_escaped = true,
                Some(open) if c == open => quote = None,
                None if matches!(c, '"' | '\'') => quote = Some(c),
                _ => {}
            }
        }
        if quote.is_some() {
            return true;
        }
        rest = behind;
    }
    false
}

/// Words that begin a tag.
const WORDS: [&str; 14] = [
    "if", "elif", "else", "endif", "for", "endfor", "set", "endset", "macro", "endmacro", "include", "block",
    "endblock", "raw",
];

/// Filters of Jinja.
const FILTERS: [&str; 24] = [
    "abs",
    "batch",
    "bool",
    "capitalize",
    "default",
    "dictsort",
    "escape",
    "first",
    "float",
    "indent",
    "int",
    "items",
    "join",
    "last",
    "length",
    "list",
    "lower",
    "map",
    "replace",
    "reverse",
    "round",
    "sort",
    "title",
    "upper",
];

/// Tests of Jinja.
const TESTS: [&str; 16] = [
    "defined",
    "undefined",
    "none",
    "string",
    "number",
    "mapping",
    "iterable",
    "sequence",
    "boolean",
    "true",
    "false",
    "odd",
    "even",
    "divisibleby",
    "in",
    "sameas",
];

/// The word of a tag that was probably meant.
fn meant_word(word: &str, text: &str, line: usize) -> Option<String> {
    match word {
        "end" => {
            let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
            open_block(&text[..before]).map(|(_, word)| format!("end{word}"))
        }
        "elseif" | "elsif" => Some("elif".into()),
        // `edif` and `endfi` end the block that is open.
        word => {
            let open = open_block(text).map(|(_, word)| format!("end{word}"));
            let open = open.filter(|end| crate::diag::nearest(word, [end.as_str()]).is_some());
            open.or_else(|| crate::diag::nearest(word, WORDS).map(str::to_string))
        }
    }
}

/// An error of a template at its line, with what to do there.
fn located(
    raise: Box<Raise>,
    error: &minijinja::Error,
    text: &str,
    file: Option<&Path>,
    names: &[String],
) -> Box<Raise> {
    let detail = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
    let mut line = error.line().unwrap_or(1);
    let (mut label, mut help) = (detail.clone(), "compare the tag with the manual of Jinja".to_string());
    let own = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    let quoted = |from: &str| from.split('`').nth(1).map(str::to_string);
    if detail.contains("end of string") {
        if let Some(at) = text.lines().position(has_open_string) {
            line = at + 1;
            label = "a string in this tag has no closing quote".into();
        }
        help = "add `\"` or `'` where the text ends".into();
    } else if detail.contains("end of input") || detail.contains("unexpected end") {
        if let Some((open, word)) = open_block(text) {
            line = open;
            label = format!("`{{% {word} %}}` has no `{{% end{word} %}}`");
            help = format!("add `{{% end{word} %}}` after the last line that belongs to line {open}");
        }
    } else if let Some(name) = quoted(&detail).filter(|_| detail.contains("undefined")) {
        help = match crate::diag::nearest(&name, names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("set `{name}` where the template is rendered, or correct the name"),
        };
    } else if let Some(word) = detail.strip_prefix("unknown statement ") {
        let near = meant_word(word, text, line);
        help = near.map_or("write `if`, `for`, `set` or another tag of Jinja".into(), |near| {
            format!("did you mean `{near}`?")
        });
    } else if let Some(name) = detail.strip_prefix("filter ").and_then(|rest| rest.split(' ').next()) {
        let begins = |filter: &&str| name.starts_with(*filter) || filter.starts_with(name);
        let near = crate::diag::nearest(name, FILTERS).or_else(|| FILTERS.into_iter().find(begins));
        help = near.map_or("use a filter of Jinja".into(), |near| format!("did you mean `{near}`?"));
    } else if let Some(name) = detail.strip_prefix("test ").and_then(|rest| rest.split(' ').next()) {
        let near = crate::diag::nearest(name, TESTS).filter(|_| detail.contains("unknown"));
        help = near.map_or("use a test of Jinja, such as `defined`".into(), |near| format!("did you mean `{near}`?"));
    } else if let Some((kind, name)) = detail.split_once(" has no method ") {
        let (name, known) = (name.trim_matches('`'), jinja::methods(kind));
        help = match crate::diag::nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "use a filter of Jinja, such as `{{ value | length }}`".into(),
        };
    } else if detail.ends_with("is not supported here") {
        help = "use a filter of Jinja, such as `{{ value | length }}`, or a plugin".into();
    } else if matches!(error.kind(), ErrorKind::TemplateNotFound | ErrorKind::BadInclude) {
        help =
            "write the path with its module: `MODULE/FILE`, for a file in the folder `templates` of the module".into();
    } else if detail.contains("format spec") {
        help = "write `%s` for a text and `%d` for a whole number, or convert the value: `| int`, `| string`".into();
    } else if let Some(at) = text.lines().take(line.saturating_sub(1)).position(has_open_string) {
        line = at + 1;
        label = "a string in this tag has no closing quote".into();
        help = "add `\"` or `'` where the text ends".into();
    } else if detail.starts_with("unexpected `=`") {
        help = "write `==` to compare two values".into();
    } else if detail.contains("expected assignment operator") {
        label = "`set` has no `=` between the name and the value".into();
        help = "write `{% set NAME = VALUE %}`".into();
    } else if let Some((before, _)) = own.split_once("else if ") {
        if before.trim_end().ends_with("{%") || before.trim_end().ends_with("{%-") {
            label = "`else if` is written `elif` in Jinja".into();
            help = "write `{% elif CONDITION %}`".into();
        }
    } else if own.matches("{{").count() > own.matches("}}").count() {
        label = "the `{{` of this line has no `}}`".into();
        help = "close it with `}}`".into();
    } else if own.matches("{%").count() > own.matches("%}").count() {
        label = "the `{%` of this line has no `%}`".into();
        help = "close it with `%}`".into();
    } else if let Some((found, expected)) = detail.split_once(", expected ") {
        help = format!("write {expected} where there is {}", found.trim_start_matches("unexpected "));
    }
    let raise = raise.with_help(help).with_label(label);
    match file {
        Some(path) => raise.with_elsewhere(Elsewhere {
            path: path.to_path_buf(),
            shown: path.to_string_lossy().into_owned(),
            text: text.to_string(),
            line,
        }),
        None => raise,
    }
}

/// The names that `for` and `set` of a template define.
fn own_names(text: &str) -> Vec<String> {
    let tags = text.split("{%").skip(1).map(|tag| tag.trim_start_matches('-').trim_start());
    let lists = tags.filter_map(|tag| match tag.split_once(' ')? {
        ("for", rest) => rest.split_once(" in ").map(|(names, _)| names),
        ("set", rest) => rest.split_once('=').map(|(names, _)| names),
        _ => None,
    });
    lists.flat_map(|names| names.split(',')).map(|name| name.trim().to_string()).collect()
}

/// The innermost block that is open at the end of a template: its line and its word.
fn open_block(text: &str) -> Option<(usize, String)> {
    let mut open: Vec<(usize, String)> = Vec::new();
    let (mut line, mut counted) = (1, 0);
    for (at, _) in text.match_indices("{%") {
        line += text[counted..at].matches('\n').count();
        counted = at;
        let code = text[at + 2..].trim_start_matches('-').trim_start();
        let word = code.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        match word {
            "if" | "for" | "macro" | "block" | "filter" | "call" => open.push((line, word.to_string())),
            _ if word.starts_with("end") => drop(open.pop()),
            _ => {}
        }
    }
    open.pop()
}

/// Makes the plugins that a template or a part of one uses as filters known.
fn add_plugins(environment: &mut Environment, call: &Call, text: &str, calls: &Arc<FilterCalls>) {
    for name in dotted_filters(text) {
        let Some(plugin) = call.plugin(&name.replace('.', "::")) else { continue };
        let calls = Arc::clone(calls);
        environment.add_filter(name.to_string(), move |args: Rest<Jinja>| calls.call(plugin, &args));
    }
}

/// Calls the plugins that the template used as filters.
fn call_filters(call: &mut Call, calls: &FilterCalls, seen: &Arc<TemplateReads>) -> Result<(), Fail> {
    let asked = calls.asked.lock().map(|mut asked| std::mem::take(&mut *asked)).unwrap_or_default();
    for (at, (plugin, key, args)) in asked.into_iter().enumerate() {
        if calls.is_known(plugin, &key) {
            continue;
        }
        let answer = match call.call_other(plugin, &args) {
            Ok(answer) => answer,
            // The answers before it may lead elsewhere.
            Err(_) if at > 0 => break,
            Err(fail) => return Err(fail),
        };
        let (machine, _) = call.machine().ok_or_else(|| Fail::External("no model here".to_string()))?;
        let answer = converted(&answer, machine, seen)?;
        if let Ok(mut known) = calls.known.lock() {
            known.insert((plugin, key), answer);
        }
    }
    Ok(())
}

/// `std::template`.
pub fn render(call: &mut Call) -> CallResult {
    let written = call.string(0);
    let mut file = None;
    let text: Arc<str> = if &*written == "std/host_uri.j2" {
        HOST_URI.into()
    } else {
        let path = super::std::located(call, "templates")?;
        let found = call.machine().and_then(|(machine, _)| machine.context.file(&path));
        let Some(text) = found else {
            let message = format!("{written}: no such template ({})", path.display());
            let near = near_template(call, &written, &path);
            let raise = Raise::new(Class::External, message).with_code(Code::UnknownTemplate);
            return Err(Fail::Raise(
                raise.with_help(near.unwrap_or_else(|| "write the file, or correct its name".into())),
            ));
        };
        file = Some(path);
        text
    };
    let seen = Arc::new(TemplateReads::default());
    let parts = Arc::new(Parts::default());
    let calls = Arc::new(FilterCalls::default());
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
    environment.add_template_owned("template", text.to_string()).map_err(|error| wrong(&error))?;
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
        let root = Jinja::from_object(Root(Arc::clone(&seen)));
        let rendered = environment.get_template("template").and_then(|template| template.render(root));
        let asked = seen.asked.lock().map(|mut asked| std::mem::take(&mut *asked)).unwrap_or_default();
        let missing = parts.asked.lock().map(|mut asked| std::mem::take(&mut *asked)).unwrap_or_default();
        if calls.asked.lock().is_ok_and(|asked| !asked.is_empty()) {
            continue;
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
                Ok(text) => Ok(Value::str(text)),
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
