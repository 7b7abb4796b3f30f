//! The JSON of `preview --format json`, and of the changes in what an apply tells.

use serde_json::{Value as Json, json};

use super::{Change, Plan, Step};
use crate::graph::{ResourceId, Value};

impl Plan {
    pub fn to_json(&self) -> Json {
        json!({
            "version": self.version,
            "plan": self.plan,
            "entry": self.entry,
            "steps": self.steps.iter().map(Step::to_json).collect::<Vec<_>>(),
            "summary": self.summary,
        })
    }
}

impl Step {
    pub fn to_json(&self) -> Json {
        let mut object = json!({
            "index": self.index,
            "resource": self.resource,
            "action": self.action,
            "refresh": self.refresh,
            "certainty": self.certainty,
            "changes": self.changes.iter().map(Change::to_json).collect::<Vec<_>>(),
            "because": ids(&self.because),
            "notifies": ids(&self.notifies),
            "reversible": self.reversible,
            "source": self.source.as_ref().map(|p| json!({"file": &*p.file, "line": p.line, "column": p.column})),
        });
        if !self.note.is_empty() {
            object["note"] = json!(self.note);
        }
        if let Some(error) = &self.error {
            object["error"] = json!(error);
        }
        object
    }
}

impl Change {
    /// `"set":false` says that `to` is no value at all, which a null alone could not.
    pub fn to_json(&self) -> Json {
        let side = |value: &Option<Value>| match value {
            Some(_) if self.sensitive => json!({"$sensitive": true}),
            Some(value) => value.to_json(),
            None => Json::Null,
        };
        let mut object = json!({
            "property": self.property, "from": side(&self.from), "to": side(&self.to), "sensitive": self.sensitive,
        });
        if self.to.is_none() {
            object["set"] = json!(false);
        }
        object
    }
}

fn ids(ids: &[ResourceId]) -> Json {
    ids.iter().map(|id| json!(&*id.0)).collect()
}
