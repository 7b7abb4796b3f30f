//! Files and templates of modules.

use std::path::PathBuf;

use super::{Function, PATHS, erb_fault};
use crate::diag::{Code, nearest};
use crate::lang::puppet::ast::{Kind, Parameter};
use crate::lang::puppet::call::Call;
use crate::lang::puppet::convert;
use crate::lang::puppet::environment::Inputs;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::ids::{ScopeId, TOP};
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::ruby;
use crate::lang::puppet::scope::{Owner, Scope};
use crate::lang::puppet::stop::{Help, Run, Stop, fail};
use crate::lang::puppet::suggestion::did_you_mean;
use crate::lang::puppet::types;
use crate::lang::puppet::unknown::Rendering;
use crate::lang::puppet::value::Value;
use crate::source::Span;

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "epp",
        signature: "epp(String file, Optional[Hash] parameters)",
        doc: "The text of an EPP template of a module.",
        takes: &[(
            "Callable[[String, Hash[Pattern[/^\\w+$/], Any], 1, 2], Variant[String, Sensitive[String]]]",
            "path parameters",
        )],
        call: epp,
        ..Function::PLAIN
    },
    Function {
        name: "inline_epp",
        signature: "inline_epp(String template, Optional[Hash] parameters)",
        doc: "The text of an EPP template.",
        examples: &[("inline_epp('<%= 1 + 1 %>')", "'2'")],
        takes: &[(
            "Callable[[String, Hash[Pattern[/^\\w+$/], Any], 1, 2], Variant[String, Sensitive[String]]]",
            "template parameters",
        )],
        call: inline_epp,
        ..Function::PLAIN
    },
    Function {
        name: "template",
        signature: "template(String *files)",
        doc: "The text of ERB templates of modules, as far as their Ruby is known here.",
        call: template,
        ..Function::PLAIN
    },
    Function {
        name: "inline_template",
        signature: "inline_template(String *templates)",
        doc: "The text of ERB templates, as far as their Ruby is known here.",
        call: inline_template,
        ..Function::PLAIN
    },
    Function {
        name: "generate",
        signature: "generate(String command, String *args)",
        doc: "Commands are never run while compiling.",
        call: |e, c| {
            e.output.never_known(
                &e.inputs,
                "`generate` runs a command, which is not done while compiling, also not with `--run-plugins`".into(),
                c.span,
            )
        },
        ..Function::PLAIN
    },
    Function {
        name: "file",
        signature: "file(String *paths)",
        doc: "The content of the first file that there is.",
        call: file,
        ..Function::PLAIN
    },
    Function {
        name: "find_file",
        signature: "find_file(String *paths)",
        doc: "The path of the first file that there is.",
        takes: PATHS,
        call: |e, c| found(e, c, "files"),
        ..Function::PLAIN
    },
    Function {
        name: "find_template",
        signature: "find_template(String *paths)",
        doc: "The path of the first template that there is.",
        takes: PATHS,
        call: |e, c| found(e, c, "templates"),
        ..Function::PLAIN
    },
    Function {
        name: "binary_file",
        signature: "binary_file(String path)",
        doc: "The bytes of a file.",
        takes: &[("Callable[String]", "path")],
        call: binary_file,
        ..Function::PLAIN
    },
    Function {
        name: "module_directory",
        signature: "module_directory(String *names)",
        doc: "The folder of the first module that there is.",
        takes: &[("Callable[String, 0]", "names"), ("Callable[Array[String], 0]", "names")],
        call: module_directory,
        ..Function::PLAIN
    },
];

/// An ERB template of a module: its name in messages and its text.
pub fn template_text(e: &Evaluator<'_>, name: &str) -> Option<(String, String)> {
    let path = place(e, name, "templates")?;
    let bytes = e.inputs.files.read(&path)?;
    Some((e.inputs.shown(&path), String::from_utf8_lossy(&bytes).into_owned()))
}

fn template(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let mut found = Vec::new();
    for name in names(call) {
        match template_text(e, &name) {
            Some(template) => found.push(template),
            None => {
                let refused = call.fail(format!("Could not find template '{name}'")).code(Code::UnknownTemplate);
                let has_parameters = call.args.iter().any(|arg| matches!(arg, Value::Hash(_)));
                return match has_parameters {
                    true => refused
                        .label("`template` takes names of templates, and no parameters")
                        .help("write `epp('MODULE/FILE.epp', { … })` for a template with parameters"),
                    false => refused.help(e.inputs.unknown_file(&name, "templates")),
                };
            }
        }
    }
    erb(e, call, &found)
}

fn inline_template(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let place = e.inputs.sources.place(call.span);
    let shown = format!("the template in {}:{}, line", place.file, place.line);
    let texts: Vec<(String, String)> = names(call).into_iter().map(|text| (shown.clone(), text)).collect();
    erb(e, call, &texts)
}

/// Renders ERB templates and joins the results in order.
fn erb(e: &mut Evaluator<'_>, call: &Call, templates: &[(String, String)]) -> Run {
    let mut out = String::new();
    for (shown, text) in templates {
        broken_erb(e, call, shown, text)?;
        let done = ruby::render(e, call.scope, call.span, shown, text);
        match outside(e, call, (shown, text), done)? {
            Ok(Value::Str(text)) => out.push_str(&text),
            Ok(unknown) => return Ok(unknown),
            Err(why) => return failed_erb(e, call, (shown, text), &why),
        }
    }
    Ok(Value::str(out))
}

/// Methods of Ruby that templates call, for the name that was probably meant.
const METHODS: &str = "any? all? capitalize chomp collect compact count delete detect downcase each each_pair each_slice \
    each_with_index empty? end_with? fetch find first flatten gsub has_key? include? inject inspect join key? \
    keys last length map match merge nil? reject reverse select size sort sort_by split start_with? strip sub \
    to_s uniq upcase values";

/// The line of a template and the reason in a message such as `TEMPLATE:LINE: REASON`.
fn line_and_reason<'m>(shown: &str, message: &'m str) -> Option<(usize, &'m str)> {
    let (line, reason) = message.strip_prefix(shown)?.trim_start_matches([':', ' ']).split_once(':')?;
    Some((line.trim().parse().ok()?, reason.trim()))
}

/// Moves what a template does outside of the known Ruby from its call to its line there.
fn outside(
    e: &mut Evaluator<'_>,
    call: &Call,
    (shown, text): (&str, &str),
    done: Run<Result<Value, String>>,
) -> Run<Result<Value, String>> {
    let Err(Stop::Fail(issue)) = &done else { return done };
    let found = line_and_reason(shown, &issue.message).map(|(line, why)| (line, why.to_string()));
    let (Some((line, why)), Code::UnknownValue) = (found, issue.code()) else { return done };
    let name = why.strip_prefix("the method `").and_then(|rest| rest.split('`').next()).unwrap_or_default();
    let near = nearest(name, METHODS.split(' ')).filter(|_| !METHODS.split(' ').any(|method| method == name));
    let help = issue.advice.help.clone().unwrap_or_default();
    let place = place_in_template(e, call, (shown, text), line);
    let done = done.edit(place).label(why).related(call.span, "rendered here");
    match near {
        Some(near) => done.help(format!("did you mean `{near}`? Or {help}")),
        None => done,
    }
}

/// A key that a line of Ruby reads in a variable of Puppet, `@a['key']`, and that it does not have.
fn missing_key(e: &Evaluator<'_>, call: &Call, line: &str) -> Option<(String, String, Option<String>)> {
    line.split('@').skip(1).find_map(|rest| {
        let (name, rest) = rest.split_once('[')?;
        let key = rest.split(']').next()?.trim().trim_matches(['\'', '"']);
        if !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            return None;
        }
        let Some(Value::Hash(map)) = e.scopes.lookup(call.scope, name) else { return None };
        if map.contains_key(&Value::str(key)) {
            return None;
        }
        let help = crate::lang::puppet::suggestion::unknown_hash_key(&map, key);
        Some((name.to_string(), key.to_string(), help))
    })
}

/// Reports an exception of a template at its line there.
fn failed_erb(e: &mut Evaluator<'_>, call: &Call, (shown, text): (&str, &str), why: &str) -> Run {
    let message = format!("Failed to parse {}: {why}", call.name.replace('_', " "));
    let refused = call.fail(message).code(Code::TemplateFailed);
    let Some((line, reason)) = line_and_reason(shown, why) else {
        return refused.help("change the template, or the values that it reads");
    };
    let place = place_in_template(e, call, (shown, text), line);
    let read = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    let unset = instance_variables(read).into_iter().find(|name| e.scopes.lookup(call.scope, name).is_none());
    let missing = if why.to_lowercase().contains("nil") { missing_key(e, call, read) } else { None };
    let refused = refused.edit(place).label(reason).related(call.span, "rendered here");
    match unset.filter(|_| why.to_lowercase().contains("nil")) {
        None if missing.is_some() => {
            let (name, key, help) = missing.unwrap_or_default();
            refused
                .label(format!("`@{name}` has no key `{key}`, so this is nil: {reason}"))
                .help(help.unwrap_or_else(|| format!("add `{key}` to `${name}`, or check it with `if`")))
        }
        Some(name) => {
            let visible = e.scopes.variables_in_sight(call.scope);
            let help = match nearest(&name, visible.iter().map(|name| &**name)) {
                Some(near) => format!("did you mean `@{near}`?"),
                None => format!("set `${name}` before the template is rendered"),
            };
            refused.label(format!("there is no variable `${name}` here, so `@{name}` is nil: {reason}")).help(help)
        }
        None => {
            if let Some((_, near)) = reason.rsplit_once("; did you mean ") {
                return refused.help(format!("did you mean {near}"));
            }
            let variable = reason.split_once("Undefined variable '").and_then(|(_, rest)| rest.split('\'').next());
            match variable {
                Some(name) => refused.help(e.scopes.unknown_variable(call.scope, name)),
                None => match global_variable(read).filter(|_| reason.contains("nil")) {
                    Some(name) => refused.help(format!("`${name}` is a global variable of Ruby: write `@{name}`")),
                    None => refused.help("change this line, or the values that it reads"),
                },
            }
        }
    }
}

/// The first global variable that a line of a template reads in Ruby. A line without a mark of a tag is Ruby.
fn global_variable(line: &str) -> Option<&str> {
    let mut tags = line.split("<%");
    let before = tags.next().unwrap_or_default();
    let is_ruby = !line.contains("<%") || before.contains("%>");
    let ruby = is_ruby.then_some(before).into_iter().chain(tags);
    ruby.filter_map(|tag| tag.split("%>").next()?.split_once('$')).find_map(|(_, rest)| {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        rest.starts_with(|c: char| c.is_alphabetic()).then(|| &rest[..end])
    })
}

/// The names of the variables of Puppet that a line of Ruby reads.
fn instance_variables(line: &str) -> Vec<String> {
    let names = line.split('@').skip(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        rest[..end].to_string()
    });
    names.filter(|name| !name.is_empty()).collect()
}

/// Refuses a template with a tag or a block that has no end; what else is not read here, Ruby may know.
fn broken_erb(e: &mut Evaluator<'_>, call: &Call, shown: &str, text: &str) -> Run<()> {
    let Some((what, at)) = erb_fault::refusal(text) else { return Ok(()) };
    let found = if shown.ends_with(".epp") {
        let label = format!("this is a template of EPP, and `{}` reads ERB", call.name);
        Some((at, label, "write `epp('MODULE/FILE', { NAME => VALUE })`".to_string()))
    } else {
        erb_fault::explain(text, &what, at)
    };
    let Some((line, label, help)) = found else { return Ok(()) };
    let place = place_in_template(e, call, (shown, text), line);
    let message = format!("Failed to parse {}: {label}", call.name.replace('_', " "));
    call.fail(message)
        .code(Code::InvalidTemplate)
        .edit(place)
        .label(label)
        .related(call.span, "rendered here")
        .help(help)
}

/// A line of a template of a module; that of the call for a template in the program.
fn place_in_template(e: &mut Evaluator<'_>, call: &Call, (shown, text): (&str, &str), line: usize) -> Span {
    if call.name.starts_with("inline") {
        return call.span;
    }
    e.inputs.span_in_file(std::path::Path::new(shown), text, line, 1)
}

impl Inputs<'_> {
    /// Where a call names a key; the call itself where it does not write the key out.
    pub fn key_after(&self, call: Span, name: &str) -> Span {
        let text = self.sources.file(call.file).text.get(call.range()).unwrap_or_default();
        let quoted = [format!("'{name}'"), format!("\"{name}\"")];
        let found = quoted.iter().filter_map(|quoted| Some((text.find(quoted.as_str())?, quoted.len()))).min();
        let start = call.range().start;
        // A key without quotes.
        let found = found.or_else(|| {
            let is_key = |at: usize| {
                !text[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | ':'))
                    && text[at + name.len()..].trim_start().starts_with("=>")
            };
            let mut places = text.match_indices(name).map(|(at, _)| at);
            places.find(|at| !name.is_empty() && is_key(*at)).map(|at| (at, name.len()))
        });
        found.map_or(call, |(at, length)| Span::new(call.file, start + at, start + at + length))
    }
}

/// `module/path` below a folder of the module, or an absolute path.
fn place(e: &Evaluator<'_>, name: &str, folder: &str) -> Option<PathBuf> {
    let path = if name.starts_with('/') {
        PathBuf::from(name)
    } else {
        let (module, rest) = name.split_once('/')?;
        e.inputs.module_dir(module)?.join(folder).join(rest)
    };
    e.inputs.files.exists(&path).then_some(path)
}

fn names(call: &Call) -> Vec<String> {
    super::collection::flatten(&call.args).iter().map(convert::string).collect()
}

fn found(e: &mut Evaluator<'_>, call: &Call, folder: &str) -> Run {
    let path = names(call).iter().find_map(|n| place(e, n, folder));
    Ok(path.map_or(Value::Undef, |p| Value::str(p.to_string_lossy().as_ref())))
}

fn file(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let all = names(call);
    let path = all.iter().find_map(|n| place(e, n, "files"));
    match path.map(|p| e.inputs.files.read(&p).ok_or(p)) {
        Some(Ok(bytes)) => Ok(Value::str(String::from_utf8_lossy(&bytes).into_owned())),
        Some(Err(path)) => call
            .fail(format!("'{}' cannot be read as a file", e.inputs.shown(&path)))
            .help("name a file, and not a folder"),
        None => call
            .fail(format!("Could not find any files from {}", all.join(", ")))
            .code(Code::UnknownFile)
            .help(e.inputs.unknown_file(all.first().map_or("", String::as_str), "files")),
    }
}

fn binary_file(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let name = call.text(0)?;
    match place(e, &name, "files").and_then(|p| e.inputs.files.read(&p)) {
        Some(bytes) => Ok(Value::Binary(bytes.into())),
        None => call
            .fail(format!("binary_file(): The given file '{name}' does not exist"))
            .code(Code::UnknownFile)
            .help(e.inputs.unknown_file(&name, "files")),
    }
}

fn module_directory(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let found = names(call).iter().find_map(|n| e.inputs.module_dir(n));
    Ok(found.map_or(Value::Undef, |p| Value::str(p.to_string_lossy().as_ref())))
}

fn epp(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let name = call.text(0)?;
    let with_extension = if name.ends_with(".epp") { name.to_string() } else { format!("{name}.epp") };
    let path = place(e, &with_extension, "templates").or_else(|| place(e, &name, "templates"));
    let Some((path, bytes)) = path.and_then(|p| e.inputs.files.read(&p).map(|b| (p, b))) else {
        return call
            .fail(format!("Could not find template '{name}'"))
            .code(Code::UnknownTemplate)
            .help(e.inputs.unknown_file(&name, "templates"));
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let shown = e.inputs.shown(&path);
    render(e, call, &shown, &text, TOP, false)
}

fn inline_epp(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let text = call.text(0)?;
    let done = render(e, call, INLINED, &text, call.scope, true);
    let Err(Stop::Fail(issue)) = &done else { return done };
    let place = issue.advice.place.or(issue.span);
    let Some(place) = place.filter(|place| &*e.inputs.sources.file(place.file).name == INLINED) else { return done };
    // The line of the text, as the program writes it.
    let line = e.inputs.sources.place(place).line;
    let line = text.lines().nth((line as usize).saturating_sub(1)).unwrap_or_default().trim();
    let source = &e.inputs.sources.file(call.span.file).text;
    let found = source.find(line).filter(|_| !line.is_empty() && source.matches(line).count() == 1);
    let place = found.map_or(call.span, |at| Span::new(call.span.file, at, at + line.len()));
    done.edit(place)
}

/// The name of a template that has no file.
const INLINED: &str = "inlined-epp-text";

/// Steps of parsing and validating even the shortest template.
const TEMPLATE: u64 = 200;

/// Renders a template; an inlined one without parameters sees the caller's variables.
fn render(e: &mut Evaluator<'_>, call: &Call, shown: &str, text: &str, scope: ScopeId, is_inline: bool) -> Run {
    // The text is kept for messages, and its tree is larger than it is.
    e.output.build(4 * text.len(), call.span)?;
    e.output.spend(TEMPLATE, call.span)?;
    e.output.spend_text(16 * text.len(), call.span)?;
    let file = e.inputs.sources.add(shown, None, text);
    let mut warnings = Vec::new();
    let program = crate::lang::puppet::parser::parse(file, text, true, &mut warnings).map_err(Stop::Fail)?;
    let Kind::Epp(template) = &program.body.kind else { return Ok(Value::str("")) };
    let issues = crate::lang::puppet::validate::validate(&program, shown, e.inputs.settings.strict);
    if let Some(issue) = issues.into_iter().find(|i| i.severity == crate::diag::Severity::Error) {
        return Err(Stop::Fail(Box::new(issue)));
    }
    let given = match call.args.get(1) {
        None | Some(Value::Undef) => None,
        Some(Value::Hash(map)) => Some(map.clone()),
        Some(other) => {
            return call.wrong_type(format!(
                "'{}' parameter 'parameters' expects a Hash value, got {}",
                call.name,
                types::infer_generic(other)
            ));
        }
    };
    let outer = if is_inline && !template.has_params { scope } else { TOP };
    let mut local = Scope::new(Owner::Local, Some(outer), Some(call.scope));
    local.resource = e.scopes.get(call.scope).resource;
    let local = e.scopes.add(local);
    let empty = crate::lang::puppet::value::Map::default();
    let given = given.as_deref().unwrap_or(&empty);
    for (key, value) in given {
        let name = convert::string(key);
        if template.has_params && !template.params.iter().any(|p| *p.name == *name) {
            // Undef counts as not given.
            if *value == Value::Undef {
                continue;
            }
            let own: Vec<&str> = template.params.iter().map(|param| &*param.name).collect();
            let help = match nearest(&name, own.iter().copied()) {
                Some(near) => did_you_mean(near),
                None => format!("the parameters of {shown} are {}", own.join(", ")),
            };
            return fail(call.span, IssueName::UnknownArgument, format!("has no parameter named '{name}'"))
                .label(format!("the template {shown} has no parameter `{name}`"))
                .edit(e.inputs.key_after(call.span, &name))
                .help(help);
        }
        e.scopes.get_mut(local).variables.insert(name.into(), value.clone());
    }
    for param in &template.params {
        parameter(e, param, local, given, call)?;
    }
    let kept = e.catalog.keeps();
    e.rendered.push(Rendering::default());
    let done = e.eval(&template.body, local);
    let out = e.rendered.pop().unwrap_or_default();
    done?;
    e.leave(local, kept);
    Ok(out.into_value())
}

fn parameter(
    e: &mut Evaluator<'_>,
    param: &Parameter,
    local: ScopeId,
    given: &crate::lang::puppet::value::Map,
    call: &Call,
) -> Run<()> {
    let value = match (given.get(&Value::Str(param.name.clone())), &param.value) {
        (Some(value), _) => value.clone(),
        (None, Some(default)) => e.eval(default, local)?,
        (None, None) => {
            return fail(
                call.span,
                IssueName::MissingArgument,
                format!("expects a value for parameter '{}'", param.name),
            )
            .label(format!("the template expects a value for parameter '{}'", param.name))
            .related(param.span, "the parameter is declared here")
            .help(format!("add `'{}' => …` to the parameters of the call", param.name));
        }
    };
    if let Some(ty) = &param.ty {
        let ty = e.type_of(ty, local)?;
        if !types::is_instance(&ty, &value) {
            let message = format!("parameter '{}' {}", param.name, types::describe_mismatch(&ty, &value));
            let help = crate::lang::puppet::wrong_value::value_help(&ty, &value);
            return call
                .wrong_type(message)
                .edit(e.inputs.key_after(call.span, &param.name))
                .related(param.span, "the parameter is declared here")
                .help(help);
        }
    }
    e.scopes.get_mut(local).variables.insert(param.name.clone(), value);
    Ok(())
}
