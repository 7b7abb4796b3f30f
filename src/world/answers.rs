//! Answers of foreign code in a bundle: a machine that runs none compiles the bundle to the same graph.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::PluginCall;

/// Answers by the hash of the modules' files, then by the request. Folders differ between machines and do not count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answers(BTreeMap<String, BTreeMap<String, String>>);

impl Answers {
    /// The name of the file in a bundle.
    pub const FILE: &'static str = "plugins.json";

    /// Parses such a file. An invalid one has no answers.
    pub fn read(bytes: &[u8]) -> Self {
        serde_json::from_slice(bytes).unwrap_or_default()
    }

    /// Adds an answer, or replaces the one of the same call.
    pub fn add(&mut self, call: &PluginCall, answer: String) {
        self.0.entry(hash(call)).or_default().insert(call.request.to_string(), answer);
    }

    /// Returns the answer of a call.
    pub fn find(&self, call: &PluginCall) -> Option<&str> {
        self.0.get(&hash(call))?.get(&*call.request).map(String::as_str)
    }

    /// Returns the file's content; `None` without answers.
    pub fn content(&self) -> Option<Vec<u8>> {
        (!self.0.is_empty()).then(|| serde_json::to_vec(self).unwrap_or_default())
    }
}

impl PluginCall {
    /// Returns the same request with its folders at other places.
    pub fn at(&self, place: impl Fn(&Path) -> PathBuf) -> Self {
        let mut modules: Json = serde_json::from_str(&self.modules).unwrap_or_default();
        let moved = |path: &mut Json| {
            if let Some(text) = path.as_str().filter(|text| !text.is_empty()) {
                *path = place(Path::new(text)).to_string_lossy().into_owned().into();
            }
        };
        modules.get_mut("project").into_iter().for_each(moved);
        for list in ["path", "site"] {
            modules.get_mut(list).and_then(Json::as_array_mut).into_iter().flatten().for_each(moved);
        }
        for module in modules.get_mut("load").and_then(Json::as_array_mut).into_iter().flatten() {
            for folder in ["folder", "root"] {
                module.get_mut(folder).into_iter().for_each(moved);
            }
        }
        Self { interpreter: self.interpreter, modules: modules.to_string().into(), request: self.request.clone() }
    }
}

/// Returns the hash of the modules' files in a request.
fn hash(call: &PluginCall) -> String {
    let modules: Json = serde_json::from_str(&call.modules).unwrap_or_default();
    modules.get("hash").and_then(Json::as_str).unwrap_or_default().to_string()
}

#[cfg(test)]
mod tests {
    use super::super::Interpreter;
    use super::*;

    #[test]
    fn an_answer_is_found_wherever_the_folders_are() {
        let call = |folder: &str, hash: &str| PluginCall {
            interpreter: Interpreter::Python,
            modules: format!("{{\"load\":[{{\"folder\":\"{folder}\"}}],\"hash\":\"{hash}\"}}").into(),
            request: "{}".into(),
        };
        let mut answers = Answers::default();
        answers.add(&call("/a", "1"), "yes".into());
        let answers = Answers::read(&answers.content().expect("there is one"));
        assert_eq!(answers.find(&call("/b", "1")), Some("yes"));
        assert_eq!(call("/a", "1").at(|path| path.join("c")), call("/a/c", "1"));
        assert_eq!(answers.find(&call("/a", "2")), None);
        assert_eq!(Answers::read(b"\xff").content(), None);
    }
}
