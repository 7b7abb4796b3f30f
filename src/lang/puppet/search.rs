//! Searches of data without the program: `workbench lookup`, and where the value of a class parameter comes from.

use std::path::Path;
use std::sync::Arc;

use super::convert;
use super::eval::Evaluator;
use super::ids::TOP;
use super::language::{Loaded, evaluate, level, literal};
use super::lookup::{Search, Strategy};
use super::modules::Modules;
use super::parser;
use super::stop::{Run, Stop};
use super::value::{Map, Value};
use crate::diag::{Code, Diagnostic, Diagnostics, LogEntry, Stage};
use crate::graph::Graph;
use crate::lang::{CompileOptions, Form, Origin, Output};
use crate::module::{EntryPoint, Layout};
use crate::source::{Place, Sources, Span};
use crate::world::{PathKind, World};

/// What is looked up, and what is to be printed of it.
pub struct LookupRequest<'w> {
    pub key: &'w str,
    /// A strategy as a Puppet literal.
    pub merge: Option<&'w str>,
    pub explain: bool,
    pub form: Form,
}

/// An empty program: data is found by facts alone.
fn nothing() -> Loaded {
    let (mut sources, diagnostics) = (Sources::default(), Diagnostics::new(Stage::Eval));
    let first = sources.add("<lookup>", None, "undef");
    let program = parser::parse(first, "undef", false, &mut Vec::new());
    Loaded { programs: program.into_iter().map(Arc::new).collect(), first, sources, diagnostics, log: Vec::new() }
}

/// The value of a key, or the search for it.
pub fn made(world: &dyn World, entry: &EntryPoint, options: &CompileOptions, wanted: &LookupRequest<'_>) -> Output {
    let mut read = nothing();
    let span = Span::new(read.first, 0, 0);
    let strategy = match wanted.merge.map(|text| strategy(text, &mut read.sources)).transpose() {
        Ok(strategy) => strategy,
        Err(why) => {
            let help =
                "use first, unique, hash, deep, or a hash such as `{strategy => deep, knockout_prefix => \"--\"}`";
            read.diagnostics.push(Diagnostic::placeless(Code::InvalidSetting).label(why).help(help));
            let Loaded { sources, diagnostics, log, .. } = read;
            return Output { text: None, sources, diagnostics, log };
        }
    };
    let mut text = None;
    let done = evaluate(world, entry, options, read, |e, _, diagnostics, log| {
        let before = e.output.logs.len();
        let (printed, found) = printed(e, wanted, strategy, span);
        text = printed;
        match found {
            Ok(true) => {}
            Ok(false) => {
                let label = format!("no data for the key `{}`", wanted.key);
                let near = e
                    .data()
                    .nearly_key(wanted.key)
                    .map(|(near, file, line)| format!("did you mean `{near}` of {file}:{line}? "));
                let help = format!("{}`--explain` prints the search", near.unwrap_or_default());
                diagnostics.push(Diagnostic::placeless(Code::UnknownKey).label(label).help(help));
            }
            Err(Stop::Fail(mut issue)) => {
                if issue.span == Some(span) {
                    issue.span = None;
                }
                diagnostics.push(issue.map_texts(|text| e.hiera.without_secrets(text)).diagnostic());
            }
            Err(_) => diagnostics.push(Diagnostic::placeless(Code::EvaluationFailed).label("the search ended early")),
        }
        for entry in e.output.logs.split_off(before) {
            let message = e.hiera.without_secrets(&entry.message);
            log.push(LogEntry::new(level(entry.level), message, diagnostics));
        }
        (String::new(), Graph::default())
    });
    Output { text, sources: done.sources, diagnostics: done.diagnostics, log: done.log }
}

fn strategy(text: &str, sources: &mut Sources) -> Result<Strategy, String> {
    let file = sources.add("--merge", None, text);
    let program = parser::parse(file, text, false, &mut Vec::new()).map_err(|issue| issue.message)?;
    let wanted = match literal(&program.body) {
        // Puppet's own command gives a deep merge its options, and shows them.
        Value::Str(name) if &*name == "deep" => Value::hash(Map::from_iter([
            (Value::str("strategy"), Value::Str(name)),
            (Value::str("sort_merged_arrays"), Value::Bool(false)),
            (Value::str("merge_hash_arrays"), Value::Bool(false)),
        ])),
        other => other,
    };
    Strategy::of(&wanted).map_err(|problem| problem.message)
}

/// What is printed, and whether there is a value; a search is worth printing also without one.
fn printed(
    e: &mut Evaluator<'_>,
    wanted: &LookupRequest<'_>,
    strategy: Option<Strategy>,
    span: Span,
) -> (Option<String>, Run<bool>) {
    if wanted.explain {
        let (text, ended) = e.search().explain_data(wanted.key, strategy, span);
        return (Some(text), ended.map(|()| true));
    }
    match e.search().find_data(wanted.key, strategy, TOP, span) {
        Ok(Some(value)) => {
            let text = match wanted.form {
                Form::Json => super::catalog::compiler::answer(&value).to_string(),
                Form::Text => convert::inspect(&value),
            };
            (Some(text + "\n"), Ok(true))
        }
        Ok(None) => (None, Ok(false)),
        Err(stop) => (None, Err(stop)),
    }
}

/// Where data has the value of a class parameter: the level that is used, then the others. Of a merged value all that
/// contribute are first, and it is returned too.
pub fn origins(
    world: &dyn World,
    entry: &EntryPoint,
    options: &CompileOptions,
    key: &str,
) -> (Vec<Origin>, Option<String>) {
    let read = nothing();
    let span = Span::new(read.first, 0, 0);
    let mut found = (Vec::new(), None);
    let options = in_environment(world, entry, options);
    evaluate(world, entry, &options, read, |e, _, _, _| {
        found = e.search().data_origins(key, span);
        (String::new(), Graph::default())
    });
    let origin = |super::lookup::Origin { file, line, level, value, .. }| {
        let place = Place { file: file.into(), line, column: 1, end_line: line, end_column: 1 };
        Origin { place, level, value }
    };
    (found.0.into_iter().map(origin).collect(), found.1)
}

/// How many folders above a file are searched for its environment.
const ABOVE: usize = 20;

/// The options for a file by itself: those of the environment that it is in.
fn in_environment(world: &dyn World, entry: &EntryPoint, options: &CompileOptions) -> CompileOptions {
    let mut options = options.clone();
    if entry.environment.is_some() || options.choices.puppet.environment.is_some() {
        return options;
    }
    let is_one = |folder: &&Path| world.kind(&folder.join("environment.conf")) == PathKind::File;
    let Some(folder) = entry.base.ancestors().take(ABOVE).find(is_one) else { return options };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let around = EntryPoint { environment: Some(folder.into()), ..EntryPoint::default() };
    options.module_path.extend(Modules.candidates(world, &around).into_iter().map(|folder| folder.path));
    options.choices.puppet.environment = Some(folder.into());
    options
}
