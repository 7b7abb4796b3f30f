//! Ruby of modules that the user's own interpreter runs, where the user allows it.
//!
//! Ruby runs in a worker outside of the evaluation. All that the evaluation sees is a request and its answer, both text, so
//! that they can be recorded and replayed. A call that needs something of the compilation answers with a question; the same
//! request is then sent again with the answers so far. The worker continues where it was, or starts again if it is another
//! one. What its stand-in for Puppet does not have is no error: the value is unknown.

mod facts;
mod function;
mod kind;
mod names;
mod question;
mod sent;

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map as Object, Value as Json, json};
use sha2::{Digest, Sha256};

use super::eval::Evaluator;
use super::foreign::From;
use super::ids::ScopeId;
use super::stop::{Help, Run, fail};
use super::value::Value;
use crate::lang::puppet::environment::Inputs;
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::scope::Scopes;
use crate::source::{Span, hex};

/// How often one call may ask something of the compilation.
const MOST_QUESTIONS: usize = 10_000;

/// Folders inside of `lib` are not searched deeper.
const DEPTH: usize = 12;

/// How a request ended.
pub enum Answer {
    Done(Object<String, Json>),
    /// The answer depends on an unknown value.
    Unknown,
    /// It needs what the worker does not have.
    Outside(String),
}

impl Evaluator<'_> {
    /// Renders a template. `file` is its name in messages.
    pub fn template_in_worker(&mut self, from: From<'_>, file: &str, text: &str) -> Run<Result<Value, String>> {
        let mut held = Vec::new();
        let mut variables = Vec::new();
        for (name, value) in self.scopes.variables_of(text, from.scope) {
            let sent = match &value {
                Value::Hash(map) => Some(sent::to_partial(map, &mut held)),
                _ => sent::to_json(&value, &mut held),
            };
            match sent {
                Some(value) => variables.push(json!([name, value])),
                None => return Ok(Ok(Value::Unknown(None))),
            }
        }
        let request = json!({ "do": "template", "name": file, "text": text, "variables": variables });
        match self.ask_worker(request, from, &mut held)? {
            Answer::Done(answer) => {
                let value = self.value_of(answer.get("value"), &held, from.span)?;
                Ok(Ok(value))
            }
            Answer::Unknown => Ok(Ok(Value::Unknown(None))),
            Answer::Outside(what) => Ok(Err(what)),
        }
    }

    /// Sends a request and answers the questions of the worker.
    fn ask_worker(&mut self, mut request: Json, from: From<'_>, held: &mut Vec<Value>) -> Run<Answer> {
        let modules = self.worker_modules();
        self.worker.depth += 1;
        let depth = self.worker.depth;
        if let Some(request) = request.as_object_mut() {
            request.insert("depth".into(), json!(depth));
            request.insert("known".into(), json!([]));
        }
        let done = self.exchange(&modules, request, from, held);
        self.worker.depth = depth - 1;
        done
    }

    fn exchange(
        &mut self,
        modules: &Arc<str>,
        mut request: Json,
        from: From<'_>,
        held: &mut Vec<Value>,
    ) -> Run<Answer> {
        for _ in 0..MOST_QUESTIONS {
            let text: Arc<str> = request.to_string().into();
            self.output.spend(1 + text.len() as u64 / 64, from.span)?;
            let answer = match self.inputs.files.plugin(modules, &text) {
                Ok(Some(answer)) => answer,
                Ok(None) => return Ok(Answer::Outside("Ruby that was not run when this was recorded".into())),
                Err(why) => return worker_failed(&why, from.span),
            };
            self.output.note(answer.len());
            let Ok(Json::Object(mut answer)) = serde_json::from_str(&answer) else {
                return worker_failed("its answer cannot be read", from.span);
            };
            if let Some(needs) = answer.remove("needs") {
                let needs = needs.as_array().map(Vec::as_slice).unwrap_or_default();
                let Some(known) = self.answer_question(needs, &request, from, held)? else {
                    return Ok(Answer::Unknown);
                };
                if let Some(list) = request.get_mut("known").and_then(Json::as_array_mut) {
                    list.push(known);
                }
                continue;
            }
            return ended(answer, from.span);
        }
        fail(from.span, IssueName::RuntimeError, format!("Ruby asks more than {MOST_QUESTIONS} questions in one call"))
    }

    /// A value of the worker in the language.
    fn value_of(&mut self, json: Option<&Json>, held: &[Value], span: Span) -> Run {
        let value = sent::from_json(self, json.unwrap_or(&Json::Null), held, span, 0)?;
        self.output.build(sent::size(&value), span)?;
        Ok(value)
    }

    /// The modules with a hash of their Ruby files: a worker that has loaded other ones does not answer.
    fn worker_modules(&mut self) -> Arc<str> {
        if let Some(modules) = &self.worker.modules {
            return Arc::clone(modules);
        }
        let mut hash = Sha256::new();
        let mut load = Vec::new();
        let mut seen: Vec<String> = Vec::new();
        for (folder, name) in self.inputs.modules() {
            if seen.contains(&name) || !self.inputs.files.is_dir(&folder) {
                continue;
            }
            hash_ruby(self, &folder.join("lib"), &mut hash, 0);
            load.push(json!({ "name": name, "folder": folder }));
            seen.push(name);
        }
        let modules: Arc<str> = json!({ "load": load, "hash": hex(&hash.finalize()) }).to_string().into();
        self.worker.modules = Some(Arc::clone(&modules));
        modules
    }
}

impl Inputs<'_> {
    /// Whether Ruby may run.
    pub fn has_worker(&self) -> bool {
        self.settings.runs_plugins
    }
}

impl Scopes {
    /// The variables that the text of a template may read as `@name`.
    fn variables_of(&self, text: &str, scope: ScopeId) -> Vec<(String, Value)> {
        let mut names: Vec<&str> = Vec::new();
        let reads_any = ["instance_variable", "eval", "binding"].iter().any(|word| text.contains(word));
        let visible = self.variables_in_sight(scope);
        if reads_any {
            names.extend(visible.iter().map(|name| &**name));
        } else {
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let words = text.split('@').skip(1).map(|rest| rest.split(|c| !is_word(c)).next().unwrap_or_default());
            names.extend(words);
            names.sort_unstable();
            names.dedup();
        }
        let found = names.into_iter().filter_map(|name| Some((name.to_owned(), self.lookup(scope, name)?)));
        found.filter(|(_, value)| *value != Value::Undef).collect()
    }
}

fn ended(answer: Object<String, Json>, span: Span) -> Run<Answer> {
    let at = |place: Option<&Json>| match place.and_then(Json::as_array).map(Vec::as_slice) {
        Some([Json::String(file), line]) => format!(" ({file}:{line})"),
        _ => String::new(),
    };
    let text = |part: Option<&Json>| part.and_then(Json::as_str).unwrap_or_default().to_owned();
    if answer.contains_key("unknown") && !answer.contains_key("value") {
        return Ok(Answer::Unknown);
    }
    if let Some(what) = answer.get("outside") {
        return Ok(Answer::Outside(text(Some(what)) + &at(answer.get("at"))));
    }
    if let Some(library) = answer.get("missing") {
        let library = text(Some(library));
        let message = format!("Ruby has no library `{library}`{}", at(answer.get("at")));
        let gem = library.split('/').next().unwrap_or_default();
        return fail(span, IssueName::RuntimeError, message)
            .help(format!("install it, for example with `gem install {gem}`, or leave out `--run-plugins`"));
    }
    if let Some(why) = answer.get("refused") {
        return worker_failed(&text(Some(why)), span);
    }
    if let Some(raised) = answer.get("raised") {
        let (class, why) = (text(raised.get("class")), text(raised.get("text")));
        let shown = if class.starts_with("Puppet::") || class == "ArgumentError" || class == "RuntimeError" {
            why
        } else {
            format!("{class}: {why}")
        };
        return fail(span, IssueName::RuntimeError, format!("{shown}{}", at(raised.get("at"))))
            .help("change the arguments of the call, or the Ruby code");
    }
    Ok(Answer::Done(answer))
}

/// Adds the Ruby files of a folder to a hash.
fn hash_ruby(e: &Evaluator<'_>, folder: &Path, hash: &mut Sha256, depth: usize) {
    for name in e.inputs.files.list(folder) {
        let path = folder.join(&name);
        if name.ends_with(".rb") {
            hash.update(e.inputs.files.read(&path).unwrap_or_default());
            hash.update([0]);
        } else if depth < DEPTH && !name.contains('.') && e.inputs.files.is_dir(&path) {
            hash_ruby(e, &path, hash, depth + 1);
        }
    }
}

fn worker_failed<V>(why: &str, span: Span) -> Run<V> {
    let run = fail(span, IssueName::RuntimeError, format!("Ruby could not run: {why}"));
    match why.contains("install") {
        true => run.help("install it, or leave out `--run-plugins`"),
        false => run.help("repair the Ruby code, or leave out `--run-plugins`"),
    }
}
