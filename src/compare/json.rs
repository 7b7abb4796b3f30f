//! The JSON of a comparison.

use serde_json::{Value as Json, json};

use super::graphs::{Difference, What};
use super::meaning::{Meaning, Unknown, Verdict};
use super::nodes::{Comparison, Finding, FindingAt};
use crate::source::Place;

impl Comparison {
    /// The comparison as `diff --format json` prints it, with a description of each side.
    pub fn to_json(&self, sides: &[Json; 2], is_over_nodes: bool) -> Json {
        let changes: Vec<Json> = self.found.iter().map(|found| self.found_json(found, is_over_nodes)).collect();
        json!({
            "version": 1, "sides": sides, "equal": self.is_equal(), "unknown": self.unknown,
            "nodes": is_over_nodes.then(|| json!({
                "total": self.nodes.len(), "equal": self.equal, "changed": self.changed, "failing": self.failing,
            })),
            "changes": changes,
        })
    }

    fn found_json(&self, found: &FindingAt, is_over_nodes: bool) -> Json {
        let mut object = match &found.finding {
            Finding::Difference(difference) => difference.to_json(),
            Finding::Violation(broken) => json!({
                "change": "policy", "rule": broken.rule.as_str(), "when": broken.when, "message": broken.message,
                "by": broken.by, "resources": broken.resources,
            }),
            Finding::Fault { side, both, fault } => json!({
                "change": "failure", "side": if *both { "both" } else if *side == 0 { "a" } else { "b" },
                "code": fault.code, "message": fault.message, "label": fault.label, "help": fault.help,
                "source": place(fault.place.as_ref()),
                "related": fault.related.iter()
                    .map(|(at, message)| json!({ "source": place(at.as_ref()), "message": message }))
                    .collect::<Vec<_>>(),
            }),
        };
        if let (true, Some(object)) = (is_over_nodes, object.as_object_mut()) {
            object.insert("nodes".into(), self.names(&found.nodes).collect());
        }
        object
    }
}

impl Meaning {
    /// The verdict as `diff --format json` prints it, with a description of each side.
    pub fn to_json(&self, sides: &[Json; 2]) -> Json {
        let unknown = |one: &Unknown| {
            json!({
                "side": if one.side == 0 { "a" } else { "b" }, "resource": one.resource, "why": one.why,
                "source": place(one.source.as_ref()),
            })
        };
        json!({
            "version": 1, "sides": sides, "equal": self.verdict <= Verdict::EqualButOrder,
            "verdict": self.verdict.word(),
            "changes": self.rows.iter().map(Difference::to_json).collect::<Vec<_>>(),
            "unknown": self.unknown.iter().map(unknown).collect::<Vec<_>>(),
        })
    }
}

impl Difference {
    /// The row in JSON, without its nodes.
    pub fn to_json(&self) -> Json {
        let [a, b] = &self.places;
        let mut object = json!({
            "change": self.what.word(), "resource": self.resource, "kind": &*self.kind,
            "source": { "a": place(a.as_ref()), "b": place(b.as_ref()) },
        });
        let Some(map) = object.as_object_mut() else { return object };
        match (&self.what, self.what.relation()) {
            (What::Parameter(change), _) => {
                map.insert("parameter".into(), json!(change.property));
                map.insert("value".into(), change.to_json());
            }
            (_, Some((other, is_new))) => {
                map.insert("other".into(), json!(other));
                map.insert("new".into(), json!(is_new));
            }
            _ => {}
        }
        object
    }
}

fn place(place: Option<&Place>) -> Json {
    place.map_or(Json::Null, |place| json!({ "file": &*place.file, "line": place.line, "column": place.column }))
}
