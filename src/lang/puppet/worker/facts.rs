//! Facts that modules compute in Ruby, for this machine.

use serde_json::{Value as Json, json};

use super::super::ast::Text;
use super::super::eval::Evaluator;
use super::super::foreign::From;
use super::super::ids::TOP;
use super::super::stop::Run;
use super::super::value::{Map, Value};
use super::Answer;
use crate::lang::puppet::loader::Loader;
use crate::source::Span;

impl Evaluator<'_> {
    /// Adds the facts of modules to those of this machine. One that needs more than Ruby has here is unknown.
    pub fn facts_in_worker(&mut self, span: Span) -> Run<()> {
        let mut files = Vec::new();
        let mut seen: Vec<String> = Vec::new();
        for (folder, module) in self.inputs.modules() {
            if seen.contains(&module) {
                continue;
            }
            let names = self.inputs.files.list(&folder.join("lib/facter")).into_iter();
            for name in names.filter(|name| name.ends_with(".rb")) {
                let file = format!("lib/facter/{name}");
                if !self.inputs.has_worker() {
                    let text = self.inputs.files.read(&folder.join(&file)).unwrap_or_default();
                    let text = String::from_utf8_lossy(&text);
                    let names = names_in(&text).map(|name| (Text::from(name), module.clone()));
                    self.program.ruby_facts.extend(names);
                }
                files.push(json!([module, file]));
            }
            seen.push(module);
        }
        if !self.inputs.has_worker() {
            let facts = self.inputs.settings.facts.clone();
            self.program.ruby_facts.retain(|name, _| facts.get(name).is_none());
            return Ok(());
        }
        if files.is_empty() {
            return Ok(());
        }
        let from = From { scope: TOP, span, block: None };
        let answer = match self.ask_worker(json!({ "do": "facts", "files": files }), from, &mut Vec::new())? {
            Answer::Done(answer) => answer,
            Answer::Unknown => return Ok(()),
            Answer::Outside(what) => {
                self.output.warn_once(format!("the facts of modules need {what}, which is not available to Ruby here"));
                return Ok(());
            }
        };
        let mut facts = match &self.inputs.settings.facts {
            Value::Hash(facts) => (**facts).clone(),
            _ => Map::default(),
        };
        if let Value::Hash(found) = self.value_of(answer.get("value"), &[], span)? {
            let known = found.iter().filter(|(_, value)| **value != Value::Undef);
            facts.extend(known.map(|(name, value)| (name.clone(), value.clone())));
        }
        let mut reasons = Vec::new();
        for one in answer.get("unknown").and_then(Json::as_array).into_iter().flatten() {
            let why = one.get("why").and_then(Json::as_str).unwrap_or_default();
            let names = one.get("names").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
            for name in names.iter().filter_map(Json::as_str) {
                reasons.push(format!("`{name}` ({why})"));
                facts.insert(Value::str(name), Value::Unknown(None));
            }
        }
        if !reasons.is_empty() {
            self.output.has_unknown = true;
            let reasons = reasons.join(", ");
            self.output.warn_once(format!(
                "facts of modules that need what is not available to Ruby here are unknown: {reasons}"
            ));
        }
        facts.sort_by(|a, _, b, _| a.as_str().cmp(&b.as_str()));
        self.inputs.settings.facts = Value::hash(facts);
        Ok(())
    }
}

impl Loader<'_, '_> {
    /// The value of a fact that this machine does not have but a module computes: unknown, with a warning.
    pub fn ruby_fact(&mut self, name: &str) -> Option<Value> {
        let module = self.program.ruby_facts.get(name)?.clone();
        self.output.has_unknown = true;
        self.output.warn_once(format!(
            "the fact `{name}` of the module `{module}` is Ruby; it is unknown without `--run-plugins`"
        ));
        Some(Value::Unknown(None))
    }
}

/// The names that a file gives to `Facter.add`, as far as they are written there.
fn names_in(text: &str) -> impl Iterator<Item = &str> {
    text.split("Facter.add").skip(1).filter_map(|rest| {
        let rest = rest.trim_start_matches(['(', ' ']);
        let rest = rest.strip_prefix([':', '\'', '"'])?.trim_start_matches(['\'', '"']);
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').unwrap_or(rest.len());
        // A name with an interpolation is made while Ruby runs.
        (end > 0 && !rest[end..].starts_with('#')).then(|| &rest[..end])
    })
}
