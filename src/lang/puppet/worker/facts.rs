//! Facts that modules compute in Ruby, for this machine.

use std::path::Path;

use serde_json::{Value as Json, json};

use super::super::eval::Evaluator;
use super::super::foreign::From;
use super::super::ids::TOP;
use super::super::stop::Run;
use super::super::value::{Map, Value};
use super::Answer;
use crate::source::Span;

impl Evaluator<'_> {
    /// Adds the facts of modules to those of this machine. One that needs more than Ruby has here is unknown.
    pub fn facts_in_worker(&mut self, span: Span) -> Run<()> {
        if !self.has_worker() {
            return Ok(());
        }
        let mut files = Vec::new();
        let mut seen: Vec<String> = Vec::new();
        for path in self.settings.module_path.clone() {
            let root = if path.as_os_str().is_empty() { Path::new(".") } else { &path };
            for module in self.files.list(root) {
                if seen.contains(&module) {
                    continue;
                }
                let names = self.files.list(&path.join(&module).join("lib/facter")).into_iter();
                let ruby = names.filter(|name| name.ends_with(".rb"));
                files.extend(ruby.map(|name| json!([module, format!("lib/facter/{name}")])));
                seen.push(module);
            }
        }
        if files.is_empty() {
            return Ok(());
        }
        let from = From { scope: TOP, span, block: None };
        let answer = match self.ask_worker(json!({ "do": "facts", "files": files }), from, &mut Vec::new())? {
            Answer::Done(answer) => answer,
            Answer::Unknown => return Ok(()),
            Answer::Outside(what) => {
                self.warn_once(format!("the facts of modules need {what}, which is not available to Ruby here"));
                return Ok(());
            }
        };
        let mut facts = match &self.settings.facts {
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
            self.warn_once(format!(
                "facts of modules that need what is not available to Ruby here are unknown: {reasons}"
            ));
        }
        facts.sort_by(|a, _, b, _| a.as_str().cmp(&b.as_str()));
        self.settings.facts = Value::hash(facts);
        Ok(())
    }
}
